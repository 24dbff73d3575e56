// SPDX-License-Identifier: MIT
/* JSON documents: one per command, keys in the order they are set. */
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

void ctl_set(json_t *obj, const char *key, json_t *value)
{
	if (obj)
		json_object_set_new(obj, key, value);
	else
		json_decref(value);
}

void ctl_set_str(json_t *obj, const char *key, const char *s)
{
	/* text of inputs need not be UTF-8: then byte by byte, as Latin-1 */
	json_t *v = s ? json_string(s) : json_null();

	if (!v) {
		char fix[1024];
		size_t n = 0;

		for (; *s && n + 3 < sizeof(fix); s++) {
			unsigned char b = (unsigned char)*s;

			if (b < 0x80) {
				fix[n++] = (char)b;
			} else {
				fix[n++] = (char)(0xc0 | b >> 6);
				fix[n++] = (char)(0x80 | (b & 0x3f));
			}
		}
		v = json_stringn(fix, n);
	}
	ctl_set(obj, key, v);
}

void ctl_set_int(json_t *obj, const char *key, int64_t v)
{
	ctl_set(obj, key, json_integer(v));
}

void ctl_set_u64(json_t *obj, const char *key, uint64_t v)
{
	ctl_set(obj, key, v > INT64_MAX ? json_real((double)v) : json_integer((int64_t)v));
}

void ctl_set_bool(json_t *obj, const char *key, bool v)
{
	ctl_set(obj, key, json_boolean(v));
}

void ctl_set_real(json_t *obj, const char *key, double v)
{
	ctl_set(obj, key, json_real(v));
}

json_t *ctl_list(json_t *obj, const char *key)
{
	json_t *list = json_array();

	ctl_set(obj, key, list);
	return obj ? list : NULL;
}

json_t *ctl_doc(const char *schema, bool ok)
{
	json_t *doc = json_object();

	ctl_set_str(doc, "schema", schema);
	ctl_set_bool(doc, "ok", ok);
	return doc;
}

static json_t *range_json(const struct ktdev_range *r)
{
	json_t *o;

	if (!r->line)
		return json_null();
	o = json_object();
	ctl_set_int(o, "line", r->line);
	ctl_set_int(o, "col", r->col);
	ctl_set_int(o, "endLine", r->end_line);
	ctl_set_int(o, "endCol", r->end_col);
	return o;
}

static void witness(json_t *o, const char *key, int64_t v)
{
	ctl_set(o, key, v < 0 ? json_null() : json_integer(v));
}

json_t *ctl_json_diag(const struct ktdev_diag *d)
{
	static const char *const severities[] = {
		[KTDEV_WARNING] = "warning", [KTDEV_ERROR] = "error",
		[KTDEV_UNSUPPORTED] = "unsupported", [KTDEV_NOTE] = "note",
	};
	json_t *o = json_object(), *list;

	ctl_set_str(o, "rule", d->rule);
	ctl_set_str(o, "severity", severities[d->severity]);
	ctl_set_str(o, "file", d->file);
	ctl_set(o, "range", range_json(&d->range));
	if (d->pointer)
		ctl_set_str(o, "pointer", d->pointer);
	ctl_set_str(o, "message", d->message);
	witness(o, "group", d->group);
	witness(o, "tile", d->tile);
	witness(o, "consumer", d->consumer);
	list = ctl_list(o, "notes");
	for (unsigned int i = 0; i < d->n_notes; i++) {
		json_t *n = json_object();

		ctl_set_str(n, "file", d->notes[i].file);
		ctl_set(n, "range", range_json(&d->notes[i].range));
		ctl_set_str(n, "message", d->notes[i].message);
		json_array_append_new(list, n);
	}
	list = ctl_list(o, "fixits");
	for (unsigned int i = 0; i < d->n_fixits; i++) {
		json_t *n = json_object();

		ctl_set_str(n, "file", d->fixits[i].file);
		ctl_set(n, "range", range_json(&d->fixits[i].range));
		ctl_set_str(n, "replacement", d->fixits[i].replacement);
		ctl_set_str(n, "message", d->fixits[i].message);
		json_array_append_new(list, n);
	}
	return o;
}

json_t *ctl_json_diags(const struct ktdev_report *rep)
{
	json_t *list = json_array();

	for (size_t i = 0; rep && i < ktdev_report_count(rep); i++)
		json_array_append_new(list, ctl_json_diag(ktdev_report_get(rep, i)));
	return list;
}

char *ctl_dumps(const struct ctl *c, json_t *doc, size_t *len)
{
	size_t flags = (c->pretty ? JSON_INDENT(2) : JSON_COMPACT) | JSON_REAL_PRECISION(9);
	char *text = NULL;
	FILE *f = doc ? open_memstream(&text, len) : NULL;
	int err = f ? json_dumpf(doc, f, flags) : -1;

	json_decref(doc);
	if (f && fputc('\n', f) == EOF)
		err = -1;
	if (f && fclose(f))
		err = -1;
	if (!err)
		return text;
	free(text);
	return NULL;
}

int ctl_emit(struct ctl *c, json_t *doc)
{
	size_t len;
	char *text = ctl_dumps(c, doc, &len);

	c->document = true;
	if (!text) {
		fprintf(stderr, "ktctl: error: out of memory\n");
		return CTL_INPUT;
	}
	fwrite(text, 1, len, stdout);	/* main sees the stream's error */
	free(text);
	return CTL_OK;
}
