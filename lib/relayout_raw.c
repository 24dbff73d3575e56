// SPDX-License-Identifier: MIT
/*
 * Matching the axes of two sides that name them on their own. Position counts where the
 * input has a device order; a label alone never decides.
 */
#include <stdio.h>
#include <string.h>

#include "relayout_read.h"

void kt_rd_defaults(struct kt_reader *rd)
{
	struct ktdev_relayout *rel = rd->rel;
	const char *type = rd->opts->dtype ? rd->opts->dtype : "f16";

	if (!rel->cores)
		rel->cores = rd->opts->cores ? rd->opts->cores : 32;
	if (rel->cores > KT_MAX_CORES)
		kt_rd_error(rd, "", "%u cores; at most %u", rel->cores, KT_MAX_CORES);
	if (rel->dtype)
		return;
	rel->dtype = kt_rd_text(rd, "%s", type);
	if (!kt_dtype_find(type, &rel->kte_dtype, &rel->elem_bytes))
		kt_rd_error(rd, "", "unknown element type \"%s\"", type);
}

const char *kt_axis_name(struct kt_reader *rd, const char *name)
{
	size_t n = strlen(name);

	if (n > 1 && name[n - 1] == '_')
		n--;
	if (!n)
		kt_rd_error(rd, "", "an axis has no name");
	return n ? kt_rd_text(rd, "%.*s", (int)n, name) : NULL;
}

static int raw_find(const struct kt_raw_side *r, const char *name, size_t len)
{
	uint32_t a;

	if (len > 1 && name[len - 1] == '_')
		len--;
	for (a = 0; a < r->rank; a++)
		if (strlen(r->name[a]) == len && !strncmp(r->name[a], name, len))
			return (int)a;
	return -1;
}

/* --map a=b: source axis a is destination axis b. */
static void apply_map(struct kt_reader *rd, const struct kt_raw_side raw[2], int *to, bool *taken)
{
	uint32_t i;

	for (i = 0; i < rd->opts->n_map; i++) {
		const char *m = rd->opts->map[i], *eq = strchr(m, '=');
		int a, b;

		a = eq ? raw_find(&raw[0], m, (size_t)(eq - m)) : -1;
		b = eq ? raw_find(&raw[1], eq + 1, strlen(eq + 1)) : -1;
		if (a < 0 || b < 0) {
			kt_rd_error(rd, a < 0 ? raw[0].axes_ptr : raw[1].axes_ptr,
				    "map '%s': no such axis on the %s side", m,
				    a < 0 ? "source" : "destination");
			return;
		}
		if (to[a] >= 0 || taken[b]) {
			kt_rd_error(rd, raw[1].axes_ptr, "map '%s': the axis is mapped twice", m);
			return;
		}
		to[a] = b;
		taken[b] = true;
	}
}

/* to[a]: destination axis of source axis a. */
static void match_axes(struct kt_reader *rd, const struct kt_raw_side raw[2], int *to)
{
	bool taken[KT_AXES] = {false}, by_place = raw[0].positional && raw[1].positional;
	uint32_t a;
	int b;

	for (a = 0; a < KT_AXES; a++)
		to[a] = -1;
	if (raw[0].rank != raw[1].rank) {
		kt_rd_unsupported(rd, raw[1].axes_ptr,
				  "the source has %u axes and the destination %u: an op that "
				  "changes the axes",
				  raw[0].rank, raw[1].rank);
		return;
	}
	apply_map(rd, raw, to, taken);
	for (a = 0; a < raw[0].rank && !rd->failed; a++) {
		if (to[a] >= 0)
			continue;
		b = by_place ? (int)a : raw_find(&raw[1], raw[0].name[a], strlen(raw[0].name[a]));
		if (b >= 0 && !taken[b] && !strcmp(raw[0].name[a], raw[1].name[b])) {
			to[a] = b;
			taken[b] = true;
			continue;
		}
		if (b < 0)
			b = (int)a;
		kt_rd_error(rd, raw[1].axes_ptr,
			    "dimension %u is axis '%s' in the source and '%s' in the destination: "
			    "say --map %s=AXIS",
			    a, raw[0].name[a], raw[1].name[b], raw[0].name[a]);
	}
}

static void note_mapping(struct kt_reader *rd, const struct kt_raw_side raw[2], const int *to)
{
	bool by_place = raw[0].positional && raw[1].positional;
	char text[512];
	size_t used = 0;
	uint32_t a;

	text[0] = 0;
	for (a = 0; a < raw[0].rank && used < sizeof(text); a++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s=%s",
					 a ? ", " : "", raw[0].name[a], raw[1].name[to[a]]);
	kt_rd_note(rd, "axes matched %s: %s", rd->opts->n_map ? "by --map" : by_place ?
		   "by dimension" : "by label (the input gives no device order)", text);
}

static void put_side(struct kt_reader *rd, enum ktdev_side side, const struct kt_raw_side *r,
		     const int *axis)
{
	struct kt_side *s = &rd->rel->side[side];
	uint32_t i, a;

	s->pieces = r->pieces;
	s->n = r->n;
	s->ptr = r->ptr;
	s->view = r->view;
	s->placed = r->placed;
	for (a = 0; a < r->rank; a++)
		s->layout[a] = (uint8_t)axis[r->has_layout ? r->layout[a] : a];
	for (i = 0; i < r->n; i++) {
		struct kte_box in = r->pieces[i].box, *out = &r->pieces[i].box;

		memset(out, 0, sizeof(*out));
		for (a = 0; a < r->rank; a++) {
			out->start[axis[a]] = in.start[a];
			out->size[axis[a]] = in.size[a];
		}
	}
	kt_rd_note(rd, "%s read from %s", side == KTDEV_SOURCE ? "source" : "destination",
		   r->view);
}

void kt_join_sides(struct kt_reader *rd, struct kt_raw_side raw[2])
{
	struct ktdev_relayout *rel = rd->rel;
	int to[KT_AXES], own[KT_AXES], from[KT_AXES];
	uint32_t a;

	match_axes(rd, raw, to);
	if (rd->failed || rd->unsupported)
		return;
	rel->rank = raw[0].rank;
	for (a = 0; a < rel->rank; a++) {
		own[a] = (int)a;
		from[to[a]] = (int)a;
		rel->axes[a].name = raw[0].name[a];
		rel->axes[a].extent = raw[0].extent[a];
		if (raw[0].extent[a] != raw[1].extent[to[a]])
			kt_rd_error(rd, raw[1].axes_ptr,
				    "axis '%s' has %u elements in the source and %u in the "
				    "destination",
				    raw[0].name[a], raw[0].extent[a], raw[1].extent[to[a]]);
	}
	if (rd->failed)
		return;
	if (raw[0].stick >= 0) {
		rel->stick_axis = raw[0].stick;
		rel->stick_lanes = raw[0].stick_lanes;
	}
	if (rd->opts->stick_axis) {
		kt_rd_stick(rd, rd->opts->stick_axis, rd->opts->stick_lanes, "");
		rel->stick_warns = false;
	}
	note_mapping(rd, raw, to);
	put_side(rd, KTDEV_SOURCE, &raw[0], own);
	put_side(rd, KTDEV_DESTINATION, &raw[1], from);
}
