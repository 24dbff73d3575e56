// SPDX-License-Identifier: MIT
/* Looking at a system's /proc, /sys and /dev, wherever it is mounted. */
#define _GNU_SOURCE
#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sysroot.h"

const char *ctl_line_of(const char *root, char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s", root);
	va_list ap;
	FILE *f;

	if (n < 0 || (size_t)n >= sizeof(path))
		return NULL;
	va_start(ap, fmt);
	vsnprintf(path + n, sizeof(path) - (size_t)n, fmt, ap);
	va_end(ap);
	f = fopen(path, "re");
	if (!f)
		return NULL;
	if (!fgets(buf, (int)size, f))
		*buf = 0;
	fclose(f);
	buf[strcspn(buf, "\n")] = 0;
	return buf;
}

static int is_entry(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

unsigned int ctl_each_node(const char *root, void (*fn)(void *ctx, const char *name), void *ctx)
{
	char path[PATH_MAX], driver[PATH_MAX];
	struct dirent **list;
	unsigned int nodes = 0;
	int n;

	snprintf(path, sizeof(path), "%s/sys/class/accel", root);
	n = scandir(path, &list, is_entry, versionsort);
	for (int i = 0; i < n; i++) {
		const char *name = list[i]->d_name, *base;
		ssize_t len;

		snprintf(path, sizeof(path), "%s/sys/class/accel/%s/device/driver", root, name);
		len = readlink(path, driver, sizeof(driver) - 1);
		driver[len > 0 ? len : 0] = 0;
		base = strrchr(driver, '/');
		if (base && !strcmp(base + 1, "ktdev")) {
			nodes++;
			if (fn)
				fn(ctx, name);
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return nodes;
}

bool ctl_has_node(const char *root)
{
	return ctl_each_node(root, NULL, NULL) > 0;
}
