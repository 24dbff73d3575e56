/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The worker thread: takes one command of one slot at a time, in turns, and executes it
 * without any lock. Resets and removal ask it to stop; it looks at least every 256 KiB.
 */
#include "ktdev_model.h"
#include "qemu/rcu.h"
#include "sysemu/runstate.h"
#include "trace.h"

bool ktdev_should_stop(KtdevState *s, KtdevSlot *slot)
{
	return qatomic_read(&s->quit) || qatomic_read(&s->reset_req) ||
	       qatomic_read(&s->gone) || qatomic_read(&slot->reset_req);
}

static bool may_run(KtdevState *s, KtdevSlot *slot)
{
	return slot->bound && !slot->faulted && !slot->reset_req && !slot->hang &&
	       slot->head != slot->tail;
}

static KtdevSlot *next_slot(KtdevState *s)
{
	if (s->paused || s->held || s->gone || !(s->control & KTDEV_CTRL_ENABLE))
		return NULL;
	for (uint32_t i = 1; i <= s->n_slots; i++) {
		KtdevSlot *slot = &s->slots[(s->last_slot + i) % s->n_slots];

		if (!may_run(s, slot))
			continue;
		if (s->inject && (s->inject_armed & KTDEV_INJECT_HANG) &&
		    s->inject_slot == slot->index) {
			s->inject_armed &= ~KTDEV_INJECT_HANG;
			slot->hang = true;
			continue;
		}
		return slot;
	}
	return NULL;
}

/* Lock held. Record a fault, tell the driver by completion record and interrupt. */
void ktdev_slot_fault(KtdevState *s, KtdevSlot *slot, const KtdevFault *fault)
{
	slot->fault = *fault;
	slot->faulted = true;
	trace_ktdev_fault(slot->index, fault->code, fault->cmd, fault->entry, fault->tile,
			  fault->address);
	qemu_log_mask(LOG_GUEST_ERROR, "ktdev: slot %u fault %u at command %u\n", slot->index,
		      fault->code, fault->cmd);
	ktdev_irq_raise(s, slot->index);
}

/* Lock held on entry and exit, dropped while the command executes. */
static void run_one(KtdevState *s, KtdevSlot *slot)
{
	KtdevFault fault = { .cmd = slot->head, .entry = ~0u, .tile = ~0u };
	uint32_t mask = (1u << slot->ctx.ring_log2) - 1;
	uint64_t at = slot->ctx.ring + (uint64_t)(slot->head & mask) * sizeof(struct ktdev_cmd);
	uint64_t before[KTDEV_CNT_COUNT];
	struct ktdev_cmd cmd;
	bool good;

	s->running = slot->index;
	s->last_slot = slot->index;
	memcpy(before, slot->counters, sizeof(before));
	qemu_mutex_unlock(&s->lock);

	good = ktdev_dma_read(s, at, &cmd, sizeof(cmd)) == MEMTX_OK;
	if (!good) {
		fault.code = KTDEV_FAULT_DMA;
		fault.address = at;
	} else {
		trace_ktdev_cmd(slot->index, slot->head, cmd.op);
		good = ktdev_execute(s, slot, &cmd, &fault);
	}
	if (!good && fault.code != KTE_FAULT_STOPPED) {
		slot->done.fault = fault.code;
		slot->done.head = slot->head;
		/* A fault of this write changes nothing: the registers tell too. */
		ktdev_dma_write(s, slot->ctx.done + 8, &slot->done.head,
				sizeof(slot->done) - 8);
	}

	qemu_mutex_lock(&s->lock);
	s->running = -1;
	for (int i = 0; i < KTDEV_CNT_COUNT; i++)
		s->counters[i] += slot->counters[i] - before[i];
	if (good) {
		slot->head++;
		if (cmd.op == KTDEV_CMD_FENCE && (cmd.flags & KTDEV_CMD_IRQ))
			ktdev_irq_fence(s, slot);
	} else if (fault.code != KTE_FAULT_STOPPED) {
		ktdev_slot_fault(s, slot, &fault);
	}
	qemu_cond_broadcast(&s->idle);
}

static void clear_slot(KtdevSlot *slot)
{
	ktdev_drop_progs(slot);
	slot->bound = slot->faulted = slot->hang = false;
	slot->head = slot->tail = 0;
	slot->ready = 0;
	slot->fences = 0;
	slot->fault = (KtdevFault){ .entry = ~0u, .tile = ~0u };
	memset(slot->counters, 0, sizeof(slot->counters));
}

/* Lock held, nothing running. */
static bool serve_resets(KtdevState *s)
{
	bool any = false;

	if (s->inject && (s->inject_armed & KTDEV_INJECT_REFUSE_RESET) && !s->reset_req)
		return false;
	for (uint32_t i = 0; i < s->n_slots; i++) {
		KtdevSlot *slot = &s->slots[i];

		if (!slot->reset_req && !s->reset_req)
			continue;
		clear_slot(slot);
		slot->reset_done = slot->reset_req && !s->reset_req;
		slot->reset_req = false;
		any = true;
	}
	if (s->reset_req) {
		ktdev_spm_scramble(s);
		ktdev_irq_reset(s);
		s->control = 0;
		s->inject_armed = s->inject_slot = 0;
		s->reset_count++;
		s->reset_req = false;
	}
	if (any)
		qemu_cond_broadcast(&s->idle);
	return any;
}

static void sleep_until_work(KtdevState *s)
{
	int64_t until = qemu_clock_get_ns(QEMU_CLOCK_REALTIME) + (int64_t)s->poll_us * 1000;

	while (s->poll_us && !s->quit && !s->reset_req &&
	       qemu_clock_get_ns(QEMU_CLOCK_REALTIME) < until) {
		qemu_mutex_unlock(&s->lock);
		for (int i = 0; i < 50; i++)
			cpu_relax();
		qemu_mutex_lock(&s->lock);
		if (next_slot(s))
			return;
	}
	if (!s->quit && !next_slot(s) && !s->reset_req)
		qemu_cond_timedwait(&s->wake, &s->lock, 100);
}

static void *worker(void *opaque)
{
	KtdevState *s = opaque;

	rcu_register_thread();
	qemu_mutex_lock(&s->lock);
	while (!s->quit) {
		KtdevSlot *slot;

		if (serve_resets(s))
			continue;
		slot = next_slot(s);
		if (slot)
			run_one(s, slot);
		else
			sleep_until_work(s);
	}
	qemu_mutex_unlock(&s->lock);
	rcu_unregister_thread();
	return NULL;
}

/* Big lock held. Nothing may change once the machine has stopped. */
static void vm_state_changed(void *opaque, bool running, RunState state)
{
	KtdevState *s = opaque;

	qemu_mutex_lock(&s->lock);
	s->paused = !running;
	while (s->paused && s->running >= 0)
		qemu_cond_wait(&s->idle, &s->lock);
	qemu_cond_signal(&s->wake);
	qemu_mutex_unlock(&s->lock);
}

void ktdev_worker_start(KtdevState *s)
{
	s->running = -1;
	s->quit = false;
	s->vmstate_entry = qemu_add_vm_change_state_handler(vm_state_changed, s);
	qemu_thread_create(&s->worker, "ktdev", worker, s, QEMU_THREAD_JOINABLE);
}

void ktdev_worker_stop(KtdevState *s)
{
	qemu_del_vm_change_state_handler(s->vmstate_entry);
	qemu_mutex_lock(&s->lock);
	qatomic_set(&s->quit, true);
	qemu_cond_signal(&s->wake);
	qemu_mutex_unlock(&s->lock);
	qemu_thread_join(&s->worker);
	for (uint32_t i = 0; i < s->n_slots; i++)
		ktdev_drop_progs(&s->slots[i]);
}

void ktdev_device_reset(KtdevState *s)
{
	qemu_mutex_lock(&s->lock);
	qatomic_set(&s->reset_req, true);
	qemu_cond_signal(&s->wake);
	while (s->reset_req)
		qemu_cond_wait(&s->idle, &s->lock);
	qemu_mutex_unlock(&s->lock);
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

	clear_slot(slot);
	slot->reset_done = false;
	if ((slot->ctx_addr & 63) || ktdev_dma_read(s, slot->ctx_addr, &ctx, sizeof(ctx)))
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
	if (slot->reset_req || s->reset_req || (slot->bound && busy) ||
	    (value == KTDEV_BIND_LOAD && slot->bound)) {
		qemu_log_mask(LOG_GUEST_ERROR, "ktdev: slot %u: BIND %u ignored\n", slot->index,
			      value);
	} else if (value == KTDEV_BIND_LOAD) {
		load(s, slot);
	} else if (value == KTDEV_BIND_UNLOAD) {
		clear_slot(slot);
	}
}

void ktdev_doorbell(KtdevState *s, KtdevSlot *slot, uint32_t tail)
{
	KtdevFault fault = { .code = KTDEV_FAULT_DOORBELL, .cmd = slot->head, .entry = ~0u,
			     .tile = ~0u, .address = tail };

	if (!slot->bound || slot->faulted || slot->reset_req || s->reset_req) {
		qemu_log_mask(LOG_GUEST_ERROR, "ktdev: slot %u: doorbell ignored\n", slot->index);
		return;
	}
	if (tail - slot->head > 1u << slot->ctx.ring_log2) {
		ktdev_slot_fault(s, slot, &fault);
		return;
	}
	slot->tail = tail;
	qemu_cond_signal(&s->wake);
}
