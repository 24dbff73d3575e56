// SPDX-License-Identifier: MIT
/*
 * Fold arithmetic, one element at a time and from the definition: halves are taken apart
 * in integers, sums of f16, bf16 and f32 are single precision, integers wrap. Shares
 * nothing with the engine's kernels.
 */
#include <string.h>

#include "check_run.h"

static bool is_float(uint8_t dtype)
{
	return dtype >= KTE_DT_F16 && dtype <= KTE_DT_F64;
}

/* The value of sign, exponent and mastissa fields; exact in double for f16, bf16, f32. */
static double from_fields(uint64_t bits, unsigned int exp_bits, unsigned int man_bits)
{
	uint64_t man = bits & ((1ull << man_bits) - 1);
	int exp = (int)(bits >> man_bits & ((1u << exp_bits) - 1));
	int bias = (1 << (exp_bits - 1)) - 1;
	bool neg = bits >> (exp_bits + man_bits) & 1;
	double v;

	if (exp == (1 << exp_bits) - 1)
		v = man ? __builtin_nan("") : __builtin_inf();
	else if (exp)
		v = __builtin_ldexp((double)(man | 1ull << man_bits), exp - bias - (int)man_bits);
	else
		v = __builtin_ldexp((double)man, 1 - bias - (int)man_bits);
	return neg ? -v : v;
}

/* Nearest value with the fields given, ties to even. @v is a single, so nothing is
 * rounded twice. */
static uint64_t to_fields(double v, unsigned int exp_bits, unsigned int man_bits)
{
	int bias = (1 << (exp_bits - 1)) - 1, exp;
	uint64_t sign = (uint64_t)(__builtin_signbit(v) != 0) << (exp_bits + man_bits);
	uint64_t inf = ((1ull << exp_bits) - 1) << man_bits, q;
	double a = __builtin_fabs(v), scaled, rest;

	if (v != v)
		return inf | 1ull << (man_bits - 1);
	if (a == __builtin_inf())
		return sign | inf;
	if (a == 0)
		return sign;
	__builtin_frexp(a, &exp);	/* a in [2^(exp-1), 2^exp) */
	exp--;
	if (exp < 1 - bias)
		exp = 1 - bias;
	scaled = __builtin_ldexp(a, (int)man_bits - exp);	/* unit in the last place is 1 */
	q = (uint64_t)scaled;
	rest = scaled - (double)q;
	if (rest > 0.5 || (rest == 0.5 && (q & 1)))
		q++;
	/* q has the implicit bit if normal: adding it into the exponent field carries right */
	q += (uint64_t)(exp + bias - 1) << man_bits;
	return sign | (q < inf ? q : inf);
}

static uint64_t load(uint8_t dtype, const uint8_t *p)
{
	uint64_t v = 0;

	memcpy(&v, p, kte_dtype_bytes(dtype));
	return v;
}

static double float_of(uint8_t dtype, uint64_t bits)
{
	double d;

	switch (dtype) {
	case KTE_DT_F16:
		return from_fields(bits, 5, 10);
	case KTE_DT_BF16:
		return from_fields(bits, 8, 7);
	case KTE_DT_F32:
		return from_fields(bits, 8, 23);
	default:
		memcpy(&d, &bits, sizeof(d));
		return d;
	}
}

/* Sign-extended. */
static int64_t signed_of(uint8_t dtype, uint64_t v)
{
	unsigned int shift = 64 - 8 * kte_dtype_bytes(dtype);

	return (int64_t)(v << shift) >> shift;
}

void kt_fold_begin(struct kt_fold_value *v, uint8_t dtype, const uint8_t *elem,
		   uint8_t index_dtype, const uint8_t *index)
{
	v->i = load(dtype, elem);
	v->f = is_float(dtype) ? float_of(dtype, v->i) : 0;
	v->index = index ? load(index_dtype, index) : 0;
}

static double narrow(uint8_t dtype, double v)
{
	return dtype == KTE_DT_F64 ? v : (double)(float)v;
}

static double arith(uint8_t dtype, uint8_t op, double a, double b)
{
	/* a sum or product of two singles is rounded to double first; that is innocuous for
	 * one operation, as double has more than twice the digits and two to spare */
	return narrow(dtype, op == KTE_OP_ADD ? a + b : a * b);
}

/* Less, equal, greater: -1, 0, 1. */
static int compare(const struct kt_fold_value *a, const struct kt_fold_value *b, uint8_t mode,
		   uint8_t dtype)
{
	if (is_float(dtype)) {
		if (a->f != b->f)
			return a->f < b->f ? -1 : 1;
		if ((mode & KTE_MODE_ZERO_ORDERED) && a->f == 0)
			return (__builtin_signbit(b->f) != 0) - (__builtin_signbit(a->f) != 0);
		return 0;
	}
	if (mode & KTE_MODE_UNSIGNED)
		return a->i == b->i ? 0 : a->i < b->i ? -1 : 1;
	if (signed_of(dtype, a->i) == signed_of(dtype, b->i))
		return 0;
	return signed_of(dtype, a->i) < signed_of(dtype, b->i) ? -1 : 1;
}

static bool lower_index(const struct kt_fold_value *a, const struct kt_fold_value *b,
			uint8_t mode, uint8_t dtype)
{
	if (mode & KTE_MODE_INDEX_UNSIGNED)
		return b->index < a->index;
	return signed_of(dtype, b->index) < signed_of(dtype, a->index);
}

/* Whether the next contribution @b replaces @a. */
static bool takes_next(const struct kt_fold_value *a, const struct kt_fold_value *b, uint8_t op,
		       uint8_t mode, uint8_t dtype, uint8_t index_dtype)
{
	bool a_nan = is_float(dtype) && a->f != a->f, b_nan = is_float(dtype) && b->f != b->f;
	unsigned int nan = mode & KTE_MODE_NAN_MASK;
	int c;

	if (a_nan && b_nan)
		return nan == KTE_MODE_NAN_RHS;
	if (a_nan)
		return nan == KTE_MODE_NAN_NUMBER || nan == KTE_MODE_NAN_RHS;
	if (b_nan)
		return nan == KTE_MODE_NAN_PROPAGATE || nan == KTE_MODE_NAN_RHS;
	c = compare(a, b, mode, dtype);
	if (c)
		return (op == KTE_OP_MIN || op == KTE_OP_ARGMIN) == (c > 0);
	switch (mode & KTE_MODE_TIE_MASK) {
	case KTE_MODE_TIE_LAST:
		return true;
	case KTE_MODE_TIE_LOWER:
		return lower_index(a, b, mode, index_dtype);
	case KTE_MODE_TIE_LOWER_LAST:
		return !lower_index(b, a, mode, index_dtype);
	default:
		return false;
	}
}

void kt_fold_add(struct kt_fold_value *v, uint8_t op, uint8_t mode, uint8_t dtype,
		 const uint8_t *elem, uint8_t index_dtype, const uint8_t *index)
{
	struct kt_fold_value next;

	kt_fold_begin(&next, dtype, elem, index_dtype, index);
	switch (op) {
	case KTE_OP_ADD:
	case KTE_OP_MUL:
		if (is_float(dtype))
			v->f = arith(dtype, op, v->f, next.f);
		v->i = op == KTE_OP_ADD ? v->i + next.i : v->i * next.i;
		break;
	case KTE_OP_AND:
		v->i &= next.i;
		break;
	case KTE_OP_OR:
		v->i |= next.i;
		break;
	case KTE_OP_XOR:
		v->i ^= next.i;
		break;
	default:
		if (takes_next(v, &next, op, mode, dtype, index_dtype))
			*v = next;
		break;
	}
}

void kt_fold_end(const struct kt_fold_value *v, uint8_t dtype, uint8_t *elem,
		 uint8_t index_dtype, uint8_t *index)
{
	uint64_t bits = v->i;

	switch (dtype) {
	case KTE_DT_F16:
		bits = to_fields(v->f, 5, 10);
		break;
	case KTE_DT_BF16:
		bits = to_fields(v->f, 8, 7);
		break;
	case KTE_DT_F32:
		bits = to_fields(v->f, 8, 23);
		break;
	case KTE_DT_F64:
		memcpy(&bits, &v->f, sizeof(bits));
		if (v->f != v->f)
			bits = 0x7ff8000000000000ull;
		break;
	default:
		break;
	}
	memcpy(elem, &bits, kte_dtype_bytes(dtype));
	if (index)
		memcpy(index, &v->index, kte_dtype_bytes(index_dtype));
}
