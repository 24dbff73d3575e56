// SPDX-License-Identifier: MIT
/*
 * Rules about who is in which set: R1, R3-R8, R13, R14, K1.
 *
 * A finding shows the first witness; further ones of the same kind are counted in a
 * remark. Groups with an empty set are left to K2.
 */
#include <string.h>

#include "rules.h"

static void count_more(struct kt_diag *d, uint64_t more, const char *what)
{
	if (d && more)
		kt_diag_remark(d, "and %llu more %s", (unsigned long long)more, what);
}

/* The producer set: where counts and members of P(g) come from. */
static void note_producers(struct kt_check *c, struct kt_diag *d)
{
	kt_diag_note(d, c->src, c->prod->tiles.at, "producers are named here");
}

/* Tiles outside the target were left out (K2), so that counts say nothing. */
static bool cut(const struct kt_check *c)
{
	return c->prod->tiles.outside.hit || c->consumers.outside.hit;
}

static void clear_owners(struct kt_check *c)
{
	memset(c->owner, 0xff, (size_t)c->n_tiles * sizeof(*c->owner));
}

/* --- one tile, one group: R1 and K1 ------------------------------------------------- */

struct pair_walk {
	enum kt_rule rule;
	struct kt_range at;
	const char *does, *rest;	/* "produces", "tiles that produce in two groups" */
	unsigned int n;
	uint32_t pairs[KT_MAX_WITNESSES][2];
	struct kt_diag *last;
	uint64_t more;
};

static bool pair_known(const struct pair_walk *w, uint32_t a, uint32_t b)
{
	unsigned int i;

	for (i = 0; i < w->n; i++)
		if (w->pairs[i][0] == a && w->pairs[i][1] == b)
			return true;
	return false;
}

static void pair_hit(struct kt_check *c, struct pair_walk *w, const int64_t *ids, uint32_t a,
		     uint32_t b, uint32_t tile)
{
	if (pair_known(w, a, b))
		return;
	if (w->n == KT_MAX_WITNESSES) {
		w->more++;
		return;
	}
	w->pairs[w->n][0] = a;
	w->pairs[w->n++][1] = b;
	w->last = kt_diag(c->rep, c->src, w->at, w->rule, KTDEV_ERROR,
			  "tile %u %s in group %lld and in group %lld", tile, w->does,
			  (long long)ids[a], (long long)ids[b]);
	kt_diag_witness(w->last, ids[b], tile, w->rule == KT_K1 ? (int64_t)tile : KT_NO_WITNESS);
}

static void pair_set(struct kt_check *c, struct pair_walk *w, const int64_t *ids, uint32_t g,
		     const struct kt_tiles *t)
{
	const uint32_t *tiles = t->ids;
	uint32_t i, n = t->n, *owner = c->owner;

	for (i = 0; i < n; i++) {
		uint32_t tile = tiles[i];

		if (owner[tile] == KT_NO_OWNER)
			owner[tile] = g;
		else
			pair_hit(c, w, ids, owner[tile], g, tile);
	}
}

void kt_rule_r1(struct kt_check *c)
{
	struct kt_produced *p = c->prod;
	struct pair_walk w = {
		.rule = KT_R1, .at = p->tiles.at, .does = "produces",
		.rest = "tiles that produce twice",
	};
	uint32_t g;

	if (!p->producers)
		return;
	clear_owners(c);
	for (g = 0; g < p->n_groups; g++)
		pair_set(c, &w, p->group_ids, g, &p->producers[g]);
	count_more(w.last, w.more, w.rest);
}

void kt_rule_k1(struct kt_check *c)
{
	struct kt_delivery *d = c->d;
	struct pair_walk w = {
		.rule = KT_K1, .at = c->consumers.at, .does = "consumes",
		.rest = "tiles that consume twice",
	};
	uint32_t g;

	if (!d->groups)
		return;
	clear_owners(c);
	for (g = 0; g < d->n_groups; g++)
		pair_set(c, &w, c->prod->group_ids, g, &d->groups[g].consumers);
	if (w.last)
		kt_diag_remark(w.last, "the result on such a tile would have two meanings");
	count_more(w.last, w.more, w.rest);
}

/* --- dependency sets: R3, R4, R5, R6 ------------------------------------------------ */

static bool group_usable(const struct kt_group *g)
{
	return g->producers.n && g->consumers.n;
}

/* First member of @sub that is not in @of, -1 if there is none; @n counts them all. */
static int64_t not_in(const struct kt_tiles *sub, const struct kt_tiles *of, uint64_t *n)
{
	int64_t first = -1;
	uint32_t i, k = 0;

	if (sub->ids == of->ids && sub->n <= of->n)
		return -1;
	for (i = 0; i < sub->n; i++) {
		while (k < of->n && of->ids[k] < sub->ids[i])
			k++;
		if (k < of->n && of->ids[k] == sub->ids[i])
			continue;
		if (first < 0)
			first = sub->ids[i];
		++*n;
	}
	return first;
}

void kt_rule_r3(struct kt_check *c)
{
	struct kt_diag *d = NULL;
	uint64_t n = 0;
	unsigned int i;
	uint32_t k;

	if (!c->membership || !c->deps.set)
		return;
	for (i = 0; i < c->d->n_groups; i++) {
		const struct kt_group *g = &c->d->groups[i];

		for (k = 0; group_usable(g) && k < g->consumers.n; k++) {
			int64_t t = not_in(&g->deps[k], &g->producers, &n);

			if (t < 0 || d)
				continue;
			d = kt_diag(c->rep, c->src, c->deps.at, KT_R3, KTDEV_ERROR,
				    "consumer %u of group %lld takes from tile %lld, which does not produce in that group",
				    g->consumers.ids[k], (long long)g->id, (long long)t);
			kt_diag_witness(d, g->id, t, g->consumers.ids[k]);
			note_producers(c, d);
		}
	}
	count_more(d, n ? n - 1 : 0, "such pairs of consumer and tile");
}

/* First producer of @g that no consumer takes from; @n counts them all. */
static int64_t uncovered(struct kt_check *c, const struct kt_group *g, uint64_t *n)
{
	int64_t first = -1;
	uint32_t i, k;

	for (k = 0; k < g->consumers.n; k++)
		if (g->deps[k].ids == g->producers.ids && g->deps[k].n == g->producers.n)
			return -1;
	for (i = 0; i < g->producers.n; i++)
		c->owner[g->producers.ids[i]] = 0;
	for (k = 0; k < g->consumers.n; k++) {
		if (k && g->deps[k].ids == g->deps[k - 1].ids)
			continue;
		for (i = 0; i < g->deps[k].n; i++)
			c->owner[g->deps[k].ids[i]] = 1;
	}
	for (i = 0; i < g->producers.n; i++) {
		if (c->owner[g->producers.ids[i]])
			continue;
		if (first < 0)
			first = g->producers.ids[i];
		++*n;
	}
	return first;
}

void kt_rule_r4(struct kt_check *c)
{
	struct kt_diag *d = NULL;
	uint64_t n = 0;
	unsigned int i;

	if (!c->membership || !c->deps.set)
		return;
	for (i = 0; i < c->d->n_groups; i++) {
		const struct kt_group *g = &c->d->groups[i];
		int64_t t = group_usable(g) ? uncovered(c, g, &n) : -1;

		if (t < 0 || d)
			continue;
		d = kt_diag(c->rep, c->src, c->deps.at, KT_R4, KTDEV_ERROR,
			    "no consumer of group %lld takes what tile %lld produces",
			    (long long)g->id, (long long)t);
		kt_diag_witness(d, g->id, t, KT_NO_WITNESS);
		note_producers(c, d);
	}
	count_more(d, n ? n - 1 : 0, "producers nobody takes from");
}

struct claim {
	int64_t tile;			/* -1: none */
	uint32_t first, second;		/* consumer numbers */
	uint64_t n;			/* producers claimed more than once */
};

/* The producers of @g that several consumers claim. */
static struct claim claims(struct kt_check *c, const struct kt_group *g)
{
	struct claim out = { .tile = -1 };
	uint32_t i, k;

	for (i = 0; i < g->producers.n; i++)
		c->owner[g->producers.ids[i]] = KT_NO_OWNER;
	for (k = 0; k < g->consumers.n; k++) {
		for (i = 0; i < g->deps[k].n; i++) {
			uint32_t t = g->deps[k].ids[i], *owner = &c->owner[t];

			if (kt_tiles_index(&g->producers, t) < 0)
				continue;
			if (*owner == KT_NO_OWNER) {
				*owner = k;
				continue;
			}
			if (out.tile < 0)
				out = (struct claim){ t, *owner, k, 0 };
			out.n++;
		}
	}
	return out;
}

static bool deps_identical(const struct kt_group *g, uint64_t *sum)
{
	const struct kt_tiles *first = NULL;
	bool same = true;
	uint32_t k;

	*sum = 0;
	for (k = 0; k < g->consumers.n; k++) {
		if (!g->deps[k].n)	/* K2 */
			continue;
		if (!first)
			first = &g->deps[k];
		*sum += g->deps[k].n;
		same = same && (g->deps[k].ids == first->ids ||
				kt_tiles_equal(&g->deps[k], first));
	}
	return same;
}

static void report_claim(struct kt_check *c, const struct kt_group *g, const struct claim *cl,
			 bool partition)
{
	uint32_t a = g->consumers.ids[cl->first], b = g->consumers.ids[cl->second];
	struct kt_diag *d;

	if (partition)
		d = kt_diag(c->rep, c->src, c->deps.at, KT_R5, KTDEV_ERROR,
			    "tile %lld is claimed by consumers %u and %u of group %lld, whose dependency sets have as many members as the group has producers and so mean a partition",
			    (long long)cl->tile, a, b, (long long)g->id);
	else
		d = kt_diag(c->rep, c->src, c->deps.at, KT_R5, KTDEV_WARNING,
			    "consumers %u and %u of group %lld share tile %lld but not all of their producers",
			    a, b, (long long)g->id, (long long)cl->tile);
	kt_diag_witness(d, g->id, cl->tile, b);
	if (!partition)
		kt_diag_remark(d,
			       "legal: each consumer's positions count in its own dependency set");
	count_more(d, cl->n - 1, "claims of a producer already taken in this group");
}

void kt_rule_r5(struct kt_check *c)
{
	bool told[2] = { false, false };
	unsigned int i;
	uint64_t sum;

	if (!c->membership || !c->deps.set || cut(c))
		return;
	for (i = 0; i < c->d->n_groups; i++) {
		const struct kt_group *g = &c->d->groups[i];
		bool partition;
		struct claim cl;

		if (!group_usable(g) || deps_identical(g, &sum))
			continue;
		partition = sum == g->producers.n;
		if (told[partition])
			continue;
		cl = claims(c, g);
		if (cl.tile < 0)
			continue;
		told[partition] = true;
		report_claim(c, g, &cl, partition);
	}
}

void kt_rule_r6(struct kt_check *c)
{
	const struct kt_group *first = NULL;
	struct kt_diag *d = NULL;
	uint32_t k, want = 0, of = 0;
	uint64_t n = 0;
	unsigned int i;

	if (!c->membership || cut(c))
		return;
	for (i = 0; i < c->d->n_groups; i++) {
		const struct kt_group *g = &c->d->groups[i];

		for (k = 0; group_usable(g) && k < g->consumers.n; k++) {
			uint32_t takes = kt_group_dep(g, k)->n;

			if (!takes)
				continue;
			if (!first) {
				first = g;
				want = takes;
				of = g->consumers.ids[k];
			}
			if (takes == want || n++)
				continue;
			d = kt_diag(c->rep, c->src, c->deps.set ? c->deps.at : c->prod->tiles.at,
				    KT_R6, KTDEV_ERROR,
				    "consumer %u of group %lld takes from %u of its producers, consumer %u of group %lld from %u",
				    g->consumers.ids[k], (long long)g->id, takes, of,
				    (long long)first->id, want);
			kt_diag_witness(d, g->id, KT_NO_WITNESS, g->consumers.ids[k]);
		}
	}
	count_more(d, n ? n - 1 : 0, "consumers that differ from the first");
}

/* --- counts: R7, R8 ----------------------------------------------------------------- */

static uint32_t group_count(const struct kt_group *g, bool producers)
{
	return producers ? g->producers.n : g->consumers.n;
}

static void uniform(struct kt_check *c, bool producers)
{
	const struct kt_set_fact *f = producers ? &c->prod->tiles : &c->consumers;
	const struct kt_group *groups = c->d->groups, *first = NULL;
	struct kt_diag *d = NULL;
	uint64_t n = 0;
	unsigned int i;

	if (!f->complete || f->outside.hit)
		return;
	for (i = 0; i < c->d->n_groups; i++) {
		uint32_t count = group_count(&groups[i], producers);

		if (count && !first)
			first = &groups[i];
		if (!count || count == group_count(first, producers) || n++)
			continue;
		d = kt_diag(c->rep, c->src, f->at, KT_R7, KTDEV_ERROR,
			    "group %lld has %u %s, group %lld has %u", (long long)groups[i].id,
			    count, producers ? "producers" : "consumers", (long long)first->id,
			    group_count(first, producers));
		kt_diag_witness(d, groups[i].id, KT_NO_WITNESS, KT_NO_WITNESS);
		kt_diag_note(d, c->src, c->op->name_at,
			     "the result of %s has one type in all groups",
			     kt_op_short_name(c->op->kind));
	}
	count_more(d, n ? n - 1 : 0, "groups that differ from the first");
}

void kt_rule_r7(struct kt_check *c)
{
	if (!c->d->groups)
		return;
	uniform(c, true);
	if (kt_kind_splits(c->op->kind))
		uniform(c, false);
}

static void one_producer(struct kt_check *c, const char *what, const char *help)
{
	struct kt_diag *d = NULL;
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < c->d->n_groups; i++) {
		const struct kt_group *g = &c->d->groups[i];

		if (g->producers.n < 2 || n++)
			continue;
		d = kt_diag(c->rep, c->src, c->prod->tiles.at, KT_R8, KTDEV_ERROR,
			    "group %lld has %u producers, %s", (long long)g->id,
			    g->producers.n, what);
		kt_diag_witness(d, g->id, g->producers.ids[1], KT_NO_WITNESS);
		kt_diag_note(d, c->src, c->op->name_at, "%s", help);
	}
	count_more(d, n ? n - 1 : 0, "groups with several producers");
}

static void one_source(struct kt_check *c)
{
	struct kt_diag *d = NULL;
	uint64_t n = 0;
	unsigned int i;
	uint32_t k;

	for (i = 0; i < c->d->n_groups; i++) {
		const struct kt_group *g = &c->d->groups[i];

		for (k = 0; group_usable(g) && k < g->consumers.n; k++) {
			if (g->deps[k].n < 2 || n++)
				continue;
			d = kt_diag(c->rep, c->src, c->deps.at, KT_R8, KTDEV_ERROR,
				    "consumer %u of group %lld takes from %u producers, consume takes from one",
				    g->consumers.ids[k], (long long)g->id, g->deps[k].n);
			kt_diag_witness(d, g->id, g->deps[k].ids[1], g->consumers.ids[k]);
		}
	}
	count_more(d, n ? n - 1 : 0, "consumers with several sources");
}

void kt_rule_r8(struct kt_check *c)
{
	if (!c->d->groups)
		return;
	if (c->op->kind == KT_OP_SCATTER)
		one_producer(c, "scatter takes from one", "delivered by this scatter");
	else if (!c->deps.set)
		one_producer(c, "so consume needs a dependency set",
			     "add producer_dependency_per_consumer here to say which one each consumer takes from");
	else if (c->membership)
		one_source(c);
}

/* --- reduce: R13, R14 --------------------------------------------------------------- */

void kt_rule_r13(struct kt_check *c)
{
	struct kt_diag *d = NULL;
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; c->d->groups && i < c->d->n_groups; i++) {
		const struct kt_group *g = &c->d->groups[i];
		int64_t t = group_usable(g) ? not_in(&g->consumers, &g->producers, &n) : -1;

		if (t < 0 || d)
			continue;
		d = kt_diag(c->rep, c->src, c->consumers.at, KT_R13, KTDEV_ERROR,
			    "tile %lld consumes in group %lld but does not produce there",
			    (long long)t, (long long)g->id);
		kt_diag_witness(d, g->id, t, t);
		note_producers(c, d);
	}
	count_more(d, n ? n - 1 : 0, "such tiles");
}

void kt_rule_r14(struct kt_check *c)
{
	struct kt_diag *d = NULL;
	uint64_t n = 0, skip = 0;
	unsigned int i;
	int64_t t;

	for (i = 0; c->d->groups && !cut(c) && i < c->d->n_groups; i++) {
		const struct kt_group *g = &c->d->groups[i];

		if (!group_usable(g) || g->consumers.n == 1 ||
		    kt_tiles_equal(&g->consumers, &g->producers) || n++)
			continue;
		t = not_in(&g->producers, &g->consumers, &skip);
		if (t < 0)
			t = not_in(&g->consumers, &g->producers, &skip);
		d = kt_diag(c->rep, c->src, c->consumers.at, KT_R14, KTDEV_ERROR,
			    "group %lld has %u consumers, neither one nor exactly its %u producers",
			    (long long)g->id, g->consumers.n, g->producers.n);
		kt_diag_witness(d, g->id, t, KT_NO_WITNESS);
		note_producers(c, d);
	}
	count_more(d, n ? n - 1 : 0, "such groups");
}
