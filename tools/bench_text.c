// SPDX-License-Identifier: MIT
/* How fast programs are read, verified and compiled. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define READ_BYTES	(1u << 20)

char *ctl_bench_program(unsigned int tiles)
{
	static const char form[] =
		"// %u groups; producers are the even tiles 4g and 4g+2, every tile 4g..4g+3 receives.\n"
		"// Each producer's piece is 32 x 16 at element 0 of its own scratchpad; the assembled\n"
		"// 64 x 16 lands at element 1024: rows 0..31 from 4g, rows 32..63 from 4g+2.\n"
		"#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0, i mod 2 == 0)>\n"
		"#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>\n"
		"#groups    = affine_set<(g) : (g >= 0, -g + %u >= 0)>\n"
		"#piece     = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 15 >= 0)>\n"
		"#region    = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 15 >= 0)>\n"
		"#id2       = affine_map<(d0, d1) -> (d0, d1)>\n"
		"module attributes {grid = [%u]} {\n"
		"  func.func @gather() {\n"
		"    %%c0  = arith.constant 0 : index\n"
		"    %%dst = arith.constant 1024 : index\n"
		"    // ct_local without ct_id is the executing tile's own scratchpad.\n"
		"    %%view = ktdp.construct_memory_view %%c0, sizes: [32, 16], strides: [16, 1] {\n"
		"        coordinate_set = #piece, memory_space = #ktdp.memory_space<ct_local>\n"
		"    } : memref<32x16xf16>\n"
		"    %%at = ktdp.construct_access_tile %%view[%%c0, %%c0] {\n"
		"        access_tile_set = #piece, access_tile_order = #id2\n"
		"    } : memref<32x16xf16> -> !ktdp.access_tile<32x16xindex>\n"
		"    %%mine = ktdp.load %%at : !ktdp.access_tile<32x16xindex> -> tensor<32x16xf16>\n"
		"    %%future = ktdp.inter_tile_produce producer_tiles_per_group = #producers\n"
		"        -> !ktdp.tile_future<(tensor<32x16xf16>), groups = #groups>\n"
		"    {\n"
		"      ^bb0(%%gid: index):\n"
		"        ktdp.yield_partial %%mine : tensor<32x16xf16>\n"
		"    }\n"
		"    %%whole = ktdp.inter_tile_gather(%%future)\n"
		"        consumer_tiles_per_group = #consumers, gather_dimensions = [0]\n"
		"        : !ktdp.tile_future<(tensor<32x16xf16>), groups = #groups> -> tensor<64x16xf16>\n"
		"    %%out = ktdp.construct_memory_view %%dst, sizes: [64, 16], strides: [16, 1] {\n"
		"        coordinate_set = #region, memory_space = #ktdp.memory_space<ct_local>\n"
		"    } : memref<64x16xf16>\n"
		"    %%out_at = ktdp.construct_access_tile %%out[%%c0, %%c0] {\n"
		"        access_tile_set = #region, access_tile_order = #id2\n"
		"    } : memref<64x16xf16> -> !ktdp.access_tile<64x16xindex>\n"
		"    ktdp.store %%whole, %%out_at : tensor<64x16xf16>, !ktdp.access_tile<64x16xindex>\n"
		"    return\n"
		"  }\n"
		"}\n";
	char *text;

	return asprintf(&text, form, tiles / 4, tiles / 4 - 1, tiles) < 0 ? NULL : text;
}

struct program {
	char *text;
	size_t len;
	unsigned int tiles;
	struct ktdev_report *rep;
	struct ktdev_module *mod;
	int err;
};

static void do_read(void *ctx)
{
	struct program *p = ctx;
	struct ktdev_module *mod = NULL;
	int err = ktdev_module_parse("bench", p->text, p->len, p->rep, &mod);

	ktdev_module_free(mod);
	p->err = err ? err : p->err;
}

static void do_verify(void *ctx)
{
	struct program *p = ctx;
	struct ktdev_verify_opts opts = { .size = sizeof(opts), .tiles = p->tiles };
	int err = ktdev_verify(p->mod, &opts, p->rep);

	p->err = err ? err : p->err;
}

/* Compiling verifies first. */
static void do_compile(void *ctx)
{
	struct program *p = ctx;
	struct ktdev_compile_opts opts = {
		.size = sizeof(opts), .tiles = p->tiles, .cores = p->tiles, .uncapped = true,
	};
	struct ktdev_plan *plan = NULL;
	int err = ktdev_plan_from_module(p->mod, &opts, p->rep, &plan);

	ktdev_plan_free(plan);
	p->err = err ? err : p->err;
}

static int setup(struct ctl_bench *b, struct program *p)
{
	memset(p, 0, sizeof(*p));
	p->rep = ktdev_report_new();
	return p->rep ? CTL_OK : ctl_no_memory(b->c);
}

static int finish(struct ctl_bench *b, struct program *p, int ret)
{
	if (!ret && p->err)
		ret = ctl_fail_report(b->c, CTL_INPUT, p->rep, "bench: the program of %u tiles: %s",
				      p->tiles, strerror(-p->err));
	ktdev_module_free(p->mod);
	ktdev_report_free(p->rep);
	free(p->text);
	return ret;
}

static int verify_line(struct ctl_bench *b, unsigned int tiles, bool compile, double want)
{
	struct program p;
	char name[40];
	int ret;

	snprintf(name, sizeof(name), "%s.us.%u", compile ? "compile" : "verify", tiles);
	if (!ctl_bench_wanted(b, name))
		return CTL_OK;
	ctl_progress(b->c, "%s", name);
	ret = setup(b, &p);
	if (ret)
		return ret;
	p.tiles = tiles;
	p.text = ctl_bench_program(tiles);
	p.len = p.text ? strlen(p.text) : 0;
	p.err = p.text ? ktdev_module_parse("bench", p.text, p.len, p.rep, &p.mod) : 0;
	if (p.mod)
		ktdev_bench_compare(ctl_bench_line(b, name, KTDEV_BENCH_US, "", compile ?
						   "one gather, verified and compiled" :
						   "one gather, all rules", want),
				    compile ? do_compile : do_verify, NULL, &p);
	return finish(b, &p, ret);
}

/* Many copies of a program, each in a module of its own. */
static int read_line(struct ctl_bench *b)
{
	struct ktdev_bench_line *line;
	struct program p;
	char *one;
	size_t len;
	int ret;

	if (!ctl_bench_wanted(b, "read.mb_s"))
		return CTL_OK;
	ctl_progress(b->c, "read.mb_s");
	ret = setup(b, &p);
	if (ret)
		return ret;
	p.tiles = 32;
	one = ctl_bench_program(32);
	if (!one)
		return finish(b, &p, ctl_no_memory(b->c));
	/* aliases are the file's: one set of them, then the modules */
	len = strlen(one);
	p.text = malloc(READ_BYTES + len + 1);
	if (!p.text) {
		free(one);
		return finish(b, &p, ctl_no_memory(b->c));
	}
	memcpy(p.text, one, len);
	p.len = len;
	while (p.len < READ_BYTES) {
		const char *module = strstr(one, "module attributes");
		size_t n = len - (size_t)(module - one);

		memcpy(p.text + p.len, module, n);
		p.len += n;
	}
	free(one);
	line = ctl_bench_line(b, "read.mb_s", KTDEV_BENCH_US, "", "1 MiB of programs", 300);
	ktdev_bench_compare(line, do_read, NULL, &p);
	line->kind = KTDEV_BENCH_MB_S;
	line->best = (double)p.len / line->best;
	line->median = (double)p.len / line->median;
	return finish(b, &p, ret);
}

int ctl_bench_text(struct ctl_bench *b)
{
	static const struct {
		unsigned int tiles;
		bool compile;
		double want;
	} runs[] = {
		{ 32, false, 50 }, { 256, false, 0 }, { 1024, false, 0 }, { 4096, false, 5000 },
		{ 32, true, 50 }, { 256, true, 0 }, { 1024, true, 0 }, { 4096, true, 0 },
	};
	int ret = read_line(b);

	for (size_t i = 0; !ret && i < CTL_ARRAY_SIZE(runs); i++)
		ret = verify_line(b, runs[i].tiles, runs[i].compile, runs[i].want);
	return ret;
}
