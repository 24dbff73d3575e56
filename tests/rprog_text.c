// SPDX-License-Identifier: MIT
/*
 * The KTIR text of random programs.
 */
#include "rprog.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
