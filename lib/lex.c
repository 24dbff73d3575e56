// SPDX-License-Identifier: MIT
/*
 * The lexer: one pass. Names and runs of spaces, most of any text, go 8 or 16 bytes at a
 * time; KT_SOURCE_PAD bytes behind the text allow to read over its end.
 */
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "lex.h"

/* Kept out of kt_lex_next(), which is the faster for it. */
#define SELDOM	__attribute__((noinline))

/* What a token starts with; from BLANK on perhaps none. */
enum start {
	BAD, WORD, DIGIT, SIGIL, QUOTE, SINGLE, PAIR, BLANK, SLASH,
};

static const uint8_t start_of[256] = {
	['A' ... 'Z'] = WORD, ['a' ... 'z'] = WORD, ['_'] = WORD, ['0' ... '9'] = DIGIT,
	['%'] = SIGIL, ['#'] = SIGIL, ['!'] = SIGIL, ['^'] = SIGIL, ['@'] = SIGIL,
	['"'] = QUOTE, ['('] = SINGLE, [')'] = SINGLE, ['{'] = SINGLE, ['}'] = SINGLE,
	['['] = SINGLE, [']'] = SINGLE, [','] = SINGLE, ['+'] = SINGLE, ['*'] = SINGLE,
	['/'] = SLASH, ['?'] = SINGLE, ['|'] = SINGLE, [';'] = SINGLE, ['.'] = SINGLE,
	['-'] = PAIR, ['<'] = PAIR, ['>'] = PAIR, ['='] = PAIR, [':'] = PAIR,
	[' '] = BLANK, ['\t'] = BLANK, ['\r'] = BLANK, ['\n'] = BLANK,
};

void kt_lex_init(struct kt_lex *lex, const char *text, uint32_t len)
{
	memset(lex, 0, sizeof(*lex));
	lex->text = text;
	lex->len = len;
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "// -----" alone on its line splits a file into independent parts. */
static SELDOM const char *skip_comment(struct kt_lex *lex, const char *p, bool first)
{
	const char *end = lex->text + lex->len, *nl = memchr(p, '\n', end - p), *q;

	if (!nl)
		nl = end;
	if (first && nl - p >= 8 && !memcmp(p, "// -----", 8)) {
		for (q = p + 8; q < nl && (*q == ' ' || *q == '\t' || *q == '\r'); q++)
			;
		if (q == nl)
			lex->split = (uint32_t)(nl - lex->text);
	}
	return nl;
}

/* Behind a run of spaces. */
static inline const char *skip_blanks(const char *p)
{
	uint64_t w;

	for (;;) {
		memcpy(&w, p, sizeof(w));
		w ^= 0x2020202020202020ull;
		if (w)
			break;
		p += 8;
	}
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return p + (__builtin_ctzll(w) >> 3);
#else
	return p + (__builtin_clzll(w) >> 3);
#endif
}

/*
 * Behind the letters, digits and _ $ . at @p; @dash: '-' too, but not that of "->", which
 * can only be the last one.
 */
#ifdef __SSE2__
static inline __m128i in_range(__m128i v, char lo, char span)
{
	v = _mm_sub_epi8(v, _mm_set1_epi8(lo));
	return _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(span)), v);
}

static inline const char *skip_name(const char *p, bool dash)
{
	unsigned int other;

	do {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p), ok;

		ok = in_range(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 25);
		ok = _mm_or_si128(ok, in_range(v, '0', 9));
		ok = _mm_or_si128(ok, _mm_cmpeq_epi8(v, _mm_set1_epi8('_')));
		ok = _mm_or_si128(ok, _mm_cmpeq_epi8(v, _mm_set1_epi8('.')));
		ok = _mm_or_si128(ok, _mm_cmpeq_epi8(v, _mm_set1_epi8('$')));
		if (dash)
			ok = _mm_or_si128(ok, _mm_cmpeq_epi8(v, _mm_set1_epi8('-')));
		other = ~(unsigned int)_mm_movemask_epi8(ok) & 0xffff;
		p += other ? (unsigned int)__builtin_ctz(other) : 16;
	} while (!other);
	return p;
}
#else
static inline const char *skip_name(const char *p, bool dash)
{
	uint8_t s;

	while ((s = start_of[(uint8_t)*p]) == WORD || s == DIGIT || *p == '.' || *p == '$' ||
	       (dash && *p == '-'))
		p++;
	return p;
}
#endif

/* Behind a sigil: digits, or a name. */
static inline const char *suffix(const char *p)
{
	const char *q;

	if (is_digit(*p)) {
		while (is_digit(*p))
			p++;
		return p;
	}
	q = skip_name(p, true);
	return q > p && q[-1] == '-' && *q == '>' ? q - 1 : q;
}

static bool is_hex(char c)
{
	return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

static SELDOM const char *number(const char *p, uint8_t *kind)
{
	const char *q;

	*kind = KT_T_INT;
	if (p[0] == '0' && p[1] == 'x' && is_hex(p[2])) {
		for (p += 2; is_hex(*p); p++)
			;
		return p;
	}
	while (is_digit(*p))
		p++;
	if (*p != '.')
		return p;
	*kind = KT_T_FLOAT;
	for (p++; is_digit(*p); p++)
		;
	if (*p != 'e' && *p != 'E')
		return p;
	q = p + 1;
	if (*q == '+' || *q == '-')
		q++;
	if (!is_digit(*q))
		return p;
	while (is_digit(*q))
		q++;
	return q;
}

/* Behind the opening quote. */
static SELDOM const char *string(struct kt_lex *lex, const char *p, uint8_t *kind)
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

static SELDOM const char *quoted_symbol(struct kt_lex *lex, const char *p, uint8_t *kind)
{
	p = string(lex, p, kind);
	if (*kind == KT_T_STRING)
		*kind = KT_T_AT;
	return p;
}

static inline const char *sigil(struct kt_lex *lex, const char *p, uint8_t *kind)
{
	static const uint8_t kinds[128] = {
		['%'] = KT_T_VALUE, ['#'] = KT_T_HASH, ['!'] = KT_T_BANG, ['^'] = KT_T_CARET,
		['@'] = KT_T_AT,
	};
	const char *q = suffix(p + 1);

	*kind = kinds[(uint8_t)*p];
	if (q == p + 1) {
		if (*p == '@' && *q == '"')
			return quoted_symbol(lex, q + 1, kind);
		lex->problem = "a character without the name that belongs behind it";
		*kind = KT_T_BAD;
	} else if (*p == '#' && is_digit(p[1])) {
		*kind = KT_T_RESULT;
	}
	return q;
}

static inline const char *pair(const char *p, uint8_t *kind)
{
	switch (p[0] << 8 | p[1]) {
	case '-' << 8 | '>':
		*kind = KT_T_ARROW;
		return p + 2;
	case '>' << 8 | '=':
		*kind = KT_T_GE;
		return p + 2;
	case '<' << 8 | '=':
		*kind = KT_T_LE;
		return p + 2;
	case '=' << 8 | '=':
		*kind = KT_T_EQEQ;
		return p + 2;
	case ':' << 8 | ':':
		*kind = KT_T_COLONS;
		return p + 2;
	default:
		*kind = (uint8_t)*p;
		return p + 1;
	}
}

static SELDOM const char *bad(struct kt_lex *lex, const char *p, uint8_t *kind)
{
	uint8_t c = (uint8_t)*p;

	if (!c && p >= lex->text + lex->len) {
		*kind = KT_T_EOF;
		return p;
	}
	*kind = KT_T_BAD;
	lex->problem = c >= 0x80 ? "a byte that is no ASCII character" :
		       c ? "a character that starts nothing" : "a zero byte";
	/* report a UTF-8 sequence once */
	for (p++; ((uint8_t)*p & 0xc0) == 0x80 && c >= 0x80; p++)
		;
	return p;
}

/* Over blanks and comments, if there are any; most tokens follow at once. */
static SELDOM const char *skip_space(struct kt_lex *lex, const char *p, bool *first)
{
	for (;;) {
		uint8_t start = start_of[(uint8_t)*p];

		if (start == BLANK) {
			*first |= *p++ == '\n';
			if (*p == ' ')
				p = skip_blanks(p);
		} else if (start == SLASH && p[1] == '/') {
			p = skip_comment(lex, p, *first);
		} else {
			return p;
		}
	}
}

void kt_lex_next(struct kt_lex *lex, struct kt_tok *tok)
{
	const char *p = lex->text + lex->pos;
	bool first = !lex->pos;

	if (*p == ' ')
		p++;
	if (start_of[(uint8_t)*p] >= BLANK)
		p = skip_space(lex, p, &first);
	tok->first = first;
	tok->off = (uint32_t)(p - lex->text);
	switch (start_of[(uint8_t)*p]) {
	case WORD:
		tok->kind = KT_T_IDENT;
		p = skip_name(p + 1, false);
		break;
	case SLASH:
	case SINGLE:
		tok->kind = (uint8_t)*p++;
		break;
	case PAIR:
		p = pair(p, &tok->kind);
		break;
	case SIGIL:
		p = sigil(lex, p, &tok->kind);
		break;
	case DIGIT:
		p = number(p, &tok->kind);
		break;
	case QUOTE:
		p = string(lex, p + 1, &tok->kind);
		break;
	default:
		p = bad(lex, p, &tok->kind);
	}
	tok->end = (uint32_t)(p - lex->text);
	lex->pos = tok->end;
}
