// SPDX-License-Identifier: MIT
/*
 * The table compiler by hand: the image, fields, coverage, budgets, scale, each
 * refusal with its witness. What concerns bytes is in test_table_bytes.c.
 */
#include "table_case.h"

static void test_image(void)
{
	base();
	accepts("two halves to both");
	is_u64(raw_bytes, 128 + 64 + 4 * 224 + 2 * 4, "image bytes");
	is_u64(image.h->magic, KTE_IMAGE_MAGIC, "magic");
	is_u64(image.h->version, 1, "version");
	is_u64(image.h->header_bytes, 128, "header bytes");
	is_u64(image.h->total_bytes, raw_bytes, "total bytes");
	is_u64(image.h->n_spaces, 1, "spaces");
	is_u64(image.h->n_sources, 2, "sources");
	is_u64(image.h->n_dests, 2, "destinations");
	is_u64(image.h->n_edges, 2, "destinations with one box share a run");
	is_u64(image.h->n_pairs, 4, "pairs count per destination");
	is_u64(image.h->n_tiles, 2, "tiles");
	is_u64(image.h->window_bytes, 256 + 32, "window bytes");
	is_u64(image.dests[0].first, 0, "first");
	is_u64(image.dests[0].count, 2, "count");
	is_u64(image.dests[1].first, 0, "first of the replica");
	is_u64(image.dests[1].count, 2, "count of the replica");
	is_u64(image.edges[0], 0, "edge 0");
	is_u64(image.edges[1], 1, "edge 1");
	is_u64(why.reason, KTE_OK, "no reason");

	s.t.stage_offset = 1024;
	s.t.stage_bytes = 300;
	accepts("a staging range nobody uses");
	is_u64(image.h->window_bytes, 1324, "the window holds the staging range");
	is_u64(image.h->stage_offset, 1024, "stage offset");
	is_u64(image.h->stage_bytes, 300, "stage bytes");
}

static void test_counts(void)
{
	base();
	s.t.n_spaces = 0;
	refuses("no space", -EINVAL, KTE_R_COUNT, TABLE, 0, KTE_F_N_SPACES, NONE, 0, 1024);
	base();
	s.t.n_sources = 0;
	refuses("no source", -EINVAL, KTE_R_COUNT, TABLE, 0, KTE_F_N_SOURCES, NONE, 0, 16384);
	base();
	s.t.n_dests = 0;
	refuses("no destination", -EINVAL, KTE_R_COUNT, TABLE, 0, KTE_F_N_DESTS, NONE, 0, 16384);
	base();
	add_space(&s, 1, 1, 0, 0);
	s.lim.max_spaces = 1;
	refuses("2 spaces of 1", -ERANGE, KTE_R_COUNT, TABLE, 0, KTE_F_N_SPACES, NONE, 2, 1);
	base();
	s.lim.max_entries = 1;
	refuses("2 sources of 1", -ERANGE, KTE_R_COUNT, TABLE, 0, KTE_F_N_SOURCES, NONE, 2, 1);
	s.lim.max_entries = 3;
	refuses("4 entries of 3", -ERANGE, KTE_R_COUNT, TABLE, 0, KTE_F_N_DESTS, NONE, 4, 3);
	s.lim.max_spaces = 1;
	s.lim.max_entries = 4;
	accepts("1 space of 1, 4 entries of 4");
	/* counts are capped before anything is read or allocated */
	base();
	s.t.n_spaces = s.t.n_sources = s.t.n_dests = UINT32_MAX;
	refuses("4G spaces", -ERANGE, KTE_R_COUNT, TABLE, 0, KTE_F_N_SPACES, NONE, UINT32_MAX,
		1024);
	base();
	s.t.n_sources = s.t.n_dests = UINT32_MAX;
	refuses("4G sources", -ERANGE, KTE_R_COUNT, TABLE, 0, KTE_F_N_SOURCES, NONE, UINT32_MAX,
		16384);
	base();
	s.lim.max_pairs = 3;
	refuses("4 pairs of 3", -ERANGE, KTE_R_PAIRS, DEST, 0, KTE_F_NONE, NONE, 4, 3);
	s.lim.max_pairs = 4;
	accepts("4 pairs of 4");
	s.lim.max_image = raw_bytes - 1;
	refuses("image a byte too large", -ERANGE, KTE_R_IMAGE_SIZE, TABLE, 0, KTE_F_NONE, NONE,
		raw_bytes, raw_bytes - 1);
	s.lim.max_image++;
	accepts("image as large as can be");
}

static void test_spaces(void)
{
	uint32_t a;

	base();
	s.spaces[0].rank = 0;
	refuses("rank 0", -EINVAL, KTE_R_RANK, SPACE, 0, KTE_F_RANK, NONE, 0, 8);
	s.spaces[0].rank = 9;
	refuses("rank 9", -EINVAL, KTE_R_RANK, SPACE, 0, KTE_F_RANK, NONE, 9, 8);
	base();
	s.spaces[0].extent[0] = 0;
	refuses("extent 0", -EINVAL, KTE_R_EXTENT, SPACE, 0, KTE_F_EXTENT, 0, 0, UINT32_MAX);
	base();
	s.spaces[0].extent[7] = 5;
	refuses("extent beyond", -EINVAL, KTE_R_EXTENT, SPACE, 0, KTE_F_EXTENT, 7, 5, 0);
	base();
	add_space(&s, 1, 1u << 24, 1u << 24, 2);
	refuses("2^49 elements", -EINVAL, KTE_R_VOLUME, SPACE, 1, KTE_F_EXTENT, 2, 1ull << 49,
		1ull << 48);
	s.spaces[1].rank = 8;
	for (a = 0; a < 8; a++)
		s.spaces[1].extent[a] = UINT32_MAX;
	refuses("2^256 elements", -EINVAL, KTE_R_VOLUME, SPACE, 1, KTE_F_EXTENT, 1,
		UINT32_MAX * (uint64_t)UINT32_MAX, 1ull << 48);
	base();
	s.spaces[0].op = KTE_OP_COUNT;
	refuses("op", -EINVAL, KTE_R_OP, SPACE, 0, KTE_F_OP, NONE, KTE_OP_COUNT, KTE_OP_COUNT - 1);
	base();
	s.spaces[0].mode = KTE_MODE_TIE_LAST;
	refuses("copy with a mode", -EINVAL, KTE_R_OP, SPACE, 0, KTE_F_MODE, NONE, 1, 0x7f);
	base_fold(KTE_OP_MAX, KTE_DT_I16);
	s.spaces[0].mode = KTE_MODE_NAN_NUMBER;
	refuses("integers have no NaN", -EINVAL, KTE_R_OP, SPACE, 0, KTE_F_MODE, NONE, 4, 0x7f);
	base();
	s.spaces[0].roles = 2;
	refuses("copy of 2 roles", -EINVAL, KTE_R_ROLES, SPACE, 0, KTE_F_ROLES, NONE, 2, 1);
	base_arg();
	s.spaces[0].roles = 1;
	refuses("argmax of 1 role", -EINVAL, KTE_R_ROLES, SPACE, 0, KTE_F_ROLES, NONE, 1, 2);
	base();
	s.spaces[0].dtype[0] = KTE_DT_COUNT;
	refuses("type", -EINVAL, KTE_R_DTYPE, SPACE, 0, KTE_F_DTYPE, 0, KTE_DT_COUNT,
		KTE_DT_COUNT - 1);
	base_fold(KTE_OP_ADD, KTE_DT_F32);
	s.spaces[0].dtype[0] = KTE_DT_OPAQUE;
	refuses("opaque sum", -EINVAL, KTE_R_DTYPE, SPACE, 0, KTE_F_DTYPE, 0, 0, KTE_DT_COUNT - 1);
	base_fold(KTE_OP_XOR, KTE_DT_F32);
	refuses("xor of floats", -EINVAL, KTE_R_DTYPE, SPACE, 0, KTE_F_DTYPE, 0, KTE_DT_F32,
		KTE_DT_COUNT - 1);
	base_arg();
	s.spaces[0].dtype[1] = KTE_DT_F32;
	refuses("float index", -EINVAL, KTE_R_DTYPE, SPACE, 0, KTE_F_DTYPE, 1, KTE_DT_F32,
		KTE_DT_COUNT - 1);
	base();
	s.spaces[0].elem_bytes[0] = 0;
	refuses("0 bytes", -EINVAL, KTE_R_ELEM, SPACE, 0, KTE_F_ELEM_BYTES, 0, 0, 16);
	s.spaces[0].elem_bytes[0] = 17;
	refuses("17 bytes", -EINVAL, KTE_R_ELEM, SPACE, 0, KTE_F_ELEM_BYTES, 0, 17, 16);
	s.spaces[0].dtype[0] = KTE_DT_F32;
	s.spaces[0].elem_bytes[0] = 2;
	refuses("f32 of 2 bytes", -EINVAL, KTE_R_ELEM, SPACE, 0, KTE_F_ELEM_BYTES, 0, 2, 4);
}

static void test_reserved(void)
{
	base();
	s.spaces[0].reserved[3] = 7;
	refuses("space", -EINVAL, KTE_R_RESERVED, SPACE, 0, KTE_F_RESERVED, 3, 7, 0);
	base();
	s.spaces[0].elem_bytes[1] = 2;
	refuses("absent role", -EINVAL, KTE_R_RESERVED, SPACE, 0, KTE_F_ELEM_BYTES, 1, 2, 0);
	base();
	s.spaces[0].dtype[1] = 3;
	refuses("absent role", -EINVAL, KTE_R_RESERVED, SPACE, 0, KTE_F_DTYPE, 1, 3, 0);
	base();
	s.sources[1].first = 1;
	refuses("source", -EINVAL, KTE_R_RESERVED, SOURCE, 1, KTE_F_FIRST, NONE, 1, 0);
	base();
	s.sources[1].count = 2;
	refuses("source", -EINVAL, KTE_R_RESERVED, SOURCE, 1, KTE_F_COUNT, NONE, 2, 0);
	base();
	s.dests[0].first = 1;
	refuses("destination", -EINVAL, KTE_R_RESERVED, DEST, 0, KTE_F_FIRST, NONE, 1, 0);
	base();
	s.dests[0].count = 9;
	refuses("destination", -EINVAL, KTE_R_RESERVED, DEST, 0, KTE_F_COUNT, NONE, 9, 0);
	base();
	s.dests[1].start[1] = 4;
	refuses("beyond the rank", -EINVAL, KTE_R_RESERVED, DEST, 1, KTE_F_START, 1, 4, 0);
	base();
	s.dests[1].size[7] = 1;
	refuses("beyond the rank", -EINVAL, KTE_R_RESERVED, DEST, 1, KTE_F_SIZE, 7, 1, 0);
	base();
	s.dests[1].stride[0][1] = 6;
	refuses("beyond the rank", -EINVAL, KTE_R_RESERVED, DEST, 1, KTE_F_STRIDE, 1, 6, 0);
	base();
	s.sources[0].offset[1] = 8;
	refuses("absent role", -EINVAL, KTE_R_RESERVED, SOURCE, 0, KTE_F_OFFSET, 1, 8, 0);
	base();
	s.sources[0].stride[1][0] = 8;
	refuses("absent role", -EINVAL, KTE_R_RESERVED, SOURCE, 0, KTE_F_STRIDE, 0, 8, 0);
}

static void test_entries(void)
{
	base();
	s.sources[1].space = 1;
	refuses("space", -EINVAL, KTE_R_SPACE, SOURCE, 1, KTE_F_SPACE, NONE, 1, 1);
	base();
	s.dests[1].tile = 4;
	refuses("tile", -EINVAL, KTE_R_TILE, DEST, 1, KTE_F_TILE, NONE, 4, 4);
	base();
	s.sources[0].flags = KTE_ENTRY_STAGED;
	refuses("staged source", -EINVAL, KTE_R_FLAGS, SOURCE, 0, KTE_F_FLAGS, NONE, 1, 0);
	base();
	s.dests[0].flags = 0x8001;
	refuses("unknown flag", -EINVAL, KTE_R_FLAGS, DEST, 0, KTE_F_FLAGS, NONE, 0x8001, 1);
	base();
	s.sources[0].size[0] = 0;
	refuses("empty box", -EINVAL, KTE_R_BOX, SOURCE, 0, KTE_F_SIZE, 0, 0, 16);
	base();
	s.sources[0].start[0] = 16;
	refuses("box behind", -EINVAL, KTE_R_BOX, SOURCE, 0, KTE_F_START, 0, 16, 16);
	base();
	s.sources[1].size[0] = 9;
	refuses("box too long", -EINVAL, KTE_R_BOX, SOURCE, 1, KTE_F_SIZE, 0, 9, 8);
	s.sources[1].size[0] = UINT32_MAX;
	refuses("box end wraps", -EINVAL, KTE_R_BOX, SOURCE, 1, KTE_F_SIZE, 0, UINT32_MAX, 8);
	base();
	s.dests[0].stride[0][0] = 0;
	refuses("stride", -EINVAL, KTE_R_STRIDE, DEST, 0, KTE_F_STRIDE, 0, 0, 1);
	base();
	s.dests[1].offset[0] = WINDOW - 31;
	refuses("last byte", -EINVAL, KTE_R_WINDOW, DEST, 1, KTE_F_OFFSET, 0, WINDOW, WINDOW);
	s.dests[1].offset[0]--;
	accepts("last byte the window's last");
	s.dests[1].offset[0] = UINT64_MAX;
	refuses("end wraps", -EINVAL, KTE_R_WINDOW, DEST, 1, KTE_F_OFFSET, 0, UINT64_MAX, WINDOW);
	s.dests[1].offset[0] = 0;
	s.dests[1].stride[0][0] = 1ull << 63;
	refuses("stride wraps", -EINVAL, KTE_R_WINDOW, DEST, 1, KTE_F_OFFSET, 0, UINT64_MAX,
		WINDOW);
	base_fold(KTE_OP_ADD, KTE_DT_F32);
	s.sources[1].offset[0] = 6;
	refuses("fold offset", -EINVAL, KTE_R_ALIGN, SOURCE, 1, KTE_F_OFFSET, 0, 6, 4);
	base_fold(KTE_OP_ADD, KTE_DT_F32);
	s.dests[0].stride[0][0] = 6;
	refuses("fold stride", -EINVAL, KTE_R_ALIGN, DEST, 0, KTE_F_STRIDE, 0, 6, 4);
	base_arg();
	s.dests[0].offset[1] = 514;
	refuses("index offset", -EINVAL, KTE_R_ALIGN, DEST, 0, KTE_F_OFFSET, 1, 514, 4);
	base();
	s.dests[0].offset[0] = 257;
	accepts("copies take any byte");
	base();
	s.dests[0].size[0] = 1;
	s.dests[0].stride[0][0] = 0;
	accepts("stride ignored at size 1");
}

static void test_cover(void)
{
	base();
	s.sources[1].start[0] = 7;
	refuses_pair("sources share element 7", KTE_R_SRC_OVERLAP, SOURCE, 1, SOURCE, 0, NONE, 7);
	base();
	s.sources[0].size[0] = 7;
	refuses("element 7 missing", -EINVAL, KTE_R_COVERAGE, DEST, 0, KTE_F_NONE, NONE, 15, 16);
	base();
	s.dests[0].start[0] = 8;
	s.dests[0].size[0] = 8;
	s.t.n_sources = 1;
	refuses("no source meets", -EINVAL, KTE_R_COVERAGE, DEST, 0, KTE_F_NONE, NONE, 0, 8);
	base();
	add_space(&s, 1, 4, 0, 0);
	add_dest(&s, 1, 3, 0, 0, 4, 1);
	refuses("space without sources", -EINVAL, KTE_R_COVERAGE, DEST, 2, KTE_F_NONE, NONE, 0, 4);
	base();
	add_space(&s, 1, 4, 0, 0);
	add_source(&s, 1, 3, 0, 0, 4, 1);
	accepts("unused sources");
	base_fold(KTE_OP_ADD, KTE_DT_F32);
	accepts("fold");
	is_u64(image.h->n_edges, 2, "both contribute");
	s.sources[1].start[0] = 8;
	s.sources[1].size[0] = 8;
	refuses_pair("half a contribution", KTE_R_FOLD_PARTIAL, DEST, 0, SOURCE, 1, NONE, 0);
	base_fold(KTE_OP_ADD, KTE_DT_F32);
	s.sources[0].size[0] = s.sources[1].size[0] = 8;
	s.dests[0].start[0] = 8;
	s.dests[0].size[0] = 8;
	refuses("no contribution", -EINVAL, KTE_R_FOLD_EMPTY, DEST, 0, KTE_F_NONE, NONE, 0, 1);
	base_arg();
	accepts("argmax");
}

/* Boxes no straight cut separates, and the same with one element in common. */
static void test_pinwheel(void)
{
	static const uint8_t box[5][4] = {	/* start, size along each axis */
		{ 0, 1, 0, 2 }, { 0, 2, 2, 1 }, { 2, 1, 1, 2 }, { 1, 2, 0, 1 }, { 1, 1, 1, 1 },
	};
	uint32_t i;

	small_init(&s, 4, WINDOW);
	add_space(&s, 4, 3, 3, 0);
	for (i = 0; i < 5; i++)
		set_axis1(add_source(&s, 0, i % 4, 64 * i, box[i][0], box[i][1], 8), box[i][2],
			  box[i][3], 4);
	set_axis1(add_dest(&s, 0, 0, 1024, 0, 3, 12), 0, 3, 4);
	accepts("pinwheel of sources");
	is_u64(image.h->n_edges, 5, "all five meet the whole");
	set_axis1(&s.sources[4], 1, 2, 4);
	refuses_pair("pinwheel whose middle is too wide", KTE_R_SRC_OVERLAP, SOURCE, 4, SOURCE, 1,
		     NONE, 5);
	s.lim.axis_budget = 1;
	set_axis1(&s.sources[4], 1, 1, 4);
	ok(compile() == -E2BIG, "pinwheel over budget");
	is_u64(why.reason, KTE_R_BUDGET_AXIS, "reason");
	is_u64(why.where, SPACE, "the space is at fault");
	is_u64(why.limit, 1, "budget");
}

static void test_budgets(void)
{
	columns(8);
	s.lim.axis_budget = 3;
	refuses("axis budget", -E2BIG, KTE_R_BUDGET_AXIS, DEST, 3, KTE_F_NONE, NONE, 4, 3);
	s.lim.axis_budget = 4;
	accepts("4 destinations, one candidate each, the rows need no look");

	small_init(&s, 4, WINDOW);
	add_space(&s, 1, 2, 3, 0);
	set_axis1(add_source(&s, 0, 0, 0, 0, 2, 3), 0, 3, 1);
	set_axis1(add_dest(&s, 0, 1, 999, 0, 2, 3), 0, 3, 2);
	s.lim.paint_budget = 6;
	refuses("paint budget", -E2BIG, KTE_R_BUDGET_PAINT, DEST, 0, KTE_F_NONE, NONE, 7, 6);
	s.lim.paint_budget = 7;
	accepts("a word of bitmap and six runs");
	s.lim.paint_budget = 0;
	refuses("no bitmap", -E2BIG, KTE_R_BUDGET_PAINT, DEST, 0, KTE_F_NONE, NONE, 1, 0);
}

/* Every allocation may fail, every tick may stop the call; nothing leaks. */
static void test_interruptions(void)
{
	unsigned int n, leaks = 0, wrong = 0;
	struct env_state st = { 0 };
	const struct kte_env env = ENV(&st);
	uint64_t bytes;
	int err;

	base();
	s.dests[0].offset[0] = 1;	/* painted: an alias, staged */
	s.dests[0].flags = KTE_ENTRY_STAGED;
	s.dests[1].offset[0] = 16;
	s.t.stage_offset = 512;
	s.t.stage_bytes = 128;
	for (n = 1; ; n++) {
		void *im;

		st = (struct env_state){ .fail_at = n };
		err = kte_table_compile(&s.t, &s.lim, &env, &im, &bytes, &why);
		if (!err) {
			env_free(&st, im);
			leaks += st.live != 0;
			break;
		}
		wrong += err != -ENOMEM || im || bytes;
		leaks += st.live != 0;
	}
	ok(n > 10, "%u allocations", n - 1);
	is_u64(wrong, 0, "each one that fails is -ENOMEM");
	is_u64(leaks, 0, "nothing leaks");
}

/* @n sources and destinations with boxes of their own, in a grid. */
static void big_table(struct kte_table *t, struct kte_space *sp, uint32_t n, uint32_t side)
{
	struct kte_entry *src = calloc(n, sizeof(*src)), *dst = calloc(n, sizeof(*dst));
	uint32_t i;

	if (!src || !dst)
		bail_out("out of memory");
	memset(sp, 0, sizeof(*sp));
	sp->rank = 2;
	sp->roles = 1;
	sp->elem_bytes[0] = 2;
	sp->extent[0] = 4 * side;
	sp->extent[1] = 4 * n;
	for (i = 0; i < n; i++) {
		set_entry(&src[i], 0, i, 0, 4 * (i / (n / side)), 4, 8 * side,
			  4 * side * (i % (n / side)), 4 * side, 2);
		set_entry(&dst[i], 0, i, 65536, 0, 4 * side, 8, 4 * i, 4, 2);
	}
	memset(t, 0, sizeof(*t));
	t->spaces = sp;
	t->n_spaces = 1;
	t->sources = src;
	t->dests = dst;
	t->n_sources = t->n_dests = n;
}

static void big_free(struct kte_table *t)
{
	free((void *)t->sources);
	free((void *)t->dests);
}

static void test_scale(void)
{
	struct env_state st = { 0 };
	const struct kte_env env = ENV(&st);
	unsigned int n, leaks = 0, wrong = 0, ticks;
	struct kte_entry *dst;
	struct kte_limits lim;
	struct kte_space sp;
	struct kte_table t;
	struct sections v;
	uint64_t bytes;
	void *im;
	int err;

	kte_limits_soft(&lim, 4096, 1 << 20);
	big_table(&t, &sp, 4096, 64);
	err = kte_table_compile(&t, &lim, &env, &im, &bytes, &why);
	ok(!err, "4096 tiles, (64, 64) to 4096");
	open_image(im, &v);
	is_u64(v.h->n_pairs, 262144, "pairs");
	is_u64(v.dests[4095].count, 64, "fan-in");
	is_u64(v.edges[v.dests[4095].first + 1] - v.edges[v.dests[4095].first], 64,
	       "sources of a column are 64 apart");
	ok(st.peak < 64u << 20, "peak %zu bytes", st.peak);
	env_free(&st, im);
	ticks = st.ticks;
	ok(ticks > 100, "%u ticks", ticks);
	for (n = 1; n <= ticks; n += 17) {
		st = (struct env_state){ .stop_at = n };
		err = kte_table_compile(&t, &lim, &env, &im, &bytes, &why);
		wrong += err != -EINTR || im;
		leaks += st.live != 0;
	}
	is_u64(wrong, 0, "any tick stops the call");
	is_u64(leaks, 0, "nothing leaks");

	/* the whole to everyone: 16.7M pairs in 4096 edges */
	dst = (struct kte_entry *)t.dests;
	for (n = 0; n < 4096; n++)
		set_entry(&dst[n], 0, n, 65536, 0, 1, 0, 0, 16384, 2);
	st = (struct env_state){ 0 };
	err = kte_table_compile(&t, &lim, &env, &im, &bytes, &why);
	ok(!err, "4096 replicas");
	open_image(im, &v);
	is_u64(v.h->n_edges, 64, "one run");
	is_u64(v.h->n_pairs, 64 * 4096, "pairs");
	env_free(&st, im);
	lim.max_pairs = 64 * 4096 - 1;
	err = kte_table_compile(&t, &lim, &env, &im, &bytes, &why);
	ok(err == -ERANGE && why.reason == KTE_R_PAIRS && why.value == 64 * 4096, "pairs capped");
	big_free(&t);
}

/* The largest tables the hardware takes stay within their budgets. */
static void test_hw_scale(void)
{
	struct env_state st = { 0 };
	const struct kte_env env = ENV(&st);
	struct kte_entry *src = calloc(64, sizeof(*src)), *dst = calloc(4096, sizeof(*dst));
	struct kte_space sp = { .rank = 2, .roles = 1, .elem_bytes = { 2 },
				.extent = { 512, 512 } };
	struct kte_table t = { .spaces = &sp, .sources = src, .dests = dst, .n_spaces = 1,
			       .n_sources = 64, .n_dests = 4096 };
	struct kte_limits lim;
	struct sections v;
	uint64_t bytes;
	uint32_t i;
	void *im;
	int err;

	if (!src || !dst)
		bail_out("out of memory");
	kte_limits_hw(&lim, 64, 2 << 20);
	for (i = 0; i < 64; i++)
		set_entry(&src[i], 0, i, 0, 8 * i, 8, 1024, 0, 512, 2);
	/* split form, each result laid out with the other axis innermost */
	for (i = 0; i < 4096; i++)
		set_entry(&dst[i], 0, i / 64, 65536 + 16 * (i % 64), 8 * (i % 64), 8, 2,
			  8 * (i / 64), 8, 1024);
	err = kte_table_compile(&t, &lim, &env, &im, &bytes, &why);
	ok(!err, "64-core all-to-all in split form");
	open_image(im, &v);
	is_u64(v.h->n_pairs, 4096, "pairs");
	is_u64(v.edges[v.dests[4095].first], 63, "last edge");
	env_free(&st, im);
	dst[77].offset[0] += 2;
	err = kte_table_compile(&t, &lim, &env, &im, &bytes, &why);
	ok(err == -EINVAL && why.reason == KTE_R_DST_OVERLAP, "one piece an element off");
	is_u64(why.index, 78, "its neighbour finds it");
	is_u64(why.other, 77, "it is named");
	is_u64(why.tile, 1, "tile");
	is_u64(why.value, 65536 + 16 * 14, "byte");
	free(src);
	free(dst);
}

static void test_names(void)
{
	unsigned int i, k, same = 0;

	for (i = 0; i < KTE_R_COUNT_OF; i++)
		for (k = 0; k < i; k++)
			same += !strcmp(kte_reason_name(i), kte_reason_name(k)) ||
				!strcmp(kte_reason_text(i), kte_reason_text(k));
	for (i = 0; i < KTE_F_COUNT_OF; i++)
		for (k = 0; k < i; k++)
			same += !strcmp(kte_field_name(i), kte_field_name(k));
	is_u64(same, 0, "every reason and field has a name of its own");
	is_str(kte_reason_name(KTE_R_DST_OVERLAP), "dst-overlap", "a reason");
	is_str(kte_reason_name(KTE_R_COUNT_OF), "unknown", "no reason");
	is_str(kte_reason_text(UINT32_MAX), "the reason is unknown", "no text");
	is_str(kte_field_name(KTE_F_STRIDE), "stride", "a field");
	is_str(kte_field_name(KTE_F_COUNT_OF), "unknown", "no field");
	is_str(kte_dtype_name(KTE_DT_BF16), "bf16", "a type");
	is_str(kte_dtype_name(KTE_DT_COUNT), "unknown", "no type");
	is_str(kte_op_name(KTE_OP_ARGMIN), "argmin", "an op");
	is_str(kte_op_name(KTE_OP_COUNT), "unknown", "no op");
	is_u64(kte_dtype_bytes(KTE_DT_F64), 8, "bytes of f64");
	is_u64(kte_dtype_bytes(KTE_DT_COUNT), 0, "bytes of no type");
}

/* How many of all modes an op takes for a type. */
static unsigned int modes(uint32_t op, uint32_t dtype, uint32_t index)
{
	unsigned int mode, n = 0;

	for (mode = 0; mode < 256; mode++)
		n += kte_fold_valid(op, mode, dtype, index);
	return n;
}

static void test_folds(void)
{
	is_u64(modes(KTE_OP_COPY, KTE_DT_OPAQUE, 0), 256, "copies are not folds");
	is_u64(modes(KTE_OP_ADD, KTE_DT_F16, 0), 1, "add: no mode");
	is_u64(modes(KTE_OP_MUL, KTE_DT_I64, 0), 1, "mul: no mode");
	is_u64(modes(KTE_OP_ADD, KTE_DT_OPAQUE, 0), 0, "add: no opaque");
	is_u64(modes(KTE_OP_AND, KTE_DT_I8, 0), 1, "and: integers");
	is_u64(modes(KTE_OP_OR, KTE_DT_BF16, 0), 0, "or: no floats");
	is_u64(modes(KTE_OP_MIN, KTE_DT_F32, 0), 2 * 4 * 2, "min of floats: tie, NaN, zero");
	is_u64(modes(KTE_OP_MAX, KTE_DT_I32, 0), 2 * 2, "max of integers: tie, sign");
	is_u64(modes(KTE_OP_ARGMAX, KTE_DT_F64, KTE_DT_I32), (2 + 2 * 2) * 4 * 2,
	       "argmax of floats: lowest index signed or not");
	is_u64(modes(KTE_OP_ARGMIN, KTE_DT_I8, KTE_DT_I64), (2 + 2 * 2) * 2, "argmin of integers");
	is_u64(modes(KTE_OP_ARGMIN, KTE_DT_I8, KTE_DT_F32), 0, "indices are integers");
	is_u64(modes(KTE_OP_ARGMIN, KTE_DT_I8, KTE_DT_COUNT), 0, "unknown index type");
	is_u64(modes(KTE_OP_COUNT, KTE_DT_I8, KTE_DT_I8), 0, "unknown op");
}

int main(void)
{
	test_image();
	test_counts();
	test_spaces();
	test_reserved();
	test_entries();
	test_cover();
	test_pinwheel();
	test_budgets();
	test_interruptions();
	test_scale();
	test_hw_scale();
	test_names();
	test_folds();
	last_case();
	return done_testing();
}
