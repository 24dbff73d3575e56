/* SPDX-License-Identifier: MIT */
/*
 * Relayouts inside the library: canonical pieces, the relation between the two sides
 * and what follows from it. Floors, from the ground up:
 *
 *	relayout_locate.c	JSON Pointer <-> place in the text
 *	relayout.c		canonical pieces, validation, equality
 *	relayout_*.c		the readers and the writer
 *	tables.c		slices, overlap relation, election, cost
 *	classify*.c		the decision table
 *	emit_*.c, emit.c	tables to KTIR
 *	compile_tables.c	tables to a plan
 *	diff.c, draw*.c
 */
#ifndef KT_RELAYOUT_H
#define KT_RELAYOUT_H

#include <jansson.h>

#include "box.h"
#include "diag.h"
#include "kte_table.h"

#define KT_AXES		KTDEV_MAX_RANK
#define KT_MAX_CORES	65536u		/* names of cores in an input stay below */

/* One distinct box of a side and the cores that own it. */
struct kt_part {
	struct kte_box box;
	uint32_t n_owners;
	uint32_t *owners;		/* ascending */
	uint64_t *addr;			/* byte per owner; NULL: not given */
	uint32_t *order;		/* per owner: position in the file, for the core's own order */
	uint32_t index;			/* of the first mention: the JSON Pointer is side.ptr/index */
};

struct kt_side {
	uint32_t n;
	struct kt_part *pieces;	/* ascending boxes, distinct */
	uint8_t layout[KT_AXES];	/* axes in memory, outermost first */
	enum ktdev_value_kind value;
	const char *ptr;		/* JSON Pointer of the piece list */
	const char *view;		/* what was read */
	bool placed;
};

struct ktdev_relayout {
	struct kt_arena arena;
	const char *name;
	const char *dtype;
	uint32_t cores;
	uint32_t rank;
	uint32_t elem_bytes;
	uint8_t kte_dtype;
	struct ktdev_axis axes[KT_AXES];
	int stick_axis;
	uint32_t stick_lanes;
	bool stick_warns;		/* planner inputs: a cut stick is a warning */
	const char *combine;
	uint8_t fold_op, fold_mode;	/* enum kte_op, KTE_MODE_* */
	struct kt_side side[2];
	uint32_t n_notes, cap_notes;
	const char **notes;
};

/* --- reading ------------------------------------------------------------------------ */

/* A reader at work: where findings go. */
struct kt_reader {
	struct ktdev_relayout *rel;
	struct ktdev_report *rep;
	const struct ktdev_relayout_opts *opts;
	const struct kt_source *src;	/* text findings point into */
	const struct kt_source *side_src[2];	/* of a pair: the text of each side */
	bool failed;			/* an error was reported */
	bool unsupported;
	bool nomem;
};

/* Report an error at a JSON Pointer ("" is the document). */
void kt_rd_error(struct kt_reader *rd, const char *ptr, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void kt_rd_unsupported(struct kt_reader *rd, const char *ptr, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void kt_rd_warn(struct kt_reader *rd, const char *ptr, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Note kept with the relayout (what was read, which mapping). */
void kt_rd_note(struct kt_reader *rd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void *kt_rd_alloc(struct kt_reader *rd, size_t bytes);
/* printf into the relayout's arena; NULL when out of memory (noted in the reader). */
const char *kt_rd_text(struct kt_reader *rd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int kt_rd_result(const struct kt_reader *rd);	/* 0, -EINVAL, -EOPNOTSUPP, -ENOMEM */

/* Parse JSON with duplicate keys refused; NULL after reporting. */
json_t *kt_rd_json(struct kt_reader *rd, const struct ktdev_text *in);

/* Element type by name; false if unknown. Opaque formats have KTE_DT_OPAQUE. */
bool kt_dtype_find(const char *name, uint8_t *kte_dtype, uint32_t *bytes);
/* Axis of a name, or -1. */
int kt_axis_find(const struct ktdev_relayout *rel, const char *name);
/* Fold op of a "combine" key for a type; false if unknown or not of that type. */
bool kt_combine_find(const char *name, uint8_t kte_dtype, uint8_t *op, uint8_t *mode);
/* "mb=512,out=4096": extent of one axis. Return: 1 found, 0 absent, -1 malformed. */
int kt_extents_find(const char *list, const char *axis, uint32_t *extent);

/*
 * Canonical form of what a reader collected: sorts, merges equal boxes, checks owners,
 * overlap, coverage and sticks. Pieces' owners, addr and order must be per mention.
 */
void kt_relayout_finish(struct kt_reader *rd);

/* JSON Pointer -> range of the value in the text (0,0 if not found). */
struct kt_range kt_json_locate(const char *text, size_t len, const char *ptr);
/* Byte offset -> JSON Pointer of the innermost value around it, into buf. */
void kt_json_pointer_at(const char *text, size_t len, size_t off, char *buf, size_t size);

/* Declare a stick; NULL name: none. */
void kt_rd_stick(struct kt_reader *rd, const char *name, uint32_t lanes, const char *ptr);

/* --- relation (tables.c) -------------------------------------------------------------- */

struct kt_slice {
	uint32_t start, size;
};

/* The distinct slices of a side along each axis. */
struct kt_grid {
	uint32_t n[KT_AXES];
	struct kt_slice *slices[KT_AXES];	/* ascending start, then size */
	bool disjoint[KT_AXES];
	bool tiles[KT_AXES];		/* disjoint and without a gap */
	bool equal[KT_AXES];		/* all of one size */
	bool product;			/* all disjoint and every combination occurs once */
	uint32_t *cell;			/* product: odometer of slices -> piece; last axis fastest */
	uint32_t lo[KT_AXES], hi[KT_AXES];	/* bounding box, hi exclusive */
};

/* Fill a grid; @n pieces of @rank axes. Return: 0, -ENOMEM. */
int kt_grid_init(struct kt_grid *g, const struct kt_part *p, uint32_t n, uint32_t rank,
		 struct kt_arena *a);
/* Slices of one axis that meet [lo, hi): first and one past the last. Disjoint axes only. */
void kt_grid_range(const struct kt_grid *g, uint32_t axis, uint32_t lo, uint32_t hi,
		   uint32_t *first, uint32_t *last);

/* Calls fn for each piece that meets box, in ascending piece order when no grid is a
 * product. Return: 0, or what fn returned. */
struct kt_index;
typedef int (*kt_meet_fn)(void *ctx, uint32_t piece);
/* A side prepared for look-up by box. */
struct kt_index {
	const struct kt_part *pieces;
	uint32_t n, rank;
	struct kt_grid grid;
	uint32_t axis;			/* search axis where the grid is no product */
	uint32_t *by_start;		/* pieces by start along it */
	uint32_t longest;		/* longest piece along it */
};

int kt_index_init(struct kt_index *ix, const struct kt_part *p, uint32_t n, uint32_t rank,
		  struct kt_arena *a);
int kt_index_meet(const struct kt_index *ix, const struct kte_box *box, kt_meet_fn fn, void *ctx);

bool kt_box_cut(const struct kte_box *a, const struct kte_box *b, uint32_t rank,
		struct kte_box *cut);
uint64_t kt_box_volume(const struct kte_box *b, uint32_t rank);
/* Boxes have zeroes beyond the rank: these compare all axes. */
bool kt_boxes_equal(const struct kte_box *a, const struct kte_box *b);
int kt_box_order(const struct kte_box *a, const struct kte_box *b);
/* JSON Pointer of a side's piece; "" where the input is no JSON. */
void kt_part_ptr(const struct kt_side *s, uint32_t index, char *buf, size_t size);

/* Overlap relation: which source pieces meet each destination piece. */
struct kt_relation {
	const struct ktdev_relayout *rel;
	const struct kt_part *src, *dst;
	uint32_t n_src, n_dst, rank;
	struct kt_index six;
	struct kt_grid dgrid;
	uint32_t *first;		/* n_dst + 1 */
	uint32_t *edge;			/* source pieces, ascending within a destination */
	uint32_t n_edges;
};

/* Derive the relation of two piece lists. Return: 0, -ENOMEM. */
int kt_relation_init(struct kt_relation *r, const struct ktdev_relayout *rel,
		     const struct kt_part *src, uint32_t n_src, const struct kt_part *dst,
		     uint32_t n_dst, struct kt_arena *a);

#define KT_NO_CORE	0xffffffffu

/* Does core own the piece? */
bool kt_part_owned(const struct kt_part *p, uint32_t core);
/* The core that sends piece p to consumer: the consumer itself if it owns it, the only
 * owner, or the elected one; KT_NO_CORE when not determined. */
uint32_t kt_elect(const struct kt_part *p, uint32_t consumer, uint32_t cores,
		  enum ktdev_elect elect);

/* Cost of the movement; needs a determined producer only for per-producer figures. */
int kt_cost(const struct kt_relation *r, enum ktdev_elect elect, struct kt_arena *a,
	    struct ktdev_cost *out);

/* --- classification internals ------------------------------------------------------------ */

struct kt_class {
	struct kt_arena arena;
	struct ktdev_classification pub;
	const struct ktdev_relayout *rel;
	enum ktdev_elect elect;
	struct kt_relation relation;	/* of what is moved: the selected value's */
};

#endif /* KT_RELAYOUT_H */
