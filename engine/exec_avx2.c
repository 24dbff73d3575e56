// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The interpreter and copy kernels for x86 with AVX2. */
#include "exec_prog.h"

#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#define KTE_EXEC_NAME	kte_exec_avx2
#define KTE_FOLD_FIND	kte_fold_find_avx2
#define KTE_LANES
#define KTE_STREAM_32(d, s) \
	_mm256_stream_si256((__m256i *)(d), _mm256_loadu_si256((const __m256i *)(s)))
#define KTE_STREAM_FENCE() _mm_sfence()
#include "exec_body.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#else

int kte_exec_avx2(const struct kte_prog *prog, const struct kte_run *run,
		  const struct kte_range *range)
{
	return kte_exec_generic(prog, run, range);
}

#endif
