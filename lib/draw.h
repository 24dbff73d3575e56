/* SPDX-License-Identifier: MIT */
/* What a picture shows, apart from how it is drawn. */
#ifndef KT_DRAW_H
#define KT_DRAW_H

#include <stdio.h>

#include "relayout.h"

#define KT_DRAW_MAX_CORES	256u	/* more cores share rows and columns */
#define KT_DRAW_MAX_CELLS	64u	/* cells of a grid along one axis */

/* One cell of an ownership grid. */
struct kt_cell {
	uint32_t n;		/* owners, together over all other axes */
	uint32_t owner;		/* the lowest */
	uint32_t group;		/* component of its piece; KT_NO_CORE: none */
};

/* Who owns what along two axes, before or after. */
struct kt_owner_grid {
	uint32_t rows, cols;
	struct kt_cell *cell;
};

struct kt_axis_pair {
	uint32_t row_axis, col_axis;	/* row_axis KT_NO_CORE: one row */
	struct kt_owner_grid side[2];
	uint32_t *row_at, *col_at;	/* first element of each row and column */
};

struct kt_picture {
	struct kt_arena arena;
	const char *title, *reason;
	const char *note;		/* elected on the reader's behalf; NULL */
	uint32_t cores;			/* of the input */
	uint32_t n;			/* rows and columns of the map */
	uint32_t per;			/* cores per row */
	uint64_t *bytes;		/* n * n: from row to column */
	uint64_t most, total, local;	/* off the diagonal: largest, sum; on it */
	const struct ktdev_relayout *rel;	/* NULL: only the map */
	uint32_t n_pairs;
	struct kt_axis_pair *pairs;
	uint32_t *group_of;		/* per core: the group it receives in; KT_NO_CORE */
	uint32_t n_groups;
};

void kt_draw_svg(FILE *f, const struct kt_picture *p);

#endif /* KT_DRAW_H */
