// SPDX-License-Identifier: MIT
/*
 * Which fold a combiner is mapped to. Single spellings are listed; compare-and-select is
 * tried in all spellings and held against its own meaning on concrete numbers.
 */
#include <math.h>

#include "delivery.h"
#include "kte_table.h"
#include "tests/tap.h"

/* A reduce over tiles 0..3 with the given roles; the fold list it is mapped to. */
struct mapped {
	unsigned int n;
	struct kt_fold f[4];
	char why[128];
};

static void repeat(char *out, size_t len, const char *const *types, unsigned int n,
		   const char *fmt)
{
	unsigned int i;
	size_t k = strlen(out);

	for (i = 0; i < n; i++, k = strlen(out))
		snprintf(out + k, len - k, fmt, i ? ", " : "", i, types[i]);
}

static void join(char *out, size_t len, const char *const *types, unsigned int n, bool names)
{
	unsigned int i;
	size_t k = 0;

	for (i = 0; i < n; i++, k = strlen(out))
		if (names)
			snprintf(out + k, len - k, "%s%%x%u", i ? ", " : "", i);
		else
			snprintf(out + k, len - k, "%s%s", i ? ", " : "", types[i]);
}

static void program(char *out, size_t len, const char *const *types, unsigned int n,
		    const char *body, const char *yield)
{
	char list[512] = "", ids[256] = "", args[512] = "", bargs[512] = "", values[128] = "";

	join(list, sizeof(list), types, n, false);
	join(ids, sizeof(ids), types, n, true);
	repeat(args, sizeof(args), types, n, "%s%%x%u: %s");
	repeat(bargs, sizeof(bargs), types, n, "%s%%l%u: %s");
	strcat(bargs, ", ");
	repeat(bargs, sizeof(bargs), types, n, "%s%%r%u: %s");
	snprintf(values, sizeof(values), n > 1 ? "%%s:%u" : "%%s", n);
	snprintf(out, len,
		 "func.func @f(%s) {\n"
		 "  %%f = ktdp.inter_tile_produce producer_tiles_per_group =\n"
		 "      affine_set<(i)[g] : (i >= 0, -i + 3 >= 0)>\n"
		 "      -> !ktdp.tile_future<(%s), groups = affine_set<(g) : (g == 0)>> {\n"
		 "    ^bb0(%%gid: index):\n"
		 "      ktdp.yield_partial %s : %s\n  }\n"
		 "  %s = ktdp.inter_tile_reduce(%%f) consumer_tiles_per_group =\n"
		 "      affine_set<(i)[g] : (i >= 0, -i + 3 >= 0)>, identity(%s : %s)\n"
		 "      : !ktdp.tile_future<(%s), groups = affine_set<(g) : (g == 0)>> -> %s%s%s {\n"
		 "    ^bb0(%s):\n%s\n      ktdp.yield_reduced %s : %s\n  }\n  return\n}\n",
		 args, list, ids, list, values, ids, list, list, n > 1 ? "(" : "", list,
		 n > 1 ? ")" : "", bargs, body, yield, list);
}

static void map_text(const char *text, struct mapped *m)
{
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_module *mod = NULL;
	struct kt_arena a = { 0 };
	struct kt_checked chk;
	size_t i;

	memset(m, 0, sizeof(*m));
	if (!ktdev_module_parse("combiner", text, strlen(text), rep, &mod) &&
	    !kt_check_module(mod, NULL, rep, &a, &chk) && chk.n_deliveries == 1) {
		m->n = chk.deliveries[0].n_folds;
		for (i = 0; i < m->n && i < 4; i++)
			m->f[i] = chk.deliveries[0].folds[i];
		if (m->n && m->f[0].why)
			snprintf(m->why, sizeof(m->why), "%s", m->f[0].why);
	} else {
		diag("%s", text);
		for (i = 0; i < ktdev_report_count(rep); i++)
			diag("%u: %s", ktdev_report_get(rep, i)->range.line,
			     ktdev_report_get(rep, i)->message);
	}
	kt_arena_fini(&a);
	ktdev_module_free(mod);
	ktdev_report_free(rep);
}

static void map_body(const char *const *types, unsigned int n, const char *body,
		     const char *yield, struct mapped *m)
{
	char text[8192];

	program(text, sizeof(text), types, n, body, yield);
	map_text(text, m);
}

/* --- one role, listed --------------------------------------------------------------- */

#define T	"tensor<4x8xf32>"
#define TI	"tensor<4x8xi32>"
#define PROP	KTE_MODE_ZERO_ORDERED	/* maximumf, minimumf */
#define NUM	(KTE_MODE_ZERO_ORDERED | KTE_MODE_NAN_NUMBER)
#define GENERIC_HEAD \
	"%e = tensor.empty() : " T "\n" \
	"%s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,\n" \
	"  affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],\n" \
	"  iterator_types = [\"parallel\", \"parallel\"]}\n"
#define NAMED(op, t) \
	"%e = tensor.empty() : " t "\n" \
	"%s = linalg." op " ins(%l0, %r0 : " t ", " t ") outs(%e : " t ") -> " t

static const struct {
	const char *what, *type, *body;
	int op;			/* -1: not mapped */
	unsigned int mode;
} singles[] = {
	{ "addf", T, "%s = arith.addf %l0, %r0 : " T, KTE_OP_ADD, 0 },
	{ "addf swapped", T, "%s = arith.addf %r0, %l0 : " T, KTE_OP_ADD, 0 },
	{ "addf fastmath", T, "%s = arith.addf %l0, %r0 fastmath<nnan> : " T, KTE_OP_ADD, 0 },
	{ "addi", TI, "%s = arith.addi %l0, %r0 : " TI, KTE_OP_ADD, 0 },
	{ "mulf", T, "%s = arith.mulf %l0, %r0 : " T, KTE_OP_MUL, 0 },
	{ "muli", TI, "%s = arith.muli %l0, %r0 : " TI, KTE_OP_MUL, 0 },
	{ "andi", TI, "%s = arith.andi %l0, %r0 : " TI, KTE_OP_AND, 0 },
	{ "ori", TI, "%s = arith.ori %l0, %r0 : " TI, KTE_OP_OR, 0 },
	{ "xori", TI, "%s = arith.xori %l0, %r0 : " TI, KTE_OP_XOR, 0 },
	{ "maximumf", T, "%s = arith.maximumf %l0, %r0 : " T, KTE_OP_MAX, PROP },
	{ "maximumf swapped", T, "%s = arith.maximumf %r0, %l0 : " T, KTE_OP_MAX, PROP },
	{ "minimumf", T, "%s = arith.minimumf %l0, %r0 : " T, KTE_OP_MIN, PROP },
	{ "maxnumf", T, "%s = arith.maxnumf %l0, %r0 : " T, KTE_OP_MAX, NUM },
	{ "minnumf", T, "%s = arith.minnumf %r0, %l0 : " T, KTE_OP_MIN, NUM },
	{ "maxsi", TI, "%s = arith.maxsi %l0, %r0 : " TI, KTE_OP_MAX, 0 },
	{ "maxui", TI, "%s = arith.maxui %l0, %r0 : " TI, KTE_OP_MAX, KTE_MODE_UNSIGNED },
	{ "minsi", TI, "%s = arith.minsi %l0, %r0 : " TI, KTE_OP_MIN, 0 },
	{ "minui", TI, "%s = arith.minui %l0, %r0 : " TI, KTE_OP_MIN, KTE_MODE_UNSIGNED },
	{ "linalg.add", T, NAMED("add", T), KTE_OP_ADD, 0 },
	{ "linalg.mul of integers", TI, NAMED("mul", TI), KTE_OP_MUL, 0 },
	{ "linalg.max of floats", T, NAMED("max", T), KTE_OP_MAX, PROP },
	{ "linalg.max of integers", TI, NAMED("max", TI), KTE_OP_MAX, 0 },
	{ "linalg.min", T, NAMED("min", T), KTE_OP_MIN, PROP },
	{ "linalg.sub", T, NAMED("sub", T), -1, 0 },
	{ "linalg.elemwise_binary", T,
	  NAMED("elemwise_binary {fun = #linalg.binary_fn<mul>}", T), KTE_OP_MUL, 0 },
	{ "linalg.elemwise_binary unsigned", TI,
	  NAMED("elemwise_binary {fun = #linalg.binary_fn<max_unsigned>}", TI), KTE_OP_MAX,
	  KTE_MODE_UNSIGNED },
	{ "linalg.elementwise", T,
	  NAMED("elementwise kind=#linalg.elementwise_kind<add>", T), KTE_OP_ADD, 0 },
	{ "linalg.generic", T,
	  GENERIC_HEAD "  ins(%l0, %r0 : " T ", " T ") outs(%e : " T ") {\n"
	  "  ^bb0(%p: f32, %q: f32, %o: f32):\n    %t = arith.addf %p, %q : f32\n"
	  "    linalg.yield %t : f32\n} -> " T, KTE_OP_ADD, 0 },
	{ "linalg.generic into its output", T,
	  "%s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,\n"
	  "  affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]}\n"
	  "  ins(%r0 : " T ") outs(%l0 : " T ") {\n"
	  "  ^bb0(%p: f32, %o: f32):\n    %t = arith.mulf %o, %p : f32\n"
	  "    linalg.yield %t : f32\n} -> " T, KTE_OP_MUL, 0 },
	{ "linalg.generic transposed", "tensor<4x4xf32>",
	  "%e = tensor.empty() : tensor<4x4xf32>\n"
	  "%s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,\n"
	  "  affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],\n"
	  "  iterator_types = [\"parallel\", \"parallel\"]}\n"
	  "  ins(%l0, %r0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {\n"
	  "  ^bb0(%p: f32, %q: f32, %o: f32):\n    %t = arith.addf %p, %q : f32\n"
	  "    linalg.yield %t : f32\n} -> tensor<4x4xf32>", -1, 0 },
	{ "linalg.map short", T,
	  "%e = tensor.empty() : " T "\n"
	  "%s = linalg.map { arith.maxnumf } ins(%l0, %r0 : " T ", " T ") outs(%e : " T ")",
	  KTE_OP_MAX, NUM },
	{ "linalg.map", T,
	  "%e = tensor.empty() : " T "\n"
	  "%s = linalg.map ins(%l0, %r0 : " T ", " T ") outs(%e : " T ")\n"
	  "  (%p: f32, %q: f32) {\n    %t = arith.addf %p, %q : f32\n"
	  "    linalg.yield %t : f32\n  }", KTE_OP_ADD, 0 },
	{ "max of a max", T,
	  "%t = arith.maximumf %l0, %r0 : " T "\n%s = arith.maximumf %t, %l0 : " T, KTE_OP_MAX,
	  PROP },
	{ "a sum of three", T,
	  "%t = arith.addf %l0, %r0 : " T "\n%s = arith.addf %t, %l0 : " T, -1, 0 },
	{ "twice lhs", T, "%s = arith.addf %l0, %l0 : " T, -1, 0 },
	{ "only rhs", T, "%s = arith.maximumf %r0, %r0 : " T, -1, 0 },
	{ "subf", T, "%s = arith.subf %l0, %r0 : " T, -1, 0 },
	{ "mean of two", T,
	  "%t = arith.addf %l0, %r0 : " T "\n%k = arith.constant dense<0.5> : " T "\n"
	  "%s = arith.mulf %t, %k : " T, -1, 0 },
	{ "f16 accumulated in f32", "tensor<4xf16>",
	  "%a = arith.extf %l0 : tensor<4xf16> to tensor<4xf32>\n"
	  "%b = arith.extf %r0 : tensor<4xf16> to tensor<4xf32>\n"
	  "%c = arith.addf %a, %b : tensor<4xf32>\n"
	  "%s = arith.truncf %c : tensor<4xf32> to tensor<4xf16>", -1, 0 },
	{ "addf of bf16", "tensor<4xbf16>", "%s = arith.addf %l0, %r0 : tensor<4xbf16>",
	  KTE_OP_ADD, 0 },
	{ "addf of f8", "tensor<4xf8E5M2>", "%s = arith.addf %l0, %r0 : tensor<4xf8E5M2>", -1, 0 },
	{ "xori of i1 is no type of the unit", "tensor<4xi8>",
	  "%s = arith.shli %l0, %r0 : tensor<4xi8>", -1, 0 },
	{ "select steered by a constant", T,
	  "%k = arith.constant true\n%t = arith.maximumf %l0, %r0 : " T "\n"
	  "%s = arith.select %k, %t, %l0 : " T, KTE_OP_MAX, PROP },
	{ "NaN-propagating max by hand", T,
	  "%u = arith.cmpf uno, %l0, %l0 : " T "\n%g = arith.cmpf ogt, %l0, %r0 : " T "\n"
	  "%c = arith.ori %u, %g : tensor<4x8xi1>\n"
	  "%s = arith.select %c, %l0, %r0 : tensor<4x8xi1>, " T, KTE_OP_MAX,
	  KTE_MODE_TIE_LAST | KTE_MODE_NAN_PROPAGATE },
};

static void test_singles(void)
{
	unsigned int i;

	for (i = 0; i < KT_ARRAY_SIZE(singles); i++) {
		struct mapped m;
		bool good;

		map_body(&singles[i].type, 1, singles[i].body, "%s", &m);
		good = m.n == 1 && (singles[i].op < 0 ? !m.f[0].supported && m.why[0] :
				    m.f[0].supported && m.f[0].op == singles[i].op &&
				    m.f[0].mode == singles[i].mode);
		if (!ok(good, "%s", singles[i].what))
			diag("%u folds, supported %d, op %s, mode 0x%x, %s", m.n,
			     m.f[0].supported, kte_op_name(m.f[0].op), m.f[0].mode, m.why);
	}
}

/* --- compare and select, all spellings ---------------------------------------------- */

static const char *const cmpf_names[] = {
	"oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule",
	"une", "uno",
};

static bool cmpf(unsigned int p, double a, double b)
{
	bool u = isnan(a) || isnan(b);

	switch (p) {
	case 0: return a == b;
	case 1: return a > b;
	case 2: return a >= b;
	case 3: return a < b;
	case 4: return a <= b;
	case 5: return a < b || a > b;
	case 6: return !u;
	case 7: return u || a == b;
	case 8: return u || a > b;
	case 9: return u || a >= b;
	case 10: return u || a < b;
	case 11: return u || a <= b;
	case 12: return !(a == b);
	default: return u;
	}
}

/* The unit's rules on numbers, from the words of kte_image.h. */
static double unit(unsigned int op, unsigned int mode, double l, double r)
{
	bool less = l < r, more = l > r;

	if (isnan(l) || isnan(r)) {
		switch (mode & KTE_MODE_NAN_MASK) {
		case KTE_MODE_NAN_PROPAGATE:
			return NAN;
		case KTE_MODE_NAN_NUMBER:
			return isnan(l) ? r : l;
		case KTE_MODE_NAN_LHS:
			return l;
		default:
			return r;
		}
	}
	if (l == 0 && r == 0 && (mode & KTE_MODE_ZERO_ORDERED)) {
		less = signbit(l) && !signbit(r);
		more = !signbit(l) && signbit(r);
	}
	if (less)
		return op == KTE_OP_MAX ? r : l;
	if (more)
		return op == KTE_OP_MAX ? l : r;
	return (mode & KTE_MODE_TIE_MASK) == KTE_MODE_TIE_LAST ? r : l;
}

static bool same(double a, double b)
{
	return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static const double numbers[] = { -INFINITY, -1, -0.0, 0.0, 1, 2, INFINITY, NAN };

/* Spelling: predicate, operands of the compare swapped, of the select swapped. */
static double spelled(unsigned int p, bool sc, bool ss, double l, double r)
{
	bool c = sc ? cmpf(p, r, l) : cmpf(p, l, r);

	return c != ss ? l : r;
}

static bool unit_means(unsigned int op, unsigned int mode, unsigned int p, bool sc, bool ss)
{
	unsigned int i, k;

	for (i = 0; i < 8; i++)
		for (k = 0; k < 8; k++)
			if (!same(unit(op, mode, numbers[i], numbers[k]),
				  spelled(p, sc, ss, numbers[i], numbers[k])))
				return false;
	return true;
}

static bool unit_can(unsigned int p, bool sc, bool ss)
{
	unsigned int op, mode;

	for (op = KTE_OP_MIN; op <= KTE_OP_MAX; op++)
		for (mode = 0; mode <= KTE_MODE_MASK; mode++)
			if (kte_fold_valid(op, mode, KTE_DT_F32, 0) &&
			    unit_means(op, mode, p, sc, ss))
				return true;
	return false;
}

static void test_spellings(void)
{
	static const char *const type = T;
	unsigned int p, sc, ss, mapped = 0;

	for (p = 0; p < KT_ARRAY_SIZE(cmpf_names); p++) {
		for (sc = 0; sc < 2; sc++) {
			for (ss = 0; ss < 2; ss++) {
				struct mapped m;
				char body[512];

				snprintf(body, sizeof(body),
					 "%%c = arith.cmpf %s, %s : " T "\n"
					 "%%s = arith.select %%c, %s : tensor<4x8xi1>, " T,
					 cmpf_names[p], sc ? "%r0, %l0" : "%l0, %r0",
					 ss ? "%r0, %l0" : "%l0, %r0");
				map_body(&type, 1, body, "%s", &m);
				mapped += m.f[0].supported;
				ok(m.n == 1 && (m.f[0].supported ?
				   unit_means(m.f[0].op, m.f[0].mode, p, sc, ss) :
				   !unit_can(p, sc, ss)), "%s%s%s means what it maps to",
				   cmpf_names[p], sc ? ", compare swapped" : "",
				   ss ? ", select swapped" : "");
			}
		}
	}
	is_u64(mapped, 32, "eight ordering predicates, four spellings each");
}

/* --- pairs -------------------------------------------------------------------------- */

#define F32	"tensor<8xf32>"
#define I32	"tensor<8xi32>"
#define I1	"tensor<8xi1>"
#define PICK(v, i) \
	"%s0 = arith.select %c, %l" v ", %r" v " : " I1 ", " F32 "\n" \
	"%s1 = arith.select %c, %l" i ", %r" i " : " I1 ", " I32
#define LOWER(strict) \
	"%g = arith.cmpf ogt, %l0, %r0 : " F32 "\n" \
	"%q = arith.cmpf oeq, %l0, %r0 : " F32 "\n" \
	"%w = arith.cmpi " strict ", %l1, %r1 : " I32 "\n" \
	"%h = arith.andi %q, %w : " I1 "\n" \
	"%c = arith.ori %g, %h : " I1 "\n"

static const struct {
	const char *what, *body;
	bool index_first;
	int op;
	unsigned int mode;
} pairs[] = {
	{ "argmax, last of equals", "%c = arith.cmpf ogt, %l0, %r0 : " F32 "\n" PICK("0", "1"),
	  false, KTE_OP_ARGMAX, KTE_MODE_TIE_LAST | KTE_MODE_NAN_RHS },
	{ "argmax, first of equals", "%c = arith.cmpf oge, %l0, %r0 : " F32 "\n" PICK("0", "1"),
	  false, KTE_OP_ARGMAX, KTE_MODE_TIE_FIRST | KTE_MODE_NAN_RHS },
	{ "argmin, first of equals, lhs beside a NaN",
	  "%c = arith.cmpf ule, %l0, %r0 : " F32 "\n" PICK("0", "1"),
	  false, KTE_OP_ARGMIN, KTE_MODE_TIE_FIRST | KTE_MODE_NAN_LHS },
	{ "argmax, the lower index, rhs on equal indices", LOWER("slt") PICK("0", "1"), false,
	  KTE_OP_ARGMAX, KTE_MODE_TIE_LOWER_LAST | KTE_MODE_NAN_RHS },
	{ "argmax, the lower index, lhs on equal indices", LOWER("sle") PICK("0", "1"), false,
	  KTE_OP_ARGMAX, KTE_MODE_TIE_LOWER | KTE_MODE_NAN_RHS },
	{ "argmax, the lower unsigned index", LOWER("ule") PICK("0", "1"), false, KTE_OP_ARGMAX,
	  KTE_MODE_TIE_LOWER | KTE_MODE_NAN_RHS | KTE_MODE_INDEX_UNSIGNED },
	{ "argmax, the higher index", LOWER("sgt") PICK("0", "1"), false, -1, 0 },
	{ "a maximum and an index that do not belong together",
	  "%s0 = arith.maximumf %l0, %r0 : " F32 "\n%c = arith.cmpf ogt, %l0, %r0 : " F32 "\n"
	  "%s1 = arith.select %c, %l1, %r1 : " I1 ", " I32, false, -1, 0 },
	{ "the index of the other one",
	  "%c = arith.cmpf ogt, %l0, %r0 : " F32 "\n"
	  "%s0 = arith.select %c, %l0, %r0 : " I1 ", " F32 "\n"
	  "%s1 = arith.select %c, %r1, %l1 : " I1 ", " I32, false, -1, 0 },
	{ "two folds that are none of a pair",
	  "%s0 = arith.addf %l0, %r0 : " F32 "\n%s1 = arith.maxui %l1, %r1 : " I32, false,
	  KTE_OP_ADD, 0 },
};

static void test_pairs(void)
{
	static const char *const types[] = { F32, I32 };
	unsigned int i;

	for (i = 0; i < KT_ARRAY_SIZE(pairs); i++) {
		struct mapped m;
		bool good;

		map_body(types, 2, pairs[i].body, "%s0, %s1", &m);
		if (pairs[i].op < 0)
			good = m.n && !m.f[0].supported && m.why[0];
		else if (pairs[i].op == KTE_OP_ADD)
			good = m.n == 2 && m.f[0].op == KTE_OP_ADD && m.f[0].role == 0 &&
			       m.f[1].op == KTE_OP_MAX && m.f[1].role == 1 &&
			       m.f[1].mode == KTE_MODE_UNSIGNED && m.f[1].supported;
		else
			good = m.n == 1 && m.f[0].supported && m.f[0].op == pairs[i].op &&
			       m.f[0].mode == pairs[i].mode && m.f[0].n_roles == 2 &&
			       m.f[0].role == 0 && m.f[0].index_role == 1;
		if (!ok(good, "%s", pairs[i].what))
			diag("%u folds, op %s, mode 0x%x, %s", m.n, kte_op_name(m.f[0].op),
			     m.f[0].mode, m.why);
	}
}

/* Index role first, and integer values. */
static void test_pair_orders(void)
{
	static const char *const swapped[] = { I32, F32 }, *const ints[] = { I32, I32 };
	struct mapped m;

	map_body(swapped, 2,
		 "%c = arith.cmpf olt, %l1, %r1 : " F32 "\n"
		 "%s0 = arith.select %c, %l0, %r0 : " I1 ", " I32 "\n"
		 "%s1 = arith.select %c, %l1, %r1 : " I1 ", " F32, "%s0, %s1", &m);
	ok(m.n == 1 && m.f[0].supported && m.f[0].op == KTE_OP_ARGMIN && m.f[0].role == 1 &&
	   m.f[0].index_role == 0, "the index may be the first role");
	map_body(ints, 2,
		 "%c = arith.cmpi ugt, %l0, %r0 : " I32 "\n"
		 "%s0 = arith.select %c, %l0, %r0 : " I1 ", " I32 "\n"
		 "%s1 = arith.select %c, %l1, %r1 : " I1 ", " I32, "%s0, %s1", &m);
	ok(m.n == 1 && m.f[0].supported && m.f[0].op == KTE_OP_ARGMAX && m.f[0].role == 0 &&
	   m.f[0].mode == (KTE_MODE_TIE_LAST | KTE_MODE_UNSIGNED), "unsigned integer values");
}

/* A combiner of thousands of ops is given up, not followed. */
static void test_long(void)
{
	static const char *const type = T;
	static char body[64 * 1024];
	struct mapped m;
	unsigned int i;
	size_t n = 0;
	char text[80 * 1024];

	for (i = 0; i < 600; i++)
		n += (size_t)snprintf(body + n, sizeof(body) - n,
				      "%%v%u = arith.maximumf %%l0, %%r0 : " T "\n", i);
	program(text, sizeof(text), &type, 1, body, "%v599");
	map_text(text, &m);
	ok(m.n == 1 && !m.f[0].supported && strstr(m.why, "too long"), "600 ops: not looked at");
}

int main(void)
{
	test_singles();
	test_spellings();
	test_pairs();
	test_pair_orders();
	test_long();
	return done_testing();
}
