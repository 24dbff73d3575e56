// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Fold kernels for any machine. */
#if defined(__clang__)
#pragma clang fp contract(off)
#else
#pragma GCC optimize("fp-contract=off")
#endif
#define KTE_FOLD_VEC 16
#define KTE_FOLD_FIND_NAME kte_fold_find_generic
#include "fold_body.h"
