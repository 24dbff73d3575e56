// SPDX-License-Identifier: MIT
/* The table that says which reference consumer a geometry has. */
#include <stdlib.h>
#include <string.h>

#include "consumer.h"

static const char *const kinds[] = {
	[CTL_SUM] = "sum", [CTL_MAX] = "max", [CTL_MATMUL] = "matmul", [CTL_SLICE] = "slice",
	[CTL_CACHE] = "cache",
};

static bool read_row(char *line, struct ctl_consumer *out)
{
	char *kind = strchr(line, '\t'), *axis = kind ? strchr(kind + 1, '\t') : NULL;

	if (!axis || strchr(axis + 1, '\t') || axis[1] == 0 || kind == line)
		return false;
	*kind++ = 0;
	*axis++ = 0;
	for (size_t i = 0; i < CTL_ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i], kind))
			continue;
		*out = (struct ctl_consumer){ line, (enum ctl_consumer_kind)i, axis };
		return true;
	}
	return false;
}

int ctl_consumers(struct ctl *c, const char *path, struct ctl_consumers *out)
{
	const struct ctl_text *text;
	char *line, *next;
	unsigned int row = 0;
	size_t lines = 1;
	int ret = ctl_load(c, path, &text);

	if (ret)
		return ret;
	for (const char *p = text->text; (p = strchr(p, '\n')); p++)
		lines++;
	out->c = calloc(lines, sizeof(*out->c));
	if (!out->c)
		return ctl_no_memory(c);
	for (line = text->text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		line[strcspn(line, "\r")] = 0;
		if (!row++ && strcmp(line, "geometry\tconsumer\taxis"))
			return ctl_fail(c, CTL_INPUT, "%s:1: not geometry, consumer, axis",
					text->name);
		if (row == 1 || !*line)
			continue;
		if (!read_row(line, &out->c[out->n++]))
			return ctl_fail(c, CTL_INPUT, "%s:%u: not geometry, consumer, axis\n"
					"consumers: sum max matmul slice cache", text->name, row);
	}
	return CTL_OK;
}

const struct ctl_consumer *ctl_consumer_of(const struct ctl_consumers *all, const char *geometry)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->c[i].geometry, geometry))
			return &all->c[i];
	return NULL;
}

void ctl_consumers_free(struct ctl_consumers *all)
{
	free(all->c);
	memset(all, 0, sizeof(*all));
}
