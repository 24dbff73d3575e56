// SPDX-License-Identifier: MIT
/* The machine around the device: bus errors, removal, stopping, properties. */
#include <time.h>

#include "board.h"

#define ROM_TOP		0xfffff000ull	/* the BIOS image */

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

static void fresh(struct board *b, uint32_t slot)
{
	reset_slot(b, slot);
	bind(b, slot, 32);
}

/* Where the pages of a transfer lie, and what must come of it. */
static void test_bus_errors(struct board *b)
{
	static const struct {
		const char *what;
		uint64_t page;
		bool in;
		uint32_t code;
	} rows[] = {
		{ "a page beyond memory, read", RAM_BYTES, true, KTDEV_FAULT_DMA },
		{ "a page beyond memory, written", RAM_BYTES, false, KTDEV_FAULT_DMA },
		{ "a page at 2^63", 1ull << 63, true, KTDEV_FAULT_DMA },
		{ "the last page of all", ~0xfffull, false, KTDEV_FAULT_DMA },
		{ "registers of a device, read", BAR0, true, KTDEV_FAULT_DMA },
		{ "registers of a device, written", BAR0, false, KTDEV_FAULT_DMA },
		{ "the interrupt controller, written", 0xfee00000, false, KTDEV_FAULT_DMA },
		{ "ROM, written", ROM_TOP, false, KTDEV_FAULT_DMA },
		{ "a page address that is not aligned", 0x200008, true, KTDEV_FAULT_CMD_PAGES },
	};
	struct ktdev_cmd cmd;
	uint64_t list = mem(b, 4096);
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		qtest_write(b->q, list, &rows[i].page, 8);
		cmd = cmd_dma(rows[i].in, 1, 0, list, 4096);
		fresh(b, 1);
		run(b, 1, &cmd);
		is_fault(b, 1, rows[i].code, 0, NONE, 1, rows[i].page, "%s", rows[i].what);
		flr(b);		/* would wait for ever if the worker wanted the big lock */
		wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_ENABLE);
	}
	qtest_write(b->q, list, &(uint64_t){ ROM_TOP }, 8);
	cmd = cmd_dma(true, 1, 0, list, 4096);
	fresh(b, 1);
	ok(run(b, 1, &cmd), "ROM can be read");
	cmd.pages = RAM_BYTES - 8;
	cmd.n_pages = 2;
	cmd.arg = 8192;
	qtest_write(b->q, RAM_BYTES - 8, &(uint64_t){ 0x200000 }, 8);
	run(b, 1, &cmd);
	is_fault(b, 1, KTDEV_FAULT_DMA, 1, NONE, 1, RAM_BYTES - 8, "a page list that leaves memory");
	fresh(b, 1);
}

static void test_precise(struct board *b)
{
	uint64_t n = 100, list = mem(b, n * 8), p, i;
	struct ktdev_cmd cmd = cmd_dma(false, 2, 0, list, n * 4096);

	for (i = 0; i < n; i++) {
		p = RAM_BYTES - (60 - i) * 4096;	/* page 60 is the first outside */
		qtest_write(b->q, list + i * 8, &p, 8);
	}
	fresh(b, 1);
	run(b, 1, &cmd);
	is_fault(b, 1, KTDEV_FAULT_DMA, 0, NONE, 2, RAM_BYTES,
		 "the address is the first byte that failed, in the middle of a run");
	fresh(b, 1);
}

static void test_done_outside(struct board *b)
{
	struct ktdev_cmd fence = cmd_fence(1, false);
	struct ktdev_slot_ctx ctx;

	reset_slot(b, 1);
	fill_ctx(b, 1, 1, &ctx);
	ctx.done = RAM_BYTES;
	load_ctx(b, 1, &ctx);
	run(b, 1, &fence);
	is_fault(b, 1, KTDEV_FAULT_DMA, 0, NONE, NONE, RAM_BYTES + 8,
		 "a completion record outside memory");
	fresh(b, 1);
}

static void test_mastering(struct board *b)
{
	struct ktdev_cmd nop = { 0 };
	uint64_t at;

	push(b, 1, &nop);
	take_msi(b, 1);
	set_mastering(b, false);
	ring_it(b, 1);
	at = b->slot[1].ring + (b->slot[1].tail - 1) * 64;
	is_fault(b, 1, KTDEV_FAULT_DMA, b->slot[1].tail - 1, NONE, NONE, at,
		 "bus mastering off: DMA fault at the ring entry");
	is_u64(take_msi(b, 1), 0, "bus mastering off: no message comes");
	reset_slot(b, 1);
	swr(b, 1, KTDEV_SLOT_BIND, KTDEV_BIND_LOAD);
	is_fault(b, 1, KTDEV_FAULT_DMA, 0, NONE, NONE, b->slot[1].ctx,
		 "bus mastering off: LOAD faults too");
	set_mastering(b, true);
	ok(reset_slot(b, 1) && bind(b, 1, 32) && run(b, 1, &nop), "bus mastering on: it works");
}

static void test_held(struct board *b)
{
	struct timespec pause = { .tv_nsec = 20000000 };
	struct ktdev_cmd nop = { 0 };
	uint32_t head = srd(b, 1, KTDEV_SLOT_HEAD);

	ok(set_prop(b, "held", "true"), "held can be set while it runs");
	is_u64(prop(b, "held"), 1, "and reads back");
	push(b, 1, &nop);
	ring_it(b, 1);
	nanosleep(&pause, NULL);
	is_u64(srd(b, 1, KTDEV_SLOT_HEAD), head, "held: nothing executes");
	is_u64(srd(b, 1, KTDEV_SLOT_TAIL), head + 1, "held: the doorbell is taken");
	set_prop(b, "held", "false");
	ok(wait_slot(b, 1), "not held any more: it executes");
	ok(set_prop(b, "poll-us", "200"), "poll-us can be set while it runs");
	ok(run(b, 1, &nop), "a polling worker finds the doorbell");
	nanosleep(&pause, NULL);
	ok(run(b, 1, &nop), "and a sleeping one");
	set_prop(b, "poll-us", "0");
	wr(b, KTDEV_REG_CONTROL, 0);
	push(b, 1, &nop);
	ring_it(b, 1);
	nanosleep(&pause, NULL);
	is_u64(srd(b, 1, KTDEV_SLOT_STATUS) & KTDEV_SLOT_BUSY, KTDEV_SLOT_BUSY,
	       "CONTROL.ENABLE 0: nothing executes");
	wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_ENABLE);
	ok(wait_slot(b, 1), "CONTROL.ENABLE 1: it executes");
}

/* Timing on: a command takes what the model says; stop, reset and FLR do not wait for it. */
static void test_timing(struct board *b)
{
	uint64_t size;
	void *image = image_exchange(32, 1 << 20, &size);
	struct ktdev_cmd cmd = cmd_shuffle(b, image, size, false);
	int64_t began;
	uint64_t cycles;

	fresh(b, 1);
	ok(run(b, 1, &cmd), "an exchange of 32 MiB");
	cycles = slot_counter(b, 1, KTDEV_CNT_CYCLES);
	ok(cycles > 10000, "takes %" PRIu64 " cycles", cycles);
	wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_ENABLE | KTDEV_CTRL_TIMING);
	began = now_ms();
	ok(run(b, 1, &cmd) && now_ms() - began >= (int64_t)(cycles / 1000000),
	   "CONTROL.TIMING: not faster than the cycle model");
	wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_ENABLE);
	free(image);
}

static void test_stop(struct board *b)
{
	struct timespec pause = { .tv_nsec = 30000000 };
	struct ktdev_cmd fence = cmd_fence(42, false);
	struct ktdev_completion done;
	uint32_t head;
	int i;

	fresh(b, 1);
	for (i = 0; i < 7; i++)
		push_long_job(b, 1);
	push(b, 1, &fence);
	ring_it(b, 1);
	qmp(b->q, "{\"execute\":\"stop\"}");
	ok(qmp_event(b->q, "STOP", 5000), "the machine stops in the middle of a job");
	head = srd(b, 1, KTDEV_SLOT_HEAD);
	nanosleep(&pause, NULL);
	is_u64(srd(b, 1, KTDEV_SLOT_HEAD), head, "nothing executes while it is stopped");
	bind(b, 2, 1);
	ok(reset_slot(b, 2), "a slot reset is served while it is stopped");
	qmp(b->q, "{\"execute\":\"cont\"}");
	ok(wait_slot(b, 1), "the job goes on when the machine does");
	read_done(b, 1, &done);
	is_u64(done.seqno, 42, "to its end");
	ok(strstr(qmp(b->q, "{\"execute\":\"qom-get\",\"arguments\":{\"path\":\"" DEV_PATH "\","
		      "\"property\":\"x-state\"}}"), "slot 1: bound head 57 tail 57 fault 0"),
	   "the monitor shows the state of slots");
}

static void test_gone(struct board *b)
{
	struct timespec pause = { .tv_nsec = 20000000 };
	struct ktdev_completion a, z;
	uint64_t msgs;

	reset_slot(b, 1);
	start_endless_job(b, 1);
	ok(set_prop(b, "gone", "true"), "the device goes in the middle of a job");
	is_u64(rd(b, KTDEV_REG_ID), 0xffffffff, "gone: registers read all-ones");
	is_u64(qtest_read_sized(b->q, BAR0, 8), ~0ull, "gone: of any size");
	is_u64(srd(b, 1, KTDEV_SLOT_STATUS), 0xffffffff, "gone: slot registers too");
	is_u64(dev_cfg(b, 0), 0xffffffff, "gone: configuration space too");
	read_done(b, 1, &a);
	msgs = prop(b, "x-interrupts");
	nanosleep(&pause, NULL);
	read_done(b, 1, &z);
	ok(!memcmp(&a, &z, sizeof(a)) && a.head < b->slot[1].tail, "gone: memory is not written any more");
	is_u64(prop(b, "x-interrupts"), msgs, "gone: no interrupt");
	wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_RESET);
	set_prop(b, "gone", "false");
	is_u64(rd(b, KTDEV_REG_RESET_COUNT), prop(b, "x-reset-count"),
	       "gone: writes went nowhere");
	ok(reset_device(b), "back again: reset");
}

/* device_del, then what the firmware does on the guest's behalf: eject. */
static bool unplug(struct board *b)
{
	uint32_t bsel;

	qmp(b->q, "{\"execute\":\"device_del\",\"arguments\":{\"id\":\"kt0\"}}");
	for (bsel = 0; bsel < 4; bsel++) {
		qtest_outl(b->q, 0x0cc0 + 0x10, bsel);
		qtest_outl(b->q, 0x0cc0 + 0x08, 1);
		if (qmp_event(b->q, "DEVICE_DELETED", 300))
			return true;
	}
	qmp(b->q, "{\"execute\":\"system_reset\"}");
	return qmp_event(b->q, "DEVICE_DELETED", 5000);
}

static void test_unplug(void)
{
	struct board *b = board_start("cores=8,slots=4");
	const char *line;

	start_endless_job(b, 1);
	ok(unplug(b), "hot-unplug in the middle of a job");
	is_u64(dev_cfg(b, 0), 0xffffffff, "its function does not answer");
	line = qmp(b->q, "{\"execute\":\"device_add\",\"arguments\":{\"driver\":\"ktdev\","
		   "\"id\":\"kt0\",\"bus\":\"rp1\",\"cores\":4}}");
	ok(strstr(line, "\"return\""), "another one can be plugged");
	line = qmp(b->q, "{\"execute\":\"device_del\",\"arguments\":{\"id\":\"kt0\"}}");
	ok(strstr(line, "\"return\""), "and be asked to leave");
	board_end(b);
	b = board_start("cores=8,slots=4");
	start_endless_job(b, 1);
	set_prop(b, "gone", "true");
	ok(unplug(b), "unplugged after it was gone");
	board_end(b);
	b = board_start(NULL);
	start_endless_job(b, 1);
	pass("the machine is ended in the middle of a job");
	board_end(b);
}

int main(void)
{
	struct board *b = board_start(NULL);

	bind(b, 1, 32);
	test_bus_errors(b);
	test_precise(b);
	test_done_outside(b);
	test_mastering(b);
	test_held(b);
	test_timing(b);
	test_stop(b);
	test_gone(b);
	board_end(b);
	test_unplug();
	return done_testing();
}
