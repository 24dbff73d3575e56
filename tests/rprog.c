// SPDX-License-Identifier: MIT
/*
 * Random programs.
 */
#include "rprog.h"

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
