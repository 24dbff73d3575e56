// SPDX-License-Identifier: MIT
/*
 * affine_set<...>, affine_map<...> and enumerated sets.
 */
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/* The names of one set or map, and how much of an expression was read. */
struct names {
	struct kt_sym *dims[KT_SET_MAX_DIMS];
	struct kt_sym *syms[KT_SET_MAX_SYMS];
	unsigned int n_dims, n_syms;
	unsigned int nodes;
};

static struct kt_expr *new_expr(struct kt_parser *p, struct names *n, enum kt_expr_kind kind,
				uint32_t off)
{
	struct kt_expr *e;

	if (++n->nodes > KT_SET_MAX_NODES) {
		kt_parse_error(p, kt_since(p, off), "an expression of more than %u terms",
			       KT_SET_MAX_NODES);
		return NULL;
	}
	e = kt_parse_alloc(p, sizeof(*e));
	if (e) {
		e->kind = kind;
		e->at = kt_since(p, off);
	}
	return e;
}

static struct kt_expr *constant(struct kt_parser *p, struct names *n, int64_t v, uint32_t off)
{
	struct kt_expr *e = new_expr(p, n, KT_EXPR_CONST, off);

	if (e)
		e->value = v;
	return e;
}

/* No dims and no symbols in it: folded, unless folding fails (overflow, divisor <= 0). */
static bool is_constant(const struct kt_expr *e)
{
	if (e->kind < KT_EXPR_ADD)
		return e->kind == KT_EXPR_CONST;
	return is_constant(e->lhs) && is_constant(e->rhs);
}

static struct kt_expr *binary(struct kt_parser *p, struct names *n, enum kt_expr_kind kind,
			      struct kt_expr *lhs, struct kt_expr *rhs)
{
	struct kt_expr *e;
	int64_t v;

	if (!lhs || !rhs)
		return NULL;
	e = new_expr(p, n, kind, lhs->at.off);
	if (!e)
		return NULL;
	e->lhs = lhs;
	e->rhs = rhs;
	if (lhs->kind == KT_EXPR_CONST && rhs->kind == KT_EXPR_CONST &&
	    kt_expr_eval(e, NULL, NULL, &v) == KT_SET_OK) {
		e->kind = KT_EXPR_CONST;
		e->value = v;
		e->lhs = e->rhs = NULL;
	}
	return e;
}

static struct kt_expr *negate(struct kt_parser *p, struct names *n, struct kt_expr *e)
{
	uint32_t off = e ? e->at.off : 0;

	return binary(p, n, KT_EXPR_MUL, e, e ? constant(p, n, -1, off) : NULL);
}

static struct kt_expr *sum(struct kt_parser *p, struct names *n);

static struct kt_expr *variable(struct kt_parser *p, struct names *n)
{
	struct kt_sym *sym = kt_parse_sym(p);
	uint32_t off = p->tok.off;
	struct kt_expr *e;
	unsigned int i;

	for (i = 0; sym && i < n->n_dims; i++)
		if (n->dims[i] == sym)
			break;
	if (i == n->n_dims) {
		for (i = 0; sym && i < n->n_syms; i++)
			if (n->syms[i] == sym)
				break;
		if (i == n->n_syms) {
			kt_parse_error(p, kt_tok_range(p->tok),
				       "'%.60s' is no dimension or symbol of this set or map",
				       sym ? sym->text : "");
			return NULL;
		}
		kt_parse_advance(p);
		e = new_expr(p, n, KT_EXPR_SYM, off);
	} else {
		kt_parse_advance(p);
		e = new_expr(p, n, KT_EXPR_DIM, off);
	}
	if (e)
		e->value = i;
	return e;
}

static struct kt_expr *number(struct kt_parser *p, struct names *n)
{
	uint32_t off = p->tok.off;
	bool big;
	uint64_t v = kt_parse_digits(p, p->tok, &big);

	if (big || v > INT64_MAX) {
		if (!p->stop)
			kt_parse_diag(p, kt_tok_range(p->tok), KT_K12,
				      "the number does not fit 64 bits");
		return NULL;
	}
	kt_parse_advance(p);
	return constant(p, n, (int64_t)v, off);
}

static struct kt_expr *operand(struct kt_parser *p, struct names *n)
{
	struct kt_expr *e = NULL;
	uint32_t off = p->tok.off;
	bool minus = false;

	while (kt_parse_accept(p, '-'))
		minus = !minus;
	if (kt_is(p, KT_T_INT)) {
		e = number(p, n);
	} else if (kt_is(p, KT_T_IDENT)) {
		e = variable(p, n);
	} else if (kt_is(p, '(')) {
		if (!kt_parse_enter(p))
			return NULL;
		kt_parse_advance(p);
		e = sum(p, n);
		if (e && !kt_parse_expect(p, ')'))
			e = NULL;
		kt_parse_leave(p);
	} else {
		kt_parse_expected(p, "an affine expression");
	}
	if (minus)
		e = negate(p, n, e);
	if (minus && e)
		e->at.off = off;
	return e;
}

static enum kt_expr_kind factor_op(const struct kt_parser *p)
{
	if (kt_is(p, '*'))
		return KT_EXPR_MUL;
	if (!kt_is(p, KT_T_IDENT))
		return KT_EXPR_CONST;
	return kt_parse_is_word(p, "mod") ? KT_EXPR_MOD :
	       kt_parse_is_word(p, "floordiv") ? KT_EXPR_FLOORDIV :
	       kt_parse_is_word(p, "ceildiv") ? KT_EXPR_CEILDIV : KT_EXPR_CONST;
}

static struct kt_expr *product(struct kt_parser *p, struct names *n)
{
	struct kt_expr *lhs = operand(p, n), *rhs;
	enum kt_expr_kind kind;

	while (lhs && (kind = factor_op(p)) != KT_EXPR_CONST) {
		kt_parse_advance(p);
		rhs = operand(p, n);
		if (!rhs)
			return NULL;
		if (kind == KT_EXPR_MUL && !is_constant(lhs) && !is_constant(rhs)) {
			kt_parse_error(p, kt_since(p, lhs->at.off),
				       "a product of two variables is not affine");
			return NULL;
		}
		if (kind != KT_EXPR_MUL && !is_constant(rhs)) {
			kt_parse_error(p, rhs->at, "the divisor must be a constant");
			return NULL;
		}
		lhs = binary(p, n, kind, lhs, rhs);
	}
	return lhs;
}

static struct kt_expr *sum(struct kt_parser *p, struct names *n)
{
	struct kt_expr *lhs = product(p, n);

	while (lhs && (kt_is(p, '+') || kt_is(p, '-'))) {
		bool minus = kt_is(p, '-');
		struct kt_expr *rhs;

		kt_parse_advance(p);
		rhs = product(p, n);
		lhs = binary(p, n, KT_EXPR_ADD, lhs, minus ? negate(p, n, rhs) : rhs);
	}
	return lhs;
}

/* One name, two meanings: refused rather than one of them chosen. */
static bool fresh(struct kt_parser *p, const struct names *all, const struct kt_sym *sym)
{
	unsigned int i;

	for (i = 0; i < all->n_dims + all->n_syms; i++)
		if (sym == (i < all->n_dims ? all->dims[i] : all->syms[i - all->n_dims]))
			return kt_parse_error(p, kt_tok_range(p->tok), "'%.60s' is named twice",
					      sym->text);
	return true;
}

static bool name_list(struct kt_parser *p, const struct names *all, uint8_t close,
		      struct kt_sym **names, unsigned int max, unsigned int *n, const char *what)
{
	if (kt_parse_accept(p, close))
		return true;
	do {
		if (!kt_is(p, KT_T_IDENT))
			return kt_parse_expected(p, what);
		if (*n == max)
			return kt_parse_error(p, kt_tok_range(p->tok), "more than %u of them", max);
		names[*n] = kt_parse_sym(p);
		if (!names[*n] || !fresh(p, all, names[*n]))
			return false;
		++*n;
		kt_parse_advance(p);
	} while (kt_parse_accept(p, ','));
	return kt_parse_expect(p, close);
}

/* "affine_xxx" "<" "(" dims ")" [ "[" symbols "]" ] */
static bool header(struct kt_parser *p, struct names *n)
{
	kt_parse_advance(p);
	memset(n, 0, sizeof(*n));
	if (!kt_parse_expect(p, '<') || !kt_parse_expect(p, '(') ||
	    !name_list(p, n, ')', n->dims, KT_SET_MAX_DIMS, &n->n_dims, "a dimension"))
		return false;
	return !kt_parse_accept(p, '[') ||
	       name_list(p, n, ']', n->syms, KT_SET_MAX_SYMS, &n->n_syms, "a symbol");
}

/* e >= e, e <= e, e == e: as one expression against 0 */
static bool constraint(struct kt_parser *p, struct names *n, struct kt_constraint *c)
{
	struct kt_expr *lhs, *rhs;
	uint8_t rel;

	n->nodes = 0;
	lhs = sum(p, n);
	if (!lhs)
		return false;
	rel = p->tok.kind;
	if (rel != KT_T_GE && rel != KT_T_LE && rel != KT_T_EQEQ)
		return kt_parse_expected(p, "'>=', '<=' or '=='");
	kt_parse_advance(p);
	rhs = sum(p, n);
	if (!rhs)
		return false;
	memset(c, 0, sizeof(*c));
	c->equality = rel == KT_T_EQEQ;
	if (rel == KT_T_LE) {
		struct kt_expr *t = lhs;

		lhs = rhs;
		rhs = t;
	}
	if (rhs->kind != KT_EXPR_CONST || rhs->value)
		lhs = binary(p, n, KT_EXPR_ADD, lhs, negate(p, n, rhs));
	c->expr = lhs;
	return lhs;
}

static bool constraints(struct kt_parser *p, struct names *n, struct kt_set *s)
{
	size_t mark = p->scratch_used;
	struct kt_constraint c;
	bool ok = true;

	if (!kt_parse_expect(p, '('))
		return false;
	while (ok && !kt_is(p, ')')) {
		ok = constraint(p, n, &c) && kt_parse_push(p, &c, sizeof(c));
		if (ok && ++s->n_constraints > KT_SET_MAX_CONSTRAINTS)
			ok = kt_parse_error(p, kt_tok_range(p->tok),
					    "a set of more than %u constraints",
					    KT_SET_MAX_CONSTRAINTS);
		if (!ok || !kt_parse_accept(p, ','))
			break;
	}
	ok = ok && kt_parse_expect(p, ')');
	s->constraints = kt_parse_take(p, mark, sizeof(c), &s->n_constraints);
	return ok && !p->stop;
}

struct kt_set *kt_parse_affine_set(struct kt_parser *p)
{
	uint32_t off = p->tok.off;
	struct names n;
	struct kt_set *s = kt_parse_alloc(p, sizeof(*s));

	if (!s || !header(p, &n))
		return NULL;
	s->n_dims = n.n_dims;
	s->n_syms = n.n_syms;
	if (!kt_parse_expect(p, ':') || !constraints(p, &n, s) || !kt_parse_expect(p, '>'))
		return NULL;
	s->at = kt_since(p, off);
	kt_set_finish(s);
	return s;
}

struct kt_map *kt_parse_affine_map(struct kt_parser *p)
{
	struct kt_map *m = kt_parse_alloc(p, sizeof(*m));
	size_t mark = p->scratch_used;
	struct names n;
	bool ok = true;

	if (!m || !header(p, &n))
		return NULL;
	m->n_dims = n.n_dims;
	m->n_syms = n.n_syms;
	if (!kt_parse_expect(p, KT_T_ARROW) || !kt_parse_expect(p, '('))
		return NULL;
	while (ok && !kt_is(p, ')')) {
		struct kt_expr *e;

		n.nodes = 0;
		e = sum(p, &n);
		ok = e && kt_parse_push(p, &e, sizeof(e));
		if (!ok || !kt_parse_accept(p, ','))
			break;
	}
	ok = ok && kt_parse_expect(p, ')') && kt_parse_expect(p, '>');
	m->results = kt_parse_take(p, mark, sizeof(struct kt_expr *), &m->n_results);
	return ok && !p->stop ? m : NULL;
}

/* --- enumerated sets --------------------------------------------------------------- */

static int compare_ids(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Sorted and distinct; negative ones only leave their least behind. */
static bool make_list(struct kt_parser *p, int64_t *ids, unsigned int n, struct kt_tiles *out,
		      int64_t *below)
{
	unsigned int i;

	*below = 0;
	out->n = 0;
	out->ids = NULL;
	if (!n)
		return true;
	qsort(ids, n, sizeof(*ids), compare_ids);
	if (ids[0] < 0)
		*below = ids[0];
	out->ids = kt_parse_alloc(p, n * sizeof(*out->ids));
	if (!out->ids)
		return false;
	for (i = 0; i < n; i++)
		if (ids[i] >= 0 && (!i || ids[i] != ids[i - 1]))
			out->ids[out->n++] = (uint32_t)ids[i];
	return true;
}

static bool id_list(struct kt_parser *p, struct kt_tiles *out, int64_t *below)
{
	size_t mark = p->scratch_used;
	bool ok = true;

	while (ok && !kt_is(p, ']')) {
		uint32_t off = p->tok.off;
		int64_t id;

		ok = kt_parse_int(p, &id);
		if (ok && id > UINT32_MAX)
			ok = kt_parse_error(p, kt_since(p, off), "no tile has an id over %u",
					    UINT32_MAX);
		ok = ok && kt_parse_push(p, &id, sizeof(id));
		if (!ok || !kt_parse_accept(p, ','))
			break;
	}
	ok = ok && kt_parse_expect(p, ']') &&
	     make_list(p, (int64_t *)(void *)(p->scratch + mark),
		       (unsigned int)((p->scratch_used - mark) / sizeof(int64_t)), out, below);
	p->scratch_used = mark;
	return ok;
}

/* A list with its least negative member, as they come. */
struct list {
	struct kt_tiles tiles;
	int64_t below;
};

static bool split_lists(struct kt_parser *p, struct kt_set *s, const struct list *l)
{
	unsigned int i;

	s->lists = kt_parse_alloc(p, s->n_lists * sizeof(*s->lists));
	s->below = kt_parse_alloc(p, s->n_lists * sizeof(*s->below));
	if (!s->lists || !s->below)
		return false;
	for (i = 0; i < s->n_lists; i++) {
		s->lists[i] = l[i].tiles;
		s->below[i] = l[i].below;
	}
	return true;
}

static bool nested_lists(struct kt_parser *p, struct kt_set *s)
{
	size_t mark = p->scratch_used;
	struct list *all;
	bool ok;

	do {
		struct list l;

		ok = kt_parse_expect(p, '[') && id_list(p, &l.tiles, &l.below) &&
		     kt_parse_push(p, &l, sizeof(l));
	} while (ok && kt_parse_accept(p, ','));
	ok = ok && kt_parse_expect(p, ']');
	all = kt_parse_take(p, mark, sizeof(*all), &s->n_lists);
	return ok && all && split_lists(p, s, all);
}

struct kt_set *kt_parse_enumerated(struct kt_parser *p)
{
	struct kt_set *s = kt_parse_alloc(p, sizeof(*s));
	uint32_t off = p->tok.off;
	struct list l;
	bool ok;

	if (!s || !kt_parse_expect(p, '['))
		return NULL;
	s->n_dims = 1;
	s->enumerated = true;
	s->flat = !kt_is(p, '[');
	if (s->flat) {
		s->n_lists = 1;
		ok = id_list(p, &l.tiles, &l.below) && split_lists(p, s, &l);
	} else {
		s->n_syms = 1;
		ok = nested_lists(p, s);
	}
	s->at = kt_since(p, off);
	return ok ? s : NULL;
}

/* The integers of a list attribute, as id_list() reads them from the text. */
static bool attr_list(struct kt_parser *p, const struct kt_attr *list, struct list *out)
{
	size_t mark = p->scratch_used;
	bool ok = true;
	unsigned int i;

	for (i = 0; ok && i < list->n; i++) {
		const struct kt_attr *e = &list->elems[i];

		if (e->kind != KT_AT_INT || e->i > UINT32_MAX)
			ok = kt_parse_error(p, e->at, "expected the id of a tile or group");
		else
			ok = kt_parse_push(p, &e->i, sizeof(e->i));
	}
	ok = ok && make_list(p, (int64_t *)(void *)(p->scratch + mark), i, &out->tiles,
			     &out->below);
	p->scratch_used = mark;
	return ok;
}

const struct kt_set *kt_parse_list_set(struct kt_parser *p, const struct kt_attr *list)
{
	struct kt_set *s = kt_parse_alloc(p, sizeof(*s));
	size_t mark = p->scratch_used;
	struct list l, *all;
	unsigned int i;
	bool ok = true;

	if (!s)
		return NULL;
	s->at = list->at;
	s->n_dims = 1;
	s->enumerated = true;
	s->flat = !list->n || list->elems[0].kind != KT_AT_ARRAY;
	s->n_syms = !s->flat;
	s->n_lists = 1;
	if (s->flat)
		return attr_list(p, list, &l) && split_lists(p, s, &l) ? s : NULL;
	for (i = 0; ok && i < list->n; i++) {
		if (list->elems[i].kind != KT_AT_ARRAY)
			ok = kt_parse_error(p, list->elems[i].at, "expected a list");
		else
			ok = attr_list(p, &list->elems[i], &l) && kt_parse_push(p, &l, sizeof(l));
	}
	all = kt_parse_take(p, mark, sizeof(*all), &s->n_lists);
	return ok && all && split_lists(p, s, all) ? s : NULL;
}
