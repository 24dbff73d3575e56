// SPDX-License-Identifier: MIT
/*
 * Components of a work-division pair, and the axis order in which ascending tiles count.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "classify.h"

/* --- components --------------------------------------------------------------------------- */

static void assign(const struct kt_class *c, const struct kt_grid *g, uint32_t count,
		   uint32_t per, uint32_t *out, uint32_t *fill)
{
	uint32_t at[KT_AXES] = {0}, i, a, key;

	for (i = 0; i < count; i++) {
		key = 0;
		for (a = 0; a < c->rel->rank; a++)
			key = key * c->gcd[a] + at[a] / (g->n[a] / c->gcd[a]);
		out[key * per + fill[key]++] = g->cell[i];
		for (a = c->rel->rank; a-- > 0;) {
			if (++at[a] < g->n[a])
				break;
			at[a] = 0;
		}
	}
}

int kt_comps_init(struct kt_class *c, struct kt_comps *v)
{
	const struct kt_relation *r = &c->rel_of;
	uint32_t *fill;

	v->n = (uint32_t)c->pub.components;
	v->k = r->n_src / v->n;
	v->m = r->n_dst / v->n;
	v->src = kt_alloc(&c->arena, r->n_src * sizeof(*v->src));
	v->dst = kt_alloc(&c->arena, r->n_dst * sizeof(*v->dst));
	fill = calloc(2 * (size_t)v->n, sizeof(*fill));
	if (!v->src || !v->dst || !fill) {
		free(fill);
		return -ENOMEM;
	}
	assign(c, &r->six.grid, r->n_src, v->k, v->src, fill);
	assign(c, &r->dgrid, r->n_dst, v->m, v->dst, fill + v->n);
	free(fill);
	return 0;
}

/* --- tile order --------------------------------------------------------------------------- */

static int tile_order(const void *pa, const void *pb)
{
	const struct kt_tile_region *a = pa, *b = pb;

	return a->tile < b->tile ? -1 : a->tile > b->tile;
}

void kt_sort_tiles(struct kt_tile_region *v, uint32_t n)
{
	uint32_t i;

	for (i = 1; i < n; i++)
		if (v[i].tile < v[i - 1].tile) {
			qsort(v, n, sizeof(*v), tile_order);
			return;
		}
}

/* Digits of region j of a component over the natural axis order. */
void kt_odometer_digits(const struct kt_odometer *nat, uint32_t j, uint32_t *digit)
{
	uint32_t i;

	for (i = nat->n; i-- > 0;) {
		digit[nat->axis[i]] = j % nat->factor[i];
		j /= nat->factor[i];
	}
}

/*
 * The axis order in which the regions of ascending tiles count up, read off the first
 * group: position 1 differs from 0 in the fastest axis, and so on. False: there is none.
 */
bool kt_odometer_find(const struct kt_odometer *nat, const struct kt_tile_region *v, uint32_t n,
		     struct kt_odometer *out)
{
	uint32_t digit[KT_AXES], step = 1, found = 0, i, hit;
	bool taken[KT_AXES] = {false};

	out->n = nat->n;
	while (found < nat->n) {
		hit = KT_AXES;
		if (step >= n)
			return false;
		kt_odometer_digits(nat, v[step].region, digit);
		for (i = 0; i < nat->n; i++) {
			uint8_t a = nat->axis[i];

			if (!digit[a])
				continue;
			if (hit != KT_AXES || digit[a] != 1 || taken[a])
				return false;
			hit = i;
		}
		if (hit == KT_AXES)
			return false;
		found++;
		taken[nat->axis[hit]] = true;
		out->axis[nat->n - found] = nat->axis[hit];
		out->factor[nat->n - found] = nat->factor[hit];
		step *= nat->factor[hit];
	}
	return true;
}

/* Do the regions of a group's ascending tiles count up over the odometer? */
bool kt_odometer_holds(const struct kt_odometer *nat, const struct kt_odometer *o,
		      const struct kt_tile_region *v, uint32_t n)
{
	uint32_t want[KT_AXES], digit[KT_AXES], l, i;

	for (l = 0; l < n; l++) {
		kt_odometer_digits(o, l, want);
		kt_odometer_digits(nat, v[l].region, digit);
		for (i = 0; i < nat->n; i++)
			if (want[nat->axis[i]] != digit[nat->axis[i]])
				return false;
	}
	return true;
}
