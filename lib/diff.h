/* SPDX-License-Identifier: MIT */
/* Where the bytes of a plan come from, as runs. */
#ifndef KT_DIFF_H
#define KT_DIFF_H

#include "plan.h"

#define KT_TRACE_MAX_RUNS	(1u << 24)

/* Addends of a folded run at its first byte. */
struct kt_trace_fold {
	uint8_t op, mode, dtype;
	uint32_t n;
	struct kt_trace_at {
		uint32_t tile;
		uint64_t addr;
	} *v;
};

/* Bytes [addr, addr + len) of a tile, and where they were before the plan ran. */
struct kt_trace_run {
	uint32_t tile, otile;
	uint32_t fold;			/* 1 + index of the fold, 0: copied */
	uint64_t addr, len, oaddr;
};

struct kt_trace {
	struct kt_arena arena;
	uint32_t n, cap;
	struct kt_trace_run *v;		/* by tile, address; disjoint */
	uint32_t n_folds, cap_folds;
	struct kt_trace_fold *folds;
};

/*
 * Everything a plan writes. Return: 0, -ENOMEM, -E2BIG (too many runs), -EOPNOTSUPP (a fold
 * of folded values).
 */
int kt_trace_plan(const struct ktdev_plan *plan, struct kt_trace *out);
/* Keep only the bytes of the plan's outputs. */
int kt_trace_outputs(const struct ktdev_plan *plan, struct kt_trace *t);
/* The bytes of the inputs the host writes, as runs onto themselves. */
int kt_trace_inputs(const struct ktdev_plan *plan, struct kt_trace *out);
void kt_trace_fini(struct kt_trace *t);

#endif /* KT_DIFF_H */
