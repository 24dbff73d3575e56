// SPDX-License-Identifier: MIT
/*
 * The exact rules on bytes: no byte written twice, none written while it is
 * read, the staging range apart from everything. Beside each refused case
 * stands its accepted neighbour.
 */
#include "table_case.h"

static void test_overlap(void)
{
	columns(8);
	s.lim.paint_budget = 0;
	accepts("columns of one result, nothing painted");
	s.dests[2].offset[0] += 2;	/* off the common map: painted */
	ok(compile() == -E2BIG && why.reason == KTE_R_BUDGET_PAINT, "painting has its budget");
	s.lim.paint_budget = KTE_PAINT_BUDGET;
	refuses_pair("a column two bytes off", KTE_R_DST_OVERLAP, DEST, 3, DEST, 2, 0,
		     1024 + 48);
	for (uint32_t i = 0; i < 3; i++)	/* the hull does not start at element 0 */
		s.dests[i] = s.dests[i + 1];
	s.t.n_dests = 2;
	s.lim.paint_budget = 0;
	accepts("the later columns, nothing painted");
	columns(8);
	s.dests[3].size[0] = 7;		/* the last row of the last column */
	set_entry(&s.dests[s.t.n_dests++], 0, 0, 1024 + 16 * 3 + 7 * 64, 7, 1, 0, 24, 7, 2);
	s.lim.paint_budget = 0;
	accepts("a column in two pieces, strides unsaid, nothing painted");
	s.lim.paint_budget = KTE_PAINT_BUDGET;
	s.dests[4].size[1] = 8;
	s.dests[4].start[1] = 23;
	s.dests[4].offset[0] -= 2;
	refuses_pair("one element into its neighbour", KTE_R_DST_OVERLAP, DEST, 4, DEST, 2, 0,
		     1024 + 7 * 64 + 46);

	/* one byte in common, between spaces */
	base();
	add_space(&s, 1, 3, 0, 0);
	add_source(&s, 1, 2, 0, 0, 3, 1);
	add_dest(&s, 1, 0, 256 + 31, 0, 3, 1);
	refuses_pair("one byte of two spaces", KTE_R_DST_OVERLAP, DEST, 2, DEST, 0, 0, 287);
	s.dests[2].tile = 3;
	accepts("the same on another tile");

	/* rows of two spaces alternate in one buffer */
	small_init(&s, 4, WINDOW);
	for (uint32_t i = 0; i < 2; i++) {
		add_space(&s, 2, 8, 16, 0);
		set_axis1(add_source(&s, i, i, 0, 0, 8, 32), 0, 16, 2);
		set_axis1(add_dest(&s, i, 2, 512 + 32 * i, 0, 8, 64), 0, 16, 2);
	}
	s.lim.paint_budget = 0;
	accepts("alternating rows, nothing painted");
	s.lim.paint_budget = KTE_PAINT_BUDGET;
	s.dests[1].offset[0] = 512 + 31;
	refuses_pair("alternating rows a byte off", KTE_R_DST_OVERLAP, DEST, 1, DEST, 0, 2,
		     512 + 31);
}

static void test_self_overlap(void)
{
	small_init(&s, 4, WINDOW);
	add_space(&s, 2, 4, 4, 0);
	set_axis1(add_source(&s, 0, 0, 0, 0, 4, 8), 0, 4, 2);
	set_axis1(add_dest(&s, 0, 1, 64, 0, 4, 6), 0, 4, 2);
	refuses_pair("rows shorter than they are", KTE_R_SELF_OVERLAP, DEST, 0, DEST, NONE, 1,
		     64 + 6);
	s.dests[0].stride[0][0] = 1;
	refuses_pair("stride below the element", KTE_R_SELF_OVERLAP, DEST, 0, DEST, NONE, 1,
		     64 + 1);
	/* interleaved: neither axis spans the other, yet no byte twice */
	small_init(&s, 4, WINDOW);
	add_space(&s, 1, 2, 2, 0);
	set_axis1(add_source(&s, 0, 0, 0, 0, 2, 2), 0, 2, 1);
	set_axis1(add_dest(&s, 0, 1, 0, 0, 2, 3), 0, 2, 2);
	accepts("strides 3 and 2, one within the other");
	s.spaces[0].extent[1] = s.sources[0].size[1] = s.dests[0].size[1] = 3;
	s.sources[0].stride[0][0] = 3;
	accepts("0 2 4, 3 5 7");
	s.spaces[0].extent[1] = s.sources[0].size[1] = s.dests[0].size[1] = 4;
	s.sources[0].stride[0][0] = 4;
	s.spaces[0].extent[0] = s.sources[0].size[0] = s.dests[0].size[0] = 3;
	refuses_pair("0 2 4 6 meets 6 8", KTE_R_SELF_OVERLAP, DEST, 0, DEST, NONE, 1, 6);
	base_arg();
	s.dests[0].offset[1] = 256 + 28;
	refuses_pair("index over value", KTE_R_SELF_OVERLAP, DEST, 0, DEST, NONE, 2, 256 + 28);
	is_u64(why.axis, 1, "the index role is at fault");
}

static void test_alias(void)
{
	struct env_state st = { 0 };
	const struct kte_env env = ENV(&st);
	uint8_t staged[MAX_ENTRIES];
	uint64_t need;

	base();
	s.dests[0].offset[0] = 0;
	s.lim.paint_budget = 0;
	accepts("the own half in place, nothing painted");
	s.lim.paint_budget = KTE_PAINT_BUDGET;
	s.dests[0].offset[0] = 2;
	refuses_pair("the own half an element off", KTE_R_ALIAS, DEST, 0, SOURCE, 0, 0, 2);
	s.t.stage_offset = 64;		/* not placed yet: not looked at */
	is_u64(kte_table_aliases(&s.t, &s.lim, &env, staged, &need, &why), 0, "aliases");
	is_u64(staged[0], 1, "must be staged");
	is_u64(staged[1], 0, "need not");
	is_u64(need, 128, "a stick");
	is_u64(st.live, 0, "nothing left");
	s.dests[0].flags = KTE_ENTRY_STAGED;
	s.t.stage_offset = 512;
	s.t.stage_bytes = need;
	accepts("staged");
	is_u64(image.dests[0].flags, KTE_ENTRY_STAGED, "the image says so");
	base();
	s.dests[1].offset[0] = 0;
	refuses_pair("half 1 lands where half 0 belongs", KTE_R_ALIAS, DEST, 1, SOURCE, 1, 1, 0);
	base_fold(KTE_OP_ADD, KTE_DT_F32);
	s.dests[0].tile = 0;
	s.dests[0].offset[0] = 0;
	refuses_pair("folds are never in place", KTE_R_ALIAS, DEST, 0, SOURCE, 0, 0, 0);
	s.sources[0].size[0] = 8;
	s.sources[1].size[0] = 8;
	s.dests[0].size[0] = 8;
	s.dests[0].offset[0] = 32;
	accepts("a fold behind what it reads");
	s.dests[0].offset[0] = 28;
	refuses_pair("a fold into its last number", KTE_R_ALIAS, DEST, 0, SOURCE, 0, 0, 28);

	/* only what is read is in the way */
	base();
	s.t.n_dests = 1;
	s.dests[0].size[0] = 4;
	s.dests[0].offset[0] = 8;
	accepts("over the half of a source nobody wants");
	s.dests[0].offset[0] = 7;
	refuses_pair("a byte of what is read", KTE_R_ALIAS, DEST, 0, SOURCE, 0, 0, 7);
}

/* The common map of a cluster may put the corner of its hull below byte 0. */
static void test_corner(void)
{
	uint32_t i;

	small_init(&s, 4, WINDOW);
	add_space(&s, 4, 2, 2, 4);
	for (i = 0; i < 2; i++) {
		struct kte_entry *e = add_source(&s, 0, i, 0, i, 1, 4);

		set_axis1(e, 1 - i, 1, 4);
		e->size[2] = 4;
		e->stride[0][2] = 4;
		e = add_dest(&s, 0, 2, i ? 60 : 4, i, 1, 64);
		set_axis1(e, 1 - i, 1, 8);
		e->size[2] = 4;
		e->stride[0][2] = 100;
	}
	accepts("corner 4 bytes below the window");
	is_u64(image.h->n_edges, 2, "each has its source");
	s.dests[1].offset[0] = 6;
	refuses_pair("two bytes off the other", KTE_R_DST_OVERLAP, DEST, 1, DEST, 0, 2, 6);
}

static void test_stage(void)
{
	base();
	s.t.stage_offset = 64;
	refuses("unaligned", -EINVAL, KTE_R_STAGE_RANGE, TABLE, 0, KTE_F_STAGE_OFFSET, NONE, 64,
		128);
	s.t.stage_offset = WINDOW - 128;
	s.t.stage_bytes = 129;
	refuses("outside", -EINVAL, KTE_R_STAGE_RANGE, TABLE, 0, KTE_F_STAGE_BYTES, NONE,
		WINDOW + 1, WINDOW);
	s.t.stage_bytes = UINT64_MAX;
	refuses("wraps", -EINVAL, KTE_R_STAGE_RANGE, TABLE, 0, KTE_F_STAGE_BYTES, NONE,
		UINT64_MAX, WINDOW);
	s.t.stage_offset = WINDOW + 128;
	s.t.stage_bytes = 0;
	refuses("offset outside", -EINVAL, KTE_R_STAGE_RANGE, TABLE, 0, KTE_F_STAGE_OFFSET, NONE,
		WINDOW + 128, WINDOW);
	base();
	s.dests[0].flags = KTE_ENTRY_STAGED;
	refuses_pair("no range", KTE_R_STAGE_SIZE, TABLE, 0, TABLE, NONE, 0, 128);
	s.t.stage_offset = 512;
	s.t.stage_bytes = 127;
	refuses_pair("a byte short", KTE_R_STAGE_SIZE, TABLE, 0, TABLE, NONE, 0, 128);
	is_u64(why.limit, 127, "limit");
	is_u64(why.field, KTE_F_STAGE_BYTES, "field");
	s.t.stage_bytes = 128;
	accepts("a stick");
	add_dest(&s, 0, 0, 1024, 0, 1, 0)->flags = KTE_ENTRY_STAGED;
	refuses_pair("a second entry on the tile", KTE_R_STAGE_SIZE, TABLE, 0, TABLE, NONE, 0, 256);
	s.dests[2].tile = 2;
	accepts("a second entry on another tile");
	s.t.stage_offset = 256;
	refuses_pair("over a destination", KTE_R_STAGE_OVERLAP, DEST, 0, DEST, NONE, 0, 256);
	s.t.stage_offset = 0;
	refuses_pair("over a source", KTE_R_STAGE_OVERLAP, SOURCE, 0, DEST, NONE, 0, 0);

	/* exact: the range lies between the rows of an entry */
	small_init(&s, 4, WINDOW);
	add_space(&s, 1, 4, 128, 0);
	set_axis1(add_source(&s, 0, 0, 0, 0, 4, 512), 0, 128, 1);
	set_axis1(add_dest(&s, 0, 1, 2048, 0, 4, 128), 0, 128, 1);
	s.t.stage_offset = 640;
	s.t.stage_bytes = 384;
	accepts("between the rows");
	s.t.stage_bytes++;
	refuses_pair("a byte into a row", KTE_R_STAGE_OVERLAP, SOURCE, 0, DEST, NONE, 0, 1024);
	s.lim.paint_budget = 1;
	ok(compile() == -E2BIG && why.reason == KTE_R_BUDGET_PAINT && why.index == 0 &&
	   why.where == SOURCE, "looking between rows has its budget");
	base_arg();
	s.dests[0].flags = KTE_ENTRY_STAGED;
	s.t.stage_offset = 1024;
	s.t.stage_bytes = 255;
	refuses_pair("each role takes sticks", KTE_R_STAGE_SIZE, TABLE, 0, TABLE, NONE, 2, 256);
}

int main(void)
{
	test_overlap();
	test_self_overlap();
	test_alias();
	test_corner();
	test_stage();
	last_case();
	return done_testing();
}
