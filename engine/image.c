// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Structural check of a finished image, which may come from anyone. The header
 * first, then each section with the checks the compiler itself uses, then what
 * ties the sections together. Nothing is read before it is known to be inside.
 */
#include "box.h"
#include "kte_exec.h"
#include "table_priv.h"

#define TILES_AT_ONCE	256u	/* sums kept while adding up staged bytes */

/* The sections of an image that has passed check_header(). */
struct view {
	const struct kte_image_header *h;
	const struct kte_space *spaces;
	const struct kte_entry *entries;	/* sources, then destinations */
	const uint32_t *edges;
	uint64_t n_entries;
	const struct kte_limits *lim;
	struct kte_fault *fault;
};

static const char *const fault_names[] = {
	[KTE_FAULT_NONE]	= "none",
	[KTE_FAULT_IMAGE]	= "image",
	[KTE_FAULT_SPACE]	= "space",
	[KTE_FAULT_ENTRY]	= "entry",
	[KTE_FAULT_TILE]	= "tile",
	[KTE_FAULT_WINDOW]	= "window",
	[KTE_FAULT_ALIGN]	= "align",
	[KTE_FAULT_EDGES]	= "edges",
	[KTE_FAULT_COVERAGE]	= "coverage",
	[KTE_FAULT_STAGE]	= "stage",
	[KTE_FAULT_LIMIT]	= "limit",
	[KTE_FAULT_NOMEM]	= "nomem",
	[KTE_FAULT_STOPPED]	= "stopped",
};

const char *kte_fault_name(uint32_t code)
{
	return code < sizeof(fault_names) / sizeof(fault_names[0]) ? fault_names[code] : "unknown";
}

static int fault_at(struct kte_fault *f, uint32_t code, uint32_t entry, uint32_t field,
		    uint64_t address)
{
	f->code = code;
	f->entry = entry;
	f->tile = KTE_NONE;
	f->field = field;
	f->address = address;
	return -EINVAL;
}

static int bad_image(struct kte_fault *f, uint32_t field, uint64_t value)
{
	return fault_at(f, KTE_FAULT_IMAGE, KTE_NONE, field, value);
}

static int over_limit(struct kte_fault *f, uint32_t field, uint64_t value)
{
	return fault_at(f, KTE_FAULT_LIMIT, KTE_NONE, field, value);
}

/* The fault that a refusal of the shared checks amounts to. */
static uint32_t code_of(const struct kte_reject *why)
{
	switch (why->reason) {
	case KTE_R_RESERVED:
		return KTE_FAULT_IMAGE;
	case KTE_R_TILE:
		return KTE_FAULT_TILE;
	case KTE_R_WINDOW:
		return KTE_FAULT_WINDOW;
	case KTE_R_ALIGN:
		return KTE_FAULT_ALIGN;
	default:
		return KTE_FAULT_ENTRY;
	}
}

static int check_ident(const void *image, uint64_t bytes, struct kte_fault *f)
{
	const struct kte_image_header *h = image;
	uint32_t i;

	if ((uintptr_t)image % sizeof(uint64_t) || bytes < sizeof(*h))
		return bad_image(f, KTE_F_NONE, bytes);
	if (h->magic != KTE_IMAGE_MAGIC)
		return bad_image(f, KTE_F_NONE, h->magic);
	if (h->version != KTE_IMAGE_VERSION)
		return bad_image(f, KTE_F_NONE, h->version);
	if (h->header_bytes != sizeof(*h))
		return bad_image(f, KTE_F_NONE, h->header_bytes);
	if (h->total_bytes != bytes)
		return bad_image(f, KTE_F_NONE, h->total_bytes);
	for (i = 0; i < sizeof(h->reserved) / sizeof(h->reserved[0]); i++)
		if (h->reserved[i])
			return bad_image(f, KTE_F_RESERVED, h->reserved[i]);
	return 0;
}

/* Counts, caps, and sections that fill the image exactly. */
static int check_header(struct view *v, const void *image, uint64_t bytes)
{
	const struct kte_image_header *h = image;
	const uint8_t *at = image;
	uint64_t total;
	int err;

	err = check_ident(image, bytes, v->fault);
	if (err)
		return err;
	v->n_entries = (uint64_t)h->n_sources + h->n_dests;
	if (!h->n_spaces)
		return bad_image(v->fault, KTE_F_N_SPACES, 0);
	if (!h->n_sources)
		return bad_image(v->fault, KTE_F_N_SOURCES, 0);
	if (!h->n_dests)
		return bad_image(v->fault, KTE_F_N_DESTS, 0);
	if (h->n_spaces > v->lim->max_spaces)
		return over_limit(v->fault, KTE_F_N_SPACES, h->n_spaces);
	if (v->n_entries > v->lim->max_entries)
		return over_limit(v->fault, h->n_sources > v->lim->max_entries ?
				  KTE_F_N_SOURCES : KTE_F_N_DESTS, v->n_entries);
	if (bytes > v->lim->max_image)
		return over_limit(v->fault, KTE_F_NONE, bytes);
	if (h->n_pairs > v->lim->max_pairs)
		return over_limit(v->fault, KTE_F_COUNT, h->n_pairs);
	total = sizeof(*h) + (uint64_t)h->n_spaces * sizeof(*v->spaces) +
		v->n_entries * sizeof(*v->entries) + (uint64_t)h->n_edges * sizeof(*v->edges);
	if (total != bytes)
		return bad_image(v->fault, KTE_F_NONE, total);
	v->h = h;
	at += sizeof(*h);
	v->spaces = (const struct kte_space *)at;
	at += (size_t)h->n_spaces * sizeof(*v->spaces);
	v->entries = (const struct kte_entry *)at;
	at += (size_t)v->n_entries * sizeof(*v->entries);
	v->edges = (const uint32_t *)at;
	return 0;
}

static int check_spaces(const struct view *v)
{
	struct kte_reject why;
	uint32_t i;

	for (i = 0; i < v->h->n_spaces; i++)
		if (kte_check_space(&v->spaces[i], &why))
			return fault_at(v->fault, why.reason == KTE_R_RESERVED ?
					KTE_FAULT_IMAGE : KTE_FAULT_SPACE, KTE_NONE, why.field, i);
	return 0;
}

/* Every entry on its own; the header states exactly the tiles and bytes they touch. */
static int check_entries(const struct view *v)
{
	const struct kte_image_header *h = v->h;
	uint64_t window = h->stage_bytes ? h->stage_offset + h->stage_bytes : 0, end;
	struct kte_reject why;
	uint32_t i, tiles = 0;

	for (i = 0; i < v->n_entries; i++) {
		const struct kte_entry *e = &v->entries[i];

		if (kte_check_entry(e, v->spaces, h->n_spaces, v->lim, i >= h->n_sources, true,
				    &why)) {
			fault_at(v->fault, code_of(&why), i, why.field, why.value);
			v->fault->tile = e->tile;
			return -EINVAL;
		}
		end = kte_entry_end(e, &v->spaces[e->space]);
		window = end > window ? end : window;
		tiles = e->tile >= tiles ? e->tile + 1u : tiles;
	}
	if (h->window_bytes != window)
		return bad_image(v->fault, KTE_F_NONE, h->window_bytes);
	if (h->n_tiles != tiles)
		return bad_image(v->fault, KTE_F_NONE, h->n_tiles);
	return 0;
}

static int bad_run(const struct view *v, uint32_t i, uint32_t field, uint64_t value)
{
	fault_at(v->fault, KTE_FAULT_EDGES, i, field, value);
	v->fault->tile = v->entries[i].tile;
	return -EINVAL;
}

/* The run of one destination: ascending sources of its space. */
static int check_run(const struct view *v, uint32_t i)
{
	const struct kte_entry *e = &v->entries[i];
	const uint32_t *run = v->edges + e->first;
	uint32_t k;

	for (k = 0; k < e->count; k++) {
		if (run[k] >= v->h->n_sources || (k && run[k] <= run[k - 1]))
			return bad_run(v, i, KTE_F_NONE, run[k]);
		if (v->entries[run[k]].space != e->space)
			return bad_run(v, i, KTE_F_SPACE, run[k]);
	}
	return 0;
}

static int check_edges(const struct view *v)
{
	uint64_t pairs = 0;
	uint32_t i, n_sources = v->h->n_sources;
	int err = 0;

	for (i = n_sources; i < v->n_entries; i++) {
		const struct kte_entry *e = &v->entries[i];

		if (e->first > v->h->n_edges)
			return bad_run(v, i, KTE_F_FIRST, e->first);
		if (!e->count || e->count > v->h->n_edges - e->first)
			return bad_run(v, i, KTE_F_COUNT, e->count);
		pairs += e->count;	/* both below 2^32 */
	}
	if (pairs != v->h->n_pairs)
		return bad_image(v->fault, KTE_F_COUNT, v->h->n_pairs);
	for (i = n_sources; i < v->n_entries && !err; i++) {
		const struct kte_entry *e = &v->entries[i];

		/* replicas mostly follow one another and share their run */
		if (i == n_sources || e->first != e[-1].first || e->count != e[-1].count ||
		    e->space != e[-1].space)
			err = check_run(v, i);
	}
	return err;
}

/* Staged bytes of tiles @from .. @from + TILES_AT_ONCE. */
static int check_stage_tiles(const struct view *v, uint32_t from)
{
	uint64_t sums[TILES_AT_ONCE] = { 0 };
	uint32_t i;

	for (i = v->h->n_sources; i < v->n_entries; i++) {
		const struct kte_entry *e = &v->entries[i];
		uint32_t t = e->tile - from;

		if (!(e->flags & KTE_ENTRY_STAGED) || t >= TILES_AT_ONCE)
			continue;
		if (__builtin_add_overflow(sums[t], kte_stage_bytes(e, &v->spaces[e->space]),
					   &sums[t]))
			sums[t] = UINT64_MAX;
		if (sums[t] > v->h->stage_bytes) {
			fault_at(v->fault, KTE_FAULT_STAGE, i, KTE_F_STAGE_BYTES, sums[t]);
			v->fault->tile = e->tile;
			return -EINVAL;
		}
	}
	return 0;
}

static int check_stage(const struct view *v)
{
	uint32_t from;
	int err = 0;

	for (from = 0; from < v->h->n_tiles && !err; from += TILES_AT_ONCE)
		err = check_stage_tiles(v, from);
	return err;
}

int kte_image_check(const void *image, uint64_t bytes, const struct kte_limits *lim,
		    struct kte_fault *fault)
{
	struct view v = { .lim = lim, .fault = fault };
	struct kte_reject why;
	int err;

	fault_at(fault, KTE_FAULT_NONE, KTE_NONE, KTE_F_NONE, 0);
	err = check_header(&v, image, bytes);
	if (err)
		return err;
	if (kte_check_stage_range(v.h->stage_offset, v.h->stage_bytes, lim->window, &why))
		return fault_at(fault, KTE_FAULT_STAGE, KTE_NONE, why.field, why.value);
	err = check_spaces(&v);
	if (!err)
		err = check_entries(&v);
	if (!err)
		err = check_edges(&v);
	if (!err)
		err = check_stage(&v);
	return err;
}
