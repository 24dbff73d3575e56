// SPDX-License-Identifier: MIT
/*
 * Closed forms of constraints, found once per set: linear, and one mod or div of a linear
 * expression beside symbols. What does not fit stays KT_FORM_GENERAL and is evaluated.
 */
#include <string.h>

#include "set.h"

/* constant + sum coef*var + scale * (coef'*var + constant') div-or-mod divisor */
struct form {
	int64_t coef[KT_SET_MAX_DIMS + KT_SET_MAX_SYMS];
	int64_t constant;
	const struct kt_expr *atom;	/* the mod or div with a dim in it; NULL: none */
	int64_t scale;
	unsigned int n_extra;		/* those of symbols alone */
	struct kt_addend extra[KT_SET_MAX_EXTRA];
};

static bool add_form(struct form *f, const struct form *g, unsigned int n_vars)
{
	unsigned int i;

	if (f->atom && g->atom)
		return false;
	if (g->atom) {
		f->atom = g->atom;
		f->scale = g->scale;
	}
	for (i = 0; i < g->n_extra; i++) {
		if (f->n_extra == KT_SET_MAX_EXTRA)
			return false;
		f->extra[f->n_extra++] = g->extra[i];
	}
	for (i = 0; i < n_vars; i++)
		if (__builtin_add_overflow(f->coef[i], g->coef[i], &f->coef[i]))
			return false;
	return !__builtin_add_overflow(f->constant, g->constant, &f->constant);
}

static bool scale_form(struct form *f, int64_t k, unsigned int n_vars)
{
	unsigned int i;

	for (i = 0; i < n_vars; i++)
		if (__builtin_mul_overflow(f->coef[i], k, &f->coef[i]))
			return false;
	for (i = 0; i < f->n_extra; i++)
		if (__builtin_mul_overflow(f->extra[i].scale, k, &f->extra[i].scale))
			return false;
	return !__builtin_mul_overflow(f->scale, k, &f->scale) &&
	       !__builtin_mul_overflow(f->constant, k, &f->constant);
}

static bool has_dim(const struct kt_expr *e)
{
	if (e->kind < KT_EXPR_ADD)
		return e->kind == KT_EXPR_DIM;
	return has_dim(e->lhs) || has_dim(e->rhs);
}

static bool find_form(const struct kt_expr *e, unsigned int n_dims, unsigned int n_vars,
		      struct form *f)
{
	struct form g;

	memset(f, 0, sizeof(*f));
	switch (e->kind) {
	case KT_EXPR_CONST:
		f->constant = e->value;
		return true;
	case KT_EXPR_DIM:
		f->coef[e->value] = 1;
		return true;
	case KT_EXPR_SYM:
		f->coef[n_dims + e->value] = 1;
		return true;
	case KT_EXPR_ADD:
		return find_form(e->lhs, n_dims, n_vars, f) &&
		       find_form(e->rhs, n_dims, n_vars, &g) && add_form(f, &g, n_vars);
	case KT_EXPR_MUL:
		if (e->lhs->kind == KT_EXPR_CONST)
			return find_form(e->rhs, n_dims, n_vars, f) &&
			       scale_form(f, e->lhs->value, n_vars);
		return e->rhs->kind == KT_EXPR_CONST && find_form(e->lhs, n_dims, n_vars, f) &&
		       scale_form(f, e->rhs->value, n_vars);
	default:
		if (!has_dim(e)) {
			f->extra[f->n_extra++] = (struct kt_addend){ e, 1 };
			return true;
		}
		f->atom = e;
		f->scale = 1;
		return e->rhs->kind == KT_EXPR_CONST && e->rhs->value > 0;
	}
}

static void finish_constraint(const struct kt_set *s, struct kt_constraint *c)
{
	unsigned int i, n_vars = s->n_dims + s->n_syms;
	struct form f, in;

	c->form = KT_FORM_GENERAL;
	c->linear = false;
	if (!find_form(c->expr, s->n_dims, n_vars, &f))
		return;
	c->n_extra = f.n_extra;
	memcpy(c->extra, f.extra, sizeof(c->extra));
	if (!f.atom) {
		c->form = KT_FORM_LINEAR;
		c->linear = !f.n_extra;
		memcpy(c->coef, f.coef, sizeof(c->coef));
		c->constant = f.constant;
		return;
	}
	for (i = 0; i < s->n_dims; i++)
		if (f.coef[i])
			return;
	if (!f.scale || !find_form(f.atom->lhs, s->n_dims, n_vars, &in) || in.atom ||
	    in.n_extra)
		return;
	c->divisor = f.atom->rhs->value;
	/* ceil(a / m) is floor((a + m - 1) / m) */
	if (f.atom->kind == KT_EXPR_CEILDIV &&
	    __builtin_add_overflow(in.constant, c->divisor - 1, &in.constant))
		return;
	c->form = f.atom->kind == KT_EXPR_MOD ? KT_FORM_MOD : KT_FORM_DIV;
	c->scale = f.scale;
	memcpy(c->coef, in.coef, sizeof(c->coef));
	c->constant = in.constant;
	for (i = 0; i < s->n_syms; i++)
		c->outer_coef[i] = f.coef[s->n_dims + i];
	c->outer_constant = f.constant;
}

static void find_quick(const struct kt_set *s, struct kt_constraint *c)
{
	unsigned int i;

	c->quick = KT_QUICK_NONE;
	if (s->n_dims != 1 || c->n_extra)
		return;
	if (c->form == KT_FORM_LINEAR && !c->equality && (c->coef[0] == 1 || c->coef[0] == -1))
		c->quick = c->coef[0] == 1 ? KT_QUICK_LEAST : KT_QUICK_MOST;
	if (c->form != KT_FORM_MOD || !c->equality || c->coef[0] != 1 || c->scale != 1)
		return;
	for (i = 0; i < s->n_syms; i++)
		if (c->outer_coef[i])
			return;
	if (c->outer_constant > 0 || c->outer_constant <= -c->divisor)
		return;
	c->residue = -c->outer_constant;
	c->quick = KT_QUICK_MOD;
}

void kt_set_finish(struct kt_set *s)
{
	unsigned int i, mods = 0;

	s->quick = s->n_dims == 1;
	for (i = 0; i < s->n_constraints; i++) {
		struct kt_constraint *c = &s->constraints[i];

		finish_constraint(s, c);
		find_quick(s, c);
		mods += c->quick == KT_QUICK_MOD;
		s->quick &= c->quick != KT_QUICK_NONE && mods < 2;
	}
}

static const struct kt_expr *bad_divisor(const struct kt_expr *e)
{
	const struct kt_expr *bad;

	if (e->kind < KT_EXPR_ADD)
		return NULL;
	if (e->kind >= KT_EXPR_MOD && e->rhs->kind == KT_EXPR_CONST && e->rhs->value <= 0)
		return e->rhs;
	bad = bad_divisor(e->lhs);
	return bad ? bad : bad_divisor(e->rhs);
}

const struct kt_expr *kt_set_bad_divisor(const struct kt_set *s)
{
	const struct kt_expr *bad = NULL;
	unsigned int i;

	for (i = 0; i < s->n_constraints && !bad; i++)
		bad = bad_divisor(s->constraints[i].expr);
	return bad;
}
