// SPDX-License-Identifier: MIT
/*
 * One variable of a set, all others fixed: the interval of the closed forms, and what is
 * known of all members over all integers.
 */
#include <stdlib.h>
#include <string.h>

#include "set.h"

/* a*x + b >= floor */
static inline enum kt_set_status at_least(struct kt_span *sp, int64_t a, int64_t b, int64_t floor)
{
	int64_t d;

	if (__builtin_sub_overflow(floor, b, &d))
		return KT_SET_OVERFLOW;
	if (a > 0) {
		d = a == 1 ? d : kt_ceildiv(d, a);
		if (!sp->has_lo || d > sp->lo)
			sp->lo = d;
		sp->has_lo = true;
	} else if (a < 0) {
		if (a == INT64_MIN || d == INT64_MIN)
			return KT_SET_OVERFLOW;
		d = a == -1 ? -d : kt_floordiv(-d, -a);
		if (!sp->has_hi || d < sp->hi)
			sp->hi = d;
		sp->has_hi = true;
	} else if (d > 0) {
		sp->lo = 0;
		sp->hi = -1;
		sp->has_lo = sp->has_hi = true;
	}
	return KT_SET_OK;
}

/* a*x + b <= ceiling */
static enum kt_set_status at_most(struct kt_span *sp, int64_t a, int64_t b, int64_t ceiling)
{
	if (a == INT64_MIN || b == INT64_MIN || ceiling == INT64_MIN)
		return KT_SET_OVERFLOW;
	return at_least(sp, -a, -b, -ceiling);
}

static bool make_empty(struct kt_span *sp)
{
	sp->lo = 0;
	sp->hi = -1;
	sp->has_lo = sp->has_hi = true;
	return true;
}

static bool add_extra(const struct kt_set *s, const struct kt_constraint *c, const int64_t *vars,
		      int64_t *sum)
{
	unsigned int i;
	int64_t t;

	for (i = 0; i < c->n_extra; i++)
		if (kt_expr_eval(c->extra[i].expr, vars, vars + s->n_dims, &t) != KT_SET_OK ||
		    __builtin_mul_overflow(t, c->extra[i].scale, &t) ||
		    __builtin_add_overflow(*sum, t, sum))
			return false;
	return true;
}

/* constant + sum coef*var, without @var. */
static inline bool linear_rest(const struct kt_set *s, const struct kt_constraint *c,
			       unsigned int var, const int64_t *vars, int64_t *out)
{
	unsigned int i, n = s->n_dims + s->n_syms;
	int64_t sum = c->constant, t;

	for (i = 0; i < n; i++) {
		if (i == var || !c->coef[i])
			continue;
		if (__builtin_mul_overflow(c->coef[i], vars[i], &t) ||
		    __builtin_add_overflow(sum, t, &sum))
			return false;
	}
	*out = sum;
	return true;
}

static bool outer_value(const struct kt_set *s, const struct kt_constraint *c,
			const int64_t *vars, int64_t *out)
{
	int64_t sum = c->outer_constant, t;
	unsigned int i;

	for (i = 0; i < s->n_syms; i++)
		if (__builtin_mul_overflow(c->outer_coef[i], vars[s->n_dims + i], &t) ||
		    __builtin_add_overflow(sum, t, &sum))
			return false;
	*out = sum;
	return !c->n_extra || add_extra(s, c, vars, out);
}

/* scale * floor((a*x + b) / m) + outer >= 0, or == 0 */
static enum kt_set_status narrow_div(const struct kt_constraint *c, int64_t a, int64_t b,
				     int64_t outer, struct kt_span *sp)
{
	int64_t m = c->divisor, t, low, high;
	enum kt_set_status st;

	if (c->scale == INT64_MIN || outer == INT64_MIN)
		return KT_SET_OVERFLOW;
	if (c->equality && outer % c->scale) {
		make_empty(sp);
		return KT_SET_OK;
	}
	/* the quotient is t, at least t or at most t */
	t = c->equality ? -outer / c->scale :
	    c->scale > 0 ? kt_ceildiv(-outer, c->scale) : kt_floordiv(outer, -c->scale);
	if (__builtin_mul_overflow(t, m, &low) || __builtin_add_overflow(low, m - 1, &high))
		return KT_SET_OVERFLOW;
	if (c->equality || c->scale > 0) {
		st = at_least(sp, a, b, low);
		if (st != KT_SET_OK || !c->equality)
			return st;
	}
	return at_most(sp, a, b, high);
}

/* scale * ((a*x + b) mod m) + outer == 0 with a = 1 or -1: x is one residue. */
static void narrow_mod(const struct kt_constraint *c, int64_t a, int64_t b, int64_t outer,
		       struct kt_span *sp)
{
	int64_t m = c->divisor, r;

	r = c->scale == 1 ? -outer : c->scale == -1 ? outer :
	    outer % c->scale ? -1 : -(outer / c->scale);
	if (r < 0 || r >= m) {
		make_empty(sp);
		return;
	}
	b = kt_mod(b, m);
	sp->step = m;
	sp->first = a > 0 ? kt_mod(r - b, m) : kt_mod(b - r, m);
}

static enum kt_set_status narrow_by(const struct kt_set *s, unsigned int i, unsigned int var,
				    const int64_t *vars, struct kt_span *sp)
{
	const struct kt_constraint *c = &s->constraints[i];
	int64_t a = c->coef[var], b, outer;
	enum kt_set_status st;

	if (c->form == KT_FORM_GENERAL) {
		sp->rest |= 1ull << i;
		return KT_SET_OK;
	}
	if (!linear_rest(s, c, var, vars, &b))
		return KT_SET_OVERFLOW;
	if (c->form == KT_FORM_LINEAR) {
		if (c->n_extra && !add_extra(s, c, vars, &b))
			return KT_SET_OVERFLOW;
		if (!c->equality)
			return at_least(sp, a, b, 0);
		if (a != 0 && a != 1 && a != -1 && b % a)
			make_empty(sp);
		st = at_least(sp, a, b, 0);
		return st == KT_SET_OK ? at_most(sp, a, b, 0) : st;
	}
	if (!outer_value(s, c, vars, &outer))
		return KT_SET_OVERFLOW;
	if (c->form == KT_FORM_DIV)
		return narrow_div(c, a, b, outer, sp);
	/* scale == -1 and the least outer would overflow in narrow_mod() */
	if (c->equality && (a == 1 || a == -1) && c->divisor > sp->step && outer != INT64_MIN) {
		/* the residue known before becomes a test */
		sp->rest |= sp->step > 1 ? sp->first_bit : 0;
		sp->first_bit = 1ull << i;
		narrow_mod(c, a, b, outer, sp);
	} else {
		sp->rest |= 1ull << i;
	}
	return KT_SET_OK;
}

/* The span of a quick set; false: arithmetic overflows, which kt_span_narrow() will see. */
static bool quick_span(const struct kt_set *s, const int64_t *vars, struct kt_span *sp)
{
	const struct kt_constraint *c = s->constraints, *end = c + s->n_constraints;
	unsigned int i, n = 1 + s->n_syms;

	for (; c < end; c++) {
		int64_t k = c->constant, t;

		for (i = 1; i < n; i++)
			if (__builtin_mul_overflow(c->coef[i], vars[i], &t) ||
			    __builtin_add_overflow(k, t, &k))
				return false;
		if (c->quick == KT_QUICK_MOST) {
			sp->hi = k < sp->hi ? k : sp->hi;
			sp->has_hi = true;
		} else if (c->quick == KT_QUICK_LEAST) {
			if (k == INT64_MIN)
				return false;
			sp->lo = -k > sp->lo ? -k : sp->lo;
			sp->has_lo = true;
		} else {
			sp->step = c->divisor;
			sp->first = kt_mod(c->residue - kt_mod(k, c->divisor), c->divisor);
		}
	}
	return true;
}

static inline void whole_span(struct kt_span *sp)
{
	sp->lo = INT64_MIN;
	sp->hi = INT64_MAX;
	sp->has_lo = sp->has_hi = false;
	sp->rest = sp->first_bit = 0;
	sp->step = 1;
	sp->first = 0;
}

enum kt_set_status kt_span_narrow(const struct kt_set *s, unsigned int var, const int64_t *vars,
				  uint64_t mask, struct kt_span *sp)
{
	unsigned int i;

	whole_span(sp);
	if (s->quick && mask == kt_set_all(s)) {
		if (quick_span(s, vars, sp))
			return KT_SET_OK;
		whole_span(sp);
	}
	for (i = 0; i < s->n_constraints; i++) {
		enum kt_set_status st;

		if (!(mask >> i & 1))
			continue;
		st = narrow_by(s, i, var, vars, sp);
		if (st != KT_SET_OK)
			return st;
		if (sp->hi < sp->lo)
			return KT_SET_OK;
	}
	return KT_SET_OK;
}

static enum kt_set_status value_at(const struct kt_set *s, const struct kt_constraint *c,
				   const int64_t *vars, int64_t *out)
{
	int64_t lin, outer, v;

	if (c->form != KT_FORM_MOD)
		return kt_expr_eval(c->expr, vars, vars + s->n_dims, out);
	if (!linear_rest(s, c, ~0u, vars, &lin) || !outer_value(s, c, vars, &outer) ||
	    __builtin_mul_overflow(c->scale, kt_mod(lin, c->divisor), &v) ||
	    __builtin_add_overflow(v, outer, out))
		return KT_SET_OVERFLOW;
	return KT_SET_OK;
}

enum kt_set_status kt_span_test(const struct kt_set *s, unsigned int var, int64_t *vars,
				uint64_t rest, int64_t x, bool *in)
{
	*in = false;
	vars[var] = x;
	for (; rest; rest &= rest - 1) {
		const struct kt_constraint *c = &s->constraints[__builtin_ctzll(rest)];
		enum kt_set_status st;
		int64_t v;

		st = value_at(s, c, vars, &v);
		if (st != KT_SET_OK)
			return st;
		if (c->equality ? v != 0 : v < 0)
			return KT_SET_OK;
	}
	*in = true;
	return KT_SET_OK;
}

/* f(x + q) = f(x) + p for all x, in one variable */
struct period {
	int64_t q, p;
};

static int64_t gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t t = a % b;

		a = b;
		b = t;
	}
	return a < 0 ? -a : a;
}

static bool lcm(int64_t a, int64_t b, int64_t *out)
{
	return !__builtin_mul_overflow(a / gcd(a, b), b, out);
}

/* Period of a sum: the drifts add up over the common period. */
static bool period_add(struct period a, struct period b, struct period *out)
{
	int64_t x, y;

	return lcm(a.q, b.q, &out->q) && !__builtin_mul_overflow(a.p, out->q / a.q, &x) &&
	       !__builtin_mul_overflow(b.p, out->q / b.q, &y) &&
	       !__builtin_add_overflow(x, y, &out->p);
}

/* Period of e mod m, e floordiv m, e ceildiv m: as many of e's as make m divide the drift. */
static bool period_div(struct period a, int64_t m, bool mod, struct period *out)
{
	int64_t j;

	if (m <= 0 || a.p == INT64_MIN)
		return false;
	j = m / gcd(a.p, m);
	out->p = mod ? 0 : a.p / (m / j);
	return !__builtin_mul_overflow(a.q, j, &out->q);
}

static bool period_of(const struct kt_expr *e, unsigned int var, struct period *out)
{
	struct period a, b;
	int64_t k;

	if (e->kind < KT_EXPR_ADD) {
		out->q = 1;
		out->p = e->kind == KT_EXPR_DIM && e->value == (int64_t)var;
		return true;
	}
	if (e->kind == KT_EXPR_ADD)
		return period_of(e->lhs, var, &a) && period_of(e->rhs, var, &b) &&
		       period_add(a, b, out);
	if (e->kind == KT_EXPR_MUL && e->lhs->kind == KT_EXPR_CONST) {
		k = e->lhs->value;
		if (!period_of(e->rhs, var, &a))
			return false;
	} else if (e->rhs->kind == KT_EXPR_CONST) {
		k = e->rhs->value;
		if (!period_of(e->lhs, var, &a))
			return false;
	} else {
		return false;
	}
	if (e->kind != KT_EXPR_MUL)
		return period_div(a, k, e->kind == KT_EXPR_MOD, out);
	out->q = a.q;
	return !__builtin_mul_overflow(a.p, k, &out->p);
}

/* The open constraints with their drifts over the common period. */
struct residues {
	uint64_t rest;
	int64_t period;			/* 0: too long to be useful */
	int64_t drift[KT_SET_MAX_CONSTRAINTS];
};

static void find_period(const struct kt_set *s, unsigned int var, const struct kt_span *sp,
			struct residues *r)
{
	struct period p[KT_SET_MAX_CONSTRAINTS];
	uint64_t m;

	r->rest = sp->rest;
	r->period = sp->step;
	for (m = sp->rest; m; m &= m - 1) {
		unsigned int i = __builtin_ctzll(m);

		if (!period_of(s->constraints[i].expr, var, &p[i]) ||
		    !lcm(r->period, p[i].q, &r->period)) {
			r->period = 0;
			return;
		}
	}
	for (m = sp->rest; m; m &= m - 1) {
		unsigned int i = __builtin_ctzll(m);

		if (__builtin_mul_overflow(p[i].p, r->period / p[i].q, &r->drift[i])) {
			r->period = 0;
			return;
		}
	}
}

/* Members x0 + t*period of one residue: t in [lo, hi]. */
struct steps {
	__int128 lo, hi;
	bool has_lo, has_hi, empty;
};

static __int128 floor128(__int128 a, __int128 b)
{
	return a / b - (a % b < 0);
}

static void steps_least(struct steps *t, __int128 v)
{
	if (!t->has_lo || v > t->lo)
		t->lo = v;
	t->has_lo = true;
}

static void steps_most(struct steps *t, __int128 v)
{
	if (!t->has_hi || v < t->hi)
		t->hi = v;
	t->has_hi = true;
}

/* v + t*drift >= 0, or == 0 */
static void steps_by(struct steps *t, int64_t v, int64_t drift, bool equality)
{
	__int128 d = drift;

	if (!drift) {
		t->empty |= equality ? v != 0 : v < 0;
	} else if (equality) {
		t->empty |= v % d != 0;
		steps_least(t, -v / d);
		steps_most(t, -v / d);
	} else if (drift > 0) {
		steps_least(t, -floor128(v, d));
	} else {
		steps_most(t, floor128(v, -d));
	}
}

static enum kt_set_status residue_steps(const struct kt_set *s, unsigned int var, int64_t *vars,
					const struct kt_span *sp, const struct residues *r,
					int64_t x0, struct steps *t)
{
	uint64_t m;

	memset(t, 0, sizeof(*t));
	if (sp->has_lo)
		steps_least(t, -floor128((__int128)x0 - sp->lo, r->period));
	if (sp->has_hi)
		steps_most(t, floor128((__int128)sp->hi - x0, r->period));
	vars[var] = x0;
	for (m = r->rest; m && !t->empty; m &= m - 1) {
		unsigned int i = __builtin_ctzll(m);
		enum kt_set_status st;
		int64_t v;

		st = value_at(s, &s->constraints[i], vars, &v);
		if (st != KT_SET_OK)
			return st;
		steps_by(t, v, r->drift[i], s->constraints[i].equality);
	}
	t->empty |= t->has_lo && t->has_hi && t->lo > t->hi;
	return KT_SET_OK;
}

static void extent_add(struct kt_extent *ext, int64_t min, int64_t max, uint64_t count)
{
	if (ext->empty || min < ext->min)
		ext->min = min;
	if (ext->empty || max > ext->max)
		ext->max = max;
	ext->empty = false;
	if (__builtin_add_overflow(ext->count, count, &ext->count))
		ext->count = UINT64_MAX;
}

static enum kt_set_status extent_residue(struct kt_extent *ext, const struct steps *t, int64_t x0,
					 int64_t period, int64_t bound)
{
	__int128 min = x0 + t->lo * period, max = x0 + t->hi * period, above, first;
	__int128 n = t->hi - t->lo + 1;

	if (min < INT64_MIN || max > INT64_MAX)
		return KT_SET_OVERFLOW;
	extent_add(ext, (int64_t)min, (int64_t)max, n > UINT64_MAX ? UINT64_MAX : (uint64_t)n);
	first = -floor128((__int128)x0 - bound, period);
	above = x0 + (first > t->lo ? first : t->lo) * period;
	if (above <= max && (!ext->has_above || above < ext->above)) {
		ext->above = (int64_t)above;
		ext->has_above = true;
	}
	return KT_SET_OK;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static enum kt_set_status members_tested(const struct kt_set *s, unsigned int var, int64_t *vars,
					 const struct kt_span *sp, int64_t lo, int64_t hi,
					 uint32_t *ids, uint32_t *n)
{
	int64_t x = lo + kt_mod(sp->first - lo, sp->step);

	for (; x <= hi; x += sp->step) {
		enum kt_set_status st = KT_SET_OK;
		bool in = true;

		if (sp->rest)
			st = kt_span_test(s, var, vars, sp->rest, x, &in);
		if (st != KT_SET_OK)
			return st;
		if (in)
			ids[(*n)++] = (uint32_t)x;
	}
	return KT_SET_OK;
}

/* Few residues in a wide range: each has its members in closed form. */
static enum kt_set_status members_by_residue(const struct kt_set *s, unsigned int var,
					     int64_t *vars, const struct kt_span *sp,
					     const struct residues *r, uint32_t *ids, uint32_t *n)
{
	int64_t i, residues = r->period / sp->step;

	for (i = 0; i < residues; i++) {
		int64_t x0 = sp->first + i * sp->step;
		enum kt_set_status st;
		struct steps t;
		__int128 k;

		st = residue_steps(s, var, vars, sp, r, x0, &t);
		if (st != KT_SET_OK)
			return st;
		for (k = t.lo; !t.empty && k <= t.hi; k++)
			ids[(*n)++] = (uint32_t)(x0 + k * r->period);
	}
	if (residues > 1)
		qsort(ids, *n, sizeof(*ids), compare_ids);
	return KT_SET_OK;
}

enum kt_set_status kt_span_members(const struct kt_set *s, unsigned int var, int64_t *vars,
				   const struct kt_span *sp, int64_t lo, int64_t hi, uint32_t *ids,
				   uint32_t *n)
{
	struct kt_span part = *sp;
	struct residues r;

	*n = 0;
	if (sp->rest && (hi - lo) / sp->step > 8) {
		find_period(s, var, sp, &r);
		part.lo = lo;
		part.hi = hi;
		part.has_lo = part.has_hi = true;
		if (r.period && r.period / sp->step < (hi - lo) / sp->step / 2)
			return members_by_residue(s, var, vars, &part, &r, ids, n);
	}
	return members_tested(s, var, vars, sp, lo, hi, ids, n);
}

/* The period is too long; look at every candidate when the interval is short. */
static enum kt_set_status extent_scan(const struct kt_set *s, unsigned int var, int64_t *vars,
				      const struct kt_span *sp, int64_t bound,
				      struct kt_extent *ext)
{
	__int128 x = (__int128)sp->lo + kt_mod(kt_mod(sp->first, sp->step) -
					       kt_mod(sp->lo, sp->step), sp->step);
	enum kt_set_status st;
	bool in;

	if (!sp->has_lo || !sp->has_hi || (sp->hi - x) / sp->step > KT_SET_MAX_RESIDUES)
		return KT_SET_OVERFLOW;
	for (; x <= sp->hi; x += sp->step) {
		st = kt_span_test(s, var, vars, sp->rest, (int64_t)x, &in);
		if (st != KT_SET_OK)
			return st;
		if (!in)
			continue;
		extent_add(ext, (int64_t)x, (int64_t)x, 1);
		if (x >= bound && !ext->has_above) {
			ext->above = (int64_t)x;
			ext->has_above = true;
		}
	}
	return KT_SET_OK;
}

enum kt_set_status kt_span_extent(const struct kt_set *s, unsigned int var, int64_t *vars,
				  const struct kt_span *sp, int64_t bound, struct kt_extent *ext)
{
	struct residues r;
	int64_t i, n;

	memset(ext, 0, sizeof(*ext));
	ext->empty = true;
	find_period(s, var, sp, &r);
	n = r.period / sp->step;
	if (!n || n > KT_SET_MAX_RESIDUES)
		return extent_scan(s, var, vars, sp, bound, ext);
	for (i = 0; i < n; i++) {
		int64_t x0 = sp->first + i * sp->step;
		enum kt_set_status st;
		struct steps t;

		st = residue_steps(s, var, vars, sp, &r, x0, &t);
		if (st != KT_SET_OK)
			return st;
		if (t.empty)
			continue;
		if (!t.has_lo || !t.has_hi) {
			ext->empty = false;
			ext->infinite = true;
			return KT_SET_OK;
		}
		st = extent_residue(ext, &t, x0, r.period, bound);
		if (st != KT_SET_OK)
			return st;
	}
	return KT_SET_OK;
}
