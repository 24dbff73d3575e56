/* SPDX-License-Identifier: MIT */
/* Recorded runs: ktctl.trace/1 documents, shown as text or for Chrome's trace viewer. */
#ifndef KTCTL_TRACE_H
#define KTCTL_TRACE_H

#include "result.h"

/* Microseconds of a monotonic clock. */
double ctl_now_us(void);

/* Add an event to the "events" list of a trace. @args is taken, may be NULL. */
void ctl_trace_event(json_t *trace, const char *track, const char *name, double start,
		     double duration, json_t *args);

/* Read a trace and check its form. CTL_OK, or the exit with the error said. */
int ctl_trace_load(struct ctl *c, const char *path, json_t **out);
void ctl_trace_text(const struct ctl *c, const json_t *trace);
/* The document chrome://tracing and Perfetto read; NULL when out of memory. */
json_t *ctl_trace_chrome(const json_t *trace);

#endif /* KTCTL_TRACE_H */
