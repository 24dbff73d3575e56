// SPDX-License-Identifier: MIT
/*
 * Moving the data of relayouts, against one memcpy of the bytes delivered. The images are
 * those of the plans; they run on the engine directly, so that nothing but the movement counts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "batch.h"
#include "bench.h"
#include "engine/kte_exec.h"

#define STAGGER		(4096u + 640u)	/* so that pads do not share cache sets */
#define SMALL		2048		/* bytes; below, the ratio says little */

struct geometry {
	struct kte_prog *prog[16];
	unsigned int n;
	struct kte_run run;
	uint8_t **pads;
	uint8_t *memory, *flat;
	size_t mapped, bytes;
};

struct sums {
	double move, flat, logs, worst, move_median, flat_median;
	unsigned int n;
};

static void *env_alloc(void *ctx, size_t bytes)
{
	(void)ctx;
	return calloc(1, bytes);
}

static void env_free(void *ctx, void *p)
{
	(void)ctx;
	free(p);
}

static const struct kte_env env = { .alloc = env_alloc, .free = env_free };

static void move(void *ctx)
{
	struct geometry *g = ctx;

	for (unsigned int i = 0; i < g->n; i++)
		kte_prog_run(g->prog[i], &g->run);
}

static void flat_copy(void *ctx)
{
	struct geometry *g = ctx;

	memcpy(g->flat + g->bytes, g->flat, g->bytes);
	__asm__ volatile("" : : "r"(g->flat) : "memory");
}

static void geometry_free(struct geometry *g)
{
	for (unsigned int i = 0; i < g->n; i++)
		kte_prog_free(g->prog[i]);
	if (g->memory)
		munmap(g->memory, g->mapped);
	if (g->flat)
		munmap(g->flat, 2 * g->bytes);
	free(g->run.scratch);
	free(g->pads);
}

static uint8_t *map(size_t bytes)
{
	uint8_t *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	memset(p, 1, bytes);
	return p;
}

/* Prepare the images of a plan and the pads they run on. 0 or -errno. */
static int geometry_init(struct geometry *g, const struct ktdev_plan *plan)
{
	struct ktdev_plan_info info;
	struct ktdev_step_info step;
	struct kte_limits lim;
	struct ktdev_stats stats;
	struct kte_fault fault;
	size_t scratch = 64;
	int err = ktdev_plan_stats(plan, NULL, &stats);

	ktdev_plan_info(plan, &info);
	kte_limits_soft(&lim, info.tiles, info.window);
	g->bytes = stats.bytes_delivered ? stats.bytes_delivered : 1;
	for (uint32_t i = 0; !err && i < info.steps; i++) {
		if (g->n == CTL_ARRAY_SIZE(g->prog))
			return -E2BIG;
		err = ktdev_plan_step(plan, i, &step);
		if (!err)
			err = kte_prog_new(step.image, step.image_bytes, &lim, &env, &g->prog[g->n],
					   &fault);
		if (err)
			break;
		if (kte_prog_scratch_bytes(g->prog[g->n]) > scratch)
			scratch = kte_prog_scratch_bytes(g->prog[g->n]);
		g->n++;
	}
	if (err)
		return err;
	g->pads = calloc(info.tiles, sizeof(*g->pads));
	g->mapped = info.tiles * (info.window + STAGGER);
	g->memory = map(g->mapped);
	g->flat = map(2 * g->bytes);
	g->run.scratch = aligned_alloc(64, (scratch + 63) / 64 * 64);
	if (!g->pads || !g->memory || !g->flat || !g->run.scratch)
		return -ENOMEM;
	for (uint32_t t = 0; t < info.tiles; t++)
		g->pads[t] = g->memory + t * (info.window + STAGGER);
	g->run.pads = g->pads;
	g->run.n_pads = info.tiles;
	g->run.window = info.window;
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Both in turn; best and median of each in seconds. */
static void measure(struct geometry *g, double *m, double *f)
{
	unsigned int rounds = g->bytes > (64u << 20) ? 3 : g->bytes > (4u << 20) ? 7 : 15;
	double move_t[16] = { 0 }, flat_t[16] = { 0 };

	move(g);
	flat_copy(g);
	for (unsigned int r = 0; r < rounds; r++) {
		move_t[r] = ktdev_bench_time(move, g);
		flat_t[r] = ktdev_bench_time(flat_copy, g);
	}
	qsort(move_t, rounds, sizeof(double), by_value);
	qsort(flat_t, rounds, sizeof(double), by_value);
	m[0] = move_t[0];
	m[1] = move_t[rounds / 2];
	f[0] = flat_t[0];
	f[1] = flat_t[rounds / 2];
}

static int bench_one(struct ctl_bench *b, const struct ctl_geometry *geo, struct sums *s)
{
	struct ktdev_compile_opts opts = { .size = sizeof(opts), .uncapped = true };
	struct ktdev_plan *plan = NULL;
	struct geometry g = { .n = 0 };
	double m[2], f[2], ratio;
	int err = ktdev_plan_from_relayout(geo->rel, KTDEV_ELECT_LOWEST, &opts, geo->rep, &plan);

	if (!err)
		err = geometry_init(&g, plan);
	if (err) {
		geometry_free(&g);
		ktdev_plan_free(plan);
		return ctl_fail_report(b->c, CTL_INPUT, geo->rep, "%s: %s", geo->path,
				       strerror(-err));
	}
	measure(&g, m, f);
	ratio = f[0] / m[0];
	s->move += m[0];
	s->flat += f[0];
	s->move_median += m[1];
	s->flat_median += f[1];
	s->logs += log(ratio);
	s->n++;
	if (g.bytes > SMALL && ratio < s->worst)
		s->worst = ratio;
	geometry_free(&g);
	ktdev_plan_free(plan);
	return CTL_OK;
}

int ctl_bench_relayouts(struct ctl_bench *b, const char *dir)
{
	static const char against[] = "memcpy of the bytes delivered";
	struct ctl_batch batch = { .c = b->c, .elect = KTDEV_ELECT_LOWEST };
	struct sums s = { .worst = 1e9 };
	struct ktdev_bench_line *line;
	int ret;

	if (!ctl_bench_group(b, "relayouts."))
		return CTL_OK;
	ret = ctl_batch_add(&batch, dir);
	for (size_t i = 0; !ret && i < batch.n; i++) {
		ctl_progress(b->c, "relayouts: %zu of %zu, %s", i + 1, batch.n, batch.geo[i].base);
		if (batch.geo[i].rel)
			ret = bench_one(b, &batch.geo[i], &s);
	}
	if (!ret && !s.n)
		ret = ctl_fail(b->c, CTL_INPUT, "%s: no relayouts", dir);
	if (!ret) {
		line = ctl_bench_line(b, "relayouts.total", KTDEV_BENCH_RATIO, against, "all files",
				      1.7);
		line->best = s.flat / s.move;
		line->median = s.flat_median / s.move_median;
		line = ctl_bench_line(b, "relayouts.geomean", KTDEV_BENCH_RATIO, against,
				      "all files", 1);
		line->best = exp(s.logs / s.n);
		line->median = line->best;
		line = ctl_bench_line(b, "relayouts.min", KTDEV_BENCH_RATIO, against,
				      "files over 2 KiB", 0.7);
		line->best = s.worst;
		line->median = s.worst;
	}
	ctl_batch_free(&batch);
	return ret;
}
