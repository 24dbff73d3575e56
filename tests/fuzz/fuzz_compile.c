// SPDX-License-Identifier: MIT
/*
 * KTIR text through the whole library: whatever compiles runs, and does what an
 * evaluation of the text says.
 */
#include "fuzz.h"
#include "compile.h"

#define MAX_TEXT	32768
#define MAX_TILES	32u
#define MAX_STEPS	16u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ktdev_device *dev;
	struct ktdev_compile_opts o = { .size = sizeof(o), .cores = MAX_TILES, .window = 65536,
					.uncapped = true };
	struct ktdev_report *rep;
	struct ktdev_module *mod = NULL;
	struct ktdev_plan *plan = NULL;
	struct ktdev_result res = { .size = sizeof(res) };
	int ret;

	if (size > MAX_TEXT)
		return 0;
	if (!dev)
		FUZZ_HOLDS(!ktdev_device_open("soft:spm-size=64K", NULL, &dev));
	rep = ktdev_report_new();
	ret = ktdev_module_parse("fuzz", (const char *)data, size, rep, &mod);
	if (!ret) {
		ret = ktdev_plan_from_module(mod, &o, rep, &plan);
		FUZZ_HOLDS(!ret == (plan != NULL));
		FUZZ_HOLDS(ret != -EINVAL || ktdev_report_total(rep, KTDEV_ERROR));
		FUZZ_HOLDS(ret != -EOPNOTSUPP || ktdev_report_total(rep, KTDEV_UNSUPPORTED));
	}
	if (plan && plan->n_steps <= MAX_STEPS) {
		ret = ktdev_check(dev, mod, &o, 1, rep, &res);
		/* an EXPECT line of the text may be wrong, or malformed */
		FUZZ_HOLDS(ret || res.ok || !strcmp(res.first.pass, "expect"));
		FUZZ_HOLDS(!ret || ret == -EINVAL);
	}
	ktdev_plan_free(plan);
	ktdev_module_free(mod);
	ktdev_report_free(rep);
	return 0;
}
