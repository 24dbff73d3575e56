// SPDX-License-Identifier: MIT
/*
 * ktctl doctor: look at everything between a program and the device - kernel, PCI device,
 * module, node, permission - and say what to type where the chain is broken.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "sysroot.h"

#define PCI_ID_VENDOR	"0x1234"
#define PCI_ID_DEVICE	"0x4b54"
#define KERNEL_MAJOR	6
#define KERNEL_MINOR	12

struct doctor {
	struct ctl *c;
	const char *root;	/* "" or where the system to look at is mounted */
	json_t *checks;
	unsigned int nodes;	/* of our driver */
	unsigned int usable;
	bool wanted;		/* the node of -d was seen and may be opened */
	bool pci, module, kernel;
};

static void check(struct doctor *d, const char *name, bool ok, const char *help, const char *fmt,
		  ...) __attribute__((format(printf, 5, 6)));

static void check(struct doctor *d, const char *name, bool ok, const char *help, const char *fmt,
		  ...)
{
	struct ctl *c = d->c;
	char text[512];
	json_t *o;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (c->json) {
		o = json_object();
		ctl_set_str(o, "name", name);
		ctl_set_bool(o, "ok", ok);
		ctl_set_str(o, "message", text);
		ctl_set_str(o, "help", ok ? NULL : help);
		json_array_append_new(d->checks, o);
		return;
	}
	if (ok && c->quiet)
		return;
	printf("%s%-4s%s %-11s %s\n", ctl_on(c, stdout, ok ? CTL_GREEN : CTL_YELLOW),
	       ok ? "ok" : "no", ctl_off(c, stdout), name, text);
	if (!ok && help)
		printf("%17s%shelp:%s %s\n", "", ctl_on(c, stdout, CTL_GREEN), ctl_off(c, stdout),
		       help);
}

static void check_kernel(struct doctor *d)
{
	char buf[128];
	const char *rel = ctl_line_of(d->root, buf, sizeof(buf), "/proc/sys/kernel/osrelease");
	unsigned int major = 0, minor = 0;

	if (!rel)
		rel = "unknown";
	if (sscanf(rel, "%u.%u", &major, &minor) != 2)
		major = 0;
	d->kernel = major > KERNEL_MAJOR || (major == KERNEL_MAJOR && minor >= KERNEL_MINOR);
	check(d, "kernel", d->kernel,
	      "install linux-image-6.12-amd64 and linux-headers-6.12-amd64, then reboot",
	      d->kernel ? "Linux %s" : "Linux %s: the driver needs 6.12 or later", rel);
}

static int is_entry(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void check_pci(struct doctor *d)
{
	char path[PATH_MAX], buf[64];
	struct dirent **list;
	int n;

	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices", d->root);
	n = scandir(path, &list, is_entry, alphasort);
	for (int i = 0; i < n; i++) {
		const char *name = list[i]->d_name, *v;

		v = ctl_line_of(d->root, buf, sizeof(buf), "/sys/bus/pci/devices/%s/vendor", name);
		if (v && !strcmp(v, PCI_ID_VENDOR)) {
			v = ctl_line_of(d->root, buf, sizeof(buf), "/sys/bus/pci/devices/%s/device",
					name);
			if (v && !strcmp(v, PCI_ID_DEVICE)) {
				d->pci = true;
				check(d, "hardware", true, NULL, "PCI device %s", name);
			}
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	if (!d->pci)
		check(d, "hardware", false,
		      "start a machine with a modelled device: scripts/vm/run, or use -d soft",
		      "no PCI device " PCI_ID_VENDOR ":" PCI_ID_DEVICE);
}

static void check_module(struct doctor *d)
{
	char path[PATH_MAX], buf[64];
	const char *ver;

	snprintf(path, sizeof(path), "%s/sys/module/ktdev", d->root);
	d->module = !access(path, F_OK);
	ver = ctl_line_of(d->root, buf, sizeof(buf), "/sys/module/ktdev/version");
	check(d, "module", d->module,
	      d->kernel ? "sudo modprobe ktdev" : "boot a kernel of 6.12 or later first",
	      d->module ? "ktdev is loaded%s%s" : "ktdev is not loaded%s%s",
	      d->module && ver ? ", version " : "", d->module && ver ? ver : "");
}

static void no_permission(struct doctor *d, const char *node, const struct stat *st)
{
	struct group *gr = getgrgid(st->st_gid);
	char help[256], who[64];

	if (gr)
		snprintf(who, sizeof(who), "%.50s", gr->gr_name);
	else
		snprintf(who, sizeof(who), "%u", (unsigned int)st->st_gid);
	if ((st->st_mode & 0060) == 0060 && st->st_gid)
		snprintf(help, sizeof(help), "sudo usermod -aG %s $USER, then log in again", who);
	else
		snprintf(help, sizeof(help),
			 "install the udev rule, then: sudo udevadm trigger; join its group: "
			 "sudo usermod -aG render $USER");
	check(d, "permission", false, help, "%s: no permission (mode %04o, group %s)", node,
	      (unsigned int)st->st_mode & 07777, who);
}

static void check_node(void *ctx, const char *name)
{
	struct doctor *d = ctx;
	char path[PATH_MAX], node[64];
	struct stat st;

	snprintf(node, sizeof(node), "/dev/accel/%.40s", name);
	snprintf(path, sizeof(path), "%s%s", d->root, node);
	if (stat(path, &st)) {
		check(d, "node", false, errno == EACCES ? "make /dev/accel searchable" :
		      "is udev running? in a container, pass the node in", "%s: %s", node,
		      strerror(errno));
		return;
	}
	check(d, "node", true, NULL, "%s", node);
	if (access(path, R_OK | W_OK)) {
		no_permission(d, node, &st);
		return;
	}
	check(d, "permission", true, NULL, "%s can be opened", node);
	d->usable++;
	if (!strcmp(node, d->c->device))
		d->wanted = true;
}

static void check_nodes(struct doctor *d)
{
	d->nodes = ctl_each_node(d->root, check_node, d);
	if (!d->nodes)
		check(d, "node", false, "see the lines above: hardware and module come first",
		      "no accel node of ktdev in /sys/class/accel");
}

int cmd_doctor(struct ctl *c)
{
	const char *root = ctl_opt(c, "root");
	struct doctor d = { .c = c, .root = root ? root : "" };
	bool ok, soft;

	if (c->json)
		d.checks = json_array();
	check(&d, "library", true, NULL, "libktdev %s, soft backend built in", ktdev_version());
	soft = !strncmp(c->device, "soft", 4);
	if (!soft) {
		check_kernel(&d);
		check_pci(&d);
		check_module(&d);
		check_nodes(&d);
	}
	ok = soft || d.wanted || (!strcmp(c->device, "auto") && (!d.nodes || d.usable));
	if (c->json) {
		json_t *doc = ctl_doc("ktctl.doctor/1", ok);

		ctl_set_str(doc, "device", c->device);
		ctl_set(doc, "checks", d.checks);
		ctl_emit(c, doc);
	} else if (!ok) {
		printf("-d %s cannot be used here.\n", c->device);
	} else if (!c->quiet) {
		printf("-d %s works here: %s.\n", c->device,
		       d.usable ? "it runs on the device" :
		       "it runs on the soft backend");
	}
	return ok ? CTL_OK : CTL_DEVICE;
}
