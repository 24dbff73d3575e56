// SPDX-License-Identifier: MIT
/*
 * Folds of contributions: one reduce_scatter where a division is refined, else one reduce
 * (or reduce_scatter into a single share, where the receiver adds nothing) per region.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "classify.h"

/* --- reduce_scatter of a division --------------------------------------------------------- */

/* A refined division whose regions have equally many addends, and the order of its shares. */
struct split {
	struct kt_comps comps;
	struct kt_odometer natural, order;
	struct kt_tile_region *q;	/* consumers of one replica, n * m */
};

/* Addends of different regions on different cores, equally many; holders too. */
static bool even(const struct kt_class *c, uint32_t *seen)
{
	const struct kt_relation *r = &c->rel_of;
	uint32_t i, k;

	for (i = 0; i < r->n_src; i++) {
		if (r->src[i].n_owners != r->src[0].n_owners)
			return false;
		for (k = 0; k < r->src[i].n_owners; k++)
			if (seen[r->src[i].owners[k]]++)
				return false;
	}
	for (i = 0; i < r->n_dst; i++)
		if (r->dst[i].n_owners != r->dst[0].n_owners)
			return false;
	return true;
}

/* Consumers of one replica, by tile; false where they do not count up or repeat. */
static bool consumers(const struct kt_class *c, struct split *s, uint32_t replica, uint32_t *seen)
{
	const struct kt_comps *v = &s->comps;
	uint32_t g, k;

	for (g = 0; g < v->n; g++) {
		for (k = 0; k < v->m; k++) {
			uint32_t core = c->rel_of.dst[v->dst[g * v->m + k]].owners[replica];

			if (seen[core]++)
				return false;
			s->q[g * v->m + k] = (struct kt_tile_region){ core, k };
		}
		kt_sort_tiles(s->q + g * v->m, v->m);
	}
	if (!kt_odometer_find(&s->natural, s->q, v->m, &s->order))
		return false;
	for (g = 0; g < v->n; g++)
		if (!kt_odometer_holds(&s->natural, &s->order, s->q + g * v->m, v->m))
			return false;
	return true;
}

static int split_groups(struct kt_class *c, struct kt_move *m, const struct split *s)
{
	const struct kt_comps *v = &s->comps;
	uint32_t g, k, *ids;

	m->groups = kt_alloc(&c->arena, v->n * sizeof(*m->groups));
	if (!m->groups)
		return -ENOMEM;
	m->n_groups = v->n;
	for (g = 0; g < v->n; g++) {
		const struct kt_part *p = &c->rel_of.src[v->src[g]];

		ids = kt_alloc(&c->arena, v->m * sizeof(*ids));
		if (!ids)
			return -ENOMEM;
		for (k = 0; k < v->m; k++)
			ids[k] = s->q[g * v->m + k].tile;
		m->groups[g] = (struct ktdev_group){ p->n_owners, v->m, p->owners, ids, NULL };
	}
	return 0;
}

/* Where addends and shares lie. Return: 0, -ERANGE (strides differ), -ENOMEM. */
static int split_places(struct kt_class *c, struct kt_move *m, const struct split *s)
{
	const struct kt_comps *v = &s->comps;
	uint64_t s0[KT_AXES] = {0}, d0[KT_AXES] = {0}, st[KT_AXES] = {0}, at;
	uint32_t g, k, i, o;
	int ret = 0;

	for (g = 0; g < v->n; g++) {
		const struct kt_part *p = &c->rel_of.src[v->src[g]];

		for (k = 0; k < p->n_owners && !ret; k++) {
			at = kt_class_addr(c, KTDEV_SOURCE, v->src[g], k, &p->box, 
					   g || k ? st : s0);
			if (!g && !k)
				m->src.base = at;
			else if (memcmp(st, s0, c->rel->rank * sizeof(*st)))
				return -ERANGE;
			ret = kt_tile_addr_set(c, &m->src, p->owners[k], at);
		}
		for (k = 0; k < v->m && !ret; k++) {
			uint32_t d = v->dst[g * v->m + s->q[g * v->m + k].region];
			uint32_t tile = s->q[g * v->m + k].tile;

			for (o = 0; c->rel_of.dst[d].owners[o] != tile; o++)
				;
			at = kt_class_addr(c, KTDEV_DESTINATION, d, o, &c->rel_of.dst[d].box,
					   g || k ? st : d0);
			if (!g && !k)
				m->stores->addr.base = at;
			ret = kt_tile_addr_set(c, &m->stores->addr, tile, at);
		}
	}
	for (i = 0; i < m->rank; i++) {
		m->sstride[i] = s0[m->axis[i]];
		m->stores->stride[i] = d0[m->axis[i]];
	}
	return ret;
}

static int split_move(struct kt_class *c, const struct split *s)
{
	const struct kte_box *whole = &c->rel_of.src[s->comps.src[0]].box;
	const struct kte_box *share = &c->rel_of.dst[s->comps.dst[0]].box;
	struct kt_move *m = kt_moves_add(c);
	uint32_t a, i = 0;
	int ret;

	if (!m)
		return -ENOMEM;
	m->kind = KT_MOVE_REDUCE_SCATTER;
	m->rank = c->rel->rank;
	m->n_stores = 1;
	m->stores = kt_alloc(&c->arena, sizeof(*m->stores));
	if (!m->stores)
		return -ENOMEM;
	for (a = 0; a < m->rank; a++) {
		m->axis[a] = (uint8_t)a;
		if (c->refine[a]) {
			m->axis[a] = s->order.axis[i++];
			m->split[m->n_split++] = (uint8_t)a;
		}
		m->part[a] = whole->size[m->axis[a]];
		m->result[a] = m->stores->size[a] = share->size[m->axis[a]];
	}
	ret = split_groups(c, m, s);
	return ret ? ret : split_places(c, m, s);
}

/* One reduce_scatter per holder of a share. Return: 1, 0 (there is no such op), -ENOMEM. */
static int fold_split(struct kt_class *c)
{
	const struct kt_relation *r = &c->rel_of;
	uint32_t *seen = calloc(2 * (size_t)c->rel->cores, sizeof(*seen)), a, i;
	struct split s = { .natural = { .n = 0 } };
	int ret = seen ? kt_comps_init(c, &s.comps) : -ENOMEM;

	for (a = 0; a < c->rel->rank; a++)
		if (c->refine[a]) {
			s.natural.axis[s.natural.n] = (uint8_t)a;
			s.natural.factor[s.natural.n++] = r->dgrid.n[a] / r->six.grid.n[a];
		}
	s.q = malloc(r->n_dst * sizeof(*s.q));
	if (!s.q)
		ret = -ENOMEM;
	if (!ret)
		ret = even(c, seen);
	for (i = 0; ret == 1 && i < r->dst[0].n_owners; i++) {
		memset(seen, 0, c->rel->cores * sizeof(*seen));
		ret = consumers(c, &s, i, seen);
		if (ret) {
			ret = split_move(c, &s);
			ret = ret == -ERANGE ? 0 : ret ? ret : 1;
		}
	}
	free(seen);
	free(s.q);
	return ret;
}

/* --- any fold ----------------------------------------------------------------------------- */

#define MAX_FOLDS	(1u << 14)	/* each looks for room in all ops before it */

/* One fold: the owners of a source piece into one holder, or into all of them. */
struct fold_unit {
	uint32_t s, d, holder;	/* holder: KT_NO_CORE when the holders are the owners */
	struct kte_box cut;
};

static bool fits(const struct kt_class *c, const struct kt_move *m, const struct kt_xfer *x,
		 uint32_t n_p, bool all)
{
	uint32_t a;

	if (m->groups[0].n_producers != n_p || (m->groups[0].n_consumers > 1) != all)
		return false;
	for (a = 0; a < c->rel->rank; a++)
		if (m->part[a] != x->size[a] ||
		    (x->size[a] > 1 && (m->sstride[a] != x->sstride[a] ||
					m->stores->stride[a] != x->dstride[a])))
			return false;
	return true;
}

static bool tiles_free(const struct kt_move *m, const struct kt_part *s, const uint32_t *cons,
		       uint32_t n_cons)
{
	uint32_t g, i;

	for (g = 0; g < m->n_groups; g++) {
		for (i = 0; i < m->groups[g].n_producers; i++)
			if (kt_part_owned(s, m->groups[g].producers[i]))
				return false;
		for (i = 0; i < m->groups[g].n_consumers; i++) {
			uint32_t k;

			for (k = 0; k < n_cons; k++)
				if (cons[k] == m->groups[g].consumers[i])
					return false;
		}
	}
	return true;
}

/* Put a fold into the first op that takes it, or a new one. */
static int add_fold(struct kt_class *c, const struct fold_unit *u)
{
	const struct kt_part *s = &c->rel_of.src[u->s], *d = &c->rel_of.dst[u->d];
	bool all = u->holder == KT_NO_CORE;
	uint32_t n_cons = all ? d->n_owners : 1, first = all ? 0 : u->holder, i, k;
	const uint32_t *cons = d->owners + first;
	struct kt_move *m = NULL;
	struct ktdev_group *g;
	uint64_t st[KT_AXES];
	struct kt_xfer x;
	int ret = 0;

	kt_xfer_fill(c, &x, u->s, 0, u->d, first, &u->cut);
	for (i = 0; i < c->moves.n && !m; i++)
		if (fits(c, &c->moves.v[i], &x, s->n_owners, all && n_cons > 1) &&
		    tiles_free(&c->moves.v[i], s, cons, n_cons))
			m = &c->moves.v[i];
	if (!m) {
		m = kt_moves_add(c);
		if (!m || kt_xfer_shape(c, m, &x))
			return -ENOMEM;
		m->groups = kt_alloc(&c->arena, c->rel->cores * sizeof(*m->groups));
		if (!m->groups)
			return -ENOMEM;
	}
	g = &m->groups[m->n_groups++];
	g->producers = s->owners;
	g->n_producers = s->n_owners;
	g->consumers = cons;
	g->n_consumers = n_cons;
	for (k = 0; k < s->n_owners && !ret; k++)
		ret = kt_tile_addr_set(c, &m->src, s->owners[k],
				       kt_class_addr(c, KTDEV_SOURCE, u->s, k, &u->cut, st));
	for (k = 0; k < n_cons && !ret; k++)
		ret = kt_tile_addr_set(c, &m->stores->addr, cons[k],
				       kt_class_addr(c, KTDEV_DESTINATION, u->d, first + k,
						     &u->cut, st));
	return ret;
}

/* reduce wants its consumers among the producers; else a reduce_scatter into one share. */
static void fold_kind(struct kt_move *m)
{
	uint32_t g, i, k;
	bool inside = true;

	for (g = 0; g < m->n_groups; g++)
		for (i = 0; i < m->groups[g].n_consumers && inside; i++) {
			for (k = 0; k < m->groups[g].n_producers; k++)
				if (m->groups[g].producers[k] == m->groups[g].consumers[i])
					break;
			inside = k < m->groups[g].n_producers;
		}
	m->kind = inside ? KT_MOVE_REDUCE : KT_MOVE_REDUCE_SCATTER;
	if (!inside) {
		m->split[0] = 0;
		m->n_split = 1;
	}
}

int kt_moves_fold(struct kt_class *c)
{
	const struct kt_relation *r = &c->rel_of;
	uint64_t units = 0;
	struct fold_unit u;
	uint32_t e, k;
	int ret;

	if (c->row == KT_ROW_2) {
		ret = fold_split(c);
		if (ret)
			return ret < 0 ? ret : 0;
		c->moves.n = 0;
	}
	for (u.d = 0; u.d < r->n_dst; u.d++)
		units += (uint64_t)r->dst[u.d].n_owners * (r->first[u.d + 1] - r->first[u.d]);
	if (units > MAX_FOLDS)
		return -ERANGE;
	ret = 0;
	for (u.d = 0; u.d < r->n_dst; u.d++)
		for (e = r->first[u.d]; e < r->first[u.d + 1] && !ret; e++) {
			const struct kt_part *s = &r->src[r->edge[e]], *d = &r->dst[u.d];

			u.s = r->edge[e];
			kt_box_cut(&s->box, &d->box, r->rank, &u.cut);
			if (s->n_owners == d->n_owners &&
			    !memcmp(s->owners, d->owners, s->n_owners * sizeof(*s->owners))) {
				u.holder = KT_NO_CORE;
				ret = add_fold(c, &u);
				continue;
			}
			for (k = 0; k < d->n_owners && !ret; k++) {
				u.holder = k;
				ret = add_fold(c, &u);
			}
		}
	for (k = 0; k < c->moves.n; k++)
		fold_kind(&c->moves.v[k]);
	return ret;
}
