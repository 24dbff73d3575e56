/* SPDX-License-Identifier: MIT */
/*
 * The plan object: what compiling gives and what a backend runs. A plan is a list of
 * steps (one image each), the values that go in and come out with their places, and the
 * ranges the library uses as scratch. lower.c builds it from KTIR, relayouts build it
 * from ownership tables, plan_bin.c and plan_json.c write and read it.
 *
 * Order of execution, for every step k:
 *	inputs with step == k are written, in the order of the list
 *	the image of step k runs
 *	outputs with step == k are read
 */
#ifndef KT_PLAN_H
#define KT_PLAN_H

#include "builder.h"

/* A box of a value and where it lies on one tile. */
struct kt_piece {
	uint32_t tile;
	bool placed;			/* by the library: the program gave no address */
	uint32_t start[KTE_MAX_RANK];	/* in the value */
	uint32_t size[KTE_MAX_RANK];
	uint64_t offset;		/* window bytes of its first element */
	uint64_t stride[KTE_MAX_RANK];	/* bytes */
};

/**
 * struct kt_io - a value that the host writes or reads: packed, row-major
 * @output:	read after the step, else written before it
 * @placed:	the library chose the place of some piece (no address in the program)
 * @derived:	input only: earlier steps of the plan write (some of) its bytes, the host does not
 * @delivery:	the step this is a partial or result of. For inputs @step may be earlier: it
 *		is the step before which the program loads the value
 * @tile:	producer or consumer; KT_ALL_TILES for a tensor spread over tiles
 * @pieces:	where it lies. Input pieces may repeat a box (replicas); output pieces cover
 *		every element once
 * @name:	data file, "t4.r0.bin"; outputs with one name follow one another in that file
 */
struct kt_io {
	bool output;
	bool derived;
	bool placed;
	bool fold;			/* its step combines */
	uint32_t step, delivery;
	uint32_t tile, role;
	uint32_t rank, elem_bytes;
	uint8_t dtype;			/* enum kte_dtype */
	uint32_t shape[KTE_MAX_RANK];
	uint64_t bytes;
	uint32_t n_pieces;
	struct kt_piece *pieces;
	const char *name;
};

/* Bytes a step may change beyond its destinations: staging, saved values. */
struct kt_scratch {
	uint32_t step;
	uint32_t tile;			/* or KT_ALL_TILES */
	uint64_t offset, bytes;
};

struct kt_plan_step {
	const char *op;			/* "gather", "relayout", ... */
	const char *func;		/* "" if none */
	void *image;			/* owned by the plan */
	uint64_t image_bytes;
	uint64_t dest_elements;		/* elements of all outputs of the step */
};

struct ktdev_plan {
	struct kt_arena arena;
	const char *source;		/* name of the input */
	const char *kind;		/* "ktir" or "relayout" */
	uint32_t n_tiles;		/* of the lease */
	uint32_t n_cores;		/* of the target it was compiled for */
	uint64_t window;		/* bytes of each tile it may touch */
	bool per_tile;
	uint32_t n_funcs;		/* functions with deliveries */
	uint32_t n_steps, cap_steps;
	struct kt_plan_step *steps;
	uint32_t n_io, cap_io;
	struct kt_io *io;
	uint32_t n_scratch, cap_scratch;
	struct kt_scratch *scratch;
};

/* An empty plan; NULL when out of memory. */
struct ktdev_plan *kt_plan_new(const char *kind, const char *source, uint32_t n_tiles,
			       uint32_t n_cores, uint64_t window);

/* Add a step; takes @image (malloc()), also on failure. Return: its index or -ENOMEM. */
int kt_plan_add_step(struct ktdev_plan *plan, const char *op, const char *func, void *image,
		     uint64_t image_bytes);

/* Add a value with @n_pieces zeroed pieces; the caller fills the rest of the result
 * (bytes and name are computed by kt_plan_finish() where 0 and NULL). NULL: no memory. */
struct kt_io *kt_plan_add_io(struct ktdev_plan *plan, bool output, uint32_t step, uint32_t tile,
			     uint32_t n_pieces);

int kt_plan_add_scratch(struct ktdev_plan *plan, uint32_t step, uint32_t tile, uint64_t offset,
			uint64_t bytes);

/* Names, sizes, staging ranges of the images as scratch. Nothing may be added afterwards. */
int kt_plan_finish(struct ktdev_plan *plan);

/* One transfer between a packed value and a pad: rows of bytes. */
struct kt_dma {
	uint32_t tile, rows;
	uint64_t row_bytes;
	uint64_t pad, pad_stride;
	uint64_t buf, buf_stride;
};

/* The transfers of one piece; @out may be NULL to count them. */
uint64_t kt_piece_dma(const struct kt_io *io, const struct kt_piece *pc, struct kt_dma *out);

/* Copy a value between a packed buffer and pads (pads[tile] is the window's first byte). */
void kt_io_to_pads(const struct kt_io *io, const void *buf, uint8_t *const *pads);
void kt_io_from_pads(const struct kt_io *io, void *buf, uint8_t *const *pads);

/* plan_stats.c: add a step's counters; then count injected bytes once per byte. */
struct kte_counters;
void kt_stats_add(struct ktdev_stats *out, const struct kte_counters *c);
int kt_plan_injected(const struct ktdev_plan *plan, struct ktdev_stats *out);

#endif /* KT_PLAN_H */
