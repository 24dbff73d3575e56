// SPDX-License-Identifier: MIT
/*
 * Which deliveries say a decided relayout: the one op of its row (or one per replica)
 * where the owners allow it, with the axis order of the partial chosen so that ascending
 * tiles are the odometer; a gather over a unit axis with stores at their own bases where
 * no axis order does; else one op per kind of transfer (classify_enum.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "classify.h"

struct kt_move *kt_moves_add(struct kt_class *c)
{
	struct kt_moves *m = &c->moves;

	if (m->n == m->cap) {
		uint32_t cap = m->cap ? 4 * m->cap : 1;
		struct kt_move *v = kt_alloc(&c->arena, cap * sizeof(*v));

		if (!v)
			return NULL;
		if (m->n)
			memcpy(v, m->v, m->n * sizeof(*v));
		m->v = v;
		m->cap = cap;
	}
	/* an attempt that failed may have left one here */
	memset(&m->v[m->n], 0, sizeof(*m->v));
	return &m->v[m->n++];
}

uint64_t kt_class_addr(const struct kt_class *c, enum ktdev_side side, uint32_t piece,
		       uint32_t owner, const struct kte_box *box, uint64_t *stride)
{
	const struct kt_part *p = side == KTDEV_SOURCE ? &c->rel_of.src[piece] :
							 &c->rel_of.dst[piece];
	const struct kt_part *base = p->whole ? p->whole : p;
	uint32_t index = (uint32_t)(base - c->rel->side[side].pieces), a;
	uint64_t at = c->places.addr[side][c->places.first[side][index] + owner];

	kt_part_strides(c->rel, side, &base->box, stride);
	for (a = 0; a < c->rel->rank; a++)
		at += (uint64_t)(box->start[a] - base->box.start[a]) * stride[a];
	return at;
}

/* --- one op of a row ---------------------------------------------------------------------- */

/* A group being built: producers and consumers with the region each stands for. */
struct draft {
	struct kt_comps comps;
	struct kt_odometer coarse, refine;		/* natural order */
	struct kt_tile_region *p, *q;		/* n * k, n * n_cons */
	uint32_t n_cons;			/* consumers of a group; 0: they vary (row 4) */
	uint32_t *stamp_p, *stamp_c;		/* per core: already in a group */
	uint32_t stamp;
	int share;			/* only this share of the split is loaded; -1: all */
};

static bool claim(uint32_t *stamp, uint32_t core, uint32_t mark)
{
	if (stamp[core] == mark)
		return false;
	stamp[core] = mark;
	return true;
}

/* The one producer of a region for all consumers of the given destination pieces. */
static uint32_t common_producer(const struct kt_class *c, uint32_t s, const uint32_t *dst,
				uint32_t n_dst, int replica)
{
	const struct kt_part *src = &c->rel_of.src[s];
	uint32_t i, k, p, got = KT_NO_CORE;

	if (src->n_owners == 1)
		return src->owners[0];
	for (i = 0; i < n_dst; i++) {
		const struct kt_part *d = &c->rel_of.dst[dst[i]];

		for (k = 0; k < d->n_owners; k++) {
			if (replica >= 0 && k != (uint32_t)replica)
				continue;
			p = kt_elect(src, d->owners[k], c->rel->cores, c->elect);
			if (p == KT_NO_CORE || (got != KT_NO_CORE && p != got))
				return KT_NO_CORE;
			got = p;
		}
	}
	return got;
}

/* Producers of all groups; false where one op cannot name them. */
static bool draft_producers(const struct kt_class *c, struct draft *d, int replica)
{
	const struct kt_comps *v = &d->comps;
	uint32_t g, k, p;

	for (g = 0; g < v->n; g++) {
		for (k = 0; k < v->k; k++) {
			p = common_producer(c, v->src[g * v->k + k], v->dst + g * v->m, v->m,
					    replica);
			if (p == KT_NO_CORE || !claim(d->stamp_p, p, d->stamp))
				return false;
			d->p[g * v->k + k] = (struct kt_tile_region){ p, k };
		}
		kt_sort_tiles(d->p + g * v->k, v->k);
	}
	return true;
}

/* Consumers: the replica-th owner of every region. */
static bool draft_consumers(const struct kt_class *c, struct draft *d, uint32_t replica)
{
	const struct kt_comps *v = &d->comps;
	uint32_t g, k;

	for (g = 0; g < v->n; g++) {
		for (k = 0; k < v->m; k++) {
			uint32_t core = c->rel_of.dst[v->dst[g * v->m + k]].owners[replica];

			if (!claim(d->stamp_c, core, d->stamp))
				return false;
			d->q[g * v->m + k] = (struct kt_tile_region){ core, k };
		}
		kt_sort_tiles(d->q + g * v->m, v->m);
	}
	return true;
}

int kt_tile_addr_set(struct kt_class *c, struct kt_tile_addr *out, uint32_t tile, uint64_t at)
{
	uint32_t i;

	if (!out->per_tile) {
		if (out->base == at)
			return 0;
		out->per_tile = kt_alloc(&c->arena, c->rel->cores * sizeof(*out->per_tile));
		if (!out->per_tile)
			return -ENOMEM;
		for (i = 0; i < c->rel->cores; i++)
			out->per_tile[i] = out->base;
	}
	out->per_tile[tile] = at;
	return 0;
}

static uint32_t owner_index(const struct kt_part *p, uint32_t core)
{
	uint32_t i;

	for (i = 0; p->owners[i] != core; i++)
		;
	return i;
}

static bool same_strides(const struct kt_class *c, const struct kte_box *box, const uint64_t *a,
			 const uint64_t *b)
{
	uint32_t i;

	for (i = 0; i < c->rel->rank; i++)
		if (box->size[i] > 1 && a[i] != b[i])
			return false;
	return true;
}

/* Tensor axes: natural order, coarse and refined axes permuted among their places. */
static void shape_move(const struct kt_class *c, struct kt_move *m, const struct draft *d,
		       const struct kt_odometer *coarse, const struct kt_odometer *refine,
		       bool unit)
{
	const struct kte_box *s = &c->rel_of.src[d->comps.src[0]].box;
	const struct kte_box *t = &c->rel_of.dst[d->comps.dst[0]].box;
	uint32_t a, i = 0, ic = 0, ir = 0;

	if (unit) {
		m->axis[i] = KT_UNIT_AXIS;
		m->part[i] = 1;
		m->result[i] = d->comps.k;
		m->concat[m->n_concat++] = (uint8_t)i++;
	}
	for (a = 0; a < c->rel->rank; a++, i++) {
		uint8_t ax = (uint8_t)a;

		if (c->coarse[a] && !unit) {
			ax = coarse->axis[ic++];
			m->concat[m->n_concat++] = (uint8_t)i;
		} else if (c->refine[a] && d->share < 0) {
			ax = refine->axis[ir++];
			m->split[m->n_split++] = (uint8_t)i;
		}
		m->axis[i] = ax;
		m->part[i] = c->refine[ax] && d->share >= 0 ? t->size[ax] : s->size[ax];
		m->result[i] = unit && c->coarse[ax] ? s->size[ax] : t->size[ax];
	}
	m->rank = i;
}

/* Byte offset of the share inside a source piece. */
static uint64_t share_delta(const struct kt_class *c, const struct draft *d, const uint64_t *stride)
{
	const struct kte_box *t = &c->rel_of.dst[d->comps.dst[0]].box;
	uint32_t digit[KT_AXES] = {0}, i;
	uint64_t at = 0;

	if (d->share < 0)
		return 0;
	kt_odometer_digits(&d->refine, (uint32_t)d->share, digit);
	for (i = 0; i < d->refine.n; i++)
		at += (uint64_t)digit[d->refine.axis[i]] * t->size[d->refine.axis[i]] *
		      stride[d->refine.axis[i]];
	return at;
}

/* Load: where each producer keeps its region; all with the same strides. */
static int place_source(struct kt_class *c, struct kt_move *m, const struct draft *d)
{
	const struct kt_comps *v = &d->comps;
	uint64_t stride[KT_AXES], first[KT_AXES];
	uint32_t g, k, i;
	int ret = 0;

	for (g = 0; g < v->n && !ret; g++)
		for (k = 0; k < v->k && !ret; k++) {
			const struct kt_tile_region *t = &d->p[g * v->k + k];
			uint32_t s = v->src[g * v->k + t->region];
			const struct kt_part *p = &c->rel_of.src[s];
			uint64_t at = kt_class_addr(c, KTDEV_SOURCE, s, owner_index(p, t->tile),
						    &p->box, stride);

			at += share_delta(c, d, stride);
			if (!g && !k) {
				memcpy(first, stride, sizeof(first));
				m->src.base = at;
			} else if (!same_strides(c, &p->box, stride, first)) {
				return -ERANGE;
			}
			ret = kt_tile_addr_set(c, &m->src, t->tile, at);
		}
	for (i = 0; i < m->rank; i++)
		m->sstride[i] = m->axis[i] == KT_UNIT_AXIS ? c->rel->elem_bytes :
							     first[m->axis[i]];
	return ret;
}

/* Selected value: the load is a box of the whole piece's view, where that is uniform. */
static void place_select(const struct kt_class *c, struct kt_move *m, const struct draft *d)
{
	const struct kt_part *p = &c->rel_of.src[0];
	uint64_t bytes = 0;
	uint32_t i, n, a;

	if (!p->whole || m->src.per_tile || d->share >= 0)
		return;
	for (n = 1; n < c->rel_of.n_src; n++) {
		const struct kt_part *q = &c->rel_of.src[n];

		for (a = 0; a < c->rel->rank; a++)
			if (q->whole->box.size[a] != p->whole->box.size[a] ||
			    q->box.start[a] - q->whole->box.start[a] !=
			    p->box.start[a] - p->whole->box.start[a])
				return;
	}
	for (i = 0; i < m->rank; i++) {
		if (m->axis[i] == KT_UNIT_AXIS) {
			m->view_size[i] = 1;
			continue;
		}
		a = m->axis[i];
		m->view_size[i] = p->whole->box.size[a];
		m->view_off[i] = p->box.start[a] - p->whole->box.start[a];
		bytes += m->view_off[i] * m->sstride[i];
		m->select = m->select || m->view_size[i] != m->part[i];
	}
	if (m->select)
		m->src.base -= bytes;
}

static struct kt_move_store *add_store(struct kt_class *c, struct kt_move *m)
{
	if (!m->stores)
		m->stores = kt_alloc(&c->arena, (m->rank && m->axis[0] == KT_UNIT_AXIS ?
						 m->result[0] : 1) * sizeof(*m->stores));
	return m->stores ? &m->stores[m->n_stores++] : NULL;
}

/* Where the consumers keep the destination, plus delta bytes. */
static int place_store(struct kt_class *c, struct kt_move *m, struct kt_move_store *st,
		       const uint32_t *dst, const uint32_t *tile, uint32_t n, uint64_t delta)
{
	uint64_t stride[KT_AXES], first[KT_AXES];
	uint32_t i;
	int ret = 0;

	for (i = 0; i < n && !ret; i++) {
		const struct kt_part *p = &c->rel_of.dst[dst[i]];
		uint64_t at = kt_class_addr(c, KTDEV_DESTINATION, dst[i], owner_index(p, tile[i]),
					    &p->box, stride);

		if (!i) {
			memcpy(first, stride, sizeof(first));
			st->addr.base = at + delta;
		}
		ret = kt_tile_addr_set(c, &st->addr, tile[i], at + delta);
	}
	for (i = 0; i < m->rank; i++)
		if (m->axis[i] != KT_UNIT_AXIS)
			st->stride[i] = first[m->axis[i]];
	return ret;
}

/* (destination piece, tile) of every consumer of the op. */
static int consumers_of(struct kt_class *c, const struct draft *d, const bool *in,
			uint32_t **dst, uint32_t **tile, uint32_t *n)
{
	const struct kt_comps *v = &d->comps;
	uint32_t g, k, total = 0;

	for (g = 0; g < v->n; g++)
		total += d->n_cons ? d->n_cons : c->rel_of.dst[v->dst[g]].n_owners;
	*dst = malloc(2 * (size_t)total * sizeof(**dst));
	if (!*dst)
		return -ENOMEM;
	*tile = *dst + total;
	*n = 0;
	for (g = 0; g < v->n; g++) {
		const struct kt_part *p = &c->rel_of.dst[v->dst[g]];

		if (in && !in[g])
			continue;
		for (k = 0; k < (d->n_cons ? d->n_cons : p->n_owners); k++, (*n)++) {
			(*dst)[*n] = d->n_cons ? v->dst[g * v->m + d->q[g * v->m + k].region] :
						 v->dst[g];
			(*tile)[*n] = d->n_cons ? d->q[g * v->m + k].tile : p->owners[k];
		}
	}
	return 0;
}

/* The groups of a draft; @in selects some. */
static int fill_groups(struct kt_class *c, struct kt_move *m, const struct draft *d,
		       const bool *in)
{
	const struct kt_comps *v = &d->comps;
	uint32_t g, k, n = 0;

	m->groups = kt_alloc(&c->arena, v->n * sizeof(*m->groups));
	if (!m->groups)
		return -ENOMEM;
	for (g = 0; g < v->n; g++) {
		const struct kt_part *p = &c->rel_of.dst[v->dst[g]];
		struct ktdev_group *out = &m->groups[n];
		uint32_t cons = d->n_cons ? d->n_cons : p->n_owners, *ids;

		if (in && !in[g])
			continue;
		n++;
		ids = kt_alloc(&c->arena, (v->k + (d->n_cons ? cons : 0)) * sizeof(*ids));
		if (!ids)
			return -ENOMEM;
		for (k = 0; k < v->k; k++)
			ids[k] = d->p[g * v->k + k].tile;
		out->producers = ids;
		out->n_producers = v->k;
		out->n_consumers = cons;
		out->consumers = d->n_cons ? ids + v->k : p->owners;
		for (k = 0; d->n_cons && k < cons; k++)
			ids[v->k + k] = d->q[g * v->m + k].tile;
	}
	m->n_groups = n;
	return 0;
}

/* One op with the given axis orders. */
static int emit_plain(struct kt_class *c, const struct draft *d, enum kt_move_kind kind,
		      const struct kt_odometer *coarse, const struct kt_odometer *refine)
{
	struct kt_move *m = kt_moves_add(c);
	struct kt_move_store *st;
	uint32_t *dst, *tile, n, i;
	int ret;

	if (!m)
		return -ENOMEM;
	m->kind = kind;
	shape_move(c, m, d, coarse, refine, false);
	ret = fill_groups(c, m, d, NULL);
	if (!ret)
		ret = place_source(c, m, d);
	if (ret)
		return ret;
	place_select(c, m, d);
	st = add_store(c, m);
	ret = st ? consumers_of(c, d, NULL, &dst, &tile, &n) : -ENOMEM;
	if (ret)
		return ret;
	for (i = 0; i < m->rank; i++)
		st->size[i] = m->result[i];
	ret = place_store(c, m, st, dst, tile, n, 0);
	free(dst);
	return ret;
}

/* Byte offset of concat region j inside a destination piece. */
static uint64_t region_delta(const struct kt_class *c, const struct draft *d, uint32_t j)
{
	const struct kt_part *src = &c->rel_of.src[d->comps.src[0]];
	uint64_t stride[KT_AXES], at = 0;
	uint32_t digit[KT_AXES] = {0}, i;

	kt_odometer_digits(&d->coarse, j, digit);
	kt_part_strides(c->rel, KTDEV_DESTINATION, &c->rel_of.dst[d->comps.dst[0]].box, stride);
	for (i = 0; i < d->coarse.n; i++) {
		uint8_t a = d->coarse.axis[i];

		at += (uint64_t)digit[a] * src->box.size[a] * stride[a];
	}
	return at;
}

/* Slice-and-store: the stores of a gather over a unit axis whose l-th region is order[l]. */
static int unit_stores(struct kt_class *c, const struct draft *d, struct kt_move *m,
		       const struct kt_tile_region *order, const uint32_t *dst,
		       const uint32_t *tile, uint32_t n)
{
	uint32_t l = 0, run, i;
	uint64_t at, next, step;
	int ret = 0;

	for (; l < d->comps.k && !ret; l += run) {
		struct kt_move_store *st = add_store(c, m);

		if (!st)
			return -ENOMEM;
		at = region_delta(c, d, order[l].region);
		run = 1;
		step = c->rel->elem_bytes;
		if (l + 1 < d->comps.k) {
			next = region_delta(c, d, order[l + 1].region);
			step = next - at;
			while (next > at && l + run < d->comps.k &&
			       region_delta(c, d, order[l + run].region) == at + run * step)
				run++;
			if (run == 1)
				step = c->rel->elem_bytes;
		}
		for (i = 0; i < m->rank; i++)
			st->size[i] = m->result[i];
		st->start[0] = l;
		st->size[0] = run;
		ret = place_store(c, m, st, dst, tile, n, at);
		st->stride[0] = step;
	}
	return ret;
}

/* Gathers over a unit axis, one per class of groups with equal tile order. */
static int emit_unit(struct kt_class *c, const struct draft *d, enum kt_move_kind kind,
		     const struct kt_odometer *refine)
{
	const struct kt_comps *v = &d->comps;
	uint32_t g, h, k, n, *dst, *tile;
	bool *in = calloc(2 * (size_t)v->n, sizeof(*in)), *done;
	int ret = 0;

	if (!in)
		return -ENOMEM;
	done = in + v->n;
	for (g = 0; g < v->n && !ret; g++) {
		struct kt_move *m;

		if (done[g])
			continue;
		for (h = 0; h < v->n; h++) {
			in[h] = !done[h];
			for (k = 0; k < v->k && in[h]; k++)
				in[h] = d->p[h * v->k + k].region == d->p[g * v->k + k].region;
			done[h] = done[h] || in[h];
		}
		m = kt_moves_add(c);
		if (!m) {
			ret = -ENOMEM;
			break;
		}
		m->kind = kind;
		shape_move(c, m, d, NULL, refine, true);
		ret = fill_groups(c, m, d, in);
		if (!ret)
			ret = place_source(c, m, d);
		if (ret)
			break;
		place_select(c, m, d);
		ret = consumers_of(c, d, in, &dst, &tile, &n);
		if (!ret) {
			ret = unit_stores(c, d, m, d->p + g * v->k, dst, tile, n);
			free(dst);
		}
	}
	free(in);
	return ret;
}

/* One op (or one per tile order) for one replica. Return: 1 done, 0 no such op, or error. */
static int try_row(struct kt_class *c, struct draft *d, enum kt_move_kind kind, int replica)
{
	const struct kt_comps *v = &d->comps;
	struct kt_odometer coarse = d->coarse, refine = d->refine;
	bool concat_ok = true;
	uint32_t g;
	int ret;

	d->stamp++;
	if (!draft_producers(c, d, replica))
		return 0;
	if (replica >= 0 ? !draft_consumers(c, d, (uint32_t)replica) : false)
		return 0;
	for (g = 0; replica < 0 && g < v->n; g++) {
		const struct kt_part *p = &c->rel_of.dst[v->dst[g]];
		uint32_t k;

		for (k = 0; k < p->n_owners; k++)
			if (!claim(d->stamp_c, p->owners[k], d->stamp))
				return 0;
	}
	if (d->coarse.n)
		concat_ok = kt_odometer_find(&d->coarse, d->p, v->k, &coarse);
	if (d->refine.n && d->share < 0 && !kt_odometer_find(&d->refine, d->q, v->m, &refine))
		return 0;
	for (g = 0; g < v->n; g++) {
		if (concat_ok && d->coarse.n)
			concat_ok = kt_odometer_holds(&d->coarse, &coarse, d->p + g * v->k, v->k);
		if (d->refine.n && d->share < 0 &&
		    !kt_odometer_holds(&d->refine, &refine, d->q + g * v->m, v->m))
			return 0;
	}
	if (concat_ok)
		ret = emit_plain(c, d, kind, &coarse, &refine);
	else if (c->rel->rank < KT_AXES)
		ret = emit_unit(c, d, kind, &refine);
	else
		return 0;
	return ret == -ERANGE ? 0 : ret ? ret : 1;
}

static void natural_orders(const struct kt_class *c, struct draft *d)
{
	const struct kt_grid *s = &c->rel_of.six.grid, *t = &c->rel_of.dgrid;
	uint32_t a;

	for (a = 0; a < c->rel->rank; a++) {
		if (c->coarse[a]) {
			d->coarse.axis[d->coarse.n] = (uint8_t)a;
			d->coarse.factor[d->coarse.n++] = s->n[a] / t->n[a];
		} else if (c->refine[a]) {
			d->refine.axis[d->refine.n] = (uint8_t)a;
			d->refine.factor[d->refine.n++] = t->n[a] / s->n[a];
		}
	}
}

/*
 * Where consumers do not count up, or regions differ in their number of holders: one op
 * per share of the split, delivered to all who hold that share.
 */
static int try_shares(struct kt_class *c, const struct draft *whole)
{
	const struct kt_comps *v = &whole->comps;
	struct draft d = *whole;
	uint32_t j, g;
	int ret = 1;

	d.comps.m = 1;
	d.n_cons = 0;
	d.comps.dst = malloc(v->n * sizeof(*d.comps.dst));
	if (!d.comps.dst)
		return -ENOMEM;
	for (j = 0; j < v->m && ret == 1; j++) {
		for (g = 0; g < v->n; g++)
			d.comps.dst[g] = v->dst[g * v->m + j];
		d.share = (int)j;
		ret = try_row(c, &d, d.coarse.n ? KT_MOVE_GATHER : KT_MOVE_CONSUME, -1);
	}
	free(d.comps.dst);
	return ret;
}

/* Rows 2 to 4. Return: 1 done, 0 no such ops, or error. */
static int rows_234(struct kt_class *c)
{
	const struct kt_relation *r = &c->rel_of;
	struct draft d = { .share = -1 };
	uint32_t i, reps = r->dst[0].n_owners;
	int ret;

	ret = kt_comps_init(c, &d.comps);
	if (ret)
		return ret;
	natural_orders(c, &d);
	d.p = calloc(r->n_src, sizeof(*d.p));
	d.q = calloc(r->n_dst, sizeof(*d.q));
	d.stamp_p = calloc(2 * (size_t)c->rel->cores, sizeof(*d.stamp_p));
	d.stamp_c = d.stamp_p + c->rel->cores;
	ret = d.p && d.q && d.stamp_p ? 1 : -ENOMEM;
	if (ret == 1 && c->row == KT_ROW_4) {
		ret = try_row(c, &d, KT_MOVE_GATHER, -1);
	} else if (ret == 1) {
		d.n_cons = d.comps.m;
		for (i = 1; i < r->n_dst; i++)
			if (r->dst[i].n_owners != reps)
				ret = 0;
		for (i = 0; i < reps && ret == 1; i++)
			ret = try_row(c, &d, c->row == KT_ROW_3 ? KT_MOVE_ALL_TO_ALL :
				      KT_MOVE_SCATTER, (int)i);
		if (!ret) {
			c->moves.n = 0;
			ret = try_shares(c, &d);
		}
	}
	free(d.p);
	free(d.q);
	free(d.stamp_p);
	return ret;
}

int kt_moves_build(struct kt_class *c)
{
	int ret;

	ret = kt_places_init(&c->places, c->rel, 2u << 20, &c->arena);
	if (ret)
		return ret;
	c->moves.staged_loads = c->rel->side[0].placed && c->rel->side[1].placed;
	if (c->undetermined || c->moves_nothing)
		return 0;
	ret = 0;
	if (!c->fold && c->row == KT_ROW_1)
		ret = kt_moves_row1(c);
	else if (!c->fold && c->row >= KT_ROW_2)
		ret = rows_234(c);
	if (ret)
		return ret < 0 ? ret : 0;
	c->moves.n = 0;
	return c->fold ? kt_moves_fold(c) : kt_moves_enumerate(c);
}
