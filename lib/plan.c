// SPDX-License-Identifier: MIT
/*
 * The plan object: building it, its values on pads, its statistics.
 */
#include "plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "box.h"
#include "kte_exec.h"

struct ktdev_plan *kt_plan_new(const char *kind, const char *source, uint32_t n_tiles,
			       uint32_t n_cores, uint64_t window)
{
	struct ktdev_plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return NULL;
	plan->kind = kt_strndup(&plan->arena, kind, strlen(kind));
	plan->source = kt_strndup(&plan->arena, source, strlen(source));
	plan->n_tiles = n_tiles;
	plan->n_cores = n_cores;
	plan->window = window;
	if (plan->kind && plan->source)
		return plan;
	ktdev_plan_free(plan);
	return NULL;
}

void ktdev_plan_free(struct ktdev_plan *plan)
{
	uint32_t i;

	if (!plan)
		return;
	for (i = 0; i < plan->n_steps; i++)
		free(plan->steps[i].image);
	free(plan->steps);
	free(plan->io);
	free(plan->scratch);
	kt_arena_fini(&plan->arena);
	free(plan);
}

/* Room for one more item of a malloc()ed array. */
static int grow(void **v, uint32_t n, uint32_t *cap, size_t size)
{
	uint32_t more = *cap ? 2 * *cap : 8;
	void *p;

	if (n < *cap)
		return 0;
	p = realloc(*v, more * size);
	if (!p)
		return -ENOMEM;
	*v = p;
	*cap = more;
	return 0;
}

int kt_plan_add_step(struct ktdev_plan *plan, const char *op, const char *func, void *image,
		     uint64_t image_bytes)
{
	struct kt_plan_step *s;

	if (grow((void **)&plan->steps, plan->n_steps, &plan->cap_steps, sizeof(*s))) {
		free(image);
		return -ENOMEM;
	}
	s = &plan->steps[plan->n_steps];
	s->op = kt_strndup(&plan->arena, op, strlen(op));
	s->func = kt_strndup(&plan->arena, func, strlen(func));
	s->image = image;
	s->image_bytes = image_bytes;
	s->dest_elements = 0;
	plan->n_steps++;	/* the plan owns the image from here on */
	return s->op && s->func ? (int)plan->n_steps - 1 : -ENOMEM;
}

struct kt_io *kt_plan_add_io(struct ktdev_plan *plan, bool output, uint32_t step, uint32_t tile,
			     uint32_t n_pieces)
{
	struct kt_io *io;

	if (grow((void **)&plan->io, plan->n_io, &plan->cap_io, sizeof(*io)))
		return NULL;
	io = &plan->io[plan->n_io];
	memset(io, 0, sizeof(*io));
	io->output = output;
	io->step = step;
	io->delivery = step;
	io->tile = tile;
	io->n_pieces = n_pieces;
	io->pieces = kt_alloc(&plan->arena, (size_t)n_pieces * sizeof(*io->pieces));
	if (!io->pieces)
		return NULL;
	plan->n_io++;
	return io;
}

int kt_plan_add_scratch(struct ktdev_plan *plan, uint32_t step, uint32_t tile, uint64_t offset,
			uint64_t bytes)
{
	struct kt_scratch *s;

	if (grow((void **)&plan->scratch, plan->n_scratch, &plan->cap_scratch, sizeof(*s)))
		return -ENOMEM;
	s = &plan->scratch[plan->n_scratch++];
	s->step = step;
	s->tile = tile;
	s->offset = offset;
	s->bytes = bytes;
	return 0;
}

static int finish_io(struct ktdev_plan *plan, struct kt_io *io)
{
	uint64_t volume;

	if (!kte_volume(io->shape, io->rank, &volume))
		return -EOVERFLOW;
	io->bytes = volume * io->elem_bytes;
	if (io->output)
		plan->steps[io->delivery].dest_elements += volume;
	return 0;
}

/* "t4.r0.bin", "d1.t4.r0.bin": the names users give to data files. Digits by hand, as
 * a large plan has thousands of them. */
static char *put_number(char *p, uint32_t v)
{
	char digits[10];
	unsigned int n = 0;

	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while (n)
		*p++ = digits[--n];
	return p;
}

static size_t default_name(const struct ktdev_plan *plan, const struct kt_io *io, char *buf)
{
	char *p = buf;

	if (plan->n_steps > 1) {
		*p++ = 'd';
		p = put_number(p, io->delivery);
		*p++ = '.';
	}
	*p++ = 't';
	p = put_number(p, io->tile);
	memcpy(p, ".r", 2);
	p = put_number(p + 2, io->role);
	memcpy(p, ".bin", 4);
	return (size_t)(p + 4 - buf);
}

static int name_all(struct ktdev_plan *plan)
{
	char *pool, *p;
	uint32_t i;

	pool = kt_alloc(&plan->arena, (size_t)plan->n_io * 48 + 1);
	if (!pool)
		return -ENOMEM;
	for (i = 0, p = pool; i < plan->n_io; i++, p += 48) {
		if (plan->io[i].name)
			continue;
		p[default_name(plan, &plan->io[i], p)] = 0;
		plan->io[i].name = p;
	}
	return 0;
}

int kt_plan_finish(struct ktdev_plan *plan)
{
	uint32_t i;
	int ret;

	for (i = 0; i < plan->n_steps; i++) {
		const struct kte_image_header *h = plan->steps[i].image;

		ret = h->stage_bytes ? kt_plan_add_scratch(plan, i, KT_ALL_TILES, h->stage_offset,
							   h->stage_bytes) : 0;
		if (ret)
			return ret;
	}
	for (i = 0; i < plan->n_io; i++) {
		ret = finish_io(plan, &plan->io[i]);
		if (ret)
			return ret;
	}
	return name_all(plan);
}

/* --- values on pads --------------------------------------------------------------------- */

/* One copied axis: steps, and bytes per step on the pad and in the packed value. */
struct axis {
	uint32_t n;
	uint64_t pad, buf;
};

/* Outermost first; axes that continue one another on both sides are joined. */
static uint32_t piece_axes(const struct kt_io *io, const struct kt_piece *pc, struct axis *ax,
			   uint64_t *at)
{
	uint64_t packed[KTE_MAX_RANK], run = io->elem_bytes;
	struct axis tmp[KTE_MAX_RANK + 1];
	uint32_t n = 0, a;

	kt_pack_strides(io->shape, io->rank, io->elem_bytes, packed);
	*at = 0;
	tmp[n++] = (struct axis){ (uint32_t)run, 1, 1 };
	for (a = io->rank; a-- > 0;) {
		*at += pc->start[a] * packed[a];
		if (pc->size[a] == 1)
			continue;
		if (n == 1 && pc->stride[a] == run && packed[a] == run &&
		    run * pc->size[a] <= UINT32_MAX) {
			run *= pc->size[a];
			tmp[0].n = (uint32_t)run;
		} else {
			tmp[n++] = (struct axis){ pc->size[a], pc->stride[a], packed[a] };
		}
	}
	for (a = 0; a < n; a++)
		ax[a] = tmp[n - 1 - a];
	return n;
}

uint64_t kt_piece_dma(const struct kt_io *io, const struct kt_piece *pc, struct kt_dma *out)
{
	struct axis ax[KTE_MAX_RANK + 1];
	uint64_t at, count = 1, i, rest;
	uint32_t n = piece_axes(io, pc, ax, &at), rows, outer, a;

	rows = n > 1 ? ax[n - 2].n : 1;
	outer = n > 1 ? n - 2 : 0;
	for (a = 0; a < outer; a++)
		count *= ax[a].n;
	for (i = 0; out && i < count; i++) {
		out[i] = (struct kt_dma){
			.tile = pc->tile, .rows = rows, .row_bytes = ax[n - 1].n,
			.pad = pc->offset, .pad_stride = n > 1 ? ax[n - 2].pad : 0,
			.buf = at, .buf_stride = n > 1 ? ax[n - 2].buf : 0,
		};
		for (a = outer, rest = i; a-- > 0; rest /= ax[a].n) {
			out[i].pad += rest % ax[a].n * ax[a].pad;
			out[i].buf += rest % ax[a].n * ax[a].buf;
		}
	}
	return count;
}

static void copy_axes(const struct axis *ax, uint32_t n, uint8_t *pad, uint8_t *buf, bool to_pad)
{
	uint32_t i;

	if (n == 1) {
		if (to_pad)
			memcpy(pad, buf, ax->n);
		else
			memcpy(buf, pad, ax->n);
		return;
	}
	for (i = 0; i < ax->n; i++)
		copy_axes(ax + 1, n - 1, pad + i * ax->pad, buf + i * ax->buf, to_pad);
}

static void copy_io(const struct kt_io *io, uint8_t *buf, uint8_t *const *pads, bool to_pad)
{
	struct axis ax[KTE_MAX_RANK + 1];
	uint32_t i, n;
	uint64_t at;

	for (i = 0; i < io->n_pieces; i++) {
		const struct kt_piece *pc = &io->pieces[i];

		n = piece_axes(io, pc, ax, &at);
		copy_axes(ax, n, pads[pc->tile] + pc->offset, buf + at, to_pad);
	}
}

void kt_io_to_pads(const struct kt_io *io, const void *buf, uint8_t *const *pads)
{
	copy_io(io, (uint8_t *)(uintptr_t)buf, pads, true);
}

void kt_io_from_pads(const struct kt_io *io, void *buf, uint8_t *const *pads)
{
	copy_io(io, buf, pads, false);
}
