// SPDX-License-Identifier: MIT
/*
 * Random sets against isl: finite or not, members, the first member outside, equality of
 * the text that is printed, boxes.
 */
#include <isl/ctx.h>
#include <isl/ilp.h>
#include <isl/options.h>
#include <isl/val.h>
#include <isl/point.h>
#include <isl/set.h>

#include "../tap.h"
#include "../unit/parse_text.h"

#define ROUNDS	4000
#define BOUND	24

static uint64_t seed = 20250601;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

/* One set in both languages. */
struct pair {
	char kt[2048], isl[2048];
	size_t n_kt, n_isl;
	int64_t syms[2];
	unsigned int dims;
	bool named;		/* symbols s, t with values; else only numbers */
};

static void put(struct pair *p, const char *kt, const char *isl)
{
	p->n_kt += (size_t)snprintf(p->kt + p->n_kt, sizeof(p->kt) - p->n_kt, "%s", kt);
	p->n_isl += (size_t)snprintf(p->isl + p->n_isl, sizeof(p->isl) - p->n_isl, "%s", isl);
}

static void put_int(struct pair *p, int64_t v)
{
	char buf[32];

	snprintf(buf, sizeof(buf), v < 0 ? "(%" PRId64 ")" : "%" PRId64, v);
	put(p, buf, buf);
}

static void put_expr(struct pair *p, unsigned int depth)
{
	static const char *const dims[] = { "i", "j", "k" };
	const char *plus;
	unsigned int s, d;
	char buf[32];

	switch (depth ? rnd(9) : rnd(4)) {
	case 0:
	case 1:
		d = rnd(p->dims);
		put(p, dims[d], dims[d]);
		return;
	case 2:
		put_int(p, (int64_t)rnd(21) - 8);
		return;
	case 3:
		s = rnd(2);
		if (!p->named) {
			put_int(p, rnd(5));
			return;
		}
		snprintf(buf, sizeof(buf), "(%" PRId64 ")", p->syms[s]);
		put(p, s ? "t" : "s", buf);
		return;
	case 4:
	case 5:
		put(p, "(", "(");
		put_expr(p, depth - 1);
		plus = rnd(2) ? " + " : " - ";
		put(p, plus, plus);
		put_expr(p, depth - 1);
		put(p, ")", ")");
		return;
	case 6:
		snprintf(buf, sizeof(buf), "%d * (", (int)rnd(7) - 3);
		put(p, buf, "(");
		put(p, "", buf);
		put_expr(p, depth - 1);
		put(p, ")", "))");
		return;
	case 7:
		put(p, "((", "((");
		put_expr(p, depth - 1);
		put(p, ") mod ", ") mod ");
		put_int(p, 1 + rnd(9));
		put(p, ")", ")");
		return;
	default:
		d = rnd(2);
		put(p, "((", d ? "floor((" : "ceil((");
		put_expr(p, depth - 1);
		put(p, d ? ") floordiv " : ") ceildiv ", ")/");
		put_int(p, 1 + rnd(9));
		put(p, ")", ")");
	}
}

static void put_constraint(struct pair *p)
{
	static const char *const rel_kt[] = { " >= ", " <= ", " == " };
	static const char *const rel_isl[] = { " >= ", " <= ", " = " };
	unsigned int r = rnd(8);

	r = r < 4 ? 0 : r < 6 ? 1 : 2;
	put_expr(p, 1 + rnd(3));
	put(p, rel_kt[r], rel_isl[r]);
	put_expr(p, rnd(2));
}

static void make_pair(struct pair *p, unsigned int dims, bool named)
{
	static const char *const heads[] = { "i", "i, j", "i, j, k" };
	unsigned int i, n = 1 + rnd(4);
	char buf[64];

	memset(p, 0, sizeof(*p));
	p->dims = dims;
	p->named = named;
	p->syms[0] = (int64_t)rnd(12) - 2;
	p->syms[1] = rnd(5);
	snprintf(buf, sizeof(buf), "affine_set<(%s)%s : (", heads[dims - 1],
		 named ? "[s, t]" : "");
	put(p, buf, "");
	snprintf(buf, sizeof(buf), "{ [%s] : ", heads[dims - 1]);
	put(p, "", buf);
	for (i = 0; i < n; i++) {
		put(p, i ? ", " : "", i ? " and " : "");
		put_constraint(p);
	}
	/* most sets are finite in one way or another */
	for (i = 0; i < dims && rnd(4); i++) {
		static const char *const names[] = { "i", "j", "k" };

		snprintf(buf, sizeof(buf), "%s >= %d", names[i], (int)rnd(8) - (dims > 1 ? 0 : 4));
		put(p, ", ", " and ");
		put(p, buf, buf);
		if (!rnd(4))
			continue;
		snprintf(buf, sizeof(buf), "%s <= %d", names[i],
			 (int)rnd(dims > 1 ? 10 : BOUND + 12));
		put(p, ", ", " and ");
		put(p, buf, buf);
	}
	put(p, ")>", " }");
}

static isl_stat collect(isl_point *pt, void *ctx)
{
	isl_val *v = isl_point_get_coordinate_val(pt, isl_dim_set, 0);
	uint64_t *mask = ctx;

	*mask |= 1ull << isl_val_get_num_si(v);
	isl_val_free(v);
	isl_point_free(pt);
	return isl_stat_ok;
}

static isl_set *part(isl_ctx *ctx, const isl_set *s, const char *range)
{
	return isl_set_intersect(isl_set_copy((isl_set *)s), isl_set_read_from_str(ctx, range));
}

/* Least i of a set, which it takes; false: it is empty. */
static bool least(isl_set *s, long *out)
{
	isl_val *v;

	if (isl_set_is_empty(s)) {
		isl_set_free(s);
		return false;
	}
	v = isl_set_dim_min_val(s, 0);
	*out = isl_val_get_num_si(v);
	isl_val_free(v);
	return true;
}

struct verdict {
	uint64_t members;
	bool clipped, is_outside;
	long outside;
};

static void ask_isl(isl_ctx *ctx, const isl_set *s, struct verdict *v)
{
	isl_set *inside = part(ctx, s, "{ [i] : 0 <= i < 24 }");

	memset(v, 0, sizeof(*v));
	isl_set_foreach_point(inside, collect, &v->members);
	isl_set_free(inside);
	v->clipped = !isl_set_is_bounded((isl_set *)s) && !isl_set_is_empty((isl_set *)s);
	if (v->clipped)
		return;
	v->is_outside = least(part(ctx, s, "{ [i] : i < 0 }"), &v->outside) ||
			least(part(ctx, s, "{ [i] : i >= 24 }"), &v->outside);
}

static bool ask_us(const struct pair *p, struct verdict *v, enum kt_set_status *st)
{
	struct parsed q = parse_set(p->kt);
	struct kt_arena a = { 0 };
	struct kt_tiles t;
	int64_t outside;
	uint32_t i;

	memset(v, 0, sizeof(*v));
	if (!q.set)
		return false;
	*st = kt_set_tiles(q.set, p->syms, 2, BOUND, &a, &t, &v->clipped, &outside);
	for (i = 0; (*st == KT_SET_OK || *st == KT_SET_OUTSIDE) && i < t.n; i++)
		v->members |= 1ull << t.ids[i];
	v->is_outside = *st == KT_SET_OUTSIDE;
	if (v->is_outside)
		v->outside = outside;
	kt_arena_fini(&a);
	parsed_free(&q);
	return true;
}

static bool same(const struct verdict *a, const struct verdict *b)
{
	return a->members == b->members && a->clipped == b->clipped &&
	       a->is_outside == b->is_outside && a->outside == b->outside;
}

static void test_tiles(isl_ctx *ctx)
{
	unsigned int i, bad = 0, costly = 0, clipped = 0, outside = 0;

	for (i = 0; i < ROUNDS; i++) {
		enum kt_set_status st = KT_SET_OK;
		struct verdict us, isl;
		struct pair p;
		isl_set *s;

		make_pair(&p, 1, true);
		s = isl_set_read_from_str(ctx, p.isl);
		if (!s || !ask_us(&p, &us, &st)) {
			if (bad++ < 10)
				diag("not read: %s", p.kt);
			isl_set_free(s);
			continue;
		}
		ask_isl(ctx, s, &isl);
		isl_set_free(s);
		clipped += isl.clipped;
		outside += isl.is_outside;
		costly += st == KT_SET_OVERFLOW;
		if (st == KT_SET_OVERFLOW || same(&us, &isl))
			continue;
		if (bad++ < 10)
			diag("s = %" PRId64 ", t = %" PRId64 ": %s\n#   us  %#" PRIx64 " %d %d %ld\n"
			     "#   isl %#" PRIx64 " %d %d %ld", p.syms[0], p.syms[1], p.kt,
			     us.members, us.clipped, us.is_outside, us.outside, isl.members,
			     isl.clipped, isl.is_outside, isl.outside);
	}
	is_u64(bad, 0, "sets that isl sees otherwise");
	is_u64(costly, 0, "sets that were refused");
	ok(clipped > ROUNDS / 20 && outside > ROUNDS / 20 && clipped + outside < ROUNDS * 3 / 4,
	   "the sets are of all kinds: %u infinite, %u reach out", clipped, outside);
}

/* Groups: all members of a finite set without symbols. */
static void test_members(isl_ctx *ctx)
{
	unsigned int i, bad = 0, infinite = 0;

	for (i = 0; i < ROUNDS / 4; i++) {
		struct kt_arena a = { 0 };
		enum kt_set_status st;
		struct parsed q;
		struct pair p;
		int64_t *ids;
		isl_set *s;
		isl_val *v;
		uint32_t n;
		long min;

		make_pair(&p, 1, false);
		q = parse_set(p.kt);
		s = isl_set_read_from_str(ctx, p.isl);
		st = kt_set_members(q.set, 1000000, &a, &ids, &n);
		if (!isl_set_is_bounded(s) && !isl_set_is_empty(s)) {
			bad += st != KT_SET_UNBOUNDED;
			infinite++;
			isl_set_free(s);
		} else {
			v = isl_set_count_val(s);
			bad += st != KT_SET_OK || isl_val_get_num_si(v) != (long)n;
			isl_val_free(v);
			if (least(s, &min))
				bad += !n || ids[0] != min;
		}
		if (bad && bad < 5)
			diag("%s: %d", p.kt, st);
		kt_arena_fini(&a);
		parsed_free(&q);
	}
	is_u64(bad, 0, "groups that isl counts otherwise");
	ok(infinite > 20 && infinite < ROUNDS / 4 - 100, "%u of them infinite", infinite);
}

static bool isl_box(isl_set *s, unsigned int dims, long *lo, long *hi)
{
	unsigned int d;

	for (d = 0; d < dims; d++) {
		isl_val *a = isl_set_dim_min_val(isl_set_copy(s), (int)d);
		isl_val *b = isl_set_dim_max_val(isl_set_copy(s), (int)d);

		lo[d] = isl_val_get_num_si(a);
		hi[d] = isl_val_get_num_si(b);
		isl_val_free(a);
		isl_val_free(b);
	}
	return true;
}

/* A box is never too small, and exact only when it is the set. */
static bool box_agrees(isl_set *s, unsigned int dims, enum kt_set_status st, const int64_t *lo,
		       const int64_t *hi, bool exact, bool *is_box)
{
	long ilo[3], ihi[3], volume = 1, count;
	unsigned int d;
	isl_val *v;

	*is_box = false;
	if (isl_set_is_empty(s))
		return st != KT_SET_OK || !exact || hi[0] < lo[0];
	if (!isl_set_is_bounded(s))
		return st != KT_SET_OK;
	isl_box(s, dims, ilo, ihi);
	v = isl_set_count_val(s);
	count = isl_val_get_num_si(v);
	isl_val_free(v);
	for (d = 0; d < dims; d++)
		volume *= ihi[d] - ilo[d] + 1;
	*is_box = volume == count;
	if (st != KT_SET_OK)
		return st == KT_SET_UNBOUNDED;
	for (d = 0; d < dims; d++)
		if (lo[d] > ilo[d] || hi[d] < ihi[d] ||
		    (exact && (lo[d] != ilo[d] || hi[d] != ihi[d])))
			return false;
	return !exact || *is_box;
}

static void test_boxes(isl_ctx *ctx)
{
	unsigned int i, bad = 0, boxes = 0, found = 0;

	for (i = 0; i < ROUNDS / 2; i++) {
		int64_t lo[KT_SET_MAX_DIMS], hi[KT_SET_MAX_DIMS];
		bool exact = false, is_box;
		enum kt_set_status st;
		struct parsed q;
		struct pair p;
		isl_set *s;

		make_pair(&p, 1 + rnd(3), false);
		q = parse_set(p.kt);
		s = isl_set_read_from_str(ctx, p.isl);
		st = kt_set_box(q.set, lo, hi, &exact);
		if (!box_agrees(s, p.dims, st, lo, hi, exact, &is_box) && bad++ < 5)
			diag("%s: %d %d", p.kt, st, exact);
		boxes += is_box;
		found += is_box && st == KT_SET_OK && exact;
		isl_set_free(s);
		parsed_free(&q);
	}
	is_u64(bad, 0, "boxes that isl sees otherwise");
	ok(boxes > 100 && found * 100 >= boxes * 95, "%u of %u boxes are seen to be one", found,
	   boxes);
}

/* What is printed is the set that was read. */
static void test_text(isl_ctx *ctx)
{
	unsigned int i, bad = 0;

	(void)ctx;
	for (i = 0; i < ROUNDS / 4; i++) {
		struct kt_arena a = { 0 };
		struct parsed q, again;
		struct verdict first, second;
		enum kt_set_status st;
		struct pair p;

		make_pair(&p, 1, true);
		ask_us(&p, &first, &st);
		q = parse_set(p.kt);
		snprintf(p.kt, sizeof(p.kt), "%s", kt_set_text(&a, q.set));
		again = parse_set(p.kt);
		bad += !again.set || !kt_set_equal(q.set, again.set);
		bad += !ask_us(&p, &second, &st) || !same(&first, &second);
		parsed_free(&again);
		parsed_free(&q);
		kt_arena_fini(&a);
	}
	is_u64(bad, 0, "sets that their text changes");
}

int main(void)
{
	isl_ctx *ctx = isl_ctx_alloc();

	isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
	test_tiles(ctx);
	test_members(ctx);
	test_boxes(ctx);
	test_text(ctx);
	isl_ctx_free(ctx);
	return done_testing();
}
