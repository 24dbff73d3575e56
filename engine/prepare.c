// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Preparation, upper half: check the image, sort the destinations into classes,
 * check coverage, and hand each class's pieces to engine/prepare_ops.c.
 *
 * Work and memory are O(image + edges + bytes / KTE_BLOCK); the pairs of an image
 * whose destinations share a run are never enumerated.
 */
#include "exec_prog.h"

static void *take(struct kte_prog *prog, uint64_t n, size_t size)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(n ? n : 1, size, &bytes) || bytes > SIZE_MAX / 2)
		return NULL;
	return prog->env.alloc(prog->env.ctx, bytes);
}

static void give(struct kte_prog *prog, void *p)
{
	prog->env.free(prog->env.ctx, p);
}

static int refuse(struct kte_build *b, uint32_t code, uint32_t dest, uint32_t field,
		  uint64_t address)
{
	struct kte_fault *f = b->fault;

	f->code = code;
	f->entry = b->prog->head->n_sources + dest;
	f->tile = b->prog->dests[dest].tile;
	f->field = field;
	f->address = address;
	return -EINVAL;
}

/* A tile's results are disjoint, so together they fit the window. */
static int check_sizes(struct kte_build *b)
{
	struct kte_prog *prog = b->prog;
	uint64_t *used = take(prog, prog->head->n_tiles, sizeof(*used)), bytes, elem;
	uint32_t d;
	int err = 0;

	if (!used)
		return -ENOMEM;
	for (d = 0; d < prog->head->n_dests && !err; d++) {
		const struct kte_entry *e = &prog->dests[d];
		const struct kte_space *sp = kte_prog_space(prog, e);

		elem = sp->elem_bytes[0] + sp->elem_bytes[1];
		bytes = kte_entry_volume(e, sp->rank) * elem;
		if (bytes > prog->head->window_bytes - used[e->tile])
			err = refuse(b, KTE_FAULT_ENTRY, d, KTE_F_SIZE, bytes);
		else
			used[e->tile] += bytes;
		if (!err)
			err = kte_build_tick(b, 1);
	}
	give(prog, used);
	return err;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 29;
}

static uint64_t class_hash(const struct kte_prog *prog, const struct kte_entry *e)
{
	uint64_t h = mix(e->space, (uint64_t)e->first << 32 | e->count);
	uint32_t a, rank = kte_prog_space(prog, e)->rank;

	for (a = 0; a < rank; a++) {
		h = mix(h, (uint64_t)e->start[a] << 32 | e->size[a]);
		if (e->size[a] > 1)
			h = mix(h, e->stride[0][a]);
	}
	return h;
}

static bool same_class(const struct kte_prog *prog, const struct kte_entry *a,
		       const struct kte_entry *b)
{
	const struct kte_space *sp = kte_prog_space(prog, a);
	uint32_t i, r;

	if (a->space != b->space || a->first != b->first || a->count != b->count ||
	    a->flags != b->flags || !kte_box_equal(a, b, sp->rank))
		return false;
	for (r = 0; r < sp->roles; r++)
		for (i = 0; i < sp->rank; i++)
			if (a->size[i] > 1 && a->stride[r][i] != b->stride[r][i])
				return false;
	return true;
}

/* The class of each destination to @of, classes with their counts. */
static int find_classes(struct kte_build *b, uint32_t *of)
{
	struct kte_prog *prog = b->prog;
	uint32_t n = prog->head->n_dests, d, *slot, c;
	uint64_t size = 16, at;
	int err = 0;

	while (size < 2ull * n)
		size *= 2;
	slot = take(prog, size, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	for (d = 0; d < n && !err; d++) {
		const struct kte_entry *e = &prog->dests[d];

		at = class_hash(prog, e) & (size - 1);
		for (; (c = slot[at]); at = (at + 1) & (size - 1))
			if (same_class(prog, e, &prog->dests[prog->classes[c - 1].rep]))
				break;
		if (!c) {
			c = slot[at] = ++prog->n_classes;
			prog->classes[c - 1].rep = d;
		}
		prog->classes[c - 1].count++;
		of[d] = c - 1;
		err = kte_build_tick(b, 1);
	}
	give(prog, slot);
	return err;
}

/* Where a destination's result is written in phase 0. */
static void place_member(struct kte_prog *prog, struct kte_member *m, uint64_t *off1, uint32_t d,
			 uint64_t *stage)
{
	const struct kte_entry *e = &prog->dests[d];
	const struct kte_space *sp = kte_prog_space(prog, e);
	uint64_t role0;

	m->tile = e->tile;
	m->dest = d;
	m->off = e->offset[0];
	*off1 = e->offset[1];
	if (!(e->flags & KTE_ENTRY_STAGED))
		return;
	role0 = kte_entry_volume(e, sp->rank) * sp->elem_bytes[0] + KTE_STICK_BYTES - 1;
	role0 &= ~(uint64_t)(KTE_STICK_BYTES - 1);
	m->off = prog->head->stage_offset + stage[e->tile];
	*off1 = m->off + role0;
	stage[e->tile] += kte_stage_bytes(e, sp);
}

static int place_members(struct kte_build *b, const uint32_t *of)
{
	struct kte_prog *prog = b->prog;
	uint64_t *stage = take(prog, prog->head->n_tiles, sizeof(*stage));
	uint32_t *next = take(prog, prog->n_classes, sizeof(*next)), c, d, at = 0;

	if (stage && next) {
		for (c = 0; c < prog->n_classes; c++) {
			prog->classes[c].first = next[c] = at;
			at += prog->classes[c].count;
		}
		for (d = 0; d < prog->head->n_dests; d++) {
			at = next[of[d]]++;
			place_member(prog, &prog->members[at], &prog->off1[at], d, stage);
		}
	}
	give(prog, next);
	give(prog, stage);
	return stage && next ? 0 : -ENOMEM;
}

/* Strides of a class's result in phase 0: the entry's, or packed row major. */
static void result_strides(const struct kte_space *sp, const struct kte_entry *e,
			   uint64_t stride[][KTE_MAX_RANK])
{
	uint64_t step;
	uint32_t r, a;

	for (r = 0; r < sp->roles; r++) {
		memcpy(stride[r], e->stride[r], sizeof(stride[r][0]) * KTE_MAX_RANK);
		if (!(e->flags & KTE_ENTRY_STAGED))
			continue;
		step = sp->elem_bytes[r];
		for (a = sp->rank; a-- > 0; step *= e->size[a])
			stride[r][a] = step;
	}
}

static int add_piece(struct kte_build *b, const struct kte_entry *e, uint32_t source,
		     const struct kte_box *cut, const uint64_t *stride)
{
	const struct kte_entry *s = &b->prog->sources[source];
	const struct kte_space *sp = kte_prog_space(b->prog, e);
	struct kte_piece *p = kte_vec_add(b->prog, &b->pieces, sizeof(*p), 1);
	uint32_t a;

	if (!p)
		return -ENOMEM;
	kte_nest_init(p, sp->rank, cut->size, sp->elem_bytes[0], s->stride[0], stride);
	p->src = kte_byte_of(s, sp->rank, 0, cut->start);
	p->dst = 0;
	for (a = 0; a < sp->rank; a++)
		if (e->size[a] > 1)
			p->dst += (uint64_t)(cut->start[a] - e->start[a]) * stride[a];
	p->tile = s->tile;
	p->source = source;
	return 0;
}

/* The pieces of a copy class; they must add up to the box. */
static int copy_pieces(struct kte_build *b, const struct kte_class *c, const uint64_t *stride)
{
	const struct kte_prog *prog = b->prog;
	const struct kte_entry *e = &prog->dests[c->rep];
	uint32_t i, rank = kte_prog_space(prog, e)->rank;
	uint64_t want = kte_entry_volume(e, rank), have = 0;
	struct kte_box cut;
	int err = 0;

	b->pieces.n = 0;
	for (i = 0; i < e->count && !err && have <= want; i++) {
		uint32_t source = prog->edges[e->first + i];
		const struct kte_entry *s = &prog->sources[source];
		uint64_t v = 1;
		uint32_t a;

		err = kte_build_tick(b, 1);
		if (err || !kte_box_cut(s, e, rank, &cut))
			continue;
		for (a = 0; a < rank; a++)
			v *= cut.size[a];
		have += v;
		/* On its own bytes and nobody else's: nothing to do. */
		if (c->count == 1 && s->tile == e->tile && !(e->flags & KTE_ENTRY_STAGED) &&
		    kte_same_map(s, e, rank, 0, &cut))
			continue;
		err = add_piece(b, e, source, &cut, stride);
	}
	if (!err && have != want)
		err = refuse(b, KTE_FAULT_COVERAGE, c->rep, KTE_F_NONE, have);
	return err;
}

static int check_fold(struct kte_build *b, const struct kte_class *c)
{
	const struct kte_prog *prog = b->prog;
	const struct kte_entry *e = &prog->dests[c->rep];
	const struct kte_space *sp = kte_prog_space(prog, e);
	uint32_t i;
	int err = 0;

	if (!e->count)
		return refuse(b, KTE_FAULT_COVERAGE, c->rep, KTE_F_COUNT, 0);
	if (!kte_fold_valid(sp->op, sp->mode, sp->dtype[0], sp->dtype[1]))
		return refuse(b, KTE_FAULT_SPACE, c->rep, KTE_F_OP, sp->op);
	for (i = 0; i < e->count && !err; i++) {
		if (!kte_box_contains(&prog->sources[prog->edges[e->first + i]], e, sp->rank))
			err = refuse(b, KTE_FAULT_COVERAGE, c->rep, KTE_F_FIRST, e->first + i);
		else
			err = kte_build_tick(b, 1);
	}
	return err;
}

static int build_class(struct kte_build *b, uint32_t klass)
{
	const struct kte_prog *prog = b->prog;
	const struct kte_class *c = &prog->classes[klass];
	const struct kte_entry *e = &prog->dests[c->rep];
	const struct kte_space *sp = kte_prog_space(prog, e);
	uint64_t stride[KTE_MAX_ROLES][KTE_MAX_RANK], bytes;
	int err;

	bytes = kte_entry_volume(e, sp->rank) * (sp->elem_bytes[0] + sp->elem_bytes[1]);
	b->delivered += bytes * c->count;
	b->distinct += bytes;
	result_strides(sp, e, stride);
	if (sp->op != KTE_OP_COPY) {
		err = check_fold(b, c);
		return err ? err : kte_emit_fold(b, klass, stride);
	}
	err = copy_pieces(b, c, stride[0]);
	return err ? err : kte_emit_class(b, klass);
}

static int build_locals(struct kte_build *b)
{
	const struct kte_prog *prog = b->prog;
	uint64_t stride[KTE_MAX_ROLES][KTE_MAX_RANK];
	uint32_t c;
	int err = 0;

	for (c = 0; c < prog->n_classes && !err; c++) {
		const struct kte_entry *e = &prog->dests[prog->classes[c].rep];

		if (!(e->flags & KTE_ENTRY_STAGED))
			continue;
		result_strides(kte_prog_space(prog, e), e, stride);
		err = kte_emit_local(b, c, stride);
	}
	return err;
}

/* Bytes per step to bytes before the step; one more step holds the total. */
static int sum_steps(struct kte_build *b)
{
	struct kte_prog *prog = b->prog;
	struct kte_step *st = kte_vec_add(prog, &prog->steps, sizeof(*st), 1);
	uint64_t sum = 0, bytes;
	uint32_t i;

	if (!st)
		return -ENOMEM;
	prog->phase_step[2] = prog->steps.n - 1;
	st = prog->steps.p;
	for (i = 0; i < prog->steps.n; i++) {
		bytes = st[i].cum;
		st[i].cum = sum;
		sum += bytes;
	}
	for (i = 0; i < 2; i++)
		prog->phase_bytes[i] = st[prog->phase_step[i + 1]].cum -
				       st[prog->phase_step[i]].cum;
	return 0;
}

static int build(struct kte_build *b)
{
	struct kte_prog *prog = b->prog;
	uint32_t n = prog->head->n_dests, c, *of = take(prog, n, sizeof(*of));
	int err = of ? 0 : -ENOMEM;

	prog->classes = take(prog, n, sizeof(*prog->classes));
	prog->members = take(prog, n, sizeof(*prog->members));
	prog->off1 = take(prog, n, sizeof(*prog->off1));
	if (!prog->classes || !prog->members || !prog->off1)
		err = -ENOMEM;
	if (!err)
		err = check_sizes(b);
	if (!err)
		err = find_classes(b, of);
	if (!err)
		err = place_members(b, of);
	give(prog, of);
	for (c = 0; c < prog->n_classes && !err; c++)
		err = build_class(b, c);
	if (!err)
		err = kte_emit_rest(b);
	prog->phase_step[1] = prog->steps.n;
	if (!err)
		err = build_locals(b);
	if (!err)
		err = sum_steps(b);
	/* Measured: from about half of the last cache on, stores past it are faster. */
	prog->stream_stores = b->delivered + b->distinct > kte_cache_bytes() / 2;
	return err;
}

/* The sections of the private copy. */
static void open_image(struct kte_prog *prog)
{
	const uint8_t *p = prog->image;

	prog->head = prog->image;
	p += KTE_HEADER_BYTES;
	prog->spaces = (const void *)p;
	p += (uint64_t)prog->head->n_spaces * KTE_SPACE_BYTES;
	prog->sources = (const void *)p;
	p += (uint64_t)prog->head->n_sources * KTE_ENTRY_BYTES;
	prog->dests = (const void *)p;
	p += (uint64_t)prog->head->n_dests * KTE_ENTRY_BYTES;
	prog->edges = (const void *)p;
}

int kte_prog_new(const void *image, uint64_t bytes, const struct kte_limits *lim,
		 const struct kte_env *env, struct kte_prog **out, struct kte_fault *fault)
{
	struct kte_prog *prog = NULL;
	struct kte_build b = { .fault = fault };
	int err = -ENOMEM;

	*out = NULL;
	*fault = (struct kte_fault){ .entry = KTE_NONE, .tile = KTE_NONE };
	if (bytes < KTE_HEADER_BYTES || bytes > lim->max_image) {
		fault->code = bytes < KTE_HEADER_BYTES ? KTE_FAULT_IMAGE : KTE_FAULT_LIMIT;
		fault->address = bytes;
		return -EINVAL;
	}
	prog = env->alloc(env->ctx, sizeof(*prog));
	if (prog) {
		prog->env = *env;
		prog->image = take(prog, bytes, 1);
	}
	if (prog && prog->image) {
		memcpy(prog->image, image, bytes);
		err = kte_image_check(prog->image, bytes, lim, fault);
		if (!err) {
			open_image(prog);
			prog->isa = kte_isa_best();
			b.prog = prog;
			err = build(&b);
			kte_vec_free(prog, &b.pieces);
			kte_vec_free(prog, &b.order);
			kte_vec_free(prog, &b.spread);
		}
	}
	if (err == -ENOMEM)
		fault->code = KTE_FAULT_NOMEM;
	else if (err && err != -EINVAL)
		fault->code = KTE_FAULT_STOPPED;
	if (err)
		kte_prog_free(prog);
	else
		*out = prog;
	return err;
}

void kte_prog_free(struct kte_prog *prog)
{
	struct kte_env env;

	if (!prog)
		return;
	env = prog->env;
	kte_vec_free(prog, &prog->ops);
	kte_vec_free(prog, &prog->steps);
	kte_vec_free(prog, &prog->dims);
	kte_vec_free(prog, &prog->streams);
	kte_vec_free(prog, &prog->items);
	kte_vec_free(prog, &prog->lanes);
	kte_vec_free(prog, &prog->folds);
	kte_vec_free(prog, &prog->words);
	give(prog, prog->classes);
	give(prog, prog->members);
	give(prog, prog->off1);
	give(prog, prog->image);
	env.free(env.ctx, prog);
}
