// SPDX-License-Identifier: MIT
/*
 * f16 and bf16 against their definition: sign, exponent and significand as
 * numbers, rounding by comparing distances in double arithmetic.
 */
#include <math.h>

#include "engine/kte_exec.h"
#include "tests/tap.h"

/* A 16-bit float by its number of significand bits: f16 10, bf16 7. */
static double value_of(uint32_t h, unsigned int man_bits)
{
	unsigned int exp_bits = 15 - man_bits;
	int bias = (1 << (exp_bits - 1)) - 1;
	uint32_t man = h & ((1u << man_bits) - 1);
	int exp = h >> man_bits & ((1 << exp_bits) - 1);
	double sign = h & 0x8000 ? -1 : 1;

	if (exp == (1 << exp_bits) - 1)
		return man ? NAN : sign * INFINITY;
	if (!exp)
		return sign * ldexp(man, 1 - bias - (int)man_bits);
	return sign * ldexp((1 << man_bits) + man, exp - bias - (int)man_bits);
}

static uint32_t bits_of(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, 4);
	return bits;
}

static float float_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, 4);
	return f;
}

static bool same(float got, double want)
{
	if (isnan(want))
		return bits_of(got) == 0x7fc00000;
	return got == want && !signbit(got) == !signbit(want);
}

/*
 * Nearest, by search over all magnitudes: the largest not above, then the closer of
 * it and its successor, even on a tie. Past the largest finite value the successor
 * counts as the next power of two.
 */
static uint16_t nearest(double x, unsigned int man_bits)
{
	uint32_t inf = ((1u << (15 - man_bits)) - 1) << man_bits, lo = 0, hi = inf, mid;
	double a = fabs(x), low, high;
	uint16_t sign = signbit(x) ? 0x8000 : 0;

	if (isnan(x))
		return inf | 1u << (man_bits - 1);
	if (isinf(x))
		return sign | inf;
	while (lo + 1 < hi) {
		mid = (lo + hi) / 2;
		if (value_of(mid, man_bits) <= a)
			lo = mid;
		else
			hi = mid;
	}
	low = value_of(lo, man_bits);
	high = hi == inf ? low + (low - value_of(lo - 1, man_bits)) : value_of(hi, man_bits);
	if (a - low > high - a || (a - low == high - a && (lo & 1)))
		lo = hi;
	return sign | lo;
}

static void test_all_halves(void)
{
	uint32_t h, wrong[4] = { 0 };

	for (h = 0; h < 0x10000; h++) {
		double f16 = value_of(h, 10), bf16 = value_of(h, 7);

		wrong[0] += !same(kte_f16_to_f32(h), f16);
		wrong[1] += !same(kte_bf16_to_f32(h), bf16);
		wrong[2] += kte_f32_to_f16(kte_f16_to_f32(h)) != (isnan(f16) ? 0x7e00 : h);
		wrong[3] += kte_f32_to_bf16(kte_bf16_to_f32(h)) != (isnan(bf16) ? 0x7fc0 : h);
	}
	is_u64(wrong[0], 0, "all 65536 f16 to f32");
	is_u64(wrong[1], 0, "all 65536 bf16 to f32");
	is_u64(wrong[2], 0, "all 65536 f16 there and back");
	is_u64(wrong[3], 0, "all 65536 bf16 there and back");
}

static uint64_t check(uint32_t bits)
{
	float f = float_of(bits);

	return (kte_f32_to_f16(f) != nearest(f, 10)) + (kte_f32_to_bf16(f) != nearest(f, 7));
}

static void test_rounding(void)
{
	uint64_t wrong = 0, n = 0, state = 88172645463325252ull;
	uint32_t h, d, i;

	/* Every f16, every midpoint to the next, and the neighbours of both. */
	for (h = 0; h < 0x10000; h++) {
		uint32_t a = bits_of(kte_f16_to_f32(h));
		uint32_t m = bits_of((kte_f16_to_f32(h) + kte_f16_to_f32(h + 1)) / 2);

		for (d = 0; d < 3; d++, n += 2)
			wrong += check(a + d - 1) + check(m + d - 1);
	}
	/* The same for bf16: bits 15 and below around a tie. */
	for (h = 0; h < 0x10000; h++)
		for (d = 0x7fff; d <= 0x8001; d++, n++)
			wrong += check(h << 16 | d);
	for (i = 0; i < 400000; i++, n++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		wrong += check(state >> 32);
	}
	is_u64(wrong, 0, "%llu roundings from f32", (unsigned long long)n);
	is_u64(kte_f32_to_f16(65519.996f), 0x7bff, "just below the midpoint to infinity");
	is_u64(kte_f32_to_f16(65520), 0x7c00, "the midpoint rounds to infinity");
	is_u64(kte_f32_to_f16(float_of(0x33000000)), 0, "half the smallest subnormal is even 0");
	is_u64(kte_f32_to_f16(float_of(0x33000001)), 1, "more than half of it is not");
	is_u64(kte_f32_to_f16(float_of(0xff800001)), 0x7e00, "signalling NaN");
	is_u64(kte_f32_to_bf16(float_of(0xffffffff)), 0x7fc0, "NaN with all bits");
	is_u64(kte_f32_to_bf16(float_of(0x7f7fffff)), 0x7f80, "the largest f32 rounds up");
}

int main(void)
{
	test_all_halves();
	test_rounding();
	return done_testing();
}
