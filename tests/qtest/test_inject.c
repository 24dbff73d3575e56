// SPDX-License-Identifier: MIT
/* Fault injection but for interrupts and resets: section 16 of the manual. */
#include <time.h>

#include "board.h"

static void test_hang(struct board *b)
{
	struct timespec pause = { .tv_nsec = 20000000 };
	struct ktdev_cmd nop = { 0 }, fence = cmd_fence(8, false);

	bind(b, 1, 2);
	bind(b, 2, 2);
	wr(b, KTDEV_REG_INJECT_SLOT, 1);
	wr(b, KTDEV_REG_INJECT, KTDEV_INJECT_HANG);
	ok(run(b, 2, &nop), "HANG: another slot executes");
	is_u64(rd(b, KTDEV_REG_INJECT), KTDEV_INJECT_HANG, "HANG: armed until its slot has work");
	push(b, 1, &nop);
	ring_it(b, 1);
	nanosleep(&pause, NULL);
	is_u64(srd(b, 1, KTDEV_SLOT_STATUS), KTDEV_SLOT_BOUND | KTDEV_SLOT_BUSY,
	       "HANG: its slot is busy for ever");
	is_u64(rd(b, KTDEV_REG_INJECT), 0, "HANG: it has struck");
	ok(run(b, 2, &fence), "HANG: the other slot executes on");
	ok(reset_slot(b, 1), "HANG: slot reset ends it");
	ok(bind(b, 1, 2) && run(b, 1, &nop), "HANG: the slot works again");
}

static void test_seqno(struct board *b)
{
	struct ktdev_cmd fence = cmd_fence(1000, false);
	struct ktdev_completion done;

	wr(b, KTDEV_REG_INJECT, KTDEV_INJECT_BAD_SEQNO);
	run(b, 1, &fence);
	read_done(b, 1, &done);
	is_u64(done.seqno, 1000 + (1ull << 32), "BAD_SEQNO: 2^32 too large");
	is_u64(rd(b, KTDEV_REG_INJECT), 0, "BAD_SEQNO: it has struck");
	run(b, 1, &fence);
	read_done(b, 1, &done);
	is_u64(done.seqno, 1000, "BAD_SEQNO: the next one is right");
}

static void test_dma_error(struct board *b)
{
	struct ktdev_cmd nop = { 0 };
	uint32_t at = b->slot[1].tail;

	wr(b, KTDEV_REG_INJECT, KTDEV_INJECT_DMA_ERROR);
	run(b, 1, &nop);
	is_fault(b, 1, KTDEV_FAULT_DMA, at, NONE, NONE, b->slot[1].ring + (at & 63) * 64,
		 "DMA_ERROR: the next access fails, that of the ring entry");
	is_u64(rd(b, KTDEV_REG_INJECT), 0, "DMA_ERROR: it has struck");
	reset_slot(b, 1);
	wr(b, KTDEV_REG_INJECT, KTDEV_INJECT_DMA_ERROR);
	ok(!bind(b, 1, 2), "DMA_ERROR: LOAD fails");
	is_fault(b, 1, KTDEV_FAULT_DMA, 0, NONE, NONE, b->slot[1].ctx, "DMA_ERROR: at the context");
	ok(bind(b, 1, 2), "DMA_ERROR: LOAD again");
}

static void test_check(struct board *b)
{
	struct ktdev_cmd fill = cmd_fill(1, 512, 512, 3), check = cmd_check(1, 512, 512, 3);
	struct ktdev_cmd fence = cmd_fence(1, false);
	struct ktdev_completion done;

	wr(b, KTDEV_REG_INJECT, KTDEV_INJECT_CHECK_MISMATCH);
	ok(run(b, 1, &fill) && run(b, 1, &check) && run(b, 1, &fence), "CHECK_MISMATCH: CHECK");
	read_done(b, 1, &done);
	is_u64(done.check_offset, 512, "CHECK_MISMATCH: at the first byte");
	is_u64(done.check_tiles, 2, "CHECK_MISMATCH: on the tile");
	is_u64(rd(b, KTDEV_REG_INJECT), 0, "CHECK_MISMATCH: it has struck");
	run(b, 1, &check);
	run(b, 1, &fence);
	read_done(b, 1, &done);
	is_u64(done.check_offset, ~0ull, "CHECK_MISMATCH: the next CHECK finds nothing");
}

/* All at once, and a device reset on top. */
static void test_all(struct board *b)
{
	struct ktdev_cmd fence = cmd_fence(1, true);

	wr(b, KTDEV_REG_INJECT_SLOT, 1);
	wr(b, KTDEV_REG_INJECT, 0xff);
	push(b, 1, &fence);
	ring_it(b, 1);
	run(b, 2, &fence);
	wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_RESET);
	is_u64(rd(b, KTDEV_REG_CONTROL) & KTDEV_CTRL_RESET, KTDEV_CTRL_RESET,
	       "REFUSE_RESET: device reset does not end");
	wr(b, KTDEV_REG_INJECT, 0);
	ok(wait_reg(b, KTDEV_REG_CONTROL, KTDEV_CTRL_RESET, 0), "REFUSE_RESET: until it is cleared");
}

int main(void)
{
	struct board *b = board_start("fault-injection=on");

	test_hang(b);
	test_seqno(b);
	test_dma_error(b);
	test_check(b);
	test_all(b);
	board_end(b);
	return done_testing();
}
