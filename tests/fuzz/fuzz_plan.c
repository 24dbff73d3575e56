// SPDX-License-Identifier: MIT
/*
 * Plan files, JSON and binary: what is accepted can be run and written again.
 */
#include "fuzz.h"
#include "plan.h"

#define MAX_FILE	65536

static int drop(void *ctx, const struct ktdev_value *v, const void *data)
{
	(void)ctx;
	(void)v;
	(void)data;
	return 0;
}

static void run(const struct ktdev_plan *plan)
{
	struct ktdev_submit_opts o = { .size = sizeof(o), .output = drop };
	struct ktdev_device *dev;
	struct ktdev_job *job;

	FUZZ_HOLDS(!ktdev_device_open("soft:cores=64,spm-size=64K", NULL, &dev));
	if (!ktdev_submit(dev, plan, &o, &job)) {
		FUZZ_HOLDS(!ktdev_job_wait(job, -1, NULL));
		ktdev_job_free(job);
	}
	ktdev_device_close(dev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ktdev_report *rep;
	struct ktdev_plan *plan = NULL, *again = NULL;
	void *bin;
	size_t len;
	uint32_t i, pieces = 0;
	int ret;

	if (size > MAX_FILE)
		return 0;
	rep = ktdev_report_new();
	ret = ktdev_plan_read("fuzz", data, size, rep, &plan);
	FUZZ_HOLDS(!ret == (plan != NULL));
	FUZZ_HOLDS(!ret || ktdev_report_total(rep, KTDEV_ERROR));
	if (plan) {
		for (i = 0; i < plan->n_io; i++)
			pieces += plan->io[i].bytes > 65536 ? 1000 : 1;
		FUZZ_HOLDS(!ktdev_plan_to_binary(plan, &bin, &len));
		FUZZ_HOLDS(!ktdev_plan_read("again", bin, len, rep, &again));
		free(bin);
		if (plan->n_steps <= 8 && pieces < 1000)
			run(plan);
	}
	ktdev_plan_free(again);
	ktdev_plan_free(plan);
	ktdev_report_free(rep);
	return 0;
}
