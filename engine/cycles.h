/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Parts of the count of a program: union of boxes, loads of the ring.
 */
#ifndef KTE_CYCLES_H
#define KTE_CYCLES_H

#include "exec_prog.h"

#define KTE_UNION_BUDGET	(1ull << 22)

/**
 * kte_union_volume - elements in at least one of some boxes
 * @env:	memory and ticks
 * @boxes:	start[rank] then size[rank] of each box, pointers
 * @n:		number of boxes
 * @rank:	axes
 * @budget:	box visits left, counted down; where they run out the answer is the
 *		sum over distinct boxes, which is not less than the union
 * @volume:	the answer
 *
 * Return: 0, -ENOMEM or what env->tick returned.
 */
int kte_union_volume(const struct kte_env *env, const uint32_t *const *boxes, uint32_t n,
		     uint32_t rank, uint64_t *budget, uint64_t *volume);

/* Loads of the links of a ring, one direction; link i leaves core i upwards. */
struct kte_ring {
	uint32_t n;
	uint32_t levels;
	uint64_t *load;		/* differences, then loads, then maxima of 2, 4, ... links */
};

/* Zeroed loads; false without memory. */
bool kte_ring_init(struct kte_ring *r, const struct kte_env *env, uint32_t n);
void kte_ring_free(struct kte_ring *r, const struct kte_env *env);
/* @cycles more on @count links from @first on, around the ring. */
void kte_ring_add(struct kte_ring *r, uint32_t first, uint32_t count, uint64_t cycles);
void kte_ring_close(struct kte_ring *r);	/* after the last add, before the first max */
uint64_t kte_ring_max(const struct kte_ring *r, uint32_t first, uint32_t count);

#endif /* KTE_CYCLES_H */
