/* SPDX-License-Identifier: MIT */
/* Help from the command table. */
#ifndef KTCTL_HELP_H
#define KTCTL_HELP_H

#include "ctl.h"

void ctl_usage(const struct ctl *c, FILE *f);				/* all commands */
int ctl_help(struct ctl *c, const struct ctl_command *cmd);		/* NULL: all commands */
int ctl_version(struct ctl *c);

#endif /* KTCTL_HELP_H */
