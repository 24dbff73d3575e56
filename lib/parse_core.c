// SPDX-License-Identifier: MIT
/*
 * Tokens, errors, names and temporary lists of the parser.
 */
#define _GNU_SOURCE		/* strtod_l: a number means the same in every locale */
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/* --- memory ------------------------------------------------------------------------ */

static void out_of_memory(struct kt_parser *p)
{
	p->err = -ENOMEM;
	p->stop = true;
}

void *kt_parse_alloc_slow(struct kt_parser *p, size_t bytes)
{
	void *m;

	if (p->a->used + p->scratch_cap + p->table_size * sizeof(*p->table) + bytes > p->budget) {
		if (!p->stop)
			kt_parse_error(p, kt_tok_range(p->tok),
				       "the file needs more memory than its size allows; split it");
		p->stop = true;
		return NULL;
	}
	m = kt_alloc(p->a, bytes);
	if (!m)
		out_of_memory(p);
	return m;
}

bool kt_parse_grow(struct kt_parser *p, size_t size)
{
	size_t cap = p->scratch_cap ? p->scratch_cap * 2 : 4096;
	char *more;

	if (p->scratch_used + size > p->budget / 8) {
		kt_parse_error(p, kt_tok_range(p->tok), "a list is too long");
		p->stop = true;
		return false;
	}
	while (cap < p->scratch_used + size)
		cap *= 2;
	more = realloc(p->scratch, cap);
	if (!more) {
		out_of_memory(p);
		return false;
	}
	p->scratch = more;
	p->scratch_cap = cap;
	return true;
}

void *kt_parse_take(struct kt_parser *p, size_t mark, size_t size, unsigned int *n)
{
	size_t bytes = p->scratch_used - mark;
	void *m = NULL;

	*n = 0;
	if (bytes) {
		m = kt_parse_alloc(p, bytes);
		if (m) {
			memcpy(m, p->scratch + mark, bytes);
			*n = (unsigned int)(bytes / size);
		}
	}
	p->scratch_used = mark;
	return m;
}

/* --- errors ------------------------------------------------------------------------ */

static struct kt_diag *add_error(struct kt_parser *p, struct kt_range at, enum kt_rule rule,
				 const char *fmt, va_list args)
{
	struct kt_diag *d;
	char buf[512];

	vsnprintf(buf, sizeof(buf), fmt, args);
	d = kt_diag(p->rep, p->src, at, rule, KTDEV_ERROR, "%s", buf);
	if (++p->n_errors == KT_PARSE_MAX_ERRORS) {
		kt_diag_remark(d, "too many errors, reading stops here");
		p->stop = true;
	}
	return d;
}

bool kt_parse_error(struct kt_parser *p, struct kt_range at, const char *fmt, ...)
{
	va_list args;

	if (p->stop)
		return false;
	va_start(args, fmt);
	add_error(p, at, KT_RULE_NONE, fmt, args);
	va_end(args);
	return false;
}

struct kt_diag *kt_parse_diag(struct kt_parser *p, struct kt_range at, enum kt_rule rule,
			      const char *fmt, ...)
{
	struct kt_diag *d;
	va_list args;

	va_start(args, fmt);
	d = add_error(p, at, rule, fmt, args);
	va_end(args);
	return d;
}

void kt_parse_old(struct kt_parser *p, struct kt_range at, const char *replacement,
		  const char *fmt, ...)
{
	struct kt_diag *d;
	va_list args;
	char buf[512];

	va_start(args, fmt);
	vsnprintf(buf, sizeof(buf), fmt, args);
	va_end(args);
	d = kt_diag(p->rep, p->src, at, KT_RULE_NONE, KTDEV_NOTE, "%s", buf);
	kt_diag_fixit(d, p->src, at, replacement, "write '%s'", replacement);
}

bool kt_parse_expected(struct kt_parser *p, const char *what)
{
	struct kt_tok t = p->tok;
	int len = t.end - t.off > 40 ? 40 : (int)(t.end - t.off);

	if (t.kind == KT_T_EOF)
		return kt_parse_error(p, kt_tok_range(t), "expected %s, the text ends", what);
	if (t.kind == KT_T_BAD)
		return kt_parse_error(p, kt_tok_range(t), "expected %s, found %s", what,
				      p->lex.problem);
	return kt_parse_error(p, kt_tok_range(t), "expected %s, found '%.*s'", what, len,
			      kt_tok_text(p, t));
}

/* --- tokens ------------------------------------------------------------------------ */

struct kt_tok kt_parse_peek(const struct kt_parser *p)
{
	struct kt_lex lex = p->lex;
	struct kt_tok t;

	kt_lex_next(&lex, &t);
	return t;
}

static const char *kind_name(uint8_t kind, char buf[4])
{
	switch (kind) {
	case KT_T_EOF: return "the end of the text";
	case KT_T_IDENT: return "a name";
	case KT_T_VALUE: return "a value (%name)";
	case KT_T_HASH: return "an attribute (#name)";
	case KT_T_BANG: return "a type (!name)";
	case KT_T_CARET: return "a block (^name)";
	case KT_T_AT: return "a symbol (@name)";
	case KT_T_INT: return "an integer";
	case KT_T_FLOAT: return "a number";
	case KT_T_STRING: return "a string";
	case KT_T_ARROW: return "'->'";
	default:
		buf[0] = buf[2] = '\'';
		buf[1] = (char)kind;
		buf[3] = 0;
		return buf;
	}
}

bool kt_parse_unexpected(struct kt_parser *p, uint8_t kind)
{
	char buf[4];

	return kt_parse_expected(p, kind_name(kind, buf));
}

static uint8_t closer_of(uint8_t kind)
{
	return kind == '(' ? ')' : kind == '[' ? ']' : kind == '{' ? '}' : kind == '<' ? '>' : 0;
}

bool kt_parse_skip_group(struct kt_parser *p)
{
	size_t mark = p->scratch_used;
	struct kt_tok open = p->tok;
	bool ok = true;

	/* the expected closers form a stack; no recursion on hostile input */
	do {
		uint8_t c = closer_of(p->tok.kind);

		if (c) {
			ok = kt_parse_push(p, &c, 1);
		} else if (p->tok.kind == (uint8_t)p->scratch[p->scratch_used - 1]) {
			p->scratch_used--;
		} else if (p->tok.kind == KT_T_EOF || p->tok.kind == KT_T_BAD ||
			   p->tok.kind == ')' || p->tok.kind == ']' || p->tok.kind == '}') {
			p->scratch_used = mark;
			kt_parse_error(p, kt_tok_range(open), "this '%c' is not closed",
				       open.kind);
			return false;
		}
		if (ok)
			kt_parse_advance(p);
	} while (ok && p->scratch_used > mark);
	p->scratch_used = mark;
	return ok;
}

bool kt_parse_too_deep(struct kt_parser *p)
{
	p->nesting--;
	return kt_parse_error(p, kt_tok_range(p->tok), "nested more than %u levels deep",
			      KT_PARSE_MAX_NESTING);
}

struct kt_mark kt_parse_mark(const struct kt_parser *p)
{
	return (struct kt_mark){ p->lex, p->tok, p->prev_end, p->depth };
}

void kt_parse_seek(struct kt_parser *p, uint32_t off)
{
	p->lex.pos = off;
	kt_lex_next(&p->lex, &p->tok);
}

void kt_parse_back(struct kt_parser *p, const struct kt_mark *m)
{
	p->lex = m->lex;
	p->tok = m->tok;
	p->prev_end = m->prev_end;
	p->depth = m->depth;
}

/* --- numbers and strings ----------------------------------------------------------- */

static int digit_value(char c)
{
	return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

uint64_t kt_parse_digits(const struct kt_parser *p, struct kt_tok t, bool *big)
{
	const char *s = kt_tok_text(p, t), *end = p->lex.text + t.end;
	uint64_t v = 0, base = 10;

	*big = false;
	if (end - s > 2 && s[1] == 'x') {
		base = 16;
		s += 2;
	}
	for (; s < end; s++)
		if (__builtin_mul_overflow(v, base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)digit_value(*s), &v))
			*big = true;
	return v;
}

bool kt_parse_int(struct kt_parser *p, int64_t *out)
{
	uint32_t off = p->tok.off;
	bool minus = kt_parse_accept(p, '-'), big;
	uint64_t v;

	if (!kt_is(p, KT_T_INT))
		return kt_parse_expected(p, "an integer");
	v = kt_parse_digits(p, p->tok, &big);
	kt_parse_advance(p);
	if (big || v > (uint64_t)INT64_MAX + minus)
		return kt_parse_error(p, kt_since(p, off), "the number does not fit 64 bits");
	*out = minus ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

bool kt_parse_number(struct kt_parser *p, double *out)
{
	const char *s = kt_tok_text(p, p->tok);
	size_t len = p->tok.end - p->tok.off;
	locale_t c = newlocale(LC_ALL_MASK, "C", NULL);
	char buf[512];

	if (!c || len >= sizeof(buf)) {
		if (c)
			freelocale(c);
		return kt_parse_error(p, kt_tok_range(p->tok), "the number is too long");
	}
	memcpy(buf, s, len);
	buf[len] = 0;
	*out = strtod_l(buf, NULL, c);
	freelocale(c);
	kt_parse_advance(p);
	return true;
}

char *kt_parse_text(struct kt_parser *p, struct kt_range at)
{
	/* room for kt_parse_intern(), which looks ahead */
	char *s = kt_parse_alloc(p, at.end - at.off + 8);

	if (s)
		memcpy(s, p->lex.text + at.off, at.end - at.off);
	return s;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

char *kt_parse_string(struct kt_parser *p, struct kt_tok t)
{
	uint32_t open = t.kind == KT_T_AT ? 2 : 1;
	char *s = kt_parse_text(p, (struct kt_range){ t.off + open, t.end - 1 });
	char *in = s, *out = s;

	if (!s)
		return NULL;
	while (*in) {
		if (*in != '\\') {
			*out++ = *in++;
		} else if (is_hex(in[1]) && is_hex(in[2])) {
			*out++ = (char)(digit_value(in[1]) * 16 + digit_value(in[2]));
			in += 3;
		} else {
			*out++ = in[1] == 'n' ? '\n' : in[1] == 't' ? '\t' : in[1];
			in += in[1] ? 2 : 1;
		}
	}
	*out = 0;
	return s;
}

/* --- names ------------------------------------------------------------------------- */

/* The first @len bytes at @s as a number, whatever stands behind them; len in 1..8. */
static inline uint64_t word_at(const char *s, uint32_t len)
{
	uint64_t w;

	memcpy(&w, s, sizeof(w));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return w & ~0ull >> (64 - 8 * len);
#else
	return w >> (64 - 8 * len);
#endif
}

static inline uint32_t hash_of(const char *s, uint32_t len)
{
	uint64_t h = len * 0x9e3779b97f4a7c15ull;

	for (; len > 8; len -= 8, s += 8) {
		h = (h ^ word_at(s, 8)) * 0xff51afd7ed558ccdull;
		h ^= h >> 32;
	}
	if (len)
		h ^= word_at(s, len);
	h *= 0xff51afd7ed558ccdull;
	h ^= h >> 32;
	h *= 0xc4ceb9fe1a85ec53ull;
	return (uint32_t)(h >> 32);
}

static inline bool same_text(const char *a, const char *b, uint32_t len)
{
	for (; len > 8; len -= 8, a += 8, b += 8)
		if (word_at(a, 8) != word_at(b, 8))
			return false;
	return !len || word_at(a, len) == word_at(b, len);
}

bool kt_parse_grow_table(struct kt_parser *p)
{
	uint32_t size = p->table_size ? p->table_size * 2 : 256, i;
	struct kt_sym **t;

	t = calloc(size, sizeof(*t));
	if (!t) {
		out_of_memory(p);
		return false;
	}
	for (i = 0; i < p->table_size; i++) {
		struct kt_sym *s = p->table[i];
		uint32_t at;

		if (!s)
			continue;
		for (at = s->hash & (size - 1); t[at]; at = (at + 1) & (size - 1))
			;
		t[at] = s;
	}
	free(p->table);
	p->table = t;
	p->table_size = size;
	return true;
}

static struct kt_sym *add_sym(struct kt_parser *p, const char *s, uint32_t len, uint32_t h)
{
	struct kt_sym *sym;
	uint32_t at;

	if (p->n_syms * 2 >= p->table_size && !kt_parse_grow_table(p))
		return NULL;
	/* one block for the entry, its text and what same_text() reads behind it */
	sym = kt_parse_alloc(p, sizeof(*sym) + len + 8);
	if (!sym)
		return NULL;
	memcpy(sym + 1, s, len);
	sym->text = (const char *)(sym + 1);
	sym->hash = h;
	sym->len = len;
	for (at = h & (p->table_size - 1); p->table[at]; at = (at + 1) & (p->table_size - 1))
		;
	p->table[at] = sym;
	p->n_syms++;
	return sym;
}

struct kt_sym *kt_parse_intern(struct kt_parser *p, const char *s, uint32_t len)
{
	uint32_t h = hash_of(s, len), mask = p->table_size - 1, at;
	struct kt_sym *sym;

	for (at = h & mask; (sym = p->table[at]); at = (at + 1) & mask)
		if (sym->hash == h && sym->len == len && same_text(sym->text, s, len))
			return sym;
	return add_sym(p, s, len, h);
}

struct kt_sym *kt_parse_sym(struct kt_parser *p)
{
	return kt_parse_intern(p, kt_tok_text(p, p->tok), p->tok.end - p->tok.off);
}

bool kt_parse_define(struct kt_parser *p, struct kt_sym *sym, struct kt_value **vals, uint32_t n,
		     struct kt_range at)
{
	if (sym->values) {
		struct kt_diag *d;

		if (p->stop)
			return false;
		d = kt_parse_diag(p, at, KT_RULE_NONE, "'%.100s' is defined twice", sym->text);
		kt_diag_note(d, p->src, sym->values[0]->at, "first defined here");
		return false;
	}
	if (p->n_undo == p->cap_undo) {
		size_t cap = p->cap_undo ? p->cap_undo * 2 : 64;
		struct kt_undo *more = realloc(p->undo, cap * sizeof(*more));

		if (!more) {
			out_of_memory(p);
			return false;
		}
		p->undo = more;
		p->cap_undo = cap;
	}
	p->undo[p->n_undo++].sym = sym;
	sym->values = vals;
	sym->n_values = n;
	return true;
}

void kt_parse_forget(struct kt_parser *p, size_t mark)
{
	while (p->n_undo > mark)
		p->undo[--p->n_undo].sym->values = NULL;
}
