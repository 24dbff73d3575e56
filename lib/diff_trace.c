// SPDX-License-Identifier: MIT
/*
 * Tracing a plan: step by step, every destination byte is given the origin its source
 * byte had before the step. Images are decoded by their definition; the engine's code is
 * not used.
 */
#include "diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "box.h"

void kt_trace_fini(struct kt_trace *t)
{
	free(t->v);
	free(t->folds);
	kt_arena_fini(&t->arena);
	memset(t, 0, sizeof(*t));
}

static int push(struct kt_trace *t, const struct kt_trace_run *r)
{
	struct kt_trace_run *last = t->n ? &t->v[t->n - 1] : NULL;

	if (last && !last->fold && !r->fold && last->tile == r->tile && last->otile == r->otile &&
	    last->addr + last->len == r->addr && last->oaddr + last->len == r->oaddr) {
		last->len += r->len;
		return 0;
	}
	if (t->n == t->cap) {
		uint32_t cap = t->cap ? 2 * t->cap : 256;
		void *v;

		if (cap > KT_TRACE_MAX_RUNS)
			return -E2BIG;
		v = realloc(t->v, cap * sizeof(*t->v));
		if (!v)
			return -ENOMEM;
		t->v = v;
		t->cap = cap;
	}
	t->v[t->n++] = *r;
	return 0;
}

static int run_order(const void *pa, const void *pb)
{
	const struct kt_trace_run *a = pa, *b = pb;

	if (a->tile != b->tile)
		return a->tile < b->tile ? -1 : 1;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* First run that ends behind addr of a tile. */
static uint32_t find_run(const struct kt_trace *t, uint32_t tile, uint64_t addr)
{
	uint32_t lo = 0, hi = t->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (t->v[mid].tile < tile ||
		    (t->v[mid].tile == tile && t->v[mid].addr + t->v[mid].len <= addr))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The origins of bytes [addr, addr + len): calls push for pieces of to's range. */
static int resolve(const struct kt_trace *old, struct kt_trace *out, struct kt_trace_run to,
		   uint32_t tile, uint64_t addr)
{
	uint32_t i = find_run(old, tile, addr);
	uint64_t left = to.len, n;
	int ret = 0;

	while (left && !ret) {
		const struct kt_trace_run *r = i < old->n && old->v[i].tile == tile ? &old->v[i] :
									     NULL;
		if (r && r->addr <= addr) {
			n = r->addr + r->len - addr;
			to.len = n < left ? n : left;
			to.otile = r->otile;
			to.oaddr = r->oaddr + (addr - r->addr);
			to.fold = r->fold;
			if (r->fold && addr != r->addr)
				return -EOPNOTSUPP;
			i++;
		} else {
			n = r ? r->addr - addr : left;
			to.len = n < left ? n : left;
			to.otile = tile;
			to.oaddr = addr;
			to.fold = 0;
		}
		ret = push(out, &to);
		to.addr += to.len;
		addr += to.len;
		left -= to.len;
	}
	return ret;
}

/* --- one destination entry ---------------------------------------------------------------- */

/* A walk over a box in destination order: outer axes and one contiguous inner run. */
struct walk {
	uint32_t rank;
	uint8_t axis[KTE_MAX_RANK];	/* outermost first */
	uint32_t count[KTE_MAX_RANK];
	uint64_t run;
};

static void plan_walk(struct walk *w, const struct kte_entry *d, const struct kte_entry *const *src,
		      uint32_t n_src, const struct kte_box *cut, uint32_t rank, uint32_t role,
		      uint32_t elem)
{
	uint32_t a, i, k;

	w->rank = 0;
	w->run = elem;
	for (a = 0; a < rank; a++) {
		if (cut->size[a] == 1)
			continue;
		for (i = w->rank; i > 0; i--) {
			if (d->stride[role][w->axis[i - 1]] >= d->stride[role][a])
				break;
			w->axis[i] = w->axis[i - 1];
		}
		w->axis[i] = (uint8_t)a;
		w->rank++;
	}
	while (w->rank) {
		a = w->axis[w->rank - 1];
		if (d->stride[role][a] != w->run)
			break;
		for (k = 0; k < n_src && src[k]->stride[role][a] == w->run; k++)
			;
		if (k < n_src)
			break;
		w->run *= cut->size[a];
		w->rank--;
	}
	for (i = 0; i < w->rank; i++)
		w->count[i] = cut->size[w->axis[i]];
}

static int add_fold(struct kt_trace *t, const struct kte_space *sp, uint32_t n, uint32_t *index)
{
	struct kt_trace_fold *f;

	if (t->n_folds == t->cap_folds) {
		uint32_t cap = t->cap_folds ? 2 * t->cap_folds : 64;
		void *v = realloc(t->folds, cap * sizeof(*t->folds));

		if (!v)
			return -ENOMEM;
		t->folds = v;
		t->cap_folds = cap;
	}
	f = &t->folds[t->n_folds];
	*f = (struct kt_trace_fold){ sp->op, sp->mode, sp->dtype[0], n, NULL };
	f->v = kt_alloc(&t->arena, n * sizeof(*f->v));
	*index = ++t->n_folds;
	return f->v ? 0 : -ENOMEM;
}

/* One inner run of a fold: addends in order, each with one origin. */
static int fold_run(const struct kt_trace *old, struct kt_trace *out, const struct kte_space *sp,
		    const struct kte_entry *const *src, uint32_t n, const uint32_t *at,
		    uint32_t role, struct kt_trace_run to)
{
	struct kt_trace one = {0};
	uint32_t k, index;
	int ret = add_fold(out, sp, n, &index);

	for (k = 0; k < n && !ret; k++) {
		one.n = 0;
		ret = resolve(old, &one, to, src[k]->tile, kte_byte_of(src[k], sp->rank, role, at));
		if (!ret && (one.n != 1 || one.v[0].fold))
			ret = -EOPNOTSUPP;
		if (!ret) {
			out->folds[index - 1].v[k].tile = one.v[0].otile;
			out->folds[index - 1].v[k].addr = one.v[0].oaddr;
		}
	}
	free(one.v);
	to.fold = index;
	to.otile = src[0]->tile;
	to.oaddr = 0;
	return ret ? ret : push(out, &to);
}

/* All runs of a box that one source (copy) or all sources (fold) have in common with d. */
static int trace_box(const struct kt_trace *old, struct kt_trace *out, const struct kte_space *sp,
		     const struct kte_entry *d, const struct kte_entry *const *src, uint32_t n,
		     const struct kte_box *cut, uint32_t role)
{
	uint32_t at[KTE_MAX_RANK], i;
	struct walk w;
	int ret = 0;

	plan_walk(&w, d, src, n, cut, sp->rank, role, sp->elem_bytes[role]);
	memcpy(at, cut->start, sizeof(at));
	while (!ret) {
		struct kt_trace_run to = {
			.tile = d->tile, .addr = kte_byte_of(d, sp->rank, role, at), .len = w.run,
		};

		if (sp->op != KTE_OP_COPY)
			ret = fold_run(old, out, sp, src, n, at, role, to);
		else
			ret = resolve(old, out, to, src[0]->tile,
				      kte_byte_of(src[0], sp->rank, role, at));
		for (i = w.rank; i-- > 0;) {
			uint8_t a = w.axis[i];

			if (++at[a] < cut->start[a] + w.count[i])
				break;
			at[a] = cut->start[a];
		}
		if (i == UINT32_MAX)
			break;
	}
	return ret;
}

static int trace_dest(const struct kt_trace *old, struct kt_trace *out, const struct kte_space *sp,
		      const struct kte_entry *d, const struct kte_entry *src, const uint32_t *edges)
{
	const struct kte_entry **list = malloc((d->count + 1ull) * sizeof(*list));
	struct kte_box cut;
	uint32_t e, r;
	int ret = list ? 0 : -ENOMEM;

	for (e = 0; !ret && e < d->count; e++)
		list[e] = &src[edges[d->first + e]];
	for (r = 0; !ret && r < sp->roles; r++) {
		if (sp->op != KTE_OP_COPY) {
			kte_box_of(d, &cut);
			ret = trace_box(old, out, sp, d, list, d->count, &cut, r);
			continue;
		}
		for (e = 0; !ret && e < d->count; e++)
			if (kte_box_cut(d, list[e], sp->rank, &cut))
				ret = trace_box(old, out, sp, d, &list[e], 1, &cut, r);
	}
	free(list);
	return ret;
}

/* What is new hides what was there: add the parts of old that no new run covers. */
static int merge(struct kt_trace *t, struct kt_trace *fresh)
{
	uint32_t i, k = 0, base = fresh->n;
	int ret = 0;

	if (fresh->n)
		qsort(fresh->v, fresh->n, sizeof(*fresh->v), run_order);
	for (i = 0; i < t->n && !ret; i++) {
		struct kt_trace_run r = t->v[i];

		k = find_run(&(struct kt_trace){ .n = base, .v = fresh->v }, r.tile, r.addr);
		while (r.len && !ret) {
			struct kt_trace_run part = r;
			uint64_t stop = r.addr + r.len;

			if (k < base && fresh->v[k].tile == r.tile && fresh->v[k].addr < stop)
				stop = fresh->v[k].addr;
			if (stop > r.addr) {
				part.len = stop - r.addr;
				if (part.fold && part.len != t->v[i].len)
					return -EOPNOTSUPP;
				ret = push(fresh, &part);
			}
			if (k >= base || fresh->v[k].tile != r.tile ||
			    fresh->v[k].addr >= r.addr + r.len)
				break;
			stop = fresh->v[k].addr + fresh->v[k].len;
			k++;
			if (stop >= r.addr + r.len)
				break;
			r.len = r.addr + r.len - stop;
			r.oaddr += stop - r.addr;
			r.addr = stop;
		}
	}
	if (fresh->n)
		qsort(fresh->v, fresh->n, sizeof(*fresh->v), run_order);
	return ret;
}

static int trace_image(const void *image, struct kt_trace *t)
{
	const struct kte_image_header *h = image;
	const struct kte_space *spaces = (const struct kte_space *)(h + 1);
	const struct kte_entry *src = (const struct kte_entry *)(spaces + h->n_spaces);
	const struct kte_entry *dst = src + h->n_sources;
	const uint32_t *edges = (const uint32_t *)(dst + h->n_dests);
	struct kt_trace fresh = { .arena = t->arena, .folds = t->folds, .n_folds = t->n_folds,
				  .cap_folds = t->cap_folds };
	uint32_t i;
	int ret = 0;

	for (i = 0; i < h->n_dests && !ret; i++)
		ret = trace_dest(t, &fresh, &spaces[dst[i].space], &dst[i], src, edges);
	if (!ret)
		ret = merge(t, &fresh);
	free(t->v);
	*t = fresh;
	return ret;
}

int kt_trace_plan(const struct ktdev_plan *plan, struct kt_trace *out)
{
	uint32_t i;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < plan->n_steps && !ret; i++)
		ret = trace_image(plan->steps[i].image, out);
	return ret;
}

/* --- values of the plan ------------------------------------------------------------------- */

static int io_runs(const struct kt_io *io, struct kt_trace *out)
{
	uint32_t p, a;
	int ret = 0;

	for (p = 0; p < io->n_pieces && !ret; p++) {
		const struct kt_piece *pc = &io->pieces[p];
		struct kte_entry e = { .tile = (uint16_t)pc->tile, .offset = { pc->offset } };
		const struct kte_entry *self = &e;
		struct kte_space sp = { .rank = (uint8_t)io->rank, .roles = 1,
					.elem_bytes = { (uint8_t)io->elem_bytes } };
		struct kt_trace none = {0};
		struct kte_box box = {0};

		for (a = 0; a < io->rank; a++) {
			e.size[a] = box.size[a] = pc->size[a];
			e.stride[0][a] = pc->stride[a];
		}
		ret = trace_box(&none, out, &sp, &e, &self, 1, &box, 0);
	}
	return ret;
}

/* Sorted, without repetition: several values may lie on the same bytes. */
static void settle(struct kt_trace *t)
{
	uint32_t i, n = 0;

	if (t->n)
		qsort(t->v, t->n, sizeof(*t->v), run_order);
	for (i = 0; i < t->n; i++) {
		struct kt_trace_run *last = n ? &t->v[n - 1] : NULL, r = t->v[i];

		if (last && last->tile == r.tile && last->addr + last->len >= r.addr) {
			uint64_t end = r.addr + r.len;

			if (end > last->addr + last->len)
				last->len = end - last->addr;
			continue;
		}
		t->v[n++] = r;
	}
	t->n = n;
}

static int all_io(const struct ktdev_plan *plan, bool output, struct kt_trace *out)
{
	uint32_t i;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < plan->n_io && !ret; i++)
		if (plan->io[i].output == output && !plan->io[i].derived)
			ret = io_runs(&plan->io[i], out);
	settle(out);
	return ret;
}

int kt_trace_inputs(const struct ktdev_plan *plan, struct kt_trace *out)
{
	return all_io(plan, false, out);
}

int kt_trace_outputs(const struct ktdev_plan *plan, struct kt_trace *t)
{
	struct kt_trace keep, out = {0};
	uint32_t i;
	int ret = all_io(plan, true, &keep);

	for (i = 0; i < t->n && !ret; i++) {
		struct kt_trace_run r = t->v[i];
		uint32_t k = find_run(&keep, r.tile, r.addr);

		for (; k < keep.n && keep.v[k].tile == r.tile && !ret; k++) {
			uint64_t lo = keep.v[k].addr > r.addr ? keep.v[k].addr : r.addr;
			uint64_t hi = keep.v[k].addr + keep.v[k].len;
			struct kt_trace_run part = r;

			if (hi > r.addr + r.len)
				hi = r.addr + r.len;
			if (lo >= hi)
				break;
			if (r.fold && (lo != r.addr || hi != r.addr + r.len))
				ret = -EOPNOTSUPP;
			part.addr = lo;
			part.len = hi - lo;
			part.oaddr += lo - r.addr;
			if (!ret)
				ret = push(&out, &part);
		}
	}
	kt_trace_fini(&keep);
	free(t->v);
	t->v = out.v;
	t->n = out.n;
	t->cap = out.cap;
	return ret;
}
