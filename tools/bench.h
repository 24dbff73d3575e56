/* SPDX-License-Identifier: MIT */
/* The figures of ktctl bench beyond the engine's own. */
#ifndef KTCTL_BENCH_H
#define KTCTL_BENCH_H

#include "ctl.h"
#include "lib/bench.h"

#define CTL_BENCH_LINES	64

struct ctl_bench {
	struct ctl *c;
	const char *only;	/* names that start so; NULL: all */
	struct ktdev_bench_line line[CTL_BENCH_LINES];
	size_t n;
};

bool ctl_bench_wanted(const struct ctl_bench *b, const char *name);
/* May a figure whose name starts with @prefix be wanted? */
bool ctl_bench_group(const struct ctl_bench *b, const char *prefix);
struct ktdev_bench_line *ctl_bench_line(struct ctl_bench *b, const char *name,
					enum ktdev_bench_kind kind, const char *against,
					const char *set, double want);

/* A gather in groups of four tiles from every second of them; free() it. */
char *ctl_bench_program(unsigned int tiles);
/* r1.us.4096; derive.us.*. CTL_OK, or the exit with the error said. */
int ctl_bench_r1(struct ctl_bench *b);
int ctl_bench_derive(struct ctl_bench *b);
/* verify.us.*, read.mb_s. CTL_OK, or the exit with the error said. */
int ctl_bench_text(struct ctl_bench *b);
/* relayouts.*: move the data of every geometry in @dir. */
int ctl_bench_relayouts(struct ctl_bench *b, const char *dir);

#endif /* KTCTL_BENCH_H */
