// SPDX-License-Identifier: MIT
/* A classification, for people and as ktctl.classification/1. */
#include <string.h>

#include "classify_out.h"

#define SHOWN_GROUPS	4
#define SHOWN_TILES	16

void ctl_print_tiles(FILE *f, const uint32_t *tiles, uint32_t n)
{
	uint32_t i = 0, shown = 0;

	if (!n)
		fputs("none", f);
	while (i < n) {
		uint32_t step = i + 1 < n ? tiles[i + 1] - tiles[i] : 0, len = 1;

		while (i + len < n && tiles[i + len] - tiles[i + len - 1] == step)
			len++;
		if (shown++)
			fputc(',', f);
		if (shown > SHOWN_TILES) {
			fprintf(f, "... (%u in all)", n);
			return;
		}
		if (len < 3) {
			fprintf(f, "%u", tiles[i]);
			i++;
			continue;
		}
		fprintf(f, "%u..%u", tiles[i], tiles[i + len - 1]);
		if (step > 1)
			fprintf(f, "/%u", step);
		i += len;
	}
}

static json_t *names_json(const char *const *names, uint32_t n)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(list, json_string(names[i]));
	return list;
}

static json_t *axes_json(const struct ktdev_classification *cls)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < cls->n_axes; i++) {
		const struct ktdev_axis_row *a = &cls->axes[i];
		json_t *o = json_object();

		ctl_set_str(o, "name", a->name);
		ctl_set_u64(o, "extent", a->extent);
		ctl_set_u64(o, "ns", a->ns);
		ctl_set_u64(o, "nd", a->nd);
		ctl_set_str(o, "relation", a->relation);
		ctl_set_u64(o, "fanin", a->fanin);
		ctl_set_u64(o, "fanout", a->fanout);
		ctl_set_bool(o, "uniform", a->uniform);
		ctl_set_u64(o, "gcd", a->gcd);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *tiles_json(const uint32_t *tiles, uint32_t n)
{
	json_t *list = json_array();

	for (uint32_t i = 0; tiles && i < n; i++)
		json_array_append_new(list, json_integer(tiles[i]));
	return list;
}

static json_t *sets_json(const struct ktdev_classification *cls)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < cls->n_groups; i++) {
		const struct ktdev_group *g = &cls->group[i];
		json_t *o = json_object();

		ctl_set(o, "producers", tiles_json(g->producers, g->n_producers));
		ctl_set(o, "consumers", tiles_json(g->consumers, g->n_consumers));
		ctl_set(o, "dependency", g->dep ? tiles_json(g->dep, g->n_consumers) : json_null());
		json_array_append_new(list, o);
	}
	return list;
}

/* The affine sets of every delivery. */
static json_t *ops_json(const struct ktdev_classification *cls)
{
	json_t *list = json_array();
	struct ktdev_op_sets s;

	for (uint32_t i = 0; i < cls->ops_needed && !ktdev_classification_sets(cls, i, &s); i++) {
		json_t *o = json_object();

		ctl_set_str(o, "op", s.op);
		ctl_set_str(o, "groups", s.groups);
		ctl_set_str(o, "producers", s.producers);
		ctl_set_str(o, "consumers", s.consumers);
		ctl_set_str(o, "dependency", s.dep);
		json_array_append_new(list, o);
		ktdev_op_sets_free(&s);
	}
	return list;
}

static json_t *box_json(const struct ktdev_relayout_info *info,
			const struct ktdev_classification *cls)
{
	json_t *o = json_object(), *start = json_object(), *size = json_object();

	for (uint32_t i = 0; i < info->rank; i++) {
		ctl_set_u64(start, info->axes[i].name, cls->select_start[i]);
		ctl_set_u64(size, info->axes[i].name, cls->select_size[i]);
	}
	ctl_set(o, "start", start);
	ctl_set(o, "size", size);
	return o;
}

static void set_classification(json_t *o, const struct ktdev_relayout_info *info,
			       const struct ktdev_classification *cls)
{
	ctl_set_str(o, "row", cls->row);
	ctl_set_str(o, "verdict", cls->verdict);
	ctl_set_str(o, "op", cls->op);
	ctl_set_u64(o, "ops_needed", cls->ops_needed);
	ctl_set(o, "split_axes", names_json(cls->split_axes, cls->n_split));
	ctl_set(o, "concat_axes", names_json(cls->concat_axes, cls->n_concat));
	ctl_set_u64(o, "groups", cls->groups);
	ctl_set_u64(o, "producers_per_group", cls->producers_per_group);
	ctl_set_u64(o, "consumers_per_group", cls->consumers_per_group);
	ctl_set_u64(o, "k", cls->k);
	ctl_set_u64(o, "m", cls->m);
	ctl_set_u64(o, "components", cls->components);
	ctl_set_u64(o, "replicas", cls->replicas);
	ctl_set_u64(o, "max_fanin", cls->max_fanin);
	ctl_set_u64(o, "max_fanout", cls->max_fanout);
	ctl_set(o, "axes", axes_json(cls));
	ctl_set_bool(o, "needs_dependency", cls->needs_dependency);
	ctl_set_str(o, "elected", cls->elected);
	ctl_set_u64(o, "transfers", cls->cost.transfers);
	ctl_set_u64(o, "injections", cls->cost.injections);
	ctl_set_u64(o, "bytes_delivered", cls->cost.delivered_bytes);
	ctl_set_u64(o, "remote_bytes", cls->cost.remote_bytes);
	ctl_set_u64(o, "injected_bytes", cls->cost.injected_bytes);
	ctl_set_u64(o, "lower_bound_bytes", cls->cost.lower_bound_bytes);
	ctl_set_u64(o, "host_bytes", cls->cost.host_bytes);
	ctl_set_str(o, "reason", cls->reason);
	if (cls->selected)
		ctl_set(o, "select", box_json(info, cls));
	if (cls->then) {
		json_t *then = json_object();

		set_classification(then, info, cls->then);
		ctl_set(o, "then", then);
	}
	ctl_set(o, "ops", ops_json(cls));
	ctl_set(o, "sets", sets_json(cls));
}

json_t *ctl_classification_json(const struct ktdev_relayout *rel,
				const struct ktdev_classification *cls)
{
	json_t *doc = ctl_doc("ktctl.classification/1", true);
	struct ktdev_relayout_info info;

	ktdev_relayout_info(rel, &info);
	ctl_set_str(doc, "name", info.name);
	ctl_set_u64(doc, "cores", info.cores);
	ctl_set_str(doc, "dtype", info.dtype);
	set_classification(doc, &info, cls);
	ctl_set_str(doc, "source_view", info.view[KTDEV_SOURCE]);
	ctl_set_str(doc, "destination_view", info.view[KTDEV_DESTINATION]);
	ctl_set(doc, "notes", names_json(info.notes, info.n_notes));
	return doc;
}

static void print_list(const char *const *names, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		printf("%s%s", i ? "," : "", names[i]);
}

static void print_axes(const struct ktdev_classification *cls)
{
	int width = 4;

	for (uint32_t i = 0; i < cls->n_axes; i++)
		if ((int)strlen(cls->axes[i].name) > width)
			width = (int)strlen(cls->axes[i].name);
	if (!cls->n_axes)
		return;
	printf("  %-*s %10s %6s %6s  %-10s %6s %7s %5s\n", width, "axis", "extent", "Ns", "Nd",
	       "relation", "fan-in", "fan-out", "gcd");
	for (uint32_t i = 0; i < cls->n_axes; i++) {
		const struct ktdev_axis_row *a = &cls->axes[i];

		printf("  %-*s %10u %6u %6u  %-10s %6u %7u %5u%s\n", width, a->name, a->extent,
		       a->ns, a->nd, a->relation, a->fanin, a->fanout, a->gcd,
		       a->uniform ? "" : "  ragged");
	}
}

static void print_verdict(const struct ctl *c, const struct ktdev_classification *cls)
{
	bool moves = !cls->op || strcmp(cls->op, "no-op");

	printf("  %srow %s%s: ", ctl_on(c, stdout, CTL_BOLD), cls->row, ctl_off(c, stdout));
	if (!cls->op)
		printf("%s", cls->verdict);
	else
		printf("%s%s%s", ctl_on(c, stdout, CTL_GREEN), cls->op, ctl_off(c, stdout));
	if (moves && cls->n_split) {
		printf(", split [");
		print_list(cls->split_axes, cls->n_split);
		putchar(']');
	}
	if (moves && cls->n_concat) {
		printf(", concat [");
		print_list(cls->concat_axes, cls->n_concat);
		putchar(']');
	}
	if (cls->op && cls->groups)
		printf(", %u %s, P = %u, C = %u", cls->groups,
		       ctl_plural(cls->groups, "group", "groups"), cls->producers_per_group,
		       cls->consumers_per_group);
	if (cls->ops_needed > 1)
		printf(", %u ops", cls->ops_needed);
	if (cls->needs_dependency)
		printf(", with a dependency set");
	if (cls->elected)
		printf(", producers elected: %s", cls->elected);
	printf("\n  because %s\n", cls->reason);
}

static void print_cost(const struct ktdev_cost *cost)
{
	char d[32], r[32], b[32];

	printf("  %s delivered, %s remote (lower bound %s), %llu %s in %llu %s\n",
	       ctl_bytes(d, sizeof(d), cost->delivered_bytes),
	       ctl_bytes(r, sizeof(r), cost->remote_bytes),
	       ctl_bytes(b, sizeof(b), cost->lower_bound_bytes),
	       (unsigned long long)cost->transfers,
	       ctl_plural(cost->transfers, "transfer", "transfers"),
	       (unsigned long long)cost->injections,
	       ctl_plural(cost->injections, "injection", "injections"));
}

static void print_groups(const struct ctl *c, const struct ktdev_classification *cls)
{
	uint32_t n = cls->n_groups;

	if (!c->verbose && n > SHOWN_GROUPS)
		n = SHOWN_GROUPS;
	for (uint32_t i = 0; i < n; i++) {
		const struct ktdev_group *g = &cls->group[i];

		printf("  group %-3u ", i);
		ctl_print_tiles(stdout, g->producers, g->n_producers);
		printf(" -> ");
		ctl_print_tiles(stdout, g->consumers, g->n_consumers);
		for (uint32_t k = 0; g->dep && k < g->n_consumers; k++)
			printf("%s%u from %u", k ? ", " : ": ", g->consumers[k], g->dep[k]);
		putchar('\n');
	}
	if (cls->n_groups > n)
		printf("  ... and %u more groups (-v)\n", cls->n_groups - n);
}

static void print_sets(const struct ktdev_classification *cls)
{
	struct ktdev_op_sets s;

	for (uint32_t i = 0; i < cls->ops_needed && !ktdev_classification_sets(cls, i, &s); i++) {
		printf("  op %u       %s\n    groups     %s\n", i, s.op, s.groups);
		printf("    producers  %s\n    consumers  %s\n", s.producers, s.consumers);
		if (s.dep)
			printf("    dependency %s\n", s.dep);
		ktdev_op_sets_free(&s);
	}
}

static void print_box(const struct ktdev_relayout_info *info,
		      const struct ktdev_classification *cls)
{
	printf("  select");
	for (uint32_t i = 0; i < info->rank; i++)
		printf(" %s %u..%u", info->axes[i].name, cls->select_start[i],
		       cls->select_start[i] + cls->select_size[i] - 1);
	printf(", then:\n");
}

static void print_one(const struct ctl *c, const struct ktdev_relayout_info *info,
		      const struct ktdev_classification *cls)
{
	print_axes(cls);
	print_verdict(c, cls);
	if (cls->selected)
		print_box(info, cls);
	if (cls->then) {
		print_one(c, info, cls->then);
		return;
	}
	print_cost(&cls->cost);
	print_groups(c, cls);
	if (c->verbose)
		print_sets(cls);
}

void ctl_print_classification(const struct ctl *c, const struct ktdev_relayout *rel,
			      const struct ktdev_classification *cls)
{
	struct ktdev_relayout_info info;

	ktdev_relayout_info(rel, &info);
	printf("%s%s%s: %u cores, %s", ctl_on(c, stdout, CTL_BOLD),
	       info.name ? info.name : "relayout", ctl_off(c, stdout), info.cores, info.dtype);
	for (uint32_t i = 0; i < info.rank; i++)
		printf("%s %s %u", i ? "," : ";", info.axes[i].name, info.axes[i].extent);
	putchar('\n');
	for (uint32_t i = 0; i < info.n_notes; i++)
		printf("  %snote:%s %s\n", ctl_on(c, stdout, CTL_BLUE), ctl_off(c, stdout),
		       info.notes[i]);
	print_one(c, &info, cls);
}
