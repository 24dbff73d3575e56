// SPDX-License-Identifier: MIT
/* ktctl completion bash|zsh|fish: scripts made from the command table. */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

static void put_rules(FILE *f, const char *sep)
{
	const struct ktdev_rule *rules;
	size_t n = ktdev_rules(&rules);

	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s%s", i ? sep : "", rules[i].id);
}

static void put_commands(FILE *f, const struct ctl *c, const char *sep)
{
	for (const struct ctl_command *cmd = c->commands; cmd->name; cmd++)
		fprintf(f, "%s%s", cmd == c->commands ? "" : sep, cmd->name);
}

/* The words of a command's first operand. */
static void put_words(FILE *f, const struct ctl *c, const struct ctl_command *cmd)
{
	if (!strcmp(cmd->words, "@rules"))
		put_rules(f, " ");
	else if (!strcmp(cmd->words, "@commands"))
		put_commands(f, c, " ");
	else
		fputs(cmd->words, f);
}

static void put_values(FILE *f, const char *values, char sep)
{
	for (; *values; values++)
		fputc(*values == '|' ? sep : *values, f);
}

static bool takes_file(const struct ctl_opt *o)
{
	return o->arg && !o->values && (strstr(o->arg, "FILE") || strstr(o->arg, "DIR") ||
					!strcmp(o->arg, "OUT") || !strcmp(o->arg, "DEVICE"));
}

static void bash_options(FILE *f, const struct ctl_opt *o)
{
	for (; o && o->name; o++) {
		fprintf(f, "--%s ", o->name);
		if (o->letter)
			fprintf(f, "-%c ", o->letter);
	}
}

static void bash_values(FILE *f, const struct ctl_opt *o)
{
	for (; o && o->name; o++) {
		if (!o->arg)
			continue;
		fprintf(f, "\t--%s", o->name);
		if (o->letter)
			fprintf(f, "|-%c", o->letter);
		fprintf(f, ")\n\t\t");
		if (o->values) {
			fprintf(f, "COMPREPLY=($(compgen -W \"");
			put_values(f, o->values, ' ');
			fprintf(f, "\" -- \"$cur\"))\n");
		} else if (takes_file(o)) {
			fprintf(f, "COMPREPLY=($(compgen -f -- \"$cur\"))\n");
		} else {
			fprintf(f, "COMPREPLY=()\n");
		}
		fprintf(f, "\t\treturn ;;\n");
	}
}

static void bash_command(FILE *f, const struct ctl *c, const struct ctl_command *cmd)
{
	fprintf(f, "\t%s)\n\t\topts=\"", cmd->name);
	bash_options(f, cmd->opts);
	fprintf(f, "\"\n\t\twords=\"");
	if (cmd->words)
		put_words(f, c, cmd);
	fprintf(f, "\"\n");
	if (cmd->opts && cmd->opts->name) {
		fprintf(f, "\t\tcase $prev in\n");
		bash_values(f, cmd->opts);
		fprintf(f, "\t\tesac\n");
	}
	fprintf(f, "\t\t;;\n");
}

static void bash(FILE *f, const struct ctl *c)
{
	fprintf(f, "# bash completion for ktctl, made by: ktctl completion bash\n"
	       "_ktctl()\n{\n"
	       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	       "\tlocal cmd=\"\" opts=\"\" words=\"\" i w\n"
	       "\tCOMPREPLY=()\n"
	       "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	       "\t\tfor w in ");
	put_commands(f, c, " ");
	fprintf(f, "; do\n"
	       "\t\t\tif [[ ${COMP_WORDS[i]} == \"$w\" ]]; then cmd=$w; break 2; fi\n"
	       "\t\tdone\n\tdone\n"
	       "\tcase $prev in\n");
	bash_values(f, c->globals);
	fprintf(f, "\tesac\n\tcase $cmd in\n\t\"\")\n\t\twords=\"");
	put_commands(f, c, " ");
	fprintf(f, "\" ;;\n");
	for (const struct ctl_command *cmd = c->commands; cmd->name; cmd++)
		bash_command(f, c, cmd);
	fprintf(f, "\tesac\n"
	       "\tif [[ $cur == -* ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$opts ");
	bash_options(f, c->globals);
	fprintf(f, "\" -- \"$cur\"))\n"
	       "\telif [[ -n $words ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	       "\telse\n"
	       "\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	       "\tfi\n}\n"
	       "complete -o filenames -F _ktctl ktctl\n");
}

/* Text inside single quotes, where zsh's _arguments also reads [ ] and : specially. */
static void put_quoted(FILE *f, const char *s, bool zsh)
{
	for (; *s; s++) {
		if (*s == '\'')
			fputs("'\\''", f);
		else if (zsh && strchr("[]:", *s))
			fprintf(f, "\\%c", *s);
		else
			fputc(*s, f);
	}
}

static void zsh_options(FILE *f, const struct ctl_opt *o)
{
	for (; o && o->name; o++) {
		fprintf(f, " \\\n\t\t'");
		if (o->letter)
			fprintf(f, "(-%c --%s)'{-%c,--%s%s}'", o->letter, o->name, o->letter,
				o->name, o->arg ? "=" : "");
		else
			fprintf(f, "*--%s%s", o->name, o->arg ? "=" : "");
		fputc('[', f);
		put_quoted(f, o->help, true);
		fputc(']', f);
		if (o->values) {
			fprintf(f, ":%s:(", o->arg);
			put_values(f, o->values, ' ');
			fputc(')', f);
		} else if (o->arg) {
			fputc(':', f);
			put_quoted(f, o->arg, true);
			fprintf(f, ":%s", takes_file(o) ? "_files" : "");
		}
		fputc('\'', f);
	}
}

static void zsh(FILE *f, const struct ctl *c)
{
	fprintf(f, "#compdef ktctl\n# made by: ktctl completion zsh\n"
	       "_ktctl()\n{\n\tlocal cmd i\n"
	       "\tlocal -a commands\n\tcommands=(\n");
	for (const struct ctl_command *cmd = c->commands; cmd->name; cmd++) {
		fprintf(f, "\t\t'%s:", cmd->name);
		put_quoted(f, cmd->summary, true);
		fprintf(f, "'\n");
	}
	fprintf(f,
		"\t)\n\tfor ((i = 2; i < CURRENT; i++)); do\n"
		"\t\tif (( ${${commands[@]%%%%:*}[(Ie)${words[i]}]} )); then cmd=${words[i]}; break; fi\n"
		"\tdone\n\tcase $cmd in\n\t'')\n\t\t_arguments");
	zsh_options(f, c->globals);
	fprintf(f, " \\\n\t\t'1:command:->command' && return\n"
	       "\t\t_describe command commands ;;\n");
	for (const struct ctl_command *cmd = c->commands; cmd->name; cmd++) {
		fprintf(f, "\t%s)\n\t\t_arguments", cmd->name);
		zsh_options(f, cmd->opts);
		zsh_options(f, c->globals);
		if (cmd->words) {
			fprintf(f, " \\\n\t\t'1: :(%s)' '2:argument:(", cmd->name);
			put_words(f, c, cmd);
			fprintf(f, ")' ;;\n");
		} else {
			fprintf(f, " \\\n\t\t'1: :(%s)' '*:file:_files' ;;\n", cmd->name);
		}
	}
	fprintf(f, "\tesac\n}\n_ktctl \"$@\"\n");
}

static void fish_options(FILE *f, const struct ctl_opt *o, const char *cmd)
{
	for (; o && o->name; o++) {
		fprintf(f, "complete -c ktctl");
		if (cmd)
			fprintf(f, " -n '__fish_seen_subcommand_from %s'", cmd);
		fprintf(f, " -l %s", o->name);
		if (o->letter)
			fprintf(f, " -s %c", o->letter);
		if (o->values) {
			fprintf(f, " -x -a '");
			put_values(f, o->values, ' ');
			fputc('\'', f);
		} else if (o->arg) {
			fprintf(f, takes_file(o) ? " -r -F" : " -x");
		}
		fprintf(f, " -d '");
		put_quoted(f, o->help, false);
		fprintf(f, "'\n");
	}
}

static void fish(FILE *f, const struct ctl *c)
{
	fprintf(f, "# fish completion for ktctl, made by: ktctl completion fish\n");
	for (const struct ctl_command *cmd = c->commands; cmd->name; cmd++) {
		fprintf(f, "complete -c ktctl -f -n __fish_use_subcommand -a %s -d '", cmd->name);
		put_quoted(f, cmd->summary, false);
		fprintf(f, "'\n");
	}
	fish_options(f, c->globals, NULL);
	for (const struct ctl_command *cmd = c->commands; cmd->name; cmd++) {
		fish_options(f, cmd->opts, cmd->name);
		if (!cmd->words)
			continue;
		fprintf(f, "complete -c ktctl -f -n '__fish_seen_subcommand_from %s' -a '",
			cmd->name);
		put_words(f, c, cmd);
		fprintf(f, "'\n");
	}
}

int cmd_completion(struct ctl *c)
{
	static const struct {
		const char *name;
		void (*put)(FILE *f, const struct ctl *c);
	} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };
	const char *shell = c->argv[0];
	char *script = NULL;
	json_t *doc;
	size_t len, i;
	FILE *f;

	for (i = 0; i < CTL_ARRAY_SIZE(shells); i++)
		if (!strcmp(shell, shells[i].name))
			break;
	if (i == CTL_ARRAY_SIZE(shells))
		return ctl_fail(c, CTL_USAGE, "no completion for %s\nbash, zsh or fish", shell);
	if (!c->json) {
		shells[i].put(stdout, c);
		return CTL_OK;
	}
	f = open_memstream(&script, &len);
	if (!f)
		return ctl_no_memory(c);
	shells[i].put(f, c);
	fclose(f);
	doc = ctl_doc("ktctl.completion/1", true);
	ctl_set_str(doc, "shell", shell);
	ctl_set_str(doc, "script", script);
	free(script);
	return ctl_emit(c, doc);
}
