// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Exact comparison of byte sets: each set is painted into a bitmap, one bit per
 * granule, and a bit met twice is a byte in common. The granule divides every
 * distance between the runs that are painted, so a bit is never half meant.
 * The bitmap's own size and each word touched are charged to the paint budget.
 */
#include "table_priv.h"

void kte_item_walk(const struct kte_work *w, const struct kte_item *item, struct kte_walk *walk)
{
	const struct kte_entry *e = kte_item_entry(w, item);
	const struct kte_space *sp = kte_space_of(w, e);
	struct kte_box box;

	kte_box_of(e, &box);
	kte_walk_init(walk, e, sp->rank, item->role, sp->elem_bytes[item->role], &box);
}

uint64_t kte_granule(uint64_t granule, uint64_t lo, const struct kte_walk *walk)
{
	uint32_t a;

	granule = kte_gcd(walk->base - lo, granule);
	granule = kte_gcd(walk->run, granule);
	for (a = 0; a < walk->rank; a++)
		granule = kte_gcd(walk->stride[a], granule);
	return granule;
}

static int out_of_paint(struct kte_work *w, uint32_t dest, uint64_t more)
{
	uint64_t budget = w->lim->paint_budget, need;

	if (__builtin_add_overflow(budget - w->paint_left, more, &need))
		need = UINT64_MAX;
	kte_refuse_at(w->why, KTE_R_BUDGET_PAINT, KTE_WHERE_DEST, dest, need, budget);
	return -E2BIG;
}

int kte_paint_begin(struct kte_work *w, uint64_t lo, uint64_t last, uint64_t granule,
		    uint32_t dest)
{
	uint64_t words = (last - lo) / granule / 64 + 1, i;
	int err = 0;

	if (words > w->paint_left)
		return out_of_paint(w, dest, words);
	w->paint_left -= words;
	w->paint_lo = lo;
	w->granule = granule;
	if (words > w->bitmap_words) {
		kte_work_release(w, w->bitmap);
		w->bitmap_words = 0;
		w->bitmap = kte_work_alloc(w, words, sizeof(*w->bitmap));
		if (!w->bitmap)
			return -ENOMEM;
		w->bitmap_words = words;
		return 0;
	}
	for (i = 0; i < words && !err; i++) {
		w->bitmap[i] = 0;
		err = kte_step(w, 1);
	}
	return err;
}

/* Bits @at .. @at + @n. */
static int paint_run(struct kte_work *w, uint64_t at, uint64_t n, enum kte_brush brush,
		     uint32_t dest)
{
	uint64_t mask, both, *word;
	uint32_t bit, take;
	int err;

	for (; n; n -= take, at += take) {
		bit = at % 64;
		take = n < 64 - bit ? (uint32_t)n : 64 - bit;
		mask = (take < 64 ? (1ull << take) - 1 : ~0ull) << bit;
		word = &w->bitmap[at / 64];
		both = *word & mask;
		if (!w->paint_left)
			return out_of_paint(w, dest, 1);
		w->paint_left--;
		err = kte_step(w, 1);
		if (err)
			return err;
		if (brush >= KTE_BRUSH_TEST && both) {
			at = at / 64 * 64 + (uint32_t)__builtin_ctzll(both);
			w->hit = w->paint_lo + at * w->granule;
			return 1;
		}
		if (brush == KTE_BRUSH_CLEAR)
			*word &= ~mask;
		else if (brush != KTE_BRUSH_TEST)
			*word |= mask;
	}
	return 0;
}

int kte_paint(struct kte_work *w, const struct kte_walk *walk, enum kte_brush brush,
	      uint32_t dest)
{
	uint64_t runs = kte_walk_runs(walk);
	struct kte_walk bits = *walk;
	struct kte_cursor c = { 0 };
	uint32_t a;
	int got;

	if (runs > w->paint_left)
		return out_of_paint(w, dest, runs);
	bits.run /= w->granule;
	for (a = 0; a < bits.rank; a++)
		bits.stride[a] /= w->granule;
	c.at = (walk->base - w->paint_lo) / w->granule;
	do {
		got = paint_run(w, c.at, bits.run, brush, dest);
	} while (!got && kte_walk_next(&bits, &c));
	return got;
}

int kte_walk_has(struct kte_work *w, const struct kte_walk *walk, uint64_t byte)
{
	struct kte_cursor c = { .at = walk->base };
	int err;

	if (byte < walk->base || byte > kte_walk_last(walk))
		return 0;
	do {
		if (byte >= c.at && byte - c.at < walk->run)
			return 1;
		err = kte_step(w, 1);
	} while (!err && kte_walk_next(walk, &c));
	return err;
}
