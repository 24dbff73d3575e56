// SPDX-License-Identifier: MIT
/*
 * Data ops of a planner file: datadscs_[] holds one object per op whose labeledDs_[0] is
 * the source and [1] the destination. Position is the only thing that tells them apart.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "relayout_read.h"

#define PTR_MAX	512

/* The object that holds datadscs_: the root or one of its members. */
static json_t *find_ops(json_t *root, char *ptr, size_t size)
{
	const char *key;
	json_t *v, *list = json_object_get(root, "datadscs_");

	if (json_is_array(list) && json_array_size(list)) {
		snprintf(ptr, size, "/datadscs_");
		return list;
	}
	json_object_foreach(root, key, v) {
		list = json_object_get(v, "datadscs_");
		if (json_is_array(list) && json_array_size(list)) {
			snprintf(ptr, size, "/%s/datadscs_", key);
			return list;
		}
	}
	return NULL;
}

bool kt_has_data_ops(json_t *root)
{
	char ptr[PTR_MAX];

	return find_ops(root, ptr, sizeof(ptr)) || json_object_get(root, "labeledDs_");
}

/* A data op: its name and body. */
struct data_op {
	const char *name;	/* "0_STCDPOpLx_gather_tile0" */
	const char *kind;	/* "STCDPOpLx" */
	json_t *body;
	char ptr[PTR_MAX];
};

static bool op_at(json_t *list, const char *ptr, size_t i, struct data_op *op)
{
	json_t *obj = json_array_get(list, i);
	void *it = json_object_iter(obj);

	memset(op, 0, sizeof(*op));
	if (!it || json_object_size(obj) != 1)
		return false;
	op->name = json_object_iter_key(it);
	op->body = json_object_iter_value(it);
	op->kind = json_string_value(json_object_get(json_object_get(op->body, "op"), "name"));
	if (!op->kind)
		op->kind = op->name;
	snprintf(op->ptr, sizeof(op->ptr), "%.200s/%zu/%.200s", ptr, i, op->name);
	return json_is_object(op->body);
}

static const char *string_at(json_t *list, size_t i)
{
	const char *s = json_string_value(json_array_get(list, i));

	return s ? s : "";
}

/* Position of the stick axis in the device order, or -1. */
static int stick_position(json_t *lds)
{
	const char *stick = string_at(json_object_get(lds, "stickDimOrder_"), 0);
	json_t *order = json_object_get(lds, "layoutDimOrder_");
	size_t i;

	for (i = 0; i < json_array_size(order); i++)
		if (!strcmp(string_at(order, i), stick))
			return (int)i;
	return -1;
}

/* Why an op is no relayout; NULL if it is one. */
static const char *why_not(const struct data_op *op)
{
	json_t *lds = json_object_get(op->body, "labeledDs_");
	json_t *s = json_array_get(lds, 0), *d = json_array_get(lds, 1);

	if (!strncasecmp(op->kind, "restickify", 10))
		return "a restickify changes the axes: unsupported";
	if (json_array_size(lds) < 2)
		return "it has no source and destination (labeledDs_)";
	if (json_array_size(json_object_get(s, "layoutDimOrder_")) !=
	    json_array_size(json_object_get(d, "layoutDimOrder_")))
		return "it changes the number of axes: unsupported";
	if (stick_position(s) != stick_position(d))
		return "it changes the stick axis: unsupported";
	return NULL;
}

/* The ops of a list, or the text itself as one. NULL: no memory. */
static struct ktdev_data_ops *list_ops(const char *name, json_t *list, const char *ptr, size_t n)
{
	struct ktdev_data_ops *ops = calloc(1, sizeof(*ops) + n * sizeof(*ops->ops));
	struct ktdev_data_op *v;
	struct data_op op;
	size_t i;

	if (!ops)
		return NULL;
	v = (struct ktdev_data_op *)(ops + 1);
	ops->ops = v;
	for (i = 0; i < n; i++) {
		if (!list) {
			v[i] = (struct ktdev_data_op){ strdup(name), true, NULL };
		} else if (op_at(list, ptr, i, &op)) {
			v[i].name = strdup(op.name);
			v[i].why = why_not(&op);
			v[i].moves = !v[i].why;
		} else {
			v[i].name = strdup("?");
			v[i].why = "it is no object with one op in it";
		}
		ops->n++;
		if (!v[i].name) {
			ktdev_data_ops_free(ops);
			return NULL;
		}
	}
	return ops;
}

int ktdev_relayout_ops_of(const struct ktdev_text *in, struct ktdev_report *rep,
			  struct ktdev_data_ops **out)
{
	struct ktdev_report *own = rep ? NULL : ktdev_report_new();
	struct kt_reader rd = { .rep = rep ? rep : own };
	struct kt_source src;
	struct ktdev_data_ops *ops;
	json_t *root = NULL, *list = NULL;
	char ptr[PTR_MAX] = "";
	size_t n = 1;
	int ret;

	*out = NULL;
	ret = rd.rep ? kt_source_init(&src, in->name, in->text, in->len) : -ENOMEM;
	if (ret) {
		ktdev_report_free(own);
		return ret;
	}
	rd.src = &src;
	if (!kt_is_shorthand(in)) {
		root = kt_rd_json(&rd, in);
		if (!root) {
			kt_source_fini(&src);
			ktdev_report_free(own);
			return -EINVAL;
		}
		list = find_ops(root, ptr, sizeof(ptr));
		n = list ? json_array_size(list) : 1;
	}
	ops = list_ops(in->name, list, ptr, n);
	json_decref(root);
	kt_source_fini(&src);
	ktdev_report_free(own);
	*out = ops;
	return ops ? 0 : -ENOMEM;
}

void ktdev_data_ops_free(struct ktdev_data_ops *ops)
{
	uint32_t i;

	for (i = 0; ops && i < ops->n; i++)
		free((void *)(uintptr_t)ops->ops[i].name);
	free(ops);
}

/* --- one side ----------------------------------------------------------------------------- */

static bool whole(json_t *v, uint32_t lo, uint32_t *out)
{
	json_int_t n = json_is_integer(v) ? json_integer_value(v) : -1;

	if (n < lo || n > UINT32_MAX)
		return false;
	*out = (uint32_t)n;
	return true;
}

static void raw_axes(struct kt_reader *rd, json_t *lds, const char *ptr, struct kt_raw_side *r)
{
	json_t *order = json_object_get(lds, "layoutDimOrder_");
	json_t *sizes = json_object_get(lds, "dimToLayoutSize_");
	json_t *sticks = json_object_get(lds, "dimToStickSize_");
	char at[PTR_MAX];
	uint32_t i, k;
	int st;

	r->rank = 0;
	r->stick = -1;
	if (!json_array_size(order) || json_array_size(order) > KT_AXES) {
		snprintf(at, sizeof(at), "%.400s/layoutDimOrder_", ptr);
		kt_rd_error(rd, at, "between 1 and %d axes must be listed", KT_AXES);
		return;
	}
	for (i = 0; i < json_array_size(order); i++) {
		const char *label = string_at(order, i);

		snprintf(at, sizeof(at), "%.400s/layoutDimOrder_/%u", ptr, i);
		r->name[i] = kt_axis_name(rd, label);
		if (!r->name[i])
			return;
		for (k = 0; k < i; k++)
			if (!strcmp(r->name[k], r->name[i])) {
				kt_rd_error(rd, at, "axis '%s' names two dimensions", r->name[i]);
				return;
			}
		snprintf(at, sizeof(at), "%.400s/dimToLayoutSize_/%.64s", ptr, label);
		if (!whole(json_object_get(sizes, label), 1, &r->extent[i])) {
			kt_rd_error(rd, at, "the extent of axis '%s' is no number from 1 to "
					    "4294967295",
				    r->name[i]);
			return;
		}
	}
	r->rank = i;
	r->positional = true;
	r->axes_ptr = kt_rd_text(rd, "%s/layoutDimOrder_", ptr);
	st = stick_position(lds);
	if (st >= 0 && sticks) {
		snprintf(at, sizeof(at), "%.400s/dimToStickSize_", ptr);
		if (!whole(json_object_get(sticks, string_at(order, (size_t)st)), 1,
			   &r->stick_lanes))
			kt_rd_error(rd, at, "the stick size of axis '%s' is no number",
				    r->name[st]);
		r->stick = st;
	}
}

/* validGap_: one run without a gap over the whole piece, or an allocation pitch. */
static void check_gaps(struct kt_reader *rd, json_t *obj, const char *ptr)
{
	json_t *gaps = json_object_get(obj, "validGap_"), *runs;
	const char *axis;
	char at[PTR_MAX];

	json_object_foreach(gaps, axis, runs) {
		json_t *run = json_array_get(runs, 0);
		json_t *size = json_object_get(json_object_get(obj, "dimToSize_"), axis);

		if (!size)
			size = json_object_get(json_object_get(obj, "dimToLayoutSize_"), axis);
		if (json_array_size(runs) == 1 && !json_integer_value(json_array_get(run, 1)) &&
		    json_integer_value(json_array_get(run, 0)) == json_integer_value(size))
			continue;
		snprintf(at, sizeof(at), "%.400s/validGap_/%.64s", ptr, axis);
		kt_rd_unsupported(rd, at,
				  "axis '%s' is allocated with gaps (%lld valid, %lld gap, %zu "
				  "runs)",
				  axis, (long long)json_integer_value(json_array_get(run, 0)),
				  (long long)json_integer_value(json_array_get(run, 1)),
				  json_array_size(runs));
		return;
	}
}

/* A byte address: a number or a decimal string. */
static bool address(json_t *v, uint64_t *out)
{
	const char *s = json_string_value(v);
	char *end;

	if (json_is_integer(v) && json_integer_value(v) >= 0) {
		*out = (uint64_t)json_integer_value(v);
		return true;
	}
	if (!s || !isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*out = strtoull(s, &end, 10);
	return !errno && !*end && *out <= INT64_MAX;
}

/* startAddr: a list, or {data_: {"[0]": ["524288"]}}; entry k of n, or one for all. */
static bool address_of(json_t *start, uint32_t k, uint32_t n, uint32_t core, uint64_t *out)
{
	json_t *data = json_object_get(start, "data_"), *list = start;
	char key[32];

	if (json_is_object(data)) {
		if (json_object_size(data) == 1) {
			list = json_object_iter_value(json_object_iter(data));
		} else {
			snprintf(key, sizeof(key), "[%u]", core);
			list = json_object_get(data, key);
			k = 0;
			n = 1;
		}
	}
	if (json_is_string(list) || json_is_integer(list))
		return address(list, out);
	if (json_array_size(list) == 1)
		k = 0;
	else if (json_array_size(list) != n)
		return false;
	return address(json_array_get(list, k), out);
}

static void read_placement(struct kt_reader *rd, json_t *list, const char *ptr,
			   struct kt_part *p, uint32_t *order)
{
	uint32_t total = 0, k, placed = 0;
	size_t i, n = json_array_size(list);
	char at[PTR_MAX];

	for (i = 0; i < n; i++)
		total += (uint32_t)json_array_size(json_object_get(json_array_get(list, i),
								   "memId"));
	if (!total) {
		kt_rd_error(rd, ptr, "the piece has no owner (memId)");
		return;
	}
	p->owners = kt_rd_alloc(rd, total * sizeof(*p->owners));
	p->order = kt_rd_alloc(rd, total * sizeof(*p->order));
	p->addr = kt_rd_alloc(rd, total * sizeof(*p->addr));
	if (rd->nomem)
		return;
	for (i = 0; i < n; i++) {
		json_t *pl = json_array_get(list, i), *ids = json_object_get(pl, "memId");
		json_t *start = json_object_get(pl, "startAddr");
		const char *type = json_string_value(json_object_get(pl, "type"));
		uint32_t cnt = (uint32_t)json_array_size(ids);

		snprintf(at, sizeof(at), "%.400s/PlacementInfo/%zu", ptr, i);
		if (type && strcmp(type, "lx")) {
			kt_rd_unsupported(rd, at, "the piece lies in '%s', not in a scratchpad",
					  type);
			return;
		}
		for (k = 0; k < cnt; k++) {
			uint32_t at_owner = p->n_owners;

			if (!whole(json_array_get(ids, k), 0, &p->owners[at_owner])) {
				kt_rd_error(rd, at, "memId %u is no core number", k);
				return;
			}
			if (start && !address_of(start, k, cnt, p->owners[at_owner],
						 &p->addr[at_owner])) {
				kt_rd_error(rd, at, "startAddr gives no byte address for core %u",
					    p->owners[at_owner]);
				return;
			}
			placed += start != NULL;
			p->order[at_owner] = (*order)++;
			p->n_owners++;
		}
	}
	if (placed && placed != total)
		kt_rd_error(rd, ptr, "some owners have a startAddr and some have none");
	if (!placed)
		p->addr = NULL;
}

static bool raw_coords(struct kt_reader *rd, json_t *obj, const char *ptr, const char *key,
		       const struct kt_raw_side *r, uint32_t lo, uint32_t *out)
{
	bool seen[KT_AXES] = {false};
	json_t *map = json_object_get(obj, key), *v;
	const char *label;
	char at[PTR_MAX];
	uint32_t a;

	json_object_foreach(map, label, v) {
		size_t len = strlen(label);

		if (len > 1 && label[len - 1] == '_')
			len--;
		for (a = 0; a < r->rank; a++)
			if (strlen(r->name[a]) == len && !strncmp(r->name[a], label, len))
				break;
		snprintf(at, sizeof(at), "%.300s/%s/%.64s", ptr, key, label);
		if (a == r->rank) {
			kt_rd_error(rd, at, "unknown axis '%s'", label);
			return false;
		}
		if (!whole(v, lo, &out[a])) {
			kt_rd_error(rd, at, "%s along axis '%s' is no number from %u to 4294967295",
				    key, label, lo);
			return false;
		}
		seen[a] = true;
	}
	for (a = 0; a < r->rank; a++)
		if (!seen[a]) {
			snprintf(at, sizeof(at), "%.300s/%s", ptr, key);
			kt_rd_error(rd, at, "%s lacks axis '%s'", key, r->name[a]);
			return false;
		}
	return true;
}

static void read_lds(struct kt_reader *rd, json_t *lds, const char *ptr, struct kt_raw_side *r)
{
	json_t *list = json_object_get(lds, "PieceInfo");
	uint32_t order = 0, placed = 0;
	size_t i, n = json_array_size(list);
	char at[PTR_MAX];

	memset(r, 0, sizeof(*r));
	raw_axes(rd, lds, ptr, r);
	check_gaps(rd, lds, ptr);
	r->ptr = kt_rd_text(rd, "%s/PieceInfo", ptr);
	r->view = kt_rd_text(rd, "%s", ptr);
	if (rd->failed || rd->unsupported || rd->nomem)
		return;
	if (!n) {
		kt_rd_error(rd, r->ptr, "the map is empty: PieceInfo lists no piece");
		return;
	}
	r->pieces = kt_rd_alloc(rd, n * sizeof(*r->pieces));
	for (i = 0; i < n && !rd->failed && !rd->nomem; i++) {
		json_t *obj = json_array_get(list, i);
		struct kt_part *p = &r->pieces[i];

		snprintf(at, sizeof(at), "%.400s/PieceInfo/%zu", ptr, i);
		p->index = (uint32_t)i;
		if (!raw_coords(rd, obj, at, "dimToStartCordinate", r, 0, p->box.start) ||
		    !raw_coords(rd, obj, at, "dimToSize_", r, 1, p->box.size))
			return;
		check_gaps(rd, obj, at);
		read_placement(rd, json_object_get(obj, "PlacementInfo"), at, p, &order);
		placed += p->addr != NULL;
	}
	r->n = (uint32_t)n;
	r->placed = placed == n;
	if (placed && placed != n && !rd->failed)
		kt_rd_error(rd, r->ptr, "some pieces have a startAddr and some have none");
}

/* Element type: both sides' word length and format must agree. */
static void read_format(struct kt_reader *rd, json_t *lds, const char *ptr)
{
	struct ktdev_relayout *rel = rd->rel;
	const char *fmt = json_string_value(json_object_get(lds, "dataformat"));
	uint32_t bytes = 0;
	char at[PTR_MAX];

	if (!fmt)
		fmt = rd->opts->dtype ? rd->opts->dtype : "f16";
	snprintf(at, sizeof(at), "%.400s/dataformat", ptr);
	if (rel->dtype && strcmp(rel->dtype, fmt)) {
		kt_rd_unsupported(rd, at, "the op converts from %s to %s", rel->dtype, fmt);
		return;
	}
	rel->dtype = kt_rd_text(rd, "%s", fmt);
	whole(json_object_get(lds, "wordLength"), 1, &bytes);
	if (!kt_dtype_find(fmt, &rel->kte_dtype, &rel->elem_bytes)) {
		if (!bytes || bytes > KTE_MAX_ELEM_BYTES) {
			kt_rd_error(rd, at, "unknown element type \"%s\"", fmt);
			return;
		}
		rel->kte_dtype = KTE_DT_OPAQUE;
		rel->elem_bytes = bytes;
	} else if (bytes && bytes != rel->elem_bytes) {
		kt_rd_error(rd, at, "%s has %u bytes, wordLength says %u", fmt, rel->elem_bytes,
			    bytes);
	}
}

/* The op to read: --op, or the first that moves data. */
static bool pick_op(struct kt_reader *rd, json_t *root, struct data_op *op)
{
	const char *want = rd->opts->op, *why = NULL;
	uint32_t moving = 0, chosen = UINT32_MAX, skipped = 0;
	char ptr[PTR_MAX], *end;
	struct data_op o;
	json_t *list;
	size_t i;

	list = find_ops(root, ptr, sizeof(ptr));
	if (!list) {
		memset(op, 0, sizeof(*op));
		op->body = root;
		op->name = op->kind = "data op";
		why = why_not(op);
		if (why)
			kt_rd_unsupported(rd, "", "%s", why);
		return !why;
	}
	for (i = 0; i < json_array_size(list); i++) {
		if (!op_at(list, ptr, i, &o)) {
			char at[PTR_MAX + 32];

			snprintf(at, sizeof(at), "%s/%zu", ptr, i);
			kt_rd_error(rd, at, "a data op must be an object with one member");
			return false;
		}
		why = why_not(&o);
		if (want && isdigit((unsigned char)*want) && strtoul(want, &end, 10) == i && !*end)
			chosen = (uint32_t)i;
		else if (want && (!strcmp(want, o.name) || (!strcmp(want, o.kind) && !why)) &&
			 chosen == UINT32_MAX)
			chosen = (uint32_t)i;
		else if (!want && !why && chosen == UINT32_MAX)
			chosen = (uint32_t)i;
		moving += !why;
		skipped += why != NULL;
	}
	if (chosen == UINT32_MAX) {
		if (want)
			kt_rd_error(rd, ptr, "there is no data op '%s' among %zu", want,
				    json_array_size(list));
		else
			kt_rd_unsupported(rd, ptr, "none of %zu data ops is a relayout: %s",
					  json_array_size(list), why ? why : "");
		return false;
	}
	op_at(list, ptr, chosen, op);
	why = why_not(op);
	if (why) {
		kt_rd_unsupported(rd, op->ptr, "data op %u (%s): %s", chosen, op->kind, why);
		return false;
	}
	kt_rd_note(rd, "data op %u of %zu read: %s", chosen, json_array_size(list), op->name);
	if (skipped)
		kt_rd_note(rd, "%u of %zu data ops move data, %u are skipped as unsupported",
			   moving, json_array_size(list), skipped);
	return true;
}

void kt_read_data_op(struct kt_reader *rd, json_t *root)
{
	struct kt_raw_side raw[2];
	struct data_op op;
	char at[2 * PTR_MAX];
	json_t *lds;
	int s;

	rd->rel->cores = rd->opts->cores ? rd->opts->cores : 32;
	rd->rel->stick_warns = true;
	if (!pick_op(rd, root, &op))
		return;
	rd->rel->name = kt_rd_text(rd, "%s", op.name);
	lds = json_object_get(op.body, "labeledDs_");
	for (s = 0; s < 2; s++) {
		snprintf(at, sizeof(at), "%s/labeledDs_/%d", op.ptr, s);
		read_format(rd, json_array_get(lds, (size_t)s), at);
		read_lds(rd, json_array_get(lds, (size_t)s), at, &raw[s]);
	}
	if (!rd->failed && !rd->unsupported && !rd->nomem)
		kt_join_sides(rd, raw);
}

void kt_read_data_op_side(struct kt_reader *rd, json_t *root, enum ktdev_side side,
			  struct kt_raw_side *raw)
{
	struct data_op op;
	char at[2 * PTR_MAX];
	json_t *lds;
	int s = side == KTDEV_SOURCE ? 1 : 0;

	rd->rel->stick_warns = true;
	if (!pick_op(rd, root, &op))
		return;
	lds = json_array_get(json_object_get(op.body, "labeledDs_"), (size_t)s);
	snprintf(at, sizeof(at), "%s/labeledDs_/%d", op.ptr, s);
	read_format(rd, lds, at);
	read_lds(rd, lds, at, raw);
}
