// SPDX-License-Identifier: MIT
/*
 * What the model reaches: how long a register access holds QEMU's big lock during a 64 MiB
 * exchange over 32 cores, transfers against memcpy, FILL against memset, and that cycles do
 * not change from run to run. Times of the device are its own TIMESTAMPs.
 */
#include <time.h>

#include "board.h"

#define SLOT	1
#define ROUNDS	30

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t stamp(struct board *b)
{
	struct ktdev_completion done;

	read_done(b, SLOT, &done);
	return done.timestamp;
}

/* Bytes per nanosecond of @n equal commands between two TIMESTAMPs; the best round. */
static double rate(struct board *b, const struct ktdev_cmd *cmd, int n, uint64_t bytes)
{
	struct ktdev_cmd time = { .op = KTDEV_CMD_TIMESTAMP }, fence = cmd_fence(1, false);
	uint64_t best = ~0ull, empty = ~0ull, took;
	int i, round, k;

	/* The round trip of an empty batch is measured alike and taken off. */
	for (round = 0; round < 2 * ROUNDS; round++) {
		run(b, SLOT, &time);
		run(b, SLOT, &fence);
		took = stamp(b);
		for (i = 0, k = round & 1 ? n : 0; i < k; i++)
			push(b, SLOT, cmd);
		push(b, SLOT, &time);
		push(b, SLOT, &fence);
		ring_it(b, SLOT);
		if (!wait_slot(b, SLOT))
			bail_out("the device faults");
		took = stamp(b) - took;
		if (k)
			best = took < best ? took : best;
		else
			empty = took < empty ? took : empty;
	}
	return (double)bytes * n / (double)(best > empty ? best - empty : 1);
}

static double host_rate(bool copy, uint64_t bytes)
{
	uint8_t *a = malloc(bytes), *z = malloc(bytes);
	uint64_t best = ~0ull, from, took;
	int i;

	memset(a, 1, bytes);
	memset(z, 2, bytes);
	for (i = 0; i < ROUNDS; i++) {
		from = now_ns();
		if (copy)
			memcpy(z, a, bytes);
		else
			memset(z, 0x11, bytes);
		__asm__ volatile("" : : "r"(z) : "memory");
		took = now_ns() - from;
		best = took < best ? took : best;
	}
	free(a);
	free(z);
	return (double)bytes / (double)best;
}

static void bench_dma(struct board *b)
{
	uint64_t bytes = 4 << 20, data, list = page_list(b, bytes, &data);
	struct ktdev_cmd in = cmd_dma(true, 0, 0, list, bytes);
	struct ktdev_cmd out = cmd_dma(false, 0, 0, list, bytes);
	double mem_rate = host_rate(true, bytes), i = rate(b, &in, 4, bytes);
	double o = rate(b, &out, 4, bytes);

	printf("dma 4 MiB hot: in %.1f GB/s, out %.1f GB/s, memcpy %.1f GB/s: %.2f x, %.2f x\n", i, o,
	       mem_rate, i / mem_rate, o / mem_rate);
}

static void bench_fill(struct board *b)
{
	uint64_t bytes = 64 << 20;
	struct ktdev_cmd byte = cmd_fill(0, 0, bytes, 0x1111111111111111ull);
	struct ktdev_cmd word = cmd_fill(0, 0, bytes, 0x0123456789abcdefull);
	struct ktdev_cmd check = cmd_check(0, 0, bytes, 0x0123456789abcdefull);
	double m = host_rate(false, bytes), f = rate(b, &byte, 1, bytes);
	double w = rate(b, &word, 1, bytes), c = rate(b, &check, 1, bytes);

	printf("fill 64 MiB: bytes %.1f GB/s, words %.1f GB/s, memset %.1f GB/s: takes %.2f x, %.2f x\n",
	       f, w, m, m / f, m / w);
	printf("check 64 MiB: %.1f GB/s\n", c);
}

/* 2 MiB on each of 32 cores go to all others, over and over; registers are read meanwhile. */
static void bench_lock(struct board *b)
{
	uint64_t size, reads[4096], from;
	void *image = image_exchange(32, 2 << 20, &size);
	struct ktdev_cmd cmd = cmd_shuffle(b, image, size, false);
	uint32_t n = 0, i;

	for (i = 0; i < 8; i++)
		run(b, SLOT, &cmd);
	set_prop(b, "x-lock-max-ns", "0");
	for (i = 0; i < 30; i++)
		push(b, SLOT, &cmd);
	ring_it(b, SLOT);
	while (n < 4096 && (n < 64 || (srd(b, SLOT, KTDEV_SLOT_STATUS) & KTDEV_SLOT_BUSY))) {
		from = now_ns();
		srd(b, SLOT, KTDEV_SLOT_HEAD);
		reads[n++] = now_ns() - from;
	}
	wait_slot(b, SLOT);
	qsort(reads, n, sizeof(*reads), by_value);
	printf("64 MiB exchange, 32 cores: big lock held at most %.3f ms; a register read through the "
	       "qtest socket: p50 %.3f ms, p99 %.3f ms, max %.3f ms (%u reads)\n",
	       (double)prop(b, "x-lock-max-ns") / 1e6, (double)reads[n / 2] / 1e6,
	       (double)reads[n * 99 / 100] / 1e6, (double)reads[n - 1] / 1e6, n);
	free(image);
}

static void bench_cycles(struct board *b)
{
	uint64_t size, data, list = page_list(b, 1 << 20, &data), first[2] = { 0 }, c, st;
	void *image = image_exchange(32, 1 << 20, &size);
	struct ktdev_cmd cmd[2] = { cmd_shuffle(b, image, size, false),
				    cmd_shuffle(b, image, size, true) };
	uint32_t same = 0, i, t;

	for (i = 0; i < 20; i++) {
		reset_slot(b, SLOT);
		bind(b, SLOT, 32);
		for (t = 0; t < 4; t++) {
			struct ktdev_cmd in = cmd_dma(true, t, 0, list, 1 << 20);

			in.flags = t ? 0 : KTDEV_CMD_JOB_START;
			run(b, SLOT, &in);
		}
		run(b, SLOT, &cmd[i & 1]);
		c = slot_counter(b, SLOT, KTDEV_CNT_CYCLES);
		st = slot_counter(b, SLOT, KTDEV_CNT_STALL_CYCLES);
		if (i < 2)
			first[i] = st;
		same += st == first[i & 1];
	}
	printf("cycles %" PRIu64 "; stall barrier %" PRIu64 ", per tile %" PRIu64
	       "; the same in %u of 20 runs\n", c, first[0], first[1], same);
	free(image);
}

int main(void)
{
	struct board *b = board_start("cores=32,spm-size=64M");

	bind(b, SLOT, 32);
	bench_dma(b);
	bench_fill(b);
	bench_lock(b);
	bench_cycles(b);
	return board_stop(b) != 0;
}
