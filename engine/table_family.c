// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Proofs that byte sets are disjoint, from the address maps alone. The pieces of
 * one result interleave as byte intervals, but follow one map: where that map
 * keeps the elements of their common hull apart, the pieces have a byte in common
 * exactly if their boxes meet. Results that interleave row by row in one buffer
 * are told apart by where they lie within the row. What neither proof settles is
 * painted.
 */
#include "table_priv.h"

/* Byte of element @at under the family's map, modulo 2^64. */
static uint64_t family_byte(const struct kte_family *f, uint32_t rank, const uint32_t *at)
{
	uint64_t v = f->origin;
	uint32_t a;

	for (a = 0; a < rank; a++)
		v += at[a] * f->hull.stride[0][a];
	return v;
}

void kte_family_start(const struct kte_work *w, struct kte_family *f,
		      const struct kte_item *item)
{
	const struct kte_entry *e = kte_item_entry(w, item);
	uint32_t rank = kte_space_of(w, e)->rank;

	memset(f, 0, sizeof(*f));
	f->space = e->space;
	f->role = item->role;
	memcpy(f->hull.start, e->start, sizeof(f->hull.start));
	memcpy(f->hull.size, e->size, sizeof(f->hull.size));
	memcpy(f->hull.stride[0], e->stride[item->role], sizeof(f->hull.stride[0]));
	f->hull.offset[0] = e->offset[item->role];
	f->members = 1;
	f->origin = f->hull.offset[0] - family_byte(f, rank, e->start);
}

void kte_family_hint(const struct kte_work *w, struct kte_family *f, const struct kte_entry *e)
{
	uint32_t a, rank = w->t->spaces[f->space].rank;

	if (e->space != f->space || f->members != 1)
		return;
	for (a = 0; a < rank; a++)
		if (f->hull.size[a] == 1 && e->size[a] > 1)
			f->hull.stride[0][a] = e->stride[f->role][a];
	f->origin = 0;
	f->origin = f->hull.offset[0] - family_byte(f, rank, f->hull.start);
}

bool kte_family_add(const struct kte_work *w, struct kte_family *f,
		    const struct kte_item *item)
{
	const struct kte_entry *e = kte_item_entry(w, item);
	uint32_t a, end, hull_end, rank = w->t->spaces[f->space].rank;

	if (e->space != f->space || item->role != f->role)
		return false;
	for (a = 0; a < rank; a++)
		if (e->size[a] > 1 && e->stride[f->role][a] != f->hull.stride[0][a])
			return false;
	if (family_byte(f, rank, e->start) != e->offset[f->role])
		return false;
	for (a = 0; a < rank; a++) {
		end = e->start[a] + e->size[a];
		hull_end = f->hull.start[a] + f->hull.size[a];
		if (e->start[a] < f->hull.start[a])
			f->hull.start[a] = e->start[a];
		f->hull.size[a] = (end > hull_end ? end : hull_end) - f->hull.start[a];
	}
	f->members++;
	return true;
}

bool kte_family_close(const struct kte_work *w, struct kte_family *f)
{
	const struct kte_space *sp = &w->t->spaces[f->space];
	uint32_t elem = sp->elem_bytes[f->role];
	uint64_t offset = f->hull.offset[0], last;
	struct kte_box box;

	/* The corner of the hull may belong to no member and lie below byte 0, which
	 * shows as a corner above the member that the family started with. */
	f->hull.offset[0] = family_byte(f, sp->rank, f->hull.start);
	if (f->hull.offset[0] > offset ||
	    !kte_last_byte(&f->hull, sp->rank, 0, elem, &last))
		return false;
	kte_box_of(&f->hull, &box);
	kte_walk_init(&f->walk, &f->hull, sp->rank, 0, elem, &box);
	return kte_walk_nested(&f->walk);
}

/* Bytes from the first to the last within one period of @m; 0 if steps of @m or
 * more do not keep the place within the period. */
static uint64_t span_within(const struct kte_walk *w, uint64_t m)
{
	uint64_t span = w->run;
	uint32_t a;

	for (a = 0; a < w->rank; a++) {
		if (w->stride[a] < m)
			span += w->stride[a] * (w->count[a] - 1);
		else if (w->stride[a] % m)
			return 0;
	}
	return span;
}

static bool apart_modulo(const struct kte_walk *a, const struct kte_walk *b, uint64_t m)
{
	uint64_t span_a = span_within(a, m), span_b = span_within(b, m);
	uint64_t ra = a->base % m, rb = b->base % m, from;

	if (!span_a || !span_b || span_a > m || span_b > m)
		return false;
	/* how far behind the start of a b starts, going round */
	from = rb >= ra ? rb - ra : m - ra + rb;
	return from >= span_a && span_b <= m - from;
}

bool kte_walks_apart(const struct kte_walk *a, const struct kte_walk *b)
{
	uint32_t i;

	if (kte_walk_last(a) < b->base || kte_walk_last(b) < a->base)
		return true;
	for (i = 0; i < a->rank; i++)
		if (apart_modulo(a, b, a->stride[i]))
			return true;
	for (i = 0; i < b->rank; i++)
		if (apart_modulo(a, b, b->stride[i]))
			return true;
	return false;
}
