// SPDX-License-Identifier: MIT
/*
 * The shorthand of a division, and what every way of reading starts with.
 *
 *	{axis:count[@stride],...}[*holders[@stride]][+base]
 *
 * core = base + sum over axes of stride * slice + holder stride * holder. Digits
 * without a stride count row-major among themselves from 1: the first listed is the
 * slowest, holders are innermost.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relayout_read.h"

/* One digit of the core number. */
struct digit {
	char name[64];
	uint64_t count, stride;
	bool has_stride;
};

struct division {
	struct digit d[KT_AXES];
	uint32_t n;
	struct digit holders;
	uint64_t base;
};

struct cursor {
	struct kt_reader *rd;
	const char *text;	/* the whole shorthand, for messages */
	const char *p, *end;
};

bool kt_is_shorthand(const struct ktdev_text *in)
{
	size_t i = 0;

	while (i < in->len && isspace((unsigned char)in->text[i]))
		i++;
	if (i == in->len || in->text[i] != '{')
		return false;
	do {
		i++;
	} while (i < in->len && isspace((unsigned char)in->text[i]));
	if (i == in->len || in->text[i] == '"')
		return false;
	if (in->text[i] != '}')
		return true;
	/*
	 * "{}" alone is both an empty JSON object and the whole tensor: shorthand, because
	 * an empty object is no relayout
	 */
	return true;
}

static void bad(struct cursor *c, const char *what)
{
	uint32_t off = (uint32_t)(c->p - c->text);
	struct kt_range at = { off, off + 1 };
	struct kt_diag *d;

	if (c->rd->failed)
		return;
	d = kt_diag(c->rd->rep, c->rd->src, at, KT_RULE_NONE, KTDEV_ERROR,
		    "in '%.*s' at column %u: %s", (int)(c->end - c->text), c->text, off + 1, what);
	kt_diag_pointer(d, "%s", "");
	c->rd->failed = true;
}

static char peek(struct cursor *c)
{
	while (c->p < c->end && isspace((unsigned char)*c->p))
		c->p++;
	return c->p < c->end ? *c->p : 0;
}

static bool accept(struct cursor *c, char ch)
{
	if (peek(c) != ch)
		return false;
	c->p++;
	return true;
}

static uint64_t number(struct cursor *c, uint64_t lo, const char *what)
{
	uint64_t v = 0;

	if (!isdigit((unsigned char)peek(c))) {
		bad(c, what);
		return lo;
	}
	while (c->p < c->end && isdigit((unsigned char)*c->p)) {
		v = v * 10 + (uint64_t)(*c->p++ - '0');
		if (v > UINT32_MAX) {
			bad(c, "the number is above 4294967295");
			return lo;
		}
	}
	if (v < lo)
		bad(c, what);
	return v < lo ? lo : v;
}

static void opt_stride(struct cursor *c, struct digit *d)
{
	if (!accept(c, '@'))
		return;
	d->stride = number(c, 1, "a stride of at least 1 must follow '@'");
	d->has_stride = true;
}

static void read_digit(struct cursor *c, struct division *v)
{
	struct digit *d;
	size_t n = 0;
	uint32_t i;

	if (v->n == KT_AXES) {
		bad(c, "more than 8 axes");
		return;
	}
	d = &v->d[v->n];
	memset(d, 0, sizeof(*d));
	peek(c);
	while (c->p < c->end && (isalnum((unsigned char)*c->p) ||
			      (*c->p && strchr("_.-", *c->p)))) {
		if (n + 1 < sizeof(d->name))
			d->name[n++] = *c->p;
		c->p++;
	}
	if (!n) {
		bad(c, "an axis name must stand here");
		return;
	}
	for (i = 0; i < v->n; i++)
		if (!strcmp(v->d[i].name, d->name)) {
			bad(c, "the axis is listed twice");
			return;
		}
	if (!accept(c, ':')) {
		bad(c, "':' and a count must follow the axis");
		return;
	}
	d->count = number(c, 1, "a count of at least 1 must follow ':'");
	opt_stride(c, d);
	v->n++;
}

/* Row-major strides for the digits that have none. */
static void default_strides(struct cursor *c, struct division *v)
{
	uint64_t next = 1;
	uint32_t i;

	if (!v->holders.has_stride) {
		v->holders.stride = next;
		next = v->holders.count;
	}
	for (i = v->n; i-- > 0;) {
		if (v->d[i].has_stride)
			continue;
		v->d[i].stride = next;
		if (__builtin_mul_overflow(next, v->d[i].count, &next) || next > UINT32_MAX) {
			bad(c, "more slices than there are core numbers");
			return;
		}
	}
}

static void read_division(struct kt_reader *rd, const struct ktdev_text *in, struct division *v)
{
	struct cursor c = { rd, in->text, in->text, in->text + in->len };

	memset(v, 0, sizeof(*v));
	v->holders.count = 1;
	accept(&c, '{');
	if (peek(&c) != '}') {
		do {
			read_digit(&c, v);
		} while (!rd->failed && accept(&c, ','));
	}
	if (!rd->failed && !accept(&c, '}'))
		bad(&c, "',' or '}' must follow");
	if (!rd->failed && accept(&c, '*')) {
		v->holders.count = number(&c, 1, "a number of holders must follow '*'");
		opt_stride(&c, &v->holders);
	}
	if (!rd->failed && accept(&c, '+'))
		v->base = number(&c, 0, "a core number must follow '+'");
	if (!rd->failed && peek(&c))
		bad(&c, "nothing may follow here");
	if (!rd->failed)
		default_strides(&c, v);
}

/* --- one side from a division ------------------------------------------------------------- */

static int uses(const struct division *v, const char *name)
{
	uint32_t i;

	for (i = 0; i < v->n; i++)
		if (!strcmp(v->d[i].name, name))
			return (int)i;
	return -1;
}

/* Box of slice number i, and the first core that holds it. */
static uint64_t slice_box(const struct ktdev_relayout *rel, const struct division *v, uint64_t i,
			  struct kte_box *box)
{
	uint64_t core = v->base, slice;
	uint32_t a, k;

	for (a = 0; a < rel->rank; a++)
		box->size[a] = rel->axes[a].extent;
	for (k = v->n; k-- > 0; i /= v->d[k].count) {
		slice = i % v->d[k].count;
		a = (uint32_t)kt_axis_find(rel, v->d[k].name);
		box->size[a] = rel->axes[a].extent / (uint32_t)v->d[k].count;
		box->start[a] = (uint32_t)slice * box->size[a];
		core += slice * v->d[k].stride;
	}
	return core;
}

/* The holders of one slice; each core holds one slice only. */
static void slice_owners(struct kt_reader *rd, const struct division *v, uint64_t core,
			 const char *side, uint8_t *seen, struct kt_part *p)
{
	uint64_t h, owner;

	for (h = 0; h < v->holders.count; h++) {
		owner = core + h * v->holders.stride;
		if (owner >= rd->rel->cores) {
			kt_rd_error(rd, "", "the %s names core %llu; there are %u cores", side,
				    (unsigned long long)owner, rd->rel->cores);
			return;
		}
		if (seen[owner]) {
			kt_rd_error(rd, "", "the %s map is not injective: core %llu holds two slices",
				    side, (unsigned long long)owner);
			return;
		}
		seen[owner] = 1;
		p->owners[h] = (uint32_t)owner;
		p->order[h] = (uint32_t)owner;
	}
}

/* Pieces of all slices, and owners by the radix map. */
static void build_side(struct kt_reader *rd, const struct division *v, enum ktdev_side side)
{
	const char *name = side == KTDEV_SOURCE ? "source" : "destination";
	struct kt_side *s = &rd->rel->side[side];
	uint64_t n = 1, core, i;
	uint8_t *seen;
	uint32_t k;

	for (k = 0; k < v->n; k++)
		if (__builtin_mul_overflow(n, v->d[k].count, &n) || n > KT_MAX_CORES)
			break;
	if (k < v->n || n * v->holders.count > KT_MAX_CORES) {
		kt_rd_error(rd, "", "the %s has more slices than %u", name, KT_MAX_CORES);
		return;
	}
	s->pieces = kt_rd_alloc(rd, n * sizeof(*s->pieces));
	seen = calloc(rd->rel->cores, 1);
	if (!seen)
		rd->nomem = true;
	for (i = 0; i < n && !rd->failed && !rd->nomem; i++) {
		struct kt_part *p = &s->pieces[i];

		p->index = (uint32_t)i;
		p->n_owners = (uint32_t)v->holders.count;
		p->owners = kt_rd_alloc(rd, p->n_owners * sizeof(*p->owners));
		p->order = kt_rd_alloc(rd, p->n_owners * sizeof(*p->order));
		core = slice_box(rd->rel, v, i, &p->box);
		if (!rd->nomem)
			slice_owners(rd, v, core, name, seen, p);
	}
	free(seen);
	s->n = (uint32_t)n;
}

static uint64_t lcm(uint64_t a, uint64_t b)
{
	return a / kte_gcd(a, b) * b;
}

/* Extent of an axis: declared, else lcm of the counts in sticks of one element row. */
static void set_extent(struct kt_reader *rd, uint32_t a, uint64_t ns, uint64_t nd, bool declared)
{
	struct ktdev_relayout *rel = rd->rel;
	const char *name = rel->axes[a].name;
	uint64_t e = rel->axes[a].extent;

	if (!declared) {
		e = lcm(ns, nd) * (KTE_STICK_BYTES / rel->elem_bytes);
		if (e > UINT32_MAX) {
			kt_rd_error(rd, "", "the extent of axis '%s' would be %llu", name,
				    (unsigned long long)e);
			return;
		}
		rel->axes[a].extent = (uint32_t)e;
	}
	if (e % ns || e % nd)
		kt_rd_error(rd, "", "the extent %llu of axis '%s' does not divide into %llu slices",
			    (unsigned long long)e, name,
			    (unsigned long long)(e % ns ? ns : nd));
}

static void add_axis(struct kt_reader *rd, const char *name)
{
	struct ktdev_relayout *rel = rd->rel;

	if (kt_axis_find(rel, name) >= 0 || rd->failed)
		return;
	if (rel->rank == KT_AXES) {
		kt_rd_unsupported(rd, "", "more than %d axes", KT_AXES);
		return;
	}
	rel->axes[rel->rank].name = kt_rd_text(rd, "%s", name);
	rel->axes[rel->rank].extent = 0;
	if (rel->axes[rel->rank].name)
		rel->rank++;
}

/* Axes named by --extents come first, in that order. */
static void axes_of_extents(struct kt_reader *rd, const char *list)
{
	char name[64];
	const char *eq;

	while (list && *list) {
		eq = strchr(list, '=');
		if (!eq || eq == list || (size_t)(eq - list) >= sizeof(name)) {
			kt_rd_error(rd, "", "extents '%s': AXIS=NUMBER must stand here", list);
			return;
		}
		memcpy(name, list, (size_t)(eq - list));
		name[eq - list] = 0;
		add_axis(rd, name);
		list = strchr(eq, ',');
		list = list ? list + 1 : NULL;
	}
}

int kt_extents_find(const char *list, const char *axis, uint32_t *extent)
{
	size_t n = strlen(axis);
	unsigned long long v;
	char *end;

	while (list && *list) {
		if (!strncmp(list, axis, n) && list[n] == '=') {
			if (!isdigit((unsigned char)list[n + 1]))
				return -1;
			errno = 0;
			v = strtoull(list + n + 1, &end, 10);
			if (errno || v < 1 || v > UINT32_MAX || (*end && *end != ','))
				return -1;
			*extent = (uint32_t)v;
			return 1;
		}
		list = strchr(list, ',');
		list = list ? list + 1 : NULL;
	}
	return 0;
}

static int digit_of(const struct division *v, const char *name, size_t len)
{
	uint32_t i;

	for (i = 0; i < v->n; i++)
		if (strlen(v->d[i].name) == len && !strncmp(v->d[i].name, name, len))
			return (int)i;
	return -1;
}

/* --map a=b: the source's digit a is one of the axis the destination calls b. */
static void map_digits(struct kt_reader *rd, struct division v[2])
{
	struct division was = v[0];
	bool taken[KT_AXES] = {false};
	uint32_t i;

	for (i = 0; i < rd->opts->n_map && !rd->failed; i++) {
		const char *m = rd->opts->map[i], *eq = strchr(m, '=');
		int from = eq ? digit_of(&was, m, (size_t)(eq - m)) : -1;
		int to = eq ? digit_of(&v[1], eq + 1, strlen(eq + 1)) : -1;

		if (from < 0 || to < 0) {
			rd->src = rd->side_src[from >= 0];
			kt_rd_error(rd, "", "map '%s': no such axis on the %s side", m,
				    from < 0 ? "source" : "destination");
			break;
		}
		if (taken[from]) {
			kt_rd_error(rd, "", "map '%s': the axis is mapped twice", m);
			break;
		}
		taken[from] = true;
		kt_rd_note(rd, "axes matched by --map: %s", m);
		memcpy(v[0].d[from].name, v[1].d[to].name, sizeof(v[0].d[from].name));
	}
	for (i = 0; i < v[0].n && !rd->failed; i++)
		if (digit_of(&v[0], v[0].d[i].name, strlen(v[0].d[i].name)) != (int)i)
			kt_rd_error(rd, "", "two source axes are destination axis '%s'",
				    v[0].d[i].name);
	rd->src = rd->side_src[0];
}

void kt_read_shorthand(struct kt_reader *rd, const struct ktdev_text *src,
		       const struct ktdev_text *dst)
{
	struct ktdev_relayout *rel = rd->rel;
	struct division v[2];
	uint32_t a, i;
	int s, known;

	kt_rd_defaults(rd);
	for (s = 0; s < 2; s++) {
		rd->src = rd->side_src[s];
		read_division(rd, s ? dst : src, &v[s]);
	}
	rd->src = rd->side_src[0];
	map_digits(rd, v);
	axes_of_extents(rd, rd->opts->extents);
	for (s = 0; s < 2; s++)
		for (i = 0; i < v[s].n; i++)
			add_axis(rd, v[s].d[i].name);
	if (!rel->rank && !rd->failed) {
		add_axis(rd, "x");
		kt_rd_note(rd, "no axis is named: one axis 'x' is assumed");
	}
	for (a = 0; a < rel->rank && !rd->failed; a++) {
		int ks = uses(&v[0], rel->axes[a].name), kd = uses(&v[1], rel->axes[a].name);

		known = kt_extents_find(rd->opts->extents, rel->axes[a].name, &rel->axes[a].extent);
		if (known < 0)
			kt_rd_error(rd, "", "extents '%s': the extent of axis '%s' is no number "
					    "from 1 to 4294967295",
				    rd->opts->extents, rel->axes[a].name);
		set_extent(rd, a, ks < 0 ? 1 : v[0].d[ks].count, kd < 0 ? 1 : v[1].d[kd].count,
			   known > 0);
	}
	for (s = 0; s < 2 && !rd->failed && !rd->unsupported; s++) {
		for (a = 0; a < rel->rank; a++)
			rel->side[s].layout[a] = (uint8_t)a;
		rel->side[s].view = "shorthand";
		rd->src = rd->side_src[s];
		build_side(rd, &v[s], (enum ktdev_side)s);
	}
	if (!rd->failed)
		kt_rd_stick(rd, rd->opts->stick_axis, rd->opts->stick_lanes, "");
}
