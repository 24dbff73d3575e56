// SPDX-License-Identifier: MIT
/*
 * What a walk knows: values by name, and what was said already.
 */
#include "resolve.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- the table of values --------------------------------------------------------------- */

static uint32_t slot_of(const struct kt_rs *rs, const struct kt_value *v)
{
	uint32_t i = (uint32_t)(((uintptr_t)v >> 4) * 0x9e3779b1u) & (rs->n_slots - 1);

	while (rs->slots[i].v && rs->slots[i].v != v)
		i = (i + 1) & (rs->n_slots - 1);
	return i;
}

struct kt_rs_value kt_rs_get(const struct kt_rs *rs, const struct kt_value *v)
{
	struct kt_rs_value unknown = { .kind = KT_RS_UNKNOWN };
	const struct kt_rs_slot *s;

	if (!v)
		return unknown;
	s = &rs->slots[slot_of(rs, v)];
	return s->v ? s->val : unknown;
}

int kt_rs_set(struct kt_rs *rs, const struct kt_value *v, const struct kt_rs_value *val)
{
	struct kt_rs_slot *old = rs->slots;
	uint32_t i, n = rs->n_slots;

	if (2 * (rs->used_slots + 1) > n) {
		rs->slots = kt_alloc(rs->a, 2 * (size_t)n * sizeof(*rs->slots));
		if (!rs->slots) {
			rs->slots = old;
			return -ENOMEM;
		}
		rs->n_slots = 2 * n;
		for (i = 0; i < n; i++)
			if (old[i].v)
				rs->slots[slot_of(rs, old[i].v)] = old[i];
	}
	i = slot_of(rs, v);
	rs->used_slots += !rs->slots[i].v;
	rs->slots[i].v = v;
	rs->slots[i].val = *val;
	return 0;
}

struct kt_ix kt_rs_index(const struct kt_rs *rs, const struct kt_index *e)
{
	struct kt_rs_value v;

	if (!e->dynamic)
		return kt_ix_const(e->value);
	v = kt_rs_get(rs, e->v);
	if (v.kind == KT_RS_INDEX)
		return v.ix;
	return kt_ix_runtime(e->v ? e->v->at : e->at);
}

/* --- findings ------------------------------------------------------------------------------ */

struct kt_diag *kt_rs_say(struct kt_rs *rs, const void *key, struct kt_range at, enum kt_rule rule,
			  enum ktdev_severity sev, const char *fmt, ...)
{
	char buf[400];
	va_list args;
	uint32_t i;

	if (sev == KTDEV_ERROR)
		rs->error = true;
	if (sev == KTDEV_UNSUPPORTED)
		rs->unsupported = true;
	for (i = 0; i < rs->n_said; i++)
		if (rs->said[i].at == key && rs->said[i].rule == (int)rule)
			return NULL;
	if (rs->n_said == rs->cap_said && rs->cap_said < KTDEV_REPORT_MAX) {
		uint32_t cap = rs->cap_said ? 2 * rs->cap_said : 16;
		struct kt_rs_said *p = kt_alloc(rs->a, cap * sizeof(*p));

		if (p) {
			if (rs->n_said)
				memcpy(p, rs->said, rs->n_said * sizeof(*p));
			rs->said = p;
			rs->cap_said = cap;
		}
	}
	if (rs->n_said < rs->cap_said) {
		rs->said[rs->n_said].at = key;
		rs->said[rs->n_said++].rule = (int)rule;
	}
	va_start(args, fmt);
	vsnprintf(buf, sizeof(buf), fmt, args);
	va_end(args);
	return kt_diag(rs->rep, rs->src, at, rule, sev, "%s", buf);
}

bool kt_rs_room(struct kt_rs *rs, const struct kt_op *op, uint64_t n)
{
	rs->records += n;
	if (rs->records <= KT_RS_MAX_RECORDS)
		return true;
	rs->ix.over = true;
	kt_rs_say(rs, rs->func, op->at, KT_K10, KTDEV_UNSUPPORTED,
		  "the function has more than %u partials and stores once its loops are unrolled",
		  KT_RS_MAX_RECORDS);
	return false;
}
