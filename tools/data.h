/* SPDX-License-Identifier: MIT */
/* Data files of a run: --input, --output, --pads-in, --pads-out. */
#ifndef KTCTL_DATA_H
#define KTCTL_DATA_H

#include "input.h"

struct ctl_data;

/*
 * Set the callbacks of @opts for the data options given. CTL_OK or the exit, said.
 * ctl_data_free() in both cases.
 */
int ctl_data_new(struct ctl *c, const struct ctl_input *in, struct ktdev_submit_opts *opts,
		 struct ctl_data **out);
/* Forget what was collected: the plan runs again. */
void ctl_data_reset(struct ctl_data *d);
/* Write the files collected. CTL_OK or the exit, said. */
int ctl_data_commit(struct ctl_data *d);
/* The exit a callback has already said, CTL_OK if none. */
int ctl_data_exit(const struct ctl_data *d);
void ctl_data_free(struct ctl_data *d);

#endif /* KTCTL_DATA_H */
