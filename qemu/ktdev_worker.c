/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The worker thread: takes one command of one slot at a time, in turns, and executes it
 * without any lock. While it executes it looks every 256 KiB whether to stop, whether other
 * slots are to be reset and whether the machine has been stopped.
 */
#include "ktdev_model.h"
#include "qemu/rcu.h"
#include "sysemu/runstate.h"
#include "trace.h"

void ktdev_wake(KtdevState *s)
{
	qatomic_set(&s->kick, true);
	qemu_cond_signal(&s->wake);
}

static bool refuses(KtdevState *s)
{
	return s->inject && (qatomic_read(&s->inject_armed) & KTDEV_INJECT_REFUSE_RESET);
}

static bool is_stopping(KtdevState *s, KtdevSlot *slot)
{
	return qatomic_read(&s->quit) || qatomic_read(&s->reset_req) ||
	       qatomic_read(&s->hard_reset) || qatomic_read(&s->gone) ||
	       qatomic_read(&slot->reset_req);
}

/* Lock held. Slots that execute nothing at the moment. */
static void serve_slot_resets(KtdevState *s)
{
	for (uint32_t i = 0; i < s->n_slots && !refuses(s); i++) {
		KtdevSlot *slot = &s->slots[i];

		if (!slot->reset_req || s->running == (int)i)
			continue;
		ktdev_slot_clear(slot);
		ktdev_irq_forget(s, i);
		slot->reset_done = true;
		qatomic_set(&slot->reset_req, false);
	}
}

/* In the middle of a command: reset others, wait while the machine is stopped. */
static void attend(KtdevState *s, KtdevSlot *running)
{
	qemu_mutex_lock(&s->lock);
	qatomic_set(&s->attention, false);
	for (;;) {
		serve_slot_resets(s);
		if (!s->paused || is_stopping(s, running))
			break;
		s->parked = true;
		qemu_cond_broadcast(&s->idle);
		qemu_cond_wait(&s->wake, &s->lock);
	}
	s->parked = false;
	qemu_mutex_unlock(&s->lock);
}

bool ktdev_should_stop(KtdevState *s, KtdevSlot *slot)
{
	if (qatomic_read(&s->attention))
		attend(s, slot);
	return is_stopping(s, slot);
}

void ktdev_sleep(KtdevState *s, uint32_t ms)
{
	qemu_mutex_lock(&s->lock);
	if (!s->attention)
		qemu_cond_timedwait(&s->wake, &s->lock, ms);
	qemu_mutex_unlock(&s->lock);
}

static bool may_run(KtdevSlot *slot)
{
	return slot->bound && !slot->faulted && !slot->reset_req && !slot->hang &&
	       slot->head != slot->tail;
}

static KtdevSlot *next_slot(KtdevState *s)
{
	if (s->paused || s->held || s->gone || s->reset_req || !(s->control & KTDEV_CTRL_ENABLE))
		return NULL;
	for (uint32_t i = 1; i <= s->n_slots; i++) {
		KtdevSlot *slot = &s->slots[(s->last_slot + i) % s->n_slots];

		if (!may_run(slot))
			continue;
		if (s->inject && (s->inject_armed & KTDEV_INJECT_HANG) &&
		    s->inject_slot == slot->index) {
			qatomic_and(&s->inject_armed, ~KTDEV_INJECT_HANG);
			slot->hang = true;
			continue;
		}
		return slot;
	}
	return NULL;
}

/* Lock held on entry and exit. Tell of a fault: completion record, then interrupt. A record
 * that cannot be written changes nothing, the registers tell too. */
static bool report_fault(KtdevState *s)
{
	for (uint32_t i = 0; i < s->n_slots; i++) {
		KtdevSlot *slot = &s->slots[i];

		if (!slot->report)
			continue;
		slot->report = false;
		if (slot->bound) {
			slot->done.fault = slot->fault.code;
			slot->done.head = slot->head;
			s->running = i;
			qemu_mutex_unlock(&s->lock);
			ktdev_dma_write(s, slot->ctx.done + 8, &slot->done.head,
					sizeof(slot->done) - 8);
			qemu_mutex_lock(&s->lock);
			s->running = -1;
			qemu_cond_broadcast(&s->idle);
		}
		ktdev_irq_raise(s, i);
		return true;
	}
	return false;
}

/* Lock held on entry and exit, dropped while the command executes. */
static void run_one(KtdevState *s, KtdevSlot *slot)
{
	KtdevFault fault = { .cmd = slot->head, .entry = ~0u, .tile = ~0u };
	uint32_t mask = (1u << slot->ctx.ring_log2) - 1;
	uint64_t at = slot->ctx.ring + (uint64_t)(slot->head & mask) * sizeof(struct ktdev_cmd);
	struct ktdev_cmd cmd;
	bool good;

	s->running = slot->index;
	s->last_slot = slot->index;
	qemu_mutex_unlock(&s->lock);

	memset(slot->add, 0, sizeof(slot->add));
	good = ktdev_dma_read(s, at, &cmd, sizeof(cmd)) == MEMTX_OK;
	if (!good) {
		fault.code = KTDEV_FAULT_DMA;
		fault.address = at;
	} else {
		trace_ktdev_cmd(slot->index, slot->head, cmd.op);
		good = ktdev_execute(s, slot, &cmd, &fault);
	}

	qemu_mutex_lock(&s->lock);
	s->running = -1;
	if (good) {
		for (int i = 0; i < KTDEV_CNT_COUNT; i++) {
			slot->counters[i] += slot->add[i];
			s->counters[i] += slot->add[i];
		}
		slot->head++;
		if (cmd.op == KTDEV_CMD_FENCE && (cmd.flags & KTDEV_CMD_IRQ))
			ktdev_irq_fence(s, slot);
	} else if (fault.code != KTE_FAULT_STOPPED && !s->gone) {
		ktdev_slot_fault(s, slot, &fault);
	}
	qemu_cond_broadcast(&s->idle);
}

/* Lock held on entry and exit. While the scratchpads change, register accesses see a reset
 * going on: nothing is bound, and nothing can be. */
static void reset_all(KtdevState *s)
{
	bool hard = s->hard_reset;

	for (uint32_t i = 0; i < s->n_slots; i++) {
		ktdev_slot_clear(&s->slots[i]);
		s->slots[i].reset_done = false;
		qatomic_set(&s->slots[i].reset_req, false);
	}
	ktdev_irq_reset(s);
	s->control = 0;
	qatomic_set(&s->inject_armed, 0);
	s->inject_slot = 0;
	qemu_mutex_unlock(&s->lock);
	ktdev_spm_scramble(s);
	qemu_mutex_lock(&s->lock);
	s->reset_count++;
	qatomic_set(&s->reset_req, false);
	if (hard)
		qatomic_set(&s->hard_reset, false);
	qemu_cond_broadcast(&s->idle);
}

/* Lock held on entry and exit. */
static void sleep_until_work(KtdevState *s)
{
	uint32_t us = MIN(qatomic_read(&s->poll_us), 1000000);
	int64_t until = qemu_clock_get_ns(QEMU_CLOCK_REALTIME) + (int64_t)us * 1000;

	if (us) {
		qemu_mutex_unlock(&s->lock);
		while (!qatomic_read(&s->kick) &&
		       qemu_clock_get_ns(QEMU_CLOCK_REALTIME) < until)
			for (int i = 0; i < 50; i++)
				cpu_relax();
		qemu_mutex_lock(&s->lock);
	}
	while (!s->kick)
		qemu_cond_wait(&s->wake, &s->lock);
}

static void *worker(void *opaque)
{
	KtdevState *s = opaque;

	rcu_register_thread();
	qemu_mutex_lock(&s->lock);
	while (!s->quit) {
		KtdevSlot *slot;

		qatomic_set(&s->kick, false);
		if (s->hard_reset || (s->reset_req && !refuses(s))) {
			reset_all(s);
			qatomic_set(&s->kick, true);
			continue;
		}
		serve_slot_resets(s);
		slot = NULL;
		if (report_fault(s))
			qatomic_set(&s->kick, true);
		else
			slot = next_slot(s);
		if (slot) {
			run_one(s, slot);
			qatomic_set(&s->kick, true);
		}
		if (!s->kick)
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
	qatomic_set(&s->attention, s->paused);
	ktdev_wake(s);
	while (s->paused && s->running >= 0 && !s->parked)
		qemu_cond_wait(&s->idle, &s->lock);
	qemu_mutex_unlock(&s->lock);
}

void ktdev_worker_start(KtdevState *s)
{
	s->running = -1;
	s->quit = false;
	s->paused = !runstate_is_running();
	s->vmstate_entry = qemu_add_vm_change_state_handler(vm_state_changed, s);
	qemu_thread_create(&s->worker, "ktdev", worker, s, QEMU_THREAD_JOINABLE);
}

void ktdev_worker_stop(KtdevState *s)
{
	qemu_del_vm_change_state_handler(s->vmstate_entry);
	qemu_mutex_lock(&s->lock);
	qatomic_set(&s->quit, true);
	ktdev_wake(s);
	qemu_mutex_unlock(&s->lock);
	qemu_thread_join(&s->worker);
	for (uint32_t i = 0; i < s->n_slots; i++)
		ktdev_drop_progs(&s->slots[i]);
}

void ktdev_device_reset(KtdevState *s)
{
	qemu_mutex_lock(&s->lock);
	qatomic_set(&s->hard_reset, true);
	ktdev_wake(s);
	while (s->hard_reset)
		qemu_cond_wait(&s->idle, &s->lock);
	qemu_mutex_unlock(&s->lock);
}

void ktdev_quiesce(KtdevState *s)
{
	qemu_mutex_lock(&s->lock);
	ktdev_wake(s);
	while (s->gone && s->running >= 0)
		qemu_cond_wait(&s->idle, &s->lock);
	qemu_mutex_unlock(&s->lock);
}
