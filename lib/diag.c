// SPDX-License-Identifier: MIT
/*
 * Reports, source texts and arenas: the ground floor of the library.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "diag.h"

const char *ktdev_version(void)
{
	return KTDEV_VERSION;
}

/* --- arena ------------------------------------------------------------------------- */

#define BLOCK_FIRST	4096u
#define BLOCK_MAX	(64u * 1024)		/* under malloc's own mmap threshold */
#define BLOCK_LARGE	(4u << 20)
#define ARENA_LARGE	(512u << 10)		/* from here on in large blocks */
#define HUGE_PAGE	((size_t)2 << 20)

/*
 * Zeroed memory in huge pages where the system has them: a first touch per 4 KiB costs more
 * than reading the text that fills them.
 */
static void *map_huge(size_t bytes)
{
	size_t slack;
	char *p;

	p = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	slack = -(uintptr_t)p & (HUGE_PAGE - 1);
	if (slack)
		munmap(p, slack);
	munmap(p + slack + bytes, HUGE_PAGE - slack);
	/* advice: without it everything works, only slower */
	madvise(p + slack, bytes, MADV_HUGEPAGE);
	return p + slack;
}

void *kt_alloc_slow(struct kt_arena *a, size_t bytes)
{
	size_t cap = a->head ? a->head->cap * 2 : BLOCK_FIRST, size;
	struct kt_arena_block *b;

	/* 0: rounding up wrapped */
	if (!bytes || bytes > SIZE_MAX / 4)
		return NULL;
	if (cap > BLOCK_MAX)
		cap = BLOCK_MAX;
	if (cap < bytes)
		cap = bytes;
	size = sizeof(*b) + cap;
	if (a->used >= ARENA_LARGE || size >= BLOCK_LARGE) {
		size = (size + BLOCK_LARGE - 1) & ~((size_t)BLOCK_LARGE - 1);
		b = map_huge(size);
		if (b)
			b->mapped = size;
		cap = size - sizeof(*b);
	} else {
		b = calloc(1, size);
	}
	if (!b)
		return NULL;
	b->cap = cap;
	b->used = bytes;
	/* a block made for one large object goes behind the one with more room */
	if (a->head && cap - bytes < a->head->cap - a->head->used) {
		b->next = a->head->next;
		a->head->next = b;
	} else {
		b->next = a->head;
		a->head = b;
	}
	a->used += bytes;
	return b->data;
}

char *kt_strndup(struct kt_arena *a, const char *s, size_t len)
{
	char *p = kt_alloc(a, len + 1);

	if (p)
		memcpy(p, s, len);
	return p;
}

void kt_arena_fini(struct kt_arena *a)
{
	struct kt_arena_block *b = a->head, *next;

	for (; b; b = next) {
		next = b->next;
		if (b->mapped)
			munmap(b, b->mapped);
		else
			free(b);
	}
	a->head = NULL;
	a->used = 0;
}

/* --- source text ------------------------------------------------------------------- */

#define SOURCE_LARGE	(4u << 20)	/* from here on in huge pages */
#define MARK_SHIFT	12	/* one mark per 4 KiB of text */

/* At the start of a 4 KiB piece: newlines before it, and where its line starts. */
struct kt_line_mark {
	uint32_t line;
	uint32_t start;
};

int kt_source_init(struct kt_source *src, const char *name, const char *text, size_t len)
{
	char *copy, *copy_name;

	memset(src, 0, sizeof(*src));
	if (len > KT_SOURCE_MAX)
		return -EFBIG;
	src->len = len;
	if (len >= SOURCE_LARGE) {
		src->mapped = (len + KT_SOURCE_PAD + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
		copy = map_huge(src->mapped);
	} else {
		copy = malloc(len + KT_SOURCE_PAD);
	}
	copy_name = strdup(name ? name : "<input>");
	src->name = copy_name;
	src->text = copy;
	if (!copy || !copy_name) {
		kt_source_fini(src);
		return -ENOMEM;
	}
	if (len)
		memcpy(copy, text, len);
	memset(copy + len, 0, KT_SOURCE_PAD);
	return 0;
}

void kt_source_fini(struct kt_source *src)
{
	free((char *)src->name);
	if (!src->mapped)
		free((char *)src->text);
	else if (src->text)
		munmap((char *)src->text, src->mapped);
	free(src->marks);
	memset(src, 0, sizeof(*src));
}

/* Count newlines in [from, to); *start becomes the start of the line of @to. */
static uint32_t count_lines(const char *text, uint32_t from, uint32_t to, uint32_t *start)
{
	uint32_t n = 0;

	while (from < to) {
		const char *nl = memchr(text + from, '\n', to - from);

		if (!nl)
			break;
		from = (uint32_t)(nl - text) + 1;
		*start = from;
		n++;
	}
	return n;
}

static struct kt_line_mark *build_marks(const struct kt_source *src)
{
	size_t i, n = (src->len >> MARK_SHIFT) + 1;
	struct kt_line_mark *m = malloc(n * sizeof(*m));
	uint32_t line = 0, start = 0;

	if (!m)
		return NULL;
	for (i = 0; i < n; i++) {
		size_t end = (i + 1) << MARK_SHIFT;

		m[i].line = line;
		m[i].start = start;
		if (end > src->len)
			end = src->len;
		line += count_lines(src->text, i << MARK_SHIFT, end, &start);
	}
	return m;
}

static const struct kt_line_mark *source_marks(const struct kt_source *src)
{
	/* the index is a cache: threads that race build it twice and keep one */
	struct kt_line_mark **slot = (struct kt_line_mark **)&src->marks;
	struct kt_line_mark *m = __atomic_load_n(slot, __ATOMIC_ACQUIRE), *none = NULL;

	if (m)
		return m;
	m = build_marks(src);
	if (!m)
		return NULL;
	if (__atomic_compare_exchange_n(slot, &none, m, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return m;
	free(m);
	return none;
}

/* Line number from 0 and start of the line of @off. */
static uint32_t line_of(const struct kt_source *src, uint32_t off, uint32_t *start)
{
	const struct kt_line_mark *m = source_marks(src);
	uint32_t from = 0, line = 0;

	*start = 0;
	if (m) {
		from = off >> MARK_SHIFT << MARK_SHIFT;
		line = m[off >> MARK_SHIFT].line;
		*start = m[off >> MARK_SHIFT].start;
	}
	return line + count_lines(src->text, from, off, start);
}

static struct kt_range clamp_range(const struct kt_source *src, struct kt_range r)
{
	if (r.off > src->len)
		r.off = src->len;
	if (r.end > src->len)
		r.end = src->len;
	if (r.end < r.off)
		r.end = r.off;
	return r;
}

struct ktdev_range kt_source_range(const struct kt_source *src, struct kt_range r)
{
	struct ktdev_range out;
	uint32_t start;

	r = clamp_range(src, r);
	out.line = line_of(src, r.off, &start) + 1;
	out.col = r.off - start + 1;
	out.end_line = line_of(src, r.end, &start) + 1;
	out.end_col = r.end - start + 1;
	return out;
}

/* --- report ------------------------------------------------------------------------ */

#define MESSAGE_MAX	1024
#define LINE_MAX_BYTES	4096

struct kt_diag {
	struct ktdev_diag pub;
	struct ktdev_report *rep;
	bool dropped;			/* counted, not kept: further parts are dropped too */
	enum kt_rule rule;
	size_t seq;
	unsigned int cap_notes, cap_fixits;
	struct ktdev_note *notes;
	struct ktdev_fixit *fixits;
};

struct ktdev_report {
	struct kt_arena arena;
	struct kt_diag **diags;
	size_t n, cap;
	size_t total[KTDEV_NOTE + 1];
	size_t kept[KTDEV_NOTE + 1];
	bool strict, incomplete;
	const char *last_name;		/* the file name copied last */
	const char *last_line;		/* the line copied last: neighbours share it */
	struct kt_diag dummy;
};

static const char *const rule_ids[KT_RULE_COUNT] = {
	[KT_R1] = "R1", [KT_R2] = "R2", [KT_R3] = "R3", [KT_R4] = "R4", [KT_R5] = "R5",
	[KT_R6] = "R6", [KT_R7] = "R7", [KT_R8] = "R8", [KT_R9] = "R9", [KT_R10] = "R10",
	[KT_R11] = "R11", [KT_R12] = "R12", [KT_R13] = "R13", [KT_R14] = "R14",
	[KT_K1] = "K1", [KT_K2] = "K2", [KT_K3] = "K3", [KT_K4] = "K4", [KT_K5] = "K5",
	[KT_K6] = "K6", [KT_K7] = "K7", [KT_K8] = "K8", [KT_K9] = "K9", [KT_K10] = "K10",
	[KT_K11] = "K11", [KT_K12] = "K12", [KT_K13] = "K13",
};

const char *kt_rule_id(enum kt_rule rule)
{
	return (unsigned int)rule < KT_RULE_COUNT ? rule_ids[rule] : NULL;
}

struct ktdev_report *ktdev_report_new(void)
{
	return calloc(1, sizeof(struct ktdev_report));
}

void ktdev_report_free(struct ktdev_report *rep)
{
	if (!rep)
		return;
	kt_arena_fini(&rep->arena);
	free(rep->diags);
	free(rep);
}

void ktdev_report_set_strict(struct ktdev_report *rep, bool strict)
{
	rep->strict = strict;
}

size_t ktdev_report_count(const struct ktdev_report *rep)
{
	return rep->n;
}

size_t ktdev_report_total(const struct ktdev_report *rep, enum ktdev_severity sev)
{
	return (unsigned int)sev <= KTDEV_NOTE ? rep->total[sev] : 0;
}

bool ktdev_report_incomplete(const struct ktdev_report *rep)
{
	return rep->incomplete;
}

const struct ktdev_diag *ktdev_report_get(const struct ktdev_report *rep, size_t i)
{
	return i < rep->n ? &rep->diags[i]->pub : NULL;
}

static int compare_diags(const void *pa, const void *pb)
{
	const struct kt_diag *a = *(struct kt_diag *const *)pa, *b = *(struct kt_diag *const *)pb;
	int c = strcmp(a->pub.file ? a->pub.file : "", b->pub.file ? b->pub.file : "");

	if (c)
		return c;
	if (a->pub.range.line != b->pub.range.line)
		return a->pub.range.line < b->pub.range.line ? -1 : 1;
	if (a->pub.range.col != b->pub.range.col)
		return a->pub.range.col < b->pub.range.col ? -1 : 1;
	if (a->rule != b->rule)
		return a->rule < b->rule ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

void ktdev_report_sort(struct ktdev_report *rep)
{
	if (rep->n)
		qsort(rep->diags, rep->n, sizeof(*rep->diags), compare_diags);
}

/* Bytes of the valid UTF-8 sequence at @s, 0 if there is none. */
static size_t utf8_length(const unsigned char *s, size_t left)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 :
		   s[0] < 0xf5 ? 4 : 0;
	size_t i;

	if (!n || n > left)
		return 0;
	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* overlong, surrogates, beyond U+10FFFF */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

/* Columns count bytes, so every bad byte is replaced by one. */
static void make_printable(char *text, size_t len)
{
	unsigned char *s = (unsigned char *)text;
	size_t i = 0, n;

	while (i < len) {
		n = utf8_length(s + i, len - i);
		if (!n || (s[i] < 0x20 && s[i] != '\t' && s[i] != '\n') || s[i] == 0x7f) {
			s[i] = '?';
			n = 1;
		}
		i += n;
	}
}

static const char *vformat(struct kt_diag *d, const char *fmt, va_list args)
{
	char buf[MESSAGE_MAX];
	char *s;
	int n = vsnprintf(buf, sizeof(buf), fmt, args);
	size_t len = n < 0 ? 0 : (size_t)n;

	if (len >= sizeof(buf)) {
		len = sizeof(buf) - 1;
		memcpy(buf + len - 3, "...", 3);
	}
	s = kt_strndup(&d->rep->arena, buf, len);
	if (!s) {
		d->rep->incomplete = true;
		return "out of memory";
	}
	make_printable(s, len);
	return s;
}

static const char *file_name(struct ktdev_report *rep, const struct kt_source *src)
{
	if (!rep->last_name || strcmp(rep->last_name, src->name)) {
		size_t len = strlen(src->name);
		char *s = kt_strndup(&rep->arena, src->name, len);

		if (s)
			make_printable(s, len);
		else
			rep->incomplete = true;
		rep->last_name = s;
	}
	return rep->last_name;
}

static const char *line_text(struct ktdev_report *rep, const struct kt_source *src, uint32_t off)
{
	const char *nl;
	uint32_t start;
	size_t len;
	char *s;

	line_of(src, off, &start);
	len = src->len - start;
	if (len > LINE_MAX_BYTES + 1)
		len = LINE_MAX_BYTES + 1;
	nl = memchr(src->text + start, '\n', len);
	if (nl)
		len = nl - (src->text + start);
	if (len && src->text[start + len - 1] == '\r')
		len--;
	if (len > LINE_MAX_BYTES)
		return NULL;
	if (rep->last_line && strlen(rep->last_line) == len &&
	    !memcmp(rep->last_line, src->text + start, len))
		return rep->last_line;
	s = kt_strndup(&rep->arena, src->text + start, len);
	if (s)
		make_printable(s, len);
	else
		rep->incomplete = true;
	rep->last_line = s;
	return s;
}

/* Few kept notes and warnings, so that an error late in a file still finds room. */
static bool has_room(const struct ktdev_report *rep, enum ktdev_severity sev)
{
	if (rep->n >= KTDEV_REPORT_MAX)
		return false;
	if (sev == KTDEV_NOTE)
		return rep->kept[sev] < KTDEV_REPORT_MAX_NOTES;
	if (sev == KTDEV_WARNING)
		return rep->kept[sev] < KTDEV_REPORT_MAX_WARNINGS;
	return true;
}

static struct kt_diag *new_diag(struct ktdev_report *rep)
{
	struct kt_diag *d;

	if (rep->n == rep->cap) {
		size_t cap = rep->cap ? rep->cap * 2 : 16;
		struct kt_diag **more = realloc(rep->diags, cap * sizeof(*more));

		if (!more)
			return NULL;
		rep->diags = more;
		rep->cap = cap;
	}
	d = kt_alloc(&rep->arena, sizeof(*d));
	if (d)
		rep->diags[rep->n++] = d;
	return d;
}

struct kt_diag *kt_diag(struct ktdev_report *rep, const struct kt_source *src, struct kt_range at,
			enum kt_rule rule, enum ktdev_severity sev, const char *fmt, ...)
{
	struct kt_diag *d = NULL;
	va_list args;

	if (sev == KTDEV_WARNING && rep->strict)
		sev = KTDEV_ERROR;
	rep->total[sev]++;
	if (has_room(rep, sev)) {
		d = new_diag(rep);
		if (!d)
			rep->incomplete = true;
	}
	if (!d) {
		d = &rep->dummy;
		d->rep = rep;
		d->dropped = true;
		return d;
	}
	rep->kept[sev]++;
	d->rep = rep;
	d->rule = rule;
	d->seq = rep->n;
	d->pub.rule = kt_rule_id(rule);
	d->pub.severity = sev;
	kt_diag_witness(d, KT_NO_WITNESS, KT_NO_WITNESS, KT_NO_WITNESS);
	va_start(args, fmt);
	d->pub.message = vformat(d, fmt, args);
	va_end(args);
	if (src) {
		d->pub.file = file_name(rep, src);
		d->pub.range = kt_source_range(src, at);
		d->pub.line_text = line_text(rep, src, clamp_range(src, at).off);
	}
	return d;
}

void kt_diag_witness(struct kt_diag *d, int64_t group, int64_t tile, int64_t consumer)
{
	d->pub.group = group;
	d->pub.tile = tile;
	d->pub.consumer = consumer;
}

/* Room for one more element in an array of the report's arena. */
static void *grow(struct kt_diag *d, void *old, unsigned int n, unsigned int *cap, size_t size)
{
	void *p;

	if (n < *cap)
		return old;
	p = kt_alloc(&d->rep->arena, size * (*cap ? *cap * 2 : 2));
	if (!p) {
		d->rep->incomplete = true;
		return NULL;
	}
	if (n)
		memcpy(p, old, n * size);
	*cap = *cap ? *cap * 2 : 2;
	return p;
}

static struct ktdev_note *new_note(struct kt_diag *d)
{
	struct ktdev_note *p;

	if (d->dropped)
		return NULL;
	p = grow(d, d->notes, d->pub.n_notes, &d->cap_notes, sizeof(*p));
	if (!p)
		return NULL;
	d->notes = p;
	d->pub.notes = p;
	return &p[d->pub.n_notes++];
}

void kt_diag_note(struct kt_diag *d, const struct kt_source *src, struct kt_range at,
		  const char *fmt, ...)
{
	struct ktdev_note *n = new_note(d);
	va_list args;

	if (!n)
		return;
	va_start(args, fmt);
	n->message = vformat(d, fmt, args);
	va_end(args);
	if (src) {
		n->file = file_name(d->rep, src);
		n->range = kt_source_range(src, at);
	}
}

void kt_diag_remark(struct kt_diag *d, const char *fmt, ...)
{
	struct ktdev_note *n = new_note(d);
	va_list args;

	if (!n)
		return;
	va_start(args, fmt);
	n->message = vformat(d, fmt, args);
	va_end(args);
}

void kt_diag_fixit(struct kt_diag *d, const struct kt_source *src, struct kt_range at,
		   const char *replacement, const char *fmt, ...)
{
	struct ktdev_fixit *f;
	va_list args;
	size_t len = strlen(replacement);
	char *s;

	if (d->dropped)
		return;
	f = grow(d, d->fixits, d->pub.n_fixits, &d->cap_fixits, sizeof(*f));
	s = kt_strndup(&d->rep->arena, replacement, len);
	if (!f || !s) {
		d->rep->incomplete = true;
		return;
	}
	make_printable(s, len);
	d->fixits = f;
	d->pub.fixits = f;
	f += d->pub.n_fixits++;
	va_start(args, fmt);
	f->message = vformat(d, fmt, args);
	va_end(args);
	f->replacement = s;
	f->file = file_name(d->rep, src);
	f->range = kt_source_range(src, at);
}

void kt_diag_pointer(struct kt_diag *d, const char *fmt, ...)
{
	va_list args;

	if (d->dropped)
		return;
	va_start(args, fmt);
	d->pub.pointer = vformat(d, fmt, args);
	va_end(args);
}
