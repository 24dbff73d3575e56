/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The clock of a job: which cycle each tile's earlier commands are complete at, and what a
 * shuffle waits. The device model and the soft backend keep it alike, so that stall_cycles
 * are equal. All cycles count from the start of the job.
 *
 *	DMA of b bytes to or from tile t	starts when the DMA engine is free, takes
 *						ceil(b / dma_bytes); ready(t) = its end
 *	FILL of b bytes on tile t		ready(t) += ceil(b / local_bytes)
 *	SHUFFLE issued at cycle now		waits kte_prog_stall(ready - now); ends at
 *						now + max(ready - now) + its cycles; every
 *						tile is ready then
 */
#ifndef KTE_CLOCK_H
#define KTE_CLOCK_H

#include "kte_exec.h"

/**
 * struct kte_clock - the clock of one job
 * @timing:	the target's
 * @ready:	per tile, @n_tiles of them, the owner's memory
 * @now:	cycle the next command is issued at
 * @dma:	cycle the DMA engine is free at
 */
struct kte_clock {
	const struct kte_timing *timing;
	uint64_t *ready;
	uint32_t n_tiles;
	uint64_t now;
	uint64_t dma;
};

static inline void kte_clock_start(struct kte_clock *c)
{
	c->now = 0;
	c->dma = 0;
	memset(c->ready, 0, c->n_tiles * sizeof(*c->ready));
}

static inline uint64_t kte_clock_ceil(uint64_t bytes, uint32_t per_cycle)
{
	return bytes / per_cycle + !!(bytes % per_cycle);
}

static inline void kte_clock_dma(struct kte_clock *c, uint32_t tile, uint64_t bytes)
{
	c->dma = (c->dma > c->now ? c->dma : c->now) + kte_clock_ceil(bytes, c->timing->dma_bytes);
	c->ready[tile] = c->dma;
}

static inline void kte_clock_fill(struct kte_clock *c, uint32_t tile, uint64_t bytes)
{
	uint64_t from = c->ready[tile] > c->now ? c->ready[tile] : c->now;

	c->ready[tile] = from + kte_clock_ceil(bytes, c->timing->local_bytes);
}

/* Returns the stall cycles of a shuffle that takes @cycles once its tiles are ready. */
static inline uint64_t kte_clock_shuffle(struct kte_clock *c, const struct kte_prog *prog,
					 uint64_t cycles, bool per_tile)
{
	uint64_t last = 0, stall;
	uint32_t t;

	for (t = 0; t < c->n_tiles; t++) {
		c->ready[t] = c->ready[t] > c->now ? c->ready[t] - c->now : 0;
		if (c->ready[t] > last)
			last = c->ready[t];
	}
	stall = kte_prog_stall(prog, c->ready, c->n_tiles, per_tile);
	c->now += last + cycles;
	for (t = 0; t < c->n_tiles; t++)
		c->ready[t] = c->now;
	return stall;
}

#endif /* KTE_CLOCK_H */
