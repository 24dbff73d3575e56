// SPDX-License-Identifier: MIT
/*
 * Factor inference against a search over all factors, and the cases of the contract.
 */
#include "factor.h"
#include "tests/tap.h"

/* --- independent definition: try everything ----------------------------------------- */

struct trial {
	const struct kt_factor_query *q;
	uint32_t cmask, smask;
	int64_t c[KT_MAX_RANK], s[KT_MAX_RANK];
	unsigned int n;
	struct kt_factor_set first;
};

static void try_axis(struct trial *t, unsigned int k, int64_t c, int64_t s)
{
	const struct kt_factor_query *q = t->q;
	int64_t fc, fs;

	if (k == q->rank) {
		if (c != q->producers || s != q->consumers)
			return;
		if (!t->n++) {
			memcpy(t->first.concat, t->c, sizeof(t->c));
			memcpy(t->first.split, t->s, sizeof(t->s));
		}
		return;
	}
	for (fc = 1; fc <= (t->cmask >> k & 1 ? q->producers : 1); fc++) {
		for (fs = 1; fs <= (t->smask >> k & 1 ? q->consumers : 1); fs++) {
			if (q->tp[k] % fs || q->tp[k] / fs * fc != q->tr[k])
				continue;
			t->c[k] = fc;
			t->s[k] = fs;
			try_axis(t, k + 1, c * fc, s * fs);
		}
	}
}

static unsigned int solutions(const struct kt_factor_query *q, struct trial *t)
{
	unsigned int i;

	memset(t, 0, sizeof(*t));
	t->q = q;
	for (i = 0; i < q->n_concat; i++)
		t->cmask |= 1u << q->concat_axes[i];
	for (i = 0; i < q->n_split; i++)
		t->smask |= 1u << q->split_axes[i];
	try_axis(t, 0, 1, 1);
	return t->n;
}

/* --- random queries ----------------------------------------------------------------- */

static uint64_t state = 88172645463325252ull;

static unsigned int rnd(unsigned int n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned int)(state % n);
}

static unsigned int random_axes(unsigned int rank, unsigned int *axes)
{
	unsigned int k, n = 0;

	for (k = 0; k < rank; k++)
		if (rnd(2))
			axes[n++] = k;
	return n;
}

static bool agrees(const struct kt_factor_query *q)
{
	struct kt_factors f;
	struct trial t;
	unsigned int n = solutions(q, &t), k;

	kt_factor_infer(q, &f);
	if (n == 0)
		return !kt_factors_ok(&f) &&
		       f.fault[KT_SIDE_CONCAT].status != KT_FACTOR_AMBIGUOUS;
	if (n > 1)
		return f.fault[KT_SIDE_CONCAT].status == KT_FACTOR_AMBIGUOUS &&
		       (f.n_candidates == n ||
			(f.more_candidates && n > KT_MAX_CANDIDATES));
	if (!kt_factors_ok(&f))
		return false;
	for (k = 0; k < q->rank; k++)
		if (f.f.concat[k] != t.first.concat[k] || f.f.split[k] != t.first.split[k])
			return false;
	return true;
}

static void test_random(void)
{
	static const int64_t extents[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24 };
	unsigned int i, k, wrong = 0, counts[3] = { 0 };

	for (i = 0; i < 200000; i++) {
		int64_t tp[4], tr[4];
		unsigned int ca[4], sa[4];
		struct kt_factor_query q = { .rank = 1 + rnd(4), .tp = tp, .tr = tr };
		struct trial t;

		q.concat_axes = ca;
		q.split_axes = sa;
		q.n_concat = random_axes(q.rank, ca);
		q.n_split = random_axes(q.rank, sa);
		q.producers = q.n_concat ? 1 + rnd(8) : 1;
		q.consumers = q.n_split ? 1 + rnd(8) : 1;
		for (k = 0; k < q.rank; k++) {
			tp[k] = extents[rnd(9)];
			tr[k] = rnd(3) ? tp[k] : extents[rnd(9)];
		}
		k = solutions(&q, &t);
		counts[k > 2 ? 2 : k]++;
		wrong += !agrees(&q);
	}
	is_u64(wrong, 0, "200000 random queries agree with a search over all factors");
	ok(counts[0] > 1000 && counts[1] > 1000 && counts[2] > 100,
	   "none, one and several solutions occur (%u, %u, %u)", counts[0], counts[1], counts[2]);
}

/* --- cases of the contract ---------------------------------------------------------- */

static const unsigned int axes01[] = { 0, 1 }, axes02[] = { 0, 2 }, axis0[] = { 0 },
	axis1[] = { 1 };

static void test_contract(void)
{
	int64_t tp[] = { 1, 64 }, tr[] = { 8, 128 };
	struct kt_factor_query q = {
		.rank = 2, .tp = tp, .tr = tr, .n_concat = 2, .concat_axes = axes01,
		.producers = 16, .consumers = 1,
	};
	struct kt_factors f;

	kt_factor_infer(&q, &f);
	ok(kt_factors_ok(&f), "1x64 from 16 producers to 8x128");
	is_u64((uint64_t)f.f.concat[0], 8, "factor of axis 0");
	is_u64((uint64_t)f.f.concat[1], 2, "factor of axis 1");
	tr[1] = 64;
	kt_factor_infer(&q, &f);
	is_u64(f.fault[KT_SIDE_CONCAT].status, KT_FACTOR_PRODUCT, "8x64 holds eight pieces");
	is_u64((uint64_t)f.fault[KT_SIDE_CONCAT].found, 8, "and says so");
}

static void test_derived(void)
{
	int64_t tp[] = { 2, 10 }, tr[] = { 9, 3 };
	struct kt_factor_query q = {
		.rank = 2, .tp = tp, .tr = tr, .n_concat = 1, .concat_axes = axis0,
		.n_split = 1, .split_axes = axis1, .producers = 4, .consumers = 4,
	};
	struct kt_factors f;

	kt_factor_infer(&q, &f);
	is_u64(f.fault[KT_SIDE_SPLIT].status, KT_FACTOR_DIVIDE, "10 over 4");
	is_u64((uint64_t)f.fault[KT_SIDE_SPLIT].found, 10, "the flattened extent");
	is_u64(f.fault[KT_SIDE_CONCAT].status, KT_FACTOR_EXTENT, "and 9 is not 4 * 2");
	is_u64(f.fault[KT_SIDE_CONCAT].axis, 0, "on axis 0");
	ok(!f.derived, "no result type follows");
	tp[1] = 8;
	kt_factor_infer(&q, &f);
	ok(f.derived && f.want[0] == 8 && f.want[1] == 2, "8x2 follows");
}

static void test_lanes(void)
{
	int64_t tp[] = { 8, 16, 64 }, tr[] = { 8, 16, 64 };
	struct kt_factor_query q = {
		.rank = 3, .tp = tp, .tr = tr, .n_concat = 2, .concat_axes = axes02,
		.n_split = 2, .split_axes = axes02, .producers = 4, .consumers = 4,
	};
	struct kt_factors f;

	kt_factor_infer(&q, &f);
	is_u64(f.fault[KT_SIDE_CONCAT].status, KT_FACTOR_AMBIGUOUS, "two axes in both lists");
	is_u64(f.n_candidates, 3, "three ways to cut four");
	q.lanes = 1u << 2;
	kt_factor_infer(&q, &f);
	ok(kt_factors_ok(&f) && f.f.split[0] == 4 && f.f.split[2] == 1 && f.f.concat[0] == 4,
	   "a lane axis keeps its extent: one way is left");
}

static void test_overflow(void)
{
	int64_t tp[] = { INT64_MAX / 2, INT64_MAX / 2 }, tr[] = { 1, 1 };
	struct kt_factor_query q = {
		.rank = 2, .tp = tp, .tr = tr, .n_split = 2, .split_axes = axes01,
		.producers = 1, .consumers = 4,
	};
	struct kt_factors f;

	kt_factor_infer(&q, &f);
	is_u64(f.fault[KT_SIDE_SPLIT].status, KT_FACTOR_OVERFLOW, "flattened split extent");
	q.n_split = 0;
	q.consumers = 1;
	q.n_concat = 1;
	q.concat_axes = axis0;
	q.producers = 4;
	kt_factor_infer(&q, &f);
	is_u64(f.fault[KT_SIDE_CONCAT].status, KT_FACTOR_OVERFLOW, "assembled extent");
}

/* Many factorisations: kept ones are bounded, and so is the search. */
static void test_bounded(void)
{
	int64_t t[8];
	unsigned int axes[8], k;
	struct kt_factor_query q = {
		.rank = 8, .tp = t, .tr = t, .n_split = 8, .split_axes = axes, .n_concat = 8,
		.concat_axes = axes, .producers = 65536, .consumers = 65536,
	};
	struct kt_factors f;

	for (k = 0; k < 8; k++) {
		t[k] = 64;
		axes[k] = k;
	}
	kt_factor_infer(&q, &f);
	is_u64(f.n_candidates, KT_MAX_CANDIDATES, "eight candidates are kept");
	ok(f.more_candidates, "and there are more");
	for (k = 0; k < 8; k++)
		t[k] = k ? 3 : 65536 / 2;
	kt_factor_infer(&q, &f);
	is_u64(f.fault[KT_SIDE_SPLIT].status, KT_FACTOR_DIVIDE, "2^15 * 3^7 over 2^16");
}

int main(void)
{
	test_contract();
	test_derived();
	test_lanes();
	test_overflow();
	test_bounded();
	test_random();
	return done_testing();
}
