// SPDX-License-Identifier: MIT
/* Slot contexts, BIND, doorbells, the ring: sections 5 and 6 of the manual. */
#include "board.h"

enum field { MAGIC, TILES, LOG2, BASE, SIZE, RING, DONE, RESERVED, CORE };

static const struct bad_ctx {
	const char *what;
	enum field field;
	uint32_t index;
	uint64_t value;
} bad_ctx[] = {
	{ "magic", MAGIC, 0, 0x5854434a },
	{ "no tiles", TILES, 0, 0 },
	{ "more tiles than cores", TILES, 0, 33 },
	{ "a ring of 4 entries", LOG2, 0, 2 },
	{ "a ring of 8192 entries", LOG2, 0, 13 },
	{ "window base not a multiple of 128", BASE, 0, 64 },
	{ "window base beyond the scratchpad", BASE, 0, 128 },
	{ "window base that wraps", BASE, 0, 0ull - 128 },
	{ "window of no bytes", SIZE, 0, 0 },
	{ "window size not a multiple of 128", SIZE, 0, 192 },
	{ "window larger than the scratchpad", SIZE, 0, (2ull << 20) + 128 },
	{ "ring not aligned", RING, 0, 0x200020 },
	{ "completion record not aligned", DONE, 0, 0x200008 },
	{ "reserved word 0", RESERVED, 0, 1 },
	{ "reserved word 2", RESERVED, 2, 1ull << 63 },
	{ "core beyond the device", CORE, 3, 32 },
	{ "core named twice", CORE, 3, 1 },
	{ "core beyond n_tiles", CORE, 40, 1 },
};

static void spoil(struct ktdev_slot_ctx *c, const struct bad_ctx *bad)
{
	switch (bad->field) {
	case MAGIC: c->magic = (uint32_t)bad->value; break;
	case TILES: c->n_tiles = (uint16_t)bad->value; break;
	case LOG2: c->ring_log2 = (uint16_t)bad->value; break;
	case BASE: c->window_base = bad->value; break;
	case SIZE: c->window_size = bad->value; break;
	case RING: c->ring = bad->value; break;
	case DONE: c->done = bad->value; break;
	case RESERVED: c->reserved[bad->index] = bad->value; break;
	case CORE: c->core[bad->index] = (uint8_t)bad->value; break;
	}
}

static void test_bad_contexts(struct board *b)
{
	struct ktdev_slot_ctx ctx;
	size_t i;

	for (i = 0; i < sizeof(bad_ctx) / sizeof(*bad_ctx); i++) {
		fill_ctx(b, 2, 32, &ctx);
		spoil(&ctx, &bad_ctx[i]);
		ok(!load_ctx(b, 2, &ctx), "context refused: %s", bad_ctx[i].what);
		is_fault(b, 2, KTDEV_FAULT_CTX, 0, NONE, NONE, b->slot[2].ctx,
			 "fault CTX: %s", bad_ctx[i].what);
	}
	is_u64(rd(b, KTDEV_REG_SLOT_FAULTS), 1u << 2, "SLOT_FAULTS names the slot");
	ok(rd(b, KTDEV_REG_STATUS) & KTDEV_STATUS_FAULT, "STATUS.FAULT is set");
	ok(wait_msi(b, 2), "a context fault interrupts");
	swr(b, 2, KTDEV_SLOT_BIND, KTDEV_BIND_UNLOAD);
	is_u64(srd(b, 2, KTDEV_SLOT_FAULT_CODE), 0, "UNLOAD clears the fault record");
	is_u64(rd(b, KTDEV_REG_SLOT_FAULTS), 0, "and the slot's fault bit");
	ok(bind(b, 2, 32), "a good context binds after bad ones");
	reset_slot(b, 2);
}

static void test_context_address(struct board *b)
{
	swr(b, 3, KTDEV_SLOT_CTX_LO, 0x00200040 + 32);
	swr(b, 3, KTDEV_SLOT_CTX_HI, 0);
	swr(b, 3, KTDEV_SLOT_BIND, KTDEV_BIND_LOAD);
	is_fault(b, 3, KTDEV_FAULT_CTX, 0, NONE, NONE, 0x00200060,
		 "context address not aligned: CTX");
	swr(b, 3, KTDEV_SLOT_CTX_LO, 0);
	swr(b, 3, KTDEV_SLOT_CTX_HI, 0x100);
	swr(b, 3, KTDEV_SLOT_BIND, KTDEV_BIND_LOAD);
	is_fault(b, 3, KTDEV_FAULT_DMA, 0, NONE, NONE, 0x10000000000,
		 "context outside memory: DMA");
	swr(b, 3, KTDEV_SLOT_CTX_LO, (uint32_t)BAR0);
	swr(b, 3, KTDEV_SLOT_CTX_HI, 0);
	swr(b, 3, KTDEV_SLOT_BIND, KTDEV_BIND_LOAD);
	is_fault(b, 3, KTDEV_FAULT_DMA, 0, NONE, NONE, BAR0,
		 "context in the device's own registers: DMA");
	is_u64(srd(b, 3, KTDEV_SLOT_STATUS), KTDEV_SLOT_FAULTED, "the slot stays unbound");
	reset_slot(b, 3);
	is_u64(srd(b, 3, KTDEV_SLOT_CTX_LO), (uint32_t)BAR0, "slot reset keeps CTX_LO");
}

static void test_bind_rules(struct board *b)
{
	struct ktdev_cmd nop = { 0 };
	struct ktdev_slot_ctx ctx;

	ok(bind(b, 4, 8), "LOAD binds");
	is_u64(srd(b, 4, KTDEV_SLOT_STATUS), KTDEV_SLOT_BOUND, "STATUS.BOUND");
	ok(run(b, 4, &nop), "NOP executes");
	is_u64(srd(b, 4, KTDEV_SLOT_HEAD), 1, "HEAD counts it");
	fill_ctx(b, 4, 2, &ctx);
	ctx.magic = 0;
	load_ctx(b, 4, &ctx);
	is_u64(srd(b, 4, KTDEV_SLOT_STATUS), KTDEV_SLOT_BOUND, "LOAD of a bound slot is ignored");
	is_u64(srd(b, 4, KTDEV_SLOT_HEAD), 1, "and its head stays");
	set_prop(b, "held", "true");
	b->slot[4].tail = 1;
	push(b, 4, &nop);
	ring_it(b, 4);
	swr(b, 4, KTDEV_SLOT_BIND, KTDEV_BIND_UNLOAD);
	is_u64(srd(b, 4, KTDEV_SLOT_STATUS), KTDEV_SLOT_BOUND | KTDEV_SLOT_BUSY,
	       "UNLOAD of a slot with commands is ignored");
	set_prop(b, "held", "false");
	ok(wait_slot(b, 4), "the command executes");
	swr(b, 4, KTDEV_SLOT_BIND, KTDEV_BIND_UNLOAD);
	is_u64(srd(b, 4, KTDEV_SLOT_STATUS), 0, "UNLOAD of an idle slot");
	is_u64(srd(b, 4, KTDEV_SLOT_HEAD), 0, "HEAD is 0 after UNLOAD");
	doorbell(b, 4, 1);
	is_u64(srd(b, 4, KTDEV_SLOT_TAIL), 0, "a doorbell of an unbound slot is ignored");
	ok(bind(b, 4, 8), "LOAD again");
	is_u64(slot_counter(b, 4, KTDEV_CNT_TRANSFERS), 0, "LOAD clears the counters");
	swr(b, 4, KTDEV_SLOT_BIND, KTDEV_BIND_UNLOAD);
}

/* Each ring size, three times around, with one more entry than fits per round. */
static void test_wrap(struct board *b)
{
	struct ktdev_completion done;
	struct ktdev_slot_ctx ctx;
	uint32_t log2, i, n;

	for (log2 = 3; log2 <= 12; log2 += 3) {
		bool good = true;

		fill_ctx(b, 5, 1, &ctx);
		ctx.ring_log2 = (uint16_t)log2;
		good &= load_ctx(b, 5, &ctx);
		n = 1u << log2;
		for (i = 0; i < 24 && good; i++) {
			struct ktdev_cmd fence = cmd_fence(1000 + i, false);
			uint32_t nops = i % 2 ? n - 1 : n / 3;

			b->slot[5].tail += nops;	/* zeroed entries are NOPs */
			qtest_memset(b->q, b->slot[5].ring, 0, 64ull << log2);
			push(b, 5, &fence);
			ring_it(b, 5);
			good &= wait_slot(b, 5);
			read_done(b, 5, &done);
			good &= done.seqno == 1000 + i && done.head == b->slot[5].tail;
		}
		ok(good, "a ring of %u entries goes around", n);
		is_u64(srd(b, 5, KTDEV_SLOT_HEAD), b->slot[5].tail, "head is tail");
		swr(b, 5, KTDEV_SLOT_BIND, KTDEV_BIND_UNLOAD);
	}
}

static void test_doorbells(struct board *b)
{
	struct ktdev_completion done;

	bind(b, 6, 1);
	doorbell(b, 6, 65);
	is_fault(b, 6, KTDEV_FAULT_DOORBELL, 0, NONE, NONE, 65,
		 "a tail more than a ring ahead: DOORBELL");
	is_u64(srd(b, 6, KTDEV_SLOT_TAIL), 0, "such a tail is not taken");
	read_done(b, 6, &done);
	is_u64(done.fault, KTDEV_FAULT_DOORBELL, "the completion record carries DOORBELL");
	doorbell(b, 6, 1);
	is_u64(srd(b, 6, KTDEV_SLOT_TAIL), 0, "doorbells of a faulted slot are ignored");
	swr(b, 6, KTDEV_SLOT_BIND, KTDEV_BIND_LOAD);
	is_u64(srd(b, 6, KTDEV_SLOT_FAULT_CODE), KTDEV_FAULT_DOORBELL,
	       "LOAD of a faulted slot is ignored");
	ok(reset_slot(b, 6), "reset recovers");
	bind(b, 6, 1);
	doorbell(b, 6, 64);
	ok(wait_slot(b, 6), "a whole ring at once is fine");
	doorbell(b, 6, 64);
	is_u64(srd(b, 6, KTDEV_SLOT_STATUS), KTDEV_SLOT_BOUND, "the same tail again is fine");
	doorbell(b, 6, 63);
	is_fault(b, 6, KTDEV_FAULT_DOORBELL, 64, NONE, NONE, 63, "a tail behind the head: DOORBELL");
	reset_slot(b, 6);
	bind(b, 6, 1);
	set_prop(b, "held", "true");
	doorbell(b, 6, 20);
	doorbell(b, 6, 10);
	is_fault(b, 6, KTDEV_FAULT_DOORBELL, 0, NONE, NONE, 10,
		 "a tail that takes commands back: DOORBELL");
	set_prop(b, "held", "false");
	reset_slot(b, 6);
}

static void test_ring_memory(struct board *b)
{
	struct ktdev_slot_ctx ctx;

	fill_ctx(b, 7, 1, &ctx);
	ctx.ring = RAM_BYTES - 64 * 8;		/* the ninth entry is outside memory */
	ok(load_ctx(b, 7, &ctx), "a ring outside memory binds");
	doorbell(b, 7, 9);
	is_fault(b, 7, KTDEV_FAULT_DMA, 8, NONE, NONE, RAM_BYTES,
		 "a ring entry outside memory: DMA, at that command");
	reset_slot(b, 7);
}

/* Slots 8 and 9 have two halves of every scratchpad; 8 faults and is reset. */
static void test_isolation(struct board *b)
{
	struct ktdev_cmd over = cmd_fill(0, 0, (1ull << 20) + 8, 0), nop = { 0 };
	struct ktdev_cmd fill = cmd_fill(0, 0, 1ull << 20, 0x9999999999999999ull);
	struct ktdev_cmd check = cmd_check(0, 0, 1ull << 20, 0x9999999999999999ull);
	struct ktdev_slot_ctx ctx;
	struct ktdev_completion done;
	struct ktdev_cmd fence = cmd_fence(5, false);

	fill_ctx(b, 8, 32, &ctx);
	ctx.window_size = 1 << 20;
	load_ctx(b, 8, &ctx);
	fill_ctx(b, 9, 32, &ctx);
	ctx.window_base = ctx.window_size = 1 << 20;
	load_ctx(b, 9, &ctx);
	ok(run(b, 9, &fill), "the second slot fills its window");
	fill.arg = 0;
	ok(run(b, 8, &fill), "the first slot fills its own");
	run(b, 8, &over);
	is_fault(b, 8, KTDEV_FAULT_CMD_WINDOW, 1, NONE, 0, 0, "the first slot leaves its window");
	ok(run(b, 9, &check), "the second slot executes on");
	reset_slot(b, 8);
	ok(run(b, 9, &check), "a reset of the first slot does not disturb the second");
	ok(run(b, 9, &fence), "nor its completion record");
	read_done(b, 9, &done);
	is_u64(done.check_tiles, 0, "nor its bytes");
	is_u64(done.head, 4, "nor its ring");
	is_u64(srd(b, 9, KTDEV_SLOT_FAULT_CODE), 0, "nor its fault record");
	run(b, 9, &nop);
	reset_slot(b, 9);
}

/* Both slots have work at once: they take turns, command by command. */
static void test_turns(struct board *b)
{
	struct ktdev_cmd fence = cmd_fence(1, false), time = { .op = KTDEV_CMD_TIMESTAMP };
	struct ktdev_completion a, z;

	bind(b, 10, 1);
	bind(b, 11, 1);
	set_prop(b, "held", "true");
	push_long_job(b, 10);
	push(b, 10, &time);
	push(b, 10, &fence);
	ring_it(b, 10);
	push(b, 11, &time);
	push(b, 11, &fence);
	ring_it(b, 11);
	set_prop(b, "held", "false");
	ok(wait_slot(b, 10) && wait_slot(b, 11), "a short job beside a long one: both end");
	read_done(b, 10, &a);
	read_done(b, 11, &z);
	ok(z.timestamp && z.timestamp < a.timestamp, "the short one ends before the long one");
	reset_slot(b, 10);
	reset_slot(b, 11);
}

int main(void)
{
	struct board *b = board_start(NULL);

	test_bad_contexts(b);
	test_context_address(b);
	test_bind_rules(b);
	test_wrap(b);
	test_doorbells(b);
	test_ring_memory(b);
	test_isolation(b);
	test_turns(b);
	board_end(b);
	return done_testing();
}
