/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Executing images: structural check, preparation (once per image) and run
 * (many times), with counters and the deterministic cycle model. Used by the
 * device model and the soft backend; not by the kernel.
 *
 * The image is untrusted here: it may come from a guest.
 */
#ifndef KTE_EXEC_H
#define KTE_EXEC_H

#include "kte_table.h"

/* Why an image or its execution faulted. Numbers are register ABI. */
enum kte_fault_code {
	KTE_FAULT_NONE		= 0,
	KTE_FAULT_IMAGE		= 1,	/* malformed header, section or reserved field */
	KTE_FAULT_SPACE		= 2,	/* bad space */
	KTE_FAULT_ENTRY		= 3,	/* bad entry: space, box, stride, flags */
	KTE_FAULT_TILE		= 4,	/* tile not in the slot's map */
	KTE_FAULT_WINDOW	= 5,	/* last byte outside the window */
	KTE_FAULT_ALIGN		= 6,	/* fold not naturally aligned */
	KTE_FAULT_EDGES		= 7,	/* run out of range or not ascending */
	KTE_FAULT_COVERAGE	= 8,	/* intersections do not add up to the destination */
	KTE_FAULT_STAGE		= 9,	/* staging range or need out of bounds */
	KTE_FAULT_LIMIT		= 10,	/* over a cap of the target */
	KTE_FAULT_NOMEM		= 11,	/* the executing side ran out of memory */
	KTE_FAULT_STOPPED	= 12,	/* stopped by reset */
};

/**
 * struct kte_fault - a fault with its witness
 * @code:	enum kte_fault_code
 * @entry:	index of the entry (sources first, then destinations), else ~0
 * @tile:	logical tile, else ~0
 * @field:	enum kte_field, KTE_F_NONE if none
 * @address:	window offset, or the value at fault
 */
struct kte_fault {
	uint32_t code;
	uint32_t entry;
	uint32_t tile;
	uint32_t field;
	uint64_t address;
};

const char *kte_fault_name(uint32_t code);	/* "coverage"; never NULL */

/* Timing of a target; part of its identity, read from its registers. */
struct kte_timing {
	uint32_t link_bytes;	/* bytes per cycle and ring direction, 128 */
	uint32_t hop_cycles;	/* per hop, 1 */
	uint32_t setup_cycles;	/* per injection at its source, 16 */
	uint32_t dma_bytes;	/* host DMA bytes per cycle, 64 */
	uint32_t local_bytes;	/* scratchpad copy bytes per cycle and core, 128 */
	uint32_t fold_bytes;	/* bytes per cycle of the fold unit of a core, 128 */
};
extern const struct kte_timing kte_timing_default;

/**
 * struct kte_counters - what a run of an image costs; depends on image and map only
 * @transfers:	   (source, destination) pairs with bytes between them
 * @injections:	   transfers of one source entry with equal boxes count once
 * @bytes_delivered: destination bytes written (folds: result bytes)
 * @remote_bytes:  bytes that cross cores, per destination (folds: contributions)
 * @injected_bytes: source bytes at least one other core needs, once per source
 * @cycles:	   length of the movement when all tiles are ready
 * @max_fanin:	   most sources of one destination entry
 * @max_fanout:	   most destination entries of one source entry
 */
struct kte_counters {
	uint64_t transfers;
	uint64_t injections;
	uint64_t bytes_delivered;
	uint64_t remote_bytes;
	uint64_t injected_bytes;
	uint64_t cycles;
	uint32_t max_fanin;
	uint32_t max_fanout;
};

/**
 * kte_image_check - structural check of an untrusted image
 *
 * Everything but coverage: after it, every index, box, offset and sum is in
 * bounds for @lim (n_tiles, window, caps). Cost: O(image + edges).
 * Return: 0, or -EINVAL with @fault filled.
 */
int kte_image_check(const void *image, uint64_t bytes, const struct kte_limits *lim,
		    struct kte_fault *fault);

struct kte_prog;

/**
 * kte_prog_new - check an image and prepare it for execution
 * @image:	the image; copied as far as needed, may be freed after the call
 * @bytes:	its size
 * @lim:	limits; budgets are not used
 * @env:	memory and ticks; must outlive the program
 * @prog:	the program; immutable, may be run by several threads at once
 * @fault:	filled on failure
 *
 * Checks coverage too: copy intersections add up to each destination, fold
 * sources contain it. Destinations with equal boxes are one class, prepared once.
 * Return: 0, -EINVAL (fault), -ENOMEM, or what env->tick returned.
 */
int kte_prog_new(const void *image, uint64_t bytes, const struct kte_limits *lim,
		 const struct kte_env *env, struct kte_prog **prog, struct kte_fault *fault);
void kte_prog_free(struct kte_prog *prog);

/**
 * struct kte_run - one execution
 * @pads:	per logical tile, first byte of its window; faster where equal offsets
 *		of different tiles do not share cache sets (bases not multiples of 4 KiB
 *		apart)
 * @n_pads:	entries of @pads; at least the image's n_tiles
 * @window:	bytes behind each pointer; at least the image's window_bytes
 * @scratch:	kte_prog_scratch_bytes() bytes, 64-byte aligned; one per part
 * @stop:	optional; asked at least every 256 KiB of copying; true stops
 * @stop_ctx:	its argument
 */
struct kte_run {
	uint8_t *const *pads;
	uint32_t n_pads;
	uint64_t window;
	void *scratch;
	bool (*stop)(void *ctx);
	void *stop_ctx;
};

size_t kte_prog_scratch_bytes(const struct kte_prog *prog);

/* Phases of a run: 0 moves and folds (staged results into the staging range),
 * 1 copies staged results to where they belong. Between them every part of
 * phase 0 must be complete. */
unsigned int kte_prog_phases(const struct kte_prog *prog);	/* 1 or 2 */

/**
 * kte_prog_run_part - run part @part of @parts of one phase
 *
 * Parts write disjoint bytes and may run in different threads, each with its own
 * scratch. A copy that lands on its own bytes counts as none; where it is part of a
 * larger block the bytes may be rewritten with their own value.
 * Return: 0, -EINVAL (@run does not fit the image) or -EINTR (stopped).
 */
int kte_prog_run_part(const struct kte_prog *prog, const struct kte_run *run,
		      unsigned int phase, unsigned int part, unsigned int parts);

/* All phases in the calling thread. */
int kte_prog_run(const struct kte_prog *prog, const struct kte_run *run);

/**
 * kte_prog_count - counters and cycles for a tile-to-core map
 * @map:	physical core per logical tile, @n_map of them; NULL: identity
 * @n_cores:	cores on the ring
 * @timing:	NULL: kte_timing_default
 * Return: 0, -EINVAL (map too short or out of range), -ENOMEM.
 */
int kte_prog_count(const struct kte_prog *prog, const uint16_t *map, uint32_t n_map,
		   uint32_t n_cores, const struct kte_timing *timing, struct kte_counters *out);

/**
 * kte_prog_stall - cycles destination entries wait for their producers
 * @ready:	per logical tile, the cycle at which it is signalled (per tile), or at
 *		which its earlier operations are complete (barrier)
 * @n_ready:	entries of @ready
 * @per_tile:	per-tile mode: a destination waits for its own producers and its own
 *		tile; barrier mode: for the latest of all
 *
 * Return: the sum over destination entries.
 */
uint64_t kte_prog_stall(const struct kte_prog *prog, const uint64_t *ready, uint32_t n_ready,
			bool per_tile);

/* Exact conversions, round to nearest even, NaN to the canonical quiet NaN. */
float kte_f16_to_f32(uint16_t h);
uint16_t kte_f32_to_f16(float f);
float kte_bf16_to_f32(uint16_t h);
uint16_t kte_f32_to_bf16(float f);

#endif /* KTE_EXEC_H */
