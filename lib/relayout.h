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
	uint32_t *order;		/* per owner: position in the file */
	uint32_t index;			/* of the first mention: JSON Pointer side.ptr/index */
	const struct kt_part *whole;	/* a selected part: the piece it is cut from, else NULL */
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

/* --- reading ------------------------------------------------------------------------------ */

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

/* --- relation (tables.c) ------------------------------------------------------------------ */

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
	uint32_t *cell;			/* product: odometer of slices -> piece */
	uint32_t lo[KT_AXES], hi[KT_AXES];	/* bounding box, hi exclusive */
};

/* Fill a grid; @n pieces of @rank axes. Return: 0, -ENOMEM. */
int kt_grid_init(struct kt_grid *g, const struct kt_part *p, uint32_t n, uint32_t rank,
		 struct kt_arena *a);
/* Slices of one axis that meet [lo, hi): first and one past the last. Disjoint axes only. */
void kt_grid_range(const struct kt_grid *g, uint32_t axis, uint32_t lo, uint32_t hi,
		   uint32_t *first, uint32_t *last);

/*
 * Calls fn for each piece that meets box, in ascending piece order when no grid is a
 * product. Return: 0, or what fn returned.
 */
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

/* A growing list of boxes; v from malloc(). */
struct kt_boxes {
	struct kte_box *v;
	uint32_t n, cap;
};

/* False: no memory. */
bool kt_boxes_push(struct kt_boxes *b, const struct kte_box *box);
/* The parts of box outside a cut of it. */
bool kt_boxes_push_outside(struct kt_boxes *b, struct kte_box box, const struct kte_box *cut,
			   uint32_t rank);

/* An element of box that no piece holds; pieces may overlap. Return: 1, 0 (there is none),
 * -ENOMEM. */
int kt_box_hole(const struct kt_index *ix, const struct kte_box *box, uint32_t *at);

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
/*
 * The core that sends piece p to consumer: the consumer itself if it owns it, the only
 * owner, or the elected one; KT_NO_CORE when not determined.
 */
uint32_t kt_elect(const struct kt_part *p, uint32_t consumer, uint32_t cores,
		  enum ktdev_elect elect);

/* Cost of the movement; needs a determined producer only for per-producer figures. */
int kt_cost(const struct kt_relation *r, enum ktdev_elect elect, struct ktdev_cost *out);

/* --- places (tables_place.c) -------------------------------------------------------------- */

/* Byte strides of a piece's box along each axis: packed in its side's memory order. */
void kt_part_strides(const struct ktdev_relayout *rel, enum ktdev_side side,
		     const struct kte_box *box, uint64_t *stride);

/* One piece on one of its cores. */
struct kt_owned {
	uint32_t core, order, piece, owner;	/* owner: position in the piece's list */
};

/* All of a side by core, each core's in file order; from malloc(). NULL: no memory. */
struct kt_owned *kt_owned_list(const struct kt_side *s, uint32_t *n);

/*
 * Where every owner keeps every piece. Given addresses are kept; else a core's pieces
 * follow one another in file order, sources before destinations, on the same bytes of
 * every core as long as that fits.
 */
struct kt_places {
	uint32_t *first[2];	/* per piece: index of its first owner in addr */
	uint64_t *addr[2];
	uint64_t end[2];	/* one past the last byte of a side on any core */
	bool uniform;		/* a core's k-th piece lies where every other's does */
};

/* @window: bytes of a scratchpad (0: no limit). Return: 0, -ENOMEM, -ERANGE (2^63 passed). */
int kt_places_init(struct kt_places *pl, const struct ktdev_relayout *rel, uint64_t window,
		   struct kt_arena *a);

/* --- movements (classify_ops.c): the deliveries that say a relayout ----------------------- */

enum kt_move_kind {
	KT_MOVE_CONSUME, KT_MOVE_SCATTER, KT_MOVE_GATHER, KT_MOVE_ALL_TO_ALL, KT_MOVE_REDUCE,
	KT_MOVE_REDUCE_SCATTER,
};

#define KT_TAXES	(KT_AXES + 1)	/* tensor axes: one unit axis may stand in front */
#define KT_UNIT_AXIS	0xffu

/* A byte address that may differ between tiles. */
struct kt_tile_addr {
	uint64_t base;		/* of every tile, when per_tile is NULL */
	uint64_t *per_tile;
};

/* A slice of the result and where it is stored. */
struct kt_move_store {
	uint32_t start[KT_TAXES], size[KT_TAXES];	/* in tensor axes */
	struct kt_tile_addr addr;
	uint64_t stride[KT_TAXES];			/* bytes */
};

/* One delivery: who, which shape, from where, to where. */
struct kt_move {
	enum kt_move_kind kind;
	uint32_t n_groups;
	struct ktdev_group *groups;
	bool deps;			/* groups carry the producer of each consumer */
	uint32_t rank;
	uint8_t axis[KT_TAXES];		/* logical axis of each tensor axis, KT_UNIT_AXIS */
	uint32_t part[KT_TAXES], result[KT_TAXES];
	uint32_t n_concat, n_split;
	uint8_t concat[KT_TAXES], split[KT_TAXES];	/* tensor axes, ascending */
	struct kt_tile_addr src;
	uint64_t sstride[KT_TAXES];	/* bytes */
	bool select;			/* part is a box at view_off of a view of view_size */
	uint32_t view_size[KT_TAXES], view_off[KT_TAXES];
	uint32_t n_stores;
	struct kt_move_store *stores;
};

struct kt_moves {
	uint32_t n, cap;
	struct kt_move *v;
	bool staged_loads;	/* places alias: all loads come before all stores */
};

/* --- classification internals ------------------------------------------------------------- */

enum kt_row { KT_ROW_G1, KT_ROW_G2, KT_ROW_G3, KT_ROW_1, KT_ROW_2, KT_ROW_3, KT_ROW_4 };

struct kt_class {
	struct ktdev_classification pub;
	struct kt_arena arena;
	const struct ktdev_relayout *rel;
	enum ktdev_elect elect;
	enum kt_row row;
	bool fold;
	bool moves_nothing;
	bool beyond;			/* more transfers than can be listed */
	bool undetermined;		/* some consumer has no determined producer */
	bool coarse[KT_AXES], refine[KT_AXES];
	uint32_t gcd[KT_AXES];
	struct kt_relation rel_of;	/* of what is moved: of a selection the selected value */
	struct kt_part *cut_src;	/* selection: the selected parts of the source pieces */
	struct kt_places places;
	struct kt_moves moves;		/* empty when undetermined or nothing moves */
	struct kt_class *then;
};

/* Build the deliveries of a decided class. Return: 0, -ENOMEM, -ERANGE. */
int kt_moves_build(struct kt_class *c);
/* Row 1 as one consume. Return: 1, 0 (no such op), -ENOMEM. */
int kt_moves_row1(struct kt_class *c);
/* Contributions. */
int kt_moves_fold(struct kt_class *c);
/* One consume per kind of transfer: says any copy. */
int kt_moves_enumerate(struct kt_class *c);
/* Zeroed move at the end of the list; NULL when out of memory. */
struct kt_move *kt_moves_add(struct kt_class *c);
/* Set a tile's address; equal ones stay one number. */
int kt_tile_addr_set(struct kt_class *c, struct kt_tile_addr *out, uint32_t tile, uint64_t at);
/* Whether the moves deliver exactly what the tables say. Return: 1, 0, -ENOMEM. */
int kt_moves_check(const struct kt_class *c);
/* Byte address of a (cut) source or destination piece's box on its k-th owner. */
uint64_t kt_class_addr(const struct kt_class *c, enum ktdev_side side, uint32_t piece,
		       uint32_t owner, const struct kte_box *box, uint64_t *stride);
/* Sentences for people. */
int kt_class_reason(struct kt_class *c);

#endif /* KT_RELAYOUT_H */
