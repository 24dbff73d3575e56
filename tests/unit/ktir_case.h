/* SPDX-License-Identifier: MIT */
/*
 * Small KTIR programs for the tests of the library: text in, plan or findings out.
 */
#ifndef KTIR_CASE_H
#define KTIR_CASE_H

#include "../tap.h"
#include "compile.h"

/* Sets and maps every case may use. T tiles 0..3, one group. */
#define SETS									\
	"#one = affine_set<(g) : (g == 0)>\n"					\
	"#two = affine_set<(g) : (g >= 0, -g + 1 >= 0)>\n"			\
	"#four = affine_set<(t)[g] : (t >= 0, -t + 3 >= 0)>\n"			\
	"#first = affine_set<(t)[g] : (t == 0)>\n"				\
	"#last = affine_set<(t)[g] : (t == 7)>\n"				\
	"#pair = affine_set<(t)[g] : (t - 2 * g >= 0, -t + 2 * g + 1 >= 0)>\n"	\
	"#b16 = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>\n"			\
	"#b64 = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>\n"

/* A function over 8 tiles. */
#define FUNC(body)								\
	"module attributes {grid = [8]} {\nfunc.func @f(%arg: index) {\n"	\
	"%c0 = arith.constant 0 : index\n%c16 = arith.constant 16 : index\n"	\
	"%c64 = arith.constant 64 : index\n%c128 = arith.constant 128 : index\n"	\
	"%c4 = arith.constant 4 : index\n%c1 = arith.constant 1 : index\n"	\
	"%tid = ktdp.get_compute_tile_id : index\n" body "return\n}\n}\n"

/* View and access tile of SIZE i32 elements at BASE: names NAME_v and NAME. */
#define VIEW(name, base, size)							\
	"%" name "_v = ktdp.construct_memory_view " base ", sizes: [" size "], strides: [1] {" \
	"memory_space = #ktdp.memory_space<ct_local>} : memref<" size "xi32>\n"	\
	"%" name " = ktdp.construct_access_tile %" name "_v[%c0] {access_tile_set = #b" size \
	"} : memref<" size "xi32> -> !ktdp.access_tile<" size "xindex>\n"
#define LOAD(value, at, size)							\
	"%" value " = ktdp.load %" at " : !ktdp.access_tile<" size "xindex> -> tensor<" size "xi32>\n"
#define STORE(value, at, size)							\
	"ktdp.store %" value ", %" at " : tensor<" size "xi32>, !ktdp.access_tile<" size "xindex>\n"
#define PRODUCE(fut, value, tiles, groups)					\
	"%" fut " = ktdp.inter_tile_produce producer_tiles_per_group = " tiles	\
	" -> !ktdp.tile_future<(tensor<16xi32>), groups = " groups "> {\n^bb0(%gid: index):\n" \
	"ktdp.yield_partial %" value " : tensor<16xi32>\n}\n"
#define GATHER(res, fut, tiles, groups, size)					\
	"%" res " = ktdp.inter_tile_gather(%" fut ") consumer_tiles_per_group = " tiles \
	", gather_dimensions = [0] : !ktdp.tile_future<(tensor<16xi32>), groups = " groups \
	"> -> tensor<" size "xi32>\n"
#define CONSUME(res, fut, tiles, groups)					\
	"%" res " = ktdp.inter_tile_consume(%" fut ") consumer_tiles_per_group = " tiles \
	" : !ktdp.tile_future<(tensor<16xi32>), groups = " groups "> -> tensor<16xi32>\n"

struct ktir_case {
	struct ktdev_report *rep;
	struct ktdev_module *mod;
	struct kt_compiled c;
	int ret;			/* of compiling */
};

/* Parse and compile; @opts may be NULL. */
static TAP_UNUSED void case_init(struct ktir_case *k, const char *text,
				 const struct ktdev_compile_opts *opts)
{
	memset(k, 0, sizeof(*k));
	k->rep = ktdev_report_new();
	k->ret = ktdev_module_parse("case", text, strlen(text), k->rep, &k->mod);
	if (k->ret) {
		size_t i;

		for (i = 0; i < ktdev_report_count(k->rep); i++)
			diag("%u: %s", ktdev_report_get(k->rep, i)->range.line,
			     ktdev_report_get(k->rep, i)->message);
		bail_out("the case does not parse:\n%s", text);
	}
	k->ret = kt_compile(k->mod, opts, k->rep, &k->c);
}

static TAP_UNUSED void case_fini(struct ktir_case *k)
{
	kt_compiled_fini(&k->c);
	ktdev_module_free(k->mod);
	ktdev_report_free(k->rep);
}

/* The first finding of a rule ("-": without a rule) and severity, or NULL. */
static TAP_UNUSED const struct ktdev_diag *case_find(const struct ktir_case *k, const char *rule,
						     enum ktdev_severity sev)
{
	size_t i;

	for (i = 0; i < ktdev_report_count(k->rep); i++) {
		const struct ktdev_diag *d = ktdev_report_get(k->rep, i);

		if (d->severity == sev && !strcmp(d->rule ? d->rule : "-", rule))
			return d;
	}
	return NULL;
}

static TAP_UNUSED void case_findings(const struct ktir_case *k)
{
	size_t i;

	for (i = 0; i < ktdev_report_count(k->rep); i++) {
		const struct ktdev_diag *d = ktdev_report_get(k->rep, i);

		diag("%u:%u severity %d %s: %s", d->range.line, d->range.col, d->severity,
		     d->rule ? d->rule : "-", d->message);
	}
}

/* Compiling must give @ret, and if @rule is not NULL a finding with these words and tile. */
static TAP_UNUSED void case_expect(const char *name, const char *text, int ret, const char *rule,
				   enum ktdev_severity sev, const char *words, int64_t tile)
{
	const struct ktdev_diag *d;
	struct ktir_case k;
	bool good;

	case_init(&k, text, NULL);
	d = rule ? case_find(&k, rule, sev) : NULL;
	good = k.ret == ret && (!rule || (d && strstr(d->message, words) && d->tile == tile));
	ok(good, "%s", name);
	if (!good) {
		diag("returned %d, wanted %d", k.ret, ret);
		case_findings(&k);
	}
	case_fini(&k);
}

#endif /* KTIR_CASE_H */
