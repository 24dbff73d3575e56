// SPDX-License-Identifier: MIT
/*
 * Deliveries become tables. One index space per group and distinct dependency set (and
 * role): the tensor the producers hold together. Producer number l holds the box the
 * concat odometer gives l; consumer number l receives the box of the split odometer,
 * whole along concat axes, so one destination entry per consumer and stored piece says
 * all (ownership form). An axis that is both split and concatenated becomes two axes of
 * the space: which producer, and where in its piece.
 */
#include "lower.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LL(x)	((long long)(x))
#define ULL(x)	((unsigned long long)(x))

static unsigned int later(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

static unsigned int last_seq(const struct kt_program *p)
{
	unsigned int i, j, last = 0;

	for (i = 0; i < p->n_steps; i++) {
		last = later(last, p->steps[i].seq);
		for (j = 0; j < p->steps[i].n_stores; j++)
			last = later(last, p->steps[i].stores[j].seq);
	}
	for (i = 0; i < p->n_touches; i++)
		last = later(last, p->touches[i].seq);
	return last;
}

/* Room for @more elements behind the @n of an array. */
static void *widen(struct kt_arena *a, void *old, unsigned int n, unsigned int more,
		   unsigned int *cap, size_t size)
{
	void *p;

	if (n + more <= *cap)
		return old;
	*cap = 2 * (n + more);
	p = kt_alloc(a, *cap * size);
	if (p && n)
		memcpy(p, old, n * size);
	return p;
}

int kt_program_join(struct kt_program *prog, struct kt_program *more, struct kt_arena *a)
{
	unsigned int base = prog->last_seq, n = prog->n_steps, i, j;
	unsigned int end = last_seq(more);

	if (!n && !prog->n_touches) {
		*prog = *more;
		prog->last_seq = end;
		return 0;
	}
	prog->steps = widen(a, prog->steps, n, more->n_steps, &prog->cap_steps,
			    sizeof(*prog->steps));
	prog->touches = widen(a, prog->touches, prog->n_touches, more->n_touches,
			      &prog->cap_touches, sizeof(*prog->touches));
	if ((!prog->steps && n + more->n_steps) ||
	    (!prog->touches && prog->n_touches + more->n_touches))
		return -ENOMEM;
	for (i = 0; i < more->n_steps; i++) {
		struct kt_step *s = &prog->steps[n + i];

		*s = more->steps[i];
		s->seq += base;
		for (j = 0; j < s->n_src; j++) {
			s->src_load_seq[j] += base;
			s->src[j].chain += s->src[j].chain ? n : 0;
		}
		for (j = 0; j < s->n_stores; j++)
			s->stores[j].seq += base;
	}
	for (i = 0; i < more->n_touches; i++) {
		prog->touches[prog->n_touches + i] = more->touches[i];
		prog->touches[prog->n_touches + i].seq += base;
	}
	prog->n_steps += more->n_steps;
	prog->n_touches += more->n_touches;
	prog->last_seq = base + end;
	return 0;
}

/* --- placement ------------------------------------------------------------------------------ */

int kt_lw_alloc(struct kt_lw *lw, const struct kt_delivery *d, const char *what, uint32_t tile,
		const int64_t *shape, unsigned int rank, uint32_t elem, uint32_t until,
		struct kt_place *out)
{
	int64_t bytes = elem;
	uint64_t offset;
	unsigned int a;
	struct kt_diag *diag;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	for (a = rank; a-- > 0 && !ret;) {
		out->stride[a] = bytes;
		if (__builtin_mul_overflow(bytes, shape[a], &bytes))
			ret = -ENOSPC;
	}
	if (!ret)
		ret = kt_spm_take(&lw->spm, tile, (uint64_t)bytes, &offset);
	if (ret == -ENOSPC) {
		diag = kt_diag(lw->rep, lw->src, d->op->at, KT_K13, KTDEV_ERROR,
			       "the %s of tile %u does not fit its scratchpad: %llu bytes needed, %llu available",
			       what, tile, ULL(lw->spm.needed), ULL(lw->spm.available));
		kt_diag_witness(diag, KT_NO_WITNESS, tile, KT_NO_WITNESS);
		return -EINVAL;
	}
	if (ret)
		return ret;
	out->known = true;
	out->offset = (int64_t)offset;
	if (lw->n_takes == lw->cap_takes) {
		uint32_t cap = lw->cap_takes ? 2 * lw->cap_takes : 64;
		struct kt_lw_take *v = kt_alloc(lw->a, cap * sizeof(*v));

		if (!v)
			return -ENOMEM;
		if (lw->n_takes)
			memcpy(v, lw->takes, lw->n_takes * sizeof(*v));
		lw->takes = v;
		lw->cap_takes = cap;
	}
	lw->takes[lw->n_takes++] = (struct kt_lw_take){ tile, until, offset };
	return 0;
}

static void give_back(struct kt_lw *lw, uint32_t step)
{
	uint32_t i, n = 0;

	for (i = 0; i < lw->n_takes; i++) {
		if (lw->takes[i].until > step)
			lw->takes[n++] = lw->takes[i];
		else
			kt_spm_give(&lw->spm, lw->takes[i].tile, lw->takes[i].offset);
	}
	lw->n_takes = n;
}

/* Take the hull of a stated place; K13 if it leaves the window. */
static int reserve_place(struct kt_lw *lw, uint32_t tile, const struct kt_place *pl,
			 const int64_t *size, const struct kt_type *ty, uint32_t elem,
			 const char *what, bool *outside)
{
	uint64_t start, end = UINT64_MAX;
	struct kt_diag *d;

	if (kt_lw_hull(pl, size, ty->rank, elem, &start, &end) && end <= lw->spm.window)
		return kt_spm_reserve(&lw->spm, tile, start, end - start);
	if (*outside)
		return 0;
	*outside = true;
	d = kt_diag(lw->rep, lw->src, pl->at, KT_K13, KTDEV_ERROR,
		    "the %s on tile %u does not fit its scratchpad: %llu bytes needed, %llu available",
		    what, tile, ULL(end), ULL(lw->spm.window));
	kt_diag_witness(d, KT_NO_WITNESS, tile, KT_NO_WITNESS);
	return 0;
}

static int reserve_step(struct kt_lw *lw, const struct kt_step *s, bool *outside)
{
	uint32_t i, g, p, r, n = 0;
	int ret = 0;

	for (g = 0; g < s->d->n_groups; g++)
		for (p = 0; p < s->d->groups[g].producers.n; p++)
			for (r = 0; r < s->d->n_roles && !ret; r++, n++) {
				const struct kt_role *role = &s->d->roles[r];

				if (s->src[n].known)
					ret = reserve_place(lw, s->d->groups[g].producers.ids[p],
							    &s->src[n], role->partial->shape,
							    role->partial, role->elem_bytes,
							    "partial", outside);
			}
	for (i = 0; i < s->n_stores && !ret; i++) {
		const struct kt_role *role = &s->d->roles[s->stores[i].role];

		ret = reserve_place(lw, s->stores[i].tile, &s->stores[i].place, s->stores[i].size,
				    role->result, role->elem_bytes, "result", outside);
	}
	return ret;
}

/* Everything the program or the user names is taken before the library places anything. */
static int reserve_all(struct kt_lw *lw)
{
	bool outside = false;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < lw->opts->n_reserved && !ret; i++)
		ret = kt_spm_reserve(&lw->spm, KT_ALL_TILES, lw->opts->reserved[i].start,
				     lw->opts->reserved[i].bytes);
	for (i = 0; i < lw->prog->n_touches && !ret; i++) {
		const struct kt_touch *t = &lw->prog->touches[i];

		ret = kt_spm_reserve(&lw->spm, t->all_tiles ? KT_ALL_TILES : t->tile, t->start,
				     t->end - t->start);
	}
	for (i = 0; i < lw->prog->n_steps && !ret; i++)
		ret = reserve_step(lw, &lw->prog->steps[i], &outside);
	return ret ? ret : outside ? -EINVAL : 0;
}

/* Every partial of the step gets its place. */
static int place_sources(struct kt_lw *lw, uint32_t step)
{
	const struct kt_step *s = &lw->prog->steps[step];
	struct kt_lw_step *ls = &lw->steps[step];
	uint32_t i, a;
	int ret;

	for (i = 0; i < s->n_src; i++) {
		struct kt_lw_src *src = &ls->src[i];
		const struct kt_role *role = &s->d->roles[src->role];
		struct kt_range at = src->place.at;

		if (src->place.known)
			continue;
		if (s->src[i].chain) {
			uint32_t slot = s->src[i].chain_role * lw->chk->n_tiles + src->tile;

			src->place = lw->steps[s->src[i].chain - 1].chain_place[slot];
			for (a = 0; a < role->partial->rank; a++)
				src->place.offset += s->src[i].chain_start[a] *
						     src->place.stride[a];
			src->place.at = at;
			continue;
		}
		ret = kt_lw_alloc(lw, s->d, "partial", src->tile, role->partial->shape,
				  role->partial->rank, role->elem_bytes, step, &src->place);
		if (ret)
			return ret;
		src->place.at = at;
	}
	return 0;
}

/* --- outputs --------------------------------------------------------------------------------------- */

static void io_shape(struct kt_io *io, const struct kt_delivery *d, unsigned int role,
		     const struct kt_type *ty)
{
	unsigned int a;

	io->role = role;
	io->fold = d->fold;
	io->elem_bytes = d->roles[role].elem_bytes;
	io->dtype = d->roles[role].dtype;
	io->rank = ty->rank;
	for (a = 0; a < ty->rank; a++)
		io->shape[a] = (uint32_t)ty->shape[a];
}

static void piece_of(struct kt_piece *pc, uint32_t tile, unsigned int rank, const int64_t *start,
		     const int64_t *size, int64_t offset, const int64_t *stride)
{
	unsigned int a;

	pc->tile = tile;
	pc->offset = (uint64_t)offset;
	for (a = 0; a < rank; a++) {
		pc->start[a] = (uint32_t)start[a];
		pc->size[a] = (uint32_t)size[a];
		pc->stride[a] = size[a] > 1 ? (uint64_t)stride[a] : 0;
	}
}

static int add_output(struct kt_lw *lw, uint32_t step, unsigned int role, uint32_t tile,
		      const struct kt_lw_dest *dst)
{
	const struct kt_delivery *d = lw->prog->steps[step].d;
	const struct kt_type *ty = d->roles[role].result;
	struct kt_io *io = kt_plan_add_io(lw->plan, true, step, tile, dst->n_cover);
	uint32_t i;

	if (!io)
		return -ENOMEM;
	io_shape(io, d, role, ty);
	for (i = 0; i < dst->n_cover; i++) {
		const struct kt_lw_box *b = &dst->cover[i];

		piece_of(&io->pieces[i], tile, ty->rank, b->start, b->size, b->offset, b->stride);
		io->pieces[i].placed = !b->tag;
		io->placed |= !b->tag;
	}
	/* copies nobody reads back are scratch */
	for (i = 0; i < dst->n_extra; i++) {
		struct kt_place pl = { .offset = dst->extra[i].offset };
		uint64_t s, e;

		memcpy(pl.stride, dst->extra[i].stride, sizeof(pl.stride));
		if (!dst->extra[i].tag && kt_lw_hull(&pl, dst->extra[i].size, ty->rank,
						     d->roles[role].elem_bytes, &s, &e) &&
		    kt_plan_add_scratch(lw->plan, step, tile, s, e - s))
			return -ENOMEM;
	}
	return 0;
}

static int add_inputs(struct kt_lw *lw, uint32_t step)
{
	const struct kt_step *s = &lw->prog->steps[step];
	static const int64_t zero[KT_MAX_RANK];
	uint32_t i;

	for (i = 0; i < s->n_src; i++) {
		const struct kt_lw_src *src = &lw->steps[step].src[i];
		const struct kt_place *pl = s->src[i].known ? &s->src[i] : &src->place;
		const struct kt_type *ty = s->d->roles[src->role].partial;
		struct kt_io *io = kt_plan_add_io(lw->plan, false, src->in_step, src->tile, 1);

		if (!io)
			return -ENOMEM;
		io_shape(io, s->d, src->role, ty);
		io->delivery = step;
		io->derived = src->derived;
		io->placed = src->placed;
		piece_of(&io->pieces[0], src->tile, ty->rank, zero, ty->shape, pl->offset,
			 pl->stride);
		io->pieces[0].placed = src->placed;
	}
	return 0;
}

/* --- one delivery ------------------------------------------------------------------------------------ */

/* One combine over one role or an arg pair. */
struct unit {
	unsigned int n, roles[2];
	const struct kt_fold *fold;
	struct kt_lw_shape sh;
};

static int add_dests(struct kt_lw *lw, uint32_t step, const struct unit *u, uint32_t space,
		     uint32_t l, uint32_t tile)
{
	const struct kt_delivery *d = lw->prog->steps[step].d;
	struct kt_lw_entry de = {
		.lw = lw, .d = d, .sh = &u->sh, .space = space, .tile = tile, .l = l,
		.n_roles = u->n, .roles = u->roles,
	};
	struct kt_lw_dest dst[2];
	uint32_t i, j, r;
	int ret = 0;

	for (r = 0; r < u->n && !ret; r++) {
		ret = kt_lw_dest(lw, step, u->roles[r], tile, &dst[r]);
		if (ret == -ERANGE)
			return kt_lw_too_large(lw, d, "a result is stored in too many pieces");
		if (!ret)
			ret = add_output(lw, step, u->roles[r], tile, &dst[r]);
	}
	for (i = 0; i < dst[0].n_cover && !ret; i++) {
		for (j = 0; u->n == 2 && j < dst[1].n_cover && !ret; j++)
			ret = kt_lw_dest_pair(&de, &dst[0].cover[i], &dst[1].cover[j]);
		if (u->n == 1)
			ret = kt_lw_dest_box(&de, &dst[0].cover[i]);
	}
	if (!ret && u->n == 2 && (dst[0].n_extra || dst[1].n_extra))
		return kt_lw_too_large(lw, d, "an element of a value and index pair is needed twice");
	for (i = 0; u->n == 1 && i < dst[0].n_extra && !ret; i++)
		ret = kt_lw_dest_box(&de, &dst[0].extra[i]);
	return ret;
}

/* Which dependency set each consumer of a group has: distinct sets are numbered. */
static int distinct_sets(struct kt_arena *a, const struct kt_group *g, uint32_t *set_of,
			 const struct kt_tiles ***sets, uint32_t *n)
{
	uint32_t c, i;

	*n = 0;
	*sets = kt_alloc(a, (g->consumers.n + 1) * sizeof(**sets));
	if (!*sets)
		return -ENOMEM;
	for (c = 0; c < g->consumers.n; c++) {
		const struct kt_tiles *dep = kt_group_dep(g, c);

		for (i = *n; i-- > 0;)
			if ((*sets)[i] == dep || kt_tiles_equal((*sets)[i], dep))
				break;
		if (i == UINT32_MAX) {
			i = (*n)++;
			(*sets)[i] = dep;
		}
		set_of[c] = i;
	}
	return 0;
}

static int lower_group(struct kt_lw *lw, uint32_t step, const struct unit *u,
		       const struct kt_group *g, uint32_t first_src)
{
	const struct kt_delivery *d = lw->prog->steps[step].d;
	const struct kt_lw_src *src = lw->steps[step].src + first_src;
	const struct kt_tiles **sets;
	uint32_t *set_of, n, i, c, space;
	int ret;

	set_of = kt_alloc(lw->a, (g->consumers.n + 1) * sizeof(*set_of));
	ret = set_of ? distinct_sets(lw->a, g, set_of, &sets, &n) : -ENOMEM;
	for (i = 0; !ret && i < n; i++) {
		uint32_t l;

		ret = kt_lw_space(lw, d, u->fold, u->roles, u->n, &u->sh, &space);
		for (l = 0; l < sets[i]->n && !ret; l++) {
			int64_t p = kt_tiles_index(&g->producers, sets[i]->ids[l]);

			if (p < 0)
				return -EINVAL;	/* R3 was said */
			ret = kt_lw_source(lw, d, space, &u->sh, u->roles, u->n, l,
					 &src[p * d->n_roles], first_src + (uint32_t)p * d->n_roles +
					 u->roles[0]);
		}
	}
	for (c = 0; !ret && c < g->consumers.n; c++)
		ret = add_dests(lw, step, u, lw->table.n_spaces - n + set_of[c], c,
				g->consumers.ids[c]);
	return ret;
}

/* Copy a partial away before the step overwrites it; later steps read the copy. */
static int save_partial(struct kt_lw *lw, uint32_t step, const struct kt_delivery *d,
			struct kt_lw_src *src, uint32_t until)
{
	const struct kt_role *role = &d->roles[src->role];
	unsigned int a, rank = role->partial->rank;
	struct kte_entry *s, *e;
	struct kte_space *sp;
	struct kt_place to;
	uint64_t start, end;
	uint32_t space;
	int ret;

	ret = kt_lw_alloc(lw, d, "saved partial", src->tile, role->partial->shape, rank,
			  role->elem_bytes, until, &to);
	if (ret)
		return ret;
	kt_lw_hull(&to, role->partial->shape, rank, role->elem_bytes, &start, &end);
	if (kt_plan_add_scratch(lw->plan, step, src->tile, start, end - start))
		return -ENOMEM;
	sp = kt_table_space(&lw->table, &space);
	s = kt_table_source(&lw->table, space, src->tile, KT_LW_NONE);
	e = kt_table_dest(&lw->table, space, src->tile, 0);
	if (!sp || !s || !e)
		return -ENOMEM;
	sp->rank = (uint8_t)(rank ? rank : 1);
	sp->roles = 1;
	sp->elem_bytes[0] = (uint8_t)role->elem_bytes;
	sp->dtype[0] = role->dtype;
	sp->extent[0] = 1;
	s->size[0] = 1;
	for (a = 0; a < rank; a++) {
		s->size[a] = (uint32_t)role->partial->shape[a];
		sp->extent[a] = s->size[a];
	}
	memcpy(e->size, s->size, sizeof(e->size));
	kt_lw_put_place(s, 0, rank, src->place.offset, src->place.stride);
	kt_lw_put_place(e, 0, rank, to.offset, to.stride);
	to.at = src->place.at;
	src->place = to;
	return 0;
}

static int add_saves(struct kt_lw *lw, uint32_t step)
{
	uint32_t k, i;
	int ret;

	for (k = step + 1; k < lw->prog->n_steps; k++)
		for (i = 0; i < lw->prog->steps[k].n_src; i++) {
			struct kt_lw_src *src = &lw->steps[k].src[i];

			if (src->save_step != step)
				continue;
			ret = save_partial(lw, step, lw->prog->steps[k].d, src, k);
			if (ret)
				return ret;
		}
	return 0;
}

static int lower_units(struct kt_lw *lw, uint32_t step)
{
	const struct kt_delivery *d = lw->prog->steps[step].d;
	unsigned int i, n = d->fold ? d->n_folds : d->n_roles;
	uint32_t g, first;
	int ret;

	for (i = 0; i < n; i++) {
		struct unit u = { .n = 1, .roles = { i } };

		if (d->fold) {
			u.fold = &d->folds[i];
			u.n = u.fold->n_roles;
			u.roles[0] = u.fold->role;
			if (u.n == 2) {
				u.roles[1] = u.fold->index_role;
				u.roles[0] = u.fold->role == u.roles[1] ? u.roles[1] + 1 :
									  u.fold->role;
			}
			if (!u.fold->supported)
				return -EOPNOTSUPP;	/* K5 was said */
		}
		if (u.n == 2 && memcmp(d->roles[u.roles[0]].partial->shape,
				       d->roles[u.roles[1]].partial->shape,
				       d->roles[u.roles[0]].partial->rank * sizeof(int64_t)))
			return kt_lw_too_large(lw, d, "value and index differ in shape");
		if (!kt_lw_shape_of(&d->roles[u.roles[0]], &u.sh))
			return kt_lw_too_large(lw, d, "an exchange along these axes needs more than 8 axes");
		for (g = 0, first = 0; g < d->n_groups; g++) {
			ret = lower_group(lw, step, &u, &d->groups[g], first);
			if (ret)
				return ret;
			first += d->groups[g].producers.n * d->n_roles;
		}
	}
	return 0;
}

/* The engine refused: said in the words of the program. */
static int refused(struct kt_lw *lw, uint32_t step, int ret, const struct kt_table_error *err)
{
	const struct kt_step *s = &lw->prog->steps[step];
	enum ktdev_severity sev = ret == -EINVAL || ret == -ENOSPC ? KTDEV_ERROR : KTDEV_UNSUPPORTED;
	struct kt_range at = s->d->op->at;
	struct kt_diag *d;

	if (ret == -ENOSPC) {
		kt_diag(lw->rep, lw->src, at, KT_K13, sev,
			"the delivery writes bytes it still reads and needs %llu bytes of scratchpad to stage them, %llu are available",
			ULL(err->needed), ULL(err->available));
		return -EINVAL;
	}
	if (err->why.where == KTE_WHERE_DEST && err->tag && err->tag <= s->n_stores)
		at = s->stores[err->tag - 1].at;
	if (ret == -EINVAL && !err->why.limit)	/* what overlaps does so at a byte */
		d = kt_diag(lw->rep, lw->src, at, KT_K13, sev, "%s, byte %llu",
			    kte_reason_text(err->why.reason), ULL(err->why.value));
	else
		d = kt_diag(lw->rep, lw->src, at, KT_K13, sev, "%s (found %llu, limit %llu)",
			    kte_reason_text(err->why.reason), ULL(err->why.value),
			    ULL(err->why.limit));
	if (err->why.tile != 0xffffffffu)
		kt_diag_witness(d, KT_NO_WITNESS, err->why.tile, KT_NO_WITNESS);
	if (err->why.other_where == KTE_WHERE_DEST && err->other_tag &&
	    err->other_tag <= s->n_stores)
		kt_diag_note(d, lw->src, s->stores[err->other_tag - 1].at, "the other store");
	return sev == KTDEV_ERROR ? -EINVAL : -EOPNOTSUPP;
}

static const char *op_name(const struct kt_delivery *d)
{
	static const char prefix[] = "ktdp.inter_tile_";

	return strncmp(d->op->name, prefix, sizeof(prefix) - 1) ? d->op->name :
								  d->op->name + sizeof(prefix) - 1;
}

static int lower_step(struct kt_lw *lw, uint32_t step)
{
	const struct kt_delivery *d = lw->prog->steps[step].d;
	struct kt_table_error err;
	uint64_t bytes;
	void *image;
	int ret;

	lw->table.n_spaces = 0;
	lw->table.src.n = 0;
	lw->table.dst.n = 0;
	ret = place_sources(lw, step);
	if (!ret)
		ret = add_inputs(lw, step);
	if (!ret)
		ret = lower_units(lw, step);
	if (!ret && lw->steps[step].saves)
		ret = add_saves(lw, step);
	if (ret)
		return ret;
	ret = kt_table_finish(&lw->table, &lw->lim, &lw->spm, &image, &bytes, &err);
	if (ret)
		return ret == -ENOMEM ? ret : refused(lw, step, ret, &err);
	ret = kt_plan_add_step(lw->plan, op_name(d), d->func->name, image, bytes);
	give_back(lw, step);
	return ret < 0 ? ret : 0;
}

static void count_funcs(struct kt_lw *lw)
{
	const struct kt_func *last = NULL;
	uint32_t i;

	for (i = 0; i < lw->prog->n_steps; i++) {
		if (lw->prog->steps[i].d->func != last)
			lw->plan->n_funcs++;
		last = lw->prog->steps[i].d->func;
	}
}

int kt_lower(const struct kt_checked *chk, const struct kt_program *prog,
	     const struct kt_lower_opts *opts, struct ktdev_report *rep, struct kt_arena *a,
	     struct ktdev_plan **out)
{
	struct kt_lw lw = {
		.chk = chk, .src = &chk->mod->src, .prog = prog, .opts = opts, .rep = rep, .a = a,
	};
	uint32_t k;
	int ret;

	*out = NULL;
	if (opts->uncapped)
		kte_limits_soft(&lw.lim, chk->n_tiles, opts->window);
	else
		kte_limits_hw(&lw.lim, chk->n_tiles, opts->window);
	lw.plan = kt_plan_new("ktir", chk->mod->src.name, chk->n_tiles, opts->n_cores,
			      opts->window);
	lw.steps = kt_alloc(a, (prog->n_steps + 1) * sizeof(*lw.steps));
	ret = lw.plan && lw.steps ? kt_spm_init(&lw.spm, a, chk->n_tiles, opts->window) : -ENOMEM;
	if (!ret)
		ret = reserve_all(&lw);
	if (!ret)
		ret = kt_lw_order(&lw);
	for (k = 0; k < prog->n_steps && !ret; k++)
		ret = lower_step(&lw, k);
	kt_table_fini(&lw.table);
	if (!ret) {
		lw.plan->per_tile = opts->per_tile;
		count_funcs(&lw);
		ret = kt_plan_finish(lw.plan);
	}
	if (ret)
		ktdev_plan_free(lw.plan);
	else
		*out = lw.plan;
	return ret;
}
