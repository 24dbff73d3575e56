// SPDX-License-Identifier: MIT
/*
 * Where pieces lie. Both the compiled table and the emitted KTIR use this one answer, so
 * they can be compared byte by byte.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "relayout.h"

void kt_part_strides(const struct ktdev_relayout *rel, enum ktdev_side side,
		     const struct kte_box *box, uint64_t *stride)
{
	const uint8_t *layout = rel->side[side].layout;
	uint64_t bytes = rel->elem_bytes;
	uint32_t i;

	for (i = rel->rank; i-- > 0;) {
		stride[layout[i]] = bytes;
		bytes *= box->size[layout[i]];
	}
}

static uint64_t round_up(uint64_t v)
{
	return (v + KTE_STICK_BYTES - 1) & ~(uint64_t)(KTE_STICK_BYTES - 1);
}

static int owned_order(const void *pa, const void *pb)
{
	const struct kt_owned *a = pa, *b = pb;

	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

struct kt_owned *kt_owned_list(const struct kt_side *s, uint32_t *n)
{
	uint32_t i, k, total = 0;
	bool sorted = true;
	struct kt_owned *v;

	for (i = 0; i < s->n; i++)
		total += s->pieces[i].n_owners;
	v = malloc(((size_t)total + 1) * sizeof(*v));
	*n = total;
	if (!v)
		return NULL;
	for (i = 0, total = 0; i < s->n; i++)
		for (k = 0; k < s->pieces[i].n_owners; k++, total++) {
			v[total] = (struct kt_owned){ s->pieces[i].owners[k],
						      s->pieces[i].order[k], i, k };
			sorted = sorted && (!total || owned_order(&v[total - 1], &v[total]) < 0);
		}
	if (!sorted)
		qsort(v, total, sizeof(*v), owned_order);
	return v;
}

static uint64_t owned_bytes(const struct ktdev_relayout *rel, int side, const struct kt_owned *o)
{
	return kt_box_volume(&rel->side[side].pieces[o->piece].box, rel->rank) * rel->elem_bytes;
}

/* Pieces of all cores in common slots from byte @at on. */
static int place_slots(struct kt_places *pl, const struct ktdev_relayout *rel, int side,
		       const struct kt_owned *v, uint32_t n, uint64_t at)
{
	uint32_t *slot = calloc(rel->cores, sizeof(*slot)), i, slots = 0;
	uint64_t *base = calloc((size_t)n + 1, sizeof(*base));
	int ret = slot && base ? 0 : -ENOMEM;

	for (i = 0; !ret && i < n; i++) {
		uint32_t k = slot[v[i].core]++;

		if (k >= slots)
			slots = k + 1;
		if (owned_bytes(rel, side, &v[i]) > base[k])
			base[k] = owned_bytes(rel, side, &v[i]);
	}
	for (i = 0; !ret && i < slots; i++) {
		uint64_t bytes = round_up(base[i]);

		base[i] = at;
		if (__builtin_add_overflow(at, bytes, &at) || at > INT64_MAX)
			ret = -ERANGE;
	}
	if (!ret) {
		memset(slot, 0, rel->cores * sizeof(*slot));
		for (i = 0; i < n; i++)
			pl->addr[side][pl->first[side][v[i].piece] + v[i].owner] =
				base[slot[v[i].core]++];
		pl->end[side] = at;
	}
	free(slot);
	free(base);
	return ret;
}

/* Each core's pieces packed on their own from its byte used[core] on. */
static int place_packed(struct kt_places *pl, const struct ktdev_relayout *rel, int side,
			const struct kt_owned *v, uint32_t n, uint64_t *used)
{
	uint32_t i;

	pl->end[side] = 0;
	for (i = 0; i < n; i++) {
		uint64_t *at = &used[v[i].core];

		pl->addr[side][pl->first[side][v[i].piece] + v[i].owner] = *at;
		if (__builtin_add_overflow(*at, round_up(owned_bytes(rel, side, &v[i])), at) ||
		    *at > INT64_MAX)
			return -ERANGE;
		if (*at > pl->end[side])
			pl->end[side] = *at;
	}
	return 0;
}

static int keep_given(struct kt_places *pl, const struct ktdev_relayout *rel, int side)
{
	const struct kt_side *s = &rel->side[side];
	uint32_t i, k;

	pl->end[side] = 0;
	for (i = 0; i < s->n; i++) {
		uint64_t bytes = kt_box_volume(&s->pieces[i].box, rel->rank) * rel->elem_bytes;

		for (k = 0; k < s->pieces[i].n_owners; k++) {
			uint64_t end = s->pieces[i].addr[k];

			pl->addr[side][pl->first[side][i] + k] = end;
			if (__builtin_add_overflow(end, bytes, &end) || end > INT64_MAX)
				return -ERANGE;
			if (end > pl->end[side])
				pl->end[side] = end;
		}
	}
	return 0;
}

static int alloc_side(struct kt_places *pl, const struct ktdev_relayout *rel, int side,
		      struct kt_arena *a)
{
	const struct kt_side *s = &rel->side[side];
	uint32_t i, n = 0;

	pl->first[side] = kt_alloc(a, ((size_t)s->n + 1) * sizeof(*pl->first[side]));
	if (!pl->first[side])
		return -ENOMEM;
	for (i = 0; i < s->n; i++) {
		pl->first[side][i] = n;
		n += s->pieces[i].n_owners;
	}
	pl->first[side][s->n] = n;
	pl->addr[side] = kt_alloc(a, ((size_t)n + 1) * sizeof(*pl->addr[side]));
	return pl->addr[side] ? 0 : -ENOMEM;
}

int kt_places_init(struct kt_places *pl, const struct ktdev_relayout *rel, uint64_t window,
		   struct kt_arena *a)
{
	struct kt_owned *v[2] = { NULL, NULL };
	uint32_t n[2] = { 0, 0 };
	uint64_t at = 0, *used;
	int s, ret = 0;

	memset(pl, 0, sizeof(*pl));
	for (s = 0; s < 2 && !ret; s++) {
		ret = alloc_side(pl, rel, s, a);
		if (!ret && rel->side[s].placed)
			ret = keep_given(pl, rel, s);
		if (!ret && rel->side[s].placed && pl->end[s] > at)
			at = round_up(pl->end[s]);
	}
	pl->uniform = true;
	for (s = 0; s < 2 && !ret; s++) {
		if (rel->side[s].placed)
			continue;
		v[s] = kt_owned_list(&rel->side[s], &n[s]);
		ret = v[s] ? place_slots(pl, rel, s, v[s], n[s], at) : -ENOMEM;
		at = pl->end[s];
	}
	if ((!ret && window && at > window && !rel->side[0].placed && !rel->side[1].placed) ||
	    (ret == -ERANGE && v[0])) {
		used = calloc(rel->cores, sizeof(*used));
		ret = used ? 0 : -ENOMEM;
		pl->uniform = false;
		for (s = 0; s < 2 && !ret; s++) {
			if (!v[s] && !rel->side[s].placed)
				v[s] = kt_owned_list(&rel->side[s], &n[s]);
			if (v[s])
				ret = place_packed(pl, rel, s, v[s], n[s], used);
			else if (!rel->side[s].placed)
				ret = -ENOMEM;
		}
		free(used);
	}
	free(v[0]);
	free(v[1]);
	return ret;
}
