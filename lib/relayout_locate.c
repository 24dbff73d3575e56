// SPDX-License-Identifier: MIT
/*
 * Places in JSON text. The JSON library tells where a syntax error is but not where a
 * value was; these two walks over the text connect JSON Pointers with bytes. They are
 * used for messages only, accept anything and never read outside the text.
 */
#include <stdio.h>
#include <string.h>

#include "relayout.h"

struct scan {
	const char *text;
	size_t len, pos;
};

static void skip_space(struct scan *s)
{
	while (s->pos < s->len && strchr(" \t\r\n", s->text[s->pos]) && s->text[s->pos])
		s->pos++;
}

/* Past a string whose opening quote is at pos; content goes to [*from, *to). */
static void skip_string(struct scan *s, size_t *from, size_t *to)
{
	s->pos++;
	*from = s->pos;
	while (s->pos < s->len && s->text[s->pos] != '"')
		s->pos += s->text[s->pos] == '\\' && s->pos + 1 < s->len ? 2 : 1;
	*to = s->pos < s->len ? s->pos : s->len;
	if (s->pos < s->len)
		s->pos++;
}

/* Past one value of any kind; nesting is counted, not recursed into. */
static void skip_value(struct scan *s)
{
	size_t depth = 0, from, to;

	skip_space(s);
	while (s->pos < s->len) {
		char c = s->text[s->pos];

		if (c == '"') {
			skip_string(s, &from, &to);
		} else if (c == '{' || c == '[') {
			depth++;
			s->pos++;
		} else if (c == '}' || c == ']') {
			if (!depth)
				return;
			depth--;
			s->pos++;
		} else if (c == ',' && !depth) {
			return;
		} else {
			s->pos++;
			if (!depth && strchr(" \t\r\n:", c))
				return;
			continue;
		}
		if (!depth)
			return;
	}
}

/* Whether the token of a pointer (up to '/' or the end) names this key. */
static bool token_is(const char *token, size_t n, const char *key, size_t len)
{
	size_t i = 0, k = 0;

	for (; i < n && k < len; i++, k++) {
		char c = token[i];

		if (c == '~' && i + 1 < n)
			c = token[++i] == '1' ? '/' : '~';
		if (c != key[k])
			return false;
	}
	return i == n && k == len;
}

/* Move into the member or element the token names; false if there is none. */
static bool enter(struct scan *s, const char *token, size_t n)
{
	unsigned long index = 0, want;
	size_t from, to;
	char open;

	skip_space(s);
	if (s->pos >= s->len)
		return false;
	open = s->text[s->pos];
	if (open != '{' && open != '[')
		return false;
	s->pos++;
	want = strtoul(token, NULL, 10);
	for (;;) {
		skip_space(s);
		if (s->pos >= s->len || s->text[s->pos] == '}' || s->text[s->pos] == ']')
			return false;
		if (s->text[s->pos] == ',') {
			s->pos++;
			continue;
		}
		if (open == '{') {
			if (s->text[s->pos] != '"')
				return false;
			skip_string(s, &from, &to);
			skip_space(s);
			if (s->pos < s->len && s->text[s->pos] == ':')
				s->pos++;
			if (token_is(token, n, s->text + from, to - from))
				return true;
		} else if (index++ == want) {
			return true;
		}
		skip_value(s);
	}
}

struct kt_range kt_json_locate(const char *text, size_t len, const char *ptr)
{
	struct scan s = { text, len, 0 };
	struct kt_range at = { 0, 0 };
	size_t n, start;

	while (*ptr == '/') {
		ptr++;
		n = strcspn(ptr, "/");
		if (!enter(&s, ptr, n))
			return at;
		ptr += n;
	}
	skip_space(&s);
	start = s.pos;
	skip_value(&s);
	while (s.pos > start && strchr(" \t\r\n", text[s.pos - 1]))
		s.pos--;
	at.off = (uint32_t)start;
	at.end = (uint32_t)s.pos;
	return at;
}

#define MAX_DEPTH	32

/* An open container: where its pointer ends in the buffer, and the next element. */
struct level {
	size_t used;
	unsigned long index;
	bool array;
};

void kt_json_pointer_at(const char *text, size_t len, size_t off, char *buf, size_t size)
{
	struct scan s = { text, len < off ? len : off, 0 };
	struct level lv[MAX_DEPTH];
	size_t used = 0, depth = 0, from = 0, to = 0;
	bool key = false;	/* a key was read, its ':' not yet */
	int n = 0;

	buf[0] = 0;
	while (s.pos < s.len && depth < MAX_DEPTH) {
		char c = s.text[s.pos];

		if (c == '"') {
			skip_string(&s, &from, &to);
			key = depth && !lv[depth - 1].array && used == lv[depth - 1].used;
			continue;
		}
		s.pos++;
		if (c == ':')
			key = false;
		if (c == '{' || c == '[') {
			lv[depth++] = (struct level){ used, 0, c == '[' };
			if (c == '[')
				n = snprintf(buf + used, size - used, "/0");
			else
				n = 0;
		} else if (c == ':') {
			used = depth ? lv[depth - 1].used : 0;
			n = snprintf(buf + used, size - used, "/%.*s", (int)(to - from),
				     text + from);
		} else if (c == ',' && depth) {
			used = lv[depth - 1].used;
			n = lv[depth - 1].array ? snprintf(buf + used, size - used, "/%lu",
							   ++lv[depth - 1].index) : 0;
		} else if ((c == '}' || c == ']') && depth) {
			used = lv[--depth].used;
			n = 0;
		} else {
			continue;
		}
		if (n < 0 || (size_t)n >= size - used)
			break;
		used += (size_t)n;
		buf[used] = 0;
	}
	if (key)
		snprintf(buf + used, size - used, "/%.*s", (int)(to - from), text + from);
}
