/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Fold kernels, compiled once per instruction set. The including file defines
 *	KTE_FOLD_FIND_NAME	the function to define, see fold.h
 *	KTE_FOLD_VEC		bytes of a vector: what compares without being taken apart
 *	KTE_F16C		optional: the F16C instructions may be used (32-byte vectors)
 *
 * Every kernel keeps a few vectors of accumulators in registers while it goes over
 * a group of contributions. Element order within a vector never matters: no
 * operation crosses elements. Multiplication and addition are separate statements
 * of separate kernels, so nothing can be contracted.
 */
#ifndef KTE_FOLD_BODY_H
#define KTE_FOLD_BODY_H

#include "fold.h"

#define KTE_INLINE static inline __attribute__((always_inline))
#define KTE_VEC(name, type) \
	typedef type name __attribute__((vector_size(KTE_FOLD_VEC), aligned(1), may_alias))

KTE_VEC(vi8, int8_t);
KTE_VEC(vi16, int16_t);
KTE_VEC(vi32, int32_t);
KTE_VEC(vi64, int64_t);
KTE_VEC(vu8, uint8_t);
KTE_VEC(vu16, uint16_t);
KTE_VEC(vu32, uint32_t);
KTE_VEC(vu64, uint64_t);
KTE_VEC(vf32, float);
KTE_VEC(vf64, double);
typedef uint16_t vh __attribute__((vector_size(KTE_FOLD_VEC / 2), aligned(1), may_alias));

/* What the mode bits of a float MIN or MAX select, as 0 or ~0. */
struct fold_rules {
	int32_t last;		/* rhs stays in a tie */
	int32_t zero;		/* -0 < +0 */
	int32_t lhs_nan;	/* rhs stays if only lhs is a NaN */
	int32_t rhs_nan;	/* ... only rhs */
	int32_t both_nan;
};

KTE_INLINE struct fold_rules rules_of(uint32_t mode)
{
	const uint32_t nan = mode & KTE_MODE_NAN_MASK;

	return (struct fold_rules){
		.last = -(int32_t)((mode & KTE_MODE_TIE_MASK) == KTE_MODE_TIE_LAST),
		.zero = -(int32_t)!!(mode & KTE_MODE_ZERO_ORDERED),
		.lhs_nan = -(int32_t)(nan == KTE_MODE_NAN_NUMBER || nan == KTE_MODE_NAN_RHS),
		.rhs_nan = -(int32_t)(nan == KTE_MODE_NAN_PROPAGATE || nan == KTE_MODE_NAN_RHS),
		.both_nan = -(int32_t)(nan == KTE_MODE_NAN_RHS),
	};
}

#define OP_ADD(a, b)	((a) + (b))
#define OP_MUL(a, b)	((a) * (b))
#define OP_AND(a, b)	((a) & (b))
#define OP_OR(a, b)	((a) | (b))
#define OP_XOR(a, b)	((a) ^ (b))

/* One of two, by an all-ones mask. */
#define PICK(V, I, mask, b, a) ((V)(((I)(b) & (mask)) | ((I)(a) & ~(mask))))

#define INT_MIN_OF(V, U, a, b) PICK(V, U, (U)((b) < (a)), b, a)
#define INT_MAX_OF(V, U, a, b) PICK(V, U, (U)((b) > (a)), b, a)

/* Float MIN or MAX by the rules: @better is < or >, @zero_b tells whether b wins -0, +0. */
#define DEFINE_FLOAT_SELECT(name, V, I, shift, better, zero_b)			\
KTE_INLINE V name(V a, V b, const struct fold_rules *r)				\
{										\
	const I eq = (I)(a == b), an = (I)(a != a), bn = (I)(b != b);		\
	const I sa = (I)a >> shift, sb = (I)b >> shift;				\
	const I ordered = (sa ^ sb) & r->zero;					\
	I take = (I)(b better a) | (eq & ordered & (zero_b)) | (eq & ~ordered & r->last); \
										\
	take |= (an & ~bn & r->lhs_nan) | (bn & ~an & r->rhs_nan) | (an & bn & r->both_nan); \
	return PICK(V, I, take, b, a);						\
}
DEFINE_FLOAT_SELECT(min_of_f32, vf32, vi32, 31, <, sb & ~sa)
DEFINE_FLOAT_SELECT(max_of_f32, vf32, vi32, 31, >, sa & ~sb)
DEFINE_FLOAT_SELECT(min_of_f64, vf64, vi64, 63, <, sb & ~sa)
DEFINE_FLOAT_SELECT(max_of_f64, vf64, vi64, 63, >, sa & ~sb)

KTE_INLINE vf32 quiet_f32(vf32 a)
{
	const vi32 nan = (vi32)(a != a);

	return PICK(vf32, vi32, nan, (vi32){ 0 } + 0x7fc00000, a);
}

KTE_INLINE vf64 quiet_f64(vf64 a)
{
	const vi64 nan = (vi64)(a != a);

	return PICK(vf64, vi64, nan, (vi64){ 0 } + 0x7ff8000000000000ll, a);
}

/* Loads and stores: a vector of elements to accumulators and back. */
#define DEFINE_PLAIN_IO(name, V)						\
KTE_INLINE V load_##name(const uint8_t *p)					\
{										\
	return *(const V *)p;							\
}										\
KTE_INLINE void store_##name(uint8_t *p, V v)					\
{										\
	*(V *)p = v;								\
}

DEFINE_PLAIN_IO(i8, vi8)
DEFINE_PLAIN_IO(i16, vi16)
DEFINE_PLAIN_IO(i32, vi32)
DEFINE_PLAIN_IO(i64, vi64)
DEFINE_PLAIN_IO(u8, vu8)
DEFINE_PLAIN_IO(u16, vu16)
DEFINE_PLAIN_IO(u32, vu32)
DEFINE_PLAIN_IO(u64, vu64)

KTE_INLINE vf32 load_f32(const uint8_t *p)
{
	return *(const vf32 *)p;
}

KTE_INLINE void store_f32(uint8_t *p, vf32 v)
{
	*(vf32 *)p = quiet_f32(v);
}

KTE_INLINE vf64 load_f64(const uint8_t *p)
{
	return *(const vf64 *)p;
}

KTE_INLINE void store_f64(uint8_t *p, vf64 v)
{
	*(vf64 *)p = quiet_f64(v);
}

#ifdef KTE_F16C
KTE_INLINE vf32 load_f16(const uint8_t *p)
{
	return (vf32)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
}

KTE_INLINE void store_f16(uint8_t *p, vf32 v)
{
	_mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph((__m256)quiet_f32(v),
						       _MM_FROUND_TO_NEAREST_INT));
}
#else
/*
 * The same for four elements. Shifted to the exponent's place a half is 2^-112 of
 * its value, subnormals included; only infinities and NaNs need another exponent.
 */
KTE_INLINE vf32 load_f16(const uint8_t *p)
{
	const vh h = *(const vh *)p;
	const vu32 high = (vu32)__builtin_shufflevector((vh){ 0 }, h, 0, 4, 1, 5, 2, 6, 3, 7);
	const vu32 sign = high & 0x80000000u, abs = (high ^ sign) >> 3;
	const vu32 top = (vu32)((vi32)abs > 0x0f7fffff) & 0x7f800000u;

	return (vf32)((vu32)((vf32)abs * 0x1p112f) | top | sign);
}

KTE_INLINE void store_f16(uint8_t *p, vf32 v)
{
	const vu32 bits = (vu32)quiet_f32(v), sign = bits & 0x80000000u, abs = bits ^ sign;
	const vu32 nan = (vu32)((vi32)abs > (vi32)((vu32){ 0 } + 0x7f800000u));
	const vu32 big = (vu32)((vi32)abs >= 0x477ff000), low = (vu32)((vi32)abs < 0x38800000);
	const vu32 normal = (abs - (112u << 23) + 0xfff + (abs >> 13 & 1)) >> 13;
	/* 0.5 has its last place at 2^-24, the unit of f16 subnormals. */
	const vu32 sub = (vu32)((vf32)abs + 0.5f) - 0x3f000000u;
	vu32 h = (low & sub) | (~low & ~big & normal) | (big & 0x7c00);

	h |= nan & 0x7e00;
	h |= sign >> 16;
	*(vh *)p = __builtin_convertvector(h, vh);
}
#endif

KTE_INLINE vf32 load_bf16(const uint8_t *p)
{
	return (vf32)(__builtin_convertvector(*(const vh *)p, vu32) << 16);
}

KTE_INLINE void store_bf16(uint8_t *p, vf32 v)
{
	const vu32 bits = (vu32)quiet_f32(v), nan = (vu32)(v != v);
	const vu32 round = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
	const vu32 h = (nan & 0x7fc0) | (~nan & round);

	*(vh *)p = __builtin_convertvector(h, vh);
}

/*
 * A kernel: V accumulator vector, W elements in it, E bytes of an element, IO the
 * load and store to use, STEP what a contribution does. Four vectors at a time;
 * what is left goes through a padded copy.
 */
#define DEFINE_FOLD(name, V, W, E, IO, STEP)					\
KTE_INLINE void name##_at(const struct kte_fold_job *j, const struct fold_rules *r, \
			  const uint8_t *const *in, V *acc, uint8_t *out)	\
{										\
	uint32_t c = 0;								\
	V v;									\
										\
	(void)r;								\
	v = j->first ? load_##IO(in[c++]) : *acc;				\
	for (; c < j->n_in; c++) {						\
		const V b = load_##IO(in[c]);					\
										\
		v = STEP;							\
	}									\
	if (j->last)								\
		store_##IO(out, v);						\
	else									\
		*acc = v;							\
}										\
										\
static void name##_tail(const struct kte_fold_job *j, const struct fold_rules *r, size_t i) \
{										\
	const uint8_t *in[KTE_FOLD_GROUP];					\
	uint8_t pad[KTE_FOLD_GROUP][(E) * (W)], res[(E) * (W)];		\
	size_t left = j->n - i < (W) ? j->n - i : (W), n = left * (E);		\
	V acc = { 0 };								\
	uint32_t c;								\
										\
	memset(pad, 0, sizeof(pad));						\
	for (c = 0; c < KTE_FOLD_GROUP; c++) {					\
		in[c] = pad[c];							\
		if (c < j->n_in)						\
			memcpy(pad[c], j->in[0][c] + i * (E), n);		\
	}									\
	if (!j->first)								\
		memcpy(&acc, (uint8_t *)j->acc[0] + i * (sizeof(V) / (W)),	\
		       left * (sizeof(V) / (W)));				\
	name##_at(j, r, in, &acc, res);						\
	if (j->last)								\
		memcpy(j->out[0] + i * (E), res, n);				\
	else									\
		memcpy((uint8_t *)j->acc[0] + i * (sizeof(V) / (W)), &acc,	\
		       left * (sizeof(V) / (W)));				\
}										\
										\
static void name(const struct kte_fold_job *j)					\
{										\
	const struct fold_rules rules = rules_of(j->mode), *r = &rules;		\
	uint8_t *accs = j->acc[0];						\
	size_t i = 0;								\
										\
	for (; i + 4 * (W) <= j->n; i += 4 * (W)) {				\
		V *acc = (V *)(accs + i * (sizeof(V) / (W)));			\
		uint32_t c = 0;							\
		V v0, v1, v2, v3;						\
										\
		if (j->first) {							\
			const uint8_t *p = j->in[0][c++] + i * (E);		\
										\
			v0 = load_##IO(p);					\
			v1 = load_##IO(p + (E) * (W));				\
			v2 = load_##IO(p + 2 * (E) * (W));			\
			v3 = load_##IO(p + 3 * (E) * (W));			\
		} else {							\
			v0 = acc[0];						\
			v1 = acc[1];						\
			v2 = acc[2];						\
			v3 = acc[3];						\
		}								\
		for (; c < j->n_in; c++) {					\
			const uint8_t *p = j->in[0][c] + i * (E);		\
			V v, b;							\
										\
			v = v0, b = load_##IO(p), v0 = STEP;			\
			v = v1, b = load_##IO(p + (E) * (W)), v1 = STEP;	\
			v = v2, b = load_##IO(p + 2 * (E) * (W)), v2 = STEP;	\
			v = v3, b = load_##IO(p + 3 * (E) * (W)), v3 = STEP;	\
		}								\
		if (j->last) {							\
			uint8_t *out = j->out[0] + i * (E);			\
										\
			store_##IO(out, v0);					\
			store_##IO(out + (E) * (W), v1);			\
			store_##IO(out + 2 * (E) * (W), v2);			\
			store_##IO(out + 3 * (E) * (W), v3);			\
		} else {							\
			acc[0] = v0;						\
			acc[1] = v1;						\
			acc[2] = v2;						\
			acc[3] = v3;						\
		}								\
	}									\
	for (; i < j->n; i += (W))						\
		name##_tail(j, r, i);						\
}

#define DEFINE_INT_FOLDS(bits, W)						\
	DEFINE_FOLD(i##bits##_add, vu##bits, W, bits / 8, u##bits, OP_ADD(v, b))	\
	DEFINE_FOLD(i##bits##_mul, vu##bits, W, bits / 8, u##bits, OP_MUL(v, b))	\
	DEFINE_FOLD(i##bits##_and, vu##bits, W, bits / 8, u##bits, OP_AND(v, b))	\
	DEFINE_FOLD(i##bits##_or, vu##bits, W, bits / 8, u##bits, OP_OR(v, b))	\
	DEFINE_FOLD(i##bits##_xor, vu##bits, W, bits / 8, u##bits, OP_XOR(v, b))	\
	DEFINE_FOLD(i##bits##_min, vi##bits, W, bits / 8, i##bits,		\
		    INT_MIN_OF(vi##bits, vu##bits, v, b))			\
	DEFINE_FOLD(i##bits##_max, vi##bits, W, bits / 8, i##bits,		\
		    INT_MAX_OF(vi##bits, vu##bits, v, b))			\
	DEFINE_FOLD(u##bits##_min, vu##bits, W, bits / 8, u##bits,		\
		    INT_MIN_OF(vu##bits, vu##bits, v, b))			\
	DEFINE_FOLD(u##bits##_max, vu##bits, W, bits / 8, u##bits,		\
		    INT_MAX_OF(vu##bits, vu##bits, v, b))

#define DEFINE_FLOAT_FOLDS(name, V, W, E, sel)					\
	DEFINE_FOLD(name##_add, V, W, E, name, OP_ADD(v, b))			\
	DEFINE_FOLD(name##_mul, V, W, E, name, OP_MUL(v, b))			\
	DEFINE_FOLD(name##_min, V, W, E, name, min_of_##sel(v, b, r))		\
	DEFINE_FOLD(name##_max, V, W, E, name, max_of_##sel(v, b, r))

DEFINE_INT_FOLDS(8, KTE_FOLD_VEC / 1)
DEFINE_INT_FOLDS(16, KTE_FOLD_VEC / 2)
DEFINE_INT_FOLDS(32, KTE_FOLD_VEC / 4)
DEFINE_INT_FOLDS(64, KTE_FOLD_VEC / 8)
DEFINE_FLOAT_FOLDS(f16, vf32, KTE_FOLD_VEC / 4, 2, f32)
DEFINE_FLOAT_FOLDS(bf16, vf32, KTE_FOLD_VEC / 4, 2, f32)
DEFINE_FLOAT_FOLDS(f32, vf32, KTE_FOLD_VEC / 4, 4, f32)
DEFINE_FLOAT_FOLDS(f64, vf64, KTE_FOLD_VEC / 8, 8, f64)

#define FLOAT_ROW(name) { [KTE_OP_ADD] = name##_add, [KTE_OP_MUL] = name##_mul,	\
	[KTE_OP_MIN] = name##_min, [KTE_OP_MAX] = name##_max }
#define INT_ROW(bits) { [KTE_OP_ADD] = i##bits##_add, [KTE_OP_MUL] = i##bits##_mul, \
	[KTE_OP_MIN] = i##bits##_min, [KTE_OP_MAX] = i##bits##_max,		\
	[KTE_OP_AND] = i##bits##_and, [KTE_OP_OR] = i##bits##_or,		\
	[KTE_OP_XOR] = i##bits##_xor }
#define UINT_ROW(bits) { [KTE_OP_MIN] = u##bits##_min, [KTE_OP_MAX] = u##bits##_max }

static const kte_fold_fn fold_table[KTE_DT_COUNT][KTE_OP_COUNT] = {
	[KTE_DT_F16] = FLOAT_ROW(f16),
	[KTE_DT_BF16] = FLOAT_ROW(bf16),
	[KTE_DT_F32] = FLOAT_ROW(f32),
	[KTE_DT_F64] = FLOAT_ROW(f64),
	[KTE_DT_I8] = INT_ROW(8),
	[KTE_DT_I16] = INT_ROW(16),
	[KTE_DT_I32] = INT_ROW(32),
	[KTE_DT_I64] = INT_ROW(64),
};

static const kte_fold_fn unsigned_table[KTE_DT_COUNT][KTE_OP_COUNT] = {
	[KTE_DT_I8] = UINT_ROW(8),
	[KTE_DT_I16] = UINT_ROW(16),
	[KTE_DT_I32] = UINT_ROW(32),
	[KTE_DT_I64] = UINT_ROW(64),
};

kte_fold_fn KTE_FOLD_FIND_NAME(uint32_t op, uint32_t mode, uint32_t dtype)
{
	if (op >= KTE_OP_COUNT || dtype >= KTE_DT_COUNT)
		return NULL;
	if (op == KTE_OP_ARGMIN || op == KTE_OP_ARGMAX)
		return kte_fold_arg;
	if ((mode & KTE_MODE_UNSIGNED) && unsigned_table[dtype][op])
		return unsigned_table[dtype][op];
	return fold_table[dtype][op];
}

#endif /* KTE_FOLD_BODY_H */
