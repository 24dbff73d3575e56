/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The few things the engine needs from where it is compiled: fixed-width
 * types, memcpy-class functions and errno values. The same sources build in
 * the kernel, in the device model and in the library.
 */
#ifndef KTE_PORT_H
#define KTE_PORT_H

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#ifndef UINT32_MAX
#define UINT32_MAX	U32_MAX
#endif
#ifndef UINT64_MAX
#define UINT64_MAX	U64_MAX
#endif
#else
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the table image is little-endian and read in place: big-endian hosts are not supported"
#endif

#endif /* KTE_PORT_H */
