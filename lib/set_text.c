// SPDX-License-Identifier: MIT
/*
 * Sets as text, and equality.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "set.h"

/* A growing string; fails once and for all. */
struct text {
	char *s;
	size_t n, cap;
	bool failed;
};

static void put(struct text *t, const char *s)
{
	size_t len = strlen(s);

	if (t->failed)
		return;
	if (t->n + len + 1 > t->cap) {
		size_t cap = (t->n + len + 1) * 2;
		char *more = realloc(t->s, cap);

		if (!more) {
			t->failed = true;
			return;
		}
		t->s = more;
		t->cap = cap;
	}
	memcpy(t->s + t->n, s, len + 1);
	t->n += len;
}

static void put_int(struct text *t, int64_t v)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "%" PRId64, v);
	put(t, buf);
}

static bool negated(const struct kt_expr *e)
{
	return e->kind == KT_EXPR_MUL && e->rhs->kind == KT_EXPR_CONST && e->rhs->value == -1;
}

static void put_expr(struct text *t, const struct kt_expr *e, bool nested);

/* The right side of a sum, with its sign. */
static void put_addend(struct text *t, const struct kt_expr *e)
{
	bool minus = negated(e);

	if (e->kind == KT_EXPR_CONST && e->value < 0 && e->value != INT64_MIN) {
		put(t, " - ");
		put_int(t, -e->value);
		return;
	}
	put(t, minus ? " - " : " + ");
	e = minus ? e->lhs : e;
	put_expr(t, e, e->kind == KT_EXPR_ADD || negated(e));
}

static void put_expr(struct text *t, const struct kt_expr *e, bool nested)
{
	static const char *const ops[] = {
		[KT_EXPR_MUL] = " * ", [KT_EXPR_MOD] = " mod ",
		[KT_EXPR_FLOORDIV] = " floordiv ", [KT_EXPR_CEILDIV] = " ceildiv ",
	};

	switch (e->kind) {
	case KT_EXPR_CONST:
		put_int(t, e->value);
		return;
	case KT_EXPR_DIM:
	case KT_EXPR_SYM:
		put(t, e->kind == KT_EXPR_DIM ? "d" : "s");
		put_int(t, e->value);
		return;
	default:
		break;
	}
	if (negated(e)) {
		put(t, "-");
		put_expr(t, e->lhs, true);
		return;
	}
	if (nested)
		put(t, "(");
	if (e->kind == KT_EXPR_ADD) {
		put_expr(t, e->lhs, false);
		put_addend(t, e->rhs);
	} else {
		put_expr(t, e->lhs, true);
		put(t, ops[e->kind]);
		put_expr(t, e->rhs, true);
	}
	if (nested)
		put(t, ")");
}

static void put_names(struct text *t, const char *open, char name, unsigned int n,
		      const char *close)
{
	unsigned int i;
	char buf[16];

	put(t, open);
	for (i = 0; i < n; i++) {
		snprintf(buf, sizeof(buf), "%s%c%u", i ? ", " : "", name, i);
		put(t, buf);
	}
	put(t, close);
}

static void put_affine(struct text *t, const struct kt_set *s)
{
	unsigned int i;

	put_names(t, "affine_set<(", 'd', s->n_dims, ")");
	if (s->n_syms)
		put_names(t, "[", 's', s->n_syms, "]");
	put(t, " : (");
	for (i = 0; i < s->n_constraints; i++) {
		put(t, i ? ", " : "");
		put_expr(t, s->constraints[i].expr, false);
		put(t, s->constraints[i].equality ? " == 0" : " >= 0");
	}
	put(t, ")>");
}

static void put_list(struct text *t, const struct kt_tiles *l)
{
	uint32_t i;

	put(t, "[");
	for (i = 0; i < l->n; i++) {
		put(t, i ? ", " : "");
		put_int(t, l->ids[i]);
	}
	put(t, "]");
}

static void put_lists(struct text *t, const struct kt_set *s)
{
	unsigned int i;

	if (s->flat) {
		put_list(t, &s->lists[0]);
		return;
	}
	put(t, "[");
	for (i = 0; i < s->n_lists; i++) {
		put(t, i ? ", " : "");
		put_list(t, &s->lists[i]);
	}
	put(t, "]");
}

const char *kt_set_text(struct kt_arena *a, const struct kt_set *s)
{
	struct text t = { 0 };
	char *out = NULL;

	if (s->enumerated)
		put_lists(&t, s);
	else
		put_affine(&t, s);
	if (!t.failed)
		out = kt_strndup(a, t.s, t.n);
	free(t.s);
	return out;
}

static bool expr_equal(const struct kt_expr *a, const struct kt_expr *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind < KT_EXPR_ADD)
		return a->value == b->value;
	return expr_equal(a->lhs, b->lhs) && expr_equal(a->rhs, b->rhs);
}

static bool constraint_equal(const struct kt_constraint *a, const struct kt_constraint *b)
{
	if (a->equality != b->equality)
		return false;
	if (a->linear && b->linear)
		return a->constant == b->constant && !memcmp(a->coef, b->coef, sizeof(a->coef));
	return expr_equal(a->expr, b->expr);
}

static bool same_form(const struct kt_set *a, const struct kt_set *b)
{
	unsigned int i;

	if (a->n_constraints != b->n_constraints)
		return false;
	for (i = 0; i < a->n_constraints; i++)
		if (!constraint_equal(&a->constraints[i], &b->constraints[i]))
			return false;
	return true;
}

static bool same_lists(const struct kt_set *a, const struct kt_set *b)
{
	unsigned int i;

	if (a->flat != b->flat || a->n_lists != b->n_lists)
		return false;
	for (i = 0; i < a->n_lists; i++)
		if (!kt_tiles_equal(&a->lists[i], &b->lists[i]) ||
		    (a->below ? a->below[i] : 0) != (b->below ? b->below[i] : 0))
			return false;
	return true;
}

#define EQUAL_MAX_MEMBERS	65536

static bool same_members(const struct kt_set *a, const struct kt_set *b)
{
	struct kt_arena arena = { 0 };
	int64_t *ia, *ib;
	uint32_t na, nb;
	bool same;

	same = kt_set_members(a, EQUAL_MAX_MEMBERS, &arena, &ia, &na) == KT_SET_OK &&
	       kt_set_members(b, EQUAL_MAX_MEMBERS, &arena, &ib, &nb) == KT_SET_OK &&
	       na == nb && (!na || !memcmp(ia, ib, na * sizeof(*ia)));
	kt_arena_fini(&arena);
	return same;
}

bool kt_set_equal(const struct kt_set *a, const struct kt_set *b)
{
	if (a == b)
		return true;
	if (a->enumerated && b->enumerated)
		return same_lists(a, b);
	if (!a->enumerated && !b->enumerated) {
		if (a->n_dims != b->n_dims || a->n_syms != b->n_syms)
			return false;
		if (same_form(a, b))
			return true;
	}
	return same_members(a, b);
}
