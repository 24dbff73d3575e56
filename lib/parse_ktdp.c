// SPDX-License-Identifier: MIT
/*
 * The ktdp dialect: productions, deliveries, views, accesses.
 */
#include <string.h>

#include "parse.h"

/* --- production and deliveries ----------------------------------------------------- */

/* (%f), %f, (%f : T) */
static bool future_operand(struct kt_parser *p, struct kt_op *op)
{
	bool parens = kt_parse_accept(p, '(');
	size_t mark = p->scratch_used;
	const struct kt_type *t;

	if (parens && kt_parse_accept(p, ')'))
		return true;
	if (!kt_is(p, KT_T_VALUE))
		return parens ? kt_parse_expected(p, "a tile future (%name)") : true;
	if (!kt_parse_operands(p))
		return false;
	op->operands = kt_parse_take(p, mark, sizeof(*op->operands), &op->n_operands);
	if (parens && kt_parse_accept(p, ':')) {
		t = kt_parse_type(p, KT_TY_FUTURE);
		if (!t)
			return false;
		op->fn_in = t;
	}
	return !parens || kt_parse_expect(p, ')');
}

/* identity(%i : T, %j : T2), identity(%i, %j : T, T2), identity(%i) */
static bool identity(struct kt_parser *p, struct kt_op *op)
{
	uint32_t off = p->tok.off;
	size_t values, types = p->scratch_used;
	struct kt_operand ops[64];
	unsigned int n = 0;
	const struct kt_type *t;

	kt_parse_advance(p);
	if (op->identity_at.end)
		return kt_parse_error(p, kt_since(p, off), "'identity' is given twice");
	if (!kt_parse_expect(p, '('))
		return false;
	while (!kt_is(p, ')')) {
		if (n == 64)
			return kt_parse_error(p, kt_since(p, off), "more than 64 identities");
		if (!kt_parse_operand(p, &ops[n++]))
			return false;
		if (kt_parse_accept(p, ':')) {
			do {
				t = kt_parse_type(p, KT_TY_OPAQUE);
				if (!t || !kt_parse_push(p, &t, sizeof(t)))
					return false;
			} while (kt_is(p, ',') && kt_parse_peek(p).kind != KT_T_VALUE &&
				 kt_parse_accept(p, ','));
		}
		if (!kt_parse_accept(p, ','))
			break;
	}
	op->identity_types = kt_parse_take(p, types, sizeof(t), &op->n_identity);
	if (!kt_parse_expect(p, ')'))
		return false;
	op->identity_at = kt_since(p, off);
	values = p->scratch_used;
	if (n && !kt_parse_push(p, ops, n * sizeof(ops[0])))
		return false;
	if (op->identity_types &&
	    !kt_parse_check_types(p, ops, n, op->identity_types, op->n_identity, op->identity_at)) {
		p->scratch_used = values;
		return false;
	}
	op->identity = kt_parse_take(p, values, sizeof(ops[0]), &op->n_identity);
	return !p->stop;
}

/* identity(%i) without types: they are the values' own */
static bool identity_types(struct kt_parser *p, struct kt_op *op)
{
	unsigned int i;

	if (!op->n_identity || op->identity_types)
		return true;
	op->identity_types = kt_parse_alloc(p, op->n_identity * sizeof(*op->identity_types));
	for (i = 0; op->identity_types && i < op->n_identity; i++)
		op->identity_types[i] = op->identity[i].value->type;
	return op->identity_types;
}

static bool add_region(struct kt_parser *p, struct kt_op *op)
{
	if (op->n_regions)
		return kt_parse_error(p, kt_tok_range(p->tok), "a second region");
	op->regions = kt_parse_alloc(p, sizeof(*op->regions));
	if (!op->regions)
		return false;
	op->n_regions = 1;
	return kt_parse_region(p, op, op->regions, NULL, 0);
}

/* A brace: dictionary or region? An empty one is a region where one is still wanted. */
static bool braces(struct kt_parser *p, struct kt_op *op, bool want_region)
{
	size_t mark = p->scratch_used;

	if (kt_parse_at_region(p) ||
	    (want_region && !op->n_regions && kt_parse_peek(p).kind == '}'))
		return add_region(p, op);
	return kt_parse_dict(p) && kt_parse_take_attrs(p, op, mark);
}

/* name = value, identity(...), {...} with or without commas, up to the types */
static bool items(struct kt_parser *p, struct kt_op *op)
{
	size_t mark = p->scratch_used;

	for (;;) {
		while (kt_parse_accept(p, ','))
			;
		if (kt_is(p, '{')) {
			if (!braces(p, op, false))
				return false;
		} else if (kt_parse_is_word(p, "identity") && kt_parse_peek(p).kind == '(') {
			if (!identity(p, op))
				return false;
		} else if (kt_parse_is_word(p, "attributes") && kt_parse_peek(p).kind == '{') {
			kt_parse_advance(p);
		} else if ((kt_is(p, KT_T_IDENT) || kt_is(p, KT_T_STRING)) &&
			   !kt_parse_at_op(p)) {
			if (!kt_parse_entry(p, false) || !kt_parse_take_attrs(p, op, mark))
				return false;
		} else {
			return true;
		}
	}
}

/* produce: [: T..] -> FUTURE */
static bool produce_types(struct kt_parser *p, struct kt_op *op)
{
	size_t mark = p->scratch_used;
	const struct kt_type **out, *t;
	unsigned int n;
	uint32_t off;

	if (kt_parse_accept(p, ':')) {
		if (!kt_parse_types(p, KT_TY_FUTURE, true))
			return false;
		op->types = kt_parse_take(p, mark, sizeof(t), &op->n_types);
		/* ": FUTURE" alone */
		if (op->n_types == 1 && op->types[0]->kind == KT_TY_FUTURE &&
		    !kt_is(p, KT_T_ARROW)) {
			t = op->types[0];
			op->n_types = 0;
			return kt_parse_set_results(p, op, &t, 1, t->at);
		}
	}
	if (!kt_parse_expect(p, KT_T_ARROW))
		return false;
	off = p->tok.off;
	if (!kt_parse_types(p, KT_TY_FUTURE, true))
		return false;
	out = kt_parse_take(p, mark, sizeof(t), &n);
	return out && kt_parse_set_results(p, op, out, n, kt_since(p, off));
}

/* delivery: : FUTURE -> T, T2 */
static bool delivery_types(struct kt_parser *p, struct kt_op *op)
{
	size_t mark = p->scratch_used;
	const struct kt_type **out, *t;
	unsigned int n;
	uint32_t off;

	if (kt_parse_accept(p, ':')) {
		bool parens = kt_parse_accept(p, '(');

		t = kt_parse_type(p, KT_TY_FUTURE);
		if (!t)
			return false;
		op->fn_in = t;
		if (parens && !kt_parse_expect(p, ')'))
			return false;
	}
	if (!kt_parse_expect(p, KT_T_ARROW))
		return false;
	off = p->tok.off;
	if (!kt_parse_types(p, KT_TY_OPAQUE, true))
		return false;
	out = kt_parse_take(p, mark, sizeof(t), &n);
	if (!out)
		return kt_parse_error(p, kt_since(p, off), "a delivery has at least one result");
	return kt_parse_set_results(p, op, out, n, kt_since(p, off));
}

bool kt_parse_inter_tile(struct kt_parser *p, struct kt_op *op)
{
	bool produce = op->kind == KT_OP_PRODUCE;
	bool region = produce || op->kind == KT_OP_REDUCE || op->kind == KT_OP_REDUCE_SCATTER;

	if (!future_operand(p, op) || !items(p, op))
		return false;
	if (!op->n_operands && !produce)
		return kt_parse_error(p, op->name_at, "a delivery takes a tile future: %.60s(%%f)",
				      op->name);
	if (op->n_operands > (produce ? 0 : 1))
		return kt_parse_error(p, op->operands[produce ? 0 : 1].at,
				      produce ? "a production takes no operand" :
				      "a delivery takes one tile future");
	if (!(produce ? produce_types(p, op) : delivery_types(p, op)))
		return false;
	if (!identity_types(p, op))
		return false;
	while (kt_is(p, '{'))
		if (!braces(p, op, region))
			return false;
	return kt_parse_loc(p);
}

/* yields, returns: %a, %b : T, T2 */
bool kt_parse_terminator(struct kt_parser *p, struct kt_op *op)
{
	bool parens = kt_is(p, '(') && kt_parse_peek(p).kind == KT_T_VALUE;
	size_t mark = p->scratch_used;
	uint32_t off = p->tok.off;

	if (parens)
		kt_parse_advance(p);
	if (kt_is(p, KT_T_VALUE) && (!p->tok.first || !kt_parse_at_op(p)) && !kt_parse_operands(p))
		return false;
	op->operands = kt_parse_take(p, mark, sizeof(*op->operands), &op->n_operands);
	if (parens && !kt_parse_expect(p, ')'))
		return false;
	if (kt_is(p, '{') && !kt_parse_trailer(p, op))
		return false;
	if (kt_parse_accept(p, ':')) {
		if (!kt_parse_types(p, KT_TY_OPAQUE, true))
			return false;
		op->types = kt_parse_take(p, mark, sizeof(struct kt_type *), &op->n_types);
		if (!kt_parse_check_types(p, op->operands, op->n_operands, op->types, op->n_types,
					  kt_since(p, off)))
			return false;
	}
	return kt_parse_set_results(p, op, NULL, 0, op->name_at) && kt_parse_loc(p);
}

/* --- views and accesses ------------------------------------------------------------ */

bool kt_parse_tile_id(struct kt_parser *p, struct kt_op *op)
{
	size_t mark = p->scratch_used;
	const struct kt_type **types;
	unsigned int n;
	uint32_t off;

	if (kt_parse_accept(p, '(') && !kt_parse_expect(p, ')'))
		return false;
	if (!kt_parse_trailer(p, op) || !kt_parse_expect(p, ':'))
		return false;
	off = p->tok.off;
	if (!kt_parse_types(p, KT_TY_OPAQUE, false))
		return false;
	types = kt_parse_take(p, mark, sizeof(*types), &n);
	return types && kt_parse_set_results(p, op, types, n, kt_since(p, off)) &&
	       kt_parse_trailer(p, op);
}

static bool view_lists(struct kt_parser *p, struct kt_op *op)
{
	size_t mark = p->scratch_used;

	while (kt_parse_accept(p, ',') || kt_is(p, '{') || kt_is(p, KT_T_IDENT)) {
		struct kt_index_list *l = kt_parse_is_word(p, "sizes") ? &op->sizes :
					  kt_parse_is_word(p, "strides") ? &op->strides : NULL;

		if (l) {
			if (l->present)
				return kt_parse_error(p, kt_tok_range(p->tok), "given twice");
			kt_parse_advance(p);
			if (!kt_parse_accept(p, ':') && !kt_parse_accept(p, '='))
				return kt_parse_expected(p, "':'");
			if (!kt_parse_index_list(p, l))
				return false;
		} else if (kt_is(p, '{') ? !kt_parse_dict(p) : !kt_parse_entry(p, false)) {
			return false;
		} else if (!kt_parse_take_attrs(p, op, mark)) {
			return false;
		}
	}
	return true;
}

/* : [T ->] memref<...> */
static bool view_type(struct kt_parser *p, struct kt_op *op)
{
	const struct kt_type *t;

	if (!kt_parse_expect(p, ':'))
		return false;
	t = kt_parse_type(p, KT_TY_MEMREF);
	if (t && kt_parse_accept(p, KT_T_ARROW)) {
		kt_parse_check_type(p, &op->operands[0], t);
		t = kt_parse_type(p, KT_TY_MEMREF);
	}
	if (!t)
		return false;
	if (t->kind != KT_TY_MEMREF)
		return kt_parse_error(p, t->at, "a memory view is a memref");
	return kt_parse_set_results(p, op, &t, 1, t->at);
}

static bool view_ranks(struct kt_parser *p, struct kt_op *op)
{
	const struct kt_type *t = op->results[0]->type;

	if (op->sizes.n != t->rank)
		return kt_parse_error(p, op->sizes.at, "%u sizes for a memref of rank %u",
				      op->sizes.n, t->rank);
	if (op->strides.n != t->rank)
		return kt_parse_error(p, op->strides.at, "%u strides for a memref of rank %u",
				      op->strides.n, t->rank);
	return true;
}

/* %base, sizes: [..], strides: [..] {...} : memref<...> */
bool kt_parse_view(struct kt_parser *p, struct kt_op *op)
{
	size_t mark = p->scratch_used;
	struct kt_operand base;
	bool ok;

	if (!kt_parse_operand(p, &base) || !kt_parse_push(p, &base, sizeof(base)))
		return false;
	ok = view_lists(p, op) && kt_parse_push_dynamic(p, &op->sizes) &&
	     kt_parse_push_dynamic(p, &op->strides);
	op->operands = kt_parse_take(p, mark, sizeof(base), &op->n_operands);
	if (!ok || !op->operands)
		return false;
	if (!op->sizes.present)
		return kt_parse_error(p, op->name_at, "a memory view needs 'sizes: [...]'");
	if (!op->strides.present)
		return kt_parse_error(p, op->name_at, "a memory view needs 'strides: [...]'");
	return view_type(p, op) && view_ranks(p, op) && kt_parse_trailer(p, op) &&
	       kt_parse_space(p, op);
}

/* %view[%i, 0] {...} : memref<...> -> access_tile */
bool kt_parse_access(struct kt_parser *p, struct kt_op *op)
{
	size_t mark = p->scratch_used;
	const struct kt_type *in, *out;
	struct kt_operand view;
	bool ok;

	if (!kt_parse_operand(p, &view) || !kt_parse_push(p, &view, sizeof(view)))
		return false;
	ok = kt_parse_index_list(p, &op->offsets) && kt_parse_push_dynamic(p, &op->offsets);
	op->operands = kt_parse_take(p, mark, sizeof(view), &op->n_operands);
	if (!ok || !op->operands)
		return false;
	while (kt_parse_accept(p, ',') || kt_is(p, '{') || kt_is(p, KT_T_IDENT))
		if (!(kt_is(p, '{') ? kt_parse_dict(p) : kt_parse_entry(p, false)) ||
		    !kt_parse_take_attrs(p, op, mark))
			return false;
	if (!kt_parse_expect(p, ':'))
		return false;
	in = kt_parse_type(p, KT_TY_MEMREF);
	if (!in || !kt_parse_expect(p, KT_T_ARROW))
		return false;
	kt_parse_check_type(p, &op->operands[0], in);
	op->fn_in = in;
	if (op->offsets.n != in->rank)
		return kt_parse_error(p, op->offsets.at, "%u subscripts for rank %u",
				      op->offsets.n, in->rank);
	out = kt_parse_type(p, KT_TY_ACCESS_TILE);
	if (!out)
		return false;
	if (out->kind != KT_TY_ACCESS_TILE)
		return kt_parse_error(p, out->at, "expected !ktdp.access_tile<...>");
	return kt_parse_set_results(p, op, &out, 1, out->at) && kt_parse_trailer(p, op);
}

static bool load_types(struct kt_parser *p, struct kt_op *op)
{
	const struct kt_type *in, *out;

	if (!kt_parse_expect(p, ':'))
		return false;
	in = kt_parse_type(p, KT_TY_ACCESS_TILE);
	if (!in || !kt_parse_expect(p, KT_T_ARROW))
		return false;
	kt_parse_check_type(p, &op->operands[0], in);
	op->fn_in = in;
	out = kt_parse_type(p, KT_TY_OPAQUE);
	return out && kt_parse_set_results(p, op, &out, 1, out->at);
}

/* %at : access_tile -> tensor */
bool kt_parse_load(struct kt_parser *p, struct kt_op *op)
{
	size_t mark = p->scratch_used;
	struct kt_operand at;

	if (!kt_parse_operand(p, &at) || !kt_parse_push(p, &at, sizeof(at)))
		return false;
	op->operands = kt_parse_take(p, mark, sizeof(at), &op->n_operands);
	return op->operands && kt_parse_trailer(p, op) && load_types(p, op) &&
	       kt_parse_trailer(p, op);
}

/* %v, %at : tensor, access_tile */
bool kt_parse_store(struct kt_parser *p, struct kt_op *op)
{
	size_t mark = p->scratch_used;
	uint32_t off = p->tok.off;

	if (!kt_parse_operands(p))
		return false;
	op->operands = kt_parse_take(p, mark, sizeof(*op->operands), &op->n_operands);
	if (op->n_operands != 2)
		return kt_parse_error(p, kt_since(p, off), "a store takes a value and an access tile");
	if (!kt_parse_trailer(p, op) || !kt_parse_expect(p, ':') ||
	    !kt_parse_types(p, KT_TY_ACCESS_TILE, false))
		return false;
	op->types = kt_parse_take(p, mark, sizeof(struct kt_type *), &op->n_types);
	return kt_parse_check_types(p, op->operands, 2, op->types, op->n_types, kt_since(p, off)) &&
	       kt_parse_set_results(p, op, NULL, 0, op->name_at) && kt_parse_trailer(p, op);
}
