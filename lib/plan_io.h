/* SPDX-License-Identifier: MIT */
/*
 * Plans as files: private to plan_bin.c, plan_json.c, plan_parse.c and plan_read.c.
 */
#ifndef KT_PLAN_IO_H
#define KT_PLAN_IO_H

#include "plan.h"

/* A plan that is being read. */
struct kt_plan_reader {
	const char *name;
	struct ktdev_report *rep;
	struct ktdev_plan *plan;
	bool said;
};

/* Report what is wrong at a JSON Pointer (NULL: binary). Returns -EINVAL. */
int kt_plan_bad(struct kt_plan_reader *rd, const char *ptr, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Fill rd->plan from either form: 0, -EINVAL, -EPROTO, -ENOMEM. Nothing is trusted yet. */
int kt_plan_parse_binary(struct kt_plan_reader *rd, const uint8_t *data, size_t len);
int kt_plan_parse_json(struct kt_plan_reader *rd, const char *data, size_t len);

/* What a plan's own numbers may be, before memory is taken for them. */
#define KT_PLAN_MAX_TILES	65535u
#define KT_PLAN_MAX_WINDOW	(1ull << 40)

#endif /* KT_PLAN_IO_H */
