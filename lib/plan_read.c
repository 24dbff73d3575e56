// SPDX-License-Identifier: MIT
/*
 * Reading plans: which form it is, and the checks of what a file claims, the same for
 * both. After them every index, box and byte is in bounds and every image is one the
 * engine accepts.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "box.h"
#include "kte_exec.h"
#include "plan_io.h"

int kt_plan_bad(struct kt_plan_reader *rd, const char *ptr, const char *fmt, ...)
{
	struct kt_range none = {0};
	struct kt_diag *d;
	char buf[300];
	va_list args;

	va_start(args, fmt);
	vsnprintf(buf, sizeof(buf), fmt, args);
	va_end(args);
	d = kt_diag(rd->rep, NULL, none, KT_RULE_NONE, KTDEV_ERROR, "%s: %s", rd->name, buf);
	if (ptr)
		kt_diag_pointer(d, "%s", ptr);
	rd->said = true;
	return -EINVAL;
}

static int check_image(struct kt_plan_reader *rd, uint32_t i)
{
	const struct kt_plan_step *s = &rd->plan->steps[i];
	struct kte_fault fault;
	struct kte_limits lim;
	struct kte_prog *prog;
	int ret;

	kte_limits_soft(&lim, rd->plan->n_tiles, rd->plan->window);
	ret = kte_prog_new(s->image, s->image_bytes, &lim, &kt_env, &prog, &fault);
	if (ret == -EINVAL)
		return kt_plan_bad(rd, NULL, "the image of step %u is refused: %s, entry %d", i,
				   kte_fault_name(fault.code), (int)fault.entry);
	if (!ret)
		kte_prog_free(prog);
	return ret;
}

/* A file name without a directory. */
static bool good_name(const char *s)
{
	return *s && *s != '.' && !strchr(s, '/') && strlen(s) < 200;
}

static int check_piece(struct kt_plan_reader *rd, const struct kt_io *io, uint32_t i,
		       uint64_t *volume)
{
	const struct ktdev_plan *plan = rd->plan;
	const struct kt_piece *pc = &io->pieces[i];
	uint64_t last = pc->offset, span, v = 1;
	uint32_t a;

	if (pc->tile >= plan->n_tiles)
		return kt_plan_bad(rd, NULL, "%s: tile %u does not exist", io->name, pc->tile);
	for (a = 0; a < io->rank; a++) {
		if (!pc->size[a] || pc->size[a] > io->shape[a] ||
		    pc->start[a] > io->shape[a] - pc->size[a])
			return kt_plan_bad(rd, NULL, "%s: a piece leaves the value", io->name);
		v *= pc->size[a];
		if (pc->size[a] > 1 && !pc->stride[a])
			return kt_plan_bad(rd, NULL, "%s: a stride is 0", io->name);
		if (__builtin_mul_overflow(pc->stride[a], pc->size[a] - 1, &span) ||
		    __builtin_add_overflow(last, span, &last))
			last = UINT64_MAX;
	}
	if (last > plan->window || plan->window - last < io->elem_bytes)
		return kt_plan_bad(rd, NULL, "%s: a piece leaves the window", io->name);
	for (; a < KTE_MAX_RANK; a++)
		if (pc->start[a] || pc->size[a] || pc->stride[a])
			return kt_plan_bad(rd, NULL, "%s: a piece has more axes than the value",
					   io->name);
	*volume += v;
	return 0;
}

static int check_io(struct kt_plan_reader *rd, const struct kt_io *io)
{
	const struct ktdev_plan *plan = rd->plan;
	uint64_t volume, held = 0;
	uint32_t a, i;
	int ret;

	if (!good_name(io->name))
		return kt_plan_bad(rd, NULL, "a value's name is not a plain file name");
	if (io->step >= plan->n_steps || io->delivery >= plan->n_steps ||
	    io->step > io->delivery || io->role > 0xffff ||
	    (io->tile >= plan->n_tiles && io->tile != KT_ALL_TILES))
		return kt_plan_bad(rd, NULL, "%s: names a step or tile that does not exist",
				   io->name);
	if (io->rank > KTE_MAX_RANK || !io->elem_bytes || io->elem_bytes > KTE_MAX_ELEM_BYTES ||
	    io->dtype >= KTE_DT_COUNT ||
	    (io->dtype && kte_dtype_bytes(io->dtype) != io->elem_bytes))
		return kt_plan_bad(rd, NULL, "%s: bad rank or element type", io->name);
	for (a = 0; a < io->rank; a++)
		if (!io->shape[a])
			return kt_plan_bad(rd, NULL, "%s: an axis is empty", io->name);
	for (; a < KTE_MAX_RANK; a++)
		if (io->shape[a])
			return kt_plan_bad(rd, NULL, "%s: more extents than axes", io->name);
	if (!kte_volume(io->shape, io->rank, &volume))
		return kt_plan_bad(rd, NULL, "%s: too many elements", io->name);
	for (i = 0; i < io->n_pieces; i++) {
		ret = check_piece(rd, io, i, &held);
		if (ret)
			return ret;
	}
	if (io->output ? held != volume : held < volume)
		return kt_plan_bad(rd, NULL, "%s: the pieces do not make up the value", io->name);
	return 0;
}

static int check_plan(struct kt_plan_reader *rd)
{
	const struct ktdev_plan *plan = rd->plan;
	uint32_t i;
	int ret = 0;

	if (!plan->n_tiles || plan->n_tiles > KT_PLAN_MAX_TILES || plan->n_cores < plan->n_tiles ||
	    plan->n_cores > KT_PLAN_MAX_TILES)
		return kt_plan_bad(rd, NULL, "%u tiles on %u cores", plan->n_tiles, plan->n_cores);
	if (!plan->window || plan->window > KT_PLAN_MAX_WINDOW)
		return kt_plan_bad(rd, NULL, "bad window");
	for (i = 0; i < plan->n_steps && !ret; i++)
		ret = check_image(rd, i);
	for (i = 0; i < plan->n_io && !ret; i++)
		ret = check_io(rd, &plan->io[i]);
	for (i = 0; i < plan->n_scratch && !ret; i++) {
		const struct kt_scratch *s = &plan->scratch[i];

		if (s->step >= plan->n_steps ||
		    (s->tile >= plan->n_tiles && s->tile != KT_ALL_TILES) ||
		    s->offset > plan->window || s->bytes > plan->window - s->offset)
			ret = kt_plan_bad(rd, NULL, "a scratch range lies outside");
	}
	return ret;
}

/* Sizes that the file does not store. */
static void complete(struct ktdev_plan *plan)
{
	uint64_t volume = 0;
	uint32_t i;

	for (i = 0; i < plan->n_io; i++) {
		kte_volume(plan->io[i].shape, plan->io[i].rank, &volume);
		plan->io[i].bytes = volume * plan->io[i].elem_bytes;
		if (plan->io[i].output)
			plan->steps[plan->io[i].delivery].dest_elements += volume;
	}
}

int ktdev_plan_read(const char *name, const void *data, size_t len, struct ktdev_report *rep,
		    struct ktdev_plan **out)
{
	struct kt_plan_reader rd = { .name = name, .rep = rep };
	const char *text = data;
	size_t i = 0;
	int ret;

	*out = NULL;
	while (i < len && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r'))
		i++;
	if (i < len && text[i] == '{')
		ret = kt_plan_parse_json(&rd, text, len);
	else
		ret = kt_plan_parse_binary(&rd, data, len);
	if (!ret)
		ret = check_plan(&rd);
	if (ret) {
		ktdev_plan_free(rd.plan);
		return ret;
	}
	complete(rd.plan);
	*out = rd.plan;
	return 0;
}
