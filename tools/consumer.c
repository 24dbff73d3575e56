// SPDX-License-Identifier: MIT
/* Reference consumers of a relayout's destination. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "consumer.h"

#define COLUMNS		4	/* of the weight matrix */

/* A box of the tensor, all of it or a piece, and how to read an element. */
struct view {
	uint32_t rank;
	const uint32_t *start, *size;
	const uint8_t *data;	/* packed, row-major; NULL: the tensor's values themselves */
	uint32_t elem;		/* bytes */
};

struct consume {
	const struct ktdev_relayout *rel;
	const struct ctl_consumer *consumer;
	struct ktdev_relayout_info info;
	uint32_t axis;
	bool disagrees;
	const char *why;
};

/*
 * Values of the tensor: small, so that every result is exact. The element's position in the
 * whole tensor decides.
 */
static uint32_t value_at(uint64_t element)
{
	return (uint32_t)((element * 0x9e3779b97f4a7c15ull) >> 60) & 7;
}

/* The value's code in 16-bit and 32-bit floats and integers; 0..7 in each. */
static uint32_t encode(const char *dtype, uint32_t v)
{
	static const uint16_t f16[] = { 0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700 };
	static const uint16_t bf16[] = {
		0, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0, 0x40c0, 0x40e0
	};

	if (!strcmp(dtype, "f16"))
		return f16[v];
	if (!strcmp(dtype, "bf16"))
		return bf16[v];
	if (!strcmp(dtype, "f32"))
		return (uint32_t)bf16[v] << 16;
	return v;
}

/* The value of a code; -1: none of ours. */
static int64_t decode(const char *dtype, uint32_t code)
{
	for (uint32_t v = 0; v < 8; v++)
		if (encode(dtype, v) == code)
			return v;
	return -1;
}

static uint32_t code_bytes(uint32_t elem)
{
	return elem < 4 ? elem : 4;
}

static int on_input(void *ctx, const struct ktdev_value *v, void *data)
{
	const struct consume *s = ctx;
	uint8_t *p = data;

	memset(p, 0, v->bytes);
	for (uint64_t e = 0; e * v->elem_bytes < v->bytes; e++, p += v->elem_bytes) {
		uint32_t code = encode(s->info.dtype, value_at(e));

		memcpy(p, &code, code_bytes(v->elem_bytes));
	}
	return 0;
}

static uint64_t volume(const struct view *w)
{
	uint64_t n = 1;

	for (uint32_t k = 0; k < w->rank; k++)
		n *= w->size[k];
	return n;
}

static int64_t element(const struct consume *s, const struct view *w, uint64_t local,
		       const uint32_t *at)
{
	uint64_t global = 0;
	uint32_t code = 0;

	if (w->data) {
		memcpy(&code, w->data + local * w->elem, code_bytes(w->elem));
		return decode(s->info.dtype, code);
	}
	for (uint32_t k = 0; k < w->rank; k++)
		global = global * s->info.axes[k].extent + w->start[k] + at[k];
	return value_at(global);
}

/* What the consumer adds for one element: position @k of the axis, @outer of the others. */
static void take(const struct consume *s, const struct view *w, int64_t *acc, uint64_t outer,
		 uint32_t k, int64_t v)
{
	uint32_t n = w->size[s->axis], pos = w->start[s->axis] + k;

	switch (s->consumer->kind) {
	case CTL_SUM:
		acc[outer] += v;
		break;
	case CTL_MAX:
		acc[outer] = v > acc[outer] ? v : acc[outer];
		break;
	case CTL_MATMUL:
		for (uint32_t col = 0; col < COLUMNS; col++)
			acc[outer * COLUMNS + col] += v * ((pos * 5 + col * 3) % 11);
		break;
	case CTL_SLICE:
		if (k >= n / 2)
			acc[outer * n + k] = v;
		break;
	case CTL_CACHE:
		acc[outer * n + (n - 1 - k)] = v;
		break;
	}
}

/* Walk the view in the order of its elements. */
static void run(const struct consume *s, const struct view *w, int64_t *acc)
{
	uint32_t at[KTDEV_MAX_RANK] = { 0 };
	uint64_t n = volume(w);

	for (uint64_t e = 0; e < n; e++) {
		uint64_t outer = 0;

		for (uint32_t k = 0; k < w->rank; k++)
			if (k != s->axis)
				outer = outer * w->size[k] + at[k];
		take(s, w, acc, outer, at[s->axis], element(s, w, e, at));
		for (uint32_t k = w->rank; k-- > 0;) {
			if (++at[k] < w->size[k])
				break;
			at[k] = 0;
		}
	}
}

/* The only destination piece of a core. */
static int piece_of(struct consume *s, uint32_t core, struct ktdev_piece *out)
{
	struct ktdev_piece p;
	unsigned int found = 0;

	for (uint32_t i = 0; !ktdev_relayout_piece(s->rel, KTDEV_DESTINATION, i, &p); i++)
		for (uint32_t o = 0; o < p.n_owners; o++)
			if (p.owners[o] == core) {
				*out = p;
				found++;
			}
	return found == 1 ? 0 : -EOPNOTSUPP;
}

static int on_output(void *ctx, const struct ktdev_value *v, const void *data)
{
	struct consume *s = ctx;
	struct ktdev_piece p;
	struct view got, want;
	int64_t *a, *b;
	uint64_t n;

	if (piece_of(s, v->tile, &p)) {
		s->why = "the consumer knows one piece a core only";
		return -EOPNOTSUPP;
	}
	got = (struct view){ s->info.rank, p.start, p.size, data, v->elem_bytes };
	want = got;
	want.data = NULL;
	n = volume(&got) * COLUMNS;
	a = calloc(n, sizeof(*a));
	b = calloc(n, sizeof(*b));
	if (a && b) {
		run(s, &got, a);
		run(s, &want, b);
		s->disagrees |= memcmp(a, b, n * sizeof(*a)) != 0;
	}
	free(a);
	free(b);
	return a && b ? 0 : -ENOMEM;
}

/* Pieces must lie in memory in the order of the axes. */
static bool plain_layout(const struct ktdev_relayout_info *info)
{
	for (uint32_t k = 0; k < info->rank; k++)
		if (info->layout[KTDEV_DESTINATION][k] != k)
			return false;
	return true;
}

int ctl_consume(struct ktdev_device *dev, const struct ktdev_plan *plan,
		const struct ktdev_relayout *rel, const struct ctl_consumer *consumer,
		bool *agrees, const char **why)
{
	struct consume s = { .rel = rel, .consumer = consumer };
	struct ktdev_submit_opts opts = {
		.size = sizeof(opts), .input = on_input, .output = on_output, .ctx = &s,
	};
	struct ktdev_result res = { .size = sizeof(res) };
	struct ktdev_job *job = NULL;
	int err;

	ktdev_relayout_info(rel, &s.info);
	while (s.axis < s.info.rank && strcmp(s.info.axes[s.axis].name, consumer->axis))
		s.axis++;
	*why = s.axis == s.info.rank ? "the consumer's axis is not there" :
	       !plain_layout(&s.info) ? "the consumer knows the plain layout only" : NULL;
	if (*why)
		return -EOPNOTSUPP;
	err = ktdev_submit(dev, plan, &opts, &job);
	if (!err)
		err = ktdev_job_wait(job, -1, &res);
	ktdev_job_free(job);
	*agrees = !err && !s.disagrees;
	*why = s.why;
	return err;
}
