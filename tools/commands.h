/* SPDX-License-Identifier: MIT */
/* The table of commands: help, usage, completion and the man page test are made from it. */
#ifndef KTCTL_COMMANDS_H
#define KTCTL_COMMANDS_H

#include "ctl.h"

extern const struct ctl_command ctl_commands[];
extern const struct ctl_opt ctl_globals[];

#endif /* KTCTL_COMMANDS_H */
