// SPDX-License-Identifier: MIT
/* The summary table of many relayouts. */
#include <string.h>

#include "batch.h"

static const char *const verdicts[] = {
	[CTL_NOT_RUN] = "-", [CTL_YES] = "yes", [CTL_NO] = "NO",
};

static json_t *verdict_json(enum ctl_verdict v)
{
	return v == CTL_NOT_RUN ? json_null() : json_boolean(v == CTL_YES);
}

/* What was moved: of a selection the value behind it. */
static const struct ktdev_classification *moved(const struct ctl_geometry *g)
{
	return g->cls && g->cls->then ? g->cls->then : g->cls;
}

static void row_json(json_t *list, const struct ctl_edge *e, const struct ctl_geometry *g,
		     const char *gap)
{
	const struct ktdev_classification *cls = g ? moved(g) : NULL;
	const char *name = e ? e->record : g ? g->base : NULL;
	json_t *o = json_object();

	ctl_set(o, "index", e && e->index >= 0 ? json_integer(e->index) : json_null());
	ctl_set_str(o, "record", name);
	ctl_set_str(o, "geometry", e ? e->geometry : name);
	ctl_set_str(o, "file", g ? g->path : NULL);
	ctl_set_str(o, "row", g && g->cls ? g->cls->row : NULL);
	ctl_set_str(o, "op", cls ? cls->op : NULL);
	ctl_set(o, "groups", cls ? json_integer(cls->groups) : json_null());
	ctl_set(o, "producers_per_group",
		cls ? json_integer(cls->producers_per_group) : json_null());
	ctl_set(o, "consumers_per_group",
		cls ? json_integer(cls->consumers_per_group) : json_null());
	ctl_set(o, "remote_bytes",
		cls ? json_integer((json_int_t)cls->cost.remote_bytes) : json_null());
	ctl_set(o, "lower_bound_bytes",
		cls ? json_integer((json_int_t)cls->cost.lower_bound_bytes) : json_null());
	ctl_set(o, "verifies", verdict_json(g ? g->verifies : CTL_NOT_RUN));
	ctl_set(o, "moves", verdict_json(g ? g->moves : CTL_NOT_RUN));
	ctl_set(o, "consumer", verdict_json(g ? g->consumer : CTL_NOT_RUN));
	ctl_set_str(o, "gap", gap && *gap ? gap : NULL);
	ctl_set_str(o, "assumed", e && *e->assumed ? e->assumed : NULL);
	ctl_set_str(o, "reason", g && g->cls ? g->cls->reason : NULL);
	ctl_set(o, "diagnostics", ctl_json_diags(g ? g->rep : NULL));
	json_array_append_new(list, o);
}

static void op_text(char *buf, size_t size, const struct ktdev_classification *cls,
		    const struct ctl_geometry *g)
{
	size_t n;

	if (!cls) {
		snprintf(buf, size, "-");
		return;
	}
	n = (size_t)snprintf(buf, size, "%s%s", g->cls->selected ? "select, " : "",
			     cls->op ? cls->op : cls->verdict);
	for (uint32_t i = 0; i < cls->n_split && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", i ? "," : " split ",
				      cls->split_axes[i]);
	for (uint32_t i = 0; i < cls->n_concat && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", i ? "," : " concat ",
				      cls->concat_axes[i]);
}

static void row_text(int width, const struct ctl_edge *e, const struct ctl_geometry *g,
		     const char *gap)
{
	const struct ktdev_classification *cls = g ? moved(g) : NULL;
	const char *name = e ? e->record : g ? g->base : "";
	char op[64], remote[32] = "-", bound[32] = "-", pc[32] = "-", groups[16] = "-";

	op_text(op, sizeof(op), cls, g);
	if (cls) {
		ctl_bytes(remote, sizeof(remote), cls->cost.remote_bytes);
		ctl_bytes(bound, sizeof(bound), cls->cost.lower_bound_bytes);
	}
	if (cls && cls->groups) {
		snprintf(pc, sizeof(pc), "%u x %u", cls->producers_per_group,
			 cls->consumers_per_group);
		snprintf(groups, sizeof(groups), "%u", cls->groups);
	}
	printf("%-*s %-9s %-3s %-32s %6s %9s %10s %10s  %-8s %-5s %s%s%s\n", width, name,
	       e ? e->geometry : "", g && g->cls ? g->cls->row : "-", op, groups, pc, remote,
	       bound, verdicts[g ? g->verifies : CTL_NOT_RUN],
	       verdicts[g ? g->moves : CTL_NOT_RUN], verdicts[g ? g->consumer : CTL_NOT_RUN],
	       *gap ? "      " : "", gap);
}

/* Records are short; of several ops of one file the names can be longer. */
static int name_width(const struct ctl_batch *b)
{
	size_t width = 12;

	for (size_t i = 0; i < b->n; i++)
		if (strlen(b->geo[i].base) > width)
			width = strlen(b->geo[i].base);
	return (int)width;
}

struct totals {
	uint64_t rows, classified, verifies, moves, consumer, gaps, remote;
};

static void add_row(const struct ctl_batch *b, json_t *list, struct totals *t,
		    const struct ctl_edge *e, const struct ctl_geometry *g, const char *gap)
{
	if (b->c->json)
		row_json(list, e, g, gap);
	else if (!b->c->quiet || (g && g->exit))
		row_text(name_width(b), e, g, gap);
	t->rows++;
	t->gaps += *gap != 0;
	if (!g)
		return;
	t->classified += g->cls ? 1 : 0;
	t->verifies += g->verifies == CTL_YES;
	t->moves += g->moves == CTL_YES;
	t->consumer += g->consumer == CTL_YES;
	if (g->cls)
		t->remote += moved(g)->cost.remote_bytes;
}

static const struct ctl_geometry *find(const struct ctl_batch *b, const char *name)
{
	for (size_t i = 0; i < b->n; i++)
		if (!strcmp(b->geo[i].base, name))
			return &b->geo[i];
	return NULL;
}

/* Rows of an index; numbers it leaves out are edges whose tables nobody knows. */
static void edge_rows(const struct ctl_batch *b, json_t *list, struct totals *t,
		      const struct ctl_edges *edges)
{
	int64_t next = 0;

	for (size_t i = 0; i < edges->n; i++) {
		const struct ctl_edge *e = &edges->edge[i];
		const struct ctl_geometry *g = find(b, e->geometry);

		for (; e->index >= 0 && next < e->index; next++) {
			char record[32];
			struct ctl_edge missing = {
				.index = next, .record = record, .geometry = "-", .assumed = ""
			};

			snprintf(record, sizeof(record), "#%lld", (long long)next);
			add_row(b, list, t, &missing, NULL, "tables not known");
		}
		if (e->index >= 0)
			next = e->index + 1;
		add_row(b, list, t, e, g, g ? g->gap : "no such geometry among the files");
	}
}

static void print_totals(const struct totals *t)
{
	char remote[32];

	printf("%llu %s: %llu classified, %llu verify, %llu move, %llu consumers agree, %llu %s; "
	       "%s remote\n", (unsigned long long)t->rows, ctl_plural(t->rows, "edge", "edges"),
	       (unsigned long long)t->classified, (unsigned long long)t->verifies,
	       (unsigned long long)t->moves, (unsigned long long)t->consumer,
	       (unsigned long long)t->gaps, ctl_plural(t->gaps, "gap", "gaps"),
	       ctl_bytes(remote, sizeof(remote), t->remote));
}

static json_t *totals_json(const struct totals *t)
{
	json_t *o = json_object();

	ctl_set_u64(o, "edges", t->rows);
	ctl_set_u64(o, "classified", t->classified);
	ctl_set_u64(o, "verifies", t->verifies);
	ctl_set_u64(o, "moves", t->moves);
	ctl_set_u64(o, "consumer", t->consumer);
	ctl_set_u64(o, "gaps", t->gaps);
	ctl_set_u64(o, "remote_bytes", t->remote);
	return o;
}

int ctl_batch_print(struct ctl_batch *b, const struct ctl_edges *edges)
{
	struct totals t = { .rows = 0 };
	json_t *list = NULL, *doc;
	int code = CTL_OK, ret;

	for (size_t i = 0; i < b->n; i++)
		code = b->geo[i].exit > code ? b->geo[i].exit : code;
	if (b->c->json)
		list = json_array();
	else if (!b->c->quiet)
		printf("%-*s %-9s %-3s %-32s %6s %9s %10s %10s  %-8s %-5s %-8s %s\n",
		       name_width(b), "record", "geometry", "row", "op", "groups", "P x C", "remote", "bound", "verifies",
		       "moves", "consumer", "gap");
	if (edges)
		edge_rows(b, list, &t, edges);
	else
		for (size_t i = 0; i < b->n; i++)
			add_row(b, list, &t, NULL, &b->geo[i], b->geo[i].gap);
	if (!b->c->json) {
		print_totals(&t);
		return code;
	}
	doc = ctl_doc("ktctl.batch/1", code == CTL_OK);
	ctl_set(doc, "edges", list);
	ctl_set(doc, "totals", totals_json(&t));
	ret = ctl_emit(b->c, doc);
	return ret ? ret : code;
}
