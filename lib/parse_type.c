// SPDX-License-Identifier: MIT
/*
 * Types as text.
 */
#include <stdio.h>
#include <string.h>

#include "kte_image.h"
#include "parse.h"

static const struct scalar {
	char name[16];
	uint8_t bits, dtype;
} scalars[] = {
	{ "f16", 16, KTE_DT_F16 },	{ "index", 0, KTE_DT_OPAQUE },
	{ "f32", 32, KTE_DT_F32 },	{ "bf16", 16, KTE_DT_BF16 },
	{ "i8", 8, KTE_DT_I8 },		{ "i32", 32, KTE_DT_I32 },
	{ "i16", 16, KTE_DT_I16 },	{ "i64", 64, KTE_DT_I64 },
	{ "f64", 64, KTE_DT_F64 },	{ "tf32", 32, KTE_DT_OPAQUE },
	{ "f80", 80, KTE_DT_OPAQUE },	{ "f128", 128, KTE_DT_OPAQUE },
};

static const int64_t no_shape[KT_MAX_RANK];

/* Names are short: compare the padded words. The text may be read behind its end. */
static const struct scalar *find_scalar(const char *s, uint32_t len)
{
	uint64_t w, v;
	unsigned int i;

	if (len > 7)
		return NULL;
	memcpy(&w, s, sizeof(w));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	w &= (1ull << 8 * len) - 1;
#else
	w &= ~(~0ull >> 8 * len);
#endif
	for (i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++) {
		memcpy(&v, scalars[i].name, sizeof(v));
		if (v == w)
			return &scalars[i];
	}
	return NULL;
}

/* "8" -> 8; 0 when it is no number of 1..128 */
static unsigned int digits(const char *s, const char *end)
{
	unsigned int v = 0;

	if (s == end || *s == '0')
		return 0;
	for (; s < end; s++) {
		if (*s < '0' || *s > '9')
			return 0;
		v = v * 10 + (unsigned int)(*s - '0');
		if (v > 128)
			return 0;
	}
	return v;
}

/* i1, si8, ui16, f8E4M3FN, f6E3M2FN, f4E2M1FN; 0: not such a name */
static unsigned int other_bits(const char *s, uint32_t len)
{
	const char *end = s + len;

	if (len > 1 && s[0] == 'i')
		return digits(s + 1, end);
	if (len > 2 && (s[0] == 's' || s[0] == 'u') && s[1] == 'i')
		return digits(s + 2, end);
	if (len > 3 && s[0] == 'f' && s[1] >= '4' && s[1] <= '8' && s[2] == 'E')
		return (unsigned int)(s[1] - '0');
	return 0;
}

static uint8_t int_dtype(const char *s, unsigned int bits)
{
	/* signedness is a matter of the operation, not of the bytes */
	if (s[0] != 's' && s[0] != 'u')
		return KTE_DT_OPAQUE;
	return bits == 8 ? KTE_DT_I8 : bits == 16 ? KTE_DT_I16 : bits == 32 ? KTE_DT_I32 :
	       bits == 64 ? KTE_DT_I64 : KTE_DT_OPAQUE;
}

/* Fill the element fields from a name; false: not the name of a scalar. */
static bool element(struct kt_parser *p, struct kt_type *t, const char *s, uint32_t len)
{
	const struct scalar *known = find_scalar(s, len);
	struct kt_sym *sym;
	unsigned int bits;

	if (known) {
		t->elem_bits = known->bits;
		t->dtype = known->dtype;
		t->elem_name = known->name;
		return true;
	}
	bits = other_bits(s, len);
	if (!bits)
		return false;
	sym = kt_parse_intern(p, s, len);
	t->elem_bits = (uint8_t)bits;
	t->dtype = int_dtype(s, bits);
	t->elem_name = sym ? sym->text : "";
	return true;
}

static bool is_scalar_name(const char *s, uint32_t len)
{
	return find_scalar(s, len) || other_bits(s, len);
}

static struct kt_type *new_type(struct kt_parser *p)
{
	struct kt_type *t = kt_parse_alloc(p, sizeof(*t));

	if (t)
		t->shape = no_shape;
	return t;
}

struct kt_type *kt_parse_scalar(struct kt_parser *p, const char *s, uint32_t len)
{
	struct kt_type *t = new_type(p);

	if (!t || !element(p, t, s, len))
		return NULL;
	t->kind = t->elem_bits ? KT_TY_SCALAR : KT_TY_INDEX;
	return t;
}

/* The text without spaces is what makes an opaque type. */
static bool opaque(struct kt_parser *p, struct kt_type *t, uint32_t off)
{
	struct kt_range at = kt_since(p, off);
	char *s = kt_parse_text(p, at), *in, *out;

	if (!s)
		return false;
	for (in = out = s; *in; in++)
		if (*in != ' ' && *in != '\t' && *in != '\n' && *in != '\r')
			*out++ = *in;
	*out = 0;
	t->kind = KT_TY_OPAQUE;
	t->elem_name = s;
	return true;
}

/* One extent at @s; its end, or NULL when it does not fit 64 bits. */
static const char *extent(const char *s, int64_t *out)
{
	int64_t v = 0;

	if (*s == '?') {
		*out = -1;
		return s + 1;
	}
	for (; *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, *s - '0', &v))
			return NULL;
	*out = v;
	return s;
}

/* 4x?x: straight from the text, since the lexer would read 0x.. and x64 as words. */
static bool shape(struct kt_parser *p, struct kt_type *t)
{
	const char *s = kt_tok_text(p, p->tok);
	int64_t v[KT_MAX_RANK], *copy;
	unsigned int n = 0;

	while ((*s >= '0' && *s <= '9') || *s == '?') {
		if (n == KT_MAX_RANK)
			return kt_parse_error(p, kt_tok_range(p->tok), "more than %u axes",
					      KT_MAX_RANK);
		s = extent(s, &v[n++]);
		if (!s)
			return kt_parse_error(p, kt_tok_range(p->tok),
					      "an extent that does not fit 64 bits");
		while (*s == ' ')
			s++;
		if (*s != 'x') {
			kt_parse_seek(p, (uint32_t)(s - p->lex.text));
			return kt_parse_expected(p, "'x' and the element type");
		}
		for (s++; *s == ' '; s++)
			;
	}
	if (!n)
		return true;
	kt_parse_seek(p, (uint32_t)(s - p->lex.text));
	copy = kt_parse_alloc(p, n * sizeof(*copy));
	if (!copy)
		return false;
	memcpy(copy, v, n * sizeof(*copy));
	t->shape = copy;
	t->rank = n;
	return true;
}

static bool elem_type(struct kt_parser *p, struct kt_type *t)
{
	const struct kt_type *e;

	if (kt_is(p, KT_T_IDENT) &&
	    element(p, t, kt_tok_text(p, p->tok), p->tok.end - p->tok.off)) {
		kt_parse_advance(p);
		return !p->stop;
	}
	e = kt_parse_type(p, KT_TY_OPAQUE);
	if (!e)
		return false;
	t->elem_bits = e->elem_bits;
	t->dtype = e->dtype;
	t->elem_name = e->elem_name ? e->elem_name : "";
	return true;
}

/* Behind '<': shape, element, and what a memref or tensor has behind a comma. */
static bool shaped(struct kt_parser *p, struct kt_type *t)
{
	if (kt_is(p, '*'))
		return kt_parse_error(p, kt_tok_range(p->tok), "a type without a rank");
	if (!shape(p, t) || !elem_type(p, t))
		return false;
	while (kt_parse_accept(p, ',')) {
		while (!kt_is(p, ',') && !kt_is(p, '>')) {
			if (kt_is(p, '<') || kt_is(p, '(') || kt_is(p, '[') || kt_is(p, '{')) {
				if (!kt_parse_skip_group(p))
					return false;
			} else if (kt_is(p, KT_T_EOF) || kt_is(p, KT_T_BAD) || kt_is(p, ')') ||
				   kt_is(p, '}') || kt_is(p, ']')) {
				return kt_parse_expected(p, "'>'");
			} else {
				kt_parse_advance(p);
			}
		}
	}
	return kt_parse_expect(p, '>');
}

/* The groups of a future: alias, affine_set or list. */
static bool future_groups(struct kt_parser *p, struct kt_type *t)
{
	struct kt_alias *al;

	if (kt_is(p, '['))
		return (t->groups = kt_parse_enumerated(p)) != NULL;
	if (kt_parse_is_word(p, "affine_set"))
		return (t->groups = kt_parse_affine_set(p)) != NULL;
	if (!kt_is(p, KT_T_HASH))
		return kt_parse_expected(p, "a set of groups");
	al = kt_parse_alias_use(p);
	if (!al)
		return false;
	if (al->attr.kind != KT_AT_SET && al->attr.kind != KT_AT_ARRAY)
		return kt_parse_error(p, kt_tok_range(p->tok), "'%.60s' is no set",
				      al->sym->text);
	t->groups = al->attr.kind == KT_AT_SET ? al->attr.set : kt_parse_list_set(p, &al->attr);
	if (!t->groups)
		return false;
	kt_parse_advance(p);
	return true;
}

static void note_future(struct kt_parser *p, struct kt_type *t, struct kt_range partials,
			struct kt_range groups, uint32_t off)
{
	int n = (int)(partials.end - partials.off), m = (int)(groups.end - groups.off);
	const char *s = p->lex.text;
	char text[400];

	t->old_spelling = true;
	if (groups.end)
		snprintf(text, sizeof(text), "<(%.*s), groups = %.*s>", n, s + partials.off, m,
			 s + groups.off);
	else
		snprintf(text, sizeof(text), "<(%.*s)>", n, s + partials.off);
	/* a replacement that was cut would be wrong */
	if (n + m < (int)sizeof(text) - 20)
		kt_parse_old(p, kt_since(p, off), text, "older spelling of a tile future");
}

/* Behind '<': (T1, T2), groups = S; older T1, T2, groups = S and T1, T2, S */
static bool future(struct kt_parser *p, struct kt_type *t, uint32_t open)
{
	bool parens = kt_parse_accept(p, '('), named = true, ok = true;
	struct kt_range partials = { p->tok.off, 0 }, groups = { 0, 0 };
	size_t mark = p->scratch_used;

	t->kind = KT_TY_FUTURE;
	while (ok && kt_parse_at_type(p)) {
		const struct kt_type *e = kt_parse_type(p, KT_TY_OPAQUE);

		ok = e && kt_parse_push(p, &e, sizeof(e));
		partials.end = p->prev_end;
		if (!ok || !kt_parse_accept(p, ','))
			break;
	}
	if (partials.end < partials.off)
		partials.end = partials.off;
	if (ok && parens)
		ok = kt_parse_expect(p, ')') && (kt_is(p, '>') || kt_parse_expect(p, ','));
	t->partials = kt_parse_take(p, mark, sizeof(struct kt_type *), &t->n_partials);
	if (ok && !kt_is(p, '>')) {
		named = kt_parse_accept_word(p, "groups");
		ok = !named || kt_parse_expect(p, '=');
		groups.off = p->tok.off;
		ok = ok && future_groups(p, t);
		groups.end = p->prev_end;
	}
	if (!ok || !kt_parse_expect(p, '>'))
		return false;
	if (!t->n_partials)
		return kt_parse_error(p, kt_since(p, open), "a tile future without a partial type");
	if (!parens || !named)
		note_future(p, t, partials, groups, open);
	return !p->stop;
}

/* "<...>" alone: a future if a parenthesis follows, else what the place suggests. */
static bool shorthand_type(struct kt_parser *p, struct kt_type *t, enum kt_type_kind kind)
{
	uint32_t open = p->tok.off;

	kt_parse_advance(p);
	if (kt_is(p, '(') || kind == KT_TY_FUTURE)
		return future(p, t, open);
	if (kind != KT_TY_ACCESS_TILE)
		return kt_parse_expected(p, "a type");
	t->kind = kind;
	return shaped(p, t);
}

/* --- types that were read before --------------------------------------------------- */

#define KNOWN_MAX_TEXT	56

/* Only words between the brackets: nothing that depends on its place. */
static bool is_simple(const char *s, const char *end)
{
	for (; s < end; s++)
		if (!((*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') || *s == '?'))
			return false;
	return true;
}

static struct kt_known_type *known_slot(struct kt_parser *p, uint32_t off, uint32_t len)
{
	const char *s = p->lex.text + off;
	uint64_t h, tail;

	/* words from both ends, which may overlap: shapes differ near the end */
	memcpy(&h, s, sizeof(h));
	memcpy(&tail, s + len - 8, sizeof(tail));
	h = (h ^ tail * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
	return &p->known_types[h >> 58 & (KT_PARSE_KNOWN_TYPES - 2)];
}

/* Bytes of the type at the next token, a name, up to the first '>'; 0: none so near. */
static uint32_t known_text(const struct kt_parser *p)
{
	const char *s = kt_tok_text(p, p->tok), *end;
	size_t left = p->lex.len - p->tok.off;

	if (p->lex.text[p->tok.end] != '<')
		return 0;
	end = memchr(s, '>', left < KNOWN_MAX_TEXT ? left : KNOWN_MAX_TEXT);
	return end && end - s >= 7 ? (uint32_t)(end - s) + 1 : 0;
}

/* Look in the two places it may be in; a miss makes room in the first. */
static bool known_type(struct kt_parser *p, struct kt_type *t, struct kt_known_type *k,
		       uint32_t len)
{
	const char *s = kt_tok_text(p, p->tok);
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (k[i].len != len || memcmp(p->lex.text + k[i].off, s, len))
			continue;
		*t = *k[i].type;
		p->prev_end = p->tok.off + len;
		kt_parse_seek(p, p->prev_end);
		return true;
	}
	k[1] = k[0];
	k[0].len = 0;
	return false;
}

/* tensor<...>, memref<...>, !ktdp.access_tile<...>, at their name */
static bool shaped_type(struct kt_parser *p, struct kt_type *t, enum kt_type_kind kind)
{
	uint32_t off = p->tok.off, open = p->tok.end + 1, len = known_text(p);
	struct kt_known_type *k = len ? known_slot(p, off, len) : NULL;

	if (k && known_type(p, t, k, len))
		return true;
	t->kind = kind;
	kt_parse_advance(p);
	if (!kt_parse_expect(p, '<') || !shaped(p, t))
		return false;
	if (k && is_simple(p->lex.text + open, p->lex.text + off + len - 1))
		*k = (struct kt_known_type){ off, len, t };
	return true;
}

static bool dialect(struct kt_parser *p, struct kt_type *t)
{
	uint32_t off = p->tok.off, open;
	struct kt_sym *sym = kt_parse_sym(p);

	if (!sym)
		return false;
	if (!strcmp(sym->text, "!ktdp.access_tile"))
		return shaped_type(p, t, KT_TY_ACCESS_TILE);
	kt_parse_advance(p);
	open = p->tok.off;
	if (!strcmp(sym->text, "!ktdp.tile_future"))
		return kt_parse_expect(p, '<') && future(p, t, open);
	if (kt_is(p, '<') && !kt_parse_skip_group(p))
		return false;
	return opaque(p, t, off);
}

static bool word_type(struct kt_parser *p, struct kt_type *t)
{
	const char *s = kt_tok_text(p, p->tok);
	uint32_t len = p->tok.end - p->tok.off, off = p->tok.off;

	if (kt_parse_is_word(p, "tensor"))
		return shaped_type(p, t, KT_TY_TENSOR);
	if (kt_parse_is_word(p, "memref"))
		return shaped_type(p, t, KT_TY_MEMREF);
	if (element(p, t, s, len)) {
		t->kind = t->elem_bits ? KT_TY_SCALAR : KT_TY_INDEX;
		kt_parse_advance(p);
		return true;
	}
	if (!kt_parse_at_type(p))
		return kt_parse_expected(p, "a type");
	kt_parse_advance(p);
	if (kt_is(p, '<') && !kt_parse_skip_group(p))
		return false;
	return opaque(p, t, off);
}

/* (A, B) -> C as one opaque type */
static bool function_type(struct kt_parser *p, struct kt_type *t)
{
	uint32_t off = p->tok.off;

	if (!kt_parse_skip_group(p))
		return false;
	if (kt_parse_accept(p, KT_T_ARROW)) {
		if (kt_is(p, '(') ? !kt_parse_skip_group(p) : !kt_parse_type(p, KT_TY_OPAQUE))
			return false;
	}
	return opaque(p, t, off);
}

static const struct kt_type *alias_type(struct kt_parser *p)
{
	struct kt_alias *al = kt_parse_alias_use(p);
	struct kt_type *t;

	if (!al)
		return NULL;
	t = kt_parse_alloc(p, sizeof(*t));
	if (!t)
		return NULL;
	*t = *al->type;
	t->at = kt_tok_range(p->tok);
	kt_parse_advance(p);
	return t;
}

/* !dialect.name and !dialect<...>; anything else is an alias */
static bool is_dialect_name(const struct kt_parser *p)
{
	return p->lex.text[p->tok.end] == '<' ||
	       memchr(kt_tok_text(p, p->tok), '.', p->tok.end - p->tok.off);
}

const struct kt_type *kt_parse_type(struct kt_parser *p, enum kt_type_kind shorthand)
{
	uint32_t off = p->tok.off;
	struct kt_type *t;
	bool ok = false;

	if (kt_is(p, KT_T_BANG) && !is_dialect_name(p))
		return alias_type(p);
	if (!kt_parse_enter(p))
		return NULL;
	t = new_type(p);
	if (t && kt_is(p, KT_T_IDENT))
		ok = word_type(p, t);
	else if (t && kt_is(p, KT_T_BANG))
		ok = dialect(p, t);
	else if (t && kt_is(p, '<'))
		ok = shorthand_type(p, t, shorthand);
	else if (t && kt_is(p, '('))
		ok = function_type(p, t);
	else if (t)
		ok = kt_parse_expected(p, "a type");
	kt_parse_leave(p);
	if (!ok)
		return NULL;
	t->at = kt_since(p, off);
	return t;
}

bool kt_parse_at_type(const struct kt_parser *p)
{
	static const char *const words[] = {
		"tensor", "memref", "vector", "none", "complex", "tuple", "token",
	};
	unsigned int i;

	if (kt_is(p, KT_T_BANG))
		return true;
	if (!kt_is(p, KT_T_IDENT))
		return false;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (kt_parse_is_word(p, words[i]))
			return true;
	return is_scalar_name(kt_tok_text(p, p->tok), p->tok.end - p->tok.off);
}

bool kt_parse_types(struct kt_parser *p, enum kt_type_kind shorthand, bool parens)
{
	const struct kt_type *t;

	if (parens && kt_parse_accept(p, '(')) {
		if (kt_parse_accept(p, ')'))
			return true;
		return kt_parse_types(p, shorthand, false) && kt_parse_expect(p, ')');
	}
	for (;;) {
		struct kt_mark m;

		t = kt_parse_type(p, shorthand);
		if (!t || !kt_parse_push(p, &t, sizeof(t)))
			return false;
		if (!kt_is(p, ','))
			return true;
		/* a comma may belong to what follows the types */
		m = kt_parse_mark(p);
		kt_parse_advance(p);
		if (!kt_parse_at_type(p) && !kt_is(p, '<') && !kt_is(p, '(')) {
			kt_parse_back(p, &m);
			return true;
		}
	}
}
