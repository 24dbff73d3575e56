// SPDX-License-Identifier: MIT
/* ktctl dump PLAN: what a compiled plan holds. */
#include <stdlib.h>

#include "cmd.h"
#include "compile.h"

#define SHOWN	4	/* values of each direction without -v */

static void print_value(const struct ktdev_value *v)
{
	char size[32];
	const char *way = v->output ? "out" : v->derived ? "-" : "in";

	printf("    %-3s %-14s %-6s", way, v->name, v->dtype);
	for (uint32_t k = 0; k < v->rank; k++)
		printf("%s%u", k ? "x" : " ", v->shape[k]);
	printf(", %s", ctl_bytes(size, sizeof(size), v->bytes));
	if (v->tile != UINT32_MAX)
		printf(", tile %u", v->tile);
	if (v->placed)
		printf(", placed by the library");
	putchar('\n');
}

static void print_values(const struct ctl *c, const struct ktdev_plan *plan, uint32_t n,
			 uint32_t step, bool output)
{
	uint32_t shown = 0, count = 0;
	struct ktdev_value v;

	for (uint32_t i = 0; i < n; i++) {
		if (ktdev_plan_value(plan, i, &v) || v.step != step || v.output != output)
			continue;
		count++;
		if (!c->verbose && shown == SHOWN)
			continue;
		print_value(&v);
		shown++;
	}
	if (count > shown)
		printf("    ... and %u more (-v)\n", count - shown);
}

static void print_step(const struct ctl *c, const struct ktdev_plan *plan, uint32_t values,
		       uint32_t i)
{
	struct ktdev_step_info s;
	char image[32], stage[32];

	if (ktdev_plan_step(plan, i, &s))
		return;
	printf("  step %u: %s%s%s\n", i, s.op, *s.func ? " in @" : "", s.func);
	printf("    %u %s, %u %s, %u %s, %u %s; image %s, staging %s a tile\n", s.spaces,
	       ctl_plural(s.spaces, "space", "spaces"), s.sources,
	       ctl_plural(s.sources, "source", "sources"), s.dests,
	       ctl_plural(s.dests, "destination", "destinations"), s.edges,
	       ctl_plural(s.edges, "pair", "pairs"), ctl_bytes(image, sizeof(image), s.image_bytes),
	       ctl_bytes(stage, sizeof(stage), s.stage_bytes));
	print_values(c, plan, values, i, false);
	print_values(c, plan, values, i, true);
}

static int print_plan(struct ctl *c, const struct ktdev_plan *plan)
{
	struct ktdev_plan_info info;
	struct ktdev_stats stats;
	char window[32];

	ktdev_plan_info(plan, &info);
	if (ktdev_plan_stats(plan, NULL, &stats))
		return ctl_no_memory(c);
	printf("plan of %s (%s): %u %s, %u %s of %s, %s\n", info.source, info.kind, info.steps,
	       ctl_plural(info.steps, "step", "steps"), info.tiles,
	       ctl_plural(info.tiles, "tile", "tiles"),
	       ctl_bytes(window, sizeof(window), info.window),
	       info.per_tile ? "per-tile" : "barrier");
	for (uint32_t i = 0; i < info.steps; i++)
		print_step(c, plan, info.values, i);
	ctl_print_stats(&stats);
	return CTL_OK;
}

int cmd_dump(struct ctl *c)
{
	struct ctl_input in;
	char *text;
	size_t len;
	int ret = ctl_input(c, c->argv[0], NULL, &in);

	if (!ret && in.kind != CTL_PLAN)
		ret = ctl_fail(c, CTL_INPUT, "%s: not a compiled plan\n"
			       "ktctl compile %s -o OUT makes one", in.name, in.name);
	if (!ret && !c->json) {
		ret = print_plan(c, in.plan);
	} else if (!ret) {
		if (ktdev_plan_to_json(in.plan, &text, &len)) {
			ret = ctl_no_memory(c);
		} else {
			json_t *doc = json_loadb(text, len, 0, NULL);

			free(text);
			ret = ctl_emit(c, doc);
		}
	}
	ctl_input_free(&in);
	return ret;
}
