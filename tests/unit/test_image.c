// SPDX-License-Identifier: MIT
/*
 * The structural check of images: every fault it can report with its witness,
 * every truncation, and random damage, after which whatever is accepted must
 * still be in bounds.
 */
#include "table_util.h"

#define WINDOW	8192u
#define NONE	0xffffffffu

static uint64_t buf[8192];		/* the image at hand, 8-byte aligned */
static uint64_t good[8192];
static uint64_t bytes;
static struct sections v;
static struct kte_limits lim;
static struct kte_fault fault;

/* A fold and a copy, 5 sources and 4 destinations, one of them staged. */
static void make_good(void)
{
	static struct small s;
	struct env_state st = { 0 };
	const struct kte_env env = ENV(&st);
	struct kte_reject why;
	void *image;
	uint32_t i;

	small_init(&s, 64, WINDOW);
	add_space(&s, 2, 16, 0, 0);
	add_fold(&s, KTE_OP_ADD, KTE_DT_F32, 8, 0);
	for (i = 0; i < 2; i++)
		add_source(&s, 0, i, 0, 8 * i, 8, 2);
	for (i = 0; i < 3; i++)
		add_source(&s, 1, i, 64, 0, 8, 4);
	add_dest(&s, 0, 0, 256, 0, 16, 2);
	add_dest(&s, 0, 1, 2, 0, 16, 2)->flags = KTE_ENTRY_STAGED;
	add_dest(&s, 0, 2, 256, 8, 8, 2);
	add_dest(&s, 1, 3, 256, 0, 8, 4);
	s.t.stage_offset = 4096;
	s.t.stage_bytes = 128;
	if (kte_table_compile(&s.t, &s.lim, &env, &image, &bytes, &why))
		bail_out("the good table is refused: %s", kte_reason_name(why.reason));
	if (bytes > sizeof(good))
		bail_out("the good image has %" PRIu64 " bytes", bytes);
	memcpy(good, image, bytes);
	env_free(&st, image);
	lim = s.lim;
}

static void reset(void)
{
	memcpy(buf, good, bytes);
	open_image(buf, &v);
	kte_limits_hw(&lim, 64, WINDOW);
}

static void faults(const char *name, uint32_t code, uint32_t entry, uint32_t tile,
		   uint32_t field, uint64_t address)
{
	int err = kte_image_check(buf, v.h->total_bytes, &lim, &fault);
	bool same = err == -EINVAL && fault.code == code && fault.entry == entry &&
		    fault.tile == tile && fault.field == field && fault.address == address;

	if (!ok(same, "%s: %s", name, kte_fault_name(code)))
		diag("got %d %s entry %u tile %u field %s address %" PRIu64, err,
		     kte_fault_name(fault.code), fault.entry, fault.tile,
		     kte_field_name(fault.field), fault.address);
	reset();
}

static void test_header(void)
{
	uint32_t n_edges;

	ok(kte_image_check((uint8_t *)buf + 4, bytes, &lim, &fault) == -EINVAL &&
	   fault.code == KTE_FAULT_IMAGE, "unaligned");
	ok(kte_image_check(buf, 127, &lim, &fault) == -EINVAL && fault.code == KTE_FAULT_IMAGE &&
	   fault.address == 127, "shorter than a header");
	v.h->magic++;
	faults("magic", KTE_FAULT_IMAGE, NONE, NONE, KTE_F_NONE, KTE_IMAGE_MAGIC + 1);
	v.h->version = 2;
	faults("version", KTE_FAULT_IMAGE, NONE, NONE, KTE_F_NONE, 2);
	v.h->header_bytes = 64;
	faults("header bytes", KTE_FAULT_IMAGE, NONE, NONE, KTE_F_NONE, 64);
	v.h->reserved[14] = 3;
	faults("reserved", KTE_FAULT_IMAGE, NONE, NONE, KTE_F_RESERVED, 3);
	v.h->n_spaces = 0;
	faults("no space", KTE_FAULT_IMAGE, NONE, NONE, KTE_F_N_SPACES, 0);
	v.h->n_sources = 0;
	faults("no source", KTE_FAULT_IMAGE, NONE, NONE, KTE_F_N_SOURCES, 0);
	v.h->n_dests = 0;
	faults("no destination", KTE_FAULT_IMAGE, NONE, NONE, KTE_F_N_DESTS, 0);
	v.h->n_spaces = 3;
	faults("sections and size differ", KTE_FAULT_IMAGE, NONE, NONE, KTE_F_NONE, bytes + 64);
	v.h->n_edges++;
	faults("an edge too many", KTE_FAULT_IMAGE, NONE, NONE, KTE_F_NONE, bytes + 4);
	n_edges = v.h->n_edges;
	v.h->n_edges = UINT32_MAX;
	faults("4G edges", KTE_FAULT_IMAGE, NONE, NONE, KTE_F_NONE,
	       bytes + 4ull * (UINT32_MAX - n_edges));
	v.h->n_tiles = 5;
	faults("tiles overstated", KTE_FAULT_IMAGE, NONE, NONE, KTE_F_NONE, 5);
	v.h->window_bytes--;
	faults("window understated", KTE_FAULT_IMAGE, NONE, NONE, KTE_F_NONE, 4096 + 127);
	v.h->n_pairs--;
	faults("pairs understated", KTE_FAULT_IMAGE, NONE, NONE, KTE_F_COUNT, v.h->n_pairs);
}

static void test_limits(void)
{
	lim.max_spaces = 1;
	faults("spaces", KTE_FAULT_LIMIT, NONE, NONE, KTE_F_N_SPACES, 2);
	lim.max_entries = 8;
	faults("entries", KTE_FAULT_LIMIT, NONE, NONE, KTE_F_N_DESTS, 9);
	lim.max_entries = 4;
	faults("sources", KTE_FAULT_LIMIT, NONE, NONE, KTE_F_N_SOURCES, 9);
	lim.max_image = bytes - 1;
	faults("bytes", KTE_FAULT_LIMIT, NONE, NONE, KTE_F_NONE, bytes);
	lim.max_pairs = 7;
	faults("pairs", KTE_FAULT_LIMIT, NONE, NONE, KTE_F_COUNT, 8);
	lim.n_tiles = 3;
	faults("tiles", KTE_FAULT_TILE, 8, 3, KTE_F_TILE, 3);
	lim.window = 4096;
	faults("window", KTE_FAULT_STAGE, NONE, NONE, KTE_F_STAGE_BYTES, 4096 + 128);
	lim.max_spaces = 2;
	lim.max_entries = 9;
	lim.max_image = bytes;
	lim.max_pairs = 8;
	lim.n_tiles = 4;
	lim.window = 4096 + 128;
	ok(!kte_image_check(buf, bytes, &lim, &fault), "exactly at every limit");
	reset();
}

static void test_sections(void)
{
	v.spaces[1].rank = 0;
	faults("rank", KTE_FAULT_SPACE, NONE, NONE, KTE_F_RANK, 1);
	v.spaces[0].extent[0] = 0;
	faults("extent", KTE_FAULT_SPACE, NONE, NONE, KTE_F_EXTENT, 0);
	v.spaces[1].dtype[0] = KTE_DT_OPAQUE;
	faults("opaque fold", KTE_FAULT_SPACE, NONE, NONE, KTE_F_DTYPE, 1);
	v.spaces[1].reserved[0] = 1;
	faults("reserved", KTE_FAULT_IMAGE, NONE, NONE, KTE_F_RESERVED, 1);
	v.sources[0].space = 2;
	faults("space", KTE_FAULT_ENTRY, 0, 0, KTE_F_SPACE, 2);
	v.sources[4].size[0] = 9;
	faults("box", KTE_FAULT_ENTRY, 4, 2, KTE_F_SIZE, 9);
	v.sources[3].stride[0][0] = 0;
	faults("stride", KTE_FAULT_ENTRY, 3, 1, KTE_F_STRIDE, 0);
	v.sources[1].flags = 1;
	faults("staged source", KTE_FAULT_ENTRY, 1, 1, KTE_F_FLAGS, 1);
	v.dests[0].flags = 2;
	faults("flags", KTE_FAULT_ENTRY, 5, 0, KTE_F_FLAGS, 2);
	v.sources[1].first = 1;
	faults("run of a source", KTE_FAULT_IMAGE, 1, 1, KTE_F_FIRST, 1);
	v.dests[2].size[5] = 1;
	faults("beyond the rank", KTE_FAULT_IMAGE, 7, 2, KTE_F_SIZE, 1);
	v.dests[1].tile = 64;
	faults("tile", KTE_FAULT_TILE, 6, 64, KTE_F_TILE, 64);
	v.dests[0].offset[0] = WINDOW - 31;
	faults("window", KTE_FAULT_WINDOW, 5, 0, KTE_F_OFFSET, WINDOW);
	v.dests[0].stride[0][0] = UINT64_MAX;
	faults("end wraps", KTE_FAULT_WINDOW, 5, 0, KTE_F_OFFSET, UINT64_MAX);
	v.sources[2].offset[0] = 66;
	faults("unaligned fold", KTE_FAULT_ALIGN, 2, 0, KTE_F_OFFSET, 66);
}

static void test_edges(void)
{
	v.dests[3].first = v.h->n_edges + 1;
	faults("first behind the array", KTE_FAULT_EDGES, 8, 3, KTE_F_FIRST, v.h->n_edges + 1);
	v.dests[3].first = UINT32_MAX;
	faults("first near 2^32", KTE_FAULT_EDGES, 8, 3, KTE_F_FIRST, UINT32_MAX);
	v.dests[3].count++;
	faults("run past the array", KTE_FAULT_EDGES, 8, 3, KTE_F_COUNT, 4);
	v.dests[0].count = 0;
	faults("empty run", KTE_FAULT_EDGES, 5, 0, KTE_F_COUNT, 0);
	v.edges[v.dests[3].first + 1] = 5;
	faults("no such source", KTE_FAULT_EDGES, 8, 3, KTE_F_NONE, 5);
	v.edges[v.dests[3].first + 1] = 2;
	faults("a source twice", KTE_FAULT_EDGES, 8, 3, KTE_F_NONE, 2);
	v.edges[v.dests[3].first] = 4;
	faults("descending", KTE_FAULT_EDGES, 8, 3, KTE_F_NONE, 3);
	v.edges[v.dests[3].first] = 1;
	faults("a source of another space", KTE_FAULT_EDGES, 8, 3, KTE_F_SPACE, 1);
	v.dests[1].first = v.dests[0].first + 1;	/* same length, one further */
	faults("two runs of one length", KTE_FAULT_EDGES, 6, 1, KTE_F_NONE, 1);
	v.dests[1].space = 1;
	v.dests[1].size[0] = 8;
	v.dests[1].offset[0] = 256;
	v.dests[1].stride[0][0] = 4;
	faults("a run shared across spaces", KTE_FAULT_EDGES, 6, 1, KTE_F_SPACE, 0);
}

static void test_stage(void)
{
	uint32_t t;

	v.h->stage_offset += 64;
	faults("unaligned", KTE_FAULT_STAGE, NONE, NONE, KTE_F_STAGE_OFFSET, 4160);
	v.h->stage_bytes = UINT64_MAX;
	faults("wraps", KTE_FAULT_STAGE, NONE, NONE, KTE_F_STAGE_BYTES, UINT64_MAX);
	v.h->stage_bytes = 127;
	v.h->window_bytes--;
	faults("a byte short", KTE_FAULT_STAGE, 6, 1, KTE_F_STAGE_BYTES, 128);
	v.dests[2].flags = KTE_ENTRY_STAGED;
	ok(!kte_image_check(buf, bytes, &lim, &fault), "staged on two tiles");
	v.dests[2].tile = 1;
	faults("two on one tile", KTE_FAULT_STAGE, 7, 1, KTE_F_STAGE_BYTES, 256);

	/* tiles far apart are summed apart, tiles far up are summed */
	kte_limits_soft(&lim, 65536, WINDOW);
	for (t = 255; t < 65536; t = t * 2 + 1) {
		v.dests[2].flags = KTE_ENTRY_STAGED;
		v.dests[2].tile = (uint16_t)t;
		v.h->n_tiles = t + 1;
		if (!ok(!kte_image_check(buf, bytes, &lim, &fault), "tile %u", t))
			diag("%s", kte_fault_name(fault.code));
		v.dests[1].tile = (uint16_t)t;
		ok(kte_image_check(buf, bytes, &lim, &fault) == -EINVAL &&
		   fault.code == KTE_FAULT_STAGE && fault.tile == t, "tile %u twice", t);
		v.dests[1].tile = 1;
	}
	reset();
}

/* After the check, nothing an executor would touch is out of bounds. */
static bool in_bounds(void)
{
	uint32_t i, r, k, a;

	for (i = 0; i < v.h->n_sources + v.h->n_dests; i++) {
		const struct kte_entry *e = &v.sources[i];
		const struct kte_space *sp;

		if (e->space >= v.h->n_spaces || e->tile >= lim.n_tiles)
			return false;
		sp = &v.spaces[e->space];
		for (r = 0; r < sp->roles; r++) {
			unsigned __int128 last = e->offset[r];

			last += sp->elem_bytes[r] - 1;
			for (a = 0; a < sp->rank; a++)
				if (e->size[a] > 1)
					last += (unsigned __int128)e->stride[r][a] *
						(e->size[a] - 1);
			if (last >= lim.window || last >= v.h->window_bytes)
				return false;
		}
		if (i < v.h->n_sources)
			continue;
		if ((uint64_t)e->first + e->count > v.h->n_edges)
			return false;
		for (k = 0; k < e->count; k++)
			if (v.edges[e->first + k] >= v.h->n_sources)
				return false;
	}
	return true;
}

static void test_truncation(void)
{
	unsigned int accepted = 0;
	uint64_t n, *copy;

	for (n = 0; n < bytes; n++) {
		copy = malloc(n ? n : 1);	/* exactly as long: ASan sees a byte too many */
		if (!copy)
			bail_out("out of memory");
		memcpy(copy, good, n);
		accepted += !kte_image_check(copy, n, &lim, &fault);
		if (n >= 128) {
			((struct kte_image_header *)copy)->total_bytes = n;
			accepted += !kte_image_check(copy, n, &lim, &fault);
		}
		free(copy);
	}
	is_u64(accepted, 0, "no truncation is accepted, whatever it says of its size");
}

static void test_damage(void)
{
	static const uint8_t values[] = { 0, 1, 2, 0x7f, 0x80, 0xff };
	uint64_t seed = 0x9e3779b97f4a7c15ull, n;
	unsigned int accepted = 0, unsound = 0, i, k;

	for (i = 0; i < 200000; i++) {
		uint8_t *p = (uint8_t *)buf;

		reset();
		for (k = 1 + below(&seed, 3); k > 0; k--) {
			n = below(&seed, (uint32_t)bytes);
			p[n] = below(&seed, 2) ? values[below(&seed, sizeof(values))] :
			       (uint8_t)(p[n] + below(&seed, 5) - 2);
		}
		if (kte_image_check(buf, bytes, &lim, &fault))
			continue;
		accepted++;
		unsound += !in_bounds();
	}
	reset();
	ok(accepted > 1000, "%u damaged images are still images", accepted);
	is_u64(unsound, 0, "and stay in bounds");
}

static void test_names(void)
{
	unsigned int i, k, same = 0;

	for (i = 0; i <= KTE_FAULT_STOPPED; i++)
		for (k = 0; k < i; k++)
			same += !strcmp(kte_fault_name(i), kte_fault_name(k));
	is_u64(same, 0, "every fault has a name of its own");
	is_str(kte_fault_name(KTE_FAULT_COVERAGE), "coverage", "a fault");
	is_str(kte_fault_name(KTE_FAULT_STOPPED + 1), "unknown", "no fault");
}

int main(void)
{
	make_good();
	reset();
	ok(!kte_image_check(buf, bytes, &lim, &fault), "the good image");
	is_u64(fault.code, KTE_FAULT_NONE, "no fault");
	ok(in_bounds(), "in bounds");
	test_header();
	test_limits();
	test_sections();
	test_edges();
	test_stage();
	test_truncation();
	test_damage();
	test_names();
	return done_testing();
}
