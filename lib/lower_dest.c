// SPDX-License-Identifier: MIT
/*
 * Where results go: the stores of a result on a tile, and an allocated place for what no
 * store takes, so that a consumer always receives all of its result.
 */
#include <errno.h>
#include <string.h>

#include "lower.h"

#define MAX_BOXES	4096

struct boxes {
	struct kt_arena *a;
	uint32_t n, cap;
	struct kt_lw_box *v;
};

static int push(struct boxes *b, const struct kt_lw_box *box)
{
	if (b->n == b->cap) {
		uint32_t cap = b->cap ? 2 * b->cap : 1;
		struct kt_lw_box *v;

		if (cap > MAX_BOXES)
			return -ERANGE;
		v = kt_alloc(b->a, cap * sizeof(*v));
		if (!v)
			return -ENOMEM;
		if (b->n)
			memcpy(v, b->v, b->n * sizeof(*v));
		b->v = v;
		b->cap = cap;
	}
	b->v[b->n++] = *box;
	return 0;
}

/* The part of @box with [start, end) along @axis, its offset moved along. */
static struct kt_lw_box part(const struct kt_lw_box *box, unsigned int axis, int64_t start,
			     int64_t end)
{
	struct kt_lw_box p = *box;

	if (p.stride && start != p.start[axis])
		p.offset += (start - p.start[axis]) * p.stride[axis];
	p.start[axis] = start;
	p.size[axis] = end - start;
	return p;
}

static bool meets(const struct kt_lw_box *a, const struct kt_lw_box *b, unsigned int rank)
{
	unsigned int i;

	for (i = 0; i < rank; i++)
		if (a->start[i] >= b->start[i] + b->size[i] ||
		    b->start[i] >= a->start[i] + a->size[i])
			return false;
	return true;
}

/* Append to @out what @box has outside of @cut; the part inside is left in *inside. */
static int subtract(const struct kt_lw_box *box, const struct kt_lw_box *cut, unsigned int rank,
		    struct boxes *out, struct kt_lw_box *inside)
{
	struct kt_lw_box rest = *box;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < rank && !ret; i++) {
		int64_t end = rest.start[i] + rest.size[i];
		int64_t from = cut->start[i], to = cut->start[i] + cut->size[i];
		struct kt_lw_box p;

		if (from > rest.start[i]) {
			p = part(&rest, i, rest.start[i], from);
			ret = push(out, &p);
			rest = part(&rest, i, from, end);
		}
		if (!ret && to < end) {
			p = part(&rest, i, to, end);
			ret = push(out, &p);
			rest = part(&rest, i, rest.start[i], to);
		}
	}
	*inside = rest;
	return ret;
}

/* Split @in into what @taken does not hold (@fresh) and what it does (@again). */
static int split(const struct kt_lw_box *in, const struct boxes *taken, unsigned int rank,
		 struct boxes *fresh, struct boxes *again)
{
	struct boxes now = { .a = fresh->a }, next;
	struct kt_lw_box inside;
	uint32_t i, j;
	int ret = push(&now, in);

	for (i = 0; i < taken->n && !ret; i++) {
		next = (struct boxes){ .a = fresh->a };
		for (j = 0; j < now.n && !ret; j++) {
			if (!meets(&now.v[j], &taken->v[i], rank)) {
				ret = push(&next, &now.v[j]);
				continue;
			}
			ret = subtract(&now.v[j], &taken->v[i], rank, &next, &inside);
			if (!ret && again)
				ret = push(again, &inside);
		}
		now = next;
	}
	for (i = 0; i < now.n && !ret; i++)
		ret = push(fresh, &now.v[i]);
	return ret;
}

/* Bring every store of the result into cover (new elements) and extra (told before). */
static int take_stores(const struct kt_lw *lw, uint32_t step, uint32_t role, uint32_t tile,
		       unsigned int rank, struct boxes *cover, struct boxes *extra)
{
	const struct kt_step *s = &lw->prog->steps[step];
	const struct kt_lw_step *ls = &lw->steps[step];
	uint32_t i;
	int ret = 0;

	if (!ls->store_head)
		return 0;
	for (i = ls->store_head[tile]; i && !ret; i = ls->store_next[i - 1]) {
		const struct kt_store *st = &s->stores[i - 1];
		struct kt_lw_box box = { .offset = st->place.offset, .tag = i };

		if (st->role != role)
			continue;
		memcpy(box.start, st->start, sizeof(box.start));
		memcpy(box.size, st->size, sizeof(box.size));
		box.stride = st->place.stride;
		if (!cover->n) {
			ret = push(cover, &box);
		} else {
			struct boxes old = *cover;

			ret = split(&box, &old, rank, cover, extra);
		}
	}
	return ret;
}

static bool is_whole(const struct kt_lw_box *b, const struct kt_type *ty)
{
	unsigned int i;

	for (i = 0; i < ty->rank; i++)
		if (b->start[i] || b->size[i] != ty->shape[i])
			return false;
	return true;
}

/* Whether a whole store stays untouched until step @until has read it. */
static bool keeps(const struct kt_lw *lw, uint32_t step, uint32_t until, uint32_t tile,
		  const struct kt_lw_box *b, const struct kt_role *role)
{
	struct kt_place pl = { .offset = b->offset };
	uint64_t start, end, s2, e2;
	uint32_t k, i;

	memcpy(pl.stride, b->stride, sizeof(pl.stride));
	if (!kt_lw_hull(&pl, b->size, role->result->rank, role->elem_bytes, &start, &end))
		return false;
	for (k = step + 1; k < until; k++) {
		const struct kt_step *s = &lw->prog->steps[k];

		if (!lw->steps[k].store_head)
			continue;
		for (i = lw->steps[k].store_head[tile]; i; i = lw->steps[k].store_next[i - 1]) {
			const struct kt_store *st = &s->stores[i - 1];
			const struct kt_role *r = &s->d->roles[st->role];

			if (!kt_lw_hull(&st->place, st->size, r->result->rank, r->elem_bytes, &s2,
					&e2) || (s2 < end && start < e2))
				return false;
		}
	}
	/* inputs that the host writes in between */
	for (k = step + 1; k <= until; k++) {
		const struct kt_step *s = &lw->prog->steps[k];

		for (i = 0; i < s->n_src; i++) {
			const struct kt_lw_src *src = &lw->steps[k].src[i];
			const struct kt_role *r = &s->d->roles[src->role];

			if (src->tile != tile || src->derived || !s->src[i].known)
				continue;
			if (!kt_lw_hull(&s->src[i], r->partial->shape, r->partial->rank,
					r->elem_bytes, &s2, &e2) || (s2 < end && start < e2))
				return false;
		}
	}
	return true;
}

/* Allocate the whole result and deliver into it the boxes of @missing. */
static int allocate(struct kt_lw *lw, uint32_t step, uint32_t role, uint32_t tile, uint32_t until,
		    struct boxes *missing, struct boxes *into, struct kt_lw_dest *out)
{
	const struct kt_delivery *d = lw->prog->steps[step].d;
	const struct kt_type *ty = d->roles[role].result;
	uint32_t i, a;
	int ret;

	ret = kt_lw_alloc(lw, d, "result", tile, ty->shape, ty->rank, d->roles[role].elem_bytes,
			  until, &out->whole);
	for (i = 0; i < missing->n && !ret; i++) {
		struct kt_lw_box b = missing->v[i];
		int64_t *stride = kt_alloc(lw->a, sizeof(out->whole.stride));

		if (!stride)
			return -ENOMEM;
		memcpy(stride, out->whole.stride, sizeof(out->whole.stride));
		b.tag = 0;
		b.stride = stride;
		b.offset = out->whole.offset;
		for (a = 0; a < ty->rank; a++)
			b.offset += b.start[a] * stride[a];
		ret = push(into, &b);
	}
	return ret;
}

int kt_lw_dest(struct kt_lw *lw, uint32_t step, uint32_t role, uint32_t tile,
	       struct kt_lw_dest *out)
{
	const struct kt_delivery *d = lw->prog->steps[step].d;
	const struct kt_type *ty = d->roles[role].result;
	struct kt_lw_step *ls = &lw->steps[step];
	struct boxes cover = { .a = lw->a }, extra = { .a = lw->a }, missing = { .a = lw->a };
	struct kt_lw_box whole = {0};
	uint32_t until = 0, at = role * lw->chk->n_tiles + tile;
	int ret;

	memset(out, 0, sizeof(*out));
	memcpy(whole.size, ty->shape, ty->rank * sizeof(whole.size[0]));
	if (ls->chain_until)
		until = ls->chain_until[at];
	ret = take_stores(lw, step, role, tile, ty->rank, &cover, &extra);
	if (!ret && !cover.n)
		ret = push(&missing, &whole);
	else if (!ret && (cover.n > 1 || !is_whole(&cover.v[0], ty)))
		ret = split(&whole, &cover, ty->rank, &missing, NULL);
	if (!ret && missing.n)
		ret = allocate(lw, step, role, tile, until > step ? until : step, &missing, &cover,
			       out);
	if (!ret && until) {
		if (cover.n == 1 && cover.v[0].tag && is_whole(&cover.v[0], ty) &&
		    keeps(lw, step, until, tile, &cover.v[0], &d->roles[role])) {
			ls->chain_place[at].offset = cover.v[0].offset;
			memcpy(ls->chain_place[at].stride, cover.v[0].stride,
			       sizeof(ls->chain_place[at].stride));
		} else {
			/* the value is needed in one piece: deliver it once more where it is not */
			struct boxes all = { .a = lw->a };

			if (!out->whole.known || missing.n != 1 || !is_whole(&missing.v[0], ty)) {
				ret = push(&all, &whole);
				if (!ret)
					ret = allocate(lw, step, role, tile, until, &all, &extra,
						       out);
			}
			ls->chain_place[at] = out->whole;
		}
		ls->chain_place[at].known = true;
	}
	out->n_cover = cover.n;
	out->cover = cover.v;
	out->n_extra = extra.n;
	out->extra = extra.v;
	return ret;
}
