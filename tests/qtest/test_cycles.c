// SPDX-License-Identifier: MIT
/* Cycles and stall cycles against the formulas of section 12, computed here by hand. */
#include "board.h"

#define SLOT	1
#define N	8u

static uint64_t max2(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Every tile sends @bytes to the tile @by after it, tile t on core @core[t] of 32. Each
 * injection is alone on its links if all go the same short way. */
static uint64_t rotation_cycles(uint64_t bytes, uint32_t by)
{
	uint64_t w = (bytes + 127) / 128, n_links = by;

	/* load of a link: as many injections as hops pass it; setup 16 before the first */
	return 16 + w * n_links + by;
}

/* DMA of @kib[t] KiB into tile t, in order, then the shuffle; returns the stall cycles. */
static uint64_t stall_of(struct board *b, const struct ktdev_cmd *shuffle, const uint32_t *kib,
			 uint64_t list)
{
	struct ktdev_cmd in;
	uint32_t t;

	reset_slot(b, SLOT);
	bind(b, SLOT, N);
	for (t = 0; t < N; t++) {
		in = cmd_dma(true, t, 0, list, kib[t] * 1024ull);
		in.flags = t ? 0 : KTDEV_CMD_JOB_START;
		run(b, SLOT, &in);
	}
	run(b, SLOT, shuffle);
	return slot_counter(b, SLOT, KTDEV_CNT_STALL_CYCLES);
}

static void test_stall(struct board *b)
{
	static const uint32_t kib[N] = { 4, 64, 8, 1, 32, 100, 2, 16 };
	uint64_t data, list = page_list(b, 100 * 1024, &data), size, ready[N], dma = 0;
	uint64_t barrier = 0, per_tile = 0, last = 0, got_b, got_p;
	void *image = image_rotate(N, 3, 4096, 0, 1 << 20, &size);
	struct ktdev_cmd cmd = cmd_shuffle(b, image, size, false);
	uint32_t t;

	for (t = 0; t < N; t++) {
		dma += kib[t] * 1024 / 64;
		ready[t] = dma;
		last = dma;
	}
	for (t = 0; t < N; t++) {
		uint64_t producer = ready[(t + N - 3) % N];

		barrier += last - ready[t];
		per_tile += max2(producer, ready[t]) - ready[t];
	}
	got_b = stall_of(b, &cmd, kib, list);
	is_u64(got_b, barrier, "barrier: stall is what destinations wait for the latest tile");
	cmd.flags = KTDEV_CMD_PER_TILE;
	got_p = stall_of(b, &cmd, kib, list);
	is_u64(got_p, per_tile, "per tile: stall is what destinations wait for their producers");
	ok(got_p < got_b, "per tile waits less");
	is_u64(dev_counter(b, KTDEV_CNT_STALL_CYCLES), got_b + got_p, "the device adds both up");
	free(image);
}

/* FILL moves a tile's ready cycle, CHECK and FENCE do not; a second shuffle finds all ready. */
static void test_clock(struct board *b)
{
	uint64_t size, first;
	void *image = image_rotate(N, 1, 4096, 0, 1 << 20, &size);
	struct ktdev_cmd cmd = cmd_shuffle(b, image, size, true), fill, check, fence;

	reset_slot(b, SLOT);
	bind(b, SLOT, N);
	fill = cmd_fill(2, 0, 128 * 1000 + 1, 0);
	check = cmd_check(3, 0, 1 << 20, 0);
	fence = cmd_fence(1, false);
	fill.flags = KTDEV_CMD_JOB_START;
	run(b, SLOT, &fill);
	run(b, SLOT, &check);
	run(b, SLOT, &fence);
	run(b, SLOT, &cmd);
	first = slot_counter(b, SLOT, KTDEV_CNT_STALL_CYCLES);
	is_u64(first, 1001, "a FILL of 128001 bytes: the one destination it feeds waits 1001 cycles");
	run(b, SLOT, &cmd);
	is_u64(slot_counter(b, SLOT, KTDEV_CNT_STALL_CYCLES), first,
	       "a second shuffle finds every tile ready");
	run(b, SLOT, &fill);
	run(b, SLOT, &cmd);
	is_u64(slot_counter(b, SLOT, KTDEV_CNT_STALL_CYCLES), 2 * first,
	       "JOB_START begins the clock anew");
	free(image);
}

static void test_cycles(struct board *b)
{
	uint64_t size, want = rotation_cycles(4096, 1), before;
	void *image = image_rotate(32, 1, 4096, 0, 1 << 20, &size);
	struct ktdev_cmd cmd = cmd_shuffle(b, image, size, false);
	struct ktdev_completion done;
	struct ktdev_cmd fence = cmd_fence(1, false);
	uint32_t i, same = 0;

	reset_slot(b, SLOT);
	bind(b, SLOT, 32);
	for (i = 0; i < 50; i++) {
		before = slot_counter(b, SLOT, KTDEV_CNT_CYCLES);
		cmd.flags = i & 1 ? KTDEV_CMD_PER_TILE : 0;
		run(b, SLOT, &cmd);
		same += slot_counter(b, SLOT, KTDEV_CNT_CYCLES) - before == want;
	}
	is_u64(same, 50, "a rotation by one takes the formula's cycles, in 50 of 50 runs");
	run(b, SLOT, &fence);
	read_done(b, SLOT, &done);
	is_u64(done.cycles, 50 * want, "the completion record holds the sum");
	is_u64(slot_counter(b, SLOT, KTDEV_CNT_TRANSFERS), 50 * 32, "transfers");
	is_u64(slot_counter(b, SLOT, KTDEV_CNT_INJECTIONS), 50 * 32, "injections");
	is_u64(slot_counter(b, SLOT, KTDEV_CNT_INJECTED_BYTES), 50 * 32 * 4096ull,
	       "injected bytes");
	is_u64(slot_counter(b, SLOT, KTDEV_CNT_DELIVERED_BYTES), 50 * 32 * 4096ull,
	       "delivered bytes");
	is_u64(slot_counter(b, SLOT, KTDEV_CNT_REMOTE_BYTES), 50 * 32 * 4096ull, "remote bytes");
	free(image);
}

int main(void)
{
	struct board *b = board_start(NULL);

	test_stall(b);
	test_clock(b);
	test_cycles(b);
	board_end(b);
	return done_testing();
}
