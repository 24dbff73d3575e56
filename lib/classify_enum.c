// SPDX-License-Identifier: MIT
/*
 * Deliveries built from single transfers: relocation and broadcast of whole regions
 * (row 1), and one consume per kind of transfer for everything a row's op cannot say.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "classify.h"

#define MAX_TRANSFERS	(1u << 19)

/* A producer-consumer pair. */
struct pair {
	uint32_t p, c;
};

static int by_consumer(const void *pa, const void *pb)
{
	const struct pair *a = pa, *b = pb;

	if (a->c != b->c)
		return a->c < b->c ? -1 : 1;
	return a->p < b->p ? -1 : a->p > b->p;
}

static int by_producer(const void *pa, const void *pb)
{
	const struct pair *a = pa, *b = pb;

	if (a->p != b->p)
		return a->p < b->p ? -1 : 1;
	return a->c < b->c ? -1 : a->c > b->c;
}

static int u32_order(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return a < b ? -1 : a > b;
}

static uint32_t sort_distinct(uint32_t *v, uint32_t n)
{
	uint32_t i, k = 0;

	qsort(v, n, sizeof(*v), u32_order);
	for (i = 0; i < n; i++)
		if (!k || v[k - 1] != v[i])
			v[k++] = v[i];
	return k;
}

/* A group of pairs with distinct consumers: sorted sets and who takes from whom. */
static int group_of(struct kt_class *c, struct pair *v, uint32_t n, struct ktdev_group *out)
{
	uint32_t *ids = kt_alloc(&c->arena, 3 * (size_t)n * sizeof(*ids)), i;

	if (!ids)
		return -ENOMEM;
	qsort(v, n, sizeof(*v), by_consumer);
	for (i = 0; i < n; i++) {
		ids[i] = v[i].p;
		ids[n + i] = v[i].c;
		ids[2 * n + i] = v[i].p;
	}
	out->n_producers = sort_distinct(ids, n);
	out->producers = ids;
	out->n_consumers = n;
	out->consumers = ids + n;
	out->dep = ids + 2 * n;
	return 0;
}

/* Groups without a choice need no dependency. */
static void settle_deps(struct kt_move *m)
{
	uint32_t g;

	for (g = 0; g < m->n_groups; g++)
		m->deps = m->deps || m->groups[g].n_producers > 1;
	for (g = 0; !m->deps && g < m->n_groups; g++)
		m->groups[g].dep = NULL;
}

/* --- row 1 -------------------------------------------------------------------------------- */

/*
 * The axis whose digit runs inside one group of a bijection: the one with the smallest
 * core stride on the destination side, where the owners are a radix map. -1: they are not.
 */
static int merge_axis(const struct kt_class *c)
{
	const struct kt_grid *g = &c->rel_of.dgrid;
	uint32_t at[KT_AXES] = {0}, i, a, cells[KT_AXES + 1];
	int64_t stride[KT_AXES] = {0}, base, core;
	int best = -1;

	cells[c->rel->rank] = 1;
	for (a = c->rel->rank; a-- > 0;)
		cells[a] = cells[a + 1] * g->n[a];
	base = c->rel_of.dst[g->cell[0]].owners[0];
	for (a = 0; a < c->rel->rank; a++)
		if (g->n[a] > 1)
			stride[a] = (int64_t)c->rel_of.dst[g->cell[cells[a + 1]]].owners[0] - base;
	for (i = 0; i < c->rel_of.n_dst; i++) {
		core = base;
		for (a = 0; a < c->rel->rank; a++)
			core += stride[a] * at[a];
		if (core != c->rel_of.dst[g->cell[i]].owners[0])
			return -1;
		for (a = c->rel->rank; a-- > 0;) {
			if (++at[a] < g->n[a])
				break;
			at[a] = 0;
		}
	}
	for (a = 0; a < c->rel->rank; a++)
		if (g->n[a] > 1 && (best < 0 || llabs(stride[a]) < llabs(stride[best])))
			best = (int)a;
	return best;
}

/*
 * Loads of a consume of whole regions: only where a holder is somebody's producer, as one
 * that is not may be the producer of another region. @all: the pairs, in order of regions.
 * Return: 1, 0 (strides differ), -ENOMEM.
 */
static int place_loads(struct kt_class *c, struct kt_move *m, const struct pair *all, uint64_t *s0)
{
	const struct kt_relation *r = &c->rel_of;
	uint32_t *of = calloc(c->rel->cores, sizeof(*of)), i, k;	/* core: region + 1 */
	uint64_t st[KT_AXES] = {0}, at;
	bool first = true;
	int ret = of ? 1 : -ENOMEM;

	m->src.per_tile = NULL;
	for (i = 0; ret == 1 && i < r->n_dst; i++) {
		uint32_t s = r->edge[r->first[i]];

		for (k = 0; k < r->dst[i].n_owners; k++)
			of[(all++)->p] = i + 1;
		for (k = 0; ret == 1 && k < r->src[s].n_owners; k++) {
			if (of[r->src[s].owners[k]] != i + 1)
				continue;
			at = kt_class_addr(c, KTDEV_SOURCE, s, k, &r->src[s].box, first ? s0 : st);
			if (first)
				m->src.base = at;
			else if (memcmp(st, s0, c->rel->rank * sizeof(*st)))
				ret = 0;
			first = false;
			if (ret == 1 && kt_tile_addr_set(c, &m->src, r->src[s].owners[k], at))
				ret = -ENOMEM;
		}
	}
	free(of);
	return ret;
}

/*
 * Shape, load and store of a consume of whole regions. Return: 1, 0 (places differ too
 * much), -ENOMEM.
 */
static int place_regions(struct kt_class *c, struct kt_move *m, const struct pair *all)
{
	const struct kt_relation *r = &c->rel_of;
	uint64_t s0[KT_AXES] = {0}, d0[KT_AXES] = {0}, st[KT_AXES] = {0}, at;
	uint32_t i, k, a;
	int ret;

	m->rank = c->rel->rank;
	m->n_stores = 1;
	m->stores = kt_alloc(&c->arena, sizeof(*m->stores));
	ret = m->stores ? place_loads(c, m, all, s0) : -ENOMEM;
	if (ret != 1)
		return ret;
	for (i = 0; i < r->n_dst; i++) {
		for (k = 0; k < r->dst[i].n_owners; k++) {
			at = kt_class_addr(c, KTDEV_DESTINATION, i, k, &r->dst[i].box,
					   i || k ? st : d0);
			if (!i && !k)
				m->stores->addr.base = at;
			if (kt_tile_addr_set(c, &m->stores->addr, r->dst[i].owners[k], at))
				return -ENOMEM;
		}
	}
	for (a = 0; a < c->rel->rank; a++) {
		m->axis[a] = (uint8_t)a;
		m->part[a] = m->result[a] = m->stores->size[a] = r->dst[0].box.size[a];
		m->sstride[a] = s0[a];
		m->stores->stride[a] = d0[a];
	}
	return 1;
}

/* Groups of a bijection: components merged along one digit, or all in one. */
static int merged_groups(struct kt_class *c, struct kt_move *m, struct pair *all)
{
	const struct kt_grid *g = &c->rel_of.dgrid;
	uint32_t n = c->rel_of.n_dst, per = n, step = 1, i, k, out = 0;
	int axis = merge_axis(c), ret = 0;
	struct pair *v = malloc(n * sizeof(*v));
	uint32_t a;

	if (!v)
		return -ENOMEM;
	if (axis >= 0) {
		per = g->n[axis];
		for (a = (uint32_t)axis + 1; a < c->rel->rank; a++)
			step *= g->n[a];
	}
	m->groups = kt_alloc(&c->arena, (n / per) * sizeof(*m->groups));
	if (!m->groups)
		ret = -ENOMEM;
	for (i = 0; i < n && !ret; i++) {
		if (axis >= 0 ? i / step % per != 0 : i != 0)
			continue;
		for (k = 0; k < per; k++)
			v[k] = all[g->cell[i + k * step]];
		ret = group_of(c, v, per, &m->groups[out++]);
	}
	m->n_groups = out;
	free(v);
	return ret;
}

/* One group per region: its producers (several only for replicas) and its holders. */
static int region_groups(struct kt_class *c, struct kt_move *m, struct pair *all)
{
	const struct kt_relation *r = &c->rel_of;
	uint32_t i, at = 0;
	int ret = 0;

	m->groups = kt_alloc(&c->arena, r->n_dst * sizeof(*m->groups));
	m->n_groups = r->n_dst;
	for (i = 0; m->groups && !ret && i < r->n_dst; at += r->dst[i++].n_owners)
		ret = group_of(c, all + at, r->dst[i].n_owners, &m->groups[i]);
	return m->groups ? ret : -ENOMEM;
}

/* Each tile in one group per side? */
static int tiles_once(const struct kt_class *c, const struct kt_move *m, bool *once)
{
	uint32_t *seen = calloc(2 * (size_t)c->rel->cores, sizeof(*seen)), g, k;

	if (!seen)
		return -ENOMEM;
	*once = true;
	for (g = 0; g < m->n_groups; g++) {
		for (k = 0; k < m->groups[g].n_producers; k++)
			if (seen[m->groups[g].producers[k]]++)
				*once = false;
		for (k = 0; k < m->groups[g].n_consumers; k++)
			if (seen[c->rel->cores + m->groups[g].consumers[k]]++)
				*once = false;
	}
	free(seen);
	return 0;
}

int kt_moves_row1(struct kt_class *c)
{
	const struct kt_relation *r = &c->rel_of;
	uint32_t i, k, n = 0, total = 0;
	struct kt_move *m = kt_moves_add(c);
	bool single = true, once = false;
	struct pair *all;
	int ret;

	for (i = 0; i < r->n_dst; i++)
		total += r->dst[i].n_owners;
	all = malloc(((size_t)total + 1) * sizeof(*all));
	if (!m || !all) {
		free(all);
		return -ENOMEM;
	}
	m->kind = KT_MOVE_CONSUME;
	for (i = 0; i < r->n_dst; i++) {
		single = single && r->dst[i].n_owners == 1;
		for (k = 0; k < r->dst[i].n_owners; k++, n++)
			all[n] = (struct pair){ kt_elect(&r->src[r->edge[r->first[i]]],
							 r->dst[i].owners[k], c->rel->cores,
							 c->elect), r->dst[i].owners[k] };
	}
	ret = place_regions(c, m, all);
	if (ret == 1) {
		ret = single && r->n_dst > 1 ? merged_groups(c, m, all) : region_groups(c, m, all);
		if (!ret)
			ret = tiles_once(c, m, &once);
		settle_deps(m);
		/* a merged group may name one producer for several regions */
		for (i = 0; single && r->n_dst > 1 && once && i < m->n_groups; i++)
			once = m->groups[i].n_producers == m->groups[i].n_consumers;
		ret = ret ? ret : once;
	}
	free(all);
	return ret;
}

/* --- any copy ----------------------------------------------------------------------------- */

#define XFER_KEY	offsetof(struct kt_xfer, p)

static int xfer_order(const void *pa, const void *pb)
{
	const struct kt_xfer *a = pa, *b = pb;
	int k = memcmp(a, b, XFER_KEY);

	if (k)
		return k;
	if (a->c != b->c)
		return a->c < b->c ? -1 : 1;
	return a->p < b->p ? -1 : a->p > b->p;
}

void kt_xfer_fill(const struct kt_class *c, struct kt_xfer *x, uint32_t s, uint32_t so,
		      uint32_t d, uint32_t dk, const struct kte_box *cut)
{
	const struct kt_relation *r = &c->rel_of;
	uint64_t st[KT_AXES];
	uint32_t a;

	memset(x, 0, sizeof(*x));
	x->saddr = kt_class_addr(c, KTDEV_SOURCE, s, so, cut, st);
	for (a = 0; a < r->rank; a++) {
		x->size[a] = cut->size[a];
		x->sstride[a] = cut->size[a] > 1 ? st[a] : 0;
	}
	x->daddr = kt_class_addr(c, KTDEV_DESTINATION, d, dk, cut, st);
	for (a = 0; a < r->rank; a++)
		x->dstride[a] = cut->size[a] > 1 ? st[a] : 0;
	x->p = r->src[s].owners[so];
	x->c = r->dst[d].owners[dk];
}

/* Every transfer that is not a box onto its own bytes. */
static int list_xfers(const struct kt_class *c, struct kt_xfer **out, uint32_t *n)
{
	const struct kt_relation *r = &c->rel_of;
	uint32_t d, e, k, so, total = 0;
	struct kte_box cut;
	struct kt_xfer *v;

	for (d = 0; d < r->n_dst; d++) {
		uint64_t more = (uint64_t)r->dst[d].n_owners * (r->first[d + 1] - r->first[d]);

		if (more > MAX_TRANSFERS - total)
			return -ERANGE;
		total += (uint32_t)more;
	}
	v = malloc(((size_t)total + 1) * sizeof(*v));
	if (!v)
		return -ENOMEM;
	*n = 0;
	for (d = 0; d < r->n_dst; d++)
		for (e = r->first[d]; e < r->first[d + 1]; e++) {
			const struct kt_part *s = &r->src[r->edge[e]];

			kt_box_cut(&s->box, &r->dst[d].box, r->rank, &cut);
			for (k = 0; k < r->dst[d].n_owners; k++) {
				struct kt_xfer *x = &v[*n];
				uint32_t p = kt_elect(s, r->dst[d].owners[k], c->rel->cores,
						      c->elect);

				for (so = 0; s->owners[so] != p; so++)
					;
				kt_xfer_fill(c, x, r->edge[e], so, d, k, &cut);
				if (x->p != x->c || x->saddr != x->daddr ||
				    memcmp(x->sstride, x->dstride, sizeof(x->sstride)))
					(*n)++;
			}
		}
	*out = v;
	return 0;
}

int kt_xfer_shape(struct kt_class *c, struct kt_move *m, const struct kt_xfer *x)
{
	uint32_t a;

	m->rank = c->rel->rank;
	m->src.base = x->saddr;
	m->n_stores = 1;
	m->stores = kt_alloc(&c->arena, sizeof(*m->stores));
	if (!m->stores)
		return -ENOMEM;
	m->stores->addr.base = x->daddr;
	for (a = 0; a < m->rank; a++) {
		m->axis[a] = (uint8_t)a;
		m->part[a] = m->result[a] = m->stores->size[a] = x->size[a];
		m->sstride[a] = x->sstride[a] ? x->sstride[a] : c->rel->elem_bytes;
		m->stores->stride[a] = x->dstride[a] ? x->dstride[a] : c->rel->elem_bytes;
	}
	return 0;
}

/*
 * Pairs of one kind: a bijection is one group with a dependency set, else one group per
 * producer.
 */
static int pair_groups(struct kt_class *c, struct kt_move *m, struct pair *v, uint32_t n)
{
	uint32_t i, k, g = 0;
	int ret = 0;

	qsort(v, n, sizeof(*v), by_producer);
	for (i = 1; i < n; i++)
		if (v[i].p == v[i - 1].p)
			break;
	if (i >= n && n > 1) {
		m->groups = kt_alloc(&c->arena, sizeof(*m->groups));
		m->n_groups = 1;
		if (!m->groups)
			return -ENOMEM;
		ret = group_of(c, v, n, m->groups);
		settle_deps(m);
		return ret;
	}
	m->groups = kt_alloc(&c->arena, n * sizeof(*m->groups));
	for (i = 0; m->groups && i < n && !ret; i = k) {
		for (k = i; k < n && v[k].p == v[i].p; k++)
			;
		ret = group_of(c, v + i, k - i, &m->groups[g++]);
	}
	m->n_groups = g;
	settle_deps(m);
	return m->groups ? ret : -ENOMEM;
}

int kt_moves_enumerate(struct kt_class *c)
{
	struct kt_xfer *v = NULL;
	struct pair *pairs;
	uint32_t n = 0, i, k, j, cnt;
	int ret;

	ret = list_xfers(c, &v, &n);
	if (ret)
		return ret;
	pairs = malloc(((size_t)n + 1) * sizeof(*pairs));
	if (!pairs)
		ret = -ENOMEM;
	qsort(v, n, sizeof(*v), xfer_order);
	for (i = 0; i < n && !ret; i = k) {
		struct kt_move *m = kt_moves_add(c);

		cnt = 0;
		for (k = i; k < n && !memcmp(&v[k], &v[i], XFER_KEY); k++)
			pairs[cnt++] = (struct pair){ v[k].p, v[k].c };
		for (j = 1; j < cnt && !ret; j++)
			if (pairs[j].c == pairs[j - 1].c)
				ret = -ERANGE;	/* two destination pieces at one place */
		if (!m)
			ret = -ENOMEM;
		if (ret)
			break;
		m->kind = KT_MOVE_CONSUME;
		ret = kt_xfer_shape(c, m, &v[i]);
		if (!ret)
			ret = pair_groups(c, m, pairs, cnt);
	}
	free(v);
	free(pairs);
	return ret;
}
