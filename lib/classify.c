// SPDX-License-Identifier: MIT
/*
 * The decision table: guards first, then four rows. Everything is read from the tables:
 * counts are of distinct slices, "no op" compares owners, and what a table does not say
 * (who of several holders sends) stays undetermined until a policy is given.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "relayout.h"

static uint64_t sat_mul(uint64_t a, uint64_t b)
{
	uint64_t v;

	return __builtin_mul_overflow(a, b, &v) ? UINT64_MAX : v;
}

/* --- the axis table ----------------------------------------------------------------------- */

/* Most and fewest slices of b that one slice of a meets. */
static void overlap_counts(const struct kt_grid *a, const struct kt_grid *b, uint32_t axis,
			   uint32_t *most, bool *uniform)
{
	uint32_t i, k, n, least = UINT32_MAX, first, last;

	*most = 0;
	for (i = 0; i < a->n[axis]; i++) {
		uint64_t lo = a->slices[axis][i].start, hi = lo + a->slices[axis][i].size;

		n = 0;
		if (b->disjoint[axis]) {
			kt_grid_range(b, axis, (uint32_t)lo, (uint32_t)hi, &first, &last);
			n = last - first;
		} else {
			for (k = 0; k < b->n[axis]; k++)
				n += b->slices[axis][k].start < hi &&
				     (uint64_t)b->slices[axis][k].start +
				     b->slices[axis][k].size > lo;
		}
		if (n > *most)
			*most = n;
		if (n < least)
			least = n;
	}
	*uniform = *most == least;
}

static void axis_table(struct kt_class *c)
{
	const struct kt_grid *s = &c->rel_of.six.grid, *d = &c->rel_of.dgrid;
	struct ktdev_classification *p = &c->pub;
	uint32_t a;

	p->components = p->max_fanin = p->max_fanout = p->k = p->m = 1;
	p->n_axes = c->rel->rank;
	for (a = 0; a < c->rel->rank; a++) {
		struct ktdev_axis_row *r = &p->axes[a];

		r->name = c->rel->axes[a].name;
		r->extent = c->rel->axes[a].extent;
		r->ns = s->n[a];
		r->nd = d->n[a];
		r->relation = r->ns > r->nd ? "coarsened" : r->ns < r->nd ? "refined" : "unchanged";
		overlap_counts(d, s, a, &r->fanin, &r->uniform_in);
		overlap_counts(s, d, a, &r->fanout, &r->uniform_out);
		r->uniform = r->uniform_in && r->uniform_out;
		r->gcd = (uint32_t)kte_gcd(r->ns, r->nd);
		c->gcd[a] = r->gcd;
		c->coarse[a] = r->ns > r->nd;
		c->refine[a] = r->ns < r->nd;
		p->components = sat_mul(p->components, r->gcd);
		p->max_fanin = sat_mul(p->max_fanin, r->fanin);
		p->max_fanout = sat_mul(p->max_fanout, r->fanout);
		p->k = sat_mul(p->k, r->ns);
		p->m = sat_mul(p->m, r->nd);
	}
	if (p->k != UINT64_MAX && p->m != UINT64_MAX && p->components != UINT64_MAX) {
		p->k /= p->components;
		p->m /= p->components;
	}
}

/* --- guards ------------------------------------------------------------------------------- */

static bool is_division(const struct kt_grid *g, uint32_t rank)
{
	uint32_t a;

	if (!g->product)
		return false;
	for (a = 0; a < rank; a++)
		if (!g->tiles[a])
			return false;
	return true;
}

static uint64_t parts_volume(const struct kt_part *p, uint32_t n, uint32_t rank)
{
	uint64_t v = 0;
	uint32_t i;

	for (i = 0; i < n; i++)
		v += kt_box_volume(&p[i].box, rank);
	return v;
}

/*
 * Is the destination a true part of the source? Compared are the elements named, by the
 * destination's bounding box: where nothing of the source lies outside it, the two hold
 * the same or the destination has holes, which is irregular, not a selection.
 */
static bool is_selection(const struct kt_class *c)
{
	const struct kt_grid *s = &c->rel_of.six.grid, *d = &c->rel_of.dgrid;
	uint32_t a, rank = c->rel->rank;

	for (a = 0; a < rank; a++)
		if (d->lo[a] > s->lo[a] || d->hi[a] < s->hi[a])
			return true;
	return false;
}

/* G2: equal slices per axis and divisible counts. */
static bool is_ragged(const struct kt_class *c)
{
	const struct kt_grid *s = &c->rel_of.six.grid, *d = &c->rel_of.dgrid;
	uint32_t a;

	for (a = 0; a < c->rel->rank; a++)
		if (!s->equal[a] || !d->equal[a] ||
		    (s->n[a] % d->n[a] && d->n[a] % s->n[a]))
			return true;
	return false;
}

/* G3: a source region with several holders that some consumer lacks. */
static bool needs_election(const struct kt_class *c)
{
	const struct kt_relation *r = &c->rel_of;
	uint32_t i, e, k;

	if (c->fold)
		return false;
	for (i = 0; i < r->n_dst; i++)
		for (e = r->first[i]; e < r->first[i + 1]; e++) {
			const struct kt_part *s = &r->src[r->edge[e]];

			if (s->n_owners < 2)
				continue;
			for (k = 0; k < r->dst[i].n_owners; k++)
				if (!kt_part_owned(s, r->dst[i].owners[k]))
					return true;
		}
	return false;
}

static uint32_t most_holders(const struct kt_relation *r)
{
	uint32_t i, n = 0;

	for (i = 0; i < r->n_dst; i++)
		if (r->dst[i].n_owners > n)
			n = r->dst[i].n_owners;
	return n;
}

/* --- decision ----------------------------------------------------------------------------- */

static void decide_row(struct kt_class *c)
{
	struct ktdev_classification *p = &c->pub;
	uint32_t a, coarse = 0, refine = 0;

	for (a = 0; a < c->rel->rank; a++) {
		coarse += c->coarse[a];
		refine += c->refine[a];
	}
	c->row = coarse && refine ? KT_ROW_3 : coarse ? KT_ROW_4 : refine ? KT_ROW_2 : KT_ROW_1;
	for (a = 0; a < c->rel->rank; a++) {
		if (c->refine[a])
			p->split_axes[p->n_split++] = c->rel->axes[a].name;
		if (c->coarse[a])
			p->concat_axes[p->n_concat++] = c->rel->axes[a].name;
	}
}

static const char *row_op(const struct kt_class *c)
{
	if (c->moves_nothing)
		return "no-op";
	if (c->fold)
		return c->row == KT_ROW_1 ? "reduce" : c->row == KT_ROW_2 ? "reduce_scatter" : NULL;
	switch (c->row) {
	case KT_ROW_1:
		return "consume";
	case KT_ROW_2:
		return "scatter";
	case KT_ROW_3:
		return "all_to_all";
	case KT_ROW_4:
		return "gather";
	default:
		return NULL;
	}
}

static void decide(struct kt_class *c)
{
	const struct kt_grid *s = &c->rel_of.six.grid, *d = &c->rel_of.dgrid;
	static const char *const rows[] = { "G1", "G2", "G3", "1", "2", "3", "4" };
	struct ktdev_classification *p = &c->pub;
	uint32_t rank = c->rel->rank;
	bool elect = needs_election(c);

	if (is_selection(c)) {
		c->row = KT_ROW_G1;
		p->verdict = "selection";
		p->selected = true;
	} else if (!is_division(s, rank) || !is_division(d, rank) ||
		   parts_volume(c->rel_of.src, c->rel_of.n_src, rank) !=
		   parts_volume(c->rel_of.dst, c->rel_of.n_dst, rank)) {
		c->row = KT_ROW_G1;
		p->verdict = "irregular";
	} else if (is_ragged(c)) {
		c->row = KT_ROW_G2;
		p->verdict = "ragged";
	} else if (elect && c->elect == KTDEV_ELECT_NONE) {
		c->row = KT_ROW_G3;
		p->verdict = "not-determined";
	} else {
		decide_row(c);
		p->verdict = "ok";
	}
	c->undetermined = elect && c->elect == KTDEV_ELECT_NONE;
	if (elect && c->elect != KTDEV_ELECT_NONE)
		p->elected = c->elect == KTDEV_ELECT_LOWEST ? "lowest" : "nearest";
	c->moves_nothing = !c->fold && !p->cost.remote_bytes && !p->selected;
	if (c->moves_nothing && c->row >= KT_ROW_1)
		p->verdict = "no-op";
	p->row = rows[c->row];
	p->op = row_op(c);
	p->replicas = most_holders(&c->rel_of);
}

/* --- selections --------------------------------------------------------------------------- */

static struct kt_class *class_new(const struct ktdev_relayout *rel, enum ktdev_elect elect);
static int classify(struct kt_class *c, const struct kt_part *src, uint32_t n_src);

/* The selected box is the destination's bounding box; what is moved is the source cut to it. */
static int classify_selected(struct kt_class *c)
{
	const struct kt_relation *r = &c->rel_of;
	struct kte_box sel = {0};
	struct kt_part *cut;
	uint32_t i, a, n = 0;
	int ret;

	for (a = 0; a < c->rel->rank; a++) {
		sel.start[a] = r->dgrid.lo[a];
		sel.size[a] = r->dgrid.hi[a] - r->dgrid.lo[a];
	}
	memcpy(c->pub.select_start, sel.start, sizeof(sel.start));
	memcpy(c->pub.select_size, sel.size, sizeof(sel.size));
	c->then = class_new(c->rel, c->elect);
	if (!c->then)
		return -ENOMEM;
	cut = kt_alloc(&c->then->arena, r->n_src * sizeof(*cut));
	if (!cut)
		return -ENOMEM;
	for (i = 0; i < r->n_src; i++) {
		cut[n] = r->src[i];
		if (kt_box_cut(&r->src[i].box, &sel, r->rank, &cut[n].box))
			cut[n++].whole = &r->src[i];
	}
	c->then->cut_src = cut;
	ret = classify(c->then, cut, n);
	c->pub.then = &c->then->pub;
	c->pub.ops_needed = c->then->pub.ops_needed;
	c->pub.elected = c->then->pub.elected;
	return ret;
}

/* --- numbers of the op -------------------------------------------------------------------- */

static void count_ops(struct kt_class *c)
{
	struct ktdev_classification *p = &c->pub;
	const struct kt_move *m = c->moves.v;

	p->ops_needed = c->moves.n;
	if (!c->moves.n || !p->op || c->moves_nothing)
		return;
	p->groups = m->n_groups;
	p->n_groups = m->n_groups;
	p->group = m->groups;
	p->producers_per_group = m->groups[0].n_producers;
	p->consumers_per_group = m->groups[0].n_consumers;
	p->needs_dependency = m->deps;
}

static int classify(struct kt_class *c, const struct kt_part *src, uint32_t n_src)
{
	const struct kt_side *d = &c->rel->side[KTDEV_DESTINATION];
	int ret;

	c->fold = c->rel->side[KTDEV_SOURCE].value == KTDEV_VALUE_CONTRIBUTIONS;
	ret = kt_relation_init(&c->rel_of, c->rel, src, n_src, d->pieces, d->n, &c->arena);
	if (!ret)
		ret = kt_cost(&c->rel_of, c->elect, &c->pub.cost);
	if (ret)
		return ret;
	axis_table(c);
	decide(c);
	if (c->pub.selected)
		ret = classify_selected(c);
	else
		ret = kt_moves_build(c);
	if (ret && ret != -ERANGE)
		return ret;
	if (ret) {
		c->beyond = true;
		c->moves.n = 0;
	}
	if (!c->pub.selected)
		count_ops(c);
	return kt_class_reason(c);
}

static struct kt_class *class_new(const struct ktdev_relayout *rel, enum ktdev_elect elect)
{
	struct kt_class *c = calloc(1, sizeof(*c));

	if (c) {
		c->rel = rel;
		c->elect = elect;
	}
	return c;
}

static void class_free(struct kt_class *c)
{
	if (!c)
		return;
	class_free(c->then);
	kt_arena_fini(&c->arena);
	free(c);
}

int ktdev_classify(const struct ktdev_relayout *rel, enum ktdev_elect elect,
		   struct ktdev_classification **out)
{
	struct kt_class *c = class_new(rel, elect);
	int ret;

	*out = NULL;
	if (!c)
		return -ENOMEM;
	ret = classify(c, rel->side[KTDEV_SOURCE].pieces, rel->side[KTDEV_SOURCE].n);
	if (ret) {
		class_free(c);
		return ret;
	}
	*out = &c->pub;
	return 0;
}

void ktdev_classification_free(struct ktdev_classification *cls)
{
	class_free((struct kt_class *)cls);
}
