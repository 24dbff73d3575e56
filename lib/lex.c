// SPDX-License-Identifier: MIT
/*
 * The lexer: one pass, a table of character classes.
 */
#include <string.h>

#include "lex.h"

enum {
	SPACE = 1,
	START = 2,		/* starts a bare identifier */
	IDENT = 4,		/* continues one */
	DIGIT = 8,
	SUFFIX = 16,		/* continues a name behind a sigil */
	HEX = 32,
};

#define LETTER	(START | IDENT | SUFFIX)
#define XLETTER	(LETTER | HEX)
#define DIG	(IDENT | DIGIT | SUFFIX | HEX)

static const uint8_t class_of[256] = {
	[' '] = SPACE, ['\t'] = SPACE, ['\r'] = SPACE, ['\n'] = SPACE,
	['0'] = DIG, ['1'] = DIG, ['2'] = DIG, ['3'] = DIG, ['4'] = DIG,
	['5'] = DIG, ['6'] = DIG, ['7'] = DIG, ['8'] = DIG, ['9'] = DIG,
	['a'] = XLETTER, ['b'] = XLETTER, ['c'] = XLETTER, ['d'] = XLETTER,
	['e'] = XLETTER, ['f'] = XLETTER, ['g' ... 'z'] = LETTER,
	['A' ... 'F'] = XLETTER, ['G' ... 'Z'] = LETTER, ['_'] = LETTER,
	['$'] = IDENT | SUFFIX, ['.'] = IDENT | SUFFIX, ['-'] = SUFFIX,
};

void kt_lex_init(struct kt_lex *lex, const char *text, uint32_t len)
{
	memset(lex, 0, sizeof(*lex));
	lex->text = text;
	lex->len = len;
}

static inline bool is(const char *p, uint8_t cls)
{
	return class_of[(uint8_t)*p] & cls;
}

/* "// -----" alone on its line splits a file into independent parts. */
static const char *skip_comment(struct kt_lex *lex, const char *p, bool first)
{
	const char *end = lex->text + lex->len, *nl = memchr(p, '\n', end - p), *q;

	if (!nl)
		nl = end;
	if (first && nl - p >= 8 && !memcmp(p, "// -----", 8)) {
		for (q = p + 8; q < nl && is(q, SPACE); q++)
			;
		if (q == nl)
			lex->split = (uint32_t)(nl - lex->text);
	}
	return nl;
}

static const char *skip_space(struct kt_lex *lex, const char *p, bool *first)
{
	for (;;) {
		while (is(p, SPACE))
			*first |= *p++ == '\n';
		if (p[0] != '/' || p[1] != '/')
			return p;
		p = skip_comment(lex, p, *first);
	}
}

/* Behind a sigil: digits, or a name. "%a->" ends before the arrow. */
static const char *suffix(const char *p)
{
	if (is(p, DIGIT)) {
		while (is(p, DIGIT))
			p++;
		return p;
	}
	while (is(p, SUFFIX)) {
		if (*p == '-' && p[1] == '>')
			break;
		p++;
	}
	return p;
}

static const char *number(const char *p, uint8_t *kind)
{
	const char *q;

	*kind = KT_T_INT;
	if (p[0] == '0' && p[1] == 'x' && is(p + 2, HEX)) {
		for (p += 2; is(p, HEX); p++)
			;
		return p;
	}
	while (is(p, DIGIT))
		p++;
	if (*p != '.')
		return p;
	*kind = KT_T_FLOAT;
	for (p++; is(p, DIGIT); p++)
		;
	if (*p != 'e' && *p != 'E')
		return p;
	q = p + 1;
	if (*q == '+' || *q == '-')
		q++;
	if (!is(q, DIGIT))
		return p;
	while (is(q, DIGIT))
		q++;
	return q;
}

static const char *string(struct kt_lex *lex, const char *p, uint8_t *kind)
{
	const char *end = lex->text + lex->len;

	for (; p < end && *p != '\n'; p++) {
		if (*p == '"') {
			*kind = KT_T_STRING;
			return p + 1;
		}
		if (!*p) {
			lex->problem = "a zero byte in a string";
			*kind = KT_T_BAD;
			return p;
		}
		if (*p == '\\' && p + 1 < end && p[1] != '\n')
			p++;
	}
	lex->problem = "a string that does not end on its line";
	*kind = KT_T_BAD;
	return p;
}

static const char *sigil(struct kt_lex *lex, const char *p, uint8_t *kind)
{
	const char *q = suffix(p + 1);

	switch (*p) {
	case '%':
		*kind = KT_T_VALUE;
		break;
	case '#':
		*kind = is(p + 1, DIGIT) ? KT_T_RESULT : KT_T_HASH;
		break;
	case '!':
		*kind = KT_T_BANG;
		break;
	case '^':
		*kind = KT_T_CARET;
		break;
	default:
		*kind = KT_T_AT;
		if (p[1] == '"') {
			q = string(lex, p + 2, kind);
			if (*kind == KT_T_STRING)
				*kind = KT_T_AT;
			return q;
		}
	}
	if (q == p + 1) {
		lex->problem = "a name is missing behind this character";
		*kind = KT_T_BAD;
	}
	return q;
}

static const char *punctuation(struct kt_lex *lex, const char *p, uint8_t *kind)
{
	static const char singles[] = "(){}[]<>,:=+-*/?|;.";
	uint8_t c = (uint8_t)*p;

	if (c == '-' && p[1] == '>')
		*kind = KT_T_ARROW;
	else if (c == '>' && p[1] == '=')
		*kind = KT_T_GE;
	else if (c == '<' && p[1] == '=')
		*kind = KT_T_LE;
	else if (c == '=' && p[1] == '=')
		*kind = KT_T_EQEQ;
	else if (c == ':' && p[1] == ':')
		*kind = KT_T_COLONS;
	else if (c && strchr(singles, c))
		*kind = c;
	else {
		*kind = KT_T_BAD;
		lex->problem = c >= 0x80 ? "a byte that is no ASCII character" :
			       c ? "a character that starts nothing" : "a zero byte";
		/* report a UTF-8 sequence once */
		for (p++; ((uint8_t)*p & 0xc0) == 0x80 && c >= 0x80; p++)
			;
		return p;
	}
	return p + (*kind >= KT_T_IDENT ? 2 : 1);
}

void kt_lex_next(struct kt_lex *lex, struct kt_tok *tok)
{
	bool first = !lex->pos;
	const char *p = skip_space(lex, lex->text + lex->pos, &first);

	tok->first = first;
	tok->off = (uint32_t)(p - lex->text);
	if (is(p, START)) {
		tok->kind = KT_T_IDENT;
		do {
			p++;
		} while (is(p, IDENT));
	} else if (*p == '%' || *p == '#' || *p == '!' || *p == '^' || *p == '@') {
		p = sigil(lex, p, &tok->kind);
	} else if (is(p, DIGIT)) {
		p = number(p, &tok->kind);
	} else if (*p == '"') {
		p = string(lex, p + 1, &tok->kind);
	} else if (!*p && tok->off >= lex->len) {
		tok->kind = KT_T_EOF;
	} else {
		p = punctuation(lex, p, &tok->kind);
	}
	tok->end = (uint32_t)(p - lex->text);
	lex->pos = tok->end;
}
