// SPDX-License-Identifier: MIT
/* From an input to a plan, with the options all commands share that need one. */
#include <string.h>

#include "compile.h"
#include "sticks.h"

/* --reserve START:BYTES, any number of times. */
static int reserved(struct ctl *c, struct ctl_compile *o)
{
	const char *v, *colon;
	char start[24];

	while ((v = ctl_opt_nth(c, "reserve", o->lib.n_reserved))) {
		struct ktdev_bytes *r = &o->reserved[o->lib.n_reserved];

		if (o->lib.n_reserved == CTL_MAX_RESERVED)
			return ctl_fail(c, CTL_USAGE, "more than %d --reserve", CTL_MAX_RESERVED);
		colon = strchr(v, ':');
		if (!colon || (size_t)(colon - v) >= sizeof(start))
			return ctl_fail(c, CTL_USAGE, "--reserve %s: not START:BYTES", v);
		memcpy(start, v, (size_t)(colon - v));
		start[colon - v] = 0;
		if (!ctl_parse_u64(start, &r->start) || !ctl_parse_u64(colon + 1, &r->bytes))
			return ctl_fail(c, CTL_USAGE, "--reserve %s: not START:BYTES", v);
		o->lib.n_reserved++;
	}
	return CTL_OK;
}

int ctl_compile_opts(struct ctl *c, const struct ctl_input *in, const struct ktdev_device *dev,
		     struct ctl_compile *o)
{
	struct ktdev_device_info info;
	int ret;

	memset(o, 0, sizeof(*o));
	o->lib.size = sizeof(o->lib);
	o->lib.tiles = c->tiles;
	o->lib.func = ctl_opt(c, "func");
	o->lib.per_tile = ctl_opt(c, "per-tile");
	o->lib.reserved = o->reserved;
	o->elect = ctl_elect(c);
	if (dev) {
		ktdev_device_info(dev, &info);
		o->lib.cores = info.cores;
		o->lib.window = info.spm_bytes;
		o->lib.uncapped = info.uncapped;
	}
	ret = reserved(c, o);
	/* sticks of tables name their axis and were read with the tables */
	if (!ret && in->kind == CTL_KTIR)
		ret = ctl_sticks(c, &o->sticks);
	o->lib.sticks = o->sticks.stick;
	o->lib.n_sticks = o->sticks.n;
	return ret;
}

int ctl_compile(struct ctl *c, struct ctl_input *in, const struct ctl_compile *o)
{
	int ret = 0;

	if (in->kind == CTL_KTIR)
		ret = ktdev_plan_from_module(in->mod, &o->lib, in->rep, &in->plan);
	else if (in->kind == CTL_TABLES)
		ret = ktdev_plan_from_relayout(in->rel, o->elect, &o->lib, in->rep, &in->plan);
	if (ret)
		return ctl_fail_input(c, in, ret);
	ctl_warnings(c, in->rep);
	return CTL_OK;
}

enum ktdev_elect ctl_elect(const struct ctl *c)
{
	const char *v = ctl_opt(c, "elect");

	return !v ? KTDEV_ELECT_NONE :
	       !strcmp(v, "lowest") ? KTDEV_ELECT_LOWEST : KTDEV_ELECT_NEAREST;
}

void ctl_warnings(struct ctl *c, struct ktdev_report *rep)
{
	ktdev_report_sort(rep);
	if (!c->json)
		ctl_print_report(c, stderr, rep, false);
}

void ctl_set_stats(json_t *o, const struct ktdev_stats *s)
{
	ctl_set_u64(o, "transfers", s->transfers);
	ctl_set_u64(o, "injections", s->injections);
	ctl_set_u64(o, "bytes_delivered", s->bytes_delivered);
	ctl_set_u64(o, "remote_bytes", s->remote_bytes);
	ctl_set_u64(o, "injected_bytes", s->injected_bytes);
	ctl_set_u64(o, "host_bytes", s->host_bytes);
	ctl_set_u64(o, "cycles", s->cycles);
	ctl_set_u64(o, "stall_cycles", s->stall_cycles);
	ctl_set_u64(o, "max_fanin", s->max_fanin);
	ctl_set_u64(o, "max_fanout", s->max_fanout);
}

void ctl_print_stats(const struct ktdev_stats *s)
{
	char a[32], b[32], d[32], h[32];

	printf("  moved      %s delivered, %s across cores, %s injected, %s by the host\n",
	       ctl_bytes(a, sizeof(a), s->bytes_delivered),
	       ctl_bytes(b, sizeof(b), s->remote_bytes), ctl_bytes(d, sizeof(d), s->injected_bytes),
	       ctl_bytes(h, sizeof(h), s->host_bytes));
	printf("  transfers  %llu in %llu injections; at most %u into and %u out of a core\n",
	       (unsigned long long)s->transfers, (unsigned long long)s->injections, s->max_fanin,
	       s->max_fanout);
	printf("  cycles     %llu", (unsigned long long)s->cycles);
	if (s->stall_cycles)
		printf(", %llu more waiting for producers", (unsigned long long)s->stall_cycles);
	putchar('\n');
}
