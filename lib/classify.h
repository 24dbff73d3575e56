/* SPDX-License-Identifier: MIT */
/* Components of a work-division pair and the order of tiles in them. */
#ifndef KT_CLASSIFY_H
#define KT_CLASSIFY_H

#include "relayout.h"

/* Regions of each component, in odometer order. */
struct kt_comps {
	uint32_t n, k, m;		/* components, source and destination regions in each */
	uint32_t *src, *dst;		/* n * k, n * m piece numbers */
};

int kt_comps_init(struct kt_class *c, struct kt_comps *v);

/* A tile and the region it stands for (number within its component). */
struct kt_tile_region {
	uint32_t tile, region;
};

void kt_sort_tiles(struct kt_tile_region *v, uint32_t n);

/* Axes of an odometer with their factors, slowest first. */
struct kt_odometer {
	uint32_t n;
	uint8_t axis[KT_AXES];
	uint32_t factor[KT_AXES];
};

/* Digits of region j of a component over the natural axis order, by axis. */
void kt_odometer_digits(const struct kt_odometer *nat, uint32_t j, uint32_t *digit);
/* The axis order in which the regions of ascending tiles count up; false: there is none. */
bool kt_odometer_find(const struct kt_odometer *nat, const struct kt_tile_region *v, uint32_t n,
		      struct kt_odometer *out);
/* Do the regions of a group's ascending tiles count up over the odometer? */
bool kt_odometer_holds(const struct kt_odometer *nat, const struct kt_odometer *o,
		       const struct kt_tile_region *v, uint32_t n);

/* One transfer; what comes before @p makes two transfers the same kind. */
struct kt_xfer {
	uint32_t size[KT_AXES];
	uint64_t sstride[KT_AXES], dstride[KT_AXES];	/* 0 where size is 1 */
	uint64_t saddr, daddr;
	uint32_t p, c;
};

/* The transfer of a cut from owner @so of source piece @s to holder @dk of piece @d. */
void kt_xfer_fill(const struct kt_class *c, struct kt_xfer *x, uint32_t s, uint32_t so, uint32_t d,
		  uint32_t dk, const struct kte_box *cut);
/* Shape, load and store of a move of such transfers. */
int kt_xfer_shape(struct kt_class *c, struct kt_move *m, const struct kt_xfer *x);

#endif /* KT_CLASSIFY_H */
