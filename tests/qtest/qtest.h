/* SPDX-License-Identifier: MIT */
/*
 * A small client of QEMU's qtest protocol and of its monitor: starts a machine without
 * processors running, reads and writes guest memory, ports and the machine's properties.
 * Whatever fails on the way to the machine ends the test file with "Bail out!".
 */
#ifndef QTEST_H
#define QTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct qtest;

/**
 * qtest_start - start QEMU
 * @args:	more arguments, NULL-terminated
 *
 * The program is $KTDEV_QEMU, or what scripts/vm/qemu-build prints.
 */
struct qtest *qtest_start(const char *const *args);
pid_t qtest_pid(const struct qtest *q);
/* Ends the machine. Return: its wait status; 0 is a clean end. */
int qtest_stop(struct qtest *q);

/* Guest memory and ports. */
uint32_t qtest_readl(struct qtest *q, uint64_t addr);
void qtest_writel(struct qtest *q, uint64_t addr, uint32_t v);
/* An access of 1, 2, 4 or 8 bytes. */
uint64_t qtest_read_sized(struct qtest *q, uint64_t addr, unsigned int size);
void qtest_write_sized(struct qtest *q, uint64_t addr, unsigned int size, uint64_t v);
void qtest_read(struct qtest *q, uint64_t addr, void *buf, size_t bytes);
void qtest_write(struct qtest *q, uint64_t addr, const void *buf, size_t bytes);
void qtest_memset(struct qtest *q, uint64_t addr, uint8_t v, size_t bytes);
uint32_t qtest_inl(struct qtest *q, uint16_t port);
void qtest_outl(struct qtest *q, uint16_t port, uint32_t v);
/* Move the virtual clock; timers that are due run. */
void qtest_clock_step(struct qtest *q, int64_t ns);

/* A monitor command (JSON). Return: its answer, valid until the next one; events are kept. */
const char *qmp(struct qtest *q, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Whether an event of this name has come, waiting at most @ms; forgets it. */
bool qmp_event(struct qtest *q, const char *name, int ms);
/* A property of an object as a number or a truth value; @ok (may be NULL): it exists. */
uint64_t qom_get(struct qtest *q, const char *path, const char *prop, bool *ok);
/* @value as in JSON. Return: whether it was taken. */
bool qom_set(struct qtest *q, const char *path, const char *prop, const char *value);

#endif /* QTEST_H */
