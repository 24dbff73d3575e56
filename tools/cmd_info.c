// SPDX-License-Identifier: MIT
/* ktctl info: the device of -d and its geometry. */
#include "cmd.h"
#include "input.h"

int cmd_info(struct ctl *c)
{
	struct ktdev_device_info info;
	struct ktdev_device *dev;
	char spm[32];
	json_t *doc;
	int ret = ctl_open(c, &dev);

	if (ret)
		return ret;
	ktdev_device_info(dev, &info);
	if (c->json) {
		doc = ctl_doc("ktctl.info/1", true);
		ctl_set_str(doc, "backend", info.backend);
		ctl_set_str(doc, "device", info.name);
		ctl_set_u64(doc, "cores", info.cores);
		ctl_set_u64(doc, "spm_bytes", info.spm_bytes);
		ctl_set_bool(doc, "uncapped", info.uncapped);
		ctl_set_str(doc, "libktdev", ktdev_version());
		ret = ctl_emit(c, doc);
	} else {
		printf("%s: %s backend, %u %s, %s scratchpad each%s\n", info.name, info.backend,
		       info.cores, ctl_plural(info.cores, "core", "cores"),
		       ctl_bytes(spm, sizeof(spm), info.spm_bytes),
		       info.uncapped ? ", no table limits" : "");
	}
	ktdev_device_close(dev);
	return ret;
}
