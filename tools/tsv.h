/* SPDX-License-Identifier: MIT */
/* An index of edges: tab-separated index, record, geometry, route_class, assumed. */
#ifndef KTCTL_TSV_H
#define KTCTL_TSV_H

#include "ctl.h"

struct ctl_edge {
	int64_t index;		/* -1: none */
	const char *record;
	const char *geometry;
	const char *assumed;
};

struct ctl_edges {
	struct ctl_edge *edge;
	size_t n;
};

/* Read an index; it is cut up in place. CTL_OK, or CTL_INPUT with the error said. */
int ctl_edges(struct ctl *c, const char *path, struct ctl_edges *out);
void ctl_edges_free(struct ctl_edges *e);

#endif /* KTCTL_TSV_H */
