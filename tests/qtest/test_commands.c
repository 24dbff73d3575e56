// SPDX-License-Identifier: MIT
/* What each command does, and how each is refused: section 7 of the manual. */
#include "board.h"

#define SLOT 1

static uint8_t *pattern_bytes(size_t n)
{
	uint8_t *p = malloc(n);
	uint32_t x = 12345;
	size_t i;

	for (i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		p[i] = (uint8_t)(x >> 24);
	}
	return p;
}

static void test_dma_rows(struct board *b)
{
	enum { ROWS = 37, ROW = 1000, PAD = 1536, HOST = 2100, FIRST = 777, N = 24 };
	uint64_t pages[N], list = scattered_list(b, N, pages);
	uint8_t *host = pattern_bytes(N * 4096), *pad = malloc(ROWS * PAD), *back = malloc(N * 4096);
	struct ktdev_cmd in = cmd_dma(true, 3, 256, list, N * 4096ull);
	struct ktdev_cmd clear = cmd_fill(3, 0, 1 << 17, 0);
	uint32_t bad = 0, i;

	for (i = 0; i < N; i++)
		qtest_write(b->q, pages[i], host + i * 4096, 4096);
	in.bytes = FIRST;
	in.rows = ROWS;
	in.arg = ROW;
	in.pad_stride = PAD;
	in.host_stride = HOST;
	ok(run(b, SLOT, &clear) && run(b, SLOT, &in), "DMA_IN of rows from scattered pages");
	is_u64(slot_counter(b, SLOT, KTDEV_CNT_HOST_BYTES), ROWS * ROW, "host bytes are counted");
	read_pad(b, SLOT, 3, 256, pad, ROWS * PAD);
	for (i = 0; i < ROWS; i++) {
		bad += memcmp(pad + i * PAD, host + FIRST + i * HOST, ROW) != 0;
		bad += i + 1 < ROWS && pad[i * PAD + ROW] != 0;
	}
	is_u64(bad, 0, "every row arrives, the bytes between rows stay");
	for (i = 0; i < N; i++)
		qtest_memset(b->q, pages[i], 0xee, 4096);
	in.op = KTDEV_CMD_DMA_OUT;
	ok(run(b, SLOT, &in), "DMA_OUT of the same rows");
	for (i = 0; i < N; i++)
		qtest_read(b->q, pages[i], back + i * 4096, 4096);
	for (bad = 0, i = 0; i < ROWS; i++)
		bad += memcmp(back + FIRST + i * HOST, host + FIRST + i * HOST, ROW) != 0 ||
		       back[FIRST + i * HOST + ROW] != 0xee;
	is_u64(bad, 0, "every row goes back, nothing else is written");
	free(host);
	free(pad);
	free(back);
}

static void test_dma_large(struct board *b)
{
	enum { BYTES = 1 << 20 };
	uint8_t *want = pattern_bytes(BYTES), *got = malloc(BYTES);

	write_pad(b, SLOT, 5, 4096, want, BYTES);
	read_pad(b, SLOT, 5, 4096, got, BYTES);
	ok(!memcmp(want, got, BYTES), "1 MiB there and back");
	free(want);
	free(got);
}

static void test_fill_check(struct board *b)
{
	const uint64_t pattern = 0x0807060504030201ull;
	struct ktdev_cmd fill = cmd_fill(2, 131, 1 << 19, pattern);
	struct ktdev_cmd check = cmd_check(2, 131, 1 << 19, pattern), fence = cmd_fence(1, false);
	struct ktdev_completion done;
	uint8_t buf[24], one = 0x55;

	ok(run(b, SLOT, &fill), "FILL with a pattern, from an odd offset");
	read_pad(b, SLOT, 2, 131, buf, 24);
	ok(buf[0] == 1 && buf[7] == 8 && buf[8] == 1 && buf[23] == 8, "the pattern starts at offset");
	ok(run(b, SLOT, &check) && run(b, SLOT, &fence), "CHECK of what was filled");
	read_done(b, SLOT, &done);
	is_u64(done.check_offset, ~0ull, "no difference");
	is_u64(done.check_tiles, 0, "on no tile");
	write_pad(b, SLOT, 2, 131 + 300001, &one, 1);
	ok(run(b, SLOT, &check) && run(b, SLOT, &fence), "CHECK after a byte changed");
	read_done(b, SLOT, &done);
	is_u64(done.check_offset, 131 + 300001, "names the byte");
	is_u64(done.check_tiles, 1u << 2, "and the tile");
	check.tile = 4;
	check.offset = 0;
	check.bytes = 5;
	fill = cmd_fill(4, 0, 5, pattern);
	ok(run(b, SLOT, &fill) && run(b, SLOT, &check) && run(b, SLOT, &fence), "five bytes");
	read_done(b, SLOT, &done);
	is_u64(done.check_offset, ~0ull, "the offset is that of the last CHECK");
	is_u64(done.check_tiles, 1u << 2, "the mask collects since LOAD");
}

static void test_fence_signal(struct board *b)
{
	struct ktdev_cmd signal = { .op = KTDEV_CMD_SIGNAL, .bytes = 0x80000005 };
	struct ktdev_cmd fence = cmd_fence(0xfedcba9876543210ull, false);
	struct ktdev_cmd start = { .flags = KTDEV_CMD_JOB_START };
	struct ktdev_cmd time = { .op = KTDEV_CMD_TIMESTAMP };
	struct ktdev_completion a, z;

	ok(run(b, SLOT, &signal), "SIGNAL");
	is_u64(srd(b, SLOT, KTDEV_SLOT_READY_LO), 0x80000005, "sets the flags of its tiles");
	signal.bytes = 2;
	run(b, SLOT, &signal);
	is_u64(srd(b, SLOT, KTDEV_SLOT_READY_LO), 0x80000007, "flags add up within a job");
	ok(run(b, SLOT, &start), "JOB_START");
	is_u64(srd(b, SLOT, KTDEV_SLOT_READY_LO), 0, "clears the ready flags");
	ok(run(b, SLOT, &time) && run(b, SLOT, &fence), "TIMESTAMP and FENCE");
	read_done(b, SLOT, &a);
	is_u64(a.seqno, 0xfedcba9876543210ull, "FENCE writes its seqno");
	is_u64(a.head, b->slot[SLOT].tail, "and the head");
	is_u64(a.fault, 0, "and no fault");
	ok(run(b, SLOT, &time) && run(b, SLOT, &fence), "another TIMESTAMP");
	read_done(b, SLOT, &z);
	ok(z.timestamp > a.timestamp, "time passes");
}

static void test_shuffle(struct board *b)
{
	enum { N = 8, BYTES = 4096 };
	uint8_t *in = pattern_bytes(N * BYTES), got[BYTES];
	struct ktdev_cmd cmd;
	uint32_t bad = 0, t;
	uint64_t size;
	void *image;

	for (t = 0; t < N; t++)
		write_pad(b, SLOT, t, 0, in + t * BYTES, BYTES);
	image = image_rotate(N, 3, BYTES, 0, BYTES, &size);
	cmd = cmd_shuffle(b, image, size, false);
	ok(run(b, SLOT, &cmd), "SHUFFLE: every tile to the third after it");
	for (t = 0; t < N; t++) {
		read_pad(b, SLOT, (t + 3) % N, BYTES, got, BYTES);
		bad += memcmp(got, in + t * BYTES, BYTES) != 0;
	}
	is_u64(bad, 0, "bytes are where they belong");
	free(image);
	image = image_swap(1024, 65536, &size);
	cmd = cmd_shuffle(b, image, size, true);
	ok(run(b, SLOT, &cmd), "SHUFFLE: two tiles swap in place, staged, per tile");
	read_pad(b, SLOT, 0, 0, got, 1024);
	bad = memcmp(got, in + BYTES, 1024) != 0;
	read_pad(b, SLOT, 1, 0, got, 1024);
	bad += memcmp(got, in, 1024) != 0;
	is_u64(bad, 0, "both have what the other had");
	is_u64(srd(b, SLOT, KTDEV_SLOT_READY_LO), 0,
	       "per tile without SIGNAL: it starts, and no flag is set");
	free(image);
	free(in);
}

static void test_fold(struct board *b)
{
	enum { N = 32 };
	float in[N], got[N];
	uint32_t t, i, bad = 0;
	struct ktdev_cmd cmd;
	uint64_t size;
	void *image = image_sum(N, 8192, &size);

	for (t = 0; t < N; t++) {
		for (i = 0; i < N; i++)
			in[i] = (float)(t * 100 + i);
		write_pad(b, SLOT, t, 0, in, sizeof(in));
	}
	cmd = cmd_shuffle(b, image, size, false);
	ok(run(b, SLOT, &cmd), "SHUFFLE: a fold of 32 tiles");
	read_pad(b, SLOT, 0, 8192, got, sizeof(got));
	for (i = 0; i < N; i++)
		bad += got[i] != (float)(100 * (N * (N - 1) / 2) + N * i);
	is_u64(bad, 0, "sums are exact");
	free(image);
}

/* A ring entry per row that must fault, with the code, the tile and the address. */
static void test_refused(struct board *b)
{
	uint64_t data, list = page_list(b, 8192, &data), win = b->spm;
	struct ktdev_cmd in = cmd_dma(true, 0, 0, list, 8192);
	struct row {
		const char *what;
		struct ktdev_cmd cmd;
		uint32_t code, tile;
		uint64_t address;
	} rows[] = {
		{ "unknown op", { .op = 9 }, KTDEV_FAULT_CMD, NONE, 9 },
		{ "op 65535", { .op = 0xffff }, KTDEV_FAULT_CMD, NONE, 0xffff },
		{ "reserved field", { .reserved = 1 }, KTDEV_FAULT_CMD, NONE, 0 },
		{ "flag NOP does not take", { .flags = 1 }, KTDEV_FAULT_CMD, NONE, 0 },
		{ "flag 0x4000", { .op = 7, .flags = 0x4000 }, KTDEV_FAULT_CMD, NONE, 7 },
		{ "NOP with bytes", { .bytes = 1 }, KTDEV_FAULT_CMD, NONE, 0 },
		{ "TIMESTAMP with bytes", { .op = 8, .bytes = 1 }, KTDEV_FAULT_CMD, NONE, 8 },
		{ "FENCE with a tile", { .op = 7, .tile = 1 }, KTDEV_FAULT_CMD, NONE, 7 },
		{ "SIGNAL with an offset", { .op = 6, .offset = 1 }, KTDEV_FAULT_CMD, NONE, 6 },
		{ "FILL with rows", { .op = 4, .bytes = 8, .rows = 1 }, KTDEV_FAULT_CMD, NONE, 4 },
		{ "CHECK with pages", { .op = 5, .bytes = 8, .pages = 4096 }, KTDEV_FAULT_CMD, NONE, 5 },
		{ "SHUFFLE with a stride", { .op = 3, .host_stride = 1 }, KTDEV_FAULT_CMD, NONE, 3 },
		{ "SHUFFLE with arg", { .op = 3, .arg = 1 }, KTDEV_FAULT_CMD, NONE, 3 },
		{ "tile beyond the slot", { .op = 4, .tile = 32, .bytes = 8 }, KTDEV_FAULT_CMD_TILE, 32,
		  32 },
		{ "SIGNAL of such a tile", { .op = 6, .bytes = 1ull << 40 | 1 }, KTDEV_FAULT_CMD_TILE, 40,
		  1ull << 40 | 1 },
		{ "FILL of no bytes", { .op = 4 }, KTDEV_FAULT_CMD_SIZE, 0, 0 },
		{ "FILL over the end", cmd_fill(3, win - 8, 9, 0), KTDEV_FAULT_CMD_WINDOW, 3, win - 8 },
		{ "FILL that wraps", cmd_fill(3, ~0ull - 3, 8, 0), KTDEV_FAULT_CMD_WINDOW, 3, ~0ull - 3 },
		{ "CHECK over the end", cmd_check(3, win, 1, 0), KTDEV_FAULT_CMD_WINDOW, 3, win },
		{ "DMA over the end", cmd_dma(true, 7, win - 4096, list, 8192), KTDEV_FAULT_CMD_WINDOW, 7,
		  win - 4096 },
		{ "SHUFFLE of no bytes", { .op = 3, .pages = list, .n_pages = 1 }, KTDEV_FAULT_CMD_SIZE,
		  NONE, 0 },
		{ "SHUFFLE of 4 MiB and 1", { .op = 3, .n_pages = 4096, .bytes = (4 << 20) + 1 },
		  KTDEV_FAULT_CMD_SIZE, NONE, (4 << 20) + 1 },
		{ "SHUFFLE beyond its pages", { .op = 3, .pages = list, .n_pages = 1, .bytes = 4097 },
		  KTDEV_FAULT_CMD_PAGES, NONE, 4097 },
	};
	size_t i;

	(void)in;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		reset_slot(b, SLOT);
		bind(b, SLOT, 32);
		run(b, SLOT, &(struct ktdev_cmd){ 0 });
		run(b, SLOT, &rows[i].cmd);
		is_fault(b, SLOT, rows[i].code, 1, NONE, rows[i].tile, rows[i].address,
			 "refused: %s", rows[i].what);
	}
}

/* Row geometry of DMA: one field at a time. */
static void test_dma_refused(struct board *b)
{
	uint64_t data, list = page_list(b, 16384, &data), win = b->spm;
	struct row {
		const char *what;
		uint32_t rows;
		uint64_t arg, offset, pad, host, first;
		uint32_t code;
		uint64_t address;
	} rows[] = {
		{ "no rows", 0, 64, 0, 64, 64, 0, KTDEV_FAULT_CMD_SIZE, 64 },
		{ "rows of no bytes", 2, 0, 0, 64, 64, 0, KTDEV_FAULT_CMD_SIZE, 64 },
		{ "rows that overlap in the window", 2, 64, 0, 63, 64, 0, KTDEV_FAULT_CMD_SIZE, 63 },
		{ "last row leaves the window", 3, 64, win - 191, 64, 64, 0, KTDEV_FAULT_CMD_WINDOW,
		  win - 191 },
		{ "pad stride that wraps", 3, 64, 0, 1ull << 63, 64, 0, KTDEV_FAULT_CMD_WINDOW, 0 },
		{ "offset that wraps", 1, 64, ~0ull, 0, 0, 0, KTDEV_FAULT_CMD_WINDOW, ~0ull },
		{ "last row leaves the pages", 3, 64, 0, 64, 8192, 0, KTDEV_FAULT_CMD_PAGES, 0 },
		{ "host stride that wraps", 3, 64, 0, 64, 1ull << 63, 0, KTDEV_FAULT_CMD_PAGES, 0 },
		{ "first byte beyond the pages", 1, 64, 0, 0, 0, 16384 - 63, KTDEV_FAULT_CMD_PAGES,
		  16384 - 63 },
		{ "2^32-1 rows", NONE, 1, 0, 1, 0, 0, KTDEV_FAULT_CMD_WINDOW, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ktdev_cmd cmd = {
			.op = i % 2 ? KTDEV_CMD_DMA_OUT : KTDEV_CMD_DMA_IN, .tile = 5, .pages = list,
			.n_pages = 4, .rows = rows[i].rows, .arg = rows[i].arg,
			.offset = rows[i].offset, .pad_stride = rows[i].pad,
			.host_stride = rows[i].host, .bytes = rows[i].first,
		};

		reset_slot(b, SLOT);
		bind(b, SLOT, 32);
		run(b, SLOT, &cmd);
		is_fault(b, SLOT, rows[i].code, 0, NONE, 5, rows[i].address, "refused: DMA, %s",
			 rows[i].what);
	}
	reset_slot(b, SLOT);
	bind(b, SLOT, 32);
}

/* The last byte of the window can be reached, by every command that names a range. */
static void test_edges(struct board *b)
{
	uint64_t data, list = page_list(b, 4096, &data);
	struct ktdev_cmd fill = cmd_fill(31, b->spm - 1, 1, 0x7e), fence = cmd_fence(1, false);
	struct ktdev_cmd check = cmd_check(31, b->spm - 1, 1, 0x7e);
	struct ktdev_cmd out = cmd_dma(false, 31, b->spm - 4096, list, 4096);
	struct ktdev_completion done;
	uint8_t last;

	ok(run(b, SLOT, &fill) && run(b, SLOT, &check) && run(b, SLOT, &fence) &&
	   run(b, SLOT, &out), "the last byte of the last tile");
	read_done(b, SLOT, &done);
	qtest_read(b->q, data + 4095, &last, 1);
	ok(done.check_offset == ~0ull && last == 0x7e, "is filled, checked and read");
}

int main(void)
{
	struct board *b = board_start(NULL);

	bind(b, SLOT, 32);
	test_dma_rows(b);
	test_dma_large(b);
	test_fill_check(b);
	test_fence_signal(b);
	test_shuffle(b);
	test_fold(b);
	test_refused(b);
	test_dma_refused(b);
	test_edges(b);
	board_end(b);
	return done_testing();
}
