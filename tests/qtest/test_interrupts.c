// SPDX-License-Identifier: MIT
/* Vectors, mask, coalescing, injected losses: sections 10 and 16 of the manual. */
#include "board.h"

#define USEC 1000ll

static uint64_t sent(struct board *b)
{
	return dev_counter(b, KTDEV_CNT_INTERRUPTS);
}

/* Whether the number of messages becomes @want and stays there. */
static bool settles(struct board *b, uint64_t want)
{
	int i;

	for (i = 0; i < 2000 && sent(b) < want; i++)
		;
	for (i = 0; i < 50 && sent(b) == want; i++)
		;
	return sent(b) == want;
}

static bool fences(struct board *b, uint32_t slot, uint32_t n)
{
	struct ktdev_cmd fence = cmd_fence(1, true);
	bool good = true;

	while (n-- && good)
		good = run(b, slot, &fence);
	return good;
}

static void test_vectors(struct board *b)
{
	struct ktdev_cmd quiet = cmd_fence(1, false), bad = { .op = 50 };
	uint32_t s, v, wrong = 0;
	uint64_t before;

	for (s = 0; s < b->slots; s++) {
		bind(b, s, 1);
		fences(b, s, 1);
		wrong += !wait_msi(b, s);
		for (v = 0; v < b->slots; v++)
			wrong += take_msi(b, v) != 0;
	}
	is_u64(wrong, 0, "FENCE with IRQ of slot s sends vector s and no other");
	is_u64(rd(b, KTDEV_REG_IRQ_STATUS), 0xffff, "IRQ_STATUS has a bit per slot");
	wr(b, KTDEV_REG_IRQ_STATUS, 0x00f0);
	is_u64(rd(b, KTDEV_REG_IRQ_STATUS), 0xff0f, "writing 1 clears");
	wr(b, KTDEV_REG_IRQ_STATUS, ~0u);
	is_u64(rd(b, KTDEV_REG_IRQ_STATUS), 0, "all of them");
	before = sent(b);
	run(b, 3, &quiet);
	ok(settles(b, before), "FENCE without IRQ sends nothing");
	run(b, 3, &bad);
	ok(wait_faulted(b, 3) && wait_msi(b, 3), "a fault sends the slot's vector");
	is_u64(rd(b, KTDEV_REG_IRQ_STATUS), 1u << 3, "and sets its status bit");
	is_u64(slot_counter(b, 5, KTDEV_CNT_INTERRUPTS), 1, "slots count their messages");
	is_u64(sent(b), b->slots + 1, "the device counts all");
	reset_slot(b, 3);
	bind(b, 3, 1);
}

static void test_mask(struct board *b)
{
	uint64_t before = sent(b);

	wr(b, KTDEV_REG_IRQ_MASK, 1u << 4);
	fences(b, 4, 3);
	ok(settles(b, before), "a masked slot sends nothing");
	is_u64(rd(b, KTDEV_REG_IRQ_STATUS) >> 4 & 1, 1, "but its status bit is set");
	fences(b, 5, 1);
	ok(wait_msi(b, 5), "other slots do send");
	wr(b, KTDEV_REG_IRQ_MASK, 0);
	ok(wait_msi(b, 4), "unmasking delivers what was held back");
	ok(settles(b, before + 2), "once");
	wr(b, KTDEV_REG_IRQ_MASK, 1u << 4);
	fences(b, 4, 1);
	reset_slot(b, 4);
	wr(b, KTDEV_REG_IRQ_MASK, 0);
	ok(settles(b, before + 2), "a slot reset drops what was held back");
	bind(b, 4, 1);
}

static void test_coalesce(struct board *b)
{
	struct ktdev_cmd bad = { .op = 50 };
	uint64_t before = sent(b);

	wr(b, KTDEV_REG_IRQ_COALESCE, FIELD_PUT(KTDEV_COALESCE_COUNT, 4) |
	   FIELD_PUT(KTDEV_COALESCE_USECS, 100));
	fences(b, 6, 3);
	ok(settles(b, before), "COUNT 4: three FENCEs wait");
	fences(b, 6, 1);
	ok(wait_msi(b, 6) && settles(b, before + 1), "the fourth sends one message");
	fences(b, 6, 9);
	ok(settles(b, before + 3), "nine more send two");
	qtest_clock_step(b->q, 99 * USEC);
	ok(settles(b, before + 3), "the ninth waits for USECS");
	qtest_clock_step(b->q, 2 * USEC);
	ok(settles(b, before + 4), "then it is sent");
	fences(b, 6, 1);
	fences(b, 7, 2);
	qtest_clock_step(b->q, 101 * USEC);
	ok(settles(b, before + 6), "the time ends for every slot that waits");
	fences(b, 7, 2);
	run(b, 7, &bad);
	ok(wait_faulted(b, 7) && settles(b, before + 7),
	   "a fault is sent at once and takes waiting FENCEs along");
	qtest_clock_step(b->q, 200 * USEC);
	ok(settles(b, before + 7), "which are not sent again");
	fences(b, 6, 2);
	reset_slot(b, 6);
	qtest_clock_step(b->q, 200 * USEC);
	ok(settles(b, before + 7), "a slot reset drops waiting FENCEs");
	bind(b, 6, 1);
	wr(b, KTDEV_REG_IRQ_COALESCE, FIELD_PUT(KTDEV_COALESCE_COUNT, 200));
	fences(b, 6, 2);
	ok(settles(b, before + 9), "USECS 0: every FENCE sends");
	wr(b, KTDEV_REG_IRQ_COALESCE, 0);
	reset_slot(b, 7);
	bind(b, 7, 1);
}

static void test_injected(struct board *b)
{
	uint64_t before = sent(b);
	int i;

	wr(b, KTDEV_REG_INJECT, KTDEV_INJECT_IRQ_LOSE);
	fences(b, 8, 1);
	ok(settles(b, before), "IRQ_LOSE: no message");
	is_u64(rd(b, KTDEV_REG_INJECT), 0, "IRQ_LOSE has struck");
	is_u64(rd(b, KTDEV_REG_IRQ_STATUS) >> 8 & 1, 1, "IRQ_LOSE: the status bit tells");
	fences(b, 8, 1);
	ok(settles(b, before + 1), "the next message is sent");
	wr(b, KTDEV_REG_INJECT, KTDEV_INJECT_IRQ_DUP);
	fences(b, 8, 1);
	ok(settles(b, before + 2), "IRQ_DUP: the message");
	qtest_clock_step(b->q, 51 * USEC);
	ok(settles(b, before + 3), "IRQ_DUP: and once more");
	qtest_clock_step(b->q, 500 * USEC);
	ok(settles(b, before + 3), "IRQ_DUP: no third");
	wr(b, KTDEV_REG_INJECT, KTDEV_INJECT_IRQ_STORM);
	fences(b, 8, 1);
	for (i = 0; i < 10; i++)
		qtest_clock_step(b->q, 50 * USEC);
	ok(settles(b, before + 14), "IRQ_STORM: a message every 50 us");
	wr(b, KTDEV_REG_IRQ_MASK, 1u << 8);
	for (i = 0; i < 10; i++)
		qtest_clock_step(b->q, 50 * USEC);
	ok(settles(b, before + 14), "IRQ_STORM: masking the slot ends it");
	wr(b, KTDEV_REG_IRQ_MASK, 0);
	for (i = 0; i < 10; i++)
		qtest_clock_step(b->q, 50 * USEC);
	ok(settles(b, before + 15), "IRQ_STORM: one was held back");
	wr(b, KTDEV_REG_INJECT, KTDEV_INJECT_IRQ_STORM);
	fences(b, 8, 1);
	reset_device(b);
	before = sent(b);
	qtest_clock_step(b->q, 500 * USEC);
	ok(settles(b, before), "IRQ_STORM: device reset ends it");
}

static void test_disabled(struct board *b)
{
	uint64_t before;

	bind(b, 9, 1);
	before = sent(b);
	dev_cfg_write(b, b->msix_cap, dev_cfg(b, b->msix_cap) & 0x7fffffff);
	fences(b, 9, 1);
	is_u64(take_msi(b, 9), 0, "MSI-X disabled: no message");
	ok(settles(b, before), "and none is counted");
	dev_cfg_write(b, b->msix_cap, dev_cfg(b, b->msix_cap) | 0x80000000);
	qtest_writel(b->q, BAR4 + 9 * 16 + 12, 1);
	fences(b, 9, 1);
	is_u64(take_msi(b, 9), 0, "vector masked in the table: no message");
	qtest_writel(b->q, BAR4 + 9 * 16 + 12, 0);
	ok(wait_msi(b, 9), "it was pending");
}

int main(void)
{
	struct board *b = board_start("fault-injection=on");

	test_vectors(b);
	test_mask(b);
	test_coalesce(b);
	test_injected(b);
	test_disabled(b);
	board_end(b);
	return done_testing();
}
