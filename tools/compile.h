/* SPDX-License-Identifier: MIT */
/* From an input to a plan, and a plan's figures. */
#ifndef KTCTL_COMPILE_H
#define KTCTL_COMPILE_H

#include "input.h"
#include "sticks.h"

#define CTL_MAX_RESERVED	16

/* Compile options with the memory they point into. */
struct ctl_compile {
	struct ktdev_compile_opts lib;
	enum ktdev_elect elect;
	struct ctl_sticks sticks;
	struct ktdev_bytes reserved[CTL_MAX_RESERVED];
};

/*
 * From --func, --per-tile, --reserve, --stick, --elect and the geometry of @dev (NULL: the
 * default target). CTL_OK or CTL_USAGE with the error said.
 */
int ctl_compile_opts(struct ctl *c, const struct ctl_input *in, const struct ktdev_device *dev,
		     struct ctl_compile *o);
/* Compile into in->plan; a plan stays as it is. Errors are said, warnings printed. */
int ctl_compile(struct ctl *c, struct ctl_input *in, const struct ctl_compile *o);
enum ktdev_elect ctl_elect(const struct ctl *c);
/* Print what a successful run has to remark (text; in JSON the document carries it). */
void ctl_warnings(struct ctl *c, struct ktdev_report *rep);
void ctl_set_stats(json_t *o, const struct ktdev_stats *s);
void ctl_print_stats(const struct ktdev_stats *s);

#endif /* KTCTL_COMPILE_H */
