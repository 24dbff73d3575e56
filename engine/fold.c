// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * ARGMIN and ARGMAX: pairs of a value and an index, of any types. Values of a
 * block are widened to double (exact for every float type) or to 64-bit integers.
 */
#include "fold.h"

/* A value ready to compare, and the bits it came from. */
union wide {
	double f;
	int64_t i;
	uint64_t u;
};

static bool is_float(uint32_t dtype)
{
	return dtype >= KTE_DT_F16 && dtype <= KTE_DT_F64;
}

static uint64_t raw_at(const uint8_t *p, uint32_t bytes)
{
	uint64_t v = 0;

	memcpy(&v, p, bytes);
	return v;
}

static int64_t sign_extend(uint64_t v, uint32_t bytes)
{
	uint32_t shift = 64 - 8 * bytes;

	return (int64_t)(v << shift) >> shift;
}

static union wide widen(uint64_t raw, uint32_t dtype, bool is_unsigned)
{
	union wide w = { .u = raw };
	uint32_t low = raw;
	float f;

	switch (dtype) {
	case KTE_DT_F16:
		w.f = kte_f16_to_f32(raw);
		break;
	case KTE_DT_BF16:
		w.f = kte_bf16_to_f32(raw);
		break;
	case KTE_DT_F32:
		memcpy(&f, &low, sizeof(f));
		w.f = f;
		break;
	case KTE_DT_F64:
		memcpy(&w.f, &raw, sizeof(w.f));
		break;
	default:
		if (!is_unsigned)
			w.i = sign_extend(raw, kte_dtype_bytes(dtype));
	}
	return w;
}

static bool lower_index(uint32_t mode, uint64_t lhs, uint64_t rhs, uint32_t bytes)
{
	if (mode & KTE_MODE_INDEX_UNSIGNED)
		return rhs < lhs;
	return sign_extend(rhs, bytes) < sign_extend(lhs, bytes);
}

/* Whether rhs stays where the values compare equal. */
static bool tie_takes(uint32_t mode, uint64_t lhs, uint64_t rhs, const uint8_t *dtype)
{
	switch (mode & KTE_MODE_TIE_MASK) {
	case KTE_MODE_TIE_LAST:
		return true;
	case KTE_MODE_TIE_LOWER:
		return lower_index(mode, lhs, rhs, kte_dtype_bytes(dtype[1]));
	case KTE_MODE_TIE_LOWER_LAST:
		return !lower_index(mode, rhs, lhs, kte_dtype_bytes(dtype[1]));
	default:
		return false;
	}
}

static bool nan_takes(uint32_t mode, bool lhs_nan, bool rhs_nan)
{
	switch (mode & KTE_MODE_NAN_MASK) {
	case KTE_MODE_NAN_PROPAGATE:
		return rhs_nan && !lhs_nan;
	case KTE_MODE_NAN_NUMBER:
		return lhs_nan && !rhs_nan;
	case KTE_MODE_NAN_RHS:
		return true;
	default:
		return false;
	}
}

/* Whether rhs replaces lhs, values and indices given as bits. */
static bool takes(const struct kte_fold_job *j, const uint64_t *lhs, const uint64_t *rhs)
{
	const bool uns = j->mode & KTE_MODE_UNSIGNED, max = j->op == KTE_OP_ARGMAX;
	const union wide a = widen(lhs[0], j->dtype[0], uns), b = widen(rhs[0], j->dtype[0], uns);
	bool less, more;

	if (!is_float(j->dtype[0])) {
		less = uns ? b.u < a.u : b.i < a.i;
		more = uns ? b.u > a.u : b.i > a.i;
	} else {
		if (a.f != a.f || b.f != b.f)
			return nan_takes(j->mode, a.f != a.f, b.f != b.f);
		less = b.f < a.f;
		more = b.f > a.f;
		if (!less && !more && (j->mode & KTE_MODE_ZERO_ORDERED)) {
			less = b.u >> 63 && !(a.u >> 63);
			more = a.u >> 63 && !(b.u >> 63);
		}
	}
	if (less || more)
		return max ? more : less;
	return tie_takes(j->mode, lhs[1], rhs[1], j->dtype);
}

/* The value's bits, a NaN made canonical. */
static uint64_t quiet(uint64_t raw, uint32_t dtype)
{
	static const uint64_t nan[] = {
		[KTE_DT_F16] = 0x7e00, [KTE_DT_BF16] = 0x7fc0,
		[KTE_DT_F32] = 0x7fc00000, [KTE_DT_F64] = 0x7ff8000000000000ull,
	};
	double f;

	if (!is_float(dtype))
		return raw;
	f = widen(raw, dtype, false).f;
	return f != f ? nan[dtype] : raw;
}

void kte_fold_arg(const struct kte_fold_job *j)
{
	uint64_t *value = j->acc[0], *index = j->acc[1], lhs[2], rhs[2];
	const uint32_t vb = kte_dtype_bytes(j->dtype[0]), ib = kte_dtype_bytes(j->dtype[1]);
	uint32_t c;
	size_t i;

	for (i = 0; i < j->n; i++) {
		c = 0;
		if (j->first) {
			lhs[0] = raw_at(j->in[0][0] + i * vb, vb);
			lhs[1] = raw_at(j->in[1][0] + i * ib, ib);
			c = 1;
		} else {
			lhs[0] = value[i];
			lhs[1] = index[i];
		}
		for (; c < j->n_in; c++) {
			rhs[0] = raw_at(j->in[0][c] + i * vb, vb);
			rhs[1] = raw_at(j->in[1][c] + i * ib, ib);
			if (takes(j, lhs, rhs))
				memcpy(lhs, rhs, sizeof(lhs));
		}
		if (j->last) {
			lhs[0] = quiet(lhs[0], j->dtype[0]);
			memcpy(j->out[0] + i * vb, &lhs[0], vb);
			memcpy(j->out[1] + i * ib, &lhs[1], ib);
		} else {
			value[i] = lhs[0];
			index[i] = lhs[1];
		}
	}
}
