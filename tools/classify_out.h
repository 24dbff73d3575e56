/* SPDX-License-Identifier: MIT */
/* A classification as text and as ktctl.classification/1. */
#ifndef KTCTL_CLASSIFY_OUT_H
#define KTCTL_CLASSIFY_OUT_H

#include "input.h"

json_t *ctl_classification_json(const struct ktdev_relayout *rel,
				const struct ktdev_classification *cls);
void ctl_print_classification(const struct ctl *c, const struct ktdev_relayout *rel,
			      const struct ktdev_classification *cls);
/* "0..31", "0..28/4", "0,3,5": ascending numbers, shortened */
void ctl_print_tiles(FILE *f, const uint32_t *tiles, uint32_t n);

#endif /* KTCTL_CLASSIFY_OUT_H */
