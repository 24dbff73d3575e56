/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between QEMU 7.2, which the model is built with, and newer ones. From 10.0 on
 * class_init takes a const argument, sysemu/ headers are system/ headers, and device
 * property arrays are const and end without DEFINE_PROP_END_OF_LIST(); softmmu_ss of
 * meson.build (scripts/vm/qemu-build) has been called system_ss since 8.1.
 */
#ifndef KTDEV_COMPAT_H
#define KTDEV_COMPAT_H

#include "qemu/osdep.h"

#ifdef DEFINE_PROP_END_OF_LIST
#define KTDEV_CLASS_DATA	void
#else
#define KTDEV_CLASS_DATA	const void
#define DEFINE_PROP_END_OF_LIST() { }
#endif

#endif /* KTDEV_COMPAT_H */
