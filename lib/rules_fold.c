// SPDX-License-Identifier: MIT
/*
 * Rules about combiners: R10 (pure), K5 (the fold unit can do it), K7 (identities).
 */
#include "rules.h"

struct purity {
	struct kt_check *c;
	struct kt_diag *d;
	uint64_t n;
};

static int pure_op(const struct kt_op *op, void *ctx)
{
	struct purity *p = ctx;
	struct kt_check *c = p->c;
	const char *what;

	switch (kt_op_effect(op)) {
	case KT_EFFECT_READ:
	case KT_EFFECT_MEMORY:
		what = "touches memory";
		break;
	case KT_EFFECT_CALL:
		what = "calls a function";
		break;
	case KT_EFFECT_COMMUNICATION:
		what = "communicates";
		break;
	default:
		return 0;
	}
	if (p->n++)
		return 0;
	p->d = kt_diag(c->rep, c->src, op->name_at, KT_R10, KTDEV_ERROR,
		       "%s %s, a combiner is a pure function of its arguments", op->name, what);
	return 0;
}

void kt_rule_r10(struct kt_check *c)
{
	struct purity p = { .c = c };
	unsigned int i;

	for (i = 0; i < c->op->n_regions; i++)
		kt_region_walk(&c->op->regions[i], pure_op, &p);
	if (p.n > 1)
		kt_diag_remark(p.d, "and %llu more such ops", (unsigned long long)p.n - 1);
	c->impure = p.n;
}

static int unknown_op(const struct kt_op *op, void *ctx)
{
	const struct kt_op **found = ctx;

	if (!*found && kt_op_effect(op) == KT_EFFECT_UNKNOWN)
		*found = op;
	return 0;
}

/* An impure combiner is wrong, not unsupported: R10 has said so. */
void kt_rule_k5(struct kt_check *c)
{
	const struct kt_op *unknown = NULL;
	unsigned int i;

	if (c->impure)
		return;
	for (i = 0; i < c->op->n_regions; i++)
		kt_region_walk(&c->op->regions[i], unknown_op, &unknown);
	if (unknown)
		kt_diag(c->rep, c->src, unknown->name_at, KT_K5, KTDEV_UNSUPPORTED,
			"the combiner cannot run on the fold unit: nothing is known of %s",
			unknown->name);
	else if (c->combiner.why)
		kt_diag(c->rep, c->src, c->combiner.at, KT_K5, KTDEV_UNSUPPORTED,
			"the combiner cannot run on the fold unit: %s", c->combiner.why);
	else
		return;
	c->combiner.mapped = false;
	if (!c->combiner.why)
		c->combiner.why = "an unknown operation";
}

static void identity(struct kt_check *c, const struct kt_fold *f, unsigned int role)
{
	const struct kt_operand *o = &c->op->identity[role];
	const struct kt_attr *constant;
	const char *neutral, *op = kte_op_name(f->op);
	struct kt_diag *d;

	switch (kt_identity_neutral(c->scratch, o->value, f, c->d->roles[role].dtype, &constant,
				    &neutral)) {
	case KT_NEUTRAL_UNKNOWN:
	case KT_NEUTRAL_YES:
		return;
	case KT_NEUTRAL_FINITE:
		d = kt_diag(c->rep, c->src, o->at, KT_K7, KTDEV_WARNING,
			    "the identity of %s is the finite extreme: infinite inputs change",
			    op);
		break;
	case KT_NEUTRAL_NO:
	default:
		d = kt_diag(c->rep, c->src, o->at, KT_K7, KTDEV_ERROR,
			    "the identity is not neutral for %s", op);
		break;
	}
	kt_diag_note(d, c->src, constant->at, "its value comes from here");
	if (!constant->type || constant->type->kind != KT_TY_TENSOR)
		kt_diag_fixit(d, c->src, constant->at, neutral, "%s is neutral for %s", neutral,
			      op);
	else
		kt_diag_remark(d, "%s is neutral for %s", neutral, op);
}

void kt_rule_k7(struct kt_check *c)
{
	unsigned int i;

	for (i = 0; c->combiner.mapped && i < c->combiner.n_folds; i++) {
		const struct kt_fold *f = &c->combiner.folds[i];

		if (f->role < c->op->n_identity)
			identity(c, f, f->role);
	}
}
