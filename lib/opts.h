/* SPDX-License-Identifier: MIT */
/*
 * Option structs start with their size: older callers give less (the rest is 0), newer
 * ones more (which must be 0 where this library does not know it).
 */
#ifndef KT_OPTS_H
#define KT_OPTS_H

#include <errno.h>
#include <string.h>

#include "ktdev.h"

/* Copy @in (NULL: all 0) into @out of @known bytes. Return: 0, -EINVAL (no size), -E2BIG. */
static inline int kt_opts_copy(void *out, size_t known, const void *in)
{
	const unsigned char *tail = in;
	size_t size, i;

	memset(out, 0, known);
	if (!in)
		return 0;
	memcpy(&size, in, sizeof(size));
	if (size < sizeof(size))
		return -EINVAL;
	for (i = known; i < size; i++)
		if (tail[i])
			return -E2BIG;
	memcpy(out, in, size < known ? size : known);
	return 0;
}

#endif /* KT_OPTS_H */
