// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The interpreter and copy kernels for any machine. */
#define KTE_EXEC_NAME	kte_exec_generic
#define KTE_FOLD_FIND	kte_fold_find_generic
#include "exec_body.h"
