// SPDX-License-Identifier: MIT
/* Rule R1 over many groups: no public function gives it alone, so this looks into the library. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "lib/rules.h"

#define R1_TILES	4096

struct r1 {
	const struct ktdev_module *mod;
	struct ktdev_report *rep;
	const struct kt_op *produce;
	uint32_t *owner;
	int err;
};

static int find_produce(const struct kt_op *op, void *ctx)
{
	struct r1 *r = ctx;

	if (op->kind == KT_OP_PRODUCE)
		r->produce = op;
	return 0;
}

/* Evaluate the producers of every group, then the rule. */
static void do_r1(void *ctx)
{
	struct r1 *r = ctx;
	struct ktdev_verify_opts opts = { .size = sizeof(opts), .tiles = R1_TILES };
	struct kt_arena arena = { 0 };
	struct kt_produced prod = { .func = r->mod->funcs[0] };
	struct kt_check c = {
		.mod = r->mod, .src = &r->mod->src, .opts = &opts, .rep = r->rep, .arena = &arena,
		.n_tiles = R1_TILES, .owner = r->owner, .op = r->produce, .prod = &prod,
	};
	int err = kt_facts_produce(&c, &prod);

	if (!err)
		kt_rule_r1(&c);
	kt_arena_fini(&arena);
	r->err = err ? err : r->err;
}

int ctl_bench_r1(struct ctl_bench *b)
{
	struct ktdev_report *rep;
	struct ktdev_module *mod = NULL;
	struct r1 r = { .mod = NULL };
	char *text;
	int ret = CTL_OK;

	if (!ctl_bench_wanted(b, "r1.us.4096"))
		return CTL_OK;
	rep = ktdev_report_new();
	r.rep = rep;
	text = ctl_bench_program(R1_TILES);
	r.owner = calloc(R1_TILES, sizeof(*r.owner));
	if (!rep || !text || !r.owner ||
	    ktdev_module_parse("bench", text, strlen(text), rep, &mod)) {
		ret = ctl_no_memory(b->c);
	} else {
		r.mod = mod;
		kt_region_walk(&mod->funcs[0]->body, find_produce, &r);
		ktdev_bench_compare(ctl_bench_line(b, "r1.us.4096", KTDEV_BENCH_US, "",
						   "4096 tiles in 1024 groups", 40),
				    do_r1, NULL, &r);
		if (r.err || ktdev_report_total(rep, KTDEV_ERROR))
			ret = ctl_fail_report(b->c, CTL_INPUT, rep, "bench: r1.us.4096: %s",
					      strerror(-r.err));
	}
	ktdev_module_free(mod);
	ktdev_report_free(rep);
	free(text);
	free(r.owner);
	return ret;
}
