/* SPDX-License-Identifier: MIT */
/*
 * Recognising what the fold unit can do in the region of a reduce or reduce_scatter.
 */
#ifndef KT_COMBINER_H
#define KT_COMBINER_H

#include "delivery.h"
#include "kte_table.h"

/**
 * struct kt_combiner - the verdict
 * @mapped:	every role has a fold of the unit with the same meaning
 * @n_folds, @folds: those folds (one per role, one for an arg pair)
 * @why:	not mapped: what is missing, one clause
 * @at:		not mapped: the op or yield operand that cannot be mapped
 */
struct kt_combiner {
	bool mapped;
	unsigned int n_folds;
	struct kt_fold *folds;
	const char *why;
	struct kt_range at;
};

/*
 * @d: roles filled; its region has two arguments per role and yields one value per role.
 * Return: 0 or -ENOMEM.
 */
int kt_combiner_recognise(const struct ktdev_module *mod, const struct kt_delivery *d,
			  struct kt_arena *a, struct kt_combiner *out);

/* What is known about an identity operand against the fold it feeds. */
enum kt_neutral {
	KT_NEUTRAL_UNKNOWN,	/* the value is not a constant: trusted */
	KT_NEUTRAL_YES,
	KT_NEUTRAL_FINITE,	/* the finite extreme where infinity is neutral */
	KT_NEUTRAL_NO,
};

/**
 * kt_identity_neutral - judge an identity value (identity.c)
 * @a:		for the text
 * @v:		the operand
 * @fold:	the recognised fold
 * @dtype:	enum kte_dtype of the role
 * @constant:	set to the value attribute of the constant behind it; NULL: none found
 * @neutral:	set to the spelling of the neutral value; NULL without a constant
 */
enum kt_neutral kt_identity_neutral(struct kt_arena *a, const struct kt_value *v,
				    const struct kt_fold *fold, uint8_t dtype,
				    const struct kt_attr **constant, const char **neutral);

#endif /* KT_COMBINER_H */
