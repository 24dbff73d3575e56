// SPDX-License-Identifier: MIT
/*
 * Opening devices: a specification names a backend. "auto" takes the first device node
 * and falls back to soft only where there is no node at all.
 */
#include "backend.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NODE_DIR	"/dev/accel/"
#define MAX_NODES	64

void kt_device_say(struct ktdev_report *rep, enum ktdev_severity sev, const char *fmt, ...)
{
	struct kt_range none = {0};
	char buf[300];
	va_list args;

	if (!rep)
		return;
	va_start(args, fmt);
	vsnprintf(buf, sizeof(buf), fmt, args);
	va_end(args);
	kt_diag(rep, NULL, none, KT_RULE_NONE, sev, "%s", buf);
}

#ifdef KTDEV_HAVE_DRM
extern const struct kt_backend_ops kt_backend_drm;
#endif

static int open_node(const char *path, struct ktdev_report *rep, const struct kt_backend_ops **ops)
{
#ifdef KTDEV_HAVE_DRM
	(void)path;
	(void)rep;
	*ops = &kt_backend_drm;
	return 0;
#else
	*ops = NULL;
	if (access(path, F_OK)) {
		kt_device_say(rep, KTDEV_ERROR, "%s: no such device", path);
		return -ENODEV;
	}
	if (access(path, R_OK | W_OK)) {
		kt_device_say(rep, KTDEV_ERROR, "%s: no permission", path);
		return -EACCES;
	}
	kt_device_say(rep, KTDEV_UNSUPPORTED,
		      "%s: this library was built without the device backend", path);
	return -EOPNOTSUPP;
#endif
}

/* The first node that exists, in the order of its number. */
static bool first_node(char *path, size_t size)
{
	unsigned int i;

	for (i = 0; i < MAX_NODES; i++) {
		snprintf(path, size, NODE_DIR "accel%u", i);
		if (!access(path, F_OK))
			return true;
	}
	return false;
}

int ktdev_device_open(const char *spec, struct ktdev_report *rep, struct ktdev_device **out)
{
	const struct kt_backend_ops *ops = NULL;
	struct ktdev_device *dev;
	char node[64];
	int ret = 0;

	*out = NULL;
	if (!strcmp(spec, "auto"))
		spec = first_node(node, sizeof(node)) ? node : "soft";
	if (!strcmp(spec, "soft") || !strncmp(spec, "soft:", 5)) {
		ops = &kt_backend_soft;
	} else if (spec[0] == '/') {
		ret = open_node(spec, rep, &ops);
	} else {
		kt_device_say(rep, KTDEV_ERROR,
			      "%s: not a device: auto, soft[:cores=N,spm-size=BYTES] or a path",
			      spec);
		ret = -EINVAL;
	}
	if (ret)
		return ret;
	dev = calloc(1, sizeof(*dev));
	if (!dev)
		return -ENOMEM;
	dev->ops = ops;
	dev->name = strdup(spec);
	ret = dev->name ? ops->open(spec, rep, &dev->dev, &dev->info) : -ENOMEM;
	if (ret) {
		free(dev->name);
		free(dev);
		return ret;
	}
	dev->info.backend = ops->name;
	dev->info.name = dev->name;
	*out = dev;
	return 0;
}

void ktdev_device_close(struct ktdev_device *dev)
{
	if (!dev)
		return;
	dev->ops->close(dev->dev);
	free(dev->name);
	free(dev);
}

void ktdev_device_info(const struct ktdev_device *dev, struct ktdev_device_info *out)
{
	*out = dev->info;
}
