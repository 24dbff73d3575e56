// SPDX-License-Identifier: MIT
/*
 * Emitted KTIR: the form each kind of relayout takes, folds, unusual owner maps and
 * places, what cannot be said, and mutations that verify clean but move other values.
 */
#include <errno.h>

#include "relayout_util.h"

static char *emit(const struct ktdev_relayout *rel, enum ktdev_elect elect)
{
	struct ktdev_report *rep = ktdev_report_new();
	char *text = NULL;

	if (ktdev_emit(rel, elect, rep, &text))
		show_report(rep);
	ktdev_report_free(rep);
	return text;
}

static uint32_t count(const char *text, const char *what)
{
	uint32_t n = 0;

	for (; text && (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

/* --- forms ------------------------------------------------------------------------------------------- */

static const struct {
	const char *src, *dst, *extents;
	enum ktdev_elect elect;
	const char *op, *has;
	uint32_t ops, stores;
} forms[] = {
	{ "{mb:8,in:4}", "{mb:8}*4", "mb=16,in=16", 0, "gather", "gather_dimensions = [1]", 1, 1 },
	{ "{a:2@1,b:4@2}", "{}", "a=4,b=8", 0, "gather", "gather_dimensions = [0, 1]", 1, 1 },
	/* the tiles count in no axis order: a unit axis in front, slices stored at their bases */
	{ "{a:3@2,b:2@3}", "{}", "a=6,b=4", 0, "gather", "gather_dimensions = [0]", 1, 3 },
	{ "{mb:8,out:4}", "{mb:32}", "mb=64,out=16", 0, "all_to_all", "split_dimensions = [0]", 1, 1 },
	{ "{Lk:32}", "{H:8}*4", "Lk=64,H=16", 0, "all_to_all", "concat_dimensions = [0]", 4, 4 },
	{ "{y:16}", "{y:32}", "y=64", 0, "scatter", "scatter_dimensions = [0]", 1, 1 },
	{ "{}", "{a:3@2,b:2@3}", "a=6,b=4", 0, "consume", "tensor<2x2xf16>", 6, 6 },
	{ "{h:8}", "{h:8}*4", "h=64", 0, "consume", "consumer_tiles_per_group", 1, 1 },
	{ "{J:4@8,M:8@1}", "{J:4@1,M:8@4}", "J=4,M=8", 0, "consume", "producer_dependency_per_consumer",
	  1, 1 },
	{ "{a:4}*2", "{a:4}*4", "a=64", KTDEV_ELECT_LOWEST, "consume",
	  "producer_dependency_per_consumer", 1, 1 },
	{ "{a:6}", "{a:4}", "a=24", 0, "consume", "tensor<2xf16>", 4, 4 },
};

static void all_forms(struct ktdev_device *dev)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct ktdev_relayout *rel = from_short(forms[i].src, forms[i].dst, forms[i].extents, 32);
		struct outcome o;
		char op[64];

		run_all(dev, rel, forms[i].elect, &o);
		ok(all_good(&o, forms[i].src), "%s -> %s: verifies, runs, moves the lower bound",
		   forms[i].src, forms[i].dst);
		snprintf(op, sizeof(op), "ktdp.inter_tile_%s(", forms[i].op);
		ok(count(o.text, op) == forms[i].ops && o.cls->ops_needed == forms[i].ops,
		   "... %u %s", count(o.text, op), forms[i].op);
		ok(o.text && strstr(o.text, forms[i].has), "... with %s", forms[i].has);
		if (!ok(count(o.text, "ktdp.store") == forms[i].stores, "... %u stores",
			count(o.text, "ktdp.store")))
			diag("%s", o.text);
		outcome_free(&o);
		ktdev_relayout_free(rel);
	}
}

/* --- folds -------------------------------------------------------------------------------------------- */

struct part {
	uint32_t start, size, n, owners[5];
};

static const struct {
	const char *dtype, *combine;
	uint32_t n_src, n_dst;
	struct part src[2], dst[4];
	const char *op;
	uint32_t ops;
} folds[] = {
	{ "f16", "add", 1, 1, { { 0, 64, 4, { 0, 1, 2, 3 } } }, { { 0, 64, 4, { 0, 1, 2, 3 } } }, "reduce", 1 },
	{ "f16", "add", 1, 1, { { 0, 64, 4, { 0, 1, 2, 3 } } }, { { 0, 64, 1, { 2 } } }, "reduce", 1 },
	{ "f16", "add", 1, 1, { { 0, 64, 4, { 0, 1, 2, 3 } } }, { { 0, 64, 1, { 5 } } }, "reduce", 1 },
	{ "bf16", "mul", 1, 1, { { 0, 64, 4, { 0, 1, 2, 3 } } }, { { 0, 64, 2, { 5, 6 } } }, "reduce", 2 },
	{ "f32", "max", 1, 4, { { 0, 64, 4, { 0, 1, 2, 3 } } }, { { 0, 16, 1, { 0 } }, { 16, 16, 1, { 1 } },
	  { 32, 16, 1, { 2 } }, { 48, 16, 1, { 3 } } }, "reduce_scatter", 1 },
	{ "i32", "min", 1, 4, { { 0, 64, 4, { 0, 1, 2, 3 } } }, { { 0, 16, 1, { 4 } }, { 16, 16, 1, { 5 } },
	  { 32, 16, 1, { 6 } }, { 48, 16, 1, { 7 } } }, "reduce_scatter", 1 },
	{ "i32", "add", 2, 4, { { 0, 32, 2, { 0, 1 } }, { 32, 32, 2, { 2, 3 } } }, { { 0, 16, 2, { 0, 4 } },
	  { 16, 16, 2, { 1, 5 } }, { 32, 16, 2, { 2, 6 } }, { 48, 16, 2, { 3, 7 } } }, "reduce_scatter", 2 },
	{ "i8", "xor", 2, 1, { { 0, 32, 2, { 0, 1 } }, { 32, 32, 2, { 2, 3 } } },
	  { { 0, 64, 5, { 0, 1, 2, 3, 7 } } }, NULL, 6 },
	{ "i64", "and", 2, 2, { { 0, 32, 2, { 0, 1 } }, { 32, 32, 1, { 2 } } }, { { 0, 16, 1, { 0 } },
	  { 16, 48, 1, { 4 } } }, NULL, 3 },
	{ "f64", "min", 2, 2, { { 0, 32, 3, { 0, 1, 7 } }, { 32, 32, 1, { 2 } } }, { { 0, 16, 1, { 0 } },
	  { 16, 48, 1, { 4 } } }, NULL, 3 },
	{ "i16", "or", 2, 1, { { 0, 32, 2, { 0, 1 } }, { 32, 32, 2, { 0, 1 } } }, { { 0, 64, 2, { 0, 1 } } },
	  NULL, 2 },
};

static void put_parts(FILE *f, const struct part *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		fprintf(f, "%s{\"start\":{\"a\":%u},\"size\":{\"a\":%u},\"owners\":[", i ? "," : "",
			p[i].start, p[i].size);
		for (uint32_t k = 0; k < p[i].n; k++)
			fprintf(f, "%s%u", k ? "," : "", p[i].owners[k]);
		fprintf(f, "]}");
	}
}

static void all_folds(struct ktdev_device *dev)
{
	for (size_t i = 0; i < sizeof(folds) / sizeof(folds[0]); i++) {
		struct ktdev_relayout *rel;
		struct outcome o;
		char *text = NULL, what[64];
		size_t len;
		FILE *f = open_memstream(&text, &len);

		fprintf(f, "{\"schema\":\"ktdev.relayout/1\",\"cores\":8,\"dtype\":\"%s\",\"axes\":[{\"name\":\"a\",\"extent\":64}],\"combine\":\"%s\",\"source\":{\"value\":\"contributions\",\"pieces\":[",
			folds[i].dtype, folds[i].combine);
		put_parts(f, folds[i].src, folds[i].n_src);
		fprintf(f, "]},\"destination\":{\"value\":\"completed\",\"pieces\":[");
		put_parts(f, folds[i].dst, folds[i].n_dst);
		fprintf(f, "]}}");
		fclose(f);
		rel = from_json("fold", text);
		run_all(dev, rel, KTDEV_ELECT_NONE, &o);
		snprintf(what, sizeof(what), "fold %zu: %s %s", i, folds[i].combine, folds[i].dtype);
		ok(all_good(&o, what), "%s: bit-exact both ways, each contribution once", what);
		ok(o.cls->ops_needed == folds[i].ops &&
		   (folds[i].op ? o.cls->op && !strcmp(o.cls->op, folds[i].op) : !o.cls->op),
		   "... %s in %u", o.cls->op ? o.cls->op : "no single op", o.cls->ops_needed);
		outcome_free(&o);
		ktdev_relayout_free(rel);
		free(text);
	}
}

/* --- places ------------------------------------------------------------------------------------------------ */

#define HEAD(cores) "{\"schema\":\"ktdev.relayout/1\",\"cores\":" #cores ",\"dtype\":\"f16\"," \
	"\"axes\":[{\"name\":\"a\",\"extent\":64}],"
#define P(s, n, o, at) "{\"start\":{\"a\":" #s "},\"size\":{\"a\":" #n "},\"owners\":[" o "],\"addr\":[" at "]}"

static void places(struct ktdev_device *dev)
{
	static const struct {
		const char *what, *text;
	} cases[] = {
		{ "in place, owners swapped", HEAD(4) "\"source\":{\"pieces\":[" P(0, 32, "0", "0") ","
		  P(32, 32, "1", "0") "]},\"destination\":{\"pieces\":[" P(0, 32, "1", "0") ","
		  P(32, 32, "0", "0") "]}}" },
		{ "in place, ragged: later loads before earlier stores", HEAD(4) "\"source\":{\"pieces\":["
		  P(0, 10, "0", "0") "," P(10, 20, "1", "0") "," P(30, 34, "2", "0")
		  "]},\"destination\":{\"pieces\":[" P(0, 30, "0", "0") "," P(30, 4, "1", "0") ","
		  P(34, 30, "2", "0") "]}}" },
		{ "addresses that differ from core to core", HEAD(4) "\"source\":{\"pieces\":["
		  P(0, 16, "0", "128") "," P(16, 16, "1", "256") "," P(32, 16, "2", "640") ","
		  P(48, 16, "3", "1024") "]},\"destination\":{\"pieces\":[" P(0, 64, "0,3", "4096,8192")
		  "]}}" },
		{ "addresses that are no sticks", HEAD(4) "\"source\":{\"pieces\":[" P(0, 64, "0", "6")
		  "]},\"destination\":{\"pieces\":[" P(0, 32, "1", "2") "," P(32, 32, "2", "14") "]}}" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ktdev_relayout *rel = from_json(cases[i].what, cases[i].text);
		struct outcome o;

		run_all(dev, rel, KTDEV_ELECT_NONE, &o);
		ok(all_good(&o, cases[i].what), "%s", cases[i].what);
		outcome_free(&o);
		ktdev_relayout_free(rel);
	}
}

/* --- refusals ------------------------------------------------------------------------------------------------ */

static void refuses(const char *what, const struct ktdev_relayout *rel, int emit_ret, int plan_ret,
		    const char *message)
{
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_plan *plan = NULL;
	char *text = NULL;

	ok(ktdev_emit(rel, KTDEV_ELECT_NONE, rep, &text) == emit_ret && !!text == !emit_ret,
	   "%s: emit %d", what, emit_ret);
	if (emit_ret)
		ok(ktdev_report_count(rep) == 1 && strstr(ktdev_report_get(rep, 0)->message, message),
		   "... says why");
	ktdev_text_free(text);
	ktdev_report_free(rep);
	rep = ktdev_report_new();
	ok(ktdev_plan_from_relayout(rel, KTDEV_ELECT_NONE, NULL, rep, &plan) == plan_ret && !plan,
	   "%s: compile %d", what, plan_ret);
	if (!ok(ktdev_report_count(rep) == 1 && strstr(ktdev_report_get(rep, 0)->message, message),
		"... says why"))
		show_report(rep);
	ktdev_report_free(rep);
}

static void refusals(void)
{
	struct ktdev_relayout *rel = from_short("{a:4}*2", "{a:4}*4", "a=64", 32);

	refuses("no election", rel, -EOPNOTSUPP, -EOPNOTSUPP, "producer not determined");
	ktdev_relayout_free(rel);
	rel = from_short("{}", "{}*2", "a=4194304", 32);
	refuses("more than a scratchpad", rel, 0, -EINVAL,
		"does not fit its scratchpad: 8388608 bytes needed, 2097152 available");
	ktdev_relayout_free(rel);
	rel = from_short("{a:64}", "{}", "a=64", 64);
	refuses("more cores than the target", rel, 0, -EOPNOTSUPP,
		"the tables are of 64 cores, the target has 32");
	ktdev_relayout_free(rel);
	rel = from_json("odd address", HEAD(4) "\"source\":{\"pieces\":[" P(0, 64, "0", "1")
			"]},\"destination\":{\"pieces\":[" P(0, 64, "1", "0") "]}}");
	{
		struct ktdev_report *rep = ktdev_report_new();
		char *text = NULL;

		ok(ktdev_emit(rel, KTDEV_ELECT_NONE, rep, &text) == -EOPNOTSUPP &&
		   strstr(ktdev_report_get(rep, 0)->message, "no whole number of elements"),
		   "an address between elements cannot be said in KTIR");
		ktdev_report_free(rep);
	}
	ktdev_relayout_free(rel);
	rel = from_json("two on one place", HEAD(4) "\"source\":{\"pieces\":[" P(0, 64, "0", "0")
			"]},\"destination\":{\"pieces\":[" P(0, 32, "1", "0") "," P(32, 32, "1", "0") "]}}");
	{
		struct ktdev_report *rep = ktdev_report_new();
		struct ktdev_plan *plan = NULL;

		ok(ktdev_plan_from_relayout(rel, 0, NULL, rep, &plan) == -EINVAL &&
		   strstr(ktdev_report_get(rep, 0)->message,
			  "two destination pieces of core 1 lie on the same byte, 0"),
		   "two destination pieces on one place are refused");
		ktdev_report_free(rep);
	}
	ktdev_relayout_free(rel);
}

/* --- mutations ------------------------------------------------------------------------------------------------- */

/* KTIR that verifies clean but does something else: diff must name the core. */
static void mutate(const char *src, const char *dst, const char *extents, const char *from,
		   const char *to, const char *witness)
{
	struct ktdev_relayout *rel = from_short(src, dst, extents, 32);
	struct ktdev_diff_input a = { .rel = rel }, b = { 0 };
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_module *mod = NULL;
	struct ktdev_diff *d = NULL;
	char *text = emit(rel, 0), *at = text ? strstr(text, from) : NULL, *out = NULL;
	size_t len = text ? strlen(text) : 0;

	if (!ok(at != NULL, "%s -> %s holds '%s'", src, dst, from)) {
		diag("%s", text);
		goto out;
	}
	out = malloc(len + strlen(to) + 1);
	sprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	ok(!ktdev_module_parse("mutant", out, strlen(out), rep, &mod) &&
	   !ktdev_verify(mod, NULL, rep) && !ktdev_report_total(rep, KTDEV_WARNING),
	   "with '%s' it verifies clean", to);
	b.mod = mod;
	ok(!ktdev_diff(&a, &b, NULL, rep, &d) && d && !d->same, "... and differs");
	if (!ok(d && d->n_lines && strstr(d->lines[0], witness), "... '%s'", witness))
		for (uint32_t i = 0; d && i < d->n_lines; i++)
			diag("%s", d->lines[i]);
	ktdev_diff_free(d);
	d = NULL;
	ok(!ktdev_diff(&b, &a, NULL, rep, &d) && d && !d->same, "... from the other side too");
out:
	if (ktdev_report_count(rep))
		show_report(rep);
	ktdev_diff_free(d);
	ktdev_module_free(mod);
	ktdev_report_free(rep);
	free(out);
	ktdev_text_free(text);
	ktdev_relayout_free(rel);
}

static void mutations(void)
{
	/* a permutation inside one group, which every rule accepts */
	mutate("{J:4@8,M:8@1}", "{J:4@1,M:8@4}", "J=4,M=8", "8 * (c mod 4)", "8 * ((c + 1) mod 4)",
	       "core 0 holds J 1, needs J 0");
	/* the same group, its consumers one tile on */
	mutate("{mb:8,in:2}", "{mb:8}+16", "mb=8,in=2", "i - g - 16 == 0", "i - g - 17 == 0",
	       "core 16 needs mb 0, in 0, receives nothing for it");
	/* the assembly stored at another place: as bytes in order it is the same, so swap halves */
	mutate("{a:3@2,b:2@3}", "{}", "a=6,b=4", "extract_slice %r0[0, 0, 0]",
	       "extract_slice %r0[1, 0, 0]", "core 0 holds");
	/* a scatter along the other axis */
	mutate("{}", "{a:4}", "a=4,b=4", "consumer_tiles_per_group = #tiles4",
	       "consumer_tiles_per_group = affine_set<(i)[g] : (i - 4 >= 0, -i + 7 >= 0)>",
	       "core 1 needs a 1, b 0, receives nothing for it");
}

int main(void)
{
	struct ktdev_device *dev = open_soft();

	all_forms(dev);
	all_folds(dev);
	places(dev);
	refusals();
	mutations();
	ktdev_device_close(dev);
	return done_testing();
}
