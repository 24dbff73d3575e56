// SPDX-License-Identifier: MIT
/*
 * The reason of a classification: one sentence with the numbers that decided.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relayout.h"

/* A sentence under construction; cut off rather than overrun. */
struct text {
	char buf[1024];
	size_t used;
};

static void say(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(struct text *t, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(t->buf + t->used, sizeof(t->buf) - t->used, fmt, args);
	va_end(args);
	if (n > 0)
		t->used += (size_t)n;
	if (t->used >= sizeof(t->buf))
		t->used = sizeof(t->buf) - 1;
}

/* "mb [0, 64), out [32, 64)", axes that are whole left out. */
static void say_box(struct text *t, const struct kt_class *c, const struct kte_box *b)
{
	bool any = false;
	uint32_t a;

	for (a = 0; a < c->rel->rank; a++) {
		if (!b->start[a] && b->size[a] == c->rel->axes[a].extent)
			continue;
		say(t, "%s%s [%u, %" PRIu64 ")", any ? ", " : "", c->rel->axes[a].name, b->start[a],
		    (uint64_t)b->start[a] + b->size[a]);
		any = true;
	}
	if (!any)
		say(t, "the whole tensor");
}

/* "mb is cut 8 -> 32 ways" for the axes of one kind. */
static void say_axes(struct text *t, const struct kt_class *c, const bool *which)
{
	bool any = false;
	uint32_t a;

	for (a = 0; a < c->rel->rank; a++) {
		if (!which[a])
			continue;
		say(t, "%s%s %u -> %u", any ? ", " : "", c->pub.axes[a].name, c->pub.axes[a].ns,
		    c->pub.axes[a].nd);
		any = true;
	}
}

static void say_groups(struct text *t, const struct kt_class *c)
{
	const struct ktdev_classification *p = &c->pub;

	if (p->n_groups)
		say(t, "; %u group%s of %u producer%s and %u consumer%s", p->groups,
		    p->groups == 1 ? "" : "s", p->producers_per_group,
		    p->producers_per_group == 1 ? "" : "s", p->consumers_per_group,
		    p->consumers_per_group == 1 ? "" : "s");
	if (p->ops_needed > 1)
		say(t, ", in %u deliveries", p->ops_needed);
}

/* How many (piece, core) pairs of the destination are already where they belong. */
static void count_settled(const struct kt_class *c, uint32_t *settled, uint32_t *total)
{
	const struct kt_relation *r = &c->rel_of;
	uint32_t i, e, k;

	*settled = *total = 0;
	for (i = 0; i < r->n_dst; i++)
		for (k = 0; k < r->dst[i].n_owners; k++) {
			bool own = true;

			for (e = r->first[i]; e < r->first[i + 1] && own; e++)
				own = kt_part_owned(&r->src[r->edge[e]], r->dst[i].owners[k]);
			*settled += own;
			(*total)++;
		}
}

/* Where a side stops being a product of disjoint slices; false if it does not. */
static bool say_irregular_side(struct text *t, const struct kt_class *c, const struct kt_grid *g,
			       const char *side, uint32_t n)
{
	uint64_t cells = 1;
	uint32_t a, i;

	for (a = 0; a < c->rel->rank; a++) {
		if (__builtin_mul_overflow(cells, g->n[a], &cells))
			cells = UINT64_MAX;
		for (i = 1; i < g->n[a]; i++) {
			const struct kt_slice *p = &g->slices[a][i - 1], *q = &g->slices[a][i];
			uint64_t end = (uint64_t)p->start + p->size;

			if (q->start == end)
				continue;
			say(t, "%s slices [%u, %" PRIu64 ") and [%u, %" PRIu64 ") of axis '%s' %s",
			    side, p->start, end, q->start, (uint64_t)q->start + q->size,
			    c->rel->axes[a].name, q->start < end ? "overlap" : "leave a gap");
			return true;
		}
	}
	if (g->product)
		return false;
	say(t, "the %u %s boxes are not all %" PRIu64 " combinations of their slices", n, side,
	    cells);
	return true;
}

static void say_irregular(struct text *t, const struct kt_class *c)
{
	const struct kt_relation *r = &c->rel_of;
	uint32_t i;
	uint64_t vs = 0, vd = 0;

	say(t, "irregular, not a work division: ");
	if (say_irregular_side(t, c, &r->six.grid, "source", r->n_src) ||
	    say_irregular_side(t, c, &r->dgrid, "destination", r->n_dst))
		return;
	for (i = 0; i < r->n_src; i++)
		vs += kt_box_volume(&r->src[i].box, r->rank);
	for (i = 0; i < r->n_dst; i++)
		vd += kt_box_volume(&r->dst[i].box, r->rank);
	say(t, "the destination names %" PRIu64 " of %" PRIu64 " elements", vd, vs);
}

static bool say_unequal(struct text *t, const struct kt_class *c, const struct kt_grid *g,
			const char *side, uint32_t a)
{
	uint32_t i;

	for (i = 1; i < g->n[a]; i++) {
		if (g->slices[a][i].size == g->slices[a][0].size)
			continue;
		say(t, "%s slices of axis '%s' have %u and %u elements", side,
		    c->rel->axes[a].name, g->slices[a][0].size, g->slices[a][i].size);
		return true;
	}
	return false;
}

static void say_ragged(struct text *t, const struct kt_class *c)
{
	const struct kt_relation *r = &c->rel_of;
	uint32_t a;

	say(t, "ragged: ");
	for (a = 0; a < r->rank; a++) {
		const struct ktdev_axis_row *x = &c->pub.axes[a];

		if (say_unequal(t, c, &r->six.grid, "source", a) ||
		    say_unequal(t, c, &r->dgrid, "destination", a))
			break;
		if (x->ns % x->nd && x->nd % x->ns) {
			say(t, "axis '%s' is cut %u ways before and %u after, neither divides the "
			       "other (fan-in up to %u, fan-out up to %u)",
			    x->name, x->ns, x->nd, x->fanin, x->fanout);
			break;
		}
	}
	say(t, "; no single op has uniform groups");
}

static void say_undetermined(struct text *t, const struct kt_class *c)
{
	const struct kt_relation *r = &c->rel_of;
	uint32_t i, e, k;

	for (i = 0; i < r->n_dst; i++)
		for (e = r->first[i]; e < r->first[i + 1]; e++) {
			const struct kt_part *s = &r->src[r->edge[e]];

			for (k = 0; s->n_owners > 1 && k < r->dst[i].n_owners; k++) {
				if (kt_part_owned(s, r->dst[i].owners[k]))
					continue;
				say(t, "producer not determined: source region ");
				say_box(t, c, &s->box);
				say(t, " is held by %u cores (%u, %u%s) and core %u, which is "
				       "none of them, needs it; elect one (lowest or nearest)",
				    s->n_owners, s->owners[0], s->owners[1],
				    s->n_owners > 2 ? ", ..." : "", r->dst[i].owners[k]);
				return;
			}
		}
}

static void say_selection(struct text *t, const struct kt_class *c)
{
	struct kte_box sel;
	uint64_t all = 1;
	uint32_t a;

	memcpy(sel.start, c->pub.select_start, sizeof(sel.start));
	memcpy(sel.size, c->pub.select_size, sizeof(sel.size));
	for (a = 0; a < c->rel->rank; a++)
		all *= c->rel->axes[a].extent;
	say(t, "selection: the destination is within ");
	say_box(t, c, &sel);
	say(t, ", %" PRIu64 " of %" PRIu64 " elements; of what is selected: %s",
	    kt_box_volume(&sel, c->rel->rank), all, c->then ? c->then->pub.reason : "");
}

static void say_noop(struct text *t, const struct kt_class *c)
{
	uint32_t settled, total;

	count_settled(c, &settled, &total);
	say(t, "no op: every core already holds its region (%u of %u); owners compared, not only "
	       "the %u source and %u destination regions",
	    settled, total, c->rel_of.n_src, c->rel_of.n_dst);
}

static void say_row(struct text *t, const struct kt_class *c)
{
	uint32_t settled, total;

	switch (c->row) {
	case KT_ROW_1:
		count_settled(c, &settled, &total);
		say(t, "the %u regions are the same on both sides but only %u of %u holders have "
		       "theirs already: %s",
		    c->rel_of.n_dst, settled, total, c->pub.replicas > 1 ? "broadcast" :
		    "relocation");
		break;
	case KT_ROW_2:
		say(t, "axes are only refined (");
		say_axes(t, c, c->refine);
		say(t, "): split");
		break;
	case KT_ROW_3:
		say(t, "axes are refined (");
		say_axes(t, c, c->refine);
		say(t, ") and coarsened (");
		say_axes(t, c, c->coarse);
		say(t, "): exchange in %" PRIu64 " components of K = %" PRIu64
		    " source and M = %" PRIu64 " destination regions",
		    c->pub.components, c->pub.k, c->pub.m);
		break;
	default:
		say(t, "axes are only coarsened (");
		say_axes(t, c, c->coarse);
		say(t, "): assembly");
	}
	if (c->pub.replicas > 1 && c->row != KT_ROW_1)
		say(t, ", regions held by %u cores", c->pub.replicas);
	say_groups(t, c);
	if (c->pub.elected)
		say(t, "; producers elected: %s", c->pub.elected);
}

static void say_fold(struct text *t, const struct kt_class *c)
{
	say(t, "contributions are folded with %s: %u source regions of up to ",
	    c->rel->combine ? c->rel->combine : "nothing", c->rel_of.n_src);
	say(t, "%u addends into %u destination regions", c->rel_of.src[0].n_owners,
	    c->rel_of.n_dst);
	say_groups(t, c);
}

int kt_class_reason(struct kt_class *c)
{
	struct text t = { .used = 0 };
	char *s;

	if (c->pub.selected)
		say_selection(&t, c);
	else if (c->row == KT_ROW_G1)
		say_irregular(&t, c);
	else if (c->row == KT_ROW_G2)
		say_ragged(&t, c);
	else if (c->row == KT_ROW_G3)
		say_undetermined(&t, c);
	else if (c->moves_nothing)
		say_noop(&t, c);
	else if (c->fold)
		say_fold(&t, c);
	else
		say_row(&t, c);
	if (c->moves_nothing && c->row < KT_ROW_1)
		say(&t, "; every core already holds what it needs");
	s = kt_strndup(&c->arena, t.buf, strlen(t.buf));
	c->pub.reason = s;
	return s ? 0 : -ENOMEM;
}
