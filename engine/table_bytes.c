// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * No byte of a tile is written twice. Destinations are compared across all
 * spaces and roles, exactly: intervals that do not touch are free, proofs from
 * the address maps settle the common cases, painting settles the rest.
 */
#include "table_priv.h"

static bool item_before(const void *a, const void *b)
{
	const struct kte_item *x = a, *y = b;

	if (x->tile != y->tile)
		return x->tile < y->tile;
	if (x->lo != y->lo)
		return x->lo < y->lo;
	if (x->write != y->write)
		return x->write < y->write;
	if (x->entry != y->entry)
		return x->entry < y->entry;
	return x->role < y->role;
}

static bool entry_before(const void *a, const void *b)
{
	const struct kte_item *x = a, *y = b;

	return x->entry != y->entry ? x->entry < y->entry : x->role < y->role;
}

void kte_add_items(struct kte_work *w, const struct kte_entry *e, uint32_t entry, bool write)
{
	const struct kte_space *sp = kte_space_of(w, e);
	struct kte_item *item;
	uint32_t r;

	for (r = 0; r < sp->roles; r++) {
		item = &w->items[w->n_items++];
		memset(item, 0, sizeof(*item));
		item->lo = e->offset[r];
		kte_last_byte(e, sp->rank, r, sp->elem_bytes[r], &item->last);
		item->entry = entry;
		item->tile = e->tile;
		item->role = r & 1;
		item->write = write;
	}
}

int kte_sort_items(struct kte_work *w)
{
	return kte_sort(w->items, w->n_items, sizeof(*w->items), item_before, w->env);
}

uint64_t kte_cluster_end(const struct kte_work *w, uint64_t from)
{
	uint64_t to, last = w->items[from].last;

	for (to = from + 1; to < w->n_items; to++) {
		if (w->items[to].tile != w->items[from].tile || w->items[to].lo > last)
			break;
		if (w->items[to].last > last)
			last = w->items[to].last;
	}
	return to;
}

static int refuse_overlap(struct kte_work *w, const struct kte_item *later,
			  const struct kte_item *earlier, uint64_t byte)
{
	struct kte_reject *why = w->why;

	if (later->entry == earlier->entry) {
		kte_refuse_at(why, KTE_R_SELF_OVERLAP, KTE_WHERE_DEST, later->entry, byte, 0);
		why->axis = later->role;
	} else {
		kte_refuse_at(why, KTE_R_DST_OVERLAP, KTE_WHERE_DEST, later->entry, byte, 0);
		why->other_where = KTE_WHERE_DEST;
		why->other = earlier->entry;
	}
	why->tile = later->tile;
	return -EINVAL;
}

/* Item @k met a painted byte: who painted it? */
static int blame(struct kte_work *w, const struct kte_item *items, uint32_t k)
{
	struct kte_walk walk;
	uint32_t i;
	int got;

	for (i = 0; i < k; i++) {
		kte_item_walk(w, &items[i], &walk);
		got = kte_walk_has(w, &walk, w->hit);
		if (got < 0)
			return got;
		if (got)
			break;
	}
	return refuse_overlap(w, &items[k], &items[i], w->hit);
}

static int paint_cluster(struct kte_work *w, struct kte_item *items, uint32_t n)
{
	uint64_t lo = items[0].lo, last = 0, granule = 0;
	struct kte_walk walk;
	uint32_t i;
	int got;

	for (i = 0; i < n; i++) {
		kte_item_walk(w, &items[i], &walk);
		granule = kte_granule(granule, lo, &walk);
		last = items[i].last > last ? items[i].last : last;
		got = kte_step(w, 64);
		if (got)
			return got;
	}
	got = kte_paint_begin(w, lo, last, granule, items[0].entry);
	if (!got)
		got = kte_sort(items, n, sizeof(*items), entry_before, w->env);
	for (i = 0; i < n && !got; i++) {
		kte_item_walk(w, &items[i], &walk);
		got = kte_paint(w, &walk, KTE_BRUSH_CLAIM, items[i].entry);
		if (got == 1)
			return blame(w, items, i);
	}
	return got;
}

/* Sorts the items of a cluster into families. 1, 0 if there are too many, or the
 * tick's error. */
static int find_families(struct kte_work *w, struct kte_item *items, uint32_t n,
			 uint32_t *n_families)
{
	uint32_t i, k, f;
	int err;

	*n_families = 0;
	for (i = 0; i < n; i++) {
		for (f = 0; f < *n_families; f++)
			if (kte_family_add(w, &w->families[f], &items[i]))
				break;
		items[i].family = (uint8_t)f;
		err = kte_step(w, 4 + f);
		if (err)
			return err;
		if (f < *n_families)
			continue;
		if (f == KTE_FAMILIES)
			return 0;
		kte_family_start(w, &w->families[f], &items[i]);
		for (k = i + 1; k < n && !err; k++) {
			if (items[k].role == items[i].role)
				kte_family_hint(w, &w->families[f], kte_item_entry(w, &items[k]));
			err = kte_step(w, 1);
		}
		if (err)
			return err;
		++*n_families;
	}
	return 1;
}

static bool families_apart(struct kte_work *w, uint32_t n_families)
{
	uint32_t f, g;

	for (f = 0; f < n_families; f++)
		if (!kte_family_close(w, &w->families[f]))
			return false;
	for (f = 0; f < n_families; f++)
		for (g = f + 1; g < n_families; g++)
			if (!kte_walks_apart(&w->families[f].walk, &w->families[g].walk))
				return false;
	return true;
}

/* The boxes of one family: 1 disjoint, 0 undecided, -EINVAL refused, or the tick. */
static int check_family(struct kte_work *w, const struct kte_item *items, uint32_t n, uint32_t f)
{
	const struct kte_family *fam = &w->families[f];
	uint32_t rank = w->t->spaces[fam->space].rank, i, count = 0, pair[2];
	uint64_t budget = 4096 + 64ull * n;
	struct kte_item later, earlier;
	const struct kte_entry *a, *b;
	struct kte_box cut;
	int got;

	for (i = 0; i < n; i++)
		if (items[i].family == f)
			w->list[count++] = items[i].entry;
	got = kte_boxes_disjoint(w, w->t->dests, w->list, count, rank, &budget, pair);
	if (got == -E2BIG)
		return 0;
	if (got <= 0)
		return got ? got : 1;
	later = earlier = items[0];
	later.role = fam->role & 1;
	i = w->list[pair[0]] > w->list[pair[1]];
	later.entry = w->list[pair[1 - i]];
	earlier.entry = w->list[pair[i]];
	a = &w->t->dests[later.entry];
	b = &w->t->dests[earlier.entry];
	kte_box_cut(a, b, rank, &cut);
	return refuse_overlap(w, &later, &earlier, kte_byte_of(a, rank, fam->role, cut.start));
}

static int check_cluster(struct kte_work *w, struct kte_item *items, uint32_t n)
{
	uint32_t n_families, f;
	struct kte_walk walk;
	int got;

	if (n == 1) {
		kte_item_walk(w, items, &walk);
		return kte_walk_nested(&walk) ? 0 : paint_cluster(w, items, n);
	}
	got = find_families(w, items, n, &n_families);
	if (got == 1 && !families_apart(w, n_families))
		got = 0;
	for (f = 0; f < n_families && got == 1; f++)
		if (w->families[f].members > 1)
			got = check_family(w, items, n, f);
	if (got < 0)
		return got;
	return got ? 0 : paint_cluster(w, items, n);
}

int kte_check_overlap(struct kte_work *w)
{
	uint64_t i, end;
	uint32_t d;
	int err = 0;

	w->n_items = 0;
	for (d = 0; d < w->t->n_dests && !err; d++) {
		kte_add_items(w, &w->t->dests[d], d, true);
		err = kte_step(w, 1);
	}
	if (!err)
		err = kte_sort_items(w);
	for (i = 0; i < w->n_items && !err; i = end) {
		end = kte_cluster_end(w, i);
		err = check_cluster(w, w->items + i, (uint32_t)(end - i));
		if (!err)
			err = kte_step(w, 8);
	}
	return err;
}
