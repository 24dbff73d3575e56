// SPDX-License-Identifier: MIT
/* Measuring the engine. */
#include "bench.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exec_prog.h"

#define N_PADS		32u
#define STAGGER		(4096u + 640u)	/* so that pads do not share cache sets */

/* A program with pads to run on, and what it is held against. */
struct setup {
	struct kte_prog *prog;
	struct kte_run run;
	uint8_t *pads[N_PADS];
	uint8_t *memory;
	uint8_t *flat;		/* two buffers for the plain memcpy */
	void *image;
	uint64_t image_bytes;
	struct kte_limits lim;
	size_t rows;
	size_t len;		/* of a run */
	size_t pitch;
	size_t bytes;
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

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static double time_calls(void (*fn)(void *ctx), void *ctx, unsigned int calls)
{
	double start = now();
	unsigned int i;

	for (i = 0; i < calls; i++)
		fn(ctx);
	return (now() - start) / calls;
}

/* Calls that take about a millisecond; also warms the caches. */
static unsigned int calls_for(void (*fn)(void *ctx), void *ctx)
{
	unsigned int calls = 1;

	fn(ctx);
	while (calls < 1u << 20 && time_calls(fn, ctx, calls) * calls < 5e-4)
		calls *= 2;
	return calls;
}

double ktdev_bench_time(void (*fn)(void *ctx), void *ctx)
{
	return time_calls(fn, ctx, calls_for(fn, ctx));
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void ktdev_bench_compare(struct ktdev_bench_line *line, void (*fn)(void *ctx),
			 void (*base)(void *ctx), void *ctx)
{
	double value[KTDEV_BENCH_ROUNDS], best = 1e9, best_base = 1e9, t, tb;
	unsigned int calls = calls_for(fn, ctx), base_calls = base ? calls_for(base, ctx) : 0, i;

	for (i = 0; i < KTDEV_BENCH_ROUNDS; i++) {
		tb = base ? time_calls(base, ctx, base_calls) : 1e-6;
		t = time_calls(fn, ctx, calls);
		value[i] = base ? tb / t : t * 1e6;
		best = t < best ? t : best;
		best_base = tb < best_base ? tb : best_base;
	}
	qsort(value, KTDEV_BENCH_ROUNDS, sizeof(value[0]), by_value);
	line->kind = base ? KTDEV_BENCH_RATIO : KTDEV_BENCH_US;
	line->best = base ? best_base / best : best * 1e6;
	line->median = value[KTDEV_BENCH_ROUNDS / 2];
}

const char *ktdev_bench_unit(enum ktdev_bench_kind kind)
{
	static const char *const unit[] = { "x", "us", "MB/s" };

	return unit[kind];
}

static void close_setup(struct setup *s)
{
	kte_prog_free(s->prog);
	free(s->image);
	free(s->memory);
	free(s->flat);
	free(s->run.scratch);
}

/* Compile @t to a program over pads of @window bytes, filled with small numbers. */
static int open_setup(struct setup *s, const struct kte_table *t, uint32_t n_pads,
		      uint64_t window)
{
	struct kte_reject why;
	struct kte_fault fault;
	uint32_t i;
	int err;

	kte_limits_soft(&s->lim, n_pads, window);
	err = kte_table_compile(t, &s->lim, &env, &s->image, &s->image_bytes, &why);
	if (!err)
		err = kte_prog_new(s->image, s->image_bytes, &s->lim, &env, &s->prog, &fault);
	if (err)
		return err;
	s->memory = malloc(n_pads * (window + STAGGER) + 4096);
	s->run.scratch = aligned_alloc(64, kte_prog_scratch_bytes(s->prog));
	if (!s->memory || !s->run.scratch)
		return -ENOMEM;
	/* 0x3c3c: about 1 in every float type. */
	memset(s->memory, 0x3c, n_pads * (window + STAGGER) + 4096);
	for (i = 0; i < n_pads; i++)
		s->pads[i] = s->memory + (4096 - (uintptr_t)s->memory % 4096) +
			     i * (window + STAGGER);
	s->run.pads = s->pads;
	s->run.n_pads = n_pads;
	s->run.window = window;
	return 0;
}

static void run_program(void *ctx)
{
	struct setup *s = ctx;

	kte_prog_run(s->prog, &s->run);
}

static void run_loop(void *ctx)
{
	struct setup *s = ctx;
	const uint8_t *from = s->pads[0];
	uint8_t *to = s->pads[1];
	size_t i;

	for (i = 0; i < s->rows; i++)
		memcpy(to + i * s->len, from + i * s->pitch, s->len);
	__asm__ volatile("" : : "r"(to) : "memory");
}

static void run_flat(void *ctx)
{
	struct setup *s = ctx;

	memcpy(s->flat + s->bytes, s->flat, s->bytes);
	__asm__ volatile("" : : "r"(s->flat) : "memory");
}

static void run_prepare(void *ctx)
{
	struct setup *s = ctx;
	struct kte_fault fault;
	struct kte_prog *prog;

	if (!kte_prog_new(s->image, s->image_bytes, &s->lim, &env, &prog, &fault))
		kte_prog_free(prog);
}

static int flat_buffers(struct setup *s, size_t bytes)
{
	s->bytes = bytes;
	s->flat = malloc(2 * bytes);
	if (!s->flat)
		return -ENOMEM;
	memset(s->flat, 1, 2 * bytes);
	return 0;
}

/* Every second run of a tile's rows, packed on another tile. */
static int bench_copy(struct ktdev_bench_line *line, size_t run, size_t bytes)
{
	struct setup s = { .rows = bytes / run, .len = run, .pitch = 2 * run };
	struct kte_space space = { .rank = 2, .roles = 1, .elem_bytes = { 1 },
				   .extent = { bytes / run, run } };
	struct kte_entry e[2] = {
		{ .size = { s.rows, run }, .stride = { { s.pitch, 1 } } },
		{ .tile = 1, .size = { s.rows, run }, .stride = { { run, 1 } } },
	};
	struct kte_table t = { .spaces = &space, .sources = &e[0], .dests = &e[1],
			       .n_spaces = 1, .n_sources = 1, .n_dests = 1 };
	bool small = run < 64;
	int err = open_setup(&s, &t, 2, 2 * bytes);

	if (!err)
		err = flat_buffers(&s, bytes);
	snprintf(line->name, sizeof(line->name), "copy.run%u.%u%s", (unsigned int)run,
		 (unsigned int)(bytes >> (bytes < 1 << 20 ? 10 : 20)), bytes < 1 << 20 ?
		 "KiB" : "MiB");
	line->against = small ? "memcpy" : "loop of memcpy(run)";
	line->set = bytes < 1 << 20 ? "192 KiB" : "48 MiB";
	line->want = small ? 0.6 : run < 4096 ? 0.85 : 0.9;
	if (!err)
		ktdev_bench_compare(line, run_program, small ? run_flat : run_loop, &s);
	close_setup(&s);
	return err;
}

#define FOLD_BYTES	(64u << 10)

static int bench_fold(struct ktdev_bench_line *line, const char *name, uint32_t dtype,
		      double want, enum kte_isa isa)
{
	struct setup s = { 0 };
	struct kte_space space = { .rank = 1, .op = KTE_OP_ADD, .roles = 1, .dtype = { dtype } };
	struct kte_entry e[N_PADS + 1] = { 0 };
	struct kte_table t = { .spaces = &space, .sources = e, .dests = &e[N_PADS],
			       .n_spaces = 1, .n_sources = N_PADS, .n_dests = 1 };
	uint32_t i, elem = kte_dtype_bytes(dtype);
	int err;

	space.elem_bytes[0] = elem;
	space.extent[0] = FOLD_BYTES / elem;
	for (i = 0; i <= N_PADS; i++) {
		e[i].tile = i % N_PADS;
		e[i].size[0] = FOLD_BYTES / elem;
		e[i].stride[0][0] = elem;
	}
	e[N_PADS].offset[0] = FOLD_BYTES;
	err = open_setup(&s, &t, N_PADS, 2 * FOLD_BYTES);
	if (!err)
		err = flat_buffers(&s, N_PADS * FOLD_BYTES);
	snprintf(line->name, sizeof(line->name), "fold.%s", name);
	line->against = "memcpy";
	line->set = "2 MiB + 64 KiB";
	line->want = want;
	if (!err && kte_prog_set_isa(s.prog, isa))
		ktdev_bench_compare(line, run_program, run_flat, &s);
	close_setup(&s);
	return err;
}

/* All-gather: every one of 32 tiles ends with the pieces of all. */
static int bench_prepare(struct ktdev_bench_line *line, bool all_to_all)
{
	struct setup s = { 0 };
	struct kte_space space = { .rank = 2, .roles = 1, .elem_bytes = { 2 },
				   .extent = { 512, 4096 } };
	struct kte_entry e[2 * N_PADS] = { 0 };
	struct kte_table t = { .spaces = &space, .sources = e, .dests = &e[N_PADS],
			       .n_spaces = 1, .n_sources = N_PADS, .n_dests = N_PADS };
	uint32_t i;
	int err;

	for (i = 0; i < 2 * N_PADS; i++) {
		bool cut = i >= N_PADS && all_to_all;

		e[i].tile = i % N_PADS;
		e[i].size[0] = i < N_PADS ? 16 : 512;
		e[i].size[1] = cut ? 128 : 4096;
		e[i].start[0] = i < N_PADS ? i * 16 : 0;
		e[i].start[1] = cut ? (i - N_PADS) * 128 : 0;
		e[i].stride[0][0] = e[i].size[1] * 2;
		e[i].stride[0][1] = 2;
		e[i].offset[0] = i < N_PADS ? 0 : 16 * 4096 * 2;
	}
	err = open_setup(&s, &t, N_PADS, 5 << 20);
	snprintf(line->name, sizeof(line->name), "prepare.us.32%s",
		 all_to_all ? ".all_to_all" : "");
	line->against = "";
	line->set = all_to_all ? "32 classes, 1024 transfers" : "1 class, 1024 transfers";
	line->want = 100;
	if (!err)
		ktdev_bench_compare(line, run_prepare, NULL, &s);
	close_setup(&s);
	return err;
}

int ktdev_bench_engine(struct ktdev_bench_line *lines, size_t max)
{
	static const struct {
		size_t run, bytes;
	} copies[] = {
		{ 128, 64 << 10 }, { 128, 16 << 20 }, { 4096, 64 << 10 }, { 4096, 16 << 20 },
		{ 16, 64 << 10 }, { 2, 16 << 10 }, { 48, 48 << 10 },
	};
	static const struct {
		const char *name;
		uint32_t dtype;
		double want;
		bool portable;
	} folds[] = {
		{ "f16", KTE_DT_F16, 1.3, false }, { "f16.portable", KTE_DT_F16, 0.18, true },
		{ "i8", KTE_DT_I8, 1.7, false }, { "i32", KTE_DT_I32, 1.7, false },
		{ "i64", KTE_DT_I64, 1.7, false }, { "f32", KTE_DT_F32, 1.7, false },
	};
	size_t i, n = 0;
	int err = 0;

	if (max < KTDEV_BENCH_ENGINE_LINES)
		return -EINVAL;
	memset(lines, 0, KTDEV_BENCH_ENGINE_LINES * sizeof(*lines));
	for (i = 0; i < sizeof(copies) / sizeof(copies[0]) && !err; i++)
		err = bench_copy(&lines[n++], copies[i].run, copies[i].bytes);
	for (i = 0; i < sizeof(folds) / sizeof(folds[0]) && !err; i++)
		err = bench_fold(&lines[n++], folds[i].name, folds[i].dtype, folds[i].want,
				 folds[i].portable ? KTE_ISA_GENERIC : kte_isa_best());
	for (i = 0; i < 2 && !err; i++)
		err = bench_prepare(&lines[n++], i);
	return err ? err : (int)n;
}
