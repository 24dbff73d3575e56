// SPDX-License-Identifier: MIT
/*
 * The relation between two ownership tables: distinct slices per axis, which source
 * pieces meet a destination piece, who sends. Where a side is the product of its slices
 * the answer is an index calculation; any other side is searched along one axis.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "relayout.h"

uint64_t kt_box_volume(const struct kte_box *b, uint32_t rank)
{
	uint64_t v = 1;
	uint32_t a;

	for (a = 0; a < rank; a++)
		v *= b->size[a];
	return v;
}

bool kt_box_cut(const struct kte_box *a, const struct kte_box *b, uint32_t rank,
		struct kte_box *cut)
{
	uint32_t i;

	memset(cut, 0, sizeof(*cut));
	for (i = 0; i < rank; i++) {
		uint32_t lo = a->start[i] > b->start[i] ? a->start[i] : b->start[i];
		uint64_t hi = (uint64_t)a->start[i] + a->size[i];
		uint64_t end = (uint64_t)b->start[i] + b->size[i];

		if (hi > end)
			hi = end;
		if (lo >= hi)
			return false;
		cut->start[i] = lo;
		cut->size[i] = (uint32_t)(hi - lo);
	}
	return true;
}

/* --- slices ------------------------------------------------------------------------------- */

static int slice_order(const struct kt_slice *a, uint32_t start, uint32_t size)
{
	if (a->start != start)
		return a->start < start ? -1 : 1;
	return a->size < size ? -1 : a->size > size;
}

/* Position of a slice in ascending order, or where it belongs. */
static uint32_t find_slice(const struct kt_slice *v, uint32_t n, uint32_t start, uint32_t size,
			   bool *found)
{
	uint32_t lo = 0, hi = n;
	int c;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		c = slice_order(&v[mid], start, size);
		if (!c) {
			*found = true;
			return mid;
		}
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	*found = false;
	return lo;
}

static int collect_slices(struct kt_grid *g, const struct kt_part *p, uint32_t n, uint32_t axis,
			  struct kt_arena *a)
{
	struct kt_slice *v = NULL;
	uint32_t i, cap = 0, cnt = 0, at;
	bool found;

	for (i = 0; i < n; i++) {
		uint32_t start = p[i].box.start[axis], size = p[i].box.size[axis];

		if (cnt && v[cnt - 1].start == start && v[cnt - 1].size == size)
			continue;
		at = find_slice(v, cnt, start, size, &found);
		if (found)
			continue;
		if (cnt == cap) {
			struct kt_slice *more;

			cap = cap ? 4 * cap : 8;
			more = kt_alloc(a, cap * sizeof(*v));
			if (!more)
				return -ENOMEM;
			if (cnt)
				memcpy(more, v, cnt * sizeof(*v));
			v = more;
		}
		memmove(&v[at + 1], &v[at], (cnt - at) * sizeof(*v));
		v[at] = (struct kt_slice){ start, size };
		cnt++;
	}
	g->slices[axis] = v;
	g->n[axis] = cnt;
	return 0;
}

static void judge_slices(struct kt_grid *g, uint32_t axis)
{
	const struct kt_slice *v = g->slices[axis];
	uint32_t i, n = g->n[axis];
	uint64_t end, hi = 0;

	g->disjoint[axis] = true;
	g->tiles[axis] = true;
	g->equal[axis] = true;
	for (i = 0; i < n; i++) {
		end = (uint64_t)v[i].start + v[i].size;
		if (i && v[i].start < hi)
			g->disjoint[axis] = false;
		if (i && v[i].start != hi)
			g->tiles[axis] = false;
		if (v[i].size != v[0].size)
			g->equal[axis] = false;
		if (end > hi)
			hi = end;
	}
	g->lo[axis] = n ? v[0].start : 0;
	g->hi[axis] = (uint32_t)hi;
}

/* Number each piece by its slices; a product has every number once. */
static int number_cells(struct kt_grid *g, const struct kt_part *p, uint32_t n, uint32_t rank,
			struct kt_arena *a)
{
	uint64_t cells = 1;
	uint32_t i, k, at, *cell;
	bool found;

	g->product = false;
	if (!n)
		return 0;
	for (i = 0; i < rank; i++) {
		if (!g->disjoint[i] || __builtin_mul_overflow(cells, g->n[i], &cells) || cells > n)
			return 0;
	}
	if (cells != n)
		return 0;
	cell = kt_alloc(a, n * sizeof(*cell));
	if (!cell)
		return -ENOMEM;
	memset(cell, 0xff, n * sizeof(*cell));
	for (i = 0; i < n; i++) {
		at = 0;
		for (k = 0; k < rank; k++) {
			at *= g->n[k];
			if (g->n[k] > 1)
				at += find_slice(g->slices[k], g->n[k], p[i].box.start[k],
						 p[i].box.size[k], &found);
		}
		if (cell[at] != KTE_NONE)
			return 0;
		cell[at] = i;
	}
	g->cell = cell;
	g->product = true;
	return 0;
}

int kt_grid_init(struct kt_grid *g, const struct kt_part *p, uint32_t n, uint32_t rank,
		 struct kt_arena *a)
{
	uint32_t i;

	memset(g, 0, sizeof(*g));
	for (i = 0; i < rank; i++) {
		if (collect_slices(g, p, n, i, a))
			return -ENOMEM;
		judge_slices(g, i);
	}
	return number_cells(g, p, n, rank, a);
}

void kt_grid_range(const struct kt_grid *g, uint32_t axis, uint32_t lo, uint32_t hi,
		   uint32_t *first, uint32_t *last)
{
	const struct kt_slice *v = g->slices[axis];
	uint32_t a = 0, b = g->n[axis], mid;

	while (a < b) {		/* first slice that ends after lo */
		mid = a + (b - a) / 2;
		if ((uint64_t)v[mid].start + v[mid].size <= lo)
			a = mid + 1;
		else
			b = mid;
	}
	*first = a;
	while (a < g->n[axis] && v[a].start < hi)
		a++;
	*last = a;
}

/* --- look-up ------------------------------------------------------------------------------ */

struct by_start {
	uint32_t start, piece;
};

static int by_start_order(const void *pa, const void *pb)
{
	const struct by_start *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->piece < b->piece ? -1 : a->piece > b->piece;
}

int kt_index_init(struct kt_index *ix, const struct kt_part *p, uint32_t n, uint32_t rank,
		  struct kt_arena *a)
{
	struct by_start *v;
	uint32_t i;

	memset(ix, 0, sizeof(*ix));
	ix->pieces = p;
	ix->n = n;
	ix->rank = rank;
	if (kt_grid_init(&ix->grid, p, n, rank, a))
		return -ENOMEM;
	if (ix->grid.product)
		return 0;
	for (i = 1; i < rank; i++)
		if (ix->grid.n[i] > ix->grid.n[ix->axis])
			ix->axis = i;
	v = malloc((n ? n : 1) * sizeof(*v));
	ix->by_start = kt_alloc(a, (n ? n : 1) * sizeof(*ix->by_start));
	if (!v || !ix->by_start) {
		free(v);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++) {
		v[i] = (struct by_start){ p[i].box.start[ix->axis], i };
		if (p[i].box.size[ix->axis] > ix->longest)
			ix->longest = p[i].box.size[ix->axis];
	}
	qsort(v, n, sizeof(*v), by_start_order);
	for (i = 0; i < n; i++)
		ix->by_start[i] = v[i].piece;
	free(v);
	return 0;
}

static bool meets(const struct kte_box *a, const struct kte_box *b, uint32_t rank)
{
	uint32_t i;

	for (i = 0; i < rank; i++)
		if (a->start[i] >= (uint64_t)b->start[i] + b->size[i] ||
		    b->start[i] >= (uint64_t)a->start[i] + a->size[i])
			return false;
	return true;
}

static int meet_product(const struct kt_index *ix, const struct kte_box *box, kt_meet_fn fn,
			void *ctx)
{
	uint32_t lo[KT_AXES], hi[KT_AXES], at[KT_AXES], a, cell;
	const struct kt_grid *g = &ix->grid;
	int ret;

	for (a = 0; a < ix->rank; a++) {
		kt_grid_range(g, a, box->start[a], box->start[a] + box->size[a], &lo[a], &hi[a]);
		if (lo[a] == hi[a])
			return 0;
		at[a] = lo[a];
	}
	for (;;) {
		cell = 0;
		for (a = 0; a < ix->rank; a++)
			cell = cell * g->n[a] + at[a];
		ret = fn(ctx, g->cell[cell]);
		if (ret)
			return ret;
		for (a = ix->rank; a-- > 0;) {
			if (++at[a] < hi[a])
				break;
			at[a] = lo[a];
		}
		if (a == UINT32_MAX)
			return 0;
	}
}

int kt_index_meet(const struct kt_index *ix, const struct kte_box *box, kt_meet_fn fn, void *ctx)
{
	uint32_t lo = 0, hi = ix->n, mid, i;
	uint64_t from, end;
	int ret;

	if (ix->grid.product)
		return meet_product(ix, box, fn, ctx);
	from = box->start[ix->axis];
	end = from + box->size[ix->axis];
	from = from > ix->longest ? from - ix->longest : 0;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (ix->pieces[ix->by_start[mid]].box.start[ix->axis] < from)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (i = lo; i < ix->n; i++) {
		const struct kt_part *p = &ix->pieces[ix->by_start[i]];

		if (p->box.start[ix->axis] >= end)
			break;
		if (!meets(&p->box, box, ix->rank))
			continue;
		ret = fn(ctx, ix->by_start[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static int first_hit(void *ctx, uint32_t piece)
{
	*(uint32_t *)ctx = piece;
	return 1;
}

bool kt_boxes_push(struct kt_boxes *b, const struct kte_box *box)
{
	if (b->n == b->cap) {
		uint32_t cap = b->cap ? 2 * b->cap : 16;
		struct kte_box *v = realloc(b->v, cap * sizeof(*v));

		if (!v)
			return false;
		b->v = v;
		b->cap = cap;
	}
	b->v[b->n++] = *box;
	return true;
}

bool kt_boxes_push_outside(struct kt_boxes *b, struct kte_box box, const struct kte_box *cut,
			   uint32_t rank)
{
	struct kte_box rest;
	uint32_t a, end;

	for (a = 0; a < rank; a++) {
		rest = box;
		rest.size[a] = cut->start[a] - box.start[a];
		if (rest.size[a] && !kt_boxes_push(b, &rest))
			return false;
		end = cut->start[a] + cut->size[a];
		rest.start[a] = end;
		rest.size[a] = box.start[a] + box.size[a] - end;
		if (rest.size[a] && !kt_boxes_push(b, &rest))
			return false;
		box.start[a] = cut->start[a];
		box.size[a] = cut->size[a];
	}
	return true;
}

/* Cut off what pieces hold until a box is left that none meets. */
int kt_box_hole(const struct kt_index *ix, const struct kte_box *box, uint32_t *at)
{
	struct kt_boxes todo = {0};
	struct kte_box one, cut;
	uint32_t hit;
	int ret = kt_boxes_push(&todo, box) ? 0 : -ENOMEM;

	while (!ret && todo.n) {
		one = todo.v[--todo.n];
		if (!ix->n || !kt_index_meet(ix, &one, first_hit, &hit)) {
			memcpy(at, one.start, sizeof(one.start));
			ret = 1;
			break;
		}
		kt_box_cut(&ix->pieces[hit].box, &one, ix->rank, &cut);
		if (!kt_boxes_push_outside(&todo, one, &cut, ix->rank))
			ret = -ENOMEM;
	}
	free(todo.v);
	return ret;
}

/* --- relation ----------------------------------------------------------------------------- */

struct edges {
	struct kt_arena *a;
	uint32_t *v;
	uint32_t n, cap;
};

#define MAX_EDGES	(1u << 30)

static int grow_edges(struct edges *e)
{
	uint32_t cap = e->cap ? 4 * e->cap : 256;
	uint32_t *more = e->cap < MAX_EDGES ? kt_alloc(e->a, (size_t)cap * sizeof(*more)) : NULL;

	if (!more)
		return -ENOMEM;
	if (e->n)
		memcpy(more, e->v, (size_t)e->n * sizeof(*more));
	e->v = more;
	e->cap = cap;
	return 0;
}

static int add_edge(void *ctx, uint32_t piece)
{
	struct edges *e = ctx;

	if (e->n == e->cap && grow_edges(e))
		return -ENOMEM;
	e->v[e->n++] = piece;
	return 0;
}

static int u32_order(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return a < b ? -1 : a > b;
}

/*
 * All source pieces that meet a box, where the source is a product: no callback, and no
 * sorting, as cells are numbered in the order of pieces.
 */
static int add_product(struct edges *e, const struct kt_index *ix, const struct kte_box *box)
{
	const struct kt_grid *g = &ix->grid;
	uint32_t lo[KT_AXES], n[KT_AXES], at[KT_AXES] = {0}, a, i, cell, last = ix->rank - 1;
	uint64_t total = 1;

	for (a = 0; a < ix->rank; a++) {
		kt_grid_range(g, a, box->start[a], box->start[a] + box->size[a], &lo[a], &n[a]);
		n[a] -= lo[a];
		total *= n[a];
	}
	if (e->n + total > MAX_EDGES)
		return -ENOMEM;
	while (total && e->n + total > e->cap)
		if (grow_edges(e))
			return -ENOMEM;
	while (total) {
		cell = 0;
		for (a = 0; a < ix->rank; a++)
			cell = cell * g->n[a] + lo[a] + at[a];
		for (i = 0; i < n[last]; i++)
			e->v[e->n++] = g->cell[cell + i];
		for (a = last; a-- > 0;) {
			if (++at[a] < n[a])
				break;
			at[a] = 0;
		}
		if (a == UINT32_MAX)
			break;
	}
	return 0;
}

int kt_relation_init(struct kt_relation *r, const struct ktdev_relayout *rel,
		     const struct kt_part *src, uint32_t n_src, const struct kt_part *dst,
		     uint32_t n_dst, struct kt_arena *a)
{
	struct edges e = { .a = a };
	uint32_t i, k;

	memset(r, 0, sizeof(*r));
	r->rel = rel;
	r->src = src;
	r->dst = dst;
	r->n_src = n_src;
	r->n_dst = n_dst;
	r->rank = rel->rank;
	if (kt_index_init(&r->six, src, n_src, rel->rank, a) ||
	    kt_grid_init(&r->dgrid, dst, n_dst, rel->rank, a))
		return -ENOMEM;
	r->first = kt_alloc(a, ((size_t)n_dst + 1) * sizeof(*r->first));
	if (!r->first)
		return -ENOMEM;
	for (i = 0; i < n_dst; i++) {
		r->first[i] = e.n;
		if (r->six.grid.product) {
			if (add_product(&e, &r->six, &dst[i].box))
				return -ENOMEM;
			continue;
		}
		if (kt_index_meet(&r->six, &dst[i].box, add_edge, &e))
			return -ENOMEM;
		for (k = r->first[i] + 1; k < e.n; k++)
			if (e.v[k] < e.v[k - 1]) {
				qsort(e.v + r->first[i], e.n - r->first[i], sizeof(*e.v),
				      u32_order);
				break;
			}
	}
	r->first[n_dst] = e.n;
	r->edge = e.v;
	r->n_edges = e.n;
	return 0;
}

/* --- who sends ---------------------------------------------------------------------------- */

bool kt_part_owned(const struct kt_part *p, uint32_t core)
{
	uint32_t lo = 0, hi = p->n_owners, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (p->owners[mid] == core)
			return true;
		if (p->owners[mid] < core)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

uint32_t kt_elect(const struct kt_part *p, uint32_t consumer, uint32_t cores,
		  enum ktdev_elect elect)
{
	uint32_t i, d, best = KT_NO_CORE, dist = UINT32_MAX;

	if (p->n_owners == 1)
		return p->owners[0];
	if (kt_part_owned(p, consumer))
		return consumer;
	if (elect == KTDEV_ELECT_LOWEST)
		return p->owners[0];
	if (elect == KTDEV_ELECT_NONE)
		return KT_NO_CORE;
	for (i = 0; i < p->n_owners; i++) {
		d = p->owners[i] > consumer ? p->owners[i] - consumer : consumer - p->owners[i];
		if (cores - d < d)
			d = cores - d;
		if (d < dist) {
			dist = d;
			best = p->owners[i];
		}
	}
	return best;
}
