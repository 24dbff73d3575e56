// SPDX-License-Identifier: MIT
/*
 * Attributes: values, dictionaries, old names.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kte_image.h"
#include "parse.h"

/* --- numbers ----------------------------------------------------------------------- */

/* A small float from its bits: sign, exp_bits, man_bits; exact. */
static double small_float(uint64_t bits, unsigned int exp_bits, unsigned int man_bits)
{
	uint64_t man = bits & ((1ull << man_bits) - 1), sign = bits >> (exp_bits + man_bits) & 1;
	unsigned int exp = (unsigned int)(bits >> man_bits & ((1u << exp_bits) - 1));
	unsigned int max = (1u << exp_bits) - 1, bias = max >> 1;
	uint64_t out;
	double v;

	if (exp == max) {
		out = 0x7ffull << 52 | man << (52 - man_bits);
	} else if (exp) {
		out = (uint64_t)(exp - bias + 1023) << 52 | man << (52 - man_bits);
	} else {
		/* man * 2^(1 - bias - man_bits): a power of two in range of a double */
		uint64_t scale = (uint64_t)(1024 - bias - man_bits) << 52;

		memcpy(&v, &scale, sizeof(v));
		v *= (double)man;
		return sign ? -v : v;
	}
	out |= sign << 63;
	memcpy(&v, &out, sizeof(v));
	return v;
}

static double bits_to_double(uint64_t bits, uint8_t dtype)
{
	double v;

	switch (dtype) {
	case KTE_DT_F16:
		return small_float(bits, 5, 10);
	case KTE_DT_BF16:
		return small_float(bits, 8, 7);
	case KTE_DT_F32:
		return small_float(bits, 8, 23);
	default:
		memcpy(&v, &bits, sizeof(v));
		return v;
	}
}

static bool is_float(const struct kt_type *t)
{
	return t && (t->dtype == KTE_DT_F16 || t->dtype == KTE_DT_BF16 ||
		     t->dtype == KTE_DT_F32 || t->dtype == KTE_DT_F64);
}

static bool is_integer(const struct kt_type *t)
{
	const char *s = t->elem_name;

	return s && (s[0] == 'i' || ((s[0] == 's' || s[0] == 'u') && s[1] == 'i'));
}

/* An integer literal under a float type: its bits when in hex, else its value. */
static bool literal_float(struct kt_parser *p, struct kt_attr *out, uint64_t v, bool minus,
			  bool hex)
{
	if (!hex) {
		out->f = minus ? -(double)v : (double)v;
	} else {
		if (minus || (out->type->elem_bits < 64 && v >> out->type->elem_bits))
			return kt_parse_error(p, out->at, "these bits do not fit the type");
		out->f = bits_to_double(v, out->type->dtype);
	}
	out->kind = KT_AT_FLOAT;
	out->i = (int64_t)v;
	return true;
}

/* The value must fit the integer type; signless ones are kept sign-extended. */
static bool literal_int(struct kt_parser *p, struct kt_attr *out, uint64_t v, bool minus)
{
	unsigned int bits = out->type && out->type->elem_bits ? out->type->elem_bits : 64;
	bool is_unsigned = out->type && out->type->elem_name && out->type->elem_name[0] == 'u';
	uint64_t sign;

	if (bits > 64)
		bits = 64;
	sign = 1ull << (bits - 1);
	if (minus ? v > sign || is_unsigned : bits < 64 && v >> bits)
		return kt_parse_error(p, out->at, "the number does not fit %u bits", bits);
	/* 0xffffffffffffffff : i64 is -1; without a width that is no number we can keep */
	if (!minus && bits == 64 && v >= sign && (!out->type || !out->type->elem_bits))
		return kt_parse_error(p, out->at, "the number does not fit 64 bits");
	out->kind = KT_AT_INT;
	if (minus)
		v = 0 - v;
	if (bits == 1)
		v &= 1;
	else if (bits < 64 && !is_unsigned && v & sign)
		v |= ~(sign - 1);
	out->i = (int64_t)v;
	return true;
}

/* Is ": T" behind a number its type, and not that of the operation? */
static bool type_follows(const struct kt_parser *p, bool typed)
{
	struct kt_tok t;
	const char *s;
	uint32_t i;

	if (!kt_is(p, ':'))
		return false;
	if (typed)
		return true;
	t = kt_parse_peek(p);
	s = kt_tok_text(p, t);
	if (t.kind != KT_T_IDENT || s[0] != 'i')
		return false;
	for (i = 1; i < t.end - t.off; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return true;
}

struct literal {
	bool minus, number, hex;
	uint64_t v;
};

/* [-] 12, 0x1f, 1.5, true, false; the type comes later */
static bool literal(struct kt_parser *p, struct kt_attr *out, struct literal *l)
{
	bool big;

	memset(l, 0, sizeof(*l));
	l->minus = kt_parse_accept(p, '-');
	if (kt_is(p, KT_T_INT)) {
		l->number = true;
		l->v = kt_parse_digits(p, p->tok, &big);
		l->hex = p->tok.end - p->tok.off > 2 && kt_tok_text(p, p->tok)[1] == 'x';
		if (big)
			return kt_parse_error(p, kt_tok_range(p->tok),
					      "the number does not fit 64 bits");
		kt_parse_advance(p);
		return true;
	}
	if (kt_is(p, KT_T_FLOAT)) {
		out->kind = KT_AT_FLOAT;
		if (!kt_parse_number(p, &out->f))
			return false;
		if (l->minus)
			out->f = -out->f;
		return true;
	}
	if (!l->minus && (kt_parse_is_word(p, "true") || kt_parse_is_word(p, "false"))) {
		out->kind = KT_AT_BOOL;
		out->i = kt_parse_is_word(p, "true");
		kt_parse_advance(p);
		return true;
	}
	return kt_parse_expected(p, "a number");
}

static bool finish_literal(struct kt_parser *p, struct kt_attr *out, const struct literal *l)
{
	if (l->number)
		return is_float(out->type) ? literal_float(p, out, l->v, l->minus, l->hex) :
					     literal_int(p, out, l->v, l->minus);
	if (out->kind == KT_AT_FLOAT && out->type && is_integer(out->type))
		return kt_parse_error(p, out->at, "a fraction for an integer type");
	return true;
}

static bool number_attr(struct kt_parser *p, struct kt_attr *out, bool typed)
{
	uint32_t off = p->tok.off;
	struct literal l;

	if (!literal(p, out, &l))
		return false;
	out->at = kt_since(p, off);
	if (type_follows(p, typed)) {
		kt_parse_advance(p);
		out->type = kt_parse_type(p, KT_TY_OPAQUE);
		if (!out->type)
			return false;
	}
	return finish_literal(p, out, &l);
}

static bool same_number(const struct kt_attr *a, const struct kt_attr *b)
{
	if (a->kind != b->kind || a->kind != KT_AT_FLOAT)
		return a->kind == b->kind && a->i == b->i;
	return a->f == b->f || (isnan(a->f) && isnan(b->f));
}

/* The numbers of dense<[...]>, read again now that their type is known. */
static bool dense_list(struct kt_parser *p, struct kt_attr *out)
{
	struct kt_attr first = { .kind = KT_AT_OPAQUE };
	bool mixed = false, any = false;

	for (; !kt_is(p, '>'); kt_parse_accept(p, ',')) {
		struct kt_attr e = { .at = kt_tok_range(p->tok), .type = out->type };
		struct literal l;

		if (kt_parse_accept(p, '[') || kt_parse_accept(p, ']'))
			continue;
		if (!kt_is(p, '-') && !kt_is(p, KT_T_INT) && !kt_is(p, KT_T_FLOAT) &&
		    !kt_parse_is_word(p, "true") && !kt_parse_is_word(p, "false"))
			return true;	/* complex numbers, strings: nothing is known */
		if (!literal(p, &e, &l) || !finish_literal(p, &e, &l))
			return false;
		if (any)
			mixed = mixed || !same_number(&e, &first);
		else
			first = e;
		any = true;
	}
	out->mixed = mixed;
	if (!any || mixed)
		return true;
	out->kind = first.kind;
	out->i = first.i;
	out->f = first.f;
	return true;
}

/* dense<1.0> : tensor<...>; anything but equal numbers stays text */
static bool dense_attr(struct kt_parser *p, struct kt_attr *out)
{
	uint32_t off = p->tok.off;
	struct kt_lex lex, behind;
	struct kt_tok tok, next;
	struct literal l = { 0 };
	bool splat;

	kt_parse_advance(p);
	if (!kt_is(p, '<'))
		return kt_parse_expect(p, '<');
	splat = true;
	lex = p->lex;
	tok = p->tok;
	switch (kt_parse_peek(p).kind) {
	case '[':
	case '>':
	case '(':
	case KT_T_STRING:
		splat = false;
	}
	if (splat) {
		kt_parse_advance(p);
		if (!literal(p, out, &l) || !kt_parse_expect(p, '>'))
			return false;
	} else if (!kt_parse_skip_group(p)) {
		return false;
	}
	if (!kt_parse_expect(p, ':'))
		return false;
	out->type = kt_parse_type(p, KT_TY_OPAQUE);
	out->at = kt_since(p, off);
	if (!out->type)
		return false;
	if (splat)
		return finish_literal(p, out, &l);
	out->kind = KT_AT_OPAQUE;
	out->s = kt_parse_text(p, out->at);
	behind = p->lex;
	next = p->tok;
	p->lex = lex;
	p->tok = tok;
	kt_parse_advance(p);
	if (!out->s || !dense_list(p, out))
		return false;
	p->lex = behind;
	p->tok = next;
	return true;
}

/* --- other values ------------------------------------------------------------------ */

static bool opaque_attr(struct kt_parser *p, struct kt_attr *out)
{
	uint32_t off = p->tok.off;

	kt_parse_advance(p);
	if (kt_is(p, '<') && !kt_parse_skip_group(p))
		return false;
	out->kind = KT_AT_OPAQUE;
	out->at = kt_since(p, off);
	out->s = kt_parse_text(p, out->at);
	return out->s;
}

/* #dialect.name and #dialect<...>; anything else is an alias */
static bool is_dialect_name(const struct kt_parser *p)
{
	return p->lex.text[p->tok.end] == '<' ||
	       memchr(kt_tok_text(p, p->tok), '.', p->tok.end - p->tok.off);
}

static bool hash_attr(struct kt_parser *p, struct kt_attr *out)
{
	struct kt_range at = kt_tok_range(p->tok);
	struct kt_alias *al;

	if (is_dialect_name(p))
		return opaque_attr(p, out);
	al = kt_parse_alias_use(p);
	if (!al)
		return false;
	*out = al->attr;
	out->at = at;
	kt_parse_advance(p);
	return true;
}

/* [a, b]; array<i64: 1, 2> has its elements up to '>' */
static bool elements(struct kt_parser *p, struct kt_attr *out, uint8_t close)
{
	size_t mark = p->scratch_used;
	bool ok = true;

	out->kind = KT_AT_ARRAY;
	while (ok && !kt_is(p, close)) {
		struct kt_attr e;

		ok = kt_parse_attr(p, &e, true) && kt_parse_push(p, &e, sizeof(e));
		if (!ok || !kt_parse_accept(p, ','))
			break;
	}
	ok = ok && kt_parse_expect(p, close);
	out->elems = kt_parse_take(p, mark, sizeof(struct kt_attr), &out->n);
	return ok && !p->stop;
}

static bool array_attr(struct kt_parser *p, struct kt_attr *out)
{
	kt_parse_advance(p);
	if (!kt_parse_expect(p, '<') || !kt_parse_type(p, KT_TY_OPAQUE))
		return false;
	kt_parse_accept(p, ':');
	return elements(p, out, '>');
}

static bool dict_attr(struct kt_parser *p, struct kt_attr *out)
{
	size_t mark = p->scratch_used;
	bool ok = kt_parse_dict(p);

	out->kind = KT_AT_DICT;
	out->elems = kt_parse_take(p, mark, sizeof(struct kt_attr), &out->n);
	return ok && !p->stop;
}

static bool word_attr(struct kt_parser *p, struct kt_attr *out, bool typed)
{
	if (kt_parse_is_word(p, "affine_set"))
		return out->kind = KT_AT_SET, (out->set = kt_parse_affine_set(p)) != NULL;
	if (kt_parse_is_word(p, "affine_map"))
		return out->kind = KT_AT_MAP, (out->map = kt_parse_affine_map(p)) != NULL;
	if (kt_parse_is_word(p, "true") || kt_parse_is_word(p, "false"))
		return number_attr(p, out, typed);
	if (kt_parse_is_word(p, "dense"))
		return dense_attr(p, out);
	if (kt_parse_is_word(p, "array"))
		return array_attr(p, out);
	if (kt_parse_accept_word(p, "unit")) {
		out->kind = KT_AT_UNIT;
		return true;
	}
	if (kt_parse_is_word(p, "loc")) {
		out->kind = KT_AT_UNIT;
		kt_parse_advance(p);
		return kt_is(p, '(') ? kt_parse_skip_group(p) : kt_parse_expect(p, '(');
	}
	if (kt_parse_at_type(p)) {
		out->kind = KT_AT_TYPE;
		return (out->type = kt_parse_type(p, KT_TY_OPAQUE)) != NULL;
	}
	return opaque_attr(p, out);
}

static bool symbol_attr(struct kt_parser *p, struct kt_attr *out)
{
	struct kt_tok t = p->tok;

	out->kind = KT_AT_SYMBOL;
	out->s = kt_tok_text(p, t)[1] == '"' ? kt_parse_string(p, t) :
		 kt_parse_text(p, (struct kt_range){ t.off + 1, t.end });
	kt_parse_advance(p);
	while (kt_parse_accept(p, KT_T_COLONS))
		if (!kt_parse_expect(p, KT_T_AT))
			return false;
	return out->s;
}

static bool string_attr(struct kt_parser *p, struct kt_attr *out, bool typed)
{
	out->kind = KT_AT_STRING;
	out->s = kt_parse_string(p, p->tok);
	kt_parse_advance(p);
	if (typed && kt_parse_accept(p, ':') && !kt_parse_type(p, KT_TY_OPAQUE))
		return false;
	return out->s;
}

static bool any_attr(struct kt_parser *p, struct kt_attr *out, bool typed)
{
	switch (p->tok.kind) {
	case KT_T_INT:
	case KT_T_FLOAT:
	case '-':
		return number_attr(p, out, typed);
	case KT_T_HASH:
		return hash_attr(p, out);
	case KT_T_IDENT:
		return word_attr(p, out, typed);
	case KT_T_STRING:
		return string_attr(p, out, typed);
	case KT_T_AT:
		return symbol_attr(p, out);
	case KT_T_BANG:
	case '(':
		out->kind = KT_AT_TYPE;
		return (out->type = kt_parse_type(p, KT_TY_OPAQUE)) != NULL;
	case '[':
		kt_parse_advance(p);
		return elements(p, out, ']');
	case '{':
		return dict_attr(p, out);
	default:
		return kt_parse_expected(p, "an attribute");
	}
}

bool kt_parse_attr(struct kt_parser *p, struct kt_attr *out, bool typed)
{
	uint32_t off = p->tok.off;
	bool ok;

	memset(out, 0, sizeof(*out));
	if (!kt_parse_enter(p))
		return false;
	ok = any_attr(p, out, typed);
	kt_parse_leave(p);
	if (!out->at.end)
		out->at = kt_since(p, off);
	return ok;
}

/* --- names ------------------------------------------------------------------------- */

/* Old names and those of today. */
static const struct old_name {
	const char *old, *now;
} old_names[] = {
	{ "gather_dimension", "gather_dimensions" },
	{ "gather_dim", "gather_dimensions" },
	{ "gather_dims", "gather_dimensions" },
	{ "scatter_dimension", "scatter_dimensions" },
	{ "scatter_dim", "scatter_dimensions" },
	{ "scatter_dims", "scatter_dimensions" },
	{ "split_dimension", "split_dimensions" },
	{ "split_dim", "split_dimensions" },
	{ "split_dims", "split_dimensions" },
	{ "concat_dimension", "concat_dimensions" },
	{ "concat_dim", "concat_dimensions" },
	{ "concat_dims", "concat_dimensions" },
	{ "producer_tile_per_group", "producer_tiles_per_group" },
	{ "consumer_tile_per_group", "consumer_tiles_per_group" },
	{ "producer_dependencies_per_consumer", "producer_dependency_per_consumer" },
};

static bool is_dimension_list(const char *name)
{
	size_t len = strlen(name);

	return len > 11 && !strcmp(name + len - 11, "_dimensions") &&
	       (!strncmp(name, "gather", 6) || !strncmp(name, "scatter", 7) ||
		!strncmp(name, "split", 5) || !strncmp(name, "concat", 6));
}

static bool is_tile_set(const char *name)
{
	return !strcmp(name, "producer_tiles_per_group") ||
	       !strcmp(name, "consumer_tiles_per_group") ||
	       !strcmp(name, "producer_dependency_per_consumer");
}

/* Look a name up, once per file. */
static void look_up(struct kt_sym *sym)
{
	unsigned int i;

	sym->canonical = sym->text;
	for (i = 0; i < sizeof(old_names) / sizeof(old_names[0]); i++)
		if (!strcmp(sym->text, old_names[i].old))
			sym->canonical = old_names[i].now;
	sym->is_list = is_dimension_list(sym->canonical);
	sym->is_set = is_tile_set(sym->canonical);
}

/* Bring an attribute under its name of today, with a note about the old one. */
static void canonical(struct kt_parser *p, struct kt_attr *at, const struct kt_sym *sym)
{
	struct kt_range whole = { at->name_at.off, at->at.end };
	bool scalar = sym->is_list && at->kind == KT_AT_INT;
	char text[200];

	at->name = sym->canonical;
	if (scalar) {
		struct kt_attr *e = kt_parse_alloc(p, sizeof(*e));

		if (!e)
			return;
		*e = *at;
		e->name = NULL;
		at->kind = KT_AT_ARRAY;
		at->elems = e;
		at->n = 1;
		snprintf(text, sizeof(text), "%s = [%lld]", at->name, (long long)e->i);
		kt_parse_old(p, whole, text, "older spelling of '%s'", at->name);
	} else if (sym->canonical != sym->text) {
		kt_parse_old(p, at->name_at, at->name, "older spelling of '%s'", at->name);
	}
}

/* The name of an attribute, quoted or not. */
static struct kt_sym *entry_name(struct kt_parser *p)
{
	struct kt_sym *sym;
	char *s;

	if (kt_is(p, KT_T_IDENT)) {
		sym = kt_parse_sym(p);
	} else if (kt_is(p, KT_T_STRING)) {
		s = kt_parse_string(p, p->tok);
		sym = s ? kt_parse_intern(p, s, (uint32_t)strlen(s)) : NULL;
	} else {
		kt_parse_expected(p, "the name of an attribute");
		return NULL;
	}
	if (sym && !sym->canonical)
		look_up(sym);
	if (sym)
		kt_parse_advance(p);
	return sym;
}

static bool entry_value(struct kt_parser *p, struct kt_attr *at, const struct kt_sym *sym,
			bool typed)
{
	if (kt_is(p, '[') && sym->is_set) {
		at->set = kt_parse_enumerated(p);
		if (!at->set)
			return false;
		at->at = at->set->at;
	} else if (!kt_parse_attr(p, at, typed)) {
		return false;
	} else if (sym->is_set && at->kind == KT_AT_ARRAY) {
		at->set = kt_parse_list_set(p, at);
		if (!at->set)
			return false;
	} else {
		return true;
	}
	at->kind = KT_AT_SET;
	return true;
}

bool kt_parse_entry(struct kt_parser *p, bool typed)
{
	struct kt_range name_at = kt_tok_range(p->tok);
	struct kt_sym *sym = entry_name(p);
	struct kt_attr at;

	if (!sym)
		return false;
	memset(&at, 0, sizeof(at));
	at.at = name_at;
	if (kt_parse_accept(p, '=') && !entry_value(p, &at, sym, typed))
		return false;
	at.name_at = name_at;
	at.bare = !typed;
	canonical(p, &at, sym);
	return kt_parse_push(p, &at, sizeof(at));
}

bool kt_parse_dict(struct kt_parser *p)
{
	if (!kt_parse_expect(p, '{'))
		return false;
	while (!kt_is(p, '}')) {
		if (!kt_parse_entry(p, true))
			return false;
		if (!kt_parse_accept(p, ','))
			break;
	}
	return kt_parse_expect(p, '}');
}

/* --- memory spaces ----------------------------------------------------------------- */

static const char *skip_spaces(const char *s)
{
	while (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\r')
		s++;
	return s;
}

static const char *skip_word(const char *s, const char *word)
{
	size_t len = strlen(word);

	s = skip_spaces(s);
	if (strncmp(s, word, len))
		return NULL;
	s += len;
	return (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '_' ? NULL : s;
}

/* ct_id = 3 or core = %v; the text of an attribute, hence no tokens */
static bool space_owner(struct kt_parser *p, struct kt_op *op, const struct kt_attr *at,
			const char *s, const char *word)
{
	const char *v = skip_word(s, word);
	char name[128];
	struct kt_sym *sym;
	size_t len;
	char *end;

	if (v)
		v = skip_word(v, "=");
	if (!v)
		return kt_parse_error(p, at->at, "expected '%s = ' and a tile", word);
	v = skip_spaces(v);
	op->ct_id_present = true;
	op->ct_id.at = at->at;
	if (*v >= '0' && *v <= '9') {
		unsigned long n = strtoul(v, &end, 10);

		if (n > UINT32_MAX || *skip_spaces(end) != '>')
			return kt_parse_error(p, at->at, "a tile id is a number below 2^32");
		op->ct_id.value = (int64_t)n;
		return true;
	}
	len = strcspn(v, " \t\r\n>");
	if (*v != '%' || len >= sizeof(name) - 8 || *skip_spaces(v + len) != '>')
		return kt_parse_error(p, at->at, "expected a tile id behind '%s ='", word);
	memset(name, 0, sizeof(name));
	memcpy(name, v, len);
	sym = kt_parse_intern(p, name, (uint32_t)len);
	if (!sym || !sym->values)
		return kt_parse_error(p, at->at, "'%s' is not defined", name);
	op->ct_id.dynamic = true;
	op->ct_id.v = sym->values[0];
	return true;
}

static void note_space(struct kt_parser *p, const struct kt_op *op, const struct kt_attr *at)
{
	char text[96];

	if (op->space == KT_SPACE_GLOBAL)
		snprintf(text, sizeof(text), "#ktdp.memory_space<global>");
	else if (op->ct_id_present && !op->ct_id.dynamic)
		snprintf(text, sizeof(text), "#ktdp.memory_space<ct_local, ct_id = %lld>",
			 (long long)op->ct_id.value);
	else if (op->ct_id_present)
		return;
	else
		snprintf(text, sizeof(text), "#ktdp.memory_space<ct_local>");
	kt_parse_old(p, at->at, text, "older spelling of a memory space");
}

bool kt_parse_space(struct kt_parser *p, struct kt_op *op)
{
	const struct kt_attr *at = kt_op_attr(op, "memory_space");
	bool old;
	const char *s, *q;

	if (!at)
		return true;
	if (at->kind != KT_AT_OPAQUE)
		return kt_parse_error(p, at->at, "expected #ktdp.memory_space<...>");
	old = !strncmp(at->s, "#ktdp.spyre_memory_space", 24);
	s = strchr(at->s, '<');
	if (!s || (!old && strncmp(at->s, "#ktdp.memory_space", 18)))
		return kt_parse_error(p, at->at, "expected #ktdp.memory_space<...>");
	s++;
	if ((q = skip_word(s, old ? "HBM" : "global"))) {
		op->space = KT_SPACE_GLOBAL;
	} else if ((q = skip_word(s, old ? "LX" : "ct_local"))) {
		op->space = KT_SPACE_LOCAL;
		q = skip_spaces(q);
		if (*q == ',' && !space_owner(p, op, at, q + 1, old ? "core" : "ct_id"))
			return false;
	} else {
		return kt_parse_error(p, at->at, "expected '%s' or '%s'", old ? "HBM" : "global",
				      old ? "LX" : "ct_local");
	}
	q = skip_spaces(q);
	if (*q != '>' && !op->ct_id_present)
		return kt_parse_error(p, at->at, "expected '>' behind the memory space");
	if (old)
		note_space(p, op, at);
	return true;
}
