// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Volume of a union of boxes: sweep the first axis over the boxes' ends, and between
 * two ends measure the boxes that are open there along the remaining axes.
 */
#include "cycles.h"

struct sweep {
	const struct kte_env *env;
	uint32_t rank;
	uint64_t *budget;
};

/* A box by its start along the axis at hand, so that kte_sort() needs no context. */
struct open_box {
	const uint32_t *box;
	uint64_t start;
};

static bool by_start(const void *a, const void *b)
{
	return ((const struct open_box *)a)->start < ((const struct open_box *)b)->start;
}

static uint64_t end_of(const struct sweep *s, const struct open_box *b, uint32_t axis)
{
	return (uint64_t)b->box[axis] + b->box[s->rank + axis];
}

static uint64_t volume_from(const struct sweep *s, const uint32_t *box, uint32_t axis)
{
	uint64_t v = 1;

	for (; axis < s->rank; axis++)
		v *= box[s->rank + axis];
	return v;
}

/* All boxes have the same ends on @axis. */
static bool all_alike(const struct sweep *s, const struct open_box *b, uint32_t n, uint32_t axis)
{
	uint32_t i;

	for (i = 1; i < n; i++)
		if (b[i].box[axis] != b[0].box[axis] ||
		    b[i].box[s->rank + axis] != b[0].box[s->rank + axis])
			return false;
	return true;
}

static int measure(const struct sweep *s, struct open_box *b, uint32_t n, uint32_t axis,
		   uint64_t *volume);

/* Next end or start after @at; drops the boxes that ended, takes those that begin. */
static uint64_t advance(const struct sweep *s, const struct open_box *b, uint32_t n, uint32_t axis,
			uint64_t at, struct open_box *open, uint32_t *n_open, uint32_t *next)
{
	uint64_t stop = UINT64_MAX;
	uint32_t i, kept = 0;

	for (i = 0; i < *n_open; i++)
		if (end_of(s, &open[i], axis) > at)
			open[kept++] = open[i];
	while (*next < n && b[*next].start == at)
		open[kept++] = b[(*next)++];
	*n_open = kept;
	for (i = 0; i < kept; i++)
		if (end_of(s, &open[i], axis) < stop)
			stop = end_of(s, &open[i], axis);
	if (*next < n && b[*next].start < stop)
		stop = b[*next].start;
	return stop;
}

static int sweep_axis(const struct sweep *s, struct open_box *b, uint32_t n, uint32_t axis,
		      uint64_t *volume)
{
	struct open_box *open = s->env->alloc(s->env->ctx, 2ull * n * sizeof(*open));
	uint32_t i, n_open = 0, next = 0;
	uint64_t at, stop, inner;
	int err;

	if (!open)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		b[i].start = b[i].box[axis];
	err = kte_sort(b, n, sizeof(*b), by_start, s->env);
	*volume = 0;
	for (at = n ? b[0].start : UINT64_MAX; !err && at != UINT64_MAX; at = stop) {
		stop = advance(s, b, n, axis, at, open, &n_open, &next);
		if (stop == UINT64_MAX)
			break;
		/* The list below may be reordered: give it a copy. */
		memcpy(open + n, open, n_open * sizeof(*open));
		err = measure(s, open + n, n_open, axis + 1, &inner);
		*volume += inner * (stop - at);
	}
	s->env->free(s->env->ctx, open);
	return err;
}

static int measure(const struct sweep *s, struct open_box *b, uint32_t n, uint32_t axis,
		   uint64_t *volume)
{
	uint64_t same = 1, spent = n + 1;
	uint32_t i;
	int err = 0;

	*volume = 0;
	if (!n)
		return 0;
	if (n > 1 && *s->budget < spent) {
		*s->budget = 0;
		for (i = 0; i < n; i++)
			*volume += volume_from(s, b[i].box, axis);
		return 0;
	}
	*s->budget -= *s->budget < spent ? *s->budget : spent;
	while (axis < s->rank && all_alike(s, b, n, axis))
		same *= b[0].box[s->rank + axis++];
	*volume = 1;
	if (axis < s->rank)
		err = n == 1 ? 0 : sweep_axis(s, b, n, axis, volume);
	*volume *= same;
	return err;
}

int kte_union_volume(const struct kte_env *env, const uint32_t *const *boxes, uint32_t n,
		     uint32_t rank, uint64_t *budget, uint64_t *volume)
{
	const struct sweep s = { .env = env, .rank = rank, .budget = budget };
	struct open_box *b;
	uint32_t i;
	int err;

	*volume = 0;
	if (!n)
		return 0;
	b = env->alloc(env->ctx, n * sizeof(*b));
	if (!b)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		b[i].box = boxes[i];
	err = measure(&s, b, n, 0, volume);
	env->free(env->ctx, b);
	return err;
}
