/* SPDX-License-Identifier: MIT */
/*
 * Factors: by how much each listed axis grows or shrinks between the partial type T_p
 * and the result type T_r. One listed axis: derived from P or C. Several: from the
 * declared result. An axis in both lists of an all_to_all: T_r = T_p / f_split * f_concat.
 */
#ifndef KT_FACTOR_H
#define KT_FACTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "module.h"

#define KT_MAX_CANDIDATES	8	/* factorisations kept for the message */

struct kt_factor_query {
	unsigned int rank;
	const int64_t *tp, *tr;			/* extents, >= 1 */
	unsigned int n_concat, n_split;
	const unsigned int *concat_axes, *split_axes;
	int64_t producers, consumers;		/* P (1 without concat), C (1 without split) */
	uint32_t lanes;				/* bit per axis whose factor must be 1 */
};

enum kt_factor_status {
	KT_FACTOR_OK,
	KT_FACTOR_DIVIDE,	/* split: the flattened extent does not divide by C */
	KT_FACTOR_EXTENT,	/* the result extent of a listed axis is wrong */
	KT_FACTOR_PRODUCT,	/* the factors do not multiply to P, or to C */
	KT_FACTOR_UNLISTED,	/* an axis in no list changed */
	KT_FACTOR_BOTH,		/* axes in both lists: no factors give the result */
	KT_FACTOR_AMBIGUOUS,	/* axes in both lists: several do */
	KT_FACTOR_OVERFLOW,	/* an extent leaves 63 bits */
};

/* The first fault of a side: of the split list, and of the concat list. */
enum kt_factor_side { KT_SIDE_SPLIT, KT_SIDE_CONCAT, KT_SIDES };

struct kt_factor_fault {
	enum kt_factor_status status;
	unsigned int axis;		/* EXTENT, UNLISTED */
	int64_t found;			/* PRODUCT: the product; DIVIDE: the flattened extent */
};

struct kt_factor_set {
	int64_t concat[KT_MAX_RANK], split[KT_MAX_RANK];
};

struct kt_factors {
	struct kt_factor_fault fault[KT_SIDES];
	struct kt_factor_set f;			/* when both sides are OK; 1 on unlisted axes */
	bool derived;				/* at most one axis per list: want[] is T_r */
	int64_t want[KT_MAX_RANK];
	unsigned int n_candidates;		/* AMBIGUOUS: kept ones */
	bool more_candidates;
	struct kt_factor_set candidates[KT_MAX_CANDIDATES];
};

static inline bool kt_factors_ok(const struct kt_factors *f)
{
	return f->fault[KT_SIDE_SPLIT].status == KT_FACTOR_OK &&
	       f->fault[KT_SIDE_CONCAT].status == KT_FACTOR_OK;
}

void kt_factor_infer(const struct kt_factor_query *q, struct kt_factors *out);

#endif /* KT_FACTOR_H */
