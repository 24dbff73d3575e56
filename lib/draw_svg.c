// SPDX-License-Identifier: MIT
/*
 * The SVG form. Colours follow the reader's colour scheme: text and lines use two
 * variables that a media query swaps; cells use hues that are readable on both.
 */
#include <inttypes.h>

#include "draw.h"

#define MAP_CELL	12u
#define GRID_W		46u
#define GRID_H		22u
#define MARGIN		60u

static void xml_text(FILE *f, const char *s)
{
	for (; *s; s++) {
		switch (*s) {
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '&':
			fputs("&amp;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		default:
			fputc((unsigned char)*s < 0x20 ? ' ' : *s, f);
		}
	}
}

static void label(FILE *f, uint32_t x, uint32_t y, const char *cls, const char *text)
{
	fprintf(f, "<text x=\"%u\" y=\"%u\" class=\"%s\">", x, y, cls);
	xml_text(f, text);
	fputs("</text>\n", f);
}

/* Draw @text in lines that fit @width; returns the height used. */
static uint32_t paragraph(FILE *f, uint32_t y, uint32_t width, const char *text)
{
	uint32_t fits = (width - 2 * MARGIN) / 6, used = 0;	/* a character takes 6 at 11px */
	char line[256];

	if (fits >= sizeof(line))
		fits = sizeof(line) - 1;
	while (*text) {
		size_t n = strlen(text);

		if (n > fits)
			for (n = fits; n > fits / 2 && text[n] != ' '; n--)
				;
		memcpy(line, text, n);
		line[n] = 0;
		label(f, MARGIN, y + used, "t", line);
		used += 15;
		text += n;
		text += *text == ' ';
	}
	return used;
}

static uint32_t hue(uint32_t group)
{
	return group * 137 % 360;	/* neighbours far apart */
}

static void number(FILE *f, uint32_t x, uint32_t y, const char *cls, uint32_t v)
{
	fprintf(f, "<text x=\"%u\" y=\"%u\" class=\"%s\">%u</text>\n", x, y, cls, v);
}

static void rect(FILE *f, uint32_t x, uint32_t y, uint32_t w, uint32_t h, const char *cls)
{
	fprintf(f, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" class=\"%s\"/>\n", x, y,
		w, h, cls);
}

/* Heat map; returns its height. */
static uint32_t heat_map(FILE *f, const struct kt_picture *p, uint32_t top)
{
	uint32_t i, k, size = p->n * MAP_CELL, y = top + 40;

	label(f, MARGIN, top + 14, "h", "who sends to whom (row: from, column: to)");
	for (i = 0; i < p->n; i += p->n > 64 ? 16 : 4) {
		number(f, MARGIN - 6, y + i * MAP_CELL + 10, "e", i * p->per);
		number(f, MARGIN + i * MAP_CELL + 6, y - 4, "m", i * p->per);
	}
	rect(f, MARGIN, y, size, size, "box");
	for (i = 0; i < p->n; i++)
		for (k = 0; k < p->n; k++) {
			uint64_t v = p->bytes[(size_t)i * p->n + k];
			uint32_t pct;

			if (!v)
				continue;
			pct = i == k || !p->most ? 100 : (uint32_t)(20 + 80 * (double)v / p->most);
			fprintf(f, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" "
				"class=\"%s\" opacity=\"%u%%\"><title>%u to %u: %" PRIu64
				" bytes</title></rect>\n",
				MARGIN + k * MAP_CELL, y + i * MAP_CELL, MAP_CELL - 1, MAP_CELL - 1,
				i == k ? "own" : "hot", pct, i * p->per, k * p->per, v);
		}
	y += size + 16;
	rect(f, MARGIN, y, 10, 10, "hot");
	fprintf(f, "<text x=\"%u\" y=\"%u\" class=\"t\">%" PRIu64 " bytes to another core "
		"(darkest cell %" PRIu64 ")</text>\n",
		MARGIN + 16, y + 9, p->total, p->most);
	rect(f, MARGIN, y + 16, 10, 10, "own");
	fprintf(f, "<text x=\"%u\" y=\"%u\" class=\"t\">%" PRIu64 " bytes stay on their "
		"core</text>\n",
		MARGIN + 16, y + 25, p->local);
	return y + 40 - top;
}

static void grid_cell(FILE *f, const struct kt_cell *c, uint32_t x, uint32_t y)
{
	fprintf(f, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" class=\"cell\"", x, y,
		GRID_W, GRID_H);
	if (c->n && c->group != KT_NO_CORE)
		fprintf(f, " style=\"fill:hsl(%u 60%% 50%% / .45)\"", hue(c->group));
	fputs("/>\n", f);
	if (!c->n)
		return;
	fprintf(f, "<text x=\"%u\" y=\"%u\" class=\"m\">%u", x + GRID_W / 2, y + 15, c->owner);
	if (c->n > 1)
		fprintf(f, "+%u", c->n - 1);
	fputs("</text>\n", f);
}

static void one_grid(FILE *f, const struct kt_picture *p, const struct kt_axis_pair *ap, int side,
		     uint32_t left, uint32_t top)
{
	const struct kt_owner_grid *g = &ap->side[side];
	uint32_t r, c;

	fprintf(f, "<text x=\"%u\" y=\"%u\" class=\"h\">%s: ", left, top + 14,
		side ? "after" : "before");
	if (ap->row_axis != KT_NO_CORE) {
		xml_text(f, p->rel->axes[ap->row_axis].name);
		fputs(" down, ", f);
	}
	xml_text(f, p->rel->axes[ap->col_axis].name);
	fputs(" across</text>\n", f);
	for (c = 0; c < g->cols; c++)
		number(f, left + c * GRID_W + GRID_W / 2, top + 34, "m", ap->col_at[c]);
	for (r = 0; r < g->rows; r++) {
		if (ap->row_axis != KT_NO_CORE)
			number(f, left - 6, top + 40 + r * GRID_H + 15, "e", ap->row_at[r]);
		for (c = 0; c < g->cols; c++)
			grid_cell(f, &g->cell[r * g->cols + c], left + c * GRID_W,
				  top + 40 + r * GRID_H);
	}
}

static uint32_t pair_width(const struct kt_axis_pair *ap)
{
	return ap->side[0].cols * GRID_W;
}

/* Both sides of every pair of axes, one under the other where they are wide. */
static uint32_t grids(FILE *f, const struct kt_picture *p, uint32_t top)
{
	uint32_t i, y = top;

	for (i = 0; i < p->n_pairs; i++) {
		const struct kt_axis_pair *ap = &p->pairs[i];
		uint32_t h = ap->side[0].rows * GRID_H + 60;
		bool stack = ap->side[0].cols > 10;

		one_grid(f, p, ap, 0, MARGIN, y);
		if (stack)
			y += h;
		one_grid(f, p, ap, 1, stack ? MARGIN : 2 * MARGIN + pair_width(ap), y);
		y += h;
	}
	if (p->n_pairs) {
		label(f, MARGIN, y + 10, "t",
		      "cell: lowest owner, +N more owners; one colour per group");
		y += 24;
	}
	return y - top;
}

static void extent(const struct kt_picture *p, uint32_t *w, uint32_t *h)
{
	uint32_t i;

	*w = 2 * MARGIN + p->n * MAP_CELL;
	*h = 110 + p->n * MAP_CELL + 100;
	for (i = 0; i < p->n_pairs; i++) {
		const struct kt_axis_pair *ap = &p->pairs[i];
		bool stack = ap->side[0].cols > 10;
		uint32_t need = stack ? 2 * MARGIN + pair_width(ap) :
					3 * MARGIN + 2 * pair_width(ap);

		if (need > *w)
			*w = need;
		*h += (stack ? 2 : 1) * (ap->side[0].rows * GRID_H + 60);
	}
	if (*w < 720)
		*w = 720;
	if (p->reason)
		*h += 15 * (strlen(p->reason) * 6 / (*w - 2 * MARGIN) + 1);
	if (p->note)
		*h += 15 * (strlen(p->note) * 6 / (*w - 2 * MARGIN) + 1);
}

void kt_draw_svg(FILE *f, const struct kt_picture *p)
{
	uint32_t w, h, y = 42;

	extent(p, &w, &h);
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
		   "viewBox=\"0 0 %u %u\">\n",
		w, h, w, h);
	fputs("<style>\n"
	      "text { font: 11px sans-serif; fill: #1b1f24; }\n"
	      ".h { font-size: 13px; font-weight: bold; }\n"
	      ".m { text-anchor: middle; } .e { text-anchor: end; }\n"
	      ".page { fill: #ffffff; }\n"
	      ".box, .cell { fill: none; stroke: #8c959f; }\n"
	      ".hot { fill: hsl(14 85% 52%); } .own { fill: hsl(205 60% 52%); }\n"
	      "@media (prefers-color-scheme: dark) {\n"
	      "text { fill: #e6edf3; } .page { fill: #0d1117; }\n"
	      ".box, .cell { stroke: #6e7681; } }\n"
	      "</style>\n", f);
	fprintf(f, "<rect width=\"%u\" height=\"%u\" class=\"page\"/>\n", w, h);
	label(f, MARGIN, 24, "h", p->title);
	if (p->reason)
		y += paragraph(f, y, w, p->reason);
	if (p->note)
		y += paragraph(f, y, w, p->note);
	y += 15;
	y += grids(f, p, y);
	heat_map(f, p, y);
	fputs("</svg>\n", f);
}
