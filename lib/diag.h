/* SPDX-License-Identifier: MIT */
/*
 * Findings as data. A report collects diagnostics; nothing is printed here.
 * Public accessors are in ktdev.h; this is how the library fills a report.
 */
#ifndef KT_DIAG_H
#define KT_DIAG_H

#include "ktdev.h"

#define KT_ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* A byte range [off, end) of a source text. */
struct kt_range {
	uint32_t off;
	uint32_t end;
};

/*
 * A text with its name; diagnostics point into it. Owns a copy of both; KT_SOURCE_PAD
 * zero bytes follow the text, so that a reader may look ahead. The line index is built
 * when the first place is asked for, by whichever thread asks.
 */
#define KT_SOURCE_PAD	32
#define KT_SOURCE_MAX	(1u << 30)

struct kt_source {
	const char *name;
	const char *text;
	size_t len;
	size_t mapped;		/* bytes from mmap(); 0: text is from malloc() */
	struct kt_line_mark *marks;
};

/* 0, -ENOMEM, or -EFBIG over KT_SOURCE_MAX bytes. */
int kt_source_init(struct kt_source *src, const char *name, const char *text, size_t len);
void kt_source_fini(struct kt_source *src);
/* 1-based line and byte column of both ends. */
struct ktdev_range kt_source_range(const struct kt_source *src, struct kt_range r);

/* Rules in the order of the specification; KT_RULE_NONE is a syntax error. */
enum kt_rule {
	KT_RULE_NONE,
	KT_R1, KT_R2, KT_R3, KT_R4, KT_R5, KT_R6, KT_R7, KT_R8, KT_R9, KT_R10, KT_R11,
	KT_R12, KT_R13, KT_R14,
	KT_K1, KT_K2, KT_K3, KT_K4, KT_K5, KT_K6, KT_K7, KT_K8, KT_K9, KT_K10, KT_K11,
	KT_K12, KT_K13,
	KT_RULE_COUNT
};

const char *kt_rule_id(enum kt_rule rule);	/* "R1"; NULL for KT_RULE_NONE */

#define KT_NO_WITNESS	(-1)

/*
 * Add a finding; returns its handle for notes and fix-its (never NULL: when memory
 * is short the report is marked incomplete and a dummy returned). The report keeps
 * at most KTDEV_REPORT_MAX findings and counts the rest.
 */
struct kt_diag;
struct kt_diag *kt_diag(struct ktdev_report *rep, const struct kt_source *src, struct kt_range at,
			enum kt_rule rule, enum ktdev_severity sev, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
void kt_diag_witness(struct kt_diag *d, int64_t group, int64_t tile, int64_t consumer);
void kt_diag_note(struct kt_diag *d, const struct kt_source *src, struct kt_range at,
		  const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Text-only note without a place. */
void kt_diag_remark(struct kt_diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void kt_diag_fixit(struct kt_diag *d, const struct kt_source *src, struct kt_range at,
		   const char *replacement, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* JSON inputs: the JSON Pointer of the finding. */
void kt_diag_pointer(struct kt_diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Arena: everything freed at once with its parent. */
struct kt_arena_block {
	struct kt_arena_block *next;
	size_t used, cap;
	size_t mapped;		/* bytes from mmap(); 0: from calloc() */
	_Alignas(16) char data[];
};

struct kt_arena {
	struct kt_arena_block *head;
	size_t used;		/* bytes handed out, for memory bounds */
};

void *kt_alloc_slow(struct kt_arena *a, size_t bytes);	/* a new block */

/* Zeroed; NULL when out of memory. */
static inline void *kt_alloc(struct kt_arena *a, size_t bytes)
{
	struct kt_arena_block *b = a->head;
	size_t n = bytes ? (bytes + 7) & ~(size_t)7 : 8;
	void *p;

	if (!b || n < bytes || b->cap - b->used < n)
		return kt_alloc_slow(a, n);
	p = b->data + b->used;
	b->used += n;
	a->used += n;
	return p;
}

char *kt_strndup(struct kt_arena *a, const char *s, size_t len);
/* Give the unused tail of the newest allocation back; its bytes must still be zero. */
static inline void kt_arena_trim(struct kt_arena *a, void *p, size_t bytes, size_t keep)
{
	struct kt_arena_block *b = a->head;

	bytes = bytes ? (bytes + 7) & ~(size_t)7 : 8;
	keep = keep ? (keep + 7) & ~(size_t)7 : 8;
	if (keep >= bytes || !b || (char *)p + bytes != b->data + b->used)
		return;
	b->used -= bytes - keep;
	a->used -= bytes - keep;
}
void kt_arena_fini(struct kt_arena *a);

#endif /* KT_DIAG_H */
