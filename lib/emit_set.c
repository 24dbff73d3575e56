// SPDX-License-Identifier: MIT
/*
 * Affine sets for tile lists. First what a person would write (a range, a coset, digits
 * of a base that counts with the group), each held against the lists; where none fits, a
 * sum of steps that is 1 exactly on the members.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emit.h"

/* Lists of tiles per value of a symbol. */
struct lists {
	uint32_t n;			/* symbol values 0..n-1 */
	const uint32_t **ids;
	uint32_t *count;
	uint32_t cores;
};

#define MAX_TERMS	24
#define MAX_STEPS	4096u		/* terms of a sum of steps */
#define MAX_STEP_DOMAIN	(1u << 24)

/* Constraints under construction. */
struct draft {
	struct kt_arena *a;
	uint32_t n;
	const struct kt_expr *e[MAX_TERMS];
	bool eq[MAX_TERMS];
	bool failed;
	bool too_long;		/* the lists follow no pattern, and the steps are too many */
};

static void want(struct draft *d, const struct kt_expr *e, bool eq)
{
	if (!e || d->n == MAX_TERMS) {
		d->failed = true;
		return;
	}
	d->e[d->n] = e;
	d->eq[d->n++] = eq;
}

static bool member(const struct draft *d, int64_t id, const int64_t *syms)
{
	uint32_t i;

	for (i = 0; i < d->n; i++) {
		int64_t v = kt_e_value(d->e[i], &id, syms);

		if (d->eq[i] ? v != 0 : v < 0)
			return false;
	}
	return true;
}

/* Does the draft hold exactly the listed tiles for every symbol value? */
static bool exact(const struct draft *d, const struct lists *l)
{
	uint32_t g, i, k;

	for (g = 0; g < l->n; g++) {
		int64_t sym = g;

		for (i = 0, k = 0; i < l->cores; i++) {
			bool in = k < l->count[g] && l->ids[g][k] == i;

			k += in;
			if (member(d, i, &sym) != in)
				return false;
		}
	}
	return true;
}

/* Offsets of a list from its first, the same for all lists? */
static bool same_shape(const struct lists *l)
{
	uint32_t g, k;

	for (g = 1; g < l->n; g++) {
		if (l->count[g] != l->count[0])
			return false;
		for (k = 0; k < l->count[0]; k++)
			if (l->ids[g][k] - l->ids[g][0] != l->ids[0][k] - l->ids[0][0])
				return false;
	}
	return true;
}

/* Digits of an ascending offset list, fastest first; 0: it does not count. */
static uint32_t digits_of(const uint32_t *ids, uint32_t n, uint32_t *stride, uint32_t *count)
{
	uint32_t block = 1, digits = 0, k, step, m;

	while (block < n) {
		if (digits == 8)
			return 0;
		step = ids[block] - ids[0];
		for (m = 2; m * block < n && ids[m * block] - ids[0] == m * step; m++)
			;
		stride[digits] = step;
		count[digits++] = m;
		block *= m;
		if (n % block)
			return 0;
	}
	for (k = 0; k < n; k++) {
		uint32_t at = 0, rest = k, i;

		for (i = 0; i < digits; i++) {
			at += rest % count[i] * stride[i];
			rest /= count[i];
		}
		if (ids[k] - ids[0] != at)
			return 0;
	}
	return digits;
}

/* x = i - lo(g) must be a sum of digits. */
static void digit_constraints(struct draft *d, const struct kt_expr *x, const uint32_t *stride,
			      const uint32_t *count, uint32_t digits)
{
	const struct kt_expr *rem = x;
	uint32_t i, k, span;

	for (i = digits; i-- > 0;) {
		span = 0;
		for (k = 0; k <= i; k++)
			span += stride[k] * (count[k] - 1);
		if (i + 1 == digits)
			want(d, rem, false);
		if (i + 1 == digits || span + 1 < stride[i + 1])
			want(d, kt_e_add(d->a, kt_e_mul(d->a, rem, -1), kt_e_const(d->a, span)),
			     false);
		if (stride[i] > 1)
			rem = kt_e_mod(d->a, rem, stride[i]);
	}
	if (stride[0] > 1)
		want(d, rem, true);
}

static bool is_linear(const struct kt_expr *e)
{
	if (e->kind == KT_EXPR_MOD || e->kind == KT_EXPR_FLOORDIV)
		return false;
	return (!e->lhs || is_linear(e->lhs)) && (!e->rhs || is_linear(e->rhs));
}

/* Bounds a reader sees at once, where the other constraints hide them. */
static void device_bounds(struct draft *d, uint32_t cores)
{
	want(d, kt_e_dim(d->a, 0), false);
	want(d, kt_e_add(d->a, kt_e_mul(d->a, kt_e_dim(d->a, 0), -1),
			 kt_e_const(d->a, (int64_t)cores - 1)), false);
}

static bool try_digits(struct draft *d, const struct lists *l)
{
	uint32_t stride[8], count[8], digits, g;
	const struct kt_expr *lo, *x;
	int64_t *base;

	if (!same_shape(l))
		return false;
	base = malloc(l->n * sizeof(*base));
	if (!base)
		return false;
	for (g = 0; g < l->n; g++)
		base[g] = l->ids[g][0];
	lo = kt_fit(d->a, base, l->n, kt_e_sym(d->a, 0));
	free(base);
	if (!lo)
		return false;
	x = kt_e_add(d->a, kt_e_dim(d->a, 0), kt_e_mul(d->a, lo, -1));
	if (!is_linear(lo))
		device_bounds(d, l->cores);
	if (l->count[0] == 1) {
		want(d, x, true);
	} else {
		digits = digits_of(l->ids[0], l->count[0], stride, count);
		if (!digits)
			return false;
		digit_constraints(d, x, stride, count, digits);
	}
	return !d->failed && exact(d, l);
}

/* 1 on members, 0 elsewhere, as steps over t = cores * g + i. */
static bool by_steps(struct draft *d, const struct lists *l)
{
	size_t n = (size_t)l->n * l->cores, k;
	const struct kt_expr *t, *e;
	int64_t *f;
	uint32_t g, i, steps = 0;

	d->too_long = n > MAX_STEP_DOMAIN;
	if (d->too_long)
		return false;
	f = calloc(n, sizeof(*f));
	if (!f)
		return false;
	for (g = 0; g < l->n; g++)
		for (i = 0; i < l->count[g]; i++) {
			k = (size_t)g * l->cores + l->ids[g][i];
			f[k] = 1;
		}
	for (k = 1; k < n; k++)
		steps += f[k] != f[k - 1];
	d->too_long = steps > MAX_STEPS;
	t = kt_e_dim(d->a, 0);
	if (l->n > 1)
		t = kt_e_add(d->a, kt_e_mul(d->a, kt_e_sym(d->a, 0), l->cores), t);
	e = d->too_long ? NULL : kt_fit_steps(d->a, f, (uint32_t)n, t);
	free(f);
	d->n = 0;
	d->failed = false;
	device_bounds(d, l->cores);
	want(d, kt_e_add(d->a, e, kt_e_const(d->a, -1)), true);
	return !d->failed;
}

static const char *set_text(const struct draft *d, const char *head, const char *const *dims,
			    const char *const *syms)
{
	char *buf = NULL, *copy;
	size_t len = 0;
	uint32_t i;
	FILE *f = open_memstream(&buf, &len);

	if (!f)
		return NULL;
	fprintf(f, "affine_set<%s : (", head);
	for (i = 0; i < d->n; i++) {
		if (i)
			fputs(", ", f);
		kt_e_print(f, d->e[i], dims, syms);
		fputs(d->eq[i] ? " == 0" : " >= 0", f);
	}
	fputs(")>", f);
	if (fclose(f)) {
		free(buf);
		return NULL;
	}
	copy = kt_strndup(d->a, buf, len);
	free(buf);
	return copy;
}

static const char *tile_set(struct kt_arena *a, const struct lists *l, const char *sym,
			    bool *too_long)
{
	static const char *const dims[] = { "i" };
	const char *const syms[] = { sym };
	struct draft d = { .a = a };
	char head[32];

	snprintf(head, sizeof(head), "(i)[%s]", sym);
	if (!try_digits(&d, l) && !by_steps(&d, l)) {
		*too_long = *too_long || d.too_long;
		return NULL;
	}
	return set_text(&d, head, dims, syms);
}

/* --- dependency sets ---------------------------------------------------------------------- */

/* Producer as a function of (c, g) that a person would write: A(g) + B(c mod m). */
static const struct kt_expr *dep_by_group(const struct kt_move *m, struct kt_arena *a)
{
	uint32_t per = m->groups[0].n_consumers, g, k;
	const struct kt_expr *ea, *eb;
	int64_t *base, *off;

	for (g = 0; g < m->n_groups; g++) {
		const struct ktdev_group *v = &m->groups[g];

		if (v->n_consumers != per || v->consumers[0] % per ||
		    v->consumers[per - 1] - v->consumers[0] != per - 1)
			return NULL;
		for (k = 0; k < per; k++)
			if ((int64_t)v->dep[k] - v->dep[0] !=
			    (int64_t)m->groups[0].dep[k] - m->groups[0].dep[0])
				return NULL;
	}
	base = malloc(((size_t)m->n_groups + per) * sizeof(*base));
	if (!base)
		return NULL;
	off = base + m->n_groups;
	for (g = 0; g < m->n_groups; g++)
		base[g] = m->groups[g].dep[0];
	for (k = 0; k < per; k++)
		off[k] = (int64_t)m->groups[0].dep[k] - m->groups[0].dep[0];
	ea = kt_fit(a, base, m->n_groups, kt_e_sym(a, 1));
	eb = kt_fit(a, off, per, kt_e_mod(a, kt_e_sym(a, 0), per));
	free(base);
	return kt_e_add(a, ea, eb);
}

struct choice {
	uint32_t c, p;
};

static int choice_order(const void *pa, const void *pb)
{
	const struct choice *a = pa, *b = pb;

	return a->c < b->c ? -1 : a->c > b->c;
}

static struct choice *all_choices(const struct kt_move *m, uint32_t *n)
{
	uint32_t g, k, total = 0;
	struct choice *v;

	for (g = 0; g < m->n_groups; g++)
		total += m->groups[g].n_consumers;
	v = malloc(((size_t)total + 1) * sizeof(*v));
	for (g = 0, *n = 0; v && g < m->n_groups; g++)
		for (k = 0; k < m->groups[g].n_consumers; k++)
			v[(*n)++] = (struct choice){ m->groups[g].consumers[k],
						     m->groups[g].dep[k] };
	if (v)
		qsort(v, *n, sizeof(*v), choice_order);
	return v;
}

/* Producer as digits of the consumer alone; consumers at base + stride * k. */
static const struct kt_expr *dep_by_consumer(const struct choice *v, uint32_t n,
					     struct kt_arena *a)
{
	uint32_t k, step = n > 1 ? v[1].c - v[0].c : 1;
	const struct kt_expr *x, *e;
	int64_t *f;

	for (k = 1; k < n; k++)
		if (v[k].c != v[0].c + k * step)
			return NULL;
	f = malloc(n * sizeof(*f));
	if (!f)
		return NULL;
	for (k = 0; k < n; k++)
		f[k] = v[k].p;
	x = kt_e_div(a, kt_e_add(a, kt_e_sym(a, 0), kt_e_const(a, -(int64_t)v[0].c)), step);
	e = kt_fit(a, f, n, x);
	free(f);
	return e;
}

/* Producer by steps over the consumers. */
static const struct kt_expr *dep_by_steps(const struct choice *v, uint32_t n, uint32_t cores,
					  struct kt_arena *a, bool *too_long)
{
	const struct kt_expr *e;
	int64_t *f = malloc(cores * sizeof(*f));
	uint32_t c, k = 0, steps = 0;

	if (!f)
		return NULL;
	for (c = 0; c < cores; c++) {
		if (k + 1 < n && v[k + 1].c <= c)
			k++;
		f[c] = v[k].p;
	}
	for (c = 1; c < cores; c++)
		steps += f[c] != f[c - 1];
	*too_long = steps > MAX_STEPS;
	e = *too_long ? NULL : kt_fit_steps(a, f, cores, kt_e_sym(a, 0));
	free(f);
	return e;
}

static bool dep_exact(const struct kt_move *m, const struct kt_expr *e)
{
	uint32_t g, k;

	for (g = 0; g < m->n_groups; g++)
		for (k = 0; k < m->groups[g].n_consumers; k++) {
			int64_t syms[2] = { m->groups[g].consumers[k], g };

			if (kt_e_value(e, NULL, syms) != m->groups[g].dep[k])
				return false;
		}
	return true;
}

static const char *dep_set(const struct kt_move *m, uint32_t cores, struct kt_arena *a,
			   bool *too_long)
{
	static const char *const dims[] = { "p" }, *const syms[] = { "c", "g" };
	struct draft d = { .a = a };
	const struct kt_expr *e = dep_by_group(m, a);
	const char *head = "(p)[c, g]";
	struct choice *v;
	uint32_t n;

	if (!e || !dep_exact(m, e)) {
		head = "(p)[c]";
		v = all_choices(m, &n);
		if (!v)
			return NULL;
		e = dep_by_consumer(v, n, a);
		if (!e || !dep_exact(m, e))
			e = dep_by_steps(v, n, cores, a, too_long);
		free(v);
		if (!e || !dep_exact(m, e))
			return NULL;
	}
	if (!is_linear(e))
		device_bounds(&d, cores);
	want(&d, kt_e_add(a, kt_e_dim(a, 0), kt_e_mul(a, e, -1)), true);
	return d.failed ? NULL : set_text(&d, head, dims, syms);
}

int kt_move_sets(const struct kt_move *m, uint32_t cores, struct kt_arena *a,
		 struct kt_set_texts *out)
{
	struct lists l = { .n = m->n_groups, .cores = cores };
	bool too_long = false;
	char text[80];
	uint32_t g;
	int ret = -ENOMEM;

	memset(out, 0, sizeof(*out));
	l.ids = malloc(l.n * (sizeof(*l.ids) + sizeof(*l.count)));
	if (!l.ids)
		return -ENOMEM;
	l.count = (uint32_t *)(l.ids + l.n);
	if (l.n == 1)
		snprintf(text, sizeof(text), "affine_set<(g) : (g == 0)>");
	else
		snprintf(text, sizeof(text), "affine_set<(g) : (g >= 0, -g + %u >= 0)>", l.n - 1);
	out->groups = kt_strndup(a, text, strlen(text));
	for (g = 0; g < l.n; g++) {
		l.ids[g] = m->groups[g].producers;
		l.count[g] = m->groups[g].n_producers;
	}
	out->producers = tile_set(a, &l, "g", &too_long);
	for (g = 0; g < l.n; g++) {
		l.ids[g] = m->groups[g].consumers;
		l.count[g] = m->groups[g].n_consumers;
	}
	out->consumers = tile_set(a, &l, "g", &too_long);
	if (m->deps)
		out->dep = dep_set(m, cores, a, &too_long);
	if (too_long)
		ret = -ERANGE;
	else if (out->groups && out->producers && out->consumers && (out->dep || !m->deps))
		ret = 0;
	free(l.ids);
	return ret;
}
