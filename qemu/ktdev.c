/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ktdev accelerator: PCI function, properties, reset, removal. */
#include "ktdev_model.h"
#include "hw/qdev-properties.h"
#include "ktdev_compat.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "qemu/module.h"

static bool check_properties(KtdevState *s, Error **errp)
{
	if (!s->cores || s->cores > KTDEV_MAX_CORES)
		error_setg(errp, "ktdev: cores must be 1..%d", KTDEV_MAX_CORES);
	else if (s->n_slots < 2 || s->n_slots > KTDEV_MAX_SLOTS)
		error_setg(errp, "ktdev: slots must be 2..%d", KTDEV_MAX_SLOTS);
	else if (!is_power_of_2(s->spm_bytes) || s->spm_bytes < 64 * KiB ||
		 s->spm_bytes > 64 * MiB)
		error_setg(errp, "ktdev: spm-size must be a power of two, 64K..64M");
	else
		return true;
	return false;
}

static void init_state(KtdevState *s)
{
	s->cycle_timing = kte_timing_default;
	kte_limits_hw(&s->limits, s->cores, s->spm_bytes);
	s->start_ns = qemu_clock_get_ns(QEMU_CLOCK_REALTIME);
	qemu_mutex_init(&s->lock);
	qemu_cond_init(&s->wake);
	qemu_cond_init(&s->idle);
	for (uint32_t i = 0; i < KTDEV_MAX_SLOTS; i++)
		ktdev_slot_init(s, i);
}

static void ktdev_realize(PCIDevice *pdev, Error **errp)
{
	KtdevState *s = KTDEV(pdev);

	if (!check_properties(s, errp))
		return;
	if (!ktdev_spm_init(s, errp)) {
		ktdev_spm_fini(s);
		return;
	}
	init_state(s);
	memory_region_init_io(&s->bar, OBJECT(s), &ktdev_mmio_ops, s, "ktdev-registers",
			      pow2ceil(KTDEV_BAR_SIZE(s->n_slots)));
	pci_register_bar(pdev, KTDEV_BAR, PCI_BASE_ADDRESS_SPACE_MEMORY, &s->bar);
	if (pci_is_express(pdev) && pcie_endpoint_cap_init(pdev, 0x80) > 0)
		pcie_cap_flr_init(pdev);
	if (msix_init_exclusive_bar(pdev, s->n_slots, KTDEV_MSIX_BAR, errp) < 0) {
		ktdev_spm_fini(s);
		return;
	}
	for (uint32_t v = 0; v < s->n_slots; v++)
		msix_vector_use(pdev, v);
	ktdev_irq_init(s);
	ktdev_worker_start(s);
}

static void ktdev_exit(PCIDevice *pdev)
{
	KtdevState *s = KTDEV(pdev);

	ktdev_worker_stop(s);
	ktdev_irq_fini(s);
	msix_uninit_exclusive_bar(pdev);
	if (pci_is_express(pdev))
		pcie_cap_exit(pdev);
	ktdev_spm_fini(s);
	qemu_cond_destroy(&s->idle);
	qemu_cond_destroy(&s->wake);
	qemu_mutex_destroy(&s->lock);
}

static void ktdev_qdev_reset(DeviceState *dev)
{
	ktdev_device_reset(KTDEV(dev));
}

/* A device that is gone answers to nothing, configuration space included. */
static uint32_t ktdev_config_read(PCIDevice *pdev, uint32_t addr, int len)
{
	if (qatomic_read(&KTDEV(pdev)->gone))
		return MAKE_64BIT_MASK(0, 8 * len);
	return pci_default_read_config(pdev, addr, len);
}

static void ktdev_config_write(PCIDevice *pdev, uint32_t addr, uint32_t val, int len)
{
	if (qatomic_read(&KTDEV(pdev)->gone))
		return;
	pci_default_write_config(pdev, addr, val, len);
	if (pci_is_express(pdev))
		pcie_cap_flr_write_config(pdev, addr, val, len);
}

/* Properties a test turns while the machine runs. */
static bool get_gone(Object *obj, Error **errp)
{
	return KTDEV(obj)->gone;
}

static void set_gone(Object *obj, bool value, Error **errp)
{
	KtdevState *s = KTDEV(obj);

	qatomic_set(&s->gone, value);
	if (DEVICE(obj)->realized)
		ktdev_quiesce(s);
}

static bool get_held(Object *obj, Error **errp)
{
	return KTDEV(obj)->held;
}

static void set_held(Object *obj, bool value, Error **errp)
{
	KtdevState *s = KTDEV(obj);

	qatomic_set(&s->held, value);
	if (!DEVICE(obj)->realized)
		return;
	qemu_mutex_lock(&s->lock);
	ktdev_wake(s);
	qemu_mutex_unlock(&s->lock);
}

/* One line per slot that is bound or faulted. */
static char *get_state(Object *obj, Error **errp)
{
	KtdevState *s = KTDEV(obj);
	GString *text = g_string_new(NULL);

	if (!DEVICE(obj)->realized)
		return g_string_free(text, FALSE);
	qemu_mutex_lock(&s->lock);
	g_string_append_printf(text, "control 0x%x running %d\n", s->control, s->running);
	for (uint32_t i = 0; i < s->n_slots; i++) {
		KtdevSlot *slot = &s->slots[i];

		if (slot->bound || slot->faulted || slot->reset_req)
			g_string_append_printf(text, "slot %u:%s%s%s head %u tail %u fault %u\n",
					       i, slot->bound ? " bound" : "",
					       slot->hang ? " hung" : "",
					       slot->reset_req ? " in-reset" : "", slot->head,
					       slot->tail, slot->fault.code);
	}
	qemu_mutex_unlock(&s->lock);
	return g_string_free(text, FALSE);
}

static const char *const counter_names[KTDEV_CNT_COUNT] = {
	[KTDEV_CNT_CYCLES] = "x-cycles", [KTDEV_CNT_STALL_CYCLES] = "x-stall-cycles",
	[KTDEV_CNT_TRANSFERS] = "x-transfers", [KTDEV_CNT_INJECTIONS] = "x-injections",
	[KTDEV_CNT_INJECTED_BYTES] = "x-injected-bytes",
	[KTDEV_CNT_DELIVERED_BYTES] = "x-delivered-bytes",
	[KTDEV_CNT_REMOTE_BYTES] = "x-remote-bytes", [KTDEV_CNT_HOST_BYTES] = "x-host-bytes",
	[KTDEV_CNT_MMIO_READS] = "x-mmio-reads", [KTDEV_CNT_MMIO_WRITES] = "x-mmio-writes",
	[KTDEV_CNT_INTERRUPTS] = "x-interrupts",
};

static void ktdev_instance_init(Object *obj)
{
	KtdevState *s = KTDEV(obj);

	s->spm_pattern = -1;
	for (int i = 0; i < KTDEV_CNT_COUNT; i++)
		object_property_add_uint64_ptr(obj, counter_names[i], &s->counters[i],
					       OBJ_PROP_FLAG_READ);
	object_property_add_uint32_ptr(obj, "x-reset-count", &s->reset_count, OBJ_PROP_FLAG_READ);
	object_property_add_uint32_ptr(obj, "poll-us", &s->poll_us, OBJ_PROP_FLAG_READWRITE);
	object_property_add_uint64_ptr(obj, "x-lock-max-ns", &s->lock_max_ns,
				       OBJ_PROP_FLAG_READWRITE);
}

static Property ktdev_properties[] = {
	DEFINE_PROP_UINT32("cores", KtdevState, cores, 32),
	DEFINE_PROP_UINT32("slots", KtdevState, n_slots, 16),
	DEFINE_PROP_SIZE("spm-size", KtdevState, spm_bytes, 2 * MiB),
	DEFINE_PROP_UINT64("serial", KtdevState, serial, 0),
	DEFINE_PROP_UINT64("seed", KtdevState, seed, 1),
	DEFINE_PROP_BOOL("timing", KtdevState, timing, false),
	DEFINE_PROP_BOOL("fault-injection", KtdevState, inject, false),
	DEFINE_PROP_END_OF_LIST(),
};

static const VMStateDescription ktdev_vmstate = {
	.name = TYPE_KTDEV,
	.unmigratable = 1,
};

static void ktdev_class_init(ObjectClass *klass, KTDEV_CLASS_DATA *data)
{
	DeviceClass *dc = DEVICE_CLASS(klass);
	PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);

	pc->realize = ktdev_realize;
	pc->exit = ktdev_exit;
	pc->config_read = ktdev_config_read;
	pc->config_write = ktdev_config_write;
	pc->vendor_id = KTDEV_PCI_VENDOR_ID;
	pc->device_id = KTDEV_PCI_DEVICE_ID;
	pc->class_id = KTDEV_PCI_CLASS;
	pc->revision = 1;
	dc->reset = ktdev_qdev_reset;
	dc->vmsd = &ktdev_vmstate;
	dc->desc = "ktdev many-core accelerator";
	device_class_set_props(dc, ktdev_properties);
	set_bit(DEVICE_CATEGORY_MISC, dc->categories);
	object_class_property_add_bool(klass, "gone", get_gone, set_gone);
	object_class_property_set_description(klass, "gone", "removed without warning");
	object_class_property_add_bool(klass, "held", get_held, set_held);
	object_class_property_set_description(klass, "held", "take doorbells, execute nothing");
	object_class_property_add_str(klass, "x-state", get_state, NULL);
}

static const TypeInfo ktdev_info = {
	.name = TYPE_KTDEV,
	.parent = TYPE_PCI_DEVICE,
	.instance_size = sizeof(KtdevState),
	.instance_init = ktdev_instance_init,
	.class_init = ktdev_class_init,
	.interfaces = (InterfaceInfo[]) { { INTERFACE_PCIE_DEVICE }, { } },
};

static void ktdev_register(void)
{
	type_register_static(&ktdev_info);
}

type_init(ktdev_register)
