/* SPDX-License-Identifier: MIT */
/*
 * A machine with the accelerator behind a root port, driven by hand: configuration space,
 * BARs, MSI-X, slots and rings. Guest memory is handed out from the bottom and never taken
 * back; a test file that needs fresh memory starts a fresh board.
 */
#ifndef BOARD_H
#define BOARD_H

#include "../tap.h"
#include "kte_exec.h"
#include "qtest.h"

/* The driver's header wants the kernel's names. */
#define BIT(n)		(1u << (n))
#define GENMASK(h, l)	((uint32_t)((~0ull >> (63 - (h))) & (~0ull << (l))))
#include "driver/ktdev_regs.h"

#define FIELD_GET(mask, v)	(((v) & (mask)) / ((mask) & -(mask)))
#define FIELD_PUT(mask, v)	((uint32_t)(v) * ((mask) & -(mask)))

#define RAM_BYTES	(512ull << 20)
#define BAR0		0xe0000000ull
#define BAR4		0xe0100000ull
#define RP_DEV		2u		/* device number of the root port; rp1 beside it is free */
#define DEV_PATH	"/machine/peripheral/kt0"
#define MSI_BASE	0x5a000000u	/* message data of vector v is MSI_BASE + v */
#define NONE		0xffffffffu

struct board_slot {
	uint64_t ctx, ring, done;
	uint32_t ring_log2, tail, n_tiles;
};

struct board {
	struct qtest *q;
	uint8_t *ram;			/* guest memory, shared with the machine */
	uint32_t cores, slots;
	uint64_t spm;
	uint64_t brk;			/* next free guest memory */
	uint64_t cells;			/* one word per vector: where its message goes */
	uint64_t ecap;			/* PCI Express capability of the device */
	uint32_t msix_cap;
	struct board_slot slot[KTDEV_MAX_SLOTS];
};

/**
 * board_start - a machine with the device, configured and enabled
 * @props:	more properties of the device, "cores=4,slots=2", or NULL
 *
 * board_start_raw() leaves configuration space as it is after power-on.
 */
struct board *board_start(const char *props);
struct board *board_start_raw(const char *props);
void board_setup(struct board *b);	/* bridge windows, BARs, MSI-X, CONTROL.ENABLE */
void board_configure(struct board *b);	/* bridge windows, BARs and mastering only */
/* Ends the machine; one check that it ended cleanly. */
int board_stop(struct board *b);
#define board_end(b) is_u64((uint64_t)board_stop(b), 0, "the machine ends cleanly")

/* Configuration space; the device itself is bus 1, device 0. */
uint32_t cfg_read(struct board *b, uint32_t bus, uint32_t dev, uint32_t off);
void cfg_write(struct board *b, uint32_t bus, uint32_t dev, uint32_t off, uint32_t v);
uint32_t dev_cfg(struct board *b, uint32_t off);
void dev_cfg_write(struct board *b, uint32_t off, uint32_t v);
uint32_t find_cap(struct board *b, uint32_t bus, uint32_t dev, uint32_t id);
void set_mastering(struct board *b, bool on);
void flr(struct board *b);		/* and configures the function again */

/* Registers. */
uint32_t rd(struct board *b, uint32_t off);
void wr(struct board *b, uint32_t off, uint32_t v);
uint32_t srd(struct board *b, uint32_t slot, uint32_t off);
void swr(struct board *b, uint32_t slot, uint32_t off, uint32_t v);
void doorbell(struct board *b, uint32_t slot, uint32_t tail);
uint64_t dev_counter(struct board *b, uint32_t n);
uint64_t slot_counter(struct board *b, uint32_t slot, uint32_t n);
uint64_t prop(struct board *b, const char *name);
bool set_prop(struct board *b, const char *name, const char *value);

/* Guest memory: zeroed by the machine, aligned to a page. */
uint64_t mem(struct board *b, uint64_t bytes);
/* A page list of @bytes of fresh contiguous memory at *@data. */
uint64_t page_list(struct board *b, uint64_t bytes, uint64_t *data);
/* A page list with each page at a place of its own, in descending order. */
uint64_t scattered_list(struct board *b, uint32_t n, uint64_t *pages);

/* Slots. */
void fill_ctx(struct board *b, uint32_t slot, uint32_t n_tiles, struct ktdev_slot_ctx *ctx);
/* Write the context, LOAD; false if the slot did not become bound. */
bool load_ctx(struct board *b, uint32_t slot, const struct ktdev_slot_ctx *ctx);
/* Tiles 0..n-1 on cores 0..n-1 with the whole scratchpad, 64 ring entries. */
bool bind(struct board *b, uint32_t slot, uint32_t n_tiles);
bool reset_slot(struct board *b, uint32_t slot);	/* START, wait for DONE */
bool reset_device(struct board *b);			/* RESET, wait, ENABLE */

void push(struct board *b, uint32_t slot, const struct ktdev_cmd *cmd);
void ring_it(struct board *b, uint32_t slot);		/* doorbell with the tail */
/* Until the slot is idle or faulted. Return: true when idle and not faulted. */
bool wait_slot(struct board *b, uint32_t slot);
bool wait_faulted(struct board *b, uint32_t slot);	/* and the record is written */
bool wait_reg(struct board *b, uint32_t off, uint32_t mask, uint32_t want);
/* push, doorbell, wait */
bool run(struct board *b, uint32_t slot, const struct ktdev_cmd *cmd);
void read_done(struct board *b, uint32_t slot, struct ktdev_completion *done);

/* Commands. */
struct ktdev_cmd cmd_fill(uint32_t tile, uint64_t offset, uint64_t bytes, uint64_t pattern);
struct ktdev_cmd cmd_check(uint32_t tile, uint64_t offset, uint64_t bytes, uint64_t pattern);
struct ktdev_cmd cmd_fence(uint64_t seqno, bool irq);
struct ktdev_cmd cmd_dma(bool in, uint32_t tile, uint64_t offset, uint64_t list,
			 uint64_t bytes);
/* Copies @image into fresh memory. */
struct ktdev_cmd cmd_shuffle(struct board *b, const void *image, uint64_t bytes, bool per_tile);
/* Seven FILLs of a whole scratchpad and a FENCE. */
void push_long_job(struct board *b, uint32_t slot);
/* Binds and starts thousands of FILLs: a job nobody waits for the end of. */
void start_endless_job(struct board *b, uint32_t slot);

/* Waits for a fault. Whether its record is: code, command, entry, tile, address. */
bool fault_is(struct board *b, uint32_t slot, uint32_t code, uint32_t cmd, uint32_t entry,
	      uint32_t tile, uint64_t address);
#define is_fault(b, slot, code, cmd, entry, tile, address, ...) \
	ok(fault_is(b, slot, code, cmd, entry, tile, address), __VA_ARGS__)

/* Bytes of a tile, read through DMA_OUT; the slot must be idle. */
void read_pad(struct board *b, uint32_t slot, uint32_t tile, uint64_t offset, void *buf,
	      uint64_t bytes);
void write_pad(struct board *b, uint32_t slot, uint32_t tile, uint64_t offset, const void *buf,
	       uint64_t bytes);

/* Interrupts: words at b->cells. */
uint32_t take_msi(struct board *b, uint32_t vector);	/* the message, and clears it */
bool wait_msi(struct board *b, uint32_t vector);	/* one came within a second */

/* images.c: tables compiled by the engine; free() them */
/* Tile t of n sends @bytes at @from to tile (t + by) mod n at @to. */
void *image_rotate(uint32_t n, uint32_t by, uint64_t bytes, uint64_t from, uint64_t to,
		   uint64_t *size);
/* All n tiles hold n f32 each at 0; tile 0 gets the sums at @to. */
void *image_sum(uint32_t n, uint64_t to, uint64_t *size);
/* Two tiles swap @bytes at 0 through the staging range at @stage. */
void *image_swap(uint64_t bytes, uint64_t stage, uint64_t *size);
/* Every tile sends 1/n of its bytes at 0 to each tile, at bytes: an all-to-all. */
void *image_exchange(uint32_t n, uint64_t bytes, uint64_t *size);

#endif /* BOARD_H */
