/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BAR 0: device registers, slot registers, doorbells. Runs under the big lock. */
#include "ktdev_model.h"
#include "trace.h"

#define ALL_ONES UINT64_MAX

static uint32_t geometry(KtdevState *s)
{
	return FIELD_PUT(KTDEV_GEOM_CORES, s->cores) | FIELD_PUT(KTDEV_GEOM_SLOTS, s->n_slots) |
	       FIELD_PUT(KTDEV_GEOM_SPM_LOG2, ctz64(s->spm_bytes)) |
	       FIELD_PUT(KTDEV_GEOM_DMA_CHANNELS, 1);
}

static uint32_t status(KtdevState *s)
{
	uint32_t v = s->reset_req || s->hard_reset ? 0 : KTDEV_STATUS_READY;

	for (uint32_t i = 0; i < s->n_slots; i++) {
		v |= s->slots[i].faulted ? KTDEV_STATUS_FAULT : 0;
		v |= s->slots[i].head != s->slots[i].tail ? KTDEV_STATUS_BUSY : 0;
	}
	return v;
}

static uint32_t slot_faults(KtdevState *s)
{
	uint32_t v = 0;

	for (uint32_t i = 0; i < s->n_slots; i++)
		v |= s->slots[i].faulted ? 1u << i : 0;
	return v;
}

/* LO latches HI, so that a 64-bit value is read whole. */
static uint32_t counter(const uint64_t *counters, uint32_t *hi, uint32_t off)
{
	if (off & 4)
		return *hi;
	*hi = counters[off / 8] >> 32;
	return counters[off / 8];
}

static uint32_t device_read(KtdevState *s, uint32_t off)
{
	const struct kte_timing *t = &s->cycle_timing;

	if (off >= KTDEV_REG_COUNTER_LO(0) && off < KTDEV_REG_COUNTER_LO(KTDEV_CNT_COUNT))
		return counter(s->counters, &s->counter_hi, off - KTDEV_REG_COUNTER_LO(0));
	switch (off) {
	case KTDEV_REG_ID: return KTDEV_ID_VALUE;
	case KTDEV_REG_VERSION: return FIELD_PUT(KTDEV_VERSION_MAJOR, 1);
	case KTDEV_REG_FEATURES:
		return KTDEV_FEAT_PER_TILE | KTDEV_FEAT_CHECK | KTDEV_FEAT_TIMESTAMP |
		       (s->inject ? KTDEV_FEAT_INJECT : 0);
	case KTDEV_REG_GEOMETRY: return geometry(s);
	case KTDEV_REG_MAX_ENTRIES: return s->limits.max_entries;
	case KTDEV_REG_MAX_SPACES: return s->limits.max_spaces;
	case KTDEV_REG_MAX_PAIRS: return s->limits.max_pairs;
	case KTDEV_REG_MAX_IMAGE: return KTE_HW_MAX_IMAGE;
	case KTDEV_REG_CLOCK_KHZ: return 1000000;
	case KTDEV_REG_TIMING0:
		return FIELD_PUT(KTDEV_TIMING_LINK_BYTES, t->link_bytes) |
		       FIELD_PUT(KTDEV_TIMING_HOP_CYCLES, t->hop_cycles) |
		       FIELD_PUT(KTDEV_TIMING_SETUP_CYCLES, t->setup_cycles);
	case KTDEV_REG_TIMING1:
		return FIELD_PUT(KTDEV_TIMING_DMA_BYTES, t->dma_bytes) |
		       FIELD_PUT(KTDEV_TIMING_FOLD_BYTES, t->fold_bytes);
	case KTDEV_REG_TIMING2: return FIELD_PUT(KTDEV_TIMING_LOCAL_BYTES, t->local_bytes);
	case KTDEV_REG_SERIAL_LO: return s->serial;
	case KTDEV_REG_SERIAL_HI: return s->serial >> 32;
	case KTDEV_REG_CONTROL:
		return s->control | (s->reset_req || s->hard_reset ? KTDEV_CTRL_RESET : 0);
	case KTDEV_REG_STATUS: return status(s);
	case KTDEV_REG_RESET_COUNT: return s->reset_count;
	case KTDEV_REG_SLOT_FAULTS: return slot_faults(s);
	case KTDEV_REG_IRQ_STATUS: return s->irq_status;
	case KTDEV_REG_IRQ_MASK: return s->irq_mask;
	case KTDEV_REG_IRQ_COALESCE: return s->irq_coalesce;
	case KTDEV_REG_INJECT: return s->inject ? s->inject_armed : 0;
	case KTDEV_REG_INJECT_SLOT: return s->inject ? s->inject_slot : 0;
	default: return 0;
	}
}

static uint32_t slot_read(KtdevState *s, KtdevSlot *slot, uint32_t off)
{
	const KtdevFault *f = &slot->fault;

	if (off >= KTDEV_SLOT_COUNTER_LO(0) && off < KTDEV_SLOT_COUNTER_LO(KTDEV_CNT_COUNT))
		return counter(slot->counters, &slot->counter_hi, off - KTDEV_SLOT_COUNTER_LO(0));
	switch (off) {
	case KTDEV_SLOT_CTX_LO: return slot->ctx_addr;
	case KTDEV_SLOT_CTX_HI: return slot->ctx_addr >> 32;
	case KTDEV_SLOT_STATUS:
		return (slot->bound ? KTDEV_SLOT_BOUND : 0) |
		       (slot->head != slot->tail ? KTDEV_SLOT_BUSY : 0) |
		       (slot->faulted ? KTDEV_SLOT_FAULTED : 0) |
		       (slot->reset_req ? KTDEV_SLOT_IN_RESET : 0);
	case KTDEV_SLOT_RESET:
		return (slot->reset_req ? KTDEV_RESET_START : 0) |
		       (slot->reset_done ? KTDEV_RESET_DONE : 0);
	case KTDEV_SLOT_HEAD: return slot->head;
	case KTDEV_SLOT_TAIL: return slot->tail;
	case KTDEV_SLOT_FAULT_CODE: return f->code;
	case KTDEV_SLOT_FAULT_CMD: return f->cmd;
	case KTDEV_SLOT_FAULT_ENTRY: return f->entry;
	case KTDEV_SLOT_FAULT_TILE: return f->tile;
	case KTDEV_SLOT_FAULT_ADDR_LO: return f->address;
	case KTDEV_SLOT_FAULT_ADDR_HI: return f->address >> 32;
	case KTDEV_SLOT_READY_LO: return qatomic_read(&slot->ready);
	case KTDEV_SLOT_READY_HI: return qatomic_read(&slot->ready) >> 32;
	default: return 0;
	}
}

static void device_write(KtdevState *s, uint32_t off, uint32_t v)
{
	switch (off) {
	case KTDEV_REG_CONTROL:
		if (v & KTDEV_CTRL_RESET) {
			qatomic_set(&s->reset_req, true);
		} else if (!s->reset_req && !s->hard_reset) {
			s->control = v & (KTDEV_CTRL_ENABLE | KTDEV_CTRL_TIMING);
		}
		break;
	case KTDEV_REG_IRQ_STATUS:
		s->irq_status &= ~v;
		break;
	case KTDEV_REG_IRQ_MASK:
		ktdev_irq_set_mask(s, v);
		break;
	case KTDEV_REG_IRQ_COALESCE:
		s->irq_coalesce = v & (KTDEV_COALESCE_COUNT | KTDEV_COALESCE_USECS);
		break;
	case KTDEV_REG_INJECT:
		if (s->inject)
			qatomic_set(&s->inject_armed, v & KTDEV_INJECT_ALL);
		qatomic_set(&s->attention, true);
		break;
	case KTDEV_REG_INJECT_SLOT:
		if (s->inject)
			s->inject_slot = v & KTDEV_INJECT_SLOT_MASK;
		break;
	default:
		qemu_log_mask(LOG_GUEST_ERROR, "ktdev: write to 0x%x ignored\n", off);
	}
	ktdev_wake(s);
}

static void slot_write(KtdevState *s, KtdevSlot *slot, uint32_t off, uint32_t v)
{
	switch (off) {
	case KTDEV_SLOT_CTX_LO:
		slot->ctx_addr = deposit64(slot->ctx_addr, 0, 32, v);
		break;
	case KTDEV_SLOT_CTX_HI:
		slot->ctx_addr = deposit64(slot->ctx_addr, 32, 32, v);
		break;
	case KTDEV_SLOT_BIND:
		ktdev_bind(s, slot, v);
		break;
	case KTDEV_SLOT_RESET:
		if ((v & KTDEV_RESET_START) && !s->reset_req && !s->hard_reset) {
			slot->reset_done = false;
			qatomic_set(&slot->reset_req, true);
			qatomic_set(&s->attention, true);
			ktdev_wake(s);
		}
		break;
	default:
		qemu_log_mask(LOG_GUEST_ERROR, "ktdev: slot %u: write to 0x%x ignored\n",
			      slot->index, off);
	}
}

static bool to_slot(KtdevState *s, hwaddr addr, KtdevSlot **slot, uint32_t *off)
{
	if (addr < KTDEV_SLOT_BASE(0) || addr >= KTDEV_SLOT_BASE(s->n_slots))
		return false;
	*slot = &s->slots[(addr - KTDEV_SLOT_BASE(0)) / 0x100];
	*off = addr & 0xff;
	return true;
}

/* How long the big lock was held for a register access, at most. */
static void note_time(KtdevState *s, int64_t began)
{
	uint64_t took = get_clock() - began;

	if (took > s->lock_max_ns)
		s->lock_max_ns = took;
}

static uint64_t mmio_read(void *opaque, hwaddr addr, unsigned int size)
{
	KtdevState *s = opaque;
	int64_t began = get_clock();
	KtdevSlot *slot;
	uint32_t v = 0, off;

	if (s->gone || size != 4 || (addr & 3))
		return ALL_ONES;
	qemu_mutex_lock(&s->lock);
	s->counters[KTDEV_CNT_MMIO_READS]++;
	if (to_slot(s, addr, &slot, &off))
		v = slot_read(s, slot, off);
	else if (addr < 0x1000)
		v = device_read(s, addr);
	qemu_mutex_unlock(&s->lock);
	trace_ktdev_mmio_read(addr, v);
	note_time(s, began);
	return v;
}

static void mmio_write(void *opaque, hwaddr addr, uint64_t val, unsigned int size)
{
	KtdevState *s = opaque;
	int64_t began = get_clock();
	KtdevSlot *slot;
	uint32_t off;

	if (s->gone || size != 4 || (addr & 3))
		return;
	trace_ktdev_mmio_write(addr, val);
	qemu_mutex_lock(&s->lock);
	s->counters[KTDEV_CNT_MMIO_WRITES]++;
	if (to_slot(s, addr, &slot, &off))
		slot_write(s, slot, off, val);
	else if (addr < 0x1000)
		device_write(s, addr, val);
	else if (addr >= KTDEV_DOORBELL(0) && addr < KTDEV_DOORBELL(s->n_slots) &&
		 !(addr & 0xfff))
		ktdev_doorbell(s, &s->slots[(addr - KTDEV_DOORBELL(0)) >> 12], val);
	qemu_mutex_unlock(&s->lock);
	note_time(s, began);
}

const MemoryRegionOps ktdev_mmio_ops = {
	.read = mmio_read,
	.write = mmio_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
	.impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};
