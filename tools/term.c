// SPDX-License-Identifier: MIT
/* What depends on where the text goes: colour, width, progress; and small formatting. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ctl.h"

static bool smart_terminal(FILE *f)
{
	const char *term = getenv("TERM");

	return isatty(fileno(f)) && term && *term && strcmp(term, "dumb");
}

bool ctl_color(const struct ctl *c, FILE *f)
{
	const char *no = getenv("NO_COLOR");

	if (c->color != CTL_AUTO)
		return c->color == CTL_ALWAYS;
	return !(no && *no) && smart_terminal(f);
}

unsigned int ctl_width(FILE *f)
{
	struct winsize ws;

	if (ioctl(fileno(f), TIOCGWINSZ, &ws) || ws.ws_col < 20)
		return 0;
	return ws.ws_col;
}

const char *ctl_on(const struct ctl *c, FILE *f, enum ctl_style style)
{
	static const char *const codes[] = {
		[CTL_BOLD] = "\033[1m", [CTL_RED] = "\033[1;31m", [CTL_YELLOW] = "\033[1;33m",
		[CTL_BLUE] = "\033[1;34m", [CTL_GREEN] = "\033[1;32m", [CTL_CYAN] = "\033[36m",
		[CTL_DIM] = "\033[2m",
	};

	return ctl_color(c, f) ? codes[style] : "";
}

const char *ctl_off(const struct ctl *c, FILE *f)
{
	return ctl_color(c, f) ? "\033[0m" : "";
}

void ctl_progress(const struct ctl *c, const char *fmt, ...)
{
	va_list ap;

	if (c->progress == CTL_NEVER || c->quiet ||
	    (c->progress == CTL_AUTO && !smart_terminal(stderr)))
		return;
	fputs("\r\033[K", stderr);
	if (fmt) {
		va_start(ap, fmt);
		vfprintf(stderr, fmt, ap);
		va_end(ap);
	}
	fflush(stderr);
}

const char *ctl_plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

const char *ctl_bytes(char *buf, size_t size, uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double v = (double)bytes;
	unsigned int u = 0;

	while (v >= 1024 && u + 1 < CTL_ARRAY_SIZE(units)) {
		v /= 1024;
		u++;
	}
	if (v == (double)(uint64_t)v)
		snprintf(buf, size, "%.0f %s", v, units[u]);
	else
		snprintf(buf, size, "%.1f %s", v, units[u]);
	return buf;
}
