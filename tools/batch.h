/* SPDX-License-Identifier: MIT */
/* Many relayouts in one process, and the table that sums them up. */
#ifndef KTCTL_BATCH_H
#define KTCTL_BATCH_H

#include "compile.h"
#include "consumer.h"
#include "tsv.h"

enum ctl_verdict { CTL_NOT_RUN, CTL_YES, CTL_NO };

/* One geometry: a relayout of a file, classified and tried. */
struct ctl_geometry {
	const char *path;
	char *base; /* file name without .json, "#op" behind it for one of several ops */
	const char *op;		/* data op of a planner file, NULL: the only one */
	struct ktdev_relayout *rel;
	struct ktdev_classification *cls;
	struct ktdev_report *rep;
	enum ctl_verdict verifies, moves, consumer;
	char gap[200];		/* why something is missing, "" if nothing is */
	int exit;
};

struct ctl_batch {
	struct ctl *c;
	struct ktdev_device *dev;	/* NULL: moves nothing */
	enum ktdev_elect elect;
	struct ctl_consumers consumers;
	struct ctl_geometry *geo;
	size_t n, cap;
};

/* The data ops of a planner file; NULL if the text cannot be read as one. */
struct ktdev_data_ops *ctl_data_ops(const struct ktdev_text *text);
/* Add a file, or every .json file of a directory. CTL_OK, or the exit with the error said. */
int ctl_batch_add(struct ctl_batch *b, const char *path);
/* Classify, emit, verify and compile all; with a device run and compare too. */
void ctl_batch_run(struct ctl_batch *b);
/* Print one row per edge (@edges may be NULL: one row per geometry). Returns the exit. */
int ctl_batch_print(struct ctl_batch *b, const struct ctl_edges *edges);
void ctl_batch_free(struct ctl_batch *b);

#endif /* KTCTL_BATCH_H */
