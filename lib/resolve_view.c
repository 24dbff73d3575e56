// SPDX-License-Identifier: MIT
/*
 * Views and access tiles: bases, sizes, strides, coordinates.
 */
#include <errno.h>
#include <string.h>

#include "resolve.h"

#define LL(x) ((long long)(x))

struct kt_rs_value kt_rs_value_of(enum kt_rs_kind kind, const void *p)
{
	struct kt_rs_value v = { .kind = kind };

	v.u.view = p;
	return v;
}

/* An integer that must be known: reports K8 or K12. */
bool kt_rs_known(struct kt_rs *rs, const struct kt_ix *x, struct kt_range at,
		       const char *what)
{
	struct kt_diag *d;

	if (x->kind == KT_IX_KNOWN)
		return true;
	if (x->kind == KT_IX_BAD) {
		d = kt_rs_say(rs, (const char *)rs->src->text + x->at.off, x->at, KT_K12,
			      KTDEV_ERROR, "arithmetic fails on tile %u: %s", x->tile, x->why);
		if (d)
			kt_diag_witness(d, KT_NO_WITNESS, x->tile, KT_NO_WITNESS);
		return false;
	}
	if (rs->ix.over)
		return false;	/* said at the end */
	d = kt_rs_say(rs, (const char *)rs->src->text + at.off, at, KT_K8, KTDEV_ERROR,
		      "%s of a scratchpad view is only known at run time", what);
	if (d && x->at.end > x->at.off)
		kt_diag_note(d, rs->src, x->at, "the value comes from here");
	return false;
}

/* --- views --------------------------------------------------------------------------------- */

/* The coordinates a set leaves of the view; whole sizes without one. */
static void clip_to_set(struct kt_rs *rs, const struct kt_op *op, struct kt_rs_view *v)
{
	const struct kt_attr *at = kt_op_attr(op, "coordinate_set");
	int64_t lo[KT_SET_MAX_DIMS], hi[KT_SET_MAX_DIMS];
	bool exact = true;
	unsigned int i;

	if (!at || at->kind != KT_AT_SET || !at->set || at->set->n_dims != v->rank ||
	    at->set->n_syms || at->set->enumerated)
		return;
	switch (kt_set_box(at->set, lo, hi, &exact)) {
	case KT_SET_OK:
		break;
	case KT_SET_OVERFLOW:
		kt_rs_say(rs, op, at->at, KT_K12, KTDEV_ERROR,
			  "arithmetic of the coordinate set overflows or divides by 0");
		return;
	case KT_SET_NOMEM:
		rs->ix.nomem = true;
		return;
	default:
		return;
	}
	for (i = 0; i < v->rank; i++) {
		if (lo[i] > v->lo[i])
			v->lo[i] = lo[i];
		if (hi[i] < v->hi[i])
			v->hi[i] = hi[i];
	}
	if (!exact && v->space == KT_SPACE_LOCAL)
		kt_rs_say(rs, op, at->at, KT_K13, KTDEV_UNSUPPORTED,
			  "a coordinate set that is not a box cannot be placed");
}

/* Sizes and strides: from the lists, else row-major over the type's shape. */
static bool view_shape(struct kt_rs *rs, const struct kt_op *op, const struct kt_type *ty,
		       struct kt_rs_view *v)
{
	bool local = v->space == KT_SPACE_LOCAL;
	int64_t packed = 1, size;
	unsigned int i;

	v->rank = ty->rank;
	if ((op->sizes.present && op->sizes.n != v->rank) ||
	    (op->strides.present && op->strides.n != v->rank)) {
		kt_rs_say(rs, op, op->at, KT_K6, KTDEV_ERROR,
			  "sizes and strides of a view must have one entry per axis");
		return false;
	}
	for (i = v->rank; i-- > 0;) {
		struct kt_ix s = op->sizes.present ? kt_rs_index(rs, &op->sizes.e[i]) :
						     kt_ix_const(ty->shape[i]);
		struct kt_ix st = op->strides.present ? kt_rs_index(rs, &op->strides.e[i]) :
							kt_ix_const(packed);

		if (local && !kt_rs_known(rs, &s, op->sizes.e[i].at, "a size"))
			return false;
		if (local && !kt_rs_known(rs, &st, op->strides.e[i].at, "a stride"))
			return false;
		size = kt_ix_uniform(&s) ? s.c : INT64_MAX;
		v->stride[i] = kt_ix_uniform(&st) ? st.c : 0;
		v->lo[i] = 0;
		v->hi[i] = size - 1;
		if (__builtin_mul_overflow(packed, size, &packed))
			packed = 0;
	}
	return true;
}

int kt_rs_memory_view(struct kt_rs *rs, const struct kt_op *op)
{
	const struct kt_type *ty = op->n_results ? op->results[0]->type : NULL;
	struct kt_rs_view *v = kt_alloc(rs->a, sizeof(*v));
	struct kt_rs_value val, base;

	if (!v)
		return -ENOMEM;
	if (!ty || ty->kind != KT_TY_MEMREF || !op->n_operands)
		return 0;
	v->op = op;
	v->space = op->space;
	v->elem_bytes = ty->elem_bits % 8 ? 0 : ty->elem_bits / 8;
	if (ty->elem_name && !strcmp(ty->elem_name, "index"))
		v->elem_bytes = 8;
	base = kt_rs_get(rs, op->operands[0].value);
	v->base = base.kind == KT_RS_INDEX ? base.ix : kt_ix_runtime(op->operands[0].at);
	v->has_ct_id = op->ct_id_present;
	if (v->has_ct_id)
		v->ct_id = kt_rs_index(rs, &op->ct_id);
	if (v->space == KT_SPACE_LOCAL && !kt_rs_known(rs, &v->base, op->operands[0].at, "the base"))
		return 0;
	if (!view_shape(rs, op, ty, v))
		return 0;
	clip_to_set(rs, op, v);
	val = kt_rs_value_of(KT_RS_VIEW, v);
	return kt_rs_set(rs, op->results[0], &val);
}

/* --- access tiles --------------------------------------------------------------------------- */

/* Whether a map keeps the order of its axes. */
static bool identity_map(const struct kt_map *m)
{
	unsigned int i;

	if (m->n_results != m->n_dims)
		return false;
	for (i = 0; i < m->n_results; i++)
		if (m->results[i]->kind != KT_EXPR_DIM || m->results[i]->value != i)
			return false;
	return true;
}

static bool access_shape(struct kt_rs *rs, const struct kt_op *op, const struct kt_type *ty,
			 struct kt_rs_access *acc, int64_t *lo)
{
	const struct kt_attr *at = kt_op_attr(op, "access_tile_set");
	const struct kt_attr *order = kt_op_attr(op, "access_tile_order");
	int64_t hi[KT_SET_MAX_DIMS];
	enum kt_set_status st;
	unsigned int i;
	bool exact = true;

	memset(lo, 0, KT_SET_MAX_DIMS * sizeof(*lo));
	for (i = 0; i < ty->rank; i++)
		acc->size[i] = ty->shape[i];
	if (order && (order->kind != KT_AT_MAP || !order->map || !identity_map(order->map)))
		kt_rs_say(rs, op, order->at, KT_K13, KTDEV_UNSUPPORTED,
			  "only the identity is supported as access_tile_order");
	if (!at || at->kind != KT_AT_SET || !at->set || at->set->n_dims != ty->rank ||
	    at->set->n_syms || at->set->enumerated)
		return true;
	st = kt_set_box(at->set, lo, hi, &exact);
	if (st == KT_SET_OVERFLOW) {
		kt_rs_say(rs, op, at->at, KT_K12, KTDEV_ERROR,
			  "arithmetic of the access tile's set overflows or divides by 0");
		return false;
	}
	if (st != KT_SET_OK || !exact) {
		kt_rs_say(rs, op, at->at, KT_K13, KTDEV_UNSUPPORTED,
			  "the set of an access tile must be a bounded box");
		return false;
	}
	for (i = 0; i < ty->rank; i++) {
		if (ty->shape[i] < 0)
			acc->size[i] = hi[i] - lo[i] + 1;
		if (hi[i] - lo[i] + 1 == acc->size[i])
			continue;
		kt_rs_say(rs, op, at->at, KT_K6, KTDEV_ERROR,
			  "the access tile's type has %lld elements along axis %u, its set %lld",
			  LL(acc->size[i]), i, LL(hi[i] - lo[i] + 1));
		return false;
	}
	return true;
}

int kt_rs_access_tile(struct kt_rs *rs, const struct kt_op *op)
{
	const struct kt_type *ty = op->n_results ? op->results[0]->type : NULL;
	struct kt_rs_value in, val;
	struct kt_rs_access *acc;
	int64_t lo[KT_SET_MAX_DIMS];
	struct kt_ix sum;
	unsigned int i;

	if (!ty || ty->kind != KT_TY_ACCESS_TILE || !op->n_operands)
		return 0;
	in = kt_rs_get(rs, op->operands[0].value);
	if (in.kind != KT_RS_VIEW)
		return 0;
	acc = kt_alloc(rs->a, sizeof(*acc));
	if (!acc)
		return -ENOMEM;
	acc->op = op;
	acc->view = in.u.view;
	if (ty->rank != acc->view->rank || op->offsets.n != ty->rank) {
		kt_rs_say(rs, op, op->at, KT_K6, KTDEV_ERROR,
			  "an access tile needs one subscript and one size per axis of its view");
		return 0;
	}
	if (!access_shape(rs, op, ty, acc, lo))
		return 0;
	sum = acc->view->base;
	for (i = 0; i < ty->rank; i++) {
		acc->at[i] = kt_ix_add(&rs->ix, kt_rs_index(rs, &op->offsets.e[i]),
				       kt_ix_const(lo[i]), op->offsets.e[i].at);
		if (acc->view->space == KT_SPACE_LOCAL &&
		    !kt_rs_known(rs, &acc->at[i], op->offsets.e[i].at, "a subscript"))
			return 0;
		sum = kt_ix_add(&rs->ix, sum,
				kt_ix_mul(&rs->ix, acc->at[i], kt_ix_const(acc->view->stride[i]),
					  op->at), op->at);
	}
	acc->offset = kt_ix_mul(&rs->ix, sum, kt_ix_const(acc->view->elem_bytes), op->at);
	val = kt_rs_value_of(KT_RS_ACCESS, acc);
	return kt_rs_set(rs, op->results[0], &val);
}
