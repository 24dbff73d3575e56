// SPDX-License-Identifier: MIT
/*
 * The generic form "dialect.op"(operands) <{properties}> ({regions}) {attributes} : type,
 * brought into the fields that the custom forms fill.
 */
#include <string.h>

#include "parse.h"

/* What stands for an operand in a static list. */
#define DYNAMIC	INT64_MIN

static bool successors(struct kt_parser *p)
{
	if (!kt_is(p, '['))
		return true;
	return kt_parse_skip_group(p);
}

static bool properties(struct kt_parser *p, struct kt_op *op)
{
	size_t mark = p->scratch_used;

	if (!kt_is(p, '<'))
		return true;
	kt_parse_advance(p);
	return kt_parse_dict(p) && kt_parse_take_attrs(p, op, mark) && kt_parse_expect(p, '>');
}

static bool regions(struct kt_parser *p, struct kt_op *op)
{
	struct kt_region r[8];

	if (!kt_parse_accept(p, '('))
		return true;
	do {
		if (op->n_regions == sizeof(r) / sizeof(r[0]))
			return kt_parse_error(p, kt_tok_range(p->tok), "too many regions");
		if (!kt_parse_region(p, op, &r[op->n_regions], NULL, 0))
			return false;
		op->n_regions++;
	} while (kt_parse_accept(p, ','));
	op->regions = kt_parse_alloc(p, op->n_regions * sizeof(r[0]));
	if (!op->regions)
		return false;
	memcpy(op->regions, r, op->n_regions * sizeof(r[0]));
	return kt_parse_expect(p, ')');
}

/* : (T, ...) -> T */
static bool signature(struct kt_parser *p, struct kt_op *op)
{
	size_t mark = p->scratch_used;
	const struct kt_type **out;
	uint32_t off;
	unsigned int n;

	if (!kt_parse_expect(p, ':'))
		return false;
	off = p->tok.off;
	if (!kt_is(p, '('))
		return kt_parse_expect(p, '(');
	if (!kt_parse_types(p, KT_TY_OPAQUE, true))
		return false;
	op->types = kt_parse_take(p, mark, sizeof(*op->types), &op->n_types);
	if (!kt_parse_check_types(p, op->operands, op->n_operands, op->types, op->n_types,
				  kt_since(p, off)) || !kt_parse_expect(p, KT_T_ARROW))
		return false;
	off = p->tok.off;
	if (!kt_parse_types(p, KT_TY_OPAQUE, true))
		return false;
	out = kt_parse_take(p, mark, sizeof(*out), &n);
	return !p->stop && kt_parse_set_results(p, op, out, n, kt_since(p, off));
}

/* --- into the fields of the custom forms ------------------------------------------- */

static bool want_operands(struct kt_parser *p, const struct kt_op *op, unsigned int min,
			  unsigned int max)
{
	if (op->n_operands >= min && op->n_operands <= max)
		return true;
	return kt_parse_error(p, op->name_at, "%u operands for %.60s", op->n_operands, op->name);
}

/* operandSegmentSizes, if given, must add up; the i-th of them, or -1. */
static int64_t segment(const struct kt_op *op, unsigned int i)
{
	const struct kt_attr *at = kt_op_attr(op, "operandSegmentSizes");

	if (!at)
		at = kt_op_attr(op, "operand_segment_sizes");
	if (!at || at->kind != KT_AT_ARRAY || i >= at->n || at->elems[i].kind != KT_AT_INT)
		return -1;
	return at->elems[i].i;
}

static bool inter_tile(struct kt_parser *p, struct kt_op *op)
{
	bool fold = op->kind == KT_OP_REDUCE || op->kind == KT_OP_REDUCE_SCATTER;
	int64_t futures = segment(op, 0), ids = segment(op, 1);
	unsigned int produce = op->kind == KT_OP_PRODUCE;

	if (!want_operands(p, op, !produce, produce ? 0 : fold ? 65 : 1) || produce)
		return produce && !op->n_operands;
	if ((futures >= 0 && futures != 1) || (ids >= 0 && ids != (int64_t)op->n_operands - 1))
		return kt_parse_error(p, op->name_at, "operandSegmentSizes do not match: "
				      "one tile future, then the identities");
	op->fn_in = op->types[0];
	op->n_identity = op->n_operands - 1;
	if (op->n_identity) {
		op->identity = op->operands + 1;
		op->identity_types = op->types + 1;
		op->identity_at = op->identity[0].at;
		op->identity_at.end = op->identity[op->n_identity - 1].at.end;
	}
	op->n_operands = 1;
	op->types = NULL;
	op->n_types = 0;
	return true;
}

/* A static list attribute with operands for its dynamic entries, from *next on. */
static bool static_list(struct kt_parser *p, const struct kt_op *op, const char *name,
			unsigned int *next, struct kt_index_list *out)
{
	const struct kt_attr *at = kt_op_attr(op, name);
	unsigned int i;

	if (!at || at->kind != KT_AT_ARRAY)
		return kt_parse_error(p, op->name_at, "%.60s needs '%s' = array<i64: ...>",
				      op->name, name);
	out->present = true;
	out->at = at->at;
	out->n = at->n;
	out->e = kt_parse_alloc(p, (at->n + 1) * sizeof(*out->e));
	if (!out->e)
		return false;
	for (i = 0; i < at->n; i++) {
		struct kt_index *e = &out->e[i];

		if (at->elems[i].kind != KT_AT_INT)
			return kt_parse_error(p, at->elems[i].at, "expected an integer");
		e->at = at->elems[i].at;
		e->value = at->elems[i].i;
		if (e->value != DYNAMIC)
			continue;
		if (*next >= op->n_operands)
			return kt_parse_error(p, e->at, "an operand is missing for this entry");
		e->dynamic = true;
		e->v = op->operands[*next].value;
		e->at = op->operands[(*next)++].at;
	}
	return true;
}

static bool rank_of(struct kt_parser *p, const struct kt_index_list *l, unsigned int rank)
{
	if (l->n == rank)
		return true;
	return kt_parse_error(p, l->at, "%u entries for rank %u", l->n, rank);
}

static bool view(struct kt_parser *p, struct kt_op *op)
{
	unsigned int next = 1;

	if (!want_operands(p, op, 1, UINT32_MAX) || op->n_results != 1 ||
	    !static_list(p, op, "static_sizes", &next, &op->sizes) ||
	    !static_list(p, op, "static_strides", &next, &op->strides))
		return false;
	if (op->results[0]->type->kind != KT_TY_MEMREF)
		return kt_parse_error(p, op->results[0]->type->at, "a memory view is a memref");
	return rank_of(p, &op->sizes, op->results[0]->type->rank) &&
	       rank_of(p, &op->strides, op->results[0]->type->rank) && kt_parse_space(p, op);
}

static bool slice(struct kt_parser *p, struct kt_op *op)
{
	unsigned int next = 1;

	if (!want_operands(p, op, 1, UINT32_MAX) ||
	    !static_list(p, op, "static_offsets", &next, &op->offsets) ||
	    !static_list(p, op, "static_sizes", &next, &op->sizes) ||
	    !static_list(p, op, "static_strides", &next, &op->strides))
		return false;
	op->fn_in = op->types[0];
	return rank_of(p, &op->offsets, op->fn_in->rank) &&
	       rank_of(p, &op->sizes, op->fn_in->rank) && rank_of(p, &op->strides, op->fn_in->rank);
}

static bool access_tile(struct kt_parser *p, struct kt_op *op)
{
	unsigned int i;

	if (!want_operands(p, op, 1, 1 + KT_MAX_RANK) || op->n_results != 1)
		return !p->stop && op->n_results == 1;
	op->fn_in = op->types[0];
	op->offsets.present = true;
	op->offsets.at = op->name_at;
	op->offsets.n = op->n_operands - 1;
	op->offsets.e = kt_parse_alloc(p, op->n_operands * sizeof(*op->offsets.e));
	if (!op->offsets.e)
		return false;
	for (i = 0; i < op->offsets.n; i++)
		op->offsets.e[i] = (struct kt_index){ .dynamic = true,
						      .v = op->operands[i + 1].value,
						      .at = op->operands[i + 1].at };
	if (op->results[0]->type->kind != KT_TY_ACCESS_TILE)
		return kt_parse_error(p, op->results[0]->type->at,
				      "expected !ktdp.access_tile<...>");
	return rank_of(p, &op->offsets, op->fn_in->rank);
}

/* predicate = 2 : i64 becomes the word of the custom form */
static bool predicate(struct kt_parser *p, struct kt_op *op)
{
	static const char *const ints[] = {
		"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge",
	};
	static const char *const floats[] = {
		"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge",
		"ult", "ule", "une", "uno", "true",
	};
	bool is_float = !strcmp(op->name, "arith.cmpf");
	int64_t n = is_float ? sizeof(floats) / sizeof(floats[0]) : sizeof(ints) / sizeof(ints[0]);
	unsigned int i;

	for (i = 0; i < op->n_attrs; i++) {
		struct kt_attr *at = &op->attrs[i];

		if (strcmp(at->name, "predicate") || at->kind != KT_AT_INT)
			continue;
		if (at->i < 0 || at->i >= n)
			return kt_parse_error(p, at->at, "no such predicate");
		at->kind = KT_AT_STRING;
		at->s = is_float ? floats[at->i] : ints[at->i];
	}
	return true;
}

static bool constant(struct kt_parser *p, struct kt_op *op)
{
	unsigned int i;

	for (i = 0; i < op->n_attrs; i++)
		if (!strcmp(op->attrs[i].name, "value") && !op->attrs[i].type && op->n_results)
			op->attrs[i].type = op->results[0]->type;
	if (!kt_op_attr(op, "value"))
		return kt_parse_error(p, op->name_at, "a constant needs 'value'");
	return true;
}

static struct kt_index operand_index(const struct kt_op *op, unsigned int i)
{
	return (struct kt_index){ .dynamic = true, .v = op->operands[i].value,
				  .at = op->operands[i].at };
}

static bool loop(struct kt_parser *p, struct kt_op *op)
{
	if (!strcmp(op->name, "affine.for")) {
		/* bounds are maps here: not known */
		op->lower.dynamic = op->upper.dynamic = op->step.dynamic = true;
		return true;
	}
	if (!want_operands(p, op, 3, UINT32_MAX))
		return false;
	op->lower = operand_index(op, 0);
	op->upper = operand_index(op, 1);
	op->step = operand_index(op, 2);
	return true;
}

static bool normalise(struct kt_parser *p, struct kt_op *op, enum kt_syntax syntax)
{
	switch (syntax) {
	case KT_SYN_INTER_TILE:
		return inter_tile(p, op);
	case KT_SYN_VIEW:
		return view(p, op);
	case KT_SYN_ACCESS:
		return access_tile(p, op);
	case KT_SYN_LOAD:
		if (!want_operands(p, op, 1, 1))
			return false;
		op->fn_in = op->types[0];
		return true;
	case KT_SYN_STORE:
		return want_operands(p, op, 2, 2);
	case KT_SYN_SLICE:
		return slice(p, op);
	case KT_SYN_CONSTANT:
		return constant(p, op);
	case KT_SYN_ARITH:
		return predicate(p, op);
	case KT_SYN_IF:
		return want_operands(p, op, 1, 1);
	case KT_SYN_FOR:
	case KT_SYN_AFFINE_FOR:
		return loop(p, op);
	default:
		return true;
	}
}

bool kt_parse_generic(struct kt_parser *p, struct kt_op *op, enum kt_syntax syntax)
{
	size_t mark = p->scratch_used;

	if (!kt_parse_expect(p, '(') || (kt_is(p, KT_T_VALUE) && !kt_parse_operands(p)))
		return false;
	op->operands = kt_parse_take(p, mark, sizeof(*op->operands), &op->n_operands);
	if (!kt_parse_expect(p, ')') || !successors(p) || !properties(p, op) || !regions(p, op))
		return false;
	if (kt_is(p, '{') && (!kt_parse_dict(p) || !kt_parse_take_attrs(p, op, mark)))
		return false;
	return signature(p, op) && normalise(p, op, syntax) && kt_parse_loc(p);
}
