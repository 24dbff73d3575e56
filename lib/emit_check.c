// SPDX-License-Identifier: MIT
/*
 * Do the deliveries move what the tables say? Judged by the meaning of the ops alone:
 * positions by ascending tile, boxes by the odometer, addresses back to the pieces that
 * lie there. Nothing of how the deliveries were found is used.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "relayout.h"

struct check {
	const struct kt_class *c;
	uint32_t *first_d;	/* per destination piece: first of its holders */
	uint16_t **seen;	/* per holder: how often each edge arrived */
	bool single;		/* no source piece has two owners */
	uint32_t dst, holder;	/* where the last box went */
	bool one_dst;		/* all boxes since it was set went there */
	uint32_t *log, n_log;	/* edges of that piece that arrived since then */
	uint32_t *by_core[2];	/* pieces by core: list of (piece, owner) */
	uint32_t *core_first[2];
};

/* (piece, owner) pairs sorted by core. */
static int index_cores(struct check *k, int side)
{
	const struct kt_part *p = side ? k->c->rel_of.dst : k->c->rel_of.src;
	uint32_t n = side ? k->c->rel_of.n_dst : k->c->rel_of.n_src, i, j, total = 0;
	uint32_t cores = k->c->rel->cores, *first, *list, *fill;

	for (i = 0; i < n; i++)
		total += p[i].n_owners;
	first = calloc((size_t)cores + 1, sizeof(*first));
	fill = calloc((size_t)cores + 1, sizeof(*fill));
	list = calloc(2 * (size_t)total + 2, sizeof(*list));
	k->core_first[side] = first;
	k->by_core[side] = list;
	if (!first || !list || !fill) {
		free(fill);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++)
		for (j = 0; j < p[i].n_owners; j++)
			first[p[i].owners[j] + 1]++;
	for (i = 0; i < cores; i++)
		first[i + 1] += first[i];
	for (i = 0; i < n; i++)
		for (j = 0; j < p[i].n_owners; j++) {
			uint32_t at = first[p[i].owners[j]] + fill[p[i].owners[j]]++;

			list[2 * at] = i;
			list[2 * at + 1] = j;
		}
	free(fill);
	return 0;
}

/*
 * The logical box at an address of a core, and the piece it lies in: steps along tensor
 * axes must be the piece's own strides. False: there is no such piece.
 */
static bool locate(const struct check *k, int side, uint32_t core, uint64_t at,
		   const struct kt_move *m, const uint32_t *size, const uint64_t *stride,
		   uint32_t *piece, uint32_t *owner, struct kte_box *box)
{
	const struct kt_part *all = side ? k->c->rel_of.dst : k->c->rel_of.src;
	const uint8_t *layout = k->c->rel->side[side].layout;
	uint32_t i, a, t, rank = k->c->rel->rank;

	for (i = k->core_first[side][core]; i < k->core_first[side][core + 1]; i++) {
		const struct kt_part *p = &all[k->by_core[side][2 * i]];
		uint64_t st[KT_AXES], base, off;
		bool fits = true;

		*piece = k->by_core[side][2 * i];
		*owner = k->by_core[side][2 * i + 1];
		base = kt_class_addr(k->c, (enum ktdev_side)side, *piece, *owner, &p->box, st);
		if (at < base)
			continue;
		off = at - base;
		memset(box, 0, sizeof(*box));
		for (a = 0; a < rank; a++) {
			uint32_t ax = layout[a];

			box->start[ax] = p->box.start[ax] + (uint32_t)(off / st[ax]);
			fits = fits && off / st[ax] < p->box.size[ax];
			off %= st[ax];
			box->size[ax] = 1;
		}
		for (t = 0; t < m->rank && fits; t++) {
			uint32_t ax = m->axis[t];

			if (ax == KT_UNIT_AXIS) {
				fits = size[t] == 1;
				continue;
			}
			box->size[ax] = size[t];
			fits = (size[t] == 1 || stride[t] == st[ax]) &&
			       (uint64_t)box->start[ax] + size[t] <=
			       (uint64_t)p->box.start[ax] + p->box.size[ax];
		}
		if (fits && !off)
			return true;
	}
	return false;
}

static uint64_t addr_of(const struct kt_tile_addr *at, uint32_t tile)
{
	return at->per_tile ? at->per_tile[tile] : at->base;
}

/* Box of position l of an odometer over the listed axes. */
static void position(const uint8_t *axes, uint32_t n, const uint32_t *factor, uint32_t l,
		     uint32_t *digit)
{
	while (n-- > 0) {
		digit[axes[n]] = l % factor[axes[n]];
		l /= factor[axes[n]];
	}
}

/* Edge of a destination piece that names a source piece. */
static uint32_t find_edge(const struct kt_relation *r, uint32_t dst, uint32_t src)
{
	uint32_t lo = r->first[dst], hi = r->first[dst + 1], mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (r->edge[mid] == src)
			return mid;
		if (r->edge[mid] < src)
			lo = mid + 1;
		else
			hi = mid;
	}
	return KTE_NONE;
}

/* One box from producer lp to consumer lc of a group, through one store. */
static bool check_box(struct check *k, const struct kt_move *m, const struct kt_move_store *s,
		      uint32_t p, uint32_t c, uint32_t lp, uint32_t lc)
{
	uint32_t cf[KT_TAXES], sf[KT_TAXES], cd[KT_TAXES] = {0}, sd[KT_TAXES] = {0}, t, e;
	uint32_t lo[KT_TAXES], size[KT_TAXES], src, so, dst, dk, spart[KT_TAXES];
	uint64_t from, to = addr_of(&s->addr, c), vst[KT_TAXES];
	const struct kt_relation *r = &k->c->rel_of;
	struct kte_box sb, db;

	for (t = 0; t < m->rank; t++)
		cf[t] = sf[t] = 1;
	for (t = 0; t < m->n_split; t++)
		sf[m->split[t]] = m->part[m->split[t]] / m->result[m->split[t]];
	for (t = 0; t < m->n_concat; t++)
		cf[m->concat[t]] = m->result[m->concat[t]] / m->part[m->concat[t]];
	position(m->split, m->n_split, sf, lc, sd);
	position(m->concat, m->n_concat, cf, lp, cd);
	from = addr_of(&m->src, p);
	for (t = 0; t < m->rank; t++) {
		size[t] = m->part[t] / sf[t];
		spart[t] = size[t];
		from += (uint64_t)sd[t] * size[t] * m->sstride[t];
		if (m->select)
			from += m->view_off[t] * m->sstride[t];
		lo[t] = cd[t] * size[t];
		/* a store takes whole boxes of producers, or none of it */
		if (lo[t] + size[t] <= s->start[t] || lo[t] >= s->start[t] + s->size[t])
			return true;
		if (lo[t] < s->start[t] || lo[t] + size[t] > s->start[t] + s->size[t])
			return false;
		to += (uint64_t)(lo[t] - s->start[t]) * s->stride[t];
		vst[t] = s->stride[t];
	}
	if (!locate(k, 0, p, from, m, spart, m->sstride, &src, &so, &sb) ||
	    !locate(k, 1, c, to, m, spart, vst, &dst, &dk, &db) || !kt_boxes_equal(&sb, &db))
		return false;
	if (!k->c->fold && kt_elect(&r->src[src], c, k->c->rel->cores, k->c->elect) != p)
		return false;
	e = find_edge(r, dst, src);
	if (e == KTE_NONE)
		return false;
	k->one_dst = k->one_dst && (k->dst == KTE_NONE || (k->dst == dst && k->holder == dk));
	k->dst = dst;
	k->holder = dk;
	kt_box_cut(&r->src[src].box, &r->dst[dst].box, r->rank, &db);
	if (!kt_boxes_equal(&sb, &db))
		return false;
	if (k->n_log < r->n_edges)
		k->log[k->n_log++] = e - r->first[dst];
	k->seen[k->first_d[dst] + dk][e - r->first[dst]]++;
	return true;
}

/* Everything consumer number i of a group receives. */
static bool check_consumer(struct check *k, const struct kt_move *m, const struct ktdev_group *v,
			   uint32_t i)
{
	uint32_t j, s;

	for (j = 0; j < v->n_producers; j++) {
		uint32_t p = v->producers[j];

		if (m->deps && v->dep[i] != p)
			continue;
		for (s = 0; s < m->n_stores; s++)
			if (!check_box(k, m, &m->stores[s], p, v->consumers[i], m->deps ? 0 : j, i))
				return false;
	}
	return true;
}

/*
 * Does the consumer hold the piece the first one was sent, with every store at the same
 * offset in it? Then it receives the same, as nothing is split and no set chooses.
 */
static bool like_first(const struct check *k, const struct kt_move *m, const struct ktdev_group *v,
		       uint32_t i, uint32_t *holder)
{
	const struct kt_part *d = &k->c->rel_of.dst[k->dst];
	uint64_t st[KT_AXES], a, b;
	uint32_t s, h;

	for (h = *holder; h < d->n_owners && d->owners[h] < v->consumers[i]; h++)
		;
	if (h == d->n_owners || d->owners[h] != v->consumers[i])
		return false;
	a = kt_class_addr(k->c, KTDEV_DESTINATION, k->dst, k->holder, &d->box, st);
	b = kt_class_addr(k->c, KTDEV_DESTINATION, k->dst, h, &d->box, st);
	for (s = 0; s < m->n_stores; s++)
		if (addr_of(&m->stores[s].addr, v->consumers[0]) - a !=
		    addr_of(&m->stores[s].addr, v->consumers[i]) - b)
			return false;
	*holder = h;
	return true;
}

static bool check_group(struct check *k, const struct kt_move *m, const struct ktdev_group *v)
{
	uint32_t i, h = 0, e;
	uint16_t *other;

	k->dst = KTE_NONE;
	k->one_dst = true;
	k->n_log = 0;
	if (!check_consumer(k, m, v, 0))
		return false;
	for (i = 1; i < v->n_consumers; i++) {
		if (!k->single || m->deps || m->n_split || !k->one_dst || k->dst == KTE_NONE ||
		    !like_first(k, m, v, i, &h)) {
			if (!check_consumer(k, m, v, i))
				return false;
			k->one_dst = false;
			continue;
		}
		other = k->seen[k->first_d[k->dst] + h];
		for (e = 0; e < k->n_log; e++)
			other[k->log[e]]++;
	}
	return true;
}

static bool check_move(struct check *k, const struct kt_move *m)
{
	uint32_t g;

	for (g = 0; g < m->n_groups; g++)
		if (!check_group(k, m, &m->groups[g]))
			return false;
	return true;
}

/* Each edge arrived once per holder (folds: once per addend), or lies there already. */
static bool all_arrived(const struct check *k)
{
	const struct kt_relation *r = &k->c->rel_of;
	uint64_t s0[KT_AXES], d0[KT_AXES];
	uint32_t d, h, e, so;
	struct kte_box cut;

	for (d = 0; d < r->n_dst; d++)
		for (h = 0; h < r->dst[d].n_owners; h++)
			for (e = r->first[d]; e < r->first[d + 1]; e++) {
				const struct kt_part *s = &r->src[r->edge[e]];
				uint32_t n = k->seen[k->first_d[d] + h][e - r->first[d]];
				uint64_t from, to;

				if (n == (k->c->fold ? s->n_owners : 1))
					continue;
				if (n || k->c->fold || !kt_part_owned(s, r->dst[d].owners[h]))
					return false;
				if (k->c->moves_nothing)
					continue;
				for (so = 0; s->owners[so] != r->dst[d].owners[h]; so++)
					;
				kt_box_cut(&s->box, &r->dst[d].box, r->rank, &cut);
				from = kt_class_addr(k->c, KTDEV_SOURCE, r->edge[e], so, &cut, s0);
				to = kt_class_addr(k->c, KTDEV_DESTINATION, d, h, &cut, d0);
				if (from != to)
					return false;
			}
	return true;
}

static int alloc_seen(struct check *k, uint16_t **buf)
{
	const struct kt_relation *r = &k->c->rel_of;
	uint32_t d, h, n = 0;
	size_t cells = 0;

	k->first_d = calloc((size_t)r->n_dst + 1, sizeof(*k->first_d));
	if (!k->first_d)
		return -ENOMEM;
	for (d = 0; d < r->n_dst; d++) {
		k->first_d[d] = n;
		n += r->dst[d].n_owners;
		cells += (size_t)r->dst[d].n_owners * (r->first[d + 1] - r->first[d]);
	}
	k->log = calloc((size_t)r->n_edges + 1, sizeof(*k->log));
	k->seen = calloc((size_t)n + 1, sizeof(*k->seen));
	*buf = calloc(cells + 1, sizeof(**buf));
	if (!k->seen || !*buf || !k->log)
		return -ENOMEM;
	cells = 0;
	for (d = 0; d < r->n_dst; d++)
		for (h = 0; h < r->dst[d].n_owners; h++) {
			k->seen[k->first_d[d] + h] = *buf + cells;
			cells += r->first[d + 1] - r->first[d];
		}
	return 0;
}

int kt_moves_check(const struct kt_class *c)
{
	struct check k = { .c = c };
	uint16_t *buf = NULL;
	uint32_t i;
	int ret;

	k.single = true;
	for (i = 0; i < c->rel_of.n_src; i++)
		k.single = k.single && c->rel_of.src[i].n_owners == 1;
	ret = alloc_seen(&k, &buf);
	if (!ret)
		ret = index_cores(&k, 0);
	if (!ret)
		ret = index_cores(&k, 1);
	if (!ret) {
		ret = 1;
		for (i = 0; i < c->moves.n && ret; i++)
			ret = check_move(&k, &c->moves.v[i]);
		ret = ret && all_arrived(&k);
	}
	free(buf);
	free(k.log);
	free(k.seen);
	free(k.first_d);
	for (i = 0; i < 2; i++) {
		free(k.by_core[i]);
		free(k.core_first[i]);
	}
	return ret;
}
