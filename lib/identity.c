// SPDX-License-Identifier: MIT
/*
 * Identity operands: the constant behind one, and whether it is neutral for a fold.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "combiner.h"

#define MAX_STEPS	64	/* ops looked through between an identity and its constant */

/* Ops whose result holds the elements of operand 0 and nothing else. */
static bool keeps_elements(const struct kt_op *op)
{
	static const char *const names[] = {
		"linalg.fill", "linalg.copy", "linalg.broadcast", "tensor.splat", "tensor.cast",
		"tensor.expand_shape", "tensor.collapse_shape", "tensor.reshape",
		"tensor.extract_slice",
	};
	unsigned int i;

	for (i = 0; i < KT_ARRAY_SIZE(names); i++)
		if (!strcmp(op->name, names[i]))
			return op->n_operands > 0;
	return false;
}

static const struct kt_op *find_constant(const struct kt_value *v)
{
	unsigned int i;

	for (i = 0; v && v->def && i < MAX_STEPS; i++) {
		if (v->def->kind == KT_OP_CONSTANT)
			return v->def;
		if (!keeps_elements(v->def))
			return NULL;
		v = v->def->operands[0].value;
	}
	return NULL;
}

/* --- floats ------------------------------------------------------------------------- */

/* Largest finite value, and the least number that rounds to infinity. */
struct float_limits {
	double max, inf_from;
};

static const struct float_limits *limits_of(uint8_t dtype)
{
	static const struct float_limits limits[] = {
		[KTE_DT_F16] = { 65504.0, 65520.0 },
		[KTE_DT_BF16] = { 0x1.fep127, 0x1.ffp127 },
		[KTE_DT_F32] = { 0x1.fffffep127, 0x1.ffffffp127 },
		[KTE_DT_F64] = { 0x1.fffffffffffffp1023, INFINITY },
	};

	return &limits[dtype];
}

/* The value as the type holds it, as far as neutrality goes: infinities are made. */
static double rounded(double v, const struct float_limits *lim)
{
	return v >= lim->inf_from ? INFINITY : v <= -lim->inf_from ? -INFINITY : v;
}

/* The finite extreme, allowing for decimal spellings that round to it. */
static bool finite_extreme(double v, const struct float_limits *lim, bool low)
{
	const double near = 0x0.fffp0;	/* 1 - 2^-12, below the last place of f16 */

	return (low ? -v : v) >= lim->max * near;
}

static enum kt_neutral judge_float(double v, const struct kt_fold *f, uint8_t dtype)
{
	const struct float_limits *lim = limits_of(dtype);
	bool max = f->op == KTE_OP_MAX || f->op == KTE_OP_ARGMAX;

	v = rounded(v, lim);
	switch (f->op) {
	case KTE_OP_ADD:
		return v == 0 ? KT_NEUTRAL_YES : KT_NEUTRAL_NO;
	case KTE_OP_MUL:
		return v == 1 ? KT_NEUTRAL_YES : KT_NEUTRAL_NO;
	default:
		break;
	}
	if (isnan(v))	/* a NaN loses against any number where numbers are taken */
		return (f->mode & KTE_MODE_NAN_MASK) == KTE_MODE_NAN_NUMBER ?
		       KT_NEUTRAL_YES : KT_NEUTRAL_NO;
	if (isinf(v))
		return (v < 0) == max ? KT_NEUTRAL_YES : KT_NEUTRAL_NO;
	return finite_extreme(v, lim, max) ? KT_NEUTRAL_FINITE : KT_NEUTRAL_NO;
}

/* --- integers ----------------------------------------------------------------------- */

static int64_t neutral_int(const struct kt_fold *f, unsigned int bits)
{
	int64_t min = (int64_t)(UINT64_MAX << (bits - 1)), max = ~min;
	bool uns = f->mode & KTE_MODE_UNSIGNED;

	switch (f->op) {
	case KTE_OP_MUL:
		return 1;
	case KTE_OP_AND:
		return -1;
	case KTE_OP_MAX:
	case KTE_OP_ARGMAX:
		return uns ? 0 : min;
	case KTE_OP_MIN:
	case KTE_OP_ARGMIN:
		return uns ? -1 : max;
	default:
		return 0;
	}
}

/* The low bits as a signed number: 255 and -1 are one i8. */
static int64_t cut(int64_t v, unsigned int bits)
{
	unsigned int shift = 64 - bits;

	return (int64_t)((uint64_t)v << shift) >> shift;
}

/* --- what to say -------------------------------------------------------------------- */

static bool is_float(uint8_t dtype)
{
	return dtype >= KTE_DT_F16 && dtype <= KTE_DT_F64;
}

/* Infinities have no decimal spelling in the text form. */
static const char *inf_text(uint8_t dtype, bool negative)
{
	static const char *const text[][2] = {
		[KTE_DT_F16] = { "0x7C00", "0xFC00" },
		[KTE_DT_BF16] = { "0x7F80", "0xFF80" },
		[KTE_DT_F32] = { "0x7F800000", "0xFF800000" },
		[KTE_DT_F64] = { "0x7FF0000000000000", "0xFFF0000000000000" },
	};

	return text[dtype][negative];
}

static const char *neutral_text(struct kt_arena *a, const struct kt_fold *f, uint8_t dtype)
{
	char buf[32];

	if (!is_float(dtype)) {
		snprintf(buf, sizeof(buf), "%lld",
			 (long long)neutral_int(f, 8 * kte_dtype_bytes(dtype)));
		return kt_strndup(a, buf, strlen(buf));
	}
	if (f->op == KTE_OP_ADD)
		return "0.0";
	if (f->op == KTE_OP_MUL)
		return "1.0";
	return inf_text(dtype, f->op == KTE_OP_MAX || f->op == KTE_OP_ARGMAX);
}

enum kt_neutral kt_identity_neutral(struct kt_arena *a, const struct kt_value *v,
				    const struct kt_fold *fold, uint8_t dtype,
				    const struct kt_attr **constant, const char **neutral)
{
	const struct kt_op *op = find_constant(v);
	const struct kt_attr *attr = op ? kt_op_attr(op, "value") : NULL;
	unsigned int bits = 8 * kte_dtype_bytes(dtype);

	*constant = attr;
	*neutral = NULL;
	if (!attr || !bits)
		return KT_NEUTRAL_UNKNOWN;
	*neutral = neutral_text(a, fold, dtype);
	if (attr->mixed)	/* there is one neutral value, and the elements differ */
		return KT_NEUTRAL_NO;
	if (is_float(dtype))
		return attr->kind == KT_AT_FLOAT ? judge_float(attr->f, fold, dtype) :
						   KT_NEUTRAL_UNKNOWN;
	if (attr->kind != KT_AT_INT)
		return KT_NEUTRAL_UNKNOWN;
	return cut(attr->i, bits) == neutral_int(fold, bits) ? KT_NEUTRAL_YES : KT_NEUTRAL_NO;
}
