/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The program an image is prepared to: a flat list of steps, each one kernel
 * call, in the order that keeps source and destination in the caches.
 *
 * Destination entries of equal space, box, source run and strides form a class.
 * A class is compiled once; its members (tile and window offset) are where the
 * result goes. A step builds or reads at most KTE_BLOCK bytes and writes them
 * to every member of its class. Destination addresses in operations and steps
 * are relative to a member's offset.
 *
 * Written by engine/prepare*.c, read by engine/exec*.c and engine/cycles.c.
 */
#ifndef KTE_EXEC_PROG_H
#define KTE_EXEC_PROG_H

#include "kte_exec.h"
#include "box.h"

#define KTE_BLOCK		16384u	/* bytes of a step, per member */
#define KTE_BUILT		4096u	/* the same where a block is built: stays in L1 */
#define KTE_DEALT		(64u << 10)	/* the same for all lanes of an UNZIP together */
#define KTE_FOLD_BLOCK		16384u	/* bytes of a fold step, per member */
#define KTE_ARG_BLOCK		256u	/* elements of an argmin or argmax step */
#define KTE_FOLD_GROUP		8u	/* contributions added in one go */
#define KTE_STOP_BYTES		(128u << 10)	/* between two looks at the stop callback */
#define KTE_SCRATCH_BYTES	(224u << 10)

enum kte_kind {
	KTE_K_MOVE,	/* contiguous bytes of one source, to every member */
	KTE_K_NEST,	/* strided runs of one source, to every member */
	KTE_K_LIST,	/* many short contiguous copies, each with its own ends */
	KTE_K_GATHER,	/* contiguous pieces of several sources in a row: a block */
	KTE_K_PACK,	/* strided runs of several sources side by side: a block */
	KTE_K_ZIP,	/* the same for 1, 2, 4, 8 bytes of 2, 4, 8 sources: SIMD unpack */
	KTE_K_UNZIP,	/* one source dealt out to 2, 4, 8 classes: SIMD unpack */
	KTE_K_XPOSE,	/* runs of 1, 2, 4, 8 bytes of one source, two axes exchanged */
	KTE_K_FOLD,	/* contributions combined to a block */
	KTE_K_LOCAL,	/* phase 1: staged result to its place on the same tile */
};

/* One loop of a nest, outermost first: count, source stride, destination stride. */
struct kte_dim {
	uint64_t n;
	uint64_t ss;
	uint64_t ds;
};

/* Where a class's result goes: role 0 (role 1: kte_prog.off1 at the same index). */
struct kte_member {
	uint64_t off;
	uint32_t tile;
	uint32_t dest;		/* index of the destination entry */
};

/* First byte of a source stream. */
struct kte_stream {
	uint64_t off;
	uint32_t tile;
	uint32_t len;		/* GATHER: bytes */
};

/* One copy of a LIST. */
struct kte_item {
	uint64_t src;
	uint64_t dst;
	uint16_t src_tile;
	uint16_t dst_tile;
	uint32_t len;
};

/* One destination class of an UNZIP; without members: read but not wanted. */
struct kte_lane {
	uint64_t dst;
	uint32_t member;
	uint32_t n_members;
};

/**
 * struct kte_insn - an operation, parameters of its steps
 * @kind:	enum kte_kind
 * @rank:	loops of the nest its steps run: @dim .. @dim + @rank - 1; the
 *		count of the first is the step's
 * @out_rank:	loops of the nest that takes a built block, dense in scratch, to a
 *		member: @out_dim ..; 0: the block is contiguous at the member too
 * @log_run:	ZIP, UNZIP, XPOSE: log2 of @run; FOLD: index in kte_prog.folds
 * @g:		PACK, ZIP: sources; UNZIP: lanes; GATHER, LIST: entries
 * @src:	first of its streams, items or lanes
 * @run:	bytes of a run; LIST, GATHER: bytes of every entry, 0 if they differ;
 *		MOVE, LOCAL of rank 0: unused, the step says it
 * @out_run:	contiguous bytes of a built block per count of the outermost loop
 *		(@out_rank 0) or per run of the out nest
 */
struct kte_insn {
	uint8_t kind;
	uint8_t rank;
	uint8_t out_rank;
	uint8_t log_run;
	uint32_t g;
	uint32_t dim;
	uint32_t out_dim;
	uint32_t src;
	uint32_t member;
	uint32_t n_members;
	uint32_t fold;
	uint64_t run;
	uint64_t out_run;
};

/**
 * struct kte_step - one kernel call
 * @src:	added to the source offsets; FOLD: index of the outer iteration
 * @dst:	added to the members' offsets; FOLD: start along the split loop
 * @cum:	bytes all earlier steps write
 * @op:		operation
 * @n:		count of the outermost loop, or bytes where there is none
 */
struct kte_step {
	uint64_t src;
	uint64_t dst;
	uint64_t cum;
	uint32_t op;
	uint32_t n;
};

/**
 * struct kte_fold - a fold class
 * @op, @mode, @dtype, @elem, @roles: of the space
 * @rank:	loops after fusing what all streams allow
 * @split:	loop the steps split; loops before it are enumerated
 * @count:	contributions
 * @inner:	elements per count of the split loop
 * @word:	in kte_prog.words: counts [rank], then strides [roles][rank] of the
 *		destination, then per contribution offset [roles], strides [roles][rank]
 * @stream:	in kte_prog.streams: tile of each contribution
 */
struct kte_fold {
	uint8_t op;
	uint8_t mode;
	uint8_t dtype[KTE_MAX_ROLES];
	uint8_t elem[KTE_MAX_ROLES];
	uint8_t roles;
	uint8_t rank;
	uint8_t split;
	uint32_t count;
	uint32_t inner;
	uint32_t word;
	uint32_t stream;
};

/* Destinations of one class: members first .. first + count - 1; rep is an entry. */
struct kte_class {
	uint32_t rep;
	uint32_t first;
	uint32_t count;
};

struct kte_vec {
	void *p;
	uint32_t n;
	uint32_t cap;
};

struct kte_prog {
	struct kte_env env;
	void *image;			/* private copy */
	const struct kte_image_header *head;
	const struct kte_space *spaces;
	const struct kte_entry *sources;
	const struct kte_entry *dests;
	const uint32_t *edges;
	struct kte_class *classes;
	uint32_t n_classes;
	struct kte_member *members;	/* n_dests, class by class */
	uint64_t *off1;			/* role 1 offset per member */
	struct kte_vec ops;		/* struct kte_insn */
	struct kte_vec steps;		/* struct kte_step, phase 0 then phase 1 */
	struct kte_vec dims;		/* struct kte_dim */
	struct kte_vec streams;		/* struct kte_stream */
	struct kte_vec items;		/* struct kte_item */
	struct kte_vec lanes;		/* struct kte_lane */
	struct kte_vec folds;		/* struct kte_fold */
	struct kte_vec words;		/* uint64_t */
	uint32_t phase_step[3];		/* first step of each phase, end */
	uint64_t phase_bytes[2];	/* bytes each phase writes */
	uint32_t isa;			/* enum kte_isa */
	bool stream_stores;		/* working set above half of the last-level cache */
};

enum kte_isa { KTE_ISA_GENERIC, KTE_ISA_AVX2, KTE_ISA_COUNT };

static inline const struct kte_space *kte_prog_space(const struct kte_prog *prog,
						     const struct kte_entry *e)
{
	return &prog->spaces[e->space];
}

/* engine/exec.c */
enum kte_isa kte_isa_best(void);	/* what this machine has */
bool kte_isa_has(enum kte_isa isa);
uint64_t kte_cache_bytes(void);		/* last-level cache, 32 MiB if unknown */
/* Run @prog with the kernels of @isa; false if the machine lacks them. For tests
 * and measurements; results are the same bytes. Not while the program runs. */
bool kte_prog_set_isa(struct kte_prog *prog, enum kte_isa isa);

/* What one part executes: steps and, in the first and last, the members. */
struct kte_range {
	uint32_t step;
	uint32_t end;
	uint64_t from;
	uint64_t to;
	bool split;
};

int kte_exec_generic(const struct kte_prog *prog, const struct kte_run *run,
		     const struct kte_range *range);
int kte_exec_avx2(const struct kte_prog *prog, const struct kte_run *run,
		  const struct kte_range *range);

/* A copy piece: a source's share of a destination box, as a nest of runs. */
struct kte_piece {
	uint64_t src;		/* window offset on tile */
	uint64_t dst;		/* relative to a member */
	uint64_t run;		/* contiguous bytes */
	uint32_t tile;
	uint32_t source;	/* index of the source entry */
	uint32_t klass;
	uint32_t rank;
	struct kte_dim dim[KTE_MAX_RANK];
};

/* State while a program is built. */
struct kte_build {
	struct kte_prog *prog;
	struct kte_vec pieces;	/* struct kte_piece of the class at hand */
	struct kte_vec order;	/* struct kte_piece *: pieces, sorted */
	struct kte_vec spread;	/* struct kte_piece: may become lanes of an UNZIP */
	uint32_t list;		/* first item of the LIST being filled */
	uint64_t list_bytes;
	uint64_t delivered;	/* bytes of all members */
	uint64_t distinct;	/* bytes of all classes */
	uint32_t ticks;
	struct kte_fault *fault;
};

/* engine/prepare_steps.c */

/* @n zeroed items more; NULL without memory. */
void *kte_vec_add(struct kte_prog *prog, struct kte_vec *v, size_t item, uint32_t n);
void kte_vec_free(struct kte_prog *prog, struct kte_vec *v);
int kte_build_tick(struct kte_build *b, uint32_t work);

/* The nest of the elements of @size: @ss and @ds strides per axis, fused. */
void kte_nest_init(struct kte_piece *p, uint32_t rank, const uint32_t *size, uint32_t elem,
		   const uint64_t *ss, const uint64_t *ds);
struct kte_insn *kte_add_op(struct kte_build *b, enum kte_kind kind, const struct kte_class *c);
/* A step of the operation added last; @bytes written by it, all members. */
int kte_add_step(struct kte_build *b, uint64_t src, uint64_t dst, uint64_t n, uint64_t bytes);
int kte_add_stream(struct kte_build *b, uint32_t tile, uint64_t off, uint64_t len);
int kte_add_dims(struct kte_build *b, const struct kte_dim *dim, uint32_t n, uint32_t *first);
/* The first loop that fits a step whole, and the bytes of all from there on. */
uint32_t kte_split_rank(const struct kte_dim *d, uint32_t rank, uint64_t run, uint64_t limit,
			uint64_t *inner);
int kte_add_nest_steps(struct kte_build *b, struct kte_insn *op, const struct kte_piece *p,
		       uint64_t src, uint64_t run, uint64_t limit, uint32_t unit,
		       uint64_t copies);
int kte_add_run_steps(struct kte_build *b, const struct kte_piece *p, uint64_t src,
		      uint64_t copies);
int kte_emit_local(struct kte_build *b, uint32_t klass, uint64_t stage_stride[][KTE_MAX_RANK]);

/* engine/prepare_ops.c */
int kte_emit_class(struct kte_build *b, uint32_t klass);	/* b->pieces to operations */
int kte_emit_rest(struct kte_build *b);		/* open list, UNZIPs */

/* engine/prepare_fold.c. @stride: of the destination, or packed where it is staged. */
int kte_emit_fold(struct kte_build *b, uint32_t klass, uint64_t stride[][KTE_MAX_RANK]);

#endif /* KTE_EXEC_PROG_H */
