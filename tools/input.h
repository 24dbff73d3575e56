/* SPDX-License-Identifier: MIT */
/* What commands work on: a program, a pair of tables, or a compiled plan. */
#ifndef KTCTL_INPUT_H
#define KTCTL_INPUT_H

#include "ctl.h"

enum ctl_kind { CTL_KTIR, CTL_TABLES, CTL_PLAN };

struct ctl_input {
	enum ctl_kind kind;
	const char *name;
	const struct ctl_text *text;	/* NULL: shorthand */
	struct ktdev_module *mod;	/* CTL_KTIR */
	struct ktdev_relayout *rel;	/* CTL_TABLES */
	struct ktdev_plan *plan;	/* CTL_PLAN; commands may put theirs here */
	struct ktdev_report *rep;	/* findings so far, warnings included */
};

/* Which of the three a text is, by its first bytes. */
enum ctl_kind ctl_kind_of(const struct ctl_text *text);

/*
 * Read one input, or the two sides of a relayout when @dst is not NULL. The options of
 * relayouts (--op, --map, --stick, --extents, --cores, --dtype) are taken from the command line.
 * CTL_OK, or the exit with the error said. ctl_input_free() in both cases.
 */
int ctl_input(struct ctl *c, const char *src, const char *dst, struct ctl_input *in);
/* As ctl_input() for the operands of the command: FILE, or SRC DST. */
int ctl_input_operands(struct ctl *c, struct ctl_input *in);
void ctl_input_free(struct ctl_input *in);

/* Open the device of -d; errors are said. */
int ctl_open(struct ctl *c, struct ktdev_device **dev);

/* Exit code and message for a library call on an input that failed. */
int ctl_fail_input(struct ctl *c, const struct ctl_input *in, int err);

/* Relayout options from the command line. CTL_OK or CTL_USAGE with the error said. */
struct ctl_relayout_opts {
	struct ktdev_relayout_opts lib;
	const char *map[KTDEV_MAX_RANK];
	char axis[64];
};

int ctl_relayout_opts(struct ctl *c, struct ctl_relayout_opts *o);

#endif /* KTCTL_INPUT_H */
