// SPDX-License-Identifier: MIT
/* PCI identity, BARs, capabilities, properties: sections 2 and 3 of the manual. */
#include "board.h"

static void test_identity(struct board *b)
{
	is_u64(dev_cfg(b, 0x00), 0x4b541234, "vendor and device");
	is_u64(dev_cfg(b, 0x08), 0x12000001, "class and revision");
	is_u64(dev_cfg(b, 0x0c) >> 16 & 0xff, 0, "header type 0, one function");
	ok(find_cap(b, 1, 0, 0x11), "MSI-X capability");
	ok(find_cap(b, 1, 0, 0x10), "PCI Express capability");
	ok(dev_cfg(b, (uint32_t)b->ecap + 4) & 1u << 28, "function level reset is offered");
	is_u64(dev_cfg(b, (uint32_t)b->ecap) >> 20 & 0xf, 0, "a PCI Express endpoint");
	is_u64(find_cap(b, 1, 0, 0x01), 0, "no power management capability");
	is_u64((dev_cfg(b, b->msix_cap) >> 16 & 0x7ff) + 1, b->slots, "one vector per slot");
	is_u64(dev_cfg(b, b->msix_cap + 4) & 7, KTDEV_MSIX_BAR, "MSI-X table in BAR 4");
	is_u64(dev_cfg(b, b->msix_cap + 8) & 7, KTDEV_MSIX_BAR, "pending bits in BAR 4");
}

static uint64_t bar_size(struct board *b, uint32_t off)
{
	uint32_t old = dev_cfg(b, off), v;

	dev_cfg_write(b, off, ~0u);
	v = dev_cfg(b, off);
	dev_cfg_write(b, off, old);
	return (uint32_t)~(v & ~0xfu) + 1ull;
}

static void test_bars(struct board *b, uint64_t want)
{
	is_u64(dev_cfg(b, 0x10) & 0xf, 0, "BAR 0 is 32-bit memory, not prefetchable");
	is_u64(bar_size(b, 0x10), want, "BAR 0 holds registers and doorbells of %u slots", b->slots);
	is_u64(bar_size(b, 0x14) % (1ull << 32), 0, "no BAR 1");
	is_u64(bar_size(b, 0x18) % (1ull << 32), 0, "no BAR 2");
	ok(bar_size(b, 0x20) >= 4096, "BAR 4 is there");
	is_u64(rd(b, KTDEV_REG_ID), KTDEV_ID_VALUE, "registers answer after BARs were sized");
}

static void test_decode_off(struct board *b)
{
	dev_cfg_write(b, 0x04, 0x4);
	ok(rd(b, KTDEV_REG_ID) != KTDEV_ID_VALUE, "memory decoding off: nobody answers");
	set_mastering(b, true);
	is_u64(rd(b, KTDEV_REG_ID), KTDEV_ID_VALUE, "memory decoding on: registers answer");
}

static void test_properties(void)
{
	struct board *b = board_start("cores=3,slots=2,spm-size=64K,serial=0x1122334455667788");

	is_u64(rd(b, KTDEV_REG_GEOMETRY), 0x01100203, "geometry follows the properties");
	is_u64(rd(b, KTDEV_REG_SERIAL_LO), 0x55667788, "serial, lower half");
	is_u64(rd(b, KTDEV_REG_SERIAL_HI), 0x11223344, "serial, upper half");
	is_u64(rd(b, KTDEV_REG_FEATURES), 7, "no fault injection unless asked for");
	test_bars(b, 0x20000);
	ok(bind(b, 1, 3), "all cores of a small part can be bound");
	ok(!bind(b, 0, 4), "and not one more");
	is_u64(prop(b, "cores"), 3, "property cores reads back");
	board_end(b);
	b = board_start("cores=64,slots=32,spm-size=64M,fault-injection=on");
	is_u64(rd(b, KTDEV_REG_GEOMETRY), 0x011a2040, "the largest part");
	is_u64(rd(b, KTDEV_REG_FEATURES), 0x80000007, "fault injection is a feature bit");
	test_bars(b, 0x40000);
	ok(bind(b, 31, 64), "64 tiles in slot 31");
	board_end(b);
}

/* A device that must be refused is plugged at run time, so that the machine lives. */
static void test_refused(void)
{
	static const char *const bad[] = {
		"\"cores\":0", "\"cores\":65", "\"slots\":1", "\"slots\":33", "\"spm-size\":32768",
		"\"spm-size\":134217728", "\"spm-size\":196608",
	};
	struct board *b = board_start_raw(NULL);
	const char *line;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		line = qmp(b->q, "{\"execute\":\"device_add\",\"arguments\":{\"driver\":\"ktdev\","
			   "\"id\":\"no\",\"bus\":\"rp1\",%s}}", bad[i]);
		ok(strstr(line, "ktdev: "), "refused with a reason: %s", bad[i]);
	}
	line = qmp(b->q, "{\"execute\":\"migrate\",\"arguments\":{\"uri\":\"exec:cat\"}}");
	ok(strstr(line, "error"), "a machine with the device does not migrate");
	board_end(b);
}

int main(void)
{
	struct board *b = board_start(NULL);

	test_identity(b);
	test_bars(b, 0x20000);
	test_decode_off(b);
	board_end(b);
	test_properties();
	test_refused();
	return done_testing();
}
