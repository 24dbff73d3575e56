// SPDX-License-Identifier: MIT
/* ktctl: find the command, run it, see that everything was written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "help.h"

static int run(struct ctl *c, int argc, char **argv)
{
	int ret = ctl_parse(c, argc, argv);

	if (ret)
		return ret;
	if (ctl_opt(c, "version"))
		return ctl_version(c);
	if (ctl_opt(c, "help"))
		return ctl_help(c, c->cmd);
	if (!c->cmd) {
		if (c->json)
			return ctl_fail(c, CTL_USAGE, "no command\nsee ktctl --help");
		ctl_usage(c, stderr);
		return CTL_USAGE;
	}
	return c->cmd->run(c);
}

int main(int argc, char **argv)
{
	struct ctl c = {
		.commands = ctl_commands,
		.globals = ctl_globals,
		.device = "auto",
	};
	int ret = run(&c, argc, argv);

	while (c.texts) {
		struct ctl_text *t = c.texts;

		c.texts = t->next;
		free(t->text);
		free(t);
	}
	free(c.given);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "ktctl: error: cannot write standard output: %s\n",
			strerror(errno));
		if (ret == CTL_OK)
			ret = CTL_INPUT;
	}
	return ret;
}
