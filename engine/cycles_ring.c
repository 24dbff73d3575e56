// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Loads of the links of a ring: ranges added in constant time, maxima of ranges too. */
#include "cycles.h"

bool kte_ring_init(struct kte_ring *r, const struct kte_env *env, uint32_t n)
{
	r->n = n;
	r->levels = 1;
	while (1u << r->levels <= n)
		r->levels++;
	r->load = env->alloc(env->ctx, (uint64_t)r->levels * (n + 1) * sizeof(*r->load));
	return r->load;
}

void kte_ring_free(struct kte_ring *r, const struct kte_env *env)
{
	env->free(env->ctx, r->load);
	r->load = NULL;
}

void kte_ring_add(struct kte_ring *r, uint32_t first, uint32_t count, uint64_t cycles)
{
	if (first + count > r->n) {
		kte_ring_add(r, 0, first + count - r->n, cycles);
		count = r->n - first;
	}
	r->load[first] += cycles;
	r->load[first + count] -= cycles;
}

static uint64_t *level(const struct kte_ring *r, uint32_t k)
{
	return r->load + (uint64_t)k * (r->n + 1);
}

void kte_ring_close(struct kte_ring *r)
{
	uint32_t i, k;

	for (i = 1; i < r->n; i++)
		r->load[i] += r->load[i - 1];
	for (k = 1; k < r->levels; k++) {
		const uint64_t *half = level(r, k - 1);

		for (i = 0; i + (1u << k) <= r->n; i++) {
			uint64_t a = half[i], b = half[i + (1u << (k - 1))];

			level(r, k)[i] = a > b ? a : b;
		}
	}
}

uint64_t kte_ring_max(const struct kte_ring *r, uint32_t first, uint32_t count)
{
	uint64_t a, b;
	uint32_t k = 0;

	if (!count)
		return 0;
	if (first + count > r->n) {
		a = kte_ring_max(r, 0, first + count - r->n);
		b = kte_ring_max(r, first, r->n - first);
		return a > b ? a : b;
	}
	while (2u << k <= count)
		k++;
	a = level(r, k)[first];
	b = level(r, k)[first + count - (1u << k)];
	return a > b ? a : b;
}
