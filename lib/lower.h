/* SPDX-License-Identifier: MIT */
/*
 * Lowering: a program with places becomes a plan. lower.c makes spaces and entries,
 * lower_order.c finds out when values are read and overwritten, lower_dest.c places
 * results.
 */
#ifndef KT_LOWER_H
#define KT_LOWER_H

#include "delivery.h"
#include "plan.h"

/* What lowering needs to know about the target. */
struct kt_lower_opts {
	uint32_t n_cores;
	uint64_t window;
	bool uncapped, per_tile;
	uint32_t n_reserved;
	const struct ktdev_bytes *reserved;
};

/**
 * kt_lower - place and compile a program
 * @prog:	steps of all functions, joined (kt_program_join())
 *
 * Return: 0, -EINVAL (errors in @rep), -EOPNOTSUPP, -ENOMEM. The plan is complete.
 */
int kt_lower(const struct kt_checked *chk, const struct kt_program *prog,
	     const struct kt_lower_opts *opts, struct ktdev_report *rep, struct kt_arena *a,
	     struct ktdev_plan **out);

/* Append the steps of @more to @prog, later in time. */
int kt_program_join(struct kt_program *prog, struct kt_program *more, struct kt_arena *a);

/* --- private to lower*.c ---------------------------------------------------------------- */

#define KT_LW_NONE	0xffffffffu

/* A partial of one producer. */
struct kt_lw_src {
	uint32_t tile, role;
	struct kt_place place;		/* known once its step is lowered */
	uint32_t in_step;		/* step before which the host writes it */
	uint32_t save_step;		/* step that overwrites it before it is used */
	bool derived, placed;
};

struct kt_lw_step {
	struct kt_lw_src *src;
	uint32_t *store_head;		/* per tile: 1 + index of its first store, 0: none */
	uint32_t *store_next;
	bool saves;			/* copies partials that later steps use (save_step) */
	/* results that later steps contribute: [role * n_tiles + tile] */
	uint32_t *chain_until;		/* last step that does, 0: none; NULL: no result is */
	struct kt_place *chain_place;
};

/* Allocated bytes that are free again after step @until. */
struct kt_lw_take {
	uint32_t tile, until;
	uint64_t offset;
};

struct kt_lw {
	const struct kt_checked *chk;
	const struct kt_source *src;
	const struct kt_program *prog;
	const struct kt_lower_opts *opts;
	struct ktdev_report *rep;
	struct kt_arena *a;
	struct ktdev_plan *plan;
	struct kt_spm spm;
	struct kte_limits lim;
	struct kt_table table;
	struct kt_lw_step *steps;
	uint32_t n_takes, cap_takes;
	struct kt_lw_take *takes;
};

/* A box of a result and where it goes. */
struct kt_lw_box {
	int64_t start[KT_MAX_RANK], size[KT_MAX_RANK];
	int64_t offset;
	const int64_t *stride;
	uint32_t tag;			/* 1 + index of the store, 0: allocated */
};

/* Where one role of a result goes on one tile: @cover holds every element once. */
struct kt_lw_dest {
	uint32_t n_cover, n_extra;
	struct kt_lw_box *cover, *extra;
	struct kt_place whole;		/* allocated place, if known */
};

/* The hull [start, end) of a box; false on overflow. */
bool kt_lw_hull(const struct kt_place *pl, const int64_t *size, unsigned int rank, uint32_t elem,
		uint64_t *start, uint64_t *end);
/* lower.c: allocate a packed place; K13 on failure. */
int kt_lw_alloc(struct kt_lw *lw, const struct kt_delivery *d, const char *what, uint32_t tile,
		const int64_t *shape, unsigned int rank, uint32_t elem, uint32_t until,
		struct kt_place *out);
/* lower_order.c */
int kt_lw_order(struct kt_lw *lw);

/* lower_space.c */
/* How axes of a role's tensors are axes of its space. */
struct kt_lw_shape {
	unsigned int rank;			/* of the space */
	unsigned int vrank;			/* of partial and result */
	unsigned int which[KT_MAX_RANK];	/* extra axis "which producer"; rank if none */
	int64_t piece[KT_MAX_RANK];		/* partial extents */
	int64_t share[KT_MAX_RANK];		/* piece / split factor */
};

/* One stored box of consumer number @l, to become destination entries. */
struct kt_lw_entry {
	struct kt_lw *lw;
	const struct kt_delivery *d;
	const struct kt_lw_shape *sh;
	uint32_t space, tile, l, tag;
	unsigned int n_roles;
	const unsigned int *roles;
	int64_t start[KT_MAX_RANK], size[KT_MAX_RANK];	/* in the result */
	int64_t offset[2];
	const int64_t *stride[2];
};

/* False: more axes than a space can have. */
bool kt_lw_shape_of(const struct kt_role *role, struct kt_lw_shape *sh);
/* Unsupported by any target; returns -EOPNOTSUPP. */
int kt_lw_too_large(struct kt_lw *lw, const struct kt_delivery *d, const char *why);
/* Add a space for @n roles. */
int kt_lw_space(struct kt_lw *lw, const struct kt_delivery *d, const struct kt_fold *fold,
		const unsigned int *roles, unsigned int n, const struct kt_lw_shape *sh,
		uint32_t *index);
/* Producer number @l of a dependency set; @src: its partials, one per role. */
int kt_lw_source(struct kt_lw *lw, const struct kt_delivery *d, uint32_t space,
		 const struct kt_lw_shape *sh, const unsigned int *roles, unsigned int n,
		 uint32_t l, const struct kt_lw_src *src, uint32_t tag);
void kt_lw_put_place(struct kte_entry *e, unsigned int role, unsigned int rank, int64_t offset,
		     const int64_t *stride);
int kt_lw_dest_box(struct kt_lw_entry *de, const struct kt_lw_box *b);
/* An arg pair: boxes that the places of both roles share. */
int kt_lw_dest_pair(struct kt_lw_entry *de, const struct kt_lw_box *a, const struct kt_lw_box *b);
/* lower_dest.c */
int kt_lw_dest(struct kt_lw *lw, uint32_t step, uint32_t role, uint32_t tile,
	       struct kt_lw_dest *out);

#endif /* KT_LOWER_H */
