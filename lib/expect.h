/* SPDX-License-Identifier: MIT */
/*
 * What a KTIR file says it must do to the scratchpads, in comment lines:
 *
 *	// GIVEN  tile 0..3 @0: f32 1.5*32 i32 7 8 9
 *	// EXPECT tile 8 @512: t0@0+128 t1@0+128
 *	// EXPECT tile 0,4 @128: f16 15*64
 *
 * GIVEN puts values into the pads before the run. EXPECT names, from a byte offset on,
 * what must stand there afterwards: values, or the bytes another tile held before the run
 * (tTILE@OFFSET+LENGTH). "tile" takes ids, a..b ranges and commas. V*N repeats a value.
 */
#ifndef KT_EXPECT_H
#define KT_EXPECT_H

#include "diag.h"

struct kt_expect_item {
	bool move;		/* bytes of another tile, else values */
	uint32_t tile;		/* move: where they were */
	uint64_t offset;
	uint64_t bytes;
	uint8_t *value;		/* values: @bytes bytes */
};

struct kt_expect_line {
	struct kt_range at;
	bool given;
	uint32_t n_tiles;
	uint32_t *tiles;
	uint64_t offset;
	uint32_t n_items;
	struct kt_expect_item *items;
};

struct kt_expect {
	uint32_t n_lines;
	struct kt_expect_line *lines;
};

struct kt_expect_mismatch {
	struct kt_range at;
	uint32_t tile;
	uint64_t offset;	/* byte in the pad */
	uint8_t want, got;
};

/**
 * kt_expect_parse - collect the GIVEN and EXPECT lines of a text
 * @n_tiles:	tiles named must be below
 * @pad_bytes:	every byte named must be below
 * Return: 0 (also without any line), -EINVAL (malformed, see @rep), -ENOMEM.
 */
int kt_expect_parse(const struct kt_source *src, uint32_t n_tiles, uint64_t pad_bytes,
		    struct ktdev_report *rep, struct kt_arena *a, struct kt_expect *out);

/* Whether any EXPECT line is there. */
bool kt_expect_any(const struct kt_expect *e);

/* Put the GIVEN values into @pads. */
void kt_expect_fill(const struct kt_expect *e, uint8_t *const *pads);

/* Number of elements of @elem_bytes, counted from each item's first byte, that differ from
 * what EXPECT says; the first byte that does goes to @first. */
uint64_t kt_expect_compare(const struct kt_expect *e, uint8_t *const *before,
			   uint8_t *const *after, unsigned int elem_bytes,
			   struct kt_expect_mismatch *first);

#endif /* KT_EXPECT_H */
