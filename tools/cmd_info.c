// SPDX-License-Identifier: MIT
/* ktctl info: the device of -d and its geometry, and the device nodes there are. */
#include "cmd.h"
#include "input.h"
#include "sysroot.h"

struct nodes {
	json_t *list;		/* JSON */
	unsigned int shown;
};

static void add_node(void *ctx, const char *name)
{
	struct nodes *n = ctx;
	char node[80];

	snprintf(node, sizeof(node), "/dev/accel/%.60s", name);
	if (n->list)
		json_array_append_new(n->list, json_string(node));
	else
		printf("%s%s", n->shown ? ", " : "device nodes: ", node);
	n->shown++;
}

static int info_json(struct ctl *c, const struct ktdev_device_info *info, const char *root)
{
	json_t *doc = ctl_doc("ktctl.info/1", true);
	struct nodes nodes = { .shown = 0 };

	ctl_set_str(doc, "backend", info->backend);
	ctl_set_str(doc, "device", info->name);
	ctl_set_u64(doc, "cores", info->cores);
	ctl_set_u64(doc, "spm_bytes", info->spm_bytes);
	ctl_set_bool(doc, "uncapped", info->uncapped);
	ctl_set_str(doc, "libktdev", ktdev_version());
	nodes.list = ctl_list(doc, "nodes");
	if (nodes.list)
		ctl_each_node(root, add_node, &nodes);
	return ctl_emit(c, doc);
}

int cmd_info(struct ctl *c)
{
	const char *root = ctl_opt(c, "root");
	struct ktdev_device_info info;
	struct nodes nodes = { .shown = 0 };
	struct ktdev_device *dev;
	char spm[32];
	int ret = ctl_open(c, &dev);

	if (ret)
		return ret;
	ktdev_device_info(dev, &info);
	if (c->json) {
		ret = info_json(c, &info, root ? root : "");
	} else {
		printf("%s: %s backend, %u %s, %s scratchpad each%s\n", info.name, info.backend,
		       info.cores, ctl_plural(info.cores, "core", "cores"),
		       ctl_bytes(spm, sizeof(spm), info.spm_bytes),
		       info.uncapped ? ", no table limits" : "");
		if (ctl_each_node(root ? root : "", add_node, &nodes))
			putchar('\n');
		else
			printf("device nodes: none (ktctl doctor says why)\n");
	}
	ktdev_device_close(dev);
	return ret;
}
