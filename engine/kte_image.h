/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The table image: the one thing the shuffle unit executes.
 *
 * An image states who owns which box before the movement (source entries) and
 * after it (destination entries), and where each box lies in its tile's
 * scratchpad window. It is little-endian, self-sized and has no pointers.
 * The sections follow one another without gaps, in this order:
 *
 *	struct kte_image_header
 *	struct kte_space [n_spaces]
 *	struct kte_entry [n_sources]	source entries
 *	struct kte_entry [n_dests]	destination entries
 *	uint32_t	 [n_edges]	source indices, see kte_entry.first
 *
 * engine/table.c compiles an image from entry arrays; engine/image.c checks a
 * finished image as untrusted input.
 */
#ifndef KTE_IMAGE_H
#define KTE_IMAGE_H

#include "kte_port.h"

#define KTE_IMAGE_MAGIC		0x4945544bu	/* "KTEI" in memory order */
#define KTE_IMAGE_VERSION	1

#define KTE_MAX_RANK		8
#define KTE_MAX_ROLES		2
#define KTE_MAX_ELEM_BYTES	16
#define KTE_STICK_BYTES		128

/* Element type of a role. KTE_DT_OPAQUE: bytes that are only copied. */
enum kte_dtype {
	KTE_DT_OPAQUE	= 0,
	KTE_DT_F16	= 1,
	KTE_DT_BF16	= 2,
	KTE_DT_F32	= 3,
	KTE_DT_F64	= 4,
	KTE_DT_I8	= 5,
	KTE_DT_I16	= 6,
	KTE_DT_I32	= 7,
	KTE_DT_I64	= 8,
	KTE_DT_COUNT
};

/* How the contributions to one destination element combine. */
enum kte_op {
	KTE_OP_COPY	= 0,	/* exactly one contribution */
	KTE_OP_ADD	= 1,
	KTE_OP_MUL	= 2,
	KTE_OP_MIN	= 3,
	KTE_OP_MAX	= 4,
	KTE_OP_AND	= 5,	/* integers only, like OR and XOR */
	KTE_OP_OR	= 6,
	KTE_OP_XOR	= 7,
	KTE_OP_ARGMIN	= 8,	/* two roles: value, index */
	KTE_OP_ARGMAX	= 9,
	KTE_OP_COUNT
};

/*
 * kte_space.mode, for MIN, MAX, ARGMIN and ARGMAX; 0 for every other op.
 * "lhs" is what has been accumulated, "rhs" the next contribution.
 */
#define KTE_MODE_TIE_MASK	0x03	/* who stays when the values compare equal */
#define KTE_MODE_TIE_FIRST	0x00	/* lhs */
#define KTE_MODE_TIE_LAST	0x01	/* rhs */
#define KTE_MODE_TIE_LOWER	0x02	/* the smaller index; ARGMIN, ARGMAX only */
#define KTE_MODE_TIE_LOWER_LAST	0x03	/* likewise; rhs if the indices are equal too */
#define KTE_MODE_NAN_MASK	0x0c	/* floats: when an operand is a NaN */
#define KTE_MODE_NAN_PROPAGATE	0x00	/* the result is the NaN */
#define KTE_MODE_NAN_NUMBER	0x04	/* the operand that is a number */
#define KTE_MODE_NAN_LHS	0x08	/* lhs (an unordered compare, then select) */
#define KTE_MODE_NAN_RHS	0x0c	/* rhs (an ordered compare, then select) */
#define KTE_MODE_UNSIGNED	0x10	/* integer values compare unsigned */
#define KTE_MODE_ZERO_ORDERED	0x20	/* floats: -0 < +0 instead of a tie */
#define KTE_MODE_INDEX_UNSIGNED	0x40	/* TIE_LOWER* compare indices unsigned */
#define KTE_MODE_MASK		0x7f

/**
 * struct kte_image_header - head of an image
 * @magic:	   KTE_IMAGE_MAGIC
 * @version:	   KTE_IMAGE_VERSION
 * @header_bytes:  sizeof(struct kte_image_header)
 * @total_bytes:   bytes of the whole image, header included
 * @n_spaces:	   number of spaces
 * @n_sources:	   number of source entries
 * @n_dests:	   number of destination entries
 * @n_edges:	   number of source indices stored
 * @n_pairs:	   sum of kte_entry.count over the destinations; larger than
 *		   @n_edges when destinations share a run
 * @window_bytes:  bytes of window the table touches: 1 + the last byte of any
 *		   entry and of the staging range
 * @stage_offset:  window offset of the staging range, 128-byte aligned
 * @stage_bytes:   bytes of the staging range, the same on each tile; 0: none
 * @n_tiles:	   1 + the highest logical tile named
 * @reserved:	   zero
 */
struct kte_image_header {
	uint32_t magic;
	uint16_t version;
	uint16_t header_bytes;
	uint64_t total_bytes;
	uint32_t n_spaces;
	uint32_t n_sources;
	uint32_t n_dests;
	uint32_t n_edges;
	uint64_t n_pairs;
	uint64_t window_bytes;
	uint64_t stage_offset;
	uint64_t stage_bytes;
	uint32_t n_tiles;
	uint32_t reserved[15];
};

/**
 * struct kte_space - one index space: the logical tensor boxes refer to
 * @rank:	number of axes, 1..KTE_MAX_RANK
 * @op:		enum kte_op
 * @mode:	KTE_MODE_* bits
 * @roles:	1, or 2 for ARGMIN and ARGMAX
 * @elem_bytes:	bytes of an element per role, 1..KTE_MAX_ELEM_BYTES; 0 for an
 *		absent role; the size of @dtype unless that is KTE_DT_OPAQUE
 * @dtype:	enum kte_dtype per role; never KTE_DT_OPAQUE in a fold. A copy may
 *		name a type or KTE_DT_OPAQUE: it moves bytes either way
 * @extent:	elements along each axis, > 0; 0 beyond @rank
 * @reserved:	zero
 */
struct kte_space {
	uint8_t rank;
	uint8_t op;
	uint8_t mode;
	uint8_t roles;
	uint8_t elem_bytes[KTE_MAX_ROLES];
	uint8_t dtype[KTE_MAX_ROLES];
	uint32_t extent[KTE_MAX_RANK];
	uint32_t reserved[6];
};

#define KTE_ENTRY_STAGED	0x0001	/* destination: written through the staging range */
#define KTE_ENTRY_FLAGS		0x0001

/**
 * struct kte_entry - a box of a space and where it lies in a tile's window
 * @space:	index of the space
 * @tile:	logical tile, 0..63 on hardware
 * @flags:	KTE_ENTRY_*; 0 for sources
 * @first:	destination: first index of its run in the edge array; 0 for sources
 * @count:	destination: length of the run; 0 for sources. The run names, strictly
 *		ascending, every source entry of @space whose box meets this one.
 *		Folds add contributions in this order
 * @start:	first element per axis; 0 beyond the rank
 * @size:	elements per axis, > 0; 0 beyond the rank
 * @offset:	per role, window offset in bytes of the box's first element; 0 for an
 *		absent role
 * @stride:	per role and axis, bytes between neighbours along the axis, > 0 where
 *		@size > 1 and ignored where @size is 1; 0 beyond the rank
 */
struct kte_entry {
	uint32_t space;
	uint16_t tile;
	uint16_t flags;
	uint32_t first;
	uint32_t count;
	uint32_t start[KTE_MAX_RANK];
	uint32_t size[KTE_MAX_RANK];
	uint64_t offset[KTE_MAX_ROLES];
	uint64_t stride[KTE_MAX_ROLES][KTE_MAX_RANK];
};

#define KTE_HEADER_BYTES	128
#define KTE_SPACE_BYTES		64
#define KTE_ENTRY_BYTES		224

_Static_assert(sizeof(struct kte_image_header) == KTE_HEADER_BYTES, "image header layout");
_Static_assert(sizeof(struct kte_space) == KTE_SPACE_BYTES, "space layout");
_Static_assert(sizeof(struct kte_entry) == KTE_ENTRY_BYTES, "entry layout");

/* What the hardware takes; the soft backend lifts all but the rank. */
#define KTE_HW_MAX_ENTRIES	16384u
#define KTE_HW_MAX_SPACES	1024u
#define KTE_HW_MAX_PAIRS	65536u
#define KTE_HW_MAX_IMAGE	(4u << 20)
#define KTE_HW_MAX_TILES	64u
#define KTE_MAX_VOLUME		(1ull << 48)	/* elements of a space or box */

#endif /* KTE_IMAGE_H */
