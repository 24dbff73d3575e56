// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * 16-bit floats to and from f32, one value at a time, in integer arithmetic: no
 * compiler or CPU type decides a rounding.
 */
#include "kte_exec.h"

#define F16_QNAN	0x7e00u
#define BF16_QNAN	0x7fc0u
#define F32_QNAN	0x7fc00000u
#define F32_INF		0x7f800000u

static float float_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static uint32_t bits_of(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

float kte_f16_to_f32(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, exp = h >> 10 & 31, man = h & 0x3ff;

	if (exp == 31)
		return float_of(man ? F32_QNAN : sign | F32_INF);
	if (exp)
		return float_of(sign | (exp + 112) << 23 | man << 13);
	if (!man)
		return float_of(sign);
	/* Subnormal: man * 2^-24. Shift the leading one into the implicit place. */
	for (exp = 113; !(man & 0x400); exp--)
		man <<= 1;
	return float_of(sign | exp << 23 | (man & 0x3ff) << 13);
}

uint16_t kte_f32_to_f16(float f)
{
	uint32_t bits = bits_of(f), sign = bits >> 16 & 0x8000, abs = bits & 0x7fffffff;
	uint32_t shift, man, half, rest;

	if (abs > F32_INF)
		return F16_QNAN;
	if (abs >= 0x477ff000)		/* 65520 and above round to infinity */
		return sign | 0x7c00;
	if (abs >= 0x38800000) {	/* 2^-14: normal */
		abs += 0xfff + (abs >> 13 & 1);
		return sign | ((abs - (112u << 23)) >> 13);
	}
	if (abs < 0x33000000)		/* below 2^-25: nearest is 0 */
		return sign;
	/* Subnormal: the significand in units of 2^-24. */
	shift = 126 - (abs >> 23);
	man = (abs & 0x7fffff) | 0x800000;
	half = 1u << (shift - 1);
	rest = man & ((1u << shift) - 1);
	man >>= shift;
	if (rest > half || (rest == half && (man & 1)))
		man++;
	return sign | man;
}

float kte_bf16_to_f32(uint16_t h)
{
	uint32_t bits = (uint32_t)h << 16;

	return float_of((bits & 0x7fffffff) > F32_INF ? F32_QNAN : bits);
}

uint16_t kte_f32_to_bf16(float f)
{
	uint32_t bits = bits_of(f);

	if ((bits & 0x7fffffff) > F32_INF)
		return BF16_QNAN;
	return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
