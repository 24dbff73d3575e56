// SPDX-License-Identifier: MIT
/*
 * KTIR text: what is accepted and what it means.
 */
#include <math.h>
#include <stdlib.h>

#include "../tap.h"
#include "module.h"

static struct ktdev_report *rep;
static struct ktdev_module *mod;

static int parse_bytes(const char *text, size_t len)
{
	ktdev_module_free(mod);
	ktdev_report_free(rep);
	rep = ktdev_report_new();
	return ktdev_module_parse("t.mlir", text, len, rep, &mod);
}

static void show_report(void)
{
	size_t i;

	for (i = 0; i < ktdev_report_count(rep) && i < 5; i++) {
		const struct ktdev_diag *d = ktdev_report_get(rep, i);

		diag("%u:%u-%u:%u: %s", d->range.line, d->range.col, d->range.end_line,
		     d->range.end_col, d->message);
	}
}

/* Reads without any finding. */
static bool clean(const char *text, const char *what)
{
	int err = parse_bytes(text, strlen(text));
	bool good = ok(!err && !ktdev_report_count(rep), "%s", what);

	if (!good)
		show_report();
	return good && mod;
}

/* The body of a function f(%t: tensor<4x8xf16>, %m: memref<8x8xf16>, %i: index, %n: i32). */
static const char *in_func(const char *body)
{
	static char text[16384];

	snprintf(text, sizeof(text),
		 "func.func @f(%%t: tensor<4x8xf16>, %%m: memref<8x8xf16>, %%i: index, "
		 "%%n: i32, %%c: i1) {\n%s\nreturn\n}\n", body);
	return text;
}

static const struct kt_op *found;
static const char *wanted;

static int find_op(const struct kt_op *op, void *ctx)
{
	(void)ctx;
	if (!found && !strcmp(op->name, wanted))
		found = op;
	return 0;
}

/* The first operation of a name, in any function. */
static const struct kt_op *op_of(const char *name)
{
	unsigned int i;

	found = NULL;
	wanted = name;
	for (i = 0; mod && i < mod->n_funcs; i++)
		kt_region_walk(&mod->funcs[i]->body, find_op, NULL);
	return found;
}

static const char *type_of(const struct kt_value *v)
{
	static struct kt_arena a;

	return v && v->type ? kt_type_text(&a, v->type) : "none";
}

static const char *result_type(const char *name)
{
	const struct kt_op *op = op_of(name);

	return op && op->n_results ? type_of(op->results[0]) : "no result";
}

/* --- the two complete files -------------------------------------------------------- */

static char *read_file(const char *name, size_t *len)
{
	FILE *f = fopen(name, "rb");
	char *buf = malloc(1 << 20);

	*len = f && buf ? fread(buf, 1, 1 << 20, f) : 0;
	if (f)
		fclose(f);
	return buf;
}

static void test_gather_file(void)
{
	size_t len;
	char *text = read_file("tests/data/ktir/gather_even_producers.mlir", &len);
	const struct kt_op *op, *prod;

	ok(!parse_bytes(text, len) && !ktdev_report_count(rep), "gather_even_producers is clean");
	free(text);
	if (!mod)
		return;
	is_u64(mod->n_funcs, 1, "one function");
	is_str(mod->funcs[0]->name, "gather_even_producers", "its name");
	ok(mod->funcs[0]->n_grid == 1 && mod->funcs[0]->grid[0] == 32, "its grid is the module's");
	op = op_of("ktdp.inter_tile_gather");
	prod = kt_delivery_produce(op);
	ok(op && op->kind == KT_OP_GATHER && kt_op_is_delivery(op), "a gather");
	ok(prod && prod->kind == KT_OP_PRODUCE && !kt_op_is_delivery(prod), "and its production");
	is_str(result_type("ktdp.inter_tile_gather"), "tensor<64x16xf16>", "result");
	is_str(result_type("ktdp.inter_tile_produce"),
	       "!ktdp.tile_future<(tensor<32x16xf16>), groups = "
	       "affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>>", "future");
	ok(op->fn_in && op->fn_in->kind == KT_TY_FUTURE && op->fn_in->groups, "declared future");
	ok(kt_op_attr(op, "gather_dimensions")->n == 1 &&
	   kt_op_attr(op, "gather_dimensions")->elems[0].i == 0, "gather_dimensions = [0]");
	ok(kt_op_attr(op, "consumer_tiles_per_group")->set->n_constraints == 2, "consumers");
	ok(prod->n_regions == 1 && prod->regions[0].blocks[0].n_args == 1, "region with %%gid");
	is_str(type_of(prod->regions[0].blocks[0].args[0]), "index", "%%gid is an index");
	ok(prod->regions[0].blocks[0].parent_op == prod, "block knows its op");
	is_u64(op->results[0]->n_uses, 1, "the result is stored once");
	ok(op->results[0]->uses[0].op == op_of("ktdp.store") &&
	   op->results[0]->uses[0].operand == 0, "by the store");
	op = op_of("arith.constant");
	is_u64(op->results[0]->n_uses, 5, "%%c0 has five uses");
	op = op_of("ktdp.construct_memory_view");
	ok(op->space == KT_SPACE_LOCAL && !op->ct_id_present, "ct_local without a tile");
	ok(op->sizes.n == 2 && op->sizes.e[0].value == 32 && op->strides.e[0].value == 16,
	   "sizes and strides");
	op = op_of("ktdp.construct_access_tile");
	ok(op->offsets.n == 2 && op->offsets.e[0].dynamic && op->n_operands == 3, "subscripts");
	ok(kt_op_attr(op, "access_tile_order")->map->n_results == 2, "order is a map");
}

static void test_reduce_file(void)
{
	size_t len;
	char *text = read_file("tests/data/ktir/all_reduce_from_global.mlir", &len);
	const struct ktdev_diag *d;
	const struct kt_op *op;

	ok(!parse_bytes(text, len), "all_reduce_from_global is read");
	free(text);
	if (!mod)
		return;
	is_u64(ktdev_report_total(rep, KTDEV_NOTE), 2, "two old futures are noted");
	is_u64(ktdev_report_count(rep), 2, "and nothing else");
	d = ktdev_report_get(rep, 0);
	ok(d->range.line == 29 && d->range.col == 46 && d->range.end_col == 73, "place of a note");
	is_str(d->fixits[0].replacement, "<(tensor<1x64xf16>), groups = #groups>", "its fix-it");
	is_u64(mod->funcs[0]->n_grid, 0, "no grid");
	op = op_of("ktdp.inter_tile_reduce");
	ok(op->n_operands == 1 && op->n_identity == 1 && op->n_regions == 1, "a fold");
	is_str(op->identity[0].value->name, "%id", "its identity");
	is_str(type_of(op->identity[0].value), "tensor<1x64xf16>", "its type");
	ok(kt_type_equal(op->identity_types[0], op->identity[0].value->type), "as declared");
	is_u64(op->regions[0].blocks[0].n_args, 2, "combiner arguments");
	op = op_of("linalg.reduce");
	is_str(kt_op_attr(op, "combiner")->s, "arith.addf", "short combiner");
	is_str(type_of(op->results[0]), "tensor<64xf16>", "linalg.reduce has the type of outs");
	is_str(result_type("tensor.expand_shape"), "tensor<1x64xf16>", "expand_shape into");
	op = op_of("ktdp.construct_memory_view");
	ok(op->space == KT_SPACE_GLOBAL, "global");
	op = op_of("linalg.add");
	ok(op->n_operands == 3 && op->operands[0].value->block, "linalg.add of the arguments");
}

/* --- spellings --------------------------------------------------------------------- */

#define SET	"affine_set<(i)[g] : (i - g == 0)>"
#define GROUPS	"affine_set<(g) : (g >= 0, -g + 3 >= 0)>"
#define FUTURE	"!ktdp.tile_future<(tensor<4x8xf16>), groups = " GROUPS ">"
#define PRODUCE	"%f = ktdp.inter_tile_produce producer_tiles_per_group = " SET " -> " FUTURE \
		" { ^bb0(%gid: index): ktdp.yield_partial %t : tensor<4x8xf16> }\n"
#define CONSUME	"%r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = " SET

static void test_deliveries(void)
{
	clean(in_func(PRODUCE CONSUME " : " FUTURE " -> tensor<4x8xf16>"), "consume");
	clean(in_func(PRODUCE CONSUME ", producer_dependency_per_consumer = " SET " {a = 1} : "
		      FUTURE " -> tensor<4x8xf16>"), "dependency and attributes before the type");
	clean(in_func(PRODUCE CONSUME " : " FUTURE " -> tensor<4x8xf16> {a = 1}"),
	      "attributes behind the type");
	clean(in_func(PRODUCE "%r = ktdp.inter_tile_consume(%f) {consumer_tiles_per_group = " SET
		      "} : " FUTURE " -> tensor<4x8xf16>"), "all attributes in braces");
	ok(kt_op_attr(op_of("ktdp.inter_tile_consume"), "consumer_tiles_per_group")->set,
	   "and found by name");
	clean(in_func(PRODUCE "%r = ktdp.inter_tile_gather(%f) gather_dimensions = [0, 1], "
		      "consumer_tiles_per_group  = " SET " : <(tensor<4x8xf16>), groups = " GROUPS
		      "> -> tensor<8x16xf16>"), "attributes in another order, short future");
	clean(in_func(PRODUCE "%r = ktdp.inter_tile_all_to_all(%f) consumer_tiles_per_group = " SET
		      ", split_dimensions = [1], concat_dimensions = [0] : " FUTURE
		      " -> (tensor<8x4xf16>)"), "all_to_all, result in parentheses");
	clean(in_func(PRODUCE "ktdp.inter_tile_scatter(%f) consumer_tiles_per_group = " SET
		      ", scatter_dimensions = [1] : " FUTURE " -> tensor<4x4xf16>"),
	      "a delivery whose result is dropped");
	is_u64(op_of("ktdp.inter_tile_scatter")->n_results, 1, "has its result anyway");
	is_str(op_of("ktdp.inter_tile_scatter")->results[0]->name, "", "without a name");
	clean(in_func("%f = ktdp.inter_tile_produce producer_tiles_per_group = [[0, 2], [4, 6]] : "
		      "tensor<4x8xf16>, i32 -> <(tensor<4x8xf16>, i32), groups = [0, 1]> {\n"
		      "^bb0(%gid: index):\n ktdp.yield_partial %t, %n : tensor<4x8xf16>, i32\n}\n"
		      "%r:2 = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = [[1], [2]] : "
		      "<(tensor<4x8xf16>, i32), groups = [0, 1]> -> tensor<4x8xf16>, i32\n"
		      "%s = arith.addi %r#1, %n : i32"), "two roles, enumerated sets");
	ok(op_of("ktdp.inter_tile_produce")->n_types == 2, "types of the production");
	is_str(op_of("ktdp.inter_tile_consume")->results[1]->name, "%r#1", "second result");
	ok(op_of("arith.addi")->operands[0].value == op_of("ktdp.inter_tile_consume")->results[1],
	   "is what %%r#1 means");
}

static void test_folds(void)
{
	static const char region[] = " {\n^bb0(%a: tensor<4x8xf16>, %b: tensor<4x8xf16>):\n"
		"%s = linalg.add ins(%a, %b : tensor<4x8xf16>, tensor<4x8xf16>) "
		"outs(%a : tensor<4x8xf16>) -> tensor<4x8xf16>\n"
		"ktdp.yield_reduced %s : tensor<4x8xf16>\n}";
	char text[4096];
	const struct kt_op *op;

	snprintf(text, sizeof(text), "%s%s", PRODUCE "%r = ktdp.inter_tile_reduce(%f) "
		 "identity(%t : tensor<4x8xf16>), consumer_tiles_per_group = " SET " : " FUTURE
		 " -> tensor<4x8xf16>", region);
	clean(in_func(text), "identity first");
	op = op_of("ktdp.inter_tile_reduce");
	ok(op && op->n_identity == 1 && op->n_operands == 1, "one identity, one operand");
	ok(op && op->identity[0].value->n_uses == 2 &&
	   op->identity[0].value->uses[1].operand == 1, "an identity is a use behind the operands");
	snprintf(text, sizeof(text), "%s%s", PRODUCE "%r = ktdp.inter_tile_reduce_scatter(%f) "
		 "consumer_tiles_per_group = " SET ", identity(%t), scatter_dimensions = [0] : "
		 FUTURE " -> tensor<1x8xf16>", region);
	clean(in_func(text), "identity without a type, in the middle");
	op = op_of("ktdp.inter_tile_reduce_scatter");
	ok(op && op->identity_types && op->identity_types[0], "has the value's type");
	snprintf(text, sizeof(text), "%s%s", PRODUCE "%r = ktdp.inter_tile_reduce(%f) "
		 "consumer_tiles_per_group = " SET ", identity(%t, %n : tensor<4x8xf16>, i32) : "
		 FUTURE " -> tensor<4x8xf16>", region);
	clean(in_func(text), "types behind all identities");
	is_u64(op_of("ktdp.inter_tile_reduce")->n_identity, 2, "two of them");
}

struct old_case {
	const char *op;		/* behind the production */
	unsigned int notes;
	const char *replacement;
};

#define G(attrs)	"%r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = " SET ", " attrs \
			" : " FUTURE " -> tensor<16x8xf16>"

static const struct old_case old_cases[] = {
	{ G("gather_dimension = 0"), 1, "gather_dimensions = [0]" },
	{ G("gather_dim = 0 : i64"), 1, "gather_dimensions = [0]" },
	{ G("gather_dimension = [0]"), 1, "gather_dimensions" },
	{ G("gather_dimensions = 0"), 1, "gather_dimensions = [0]" },
	{ "%r = ktdp.inter_tile_scatter(%f) consumer_tiles_per_group = " SET
	  ", scatter_dim = 1 : " FUTURE " -> tensor<4x2xf16>", 1, "scatter_dimensions = [1]" },
	{ CONSUME " : !ktdp.tile_future<tensor<4x8xf16>, groups = " GROUPS
	  "> -> tensor<4x8xf16>", 1, "<(tensor<4x8xf16>), groups = " GROUPS ">" },
	{ CONSUME " : !ktdp.tile_future<tensor<4x8xf16>, i8, " GROUPS
	  "> -> tensor<4x8xf16>", 1, "<(tensor<4x8xf16>, i8), groups = " GROUPS ">" },
	{ CONSUME " : <(tensor<4x8xf16>), " GROUPS "> -> tensor<4x8xf16>", 1,
	  "<(tensor<4x8xf16>), groups = " GROUPS ">" },
	{ "%v = ktdp.construct_memory_view %i, sizes: [4], strides: [1] {memory_space = "
	  "#ktdp.spyre_memory_space<HBM>} : memref<4xf16>", 1,
	  "#ktdp.memory_space<global>" },
	{ "%v = ktdp.construct_memory_view %i, sizes: [4], strides: [1] {memory_space = "
	  "#ktdp.spyre_memory_space<LX, core = 7>} : memref<4xf16>", 1,
	  "#ktdp.memory_space<ct_local, ct_id = 7>" },
	{ "%v = ktdp.construct_memory_view %i, sizes: [4], strides: [1] {memory_space = "
	  "#ktdp.spyre_memory_space<LX>} : memref<4xf16>", 1, "#ktdp.memory_space<ct_local>" },
};

static void test_old_spellings(void)
{
	unsigned int i;
	char text[4096];

	for (i = 0; i < sizeof(old_cases) / sizeof(old_cases[0]); i++) {
		const struct ktdev_diag *d;

		snprintf(text, sizeof(text), "%s%s", PRODUCE, old_cases[i].op);
		strcpy(text, in_func(text));
		ok(!parse_bytes(text, strlen(text)), "old spelling %u is read", i);
		is_u64(ktdev_report_total(rep, KTDEV_NOTE), old_cases[i].notes, "and noted");
		is_u64(ktdev_report_count(rep), old_cases[i].notes, "nothing else");
		d = ktdev_report_get(rep, 0);
		is_str(d && d->n_fixits ? d->fixits[0].replacement : "none",
		       old_cases[i].replacement, "with its replacement");
	}
	strcpy(text, in_func(PRODUCE G("gather_dimension = 2")));
	parse_bytes(text, strlen(text));
	ok(mod && kt_op_attr(op_of("ktdp.inter_tile_gather"), "gather_dimensions") &&
	   kt_op_attr(op_of("ktdp.inter_tile_gather"), "gather_dimensions")->elems[0].i == 2,
	   "the old name is found under the new one, as a list");
}

static void test_strict_notes(void)
{
	const char *text = in_func(PRODUCE G("gather_dimension = 0"));

	ktdev_module_free(mod);
	ktdev_report_free(rep);
	rep = ktdev_report_new();
	ktdev_report_set_strict(rep, true);
	ok(!ktdev_module_parse("t", text, strlen(text), rep, &mod), "old spellings under strict");
	is_u64(ktdev_report_total(rep, KTDEV_ERROR), 0, "are no errors");
}

/* --- aliases and the shape of files ------------------------------------------------ */

static void test_aliases(void)
{
	clean("#s = affine_set<(i)[g] : (i == g)>\n#g = affine_set<(g) : (g == 0)>\n"
	      "!t = tensor<4xf16>\n!f = !ktdp.tile_future<(!t), groups = #g>\n"
	      "func.func @f(%t: !t) {\n"
	      "%f = ktdp.inter_tile_produce producer_tiles_per_group = #s -> !f {\n"
	      "^bb0(%g: index): ktdp.yield_partial %t : tensor<4xf16>\n}\n"
	      "%r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #s : !f -> !t\n"
	      "return\n}\n", "aliases before");
	is_str(result_type("ktdp.inter_tile_consume"), "tensor<4xf16>", "a type alias");
	clean("func.func @f(%t: !t) {\n"
	      "%f = ktdp.inter_tile_produce producer_tiles_per_group = #s -> !f {\n"
	      "^bb0(%g: index): ktdp.yield_partial %t : tensor<4xf16>\n}\n"
	      "%r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #s : !f -> !t\n"
	      "return\n}\n#s = #s2\n#s2 = affine_set<(i)[g] : (i == g)>\n"
	      "!f = !ktdp.tile_future<(!t), groups = #g>\n!t = tensor<4xf16>\n"
	      "#g = affine_set<(g) : (g == 0)>\n", "aliases behind, of aliases");
	ok(kt_op_attr(op_of("ktdp.inter_tile_consume"), "consumer_tiles_per_group")->set ==
	   kt_op_attr(op_of("ktdp.inter_tile_produce"), "producer_tiles_per_group")->set,
	   "one set for both uses");
	clean("#a = [0, 1]\nmodule {\n  func.func @f(%t: tensor<4xf16>) { return }\n}\n"
	      "#b = 3 : i32\nmodule attributes {x = #a, y = #b} {\n}\n", "between modules");
	clean("#d = [0]\nfunc.func @f(%t: tensor<4x8xf16>) {\n" PRODUCE
	      "%r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = " SET
	      ", gather_dimensions = #d : " FUTURE " -> tensor<16x8xf16>\nreturn\n}\n",
	      "an alias for a list");
	clean("#d = #e\n#e = [0]\n#n = [[1, 0], [2]]\nfunc.func @f(%t: tensor<4x8xf16>) {\n"
	      "%f = ktdp.inter_tile_produce producer_tiles_per_group = #n -> "
	      "<(tensor<4x8xf16>), groups = #d> {\n"
	      "^bb0(%g: index): ktdp.yield_partial %t : tensor<4x8xf16>\n}\n"
	      "%r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #d, "
	      "gather_dimensions = #d : <(tensor<4x8xf16>), groups = [0]> -> tensor<8x8xf16>\n"
	      "return\n}\n", "an alias for a list that is dimensions, tiles and groups");
	ok(kt_op_attr(op_of("ktdp.inter_tile_gather"), "gather_dimensions")->kind == KT_AT_ARRAY &&
	   kt_op_attr(op_of("ktdp.inter_tile_gather"), "consumer_tiles_per_group")->set->flat,
	   "each as its place wants it");
	ok(kt_op_attr(op_of("ktdp.inter_tile_produce"), "producer_tiles_per_group")->set->n_lists ==
	   2, "lists per group");
	clean("#s = affine_set<(i) : (i == 0)>\nfunc.func @f() { return }\n// -----\n"
	      "#s = affine_set<(i) : (i == 1)>\nfunc.func @f() { return }\n",
	      "one alias and function name in two parts");
	clean("#s = 1\nfunc.func @f() { return }\n// -----\nfunc.func @f() attributes {a = #s} "
	      "{ return }\n", "an alias of the part before");
	is_u64(mod ? mod->funcs[1]->attrs[0].i : 0, 1, "has its value");
	clean("#s = 1\n// -----\nfunc.func @f() attributes {a = #s} { return }\n#s = 2\n",
	      "an alias defined behind, and in the part before");
	is_u64(mod ? mod->funcs[0]->attrs[0].i : 0, 2, "means the one of its part");
}

static void test_files(void)
{
	clean("", "an empty file");
	clean("// nothing\n\n", "a comment");
	clean("func.func @a() { return }\nfunc.func @b() { return }", "bare functions");
	is_u64(mod->n_funcs, 2, "two of them");
	clean("module {\n}\nmodule @m attributes {grid = [2, 4]} { func.func @a() { return } "
	      "func.func @b() attributes {grid = [8]} { return } }", "several modules");
	ok(mod->funcs[0]->n_grid == 2 && mod->funcs[0]->grid[1] == 4, "grid of the module");
	ok(mod->funcs[1]->n_grid == 1 && mod->funcs[1]->grid[0] == 8, "grid of the function");
	clean("module attributes {grid = [4]} { module { func.func @a() { return } } }", "nested");
	ok(mod->funcs[0]->n_grid == 1 && mod->funcs[0]->grid[0] == 4, "grid of the outer module");
	clean("module { func.func @a() { return } }\nmodule { func.func @a() { return } }",
	      "one name in two modules");
	clean("func.func private @d(tensor<4xf16>, index) -> f32\n"
	      "func.func public @f(%a: index {x.y = 1}) -> (f32 {z}, index) {\n"
	      "%r = func.call @d2(%a) : (index) -> f32\nreturn %r, %a : f32, index\n}\n",
	      "declarations, visibility, attributes of arguments and results");
	ok(mod->n_funcs == 1 && mod->funcs[0]->n_results == 2, "results of a function");
	is_str(kt_op_attr(op_of("func.call"), "callee")->s, "d2", "a callee");
	clean("func.func @\"odd name\"() { return loc(\"x\":1:2) } loc(unknown)", "locations");
	is_str(mod->funcs[0]->name, "odd name", "a quoted name");
	clean("func.func @f(%a: index) {\r\n  %b = arith.addi %a, %a : index\r\n  return\r\n}\r\n",
	      "CRLF");
	clean("%c = arith.constant 1 : index\nfunc.func @f() {\n%c = arith.constant 2 : index\n"
	      "return\n}\n%d = arith.addi %c, %c : index\n", "a function hides what is around it");
	clean("func @f(%a: index) { return }", "the older func");
	clean("foo.bar {\n  func.func @f() { return }\n}\n", "a function in another dialect's region");
	is_u64(mod->n_funcs, 1, "is found");
}

static void test_generic(void)
{
	const struct kt_op *op;

	clean("\"builtin.module\"() ({\n  \"func.func\"() ({\n  ^bb0(%t: tensor<4x8xf16>):\n"
	      "    %i = \"arith.constant\"() <{value = 0.0 : f16}> : () -> f16\n"
	      "    %e = \"tensor.splat\"(%i) : (f16) -> tensor<4x8xf16>\n"
	      "    %f = \"ktdp.inter_tile_produce\"() ({\n    ^bb0(%g: index):\n"
	      "      \"ktdp.yield_partial\"(%t) : (tensor<4x8xf16>) -> ()\n"
	      "    }) {producer_tiles_per_group = " SET "} : () -> " FUTURE "\n"
	      "    %r = \"ktdp.inter_tile_reduce\"(%f, %e) ({\n"
	      "    ^bb0(%a: tensor<4x8xf16>, %b: tensor<4x8xf16>):\n"
	      "      %s = \"arith.addf\"(%a, %b) : (tensor<4x8xf16>, tensor<4x8xf16>) -> "
	      "tensor<4x8xf16>\n"
	      "      \"ktdp.yield_reduced\"(%s) : (tensor<4x8xf16>) -> ()\n"
	      "    }) {consumer_tiles_per_group = " SET ", operandSegmentSizes = array<i32: 1, 1>}"
	      " : (" FUTURE ", tensor<4x8xf16>) -> tensor<4x8xf16>\n"
	      "    \"func.return\"() : () -> ()\n"
	      "  }) {sym_name = \"f\", function_type = (tensor<4x8xf16>) -> ()} : () -> ()\n"
	      "}) {grid = [4]} : () -> ()\n", "the generic form");
	if (!mod)
		return;
	is_str(mod->funcs[0]->name, "f", "its function");
	ok(mod->funcs[0]->n_grid == 1 && mod->funcs[0]->grid[0] == 4, "its grid");
	op = op_of("ktdp.inter_tile_reduce");
	ok(op->kind == KT_OP_REDUCE && op->n_operands == 1 && op->n_identity == 1,
	   "identity by position");
	ok(op->fn_in->kind == KT_TY_FUTURE && kt_type_equal(op->identity_types[0],
							    op->results[0]->type), "types");
	ok(kt_delivery_produce(op) == op_of("ktdp.inter_tile_produce"), "production");
	clean(in_func("%b = arith.constant 0 : index\n"
		      "%v = \"ktdp.construct_memory_view\"(%b, %i) {static_sizes = array<i64: 4, 8>,"
		      " static_strides = array<i64: -9223372036854775808, 1>, memory_space = "
		      "#ktdp.memory_space<ct_local, ct_id = 3>} : (index, index) -> memref<4x8xf16>\n"
		      "%a = \"ktdp.construct_access_tile\"(%v, %b, %i) {access_tile_set = "
		      "affine_set<(a, b) : (a >= 0)>} : (memref<4x8xf16>, index, index) -> "
		      "!ktdp.access_tile<1x8xindex>\n"
		      "%s = \"tensor.extract_slice\"(%t, %i) {static_offsets = array<i64: "
		      "-9223372036854775808, 0>, static_sizes = array<i64: 2, 8>, static_strides = "
		      "array<i64: 1, 1>} : (tensor<4x8xf16>, index) -> tensor<2x8xf16>\n"
		      "%p = \"arith.cmpi\"(%i, %b) {predicate = 2 : i64} : (index, index) -> i1"),
	      "generic views, accesses, slices, comparisons");
	op = op_of("ktdp.construct_memory_view");
	ok(op && op->sizes.e[1].value == 8 && op->strides.e[0].dynamic &&
	   !strcmp(op->strides.e[0].v->name, "%i"), "static and dynamic entries");
	ok(op && op->ct_id_present && op->ct_id.value == 3, "ct_id");
	op = op_of("ktdp.construct_access_tile");
	ok(op && op->offsets.n == 2 && op->offsets.e[1].dynamic, "subscripts");
	op = op_of("tensor.extract_slice");
	ok(op && op->offsets.e[0].dynamic && op->sizes.e[0].value == 2, "slice");
	is_str(kt_op_attr(op_of("arith.cmpi"), "predicate")->s, "slt", "predicate as a word");
}

/* --- around the deliveries --------------------------------------------------------- */

struct type_case {
	const char *body, *op, *type;
};

static const struct type_case type_cases[] = {
	{ "%a = arith.addi %n, %n : i32", "arith.addi", "i32" },
	{ "%a = arith.addf %t, %t fastmath<fast> : tensor<4x8xf16>", "arith.addf",
	  "tensor<4x8xf16>" },
	{ "%a = arith.addi %n, %n overflow<nsw, nuw> {x} : i32", "arith.addi", "i32" },
	{ "%a = arith.cmpi slt, %n, %n : i32", "arith.cmpi", "i1" },
	{ "%a = arith.cmpf ogt, %t, %t : tensor<4x8xf16>", "arith.cmpf", "tensor<4x8xi1>" },
	{ "%a = arith.select %c, %n, %n : i32", "arith.select", "i32" },
	{ "%b = arith.cmpf ogt, %t, %t : tensor<4x8xf16>\n"
	  "%a = arith.select %b, %t, %t : tensor<4x8xi1>, tensor<4x8xf16>", "arith.select",
	  "tensor<4x8xf16>" },
	{ "%a = arith.index_cast %i : index to i64", "arith.index_cast", "i64" },
	{ "%a = arith.truncf %t to_nearest_even : tensor<4x8xf16> to tensor<4x8xf8E4M3FN>",
	  "arith.truncf", "tensor<4x8xf8E4M3FN>" },
	{ "%a:2 = arith.mului_extended %n, %n : i32", "arith.mului_extended", "i32" },
	{ "%a = index.add %i, %i", "index.add", "index" },
	{ "%a = index.cmp slt(%i, %i)", "index.cmp", "i1" },
	{ "%a = index.casts %i : index to i32", "index.casts", "i32" },
	{ "%a = index.constant 4", "index.constant", "index" },
	{ "%a = affine.apply affine_map<(d)[s] -> (d * 2 + s)>(%i)[%i]", "affine.apply", "index" },
	{ "%a = arith.constant true", "arith.constant", "i1" },
	{ "%a = arith.constant dense<0.0> : tensor<4xf32>", "arith.constant", "tensor<4xf32>" },
	{ "%a = arith.constant dense<[1, 2]> : tensor<2xi32>", "arith.constant", "tensor<2xi32>" },
	{ "%a = tensor.empty() : tensor<4xf16>", "tensor.empty", "tensor<4xf16>" },
	{ "%a = tensor.extract %t[%i, %i] : tensor<4x8xf16>\n%b = arith.addf %a, %a : f16",
	  "tensor.extract", "f16" },
	{ "%a = memref.load %m[%i, %i] : memref<8x8xf16>", "memref.load", "f16" },
	{ "%a = tensor.dim %t, %i : tensor<4x8xf16>", "tensor.dim", "index" },
	{ "%a = tensor.collapse_shape %t [[0, 1]] : tensor<4x8xf16> into tensor<32xf16>",
	  "tensor.collapse_shape", "tensor<32xf16>" },
	{ "%a = tensor.extract_slice %t[%i, 0] [2, 8] [1, 1] : tensor<4x8xf16> to tensor<2x8xf16>",
	  "tensor.extract_slice", "tensor<2x8xf16>" },
	{ "%a = tensor.insert_slice %t into %t[0, 0] [4, 8] [1, 1] : tensor<4x8xf16> into "
	  "tensor<4x8xf16>", "tensor.insert_slice", "tensor<4x8xf16>" },
	{ "%a = math.exp %t : tensor<4x8xf16>", "math.exp", "tensor<4x8xf16>" },
	{ "%a = foo.bar %t, %n {a = 1} : (tensor<4x8xf16>, i32) -> !foo.x<4, \"s\">", "foo.bar",
	  "!foo.x<4,\"s\">" },
	{ "%a = foo.bar\n    %t,\n    %n : tensor<4x8xf16>, i32 -> f32", "foo.bar", "f32" },
	{ "%a = linalg.fill ins(%n : i32) outs(%t : tensor<4x8xf16>) -> tensor<4x8xf16>",
	  "linalg.fill", "tensor<4x8xf16>" },
	{ "%a = linalg.transpose ins(%t : tensor<4x8xf16>) outs(%t : tensor<4x8xf16>) "
	  "permutation = [1, 0]", "linalg.transpose", "tensor<4x8xf16>" },
	{ "%a = linalg.map { arith.addf } ins(%t, %t : tensor<4x8xf16>, tensor<4x8xf16>) outs(%t : "
	  "tensor<4x8xf16>)", "linalg.map", "tensor<4x8xf16>" },
	{ "%a = linalg.reduce ins(%t : tensor<4x8xf16>) outs(%t : tensor<4x8xf16>) dimensions = "
	  "[0] (%x: f16, %y: f16) {\n%z = arith.addf %x, %y : f16\nlinalg.yield %z : f16\n}",
	  "linalg.reduce", "tensor<4x8xf16>" },
	{ "%a = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], "
	  "iterator_types = [\"parallel\"]} ins(%t : tensor<4x8xf16>) outs(%t : tensor<4x8xf16>) {\n"
	  "^bb0(%x: f16, %y: f16):\n%z = arith.addf %x, %y : f16\nlinalg.yield %z : f16\n} -> "
	  "tensor<4x8xf16>", "linalg.generic", "tensor<4x8xf16>" },
	{ "%a = scf.for %k = %i to %i step %i iter_args(%x = %t) -> (tensor<4x8xf16>) {\n"
	  "scf.yield %x : tensor<4x8xf16>\n}", "scf.for", "tensor<4x8xf16>" },
	{ "%a = scf.if %c -> (i32) {\nscf.yield %n : i32\n} else {\nscf.yield %n : i32\n}",
	  "scf.if", "i32" },
	{ "%a = affine.for %k = 0 to 4 iter_args(%x = %n) -> i32 { affine.yield %x : i32 }",
	  "affine.for", "i32" },
	{ "%a, %b = ktdp.get_compute_tile_id : index, index", "ktdp.get_compute_tile_id", "index" },
	{ "%a = ktdp.construct_access_tile %m[%i, 0] {x = 1} : memref<8x8xf16> -> <4x8xindex>",
	  "ktdp.construct_access_tile", "!ktdp.access_tile<4x8xindex>" },
	{ "%a = \"foo.baz\"(%t, %n) : (tensor<4x8xf16>, i32) -> i64", "foo.baz", "i64" },
	{ "%a = memref.cast %m : memref<8x8xf16> to memref<?x8xf16, strided<[8, 1], offset: ?>, "
	  "#foo.s<1>>", "memref.cast", "memref<?x8xf16>" },
	{ "%a = foo.vec %i : vector<4xf32>", "foo.vec", "vector<4xf32>" },
};

static void test_result_types(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(type_cases) / sizeof(type_cases[0]); i++) {
		clean(in_func(type_cases[i].body), type_cases[i].op);
		is_str(mod ? result_type(type_cases[i].op) : "", type_cases[i].type, "its type");
	}
}

static void test_guessed_types(void)
{
	clean(in_func("%a = foo.load %m : memref<8x8xf16>\n%b = arith.addf %a, %a : f16"),
	      "the first use corrects a guessed type");
	is_str(result_type("foo.load"), "f16", "to that of the use");
	clean(in_func("%a = foo.two %m, %t : memref<8x8xf16>, tensor<4x8xf16>\n"
		      "%b = arith.addf %a, %a : f16"), "two types say nothing about one result");
	clean(in_func("%a:2 = foo.two %m : f32\n%b = arith.addf %a#1, %a#1 : f16"),
	      "nor one type about two results");
}

static void test_control_flow(void)
{
	const struct kt_op *op;

	clean(in_func("scf.for %k = %i to %i step %i {\n%a = arith.addi %k, %i : index\n}\n"
		      "scf.for %k = %i to %i step %i : index {\n}"), "scf.for, twice the same name");
	op = op_of("scf.for");
	ok(op && op->kind == KT_OP_FOR && op->lower.dynamic && op->n_operands == 3, "bounds");
	ok(op && op->regions[0].blocks[0].n_args == 1 && op->regions[0].blocks[0].args[0]->n_uses == 1,
	   "induction variable");
	clean(in_func("affine.for %k = 1 to 9 step 2 {\n}\n"), "affine.for");
	op = op_of("affine.for");
	ok(op && op->lower.value == 1 && op->upper.value == 9 && op->step.value == 2 &&
	   !op->lower.dynamic, "static bounds");
	clean("#u = affine_map<() -> (5)>\nfunc.func @f(%i: index) {\naffine.for %k = "
	      "affine_map<(d) -> (d)>(%i) to #u() {\n}\nreturn\n}", "bounds by maps");
	op = op_of("affine.for");
	ok(op && op->lower.dynamic && !op->lower.v, "a map of a value is not known");
	ok(op && !op->upper.dynamic && op->upper.value == 5 && op->step.value == 1,
	   "a map without operands is");
	clean(in_func("scf.if %c {\n} else {\n}"), "scf.if");
	is_u64(op_of("scf.if")->n_regions, 2, "both regions");
	clean(in_func("scf.forall (%k) in (4) {\n%a = arith.addi %k, %k : index\n}"),
	      "another loop: its variable is an argument of the region");
	clean(in_func("cf.br ^bb1(%i : index)\n^bb1(%k: index):\ncf.cond_br %c, ^bb1(%k : index), "
		      "^bb2\n^bb2:"), "blocks");
	is_u64(mod ? mod->funcs[0]->body.n_blocks : 0, 3, "three of them");
	ok(mod && mod->funcs[0]->body.blocks[1].args[0]->block == &mod->funcs[0]->body.blocks[1] &&
	   mod->funcs[0]->body.blocks[0].first->parent == &mod->funcs[0]->body.blocks[0],
	   "that know their contents");
}

static const struct kt_attr *constant(const char *text)
{
	char body[256];

	snprintf(body, sizeof(body), "%%a = arith.constant %s", text);
	return clean(in_func(body), text) ? kt_op_attr(op_of("arith.constant"), "value") : NULL;
}

static void is_float(const char *text, double want)
{
	const struct kt_attr *at = constant(text);

	ok(at && at->kind == KT_AT_FLOAT && (isnan(want) ? isnan(at->f) : at->f == want),
	   "%s is %g", text, at ? at->f : 0);
}

static void is_int(const char *text, int64_t want)
{
	const struct kt_attr *at = constant(text);

	ok(at && at->kind == KT_AT_INT && at->i == want, "%s is %" PRId64, text, at ? at->i : 0);
}

static void test_constants(void)
{
	const struct kt_attr *at;

	is_float("1.5 : f32", 1.5);
	is_float("-2.0e-3 : f64", -2.0e-3);
	is_float("0xFF800000 : f32", -INFINITY);
	is_float("0x7FC00000 : f32", NAN);
	is_float("0xFC00 : f16", -INFINITY);
	is_float("0x3C00 : f16", 1.0);
	is_float("0x0001 : f16", 0x1p-24);
	is_float("0x83FF : f16", -0x3FFp-24);
	is_float("0xFBFF : f16", -65504.0);
	is_float("0xFF80 : bf16", -INFINITY);
	is_float("0x0001 : bf16", 0x1p-133);
	is_float("0x4049 : bf16", 3.140625);
	is_float("0x00000001 : f32", 0x1p-149);
	is_float("0xFFF0000000000000 : f64", -INFINITY);
	is_float("dense<0xFF80> : tensor<4xbf16>", -INFINITY);
	is_int("-128 : i8", -128);
	is_int("255 : i8", -1);
	is_int("0x80 : i8", -128);
	is_int("255 : ui8", 255);
	is_int("-9223372036854775808 : i64", INT64_MIN);
	is_int("0x8000000000000000 : i64", INT64_MIN);
	is_int("9223372036854775807 : index", INT64_MAX);
	is_int("1 : i1", 1);
	is_int("-1 : i1", 1);
	is_int("dense<-2147483648> : tensor<2x2xi32>", INT32_MIN);
	at = constant("dense<true> : tensor<2xi1>");
	ok(at && at->kind == KT_AT_BOOL && at->i == 1 && at->type->kind == KT_TY_TENSOR, "a splat");
	at = constant("dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>");
	ok(at && at->kind == KT_AT_OPAQUE, "what is no splat stays text");
}

static void test_attributes(void)
{
	const struct kt_op *op;

	clean(in_func("foo.x {a, b = unit, c = \"s\\0A\\\"\", d = @sym, e = [1, [2]], f = {g = 1.5}, "
		      "h = f32, i = #foo.bar<1, <2>>, j = array<i64: 3, -4>, \"k l\" = true, "
		      "m = affine_map<(d) -> (d, d + 1)>, n = tensor<4xf16>, o = -3 : i8, "
		      "p = #foo<bar>, q = !foo.t, r = (i32) -> i32, s = loc(unknown)}"), "attributes");
	op = op_of("foo.x");
	if (!op)
		return;
	ok(kt_op_attr(op, "a")->kind == KT_AT_UNIT && kt_op_attr(op, "b")->kind == KT_AT_UNIT, "unit");
	is_str(kt_op_attr(op, "c")->s, "s\n\"", "string with escapes");
	is_str(kt_op_attr(op, "d")->s, "sym", "symbol");
	ok(kt_op_attr(op, "e")->n == 2 && kt_op_attr(op, "e")->elems[1].elems[0].i == 2, "array");
	ok(kt_op_attr(op, "f")->kind == KT_AT_DICT && kt_op_attr(op, "f")->elems[0].f == 1.5, "dict");
	ok(kt_op_attr(op, "h")->kind == KT_AT_TYPE, "type");
	is_str(kt_op_attr(op, "i")->s, "#foo.bar<1, <2>>", "another dialect's");
	ok(kt_op_attr(op, "j")->n == 2 && kt_op_attr(op, "j")->elems[1].i == -4, "dense array");
	ok(kt_op_attr(op, "k l")->kind == KT_AT_BOOL, "quoted name");
	ok(kt_op_attr(op, "m")->map->n_results == 2, "map");
	ok(!kt_op_attr(op, "z"), "none of this name");
}

static void test_spaces(void)
{
	static const char head[] = "%v = ktdp.construct_memory_view %i, sizes: [%i, 4], strides: "
		"[4, %i] {memory_space = #ktdp.memory_space<";
	char text[512];
	const struct kt_op *op;

	snprintf(text, sizeof(text), "%sct_local, ct_id = %%i>} : memref<?x4xf16>", head);
	clean(in_func(text), "ct_id by a value");
	op = op_of("ktdp.construct_memory_view");
	ok(op && op->ct_id.dynamic && op->ct_id.v == op->operands[0].value, "is that value");
	ok(op && op->n_operands == 3 && op->sizes.e[0].dynamic && op->strides.e[1].dynamic,
	   "sizes and strides by values are operands");
	clean("#l = #ktdp.memory_space<ct_local , ct_id=12>\nfunc.func @f(%i: index) {\n"
	      "%v = ktdp.construct_memory_view %i, sizes: [4], strides: [1] {memory_space = #l} : "
	      "memref<4xf16>\nreturn\n}", "a space by an alias");
	op = op_of("ktdp.construct_memory_view");
	ok(op && op->space == KT_SPACE_LOCAL && op->ct_id.value == 12, "with its tile");
	clean(in_func("%v = ktdp.construct_memory_view %i, sizes: [4], strides: [1] : memref<4xf16>"),
	      "a view without a space");
	ok(op_of("ktdp.construct_memory_view")->space == KT_SPACE_UNKNOWN, "is of none");
}

int main(void)
{
	test_gather_file();
	test_reduce_file();
	test_deliveries();
	test_folds();
	test_old_spellings();
	test_strict_notes();
	test_aliases();
	test_files();
	test_generic();
	test_result_types();
	test_guessed_types();
	test_control_flow();
	test_constants();
	test_attributes();
	test_spaces();
	ktdev_module_free(mod);
	ktdev_report_free(rep);
	return done_testing();
}
