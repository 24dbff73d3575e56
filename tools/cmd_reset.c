// SPDX-License-Identifier: MIT
/* ktctl reset: reset the device of -d by its sysfs attribute. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "sysroot.h"

struct pick {
	const char *want;	/* NULL: the first */
	char name[64];
};

static void pick_node(void *ctx, const char *name)
{
	struct pick *p = ctx;

	if (!*p->name && (!p->want || !strcmp(p->want, name)))
		snprintf(p->name, sizeof(p->name), "%s", name);
}

static int write_attribute(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, "1\n", 2) != 2)
		err = -errno;
	close(fd);
	return err;
}

int cmd_reset(struct ctl *c)
{
	const char *root = ctl_opt(c, "root");
	struct pick pick = { .want = NULL };
	char path[PATH_MAX];
	json_t *doc;
	int err;

	root = root ? root : "";
	if (!strncmp(c->device, "soft", 4))
		return ctl_fail(c, CTL_USAGE, "the soft backend has nothing to reset\n"
				"name a device: -d /dev/accel/accel0");
	if (strcmp(c->device, "auto")) {
		pick.want = strrchr(c->device, '/');
		pick.want = pick.want ? pick.want + 1 : c->device;
	}
	ctl_each_node(root, pick_node, &pick);
	if (!*pick.name)
		return ctl_fail_device(c, c->device, -ENODEV);
	snprintf(path, sizeof(path), "%s/sys/class/accel/%s/reset", root, pick.name);
	err = write_attribute(path);
	if (err == -EACCES || err == -EPERM)
		return ctl_fail(c, CTL_DEVICE, "/dev/accel/%s: only root may reset it\n"
				"sudo ktctl reset -d /dev/accel/%s", pick.name, pick.name);
	if (err == -ENOENT)
		return ctl_fail(c, CTL_VERSION, "/dev/accel/%s: the driver offers no reset",
				pick.name);
	if (err)
		return ctl_fail_device(c, pick.name, err);
	if (c->json) {
		doc = ctl_doc("ktctl.reset/1", true);
		ctl_set_str(doc, "device", pick.name);
		return ctl_emit(c, doc);
	}
	if (!c->quiet)
		printf("/dev/accel/%s was reset\n", pick.name);
	return CTL_OK;
}
