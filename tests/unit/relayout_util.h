/* SPDX-License-Identifier: MIT */
/* What the relayout tests share: reading from strings and files, running, random tables. */
#ifndef RELAYOUT_UTIL_H
#define RELAYOUT_UTIL_H

#include <dirent.h>

#include "ktdev.h"
#include "tests/tap.h"

#define GEOMETRIES "tests/data/relayouts"

static TAP_UNUSED char *read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	char *buf = NULL;
	long n;

	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	n = ftell(f);
	rewind(f);
	buf = malloc((size_t)n + 1);
	if (buf && fread(buf, 1, (size_t)n, f) != (size_t)n) {
		free(buf);
		buf = NULL;
	}
	fclose(f);
	if (buf)
		buf[n] = 0;
	*len = (size_t)n;
	return buf;
}

/* Print what a report holds. */
static TAP_UNUSED void show_report(const struct ktdev_report *rep)
{
	for (size_t i = 0; i < ktdev_report_count(rep); i++) {
		const struct ktdev_diag *d = ktdev_report_get(rep, i);

		diag("%s:%u:%u: %s %s [%s]", d->file ? d->file : "-", d->range.line, d->range.col,
		     d->rule ? d->rule : "-", d->message, d->pointer ? d->pointer : "");
	}
}

/* A relayout from a JSON text; bails out where the test's own input is wrong. */
static TAP_UNUSED struct ktdev_relayout *from_json(const char *name, const char *text)
{
	struct ktdev_text in = { name, text, strlen(text) };
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_relayout *rel = NULL;
	int ret = ktdev_relayout_parse(&in, NULL, rep, &rel);

	if (ret) {
		show_report(rep);
		bail_out("%s is not read: %d", name, ret);
	}
	ktdev_report_free(rep);
	return rel;
}

static TAP_UNUSED struct ktdev_relayout *from_file(const char *path)
{
	struct ktdev_relayout *rel;
	size_t len;
	char *text = read_file(path, &len);

	if (!text)
		bail_out("%s: cannot read", path);
	rel = from_json(path, text);
	free(text);
	return rel;
}

/* Two divisions; extents may be NULL. */
static TAP_UNUSED struct ktdev_relayout *from_short(const char *src, const char *dst,
						    const char *extents, uint32_t cores)
{
	struct ktdev_relayout_opts o = { .size = sizeof(o), .extents = extents, .cores = cores };
	struct ktdev_text s = { src, src, strlen(src) }, d = { dst, dst, strlen(dst) };
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_relayout *rel = NULL;
	int ret = ktdev_relayout_parse_pair(&s, &d, &o, rep, &rel);

	if (ret) {
		show_report(rep);
		bail_out("%s -> %s is not read: %d", src, dst, ret);
	}
	ktdev_report_free(rep);
	return rel;
}

/* What became of a relayout's KTIR and of its tables. */
struct outcome {
	int emit, parse, verify, run, tables;
	size_t warnings;
	bool run_ok, tables_ok, diff_same;
	int diff;
	uint64_t remote, lower_bound, host, delivered;	/* of the tables' plan; bound: classified */
	uint64_t ktir_remote, ktir_delivered;
	char *text;
	struct ktdev_classification *cls;
};

static TAP_UNUSED void outcome_free(struct outcome *o)
{
	free(o->text);
	ktdev_classification_free(o->cls);
}

static TAP_UNUSED void run_emitted(struct ktdev_device *dev, const struct ktdev_relayout *rel,
				   enum ktdev_elect elect, struct ktdev_report *rep,
				   struct outcome *o)
{
	struct ktdev_compile_opts co = { .size = sizeof(co), .uncapped = true, .cores = 64 };
	struct ktdev_result res = { .size = sizeof(res) };
	struct ktdev_diff_input a = { .rel = rel, .elect = elect }, b = { 0 };
	struct ktdev_module *mod = NULL;
	struct ktdev_plan *plan = NULL;
	struct ktdev_diff *d = NULL;
	struct ktdev_stats st;

	o->parse = ktdev_module_parse("emitted", o->text, strlen(o->text), rep, &mod);
	if (o->parse)
		return;
	o->verify = ktdev_verify(mod, NULL, rep);
	o->warnings = ktdev_report_total(rep, KTDEV_WARNING);
	o->run = ktdev_check(dev, mod, &co, 1, rep, &res);
	o->run_ok = !o->run && res.ok;
	if (!ktdev_plan_from_module(mod, &co, rep, &plan) && !ktdev_plan_stats(plan, NULL, &st)) {
		o->ktir_remote = st.remote_bytes;
		o->ktir_delivered = st.bytes_delivered;
	}
	b.mod = mod;
	o->diff = ktdev_diff(&a, &b, &co, rep, &d);
	o->diff_same = d && d->same;
	if (d && !d->same)
		for (uint32_t i = 0; i < d->n_lines; i++)
			diag("diff: %s", d->lines[i]);
	ktdev_diff_free(d);
	ktdev_plan_free(plan);
	ktdev_module_free(mod);
}

/* Classify, emit, verify, run the emitted KTIR alone, run the tables. */
static TAP_UNUSED void run_all(struct ktdev_device *dev, const struct ktdev_relayout *rel,
			       enum ktdev_elect elect, struct outcome *o)
{
	struct ktdev_compile_opts co = { .size = sizeof(co), .uncapped = true, .cores = 64 };
	struct ktdev_result res = { .size = sizeof(res) };
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_plan *plan = NULL;
	struct ktdev_stats st;

	memset(o, 0, sizeof(*o));
	ktdev_classify(rel, elect, &o->cls);
	o->lower_bound = o->cls->cost.lower_bound_bytes;
	o->emit = ktdev_emit(rel, elect, rep, &o->text);
	if (!o->emit)
		run_emitted(dev, rel, elect, rep, o);
	o->tables = ktdev_check_relayout(dev, rel, elect, &co, 1, rep, &res);
	o->tables_ok = !o->tables && res.ok;
	if (!ktdev_plan_from_relayout(rel, elect, &co, rep, &plan) &&
	    !ktdev_plan_stats(plan, NULL, &st)) {
		o->remote = st.remote_bytes;
		o->delivered = st.bytes_delivered;
		o->host = st.host_bytes;
	}
	ktdev_plan_free(plan);
	if (o->emit || o->parse || o->verify || !o->run_ok || !o->tables_ok || !o->diff_same)
		show_report(rep);
	ktdev_report_free(rep);
}

/* Everything as it must be; says which relayout it was if not. */
static TAP_UNUSED bool all_good(const struct outcome *o, const char *what)
{
	bool good = !o->emit && !o->parse && !o->verify && !o->warnings && o->run_ok &&
		    o->tables_ok && o->diff_same && o->remote == o->lower_bound && !o->host;

	if (good && o->cls->op && !strcmp(o->cls->op, "no-op"))
		return o->ktir_remote == 0 && o->lower_bound == 0;
	good = good && o->ktir_remote == o->lower_bound;
	if (!good)
		diag("%s: emit %d parse %d verify %d warnings %zu run %d/%d tables %d/%d diff %d/%d remote %" PRIu64 " ktir %" PRIu64 " bound %" PRIu64 " (%s)",
		     what, o->emit, o->parse, o->verify, o->warnings, o->run, o->run_ok, o->tables,
		     o->tables_ok, o->diff, o->diff_same, o->remote, o->ktir_remote, o->lower_bound,
		     o->cls->reason);
	return good;
}

static TAP_UNUSED struct ktdev_device *open_soft(void)
{
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_device *dev = NULL;

	if (ktdev_device_open("soft:cores=64", rep, &dev))
		bail_out("no soft device");
	ktdev_report_free(rep);
	return dev;
}

/* --- random numbers that are the same everywhere ----------------------------------------------- */

static TAP_UNUSED uint64_t rnd_state = 0x9e3779b97f4a7c15ull;

static TAP_UNUSED uint32_t rnd(uint32_t n)
{
	rnd_state ^= rnd_state << 13;
	rnd_state ^= rnd_state >> 7;
	rnd_state ^= rnd_state << 17;
	return (uint32_t)((rnd_state >> 20) % n);
}

static TAP_UNUSED void shuffle(uint32_t *v, uint32_t n)
{
	for (uint32_t i = n; i > 1; i--) {
		uint32_t k = rnd(i), t = v[i - 1];

		v[i - 1] = v[k];
		v[k] = t;
	}
}

#endif /* RELAYOUT_UTIL_H */
