/* SPDX-License-Identifier: MIT */
/*
 * A combiner as an expression per role over the lhs and rhs elements, and which fold of
 * the unit means the same. Between combiner.c, which reads regions, and
 * combiner_match.c.
 */
#ifndef KT_COMBINER_EXPR_H
#define KT_COMBINER_EXPR_H

#include "combiner.h"

#define KT_COMB_MAX_EXPRS	256	/* larger combiners are not looked at */
#define KT_COMB_MAX_ROLES	16

enum kt_comb_kind {
	KT_COMB_BAD,		/* not understood: a is the index of its reason */
	KT_COMB_ARG,		/* role a of lhs (b = 0) or rhs (b = 1) */
	KT_COMB_BOOL,		/* constant of type i1: a */
	KT_COMB_BIN,		/* code: enum kt_comb_bin */
	KT_COMB_CMPF, KT_COMB_CMPI,	/* code: enum kt_comb_pred */
	KT_COMB_SELECT,		/* a ? b : c */
};

enum kt_comb_bin {
	KT_BIN_ADD, KT_BIN_MUL, KT_BIN_AND, KT_BIN_OR, KT_BIN_XOR,
	KT_BIN_MAXIMUM, KT_BIN_MINIMUM, KT_BIN_MAXNUM, KT_BIN_MINNUM,
	KT_BIN_MAXS, KT_BIN_MINS, KT_BIN_MAXU, KT_BIN_MINU,
	KT_BIN_COUNT
};

/* Predicates as sets of relations, so that evaluating one is a mask. */
enum kt_comb_pred {
	KT_PRED_LT = 1, KT_PRED_EQ = 2, KT_PRED_GT = 4,
	KT_PRED_UNORDERED = 8,	/* of CMPF */
	KT_PRED_UNSIGNED = 16,	/* of CMPI */
};

struct kt_comb_expr {
	uint8_t kind, code;
	int16_t a, b, c;	/* expressions */
};

struct kt_comb {
	unsigned int n_exprs;
	struct kt_comb_expr e[KT_COMB_MAX_EXPRS];
	unsigned int n_roles;
	int root[KT_COMB_MAX_ROLES];	/* what is yielded */
	uint8_t dtype[KT_COMB_MAX_ROLES];
};

/* Bit per role whose elements an expression depends on; KT_COMB_HAS_BAD if not understood. */
#define KT_COMB_HAS_BAD	0x80000000u
uint32_t kt_comb_depends(const struct kt_comb *cb, int expr, int *bad);

/* Fold of role @r alone. */
bool kt_comb_match(const struct kt_comb *cb, unsigned int r, struct kt_fold *out);
/* Roles @v and @i as value and index of an arg pair. */
bool kt_comb_match_pair(const struct kt_comb *cb, unsigned int v, unsigned int i,
			struct kt_fold *out);

#endif /* KT_COMBINER_EXPR_H */
