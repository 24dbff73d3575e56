// SPDX-License-Identifier: MIT
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap.h"
#include "qtest.h"

#define MAX_ARGS	64
#define TIMEOUT_MS	60000
#define QTEST_FD	10
#define QMP_FD		11

/* One stream of lines. */
struct stream {
	int fd;
	char *buf;
	size_t len, cap, line;		/* line: bytes of the line last returned */
};

struct qtest {
	pid_t pid;
	struct stream qtest, qmp;
	char *events;
	char *text;			/* a command being built */
	size_t text_cap;
};

/* --- lines ----------------------------------------------------------------------------- */

static void send_all(struct stream *s, const char *text, size_t len)
{
	while (len) {
		ssize_t n = send(s->fd, text, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			bail_out("the machine has gone: %s", strerror(errno));
		text += n;
		len -= (size_t)n;
	}
}

/* The next line without its end, or NULL when none comes within @ms. */
static char *read_line(struct stream *s, int ms)
{
	char *end;

	memmove(s->buf, s->buf + s->line, s->len - s->line);
	s->len -= s->line;
	s->line = 0;
	while (!(end = memchr(s->buf, '\n', s->len))) {
		struct pollfd p = { .fd = s->fd, .events = POLLIN };
		ssize_t n;

		if (s->len + 1 >= s->cap) {
			s->cap = 2 * s->cap;
			s->buf = realloc(s->buf, s->cap);
			if (!s->buf)
				bail_out("out of memory");
		}
		if (poll(&p, 1, ms) <= 0)
			return NULL;
		n = recv(s->fd, s->buf + s->len, s->cap - s->len, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			bail_out("the machine has gone");
		s->len += (size_t)n;
	}
	*end = 0;
	s->line = (size_t)(end - s->buf) + 1;
	return s->buf;
}

static void open_stream(struct stream *s, int fd)
{
	s->fd = fd;
	s->cap = 1 << 16;
	s->buf = malloc(s->cap);
	if (!s->buf)
		bail_out("out of memory");
}

static char *room(struct qtest *q, size_t bytes)
{
	if (bytes > q->text_cap) {
		q->text_cap = bytes;
		q->text = realloc(q->text, bytes);
		if (!q->text)
			bail_out("out of memory");
	}
	return q->text;
}

/* Send a line and take its answer, which begins with "OK". */
static char *ask(struct qtest *q, const char *text, size_t len)
{
	char *line;

	send_all(&q->qtest, text, len);
	do {
		line = read_line(&q->qtest, TIMEOUT_MS);
		if (!line)
			bail_out("no answer to \"%.40s\"", text);
	} while (!strncmp(line, "IRQ ", 4));
	if (strncmp(line, "OK", 2))
		bail_out("\"%.40s\": %s", text, line);
	return line + 2;
}

__attribute__((format(printf, 2, 3)))
static char *askf(struct qtest *q, const char *fmt, ...)
{
	char text[256];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return ask(q, text, (size_t)n);
}

/* --- the machine ----------------------------------------------------------------------- */

static const char *program(void)
{
	static char path[4096];
	const char *env = getenv("KTDEV_QEMU");
	FILE *f;

	if (env && *env)
		return env;
	if (!path[0]) {
		f = popen("scripts/vm/qemu-build", "r");
		if (!f || !fgets(path, sizeof(path), f))
			bail_out("no QEMU with the device (scripts/vm/qemu-build)");
		pclose(f);
		path[strcspn(path, "\n")] = 0;
	}
	return path;
}

static void child(const char *const *args, int qtest, int monitor)
{
	const char *argv[MAX_ARGS] = {
		program(), "-accel", "qtest", "-display", "none", "-nodefaults", "-no-user-config",
		"-M", "q35", "-L", "/usr/share/seabios", "-L", "/usr/share/qemu",
		"-chardev", "socket,id=qtest,fd=10", "-qtest", "chardev:qtest", "-qtest-log", "none",
		"-chardev", "socket,id=monitor,fd=11", "-mon", "chardev=monitor,mode=control",
	};
	int n = 0;

	while (argv[n])
		n++;
	while (*args && n < MAX_ARGS - 1)
		argv[n++] = *args++;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(qtest, QTEST_FD) < 0 || dup2(monitor, QMP_FD) < 0)
		_exit(127);
	execv(argv[0], (char *const *)argv);
	_exit(127);
}

struct qtest *qtest_start(const char *const *args)
{
	struct qtest *q = calloc(1, sizeof(*q));
	int a[2], b[2];

	if (!q || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, a) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, b))
		bail_out("no socket pair: %s", strerror(errno));
	program();
	q->pid = fork();
	if (q->pid < 0)
		bail_out("fork: %s", strerror(errno));
	if (!q->pid)
		child(args, a[1], b[1]);
	close(a[1]);
	close(b[1]);
	open_stream(&q->qtest, a[0]);
	open_stream(&q->qmp, b[0]);
	q->events = calloc(1, 1);
	if (!read_line(&q->qmp, TIMEOUT_MS))
		bail_out("the monitor does not greet");
	qmp(q, "{\"execute\":\"qmp_capabilities\"}");
	return q;
}

pid_t qtest_pid(const struct qtest *q)
{
	return q->pid;
}

int qtest_stop(struct qtest *q)
{
	static const char quit[] = "{\"execute\":\"quit\"}\n";
	int status = -1;

	send_all(&q->qmp, quit, sizeof(quit) - 1);
	while (waitpid(q->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(q->qtest.fd);
	close(q->qmp.fd);
	free(q->qtest.buf);
	free(q->qmp.buf);
	free(q->events);
	free(q->text);
	free(q);
	return status;
}

/* --- memory and ports ------------------------------------------------------------------ */

static char suffix(unsigned int size)
{
	return size == 1 ? 'b' : size == 2 ? 'w' : size == 4 ? 'l' : 'q';
}

uint64_t qtest_read_sized(struct qtest *q, uint64_t addr, unsigned int size)
{
	return strtoull(askf(q, "read%c 0x%" PRIx64 "\n", suffix(size), addr), NULL, 16);
}

void qtest_write_sized(struct qtest *q, uint64_t addr, unsigned int size, uint64_t v)
{
	askf(q, "write%c 0x%" PRIx64 " 0x%" PRIx64 "\n", suffix(size), addr, v);
}

uint32_t qtest_readl(struct qtest *q, uint64_t addr)
{
	return (uint32_t)qtest_read_sized(q, addr, 4);
}

void qtest_writel(struct qtest *q, uint64_t addr, uint32_t v)
{
	qtest_write_sized(q, addr, 4, v);
}

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void qtest_write(struct qtest *q, uint64_t addr, const void *buf, size_t bytes)
{
	char *text = room(q, bytes * 4 / 3 + 128), *p;
	const uint8_t *in = buf;
	size_t i;

	if (!bytes)
		return;
	p = text + sprintf(text, "b64write 0x%" PRIx64 " 0x%zx ", addr, bytes);
	for (i = 0; i < bytes; i += 3, p += 4) {
		uint32_t v = (uint32_t)in[i] << 16;

		v |= i + 1 < bytes ? (uint32_t)in[i + 1] << 8 : 0;
		v |= i + 2 < bytes ? in[i + 2] : 0;
		p[0] = digits[v >> 18];
		p[1] = digits[v >> 12 & 63];
		p[2] = i + 1 < bytes ? digits[v >> 6 & 63] : '=';
		p[3] = i + 2 < bytes ? digits[v & 63] : '=';
	}
	*p++ = '\n';
	ask(q, text, (size_t)(p - text));
}

static void decode(const char *text, uint8_t *out, size_t bytes)
{
	static int8_t value[256];
	uint32_t acc = 0, bits = 0;
	size_t n = 0;

	if (!value['B'])
		for (int i = 0; i < 64; i++)
			value[(uint8_t)digits[i]] = (int8_t)i;
	for (; n < bytes && *text; text++) {
		acc = acc << 6 | (uint32_t)value[(uint8_t)*text];
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			out[n++] = (uint8_t)(acc >> bits);
		}
	}
	if (n != bytes)
		bail_out("short read of memory");
}

void qtest_read(struct qtest *q, uint64_t addr, void *buf, size_t bytes)
{
	char *line;

	if (!bytes)
		return;
	line = askf(q, "b64read 0x%" PRIx64 " 0x%zx\n", addr, bytes);
	decode(line + strspn(line, " "), buf, bytes);
}

void qtest_memset(struct qtest *q, uint64_t addr, uint8_t v, size_t bytes)
{
	askf(q, "memset 0x%" PRIx64 " 0x%zx 0x%x\n", addr, bytes, v);
}

uint32_t qtest_inl(struct qtest *q, uint16_t port)
{
	return (uint32_t)strtoul(askf(q, "inl 0x%x\n", port), NULL, 16);
}

void qtest_outl(struct qtest *q, uint16_t port, uint32_t v)
{
	askf(q, "outl 0x%x 0x%x\n", port, v);
}

void qtest_clock_step(struct qtest *q, int64_t ns)
{
	askf(q, "clock_step %" PRId64 "\n", ns);
}

/* --- the monitor ----------------------------------------------------------------------- */

static void keep_event(struct qtest *q, const char *line)
{
	size_t have = strlen(q->events);

	q->events = realloc(q->events, have + strlen(line) + 1);
	if (!q->events)
		bail_out("out of memory");
	strcpy(q->events + have, line);
}

const char *qmp(struct qtest *q, const char *fmt, ...)
{
	char text[1024], *line;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text) - 1, fmt, args);
	va_end(args);
	text[n++] = '\n';
	send_all(&q->qmp, text, (size_t)n);
	for (;;) {
		line = read_line(&q->qmp, TIMEOUT_MS);
		if (!line)
			bail_out("no answer to %.60s", text);
		if (!strstr(line, "\"event\""))
			return line;
		keep_event(q, line);
	}
}

bool qmp_event(struct qtest *q, const char *name, int ms)
{
	char want[64], *line;

	snprintf(want, sizeof(want), "\"%s\"", name);
	while (!strstr(q->events, want)) {
		line = read_line(&q->qmp, ms);
		if (!line)
			return false;
		keep_event(q, line);
	}
	q->events[0] = 0;
	return true;
}

uint64_t qom_get(struct qtest *q, const char *path, const char *prop, bool *exists)
{
	const char *line = qmp(q, "{\"execute\":\"qom-get\",\"arguments\":{\"path\":\"%s\","
			       "\"property\":\"%s\"}}", path, prop);
	const char *value = strstr(line, "\"return\": ");

	if (exists)
		*exists = value != NULL;
	if (!value)
		return 0;
	value += strlen("\"return\": ");
	return !strncmp(value, "true", 4) ? 1 : strtoull(value, NULL, 10);
}

bool qom_set(struct qtest *q, const char *path, const char *prop, const char *value)
{
	const char *line = qmp(q, "{\"execute\":\"qom-set\",\"arguments\":{\"path\":\"%s\","
			       "\"property\":\"%s\",\"value\":%s}}", path, prop, value);

	return strstr(line, "\"return\"") != NULL;
}
