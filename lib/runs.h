/* SPDX-License-Identifier: MIT */
/*
 * Exact sets of bytes as runs, for questions about strided boxes that their hulls cannot
 * answer.
 */
#ifndef KT_RUNS_H
#define KT_RUNS_H

#include <stdint.h>

struct kt_run_bytes {
	uint64_t start, end;
};

struct kt_runs {
	uint32_t n, cap;
	struct kt_run_bytes *v;
};

#define KT_MAX_RUNS	(1u << 22)

/* Append the bytes of a box: @rank axes of @size elements and @stride bytes, elements of
 * @elem bytes. Return: 0, -ENOMEM, -E2BIG (more than KT_MAX_RUNS). */
int kt_runs_add(struct kt_runs *r, uint64_t offset, const uint64_t *size, const uint64_t *stride,
		unsigned int rank, uint32_t elem);
/* Sort and join; needed before the two below. */
void kt_runs_settle(struct kt_runs *r);
uint64_t kt_runs_bytes(const struct kt_runs *r);
uint64_t kt_runs_shared(const struct kt_runs *a, const struct kt_runs *b);
void kt_runs_fini(struct kt_runs *r);

#endif /* KT_RUNS_H */
