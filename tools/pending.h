/* SPDX-License-Identifier: MIT */
#ifndef KTCTL_PENDING_H
#define KTCTL_PENDING_H
#include "ktdev.h"
#define W __attribute__((weak))
W int ktdev_emit(const struct ktdev_relayout *rel, enum ktdev_elect elect, struct ktdev_report *rep, char **text);
W int ktdev_plan_from_relayout(const struct ktdev_relayout *rel, enum ktdev_elect elect,
	const struct ktdev_compile_opts *opts, struct ktdev_report *rep, struct ktdev_plan **out);
W int ktdev_check_relayout(struct ktdev_device *dev, const struct ktdev_relayout *rel, enum ktdev_elect elect,
	const struct ktdev_compile_opts *opts, unsigned int repeat, struct ktdev_report *rep, struct ktdev_result *res);
#endif
