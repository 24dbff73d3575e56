// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Preparation, ground floor: growing arrays, operations, and nests of runs cut into
 * steps of a bounded number of bytes.
 */
#include "exec_prog.h"

void *kte_vec_add(struct kte_prog *prog, struct kte_vec *v, size_t item, uint32_t n)
{
	uint32_t cap = v->cap ? v->cap : 64;
	void *p;

	if (n > UINT32_MAX / 8 - v->n)
		return NULL;
	while (cap < v->n + n)
		cap *= 4;
	if (cap != v->cap) {
		p = prog->env.alloc(prog->env.ctx, cap * item);
		if (!p)
			return NULL;
		if (v->n)
			memcpy(p, v->p, v->n * item);
		prog->env.free(prog->env.ctx, v->p);
		v->p = p;
		v->cap = cap;
	}
	p = (uint8_t *)v->p + v->n * item;
	v->n += n;
	return p;
}

void kte_vec_free(struct kte_prog *prog, struct kte_vec *v)
{
	prog->env.free(prog->env.ctx, v->p);
	memset(v, 0, sizeof(*v));
}

int kte_build_tick(struct kte_build *b, uint32_t work)
{
	struct kte_env *env = &b->prog->env;

	b->ticks += work;
	if (b->ticks < 2048)
		return 0;
	b->ticks = 0;
	return env->tick ? env->tick(env->ctx) : 0;
}

void kte_nest_init(struct kte_piece *p, uint32_t rank, const uint32_t *size, uint32_t elem,
		   const uint64_t *ss, const uint64_t *ds)
{
	struct kte_dim *d = p->dim;
	uint32_t a, i, n = 0;

	for (a = 0; a < rank; a++) {
		if (size[a] < 2)
			continue;
		for (i = n++; i && d[i - 1].ds < ds[a]; i--)
			d[i] = d[i - 1];
		d[i] = (struct kte_dim){ size[a], ss[a], ds[a] };
	}
	p->run = elem;
	while (n && d[n - 1].ss == p->run && d[n - 1].ds == p->run)
		p->run *= d[--n].n;
	for (i = n; i-- > 1;) {
		if (d[i - 1].ss != d[i].n * d[i].ss || d[i - 1].ds != d[i].n * d[i].ds)
			continue;
		d[i].n *= d[i - 1].n;
		d[i].ss = d[i].ss;
		memmove(&d[i - 1], &d[i], (n - i) * sizeof(*d));
		n--;
	}
	p->rank = n;
}

struct kte_insn *kte_add_op(struct kte_build *b, enum kte_kind kind, const struct kte_class *c)
{
	struct kte_insn *op = kte_vec_add(b->prog, &b->prog->ops, sizeof(*op), 1);

	if (!op)
		return NULL;
	op->kind = kind;
	if (c) {
		op->member = c->first;
		op->n_members = c->count;
	}
	return op;
}

/* @cum holds the bytes the step writes, all members, until the steps are summed up. */
int kte_add_step(struct kte_build *b, uint64_t src, uint64_t dst, uint64_t n, uint64_t bytes)
{
	struct kte_step *st = kte_vec_add(b->prog, &b->prog->steps, sizeof(*st), 1);

	if (!st)
		return -ENOMEM;
	st->src = src;
	st->dst = dst;
	st->n = n;
	st->op = b->prog->ops.n - 1;
	st->cum = bytes;
	return kte_build_tick(b, 1);
}

int kte_add_stream(struct kte_build *b, uint32_t tile, uint64_t off, uint64_t len)
{
	struct kte_stream *s = kte_vec_add(b->prog, &b->prog->streams, sizeof(*s), 1);

	if (!s)
		return -ENOMEM;
	s->tile = tile;
	s->off = off;
	s->len = len;
	return 0;
}

/* How many of the outermost loops of a nest are enumerated as steps of their own. */
uint32_t kte_split_rank(const struct kte_dim *d, uint32_t rank, uint64_t run, uint64_t limit,
			uint64_t *inner)
{
	*inner = run;
	while (rank && *inner * d[rank - 1].n <= limit)
		*inner *= d[--rank].n;
	return rank;
}

/*
 * Cut a nest into steps of at most @limit bytes (@run bytes of it per innermost
 * iteration, written @copies times). The loops of @op are those from the split one on.
 * Where the split loop is the last but one, its chunks are a multiple of @unit.
 */
int kte_add_nest_steps(struct kte_build *b, struct kte_insn *op, const struct kte_piece *p,
		       uint64_t src, uint64_t run, uint64_t limit, uint32_t unit,
		       uint64_t copies)
{
	uint64_t inner, at[KTE_MAX_RANK] = { 0 }, i, chunk, n, dst = p->dst;
	uint32_t split = kte_split_rank(p->dim, p->rank, run, limit, &inner), a;
	int err;

	if (!split) {
		n = p->rank ? p->dim[0].n : run;
		return kte_add_step(b, src, dst, n, (p->rank ? inner : run) * copies);
	}
	split--;
	op->rank = p->rank - split;
	op->dim += split;
	op->out_run = inner;
	if (split + 2 != p->rank)
		unit = 1;
	chunk = limit / inner / unit * unit;
	if (!chunk)
		chunk = unit;
	for (;;) {
		const struct kte_dim *d = &p->dim[split];

		for (i = 0; i < d->n; i += n) {
			n = d->n - i < chunk ? d->n - i : chunk;
			err = kte_add_step(b, src + i * d->ss, dst + i * d->ds, n,
					   n * inner * copies);
			if (err)
				return err;
		}
		for (a = split; a-- > 0;) {
			src += p->dim[a].ss;
			dst += p->dim[a].ds;
			if (++at[a] < p->dim[a].n)
				break;
			src -= p->dim[a].n * p->dim[a].ss;
			dst -= p->dim[a].n * p->dim[a].ds;
			at[a] = 0;
		}
		if (a == UINT32_MAX)
			return 0;
	}
}

/* Every run of a nest as steps of their own, for runs as long as a step or longer. */
int kte_add_run_steps(struct kte_build *b, const struct kte_piece *p, uint64_t src,
		      uint64_t copies)
{
	uint64_t dst = p->dst, at[KTE_MAX_RANK] = { 0 }, i, n;
	uint32_t a;
	int err;

	for (;;) {
		for (i = 0; i < p->run; i += n) {
			n = p->run - i < KTE_BLOCK ? p->run - i : KTE_BLOCK;
			err = kte_add_step(b, src + i, dst + i, n, n * copies);
			if (err)
				return err;
		}
		for (a = p->rank; a-- > 0;) {
			src += p->dim[a].ss;
			dst += p->dim[a].ds;
			if (++at[a] < p->dim[a].n)
				break;
			src -= p->dim[a].n * p->dim[a].ss;
			dst -= p->dim[a].n * p->dim[a].ds;
			at[a] = 0;
		}
		if (a == UINT32_MAX)
			return 0;
	}
}

int kte_add_dims(struct kte_build *b, const struct kte_dim *dim, uint32_t n, uint32_t *first)
{
	struct kte_dim *d = kte_vec_add(b->prog, &b->prog->dims, sizeof(*d), n);

	if (!d)
		return -ENOMEM;
	*first = b->prog->dims.n - n;
	memcpy(d, dim, n * sizeof(*d));
	return 0;
}

int kte_emit_local(struct kte_build *b, uint32_t klass, uint64_t stage_stride[][KTE_MAX_RANK])
{
	struct kte_prog *prog = b->prog;
	const struct kte_class *c = &prog->classes[klass];
	const struct kte_entry *e = &prog->dests[c->rep];
	const struct kte_space *sp = kte_prog_space(prog, e);
	struct kte_piece p = { 0 };
	struct kte_insn *op;
	uint32_t role, i;
	int err = 0;

	for (role = 0; role < sp->roles && !err; role++) {
		kte_nest_init(&p, sp->rank, e->size, sp->elem_bytes[role], stage_stride[role],
			      e->stride[role]);
		op = kte_add_op(b, KTE_K_LOCAL, c);
		if (!op)
			return -ENOMEM;
		op->g = role;
		op->run = p.run;
		if (!p.rank || p.run > KTE_BLOCK) {
			err = kte_add_run_steps(b, &p, 0, c->count);
			continue;
		}
		if (kte_add_dims(b, p.dim, p.rank, &op->dim))
			return -ENOMEM;
		op->rank = p.rank;
		op->out_run = p.run;
		for (i = 1; i < p.rank; i++)
			op->out_run *= p.dim[i].n;
		err = kte_add_nest_steps(b, op, &p, 0, p.run, KTE_BLOCK, 1, c->count);
	}
	return err;
}
