// SPDX-License-Identifier: MIT
/*
 * Rules about sets as such: K2 (tiles of the target, nothing empty), K3 (finite), K12
 * (their arithmetic). The facts were found while evaluating; here they become findings.
 */
#include "rules.h"

static void outside(struct kt_check *c, const struct kt_set_fact *f, const char *role)
{
	struct kt_diag *d;

	if (!f->outside.hit)
		return;
	d = kt_diag(c->rep, c->src, f->at, KT_K2, KTDEV_ERROR,
		    "%s %lld of group %lld is no tile of the target, which has tiles 0 to %u",
		    role, (long long)f->outside.tile, (long long)f->outside.group, c->n_tiles - 1);
	kt_diag_witness(d, f->outside.group, f->outside.tile, KT_NO_WITNESS);
}

static void empty(struct kt_check *c, const struct kt_set_fact *f, const char *role)
{
	struct kt_diag *d;

	if (!f->empty.hit)
		return;
	d = kt_diag(c->rep, c->src, f->at, KT_K2, KTDEV_ERROR, "group %lld has no %s",
		    (long long)f->empty.group, role);
	kt_diag_witness(d, f->empty.group, KT_NO_WITNESS, KT_NO_WITNESS);
}

static void k2_produce(struct kt_check *c)
{
	const struct kt_produced *p = c->prod;

	if (p->too_many_groups)
		kt_diag(c->rep, c->src, p->groups.at, KT_K2, KTDEV_ERROR,
			"more than %u groups on %u tiles: they cannot all have producers",
			4 * c->n_tiles, c->n_tiles);
	if (p->groups.empty.hit)
		kt_diag(c->rep, c->src, p->groups.at, KT_K2, KTDEV_ERROR,
			"the groups set is empty: nothing is produced");
	outside(c, &p->tiles, "producer");
	empty(c, &p->tiles, "producer");
}

void kt_rule_k2(struct kt_check *c)
{
	const struct kt_witness *w = &c->deps.empty;
	struct kt_diag *d;

	if (!c->d) {
		k2_produce(c);
		return;
	}
	outside(c, &c->consumers, "consumer");
	empty(c, &c->consumers, "consumer");
	if (!w->hit)
		return;
	d = kt_diag(c->rep, c->src, c->deps.at, KT_K2, KTDEV_ERROR,
		    "the dependency set of consumer %lld of group %lld is empty",
		    (long long)w->consumer, (long long)w->group);
	kt_diag_witness(d, w->group, KT_NO_WITNESS, w->consumer);
}

static void k3_set(struct kt_check *c, const struct kt_set_fact *f)
{
	const struct kt_witness *w = &f->clipped;
	struct kt_diag *d;

	if (f->unbounded.hit) {
		d = kt_diag(c->rep, c->src, f->at, KT_K3, KTDEV_ERROR, "the set is not finite");
		kt_diag_witness(d, f->unbounded.group, KT_NO_WITNESS, f->unbounded.consumer);
	}
	if (!w->hit)
		return;
	d = kt_diag(c->rep, c->src, f->at, KT_K3, KTDEV_NOTE,
		    "for group %lld only the device bounds this set: taken as its members among tiles 0 to %u",
		    (long long)w->group, c->n_tiles - 1);
	kt_diag_witness(d, w->group, KT_NO_WITNESS, w->consumer);
}

void kt_rule_k3(struct kt_check *c)
{
	if (c->d) {
		k3_set(c, &c->consumers);
		k3_set(c, &c->deps);
		return;
	}
	if (c->prod->groups.unbounded.hit)
		kt_diag(c->rep, c->src, c->prod->groups.at, KT_K3, KTDEV_ERROR,
			"the groups set is not finite: bound it from below and above");
	k3_set(c, &c->prod->tiles);
}

static void k12_set(struct kt_check *c, const struct kt_set_fact *f)
{
	const struct kt_witness *w = &f->fault;
	const struct kt_expr *bad;
	struct kt_diag *d;

	if (!w->hit)
		return;
	bad = f->set->enumerated ? NULL : kt_set_bad_divisor(f->set);
	if (bad)
		d = kt_diag(c->rep, c->src, bad->at, KT_K12, KTDEV_ERROR,
			    "the divisor %lld is not positive", (long long)bad->value);
	else
		d = kt_diag(c->rep, c->src, f->at, KT_K12, KTDEV_ERROR,
			    "the set cannot be evaluated in 64-bit arithmetic");
	kt_diag_witness(d, w->group, KT_NO_WITNESS, w->consumer);
}

void kt_rule_k12(struct kt_check *c)
{
	if (c->d) {
		k12_set(c, &c->consumers);
		k12_set(c, &c->deps);
		return;
	}
	k12_set(c, &c->prod->groups);
	k12_set(c, &c->prod->tiles);
}
