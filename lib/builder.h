/* SPDX-License-Identifier: MIT */
/*
 * The table builder: collects spaces and entries, finds what must be staged, places the
 * staging range and compiles the image with engine/table.c. KTIR lowering and ownership
 * tables both end here, so one piece of code hands out images, and only placed ones.
 *
 *	struct kt_table t = {0};
 *	sp = kt_table_space(&t, &index);	... fill op, mode, roles, extents, types
 *	e = kt_table_source(&t, index, tile, tag);	... fill start, size, offset, stride
 *	e = kt_table_dest(&t, index, tile, tag);
 *	kt_table_finish(&t, &lim, &spm, &image, &bytes, &err);
 *	kt_table_fini(&t);
 *
 * Pointers to spaces and entries are valid until the next one is added. Sources are
 * added in the order in which folds shall add them (ascending producer).
 */
#ifndef KT_BUILDER_H
#define KT_BUILDER_H

#include "kte_table.h"
#include "place.h"

/* malloc() and free() for the engine; no ticks. */
extern const struct kte_env kt_env;

/* Growing array of entries with the caller's tag for each (for diagnostics). */
struct kt_entries {
	struct kte_entry *e;
	uint32_t *tag;
	uint32_t n, cap;
};

struct kt_table {
	struct kte_space *spaces;
	uint32_t n_spaces, cap_spaces;
	struct kt_entries src, dst;
	uint64_t stage_offset, stage_bytes;	/* set by kt_table_finish() */
};

/**
 * struct kt_table_error - why kt_table_finish() refused
 * @why:	the engine's reason and witness; reason KTE_OK when placement failed
 * @tag:	tag of the entry at fault, KTE_R_* permitting; else ~0
 * @other_tag:	tag of the second party, else ~0
 * @needed, @available: bytes of staging range (-ENOSPC)
 */
struct kt_table_error {
	struct kte_reject why;
	uint32_t tag, other_tag;
	uint64_t needed, available;
};

/* Zeroed spaces and entries; NULL when out of memory. */
struct kte_space *kt_table_space(struct kt_table *t, uint32_t *index);
struct kte_entry *kt_table_source(struct kt_table *t, uint32_t space, uint32_t tile, uint32_t tag);
struct kte_entry *kt_table_dest(struct kt_table *t, uint32_t space, uint32_t tile, uint32_t tag);

/* Packed row-major strides of a box with @size, in bytes; returns the bytes of the box, 0 on
 * overflow. */
uint64_t kt_pack_strides(const uint32_t *size, uint32_t rank, uint32_t elem, uint64_t *stride);

/**
 * kt_table_split_folds - cut fold destinations that a source meets in part
 *
 * Afterwards every source that meets a destination contains it. Return: 0, -ENOMEM,
 * -ERANGE (more than 2^24 destinations).
 */
int kt_table_split_folds(struct kt_table *t);

/**
 * kt_table_finish - stage, place the staging range, compile
 * @spm:	free space; the staging range is found there and not taken
 * @image:	the image, from malloc(), owned by the caller
 *
 * Return: 0, -ENOSPC (staging does not fit: needed, available), -EINVAL, -ERANGE or
 * -E2BIG (the engine refused: why), -ENOMEM.
 */
int kt_table_finish(struct kt_table *t, const struct kte_limits *lim, struct kt_spm *spm,
		    void **image, uint64_t *bytes, struct kt_table_error *err);

void kt_table_fini(struct kt_table *t);

#endif /* KT_BUILDER_H */
