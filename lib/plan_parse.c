// SPDX-License-Identifier: MIT
/*
 * A plan from JSON. Tables are compiled from their spaces and entries, so an edited plan
 * is checked like any other table.
 */
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan_io.h"

/* Where we are: a JSON Pointer that grows and shrinks. */
struct at {
	struct kt_plan_reader *rd;
	char ptr[120];
	int ret;
};

static void bad(struct at *at, const char *key, const char *what)
{
	char ptr[200];

	if (at->ret)
		return;
	snprintf(ptr, sizeof(ptr), "%s%s%s", at->ptr, key ? "/" : "", key ? key : "");
	at->ret = kt_plan_bad(at->rd, ptr, "%s: %s", ptr, what);
}

static uint64_t get_u64(struct at *at, const json_t *obj, const char *key, uint64_t max)
{
	const json_t *v = json_object_get(obj, key);

	if (!json_is_integer(v) || json_integer_value(v) < 0 ||
	    (uint64_t)json_integer_value(v) > max) {
		bad(at, key, "must be a number in range");
		return 0;
	}
	return (uint64_t)json_integer_value(v);
}

static uint32_t get_u32(struct at *at, const json_t *obj, const char *key)
{
	return (uint32_t)get_u64(at, obj, key, UINT32_MAX);
}

static bool get_bool(struct at *at, const json_t *obj, const char *key)
{
	const json_t *v = json_object_get(obj, key);

	if (!json_is_boolean(v))
		bad(at, key, "must be true or false");
	return json_is_true(v);
}

static const char *get_string(struct at *at, const json_t *obj, const char *key)
{
	const char *s = json_string_value(json_object_get(obj, key));

	if (!s)
		bad(at, key, "must be a string");
	return s ? s : "";
}

/* A tile, or null for all. */
static uint32_t get_tile(struct at *at, const json_t *obj)
{
	if (json_is_null(json_object_get(obj, "tile")))
		return KT_ALL_TILES;
	return get_u32(at, obj, "tile");
}

static const json_t *get_array(struct at *at, const json_t *obj, const char *key)
{
	const json_t *v = json_object_get(obj, key);

	if (!json_is_array(v))
		bad(at, key, "must be an array");
	return v;
}

/* Numbers of an array of exactly @n, or of up to KTE_MAX_RANK for @n == ~0. */
static uint32_t get_list(struct at *at, const json_t *obj, const char *key, uint32_t n,
			 uint64_t max, uint64_t *out)
{
	const json_t *v = get_array(at, obj, key);
	size_t i, have = json_array_size(v);

	if (have > KTE_MAX_RANK || (n != UINT32_MAX && have != n)) {
		bad(at, key, "has the wrong number of axes");
		return 0;
	}
	for (i = 0; i < have; i++) {
		const json_t *e = json_array_get(v, i);

		if (!json_is_integer(e) || json_integer_value(e) < 0 ||
		    (uint64_t)json_integer_value(e) > max) {
			bad(at, key, "must hold numbers in range");
			return 0;
		}
		out[i] = (uint64_t)json_integer_value(e);
	}
	return (uint32_t)have;
}

static uint32_t get_list32(struct at *at, const json_t *obj, const char *key, uint32_t n,
			   uint32_t *out)
{
	uint64_t v[KTE_MAX_RANK] = {0};
	uint32_t have = get_list(at, obj, key, n, UINT32_MAX, v), i;

	for (i = 0; i < have; i++)
		out[i] = (uint32_t)v[i];
	return have;
}

static uint8_t get_dtype(struct at *at, const json_t *obj)
{
	const char *s = get_string(at, obj, "dtype");
	uint32_t i;

	for (i = 0; i < KTE_DT_COUNT; i++)
		if (!strcmp(kte_dtype_name(i), s))
			return (uint8_t)i;
	bad(at, "dtype", "is no known type");
	return 0;
}

/* --- steps ------------------------------------------------------------------------------- */

static int read_space(struct at *at, struct kt_table *t, const json_t *o)
{
	const char *op = get_string(at, o, "op");
	const json_t *roles = get_array(at, o, "roles");
	uint32_t index, i;
	struct kte_space *sp = kt_table_space(t, &index);

	if (!sp)
		return -ENOMEM;
	for (i = 0; i < KTE_OP_COUNT; i++)
		if (!strcmp(kte_op_name(i), op))
			break;
	if (i == KTE_OP_COUNT)
		bad(at, "op", "is no known operation");
	sp->op = (uint8_t)i;
	sp->mode = (uint8_t)get_u64(at, o, "mode", UINT8_MAX);
	sp->rank = (uint8_t)get_list32(at, o, "extents", UINT32_MAX, sp->extent);
	if (json_array_size(roles) < 1 || json_array_size(roles) > KTE_MAX_ROLES) {
		bad(at, "roles", "must have one or two entries");
		return 0;
	}
	sp->roles = (uint8_t)json_array_size(roles);
	for (i = 0; i < sp->roles; i++) {
		sp->dtype[i] = get_dtype(at, json_array_get(roles, i));
		sp->elem_bytes[i] = (uint8_t)get_u64(at, json_array_get(roles, i), "elem_bytes",
						     KTE_MAX_ELEM_BYTES);
	}
	return 0;
}

static int read_entry(struct at *at, struct kt_table *t, const json_t *o, bool dest)
{
	uint32_t space = get_u32(at, o, "space"), tile = get_u32(at, o, "tile"), r;
	const json_t *place = get_array(at, o, "place");
	const struct kte_space *sp;
	struct kte_entry *e;

	if (space >= t->n_spaces || tile > UINT16_MAX) {
		bad(at, "space", "names no space, or the tile no tile");
		return 0;
	}
	sp = &t->spaces[space];
	if (json_array_size(place) != sp->roles) {
		bad(at, "place", "must have one entry per role");
		return 0;
	}
	e = dest ? kt_table_dest(t, space, tile, 0) : kt_table_source(t, space, tile, 0);
	if (!e)
		return -ENOMEM;
	get_list32(at, o, "start", sp->rank, e->start);
	get_list32(at, o, "size", sp->rank, e->size);
	if (dest && get_bool(at, o, "staged"))
		e->flags = KTE_ENTRY_STAGED;
	for (r = 0; r < sp->roles; r++) {
		const json_t *p = json_array_get(place, r);

		e->offset[r] = get_u64(at, p, "offset", INT64_MAX);
		get_list(at, p, "strides", sp->rank, INT64_MAX, e->stride[r]);
	}
	return 0;
}

enum part { SPACES, SOURCES, DESTS };

static int read_part(struct at *at, struct kt_table *t, const json_t *step, const char *key,
		     enum part part)
{
	const json_t *v = get_array(at, step, key);
	char base[sizeof(at->ptr)];
	size_t i;
	int ret = 0;

	memcpy(base, at->ptr, sizeof(base));
	for (i = 0; i < json_array_size(v) && !ret && !at->ret; i++) {
		const json_t *o = json_array_get(v, i);

		snprintf(at->ptr, sizeof(at->ptr), "%.60s/%s/%zu", base, key, i);
		ret = part == SPACES ? read_space(at, t, o) :
				       read_entry(at, t, o, part == DESTS);
	}
	memcpy(at->ptr, base, sizeof(base));
	return ret ? ret : at->ret;
}

static int compile(struct at *at, const struct kt_table *t, const json_t *step)
{
	const struct ktdev_plan *plan = at->rd->plan;
	struct kte_table et = {
		.spaces = t->spaces, .sources = t->src.e, .dests = t->dst.e,
		.n_spaces = t->n_spaces, .n_sources = t->src.n, .n_dests = t->dst.n,
		.stage_offset = get_u64(at, step, "stage_offset", INT64_MAX),
		.stage_bytes = get_u64(at, step, "stage_bytes", INT64_MAX),
	};
	const char *op = get_string(at, step, "op"), *func = get_string(at, step, "func");
	struct kte_limits lim;
	struct kte_reject why;
	uint64_t bytes;
	void *image;
	int ret;

	if (at->ret)
		return at->ret;
	kte_limits_soft(&lim, plan->n_tiles, plan->window);
	ret = kte_table_compile(&et, &lim, &kt_env, &image, &bytes, &why);
	if (ret == -EINVAL || ret == -ERANGE || ret == -E2BIG) {
		char what[200];

		snprintf(what, sizeof(what), "the table is refused: %s (%s, entry %u)",
			 kte_reason_text(why.reason), kte_field_name(why.field), why.index);
		bad(at, NULL, what);
		return -EINVAL;
	}
	if (ret)
		return ret;
	ret = kt_plan_add_step(at->rd->plan, op, func, image, bytes);
	return ret < 0 ? ret : 0;
}

static int read_step(struct at *at, const json_t *step)
{
	struct kt_table t = {0};
	int ret;

	ret = read_part(at, &t, step, "spaces", SPACES);
	if (!ret)
		ret = read_part(at, &t, step, "sources", SOURCES);
	if (!ret)
		ret = read_part(at, &t, step, "dests", DESTS);
	if (!ret)
		ret = compile(at, &t, step);
	kt_table_fini(&t);
	return ret;
}

/* --- values -------------------------------------------------------------------------------- */

static int read_value(struct at *at, const json_t *o)
{
	const json_t *pieces = get_array(at, o, "pieces");
	const char *dir = get_string(at, o, "direction"), *name = get_string(at, o, "name");
	size_t n = json_array_size(pieces), i;
	struct kt_io *io;

	if (strcmp(dir, "in") && strcmp(dir, "out"))
		bad(at, "direction", "must be in or out");
	if (at->ret)
		return at->ret;
	io = kt_plan_add_io(at->rd->plan, dir[0] == 'o', get_u32(at, o, "step"), get_tile(at, o),
			    (uint32_t)n);
	if (!io)
		return -ENOMEM;
	io->name = kt_strndup(&at->rd->plan->arena, name, strlen(name));
	if (!io->name)
		return -ENOMEM;
	io->delivery = get_u32(at, o, "delivery");
	io->role = get_u32(at, o, "role");
	io->derived = get_bool(at, o, "derived");
	io->fold = get_bool(at, o, "fold");
	io->dtype = get_dtype(at, o);
	io->elem_bytes = get_u32(at, o, "elem_bytes");
	io->rank = get_list32(at, o, "shape", UINT32_MAX, io->shape);
	for (i = 0; i < n && !at->ret; i++) {
		const json_t *p = json_array_get(pieces, i);
		struct kt_piece *pc = &io->pieces[i];

		pc->tile = get_u32(at, p, "tile");
		pc->placed = get_bool(at, p, "placed");
		get_list32(at, p, "start", io->rank, pc->start);
		get_list32(at, p, "size", io->rank, pc->size);
		pc->offset = get_u64(at, p, "offset", INT64_MAX);
		get_list(at, p, "strides", io->rank, INT64_MAX, pc->stride);
		io->placed |= pc->placed;
	}
	return at->ret;
}

static int read_scratch(struct at *at, const json_t *o)
{
	uint32_t step = get_u32(at, o, "step"), tile = get_tile(at, o);
	uint64_t offset = get_u64(at, o, "offset", INT64_MAX);
	uint64_t bytes = get_u64(at, o, "bytes", INT64_MAX);

	if (at->ret)
		return at->ret;
	return kt_plan_add_scratch(at->rd->plan, step, tile, offset, bytes);
}

static int read_all(struct at *at, const json_t *root, const char *key,
		    int (*one)(struct at *at, const json_t *o))
{
	const json_t *v = get_array(at, root, key);
	size_t i;
	int ret = at->ret;

	for (i = 0; i < json_array_size(v) && !ret; i++) {
		snprintf(at->ptr, sizeof(at->ptr), "/%s/%zu", key, i);
		ret = one(at, json_array_get(v, i));
		if (!ret)
			ret = at->ret;
	}
	at->ptr[0] = 0;
	return ret;
}

static int read_root(struct at *at, const json_t *root)
{
	struct kt_plan_reader *rd = at->rd;
	const char *schema = get_string(at, root, "schema");
	const char *kind, *source, *sync;
	uint32_t tiles, cores;
	uint64_t window;
	int ret;

	if (at->ret)
		return at->ret;
	if (strcmp(schema, "ktctl.plan/1")) {
		bad(at, "schema", "must be ktctl.plan/1");
		return strncmp(schema, "ktctl.plan/", 11) ? -EINVAL : -EPROTO;
	}
	kind = get_string(at, root, "kind");
	source = get_string(at, root, "source");
	sync = get_string(at, root, "sync");
	tiles = get_u32(at, root, "tiles");
	cores = get_u32(at, root, "cores");
	window = get_u64(at, root, "window_bytes", KT_PLAN_MAX_WINDOW);
	if (strcmp(sync, "barrier") && strcmp(sync, "per-tile"))
		bad(at, "sync", "must be barrier or per-tile");
	if (!at->ret && (!tiles || tiles > KT_PLAN_MAX_TILES))
		bad(at, "tiles", "must be 1 to 65535");
	if (at->ret)
		return at->ret;
	rd->plan = kt_plan_new(kind, source, tiles, cores, window);
	if (!rd->plan)
		return -ENOMEM;
	rd->plan->per_tile = !strcmp(sync, "per-tile");
	rd->plan->n_funcs = get_u32(at, root, "funcs");
	ret = read_all(at, root, "steps", read_step);
	if (!ret)
		ret = read_all(at, root, "values", read_value);
	if (!ret)
		ret = read_all(at, root, "scratch", read_scratch);
	return ret;
}

int kt_plan_parse_json(struct kt_plan_reader *rd, const char *data, size_t len)
{
	struct at at = { .rd = rd };
	json_error_t err;
	json_t *root = json_loadb(data, len, JSON_REJECT_DUPLICATES, &err);
	int ret;

	if (!root)
		return kt_plan_bad(rd, "", "line %d, column %d: %s", err.line, err.column, err.text);
	ret = read_root(&at, root);
	json_decref(root);
	return ret;
}
