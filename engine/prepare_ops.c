// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Preparation, lower half: the pieces of a class to operations and steps.
 *
 * Which operation a piece becomes is a question of run length and company:
 *	contiguous, one member		LIST if short, else MOVE
 *	contiguous, several members	GATHER if pieces follow one another, else MOVE
 *	runs side by side with others	ZIP (1, 2, 4, 8 bytes) or PACK
 *	every 2nd, 4th, 8th item	UNZIP if other classes take the rest
 *	two axes exchanged		XPOSE
 *	anything else			NEST
 */
#include "exec_prog.h"

#define LIST_MAX	4096u	/* longest copy of a LIST */
#define LIST_ROWS	4u	/* most runs of a nest that go to a LIST */
#define PACK_MAX	1024u	/* longest run of a PACK */
#define PACK_ALONE	64u	/* runs below this are packed even for one member */
#define XPOSE_SPAN	256u	/* items per row of a transposed tile */

static int emit_move(struct kte_build *b, const struct kte_class *c, const struct kte_piece *p)
{
	struct kte_insn *op = kte_add_op(b, KTE_K_MOVE, c);

	if (!op)
		return -ENOMEM;
	op->src = b->prog->streams.n;
	if (kte_add_stream(b, p->tile, 0, 0))
		return -ENOMEM;
	return kte_add_run_steps(b, p, p->src, c->count);
}

static int close_list(struct kte_build *b)
{
	struct kte_prog *prog = b->prog;
	uint32_t n = prog->items.n - b->list, i;
	const struct kte_item *it;
	struct kte_insn *op;
	int err;

	if (!n)
		return 0;
	it = (const struct kte_item *)prog->items.p + b->list;
	op = kte_add_op(b, KTE_K_LIST, NULL);
	if (!op)
		return -ENOMEM;
	op->run = it->len;
	for (i = 1; i < n; i++)
		if (it[i].len != it->len)
			op->run = 0;
	err = kte_add_step(b, b->list, 0, n, b->list_bytes);
	b->list = prog->items.n;
	b->list_bytes = 0;
	return err;
}

static int emit_item(struct kte_build *b, const struct kte_class *c, const struct kte_piece *p)
{
	const struct kte_member *m = &b->prog->members[c->first];
	struct kte_item *it = kte_vec_add(b->prog, &b->prog->items, sizeof(*it), 1);

	if (!it)
		return -ENOMEM;
	it->src = p->src;
	it->src_tile = p->tile;
	it->dst = m->off + p->dst;
	it->dst_tile = m->tile;
	it->len = p->run;
	b->list_bytes += p->run;
	return b->list_bytes >= KTE_BLOCK ? close_list(b) : 0;
}

/* A few runs, each an item of its own. */
static int emit_rows(struct kte_build *b, const struct kte_class *c, const struct kte_piece *p)
{
	struct kte_piece row = *p;
	uint32_t i;
	int err = 0;

	for (i = 0; i < p->dim[0].n && !err; i++) {
		err = emit_item(b, c, &row);
		row.src += p->dim[0].ss;
		row.dst += p->dim[0].ds;
	}
	return err;
}

static int emit_nest(struct kte_build *b, const struct kte_class *c, const struct kte_piece *p)
{
	struct kte_insn *op;
	uint32_t i;

	if (!p->rank || p->run > KTE_BLOCK)
		return emit_move(b, c, p);
	if (c->count == 1 && p->rank == 1 && p->dim[0].n <= LIST_ROWS && p->run >= PACK_ALONE &&
	    p->run <= LIST_MAX / 2)
		return emit_rows(b, c, p);
	op = kte_add_op(b, KTE_K_NEST, c);
	if (!op || kte_add_dims(b, p->dim, p->rank, &op->dim))
		return -ENOMEM;
	op->rank = p->rank;
	op->run = p->run;
	op->src = b->prog->streams.n;
	op->out_run = p->run;		/* bytes per count of the outermost loop */
	for (i = 1; i < p->rank; i++)
		op->out_run *= p->dim[i].n;
	if (kte_add_stream(b, p->tile, 0, 0))
		return -ENOMEM;
	return kte_add_nest_steps(b, op, p, p->src, p->run, KTE_BLOCK, 1, c->count);
}

/* Loops of a block: dense on the block's side, from the innermost on. */
static void dense_dims(struct kte_dim *d, uint32_t rank, uint64_t run, bool block_is_source)
{
	while (rank--) {
		if (block_is_source)
			d[rank].ss = run;
		else
			d[rank].ds = run;
		run *= d[rank].n;
	}
}

/*
 * The loops that build blocks of a nest and the loops that take them to a
 * member, added to @op; then the steps. @width bytes of a block per innermost iteration.
 */
static int add_built(struct kte_build *b, struct kte_insn *op, const struct kte_piece *p,
		     uint64_t src, uint64_t width, uint64_t limit, uint64_t copies)
{
	struct kte_dim d[KTE_MAX_RANK];
	uint64_t inner, run = width;
	uint32_t split, rank = p->rank;
	int err;

	memcpy(d, p->dim, sizeof(d));
	dense_dims(d, rank, width, false);
	if (kte_add_dims(b, d, rank, &op->dim))
		return -ENOMEM;
	op->rank = rank;
	err = kte_add_nest_steps(b, op, p, src, width, limit, 1, copies);
	if (err)
		return err;
	/* Out: from the split loop on, fused where the member is contiguous. */
	kte_split_rank(p->dim, p->rank, width, limit, &inner);
	split = p->rank - op->rank;
	memcpy(d, p->dim, sizeof(d));
	dense_dims(d, rank, width, true);
	while (rank > split + 1 && d[rank - 1].ds == run)
		run *= d[--rank].n;
	if (rank == split + 1 && d[split].ds == run) {
		op->out_rank = 0;
		op->out_run = run;
		return 0;
	}
	op->out_rank = rank - split;
	op->out_run = run;
	return kte_add_dims(b, d + split, op->out_rank, &op->out_dim);
}

/* Pieces side by side, all with the nest of the first: PACK, or ZIP by SIMD unpack. */
static int emit_side_by_side(struct kte_build *b, const struct kte_class *c,
			     const struct kte_piece *const *piece, uint32_t g, bool zip)
{
	const struct kte_piece *p = piece[0];
	struct kte_insn *op = kte_add_op(b, zip ? KTE_K_ZIP : KTE_K_PACK, c);
	uint32_t i;

	if (!op)
		return -ENOMEM;
	op->run = p->run;
	op->log_run = zip ? __builtin_ctzll(p->run) : 0;
	op->g = g;
	op->src = b->prog->streams.n;
	for (i = 0; i < g; i++)
		if (kte_add_stream(b, piece[i]->tile, piece[i]->src, 0))
			return -ENOMEM;
	return add_built(b, op, p, 0, g * p->run, KTE_BUILT, c->count);
}

static bool small_power(uint64_t run)
{
	return run <= 8 && !(run & (run - 1));
}

/* Whether @q continues @p: the next runs of the same rows. */
static bool beside(const struct kte_piece *p, const struct kte_piece *q, uint64_t distance)
{
	return q->dst == p->dst + distance && q->run == p->run && q->rank == p->rank &&
	       !memcmp(q->dim, p->dim, p->rank * sizeof(p->dim[0]));
}

static struct kte_piece *piece_at(struct kte_build *b, uint32_t i)
{
	return ((struct kte_piece **)b->order.p)[i];
}

/* Pieces from the @i-th on that lie side by side; *@n are used up, 0 if none. */
static int try_side_by_side(struct kte_build *b, const struct kte_class *c, uint32_t i, uint32_t *n)
{
	const struct kte_piece *p = piece_at(b, i), *piece[64];
	uint64_t pitch = p->dim[p->rank - 1].ds;
	bool zip = small_power(p->run) && p->dim[p->rank - 1].ss == p->run;
	uint32_t g = 1, max = zip ? 8 : 64, k;

	*n = 0;
	if (p->run > PACK_MAX || (p->run >= PACK_ALONE && c->count == 1))
		return 0;
	piece[0] = p;
	while (g < max && i + g < b->pieces.n && (g + 1) * p->run <= pitch &&
	       (g + 1) * p->run <= KTE_BUILT / 2 && beside(p, piece_at(b, i + g), g * p->run)) {
		piece[g] = piece_at(b, i + g);
		g++;
	}
	for (k = 2; zip && k * 2 <= g; k *= 2)
		;
	if (zip && g >= 2)
		g = k;
	if (g < 2)
		return 0;
	*n = g;
	return emit_side_by_side(b, c, piece, g, zip);
}

/* Contiguous pieces from the @i-th on; *@n are used up. */
static int emit_contiguous(struct kte_build *b, const struct kte_class *c, uint32_t i, uint32_t *n)
{
	const struct kte_piece *p = piece_at(b, i);
	uint64_t bytes = 0, dst = p->dst;
	struct kte_insn *op;
	uint32_t k;

	*n = 1;
	if (c->count == 1)
		return p->run <= LIST_MAX ? emit_item(b, c, p) : emit_move(b, c, p);
	for (k = i; k < b->pieces.n; k++) {
		const struct kte_piece *q = piece_at(b, k);

		if (q->rank || q->run > LIST_MAX || q->dst != dst || bytes + q->run > KTE_BLOCK)
			break;
		bytes += q->run;
		dst += q->run;
	}
	if (k - i < 2)
		return emit_move(b, c, p);
	*n = k - i;
	op = kte_add_op(b, KTE_K_GATHER, c);
	if (!op)
		return -ENOMEM;
	op->g = *n;
	op->run = p->run;
	op->out_run = 1;
	op->src = b->prog->streams.n;
	for (k = i; k < i + *n; k++) {
		const struct kte_piece *q = piece_at(b, k);

		if (q->run != p->run)
			op->run = 0;
		if (kte_add_stream(b, q->tile, q->src, q->run))
			return -ENOMEM;
	}
	return kte_add_step(b, 0, p->dst, bytes, bytes * c->count);
}

/* Items whose source steps over 2, 4 or 8 of them: another class may take those between. */
static bool is_spread(const struct kte_piece *p, uint32_t *g)
{
	const struct kte_dim *d = &p->dim[p->rank - 1];

	if (!small_power(p->run) || d->ds != p->run)
		return false;
	for (*g = 2; *g <= 8; *g *= 2)
		if (d->ss == *g * p->run)
			return true;
	return false;
}

/* Exchange of two axes: a loop with adjacent source items around the innermost one. */
static uint32_t xpose_axis(const struct kte_piece *p)
{
	uint32_t a;

	if (!small_power(p->run) || p->rank < 2 || p->dim[p->rank - 1].ds != p->run)
		return UINT32_MAX;
	for (a = p->rank - 1; a-- > 0;)
		if (p->dim[a].ss == p->run && p->dim[a].n >= 16 / p->run)
			return a;
	return UINT32_MAX;
}

static int emit_xpose_tile(struct kte_build *b, const struct kte_class *c,
			   const struct kte_piece *p)
{
	struct kte_insn *op = kte_add_op(b, KTE_K_XPOSE, c);
	uint32_t i;

	if (!op || kte_add_dims(b, p->dim, p->rank, &op->dim))
		return -ENOMEM;
	op->rank = p->rank;
	op->log_run = __builtin_ctzll(p->run);
	op->run = p->run;
	op->src = b->prog->streams.n;
	op->out_run = p->run;
	for (i = 1; i < p->rank; i++)
		op->out_run *= p->dim[i].n;
	if (kte_add_stream(b, p->tile, 0, 0))
		return -ENOMEM;
	return kte_add_nest_steps(b, op, p, p->src, p->run, KTE_BLOCK, 16 / p->run, c->count);
}

/* Order the loops: others, rows, columns; long rows are cut to spans first. */
static int emit_xpose(struct kte_build *b, const struct kte_class *c, const struct kte_piece *p,
		      uint32_t axis)
{
	struct kte_piece t = *p;
	uint32_t last = p->rank - 1;
	uint64_t spans, rest;
	int err = 0;

	memmove(&t.dim[axis], &t.dim[axis + 1], (last - 1 - axis) * sizeof(t.dim[0]));
	t.dim[last - 1] = p->dim[axis];
	spans = t.dim[last].n / XPOSE_SPAN;
	rest = t.dim[last].n % XPOSE_SPAN;
	if (spans < 2 || t.rank == KTE_MAX_RANK)
		return emit_xpose_tile(b, c, &t);
	if (rest) {
		struct kte_piece r = t;

		r.dim[last].n = rest;
		r.src += spans * XPOSE_SPAN * r.dim[last].ss;
		r.dst += spans * XPOSE_SPAN * r.dim[last].ds;
		err = emit_xpose_tile(b, c, &r);
		if (err)
			return err;
	}
	t.dim[last + 1] = t.dim[last];
	t.dim[last + 1].n = XPOSE_SPAN;
	t.dim[last] = t.dim[last - 1];
	t.dim[last - 1] = (struct kte_dim){ spans, XPOSE_SPAN * t.dim[last + 1].ss,
					    XPOSE_SPAN * t.dim[last + 1].ds };
	t.rank++;
	return emit_xpose_tile(b, c, &t);
}

/* Pointers to the pieces of @v in b->order, sorted. */
static int sort_pieces(struct kte_build *b, struct kte_vec *v,
		       bool (*before)(const void *a, const void *b))
{
	struct kte_piece **order;
	uint32_t i;

	b->order.n = 0;
	order = kte_vec_add(b->prog, &b->order, sizeof(*order), v->n);
	if (!order)
		return -ENOMEM;
	for (i = 0; i < v->n; i++)
		order[i] = (struct kte_piece *)v->p + i;
	return kte_sort(order, v->n, sizeof(*order), before, &b->prog->env);
}

/* A strided piece on its own. */
static int emit_alone(struct kte_build *b, const struct kte_class *c, const struct kte_piece *p)
{
	const struct kte_piece *one = p;
	uint32_t axis = xpose_axis(p);

	if (axis != UINT32_MAX)
		return emit_xpose(b, c, p, axis);
	if (p->run < PACK_ALONE && c->count > 1)
		return emit_side_by_side(b, c, &one, 1, false);
	return emit_nest(b, c, p);
}

static bool before_dst(const void *a, const void *b)
{
	const struct kte_piece *p = *(struct kte_piece *const *)a;
	const struct kte_piece *q = *(struct kte_piece *const *)b;

	return p->dst != q->dst ? p->dst < q->dst : p < q;
}

static bool step_before(const void *a, const void *b)
{
	const struct kte_step *s = a, *t = b;

	if (s->dst != t->dst)
		return s->dst < t->dst;
	return s->op != t->op ? s->op < t->op : s->src < t->src;
}

int kte_emit_class(struct kte_build *b, uint32_t klass)
{
	const struct kte_class *c = &b->prog->classes[klass];
	uint32_t i, n, lanes, from = b->prog->steps.n, list = b->list;
	int err = sort_pieces(b, &b->pieces, before_dst);

	for (i = 0; i < b->pieces.n && !err; i += n) {
		struct kte_piece *p = piece_at(b, i), *copy;

		n = 1;
		if (!p->rank) {
			err = emit_contiguous(b, c, i, &n);
			continue;
		}
		err = try_side_by_side(b, c, i, &n);
		if (err || n)
			continue;
		n = 1;
		if (is_spread(p, &lanes) && xpose_axis(p) == UINT32_MAX) {
			copy = kte_vec_add(b->prog, &b->spread, sizeof(*copy), 1);
			if (!copy)
				return -ENOMEM;
			*copy = *p;
			copy->klass = klass;
			continue;
		}
		err = emit_alone(b, c, p);
	}
	/* Block after block of the destination; a closed list's step has its own order. */
	if (!err && b->pieces.n > 1 && list == b->list && b->prog->steps.n > from)
		err = kte_sort((struct kte_step *)b->prog->steps.p + from,
			       b->prog->steps.n - from, sizeof(struct kte_step), step_before,
			       &b->prog->env);
	return err;
}

static bool spread_before(const void *a, const void *b)
{
	const struct kte_piece *p = *(struct kte_piece *const *)a;
	const struct kte_piece *q = *(struct kte_piece *const *)b;
	int cmp;

	if (p->tile != q->tile)
		return p->tile < q->tile;
	if (p->source != q->source)
		return p->source < q->source;
	if (p->run != q->run)
		return p->run < q->run;
	if (p->rank != q->rank)
		return p->rank < q->rank;
	cmp = memcmp(p->dim, q->dim, p->rank * sizeof(p->dim[0]));
	if (cmp)
		return cmp < 0;
	if (p->src != q->src)
		return p->src < q->src;
	return p < q;
}

/* The @n lanes found, of @g; the kernel drops what belongs to the others. */
static int emit_unzip(struct kte_build *b, const struct kte_piece *const *piece, uint32_t n,
		      uint32_t g)
{
	struct kte_piece nest = *piece[0];
	struct kte_prog *prog = b->prog;
	struct kte_insn *op = kte_add_op(b, KTE_K_UNZIP, NULL);
	struct kte_lane *lane = kte_vec_add(prog, &prog->lanes, sizeof(*lane), g);
	uint64_t copies = 0;
	uint32_t i;

	if (!op || !lane)
		return -ENOMEM;
	op->log_run = __builtin_ctzll(nest.run);
	op->run = nest.run;
	op->g = g;
	op->src = prog->lanes.n - g;
	op->member = prog->streams.n;
	for (i = 0; i < n; i++) {
		const struct kte_class *c = &prog->classes[piece[i]->klass];

		lane[i] = (struct kte_lane){ piece[i]->dst, c->first, c->count };
		copies += c->count;
	}
	if (kte_add_stream(b, nest.tile, 0, 0))
		return -ENOMEM;
	nest.dst = 0;
	return add_built(b, op, &nest, nest.src, nest.run, KTE_DEALT / g, copies);
}

/* Fuse the lanes that were found; a few of many are not worth reading all of them. */
static int emit_spread(struct kte_build *b)
{
	const struct kte_piece *lane[8];
	uint32_t i, k, g;
	int err = sort_pieces(b, &b->spread, spread_before);

	for (i = 0; i < b->spread.n && !err; i += k) {
		lane[0] = piece_at(b, i);
		is_spread(lane[0], &g);
		for (k = 1; k < g && i + k < b->spread.n; k++) {
			lane[k] = piece_at(b, i + k);
			if (lane[k]->tile != lane[0]->tile || lane[k]->run != lane[0]->run ||
			    lane[k]->src != lane[0]->src + k * lane[0]->run ||
			    lane[k]->rank != lane[0]->rank ||
			    memcmp(lane[k]->dim, lane[0]->dim,
				   lane[0]->rank * sizeof(lane[0]->dim[0])))
				break;
		}
		if (2 * k >= g) {
			err = emit_unzip(b, lane, k, g);
		} else {
			k = 1;
			err = emit_alone(b, &b->prog->classes[lane[0]->klass], lane[0]);
		}
	}
	return err;
}

int kte_emit_rest(struct kte_build *b)
{
	int err = close_list(b);

	return err || !b->spread.n ? err : emit_spread(b);
}
