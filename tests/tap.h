/* SPDX-License-Identifier: MIT */
/*
 * TAP output for the C tests. One program is one test file:
 *
 *	plan(3);			optional; without it done_testing() prints the plan
 *	ok(x == 1, "x is %d", x);	both return the condition
 *	is_u64(got, want, "bytes");
 *	is_str(got, want, "name");
 *	return done_testing();		0 if all passed and the plan was met
 *
 * Checks that run thousands of times belong into one ok(): count the failures,
 * print the first ones with diag().
 */
#ifndef TAP_H
#define TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAP_UNUSED __attribute__((unused))
#define TAP_PRINTF(fmt, args) __attribute__((unused, format(printf, fmt, args)))

static struct {
	unsigned int planned;
	unsigned int run;
	unsigned int failed;
} tap;

/* How many rounds of a random test: fewer where every round is slow (KT_TEST_SMALL is set
 * for runs under sanitizers and valgrind). */
static TAP_UNUSED unsigned int tap_rounds(unsigned int n)
{
	return getenv("KT_TEST_SMALL") ? (n + 9) / 10 : n;
}

/* Announce the number of checks. */
static TAP_UNUSED void plan(unsigned int n)
{
	tap.planned = n;
	printf("1..%u\n", n);
	fflush(stdout);
}

/* A comment line. */
static TAP_PRINTF(1, 2) void diag(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("# ");
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
	fflush(stdout);
}

static bool tap_vok(bool cond, const char *file, int line, const char *fmt, va_list args)
{
	tap.run++;
	printf("%sok %u - ", cond ? "" : "not ", tap.run);
	vprintf(fmt, args);
	printf("\n");
	if (!cond) {
		tap.failed++;
		printf("# failed at %s:%d\n", file, line);
	}
	fflush(stdout);
	return cond;
}

static TAP_PRINTF(4, 5) bool tap_ok(bool cond, const char *file, int line, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	tap_vok(cond, file, line, fmt, args);
	va_end(args);
	return cond;
}

static TAP_PRINTF(5, 6) bool tap_u64(uint64_t got, uint64_t want, const char *file, int line,
				    const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	tap_vok(got == want, file, line, fmt, args);
	va_end(args);
	if (got != want)
		diag("got %" PRIu64 " (0x%" PRIx64 "), want %" PRIu64 " (0x%" PRIx64 ")",
		     got, got, want, want);
	return got == want;
}

static TAP_PRINTF(5, 6) bool tap_str(const char *got, const char *want, const char *file,
				    int line, const char *fmt, ...)
{
	bool same = got && want ? !strcmp(got, want) : got == want;
	va_list args;

	va_start(args, fmt);
	tap_vok(same, file, line, fmt, args);
	va_end(args);
	if (!same)
		diag("got \"%s\", want \"%s\"", got ? got : "(null)", want ? want : "(null)");
	return same;
}

/* ok(cond, fmt, ...), is_u64(got, want, fmt, ...), is_str(got, want, fmt, ...) */
#define ok(cond, ...)		tap_ok(!!(cond), __FILE__, __LINE__, __VA_ARGS__)
#define is_u64(got, want, ...)	tap_u64((got), (want), __FILE__, __LINE__, __VA_ARGS__)
#define is_str(got, want, ...)	tap_str((got), (want), __FILE__, __LINE__, __VA_ARGS__)
#define pass(...)		tap_ok(true, __FILE__, __LINE__, __VA_ARGS__)
#define fail(...)		tap_ok(false, __FILE__, __LINE__, __VA_ARGS__)

/* Stop the whole test file: what follows could not run. */
static TAP_PRINTF(1, 2) void bail_out(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("Bail out! ");
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
	exit(255);
}

/* Print the plan if plan() did not; returns the exit status. */
static TAP_UNUSED int done_testing(void)
{
	if (!tap.planned)
		printf("1..%u\n", tap.run);
	else if (tap.planned != tap.run)
		diag("planned %u checks, ran %u", tap.planned, tap.run);
	if (tap.failed)
		diag("%u of %u checks failed", tap.failed, tap.run);
	fflush(stdout);
	return tap.failed || !tap.run || (tap.planned && tap.planned != tap.run);
}

#endif /* TAP_H */
