/* SPDX-License-Identifier: MIT */
/*
 * Private to resolve*.c: what is known about the values of a function while its ops are
 * walked in order of execution.
 */
#ifndef KT_RESOLVE_H
#define KT_RESOLVE_H

#include "delivery.h"

/* --- resolve_index.c: integers, one per tile ------------------------------------------ */

enum kt_ix_kind {
	KT_IX_RUNTIME,		/* not known at compile time */
	KT_IX_KNOWN,
	KT_IX_BAD,		/* arithmetic failed: overflow, divisor 0 */
};

/* KNOWN: vec ? vec[tile] : c + k * tile. BAD and RUNTIME: where that comes from. */
struct kt_ix {
	enum kt_ix_kind kind;
	int64_t c, k;
	const int64_t *vec;
	struct kt_range at;
	uint32_t tile;		/* BAD: first tile it happens on */
	const char *why;	/* BAD */
};

/* Tiles that execute: all of [0, n_tiles) if ids is NULL. */
struct kt_active {
	uint32_t n;
	const uint32_t *ids;
};

struct kt_ix_ctx {
	struct kt_arena *a;
	uint32_t n_tiles;
	struct kt_active act;
	uint64_t budget;	/* vector elements that may still be made */
	bool over;		/* ran into the budget */
	bool nomem;
};

static inline uint32_t kt_active_tile(const struct kt_active *act, uint32_t i)
{
	return act->ids ? act->ids[i] : i;
}

static inline int64_t kt_ix_at(const struct kt_ix *x, uint32_t tile)
{
	return x->vec ? x->vec[tile] : x->c + x->k * (int64_t)tile;
}

static inline bool kt_ix_uniform(const struct kt_ix *x)
{
	return x->kind == KT_IX_KNOWN && !x->vec && !x->k;
}

struct kt_ix kt_ix_const(int64_t c);
struct kt_ix kt_ix_runtime(struct kt_range at);
struct kt_ix kt_ix_vec(const int64_t *vec);
/* @bits: width of the result for overflow; 0: 64. */
struct kt_ix kt_ix_add(struct kt_ix_ctx *cx, struct kt_ix a, struct kt_ix b, struct kt_range at);
struct kt_ix kt_ix_mul(struct kt_ix_ctx *cx, struct kt_ix a, struct kt_ix b, struct kt_range at);
#define KT_IX_MAX_ARGS	(KT_SET_MAX_DIMS + KT_SET_MAX_SYMS)

/* An arith.* or index.* op or affine.apply on its operands; RUNTIME for ops that are not integer arithmetic. */
struct kt_ix kt_ix_op(struct kt_ix_ctx *cx, const struct kt_op *op, const struct kt_ix *in,
		      unsigned int n);

/* --- resolve_state.c -------------------------------------------------------------------------- */

/* A slice of a tensor whose bounds are checked on the tiles that use it. */
struct kt_rs_slice {
	const struct kt_rs_slice *outer;
	struct kt_ix start;
	int64_t size, extent, stride;
	unsigned int axis;
	struct kt_range at;
};

struct kt_rs_view {
	const struct kt_op *op;
	struct kt_ix base;			/* elements */
	struct kt_ix ct_id;
	bool has_ct_id;
	enum kt_space space;
	unsigned int rank;
	uint32_t elem_bytes;			/* 0: not whole bytes */
	int64_t stride[KT_MAX_RANK];		/* elements */
	int64_t lo[KT_MAX_RANK], hi[KT_MAX_RANK];	/* coordinates that exist, inclusive */
};

struct kt_rs_access {
	const struct kt_op *op;
	const struct kt_rs_view *view;
	struct kt_ix at[KT_MAX_RANK];		/* first coordinate */
	int64_t size[KT_MAX_RANK];
	struct kt_ix offset;			/* bytes from the base of the space */
};

/* A tensor that was loaded, or part of it. */
struct kt_rs_data {
	const struct kt_rs_access *acc;
	const struct kt_op *load;
	unsigned int seq;
	unsigned int rank;
	int64_t size[KT_MAX_RANK];
	int64_t stride[KT_MAX_RANK];		/* bytes */
	struct kt_ix offset;			/* bytes */
	const struct kt_rs_slice *slices;
};

/* (A slice of) a delivery's result. */
struct kt_rs_result {
	unsigned int step;			/* index in the program */
	unsigned int role;
	unsigned int rank;			/* of the result */
	struct kt_ix start[KT_MAX_RANK];
	int64_t size[KT_MAX_RANK];
	unsigned int n_axes;			/* of this tensor: axis i is result axis axes[i] */
	unsigned int axes[KT_MAX_RANK];
	const struct kt_rs_slice *slices;
};

struct kt_rs_value {
	enum kt_rs_kind {
		KT_RS_UNKNOWN, KT_RS_INDEX, KT_RS_VIEW, KT_RS_ACCESS, KT_RS_DATA, KT_RS_RESULT,
		KT_RS_FUTURE,
	} kind;
	struct kt_ix ix;
	union {
		const struct kt_rs_view *view;
		const struct kt_rs_access *access;
		const struct kt_rs_data *data;
		const struct kt_rs_result *result;
		const struct kt_rs_value *yields;	/* FUTURE: one per role */
	} u;
};

/* The state of a walk. */
struct kt_rs {
	struct kt_ix_ctx ix;
	const struct kt_checked *chk;
	const struct kt_func *func;
	const struct kt_source *src;
	struct ktdev_report *rep;
	struct kt_arena *a;
	struct kt_program *prog;
	struct kt_rs_slot {
		const struct kt_value *v;
		struct kt_rs_value val;
	} *slots;			/* hash of known values */
	uint32_t n_slots, used_slots;
	struct kt_rs_said {
		const void *at;
		int rule;
	} *said;			/* findings made, so that loops say them once */
	uint32_t n_said, cap_said;
	struct kt_rs_step {
		const int32_t *group_of;	/* consumer's group per tile, -1 */
		uint32_t cap_stores;
		bool warned_use;
	} *more;			/* beside prog->steps */
	uint32_t cap_steps, cap_touches;
	uint32_t hint;			/* next delivery of the module */
	uint32_t ops;			/* executed so far */
	size_t used_before;		/* of the arena */
	uint64_t records;		/* partials and stores so far */
	unsigned int seq;
	bool error, unsupported;
};

#define KT_RS_MAX_OPS	(1u << 20)
#define KT_RS_MAX_VEC	(8u << 20)
#define KT_RS_MAX_BYTES	(48u << 20)	/* of memory for unrolled loops */
#define KT_RS_MAX_RECORDS	(1u << 18)

/* A finding, once per place and rule; NULL if said before. */
struct kt_diag *kt_rs_say(struct kt_rs *rs, const void *key, struct kt_range at, enum kt_rule rule,
			  enum ktdev_severity sev, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
/* Count @n partials or stores; false once there are too many, which is said at @op. */
bool kt_rs_room(struct kt_rs *rs, const struct kt_op *op, uint64_t n);
struct kt_rs_value kt_rs_get(const struct kt_rs *rs, const struct kt_value *v);
int kt_rs_set(struct kt_rs *rs, const struct kt_value *v, const struct kt_rs_value *val);
/* An entry of an index list as a value. */
struct kt_ix kt_rs_index(const struct kt_rs *rs, const struct kt_index *e);

/* --- resolve_view.c: views, access tiles --------------------------------------------------- */

struct kt_rs_value kt_rs_value_of(enum kt_rs_kind kind, const void *p);
/* An integer that must be known; reports K8 or K12. */
bool kt_rs_known(struct kt_rs *rs, const struct kt_ix *x, struct kt_range at, const char *what);
int kt_rs_memory_view(struct kt_rs *rs, const struct kt_op *op);
int kt_rs_access_tile(struct kt_rs *rs, const struct kt_op *op);

/* --- resolve_mem.c: loads, slices, stores ---------------------------------------------------- */

int kt_rs_load(struct kt_rs *rs, const struct kt_op *op);
int kt_rs_extract_slice(struct kt_rs *rs, const struct kt_op *op);
int kt_rs_store(struct kt_rs *rs, const struct kt_op *op);
/* Where producer @tile's partial lies. Findings go to the report. */
int kt_rs_partial(struct kt_rs *rs, const struct kt_rs_value *v, const struct kt_delivery *d,
		  unsigned int role, int64_t group, uint32_t tile, struct kt_place *out,
		  unsigned int *load_seq);

#endif /* KT_RESOLVE_H */
