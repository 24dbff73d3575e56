// SPDX-License-Identifier: MIT
/* ktctl bench: figures of engine and library, in one process, warm. */
#include <string.h>

#include "bench.h"
#include "cmd.h"

static const char *const keys[] = {
	[KTDEV_BENCH_RATIO] = "ratio", [KTDEV_BENCH_US] = "us", [KTDEV_BENCH_MB_S] = "mb_s",
};

bool ctl_bench_wanted(const struct ctl_bench *b, const char *name)
{
	return !b->only || !strncmp(name, b->only, strlen(b->only));
}

bool ctl_bench_group(const struct ctl_bench *b, const char *prefix)
{
	return ctl_bench_wanted(b, prefix) || !strncmp(prefix, b->only, strlen(prefix));
}

struct ktdev_bench_line *ctl_bench_line(struct ctl_bench *b, const char *name,
					enum ktdev_bench_kind kind, const char *against,
					const char *set, double want)
{
	struct ktdev_bench_line *line = &b->line[b->n < CTL_BENCH_LINES - 1 ? b->n++ : b->n];

	memset(line, 0, sizeof(*line));
	snprintf(line->name, sizeof(line->name), "%s", name);
	line->kind = kind;
	line->against = against;
	line->set = set;
	line->want = want;
	return line;
}

/* The engine measures all of its figures at once; keep those that are wanted. */
static int engine(struct ctl_bench *b)
{
	static const char *const groups[] = { "copy.", "fold.", "prepare." };
	struct ktdev_bench_line lines[KTDEV_BENCH_ENGINE_LINES];
	bool any = false;
	int n;

	for (size_t i = 0; i < CTL_ARRAY_SIZE(groups); i++)
		any |= ctl_bench_group(b, groups[i]);
	if (!any)
		return CTL_OK;
	ctl_progress(b->c, "engine");
	n = ktdev_bench_engine(lines, CTL_ARRAY_SIZE(lines));
	if (n < 0)
		return ctl_fail(b->c, CTL_INPUT, "bench: %s", strerror(-n));
	for (int i = 0; i < n; i++)
		if (ctl_bench_wanted(b, lines[i].name))
			b->line[b->n++] = lines[i];
	return CTL_OK;
}

static json_t *line_json(const struct ktdev_bench_line *l)
{
	json_t *o = json_object();

	ctl_set_str(o, "name", l->name);
	ctl_set_real(o, keys[l->kind], l->best);
	ctl_set_str(o, "against", l->against && *l->against ? l->against : NULL);
	ctl_set_real(o, "best", l->best);
	ctl_set_real(o, "median", l->median);
	ctl_set_str(o, "set", l->set && *l->set ? l->set : NULL);
	ctl_set(o, "want", l->want > 0 ? json_real(l->want) : json_null());
	return o;
}

/* A ratio or rate should be at least, a time at most what is wanted. */
static bool reached(const struct ktdev_bench_line *l)
{
	return l->kind == KTDEV_BENCH_US ? l->best <= l->want : l->best >= l->want;
}

static void print_line(const struct ctl *c, const struct ktdev_bench_line *l)
{
	bool ok = l->want <= 0 || reached(l);

	printf("%-22s %s%10.2f%s %10.2f %-5s", l->name,
	       ctl_on(c, stdout, ok ? CTL_GREEN : CTL_YELLOW), l->best, ctl_off(c, stdout),
	       l->median, ktdev_bench_unit(l->kind));
	if (l->want > 0)
		printf(" %8.2f", l->want);
	else
		printf(" %8s", "");
	printf("  %s%s%s\n", l->set ? l->set : "", l->against && *l->against ? ", against " : "",
	       l->against ? l->against : "");
}

int cmd_bench(struct ctl *c)
{
	static struct ctl_bench b;
	const char *dir = ctl_opt(c, "relayouts");
	json_t *doc, *list;
	int ret;

	b.c = c;
	b.only = ctl_opt(c, "only");
	ret = engine(&b);
	if (!ret)
		ret = ctl_bench_text(&b);
	if (!ret)
		ret = ctl_bench_r1(&b);
	if (!ret)
		ret = ctl_bench_derive(&b);
	if (!ret && dir)
		ret = ctl_bench_relayouts(&b, dir);
	ctl_progress(c, NULL);
	if (ret)
		return ret;
	if (!b.n)
		return ctl_fail(c, CTL_USAGE, "--only %s: no figure starts so",
				b.only ? b.only : "");
	if (c->json) {
		doc = ctl_doc("ktctl.bench/1", true);
		list = ctl_list(doc, "results");
		for (size_t i = 0; i < b.n; i++)
			json_array_append_new(list, line_json(&b.line[i]));
		return ctl_emit(c, doc);
	}
	printf("%-22s %10s %10s %-5s %8s  working set\n", "name", "best", "median", "unit", "want");
	for (size_t i = 0; i < b.n; i++)
		print_line(c, &b.line[i]);
	return CTL_OK;
}
