// SPDX-License-Identifier: MIT
/*
 * Operations of other dialects, read by structure: operands wherever a %name stands,
 * attributes, regions, and the types the text gives. Also linalg, whose forms this covers.
 */
#include <string.h>

#include "parse.h"

/* A name that is not defined: the argument of a region that follows, or an error. */
struct pending {
	struct kt_sym *sym;
	struct kt_range at;
	const struct kt_type *type;
};

#define MAX_PENDING	32

struct other {
	struct kt_op *op;
	size_t operands;		/* scratch mark */
	struct pending args[MAX_PENDING];
	unsigned int n_args;
	const struct kt_type **types;	/* the last list read */
	unsigned int n_types;
	const struct kt_type **outs;	/* those in outs(...) */
	unsigned int n_outs;
	bool sure;			/* behind ->, to, into: the types of the results */
	bool complete;			/* a type list was the last thing read */
	struct kt_region regions[8];
	unsigned int n_regions;
};

static bool value(struct kt_parser *p, struct other *o)
{
	struct kt_sym *sym = kt_parse_sym(p);
	struct kt_operand v;

	if (!sym)
		return false;
	if (sym->values)
		return kt_parse_operand(p, &v) && kt_parse_push(p, &v, sizeof(v));
	if (o->n_args == MAX_PENDING)
		return kt_parse_error(p, kt_tok_range(p->tok), "'%.100s' is not defined here",
				      sym->text);
	o->args[o->n_args++] = (struct pending){ sym, kt_tok_range(p->tok), NULL };
	kt_parse_advance(p);
	kt_parse_accept(p, KT_T_RESULT);
	return true;
}

/* Take the types above a mark; they lie above the operands on the scratch stack. */
static bool type_list(struct kt_parser *p, const struct kt_type ***out, unsigned int *n)
{
	size_t mark = p->scratch_used;
	bool ok = kt_parse_types(p, KT_TY_OPAQUE, true);

	*out = kt_parse_take(p, mark, sizeof(**out), n);
	return ok && !p->stop;
}

static bool starts_type(const struct kt_parser *p)
{
	return kt_is(p, '(') || kt_parse_at_type(p);
}

static bool group(struct kt_parser *p, struct other *o, bool outs);

/* ": T, T" inside parentheses: the types of the values before it */
static bool group_types(struct kt_parser *p, struct other *o, size_t mark, unsigned int first_arg,
			bool outs)
{
	unsigned int n = (unsigned int)((p->scratch_used - mark) / sizeof(struct kt_operand)), i;
	const struct kt_type **types;
	unsigned int n_types;
	struct kt_operand v;

	if (!type_list(p, &types, &n_types))
		return false;
	for (i = 0; i < n && n == n_types; i++) {
		memcpy(&v, p->scratch + mark + i * sizeof(v), sizeof(v));
		kt_parse_check_type(p, &v, types[i]);
	}
	for (i = first_arg; i < o->n_args && i - first_arg < n_types; i++)
		if (!o->args[i].type)
			o->args[i].type = types[i - first_arg];
	if (outs) {
		o->outs = types;
		o->n_outs = n_types;
	}
	return true;
}

static bool group_item(struct kt_parser *p, struct other *o, size_t mark, unsigned int *first_arg,
		       bool outs)
{
	switch (p->tok.kind) {
	case KT_T_VALUE:
		if (o->n_args && o->args[o->n_args - 1].type)
			*first_arg = o->n_args;
		return value(p, o);
	case '(':
	case '[':
		return group(p, o, false);
	case '{':
	case '<':
		return kt_parse_skip_group(p);
	case ':':
		kt_parse_advance(p);
		return !starts_type(p) || group_types(p, o, mark, *first_arg, outs);
	case KT_T_EOF:
	case KT_T_BAD:
	case '}':
		return kt_parse_expected(p, "')' or ']'");
	default:
		kt_parse_advance(p);
		return true;
	}
}

/* (...) and [...] */
static bool group(struct kt_parser *p, struct other *o, bool outs)
{
	uint8_t close = kt_is(p, '(') ? ')' : ']';
	size_t mark = p->scratch_used;
	unsigned int first_arg = o->n_args;
	bool ok = kt_parse_enter(p);

	if (!ok)
		return false;
	kt_parse_advance(p);
	while (ok && !kt_is(p, close)) {
		if (kt_is(p, ')') || kt_is(p, ']'))
			ok = kt_parse_expect(p, close);
		else
			ok = group_item(p, o, mark, &first_arg, outs);
	}
	kt_parse_leave(p);
	if (ok)
		kt_parse_advance(p);
	return ok;
}

static bool region(struct kt_parser *p, struct other *o)
{
	struct kt_value **args = NULL;
	unsigned int i, n = o->n_args;

	if (o->n_regions == sizeof(o->regions) / sizeof(o->regions[0]))
		return kt_parse_error(p, kt_tok_range(p->tok), "too many regions");
	if (n) {
		args = kt_parse_alloc(p, n * sizeof(*args));
		if (!args)
			return false;
	}
	for (i = 0; i < n; i++) {
		args[i] = kt_parse_new_value(p, o->args[i].sym->text, o->args[i].type,
					     o->args[i].at);
		if (!args[i])
			return false;
	}
	o->n_args = 0;
	o->complete = true;
	return kt_parse_region(p, o->op, &o->regions[o->n_regions++], args, n);
}

/* { arith.addf } or { arith.addf {...} }: linalg's short form of a combiner */
static bool at_combiner(const struct kt_parser *p)
{
	struct kt_lex lex = p->lex;
	struct kt_tok t, next;

	kt_lex_next(&lex, &t);
	kt_lex_next(&lex, &next);
	return t.kind == KT_T_IDENT && (next.kind == '}' || next.kind == '{') &&
	       memchr(lex.text + t.off, '.', t.end - t.off);
}

static bool combiner(struct kt_parser *p, struct other *o)
{
	struct kt_attr at = { .kind = KT_AT_STRING, .name = "combiner" };
	struct kt_sym *sym;

	kt_parse_advance(p);
	sym = kt_parse_sym(p);
	at.at = at.name_at = kt_tok_range(p->tok);
	kt_parse_advance(p);
	if (!sym || (kt_is(p, '{') && !kt_parse_skip_group(p)))
		return false;
	at.s = sym->text;
	kt_parse_add_attr(p, o->op, &at);
	return kt_parse_expect(p, '}');
}

static bool braces(struct kt_parser *p, struct other *o)
{
	size_t mark = p->scratch_used;

	if (at_combiner(p))
		return combiner(p, o);
	/* an empty pair is a region when arguments wait for it */
	if (kt_parse_at_region(p) || (o->n_args && kt_parse_peek(p).kind == '}'))
		return region(p, o);
	return kt_parse_dict(p) && kt_parse_take_attrs(p, o->op, mark);
}

/* A word: a keyword of the operation, "to T", "name = attribute" */
static bool word(struct kt_parser *p, struct other *o)
{
	bool outs = kt_parse_is_word(p, "outs");
	size_t mark = p->scratch_used;
	struct kt_tok next;

	if (o->complete && (kt_parse_is_word(p, "to") || kt_parse_is_word(p, "into"))) {
		kt_parse_advance(p);
		o->sure = true;
		return !starts_type(p) || type_list(p, &o->types, &o->n_types);
	}
	o->complete = false;
	next = kt_parse_peek(p);
	if (next.kind == '=') {
		struct kt_lex lex = p->lex;

		kt_lex_next(&lex, &next);
		kt_lex_next(&lex, &next);
		if (next.kind == KT_T_VALUE || next.kind == KT_T_CARET || next.kind == '(') {
			kt_parse_advance(p);
			kt_parse_advance(p);
			return true;
		}
		return kt_parse_entry(p, false) && kt_parse_take_attrs(p, o->op, mark);
	}
	kt_parse_advance(p);
	return !kt_is(p, '(') || group(p, o, outs);
}

/* Is the operation at its end? */
static bool at_end(const struct kt_parser *p, const struct other *o, uint8_t prev)
{
	switch (p->tok.kind) {
	case KT_T_EOF:
	case '}':
		return true;
	case KT_T_CARET:
		return p->tok.first;
	case KT_T_VALUE:
		/* "scf.forall %i = ..." has no first token of its own line */
		return prev != ',' && (p->tok.first || o->complete) && kt_parse_at_op(p);
	case KT_T_IDENT:
	case KT_T_STRING:
		return (p->tok.first || o->complete) && kt_parse_at_op(p);
	case KT_T_HASH:
	case KT_T_BANG:
		return p->tok.first && prev != ':' && kt_parse_peek(p).kind == '=';
	default:
		return false;
	}
}

static bool item(struct kt_parser *p, struct other *o)
{
	bool complete = o->complete;

	switch (p->tok.kind) {
	case KT_T_VALUE:
		o->complete = false;
		return value(p, o);
	case '(':
	case '[':
		o->complete = false;
		return group(p, o, false);
	case '<':
		o->complete = false;
		return kt_parse_skip_group(p);
	case '{':
		return braces(p, o);
	case KT_T_IDENT:
		return word(p, o);
	case ':':
	case KT_T_ARROW:
		o->sure |= kt_is(p, KT_T_ARROW);
		kt_parse_advance(p);
		o->complete = starts_type(p);
		return !o->complete || type_list(p, &o->types, &o->n_types);
	case KT_T_BAD:
	case ')':
	case ']':
	case '>':
		return kt_parse_expected(p, "an operation");
	default:
		o->complete = complete && kt_is(p, ',');
		kt_parse_advance(p);
		return true;
	}
}

/* Operations whose ": T" is not the type of the result. */
static const struct kt_type *known_result(struct kt_parser *p, const struct kt_op *op,
					  const struct kt_type *t, bool *known)
{
	static const char *const element[] = {
		"tensor.extract", "memref.load", "affine.load", "vector.extractelement",
	};
	static const char *const index[] = {
		"tensor.dim", "tensor.rank", "memref.dim", "memref.rank", "affine.min",
		"affine.max",
	};
	unsigned int i;

	*known = true;
	for (i = 0; i < sizeof(index) / sizeof(index[0]); i++)
		if (!strcmp(op->name, index[i]))
			return p->index_type;
	for (i = 0; t && i < sizeof(element) / sizeof(element[0]); i++)
		if (!strcmp(op->name, element[i]))
			return t->elem_name ? kt_parse_scalar(p, t->elem_name,
							      (uint32_t)strlen(t->elem_name)) :
					      NULL;
	*known = false;
	return t;
}

static bool results(struct kt_parser *p, struct other *o)
{
	struct kt_op *op = o->op;
	const struct kt_type **types = o->types;
	unsigned int i, n = o->n_types;
	bool known;

	if (!o->sure && o->outs && !strncmp(op->name, "linalg.", 7)) {
		types = o->outs;
		n = o->n_outs;
		o->sure = true;
	}
	if (o->sure && (n == op->n_results || !op->n_results)) {
		if (op->n_results)
			return kt_parse_set_results(p, op, types, n, op->name_at);
		return true;
	}
	if (op->n_results == 1) {
		/* ": A, B" does not say which it is */
		op->results[0]->type = known_result(p, op, n == 1 ? types[0] : NULL, &known);
		op->results[0]->guessed = !known;
		return !p->stop;
	}
	for (i = 0; i < op->n_results; i++) {
		op->results[i]->type = n == op->n_results ? types[i] : NULL;
		op->results[i]->guessed = true;
	}
	return true;
}

bool kt_parse_other(struct kt_parser *p, struct kt_op *op)
{
	struct other o = { .op = op, .operands = p->scratch_used };
	uint8_t prev = 0;

	while (!at_end(p, &o, prev)) {
		prev = p->tok.kind;
		if (p->stop || !item(p, &o))
			return false;
	}
	if (o.n_args)
		return kt_parse_error(p, o.args[0].at, "'%.100s' is not defined here",
				      o.args[0].sym->text);
	op->operands = kt_parse_take(p, o.operands, sizeof(*op->operands), &op->n_operands);
	if (o.n_regions) {
		op->regions = kt_parse_alloc(p, o.n_regions * sizeof(*op->regions));
		if (!op->regions)
			return false;
		memcpy(op->regions, o.regions, o.n_regions * sizeof(*op->regions));
		op->n_regions = o.n_regions;
	}
	return !p->stop && results(p, &o);
}
