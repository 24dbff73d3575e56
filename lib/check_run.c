// SPDX-License-Identifier: MIT
/*
 * The check: fill, run, evaluate, compare. Copies take one pass per digit of the
 * elements' numbers, so that even one-byte types tell every element apart; folds take
 * one pass of small integers and one of random bits. All other bytes hold noise, and
 * what the program does not write must still hold it afterwards.
 */
#include "check_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "fill.h"
#include "opts.h"

struct pass {
	enum kt_fill fold;		/* of inputs that are folded */
	uint32_t digit;			/* of inputs that are copied */
	char name[32];
};

struct check {
	struct ktdev_device *dev;
	const struct ktdev_plan *plan;
	const struct kt_oracle *oracle;
	uint64_t pad_bytes;		/* compared bytes of each pad */
	uint8_t *before, *after, *expect;	/* n_tiles * pad_bytes */
	uint8_t **pads;			/* into expect */
	uint8_t **inputs, **outputs, **found;
	uint32_t next_in, next_out;
	uint64_t mismatches;
	struct ktdev_mismatch first;
	const struct pass *pass;
};

/* --- callbacks --------------------------------------------------------------------------- */

/* Values are asked for, and arrive, in the order of the plan. */
static int give_input(void *ctx, const struct ktdev_value *v, void *data)
{
	struct check *c = ctx;

	while (c->next_in < c->plan->n_io && !c->inputs[c->next_in])
		c->next_in++;
	if (c->next_in == c->plan->n_io || c->plan->io[c->next_in].bytes != v->bytes)
		return -ENOENT;
	memcpy(data, c->inputs[c->next_in++], v->bytes);
	return 0;
}

static int take_output(void *ctx, const struct ktdev_value *v, const void *data)
{
	struct check *c = ctx;

	while (c->next_out < c->plan->n_io && !c->plan->io[c->next_out].output)
		c->next_out++;
	if (c->next_out == c->plan->n_io || c->plan->io[c->next_out].bytes != v->bytes)
		return -ENOENT;
	memcpy(c->found[c->next_out++], data, v->bytes);
	return 0;
}

static int give_pad(void *ctx, uint32_t tile, void *data, uint64_t bytes)
{
	struct check *c = ctx;

	memcpy(data, c->before + tile * c->pad_bytes, bytes);
	return 0;
}

static int take_pad(void *ctx, uint32_t tile, const void *data, uint64_t bytes)
{
	struct check *c = ctx;

	memcpy(c->after + tile * c->pad_bytes, data, bytes);
	return 0;
}

/* --- comparing --------------------------------------------------------------------------------- */

static void hex(char *out, size_t size, const uint8_t *p, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n && 2 * i + 3 <= size; i++)
		snprintf(out + 2 * i, size - 2 * i, "%02x", p[i]);
}

static void witness(struct check *c, uint32_t step, uint32_t tile, uint32_t role, int64_t element,
		    uint64_t address, const uint8_t *want, const uint8_t *got, uint32_t n)
{
	struct ktdev_mismatch *m = &c->first;

	if (c->mismatches++)
		return;
	*m = (struct ktdev_mismatch){ .step = step, .tile = tile, .role = role,
				      .element = element, .address = address };
	hex(m->expected, sizeof(m->expected), want, n);
	hex(m->found, sizeof(m->found), got, n);
	m->pass = c->pass->fold == KT_FILL_RANDOM ? "random" :
		  c->pass->digit ? "digits" : "identity";
}

/* Where element @e of an output lies. */
static void locate(const struct kt_io *io, uint64_t e, uint32_t *tile, uint64_t *address)
{
	uint64_t at[KTE_MAX_RANK];
	uint32_t a, p;

	for (a = io->rank; a-- > 0; e /= io->shape[a])
		at[a] = e % io->shape[a];
	for (p = 0; p < io->n_pieces; p++) {
		const struct kt_piece *pc = &io->pieces[p];
		uint64_t pad = pc->offset;

		for (a = 0; a < io->rank; a++) {
			if (at[a] < pc->start[a] || at[a] - pc->start[a] >= pc->size[a])
				break;
			pad += (at[a] - pc->start[a]) * pc->stride[a];
		}
		if (a < io->rank)
			continue;
		*tile = pc->tile;
		*address = pad;
		return;
	}
	*tile = io->tile;
	*address = 0;
}

static void compare_outputs(struct check *c)
{
	uint32_t i, tile;
	uint64_t e, address;

	for (i = 0; i < c->plan->n_io; i++) {
		const struct kt_io *io = &c->plan->io[i];
		const uint8_t *want = c->outputs[i], *got = c->found[i];
		uint32_t n = io->elem_bytes;

		if (!io->output || !memcmp(want, got, io->bytes))
			continue;
		for (e = 0; e < io->bytes / n; e++) {
			if (!memcmp(want + e * n, got + e * n, n))
				continue;
			locate(io, e, &tile, &address);
			witness(c, io->delivery, tile, io->role, (int64_t)e, address, want + e * n,
				got + e * n, n);
		}
	}
}

/* Scratch of the library may hold anything. */
static void forgive_scratch(struct check *c)
{
	uint32_t i, t;

	for (i = 0; i < c->plan->n_scratch; i++) {
		const struct kt_scratch *s = &c->plan->scratch[i];
		uint64_t n = s->bytes;

		if (s->offset >= c->pad_bytes)
			continue;
		if (n > c->pad_bytes - s->offset)
			n = c->pad_bytes - s->offset;
		for (t = 0; t < c->plan->n_tiles; t++)
			if (s->tile == KT_ALL_TILES || s->tile == t)
				memcpy(c->after + t * c->pad_bytes + s->offset,
				       c->expect + t * c->pad_bytes + s->offset, n);
	}
}

static void compare_pads(struct check *c)
{
	uint64_t i;
	uint32_t t;

	forgive_scratch(c);
	for (t = 0; t < c->plan->n_tiles; t++) {
		const uint8_t *want = c->expect + t * c->pad_bytes;
		const uint8_t *got = c->after + t * c->pad_bytes;

		if (!memcmp(want, got, c->pad_bytes))
			continue;
		for (i = 0; i < c->pad_bytes; i++)
			if (want[i] != got[i])
				witness(c, c->plan->n_steps - 1, t, 0, -1, i, want + i, got + i, 1);
	}
}

/* --- passes --------------------------------------------------------------------------------------- */

static void fill_inputs(struct check *c, uint64_t seed)
{
	uint64_t base = 1;
	uint32_t i;

	for (i = 0; i < c->plan->n_io; i++) {
		const struct kt_io *io = &c->plan->io[i];

		if (io->output || io->derived)
			continue;
		kt_fill_value(io, io->fold ? c->pass->fold : KT_FILL_DIGIT, c->pass->digit, base,
			      seed, c->inputs[i]);
		base += io->bytes / io->elem_bytes;
	}
}

static int one_run(struct check *c, struct ktdev_result *res)
{
	struct ktdev_submit_opts o = {
		.size = sizeof(o), .input = give_input, .output = take_output,
		.pads_in = give_pad, .pads_out = take_pad, .ctx = c,
	};
	struct ktdev_job *job;
	int ret;

	c->next_in = 0;
	c->next_out = 0;
	ret = kt_submit(c->dev, c->plan, &o, c->pad_bytes, &job);
	if (ret)
		return ret;
	ret = ktdev_job_wait(job, -1, res);
	ktdev_job_free(job);
	return ret;
}

static int one_pass(struct check *c, unsigned int repeat, struct ktdev_result *res)
{
	uint64_t all = c->plan->n_tiles * c->pad_bytes;
	uint64_t seed = 0x6b746576ull + c->pass->digit * 64 + (uint64_t)c->pass->fold;
	unsigned int i;
	int ret;

	for (i = 0; i < repeat; i++, seed += 0x10001) {
		kt_fill_noise(c->before, all, seed);
		memcpy(c->expect, c->before, all);
		fill_inputs(c, seed);
		ret = c->oracle->eval(c->oracle->ctx, c->plan, c->inputs, c->outputs, c->pads,
				      c->pad_bytes);
		if (!ret)
			ret = one_run(c, res);
		if (ret)
			return ret;
		compare_outputs(c);
		compare_pads(c);
		if (c->mismatches)
			break;
	}
	return 0;
}

static int all_passes(struct check *c, unsigned int repeat, struct ktdev_result *res)
{
	uint32_t digits = kt_fill_digits(c->plan), n, i;
	bool copies = false, folds = false;
	int ret = 0;

	for (i = 0; i < c->plan->n_io; i++) {
		if (c->plan->io[i].output || c->plan->io[i].derived)
			continue;
		folds |= c->plan->io[i].fold;
		copies |= !c->plan->io[i].fold;
	}
	n = copies ? digits : 1;
	if (folds && n < 2)
		n = 2;
	for (i = 0; i < n && !ret && !c->mismatches; i++) {
		struct pass p = { .fold = i ? KT_FILL_RANDOM : KT_FILL_INTEGERS,
				  .digit = copies ? i % digits : 0 };

		if (!folds)
			p.fold = KT_FILL_DIGIT;
		c->pass = &p;
		ret = one_pass(c, repeat, res);
	}
	return ret;
}

/* --- set-up -------------------------------------------------------------------------------------------- */

/* Bytes of each pad that anything of the plan touches, and a little more. */
static uint64_t used_bytes(const struct ktdev_device *dev, const struct ktdev_plan *plan)
{
	uint64_t used = 0;
	uint32_t i;

	for (i = 0; i < plan->n_steps; i++) {
		const struct kte_image_header *h = plan->steps[i].image;

		if (h->window_bytes > used)
			used = h->window_bytes;
	}
	used = (used + 2 * KT_STICK - 1) & ~(KT_STICK - 1ull);
	return used < dev->info.spm_bytes ? used : dev->info.spm_bytes;
}

static void check_fini(struct check *c)
{
	uint32_t i;

	for (i = 0; i < c->plan->n_io; i++) {
		if (c->inputs)
			free(c->inputs[i]);
		if (c->outputs)
			free(c->outputs[i]);
		if (c->found)
			free(c->found[i]);
	}
	free(c->inputs);
	free(c->outputs);
	free(c->found);
	free(c->pads);
	free(c->before);
	free(c->after);
	free(c->expect);
}

static int check_init(struct check *c)
{
	const struct ktdev_plan *plan = c->plan;
	uint64_t all = plan->n_tiles * c->pad_bytes;
	uint32_t i;

	c->before = malloc(all + 1);
	c->after = malloc(all + 1);
	c->expect = malloc(all + 1);
	c->pads = calloc(plan->n_tiles + 1, sizeof(*c->pads));
	c->inputs = calloc(plan->n_io + 1, sizeof(*c->inputs));
	c->outputs = calloc(plan->n_io + 1, sizeof(*c->outputs));
	c->found = calloc(plan->n_io + 1, sizeof(*c->found));
	if (!c->before || !c->after || !c->expect || !c->pads || !c->inputs || !c->outputs ||
	    !c->found)
		return -ENOMEM;
	for (i = 0; i < plan->n_tiles; i++)
		c->pads[i] = c->expect + i * c->pad_bytes;
	for (i = 0; i < plan->n_io; i++) {
		uint64_t n = plan->io[i].bytes + 1;

		if (plan->io[i].output) {
			c->outputs[i] = calloc(1, n);
			c->found[i] = calloc(1, n);
			if (!c->outputs[i] || !c->found[i])
				return -ENOMEM;
		} else if (!plan->io[i].derived) {
			c->inputs[i] = calloc(1, n);
			if (!c->inputs[i])
				return -ENOMEM;
		}
	}
	return 0;
}

int kt_check_plan(struct ktdev_device *dev, const struct ktdev_plan *plan,
		  const struct kt_oracle *oracle, unsigned int repeat, struct ktdev_result *out)
{
	struct check c = {
		.dev = dev, .plan = plan, .oracle = oracle, .pad_bytes = used_bytes(dev, plan),
	};
	struct ktdev_result res = { .size = sizeof(res), .ok = true };
	size_t room = out->size < sizeof(res) ? out->size : sizeof(res);
	uint32_t i;
	int ret;

	res.backend = dev->info.backend;
	ret = check_init(&c);
	if (!ret && plan->n_steps)
		ret = all_passes(&c, repeat ? repeat : 1, &res);
	check_fini(&c);
	if (ret && ret != -EIO)
		return ret;
	res.checked = true;
	res.mismatches = c.mismatches;
	res.first = c.first;
	res.ok = !ret && !c.mismatches;
	for (i = 0; i < plan->n_steps; i++)
		res.checked_elements += plan->steps[i].dest_elements;
	res.size = out->size;
	memcpy(out, &res, room);
	return ret;
}

int ktdev_check(struct ktdev_device *dev, const struct ktdev_module *mod,
		const struct ktdev_compile_opts *opts, unsigned int repeat,
		struct ktdev_report *rep, struct ktdev_result *res)
{
	struct kt_oracle oracle = { .eval = kt_eval_program };
	struct ktdev_compile_opts o;
	struct ktdev_result r = { .size = sizeof(r) };
	size_t size = res->size;
	struct kt_compiled c;
	int ret = kt_opts_copy(&o, sizeof(o), opts);

	if (ret)
		return ret;
	o.size = sizeof(o);
	if (!o.cores)
		o.cores = dev->info.cores;
	if (!o.window)
		o.window = dev->info.spm_bytes;
	o.uncapped |= dev->info.uncapped;
	ret = kt_compile(mod, &o, rep, &c);
	oracle.ctx = &c.prog;
	if (!ret)
		ret = kt_check_plan(dev, c.plan, &oracle, repeat, &r);
	if (!ret)
		ret = kt_check_expect(dev, c.plan, &mod->src, rep, &c.arena, &r);
	kt_compiled_fini(&c);
	memcpy(res, &r, size < sizeof(r) ? size : sizeof(r));
	res->size = size;
	return ret;
}
