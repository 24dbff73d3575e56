// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What is read stays as it was until all of it has been read: bytes an unstaged
 * destination writes are disjoint from the bytes of its tile that any transfer
 * reads. A copy that lands on its own bytes is dropped, so it writes nothing. The
 * staging range is disjoint from everything, and large enough.
 *
 * Read are the cuts of a source with the destination boxes it meets, not the
 * whole source. Cuts of dropped copies may be counted as read too: another
 * destination that wrote there would overlap the dropped one.
 */
#include "table_priv.h"

/* The part of @d that a copy from @s leaves in place. */
static bool dropped_cut(const struct kte_work *w, const struct kte_entry *d,
			const struct kte_entry *s, struct kte_box *cut)
{
	const struct kte_space *sp = kte_space_of(w, d);

	return d->space == s->space && d->tile == s->tile && sp->op == KTE_OP_COPY &&
	       kte_box_cut(d, s, sp->rank, cut) && kte_same_map(d, s, sp->rank, 0, cut);
}

/* Whether the maps prove that the write item leaves the bytes of the read item alone. */
static bool pair_clear(struct kte_work *w, const struct kte_item *write,
		       const struct kte_item *read)
{
	const struct kte_entry *d = kte_item_entry(w, write), *s = kte_item_entry(w, read);
	struct kte_family *f = &w->families[0];
	struct kte_walk a, b;
	const struct kte_space *sp = kte_space_of(w, d);

	if (d->space == s->space && write->role == read->role &&
	    (sp->op == KTE_OP_COPY || !kte_box_meets(d, s, sp->rank))) {
		kte_family_start(w, f, write);
		kte_family_hint(w, f, s);
		/* one map: they share the bytes of the elements they share, and
		 * these are dropped */
		if (kte_family_add(w, f, read) && kte_family_close(w, f))
			return true;
	}
	kte_item_walk(w, write, &a);
	kte_item_walk(w, read, &b);
	return kte_walks_apart(&a, &b);
}

/* 1 if proofs settle every pair of the cluster, 0 if not, or the tick's error. */
static int cluster_clear(struct kte_work *w, const struct kte_item *items, uint32_t n)
{
	uint64_t tries = 4096 + 64ull * n, looks = 16 * tries;
	uint32_t i, k;
	bool clear;
	int err;

	for (i = 0; i < n; i++) {
		for (k = i + 1; k < n && items[k].lo <= items[i].last; k++) {
			if (!--looks)
				return 0;
			if (items[i].write == items[k].write)
				continue;
			clear = items[i].write ? pair_clear(w, &items[i], &items[k]) :
						 pair_clear(w, &items[k], &items[i]);
			if (!clear || !--tries)
				return 0;
			err = kte_step(w, 32);
			if (err)
				return err;
		}
		err = kte_step(w, k - i);
		if (err)
			return err;
	}
	return 1;
}

/* Lists for each source the classes that read it. */
static int build_reverse(struct kte_work *w)
{
	uint32_t c, i, count, at = 0, n = w->t->n_sources;
	int err = 0;

	if (w->rev)
		return 0;
	w->rev_first = kte_work_alloc(w, n + 1ull, sizeof(*w->rev_first));
	w->rev = kte_work_alloc(w, w->n_edges, sizeof(*w->rev));
	if (!w->rev_first || !w->rev)
		return -ENOMEM;
	for (i = 0; i < w->n_edges && !err; i++) {
		w->rev_first[w->edges[i]]++;
		err = kte_step(w, 1);
	}
	for (i = 0; i <= n; i++) {
		count = w->rev_first[i];
		w->rev_first[i] = at;
		at += count;
	}
	for (c = 0; c < w->n_classes; c++) {
		const struct kte_class *cl = &w->classes[c];

		for (i = 0; i < cl->count && !err; i++) {
			w->rev[w->rev_first[w->edges[cl->first + i]]++] = c;
			err = kte_step(w, 1);
		}
	}
	for (i = n; i > 0; i--)
		w->rev_first[i] = w->rev_first[i - 1];
	w->rev_first[0] = 0;
	return err;
}

static void cut_walk(const struct kte_work *w, const struct kte_item *item,
		     const struct kte_box *cut, struct kte_walk *walk)
{
	const struct kte_entry *e = kte_item_entry(w, item);
	const struct kte_space *sp = kte_space_of(w, e);

	kte_walk_init(walk, e, sp->rank, item->role, sp->elem_bytes[item->role], cut);
}

/* What to do with the walks of a cluster. */
enum pass {
	PASS_GRANULE,	/* find the granule */
	PASS_PAINT,	/* paint what is read */
	PASS_BLAME,	/* find who reads w->hit */
};

/* One walk: 0 to go on, 1 found, or an error. */
static int visit(struct kte_work *w, enum pass pass, uint64_t lo, const struct kte_walk *walk,
		 uint32_t dest)
{
	int err = kte_step(w, 32);

	if (err)
		return err;
	switch (pass) {
	case PASS_GRANULE:
		w->granule = kte_granule(w->granule, lo, walk);
		return 0;
	case PASS_PAINT:
		return kte_paint(w, walk, KTE_BRUSH_SET, dest);
	default:
		return kte_walk_has(w, walk, w->hit);
	}
}

/* Visits what is read of a source: its cut with each class that meets it. */
static int visit_reads(struct kte_work *w, const struct kte_item *read, enum pass pass,
		       uint64_t lo, uint32_t dest)
{
	const struct kte_entry *s = kte_item_entry(w, read);
	uint32_t i, rank = kte_space_of(w, s)->rank;
	struct kte_walk walk;
	struct kte_box cut;
	int got = 0;

	for (i = w->rev_first[read->entry]; i < w->rev_first[read->entry + 1] && !got; i++) {
		const struct kte_class *cl = &w->classes[w->rev[i]];

		kte_box_cut(s, &w->t->dests[cl->dest], rank, &cut);
		cut_walk(w, read, &cut, &walk);
		got = visit(w, pass, lo, &walk, dest);
		/* all of it is read: no other cut adds to that */
		if (!memcmp(cut.size, s->size, sizeof(cut.size)))
			break;
	}
	return got;
}

/* Clears, or takes account of, the cuts a destination leaves in place. Their
 * sources are in its run and in the cluster: the shorter list is gone through. */
static int clear_dropped(struct kte_work *w, const struct kte_item *items, uint32_t n,
			 const struct kte_item *write, bool measure)
{
	const struct kte_class *cl = &w->classes[w->class_of[write->entry]];
	const struct kte_entry *d = kte_item_entry(w, write);
	bool by_run = cl->count < n;
	struct kte_walk walk;
	struct kte_box cut;
	uint32_t i, source;
	int err = 0;

	for (i = 0; i < (by_run ? cl->count : n) && !err; i++) {
		err = kte_step(w, 4);
		if (err || (!by_run && items[i].write))
			continue;
		source = by_run ? w->edges[cl->first + i] : items[i].entry;
		if (!dropped_cut(w, d, &w->t->sources[source], &cut))
			continue;
		cut_walk(w, write, &cut, &walk);
		if (measure)
			w->granule = kte_granule(w->granule, items[0].lo, &walk);
		else
			err = kte_paint(w, &walk, KTE_BRUSH_CLEAR, write->entry);
	}
	return err;
}

static int measure_cluster(struct kte_work *w, const struct kte_item *items, uint32_t n,
			   uint64_t *last, uint32_t *dest)
{
	uint64_t lo = items[0].lo;
	struct kte_walk walk;
	uint32_t i;
	int err = 0;

	w->granule = 0;
	*last = 0;
	for (i = 0; i < n && !err; i++) {
		*last = items[i].last > *last ? items[i].last : *last;
		if (!items[i].write) {
			err = visit_reads(w, &items[i], PASS_GRANULE, lo, 0);
			continue;
		}
		*dest = items[i].entry;
		kte_item_walk(w, &items[i], &walk);
		w->granule = kte_granule(w->granule, lo, &walk);
		err = clear_dropped(w, items, n, &items[i], true);
	}
	return err;
}

static int refuse_alias(struct kte_work *w, const struct kte_item *items, uint32_t n,
			const struct kte_item *write)
{
	uint64_t byte = w->hit;
	uint32_t i;
	int got = 0;

	for (i = 0; i < n && !got; i++)
		if (!items[i].write)
			got = visit_reads(w, &items[i], PASS_BLAME, items[0].lo, 0);
	if (got < 0)
		return got;
	kte_refuse_at(w->why, KTE_R_ALIAS, KTE_WHERE_DEST, write->entry, byte, 0);
	w->why->other_where = KTE_WHERE_SOURCE;
	w->why->other = items[i - 1].entry;
	w->why->tile = write->tile;
	return -EINVAL;
}

/* Paints what is read; tests each destination with its dropped cuts taken out. */
static int paint_cluster(struct kte_work *w, const struct kte_item *items, uint32_t n,
			 uint8_t *staged)
{
	struct kte_walk walk;
	uint64_t last;
	uint32_t i, dest = 0;
	int got;

	got = build_reverse(w);
	if (!got)
		got = measure_cluster(w, items, n, &last, &dest);
	if (!got)
		got = kte_paint_begin(w, items[0].lo, last, w->granule, dest);
	for (i = 0; i < n && !got; i++)
		if (!items[i].write)
			got = visit_reads(w, &items[i], PASS_PAINT, items[0].lo, dest);
	for (i = 0; i < n && !got; i++) {
		if (!items[i].write)
			continue;
		got = clear_dropped(w, items, n, &items[i], false);
		if (got)
			break;
		kte_item_walk(w, &items[i], &walk);
		got = kte_paint(w, &walk, KTE_BRUSH_TEST, items[i].entry);
		if (got == 1 && !staged)
			return refuse_alias(w, items, n, &items[i]);
		if (got < 0)
			return got;
		if (got == 1)
			staged[items[i].entry] = 1;
		/* what was cleared stays so: no other destination may write there */
		got = 0;
	}
	return got;
}

/* Items of the sources that are read, and of the destinations to be held against them. */
static int gather_items(struct kte_work *w, bool all_dests)
{
	uint8_t *used = w->cuts;
	uint64_t i;
	uint32_t e;
	int err = 0;

	memset(used, 0, w->t->n_sources);
	for (i = 0; i < w->n_edges && !err; i++) {
		used[w->edges[i]] = 1;
		err = kte_step(w, 1);
	}
	w->n_items = 0;
	for (e = 0; e < w->t->n_sources && !err; e++) {
		if (used[e])
			kte_add_items(w, &w->t->sources[e], e, false);
		err = kte_step(w, 1);
	}
	for (e = 0; e < w->t->n_dests && !err; e++) {
		if (all_dests || !(w->t->dests[e].flags & KTE_ENTRY_STAGED))
			kte_add_items(w, &w->t->dests[e], e, true);
		err = kte_step(w, 1);
	}
	return err ? err : kte_sort_items(w);
}

int kte_check_alias(struct kte_work *w, uint8_t *staged)
{
	uint64_t i, k, end;
	bool reads, writes;
	int got = gather_items(w, staged != NULL);

	for (i = 0; i < w->n_items && !got; i = end) {
		end = kte_cluster_end(w, i);
		reads = writes = false;
		for (k = i; k < end; k++) {
			reads |= !w->items[k].write;
			writes |= w->items[k].write;
		}
		got = kte_step(w, 4);
		if (got || !reads || !writes)
			continue;
		got = cluster_clear(w, w->items + i, (uint32_t)(end - i));
		if (got == 1)
			got = 0;
		else if (!got)
			got = paint_cluster(w, w->items + i, (uint32_t)(end - i), staged);
	}
	return got;
}

int kte_stage_need(struct kte_work *w, const uint8_t *staged, uint64_t *need, uint32_t *tile)
{
	const struct kte_table *t = w->t;
	uint64_t *sums = kte_work_alloc(w, w->n_tiles, sizeof(*sums));
	uint32_t d;
	int err = 0;

	*need = 0;
	*tile = 0;
	if (!sums)
		return -ENOMEM;
	for (d = 0; d < t->n_dests && !err; d++) {
		const struct kte_entry *e = &t->dests[d];

		if (staged ? !staged[d] : !(e->flags & KTE_ENTRY_STAGED))
			continue;
		if (__builtin_add_overflow(sums[e->tile], kte_stage_bytes(e, kte_space_of(w, e)),
					   &sums[e->tile]))
			sums[e->tile] = UINT64_MAX;
		if (sums[e->tile] > *need) {
			*need = sums[e->tile];
			*tile = e->tile;
		}
		err = kte_step(w, 4);
	}
	kte_work_release(w, sums);
	return err;
}

/* Whether the staging range meets bytes of an entry: its runs, one by one. */
static int check_stage_entry(struct kte_work *w, const struct kte_entry *e, uint32_t index,
			     bool write)
{
	uint64_t lo = w->t->stage_offset, hi = lo + w->t->stage_bytes;
	struct kte_cursor c;
	struct kte_walk walk;
	uint64_t i;
	int err = 0;

	w->n_items = 0;
	kte_add_items(w, e, index, write);
	for (i = 0; i < w->n_items; i++) {
		if (w->items[i].last < lo || w->items[i].lo >= hi)
			continue;
		kte_item_walk(w, &w->items[i], &walk);
		c = (struct kte_cursor){ .at = walk.base };
		do {
			if (c.at < hi && c.at + walk.run - 1 >= lo) {
				kte_refuse_at(w->why, KTE_R_STAGE_OVERLAP, write ? KTE_WHERE_DEST :
					      KTE_WHERE_SOURCE, index, c.at > lo ? c.at : lo, hi);
				w->why->tile = e->tile;
				w->why->axis = w->items[i].role;
				return -EINVAL;
			}
			if (!w->paint_left) {
				kte_refuse_at(w->why, KTE_R_BUDGET_PAINT, write ? KTE_WHERE_DEST :
					      KTE_WHERE_SOURCE, index,
					      w->lim->paint_budget + 1, w->lim->paint_budget);
				return -E2BIG;
			}
			w->paint_left--;
			err = kte_step(w, 1);
		} while (!err && kte_walk_next(&walk, &c));
	}
	return err;
}

int kte_check_stage(struct kte_work *w)
{
	const struct kte_table *t = w->t;
	uint32_t i, tile;
	uint64_t need;
	int err;

	err = kte_stage_need(w, NULL, &need, &tile);
	if (err)
		return err;
	if (need > t->stage_bytes) {
		kte_refuse_at(w->why, KTE_R_STAGE_SIZE, KTE_WHERE_TABLE, 0, need, t->stage_bytes);
		w->why->field = KTE_F_STAGE_BYTES;
		w->why->tile = tile;
		return -EINVAL;
	}
	if (!t->stage_bytes)
		return 0;
	for (i = 0; i < t->n_sources && !err; i++)
		err = check_stage_entry(w, &t->sources[i], i, false);
	for (i = 0; i < t->n_dests && !err; i++)
		err = check_stage_entry(w, &t->dests[i], i, true);
	return err;
}
