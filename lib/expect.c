// SPDX-License-Identifier: MIT
/* GIVEN and EXPECT lines: see expect.h. */
#include "expect.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kte_exec.h"

#define MAX_TEXT	64		/* longest number or word */
#define MAX_REPEAT	(1u << 20)

struct reader {
	const struct kt_source *src;
	struct ktdev_report *rep;
	struct kt_arena *arena;
	uint32_t n_tiles;
	uint64_t pad_bytes;
	uint32_t pos, end;	/* of the current line */
	struct kt_range line;
	bool failed;
};

static void refuse(struct reader *r, const char *what)
{
	struct kt_range at = { r->pos, r->end };

	if (at.off >= at.end)
		at = r->line;
	if (!r->failed)
		kt_diag(r->rep, r->src, at, KT_RULE_NONE, KTDEV_ERROR, "expectation: %s", what);
	r->failed = true;
}

static void skip_blanks(struct reader *r)
{
	while (r->pos < r->end && (r->src->text[r->pos] == ' ' || r->src->text[r->pos] == '\t' ||
				   r->src->text[r->pos] == '\r'))
		r->pos++;
}

static bool take(struct reader *r, const char *lit)
{
	size_t n = strlen(lit);

	if (r->end - r->pos < n || memcmp(r->src->text + r->pos, lit, n))
		return false;
	r->pos += n;
	return true;
}

static uint64_t number(struct reader *r, const char *what)
{
	uint64_t v = 0;
	uint32_t start = r->pos;

	while (r->pos < r->end && r->src->text[r->pos] >= '0' && r->src->text[r->pos] <= '9') {
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(r->src->text[r->pos] - '0'), &v)) {
			refuse(r, "number too large");
			return 0;
		}
		r->pos++;
	}
	if (r->pos == start)
		refuse(r, what);
	return v;
}

/* A word up to a blank or '*'. Empty when too long for any value. */
static const char *word(struct reader *r, char buf[MAX_TEXT])
{
	size_t n = 0;

	while (r->pos < r->end && !strchr(" \t\r*", r->src->text[r->pos])) {
		if (n + 1 < MAX_TEXT)
			buf[n++] = r->src->text[r->pos];
		r->pos++;
	}
	buf[n] = 0;
	return buf;
}

static void tiles(struct reader *r, struct kt_expect_line *line)
{
	line->tiles = kt_alloc(r->arena, r->n_tiles * sizeof(*line->tiles));
	if (!line->tiles) {
		refuse(r, "out of memory");
		return;
	}
	do {
		uint64_t first = number(r, "a tile id is expected"), last = first;

		if (take(r, ".."))
			last = number(r, "a tile id is expected behind '..'");
		if (!r->failed && (last < first || last >= r->n_tiles))
			refuse(r, "no such tile");
		for (uint64_t t = first; !r->failed && t <= last; t++) {
			if (line->n_tiles == r->n_tiles)
				refuse(r, "a tile is named twice");
			else
				line->tiles[line->n_tiles++] = t;
		}
	} while (!r->failed && take(r, ","));
}

static unsigned int parse_dtype(const char *name)
{
	for (unsigned int d = KTE_DT_F16; d < KTE_DT_COUNT; d++)
		if (!strcmp(name, kte_dtype_name(d)))
			return d;
	return KTE_DT_OPAQUE;
}

static bool encode(unsigned int dtype, const char *text, uint8_t *out)
{
	char *end;
	unsigned int bytes = kte_dtype_bytes(dtype);

	errno = 0;
	if (dtype == KTE_DT_F64) {
		double d = strtod(text, &end);

		memcpy(out, &d, sizeof(d));
	} else if (dtype <= KTE_DT_F32) {
		float f = strtof(text, &end);
		uint16_t h = dtype == KTE_DT_F16 ? kte_f32_to_f16(f) : kte_f32_to_bf16(f);

		if (dtype == KTE_DT_F32)
			memcpy(out, &f, sizeof(f));
		else
			memcpy(out, &h, sizeof(h));
	} else {
		long long v = strtoll(text, &end, 0);
		long long hi = bytes < 8 ? 1ll << (8 * bytes - 1) : 0;

		if (hi && (v < -hi || v >= 2 * hi))
			return false;
		memcpy(out, &v, bytes);
	}
	return !errno && end != text && !*end;
}

static void values(struct reader *r, struct kt_expect_item *it, unsigned int dtype)
{
	char buf[MAX_TEXT];
	unsigned int bytes = kte_dtype_bytes(dtype);
	uint8_t one[8];
	uint64_t repeat = 1;

	if (!encode(dtype, word(r, buf), one)) {
		refuse(r, "a value of the type named is expected");
		return;
	}
	if (take(r, "*"))
		repeat = number(r, "a repeat count is expected");
	if (!r->failed && (!repeat || repeat > MAX_REPEAT))
		refuse(r, "repeat count not in 1..1048576");
	if (r->failed)
		return;
	it->bytes = repeat * bytes;
	it->value = kt_alloc(r->arena, it->bytes);
	if (!it->value) {
		refuse(r, "out of memory");
		return;
	}
	for (uint64_t i = 0; i < repeat; i++)
		memcpy(it->value + i * bytes, one, bytes);
}

static void move(struct reader *r, struct kt_expect_item *it)
{
	uint64_t end;

	it->move = true;
	it->tile = number(r, "a tile id is expected behind 't'");
	if (!r->failed && !take(r, "@"))
		refuse(r, "'@' and a byte offset are expected");
	it->offset = r->failed ? 0 : number(r, "a byte offset is expected");
	if (!r->failed && !take(r, "+"))
		refuse(r, "'+' and a length are expected");
	it->bytes = r->failed ? 0 : number(r, "a length is expected");
	if (r->failed)
		return;
	if (it->tile >= r->n_tiles)
		refuse(r, "no such tile");
	else if (!it->bytes || __builtin_add_overflow(it->offset, it->bytes, &end) ||
		 end > r->pad_bytes)
		refuse(r, "bytes outside the scratchpad");
}

/* The part behind the colon. */
static void items(struct reader *r, struct kt_expect_line *line)
{
	unsigned int dtype = KTE_DT_OPAQUE;
	uint64_t at = line->offset;
	char buf[MAX_TEXT];

	line->items = kt_alloc(r->arena, (r->end - r->pos) / 2 * sizeof(*line->items) +
			       sizeof(*line->items));
	if (!line->items) {
		refuse(r, "out of memory");
		return;
	}
	for (skip_blanks(r); !r->failed && r->pos < r->end; skip_blanks(r)) {
		struct kt_expect_item *it = &line->items[line->n_items];
		uint32_t start = r->pos;
		unsigned int named = parse_dtype(word(r, buf));

		if (named) {
			dtype = named;
			continue;
		}
		r->pos = start;
		if (!line->given && take(r, "t")) {
			move(r, it);
		} else if (dtype) {
			values(r, it, dtype);
		} else {
			refuse(r, "a type or tTILE@OFFSET+LENGTH is expected");
		}
		if (!r->failed && (__builtin_add_overflow(at, it->bytes, &at) || at > r->pad_bytes))
			refuse(r, "bytes outside the scratchpad");
		line->n_items++;
	}
	if (!r->failed && !line->n_items)
		refuse(r, "nothing is expected here");
}

/* The reader stands behind the keyword. */
static void parse_line(struct reader *r, struct kt_expect_line *line)
{
	line->at = r->line;
	skip_blanks(r);
	if (!take(r, "tile")) {
		refuse(r, "'tile' is expected");
		return;
	}
	skip_blanks(r);
	tiles(r, line);
	skip_blanks(r);
	if (!r->failed && !take(r, "@"))
		refuse(r, "'@' and a byte offset are expected");
	if (!r->failed)
		line->offset = number(r, "a byte offset is expected");
	if (!r->failed && !take(r, ":"))
		refuse(r, "':' is expected");
	if (!r->failed)
		items(r, line);
}

/* Whether the line from r->pos to r->end is one of ours; then pos is behind the keyword. */
static bool keyword(struct reader *r, bool *given)
{
	skip_blanks(r);
	if (!take(r, "//"))
		return false;
	skip_blanks(r);
	*given = take(r, "GIVEN ");
	return *given || take(r, "EXPECT ");
}

int kt_expect_parse(const struct kt_source *src, uint32_t n_tiles, uint64_t pad_bytes,
		    struct ktdev_report *rep, struct kt_arena *a, struct kt_expect *out)
{
	struct reader r = { .src = src, .rep = rep, .arena = a, .n_tiles = n_tiles,
			    .pad_bytes = pad_bytes };
	uint32_t cap = 0;
	bool failed = false;

	memset(out, 0, sizeof(*out));
	for (uint32_t pos = 0; pos < src->len; pos = r.line.end + 1) {
		const char *nl = memchr(src->text + pos, '\n', src->len - pos);
		bool given;

		r.line = (struct kt_range){ pos, nl ? (uint32_t)(nl - src->text) : src->len };
		r.pos = pos;
		r.end = r.line.end;
		if (!keyword(&r, &given))
			continue;
		if (out->n_lines == cap) {
			struct kt_expect_line *more;

			cap = cap ? 2 * cap : 32;
			more = kt_alloc(a, cap * sizeof(*more));
			if (!more)
				return -ENOMEM;
			if (out->n_lines)
				memcpy(more, out->lines, out->n_lines * sizeof(*more));
			out->lines = more;
		}
		r.failed = false;
		out->lines[out->n_lines].given = given;
		parse_line(&r, &out->lines[out->n_lines++]);
		failed |= r.failed;
	}
	return failed ? -EINVAL : 0;
}

bool kt_expect_any(const struct kt_expect *e)
{
	for (uint32_t i = 0; i < e->n_lines; i++)
		if (!e->lines[i].given)
			return true;
	return false;
}

void kt_expect_fill(const struct kt_expect *e, uint8_t *const *pads)
{
	for (uint32_t i = 0; i < e->n_lines; i++) {
		const struct kt_expect_line *l = &e->lines[i];

		for (uint32_t t = 0; l->given && t < l->n_tiles; t++) {
			uint64_t at = l->offset;

			for (uint32_t k = 0; k < l->n_items; k++) {
				memcpy(pads[l->tiles[t]] + at, l->items[k].value, l->items[k].bytes);
				at += l->items[k].bytes;
			}
		}
	}
}

static uint64_t compare_item(const struct kt_expect_line *l, const struct kt_expect_item *it,
			     uint32_t tile, uint64_t at, uint8_t *const *before,
			     uint8_t *const *after, unsigned int elem_bytes,
			     struct kt_expect_mismatch *first)
{
	const uint8_t *want = it->move ? before[it->tile] + it->offset : it->value;
	const uint8_t *got = after[tile] + at;
	uint64_t bad = 0, last = UINT64_MAX;

	if (!memcmp(want, got, it->bytes))
		return 0;
	for (uint64_t b = 0; b < it->bytes; b++) {
		if (want[b] == got[b])
			continue;
		if (first->tile == UINT32_MAX)
			*first = (struct kt_expect_mismatch){ l->at, tile, at + b, want[b], got[b] };
		bad += b / elem_bytes != last;
		last = b / elem_bytes;
	}
	return bad;
}

uint64_t kt_expect_compare(const struct kt_expect *e, uint8_t *const *before,
			   uint8_t *const *after, unsigned int elem_bytes,
			   struct kt_expect_mismatch *first)
{
	uint64_t bad = 0;

	first->tile = UINT32_MAX;
	for (uint32_t i = 0; i < e->n_lines; i++) {
		const struct kt_expect_line *l = &e->lines[i];

		for (uint32_t t = 0; !l->given && t < l->n_tiles; t++) {
			uint64_t at = l->offset;

			for (uint32_t k = 0; k < l->n_items; k++) {
				bad += compare_item(l, &l->items[k], l->tiles[t], at, before, after,
						    elem_bytes, first);
				at += l->items[k].bytes;
			}
		}
	}
	return bad;
}
