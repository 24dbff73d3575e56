/* SPDX-License-Identifier: MIT */
/*
 * For the tests of the executing side: a program with pads, and what it must do,
 * element by element from the table alone.
 */
#ifndef EXEC_UTIL_H
#define EXEC_UTIL_H

#include "engine/exec_prog.h"
#include "table_util.h"

#define MAX_PADS	64

static uint64_t rng_state = 1;

static TAP_UNUSED uint64_t rng(void)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return rng_state * 0x2545f4914f6cdd1dull;
}

static TAP_UNUSED uint32_t pick(uint32_t n)
{
	return (rng() >> 32) % n;
}

/* A table, its program, the pads it runs on, and the pads as they must become. */
struct rig {
	struct env_state state;
	struct kte_env env;
	struct kte_limits lim;
	struct kte_prog *prog;
	void *image;
	uint64_t bytes;
	uint8_t *pads[MAX_PADS];
	uint8_t *start[MAX_PADS];
	uint8_t *want[MAX_PADS];
	uint32_t n_pads;
	uint64_t window;
	struct kte_reject why;
	struct kte_fault fault;
};

static TAP_UNUSED void rig_close(struct rig *r)
{
	uint32_t i;

	kte_prog_free(r->prog);
	env_free(&r->state, r->image);
	for (i = 0; i < r->n_pads; i++) {
		free(r->pads[i]);
		free(r->start[i]);
		free(r->want[i]);
	}
}

/* Compile and prepare; pads of random bytes; @window is a multiple of 8. */
static TAP_UNUSED int rig_open(struct rig *r, const struct kte_table *t, uint32_t n_pads,
			       uint64_t window)
{
	uint64_t i;
	uint32_t p;
	int err;

	memset(r, 0, sizeof(*r));
	r->env = (struct kte_env)ENV(&r->state);
	kte_limits_soft(&r->lim, n_pads, window);
	r->window = window;
	err = kte_table_compile(t, &r->lim, &r->env, &r->image, &r->bytes, &r->why);
	if (err)
		return err;
	err = kte_prog_new(r->image, r->bytes, &r->lim, &r->env, &r->prog, &r->fault);
	if (err)
		return err;
	r->n_pads = n_pads;
	for (p = 0; p < n_pads; p++) {
		r->pads[p] = malloc(window);
		r->start[p] = malloc(window);
		r->want[p] = malloc(window);
		for (i = 0; i + 8 <= window; i += 8) {
			uint64_t v = rng();

			memcpy(r->start[p] + i, &v, 8);
		}
		memcpy(r->want[p], r->start[p], window);
	}
	return 0;
}

static TAP_UNUSED int rig_run(struct rig *r, unsigned int parts)
{
	struct kte_run run = { .pads = r->pads, .n_pads = r->n_pads, .window = r->window };
	unsigned int phase, part;
	uint32_t p;
	int err = 0;

	run.scratch = aligned_alloc(64, kte_prog_scratch_bytes(r->prog));
	for (p = 0; p < r->n_pads; p++)
		memcpy(r->pads[p], r->start[p], r->window);
	if (parts == 1) {
		err = kte_prog_run(r->prog, &run);
	} else {
		for (phase = 0; phase < kte_prog_phases(r->prog); phase++)
			for (part = 0; part < parts && !err; part++)
				err = kte_prog_run_part(r->prog, &run, phase, part, parts);
	}
	free(run.scratch);
	return err;
}

/* Bytes that differ from what is wanted, the staging range of the image left out. */
static TAP_UNUSED uint64_t rig_wrong(const struct rig *r)
{
	const struct kte_image_header *h = r->image;
	uint64_t i, wrong = 0;
	uint32_t p;

	for (p = 0; p < r->n_pads; p++)
		for (i = memcmp(r->pads[p], r->want[p], r->window) ? 0 : r->window;
		     i < r->window; i++) {
			if (r->pads[p][i] == r->want[p][i] ||
			    (i >= h->stage_offset && i < h->stage_offset + h->stage_bytes))
				continue;
			if (!wrong++)
				diag("pad %u byte %llu: got %02x want %02x", p,
				     (unsigned long long)i, r->pads[p][i], r->want[p][i]);
		}
	return wrong;
}

/* The @i-th element of a box, row major. */
static TAP_UNUSED void nth_element(const struct kte_entry *e, uint32_t rank, uint64_t i,
				   uint32_t *at)
{
	uint32_t a;

	for (a = rank; a-- > 0; i /= e->size[a])
		at[a] = e->start[a] + i % e->size[a];
}

static TAP_UNUSED bool holds(const struct kte_entry *e, uint32_t rank, const uint32_t *at)
{
	uint32_t a;

	for (a = 0; a < rank; a++)
		if (at[a] < e->start[a] || at[a] >= e->start[a] + e->size[a])
			return false;
	return true;
}

static TAP_UNUSED uint64_t address(const struct kte_entry *e, uint32_t rank, uint32_t role,
				   const uint32_t *at)
{
	uint64_t v = e->offset[role];
	uint32_t a;

	for (a = 0; a < rank; a++)
		v += e->size[a] > 1 ? (at[a] - e->start[a]) * e->stride[role][a] : 0;
	return v;
}

static TAP_UNUSED uint64_t elements(const struct kte_entry *e, uint32_t rank)
{
	uint64_t v = 1;
	uint32_t a;

	for (a = 0; a < rank; a++)
		v *= e->size[a];
	return v;
}

/* r->want: what the copies of a table do, read from r->start. */
static TAP_UNUSED void expect_copies(struct rig *r, const struct kte_table *t)
{
	uint32_t d, s, at[KTE_MAX_RANK];
	uint64_t i;

	for (d = 0; d < t->n_dests; d++) {
		const struct kte_entry *e = &t->dests[d];
		const struct kte_space *sp = &t->spaces[e->space];

		for (i = 0; i < elements(e, sp->rank); i++) {
			nth_element(e, sp->rank, i, at);
			for (s = 0; s < t->n_sources; s++) {
				const struct kte_entry *f = &t->sources[s];

				if (f->space != e->space || !holds(f, sp->rank, at))
					continue;
				memcpy(r->want[e->tile] + address(e, sp->rank, 0, at),
				       r->start[f->tile] + address(f, sp->rank, 0, at),
				       sp->elem_bytes[0]);
			}
		}
	}
}

#endif /* EXEC_UTIL_H */
