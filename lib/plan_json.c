// SPDX-License-Identifier: MIT
/*
 * A plan as JSON, schema ktctl.plan/1. Tables are written as spaces and entries, so that
 * people can read and edit them; reading compiles them again.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan_io.h"

struct out {
	char *p;
	size_t n, cap;
	bool nomem;
};

static bool room(struct out *o, size_t n)
{
	char *p;

	if (o->n + n < o->cap)
		return true;
	if (o->nomem)
		return false;
	p = realloc(o->p, 2 * (o->n + n) + 4096);
	if (!p) {
		o->nomem = true;
		return false;
	}
	o->p = p;
	o->cap = 2 * (o->n + n) + 4096;
	return true;
}

static void put(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(struct out *o, const char *fmt, ...)
{
	va_list args;
	int n;

	if (!room(o, 256))
		return;
	va_start(args, fmt);
	n = vsnprintf(o->p + o->n, 256, fmt, args);
	va_end(args);
	if (n > 0)
		o->n += n < 256 ? (size_t)n : 255;
}

/* Bytes of a valid UTF-8 sequence, 0 if it is none. */
static unsigned int utf8(const unsigned char *s)
{
	unsigned int n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 :
			 s[0] < 0xf5 ? 4 : 0, i;

	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static void put_string(struct out *o, const char *str)
{
	const unsigned char *s = (const unsigned char *)str;

	put(o, "\"");
	while (*s) {
		unsigned int n = utf8(s);

		if (*s == '"' || *s == '\\')
			put(o, "\\%c", *s);
		else if (*s < 0x20 || *s == 0x7f)
			put(o, "\\u%04x", *s);
		else if (n)
			put(o, "%.*s", (int)n, (const char *)s);
		else
			put(o, "\\ufffd");
		s += n ? n : 1;
	}
	put(o, "\"");
}

static void put_u32s(struct out *o, const char *key, const uint32_t *v, uint32_t n)
{
	uint32_t i;

	put(o, "\"%s\": [", key);
	for (i = 0; i < n; i++)
		put(o, "%s%u", i ? ", " : "", v[i]);
	put(o, "]");
}

static void put_u64s(struct out *o, const char *key, const uint64_t *v, uint32_t n)
{
	uint32_t i;

	put(o, "\"%s\": [", key);
	for (i = 0; i < n; i++)
		put(o, "%s%llu", i ? ", " : "", (unsigned long long)v[i]);
	put(o, "]");
}

static void put_space(struct out *o, const struct kte_space *sp)
{
	uint32_t r;

	put(o, "{\"op\": \"%s\", \"mode\": %u, ", kte_op_name(sp->op), sp->mode);
	put_u32s(o, "extents", sp->extent, sp->rank);
	put(o, ", \"roles\": [");
	for (r = 0; r < sp->roles; r++)
		put(o, "%s{\"dtype\": \"%s\", \"elem_bytes\": %u}", r ? ", " : "",
		    kte_dtype_name(sp->dtype[r]), sp->elem_bytes[r]);
	put(o, "]}");
}

static void put_entry(struct out *o, const struct kte_space *spaces, const struct kte_entry *e,
		      bool dest)
{
	const struct kte_space *sp = &spaces[e->space];
	uint32_t r;

	put(o, "{\"space\": %u, \"tile\": %u, ", e->space, e->tile);
	put_u32s(o, "start", e->start, sp->rank);
	put(o, ", ");
	put_u32s(o, "size", e->size, sp->rank);
	if (dest)
		put(o, ", \"staged\": %s", e->flags & KTE_ENTRY_STAGED ? "true" : "false");
	put(o, ", \"place\": [");
	for (r = 0; r < sp->roles; r++) {
		put(o, "%s{\"offset\": %llu, ", r ? ", " : "", (unsigned long long)e->offset[r]);
		put_u64s(o, "strides", e->stride[r], sp->rank);
		put(o, "}");
	}
	put(o, "]}");
}

static void put_step(struct out *o, const struct kt_plan_step *s)
{
	const struct kte_image_header *h = s->image;
	const struct kte_space *spaces = (const struct kte_space *)(h + 1);
	const struct kte_entry *e = (const struct kte_entry *)(spaces + h->n_spaces);
	uint32_t i;

	put(o, "{\"op\": ");
	put_string(o, s->op);
	put(o, ", \"func\": ");
	put_string(o, s->func);
	put(o, ", \"stage_offset\": %llu, \"stage_bytes\": %llu,\n   \"spaces\": [",
	    (unsigned long long)h->stage_offset, (unsigned long long)h->stage_bytes);
	for (i = 0; i < h->n_spaces; i++) {
		put(o, "%s\n    ", i ? "," : "");
		put_space(o, &spaces[i]);
	}
	put(o, "],\n   \"sources\": [");
	for (i = 0; i < h->n_sources; i++) {
		put(o, "%s\n    ", i ? "," : "");
		put_entry(o, spaces, &e[i], false);
	}
	put(o, "],\n   \"dests\": [");
	for (i = 0; i < h->n_dests; i++) {
		put(o, "%s\n    ", i ? "," : "");
		put_entry(o, spaces, &e[h->n_sources + i], true);
	}
	put(o, "]}");
}

static void put_tile(struct out *o, uint32_t tile)
{
	if (tile == KT_ALL_TILES)
		put(o, "\"tile\": null");
	else
		put(o, "\"tile\": %u", tile);
}

static void put_value(struct out *o, const struct kt_io *io)
{
	uint32_t i;

	put(o, "{\"name\": ");
	put_string(o, io->name);
	put(o, ", \"direction\": \"%s\", \"step\": %u, \"delivery\": %u, ",
	    io->output ? "out" : "in", io->step, io->delivery);
	put_tile(o, io->tile);
	put(o, ", \"role\": %u, \"derived\": %s, \"fold\": %s, \"dtype\": \"%s\", \"elem_bytes\": %u, ",
	    io->role, io->derived ? "true" : "false", io->fold ? "true" : "false",
	    kte_dtype_name(io->dtype), io->elem_bytes);
	put_u32s(o, "shape", io->shape, io->rank);
	put(o, ", \"bytes\": %llu, \"pieces\": [", (unsigned long long)io->bytes);
	for (i = 0; i < io->n_pieces; i++) {
		const struct kt_piece *pc = &io->pieces[i];

		put(o, "%s{\"tile\": %u, \"placed\": %s, ", i ? ", " : "", pc->tile,
		    pc->placed ? "true" : "false");
		put_u32s(o, "start", pc->start, io->rank);
		put(o, ", ");
		put_u32s(o, "size", pc->size, io->rank);
		put(o, ", \"offset\": %llu, ", (unsigned long long)pc->offset);
		put_u64s(o, "strides", pc->stride, io->rank);
		put(o, "}");
	}
	put(o, "]}");
}

static int put_stats(struct out *o, const struct ktdev_plan *plan)
{
	struct ktdev_stats s;
	int ret = ktdev_plan_stats(plan, NULL, &s);

	if (ret)
		return ret;
	put(o, "{\"transfers\": %llu, \"injections\": %llu, \"bytes_delivered\": %llu, ",
	    (unsigned long long)s.transfers, (unsigned long long)s.injections,
	    (unsigned long long)s.bytes_delivered);
	put(o, "\"remote_bytes\": %llu, \"injected_bytes\": %llu, \"cycles\": %llu, ",
	    (unsigned long long)s.remote_bytes, (unsigned long long)s.injected_bytes,
	    (unsigned long long)s.cycles);
	put(o, "\"max_fanin\": %u, \"max_fanout\": %u}", s.max_fanin, s.max_fanout);
	return 0;
}

int ktdev_plan_to_json(const struct ktdev_plan *plan, char **text, size_t *len)
{
	struct out o = {0};
	uint32_t i;
	int ret;

	put(&o, "{\"schema\": \"ktctl.plan/1\", \"kind\": ");
	put_string(&o, plan->kind);
	put(&o, ", \"source\": ");
	put_string(&o, plan->source);
	put(&o, ",\n \"tiles\": %u, \"cores\": %u, \"window_bytes\": %llu, \"sync\": \"%s\", \"funcs\": %u,\n \"stats\": ",
	    plan->n_tiles, plan->n_cores, (unsigned long long)plan->window,
	    plan->per_tile ? "per-tile" : "barrier", plan->n_funcs);
	ret = put_stats(&o, plan);
	put(&o, ",\n \"steps\": [");
	for (i = 0; i < plan->n_steps; i++) {
		put(&o, "%s\n  ", i ? "," : "");
		put_step(&o, &plan->steps[i]);
	}
	put(&o, "],\n \"values\": [");
	for (i = 0; i < plan->n_io; i++) {
		put(&o, "%s\n  ", i ? "," : "");
		put_value(&o, &plan->io[i]);
	}
	put(&o, "],\n \"scratch\": [");
	for (i = 0; i < plan->n_scratch; i++) {
		put(&o, "%s\n  {\"step\": %u, ", i ? "," : "", plan->scratch[i].step);
		put_tile(&o, plan->scratch[i].tile);
		put(&o, ", \"offset\": %llu, \"bytes\": %llu}",
		    (unsigned long long)plan->scratch[i].offset,
		    (unsigned long long)plan->scratch[i].bytes);
	}
	put(&o, "]}\n");
	if (o.nomem)
		ret = -ENOMEM;
	if (ret) {
		free(o.p);
		o.p = NULL;
		o.n = 0;
	}
	*text = o.p;
	*len = o.n;
	return ret;
}
