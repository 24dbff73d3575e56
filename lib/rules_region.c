// SPDX-License-Identifier: MIT
/*
 * Rules about futures and the producer region: R2 (one use), K4 (what a producer does), and
 * the table of what an op does to the world, which R10 shares.
 */
#include <string.h>

#include "rules.h"

/* --- what an op does ---------------------------------------------------------------- */

/* Dialects and ops by prefix; the first match counts. */
static const struct {
	const char *prefix;
	enum kt_effect effect;
} effects[] = {
	{ "ktdp.inter_tile_", KT_EFFECT_COMMUNICATION },
	{ "memref.", KT_EFFECT_MEMORY },
	{ "bufferization.", KT_EFFECT_MEMORY },
	{ "vector.load", KT_EFFECT_MEMORY },
	{ "vector.store", KT_EFFECT_MEMORY },
	{ "vector.maskedload", KT_EFFECT_MEMORY },
	{ "vector.maskedstore", KT_EFFECT_MEMORY },
	{ "vector.gather", KT_EFFECT_MEMORY },
	{ "vector.scatter", KT_EFFECT_MEMORY },
	{ "vector.compressstore", KT_EFFECT_MEMORY },
	{ "vector.expandload", KT_EFFECT_MEMORY },
	{ "vector.print", KT_EFFECT_MEMORY },
	{ "affine.load", KT_EFFECT_MEMORY },
	{ "affine.store", KT_EFFECT_MEMORY },
	{ "affine.vector_", KT_EFFECT_MEMORY },
	{ "affine.dma_", KT_EFFECT_MEMORY },
	{ "affine.prefetch", KT_EFFECT_MEMORY },
	{ "llvm.load", KT_EFFECT_MEMORY },
	{ "llvm.store", KT_EFFECT_MEMORY },
	{ "llvm.call", KT_EFFECT_CALL },
	{ "func.", KT_EFFECT_CALL },
	{ "call", KT_EFFECT_CALL },
	{ "arith.", KT_EFFECT_COMPUTE },
	{ "math.", KT_EFFECT_COMPUTE },
	{ "index.", KT_EFFECT_COMPUTE },
	{ "complex.", KT_EFFECT_COMPUTE },
	{ "tensor.", KT_EFFECT_COMPUTE },
	{ "linalg.", KT_EFFECT_COMPUTE },
	{ "vector.", KT_EFFECT_COMPUTE },
	{ "affine.", KT_EFFECT_COMPUTE },
	{ "scf.", KT_EFFECT_COMPUTE },
	{ "shape.", KT_EFFECT_COMPUTE },
	{ "tosa.", KT_EFFECT_COMPUTE },
	{ "ub.", KT_EFFECT_COMPUTE },
};

static enum kt_effect effect_by_name(const struct kt_op *op)
{
	const char *dot = strrchr(op->name, '.');
	unsigned int i;

	for (i = 0; i < op->n_operands; i++)
		if (op->operands[i].value && op->operands[i].value->type &&
		    op->operands[i].value->type->kind == KT_TY_MEMREF)
			return KT_EFFECT_MEMORY;
	for (i = 0; i < KT_ARRAY_SIZE(effects); i++)
		if (!strncmp(op->name, effects[i].prefix, strlen(effects[i].prefix)))
			return effects[i].effect;
	if (dot && (!strcmp(dot, ".load") || !strcmp(dot, ".store")))
		return KT_EFFECT_MEMORY;
	if (dot && (!strcmp(dot, ".call") || !strcmp(dot, ".call_indirect")))
		return KT_EFFECT_CALL;
	return KT_EFFECT_UNKNOWN;
}

enum kt_effect kt_op_effect(const struct kt_op *op)
{
	switch (op->kind) {
	case KT_OP_PRODUCE:
	case KT_OP_CONSUME:
	case KT_OP_REDUCE:
	case KT_OP_REDUCE_SCATTER:
	case KT_OP_GATHER:
	case KT_OP_ALL_TO_ALL:
	case KT_OP_SCATTER:
		return KT_EFFECT_COMMUNICATION;
	case KT_OP_YIELD_PARTIAL:
	case KT_OP_YIELD_REDUCED:
	case KT_OP_SCF_YIELD:
	case KT_OP_TILE_ID:
	case KT_OP_CONSTANT:
	case KT_OP_RETURN:
		return KT_EFFECT_NONE;
	case KT_OP_MEMORY_VIEW:
	case KT_OP_ACCESS_TILE:
	case KT_OP_LOAD:
		return KT_EFFECT_READ;
	case KT_OP_STORE:
		return KT_EFFECT_MEMORY;
	case KT_OP_CALL:
		return KT_EFFECT_CALL;
	case KT_OP_ARITH:
	case KT_OP_EXTRACT_SLICE:
	case KT_OP_FOR:
	case KT_OP_IF:
		return KT_EFFECT_COMPUTE;
	case KT_OP_OTHER:
		break;
	}
	return effect_by_name(op);
}

/* --- R2 ----------------------------------------------------------------------------- */

void kt_rule_r2(struct kt_check *c)
{
	const struct kt_value *f = c->op->n_results ? c->op->results[0] : NULL;
	const struct kt_op *first = NULL;
	unsigned int i, deliveries = 0;
	struct kt_range first_at = { 0, 0 };
	struct kt_diag *d;

	if (!f)
		return;
	if (!f->n_uses)
		kt_diag(c->rep, c->src, c->op->name_at, KT_R2, KTDEV_ERROR,
			"the future %s is never delivered", f->name ? f->name : "of this produce");
	for (i = 0; i < f->n_uses; i++) {
		const struct kt_op *use = f->uses[i].op;
		struct kt_range at = f->uses[i].operand < use->n_operands ?
				     use->operands[f->uses[i].operand].at : use->name_at;

		if (!kt_op_is_delivery(use)) {
			d = kt_diag(c->rep, c->src, at, KT_R2, KTDEV_ERROR,
				    "a future may only be used by a delivery op, not by %s",
				    use->name);
			kt_diag_note(d, c->src, c->op->name_at, "the future is produced here");
		} else if (deliveries++ == 0) {
			first = use;
			first_at = at;
		} else if (deliveries <= KT_MAX_WITNESSES + 1) {
			d = kt_diag(c->rep, c->src, at, KT_R2, KTDEV_ERROR,
				    "the future %s is delivered more than once", f->name ? f->name : "");
			kt_diag_note(d, c->src, first_at, "first used by this %s",
				     kt_op_short_name(first->kind));
			kt_diag_remark(d, "the result of one delivery may have any number of uses");
		}
	}
}

/* --- K4 ----------------------------------------------------------------------------- */

struct region_walk {
	struct kt_check *c;
	struct kt_diag *error, *warning;
	uint64_t errors, warnings;
};

static bool scalar_index(const struct kt_type *t)
{
	return t && (t->kind == KT_TY_INDEX ||
		     (t->kind == KT_TY_SCALAR && t->elem_name && t->elem_name[0] != 'f' &&
		      t->elem_name[0] != 'b'));
}

static bool index_arithmetic(const struct kt_op *op)
{
	unsigned int i;

	if (op->kind != KT_OP_ARITH)
		return false;
	for (i = 0; i < op->n_results; i++)
		if (op->results[i]->type && !scalar_index(op->results[i]->type))
			return false;
	return true;
}

static int producer_op(const struct kt_op *op, void *ctx)
{
	struct region_walk *w = ctx;
	enum kt_effect e = kt_op_effect(op);
	struct kt_check *c = w->c;

	if (e == KT_EFFECT_NONE || e == KT_EFFECT_READ || index_arithmetic(op))
		return 0;
	if (e == KT_EFFECT_COMPUTE || e == KT_EFFECT_UNKNOWN) {
		if (!w->warnings++)
			w->warning = kt_diag(c->rep, c->src, op->name_at, KT_K4, KTDEV_WARNING,
					     "%s in a producer region: compute belongs before the produce",
					     op->name);
		return 0;
	}
	if (!w->errors++)
		w->error = kt_diag(c->rep, c->src, op->name_at, KT_K4, KTDEV_ERROR,
				   "%s in a producer region, which may only compute indices, load and yield",
				   op->name);
	return 0;
}

void kt_rule_k4(struct kt_check *c)
{
	struct region_walk w = { .c = c };
	unsigned int i;

	for (i = 0; i < c->op->n_regions; i++)
		kt_region_walk(&c->op->regions[i], producer_op, &w);
	if (w.errors > 1)
		kt_diag_remark(w.error, "and %llu more such ops",
			       (unsigned long long)w.errors - 1);
	if (w.warnings > 1)
		kt_diag_remark(w.warning, "and %llu more such ops",
			       (unsigned long long)w.warnings - 1);
}
