/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ktdev accelerator as a QEMU device. Documentation/hardware.rst is the manual.
 *
 * Threads. Register accesses run under QEMU's big lock, the worker never takes it. What
 * both touch is under KtdevState.lock, which is held for moments only. The worker
 * executes one command at a time, unlocked, on private copies; slots take turns.
 */
#ifndef KTDEV_MODEL_H
#define KTDEV_MODEL_H

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "hw/pci/pci.h"
#include "hw/pci/msix.h"
#include "sysemu/dma.h"
#include "qom/object.h"

#include "kte_exec.h"
#include "clock.h"

/* QEMU has no GENMASK; registers are 32 bits wide. */
#define GENMASK(h, l) MAKE_64BIT_MASK((l), (h) - (l) + 1)
#define FIELD_PUT(mask, v) ((uint32_t)(((uint64_t)(v) << ctz64(mask)) & (mask)))
#define FIELD_GET(mask, v) (((v) & (mask)) >> ctz64(mask))

#include "ktdev_regs.h"

/* Guest structures, images and scratchpads are used as they lie in memory. */
QEMU_BUILD_BUG_ON(HOST_BIG_ENDIAN);
QEMU_BUILD_BUG_ON(sizeof(struct ktdev_slot_ctx) != 128);
QEMU_BUILD_BUG_ON(sizeof(struct ktdev_completion) != 64);
QEMU_BUILD_BUG_ON(sizeof(struct ktdev_cmd) != 64);

#define TYPE_KTDEV "ktdev"
OBJECT_DECLARE_SIMPLE_TYPE(KtdevState, KTDEV)

#define KTDEV_STOP_BYTES	(256 * KiB)	/* reset is honoured within so much copying */
#define KTDEV_PROGS		4		/* prepared images kept per slot */
#define KTDEV_PAGE_BYTES	(1u << KTDEV_PAGE_SHIFT)
#define KTDEV_LIST_CHUNK	64		/* page list entries read at once */

typedef struct KtdevProg {
	uint8_t *image;
	uint64_t bytes;
	struct kte_prog *prog;
	struct kte_counters counters;
} KtdevProg;

typedef struct KtdevFault {
	uint32_t code, cmd, entry, tile;
	uint64_t address;
} KtdevFault;

typedef struct KtdevSlot {
	KtdevState *dev;
	uint32_t index;
	/* registers, under the lock */
	uint64_t ctx_addr;
	uint32_t head, tail;
	bool bound, faulted, reset_req, reset_done;
	bool hang;			/* injected */
	bool report;			/* the worker shall tell of the fault */
	KtdevFault fault;
	uint64_t ready;			/* ready flags */
	uint64_t counters[KTDEV_CNT_COUNT];
	uint32_t counter_hi;		/* latched */
	uint32_t fences;		/* since the last interrupt */
	/* written by BIND while the slot is idle, then the worker's */
	uint64_t add[KTDEV_CNT_COUNT];	/* of the command in execution */
	struct kte_env env;
	struct ktdev_slot_ctx ctx;
	struct ktdev_completion done;
	struct kte_clock clock;
	uint64_t ready_cycle[KTDEV_MAX_CORES];
	KtdevProg progs[KTDEV_PROGS];
	uint32_t next_prog;
} KtdevSlot;

struct KtdevState {
	PCIDevice parent_obj;
	MemoryRegion bar;

	/* properties */
	uint32_t cores, n_slots, poll_us;
	uint64_t spm_bytes, serial, seed;
	bool timing, inject;
	bool gone, held;		/* settable at run time, like poll_us */

	/* scratchpads */
	uint8_t *spm;
	size_t spm_stride, spm_mapped;
	int spm_pattern;		/* memfd with the power-on pattern */

	QemuMutex lock;
	QemuCond wake;			/* worker: there may be work */
	QemuCond idle;			/* others: the worker has stopped, or reset is done */
	QemuThread worker;
	bool kick;			/* something changed since the worker looked */
	bool attention;			/* the running command shall look too */
	bool reset_req;			/* by CONTROL; may be refused */
	bool hard_reset;		/* by the bus or the function */
	bool quit, paused, parked;
	int running;			/* slot being executed, -1 */
	uint32_t last_slot;
	int64_t start_ns;

	QEMUBH *irq_bh;
	QEMUTimer *irq_timer, *storm_timer;
	uint32_t irq_raise;		/* vectors the bottom half shall notify */
	uint32_t irq_status, irq_mask, irq_coalesce;
	uint32_t irq_waiting;		/* held back by coalescing */
	uint32_t storm_slot;
	enum { ONCE, TWICE, STORM } repeat;

	uint32_t control, reset_count, inject_armed, inject_slot;
	uint64_t counters[KTDEV_CNT_COUNT];
	uint32_t counter_hi;
	uint64_t lock_max_ns;		/* longest register access */
	struct kte_timing cycle_timing;
	struct kte_limits limits;
	KtdevSlot slots[KTDEV_MAX_SLOTS];
	VMChangeStateEntry *vmstate_entry;
};

/* ktdev_spm.c */
bool ktdev_spm_init(KtdevState *s, Error **errp);
void ktdev_spm_fini(KtdevState *s);
void ktdev_spm_scramble(KtdevState *s);
static inline uint8_t *ktdev_spm(KtdevState *s, uint32_t core)
{
	return s->spm + core * s->spm_stride;
}

/* ktdev_dma.c: guest memory, read or written without the big lock */
MemTxResult ktdev_dma_read(KtdevState *s, uint64_t addr, void *buf, uint64_t bytes);
MemTxResult ktdev_dma_write(KtdevState *s, uint64_t addr, const void *buf, uint64_t bytes);
bool ktdev_cmd_dma(KtdevState *s, KtdevSlot *slot, const struct ktdev_cmd *cmd,
		   KtdevFault *fault);
/* Read @bytes from a page list into @buf. */
bool ktdev_read_pages(KtdevState *s, KtdevSlot *slot, const struct ktdev_cmd *cmd,
		      void *buf, uint64_t bytes, KtdevFault *fault);

/* ktdev_cmd.c: execute one command; false: fault filled */
bool ktdev_execute(KtdevState *s, KtdevSlot *slot, const struct ktdev_cmd *cmd,
		   KtdevFault *fault);
void ktdev_drop_progs(KtdevSlot *slot);
void ktdev_slot_init(KtdevState *s, uint32_t index);

/* ktdev_worker.c */
void ktdev_worker_start(KtdevState *s);
void ktdev_worker_stop(KtdevState *s);
void ktdev_device_reset(KtdevState *s);		/* big lock held; returns when done */
void ktdev_wake(KtdevState *s);			/* lock held: something changed */
void ktdev_quiesce(KtdevState *s);		/* big lock held: DMA has ended */
bool ktdev_should_stop(KtdevState *s, KtdevSlot *slot);	/* the worker only, no lock */
void ktdev_sleep(KtdevState *s, uint32_t ms);	/* the worker only; resets end it */

/* ktdev_slot.c, lock held */
void ktdev_bind(KtdevState *s, KtdevSlot *slot, uint32_t value);
void ktdev_doorbell(KtdevState *s, KtdevSlot *slot, uint32_t tail);
void ktdev_slot_clear(KtdevSlot *slot);
/* Record a fault unless there is one. The worker then writes the completion record and
 * raises the interrupt. */
void ktdev_slot_fault(KtdevState *s, KtdevSlot *slot, const KtdevFault *fault);

/* ktdev_irq.c, lock held */
void ktdev_irq_init(KtdevState *s);
void ktdev_irq_fini(KtdevState *s);
void ktdev_irq_reset(KtdevState *s);
void ktdev_irq_forget(KtdevState *s, uint32_t slot);	/* what has not been sent */
void ktdev_irq_raise(KtdevState *s, uint32_t slot);
void ktdev_irq_fence(KtdevState *s, KtdevSlot *slot);
void ktdev_irq_set_mask(KtdevState *s, uint32_t mask);

/* ktdev_mmio.c */
extern const MemoryRegionOps ktdev_mmio_ops;

#endif /* KTDEV_MODEL_H */
