/* SPDX-License-Identifier: MIT */
/*
 * Backends: what runs a plan. submit.c turns a plan into commands over one buffer, a
 * backend executes them. A backend is a table of functions; device.c lists them.
 *
 * A run lives through: prepare (lease, buffer, images; the caller then fills the buffer),
 * start, wait, result, release. All but start and wait may block. release follows every
 * successful prepare, after start only once wait has returned 0.
 */
#ifndef KT_BACKEND_H
#define KT_BACKEND_H

#include "plan.h"

enum kt_cmd_kind {
	KT_CMD_IN,		/* buffer to scratchpad */
	KT_CMD_OUT,		/* scratchpad to buffer */
	KT_CMD_SIGNAL,		/* every tile is ready once its earlier commands are complete */
	KT_CMD_SHUFFLE,
};

/*
 * Commands take effect in order; IN and SIGNAL may be asynchronous until the next
 * SHUFFLE (which waits as its mode says) or OUT. Ready bits are those since the last
 * SHUFFLE: a device that clears them per job runs each step of a per-tile plan as its
 * own job.
 */
struct kt_cmd {
	enum kt_cmd_kind kind;
	uint32_t step;		/* SHUFFLE: image of this step */
	struct kt_dma dma;	/* IN, OUT; buf counts from the start of the run's buffer */
};

/**
 * struct kt_run - one execution of a plan
 * @plan:	valid during prepare and start only
 * @cmds:	owned by the run's creator, valid until release
 * @per_tile:	mode of all SHUFFLEs
 * @map:	wanted core per tile, NULL: free choice. n_tiles of them
 * @event:	eventfd; the backend makes it readable when the run has ended
 * @buf:	set by prepare: @buf_bytes zeroed bytes
 * @priv:	the backend's
 */
struct kt_run {
	const struct ktdev_plan *plan;
	uint32_t n_tiles;
	uint32_t n_cmds;
	const struct kt_cmd *cmds;
	bool per_tile;
	const uint16_t *map;
	int event;
	uint64_t buf_bytes;
	uint8_t *buf;
	void *priv;
};

struct kt_backend_ops {
	const char *name;
	/* @spec: what the user wrote. On success fills @info (backend and name excepted).
	 * Findings go to @rep (may be NULL). Return: as ktdev_device_open() */
	int (*open)(const char *spec, struct ktdev_report *rep, void **dev,
		    struct ktdev_device_info *info);
	void (*close)(void *dev);
	int (*prepare)(void *dev, struct kt_run *run);
	int (*start)(void *dev, struct kt_run *run);
	/* 0: ended; -ETIME: not within @timeout_ms (negative: no limit) */
	int (*wait)(void *dev, struct kt_run *run, int timeout_ms);
	/* After wait: counters (stats but injected_bytes over all steps) and fault.
	 * Return: 0, or -EIO with the fault filled. */
	int (*result)(void *dev, struct kt_run *run, struct ktdev_result *res);
	void (*release)(void *dev, struct kt_run *run);
};

extern const struct kt_backend_ops kt_backend_soft;

struct ktdev_device {
	const struct kt_backend_ops *ops;
	void *dev;
	struct ktdev_device_info info;
	char *name;
};

/* A message without a place; @rep may be NULL. */
void kt_device_say(struct ktdev_report *rep, enum ktdev_severity sev, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* submit.c: as ktdev_submit(), with pads_in and pads_out for the first @pad_bytes of each
 * scratchpad only (0: whole). */
int kt_submit(struct ktdev_device *dev, const struct ktdev_plan *plan,
	      const struct ktdev_submit_opts *opts, uint64_t pad_bytes, struct ktdev_job **job);

#endif /* KT_BACKEND_H */
