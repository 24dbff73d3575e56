// SPDX-License-Identifier: MIT
/*
 * Time: a program loads, delivers and stores in one order, a plan runs one image per
 * delivery. This finds, for every partial, when the host may write it, whether an earlier
 * step provides it, and whether a step overwrites it between its load and its use (it is
 * then saved by a copy in that step's image). Orders that images cannot keep are refused.
 */
#include <errno.h>
#include <string.h>

#include "lower.h"
#include "runs.h"

bool kt_lw_hull(const struct kt_place *pl, const int64_t *size, unsigned int rank, uint32_t elem,
		uint64_t *start, uint64_t *end)
{
	uint64_t span = elem, step;
	unsigned int a;

	for (a = 0; a < rank; a++) {
		if (size[a] < 2)
			continue;
		if (__builtin_mul_overflow((uint64_t)size[a] - 1, (uint64_t)pl->stride[a], &step) ||
		    __builtin_add_overflow(span, step, &span))
			return false;
	}
	*start = (uint64_t)pl->offset;
	return !__builtin_add_overflow(*start, span, end);
}

/* A box on a tile, to compare. */
struct area {
	const struct kt_place *pl;
	const int64_t *size;
	unsigned int rank;
	uint32_t elem;
};

static struct area src_area(const struct kt_lw *lw, uint32_t step, uint32_t i)
{
	const struct kt_step *s = &lw->prog->steps[step];
	const struct kt_role *r = &s->d->roles[lw->steps[step].src[i].role];

	return (struct area){ &s->src[i], r->partial->shape, r->partial->rank, r->elem_bytes };
}

static struct area store_area(const struct kt_lw *lw, uint32_t step, uint32_t i)
{
	const struct kt_step *s = &lw->prog->steps[step];
	const struct kt_store *st = &s->stores[i];
	const struct kt_role *r = &s->d->roles[st->role];

	return (struct area){ &st->place, st->size, r->result->rank, r->elem_bytes };
}

static int add_runs(struct kt_runs *r, const struct area *a)
{
	uint64_t size[KT_MAX_RANK], stride[KT_MAX_RANK];
	unsigned int i;

	for (i = 0; i < a->rank; i++) {
		size[i] = (uint64_t)a->size[i];
		stride[i] = (uint64_t)a->pl->stride[i];
	}
	return kt_runs_add(r, (uint64_t)a->pl->offset, size, stride, a->rank, a->elem);
}

/* 1 if two areas share a byte, 0 if not, negative errno. */
static int areas_meet(const struct area *a, const struct area *b)
{
	struct kt_runs ra = {0}, rb = {0};
	uint64_t s1, e1, s2, e2;
	int ret;

	if (!kt_lw_hull(a->pl, a->size, a->rank, a->elem, &s1, &e1) ||
	    !kt_lw_hull(b->pl, b->size, b->rank, b->elem, &s2, &e2))
		return 1;
	if (s1 >= e2 || s2 >= e1)
		return 0;
	ret = add_runs(&ra, a);
	if (!ret)
		ret = add_runs(&rb, b);
	if (!ret) {
		kt_runs_settle(&ra);
		kt_runs_settle(&rb);
		ret = kt_runs_shared(&ra, &rb) != 0;
	}
	kt_runs_fini(&ra);
	kt_runs_fini(&rb);
	return ret == -E2BIG ? 1 : ret;	/* cannot tell cheaply: act as if they met */
}

/* --- partials ----------------------------------------------------------------------------- */

static int refuse_order(struct kt_lw *lw, const struct kt_step *s, uint32_t tile,
			struct kt_range other, const char *what)
{
	struct kt_diag *d = kt_diag(lw->rep, lw->src, s->d->op->at, KT_K13, KTDEV_UNSUPPORTED,
				    "%s on tile %u in an order that one image per delivery cannot keep",
				    what, tile);

	kt_diag_witness(d, KT_NO_WITNESS, tile, KT_NO_WITNESS);
	kt_diag_note(d, lw->src, other, "the other store");
	return -EOPNOTSUPP;
}

/* The first step before @step that overwrites partial @i after its load. */
static int find_save(struct kt_lw *lw, uint32_t step, uint32_t i)
{
	const struct kt_step *s = &lw->prog->steps[step];
	struct kt_lw_src *src = &lw->steps[step].src[i];
	struct area mine = src_area(lw, step, i);
	uint32_t k, j;
	int met;

	for (k = 0; k < step; k++) {
		const struct kt_step *e = &lw->prog->steps[k];
		const struct kt_lw_step *le = &lw->steps[k];

		if (!le->store_head)
			continue;
		for (j = le->store_head[src->tile]; j; j = le->store_next[j - 1]) {
			struct area theirs = store_area(lw, k, j - 1);
			bool after = e->stores[j - 1].seq > s->src_load_seq[i];

			if (!after && src->save_step == KT_LW_NONE)
				continue;
			met = areas_meet(&mine, &theirs);
			if (met < 0)
				return met;
			if (met && after && src->save_step == KT_LW_NONE) {
				src->save_step = k;
				lw->steps[k].saves = true;
				j = le->store_head[src->tile];	/* look at this step again */
				after = e->stores[j - 1].seq > s->src_load_seq[i];
				theirs = store_area(lw, k, j - 1);
				met = areas_meet(&mine, &theirs);
				if (met < 0)
					return met;
			}
			if (met && !after)
				return refuse_order(lw, s, src->tile, e->stores[j - 1].at,
						    "a partial is stored to before and after its load");
		}
	}
	return 0;
}

/* Whether a store of something that is no result may have changed the hull in between. */
static bool foreign_between(const struct kt_lw *lw, uint32_t tile, const struct area *a,
			    unsigned int from, unsigned int to)
{
	uint64_t s, e;
	uint32_t i;

	if (!kt_lw_hull(a->pl, a->size, a->rank, a->elem, &s, &e))
		return true;
	for (i = 0; i < lw->prog->n_touches; i++) {
		const struct kt_touch *t = &lw->prog->touches[i];

		if (t->write && (t->all_tiles || t->tile == tile) && t->seq > from &&
		    t->seq < to && t->start < e && s < t->end)
			return true;
	}
	return false;
}

/* Whether results of earlier steps are stored into the partial before its load. */
static int find_derived(struct kt_lw *lw, uint32_t step, uint32_t i)
{
	const struct kt_step *s = &lw->prog->steps[step];
	struct kt_lw_src *src = &lw->steps[step].src[i];
	struct area mine = src_area(lw, step, i);
	unsigned int last = 0;
	uint32_t k, j;
	int met;

	for (k = 0; k < step; k++) {
		const struct kt_lw_step *le = &lw->steps[k];

		for (j = le->store_head ? le->store_head[src->tile] : 0; j;
		     j = le->store_next[j - 1]) {
			const struct kt_store *st = &lw->prog->steps[k].stores[j - 1];
			struct area a = store_area(lw, k, j - 1);

			if (st->seq > s->src_load_seq[i] || st->seq <= last)
				continue;
			met = areas_meet(&mine, &a);
			if (met < 0)
				return met;
			if (met)
				last = st->seq;
		}
	}
	src->derived = last && !foreign_between(lw, src->tile, &mine, last, s->src_load_seq[i]);
	return 0;
}

/*
 * When the host writes. Nothing is stored into a host's partial before its load, so its
 * bytes may be written at any time up to the step that uses or overwrites it. As late as
 * possible lets two deliveries load the same bytes with a new value in between. But
 * what overlaps a derived partial must be there from the beginning, and nothing may be
 * written over a partial between its own write and its use.
 */
struct known_src {
	uint32_t step, index, next;	/* next: 1 + place in the list of the same tile */
};

static int settle_write(struct kt_lw *lw, const struct known_src *v, uint32_t head,
			const struct known_src *me, bool *moved)
{
	struct kt_lw_src *src = &lw->steps[me->step].src[me->index];
	struct area mine = src_area(lw, me->step, me->index), theirs;
	uint32_t n;
	int met;

	for (n = head; n; n = v[n - 1].next) {
		const struct kt_lw_src *o = &lw->steps[v[n - 1].step].src[v[n - 1].index];
		uint32_t limit = o->derived ? 0 : o->in_step;
		uint32_t used = o->save_step == KT_LW_NONE ? v[n - 1].step : o->save_step;

		if (src->in_step <= limit || (!o->derived && src->in_step > used))
			continue;
		theirs = src_area(lw, v[n - 1].step, v[n - 1].index);
		met = areas_meet(&mine, &theirs);
		if (met < 0)
			return met;
		if (met) {
			src->in_step = limit;
			*moved = true;
		}
	}
	return 0;
}

static int order_writes(struct kt_lw *lw)
{
	uint32_t *head = kt_alloc(lw->a, lw->chk->n_tiles * sizeof(*head));
	struct known_src *v;
	uint32_t k, i, n = 0;
	bool moved = true;
	int ret;

	for (k = 0; k < lw->prog->n_steps; k++)
		n += lw->prog->steps[k].n_src;
	v = kt_alloc(lw->a, (n + 1) * sizeof(*v));
	if (!head || !v)
		return -ENOMEM;
	for (k = 0, n = 0; k < lw->prog->n_steps; k++)
		for (i = 0; i < lw->prog->steps[k].n_src; i++) {
			uint32_t tile = lw->steps[k].src[i].tile;

			if (!lw->prog->steps[k].src[i].known)
				continue;
			v[n] = (struct known_src){ k, i, head[tile] };
			head[tile] = ++n;
		}
	while (moved) {
		moved = false;
		for (i = 0; i < n; i++) {
			const struct kt_lw_src *src = &lw->steps[v[i].step].src[v[i].index];

			if (src->derived || !src->in_step)
				continue;
			ret = settle_write(lw, v, head[src->tile], &v[i], &moved);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/* Stores of two steps to one byte must happen in the order of the steps. */
static int check_stores(struct kt_lw *lw, uint32_t step)
{
	const struct kt_step *s = &lw->prog->steps[step];
	uint32_t i, k, j;
	int met;

	for (i = 0; i < s->n_stores; i++)
		for (k = 0; k < step; k++) {
			const struct kt_step *e = &lw->prog->steps[k];
			const struct kt_lw_step *le = &lw->steps[k];

			for (j = le->store_head ? le->store_head[s->stores[i].tile] : 0; j;
			     j = le->store_next[j - 1]) {
				struct area a = store_area(lw, step, i);
				struct area b = store_area(lw, k, j - 1);

				if (e->stores[j - 1].seq < s->stores[i].seq)
					continue;
				met = areas_meet(&a, &b);
				if (met < 0)
					return met;
				if (met)
					return refuse_order(lw, s, s->stores[i].tile,
							    e->stores[j - 1].at,
							    "two results are stored to the same bytes");
			}
		}
	return 0;
}

static int index_stores(struct kt_lw *lw, uint32_t step)
{
	const struct kt_step *s = &lw->prog->steps[step];
	struct kt_lw_step *ls = &lw->steps[step];
	uint32_t i;

	if (!s->n_stores)
		return 0;
	ls->store_head = kt_alloc(lw->a, lw->chk->n_tiles * sizeof(*ls->store_head));
	ls->store_next = kt_alloc(lw->a, s->n_stores * sizeof(*ls->store_next));
	if (!ls->store_head || !ls->store_next)
		return -ENOMEM;
	for (i = s->n_stores; i-- > 0;) {
		ls->store_next[i] = ls->store_head[s->stores[i].tile];
		ls->store_head[s->stores[i].tile] = i + 1;
	}
	return 0;
}

static int index_sources(struct kt_lw *lw, uint32_t step)
{
	const struct kt_step *s = &lw->prog->steps[step];
	const struct kt_delivery *d = s->d;
	struct kt_lw_step *ls = &lw->steps[step];
	uint32_t g, p, r, n = 0;

	ls->src = kt_alloc(lw->a, (size_t)s->n_src * sizeof(*ls->src));
	if (!ls->src)
		return -ENOMEM;
	for (g = 0; g < d->n_groups; g++)
		for (p = 0; p < d->groups[g].producers.n; p++)
			for (r = 0; r < d->n_roles; r++, n++) {
				struct kt_lw_src *src = &ls->src[n];

				src->tile = d->groups[g].producers.ids[p];
				src->role = r;
				src->place = s->src[n];
				src->in_step = step;
				src->save_step = KT_LW_NONE;
				src->placed = !s->src[n].known && !s->src[n].chain;
				src->derived = s->src[n].chain != 0;
			}
	return 0;
}

static int note_chains(struct kt_lw *lw, uint32_t step)
{
	const struct kt_step *s = &lw->prog->steps[step];
	uint32_t i, n = lw->chk->n_tiles;

	for (i = 0; i < s->n_src; i++) {
		struct kt_lw_step *from;
		uint32_t at;

		if (!s->src[i].chain)
			continue;
		from = &lw->steps[s->src[i].chain - 1];
		if (!from->chain_until) {
			uint32_t slots = lw->prog->steps[s->src[i].chain - 1].d->n_roles * n;

			from->chain_until = kt_alloc(lw->a, slots * sizeof(*from->chain_until));
			from->chain_place = kt_alloc(lw->a, slots * sizeof(*from->chain_place));
			if (!from->chain_until || !from->chain_place)
				return -ENOMEM;
		}
		at = s->src[i].chain_role * n + lw->steps[step].src[i].tile;
		if (from->chain_until[at] < step)
			from->chain_until[at] = step;
	}
	return 0;
}

int kt_lw_order(struct kt_lw *lw)
{
	uint32_t k, i;
	int ret;

	for (k = 0; k < lw->prog->n_steps; k++) {
		ret = index_stores(lw, k);
		if (!ret)
			ret = index_sources(lw, k);
		if (!ret)
			ret = note_chains(lw, k);
		if (!ret && k)
			ret = check_stores(lw, k);
		for (i = 0; !ret && k && i < lw->prog->steps[k].n_src; i++) {
			struct kt_lw_src *src = &lw->steps[k].src[i];

			if (!lw->prog->steps[k].src[i].known)
				continue;
			ret = find_save(lw, k, i);
			if (!ret)
				ret = find_derived(lw, k, i);
			if (src->save_step != KT_LW_NONE)
				src->in_step = src->save_step;
		}
		if (ret)
			return ret;
	}
	return lw->prog->n_steps > 1 ? order_writes(lw) : 0;
}
