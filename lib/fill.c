// SPDX-License-Identifier: MIT
/*
 * Identifying values, small integers, random bit patterns, noise.
 */
#include "fill.h"

#include <string.h>

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

void kt_fill_noise(void *buf, uint64_t bytes, uint64_t seed)
{
	uint64_t i, s = mix(seed) | 1;
	uint8_t *p = buf;

	for (i = 0; i + 8 <= bytes; i += 8) {
		s ^= s << 13;
		s ^= s >> 7;
		s ^= s << 17;
		memcpy(p + i, &s, 8);
	}
	for (; i < bytes; i++)
		p[i] = (uint8_t)mix(seed + i);
}

static uint64_t elements(const struct kt_io *io)
{
	return io->bytes / io->elem_bytes;
}

uint64_t kt_fill_base(const struct ktdev_plan *plan, uint32_t i)
{
	uint64_t base = 1;	/* 0 is what unwritten memory holds */
	uint32_t j;

	for (j = 0; j < i; j++)
		if (!plan->io[j].output && !plan->io[j].derived)
			base += elements(&plan->io[j]);
	return base;
}

uint32_t kt_fill_digits(const struct ktdev_plan *plan)
{
	uint64_t last = kt_fill_base(plan, plan->n_io);
	uint32_t i, most = 1;

	for (i = 0; i < plan->n_io; i++) {
		uint32_t bits = 8 * plan->io[i].elem_bytes, n = 1;

		if (plan->io[i].output)
			continue;
		while (bits * n < 64 && last >> (bits * n))
			n++;
		if (n > most)
			most = n;
	}
	return most;
}

static void fill_digit(const struct kt_io *io, uint32_t digit, uint64_t base, uint8_t *p)
{
	uint64_t i, n = elements(io);
	uint32_t e = io->elem_bytes, shift = digit * 8 * e;

	for (i = 0; i < n; i++, p += e) {
		uint64_t v = shift < 64 ? (base + i) >> shift : 0;

		memset(p, 0, e);
		memcpy(p, &v, e < 8 ? e : 8);
	}
}

/* -3..3 in the type. Halves by hand: 1.0 is 0x3c00, 2.0 0x4000, 3.0 0x4200 (bf16 0x3f80,
 * 0x4000, 0x4040). */
static uint64_t small_int(uint8_t dtype, int v)
{
	static const uint16_t f16[] = { 0, 0x3c00, 0x4000, 0x4200 };
	static const uint16_t bf16[] = { 0, 0x3f80, 0x4000, 0x4040 };
	unsigned int a = (unsigned int)(v < 0 ? -v : v);
	uint64_t bits = 0;
	double d = v;
	float f = (float)v;

	switch (dtype) {
	case KTE_DT_F16:
		return f16[a] | (v < 0 ? 0x8000 : 0);
	case KTE_DT_BF16:
		return bf16[a] | (v < 0 ? 0x8000 : 0);
	case KTE_DT_F32:
		memcpy(&bits, &f, sizeof(f));
		return bits;
	case KTE_DT_F64:
		memcpy(&bits, &d, sizeof(d));
		return bits;
	default:
		return (uint64_t)(int64_t)v;
	}
}

/* Sometimes a value that tests the corners of a float type. */
static uint64_t special(uint8_t dtype, uint64_t r)
{
	static const struct {
		unsigned int sign, exp, quiet;	/* bit numbers and the exponent's mask */
		uint64_t inf;
	} f[KTE_DT_COUNT] = {
		[KTE_DT_F16] = { 15, 10, 9, 0x7c00 },
		[KTE_DT_BF16] = { 15, 7, 6, 0x7f80 },
		[KTE_DT_F32] = { 31, 23, 22, 0x7f800000 },
		[KTE_DT_F64] = { 63, 52, 51, 0x7ffull << 52 },
	};
	uint64_t sign = (r >> 8 & 1) << f[dtype].sign;

	switch (r % 6) {
	case 0:
		return sign;					/* zero */
	case 1:
		return sign | f[dtype].inf;
	case 2:
		return sign | f[dtype].inf | 1;			/* signalling NaN */
	case 3:
		return sign | f[dtype].inf | 1ull << f[dtype].quiet;
	case 4:
		return sign | (1 + (r >> 16) % 7);		/* denormal */
	default:
		return sign | (f[dtype].inf - 1);		/* largest */
	}
}

void kt_fill_value(const struct kt_io *io, enum kt_fill how, uint32_t digit, uint64_t base,
		   uint64_t seed, void *buf)
{
	bool is_float = io->dtype >= KTE_DT_F16 && io->dtype <= KTE_DT_F64;
	uint64_t i, n = elements(io), v;
	uint32_t e = io->elem_bytes;
	uint8_t *p = buf;

	if (how == KT_FILL_DIGIT) {
		fill_digit(io, digit, base, p);
		return;
	}
	if (how == KT_FILL_RANDOM)
		kt_fill_noise(buf, io->bytes, seed ^ mix(base));
	for (i = 0; i < n; i++, p += e) {
		uint64_t r = mix(seed ^ (base + i));

		if (how == KT_FILL_INTEGERS)
			v = small_int(io->dtype, (int)(r % 7) - 3);
		else if (is_float && !(r & 7))
			v = special(io->dtype, r >> 3);
		else
			continue;
		memset(p, 0, e);
		memcpy(p, &v, e < 8 ? e : 8);
	}
}
