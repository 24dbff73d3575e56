// SPDX-License-Identifier: MIT
/*
 * Factor inference, section 2 of the delivery contract.
 *
 * Axes in one list only have one possible factor. For an axis k in both lists write
 * T_r/T_p in lowest terms as a/b: then f_concat = a*m and f_split = b*m for some m >= 1,
 * and f_split divides T_p exactly when m divides gcd(T_p, T_r). So the factorisations
 * are the ways to write one number M as an ordered product of such m.
 */
#include "factor.h"

#include <string.h>

/* An axis in both lists. */
struct both_axis {
	unsigned int axis;
	int64_t a, b, g;
};

struct search {
	const struct kt_factor_query *q;
	struct kt_factors *out;
	unsigned int n;
	struct both_axis both[KT_MAX_RANK];
	int64_t m[KT_MAX_RANK];
};

/* Of two numbers >= 1. */
static int64_t gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t t = a % b;

		a = b;
		b = t;
	}
	return a;
}

static uint32_t axis_mask(const unsigned int *axes, unsigned int n)
{
	uint32_t mask = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		mask |= 1u << axes[i];
	return mask;
}

static void fail(struct kt_factors *out, enum kt_factor_side side, enum kt_factor_status status,
		 unsigned int axis, int64_t found)
{
	if (out->fault[side].status == KT_FACTOR_OK)
		out->fault[side] = (struct kt_factor_fault){ status, axis, found };
}

/* An axis of no list changed: the list it is missing from is the one that grows or shrinks. */
static void fail_unlisted(const struct kt_factor_query *q, struct kt_factors *out, unsigned int k)
{
	bool split = !q->n_concat || (q->n_split && q->tr[k] < q->tp[k]);

	fail(out, split ? KT_SIDE_SPLIT : KT_SIDE_CONCAT, KT_FACTOR_UNLISTED, k, 0);
}

/* The split list flattened must divide by C whatever the result says. */
static void check_divides(const struct kt_factor_query *q, struct kt_factors *out)
{
	int64_t flat = 1;
	unsigned int i;

	for (i = 0; i < q->n_split; i++) {
		if (__builtin_mul_overflow(flat, q->tp[q->split_axes[i]], &flat)) {
			fail(out, KT_SIDE_SPLIT, KT_FACTOR_OVERFLOW, q->split_axes[i], 0);
			return;
		}
	}
	if (q->n_split && flat % q->consumers)
		fail(out, KT_SIDE_SPLIT, KT_FACTOR_DIVIDE, q->split_axes[0], flat);
}

/* At most one axis per list: the result type follows. */
static void derive(const struct kt_factor_query *q, struct kt_factors *out, uint32_t cmask,
		   uint32_t smask)
{
	unsigned int k;

	out->derived = true;
	for (k = 0; k < q->rank; k++) {
		bool c = cmask >> k & 1, sp = smask >> k & 1;

		out->want[k] = q->tp[k];
		if (sp && q->tp[k] % q->consumers) {	/* told by check_divides() */
			out->derived = false;
			continue;
		}
		if (sp) {
			out->f.split[k] = q->consumers;
			out->want[k] /= q->consumers;
		}
		if (c)
			out->f.concat[k] = q->producers;
		if (c && __builtin_mul_overflow(out->want[k], q->producers, &out->want[k])) {
			fail(out, KT_SIDE_CONCAT, KT_FACTOR_OVERFLOW, k, 0);
			out->derived = false;
		} else if (q->tr[k] == out->want[k]) {
			continue;
		} else if (!c && !sp) {
			fail_unlisted(q, out, k);
		} else {
			fail(out, c ? KT_SIDE_CONCAT : KT_SIDE_SPLIT, KT_FACTOR_EXTENT, k, 0);
		}
	}
}

/* Factors of the axes that stand in one list, or in none; collects the others. */
static void single_lists(struct search *s, uint32_t cmask, uint32_t smask)
{
	const struct kt_factor_query *q = s->q;
	struct kt_factors *out = s->out;
	struct both_axis *b;
	unsigned int k;

	for (k = 0; k < q->rank; k++) {
		bool c = cmask >> k & 1, sp = smask >> k & 1;

		if (c && sp) {
			b = &s->both[s->n++];
			b->axis = k;
			b->g = gcd(q->tp[k], q->tr[k]);
			b->a = q->tr[k] / b->g;
			b->b = q->tp[k] / b->g;
		} else if (c) {
			if (q->tr[k] % q->tp[k])
				fail(out, KT_SIDE_CONCAT, KT_FACTOR_EXTENT, k, 0);
			else
				out->f.concat[k] = q->tr[k] / q->tp[k];
		} else if (sp) {
			if (q->tp[k] % q->tr[k])
				fail(out, KT_SIDE_SPLIT, KT_FACTOR_EXTENT, k, 0);
			else
				out->f.split[k] = q->tp[k] / q->tr[k];
		} else if (q->tr[k] != q->tp[k]) {
			fail_unlisted(q, out, k);
		}
	}
}

/* Product of factors, saturating: an overflow can equal neither P nor C. */
static int64_t product(const int64_t *f, unsigned int rank)
{
	int64_t v = 1;
	unsigned int k;

	for (k = 0; k < rank; k++)
		if (__builtin_mul_overflow(v, f[k], &v))
			return INT64_MAX;
	return v;
}

static void keep_candidate(struct search *s)
{
	struct kt_factors *out = s->out;
	struct kt_factor_set *f;
	unsigned int i;

	if (out->n_candidates == KT_MAX_CANDIDATES) {
		out->more_candidates = true;
		return;
	}
	f = &out->candidates[out->n_candidates++];
	*f = out->f;
	for (i = 0; i < s->n; i++) {
		f->concat[s->both[i].axis] = s->both[i].a * s->m[i];
		f->split[s->both[i].axis] = s->both[i].b * s->m[i];
	}
}

/* Whether the axes from @i on can still make up @rest; false only if they cannot. */
static bool reachable(const struct search *s, unsigned int i, int64_t rest)
{
	int64_t v = 1;

	for (; i < s->n; i++)
		if (__builtin_mul_overflow(v, s->both[i].g, &v))
			return true;
	return v % rest == 0;
}

/* All ways to write @rest as m[i] * ... * m[n-1] with m[j] dividing g[j]. */
static void enumerate(struct search *s, unsigned int i, int64_t rest, uint32_t lanes)
{
	bool lane = i < s->n && (lanes >> s->both[i].axis & 1);
	int64_t d;

	if (i == s->n) {
		if (rest == 1)
			keep_candidate(s);
		return;
	}
	if (!reachable(s, i, rest) || (lane && (s->both[i].a != 1 || s->both[i].b != 1)))
		return;
	for (d = 1; d <= rest && d <= (lane ? 1 : s->both[i].g); d++) {
		if (rest % d || s->both[i].g % d)
			continue;
		s->m[i] = d;
		enumerate(s, i + 1, rest / d, lanes);
		if (s->out->more_candidates)
			return;
	}
}

/* M, from the side of the producers or of the consumers; 0 if there is none. */
static int64_t rest_of(int64_t total, int64_t others, const struct search *s, bool concat)
{
	unsigned int i;

	for (i = 0; i < s->n; i++)
		if (__builtin_mul_overflow(others, concat ? s->both[i].a : s->both[i].b, &others))
			return 0;
	return total % others ? 0 : total / others;
}

static void both_lists(struct search *s)
{
	const struct kt_factor_query *q = s->q;
	struct kt_factors *out = s->out, all;
	int64_t mc = rest_of(q->producers, product(out->f.concat, q->rank), s, true);
	int64_t ms = rest_of(q->consumers, product(out->f.split, q->rank), s, false);

	if (mc && mc == ms)
		enumerate(s, 0, mc, 0);
	if (out->n_candidates > 1 && q->lanes) {	/* a lane axis keeps its extent */
		all = *out;
		out->n_candidates = 0;
		out->more_candidates = false;
		enumerate(s, 0, mc, q->lanes);
		if (!out->n_candidates)
			*out = all;
	}
	if (!out->n_candidates)
		fail(out, KT_SIDE_CONCAT, KT_FACTOR_BOTH, s->both[0].axis, 0);
	else if (out->n_candidates > 1)
		fail(out, KT_SIDE_CONCAT, KT_FACTOR_AMBIGUOUS, s->both[0].axis, 0);
	else
		out->f = out->candidates[0];
}

static void check_products(const struct kt_factor_query *q, struct kt_factors *out)
{
	int64_t v = product(out->f.split, q->rank);

	if (q->n_split && v != q->consumers)
		fail(out, KT_SIDE_SPLIT, KT_FACTOR_PRODUCT, q->split_axes[0], v);
	v = product(out->f.concat, q->rank);
	if (q->n_concat && v != q->producers)
		fail(out, KT_SIDE_CONCAT, KT_FACTOR_PRODUCT, q->concat_axes[0], v);
}

void kt_factor_infer(const struct kt_factor_query *q, struct kt_factors *out)
{
	struct search s = { .q = q, .out = out };
	uint32_t cmask = axis_mask(q->concat_axes, q->n_concat);
	uint32_t smask = axis_mask(q->split_axes, q->n_split);
	unsigned int k;

	memset(out, 0, sizeof(*out));
	for (k = 0; k < KT_MAX_RANK; k++) {
		out->f.concat[k] = 1;
		out->f.split[k] = 1;
	}
	check_divides(q, out);
	if (q->n_split <= 1 && q->n_concat <= 1) {
		derive(q, out, cmask, smask);
		return;
	}
	single_lists(&s, cmask, smask);
	if (s.n && kt_factors_ok(out))
		both_lists(&s);
	else if (!s.n)
		check_products(q, out);
}
