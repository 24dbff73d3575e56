// SPDX-License-Identifier: MIT
/*
 * What all operations are made of: operands, results, index lists, regions.
 */
#include <string.h>

#include "parse.h"

/* --- values ------------------------------------------------------------------------ */

static struct kt_value *lookup(struct kt_parser *p, struct kt_sym *sym, struct kt_range at,
			       uint64_t number)
{
	struct kt_diag *d;

	if (!sym)
		return NULL;
	if (!sym->values) {
		kt_parse_error(p, at, "'%.100s' is not defined here", sym->text);
		return p->unknown;
	}
	if (number < sym->n_values)
		return sym->values[number];
	if (!p->stop) {
		d = kt_parse_diag(p, at, KT_RULE_NONE, "'%.100s' has %u results, there is no #%llu",
				  sym->text, sym->n_values, (unsigned long long)number);
		kt_diag_note(d, p->src, sym->values[0]->at, "defined here");
	}
	return p->unknown;
}

bool kt_parse_operand(struct kt_parser *p, struct kt_operand *o)
{
	struct kt_value *v;
	struct kt_sym *sym;
	uint32_t off = p->tok.off;
	uint64_t number = 0;
	bool big = false;

	if (!kt_is(p, KT_T_VALUE))
		return kt_parse_expected(p, "a value (%name)");
	sym = kt_parse_sym(p);
	kt_parse_advance(p);
	if (kt_is(p, KT_T_RESULT)) {
		struct kt_tok t = { KT_T_INT, false, p->tok.off + 1, p->tok.end };

		number = kt_parse_digits(p, t, &big);
		kt_parse_advance(p);
	}
	o->at = kt_since(p, off);
	v = lookup(p, sym, o->at, big ? UINT64_MAX : number);
	o->value = v;
	return v;
}

bool kt_parse_operands(struct kt_parser *p)
{
	struct kt_operand o;

	do {
		if (!kt_parse_operand(p, &o) || !kt_parse_push(p, &o, sizeof(o)))
			return false;
	} while (kt_parse_accept(p, ','));
	return true;
}

bool kt_parse_push_operand(struct kt_parser *p, const struct kt_value *v, struct kt_range at)
{
	struct kt_operand o = { v, at };

	return kt_parse_push(p, &o, sizeof(o));
}

void kt_parse_check_type(struct kt_parser *p, const struct kt_operand *o, const struct kt_type *t)
{
	struct kt_value *v = (struct kt_value *)o->value;
	struct kt_arena a = { 0 };
	const char *is, *says;
	struct kt_diag *d;

	/* "%a, %a : T" is one mistake */
	if (!t || !v || !v->type || p->stop || (v == p->mismatch && t == p->mismatch_type))
		return;
	if (v->type == t || kt_type_equal(v->type, t)) {
		v->guessed = false;
		return;
	}
	if (v->guessed) {
		v->type = t;
		v->guessed = false;
		return;
	}
	p->mismatch = v;
	p->mismatch_type = t;
	is = kt_type_text(&a, v->type);
	says = kt_type_text(&a, t);
	d = kt_parse_diag(p, t->at.end ? t->at : o->at, KT_RULE_NONE,
			  "'%.60s' is %.150s, not %.150s", v->name,
			  is ? is : "of another type", says ? says : "this");
	if (v->at.end)
		kt_diag_note(d, p->src, v->at, "defined here");
	kt_arena_fini(&a);
}

bool kt_parse_check_types(struct kt_parser *p, const struct kt_operand *o, unsigned int n,
			  const struct kt_type *const *types, unsigned int n_types,
			  struct kt_range at)
{
	unsigned int i;

	if (n != n_types)
		return kt_parse_error(p, at, "%u values, but %u types", n, n_types);
	for (i = 0; i < n; i++)
		kt_parse_check_type(p, &o[i], types[i]);
	return true;
}

struct kt_value *kt_parse_new_value(struct kt_parser *p, const char *name,
				    const struct kt_type *type, struct kt_range at)
{
	struct kt_value *v = kt_parse_alloc(p, sizeof(*v));

	if (!v)
		return NULL;
	v->name = name;
	v->type = type;
	v->at = at;
	return v;
}

/* Results without names: the text may drop them. */
static bool unnamed_results(struct kt_parser *p, struct kt_op *op, unsigned int n)
{
	unsigned int i;

	op->results = kt_parse_alloc(p, n * sizeof(*op->results));
	if (!op->results)
		return false;
	for (i = 0; i < n; i++) {
		op->results[i] = kt_parse_new_value(p, "", NULL, op->name_at);
		if (!op->results[i])
			return false;
		op->results[i]->def = op;
		op->results[i]->index = i;
	}
	op->n_results = n;
	return true;
}

bool kt_parse_set_results(struct kt_parser *p, struct kt_op *op,
			  const struct kt_type *const *types, unsigned int n, struct kt_range at)
{
	unsigned int i;

	if (!op->n_results && n && !unnamed_results(p, op, n))
		return false;
	if (op->n_results != n)
		return kt_parse_error(p, at, "%u results are named, but there %s %u",
				      op->n_results, n == 1 ? "is" : "are", n);
	for (i = 0; i < n; i++)
		op->results[i]->type = types[i];
	return true;
}

/* --- index lists ------------------------------------------------------------------- */

bool kt_parse_index(struct kt_parser *p, struct kt_index *out)
{
	uint32_t off = p->tok.off;
	struct kt_operand o;

	memset(out, 0, sizeof(*out));
	if (kt_is(p, KT_T_VALUE)) {
		if (!kt_parse_operand(p, &o))
			return false;
		out->dynamic = true;
		out->v = o.value;
		out->at = o.at;
		return true;
	}
	if (!kt_is(p, KT_T_INT) && !kt_is(p, '-'))
		return kt_parse_expected(p, "an integer or a value (%name)");
	if (!kt_parse_int(p, &out->value))
		return false;
	out->at = kt_since(p, off);
	return true;
}

bool kt_parse_index_list(struct kt_parser *p, struct kt_index_list *out)
{
	size_t mark = p->scratch_used;
	uint32_t off = p->tok.off;
	bool ok = kt_parse_expect(p, '[');

	while (ok && !kt_is(p, ']')) {
		struct kt_index e;

		ok = kt_parse_index(p, &e) && kt_parse_push(p, &e, sizeof(e));
		if (!ok || !kt_parse_accept(p, ','))
			break;
	}
	ok = ok && kt_parse_expect(p, ']');
	out->e = kt_parse_take(p, mark, sizeof(*out->e), &out->n);
	out->at = kt_since(p, off);
	out->present = true;
	return ok && !p->stop;
}

bool kt_parse_push_dynamic(struct kt_parser *p, const struct kt_index_list *l)
{
	unsigned int i;

	for (i = 0; i < l->n; i++)
		if (l->e[i].dynamic && !kt_parse_push_operand(p, l->e[i].v, l->e[i].at))
			return false;
	return true;
}

/* --- attributes of an operation ---------------------------------------------------- */

#define MAX_ATTRS	256

bool kt_parse_take_attrs(struct kt_parser *p, struct kt_op *op, size_t mark)
{
	unsigned int n, i, j, old = op->n_attrs;
	struct kt_attr *more = kt_parse_take(p, mark, sizeof(*more), &n), *all;

	if (!n)
		return !p->stop;
	if (old + n > MAX_ATTRS)
		return kt_parse_error(p, more[n - 1].name_at, "more than %u attributes", MAX_ATTRS);
	if (old) {
		all = kt_parse_alloc(p, (old + n) * sizeof(*all));
		if (!all)
			return false;
		memcpy(all, op->attrs, old * sizeof(*all));
		memcpy(all + old, more, n * sizeof(*all));
		more = all;
	}
	op->attrs = more;
	op->n_attrs = old + n;
	for (i = old; i < op->n_attrs; i++) {
		for (j = 0; j < i; j++) {
			if (strcmp(more[i].name, more[j].name))
				continue;
			return kt_parse_error(p, more[i].name_at, "'%.60s' is given twice",
					      more[i].name);
		}
	}
	return true;
}

void kt_parse_add_attr(struct kt_parser *p, struct kt_op *op, const struct kt_attr *at)
{
	size_t mark = p->scratch_used;

	if (kt_parse_push(p, at, sizeof(*at)))
		kt_parse_take_attrs(p, op, mark);
}

bool kt_parse_loc(struct kt_parser *p)
{
	if (!kt_parse_is_word(p, "loc") || kt_parse_peek(p).kind != '(')
		return true;
	kt_parse_advance(p);
	return kt_parse_skip_group(p);
}

bool kt_parse_trailer(struct kt_parser *p, struct kt_op *op)
{
	size_t mark = p->scratch_used;

	if (kt_is(p, '{') && !kt_parse_at_region(p) &&
	    (!kt_parse_dict(p) || !kt_parse_take_attrs(p, op, mark))) {
		p->scratch_used = mark;
		return false;
	}
	return kt_parse_loc(p);
}

/* --- where operations and regions start -------------------------------------------- */

/* %a, %b:2 = */
static bool results_follow(struct kt_lex lex)
{
	struct kt_tok t;

	for (;;) {
		kt_lex_next(&lex, &t);
		if (t.kind == ':') {
			kt_lex_next(&lex, &t);
			if (t.kind != KT_T_INT)
				return false;
			kt_lex_next(&lex, &t);
		}
		if (t.kind != ',')
			return t.kind == '=';
		kt_lex_next(&lex, &t);
		if (t.kind != KT_T_VALUE)
			return false;
	}
}

bool kt_parse_at_op(const struct kt_parser *p)
{
	switch (p->tok.kind) {
	case KT_T_VALUE:
		return results_follow(p->lex);
	case KT_T_IDENT:
		return memchr(kt_tok_text(p, p->tok), '.', p->tok.end - p->tok.off) ||
		       kt_parse_is_word(p, "return") || kt_parse_is_word(p, "call") ||
		       kt_parse_is_word(p, "module") || kt_parse_is_word(p, "func");
	case KT_T_STRING:
		return kt_parse_peek(p).kind == '(';
	default:
		return false;
	}
}

bool kt_parse_at_region(const struct kt_parser *p)
{
	struct kt_lex lex = p->lex;
	struct kt_tok t, next;

	kt_lex_next(&lex, &t);
	switch (t.kind) {
	case KT_T_CARET:
	case KT_T_VALUE:
		return true;
	case KT_T_STRING:
	case KT_T_IDENT:
		kt_lex_next(&lex, &next);
		return next.kind != '=' && next.kind != ',' && next.kind != '}' &&
		       next.kind != KT_T_EOF;
	default:
		return false;
	}
}

/* --- regions ----------------------------------------------------------------------- */

bool kt_parse_block_args(struct kt_parser *p, struct kt_block *b)
{
	size_t mark = p->scratch_used;
	bool ok = kt_parse_expect(p, '(');

	while (ok && !kt_is(p, ')')) {
		struct kt_range at = kt_tok_range(p->tok);
		struct kt_sym *sym = kt_is(p, KT_T_VALUE) ? kt_parse_sym(p) : NULL;
		struct kt_value *v;

		ok = kt_parse_expect(p, KT_T_VALUE) && kt_parse_expect(p, ':');
		if (!ok || !sym)
			break;
		v = kt_parse_new_value(p, sym->text, kt_parse_type(p, KT_TY_OPAQUE), at);
		ok = v && v->type && kt_parse_push(p, &v, sizeof(v)) && kt_parse_loc(p);
		if (ok && kt_is(p, '{'))
			ok = kt_parse_skip_group(p);
		if (!ok || !kt_parse_accept(p, ','))
			break;
	}
	ok = ok && kt_parse_expect(p, ')');
	b->args = kt_parse_take(p, mark, sizeof(struct kt_value *), &b->n_args);
	return ok && !p->stop;
}

static void define_args(struct kt_parser *p, struct kt_block *b)
{
	unsigned int i;

	for (i = 0; i < b->n_args; i++) {
		struct kt_value *v = b->args[i];
		struct kt_sym *sym;
		struct kt_value **slot;

		v->block = b;
		v->index = i;
		if (!*v->name)
			continue;
		sym = kt_parse_intern(p, p->lex.text + v->at.off, v->at.end - v->at.off);
		slot = kt_parse_alloc(p, sizeof(*slot));
		if (!sym || !slot)
			return;
		*slot = v;
		kt_parse_define(p, sym, slot, 1, v->at);
	}
}

static void move_blocks(struct kt_block *to, const struct kt_block *from, unsigned int n)
{
	unsigned int i, j;

	for (i = 0; i < n; i++) {
		struct kt_op *op;

		to[i] = from[i];
		for (op = to[i].first; op; op = op->next)
			op->parent = &to[i];
		for (j = 0; j < to[i].n_args; j++)
			to[i].args[j]->block = &to[i];
	}
}

static struct kt_block *new_block(struct kt_parser *p, struct kt_op *op, struct kt_region *r)
{
	struct kt_block *b = r->blocks;

	/* room for 1, 2, 4, ... blocks; blocks move when it is full */
	if (!(r->n_blocks & (r->n_blocks - 1))) {
		b = kt_parse_alloc(p, (r->n_blocks ? r->n_blocks * 2 : 1) * sizeof(*b));
		if (!b)
			return NULL;
		move_blocks(b, r->blocks, r->n_blocks);
		r->blocks = b;
	}
	b += r->n_blocks++;
	b->parent_op = op;
	return b;
}

/* ^bb0(%a: T): */
static bool label(struct kt_parser *p, struct kt_block *b)
{
	kt_parse_advance(p);
	if (kt_is(p, '(') && !kt_parse_block_args(p, b))
		return false;
	return kt_parse_expect(p, ':');
}

static bool region_body(struct kt_parser *p, struct kt_op *op, struct kt_region *r,
			struct kt_block *b, struct kt_range open)
{
	while (!kt_is(p, '}')) {
		if (p->stop)
			return false;
		if (kt_is(p, KT_T_EOF))
			return kt_parse_error(p, open, "this '{' is not closed");
		if (!kt_is(p, KT_T_CARET)) {
			if (!p->one_op(p, b))
				return false;
			continue;
		}
		/* the first label may name the block that is already there */
		if (b->first || b->n_args || r->n_blocks > 1)
			b = new_block(p, op, r);
		if (!b)
			return false;
		if (label(p, b))
			define_args(p, b);
		else if (kt_is(p, KT_T_EOF) || p->stop)
			return false;
		else
			kt_parse_advance(p);
	}
	kt_parse_advance(p);
	return true;
}

bool kt_parse_region(struct kt_parser *p, struct kt_op *op, struct kt_region *r,
		     struct kt_value **args, unsigned int n_args)
{
	struct kt_range open = kt_tok_range(p->tok);
	size_t mark = p->n_undo;
	struct kt_block *b;
	bool ok;

	memset(r, 0, sizeof(*r));
	if (!kt_parse_enter(p))
		return false;
	ok = kt_parse_expect(p, '{');
	b = ok ? new_block(p, op, r) : NULL;
	if (b) {
		b->args = args;
		b->n_args = n_args;
		define_args(p, b);
	}
	ok = b && region_body(p, op, r, b, open);
	kt_parse_forget(p, mark);
	kt_parse_leave(p);
	r->at = kt_since(p, open.off);
	return ok;
}
