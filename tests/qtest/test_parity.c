// SPDX-License-Identifier: MIT
/*
 * The model and the soft backend are one machine: every example and every geometry gives
 * the same scratchpads, counters, cycles and stall cycles on both, for the same tile-to-core
 * map, in both modes. The model is a backend of the library here, so that both get the very
 * same commands.
 */
#include <errno.h>
#include <glob.h>
#include <unistd.h>

#include "backend.h"
#include "board.h"
#include "fill.h"

#define SLOT		1
#define RING_LOG2	12

/* --- the model as a backend ------------------------------------------------------------ */

struct model_run {
	struct board *b;
	uint64_t brk;
	uint64_t list, buf;
	uint32_t n_pages;
	struct ktdev_cmd *images;	/* a SHUFFLE per step */
	bool good;
};

static uint64_t last_injected;		/* counter of the last run of the model */

static uint64_t host_list(struct board *b, uint64_t bytes, uint64_t *data)
{
	uint64_t n = (bytes + 4095) / 4096, list, i;

	*data = mem(b, bytes);
	list = mem(b, n * 8);
	for (i = 0; i < n; i++)
		((uint64_t *)(b->ram + list))[i] = *data + i * 4096;
	return list;
}

static int model_prepare(void *dev, struct kt_run *run)
{
	struct model_run *r = calloc(1, sizeof(*r));
	struct ktdev_slot_ctx ctx;
	struct board *b = dev;
	uint32_t k, t;

	r->b = b;
	fill_ctx(b, SLOT, run->n_tiles, &ctx);
	r->brk = b->brk;
	ctx.ring_log2 = RING_LOG2;
	for (t = 0; t < run->n_tiles; t++)
		ctx.core[t] = (uint8_t)(run->map ? run->map[t] : t);
	if (!load_ctx(b, SLOT, &ctx))
		return -EIO;
	r->n_pages = (uint32_t)((run->buf_bytes + 4095) / 4096);
	r->list = host_list(b, run->buf_bytes, &r->buf);
	run->buf = b->ram + r->buf;
	memset(run->buf, 0, run->buf_bytes);
	r->images = calloc(run->plan->n_steps, sizeof(*r->images));
	for (k = 0; k < run->plan->n_steps; k++) {
		const struct kt_plan_step *st = &run->plan->steps[k];
		uint64_t data, list = host_list(b, st->image_bytes, &data);

		memcpy(b->ram + data, st->image, st->image_bytes);
		r->images[k] = (struct ktdev_cmd){
			.op = KTDEV_CMD_SHUFFLE, .pages = list, .bytes = st->image_bytes,
			.flags = run->per_tile ? KTDEV_CMD_PER_TILE : 0,
			.n_pages = (uint32_t)((st->image_bytes + 4095) / 4096),
		};
	}
	run->priv = r;
	return 0;
}

static struct ktdev_cmd translate(const struct kt_run *run, const struct kt_cmd *c)
{
	const struct model_run *r = run->priv;

	if (c->kind == KT_CMD_SHUFFLE)
		return r->images[c->step];
	if (c->kind == KT_CMD_SIGNAL)
		return (struct ktdev_cmd){ .op = KTDEV_CMD_SIGNAL,
					   .bytes = ~0ull >> (64 - run->n_tiles) };
	return (struct ktdev_cmd){
		.op = c->kind == KT_CMD_IN ? KTDEV_CMD_DMA_IN : KTDEV_CMD_DMA_OUT,
		.tile = (uint16_t)c->dma.tile, .pages = r->list, .n_pages = r->n_pages,
		.bytes = c->dma.buf, .offset = c->dma.pad, .arg = c->dma.row_bytes,
		.rows = c->dma.rows, .pad_stride = c->dma.pad_stride,
		.host_stride = c->dma.buf_stride,
	};
}

static int model_start(void *dev, struct kt_run *run)
{
	struct model_run *r = run->priv;
	struct board_slot *sl = &r->b->slot[SLOT];
	uint64_t one = 1;
	uint32_t i;

	(void)dev;
	r->good = true;
	for (i = 0; i < run->n_cmds && r->good; i++) {
		struct ktdev_cmd c = translate(run, &run->cmds[i]);
		uint32_t at = sl->tail++ & ((1u << RING_LOG2) - 1);

		c.flags |= i ? 0 : KTDEV_CMD_JOB_START;
		memcpy(r->b->ram + sl->ring + at * sizeof(c), &c, sizeof(c));
		if (at == (1u << RING_LOG2) - 1 || i + 1 == run->n_cmds) {
			ring_it(r->b, SLOT);
			r->good = wait_slot(r->b, SLOT);
		}
	}
	return write(run->event, &one, sizeof(one)) == sizeof(one) ? 0 : -errno;
}

static int model_wait(void *dev, struct kt_run *run, int timeout_ms)
{
	(void)dev, (void)run, (void)timeout_ms;
	return 0;
}

static int model_result(void *dev, struct kt_run *run, struct ktdev_result *res)
{
	const struct model_run *r = run->priv;

	(void)dev;
	res->stats.cycles = slot_counter(r->b, SLOT, KTDEV_CNT_CYCLES);
	res->stats.stall_cycles = slot_counter(r->b, SLOT, KTDEV_CNT_STALL_CYCLES);
	res->stats.transfers = slot_counter(r->b, SLOT, KTDEV_CNT_TRANSFERS);
	res->stats.injections = slot_counter(r->b, SLOT, KTDEV_CNT_INJECTIONS);
	res->stats.bytes_delivered = slot_counter(r->b, SLOT, KTDEV_CNT_DELIVERED_BYTES);
	last_injected = slot_counter(r->b, SLOT, KTDEV_CNT_INJECTED_BYTES);
	res->stats.remote_bytes = slot_counter(r->b, SLOT, KTDEV_CNT_REMOTE_BYTES);
	return r->good ? 0 : -EIO;
}

static void model_release(void *dev, struct kt_run *run)
{
	struct model_run *r = run->priv;

	(void)dev;
	reset_slot(r->b, SLOT);
	r->b->brk = r->brk;
	free(r->images);
	free(r);
}

static const struct kt_backend_ops model_ops = {
	.name = "model", .prepare = model_prepare, .start = model_start, .wait = model_wait,
	.result = model_result, .release = model_release,
};

/* --- comparing ------------------------------------------------------------------------- */

struct seen {
	uint64_t pad_bytes;
	uint8_t *pads;
	struct ktdev_stats stats;
};

static int pads_in(void *ctx, uint32_t tile, void *data, uint64_t bytes)
{
	(void)ctx;
	kt_fill_noise(data, bytes, tile + 1);
	return 0;
}

static int pads_out(void *ctx, uint32_t tile, const void *data, uint64_t bytes)
{
	struct seen *s = ctx;

	memcpy(s->pads + tile * bytes, data, bytes);
	return 0;
}

static bool execute(struct ktdev_device *dev, const struct ktdev_plan *plan, bool per_tile,
		    const uint16_t *map, struct seen *s)
{
	struct ktdev_submit_opts opts = {
		.size = sizeof(opts), .sync = per_tile ? KTDEV_SYNC_PER_TILE : KTDEV_SYNC_BARRIER,
		.pads_in = pads_in, .pads_out = pads_out, .ctx = s, .map = map,
	};
	struct ktdev_result res = { 0 };
	struct ktdev_job *job = NULL;
	int ret;

	ret = kt_submit(dev, plan, &opts, s->pad_bytes, &job);
	if (!ret)
		ret = ktdev_job_wait(job, -1, &res);
	ktdev_job_free(job);
	s->stats = res.stats;
	if (ret)
		diag("%s: %s", dev->ops->name, strerror(-ret));
	return !ret;
}

static bool same_stats(const struct ktdev_stats *a, const struct ktdev_stats *b)
{
	if (a->cycles == b->cycles && a->stall_cycles == b->stall_cycles &&
	    a->transfers == b->transfers && a->injections == b->injections &&
	    a->bytes_delivered == b->bytes_delivered && a->remote_bytes == b->remote_bytes)
		return true;
	diag("model: cycles %" PRIu64 " stall %" PRIu64 " transfers %" PRIu64 " injections %" PRIu64
	     " delivered %" PRIu64 " remote %" PRIu64, a->cycles, a->stall_cycles, a->transfers,
	     a->injections, a->bytes_delivered, a->remote_bytes);
	diag("soft:  cycles %" PRIu64 " stall %" PRIu64 " transfers %" PRIu64 " injections %" PRIu64
	     " delivered %" PRIu64 " remote %" PRIu64, b->cycles, b->stall_cycles, b->transfers,
	     b->injections, b->bytes_delivered, b->remote_bytes);
	return false;
}

static void *env_alloc(void *ctx, size_t bytes)
{
	(void)ctx;
	return calloc(1, bytes);
}

static void env_free(void *ctx, void *ptr)
{
	(void)ctx;
	free(ptr);
}

/* Injected bytes of all steps: the library's sum counts bytes that several steps send
 * once, the device's counter does not. */
static uint64_t injected(const struct ktdev_plan *plan, const uint16_t *map, uint32_t cores)
{
	struct kte_env env = { .alloc = env_alloc, .free = env_free };
	struct kte_counters c;
	struct kte_limits lim;
	struct kte_fault f;
	struct kte_prog *prog;
	uint64_t sum = 0;
	uint32_t k;

	kte_limits_hw(&lim, plan->n_tiles, plan->window);
	for (k = 0; k < plan->n_steps; k++) {
		if (kte_prog_new(plan->steps[k].image, plan->steps[k].image_bytes, &lim, &env, &prog,
				 &f) ||
		    kte_prog_count(prog, map, plan->n_tiles, cores, NULL, &c))
			bail_out("the engine refuses a step");
		sum += c.injected_bytes;
		kte_prog_free(prog);
	}
	return sum;
}

/* Bytes of each scratchpad that matter, rounded up to a page and one more. */
static uint64_t pad_bytes(const struct ktdev_plan *plan)
{
	uint64_t end = 0;
	uint32_t k;

	for (k = 0; k < plan->n_steps; k++) {
		const struct kte_image_header *h = plan->steps[k].image;

		end = h->window_bytes > end ? h->window_bytes : end;
	}
	end = (end + 8191) & ~4095ull;
	return end < plan->window ? end : plan->window;
}

static void compare(struct ktdev_device *model, struct ktdev_device *soft,
		    const struct ktdev_plan *plan, const char *name)
{
	struct seen a = { .pad_bytes = pad_bytes(plan) }, z = a;
	uint16_t map[KTDEV_MAX_CORES];
	bool good = true;
	uint32_t t, how;

	for (t = 0; t < plan->n_tiles; t++)
		map[t] = (uint16_t)((5 * t + 3) % model->info.cores);
	a.pads = malloc(a.pad_bytes * plan->n_tiles);
	z.pads = malloc(z.pad_bytes * plan->n_tiles);
	for (how = 0; how < 4 && good; how++) {
		const uint16_t *m = how & 2 ? map : NULL;

		good = execute(model, plan, how & 1, m, &a) && execute(soft, plan, how & 1, m, &z) &&
		       same_stats(&a.stats, &z.stats);
		if (good && memcmp(a.pads, z.pads, a.pad_bytes * plan->n_tiles)) {
			diag("scratchpads differ");
			good = false;
		}
		good &= last_injected == injected(plan, m, model->info.cores);
	}
	ok(good, "%s: %u tiles, %u steps: model and soft backend agree in both modes and maps",
	   name, plan->n_tiles, plan->n_steps);
	free(a.pads);
	free(z.pads);
}

/* --- examples and geometries ------------------------------------------------------------ */

static char *slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	char *text = malloc(1 << 22);

	if (!f || !text)
		bail_out("cannot read %s", path);
	*len = fread(text, 1, 1 << 22, f);
	fclose(f);
	return text;
}

static struct ktdev_plan *compile(const char *path, uint32_t cores, struct ktdev_report *rep)
{
	struct ktdev_compile_opts opts = { .size = sizeof(opts), .cores = cores };
	struct ktdev_relayout *rel = NULL;
	struct ktdev_module *mod = NULL;
	struct ktdev_plan *plan = NULL;
	size_t len;
	char *text = slurp(path, &len);
	struct ktdev_text in = { .name = path, .text = text, .len = len };

	if (strstr(path, ".mlir")) {
		if (!ktdev_module_parse(path, text, len, rep, &mod))
			ktdev_plan_from_module(mod, &opts, rep, &plan);
		ktdev_module_free(mod);
	} else {
		if (!ktdev_relayout_parse(&in, NULL, rep, &rel))
			ktdev_plan_from_relayout(rel, KTDEV_ELECT_LOWEST, &opts, rep, &plan);
		ktdev_relayout_free(rel);
	}
	free(text);
	return plan;
}

static void one_file(struct ktdev_device *model, struct ktdev_device *soft, const char *path)
{
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_plan *plan = compile(path, model->info.cores, rep);

	if (plan)
		compare(model, soft, plan, path);
	else
		fail("%s compiles: %s", path, ktdev_report_count(rep) ?
		     ktdev_report_get(rep, 0)->message : "no reason given");
	ktdev_plan_free(plan);
	ktdev_report_free(rep);
}

static unsigned int all_files(struct ktdev_device *model, struct ktdev_device *soft,
			      const char *pattern)
{
	unsigned int n;
	glob_t g;
	size_t i;

	if (glob(pattern, 0, NULL, &g))
		bail_out("no %s (run from the top of the tree)", pattern);
	for (i = 0; i < g.gl_pathc; i++)
		one_file(model, soft, g.gl_pathv[i]);
	n = (unsigned int)g.gl_pathc;
	globfree(&g);
	return n;
}

int main(void)
{
	struct board *b = board_start("cores=32");
	struct ktdev_device model = {
		.ops = &model_ops, .dev = b, .name = (char *)"model",
		.info = { .backend = "model", .name = "model", .cores = 32, .spm_bytes = 2 << 20 },
	};
	struct ktdev_device *soft;

	if (ktdev_device_open("soft:cores=32", NULL, &soft))
		bail_out("no soft device");
	ok(all_files(&model, soft, "examples/*.mlir") >= 20, "the examples");
	ok(all_files(&model, soft, "tests/data/relayouts/*.json") >= 20, "the geometries");
	ktdev_device_close(soft);
	board_end(b);
	return done_testing();
}
