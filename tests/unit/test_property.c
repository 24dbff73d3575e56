// SPDX-License-Identifier: MIT
/*
 * Random programs: what the soft backend leaves in the scratchpads and hands out equals
 * what the parameters mean (eval_ref.c), as compiled and after a round trip through
 * either file form, and the library's own check agrees.
 *
 *	test_property [FIRST [COUNT]]	seeds; the text of a failing program is printed
 */
#include "../rprog.h"
#include "../tap.h"

#include <errno.h>

#include "plan.h"

#define COUNT	300

struct run {
	const struct rprog *p;
	struct ref_state ref;
	uint8_t *before, *after, *expect, *mask;
	struct ref_value got[RP_MAX_DELIVERIES][2][RP_MAX_TILES];
	uint64_t wrong;
	char what[200];
};

static uint8_t *at_tile(uint8_t *pads, uint32_t tile)
{
	return pads + (size_t)tile * RP_PAD;
}

static uint64_t noise(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static void differ(struct run *r, const char *what, int step, int tile, long at)
{
	if (!r->wrong++)
		snprintf(r->what, sizeof(r->what), "%s: step %d, tile %d, at %ld", what, step, tile,
			 at);
}

/* --- callbacks ---------------------------------------------------------------------------- */

/* Random bytes from global memory; what already lies in the scratchpad otherwise. */
static int give(void *ctx, const struct ktdev_value *v, void *data)
{
	struct run *r = ctx;
	const struct rp_role *role = &r->p->d[v->step].roles[v->role];
	struct ref_value *part = &r->ref.partial[v->step][v->role][v->tile];
	const struct rp_place *pl = &role->src;
	unsigned int rank = r->p->d[v->step].rank, elem = rp_bytes(role->type), a;
	uint64_t s = 77 + v->step + 100 * v->role + 1000 * v->tile, i, rest;

	for (i = 0; i < v->bytes / elem; i++) {
		int64_t at = 0;

		for (a = rank, rest = i; a-- > 0; rest /= (uint64_t)role->piece[a])
			at += ((int64_t)(rest % (uint64_t)role->piece[a]) + pl->at[a]) *
			      pl->stride[a];
		memcpy((uint8_t *)data + i * elem, at_tile(r->before, v->tile) + pl->base +
		       v->tile * pl->per_tile + at * elem, elem);
	}
	if (!role->global)
		return 0;
	for (i = 0; i < v->bytes; i++)
		((uint8_t *)data)[i] = (uint8_t)(noise(&s) >> 20);
	free(part->data);
	part->bytes = v->bytes;
	part->data = malloc(v->bytes + 1);
	memcpy(part->data, data, v->bytes);
	return 0;
}

static int take(void *ctx, const struct ktdev_value *v, const void *data)
{
	struct run *r = ctx;
	struct ref_value *got = &r->got[v->step][v->role][v->tile];

	got->bytes = v->bytes;
	got->data = malloc(v->bytes + 1);
	memcpy(got->data, data, v->bytes);
	return 0;
}

static int pad_in(void *ctx, uint32_t tile, void *data, uint64_t bytes)
{
	struct run *r = ctx;

	memcpy(data, at_tile(r->before, tile), bytes);
	return 0;
}

static int pad_out(void *ctx, uint32_t tile, const void *data, uint64_t bytes)
{
	struct run *r = ctx;

	memcpy(at_tile(r->after, tile), data, bytes);
	return 0;
}

/* --- comparing ------------------------------------------------------------------------------ */

/* Bytes whose content is the library's affair: scratch, and places it chose. */
static void mask_plan(struct run *r, const struct ktdev_plan *plan)
{
	uint32_t i, t, k;

	memset(r->mask, 0, (size_t)r->p->tiles * RP_PAD);
	for (i = 0; i < plan->n_scratch; i++)
		for (t = 0; t < (uint32_t)r->p->tiles; t++)
			if (plan->scratch[i].tile == t || plan->scratch[i].tile == KT_ALL_TILES)
				memset(at_tile(r->mask, t) + plan->scratch[i].offset, 1,
				       plan->scratch[i].bytes);
	for (i = 0; i < plan->n_io; i++)
		for (k = 0; k < plan->io[i].n_pieces; k++)
			if (plan->io[i].pieces[k].placed)
				memset(at_tile(r->mask, plan->io[i].tile) +
				       plan->io[i].pieces[k].offset, 1, plan->io[i].bytes);
}

static void compare(struct run *r)
{
	int k, role, t;
	long i;

	for (t = 0; t < r->p->tiles; t++)
		for (i = 0; i < RP_PAD; i++)
			if (at_tile(r->after, (uint32_t)t)[i] != r->ref.pad[t][i] &&
			    !at_tile(r->mask, (uint32_t)t)[i])
				differ(r, "scratchpad", -1, t, i);
	for (k = 0; k < r->p->n; k++)
		for (role = 0; role < (int)r->p->d[k].n_roles; role++)
			for (t = 0; t < r->p->tiles; t++) {
				const struct ref_value *w = &r->ref.result[k][role][t];
				const struct ref_value *g = &r->got[k][role][t];

				if (!w->data != !g->data)
					differ(r, "who receives", k, t, role);
				else if (w->data && memcmp(w->data, g->data, g->bytes))
					differ(r, "result", k, t, role);
			}
}

static void run_init(struct run *r, const struct rprog *p, uint64_t seed)
{
	size_t all = (size_t)p->tiles * RP_PAD, i;
	uint64_t s = seed * 2654435761u + 99;
	int t;

	memset(r, 0, sizeof(*r));
	r->p = p;
	r->before = malloc(all);
	r->after = malloc(all);
	r->expect = malloc(all);
	r->mask = malloc(all);
	for (i = 0; i + 8 <= all; i += 8) {
		uint64_t v = noise(&s);

		memcpy(r->before + i, &v, 8);
	}
	memcpy(r->expect, r->before, all);
	for (t = 0; t < p->tiles; t++)
		r->ref.pad[t] = at_tile(r->expect, (uint32_t)t);
}

static void run_fini(struct run *r)
{
	int k, role, t;

	ref_fini(&r->ref);
	for (k = 0; k < RP_MAX_DELIVERIES; k++)
		for (role = 0; role < 2; role++)
			for (t = 0; t < RP_MAX_TILES; t++)
				free(r->got[k][role][t].data);
	free(r->before);
	free(r->after);
	free(r->expect);
	free(r->mask);
}

/* Run a plan and compare; the number of differences, or a negative errno. */
static long run_plan(struct ktdev_device *dev, const struct ktdev_plan *plan,
		     const struct rprog *p, uint64_t seed, char *what)
{
	struct ktdev_submit_opts o = {
		.size = sizeof(o), .output = take, .pads_in = pad_in, .pads_out = pad_out,
		.sync = seed & 1 ? KTDEV_SYNC_PER_TILE : KTDEV_SYNC_BARRIER,
	};
	struct ktdev_result res = { .size = sizeof(res) };
	struct ktdev_job *job = NULL;
	struct run r;
	long ret;

	run_init(&r, p, seed);
	o.ctx = &r;
	if (!p->hazards)
		o.input = give;
	ret = ktdev_submit(dev, plan, &o, &job);
	if (!ret)
		ret = ktdev_job_wait(job, -1, &res);
	ktdev_job_free(job);
	if (!ret) {
		mask_plan(&r, plan);
		ref_run(p, &r.ref);
		compare(&r);
		ret = (long)r.wrong;
		memcpy(what, r.what, sizeof(r.what));
	}
	run_fini(&r);
	return ret;
}

/* The same plan after writing and reading it in one of the two forms. */
static struct ktdev_plan *round_trip(const struct ktdev_plan *plan, bool json,
				     struct ktdev_report *rep)
{
	struct ktdev_plan *again = NULL;
	void *data = NULL;
	size_t len = 0;
	int ret = json ? ktdev_plan_to_json(plan, (char **)&data, &len) :
			 ktdev_plan_to_binary(plan, &data, &len);

	if (!ret)
		ktdev_plan_read("again", data, len, rep, &again);
	free(data);
	return again;
}

static void print_findings(const struct ktdev_report *rep)
{
	size_t i;

	for (i = 0; i < ktdev_report_count(rep); i++) {
		const struct ktdev_diag *d = ktdev_report_get(rep, i);

		if (d->severity != KTDEV_WARNING)
			diag("%u:%u: %s: %s", d->range.line, d->range.col, d->rule ? d->rule : "-",
			     d->message);
	}
}

enum outcome { RAN, REFUSED, FAILED };

static enum outcome one(struct ktdev_device *dev, uint64_t seed)
{
	struct ktdev_compile_opts o = { .size = sizeof(o), .cores = RP_MAX_TILES, .window = RP_PAD,
					.uncapped = true };
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_result res = { .size = sizeof(res) };
	struct ktdev_module *mod = NULL;
	struct ktdev_plan *plan = NULL, *again = NULL;
	enum outcome out = FAILED;
	char what[200] = "";
	struct rprog p;
	char *text;
	long ret;

	rp_random(&p, seed);
	text = rp_emit(&p);
	ret = ktdev_module_parse("random", text, strlen(text), rep, &mod);
	if (!ret)
		ret = ktdev_plan_from_module(mod, &o, rep, &plan);
	if (p.hazards && (ret == -EOPNOTSUPP || ret == -EINVAL)) {
		/* orders and overlaps that cannot be kept are refused; nothing else is */
		const struct ktdev_diag *d = NULL;
		size_t i;

		for (i = 0; i < ktdev_report_count(rep); i++) {
			d = ktdev_report_get(rep, i);
			if (d->severity == KTDEV_ERROR || d->severity == KTDEV_UNSUPPORTED)
				break;
		}
		if (d && d->rule && !strcmp(d->rule, "K13")) {
			out = REFUSED;
			goto end;
		}
	}
	if (!ret)
		ret = run_plan(dev, plan, &p, seed, what);
	if (!ret && seed % 4 == 0) {
		again = round_trip(plan, seed % 8 == 0, rep);
		ret = again ? run_plan(dev, again, &p, seed, what) : -EPROTO;
	}
	if (!ret) {
		ret = ktdev_check(dev, mod, &o, 1, rep, &res);
		if (!ret && !res.ok) {
			ret = (long)res.mismatches;
			snprintf(what, sizeof(what), "check, pass %s: step %u tile %u role %u element %ld",
				 res.first.pass, res.first.step, res.first.tile, res.first.role,
				 (long)res.first.element);
		}
	}
	if (!ret) {
		out = RAN;
	} else {
		diag("seed %llu: %ld (%s)", (unsigned long long)seed, ret, what);
		print_findings(rep);
		if (getenv("KTDEV_PROPERTY_TEXT"))
			fputs(text, stderr);
	}
end:
	ktdev_plan_free(again);
	ktdev_plan_free(plan);
	ktdev_module_free(mod);
	ktdev_report_free(rep);
	free(text);
	return out;
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1, i;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : argc > 1 ? 1 : tap_rounds(COUNT);
	uint64_t n[3] = {0};
	struct ktdev_device *dev;

	if (ktdev_device_open("soft:cores=40,spm-size=128K", NULL, &dev))
		bail_out("no soft device");
	for (i = 0; i < count; i++)
		n[one(dev, first + i)]++;
	ktdev_device_close(dev);
	diag("%llu programs ran, %llu refused", (unsigned long long)n[RAN],
	     (unsigned long long)n[REFUSED]);
	is_u64(n[FAILED], 0, "random programs do what they mean");
	ok(n[REFUSED] <= count / 5, "few are refused");
	return done_testing();
}
