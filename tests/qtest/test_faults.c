// SPDX-License-Identifier: MIT
/*
 * Faults of SHUFFLE, codes 1 to 11 of the manual: good images with one field spoiled. What
 * is recorded is stated here and must also be what the engine says in this process.
 */
#include <sys/resource.h>

#include "board.h"

#define SLOT 1
#define TILES 4

static struct kte_image_header *head(void *image)
{
	return image;
}

static struct kte_space *space(void *image)
{
	return (struct kte_space *)(head(image) + 1);
}

static struct kte_entry *entry(void *image, uint32_t i)
{
	return (struct kte_entry *)(space(image) + head(image)->n_spaces) + i;
}

static uint32_t *edge(void *image, uint32_t i)
{
	return (uint32_t *)entry(image, head(image)->n_sources + head(image)->n_dests) + i;
}

/* Which good image is spoiled: a rotation, a sum, or a staged swap. */
enum base { ROTATE, SUM, SWAP };

struct spoiled {
	const char *what;
	enum base base;
	void (*spoil)(void *image);
	uint32_t code, entry, tile;
	uint64_t address;
};

#define SPOIL(name, statement) static void name(void *m) { statement; }

SPOIL(magic, head(m)->magic ^= 1)
SPOIL(version, head(m)->version = 2)
SPOIL(header_bytes, head(m)->header_bytes = 64)
SPOIL(total_bytes, head(m)->total_bytes += 8)
SPOIL(reserved, head(m)->reserved[14] = 7)
SPOIL(no_spaces, head(m)->n_spaces = 0)
SPOIL(no_sources, head(m)->n_sources = 0)
SPOIL(no_dests, head(m)->n_dests = 0)
SPOIL(more_edges, head(m)->n_edges++)
SPOIL(window_bytes, head(m)->window_bytes -= 1)
SPOIL(n_tiles, head(m)->n_tiles = 3)
SPOIL(n_pairs, head(m)->n_pairs = 3)
SPOIL(space_reserved, space(m)->reserved[0] = 1)
SPOIL(rank, space(m)->rank = 9)
SPOIL(op, space(m)->op = 99)
SPOIL(mode, space(m)->mode = 0x80)
SPOIL(dtype, space(m)->dtype[0] = 100)
SPOIL(elem, space(m)->elem_bytes[0] = 17)
SPOIL(extent, space(m)->extent[0] = 0)
SPOIL(entry_space, entry(m, 2)->space = 5)
SPOIL(box_outside, entry(m, 2)->start[0] = 4)
SPOIL(box_empty, entry(m, 6)->size[1] = 0)
SPOIL(stride_zero, entry(m, 2)->stride[0][1] = 0)
SPOIL(flags, entry(m, 2)->flags = 1)
SPOIL(dest_flags, entry(m, 6)->flags = 0x8000)
SPOIL(tile, entry(m, 3)->tile = TILES)
SPOIL(tile_far, entry(m, 7)->tile = 0xffff)
SPOIL(window, entry(m, 1)->offset[0] = (2ull << 20) - 4095)
SPOIL(window_wraps, entry(m, 5)->offset[0] = ~0ull - 100)
SPOIL(window_stride, entry(m, 5)->stride[0][1] = 1ull << 62)
SPOIL(align, entry(m, 2)->offset[0] = 2)
SPOIL(run_first, entry(m, 4)->first = 1000)
SPOIL(run_count, entry(m, 4)->count = 1000)
SPOIL(run_empty, entry(m, 4)->count = 0)
SPOIL(run_order, *edge(m, 1) = 0)
SPOIL(run_beyond, *edge(m, 1) = TILES)
SPOIL(run_source, *edge(m, 1) = 2)
SPOIL(coverage, entry(m, 1)->size[1] -= 1)
SPOIL(fold_part, entry(m, 2)->size[0] -= 1)
SPOIL(stage_unaligned, head(m)->stage_offset += 64)
SPOIL(stage_outside, head(m)->stage_offset = 2ull << 20)
SPOIL(stage_need, entry(m, 3)->tile = 1; entry(m, 2)->tile = 1)
SPOIL(many_spaces, head(m)->n_spaces = 1025)
SPOIL(many_entries, head(m)->n_dests = 16384)
SPOIL(many_pairs, head(m)->n_pairs = 65537)

static const struct spoiled rows[] = {
	{ "IMAGE: magic", ROTATE, magic, 1, NONE, NONE, 0x4945544a },
	{ "IMAGE: version", ROTATE, version, 1, NONE, NONE, 2 },
	{ "IMAGE: header size", ROTATE, header_bytes, 1, NONE, NONE, 64 },
	{ "IMAGE: total size", ROTATE, total_bytes, 1, NONE, NONE, 0 },
	{ "IMAGE: reserved field of the header", ROTATE, reserved, 1, NONE, NONE, 7 },
	{ "IMAGE: no spaces", ROTATE, no_spaces, 1, NONE, NONE, 0 },
	{ "IMAGE: no sources", ROTATE, no_sources, 1, NONE, NONE, 0 },
	{ "IMAGE: no destinations", ROTATE, no_dests, 1, NONE, NONE, 0 },
	{ "IMAGE: sections do not fill it", ROTATE, more_edges, 1, NONE, NONE, 0 },
	{ "IMAGE: window bytes", ROTATE, window_bytes, 1, NONE, NONE, 8191 },
	{ "IMAGE: tiles", ROTATE, n_tiles, 1, NONE, NONE, 3 },
	{ "IMAGE: pairs", ROTATE, n_pairs, 1, NONE, NONE, 3 },
	{ "IMAGE: reserved field of a space", ROTATE, space_reserved, 1, NONE, NONE, 0 },
	{ "SPACE: rank", ROTATE, rank, 2, NONE, NONE, 0 },
	{ "SPACE: op", ROTATE, op, 2, NONE, NONE, 0 },
	{ "SPACE: mode", SUM, mode, 2, NONE, NONE, 0 },
	{ "SPACE: type", SUM, dtype, 2, NONE, NONE, 0 },
	{ "SPACE: element bytes", ROTATE, elem, 2, NONE, NONE, 0 },
	{ "SPACE: extent", ROTATE, extent, 2, NONE, NONE, 0 },
	{ "ENTRY: space", ROTATE, entry_space, 3, 2, 2, 5 },
	{ "ENTRY: box outside its space", ROTATE, box_outside, 3, 2, 2, 0 },
	{ "ENTRY: box empty", ROTATE, box_empty, 3, 6, 3, 0 },
	{ "ENTRY: stride 0", ROTATE, stride_zero, 3, 2, 2, 0 },
	{ "ENTRY: flag of a source", ROTATE, flags, 3, 2, 2, 1 },
	{ "ENTRY: unknown flag", ROTATE, dest_flags, 3, 6, 3, 0x8000 },
	{ "TILE: one too many", ROTATE, tile, 4, 3, TILES, TILES },
	{ "TILE: far away", ROTATE, tile_far, 4, 7, 0xffff, 0xffff },
	{ "WINDOW: last byte outside", ROTATE, window, 5, 1, 1, 0 },
	{ "WINDOW: 2^64 passed", ROTATE, window_wraps, 5, 5, 2, 0 },
	{ "WINDOW: by a stride", ROTATE, window_stride, 5, 5, 2, 0 },
	{ "ALIGN: f32 at an odd half", SUM, align, 6, 2, 2, 2 },
	{ "EDGES: run beyond the array", SUM, run_first, 7, 4, 0, 1000 },
	{ "EDGES: run too long", SUM, run_count, 7, 4, 0, 1000 },
	{ "EDGES: run empty", SUM, run_empty, 7, 4, 0, 0 },
	{ "EDGES: run not ascending", SUM, run_order, 7, 4, 0, 0 },
	{ "EDGES: not a source", SUM, run_beyond, 7, 4, 0, TILES },
	{ "COVERAGE: a source too small", ROTATE, coverage, 8, 5, 2, 0 },
	{ "COVERAGE: the wrong source", ROTATE, run_source, 8, 5, 2, 0 },
	{ "COVERAGE: fold source does not contain it", SUM, fold_part, 8, 4, 0, 0 },
	{ "STAGE: range not aligned", SWAP, stage_unaligned, 9, NONE, NONE, 0 },
	{ "STAGE: range outside the window", SWAP, stage_outside, 9, NONE, NONE, 0 },
	{ "STAGE: a tile needs more", SWAP, stage_need, 9, 3, 1, 2048 },
	{ "LIMIT: spaces", ROTATE, many_spaces, 10, NONE, NONE, 1025 },
	{ "LIMIT: entries", ROTATE, many_entries, 10, NONE, NONE, 16384 + TILES },
	{ "LIMIT: pairs", ROTATE, many_pairs, 10, NONE, NONE, 65537 },
};

static void *env_alloc(void *ctx, size_t bytes)
{
	(void)ctx;
	return calloc(1, bytes);
}

static void env_free(void *ctx, void *ptr)
{
	(void)ctx;
	free(ptr);
}

/* What the engine says of an image here. */
static void expect(struct board *b, const void *image, uint64_t size, struct kte_fault *f)
{
	struct kte_env env = { .alloc = env_alloc, .free = env_free };
	struct kte_prog *prog = NULL;
	struct kte_limits lim;

	kte_limits_hw(&lim, TILES, b->spm);
	if (!kte_prog_new(image, size, &lim, &env, &prog, f))
		f->code = 0;
	kte_prog_free(prog);
}

static void *good_image(enum base base, uint64_t *size)
{
	if (base == ROTATE)
		return image_rotate(TILES, 1, 4096, 0, 4096, size);
	if (base == SUM)
		return image_sum(TILES, 4096, size);
	return image_swap(1024, 65536, size);
}

static void test_spoiled(struct board *b, const struct spoiled *s)
{
	struct kte_fault f = { .entry = NONE, .tile = NONE };
	struct ktdev_cmd cmd, nop = { 0 };
	uint64_t size;
	void *image = good_image(s->base, &size);

	s->spoil(image);
	expect(b, image, size, &f);
	reset_slot(b, SLOT);
	bind(b, SLOT, TILES);
	run(b, SLOT, &nop);
	cmd = cmd_shuffle(b, image, size, false);
	run(b, SLOT, &cmd);
	is_fault(b, SLOT, s->code, 1, s->entry, s->tile, f.address, "%s", s->what);
	ok(f.code == s->code && f.entry == s->entry && f.tile == s->tile &&
	   (!s->address || f.address == s->address), "%s: the engine agrees", s->what);
	if (s->address && f.address != s->address)
		diag("address 0x%" PRIx64, f.address);
	free(image);
}

static void test_after(struct board *b)
{
	struct ktdev_completion done;
	struct ktdev_cmd cmd;
	uint64_t size;
	void *image = image_rotate(TILES, 1, 4096, 0, 4096, &size);

	read_done(b, SLOT, &done);
	is_u64(done.fault, 10, "the completion record carries the code");
	is_u64(done.head, 1, "and the head");
	is_u64(slot_counter(b, SLOT, KTDEV_CNT_CYCLES), 0, "a command at fault counts nothing");
	reset_slot(b, SLOT);
	bind(b, SLOT, TILES);
	cmd = cmd_shuffle(b, image, size, false);
	ok(run(b, SLOT, &cmd), "the good image executes after all that");
	reset_slot(b, SLOT);
	bind(b, SLOT, TILES - 1);
	run(b, SLOT, &cmd);
	is_fault(b, SLOT, 4, 0, 3, 3, 3, "TILE: the image is for a larger slot");
	free(image);
}

static long vm_kib(pid_t pid)
{
	char name[64], line[256];
	long kib = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/status", (int)pid);
	f = fopen(name, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmSize: %ld", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib;
}

/* QEMU may not grow: the image of 2 MiB finds no memory. Address sanitizer reserves
 * terabytes and does not live under such a limit; there the image is looked at. */
static void test_nomem(void)
{
	struct rlimit old, lim;
	struct ktdev_cmd cmd;
	struct board *b;
	uint64_t data, list;
	long kib;
	pid_t pid;

	setenv("MALLOC_ARENA_MAX", "1", 1);	/* no room in reserve */
	b = board_start(NULL);
	pid = qtest_pid(b->q);
	list = page_list(b, 2 << 20, &data);
	bind(b, SLOT, TILES);
	kib = vm_kib(pid);
	cmd = (struct ktdev_cmd){ .op = KTDEV_CMD_SHUFFLE, .pages = list, .n_pages = 512,
				  .bytes = 2 << 20 };
	if (kib < 1l << 30) {
		prlimit(pid, RLIMIT_AS, NULL, &old);
		lim = (struct rlimit){ .rlim_cur = (rlim_t)(kib + 256) << 10,
				       .rlim_max = old.rlim_max };
		prlimit(pid, RLIMIT_AS, &lim, NULL);
		run(b, SLOT, &cmd);
		is_fault(b, SLOT, 11, 0, NONE, NONE, 0, "NOMEM: the model has no room for the image");
		prlimit(pid, RLIMIT_AS, &old, NULL);
	} else {
		run(b, SLOT, &cmd);
		is_fault(b, SLOT, 1, 0, NONE, NONE, 0, "with room it is found to be no image");
	}
	board_end(b);
}

int main(void)
{
	struct board *b = board_start(NULL);
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		test_spoiled(b, &rows[i]);
	test_after(b);
	board_end(b);
	test_nomem();
	return done_testing();
}
