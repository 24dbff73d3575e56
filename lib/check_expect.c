// SPDX-License-Identifier: MIT
/*
 * What a file itself says it must do, in EXPECT lines: an evaluation of the source can
 * only tell that a program was carried out, not that it is the one its writer meant.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check_run.h"
#include "expect.h"
#include "fill.h"

struct meant {
	uint64_t pad_bytes;
	uint8_t *before, *after;
	uint8_t **pads_before, **pads_after;
};

static int give_pad(void *ctx, uint32_t tile, void *data, uint64_t bytes)
{
	struct meant *m = ctx;

	memcpy(data, m->pads_before[tile], bytes);
	return 0;
}

static int take_pad(void *ctx, uint32_t tile, const void *data, uint64_t bytes)
{
	struct meant *m = ctx;

	memcpy(m->pads_after[tile], data, bytes);
	return 0;
}

/* One past the last byte that a line names or the plan touches. */
static uint64_t reach(const struct kt_expect *e, const struct ktdev_plan *plan)
{
	uint64_t end = 0;
	uint32_t i, j;

	for (i = 0; i < plan->n_steps; i++) {
		const struct kte_image_header *h = plan->steps[i].image;

		if (h->window_bytes > end)
			end = h->window_bytes;
	}
	for (i = 0; i < e->n_lines; i++) {
		uint64_t at = e->lines[i].offset;

		for (j = 0; j < e->lines[i].n_items; j++) {
			const struct kt_expect_item *it = &e->lines[i].items[j];

			at += it->bytes;
			if (it->move && it->offset + it->bytes > end)
				end = it->offset + it->bytes;
		}
		if (at > end)
			end = at;
	}
	return end;
}

static void meant_fini(struct meant *m)
{
	free(m->before);
	free(m->after);
	free(m->pads_before);
	free(m->pads_after);
}

static int meant_init(struct meant *m, const struct kt_expect *e, const struct ktdev_plan *plan)
{
	uint32_t i;

	m->pad_bytes = reach(e, plan);
	m->before = malloc(plan->n_tiles * m->pad_bytes + 1);
	m->after = malloc(plan->n_tiles * m->pad_bytes + 1);
	m->pads_before = calloc(plan->n_tiles + 1, sizeof(*m->pads_before));
	m->pads_after = calloc(plan->n_tiles + 1, sizeof(*m->pads_after));
	if (!m->before || !m->after || !m->pads_before || !m->pads_after)
		return -ENOMEM;
	for (i = 0; i < plan->n_tiles; i++) {
		m->pads_before[i] = m->before + i * m->pad_bytes;
		m->pads_after[i] = m->after + i * m->pad_bytes;
	}
	kt_fill_noise(m->before, plan->n_tiles * m->pad_bytes, 0x6d65616e74ull);
	kt_expect_fill(e, m->pads_before);
	return 0;
}

static void tell(const struct kt_expect_mismatch *first, const struct ktdev_plan *plan,
		 uint64_t wrong, struct ktdev_result *res)
{
	static const char digits[] = "0123456789abcdef";
	struct ktdev_mismatch *m = &res->first;

	if (!res->mismatches) {
		*m = (struct ktdev_mismatch){
			.step = plan->n_steps - 1, .tile = first->tile, .element = -1,
			.address = first->offset, .pass = "expect",
		};
		m->expected[0] = digits[first->want >> 4];
		m->expected[1] = digits[first->want & 15];
		m->found[0] = digits[first->got >> 4];
		m->found[1] = digits[first->got & 15];
	}
	res->mismatches += wrong;
	res->ok = false;
}

/* Elements are counted in the size of what the last delivery moves. */
static unsigned int elem_bytes(const struct ktdev_plan *plan)
{
	const struct kte_image_header *h = plan->steps[plan->n_steps - 1].image;

	return ((const struct kte_space *)(h + 1))->elem_bytes[0];
}

int kt_check_expect(struct ktdev_device *dev, const struct ktdev_plan *plan,
		    const struct kt_source *src, struct ktdev_report *rep, struct kt_arena *a,
		    struct ktdev_result *res)
{
	struct ktdev_submit_opts o = { .size = sizeof(o), .pads_in = give_pad,
				       .pads_out = take_pad };
	struct kt_expect_mismatch first;
	struct meant m = {0};
	struct kt_expect e;
	struct ktdev_job *job = NULL;
	uint64_t wrong;
	int ret;

	ret = kt_expect_parse(src, plan->n_tiles, dev->info.spm_bytes, rep, a, &e);
	if (ret || !kt_expect_any(&e) || !plan->n_steps)
		return ret;
	o.ctx = &m;
	ret = meant_init(&m, &e, plan);
	if (!ret)
		ret = kt_submit(dev, plan, &o, m.pad_bytes, &job);
	if (!ret)
		ret = ktdev_job_wait(job, -1, NULL);
	if (!ret) {
		wrong = kt_expect_compare(&e, m.pads_before, m.pads_after, elem_bytes(plan), &first);
		if (wrong)
			tell(&first, plan, wrong, res);
	}
	ktdev_job_free(job);
	meant_fini(&m);
	return ret;
}
