/* SPDX-License-Identifier: MIT */
/*
 * From a module to a plan: rules, addresses, lowering. The check runner uses what lies
 * in between, so it is available here.
 */
#ifndef KT_COMPILE_H
#define KT_COMPILE_H

#include "lower.h"

struct kt_compiled {
	struct kt_arena arena;		/* all below but the plan; refers to the module */
	struct kt_checked checked;
	struct kt_program prog;
	struct ktdev_plan *plan;	/* owned */
};

/* Return: as ktdev_plan_from_module(). kt_compiled_fini() in every case. */
int kt_compile(const struct ktdev_module *mod, const struct ktdev_compile_opts *opts,
	       struct ktdev_report *rep, struct kt_compiled *out);
void kt_compiled_fini(struct kt_compiled *c);

#endif /* KT_COMPILE_H */
