/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Registers, slot contexts, ring commands and completion records of the accelerator:
 * the one description that the driver and the device model share. The manual,
 * Documentation/hardware.rst, says what each bit does; scripts/check-regs compares.
 *
 * An including file provides BIT(), GENMASK() and fixed-width types.
 *
 * Access: 32-bit registers take aligned 32-bit accesses. Registers named _LO/_HI form
 * 64-bit values; reading LO latches HI for counters. Accesses of another size or not aligned
 * read all-ones and are ignored on write.
 */
#ifndef KTDEV_REGS_H
#define KTDEV_REGS_H

#define KTDEV_PCI_VENDOR_ID		0x1234
#define KTDEV_PCI_DEVICE_ID		0x4b54	/* "KT" */
#define KTDEV_PCI_CLASS			0x1200	/* processing accelerator */

#define KTDEV_BAR			0
#define KTDEV_MSIX_BAR			4
#define KTDEV_MAX_CORES			64
#define KTDEV_MAX_SLOTS			32

/* --- device registers, BAR0 page 0 --------------------------------------------------- */

#define KTDEV_REG_ID			0x000	/* RO */
#define   KTDEV_ID_VALUE		0x5644544b	/* "KTDV" in memory order */
#define KTDEV_REG_VERSION		0x004	/* RO */
#define   KTDEV_VERSION_MINOR		GENMASK(15, 0)
#define   KTDEV_VERSION_MAJOR		GENMASK(31, 16)
#define KTDEV_REG_FEATURES		0x008	/* RO */
#define   KTDEV_FEAT_PER_TILE		BIT(0)
#define   KTDEV_FEAT_CHECK		BIT(1)
#define   KTDEV_FEAT_TIMESTAMP		BIT(2)
#define   KTDEV_FEAT_INJECT		BIT(31)	/* fault injection registers present */
#define KTDEV_REG_GEOMETRY		0x00c	/* RO */
#define   KTDEV_GEOM_CORES		GENMASK(7, 0)	/* 1..64 */
#define   KTDEV_GEOM_SLOTS		GENMASK(15, 8)	/* 2..32 */
#define   KTDEV_GEOM_SPM_LOG2		GENMASK(21, 16)	/* log2 of scratchpad bytes, 16..26 */
#define   KTDEV_GEOM_DMA_CHANNELS	GENMASK(27, 24)
#define KTDEV_REG_MAX_ENTRIES		0x010	/* RO */
#define KTDEV_REG_MAX_SPACES		0x014	/* RO */
#define KTDEV_REG_MAX_PAIRS		0x018	/* RO */
#define KTDEV_REG_MAX_IMAGE		0x01c	/* RO, bytes */
#define KTDEV_REG_CLOCK_KHZ		0x020	/* RO */
#define KTDEV_REG_TIMING0		0x024	/* RO */
#define   KTDEV_TIMING_LINK_BYTES	GENMASK(15, 0)
#define   KTDEV_TIMING_HOP_CYCLES	GENMASK(23, 16)
#define   KTDEV_TIMING_SETUP_CYCLES	GENMASK(31, 24)
#define KTDEV_REG_TIMING1		0x028	/* RO */
#define   KTDEV_TIMING_DMA_BYTES	GENMASK(15, 0)
#define   KTDEV_TIMING_FOLD_BYTES	GENMASK(31, 16)
#define KTDEV_REG_TIMING2		0x02c	/* RO */
#define   KTDEV_TIMING_LOCAL_BYTES	GENMASK(15, 0)
#define KTDEV_REG_SERIAL_LO		0x030	/* RO */
#define KTDEV_REG_SERIAL_HI		0x034	/* RO */

#define KTDEV_REG_CONTROL		0x040	/* RW */
#define   KTDEV_CTRL_ENABLE		BIT(0)	/* slots may run */
#define   KTDEV_CTRL_RESET		BIT(1)	/* W1S: device reset; reads 1 until done */
#define   KTDEV_CTRL_TIMING		BIT(2)	/* completion is delayed by the cycle model */
#define KTDEV_REG_STATUS		0x044	/* RO */
#define   KTDEV_STATUS_READY		BIT(0)	/* out of reset */
#define   KTDEV_STATUS_BUSY		BIT(1)	/* a slot executes */
#define   KTDEV_STATUS_FAULT		BIT(2)	/* a slot is faulted */
#define KTDEV_REG_RESET_COUNT		0x048	/* RO, device and function resets since power-on */
#define KTDEV_REG_SLOT_FAULTS		0x04c	/* RO, one bit per faulted slot */

/* One MSI-X vector per slot: vector s serves slot s, FENCEs and faults. */
#define KTDEV_REG_IRQ_STATUS		0x050	/* RW1C, one bit per slot with an event */
#define KTDEV_REG_IRQ_MASK		0x054	/* RW, 1: slot's vector is held back */
#define KTDEV_REG_IRQ_COALESCE		0x058	/* RW */
#define   KTDEV_COALESCE_COUNT		GENMASK(7, 0)	/* FENCEs per interrupt; 0, 1: each */
#define   KTDEV_COALESCE_USECS		GENMASK(23, 8)	/* at the latest after so long */

/* Device counters, 64 bits, since power-on; order of KTDEV_CNT_* */
#define KTDEV_REG_COUNTER_LO(n)		(0x080 + (n) * 8)
#define KTDEV_REG_COUNTER_HI(n)		(0x084 + (n) * 8)
#define   KTDEV_CNT_CYCLES		0
#define   KTDEV_CNT_STALL_CYCLES	1
#define   KTDEV_CNT_TRANSFERS		2
#define   KTDEV_CNT_INJECTIONS		3
#define   KTDEV_CNT_INJECTED_BYTES	4
#define   KTDEV_CNT_DELIVERED_BYTES	5
#define   KTDEV_CNT_REMOTE_BYTES	6
#define   KTDEV_CNT_HOST_BYTES		7
#define   KTDEV_CNT_MMIO_READS		8	/* device only */
#define   KTDEV_CNT_MMIO_WRITES		9	/* device only */
#define   KTDEV_CNT_INTERRUPTS		10
#define   KTDEV_CNT_COUNT		11

/* Fault injection, only with KTDEV_FEAT_INJECT */
#define KTDEV_REG_INJECT		0x0f0	/* RW, arms; each bit clears when it has struck */
#define   KTDEV_INJECT_HANG		BIT(0)	/* slot INJECT_SLOT stops making progress */
#define   KTDEV_INJECT_IRQ_LOSE		BIT(1)
#define   KTDEV_INJECT_IRQ_DUP		BIT(2)
#define   KTDEV_INJECT_IRQ_STORM	BIT(3)
#define   KTDEV_INJECT_BAD_SEQNO	BIT(4)	/* next completion record holds a wild seqno */
#define   KTDEV_INJECT_DMA_ERROR	BIT(5)
#define   KTDEV_INJECT_CHECK_MISMATCH	BIT(6)
#define   KTDEV_INJECT_REFUSE_RESET	BIT(7)	/* slot and device reset never finish */
#define   KTDEV_INJECT_ALL		GENMASK(7, 0)
#define KTDEV_REG_INJECT_SLOT		0x0f4	/* RW */
#define   KTDEV_INJECT_SLOT_MASK	GENMASK(4, 0)

/* --- slot registers ------------------------------------------------------------------ */

#define KTDEV_SLOT_BASE(s)		(0x1000 + (s) * 0x100)
#define KTDEV_SLOT_CTX_LO		0x00	/* RW, bus address of struct ktdev_slot_ctx */
#define KTDEV_SLOT_CTX_HI		0x04
#define KTDEV_SLOT_BIND			0x08	/* WO */
#define   KTDEV_BIND_LOAD		1	/* read the context, take the slot into service */
#define   KTDEV_BIND_UNLOAD		2	/* idle slots only */
#define KTDEV_SLOT_STATUS		0x0c	/* RO */
#define   KTDEV_SLOT_BOUND		BIT(0)
#define   KTDEV_SLOT_BUSY		BIT(1)	/* commands between head and tail */
#define   KTDEV_SLOT_FAULTED		BIT(2)
#define   KTDEV_SLOT_IN_RESET		BIT(3)
#define KTDEV_SLOT_RESET		0x10	/* RW: write 1 starts; reads 1 while it lasts, then DONE */
#define   KTDEV_RESET_START		BIT(0)
#define   KTDEV_RESET_DONE		BIT(1)	/* since the last start; cleared by BIND */
#define KTDEV_SLOT_HEAD			0x14	/* RO, next command to execute, free running */
#define KTDEV_SLOT_TAIL			0x18	/* RO, last doorbell value */
#define KTDEV_SLOT_FAULT_CODE		0x20	/* RO, KTDEV_FAULT_*; kept until reset or BIND */
#define KTDEV_SLOT_FAULT_CMD		0x24	/* RO, head index of the command */
#define KTDEV_SLOT_FAULT_ENTRY		0x28	/* RO, ~0: none */
#define KTDEV_SLOT_FAULT_TILE		0x2c	/* RO, ~0: none */
#define KTDEV_SLOT_FAULT_ADDR_LO	0x30	/* RO */
#define KTDEV_SLOT_FAULT_ADDR_HI	0x34	/* RO */
#define KTDEV_SLOT_READY_LO		0x38	/* RO, ready flags, a bit per tile */
#define KTDEV_SLOT_READY_HI		0x3c
#define KTDEV_SLOT_COUNTER_LO(n)	(0x80 + (n) * 8)	/* since BIND */
#define KTDEV_SLOT_COUNTER_HI(n)	(0x84 + (n) * 8)

/* Doorbell page of a slot: write the new tail, free running. */
#define KTDEV_DOORBELL(s)		(0x10000 + (s) * 0x1000)
#define KTDEV_BAR_SIZE(slots)		(0x10000 + (slots) * 0x1000)	/* rounded up to 2^n */

/* --- memory structures, little-endian -------------------------------------------------- */

#define KTDEV_CTX_MAGIC			0x5854434bu	/* "KCTX" */
#define KTDEV_MAX_RING_LOG2		12

/**
 * struct ktdev_slot_ctx - slot context, read once by BIND; 64-byte aligned
 * @magic:	KTDEV_CTX_MAGIC
 * @n_tiles:	tiles, 1..64
 * @ring_log2:	log2 of ring entries, 3..12
 * @window_base, @window_size: the window, the same on each core; multiples of 128
 * @ring:	bus address of the ring, 64-byte aligned, physically contiguous
 * @done:	bus address of struct ktdev_completion, 64-byte aligned
 * @core:	core of each tile, distinct; 0 beyond @n_tiles
 */
struct ktdev_slot_ctx {
	uint32_t magic;
	uint16_t n_tiles;
	uint16_t ring_log2;
	uint64_t window_base;
	uint64_t window_size;
	uint64_t ring;
	uint64_t done;
	uint64_t reserved[3];
	uint8_t core[KTDEV_MAX_CORES];
};

/**
 * struct ktdev_completion - written by the device, one per slot
 * @seqno:	of the last FENCE executed; written last
 * @head:	commands executed, free running
 * @fault:	KTDEV_FAULT_*, 0: none
 * @cycles, @stall_cycles: of the slot since BIND, at that FENCE
 * @timestamp:	cycles since power-on, of the last TIMESTAMP
 * @check_tiles: mask of tiles on which a CHECK found a difference since BIND
 * @check_offset: window offset of the first difference of the last CHECK, ~0: none
 */
struct ktdev_completion {
	uint64_t seqno;
	uint32_t head;
	uint32_t fault;
	uint64_t cycles;
	uint64_t stall_cycles;
	uint64_t timestamp;
	uint64_t check_tiles;
	uint64_t check_offset;
	uint64_t reserved;
};

enum ktdev_cmd_op {
	KTDEV_CMD_NOP		= 0,
	KTDEV_CMD_DMA_IN	= 1,	/* host pages to a tile */
	KTDEV_CMD_DMA_OUT	= 2,	/* a tile to host pages */
	KTDEV_CMD_SHUFFLE	= 3,
	KTDEV_CMD_FILL		= 4,
	KTDEV_CMD_CHECK		= 5,
	KTDEV_CMD_SIGNAL	= 6,
	KTDEV_CMD_FENCE		= 7,
	KTDEV_CMD_TIMESTAMP	= 8,
};

#define KTDEV_CMD_PER_TILE	0x0001	/* SHUFFLE: start entries as producers are ready */
#define KTDEV_CMD_IRQ		0x0001	/* FENCE: raise the slot's interrupt */
#define KTDEV_CMD_JOB_START	0x8000	/* first command of a job: clears the ready flags */

#define KTDEV_PAGE_SHIFT	12

/**
 * struct ktdev_cmd - ring entry, 64 bytes
 * @op:		enum ktdev_cmd_op
 * @flags:	KTDEV_CMD_*
 * @tile:	DMA_IN, DMA_OUT, FILL, CHECK: logical tile
 * @pages:	DMA, SHUFFLE: bus address of a page list: u64 page addresses, 4 KiB each, in
 *		one physically contiguous array (of @n_pages)
 * @bytes:	SHUFFLE: bytes of the image; DMA: byte offset of the first row in the pages;
 *		FILL, CHECK: bytes of the range; FENCE: seqno; SIGNAL: tile mask
 * @offset:	DMA, FILL, CHECK: window offset
 * @arg:	FILL, CHECK: 64-bit pattern, repeated from @offset; DMA: bytes of a row
 * @rows:	DMA: rows
 * @n_pages:	DMA, SHUFFLE: entries of the page list
 * @pad_stride:	DMA: bytes between rows in the window
 * @host_stride: DMA: bytes between rows in the pages
 */
struct ktdev_cmd {
	uint16_t op;
	uint16_t flags;
	uint16_t tile;
	uint16_t reserved;
	uint64_t pages;
	uint64_t bytes;
	uint64_t offset;
	uint64_t arg;
	uint32_t rows;
	uint32_t n_pages;
	uint64_t pad_stride;
	uint64_t host_stride;
};

/* Fault codes. Below 32 they are enum kte_fault_code, raised by SHUFFLE. */
#define KTDEV_FAULT_NONE		0
#define KTDEV_FAULT_CTX			32	/* BIND: malformed context */
#define KTDEV_FAULT_CMD			33	/* unknown op, flag or non-zero reserved field */
#define KTDEV_FAULT_CMD_TILE		34	/* tile not below n_tiles */
#define KTDEV_FAULT_CMD_WINDOW		35	/* range leaves the window */
#define KTDEV_FAULT_CMD_PAGES		36	/* rows leave the page list, or a page is unaligned */
#define KTDEV_FAULT_DMA			37	/* bus error: no memory, ROM written, mastering off */
#define KTDEV_FAULT_DOORBELL		38	/* tail more than a ring ahead of the head, or back */
#define KTDEV_FAULT_CMD_SIZE		39	/* image, range, rows 0 or too large; rows overlap */

#endif /* KTDEV_REGS_H */
