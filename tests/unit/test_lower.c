// SPDX-License-Identifier: MIT
/*
 * Lowering: the entries of each delivery, staging, saves, chains, and what does not fit.
 */
#include "ktir_case.h"

#include <errno.h>

struct view {
	const struct kte_image_header *h;
	const struct kte_space *sp;
	const struct kte_entry *src, *dst;
};

static struct view view_of(const struct ktir_case *k, uint32_t step)
{
	struct view v = { .h = k->c.plan->steps[step].image };

	v.sp = (const struct kte_space *)(v.h + 1);
	v.src = (const struct kte_entry *)(v.sp + v.h->n_spaces);
	v.dst = v.src + v.h->n_sources;
	return v;
}

/* Compile a case that must compile; false if it does not. */
static bool good(struct ktir_case *k, const char *name, const char *text)
{
	case_init(k, text, NULL);
	if (ok(!k->ret, "%s: compiles", name))
		return true;
	case_findings(k);
	return false;
}

static void counts(const char *name, const char *text, uint32_t spaces, uint32_t sources,
		   uint32_t dests, uint32_t edges)
{
	struct ktir_case k;

	if (good(&k, name, text)) {
		struct view v = view_of(&k, 0);

		if (!ok(v.h->n_spaces == spaces && v.h->n_sources == sources &&
			v.h->n_dests == dests && v.h->n_edges == edges,
			"%s: %u spaces, %u sources, %u destinations, %u edges", name, spaces,
			sources, dests, edges))
			diag("got %u %u %u %u", v.h->n_spaces, v.h->n_sources, v.h->n_dests,
			     v.h->n_edges);
	}
	case_fini(&k);
}

#define SRC	VIEW("a", "%c0", "16") LOAD("x", "a", "16")
#define TAIL(dims, dep) dims dep " : !ktdp.tile_future<(tensor<16xi32>), groups = #one> -> "

static void test_forms(void)
{
	counts("consume", SETS FUNC(SRC PRODUCE("p", "x", "#first", "#one")
				    CONSUME("r", "p", "#four", "#one")), 1, 1, 4, 1);
	counts("all-gather", SETS FUNC(SRC PRODUCE("p", "x", "#four", "#one")
				       GATHER("r", "p", "#four", "#one", "64")), 1, 4, 4, 4);
	counts("two groups are two spaces", SETS FUNC(SRC PRODUCE("p", "x", "#pair", "#two")
				       GATHER("r", "p", "#pair", "#two", "32")), 2, 4, 4, 4);
	counts("scatter", SETS FUNC(SRC PRODUCE("p", "x", "#first", "#one")
		"%r = ktdp.inter_tile_scatter(%p) consumer_tiles_per_group = #four, "
		TAIL("scatter_dimensions = [0]", "") "tensor<4xi32>\n"), 1, 1, 4, 4);
	counts("all-to-all on one axis: who and where are two axes, an entry per consumer",
	       SETS FUNC(SRC PRODUCE("p", "x", "#four", "#one")
		"%r = ktdp.inter_tile_all_to_all(%p) consumer_tiles_per_group = #four, "
		TAIL("split_dimensions = [0], concat_dimensions = [0]", "") "tensor<16xi32>\n"),
	       1, 4, 4, 16);
	counts("a permutation: one space per producer",
	       SETS FUNC(SRC PRODUCE("p", "x", "#four", "#one")
		"%r = ktdp.inter_tile_consume(%p) consumer_tiles_per_group = #four, "
		TAIL("producer_dependency_per_consumer = affine_set<(p)[c, g] : (p >= 0, -p + 3 >= 0, "
		     "(p - c - 1) mod 4 == 0)>", "") "tensor<16xi32>\n"), 4, 4, 4, 4);
	counts("equal dependency subsets share a space",
	       SETS FUNC(SRC PRODUCE("p", "x", "#four", "#one")
		"%r = ktdp.inter_tile_gather(%p) consumer_tiles_per_group = #four, "
		TAIL("gather_dimensions = [0], ", "producer_dependency_per_consumer = "
		     "affine_set<(p)[c, g] : (p >= 0, -p + 3 >= 0, (p - c) mod 2 == 0)>")
		"tensor<32xi32>\n"), 2, 4, 4, 4);
}

/* An exchange cut by stores in the middle of a share still lands right: boxes asserted. */
static void test_cut_shares(void)
{
	/* two consumers, four producers: shares of 8, results of 32 */
	static const char text[] = SETS
		"#two_tiles = affine_set<(t)[g] : (t >= 0, -t + 1 >= 0)>\n"
		"#b6 = affine_set<(d0) : (d0 >= 0, -d0 + 5 >= 0)>\n" FUNC(
		SRC PRODUCE("p", "x", "#four", "#one")
		"%r = ktdp.inter_tile_all_to_all(%p) consumer_tiles_per_group = #two_tiles, "
		TAIL("split_dimensions = [0], concat_dimensions = [0]", "") "tensor<32xi32>\n"
		VIEW("d", "%c64", "6")
		"%y = tensor.extract_slice %r[5] [6] [1] : tensor<32xi32> to tensor<6xi32>\n"
		STORE("y", "d", "6"));
	struct ktir_case k;

	if (good(&k, "a slice across two shares", text)) {
		struct view v = view_of(&k, 0);
		uint32_t i, stored = 0, elements = 0;

		for (i = 0; i < v.h->n_dests; i++) {
			const struct kte_entry *e = &v.dst[i];

			if (e->tile)
				continue;
			elements += e->size[0] * e->size[1];
			if (e->offset[0] == 256)	/* elements 5..7: producer 0, from 5 on */
				stored += e->start[1] == 0 && e->size[1] == 1 && e->start[0] == 5 &&
					  e->size[0] == 3;
			if (e->offset[0] == 268)	/* elements 8..10: producer 1 */
				stored += e->start[1] == 1 && e->size[1] == 1 && e->start[0] == 0 &&
					  e->size[0] == 3;
		}
		is_u64(stored, 2, "is two boxes of the space");
		is_u64(elements, 32, "and the rest of the result is delivered too");
	}
	case_fini(&k);
}

static void test_staging(void)
{
	static const char text[] = SETS FUNC(SRC PRODUCE("p", "x", "#four", "#one")
		"%r = ktdp.inter_tile_consume(%p) consumer_tiles_per_group = #four, "
		TAIL("producer_dependency_per_consumer = affine_set<(p)[c, g] : (p >= 0, -p + 3 >= 0, "
		     "(p + c) mod 4 == 0)>", "") "tensor<16xi32>\n" STORE("r", "a", "16"));
	struct ktdev_bytes rest = { .start = 64, .bytes = 65536 - 64 };
	struct ktdev_compile_opts o = { .size = sizeof(o), .window = 65536, .reserved = &rest,
					.n_reserved = 1 };
	struct ktir_case k;
	const struct ktdev_diag *d;

	if (good(&k, "reversal in place", text)) {
		struct view v = view_of(&k, 0);
		uint32_t i, staged = 0;

		for (i = 0; i < v.h->n_dests; i++)
			staged += v.dst[i].flags == KTE_ENTRY_STAGED;
		is_u64(staged, 2, "tiles 1 and 3 are staged; 0 and 2 keep what they have");
		is_u64(v.h->stage_bytes, 128, "one stick");
		is_u64(v.h->stage_offset, 128, "behind the 64 bytes in use");
		ok(k.c.plan->n_scratch == 1 && k.c.plan->scratch[0].offset == 128 &&
		   k.c.plan->scratch[0].bytes == 128, "which the plan calls scratch");
	}
	case_fini(&k);
	case_init(&k, text, &o);
	d = case_find(&k, "K13", KTDEV_ERROR);
	ok(k.ret == -EINVAL && d && strstr(d->message, "needs 128 bytes of scratchpad to stage") &&
	   strstr(d->message, "0 are available"), "no room to stage: both numbers");
	case_fini(&k);
}

static void test_placement(void)
{
	static const char text[] = SETS FUNC(SRC PRODUCE("p", "x", "#four", "#one")
					     GATHER("r", "p", "#four", "#one", "64"));
	struct ktdev_compile_opts o = { .size = sizeof(o), .window = 256 };
	struct ktdev_bytes res = { .start = 0, .bytes = 1000 };
	const struct ktdev_diag *d;
	struct ktir_case k;

	case_init(&k, text, &o);
	d = case_find(&k, "K13", KTDEV_ERROR);
	ok(k.ret == -EINVAL && d && strstr(d->message, "256 bytes needed, 128 available") &&
	   d->tile == 0, "a result that does not fit: both numbers and the tile");
	case_fini(&k);
	o.window = 32;
	case_init(&k, text, &o);
	d = case_find(&k, "K13", KTDEV_ERROR);
	ok(k.ret == -EINVAL && d && strstr(d->message, "64 bytes needed, 32 available"),
	   "a partial outside the window: both numbers");
	case_fini(&k);
	o.window = 4096;
	o.reserved = &res;
	o.n_reserved = 1;
	case_init(&k, text, &o);
	ok(!k.ret && view_of(&k, 0).dst[0].offset[0] == 1024,
	   "nothing is placed in reserved bytes");
	case_fini(&k);
	o = (struct ktdev_compile_opts){ .size = sizeof(o), .cores = 4 };
	case_init(&k, text, &o);
	d = case_find(&k, "-", KTDEV_UNSUPPORTED);
	ok(k.ret == -EOPNOTSUPP && d && strstr(d->message, "8 tiles, the target has 4 cores"),
	   "more tiles than cores: unsupported with both numbers");
	case_fini(&k);
	o = (struct ktdev_compile_opts){ .size = sizeof(o), .func = "nobody" };
	case_init(&k, text, &o);
	is_u64((uint64_t)-k.ret, ENOENT, "no function of that name");
	case_fini(&k);
}

static void test_stores(void)
{
	static const char swapped[] = SETS
		"#b32 = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>\n" FUNC(
		SRC PRODUCE("p", "x", "#four", "#one") GATHER("r", "p", "#last", "#one", "64")
		"%lo = tensor.extract_slice %r[0] [32] [1] : tensor<64xi32> to tensor<32xi32>\n"
		"%hi = tensor.extract_slice %r[32] [32] [1] : tensor<64xi32> to tensor<32xi32>\n"
		"%c96 = arith.constant 96 : index\n"
		VIEW("d", "%c96", "32") STORE("lo", "d", "32")
		VIEW("e", "%c64", "32") STORE("hi", "e", "32"));
	static const char part[] = SETS FUNC(
		SRC PRODUCE("p", "x", "#four", "#one") GATHER("r", "p", "#last", "#one", "64")
		"%y = tensor.extract_slice %r[8] [16] [1] : tensor<64xi32> to tensor<16xi32>\n"
		VIEW("d", "%c64", "16") STORE("y", "d", "16"));
	struct ktir_case k;

	if (good(&k, "two stores at swapped bases", swapped)) {
		struct view v = view_of(&k, 0);

		ok(v.h->n_dests == 2 && v.dst[0].start[0] == 0 && v.dst[0].offset[0] == 384 &&
		   v.dst[1].start[0] == 32 && v.dst[1].offset[0] == 256,
		   "are two entries at those bases");
		is_u64(k.c.plan->io[4].n_pieces, 2, "one output of two pieces");
	}
	case_fini(&k);
	if (good(&k, "a store of a slice only", part)) {
		struct view v = view_of(&k, 0);
		uint64_t bytes = 0;
		uint32_t i;

		for (i = 0; i < v.h->n_dests; i++)
			bytes += v.dst[i].size[0] * 4;
		is_u64(v.h->n_dests, 3, "the slice and what is left of it and right");
		is_u64(bytes, 256, "every byte of the result once");
	}
	case_fini(&k);
	case_expect("two stores to the same bytes are refused",
		    SETS FUNC(SRC PRODUCE("p", "x", "#four", "#one")
			      GATHER("r", "p", "#last", "#one", "64") VIEW("d", "%c64", "16")
			      "%y = tensor.extract_slice %r[0] [16] [1] : tensor<64xi32> to tensor<16xi32>\n"
			      "%z = tensor.extract_slice %r[16] [16] [1] : tensor<64xi32> to tensor<16xi32>\n"
			      STORE("y", "d", "16") STORE("z", "d", "16")), -EINVAL, "K13",
		    KTDEV_ERROR, "two destinations write", 7);
}

/* Two deliveries: the second reads what the first overwrites, stores or returns. */
static void test_steps(void)
{
	static const char saved[] = SETS FUNC(
		SRC VIEW("b", "%c64", "16") LOAD("y", "b", "16")
		PRODUCE("p", "x", "#first", "#one") CONSUME("r", "p", "#first", "#one")
		STORE("r", "b", "16")
		PRODUCE("q", "y", "#first", "#one") CONSUME("s", "q", "#last", "#one"));
	static const char derived[] = SETS FUNC(
		SRC PRODUCE("p", "x", "#first", "#one") CONSUME("r", "p", "#first", "#one")
		VIEW("b", "%c64", "16") STORE("r", "b", "16") LOAD("y", "b", "16")
		PRODUCE("q", "y", "#first", "#one") CONSUME("s", "q", "#last", "#one"));
	static const char chained[] = SETS FUNC(
		SRC PRODUCE("p", "x", "#first", "#one") CONSUME("r", "p", "#first", "#one")
		PRODUCE("q", "r", "#first", "#one") CONSUME("s", "q", "#last", "#one"));
	static const char backwards[] = SETS FUNC(
		SRC VIEW("b", "%c64", "16")
		PRODUCE("p", "x", "#first", "#one") CONSUME("r", "p", "#first", "#one")
		PRODUCE("q", "x", "#first", "#one") CONSUME("s", "q", "#first", "#one")
		STORE("s", "b", "16") STORE("r", "b", "16"));
	struct ktir_case k;

	if (good(&k, "a partial overwritten between load and use", saved)) {
		struct view v = view_of(&k, 0), w = view_of(&k, 1);

		ok(v.h->n_spaces == 2 && v.src[1].offset[0] == 256 && v.h->stage_bytes,
		   "is copied away by the step that overwrites it, which is staged");
		ok(w.src[0].offset[0] == v.dst[1].offset[0] && w.src[0].offset[0] != 256,
		   "and read from there");
		ok(k.c.plan->io[2].step == 0 && k.c.plan->io[2].delivery == 1 &&
		   k.c.plan->io[2].pieces[0].offset == 256,
		   "the host writes it at its address, before the first step");
		is_str(k.c.plan->io[2].name, "d1.t0.r0.bin", "under the name of its delivery");
	}
	case_fini(&k);
	if (good(&k, "a partial that an earlier delivery stored", derived))
		ok(!k.c.plan->io[0].derived && k.c.plan->io[2].derived && k.c.plan->n_steps == 2,
		   "is not asked from the host");
	case_fini(&k);
	if (good(&k, "a result contributed again", chained)) {
		struct view v = view_of(&k, 0), w = view_of(&k, 1);

		ok(k.c.plan->io[2].derived && w.src[0].offset[0] == v.dst[0].offset[0],
		   "is read where it was delivered");
	}
	case_fini(&k);
	case_expect("stores in the other order than the deliveries are refused", backwards,
		    -EOPNOTSUPP, "K13", KTDEV_UNSUPPORTED,
		    "two results are stored to the same bytes on tile 0", 0);
}

static void test_functions(void)
{
	static const char text[] = SETS FUNC(SRC PRODUCE("p", "x", "#first", "#one")
					     CONSUME("r", "p", "#four", "#one"));
	char buf[8192], *second;
	struct ktir_case k;

	snprintf(buf, sizeof(buf), "%s%s", text, strstr(text, "module"));
	second = strstr(strstr(buf, "@f") + 1, "@f");
	second[1] = 'g';
	if (good(&k, "two functions", buf)) {
		is_u64(k.c.plan->n_steps, 2, "run one after the other");
		is_u64(k.c.plan->n_funcs, 2, "are counted");
		is_str(k.c.plan->steps[1].func, "g", "and named");
	}
	case_fini(&k);
}

int main(void)
{
	test_forms();
	test_cut_shares();
	test_staging();
	test_placement();
	test_stores();
	test_steps();
	test_functions();
	return done_testing();
}
