// SPDX-License-Identifier: MIT
/*
 * Sets: members, bounds, what lies outside; each against a walk over a wide range.
 */
#include "../tap.h"
#include "ktdev.h"
#include "parse_text.h"

static const char *status_name(enum kt_set_status st)
{
	static const char *const names[] = {
		"ok", "unbounded", "overflow", "nomem", "outside", "too many",
	};

	return names[st];
}

/* "0 2 4", "clipped 0 1", "outside 32: 30 31", "overflow" */
static const char *tiles_text(const struct kt_set *s, const int64_t *syms, unsigned int n_syms,
			      uint32_t bound)
{
	static char buf[4096];
	struct kt_arena a = { 0 };
	enum kt_set_status st;
	struct kt_tiles t;
	int64_t outside;
	bool clipped;
	size_t n = 0;
	uint32_t i;

	st = kt_set_tiles(s, syms, n_syms, bound, &a, &t, &clipped, &outside);
	if (st == KT_SET_OUTSIDE)
		n += (size_t)snprintf(buf, sizeof(buf), "outside %" PRId64 ":", outside);
	else if (st != KT_SET_OK)
		n += (size_t)snprintf(buf, sizeof(buf), "%s", status_name(st));
	else
		n += (size_t)snprintf(buf, sizeof(buf), "%s", clipped ? "clipped" : "");
	for (i = 0; (st == KT_SET_OK || st == KT_SET_OUTSIDE) && i < t.n && n < sizeof(buf); i++)
		n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%s%u", n ? " " : "", t.ids[i]);
	kt_arena_fini(&a);
	return buf;
}

struct tiles_case {
	const char *set;
	int64_t syms[3];
	uint32_t bound;
	const char *want;
};

static const struct tiles_case tiles_cases[] = {
	/* linear */
	{ "affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>", { 2 }, 32, "8 9 10 11" },
	{ "affine_set<(i) : (i >= 0, i <= 3)>", { 0 }, 32, "0 1 2 3" },
	{ "affine_set<(i) : (i == 5)>", { 0 }, 32, "5" },
	{ "affine_set<(i) : (2 * i == 5)>", { 0 }, 32, "" },
	{ "affine_set<(i) : (2 * i >= 3, 3 * i <= 13)>", { 0 }, 32, "2 3 4" },
	{ "affine_set<(i) : (-2 * i >= -7, i >= 1)>", { 0 }, 32, "1 2 3" },
	{ "affine_set<(i)[a, b] : (i >= a, i <= b)>", { 3, 5 }, 32, "3 4 5" },
	{ "affine_set<(i)[a, b, c] : (i >= a + b, i <= c)>", { 1, 2, 4 }, 32, "3 4" },
	{ "affine_set<(i) : (i >= 3, i <= 2)>", { 0 }, 32, "" },
	{ "affine_set<(i)[g] : (g == 1, i >= 0, i <= 1)>", { 1 }, 32, "0 1" },
	{ "affine_set<(i)[g] : (g == 1, i >= 0, i <= 1)>", { 2 }, 32, "" },
	/* mod, floordiv, ceildiv */
	{ "affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0, i mod 2 == 0)>", { 3 }, 32,
	  "12 14" },
	{ "affine_set<(i)[g] : (i mod 8 - g == 0, i >= 0, i <= 31)>", { 3 }, 32, "3 11 19 27" },
	{ "affine_set<(i)[g] : (g - i mod 8 == 0, i >= 0, i <= 31)>", { 3 }, 32, "3 11 19 27" },
	{ "affine_set<(i) : ((-i) mod 4 == 1, i >= 0, i <= 12)>", { 0 }, 32, "3 7 11" },
	{ "affine_set<(i) : (3 * (i mod 5) == 6, i >= 0, i <= 12)>", { 0 }, 32, "2 7 12" },
	{ "affine_set<(i) : (3 * (i mod 5) == 7, i >= 0, i <= 12)>", { 0 }, 32, "" },
	{ "affine_set<(i) : (i mod 5 == 7, i >= 0, i <= 12)>", { 0 }, 32, "" },
	{ "affine_set<(i) : (i mod 2 == 0, i mod 3 == 0, i >= 1, i <= 20)>", { 0 }, 32,
	  "6 12 18" },
	{ "affine_set<(i) : (i mod 3 == 0, i mod 2 == 0, i >= 1, i <= 20)>", { 0 }, 32,
	  "6 12 18" },
	{ "affine_set<(i) : ((3 * i) mod 7 == 1, i >= 0, i <= 20)>", { 0 }, 32, "5 12 19" },
	{ "affine_set<(i) : (i mod 4 >= 2, i >= 0, i <= 7)>", { 0 }, 32, "2 3 6 7" },
	{ "affine_set<(i)[g] : (i floordiv 4 == g)>", { 2 }, 32, "8 9 10 11" },
	{ "affine_set<(i)[g] : (g - i floordiv 4 == 0)>", { 2 }, 32, "8 9 10 11" },
	{ "affine_set<(i) : (2 * (i floordiv 4) == 3)>", { 0 }, 32, "" },
	{ "affine_set<(i) : (i floordiv 4 >= 1, i floordiv 4 <= 2)>", { 0 }, 32,
	  "4 5 6 7 8 9 10 11" },
	{ "affine_set<(i) : (i ceildiv 4 == 2)>", { 0 }, 32, "5 6 7 8" },
	{ "affine_set<(i) : (-(i ceildiv 4) + 1 >= 0, i >= 0)>", { 0 }, 32, "0 1 2 3 4" },
	{ "affine_set<(i) : (i - 4 * (i floordiv 4) == 1, i >= 0, i <= 9)>", { 0 }, 32, "1 5 9" },
	{ "affine_set<(i) : ((i floordiv 2) mod 3 == 1, i >= 0, i <= 11)>", { 0 }, 32,
	  "2 3 8 9" },
	{ "affine_set<(i) : (i mod 4 + i floordiv 4 == 3)>", { 0 }, 32, "3 6 9 12" },
	/* mods and divs of symbols beside the dim; a wide range with few residues */
	{ "affine_set<(i)[g] : (i - 8 * (g floordiv 4) - g mod 4 == 0)>", { 6 }, 32, "10" },
	{ "affine_set<(i)[g] : (i mod 8 - g mod 4 == 0, i >= 0, i <= 31)>", { 6 }, 32,
	  "2 10 18 26" },
	{ "affine_set<(i)[g] : (i - g floordiv 0 == 0)>", { 6 }, 32, "overflow" },
	{ "affine_set<(i)[g] : (i - 4 * (i floordiv 4) - g mod 4 == 0, i >= 0, i <= 23)>", { 5 },
	  32, "1 5 9 13 17 21" },
	{ "affine_set<(i) : (i mod 6 + i mod 4 == 4, i >= 0, i <= 40)>", { 0 }, 64,
	  "2 4 7 9 14 16 19 21 26 28 31 33 38 40" },
	/* not bounded by themselves */
	{ "affine_set<(i) : (i >= 0)>", { 0 }, 4, "clipped 0 1 2 3" },
	{ "affine_set<(i) : (i <= 1)>", { 0 }, 4, "clipped 0 1" },
	{ "affine_set<(i) : ()>", { 0 }, 3, "clipped 0 1 2" },
	{ "affine_set<(i) : (i mod 2 == 0)>", { 0 }, 8, "clipped 0 2 4 6" },
	{ "affine_set<(i) : (i mod 2 == 0, i >= 100)>", { 0 }, 8, "clipped" },
	{ "affine_set<(i) : (i mod 4 >= 2)>", { 0 }, 8, "clipped 2 3 6 7" },
	{ "affine_set<(i) : ((i floordiv 2) mod 3 == 1, i >= 0)>", { 0 }, 10, "clipped 2 3 8 9" },
	{ "affine_set<(i) : (i - 2 * (i floordiv 2) == 0)>", { 0 }, 6, "clipped 0 2 4" },
	{ "affine_set<(i) : (i mod 1048576 + i >= 0)>", { 0 }, 3, "overflow" },
	/* bounded, although no constraint alone says so in linear terms */
	{ "affine_set<(i) : (i mod 4 - i >= 0, i >= 0)>", { 0 }, 32, "0 1 2 3" },
	{ "affine_set<(i) : (i mod 2 == 0, i mod 2 == 1)>", { 0 }, 32, "" },
	{ "affine_set<(i) : (i mod 4 == 1, i mod 6 == 2)>", { 0 }, 32, "" },
	{ "affine_set<(i) : (2 * (i floordiv 2) - i >= 0, 5 - i floordiv 2 >= 0, i >= 0)>",
	  { 0 }, 32, "0 2 4 6 8 10" },
	/* bounded, with members outside */
	{ "affine_set<(i) : (i >= 30, i <= 40)>", { 0 }, 32, "outside 32: 30 31" },
	{ "affine_set<(i) : (i >= -2, i <= 1)>", { 0 }, 32, "outside -2: 0 1" },
	{ "affine_set<(i) : (i == 1000000000000)>", { 0 }, 32, "outside 1000000000000:" },
	{ "affine_set<(i) : (i >= -9, i <= 99, i mod 10 == 3)>", { 0 }, 32,
	  "outside -7: 3 13 23" },
	{ "affine_set<(i) : (i >= 0, i <= 99, i mod 10 == 3)>", { 0 }, 32, "outside 33: 3 13 23" },
	{ "affine_set<(i) : (i mod 7 - i + 30 >= 0, i >= 28)>", { 0 }, 32,
	  "outside 32: 28 29 30 31" },
	{ "affine_set<(i) : (i >= 0, i <= 4611686018427387904, i mod 3 == 1)>", { 0 }, 4,
	  "outside 4: 1" },
	/* the interval sticks out, the members do not */
	{ "affine_set<(i) : (i >= -3, i <= 40, i mod 30 == 1)>", { 0 }, 32, "1 31" },
	{ "affine_set<(i) : (i >= -3, i <= 33, i mod 36 == 5)>", { 0 }, 32, "5" },
	/* arithmetic */
	{ "affine_set<(i) : (i floordiv 0 == 0)>", { 0 }, 32, "overflow" },
	{ "affine_set<(i) : (i mod -2 == 0, i >= 0, i <= 3)>", { 0 }, 32, "overflow" },
	{ "affine_set<(i)[g] : (i - 9223372036854775807 * g >= 0)>", { 2 }, 32, "overflow" },
	{ "affine_set<(i)[g] : (i - g >= 9223372036854775807)>", { 9223372036854775807 }, 32,
	  "overflow" },
	{ "affine_set<(i) : (9223372036854775807 * i mod 3 == 0, i >= 0, i <= 3)>", { 0 }, 32,
	  "overflow" },
	{ "affine_set<(i) : (i >= 9223372036854775807)>", { 0 }, 32, "clipped" },
	{ "affine_set<(i) : (i == -9223372036854775807)>", { 0 }, 32,
	  "outside -9223372036854775807:" },
	/* zero dims; enumerated */
	{ "[0, 2, 5]", { 7 }, 32, "0 2 5" },
	{ "[5, 0, 2, 2, 0]", { 7 }, 32, "0 2 5" },
	{ "[[0, 2], [4, 6]]", { 1 }, 32, "4 6" },
	{ "[[0, 2], [4, 6]]", { 2 }, 32, "" },
	{ "[[0, 2], [4, 6]]", { -1 }, 32, "" },
	{ "[0, 40]", { 0 }, 32, "outside 40: 0" },
	{ "[-3, 0, -4]", { 0 }, 32, "outside -4: 0" },
	{ "[]", { 0 }, 32, "" },
};

static void test_tiles(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(tiles_cases) / sizeof(tiles_cases[0]); i++) {
		const struct tiles_case *c = &tiles_cases[i];
		struct parsed p = parse_set(c->set);

		is_str(p.set ? tiles_text(p.set, c->syms, 3, c->bound) : "no set", c->want,
		       "%s bound %u", c->set, c->bound);
		parsed_free(&p);
	}
}

/* Symbols a set needs but is not given, and sets of the wrong kind. */
static void test_refused(void)
{
	struct kt_arena a = { 0 };
	struct parsed p = parse_set("affine_set<(i)[g] : (i == g)>");
	struct kt_tiles t;
	int64_t out, *ids;
	bool clipped;
	uint32_t n;

	ok(kt_set_tiles(p.set, NULL, 0, 32, &a, &t, &clipped, &out) == KT_SET_UNBOUNDED,
	   "a symbol without a value");
	ok(kt_set_members(p.set, 10, &a, &ids, &n) == KT_SET_UNBOUNDED, "groups with a symbol");
	parsed_free(&p);
	p = parse_set("affine_set<(i, j) : (i == j)>");
	ok(kt_set_tiles(p.set, NULL, 0, 32, &a, &t, &clipped, &out) == KT_SET_UNBOUNDED,
	   "two dims are no tiles");
	parsed_free(&p);
	kt_arena_fini(&a);
}

static const char *members_text(const char *set, uint32_t max)
{
	struct parsed p = parse_set(set);
	static char buf[512];
	struct kt_arena a = { 0 };
	enum kt_set_status st;
	int64_t *ids;
	uint32_t n, i;
	size_t len = 0;

	buf[0] = 0;
	st = p.set ? kt_set_members(p.set, max, &a, &ids, &n) : KT_SET_NOMEM;
	if (st != KT_SET_OK)
		snprintf(buf, sizeof(buf), "%s", status_name(st));
	for (i = 0; st == KT_SET_OK && i < n; i++)
		len += (size_t)snprintf(buf + len, sizeof(buf) - len, "%s%" PRId64, i ? " " : "",
					ids[i]);
	kt_arena_fini(&a);
	parsed_free(&p);
	return buf;
}

static void test_members(void)
{
	is_str(members_text("affine_set<(g) : (g >= 0, -g + 3 >= 0)>", 10), "0 1 2 3", "groups");
	is_str(members_text("affine_set<(g) : (g >= -2, g <= 0)>", 10), "-2 -1 0", "below 0");
	is_str(members_text("affine_set<(g) : (g >= 0)>", 10), "unbounded", "no end");
	is_str(members_text("affine_set<(g) : (g mod 2 == 0)>", 10), "unbounded", "no ends");
	is_str(members_text("affine_set<(g) : (g >= 0, g <= 9)>", 10), "0 1 2 3 4 5 6 7 8 9",
	       "as many as asked for");
	is_str(members_text("affine_set<(g) : (g >= 0, g <= 10)>", 10), "too many", "one more");
	is_str(members_text("affine_set<(g) : (g >= 0, g <= 1000000000000000)>", 10), "too many",
	       "many more");
	is_str(members_text("affine_set<(g) : (g mod 1000 == 7, g >= 0, g <= 3000)>", 10),
	       "7 1007 2007", "sparse");
	is_str(members_text("affine_set<(g) : (g mod 4 >= 2, g >= 0, g <= 9)>", 10), "2 3 6 7",
	       "two residues");
	is_str(members_text("affine_set<(g) : (g >= 4, g <= 3)>", 10), "", "empty");
	is_str(members_text("affine_set<(g) : (g == 0, g mod 3 == 1)>", 10), "", "empty by mod");
	is_str(members_text("affine_set<(g) : (g mod 0 == 0)>", 10), "overflow", "mod 0");
	is_str(members_text("[2, 0]", 10), "0 2", "a list");
	is_str(members_text("[2, 0]", 1), "too many", "a list too long");
	is_str(members_text("[[2, 0]]", 10), "unbounded", "lists per group are no groups");
}

static const char *box_text(const char *set)
{
	struct parsed p = parse_set(set);
	int64_t lo[KT_SET_MAX_DIMS], hi[KT_SET_MAX_DIMS];
	static char buf[256];
	enum kt_set_status st;
	unsigned int d;
	size_t n = 0;
	bool exact;

	st = p.set ? kt_set_box(p.set, lo, hi, &exact) : KT_SET_NOMEM;
	if (st != KT_SET_OK)
		snprintf(buf, sizeof(buf), "%s", status_name(st));
	else
		n = (size_t)snprintf(buf, sizeof(buf), "%s", exact ? "box" : "in");
	for (d = 0; st == KT_SET_OK && d < p.set->n_dims; d++)
		n += (size_t)snprintf(buf + n, sizeof(buf) - n, " %" PRId64 "..%" PRId64, lo[d],
				      hi[d]);
	parsed_free(&p);
	return buf;
}

static void test_boxes(void)
{
	is_str(box_text("affine_set<(a, b) : (a >= 0, -a + 31 >= 0, b >= 0, -b + 15 >= 0)>"),
	       "box 0..31 0..15", "two axes");
	is_str(box_text("affine_set<(a) : (a >= 0)>"), "unbounded", "one end");
	is_str(box_text("affine_set<(a, b) : (a >= 0, a <= 3)>"), "unbounded", "an axis without");
	is_str(box_text("affine_set<(a, b) : (a >= 0, a <= 3, b >= 0, b <= 3, a + b <= 5)>"),
	       "in 0..3 0..3", "without a corner");
	is_str(box_text("affine_set<(a, b) : (a >= 0, a <= 3, b >= 0, b <= 3, a + b <= 6)>"),
	       "box 0..3 0..3", "a constraint that never binds");
	is_str(box_text("affine_set<(a, b) : (a >= 0, b >= 0, a + b <= 0)>"), "box 0..0 0..0",
	       "bounded through another axis");
	is_str(box_text("affine_set<(a, b) : (a >= 2, a <= 5, b == a + 1)>"), "in 2..5 3..6",
	       "a diagonal");
	is_str(box_text("affine_set<(a, b) : (a == 2, b == a + 1)>"), "box 2..2 3..3", "a point");
	is_str(box_text("affine_set<(a) : (a mod 2 == 0, a >= 0, a <= 6)>"), "in 0..6", "holes");
	is_str(box_text("affine_set<(a) : (a mod 8 >= 0, a >= 0, a <= 6)>"), "box 0..6",
	       "a mod that never binds");
	is_str(box_text("affine_set<(a) : (a floordiv 8 == 1)>"), "box 8..15", "a div");
	is_str(box_text("affine_set<(a) : (a >= 3, a <= 2)>"), "box 0..-1", "empty");
	is_str(box_text("affine_set<(a, b) : (a >= 0, a <= 9, b >= 0, b <= 9, a + b <= -1)>"),
	       "box 0..-1 0..-1", "empty over two axes");
	is_str(box_text("affine_set<(a) : (a >= 0, a <= 9, 0 - 1 >= 0)>"), "box 0..-1",
	       "a constraint that is false");
	is_str(box_text("affine_set<(a, b) : (a >= 0, a <= 9, b >= 0, b <= 9, a + b mod 2 >= 9)>"),
	       "in 8..9 0..9", "shrunk by looking at all points");
	is_str(box_text("affine_set<(a)[s] : (a == s)>"), "unbounded", "a symbol");
	is_str(box_text("affine_set<(a) : (a mod 0 == 0)>"), "overflow", "mod 0");
	is_str(box_text("affine_set<() : ()>"), "box", "no axes");
}

static void test_eval(void)
{
	static const struct {
		const char *expr;
		int64_t d, want;
	} cases[] = {
		{ "d floordiv 4", -1, -1 }, { "d floordiv 4", -4, -1 }, { "d floordiv 4", -5, -2 },
		{ "d ceildiv 4", -1, 0 }, { "d ceildiv 4", 1, 1 }, { "d ceildiv 4", -5, -1 },
		{ "d mod 4", -1, 3 }, { "d mod 4", -4, 0 }, { "d mod 4", 5, 1 },
		{ "-d mod 4", 1, 3 }, { "-(d mod 4)", 1, -1 }, { "2 * d + 1", 3, 7 },
		{ "1 - 2 - d", 1, -2 }, { "8 floordiv 3 * d", 2, 4 }, { "--d", 2, 2 },
		{ "(d + 1) * 3 mod 5", 3, 2 }, { "d", INT64_MIN, INT64_MIN },
		{ "d floordiv 1", INT64_MIN, INT64_MIN }, { "d mod 3", INT64_MIN, 1 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[200];
		struct parsed p;
		int64_t v = 0;

		snprintf(text, sizeof(text), "affine_set<(d) : (%s >= 0)>", cases[i].expr);
		p = parse_set(text);
		ok(p.set && !kt_expr_eval(p.set->constraints[0].expr, &cases[i].d, NULL, &v) &&
		   v == cases[i].want, "%s at %" PRId64 " is %" PRId64, cases[i].expr, cases[i].d,
		   v);
		parsed_free(&p);
	}
}

static void is_text(const char *set, const char *want)
{
	struct kt_arena a = { 0 };
	struct parsed p = parse_set(set), again;
	const char *s = p.set ? kt_set_text(&a, p.set) : NULL;

	is_str(s, want, "text of %s", set);
	again = parse_set(s ? s : "");
	ok(again.set && p.set && kt_set_equal(p.set, again.set), "read again it is equal");
	parsed_free(&again);
	parsed_free(&p);
	kt_arena_fini(&a);
}

static void test_text(void)
{
	is_text("affine_set<(i)[g] : (i - 4*g >= 0, -i + 4 * g + 3 >= 0)>",
		"affine_set<(d0)[s0] : (d0 - 4 * s0 >= 0, -d0 + 4 * s0 + 3 >= 0)>");
	is_text("affine_set<(a, b) : (a == b)>", "affine_set<(d0, d1) : (d0 - d1 == 0)>");
	is_text("affine_set<(a) : (a mod 2 == 0, a floordiv 3 <= 5)>",
		"affine_set<(d0) : (d0 mod 2 == 0, 5 - d0 floordiv 3 >= 0)>");
	is_text("affine_set<(a) : ((a + 1) * 2 - (a - 3) >= 0, 2 * (-a) mod 3 + -7 == 0, "
		"0 - -(a + 1) >= 0)>",
		"affine_set<(d0) : ((d0 + 1) * 2 - (d0 - 3) >= 0, "
		"(2 * -d0) mod 3 - 7 == 0, 0 - -(d0 + 1) >= 0)>");
	is_text("affine_set<() : ()>", "affine_set<() : ()>");
	is_text("[3, 1]", "[1, 3]");
	is_text("[[0, 2], [], [6]]", "[[0, 2], [], [6]]");
}

static void test_equal(void)
{
	static const struct {
		const char *a, *b;
		bool want;
	} cases[] = {
		{ "affine_set<(i) : (i >= 0, i <= 3)>", "affine_set<(x) : (x >= 0, 3 - x >= 0)>",
		  true },
		{ "affine_set<(i) : (i >= 0, i <= 3)>", "affine_set<(x) : (3 >= x, x >= 0)>", true },
		{ "affine_set<(i) : (i >= 0, i <= 3)>", "[0, 1, 2, 3]", true },
		{ "affine_set<(i) : (i >= 0, i <= 3)>", "affine_set<(i) : (i floordiv 4 == 0)>", true },
		{ "affine_set<(i) : (i >= 0, i <= 3)>", "affine_set<(i) : (i >= 0, i <= 4)>", false },
		{ "affine_set<(i) : (i >= 0)>", "affine_set<(i) : (i >= 1)>", false },
		{ "affine_set<(i)[g] : (i == g)>", "affine_set<(i)[h] : (i == h)>", true },
		{ "affine_set<(i)[g] : (i == g)>", "affine_set<(i) : (i == 0)>", false },
		{ "[[0], [1]]", "[[0], [1]]", true },
		{ "[[0], [1]]", "[[0], [2]]", false },
		{ "[0, -1]", "[0, -2]", false },
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct parsed a = parse_set(cases[i].a), b = parse_set(cases[i].b);

		ok(a.set && b.set && kt_set_equal(a.set, b.set) == cases[i].want,
		   "%s %s %s", cases[i].a, cases[i].want ? "equals" : "is not", cases[i].b);
		parsed_free(&a);
		parsed_free(&b);
	}
}

static void test_tiles_index(void)
{
	uint32_t ids[] = { 3, 4, 5, 9, 10, 40 };
	struct kt_tiles t = { 6, ids }, none = { 0, NULL };
	unsigned int i, bad = 0, want = 0;

	for (i = 0; i < 50; i++) {
		bool in = want < 6 && ids[want] == i;

		bad += kt_tiles_index(&t, i) != (in ? (int64_t)want : -1);
		want += in;
	}
	is_u64(bad, 0, "positions of all ids");
	ok(kt_tiles_index(&none, 0) == -1, "nothing in an empty list");
	ok(kt_tiles_equal(&none, &none) && !kt_tiles_equal(&t, &none), "equality");
}

int main(void)
{
	test_tiles();
	test_refused();
	test_members();
	test_boxes();
	test_eval();
	test_text();
	test_equal();
	test_tiles_index();
	return done_testing();
}
