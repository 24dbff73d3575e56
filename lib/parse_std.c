// SPDX-License-Identifier: MIT
/*
 * Operations of the standard dialects that later floors look into: constants, arithmetic,
 * slices, loops, calls.
 */
#include <string.h>

#include "parse.h"

static bool take_operands(struct kt_parser *p, struct kt_op *op, size_t mark)
{
	op->operands = kt_parse_take(p, mark, sizeof(*op->operands), &op->n_operands);
	return !p->stop;
}

static bool one_result(struct kt_parser *p, struct kt_op *op, const struct kt_type *t)
{
	return t && kt_parse_set_results(p, op, &t, 1, op->name_at);
}

/* %src[offsets][sizes][strides] : T to T2 */
bool kt_parse_slice(struct kt_parser *p, struct kt_op *op)
{
	size_t mark = p->scratch_used;
	const struct kt_type *in, *out;
	struct kt_operand src;

	if (!kt_parse_operand(p, &src) || !kt_parse_push(p, &src, sizeof(src)) ||
	    !kt_parse_index_list(p, &op->offsets) || !kt_parse_push_dynamic(p, &op->offsets) ||
	    !kt_parse_index_list(p, &op->sizes) || !kt_parse_push_dynamic(p, &op->sizes) ||
	    !kt_parse_index_list(p, &op->strides) || !kt_parse_push_dynamic(p, &op->strides) ||
	    !take_operands(p, op, mark))
		return false;
	if (!kt_parse_trailer(p, op) || !kt_parse_expect(p, ':'))
		return false;
	in = kt_parse_type(p, KT_TY_OPAQUE);
	if (!in)
		return false;
	kt_parse_check_type(p, &op->operands[0], in);
	op->fn_in = in;
	if (op->offsets.n != in->rank || op->sizes.n != in->rank || op->strides.n != in->rank)
		return kt_parse_error(p, kt_since(p, op->offsets.at.off),
				      "%u offsets, %u sizes and %u strides for rank %u",
				      op->offsets.n, op->sizes.n, op->strides.n, in->rank);
	if (!kt_parse_accept_word(p, "to"))
		return kt_parse_expected(p, "'to'");
	out = kt_parse_type(p, KT_TY_OPAQUE);
	return one_result(p, op, out) && kt_parse_trailer(p, op);
}

/* arith.constant 4 : index, index.constant 4 */
bool kt_parse_constant(struct kt_parser *p, struct kt_op *op)
{
	struct kt_range none = { 0, 0 };
	const struct kt_type *t;
	struct kt_attr at;

	if (kt_is(p, '{') && !kt_parse_trailer(p, op))
		return false;
	if (!kt_parse_attr(p, &at, true))
		return false;
	at.name = "value";
	at.name_at = none;
	if (!at.type)
		at.type = at.kind == KT_AT_BOOL ? p->i1_type :
			  !strncmp(op->name, "index.", 6) ? p->index_type :
			  at.kind == KT_AT_INT ? kt_parse_scalar(p, "i64\0\0\0\0", 3) :
			  at.kind == KT_AT_FLOAT ? kt_parse_scalar(p, "f64\0\0\0\0", 3) : NULL;
	t = at.type;
	if (!t)
		return kt_parse_error(p, at.at, "expected a constant with its type");
	if (!strncmp(op->name, "index.bool", 10))
		t = p->i1_type;
	kt_parse_add_attr(p, op, &at);
	return one_result(p, op, t) && kt_parse_trailer(p, op);
}

/* --- arithmetic -------------------------------------------------------------------- */

static const struct kt_type *bool_like(struct kt_parser *p, const struct kt_type *t)
{
	struct kt_type *b;

	if (t->kind != KT_TY_TENSOR)
		return t->kind == KT_TY_OPAQUE ? NULL : p->i1_type;
	b = kt_parse_alloc(p, sizeof(*b));
	if (!b)
		return NULL;
	*b = *t;
	b->elem_bits = 1;
	b->dtype = p->i1_type->dtype;
	b->elem_name = p->i1_type->elem_name;
	return b;
}

static bool is_compare(const char *name)
{
	return !strcmp(name, "arith.cmpi") || !strcmp(name, "arith.cmpf") ||
	       !strcmp(name, "index.cmp");
}

const struct kt_type *kt_parse_arith_result(struct kt_parser *p, const struct kt_op *op,
					    const struct kt_type *t)
{
	return is_compare(op->name) && t ? bool_like(p, t) : t;
}

static bool add_string(struct kt_parser *p, struct kt_op *op, const char *name, struct kt_tok t)
{
	struct kt_attr at = { .kind = KT_AT_STRING, .name = name };

	at.at = at.name_at = kt_tok_range(t);
	at.s = t.kind == KT_T_STRING ? kt_parse_string(p, t) : kt_parse_text(p, at.at);
	if (!at.s)
		return false;
	kt_parse_add_attr(p, op, &at);
	return true;
}

/* fastmath<fast>, overflow<nsw>, exact, nneg, to_nearest_even */
static bool flags(struct kt_parser *p, struct kt_op *op)
{
	while (kt_is(p, KT_T_IDENT) && !kt_parse_at_op(p)) {
		struct kt_sym *sym = kt_parse_sym(p);
		struct kt_attr at = { .kind = KT_AT_UNIT };
		uint32_t off = p->tok.off;

		if (!sym || kt_parse_is_word(p, "loc"))
			break;
		kt_parse_advance(p);
		at.name = sym->text;
		if (kt_is(p, '<')) {
			if (!kt_parse_skip_group(p))
				return false;
			at.kind = KT_AT_OPAQUE;
		}
		at.at = at.name_at = kt_since(p, off);
		at.s = kt_parse_text(p, at.at);
		if (!at.s)
			return false;
		kt_parse_add_attr(p, op, &at);
	}
	return true;
}

/* "slt, %a, %b" and "slt(%a, %b)" */
static bool predicate(struct kt_parser *p, struct kt_op *op, bool *parens)
{
	if (!kt_is(p, KT_T_IDENT) && !kt_is(p, KT_T_STRING))
		return kt_parse_expected(p, "a predicate");
	if (!add_string(p, op, "predicate", p->tok))
		return false;
	kt_parse_advance(p);
	*parens = kt_parse_accept(p, '(');
	return *parens || kt_parse_expect(p, ',');
}

static bool is_select(const struct kt_op *op)
{
	return !strcmp(op->name, "arith.select");
}

/* Types behind the colon against the operands; returns the result's type. */
static const struct kt_type *arith_types(struct kt_parser *p, struct kt_op *op)
{
	const struct kt_type *first = kt_parse_type(p, KT_TY_OPAQUE), *last = first;
	unsigned int i, skip = is_select(op);

	while (last && kt_parse_accept(p, ','))
		last = kt_parse_type(p, KT_TY_OPAQUE);
	if (!last)
		return NULL;
	if (skip && first != last && op->n_operands)
		kt_parse_check_type(p, &op->operands[0], first);
	for (i = skip; i < op->n_operands; i++)
		kt_parse_check_type(p, &op->operands[i], skip ? last : first);
	if (kt_parse_accept_word(p, "to"))
		return kt_parse_type(p, KT_TY_OPAQUE);
	return kt_parse_arith_result(p, op, last);
}

static bool arith_results(struct kt_parser *p, struct kt_op *op, const struct kt_type *t)
{
	unsigned int i;

	if (!t)
		return !p->stop && op->n_results < 2;
	/* mului_extended and its like */
	for (i = 0; i < op->n_results; i++)
		op->results[i]->type = t;
	return op->n_results || one_result(p, op, t);
}

bool kt_parse_arith(struct kt_parser *p, struct kt_op *op)
{
	size_t mark = p->scratch_used;
	bool parens = kt_parse_accept(p, '('), typed = strncmp(op->name, "index.", 6);
	const struct kt_type *t;

	if (is_compare(op->name) && !predicate(p, op, &parens))
		return false;
	if (kt_is(p, KT_T_VALUE) && !kt_parse_operands(p))
		return false;
	if (!take_operands(p, op, mark) || (parens && !kt_parse_expect(p, ')')) || !flags(p, op) ||
	    (kt_is(p, '{') && !kt_parse_trailer(p, op)))
		return false;
	if (!kt_parse_accept(p, ':')) {
		if (typed)
			return kt_parse_expected(p, "':'");
		t = kt_parse_arith_result(p, op, p->index_type);
	} else {
		t = arith_types(p, op);
		if (!t && !is_compare(op->name))
			return false;
	}
	return arith_results(p, op, t) && kt_parse_trailer(p, op);
}

/* #map(%i)[%s], affine_map<...>(%i)[%s]: dims, then symbols */
static bool map_use(struct kt_parser *p, struct kt_attr *map)
{
	size_t mark = p->scratch_used;
	unsigned int n[2] = { 0, 0 }, i;
	uint32_t off = p->tok.off;

	if (!kt_parse_attr(p, map, false))
		return false;
	if (map->kind != KT_AT_MAP)
		return kt_parse_error(p, map->at, "expected an affine map");
	for (i = 0; i < 2; i++) {
		if (!kt_parse_accept(p, i ? '[' : '('))
			continue;
		mark = p->scratch_used;
		if (kt_is(p, KT_T_VALUE) && !kt_parse_operands(p))
			return false;
		n[i] = (unsigned int)((p->scratch_used - mark) / sizeof(struct kt_operand));
		if (!kt_parse_expect(p, i ? ']' : ')'))
			return false;
	}
	if (n[0] != map->map->n_dims || n[1] != map->map->n_syms)
		return kt_parse_error(p, kt_since(p, off),
				      "%u dims and %u symbols for a map of %u and %u", n[0], n[1],
				      map->map->n_dims, map->map->n_syms);
	return true;
}

bool kt_parse_apply(struct kt_parser *p, struct kt_op *op)
{
	size_t mark = p->scratch_used;
	struct kt_attr map;
	unsigned int i;

	if (!map_use(p, &map) || !take_operands(p, op, mark))
		return false;
	if (map.map->n_results != 1)
		return kt_parse_error(p, map.at, "affine.apply needs a map with one result");
	map.name = "map";
	map.name_at = map.at;
	kt_parse_add_attr(p, op, &map);
	for (i = 0; i < op->n_operands; i++)
		kt_parse_check_type(p, &op->operands[i], p->index_type);
	return one_result(p, op, p->index_type) && kt_parse_trailer(p, op);
}

/* --- control flow ------------------------------------------------------------------ */

/* The arguments a loop gives its body, collected on the scratch stack. */
static struct kt_value *loop_arg(struct kt_parser *p, const struct kt_type *t)
{
	struct kt_range at = kt_tok_range(p->tok);
	struct kt_sym *sym;

	if (!kt_is(p, KT_T_VALUE)) {
		kt_parse_expected(p, "a value (%name)");
		return NULL;
	}
	sym = kt_parse_sym(p);
	kt_parse_advance(p);
	return sym ? kt_parse_new_value(p, sym->text, t, at) : NULL;
}

#define MAX_ITER_ARGS	32

struct loop {
	struct kt_value *args[1 + MAX_ITER_ARGS];
	unsigned int n_args;
	struct kt_operand inits[MAX_ITER_ARGS];
	const struct kt_type **types;
	unsigned int n_types;
};

/* iter_args(%a = %init, ...) [-> (T, ...)] */
static bool iter_args(struct kt_parser *p, struct loop *l)
{
	size_t mark = p->scratch_used;
	uint32_t off = p->tok.off;
	unsigned int i;

	if (!kt_parse_accept_word(p, "iter_args"))
		return true;
	if (!kt_parse_expect(p, '('))
		return false;
	while (!kt_is(p, ')')) {
		struct kt_value *v;

		if (l->n_args == 1 + MAX_ITER_ARGS)
			return kt_parse_error(p, kt_since(p, off), "more than %u iter_args",
					      MAX_ITER_ARGS);
		v = loop_arg(p, NULL);
		if (!v || !kt_parse_expect(p, '=') ||
		    !kt_parse_operand(p, &l->inits[l->n_args - 1]))
			return false;
		v->type = l->inits[l->n_args - 1].value->type;
		l->args[l->n_args++] = v;
		if (!kt_parse_accept(p, ','))
			break;
	}
	if (!kt_parse_expect(p, ')'))
		return false;
	if (!kt_parse_accept(p, KT_T_ARROW))
		return true;
	if (!kt_parse_types(p, KT_TY_OPAQUE, true))
		return false;
	l->types = kt_parse_take(p, mark, sizeof(*l->types), &l->n_types);
	if (!kt_parse_check_types(p, l->inits, l->n_args - 1, l->types, l->n_types,
				  kt_since(p, off)))
		return false;
	for (i = 0; i < l->n_types; i++)
		l->args[1 + i]->type = l->types[i];
	return true;
}

/* Bounds, iter_args and body, once the head is read. */
static bool finish_for(struct kt_parser *p, struct kt_op *op, struct loop *l, size_t mark)
{
	const struct kt_index *bounds[] = { &op->lower, &op->upper, &op->step };
	unsigned int i, n;
	struct kt_value **args;

	for (i = 0; i < 3; i++)
		if (bounds[i]->dynamic && bounds[i]->v &&
		    !kt_parse_push_operand(p, bounds[i]->v, bounds[i]->at))
			return false;
	n = l->n_args - 1;
	if (n && !kt_parse_push(p, l->inits, n * sizeof(l->inits[0])))
		return false;
	if (!take_operands(p, op, mark))
		return false;
	/* results without "-> T" have the types of the initial values */
	if (!l->types && n) {
		for (i = 0; i < n; i++)
			if (!kt_parse_push(p, &l->args[1 + i]->type, sizeof(l->types[0])))
				return false;
		l->types = kt_parse_take(p, mark, sizeof(*l->types), &l->n_types);
	}
	args = kt_parse_alloc(p, l->n_args * sizeof(*args));
	op->regions = kt_parse_alloc(p, sizeof(*op->regions));
	if (!args || !op->regions ||
	    !kt_parse_set_results(p, op, l->types, l->n_types, op->name_at))
		return false;
	memcpy(args, l->args, l->n_args * sizeof(*args));
	op->n_regions = 1;
	return kt_parse_region(p, op, op->regions, args, l->n_args) && kt_parse_trailer(p, op);
}

static bool scf_for(struct kt_parser *p, struct kt_op *op, struct loop *l)
{
	const struct kt_type *t;

	kt_parse_accept_word(p, "unsigned");
	l->args[0] = loop_arg(p, p->index_type);
	l->n_args = 1;
	if (!l->args[0] || !kt_parse_expect(p, '=') || !kt_parse_index(p, &op->lower))
		return false;
	if (!kt_parse_accept_word(p, "to"))
		return kt_parse_expected(p, "'to'");
	if (!kt_parse_index(p, &op->upper))
		return false;
	if (!kt_parse_accept_word(p, "step"))
		return kt_parse_expected(p, "'step'");
	if (!kt_parse_index(p, &op->step) || !iter_args(p, l))
		return false;
	if (kt_parse_accept(p, ':')) {
		t = kt_parse_type(p, KT_TY_OPAQUE);
		if (!t)
			return false;
		l->args[0]->type = t;
	}
	return true;
}

/* 0, %n, or a map: a map without operands is its value, any other is not known */
static bool affine_bound(struct kt_parser *p, struct kt_index *out)
{
	size_t mark = p->scratch_used;
	uint32_t off = p->tok.off;
	struct kt_attr map;
	bool several = kt_parse_accept_word(p, "min") || kt_parse_accept_word(p, "max");

	if (!kt_is(p, KT_T_HASH) && !kt_is(p, KT_T_IDENT))
		return kt_parse_index(p, out);
	if (!map_use(p, &map))
		return false;
	out->at = kt_since(p, off);
	out->dynamic = several || map.map->n_results != 1 || p->scratch_used != mark ||
		kt_expr_eval(map.map->results[0], NULL, NULL, &out->value) != KT_SET_OK;
	p->scratch_used = mark;
	return true;
}

static bool affine_for(struct kt_parser *p, struct kt_op *op, struct loop *l)
{
	l->args[0] = loop_arg(p, p->index_type);
	l->n_args = 1;
	op->step.value = 1;
	if (!l->args[0] || !kt_parse_expect(p, '=') || !affine_bound(p, &op->lower))
		return false;
	if (!kt_parse_accept_word(p, "to"))
		return kt_parse_expected(p, "'to'");
	if (!affine_bound(p, &op->upper))
		return false;
	if (kt_parse_accept_word(p, "step") && !kt_parse_index(p, &op->step))
		return false;
	return iter_args(p, l);
}

bool kt_parse_for(struct kt_parser *p, struct kt_op *op)
{
	bool affine = !strcmp(op->name, "affine.for");
	size_t mark = p->scratch_used;
	struct loop l = { .n_args = 0 };

	return (affine ? affine_for(p, op, &l) : scf_for(p, op, &l)) &&
	       finish_for(p, op, &l, mark);
}

/* %c [-> (T, ...)] {...} [else {...}] */
bool kt_parse_if(struct kt_parser *p, struct kt_op *op)
{
	const struct kt_type **types = NULL;
	size_t mark = p->scratch_used;
	struct kt_operand cond;
	unsigned int n = 0;
	uint32_t off;

	if (!kt_parse_operand(p, &cond) || !kt_parse_push(p, &cond, sizeof(cond)) ||
	    !take_operands(p, op, mark))
		return false;
	kt_parse_check_type(p, &cond, p->i1_type);
	off = p->tok.off;
	if (kt_parse_accept(p, KT_T_ARROW)) {
		if (!kt_parse_types(p, KT_TY_OPAQUE, true))
			return false;
		types = kt_parse_take(p, mark, sizeof(*types), &n);
	}
	if (!kt_parse_set_results(p, op, types, n, kt_since(p, off)))
		return false;
	op->regions = kt_parse_alloc(p, 2 * sizeof(*op->regions));
	if (!op->regions)
		return false;
	op->n_regions = 1;
	if (!kt_parse_region(p, op, &op->regions[0], NULL, 0))
		return false;
	if (kt_parse_accept_word(p, "else")) {
		op->n_regions = 2;
		if (!kt_parse_region(p, op, &op->regions[1], NULL, 0))
			return false;
	}
	return kt_parse_trailer(p, op);
}

/* @f(%a, %b) : (T, T) -> T */
bool kt_parse_call(struct kt_parser *p, struct kt_op *op)
{
	size_t mark = p->scratch_used;
	const struct kt_type **types;
	struct kt_attr callee;
	uint32_t off;
	unsigned int n;

	if (!kt_is(p, KT_T_AT))
		return kt_parse_expect(p, KT_T_AT);
	if (!kt_parse_attr(p, &callee, false))
		return false;
	callee.name = "callee";
	callee.name_at = callee.at;
	kt_parse_add_attr(p, op, &callee);
	if (!kt_parse_expect(p, '(') || (kt_is(p, KT_T_VALUE) && !kt_parse_operands(p)) ||
	    !take_operands(p, op, mark) || !kt_parse_expect(p, ')') || !kt_parse_trailer(p, op) ||
	    !kt_parse_expect(p, ':'))
		return false;
	off = p->tok.off;
	if (!kt_parse_types(p, KT_TY_OPAQUE, true))
		return false;
	op->types = kt_parse_take(p, mark, sizeof(*types), &op->n_types);
	if (!kt_parse_check_types(p, op->operands, op->n_operands, op->types, op->n_types,
				  kt_since(p, off)) || !kt_parse_expect(p, KT_T_ARROW))
		return false;
	off = p->tok.off;
	if (!kt_parse_types(p, KT_TY_OPAQUE, true))
		return false;
	types = kt_parse_take(p, mark, sizeof(*types), &n);
	return kt_parse_set_results(p, op, types, n, kt_since(p, off)) && kt_parse_trailer(p, op);
}
