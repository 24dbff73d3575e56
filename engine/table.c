// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Tables: from the entry arrays a user states to the image the unit executes.
 *
 * The checks run from cheap to dear, and each relies on those before it: counts,
 * fields, coverage, bytes written twice, staging, bytes written while read. The
 * first fault ends the run and is reported with its witness.
 */
#include "table_priv.h"

void kte_limits_hw(struct kte_limits *lim, uint32_t n_tiles, uint64_t window)
{
	memset(lim, 0, sizeof(*lim));
	lim->n_tiles = n_tiles;
	lim->window = window;
	lim->max_entries = KTE_HW_MAX_ENTRIES;
	lim->max_spaces = KTE_HW_MAX_SPACES;
	lim->max_pairs = KTE_HW_MAX_PAIRS;
	lim->max_image = KTE_HW_MAX_IMAGE;
	lim->axis_budget = KTE_AXIS_BUDGET;
	lim->paint_budget = KTE_PAINT_BUDGET;
}

void kte_limits_soft(struct kte_limits *lim, uint32_t n_tiles, uint64_t window)
{
	memset(lim, 0, sizeof(*lim));
	lim->n_tiles = n_tiles;
	lim->window = window;
	lim->max_entries = UINT32_MAX;
	lim->max_spaces = UINT32_MAX;
	lim->max_pairs = UINT64_MAX;
	lim->max_image = UINT64_MAX;
	lim->axis_budget = UINT64_MAX;
	lim->paint_budget = UINT64_MAX;
}

static int check_count(struct kte_work *w, uint32_t field, uint64_t n, uint64_t total,
		       uint64_t limit)
{
	w->why->where = KTE_WHERE_TABLE;
	w->why->index = 0;
	if (!n)
		return kte_refuse(w->why, KTE_R_COUNT, field, KTE_NONE, 0, limit);
	if (total <= limit)
		return 0;
	kte_refuse(w->why, KTE_R_COUNT, field, KTE_NONE, total, limit);
	return -ERANGE;
}

static int check_counts(struct kte_work *w)
{
	const struct kte_table *t = w->t;
	uint64_t total = (uint64_t)t->n_sources + t->n_dests;
	int err;

	err = check_count(w, KTE_F_N_SPACES, t->n_spaces, t->n_spaces, w->lim->max_spaces);
	if (!err)
		err = check_count(w, KTE_F_N_SOURCES, t->n_sources, t->n_sources,
				  w->lim->max_entries);
	if (!err)
		err = check_count(w, KTE_F_N_DESTS, t->n_dests, total, w->lim->max_entries);
	return err;
}

static int check_entries(struct kte_work *w, const struct kte_entry *e, uint32_t n, bool dest)
{
	const struct kte_table *t = w->t;
	uint64_t end;
	uint32_t i;
	int err = 0;

	w->why->where = dest ? KTE_WHERE_DEST : KTE_WHERE_SOURCE;
	for (i = 0; i < n && !err; i++) {
		w->why->index = i;
		err = kte_check_entry(&e[i], t->spaces, t->n_spaces, w->lim, dest, false, w->why);
		if (err)
			break;
		end = kte_entry_end(&e[i], kte_space_of(w, &e[i]));
		if (end > w->window_bytes)
			w->window_bytes = end;
		if (e[i].tile >= w->n_tiles)
			w->n_tiles = e[i].tile + 1u;
		err = kte_step(w, 8);
	}
	return err;
}

static int check_fields(struct kte_work *w)
{
	const struct kte_table *t = w->t;
	uint32_t i;
	int err = 0;

	w->why->where = KTE_WHERE_SPACE;
	for (i = 0; i < t->n_spaces && !err; i++) {
		w->why->index = i;
		err = kte_check_space(&t->spaces[i], w->why);
		if (!err)
			err = kte_step(w, 8);
	}
	if (!err)
		err = check_entries(w, t->sources, t->n_sources, false);
	if (!err)
		err = check_entries(w, t->dests, t->n_dests, true);
	return err;
}

/* Everything up to and including coverage. */
static int check_until_cover(struct kte_work *w, bool stage)
{
	const struct kte_table *t = w->t;
	uint32_t most = t->n_sources > t->n_dests ? t->n_sources : t->n_dests;
	int err;

	err = check_counts(w);
	if (!err && stage)
		err = kte_check_stage_range(t->stage_offset, t->stage_bytes, w->lim->window,
					    w->why);
	if (!err)
		err = check_fields(w);
	if (err)
		return err;
	w->keys = kte_work_alloc(w, most, sizeof(*w->keys));
	w->cuts = kte_work_alloc(w, most, sizeof(*w->cuts));
	w->list = kte_work_alloc(w, most, sizeof(*w->list));
	w->items = kte_work_alloc(w, KTE_MAX_ROLES * ((uint64_t)t->n_sources + t->n_dests),
				  sizeof(*w->items));
	if (!w->keys || !w->cuts || !w->list || !w->items)
		return -ENOMEM;
	return kte_cover(w);
}

static struct kte_work *work_new(const struct kte_table *t, const struct kte_limits *lim,
				 const struct kte_env *env, struct kte_reject *why)
{
	struct kte_work *w = env->alloc(env->ctx, sizeof(*w));

	memset(why, 0, sizeof(*why));
	why->other = why->axis = why->tile = KTE_NONE;
	if (!w)
		return NULL;
	w->t = t;
	w->lim = lim;
	w->env = env;
	w->why = why;
	w->axis_left = lim->axis_budget;
	w->paint_left = lim->paint_budget;
	return w;
}

static void work_free(struct kte_work *w)
{
	kte_work_release(w, w->src_first);
	kte_work_release(w, w->src_list);
	kte_work_release(w, w->dst_first);
	kte_work_release(w, w->dst_list);
	kte_work_release(w, w->classes);
	kte_work_release(w, w->class_of);
	kte_work_release(w, w->edges);
	kte_work_release(w, w->items);
	kte_work_release(w, w->bitmap);
	kte_work_release(w, w->rev_first);
	kte_work_release(w, w->rev);
	kte_work_release(w, w->keys);
	kte_work_release(w, w->cuts);
	kte_work_release(w, w->list);
	w->env->free(w->env->ctx, w);
}

static uint64_t image_bytes(const struct kte_work *w)
{
	return sizeof(struct kte_image_header) +
	       (uint64_t)w->t->n_spaces * sizeof(struct kte_space) +
	       ((uint64_t)w->t->n_sources + w->t->n_dests) * sizeof(struct kte_entry) +
	       w->n_edges * sizeof(uint32_t);
}

static void fill_header(const struct kte_work *w, struct kte_image_header *h, uint64_t bytes)
{
	const struct kte_table *t = w->t;
	uint64_t stage_end = t->stage_bytes ? t->stage_offset + t->stage_bytes : 0;

	h->magic = KTE_IMAGE_MAGIC;
	h->version = KTE_IMAGE_VERSION;
	h->header_bytes = sizeof(*h);
	h->total_bytes = bytes;
	h->n_spaces = t->n_spaces;
	h->n_sources = t->n_sources;
	h->n_dests = t->n_dests;
	h->n_edges = (uint32_t)w->n_edges;
	h->n_pairs = w->n_pairs;
	h->window_bytes = w->window_bytes > stage_end ? w->window_bytes : stage_end;
	h->stage_offset = t->stage_offset;
	h->stage_bytes = t->stage_bytes;
	h->n_tiles = w->n_tiles;
}

static int write_image(struct kte_work *w, void **image, uint64_t *bytes)
{
	const struct kte_table *t = w->t;
	uint64_t total = image_bytes(w);
	struct kte_entry *e;
	uint8_t *at;
	uint32_t i;

	if (total > w->lim->max_image) {
		kte_refuse_at(w->why, KTE_R_IMAGE_SIZE, KTE_WHERE_TABLE, 0, total,
			      w->lim->max_image);
		return -ERANGE;
	}
	at = kte_work_alloc(w, total, 1);
	if (!at)
		return -ENOMEM;
	*image = at;
	*bytes = total;
	fill_header(w, *image, total);
	at += sizeof(struct kte_image_header);
	memcpy(at, t->spaces, (size_t)t->n_spaces * sizeof(*t->spaces));
	at += (size_t)t->n_spaces * sizeof(*t->spaces);
	memcpy(at, t->sources, (size_t)t->n_sources * sizeof(*e));
	at += (size_t)t->n_sources * sizeof(*e);
	memcpy(at, t->dests, (size_t)t->n_dests * sizeof(*e));
	e = (struct kte_entry *)at;
	for (i = 0; i < t->n_dests; i++) {
		e[i].first = w->classes[w->class_of[i]].first;
		e[i].count = w->classes[w->class_of[i]].count;
	}
	memcpy(e + t->n_dests, w->edges, w->n_edges * sizeof(*w->edges));
	return 0;
}

int kte_table_compile(const struct kte_table *t, const struct kte_limits *lim,
		      const struct kte_env *env, void **image, uint64_t *bytes,
		      struct kte_reject *why)
{
	struct kte_work *w = work_new(t, lim, env, why);
	int err;

	*image = NULL;
	*bytes = 0;
	if (!w)
		return -ENOMEM;
	err = check_until_cover(w, true);
	if (!err)
		err = kte_check_overlap(w);
	if (!err)
		err = kte_check_stage(w);
	if (!err)
		err = kte_check_alias(w, NULL);
	if (!err)
		err = write_image(w, image, bytes);
	work_free(w);
	return err;
}

int kte_table_aliases(const struct kte_table *t, const struct kte_limits *lim,
		      const struct kte_env *env, uint8_t *staged, uint64_t *need,
		      struct kte_reject *why)
{
	struct kte_work *w = work_new(t, lim, env, why);
	uint32_t tile;
	int err;

	*need = 0;
	if (!w)
		return -ENOMEM;
	err = check_until_cover(w, false);
	if (!err) {
		memset(staged, 0, t->n_dests);
		err = kte_check_alias(w, staged);
	}
	if (!err)
		err = kte_stage_need(w, staged, need, &tile);
	work_free(w);
	return err;
}
