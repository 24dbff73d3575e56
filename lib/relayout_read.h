/* SPDX-License-Identifier: MIT */
/* The readers of the input forms; relayout_read.c picks one by the look of the text. */
#ifndef KT_RELAYOUT_READ_H
#define KT_RELAYOUT_READ_H

#include "relayout.h"

/*
 * A side as forms 2 and 3 give it: its own axis names in device order. The two are
 * matched by position, then written into the relayout.
 */
struct kt_raw_side {
	uint32_t rank;
	const char *name[KT_AXES];	/* without a trailing underscore */
	uint32_t extent[KT_AXES];
	int stick;			/* axis, -1: none declared */
	uint32_t stick_lanes;
	uint32_t n;
	struct kt_part *pieces;		/* boxes in this side's own axis order */
	const char *ptr, *view, *axes_ptr;
	bool placed;
	bool has_layout;
	uint8_t layout[KT_AXES];	/* memory order where it is not the axis order */
	bool positional;		/* the axis order is the device's */
};

/* relayout_raw.c */
/* cores, dtype where the input has none: options, else 32 and f16. */
void kt_rd_defaults(struct kt_reader *rd);
/* "mb_" -> "mb" in the arena. */
const char *kt_axis_name(struct kt_reader *rd, const char *name);
/* Match axes by position and --map, check extents, fill rel->axes and both sides. */
void kt_join_sides(struct kt_reader *rd, struct kt_raw_side raw[2]);

/* relayout_json.c: ktdev.relayout/1, form 1 */
void kt_read_relayout1(struct kt_reader *rd, json_t *root);
void kt_read_relayout1_half(struct kt_reader *rd, json_t *root, enum ktdev_side side,
			    struct kt_raw_side *raw);

/* relayout_short.c: form 4 */
bool kt_is_shorthand(const struct ktdev_text *in);
void kt_read_shorthand(struct kt_reader *rd, const struct ktdev_text *src,
		       const struct ktdev_text *dst);

/* relayout_maps.c: per-core maps, form 2 */
bool kt_has_map(json_t *root);
/* Both sides from the two tensor views of one planner file. */
void kt_read_views(struct kt_reader *rd, json_t *root);
/* One side: a map, or the view of a planner file that belongs there. */
void kt_read_view_side(struct kt_reader *rd, json_t *root, enum ktdev_side side,
		       struct kt_raw_side *raw);

/* relayout_dataop.c: data ops, form 3 */
bool kt_has_data_ops(json_t *root);
void kt_read_data_op(struct kt_reader *rd, json_t *root);
void kt_read_data_op_side(struct kt_reader *rd, json_t *root, enum ktdev_side side,
			  struct kt_raw_side *raw);

#endif /* KT_RELAYOUT_READ_H */
