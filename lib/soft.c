// SPDX-License-Identifier: MIT
/*
 * The soft backend: the engine in-process. Scratchpads are anonymous memory, committed as
 * it is touched and zero at first, at bases staggered so that equal offsets of different
 * pads do not compete for the same cache sets. Every run has its own pads and thread.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend.h"
#include "clock.h"
#include "kte_exec.h"

#define DEFAULT_CORES	32u
#define MAX_CORES	16384u
#define DEFAULT_SPM	(2ull << 20)
#define MIN_SPM		(64ull << 10)
#define MAX_SPM		(64ull << 20)
#define STAGGER		(4096u + 5 * KT_STICK)

struct soft_dev {
	uint32_t cores;
	uint64_t spm;
};

struct soft_step {
	struct kte_prog *prog;
	struct kte_counters counters;
	void *scratch;
};

struct soft_run {
	struct soft_dev *dev;
	struct kt_run *run;
	uint8_t *arena;
	size_t arena_bytes;
	uint8_t **pads;
	uint32_t n_steps;
	struct soft_step *steps;
	uint64_t *ready;		/* per tile: cycle its earlier commands are complete */
	uint64_t window;
	uint64_t stall;
	pthread_t thread;
	bool threaded;
	int status;
	uint32_t fault_step;
	struct kte_fault fault;
};

/* --- the device ------------------------------------------------------------------------ */

/* A number with an optional K or M. */
static bool parse_size(const char *s, size_t len, uint64_t *out)
{
	uint64_t v = 0;
	size_t i;

	if (!len)
		return false;
	for (i = 0; i < len && s[i] >= '0' && s[i] <= '9'; i++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s[i] - '0'), &v))
			return false;
	if (!i)
		return false;
	*out = v;
	if (i == len)
		return true;
	if (i + 1 != len)
		return false;
	switch (s[i]) {
	case 'K':
	case 'k':
		return !__builtin_mul_overflow(v, 1ull << 10, out);
	case 'M':
	case 'm':
		return !__builtin_mul_overflow(v, 1ull << 20, out);
	default:
		return false;
	}
}

static int bad_spec(struct ktdev_report *rep, const char *what)
{
	kt_device_say(rep, KTDEV_ERROR, "soft device: %s", what);
	return -EINVAL;
}

static int parse_option(struct soft_dev *d, const char *s, size_t len, struct ktdev_report *rep)
{
	uint64_t v;

	if (len > 6 && !strncmp(s, "cores=", 6)) {
		if (!parse_size(s + 6, len - 6, &v) || !v || v > MAX_CORES)
			return bad_spec(rep, "cores must be 1 to 16384");
		d->cores = (uint32_t)v;
		return 0;
	}
	if (len > 9 && !strncmp(s, "spm-size=", 9)) {
		if (!parse_size(s + 9, len - 9, &v) || v < MIN_SPM || v > MAX_SPM || (v & (v - 1)))
			return bad_spec(rep,
					"spm-size must be a power of two from 64K to 64M");
		d->spm = v;
		return 0;
	}
	return bad_spec(rep, "options are cores=N and spm-size=BYTES");
}

static int soft_open(const char *spec, struct ktdev_report *rep, void **out,
		     struct ktdev_device_info *info)
{
	struct soft_dev *d = calloc(1, sizeof(*d));
	const char *s = strchr(spec, ':');
	int ret = 0;

	if (!d)
		return -ENOMEM;
	d->cores = DEFAULT_CORES;
	d->spm = DEFAULT_SPM;
	while (s && !ret) {
		const char *end = strchr(++s, ',');

		ret = parse_option(d, s, end ? (size_t)(end - s) : strlen(s), rep);
		s = end;
	}
	if (ret) {
		free(d);
		return ret;
	}
	info->cores = d->cores;
	info->spm_bytes = d->spm;
	info->uncapped = true;
	*out = d;
	return 0;
}

static void soft_close(void *dev)
{
	free(dev);
}

/* --- a run ------------------------------------------------------------------------------- */

static void soft_release(void *dev, struct kt_run *run)
{
	struct soft_run *r = run->priv;
	uint32_t k;

	(void)dev;
	for (k = 0; k < r->n_steps; k++) {
		kte_prog_free(r->steps[k].prog);
		free(r->steps[k].scratch);
	}
	if (r->arena)
		munmap(r->arena, r->arena_bytes);
	free(r->steps);
	free(r->pads);
	free(r->ready);
	free(run->buf);
	free(r);
	run->buf = NULL;
	run->priv = NULL;
}

static int map_pads(struct soft_run *r, uint32_t n)
{
	size_t each = r->dev->spm + STAGGER;
	uint32_t i;

	r->pads = calloc(n, sizeof(*r->pads));
	r->ready = calloc(n, sizeof(*r->ready));
	if (!r->pads || !r->ready)
		return -ENOMEM;
	r->arena_bytes = each * n;
	r->arena = mmap(NULL, r->arena_bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (r->arena == MAP_FAILED) {
		r->arena = NULL;
		return -ENOMEM;
	}
	for (i = 0; i < n; i++)
		r->pads[i] = r->arena + i * each;
	return 0;
}

static int prepare_step(struct soft_run *r, struct soft_step *s, const struct kt_plan_step *ps,
			uint32_t n_tiles)
{
	struct kte_limits lim;
	size_t bytes;
	int ret;

	kte_limits_soft(&lim, n_tiles, r->window);
	ret = kte_prog_new(ps->image, ps->image_bytes, &lim, &kt_env, &s->prog, &r->fault);
	if (ret)
		return ret == -EINVAL ? -EIO : ret;
	ret = kte_prog_count(s->prog, r->run->map, r->run->map ? n_tiles : 0, r->dev->cores, NULL,
			     &s->counters);
	if (ret)
		return ret;
	bytes = (kte_prog_scratch_bytes(s->prog) + 63) & ~(size_t)63;
	s->scratch = aligned_alloc(64, bytes ? bytes : 64);
	return s->scratch ? 0 : -ENOMEM;
}

static int soft_prepare(void *dev, struct kt_run *run)
{
	struct soft_run *r = calloc(1, sizeof(*r));
	uint32_t k;
	int ret;

	if (!r)
		return -ENOMEM;
	r->dev = dev;
	r->run = run;
	r->window = r->dev->spm;
	run->priv = r;
	run->buf = calloc(1, run->buf_bytes ? run->buf_bytes : 1);
	r->steps = calloc(run->plan->n_steps + 1, sizeof(*r->steps));
	ret = run->buf && r->steps ? map_pads(r, run->n_tiles) : -ENOMEM;
	for (k = 0; k < run->plan->n_steps && !ret; k++) {
		r->n_steps++;
		ret = prepare_step(r, &r->steps[k], &run->plan->steps[k], run->n_tiles);
		r->fault_step = k;
	}
	if (ret == -EIO) {
		r->status = ret;	/* a fault like on a device: reported by result */
		return 0;
	}
	if (ret)
		soft_release(dev, run);
	return ret;
}

static void copy_rows(const struct kt_dma *d, uint8_t *pad, uint8_t *buf, bool in)
{
	uint32_t i;

	pad += d->pad;
	buf += d->buf;
	for (i = 0; i < d->rows; i++, pad += d->pad_stride, buf += d->buf_stride) {
		if (in)
			memcpy(pad, buf, d->row_bytes);
		else
			memcpy(buf, pad, d->row_bytes);
	}
}

static int run_step(struct soft_run *r, uint32_t step)
{
	struct soft_step *s = &r->steps[step];
	struct kte_run kr = {
		.pads = r->pads, .n_pads = r->run->n_tiles, .window = r->window,
		.scratch = s->scratch,
	};

	return kte_prog_run(s->prog, &kr);
}

/* Execute the commands and keep the clock, as the device model does. */
static void execute(struct soft_run *r)
{
	struct kte_clock clock = { .timing = &kte_timing_default, .ready = r->ready,
				   .n_tiles = r->run->n_tiles };
	uint32_t i;

	kte_clock_start(&clock);
	for (i = 0; i < r->run->n_cmds && !r->status; i++) {
		const struct kt_cmd *c = &r->run->cmds[i];

		switch (c->kind) {
		case KT_CMD_IN:
		case KT_CMD_OUT:
			copy_rows(&c->dma, r->pads[c->dma.tile], r->run->buf,
				  c->kind == KT_CMD_IN);
			kte_clock_dma(&clock, c->dma.tile, c->dma.rows * c->dma.row_bytes);
			break;
		case KT_CMD_SIGNAL:
			break;
		case KT_CMD_SHUFFLE:
			r->stall += kte_clock_shuffle(&clock, r->steps[c->step].prog,
						      r->steps[c->step].counters.cycles,
						      r->run->per_tile);
			r->status = run_step(r, c->step);
			r->fault_step = c->step;
			break;
		}
	}
}

static void announce(const struct kt_run *run)
{
	uint64_t one = 1;

	while (write(run->event, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static void *thread_main(void *arg)
{
	struct soft_run *r = arg;

	execute(r);
	announce(r->run);
	return NULL;
}

static int soft_start(void *dev, struct kt_run *run)
{
	struct soft_run *r = run->priv;

	(void)dev;
	if (!r->status && !pthread_create(&r->thread, NULL, thread_main, r)) {
		r->threaded = true;
		return 0;
	}
	execute(r);
	announce(run);
	return 0;
}

static int soft_wait(void *dev, struct kt_run *run, int timeout_ms)
{
	struct soft_run *r = run->priv;
	struct pollfd p = { .fd = run->event, .events = POLLIN };
	int n;

	(void)dev;
	do {
		n = poll(&p, 1, timeout_ms);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (!n)
		return -ETIME;
	if (r->threaded)
		pthread_join(r->thread, NULL);
	r->threaded = false;
	return 0;
}

static int soft_result(void *dev, struct kt_run *run, struct ktdev_result *res)
{
	struct soft_run *r = run->priv;
	uint32_t k;

	(void)dev;
	for (k = 0; k < r->n_steps; k++)
		kt_stats_add(&res->stats, &r->steps[k].counters);
	res->stats.stall_cycles = r->stall;
	if (!r->status)
		return 0;
	res->fault = kte_fault_name(r->fault.code);
	res->fault_step = r->fault_step;
	res->fault_entry = r->fault.entry;
	res->fault_tile = r->fault.tile;
	res->fault_address = r->fault.address;
	return -EIO;
}

const struct kt_backend_ops kt_backend_soft = {
	.name = "soft",
	.open = soft_open,
	.close = soft_close,
	.prepare = soft_prepare,
	.start = soft_start,
	.wait = soft_wait,
	.result = soft_result,
	.release = soft_release,
};
