/* SPDX-License-Identifier: MIT */
/*
 * The scratchpad allocator: which bytes of each tile's window are taken. Placement
 * happens at compile time only; all offsets are bytes from the window's base and
 * everything handed out is aligned to a stick.
 */
#ifndef KT_PLACE_H
#define KT_PLACE_H

#include "diag.h"

#define KT_STICK	128u
#define KT_ALL_TILES	0xffffffffu

/* One taken range [start, end). */
struct kt_taken {
	uint64_t start, end;
};

/**
 * struct kt_spm - the window of every tile
 * @arena:	memory for the lists
 * @n_tiles:	tiles
 * @window:	bytes of the window, the same on each tile
 * @tiles:	per tile the taken ranges, ascending and disjoint
 * @needed:	after -ENOSPC: bytes that were asked for, rounded up to sticks
 * @available:	after -ENOSPC: the longest free stick-aligned range there was
 */
struct kt_spm {
	struct kt_arena *arena;
	uint32_t n_tiles;
	uint64_t window;
	struct kt_spm_tile {
		uint32_t n, cap;
		struct kt_taken *v;
	} *tiles;
	uint64_t needed, available;
};

/* Return: 0 or -ENOMEM. The arena owns all memory: there is no fini. */
int kt_spm_init(struct kt_spm *spm, struct kt_arena *a, uint32_t n_tiles, uint64_t window);

/* Take a given range, which may meet taken ones, on one tile or KT_ALL_TILES. What lies
 * beyond the window is ignored (the caller checks). Return: 0 or -ENOMEM. */
int kt_spm_reserve(struct kt_spm *spm, uint32_t tile, uint64_t start, uint64_t bytes);

/* Take the first free range of @bytes (> 0) on one tile. Return: 0, -ENOSPC (needed,
 * available), -ENOMEM. */
int kt_spm_take(struct kt_spm *spm, uint32_t tile, uint64_t bytes, uint64_t *offset);

/* Give back what kt_spm_take() returned. */
void kt_spm_give(struct kt_spm *spm, uint32_t tile, uint64_t offset);

/* Find, without taking it, a range of @bytes that is free on every tile (staging).
 * Return: 0, -ENOSPC (needed, available), -ENOMEM. */
int kt_spm_find_common(struct kt_spm *spm, uint64_t bytes, uint64_t *offset);

#endif /* KT_PLACE_H */
