// SPDX-License-Identifier: MIT
/*
 * Evaluation of a KTIR program on scratchpads, from its groups, dependency sets, types
 * and places: what every consumer must receive and what every store must write. Loads,
 * deliveries and stores happen in the order of the program. It knows nothing of tables
 * and images; of the plan it uses when the host writes an input, and the places the
 * library chose where the program has none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check_run.h"
#include "delivery.h"

/* Something that happens at one point of the program's order. */
struct event {
	unsigned int seq;
	bool store;			/* else a load */
	uint32_t step, index;
};

struct eval {
	const struct kt_program *prog;
	const struct ktdev_plan *plan;
	uint8_t *const *inputs, *const *outputs, *const *pads;
	uint64_t pad_bytes;
	uint8_t ***partial;		/* [step][source] */
	uint8_t ***result;		/* [step][role * n_tiles + tile] */
	uint32_t **io_of;		/* [step][source]: 1 + value of the plan */
	uint32_t n_events;
	struct event *events;
	struct kt_arena arena;
};

/* Which source of a step: found by counting, as resolve.c numbered them. */
struct source {
	uint32_t tile, role;
};

static struct source source_of(const struct kt_step *s, uint32_t i)
{
	uint32_t g, n;

	for (g = 0; g < s->d->n_groups; g++) {
		n = s->d->groups[g].producers.n * s->d->n_roles;
		if (i < n)
			return (struct source){ s->d->groups[g].producers.ids[i / s->d->n_roles],
						i % s->d->n_roles };
		i -= n;
	}
	return (struct source){0};
}

static uint64_t type_bytes(const struct kt_type *ty, uint32_t elem)
{
	uint64_t n = elem;
	unsigned int a;

	for (a = 0; a < ty->rank; a++)
		n *= (uint64_t)ty->shape[a];
	return n;
}

/* Copy between a packed box (of a value with @shape) and its place, element by element. */
static int move(struct eval *ev, const struct kt_place *pl, uint32_t tile, uint8_t *value,
		const int64_t *shape, const int64_t *start, const int64_t *size, unsigned int rank,
		uint32_t elem, bool to_pad)
{
	int64_t at[KT_MAX_RANK] = {0};
	unsigned int a;

	for (;;) {
		int64_t pad = pl->offset, in = 0;

		for (a = 0; a < rank; a++) {
			pad += at[a] * pl->stride[a];
			in = in * shape[a] + (start ? start[a] : 0) + at[a];
		}
		if (pad < 0 || (uint64_t)pad + elem > ev->pad_bytes)
			return -ERANGE;
		if (to_pad)
			memcpy(ev->pads[tile] + pad, value + in * elem, elem);
		else
			memcpy(value + in * elem, ev->pads[tile] + pad, elem);
		for (a = rank; a-- > 0;) {
			if (++at[a] < size[a])
				break;
			at[a] = 0;
		}
		if (a == UINT32_MAX)
			return 0;
	}
}

/* --- deliveries ----------------------------------------------------------------------------- */

/* Digit of position @l along @axis; the first listed axis is the slowest. */
static int64_t digit_of(const int64_t *factor, const unsigned int *list, unsigned int n,
			uint32_t l, unsigned int axis)
{
	int64_t slower = 1;
	unsigned int i;

	/* the digit of an axis is (l / product of the faster factors) mod its own */
	for (i = n; i-- > 0;) {
		if (list[i] == axis)
			return l / slower % factor[axis];
		slower *= factor[list[i]];
	}
	return 0;
}

/* Producer position and element offset that result element @x of a consumer comes from. */
static uint32_t origin(const struct kt_delivery *d, const struct kt_role *r, uint32_t l_c,
		       const int64_t *x, int64_t *element)
{
	int64_t which[KT_MAX_RANK], at = 0, share, l = 0;
	unsigned int a, i;

	for (a = 0; a < r->partial->rank; a++) {
		share = r->partial->shape[a] / r->split[a];
		which[a] = x[a] / share;
		at = at * r->partial->shape[a] + x[a] % share +
		     digit_of(r->split, d->split_axes, d->n_split, l_c, a) * share;
	}
	for (i = 0; i < d->n_concat; i++)
		l = l * r->concat[d->concat_axes[i]] + which[d->concat_axes[i]];
	*element = at;
	return (uint32_t)l;
}

/* Elements that follow one another in result and partial alike. */
static int64_t run_of(const struct kt_role *r, const int64_t *x)
{
	unsigned int last = r->partial->rank - 1;
	int64_t share;

	if (!r->partial->rank)
		return 1;
	share = r->partial->shape[last] / r->split[last];
	return share - x[last] % share;
}

/* Advance @x by @n along the last axis; false at the end. */
static bool next_run(const struct kt_type *ty, int64_t *x, int64_t n)
{
	unsigned int a = ty->rank;

	while (a-- > 0) {
		x[a] += n;
		if (x[a] < ty->shape[a])
			return true;
		x[a] = 0;
		n = 1;
	}
	return false;
}

struct group_at {
	const struct kt_group *g;
	uint32_t first;			/* source number of its first producer's first role */
};

static const uint8_t *partial_of(const struct eval *ev, uint32_t step, const struct group_at *at,
				 uint32_t tile, uint32_t role)
{
	int64_t p = kt_tiles_index(&at->g->producers, tile);

	if (p < 0)
		return NULL;
	return ev->partial[step][at->first + (uint32_t)p * ev->prog->steps[step].d->n_roles + role];
}

static int copy_result(struct eval *ev, uint32_t step, const struct group_at *at, uint32_t c,
		       uint32_t role, uint8_t *out)
{
	const struct kt_delivery *d = ev->prog->steps[step].d;
	const struct kt_role *r = &d->roles[role];
	const struct kt_tiles *dep = kt_group_dep(at->g, c);
	int64_t x[KT_MAX_RANK] = {0}, n, element;

	do {
		uint32_t l = origin(d, r, c, x, &element);
		const uint8_t *from = l < dep->n ? partial_of(ev, step, at, dep->ids[l], role) :
						   NULL;

		if (!from)
			return -EINVAL;
		n = run_of(r, x);
		memcpy(out, from + element * r->elem_bytes, (size_t)n * r->elem_bytes);
		out += n * r->elem_bytes;
	} while (next_run(r->result, x, n));
	return 0;
}

static int fold_result(struct eval *ev, uint32_t step, const struct group_at *at, uint32_t c,
		       const struct kt_fold *f, uint8_t *const *out)
{
	const struct kt_delivery *d = ev->prog->steps[step].d;
	bool pair = f->n_roles == 2;
	uint32_t vr = pair && f->index_role == f->role ? f->role + 1 : f->role;
	const struct kt_role *r = &d->roles[vr], *ir = pair ? &d->roles[f->index_role] : r;
	const struct kt_tiles *dep = kt_group_dep(at->g, c);
	int64_t x[KT_MAX_RANK] = {0}, n, element, i, to = 0;
	struct kt_fold_value v;
	uint32_t p;

	do {
		origin(d, r, c, x, &element);
		n = run_of(r, x);
		for (i = 0; i < n; i++, to++) {
			for (p = 0; p < dep->n; p++) {
				const uint8_t *e = partial_of(ev, step, at, dep->ids[p], vr);
				const uint8_t *ie = pair ? partial_of(ev, step, at, dep->ids[p],
								      f->index_role) : NULL;

				if (!e || (pair && !ie))
					return -EINVAL;
				e += (element + i) * r->elem_bytes;
				ie = pair ? ie + (element + i) * ir->elem_bytes : NULL;
				if (!p)
					kt_fold_begin(&v, r->dtype, e, ir->dtype, ie);
				else
					kt_fold_add(&v, f->op, f->mode, r->dtype, e, ir->dtype,
						    ie);
			}
			kt_fold_end(&v, r->dtype, out[vr] + to * r->elem_bytes, ir->dtype,
				    pair ? out[f->index_role] + to * ir->elem_bytes : NULL);
		}
	} while (next_run(r->result, x, n));
	return 0;
}

static int deliver_to(struct eval *ev, uint32_t step, const struct group_at *at, uint32_t c)
{
	const struct kt_delivery *d = ev->prog->steps[step].d;
	uint32_t tile = at->g->consumers.ids[c], r;
	uint8_t **out = kt_alloc(&ev->arena, d->n_roles * sizeof(*out));
	int ret = out ? 0 : -ENOMEM;

	for (r = 0; r < d->n_roles && !ret; r++) {
		out[r] = kt_alloc(&ev->arena, type_bytes(d->roles[r].result,
							 d->roles[r].elem_bytes));
		if (!out[r])
			return -ENOMEM;
		ev->result[step][r * ev->prog->n_tiles + tile] = out[r];
		if (!d->fold)
			ret = copy_result(ev, step, at, c, r, out[r]);
	}
	for (r = 0; d->fold && r < d->n_folds && !ret; r++)
		ret = fold_result(ev, step, at, c, &d->folds[r], out);
	return ret;
}

/* --- values that the program has no place for ------------------------------------------------- */

/* Part of an earlier result that is contributed again. */
static int chained(struct eval *ev, const struct kt_place *pl, uint32_t tile,
		   const struct kt_role *r, uint8_t *out)
{
	const struct kt_role *from = &ev->prog->steps[pl->chain - 1].d->roles[pl->chain_role];
	const uint8_t *res = ev->result[pl->chain - 1][pl->chain_role * ev->prog->n_tiles + tile];
	int64_t x[KT_MAX_RANK] = {0};
	unsigned int a;

	if (!res)
		return -EINVAL;
	do {
		int64_t in = 0;

		for (a = 0; a < r->partial->rank; a++)
			in = in * from->result->shape[a] + pl->chain_start[a] + x[a];
		memcpy(out, res + in * r->elem_bytes, r->elem_bytes);
		out += r->elem_bytes;
	} while (next_run(r->partial, x, 1));
	return 0;
}

/* What the host writes before a step: all of it goes into the pads, then every partial is
 * what stands there (two may share bytes). */
static int host_writes(struct eval *ev, uint32_t step)
{
	uint32_t pass, k, i;
	int ret = 0;

	for (pass = 0; pass < 2; pass++)
		for (k = step; k < ev->prog->n_steps; k++)
			for (i = 0; i < ev->prog->steps[k].n_src && !ret; i++) {
				const struct kt_step *s = &ev->prog->steps[k];
				uint32_t io = ev->io_of[k][i];
				struct source src = source_of(s, i);
				const struct kt_role *r = &s->d->roles[src.role];

				if (!io || ev->plan->io[io - 1].step != step ||
				    !ev->inputs[io - 1])
					continue;
				if (!pass)
					memcpy(ev->partial[k][i], ev->inputs[io - 1],
					       ev->plan->io[io - 1].bytes);
				if (s->src[i].known)
					ret = move(ev, &s->src[i], src.tile, ev->partial[k][i],
						   r->partial->shape, NULL, r->partial->shape,
						   r->partial->rank, r->elem_bytes, !pass);
				else if (!pass)
					kt_io_to_pads(&ev->plan->io[io - 1], ev->inputs[io - 1],
						      ev->pads);
			}
	return ret;
}

/* Results: to the caller, and into places that the library chose. */
static int give_results(struct eval *ev, uint32_t step)
{
	uint32_t i, p;

	for (i = 0; i < ev->plan->n_io; i++) {
		const struct kt_io *io = &ev->plan->io[i];
		const uint8_t *res;

		if (!io->output || io->delivery != step)
			continue;
		res = ev->result[step][io->role * ev->prog->n_tiles + io->tile];
		if (!res)
			return -EINVAL;
		memcpy(ev->outputs[i], res, io->bytes);
		for (p = 0; p < io->n_pieces; p++) {
			struct kt_io one = *io;

			if (!io->pieces[p].placed)
				continue;
			one.n_pieces = 1;
			one.pieces = &io->pieces[p];
			kt_io_to_pads(&one, res, ev->pads);
		}
	}
	return 0;
}

static int deliver(struct eval *ev, uint32_t step)
{
	const struct kt_step *s = &ev->prog->steps[step];
	struct group_at at = {0};
	uint32_t g, c, i;
	int ret = host_writes(ev, step);

	for (i = 0; i < s->n_src && !ret; i++) {
		struct source src = source_of(s, i);

		if (s->src[i].chain)
			ret = chained(ev, &s->src[i], src.tile, &s->d->roles[src.role],
				      ev->partial[step][i]);
	}
	for (g = 0; g < s->d->n_groups && !ret; g++) {
		at.g = &s->d->groups[g];
		for (c = 0; c < at.g->consumers.n && !ret; c++)
			ret = deliver_to(ev, step, &at, c);
		at.first += at.g->producers.n * s->d->n_roles;
	}
	return ret ? ret : give_results(ev, step);
}

/* --- order ---------------------------------------------------------------------------------------- */

static int run_event(struct eval *ev, const struct event *e)
{
	const struct kt_step *s = &ev->prog->steps[e->step];

	if (e->store) {
		const struct kt_store *st = &s->stores[e->index];
		const struct kt_role *r = &s->d->roles[st->role];
		uint8_t *v = ev->result[e->step][st->role * ev->prog->n_tiles + st->tile];

		return v ? move(ev, &st->place, st->tile, v, r->result->shape, st->start, st->size,
				r->result->rank, r->elem_bytes, true) : -EINVAL;
	} else {
		struct source src = source_of(s, e->index);
		const struct kt_role *r = &s->d->roles[src.role];

		/* the host's partials are read when they are written, see host_writes() */
		if (ev->inputs[ev->io_of[e->step][e->index] - 1])
			return 0;
		return move(ev, &s->src[e->index], src.tile, ev->partial[e->step][e->index],
			    r->partial->shape, NULL, r->partial->shape, r->partial->rank,
			    r->elem_bytes, false);
	}
}

static int by_seq(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Value of the plan of every source. */
static int find_inputs(struct eval *ev, uint32_t step)
{
	const struct kt_step *s = &ev->prog->steps[step];
	uint32_t n = ev->prog->n_tiles, *at, i;

	at = kt_alloc(&ev->arena, ((size_t)n * s->d->n_roles + 1) * sizeof(*at));
	ev->io_of[step] = kt_alloc(&ev->arena, (s->n_src + 1) * sizeof(**ev->io_of));
	if (!at || !ev->io_of[step])
		return -ENOMEM;
	for (i = 0; i < ev->plan->n_io; i++) {
		const struct kt_io *io = &ev->plan->io[i];

		if (!io->output && io->delivery == step)
			at[io->role * n + io->tile] = i + 1;
	}
	for (i = 0; i < s->n_src; i++) {
		struct source src = source_of(s, i);

		ev->io_of[step][i] = at[src.role * n + src.tile];
	}
	return 0;
}

static int set_up(struct eval *ev)
{
	uint32_t k, i, n = 0;
	int ret;

	for (k = 0; k < ev->prog->n_steps; k++)
		n += ev->prog->steps[k].n_src + ev->prog->steps[k].n_stores;
	ev->events = kt_alloc(&ev->arena, (n + 1) * sizeof(*ev->events));
	ev->partial = kt_alloc(&ev->arena, (ev->prog->n_steps + 1) * sizeof(*ev->partial));
	ev->result = kt_alloc(&ev->arena, (ev->prog->n_steps + 1) * sizeof(*ev->result));
	ev->io_of = kt_alloc(&ev->arena, (ev->prog->n_steps + 1) * sizeof(*ev->io_of));
	if (!ev->events || !ev->partial || !ev->result || !ev->io_of)
		return -ENOMEM;
	for (k = 0; k < ev->prog->n_steps; k++) {
		const struct kt_step *s = &ev->prog->steps[k];

		ev->partial[k] = kt_alloc(&ev->arena, (s->n_src + 1) * sizeof(**ev->partial));
		ev->result[k] = kt_alloc(&ev->arena, ((size_t)ev->prog->n_tiles * s->d->n_roles + 1) *
					 sizeof(**ev->result));
		if (!ev->partial[k] || !ev->result[k])
			return -ENOMEM;
		for (i = 0; i < s->n_src; i++) {
			const struct kt_role *r = &s->d->roles[source_of(s, i).role];

			ev->partial[k][i] = kt_alloc(&ev->arena, type_bytes(r->partial,
									    r->elem_bytes));
			if (!ev->partial[k][i])
				return -ENOMEM;
			if (s->src[i].known)
				ev->events[ev->n_events++] = (struct event){
					s->src_load_seq[i], false, k, i };
		}
		for (i = 0; i < s->n_stores; i++)
			ev->events[ev->n_events++] = (struct event){ s->stores[i].seq, true, k, i };
		ret = find_inputs(ev, k);
		if (ret)
			return ret;
	}
	qsort(ev->events, ev->n_events, sizeof(*ev->events), by_seq);
	return 0;
}

int kt_eval_program(const void *ctx, const struct ktdev_plan *plan, uint8_t *const *inputs,
		    uint8_t *const *outputs, uint8_t *const *pads, uint64_t pad_bytes)
{
	struct eval ev = {
		.prog = ctx, .plan = plan, .inputs = inputs, .outputs = outputs, .pads = pads,
		.pad_bytes = pad_bytes,
	};
	uint32_t e = 0, k;
	int ret = set_up(&ev);

	for (k = 0; k < ev.prog->n_steps && !ret; k++) {
		for (; e < ev.n_events && ev.events[e].seq < ev.prog->steps[k].seq && !ret; e++)
			ret = run_event(&ev, &ev.events[e]);
		if (!ret)
			ret = deliver(&ev, k);
	}
	for (; e < ev.n_events && !ret; e++)
		ret = run_event(&ev, &ev.events[e]);
	kt_arena_fini(&ev.arena);
	return ret;
}
