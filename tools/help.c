// SPDX-License-Identifier: MIT
/* Help from the command table, for people and as JSON. */
#include <string.h>

#include "help.h"

#define HELP_COL	26

static void option_line(FILE *f, const struct ctl_opt *o)
{
	char left[64];
	int n;

	if (o->letter)
		n = snprintf(left, sizeof(left), "  -%c, --%s", o->letter, o->name);
	else
		n = snprintf(left, sizeof(left), "      --%s", o->name);
	if (o->arg)
		n += snprintf(left + n, sizeof(left) - (size_t)n, " %s",
			      o->values ? o->values : o->arg);
	if (n + 2 > HELP_COL)
		fprintf(f, "%s\n%*s%s\n", left, HELP_COL, "", o->help);
	else
		fprintf(f, "%-*s%s\n", HELP_COL, left, o->help);
}

static void option_lines(FILE *f, const struct ctl_opt *o)
{
	for (; o && o->name; o++)
		option_line(f, o);
}

void ctl_usage(const struct ctl *c, FILE *f)
{
	fputs("Usage: ktctl [OPTIONS] COMMAND [ARGUMENTS]\n"
	      "Verify, classify, compile and run inter-tile deliveries and relayouts.\n\nCommands:\n",
	      f);
	for (const struct ctl_command *cmd = c->commands; cmd->name; cmd++)
		fprintf(f, "  %-12s%s\n", cmd->name, cmd->summary);
	fputs("\nOptions of every command:\n", f);
	option_lines(f, c->globals);
	fputs("\nA FILE of - is standard input. Options may stand before or after the arguments.\n"
	      "Exit: 0 fine, 1 findings or a difference, 2 usage, 3 unreadable or unparsable input,\n"
	      "4 no device or permission, 5 device fault, 6 versions do not fit, 7 unsupported here.\n",
	      f);
}

static void command_help(FILE *f, const struct ctl *c, const struct ctl_command *cmd)
{
	fprintf(f, "Usage: ktctl %s [OPTIONS]%s%s\n%s.\n", cmd->name, *cmd->args ? " " : "",
		cmd->args, cmd->summary);
	if (cmd->details)
		fprintf(f, "\n%s\n", cmd->details);
	if (cmd->opts && cmd->opts->name) {
		fputs("\nOptions:\n", f);
		option_lines(f, cmd->opts);
	}
	fputs("\nOptions of every command:\n", f);
	option_lines(f, c->globals);
}

static json_t *options_json(const struct ctl_opt *o)
{
	json_t *list = json_array();

	for (; o && o->name; o++) {
		json_t *j = json_object();
		char letter[2] = { o->letter, 0 };

		ctl_set_str(j, "name", o->name);
		ctl_set_str(j, "letter", o->letter ? letter : NULL);
		ctl_set_str(j, "argument", o->arg);
		ctl_set_str(j, "values", o->values);
		ctl_set_str(j, "help", o->help);
		json_array_append_new(list, j);
	}
	return list;
}

static json_t *command_json(const struct ctl_command *cmd)
{
	json_t *j = json_object();

	ctl_set_str(j, "name", cmd->name);
	ctl_set_str(j, "arguments", cmd->args);
	ctl_set_str(j, "summary", cmd->summary);
	ctl_set(j, "options", options_json(cmd->opts));
	return j;
}

int ctl_help(struct ctl *c, const struct ctl_command *cmd)
{
	json_t *doc, *list;

	if (!c->json) {
		if (cmd)
			command_help(stdout, c, cmd);
		else
			ctl_usage(c, stdout);
		return CTL_OK;
	}
	doc = ctl_doc("ktctl.help/1", true);
	list = ctl_list(doc, "commands");
	if (cmd)
		json_array_append_new(list, command_json(cmd));
	else
		for (cmd = c->commands; cmd->name; cmd++)
			json_array_append_new(list, command_json(cmd));
	ctl_set(doc, "options", options_json(c->globals));
	return ctl_emit(c, doc);
}

int ctl_version(struct ctl *c)
{
	json_t *doc;

	if (!c->json) {
		printf("ktctl %s (libktdev %s)\n", KTDEV_VERSION, ktdev_version());
		return CTL_OK;
	}
	doc = ctl_doc("ktctl.version/1", true);
	ctl_set_str(doc, "ktctl", KTDEV_VERSION);
	ctl_set_str(doc, "libktdev", ktdev_version());
	return ctl_emit(c, doc);
}
