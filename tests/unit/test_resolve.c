// SPDX-License-Identifier: MIT
/*
 * Addresses and order: which bytes of whose scratchpad a partial is, where results land,
 * and everything that is refused on the way.
 */
#include "ktir_case.h"

#include <errno.h>

/* A gather of tile-dependent partials, stored at 1024 elements. */
#define AROUND(head, value)							\
	SETS FUNC(head PRODUCE("p", value, "#four", "#one")			\
		  GATHER("r", "p", "#last", "#one", "64")			\
		  "%c1024 = arith.constant 1024 : index\n" VIEW("o", "%c1024", "64") \
		  STORE("r", "o", "64"))

static void check_places(const char *name, const char *text, const int64_t *want)
{
	struct ktir_case k;
	unsigned int i, bad = 0;

	case_init(&k, text, NULL);
	if (!ok(!k.ret && k.c.prog.n_steps == 1 && k.c.prog.steps[0].n_src == 4,
		"%s: compiles", name)) {
		case_findings(&k);
		case_fini(&k);
		return;
	}
	for (i = 0; i < 4; i++) {
		const struct kt_place *p = &k.c.prog.steps[0].src[i];

		if (p->known && p->offset == want[i])
			continue;
		bad++;
		diag("tile %u: known %d offset %lld, want %lld", i, p->known,
		     (long long)p->offset, (long long)want[i]);
	}
	is_u64(bad, 0, "%s: places", name);
	case_fini(&k);
}

static void test_places(void)
{
	static const int64_t fixed[] = { 64, 64, 64, 64 };
	static const int64_t linear[] = { 0, 64, 128, 192 };
	static const int64_t other[] = { 0, 64, 0, 64 };
	static const int64_t backward[] = { 48, 32, 16, 0 };
	static const int64_t slice[] = { 32, 32, 32, 32 };
	static const int64_t sliced[] = { 16, 80, 144, 208 };

	check_places("constant base", AROUND(VIEW("a", "%c16", "16") LOAD("x", "a", "16"), "x"), fixed);
	check_places("tile times 16", AROUND("%b = arith.muli %tid, %c16 : index\n"
			    VIEW("a", "%b", "16") LOAD("x", "a", "16"), "x"), linear);
	check_places("tile mod 2", AROUND("%c2 = arith.constant 2 : index\n"
			    "%m = arith.remui %tid, %c2 : index\n"
			    "%b = arith.muli %m, %c16 : index\n"
			    VIEW("a", "%b", "16") LOAD("x", "a", "16"), "x"), other);
	check_places("subtraction, select and compare",
		     AROUND("%c3 = arith.constant 3 : index\n"
			    "%d = arith.subi %c3, %tid : index\n"
			    "%neg = arith.cmpi slt, %d, %c0 : index\n"
			    "%e = arith.select %neg, %c0, %d : index\n"
			    "%b = arith.muli %e, %c4 : index\n"
			    VIEW("a", "%b", "16") LOAD("x", "a", "16"), "x"), backward);
	check_places("affine.apply", AROUND(
			    "%b = affine.apply affine_map<(d0)[s0] -> (((-d0 + s0 - 1) mod 4) * 4)>(%tid)[%c4]\n"
			    VIEW("a", "%b", "16") LOAD("x", "a", "16"), "x"), backward);
	check_places("subscript of a larger view",
		     AROUND("%v = ktdp.construct_memory_view %c0, sizes: [64], strides: [1] {"
			    "memory_space = #ktdp.memory_space<ct_local>} : memref<64xi32>\n"
			    "%c8 = arith.constant 8 : index\n"
			    "%a = ktdp.construct_access_tile %v[%c8] {access_tile_set = #b16} : "
			    "memref<64xi32> -> !ktdp.access_tile<16xindex>\n"
			    LOAD("x", "a", "16"), "x"), slice);
	check_places("slice of what was loaded",
		     AROUND("%b = arith.muli %tid, %c16 : index\n" VIEW("a", "%b", "64")
			    LOAD("y", "a", "64")
			    "%x = tensor.extract_slice %y[4] [16] [1] : tensor<64xi32> to tensor<16xi32>\n",
			    "x"), sliced);
}

/* The region runs on producers only and knows its group. */
static void test_gid(void)
{
	static const char text[] = SETS FUNC(
		"%p = ktdp.inter_tile_produce producer_tiles_per_group = #pair"
		" -> !ktdp.tile_future<(tensor<16xi32>), groups = #two> {\n^bb0(%gid: index):\n"
		"%b = arith.muli %gid, %c64 : index\n" VIEW("a", "%b", "16") LOAD("x", "a", "16")
		"ktdp.yield_partial %x : tensor<16xi32>\n}\n"
		"%r = ktdp.inter_tile_gather(%p) consumer_tiles_per_group = #pair, "
		"gather_dimensions = [0] : !ktdp.tile_future<(tensor<16xi32>), groups = #two> -> tensor<32xi32>\n");
	struct ktir_case k;

	case_init(&k, text, NULL);
	if (!ok(!k.ret, "a view by %%gid compiles"))
		case_findings(&k);
	else
		ok(k.c.prog.steps[0].src[0].offset == 0 && k.c.prog.steps[0].src[1].offset == 0 &&
		   k.c.prog.steps[0].src[2].offset == 256 &&
		   k.c.prog.steps[0].src[3].offset == 256, "group 1 is 64 elements on");
	case_fini(&k);
}

static void test_loop(void)
{
	static const char text[] = SETS FUNC(
		"scf.for %i = %c0 to %c4 step %c1 {\n"
		"%b = arith.muli %i, %c64 : index\n" VIEW("a", "%b", "16") LOAD("x", "a", "16")
		PRODUCE("p", "x", "#first", "#one") CONSUME("r", "p", "#last", "#one")
		"%o = arith.addi %b, %c16 : index\n" VIEW("d", "%o", "16") STORE("r", "d", "16")
		"}\n");
	struct ktir_case k;
	unsigned int i, bad = 0;

	case_init(&k, text, NULL);
	if (!ok(!k.ret, "a loop of constant trip compiles"))
		case_findings(&k);
	is_u64(k.c.prog.n_steps, 4, "and is unrolled");
	for (i = 0; i < k.c.prog.n_steps; i++)
		bad += k.c.prog.steps[i].src[0].offset != 256 * (int64_t)i ||
		       k.c.prog.steps[i].n_stores != 1 ||
		       k.c.prog.steps[i].stores[0].place.offset != 256 * (int64_t)i + 64 ||
		       k.c.prog.steps[i].stores[0].tile != 7;
	is_u64(bad, 0, "with the places of each iteration");
	case_fini(&k);
}

/* Values carried around a loop. */
static void test_carried(void)
{
	static const char text[] = SETS FUNC(
		VIEW("a", "%c0", "16") LOAD("x", "a", "16")
		"%end = scf.for %i = %c0 to %c4 step %c1 iter_args(%at = %c16) -> (index) {\n"
		PRODUCE("p", "x", "#first", "#one") CONSUME("r", "p", "#last", "#one")
		VIEW("d", "%at", "16") STORE("r", "d", "16")
		"%next = arith.addi %at, %c16 : index\nscf.yield %next : index\n}\n"
		PRODUCE("q", "x", "#first", "#one") CONSUME("s", "q", "#last", "#one")
		VIEW("e", "%end", "16") STORE("s", "e", "16"));
	struct ktir_case k;
	unsigned int i, bad = 0;

	case_init(&k, text, NULL);
	if (!ok(!k.ret && k.c.prog.n_steps == 5, "a loop that carries an address compiles"))
		case_findings(&k);
	for (i = 0; i < k.c.prog.n_steps; i++)
		bad += k.c.prog.steps[i].n_stores != 1 ||
		       k.c.prog.steps[i].stores[0].place.offset != 64 * (int64_t)(i + 1);
	is_u64(bad, 0, "with the address of each iteration, and the last one behind it");
	case_fini(&k);
}

static void test_global(void)
{
	static const char text[] = SETS FUNC(
		"%v = ktdp.construct_memory_view %arg, sizes: [128], strides: [1] {"
		"memory_space = #ktdp.memory_space<global>} : memref<128xi32>\n"
		"%s = arith.muli %tid, %c16 : index\n"
		"%a = ktdp.construct_access_tile %v[%s] {access_tile_set = #b16} : "
		"memref<128xi32> -> !ktdp.access_tile<16xindex>\n" LOAD("x", "a", "16")
		PRODUCE("p", "x", "#four", "#one") GATHER("r", "p", "#last", "#one", "64"));
	struct ktir_case k;

	case_init(&k, text, NULL);
	ok(!k.ret && !k.c.prog.steps[0].src[0].known, "a partial from global memory has no address");
	ok(!k.ret && k.c.plan->io[0].placed && !k.c.plan->io[0].output &&
	   !strcmp(k.c.plan->io[0].name, "t0.r0.bin"), "the library places it");
	ok(!k.ret && k.c.plan->n_io == 5 && k.c.plan->io[4].output &&
	   !strcmp(k.c.plan->io[4].name, "t7.r0.bin"), "and the result nobody stores");
	case_fini(&k);
}

static void test_addresses_refused(void)
{
	case_expect("base from an argument: K8",
		    AROUND(VIEW("a", "%arg", "16") LOAD("x", "a", "16"), "x"), -EINVAL, "K8",
		    KTDEV_ERROR, "the base of a scratchpad view is only known at run time", -1);
	case_expect("base from an unknown op: K8",
		    AROUND("%q = \"some.op\"() : () -> index\n" VIEW("a", "%q", "16")
			   LOAD("x", "a", "16"), "x"), -EINVAL, "K8", KTDEV_ERROR, "the base", -1);
	case_expect("overflow: K12 names the first tile",
		    AROUND("%big = arith.constant 4611686018427387904 : index\n"
			   "%b = arith.muli %tid, %big : index\n" VIEW("a", "%b", "16")
			   LOAD("x", "a", "16"), "x"), -EINVAL, "K12", KTDEV_ERROR,
		    "fails on tile 2: the result does not fit", 2);
	case_expect("division by zero: K12",
		    AROUND("%b = arith.divsi %c16, %tid : index\n" VIEW("a", "%b", "16")
			   LOAD("x", "a", "16"), "x"), -EINVAL, "K12", KTDEV_ERROR,
		    "the divisor is not positive", 0);
	case_expect("unused arithmetic may overflow",
		    AROUND("%b = arith.divsi %c16, %c0 : index\n" VIEW("a", "%c16", "16")
			   LOAD("x", "a", "16"), "x"), 0, NULL, KTDEV_ERROR, "", 0);
	case_expect("negative address",
		    AROUND("%n = arith.subi %c0, %c1 : index\n" VIEW("a", "%n", "16")
			   LOAD("x", "a", "16"), "x"), -EINVAL, "K13", KTDEV_ERROR,
		    "the address -4 is negative", 0);
	case_expect("load outside the view, on the first tile that does it",
		    AROUND("%s = arith.muli %tid, %c16 : index\n"
			   "%v = ktdp.construct_memory_view %c0, sizes: [48], strides: [1] {"
			   "memory_space = #ktdp.memory_space<ct_local>} : memref<48xi32>\n"
			   "%a = ktdp.construct_access_tile %v[%s] {access_tile_set = #b16} : "
			   "memref<48xi32> -> !ktdp.access_tile<16xindex>\n"
			   LOAD("x", "a", "16"), "x"), -EINVAL, "K13", KTDEV_ERROR,
		    "elements 48..63 along axis 0 lie outside the view, which has 0..47", 3);
	case_expect("tiles that do not produce may compute what they like",
		    AROUND("%s = arith.muli %tid, %c16 : index\n"
			   "%v = ktdp.construct_memory_view %c0, sizes: [64], strides: [1] {"
			   "memory_space = #ktdp.memory_space<ct_local>} : memref<64xi32>\n"
			   "%a = ktdp.construct_access_tile %v[%s] {access_tile_set = #b16} : "
			   "memref<64xi32> -> !ktdp.access_tile<16xindex>\n"
			   LOAD("x", "a", "16"), "x"), 0, NULL, KTDEV_ERROR, "", 0);
	case_expect("slice outside its tensor",
		    AROUND(VIEW("a", "%c0", "64") LOAD("y", "a", "64")
			   "%x = tensor.extract_slice %y[56] [16] [1] : tensor<64xi32> to tensor<16xi32>\n",
			   "x"), -EINVAL, "K13", KTDEV_ERROR, "leaves axis 0 of 64 elements", 0);
	case_expect("another tile's scratchpad: K9 names the owner",
		    AROUND("%v = ktdp.construct_memory_view %c0, sizes: [16], strides: [1] {"
			   "memory_space = #ktdp.memory_space<ct_local, ct_id = 2>} : memref<16xi32>\n"
			   "%a = ktdp.construct_access_tile %v[%c0] {access_tile_set = #b16} : "
			   "memref<16xi32> -> !ktdp.access_tile<16xindex>\n"
			   LOAD("x", "a", "16"), "x"), -EINVAL, "K9", KTDEV_ERROR,
		    "tile 0 contributes what it loads from the scratchpad of tile 2", 0);
	case_expect("a view without memory_space is taken as global, which is said",
		    AROUND("%v = ktdp.construct_memory_view %c0, sizes: [16], strides: [1] {} : "
			   "memref<16xi32>\n"
			   "%a = ktdp.construct_access_tile %v[%c0] {access_tile_set = #b16} : "
			   "memref<16xi32> -> !ktdp.access_tile<16xindex>\n"
			   LOAD("x", "a", "16"), "x"), 0, "K8", KTDEV_WARNING,
		    "the view has no memory_space", -1);
	case_expect("an order of the access tile that is not the identity",
		    "#b4x4 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 3 >= 0)>\n"
		    SETS FUNC("%v = ktdp.construct_memory_view %c0, sizes: [4, 4], strides: [4, 1] {"
			      "memory_space = #ktdp.memory_space<ct_local>} : memref<4x4xi32>\n"
			      "%a = ktdp.construct_access_tile %v[%c0, %c0] {access_tile_set = #b4x4, "
			      "access_tile_order = affine_map<(d0, d1) -> (d1, d0)>} : "
			      "memref<4x4xi32> -> !ktdp.access_tile<4x4xindex>\n"), -EOPNOTSUPP,
		    "K13", KTDEV_UNSUPPORTED, "only the identity is supported as access_tile_order",
		    -1);
	case_expect("an access tile whose set is another size: K6",
		    AROUND("%v = ktdp.construct_memory_view %c0, sizes: [64], strides: [1] {"
			   "memory_space = #ktdp.memory_space<ct_local>} : memref<64xi32>\n"
			   "%a = ktdp.construct_access_tile %v[%c0] {access_tile_set = #b64} : "
			   "memref<64xi32> -> !ktdp.access_tile<16xindex>\n"
			   LOAD("x", "a", "16"), "x"), -EINVAL, "K6", KTDEV_ERROR,
		    "has 16 elements along axis 0, its set 64", -1);
}

#define DELIVER									\
	VIEW("a", "%c0", "16") LOAD("x", "a", "16") PRODUCE("p", "x", "#first", "#one") \
	CONSUME("r", "p", "#last", "#one")

static void test_control_flow(void)
{
	case_expect("a tile-dependent condition: K10",
		    SETS FUNC("%is = arith.cmpi eq, %tid, %c0 : index\nscf.if %is {\n" DELIVER "}\n"),
		    -EOPNOTSUPP, "K10", KTDEV_UNSUPPORTED,
		    "a delivery under tile-dependent control flow", -1);
	case_expect("a run-time condition: K10",
		    SETS FUNC("%is = arith.cmpi eq, %arg, %c0 : index\nscf.if %is {\n" DELIVER "}\n"),
		    -EOPNOTSUPP, "K10", KTDEV_UNSUPPORTED, "a condition only known at run time", -1);
	case_expect("a constant condition is followed",
		    SETS FUNC("%is = arith.cmpi eq, %c0, %c0 : index\nscf.if %is {\n" DELIVER "}\n"),
		    0, NULL, KTDEV_ERROR, "", 0);
	case_expect("a bound that differs per tile: K10",
		    SETS FUNC("scf.for %i = %c0 to %tid step %c1 {\n" DELIVER "}\n"), -EOPNOTSUPP,
		    "K10", KTDEV_UNSUPPORTED, "a loop whose bounds differ per tile", -1);
	case_expect("a bound only known at run time: K10",
		    SETS FUNC("scf.for %i = %c0 to %arg step %c1 {\n" DELIVER "}\n"), -EOPNOTSUPP,
		    "K10", KTDEV_UNSUPPORTED, "only known at run time", -1);
	case_expect("a loop too long to unroll: K10",
		    SETS FUNC("%m = arith.constant 100000000 : index\n"
			      "scf.for %i = %c0 to %m step %c1 {\n" DELIVER "}\n"), -EOPNOTSUPP,
		    "K10", KTDEV_UNSUPPORTED, "too long to unroll", -1);
	case_expect("a loop that does not deliver may be as long as it likes",
		    SETS FUNC("%m = arith.constant 100000000 : index\n"
			      "scf.for %i = %c0 to %m step %c1 {\n%q = arith.addi %i, %c1 : index\n}\n"
			      DELIVER), 0, NULL, KTDEV_ERROR, "", 0);
	case_expect("a result stored in a loop of unknown length: K10",
		    SETS FUNC(DELIVER VIEW("d", "%c64", "16")
			      "scf.for %i = %c0 to %arg step %c1 {\n" STORE("r", "d", "16") "}\n"),
		    -EOPNOTSUPP, "K10", KTDEV_UNSUPPORTED, "the store of a result", -1);
}

static void test_stores(void)
{
	static const char branch[] = SETS FUNC(
		VIEW("a", "%c0", "16") LOAD("x", "a", "16") PRODUCE("p", "x", "#first", "#one")
		CONSUME("r", "p", "#four", "#one")
		"%is = arith.cmpi ult, %tid, %c1 : index\nscf.if %is {\n"
		VIEW("d", "%c64", "16") STORE("r", "d", "16")
		"} else {\n" VIEW("e", "%c128", "16") STORE("r", "e", "16") "}\n");
	struct ktir_case k;
	unsigned int i, low = 0, high = 0;

	case_init(&k, branch, NULL);
	if (!ok(!k.ret && k.c.prog.steps[0].n_stores == 4, "stores under a tile-dependent condition"))
		case_findings(&k);
	for (i = 0; !k.ret && i < 4; i++) {
		const struct kt_store *s = &k.c.prog.steps[0].stores[i];

		low += s->tile == 0 && s->place.offset == 256;
		high += s->tile > 0 && s->place.offset == 512;
	}
	ok(low == 1 && high == 3, "run on the tiles that take the branch");
	case_fini(&k);
	case_expect("a result used where it was not received: a warning with the tile",
		    SETS FUNC(DELIVER
			      "%e = tensor.empty() : tensor<16xi32>\n"
			      "%s = linalg.add ins(%r, %r : tensor<16xi32>, tensor<16xi32>) "
			      "outs(%e : tensor<16xi32>) -> tensor<16xi32>\n"), 0, "-",
		    KTDEV_WARNING, "undefined on tiles that do not receive it", 0);
	case_expect("a result contributed by a tile that did not receive it",
		    SETS FUNC(DELIVER PRODUCE("q", "r", "#first", "#one")
			      CONSUME("s", "q", "#four", "#one")), 0, "-", KTDEV_WARNING,
		    "tile 0 contributes a result it did not receive", 0);
	case_expect("a slice offset only known at run time",
		    SETS FUNC(DELIVER VIEW("d", "%c64", "16")
			      "%y = tensor.extract_slice %r[%arg] [4] [1] : tensor<16xi32> to tensor<4xi32>\n"),
		    -EINVAL, "K8", KTDEV_ERROR, "the slice offset", -1);
}

int main(void)
{
	test_places();
	test_gid();
	test_loop();
	test_carried();
	test_global();
	test_addresses_refused();
	test_control_flow();
	test_stores();
	return done_testing();
}
