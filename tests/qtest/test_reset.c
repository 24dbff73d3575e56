// SPDX-License-Identifier: MIT
/* Slot, device and function resets at every state; doorbells meanwhile: section 13. */
#include <time.h>

#include "board.h"

enum kind { SLOT_RESET, DEVICE_RESET, FUNCTION_RESET };
static const char *const kind_name[] = { "slot reset", "device reset", "FLR" };

enum state { UNBOUND, IDLE, QUEUED, RUNNING, FAULTED, HUNG };
static const char *const state_name[] = {
	"unbound", "idle", "queued", "running", "faulted", "hung"
};

static void enter(struct board *b, uint32_t slot, enum state st)
{
	struct ktdev_cmd bad = { .op = 77 }, nop = { 0 };

	if (st != UNBOUND && st != RUNNING)
		bind(b, slot, 32);
	switch (st) {
	case QUEUED:
		set_prop(b, "held", "true");
		push_long_job(b, slot);
		ring_it(b, slot);
		break;
	case RUNNING:
		start_endless_job(b, slot);
		break;
	case FAULTED:
		push(b, slot, &bad);
		ring_it(b, slot);
		wait_faulted(b, slot);
		break;
	case HUNG:
		wr(b, KTDEV_REG_INJECT_SLOT, slot);
		wr(b, KTDEV_REG_INJECT, KTDEV_INJECT_HANG);
		push(b, slot, &nop);
		ring_it(b, slot);
		wait_reg(b, KTDEV_REG_INJECT, KTDEV_INJECT_HANG, 0);
		break;
	default:
		break;
	}
}

static bool perform(struct board *b, uint32_t slot, enum kind kind)
{
	if (kind == SLOT_RESET)
		return reset_slot(b, slot);
	if (kind == DEVICE_RESET)
		return reset_device(b);
	flr(b);
	if (rd(b, KTDEV_REG_STATUS) != KTDEV_STATUS_READY)
		return false;
	wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_ENABLE);
	return true;
}

/* Nothing of the slot may change once a reset is done. */
static bool stays_quiet(struct board *b, uint32_t slot)
{
	struct timespec pause = { .tv_nsec = 20000000 };
	struct ktdev_completion before, after;
	uint32_t msi;

	read_done(b, slot, &before);
	take_msi(b, slot);
	nanosleep(&pause, NULL);
	read_done(b, slot, &after);
	msi = take_msi(b, slot);
	return !memcmp(&before, &after, sizeof(before)) && !msi;
}

static void test_state(struct board *b, enum kind kind, enum state st)
{
	const char *k = kind_name[kind], *s = state_name[st];
	struct ktdev_cmd fence = cmd_fence(7, true);
	uint32_t count = rd(b, KTDEV_REG_RESET_COUNT), slot = 2, v;

	enter(b, slot, st);
	ok(perform(b, slot, kind), "%s of a slot that is %s ends", k, s);
	set_prop(b, "held", "false");
	v = srd(b, slot, KTDEV_SLOT_STATUS) | srd(b, slot, KTDEV_SLOT_HEAD) |
	    srd(b, slot, KTDEV_SLOT_TAIL) | srd(b, slot, KTDEV_SLOT_FAULT_CODE) |
	    srd(b, slot, KTDEV_SLOT_READY_LO);
	is_u64(v, 0, "%s, %s: the slot is unbound and clean", k, s);
	is_u64(srd(b, slot, KTDEV_SLOT_RESET), kind == SLOT_RESET ? KTDEV_RESET_DONE : 0,
	       "%s, %s: RESET", k, s);
	is_u64(rd(b, KTDEV_REG_RESET_COUNT) - count, kind != SLOT_RESET,
	       "%s, %s: RESET_COUNT", k, s);
	doorbell(b, slot, 1);
	ok(b->slot[slot].done == 0 || stays_quiet(b, slot),
	   "%s, %s: memory and interrupts stay quiet", k, s);
	ok(bind(b, slot, 32) && run(b, slot, &fence) && wait_msi(b, slot),
	   "%s, %s: the slot works again", k, s);
	is_u64(srd(b, slot, KTDEV_SLOT_RESET), 0, "%s, %s: LOAD clears DONE", k, s);
	reset_slot(b, slot);
}

static void test_registers_after(struct board *b, enum kind kind)
{
	uint64_t reads = dev_counter(b, KTDEV_CNT_MMIO_READS);
	const char *k = kind_name[kind];

	bind(b, 1, 1);
	wr(b, KTDEV_REG_IRQ_MASK, 0xff);
	wr(b, KTDEV_REG_IRQ_COALESCE, 0x1234);
	wr(b, KTDEV_REG_INJECT, KTDEV_INJECT_IRQ_LOSE);
	swr(b, 1, KTDEV_SLOT_BIND, KTDEV_BIND_LOAD);
	if (kind == DEVICE_RESET)
		wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_RESET | KTDEV_CTRL_TIMING);
	else
		flr(b);
	ok(wait_reg(b, KTDEV_REG_CONTROL, ~0u, 0), "%s clears CONTROL", k);
	is_u64(rd(b, KTDEV_REG_IRQ_MASK), 0, "%s clears IRQ_MASK", k);
	is_u64(rd(b, KTDEV_REG_IRQ_COALESCE), 0, "%s clears IRQ_COALESCE", k);
	is_u64(rd(b, KTDEV_REG_IRQ_STATUS), 0, "%s clears IRQ_STATUS", k);
	is_u64(rd(b, KTDEV_REG_INJECT), 0, "%s clears INJECT", k);
	is_u64(srd(b, 1, KTDEV_SLOT_CTX_LO), (uint32_t)b->slot[1].ctx, "%s keeps CTX_LO", k);
	ok(dev_counter(b, KTDEV_CNT_MMIO_READS) > reads, "%s keeps the device counters", k);
	wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_ENABLE);
}

/* Contents after device reset are the seeded pattern, not what was there. */
static void test_scratchpads(struct board *b, enum kind kind)
{
	struct ktdev_cmd fill = cmd_fill(31, 0, b->spm, 0x5ec2e75ec2e75ec2ull);
	uint64_t got[512], fresh[512];
	uint32_t same = 0, i;

	bind(b, 1, 32);
	read_pad(b, 1, 0, 0, fresh, sizeof(fresh));
	run(b, 1, &fill);
	read_pad(b, 1, 31, b->spm - 4096, got, sizeof(got));
	is_u64(got[511], 0x5ec2e75ec2e75ec2ull, "a secret lies in the last tile");
	perform(b, 1, kind);
	bind(b, 1, 32);
	read_pad(b, 1, 31, b->spm - 4096, got, sizeof(got));
	for (i = 0; i < 512; i++)
		same += got[i] == 0x5ec2e75ec2e75ec2ull;
	is_u64(same, kind == SLOT_RESET ? 512 : 0, "%s: what is left of the secret",
	       kind_name[kind]);
	read_pad(b, 1, 0, 0, got, sizeof(got));
	if (kind != SLOT_RESET)
		ok(!memcmp(got, fresh, sizeof(got)), "%s: the pattern is that of the seed",
		   kind_name[kind]);
	reset_slot(b, 1);
}

/* Writes while a reset is going on; REFUSE_RESET keeps it going. */
static void test_during(struct board *b)
{
	struct ktdev_cmd nop = { 0 };

	bind(b, 3, 4);
	wr(b, KTDEV_REG_INJECT, KTDEV_INJECT_REFUSE_RESET);
	swr(b, 3, KTDEV_SLOT_RESET, KTDEV_RESET_START);
	is_u64(srd(b, 3, KTDEV_SLOT_RESET), KTDEV_RESET_START, "START reads 1 while a reset lasts");
	is_u64(srd(b, 3, KTDEV_SLOT_STATUS), KTDEV_SLOT_BOUND | KTDEV_SLOT_IN_RESET,
	       "STATUS.IN_RESET meanwhile");
	push(b, 3, &nop);
	ring_it(b, 3);
	is_u64(srd(b, 3, KTDEV_SLOT_TAIL), 0, "a doorbell during slot reset is ignored");
	swr(b, 3, KTDEV_SLOT_BIND, KTDEV_BIND_UNLOAD);
	is_u64(srd(b, 3, KTDEV_SLOT_STATUS), KTDEV_SLOT_BOUND | KTDEV_SLOT_IN_RESET,
	       "BIND during slot reset is ignored");
	wr(b, KTDEV_REG_INJECT, 0);
	ok(wait_reg(b, KTDEV_SLOT_BASE(3) + KTDEV_SLOT_RESET, ~0u, KTDEV_RESET_DONE),
	   "then it ends");
	bind(b, 3, 4);
	wr(b, KTDEV_REG_INJECT, KTDEV_INJECT_REFUSE_RESET);
	wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_RESET);
	ok(rd(b, KTDEV_REG_CONTROL) & KTDEV_CTRL_RESET, "CONTROL.RESET reads 1 while it lasts");
	is_u64(rd(b, KTDEV_REG_STATUS) & KTDEV_STATUS_READY, 0, "STATUS.READY is 0 meanwhile");
	ring_it(b, 3);
	is_u64(srd(b, 3, KTDEV_SLOT_TAIL), 0, "a doorbell during device reset is ignored");
	swr(b, 4, KTDEV_SLOT_BIND, KTDEV_BIND_LOAD);
	is_u64(srd(b, 4, KTDEV_SLOT_STATUS), 0, "BIND during device reset is ignored");
	swr(b, 4, KTDEV_SLOT_RESET, KTDEV_RESET_START);
	is_u64(srd(b, 4, KTDEV_SLOT_RESET), 0, "slot RESET during device reset is ignored");
	wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_TIMING);
	is_u64(rd(b, KTDEV_REG_CONTROL) & KTDEV_CTRL_TIMING, 0,
	       "CONTROL during device reset is ignored");
	flr(b);
	is_u64(rd(b, KTDEV_REG_STATUS), KTDEV_STATUS_READY, "FLR ends a device reset that is stuck");
	is_u64(srd(b, 3, KTDEV_SLOT_STATUS), 0, "and the slots are unbound");
	wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_ENABLE);
}

/* A slot is reset while another executes: neither waits for the other's commands. */
static void test_beside(struct board *b)
{
	struct ktdev_cmd fence = cmd_fence(3, false);
	struct ktdev_completion done;
	int i;

	bind(b, 5, 32);
	for (i = 0; i < 7; i++)
		push_long_job(b, 5);
	push(b, 5, &fence);
	ring_it(b, 5);
	for (i = 0; i < 20; i++) {
		bind(b, 6, 1);
		if (!reset_slot(b, 6))
			break;
	}
	is_u64((uint64_t)i, 20, "twenty resets of a slot beside one that executes");
	ok(wait_slot(b, 5), "which ends undisturbed");
	read_done(b, 5, &done);
	is_u64(done.seqno, 3, "with its last FENCE");
	reset_slot(b, 5);
}

/* Bus reset: the root port's secondary bus reset. */
static void test_bus_reset(struct board *b)
{
	uint32_t count = rd(b, KTDEV_REG_RESET_COUNT);

	bind(b, 2, 1);
	cfg_write(b, 0, RP_DEV, 0x3c, 1u << 22);
	cfg_write(b, 0, RP_DEV, 0x3c, 0);
	is_u64(dev_cfg(b, 0x04) & 6, 0, "bus reset clears memory decoding and mastering");
	board_setup(b);
	is_u64(rd(b, KTDEV_REG_RESET_COUNT) - count, 1, "bus reset moves RESET_COUNT");
	is_u64(srd(b, 2, KTDEV_SLOT_STATUS), 0, "bus reset unbinds the slots");
}

int main(void)
{
	struct board *b = board_start("fault-injection=on");
	enum kind kind;
	enum state st;

	for (kind = SLOT_RESET; kind <= FUNCTION_RESET; kind++) {
		for (st = UNBOUND; st <= HUNG; st++)
			test_state(b, kind, st);
		if (kind != SLOT_RESET)
			test_registers_after(b, kind);
		test_scratchpads(b, kind);
	}
	test_during(b);
	test_beside(b);
	test_bus_reset(b);
	board_end(b);
	return done_testing();
}
