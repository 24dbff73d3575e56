// SPDX-License-Identifier: MIT
/* The table of commands. */
#include "cmd.h"
#include "commands.h"

#define OPT_END		{ NULL, 0, NULL, NULL, NULL }
#define OPT_FUNC	{ "func", 'f', "NAME", NULL, "only this function" }
#define OPT_STICK	{ "stick", 0, "AXIS=LANES", NULL, \
			  "declare axis AXIS sticked, LANES elements to a stick; repeatable" }

const struct ctl_opt ctl_globals[] = {
	{ "json", 'j', NULL, NULL, "one JSON document on standard output, also for errors" },
	{ "pretty", 'p', NULL, NULL, "indented JSON" },
	{ "color", 0, "WHEN", "auto|always|never", "colour the text" },
	{ "progress", 0, "WHEN", "auto|always|never", "progress on standard error" },
	{ "device", 'd', "DEVICE", NULL, "auto, soft[:cores=N,spm-size=S] or /dev/accel/accelN" },
	{ "tiles", 0, "N", NULL, "number of tiles (default: the grid of the file, else 32)" },
	{ "strict", 0, NULL, NULL, "warnings are errors" },
	{ "quiet", 'q', NULL, NULL, "errors only" },
	{ "verbose", 'v', NULL, NULL, "more detail" },
	{ "help", 'h', NULL, NULL, "help for the command" },
	{ "version", 0, NULL, NULL, "versions of tool and library" },
	OPT_END
};

static const struct ctl_opt verify_opts[] = { OPT_FUNC, OPT_STICK, OPT_END };

static const struct ctl_opt doctor_opts[] = {
	{ "root", 0, "DIR", NULL, "look at the system mounted at DIR" },
	OPT_END
};

const struct ctl_command ctl_commands[] = {
	{ .name = "verify", .args = "FILE...", .min = 1, .max = -1, .opts = verify_opts,
	  .summary = "Parse and check rules R1-R14 and K1-K13, say every finding",
	  .run = cmd_verify },
	{ .name = "explain", .args = "[RULE]", .max = 1, .words = "@rules",
	  .summary = "Show a rule, why it exists, a wrong and a right example",
	  .run = cmd_explain },
	{ .name = "doctor", .args = "", .opts = doctor_opts,
	  .summary = "Find out why it does not work here, and what to type",
	  .run = cmd_doctor },
	{ .name = "completion", .args = "SHELL", .min = 1, .max = 1, .words = "bash zsh fish",
	  .summary = "Print a completion script for bash, zsh or fish",
	  .details = "bash: source <(ktctl completion bash)\n"
		     "zsh:  ktctl completion zsh > \"${fpath[1]}/_ktctl\"\n"
		     "fish: ktctl completion fish > ~/.config/fish/completions/ktctl.fish",
	  .run = cmd_completion },
	{ .name = "help", .args = "[COMMAND]", .max = 1, .words = "@commands",
	  .summary = "Show the commands, or one command's options",
	  .run = cmd_help },
	{ .name = NULL }
};
