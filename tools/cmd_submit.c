// SPDX-License-Identifier: MIT
/* ktctl submit FILE: place, run, report; --check compares with an independent evaluation. */
#include <errno.h>
#include <string.h>

#include "cmd.h"
#include "data.h"
#include "result.h"

struct submit {
	struct ctl *c;
	struct ctl_input in;
	struct ctl_compile opts;
	struct ktdev_device *dev;
	struct ctl_data *data;
	uint64_t repeat;
	bool check, dry_run;
};

static int option_conflicts(struct submit *s)
{
	static const char *const files[] = { "input", "output", "pads-in", "pads-out" };
	struct ctl *c = s->c;

	if (s->check && s->dry_run)
		return ctl_fail(c, CTL_USAGE, "--check runs, --dry-run does not: give one of them");
	for (unsigned int i = 0; i < CTL_ARRAY_SIZE(files); i++) {
		if (!ctl_opt(c, files[i]))
			continue;
		if (s->check)
			return ctl_fail(c, CTL_USAGE,
					"--check fills every producer itself: not with --%s",
					files[i]);
		if (s->dry_run)
			return ctl_fail(c, CTL_USAGE, "--dry-run moves nothing: not with --%s",
					files[i]);
	}
	return CTL_OK;
}

/* A failed ktdev_submit() or ktdev_job_wait(). */
static int run_failed(struct submit *s, int err)
{
	struct ktdev_device_info dev;
	struct ktdev_plan_info plan;

	switch (-err) {
	case EOPNOTSUPP:	/* of ktdev_submit(): there is a plan */
		ktdev_device_info(s->dev, &dev);
		ktdev_plan_info(s->in.plan, &plan);
		return ctl_fail(s->c, CTL_UNSUPPORTED,
				"%s: needs %u tiles with %llu bytes each, %s has %u with %llu\n"
				"a larger target: -d soft:cores=%u,spm-size=%llu",
				s->in.name, plan.tiles, (unsigned long long)plan.window, dev.name,
				dev.cores, (unsigned long long)dev.spm_bytes, plan.tiles,
				(unsigned long long)plan.window);
	case EINVAL:
		return ctl_fail(s->c, CTL_INPUT, "%s: the plan does not fit the device",
				s->in.name);
	case ENOSPC:
		return ctl_fail(s->c, CTL_DEVICE,
				"%s: no free cores\nktctl top shows who holds them", s->c->device);
	case ENOMEM:
		return ctl_no_memory(s->c);
	default:
		return ctl_fail_device(s->c, s->c->device, err);
	}
}

static int run_once(struct submit *s, const struct ktdev_submit_opts *opts,
		    struct ktdev_result *res)
{
	struct ktdev_job *job = NULL;
	int err = ktdev_submit(s->dev, s->in.plan, opts, &job);

	if (!err)
		err = ktdev_job_wait(job, -1, res);
	ktdev_job_free(job);
	if (err == -ECANCELED && ctl_data_exit(s->data))
		return ctl_data_exit(s->data);
	if (err == -EIO && res->fault)
		return CTL_OK;	/* the result tells */
	return err ? run_failed(s, err) : CTL_OK;
}

static int run_plan(struct submit *s, struct ktdev_result *res)
{
	struct ktdev_submit_opts opts = {
		.size = sizeof(opts),
		.sync = s->opts.lib.per_tile ? KTDEV_SYNC_PER_TILE : KTDEV_SYNC_PLAN,
	};
	int ret = ctl_data_new(s->c, &s->in, &opts, &s->data);

	for (uint64_t i = 0; !ret && i < s->repeat; i++) {
		ctl_data_reset(s->data);
		if (s->repeat > 1)
			ctl_progress(s->c, "run %llu of %llu", (unsigned long long)i + 1,
				     (unsigned long long)s->repeat);
		ret = run_once(s, &opts, res);
		if (!ret && !res->ok)
			break;
	}
	ctl_progress(s->c, NULL);
	if (!ret && res->ok)
		ret = ctl_data_commit(s->data);
	return ret;
}

static int run_check(struct submit *s, struct ktdev_result *res)
{
	int err;

	if (s->in.kind == CTL_PLAN)
		return ctl_fail(s->c, CTL_USAGE,
				"%s: --check needs the source, not the compiled plan", s->in.name);
	if (s->in.kind == CTL_KTIR)
		err = ktdev_check(s->dev, s->in.mod, &s->opts.lib, (unsigned int)s->repeat,
				  s->in.rep, res);
	else
		err = ktdev_check_relayout(s->dev, s->in.rel, s->opts.elect, &s->opts.lib,
					   (unsigned int)s->repeat, s->in.rep, res);
	if (!err)
		ctl_warnings(s->c, s->in.rep);
	if (err == -EIO && res->fault)
		return CTL_OK;
	if (err == -EINVAL || err == -ENOENT || err == -EOPNOTSUPP || err == -E2BIG)
		return ctl_fail_input(s->c, &s->in, err);
	return err ? run_failed(s, err) : CTL_OK;
}

static int dry_run(struct submit *s, struct ktdev_result *res)
{
	struct ktdev_device_info dev;
	struct ktdev_plan_info plan;

	ktdev_device_info(s->dev, &dev);
	ktdev_plan_info(s->in.plan, &plan);
	res->ok = true;
	res->backend = dev.backend;
	res->per_tile = plan.per_tile;
	return ktdev_plan_stats(s->in.plan, NULL, &res->stats) ? ctl_no_memory(s->c) : CTL_OK;
}

static int run(struct submit *s, struct ktdev_result *res)
{
	if (s->check)
		return run_check(s, res);
	return s->dry_run ? dry_run(s, res) : run_plan(s, res);
}

static int report(struct submit *s, const struct ktdev_result *res)
{
	json_t *doc;
	int ret;

	if (s->c->json) {
		doc = ctl_result_json(res);
		ctl_set_bool(doc, "dry_run", s->dry_run);
		ctl_set_u64(doc, "repeat", s->repeat);
		ctl_set(doc, "diagnostics", ctl_json_diags(s->in.rep));
		ret = ctl_emit(s->c, doc);
		if (ret)
			return ret;
	} else if (s->dry_run) {
		printf("%s: would run on %s, %s\n", s->in.name, res->backend,
		       res->per_tile ? "per-tile" : "barrier");
		ctl_print_stats(&res->stats);
	} else {
		ctl_print_result(s->c, s->in.name, res);
	}
	return ctl_result_exit(res);
}

int cmd_submit(struct ctl *c)
{
	struct submit s = { .c = c, .repeat = 1 };
	struct ktdev_result res = { .size = sizeof(res) };
	int ret;

	s.check = ctl_opt(c, "check");
	s.dry_run = ctl_opt(c, "dry-run");
	ret = option_conflicts(&s);
	if (!ret)
		ret = ctl_opt_u64(c, "repeat", 1, 1000000, &s.repeat);
	if (!ret)
		ret = ctl_open(c, &s.dev);
	if (!ret)
		ret = ctl_input_operands(c, &s.in);
	if (!ret)
		ret = ctl_compile_opts(c, &s.in, s.dev, &s.opts);
	if (!ret && !s.check)
		ret = ctl_compile(c, &s.in, &s.opts);
	if (!ret)
		ret = run(&s, &res);
	if (!ret)
		ret = report(&s, &res);
	ctl_data_free(s.data);
	ctl_input_free(&s.in);
	ktdev_device_close(s.dev);
	return ret;
}
