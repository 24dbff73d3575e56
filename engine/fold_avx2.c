// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Fold kernels for x86 with AVX2 and F16C. */
#include "fold.h"

#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__clang__)
#pragma clang fp contract(off)
#pragma clang attribute push(__attribute__((target("avx2,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,f16c")
#pragma GCC optimize("fp-contract=off")
#endif

#define KTE_F16C
#define KTE_FOLD_VEC 32
#define KTE_FOLD_FIND_NAME kte_fold_find_avx2
#include "fold_body.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#else

kte_fold_fn kte_fold_find_avx2(uint32_t op, uint32_t mode, uint32_t dtype)
{
	return kte_fold_find_generic(op, mode, dtype);
}

#endif
