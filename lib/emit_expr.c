// SPDX-License-Identifier: MIT
/*
 * Quasi-affine expressions: building, evaluating, printing, and finding one for a list of
 * numbers. A list that counts in a mixed radix is a sum of stride * digit with digit =
 * (x floordiv u) mod n; any other list is a sum of steps.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emit.h"

static const struct kt_expr *node(struct kt_arena *a, enum kt_expr_kind kind, int64_t value,
				  const struct kt_expr *l, const struct kt_expr *r)
{
	struct kt_expr *e = kt_alloc(a, sizeof(*e));

	if (!e)
		return NULL;
	e->kind = kind;
	e->value = value;
	e->lhs = l;
	e->rhs = r;
	return e;
}

const struct kt_expr *kt_e_const(struct kt_arena *a, int64_t v)
{
	return node(a, KT_EXPR_CONST, v, NULL, NULL);
}

const struct kt_expr *kt_e_dim(struct kt_arena *a, int64_t index)
{
	return node(a, KT_EXPR_DIM, index, NULL, NULL);
}

const struct kt_expr *kt_e_sym(struct kt_arena *a, int64_t index)
{
	return node(a, KT_EXPR_SYM, index, NULL, NULL);
}

static bool is_const(const struct kt_expr *e, int64_t v)
{
	return e->kind == KT_EXPR_CONST && e->value == v;
}

const struct kt_expr *kt_e_add(struct kt_arena *a, const struct kt_expr *l,
			       const struct kt_expr *r)
{
	if (!l || !r)
		return NULL;
	if (is_const(r, 0))
		return l;
	if (is_const(l, 0))
		return r;
	if (l->kind == KT_EXPR_CONST && r->kind == KT_EXPR_CONST)
		return kt_e_const(a, l->value + r->value);
	if (r->kind == KT_EXPR_ADD)	/* one chain from the left */
		return kt_e_add(a, kt_e_add(a, l, r->lhs), r->rhs);
	if (l->kind == KT_EXPR_ADD && l->rhs->kind == KT_EXPR_CONST)
		return r->kind == KT_EXPR_CONST ?
			kt_e_add(a, l->lhs, kt_e_const(a, l->rhs->value + r->value)) :
			kt_e_add(a, kt_e_add(a, l->lhs, r), l->rhs);
	return node(a, KT_EXPR_ADD, 0, l, r);
}

const struct kt_expr *kt_e_mul(struct kt_arena *a, const struct kt_expr *l, int64_t k)
{
	if (!l || k == 1)
		return l;
	if (!k || is_const(l, 0))
		return kt_e_const(a, 0);
	if (l->kind == KT_EXPR_CONST)
		return kt_e_const(a, l->value * k);
	if (l->kind == KT_EXPR_MUL)
		return kt_e_mul(a, l->lhs, l->rhs->value * k);
	if (l->kind == KT_EXPR_ADD && k == -1)
		return kt_e_add(a, kt_e_mul(a, l->lhs, -1), kt_e_mul(a, l->rhs, -1));
	return node(a, KT_EXPR_MUL, 0, l, kt_e_const(a, k));
}

const struct kt_expr *kt_e_mod(struct kt_arena *a, const struct kt_expr *l, int64_t k)
{
	if (!l || is_const(l, 0))
		return l;
	return node(a, KT_EXPR_MOD, 0, l, kt_e_const(a, k));
}

const struct kt_expr *kt_e_div(struct kt_arena *a, const struct kt_expr *l, int64_t k)
{
	if (!l || k == 1)
		return l;
	if (l->kind == KT_EXPR_FLOORDIV)
		return kt_e_div(a, l->lhs, l->rhs->value * k);
	return node(a, KT_EXPR_FLOORDIV, 0, l, kt_e_const(a, k));
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

int64_t kt_e_value(const struct kt_expr *e, const int64_t *dims, const int64_t *syms)
{
	int64_t l, r;

	switch (e->kind) {
	case KT_EXPR_CONST:
		return e->value;
	case KT_EXPR_DIM:
		return dims[e->value];
	case KT_EXPR_SYM:
		return syms[e->value];
	default:
		break;
	}
	l = kt_e_value(e->lhs, dims, syms);
	r = kt_e_value(e->rhs, dims, syms);
	switch (e->kind) {
	case KT_EXPR_ADD:
		return l + r;
	case KT_EXPR_MUL:
		return l * r;
	case KT_EXPR_MOD:
		return l - floor_div(l, r) * r;
	default:
		return floor_div(l, r);
	}
}

/* Is the value printed with a leading minus? */
static bool negative(const struct kt_expr *e)
{
	if (e->kind == KT_EXPR_CONST)
		return e->value < 0;
	return e->kind == KT_EXPR_MUL && e->rhs->kind == KT_EXPR_CONST && e->rhs->value < 0;
}

static void print(FILE *f, const struct kt_expr *e, const char *const *dims,
		  const char *const *syms, bool atom, bool drop_sign)
{
	bool paren = atom && e->kind != KT_EXPR_CONST && e->kind != KT_EXPR_DIM &&
		     e->kind != KT_EXPR_SYM;
	int64_t k;

	if (paren)
		fputc('(', f);
	switch (e->kind) {
	case KT_EXPR_CONST:
		fprintf(f, "%" PRId64, drop_sign ? -e->value : e->value);
		break;
	case KT_EXPR_DIM:
		fputs(dims[e->value], f);
		break;
	case KT_EXPR_SYM:
		fputs(syms[e->value], f);
		break;
	case KT_EXPR_ADD:
		print(f, e->lhs, dims, syms, false, false);
		fputs(negative(e->rhs) ? " - " : " + ", f);
		print(f, e->rhs, dims, syms, e->rhs->kind == KT_EXPR_ADD, negative(e->rhs));
		break;
	case KT_EXPR_MUL:
		k = drop_sign ? -e->rhs->value : e->rhs->value;
		if (k == -1) {
			fputc('-', f);
		} else if (k != 1) {
			fprintf(f, "%" PRId64 " * ", k);
		}
		print(f, e->lhs, dims, syms, true, false);
		break;
	case KT_EXPR_MOD:
	case KT_EXPR_FLOORDIV:
	default:
		print(f, e->lhs, dims, syms, true, false);
		fputs(e->kind == KT_EXPR_MOD ? " mod " : " floordiv ", f);
		print(f, e->rhs, dims, syms, true, false);
	}
	if (paren)
		fputc(')', f);
}

void kt_e_print(FILE *f, const struct kt_expr *e, const char *const *dims,
		const char *const *syms)
{
	print(f, e, dims, syms, false, false);
}

const struct kt_expr *kt_fit(struct kt_arena *a, const int64_t *f, uint32_t n,
			     const struct kt_expr *x)
{
	const struct kt_expr *rest;
	int64_t step, *h;
	uint32_t m, k;

	if (n == 1)
		return kt_e_const(a, f[0]);
	step = f[1] - f[0];
	for (m = 2; m < n && f[m] == f[0] + step * m; m++)
		;
	if (m == n)
		return kt_e_add(a, kt_e_mul(a, x, step), kt_e_const(a, f[0]));
	for (k = 0; k < n; k++)
		if (f[k] - f[k - k % m] != step * (k % m))
			return NULL;
	h = malloc(((size_t)n / m + 1) * sizeof(*h));
	if (!h)
		return NULL;
	for (k = 0; k * m < n; k++)
		h[k] = f[k * m];
	rest = kt_fit(a, h, k, kt_e_div(a, x, m));
	free(h);
	if (!rest)
		return NULL;
	return kt_e_add(a, kt_e_mul(a, kt_e_mod(a, x, m), step), rest);
}

const struct kt_expr *kt_fit_steps(struct kt_arena *a, const int64_t *f, uint32_t n,
				   const struct kt_expr *x)
{
	const struct kt_expr *e = kt_e_const(a, f[0]);
	uint32_t k;

	for (k = 1; k < n; k++) {
		if (f[k] == f[k - 1])
			continue;
		/* [x >= k] for x in [0, n) */
		e = kt_e_add(a, e, kt_e_mul(a, kt_e_div(a, kt_e_add(a, x, kt_e_const(a, n - k)), n),
					    f[k] - f[k - 1]));
	}
	return e;
}
