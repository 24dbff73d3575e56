// SPDX-License-Identifier: MIT
/*
 * Reports, source ranges and arenas.
 */
#include <pthread.h>

#include "diag.h"
#include "../tap.h"

static struct kt_range at(uint32_t off, uint32_t end)
{
	return (struct kt_range){ off, end };
}

static void is_range(struct ktdev_range r, unsigned int line, unsigned int col,
		     unsigned int end_line, unsigned int end_col, const char *what)
{
	ok(r.line == line && r.col == col && r.end_line == end_line && r.end_col == end_col,
	   "%s: %u:%u-%u:%u", what, r.line, r.col, r.end_line, r.end_col);
}

static void test_ranges(void)
{
	struct kt_source src;

	ok(!kt_source_init(&src, "a", "one\ntwo\r\n\nlast", 14), "a source");
	is_range(kt_source_range(&src, at(0, 3)), 1, 1, 1, 4, "first line");
	is_range(kt_source_range(&src, at(4, 7)), 2, 1, 2, 4, "second line");
	is_range(kt_source_range(&src, at(9, 9)), 3, 1, 3, 1, "empty line");
	is_range(kt_source_range(&src, at(2, 12)), 1, 3, 4, 3, "over lines");
	is_range(kt_source_range(&src, at(14, 14)), 4, 5, 4, 5, "end of the text");
	is_range(kt_source_range(&src, at(99, 100)), 4, 5, 4, 5, "behind the end");
	ok(src.text[14] == 0 && src.text[14 + KT_SOURCE_PAD - 1] == 0, "padded");
	kt_source_fini(&src);
	ok(!kt_source_init(&src, NULL, "", 0), "an empty source without a name");
	is_range(kt_source_range(&src, at(0, 0)), 1, 1, 1, 1, "nothing");
	is_str(src.name, "<input>", "its name");
	kt_source_fini(&src);
}

/* Every offset of a long text, against a plain count. */
static void test_long_text(void)
{
	enum { LEN = 30000 };
	static char text[LEN];
	unsigned int line = 1, col = 1, i, bad = 0;
	struct kt_source src;

	for (i = 0; i < LEN; i++)
		text[i] = i % 97 == 5 || i / 5000 == 3 ? '\n' : 'x';
	ok(!kt_source_init(&src, "long", text, LEN), "a long source");
	for (i = 0; i < LEN; i++) {
		struct ktdev_range r = kt_source_range(&src, at(i, i));

		bad += r.line != line || r.col != col;
		col++;
		if (text[i] == '\n') {
			line++;
			col = 1;
		}
	}
	is_u64(bad, 0, "offsets with another line or column");
	kt_source_fini(&src);
}

static void test_report(void)
{
	struct ktdev_report *rep = ktdev_report_new();
	const struct ktdev_diag *d;
	struct kt_source src;
	struct kt_diag *k;

	kt_source_init(&src, "f.mlir", "abc\ndef\r\nghi", 12);
	k = kt_diag(rep, &src, at(4, 7), KT_R9, KTDEV_ERROR, "%d elements", 10);
	kt_diag_witness(k, 1, 2, 3);
	kt_diag_note(k, &src, at(0, 1), "see %s", "here");
	kt_diag_remark(k, "no place");
	kt_diag_fixit(k, &src, at(4, 5), "x", "try");
	kt_diag_pointer(k, "/a/%d", 1);
	kt_diag(rep, &src, at(0, 1), KT_RULE_NONE, KTDEV_WARNING, "w");
	kt_diag(rep, NULL, at(0, 0), KT_RULE_NONE, KTDEV_NOTE, "n");
	kt_source_fini(&src);		/* the report keeps what it needs */
	is_u64(ktdev_report_count(rep), 3, "findings");
	is_u64(ktdev_report_total(rep, KTDEV_ERROR), 1, "errors");
	is_u64(ktdev_report_total(rep, KTDEV_NOTE), 1, "notes");
	d = ktdev_report_get(rep, 0);
	is_str(d->rule, "R9", "rule");
	is_str(d->message, "10 elements", "message");
	is_str(d->file, "f.mlir", "file");
	is_str(d->line_text, "def", "line without its end");
	is_str(d->pointer, "/a/1", "pointer");
	ok(d->group == 1 && d->tile == 2 && d->consumer == 3, "witness");
	is_range(d->range, 2, 1, 2, 4, "range");
	is_u64(d->n_notes, 2, "notes of the finding");
	is_str(d->notes[0].message, "see here", "first note");
	ok(!d->notes[1].file, "a remark has no place");
	is_str(d->fixits[0].replacement, "x", "replacement");
	ok(!ktdev_report_get(rep, 1)->rule, "syntax findings have no rule");
	ok(ktdev_report_get(rep, 1)->group == -1, "no witness is -1");
	ktdev_report_sort(rep);
	is_str(ktdev_report_get(rep, 0)->message, "n", "sorted: without a file first");
	is_str(ktdev_report_get(rep, 1)->message, "w", "sorted: by line");
	ok(!ktdev_report_get(rep, 3), "none behind the last");
	ktdev_report_free(rep);
	ktdev_report_free(NULL);
}

static void test_strict(void)
{
	struct ktdev_report *rep = ktdev_report_new();

	ktdev_report_set_strict(rep, true);
	kt_diag(rep, NULL, at(0, 0), KT_R5, KTDEV_WARNING, "w");
	kt_diag(rep, NULL, at(0, 0), KT_RULE_NONE, KTDEV_NOTE, "n");
	is_u64(ktdev_report_total(rep, KTDEV_ERROR), 1, "strict: a warning is an error");
	is_u64(ktdev_report_total(rep, KTDEV_NOTE), 1, "strict: a note stays one");
	ktdev_report_free(rep);
}

static void test_limits(void)
{
	struct ktdev_report *rep = ktdev_report_new();
	struct kt_diag *k;
	unsigned int i;

	for (i = 0; i < 5000; i++)
		kt_diag(rep, NULL, at(0, 0), KT_RULE_NONE, KTDEV_NOTE, "n");
	for (i = 0; i < 5000; i++)
		kt_diag(rep, NULL, at(0, 0), KT_R5, KTDEV_WARNING, "w");
	is_u64(ktdev_report_count(rep), KTDEV_REPORT_MAX_NOTES + KTDEV_REPORT_MAX_WARNINGS,
	       "kept notes and warnings");
	for (i = 0; i < 5000; i++) {
		k = kt_diag(rep, NULL, at(0, 0), KT_R1, KTDEV_ERROR, "e");
		kt_diag_remark(k, "r");
		kt_diag_witness(k, 1, 1, 1);
	}
	is_u64(ktdev_report_count(rep), KTDEV_REPORT_MAX, "kept findings");
	is_u64(ktdev_report_total(rep, KTDEV_ERROR), 5000, "counted errors");
	ok(!ktdev_report_incomplete(rep), "nothing was lost for want of memory");
	ktdev_report_free(rep);
}

static void test_strings(void)
{
	struct ktdev_report *rep = ktdev_report_new();
	static char longer[5000];
	struct kt_source src;

	kt_source_init(&src, "s", "a\x01\xff\xc3\xa9\xed\xa0\x80z", 9);
	kt_diag(rep, &src, at(0, 1), KT_RULE_NONE, KTDEV_ERROR, "x\x02\xc0\x80y\xe2\x82\xac");
	is_str(ktdev_report_get(rep, 0)->message, "x???y\xe2\x82\xac", "message is UTF-8");
	is_str(ktdev_report_get(rep, 0)->line_text, "a??\xc3\xa9???z", "line keeps its columns");
	memset(longer, 'm', sizeof(longer) - 1);
	kt_diag(rep, NULL, at(0, 0), KT_RULE_NONE, KTDEV_ERROR, "%s", longer);
	is_u64(strlen(ktdev_report_get(rep, 1)->message), 1023, "long messages are cut");
	kt_source_fini(&src);
	kt_source_init(&src, "s", longer, sizeof(longer) - 1);
	kt_diag(rep, &src, at(9, 10), KT_RULE_NONE, KTDEV_ERROR, "far");
	ok(!ktdev_report_get(rep, 2)->line_text, "no text of lines over 4096 bytes");
	kt_source_fini(&src);
	ktdev_report_free(rep);
}

/* Two texts at one address, one after the other, must not share a line. */
static void test_reused_source(void)
{
	struct ktdev_report *rep = ktdev_report_new();
	struct kt_source src;

	kt_source_init(&src, "a", "first\n", 6);
	kt_diag(rep, &src, at(0, 1), KT_RULE_NONE, KTDEV_ERROR, "1");
	kt_source_fini(&src);
	kt_source_init(&src, "b", "other\n", 6);
	kt_diag(rep, &src, at(0, 1), KT_RULE_NONE, KTDEV_ERROR, "2");
	kt_source_fini(&src);
	is_str(ktdev_report_get(rep, 0)->line_text, "first", "line of the first text");
	is_str(ktdev_report_get(rep, 1)->line_text, "other", "line of the second text");
	is_str(ktdev_report_get(rep, 1)->file, "b", "name of the second text");
	ktdev_report_free(rep);
}

static void test_arena(void)
{
	struct kt_arena a = { 0 };
	unsigned int i, j, bad = 0;
	uint32_t *t;
	char *p;

	for (i = 0; i < 3000; i++) {
		p = kt_alloc(&a, i);
		for (j = 0; p && j < i; j++)
			bad += p[j] != 0;
		bad += !p || (uintptr_t)p % 8;
		if (p)
			memset(p, 0xff, i);
	}
	is_u64(bad, 0, "allocations that are not zero and aligned");
	p = kt_alloc(&a, 20u << 20);
	for (i = 0; p && i < 20u << 20; i += 4096)
		bad += p[i] != 0;
	ok(p && !bad, "a large allocation");
	ok(!kt_alloc(&a, SIZE_MAX), "no allocation of everything");
	ok(!kt_alloc(&a, SIZE_MAX / 2), "no allocation of half of everything");
	t = kt_alloc(&a, 1024);
	t[0] = 7;
	kt_arena_trim(&a, t, 1024, 8);
	p = kt_alloc(&a, 8);
	ok(p == (char *)t + 8, "a trimmed tail is used again");
	ok(t[0] == 7 && !memcmp(p, "\0\0\0\0\0\0\0\0", 8), "and is zero");
	is_str(kt_strndup(&a, "abcdef", 3), "abc", "a copy of a part");
	kt_arena_fini(&a);
	ok(!a.head && !a.used, "freed");
}

static void *ask(void *arg)
{
	struct ktdev_range r = kt_source_range(arg, at(9000, 9001));

	return (void *)(uintptr_t)(r.line == 4501 && r.col == 1);
}

static void test_threads(void)
{
	static char text[20000];
	struct kt_source src;
	unsigned int i, good = 0;
	pthread_t t[8];
	void *ret;

	for (i = 0; i < sizeof(text); i++)
		text[i] = i & 1 ? '\n' : 'a';
	kt_source_init(&src, "t", text, sizeof(text));
	for (i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, ask, &src);
	for (i = 0; i < 8; i++) {
		pthread_join(t[i], &ret);
		good += ret != NULL;
	}
	is_u64(good, 8, "threads that race for the line index");
	kt_source_fini(&src);
}

int main(void)
{
	test_ranges();
	test_long_text();
	test_report();
	test_strict();
	test_limits();
	test_strings();
	test_reused_source();
	test_arena();
	test_threads();
	is_str(kt_rule_id(KT_R1), "R1", "first rule");
	is_str(kt_rule_id(KT_K13), "K13", "last rule");
	ok(!kt_rule_id(KT_RULE_NONE) && !kt_rule_id(KT_RULE_COUNT), "no rule");
	return done_testing();
}
