/* SPDX-License-Identifier: MIT */
/*
 * Deliveries with their sets evaluated: what the rules check, what lowering compiles and
 * what the evaluator runs. check.c fills the first half (tile sets, types, fold), and
 * resolve.c the second (addresses, execution order).
 */
#ifndef KT_DELIVERY_H
#define KT_DELIVERY_H

#include "module.h"

/* A group: who contributes, who receives, who takes from whom. */
struct kt_group {
	int64_t id;
	struct kt_tiles producers;
	struct kt_tiles consumers;
	struct kt_tiles *deps;		/* one per consumer; NULL: all take all producers */
};

/* The tiles consumer number c of a group takes from. */
static inline const struct kt_tiles *kt_group_dep(const struct kt_group *g, uint32_t c)
{
	return g->deps ? &g->deps[c] : &g->producers;
}

/* One role: a partial type, its result type and how boxes are placed. */
struct kt_role {
	const struct kt_type *partial;		/* T_p */
	const struct kt_type *result;		/* T_r */
	const struct kt_value *result_value;
	uint32_t elem_bytes;
	uint8_t dtype;				/* enum kte_dtype */
	/* mixed-radix factors per axis; 1 on axes not listed. Position l of a producer is an
	 * odometer over concat factors, of a consumer over split factors, first listed axis slowest */
	int64_t concat[KT_MAX_RANK];
	int64_t split[KT_MAX_RANK];
};

/* How contributions combine, per space handed to the device. */
struct kt_fold {
	bool supported;
	uint8_t op;			/* enum kte_op */
	uint8_t mode;			/* KTE_MODE_* */
	unsigned int n_roles;		/* 1, or 2: this and the next role are one arg pair */
	unsigned int role;		/* first role */
	unsigned int index_role;	/* of an arg pair */
	const char *why;		/* when not supported: what the unit lacks */
};

struct kt_delivery {
	const struct kt_func *func;
	const struct kt_op *produce;
	const struct kt_op *op;
	enum kt_op_kind kind;		/* KT_OP_CONSUME .. KT_OP_SCATTER */
	bool fold;			/* REDUCE, REDUCE_SCATTER */
	bool valid;			/* no error was found: may be lowered */
	bool has_deps;			/* a dependency set is declared */
	unsigned int n_roles;
	struct kt_role *roles;
	unsigned int n_folds;		/* fold only */
	struct kt_fold *folds;
	unsigned int n_groups;
	struct kt_group *groups;
	unsigned int n_concat, n_split;	/* axis lists as written */
	unsigned int concat_axes[KT_MAX_RANK], split_axes[KT_MAX_RANK];
};

/* Result of checking one module: its deliveries in source order. */
struct kt_checked {
	struct kt_arena *arena;		/* everything below lives here */
	const struct ktdev_module *mod;
	uint32_t n_tiles;
	unsigned int n_deliveries;
	struct kt_delivery *deliveries;
};

/**
 * kt_check_module - run all rules and keep what was computed
 * @a:	 arena for the result
 * Return: as ktdev_verify(); *out is filled in all cases but -ENOMEM and -ENOENT.
 */
int kt_check_module(const struct ktdev_module *mod, const struct ktdev_verify_opts *opts,
		    struct ktdev_report *rep, struct kt_arena *a, struct kt_checked *out);

/* check.c: the box of position l over the listed axes: start and size per axis. */
void kt_odometer_box(const int64_t *factors, const unsigned int *axes, unsigned int n_axes,
		     const int64_t *extent, unsigned int rank, uint32_t l, int64_t *start,
		     int64_t *size);

/* --- second half: resolve.c ---------------------------------------------------------- */

/* Where a value's box lies in one tile's scratchpad. Bytes from the window's base. */
struct kt_place {
	bool known;			/* false: the allocator chooses (global or no address) */
	int64_t offset;
	int64_t stride[KT_MAX_RANK];	/* bytes per axis of the value */
	struct kt_range at;		/* view or access that says so */
	/* !known: (a slice of) an earlier step's result on this tile, never in memory */
	unsigned int chain;		/* 1 + index of that step in the program; 0: none */
	unsigned int chain_role;
	int64_t chain_start[KT_MAX_RANK];	/* box in the result, of the partial's shape */
};

/* A store of (a slice of) one result on one tile. */
struct kt_store {
	unsigned int role;
	uint32_t tile;
	int64_t start[KT_MAX_RANK];	/* box of the result that is stored */
	int64_t size[KT_MAX_RANK];
	struct kt_place place;
	unsigned int seq;		/* order of execution */
	struct kt_range at;
};

/* One execution of a delivery (loops are unrolled). */
struct kt_step {
	const struct kt_delivery *d;
	unsigned int seq;		/* order of execution among loads, deliveries, stores */
	/* source places: index [group][producer][role] flattened by group order */
	struct kt_place *src;
	unsigned int *src_load_seq;	/* when each was loaded */
	uint32_t n_src;
	uint32_t n_stores;
	struct kt_store *stores;
};

/* Bytes [start, end) of a tile (or of all) that other loads and stores of the program use. */
struct kt_touch {
	bool all_tiles, write;
	uint32_t tile;
	uint64_t start, end;
	unsigned int seq;
};

/* A function's deliveries in order of execution. */
struct kt_program {
	const struct kt_func *func;
	uint32_t n_tiles;
	unsigned int n_steps;
	struct kt_step *steps;
	unsigned int n_touches;
	struct kt_touch *touches;
	/* of kt_program_join() */
	unsigned int cap_steps, cap_touches, last_seq;
};

/**
 * kt_resolve - addresses and order of a function's deliveries
 * Findings (K4, K8, K9, K10, loads and stores out of bounds, ...) go to @rep.
 * ktdev_verify() calls it too, so that verify reports them.
 * Return: 0, -EINVAL (errors), -EOPNOTSUPP (only unsupported findings), -ENOMEM.
 */
int kt_resolve(const struct kt_checked *chk, const struct kt_func *func, struct ktdev_report *rep,
	       struct kt_arena *a, struct kt_program *out);

#endif /* KT_DELIVERY_H */
