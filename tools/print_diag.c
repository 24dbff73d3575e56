// SPDX-License-Identifier: MIT
/*
 * Findings for people: place, severity and rule, the source line with a caret range under
 * it, notes, and the text to write instead.
 */
#include <string.h>

#include "ctl.h"

#define TAB_STOP	8
#define LINE_MAX_COLS	100	/* a longer source line is cut around the range */
#define MAX_CELLS	4096	/* as much of it is looked at, from a little before the range */

/* A source line as it appears on the screen: tabs expanded, one cell per character. */
struct screen_line {
	char cells[4 * MAX_CELLS];	/* UTF-8 */
	unsigned int n_cells;
	unsigned int start[MAX_CELLS + 1];	/* byte offset in cells[] of each cell */
	unsigned int from, to;	/* cells [from, to) are the range */
};

static void put_cell(struct screen_line *s, unsigned int *bytes, const char *p, unsigned int n)
{
	if (s->n_cells + 1 >= CTL_ARRAY_SIZE(s->start) || *bytes + n > sizeof(s->cells))
		return;
	s->start[s->n_cells++] = *bytes;
	memcpy(s->cells + *bytes, p, n);
	*bytes += n;
}

static unsigned int utf8_len(const char *p, const char *end)
{
	unsigned char b = (unsigned char)*p;
	unsigned int n = 1 + (b >= 0xc2) + (b >= 0xe0) + (b >= 0xf0);

	if (b >= 0x80 && b < 0xc2)
		return 0;
	if (b >= 0xf5 || (size_t)(end - p) < n)
		return 0;
	for (unsigned int i = 1; i < n; i++)
		if (((unsigned char)p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

/* Lay out @line; bytes [from, to), from 0, are the range. */
static void lay_out(struct screen_line *s, const char *line, size_t len, size_t from, size_t to)
{
	const char *p = line, *end = line + len;
	unsigned int bytes = 0;

	s->n_cells = 0;
	s->from = ~0u;
	s->to = ~0u;
	while (p < end && s->n_cells + 1 < CTL_ARRAY_SIZE(s->start)) {
		unsigned int n = utf8_len(p, end);
		size_t at = (size_t)(p - line);

		if (at >= from && s->from == ~0u)
			s->from = s->n_cells;
		if (at >= to && s->to == ~0u)
			s->to = s->n_cells;
		if (*p == '\t') {
			do {
				put_cell(s, &bytes, " ", 1);
			} while (s->n_cells % TAB_STOP && s->n_cells < LINE_MAX_COLS * 32);
		} else if (!n || (unsigned char)*p < 0x20 || *p == 0x7f) {
			put_cell(s, &bytes, "?", 1);	/* never send control bytes on */
		} else {
			put_cell(s, &bytes, p, n);
		}
		p += n ? n : 1;
	}
	s->start[s->n_cells] = bytes;
	if (s->from == ~0u)
		s->from = s->n_cells;
	if (s->to == ~0u)
		s->to = s->n_cells;
	if (s->to <= s->from)
		s->to = s->from + 1;
}

/*
 * Choose cells [lo, hi) to show so that the start of the range is among them. Indentation
 * goes first; returns the dots that stand for other text left out in front.
 */
static const char *window(const struct screen_line *s, unsigned int *lo, unsigned int *hi)
{
	unsigned int want = LINE_MAX_COLS, lead = 0;

	*lo = 0;
	*hi = s->n_cells;
	if (s->n_cells <= want)
		return "";
	while (lead < s->from && s->cells[s->start[lead]] == ' ')
		lead++;
	if (s->to > lead + want)
		*lo = s->from > 30 ? s->from - 30 : 0;
	if (*lo < lead)
		*lo = lead;
	if (*lo > s->n_cells - want && *lo > lead)
		*lo = s->n_cells - want > lead ? s->n_cells - want : lead;
	if (*hi > *lo + want)
		*hi = *lo + want;
	return *lo > lead ? "..." : "";
}

static void print_line(const struct ctl *c, FILE *f, const char *line, size_t len,
		       const struct ktdev_range *r)
{
	static struct screen_line s;
	size_t from = r->col ? r->col - 1 : 0;
	size_t to = r->end_line > r->line ? len : r->end_col ? r->end_col - 1 : from + 1;
	unsigned int lo, hi, end;
	bool cut = false;
	const char *dots;

	/* a file may be one line of megabytes with a finding in every corner */
	if (from > MAX_CELLS / 2 && from <= len) {
		size_t skip = from - MAX_CELLS / 4;

		line += skip;
		len -= skip;
		from -= skip;
		to -= skip;
		cut = true;
	}
	/* a range that goes on in the next line ends with the last character of this one */
	while (r->end_line > r->line && to > from && (line[to - 1] == ' ' || line[to - 1] == '\r'))
		to--;
	lay_out(&s, line, len, from, to);
	dots = window(&s, &lo, &hi);
	if (cut)
		dots = "...";
	fprintf(f, "%5u | %s%.*s%s\n", r->line, dots, (int)(s.start[hi] - s.start[lo]),
		s.cells + s.start[lo], hi < s.n_cells ? "..." : "");
	fprintf(f, "      | %*s%s^", (int)(s.from - lo + strlen(dots)), "",
		ctl_on(c, f, CTL_GREEN));
	end = s.to < hi ? s.to : hi;
	for (unsigned int i = s.from + 1; i < end; i++)
		fputc('~', f);
	fprintf(f, "%s\n", ctl_off(c, f));
}

/* Line number @n of an input that was read. */
static const char *find_line(const struct ctl *c, const char *file, unsigned int n, size_t *len)
{
	const struct ctl_text *t = c->texts;
	const char *p, *end, *nl;

	while (t && (!file || strcmp(t->name, file)))
		t = t->next;
	if (!t || !n)
		return NULL;
	p = t->text;
	end = t->text + t->len;
	while (--n) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl)
			return NULL;
		p = nl + 1;
	}
	nl = memchr(p, '\n', (size_t)(end - p));
	*len = (size_t)((nl ? nl : end) - p);
	return p;
}

static void print_place(FILE *f, const char *file, const struct ktdev_range *r,
			const char *pointer)
{
	if (file)
		fprintf(f, "%s:", file);
	if (r->line)
		fprintf(f, "%u:%u:", r->line, r->col);
	if (file || r->line)
		fputc(' ', f);
	if (pointer && *pointer)
		fprintf(f, "%s: ", pointer);
}

static void print_note(const struct ctl *c, FILE *f, const struct ktdev_diag *d,
		       const struct ktdev_note *n)
{
	const char *line;
	size_t len;

	fputs(ctl_on(c, f, CTL_BOLD), f);
	if (n->range.line)
		print_place(f, n->file ? n->file : d->file, &n->range, NULL);
	fprintf(f, "%s%snote:%s %s\n", ctl_off(c, f), ctl_on(c, f, CTL_BLUE), ctl_off(c, f),
		n->message);
	if (!n->range.line || n->range.line == d->range.line)
		return;
	line = find_line(c, n->file ? n->file : d->file, n->range.line, &len);
	if (line)
		print_line(c, f, line, len, &n->range);
}

static void print_fixit(const struct ctl *c, FILE *f, const struct ktdev_fixit *x)
{
	const char *message = x->message && *x->message ? x->message : "write";

	fprintf(f, "%shelp:%s %s", ctl_on(c, f, CTL_GREEN), ctl_off(c, f), message);
	if (x->replacement && *x->replacement && !strstr(message, x->replacement))
		fprintf(f, ": %s%s%s", ctl_on(c, f, CTL_GREEN), x->replacement, ctl_off(c, f));
	fputc('\n', f);
}

void ctl_print_diag(const struct ctl *c, FILE *f, const struct ktdev_diag *d)
{
	static const struct {
		const char *word;
		enum ctl_style style;
	} sev[] = {
		[KTDEV_WARNING] = { "warning", CTL_YELLOW },
		[KTDEV_ERROR] = { "error", CTL_RED },
		[KTDEV_UNSUPPORTED] = { "unsupported", CTL_YELLOW },
		[KTDEV_NOTE] = { "note", CTL_BOLD },
	};
	const char *line = d->line_text;
	size_t len = 0;

	fputs(ctl_on(c, f, CTL_BOLD), f);
	print_place(f, d->file, &d->range, d->pointer);
	fprintf(f, "%s%s%s", ctl_off(c, f), ctl_on(c, f, sev[d->severity].style),
		sev[d->severity].word);
	if (d->rule)
		fprintf(f, "[%s]", d->rule);
	fprintf(f, ":%s %s%s%s\n", ctl_off(c, f), ctl_on(c, f, CTL_BOLD), d->message,
		ctl_off(c, f));
	if (line)
		len = strcspn(line, "\n");
	else if (d->range.line)
		line = find_line(c, d->file, d->range.line, &len);
	if (line && len && d->range.line)
		print_line(c, f, line, len, &d->range);
	for (unsigned int i = 0; i < d->n_notes; i++)
		print_note(c, f, d, &d->notes[i]);
	for (unsigned int i = 0; i < d->n_fixits; i++)
		print_fixit(c, f, &d->fixits[i]);
}

void ctl_print_report(const struct ctl *c, FILE *f, const struct ktdev_report *rep, bool refused)
{
	size_t n = ktdev_report_count(rep), total = 0;

	for (size_t i = 0; i < n; i++) {
		const struct ktdev_diag *d = ktdev_report_get(rep, i);

		if (!c->quiet || d->severity == KTDEV_ERROR ||
		    (refused && d->severity == KTDEV_UNSUPPORTED))
			ctl_print_diag(c, f, d);
	}
	total += ktdev_report_total(rep, KTDEV_WARNING);
	total += ktdev_report_total(rep, KTDEV_ERROR);
	total += ktdev_report_total(rep, KTDEV_UNSUPPORTED);
	if (total > n)
		fprintf(f, "and %zu more\n", total - n);
}
