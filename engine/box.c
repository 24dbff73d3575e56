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

static int env_tick(const struct kte_env *env, size_t i)
{
	return env && env->tick && i % 128 == 0 ? env->tick(env->ctx) : 0;
}

static void sift_down(uint8_t *base, size_t root, size_t n, size_t size,
		      bool (*less)(const void *, const void *))
{
	size_t child;

	while ((child = 2 * root + 1) < n) {
		if (child + 1 < n && less(base + child * size, base + (child + 1) * size))
			child++;
		if (!less(base + root * size, base + child * size))
			return;
		swap_items(base + root * size, base + child * size, size);
		root = child;
	}
}

int kte_sort(void *items, size_t n, size_t size, bool (*less)(const void *a, const void *b),
	     const struct kte_env *env)
{
	uint8_t *base = items;
	size_t i;
	int err;

	for (i = 1; i < n; i++)
		if (less(base + i * size, base + (i - 1) * size))
			break;
	if (i >= n)
		return 0;
	for (i = n / 2; i-- > 0;) {
		sift_down(base, i, n, size, less);
		err = env_tick(env, i);
		if (err)
			return err;
	}
	for (i = n - 1; i > 0; i--) {
		swap_items(base, base + i * size, size);
		sift_down(base, 0, i, size, less);
		err = env_tick(env, i);
		if (err)
			return err;
	}
	return 0;
}

static void sift_down_u64(uint64_t *k, size_t root, size_t n)
{
	uint64_t key = k[root];
	size_t child;

	while ((child = 2 * root + 1) < n) {
		if (child + 1 < n && k[child] < k[child + 1])
			child++;
		if (key >= k[child])
			break;
		k[root] = k[child];
		root = child;
	}
	k[root] = key;
}

int kte_sort_u64(uint64_t *keys, size_t n, const struct kte_env *env)
{
	uint64_t top;
	size_t i;
	int err;

	for (i = 1; i < n; i++)
		if (keys[i] < keys[i - 1])
			break;
	if (i >= n)
		return 0;
	for (i = n / 2; i-- > 0;) {
		sift_down_u64(keys, i, n);
		err = env_tick(env, i);
		if (err)
			return err;
	}
	for (i = n - 1; i > 0; i--) {
		top = keys[0];
		keys[0] = keys[i];
		keys[i] = top;
		sift_down_u64(keys, 0, i);
		err = env_tick(env, i);
		if (err)
			return err;
	}
	return 0;
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
