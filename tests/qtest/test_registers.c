// SPDX-License-Identifier: MIT
/* Every register's reset value and access rule, as the tables of the manual state them. */
#include <ctype.h>

#include "board.h"

struct reg {
	uint32_t off;
	char name[24], access[8], reset[16];
};

/* The rows "offset name access reset" of a section of the manual. */
static int read_table(const char *title, struct reg *regs, int cap)
{
	FILE *f = fopen("Documentation/hardware.rst", "r");
	char line[512];
	bool inside = false;
	int n = 0;

	if (!f)
		bail_out("no manual (run from the top of the tree)");
	while (fgets(line, sizeof(line), f)) {
		if (isdigit((unsigned char)line[0]) && strstr(line, ". "))
			inside = strstr(line, title) != NULL;
		if (inside && n < cap && line[0] == '\t' &&
		    sscanf(line, " 0x%x %23s %7s %15s", &regs[n].off, regs[n].name,
			   regs[n].access, regs[n].reset) == 4)
			n++;
	}
	fclose(f);
	return n;
}

static void check_reset(struct board *b, uint32_t base, const struct reg *r, const char *when)
{
	if (r->reset[0] != '-')
		is_u64(rd(b, base + r->off), strtoul(r->reset, NULL, 16), "%s%s %s",
		       base ? "slot " : "", r->name, when);
}

/* Writes ones, then zeros, to a register that must not change. */
static void check_read_only(struct board *b, uint32_t base, const struct reg *r)
{
	uint32_t before = rd(b, base + r->off);

	wr(b, base + r->off, ~0u);
	wr(b, base + r->off, 0);
	is_u64(rd(b, base + r->off), before, "%s%s ignores writes", base ? "slot " : "", r->name);
}

/* A register whose written bits read back within @mask. */
static void check_mask(struct board *b, uint32_t off, uint32_t mask, const char *name)
{
	wr(b, off, ~0u);
	is_u64(rd(b, off), mask, "%s takes 0x%x and reads 0 elsewhere", name, mask);
	wr(b, off, 0xa5a5a5a5);
	is_u64(rd(b, off), 0xa5a5a5a5 & mask, "%s reads back", name);
	wr(b, off, 0);
	is_u64(rd(b, off), 0, "%s clears", name);
}

static bool changes_itself(const struct reg *r)
{
	return !strcmp(r->name, "COUNTER_LO") || !strcmp(r->name, "COUNTER_HI");
}

static void test_tables(struct board *b, int n_dev, const struct reg *dev, int n_slot,
			const struct reg *slot)
{
	uint32_t base = KTDEV_SLOT_BASE(5);
	int i;

	is_u64((uint64_t)n_dev, 25, "the manual lists the device registers");
	is_u64((uint64_t)n_slot, 17, "the manual lists the slot registers");
	for (i = 0; i < n_dev; i++)
		check_reset(b, 0, &dev[i], "has its reset value");
	for (i = 0; i < n_slot; i++)
		check_reset(b, base, &slot[i], "has its reset value");
	for (i = 0; i < n_dev; i++)
		if (!strcmp(dev[i].access, "RO") && !changes_itself(&dev[i]))
			check_read_only(b, 0, &dev[i]);
	for (i = 0; i < n_slot; i++)
		if (!strcmp(slot[i].access, "RO") && !changes_itself(&slot[i]))
			check_read_only(b, base, &slot[i]);
}

static void test_writable(struct board *b)
{
	wr(b, KTDEV_REG_CONTROL, 0);
	wr(b, KTDEV_REG_CONTROL, ~0u & ~KTDEV_CTRL_RESET);
	is_u64(rd(b, KTDEV_REG_CONTROL), KTDEV_CTRL_ENABLE | KTDEV_CTRL_TIMING,
	       "CONTROL takes ENABLE and TIMING only");
	wr(b, KTDEV_REG_CONTROL, 0);
	is_u64(rd(b, KTDEV_REG_CONTROL), 0, "CONTROL clears");
	check_mask(b, KTDEV_REG_IRQ_MASK, (1u << b->slots) - 1, "IRQ_MASK");
	check_mask(b, KTDEV_REG_IRQ_COALESCE, 0x00ffffff, "IRQ_COALESCE");
	check_mask(b, KTDEV_SLOT_BASE(3) + KTDEV_SLOT_CTX_LO, ~0u, "slot CTX_LO");
	check_mask(b, KTDEV_SLOT_BASE(3) + KTDEV_SLOT_CTX_HI, ~0u, "slot CTX_HI");
	wr(b, KTDEV_REG_INJECT, ~0u);
	wr(b, KTDEV_REG_INJECT_SLOT, ~0u);
	is_u64(rd(b, KTDEV_REG_INJECT), 0, "INJECT is not there unless the part has it");
	is_u64(rd(b, KTDEV_REG_INJECT_SLOT), 0, "INJECT_SLOT neither");
	is_u64(rd(b, KTDEV_SLOT_BASE(3) + KTDEV_SLOT_BIND), 0, "BIND reads 0");
	swr(b, 3, KTDEV_SLOT_BIND, 3);
	swr(b, 3, KTDEV_SLOT_BIND, 0);
	is_u64(srd(b, 3, KTDEV_SLOT_STATUS), 0, "BIND of an unknown value is ignored");
	swr(b, 3, KTDEV_SLOT_RESET, ~0u & ~KTDEV_RESET_START);
	is_u64(srd(b, 3, KTDEV_SLOT_RESET), 0, "RESET without START is ignored");
}

static void test_inject(void)
{
	struct board *b = board_start("fault-injection=on");

	wr(b, KTDEV_REG_INJECT, ~0u);
	is_u64(rd(b, KTDEV_REG_INJECT), 0xff, "INJECT takes its eight bits");
	wr(b, KTDEV_REG_INJECT, 0);
	is_u64(rd(b, KTDEV_REG_INJECT), 0, "INJECT disarms");
	check_mask(b, KTDEV_REG_INJECT_SLOT, 0x1f, "INJECT_SLOT");
	wr(b, KTDEV_REG_INJECT, KTDEV_INJECT_BAD_SEQNO);
	wr(b, KTDEV_REG_INJECT_SLOT, 7);
	reset_device(b);
	is_u64(rd(b, KTDEV_REG_INJECT), 0, "device reset disarms INJECT");
	is_u64(rd(b, KTDEV_REG_INJECT_SLOT), 0, "device reset clears INJECT_SLOT");
	board_end(b);
}

/* Offsets without a register, in every page. */
static void test_holes(struct board *b)
{
	static const uint32_t holes[] = {
		0x038, 0x03c, 0x05c, 0x07c, 0x0d8, 0x0ec, 0x0f8, 0x100, 0x7fc, 0xffc,
		0x101c, 0x1040, 0x10d8, 0x10fc, 0x2000, 0x4000, 0xfffc, 0x10000, 0x10004,
		0x10ffc, 0x11004, 0x1fffc,
	};
	uint32_t bad = 0;
	size_t i;

	for (i = 0; i < sizeof(holes) / sizeof(*holes); i++) {
		bad += rd(b, holes[i]) != 0;
		wr(b, holes[i], 0xdeadbeef);
		bad += rd(b, holes[i]) != 0;
	}
	is_u64(bad, 0, "offsets without a register read 0 and ignore writes");
}

static void test_sizes(struct board *b)
{
	static const unsigned int size[] = { 1, 2, 8 };
	uint32_t bad = 0, at;
	size_t i;

	wr(b, KTDEV_REG_IRQ_MASK, 0x5a5a);
	for (i = 0; i < 3; i++) {
		uint64_t all = size[i] == 8 ? ~0ull : (1ull << (8 * size[i])) - 1;

		is_u64(qtest_read_sized(b->q, BAR0, size[i]), all,
		       "a read of %u bytes gives all-ones", size[i]);
		qtest_write_sized(b->q, BAR0 + KTDEV_REG_IRQ_MASK, size[i], 0);
		is_u64(rd(b, KTDEV_REG_IRQ_MASK), 0x5a5a, "a write of %u bytes is ignored",
		       size[i]);
	}
	for (at = 1; at < 4; at++) {
		bad += rd(b, KTDEV_REG_ID + at) != ~0u;
		wr(b, KTDEV_REG_IRQ_MASK + at, 0);
		bad += rd(b, KTDEV_REG_IRQ_MASK) != 0x5a5a;
	}
	is_u64(bad, 0, "unaligned accesses read all-ones and do not write");
	wr(b, KTDEV_REG_IRQ_MASK, 0);
	for (bad = 0, at = 0; at < 3; at++)
		qtest_write_sized(b->q, BAR0 + KTDEV_DOORBELL(0), size[at], 1);
	is_u64(srd(b, 0, KTDEV_SLOT_TAIL), 0, "a doorbell of another size is ignored");
}

static void test_counters(struct board *b)
{
	uint64_t reads = dev_counter(b, KTDEV_CNT_MMIO_READS), later, writes;
	uint32_t n;

	later = dev_counter(b, KTDEV_CNT_MMIO_READS);
	is_u64(later - reads, 2, "each register read counts, its own included");
	writes = dev_counter(b, KTDEV_CNT_MMIO_WRITES);
	wr(b, KTDEV_REG_IRQ_MASK, 0);
	doorbell(b, 1, 0);
	qtest_write_sized(b->q, BAR0 + KTDEV_REG_IRQ_MASK, 2, 0);
	is_u64(dev_counter(b, KTDEV_CNT_MMIO_WRITES) - writes, 2,
	       "register writes and doorbells count, refused ones do not");
	is_u64(prop(b, "x-mmio-writes"), dev_counter(b, KTDEV_CNT_MMIO_WRITES),
	       "the monitor shows the same counter");
	for (n = 0; n < KTDEV_CNT_COUNT; n++)
		check_read_only(b, KTDEV_SLOT_BASE(2), &(struct reg){
			.off = KTDEV_SLOT_COUNTER_LO(n), .name = "COUNTER_LO" });
}

int main(void)
{
	struct board *b = board_start_raw(NULL);
	struct reg dev[40], slot[40];
	int n_dev = read_table(". Device registers", dev, 40);
	int n_slot = read_table(". Slot registers", slot, 40);

	board_configure(b);
	b->slots = 16;
	test_tables(b, n_dev, dev, n_slot, slot);
	test_writable(b);
	test_holes(b);
	test_sizes(b);
	test_counters(b);
	board_end(b);
	test_inject();
	return done_testing();
}
