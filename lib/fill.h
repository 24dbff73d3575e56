/* SPDX-License-Identifier: MIT */
/*
 * What values are filled with to find out where every byte went.
 */
#ifndef KT_FILL_H
#define KT_FILL_H

#include "plan.h"

enum kt_fill {
	KT_FILL_DIGIT,		/* digit @digit of the element's number */
	KT_FILL_INTEGERS,	/* small, exact in every type */
	KT_FILL_RANDOM,		/* random bits; floats with NaN, infinities, both zeros */
};

/* Number of the first element of input @i: inputs are numbered through. */
uint64_t kt_fill_base(const struct ktdev_plan *plan, uint32_t i);
/* Passes of KT_FILL_DIGIT after which every element of every copied input is known. */
uint32_t kt_fill_digits(const struct ktdev_plan *plan);
/* Fill input @io whose first element has number @base. */
void kt_fill_value(const struct kt_io *io, enum kt_fill how, uint32_t digit, uint64_t base,
		   uint64_t seed, void *buf);
/* Pseudo-random bytes. */
void kt_fill_noise(void *buf, uint64_t bytes, uint64_t seed);

#endif /* KT_FILL_H */
