/* SPDX-License-Identifier: MIT */
/* Looking at a system's /proc, /sys and /dev, wherever it is mounted. */
#ifndef KTCTL_SYSROOT_H
#define KTCTL_SYSROOT_H

#include "ctl.h"

/* First line of the file named by @fmt below @root, without its newline; NULL: unreadable. */
const char *ctl_line_of(const char *root, char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Call @fn for every accel node of the ktdev driver, in order. Returns their number. */
unsigned int ctl_each_node(const char *root, void (*fn)(void *ctx, const char *name), void *ctx);
bool ctl_has_node(const char *root);

#endif /* KTCTL_SYSROOT_H */
