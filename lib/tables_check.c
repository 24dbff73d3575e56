// SPDX-License-Identifier: MIT
/*
 * Running a relayout and comparing every byte with what the tables alone say: a
 * destination piece is its box of the tensor, contributions are folded in ascending core.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check_run.h"
#include "opts.h"
#include "relayout.h"

/* The inputs of a fold, one per addend, in order. */
struct addends {
	uint32_t n;
	uint8_t **data;
};

/* The source piece that holds an element. */
static const struct kt_part *source_of(const struct kt_side *s, const uint32_t *at, uint32_t rank)
{
	uint32_t i, a;

	for (i = 0; i < s->n; i++) {
		const struct kte_box *b = &s->pieces[i].box;

		for (a = 0; a < rank; a++)
			if (at[a] < b->start[a] || at[a] - b->start[a] >= b->size[a])
				break;
		if (a == rank)
			return &s->pieces[i];
	}
	return NULL;
}

static void fold_element(const struct ktdev_relayout *rel, const struct addends *in,
			 const uint32_t *at, uint64_t pos, uint8_t *out)
{
	const struct kt_part *p = source_of(&rel->side[KTDEV_SOURCE], at, rel->rank);
	uint64_t byte = pos * rel->elem_bytes;
	struct kt_fold_value v;
	uint32_t t;

	kt_fold_begin(&v, rel->kte_dtype, in->data[0] + byte, 0, NULL);
	for (t = 1; t < p->n_owners; t++)
		kt_fold_add(&v, rel->fold_op, rel->fold_mode, rel->kte_dtype,
			    in->data[t] + byte, 0, NULL);
	kt_fold_end(&v, rel->kte_dtype, out, 0, NULL);
}

/* A box of the tensor, packed. */
static void eval_box(const struct ktdev_relayout *rel, const struct addends *in,
		     const struct kte_box *box, uint8_t *out)
{
	bool fold = rel->side[KTDEV_SOURCE].value == KTDEV_VALUE_CONTRIBUTIONS;
	uint64_t n = kt_box_volume(box, rel->rank), e, pos;
	uint32_t at[KT_AXES], a, es = rel->elem_bytes;

	memcpy(at, box->start, sizeof(at));
	for (e = 0; e < n; e++, out += es) {
		for (a = 0, pos = 0; a < rel->rank; a++)
			pos = pos * rel->axes[a].extent + at[a];
		if (fold)
			fold_element(rel, in, at, pos, out);
		else
			memcpy(out, in->data[0] + pos * es, es);
		for (a = rel->rank; a-- > 0;) {
			if (++at[a] < box->start[a] + box->size[a])
				break;
			at[a] = box->start[a];
		}
	}
}

static int eval_relayout(const void *ctx, const struct ktdev_plan *plan, uint8_t *const *inputs,
			 uint8_t *const *outputs, uint8_t *const *pads, uint64_t pad_bytes)
{
	const struct ktdev_relayout *rel = ctx;
	const struct kt_side *d = &rel->side[KTDEV_DESTINATION];
	struct addends in = { 0, NULL };
	struct kt_owned *list;
	uint32_t i, n, next = 0;
	int ret = 0;

	(void)pad_bytes;
	list = kt_owned_list(d, &n);
	in.data = calloc((size_t)plan->n_io + 1, sizeof(*in.data));
	if (!list || !in.data)
		ret = -ENOMEM;
	for (i = 0; !ret && i < plan->n_io; i++) {
		if (plan->io[i].output)
			continue;
		in.data[in.n++] = inputs[i];
		kt_io_to_pads(&plan->io[i], inputs[i], pads);
	}
	for (i = 0; !ret && i < plan->n_io; i++) {
		if (!plan->io[i].output)
			continue;
		if (next == n || plan->io[i].tile != list[next].core) {
			ret = -EINVAL;
			break;
		}
		eval_box(rel, &in, &d->pieces[list[next++].piece].box, outputs[i]);
		kt_io_to_pads(&plan->io[i], outputs[i], pads);
	}
	if (!ret && next != n)
		ret = -EINVAL;
	free(in.data);
	free(list);
	return ret;
}

int ktdev_check_relayout(struct ktdev_device *dev, const struct ktdev_relayout *rel,
			 enum ktdev_elect elect, const struct ktdev_compile_opts *opts,
			 unsigned int repeat, struct ktdev_report *rep, struct ktdev_result *res)
{
	struct kt_oracle oracle = { .ctx = rel, .eval = eval_relayout };
	struct ktdev_compile_opts o;
	struct ktdev_plan *plan;
	int ret = kt_opts_copy(&o, sizeof(o), opts);

	if (ret)
		return ret;
	o.size = sizeof(o);
	if (!o.cores)
		o.cores = dev->info.cores;
	if (!o.window)
		o.window = dev->info.spm_bytes;
	ret = ktdev_plan_from_relayout(rel, elect, &o, rep, &plan);
	if (ret)
		return ret;
	ret = kt_check_plan(dev, plan, &oracle, repeat, res);
	ktdev_plan_free(plan);
	return ret;
}
