// SPDX-License-Identifier: MIT
/*
 * The readers: every input form, and every way an input can be wrong, each refused with
 * its JSON Pointer, its place where there is one, and the piece, the axis and the value.
 */
#include <errno.h>

#include "relayout_util.h"

#define PLANNER "tests/data/planner/"

/* One reading: the result, the relayout and the first finding. */
struct reading {
	int ret;
	struct ktdev_relayout *rel;
	struct ktdev_report *rep;
	const struct ktdev_diag *d;
	struct ktdev_relayout_info info;
	char *text[2];
};

static void done(struct reading *r)
{
	ktdev_relayout_free(r->rel);
	ktdev_report_free(r->rep);
	free(r->text[0]);
	free(r->text[1]);
}

static void finish(struct reading *r)
{
	r->d = ktdev_report_count(r->rep) ? ktdev_report_get(r->rep, 0) : NULL;
	memset(&r->info, 0, sizeof(r->info));
	if (r->rel)
		ktdev_relayout_info(r->rel, &r->info);
}

static void read_text(struct reading *r, const char *text, const struct ktdev_relayout_opts *o)
{
	struct ktdev_text in = { "in.json", text, strlen(text) };

	memset(r, 0, sizeof(*r));
	r->rep = ktdev_report_new();
	r->ret = ktdev_relayout_parse(&in, o, r->rep, &r->rel);
	finish(r);
}

static void read_path(struct reading *r, const char *path, const struct ktdev_relayout_opts *o)
{
	struct ktdev_text in = { path, NULL, 0 };

	memset(r, 0, sizeof(*r));
	r->rep = ktdev_report_new();
	r->text[0] = read_file(path, &in.len);
	in.text = r->text[0];
	r->ret = ktdev_relayout_parse(&in, o, r->rep, &r->rel);
	finish(r);
}

static void read_pair(struct reading *r, const char *src, const char *dst,
		      const struct ktdev_relayout_opts *o)
{
	struct ktdev_text in[2] = { { src, src, strlen(src) }, { dst, dst, strlen(dst) } };
	int i;

	memset(r, 0, sizeof(*r));
	r->rep = ktdev_report_new();
	for (i = 0; i < 2; i++)
		if (in[i].text[0] != '{') {
			r->text[i] = read_file(in[i].name, &in[i].len);
			in[i].text = r->text[i];
		}
	r->ret = ktdev_relayout_parse_pair(&in[0], &in[1], o, r->rep, &r->rel);
	finish(r);
}

static bool has_note(const struct reading *r, const char *what)
{
	for (uint32_t i = 0; i < r->info.n_notes; i++)
		if (strstr(r->info.notes[i], what))
			return true;
	for (uint32_t i = 0; i < r->info.n_notes; i++)
		diag("note: %s", r->info.notes[i]);
	return false;
}

/* --- refused -------------------------------------------------------------------------------------- */

#define HEAD "{\"schema\":\"ktdev.relayout/1\",\"cores\":4,\"dtype\":\"f16\"," \
	"\"axes\":[{\"name\":\"a\",\"extent\":8},{\"name\":\"b\",\"extent\":4}],"
#define P(a, na, b, nb, o) "{\"start\":{\"a\":" #a ",\"b\":" #b "},\"size\":{\"a\":" #na ",\"b\":" \
	#nb "},\"owners\":[" o "]}"
#define SRC "\"source\":{\"pieces\":["
#define DST "]},\"destination\":{\"pieces\":["
#define END "]}}"
#define WHOLE P(0, 8, 0, 4, "0")

static const struct {
	const char *what, *text;
	int ret;
	const char *pointer, *message;
} bad[] = {
	{ "no JSON", "{\"schema\":", -EINVAL, "/schema", "" },
	{ "duplicate key", "{\"schema\":\"ktdev.relayout/1\",\"cores\":4,\"cores\":5}", -EINVAL, "/cores",
	  "duplicate object key" },
	{ "duplicate key inside", HEAD SRC "{\"start\":{\"a\":0,\"a\":1}}" DST END, -EINVAL,
	  "/source/pieces/0/start/a", "duplicate object key" },
	{ "2^63 extent", "{\"schema\":\"ktdev.relayout/1\",\"axes\":[{\"name\":\"a\",\"extent\":9223372036854775808}]}",
	  -EINVAL, "/axes/0/extent", "too big integer" },
	{ "2^63 - 1 extent", "{\"schema\":\"ktdev.relayout/1\",\"axes\":[{\"name\":\"a\",\"extent\":9223372036854775807}]}",
	  -EINVAL, "/axes/0/extent", "the extent of axis 'a' 9223372036854775807 is not between 1 and 4294967295" },
	{ "too many elements", "{\"schema\":\"ktdev.relayout/1\",\"axes\":[{\"name\":\"a\",\"extent\":4294967295},{\"name\":\"b\",\"extent\":4294967295}],"
	  SRC P(0, 1, 0, 1, "0") DST P(0, 1, 0, 1, "0") END, -EINVAL, "/axes", "2^48 elements" },
	{ "extent 0", "{\"schema\":\"ktdev.relayout/1\",\"axes\":[{\"name\":\"a\",\"extent\":0}]}", -EINVAL,
	  "/axes/0/extent", "0 is not between 1 and" },
	{ "fractional extent", "{\"schema\":\"ktdev.relayout/1\",\"axes\":[{\"name\":\"a\",\"extent\":1.5}]}", -EINVAL,
	  "/axes/0/extent", "whole number" },
	{ "other schema", "{\"schema\":\"ktdev.relayout/2\"}", -EINVAL, "/schema", "ktdev.relayout/2" },
	{ "unknown key", HEAD "\"sticks\":1," SRC WHOLE DST WHOLE END, -EINVAL, "/sticks",
	  "unknown key \"sticks\"" },
	{ "unknown type", "{\"schema\":\"ktdev.relayout/1\",\"dtype\":\"f17\",\"axes\":[{\"name\":\"a\",\"extent\":1}]}",
	  -EINVAL, "/dtype", "f17" },
	{ "axis twice", "{\"schema\":\"ktdev.relayout/1\",\"axes\":[{\"name\":\"a\",\"extent\":1},{\"name\":\"a\",\"extent\":1}]}",
	  -EINVAL, "/axes/1", "axis 'a' is named twice" },
	{ "nine axes", "{\"schema\":\"ktdev.relayout/1\",\"axes\":[{\"name\":\"a\",\"extent\":1},{\"name\":\"b\",\"extent\":1},{\"name\":\"c\",\"extent\":1},{\"name\":\"d\",\"extent\":1},{\"name\":\"e\",\"extent\":1},{\"name\":\"f\",\"extent\":1},{\"name\":\"g\",\"extent\":1},{\"name\":\"h\",\"extent\":1},{\"name\":\"i\",\"extent\":1}]}",
	  -EOPNOTSUPP, "/axes", "9 axes" },
	{ "empty source", HEAD SRC DST WHOLE END, -EINVAL, "/source/pieces", "the source map is empty" },
	{ "empty destination", HEAD SRC WHOLE DST END, -EINVAL, "/destination/pieces",
	  "the destination map is empty" },
	{ "no destination", HEAD SRC WHOLE "]}}", -EINVAL, "/destination", "missing" },
	{ "unknown axis", HEAD SRC "{\"start\":{\"a\":0,\"c\":0},\"size\":{\"a\":8,\"b\":4},\"owners\":[0]}" DST
	  WHOLE END, -EINVAL, "/source/pieces/0/start/c", "unknown axis 'c'" },
	{ "missing axis", HEAD SRC "{\"start\":{\"a\":0},\"size\":{\"a\":8,\"b\":4},\"owners\":[0]}" DST WHOLE
	  END, -EINVAL, "/source/pieces/0/start", "lacks axis 'b'" },
	{ "negative start", HEAD SRC P(-1, 8, 0, 4, "0") DST WHOLE END, -EINVAL,
	  "/source/pieces/0/start/a", "start along axis 'a' -1" },
	{ "size 0", HEAD SRC P(0, 8, 0, 0, "0") DST WHOLE END, -EINVAL, "/source/pieces/0/size/b",
	  "size along axis 'b' 0" },
	{ "box outside", HEAD SRC P(4, 5, 0, 4, "0") DST WHOLE END, -EINVAL, "/source/pieces/0",
	  "source piece [4, 9) along axis 'a' is not in [0, 8)" },
	{ "box end passes 2^32", HEAD SRC P(4, 4294967295, 0, 4, "0") DST WHOLE END, -EINVAL,
	  "/source/pieces/0", "[4, 4294967299) along axis 'a'" },
	{ "overlap", HEAD SRC P(0, 5, 0, 4, "0") "," P(4, 4, 0, 4, "1") DST WHOLE END, -EINVAL,
	  "/source/pieces/1", "overlaps /source/pieces/0: both hold [4, 5) along axis 'a'" },
	{ "overlap in one axis of two", HEAD SRC P(0, 8, 0, 3, "0") "," P(0, 8, 2, 2, "1") DST WHOLE
	  END, -EINVAL, "/source/pieces/1", "both hold [2, 3) along axis 'b'" },
	{ "owner too high", HEAD SRC P(0, 8, 0, 4, "4") DST WHOLE END, -EINVAL,
	  "/source/pieces/0/owners/0", "owner 4 is not below the number of cores, 4" },
	{ "owner twice", HEAD SRC P(0, 8, 0, 4, "1,0,1") DST WHOLE END, -EINVAL,
	  "/source/pieces/0/owners/2", "owner 1 is listed twice" },
	{ "no owner", HEAD SRC P(0, 8, 0, 4, "") DST WHOLE END, -EINVAL, "/source/pieces/0/owners",
	  "at least one core" },
	{ "nobody holds it", HEAD SRC P(0, 4, 0, 4, "0") "," P(4, 4, 0, 3, "1") DST WHOLE END,
	  -EINVAL, "/destination/pieces/0", "no source piece holds the destination element a 4, b 3" },
	{ "cut stick", HEAD "\"stick\":{\"axis\":\"b\",\"lanes\":4}," SRC P(0, 8, 0, 2, "0") ","
	  P(0, 8, 2, 2, "1") DST WHOLE END, -EINVAL, "/source/pieces/0",
	  "source piece [0, 2) along axis 'b' cuts a stick of 4 lanes" },
	{ "stick of no axis", HEAD "\"stick\":{\"axis\":\"c\",\"lanes\":4}," SRC WHOLE DST WHOLE END,
	  -EINVAL, "/stick", "unknown axis 'c'" },
	{ "stick of 0 lanes", HEAD "\"stick\":{\"axis\":\"b\",\"lanes\":0}," SRC WHOLE DST WHOLE END,
	  -EINVAL, "/stick/lanes", "lanes 0" },
	{ "layout of unknown axis", HEAD "\"source\":{\"layout\":[\"a\",\"c\"],\"pieces\":[" WHOLE DST WHOLE
	  END, -EINVAL, "/source/layout/1", "unknown axis 'c'" },
	{ "unknown value", HEAD "\"source\":{\"value\":\"sums\",\"pieces\":[" WHOLE DST WHOLE END, -EINVAL,
	  "/source/value", "\"contributions\"" },
	{ "contributions without combine", HEAD "\"source\":{\"value\":\"contributions\",\"pieces\":["
	  WHOLE DST WHOLE END, -EOPNOTSUPP, "/source/value", "combine" },
	{ "combine of finished sums", HEAD "\"combine\":\"add\",\"source\":{\"value\":\"completed\",\"pieces\":["
	  WHOLE DST WHOLE END, -EINVAL, "/combine", "never folded" },
	{ "unknown combine", HEAD "\"combine\":\"avg\"," SRC WHOLE DST WHOLE END, -EINVAL, "/combine",
	  "avg" },
	{ "combine the unit lacks", HEAD "\"combine\":\"xor\",\"source\":{\"value\":\"contributions\",\"pieces\":["
	  WHOLE DST WHOLE END, -EOPNOTSUPP, "/combine", "xor of f16" },
	{ "no relayout at all", "{\"a\":1}", -EINVAL, "", "no relayout" },
	{ "an array", "[]", -EINVAL, "", "no relayout" },
	{ "no op moves", "{\"x\":{\"datadscs_\":[{\"0_ReStickifyOp\":{\"op\":{\"name\":\"ReStickifyOpWithPTLx\"}}}]}}",
	  -EOPNOTSUPP, "/x/datadscs_", "none of 1 data ops" },
	{ "one map only", "{\"N_\":{\"mb_\":4},\"coreIdToWkSlice_\":{\"0\":{\"mb\":0}}}", -EINVAL,
	  "/coreIdToWkSlice_", "0 tensor views" },
};

static void refusals(void)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct reading r;

		read_text(&r, bad[i].text, NULL);
		if (!ok(r.ret == bad[i].ret && !r.rel && r.d, "%s: refused", bad[i].what)) {
			diag("%d", r.ret);
			show_report(r.rep);
		} else if (!ok(!strcmp(r.d->pointer, bad[i].pointer) &&
			       strstr(r.d->message, bad[i].message) && r.d->range.line,
			       "... at '%s'", bad[i].pointer)) {
			show_report(r.rep);
		}
		done(&r);
	}
}

/* Lines and columns, of the syntax and of the meaning. */
static void places(void)
{
	struct reading r;

	read_text(&r, "{\n \"schema\": \"ktdev.relayout/1\",\n \"cores\": 4,\n \"axes\": [\n  {\"name\": \"a\", \"extent\": 0}]\n}\n", NULL);
	ok(r.d && r.d->range.line == 5 && r.d->range.col == 27, "a value: line %u column %u",
	   r.d->range.line, r.d->range.col);
	done(&r);
	read_text(&r, "{\n \"schema\": \"ktdev.relayout/1\",\n \"cores\": 4\n \"axes\": []}\n", NULL);
	ok(r.d && r.d->range.line == 4, "syntax: line %u column %u", r.d->range.line,
	   r.d->range.col);
	done(&r);
}

/* --- maps and pairs ------------------------------------------------------------------------------------ */

#define MAP(n, counts, m) "{\"N_\":{\"name_\":\"n\"," n "},\"numWkSlicesPerDim_\":{" counts \
	"},\"coreIdToWkSlice_\":{" m "}}"

static const struct {
	const char *what, *src, *dst;
	int ret;
	const char *pointer, *message;
} bad_pairs[] = {
	{ "slice index too high", MAP("\"mb_\":8", "\"mb\":4", "\"0\":{\"mb\":4}"),
	  MAP("\"mb_\":8", "", "\"0\":{}"), -EINVAL, "/coreIdToWkSlice_/0/mb",
	  "slice index 4 of axis 'mb' is not below its 4 slices" },
	{ "unknown axis", MAP("\"mb_\":8", "\"mb\":4", "\"0\":{\"in\":0}"), MAP("\"mb_\":8", "", "\"0\":{}"),
	  -EINVAL, "/coreIdToWkSlice_/0/in", "unknown axis 'in'" },
	{ "core too high", MAP("\"mb_\":8", "\"mb\":1", "\"32\":{\"mb\":0}"), MAP("\"mb_\":8", "", "\"0\":{}"),
	  -EINVAL, "/coreIdToWkSlice_/32", "owner 32 is not below the number of cores, 32" },
	{ "core is no number", MAP("\"mb_\":8", "\"mb\":1", "\"x\":{\"mb\":0}"),
	  MAP("\"mb_\":8", "", "\"0\":{}"), -EINVAL, "/coreIdToWkSlice_/x", "'x' is no core number" },
	{ "empty map", MAP("\"mb_\":8", "", ""), MAP("\"mb_\":8", "", "\"0\":{}"), -EINVAL,
	  "/coreIdToWkSlice_", "the map is empty" },
	{ "extents differ", MAP("\"mb_\":8", "", "\"0\":{}"), MAP("\"mb_\":16", "", "\"0\":{}"), -EINVAL,
	  "/N_", "axis 'mb' has 8 elements in the source and 16 in the destination" },
	{ "extent does not divide", MAP("\"mb_\":8", "\"mb\":3", "\"0\":{\"mb\":0}"),
	  MAP("\"mb_\":8", "", "\"0\":{}"), -EINVAL, "/coreIdToWkSlice_",
	  "the extent 8 of axis 'mb' does not divide into 3 slices" },
	{ "no extent", MAP("\"mb_\":-1", "\"mb\":1", "\"0\":{\"mb\":0}"), MAP("\"mb_\":8", "", "\"0\":{}"),
	  -EINVAL, "/coreIdToWkSlice_", "no axis has an extent" },
	{ "slices nobody holds", MAP("\"mb_\":8", "\"mb\":2", "\"0\":{\"mb\":0}"),
	  MAP("\"mb_\":8", "", "\"0\":{}"), -EINVAL, "/coreIdToWkSlice_/0",
	  "no source piece holds the destination element mb 4" },
	{ "not injective", "{mb:4@1,out:2@1}", "{}", -EINVAL, "", "core 1 holds two slices" },
	{ "core beyond", "{mb:64}", "{}", -EINVAL, "", "names core 32; there are 32 cores" },
	{ "no count", "{mb}", "{}", -EINVAL, "", "column 4: ':' and a count" },
	{ "count 0", "{mb:0}", "{}", -EINVAL, "", "count of at least 1" },
	{ "axis twice", "{mb:2,mb:2}", "{}", -EINVAL, "", "listed twice" },
	{ "something behind", "{mb:2}x", "{}", -EINVAL, "", "nothing may follow" },
	{ "count too large", "{mb:99999999999}", "{}", -EINVAL, "", "above 4294967295" },
	{ "too many slices", "{mb:65536,out:65536}", "{}", -EINVAL, "", "more slices" },
	{ "shorthand and file", "{mb:2}", PLANNER "map_source.json", -EINVAL, "", "cannot be one pair" },
};

static void refused_pairs(void)
{
	struct ktdev_relayout_opts o = { .size = sizeof(o) };

	for (size_t i = 0; i < sizeof(bad_pairs) / sizeof(bad_pairs[0]); i++) {
		struct reading r;

		read_pair(&r, bad_pairs[i].src, bad_pairs[i].dst, &o);
		if (!ok(r.ret == bad_pairs[i].ret && r.d && !strcmp(r.d->pointer, bad_pairs[i].pointer) &&
			strstr(r.d->message, bad_pairs[i].message), "%s: refused", bad_pairs[i].what)) {
			diag("%d", r.ret);
			show_report(r.rep);
		}
		done(&r);
	}
}

static void maps(void)
{
	const char *const rename[] = { "out=in" };
	struct ktdev_relayout_opts o = { .size = sizeof(o) };
	struct ktdev_classification *c;
	struct reading r, q;

	read_pair(&r, PLANNER "map_source.json", PLANNER "map_destination.json", NULL);
	ok(!r.ret, "two maps in two files");
	ok(has_note(&r, "op view"), "it is said that op views were read");
	read_pair(&q, "{mb:8,out:4}", "{mb:8}*4", &(struct ktdev_relayout_opts){ .size = sizeof(o),
		  .extents = "mb=512,out=256" });
	ok(r.rel && q.rel && ktdev_relayout_equal(r.rel, q.rel), "equal to the shorthand's tables");
	done(&r);
	done(&q);

	read_path(&r, PLANNER "views.json", NULL);
	ok(!r.ret && has_note(&r, "scheduleTree_/0/coordinates_") &&
	   has_note(&r, "scheduleTree_/1/coordinates_"), "the two tensor views are read, and said so");
	is_str(r.info.dtype, "SEN169_FP16", "the buffers' type");
	ktdev_classify(r.rel, KTDEV_ELECT_NONE, &c);
	is_str(c->op, "all_to_all", "not the op view's division");
	ktdev_classification_free(c);
	done(&r);

	read_pair(&r, PLANNER "views.json", PLANNER "renamed.json", NULL);
	ok(r.ret == -EINVAL && r.d && strstr(r.d->message, "dimension 1 is axis 'out' in the source and 'in' in the destination"),
	   "labels that differ are not guessed");
	done(&r);
	o.map = rename;
	o.n_map = 1;
	read_pair(&r, PLANNER "views.json", PLANNER "renamed.json", &o);
	ok(!r.ret && has_note(&r, "by --map: mb=mb, out=in"), "--map says it, and it is repeated");
	done(&r);
	o.map = &(const char *const){ "out=y" };
	read_pair(&r, PLANNER "views.json", PLANNER "renamed.json", &o);
	ok(r.ret == -EINVAL && r.d && strstr(r.d->message, "map 'out=y': no such axis on the destination side"),
	   "a map to no axis");
	done(&r);
}

/* --- data ops -------------------------------------------------------------------------------------------- */

static void data_ops(void)
{
	struct ktdev_relayout_opts o = { .size = sizeof(o) };
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_data_ops *ops = NULL;
	struct ktdev_text in = { PLANNER "data_ops.json", NULL, 0 };
	char *text = read_file(in.name, &in.len);
	struct ktdev_piece p;
	struct reading r;
	bool ordered = true;
	uint32_t i;

	in.text = text;
	is_u64(ktdev_relayout_ops_of(&in, rep, &ops), 0, "the data ops of a file");
	ok(ops && ops->n == 3 && ops->ops[0].moves && !ops->ops[1].moves && ops->ops[2].moves,
	   "two move data, one does not");
	ok(ops && strstr(ops->ops[1].why, "restickify"), "... because it is a restickify");
	ktdev_data_ops_free(ops);
	is_u64(ktdev_relayout_ops_of(&in, NULL, &ops), 0, "without a report");
	ktdev_data_ops_free(ops);
	ktdev_report_free(rep);
	free(text);

	read_path(&r, PLANNER "data_ops.json", NULL);
	ok(!r.ret && has_note(&r, "data op 0 of 3") && has_note(&r, "1 are skipped"),
	   "the first that moves data, and the count of those skipped");
	for (i = 0; i < 12 && r.rel; i++) {
		ktdev_relayout_piece(r.rel, KTDEV_SOURCE, i, &p);
		ordered = ordered && p.owners[0] == i && p.start[0] == 2 * i && p.addr[0] == 0;
	}
	ok(ordered, "owners come from memId, whatever the order of keys (p0, p1, p10, p11, p2 ...)");
	ktdev_relayout_piece(r.rel, KTDEV_DESTINATION, 0, &p);
	ok(p.n_owners == 2 && p.addr[1] == 8192, "several owners with their addresses");
	ktdev_relayout_piece(r.rel, KTDEV_DESTINATION, 1, &p);
	ok(p.addr[0] == 8192, "an address in data_");
	is_u64((uint64_t)-ktdev_relayout_piece(r.rel, KTDEV_DESTINATION, 2, &p), ERANGE, "no third");
	done(&r);
	o.op = "2";
	read_path(&r, PLANNER "data_ops.json", &o);
	ok(!r.ret && !strcmp(r.info.name, "2_STCDPOpLx_swap"), "--op by number");
	done(&r);
	o.op = "2_STCDPOpLx_swap";
	read_path(&r, PLANNER "data_ops.json", &o);
	ok(!r.ret && r.info.placed[0] && r.info.placed[1], "--op by name, both sides placed");
	done(&r);
	o.op = "1";
	read_path(&r, PLANNER "data_ops.json", &o);
	ok(r.ret == -EOPNOTSUPP && strstr(r.d->message, "restickify"), "a restickify is unsupported");
	done(&r);
	o.op = "7";
	read_path(&r, PLANNER "data_ops.json", &o);
	ok(r.ret == -EINVAL && strstr(r.d->message, "no data op '7' among 3"), "no such op");
	done(&r);
	read_path(&r, PLANNER "gap.json", NULL);
	ok(r.ret == -EOPNOTSUPP && strstr(r.d->message, "axis 'out_' is allocated with gaps (8 valid, 56 gap, 1 runs)"),
	   "an allocation pitch is unsupported, with its numbers");
	done(&r);
	read_path(&r, PLANNER "sub_stick.json", NULL);
	ok(!r.ret && r.d && r.d->severity == KTDEV_WARNING && strstr(r.d->message, "cuts a stick of 64 lanes"),
	   "the planner's own sub-stick pieces are a warning");
	done(&r);
	o.op = NULL;
	o.stick_axis = "out";
	o.stick_lanes = 64;
	read_path(&r, PLANNER "sub_stick.json", &o);
	ok(r.ret == -EINVAL && strstr(r.d->message, "cuts a stick"), "declared by the user they are an error");
	done(&r);
}

/* --- writing, options ---------------------------------------------------------------------------------------- */

static void written(void)
{
	struct ktdev_relayout *a = from_short("{mb:4,out:2}", "{mb:2}*2", "mb=8,out=64", 16), *b;
	char *text;

	is_u64(ktdev_relayout_write(a, &text), 0, "written");
	b = from_json("written", text);
	ok(ktdev_relayout_equal(a, b), "and read again: the same");
	ktdev_text_free(text);
	ktdev_relayout_free(b);
	b = from_short("{mb:4,out:2}", "{mb:2}*2@4", "mb=8,out=64", 16);
	ok(!ktdev_relayout_equal(a, b), "other owners are not the same");
	ktdev_relayout_free(b);
	b = from_short("{mb:4,out:2}", "{mb:2}*2", "mb=8,out=128", 16);
	ok(!ktdev_relayout_equal(a, b), "other extents are not the same");
	ktdev_relayout_free(b);
	ktdev_relayout_free(a);
}

static void options(void)
{
	struct {
		struct ktdev_relayout_opts o;
		uint64_t more;
	} big = { .o = { .size = sizeof(big) } };
	struct reading r;

	read_pair(&r, "{a:2}", "{}", &big.o);
	ok(!r.ret, "a larger option struct with a zero tail");
	is_u64(r.info.axes[0].extent, 128, "default extent: lcm of the counts in sticks");
	done(&r);
	big.more = 1;
	read_pair(&r, "{a:2}", "{}", &big.o);
	ok(r.ret == -E2BIG, "... is refused where the tail is set");
	done(&r);
}

/* Many strips with one missing: found, and not by recursion. */
static void many_strips(void)
{
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_relayout *rel = NULL;
	struct ktdev_text in = { "strips", NULL, 0 };
	char *text = NULL;
	uint32_t i, n = 30000;
	FILE *f = open_memstream(&text, &in.len);

	fprintf(f, "{\"schema\":\"ktdev.relayout/1\",\"cores\":2,\"dtype\":\"f16\",\"axes\":"
		"[{\"name\":\"a\",\"extent\":%u}],\"source\":{\"pieces\":[", n + 1);
	for (i = 0; i < n; i++)
		fprintf(f, "%s{\"start\":{\"a\":%u},\"size\":{\"a\":1},\"owners\":[0]}", i ? "," : "",
			i < n - 7 ? i : i + 1);
	fprintf(f, "]},\"destination\":{\"pieces\":[{\"start\":{\"a\":0},\"size\":{\"a\":%u},"
		"\"owners\":[1]}]}}", n + 1);
	fclose(f);
	in.text = text;
	ok(ktdev_relayout_parse(&in, NULL, rep, &rel) == -EINVAL &&
	   strstr(ktdev_report_get(rep, 0)->message, "destination element a 29993"),
	   "the one element of 30001 nobody holds is named");
	ktdev_report_free(rep);
	free(text);
}

/* A zero byte is no part of a name. */
static void zero_byte(void)
{
	struct ktdev_text s = { "s", "{a:2}", 5 }, d = { "d", "{\0b:2}", 6 };
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_relayout *rel = NULL;

	ok(ktdev_relayout_parse_pair(&s, &d, NULL, rep, &rel) == -EINVAL && !rel &&
	   strstr(ktdev_report_get(rep, 0)->message, "an axis name must stand here"),
	   "a zero byte in a division is refused");
	ktdev_report_free(rep);
}

int main(void)
{
	zero_byte();
	many_strips();
	refusals();
	places();
	refused_pairs();
	maps();
	data_ops();
	written();
	options();
	return done_testing();
}
