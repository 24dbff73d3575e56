/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Copy kernels, compiled once per instruction set (engine/exec_generic.c,
 * engine/exec_avx2.c): vector types of the compiler, so that every build moves
 * the same bytes. All of them write exactly the bytes
 * named; dealing out may read lanes nobody asked for.
 */
#ifndef KTE_COPY_BODY_H
#define KTE_COPY_BODY_H

#include "exec_prog.h"

#define KTE_INLINE static inline __attribute__((always_inline))

#define KTE_VEC(name, type, bytes) \
	typedef type name __attribute__((vector_size(bytes), aligned(1), may_alias))
KTE_VEC(v32_t, uint8_t, 32);
KTE_VEC(v16_t, uint8_t, 16);
KTE_VEC(w8x16_t, uint8_t, 16);
KTE_VEC(w16x8_t, uint16_t, 16);
KTE_VEC(w32x4_t, uint32_t, 16);
KTE_VEC(w64x2_t, uint64_t, 16);
typedef uint64_t u64_un __attribute__((aligned(1), may_alias));
typedef uint32_t u32_un __attribute__((aligned(1), may_alias));
typedef uint16_t u16_un __attribute__((aligned(1), may_alias));

#define MOVE_AS(type, d, s) (*(type *)(d) = *(const type *)(s))

/* 0..31 bytes; overlapping halves instead of a loop. */
KTE_INLINE void copy_tail(uint8_t *d, const uint8_t *s, size_t n)
{
	if (n >= 16) {
		v16_t a = *(const v16_t *)s, b = *(const v16_t *)(s + n - 16);

		*(v16_t *)d = a;
		*(v16_t *)(d + n - 16) = b;
	} else if (n >= 8) {
		uint64_t a = *(const u64_un *)s, b = *(const u64_un *)(s + n - 8);

		*(u64_un *)d = a;
		*(u64_un *)(d + n - 8) = b;
	} else if (n >= 4) {
		uint32_t a = *(const u32_un *)s, b = *(const u32_un *)(s + n - 4);

		*(u32_un *)d = a;
		*(u32_un *)(d + n - 4) = b;
	} else if (n >= 2) {
		uint16_t a = *(const u16_un *)s, b = *(const u16_un *)(s + n - 2);

		*(u16_un *)d = a;
		*(u16_un *)(d + n - 2) = b;
	} else if (n) {
		*d = *s;
	}
}

KTE_INLINE void copy_128(uint8_t *d, const uint8_t *s)
{
	v32_t a = *(const v32_t *)s, b = *(const v32_t *)(s + 32);
	v32_t c = *(const v32_t *)(s + 64), e = *(const v32_t *)(s + 96);

	*(v32_t *)d = a;
	*(v32_t *)(d + 32) = b;
	*(v32_t *)(d + 64) = c;
	*(v32_t *)(d + 96) = e;
}

KTE_INLINE void copy_256(uint8_t *d, const uint8_t *s)
{
	copy_128(d, s);
	copy_128(d + 128, s + 128);
}

KTE_INLINE void copy_bytes(uint8_t *d, const uint8_t *s, size_t n)
{
	for (; n >= 128; n -= 128, d += 128, s += 128)
		copy_128(d, s);
	for (; n >= 32; n -= 32, d += 32, s += 32)
		MOVE_AS(v32_t, d, s);
	if (n)
		copy_tail(d, s, n);
}

#ifdef KTE_STREAM_32
/* Past the caches; for working sets that do not fit them. Fence afterwards. */
static void copy_stream(uint8_t *d, const uint8_t *s, size_t n)
{
	size_t head = -(uintptr_t)d & 31;

	if (n < 256) {
		copy_bytes(d, s, n);
		return;
	}
	copy_tail(d, s, head);
	d += head;
	s += head;
	n -= head;
	for (; n >= 128; n -= 128, d += 128, s += 128) {
		KTE_STREAM_32(d, s);
		KTE_STREAM_32(d + 32, s + 32);
		KTE_STREAM_32(d + 64, s + 64);
		KTE_STREAM_32(d + 96, s + 96);
	}
	copy_bytes(d, s, n);
}
#else
#define copy_stream(d, s, n) copy_bytes(d, s, n)
#define KTE_STREAM_FENCE() ((void)0)
#endif

/* Where a strided copy is: next row of both sides. */
#define ROWS(body)						\
	do {							\
		for (; rows; rows--, d += ds, s += ss) {	\
			body;					\
		}						\
	} while (0)

/* Four rows per turn: loads first, so that they do not wait for the stores. */
#define ROWS_OF(type)							\
	do {								\
		for (; rows >= 4; rows -= 4, d += 4 * ds, s += 4 * ss) {	\
			type a = *(const type *)s, b = *(const type *)(s + ss);	\
			type c = *(const type *)(s + 2 * ss);		\
			type e = *(const type *)(s + 3 * ss);		\
									\
			*(type *)d = a;					\
			*(type *)(d + ds) = b;				\
			*(type *)(d + 2 * ds) = c;			\
			*(type *)(d + 3 * ds) = e;			\
		}							\
		ROWS(MOVE_AS(type, d, s));				\
	} while (0)

/* A run of two overlapping or adjacent parts of @type. */
#define ROWS_OF_TWO(type)						\
	do {								\
		const size_t o = run - sizeof(type);			\
									\
		ROWS(type a = *(const type *)s; type b = *(const type *)(s + o);	\
		     *(type *)d = a; *(type *)(d + o) = b);		\
	} while (0)

/* @rows runs of @run bytes. */
static void copy_rows(uint8_t *d, const uint8_t *s, size_t rows, size_t run, size_t ds, size_t ss)
{
	switch (run) {
	case 1:
		ROWS_OF(uint8_t);
		return;
	case 2:
		ROWS_OF(u16_un);
		return;
	case 4:
		ROWS_OF(u32_un);
		return;
	case 8:
		ROWS_OF(u64_un);
		return;
	case 16:
		ROWS_OF(v16_t);
		return;
	case 32:
		ROWS_OF(v32_t);
		return;
	case 128:
		ROWS(copy_128(d, s));
		return;
	}
	if (run < 4)
		ROWS_OF_TWO(u16_un);
	else if (run < 8)
		ROWS_OF_TWO(u32_un);
	else if (run < 16)
		ROWS_OF_TWO(u64_un);
	else if (run < 32)
		ROWS_OF_TWO(v16_t);
	else if (run <= 64)
		ROWS_OF_TWO(v32_t);
	else if (run < 4096)
		ROWS(copy_bytes(d, s, run));
	else
		ROWS(memcpy(d, s, run));
}

static void stream_rows(uint8_t *d, const uint8_t *s, size_t rows, size_t run, size_t ds, size_t ss)
{
	if (run < 256)
		copy_rows(d, s, rows, run, ds, ss);
	else
		ROWS(copy_stream(d, s, run));
}

/*
 * Perfect shuffles. @g vectors hold n = g * 16 / r items of r bytes; a stage sends
 * item i of the first half to 2i and item i of the second half to 2i + 1, which
 * rotates the binary index of every item by one. log2(g) stages interleave g
 * streams, log2(16 / r) stages take them apart again.
 */
#define ILV_LO_1(a, b) ((v16_t)__builtin_shufflevector((w8x16_t)(a), (w8x16_t)(b), \
	0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23))
#define ILV_HI_1(a, b) ((v16_t)__builtin_shufflevector((w8x16_t)(a), (w8x16_t)(b), \
	8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31))
#define ILV_LO_2(a, b) ((v16_t)__builtin_shufflevector((w16x8_t)(a), (w16x8_t)(b), \
	0, 8, 1, 9, 2, 10, 3, 11))
#define ILV_HI_2(a, b) ((v16_t)__builtin_shufflevector((w16x8_t)(a), (w16x8_t)(b), \
	4, 12, 5, 13, 6, 14, 7, 15))
#define ILV_LO_4(a, b) ((v16_t)__builtin_shufflevector((w32x4_t)(a), (w32x4_t)(b), 0, 4, 1, 5))
#define ILV_HI_4(a, b) ((v16_t)__builtin_shufflevector((w32x4_t)(a), (w32x4_t)(b), 2, 6, 3, 7))
#define ILV_LO_8(a, b) ((v16_t)__builtin_shufflevector((w64x2_t)(a), (w64x2_t)(b), 0, 2))
#define ILV_HI_8(a, b) ((v16_t)__builtin_shufflevector((w64x2_t)(a), (w64x2_t)(b), 1, 3))

#define DEFINE_STAGE(r)								\
KTE_INLINE void stage_##r(v16_t *v, unsigned int g)				\
{										\
	v16_t t[16];								\
	unsigned int i;								\
										\
	_Pragma("GCC unroll 8")							\
	for (i = 0; i < g / 2; i++) {						\
		t[2 * i] = ILV_LO_##r(v[i], v[i + g / 2]);			\
		t[2 * i + 1] = ILV_HI_##r(v[i], v[i + g / 2]);			\
	}									\
	_Pragma("GCC unroll 16")						\
	for (i = 0; i < g; i++)							\
		v[i] = t[i];							\
}
DEFINE_STAGE(1)
DEFINE_STAGE(2)
DEFINE_STAGE(4)
DEFINE_STAGE(8)

#define STAGES(r, v, g, count)							\
	do {									\
		if ((count) > 0)						\
			stage_##r(v, g);					\
		if ((count) > 1)						\
			stage_##r(v, g);					\
		if ((count) > 2)						\
			stage_##r(v, g);					\
		if ((count) > 3)						\
			stage_##r(v, g);					\
	} while (0)

#define LOG2(x) ((x) == 16 ? 4 : (x) == 8 ? 3 : (x) == 4 ? 2 : (x) == 2 ? 1 : 0)

#ifdef KTE_LANES
/*
 * The same in both halves of a 32-byte vector. zip: the low halves hold the first
 * half of the result. unzip: the halves are loaded half a block apart, so that
 * each vector ends up in order.
 */
#define DEFINE_LANE_STAGE(r, bits)						\
KTE_INLINE void lane_stage_##r(__m256i *v, unsigned int g)			\
{										\
	__m256i t[8];								\
	unsigned int i;								\
										\
	_Pragma("GCC unroll 4")							\
	for (i = 0; i < g / 2; i++) {						\
		t[2 * i] = _mm256_unpacklo_epi##bits(v[i], v[i + g / 2]);	\
		t[2 * i + 1] = _mm256_unpackhi_epi##bits(v[i], v[i + g / 2]);	\
	}									\
	_Pragma("GCC unroll 8")							\
	for (i = 0; i < g; i++)							\
		v[i] = t[i];							\
}
DEFINE_LANE_STAGE(1, 8)
DEFINE_LANE_STAGE(2, 16)
DEFINE_LANE_STAGE(4, 32)
DEFINE_LANE_STAGE(8, 64)

#define LANE_STAGES(r, v, g, count)						\
	do {									\
		if ((count) > 0)						\
			lane_stage_##r(v, g);					\
		if ((count) > 1)						\
			lane_stage_##r(v, g);					\
		if ((count) > 2)						\
			lane_stage_##r(v, g);					\
		if ((count) > 3)						\
			lane_stage_##r(v, g);					\
	} while (0)

/* Two streams: one shuffle of bytes brings the items of each together. */
KTE_INLINE __m256i pair_mask(unsigned int r)
{
	const __m128i one = _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
	const __m128i two = _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
	const __m128i four = _mm_setr_epi8(0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15);

	return _mm256_broadcastsi128_si256(r == 1 ? one : r == 2 ? two : four);
}

KTE_INLINE void deal_pair(__m256i *v, unsigned int r)
{
	const __m256i mask = pair_mask(r);

	v[0] = _mm256_shuffle_epi8(v[0], mask);
	v[1] = _mm256_shuffle_epi8(v[1], mask);
	lane_stage_8(v, 2);
}

#define ZIP_WIDE(r, g, d, s, at, n)						\
	for (; n >= 32 / r; n -= 32 / r, at += 32, d += 32 * g) {		\
		__m256i w[8];							\
										\
		_Pragma("GCC unroll 8")						\
		for (i = 0; i < g; i++)						\
			w[i] = _mm256_loadu_si256((const __m256i *)(s[i] + at));	\
		LANE_STAGES(r, w, g, LOG2(g));					\
		_Pragma("GCC unroll 4")						\
		for (i = 0; i < g / 2; i++) {					\
			__m256i a = w[2 * i], b = w[2 * i + 1];			\
			__m256i *out = (__m256i *)(d + 32 * i);			\
										\
			_mm256_storeu_si256(out, _mm256_permute2x128_si256(a, b, 0x20)); \
			_mm256_storeu_si256(out + g / 2,			\
					    _mm256_permute2x128_si256(a, b, 0x31));	\
		}								\
	}

#define UNZIP_WIDE(r, g, d, s, at, n)						\
	for (; n >= 32 / r + keep; n -= 32 / r, at += 32, s += 32 * g) {	\
		__m256i w[8];							\
										\
		_Pragma("GCC unroll 8")						\
		for (i = 0; i < g; i++)						\
			w[i] = _mm256_loadu2_m128i((const __m128i *)(s + 16 * (g + i)),	\
						   (const __m128i *)(s + 16 * i));	\
		if (g == 2 && r < 8)						\
			deal_pair(w, r);					\
		else								\
			LANE_STAGES(r, w, g, LOG2(16 / r));			\
		_Pragma("GCC unroll 8")						\
		for (i = 0; i < g; i++)						\
			UNZIP_STORE(__m256i_u, i, at, w[i]);			\
	}
#else
#define ZIP_WIDE(r, g, d, s, at, n)
#define UNZIP_WIDE(r, g, d, s, at, n)
#endif

/* @n items of @r bytes of each of @g streams at @s, interleaved to @d. */
#define DEFINE_ZIP(r, g)							\
static void zip_##r##_##g(uint8_t *d, const uint8_t *const *s, size_t n)	\
{										\
	size_t at = 0, j;							\
	unsigned int i;								\
	v16_t v[16];								\
										\
	ZIP_WIDE(r, g, d, s, at, n)						\
	for (; n >= 16 / r; n -= 16 / r, at += 16, d += 16 * g) {		\
		_Pragma("GCC unroll 16")					\
		for (i = 0; i < g; i++)						\
			v[i] = *(const v16_t *)(s[i] + at);			\
		STAGES(r, v, g, LOG2(g));					\
		_Pragma("GCC unroll 16")					\
		for (i = 0; i < g; i++)						\
			*(v16_t *)(d + 16 * i) = v[i];				\
	}									\
	for (j = 0; j < n; j++)							\
		for (i = 0; i < g; i++)						\
			memcpy(d + (j * g + i) * r, s[i] + at + j * r, r);	\
}

#define UNZIP_STORE(type, i, at, v)						\
	do {									\
		*(type *)(d[i] + (at)) = (v);					\
		if (twice)							\
			*(type *)(d[g_max + i] + (at)) = (v);			\
	} while (0)

/*
 * The inverse: @n items for each of @g streams at @d, dealt from @s; with @twice also
 * to the streams that follow those. Where fewer than @g are @wanted, the last item of
 * the others is not read: it may lie outside the window.
 */
#define DEFINE_UNZIP_TO(name, r, g, is_twice)					\
static void name(uint8_t *const *d, const uint8_t *s, size_t n, size_t wanted)	\
{										\
	const unsigned int g_max = g;						\
	const bool twice = is_twice;						\
	const size_t keep = wanted < g;						\
	size_t at = 0, j;							\
	unsigned int i;								\
	v16_t v[16];								\
										\
	UNZIP_WIDE(r, g, d, s, at, n)						\
	for (; n >= 16 / r + keep; n -= 16 / r, at += 16, s += 16 * g) {	\
		_Pragma("GCC unroll 16")					\
		for (i = 0; i < g; i++)						\
			v[i] = *(const v16_t *)(s + 16 * i);			\
		STAGES(r, v, g, LOG2(16 / r));					\
		_Pragma("GCC unroll 16")					\
		for (i = 0; i < g; i++)						\
			UNZIP_STORE(v16_t, i, at, v[i]);			\
	}									\
	for (j = 0; j < n; j++) {						\
		for (i = 0; i < wanted; i++) {					\
			memcpy(d[i] + at + j * r, s + (j * g + i) * r, r);	\
			if (twice)						\
				memcpy(d[g + i] + at + j * r, s + (j * g + i) * r, r); \
		}								\
	}									\
}
#define DEFINE_UNZIP(r, g)							\
	DEFINE_UNZIP_TO(unzip_##r##_##g, r, g, false)				\
	DEFINE_UNZIP_TO(unzip2_##r##_##g, r, g, true)

/* @rows x @cols items: the one at @s + i * r + j * ss goes to @d + i * ds + j * r. */
#define DEFINE_XPOSE(r, t)							\
static void xpose_##r(uint8_t *d, const uint8_t *s, size_t rows, size_t cols,	\
		      size_t ds, size_t ss)					\
{										\
	size_t i, j, k, l;							\
	v16_t v[16];								\
										\
	for (i = 0; i + t <= rows; i += t) {					\
		for (j = 0; j + t <= cols; j += t) {				\
			_Pragma("GCC unroll 16")				\
			for (k = 0; k < t; k++)					\
				v[k] = *(const v16_t *)(s + i * r + (j + k) * ss);	\
			STAGES(r, v, t, LOG2(t));				\
			_Pragma("GCC unroll 16")				\
			for (k = 0; k < t; k++)					\
				*(v16_t *)(d + (i + k) * ds + j * r) = v[k];	\
		}								\
		for (; j < cols; j++)						\
			for (k = i; k < i + t; k++)				\
				memcpy(d + k * ds + j * r, s + k * r + j * ss, r);	\
	}									\
	for (; i < rows; i++)							\
		for (l = 0; l < cols; l++)					\
			memcpy(d + i * ds + l * r, s + i * r + l * ss, r);	\
}

#define DEFINE_SHUFFLES(r)							\
	DEFINE_ZIP(r, 2)							\
	DEFINE_ZIP(r, 4)							\
	DEFINE_ZIP(r, 8)							\
	DEFINE_UNZIP(r, 2)							\
	DEFINE_UNZIP(r, 4)							\
	DEFINE_UNZIP(r, 8)
DEFINE_SHUFFLES(1)
DEFINE_SHUFFLES(2)
DEFINE_SHUFFLES(4)
DEFINE_SHUFFLES(8)
DEFINE_XPOSE(1, 16)
DEFINE_XPOSE(2, 8)
DEFINE_XPOSE(4, 4)
DEFINE_XPOSE(8, 2)

typedef void (*zip_fn)(uint8_t *d, const uint8_t *const *s, size_t n);
typedef void (*unzip_fn)(uint8_t *const *d, const uint8_t *s, size_t n, size_t wanted);
typedef void (*xpose_fn)(uint8_t *d, const uint8_t *s, size_t rows, size_t cols, size_t ds,
			 size_t ss);

/* By log2 of the run and log2 of the streams - 1. */
static const zip_fn zip_table[4][3] = {
	{ zip_1_2, zip_1_4, zip_1_8 },
	{ zip_2_2, zip_2_4, zip_2_8 },
	{ zip_4_2, zip_4_4, zip_4_8 },
	{ zip_8_2, zip_8_4, zip_8_8 },
};

#define UNZIP_ROWS(name)							\
	{									\
		{ name##_1_2, name##_1_4, name##_1_8 },				\
		{ name##_2_2, name##_2_4, name##_2_8 },				\
		{ name##_4_2, name##_4_4, name##_4_8 },				\
		{ name##_8_2, name##_8_4, name##_8_8 },				\
	}

/* The same, to one and to two destinations. */
static const unzip_fn unzip_table[2][4][3] = { UNZIP_ROWS(unzip), UNZIP_ROWS(unzip2) };

static const xpose_fn xpose_table[4] = { xpose_1, xpose_2, xpose_4, xpose_8 };

/* A whole nest of runs: @n counts of the outermost loop. */
static void copy_nest(uint8_t *d, const uint8_t *s, const struct kte_dim *dim, uint32_t rank,
		      uint64_t n, size_t run, bool stream)
{
	uint64_t i;

	if (!rank) {
		if (stream)
			copy_stream(d, s, run);
		else
			copy_bytes(d, s, run);
	} else if (rank == 1) {
		if (stream)
			stream_rows(d, s, n, run, dim->ds, dim->ss);
		else
			copy_rows(d, s, n, run, dim->ds, dim->ss);
	} else {
		for (i = 0; i < n; i++)
			copy_nest(d + i * dim->ds, s + i * dim->ss, dim + 1, rank - 1, dim[1].n,
				  run, stream);
	}
}

#endif /* KTE_COPY_BODY_H */
