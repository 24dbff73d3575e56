// SPDX-License-Identifier: MIT
/*
 * Canonical pieces: whatever the input form, a side becomes a list of distinct boxes in
 * ascending order, each with its owners in ascending order. Validation and equality work
 * on that form only.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relayout.h"

/* --- findings ----------------------------------------------------------------------------- */

static void rd_vdiag(struct kt_reader *rd, enum ktdev_severity sev, const char *ptr,
		     const char *fmt, va_list args)
{
	struct kt_range at = { 0, 0 };
	struct kt_diag *d;
	char buf[1024];

	vsnprintf(buf, sizeof(buf), fmt, args);
	if (rd->src)
		at = kt_json_locate(rd->src->text, rd->src->len, ptr);
	d = kt_diag(rd->rep, rd->src, at, KT_RULE_NONE, sev, "%s", buf);
	kt_diag_pointer(d, "%s", ptr);
}

void kt_rd_error(struct kt_reader *rd, const char *ptr, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	rd_vdiag(rd, KTDEV_ERROR, ptr, fmt, args);
	va_end(args);
	rd->failed = true;
}

void kt_rd_unsupported(struct kt_reader *rd, const char *ptr, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	rd_vdiag(rd, KTDEV_UNSUPPORTED, ptr, fmt, args);
	va_end(args);
	rd->unsupported = true;
}

void kt_rd_warn(struct kt_reader *rd, const char *ptr, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	rd_vdiag(rd, KTDEV_WARNING, ptr, fmt, args);
	va_end(args);
}

void *kt_rd_alloc(struct kt_reader *rd, size_t bytes)
{
	void *p = kt_alloc(&rd->rel->arena, bytes ? bytes : 1);

	if (!p)
		rd->nomem = true;
	return p;
}

const char *kt_rd_text(struct kt_reader *rd, const char *fmt, ...)
{
	char buf[1024];
	va_list args;
	char *s;

	va_start(args, fmt);
	vsnprintf(buf, sizeof(buf), fmt, args);
	va_end(args);
	s = kt_strndup(&rd->rel->arena, buf, strlen(buf));
	if (!s)
		rd->nomem = true;
	return s;
}

void kt_rd_note(struct kt_reader *rd, const char *fmt, ...)
{
	struct ktdev_relayout *rel = rd->rel;
	char buf[1024];
	va_list args;
	char *s;

	va_start(args, fmt);
	vsnprintf(buf, sizeof(buf), fmt, args);
	va_end(args);
	if (rel->n_notes == rel->cap_notes) {
		uint32_t cap = rel->cap_notes ? 2 * rel->cap_notes : 8;
		const char **more = kt_rd_alloc(rd, cap * sizeof(*more));

		if (!more)
			return;
		if (rel->n_notes)
			memcpy(more, rel->notes, rel->n_notes * sizeof(*more));
		rel->notes = more;
		rel->cap_notes = cap;
	}
	s = kt_strndup(&rel->arena, buf, strlen(buf));
	if (s)
		rel->notes[rel->n_notes++] = s;
	else
		rd->nomem = true;
}

int kt_rd_result(const struct kt_reader *rd)
{
	if (rd->nomem)
		return -ENOMEM;
	if (rd->failed)
		return -EINVAL;
	return rd->unsupported ? -EOPNOTSUPP : 0;
}

/* --- names -------------------------------------------------------------------------------- */

bool kt_dtype_find(const char *name, uint8_t *kte_dtype, uint32_t *bytes)
{
	static const struct { const char *name; uint8_t dtype, bytes; } known[] = {
		{ "f16", KTE_DT_F16, 2 }, { "bf16", KTE_DT_BF16, 2 }, { "f32", KTE_DT_F32, 4 },
		{ "f64", KTE_DT_F64, 8 }, { "i8", KTE_DT_I8, 1 }, { "i16", KTE_DT_I16, 2 },
		{ "i32", KTE_DT_I32, 4 }, { "i64", KTE_DT_I64, 8 },
		{ "ui8", KTE_DT_OPAQUE, 1 }, { "f8E4M3FN", KTE_DT_OPAQUE, 1 },
		{ "f8E5M2", KTE_DT_OPAQUE, 1 }, { "f8", KTE_DT_OPAQUE, 1 },
		{ "SEN169_FP16", KTE_DT_OPAQUE, 2 }, { "SEN143_FP8", KTE_DT_OPAQUE, 1 },
		{ "SEN152_FP8", KTE_DT_OPAQUE, 1 }, { "SEN18F_FP24", KTE_DT_OPAQUE, 3 },
		{ "SENINT8", KTE_DT_OPAQUE, 1 }, { "IEEE_FP32", KTE_DT_F32, 4 },
		{ "IEEE_FP16", KTE_DT_F16, 2 }, { "BFLOAT16", KTE_DT_BF16, 2 },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].name, name))
			continue;
		*kte_dtype = known[i].dtype;
		*bytes = known[i].bytes;
		return true;
	}
	return false;
}

bool kt_combine_find(const char *name, uint8_t kte_dtype, uint8_t *op, uint8_t *mode)
{
	static const struct { const char *name; uint8_t op, mode; } known[] = {
		{ "add", KTE_OP_ADD, 0 }, { "mul", KTE_OP_MUL, 0 },
		{ "min", KTE_OP_MIN, KTE_MODE_NAN_PROPAGATE }, { "max", KTE_OP_MAX, 0 },
		{ "and", KTE_OP_AND, 0 }, { "or", KTE_OP_OR, 0 }, { "xor", KTE_OP_XOR, 0 },
	};
	bool real = kte_dtype >= KTE_DT_F16 && kte_dtype <= KTE_DT_F64;
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].name, name))
			continue;
		*op = known[i].op;
		*mode = known[i].mode;
		if (real && (*op == KTE_OP_MIN || *op == KTE_OP_MAX))
			*mode |= KTE_MODE_ZERO_ORDERED;
		return kte_dtype != KTE_DT_OPAQUE && kte_fold_valid(*op, *mode, kte_dtype, 0);
	}
	return false;
}

int kt_axis_find(const struct ktdev_relayout *rel, const char *name)
{
	uint32_t a;

	for (a = 0; a < rel->rank; a++)
		if (!strcmp(rel->axes[a].name, name))
			return (int)a;
	return -1;
}

/* --- canonical form ----------------------------------------------------------------------- */

int kt_box_order(const struct kte_box *a, const struct kte_box *b)
{
	uint32_t i;

	for (i = 0; i < KT_AXES; i++)
		if (a->start[i] != b->start[i])
			return a->start[i] < b->start[i] ? -1 : 1;
	for (i = 0; i < KT_AXES; i++)
		if (a->size[i] != b->size[i])
			return a->size[i] < b->size[i] ? -1 : 1;
	return 0;
}

bool kt_boxes_equal(const struct kte_box *a, const struct kte_box *b)
{
	return !memcmp(a, b, sizeof(*a));
}

void kt_part_ptr(const struct kt_side *s, uint32_t index, char *buf, size_t size)
{
	if (s->ptr)
		snprintf(buf, size, "%s/%u", s->ptr, index);
	else
		buf[0] = 0;
}

static const char *const side_name[2] = { "source", "destination" };

struct owner {
	uint32_t core, order;
	uint64_t addr;
};

static int owner_order(const void *pa, const void *pb)
{
	const struct owner *a = pa, *b = pb;

	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static bool owners_ascend(const struct kt_part *p)
{
	uint32_t i;

	for (i = 1; i < p->n_owners; i++)
		if (p->owners[i] <= p->owners[i - 1])
			return false;
	return true;
}

/*
 * Sort the owners of one mention and drop repetitions of equal boxes (replicas written
 * twice). Contributions keep none: a core adds once.
 */
static void sort_owners(struct kt_reader *rd, const struct kt_side *s, struct kt_part *p)
{
	struct owner *v;
	uint32_t i, n = 0;
	char ptr[256];

	if (owners_ascend(p))
		return;
	v = malloc(p->n_owners * sizeof(*v));
	if (!v) {
		rd->nomem = true;
		return;
	}
	for (i = 0; i < p->n_owners; i++)
		v[i] = (struct owner){ p->owners[i], p->order[i], p->addr ? p->addr[i] : 0 };
	qsort(v, p->n_owners, sizeof(*v), owner_order);
	for (i = 0; i < p->n_owners; i++) {
		if (n && v[i].core == v[n - 1].core) {
			kt_part_ptr(s, p->index, ptr, sizeof(ptr));
			if (s->value == KTDEV_VALUE_CONTRIBUTIONS)
				kt_rd_error(rd, ptr, "core %u contributes twice to one box",
					    v[i].core);
			else if (p->addr && v[i].addr != v[n - 1].addr)
				kt_rd_unsupported(rd, ptr,
						  "core %u holds one box at %llu and at %llu",
						  v[i].core, (unsigned long long)v[n - 1].addr,
						  (unsigned long long)v[i].addr);
			continue;
		}
		v[n++] = v[i];
	}
	for (i = 0; i < n; i++) {
		p->owners[i] = v[i].core;
		p->order[i] = v[i].order;
		if (p->addr)
			p->addr[i] = v[i].addr;
	}
	p->n_owners = n;
	free(v);
}

static int part_order(const void *pa, const void *pb)
{
	const struct kt_part *a = pa, *b = pb;
	int c = kt_box_order(&a->box, &b->box);

	return c ? c : a->index < b->index ? -1 : a->index > b->index;
}

static bool parts_ascend(const struct kt_side *s)
{
	uint32_t i;

	for (i = 1; i < s->n; i++)
		if (kt_box_order(&s->pieces[i - 1].box, &s->pieces[i].box) >= 0)
			return false;
	return true;
}

/* The owners of @n mentions of one box, together. */
static void merge_parts(struct kt_reader *rd, struct kt_part *to, const struct kt_part *from,
			uint32_t n)
{
	uint32_t i, k = 0, total = 0, *owners, *order;
	uint64_t *addr = NULL;

	for (i = 0; i < n; i++)
		total += from[i].n_owners;
	owners = kt_rd_alloc(rd, total * sizeof(*owners));
	order = kt_rd_alloc(rd, total * sizeof(*order));
	if (from[0].addr)
		addr = kt_rd_alloc(rd, total * sizeof(*addr));
	if (rd->nomem)
		return;
	for (i = 0; i < n; k += from[i++].n_owners) {
		memcpy(owners + k, from[i].owners, from[i].n_owners * sizeof(*owners));
		memcpy(order + k, from[i].order, from[i].n_owners * sizeof(*order));
		if (addr && from[i].addr)
			memcpy(addr + k, from[i].addr, from[i].n_owners * sizeof(*addr));
	}
	*to = from[0];
	to->owners = owners;
	to->order = order;
	to->addr = addr;
	to->n_owners = total;
}

/* Sort a side's pieces and merge equal boxes. */
static void merge_side(struct kt_reader *rd, struct kt_side *s)
{
	uint32_t i, j, n = 0;

	if (!parts_ascend(s)) {
		qsort(s->pieces, s->n, sizeof(*s->pieces), part_order);
		for (i = 0; i < s->n; i = j, n++) {
			for (j = i + 1; j < s->n; j++)
				if (!kt_boxes_equal(&s->pieces[i].box, &s->pieces[j].box))
					break;
			if (j - i > 1)
				merge_parts(rd, &s->pieces[n], &s->pieces[i], j - i);
			else
				s->pieces[n] = s->pieces[i];
			if (rd->nomem)
				return;
		}
		s->n = n;
	}
	for (i = 0; i < s->n; i++)
		sort_owners(rd, s, &s->pieces[i]);
}

/* --- validation --------------------------------------------------------------------------- */

static void check_owners(struct kt_reader *rd, const struct kt_side *s)
{
	char ptr[256];
	uint32_t i, k;

	for (i = 0; i < s->n; i++) {
		const struct kt_part *p = &s->pieces[i];

		kt_part_ptr(s, p->index, ptr, sizeof(ptr));
		if (!p->n_owners)
			kt_rd_error(rd, ptr, "the piece has no owner");
		for (k = 0; k < p->n_owners; k++)
			if (p->owners[k] >= rd->rel->cores) {
				kt_rd_error(rd, ptr,
					    "owner %u is not below the number of cores, %u",
					    p->owners[k], rd->rel->cores);
				break;
			}
	}
}

/* Every box inside the tensor and no stick cut. */
static void check_boxes(struct kt_reader *rd, const struct kt_side *s, const char *side)
{
	const struct ktdev_relayout *rel = rd->rel;
	int st = rel->stick_axis;
	uint32_t i, a, warned = 0;
	char ptr[256];

	for (i = 0; i < s->n; i++) {
		const struct kte_box *b = &s->pieces[i].box;

		kt_part_ptr(s, s->pieces[i].index, ptr, sizeof(ptr));
		for (a = 0; a < rel->rank; a++)
			if (!b->size[a] || b->start[a] >= rel->axes[a].extent ||
			    b->size[a] > rel->axes[a].extent - b->start[a])
				kt_rd_error(rd, ptr,
					    "%s piece [%u, %llu) along axis '%s' is not in [0, %u)",
					    side, b->start[a],
					    (unsigned long long)b->start[a] + b->size[a],
					    rel->axes[a].name, rel->axes[a].extent);
		if (st < 0 || (!(b->start[st] % rel->stick_lanes) &&
			       (!(b->size[st] % rel->stick_lanes) ||
				b->start[st] + b->size[st] == rel->axes[st].extent)))
			continue;
		if (rel->stick_warns) {
			if (!warned++)
				kt_rd_warn(rd, ptr,
					   "%s piece [%u, %u) along axis '%s' cuts a stick of %u "
					   "lanes",
					   side, b->start[st], b->start[st] + b->size[st],
					   rel->axes[st].name, rel->stick_lanes);
			continue;
		}
		kt_rd_error(rd, ptr, "%s piece [%u, %u) along axis '%s' cuts a stick of %u lanes",
			    side, b->start[st], b->start[st] + b->size[st], rel->axes[st].name,
			    rel->stick_lanes);
	}
}

/* Number of findings of one kind that are spelled out. */
#define SHOW_MAX	8

/* Distinct source pieces must not share an element. */
static void check_overlap(struct kt_reader *rd, const struct kt_index *ix)
{
	const struct kt_side *s = &rd->rel->side[KTDEV_SOURCE];
	uint32_t i, k, a, shown = 0;
	struct kte_box cut;
	char ptr[256], other[256];

	if (ix->grid.product)
		return;
	for (i = 0; i < ix->n && shown < SHOW_MAX; i++) {
		const struct kt_part *p = &s->pieces[ix->by_start[i]];
		uint64_t end = (uint64_t)p->box.start[ix->axis] + p->box.size[ix->axis];

		for (k = i + 1; k < ix->n && shown < SHOW_MAX; k++) {
			const struct kt_part *q = &s->pieces[ix->by_start[k]];

			if (q->box.start[ix->axis] >= end)
				break;
			if (!kt_box_cut(&p->box, &q->box, ix->rank, &cut))
				continue;
			a = 0;
			while (a + 1 < ix->rank && (p->box.size[a] == cut.size[a] &&
						    q->box.size[a] == cut.size[a]))
				a++;
			kt_part_ptr(s, q->index, ptr, sizeof(ptr));
			kt_part_ptr(s, p->index, other, sizeof(other));
			kt_rd_error(rd, ptr,
				    "source piece overlaps %s: both hold [%u, %u) along axis '%s'",
				    other, cut.start[a], cut.start[a] + cut.size[a],
				    rd->rel->axes[a].name);
			shown++;
		}
	}
}

struct hole {
	const struct kt_index *ix;
	const struct kte_box *box;
	uint64_t covered;
};

static int add_cut(void *ctx, uint32_t piece)
{
	struct hole *h = ctx;
	struct kte_box cut;

	if (kt_box_cut(&h->ix->pieces[piece].box, h->box, h->ix->rank, &cut))
		h->covered += kt_box_volume(&cut, h->ix->rank);
	return 0;
}

/* Every destination element must be in some source piece. */
static void check_coverage(struct kt_reader *rd, const struct kt_index *ix)
{
	const struct ktdev_relayout *rel = rd->rel;
	const struct kt_side *d = &rel->side[KTDEV_DESTINATION];
	uint32_t i, a, at[KT_AXES], shown = 0;
	char ptr[256], text[512];
	size_t used;

	for (i = 0; i < d->n && shown < SHOW_MAX; i++) {
		struct hole h = { .ix = ix, .box = &d->pieces[i].box };

		kt_index_meet(ix, h.box, add_cut, &h);
		if (h.covered == kt_box_volume(h.box, rel->rank))
			continue;
		if (kt_box_hole(ix, &d->pieces[i].box, at) < 1) {
			rd->nomem = true;	/* it is not covered, so there is a hole */
			return;
		}
		used = 0;
		text[0] = 0;
		for (a = 0; a < rel->rank && used < sizeof(text); a++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %u",
						 a ? ", " : "", rel->axes[a].name, at[a]);
		kt_part_ptr(d, d->pieces[i].index, ptr, sizeof(ptr));
		kt_rd_error(rd, ptr, "no source piece holds the destination element %s", text);
		shown++;
	}
}

static void check_values(struct kt_reader *rd)
{
	const struct ktdev_relayout *rel = rd->rel;
	bool addends = rel->side[0].value == KTDEV_VALUE_CONTRIBUTIONS;

	if (rel->side[1].value == KTDEV_VALUE_CONTRIBUTIONS)
		kt_rd_unsupported(rd, "/destination/value",
				  "a destination of contributions: unfinished sums are folded, "
				  "never copied");
	if (addends && !rel->combine)
		kt_rd_unsupported(rd, "/source/value",
				  "contributions need a \"combine\" operation to be folded with");
	if (!addends && rel->combine)
		kt_rd_error(rd, "/combine",
			    "\"combine\" without contributions: finished values are never folded");
}

void kt_relayout_finish(struct kt_reader *rd)
{
	struct ktdev_relayout *rel = rd->rel;
	struct kt_index ix;
	struct kt_arena tmp = {0};
	uint64_t volume = 1;
	uint32_t a;
	int s;

	for (a = 0; a < rel->rank; a++)
		if (__builtin_mul_overflow(volume, rel->axes[a].extent, &volume) ||
		    volume > KTE_MAX_VOLUME) {
			kt_rd_error(rd, "/axes",
				    "the tensor has more than 2^48 elements (axis '%s' of %u)",
				    rel->axes[a].name, rel->axes[a].extent);
			return;
		}
	for (s = 0; s < 2; s++) {
		if (rd->side_src[s])
			rd->src = rd->side_src[s];
		if (!rel->side[s].n)
			kt_rd_error(rd, rel->side[s].ptr ? rel->side[s].ptr : "",
				    "the %s map is empty", side_name[s]);
		check_owners(rd, &rel->side[s]);
		check_boxes(rd, &rel->side[s], side_name[s]);
	}
	check_values(rd);
	if (rd->failed || rd->nomem)
		return;
	merge_side(rd, &rel->side[0]);
	merge_side(rd, &rel->side[1]);
	if (rd->failed || rd->nomem)
		return;
	if (rd->side_src[0])
		rd->src = rd->side_src[0];
	if (kt_index_init(&ix, rel->side[0].pieces, rel->side[0].n, rel->rank, &tmp))
		rd->nomem = true;
	else
		check_overlap(rd, &ix);
	if (rd->side_src[1])
		rd->src = rd->side_src[1];
	if (!rd->failed && !rd->nomem)
		check_coverage(rd, &ix);
	kt_arena_fini(&tmp);
}

/* --- accessors ---------------------------------------------------------------------------- */

void ktdev_relayout_free(struct ktdev_relayout *rel)
{
	struct kt_arena arena;

	if (!rel)
		return;
	arena = rel->arena;
	kt_arena_fini(&arena);
	free(rel);
}

void ktdev_relayout_info(const struct ktdev_relayout *rel, struct ktdev_relayout_info *info)
{
	uint32_t s, a;

	memset(info, 0, sizeof(*info));
	info->name = rel->name;
	info->dtype = rel->dtype;
	info->cores = rel->cores;
	info->elem_bytes = rel->elem_bytes;
	info->rank = rel->rank;
	memcpy(info->axes, rel->axes, sizeof(info->axes));
	info->stick_axis = rel->stick_axis;
	info->stick_lanes = rel->stick_lanes;
	info->combine = rel->combine;
	info->n_notes = rel->n_notes;
	info->notes = rel->notes;
	for (s = 0; s < 2; s++) {
		info->n_pieces[s] = rel->side[s].n;
		info->value[s] = rel->side[s].value;
		info->view[s] = rel->side[s].view;
		info->placed[s] = rel->side[s].placed;
		for (a = 0; a < rel->rank; a++)
			info->layout[s][a] = rel->side[s].layout[a];
	}
}

int ktdev_relayout_piece(const struct ktdev_relayout *rel, enum ktdev_side side, uint32_t i,
			 struct ktdev_piece *out)
{
	const struct kt_part *p;

	if ((unsigned int)side > KTDEV_DESTINATION || i >= rel->side[side].n)
		return -ERANGE;
	p = &rel->side[side].pieces[i];
	memcpy(out->start, p->box.start, sizeof(out->start));
	memcpy(out->size, p->box.size, sizeof(out->size));
	out->n_owners = p->n_owners;
	out->owners = p->owners;
	out->addr = p->addr;
	return 0;
}

static bool sides_equal(const struct kt_side *a, const struct kt_side *b)
{
	uint32_t i;

	if (a->n != b->n || (a->value == KTDEV_VALUE_CONTRIBUTIONS) !=
	    (b->value == KTDEV_VALUE_CONTRIBUTIONS))
		return false;
	for (i = 0; i < a->n; i++) {
		const struct kt_part *p = &a->pieces[i], *q = &b->pieces[i];

		if (!kt_boxes_equal(&p->box, &q->box) || p->n_owners != q->n_owners ||
		    memcmp(p->owners, q->owners, p->n_owners * sizeof(*p->owners)))
			return false;
	}
	return true;
}

bool ktdev_relayout_equal(const struct ktdev_relayout *a, const struct ktdev_relayout *b)
{
	uint32_t i;

	if (a->rank != b->rank || a->cores != b->cores || a->elem_bytes != b->elem_bytes ||
	    strcmp(a->dtype, b->dtype) || a->fold_op != b->fold_op || a->fold_mode != b->fold_mode)
		return false;
	for (i = 0; i < a->rank; i++)
		if (a->axes[i].extent != b->axes[i].extent ||
		    strcmp(a->axes[i].name, b->axes[i].name))
			return false;
	return sides_equal(&a->side[0], &b->side[0]) && sides_equal(&a->side[1], &b->side[1]);
}

void ktdev_text_free(char *text)
{
	free(text);
}
