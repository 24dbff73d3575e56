// SPDX-License-Identifier: MIT
/* Recorded runs: reading, and the two ways to show them. */
#include <string.h>
#include <time.h>

#include "trace.h"

#define BAR	40

double ctl_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

void ctl_trace_event(json_t *trace, const char *track, const char *name, double start,
		     double duration, json_t *args)
{
	json_t *o = json_object();

	ctl_set_str(o, "track", track);
	ctl_set_str(o, "name", name);
	ctl_set_real(o, "start_us", start);
	ctl_set_real(o, "duration_us", duration);
	ctl_set(o, "args", args ? args : json_object());
	json_array_append_new(json_object_get(trace, "events"), o);
}

static bool event_ok(const json_t *e)
{
	return json_is_string(json_object_get(e, "track")) &&
	       json_is_string(json_object_get(e, "name")) &&
	       json_is_number(json_object_get(e, "start_us")) &&
	       json_is_number(json_object_get(e, "duration_us")) &&
	       json_is_object(json_object_get(e, "args"));
}

static const char *trace_fault(const json_t *t)
{
	const char *schema = json_string_value(json_object_get(t, "schema"));
	const json_t *events = json_object_get(t, "events"), *e;
	size_t i;

	if (!schema || strcmp(schema, "ktctl.trace/1"))
		return "schema is not ktctl.trace/1";
	if (!json_is_string(json_object_get(t, "source")) ||
	    !json_is_string(json_object_get(t, "backend")) ||
	    !json_is_string(json_object_get(t, "sync")))
		return "no source, backend or sync";
	if (!json_is_object(json_object_get(t, "plan")) ||
	    !json_is_object(json_object_get(t, "stats")))
		return "no plan or no stats";
	if (!json_is_array(events))
		return "no events";
	json_array_foreach(events, i, e)
		if (!event_ok(e))
			return "an event without track, name, start_us, duration_us or args";
	return NULL;
}

int ctl_trace_load(struct ctl *c, const char *path, json_t **out)
{
	const struct ctl_text *text;
	const char *fault;
	json_error_t err;
	int ret = ctl_load(c, path, &text);

	if (ret)
		return ret;
	*out = json_loadb(text->text, text->len, JSON_REJECT_DUPLICATES, &err);
	if (!*out)
		return ctl_fail(c, CTL_INPUT, "%s:%d:%d: %s", text->name, err.line, err.column,
				err.text);
	fault = trace_fault(*out);
	if (!fault)
		return CTL_OK;
	json_decref(*out);
	*out = NULL;
	return ctl_fail(c, CTL_INPUT,
			"%s: no recorded run: %s\nktctl trace record FILE -o OUT makes one",
			text->name, fault);
}

static double number(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static const char *string(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

void ctl_trace_text(const struct ctl *c, const json_t *trace)
{
	const json_t *events = json_object_get(trace, "events"), *e;
	double first = 0, last = 0, scale;
	size_t i;

	json_array_foreach(events, i, e) {
		double end = number(e, "start_us") + number(e, "duration_us");

		if (!i || number(e, "start_us") < first)
			first = number(e, "start_us");
		last = end > last ? end : last;
	}
	scale = last > first ? BAR / (last - first) : 0;
	printf("%s on %s, %s: %.1f us\n", string(trace, "source"), string(trace, "backend"),
	       string(trace, "sync"), last - first);
	printf("  %-8s %-16s %12s %12s\n", "track", "event", "start us", "takes us");
	json_array_foreach(events, i, e) {
		int from = (int)((number(e, "start_us") - first) * scale);
		int len = (int)(number(e, "duration_us") * scale + 0.5);

		printf("  %-8s %-16s %12.1f %12.1f  |%*s%s", string(e, "track"), string(e, "name"),
		       number(e, "start_us") - first, number(e, "duration_us"), from, "",
		       ctl_on(c, stdout, CTL_CYAN));
		for (int k = 0; k < (len ? len : 1); k++)
			putchar('#');
		printf("%s\n", ctl_off(c, stdout));
	}
	e = json_object_get(trace, "stats");
	printf("  %.0f cycles, %.0f stall cycles, %.0f bytes delivered, %.0f remote\n",
	       number(e, "cycles"), number(e, "stall_cycles"), number(e, "bytes_delivered"),
	       number(e, "remote_bytes"));
}

json_t *ctl_trace_chrome(const json_t *trace)
{
	json_t *doc = json_object(), *list = ctl_list(doc, "traceEvents"), *o;
	const json_t *e;
	size_t i;

	json_array_foreach(json_object_get(trace, "events"), i, e) {
		o = json_object();
		ctl_set_str(o, "name", string(e, "name"));
		ctl_set_str(o, "cat", string(e, "track"));
		ctl_set_str(o, "ph", "X");
		ctl_set_real(o, "ts", number(e, "start_us"));
		ctl_set_real(o, "dur", number(e, "duration_us"));
		ctl_set_int(o, "pid", 1);
		ctl_set_int(o, "tid", strcmp(string(e, "track"), "host") ? 2 : 1);
		ctl_set(o, "args", json_incref(json_object_get(e, "args")));
		json_array_append_new(list, o);
	}
	for (int tid = 1; tid <= 2; tid++) {
		json_t *args = json_object();

		o = json_object();
		ctl_set_str(args, "name", tid == 1 ? "host" : "device");
		ctl_set_str(o, "name", "thread_name");
		ctl_set_str(o, "ph", "M");
		ctl_set_int(o, "pid", 1);
		ctl_set_int(o, "tid", tid);
		ctl_set(o, "args", args);
		json_array_append_new(list, o);
	}
	ctl_set_str(doc, "displayTimeUnit", "ns");
	return doc;
}
