/* SPDX-License-Identifier: MIT */
/*
 * Sets from their text, for tests: the groups or tiles of a production in a small program.
 */
#ifndef PARSE_TEXT_H
#define PARSE_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"

struct parsed {
	struct ktdev_module *mod;
	const struct kt_set *set;
};

static __attribute__((unused)) int find_set(const struct kt_op *op, void *ctx)
{
	const struct kt_attr *at = kt_op_attr(op, "producer_tiles_per_group");

	if (at && at->kind == KT_AT_SET)
		*(const struct kt_set **)ctx = at->set;
	return 0;
}

/* Free with parsed_free(), also when .set is NULL: it could not be read. */
static __attribute__((unused)) struct parsed parse_set(const char *text)
{
	static const char fmt[] =
		"func.func @f() {\n"
		"  %%f = ktdp.inter_tile_produce producer_tiles_per_group = %s\n"
		"      -> !ktdp.tile_future<(tensor<4xf16>), groups = [0]> {\n"
		"    ^bb0(%%gid: index):\n"
		"  }\n"
		"  return\n"
		"}\n";
	size_t len = sizeof(fmt) + strlen(text);
	char *program = malloc(len);
	struct parsed p = { NULL, NULL };

	if (!program)
		abort();
	snprintf(program, len, fmt, text);
	if (!ktdev_module_parse("set", program, strlen(program), NULL, &p.mod))
		kt_region_walk(&p.mod->funcs[0]->body, find_set, &p.set);
	free(program);
	return p;
}

static __attribute__((unused)) void parsed_free(struct parsed *p)
{
	ktdev_module_free(p->mod);
	p->mod = NULL;
	p->set = NULL;
}

#endif /* PARSE_TEXT_H */
