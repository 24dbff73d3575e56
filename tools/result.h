/* SPDX-License-Identifier: MIT */
/* The result of a run as text and as ktctl.submit/1. */
#ifndef KTCTL_RESULT_H
#define KTCTL_RESULT_H

#include "compile.h"

json_t *ctl_result_json(const struct ktdev_result *res);
void ctl_print_result(const struct ctl *c, const char *name, const struct ktdev_result *res);
/* CTL_OK, CTL_FINDINGS (mismatch) or CTL_FAULT. */
int ctl_result_exit(const struct ktdev_result *res);

#endif /* KTCTL_RESULT_H */
