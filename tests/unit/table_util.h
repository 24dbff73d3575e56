/* SPDX-License-Identifier: MIT */
/*
 * Tables by hand, for the tests of the engine: an environment that counts what
 * is allocated and can run dry, and short ways to state spaces and entries.
 */
#ifndef TABLE_UTIL_H
#define TABLE_UTIL_H

#include "engine/kte_exec.h"
#include "engine/kte_table.h"
#include "tests/tap.h"

/**
 * struct env_state - what happened to an environment
 * @live:	allocations not given back
 * @count:	allocations so far
 * @fail_at:	number of the allocation that fails; 0: none
 * @bytes, @peak: bytes live, and most of them
 * @ticks:	ticks so far
 * @stop_at:	number of the tick that says -EINTR; 0: none
 */
struct env_state {
	unsigned int live;
	unsigned int count;
	unsigned int fail_at;
	size_t bytes;
	size_t peak;
	unsigned int ticks;
	unsigned int stop_at;
};

static TAP_UNUSED void *env_alloc(void *ctx, size_t bytes)
{
	struct env_state *s = ctx;
	uint64_t *p;

	if (++s->count == s->fail_at)
		return NULL;
	p = calloc(1, bytes + 16);
	if (!p)
		return NULL;
	p[0] = bytes;
	s->live++;
	s->bytes += bytes;
	if (s->bytes > s->peak)
		s->peak = s->bytes;
	return p + 2;
}

static TAP_UNUSED void env_free(void *ctx, void *ptr)
{
	struct env_state *s = ctx;
	uint64_t *p = ptr;

	if (!ptr)
		return;
	s->live--;
	s->bytes -= p[-2];
	free(p - 2);
}

static TAP_UNUSED int env_tick(void *ctx)
{
	struct env_state *s = ctx;

	return ++s->ticks == s->stop_at ? -EINTR : 0;
}

#define ENV(state) { .alloc = env_alloc, .free = env_free, .tick = env_tick, .ctx = (state) }

#define MAX_SPACES	16
#define MAX_ENTRIES	80

/* A small table with room to change it. */
struct small {
	struct kte_space spaces[MAX_SPACES];
	struct kte_entry sources[MAX_ENTRIES];
	struct kte_entry dests[MAX_ENTRIES];
	struct kte_table t;
	struct kte_limits lim;
};

static TAP_UNUSED void small_init(struct small *s, uint32_t n_tiles, uint64_t window)
{
	memset(s, 0, sizeof(*s));
	s->t.spaces = s->spaces;
	s->t.sources = s->sources;
	s->t.dests = s->dests;
	kte_limits_hw(&s->lim, n_tiles, window);
}

/* A copy space of opaque elements; ends at the first extent of 0. */
static TAP_UNUSED uint32_t add_space(struct small *s, uint32_t elem, uint32_t e0, uint32_t e1,
				     uint32_t e2)
{
	struct kte_space *sp = &s->spaces[s->t.n_spaces];

	memset(sp, 0, sizeof(*sp));
	sp->rank = e2 ? 3 : e1 ? 2 : 1;
	sp->roles = 1;
	sp->elem_bytes[0] = (uint8_t)elem;
	sp->extent[0] = e0;
	sp->extent[1] = e1;
	sp->extent[2] = e2;
	return s->t.n_spaces++;
}

static TAP_UNUSED uint32_t add_fold(struct small *s, uint32_t op, uint32_t dtype, uint32_t e0,
				    uint32_t e1)
{
	uint32_t i = add_space(s, kte_dtype_bytes(dtype), e0, e1, 0);

	s->spaces[i].op = (uint8_t)op;
	s->spaces[i].dtype[0] = (uint8_t)dtype;
	return i;
}

/* A box of up to two axes; strides in bytes. */
static TAP_UNUSED void set_entry(struct kte_entry *e, uint32_t space, uint32_t tile,
				 uint64_t offset, uint32_t start0, uint32_t size0,
				 uint64_t stride0, uint32_t start1, uint32_t size1,
				 uint64_t stride1)
{
	memset(e, 0, sizeof(*e));
	e->space = space;
	e->tile = (uint16_t)tile;
	e->offset[0] = offset;
	e->start[0] = start0;
	e->size[0] = size0;
	e->stride[0][0] = stride0;
	e->start[1] = start1;
	e->size[1] = size1;
	e->stride[0][1] = stride1;
}

static TAP_UNUSED struct kte_entry *add_source(struct small *s, uint32_t space, uint32_t tile,
					       uint64_t offset, uint32_t start0, uint32_t size0,
					       uint64_t stride0)
{
	struct kte_entry *e = &s->sources[s->t.n_sources++];

	set_entry(e, space, tile, offset, start0, size0, stride0, 0, 0, 0);
	return e;
}

static TAP_UNUSED struct kte_entry *add_dest(struct small *s, uint32_t space, uint32_t tile,
					     uint64_t offset, uint32_t start0, uint32_t size0,
					     uint64_t stride0)
{
	struct kte_entry *e = &s->dests[s->t.n_dests++];

	set_entry(e, space, tile, offset, start0, size0, stride0, 0, 0, 0);
	return e;
}

static TAP_UNUSED void set_axis1(struct kte_entry *e, uint32_t start, uint32_t size,
				 uint64_t stride)
{
	e->start[1] = start;
	e->size[1] = size;
	e->stride[0][1] = stride;
}

/* The sections of an image. */
struct sections {
	struct kte_image_header *h;
	struct kte_space *spaces;
	struct kte_entry *sources;
	struct kte_entry *dests;
	uint32_t *edges;
};

static TAP_UNUSED void open_image(void *image, struct sections *v)
{
	v->h = image;
	v->spaces = (struct kte_space *)(v->h + 1);
	v->sources = (struct kte_entry *)(v->spaces + v->h->n_spaces);
	v->dests = v->sources + v->h->n_sources;
	v->edges = (uint32_t *)(v->dests + v->h->n_dests);
}

/* xorshift: the same numbers everywhere. */
static TAP_UNUSED uint64_t rnd(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static TAP_UNUSED uint32_t below(uint64_t *state, uint32_t n)
{
	return (uint32_t)(rnd(state) >> 20) % n;
}

#endif /* TABLE_UTIL_H */
