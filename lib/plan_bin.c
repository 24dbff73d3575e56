// SPDX-License-Identifier: MIT
/*
 * The binary container of a plan. Little-endian, versioned, self-sized; after the header:
 *
 *	struct bin_step [n_steps]
 *	struct bin_io [n_io]
 *	struct bin_piece [n_pieces]	those of all values, in order
 *	struct bin_scratch [n_scratch]
 *	strings				each ended by 0
 *	images				each at a multiple of 8
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan_io.h"

#define PLAN_MAGIC	0x4c50544bu	/* "KTPL" */
#define PLAN_VERSION	1
#define FLAG_PER_TILE	1u
#define IO_OUTPUT	1u
#define IO_DERIVED	2u
#define IO_PLACED	4u
#define IO_FOLD		8u

struct bin_header {
	uint32_t magic;
	uint16_t version, header_bytes;
	uint64_t total_bytes;
	uint32_t n_tiles, n_cores;
	uint64_t window;
	uint32_t flags, n_funcs;
	uint32_t n_steps, n_io, n_pieces, n_scratch;
	uint32_t kind, source;		/* offsets in the strings */
	uint32_t string_bytes, reserved;
};

struct bin_step {
	uint32_t op, func;
	uint64_t image;			/* offset in the file */
	uint64_t image_bytes;
};

struct bin_io {
	uint32_t flags, dtype;
	uint32_t step, delivery, tile, role;
	uint32_t rank, elem_bytes, n_pieces, name;
	uint32_t shape[KTE_MAX_RANK];
};

struct bin_piece {
	uint32_t tile, placed;
	uint32_t start[KTE_MAX_RANK], size[KTE_MAX_RANK];
	uint64_t offset, stride[KTE_MAX_RANK];
};

struct bin_scratch {
	uint32_t step, tile;
	uint64_t offset, bytes;
};

_Static_assert(sizeof(struct bin_header) == 72, "layout");
_Static_assert(sizeof(struct bin_step) == 24, "layout");
_Static_assert(sizeof(struct bin_io) == 72, "layout");
_Static_assert(sizeof(struct bin_piece) == 144, "layout");
_Static_assert(sizeof(struct bin_scratch) == 24, "layout");

static uint64_t align8(uint64_t v)
{
	return (v + 7) & ~7ull;
}

/* --- writing ------------------------------------------------------------------------------ */

struct writer {
	uint8_t *data;
	uint64_t step, io, piece, scratch, strings, images, total;
	uint64_t next_string, next_image;
};

static uint32_t put_string(struct writer *w, const char *s)
{
	uint32_t at = (uint32_t)(w->next_string - w->strings);
	size_t n = strlen(s) + 1;

	memcpy(w->data + w->next_string, s, n);
	w->next_string += n;
	return at;
}

static uint32_t count_pieces(const struct ktdev_plan *plan)
{
	uint32_t i, n = 0;

	for (i = 0; i < plan->n_io; i++)
		n += plan->io[i].n_pieces;
	return n;
}

static void lay_out(const struct ktdev_plan *plan, struct writer *w)
{
	uint64_t strings = strlen(plan->kind) + strlen(plan->source) + 2;
	uint32_t i;

	for (i = 0; i < plan->n_steps; i++)
		strings += strlen(plan->steps[i].op) + strlen(plan->steps[i].func) + 2;
	for (i = 0; i < plan->n_io; i++)
		strings += strlen(plan->io[i].name) + 1;
	w->step = sizeof(struct bin_header);
	w->io = w->step + plan->n_steps * sizeof(struct bin_step);
	w->piece = w->io + plan->n_io * sizeof(struct bin_io);
	w->scratch = w->piece + count_pieces(plan) * sizeof(struct bin_piece);
	w->strings = w->scratch + plan->n_scratch * sizeof(struct bin_scratch);
	w->images = align8(w->strings + strings);
	w->total = w->images;
	for (i = 0; i < plan->n_steps; i++)
		w->total = align8(w->total + plan->steps[i].image_bytes);
	w->next_string = w->strings;
	w->next_image = w->images;
}

static void put_io(struct writer *w, const struct kt_io *io, uint32_t i, uint32_t *piece)
{
	struct bin_io b = {
		.flags = (io->output ? IO_OUTPUT : 0) | (io->derived ? IO_DERIVED : 0) |
			 (io->placed ? IO_PLACED : 0) | (io->fold ? IO_FOLD : 0),
		.dtype = io->dtype, .step = io->step, .delivery = io->delivery, .tile = io->tile,
		.role = io->role, .rank = io->rank, .elem_bytes = io->elem_bytes,
		.n_pieces = io->n_pieces, .name = put_string(w, io->name),
	};
	uint32_t p;

	memcpy(b.shape, io->shape, sizeof(b.shape));
	memcpy(w->data + w->io + i * sizeof(b), &b, sizeof(b));
	for (p = 0; p < io->n_pieces; p++, (*piece)++) {
		const struct kt_piece *pc = &io->pieces[p];
		struct bin_piece q = { .tile = pc->tile, .placed = pc->placed,
				       .offset = pc->offset };

		memcpy(q.start, pc->start, sizeof(q.start));
		memcpy(q.size, pc->size, sizeof(q.size));
		memcpy(q.stride, pc->stride, sizeof(q.stride));
		memcpy(w->data + w->piece + *piece * sizeof(q), &q, sizeof(q));
	}
}

int ktdev_plan_to_binary(const struct ktdev_plan *plan, void **data, size_t *len)
{
	struct writer w = {0};
	struct bin_header h = {
		.magic = PLAN_MAGIC, .version = PLAN_VERSION, .header_bytes = sizeof(h),
		.n_tiles = plan->n_tiles, .n_cores = plan->n_cores, .window = plan->window,
		.flags = plan->per_tile ? FLAG_PER_TILE : 0, .n_funcs = plan->n_funcs,
		.n_steps = plan->n_steps, .n_io = plan->n_io, .n_pieces = count_pieces(plan),
		.n_scratch = plan->n_scratch,
	};
	uint32_t i, piece = 0;

	lay_out(plan, &w);
	w.data = calloc(1, w.total);
	*data = w.data;
	*len = w.total;
	if (!w.data)
		return -ENOMEM;
	h.total_bytes = w.total;
	h.kind = put_string(&w, plan->kind);
	h.source = put_string(&w, plan->source);
	for (i = 0; i < plan->n_steps; i++) {
		const struct kt_plan_step *s = &plan->steps[i];
		struct bin_step b = { .image = w.next_image, .image_bytes = s->image_bytes };

		b.op = put_string(&w, s->op);
		b.func = put_string(&w, s->func);
		memcpy(w.data + w.step + i * sizeof(b), &b, sizeof(b));
		memcpy(w.data + w.next_image, s->image, s->image_bytes);
		w.next_image = align8(w.next_image + s->image_bytes);
	}
	for (i = 0; i < plan->n_io; i++)
		put_io(&w, &plan->io[i], i, &piece);
	for (i = 0; i < plan->n_scratch; i++) {
		const struct kt_scratch *s = &plan->scratch[i];
		struct bin_scratch b = { s->step, s->tile, s->offset, s->bytes };

		memcpy(w.data + w.scratch + i * sizeof(b), &b, sizeof(b));
	}
	h.string_bytes = (uint32_t)(w.next_string - w.strings);
	memcpy(w.data, &h, sizeof(h));
	return 0;
}

/* --- reading --------------------------------------------------------------------------------- */

struct parser {
	struct kt_plan_reader *rd;
	const uint8_t *data;
	struct bin_header h;
	uint64_t step, io, piece, scratch, strings, images;
};

static const char *get_string(struct parser *p, uint32_t at)
{
	const char *s = (const char *)p->data + p->strings + at;
	size_t room;

	if (at >= p->h.string_bytes)
		return NULL;
	room = p->h.string_bytes - at;
	return memchr(s, 0, room) ? kt_strndup(&p->rd->plan->arena, s, strlen(s)) : NULL;
}

static int parse_header(struct parser *p, size_t len)
{
	const struct bin_header *h = &p->h;

	if (len < sizeof(*h))
		return kt_plan_bad(p->rd, NULL, "shorter than the header of a plan");
	memcpy(&p->h, p->data, sizeof(*h));
	if (h->magic != PLAN_MAGIC)
		return kt_plan_bad(p->rd, NULL, "not a plan");
	if (h->version != PLAN_VERSION) {
		kt_plan_bad(p->rd, NULL, "version %u of a plan, this library knows %u", h->version,
			    PLAN_VERSION);
		return -EPROTO;
	}
	if (h->header_bytes != sizeof(*h) || h->total_bytes != len || h->reserved ||
	    (h->flags & ~FLAG_PER_TILE))
		return kt_plan_bad(p->rd, NULL, "the header does not describe this file");
	/* 32-bit counts of small records: no overflow in 64 bits */
	p->step = sizeof(*h);
	p->io = p->step + (uint64_t)h->n_steps * sizeof(struct bin_step);
	p->piece = p->io + (uint64_t)h->n_io * sizeof(struct bin_io);
	p->scratch = p->piece + (uint64_t)h->n_pieces * sizeof(struct bin_piece);
	p->strings = p->scratch + (uint64_t)h->n_scratch * sizeof(struct bin_scratch);
	p->images = p->strings + h->string_bytes;
	if (p->images > len)
		return kt_plan_bad(p->rd, NULL, "the file is shorter than its parts");
	return 0;
}

static int parse_steps(struct parser *p)
{
	struct ktdev_plan *plan = p->rd->plan;
	struct bin_step b;
	uint32_t i;
	int ret;

	for (i = 0; i < p->h.n_steps; i++) {
		const char *op, *func;
		void *image;

		memcpy(&b, p->data + p->step + i * sizeof(b), sizeof(b));
		op = get_string(p, b.op);
		func = get_string(p, b.func);
		if (!op || !func)
			return kt_plan_bad(p->rd, NULL, "step %u: bad string", i);
		if (b.image < p->images || b.image > p->h.total_bytes || b.image % 8 ||
		    b.image_bytes > p->h.total_bytes - b.image ||
		    b.image_bytes < KTE_HEADER_BYTES)
			return kt_plan_bad(p->rd, NULL, "step %u: the image lies outside", i);
		image = malloc(b.image_bytes);
		if (!image)
			return -ENOMEM;
		memcpy(image, p->data + b.image, b.image_bytes);
		ret = kt_plan_add_step(plan, op, func, image, b.image_bytes);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int parse_io(struct parser *p, uint32_t i, uint32_t *piece)
{
	struct bin_io b;
	struct kt_io *io;
	uint32_t k;

	memcpy(&b, p->data + p->io + i * sizeof(b), sizeof(b));
	if (b.n_pieces > p->h.n_pieces - *piece)
		return kt_plan_bad(p->rd, NULL, "value %u: more pieces than the file has", i);
	if (b.dtype > UINT8_MAX || (b.flags & ~(IO_OUTPUT | IO_DERIVED | IO_PLACED | IO_FOLD)))
		return kt_plan_bad(p->rd, NULL, "value %u: unknown flag or type", i);
	io = kt_plan_add_io(p->rd->plan, b.flags & IO_OUTPUT, b.step, b.tile, b.n_pieces);
	if (!io)
		return -ENOMEM;
	io->derived = b.flags & IO_DERIVED;
	io->placed = b.flags & IO_PLACED;
	io->fold = b.flags & IO_FOLD;
	io->dtype = (uint8_t)b.dtype;
	io->delivery = b.delivery;
	io->role = b.role;
	io->rank = b.rank;
	io->elem_bytes = b.elem_bytes;
	memcpy(io->shape, b.shape, sizeof(io->shape));
	io->name = get_string(p, b.name);
	if (!io->name)
		return kt_plan_bad(p->rd, NULL, "value %u: bad string", i);
	for (k = 0; k < b.n_pieces; k++, (*piece)++) {
		struct kt_piece *pc = &io->pieces[k];
		struct bin_piece q;

		memcpy(&q, p->data + p->piece + *piece * sizeof(q), sizeof(q));
		if (q.placed > 1)
			return kt_plan_bad(p->rd, NULL, "value %u: unknown flag", i);
		pc->tile = q.tile;
		pc->placed = q.placed != 0;
		pc->offset = q.offset;
		memcpy(pc->start, q.start, sizeof(pc->start));
		memcpy(pc->size, q.size, sizeof(pc->size));
		memcpy(pc->stride, q.stride, sizeof(pc->stride));
	}
	return 0;
}

int kt_plan_parse_binary(struct kt_plan_reader *rd, const uint8_t *data, size_t len)
{
	struct parser p = { .rd = rd, .data = data };
	const char *kind, *source;
	uint32_t i, piece = 0;
	int ret = parse_header(&p, len);

	if (ret)
		return ret;
	rd->plan = kt_plan_new("", "", p.h.n_tiles, p.h.n_cores, p.h.window);
	if (!rd->plan)
		return -ENOMEM;
	kind = get_string(&p, p.h.kind);
	source = get_string(&p, p.h.source);
	if (!kind || !source)
		return kt_plan_bad(rd, NULL, "bad string");
	rd->plan->kind = kind;
	rd->plan->source = source;
	rd->plan->per_tile = p.h.flags & FLAG_PER_TILE;
	rd->plan->n_funcs = p.h.n_funcs;
	ret = parse_steps(&p);
	for (i = 0; i < p.h.n_io && !ret; i++)
		ret = parse_io(&p, i, &piece);
	for (i = 0; i < p.h.n_scratch && !ret; i++) {
		struct bin_scratch b;

		memcpy(&b, data + p.scratch + i * sizeof(b), sizeof(b));
		ret = kt_plan_add_scratch(rd->plan, b.step, b.tile, b.offset, b.bytes);
	}
	return ret;
}
