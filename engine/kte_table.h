/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Table validation and compilation: entry arrays in, image out. Pure and
 * allocation-injected; the kernel, KUnit, the fuzzers and the library all use
 * this one implementation (engine/table.c).
 */
#ifndef KTE_TABLE_H
#define KTE_TABLE_H

#include "kte_image.h"

/**
 * struct kte_env - what the surroundings lend to the engine
 * @alloc:	returns zeroed memory of @bytes, 8-byte aligned, or NULL
 * @free:	gives it back; NULL is fine
 * @tick:	optional; called at least every 4096 steps of work. Non-zero stops
 *		the call with that value (a negative errno such as -EINTR)
 * @ctx:	handed to the callbacks
 */
struct kte_env {
	void *(*alloc)(void *ctx, size_t bytes);
	void (*free)(void *ctx, void *ptr);
	int (*tick)(void *ctx);
	void *ctx;
};

/**
 * struct kte_table - a table as the user states it, nothing checked yet
 * @spaces:	the spaces
 * @sources:	source entries, in the order folds shall add them
 * @dests:	destination entries; first and count are 0
 * @stage_offset, @stage_bytes: the staging range, see struct kte_image_header
 */
struct kte_table {
	const struct kte_space *spaces;
	const struct kte_entry *sources;
	const struct kte_entry *dests;
	uint32_t n_spaces;
	uint32_t n_sources;
	uint32_t n_dests;
	uint64_t stage_offset;
	uint64_t stage_bytes;
};

/**
 * struct kte_limits - what the target takes, and the budgets of validation
 * @n_tiles:	tiles of the target: entry.tile must be below
 * @window:	bytes of the window: last byte of every entry below
 * @max_entries: source and destination entries together
 * @max_spaces:	spaces
 * @max_pairs:	(source, destination) pairs
 * @max_image:	bytes of the image
 * @axis_budget: axis comparisons of the coverage search, KTE_AXIS_BUDGET
 * @paint_budget: 64-bit word operations of the exact overlap check, KTE_PAINT_BUDGET
 */
struct kte_limits {
	uint32_t n_tiles;
	uint32_t max_entries;
	uint32_t max_spaces;
	uint64_t window;
	uint64_t max_pairs;
	uint64_t max_image;
	uint64_t axis_budget;
	uint64_t paint_budget;
};

#define KTE_AXIS_BUDGET		(1ull << 21)
#define KTE_PAINT_BUDGET	(1ull << 20)

/* The limits of hardware with @n_tiles tiles and a window of @window bytes. */
void kte_limits_hw(struct kte_limits *lim, uint32_t n_tiles, uint64_t window);
/* The same without caps or budgets, for the soft backend. */
void kte_limits_soft(struct kte_limits *lim, uint32_t n_tiles, uint64_t window);

/* Why a table was refused. Numbers are ABI: append only. */
enum kte_reason {
	KTE_OK			= 0,
	KTE_R_COUNT		= 1,	/* no or too many spaces, sources or destinations */
	KTE_R_RANK		= 2,	/* rank not 1..8 */
	KTE_R_EXTENT		= 3,	/* extent 0, or set beyond the rank */
	KTE_R_VOLUME		= 4,	/* more than 2^48 elements */
	KTE_R_OP		= 5,	/* unknown op, or mode bits the op does not take */
	KTE_R_DTYPE		= 6,	/* unknown type, or one the op does not take */
	KTE_R_ELEM		= 7,	/* element bytes not 1..16, or not the type's */
	KTE_R_ROLES		= 8,	/* role count does not go with the op */
	KTE_R_RESERVED		= 9,	/* a reserved or unused field is not 0 */
	KTE_R_SPACE		= 10,	/* entry names no space of the table */
	KTE_R_TILE		= 11,	/* entry names no tile of the target */
	KTE_R_BOX		= 12,	/* box empty or outside its space */
	KTE_R_STRIDE		= 13,	/* stride 0 where the size is above 1 */
	KTE_R_WINDOW		= 14,	/* last byte outside the window, or 2^64 passed */
	KTE_R_ALIGN		= 15,	/* fold role not naturally aligned */
	KTE_R_SELF_OVERLAP	= 16,	/* a destination box writes one byte twice */
	KTE_R_SRC_OVERLAP	= 17,	/* copy: two source boxes of a space meet */
	KTE_R_COVERAGE		= 18,	/* copy: destination elements no source holds */
	KTE_R_FOLD_PARTIAL	= 19,	/* fold: a source meets a destination in part */
	KTE_R_FOLD_EMPTY	= 20,	/* fold: a destination without a contribution */
	KTE_R_DST_OVERLAP	= 21,	/* two destinations write one byte */
	KTE_R_ALIAS		= 22,	/* unstaged destination writes bytes that are read */
	KTE_R_STAGE_RANGE	= 23,	/* staging range unaligned or outside the window */
	KTE_R_STAGE_SIZE	= 24,	/* staged bytes of a tile exceed the range */
	KTE_R_STAGE_OVERLAP	= 25,	/* staging range meets a source or destination */
	KTE_R_BUDGET_AXIS	= 26,	/* coverage search over budget */
	KTE_R_BUDGET_PAINT	= 27,	/* overlap check over budget */
	KTE_R_PAIRS		= 28,	/* more (source, destination) pairs than the target takes */
	KTE_R_IMAGE_SIZE	= 29,	/* image larger than the target takes */
	KTE_R_FLAGS		= 30,	/* unknown entry flag, or staged source */
	KTE_R_COUNT_OF
};

/* What kte_reject.index counts. */
enum kte_where {
	KTE_WHERE_TABLE		= 0,
	KTE_WHERE_SPACE		= 1,
	KTE_WHERE_SOURCE	= 2,
	KTE_WHERE_DEST		= 3,
};

/* The field at fault, named as in kte_image.h. */
enum kte_field {
	KTE_F_NONE, KTE_F_RANK, KTE_F_OP, KTE_F_MODE, KTE_F_ROLES, KTE_F_ELEM_BYTES,
	KTE_F_DTYPE, KTE_F_EXTENT, KTE_F_RESERVED, KTE_F_SPACE, KTE_F_TILE, KTE_F_FLAGS,
	KTE_F_FIRST, KTE_F_COUNT, KTE_F_START, KTE_F_SIZE, KTE_F_OFFSET, KTE_F_STRIDE,
	KTE_F_STAGE_OFFSET, KTE_F_STAGE_BYTES, KTE_F_N_SPACES, KTE_F_N_SOURCES, KTE_F_N_DESTS,
	KTE_F_COUNT_OF
};

/**
 * struct kte_reject - a refusal with its witness
 * @reason:	enum kte_reason
 * @where:	enum kte_where: what @index counts
 * @index:	the entry or space at fault
 * @other:	index of the second party of an overlap (of the kind that
 *		@other_where says), else ~0
 * @field:	enum kte_field
 * @axis:	axis or role at fault, else ~0
 * @tile:	tile of the witness, else ~0
 * @value:	what was found: byte address of an overlap, count, size ...
 * @limit:	what it was held against
 */
struct kte_reject {
	uint32_t reason;
	uint32_t where;
	uint32_t index;
	uint32_t other_where;
	uint32_t other;
	uint32_t field;
	uint32_t axis;
	uint32_t tile;
	uint64_t value;
	uint64_t limit;
};

const char *kte_reason_name(uint32_t reason);	/* "dst-overlap"; never NULL */
const char *kte_reason_text(uint32_t reason);	/* one sentence; never NULL */
const char *kte_field_name(uint32_t field);	/* "stride"; never NULL */

/**
 * kte_table_compile - validate a table and compile it to an image
 * @t:		the table; must not change during the call
 * @lim:	limits and budgets
 * @env:	memory and ticks
 * @image:	on success the image, from env->alloc, owned by the caller
 * @bytes:	on success its size
 * @why:	filled on -EINVAL, -E2BIG and -ERANGE
 *
 * Destinations of one space with equal boxes share one run of edges.
 *
 * Return: 0, -EINVAL (table wrong), -ERANGE (a count over a cap), -E2BIG (a
 * budget exceeded), -ENOMEM, or what env->tick returned.
 */
int kte_table_compile(const struct kte_table *t, const struct kte_limits *lim,
		      const struct kte_env *env, void **image, uint64_t *bytes,
		      struct kte_reject *why);

/**
 * kte_table_aliases - find the destinations that must be staged
 * @t:		a table whose entries are each valid
 * @lim:	limits and budgets
 * @env:	memory and ticks
 * @staged:	@t->n_dests bytes; set to 1 where the destination writes bytes some
 *		source entry of its tile reads (copies landing on their own bytes
 *		excepted), else to 0
 * @need:	bytes of staging range those need: the largest sum over a tile of
 *		their sizes rounded up to sticks
 *
 * For whoever places tables: mark the entries, find room for @need bytes, then
 * kte_table_compile().
 */
int kte_table_aliases(const struct kte_table *t, const struct kte_limits *lim,
		      const struct kte_env *env, uint8_t *staged, uint64_t *need,
		      struct kte_reject *why);

/* engine/types.c */
/* Bytes of an element of a type; 0 for KTE_DT_OPAQUE. */
unsigned int kte_dtype_bytes(uint32_t dtype);
const char *kte_dtype_name(uint32_t dtype);	/* "f16"; "opaque" */
const char *kte_op_name(uint32_t op);		/* "copy", "add", ... */
/* Whether the fold unit has op and mode for these types (KTE_OP_COPY: true). */
bool kte_fold_valid(uint32_t op, uint32_t mode, uint32_t dtype, uint32_t index_dtype);

#endif /* KTE_TABLE_H */
