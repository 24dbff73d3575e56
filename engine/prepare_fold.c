// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Preparation of fold classes: one operation, steps of a block of elements each. */
#include "exec_prog.h"

/* Loops of a fold: groups of axes that every stream allows to be fused. */
struct fold_loops {
	uint32_t rank;
	uint32_t axis[KTE_MAX_RANK];	/* innermost axis of the group: its stride counts */
	uint64_t count[KTE_MAX_RANK];
};

/* Axes of size above 1, largest destination stride first. */
static void order_axes(struct fold_loops *l, const struct kte_entry *e, uint32_t rank,
		       const uint64_t *stride)
{
	uint32_t a, i;

	l->rank = 0;
	for (a = 0; a < rank; a++) {
		if (e->size[a] < 2)
			continue;
		for (i = l->rank++; i && stride[l->axis[i - 1]] < stride[a]; i--)
			l->axis[i] = l->axis[i - 1];
		l->axis[i] = a;
	}
	for (i = 0; i < l->rank; i++)
		l->count[i] = e->size[l->axis[i]];
}

static bool fuses(const struct fold_loops *l, uint32_t i, const uint64_t *stride)
{
	return stride[l->axis[i]] == l->count[i + 1] * stride[l->axis[i + 1]];
}

static bool all_fuse(const struct kte_build *b, const struct kte_entry *e, uint32_t roles,
		     const struct fold_loops *l, uint32_t i, uint64_t stride[][KTE_MAX_RANK])
{
	const struct kte_prog *prog = b->prog;
	uint32_t r, c;

	for (r = 0; r < roles; r++) {
		if (!fuses(l, i, stride[r]))
			return false;
		for (c = 0; c < e->count; c++)
			if (!fuses(l, i, prog->sources[prog->edges[e->first + c]].stride[r]))
				return false;
	}
	return true;
}

static void fuse_axes(const struct kte_build *b, const struct kte_entry *e, uint32_t roles,
		      struct fold_loops *l, uint64_t stride[][KTE_MAX_RANK])
{
	uint32_t i, k;

	for (i = l->rank; i-- > 1;) {
		if (!all_fuse(b, e, roles, l, i - 1, stride))
			continue;
		l->count[i - 1] *= l->count[i];
		l->axis[i - 1] = l->axis[i];
		for (k = i; k + 1 < l->rank; k++) {
			l->count[k] = l->count[k + 1];
			l->axis[k] = l->axis[k + 1];
		}
		l->rank--;
	}
}

static uint64_t *put_strides(uint64_t *w, const struct fold_loops *l, const uint64_t *stride,
			     uint32_t elem)
{
	uint32_t i;

	if (!l->rank)
		*w++ = elem;
	for (i = 0; i < l->rank; i++)
		*w++ = stride[l->axis[i]];
	return w;
}

/* Counts, destination strides, then offset and strides of each contribution. */
static int add_words(struct kte_build *b, struct kte_fold *f, const struct fold_loops *l,
		     const struct kte_entry *e, uint32_t rank, uint64_t stride[][KTE_MAX_RANK])
{
	struct kte_prog *prog = b->prog;
	uint64_t n = (uint64_t)f->rank * (1 + f->roles) +
		     (uint64_t)f->count * f->roles * (1 + f->rank), *w;
	uint32_t i, r, c;
	int err = 0;

	if (n > UINT32_MAX / 2)
		return -ENOMEM;
	f->word = prog->words.n;
	f->stream = prog->streams.n;
	w = kte_vec_add(prog, &prog->words, sizeof(*w), n);
	if (!w)
		return -ENOMEM;
	for (i = 0; i < f->rank; i++)
		*w++ = l->rank ? l->count[i] : 1;
	for (r = 0; r < f->roles; r++)
		w = put_strides(w, l, stride[r], f->elem[r]);
	for (c = 0; c < f->count && !err; c++) {
		const struct kte_entry *s = &prog->sources[prog->edges[e->first + c]];

		err = kte_add_stream(b, s->tile, 0, 0);
		for (r = 0; r < f->roles; r++)
			*w++ = kte_byte_of(s, rank, r, e->start);
		for (r = 0; r < f->roles; r++)
			w = put_strides(w, l, s->stride[r], f->elem[r]);
		if (!err)
			err = kte_build_tick(b, 1);
	}
	return err;
}

static int add_fold_steps(struct kte_build *b, struct kte_fold *f, const uint64_t *count,
			  uint64_t limit, uint64_t members)
{
	uint64_t outer = 1, inner = 1, chunk, o, i, n, bytes = f->elem[0] + f->elem[1];
	uint32_t split = f->rank - 1;
	int err;

	while (split && inner * count[split] <= limit)
		inner *= count[split--];
	f->split = split;
	f->inner = inner;
	chunk = limit / inner;
	for (i = 0; i < split; i++)
		outer *= count[i];
	for (o = 0; o < outer; o++) {
		for (i = 0; i < count[split]; i += n) {
			n = count[split] - i < chunk ? count[split] - i : chunk;
			err = kte_add_step(b, o, i, n, n * inner * bytes * members);
			if (err)
				return err;
		}
	}
	return 0;
}

int kte_emit_fold(struct kte_build *b, uint32_t klass, uint64_t stride[][KTE_MAX_RANK])
{
	struct kte_prog *prog = b->prog;
	const struct kte_class *c = &prog->classes[klass];
	const struct kte_entry *e = &prog->dests[c->rep];
	const struct kte_space *sp = kte_prog_space(prog, e);
	struct kte_insn *op = kte_add_op(b, KTE_K_FOLD, c);
	struct kte_fold *f = kte_vec_add(prog, &prog->folds, sizeof(*f), 1);
	uint64_t count[KTE_MAX_RANK] = { 1 };
	struct fold_loops loops;
	uint32_t r;
	int err;

	if (!op || !f)
		return -ENOMEM;
	op->fold = prog->folds.n - 1;
	f->op = sp->op;
	f->mode = sp->mode;
	f->roles = sp->roles;
	for (r = 0; r < sp->roles; r++) {
		f->dtype[r] = sp->dtype[r];
		f->elem[r] = sp->elem_bytes[r];
	}
	f->count = e->count;
	order_axes(&loops, e, sp->rank, stride[0]);
	fuse_axes(b, e, sp->roles, &loops, stride);
	f->rank = loops.rank ? loops.rank : 1;
	if (loops.rank)
		memcpy(count, loops.count, loops.rank * sizeof(count[0]));
	err = add_words(b, f, &loops, e, sp->rank, stride);
	if (err)
		return err;
	return add_fold_steps(b, f, count, sp->roles > 1 ? KTE_ARG_BLOCK :
			      KTE_FOLD_BLOCK / f->elem[0], c->count);
}
