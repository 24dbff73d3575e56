// SPDX-License-Identifier: MIT
/* ktctl trace record|show|replay: the timeline of a run, kept in a file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "trace.h"

struct record {
	struct ctl *c;
	struct ctl_input in;
	struct ctl_compile opts;
	struct ktdev_device *dev;
	json_t *trace;
	double start;
};

/* Close the host phase that began at @from. */
static void phase(struct record *r, const char *name, double from, json_t *args)
{
	ctl_trace_event(r->trace, "host", name, from - r->start, ctl_now_us() - from, args);
}

static int run_once(struct record *r, uint64_t run, struct ktdev_result *res)
{
	struct ktdev_submit_opts opts = {
		.size = sizeof(opts),
		.sync = r->opts.lib.per_tile ? KTDEV_SYNC_PER_TILE : KTDEV_SYNC_PLAN,
	};
	struct ktdev_job *job = NULL;
	json_t *args = json_object();
	double from = ctl_now_us(), began;
	int err = ktdev_submit(r->dev, r->in.plan, &opts, &job);

	if (err) {
		json_decref(args);
		return ctl_fail_device(r->c, r->c->device, err);
	}
	phase(r, "submit", from, NULL);
	began = ctl_now_us();
	err = ktdev_job_wait(job, -1, res);
	phase(r, "wait", began, NULL);
	ctl_set_u64(args, "run", run);
	ctl_set_u64(args, "cycles", res->stats.cycles);
	ctl_set_u64(args, "stall_cycles", res->stats.stall_cycles);
	ctl_set_u64(args, "transfers", res->stats.transfers);
	ctl_trace_event(r->trace, "device", "job", from - r->start, ctl_now_us() - from, args);
	ktdev_job_free(job);
	return err ? ctl_fail_device(r->c, r->c->device, err) : CTL_OK;
}

static int finish(struct record *r, const struct ktdev_result *res)
{
	json_t *stats = json_object(), *plan;
	char *text;
	size_t len;

	if (ktdev_plan_to_json(r->in.plan, &text, &len))
		return ctl_no_memory(r->c);
	plan = json_loadb(text, len, 0, NULL);
	free(text);
	ctl_set_stats(stats, &res->stats);
	ctl_set(r->trace, "stats", stats);
	ctl_set(r->trace, "plan", plan);
	return CTL_OK;
}

static int save(struct ctl *c, json_t *doc, const char *path)
{
	char *text;
	size_t len;
	int ret;

	if (!strcmp(path, "-"))
		return ctl_emit(c, doc);
	text = ctl_dumps(c, doc, &len);
	ret = text ? ctl_save(c, path, text, len) : ctl_no_memory(c);
	free(text);
	return ret;
}

static int saved(struct ctl *c, const char *path, size_t events)
{
	json_t *doc;

	if (!strcmp(path, "-"))
		return CTL_OK;
	if (c->json) {
		doc = ctl_doc("ktctl.record/1", true);
		ctl_set_str(doc, "output", path);
		ctl_set_u64(doc, "events", events);
		return ctl_emit(c, doc);
	}
	if (!c->quiet)
		printf("%zu events written to %s\n", events, path);
	return CTL_OK;
}

static int prepare(struct record *r)
{
	struct ktdev_device_info info;
	double from = ctl_now_us();
	int ret;

	r->start = from;
	ret = ctl_open(r->c, &r->dev);
	if (ret)
		return ret;
	ktdev_device_info(r->dev, &info);
	r->trace = ctl_doc("ktctl.trace/1", true);
	ctl_set_str(r->trace, "source", r->c->argv[1]);
	ctl_set_str(r->trace, "backend", info.backend);
	ctl_set_str(r->trace, "device", info.name);
	ctl_set_str(r->trace, "sync", ctl_opt(r->c, "per-tile") ? "per-tile" : "barrier");
	ctl_list(r->trace, "events");
	phase(r, "open", from, NULL);
	from = ctl_now_us();
	ret = ctl_input(r->c, r->c->argv[1], r->c->argc > 2 ? r->c->argv[2] : NULL, &r->in);
	phase(r, "read", from, NULL);
	from = ctl_now_us();
	if (!ret)
		ret = ctl_compile_opts(r->c, &r->in, r->dev, &r->opts);
	if (!ret)
		ret = ctl_compile(r->c, &r->in, &r->opts);
	phase(r, "compile", from, NULL);
	return ret;
}

static int record(struct ctl *c)
{
	struct record r = { .c = c };
	struct ktdev_result res = { .size = sizeof(res) };
	const char *path = ctl_opt(c, "output");
	uint64_t repeat = 1;
	size_t events = 0;
	int ret = ctl_opt_u64(c, "repeat", 1, 10000, &repeat);

	if (!ret)
		ret = prepare(&r);
	for (uint64_t i = 0; !ret && i < repeat; i++)
		ret = run_once(&r, i, &res);
	if (!ret)
		ret = finish(&r, &res);
	if (!ret) {
		events = json_array_size(json_object_get(r.trace, "events"));
		ret = save(c, json_incref(r.trace), path ? path : "-");
	}
	if (!ret)
		ret = saved(c, path ? path : "-", events);
	json_decref(r.trace);
	ctl_input_free(&r.in);
	ktdev_device_close(r.dev);
	return ret;
}

static int show(struct ctl *c)
{
	const char *format = ctl_opt(c, "format"), *path = ctl_opt(c, "output");
	json_t *trace;
	int ret = ctl_trace_load(c, c->argv[1], &trace);

	if (ret)
		return ret;
	if (format && !strcmp(format, "chrome")) {
		ret = save(c, ctl_trace_chrome(trace), path ? path : "-");
	} else if (c->json) {
		return save(c, trace, path ? path : "-");
	} else if (path) {
		ret = ctl_fail(c, CTL_USAGE,
			       "trace show: --output goes with --format chrome or --json");
	} else {
		ctl_trace_text(c, trace);
	}
	json_decref(trace);
	return ret;
}

static int compare(struct ctl *c, const json_t *trace, const struct ktdev_result *res)
{
	const json_t *before = json_object_get(trace, "stats");
	json_t *now = json_object(), *differ = json_array(), *value, *doc;
	const char *key;
	int ret, code;

	ctl_set_stats(now, &res->stats);
	json_object_foreach(now, key, value)
		if (!json_equal(value, json_object_get(before, key)))
			json_array_append_new(differ, json_string(key));
	code = json_array_size(differ) ? CTL_FINDINGS : CTL_OK;
	if (c->json) {
		doc = ctl_doc("ktctl.replay/1", code == CTL_OK);
		ctl_set_str(doc, "backend", res->backend);
		ctl_set(doc, "recorded", json_incref((json_t *)before));
		ctl_set(doc, "replayed", now);
		ctl_set(doc, "differences", differ);
		ret = ctl_emit(c, doc);
		return ret ? ret : code;
	}
	printf("%s: %s\n", c->argv[1], code ? "the run differs from the recorded one" :
	       "the run is the recorded one");
	for (size_t i = 0; i < json_array_size(differ); i++) {
		key = json_string_value(json_array_get(differ, i));
		printf("  %s: %.0f recorded, %.0f now\n", key,
		       json_number_value(json_object_get(before, key)),
		       json_number_value(json_object_get(now, key)));
	}
	json_decref(now);
	json_decref(differ);
	return code;
}

static int replay(struct ctl *c)
{
	struct record r = { .c = c, .in = { .kind = CTL_PLAN, .name = c->argv[1] } };
	struct ktdev_result res = { .size = sizeof(res) };
	json_t *trace = NULL;
	char *text = NULL;
	int err, ret = ctl_trace_load(c, c->argv[1], &trace);

	if (!ret)
		ret = ctl_open(c, &r.dev);
	if (!ret) {
		r.in.rep = ktdev_report_new();
		text = json_dumps(json_object_get(trace, "plan"), JSON_COMPACT);
		err = r.in.rep && text ? ktdev_plan_read(c->argv[1], text, strlen(text), r.in.rep,
							 &r.in.plan) : -ENOMEM;
		ret = err ? ctl_fail_input(c, &r.in, err) : CTL_OK;
	}
	if (!ret) {
		r.opts.lib.per_tile = !strcmp(json_string_value(json_object_get(trace, "sync")),
					      "per-tile");
		r.trace = json_object();
		ctl_list(r.trace, "events");
		ret = run_once(&r, 0, &res);
		json_decref(r.trace);
	}
	if (!ret)
		ret = compare(c, trace, &res);
	free(text);
	json_decref(trace);
	ctl_input_free(&r.in);
	ktdev_device_close(r.dev);
	return ret;
}

int cmd_trace(struct ctl *c)
{
	static const struct {
		const char *name;
		int max;
		int (*run)(struct ctl *c);
	} subs[] = { { "record", 3, record }, { "show", 2, show }, { "replay", 2, replay } };

	for (size_t i = 0; i < CTL_ARRAY_SIZE(subs); i++) {
		if (strcmp(c->argv[0], subs[i].name))
			continue;
		if (c->argc < 2)
			return ctl_fail(c, CTL_USAGE, "ktctl trace %s needs FILE", subs[i].name);
		if (c->argc > subs[i].max)
			return ctl_fail(c, CTL_USAGE, "ktctl trace %s: one operand too many: %s",
					subs[i].name, c->argv[subs[i].max]);
		return subs[i].run(c);
	}
	return ctl_fail(c, CTL_USAGE,
			"unknown command trace %s\ntrace record, trace show or trace replay",
			c->argv[0]);
}
