// SPDX-License-Identifier: MIT
/*
 * Random programs and their text.
 */
#include "rprog.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- parameters -------------------------------------------------------------------------- */

struct gen {
	uint64_t s;
	int64_t next;			/* free scratchpad bytes from here on */
};

static int below(struct gen *g, int n)
{
	g->s ^= g->s << 13;
	g->s ^= g->s >> 7;
	g->s ^= g->s << 17;
	return (int)((g->s >> 11) % (uint64_t)n);
}

int rp_tile(const struct rp_form *f, int g, int i)
{
	switch (f->kind) {
	case RP_RANGE:
		return f->base + f->width * g + i;
	case RP_STRIDED:
		return f->base + f->width * g + f->step * i;
	default:
		return f->base + g + f->width * i;
	}
}

unsigned int rp_bytes(enum rp_type t)
{
	static const unsigned int bytes[] = { 2, 2, 4, 8, 1, 2, 4, 8 };

	return bytes[t];
}

const char *rp_type_name(enum rp_type t)
{
	static const char *const names[] = { "f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64" };

	return names[t];
}

const char *const rp_predicates[RP_PREDICATES] = {
	"ogt", "oge", "olt", "ole", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle",
};

static struct rp_form random_form(struct gen *g, int groups, int n)
{
	struct rp_form f = { .base = below(g, 3), .n = n, .step = 1 };

	f.kind = below(g, 3);
	if (f.kind == RP_STRIDED)
		f.step = 2 + below(g, 2);
	f.width = f.kind == RP_COSET ? groups + below(g, 2) : f.step * (n - 1) + 1 + below(g, 2);
	return f;
}

static int last_tile(const struct rp_form *f, int groups)
{
	return rp_tile(f, groups - 1, f->n - 1);
}

/* Two factors of n. */
static void factor(struct gen *g, int n, int *a, int *b)
{
	int tries;

	*a = 1;
	for (tries = 0; tries < 6; tries++) {
		int f = 1 + below(g, n);

		if (n % f == 0)
			*a = f;
	}
	*b = n / *a;
}

static void random_lists(struct gen *g, struct rp_delivery *d, int taken)
{
	bool concat = d->kind == RP_GATHER || d->kind == RP_ALL_TO_ALL;
	bool split = d->kind == RP_SCATTER || d->kind == RP_ALL_TO_ALL ||
		     d->kind == RP_REDUCE_SCATTER;
	unsigned int a, free_axis[RP_MAX_RANK], n = d->rank, i;
	int f1, f2;

	for (a = 0; a < RP_MAX_RANK; a++) {
		d->concat[a] = 1;
		d->split[a] = 1;
		free_axis[a] = a;
	}
	if (concat && split && (d->rank == 1 || below(g, 4) == 0)) {
		a = (unsigned int)below(g, (int)d->rank);
		d->n_concat = d->n_split = 1;
		d->concat_axes[0] = d->split_axes[0] = a;
		d->concat[a] = taken;
		d->split[a] = d->consumers.n;
		return;
	}
	if (concat) {
		d->n_concat = n > 2 && below(g, 2) ? 2 : 1;
		i = (unsigned int)below(g, (int)(n - d->n_concat + 1));
		d->concat_axes[0] = free_axis[i];
		d->concat_axes[1] = free_axis[i + d->n_concat - 1];
		if (d->n_concat == 2) {
			factor(g, taken, &f1, &f2);
			d->concat[d->concat_axes[0]] = f1;
			d->concat[d->concat_axes[1]] = f2;
		} else {
			d->concat[d->concat_axes[0]] = taken;
		}
		memmove(free_axis + i, free_axis + i + d->n_concat,
			(n - i - d->n_concat) * sizeof(*free_axis));
		n -= d->n_concat;
	}
	if (split) {
		d->n_split = n > 1 && below(g, 2) ? 2 : 1;
		i = (unsigned int)below(g, (int)(n - d->n_split + 1));
		d->split_axes[0] = free_axis[i];
		d->split_axes[1] = free_axis[i + d->n_split - 1];
		if (d->n_split == 2) {
			factor(g, d->consumers.n, &f1, &f2);
			d->split[d->split_axes[0]] = f1;
			d->split[d->split_axes[1]] = f2;
		} else {
			d->split[d->split_axes[0]] = d->consumers.n;
		}
	}
}

/* Groups, tiles and dependency sets; returns how many producers a consumer takes from. */
static int random_groups(struct gen *g, struct rp_delivery *d)
{
	int p = 1 + below(g, 6), c = 1 + below(g, 6), k;

	d->groups = 1 + below(g, 3);
	d->dep = RP_DEP_NONE;
	switch (d->kind) {
	case RP_SCATTER:
		p = 1;
		break;
	case RP_CONSUME:
		if (p > 1) {
			d->dep = RP_DEP_ROTATE;
			c = p * (1 + below(g, 2));
			d->dep_arg = below(g, p);
		}
		break;
	case RP_REDUCE:
		c = below(g, 2) ? p : 1;
		break;
	default:
		break;
	}
	k = p;
	if (d->kind == RP_GATHER || d->kind == RP_ALL_TO_ALL || d->kind == RP_REDUCE_SCATTER ||
	    (d->kind == RP_REDUCE && c == p)) {
		switch (below(g, 4)) {
		case 0:
			d->dep = RP_DEP_ALL;
			break;
		case 1:
			d->dep = RP_DEP_BLOCK;
			d->dep_arg = d->kind == RP_REDUCE ? 1 : 1 + below(g, 3);
			p = c * d->dep_arg;
			k = d->dep_arg;
			break;
		case 2:
			d->dep = RP_DEP_CLASS;
			d->dep_arg = 1 + below(g, c < 3 ? c : 3);
			k = 1 + below(g, 3);
			p = d->dep_arg * k;
			if (d->kind == RP_REDUCE)
				c = p;
			break;
		default:
			break;
		}
	}
	d->producers = random_form(g, d->groups, p);
	d->consumers = random_form(g, d->groups, c);
	if (d->kind == RP_REDUCE) {
		d->consumers = d->producers;	/* R13 */
		d->consumers.n = c;
	}
	return d->kind == RP_CONSUME ? 1 : k;
}

static int64_t span(const struct rp_place *pl, unsigned int rank, unsigned int elem, int tiles)
{
	int64_t n = 1;
	unsigned int a;

	for (a = 0; a < rank; a++)
		n += (pl->view[a] - 1) * pl->stride[a];
	return n * elem + tiles * pl->per_tile;
}

/* A view that holds a box of @shape: any axis order, room around the box. */
static void random_view(struct gen *g, struct rp_place *pl, const int64_t *shape,
			unsigned int rank, unsigned int elem)
{
	unsigned int order[RP_MAX_RANK], a, i;
	int64_t stride = 1;
	bool plain = below(g, 2);

	for (a = 0; a < rank; a++)
		order[a] = a;
	for (a = rank; !plain && a-- > 1;) {
		i = (unsigned int)below(g, (int)a + 1);
		unsigned int t = order[a];

		order[a] = order[i];
		order[i] = t;
	}
	for (a = 0; a < rank; a++) {
		pl->at[a] = plain ? 0 : below(g, 3);
		pl->view[a] = shape[a] + pl->at[a] + (plain ? 0 : below(g, 2));
	}
	for (a = rank; a-- > 0;) {
		pl->stride[order[a]] = stride;
		stride *= pl->view[order[a]];
		if (!plain && below(g, 4) == 0)
			stride += below(g, 3);
	}
	pl->per_tile = below(g, 3) ? 0 : (int64_t)elem * below(g, 9);
}

static void random_place(struct gen *g, struct rp_place *pl, const int64_t *shape,
			 unsigned int rank, unsigned int elem, int tiles)
{
	random_view(g, pl, shape, rank, elem);
	pl->base = (g->next + elem - 1) / elem * elem;
	g->next = pl->base + span(pl, rank, elem, tiles) + below(g, 70);
}

static enum rp_fold random_fold(struct gen *g, enum rp_type t)
{
	static const enum rp_fold floats[] = { RP_ADD, RP_MUL, RP_MAX, RP_MIN, RP_MAXNUM,
					       RP_MINNUM };
	static const enum rp_fold ints[] = { RP_ADD, RP_MUL, RP_MAX, RP_MIN, RP_MAXU, RP_MINU,
					     RP_AND, RP_OR, RP_XOR };

	return t <= RP_F64 ? floats[below(g, 6)] : ints[below(g, 9)];
}

static void random_role(struct gen *g, struct rprog *p, struct rp_delivery *d, unsigned int r)
{
	struct rp_role *role = &d->roles[r];
	unsigned int a, elem;

	role->type = below(g, RP_TYPES);
	elem = rp_bytes(role->type);
	for (a = 0; a < d->rank; a++) {
		role->piece[a] = d->split[a] * (1 + below(g, a + 1 == d->rank ? 9 : 4));
		role->result[a] = role->piece[a] / d->split[a] * d->concat[a];
	}
	role->fold = random_fold(g, role->type);
	role->global = !p->hazards && below(g, 5) == 0;
	random_place(g, &role->src, role->piece, d->rank, elem, p->tiles);
	role->store = below(g, 4) ? RP_STORE_WHOLE : RP_STORE_SLICES;
	if (!p->hazards && below(g, 6) == 0)
		role->store = RP_STORE_NONE;
	if (role->store == RP_STORE_SLICES) {
		int64_t part[RP_MAX_RANK];

		role->cut_axis = (unsigned int)below(g, (int)d->rank);
		if (role->result[role->cut_axis] < 2) {
			role->store = RP_STORE_WHOLE;
		} else {
			role->cut = 1 + below(g, (int)role->result[role->cut_axis] - 1);
			memcpy(part, role->result, sizeof(part));
			part[role->cut_axis] = role->result[role->cut_axis] - role->cut;
			random_place(g, &role->dst[1], part, d->rank, elem, p->tiles);
			part[role->cut_axis] = role->cut;
			random_place(g, &role->dst[0], part, d->rank, elem, p->tiles);
			return;
		}
	}
	random_place(g, &role->dst[0], role->result, d->rank, elem, p->tiles);
	if (below(g, 3) == 0 && !role->global) {
		/* in place, or nearly so */
		role->dst[0].base = role->src.base + (int64_t)elem * below(g, 3);
		if (g->next < role->dst[0].base + span(&role->dst[0], d->rank, elem, p->tiles))
			g->next = role->dst[0].base + span(&role->dst[0], d->rank, elem, p->tiles);
	}
}

/* A later delivery reads what an earlier one writes: its bytes, or its value. */
static void tie(struct gen *g, struct rprog *p, int k)
{
	struct rp_delivery *d = &p->d[k], *from = &p->d[below(g, k)];
	struct rp_role *role = &d->roles[0], *fr = &from->roles[0];
	unsigned int elem = rp_bytes(role->type), a;
	int t, c, g2, i;

	switch (below(g, 3)) {
	case 0:		/* the same bytes, any shape */
		role->src.base = (fr->dst[0].base + elem - 1) / elem * elem;
		break;
	case 1:		/* overwrite what an earlier delivery stored */
		if (role->store == RP_STORE_WHOLE)
			role->dst[0].base = (fr->dst[0].base + elem - 1) / elem * elem;
		break;
	default:	/* the value itself */
		if (d->early || d->rank != from->rank || d->kind == RP_REDUCE ||
		    d->kind == RP_REDUCE_SCATTER || from->groups != d->groups)
			break;
		for (g2 = 0; g2 < d->groups; g2++)
			for (i = 0; i < d->producers.n; i++) {
				t = rp_tile(&d->producers, g2, i);
				for (c = 0; c < from->groups * from->consumers.n; c++)
					if (rp_tile(&from->consumers, c / from->consumers.n,
						    c % from->consumers.n) == t)
						break;
				if (c == from->groups * from->consumers.n)
					return;
			}
		for (a = 0; a < d->rank; a++)
			if (fr->result[a] % d->split[a] || d->n_roles > 1)
				return;
		role->chain = (int)(from - p->d) + 1;
		role->type = fr->type;
		memcpy(role->piece, fr->result, sizeof(role->piece));
		for (a = 0; a < d->rank; a++)
			role->result[a] = role->piece[a] / d->split[a] * d->concat[a];
		role->store = RP_STORE_WHOLE;
		random_place(g, &role->dst[0], role->result, d->rank, rp_bytes(role->type),
			     p->tiles);
		break;
	}
	if (g->next > RP_PAD / 2)
		g->next = RP_PAD / 2;
}

static bool fits(const struct rprog *p)
{
	const struct rp_delivery *d;
	unsigned int r, i;
	int k;

	for (k = 0; k < p->n; k++) {
		d = &p->d[k];
		if (last_tile(&d->producers, d->groups) >= p->tiles ||
		    last_tile(&d->consumers, d->groups) >= p->tiles)
			return false;
		for (r = 0; r < d->n_roles; r++) {
			const struct rp_role *role = &d->roles[r];
			unsigned int e = rp_bytes(role->type);

			if (role->src.base + span(&role->src, d->rank, e, p->tiles) > RP_PAD)
				return false;
			for (i = 0; i < 2; i++)
				if (role->dst[i].base + span(&role->dst[i], d->rank, e, p->tiles) >
				    RP_PAD)
					return false;
		}
	}
	return true;
}

static void random_delivery(struct gen *g, struct rprog *p, int k)
{
	struct rp_delivery *d = &p->d[k];
	bool fold;
	int taken;
	unsigned int r;

	d->kind = below(g, 6);
	fold = d->kind == RP_REDUCE || d->kind == RP_REDUCE_SCATTER;
	taken = random_groups(g, d);
	d->rank = 1 + (unsigned int)below(g, RP_MAX_RANK);
	random_lists(g, d, taken);
	d->n_roles = below(g, 4) ? 1 : 2;
	d->early = below(g, 3) == 0;
	d->late_store = below(g, 4) == 0;
	for (r = 0; r < d->n_roles; r++)
		random_role(g, p, d, r);
	if (fold && d->n_roles == 2 && below(g, 2)) {
		bool is_float = d->roles[0].type <= RP_F64;

		d->arg = 1 + (is_float ? below(g, 8) : 8 + below(g, 4));
		d->roles[1].type = below(g, 2) ? RP_I32 : RP_I64;
		memcpy(d->roles[1].piece, d->roles[0].piece, sizeof(d->roles[0].piece));
		memcpy(d->roles[1].result, d->roles[0].result, sizeof(d->roles[0].result));
		random_place(g, &d->roles[1].src, d->roles[1].piece, d->rank,
			     rp_bytes(d->roles[1].type), p->tiles);
		d->roles[1].store = RP_STORE_WHOLE;
		random_place(g, &d->roles[1].dst[0], d->roles[1].result, d->rank,
			     rp_bytes(d->roles[1].type), p->tiles);
	} else if (fold && d->n_roles == 2) {
		/* two sums side by side; the region's arguments are of one type */
		d->roles[1].type = d->roles[0].type;
		memcpy(d->roles[1].piece, d->roles[0].piece, sizeof(d->roles[0].piece));
		memcpy(d->roles[1].result, d->roles[0].result, sizeof(d->roles[0].result));
		d->roles[1].fold = d->roles[0].fold;
		d->roles[1].store = RP_STORE_WHOLE;
		random_place(g, &d->roles[1].src, d->roles[1].piece, d->rank,
			     rp_bytes(d->roles[1].type), p->tiles);
		random_place(g, &d->roles[1].dst[0], d->roles[1].result, d->rank,
			     rp_bytes(d->roles[1].type), p->tiles);
	}
	if (p->hazards && k)
		tie(g, p, k);
}

void rp_random(struct rprog *p, uint64_t seed)
{
	struct gen g = { .s = seed * 0x9e3779b97f4a7c15ull + 1 };
	int k;

	do {
		memset(p, 0, sizeof(*p));
		g.next = 0;
		p->tiles = 8 + below(&g, RP_MAX_TILES - 8);
		p->hazards = below(&g, 2);
		p->n = 1 + below(&g, RP_MAX_DELIVERIES);
		for (k = 0; k < p->n; k++)
			random_delivery(&g, p, k);
	} while (!fits(p));
}

/* --- text ---------------------------------------------------------------------------------- */

struct text {
	char *p;
	size_t n, cap;
	int names;
};

static void put(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *fmt, ...)
{
	va_list args;
	int n;

	for (;;) {
		va_start(args, fmt);
		n = vsnprintf(t->p + t->n, t->cap - t->n, fmt, args);
		va_end(args);
		if (t->n + (size_t)n < t->cap)
			break;
		t->cap = 2 * t->cap + (size_t)n + 4096;
		t->p = realloc(t->p, t->cap);
	}
	t->n += (size_t)n;
}

static void put_tensor(struct text *t, const char *kind, const int64_t *shape, unsigned int rank,
		       const char *elem)
{
	unsigned int a;

	put(t, "%s<", kind);
	for (a = 0; a < rank; a++)
		put(t, "%lldx", (long long)shape[a]);
	put(t, "%s>", elem);
}

static void put_box(struct text *t, const int64_t *size, unsigned int rank)
{
	unsigned int a;

	put(t, "affine_set<(");
	for (a = 0; a < rank; a++)
		put(t, "%sd%u", a ? ", " : "", a);
	put(t, ") : (");
	for (a = 0; a < rank; a++)
		put(t, "%sd%u >= 0, -d%u + %lld >= 0", a ? ", " : "", a, a,
		    (long long)size[a] - 1);
	put(t, ")>");
}

static void put_list(struct text *t, const int64_t *v, unsigned int n)
{
	unsigned int a;

	put(t, "[");
	for (a = 0; a < n; a++)
		put(t, "%s%lld", a ? ", " : "", (long long)v[a]);
	put(t, "]");
}

/* Constraints that variable @v is a tile of group @g. */
static void put_member(struct text *t, const struct rp_form *f, const char *v, const char *g)
{
	switch (f->kind) {
	case RP_RANGE:
		put(t, "%s - %d - %d * %s >= 0, -%s + %d + %d * %s + %d >= 0", v, f->base, f->width,
		    g, v, f->base, f->width, g, f->n - 1);
		break;
	case RP_STRIDED:
		put(t, "%s - %d - %d * %s >= 0, -%s + %d + %d * %s + %d >= 0, (%s - %d - %d * %s) mod %d == 0",
		    v, f->base, f->width, g, v, f->base, f->width, g, f->step * (f->n - 1), v,
		    f->base, f->width, g, f->step);
		break;
	default:
		put(t, "%s - %d - %s >= 0, -%s + %d + %s + %d >= 0, (%s - %d - %s) mod %d == 0", v,
		    f->base, g, v, f->base, g, f->width * (f->n - 1), v, f->base, g, f->width);
	}
}

/* The number of a tile in its group. */
static void put_number(struct text *t, const struct rp_form *f, const char *v, const char *g)
{
	switch (f->kind) {
	case RP_RANGE:
		put(t, "(%s - %d - %d * %s)", v, f->base, f->width, g);
		break;
	case RP_STRIDED:
		put(t, "((%s - %d - %d * %s) floordiv %d)", v, f->base, f->width, g, f->step);
		break;
	default:
		put(t, "((%s - %d - %s) floordiv %d)", v, f->base, g, f->width);
	}
}

static void put_dep(struct text *t, const struct rp_delivery *d)
{
	put(t, "affine_set<(p)[c, g] : (");
	put_member(t, &d->producers, "p", "g");
	switch (d->dep) {
	case RP_DEP_ROTATE:
		put(t, ", (");
		put_number(t, &d->producers, "p", "g");
		put(t, " - ");
		put_number(t, &d->consumers, "c", "g");
		put(t, " - %d) mod %d == 0", d->dep_arg, d->producers.n);
		break;
	case RP_DEP_BLOCK:
		put(t, ", ");
		put_number(t, &d->producers, "p", "g");
		put(t, " floordiv %d - ", d->dep_arg);
		put_number(t, &d->consumers, "c", "g");
		put(t, " == 0");
		break;
	case RP_DEP_CLASS:
		put(t, ", (");
		put_number(t, &d->producers, "p", "g");
		put(t, " - ");
		put_number(t, &d->consumers, "c", "g");
		put(t, ") mod %d == 0", d->dep_arg);
		break;
	default:
		break;
	}
	put(t, ")>");
}

/* View and access tile; returns the number in their names. */
static int put_place(struct text *t, const struct rp_place *pl, const int64_t *shape,
		     unsigned int rank, enum rp_type type, bool global)
{
	const char *elem = rp_type_name(type);
	unsigned int bytes = rp_bytes(type), a;
	int id = t->names++;

	if (global) {
		put(t, "    %%base%d = arith.addi %%host, %%tile : index\n", id);
	} else {
		put(t, "    %%c%d = arith.constant %lld : index\n", id, (long long)pl->base / bytes);
		put(t, "    %%k%d = arith.constant %lld : index\n", id,
		    (long long)pl->per_tile / bytes);
		put(t, "    %%m%d = arith.muli %%tile, %%k%d : index\n", id, id);
		put(t, "    %%base%d = arith.addi %%c%d, %%m%d : index\n", id, id, id);
	}
	put(t, "    %%view%d = ktdp.construct_memory_view %%base%d, sizes: ", id, id);
	put_list(t, pl->view, rank);
	put(t, ", strides: ");
	put_list(t, pl->stride, rank);
	put(t, " {\n        coordinate_set = ");
	put_box(t, pl->view, rank);
	put(t, ", memory_space = #ktdp.memory_space<%s>\n    } : ", global ? "global" : "ct_local");
	put_tensor(t, "memref", pl->view, rank, elem);
	put(t, "\n");
	for (a = 0; a < rank; a++)
		put(t, "    %%s%d_%u = arith.constant %lld : index\n", id, a, (long long)pl->at[a]);
	put(t, "    %%at%d = ktdp.construct_access_tile %%view%d[", id, id);
	for (a = 0; a < rank; a++)
		put(t, "%s%%s%d_%u", a ? ", " : "", id, a);
	put(t, "] {\n        access_tile_set = ");
	put_box(t, shape, rank);
	put(t, "\n    } : ");
	put_tensor(t, "memref", pl->view, rank, elem);
	put(t, " -> ");
	put_tensor(t, "!ktdp.access_tile", shape, rank, "index");
	put(t, "\n");
	return id;
}

static void put_loads(struct text *t, const struct rprog *p, int k)
{
	const struct rp_delivery *d = &p->d[k];
	unsigned int r;

	for (r = 0; r < d->n_roles; r++) {
		const struct rp_role *role = &d->roles[r];
		int id;

		if (role->chain)
			continue;
		id = put_place(t, &role->src, role->piece, d->rank, role->type, role->global);
		put(t, "    %%x%d_%u = ktdp.load %%at%d : ", k, r, id);
		put_tensor(t, "!ktdp.access_tile", role->piece, d->rank, "index");
		put(t, " -> ");
		put_tensor(t, "tensor", role->piece, d->rank, rp_type_name(role->type));
		put(t, "\n");
	}
}

static void put_types(struct text *t, const struct rp_delivery *d, bool result)
{
	unsigned int r;

	for (r = 0; r < d->n_roles; r++) {
		put(t, "%s", r ? ", " : "");
		put_tensor(t, "tensor", result ? d->roles[r].result : d->roles[r].piece, d->rank,
			   rp_type_name(d->roles[r].type));
	}
}

static void put_future(struct text *t, const struct rp_delivery *d)
{
	put(t, "!ktdp.tile_future<(");
	put_types(t, d, false);
	put(t, "), groups = affine_set<(g) : (g >= 0, -g + %d >= 0)>>", d->groups - 1);
}

static const char *fold_name(const struct rp_role *r)
{
	static const char *const f[] = { "addf", "mulf", "maximumf", "minimumf", "maxnumf",
					 "minnumf" };
	static const char *const i[] = { "addi", "muli", "maxsi", "minsi", "", "", "maxui", "minui",
					 "andi", "ori", "xori" };

	return r->type <= RP_F64 ? f[r->fold] : i[r->fold];
}

static void put_region(struct text *t, const struct rp_delivery *d)
{
	unsigned int r;

	put(t, "    {\n      ^bb0(");
	for (r = 0; r < 2 * d->n_roles; r++) {
		put(t, "%s%%a%u: ", r ? ", " : "", r);
		put_tensor(t, "tensor", d->roles[r % d->n_roles].piece, d->rank,
			   rp_type_name(d->roles[r % d->n_roles].type));
	}
	put(t, "):\n");
	if (d->arg) {
		put(t, "        %%k = arith.cmp%s %s, %%a0, %%a2 : ", d->arg > 8 ? "i" : "f",
		    rp_predicates[d->arg - 1]);
		put_tensor(t, "tensor", d->roles[0].piece, d->rank, rp_type_name(d->roles[0].type));
		put(t, "\n");
	}
	for (r = 0; r < d->n_roles && d->arg; r++) {
		put(t, "        %%f%u = arith.select %%k, %%a%u, %%a%u : ", r, r, 2 + r);
		put_tensor(t, "tensor", d->roles[r].piece, d->rank, "i1");
		put(t, ", ");
		put_tensor(t, "tensor", d->roles[r].piece, d->rank, rp_type_name(d->roles[r].type));
		put(t, "\n");
	}
	for (r = 0; r < d->n_roles && !d->arg; r++) {
		put(t, "        %%f%u = arith.%s %%a%u, %%a%u : ", r, fold_name(&d->roles[r]), r,
		    d->n_roles + r);
		put_tensor(t, "tensor", d->roles[r].piece, d->rank, rp_type_name(d->roles[r].type));
		put(t, "\n");
	}
	put(t, "        ktdp.yield_reduced ");
	for (r = 0; r < d->n_roles; r++)
		put(t, "%s%%f%u", r ? ", " : "", r);
	put(t, " : ");
	put_types(t, d, false);
	put(t, "\n    }\n");
}

static void put_axes(struct text *t, const char *name, const unsigned int *axes, unsigned int n)
{
	if (n)
		put(t, ",\n        %s = [%u", name, axes[0]);
	if (n == 2)
		put(t, ", %u", axes[1]);
	if (n)
		put(t, "]");
}

static void put_delivery(struct text *t, const struct rprog *p, int k)
{
	static const char *const names[] = { "consume", "gather", "scatter", "all_to_all", "reduce",
					     "reduce_scatter" };
	const struct rp_delivery *d = &p->d[k];
	bool fold = d->kind == RP_REDUCE || d->kind == RP_REDUCE_SCATTER;
	unsigned int r;

	put(t, "    %%fut%d = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (",
	    k);
	put_member(t, &d->producers, "t", "g");
	put(t, ")>\n        -> ");
	put_future(t, d);
	put(t, "\n    {\n      ^bb0(%%gid: index):\n        ktdp.yield_partial ");
	for (r = 0; r < d->n_roles; r++) {
		if (d->roles[r].chain)
			put(t, "%s%%r%d%s", r ? ", " : "", d->roles[r].chain - 1,
			    p->d[d->roles[r].chain - 1].n_roles > 1 ? "#0" : "");
		else
			put(t, "%s%%x%d_%u", r ? ", " : "", k, r);
	}
	put(t, " : ");
	put_types(t, d, false);
	put(t, "\n    }\n    %%r%d%s = ktdp.inter_tile_%s(%%fut%d)\n        consumer_tiles_per_group = affine_set<(t)[g] : (",
	    k, d->n_roles > 1 ? ":2" : "", names[d->kind], k);
	put_member(t, &d->consumers, "t", "g");
	put(t, ")>");
	put_axes(t, d->kind == RP_ALL_TO_ALL ? "split_dimensions" : "scatter_dimensions",
		 d->split_axes, d->n_split);
	put_axes(t, d->kind == RP_ALL_TO_ALL ? "concat_dimensions" : "gather_dimensions",
		 d->concat_axes, d->n_concat);
	if (d->dep != RP_DEP_NONE) {
		put(t, ",\n        producer_dependency_per_consumer = ");
		put_dep(t, d);
	}
	if (fold) {
		put(t, ",\n        identity(");
		for (r = 0; r < d->n_roles; r++) {
			put(t, "%s%%id%d_%u : ", r ? ", " : "", k, r);
			put_tensor(t, "tensor", d->roles[r].piece, d->rank,
				   rp_type_name(d->roles[r].type));
		}
		put(t, ")");
	}
	put(t, "\n        : ");
	put_future(t, d);
	put(t, " -> %s", d->n_roles > 1 ? "(" : "");
	put_types(t, d, true);
	put(t, "%s\n", d->n_roles > 1 ? ")" : "");
	if (fold)
		put_region(t, d);
}

static void put_store(struct text *t, const struct rp_delivery *d, int k, unsigned int r,
		      unsigned int half)
{
	const struct rp_role *role = &d->roles[r];
	const char *elem = rp_type_name(role->type);
	bool sliced = role->store == RP_STORE_SLICES;
	int64_t shape[RP_MAX_RANK], start[RP_MAX_RANK] = {0}, one[RP_MAX_RANK] = { 1, 1, 1, 1 };
	char name[32];
	int id;

	memcpy(shape, role->result, sizeof(shape));
	snprintf(name, sizeof(name), "%%r%d%s", k, d->n_roles == 1 ? "" : r ? "#1" : "#0");
	if (sliced) {
		shape[role->cut_axis] = half ? role->result[role->cut_axis] - role->cut : role->cut;
		start[role->cut_axis] = half ? role->cut : 0;
		put(t, "    %%part%d = tensor.extract_slice %s", t->names, name);
		put_list(t, start, d->rank);
		put(t, " ");
		put_list(t, shape, d->rank);
		put(t, " ");
		put_list(t, one, d->rank);
		put(t, " : ");
		put_tensor(t, "tensor", role->result, d->rank, elem);
		put(t, " to ");
		put_tensor(t, "tensor", shape, d->rank, elem);
		put(t, "\n");
		snprintf(name, sizeof(name), "%%part%d", t->names++);
	}
	id = put_place(t, &role->dst[half], shape, d->rank, role->type, false);
	put(t, "    ktdp.store %s, %%at%d : ", name, id);
	put_tensor(t, "tensor", shape, d->rank, elem);
	put(t, ", ");
	put_tensor(t, "!ktdp.access_tile", shape, d->rank, "index");
	put(t, "\n");
}

static void put_stores(struct text *t, const struct rprog *p, int k)
{
	unsigned int r;

	for (r = 0; r < p->d[k].n_roles; r++) {
		if (p->d[k].roles[r].store == RP_STORE_NONE)
			continue;
		put_store(t, &p->d[k], k, r, 0);
		if (p->d[k].roles[r].store == RP_STORE_SLICES)
			put_store(t, &p->d[k], k, r, 1);
	}
}

char *rp_emit(const struct rprog *p)
{
	struct text t = {0};
	unsigned int r;
	int k;

	put(&t, "module attributes {grid = [%d]} {\n  func.func @f(%%host: index", p->tiles);
	for (k = 0; k < p->n; k++)
		for (r = 0; r < p->d[k].n_roles; r++)
			if (p->d[k].kind == RP_REDUCE || p->d[k].kind == RP_REDUCE_SCATTER) {
				put(&t, ", %%id%d_%u: ", k, r);
				put_tensor(&t, "tensor", p->d[k].roles[r].piece, p->d[k].rank,
					   rp_type_name(p->d[k].roles[r].type));
			}
	put(&t, ") {\n    %%tile = ktdp.get_compute_tile_id : index\n");
	for (k = 0; k < p->n; k++)
		if (p->d[k].early)
			put_loads(&t, p, k);
	for (k = 0; k < p->n; k++) {
		if (!p->d[k].early)
			put_loads(&t, p, k);
		put_delivery(&t, p, k);
		if (!p->d[k].late_store)
			put_stores(&t, p, k);
	}
	for (k = 0; k < p->n; k++)
		if (p->d[k].late_store)
			put_stores(&t, p, k);
	put(&t, "    return\n  }\n}\n");
	return t.p;
}
