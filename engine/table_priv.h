/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the files of the table compiler share. From the ground up:
 *	table_fields.c	each space and entry on its own
 *	table_cover.c	sources against destinations: classes and edges
 *	table_paint.c	bytes in a bitmap: the general method
 *	table_family.c	proofs that spare it
 *	table_bytes.c	destinations against each other
 *	table_alias.c	destinations against what is read, staging
 *	table.c		order of the checks, image
 */
#ifndef KTE_TABLE_PRIV_H
#define KTE_TABLE_PRIV_H

#include "box.h"

#define KTE_TICK_STEPS	2048u	/* half of what kte_env promises */

/**
 * struct kte_class - the destinations of a space with one box
 * @dest:	the first of them
 * @members:	how many
 * @first, @count: their run of edges
 */
struct kte_class {
	uint32_t dest;
	uint32_t members;
	uint32_t first;
	uint32_t count;
};

/**
 * struct kte_item - the bytes of one role of an entry on its tile
 * @lo, @last:	first and last byte
 * @entry:	index among the sources or the destinations
 * @tile:	its tile
 * @role:	the role
 * @write:	destination (1) or source (0)
 * @family:	its family in the cluster at hand
 */
struct kte_item {
	uint64_t lo;
	uint64_t last;
	uint32_t entry;
	uint16_t tile;
	uint8_t role : 1;
	uint8_t write : 1;
	uint8_t family;
};

#define KTE_FAMILIES	8	/* maps told apart in one cluster before painting */

/**
 * struct kte_family - items of a cluster that follow one address map
 * @hull:	its strides in role 0; the smallest box that holds all members
 * @origin:	byte of element 0 of every axis, modulo 2^64
 * @walk:	the bytes of the hull
 * @space, @role: theirs
 * @members:	how many
 */
struct kte_family {
	struct kte_entry hull;
	struct kte_walk walk;
	uint64_t origin;
	uint32_t space;
	uint32_t role;
	uint32_t members;
};

/**
 * struct kte_work - one run of the compiler
 * @t, @lim, @env, @why: as given
 * @steps:	work since the last tick
 * @axis_left, @paint_left: what remains of the budgets
 * @n_tiles, @window_bytes: what the entries touch
 * @src_first, @src_list, @dst_first, @dst_list: entries by space, in order
 * @classes, @n_classes, @class_of: destinations by box
 * @edges, @n_edges, @cap_edges: the runs of the classes
 * @n_pairs:	edges counted once per member
 * @items, @n_items: entries by tile and byte
 * @bitmap, @bitmap_words: the paint
 * @paint_lo, @granule: byte of its first bit, bytes per bit
 * @hit:	byte of the last collision
 * @rev_first, @rev: classes each source is read by; built when first needed
 * @keys, @cuts, @list: room for kte_boxes_disjoint(), one per entry
 * @families:	of the cluster at hand
 */
struct kte_work {
	const struct kte_table *t;
	const struct kte_limits *lim;
	const struct kte_env *env;
	struct kte_reject *why;
	uint32_t steps;
	uint32_t n_tiles;
	uint64_t axis_left;
	uint64_t paint_left;
	uint64_t window_bytes;
	uint32_t *src_first;
	uint32_t *src_list;
	uint32_t *dst_first;
	uint32_t *dst_list;
	struct kte_class *classes;
	uint32_t n_classes;
	uint32_t *class_of;
	uint32_t *edges;
	uint64_t n_edges;
	uint64_t cap_edges;
	uint64_t n_pairs;
	struct kte_item *items;
	uint64_t n_items;
	uint64_t *bitmap;
	uint64_t bitmap_words;
	uint64_t paint_lo;
	uint64_t granule;
	uint64_t hit;
	uint32_t *rev_first;
	uint32_t *rev;
	uint64_t *keys;
	uint8_t *cuts;
	uint32_t *list;
	struct kte_family families[KTE_FAMILIES];
};

/* Counts @n steps; every so often asks whether to go on. 0 or the tick's error. */
static inline int kte_step(struct kte_work *w, uint32_t n)
{
	w->steps += n;
	if (w->steps < KTE_TICK_STEPS)
		return 0;
	w->steps = 0;
	return w->env->tick ? w->env->tick(w->env->ctx) : 0;
}

/* Zeroed room for @n items; NULL when out of memory or over what can be addressed. */
static inline void *kte_work_alloc(struct kte_work *w, uint64_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n ? n : 1, size, &bytes))
		return NULL;
	return w->env->alloc(w->env->ctx, bytes);
}

static inline void kte_work_release(struct kte_work *w, void *ptr)
{
	if (ptr)
		w->env->free(w->env->ctx, ptr);
}

/* Fills a refusal but for where and index, which the caller has set. -EINVAL. */
static inline int kte_refuse(struct kte_reject *why, uint32_t reason, uint32_t field,
			     uint32_t axis, uint64_t value, uint64_t limit)
{
	why->reason = reason;
	why->other_where = KTE_WHERE_TABLE;
	why->other = KTE_NONE;
	why->field = field;
	why->axis = axis;
	why->tile = KTE_NONE;
	why->value = value;
	why->limit = limit;
	return -EINVAL;
}

/* The same with where and index. */
static inline int kte_refuse_at(struct kte_reject *why, uint32_t reason, uint32_t where,
				uint32_t index, uint64_t value, uint64_t limit)
{
	why->where = where;
	why->index = index;
	return kte_refuse(why, reason, KTE_F_NONE, KTE_NONE, value, limit);
}

static inline const struct kte_space *kte_space_of(const struct kte_work *w,
						   const struct kte_entry *e)
{
	return &w->t->spaces[e->space];
}

/* table_fields.c: 0, or -EINVAL with all of @why but where and index */
int kte_check_space(const struct kte_space *sp, struct kte_reject *why);
/* @dest: a destination; @compiled: first and count may be set */
int kte_check_entry(const struct kte_entry *e, const struct kte_space *spaces,
		    uint32_t n_spaces, const struct kte_limits *lim, bool dest, bool compiled,
		    struct kte_reject *why);
int kte_check_stage_range(uint64_t offset, uint64_t bytes, uint64_t window,
			  struct kte_reject *why);
/* 1 + the last byte of a checked entry */
uint64_t kte_entry_end(const struct kte_entry *e, const struct kte_space *sp);

/* table_cover.c */

/**
 * kte_boxes_disjoint - find two boxes of a list that meet
 * @entries, @list, @n: the boxes are those of entries[list[i]]
 * @budget:	axis comparisons allowed; reduced by those done
 * @pair:	on 1, positions in @list of two that meet
 *
 * Uses w->keys and w->cuts. Return: 0 disjoint, 1 not, -E2BIG undecided within
 * the budget, or what the tick returned.
 */
int kte_boxes_disjoint(struct kte_work *w, const struct kte_entry *entries,
		       const uint32_t *list, uint32_t n, uint32_t rank, uint64_t *budget,
		       uint32_t pair[2]);

/* Fills classes and edges. */
int kte_cover(struct kte_work *w);

/* table_paint.c */

enum kte_brush {
	KTE_BRUSH_SET,
	KTE_BRUSH_CLEAR,
	KTE_BRUSH_TEST,		/* stop at a bit that is set */
	KTE_BRUSH_CLAIM,	/* the same, and set the others */
};

/* The walk of one item's whole box. */
void kte_item_walk(const struct kte_work *w, const struct kte_item *item, struct kte_walk *walk);
/* The largest granule that divides @granule and fits a walk seen from byte @lo. */
uint64_t kte_granule(uint64_t granule, uint64_t lo, const struct kte_walk *walk);
/* Clears the bitmap for bytes @lo..@last. @dest: who to name when over budget. */
int kte_paint_begin(struct kte_work *w, uint64_t lo, uint64_t last, uint64_t granule,
		    uint32_t dest);
/* Return: 0, 1 (w->hit is the byte), -E2BIG, or what the tick returned. */
int kte_paint(struct kte_work *w, const struct kte_walk *walk, enum kte_brush brush,
	      uint32_t dest);
/* 1 if @byte is in the walk, 0 if not, or what the tick returned. */
int kte_walk_has(struct kte_work *w, const struct kte_walk *walk, uint64_t byte);

/* table_family.c */

/* Starts a family with one item. */
void kte_family_start(const struct kte_work *w, struct kte_family *f,
		      const struct kte_item *item);
/* Learns strides along axes of size 1 from an item of size above 1. */
void kte_family_hint(const struct kte_work *w, struct kte_family *f, const struct kte_entry *e);
/* Adds an item if it follows the map; false if not. */
bool kte_family_add(const struct kte_work *w, struct kte_family *f,
		    const struct kte_item *item);
/* Whether the map keeps the elements of the hull at distinct bytes: then boxes
 * of the family that do not meet have no byte in common. Sets f->walk. */
bool kte_family_close(const struct kte_work *w, struct kte_family *f);
/* Whether two walks are told apart by intervals or modulo one of their strides. */
bool kte_walks_apart(const struct kte_walk *a, const struct kte_walk *b);
static inline const struct kte_entry *kte_item_entry(const struct kte_work *w,
						     const struct kte_item *item)
{
	return item->write ? &w->t->dests[item->entry] : &w->t->sources[item->entry];
}

/* table_bytes.c */

/* Adds the items of an entry to w->items. */
void kte_add_items(struct kte_work *w, const struct kte_entry *e, uint32_t entry, bool write);
/* Sorts w->items by tile and byte. */
int kte_sort_items(struct kte_work *w);
/* Items from @from on that hang together as intervals: index behind the last. */
uint64_t kte_cluster_end(const struct kte_work *w, uint64_t from);
int kte_check_overlap(struct kte_work *w);

/* table_alias.c */

/* @staged NULL: refuse the first conflict of an unstaged destination; else mark
 * every destination that has one. */
int kte_check_alias(struct kte_work *w, uint8_t *staged);
/* Largest sum of kte_stage_bytes() over a tile, of the destinations flagged or
 * (@staged not NULL) marked. */
int kte_stage_need(struct kte_work *w, const uint8_t *staged, uint64_t *need, uint32_t *tile);
int kte_check_stage(struct kte_work *w);

#endif /* KTE_TABLE_PRIV_H */
