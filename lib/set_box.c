// SPDX-License-Identifier: MIT
/*
 * Bounding boxes of coordinate sets.
 */
#include <string.h>

#include "set.h"

#define BOX_MAX_POINTS	65536	/* enumerated to tell a box from a set with holes */
#define BOX_MAX_ROUNDS	32

struct box {
	int64_t lo[KT_SET_MAX_DIMS], hi[KT_SET_MAX_DIMS];
	bool has_lo[KT_SET_MAX_DIMS], has_hi[KT_SET_MAX_DIMS];
	bool empty;
};

/* Which dims an expression names. */
static unsigned int dims_of(const struct kt_expr *e)
{
	if (e->kind < KT_EXPR_ADD)
		return e->kind == KT_EXPR_DIM ? 1u << e->value : 0;
	return dims_of(e->lhs) | dims_of(e->rhs);
}

/* The constraints on one dim alone, solved exactly. */
static enum kt_set_status box_dim(const struct kt_set *s, unsigned int d, uint64_t mask,
				  struct box *b, bool *holes)
{
	int64_t vars[KT_SET_MAX_DIMS + KT_SET_MAX_SYMS] = { 0 };
	enum kt_set_status st;
	struct kt_extent ext;
	struct kt_span sp;

	st = kt_span_narrow(s, d, vars, mask, &sp);
	if (st != KT_SET_OK)
		return st;
	if (sp.hi < sp.lo) {
		b->empty = true;
		return KT_SET_OK;
	}
	b->has_lo[d] = sp.has_lo;
	b->has_hi[d] = sp.has_hi;
	b->lo[d] = sp.lo;
	b->hi[d] = sp.hi;
	if (!sp.rest && sp.step == 1)
		return KT_SET_OK;
	st = kt_span_extent(s, d, vars, &sp, 0, &ext);
	if (st != KT_SET_OK)
		return st;
	b->empty |= ext.empty;
	if (ext.empty)
		return KT_SET_OK;
	if (ext.infinite) {
		/* other dims may still bound it; its holes make it no box */
		*holes = true;
		return KT_SET_OK;
	}
	b->lo[d] = ext.min;
	b->hi[d] = ext.max;
	b->has_lo[d] = b->has_hi[d] = true;
	*holes |= ext.count != (uint64_t)ext.max - (uint64_t)ext.min + 1;
	return KT_SET_OK;
}

/* Largest value of a linear constraint over the box, without dim @skip; false: no bound. */
static bool linear_most(const struct kt_constraint *c, unsigned int n, const struct box *b,
			unsigned int skip, int sign, int64_t *out)
{
	int64_t sum, t;
	unsigned int i;

	if (__builtin_mul_overflow(c->constant, (int64_t)sign, &sum))
		return false;
	for (i = 0; i < n; i++) {
		int64_t k;

		if (i == skip || !c->coef[i])
			continue;
		if (__builtin_mul_overflow(c->coef[i], (int64_t)sign, &k) ||
		    !(k > 0 ? b->has_hi[i] : b->has_lo[i]) ||
		    __builtin_mul_overflow(k, k > 0 ? b->hi[i] : b->lo[i], &t) ||
		    __builtin_add_overflow(sum, t, &sum))
			return false;
	}
	*out = sum;
	return true;
}

/* coef*x + most >= 0 bounds x; true when that moved the box. */
static bool tighten(struct box *b, unsigned int d, int64_t coef, int64_t most)
{
	int64_t v;

	if (coef == INT64_MIN || most == INT64_MIN)
		return false;
	if (coef > 0) {
		v = kt_ceildiv(-most, coef);
		if (b->has_lo[d] && v <= b->lo[d])
			return false;
		b->lo[d] = v;
		b->has_lo[d] = true;
	} else if (coef < 0) {
		v = kt_floordiv(most, -coef);
		if (b->has_hi[d] && v >= b->hi[d])
			return false;
		b->hi[d] = v;
		b->has_hi[d] = true;
	} else {
		return false;
	}
	b->empty |= b->has_lo[d] && b->has_hi[d] && b->lo[d] > b->hi[d];
	return true;
}

static bool tighten_by(const struct kt_set *s, const struct kt_constraint *c, struct box *b,
		       int sign)
{
	bool moved = false;
	unsigned int d;
	int64_t most;

	for (d = 0; d < s->n_dims && !b->empty; d++)
		if (c->coef[d] && c->coef[d] != INT64_MIN &&
		    linear_most(c, s->n_dims, b, d, sign, &most))
			moved |= tighten(b, d, c->coef[d] * sign, most);
	return moved;
}

/* Bounds through the linear constraints that tie dims together, until nothing moves. */
static void tighten_all(const struct kt_set *s, uint64_t mask, struct box *b)
{
	unsigned int round, i;
	bool moved = true;

	for (round = 0; moved && !b->empty && round < BOX_MAX_ROUNDS; round++) {
		moved = false;
		for (i = 0; i < s->n_constraints && !b->empty; i++) {
			const struct kt_constraint *c = &s->constraints[i];

			if (!(mask >> i & 1) || !c->linear)
				continue;
			moved |= tighten_by(s, c, b, 1);
			if (c->equality)
				moved |= tighten_by(s, c, b, -1);
		}
	}
}

/* Does a linear constraint hold in the whole box? */
static bool redundant(const struct kt_set *s, const struct kt_constraint *c, const struct box *b)
{
	int64_t v;

	/* most of -f over the box is -(least of f) */
	return c->linear && linear_most(c, s->n_dims, b, ~0u, -1, &v) && v <= 0 &&
	       (!c->equality || (linear_most(c, s->n_dims, b, ~0u, 1, &v) && v <= 0));
}

/* Does it hold nowhere? */
static bool impossible(const struct kt_set *s, const struct kt_constraint *c, const struct box *b)
{
	int64_t v;

	return c->linear && linear_most(c, s->n_dims, b, ~0u, 1, &v) && v < 0;
}

static uint64_t box_points(const struct box *b, unsigned int n)
{
	uint64_t points = 1;
	unsigned int d;

	for (d = 0; d < n; d++)
		if (__builtin_mul_overflow(points, (uint64_t)b->hi[d] - (uint64_t)b->lo[d] + 1,
					   &points))
			return UINT64_MAX;
	return points;
}

static bool next_point(const struct box *b, unsigned int n, int64_t *x)
{
	unsigned int d = n;

	while (d--) {
		if (x[d] < b->hi[d]) {
			x[d]++;
			return true;
		}
		x[d] = b->lo[d];
	}
	return false;
}

/* Walk all points of the box; shrink it to those in the set. */
static enum kt_set_status box_walk(const struct kt_set *s, struct box *b, bool *exact)
{
	static const int64_t no_syms[KT_SET_MAX_SYMS];
	int64_t x[KT_SET_MAX_DIMS];
	struct box in = { .empty = true };
	uint64_t found = 0;
	unsigned int d;

	memcpy(x, b->lo, sizeof(x));
	do {
		enum kt_set_status st;
		bool is;

		st = kt_set_contains(s, x, no_syms, &is);
		if (st != KT_SET_OK)
			return st;
		if (!is)
			continue;
		for (d = 0; d < s->n_dims; d++) {
			if (in.empty || x[d] < in.lo[d])
				in.lo[d] = x[d];
			if (in.empty || x[d] > in.hi[d])
				in.hi[d] = x[d];
		}
		in.empty = false;
		found++;
	} while (next_point(b, s->n_dims, x));
	*b = in;
	*exact = in.empty || found == box_points(&in, s->n_dims);
	return KT_SET_OK;
}

/* The constraints on dim d alone; what names several dims or none is left in *rest. */
static uint64_t own_constraints(const struct kt_set *s, unsigned int d, uint64_t *rest)
{
	uint64_t mask = 0;
	unsigned int i;

	for (i = 0; i < s->n_constraints; i++)
		if (dims_of(s->constraints[i].expr) == 1u << d)
			mask |= 1ull << i;
	*rest &= ~mask;
	return mask;
}

static enum kt_set_status find_box(const struct kt_set *s, struct box *b, bool *exact)
{
	uint64_t rest = kt_set_all(s);
	bool holes = false;
	unsigned int d, i;

	for (d = 0; d < s->n_dims && !b->empty; d++) {
		enum kt_set_status st = box_dim(s, d, own_constraints(s, d, &rest), b, &holes);

		if (st != KT_SET_OK)
			return st;
	}
	if (!b->empty)
		tighten_all(s, rest, b);
	*exact = true;
	if (b->empty)
		return KT_SET_OK;
	for (d = 0; d < s->n_dims; d++)
		if (!b->has_lo[d] || !b->has_hi[d])
			return KT_SET_UNBOUNDED;
	for (i = 0; i < s->n_constraints; i++) {
		if (!(rest >> i & 1))
			continue;
		b->empty |= impossible(s, &s->constraints[i], b);
		if (redundant(s, &s->constraints[i], b))
			rest &= ~(1ull << i);
	}
	if (b->empty)
		return KT_SET_OK;
	*exact = !rest && !holes;
	if (rest && box_points(b, s->n_dims) <= BOX_MAX_POINTS)
		return box_walk(s, b, exact);
	return KT_SET_OK;
}

enum kt_set_status kt_set_box(const struct kt_set *s, int64_t *lo, int64_t *hi, bool *exact)
{
	struct box b = { .empty = false };
	enum kt_set_status st;
	unsigned int d;

	*exact = false;
	if (s->enumerated || s->n_syms || s->n_dims > KT_SET_MAX_DIMS)
		return KT_SET_UNBOUNDED;
	st = find_box(s, &b, exact);
	if (st != KT_SET_OK)
		return st;
	for (d = 0; d < s->n_dims; d++) {
		lo[d] = b.empty ? 0 : b.lo[d];
		hi[d] = b.empty ? -1 : b.hi[d];
	}
	return KT_SET_OK;
}
