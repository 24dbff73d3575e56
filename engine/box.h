/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Boxes of an index space and the bytes they map to. The lowest floor of the
 * engine, shared by validation and execution.
 *
 * Terms: a box is start and size per axis; a cut is the box two boxes share;
 * the map of an entry and role takes element x to the byte
 *	offset + sum over axes of (x[a] - start[a]) * stride[a]
 * where strides count only on axes of size above 1.
 *
 * Functions that say "checked" detect overflow on any input. All others expect
 * entries whose fields have been checked (box inside its space, last byte below
 * 2^64), so that their sums cannot overflow.
 *
 * Staged results lie in the staging range of their tile in the order of the
 * destination entries, the roles of an entry in order, each role packed (row
 * major, no gaps) and padded to a multiple of KTE_STICK_BYTES.
 */
#ifndef KTE_BOX_H
#define KTE_BOX_H

#include "kte_table.h"

#define KTE_NONE	0xffffffffu	/* "no index" in witnesses and lookups */

/* A box on its own, where no entry carries it. */
struct kte_box {
	uint32_t start[KTE_MAX_RANK];
	uint32_t size[KTE_MAX_RANK];
};

/**
 * struct kte_walk - the bytes of a box as equal contiguous runs
 * @base:	window offset of the first run
 * @run:	bytes of a run
 * @rank:	number of outer dimensions, innermost (smallest stride) first
 * @count:	steps per outer dimension, above 1
 * @stride:	bytes per step
 */
struct kte_walk {
	uint64_t base;
	uint64_t run;
	uint32_t rank;
	uint32_t count[KTE_MAX_RANK];
	uint64_t stride[KTE_MAX_RANK];
};

/* Where a walk is: the current run starts at @at. { .at = walk->base } is the first. */
struct kte_cursor {
	uint64_t at;
	uint32_t pos[KTE_MAX_RANK];
};

/* Elements of a box. Checked: false if above KTE_MAX_VOLUME. */
static inline bool kte_volume(const uint32_t *size, uint32_t rank, uint64_t *volume)
{
	uint64_t v = 1;
	uint32_t a;

	for (a = 0; a < rank; a++)
		if (__builtin_mul_overflow(v, size[a], &v) || v > KTE_MAX_VOLUME)
			return false;
	*volume = v;
	return true;
}

/* Elements of a checked entry's box. */
static inline uint64_t kte_entry_volume(const struct kte_entry *e, uint32_t rank)
{
	uint64_t v = 1;
	uint32_t a;

	for (a = 0; a < rank; a++)
		v *= e->size[a];
	return v;
}

/* Last byte of a box: offset + strides + elem - 1. Checked: false on overflow. */
static inline bool kte_last_byte(const struct kte_entry *e, uint32_t rank, uint32_t role,
				 uint32_t elem, uint64_t *last)
{
	uint64_t v = elem - 1, step;
	uint32_t a;

	for (a = 0; a < rank; a++) {
		if (e->size[a] < 2)
			continue;
		if (__builtin_mul_overflow(e->stride[role][a], e->size[a] - 1, &step) ||
		    __builtin_add_overflow(v, step, &v))
			return false;
	}
	return !__builtin_add_overflow(v, e->offset[role], last);
}

static inline bool kte_box_equal(const struct kte_entry *a, const struct kte_entry *b,
				 uint32_t rank)
{
	return !memcmp(a->start, b->start, rank * sizeof(a->start[0])) &&
	       !memcmp(a->size, b->size, rank * sizeof(a->size[0]));
}

/* Whether two boxes of one space share an element. */
static inline bool kte_box_meets(const struct kte_entry *a, const struct kte_entry *b,
				 uint32_t rank)
{
	uint32_t i;

	for (i = 0; i < rank; i++)
		if (a->start[i] >= b->start[i] + b->size[i] ||
		    b->start[i] >= a->start[i] + a->size[i])
			return false;
	return true;
}

/* Whether every element of @inner is in @outer. */
static inline bool kte_box_contains(const struct kte_entry *outer,
				    const struct kte_entry *inner, uint32_t rank)
{
	uint32_t i;

	for (i = 0; i < rank; i++)
		if (inner->start[i] < outer->start[i] ||
		    inner->start[i] + inner->size[i] > outer->start[i] + outer->size[i])
			return false;
	return true;
}

/* The box @a and @b share; false if they do not meet. Axes beyond rank are zeroed. */
static inline bool kte_box_cut(const struct kte_entry *a, const struct kte_entry *b,
			       uint32_t rank, struct kte_box *cut)
{
	uint32_t i, lo, hi, end;

	memset(cut, 0, sizeof(*cut));
	for (i = 0; i < rank; i++) {
		lo = a->start[i] > b->start[i] ? a->start[i] : b->start[i];
		hi = a->start[i] + a->size[i];
		end = b->start[i] + b->size[i];
		if (hi > end)
			hi = end;
		if (lo >= hi)
			return false;
		cut->start[i] = lo;
		cut->size[i] = hi - lo;
	}
	return true;
}

/* Byte of element @at, which lies in the box of @e. */
static inline uint64_t kte_byte_of(const struct kte_entry *e, uint32_t rank, uint32_t role,
				   const uint32_t *at)
{
	uint64_t v = e->offset[role];
	uint32_t a;

	for (a = 0; a < rank; a++)
		if (e->size[a] > 1)
			v += (uint64_t)(at[a] - e->start[a]) * e->stride[role][a];
	return v;
}

/* Whether two entries of one tile and space keep every element of @cut at one byte. */
static inline bool kte_same_map(const struct kte_entry *a, const struct kte_entry *b,
				uint32_t rank, uint32_t role, const struct kte_box *cut)
{
	uint32_t i;

	for (i = 0; i < rank; i++)
		if (cut->size[i] > 1 && a->stride[role][i] != b->stride[role][i])
			return false;
	return kte_byte_of(a, rank, role, cut->start) == kte_byte_of(b, rank, role, cut->start);
}

/* Bytes of the staging range a staged destination takes. */
static inline uint64_t kte_stage_bytes(const struct kte_entry *e, const struct kte_space *sp)
{
	uint64_t volume = kte_entry_volume(e, sp->rank), need = 0;
	uint32_t r;

	for (r = 0; r < sp->roles; r++)
		need += (volume * sp->elem_bytes[r] + KTE_STICK_BYTES - 1) &
			~(uint64_t)(KTE_STICK_BYTES - 1);
	return need;
}

/* The whole box of an entry as a kte_box. */
static inline void kte_box_of(const struct kte_entry *e, struct kte_box *box)
{
	memcpy(box->start, e->start, sizeof(box->start));
	memcpy(box->size, e->size, sizeof(box->size));
}

/* Moves to the next run; false behind the last one. */
static inline bool kte_walk_next(const struct kte_walk *w, struct kte_cursor *c)
{
	uint32_t a;

	for (a = 0; a < w->rank; a++) {
		c->at += w->stride[a];
		if (++c->pos[a] < w->count[a])
			return true;
		c->at -= w->stride[a] * w->count[a];
		c->pos[a] = 0;
	}
	return false;
}

/* engine/box.c */

/* The bytes entry @e keeps of @box (inside its box), contiguous axes fused. */
void kte_walk_init(struct kte_walk *w, const struct kte_entry *e, uint32_t rank, uint32_t role,
		   uint32_t elem, const struct kte_box *box);

/* Whether no byte is in two runs, told from the strides alone: each step is at
 * least as long as everything inside it. False means "not nested", which may
 * still be free of overlap. */
bool kte_walk_nested(const struct kte_walk *w);

/* Number of runs; saturates at UINT64_MAX. */
uint64_t kte_walk_runs(const struct kte_walk *w);

/* Last byte. */
uint64_t kte_walk_last(const struct kte_walk *w);

/**
 * kte_sort - heapsort: in place, no recursion, O(n log n) on any input
 * @items:	@n items of @size bytes, at most KTE_SORT_MAX_ITEM
 * @less:	strict order; make it total where the result must not depend on luck
 * @env:	its tick is called every 128 items; NULL: none
 *
 * Linear when the items are sorted already. Return: 0 or what the tick returned.
 */
#define KTE_SORT_MAX_ITEM	32
int kte_sort(void *items, size_t n, size_t size, bool (*less)(const void *a, const void *b),
	     const struct kte_env *env);

/* The same for ascending numbers. */
int kte_sort_u64(uint64_t *keys, size_t n, const struct kte_env *env);

uint64_t kte_gcd(uint64_t a, uint64_t b);	/* gcd(0, b) is b */

#endif /* KTE_BOX_H */
