// SPDX-License-Identifier: MIT
/*
 * KTIR text that is refused: every message with its place, recovery, limits.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "../tap.h"
#include "module.h"

#define SET	"affine_set<(i)[g] : (i - g == 0)>"
#define FUTURE	"!ktdp.tile_future<(tensor<4x8xf16>), groups = [0]>"

/* A case: the body of a function whose first line is line 2; or a whole file. */
struct bad {
	const char *text;
	unsigned int line, col, end_col;
	const char *message;
};

static const struct bad in_func[] = {
	/* values */
	{ "foo.bar %x", 2, 9, 11, "'%x' is not defined here" },
	{ "%a = arith.addi %n, %x : i32", 2, 21, 23, "'%x' is not defined here" },
	{ "%n = arith.constant 1 : i32", 2, 1, 3, "'%n' is defined twice" },
	{ "%a, %a = foo.bar : i32, i32", 2, 5, 7, "'%a' is defined twice" },
	{ "%a:2 = foo.bar : i32, i32\nfoo.baz %a#2", 3, 9, 13, "'%a' has 2 results, there is no #2" },
	{ "%a = arith.addi %n, %i : i32", 2, 26, 29, "'%i' is index, not i32" },
	{ "%a = arith.addi %t, %t : tensor<4x8xf32>", 2, 26, 41,
	  "'%t' is tensor<4x8xf16>, not tensor<4x8xf32>" },
	{ "%a = foo.bar %n : (i32) -> i8\n%b = arith.addi %a, %a : i32", 3, 26, 29,
	  "'%a' is i8, not i32" },
	{ "ktdp.yield_partial %t, %n : tensor<4x8xf16>", 2, 20, 44, "2 values, but 1 types" },
	{ "%a, %b = arith.constant 1 : i32", 2, 10, 24, "2 results are named, but there is 1" },
	{ "%a = ktdp.store %t, %t : tensor<4x8xf16>, tensor<4x8xf16>", 2, 6, 16,
	  "1 results are named, but there are 0" },
	{ "%a:0 = foo.bar", 2, 1, 5, "between 1 and 256 results" },
	{ "%a:300 = foo.bar", 2, 1, 7, "between 1 and 256 results" },
	{ "%a = ", 3, 1, 2, "expected an operation, found '}'" },
	{ "%a", 3, 1, 2, "expected '=', found '}'" },
	/* deliveries */
	{ "%f = ktdp.inter_tile_produce producer_tiles_per_group = " SET " { }", 3, 1, 2,
	  "expected '->', found '}'" },
	{ "%f = ktdp.inter_tile_produce producer_tiles_per_group = -> " FUTURE, 2, 57, 59,
	  "expected an attribute, found '->'" },
	{ "%r = ktdp.inter_tile_gather consumer_tiles_per_group = [0] : " FUTURE
	  " -> tensor<4x8xf16>", 2, 6, 28, "a delivery takes a tile future" },
	{ "%r = ktdp.inter_tile_gather(%t, %t) : " FUTURE " -> i32", 2, 33, 35,
	  "a delivery takes one tile future" },
	{ "%r = ktdp.inter_tile_bcast(%t) : " FUTURE " -> i32", 2, 6, 27,
	  "'ktdp.inter_tile_bcast' is no delivery that is known here" },
	{ "%r = ktdp.inter_tile_consume(%t) a = 1, a = 2 : " FUTURE " -> i32", 2, 41, 42,
	  "'a' is given twice" },
	{ "%r = ktdp.inter_tile_consume(%t) : " FUTURE, 3, 1, 2, "expected '->', found '}'" },
	{ "%r = ktdp.inter_tile_consume(%t) : " FUTURE " -> ()", 2, 90, 92,
	  "a delivery has at least one result" },
	{ "%r = ktdp.inter_tile_reduce(%t) identity(%n : i8) : " FUTURE " -> i32", 2, 47, 49,
	  "'%n' is i32, not i8" },
	{ "%r = ktdp.inter_tile_reduce(%t) identity(%n, %n : i32) : " FUTURE " -> i32", 2, 33, 55,
	  "2 values, but 1 types" },
	{ "%r = ktdp.inter_tile_consume(%t) : !ktdp.tile_future<()> -> i32", 2, 53, 57,
	  "a tile future without a partial type" },
	{ "%r = ktdp.inter_tile_consume(%t) : !ktdp.tile_future<(i32), groups = #x> -> i32", 2, 70,
	  72, "'#x' is not defined" },
	{ "%r = ktdp.inter_tile_consume(%t) : !ktdp.tile_future<(i32), groups = 3> -> i32", 2, 70,
	  71, "expected a set of groups, found '3'" },
	{ "%r = ktdp.inter_tile_consume(%t) consumer_tiles_per_group = [0, 4294967296] : " FUTURE
	  " -> i32", 2, 65, 75, "no tile has an id over 4294967295" },
	{ "%r = \"ktdp.inter_tile_reduce\"(%t, %n) {operandSegmentSizes = array<i32: 1, 2>} : "
	  "(tensor<4x8xf16>, i32) -> i32", 2, 6, 30, "operandSegmentSizes do not match" },
	/* views */
	{ "%v = ktdp.construct_memory_view %i, strides: [1] : memref<4xf16>", 2, 6, 32,
	  "a memory view needs 'sizes: [...]'" },
	{ "%v = ktdp.construct_memory_view %i, sizes: [4, 4], strides: [1] : memref<4xf16>", 2, 44,
	  50, "2 sizes for a memref of rank 1" },
	{ "%v = ktdp.construct_memory_view %i, sizes: [4], strides: [1, 2] : memref<4xf16>", 2, 58,
	  64, "2 strides for a memref of rank 1" },
	{ "%v = ktdp.construct_memory_view %i, sizes: [4], strides: [1] : tensor<4xf16>", 2, 64, 77,
	  "a memory view is a memref" },
	{ "%v = ktdp.construct_memory_view %i, sizes: [4], strides: [1] {memory_space = "
	  "#ktdp.memory_space<shared>} : memref<4xf16>", 2, 78, 104,
	  "expected 'global' or 'ct_local'" },
	{ "%v = ktdp.construct_memory_view %i, sizes: [4], strides: [1] {memory_space = "
	  "#ktdp.memory_space<ct_local, ct_id = %x>} : memref<4xf16>", 2, 78, 118,
	  "'%x' is not defined" },
	{ "%v = ktdp.construct_memory_view %i, sizes: [4], strides: [1] {memory_space = "
	  "#ktdp.memory_space<global, x>} : memref<4xf16>", 2, 78, 107, "expected '>'" },
	{ "%a = ktdp.construct_access_tile %m[%i] : memref<8x8xf16> -> <4xindex>", 2, 35, 39,
	  "1 subscripts for rank 2" },
	{ "%a = ktdp.construct_access_tile %m[%i, 0] : memref<8x8xf16> -> tensor<4xf16>", 2, 64, 77,
	  "expected !ktdp.access_tile<...>" },
	{ "ktdp.store %t : tensor<4x8xf16>", 2, 12, 14, "a store takes a value and an access tile" },
	{ "%a = tensor.extract_slice %t[0] [4, 8] [1, 1] : tensor<4x8xf16> to tensor<4x8xf16>", 2, 29,
	  64, "1 offsets, 2 sizes and 2 strides for rank 2" },
	/* sets */
	{ "foo.x {s = affine_set<(i) : (j >= 0)>}", 2, 30, 31, "'j' is no dimension or symbol" },
	{ "foo.x {s = affine_set<(i)[j] : (i * j >= 0)>}", 2, 33, 38,
	  "a product of two variables is not affine" },
	{ "foo.x {s = affine_set<(i)[j] : (i mod j >= 0)>}", 2, 39, 40,
	  "the divisor must be a constant" },
	{ "foo.x {s = affine_set<(i) : (i > 0)>}", 2, 32, 33, "expected '>=', '<=' or '==', found '>'" },
	{ "foo.x {s = affine_set<(i) : (i >= )>}", 2, 35, 36, "expected an affine expression" },
	{ "foo.x {s = affine_set<(i) : (i >= 0>}", 2, 36, 37, "expected ')', found '>'" },
	{ "foo.x {s = affine_set<(i) (i >= 0)>}", 2, 27, 28, "expected ':', found '('" },
	{ "foo.x {s = affine_set<(i)[a, b, c, d] : (i >= 0)>}", 2, 36, 37, "more than 3 of them" },
	{ "foo.x {s = affine_set<(a,b,c,d,e,f,g,h,i) : (i >= 0)>}", 2, 40, 41, "more than 8 of them" },
	{ "foo.x {s = affine_set<(i) : (i >= 9223372036854775808)>}", 2, 35, 54,
	  "the number does not fit 64 bits" },
	{ "foo.x {s = affine_map<(i) -> (i, j)>}", 2, 34, 35, "'j' is no dimension or symbol" },
	{ "%a = affine.apply affine_map<(i) -> (i)>(%i, %i)", 2, 19, 49,
	  "2 dims and 0 symbols for a map of 1 and 0" },
	{ "%a = affine.apply affine_map<(i) -> (i, i)>(%i)", 2, 19, 44,
	  "affine.apply needs a map with one result" },
	/* types */
	{ "%a = arith.addi %n, %n : tensor<4y4xi32>", 2, 34, 40, "expected 'x' and the element type" },
	{ "%a = arith.addi %n, %n : tensor<99999999999999999999xi32>", 2, 33, 53,
	  "an extent that does not fit 64 bits" },
	{ "%a = arith.addi %n, %n : tensor<1x1x1x1x1x1x1x1x1xi32>", 2, 33, 34, "more than 8 axes" },
	{ "%a = arith.addi %n, %n : tensor<4x8xf16", 3, 1, 2, "expected '>', found '}'" },
	{ "%a = arith.addi %n, %n : frob", 2, 26, 30, "expected a type, found 'frob'" },
	{ "%a = arith.addi %n, %n : !x", 2, 26, 28, "'!x' is not defined" },
	{ "%a = arith.addi %n, %n", 3, 1, 2, "expected ':', found '}'" },
	/* constants */
	{ "%a = arith.constant 256 : i8", 2, 21, 24, "the number does not fit 8 bits" },
	{ "%a = arith.constant -129 : i8", 2, 21, 25, "the number does not fit 8 bits" },
	{ "%a = arith.constant -1 : ui8", 2, 21, 23, "the number does not fit 8 bits" },
	{ "%a = arith.constant 9223372036854775808 : index", 2, 21, 40,
	  "the number does not fit 64 bits" },
	{ "%a = arith.constant 99999999999999999999 : i64", 2, 21, 41,
	  "the number does not fit 64 bits" },
	{ "%a = arith.constant 0x1FFFF : f16", 2, 21, 28, "these bits do not fit the type" },
	{ "%a = arith.constant 1.5 : i32", 2, 21, 24, "a fraction for an integer type" },
	{ "%a = arith.constant", 3, 1, 2, "expected an attribute, found '}'" },
	{ "%a = arith.constant \"x\"", 2, 21, 24, "expected a constant with its type" },
	/* control flow */
	{ "scf.for %k = %i to %i {\n}", 2, 23, 24, "expected 'step', found '{'" },
	{ "scf.if %n {\n}", 2, 8, 10, "'%n' is i32, not i1" },
	{ "scf.for %k = %i to %i step %i {\n%a = arith.addi %k, %k : index\n}\nfoo.use %a", 5, 9, 11,
	  "'%a' is not defined here" },
	/* characters */
	{ "foo.x & 3", 2, 7, 8, "expected an operation, found a character that starts nothing" },
	{ "foo.x \xc3\xa9", 2, 7, 9, "found a byte that is no ASCII character" },
	{ "foo.x {a = \"open\n}", 2, 12, 17, "found a string that does not end on its line" },
	{ "foo.x (%i", 3, 1, 2, "expected ')' or ']', found '}'" },
	{ "foo.x (%i]", 2, 10, 11, "expected ')', found ']'" },
	{ "foo.x )", 2, 7, 8, "expected an operation, found ')'" },
	{ "foo.x {a = #b.c<(}", 2, 16, 17, "this '<' is not closed" },
};

static const struct bad files[] = {
	{ "}", 1, 1, 2, "this '}' closes nothing" },
	{ "module {", 1, 8, 9, "this '{' is not closed" },
	{ "func.func @f() {", 1, 16, 17, "this '{' is not closed" },
	{ "func.func f() { }", 1, 11, 12, "expected a symbol (@name), found 'f'" },
	{ "func.func @f() { }\nfunc.func @f() { }", 2, 11, 13, "function 'f' is defined twice" },
	{ "module attributes {grid = [0]} { }", 1, 28, 29, "a grid extent is a positive number" },
	{ "module attributes {grid = 4} { }", 1, 27, 28, "a grid is a list of 1 to 8 extents" },
	{ "module attributes {grid = []} { }", 1, 27, 29, "a grid is a list of 1 to 8 extents" },
	{ "#a = #b\n#b = #a", 2, 6, 8, "'#a' is defined by itself" },
	{ "#a = 1\n#a = 2", 2, 1, 3, "'#a' is defined twice" },
	{ "#a = affine_set<(i, i) : (i >= 0)>", 1, 21, 22, "'i' is named twice" },
	{ "#a = affine_set<(i)[g, i] : (i >= 0)>", 1, 24, 25, "'i' is named twice" },
	{ "#a = affine_map<(d0)[d0] -> (d0)>", 1, 22, 24, "'d0' is named twice" },
	{ "#a = affine_set<(i) : (i != 3)>", 1, 26, 27,
	  "expected '>=', '<=' or '==', found a character without the name that belongs behind it" },
	{ "!a = 1", 1, 6, 7, "expected a type, found '1'" },
	{ "#a =", 1, 5, 5, "expected an attribute, the text ends" },
	{ "%f = ktdp.inter_tile_produce -> " FUTURE, 1, 6, 29,
	  "'ktdp.inter_tile_produce' stands outside of a function" },
	{ "func.func @f(%a: index, %a: index) { return }", 1, 25, 27, "'%a' is defined twice" },
	{ "func.func @f() { ^bb0(%a: index): foo.x %a\n^bb1(%a: index): return }", 2, 6, 8,
	  "'%a' is defined twice" },
	{ "\"func.func\"() ({ \"func.return\"() : () -> () }) : () -> ()", 1, 1, 12,
	  "a function needs 'sym_name' and a region" },
	{ "hello", 1, 1, 6, "expected an operation, found 'hello'" },
};

static struct ktdev_report *rep;
static struct ktdev_module *mod;

static int parse_bytes(const char *text, size_t len)
{
	ktdev_module_free(mod);
	ktdev_report_free(rep);
	rep = ktdev_report_new();
	return ktdev_module_parse("t.mlir", text, len, rep, &mod);
}

static void is_refused(const char *text, const struct bad *b, const char *name)
{
	int err = parse_bytes(text, strlen(text));
	const struct ktdev_diag *d = ktdev_report_get(rep, 0);
	bool good = err == -22 && !mod && ktdev_report_total(rep, KTDEV_ERROR) == 1 && d &&
		    d->range.line == b->line && d->range.col == b->col &&
		    d->range.end_col == b->end_col && strstr(d->message, b->message);
	size_t i;

	if (ok(good, "%s", name))
		return;
	diag("want %u:%u-%u \"%s\", got %d", b->line, b->col, b->end_col, b->message, err);
	for (i = 0; i < ktdev_report_count(rep) && i < 3; i++) {
		d = ktdev_report_get(rep, i);
		diag("%u:%u-%u:%u \"%s\"", d->range.line, d->range.col, d->range.end_line,
		     d->range.end_col, d->message);
	}
}

static void test_messages(void)
{
	char text[2048], name[64];
	unsigned int i;

	for (i = 0; i < sizeof(in_func) / sizeof(in_func[0]); i++) {
		snprintf(text, sizeof(text), "func.func @f(%%t: tensor<4x8xf16>, %%m: "
			 "memref<8x8xf16>, %%i: index, %%n: i32) {\n%s\n}\n", in_func[i].text);
		snprintf(name, sizeof(name), "body %u: %.40s", i, in_func[i].message);
		is_refused(text, &in_func[i], name);
	}
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(name, sizeof(name), "file %u: %.40s", i, files[i].message);
		is_refused(files[i].text, &files[i], name);
	}
}

/* All errors of a file, each once, with its line. */
static void test_recovery(void)
{
	static const unsigned int lines[] = { 1, 3, 6, 10, 13, 18 };
	static const char text[] =
		"#a = affine_set<(i) : (i >)>\n"
		"func.func @f(%i: index) {\n"
		"  %a = arith.addi %i, %nope : index\n"
		"  %b = arith.muli %a, %i : index\n"
		"  scf.for %k = %i to %i step %i {\n"
		"    %c = arith.constant 1.5 : index\n"
		"    foo.use %c, %k\n"
		"  }\n"
		"  foo.region {\n"
		"    %d = ktdp.load %i : -> i8\n"
		"  }\n"
		"  %e = ktdp.construct_memory_view %i,\n"
		"      sizes = [4 4],\n"
		"      strides: [1] : memref<4xf16>\n"
		"  foo.use %e, %b\n"
		"  return\n"
		"}\n"
		"module attributes {grid = [-1]} {\n"
		"  func.func @g() { return }\n"
		"}\n";
	unsigned int i, bad = 0;

	ok(parse_bytes(text, strlen(text)) == -22, "a file with many errors");
	for (i = 0; i < ktdev_report_count(rep); i++) {
		const struct ktdev_diag *d = ktdev_report_get(rep, i);

		if (i >= sizeof(lines) / sizeof(lines[0]) || d->range.line != lines[i]) {
			diag("%u:%u %s", d->range.line, d->range.col, d->message);
			bad++;
		}
	}
	is_u64(bad, 0, "errors elsewhere");
	is_u64(ktdev_report_count(rep), sizeof(lines) / sizeof(lines[0]), "errors");
}

static void test_notes_of_errors(void)
{
	static const char text[] = "func.func @f(%i: index) {\n  %i = foo.bar\n}\n";
	const struct ktdev_diag *d;

	parse_bytes(text, strlen(text));
	d = ktdev_report_get(rep, 0);
	ok(d && d->n_notes == 1 && d->notes[0].range.line == 1 && d->notes[0].range.col == 14,
	   "a second definition names the place of the first");
	is_str(d ? d->line_text : "", "  %i = foo.bar", "and has its line");
	ok(d && !d->rule, "and no rule");
	parse_bytes("#s = affine_set<(i) : (i >= 99999999999999999999)>", 50);
	d = ktdev_report_get(rep, 0);
	is_str(d ? d->rule : "", "K12", "a number of a set that does not fit is K12");
}

/* --- limits ------------------------------------------------------------------------ */

static char *repeat(const char *head, const char *piece, size_t bytes, const char *tail)
{
	size_t n = strlen(piece), i, len = strlen(head);
	char *s = malloc(len + bytes + n + strlen(tail) + 1), *p;

	if (!s)
		abort();
	p = stpcpy(s, head);
	for (i = 0; i + n <= bytes; i += n)
		p = stpcpy(p, piece);
	strcpy(p, tail);
	return s;
}

/* Processor time: what other processes do is not the reader's fault. */
static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static long peak_kib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

struct hostile {
	const char *name, *head, *piece, *tail;
	int err;
};

static const struct hostile hostile[] = {
	{ "open braces", "func.func @f() {", "foo.x {\n^b:\n", "", -22 },
	{ "open parentheses", "func.func @f() { foo.x ", "(", "", -22 },
	{ "open brackets", "func.func @f() { foo.x {a = ", "[", "}}", -22 },
	{ "open angles", "func.func @f() { foo.x <", "<", "", -22 },
	{ "nested types", "!a = ", "tensor<4x", "", -22 },
	{ "nested dictionaries", "#a = ", "{a=", "", -22 },
	{ "nested modules", "", "module {", "", -22 },
	{ "nested expressions", "#a = affine_set<(i) : (", "(", "", -22 },
	{ "minus signs", "#a = affine_set<(i) : (", "-", "i >= 0)>", 0 },
	{ "a long sum", "#a = affine_set<(i) : (i", " + i", " >= 0)>", -22 },
	{ "many constraints", "#a = affine_set<(i) : (i >= 0", ", i >= 0", ")>", -22 },
	{ "many map results", "#a = affine_map<(i) -> (i", ", i", ")>", -22 },
	{ "a long array", "#a = [1", ",1", "]", -22 },
	{ "a long set", "module {\nfunc.func @f() {\n%f = ktdp.inter_tile_produce "
	  "producer_tiles_per_group = [1", ",1", "] -> <(i8), groups = [0]> {}\n}\n}\n", -22 },
	{ "many errors", "func.func @f() {\n", "foo.x %a\n", "}", -22 },
	{ "errors on one line", "func.func @f() {\n", "%a = %b ", "}", -22 },
	{ "zero bytes are no text", "", "\x01", "", -22 },
	{ "bytes over 127", "", "\xff", "", -22 },
	{ "quotes", "", "\"", "", -22 },
	{ "hashes", "", "#", "", -22 },
	{ "closing braces", "", "}", "", -22 },
	{ "unknown aliases", "func.func @f() {\n", "foo.x {a = #b}\n", "}", -22 },
	{ "unknown types", "func.func @f() {\n", "%a = foo.x : !b\n", "}", -22 },
	{ "a long name", "func.func @f() { foo.", "x", "\n}", 0 },
	{ "a long line of blanks", "", " ", "", 0 },
	{ "comments", "", "// c\n", "", 0 },
	{ "split lines", "", "// -----\n", "", 0 },
	{ "many small operations", "func.func @f() {\n", "a.b\n", "}", -22 },
	{ "many results", "func.func @f() {\n", "%a:256 = a.b\n", "}", -22 },
	{ "many functions", "", "func.func private @f()\n", "", -22 },
	{ "many blocks", "func.func @f() {\n", "^b:\na.b\n", "}", -22 },
	{ "many attributes", "func.func @f() { a.b {a0", ",a", "} }", -22 },
	{ "many operands", "func.func @f(%a: i8) { a.b %a", ",%a", "\n}", -22 },
	{ "many types", "func.func @f() { a.b : i8", ",i8", "\n}", -22 },
	{ "many dots", "func.func @f() { a.b ", ".", "\n}", 0 },
	{ "old spellings", "func.func @f() {\n", "a.b {gather_dim = 0}\n", "}", -22 },
};

static void test_hostile(void)
{
	bool small = getenv("KT_TEST_SMALL");
	unsigned int i, slow = 0, wrong = 0;
	double worst = 0;

	for (i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		const struct hostile *h = &hostile[i];
		char *text = repeat(h->head, h->piece, small ? 100 << 10 : 10 << 20,
				    h->tail);
		double start = seconds(), took;
		int err = parse_bytes(text, strlen(text));

		took = seconds() - start;
		free(text);
		if (took > worst)
			worst = took;
		slow += took > 1;
		/* the limits on memory are not reached by small text */
		if (err != h->err && (!small || (err && err != -22))) {
			const struct ktdev_diag *d = ktdev_report_get(rep, 0);

			diag("%s: %d, want %d: %s", h->name, err, h->err, d ? d->message : "");
			wrong++;
		}
	}
	is_u64(wrong, 0, "10 MB of hostile text that ends in another way");
	is_u64(slow, 0, "that take over 1 s (worst %.0f ms)", worst * 1e3);
	diag("peak memory %ld KiB", peak_kib());
}

static void test_peak(void)
{
	/* the text itself, the reader's copy, and what is made of it */
	ok(getenv("KT_TEST_SMALL") || peak_kib() * 1.024 < 100e3, "peak memory stays under 100 MB");
}

/* Every prefix of a file ends in an orderly way. */
static void test_prefixes(void)
{
	static char text[1 << 16];
	FILE *f = fopen("tests/data/ktir/all_reduce_from_global.mlir", "rb");
	size_t len = f ? fread(text, 1, sizeof(text), f) : 0, i;
	unsigned int bad = 0;

	if (f)
		fclose(f);
	ok(len > 2000, "the file is there");
	for (i = 0; i <= len; i++) {
		int err = parse_bytes(text, i);

		bad += err != 0 && err != -22;
		bad += err == -22 && !ktdev_report_total(rep, KTDEV_ERROR);
		bad += (err == 0) != (mod != NULL);
	}
	is_u64(bad, 0, "prefixes without a verdict");
}

int main(void)
{
	test_messages();
	test_recovery();
	test_notes_of_errors();
	test_prefixes();
	test_hostile();
	test_peak();
	ktdev_module_free(mod);
	ktdev_report_free(rep);
	return done_testing();
}
