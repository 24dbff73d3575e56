// SPDX-License-Identifier: MIT
/*
 * Ownership tables to a plan, without the detour over ops: any pair, regular or not, is
 * one table. A destination entry takes all it needs from one index space; where several
 * cores hold a source box there is one space per holder in turn, and a destination whose
 * parts come from different holders is cut along the source boxes.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "opts.h"
#include "plan.h"
#include "relayout.h"

#define DEFAULT_CORES	32u
#define DEFAULT_WINDOW	(2ull << 20)

struct lowering {
	const struct ktdev_relayout *rel;
	const struct ktdev_compile_opts *opts;
	struct ktdev_report *rep;
	struct kt_arena arena;
	struct kt_relation r;
	struct kt_places places;
	struct kt_spm spm;
	struct kt_table table;
	struct ktdev_plan *plan;
	enum ktdev_elect elect;
	bool fold;
};

static void say(struct lowering *lw, enum kt_rule rule, enum ktdev_severity sev, int64_t tile,
		const char *ptr, const char *text)
{
	struct kt_range none = { 0, 0 };
	struct kt_source src;
	struct kt_diag *d;
	bool named = !kt_source_init(&src, lw->rel->name, "", 0);

	d = kt_diag(lw->rep, named ? &src : NULL, none, rule, sev, "%s", text);
	kt_diag_witness(d, KT_NO_WITNESS, tile, KT_NO_WITNESS);
	kt_diag_pointer(d, "%s", ptr ? ptr : "");
	if (named)
		kt_source_fini(&src);
}

/* --- places ------------------------------------------------------------------------------- */

static uint64_t part_bytes(const struct ktdev_relayout *rel, const struct kt_part *p)
{
	return kt_box_volume(&p->box, rel->rank) * rel->elem_bytes;
}

static int no_room(struct lowering *lw, enum ktdev_side side, uint32_t piece, uint32_t core,
		   uint64_t needed, uint64_t available)
{
	const struct kt_side *s = &lw->rel->side[side];
	char text[256], ptr[256];

	kt_part_ptr(s, s->pieces[piece].index, ptr, sizeof(ptr));
	snprintf(text, sizeof(text),
		 "the %s piece of core %u does not fit its scratchpad: %" PRIu64 " bytes needed, "
		 "%" PRIu64 " available",
		 side ? "destination" : "source", core, needed, available);
	say(lw, KT_K13, KTDEV_ERROR, core, ptr, text);
	return -EINVAL;
}

/*
 * Take or reserve the bytes of every piece in the window; around reserved ranges the
 * allocator chooses what the input does not give.
 */
static int reserve_places(struct lowering *lw)
{
	const struct ktdev_relayout *rel = lw->rel;
	uint64_t window = lw->opts->window;
	uint32_t s, i, k;
	int ret = 0;

	for (i = 0; i < lw->opts->n_reserved && !ret; i++)
		ret = kt_spm_reserve(&lw->spm, KT_ALL_TILES, lw->opts->reserved[i].start,
				     lw->opts->reserved[i].bytes);
	for (s = 0; s < 2; s++) {
		const struct kt_side *side = &rel->side[s];

		for (i = 0; i < side->n && !ret; i++)
			for (k = 0; k < side->pieces[i].n_owners && !ret; k++) {
				uint64_t *at = &lw->places.addr[s][lw->places.first[s][i] + k];
				uint64_t bytes = part_bytes(rel, &side->pieces[i]);
				uint32_t core = side->pieces[i].owners[k];

				if (lw->opts->n_reserved && !side->placed) {
					ret = kt_spm_take(&lw->spm, core, bytes, at);
					if (ret == -ENOSPC)
						ret = no_room(lw, (enum ktdev_side)s, i, core,
							      lw->spm.needed, lw->spm.available);
					continue;
				}
				if (*at + bytes > window)
					ret = no_room(lw, (enum ktdev_side)s, i, core,
						      *at + bytes, window);
				else
					ret = kt_spm_reserve(&lw->spm, core, *at, bytes);
			}
	}
	return ret;
}

/* --- entries ------------------------------------------------------------------------------ */

static uint64_t entry_addr(const struct lowering *lw, int side, uint32_t piece, uint32_t owner,
			   const struct kte_box *box, uint64_t *stride)
{
	const struct kt_part *p = &lw->rel->side[side].pieces[piece];
	uint64_t at = lw->places.addr[side][lw->places.first[side][piece] + owner];
	uint32_t a;

	kt_part_strides(lw->rel, (enum ktdev_side)side, &p->box, stride);
	for (a = 0; a < lw->rel->rank; a++)
		at += (uint64_t)(box->start[a] - p->box.start[a]) * stride[a];
	return at;
}

static int fill_entry(const struct lowering *lw, struct kte_entry *e, int side, uint32_t piece,
		      uint32_t owner, const struct kte_box *box)
{
	if (!e)
		return -ENOMEM;
	memcpy(e->start, box->start, sizeof(e->start));
	memcpy(e->size, box->size, sizeof(e->size));
	e->offset[0] = entry_addr(lw, side, piece, owner, box, e->stride[0]);
	return 0;
}

static int add_space(struct lowering *lw, uint32_t *index)
{
	struct kte_space *sp = kt_table_space(&lw->table, index);
	uint32_t a;

	if (!sp)
		return -ENOMEM;
	sp->rank = (uint8_t)lw->rel->rank;
	sp->op = lw->fold ? lw->rel->fold_op : KTE_OP_COPY;
	sp->mode = lw->fold ? lw->rel->fold_mode : 0;
	sp->roles = 1;
	sp->elem_bytes[0] = (uint8_t)lw->rel->elem_bytes;
	sp->dtype[0] = lw->rel->kte_dtype;
	for (a = 0; a < lw->rel->rank; a++)
		sp->extent[a] = lw->rel->axes[a].extent;
	return 0;
}

/* Position of the elected holder of source piece s for a consumer. */
static uint32_t holder(const struct lowering *lw, uint32_t s, uint32_t consumer)
{
	const struct kt_part *p = &lw->r.src[s];
	uint32_t core, i;

	if (p->n_owners == 1)
		return 0;
	core = kt_elect(p, consumer, lw->rel->cores, lw->elect);
	for (i = 0; p->owners[i] != core; i++)
		;
	return i;
}

/* Spaces by holder: made when first used. */
struct spaces {
	uint32_t n;
	uint32_t *index;	/* holder -> space, KTE_NONE: not there yet */
};

static int holder_space(struct lowering *lw, struct spaces *v, uint32_t h, uint32_t *out)
{
	uint32_t i;
	int ret;

	if (v->index[h] != KTE_NONE) {
		*out = v->index[h];
		return 0;
	}
	ret = add_space(lw, &v->index[h]);
	*out = v->index[h];
	for (i = 0; i < lw->r.n_src && !ret; i++) {
		const struct kt_part *p = &lw->r.src[i];

		if (h < p->n_owners)
			ret = fill_entry(lw, kt_table_source(&lw->table, *out, p->owners[h], i), 0,
					 i, h, &p->box);
	}
	return ret;
}

/* One holder of a destination piece: whole if one space has all it needs. */
static int add_copy(struct lowering *lw, struct spaces *v, uint32_t d, uint32_t k)
{
	const struct kt_relation *r = &lw->r;
	const struct kt_part *p = &r->dst[d];
	uint32_t e, h = holder(lw, r->edge[r->first[d]], p->owners[k]), space;
	struct kte_box cut;
	int ret;

	for (e = r->first[d] + 1; e < r->first[d + 1]; e++)
		if (holder(lw, r->edge[e], p->owners[k]) != h)
			break;
	if (e == r->first[d + 1]) {
		ret = holder_space(lw, v, h, &space);
		return ret ? ret : fill_entry(lw, kt_table_dest(&lw->table, space, p->owners[k], d),
					      1, d, k, &p->box);
	}
	for (e = r->first[d], ret = 0; e < r->first[d + 1] && !ret; e++) {
		h = holder(lw, r->edge[e], p->owners[k]);
		kt_box_cut(&r->src[r->edge[e]].box, &p->box, r->rank, &cut);
		ret = holder_space(lw, v, h, &space);
		if (!ret)
			ret = fill_entry(lw, kt_table_dest(&lw->table, space, p->owners[k], d), 1,
					 d, k, &cut);
	}
	return ret;
}

static int add_copies(struct lowering *lw)
{
	struct spaces v = { .n = 1 };
	uint32_t i, k;
	int ret = 0;

	for (i = 0; i < lw->r.n_src; i++)
		if (lw->r.src[i].n_owners > v.n)
			v.n = lw->r.src[i].n_owners;
	v.index = malloc(v.n * sizeof(*v.index));
	if (!v.index)
		return -ENOMEM;
	memset(v.index, 0xff, v.n * sizeof(*v.index));
	for (i = 0; i < lw->r.n_dst && !ret; i++)
		for (k = 0; k < lw->r.dst[i].n_owners && !ret; k++)
			ret = add_copy(lw, &v, i, k);
	free(v.index);
	return ret;
}

struct addend {
	uint32_t core, piece, owner;
};

static int addend_order(const void *pa, const void *pb)
{
	const struct addend *a = pa, *b = pb;

	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	return a->piece < b->piece ? -1 : a->piece > b->piece;
}

/*
 * Contributions: all owners are addends, in ascending core; destinations are cut along the
 * source boxes so that each addend covers them.
 */
static int add_folds(struct lowering *lw)
{
	const struct kt_relation *r = &lw->r;
	uint32_t i, k, e, n = 0, space;
	struct addend *v;
	struct kte_box cut;
	int ret;

	for (i = 0; i < r->n_src; i++)
		n += r->src[i].n_owners;
	v = malloc(((size_t)n + 1) * sizeof(*v));
	if (!v)
		return -ENOMEM;
	for (i = 0, n = 0; i < r->n_src; i++)
		for (k = 0; k < r->src[i].n_owners; k++)
			v[n++] = (struct addend){ r->src[i].owners[k], i, k };
	qsort(v, n, sizeof(*v), addend_order);
	ret = add_space(lw, &space);
	for (i = 0; i < n && !ret; i++)
		ret = fill_entry(lw, kt_table_source(&lw->table, space, v[i].core, v[i].piece), 0,
				 v[i].piece, v[i].owner, &r->src[v[i].piece].box);
	free(v);
	for (i = 0; i < r->n_dst && !ret; i++)
		for (e = r->first[i]; e < r->first[i + 1] && !ret; e++) {
			kt_box_cut(&r->src[r->edge[e]].box, &r->dst[i].box, r->rank, &cut);
			for (k = 0; k < r->dst[i].n_owners && !ret; k++)
				ret = fill_entry(lw, kt_table_dest(&lw->table, space,
								   r->dst[i].owners[k], i), 1, i, k,
						 &cut);
		}
	return ret;
}

/* --- values ------------------------------------------------------------------------------- */

static void io_head(const struct lowering *lw, struct kt_io *io, const uint32_t *shape)
{
	uint32_t a;

	io->fold = lw->fold;
	io->rank = lw->rel->rank;
	io->elem_bytes = lw->rel->elem_bytes;
	io->dtype = lw->rel->kte_dtype;
	for (a = 0; a < io->rank; a++)
		io->shape[a] = shape[a];
}

static void io_piece(const struct lowering *lw, struct kt_piece *pc, int side, uint32_t piece,
		     uint32_t owner)
{
	const struct kt_part *p = &lw->rel->side[side].pieces[piece];

	pc->tile = p->owners[owner];
	pc->placed = !lw->rel->side[side].placed;
	memcpy(pc->size, p->box.size, sizeof(pc->size));
	pc->offset = entry_addr(lw, side, piece, owner, &p->box, pc->stride);
}

/* The whole tensor goes to all owners; of contributions there is one tensor per addend. */
static int add_inputs(struct lowering *lw)
{
	const struct kt_side *s = &lw->rel->side[KTDEV_SOURCE];
	uint32_t most = 1, total = 0, i, k, t, n, extent[KT_AXES];
	struct kt_io *io;
	char name[32];

	for (i = 0; i < lw->rel->rank; i++)
		extent[i] = lw->rel->axes[i].extent;
	for (i = 0; i < s->n; i++) {
		total += s->pieces[i].n_owners;
		if (lw->fold && s->pieces[i].n_owners > most)
			most = s->pieces[i].n_owners;
	}
	for (t = 0; t < most; t++) {
		for (i = 0, n = 0; lw->fold && i < s->n; i++)
			n += t < s->pieces[i].n_owners;
		io = kt_plan_add_io(lw->plan, false, 0, KT_ALL_TILES, lw->fold ? n : total);
		if (!io)
			return -ENOMEM;
		io_head(lw, io, extent);
		io->placed = !s->placed;
		snprintf(name, sizeof(name), t ? "tensor.%u.bin" : "tensor.bin", t);
		io->name = kt_strndup(&lw->plan->arena, name, strlen(name));
		for (i = 0, n = 0; i < s->n; i++)
			for (k = lw->fold ? t : 0; k < s->pieces[i].n_owners; k++) {
				memcpy(io->pieces[n].start, s->pieces[i].box.start,
				       sizeof(io->pieces[n].start));
				io_piece(lw, &io->pieces[n++], 0, i, k);
				if (lw->fold)
					break;
			}
	}
	return 0;
}

static int add_outputs(struct lowering *lw)
{
	const struct kt_side *s = &lw->rel->side[KTDEV_DESTINATION];
	struct kt_owned *v;
	uint32_t i, n;
	char name[32];
	int ret = 0;

	v = kt_owned_list(s, &n);
	if (!v)
		return -ENOMEM;
	for (i = 0; i < n && !ret; i++) {
		struct kt_io *io = kt_plan_add_io(lw->plan, true, 0, v[i].core, 1);

		if (!io) {
			ret = -ENOMEM;
			break;
		}
		io_head(lw, io, s->pieces[v[i].piece].box.size);
		io->placed = !s->placed;
		io->role = i && v[i - 1].core == v[i].core ? io[-1].role + 1 : 0;
		snprintf(name, sizeof(name), "t%u.bin", v[i].core);
		io->name = kt_strndup(&lw->plan->arena, name, strlen(name));
		io_piece(lw, &io->pieces[0], 1, v[i].piece, v[i].owner);
	}
	free(v);
	return ret;
}

/* --- the whole ---------------------------------------------------------------------------- */

static int refused(struct lowering *lw, int err, const struct kt_table_error *why)
{
	const struct kte_reject *w = &why->why;
	char text[512], ptr[256] = "";
	int side = w->where == KTE_WHERE_SOURCE ? 0 : 1;

	if (err == -ENOSPC) {
		snprintf(text, sizeof(text),
			 "no room to stage results that overwrite what is still read: %" PRIu64
			 " bytes needed, %" PRIu64 " available",
			 why->needed, why->available);
		say(lw, KT_K13, KTDEV_ERROR, -1, NULL, text);
		return -EINVAL;
	}
	if (why->tag != KTE_NONE && why->tag < lw->rel->side[side].n)
		kt_part_ptr(&lw->rel->side[side], lw->rel->side[side].pieces[why->tag].index, ptr,
			    sizeof(ptr));
	snprintf(text, sizeof(text), "the table is refused (%s): %s", kte_reason_name(w->reason),
		 kte_reason_text(w->reason));
	if (w->reason == KTE_R_DST_OVERLAP)
		snprintf(text, sizeof(text),
			 "two destination pieces of core %u lie on the same byte, %" PRIu64,
			 w->tile, w->value);
	else if (err == -ERANGE || err == -E2BIG)
		snprintf(text, sizeof(text), "over a limit of the target (%s): %" PRIu64 " of at "
			 "most %" PRIu64,
			 kte_reason_name(w->reason), w->value, w->limit);
	say(lw, err == -EINVAL ? KT_K13 : KT_RULE_NONE,
	    err == -EINVAL ? KTDEV_ERROR : KTDEV_UNSUPPORTED,
	    w->tile == KTE_NONE ? -1 : (int64_t)w->tile, ptr, text);
	return err == -EINVAL ? -EINVAL : -EOPNOTSUPP;
}

/* Every consumer must have a determined producer. */
static bool determined(const struct lowering *lw)
{
	const struct kt_relation *r = &lw->r;
	uint32_t d, e, k;

	for (d = 0; d < r->n_dst; d++)
		for (e = r->first[d]; e < r->first[d + 1]; e++) {
			if (r->src[r->edge[e]].n_owners < 2)
				continue;
			for (k = 0; k < r->dst[d].n_owners; k++)
				if (kt_elect(&r->src[r->edge[e]], r->dst[d].owners[k],
					     lw->rel->cores, lw->elect) == KT_NO_CORE)
					return false;
		}
	return true;
}

static int lower_table(struct lowering *lw)
{
	const struct ktdev_relayout *rel = lw->rel;
	struct kt_table_error why;
	struct kte_limits lim;
	uint64_t bytes;
	void *image;
	int ret;

	ret = kt_relation_init(&lw->r, rel, rel->side[0].pieces, rel->side[0].n,
			       rel->side[1].pieces, rel->side[1].n, &lw->arena);
	if (ret)
		return ret;
	if (!lw->fold && !determined(lw)) {
		say(lw, KT_RULE_NONE, KTDEV_UNSUPPORTED, -1, NULL,
		    "producer not determined: a source region has several holders and a consumer "
		    "is none of them; elect one (lowest or nearest)");
		return -EOPNOTSUPP;
	}
	ret = kt_places_init(&lw->places, rel, lw->opts->window, &lw->arena);
	if (ret == -ERANGE) {
		say(lw, KT_K13, KTDEV_ERROR, -1, NULL, "the pieces lie beyond 2^63 bytes");
		return -EINVAL;
	}
	if (!ret)
		ret = kt_spm_init(&lw->spm, &lw->arena, rel->cores, lw->opts->window);
	if (!ret)
		ret = reserve_places(lw);
	if (!ret)
		ret = lw->fold ? add_folds(lw) : add_copies(lw);
	if (ret)
		return ret;
	if (lw->opts->uncapped)
		kte_limits_soft(&lim, rel->cores, lw->opts->window);
	else
		kte_limits_hw(&lim, rel->cores, lw->opts->window);
	ret = kt_table_finish(&lw->table, &lim, &lw->spm, &image, &bytes, &why);
	if (ret)
		return ret == -ENOMEM ? ret : refused(lw, ret, &why);
	lw->plan = kt_plan_new("relayout", rel->name ? rel->name : "", rel->cores,
			       lw->opts->cores, lw->opts->window);
	if (!lw->plan) {
		free(image);
		return -ENOMEM;
	}
	ret = kt_plan_add_step(lw->plan, "relayout", "", image, bytes);
	if (ret < 0)
		return ret;
	ret = add_inputs(lw);
	if (!ret)
		ret = add_outputs(lw);
	lw->plan->per_tile = lw->opts->per_tile;
	return ret ? ret : kt_plan_finish(lw->plan);
}

int ktdev_plan_from_relayout(const struct ktdev_relayout *rel, enum ktdev_elect elect,
			     const struct ktdev_compile_opts *in, struct ktdev_report *rep,
			     struct ktdev_plan **out)
{
	struct lowering lw = { .rel = rel, .rep = rep, .elect = elect };
	struct ktdev_compile_opts o;
	char text[128];
	int ret;

	*out = NULL;
	ret = kt_opts_copy(&o, sizeof(o), in);
	if (ret)
		return ret;
	o.cores = o.cores ? o.cores : DEFAULT_CORES;
	o.window = o.window ? o.window : DEFAULT_WINDOW;
	lw.opts = &o;
	lw.fold = rel->side[KTDEV_SOURCE].value == KTDEV_VALUE_CONTRIBUTIONS;
	if (rel->cores > o.cores) {
		snprintf(text, sizeof(text), "the tables are of %u cores, the target has %u",
			 rel->cores, o.cores);
		say(&lw, KT_RULE_NONE, KTDEV_UNSUPPORTED, -1, NULL, text);
		return -EOPNOTSUPP;
	}
	ret = lower_table(&lw);
	kt_table_fini(&lw.table);
	kt_arena_fini(&lw.arena);
	if (ret)
		ktdev_plan_free(lw.plan);
	else
		*out = lw.plan;
	return ret;
}
