// SPDX-License-Identifier: MIT
/*
 * Loads, slices and stores: which bytes of whose scratchpad a partial is and where a
 * result lands. Bounds are checked on the tiles that use them.
 */
#include <errno.h>
#include <string.h>

#include "resolve.h"

#define LL(x) ((long long)(x))

/* Whether the access tile lies inside its view on @tile. */
static bool in_bounds(struct kt_rs *rs, const struct kt_rs_access *acc, int64_t group,
		      uint32_t tile, int64_t consumer)
{
	const struct kt_rs_view *v = acc->view;
	struct kt_diag *d;
	unsigned int i;

	for (i = 0; i < v->rank; i++) {
		int64_t at;

		if (acc->at[i].kind != KT_IX_KNOWN)
			continue;
		at = kt_ix_at(&acc->at[i], tile);
		if (at >= v->lo[i] && at <= v->hi[i] && acc->size[i] - 1 <= v->hi[i] - at)
			continue;
		d = kt_rs_say(rs, acc->op, acc->op->offsets.e[i].at, KT_K13, KTDEV_ERROR,
			      "elements %lld..%lld along axis %u lie outside the view, which has %lld..%lld",
			      LL(at), LL(at + acc->size[i] - 1), i, LL(v->lo[i]), LL(v->hi[i]));
		if (d) {
			kt_diag_witness(d, group, tile, consumer);
			kt_diag_note(d, rs->src, v->op->at, "the view");
		}
		return false;
	}
	return true;
}

static bool slices_in_bounds(struct kt_rs *rs, const struct kt_rs_slice *s, int64_t group,
			     uint32_t tile, int64_t consumer)
{
	struct kt_diag *d;

	for (; s; s = s->outer) {
		int64_t at, last;

		if (s->start.kind != KT_IX_KNOWN)
			continue;
		at = kt_ix_at(&s->start, tile);
		if (at >= 0 && s->size > 0 &&
		    !__builtin_mul_overflow(s->size - 1, s->stride, &last) &&
		    !__builtin_add_overflow(at, last, &last) && last < s->extent)
			continue;
		d = kt_rs_say(rs, s, s->at, KT_K13, KTDEV_ERROR,
			      "a slice of %lld from element %lld leaves axis %u of %lld elements",
			      LL(s->size), LL(at), s->axis, LL(s->extent));
		if (d)
			kt_diag_witness(d, group, tile, consumer);
		return false;
	}
	return true;
}

/* --- other traffic ---------------------------------------------------------------------------- */

static int touch(struct kt_rs *rs, const struct kt_rs_access *acc, bool write)
{
	struct kt_program *p = rs->prog;
	uint64_t hull = acc->view->elem_bytes;
	bool uniform = kt_ix_uniform(&acc->offset) && !rs->ix.act.ids;
	uint32_t i, n = uniform ? 1 : rs->ix.act.n;

	if (acc->view->space != KT_SPACE_LOCAL || acc->offset.kind != KT_IX_KNOWN)
		return 0;
	for (i = 0; i < acc->view->rank; i++) {
		uint64_t span;

		if (acc->size[i] < 1 || acc->view->stride[i] < 0 ||
		    __builtin_mul_overflow((uint64_t)acc->size[i] - 1,
					   (uint64_t)acc->view->stride[i] * acc->view->elem_bytes,
					   &span) ||
		    __builtin_add_overflow(hull, span, &hull))
			return 0;
	}
	if (p->n_touches + n > rs->cap_touches) {
		uint32_t cap = 2 * (p->n_touches + n);
		struct kt_touch *v = kt_alloc(rs->a, cap * sizeof(*v));

		if (!v)
			return -ENOMEM;
		if (p->n_touches)
			memcpy(v, p->touches, p->n_touches * sizeof(*v));
		p->touches = v;
		rs->cap_touches = cap;
	}
	for (i = 0; i < n; i++) {
		uint32_t tile = uniform ? 0 : kt_active_tile(&rs->ix.act, i);
		int64_t at = kt_ix_at(&acc->offset, tile);

		if (at < 0 || at > INT64_MAX / 2 || hull > INT64_MAX / 2)
			continue;
		p->touches[p->n_touches++] = (struct kt_touch){
			.all_tiles = uniform, .write = write, .tile = tile,
			.start = (uint64_t)at, .end = (uint64_t)at + hull, .seq = rs->seq,
		};
	}
	return 0;
}

static bool same_shape(struct kt_rs *rs, const struct kt_op *op, const struct kt_rs_access *acc,
		       const struct kt_type *ty)
{
	unsigned int i;
	const struct kt_type *of = acc->view->op->results[0]->type;
	bool same = ty && ty->kind == KT_TY_TENSOR && ty->rank == acc->view->rank;

	for (i = 0; same && i < ty->rank; i++)
		same = ty->shape[i] < 0 || ty->shape[i] == acc->size[i];
	if (!same || ty->elem_bits != of->elem_bits ||
	    (of->elem_name && ty->elem_name && strcmp(of->elem_name, ty->elem_name))) {
		kt_rs_say(rs, op, op->at, KT_K6, KTDEV_ERROR,
			  "the tensor and the access tile differ in shape or element type");
		return false;
	}
	return true;
}

/* --- loads and slices --------------------------------------------------------------------------- */

int kt_rs_load(struct kt_rs *rs, const struct kt_op *op)
{
	struct kt_rs_value in, val;
	struct kt_rs_data *d;
	unsigned int i;
	int ret;

	rs->seq++;
	if (!op->n_operands || !op->n_results)
		return 0;
	in = kt_rs_get(rs, op->operands[0].value);
	if (in.kind != KT_RS_ACCESS || !same_shape(rs, op, in.u.access, op->results[0]->type))
		return 0;
	ret = touch(rs, in.u.access, false);
	if (ret)
		return ret;
	d = kt_alloc(rs->a, sizeof(*d));
	if (!d)
		return -ENOMEM;
	d->acc = in.u.access;
	d->load = op;
	d->seq = rs->seq;
	d->rank = d->acc->view->rank;
	d->offset = d->acc->offset;
	for (i = 0; i < d->rank; i++) {
		d->size[i] = d->acc->size[i];
		if (__builtin_mul_overflow(d->acc->view->stride[i],
					   (int64_t)d->acc->view->elem_bytes, &d->stride[i]))
			return 0;
	}
	val = kt_rs_value_of(KT_RS_DATA, d);
	return kt_rs_set(rs, op->results[0], &val);
}

/* One axis of an extract_slice: offset, size, stride, all but the offset constant. */
struct slice_axis {
	struct kt_ix start;
	int64_t size, stride;
	struct kt_range at;
};

static bool slice_axes(struct kt_rs *rs, const struct kt_op *op, unsigned int rank,
		       struct slice_axis *ax)
{
	unsigned int i;

	if (op->offsets.n != rank || op->sizes.n != rank || op->strides.n != rank) {
		kt_rs_say(rs, op, op->at, KT_K6, KTDEV_ERROR,
			  "a slice needs an offset, a size and a stride per axis");
		return false;
	}
	for (i = 0; i < rank; i++) {
		struct kt_ix size = kt_rs_index(rs, &op->sizes.e[i]);
		struct kt_ix stride = kt_rs_index(rs, &op->strides.e[i]);

		ax[i].start = kt_rs_index(rs, &op->offsets.e[i]);
		ax[i].at = op->offsets.e[i].at;
		if (!kt_rs_known(rs, &ax[i].start, ax[i].at, "the slice offset") ||
		    !kt_rs_known(rs, &size, op->sizes.e[i].at, "the slice size") ||
		    !kt_rs_known(rs, &stride, op->strides.e[i].at, "the slice stride"))
			return false;
		if (!kt_ix_uniform(&size) || !kt_ix_uniform(&stride) || stride.c < 1) {
			kt_rs_say(rs, op, op->at, KT_K13, KTDEV_UNSUPPORTED,
				  "sizes and strides of a slice must be positive and the same on every tile");
			return false;
		}
		ax[i].size = size.c;
		ax[i].stride = stride.c;
	}
	return true;
}

/* Which of @n axes the (maybe rank-reduced) result type keeps; false if it does not fit. */
static bool kept_axes(const struct slice_axis *ax, unsigned int n, const struct kt_type *ty,
		      bool *keep)
{
	unsigned int i, j = 0;

	if (!ty || ty->kind != KT_TY_TENSOR)
		return false;
	for (i = 0; i < n; i++) {
		keep[i] = j < ty->rank && (ty->shape[j] < 0 || ty->shape[j] == ax[i].size);
		if (keep[i])
			j++;
		else if (ax[i].size != 1)
			return false;
	}
	return j == ty->rank;
}

static const struct kt_rs_slice *chain_slice(struct kt_rs *rs, const struct kt_rs_slice *outer,
					     const struct slice_axis *ax, unsigned int axis,
					     int64_t extent)
{
	struct kt_rs_slice *s = kt_alloc(rs->a, sizeof(*s));

	if (!s) {
		rs->ix.nomem = true;
		return outer;
	}
	*s = (struct kt_rs_slice){ outer, ax->start, ax->size, extent, ax->stride, axis, ax->at };
	return s;
}

static int slice_data(struct kt_rs *rs, const struct kt_op *op, const struct kt_rs_data *in)
{
	struct slice_axis ax[KT_MAX_RANK];
	struct kt_rs_value val;
	bool keep[KT_MAX_RANK];
	struct kt_rs_data *d;
	unsigned int i;

	if (in->acc->view->space != KT_SPACE_LOCAL)
		return 0;		/* no address: the allocator places the slice */
	if (!slice_axes(rs, op, in->rank, ax))
		return 0;
	if (!kept_axes(ax, in->rank, op->results[0]->type, keep)) {
		kt_rs_say(rs, op, op->at, KT_K6, KTDEV_ERROR,
			  "the slice's sizes do not give its result type");
		return 0;
	}
	d = kt_alloc(rs->a, sizeof(*d));
	if (!d)
		return -ENOMEM;
	*d = *in;
	d->rank = 0;
	for (i = 0; i < in->rank; i++) {
		d->offset = kt_ix_add(&rs->ix, d->offset,
				      kt_ix_mul(&rs->ix, ax[i].start, kt_ix_const(in->stride[i]),
						op->at), op->at);
		d->slices = chain_slice(rs, d->slices, &ax[i], i, in->size[i]);
		if (!keep[i])
			continue;
		d->size[d->rank] = ax[i].size;
		if (__builtin_mul_overflow(in->stride[i], ax[i].stride, &d->stride[d->rank]))
			return 0;
		d->rank++;
	}
	val = kt_rs_value_of(KT_RS_DATA, d);
	return kt_rs_set(rs, op->results[0], &val);
}

static int slice_result(struct kt_rs *rs, const struct kt_op *op, const struct kt_rs_result *in)
{
	struct slice_axis ax[KT_MAX_RANK];
	struct kt_rs_value val;
	bool keep[KT_MAX_RANK];
	struct kt_rs_result *r;
	unsigned int i, a;

	if (!slice_axes(rs, op, in->n_axes, ax))
		return 0;
	if (!kept_axes(ax, in->n_axes, op->results[0]->type, keep)) {
		kt_rs_say(rs, op, op->at, KT_K6, KTDEV_ERROR,
			  "the slice's sizes do not give its result type");
		return 0;
	}
	r = kt_alloc(rs->a, sizeof(*r));
	if (!r)
		return -ENOMEM;
	*r = *in;
	r->n_axes = 0;
	for (i = 0; i < in->n_axes; i++) {
		a = in->axes[i];
		if (ax[i].stride != 1 && ax[i].size > 1) {
			kt_rs_say(rs, op, op->strides.e[i].at, KT_K13, KTDEV_UNSUPPORTED,
				  "a slice of a delivered value must have stride 1");
			return 0;
		}
		r->slices = chain_slice(rs, r->slices, &ax[i], i, in->size[a]);
		r->start[a] = kt_ix_add(&rs->ix, r->start[a], ax[i].start, op->at);
		r->size[a] = ax[i].size;
		if (keep[i])
			r->axes[r->n_axes++] = a;
	}
	val = kt_rs_value_of(KT_RS_RESULT, r);
	return kt_rs_set(rs, op->results[0], &val);
}

int kt_rs_extract_slice(struct kt_rs *rs, const struct kt_op *op)
{
	struct kt_rs_value in;

	if (!op->n_operands || !op->n_results)
		return 0;
	in = kt_rs_get(rs, op->operands[0].value);
	if (in.kind == KT_RS_DATA)
		return slice_data(rs, op, in.u.data);
	if (in.kind == KT_RS_RESULT)
		return slice_result(rs, op, in.u.result);
	return 0;
}

/* Whether the view is a scratchpad's; one that does not say so is taken as global. */
static bool in_scratchpad(struct kt_rs *rs, const struct kt_rs_view *v)
{
	if (v->space == KT_SPACE_UNKNOWN)
		kt_rs_say(rs, v->op, v->op->at, KT_K8, KTDEV_WARNING,
			  "the view has no memory_space: taken as global, its bytes have no scratchpad address");
	return v->space == KT_SPACE_LOCAL;
}

/* --- places ---------------------------------------------------------------------------------------- */

/* The tile that holds the bytes of @acc for @tile; false: findings were made. */
static bool owner_is(struct kt_rs *rs, const struct kt_rs_access *acc, const struct kt_op *op,
		     int64_t group, uint32_t tile, bool store)
{
	const struct kt_rs_view *v = acc->view;
	struct kt_diag *d;
	int64_t owner;

	if (!v->has_ct_id)
		return true;
	if (!kt_rs_known(rs, &v->ct_id, v->op->ct_id.at, "the ct_id"))
		return false;
	owner = kt_ix_at(&v->ct_id, tile);
	if (owner == tile)
		return true;
	d = kt_rs_say(rs, op, op->at, KT_K9, store ? KTDEV_UNSUPPORTED : KTDEV_ERROR,
		      store ? "tile %u stores into the scratchpad of tile %lld" :
			      "tile %u contributes what it loads from the scratchpad of tile %lld",
		      tile, LL(owner));
	if (d) {
		kt_diag_witness(d, group, tile, store ? (int64_t)tile : KT_NO_WITNESS);
		kt_diag_note(d, rs->src, v->op->at, "the view names its owner");
	}
	return false;
}

static bool usable(struct kt_rs *rs, const struct kt_rs_access *acc, const struct kt_op *op,
		   int64_t offset, uint32_t tile)
{
	struct kt_diag *d;
	unsigned int i;

	if (!acc->view->elem_bytes) {
		kt_rs_say(rs, op, op->at, KT_K13, KTDEV_UNSUPPORTED,
			  "only elements of whole bytes can be moved");
		return false;
	}
	for (i = 0; i < acc->view->rank; i++)
		if (acc->size[i] > 1 && acc->view->stride[i] < 1) {
			kt_rs_say(rs, op, acc->view->op->at, KT_K13, KTDEV_UNSUPPORTED,
				  "strides of a scratchpad view must be positive");
			return false;
		}
	if (offset >= 0)
		return true;
	d = kt_rs_say(rs, op, op->at, KT_K13, KTDEV_ERROR, "the address %lld is negative",
		      LL(offset));
	if (d)
		kt_diag_witness(d, KT_NO_WITNESS, tile, KT_NO_WITNESS);
	return false;
}

static int partial_of_result(struct kt_rs *rs, const struct kt_rs_result *r, int64_t group,
			     uint32_t tile, struct kt_place *out)
{
	const struct kt_step *from = &rs->prog->steps[r->step];
	unsigned int i;

	if (rs->more[r->step].group_of[tile] < 0) {
		struct kt_diag *d = kt_rs_say(rs, r, from->d->op->at, KT_RULE_NONE, KTDEV_WARNING,
			"tile %u contributes a result it did not receive: the value is undefined",
			tile);

		if (d)
			kt_diag_witness(d, group, tile, KT_NO_WITNESS);
		return 0;
	}
	if (!slices_in_bounds(rs, r->slices, group, tile, KT_NO_WITNESS))
		return 0;
	if (r->n_axes != r->rank) {
		kt_rs_say(rs, r, from->d->op->at, KT_K13, KTDEV_UNSUPPORTED,
			  "a result is contributed again with fewer axes: store it and load it back");
		return 0;
	}
	out->chain = r->step + 1;
	out->chain_role = r->role;
	out->at = from->d->op->at;
	for (i = 0; i < r->rank; i++)
		out->chain_start[i] = kt_ix_at(&r->start[i], tile);
	return 0;
}

int kt_rs_partial(struct kt_rs *rs, const struct kt_rs_value *v, const struct kt_delivery *d,
		  unsigned int role, int64_t group, uint32_t tile, struct kt_place *out,
		  unsigned int *load_seq)
{
	const struct kt_type *ty = d->roles[role].partial;
	const struct kt_rs_data *x = v->u.data;
	unsigned int i;

	memset(out, 0, sizeof(*out));
	*load_seq = rs->seq;
	if (v->kind == KT_RS_RESULT)
		return partial_of_result(rs, v->u.result, group, tile, out);
	if (v->kind != KT_RS_DATA)
		return 0;
	if (!in_bounds(rs, x->acc, group, tile, KT_NO_WITNESS) ||
	    !slices_in_bounds(rs, x->slices, group, tile, KT_NO_WITNESS))
		return 0;
	if (!in_scratchpad(rs, x->acc->view))
		return 0;
	if (!owner_is(rs, x->acc, x->load, group, tile, false) ||
	    !kt_rs_known(rs, &x->offset, x->load->at, "the address") ||
	    !usable(rs, x->acc, x->load, kt_ix_at(&x->offset, tile), tile))
		return 0;
	if (!ty || ty->rank != x->rank)
		return 0;
	for (i = 0; i < x->rank; i++)
		if (ty->shape[i] != x->size[i])
			return 0;	/* K6 was said */
	out->known = true;
	out->offset = kt_ix_at(&x->offset, tile);
	memcpy(out->stride, x->stride, sizeof(out->stride));
	out->at = x->acc->op->at;
	*load_seq = x->seq;
	return 0;
}

/* --- stores ------------------------------------------------------------------------------------------ */

static struct kt_store *new_store(struct kt_rs *rs, unsigned int step)
{
	struct kt_step *s = &rs->prog->steps[step];
	struct kt_rs_step *m = &rs->more[step];

	if (s->n_stores == m->cap_stores) {
		uint32_t cap = m->cap_stores ? 2 * m->cap_stores : rs->chk->n_tiles;
		struct kt_store *v = kt_alloc(rs->a, cap * sizeof(*v));

		if (!v)
			return NULL;
		if (s->n_stores)
			memcpy(v, s->stores, s->n_stores * sizeof(*v));
		s->stores = v;
		m->cap_stores = cap;
	}
	return &s->stores[s->n_stores++];
}

static int store_on(struct kt_rs *rs, const struct kt_op *op, const struct kt_rs_result *r,
		    const struct kt_rs_access *acc, uint32_t tile, int64_t group)
{
	struct kt_store *s;
	unsigned int i;

	if (!in_bounds(rs, acc, group, tile, tile) ||
	    !slices_in_bounds(rs, r->slices, group, tile, tile) ||
	    !owner_is(rs, acc, op, group, tile, true) ||
	    !usable(rs, acc, op, kt_ix_at(&acc->offset, tile), tile))
		return 0;
	s = new_store(rs, r->step);
	if (!s)
		return -ENOMEM;
	s->role = r->role;
	s->tile = tile;
	s->seq = rs->seq;
	s->at = op->at;
	s->place.known = true;
	s->place.offset = kt_ix_at(&acc->offset, tile);
	s->place.at = acc->op->at;
	for (i = 0; i < r->rank; i++) {
		s->start[i] = kt_ix_at(&r->start[i], tile);
		s->size[i] = r->size[i];
	}
	for (i = 0; i < r->n_axes; i++)
		if (__builtin_mul_overflow(acc->view->stride[i], (int64_t)acc->view->elem_bytes,
					   &s->place.stride[r->axes[i]]))
			return 0;
	return 0;
}

int kt_rs_store(struct kt_rs *rs, const struct kt_op *op)
{
	struct kt_rs_value val, to;
	const struct kt_rs_result *r;
	const struct kt_step *step;
	uint32_t i;
	int ret = 0;

	rs->seq++;
	if (op->n_operands < 2)
		return 0;
	val = kt_rs_get(rs, op->operands[0].value);
	to = kt_rs_get(rs, op->operands[1].value);
	if (to.kind != KT_RS_ACCESS)
		return 0;
	if (!same_shape(rs, op, to.u.access, op->operands[0].value->type))
		return 0;
	if (val.kind != KT_RS_RESULT)
		return touch(rs, to.u.access, true);
	r = val.u.result;
	step = &rs->prog->steps[r->step];
	if (!in_scratchpad(rs, to.u.access->view))
		return 0;	/* global memory: the allocator places the result, the host reads it */
	if (!kt_rs_known(rs, &to.u.access->offset, op->at, "the address"))
		return 0;
	for (i = 0; i < rs->ix.act.n && !ret; i++) {
		uint32_t tile = kt_active_tile(&rs->ix.act, i);
		int32_t g = rs->more[r->step].group_of[tile];

		if (g < 0)
			continue;
		if (!kt_rs_room(rs, op, 1))
			return 0;
		ret = store_on(rs, op, r, to.u.access, tile, step->d->groups[g].id);
	}
	return ret;
}
