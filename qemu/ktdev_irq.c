/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts: one MSI-X vector per slot, raised by a bottom half under the big lock, since
 * the worker must not take it. Coalescing counts FENCEs and bounds the wait by a timer.
 */
#include "ktdev_model.h"
#include "trace.h"

#define STORM_INTERVAL_NS	50000

static void notify(void *opaque)
{
	KtdevState *s = opaque;
	uint32_t raise;

	qemu_mutex_lock(&s->lock);
	raise = s->irq_raise & ~s->irq_mask;
	s->irq_raise &= s->irq_mask;
	if (qatomic_read(&s->gone) || !msix_enabled(&s->parent_obj))
		raise = 0;
	s->counters[KTDEV_CNT_INTERRUPTS] += ctpop32(raise);
	for (uint32_t v = 0; v < s->n_slots; v++)
		if (raise & (1u << v))
			s->slots[v].counters[KTDEV_CNT_INTERRUPTS]++;
	qemu_mutex_unlock(&s->lock);
	for (uint32_t v = 0; v < s->n_slots; v++)
		if (raise & (1u << v))
			msix_notify(&s->parent_obj, v);
}

void ktdev_irq_raise(KtdevState *s, uint32_t slot)
{
	uint32_t inject = s->inject ? s->inject_armed : 0;

	s->irq_status |= 1u << slot;
	s->irq_waiting &= ~(1u << slot);
	s->slots[slot].fences = 0;
	if (inject & KTDEV_INJECT_IRQ_LOSE) {
		qatomic_and(&s->inject_armed, ~KTDEV_INJECT_IRQ_LOSE);
		return;
	}
	if (inject & (KTDEV_INJECT_IRQ_DUP | KTDEV_INJECT_IRQ_STORM)) {
		qatomic_and(&s->inject_armed, ~(KTDEV_INJECT_IRQ_DUP | KTDEV_INJECT_IRQ_STORM));
		s->repeat = inject & KTDEV_INJECT_IRQ_STORM ? STORM : TWICE;
		s->storm_slot = slot;
		timer_mod(s->storm_timer,
			  qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + STORM_INTERVAL_NS);
	}
	s->irq_raise |= 1u << slot;
	qemu_bh_schedule(s->irq_bh);
}

/* A FENCE with interrupt: at once, or when enough have come, or when the time is up. */
void ktdev_irq_fence(KtdevState *s, KtdevSlot *slot)
{
	uint32_t count = FIELD_GET(KTDEV_COALESCE_COUNT, s->irq_coalesce);
	uint64_t usecs = FIELD_GET(KTDEV_COALESCE_USECS, s->irq_coalesce);

	if (++slot->fences >= count || !usecs) {
		ktdev_irq_raise(s, slot->index);
		return;
	}
	if (!s->irq_waiting)
		timer_mod(s->irq_timer,
			  qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + (int64_t)usecs * 1000);
	s->irq_waiting |= 1u << slot->index;
}

static void coalesce_expired(void *opaque)
{
	KtdevState *s = opaque;

	qemu_mutex_lock(&s->lock);
	for (uint32_t v = 0; v < s->n_slots; v++)
		if (s->irq_waiting & (1u << v))
			ktdev_irq_raise(s, v);
	qemu_mutex_unlock(&s->lock);
}

/* A duplicate comes once; a storm goes on until the slot is masked. */
static void storm(void *opaque)
{
	KtdevState *s = opaque;

	qemu_mutex_lock(&s->lock);
	if (s->repeat != ONCE) {
		s->irq_raise |= 1u << s->storm_slot;
		qemu_bh_schedule(s->irq_bh);
	}
	if (s->repeat != STORM || (s->irq_mask & (1u << s->storm_slot)))
		s->repeat = ONCE;
	else
		timer_mod(s->storm_timer,
			  qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + STORM_INTERVAL_NS);
	qemu_mutex_unlock(&s->lock);
}

void ktdev_irq_set_mask(KtdevState *s, uint32_t mask)
{
	s->irq_mask = mask & MAKE_64BIT_MASK(0, s->n_slots);
	if (s->irq_raise & ~mask)
		qemu_bh_schedule(s->irq_bh);
}

void ktdev_irq_reset(KtdevState *s)
{
	s->irq_status = s->irq_mask = s->irq_coalesce = 0;
	s->irq_waiting = s->irq_raise = 0;
	s->repeat = ONCE;
}

void ktdev_irq_forget(KtdevState *s, uint32_t slot)
{
	s->irq_waiting &= ~(1u << slot);
	s->irq_raise &= ~(1u << slot);
	if (s->storm_slot == slot)
		s->repeat = ONCE;
}

void ktdev_irq_init(KtdevState *s)
{
	s->irq_bh = qemu_bh_new(notify, s);
	s->irq_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, coalesce_expired, s);
	s->storm_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, storm, s);
}

void ktdev_irq_fini(KtdevState *s)
{
	timer_free(s->irq_timer);
	timer_free(s->storm_timer);
	qemu_bh_delete(s->irq_bh);
}
