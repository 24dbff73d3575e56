// SPDX-License-Identifier: MIT
/*
 * Jobs: a plan and its data become commands over one buffer; the backend executes them.
 * Input callbacks run inside ktdev_submit(), output callbacks inside ktdev_job_wait().
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "backend.h"
#include "fill.h"
#include "opts.h"

#define NO_BUFFER	UINT64_MAX

struct ktdev_job {
	struct ktdev_device *dev;
	struct ktdev_submit_opts opts;
	struct kt_run run;
	struct kt_cmd *cmds;
	uint32_t cap_cmds;
	uint64_t *at;			/* per value of the plan: place in the buffer */
	uint64_t pads_in, pads_out;	/* places in the buffer */
	uint64_t pad_bytes;
	uint64_t injected;
	uint16_t *map;
	const struct ktdev_plan *plan;	/* what output callbacks see; see job_values() */
	uint32_t n_outputs;
	struct output {
		struct ktdev_value v;
		uint64_t at;
	} *outputs;
	struct kt_arena arena;		/* strings and shapes of the outputs */
	bool prepared, started, ended;
};

static int add_cmd(struct ktdev_job *job, const struct kt_cmd *cmd)
{
	if (job->run.n_cmds == job->cap_cmds) {
		uint32_t cap = job->cap_cmds ? 2 * job->cap_cmds : 256;
		void *p = realloc(job->cmds, cap * sizeof(*job->cmds));

		if (!p)
			return -ENOMEM;
		job->cmds = p;
		job->cap_cmds = cap;
		job->run.cmds = p;
	}
	job->cmds[job->run.n_cmds++] = *cmd;
	return 0;
}

/* Transfers of one value. */
static int add_io(struct ktdev_job *job, const struct kt_io *io, uint64_t at)
{
	struct kt_cmd cmd = { .kind = io->output ? KT_CMD_OUT : KT_CMD_IN, .step = io->step };
	uint32_t p;
	uint64_t i, n;
	int ret = 0;

	for (p = 0; p < io->n_pieces && !ret; p++) {
		struct kt_dma *dma;

		n = kt_piece_dma(io, &io->pieces[p], NULL);
		dma = malloc(n * sizeof(*dma));
		if (!dma)
			return -ENOMEM;
		kt_piece_dma(io, &io->pieces[p], dma);
		for (i = 0; i < n && !ret; i++) {
			cmd.dma = dma[i];
			cmd.dma.buf += at;
			ret = add_cmd(job, &cmd);
		}
		free(dma);
	}
	return ret;
}

static int add_pads(struct ktdev_job *job, enum kt_cmd_kind kind, uint64_t at)
{
	struct kt_cmd cmd = { .kind = kind };
	uint32_t t;
	int ret = 0;

	for (t = 0; t < job->run.n_tiles && !ret; t++) {
		cmd.dma = (struct kt_dma){ .tile = t, .rows = 1, .row_bytes = job->pad_bytes,
					   .buf = at + t * job->pad_bytes };
		ret = add_cmd(job, &cmd);
	}
	return ret;
}

static uint64_t reserve(struct ktdev_job *job, uint64_t bytes)
{
	uint64_t at = job->run.buf_bytes;

	job->run.buf_bytes += (bytes + 63) & ~63ull;
	return at;
}

/* Whether the host provides this input in this run. */
static bool is_given(const struct ktdev_job *job, const struct kt_io *io)
{
	if (io->output || io->derived)
		return false;
	return job->opts.input || !job->opts.pads_in || io->placed;
}

/* Values of each step, in the order of the plan: first[step] .. first[step + 1]. */
static uint32_t *by_step(const struct ktdev_plan *plan, uint32_t *first)
{
	uint32_t *order = malloc((plan->n_io + 1) * sizeof(*order)), i;

	if (!order)
		return NULL;
	memset(first, 0, (plan->n_steps + 2) * sizeof(*first));
	for (i = 0; i < plan->n_io; i++)
		first[plan->io[i].step + 2]++;
	for (i = 2; i < plan->n_steps + 2; i++)
		first[i] += first[i - 1];
	for (i = 0; i < plan->n_io; i++)
		order[first[plan->io[i].step + 1]++] = i;
	return order;
}

static int add_step(struct ktdev_job *job, uint32_t k, const uint32_t *vals, uint32_t n)
{
	struct kt_cmd signal = { .kind = KT_CMD_SIGNAL, .step = k };
	struct kt_cmd shuffle = { .kind = KT_CMD_SHUFFLE, .step = k };
	uint32_t i;
	int ret = 0;

	for (i = 0; i < n && !ret; i++)
		if (!job->plan->io[vals[i]].output && job->at[vals[i]] != NO_BUFFER)
			ret = add_io(job, &job->plan->io[vals[i]], job->at[vals[i]]);
	if (!ret && job->run.per_tile)
		ret = add_cmd(job, &signal);
	if (!ret)
		ret = add_cmd(job, &shuffle);
	for (i = 0; i < n && !ret; i++)
		if (job->plan->io[vals[i]].output && job->at[vals[i]] != NO_BUFFER)
			ret = add_io(job, &job->plan->io[vals[i]], job->at[vals[i]]);
	return ret;
}

static int add_commands(struct ktdev_job *job)
{
	const struct ktdev_plan *plan = job->plan;
	uint32_t *first = calloc(plan->n_steps + 2, sizeof(*first)), *order, k;
	int ret = 0;

	order = first ? by_step(plan, first) : NULL;
	if (!order)
		ret = -ENOMEM;
	if (!ret && job->opts.pads_in)
		ret = add_pads(job, KT_CMD_IN, job->pads_in);
	for (k = 0; k < plan->n_steps && !ret; k++)
		ret = add_step(job, k, order + first[k], first[k + 1] - first[k]);
	if (!ret && job->opts.pads_out)
		ret = add_pads(job, KT_CMD_OUT, job->pads_out);
	free(order);
	free(first);
	return ret;
}

static int lay_out(struct ktdev_job *job)
{
	const struct ktdev_plan *plan = job->plan;
	uint64_t pads = job->pad_bytes * job->run.n_tiles;
	uint32_t i;

	job->at = malloc((plan->n_io + 1) * sizeof(*job->at));
	if (!job->at)
		return -ENOMEM;
	if (job->opts.pads_in)
		job->pads_in = reserve(job, pads);
	if (job->opts.pads_out)
		job->pads_out = reserve(job, pads);
	for (i = 0; i < plan->n_io; i++) {
		bool used = plan->io[i].output ? job->opts.output != NULL :
						 is_given(job, &plan->io[i]);

		job->at[i] = used ? reserve(job, plan->io[i].bytes) : NO_BUFFER;
	}
	return 0;
}

static int fill_inputs(struct ktdev_job *job)
{
	const struct ktdev_plan *plan = job->plan;
	uint64_t base = 1;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < job->run.n_tiles && job->opts.pads_in && !ret; i++)
		ret = job->opts.pads_in(job->opts.ctx, i, job->run.buf + job->pads_in +
					i * job->pad_bytes, job->pad_bytes);
	for (i = 0; i < plan->n_io && !ret; i++) {
		const struct kt_io *io = &plan->io[i];
		struct ktdev_value v;

		if (io->output || io->derived)
			continue;
		if (job->at[i] != NO_BUFFER && job->opts.input) {
			ktdev_plan_value(plan, i, &v);
			ret = job->opts.input(job->opts.ctx, &v, job->run.buf + job->at[i]);
		} else if (job->at[i] != NO_BUFFER) {
			kt_fill_value(io, KT_FILL_DIGIT, 0, base, 0, job->run.buf + job->at[i]);
		}
		base += io->bytes / io->elem_bytes;
	}
	return ret;
}

/* What wait will hand out: copied, so that the plan may go away before the job. */
static int keep_outputs(struct ktdev_job *job)
{
	const struct ktdev_plan *plan = job->plan;
	uint32_t i;

	if (!job->opts.output)
		return 0;
	job->outputs = calloc(plan->n_io + 1, sizeof(*job->outputs));
	if (!job->outputs)
		return -ENOMEM;
	for (i = 0; i < plan->n_io; i++) {
		struct output *o = &job->outputs[job->n_outputs];
		uint32_t *shape;

		if (!plan->io[i].output)
			continue;
		ktdev_plan_value(plan, i, &o->v);
		o->v.name = kt_strndup(&job->arena, o->v.name, strlen(o->v.name));
		shape = kt_alloc(&job->arena, (o->v.rank + 1) * sizeof(*shape));
		if (!o->v.name || !shape)
			return -ENOMEM;
		memcpy(shape, plan->io[i].shape, o->v.rank * sizeof(*shape));
		o->v.shape = shape;
		o->at = job->at[i];
		job->n_outputs++;
	}
	return 0;
}

static int check_fit(const struct ktdev_device *dev, const struct ktdev_plan *plan,
		     const struct ktdev_submit_opts *o)
{
	uint32_t i, j;

	if (plan->n_tiles > dev->info.cores || plan->window > dev->info.spm_bytes)
		return -EOPNOTSUPP;
	for (i = 0; o->map && i < plan->n_tiles; i++) {
		if (o->map[i] >= dev->info.cores)
			return -EINVAL;
		for (j = 0; j < i; j++)
			if (o->map[i] == o->map[j])
				return -EINVAL;
	}
	return 0;
}

static int init_run(struct ktdev_job *job)
{
	const struct ktdev_plan *plan = job->plan;
	struct ktdev_stats st = {0};
	int ret;

	job->run.plan = plan;
	job->run.n_tiles = plan->n_tiles;
	job->run.per_tile = job->opts.sync == KTDEV_SYNC_PLAN ? plan->per_tile :
				job->opts.sync == KTDEV_SYNC_PER_TILE;
	if (job->opts.map) {
		job->map = malloc((plan->n_tiles + 1) * sizeof(*job->map));
		if (!job->map)
			return -ENOMEM;
		memcpy(job->map, job->opts.map, plan->n_tiles * sizeof(*job->map));
		job->run.map = job->map;
	}
	st.injected_bytes = NO_BUFFER;
	ret = kt_plan_injected(plan, &st);
	job->injected = st.injected_bytes;	/* NO_BUFFER: the sum over steps is right */
	job->run.event = ret ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!ret && job->run.event < 0)
		ret = -errno;
	return ret;
}

int kt_submit(struct ktdev_device *dev, const struct ktdev_plan *plan,
	      const struct ktdev_submit_opts *opts, uint64_t pad_bytes, struct ktdev_job **out)
{
	struct ktdev_job *job = calloc(1, sizeof(*job));
	int ret;

	*out = NULL;
	if (!job)
		return -ENOMEM;
	job->dev = dev;
	job->plan = plan;
	job->run.event = -1;
	job->pad_bytes = pad_bytes ? pad_bytes : dev->info.spm_bytes;
	ret = kt_opts_copy(&job->opts, sizeof(job->opts), opts);
	if (!ret)
		ret = check_fit(dev, plan, &job->opts);
	if (!ret)
		ret = init_run(job);
	if (!ret)
		ret = lay_out(job);
	if (!ret)
		ret = add_commands(job);
	if (!ret)
		ret = keep_outputs(job);
	if (!ret)
		ret = dev->ops->prepare(dev->dev, &job->run);
	job->prepared = !ret;
	if (!ret)
		ret = fill_inputs(job);
	if (!ret)
		ret = dev->ops->start(dev->dev, &job->run);
	job->started = !ret;
	job->plan = NULL;
	job->run.plan = NULL;
	if (ret)
		ktdev_job_free(job);
	else
		*out = job;
	return ret;
}

int ktdev_submit(struct ktdev_device *dev, const struct ktdev_plan *plan,
		 const struct ktdev_submit_opts *opts, struct ktdev_job **job)
{
	return kt_submit(dev, plan, opts, 0, job);
}

int ktdev_job_fd(const struct ktdev_job *job)
{
	return job->run.event;
}

static int hand_out(struct ktdev_job *job)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < job->n_outputs && !ret; i++)
		ret = job->opts.output(job->opts.ctx, &job->outputs[i].v,
				       job->run.buf + job->outputs[i].at);
	for (i = 0; i < job->run.n_tiles && job->opts.pads_out && !ret; i++)
		ret = job->opts.pads_out(job->opts.ctx, i, job->run.buf + job->pads_out +
					 i * job->pad_bytes, job->pad_bytes);
	return ret;
}

int ktdev_job_wait(struct ktdev_job *job, int timeout_ms, struct ktdev_result *res)
{
	struct ktdev_result r = { .size = sizeof(r) };
	size_t room = res ? res->size : 0;
	int ret;

	if (!job->ended) {
		ret = job->dev->ops->wait(job->dev->dev, &job->run, timeout_ms);
		if (ret)
			return ret;
		job->ended = true;
	}
	r.backend = job->dev->info.backend;
	r.per_tile = job->run.per_tile;
	ret = job->dev->ops->result(job->dev->dev, &job->run, &r);
	if (job->injected != NO_BUFFER)
		r.stats.injected_bytes = job->injected;
	r.ok = !ret;
	if (res) {
		memcpy(res, &r, room < sizeof(r) ? room : sizeof(r));
		res->size = room;
	}
	return ret ? ret : hand_out(job);
}

void ktdev_job_free(struct ktdev_job *job)
{
	if (!job)
		return;
	if (job->started && !job->ended)
		job->dev->ops->wait(job->dev->dev, &job->run, -1);
	if (job->prepared)
		job->dev->ops->release(job->dev->dev, &job->run);
	if (job->run.event >= 0)
		close(job->run.event);
	kt_arena_fini(&job->arena);
	free(job->outputs);
	free(job->map);
	free(job->at);
	free(job->cmds);
	free(job);
}
