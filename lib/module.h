/* SPDX-License-Identifier: MIT */
/*
 * The parsed module: operations, values, types and attributes with their places in
 * the text. parse*.c builds it, nothing changes it afterwards. Old spellings are
 * normalised here (with a note in the report), so later floors see one form.
 */
#ifndef KT_MODULE_H
#define KT_MODULE_H

#include "set.h"

#define KT_MAX_RANK	8

enum kt_type_kind {
	KT_TY_OPAQUE,		/* a type of another dialect: text range only */
	KT_TY_INDEX,
	KT_TY_SCALAR,		/* iN, uiN, siN, fN, bf16, f8... */
	KT_TY_TENSOR,
	KT_TY_MEMREF,
	KT_TY_ACCESS_TILE,
	KT_TY_FUTURE,
};

struct kt_type {
	enum kt_type_kind kind;
	/* TENSOR, MEMREF, ACCESS_TILE */
	unsigned int rank;
	const int64_t *shape;	/* rank extents, -1: dynamic; never NULL */
	struct kt_range at;
	/* SCALAR, and element of TENSOR, MEMREF, ACCESS_TILE; OPAQUE: the text without spaces */
	const char *elem_name;	/* "f16", "i8", "f8E4M3FN", "index" */
	uint8_t elem_bits;	/* 0: index (64 bits in memory) or opaque */
	uint8_t dtype;		/* enum kte_dtype; KTE_DT_OPAQUE for f8 and the like */
	/* FUTURE */
	bool old_spelling;	/* without the parentheses, or without groups = */
	unsigned int n_partials;
	const struct kt_type **partials;
	const struct kt_set *groups;	/* resolved alias; NULL if absent */
};

/* Futures: partials and groups by value. */
bool kt_type_equal(const struct kt_type *a, const struct kt_type *b);
/* Text of a type in the preferred spelling. */
const char *kt_type_text(struct kt_arena *a, const struct kt_type *t);

/* affine_map<(d0)[s0] -> (e, ...)> */
struct kt_map {
	unsigned int n_dims, n_syms, n_results;
	const struct kt_expr **results;
};

enum kt_attr_kind {
	KT_AT_UNIT, KT_AT_INT, KT_AT_FLOAT, KT_AT_BOOL, KT_AT_STRING, KT_AT_SYMBOL, KT_AT_TYPE,
	KT_AT_SET, KT_AT_MAP, KT_AT_ARRAY, KT_AT_DICT, KT_AT_OPAQUE,
};

struct kt_attr {
	enum kt_attr_kind kind;
	const char *name;		/* NULL inside arrays */
	struct kt_range at;		/* of the value */
	struct kt_range name_at;
	int64_t i;			/* INT, BOOL; bits of a FLOAT written in hex */
	double f;			/* FLOAT */
	const char *s;			/* STRING, SYMBOL, OPAQUE: text */
	/* TYPE, and the ": T" behind INT and FLOAT; NULL if none. A dense<> of equal numbers is
	 * one of them with the tensor type here, any other dense<> is OPAQUE */
	const struct kt_type *type;
	const struct kt_set *set;	/* SET (aliases resolved) */
	const struct kt_map *map;	/* MAP */
	unsigned int n;			/* ARRAY, DICT */
	struct kt_attr *elems;
	bool bare;			/* written as a part of the op, outside braces */
	bool mixed;			/* a dense<> of different numbers */
};

struct kt_op;
struct kt_block;

struct kt_value {
	const char *name;		/* "%x", "%r#1"; "" for a result without a name */
	const struct kt_type *type;	/* NULL when the text does not say (opaque op) */
	const struct kt_op *def;	/* NULL: block or function argument */
	const struct kt_block *block;	/* of an argument */
	unsigned int index;		/* result or argument number */
	struct kt_range at;		/* of the definition */
	bool guessed;			/* while parsing: the first use may correct the type */
	unsigned int n_uses;		/* in source order */
	struct kt_use {
		const struct kt_op *op;
		unsigned int operand;	/* n_operands and up: identity operands */
	} *uses;
};

struct kt_operand {
	const struct kt_value *value;
	struct kt_range at;
};

/* What the later floors look at by kind; everything else is KT_OP_OTHER with its name. */
enum kt_op_kind {
	KT_OP_OTHER,
	KT_OP_PRODUCE, KT_OP_CONSUME, KT_OP_REDUCE, KT_OP_REDUCE_SCATTER, KT_OP_GATHER,
	KT_OP_ALL_TO_ALL, KT_OP_SCATTER,		/* PRODUCE and the deliveries, in spec order */
	KT_OP_YIELD_PARTIAL, KT_OP_YIELD_REDUCED,
	KT_OP_TILE_ID,					/* ktdp.get_compute_tile_id */
	KT_OP_MEMORY_VIEW, KT_OP_ACCESS_TILE, KT_OP_LOAD, KT_OP_STORE,
	KT_OP_EXTRACT_SLICE,
	KT_OP_CONSTANT,					/* arith.constant */
	KT_OP_ARITH,					/* any other arith.* / index.* / affine.apply */
	KT_OP_FOR, KT_OP_IF, KT_OP_SCF_YIELD,		/* scf.for/affine.for, scf.if, their yields */
	KT_OP_RETURN, KT_OP_CALL,
};

/* An index list with static entries and operands mixed: sizes, strides, offsets, subscripts. */
struct kt_index {
	int64_t value;			/* static */
	const struct kt_value *v;	/* dynamic; NULL: not known (a bound that is a map) */
	struct kt_range at;
	bool dynamic;
};

struct kt_index_list {
	struct kt_index *e;
	struct kt_range at;
	unsigned int n;
	bool present;
};

struct kt_op {
	enum kt_op_kind kind;
	const char *name;		/* "ktdp.inter_tile_gather" */
	struct kt_range at;		/* whole op, first result to last token */
	struct kt_range name_at;
	struct kt_block *parent;
	struct kt_op *next;		/* in the block */
	unsigned int n_operands, n_results, n_attrs, n_regions;
	struct kt_operand *operands;	/* all but identity, in source order; dims before symbols */
	struct kt_value **results;
	struct kt_attr *attrs;		/* canonical names, see kt_op_attr() */
	struct kt_region *regions;
	const struct kt_type *fn_in;	/* the single type before -> where the syntax has one (FUTURE) */
	/* YIELD_*, RETURN, produce's trailing ": T..": declared types of the operands */
	unsigned int n_types;
	const struct kt_type **types;
	/*
	 * What only some kinds have. For other kinds this is not even allocated, see
	 * kt_op_size(): an operation costs a few times its text, and files may be large.
	 */
	union {
		/* PRODUCE and deliveries: identity operands with their declared types */
		struct {
			unsigned int n_identity;
			struct kt_operand *identity;
			const struct kt_type **identity_types;
			struct kt_range identity_at;
		};
		/* MEMORY_VIEW: operand 0 base; ACCESS_TILE: operand 0 view, subscripts are in
		 * offsets; EXTRACT_SLICE: operand 0 source */
		struct {
			struct kt_index_list sizes, strides, offsets;
			enum kt_space { KT_SPACE_UNKNOWN, KT_SPACE_GLOBAL, KT_SPACE_LOCAL } space;
			struct kt_index ct_id;		/* MEMORY_VIEW, ct_local */
			bool ct_id_present;
		};
		/* FOR: bounds and step; body argument 0 is the induction variable, then
		 * iter_args whose initial values are the last operands */
		struct {
			struct kt_index lower, upper, step;
		};
	};
};

struct kt_block {
	const struct kt_op *parent_op;	/* NULL: function body */
	unsigned int n_args;
	struct kt_value **args;
	struct kt_op *first, *last;
};

struct kt_region {
	struct kt_range at;
	unsigned int n_blocks;
	struct kt_block *blocks;
};

struct kt_func {
	const char *name;		/* without '@' */
	struct kt_range at, name_at;
	struct kt_region body;
	unsigned int n_attrs;
	struct kt_attr *attrs;		/* of the function */
	unsigned int n_grid;		/* grid = [..] of the function or its module; 0: none */
	int64_t grid[KT_MAX_RANK];
	unsigned int n_results;
	const struct kt_type **results;
};

/* The deliveries of a module in source order; built when first asked for. */
struct kt_op_index {
	size_t n;
	struct kt_op_entry {
		const struct kt_op *op;
		const struct kt_func *func;
	} e[];
};

struct ktdev_module {
	struct kt_arena arena;
	struct kt_source src;		/* owns a copy of the text */
	unsigned int n_funcs;
	struct kt_func **funcs;
	bool incomplete;		/* a syntax error was recovered from */
	struct kt_op_index *index;	/* see kt_module_index() */
};

const struct kt_op_index *kt_module_index(const struct ktdev_module *mod);	/* NULL: no memory */

/* Attribute by canonical name: producer_tiles_per_group, consumer_tiles_per_group,
 * producer_dependency_per_consumer, gather_dimensions, scatter_dimensions,
 * split_dimensions, concat_dimensions, coordinate_set, access_tile_set,
 * access_tile_order, value (of arith.constant and index.constant), predicate (cmpi, cmpf; a
 * STRING), map (affine.apply), callee (SYMBOL), combiner (linalg.reduce { arith.addf }; a
 * STRING), and any other by its own. Dimension lists are ARRAYs of INTs. NULL if absent. */
const struct kt_attr *kt_op_attr(const struct kt_op *op, const char *name);
bool kt_op_is_delivery(const struct kt_op *op);
/* Has identity fields: a production or a delivery. */
static inline bool kt_op_is_inter_tile(const struct kt_op *op)
{
	return op->kind >= KT_OP_PRODUCE && op->kind <= KT_OP_SCATTER;
}

size_t kt_op_size(enum kt_op_kind kind);	/* bytes of an operation of this kind */
/* The produce behind a delivery's future operand, or NULL. */
const struct kt_op *kt_delivery_produce(const struct kt_op *delivery);
/* Depth-first walk over all ops of a region, regions of ops included. */
typedef int (*kt_walk_fn)(const struct kt_op *op, void *ctx);
int kt_region_walk(const struct kt_region *r, kt_walk_fn fn, void *ctx);

#endif /* KT_MODULE_H */
