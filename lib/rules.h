/* SPDX-License-Identifier: MIT */
/*
 * What the rules look at. check.c computes the facts of one op once: its sets evaluated
 * over the groups, its axis lists, the factors its types imply, its fold. The rule
 * functions in rules_*.c only judge them, and verify.c holds the table that calls them.
 */
#ifndef KT_RULES_H
#define KT_RULES_H

#include "combiner.h"
#include "delivery.h"
#include "factor.h"

/* More groups, tiles or memberships than this are refused, so that memory stays bounded. */
#define KT_MAX_TILES		65536u
#define KT_SPARE_MEMBERS	(1u << 20)	/* tiles named twice in a file, for full reports */
#define KT_MAX_MEMBERS		(16u << 20)
/* Findings of one rule on one op that show their own witness; the rest is counted. */
#define KT_MAX_WITNESSES	4

struct kt_witness {
	bool hit;
	int64_t group, tile, consumer;
};

/* A set attribute evaluated for every group (and consumer), and where that failed. */
struct kt_set_fact {
	const struct kt_set *set;	/* NULL: absent or not a set */
	struct kt_range at;
	bool well_formed;		/* it has the dims and symbols its attribute takes */
	bool complete;			/* evaluated everywhere; members below may be trusted */
	struct kt_witness fault;	/* arithmetic fails there (K12) */
	struct kt_witness unbounded;	/* no bound, not even the device's, applies (K3) */
	struct kt_witness clipped;	/* bounded by the device only (K3) */
	struct kt_witness outside;	/* a member is no tile of the target (K2) */
	struct kt_witness empty;	/* nothing there (K2) */
};

/* Facts of a produce op. */
struct kt_produced {
	const struct kt_func *func;
	const struct kt_op *op;
	const struct kt_type *future;	/* NULL: not a future */
	unsigned int n_partials;
	const struct kt_type **partials;
	struct kt_set_fact groups, tiles;
	uint32_t n_groups;
	int64_t *group_ids;
	struct kt_tiles *producers;	/* per group */
	bool too_many_groups;		/* far more than tiles: not evaluated */
	bool failed;			/* a rule found an error */
};

/* An axis list attribute. */
enum kt_list_form {
	KT_LIST_OK, KT_LIST_ABSENT, KT_LIST_NOT_LIST, KT_LIST_EMPTY, KT_LIST_RANGE,
	KT_LIST_TWICE, KT_LIST_ORDER,
};

struct kt_axis_list {
	bool wanted;			/* the op takes it */
	const char *name;
	const struct kt_attr *attr;
	enum kt_list_form form;
	struct kt_range bad_at;
	int64_t bad_value;
	unsigned int n;
	unsigned int axes[KT_MAX_RANK];
};

/* Facts of one op under check: a produce (d is NULL) or a delivery. */
struct kt_check {
	const struct ktdev_module *mod;
	const struct kt_source *src;
	const struct ktdev_verify_opts *opts;
	struct ktdev_report *rep;
	struct kt_arena *arena;		/* for what lowering keeps */
	struct kt_arena *scratch;	/* for what ends with the rules on this op */
	uint32_t n_tiles;
	uint32_t *owner;		/* n_tiles entries of scratch */
	uint64_t members;		/* tiles named so far by all sets */
	uint64_t spare;			/* tiles that groups may still name more than once */

	const struct kt_op *op;
	struct kt_produced *prod;	/* NULL: the future comes from elsewhere */
	struct kt_delivery *d;
	struct kt_set_fact consumers, deps;
	struct kt_axis_list concat, split;
	bool membership;		/* sets evaluated: who is in which is known */
	bool counts;			/* and complete: how many there are is known too */
	uint32_t n_p, n_c;		/* P and C, where one number */
	bool p_uniform, c_uniform;
	bool typed;			/* every role has tensors of equal rank and element */
	struct kt_factors *factors;	/* per role; NULL where they could not be computed */
	struct kt_combiner combiner;	/* of a fold */
	uint64_t impure;		/* ops R10 objects to */
};

#define KT_NO_OWNER	0xffffffffu

/* check.c */
const char *kt_op_short_name(enum kt_op_kind kind);	/* "gather" */
bool kt_kind_splits(enum kt_op_kind kind);
bool kt_kind_concats(enum kt_op_kind kind);
bool kt_kind_folds(enum kt_op_kind kind);
/* Tiles of the target for a function; 0 if its grid makes no sense (reported). */
uint32_t kt_func_tiles(const struct kt_source *src, const struct kt_func *func,
		       const struct ktdev_verify_opts *opts, struct ktdev_report *rep);
/* Fill the facts. Return 0, -ENOMEM, -E2BIG (more members than KT_MAX_MEMBERS). */
int kt_facts_produce(struct kt_check *c, struct kt_produced *p);
int kt_facts_delivery(struct kt_check *c);
/* A declared stick concerns a role: it has the axis, and that many lanes are 128 bytes. */
bool kt_stick_applies(const struct ktdev_stick *s, const struct kt_role *r);
/* The last op of the only block of region 0 if it is of @kind, else NULL. */
const struct kt_op *kt_region_yield(const struct kt_op *op, enum kt_op_kind kind);
/* Where a type, or the op if the text has none, stands. */
struct kt_range kt_type_at(const struct kt_type *t, const struct kt_op *op);

/* rules_sets.c */
void kt_rule_r1(struct kt_check *c);
void kt_rule_r3(struct kt_check *c);
void kt_rule_r4(struct kt_check *c);
void kt_rule_r5(struct kt_check *c);
void kt_rule_r6(struct kt_check *c);
void kt_rule_r7(struct kt_check *c);
void kt_rule_r8(struct kt_check *c);
void kt_rule_r13(struct kt_check *c);
void kt_rule_r14(struct kt_check *c);
void kt_rule_k1(struct kt_check *c);

/* rules_finite.c */
void kt_rule_k2(struct kt_check *c);
void kt_rule_k3(struct kt_check *c);
void kt_rule_k12(struct kt_check *c);

/* rules_types.c */
void kt_rule_r9(struct kt_check *c);
void kt_rule_r11(struct kt_check *c);
void kt_rule_r12(struct kt_check *c);
void kt_rule_k11(struct kt_check *c);

/* rules_arity.c */
void kt_rule_k6(struct kt_check *c);

/* rules_region.c */
enum kt_effect {
	KT_EFFECT_NONE,			/* nothing but structure, constants and the tile id */
	KT_EFFECT_COMPUTE,		/* pure */
	KT_EFFECT_READ,			/* views, access tiles and loads of the dialect */
	KT_EFFECT_MEMORY,		/* any other access to memory */
	KT_EFFECT_CALL,
	KT_EFFECT_COMMUNICATION,
	KT_EFFECT_UNKNOWN,		/* an op of a dialect not known here */
};

enum kt_effect kt_op_effect(const struct kt_op *op);
void kt_rule_r2(struct kt_check *c);
void kt_rule_k4(struct kt_check *c);

/* rules_fold.c */
void kt_rule_r10(struct kt_check *c);
void kt_rule_k5(struct kt_check *c);
void kt_rule_k7(struct kt_check *c);

#endif /* KT_RULES_H */
