// SPDX-License-Identifier: MIT
/*
 * Engine figures: copies, folds, preparation (lib/bench.c), then the data of the
 * relayout geometries in tests/data/relayouts moved by one thread and by two,
 * against one memcpy of the bytes delivered. Best and median of several rounds.
 *
 * Usage: bench_engine [DIRECTORY]
 */
#include <errno.h>
#include <glob.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "bench.h"
#include "exec_prog.h"

#define N_PADS		32u
#define WINDOW		(4u << 20)
#ifndef STAGGER
#define STAGGER		(4096u + 640u)
#endif
#define ROUNDS		11
#define MAX_ENTRIES	4096u

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

struct geometry {
	char name[32];
	struct kte_space space;
	struct kte_entry *sources;
	struct kte_entry *dests;
	uint32_t n_sources;
	uint32_t n_dests;
	uint64_t used[N_PADS];
	uint64_t delivered;
	struct kte_prog *prog;
	struct kte_run run;
	struct kte_run run2;
};

static uint8_t *pads[N_PADS], *flat;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static void die(const char *what, const char *name)
{
	fprintf(stderr, "bench_engine: %s: %s\n", name, what);
	exit(1);
}

/* A piece on a tile: dense, row major in the order of the axes. */
static void add_entry(struct geometry *g, struct kte_entry *list, uint32_t *n, json_t *piece,
		      json_t *axes, uint32_t tile)
{
	struct kte_entry *e = &list[(*n)++];
	uint64_t step = g->space.elem_bytes[0];
	uint32_t a;

	if (*n > MAX_ENTRIES || tile >= N_PADS)
		die("too many pieces or tiles", g->name);
	for (a = 0; a < g->space.rank; a++) {
		const char *axis = json_string_value(json_object_get(json_array_get(axes, a),
								     "name"));

		e->start[a] = json_integer_value(json_object_get(json_object_get(piece, "start"),
								 axis));
		e->size[a] = json_integer_value(json_object_get(json_object_get(piece, "size"),
								axis));
	}
	for (a = g->space.rank; a-- > 0; step *= e->size[a])
		e->stride[0][a] = step;
	e->tile = tile;
	e->offset[0] = g->used[tile];
	g->used[tile] = (g->used[tile] + step + 127) & ~127ull;
	if (g->used[tile] > WINDOW)
		die("does not fit the window", g->name);
}

static void read_geometry(struct geometry *g, const char *path)
{
	json_t *root = json_load_file(path, 0, NULL), *axes = json_object_get(root, "axes");
	json_t *piece, *owner;
	size_t i, k;

	if (!root)
		die("cannot read", path);
	snprintf(g->name, sizeof(g->name), "%s", json_string_value(json_object_get(root, "name")));
	g->space.rank = json_array_size(axes);
	g->space.roles = 1;
	g->space.elem_bytes[0] = 2;
	for (i = 0; i < g->space.rank; i++)
		g->space.extent[i] = json_integer_value(json_object_get(json_array_get(axes, i),
									"extent"));
	g->sources = calloc(MAX_ENTRIES, sizeof(*g->sources));
	g->dests = calloc(MAX_ENTRIES, sizeof(*g->dests));
	if (!g->sources || !g->dests)
		die("no memory", path);
	json_array_foreach(json_object_get(json_object_get(root, "source"), "pieces"), i, piece)
		add_entry(g, g->sources, &g->n_sources, piece, axes,
			  json_integer_value(json_array_get(json_object_get(piece, "owners"), 0)));
	json_array_foreach(json_object_get(json_object_get(root, "destination"), "pieces"), i,
			   piece) {
		json_array_foreach(json_object_get(piece, "owners"), k, owner)
			add_entry(g, g->dests, &g->n_dests, piece, axes,
				  json_integer_value(owner));
	}
	json_decref(root);
}

/* Global index of element @i of an entry, and its byte. */
static uint64_t element(const struct geometry *g, const struct kte_entry *e, uint64_t i,
			uint8_t **at)
{
	uint64_t index = 0, scale = 1, off = 0, k;
	uint32_t a;

	for (a = g->space.rank; a-- > 0; scale *= g->space.extent[a]) {
		k = i % e->size[a];
		i /= e->size[a];
		index += (e->start[a] + k) * scale;
		off += k * e->stride[0][a];
	}
	*at = pads[e->tile] + e->offset[0] + off;
	return index;
}

/* Fill the sources with the hash of each element's index; or count wrong ones. */
static uint64_t visit(const struct geometry *g, const struct kte_entry *list, uint32_t n,
		      bool fill)
{
	uint64_t i, volume, wrong = 0;
	uint16_t value;
	uint8_t *at;
	uint32_t k;

	for (k = 0; k < n; k++) {
		volume = kte_entry_volume(&list[k], g->space.rank);
		for (i = 0; i < volume; i++) {
			value = element(g, &list[k], i, &at) * 0x9e3779b1u >> 13;
			if (fill)
				memcpy(at, &value, 2);
			else
				wrong += memcmp(at, &value, 2) != 0;
		}
	}
	return wrong;
}

static void prepare(struct geometry *g)
{
	struct kte_table t = { .spaces = &g->space, .sources = g->sources, .dests = g->dests,
			       .n_spaces = 1, .n_sources = g->n_sources, .n_dests = g->n_dests };
	struct kte_limits lim;
	struct kte_reject why;
	struct kte_fault fault;
	uint64_t bytes;
	void *image;
	uint32_t i;

	kte_limits_soft(&lim, N_PADS, WINDOW);
	if (kte_table_compile(&t, &lim, &env, &image, &bytes, &why))
		die(kte_reason_text(why.reason), g->name);
	if (kte_prog_new(image, bytes, &lim, &env, &g->prog, &fault))
		die(kte_fault_name(fault.code), g->name);
	free(image);
	for (i = 0; i < g->n_dests; i++)
		g->delivered += kte_entry_volume(&g->dests[i], g->space.rank) * 2;
	g->run = (struct kte_run){ .pads = pads, .n_pads = N_PADS, .window = WINDOW };
	g->run2 = g->run;
	g->run.scratch = aligned_alloc(64, kte_prog_scratch_bytes(g->prog));
	g->run2.scratch = aligned_alloc(64, kte_prog_scratch_bytes(g->prog));
	for (i = 0; i < N_PADS; i++)
		memset(pads[i], 0, g->used[i]);
	visit(g, g->sources, g->n_sources, true);
	if (kte_prog_run(g->prog, &g->run) || visit(g, g->dests, g->n_dests, false))
		die("wrong bytes", g->name);
}

static void move_one(void *ctx)
{
	struct geometry *g = ctx;

	kte_prog_run(g->prog, &g->run);
}

static void copy_flat(void *ctx)
{
	struct geometry *g = ctx;

	memcpy(flat + (32u << 20) + 4096 + 256, flat, g->delivered);
	__asm__ volatile("" : : "r"(flat) : "memory");
}

/* The second thread: waits for a round number, runs part 1, reports. */
static _Atomic(struct geometry *) job;
static atomic_uint started, finished;

static void *second(void *arg)
{
	unsigned int seen = 0, round;
	struct geometry *g;

	for (;;) {
		while ((round = atomic_load_explicit(&started, memory_order_acquire)) == seen)
			__builtin_ia32_pause();
		seen = round;
		g = atomic_load(&job);
		if (!g)
			return arg;
		kte_prog_run_part(g->prog, &g->run2, 0, 1, 2);
		atomic_store_explicit(&finished, round, memory_order_release);
	}
}

static void move_two(void *ctx)
{
	unsigned int round = atomic_load(&started) + 1;
	struct geometry *g = ctx;

	atomic_store(&job, g);
	atomic_store_explicit(&started, round, memory_order_release);
	kte_prog_run_part(g->prog, &g->run, 0, 0, 2);
	while (atomic_load_explicit(&finished, memory_order_acquire) != round)
		__builtin_ia32_pause();
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double time_of(void (*fn)(void *), void *ctx, unsigned int calls)
{
	double start = now();
	unsigned int i;

	for (i = 0; i < calls; i++)
		fn(ctx);
	return (now() - start) / calls;
}

struct times {
	double best;
	double median;
};

/* The candidates in turn, ROUNDS times. */
static void measure(struct geometry *g, void (*const *fn)(void *), unsigned int n,
		    struct times *out)
{
	unsigned int calls = 2e6 / (100 + g->delivered / 16) + 1, r, k;
	double t[3][ROUNDS];

	for (r = 0; r < ROUNDS; r++)
		for (k = 0; k < n; k++) {
			fn[k](g);	/* warm */
			t[k][r] = time_of(fn[k], g, calls);
		}
	for (k = 0; k < n; k++) {
		qsort(t[k], ROUNDS, sizeof(double), by_value);
		out[k] = (struct times){ t[k][0], t[k][ROUNDS / 2] };
	}
}

static void bench_geometries(const char *dir)
{
	static void (*const fn[])(void *) = { copy_flat, move_one, move_two };
	double sum[3] = { 0 }, sum_median[3] = { 0 }, logs = 0, worst = 1e9;
	struct times t[3];
	char pattern[4096];
	pthread_t thread;
	glob_t files;
	size_t i, k;

	snprintf(pattern, sizeof(pattern), "%s/*.json", dir);
	if (glob(pattern, 0, NULL, &files) || !files.gl_pathc)
		die("no geometries", dir);
	printf("\n%-8s %10s %10s %10s %10s %8s %8s %8s\n", "geometry", "bytes", "memcpy us",
	       "one us", "two us", "best", "median", "2 thr");
	for (i = 0; i < files.gl_pathc; i++) {
		struct geometry g = { 0 };

		read_geometry(&g, files.gl_pathv[i]);
		prepare(&g);
		measure(&g, fn, 2, t);
		/* Only now: a waiting thread would disturb the others. */
		pthread_create(&thread, NULL, second, NULL);
		measure(&g, fn + 2, 1, t + 2);
		atomic_store(&job, NULL);
		atomic_fetch_add(&started, 1);
		pthread_join(thread, NULL);
		atomic_store(&started, 0);
		for (k = 0; k < 3; k++) {
			sum[k] += t[k].best;
			sum_median[k] += t[k].median;
		}
		logs += log(t[0].best / t[1].best);
		if (g.delivered > 2048 && t[0].best / t[1].best < worst)
			worst = t[0].best / t[1].best;
		printf("%-8s %10llu %10.3f %10.3f %10.3f %8.2f %8.2f %8.2f\n", g.name,
		       (unsigned long long)g.delivered, t[0].best * 1e6, t[1].best * 1e6,
		       t[2].best * 1e6, t[0].best / t[1].best, t[0].median / t[1].median,
		       t[1].best / t[2].best);
		kte_prog_free(g.prog);
		free(g.run.scratch);
		free(g.run2.scratch);
		free(g.sources);
		free(g.dests);
	}
	printf("%-32s %7.2f x  (median %.2f, want 1.70)\n", "relayout.total", sum[0] / sum[1],
	       sum_median[0] / sum_median[1]);
	printf("%-32s %7.2f x  (want 1.00)\n", "relayout.geomean", exp(logs / files.gl_pathc));
	printf("%-32s %7.2f x  (want 0.70)\n", "relayout.worst above 2 KiB", worst);
	printf("%-32s %7.2f x  (median %.2f, want 1.25)\n", "relayout.two threads",
	       sum[1] / sum[2], sum_median[1] / sum_median[2]);
	globfree(&files);
}

int main(int argc, char **argv)
{
	struct ktdev_bench_line line[KTDEV_BENCH_ENGINE_LINES];
	size_t bytes = N_PADS * (size_t)(WINDOW + STAGGER) + (72u << 20);
	uint8_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			       -1, 0);
	uint32_t i;
	int n, k;

	if (memory == MAP_FAILED)
		die("no memory", "pads");
	madvise(memory, bytes, MADV_HUGEPAGE);
	for (i = 0; i < N_PADS; i++)
		pads[i] = memory + i * (size_t)(WINDOW + STAGGER);
	flat = memory + N_PADS * (size_t)(WINDOW + STAGGER);
	memset(flat, 1, 72u << 20);
	n = argc > 2 ? 0 : ktdev_bench_engine(line, KTDEV_BENCH_ENGINE_LINES);
	if (n < 0)
		die(strerror(-n), "engine");
	for (k = 0; k < n; k++)
		printf("%-28s %9.2f %-4s  median %9.2f  want %5.2f  against %s, %s\n",
		       line[k].name, line[k].best, ktdev_bench_unit(line[k].kind),
		       line[k].median, line[k].want,
		       line[k].against[0] ? line[k].against : "-", line[k].set);
	bench_geometries(argc > 1 ? argv[1] : "tests/data/relayouts");
	return 0;
}
