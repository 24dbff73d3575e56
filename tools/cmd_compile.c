// SPDX-License-Identifier: MIT
/* ktctl compile FILE -o OUT: the plan as JSON (x.json, standard output) or binary image. */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "compile.h"

static bool wants_json(const char *path)
{
	size_t n = strlen(path);

	return !strcmp(path, "-") || (n >= 5 && !strcmp(path + n - 5, ".json"));
}

static int save(struct ctl *c, const struct ktdev_plan *plan, const char *path)
{
	void *data = NULL;
	size_t len;
	int ret;

	if (wants_json(path))
		ret = ktdev_plan_to_json(plan, (char **)&data, &len);
	else
		ret = ktdev_plan_to_binary(plan, &data, &len);
	if (ret)
		return ctl_no_memory(c);
	if (!strcmp(path, "-")) {
		fwrite(data, 1, len, stdout);
		c->document = true;
	} else {
		ret = ctl_save(c, path, data, len);
	}
	free(data);
	return ret;
}

static int summary(struct ctl *c, const struct ctl_input *in, const char *path)
{
	struct ktdev_plan_info info;
	struct ktdev_stats stats;
	json_t *doc;

	ktdev_plan_info(in->plan, &info);
	if (ktdev_plan_stats(in->plan, NULL, &stats))
		return ctl_no_memory(c);
	if (c->json) {
		doc = ctl_doc("ktctl.compile/1", true);
		ctl_set_str(doc, "source", info.source);
		ctl_set_str(doc, "output", path);
		ctl_set_str(doc, "kind", info.kind);
		ctl_set_u64(doc, "tiles", info.tiles);
		ctl_set_u64(doc, "steps", info.steps);
		ctl_set_str(doc, "sync", info.per_tile ? "per-tile" : "barrier");
		ctl_set_stats(doc, &stats);
		ctl_set(doc, "diagnostics", ctl_json_diags(in->rep));
		return ctl_emit(c, doc);
	}
	if (c->quiet)
		return CTL_OK;
	printf("%s: %u %s for %u tiles, written to %s\n", info.source, info.steps,
	       ctl_plural(info.steps, "step", "steps"), info.tiles, path);
	if (c->verbose)
		ctl_print_stats(&stats);
	return CTL_OK;
}

int cmd_compile(struct ctl *c)
{
	const char *path = ctl_opt(c, "output");
	struct ktdev_device *dev = NULL;
	struct ctl_compile opts;
	struct ctl_input in = { .name = NULL };
	int ret = CTL_OK;

	if (!path)
		path = "-";
	/* without -d the plan is for the default geometry, whatever is in this machine */
	if (ctl_opt(c, "device"))
		ret = ctl_open(c, &dev);
	if (!ret)
		ret = ctl_input_operands(c, &in);
	if (!ret)
		ret = ctl_compile_opts(c, &in, dev, &opts);
	if (!ret)
		ret = ctl_compile(c, &in, &opts);
	if (!ret)
		ret = save(c, in.plan, path);
	if (!ret && strcmp(path, "-"))
		ret = summary(c, &in, path);
	ctl_input_free(&in);
	ktdev_device_close(dev);
	return ret;
}
