/* SPDX-License-Identifier: MIT */
/* --stick AXIS=LANES, which several commands take any number of times. */
#ifndef KTCTL_STICKS_H
#define KTCTL_STICKS_H

#include "ctl.h"

#define CTL_MAX_STICKS	8

struct ctl_sticks {
	struct ktdev_stick stick[CTL_MAX_STICKS];
	unsigned int n;
};

/* CTL_OK, or CTL_USAGE with the error said. */
int ctl_sticks(struct ctl *c, struct ctl_sticks *out);

#endif /* KTCTL_STICKS_H */
