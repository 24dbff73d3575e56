/* SPDX-License-Identifier: MIT */
/*
 * Random programs: their parameters, their KTIR text, and their meaning computed from the
 * parameters alone (eval_ref.c), without reading the text.
 */
#ifndef RPROG_H
#define RPROG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RP_MAX_DELIVERIES	3
#define RP_MAX_RANK		4
#define RP_MAX_TILES		40
#define RP_PAD			(128u << 10)

/* The tiles of group g: three families that have affine sets. */
struct rp_form {
	enum { RP_RANGE, RP_STRIDED, RP_COSET } kind;
	int base, width, step, n;
};

int rp_tile(const struct rp_form *f, int g, int i);

enum rp_kind { RP_CONSUME, RP_GATHER, RP_SCATTER, RP_ALL_TO_ALL, RP_REDUCE, RP_REDUCE_SCATTER };

enum rp_dep {
	RP_DEP_NONE,
	RP_DEP_ALL,		/* a declared set that is all producers */
	RP_DEP_ROTATE,		/* one producer: (c + r) mod P */
	RP_DEP_BLOCK,		/* producers k*c .. k*c + k - 1 */
	RP_DEP_CLASS,		/* producers of the consumer's class mod m */
};

enum rp_type { RP_F16, RP_BF16, RP_F32, RP_F64, RP_I8, RP_I16, RP_I32, RP_I64, RP_TYPES };

enum rp_fold {
	RP_ADD, RP_MUL, RP_MAX, RP_MIN, RP_MAXNUM, RP_MINNUM, RP_MAXU, RP_MINU, RP_AND, RP_OR,
	RP_XOR,
};

/* A strided box in every tile's scratchpad: byte base + tile * per_tile. */
struct rp_place {
	int64_t base;			/* bytes */
	int64_t per_tile;
	int64_t stride[RP_MAX_RANK];	/* elements */
	int64_t view[RP_MAX_RANK];	/* sizes of the view */
	int64_t at[RP_MAX_RANK];	/* subscripts of the access tile in it */
};

struct rp_role {
	enum rp_type type;
	int64_t piece[RP_MAX_RANK];	/* partial */
	int64_t result[RP_MAX_RANK];
	bool global;			/* partial loaded from global memory */
	int chain;			/* 1 + delivery whose result (role 0) is the partial */
	struct rp_place src;
	enum { RP_STORE_WHOLE, RP_STORE_SLICES, RP_STORE_NONE } store;
	unsigned int cut_axis;		/* SLICES: [0, cut) goes to dst[0], the rest to dst[1] */
	int64_t cut;
	struct rp_place dst[2];
	enum rp_fold fold;
};

struct rp_delivery {
	enum rp_kind kind;
	int groups;
	struct rp_form producers, consumers;
	enum rp_dep dep;
	int dep_arg;			/* r, k, m */
	unsigned int rank, n_roles;
	unsigned int n_concat, n_split;
	unsigned int concat_axes[2], split_axes[2];
	int64_t concat[RP_MAX_RANK], split[RP_MAX_RANK];
	bool early, late_store;
	int arg;			/* 1 + predicate: roles are a value and its index */
	struct rp_role roles[2];
};

struct rprog {
	int tiles;
	bool hazards;			/* deliveries share memory; all partials have addresses */
	int n;
	struct rp_delivery d[RP_MAX_DELIVERIES];
};

/* "keep the left pair if left PREDICATE right" */
#define RP_PREDICATES	12
extern const char *const rp_predicates[RP_PREDICATES];	/* floats, then from 8 on integers */

/* A random program. */
void rp_random(struct rprog *p, uint64_t seed);
/* Its text, from malloc(). */
char *rp_emit(const struct rprog *p);
unsigned int rp_bytes(enum rp_type t);
const char *rp_type_name(enum rp_type t);

/* --- eval_ref.c ------------------------------------------------------------------------ */

struct ref_value {
	uint8_t *data;			/* packed; NULL: undefined on this tile */
	size_t bytes;
};

struct ref_state {
	uint8_t *pad[RP_MAX_TILES];	/* RP_PAD bytes, changed by ref_run() */
	/* given by the caller for partials from global memory */
	struct ref_value partial[RP_MAX_DELIVERIES][2][RP_MAX_TILES];
	struct ref_value result[RP_MAX_DELIVERIES][2][RP_MAX_TILES];
};

/* Carry the program out in its own order. */
void ref_run(const struct rprog *p, struct ref_state *s);
void ref_fini(struct ref_state *s);

#endif /* RPROG_H */
