// SPDX-License-Identifier: MIT
/*
 * Pictures as text: the model (who sends how much to whom, who owns which cell before and
 * after), and the ascii and dot forms. The SVG form is in draw_svg.c.
 */
#include "draw.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

/* --- map of cores ------------------------------------------------------------------------- */

static int map_init(struct kt_picture *p, uint32_t cores)
{
	p->cores = cores;
	p->per = cores ? (cores + KT_DRAW_MAX_CORES - 1) / KT_DRAW_MAX_CORES : 1;
	p->n = (cores + p->per - 1) / p->per;
	p->bytes = kt_alloc(&p->arena, ((size_t)p->n * p->n + 1) * sizeof(*p->bytes));
	return p->bytes ? 0 : -ENOMEM;
}

static void send(struct kt_picture *p, uint32_t from, uint32_t to, uint64_t bytes)
{
	p->bytes[(size_t)(from / p->per) * p->n + to / p->per] += bytes;
	if (from == to)
		p->local += bytes;
	else
		p->total += bytes;
}

static void map_done(struct kt_picture *p)
{
	uint32_t i, k;

	for (i = 0; i < p->n; i++)
		for (k = 0; k < p->n; k++)
			if (i != k && p->bytes[(size_t)i * p->n + k] > p->most)
				p->most = p->bytes[(size_t)i * p->n + k];
}

static void map_tables(struct kt_picture *p, const struct kt_class *c)
{
	const struct kt_relation *r = &c->rel_of;
	enum ktdev_elect elect = c->elect == KTDEV_ELECT_NONE ? KTDEV_ELECT_LOWEST : c->elect;
	uint32_t d, e, k, t;

	for (d = 0; d < r->n_dst; d++)
		for (e = r->first[d]; e < r->first[d + 1]; e++) {
			const struct kt_part *s = &r->src[r->edge[e]];
			struct kte_box cut;
			uint64_t bytes;

			kt_box_cut(&s->box, &r->dst[d].box, r->rank, &cut);
			bytes = kt_box_volume(&cut, r->rank) * r->rel->elem_bytes;
			for (k = 0; k < r->dst[d].n_owners; k++) {
				uint32_t to = r->dst[d].owners[k];

				if (!c->fold) {
					send(p, kt_elect(s, to, r->rel->cores, elect), to, bytes);
					continue;
				}
				for (t = 0; t < s->n_owners; t++)
					send(p, s->owners[t], to, bytes);
			}
		}
}

static int map_plan(struct kt_picture *p, const struct ktdev_plan *plan)
{
	struct kt_trace t;
	uint32_t i, k;
	int ret = kt_trace_plan(plan, &t);

	if (!ret)
		ret = kt_trace_outputs(plan, &t);
	if (!ret)
		ret = map_init(p, plan->n_tiles);
	for (i = 0; !ret && i < t.n; i++) {
		const struct kt_trace_run *r = &t.v[i];

		if (!r->fold) {
			send(p, r->otile, r->tile, r->len);
			continue;
		}
		for (k = 0; k < t.folds[r->fold - 1].n; k++)
			send(p, t.folds[r->fold - 1].v[k].tile, r->tile, r->len);
	}
	kt_trace_fini(&t);
	return ret;
}

/* --- ownership grids ---------------------------------------------------------------------- */

static int u32_order(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return a < b ? -1 : a > b;
}

/* Where either side cuts an axis: the grid's lines. */
static uint32_t cuts_of(struct kt_picture *p, uint32_t axis, uint32_t **at)
{
	uint32_t s, i, n = 0, k = 0;
	size_t most = 2 * ((size_t)p->rel->side[0].n + p->rel->side[1].n) + 1;
	uint32_t *v = kt_alloc(&p->arena, most * sizeof(*v));

	*at = v;
	if (!v)
		return 0;
	v[n++] = 0;
	for (s = 0; s < 2; s++)
		for (i = 0; i < p->rel->side[s].n; i++) {
			const struct kte_box *b = &p->rel->side[s].pieces[i].box;
			uint64_t end = (uint64_t)b->start[axis] + b->size[axis];

			v[n++] = b->start[axis];
			if (end < p->rel->axes[axis].extent)
				v[n++] = (uint32_t)end;
		}
	qsort(v, n, sizeof(*v), u32_order);
	for (i = 0; i < n; i++)
		if (!k || v[k - 1] != v[i])
			v[k++] = v[i];
	return k;
}

static bool covers(const struct kte_box *b, uint32_t axis, uint32_t at)
{
	return at >= b->start[axis] && at - b->start[axis] < b->size[axis];
}

static int fill_grid(struct kt_picture *p, struct kt_axis_pair *ap, int side)
{
	struct kt_owner_grid *g = &ap->side[side];
	const struct kt_side *s = &p->rel->side[side];
	uint32_t r, c, i, k;
	bool *seen;

	g->cell = kt_alloc(&p->arena, (size_t)g->rows * g->cols * sizeof(*g->cell));
	seen = malloc(p->rel->cores);
	if (!g->cell || !seen) {
		free(seen);
		return -ENOMEM;
	}
	for (r = 0; r < g->rows; r++)
		for (c = 0; c < g->cols; c++) {
			struct kt_cell *cell = &g->cell[r * g->cols + c];

			memset(seen, 0, p->rel->cores);
			cell->owner = cell->group = KT_NO_CORE;
			for (i = 0; i < s->n; i++) {
				const struct kt_part *q = &s->pieces[i];

				if (!covers(&q->box, ap->col_axis, ap->col_at[c]) ||
				    (ap->row_axis != KT_NO_CORE &&
				     !covers(&q->box, ap->row_axis, ap->row_at[r])))
					continue;
				for (k = 0; k < q->n_owners; k++) {
					if (!seen[q->owners[k]])
						cell->n++;
					seen[q->owners[k]] = true;
					if (q->owners[k] < cell->owner)
						cell->owner = q->owners[k];
				}
			}
			if (cell->n && p->group_of)
				cell->group = p->group_of[cell->owner + side * p->rel->cores];
		}
	free(seen);
	return 0;
}

static int add_pair(struct kt_picture *p, uint32_t row, uint32_t col)
{
	struct kt_axis_pair *ap = &p->pairs[p->n_pairs];
	uint32_t rows = 1, cols;
	int s, ret = 0;

	ap->row_axis = row;
	ap->col_axis = col;
	cols = cuts_of(p, col, &ap->col_at);
	if (row != KT_NO_CORE)
		rows = cuts_of(p, row, &ap->row_at);
	if (!rows || !cols)
		return -ENOMEM;
	if (rows > KT_DRAW_MAX_CELLS || cols > KT_DRAW_MAX_CELLS)
		return 0;
	for (s = 0; s < 2 && !ret; s++) {
		ap->side[s].rows = rows;
		ap->side[s].cols = cols;
		ret = fill_grid(p, ap, s);
	}
	p->n_pairs++;
	return ret;
}

/* One grid per pair of cut axes. */
static int grids(struct kt_picture *p, const struct kt_class *c)
{
	uint32_t cut[KT_AXES], n = 0, a, b;
	int ret = 0;

	for (a = 0; a < c->rel->rank; a++)
		if (c->pub.axes[a].ns > 1 || c->pub.axes[a].nd > 1)
			cut[n++] = a;
	if (!n)
		cut[n++] = 0;
	p->pairs = kt_alloc(&p->arena, (size_t)(n * n + 1) * sizeof(*p->pairs));
	if (!p->pairs)
		return -ENOMEM;
	if (n == 1)
		return add_pair(p, KT_NO_CORE, cut[0]);
	for (a = 0; a < n && !ret; a++)
		for (b = a + 1; b < n && !ret; b++)
			ret = add_pair(p, cut[a], cut[b]);
	return ret;
}

/* Group of every core as producer and as consumer, from the deliveries. */
static int groups(struct kt_picture *p, const struct kt_class *c)
{
	uint32_t i, g, k, cores = c->rel->cores;

	p->group_of = kt_alloc(&p->arena, 2 * (size_t)cores * sizeof(*p->group_of));
	if (!p->group_of)
		return -ENOMEM;
	memset(p->group_of, 0xff, 2 * (size_t)cores * sizeof(*p->group_of));
	for (i = 0; i < c->moves.n; i++) {
		const struct kt_move *m = &c->moves.v[i];

		if (m->n_groups > p->n_groups)
			p->n_groups = m->n_groups;
		for (g = 0; g < m->n_groups; g++) {
			for (k = 0; k < m->groups[g].n_producers; k++)
				p->group_of[m->groups[g].producers[k]] = g;
			for (k = 0; k < m->groups[g].n_consumers; k++)
				p->group_of[cores + m->groups[g].consumers[k]] = g;
		}
	}
	return 0;
}

/* --- ascii -------------------------------------------------------------------------------- */

static const char shades[] = ".:-=+*#%@";

static char shade(const struct kt_picture *p, uint64_t v)
{
	uint64_t n = sizeof(shades) - 2;

	if (!v)
		return ' ';
	return p->most ? shades[v >= p->most ? n : v * n / p->most] : shades[0];
}

static bool row_used(const struct kt_picture *p, uint32_t i, bool column)
{
	uint32_t k;

	for (k = 0; k < p->n; k++)
		if (p->bytes[column ? (size_t)k * p->n + i : (size_t)i * p->n + k])
			return true;
	return false;
}

static void ascii_map(FILE *f, const struct kt_picture *p)
{
	uint32_t i, k;

	fprintf(f, "\nwho sends to whom: row = from, column = to%s\n", p->per > 1 ?
		" (several cores share a line)" : "");
	fprintf(f, "%6s ", "");
	for (k = 0; k < p->n; k++)
		fputc(k % 4 ? ' ' : '0' + (char)(k * p->per / 10 % 10), f);
	fprintf(f, "\n%6s ", "to");
	for (k = 0; k < p->n; k++)
		fputc('0' + (char)(k * p->per % 10), f);
	fputc('\n', f);
	for (i = 0; i < p->n; i++) {
		if (!row_used(p, i, false))
			continue;
		fprintf(f, "%6u|", i * p->per);
		for (k = 0; k < p->n; k++) {
			uint64_t v = p->bytes[(size_t)i * p->n + k];

			fputc(i == k && v ? 'o' : shade(p, v), f);
		}
		fprintf(f, "|\n");
	}
	fprintf(f, "%6s '%c' up to '%c': 1 to %" PRIu64 " bytes; 'o': stays on its core\n", "",
		shades[0], shades[sizeof(shades) - 2], p->most);
}

/* "3", "0+3" (0 and three more), and the group's letter. */
static void ascii_cell(FILE *f, const struct kt_cell *c)
{
	char text[32] = ".";
	size_t n = 1;

	if (c->n)
		n = (size_t)snprintf(text, sizeof(text), "%u", c->owner);
	if (c->n > 1)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "+%u", c->n - 1);
	if (c->n && c->group != KT_NO_CORE)
		snprintf(text + n, sizeof(text) - n, "%c", 'a' + (char)(c->group % 26));
	fprintf(f, " %6s", text);
}

static void ascii_grid(FILE *f, const struct kt_picture *p, const struct kt_axis_pair *ap, int side)
{
	const struct kt_owner_grid *g = &ap->side[side];
	uint32_t r, c;

	fprintf(f, "\n%s: %s%s%s\n", side ? "after" : "before",
		ap->row_axis == KT_NO_CORE ? "" : p->rel->axes[ap->row_axis].name,
		ap->row_axis == KT_NO_CORE ? "" : " down, ", p->rel->axes[ap->col_axis].name);
	fprintf(f, "%8s", "");
	for (c = 0; c < g->cols; c++)
		fprintf(f, " %6u", ap->col_at[c]);
	fputc('\n', f);
	for (r = 0; r < g->rows; r++) {
		if (ap->row_axis == KT_NO_CORE)
			fprintf(f, "%8s", "");
		else
			fprintf(f, "%8u", ap->row_at[r]);
		for (c = 0; c < g->cols; c++)
			ascii_cell(f, &g->cell[r * g->cols + c]);
		fputc('\n', f);
	}
}

static void draw_ascii(FILE *f, const struct kt_picture *p)
{
	uint32_t i;

	fprintf(f, "%s\n", p->title);
	if (p->reason)
		fprintf(f, "%s\n", p->reason);
	if (p->note)
		fprintf(f, "%s\n", p->note);
	ascii_map(f, p);
	for (i = 0; i < p->n_pairs; i++) {
		ascii_grid(f, p, &p->pairs[i], 0);
		ascii_grid(f, p, &p->pairs[i], 1);
	}
	if (p->n_pairs)
		fprintf(f, "\ncells: lowest owner, +N more owners%s; '.': nobody\n",
			p->n_groups ? ", letter of its group" : "");
	fprintf(f, "%" PRIu64 " bytes cross cores, %" PRIu64 " stay\n", p->total, p->local);
}

/* --- dot ---------------------------------------------------------------------------------- */

/* A string inside double quotes. */
static void dot_text(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', f);
		fputc((unsigned char)*s < 0x20 ? ' ' : *s, f);
	}
}

static void draw_dot(FILE *f, const struct kt_picture *p)
{
	uint32_t i, k;

	fprintf(f, "digraph relayout {\n  label=\"");
	dot_text(f, p->title);
	if (p->reason) {
		fprintf(f, "\\n");
		dot_text(f, p->reason);
	}
	fprintf(f, "\";\n  node [shape=circle];\n");
	for (i = 0; i < p->n; i++)
		if (row_used(p, i, false) || row_used(p, i, true))
			fprintf(f, "  c%u [label=\"%u\"];\n", i * p->per, i * p->per);
	for (i = 0; i < p->n; i++)
		for (k = 0; k < p->n; k++) {
			uint64_t v = p->bytes[(size_t)i * p->n + k];

			if (v)
				fprintf(f, "  c%u -> c%u [label=\"%" PRIu64 "\"%s];\n", i * p->per,
					k * p->per, v, i == k ? ", style=dotted" : "");
		}
	fprintf(f, "}\n");
}

/* --- interface ---------------------------------------------------------------------------- */

static int picture_of_tables(struct kt_picture *p, const struct ktdev_diff_input *in,
			     struct ktdev_classification **cls)
{
	const struct kt_class *c;
	int ret = ktdev_classify(in->rel, in->elect, cls);

	if (ret)
		return ret;
	c = (const struct kt_class *)*cls;
	p->rel = in->rel;
	p->title = in->rel->name && *in->rel->name ? in->rel->name : "relayout";
	p->reason = c->pub.reason;
	while (c->then)
		c = c->then;
	if (c->undetermined)
		p->note = "no producer is elected: the lowest is drawn";
	ret = map_init(p, in->rel->cores);
	if (ret)
		return ret;
	map_tables(p, c);
	ret = groups(p, c);
	return ret ? ret : grids(p, c);
}

static int picture_of_plan(struct kt_picture *p, const struct ktdev_diff_input *in,
			   const struct ktdev_compile_opts *opts, struct ktdev_report *rep)
{
	const struct ktdev_plan *plan = in->plan;
	struct ktdev_plan *own = NULL;
	int ret = 0;

	if (in->mod)
		ret = ktdev_plan_from_module(in->mod, opts, rep, &own);
	if (own)
		plan = own;
	if (!ret && !plan)
		ret = -EINVAL;
	if (!ret) {
		p->title = kt_strndup(&p->arena, plan->source, strlen(plan->source));
		ret = p->title ? map_plan(p, plan) : -ENOMEM;
	}
	ktdev_plan_free(own);
	return ret;
}

int ktdev_draw(const struct ktdev_diff_input *in, enum ktdev_draw_format format,
	       const struct ktdev_compile_opts *opts, struct ktdev_report *rep, char **text)
{
	struct ktdev_classification *cls = NULL;
	struct kt_picture p = { .cores = 0 };
	size_t len = 0;
	FILE *f;
	int ret;

	*text = NULL;
	ret = in->rel ? picture_of_tables(&p, in, &cls) : picture_of_plan(&p, in, opts, rep);
	if (!ret) {
		map_done(&p);
		f = open_memstream(text, &len);
		if (!f) {
			ret = -ENOMEM;
		} else {
			if (format == KTDEV_DRAW_SVG)
				kt_draw_svg(f, &p);
			else if (format == KTDEV_DRAW_DOT)
				draw_dot(f, &p);
			else
				draw_ascii(f, &p);
			if (fclose(f)) {
				free(*text);
				*text = NULL;
				ret = -ENOMEM;
			}
		}
	}
	ktdev_classification_free(cls);
	kt_arena_fini(&p.arena);
	return ret;
}
