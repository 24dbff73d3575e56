/* SPDX-License-Identifier: MIT */
/*
 * Affine sets over small finite domains: parsing is in parse_set.c, this is their meaning.
 *
 * Everything here is exact. A one-dimensional quasi-affine expression f (+, * by constants,
 * mod, floordiv, ceildiv by positive constants) has a period q and a drift p with
 * f(x + q) = f(x) + p for all integers x. So a set is one arithmetic progression of
 * members per residue modulo the common period, each an interval in closed form: whether
 * the set is finite, and its first member anywhere, need one look per residue.
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

/*
 * Shapes of a constraint that have a closed form. With lin = constant + sum coef*var over
 * dims and symbols, outer = outer_constant + sum outer_coef*symbol; see extra below:
 */
enum kt_form {
	KT_FORM_GENERAL,	/* evaluate the expression */
	KT_FORM_LINEAR,		/* lin */
	KT_FORM_DIV,		/* scale * (lin floordiv divisor) + outer */
	KT_FORM_MOD,		/* scale * (lin mod divisor) + outer */
};

#define KT_SET_MAX_EXTRA	2

struct kt_constraint {
	const struct kt_expr *expr;	/* expr >= 0, or expr == 0 */
	bool equality;
	bool linear;			/* KT_FORM_LINEAR without extra */
	enum kt_form form;
	int64_t coef[KT_SET_MAX_DIMS + KT_SET_MAX_SYMS];	/* n_dims dims, then symbols */
	int64_t constant;
	int64_t outer_coef[KT_SET_MAX_SYMS];
	int64_t outer_constant;
	int64_t scale, divisor;
	/* mods and divs of symbols alone, of lin (LINEAR) or outer: scale * expr each */
	unsigned int n_extra;
	struct kt_addend {
		const struct kt_expr *expr;
		int64_t scale;
	} extra[KT_SET_MAX_EXTRA];
	/* the commonest forms in one dim x: x + k >= 0, -x + k >= 0, (x + k) mod m == residue */
	enum kt_quick { KT_QUICK_NONE, KT_QUICK_LEAST, KT_QUICK_MOST, KT_QUICK_MOD } quick;
	int64_t residue;
};

/* Ascending, distinct ids. */
struct kt_tiles {
	uint32_t n;
	uint32_t *ids;
};

/* One affine_set<...>, or an enumerated set: one list per group or one list. */
struct kt_set {
	struct kt_range at;
	unsigned int n_dims, n_syms;
	unsigned int n_constraints;
	struct kt_constraint *constraints;
	bool enumerated;		/* [[0, 2], [4, 6]]: list index = group */
	bool quick;			/* all constraints are, at most one a mod */
	bool flat;			/* [0, 2]: one list for every group */
	unsigned int n_lists;
	struct kt_tiles *lists;
	int64_t *below;			/* per list: its smallest negative member, else 0 */
};

#define KT_SET_MAX_CONSTRAINTS	64
#define KT_SET_MAX_NODES	1024	/* of one expression */
/* Residues looked at before a set is called too costly (KT_SET_OVERFLOW). */
#define KT_SET_MAX_RESIDUES	65536

enum kt_set_status {
	KT_SET_OK = 0,
	KT_SET_UNBOUNDED,	/* not bounded by its own constraints */
	KT_SET_OVERFLOW,	/* arithmetic left 64 bits, or a divisor was <= 0 */
	KT_SET_NOMEM,
	KT_SET_OUTSIDE,		/* finite without the bound, with members outside [0, bound) */
	KT_SET_TOO_MANY,	/* more members than asked for */
};

/* Compute the closed forms; once, by whoever builds a set. Without it sets are only slower. */
void kt_set_finish(struct kt_set *s);
/* The first mod, floordiv or ceildiv by a number <= 0; NULL if there is none. */
const struct kt_expr *kt_set_bad_divisor(const struct kt_set *s);

/**
 * kt_set_tiles - members of a one-dimensional set for given symbol values
 * @syms:	values of the symbols, @n_syms of them; a set may use fewer. The list of an
 *		enumerated set is number syms[0]
 * @bound:	members in [0, bound) are returned
 * @clipped:	set true when the set has no bound of its own and was intersected
 * @outside:	first member outside [0, bound) of a set with bounds of its own; only
 *		with KT_SET_OUTSIDE (the members inside are still returned)
 * @out:	allocated from @a
 */
enum kt_set_status kt_set_tiles(const struct kt_set *s, const int64_t *syms, unsigned int n_syms,
				uint32_t bound, struct kt_arena *a, struct kt_tiles *out,
				bool *clipped, int64_t *outside);

/*
 * All members of a bounded one-dimensional set without symbols (groups), ascending; any
 * int64. KT_SET_TOO_MANY over @max members.
 */
enum kt_set_status kt_set_members(const struct kt_set *s, uint32_t max, struct kt_arena *a,
				  int64_t **ids, uint32_t *n);

/*
 * Bounding box of an n-dimensional coordinate set without symbols: lo/hi inclusive per dim,
 * and whether the set is that box. An empty set has hi < lo in dim 0 and is exact. When not
 * exact the box may be larger than needed.
 */
enum kt_set_status kt_set_box(const struct kt_set *s, int64_t *lo, int64_t *hi, bool *exact);

/* Membership of one point; KT_SET_OVERFLOW possible. */
enum kt_set_status kt_set_contains(const struct kt_set *s, const int64_t *dims,
				   const int64_t *syms, bool *in);
enum kt_set_status kt_expr_eval(const struct kt_expr *e, const int64_t *dims, const int64_t *syms,
				int64_t *out);

/* Position of id in a (ascending), or -1. */
int64_t kt_tiles_index(const struct kt_tiles *t, uint32_t id);
bool kt_tiles_equal(const struct kt_tiles *a, const struct kt_tiles *b);

/* The same members for all symbol values: same constraints, or same members if finite. */
bool kt_set_equal(const struct kt_set *a, const struct kt_set *b);
/* "affine_set<(d0)[s0] : (d0 - 4 * s0 >= 0)>" or "[[0, 2], [4, 6]]"; NULL: out of memory. */
const char *kt_set_text(struct kt_arena *a, const struct kt_set *s);

/* --- between the set files --- */

/* Solve for one variable with all others fixed; see set_solve.c. */
struct kt_span {
	int64_t lo, hi;			/* closed-form interval; empty when hi < lo */
	bool has_lo, has_hi;
	uint64_t rest;			/* constraints left to test, a bit each */
	int64_t step, first;		/* candidates are first + k*step; step 1: all */
	uint64_t first_bit;		/* the constraint that says so */
};

/*
 * Solve the constraints of @mask for dim @var. @vars holds the values of all dims, then
 * symbols; kt_span_test() and kt_span_extent() overwrite that of @var.
 */
enum kt_set_status kt_span_narrow(const struct kt_set *s, unsigned int var, const int64_t *vars,
				  uint64_t mask, struct kt_span *sp);
/* Does x satisfy the constraints that kt_span_narrow() left? */
enum kt_set_status kt_span_test(const struct kt_set *s, unsigned int var, int64_t *vars,
				uint64_t rest, int64_t x, bool *in);

static inline uint64_t kt_set_all(const struct kt_set *s)
{
	return s->n_constraints >= 64 ? ~0ull : (1ull << s->n_constraints) - 1;
}


/* What the solver knows of all members without any bound. */
struct kt_extent {
	bool empty, infinite;
	int64_t min, max;		/* when finite and not empty */
	uint64_t count;
	int64_t above;			/* least member >= bound */
	bool has_above;
};

/* Members in [lo, hi], a part of [0, 2^32), ascending; room for one per candidate. */
enum kt_set_status kt_span_members(const struct kt_set *s, unsigned int var, int64_t *vars,
				   const struct kt_span *sp, int64_t lo, int64_t hi, uint32_t *ids,
				   uint32_t *n);
enum kt_set_status kt_span_extent(const struct kt_set *s, unsigned int var, int64_t *vars,
				  const struct kt_span *sp, int64_t bound, struct kt_extent *ext);
/* Rounded toward minus and plus infinity, and the non-negative remainder; b > 0. */
static inline int64_t kt_floordiv(int64_t a, int64_t b)
{
	int64_t q = a / b;

	return q - (a % b < 0);
}

static inline int64_t kt_ceildiv(int64_t a, int64_t b)
{
	int64_t q = a / b;

	return q + (a % b > 0);
}

static inline int64_t kt_mod(int64_t a, int64_t b)
{
	int64_t r;

	/* a division costs more than all the rest of a small set */
	if (!(b & (b - 1)))
		return a & (b - 1);
	r = a % b;
	return r < 0 ? r + b : r;
}

#endif /* KT_SET_H */
