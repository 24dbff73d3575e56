// SPDX-License-Identifier: MIT
/*
 * Walks a function in order of execution and records its deliveries with the places of
 * their partials and results. Loops with constant bounds are unrolled; deliveries under
 * control flow that depends on the tile or on run-time values are unsupported.
 */
#include "resolve.h"

#include <errno.h>
#include <string.h>

static int walk_region(struct kt_rs *rs, const struct kt_region *r,
		       struct kt_rs_value *yields, unsigned int n_yields);

static int set_ix(struct kt_rs *rs, const struct kt_value *v, struct kt_ix ix)
{
	struct kt_rs_value val = { .kind = KT_RS_INDEX, .ix = ix };

	return kt_rs_set(rs, v, &val);
}

/* --- bodies ------------------------------------------------------------------------------- */

/* What a body holds that must not be passed over. */
struct search {
	const struct kt_rs *rs;
	const struct kt_op *delivery;
	const struct kt_op *store;		/* any */
	const struct kt_op *result_store;	/* of a delivered value from outside */
};

static int search_fn(const struct kt_op *op, void *ctx)
{
	struct search *s = ctx;
	const struct kt_value *v;

	if (!s->delivery && kt_op_is_delivery(op))
		s->delivery = op;
	if (op->kind != KT_OP_STORE || !op->n_operands)
		return 0;
	if (!s->store)
		s->store = op;
	v = op->operands[0].value;
	while (v && v->def && v->def->kind == KT_OP_EXTRACT_SLICE && v->def->n_operands)
		v = v->def->operands[0].value;
	if (!s->result_store && v && kt_rs_get(s->rs, v).kind == KT_RS_RESULT)
		s->result_store = op;
	return 0;
}

static struct search search_op(const struct kt_rs *rs, const struct kt_op *op)
{
	struct search s = { .rs = rs };
	unsigned int i;

	for (i = 0; i < op->n_regions; i++)
		kt_region_walk(&op->regions[i], search_fn, &s);
	return s;
}

/* A body that cannot be followed: said where it holds a delivery or stores a result. */
static void not_followed(struct kt_rs *rs, const struct kt_op *op, const char *why)
{
	struct search s = search_op(rs, op);
	const struct kt_op *at = s.delivery ? s.delivery : s.result_store;
	struct kt_diag *d;

	if (!at)
		return;
	d = kt_rs_say(rs, at, at->at, KT_K10, KTDEV_UNSUPPORTED, "%s under %s cannot be scheduled",
		      s.delivery ? "a delivery" : "the store of a result", why);
	if (d)
		kt_diag_note(d, rs->src, op->name_at, "the control flow is here");
}

/* --- deliveries ------------------------------------------------------------------------------ */

static const struct kt_delivery *delivery_of(struct kt_rs *rs, const struct kt_op *op)
{
	unsigned int i, n = rs->chk->n_deliveries;

	for (i = 0; i < n; i++) {
		unsigned int at = (rs->hint + i) % n;

		if (rs->chk->deliveries[at].op == op) {
			rs->hint = at + 1 < n ? at + 1 : 0;
			return &rs->chk->deliveries[at];
		}
	}
	return NULL;
}

static struct kt_step *new_step(struct kt_rs *rs, const struct kt_delivery *d)
{
	struct kt_program *p = rs->prog;

	if (p->n_steps == rs->cap_steps) {
		uint32_t cap = rs->cap_steps ? 2 * rs->cap_steps : 4;
		struct kt_step *v = kt_alloc(rs->a, cap * sizeof(*v));
		struct kt_rs_step *m = kt_alloc(rs->a, cap * sizeof(*m));

		if (!v || !m)
			return NULL;
		if (p->n_steps) {
			memcpy(v, p->steps, p->n_steps * sizeof(*v));
			memcpy(m, rs->more, p->n_steps * sizeof(*m));
		}
		p->steps = v;
		rs->more = m;
		rs->cap_steps = cap;
	}
	p->steps[p->n_steps].d = d;
	return &p->steps[p->n_steps++];
}

static int consumers_of(struct kt_rs *rs, const struct kt_delivery *d, const int32_t **out)
{
	int32_t *group_of = kt_alloc(rs->a, rs->chk->n_tiles * sizeof(*group_of));
	uint32_t g, c;

	if (!group_of)
		return -ENOMEM;
	memset(group_of, 0xff, rs->chk->n_tiles * sizeof(*group_of));
	for (g = 0; g < d->n_groups; g++)
		for (c = 0; c < d->groups[g].consumers.n; c++)
			group_of[d->groups[g].consumers.ids[c]] = (int32_t)g;
	*out = group_of;
	return 0;
}

static int places(struct kt_rs *rs, struct kt_step *s, const struct kt_rs_value *yields)
{
	const struct kt_delivery *d = s->d;
	uint32_t g, p, r, n = 0;
	int ret;

	for (g = 0; g < d->n_groups; g++)
		n += d->groups[g].producers.n * d->n_roles;
	s->n_src = n;
	s->src = kt_alloc(rs->a, n * sizeof(*s->src));
	s->src_load_seq = kt_alloc(rs->a, n * sizeof(*s->src_load_seq));
	if (!s->src || !s->src_load_seq)
		return -ENOMEM;
	for (g = 0, n = 0; g < d->n_groups; g++)
		for (p = 0; p < d->groups[g].producers.n; p++)
			for (r = 0; r < d->n_roles; r++, n++) {
				ret = kt_rs_partial(rs, &yields[r], d, r, d->groups[g].id,
						    d->groups[g].producers.ids[p], &s->src[n],
						    &s->src_load_seq[n]);
				if (ret)
					return ret;
			}
	return 0;
}

/* Results that a tile uses without having received them are undefined there. */
static void warn_uses(struct kt_rs *rs, const struct kt_step *s, const int32_t *group_of)
{
	const struct kt_delivery *d = s->d;
	uint32_t t = 0, r, u;

	while (t < rs->chk->n_tiles && group_of[t] >= 0)
		t++;
	if (t == rs->chk->n_tiles)
		return;
	for (r = 0; r < d->n_roles; r++) {
		const struct kt_value *v = d->roles[r].result_value;

		for (u = 0; v && u < v->n_uses; u++) {
			const struct kt_op *op = v->uses[u].op;
			struct kt_diag *diag;

			if (op->kind != KT_OP_OTHER && op->kind != KT_OP_ARITH)
				continue;
			diag = kt_rs_say(rs, d->op, op->at, KT_RULE_NONE, KTDEV_WARNING,
					 "the result is undefined on tiles that do not receive it, such as tile %u",
					 t);
			if (diag) {
				kt_diag_witness(diag, KT_NO_WITNESS, t, KT_NO_WITNESS);
				kt_diag_note(diag, rs->src, d->op->name_at,
					     "the result is delivered here");
			}
			return;
		}
	}
}

static int result_values(struct kt_rs *rs, unsigned int step)
{
	const struct kt_delivery *d = rs->prog->steps[step].d;
	unsigned int r, a;
	int ret;

	for (r = 0; r < d->n_roles; r++) {
		struct kt_rs_result *res = kt_alloc(rs->a, sizeof(*res));
		struct kt_rs_value val = { .kind = KT_RS_RESULT };

		if (!res)
			return -ENOMEM;
		res->step = step;
		res->role = r;
		res->rank = d->roles[r].result->rank;
		res->n_axes = res->rank;
		for (a = 0; a < res->rank; a++) {
			res->start[a] = kt_ix_const(0);
			res->size[a] = d->roles[r].result->shape[a];
			res->axes[a] = a;
		}
		val.u.result = res;
		ret = d->roles[r].result_value ? kt_rs_set(rs, d->roles[r].result_value, &val) : 0;
		if (ret)
			return ret;
	}
	return 0;
}

static int do_delivery(struct kt_rs *rs, const struct kt_op *op)
{
	const struct kt_delivery *d = delivery_of(rs, op);
	struct kt_rs_value fut;
	const int32_t *group_of;
	struct kt_step *s;
	uint64_t n = 0;
	uint32_t g;
	int ret;

	rs->seq++;
	if (!d || !d->valid || !op->n_operands)
		return 0;
	if (rs->ix.act.ids) {
		kt_rs_say(rs, op, op->at, KT_K10, KTDEV_UNSUPPORTED,
			  "a delivery under tile-dependent control flow cannot be scheduled");
		return 0;
	}
	fut = kt_rs_get(rs, op->operands[0].value);
	for (g = 0; g < d->n_groups; g++)
		n += (uint64_t)d->groups[g].producers.n * d->n_roles;
	if (fut.kind != KT_RS_FUTURE || !kt_rs_room(rs, op, n))
		return 0;
	s = new_step(rs, d);
	if (!s)
		return -ENOMEM;
	s->seq = rs->seq;
	ret = consumers_of(rs, d, &group_of);
	if (ret)
		return ret;
	rs->more[rs->prog->n_steps - 1].group_of = group_of;
	ret = places(rs, s, fut.u.yields);
	if (ret)
		return ret;
	warn_uses(rs, s, group_of);
	return result_values(rs, rs->prog->n_steps - 1);
}

/* The delivery that uses a produce's future: its groups say who produces. */
static const struct kt_delivery *user_of(const struct kt_rs *rs, const struct kt_op *produce)
{
	unsigned int i;

	for (i = 0; i < rs->chk->n_deliveries; i++) {
		unsigned int at = (rs->hint + i) % rs->chk->n_deliveries;

		if (rs->chk->deliveries[at].produce == produce)
			return &rs->chk->deliveries[at];
	}
	return NULL;
}

/* The producing tiles, ascending, and their groups. */
static int producers_of(struct kt_rs *rs, const struct kt_delivery *d, struct kt_active *act,
			int64_t **gid)
{
	uint32_t g, p, t, n = 0, *ids;
	uint8_t *on = kt_alloc(rs->a, rs->chk->n_tiles);

	*gid = kt_alloc(rs->a, rs->chk->n_tiles * sizeof(**gid));
	ids = kt_alloc(rs->a, rs->chk->n_tiles * sizeof(*ids));
	if (!on || !*gid || !ids)
		return -ENOMEM;
	for (g = 0; g < d->n_groups; g++)
		for (p = 0; p < d->groups[g].producers.n; p++) {
			t = d->groups[g].producers.ids[p];
			on[t] = 1;
			(*gid)[t] = d->groups[g].id;
		}
	for (t = 0; t < rs->chk->n_tiles; t++)
		if (on[t])
			ids[n++] = t;
	act->n = n;
	act->ids = ids;
	return 0;
}

static int do_produce(struct kt_rs *rs, const struct kt_op *op)
{
	const struct kt_delivery *d = user_of(rs, op);
	struct kt_active saved = rs->ix.act;
	struct kt_rs_value fut = { .kind = KT_RS_FUTURE }, *yields;
	const struct kt_block *body;
	int64_t *gid;
	int ret;

	if (!d || !d->valid || !op->n_regions || !op->regions[0].n_blocks || !op->n_results)
		return 0;
	if (saved.ids)
		return 0;	/* the delivery says so */
	body = &op->regions[0].blocks[0];
	yields = kt_alloc(rs->a, d->n_roles * sizeof(*yields));
	ret = yields ? producers_of(rs, d, &rs->ix.act, &gid) : -ENOMEM;
	if (!ret && body->n_args)
		ret = set_ix(rs, body->args[0], kt_ix_vec(gid));
	if (!ret)
		ret = walk_region(rs, &op->regions[0], yields, d->n_roles);
	rs->ix.act = saved;
	fut.u.yields = yields;
	return ret ? ret : kt_rs_set(rs, op->results[0], &fut);
}

/* --- control flow -------------------------------------------------------------------------------- */

static int forget_results(struct kt_rs *rs, const struct kt_op *op)
{
	struct kt_rs_value unknown = { .kind = KT_RS_UNKNOWN };
	unsigned int i;
	int ret = 0;

	for (i = 0; i < op->n_results && !ret; i++)
		ret = kt_rs_set(rs, op->results[i], &unknown);
	return ret;
}

static int do_for(struct kt_rs *rs, const struct kt_op *op)
{
	struct kt_ix lo = kt_rs_index(rs, &op->lower), hi = kt_rs_index(rs, &op->upper);
	struct kt_ix step = kt_rs_index(rs, &op->step);
	struct search s = search_op(rs, op);
	struct kt_rs_value *iter;
	const struct kt_block *body;
	unsigned int i, n = op->n_results;
	int64_t iv;
	int ret;

	if (!op->n_regions || op->regions[0].n_blocks != 1)
		return 0;
	body = &op->regions[0].blocks[0];
	if ((!s.delivery && !s.store) || op->n_operands < n) {
		not_followed(rs, op, "a loop without a known form");
		return forget_results(rs, op);
	}
	if (kt_ix_uniform(&step) && step.c < 1) {
		not_followed(rs, op, "a loop whose step is not positive");
		return forget_results(rs, op);
	}
	if (!kt_ix_uniform(&lo) || !kt_ix_uniform(&hi) || !kt_ix_uniform(&step)) {
		not_followed(rs, op, step.kind == KT_IX_KNOWN && lo.kind == KT_IX_KNOWN &&
			     hi.kind == KT_IX_KNOWN ? "a loop whose bounds differ per tile" :
			     "a loop whose bounds are only known at run time");
		return forget_results(rs, op);
	}
	iter = kt_alloc(rs->a, (n + 1) * sizeof(*iter));
	if (!iter)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		iter[i] = kt_rs_get(rs, op->operands[op->n_operands - n + i].value);
	for (iv = lo.c; iv < hi.c; iv = iv > INT64_MAX - step.c ? INT64_MAX : iv + step.c) {
		ret = body->n_args ? set_ix(rs, body->args[0], kt_ix_const(iv)) : 0;
		for (i = 0; !ret && i < n && i + 1 < body->n_args; i++)
			ret = kt_rs_set(rs, body->args[i + 1], &iter[i]);
		if (!ret)
			ret = walk_region(rs, &op->regions[0], iter, n);
		if (ret)
			return ret;
		if (rs->ops > KT_RS_MAX_OPS || rs->ix.over ||
		    rs->a->used - rs->used_before > KT_RS_MAX_BYTES) {
			not_followed(rs, op, "loops too long to unroll");
			return forget_results(rs, op);
		}
	}
	for (i = 0, ret = 0; i < n && !ret; i++)
		ret = kt_rs_set(rs, op->results[i], &iter[i]);
	return ret;
}

/* The tiles of @all for which @cond is (not) zero. */
static int split_active(struct kt_rs *rs, const struct kt_ix *cond, bool want,
			const struct kt_active *all, struct kt_active *out)
{
	uint32_t i, *ids = kt_alloc(rs->a, (all->n + 1) * sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	out->n = 0;
	out->ids = ids;
	for (i = 0; i < all->n; i++) {
		uint32_t t = kt_active_tile(all, i);

		if ((kt_ix_at(cond, t) != 0) == want)
			ids[out->n++] = t;
	}
	return 0;
}

/* Stores and loads under a tile-dependent condition run on the tiles that take it. */
static int if_per_tile(struct kt_rs *rs, const struct kt_op *op, const struct kt_ix *cond)
{
	struct kt_active saved = rs->ix.act;
	struct kt_rs_value *drop = kt_alloc(rs->a, (op->n_results + 1) * sizeof(*drop));
	unsigned int i;
	int ret = drop ? 0 : -ENOMEM;

	if (search_op(rs, op).delivery) {
		not_followed(rs, op, "tile-dependent control flow");
		return forget_results(rs, op);
	}
	for (i = 0; i < op->n_regions && i < 2 && !ret; i++) {
		ret = split_active(rs, cond, i == 0, &saved, &rs->ix.act);
		if (!ret && rs->ix.act.n)
			ret = walk_region(rs, &op->regions[i], drop, op->n_results);
		rs->ix.act = saved;
	}
	return ret ? ret : forget_results(rs, op);
}

static int do_if(struct kt_rs *rs, const struct kt_op *op)
{
	struct kt_rs_value *out, cond;
	unsigned int i, taken;
	int ret = 0;

	cond = kt_rs_get(rs, op->n_operands ? op->operands[0].value : NULL);
	if (cond.kind != KT_RS_INDEX || cond.ix.kind != KT_IX_KNOWN) {
		not_followed(rs, op, "a condition only known at run time");
		return forget_results(rs, op);
	}
	if (!kt_ix_uniform(&cond.ix))
		return if_per_tile(rs, op, &cond.ix);
	taken = cond.ix.c ? 0 : 1;
	if (taken >= op->n_regions)
		return 0;
	out = kt_alloc(rs->a, (op->n_results + 1) * sizeof(*out));
	if (!out)
		return -ENOMEM;
	ret = walk_region(rs, &op->regions[taken], out, op->n_results);
	for (i = 0; i < op->n_results && !ret; i++)
		ret = kt_rs_set(rs, op->results[i], &out[i]);
	return ret;
}

static int do_call(struct kt_rs *rs, const struct kt_op *op)
{
	const struct kt_attr *callee = kt_op_attr(op, "callee");
	unsigned int i;

	for (i = 0; callee && callee->s && i < rs->chk->mod->n_funcs; i++) {
		const struct kt_func *f = rs->chk->mod->funcs[i];
		struct search s = { .rs = rs };

		if (strcmp(f->name, callee->s))
			continue;
		kt_region_walk(&f->body, search_fn, &s);
		if (s.delivery)
			kt_rs_say(rs, op, op->at, KT_K10, KTDEV_UNSUPPORTED,
				  "calling @%s, which delivers, is not supported", f->name);
	}
	return forget_results(rs, op);
}

/* --- simple ops ------------------------------------------------------------------------------------ */

static int do_constant(struct kt_rs *rs, const struct kt_op *op)
{
	const struct kt_attr *v = kt_op_attr(op, "value");

	if (!v || !op->n_results || (v->kind != KT_AT_INT && v->kind != KT_AT_BOOL))
		return 0;
	return set_ix(rs, op->results[0], kt_ix_const(v->i));
}

/* One result: the tile's number. Several: its coordinates in the grid, row-major. */
static int do_tile_id(struct kt_rs *rs, const struct kt_op *op)
{
	int64_t inner = 1, *vec;
	unsigned int i;
	uint32_t t;
	int ret;

	if (op->n_results == 1) {
		struct kt_ix id = kt_ix_const(0);

		id.k = 1;
		return set_ix(rs, op->results[0], id);
	}
	if (op->n_results != rs->func->n_grid)
		return 0;
	for (i = op->n_results; i-- > 0;) {
		vec = kt_alloc(rs->a, rs->chk->n_tiles * sizeof(*vec));
		if (!vec)
			return -ENOMEM;
		if (rs->func->grid[i] < 1)
			return 0;
		for (t = 0; t < rs->chk->n_tiles; t++)
			vec[t] = t / inner % rs->func->grid[i];
		if (__builtin_mul_overflow(inner, rs->func->grid[i], &inner))
			return 0;
		ret = set_ix(rs, op->results[i], kt_ix_vec(vec));
		if (ret)
			return ret;
	}
	return 0;
}

static int do_arith(struct kt_rs *rs, const struct kt_op *op)
{
	struct kt_ix in[KT_IX_MAX_ARGS];
	unsigned int i;

	if (op->n_results != 1 || op->n_operands > KT_IX_MAX_ARGS)
		return 0;
	for (i = 0; i < op->n_operands; i++) {
		struct kt_rs_value v = kt_rs_get(rs, op->operands[i].value);

		in[i] = v.kind == KT_RS_INDEX ? v.ix : kt_ix_runtime(op->operands[i].at);
	}
	return set_ix(rs, op->results[0], kt_ix_op(&rs->ix, op, in, op->n_operands));
}

static int do_yield(struct kt_rs *rs, const struct kt_op *op, struct kt_rs_value *yields,
		    unsigned int n)
{
	struct kt_rs_value tmp[16];
	unsigned int i;

	/* all are read before any is written: @yields may be what the operands came from */
	for (i = 0; i < n && i < op->n_operands && i < 16; i++)
		tmp[i] = kt_rs_get(rs, op->operands[i].value);
	memcpy(yields, tmp, i * sizeof(*tmp));
	for (; i < n && i < op->n_operands; i++)
		yields[i] = kt_rs_get(rs, op->operands[i].value);
	return 0;
}

static int walk_op(struct kt_rs *rs, const struct kt_op *op, struct kt_rs_value *yields,
		   unsigned int n_yields)
{
	switch (op->kind) {
	case KT_OP_CONSTANT:
		return do_constant(rs, op);
	case KT_OP_ARITH:
		return do_arith(rs, op);
	case KT_OP_TILE_ID:
		return do_tile_id(rs, op);
	case KT_OP_MEMORY_VIEW:
		return kt_rs_memory_view(rs, op);
	case KT_OP_ACCESS_TILE:
		return kt_rs_access_tile(rs, op);
	case KT_OP_LOAD:
		return kt_rs_load(rs, op);
	case KT_OP_STORE:
		return kt_rs_store(rs, op);
	case KT_OP_EXTRACT_SLICE:
		return kt_rs_extract_slice(rs, op);
	case KT_OP_PRODUCE:
		return do_produce(rs, op);
	case KT_OP_FOR:
		return do_for(rs, op);
	case KT_OP_IF:
		return do_if(rs, op);
	case KT_OP_CALL:
		return do_call(rs, op);
	case KT_OP_YIELD_PARTIAL:
	case KT_OP_SCF_YIELD:
		return do_yield(rs, op, yields, n_yields);
	default:
		if (kt_op_is_delivery(op))
			return do_delivery(rs, op);
		not_followed(rs, op, "an op whose control flow is not known");
		return 0;
	}
}

static int walk_region(struct kt_rs *rs, const struct kt_region *r,
		       struct kt_rs_value *yields, unsigned int n_yields)
{
	const struct kt_op *op;
	int ret = 0;

	if (r->n_blocks != 1) {
		struct search s = { .rs = rs };

		kt_region_walk(r, search_fn, &s);
		if (s.delivery)
			kt_rs_say(rs, s.delivery, s.delivery->at, KT_K10, KTDEV_UNSUPPORTED,
				  "a delivery in a body of several blocks cannot be scheduled");
		return 0;
	}
	for (op = r->blocks[0].first; op && !ret; op = op->next) {
		rs->ops++;
		ret = walk_op(rs, op, yields, n_yields);
		if (rs->ix.nomem)
			ret = -ENOMEM;
	}
	return ret;
}

int kt_resolve(const struct kt_checked *chk, const struct kt_func *func, struct ktdev_report *rep,
	       struct kt_arena *a, struct kt_program *out)
{
	struct kt_rs rs = {
		.chk = chk, .func = func, .src = &chk->mod->src, .rep = rep, .a = a, .prog = out,
		.ix = {
			.a = a, .n_tiles = chk->n_tiles, .act = { .n = chk->n_tiles },
			.budget = KT_RS_MAX_VEC,
		},
		.n_slots = 64, .used_before = a->used,
	};
	int ret;

	memset(out, 0, sizeof(*out));
	out->func = func;
	out->n_tiles = chk->n_tiles;
	rs.slots = kt_alloc(a, rs.n_slots * sizeof(*rs.slots));
	if (!rs.slots)
		return -ENOMEM;
	ret = walk_region(&rs, &func->body, NULL, 0);
	if (ret)
		return ret;
	if (rs.ix.over)
		kt_rs_say(&rs, func, func->name_at, KT_K10, KTDEV_UNSUPPORTED,
			  "the address arithmetic of @%s is too large to evaluate for every tile",
			  func->name);
	if (rs.error)
		return -EINVAL;
	return rs.unsupported ? -EOPNOTSUPP : 0;
}
