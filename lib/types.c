// SPDX-License-Identifier: MIT
/*
 * Equality and text of types.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"

static bool same_name(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Opaque types may name aliases, which equal what they stand for. */
static bool opaque_equal(const struct kt_type *a, const struct kt_type *b)
{
	return same_name(a->elem_name, b->elem_name) ||
	       (a->elem_name && strchr(a->elem_name, '#')) ||
	       (b->elem_name && strchr(b->elem_name, '#'));
}

static bool future_equal(const struct kt_type *a, const struct kt_type *b)
{
	unsigned int i;

	if (a->n_partials != b->n_partials)
		return false;
	for (i = 0; i < a->n_partials; i++)
		if (!kt_type_equal(a->partials[i], b->partials[i]))
			return false;
	if (!a->groups || !b->groups)
		return a->groups == b->groups;
	return kt_set_equal(a->groups, b->groups);
}

bool kt_type_equal(const struct kt_type *a, const struct kt_type *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case KT_TY_INDEX:
		return true;
	case KT_TY_OPAQUE:
		return opaque_equal(a, b);
	case KT_TY_SCALAR:
		return same_name(a->elem_name, b->elem_name);
	case KT_TY_FUTURE:
		return future_equal(a, b);
	default:
		return a->rank == b->rank && same_name(a->elem_name, b->elem_name) &&
		       !memcmp(a->shape, b->shape, a->rank * sizeof(a->shape[0]));
	}
}

static const char *concat(struct kt_arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static const char *concat(struct kt_arena *a, const char *fmt, ...)
{
	va_list args;
	char *s;
	int n;

	va_start(args, fmt);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	s = n < 0 ? NULL : kt_alloc(a, (size_t)n + 1);
	if (!s)
		return NULL;
	va_start(args, fmt);
	vsnprintf(s, (size_t)n + 1, fmt, args);
	va_end(args);
	return s;
}

static const char *shape_text(struct kt_arena *a, const struct kt_type *t)
{
	char buf[KT_MAX_RANK * 22 + 1];
	unsigned int i;
	int n = 0;

	buf[0] = 0;
	for (i = 0; i < t->rank; i++)
		n += t->shape[i] < 0 ? snprintf(buf + n, sizeof(buf) - (size_t)n, "?x") :
		     snprintf(buf + n, sizeof(buf) - (size_t)n, "%" PRId64 "x", t->shape[i]);
	return concat(a, "%s%s", buf, t->elem_name ? t->elem_name : "?");
}

static const char *future_text(struct kt_arena *a, const struct kt_type *t)
{
	const char *s = "", *groups;
	unsigned int i;

	for (i = 0; s && i < t->n_partials; i++) {
		const char *e = kt_type_text(a, t->partials[i]);

		s = e ? concat(a, "%s%s%s", s, i ? ", " : "", e) : NULL;
	}
	if (!s)
		return NULL;
	if (!t->groups)
		return concat(a, "!ktdp.tile_future<(%s)>", s);
	groups = kt_set_text(a, t->groups);
	return groups ? concat(a, "!ktdp.tile_future<(%s), groups = %s>", s, groups) : NULL;
}

const char *kt_type_text(struct kt_arena *a, const struct kt_type *t)
{
	const char *s;

	switch (t->kind) {
	case KT_TY_INDEX:
		return "index";
	case KT_TY_OPAQUE:
	case KT_TY_SCALAR:
		return t->elem_name ? t->elem_name : "?";
	case KT_TY_FUTURE:
		return future_text(a, t);
	default:
		s = shape_text(a, t);
		return s ? concat(a, "%s<%s>", t->kind == KT_TY_TENSOR ? "tensor" :
				  t->kind == KT_TY_MEMREF ? "memref" : "!ktdp.access_tile", s) :
			   NULL;
	}
}
