/* SPDX-License-Identifier: MIT */
/*
 * Affine sets over small finite domains: parsing is in parse.c, this is their
 * meaning. Enumeration is exact and pruned by bounds from the linear constraints.
 */
#ifndef KT_SET_H
#define KT_SET_H

#include "diag.h"

#define KT_SET_MAX_DIMS	8
#define KT_SET_MAX_SYMS	3

enum kt_expr_kind {
	KT_EXPR_CONST, KT_EXPR_DIM, KT_EXPR_SYM, KT_EXPR_ADD, KT_EXPR_MUL,
	KT_EXPR_MOD, KT_EXPR_FLOORDIV, KT_EXPR_CEILDIV,
};

/* Expression tree; subtraction and negation are ADD with MUL by -1. */
struct kt_expr {
	enum kt_expr_kind kind;
	int64_t value;			/* CONST: value; DIM, SYM: index */
	const struct kt_expr *lhs, *rhs;
	struct kt_range at;
};

struct kt_constraint {
	const struct kt_expr *expr;	/* expr >= 0, or expr == 0 */
	bool equality;
	/* linear form sum coef*var + constant when the expression is affine without
	 * mod and div: dims first, then symbols */
	bool linear;
	int64_t coef[KT_SET_MAX_DIMS + KT_SET_MAX_SYMS];
	int64_t constant;
};

/* One affine_set<...>, or an enumerated set: one list per group or one list. */
struct kt_set {
	struct kt_range at;
	unsigned int n_dims, n_syms;
	unsigned int n_constraints;
	struct kt_constraint *constraints;
	bool enumerated;		/* [[0, 2], [4, 6]]: list index = group */
	unsigned int n_lists;
	struct kt_tiles *lists;
};

/* Ascending, distinct ids. */
struct kt_tiles {
	uint32_t n;
	uint32_t *ids;
};

enum kt_set_status {
	KT_SET_OK = 0,
	KT_SET_UNBOUNDED,	/* not bounded by its own constraints */
	KT_SET_OVERFLOW,	/* arithmetic left 64 bits, or a divisor was <= 0 */
	KT_SET_NOMEM,
	KT_SET_OUTSIDE,		/* finite without the bound, with members outside [0, bound) */
};

/**
 * kt_set_tiles - members of a one-dimensional set for given symbol values
 * @bound:	members in [0, bound) are returned
 * @clipped:	set true when the set has no bound of its own and was intersected
 * @outside:	first member outside [0, bound) of a set with bounds of its own; only
 *		with KT_SET_OUTSIDE (the members inside are still returned)
 * @out:	allocated from @a
 */
enum kt_set_status kt_set_tiles(const struct kt_set *s, const int64_t *syms, unsigned int n_syms,
				uint32_t bound, struct kt_arena *a, struct kt_tiles *out,
				bool *clipped, int64_t *outside);

/* All members of a bounded one-dimensional set without symbols (groups); any int64. */
enum kt_set_status kt_set_members(const struct kt_set *s, uint32_t max, struct kt_arena *a,
				  int64_t **ids, uint32_t *n);

/* Bounding box of an n-dimensional coordinate set: lo/hi inclusive per dim, and whether
 * the set is exactly that box. */
enum kt_set_status kt_set_box(const struct kt_set *s, int64_t *lo, int64_t *hi, bool *exact);

/* Membership of one point; KT_SET_OVERFLOW possible. */
enum kt_set_status kt_set_contains(const struct kt_set *s, const int64_t *dims,
				   const int64_t *syms, bool *in);
enum kt_set_status kt_expr_eval(const struct kt_expr *e, const int64_t *dims, const int64_t *syms,
				int64_t *out);

/* Position of id in a (ascending), or -1. */
int64_t kt_tiles_index(const struct kt_tiles *t, uint32_t id);
bool kt_tiles_equal(const struct kt_tiles *a, const struct kt_tiles *b);

#endif /* KT_SET_H */
