/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The fold unit: contributions to a block of elements, combined in order.
 *
 * f16 and bf16 accumulate in f32 and round once, to nearest even, at the end;
 * all other types accumulate in themselves; integers wrap. Every NaN result is
 * the canonical quiet NaN of its type. MIN and MAX of f16 and bf16 are exact.
 *
 * MIN, MAX, ARGMIN, ARGMAX by the KTE_MODE_ bits: one of lhs (accumulated) and
 * rhs (next) is kept whole, the index with its value. The better value stays; of
 * two that compare equal the tie rule decides, where -0 and +0 compare equal
 * unless KTE_MODE_ZERO_ORDERED. If an operand is a NaN, the NaN rule decides; if
 * both are, lhs stays (KTE_MODE_NAN_RHS: rhs). On equal indices TIE_LOWER
 * keeps lhs and TIE_LOWER_LAST rhs: the same pair up to the sign of a zero.
 */
#ifndef KTE_FOLD_H
#define KTE_FOLD_H

#include "exec_prog.h"

/**
 * struct kte_fold_job - a group of contributions to a block
 * @op, @mode, @dtype: of the fold
 * @in:		elements of each contribution, @n_in of them, per role
 * @n:		elements of the block
 * @acc:	accumulators kept between groups, per role: f32 for f16 and bf16,
 *		uint64_t for ARGMIN and ARGMAX, else the type
 * @out:	results, written with @last, per role
 * @first:	nothing accumulated yet
 * @last:	no group follows
 */
struct kte_fold_job {
	uint32_t op;
	uint32_t mode;
	const uint8_t *dtype;
	const uint8_t *in[KTE_MAX_ROLES][KTE_FOLD_GROUP];
	uint32_t n_in;
	size_t n;
	void *acc[KTE_MAX_ROLES];
	uint8_t *out[KTE_MAX_ROLES];
	bool first;
	bool last;
};

typedef void (*kte_fold_fn)(const struct kte_fold_job *job);

/* NULL where the fold unit has no such function. */
kte_fold_fn kte_fold_find_generic(uint32_t op, uint32_t mode, uint32_t dtype);
kte_fold_fn kte_fold_find_avx2(uint32_t op, uint32_t mode, uint32_t dtype);
void kte_fold_arg(const struct kte_fold_job *job);	/* ARGMIN, ARGMAX, any types */

#endif /* KTE_FOLD_H */
