// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Each space and each entry on its own. The same checks serve the table
 * compiler and the check of a finished image. Fields are checked in the order
 * of the structures, and the first one at fault is reported.
 */
#include "table_priv.h"

static const char *const reason_names[KTE_R_COUNT_OF] = {
	[KTE_OK]		= "ok",
	[KTE_R_COUNT]		= "count",
	[KTE_R_RANK]		= "rank",
	[KTE_R_EXTENT]		= "extent",
	[KTE_R_VOLUME]		= "volume",
	[KTE_R_OP]		= "op",
	[KTE_R_DTYPE]		= "dtype",
	[KTE_R_ELEM]		= "elem",
	[KTE_R_ROLES]		= "roles",
	[KTE_R_RESERVED]	= "reserved",
	[KTE_R_SPACE]		= "space",
	[KTE_R_TILE]		= "tile",
	[KTE_R_BOX]		= "box",
	[KTE_R_STRIDE]		= "stride",
	[KTE_R_WINDOW]		= "window",
	[KTE_R_ALIGN]		= "align",
	[KTE_R_SELF_OVERLAP]	= "self-overlap",
	[KTE_R_SRC_OVERLAP]	= "src-overlap",
	[KTE_R_COVERAGE]	= "coverage",
	[KTE_R_FOLD_PARTIAL]	= "fold-partial",
	[KTE_R_FOLD_EMPTY]	= "fold-empty",
	[KTE_R_DST_OVERLAP]	= "dst-overlap",
	[KTE_R_ALIAS]		= "alias",
	[KTE_R_STAGE_RANGE]	= "stage-range",
	[KTE_R_STAGE_SIZE]	= "stage-size",
	[KTE_R_STAGE_OVERLAP]	= "stage-overlap",
	[KTE_R_BUDGET_AXIS]	= "budget-axis",
	[KTE_R_BUDGET_PAINT]	= "budget-paint",
	[KTE_R_PAIRS]		= "pairs",
	[KTE_R_IMAGE_SIZE]	= "image-size",
	[KTE_R_FLAGS]		= "flags",
};

static const char *const reason_texts[KTE_R_COUNT_OF] = {
	[KTE_OK]		= "the table is valid",
	[KTE_R_COUNT]		= "there are no or too many spaces, sources or destinations",
	[KTE_R_RANK]		= "the rank is not 1 to 8",
	[KTE_R_EXTENT]		= "an extent is 0, or set beyond the rank",
	[KTE_R_VOLUME]		= "the space has more than 2^48 elements",
	[KTE_R_OP]		= "the op is unknown, or does not take these mode bits",
	[KTE_R_DTYPE]		= "the element type is unknown, or the op does not take it",
	[KTE_R_ELEM]		= "the element bytes are not 1 to 16, or not those of the type",
	[KTE_R_ROLES]		= "the number of roles does not go with the op",
	[KTE_R_RESERVED]	= "a reserved or unused field is not 0",
	[KTE_R_SPACE]		= "the entry names a space the table does not have",
	[KTE_R_TILE]		= "the entry names a tile the target does not have",
	[KTE_R_BOX]		= "the box is empty or reaches outside its space",
	[KTE_R_STRIDE]		= "the stride is 0 along an axis of size above 1",
	[KTE_R_WINDOW]		= "the last byte lies outside the window",
	[KTE_R_ALIGN]		= "a fold needs its elements naturally aligned",
	[KTE_R_SELF_OVERLAP]	= "the destination writes one byte twice",
	[KTE_R_SRC_OVERLAP]	= "two sources of a copy hold the same element",
	[KTE_R_COVERAGE]	= "the destination has elements no source holds",
	[KTE_R_FOLD_PARTIAL]	= "a source holds the destination of a fold only in part",
	[KTE_R_FOLD_EMPTY]	= "the destination of a fold has no contribution",
	[KTE_R_DST_OVERLAP]	= "two destinations write one byte",
	[KTE_R_ALIAS]		= "an unstaged destination writes bytes that are read",
	[KTE_R_STAGE_RANGE]	= "the staging range is unaligned or outside the window",
	[KTE_R_STAGE_SIZE]	= "the staged bytes of a tile exceed the staging range",
	[KTE_R_STAGE_OVERLAP]	= "the staging range meets bytes of an entry",
	[KTE_R_BUDGET_AXIS]	= "the coverage search needs more axis comparisons than allowed",
	[KTE_R_BUDGET_PAINT]	= "the overlap check needs more word operations than allowed",
	[KTE_R_PAIRS]		= "there are more (source, destination) pairs than the target takes",
	[KTE_R_IMAGE_SIZE]	= "the image is larger than the target takes",
	[KTE_R_FLAGS]		= "the entry has an unknown flag, or is a staged source",
};

static const char *const field_names[KTE_F_COUNT_OF] = {
	[KTE_F_NONE]		= "none",
	[KTE_F_RANK]		= "rank",
	[KTE_F_OP]		= "op",
	[KTE_F_MODE]		= "mode",
	[KTE_F_ROLES]		= "roles",
	[KTE_F_ELEM_BYTES]	= "elem_bytes",
	[KTE_F_DTYPE]		= "dtype",
	[KTE_F_EXTENT]		= "extent",
	[KTE_F_RESERVED]	= "reserved",
	[KTE_F_SPACE]		= "space",
	[KTE_F_TILE]		= "tile",
	[KTE_F_FLAGS]		= "flags",
	[KTE_F_FIRST]		= "first",
	[KTE_F_COUNT]		= "count",
	[KTE_F_START]		= "start",
	[KTE_F_SIZE]		= "size",
	[KTE_F_OFFSET]		= "offset",
	[KTE_F_STRIDE]		= "stride",
	[KTE_F_STAGE_OFFSET]	= "stage_offset",
	[KTE_F_STAGE_BYTES]	= "stage_bytes",
	[KTE_F_N_SPACES]	= "n_spaces",
	[KTE_F_N_SOURCES]	= "n_sources",
	[KTE_F_N_DESTS]		= "n_dests",
};

const char *kte_reason_name(uint32_t reason)
{
	return reason < KTE_R_COUNT_OF ? reason_names[reason] : "unknown";
}

const char *kte_reason_text(uint32_t reason)
{
	return reason < KTE_R_COUNT_OF ? reason_texts[reason] : "the reason is unknown";
}

const char *kte_field_name(uint32_t field)
{
	return field < KTE_F_COUNT_OF ? field_names[field] : "unknown";
}

/* Whether the op takes the type in this role, whatever the mode. */
static bool dtype_fits(uint32_t op, uint32_t dtype, uint32_t role)
{
	if (dtype >= KTE_DT_COUNT)
		return false;
	if (op == KTE_OP_COPY)
		return true;
	return role ? kte_fold_valid(KTE_OP_ARGMIN, 0, KTE_DT_I8, dtype) :
		      kte_fold_valid(op, 0, dtype, KTE_DT_I8);
}

static int check_roles(const struct kte_space *sp, struct kte_reject *why)
{
	uint32_t r, bytes;

	for (r = 0; r < KTE_MAX_ROLES; r++) {
		if (r >= sp->roles) {
			if (sp->elem_bytes[r])
				return kte_refuse(why, KTE_R_RESERVED, KTE_F_ELEM_BYTES, r,
						  sp->elem_bytes[r], 0);
			if (sp->dtype[r])
				return kte_refuse(why, KTE_R_RESERVED, KTE_F_DTYPE, r,
						  sp->dtype[r], 0);
			continue;
		}
		if (!dtype_fits(sp->op, sp->dtype[r], r))
			return kte_refuse(why, KTE_R_DTYPE, KTE_F_DTYPE, r, sp->dtype[r],
					  KTE_DT_COUNT - 1);
		bytes = kte_dtype_bytes(sp->dtype[r]);
		if (!sp->elem_bytes[r] || sp->elem_bytes[r] > KTE_MAX_ELEM_BYTES ||
		    (bytes && bytes != sp->elem_bytes[r]))
			return kte_refuse(why, KTE_R_ELEM, KTE_F_ELEM_BYTES, r,
					  sp->elem_bytes[r], bytes ? bytes : KTE_MAX_ELEM_BYTES);
	}
	return 0;
}

static int check_extents(const struct kte_space *sp, struct kte_reject *why)
{
	uint64_t volume = 1;
	uint32_t a;

	for (a = 0; a < KTE_MAX_RANK; a++)
		if ((a < sp->rank) != (sp->extent[a] != 0))
			return kte_refuse(why, KTE_R_EXTENT, KTE_F_EXTENT, a, sp->extent[a],
					  a < sp->rank ? UINT32_MAX : 0);
	for (a = 0; a < sp->rank; a++) {
		if (__builtin_mul_overflow(volume, sp->extent[a], &volume))
			volume = UINT64_MAX;
		if (volume > KTE_MAX_VOLUME)
			return kte_refuse(why, KTE_R_VOLUME, KTE_F_EXTENT, a, volume,
					  KTE_MAX_VOLUME);
	}
	return 0;
}

int kte_check_space(const struct kte_space *sp, struct kte_reject *why)
{
	uint32_t i, roles;
	int err;

	if (!sp->rank || sp->rank > KTE_MAX_RANK)
		return kte_refuse(why, KTE_R_RANK, KTE_F_RANK, KTE_NONE, sp->rank, KTE_MAX_RANK);
	if (sp->op >= KTE_OP_COUNT)
		return kte_refuse(why, KTE_R_OP, KTE_F_OP, KTE_NONE, sp->op, KTE_OP_COUNT - 1);
	roles = sp->op == KTE_OP_ARGMIN || sp->op == KTE_OP_ARGMAX ? 2 : 1;
	if (sp->roles != roles)
		return kte_refuse(why, KTE_R_ROLES, KTE_F_ROLES, KTE_NONE, sp->roles, roles);
	err = check_roles(sp, why);
	if (err)
		return err;
	if (sp->op == KTE_OP_COPY ? sp->mode != 0 :
	    !kte_fold_valid(sp->op, sp->mode, sp->dtype[0], sp->dtype[1]))
		return kte_refuse(why, KTE_R_OP, KTE_F_MODE, KTE_NONE, sp->mode, KTE_MODE_MASK);
	err = check_extents(sp, why);
	if (err)
		return err;
	for (i = 0; i < sizeof(sp->reserved) / sizeof(sp->reserved[0]); i++)
		if (sp->reserved[i])
			return kte_refuse(why, KTE_R_RESERVED, KTE_F_RESERVED, i,
					  sp->reserved[i], 0);
	return 0;
}

static int check_box(const struct kte_entry *e, const struct kte_space *sp,
		     struct kte_reject *why)
{
	uint64_t end;
	uint32_t a;

	for (a = 0; a < KTE_MAX_RANK; a++) {
		end = (uint64_t)e->start[a] + e->size[a];
		if (a >= sp->rank) {
			if (e->start[a])
				return kte_refuse(why, KTE_R_RESERVED, KTE_F_START, a,
						  e->start[a], 0);
			if (e->size[a])
				return kte_refuse(why, KTE_R_RESERVED, KTE_F_SIZE, a,
						  e->size[a], 0);
		} else if (e->start[a] >= sp->extent[a]) {
			return kte_refuse(why, KTE_R_BOX, KTE_F_START, a, e->start[a],
					  sp->extent[a]);
		} else if (!e->size[a] || end > sp->extent[a]) {
			return kte_refuse(why, KTE_R_BOX, KTE_F_SIZE, a, e->size[a],
					  sp->extent[a] - e->start[a]);
		}
	}
	return 0;
}

static int check_strides(const struct kte_entry *e, uint32_t rank, uint32_t role, bool present,
			 struct kte_reject *why)
{
	uint32_t a;

	for (a = 0; a < KTE_MAX_RANK; a++) {
		if ((!present || a >= rank) && e->stride[role][a])
			return kte_refuse(why, KTE_R_RESERVED, KTE_F_STRIDE, a,
					  e->stride[role][a], 0);
		if (present && a < rank && e->size[a] > 1 && !e->stride[role][a])
			return kte_refuse(why, KTE_R_STRIDE, KTE_F_STRIDE, a, 0, 1);
	}
	return 0;
}

/* Folds compute on elements, so these must lie where a load of their size may. */
static int check_align(const struct kte_entry *e, uint32_t rank, uint32_t role, uint32_t elem,
		       struct kte_reject *why)
{
	uint32_t a;

	if (e->offset[role] % elem)
		return kte_refuse(why, KTE_R_ALIGN, KTE_F_OFFSET, role, e->offset[role], elem);
	for (a = 0; a < rank; a++)
		if (e->size[a] > 1 && e->stride[role][a] % elem)
			return kte_refuse(why, KTE_R_ALIGN, KTE_F_STRIDE, a,
					  e->stride[role][a], elem);
	return 0;
}

static int check_role(const struct kte_entry *e, const struct kte_space *sp, uint32_t role,
		      uint64_t window, struct kte_reject *why)
{
	bool present = role < sp->roles;
	uint64_t last;
	int err;

	if (!present && e->offset[role])
		return kte_refuse(why, KTE_R_RESERVED, KTE_F_OFFSET, role, e->offset[role], 0);
	err = check_strides(e, sp->rank, role, present, why);
	if (err || !present)
		return err;
	if (!kte_last_byte(e, sp->rank, role, sp->elem_bytes[role], &last))
		last = UINT64_MAX;
	if (last >= window)
		return kte_refuse(why, KTE_R_WINDOW, KTE_F_OFFSET, role, last, window);
	if (sp->op == KTE_OP_COPY)
		return 0;
	return check_align(e, sp->rank, role, sp->elem_bytes[role], why);
}

int kte_check_entry(const struct kte_entry *e, const struct kte_space *spaces,
		    uint32_t n_spaces, const struct kte_limits *lim, bool dest, bool compiled,
		    struct kte_reject *why)
{
	uint32_t flags = dest ? KTE_ENTRY_FLAGS : 0;
	const struct kte_space *sp;
	uint32_t r;
	int err;

	if (e->space >= n_spaces)
		return kte_refuse(why, KTE_R_SPACE, KTE_F_SPACE, KTE_NONE, e->space, n_spaces);
	if (e->tile >= lim->n_tiles)
		return kte_refuse(why, KTE_R_TILE, KTE_F_TILE, KTE_NONE, e->tile, lim->n_tiles);
	if (e->flags & ~flags)
		return kte_refuse(why, KTE_R_FLAGS, KTE_F_FLAGS, KTE_NONE, e->flags, flags);
	if (e->first && !(dest && compiled))
		return kte_refuse(why, KTE_R_RESERVED, KTE_F_FIRST, KTE_NONE, e->first, 0);
	if (e->count && !(dest && compiled))
		return kte_refuse(why, KTE_R_RESERVED, KTE_F_COUNT, KTE_NONE, e->count, 0);
	sp = &spaces[e->space];
	err = check_box(e, sp, why);
	for (r = 0; r < KTE_MAX_ROLES && !err; r++)
		err = check_role(e, sp, r, lim->window, why);
	return err;
}

int kte_check_stage_range(uint64_t offset, uint64_t bytes, uint64_t window,
			  struct kte_reject *why)
{
	uint64_t end;

	if (offset % KTE_STICK_BYTES)
		return kte_refuse(why, KTE_R_STAGE_RANGE, KTE_F_STAGE_OFFSET, KTE_NONE, offset,
				  KTE_STICK_BYTES);
	if (__builtin_add_overflow(offset, bytes, &end))
		end = UINT64_MAX;
	if (end > window)
		return kte_refuse(why, KTE_R_STAGE_RANGE, bytes ? KTE_F_STAGE_BYTES :
				  KTE_F_STAGE_OFFSET, KTE_NONE, end, window);
	return 0;
}

uint64_t kte_entry_end(const struct kte_entry *e, const struct kte_space *sp)
{
	uint64_t end = 0, last = 0;
	uint32_t r;

	for (r = 0; r < sp->roles; r++) {
		kte_last_byte(e, sp->rank, r, sp->elem_bytes[r], &last);
		if (last + 1 > end)
			end = last + 1;
	}
	return end;
}
