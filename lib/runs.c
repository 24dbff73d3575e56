// SPDX-License-Identifier: MIT
/*
 * Exact sets of bytes as runs.
 */
#include "runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int kt_runs_add(struct kt_runs *r, uint64_t offset, const uint64_t *size, const uint64_t *stride,
		unsigned int rank, uint32_t elem)
{
	uint64_t count = 1, run = elem, i;
	unsigned int inner = rank, a;

	while (inner && (size[inner - 1] == 1 || stride[inner - 1] == run))
		run *= size[--inner];
	for (a = 0; a < inner; a++)
		if (__builtin_mul_overflow(count, size[a], &count) || count > KT_MAX_RUNS)
			return -E2BIG;
	if (r->n + count > KT_MAX_RUNS)
		return -E2BIG;
	if (r->n + count > r->cap) {
		uint32_t cap = 2 * (r->n + (uint32_t)count);
		void *p = realloc(r->v, cap * sizeof(*r->v));

		if (!p)
			return -ENOMEM;
		r->v = p;
		r->cap = cap;
	}
	for (i = 0; i < count; i++) {
		uint64_t rest = i, at = offset;

		for (a = inner; a-- > 0;) {
			at += rest % size[a] * stride[a];
			rest /= size[a];
		}
		r->v[r->n++] = (struct kt_run_bytes){ at, at + run };
	}
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct kt_run_bytes *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

void kt_runs_settle(struct kt_runs *r)
{
	uint32_t i, n = 0;

	if (!r->n)
		return;
	qsort(r->v, r->n, sizeof(*r->v), by_start);
	for (i = 1; i < r->n; i++) {
		if (r->v[i].start > r->v[n].end)
			r->v[++n] = r->v[i];
		else if (r->v[i].end > r->v[n].end)
			r->v[n].end = r->v[i].end;
	}
	r->n = n + 1;
}

uint64_t kt_runs_bytes(const struct kt_runs *r)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < r->n; i++)
		sum += r->v[i].end - r->v[i].start;
	return sum;
}

uint64_t kt_runs_shared(const struct kt_runs *a, const struct kt_runs *b)
{
	uint64_t sum = 0;
	uint32_t i = 0, j = 0;

	while (i < a->n && j < b->n) {
		uint64_t lo = a->v[i].start > b->v[j].start ? a->v[i].start : b->v[j].start;
		uint64_t hi = a->v[i].end < b->v[j].end ? a->v[i].end : b->v[j].end;

		if (lo < hi)
			sum += hi - lo;
		if (a->v[i].end < b->v[j].end)
			i++;
		else
			j++;
	}
	return sum;
}

void kt_runs_fini(struct kt_runs *r)
{
	free(r->v);
	memset(r, 0, sizeof(*r));
}
