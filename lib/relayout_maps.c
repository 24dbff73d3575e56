// SPDX-License-Identifier: MIT
/*
 * Per-core maps: coreIdToWkSlice_ {"0": {"mb": 0, "out": 1}} says which slice of each cut
 * axis a core holds. A planner file has one map of the op and one per tensor buffer; they
 * differ, and the tensors' are the ones that count.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relayout_read.h"

#define PTR_MAX		512
#define MAX_VIEWS	64

/* A map, the object it belongs to and what surrounds it. */
struct view {
	json_t *map;		/* coreIdToWkSlice_ */
	json_t *node;		/* holds layoutDimOrder_, numWkSlicesPerDim_ */
	json_t *outer;		/* dsc: N_, labeledDs_ */
	json_t *root;		/* planner object: N_ */
	char ptr[PTR_MAX];	/* of the map */
	char outer_ptr[PTR_MAX];
};

struct views {
	uint32_t n;
	struct view v[MAX_VIEWS];
};

static void views_of_dsc(json_t *root, json_t *dsc, const char *ptr, struct views *out)
{
	json_t *tree = json_object_get(dsc, "scheduleTree_");
	size_t i;

	for (i = 0; i < json_array_size(tree) && out->n < MAX_VIEWS; i++) {
		json_t *node = json_array_get(tree, i);
		json_t *map = json_object_get(json_object_get(node, "coordinates_"),
					      "coreIdToWkSlice_");
		const char *where = json_string_value(json_object_get(node, "component_"));
		struct view *v = &out->v[out->n];

		if (!json_object_size(map) || (where && strcmp(where, "lx")))
			continue;	/* no map, or a buffer that is in no scratchpad */
		*v = (struct view){ .map = map, .node = node, .outer = dsc, .root = root };
		snprintf(v->ptr, sizeof(v->ptr),
			 "%.300s/scheduleTree_/%zu/coordinates_/coreIdToWkSlice_", ptr, i);
		snprintf(v->outer_ptr, sizeof(v->outer_ptr), "%s", ptr);
		out->n++;
	}
}

/* The planner object: the root, or its only interesting member. */
static json_t *planner_object(json_t *root, char *ptr, size_t size)
{
	const char *key;
	json_t *v;

	ptr[0] = 0;
	if (json_object_get(root, "coreIdToWkSlice_") || json_object_get(root, "dscs_"))
		return root;
	json_object_foreach(root, key, v) {
		if (json_object_get(v, "coreIdToWkSlice_") || json_object_get(v, "dscs_")) {
			snprintf(ptr, size, "/%s", key);
			return v;
		}
	}
	return NULL;
}

static void find_views(json_t *root, struct views *out)
{
	char ptr[PTR_MAX], at[PTR_MAX];
	json_t *obj, *list, *dsc, *one;
	const char *key;
	size_t i;

	out->n = 0;
	obj = planner_object(root, ptr, sizeof(ptr));
	list = json_object_get(obj, "dscs_");
	for (i = 0; i < json_array_size(list); i++) {
		dsc = json_array_get(list, i);
		snprintf(at, sizeof(at), "%.200s/dscs_/%zu", ptr, i);
		views_of_dsc(obj, dsc, at, out);
		json_object_foreach(dsc, key, one) {
			snprintf(at, sizeof(at), "%.200s/dscs_/%zu/%.200s", ptr, i, key);
			views_of_dsc(obj, one, at, out);
		}
	}
}

bool kt_has_map(json_t *root)
{
	char ptr[PTR_MAX];

	return planner_object(root, ptr, sizeof(ptr)) != NULL;
}

/* --- one map ------------------------------------------------------------------------------ */

static int raw_axis(const struct kt_raw_side *r, const char *label)
{
	size_t n = strlen(label);
	uint32_t a;

	if (n > 1 && label[n - 1] == '_')
		n--;
	for (a = 0; a < r->rank; a++)
		if (strlen(r->name[a]) == n && !strncmp(r->name[a], label, n))
			return (int)a;
	return -1;
}

static void add_raw_axis(struct kt_reader *rd, struct kt_raw_side *r, const char *label,
			 const char *ptr)
{
	if (rd->failed || rd->unsupported || rd->nomem)
		return;
	if (raw_axis(r, label) >= 0) {
		kt_rd_error(rd, ptr, "axis '%s' names two dimensions", label);
		return;
	}
	if (r->rank == KT_AXES) {
		kt_rd_unsupported(rd, ptr, "more than %d axes", KT_AXES);
		return;
	}
	r->name[r->rank] = kt_axis_name(rd, label);
	if (r->name[r->rank])
		r->rank++;
}

/* Member of an object by axis name, with or without the underscore. */
static json_t *by_axis(json_t *obj, const char *axis)
{
	char key[80];
	json_t *v = json_object_get(obj, axis);

	if (v)
		return v;
	snprintf(key, sizeof(key), "%.70s_", axis);
	return json_object_get(obj, key);
}

/* Axis names: the tensor's device order, an axes list, else what N_ names. */
static void view_axes(struct kt_reader *rd, const struct view *v, struct kt_raw_side *r)
{
	json_t *order = json_object_get(v->node, "layoutDimOrder_");
	json_t *axes = json_object_get(v->root, "axes"), *n_ = NULL, *e;
	const char *key;
	size_t i;

	if (json_array_size(order)) {
		r->axes_ptr = kt_rd_text(rd, "%s/layoutDimOrder_", v->ptr);
		r->positional = true;
		for (i = 0; i < json_array_size(order); i++) {
			key = json_string_value(json_array_get(order, i));
			add_raw_axis(rd, r, key ? key : "", v->ptr);
		}
		return;
	}
	if (json_is_array(axes)) {
		r->axes_ptr = kt_rd_text(rd, "/axes");
		for (i = 0; i < json_array_size(axes); i++) {
			key = json_string_value(json_object_get(json_array_get(axes, i), "name"));
			add_raw_axis(rd, r, key ? key : "", "/axes");
		}
		return;
	}
	n_ = json_object_get(v->outer, "N_");
	if (!n_)
		n_ = json_object_get(v->root, "N_");
	r->axes_ptr = kt_rd_text(rd, "%s/N_", v->outer_ptr);
	json_object_foreach(n_, key, e) {
		if (strcmp(key, "name_") && json_integer_value(e) > 0)
			add_raw_axis(rd, r, key, r->axes_ptr);
	}
	for (key = rd->opts->extents; !r->rank && key && *key;) {
		char name[80];
		size_t len = strcspn(key, "=");

		snprintf(name, sizeof(name), "%.*s", (int)(len < 79 ? len : 79), key);
		add_raw_axis(rd, r, name, "");
		key = strchr(key, ',');
		key = key ? key + 1 : NULL;
	}
}

static void view_extents(struct kt_reader *rd, const struct view *v, struct kt_raw_side *r)
{
	json_t *axes = json_object_get(v->root, "axes");
	uint32_t a;

	for (a = 0; a < r->rank && !rd->failed; a++) {
		json_t *e = by_axis(json_object_get(v->outer, "N_"), r->name[a]);
		json_int_t n;

		if (!e)
			e = by_axis(json_object_get(v->root, "N_"), r->name[a]);
		if (!e && json_is_array(axes))
			e = json_object_get(json_array_get(axes, a), "extent");
		if (!e && kt_extents_find(rd->opts->extents, r->name[a], &r->extent[a]) > 0)
			continue;
		n = json_integer_value(e);
		if (!json_is_integer(e) || n < 1 || n > UINT32_MAX)
			kt_rd_error(rd, r->axes_ptr,
				    "the extent of axis '%s' is not given (a number from 1 to "
				    "4294967295)",
				    r->name[a]);
		else
			r->extent[a] = (uint32_t)n;
	}
}

/* Slices of each axis: declared, or 1 + the highest index in the map. */
static void view_counts(struct kt_reader *rd, const struct view *v, const struct kt_raw_side *r,
			uint32_t *count, bool *declared)
{
	json_t *decl = json_object_get(json_object_get(v->node, "coordinates_"),
				       "numWkSlicesPerDim_");
	json_t *entry, *idx;
	const char *core, *axis;
	uint32_t a;

	if (!decl)
		decl = json_object_get(v->node, "numWkSlicesPerDim_");
	for (a = 0; a < r->rank; a++) {
		json_t *n = by_axis(decl, r->name[a]);

		count[a] = 1;
		declared[a] = n != NULL;
		if (n && json_is_integer(n) && json_integer_value(n) > 0 &&
		    json_integer_value(n) <= UINT32_MAX)
			count[a] = (uint32_t)json_integer_value(n);
		else if (n)
			kt_rd_error(rd, v->ptr, "numWkSlicesPerDim_ of axis '%s' is no number "
						"from 1",
				    r->name[a]);
	}
	json_object_foreach(v->map, core, entry) {
		json_object_foreach(entry, axis, idx) {
			int at = raw_axis(r, axis);

			if (at >= 0 && !declared[at] && json_integer_value(idx) >= count[at] &&
			    json_integer_value(idx) < UINT32_MAX)
				count[at] = (uint32_t)json_integer_value(idx) + 1;
		}
	}
}

static bool core_number(const char *text, uint32_t *core)
{
	char *end;
	unsigned long v;

	if (!isdigit((unsigned char)*text) || strlen(text) > 9)
		return false;
	v = strtoul(text, &end, 10);
	*core = (uint32_t)v;
	return !*end;
}

/* One core's entry as a piece. */
static void core_piece(struct kt_reader *rd, const struct view *v, const struct kt_raw_side *r,
		       const uint32_t *count, const char *core, json_t *entry, struct kt_part *p)
{
	const char *axis;
	char at[PTR_MAX + 128];
	json_t *idx;
	uint32_t a;

	snprintf(at, sizeof(at), "%s/%.32s", v->ptr, core);
	p->owners = kt_rd_alloc(rd, sizeof(*p->owners));
	p->order = kt_rd_alloc(rd, sizeof(*p->order));
	if (rd->nomem)
		return;
	p->n_owners = 1;
	if (!core_number(core, p->owners)) {
		kt_rd_error(rd, at, "'%s' is no core number", core);
		return;
	}
	if (*p->owners >= rd->rel->cores) {
		kt_rd_error(rd, at, "owner %u is not below the number of cores, %u", *p->owners,
			    rd->rel->cores);
		return;
	}
	p->index = *p->owners;
	for (a = 0; a < r->rank; a++)
		p->box.size[a] = r->extent[a];
	json_object_foreach(entry, axis, idx) {
		int k = raw_axis(r, axis);

		snprintf(at, sizeof(at), "%s/%.32s/%.64s", v->ptr, core, axis);
		if (k < 0) {
			kt_rd_error(rd, at, "unknown axis '%s'", axis);
			return;
		}
		if (!json_is_integer(idx) || json_integer_value(idx) < 0 ||
		    json_integer_value(idx) >= count[k]) {
			kt_rd_error(rd, at, "slice index %lld of axis '%s' is not below its %u "
					    "slices",
				    (long long)json_integer_value(idx), axis, count[k]);
			return;
		}
		p->box.size[k] = r->extent[k] / count[k];
		p->box.start[k] = p->box.size[k] * (uint32_t)json_integer_value(idx);
	}
}

static void read_view(struct kt_reader *rd, const struct view *v, struct kt_raw_side *r)
{
	uint32_t count[KT_AXES], a;
	bool declared[KT_AXES];
	const char *core;
	json_t *entry;
	size_t n = json_object_size(v->map);

	memset(r, 0, sizeof(*r));
	r->stick = -1;
	r->ptr = kt_rd_text(rd, "%s", v->ptr);
	r->view = r->ptr;
	if (!n) {
		kt_rd_error(rd, v->ptr, "the map is empty");
		return;
	}
	view_axes(rd, v, r);
	if (!rd->failed && !r->rank)
		kt_rd_error(rd, v->ptr, "no axis has an extent (N_, axes or --extents)");
	if (rd->failed || rd->unsupported || rd->nomem)
		return;
	view_extents(rd, v, r);
	view_counts(rd, v, r, count, declared);
	for (a = 0; a < r->rank && !rd->failed; a++)
		if (r->extent[a] % count[a])
			kt_rd_error(rd, v->ptr, "the extent %u of axis '%s' does not divide into "
						"%u slices",
				    r->extent[a], r->name[a], count[a]);
	r->pieces = kt_rd_alloc(rd, n * sizeof(*r->pieces));
	if (rd->failed || rd->nomem)
		return;
	json_object_foreach(v->map, core, entry) {
		core_piece(rd, v, r, count, core, entry, &r->pieces[r->n]);
		if (rd->failed || rd->nomem)
			return;
		r->n++;
	}
}

static void root_view(json_t *root, struct view *v)
{
	json_t *obj;

	memset(v, 0, sizeof(*v));
	obj = planner_object(root, v->outer_ptr, sizeof(v->outer_ptr));
	v->node = v->outer = v->root = obj;
	v->map = json_object_get(obj, "coreIdToWkSlice_");
	snprintf(v->ptr, sizeof(v->ptr), "%.400s/coreIdToWkSlice_", v->outer_ptr);
}

/* Type of the buffers, where the file tells it. */
static void view_format(struct kt_reader *rd, const struct view *v)
{
	json_t *lds = json_object_get(v->outer, "labeledDs_");
	json_t *idx = json_object_get(v->node, "ldsIdx_");
	json_t *one = json_array_get(lds, idx ? (size_t)json_integer_value(idx) : 0);
	const char *fmt = json_string_value(json_object_get(one, "dataFormat_"));

	if (!fmt)
		fmt = json_string_value(json_object_get(v->root, "dtype"));
	if (!fmt || rd->rel->dtype)
		return;
	if (kt_dtype_find(fmt, &rd->rel->kte_dtype, &rd->rel->elem_bytes))
		rd->rel->dtype = kt_rd_text(rd, "%s", fmt);
	else
		kt_rd_error(rd, v->outer_ptr, "unknown element type \"%s\"", fmt);
}

void kt_read_views(struct kt_reader *rd, json_t *root)
{
	struct views *all = malloc(sizeof(*all));
	struct kt_raw_side raw[2];
	uint32_t i;

	if (!all) {
		rd->nomem = true;
		return;
	}
	find_views(root, all);
	if (all->n != 2) {
		struct view v;

		root_view(root, &v);
		kt_rd_error(rd, v.ptr,
			    "%u tensor views (dscs_ ... scheduleTree_ ... coordinates_), not two: "
			    "a relayout needs the views of two buffers, or two files",
			    all->n);
		free(all);
		return;
	}
	for (i = 0; i < 2; i++)
		view_format(rd, &all->v[i]);
	kt_rd_defaults(rd);
	for (i = 0; i < 2 && !rd->failed; i++)
		read_view(rd, &all->v[i], &raw[i]);
	free(all);
	if (!rd->failed && !rd->unsupported && !rd->nomem)
		kt_join_sides(rd, raw);
}

void kt_read_view_side(struct kt_reader *rd, json_t *root, enum ktdev_side side,
		       struct kt_raw_side *raw)
{
	struct views *all = malloc(sizeof(*all));
	struct view v;

	if (!all) {
		rd->nomem = true;
		return;
	}
	find_views(root, all);
	if (all->n)
		v = all->v[side == KTDEV_SOURCE ? all->n - 1 : 0];
	else
		root_view(root, &v);
	if (all->n > 1)
		kt_rd_note(rd, "%s: tensor view %u of %u, %s",
			   side == KTDEV_SOURCE ? "source" : "destination",
			   side == KTDEV_SOURCE ? all->n : 1, all->n, v.ptr);
	else if (!all->n)
		kt_rd_note(rd, "%s: the file has no tensor view, its op view is read",
			   side == KTDEV_SOURCE ? "source" : "destination");
	free(all);
	view_format(rd, &v);
	kt_rd_defaults(rd);
	if (!rd->failed)
		read_view(rd, &v, raw);
}
