// SPDX-License-Identifier: MIT
/*
 * Matching a combiner against the fold unit.
 *
 * add, mul, and, or, xor must be written as such. Everything that picks one of its two
 * operands - min, max, compare-and-select, in any spelling - is decided by cases: whether
 * one value is less, equal, more or a NaN, and the same of the index, gives at most 40
 * cases. The combiner is evaluated in each, and a fold of the unit means the same if it
 * picks the same operand in all of them.
 */
#include "combiner_expr.h"

/* One case. Relations are KT_PRED_ bits of lhs against rhs; exactly one of LT, EQ, GT. */
struct comb_case {
	uint8_t value, value_u;		/* signed or float, unsigned */
	uint8_t index, index_u;
	bool lhs_nan, rhs_nan;
	int8_t zero;			/* EQ of floats: -1 lhs is -0 and rhs +0, 1 the reverse */
};

/* What an expression is in a case. */
enum pick { PICK_LHS, PICK_RHS, PICK_EITHER, PICK_FALSE, PICK_TRUE, PICK_NONE };

struct result {
	enum pick pick;
	int role;
};

struct eval {
	const struct kt_comb *cb;
	const struct comb_case *k;
	int v, i;			/* roles; i is -1 where there is no index */
	struct result memo[KT_COMB_MAX_EXPRS];
};

static const struct result none = { PICK_NONE, -1 };

static bool is_float(uint8_t dtype)
{
	return dtype >= KTE_DT_F16 && dtype <= KTE_DT_F64;
}

static uint8_t swapped(uint8_t rel)
{
	return (rel & KT_PRED_EQ) | (rel & KT_PRED_LT ? KT_PRED_GT : 0) |
	       (rel & KT_PRED_GT ? KT_PRED_LT : 0);
}

static bool side_nan(const struct eval *ev, struct result r)
{
	return r.role == ev->v &&
	       (r.pick == PICK_LHS ? ev->k->lhs_nan : ev->k->rhs_nan);
}

/* Relation of two picks of one role; KT_PRED_UNORDERED with a NaN. */
static uint8_t relation(const struct eval *ev, struct result a, struct result b, bool is_unsigned)
{
	const struct comb_case *k = ev->k;
	uint8_t rel;

	if (side_nan(ev, a) || side_nan(ev, b))
		return KT_PRED_UNORDERED;
	if (a.pick == b.pick)
		return KT_PRED_EQ;
	if (a.role == ev->v)
		rel = is_unsigned ? k->value_u : k->value;
	else
		rel = is_unsigned ? k->index_u : k->index;
	return a.pick == PICK_LHS ? rel : swapped(rel);
}

static bool comparable(struct result a, struct result b)
{
	return a.role == b.role && a.pick <= PICK_RHS && b.pick <= PICK_RHS;
}

/* Which of two floats maximumf and its kin return. */
static struct result pick_float(const struct eval *ev, uint8_t code, struct result a,
				struct result b)
{
	bool max = code == KT_BIN_MAXIMUM || code == KT_BIN_MAXNUM;
	bool number = code == KT_BIN_MAXNUM || code == KT_BIN_MINNUM;
	bool an = side_nan(ev, a), bn = side_nan(ev, b);
	uint8_t rel;

	if (an || bn)
		return (an && (bn || !number)) || (!an && number) ? a : b;
	rel = relation(ev, a, b, false);
	if (rel == KT_PRED_EQ && a.pick != b.pick && ev->k->zero) {
		if (number)	/* either zero will do */
			return (struct result){ PICK_EITHER, a.role };
		rel = (ev->k->zero < 0) == (a.pick == PICK_LHS) ? KT_PRED_LT : KT_PRED_GT;
	}
	return (rel == KT_PRED_LT) == max ? b : a;
}

static struct result pick_int(const struct eval *ev, uint8_t code, struct result a,
			      struct result b)
{
	bool max = code == KT_BIN_MAXS || code == KT_BIN_MAXU;
	uint8_t rel = relation(ev, a, b, code == KT_BIN_MAXU || code == KT_BIN_MINU);

	return (rel == KT_PRED_LT) == max ? b : a;
}

static struct result logic(uint8_t code, struct result a, struct result b)
{
	bool x = a.pick == PICK_TRUE, y = b.pick == PICK_TRUE, r;

	if (code == KT_BIN_AND)
		r = x && y;
	else if (code == KT_BIN_OR)
		r = x || y;
	else if (code == KT_BIN_XOR)
		r = x != y;
	else
		return none;
	return (struct result){ r ? PICK_TRUE : PICK_FALSE, -1 };
}

static bool is_bool(struct result r)
{
	return r.pick == PICK_TRUE || r.pick == PICK_FALSE;
}

static struct result binary(const struct eval *ev, uint8_t code, struct result a, struct result b)
{
	bool f;

	if (is_bool(a) && is_bool(b))
		return logic(code, a, b);
	if (!comparable(a, b) || code < KT_BIN_MAXIMUM)
		return none;
	f = is_float(ev->cb->dtype[a.role]);
	if (f ? code > KT_BIN_MINNUM : code <= KT_BIN_MINNUM)
		return none;
	return f ? pick_float(ev, code, a, b) : pick_int(ev, code, a, b);
}

static struct result compare(const struct eval *ev, const struct kt_comb_expr *x, struct result a,
			     struct result b)
{
	bool f = x->kind == KT_COMB_CMPF, r;

	if (!comparable(a, b) || f != is_float(ev->cb->dtype[a.role]))
		return none;
	r = relation(ev, a, b, !f && (x->code & KT_PRED_UNSIGNED)) & x->code;
	return (struct result){ r ? PICK_TRUE : PICK_FALSE, -1 };
}

/* Expressions only refer to earlier ones, so going up in order needs no recursion. */
static struct result eval_expr(struct eval *ev, int at)
{
	int i;

	for (i = 0; i <= at; i++) {
		const struct kt_comb_expr *x = &ev->cb->e[i];
		struct result *r = &ev->memo[i];

		switch (x->kind) {
		case KT_COMB_ARG:
			*r = (struct result){ x->b ? PICK_RHS : PICK_LHS, x->a };
			if (x->a != ev->v && x->a != ev->i)
				*r = none;
			break;
		case KT_COMB_BOOL:
			*r = (struct result){ x->a ? PICK_TRUE : PICK_FALSE, -1 };
			break;
		case KT_COMB_BIN:
			*r = binary(ev, x->code, ev->memo[x->a], ev->memo[x->b]);
			break;
		case KT_COMB_CMPF:
		case KT_COMB_CMPI:
			*r = compare(ev, x, ev->memo[x->a], ev->memo[x->b]);
			break;
		case KT_COMB_SELECT:
			*r = !is_bool(ev->memo[x->a]) ? none :
			     ev->memo[ev->memo[x->a].pick == PICK_TRUE ? x->b : x->c];
			break;
		default:
			*r = none;
		}
	}
	return ev->memo[at];
}

/* --- the fold unit's side ----------------------------------------------------------- */

/* Which operand the unit keeps; engine/fold.h states the same rules. */
static enum pick unit_pick(uint8_t op, uint8_t mode, const struct comb_case *k)
{
	bool max = op == KTE_OP_MAX || op == KTE_OP_ARGMAX;
	uint8_t rel = mode & KTE_MODE_UNSIGNED ? k->value_u : k->value;
	uint8_t tie = mode & KTE_MODE_TIE_MASK;

	if (k->lhs_nan || k->rhs_nan) {
		switch (mode & KTE_MODE_NAN_MASK) {
		case KTE_MODE_NAN_PROPAGATE:
			return k->lhs_nan ? PICK_LHS : PICK_RHS;
		case KTE_MODE_NAN_NUMBER:
			return k->lhs_nan && !k->rhs_nan ? PICK_RHS : PICK_LHS;
		case KTE_MODE_NAN_LHS:
			return PICK_LHS;
		default:
			return PICK_RHS;
		}
	}
	if (k->zero && (mode & KTE_MODE_ZERO_ORDERED))
		rel = k->zero < 0 ? KT_PRED_LT : KT_PRED_GT;
	if (rel != KT_PRED_EQ)
		return (rel == KT_PRED_LT) == max ? PICK_RHS : PICK_LHS;
	if (tie >= KTE_MODE_TIE_LOWER) {
		rel = mode & KTE_MODE_INDEX_UNSIGNED ? k->index_u : k->index;
		if (rel != KT_PRED_EQ)
			return rel == KT_PRED_GT ? PICK_RHS : PICK_LHS;
		return tie == KTE_MODE_TIE_LOWER_LAST ? PICK_RHS : PICK_LHS;
	}
	return tie == KTE_MODE_TIE_LAST ? PICK_RHS : PICK_LHS;
}

/* --- cases -------------------------------------------------------------------------- */

static const struct comb_case float_values[] = {
	{ .value = KT_PRED_LT }, { .value = KT_PRED_GT }, { .value = KT_PRED_EQ },
	{ .value = KT_PRED_EQ, .zero = -1 }, { .value = KT_PRED_EQ, .zero = 1 },
	{ .lhs_nan = true }, { .rhs_nan = true }, { .lhs_nan = true, .rhs_nan = true },
};

/* Signed and unsigned order of two integers agree, or are opposite. */
static const uint8_t int_orders[][2] = {
	{ KT_PRED_LT, KT_PRED_LT }, { KT_PRED_GT, KT_PRED_GT }, { KT_PRED_EQ, KT_PRED_EQ },
	{ KT_PRED_LT, KT_PRED_GT }, { KT_PRED_GT, KT_PRED_LT },
};

#define N_FLOAT	KT_ARRAY_SIZE(float_values)
#define N_INT	KT_ARRAY_SIZE(int_orders)
#define N_CASES	(N_FLOAT * N_INT)

struct table {
	unsigned int n;
	struct comb_case k[N_CASES];
	enum pick value[N_CASES], index[N_CASES];	/* what the combiner keeps */
};

/* Fill the cases of a value of @dtype, with an index or without. */
static void make_cases(struct table *t, uint8_t dtype, bool with_index)
{
	unsigned int nv = is_float(dtype) ? N_FLOAT : N_INT, ni = with_index ? N_INT : 1, v, i;

	t->n = 0;
	for (v = 0; v < nv; v++) {
		for (i = 0; i < ni; i++) {
			struct comb_case *k = &t->k[t->n++];

			*k = (struct comb_case){ 0 };
			if (is_float(dtype)) {
				*k = float_values[v];
			} else {
				k->value = int_orders[v][0];
				k->value_u = int_orders[v][1];
			}
			if (with_index) {
				k->index = int_orders[i][0];
				k->index_u = int_orders[i][1];
			}
		}
	}
}

static bool run_cases(const struct kt_comb *cb, struct table *t, int v, int i)
{
	struct eval ev = { .cb = cb, .v = v, .i = i };
	int last = cb->root[v];
	unsigned int n;

	if (i >= 0 && cb->root[i] > last)
		last = cb->root[i];
	for (n = 0; n < t->n; n++) {
		struct result rv, ri = { PICK_EITHER, i };

		ev.k = &t->k[n];
		eval_expr(&ev, last);
		rv = ev.memo[cb->root[v]];
		if (i >= 0)
			ri = ev.memo[cb->root[i]];
		if (rv.pick > PICK_EITHER || rv.role != v || ri.pick > PICK_EITHER || ri.role != i)
			return false;
		t->value[n] = rv.pick;
		t->index[n] = ri.pick;
	}
	return true;
}

/*
 * Picking either operand gives the same bits: equal integers, equal floats but for zeros,
 * two NaNs (the result is made canonical).
 */
static bool same_value(const struct comb_case *k)
{
	return (k->value == KT_PRED_EQ && !k->zero) || (k->lhs_nan && k->rhs_nan);
}

static bool mode_fits(const struct table *t, uint8_t op, uint8_t mode, bool with_index)
{
	unsigned int n;

	for (n = 0; n < t->n; n++) {
		const struct comb_case *k = &t->k[n];
		enum pick p = unit_pick(op, mode, k);

		if (t->value[n] != p && t->value[n] != PICK_EITHER && !same_value(k))
			return false;
		if (with_index && t->index[n] != p && t->index[n] != PICK_EITHER &&
		    k->index != KT_PRED_EQ)
			return false;
	}
	return true;
}

static bool find_mode(const struct table *t, bool with_index, uint8_t dtype, uint8_t index_dtype,
		      struct kt_fold *out)
{
	static const uint8_t ops[2][2] = {
		{ KTE_OP_MIN, KTE_OP_MAX }, { KTE_OP_ARGMIN, KTE_OP_ARGMAX },
	};
	unsigned int o, m;

	/* ordered zeros first: what may return either zero then does not depend on order */
	for (o = 0; o < 2; o++) {
		for (m = 0; m <= KTE_MODE_MASK; m++) {
			uint8_t op = ops[with_index][o], mode = m ^ KTE_MODE_ZERO_ORDERED;

			if (!is_float(dtype))
				mode = (uint8_t)m;
			if (!kte_fold_valid(op, mode, dtype, index_dtype) ||
			    !mode_fits(t, op, mode, with_index))
				continue;
			out->supported = true;
			out->op = op;
			out->mode = mode;
			return true;
		}
	}
	return false;
}

/* --- entry points ------------------------------------------------------------------- */

uint32_t kt_comb_depends(const struct kt_comb *cb, int expr, int *bad)
{
	uint32_t dep[KT_COMB_MAX_EXPRS] = { 0 };
	int i;

	for (i = 0; i <= expr; i++) {
		const struct kt_comb_expr *x = &cb->e[i];

		switch (x->kind) {
		case KT_COMB_BAD:
			dep[i] = KT_COMB_HAS_BAD;
			break;
		case KT_COMB_ARG:
			dep[i] = 1u << x->a;
			break;
		case KT_COMB_BOOL:
			dep[i] = 0;
			break;
		case KT_COMB_SELECT:
			dep[i] = dep[x->a] | dep[x->b] | dep[x->c];
			break;
		default:
			dep[i] = dep[x->a] | dep[x->b];
		}
	}
	for (i = expr; i > 0 && cb->e[i].kind != KT_COMB_BAD;) {
		const struct kt_comb_expr *x = &cb->e[i];

		if (!(dep[i] & KT_COMB_HAS_BAD))
			break;
		i = dep[x->a] & KT_COMB_HAS_BAD ? x->a :
		    dep[x->b] & KT_COMB_HAS_BAD ? x->b : x->c;
	}
	*bad = cb->e[i].kind == KT_COMB_BAD ? cb->e[i].a : -1;
	return dep[expr];
}

static bool match_binary(const struct kt_comb *cb, unsigned int r, struct kt_fold *out)
{
	static const uint8_t ops[] = {
		[KT_BIN_ADD] = KTE_OP_ADD, [KT_BIN_MUL] = KTE_OP_MUL, [KT_BIN_AND] = KTE_OP_AND,
		[KT_BIN_OR] = KTE_OP_OR, [KT_BIN_XOR] = KTE_OP_XOR,
	};
	const struct kt_comb_expr *x = &cb->e[cb->root[r]], *a, *b;

	if (x->kind != KT_COMB_BIN || x->code > KT_BIN_XOR)
		return false;
	a = &cb->e[x->a];
	b = &cb->e[x->b];
	if (a->kind != KT_COMB_ARG || b->kind != KT_COMB_ARG || a->a != (int)r ||
	    b->a != (int)r || a->b == b->b ||
	    !kte_fold_valid(ops[x->code], 0, cb->dtype[r], KTE_DT_OPAQUE))
		return false;
	out->supported = true;
	out->op = ops[x->code];
	out->mode = 0;
	return true;
}

bool kt_comb_match(const struct kt_comb *cb, unsigned int r, struct kt_fold *out)
{
	struct table t;

	*out = (struct kt_fold){ .n_roles = 1, .role = r };
	if (match_binary(cb, r, out))
		return true;
	make_cases(&t, cb->dtype[r], false);
	return run_cases(cb, &t, (int)r, -1) &&
	       find_mode(&t, false, cb->dtype[r], KTE_DT_OPAQUE, out);
}

bool kt_comb_match_pair(const struct kt_comb *cb, unsigned int v, unsigned int i,
			struct kt_fold *out)
{
	struct table t;

	*out = (struct kt_fold){ .n_roles = 2, .role = v, .index_role = i };
	if (is_float(cb->dtype[i]))
		return false;
	make_cases(&t, cb->dtype[v], true);
	return run_cases(cb, &t, (int)v, (int)i) &&
	       find_mode(&t, true, cb->dtype[v], cb->dtype[i], out);
}
