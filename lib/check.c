// SPDX-License-Identifier: MIT
/*
 * The facts of an op: sets evaluated over groups and consumers, axis lists, types and
 * factors. Nothing is judged here; what went wrong is kept for the rules to report.
 */
#include <errno.h>
#include <string.h>

#include "rules.h"

static const struct {
	const char *name;
	bool splits, concats, folds;
} kinds[] = {
	[KT_OP_CONSUME]		= { "consume", false, false, false },
	[KT_OP_REDUCE]		= { "reduce", false, false, true },
	[KT_OP_REDUCE_SCATTER]	= { "reduce_scatter", true, false, true },
	[KT_OP_GATHER]		= { "gather", false, true, false },
	[KT_OP_ALL_TO_ALL]	= { "all_to_all", true, true, false },
	[KT_OP_SCATTER]		= { "scatter", true, false, false },
};

static bool is_delivery_kind(enum kt_op_kind kind)
{
	return kind >= KT_OP_CONSUME && kind <= KT_OP_SCATTER;
}

const char *kt_op_short_name(enum kt_op_kind kind)
{
	return is_delivery_kind(kind) ? kinds[kind].name : "produce";
}

bool kt_kind_splits(enum kt_op_kind kind)
{
	return is_delivery_kind(kind) && kinds[kind].splits;
}

bool kt_kind_concats(enum kt_op_kind kind)
{
	return is_delivery_kind(kind) && kinds[kind].concats;
}

bool kt_kind_folds(enum kt_op_kind kind)
{
	return is_delivery_kind(kind) && kinds[kind].folds;
}

void kt_odometer_box(const int64_t *factors, const unsigned int *axes, unsigned int n_axes,
		     const int64_t *extent, unsigned int rank, uint32_t l, int64_t *start,
		     int64_t *size)
{
	unsigned int i, k;

	for (k = 0; k < rank; k++) {
		start[k] = 0;
		size[k] = extent[k];
	}
	for (i = n_axes; i-- > 0;) {
		k = axes[i];
		size[k] = extent[k] / factors[k];
		start[k] = size[k] * (int64_t)(l % factors[k]);
		l = (uint32_t)(l / factors[k]);
	}
}

const struct kt_op *kt_region_yield(const struct kt_op *op, enum kt_op_kind kind)
{
	const struct kt_op *last;

	if (op->n_regions != 1 || op->regions[0].n_blocks != 1)
		return NULL;
	last = op->regions[0].blocks[0].last;
	return last && last->kind == kind ? last : NULL;
}

struct kt_range kt_type_at(const struct kt_type *t, const struct kt_op *op)
{
	return t && t->at.end > t->at.off ? t->at : op->name_at;
}

uint32_t kt_func_tiles(const struct kt_source *src, const struct kt_func *func,
		       const struct ktdev_verify_opts *opts, struct ktdev_report *rep)
{
	int64_t n = 1;
	unsigned int i;

	if (opts->tiles)
		return opts->tiles;
	if (!func->n_grid)
		return 32;
	for (i = 0; i < func->n_grid; i++) {
		if (func->grid[i] > 0 && !__builtin_mul_overflow(n, func->grid[i], &n) &&
		    n <= KT_MAX_TILES)
			continue;
		kt_diag(rep, src, func->name_at, KT_K2, KTDEV_ERROR,
			"the grid of @%s does not name 1 to %u tiles", func->name, KT_MAX_TILES);
		return 0;
	}
	return (uint32_t)n;
}

/* --- sets --------------------------------------------------------------------------- */

static void hit(struct kt_witness *w, int64_t group, int64_t tile, int64_t consumer)
{
	if (!w->hit)
		*w = (struct kt_witness){ true, group, tile, consumer };
}

static void set_fact(struct kt_set_fact *f, const struct kt_attr *attr, unsigned int min_syms,
		     unsigned int max_syms)
{
	memset(f, 0, sizeof(*f));
	if (!attr)
		return;
	f->at = attr->at;
	if (attr->kind != KT_AT_SET || !attr->set)
		return;
	f->set = attr->set;
	f->well_formed = f->set->enumerated ||
			 (f->set->n_dims == 1 && f->set->n_syms >= min_syms &&
			  f->set->n_syms <= max_syms);
}

/*
 * Members for one group (and consumer). A tile set may name no tile outside; a
 * dependency set is cut to the device.
 */
static int eval_set(struct kt_check *c, struct kt_set_fact *f, bool dep, int64_t group,
		    int64_t consumer, struct kt_tiles *out)
{
	int64_t syms[2] = { dep ? consumer : group, group };
	unsigned int n_syms = f->set->enumerated ? 1 : f->set->n_syms;
	bool clipped = false;
	int64_t outside = -1;

	switch (kt_set_tiles(f->set, syms, n_syms, c->n_tiles, c->arena, out, &clipped,
			     &outside)) {
	case KT_SET_OK:
		break;
	case KT_SET_OUTSIDE:
		if (!dep)
			hit(&f->outside, group, outside, KT_NO_WITNESS);
		break;
	case KT_SET_OVERFLOW:
		hit(&f->fault, group, KT_NO_WITNESS, consumer);
		return 0;
	case KT_SET_UNBOUNDED:
		hit(&f->unbounded, group, KT_NO_WITNESS, consumer);
		return 0;
	case KT_SET_NOMEM:
	default:
		return -ENOMEM;
	}
	if (clipped)
		hit(&f->clipped, group, KT_NO_WITNESS, consumer);
	if (!out->n && !f->outside.hit)
		hit(&f->empty, group, KT_NO_WITNESS, consumer);
	c->members += out->n;
	return c->members > KT_MAX_MEMBERS ? -E2BIG : 0;
}

static bool clean(const struct kt_set_fact *f)
{
	return f->complete && !f->fault.hit && !f->unbounded.hit && !f->outside.hit &&
	       !f->empty.hit;
}

/* One tile set per group. Groups that overlap beyond all bounds are an error anyway: stop. */
static int eval_per_group(struct kt_check *c, struct kt_set_fact *f, uint32_t n_groups,
			  const int64_t *ids, struct kt_tiles *out)
{
	uint64_t own = c->members + 4ull * c->n_tiles;
	uint32_t g;
	int ret;

	for (g = 0; g < n_groups; g++) {
		ret = eval_set(c, f, false, ids[g], KT_NO_WITNESS, &out[g]);
		if (ret)
			return ret;
		if (f->fault.hit || f->unbounded.hit || c->members > own + c->spare)
			break;
	}
	if (c->members > own)
		c->spare -= c->members - own < c->spare ? c->members - own : c->spare;
	f->complete = g == n_groups;
	return 0;
}

static int eval_groups(struct kt_check *c, struct kt_produced *p)
{
	switch (kt_set_members(p->groups.set, 4 * c->n_tiles, c->arena, &p->group_ids,
			       &p->n_groups)) {
	case KT_SET_OK:
	case KT_SET_OUTSIDE:
		break;
	case KT_SET_OVERFLOW:
		hit(&p->groups.fault, KT_NO_WITNESS, KT_NO_WITNESS, KT_NO_WITNESS);
		return 0;
	case KT_SET_UNBOUNDED:
		hit(&p->groups.unbounded, KT_NO_WITNESS, KT_NO_WITNESS, KT_NO_WITNESS);
		return 0;
	case KT_SET_TOO_MANY:
		p->too_many_groups = true;
		return 0;
	case KT_SET_NOMEM:
	default:
		return -ENOMEM;
	}
	p->groups.complete = true;
	if (!p->n_groups)
		hit(&p->groups.empty, KT_NO_WITNESS, KT_NO_WITNESS, KT_NO_WITNESS);
	return 0;
}

int kt_facts_produce(struct kt_check *c, struct kt_produced *p)
{
	const struct kt_op *op = c->op;
	const struct kt_type *t = op->n_results == 1 ? op->results[0]->type : NULL;
	int ret;

	p->op = op;
	if (t && t->kind == KT_TY_FUTURE) {
		p->future = t;
		p->n_partials = t->n_partials;
		p->partials = t->partials;
		if (t->groups) {
			p->groups.set = t->groups;
			p->groups.at = t->groups->at;
			p->groups.well_formed = t->groups->enumerated ||
				(t->groups->n_dims == 1 && !t->groups->n_syms);
		}
	}
	set_fact(&p->tiles, kt_op_attr(op, "producer_tiles_per_group"), 1, 1);
	if (!p->groups.well_formed)
		return 0;
	ret = eval_groups(c, p);
	if (ret || !p->n_groups || !p->tiles.well_formed)
		return ret;
	p->producers = kt_alloc(c->arena, p->n_groups * sizeof(*p->producers));
	if (!p->producers)
		return -ENOMEM;
	return eval_per_group(c, &p->tiles, p->n_groups, p->group_ids, p->producers);
}

static bool expr_uses_sym(const struct kt_expr *e, int64_t sym)
{
	if (!e)
		return false;
	if (e->kind == KT_EXPR_SYM)
		return e->value == sym;
	return expr_uses_sym(e->lhs, sym) || expr_uses_sym(e->rhs, sym);
}

static bool set_uses_sym(const struct kt_set *s, unsigned int sym)
{
	unsigned int i;

	if (s->enumerated)
		return sym == 0;
	if (sym >= s->n_syms)
		return false;
	for (i = 0; i < s->n_constraints; i++) {
		const struct kt_constraint *k = &s->constraints[i];

		if (k->linear ? k->coef[s->n_dims + sym] != 0 : expr_uses_sym(k->expr, sym))
			return true;
	}
	return false;
}

/* Keep one copy of neighbouring equal sets. */
static void share_tiles(struct kt_check *c, struct kt_tiles *t, const struct kt_tiles *with)
{
	if (!t->n || t->ids == with->ids || c->deps.set->enumerated || !kt_tiles_equal(t, with))
		return;
	memset(t->ids, 0, t->n * sizeof(*t->ids));
	kt_arena_trim(c->arena, t->ids, t->n * sizeof(*t->ids), 0);
	c->members -= t->n;
	*t = *with;
}

static int eval_deps_of_group(struct kt_check *c, struct kt_group *g, bool per_consumer)
{
	uint32_t i;
	int ret;

	g->deps = kt_alloc(c->arena, g->consumers.n * sizeof(*g->deps));
	if (!g->deps)
		return -ENOMEM;
	for (i = 0; i < g->consumers.n; i++) {
		if (i && !per_consumer) {
			g->deps[i] = g->deps[0];
			continue;
		}
		ret = eval_set(c, &c->deps, true, g->id, g->consumers.ids[i], &g->deps[i]);
		if (ret)
			return ret;
		if (c->deps.fault.hit || c->deps.unbounded.hit)
			return 0;
		share_tiles(c, &g->deps[i], &g->producers);
		if (i)
			share_tiles(c, &g->deps[i], &g->deps[i - 1]);
	}
	return 0;
}

static int eval_deps(struct kt_check *c)
{
	bool per_consumer = set_uses_sym(c->deps.set, 0);
	unsigned int i;
	int ret;

	for (i = 0; i < c->d->n_groups; i++) {
		ret = eval_deps_of_group(c, &c->d->groups[i], per_consumer);
		if (ret)
			return ret;
		if (c->deps.fault.hit || c->deps.unbounded.hit)
			return 0;
	}
	c->deps.complete = true;
	return 0;
}

static int eval_delivery_sets(struct kt_check *c)
{
	struct kt_produced *p = c->prod;
	struct kt_delivery *d = c->d;
	struct kt_tiles *consumers;
	unsigned int i;
	int ret;

	consumers = kt_alloc(c->scratch, p->n_groups * sizeof(*consumers));
	d->groups = kt_alloc(c->arena, p->n_groups * sizeof(*d->groups));
	if (!consumers || !d->groups)
		return -ENOMEM;
	ret = eval_per_group(c, &c->consumers, p->n_groups, p->group_ids, consumers);
	if (ret)
		return ret;
	d->n_groups = p->n_groups;
	for (i = 0; i < p->n_groups; i++) {
		d->groups[i].id = p->group_ids[i];
		d->groups[i].producers = p->producers[i];
		d->groups[i].consumers = consumers[i];
	}
	c->membership = !c->consumers.fault.hit && !c->consumers.unbounded.hit;
	if (c->membership && c->deps.set) {
		ret = c->deps.well_formed ? eval_deps(c) : 0;
		if (ret)
			return ret;
		c->membership = c->deps.complete;
	}
	c->counts = c->membership && clean(&p->tiles) && clean(&c->consumers) &&
		    (!c->deps.set || !c->deps.empty.hit);
	return 0;
}

/* Whether P (producers per consumer) and C are one number, and which. */
static void count_uniform(struct kt_check *c)
{
	const struct kt_group *g = c->d->groups;
	unsigned int i;
	uint32_t k;

	c->p_uniform = true;
	c->c_uniform = true;
	c->n_c = g[0].consumers.n;
	c->n_p = kt_group_dep(&g[0], 0)->n;
	for (i = 0; i < c->d->n_groups; i++) {
		c->c_uniform = c->c_uniform && g[i].consumers.n == c->n_c;
		if (!g[i].deps)
			c->p_uniform = c->p_uniform && g[i].producers.n == c->n_p;
		for (k = 0; g[i].deps && k < g[i].consumers.n; k++)
			c->p_uniform = c->p_uniform && g[i].deps[k].n == c->n_p;
	}
}

/* --- axis lists --------------------------------------------------------------------- */

static void bad_list(struct kt_axis_list *l, enum kt_list_form form, struct kt_range at,
		     int64_t value)
{
	if (l->form != KT_LIST_OK)
		return;
	l->form = form;
	l->bad_at = at;
	l->bad_value = value;
}

static void read_list(struct kt_axis_list *l, const struct kt_op *op, const char *name,
		      unsigned int rank)
{
	const struct kt_attr *attr = kt_op_attr(op, name), *e;
	unsigned int i, n;

	l->wanted = true;
	l->name = name;
	l->attr = attr;
	if (!attr) {
		bad_list(l, KT_LIST_ABSENT, op->name_at, 0);
		return;
	}
	if (attr->kind != KT_AT_ARRAY && attr->kind != KT_AT_INT) {
		bad_list(l, KT_LIST_NOT_LIST, attr->at, 0);
		return;
	}
	e = attr->kind == KT_AT_INT ? attr : attr->elems;
	n = attr->kind == KT_AT_INT ? 1 : attr->n;
	if (!n)
		bad_list(l, KT_LIST_EMPTY, attr->at, 0);
	for (i = 0; i < n && l->form == KT_LIST_OK; i++) {
		if (e[i].kind != KT_AT_INT)
			bad_list(l, KT_LIST_NOT_LIST, e[i].at, 0);
		else if (e[i].i < 0 || e[i].i >= (int64_t)rank)
			bad_list(l, KT_LIST_RANGE, e[i].at, e[i].i);
		else if (i && e[i].i == e[i - 1].i)
			bad_list(l, KT_LIST_TWICE, e[i].at, e[i].i);
		else if (i && e[i].i < e[i - 1].i)
			bad_list(l, KT_LIST_ORDER, e[i].at, e[i].i);
		else
			l->axes[l->n++] = (unsigned int)e[i].i;
	}
}

static void read_lists(struct kt_check *c)
{
	const struct kt_produced *p = c->prod;
	struct kt_delivery *d = c->d;
	unsigned int i, rank = KT_MAX_RANK;

	for (i = 0; p && i < p->n_partials; i++)
		if (p->partials[i]->kind == KT_TY_TENSOR && p->partials[i]->rank < rank)
			rank = p->partials[i]->rank;
	if (d->kind == KT_OP_GATHER)
		read_list(&c->concat, c->op, "gather_dimensions", rank);
	if (d->kind == KT_OP_SCATTER || d->kind == KT_OP_REDUCE_SCATTER)
		read_list(&c->split, c->op, "scatter_dimensions", rank);
	if (d->kind == KT_OP_ALL_TO_ALL) {
		read_list(&c->split, c->op, "split_dimensions", rank);
		read_list(&c->concat, c->op, "concat_dimensions", rank);
	}
	d->n_concat = c->concat.n;
	d->n_split = c->split.n;
	memcpy(d->concat_axes, c->concat.axes, sizeof(d->concat_axes));
	memcpy(d->split_axes, c->split.axes, sizeof(d->split_axes));
}

/* --- types -------------------------------------------------------------------------- */

static bool static_tensor(const struct kt_type *t)
{
	unsigned int k;

	if (!t || t->kind != KT_TY_TENSOR)
		return false;
	for (k = 0; k < t->rank; k++)
		if (t->shape[k] < 1)
			return false;
	return true;
}

static int read_roles(struct kt_check *c)
{
	const struct kt_produced *p = c->prod;
	struct kt_delivery *d = c->d;
	unsigned int i, k;

	d->n_roles = p->n_partials;
	d->roles = kt_alloc(c->arena, d->n_roles * sizeof(*d->roles));
	if (!d->roles)
		return -ENOMEM;
	c->typed = d->n_roles && c->op->n_results == d->n_roles;
	for (i = 0; i < d->n_roles; i++) {
		struct kt_role *r = &d->roles[i];
		const struct kt_type *t = p->partials[i];
		bool index = t->elem_name && !strcmp(t->elem_name, "index");

		r->partial = t;
		if (i < c->op->n_results) {
			r->result_value = c->op->results[i];
			r->result = r->result_value->type;
		}
		r->elem_bytes = index ? 8 : t->elem_bits / 8;
		r->dtype = index ? KTE_DT_I64 : t->dtype;
		for (k = 0; k < KT_MAX_RANK; k++) {
			r->concat[k] = 1;
			r->split[k] = 1;
		}
		c->typed = c->typed && static_tensor(t) && static_tensor(r->result) &&
			   r->result->rank == t->rank &&
			   r->result->elem_bits == t->elem_bits && t->elem_name &&
			   r->result->elem_name && !strcmp(t->elem_name, r->result->elem_name);
	}
	return 0;
}

bool kt_stick_applies(const struct ktdev_stick *s, const struct kt_role *r)
{
	return s->axis < r->partial->rank &&
	       (uint64_t)s->lanes * r->elem_bytes == KTE_STICK_BYTES;
}

/* Axes a --stick declaration keeps: the lane axis of a physicalised tensor. */
static uint32_t lane_axes(const struct kt_check *c, const struct kt_role *r)
{
	uint32_t i, mask = 0;

	for (i = 0; i < c->opts->n_sticks; i++) {
		const struct ktdev_stick *s = &c->opts->sticks[i];

		if (kt_stick_applies(s, r) && r->partial->shape[s->axis] == s->lanes)
			mask |= 1u << s->axis;
	}
	return mask;
}

static int infer_factors(struct kt_check *c)
{
	struct kt_delivery *d = c->d;
	unsigned int i;

	if (!c->typed || !c->counts || !(c->concat.wanted || c->split.wanted) ||
	    c->concat.form != KT_LIST_OK || c->split.form != KT_LIST_OK ||
	    (c->concat.wanted && !c->p_uniform) || (c->split.wanted && !c->c_uniform))
		return 0;
	c->factors = kt_alloc(c->scratch, d->n_roles * sizeof(*c->factors));
	if (!c->factors)
		return -ENOMEM;
	for (i = 0; i < d->n_roles; i++) {
		struct kt_role *r = &d->roles[i];
		struct kt_factor_query q = {
			.rank = r->partial->rank,
			.tp = r->partial->shape,
			.tr = r->result->shape,
			.n_concat = c->concat.n,
			.n_split = c->split.n,
			.concat_axes = c->concat.axes,
			.split_axes = c->split.axes,
			.producers = c->concat.wanted ? c->n_p : 1,
			.consumers = c->split.wanted ? c->n_c : 1,
			.lanes = lane_axes(c, r),
		};

		kt_factor_infer(&q, &c->factors[i]);
		memcpy(r->concat, c->factors[i].f.concat, sizeof(r->concat));
		memcpy(r->split, c->factors[i].f.split, sizeof(r->split));
	}
	return 0;
}

/* Two arguments of each partial type; otherwise K6 speaks, and there is no meaning to find. */
static bool combiner_typed(const struct kt_check *c)
{
	const struct kt_op *y = kt_region_yield(c->op, KT_OP_YIELD_REDUCED);
	unsigned int i, n = c->prod->n_partials;
	const struct kt_block *b;

	if (!y || y->n_operands != n)
		return false;
	b = &c->op->regions[0].blocks[0];
	for (i = 0; i < b->n_args; i++)
		if (b->args[i]->type && !kt_type_equal(b->args[i]->type, c->prod->partials[i % n]))
			return false;
	return b->n_args == 2 * n;
}

int kt_facts_delivery(struct kt_check *c)
{
	struct kt_delivery *d = c->d;
	int ret;

	d->op = c->op;
	d->kind = c->op->kind;
	d->fold = kt_kind_folds(d->kind);
	set_fact(&c->consumers, kt_op_attr(c->op, "consumer_tiles_per_group"), 1, 1);
	if (d->kind != KT_OP_SCATTER)
		set_fact(&c->deps, kt_op_attr(c->op, "producer_dependency_per_consumer"), 1, 2);
	d->has_deps = c->deps.set;
	read_lists(c);
	if (!c->prod)
		return 0;
	d->produce = c->prod->op;
	ret = read_roles(c);
	if (ret)
		return ret;
	if (c->prod->producers && c->consumers.well_formed) {
		ret = eval_delivery_sets(c);
		if (ret)
			return ret;
	}
	if (c->counts)
		count_uniform(c);
	ret = infer_factors(c);
	if (ret || !d->fold || !c->typed || !combiner_typed(c))
		return ret;
	return kt_combiner_recognise(c->mod, d, c->arena, &c->combiner);
}
