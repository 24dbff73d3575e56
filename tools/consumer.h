/* SPDX-License-Identifier: MIT */
/*
 * Reference consumers: what the next op would do with the pieces it finds. Each is computed
 * from the bytes a run delivered to a core and from the whole tensor, and must agree.
 */
#ifndef KTCTL_CONSUMER_H
#define KTCTL_CONSUMER_H

#include "compile.h"

enum ctl_consumer_kind {
	CTL_SUM,	/* over the axis */
	CTL_MAX,	/* over the axis */
	CTL_MATMUL,	/* the axis times a weight matrix of a few columns */
	CTL_SLICE,	/* the upper half of the axis, element by element */
	CTL_CACHE,	/* positions along the axis go to slots of a cache, in another order */
};

struct ctl_consumer {
	const char *geometry;
	enum ctl_consumer_kind kind;
	const char *axis;
};

struct ctl_consumers {
	struct ctl_consumer *c;
	size_t n;
};

/* Read a table (tab-separated geometry, consumer, axis). CTL_OK, or the exit, said. */
int ctl_consumers(struct ctl *c, const char *path, struct ctl_consumers *out);
const struct ctl_consumer *ctl_consumer_of(const struct ctl_consumers *all, const char *geometry);
void ctl_consumers_free(struct ctl_consumers *all);

/*
 * Run @plan, compiled from @rel, on @dev with known values and let the consumer compare.
 * Return: 0 (*agrees tells), -EOPNOTSUPP with *why, or what running returned.
 */
int ctl_consume(struct ktdev_device *dev, const struct ktdev_plan *plan,
		const struct ktdev_relayout *rel, const struct ctl_consumer *consumer,
		bool *agrees, const char **why);

#endif /* KTCTL_CONSUMER_H */
