// SPDX-License-Identifier: MIT
/*
 * Do two inputs - KTIR, tables or a plan on either side - put the same values on the same
 * cores? Two tables are compared as tables. Anything else is compiled and traced: for
 * every byte that comes out, where it was before. Addresses may differ as long as each
 * core keeps its bytes in the same order.
 */
#include "diff.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relayout.h"

#define MAX_LINES	16

struct result {
	struct ktdev_diff pub;
	struct kt_arena arena;
	const char *lines[MAX_LINES];
	uint32_t last_core;		/* one sentence per core */
};

static void say(struct result *r, uint32_t core, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void say(struct result *r, uint32_t core, const char *fmt, ...)
{
	char buf[512];
	va_list args;
	char *s;

	r->pub.same = false;
	if (r->pub.n_lines == MAX_LINES || core == r->last_core)
		return;
	r->last_core = core;
	va_start(args, fmt);
	vsnprintf(buf, sizeof(buf), fmt, args);
	va_end(args);
	s = kt_strndup(&r->arena, buf, strlen(buf));
	if (s)
		r->lines[r->pub.n_lines++] = s;
}

/* --- one side ----------------------------------------------------------------------------- */

struct side {
	const struct ktdev_relayout *rel;	/* NULL: not tables */
	const struct ktdev_plan *plan;
	struct ktdev_plan *own;
	struct kt_trace out, in;	/* outputs with their origins; bytes that go in */
};

static int side_init(struct side *s, const struct ktdev_diff_input *in,
		     const struct ktdev_compile_opts *opts, struct ktdev_report *rep)
{
	int ret = 0;

	s->rel = in->rel;
	s->plan = in->plan;
	if (in->rel)
		ret = ktdev_plan_from_relayout(in->rel, in->elect, opts, rep, &s->own);
	else if (in->mod)
		ret = ktdev_plan_from_module(in->mod, opts, rep, &s->own);
	if (s->own)
		s->plan = s->own;
	if (!ret && !s->plan)
		ret = -EINVAL;
	if (!ret)
		ret = kt_trace_plan(s->plan, &s->out);
	if (!ret)
		ret = kt_trace_outputs(s->plan, &s->out);
	if (!ret)
		ret = kt_trace_inputs(s->plan, &s->in);
	return ret;
}

static void side_fini(struct side *s)
{
	kt_trace_fini(&s->out);
	kt_trace_fini(&s->in);
	ktdev_plan_free(s->own);
}

/* --- addresses by order ------------------------------------------------------------------- */

/* Runs of one tile in a list, and bytes before each. */
struct order {
	const struct kt_trace *t;
	uint64_t *before;	/* bytes of the same tile in earlier runs */
};

static int order_init(struct order *o, const struct kt_trace *t)
{
	uint32_t i;

	o->t = t;
	o->before = malloc(((size_t)t->n + 1) * sizeof(*o->before));
	if (!o->before)
		return -ENOMEM;
	for (i = 0; i < t->n; i++)
		o->before[i] = i && t->v[i - 1].tile == t->v[i].tile ?
			       o->before[i - 1] + t->v[i - 1].len : 0;
	return 0;
}

/* Run of a tile that holds an address, or that holds the rank-th byte. */
static uint32_t run_at(const struct order *o, uint32_t tile, uint64_t v, bool rank)
{
	uint32_t lo = 0, hi = o->t->n, mid;

	while (lo < hi) {
		const struct kt_trace_run *r;
		uint64_t end;

		mid = lo + (hi - lo) / 2;
		r = &o->t->v[mid];
		end = (rank ? o->before[mid] : r->addr) + r->len;
		if (r->tile < tile || (r->tile == tile && end <= v))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Bytes of a tile in a list. */
static uint64_t tile_bytes(const struct order *o, uint32_t tile)
{
	uint32_t i = run_at(o, tile + 1, 0, false);

	if (!i || o->t->v[i - 1].tile != tile)
		return 0;
	return o->before[i - 1] + o->t->v[i - 1].len;
}

/*
 * Byte of list b at the same rank in list a; *len: how far that goes on. Where the two
 * have not equally many bytes on the tile, ranks mean nothing and the byte stays.
 */
static void translate(const struct order *b, const struct order *a, uint32_t tile, uint64_t addr,
		      uint64_t *to, uint64_t *len)
{
	uint32_t i = run_at(b, tile, addr, false), k;
	uint64_t rank, left;

	*to = addr;
	*len = UINT64_MAX;
	if (i == b->t->n || b->t->v[i].tile != tile || b->t->v[i].addr > addr ||
	    tile_bytes(a, tile) != tile_bytes(b, tile))
		return;
	rank = b->before[i] + (addr - b->t->v[i].addr);
	left = b->t->v[i].addr + b->t->v[i].len - addr;
	k = run_at(a, tile, rank, true);
	*to = a->t->v[k].addr + (rank - a->before[k]);
	*len = a->before[k] + a->t->v[k].len - rank;
	if (left < *len)
		*len = left;
}

/* b's outputs and origins with the addresses that a has at the same ranks. */
static int rename_all(const struct kt_trace *b, const struct order out[2],
		      const struct order in[2], struct kt_trace *res)
{
	uint32_t i, k, n = 0;
	uint64_t len, olen;

	memset(res, 0, sizeof(*res));
	res->cap = 4 * b->n + 16;
	res->v = malloc(res->cap * sizeof(*res->v));
	res->n_folds = b->n_folds;
	res->folds = calloc((size_t)b->n_folds + 1, sizeof(*res->folds));
	if (!res->v || !res->folds)
		return -ENOMEM;
	for (i = 0; i < b->n_folds; i++) {
		res->folds[i] = b->folds[i];
		res->folds[i].v = kt_alloc(&res->arena, b->folds[i].n * sizeof(*b->folds[i].v));
		if (!res->folds[i].v)
			return -ENOMEM;
		for (k = 0; k < b->folds[i].n; k++) {
			res->folds[i].v[k].tile = b->folds[i].v[k].tile;
			translate(&in[1], &in[0], b->folds[i].v[k].tile, b->folds[i].v[k].addr,
				  &res->folds[i].v[k].addr, &len);
		}
	}
	for (i = 0; i < b->n; i++) {
		struct kt_trace_run r = b->v[i], part;

		while (r.len) {
			part = r;
			translate(&out[1], &out[0], r.tile, r.addr, &part.addr, &len);
			olen = len;
			if (!r.fold)
				translate(&in[1], &in[0], r.otile, r.oaddr, &part.oaddr, &olen);
			part.len = len < olen ? len : olen;
			if (part.len > r.len)
				part.len = r.len;
			if (n == res->cap) {
				void *v = realloc(res->v, 2 * res->cap * sizeof(*res->v));

				if (!v)
					return -ENOMEM;
				res->v = v;
				res->cap *= 2;
			}
			res->v[n++] = part;
			r.addr += part.len;
			r.oaddr += part.len;
			r.len -= part.len;
		}
	}
	res->n = n;
	return 0;
}

/* --- comparing ---------------------------------------------------------------------------- */

struct compare {
	const struct side *want;	/* the table side, where there is one */
	const struct kt_trace *a, *b;	/* want, got */
	struct result *res;		/* NULL: only count */
	uint64_t bytes;			/* that differ */
};

/* Logical element at an address of a core's source pieces. */
static bool element_at(const struct side *s, uint32_t tile, uint64_t addr, uint64_t *at)
{
	uint32_t i, p, a, k;

	for (i = 0; s->rel && i < s->plan->n_io; i++) {
		const struct kt_io *io = &s->plan->io[i];

		for (p = 0; !io->output && p < io->n_pieces; p++) {
			const struct kt_piece *pc = &io->pieces[p];
			const uint8_t *layout = s->rel->side[KTDEV_SOURCE].layout;
			uint64_t off = addr - pc->offset;
			bool in = pc->tile == tile && addr >= pc->offset;

			for (k = 0; k < io->rank && in; k++) {
				a = layout[k];
				at[a] = pc->start[a] + off / pc->stride[a];
				in = off / pc->stride[a] < pc->size[a];
				off %= pc->stride[a];
			}
			if (in && off < io->elem_bytes)
				return true;
		}
	}
	return false;
}

static void element_text(const struct ktdev_relayout *rel, const uint64_t *at,
			 const uint64_t *other, char *buf, size_t size)
{
	bool any = false;
	size_t used = 0;
	uint32_t a;

	buf[0] = 0;
	for (a = 0; a < rel->rank && used < size; a++) {
		if (other && at[a] == other[a])
			continue;
		if (!other && rel->axes[a].extent == 1)
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s%s %" PRIu64,
					 any ? ", " : "", rel->axes[a].name, at[a]);
		any = true;
	}
}

/* Two origins that hold one element are the same value. */
static bool same_element(const struct compare *c, uint32_t t1, uint64_t a1, uint32_t t2,
			 uint64_t a2)
{
	uint64_t x[KT_AXES] = {0}, y[KT_AXES] = {0};
	uint32_t a;

	if (t1 == t2 && a1 == a2)
		return true;
	if (!element_at(c->want, t1, a1, x) || !element_at(c->want, t2, a2, y))
		return false;
	for (a = 0; a < c->want->rel->rank; a++)
		if (x[a] != y[a])
			return false;
	return true;
}

static bool same_fold(const struct compare *c, const struct kt_trace_run *a,
		      const struct kt_trace_run *b, uint64_t addr)
{
	const struct kt_trace_fold *x = &c->a->folds[a->fold - 1];
	const struct kt_trace_fold *y = &c->b->folds[b->fold - 1];
	uint64_t da = addr - a->addr, db = addr - b->addr;
	uint32_t i;

	if (x->op != y->op || x->mode != y->mode || x->dtype != y->dtype || x->n != y->n)
		return false;
	for (i = 0; i < x->n; i++)
		if (x->v[i].tile != y->v[i].tile || x->v[i].addr + da != y->v[i].addr + db)
			return false;
	return true;
}

static void say_differs(struct compare *c, const struct kt_trace_run *a,
			const struct kt_trace_run *b, uint64_t addr)
{
	uint64_t x[KT_AXES] = {0}, y[KT_AXES] = {0};
	uint64_t from = a->oaddr + (addr - a->addr), got = b->oaddr + (addr - b->addr);
	char need[256], has[256];

	if (a->fold || b->fold) {
		say(c->res, a->tile, "core %u: byte %" PRIu64 " is not the same combination of "
		    "contributions",
		    a->tile, addr);
		return;
	}
	if (element_at(c->want, a->otile, from, x) && element_at(c->want, b->otile, got, y)) {
		element_text(c->want->rel, x, y, need, sizeof(need));
		element_text(c->want->rel, y, x, has, sizeof(has));
		say(c->res, a->tile, "core %u holds %s, needs %s (sent by core %u instead of %u)",
		    a->tile, has, need, b->otile, a->otile);
		return;
	}
	say(c->res, a->tile, "core %u: byte %" PRIu64 " comes from core %u byte %" PRIu64 ", not "
	    "from core %u byte %" PRIu64,
	    a->tile, addr, b->otile, got, a->otile, from);
}

/* A run only one side has. */
static void only_one(struct compare *c, const struct kt_trace_run *r, uint64_t addr, uint64_t len,
		     bool wanted)
{
	uint64_t x[KT_AXES] = {0};
	char text[256];

	/* what a core already holds needs no delivery */
	if (!r->fold && r->otile == r->tile && c->want->rel)
		return;
	c->bytes += len;
	if (!c->res)
		return;
	if (!r->fold && element_at(c->want, r->otile, r->oaddr + (addr - r->addr), x))
		element_text(c->want->rel, x, NULL, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "byte %" PRIu64, addr);
	say(c->res, r->tile, wanted ? "core %u needs %s, receives nothing for it" :
	    "core %u receives %s, which it does not need", r->tile, text);
}

/* Both have bytes [addr, addr + len) of one tile. */
static void both(struct compare *c, const struct kt_trace_run *a, const struct kt_trace_run *b,
		 uint64_t addr, uint64_t len)
{
	uint64_t step = c->want->rel ? c->want->rel->elem_bytes : len, i;
	uint64_t da = addr - a->addr, db = addr - b->addr;
	bool same;

	if (a->fold || b->fold)
		same = a->fold && b->fold && same_fold(c, a, b, addr);
	else
		same = a->otile == b->otile && a->oaddr + da == b->oaddr + db;
	if (same)
		return;
	if (!a->fold && !b->fold && c->want->rel) {
		for (i = 0; i < len; i += step)
			if (!same_element(c, a->otile, a->oaddr + da + i, b->otile,
					  b->oaddr + db + i))
				break;
		if (i >= len)
			return;
		addr += i;
	}
	c->bytes += len;
	if (c->res)
		say_differs(c, a, b, addr);
}

static void sweep(struct compare *c)
{
	const struct kt_trace *a = c->a, *b = c->b;
	uint64_t pa = 0, pb = 0;	/* bytes of the current runs already judged */
	uint32_t i = 0, k = 0;

	c->bytes = 0;
	while (i < a->n || k < b->n) {
		const struct kt_trace_run *x = i < a->n ? &a->v[i] : NULL;
		const struct kt_trace_run *y = k < b->n ? &b->v[k] : NULL;
		uint64_t xa = x ? x->addr + pa : 0, ya = y ? y->addr + pb : 0, len;

		if (x && (!y || x->tile < y->tile || (x->tile == y->tile && xa < ya))) {
			len = x->addr + x->len - xa;
			if (y && y->tile == x->tile && ya - xa < len)
				len = ya - xa;
			only_one(c, x, xa, len, true);
			pa += len;
		} else if (!x || (y && (y->tile < x->tile || ya < xa))) {
			len = y->addr + y->len - ya;
			if (x && x->tile == y->tile && xa - ya < len)
				len = xa - ya;
			only_one(c, y, ya, len, false);
			pb += len;
		} else {
			len = x->addr + x->len - xa;
			if (y->addr + y->len - ya < len)
				len = y->addr + y->len - ya;
			both(c, x, y, xa, len);
			pa += len;
			pb += len;
		}
		if (x && pa == x->len) {
			i++;
			pa = 0;
		}
		if (y && pb == y->len) {
			k++;
			pb = 0;
		}
	}
}

static int compare_plans(const struct side *want, const struct side *got, struct result *res)
{
	struct compare c = { .want = want, .a = &want->out, .b = &got->out };
	struct order out[2] = { { NULL, NULL } }, in[2] = { { NULL, NULL } };
	struct kt_trace renamed = {0};
	uint64_t plain;
	int ret = 0;

	sweep(&c);
	plain = c.bytes;
	if (plain) {
		ret = order_init(&out[0], &want->out);
		ret = ret ? ret : order_init(&out[1], &got->out);
		ret = ret ? ret : order_init(&in[0], &want->in);
		ret = ret ? ret : order_init(&in[1], &got->in);
		if (!ret)
			ret = rename_all(&got->out, out, in, &renamed);
		if (!ret) {
			c.b = &renamed;
			sweep(&c);
			res->pub.by_order = c.bytes < plain;
			if (c.bytes >= plain)
				c.b = &got->out;
		}
	}
	if (!ret) {
		c.res = res;
		sweep(&c);
		res->pub.differing_bytes = c.bytes;
	}
	kt_trace_fini(&renamed);
	free(out[0].before);
	free(out[1].before);
	free(in[0].before);
	free(in[1].before);
	return ret;
}

/* --- two tables --------------------------------------------------------------------------- */

/* Pieces of one core as a list of their own. */
static int core_index(const struct ktdev_relayout *rel, int side, uint32_t core,
		      struct kt_arena *a, struct kt_index *ix)
{
	const struct kt_side *s = &rel->side[side];
	struct kt_part *v = kt_alloc(a, ((size_t)s->n + 1) * sizeof(*v));
	uint32_t i, n = 0;

	if (!v)
		return -ENOMEM;
	for (i = 0; i < s->n; i++)
		if (kt_part_owned(&s->pieces[i], core))
			v[n++] = s->pieces[i];
	return kt_index_init(ix, v, n, rel->rank, a);
}

/* What core holds in a and not in b. */
static int lacks(struct result *res, const struct ktdev_relayout *rel, const struct kt_index *a,
		  const struct kt_index *b, uint32_t core, const char *when, const char *who)
{
	uint32_t i, k, at[KT_AXES];
	uint64_t wide[KT_AXES];
	char text[256];

	for (i = 0; i < a->n; i++) {
		int ret = kt_box_hole(b, &a->pieces[i].box, at);

		if (ret < 0)
			return ret;
		if (!ret)
			continue;
		for (k = 0; k < rel->rank; k++)
			wide[k] = at[k];
		element_text(rel, wide, NULL, text, sizeof(text));
		say(res, KT_NO_CORE - 1 - core, "%s, core %u holds %s only in %s", when, core,
		    *text ? text : "the element", who);
		res->last_core = KT_NO_CORE;
		return 0;
	}
	return 0;
}

static int compare_tables(const struct ktdev_relayout *a, const struct ktdev_relayout *b,
			  struct result *res)
{
	uint32_t core, i, n = a->cores > b->cores ? a->cores : b->cores;
	int side;

	if (a->rank != b->rank) {
		say(res, 0, "%u axes in the first, %u in the second", a->rank, b->rank);
		return 0;
	}
	for (i = 0; i < a->rank; i++)
		if (a->axes[i].extent != b->axes[i].extent) {
			say(res, 0, "axis %u ('%s') has %u elements in the first, %u in the "
				    "second", i,
			    a->axes[i].name, a->axes[i].extent, b->axes[i].extent);
			return 0;
		}
	if (a->elem_bytes != b->elem_bytes || strcmp(a->dtype, b->dtype))
		say(res, KT_NO_CORE - 1, "elements are %s in the first, %s in the second", a->dtype,
		    b->dtype);
	if (a->fold_op != b->fold_op || a->side[0].value != b->side[0].value)
		say(res, KT_NO_CORE - 2, "one of them folds contributions, or folds them "
					 "differently");
	for (side = 0; side < 2; side++)
		for (core = 0; core < n; core++) {
			const char *when = side ? "after the movement" : "before the movement";
			struct kt_arena arena = {0};
			struct kt_index x, y;
			int ret = core_index(a, side, core, &arena, &x);

			ret = ret ? ret : core_index(b, side, core, &arena, &y);
			if (!ret)
				ret = lacks(res, a, &x, &y, core, when, "the first");
			if (!ret)
				ret = lacks(res, a, &y, &x, core, when, "the second");
			kt_arena_fini(&arena);
			if (ret)
				return ret;
		}
	return 0;
}

/* --- interface ---------------------------------------------------------------------------- */

int ktdev_diff(const struct ktdev_diff_input *a, const struct ktdev_diff_input *b,
	       const struct ktdev_compile_opts *opts, struct ktdev_report *rep,
	       struct ktdev_diff **out)
{
	struct result *res = calloc(1, sizeof(*res));
	struct side sa = {0}, sb = {0};
	int ret;

	*out = NULL;
	if (!res)
		return -ENOMEM;
	res->pub.same = true;
	res->pub.lines = res->lines;
	res->last_core = KT_NO_CORE;
	if (a->rel && b->rel) {
		ret = compare_tables(a->rel, b->rel, res);
	} else {
		ret = side_init(&sa, a, opts, rep);
		if (!ret)
			ret = side_init(&sb, b, opts, rep);
		if (!ret)
			ret = sb.rel ? compare_plans(&sb, &sa, res) : compare_plans(&sa, &sb, res);
		side_fini(&sa);
		side_fini(&sb);
	}
	if (ret)
		ktdev_diff_free(&res->pub);
	else
		*out = &res->pub;
	return ret;
}

void ktdev_diff_free(struct ktdev_diff *diff)
{
	struct result *res = (struct result *)diff;

	if (!res)
		return;
	kt_arena_fini(&res->arena);
	free(res);
}
