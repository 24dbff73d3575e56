/* SPDX-License-Identifier: MIT */
/*
 * One table at hand: state it, compile it, and compare the refusal with all of
 * its witness.
 */
#ifndef TABLE_CASE_H
#define TABLE_CASE_H

#include "table_util.h"

#define WINDOW	4096u

static struct small s;
static struct kte_reject why;
static struct sections image;
static void *raw;
static uint64_t raw_bytes;

static TAP_UNUSED int compile(void)
{
	struct env_state st = { 0 };
	const struct kte_env env = ENV(&st);
	int err;

	free(raw ? (uint64_t *)raw - 2 : NULL);
	memset(&why, 0xa5, sizeof(why));
	err = kte_table_compile(&s.t, &s.lim, &env, &raw, &raw_bytes, &why);
	if (st.live != !err)
		fail("%u allocations live after %d", st.live, err);
	if (!err)
		open_image(raw, &image);
	return err;
}

/* Two halves of 16 two-byte elements on tiles 0 and 1; both tiles get all of it. */
static TAP_UNUSED void base(void)
{
	small_init(&s, 4, WINDOW);
	add_space(&s, 2, 16, 0, 0);
	add_source(&s, 0, 0, 0, 0, 8, 2);
	add_source(&s, 0, 1, 0, 8, 8, 2);
	add_dest(&s, 0, 0, 256, 0, 16, 2);
	add_dest(&s, 0, 1, 256, 0, 16, 2);
}

/* Two contributions to 16 numbers; tile 2 gets their sum. */
static TAP_UNUSED void base_fold(uint32_t op, uint32_t dtype)
{
	small_init(&s, 4, WINDOW);
	add_fold(&s, op, dtype, 16, 0);
	add_source(&s, 0, 0, 0, 0, 16, kte_dtype_bytes(dtype));
	add_source(&s, 0, 1, 0, 0, 16, kte_dtype_bytes(dtype));
	add_dest(&s, 0, 2, 256, 0, 16, kte_dtype_bytes(dtype));
}

static TAP_UNUSED void base_arg(void)
{
	uint32_t i;

	base_fold(KTE_OP_ARGMAX, KTE_DT_F16);
	s.spaces[0].roles = 2;
	s.spaces[0].dtype[1] = KTE_DT_I32;
	s.spaces[0].elem_bytes[1] = 4;
	for (i = 0; i < 2; i++) {
		s.sources[i].offset[1] = 128;
		s.sources[i].stride[1][0] = 4;
	}
	s.dests[0].offset[1] = 512;
	s.dests[0].stride[1][0] = 4;
}

static TAP_UNUSED void accepts(const char *name)
{
	int err = compile();

	if (!ok(!err, "%s: accepted", name))
		diag("%d %s at %u %u value %" PRIu64, err, kte_reason_name(why.reason), why.where,
		     why.index, why.value);
}

#define NONE	0xffffffffu

/* Compiles and compares the whole witness of a field at fault. */
static TAP_UNUSED void refuses(const char *name, int want_err, uint32_t reason,
			       uint32_t where, uint32_t index, uint32_t field, uint32_t axis,
			       uint64_t value, uint64_t limit)
{
	int err = compile();
	bool same = err == want_err && why.reason == reason && why.where == where &&
		    why.index == index && why.field == field && why.axis == axis &&
		    why.value == value && why.limit == limit && why.other == NONE &&
		    why.tile == NONE;

	if (!ok(same, "%s: %s", name, kte_reason_name(reason)))
		diag("got %d %s where %u index %u %s axis %u value %" PRIu64 " limit %" PRIu64
		     " other %u tile %u", err, kte_reason_name(why.reason), why.where, why.index,
		     kte_field_name(why.field), why.axis, why.value, why.limit, why.other,
		     why.tile);
}

/* The same for a pair that does not go together, or bytes of a tile. */
static TAP_UNUSED void refuses_pair(const char *name, uint32_t reason, uint32_t where,
				    uint32_t index, uint32_t other_where, uint32_t other,
				    uint32_t tile, uint64_t value)
{
	int err = compile();
	bool same = err == -EINVAL && why.reason == reason && why.where == where &&
		    why.index == index && why.other == other && why.tile == tile &&
		    why.value == value && (other == NONE || why.other_where == other_where);

	if (!ok(same, "%s: %s", name, kte_reason_name(reason)))
		diag("got %d %s where %u index %u value %" PRIu64 " other %u/%u tile %u axis %u",
		     err, kte_reason_name(why.reason), why.where, why.index, why.value,
		     why.other_where, why.other, why.tile, why.axis);
}

#define TABLE	KTE_WHERE_TABLE
#define SPACE	KTE_WHERE_SPACE
#define SOURCE	KTE_WHERE_SOURCE
#define DEST	KTE_WHERE_DEST

/* Four columns of one row-major result on tile 0. */
static TAP_UNUSED void columns(uint32_t rows)
{
	uint32_t i;

	small_init(&s, 4, WINDOW);
	add_space(&s, 2, rows, 32, 0);
	for (i = 0; i < 4; i++) {
		set_axis1(add_source(&s, 0, i, 0, 0, rows, 16), 8 * i, 8, 2);
		set_axis1(add_dest(&s, 0, 0, 1024 + 16 * i, 0, rows, 64), 8 * i, 8, 2);
	}
}

/* At the end of the program. */
static TAP_UNUSED void last_case(void)
{
	free(raw ? (uint64_t *)raw - 2 : NULL);
}

#endif /* TABLE_CASE_H */
