// SPDX-License-Identifier: MIT
/*
 * What a plan is and costs, for its users. Costs come from the engine's counters, step by
 * step; injected bytes are counted once per byte over all steps.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "box.h"
#include "kte_exec.h"
#include "plan.h"
#include "runs.h"

void ktdev_plan_info(const struct ktdev_plan *plan, struct ktdev_plan_info *out)
{
	*out = (struct ktdev_plan_info){
		.kind = plan->kind, .source = plan->source, .tiles = plan->n_tiles,
		.cores = plan->n_cores, .window = plan->window, .steps = plan->n_steps,
		.values = plan->n_io, .funcs = plan->n_funcs, .per_tile = plan->per_tile,
	};
}

int ktdev_plan_step(const struct ktdev_plan *plan, uint32_t i, struct ktdev_step_info *out)
{
	const struct kte_image_header *h;

	if (i >= plan->n_steps)
		return -ERANGE;
	h = plan->steps[i].image;
	*out = (struct ktdev_step_info){
		.op = plan->steps[i].op, .func = plan->steps[i].func, .image = h,
		.image_bytes = plan->steps[i].image_bytes, .spaces = h->n_spaces,
		.sources = h->n_sources, .dests = h->n_dests, .edges = h->n_edges,
		.stage_bytes = h->stage_bytes,
	};
	return 0;
}

int ktdev_plan_value(const struct ktdev_plan *plan, uint32_t i, struct ktdev_value *out)
{
	const struct kt_io *io;

	if (i >= plan->n_io)
		return -ERANGE;
	io = &plan->io[i];
	*out = (struct ktdev_value){
		.name = io->name, .dtype = kte_dtype_name(io->dtype), .step = io->delivery,
		.tile = io->tile, .role = io->role, .elem_bytes = io->elem_bytes,
		.rank = io->rank, .shape = io->shape, .bytes = io->bytes, .output = io->output,
		.derived = io->derived, .placed = io->placed,
	};
	return 0;
}

/* --- injected bytes ------------------------------------------------------------------------ */

/* Hull of a source entry of one tile. */
struct hull {
	uint32_t tile, step, entry;
	uint64_t start, end;
};

struct view {
	const struct kte_image_header *h;
	const struct kte_space *spaces;
	const struct kte_entry *src, *dst;
	const uint32_t *edges;
};

static struct view view_of(const void *image)
{
	struct view v = { .h = image };

	v.spaces = (const struct kte_space *)(v.h + 1);
	v.src = (const struct kte_entry *)(v.spaces + v.h->n_spaces);
	v.dst = v.src + v.h->n_sources;
	v.edges = (const uint32_t *)(v.dst + v.h->n_dests);
	return v;
}

static int by_tile(const void *a, const void *b)
{
	const struct hull *x = a, *y = b;

	if (x->tile != y->tile)
		return x->tile < y->tile ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return 0;
}

static int collect(const struct ktdev_plan *plan, struct hull **out, size_t *n)
{
	size_t total = 0, at = 0;
	struct hull *v;
	uint32_t k, i, r;

	for (k = 0; k < plan->n_steps; k++)
		total += 2 * (size_t)view_of(plan->steps[k].image).h->n_sources;
	v = malloc((total + 1) * sizeof(*v));
	if (!v)
		return -ENOMEM;
	for (k = 0; k < plan->n_steps; k++) {
		struct view w = view_of(plan->steps[k].image);

		for (i = 0; i < w.h->n_sources; i++) {
			const struct kte_space *sp = &w.spaces[w.src[i].space];

			for (r = 0; r < sp->roles; r++) {
				uint64_t last = UINT64_MAX;

				if (!kte_last_byte(&w.src[i], sp->rank, r, sp->elem_bytes[r],
						   &last)) {
					free(v);
					return -EINVAL;
				}
				v[at++] = (struct hull){ w.src[i].tile, k, i,
							 w.src[i].offset[r], last };
			}
		}
	}
	qsort(v, at, sizeof(*v), by_tile);
	*out = v;
	*n = at;
	return 0;
}

static bool any_overlap(const struct hull *v, size_t n)
{
	uint64_t end = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (i && v[i].tile == v[i - 1].tile && v[i].start <= end)
			return true;
		if (!i || v[i].tile != v[i - 1].tile || v[i].end > end)
			end = v[i].end;
	}
	return false;
}

/* A transfer to another tile. */
struct edge {
	uint32_t tile, step, src, dst;
};

static int by_source_tile(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return x->tile < y->tile ? -1 : x->tile > y->tile;
}

static int remote_edges(const struct ktdev_plan *plan, struct edge **out, size_t *n)
{
	size_t total = 0, at = 0;
	struct edge *v;
	uint32_t k, i, j;

	for (k = 0; k < plan->n_steps; k++)
		total += view_of(plan->steps[k].image).h->n_pairs;
	v = malloc((total + 1) * sizeof(*v));
	if (!v)
		return -ENOMEM;
	for (k = 0; k < plan->n_steps; k++) {
		struct view w = view_of(plan->steps[k].image);

		for (i = 0; i < w.h->n_dests; i++)
			for (j = 0; j < w.dst[i].count; j++) {
				uint32_t src = w.edges[w.dst[i].first + j];

				if (w.src[src].tile != w.dst[i].tile)
					v[at++] = (struct edge){ w.src[src].tile, k, src, i };
			}
	}
	qsort(v, at, sizeof(*v), by_source_tile);
	*out = v;
	*n = at;
	return 0;
}

/* Bytes of a source that a destination takes. */
struct cut {
	uint64_t offset, size[KTE_MAX_RANK], stride[KTE_MAX_RANK];
	uint32_t rank, elem;
};

#define SEEN	64	/* recent cuts: readers of one source mostly take the same */

static int add_cuts(struct kt_runs *r, struct cut *seen, uint32_t *n_seen,
		    const struct kte_space *sp, const struct kte_entry *s, const struct kte_entry *d)
{
	struct kte_box box;
	uint32_t role, a, i;
	int ret = 0;

	if (!kte_box_cut(s, d, sp->rank, &box))
		return 0;
	for (role = 0; role < sp->roles && !ret; role++) {
		struct cut c;

		memset(&c, 0, sizeof(c));
		c.offset = kte_byte_of(s, sp->rank, role, box.start);
		c.rank = sp->rank;
		c.elem = sp->elem_bytes[role];
		for (a = 0; a < sp->rank; a++) {
			c.size[a] = box.size[a];
			c.stride[a] = box.size[a] > 1 ? s->stride[role][a] : 0;
		}
		for (i = 0; i < SEEN && i < *n_seen; i++)
			if (!memcmp(&seen[i], &c, sizeof(c)))
				break;
		if (i < SEEN && i < *n_seen)
			continue;
		seen[(*n_seen)++ % SEEN] = c;
		ret = kt_runs_add(r, c.offset, c.size, c.stride, c.rank, c.elem);
		if (r->n > KT_MAX_RUNS / 4)
			kt_runs_settle(r);
	}
	return ret;
}

/* What other tiles need of each tile, over all steps, each byte once. */
static int injected_exact(const struct ktdev_plan *plan, uint64_t *bytes)
{
	struct cut seen[SEEN];
	struct kt_runs r = {0};
	struct edge *v;
	uint32_t n_seen = 0;
	size_t n, i;
	int ret = remote_edges(plan, &v, &n);

	*bytes = 0;
	if (ret)
		return ret;
	for (i = 0; i < n && !ret; i++) {
		struct view w = view_of(plan->steps[v[i].step].image);
		const struct kte_entry *s = &w.src[v[i].src];

		if (i && v[i].tile != v[i - 1].tile) {
			kt_runs_settle(&r);
			*bytes += kt_runs_bytes(&r);
			r.n = 0;
			n_seen = 0;
		}
		ret = add_cuts(&r, seen, &n_seen, &w.spaces[s->space], s, &w.dst[v[i].dst]);
	}
	kt_runs_settle(&r);
	*bytes += kt_runs_bytes(&r);
	kt_runs_fini(&r);
	free(v);
	return ret;
}

int kt_plan_injected(const struct ktdev_plan *plan, struct ktdev_stats *out)
{
	struct hull *v;
	uint64_t sum = 0;
	size_t n;
	int ret = collect(plan, &v, &n);

	if (ret)
		return ret;
	if (any_overlap(v, n)) {
		ret = injected_exact(plan, &sum);
		if (!ret)
			out->injected_bytes = sum;
		if (ret == -E2BIG)
			ret = 0;	/* the sum over steps stands */
	}
	free(v);
	return ret;
}

/* --- statistics ------------------------------------------------------------------------------- */

void kt_stats_add(struct ktdev_stats *out, const struct kte_counters *c)
{
	out->transfers += c->transfers;
	out->injections += c->injections;
	out->bytes_delivered += c->bytes_delivered;
	out->remote_bytes += c->remote_bytes;
	out->injected_bytes += c->injected_bytes;
	out->cycles += c->cycles;
	if (c->max_fanin > out->max_fanin)
		out->max_fanin = c->max_fanin;
	if (c->max_fanout > out->max_fanout)
		out->max_fanout = c->max_fanout;
}

int ktdev_plan_stats(const struct ktdev_plan *plan, const uint16_t *map, struct ktdev_stats *out)
{
	struct kte_limits lim;
	uint32_t k;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	kte_limits_soft(&lim, plan->n_tiles, plan->window);
	for (k = 0; k < plan->n_steps && !ret; k++) {
		struct kte_counters c;
		struct kte_fault fault;
		struct kte_prog *prog;

		ret = kte_prog_new(plan->steps[k].image, plan->steps[k].image_bytes, &lim, &kt_env,
				   &prog, &fault);
		if (ret)
			return ret;
		ret = kte_prog_count(prog, map, map ? plan->n_tiles : 0, plan->n_cores, NULL, &c);
		kte_prog_free(prog);
		if (!ret)
			kt_stats_add(out, &c);
	}
	return ret ? ret : kt_plan_injected(plan, out);
}
