// SPDX-License-Identifier: MIT
/* Reading an index of edges. */
#include <stdlib.h>
#include <string.h>

#include "tsv.h"

#define MAX_COLUMNS	16

static unsigned int split(char *line, char **cols)
{
	unsigned int n = 0;

	line[strcspn(line, "\r\n")] = 0;
	while (n < MAX_COLUMNS) {
		cols[n++] = line;
		line = strchr(line, '\t');
		if (!line)
			break;
		*line++ = 0;
	}
	return n;
}

static int column(char **head, unsigned int n, const char *name)
{
	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(head[i], name))
			return (int)i;
	return -1;
}

static const char *cell(char **cols, unsigned int n, int i)
{
	return i >= 0 && (unsigned int)i < n ? cols[i] : "";
}

int ctl_edges(struct ctl *c, const char *path, struct ctl_edges *out)
{
	int index, record, geometry, assumed;
	char *head[MAX_COLUMNS], *cols[MAX_COLUMNS], *line, *next;
	unsigned int n_head, n, row = 1;
	const struct ctl_text *text;
	uint64_t number;
	size_t lines = 0;
	int ret = ctl_load(c, path, &text);

	if (ret)
		return ret;
	for (const char *p = text->text; (p = strchr(p, '\n')); p++)
		lines++;
	out->edge = calloc(lines + 1, sizeof(*out->edge));
	if (!out->edge)
		return ctl_no_memory(c);
	line = text->text;
	next = strchr(line, '\n');
	if (next)
		*next++ = 0;
	n_head = split(line, head);
	index = column(head, n_head, "index");
	record = column(head, n_head, "record");
	geometry = column(head, n_head, "geometry");
	assumed = column(head, n_head, "assumed");
	if (record < 0 || geometry < 0)
		return ctl_fail(c, CTL_INPUT, "%s:1: no columns record and geometry", text->name);
	for (line = next; line && *line; line = next) {
		struct ctl_edge *e = &out->edge[out->n];

		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		row++;
		n = split(line, cols);
		if (n == 1 && !*cols[0])
			continue;
		e->record = cell(cols, n, record);
		e->geometry = cell(cols, n, geometry);
		e->assumed = cell(cols, n, assumed);
		e->index = -1;
		if (!*e->record || !*e->geometry)
			return ctl_fail(c, CTL_INPUT, "%s:%u: no record or no geometry", text->name,
					row);
		if (index >= 0) {
			if (!ctl_parse_u64(cell(cols, n, index), &number) || number > 1000000)
				return ctl_fail(c, CTL_INPUT, "%s:%u: index %s is no number",
						text->name, row, cell(cols, n, index));
			e->index = (int64_t)number;
		}
		out->n++;
	}
	return CTL_OK;
}

void ctl_edges_free(struct ctl_edges *e)
{
	free(e->edge);
	memset(e, 0, sizeof(*e));
}
