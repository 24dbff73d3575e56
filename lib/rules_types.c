// SPDX-License-Identifier: MIT
/*
 * Rules about axis lists and types: R9 (split), R12 (concat), R11 (identity types), K11
 * (several factorisations).
 */
#include <stdio.h>
#include <string.h>

#include "rules.h"

static const char *op_name(const struct kt_check *c)
{
	return kt_op_short_name(c->op->kind);
}

/* --- the form of a list ------------------------------------------------------------- */

static void fixit_sorted(struct kt_check *c, const struct kt_axis_list *l, struct kt_diag *d)
{
	bool seen[KT_MAX_RANK] = { false };
	char text[4 * KT_MAX_RANK + 3] = "[";
	unsigned int i, k;
	size_t n = 1;

	if (l->attr->kind != KT_AT_ARRAY)
		return;
	for (i = 0; i < l->attr->n; i++) {
		const struct kt_attr *e = &l->attr->elems[i];

		if (e->kind != KT_AT_INT || e->i < 0 || e->i >= KT_MAX_RANK)
			return;
		seen[e->i] = true;
	}
	for (k = 0; k < KT_MAX_RANK; k++)
		if (seen[k])
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u",
					      n > 1 ? ", " : "", k);
	snprintf(text + n, sizeof(text) - n, "]");
	kt_diag_fixit(d, c->src, l->attr->at, text, "list each axis once, in ascending order");
}

/* True if the list is usable. */
static bool list_form(struct kt_check *c, const struct kt_axis_list *l, enum kt_rule rule)
{
	struct kt_diag *d;

	switch (l->form) {
	case KT_LIST_OK:
		return true;
	case KT_LIST_ABSENT:
		kt_diag(c->rep, c->src, l->bad_at, rule, KTDEV_ERROR, "%s needs %s",
			op_name(c), l->name);
		break;
	case KT_LIST_NOT_LIST:
		kt_diag(c->rep, c->src, l->bad_at, rule, KTDEV_ERROR,
			"%s is a list of axis numbers", l->name);
		break;
	case KT_LIST_EMPTY:
		kt_diag(c->rep, c->src, l->bad_at, rule, KTDEV_ERROR, "%s names no axis", l->name);
		break;
	case KT_LIST_RANGE:
		kt_diag(c->rep, c->src, l->bad_at, rule, KTDEV_ERROR,
			"axis %lld of %s is no axis of the partial type",
			(long long)l->bad_value, l->name);
		break;
	case KT_LIST_TWICE:
		d = kt_diag(c->rep, c->src, l->bad_at, rule, KTDEV_ERROR,
			    "axis %lld stands twice in %s", (long long)l->bad_value, l->name);
		fixit_sorted(c, l, d);
		break;
	case KT_LIST_ORDER:
		d = kt_diag(c->rep, c->src, l->bad_at, rule, KTDEV_ERROR,
			    "axis %lld of %s comes after a higher one: the first listed axis is the slowest, and lists ascend",
			    (long long)l->bad_value, l->name);
		fixit_sorted(c, l, d);
		break;
	}
	return false;
}

/* --- extents ------------------------------------------------------------------------ */

static void axes_text(const struct kt_axis_list *l, char *buf, size_t len)
{
	unsigned int i;
	size_t n;

	n = (size_t)snprintf(buf, len, l->n == 1 ? "axis " : "axes ");
	for (i = 0; i < l->n && n < len; i++)
		n += (size_t)snprintf(buf + n, len - n, "%s%u", i ? ", " : "", l->axes[i]);
}

/* The derived result type as a fix-it. */
static void fixit_result(struct kt_check *c, const struct kt_role *r, const struct kt_factors *f,
			 struct kt_diag *d)
{
	struct kt_type t;
	const char *text;

	if (!f->derived)
		return;
	t = *r->partial;
	t.shape = f->want;
	text = kt_type_text(c->scratch, &t);
	if (text && r->result->at.end > r->result->at.off)
		kt_diag_fixit(d, c->src, r->result->at, text, "the result type that follows");
}

static void bad_extent(struct kt_check *c, const struct kt_role *r, const struct kt_factors *f,
		       enum kt_rule rule, unsigned int k)
{
	struct kt_range at = kt_type_at(r->result, c->op);
	int64_t tp = r->partial->shape[k], tr = r->result->shape[k];
	struct kt_diag *d;

	if (f->derived)
		d = kt_diag(c->rep, c->src, at, rule, KTDEV_ERROR,
			    "axis %u of the result has %lld elements, must have %lld", k,
			    (long long)tr, (long long)f->want[k]);
	else if (rule == KT_R9)
		d = kt_diag(c->rep, c->src, at, rule, KTDEV_ERROR,
			    "axis %u is split from %lld to %lld elements, which is no whole share",
			    k, (long long)tp, (long long)tr);
	else
		d = kt_diag(c->rep, c->src, at, rule, KTDEV_ERROR,
			    "axis %u is assembled from pieces of %lld elements to %lld, which is no multiple",
			    k, (long long)tp, (long long)tr);
	kt_diag_note(d, c->src, kt_type_at(r->partial, c->op), "the partial type is this");
	fixit_result(c, r, f, d);
}

static void bad_product(struct kt_check *c, const struct kt_role *r, enum kt_rule rule,
			int64_t found)
{
	struct kt_range at = kt_type_at(r->result, c->op);
	bool split = rule == KT_R9;
	const struct kt_axis_list *l = split ? &c->split : &c->concat;
	char axes[64];

	axes_text(l, axes, sizeof(axes));
	kt_diag(c->rep, c->src, at, rule, KTDEV_ERROR,
		"the result %s %s by factors that multiply to %lld, not to %c = %u %s",
		split ? "splits" : "assembles", axes, (long long)found, split ? 'C' : 'P',
		split ? c->n_c : c->n_p, split ? "consumers" : "producers");
}

static void bad_divide(struct kt_check *c, int64_t flat)
{
	char axes[64];

	axes_text(&c->split, axes, sizeof(axes));
	kt_diag(c->rep, c->src, c->split.attr->at, KT_R9, KTDEV_ERROR,
		"%lld elements along %s do not divide over C = %u consumers", (long long)flat,
		axes, c->n_c);
}

static void unlisted(struct kt_check *c, const struct kt_role *r, const struct kt_factors *f,
		     enum kt_rule rule, unsigned int k)
{
	struct kt_diag *d;

	d = kt_diag(c->rep, c->src, kt_type_at(r->result, c->op), rule, KTDEV_ERROR,
		    "axis %u is in no list and must keep its %lld elements, the result has %lld",
		    k, (long long)r->partial->shape[k], (long long)r->result->shape[k]);
	fixit_result(c, r, f, d);
}

static void factor_fault(struct kt_check *c, const struct kt_role *r, const struct kt_factors *f,
			 enum kt_factor_side side)
{
	const struct kt_factor_fault *bad = &f->fault[side];
	enum kt_rule rule = side == KT_SIDE_SPLIT ? KT_R9 : KT_R12;

	switch (bad->status) {
	case KT_FACTOR_DIVIDE:
		bad_divide(c, bad->found);
		break;
	case KT_FACTOR_EXTENT:
		bad_extent(c, r, f, rule, bad->axis);
		break;
	case KT_FACTOR_PRODUCT:
		bad_product(c, r, rule, bad->found);
		break;
	case KT_FACTOR_UNLISTED:
		unlisted(c, r, f, rule, bad->axis);
		break;
	case KT_FACTOR_BOTH:
		kt_diag(c->rep, c->src, kt_type_at(r->result, c->op), rule, KTDEV_ERROR,
			"no factors of axis %u give this result with C = %u consumers and P = %u producers (result = partial / split factor * concat factor)",
			bad->axis, c->n_c, c->n_p);
		break;
	case KT_FACTOR_OVERFLOW:
		kt_diag(c->rep, c->src, kt_type_at(r->partial, c->op), KT_K12, KTDEV_ERROR,
			"the extents of this type leave 63 bits");
		break;
	case KT_FACTOR_OK:
	case KT_FACTOR_AMBIGUOUS:
		break;
	}
}

/* --- declared sticks ---------------------------------------------------------------- */

static void stick(struct kt_check *c, const struct kt_role *r, const struct ktdev_stick *s,
		  enum kt_rule rule)
{
	int64_t f = rule == KT_R9 ? r->split[s->axis] : r->concat[s->axis];
	int64_t tp = r->partial->shape[s->axis], piece = rule == KT_R9 ? tp / f : tp;
	struct kt_range at = kt_type_at(r->result, c->op);

	if (f == 1)
		return;
	if (tp == s->lanes)
		kt_diag(c->rep, c->src, at, rule, KTDEV_ERROR,
			"axis %u is declared as the %u lanes of a stick and keeps its extent: the factor %lld falls on the axis that counts sticks",
			s->axis, s->lanes, (long long)f);
	else if (piece < s->lanes)
		kt_diag(c->rep, c->src, at, rule, KTDEV_ERROR,
			"pieces of %lld elements along axis %u are less than one stick of %u",
			(long long)piece, s->axis, s->lanes);
	else if (piece % s->lanes)
		kt_diag(c->rep, c->src, at, rule, KTDEV_ERROR,
			"pieces of %lld elements along axis %u are no whole sticks of %u",
			(long long)piece, s->axis, s->lanes);
}

static void check_side(struct kt_check *c, enum kt_factor_side side)
{
	enum kt_rule rule = side == KT_SIDE_SPLIT ? KT_R9 : KT_R12;
	unsigned int i, k;

	for (i = 0; c->factors && i < c->d->n_roles; i++) {
		const struct kt_role *r = &c->d->roles[i];

		factor_fault(c, r, &c->factors[i], side);
		if (!kt_factors_ok(&c->factors[i]))
			continue;
		for (k = 0; k < c->opts->n_sticks; k++)
			if (kt_stick_applies(&c->opts->sticks[k], r))
				stick(c, r, &c->opts->sticks[k], rule);
	}
}

/* --- the rules ---------------------------------------------------------------------- */

void kt_rule_r9(struct kt_check *c)
{
	if (list_form(c, &c->split, KT_R9))
		check_side(c, KT_SIDE_SPLIT);
}

/* All roles of an op are assembled by the same factors. */
static void roles_agree(struct kt_check *c)
{
	const struct kt_delivery *d = c->d;
	unsigned int i, k;

	for (i = 0; c->factors && i < d->n_roles; i++)
		if (!kt_factors_ok(&c->factors[i]))
			return;
	for (i = 1; c->factors && i < d->n_roles; i++) {
		for (k = 0; k < KT_MAX_RANK; k++) {
			if (d->roles[i].concat[k] == d->roles[0].concat[k])
				continue;
			kt_diag(c->rep, c->src, kt_type_at(d->roles[i].result, c->op), KT_R12,
				KTDEV_ERROR,
				"axis %u of role %u grows by %lld, of role 0 by %lld", k, i,
				(long long)d->roles[i].concat[k],
				(long long)d->roles[0].concat[k]);
			break;
		}
	}
}

void kt_rule_r12(struct kt_check *c)
{
	if (!list_form(c, &c->concat, KT_R12))
		return;
	check_side(c, KT_SIDE_CONCAT);
	roles_agree(c);
}

void kt_rule_r11(struct kt_check *c)
{
	const struct kt_op *op = c->op;
	unsigned int i;

	for (i = 0; c->prod && i < op->n_identity && i < c->prod->n_partials; i++) {
		const struct kt_type *want = c->prod->partials[i];
		const struct kt_type *declared = op->identity_types ? op->identity_types[i] : NULL;
		const struct kt_type *actual = op->identity[i].value ?
					       op->identity[i].value->type : NULL;
		struct kt_range at = declared ? kt_type_at(declared, op) : op->identity[i].at;
		const char *text = kt_type_text(c->scratch, want);
		struct kt_diag *d;

		if (declared && !kt_type_equal(declared, want)) {
			d = kt_diag(c->rep, c->src, at, KT_R11, KTDEV_ERROR,
				    "identity %u must have the partial type %s", i, text);
			kt_diag_note(d, c->src, kt_type_at(want, op), "the partial type is this");
			kt_diag_fixit(d, c->src, at, text, "use the partial type");
		} else if (actual && !kt_type_equal(actual, want)) {
			kt_diag(c->rep, c->src, op->identity[i].at, KT_R11, KTDEV_ERROR,
				"identity %u is a value of type %s, the partial type is %s", i,
				kt_type_text(c->scratch, actual), text);
		}
	}
}

static void candidate(struct kt_check *c, struct kt_diag *d, const struct kt_factor_set *f)
{
	char text[256];
	unsigned int i;
	size_t n = 0;

	text[0] = 0;
	for (i = 0; i < c->split.n && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%saxis %u / %lld",
				      n ? ", " : "", c->split.axes[i],
				      (long long)f->split[c->split.axes[i]]);
	for (i = 0; i < c->concat.n && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%saxis %u * %lld",
				      n ? ", " : "", c->concat.axes[i],
				      (long long)f->concat[c->concat.axes[i]]);
	kt_diag_remark(d, "candidate: %s", text);
}

void kt_rule_k11(struct kt_check *c)
{
	unsigned int i, k;

	for (i = 0; c->factors && i < c->d->n_roles; i++) {
		const struct kt_factors *f = &c->factors[i];
		struct kt_diag *d;

		if (f->fault[KT_SIDE_CONCAT].status != KT_FACTOR_AMBIGUOUS)
			continue;
		d = kt_diag(c->rep, c->src, kt_type_at(c->d->roles[i].result, c->op), KT_K11,
			    KTDEV_ERROR,
			    "the declared types admit %s%u factorisations of the axes in both lists",
			    f->more_candidates ? "more than " : "", f->n_candidates);
		for (k = 0; k < f->n_candidates; k++)
			candidate(c, d, &f->candidates[k]);
	}
}
