// SPDX-License-Identifier: MIT
/* The command line, read by the command table. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

#define MAX_OPTS	64
#define LONG_BASE	256

/* The options that apply: the global ones, then the command's. */
struct opt_set {
	const struct ctl_opt *opt[MAX_OPTS];
	unsigned int n;
	struct option longs[MAX_OPTS + 1];
	char shorts[2 * MAX_OPTS + 4];
};

static void add_opts(struct opt_set *set, const struct ctl_opt *o)
{
	for (; o && o->name && set->n < MAX_OPTS; o++)
		set->opt[set->n++] = o;
}

static void build(struct opt_set *set, const char *prefix)
{
	char *s = set->shorts;

	s += strlen(strcpy(s, prefix));
	for (unsigned int i = 0; i < set->n; i++) {
		const struct ctl_opt *o = set->opt[i];

		set->longs[i] = (struct option){
			.name = o->name,
			.has_arg = o->arg ? required_argument : no_argument,
			.val = LONG_BASE + (int)i,
		};
		if (!o->letter)
			continue;
		*s++ = o->letter;
		if (o->arg)
			*s++ = ':';
	}
	*s = 0;
	memset(&set->longs[set->n], 0, sizeof(set->longs[0]));
}

static const struct ctl_opt *by_value(const struct opt_set *set, int val)
{
	for (unsigned int i = 0; i < set->n; i++)
		if (val == LONG_BASE + (int)i ||
		    (set->opt[i]->letter && val == set->opt[i]->letter))
			return set->opt[i];
	return NULL;
}

static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[64], la = (unsigned int)strlen(a), lb = (unsigned int)strlen(b);

	if (la >= 64 || lb >= 64)
		return ~0u;
	for (unsigned int j = 0; j <= lb; j++)
		row[j] = j;
	for (unsigned int i = 1; i <= la; i++) {
		unsigned int diag = row[0];

		row[0] = i;
		for (unsigned int j = 1; j <= lb; j++) {
			unsigned int best = diag + (a[i - 1] != b[j - 1]);

			diag = row[j];
			best = best < row[j] + 1 ? best : row[j] + 1;
			row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
		}
	}
	return row[lb];
}

const char *ctl_similar(const char *word, const char *const *names)
{
	unsigned int best = (unsigned int)strlen(word) / 3 + 1, d;
	const char *found = NULL;

	for (; *names; names++) {
		d = distance(word, *names);
		if (d <= best) {
			best = d ? d - 1 : 0;
			found = *names;
		}
	}
	return found;
}

const struct ctl_command *ctl_find(const struct ctl *c, const char *name)
{
	for (const struct ctl_command *cmd = c->commands; cmd->name; cmd++)
		if (!strcmp(cmd->name, name))
			return cmd;
	return NULL;
}

static const char *where_help(const struct ctl *c)
{
	static char text[64];

	snprintf(text, sizeof(text), "ktctl %s%s--help", c->cmd ? c->cmd->name : "",
		 c->cmd ? " " : "");
	return text;
}

static int unknown_option(struct ctl *c, const struct opt_set *set, const char *word)
{
	const char *names[MAX_OPTS + 1], *like = NULL;
	char name[64];

	if (!strncmp(word, "--", 2)) {
		for (unsigned int i = 0; i < set->n; i++)
			names[i] = set->opt[i]->name;
		names[set->n] = NULL;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
		like = ctl_similar(name, names);
	}
	if (like)
		return ctl_fail(c, CTL_USAGE,
				"unknown or ambiguous option %s\ndid you mean --%s?\nsee %s", word,
				like, where_help(c));
	return ctl_fail(c, CTL_USAGE, "unknown or ambiguous option %s\nsee %s", word,
			where_help(c));
}

static int bad_option(struct ctl *c, const struct opt_set *set, int got, char **argv)
{
	const struct ctl_opt *o = optopt ? by_value(set, optopt) : NULL;
	char word[3] = { '-', (char)optopt, 0 };

	if (got == ':')
		return ctl_fail(c, CTL_USAGE, "option --%s needs a value: %s\nsee %s", o->name,
				o->arg, where_help(c));
	if (o)
		return ctl_fail(c, CTL_USAGE, "option --%s takes no value\nsee %s", o->name,
				where_help(c));
	if (optopt && optopt < LONG_BASE)
		return unknown_option(c, set, word);
	return unknown_option(c, set, argv[optind - 1]);
}

static bool allowed(const char *values, const char *v)
{
	size_t len = strlen(v);

	while (*values) {
		size_t n = strcspn(values, "|");

		if (n == len && !strncmp(values, v, n))
			return true;
		values += n + (values[n] == '|');
	}
	return false;
}

bool ctl_parse_u64(const char *s, uint64_t *out)
{
	unsigned long long v;
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	v = strtoull(s, &end, 0);
	if (errno || *end)
		return false;
	*out = v;
	return true;
}

static enum ctl_when when(const char *v)
{
	return !strcmp(v, "auto") ? CTL_AUTO : !strcmp(v, "always") ? CTL_ALWAYS : CTL_NEVER;
}

static int set_global(struct ctl *c, const struct ctl_opt *o, const char *v)
{
	uint64_t n;

	if (!strcmp(o->name, "json")) {
		c->json = true;
	} else if (!strcmp(o->name, "pretty")) {
		c->json = true;
		c->pretty = true;
	} else if (!strcmp(o->name, "color")) {
		c->color = when(v);
	} else if (!strcmp(o->name, "progress")) {
		c->progress = when(v);
	} else if (!strcmp(o->name, "device")) {
		c->device = v;
	} else if (!strcmp(o->name, "strict")) {
		c->strict = true;
	} else if (!strcmp(o->name, "quiet")) {
		c->quiet = true;
	} else if (!strcmp(o->name, "verbose")) {
		c->verbose = true;
	} else if (!strcmp(o->name, "tiles")) {
		if (!ctl_parse_u64(v, &n) || !n || n > UINT32_MAX)
			return ctl_fail(c, CTL_USAGE, "--tiles %s: not a number of tiles\n"
					"give a whole number from 1 on", v);
		c->tiles = (uint32_t)n;
	}
	return CTL_OK;
}

static int take(struct ctl *c, const struct ctl_opt *o, const char *v)
{
	const struct ctl_opt *g;

	if (o->values && !allowed(o->values, v))
		return ctl_fail(c, CTL_USAGE, "--%s %s: not one of %s", o->name, v, o->values);
	for (g = c->globals; g->name; g++)
		if (g == o)
			break;
	c->given[c->n_given].opt = o;
	c->given[c->n_given++].value = v ? v : "";
	return g->name ? set_global(c, o, v) : CTL_OK;
}

/* One getopt pass over @argv; the first operand's index is in optind. */
static int pass(struct ctl *c, struct opt_set *set, int argc, char **argv)
{
	int got, ret;

	opterr = 0;
	optind = 0;	/* GNU: start afresh, and reread the first letters of the string */
	while ((got = getopt_long(argc, argv, set->shorts, set->longs, NULL)) != -1) {
		if (got == '?' || got == ':')
			return bad_option(c, set, got, argv);
		ret = take(c, by_value(set, got), optarg);
		if (ret)
			return ret;
	}
	return CTL_OK;
}

/* Errors must be JSON when -j is there, even those found before it is reached. */
static void look_for_json(struct ctl *c, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		bool pretty = !strcmp(argv[i], "-p") || !strcmp(argv[i], "--pretty");

		c->pretty |= pretty;
		c->json |= pretty || !strcmp(argv[i], "-j") || !strcmp(argv[i], "--json");
	}
}

static int find_command(struct ctl *c, const char *name)
{
	const char *names[MAX_OPTS], *like;
	unsigned int n = 0;

	c->cmd = ctl_find(c, name);
	if (c->cmd)
		return CTL_OK;
	for (const struct ctl_command *cmd = c->commands; cmd->name && n + 1 < MAX_OPTS; cmd++)
		names[n++] = cmd->name;
	names[n] = NULL;
	like = ctl_similar(name, names);
	if (like)
		return ctl_fail(c, CTL_USAGE,
				"unknown command %s\ndid you mean %s?\nsee ktctl --help", name,
				like);
	return ctl_fail(c, CTL_USAGE, "unknown command %s\nsee ktctl --help", name);
}

static int check_operands(struct ctl *c)
{
	const struct ctl_command *cmd = c->cmd;

	if (ctl_opt(c, "help") || ctl_opt(c, "version"))
		return CTL_OK;
	if (c->argc < cmd->min)
		return ctl_fail(c, CTL_USAGE, "ktctl %s needs %s\nsee %s", cmd->name, cmd->args,
				where_help(c));
	if (cmd->max >= 0 && c->argc > cmd->max)
		return ctl_fail(c, CTL_USAGE, "ktctl %s: one operand too many: %s\nsee %s",
				cmd->name, c->argv[cmd->max], where_help(c));
	return CTL_OK;
}

int ctl_parse(struct ctl *c, int argc, char **argv)
{
	struct opt_set set = { .n = 0 };
	int ret, at;

	look_for_json(c, argc, argv);
	c->given = calloc((size_t)argc + 1, sizeof(*c->given));
	if (!c->given)
		return ctl_no_memory(c);
	add_opts(&set, c->globals);
	build(&set, "+:");
	ret = pass(c, &set, argc, argv);
	if (ret || optind == argc)
		return ret;
	at = optind;
	ret = find_command(c, argv[at]);
	if (ret)
		return ret;
	add_opts(&set, c->cmd->opts);
	build(&set, ":");
	ret = pass(c, &set, argc - at, argv + at);
	if (ret)
		return ret;
	c->argc = argc - at - optind;
	c->argv = argv + at + optind;
	return check_operands(c);
}

const char *ctl_opt_nth(const struct ctl *c, const char *name, unsigned int n)
{
	for (unsigned int i = 0; i < c->n_given; i++)
		if (!strcmp(c->given[i].opt->name, name) && !n--)
			return c->given[i].value;
	return NULL;
}

const char *ctl_opt(const struct ctl *c, const char *name)
{
	for (unsigned int i = c->n_given; i-- > 0;)
		if (!strcmp(c->given[i].opt->name, name))
			return c->given[i].value;
	return NULL;
}

int ctl_opt_u64(struct ctl *c, const char *name, uint64_t min, uint64_t max, uint64_t *out)
{
	const char *v = ctl_opt(c, name);
	uint64_t n;

	if (!v)
		return CTL_OK;
	if (!ctl_parse_u64(v, &n) || n < min || n > max)
		return ctl_fail(c, CTL_USAGE, "--%s %s: not a number from %llu to %llu", name, v,
				(unsigned long long)min, (unsigned long long)max);
	*out = n;
	return CTL_OK;
}
