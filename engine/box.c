// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Boxes: walks over their bytes, and the sort and gcd the floors above share.
 */
#include "box.h"

void kte_walk_init(struct kte_walk *w, const struct kte_entry *e, uint32_t rank, uint32_t role,
		   uint32_t elem, const struct kte_box *box)
{
	uint32_t a, i, n = 0;

	w->base = kte_byte_of(e, rank, role, box->start);
	w->run = elem;
	/* insertion sort of the axes by stride */
	for (a = 0; a < rank; a++) {
		uint64_t stride = e->stride[role][a];

		if (box->size[a] < 2)
			continue;
		for (i = n++; i > 0 && w->stride[i - 1] > stride; i--) {
			w->stride[i] = w->stride[i - 1];
			w->count[i] = w->count[i - 1];
		}
		w->stride[i] = stride;
		w->count[i] = box->size[a];
	}
	/* the innermost axes extend the run while they leave no gap */
	for (i = 0; i < n && w->stride[i] == w->run; i++)
		w->run *= w->count[i];
	w->rank = n - i;
	for (a = 0; a < w->rank; a++) {
		w->stride[a] = w->stride[a + i];
		w->count[a] = w->count[a + i];
	}
	/* outer axes fuse where one continues the other */
	for (i = 0, a = 1; a < w->rank; a++) {
		uint64_t steps = (uint64_t)w->count[i] * w->count[a];

		if (w->stride[a] == w->stride[i] * w->count[i] && steps <= UINT32_MAX) {
			w->count[i] = (uint32_t)steps;
			continue;
		}
		i++;
		w->stride[i] = w->stride[a];
		w->count[i] = w->count[a];
	}
	if (w->rank)
		w->rank = i + 1;
}

bool kte_walk_nested(const struct kte_walk *w)
{
	uint64_t span = w->run;
	uint32_t a;

	for (a = 0; a < w->rank; a++) {
		if (w->stride[a] < span)
			return false;
		span += w->stride[a] * (w->count[a] - 1);
	}
	return true;
}

uint64_t kte_walk_runs(const struct kte_walk *w)
{
	uint64_t n = 1;
	uint32_t a;

	for (a = 0; a < w->rank; a++)
		if (__builtin_mul_overflow(n, w->count[a], &n))
			return UINT64_MAX;
	return n;
}

uint64_t kte_walk_last(const struct kte_walk *w)
{
	uint64_t last = w->base + w->run - 1;
	uint32_t a;

	for (a = 0; a < w->rank; a++)
		last += w->stride[a] * (w->count[a] - 1);
	return last;
}

static void swap_items(uint8_t *a, uint8_t *b, size_t size)
{
	uint8_t tmp[KTE_SORT_MAX_ITEM];

	memcpy(tmp, a, size);
	memcpy(a, b, size);
	memcpy(b, tmp, size);
}

static void sift_down(uint8_t *base, size_t root, size_t n, size_t size,
		      bool (*less)(const void *, const void *, const void *), const void *ctx)
{
	size_t child;

	while ((child = 2 * root + 1) < n) {
		if (child + 1 < n && less(base + child * size, base + (child + 1) * size, ctx))
			child++;
		if (!less(base + root * size, base + child * size, ctx))
			return;
		swap_items(base + root * size, base + child * size, size);
		root = child;
	}
}

void kte_sort(void *items, size_t n, size_t size,
	      bool (*less)(const void *a, const void *b, const void *ctx), const void *ctx)
{
	uint8_t *base = items;
	size_t i;

	for (i = 1; i < n; i++)
		if (less(base + i * size, base + (i - 1) * size, ctx))
			break;
	if (i >= n)
		return;
	for (i = n / 2; i-- > 0;)
		sift_down(base, i, n, size, less, ctx);
	for (i = n - 1; i > 0; i--) {
		swap_items(base, base + i * size, size);
		sift_down(base, 0, i, size, less, ctx);
	}
}

uint64_t kte_gcd(uint64_t a, uint64_t b)
{
	while (a) {
		uint64_t r = b % a;

		b = a;
		a = r;
	}
	return b;
}
