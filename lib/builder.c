// SPDX-License-Identifier: MIT
/*
 * The table builder. Entries are collected, fold destinations cut where a source would
 * meet them in part, aliases found by the engine, the staging range placed, and the
 * image compiled by the engine.
 */
#include "builder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "box.h"

#define MAX_SPLIT_DESTS	(1u << 24)

static void *env_alloc(void *ctx, size_t bytes)
{
	(void)ctx;
	return calloc(1, bytes ? bytes : 1);
}

static void env_free(void *ctx, void *ptr)
{
	(void)ctx;
	free(ptr);
}

const struct kte_env kt_env = { .alloc = env_alloc, .free = env_free };

struct kte_space *kt_table_space(struct kt_table *t, uint32_t *index)
{
	if (t->n_spaces == t->cap_spaces) {
		uint32_t cap = t->cap_spaces ? 2 * t->cap_spaces : 16;
		void *p = realloc(t->spaces, (size_t)cap * sizeof(*t->spaces));

		if (!p)
			return NULL;
		t->spaces = p;
		t->cap_spaces = cap;
	}
	*index = t->n_spaces++;
	memset(&t->spaces[*index], 0, sizeof(*t->spaces));
	return &t->spaces[*index];
}

static struct kte_entry *add_entry(struct kt_entries *v, uint32_t space, uint32_t tile,
				   uint32_t tag)
{
	struct kte_entry *e;

	if (v->n == v->cap) {
		uint32_t cap = v->cap ? 2 * v->cap : 64;
		void *p = realloc(v->e, (size_t)cap * sizeof(*v->e));

		if (!p)
			return NULL;
		v->e = p;
		p = realloc(v->tag, (size_t)cap * sizeof(*v->tag));
		if (!p)
			return NULL;
		v->tag = p;
		v->cap = cap;
	}
	v->tag[v->n] = tag;
	e = &v->e[v->n++];
	memset(e, 0, sizeof(*e));
	e->space = space;
	e->tile = (uint16_t)tile;
	return e;
}

struct kte_entry *kt_table_source(struct kt_table *t, uint32_t space, uint32_t tile, uint32_t tag)
{
	return add_entry(&t->src, space, tile, tag);
}

struct kte_entry *kt_table_dest(struct kt_table *t, uint32_t space, uint32_t tile, uint32_t tag)
{
	return add_entry(&t->dst, space, tile, tag);
}

uint64_t kt_pack_strides(const uint32_t *size, uint32_t rank, uint32_t elem, uint64_t *stride)
{
	uint64_t bytes = elem;
	uint32_t a;

	for (a = rank; a-- > 0;) {
		stride[a] = bytes;
		if (__builtin_mul_overflow(bytes, size[a], &bytes))
			return 0;
	}
	return bytes;
}

void kt_table_fini(struct kt_table *t)
{
	free(t->spaces);
	free(t->src.e);
	free(t->src.tag);
	free(t->dst.e);
	free(t->dst.tag);
	memset(t, 0, sizeof(*t));
}

/* --- cutting fold destinations ------------------------------------------------------- */

/* A place inside @d where a source that meets it begins or ends: axis and coordinate. */
static bool find_cut(const struct kt_table *t, const struct kte_entry *d, uint32_t *axis,
		     uint32_t *at)
{
	uint32_t rank = t->spaces[d->space].rank, i, a;

	for (i = 0; i < t->src.n; i++) {
		const struct kte_entry *s = &t->src.e[i];

		if (s->space != d->space || !kte_box_meets(s, d, rank))
			continue;
		for (a = 0; a < rank; a++) {
			uint32_t end = s->start[a] + s->size[a];

			*axis = a;
			*at = s->start[a];
			if (s->start[a] > d->start[a])
				return true;
			*at = end;
			if (end < d->start[a] + d->size[a])
				return true;
		}
	}
	return false;
}

int kt_table_split_folds(struct kt_table *t)
{
	uint32_t i, axis, at, r;

	for (i = 0; i < t->dst.n; i++) {
		while (t->spaces[t->dst.e[i].space].op != KTE_OP_COPY &&
		       find_cut(t, &t->dst.e[i], &axis, &at)) {
			struct kte_entry *d, *rest;
			uint32_t roles = t->spaces[t->dst.e[i].space].roles;

			if (t->dst.n >= MAX_SPLIT_DESTS)
				return -ERANGE;
			rest = kt_table_dest(t, t->dst.e[i].space, t->dst.e[i].tile,
					     t->dst.tag[i]);
			if (!rest)
				return -ENOMEM;
			d = &t->dst.e[i];
			*rest = *d;
			rest->start[axis] = at;
			rest->size[axis] = d->start[axis] + d->size[axis] - at;
			for (r = 0; r < roles; r++)
				rest->offset[r] += (uint64_t)(at - d->start[axis]) *
						   d->stride[r][axis];
			d->size[axis] = at - d->start[axis];
		}
	}
	return 0;
}

/* --- finish --------------------------------------------------------------------------- */

static void name_culprits(const struct kt_table *t, struct kt_table_error *err)
{
	const struct kte_reject *why = &err->why;

	if (why->where == KTE_WHERE_SOURCE && why->index < t->src.n)
		err->tag = t->src.tag[why->index];
	if (why->where == KTE_WHERE_DEST && why->index < t->dst.n)
		err->tag = t->dst.tag[why->index];
	if (why->other_where == KTE_WHERE_SOURCE && why->other < t->src.n)
		err->other_tag = t->src.tag[why->other];
	if (why->other_where == KTE_WHERE_DEST && why->other < t->dst.n)
		err->other_tag = t->dst.tag[why->other];
}

static void as_engine_table(const struct kt_table *t, struct kte_table *out)
{
	memset(out, 0, sizeof(*out));
	out->spaces = t->spaces;
	out->sources = t->src.e;
	out->dests = t->dst.e;
	out->n_spaces = t->n_spaces;
	out->n_sources = t->src.n;
	out->n_dests = t->dst.n;
	out->stage_offset = t->stage_offset;
	out->stage_bytes = t->stage_bytes;
}

/* Bytes [start, end) that a tile's sources and destinations lie in. */
struct hulls {
	uint64_t src_start, src_end, dst_start, dst_end;
};

static bool widen(const struct kt_table *t, const struct kte_entry *e, uint32_t n_tiles,
		  struct hulls *v, bool dst)
{
	const struct kte_space *sp = &t->spaces[e->space];
	struct hulls *h = &v[e->tile];
	uint64_t last, *start, *end;
	uint32_t r;

	if (e->tile >= n_tiles)
		return false;
	start = dst ? &h->dst_start : &h->src_start;
	end = dst ? &h->dst_end : &h->src_end;
	for (r = 0; r < sp->roles; r++) {
		if (!kte_last_byte(e, sp->rank, r, sp->elem_bytes[r], &last) || last == UINT64_MAX)
			return false;
		if (!*end || e->offset[r] < *start)
			*start = e->offset[r];
		if (last >= *end)
			*end = last + 1;
	}
	return true;
}

/* False only if on every tile all destinations lie outside the hull of all sources. */
static bool may_alias(const struct kt_table *t, uint32_t n_tiles)
{
	struct hulls *v = calloc(n_tiles, sizeof(*v));
	bool may = !v;
	uint32_t i;

	for (i = 0; !may && i < t->src.n; i++)
		may = !widen(t, &t->src.e[i], n_tiles, v, false);
	for (i = 0; !may && i < t->dst.n; i++)
		may = !widen(t, &t->dst.e[i], n_tiles, v, true);
	for (i = 0; !may && i < n_tiles; i++)
		may = v[i].src_start < v[i].dst_end && v[i].dst_start < v[i].src_end;
	free(v);
	return may;
}

static int stage(struct kt_table *t, const struct kte_limits *lim, struct kt_spm *spm,
		 struct kt_table_error *err)
{
	struct kte_table et;
	uint8_t *staged;
	uint64_t need = 0;
	uint32_t i;
	int ret;

	t->stage_offset = 0;
	t->stage_bytes = 0;
	if (!may_alias(t, lim->n_tiles))
		return 0;
	staged = calloc(t->dst.n, 1);
	if (!staged)
		return -ENOMEM;
	as_engine_table(t, &et);
	ret = kte_table_aliases(&et, lim, &kt_env, staged, &need, &err->why);
	for (i = 0; !ret && i < t->dst.n; i++)
		t->dst.e[i].flags = staged[i] ? KTE_ENTRY_STAGED : 0;
	free(staged);
	if (ret || !need)
		return ret;
	ret = kt_spm_find_common(spm, need, &t->stage_offset);
	if (ret == -ENOSPC) {
		err->needed = spm->needed;
		err->available = spm->available;
		return ret;
	}
	t->stage_bytes = (need + KT_STICK - 1) & ~(KT_STICK - 1ull);
	return ret;
}

int kt_table_finish(struct kt_table *t, const struct kte_limits *lim, struct kt_spm *spm,
		    void **image, uint64_t *bytes, struct kt_table_error *err)
{
	struct kte_table et;
	int ret;

	memset(err, 0, sizeof(*err));
	err->tag = KTE_NONE;
	err->other_tag = KTE_NONE;
	*image = NULL;
	*bytes = 0;
	ret = stage(t, lim, spm, err);
	if (!ret) {
		as_engine_table(t, &et);
		ret = kte_table_compile(&et, lim, &kt_env, image, bytes, &err->why);
	}
	if (ret == -EINVAL || ret == -ERANGE || ret == -E2BIG)
		name_culprits(t, err);
	return ret;
}
