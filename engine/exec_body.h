/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The interpreter of prepared programs, compiled once per instruction set. The
 * including file defines
 *	KTE_EXEC_NAME		the function to define, see exec_prog.h
 *	KTE_FOLD_FIND		kte_fold_find_generic or _avx2
 *	KTE_LANES		optional: AVX2 instructions may be used
 *	KTE_STREAM_32(d, s)	optional: store 32 aligned bytes past the caches
 *	KTE_STREAM_FENCE()	with it: order those stores
 */
#ifndef KTE_EXEC_BODY_H
#define KTE_EXEC_BODY_H

#include "copy_body.h"
#include "fold.h"

/*
 * Scratch: accumulators, results, gathered contributions of a fold; or a block.
 * Role 1 is that of ARGMIN and ARGMAX, whose blocks are KTE_ARG_BLOCK elements.
 */
#define ARG_BYTES		(KTE_ARG_BLOCK * 8)
#define SCRATCH_ROLE1		((3 + KTE_FOLD_GROUP) * KTE_FOLD_BLOCK)
#define SCRATCH_ACC(role)	((role) ? SCRATCH_ROLE1 : 0)
#define SCRATCH_OUT(role)	((role) ? SCRATCH_ROLE1 + ARG_BYTES : 2 * KTE_FOLD_BLOCK)
#define SCRATCH_IN(role, i)	((role) ? SCRATCH_ROLE1 + (2 + (i)) * ARG_BYTES : \
				 (3 + (i)) * KTE_FOLD_BLOCK)
_Static_assert(SCRATCH_IN(1, KTE_FOLD_GROUP) <= KTE_SCRATCH_BYTES, "scratch layout");
_Static_assert(KTE_BLOCK <= KTE_SCRATCH_BYTES, "scratch layout");

struct exec {
	const struct kte_prog *prog;
	const struct kte_run *run;
	uint8_t *const *pads;
	uint8_t *scratch;
	uint64_t since;		/* bytes since the stop callback was asked */
	bool stream;
	uint32_t m0;		/* members of the step at hand, within its operation */
	uint32_t m1;
};

KTE_INLINE bool spent(struct exec *x, uint64_t bytes)
{
	x->since += bytes;
	if (x->since < KTE_STOP_BYTES)
		return false;
	x->since = 0;
	return x->run->stop && x->run->stop(x->run->stop_ctx);
}

KTE_INLINE const struct kte_dim *dims_at(const struct exec *x, uint32_t i)
{
	const struct kte_dim *dims = x->prog->dims.p;

	return dims ? dims + i : NULL;	/* an operation without outer axes asks for none */
}

KTE_INLINE const struct kte_stream *streams_at(const struct exec *x, uint32_t i)
{
	const struct kte_stream *streams = x->prog->streams.p;

	return streams ? streams + i : NULL;
}

KTE_INLINE uint8_t *member_at(const struct exec *x, const struct kte_member *m, uint64_t dst)
{
	return x->pads[m->tile] + m->off + dst;
}

/* 128 or 256 bytes, read once. */
KTE_INLINE void spread_registers(uint8_t *const *pads, const struct kte_member *m,
				 const struct kte_member *end, uint64_t dst, const uint8_t *s,
				 size_t n)
{
	const v32_t a = *(const v32_t *)s, b = *(const v32_t *)(s + 32);
	const v32_t c = *(const v32_t *)(s + 64), e = *(const v32_t *)(s + 96);
	const uint8_t *t = s + n - 128;
	const v32_t f = *(const v32_t *)t, g = *(const v32_t *)(t + 32);
	const v32_t h = *(const v32_t *)(t + 64), k = *(const v32_t *)(t + 96);

	/* Addresses ahead of stores: a load must not wait for a store that looks alike. */
	for (; m < end; m += 4) {
		uint8_t *to[4];
		uint32_t i, count = end - m < 4 ? end - m : 4;

		_Pragma("GCC unroll 4")
		for (i = 0; i < 4; i++) {
			const struct kte_member *at = m + (i < count ? i : 0);

			to[i] = pads[at->tile] + at->off + dst;
		}
		_Pragma("GCC unroll 4")
		for (i = 0; i < 4; i++) {
			uint8_t *d = to[i];

			*(v32_t *)d = a;
			*(v32_t *)(d + 32) = b;
			*(v32_t *)(d + 64) = c;
			*(v32_t *)(d + 96) = e;
			if (n == 128)
				continue;
			*(v32_t *)(d + 128) = f;
			*(v32_t *)(d + 160) = g;
			*(v32_t *)(d + 192) = h;
			*(v32_t *)(d + 224) = k;
		}
	}
}

/* Contiguous bytes to every member. */
static bool spread_bytes(struct exec *x, const struct kte_member *m, uint64_t dst,
			 const uint8_t *s, size_t n)
{
	const struct kte_member *end = m + x->m1;
	uint8_t *const *pads = x->pads;

	m += x->m0;
	if (x->stream || n > KTE_STOP_BYTES / 64 || end - m > 64) {
		for (; m < end; m++) {
			if (x->stream)
				copy_stream(member_at(x, m, dst), s, n);
			else
				copy_bytes(member_at(x, m, dst), s, n);
			if (spent(x, n))
				return true;
		}
		return false;
	}
	x->since += (end - m) * n;
	if (n <= 1024 && n % 128 == 0) {
		for (; n > 256; n -= 256, s += 256, dst += 256)
			spread_registers(pads, m, end, dst, s, 256);
		spread_registers(pads, m, end, dst, s, n);
	} else {
		for (; m < end; m++)
			copy_bytes(pads[m->tile] + m->off + dst, s, n);
	}
	return spent(x, 0);
}

static bool spread_nest(struct exec *x, const struct kte_member *m, uint64_t dst, const uint8_t *s,
			const struct kte_dim *dim, uint32_t rank, uint64_t n, size_t run,
			uint64_t bytes)
{
	uint32_t i;

	for (i = x->m0; i < x->m1; i++) {
		copy_nest(member_at(x, &m[i], dst), s, dim, rank, n, run, x->stream);
		if (spent(x, bytes))
			return true;
	}
	return false;
}

/* A block built in scratch to every member. */
static bool spread_block(struct exec *x, const struct kte_insn *op, const struct kte_member *m,
			 uint64_t dst, const uint8_t *block, const struct kte_step *st,
			 uint64_t bytes)
{
	if (!op->out_rank)
		return spread_bytes(x, m, dst, block, st->n * op->out_run);
	return spread_nest(x, m, dst, block, dims_at(x, op->out_dim), op->out_rank, st->n,
			   op->out_run, bytes);
}

static void build_gather(const struct exec *x, const struct kte_insn *op, uint8_t *d)
{
	const struct kte_stream *s = streams_at(x, op->src);
	uint32_t i;

	if (op->run == 256) {
		for (i = 0; i < op->g; i++, s++, d += 256)
			copy_256(d, x->pads[s->tile] + s->off);
		return;
	}
	for (i = 0; i < op->g; i++, s++) {
		copy_bytes(d, x->pads[s->tile] + s->off, s->len);
		d += s->len;
	}
}

static void build_pack(const struct exec *x, const struct kte_insn *op, const struct kte_step *st,
		       uint8_t *d)
{
	const struct kte_stream *s = streams_at(x, op->src);
	uint32_t i;

	for (i = 0; i < op->g; i++, s++, d += op->run)
		copy_nest(d, x->pads[s->tile] + s->off + st->src, dims_at(x, op->dim), op->rank,
			  st->n, op->run, false);
}

static void zip_nest(uint8_t *d, const uint8_t *const *s, const struct kte_dim *dim, uint32_t rank,
		     uint64_t n, uint32_t g, zip_fn zip)
{
	const uint8_t *row[8];
	uint64_t i;
	uint32_t j;

	if (rank == 1) {
		zip(d, s, n);
		return;
	}
	for (i = 0; i < n; i++) {
		for (j = 0; j < g; j++)
			row[j] = s[j] + i * dim->ss;
		zip_nest(d + i * dim->ds, row, dim + 1, rank - 1, dim[1].n, g, zip);
	}
}

static void build_zip(const struct exec *x, const struct kte_insn *op, const struct kte_step *st,
		      uint8_t *d)
{
	const struct kte_stream *s = streams_at(x, op->src);
	const uint8_t *from[8];
	uint32_t i;

	for (i = 0; i < op->g; i++)
		from[i] = x->pads[s[i].tile] + s[i].off + st->src;
	zip_nest(d, from, dims_at(x, op->dim), op->rank, st->n, op->g,
		 zip_table[op->log_run][op->g == 8 ? 2 : op->g == 4]);
}

/* Rows are too short for the hardware to run ahead of them. */
KTE_INLINE void prefetch_row(const uint8_t *s, uint64_t bytes)
{
	uint64_t i;

	for (i = 0; i < bytes && i < 2048; i += 64)
		__builtin_prefetch(s + i);
}

static void unzip_nest(uint8_t *const *d, const uint8_t *s, const struct kte_dim *dim,
		       uint32_t rank, uint64_t n, uint32_t streams, uint32_t wanted,
		       unzip_fn unzip)
{
	uint8_t *row[16];
	uint64_t i;
	uint32_t j;

	if (rank == 1) {
		unzip(d, s, n, wanted);
		return;
	}
	for (i = 0; i < n; i++) {
		for (j = 0; j < streams; j++)
			row[j] = d[j] + i * dim->ds;
		if (rank == 2 && i + 1 < n)
			prefetch_row(s + (i + 1) * dim->ss, dim[1].n * dim[1].ss);
		unzip_nest(row, s + i * dim->ss, dim + 1, rank - 1, dim[1].n, streams, wanted,
			   unzip);
	}
}

/* Lanes with as many members each, at most two, are written in place; 0 if they are not. */
static uint32_t unzip_in_place(const struct kte_insn *op, const struct kte_lane *lane)
{
	uint32_t i, n = lane[0].n_members;

	if (op->out_rank || n > 2)
		return 0;
	for (i = 1; i < op->g; i++)
		if (lane[i].n_members && lane[i].n_members != n)
			return 0;
	return n;
}

static bool run_unzip(struct exec *x, const struct kte_insn *op, const struct kte_step *st)
{
	const struct kte_lane *lane = (const struct kte_lane *)x->prog->lanes.p + op->src;
	const struct kte_member *all = x->prog->members;
	const struct kte_stream *s = streams_at(x, op->member);
	uint64_t bytes = st->n * dims_at(x, op->dim)->ds;
	uint32_t i, k, wanted = 0, copies = unzip_in_place(op, lane);
	uint8_t *d[16];

	for (i = 0; i < op->g; i++) {
		wanted += lane[i].n_members > 0;
		d[i] = x->scratch + i * bytes;
		if (copies == 2)
			d[op->g + i] = d[i];
		for (k = 0; k < copies && lane[i].n_members; k++)
			d[k * op->g + i] = member_at(x, &all[lane[i].member + k],
						     lane[i].dst + st->dst);
	}
	unzip_nest(d, x->pads[s->tile] + s->off + st->src, dims_at(x, op->dim), op->rank, st->n,
		   op->g * (copies == 2 ? 2 : 1), wanted,
		   unzip_table[copies == 2][op->log_run][op->g == 8 ? 2 : op->g == 4]);
	if (copies)
		return spent(x, st[1].cum - st->cum);
	for (i = 0; i < op->g; i++) {
		x->m0 = 0;
		x->m1 = lane[i].n_members;
		if (spread_block(x, op, &all[lane[i].member], lane[i].dst + st->dst,
				 x->scratch + i * bytes, st, bytes))
			return true;
	}
	return false;
}

/* GATHER, PACK, ZIP: build the block where it goes, or in scratch for several. */
static bool run_built(struct exec *x, const struct kte_insn *op, const struct kte_step *st)
{
	const struct kte_member *m = x->prog->members + op->member;
	bool direct = x->m1 - x->m0 == 1 && !op->out_rank;
	uint8_t *d = direct ? member_at(x, &m[x->m0], st->dst) : x->scratch;
	uint64_t bytes = st->n;

	if (op->kind == KTE_K_GATHER) {
		build_gather(x, op, d);
	} else {
		bytes *= dims_at(x, op->dim)->ds;
		if (op->kind == KTE_K_PACK)
			build_pack(x, op, st, d);
		else
			build_zip(x, op, st, d);
	}
	return direct ? spent(x, bytes) : spread_block(x, op, m, st->dst, x->scratch, st, bytes);
}

static void xpose_nest(uint8_t *d, const uint8_t *s, const struct kte_dim *dim, uint32_t rank,
		       uint64_t n, xpose_fn xpose)
{
	uint64_t i;

	if (rank == 2) {
		xpose(d, s, n, dim[1].n, dim->ds, dim[1].ss);
		return;
	}
	for (i = 0; i < n; i++)
		xpose_nest(d + i * dim->ds, s + i * dim->ss, dim + 1, rank - 1, dim[1].n, xpose);
}

static bool run_direct(struct exec *x, const struct kte_insn *op, const struct kte_step *st)
{
	const struct kte_member *m = x->prog->members + op->member;
	const struct kte_stream *from = streams_at(x, op->src);
	const uint8_t *s = x->pads[from->tile] + from->off + st->src;
	const struct kte_dim *dim = dims_at(x, op->dim);
	uint32_t i;

	if (op->kind == KTE_K_MOVE)
		return spread_bytes(x, m, st->dst, s, st->n);
	if (op->kind == KTE_K_NEST)
		return spread_nest(x, m, st->dst, s, dim, op->rank, st->n, op->run,
				   st->n * op->out_run);
	for (i = x->m0; i < x->m1; i++) {
		xpose_nest(member_at(x, &m[i], st->dst), s, dim, op->rank, st->n,
			   xpose_table[op->log_run]);
		if (spent(x, st->n * op->out_run))
			return true;
	}
	return false;
}

#define FOR_ITEMS(copy)								\
	do {									\
		for (; it < end; it++) {					\
			uint8_t *d = pads[it->dst_tile] + it->dst;		\
			const uint8_t *s = pads[it->src_tile] + it->src;	\
										\
			copy;							\
		}								\
	} while (0)

static bool run_list(struct exec *x, const struct kte_insn *op, const struct kte_step *st)
{
	const struct kte_item *it = (const struct kte_item *)x->prog->items.p + st->src;
	const struct kte_item *end = it + st->n;

	uint8_t *const *pads = x->pads;

	if (op->run == 128)
		FOR_ITEMS(copy_128(d, s));
	else if (op->run == 256)
		FOR_ITEMS(copy_256(d, s));
	else
		FOR_ITEMS(copy_bytes(d, s, it->len));
	return spent(x, st[1].cum - st->cum);
}

static bool run_local(struct exec *x, const struct kte_insn *op, const struct kte_step *st)
{
	const struct kte_member *m = x->prog->members + op->member;
	uint32_t i, role = op->g;

	for (i = x->m0; i < x->m1; i++) {
		uint8_t *pad = x->pads[m[i].tile];
		uint64_t from = role ? x->prog->off1[op->member + i] : m[i].off;
		uint64_t to = x->prog->dests[m[i].dest].offset[role];

		copy_nest(pad + to + st->dst, pad + from + st->src, dims_at(x, op->dim), op->rank,
			  st->n, op->rank ? op->run : st->n, false);
		if (spent(x, op->rank ? st->n * op->out_run : st->n))
			return true;
	}
	return false;
}

/* The loops of a fold block with strides of one side, the other side dense; fused. */
static uint32_t fold_nest(const struct kte_fold *f, const uint64_t *count, const uint64_t *stride,
			  uint32_t elem, uint64_t n, bool to_block, struct kte_dim *dim,
			  size_t *run)
{
	uint64_t dense = elem, k;
	uint32_t i, rank = 0, at = f->rank;
	struct kte_dim tmp[KTE_MAX_RANK];

	*run = elem;
	for (i = f->rank; i-- > f->split; dense *= k) {
		k = i == f->split ? n : count[i];
		if (!rank && stride[i] == *run) {
			*run *= k;
			continue;
		}
		tmp[--at].n = k;
		tmp[at].ss = to_block ? stride[i] : dense;
		tmp[at].ds = to_block ? dense : stride[i];
		rank++;
	}
	memcpy(dim, tmp + at, rank * sizeof(*dim));
	return rank;
}

struct fold_at {
	const struct kte_fold *f;
	const uint64_t *count;
	uint64_t coord[KTE_MAX_RANK];
	uint64_t n;
	size_t elems;
};

static uint64_t fold_offset(const struct fold_at *at, const uint64_t *stride)
{
	uint64_t off = 0;
	uint32_t i;

	for (i = 0; i < at->f->rank && i <= at->f->split; i++)
		off += at->coord[i] * stride[i];
	return off;
}

/* Elements of contribution @c: in place where they are contiguous, else gathered. */
static const uint8_t *fold_input(const struct exec *x, const struct fold_at *at, uint32_t c,
				 uint32_t role)
{
	const struct kte_fold *f = at->f;
	const uint64_t *w = at->count + f->rank * (1 + f->roles) +
			    (uint64_t)c * f->roles * (1 + f->rank);
	const uint64_t *stride = w + f->roles + role * f->rank;
	const uint8_t *s = x->pads[streams_at(x, f->stream)[c].tile] + w[role] +
			   fold_offset(at, stride);
	struct kte_dim dim[KTE_MAX_RANK];
	uint32_t rank;
	uint8_t *d;
	size_t run;

	rank = fold_nest(f, at->count, stride, f->elem[role], at->n, true, dim, &run);
	if (!rank)
		return s;
	d = x->scratch + SCRATCH_IN(role, c % KTE_FOLD_GROUP);
	copy_nest(d, s, dim, rank, dim->n, run, false);
	return d;
}

static void fold_position(struct fold_at *at, const struct kte_step *st)
{
	const struct kte_fold *f = at->f;
	uint64_t idx = st->src;
	uint32_t i;

	for (i = f->split; i-- > 0;) {
		at->coord[i] = idx ? idx % at->count[i] : 0;
		idx = idx ? idx / at->count[i] : 0;
	}
	at->coord[f->split] = st->dst;
	at->n = st->n;
	at->elems = (size_t)st->n * f->inner;
}

static bool fold_spread(struct exec *x, const struct kte_insn *op, const struct fold_at *at,
			uint32_t role, const uint8_t *block)
{
	const struct kte_fold *f = at->f;
	const uint64_t *stride = at->count + f->rank * (1 + role);
	uint64_t dst = fold_offset(at, stride);
	struct kte_dim dim[KTE_MAX_RANK];
	uint32_t i, rank;
	size_t run;

	rank = fold_nest(f, at->count, stride, f->elem[role], at->n, false, dim, &run);
	for (i = x->m0; i < x->m1; i++) {
		const struct kte_member *m = &x->prog->members[op->member + i];
		uint64_t off = role ? x->prog->off1[op->member + i] : m->off;

		copy_nest(x->pads[m->tile] + off + dst, block, dim, rank, rank ? dim->n : 0, run,
			  false);
		if (spent(x, at->elems * f->elem[role]))
			return true;
	}
	return false;
}

/* Where one member takes the block as it is; NULL if several do or it has gaps there. */
static uint8_t *fold_in_place(const struct exec *x, const struct kte_insn *op,
			      const struct fold_at *at, uint32_t role)
{
	const struct kte_fold *f = at->f;
	const uint64_t *stride = at->count + f->rank * (1 + role);
	const uint32_t i = op->member + x->m0;
	const struct kte_member *m = &x->prog->members[i];
	struct kte_dim dim[KTE_MAX_RANK];
	size_t run;

	if (x->m1 - x->m0 != 1 ||
	    fold_nest(f, at->count, stride, f->elem[role], at->n, false, dim, &run))
		return NULL;
	return x->pads[m->tile] + (role ? x->prog->off1[i] : m->off) + fold_offset(at, stride);
}

static bool run_fold(struct exec *x, const struct kte_insn *op, const struct kte_step *st)
{
	const struct kte_fold *f = (const struct kte_fold *)x->prog->folds.p + op->fold;
	struct fold_at at = { .f = f, .count = (const uint64_t *)x->prog->words.p + f->word };
	struct kte_fold_job job = { .op = f->op, .mode = f->mode, .dtype = f->dtype,
				    .first = true };
	kte_fold_fn fn = KTE_FOLD_FIND(f->op, f->mode, f->dtype[0]);
	uint8_t *place[KTE_MAX_ROLES];
	uint32_t c, role;

	fold_position(&at, st);
	job.n = at.elems;
	for (role = 0; role < f->roles; role++) {
		job.acc[role] = x->scratch + SCRATCH_ACC(role);
		place[role] = fold_in_place(x, op, &at, role);
		job.out[role] = place[role] ? place[role] : x->scratch + SCRATCH_OUT(role);
	}
	for (c = 0; c < f->count; c++) {
		for (role = 0; role < f->roles; role++)
			job.in[role][job.n_in] = fold_input(x, &at, c, role);
		job.n_in++;
		job.last = c + 1 == f->count;
		if (job.n_in < KTE_FOLD_GROUP && !job.last)
			continue;
		fn(&job);
		if (spent(x, job.n_in * at.elems * f->elem[0]))
			return true;
		job.n_in = 0;
		job.first = false;
	}
	for (role = 0; role < f->roles; role++)
		if (!place[role] && fold_spread(x, op, &at, role, job.out[role]))
			return true;
	return false;
}

static bool run_step(struct exec *x, const struct kte_insn *op, const struct kte_step *st)
{
	switch (op->kind) {
	case KTE_K_LIST:
		return run_list(x, op, st);
	case KTE_K_MOVE:
	case KTE_K_NEST:
	case KTE_K_XPOSE:
		return run_direct(x, op, st);
	case KTE_K_GATHER:
	case KTE_K_PACK:
	case KTE_K_ZIP:
		return run_built(x, op, st);
	case KTE_K_UNZIP:
		return run_unzip(x, op, st);
	case KTE_K_LOCAL:
		return run_local(x, op, st);
	default:
		return run_fold(x, op, st);
	}
}

/* The members of a step that start inside the part's bytes. */
static bool part_members(struct exec *x, const struct kte_range *range, const struct kte_insn *op,
			 const struct kte_step *st, uint64_t bytes)
{
	uint64_t each, n = op->n_members;

	if (!n || op->kind == KTE_K_UNZIP) {
		x->m0 = 0;
		x->m1 = 1;
		return st->cum >= range->from && st->cum < range->to;
	}
	each = bytes / n;
	x->m0 = 0;
	x->m1 = n;
	if (st->cum < range->from)
		x->m0 = (range->from - st->cum + each - 1) / each;
	if (st->cum + bytes > range->to)
		x->m1 = (range->to - st->cum + each - 1) / each;
	return x->m0 < x->m1;
}

int KTE_EXEC_NAME(const struct kte_prog *prog, const struct kte_run *run,
		  const struct kte_range *range)
{
	struct exec x = { .prog = prog, .run = run, .pads = run->pads, .scratch = run->scratch,
			  .stream = prog->stream_stores };
	const struct kte_step *st = (const struct kte_step *)prog->steps.p + range->step;
	const struct kte_step *end = (const struct kte_step *)prog->steps.p + range->end;
	bool stopped = run->stop && run->stop(run->stop_ctx);

	for (; st < end && !stopped; st++) {
		const struct kte_insn *op = (const struct kte_insn *)prog->ops.p + st->op;

		if (range->split) {
			/* The step after the last one holds the total. */
			if (!part_members(&x, range, op, st, st[1].cum - st->cum))
				continue;
		} else {
			x.m0 = 0;
			x.m1 = op->n_members;
		}
		stopped = run_step(&x, op, st);
	}
	if (x.stream)
		KTE_STREAM_FENCE();
	return stopped ? -EINTR : 0;
}

#endif /* KTE_EXEC_BODY_H */
