// SPDX-License-Identifier: MIT
/*
 * Comparing and drawing: tables with tables, with KTIR and with plans; addresses that do
 * not matter; witnesses; pictures in three formats.
 */
#include <errno.h>

#include "relayout_util.h"

static struct ktdev_module *module(const char *text)
{
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_module *mod = NULL;

	if (ktdev_module_parse("text", text, strlen(text), rep, &mod) ||
	    ktdev_verify(mod, NULL, rep)) {
		show_report(rep);
		bail_out("the test's own KTIR is wrong");
	}
	ktdev_report_free(rep);
	return mod;
}

/* Compare; the first witness goes to @line. Returns 1 same, 0 different, or an error. */
static int differ(const struct ktdev_diff_input *a, const struct ktdev_diff_input *b, bool *by_order,
		  char *line, size_t size)
{
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_diff *d = NULL;
	int ret = ktdev_diff(a, b, NULL, rep, &d);

	line[0] = 0;
	if (ret)
		show_report(rep);
	if (d) {
		ret = d->same;
		*by_order = d->by_order;
		if (d->n_lines)
			snprintf(line, size, "%s", d->lines[0]);
	}
	ktdev_diff_free(d);
	ktdev_report_free(rep);
	return ret;
}

/* --- tables ----------------------------------------------------------------------------------------------- */

static void tables(void)
{
	static const struct {
		const char *src, *dst, *line;
	} other[] = {
		{ "{mb:8}", "{mb:4}*2", NULL },
		{ "{mb:8}+1", "{mb:4}*2", "before the movement, core 0 holds mb 0, out 0 only in the first" },
		{ "{mb:8}", "{mb:4@2}", "after the movement, core 1 holds mb 0, out 0 only in the first" },
		{ "{out:8}", "{mb:4}*2", "before the movement, core 0 holds mb 0, out 2 only in the first" },
	};
	struct ktdev_relayout *a = from_short("{mb:8}", "{mb:4}*2", "mb=16,out=16", 32);
	struct ktdev_diff_input x = { .rel = a }, y = { 0 };
	bool by_order;
	char line[256];

	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		struct ktdev_relayout *b = from_short(other[i].src, other[i].dst, "mb=16,out=16", 32);
		int same;

		y.rel = b;
		same = differ(&x, &y, &by_order, line, sizeof(line));
		ok(same == !other[i].line, "%s -> %s: %s", other[i].src, other[i].dst,
		   same ? "the same" : "different");
		if (other[i].line && !ok(!strcmp(line, other[i].line), "... %s", other[i].line))
			diag("%s", line);
		ktdev_relayout_free(b);
	}
	y.rel = from_short("{mb:8}", "{mb:4}*2", "mb=32,out=16", 32);
	is_u64(differ(&x, &y, &by_order, line, sizeof(line)), 0, "other extents are different");
	is_str(line, "axis 0 ('mb') has 16 elements in the first, 32 in the second", "... and said");
	ktdev_relayout_free((struct ktdev_relayout *)(uintptr_t)y.rel);
	ktdev_relayout_free(a);
}

/* One piece, or the same bytes as two: cores hold the same. */
static void cut_pieces(void)
{
#define HEAD "{\"schema\":\"ktdev.relayout/1\",\"cores\":4,\"dtype\":\"f16\",\"axes\":[{\"name\":\"a\",\"extent\":8}],"
#define P(s, n, o) "{\"start\":{\"a\":" #s "},\"size\":{\"a\":" #n "},\"owners\":[" #o "]}"
	struct ktdev_relayout *a = from_json("a", HEAD "\"source\":{\"pieces\":[" P(0, 8, 0)
		"]},\"destination\":{\"pieces\":[" P(0, 8, 1) "]}}");
	struct ktdev_relayout *b = from_json("b", HEAD "\"source\":{\"pieces\":[" P(0, 3, 0) "," P(3, 5, 0)
		"]},\"destination\":{\"pieces\":[" P(0, 8, 1) "]}}");
	struct ktdev_diff_input x = { .rel = a }, y = { .rel = b };
	bool by_order;
	char line[256];

	ok(!ktdev_relayout_equal(a, b), "other pieces are not equal tables");
	is_u64(differ(&x, &y, &by_order, line, sizeof(line)), 1, "but the same bytes on the same cores");
	ktdev_relayout_free(a);
	ktdev_relayout_free(b);
}

/* --- KTIR written by hand, at other addresses -------------------------------------------------------------- */

static void by_hand(void)
{
	struct ktdev_relayout *rel = from_short("{mb:16@2}", "{mb:8}*4", "mb=512,in=16", 32);
	size_t len;
	char *text = read_file("tests/data/ktir/gather_even_producers.mlir", &len), line[256];
	struct ktdev_diff_input a = { .rel = rel }, b = { 0 }, c = { 0 };
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_relayout *wrong;
	struct ktdev_plan *plan = NULL;
	bool by_order = false;

	if (!text)
		bail_out("tests/data/ktir/gather_even_producers.mlir is missing");
	b.mod = module(text);
	is_u64(differ(&a, &b, &by_order, line, sizeof(line)), 1, "a gather written by hand is the tables'");
	ok(by_order, "... at other addresses");
	is_u64(differ(&b, &a, &by_order, line, sizeof(line)), 1, "... from either side");
	is_u64(differ(&b, &b, &by_order, line, sizeof(line)), 1, "KTIR with itself");
	ktdev_plan_from_module(b.mod, NULL, rep, &plan);
	c.plan = plan;
	is_u64(differ(&a, &c, &by_order, line, sizeof(line)), 1, "tables with a plan");
	wrong = from_short("{mb:16@2}", "{mb:8}*4+4", "mb=512,in=16", 36);
	ktdev_relayout_free(wrong);
	wrong = from_short("{mb:16@2}", "{mb:8@4}*3", "mb=512,in=16", 32);
	a.rel = wrong;
	is_u64(differ(&a, &b, &by_order, line, sizeof(line)), 0, "a receiver too many");
	ok(strstr(line, "core 3 receives mb 0, in 0, which it does not need") != NULL, "... is named: %s",
	   line);
	ktdev_relayout_free(wrong);
	ktdev_plan_free(plan);
	ktdev_module_free((struct ktdev_module *)(uintptr_t)b.mod);
	ktdev_report_free(rep);
	ktdev_relayout_free(rel);
	free(text);
}

/* --- pictures -------------------------------------------------------------------------------------------------- */

static char *draw(const struct ktdev_diff_input *in, enum ktdev_draw_format format)
{
	struct ktdev_report *rep = ktdev_report_new();
	char *text = NULL;

	if (ktdev_draw(in, format, NULL, rep, &text))
		show_report(rep);
	ktdev_report_free(rep);
	return text ? text : strdup("");
}

static uint32_t count(const char *text, const char *what)
{
	uint32_t n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

/* Tags open and close in pairs. */
static bool well_formed(const char *svg)
{
	return !strncmp(svg, "<svg xmlns", 10) && strstr(svg, "</svg>\n") &&
	       count(svg, "<text") == count(svg, "</text>") &&
	       count(svg, "<title>") == count(svg, "</title>") &&
	       count(svg, "<style>") == 1 && count(svg, "</style>") == 1;
}

static const char *const small_picture =
	"{mb:2}\n"
	"axes are only coarsened (mb 2 -> 1): assembly, regions held by 2 cores; 1 group of 2 producers and 2 consumers\n"
	"\n"
	"who sends to whom: row = from, column = to\n"
	"       0   \n"
	"    to 0123\n"
	"     0|o @ |\n"
	"     1|@ @ |\n"
	"       '.' up to '@': 1 to 16 bytes; 'o': stays on its core\n"
	"\n"
	"before: mb\n"
	"              0      8\n"
	"             0a     1a\n"
	"\n"
	"after: mb\n"
	"              0      8\n"
	"           0+1a   0+1a\n"
	"\n"
	"cells: lowest owner, +N more owners, letter of its group; '.': nobody\n"
	"48 bytes cross cores, 16 stay\n";

static void pictures(void)
{
	struct ktdev_relayout *rel = from_short("{mb:2}", "{}*2@2", "mb=16", 4);
	struct ktdev_diff_input in = { .rel = rel };
	char *text = draw(&in, KTDEV_DRAW_ASCII), *again;

	is_str(text, small_picture, "a small picture");
	free(text);
	text = draw(&in, KTDEV_DRAW_DOT);
	ok(count(text, "->") == 4 + 1 && strstr(text, "c0 -> c2 [label=\"16\"];") &&
	   strstr(text, "c0 -> c0 [label=\"16\", style=dotted];") && !strstr(text, "c3"),
	   "dot: an edge per pair of cores with bytes, only cores that take part");
	free(text);
	text = draw(&in, KTDEV_DRAW_SVG);
	ok(well_formed(text), "SVG is well-formed");
	ok(strstr(text, "prefers-color-scheme: dark") && strstr(text, "0 to 2: 16 bytes"),
	   "... with both colour schemes and the numbers");
	again = draw(&in, KTDEV_DRAW_SVG);
	ok(!strcmp(text, again), "... and the same every time");
	free(text);
	free(again);
	ktdev_relayout_free(rel);

	rel = from_short("{mb:8,out:4}", "{mb:32}", "mb=64,out=16", 32);
	in.rel = rel;
	text = draw(&in, KTDEV_DRAW_SVG);
	ok(well_formed(text) && count(text, "class=\"cell\"") == 2 * 32 * 4, "a grid per side: 32 x 4 cells");
	ok(count(text, "style=\"fill:hsl(") == 2 * 32 * 4, "... coloured by group");
	free(text);
	text = draw(&in, KTDEV_DRAW_ASCII);
	ok(count(text, "\n    ") > 32 && strstr(text, "before: mb down, out"), "ascii too");
	free(text);
	ktdev_relayout_free(rel);

	rel = from_short("{a:4}*2", "{a:4}*4", "a=64", 32);
	in.rel = rel;
	text = draw(&in, KTDEV_DRAW_ASCII);
	ok(strstr(text, "no producer is elected: the lowest is drawn") != NULL, "an undetermined producer is said");
	free(text);
	ktdev_relayout_free(rel);

	rel = from_json("odd names", "{\"schema\":\"ktdev.relayout/1\",\"name\":\"a<b>&\\\"c\",\"cores\":2,\"dtype\":\"f16\",\"axes\":[{\"name\":\"<x>\",\"extent\":4}],\"source\":{\"pieces\":[{\"start\":{\"<x>\":0},\"size\":{\"<x>\":4},\"owners\":[0]}]},\"destination\":{\"pieces\":[{\"start\":{\"<x>\":0},\"size\":{\"<x>\":4},\"owners\":[1]}]}}");
	in.rel = rel;
	text = draw(&in, KTDEV_DRAW_SVG);
	ok(strstr(text, "a&lt;b&gt;&amp;&quot;c") && !strstr(text, "<x>"), "names are escaped in SVG");
	free(text);
	text = draw(&in, KTDEV_DRAW_DOT);
	ok(strstr(text, "a<b>&\\\"c") != NULL, "... and in dot");
	free(text);
	ktdev_relayout_free(rel);
}

static void picture_of_ktir(void)
{
	size_t len;
	char *text = read_file("tests/data/ktir/gather_even_producers.mlir", &len), *pic;
	struct ktdev_diff_input in = { 0 };

	in.mod = module(text);
	pic = draw(&in, KTDEV_DRAW_DOT);
	ok(count(pic, "->") == 64 && strstr(pic, "c2 -> c3 [label=\"1024\"];"), "the map of a KTIR file");
	free(pic);
	ktdev_module_free((struct ktdev_module *)(uintptr_t)in.mod);
	free(text);
}

int main(void)
{
	tables();
	cut_pieces();
	by_hand();
	pictures();
	picture_of_ktir();
	return done_testing();
}
