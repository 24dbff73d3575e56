// SPDX-License-Identifier: MIT
/*
 * Members of sets: tiles of a group, groups, single points.
 */
#include <stdlib.h>
#include <string.h>

#include "set.h"

static enum kt_set_status eval_div(const struct kt_expr *e, int64_t a, int64_t b, int64_t *out)
{
	if (b <= 0)
		return KT_SET_OVERFLOW;
	*out = e->kind == KT_EXPR_MOD ? kt_mod(a, b) :
	       e->kind == KT_EXPR_FLOORDIV ? kt_floordiv(a, b) : kt_ceildiv(a, b);
	return KT_SET_OK;
}

/* Recursion is bounded by KT_SET_MAX_NODES. */
enum kt_set_status kt_expr_eval(const struct kt_expr *e, const int64_t *dims, const int64_t *syms,
				int64_t *out)
{
	enum kt_set_status st;
	int64_t a, b;

	switch (e->kind) {
	case KT_EXPR_CONST:
		*out = e->value;
		return KT_SET_OK;
	case KT_EXPR_DIM:
		*out = dims[e->value];
		return KT_SET_OK;
	case KT_EXPR_SYM:
		*out = syms[e->value];
		return KT_SET_OK;
	default:
		break;
	}
	st = kt_expr_eval(e->lhs, dims, syms, &a);
	if (st == KT_SET_OK)
		st = kt_expr_eval(e->rhs, dims, syms, &b);
	if (st != KT_SET_OK)
		return st;
	if (e->kind == KT_EXPR_ADD)
		return __builtin_add_overflow(a, b, out) ? KT_SET_OVERFLOW : KT_SET_OK;
	if (e->kind == KT_EXPR_MUL)
		return __builtin_mul_overflow(a, b, out) ? KT_SET_OVERFLOW : KT_SET_OK;
	return eval_div(e, a, b, out);
}

enum kt_set_status kt_set_contains(const struct kt_set *s, const int64_t *dims,
				   const int64_t *syms, bool *in)
{
	unsigned int i;

	*in = false;
	for (i = 0; i < s->n_constraints; i++) {
		enum kt_set_status st;
		int64_t v;

		st = kt_expr_eval(s->constraints[i].expr, dims, syms, &v);
		if (st != KT_SET_OK)
			return st;
		if (s->constraints[i].equality ? v != 0 : v < 0)
			return KT_SET_OK;
	}
	*in = true;
	return KT_SET_OK;
}

static enum kt_set_status enumerated_tiles(const struct kt_set *s, const int64_t *syms,
					   unsigned int n_syms, uint32_t bound,
					   struct kt_tiles *out, int64_t *outside)
{
	int64_t i = s->flat || !n_syms ? 0 : syms[0];
	const struct kt_tiles *t;

	if (i < 0 || i >= (int64_t)s->n_lists)
		return KT_SET_OK;
	t = &s->lists[i];
	*out = *t;
	while (out->n && out->ids[out->n - 1] >= bound)
		out->n--;
	if (s->below && s->below[i] < 0)
		*outside = s->below[i];
	else if (out->n < t->n)
		*outside = t->ids[out->n];
	else
		return KT_SET_OK;
	return KT_SET_OUTSIDE;
}

/* All of [lo, hi], which lies inside [0, 2^32). */
static enum kt_set_status fill_range(int64_t lo, int64_t hi, struct kt_arena *a,
				     struct kt_tiles *out)
{
	uint32_t i, n = lo <= hi ? (uint32_t)(hi - lo + 1) : 0;

	if (!n)
		return KT_SET_OK;
	out->ids = kt_alloc(a, (size_t)n * sizeof(*out->ids));
	if (!out->ids)
		return KT_SET_NOMEM;
	for (i = 0; i < n; i++)
		out->ids[i] = (uint32_t)lo + i;
	out->n = n;
	return KT_SET_OK;
}

/* The members in [lo, hi] when there are steps between them or something is left to test. */
static enum kt_set_status fill_open(const struct kt_set *s, int64_t *vars,
				    const struct kt_span *sp, int64_t lo, int64_t hi,
				    struct kt_arena *a, struct kt_tiles *out)
{
	int64_t x = lo + kt_mod(sp->first - lo, sp->step);
	enum kt_set_status st = KT_SET_OK;
	size_t bytes;

	if (x > hi)
		return KT_SET_OK;
	/* more than needed, without a division; the rest goes back */
	bytes = (size_t)(hi - x + 1) * sizeof(*out->ids);
	out->ids = kt_alloc(a, bytes);
	if (!out->ids)
		return KT_SET_NOMEM;
	if (sp->rest)
		st = kt_span_members(s, 0, vars, sp, lo, hi, out->ids, &out->n);
	else
		for (; x <= hi; x += sp->step)
			out->ids[out->n++] = (uint32_t)x;
	kt_arena_trim(a, out->ids, bytes, out->n * sizeof(*out->ids));
	return st;
}

/* The set reaches over [0, bound), or might: is it infinite, or what lies outside? */
static enum kt_set_status look_outside(const struct kt_set *s, int64_t *vars,
				       const struct kt_span *sp, uint32_t bound, bool *clipped,
				       int64_t *outside)
{
	struct kt_extent ext;
	enum kt_set_status st = kt_span_extent(s, 0, vars, sp, bound, &ext);

	if (st != KT_SET_OK)
		return st;
	if (ext.infinite) {
		*clipped = true;
		return KT_SET_OK;
	}
	if (ext.empty || (ext.min >= 0 && !ext.has_above))
		return KT_SET_OK;
	*outside = ext.min < 0 ? ext.min : ext.above;
	return KT_SET_OUTSIDE;
}

enum kt_set_status kt_set_tiles(const struct kt_set *s, const int64_t *syms, unsigned int n_syms,
				uint32_t bound, struct kt_arena *a, struct kt_tiles *out,
				bool *clipped, int64_t *outside)
{
	int64_t vars[1 + KT_SET_MAX_SYMS], lo, hi;
	enum kt_set_status st;
	struct kt_span sp;
	unsigned int i;

	out->n = 0;
	out->ids = NULL;
	*clipped = false;
	*outside = 0;
	if (s->enumerated)
		return enumerated_tiles(s, syms, n_syms, bound, out, outside);
	if (s->n_dims != 1 || s->n_syms > n_syms)
		return KT_SET_UNBOUNDED;
	for (i = 0; i < s->n_syms; i++)
		vars[1 + i] = syms[i];
	st = kt_span_narrow(s, 0, vars, kt_set_all(s), &sp);
	if (st != KT_SET_OK || sp.hi < sp.lo)
		return st;
	lo = sp.lo > 0 ? sp.lo : 0;
	hi = sp.hi < (int64_t)bound ? sp.hi : (int64_t)bound - 1;
	st = sp.rest || sp.step > 1 ? fill_open(s, vars, &sp, lo, hi, a, out) :
		fill_range(lo, hi, a, out);
	if (st != KT_SET_OK || (lo == sp.lo && hi == sp.hi && sp.has_lo && sp.has_hi))
		return st;
	return look_outside(s, vars, &sp, bound, clipped, outside);
}

static enum kt_set_status enumerated_members(const struct kt_set *s, uint32_t max,
					     struct kt_arena *a, int64_t **ids, uint32_t *n)
{
	uint32_t i;

	if (!s->flat || (s->below && s->below[0] < 0))
		return KT_SET_UNBOUNDED;
	if (s->lists[0].n > max)
		return KT_SET_TOO_MANY;
	*ids = kt_alloc(a, s->lists[0].n * sizeof(**ids));
	if (!*ids)
		return KT_SET_NOMEM;
	*n = s->lists[0].n;
	for (i = 0; i < *n; i++)
		(*ids)[i] = s->lists[0].ids[i];
	return KT_SET_OK;
}

enum kt_set_status kt_set_members(const struct kt_set *s, uint32_t max, struct kt_arena *a,
				  int64_t **ids, uint32_t *n)
{
	int64_t vars[1 + KT_SET_MAX_SYMS] = { 0 }, x;
	struct kt_extent ext;
	enum kt_set_status st;
	struct kt_span sp;
	bool in = true;

	*ids = NULL;
	*n = 0;
	if (s->enumerated)
		return enumerated_members(s, max, a, ids, n);
	if (s->n_dims != 1 || s->n_syms)
		return KT_SET_UNBOUNDED;
	st = kt_span_narrow(s, 0, vars, kt_set_all(s), &sp);
	if (st != KT_SET_OK || sp.hi < sp.lo)
		return st;
	st = kt_span_extent(s, 0, vars, &sp, 0, &ext);
	if (st != KT_SET_OK || ext.empty)
		return st;
	if (ext.infinite)
		return KT_SET_UNBOUNDED;
	if (ext.count > max)
		return KT_SET_TOO_MANY;
	*ids = kt_alloc(a, ext.count * sizeof(**ids));
	if (!*ids)
		return KT_SET_NOMEM;
	/* sparse members over a wide range cost a test per candidate */
	if (((uint64_t)ext.max - (uint64_t)ext.min) / (uint64_t)sp.step > (1u << 24))
		return KT_SET_OVERFLOW;
	for (x = ext.min; *n < ext.count; x += sp.step) {
		if (sp.rest)
			st = kt_span_test(s, 0, vars, sp.rest, x, &in);
		if (st != KT_SET_OK)
			return st;
		if (in)
			(*ids)[(*n)++] = x;
		if (x > ext.max - sp.step)
			break;
	}
	return KT_SET_OK;
}

int64_t kt_tiles_index(const struct kt_tiles *t, uint32_t id)
{
	uint32_t lo = 0, hi = t->n;

	/* most sets are ranges */
	if (t->n && id >= t->ids[0] && id - t->ids[0] < t->n && t->ids[id - t->ids[0]] == id)
		return id - t->ids[0];
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->ids[mid] == id)
			return mid;
		if (t->ids[mid] < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return -1;
}

bool kt_tiles_equal(const struct kt_tiles *a, const struct kt_tiles *b)
{
	return a->n == b->n && (!a->n || !memcmp(a->ids, b->ids, a->n * sizeof(*a->ids)));
}
