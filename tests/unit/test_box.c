// SPDX-License-Identifier: MIT
/*
 * Box arithmetic: overflow, cuts, address maps, walks; and the sorts.
 */
#include "engine/box.h"
#include "table_util.h"

static void entry2(struct kte_entry *e, uint32_t a, uint32_t na, uint64_t sa, uint32_t b,
		   uint32_t nb, uint64_t sb)
{
	set_entry(e, 0, 0, 1000, a, na, sa, b, nb, sb);
}

static void test_overflow(void)
{
	uint32_t most[KTE_MAX_RANK] = { 1u << 16, 1u << 16, 1u << 16, 1 };
	struct kte_entry e;
	uint64_t v = 7;

	ok(kte_volume(most, 4, &v), "2^48 elements");
	is_u64(v, 1ull << 48, "volume");
	most[3] = 2;
	ok(!kte_volume(most, 4, &v), "2^49 elements");
	most[0] = most[1] = most[2] = most[3] = UINT32_MAX;
	ok(!kte_volume(most, 8, &v), "far more");

	entry2(&e, 0, 3, 10, 0, 2, 100);
	ok(kte_last_byte(&e, 2, 0, 4, &v), "last byte");
	is_u64(v, 1000 + 20 + 100 + 3, "value");
	e.size[1] = 1;
	e.stride[0][1] = UINT64_MAX;
	ok(kte_last_byte(&e, 2, 0, 4, &v), "stride ignored at size 1");
	e.size[1] = 2;
	ok(!kte_last_byte(&e, 2, 0, 4, &v), "2^64 passed by a stride");
	e.stride[0][1] = UINT64_MAX - 1023;
	ok(kte_last_byte(&e, 2, 0, 4, &v), "2^64 not quite");
	is_u64(v, UINT64_MAX, "the last byte there is");
	e.offset[0]++;
	ok(!kte_last_byte(&e, 2, 0, 4, &v), "2^64 passed by the offset");
}

static void test_cuts(void)
{
	struct kte_entry a, b;
	struct kte_box cut;
	uint32_t at[KTE_MAX_RANK] = { 3, 5 };

	entry2(&a, 2, 4, 64, 4, 4, 2);
	entry2(&b, 3, 5, 64, 0, 6, 2);
	ok(kte_box_meets(&a, &b, 2), "meet");
	ok(kte_box_cut(&a, &b, 2, &cut), "cut");
	is_u64(cut.start[0], 3, "start");
	is_u64(cut.size[0], 3, "size");
	is_u64(cut.start[1], 4, "start");
	is_u64(cut.size[1], 2, "size");
	is_u64(cut.size[2], 0, "nothing beyond the rank");
	is_u64(kte_byte_of(&a, 2, 0, at), 1000 + 64 + 2, "byte of an element");
	b.start[1] = 8;
	ok(!kte_box_meets(&a, &b, 2) && !kte_box_cut(&a, &b, 2, &cut), "touching is not meeting");
	ok(!kte_box_contains(&a, &b, 2), "not inside");
	entry2(&b, 3, 3, 64, 4, 4, 2);
	ok(kte_box_contains(&a, &b, 2) && !kte_box_contains(&b, &a, 2), "inside");
	ok(!kte_box_equal(&a, &b, 2), "not equal");
	kte_box_cut(&a, &b, 2, &cut);
	ok(!kte_same_map(&a, &b, 2, 0, &cut), "another place");
	b.offset[0] += 64;
	ok(kte_same_map(&a, &b, 2, 0, &cut), "the same place");
	b.stride[0][1] = 4;
	ok(!kte_same_map(&a, &b, 2, 0, &cut), "the same corner, another stride");
	a.size[1] = b.size[1] = cut.size[1] = 1;
	ok(kte_same_map(&a, &b, 2, 0, &cut), "a stride nobody follows");
}

static void walk_of(struct kte_walk *w, const struct kte_entry *e, uint32_t rank, uint32_t elem)
{
	struct kte_box box;

	kte_box_of(e, &box);
	kte_walk_init(w, e, rank, 0, elem, &box);
}

static void test_walks(void)
{
	struct kte_entry e;
	struct kte_cursor c;
	struct kte_walk w;
	uint64_t sum = 0, n = 0;

	entry2(&e, 0, 8, 32, 0, 16, 2);
	walk_of(&w, &e, 2, 2);
	ok(w.rank == 0 && w.run == 256 && w.base == 1000, "rows without gaps are one run");
	entry2(&e, 0, 16, 2, 0, 8, 32);
	walk_of(&w, &e, 2, 2);
	ok(w.rank == 0 && w.run == 256, "whatever the order of the axes");
	entry2(&e, 0, 8, 64, 0, 16, 2);
	walk_of(&w, &e, 2, 2);
	ok(w.rank == 1 && w.run == 32 && w.count[0] == 8 && w.stride[0] == 64, "rows with gaps");
	is_u64(kte_walk_runs(&w), 8, "runs");
	is_u64(kte_walk_last(&w), 1000 + 7 * 64 + 31, "last byte");
	ok(kte_walk_nested(&w), "rows do not meet");
	c = (struct kte_cursor){ .at = w.base };
	do {
		sum += c.at - 1000;
		n++;
	} while (kte_walk_next(&w, &c));
	is_u64(n, 8, "runs gone through");
	is_u64(sum, 64 * 28, "where they start");
	entry2(&e, 0, 8, 4, 0, 16, 32);
	walk_of(&w, &e, 2, 2);
	ok(w.rank == 1 && w.run == 2 && w.count[0] == 128 && w.stride[0] == 4,
	   "outer axes fuse where one continues the other");
	entry2(&e, 0, 1, 0, 0, 3, 5);
	walk_of(&w, &e, 2, 8);
	ok(!kte_walk_nested(&w), "a stride below the element");
	entry2(&e, 0, 3, 2, 0, 2, 3);
	walk_of(&w, &e, 2, 1);
	ok(!kte_walk_nested(&w), "0 2 4, 3 5 7");
	entry2(&e, 0, 2, 2, 0, 2, 3);
	walk_of(&w, &e, 2, 1);
	ok(kte_walk_nested(&w), "0 2, 3 5");
}

static bool before(const void *a, const void *b)
{
	return *(const uint32_t *)a < *(const uint32_t *)b;
}

static void test_sorts(void)
{
	struct env_state st = { .stop_at = 3 };
	const struct kte_env env = ENV(&st), still = { .ctx = NULL };
	static uint32_t items[5000];
	static uint64_t keys[5000];
	uint64_t seed = 42;
	unsigned int n, i, wrong = 0;

	for (n = 0; n < 300; n++) {
		for (i = 0; i < n; i++)
			keys[i] = items[i] = below(&seed, n);
		wrong += kte_sort(items, n, sizeof(items[0]), before, NULL) != 0;
		wrong += kte_sort_u64(keys, n, &still) != 0;
		for (i = 1; i < n; i++)
			wrong += items[i] < items[i - 1] || keys[i] < keys[i - 1];
	}
	is_u64(wrong, 0, "every length up to 300");
	for (i = 0; i < 5000; i++)
		keys[i] = items[i] = 5000 - i;
	is_u64((uint64_t)-kte_sort(items, 5000, sizeof(items[0]), before, &env), EINTR,
	       "the third tick stops the sort");
	st.ticks = 0;
	is_u64((uint64_t)-kte_sort_u64(keys, 5000, &env), EINTR, "and that of numbers");
	is_u64(kte_gcd(0, 12), 12, "gcd with 0");
	is_u64(kte_gcd(12, 0), 12, "either way");
	is_u64(kte_gcd(84, 120), 12, "gcd");
	is_u64(kte_gcd(1ull << 63, 1ull << 62), 1ull << 62, "large");
}

static void test_stage_bytes(void)
{
	struct kte_space sp = { .rank = 2, .roles = 2, .elem_bytes = { 2, 4 } };
	struct kte_entry e;

	entry2(&e, 0, 8, 2, 0, 8, 16);
	is_u64(kte_stage_bytes(&e, &sp), 128 + 256, "64 of 2 and of 4 bytes");
	e.size[0] = 9;
	is_u64(kte_stage_bytes(&e, &sp), 256 + 384, "each role rounded up");
}

int main(void)
{
	test_overflow();
	test_cuts();
	test_walks();
	test_sorts();
	test_stage_bytes();
	return done_testing();
}
