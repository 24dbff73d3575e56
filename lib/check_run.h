/* SPDX-License-Identifier: MIT */
/*
 * The check: a plan is run with values that tell every byte apart and compared with an
 * evaluation of the source - KTIR or ownership tables - that knows nothing of the plan
 * but where the library placed what has no address.
 */
#ifndef KT_CHECK_RUN_H
#define KT_CHECK_RUN_H

#include "backend.h"

/**
 * struct kt_oracle - evaluation of the source
 * @eval: computes what must come out
 *	@inputs:	per value of the plan: the data of an input that is not derived
 *	@outputs:	per value of the plan: to be filled for outputs (io->bytes)
 *	@pads:		scratchpads before the run, to be changed as the program changes them,
 *			places the library chose (kt_piece.placed) included; scratch may be
 *			left alone
 *	@pad_bytes:	bytes of each pad that exist
 *	Return: 0 or a negative errno
 */
struct kt_oracle {
	const void *ctx;
	int (*eval)(const void *ctx, const struct ktdev_plan *plan, uint8_t *const *inputs,
		    uint8_t *const *outputs, uint8_t *const *pads, uint64_t pad_bytes);
};

/* Run @plan @repeat times (0: 1) in every pass and compare. Return: as ktdev_check(). */
int kt_check_plan(struct ktdev_device *dev, const struct ktdev_plan *plan,
		  const struct kt_oracle *oracle, unsigned int repeat, struct ktdev_result *res);

/* check_expect.c: run @plan with the GIVEN values of its text and compare the EXPECT lines; a
 * text without any is fine. Adds to @res. Return: 0, -EINVAL (malformed line), as above. */
int kt_check_expect(struct ktdev_device *dev, const struct ktdev_plan *plan,
		    const struct kt_source *src, struct ktdev_report *rep, struct kt_arena *a,
		    struct ktdev_result *res);

/* eval.c: the evaluation of KTIR; @ctx is a struct kt_program. */
int kt_eval_program(const void *ctx, const struct ktdev_plan *plan, uint8_t *const *inputs,
		    uint8_t *const *outputs, uint8_t *const *pads, uint64_t pad_bytes);

/* eval_fold.c: one contribution after another into @acc, elements of @dtype; NaN rules and
 * rounding of the fold unit. kt_fold_begin() with the first, kt_fold_add() with each
 * further one, kt_fold_end() writes the result. */
struct kt_fold_value {
	double f;
	uint64_t i, index;
};
void kt_fold_begin(struct kt_fold_value *v, uint8_t dtype, const uint8_t *elem,
		   uint8_t index_dtype, const uint8_t *index);
void kt_fold_add(struct kt_fold_value *v, uint8_t op, uint8_t mode, uint8_t dtype,
		 const uint8_t *elem, uint8_t index_dtype, const uint8_t *index);
void kt_fold_end(const struct kt_fold_value *v, uint8_t dtype, uint8_t *elem,
		 uint8_t index_dtype, uint8_t *index);

#endif /* KT_CHECK_RUN_H */
