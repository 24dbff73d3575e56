/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slots: into service, out of service, doorbells, faults. All with the lock held. */
#include "ktdev_model.h"
#include "trace.h"

void ktdev_slot_clear(KtdevSlot *slot)
{
	ktdev_drop_progs(slot);
	slot->bound = slot->faulted = slot->hang = slot->report = false;
	slot->head = slot->tail = 0;
	slot->ready = 0;
	slot->fences = 0;
	slot->fault = (KtdevFault){ .entry = ~0u, .tile = ~0u };
	memset(slot->counters, 0, sizeof(slot->counters));
}

void ktdev_slot_fault(KtdevState *s, KtdevSlot *slot, const KtdevFault *fault)
{
	if (slot->faulted)
		return;
	slot->fault = *fault;
	slot->faulted = slot->report = true;
	trace_ktdev_fault(slot->index, fault->code, fault->cmd, fault->entry, fault->tile,
			  fault->address);
	qemu_log_mask(LOG_GUEST_ERROR, "ktdev: slot %u fault %u at command %u\n", slot->index,
		      fault->code, fault->cmd);
	ktdev_wake(s);
}

static bool context_valid(KtdevState *s, const struct ktdev_slot_ctx *c)
{
	uint64_t used = 0, end;

	if (c->magic != KTDEV_CTX_MAGIC || !c->n_tiles || c->n_tiles > s->cores ||
	    c->ring_log2 < 3 || c->ring_log2 > KTDEV_MAX_RING_LOG2 ||
	    c->reserved[0] || c->reserved[1] || c->reserved[2] || (c->ring & 63) ||
	    (c->done & 63) || !c->window_size ||
	    ((c->window_base | c->window_size) & (KTE_STICK_BYTES - 1)) ||
	    uadd64_overflow(c->window_base, c->window_size, &end) || end > s->spm_bytes)
		return false;
	for (int t = 0; t < KTDEV_MAX_CORES; t++) {
		if (t >= c->n_tiles) {
			if (c->core[t])
				return false;
			continue;
		}
		if (c->core[t] >= s->cores || (used & (1ull << c->core[t])))
			return false;
		used |= 1ull << c->core[t];
	}
	return true;
}

static void load(KtdevState *s, KtdevSlot *slot)
{
	KtdevFault fault = { .entry = ~0u, .tile = ~0u, .address = slot->ctx_addr };
	struct ktdev_slot_ctx ctx;

	ktdev_slot_clear(slot);
	slot->reset_done = false;
	if (slot->ctx_addr & 63)
		fault.code = KTDEV_FAULT_CTX;
	else if (ktdev_dma_read(s, slot->ctx_addr, &ctx, sizeof(ctx)) != MEMTX_OK)
		fault.code = KTDEV_FAULT_DMA;
	else if (!context_valid(s, &ctx))
		fault.code = KTDEV_FAULT_CTX;
	if (fault.code) {
		ktdev_slot_fault(s, slot, &fault);
		return;
	}
	slot->ctx = ctx;
	memset(&slot->done, 0, sizeof(slot->done));
	slot->done.check_offset = UINT64_MAX;
	slot->clock = (struct kte_clock){ .timing = &s->cycle_timing, .ready = slot->ready_cycle,
					  .n_tiles = ctx.n_tiles };
	kte_clock_start(&slot->clock);
	slot->bound = true;
}

void ktdev_bind(KtdevState *s, KtdevSlot *slot, uint32_t value)
{
	bool busy = s->running == (int)slot->index || slot->head != slot->tail;

	trace_ktdev_bind(slot->index, value);
	if (slot->reset_req || s->reset_req || s->hard_reset || (slot->bound && busy) ||
	    (value == KTDEV_BIND_LOAD && slot->bound)) {
		qemu_log_mask(LOG_GUEST_ERROR, "ktdev: slot %u: BIND %u ignored\n", slot->index,
			      value);
	} else if (value == KTDEV_BIND_LOAD) {
		load(s, slot);
	} else if (value == KTDEV_BIND_UNLOAD) {
		ktdev_slot_clear(slot);
	}
}

void ktdev_doorbell(KtdevState *s, KtdevSlot *slot, uint32_t tail)
{
	KtdevFault fault = { .code = KTDEV_FAULT_DOORBELL, .cmd = slot->head, .entry = ~0u,
			     .tile = ~0u, .address = tail };
	uint32_t ahead = tail - slot->head, before = slot->tail - slot->head;

	if (!slot->bound || slot->faulted || slot->reset_req || s->reset_req || s->hard_reset) {
		qemu_log_mask(LOG_GUEST_ERROR, "ktdev: slot %u: doorbell ignored\n", slot->index);
	} else if (ahead > 1u << slot->ctx.ring_log2 || ahead < before) {
		ktdev_slot_fault(s, slot, &fault);
	} else {
		slot->tail = tail;
		ktdev_wake(s);
	}
}
