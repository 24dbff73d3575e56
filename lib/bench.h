/* SPDX-License-Identifier: MIT */
/*
 * Measuring the engine: what `ktctl bench` and tests/bench/bench_engine print.
 * Ratios are taken within one process: both sides run in turn, warm, and each
 * round gives one ratio.
 */
#ifndef KTDEV_BENCH_H
#define KTDEV_BENCH_H

#include <stddef.h>
#include <stdint.h>

enum ktdev_bench_kind {
	KTDEV_BENCH_RATIO,	/* time of what it is held against / time of the engine */
	KTDEV_BENCH_US,		/* microseconds */
	KTDEV_BENCH_MB_S,	/* 10^6 bytes per second */
};

/**
 * struct ktdev_bench_line - one figure
 * @name:	such as "copy.run128.64KiB"
 * @kind:	what @best and @median are
 * @against:	what a ratio compares with; "" for other kinds
 * @set:	working set, in words
 * @best:	ratio of the shortest times, or the best time or rate
 * @median:	median over the rounds
 * @want:	the figure the engine is built to reach; 0: none
 */
struct ktdev_bench_line {
	char name[40];
	enum ktdev_bench_kind kind;
	const char *against;
	const char *set;
	double best;
	double median;
	double want;
};

#define KTDEV_BENCH_ENGINE_LINES	16

/**
 * ktdev_bench_engine - measure copies, folds and preparation
 * @lines:	filled in a fixed order
 * @max:	room in @lines; KTDEV_BENCH_ENGINE_LINES is enough
 *
 * Takes about two seconds and 130 MB. Figures that need an instruction set this
 * machine lacks are left out.
 *
 * Return: number of lines, or a negative errno.
 */
int ktdev_bench_engine(struct ktdev_bench_line *lines, size_t max);

#define KTDEV_BENCH_ROUNDS	31

/* Time of one call in seconds: enough calls to fill a millisecond. */
double ktdev_bench_time(void (*fn)(void *ctx), void *ctx);

/* Both in turn, KTDEV_BENCH_ROUNDS times; @base NULL: microseconds of @fn alone. */
void ktdev_bench_compare(struct ktdev_bench_line *line, void (*fn)(void *ctx),
			 void (*base)(void *ctx), void *ctx);

const char *ktdev_bench_unit(enum ktdev_bench_kind kind);	/* "x", "us", "MB/s" */

#endif /* KTDEV_BENCH_H */
