// SPDX-License-Identifier: MIT
/*
 * ktdev.relayout/1: our own JSON form of a relayout, read and written.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relayout_read.h"

json_t *kt_rd_json(struct kt_reader *rd, const struct ktdev_text *in)
{
	json_error_t err;
	struct kt_range at = { 0, 0 };
	struct kt_diag *d;
	json_t *root;
	char ptr[512];
	size_t pos;

	root = json_loadb(in->text, in->len, JSON_REJECT_DUPLICATES, &err);
	if (root)
		return root;
	pos = err.position > 0 ? (size_t)err.position : 0;
	if (pos > in->len)
		pos = in->len;
	kt_json_pointer_at(in->text, in->len, pos, ptr, sizeof(ptr));
	at.end = (uint32_t)pos;
	at.off = pos ? (uint32_t)pos - 1 : 0;
	d = kt_diag(rd->rep, rd->src, at, KT_RULE_NONE, KTDEV_ERROR, "%s", err.text);
	kt_diag_pointer(d, "%s", ptr);
	rd->failed = true;
	return NULL;
}

/* Keys that may stand in an object; anything else would be silently ignored. */
static void only_keys(struct kt_reader *rd, json_t *obj, const char *ptr, const char *const *keys)
{
	const char *key;
	json_t *v;
	size_t i;

	json_object_foreach(obj, key, v) {
		for (i = 0; keys[i]; i++)
			if (!strcmp(keys[i], key))
				break;
		if (!keys[i]) {
			char at[512];

			snprintf(at, sizeof(at), "%s/%s", ptr, key);
			kt_rd_error(rd, at, "unknown key \"%s\"", key);
		}
	}
}

/* A whole number in [lo, hi]; false after reporting. */
static bool get_u32(struct kt_reader *rd, json_t *v, const char *ptr, const char *what,
		    uint32_t lo, uint32_t hi, uint32_t *out)
{
	json_int_t n;

	if (!json_is_integer(v)) {
		kt_rd_error(rd, ptr, "%s must be a whole number", what);
		return false;
	}
	n = json_integer_value(v);
	if (n < (json_int_t)lo || n > (json_int_t)hi) {
		kt_rd_error(rd, ptr, "%s %lld is not between %u and %u", what, (long long)n,
			    lo, hi);
		return false;
	}
	*out = (uint32_t)n;
	return true;
}

static void read_axes(struct kt_reader *rd, json_t *axes)
{
	static const char *const keys[] = { "name", "extent", NULL };
	struct ktdev_relayout *rel = rd->rel;
	size_t i, n = json_array_size(axes);
	char ptr[128];

	if (!json_is_array(axes) || !n) {
		kt_rd_error(rd, "/axes", "\"axes\" must be a list of at least one axis");
		return;
	}
	if (n > KT_AXES) {
		kt_rd_unsupported(rd, "/axes", "%zu axes; at most %d are supported", n, KT_AXES);
		return;
	}
	for (i = 0; i < n; i++) {
		json_t *ax = json_array_get(axes, i), *name = json_object_get(ax, "name");

		snprintf(ptr, sizeof(ptr), "/axes/%zu", i);
		if (!json_is_object(ax) || !json_is_string(name) || !*json_string_value(name)) {
			kt_rd_error(rd, ptr, "an axis needs a \"name\" and an \"extent\"");
			return;
		}
		only_keys(rd, ax, ptr, keys);
		if (kt_axis_find(rel, json_string_value(name)) >= 0) {
			kt_rd_error(rd, ptr, "axis '%s' is named twice", json_string_value(name));
			return;
		}
		snprintf(ptr, sizeof(ptr), "/axes/%zu/extent", i);
		rel->axes[i].name = kt_rd_text(rd, "%s", json_string_value(name));
		if (!rel->axes[i].name ||
		    !get_u32(rd, json_object_get(ax, "extent"), ptr, kt_rd_text(rd,
			     "the extent of axis '%s'", rel->axes[i].name), 1, UINT32_MAX,
			     &rel->axes[i].extent))
			return;
		rel->rank = (uint32_t)i + 1;
	}
}

/* {"mb": 0, "out": 64}: every axis exactly once. */
static bool read_coords(struct kt_reader *rd, json_t *obj, const char *ptr, const char *key,
			uint32_t lo, uint32_t *out)
{
	const struct ktdev_relayout *rel = rd->rel;
	char at[512], what[256];
	const char *name;
	json_t *v;
	uint32_t a;

	snprintf(at, sizeof(at), "%s/%s", ptr, key);
	if (!json_is_object(obj)) {
		kt_rd_error(rd, at, "\"%s\" must give a number per axis", key);
		return false;
	}
	json_object_foreach(obj, name, v) {
		if (kt_axis_find(rel, name) >= 0)
			continue;
		snprintf(at, sizeof(at), "%s/%s/%s", ptr, key, name);
		kt_rd_error(rd, at, "unknown axis '%s'", name);
		return false;
	}
	for (a = 0; a < rel->rank; a++) {
		v = json_object_get(obj, rel->axes[a].name);
		if (!v) {
			kt_rd_error(rd, at, "\"%s\" lacks axis '%s'", key, rel->axes[a].name);
			return false;
		}
		if (json_is_integer(v) && json_integer_value(v) >= lo &&
		    json_integer_value(v) <= UINT32_MAX) {
			out[a] = (uint32_t)json_integer_value(v);
			continue;
		}
		snprintf(at, sizeof(at), "%s/%s/%s", ptr, key, rel->axes[a].name);
		snprintf(what, sizeof(what), "%s along axis '%s'", key, rel->axes[a].name);
		if (!get_u32(rd, v, at, what, lo, UINT32_MAX, &out[a]))
			return false;
	}
	return true;
}

/* No core twice in one list. */
static bool owners_distinct(struct kt_reader *rd, const struct kt_part *p, const char *ptr)
{
	uint8_t *seen;
	char at[512];
	uint32_t i;

	for (i = 1; i < p->n_owners; i++)
		if (p->owners[i] <= p->owners[i - 1])
			break;
	if (i >= p->n_owners)
		return true;
	seen = calloc(rd->rel->cores, 1);
	if (!seen) {
		rd->nomem = true;
		return false;
	}
	for (i = 0; i < p->n_owners && !seen[p->owners[i]]; i++)
		seen[p->owners[i]] = 1;
	free(seen);
	if (i == p->n_owners)
		return true;
	snprintf(at, sizeof(at), "%s/owners/%u", ptr, i);
	kt_rd_error(rd, at, "owner %u is listed twice", p->owners[i]);
	return false;
}

static bool read_owner_list(struct kt_reader *rd, json_t *list, const char *ptr,
			    struct kt_part *p, uint32_t *order)
{
	size_t i, n = json_array_size(list);
	char at[512];

	if (!json_is_array(list) || !n) {
		snprintf(at, sizeof(at), "%s/owners", ptr);
		kt_rd_error(rd, at, "\"owners\" must be a list of at least one core");
		return false;
	}
	p->owners = kt_rd_alloc(rd, n * sizeof(*p->owners));
	p->order = kt_rd_alloc(rd, n * sizeof(*p->order));
	if (rd->nomem)
		return false;
	for (i = 0; i < n; i++) {
		json_t *v = json_array_get(list, i);

		if (json_is_integer(v) && json_integer_value(v) >= 0 &&
		    json_integer_value(v) < rd->rel->cores) {
			p->owners[i] = (uint32_t)json_integer_value(v);
			p->order[i] = (*order)++;
			continue;
		}
		snprintf(at, sizeof(at), "%s/owners/%zu", ptr, i);
		if (get_u32(rd, v, at, "owner", 0, UINT32_MAX, &p->owners[i]))
			kt_rd_error(rd, at, "owner %u is not below the number of cores, %u",
				    p->owners[i], rd->rel->cores);
		return false;
	}
	p->n_owners = (uint32_t)n;
	return owners_distinct(rd, p, ptr);
}

static void read_addr(struct kt_reader *rd, json_t *list, const char *ptr, struct kt_part *p)
{
	char at[512];
	size_t i;

	snprintf(at, sizeof(at), "%s/addr", ptr);
	if (!json_is_array(list) || json_array_size(list) != p->n_owners) {
		kt_rd_error(rd, at, "\"addr\" must give a byte address per owner");
		return;
	}
	p->addr = kt_rd_alloc(rd, p->n_owners * sizeof(*p->addr));
	for (i = 0; p->addr && i < p->n_owners; i++) {
		json_t *v = json_array_get(list, i);

		if (!json_is_integer(v) || json_integer_value(v) < 0) {
			kt_rd_error(rd, at, "an address must be a whole number of bytes");
			return;
		}
		p->addr[i] = (uint64_t)json_integer_value(v);
	}
}

static void read_piece(struct kt_reader *rd, json_t *obj, const char *ptr, struct kt_part *p,
		       uint32_t *order)
{
	static const char *const keys[] = { "start", "size", "owners", "addr", NULL };
	json_t *addr;

	if (!json_is_object(obj)) {
		kt_rd_error(rd, ptr, "a piece must have \"start\", \"size\" and \"owners\"");
		return;
	}
	only_keys(rd, obj, ptr, keys);
	if (!read_coords(rd, json_object_get(obj, "start"), ptr, "start", 0, p->box.start) ||
	    !read_coords(rd, json_object_get(obj, "size"), ptr, "size", 1, p->box.size) ||
	    !read_owner_list(rd, json_object_get(obj, "owners"), ptr, p, order))
		return;
	addr = json_object_get(obj, "addr");
	if (addr)
		read_addr(rd, addr, ptr, p);
}

/* Axis order of a piece in memory; default: the axes as declared. */
static void read_layout(struct kt_reader *rd, json_t *list, const char *ptr, struct kt_side *s)
{
	const struct ktdev_relayout *rel = rd->rel;
	bool seen[KT_AXES] = {false};
	char at[512];
	size_t i;
	int a;

	for (i = 0; i < rel->rank; i++)
		s->layout[i] = (uint8_t)i;
	if (!list)
		return;
	snprintf(at, sizeof(at), "%s/layout", ptr);
	if (!json_is_array(list) || json_array_size(list) != rel->rank) {
		kt_rd_error(rd, at, "\"layout\" must list all %u axes", rel->rank);
		return;
	}
	for (i = 0; i < rel->rank; i++) {
		const char *name = json_string_value(json_array_get(list, i));

		snprintf(at, sizeof(at), "%s/layout/%zu", ptr, i);
		a = name ? kt_axis_find(rel, name) : -1;
		if (a < 0 || seen[a]) {
			kt_rd_error(rd, at, a < 0 ? "unknown axis '%s'" : "axis '%s' is listed "
				    "twice",
				    name ? name : "?");
			return;
		}
		seen[a] = true;
		s->layout[i] = (uint8_t)a;
	}
}

static void read_value(struct kt_reader *rd, json_t *v, const char *ptr, struct kt_side *s)
{
	const char *text = json_string_value(v);
	char at[512];

	s->value = KTDEV_VALUE_PIECES;
	if (!v || (text && !strcmp(text, "pieces")))
		return;
	if (text && !strcmp(text, "completed")) {
		s->value = KTDEV_VALUE_COMPLETED;
	} else if (text && !strcmp(text, "contributions")) {
		s->value = KTDEV_VALUE_CONTRIBUTIONS;
	} else {
		snprintf(at, sizeof(at), "%s/value", ptr);
		kt_rd_error(rd, at,
			    "\"value\" must be \"pieces\", \"completed\" or \"contributions\"");
	}
}

static void read_combine(struct kt_reader *rd, json_t *v, const char *ptr)
{
	struct ktdev_relayout *rel = rd->rel;
	const char *name = json_string_value(v);
	char at[512];

	if (!v)
		return;
	snprintf(at, sizeof(at), "%s/combine", ptr);
	if (!name) {
		kt_rd_error(rd, at, "\"combine\" must be a string such as \"add\"");
	} else if (kt_combine_find(name, rel->kte_dtype, &rel->fold_op, &rel->fold_mode)) {
		rel->combine = kt_rd_text(rd, "%s", name);
	} else if (rel->fold_op) {
		rel->combine = kt_rd_text(rd, "%s", name);
		kt_rd_unsupported(rd, at, "the fold unit has no %s of %s", name, rel->dtype);
	} else {
		kt_rd_error(rd, at, "unknown combine operation \"%s\"", name);
	}
}

static void read_side(struct kt_reader *rd, json_t *obj, const char *ptr, enum ktdev_side side)
{
	static const char *const keys[] = { "layout", "value", "pieces", "combine", NULL };
	struct kt_side *s = &rd->rel->side[side];
	uint32_t order = 0, placed = 0;
	json_t *list;
	char at[256];
	size_t i, n;

	if (!json_is_object(obj)) {
		kt_rd_error(rd, ptr, "\"%s\" is missing", *ptr ? ptr + 1 : "pieces");
		return;
	}
	if (*ptr)
		only_keys(rd, obj, ptr, keys);
	s->view = kt_rd_text(rd, "%s", *ptr ? ptr : "/");
	s->ptr = kt_rd_text(rd, "%s/pieces", ptr);
	read_layout(rd, json_object_get(obj, "layout"), ptr, s);
	read_value(rd, json_object_get(obj, "value"), ptr, s);
	read_combine(rd, json_object_get(obj, "combine"), ptr);
	list = json_object_get(obj, "pieces");
	n = json_array_size(list);
	if (!s->ptr || rd->failed)
		return;
	if (!json_is_array(list) || !n) {
		kt_rd_error(rd, s->ptr, "the %s map is empty: \"pieces\" must be a list of at "
					"least one piece",
			    side == KTDEV_SOURCE ? "source" : "destination");
		return;
	}
	s->pieces = kt_rd_alloc(rd, n * sizeof(*s->pieces));
	if (!s->pieces)
		return;
	for (i = 0; i < n; i++) {
		snprintf(at, sizeof(at), "%s/%zu", s->ptr, i);
		s->pieces[i].index = (uint32_t)i;
		read_piece(rd, json_array_get(list, i), at, &s->pieces[i], &order);
		placed += s->pieces[i].addr != NULL;
		if (rd->nomem)
			return;
	}
	s->n = (uint32_t)n;
	s->placed = placed == n;
	if (placed && placed != n)
		kt_rd_error(rd, s->ptr, "some pieces have addresses and some have none");
}

static void read_stick(struct kt_reader *rd, json_t *v)
{
	const char *name = rd->opts->stick_axis, *ptr = "/stick";
	uint32_t lanes = rd->opts->stick_lanes;

	if (v) {
		name = json_string_value(json_object_get(v, "axis"));
		if (!name) {
			kt_rd_error(rd, ptr, "\"stick\" needs an \"axis\" and \"lanes\"");
			return;
		}
		if (!get_u32(rd, json_object_get(v, "lanes"), "/stick/lanes", "lanes", 1,
			     UINT32_MAX, &lanes))
			return;
	}
	kt_rd_stick(rd, name, lanes, ptr);
}

void kt_rd_stick(struct kt_reader *rd, const char *name, uint32_t lanes, const char *ptr)
{
	struct ktdev_relayout *rel = rd->rel;

	if (!name)
		return;
	rel->stick_axis = kt_axis_find(rel, name);
	rel->stick_lanes = lanes;
	if (rel->stick_axis < 0)
		kt_rd_error(rd, ptr, "unknown axis '%s'", name);
	else if (!lanes)
		kt_rd_error(rd, ptr, "a stick of axis '%s' has at least one lane", name);
}

/* cores, dtype, axes, stick: what both sides share. */
static void read_head(struct kt_reader *rd, json_t *root)
{
	struct ktdev_relayout *rel = rd->rel;
	const char *schema = json_string_value(json_object_get(root, "schema"));
	json_t *cores = json_object_get(root, "cores"), *dtype = json_object_get(root, "dtype");
	const char *name = json_string_value(json_object_get(root, "name"));
	const char *type = json_string_value(dtype);
	uint32_t before;

	if (!schema || strcmp(schema, "ktdev.relayout/1")) {
		kt_rd_error(rd, "/schema", "the schema is \"%s\", not \"ktdev.relayout/1\"",
			    schema ? schema : "");
		return;
	}
	if (name)
		rel->name = kt_rd_text(rd, "%s", name);
	before = rel->cores;
	rel->cores = rd->opts->cores ? rd->opts->cores : 32;
	if (cores)
		get_u32(rd, cores, "/cores", "the number of cores", 1, KT_MAX_CORES, &rel->cores);
	if (before && before != rel->cores)
		kt_rd_error(rd, "/cores", "the source is of %u cores, the destination of %u",
			    before, rel->cores);
	if (!type) {
		type = rd->opts->dtype ? rd->opts->dtype : "f16";
		if (dtype)
			kt_rd_error(rd, "/dtype", "\"dtype\" must be a string such as \"f16\"");
	}
	if (rel->dtype && strcmp(rel->dtype, type))
		kt_rd_unsupported(rd, "/dtype", "the source is %s and the destination %s",
				  rel->dtype, type);
	rel->dtype = kt_rd_text(rd, "%s", type);
	if (!kt_dtype_find(type, &rel->kte_dtype, &rel->elem_bytes))
		kt_rd_error(rd, "/dtype", "unknown element type \"%s\"", type);
	read_axes(rd, json_object_get(root, "axes"));
	if (rel->rank)
		read_stick(rd, json_object_get(root, "stick"));
}

void kt_read_relayout1(struct kt_reader *rd, json_t *root)
{
	static const char *const keys[] = { "schema", "name", "cores", "dtype", "axes", "stick",
					    "source", "destination", "combine", "comment", NULL };

	only_keys(rd, root, "", keys);
	read_head(rd, root);
	if (!rd->failed && rd->opts->n_map)
		kt_rd_error(rd, "/axes", "map '%s': both sides have these axes, there is nothing to "
				    "match", rd->opts->map[0]);
	if (rd->failed || rd->unsupported || rd->nomem)
		return;
	read_combine(rd, json_object_get(root, "combine"), "");
	read_side(rd, json_object_get(root, "source"), "/source", KTDEV_SOURCE);
	read_side(rd, json_object_get(root, "destination"), "/destination", KTDEV_DESTINATION);
}

/* One half of a pair: "source" or "destination" of a file, or "pieces" at its top. */
void kt_read_relayout1_half(struct kt_reader *rd, json_t *root, enum ktdev_side side,
			    struct kt_raw_side *raw)
{
	const char *key = side == KTDEV_SOURCE ? "source" : "destination";
	json_t *obj = json_object_get(root, key);
	struct ktdev_relayout *rel = rd->rel;
	struct kt_side *s = &rel->side[side];
	uint32_t a;

	rel->rank = 0;
	read_head(rd, root);
	if (rd->failed || rd->unsupported || rd->nomem)
		return;
	read_combine(rd, json_object_get(root, "combine"), "");
	if (obj)
		read_side(rd, obj, side == KTDEV_SOURCE ? "/source" : "/destination", side);
	else
		read_side(rd, root, "", side);
	raw->rank = rel->rank;
	for (a = 0; a < rel->rank; a++) {
		raw->name[a] = rel->axes[a].name;
		raw->extent[a] = rel->axes[a].extent;
	}
	raw->has_layout = true;
	memcpy(raw->layout, s->layout, sizeof(raw->layout));
	raw->stick = rel->stick_axis;
	raw->stick_lanes = rel->stick_lanes;
	raw->pieces = s->pieces;
	raw->n = s->n;
	raw->ptr = s->ptr;
	raw->view = s->view;
	raw->axes_ptr = "/axes";
	raw->placed = s->placed;
}

/* --- writing ------------------------------------------------------------------------------ */

/* A JSON string of any text; names come from JSON, so only these need escaping. */
static void put_string(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if ((unsigned char)*s < 0x20)
			fprintf(f, "\\u%04x", *s);
		else
			fputc(*s, f);
	}
	fputc('"', f);
}

static const char *value_name(enum ktdev_value_kind v)
{
	return v == KTDEV_VALUE_COMPLETED ? "completed" :
	       v == KTDEV_VALUE_CONTRIBUTIONS ? "contributions" : "pieces";
}

static void put_coords(FILE *f, const struct ktdev_relayout *rel, const char *key,
		       const uint32_t *v)
{
	uint32_t a;

	fprintf(f, "\"%s\": {", key);
	for (a = 0; a < rel->rank; a++) {
		fprintf(f, "%s", a ? ", " : "");
		put_string(f, rel->axes[a].name);
		fprintf(f, ": %u", v[a]);
	}
	fprintf(f, "}, ");
}

static void put_side(FILE *f, const struct ktdev_relayout *rel, const struct kt_side *s,
		     const char *key)
{
	uint32_t i, k, a;
	bool plain = true;

	fprintf(f, " \"%s\": {", key);
	for (a = 0; a < rel->rank; a++)
		plain = plain && s->layout[a] == a;
	if (!plain) {
		fprintf(f, "\"layout\": [");
		for (a = 0; a < rel->rank; a++) {
			fprintf(f, "%s", a ? ", " : "");
			put_string(f, rel->axes[s->layout[a]].name);
		}
		fprintf(f, "], ");
	}
	if (s->value != KTDEV_VALUE_PIECES)
		fprintf(f, "\"value\": \"%s\", ", value_name(s->value));
	fprintf(f, "\"pieces\": [\n");
	for (i = 0; i < s->n; i++) {
		const struct kt_part *p = &s->pieces[i];

		fprintf(f, "  {");
		put_coords(f, rel, "start", p->box.start);
		put_coords(f, rel, "size", p->box.size);
		fprintf(f, "\"owners\": [");
		for (k = 0; k < p->n_owners; k++)
			fprintf(f, "%s%u", k ? ", " : "", p->owners[k]);
		fprintf(f, "]");
		for (k = 0; p->addr && k < p->n_owners; k++)
			fprintf(f, "%s%llu", k ? ", " : ", \"addr\": [",
				(unsigned long long)p->addr[k]);
		fprintf(f, "%s}%s\n", p->addr ? "]" : "", i + 1 < s->n ? "," : "");
	}
	fprintf(f, " ]}");
}

int ktdev_relayout_write(const struct ktdev_relayout *rel, char **text)
{
	size_t len = 0;
	uint32_t a;
	FILE *f;

	*text = NULL;
	f = open_memstream(text, &len);
	if (!f)
		return -ENOMEM;
	fprintf(f, "{\n \"schema\": \"ktdev.relayout/1\",\n \"name\": ");
	put_string(f, rel->name ? rel->name : "");
	fprintf(f, ",\n \"cores\": %u,\n \"dtype\": \"%s\",\n \"axes\": [", rel->cores, rel->dtype);
	for (a = 0; a < rel->rank; a++) {
		fprintf(f, "%s{\"name\": ", a ? ", " : "");
		put_string(f, rel->axes[a].name);
		fprintf(f, ", \"extent\": %u}", rel->axes[a].extent);
	}
	fprintf(f, "],\n");
	if (rel->stick_axis >= 0 && !rel->stick_warns) {
		fprintf(f, " \"stick\": {\"axis\": ");
		put_string(f, rel->axes[rel->stick_axis].name);
		fprintf(f, ", \"lanes\": %u},\n", rel->stick_lanes);
	}
	if (rel->combine)
		fprintf(f, " \"combine\": \"%s\",\n", rel->combine);
	put_side(f, rel, &rel->side[0], "source");
	fprintf(f, ",\n");
	put_side(f, rel, &rel->side[1], "destination");
	fprintf(f, "\n}\n");
	if (fclose(f)) {
		free(*text);
		*text = NULL;
		return -ENOMEM;
	}
	return 0;
}
