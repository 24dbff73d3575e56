// SPDX-License-Identifier: MIT
/* ktctl help [COMMAND] */
#include "cmd.h"
#include "help.h"

int cmd_help(struct ctl *c)
{
	const struct ctl_command *cmd = NULL;

	if (c->argc) {
		cmd = ctl_find(c, c->argv[0]);
		if (!cmd)
			return ctl_fail(c, CTL_USAGE, "unknown command %s\nsee ktctl --help",
					c->argv[0]);
	}
	return ctl_help(c, cmd);
}
