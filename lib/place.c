// SPDX-License-Identifier: MIT
/*
 * The scratchpad allocator: first fit over sorted lists of taken ranges.
 */
#include "place.h"

#include <errno.h>
#include <string.h>

static uint64_t stick_up(uint64_t v)
{
	return v > UINT64_MAX - (KT_STICK - 1) ? UINT64_MAX : (v + KT_STICK - 1) & ~(KT_STICK - 1ull);
}

int kt_spm_init(struct kt_spm *spm, struct kt_arena *a, uint32_t n_tiles, uint64_t window)
{
	memset(spm, 0, sizeof(*spm));
	spm->arena = a;
	spm->n_tiles = n_tiles;
	spm->window = window;
	spm->tiles = kt_alloc(a, (size_t)n_tiles * sizeof(*spm->tiles));
	return spm->tiles ? 0 : -ENOMEM;
}

static int insert_at(struct kt_spm *spm, struct kt_spm_tile *t, uint32_t at, uint64_t start,
		     uint64_t end)
{
	if (t->n == t->cap) {
		uint32_t cap = t->cap ? 2 * t->cap : 8;
		struct kt_taken *v = kt_alloc(spm->arena, cap * sizeof(*v));

		if (!v)
			return -ENOMEM;
		if (t->n)
			memcpy(v, t->v, t->n * sizeof(*v));
		t->v = v;
		t->cap = cap;
	}
	memmove(t->v + at + 1, t->v + at, (t->n - at) * sizeof(*t->v));
	t->v[at].start = start;
	t->v[at].end = end;
	t->n++;
	return 0;
}

/* First range that ends after @start. */
static uint32_t find(const struct kt_spm_tile *t, uint64_t start)
{
	uint32_t lo = 0, hi = t->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->v[mid].end > start)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static int reserve_one(struct kt_spm *spm, struct kt_spm_tile *t, uint64_t start, uint64_t end)
{
	uint32_t first = find(t, start), last = first;

	while (last < t->n && t->v[last].start < end)
		last++;
	if (first == last)
		return insert_at(spm, t, first, start, end);
	if (t->v[first].start < start)
		start = t->v[first].start;
	if (t->v[last - 1].end > end)
		end = t->v[last - 1].end;
	t->v[first].start = start;
	t->v[first].end = end;
	memmove(t->v + first + 1, t->v + last, (t->n - last) * sizeof(*t->v));
	t->n -= last - first - 1;
	return 0;
}

int kt_spm_reserve(struct kt_spm *spm, uint32_t tile, uint64_t start, uint64_t bytes)
{
	uint64_t end;
	uint32_t i;
	int ret;

	if (!bytes || start >= spm->window)
		return 0;
	end = bytes > spm->window - start ? spm->window : start + bytes;
	if (tile != KT_ALL_TILES)
		return reserve_one(spm, &spm->tiles[tile], start, end);
	for (i = 0; i < spm->n_tiles; i++) {
		ret = reserve_one(spm, &spm->tiles[i], start, end);
		if (ret)
			return ret;
	}
	return 0;
}

/* The first free range of @bytes in @t; UINT64_MAX and spm->available if there is none. */
static uint64_t first_fit(struct kt_spm *spm, const struct kt_spm_tile *t, uint64_t bytes,
			  uint32_t *at)
{
	uint64_t pos = 0, room, longest = 0;
	uint32_t i;

	for (i = 0; i <= t->n; i++) {
		uint64_t end = i < t->n ? t->v[i].start : spm->window;

		room = pos < end ? end - pos : 0;
		if (room >= bytes) {
			*at = i;
			return pos;
		}
		room &= ~(KT_STICK - 1ull);
		if (room > longest)
			longest = room;
		if (i < t->n)
			pos = stick_up(t->v[i].end);
	}
	spm->needed = bytes;
	spm->available = longest;
	return UINT64_MAX;
}

int kt_spm_take(struct kt_spm *spm, uint32_t tile, uint64_t bytes, uint64_t *offset)
{
	struct kt_spm_tile *t = &spm->tiles[tile];
	uint64_t pos;
	uint32_t at = 0;

	bytes = stick_up(bytes);
	pos = first_fit(spm, t, bytes, &at);
	if (pos == UINT64_MAX)
		return -ENOSPC;
	*offset = pos;
	return insert_at(spm, t, at, pos, pos + bytes);
}

void kt_spm_give(struct kt_spm *spm, uint32_t tile, uint64_t offset)
{
	struct kt_spm_tile *t = &spm->tiles[tile];
	uint32_t at = find(t, offset);

	if (at == t->n || t->v[at].start != offset)
		return;
	memmove(t->v + at, t->v + at + 1, (t->n - at - 1) * sizeof(*t->v));
	t->n--;
}

int kt_spm_find_common(struct kt_spm *spm, uint64_t bytes, uint64_t *offset)
{
	struct kt_spm_tile all = {0};
	uint32_t i, j, at;
	int ret;

	for (i = 0; i < spm->n_tiles; i++)
		for (j = 0; j < spm->tiles[i].n; j++) {
			const struct kt_taken *r = &spm->tiles[i].v[j];

			ret = reserve_one(spm, &all, r->start, r->end);
			if (ret)
				return ret;
		}
	*offset = first_fit(spm, &all, stick_up(bytes), &at);
	return *offset == UINT64_MAX ? -ENOSPC : 0;
}
