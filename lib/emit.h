/* SPDX-License-Identifier: MIT */
/* Tables to KTIR: expressions and sets found from lists, and the text around them. */
#ifndef KT_EMIT_H
#define KT_EMIT_H

#include <stdio.h>

#include "relayout.h"
#include "set.h"

/* --- emit_expr.c: quasi-affine expressions ------------------------------------------------ */

/* Builders simplify; NULL operands give NULL (out of memory). */
const struct kt_expr *kt_e_const(struct kt_arena *a, int64_t v);
const struct kt_expr *kt_e_dim(struct kt_arena *a, int64_t index);
const struct kt_expr *kt_e_sym(struct kt_arena *a, int64_t index);
const struct kt_expr *kt_e_add(struct kt_arena *a, const struct kt_expr *l,
			       const struct kt_expr *r);
const struct kt_expr *kt_e_mul(struct kt_arena *a, const struct kt_expr *l, int64_t k);
const struct kt_expr *kt_e_mod(struct kt_arena *a, const struct kt_expr *l, int64_t k);
const struct kt_expr *kt_e_div(struct kt_arena *a, const struct kt_expr *l, int64_t k);
/* Value of one of our own expressions; operands are small, nothing overflows. */
int64_t kt_e_value(const struct kt_expr *e, const int64_t *dims, const int64_t *syms);
void kt_e_print(FILE *f, const struct kt_expr *e, const char *const *dims,
		const char *const *syms);

/* f[x] for x in [0, n) as digits of x: NULL if it is no mixed radix (or no memory). */
const struct kt_expr *kt_fit(struct kt_arena *a, const int64_t *f, uint32_t n,
			     const struct kt_expr *x);
/* f[x] as f[0] plus a step at each change; always possible, NULL only without memory. */
const struct kt_expr *kt_fit_steps(struct kt_arena *a, const int64_t *f, uint32_t n,
				   const struct kt_expr *x);

/* --- emit_set.c --------------------------------------------------------------------------- */

/* affine_set<...> texts of a move. */
struct kt_set_texts {
	const char *groups, *producers, *consumers, *dep;	/* dep: NULL where not needed */
};

/* Find the sets and check them by enumeration. Return: 0, -ENOMEM, -ERANGE (no pattern, and
 * too long as a list). */
int kt_move_sets(const struct kt_move *m, uint32_t cores, struct kt_arena *a,
		 struct kt_set_texts *out);

#endif /* KT_EMIT_H */
