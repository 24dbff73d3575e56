// SPDX-License-Identifier: MIT
/*
 * The rules as a table in the order of the specification, and verification: every rule
 * over every op it holds for, then the addresses of what may be lowered.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "opts.h"
#include "rules.h"
#include "rules_text.h"

/* Which ops a rule is checked on: bit per enum kt_op_kind. */
#define ON(kind)	(1u << KT_OP_##kind)
#define PRODUCE		ON(PRODUCE)
#define ALL		(ON(CONSUME) | ON(REDUCE) | ON(REDUCE_SCATTER) | ON(GATHER) | \
			 ON(ALL_TO_ALL) | ON(SCATTER))
#define EVERY		(PRODUCE | ALL)
#define NOT_SCATTER	(ALL & ~ON(SCATTER))
#define CONCAT		(ON(GATHER) | ON(ALL_TO_ALL))
#define SPLIT		(ON(REDUCE_SCATTER) | ON(ALL_TO_ALL) | ON(SCATTER))
#define FOLD		(ON(REDUCE) | ON(REDUCE_SCATTER))

/* A rule without a check is found while addresses are resolved. */
static const struct rule_row {
	enum kt_rule rule;
	uint32_t ops;			/* checked on */
	void (*check)(struct kt_check *c);
} rows[] = {
	{ KT_R1, PRODUCE, kt_rule_r1 },
	{ KT_R2, PRODUCE, kt_rule_r2 },
	{ KT_R3, NOT_SCATTER, kt_rule_r3 },
	{ KT_R4, NOT_SCATTER, kt_rule_r4 },
	{ KT_R5, CONCAT, kt_rule_r5 },
	{ KT_R6, CONCAT, kt_rule_r6 },
	{ KT_R7, CONCAT | SPLIT, kt_rule_r7 },
	{ KT_R8, ON(CONSUME) | ON(SCATTER), kt_rule_r8 },
	{ KT_R9, SPLIT, kt_rule_r9 },
	{ KT_R10, FOLD, kt_rule_r10 },
	{ KT_R11, FOLD, kt_rule_r11 },
	{ KT_R12, CONCAT, kt_rule_r12 },
	{ KT_R13, ON(REDUCE), kt_rule_r13 },
	{ KT_R14, ON(REDUCE), kt_rule_r14 },
	{ KT_K1, ALL, kt_rule_k1 },
	{ KT_K2, EVERY, kt_rule_k2 },
	{ KT_K3, EVERY, kt_rule_k3 },
	{ KT_K4, PRODUCE, kt_rule_k4 },
	{ KT_K5, FOLD, kt_rule_k5 },
	{ KT_K6, EVERY, kt_rule_k6 },
	{ KT_K7, FOLD, kt_rule_k7 },
	{ KT_K8, 0, NULL },
	{ KT_K9, 0, NULL },
	{ KT_K10, 0, NULL },
	{ KT_K11, CONCAT, kt_rule_k11 },
	{ KT_K12, EVERY, kt_rule_k12 },
	{ KT_K13, 0, NULL },
};

/* The same order. */
#define RULE(id, statement)	{ #id, statement, kt_why_##id, kt_wrong_##id, kt_right_##id }

static const struct ktdev_rule rules[] = {
	RULE(R1, "No tile produces in two groups: P(g1) and P(g2) are disjoint for g1 != "
	       "g2."),
	RULE(R2, "A future has exactly one use, a delivery op; the result of the delivery "
	       "may have any number."),
	RULE(R3, "A consumer takes only from producers of its group: dep(c,g) is contained "
	       "in P(g)."),
	RULE(R4, "Where a dependency set is declared, every producer of a group is taken "
	       "from by some consumer of it."),
	RULE(R5, "Dependency sets are all identical, or a partition of the producers; any "
	       "other overlap is legal and a warning."),
	RULE(R6, "All consumers of all groups take from the same number of producers."),
	RULE(R7, "All groups have the same number of producers and, where shares are "
	       "split, of consumers."),
	RULE(R8, "Each consumer has exactly one source: scatter has one producer per "
	       "group, consume with several needs a dependency set."),
	RULE(R9, "The split list is non-empty, in range and strictly ascending; the "
	       "extents divide by factors that multiply to C."),
	RULE(R10, "The combiner is pure: no memory, call, load, store or nested "
	       "communication."),
	RULE(R11, "Identity i has exactly the partial type i, not the type of the result."),
	RULE(R12, "The concat list is non-empty, in range and strictly ascending; the "
	       "factors multiply to P and agree in all roles."),
	RULE(R13, "Consumers of a reduce are producers of their group: C(g) is contained in "
	       "P(g)."),
	RULE(R14, "A reduce delivers to all producers of a group or to one tile: C(g) = "
	       "P(g) or |C(g)| = 1."),
	RULE(K1, "A tile consumes in at most one group of an op."),
	RULE(K2, "Every named tile is a tile of the target, and no set is empty where a "
	       "group exists."),
	RULE(K3, "Groups and tile sets are finite; a tile set bounded only by the device "
	       "is cut to it and noted."),
	RULE(K4, "A producer region holds index arithmetic, views, access tiles, loads and "
	       "the yield; compute there is a warning."),
	RULE(K5, "The combiner maps to the fold unit; one that does not is legal, but this "
	       "target cannot run it."),
	RULE(K6, "Arity, rank, element types, region arguments, yields and identities "
	       "agree with the future, sets with their attribute."),
	RULE(K7, "An identity whose value is a known constant is neutral for the "
	       "recognised combiner."),
	RULE(K8, "The address of a scratchpad view is known when the program is compiled."),
	RULE(K9, "A producer loads from its own scratchpad, not from another tile's."),
	RULE(K10, "Deliveries do not stand under control flow that depends on the tile."),
	RULE(K11, "The declared types admit one factorisation."),
	RULE(K12, "Divisors are positive and arithmetic stays within 64 bits."),
	RULE(K13, "What is placed fits the scratchpad and overlaps nothing it must not."),
};

_Static_assert(KT_ARRAY_SIZE(rows) == KT_RULE_COUNT - 1, "one row per rule");
_Static_assert(KT_ARRAY_SIZE(rules) == KT_RULE_COUNT - 1, "one text per rule");

size_t ktdev_rules(const struct ktdev_rule **out)
{
	*out = rules;
	return KT_ARRAY_SIZE(rules);
}

/* --- options ------------------------------------------------------------------------ */

#define MAX_STICKS	32

static int read_opts(const struct ktdev_verify_opts *in, struct ktdev_verify_opts *out)
{
	int ret = kt_opts_copy(out, sizeof(*out), in);
	uint32_t i;

	if (ret)
		return ret;
	if (out->tiles > KT_MAX_TILES || out->n_sticks > MAX_STICKS ||
	    (out->n_sticks && !out->sticks))
		return -EINVAL;
	for (i = 0; i < out->n_sticks; i++)
		if (!out->sticks[i].lanes)
			return -EINVAL;
	return 0;
}

/* --- collecting ops ----------------------------------------------------------------- */

struct ops {
	const struct kt_op **op;	/* NULL: only count */
	uint32_t n, n_produce, n_delivery;
};

static int collect_op(const struct kt_op *op, void *ctx)
{
	struct ops *ops = ctx;

	if (op->kind != KT_OP_PRODUCE && !kt_op_is_delivery(op))
		return 0;
	if (ops->op)
		ops->op[ops->n] = op;
	ops->n++;
	if (op->kind == KT_OP_PRODUCE)
		ops->n_produce++;
	else
		ops->n_delivery++;
	return 0;
}

/* Scratch is given back when it has grown to this. */
#define SCRATCH_BYTES	(256u * 1024)

/* One run of the rules over (some functions of) a module. */
struct run {
	const struct ktdev_module *mod;
	struct ktdev_verify_opts opts;
	struct ktdev_report *rep;
	struct kt_checked *out;
	struct kt_arena scratch;	/* what only the rules on one op need */
	struct kt_produced *produced;
	uint32_t n_produced;
	uint64_t members, spare;
	uint32_t sticks_used;		/* bit per declared stick that concerned a partial */
	const struct kt_op *first;	/* delivery */
};

/* Ops are visited in source order, so their places ascend. */
static struct kt_produced *find_produced(struct run *run, const struct kt_op *op)
{
	uint32_t lo = 0, hi = run->n_produced;

	while (op && lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (run->produced[mid].op == op)
			return &run->produced[mid];
		if (run->produced[mid].op->at.off < op->at.off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

static void run_rules(struct kt_check *c)
{
	uint32_t bit = 1u << c->op->kind;
	unsigned int i;

	for (i = 0; i < KT_ARRAY_SIZE(rows); i++)
		if (rows[i].check && (rows[i].ops & bit))
			rows[i].check(c);
}

static int check_produce(struct run *run, struct kt_check *c, const struct kt_func *func)
{
	bool delivered = !c->op->n_results || c->op->results[0]->n_uses;
	struct kt_produced *p = &run->produced[run->n_produced];
	size_t errors = ktdev_report_total(run->rep, KTDEV_ERROR);
	int ret;

	p->func = func;
	c->prod = p;
	if (!delivered)		/* R2; nothing will ask for its sets */
		c->arena = c->scratch;
	ret = kt_facts_produce(c, p);
	if (ret)
		return ret;
	run_rules(c);
	p->failed = ktdev_report_total(run->rep, KTDEV_ERROR) != errors;
	if (delivered)
		run->n_produced++;
	else
		memset(p, 0, sizeof(*p));
	return 0;
}

/* What lowering may rely on, even where the fold unit cannot do it. */
static int take_folds(struct kt_check *c)
{
	struct kt_delivery *d = c->d;
	unsigned int i;

	d->folds = c->combiner.folds;
	d->n_folds = c->combiner.n_folds;
	if (!d->fold || c->combiner.mapped)
		return 0;
	d->n_folds = d->n_roles;
	d->folds = kt_alloc(c->arena, d->n_folds * sizeof(*d->folds));
	if (!d->folds)
		return -ENOMEM;
	for (i = 0; i < d->n_folds; i++)
		d->folds[i] = (struct kt_fold){ .n_roles = 1, .role = i, .why = c->combiner.why };
	return 0;
}

static void note_sticks(struct run *run, const struct kt_delivery *d)
{
	unsigned int i, r;

	if (!run->first)
		run->first = d->op;
	for (i = 0; i < run->opts.n_sticks; i++)
		for (r = 0; r < d->n_roles; r++)
			if (kt_stick_applies(&run->opts.sticks[i], &d->roles[r]))
				run->sticks_used |= 1u << i;
}

static int check_delivery(struct run *run, struct kt_check *c, const struct kt_func *func)
{
	struct kt_delivery *d = &run->out->deliveries[run->out->n_deliveries++];
	size_t errors = ktdev_report_total(run->rep, KTDEV_ERROR);
	int ret;

	d->func = func;
	c->d = d;
	c->prod = find_produced(run, kt_delivery_produce(c->op));
	ret = kt_facts_delivery(c);
	if (ret)
		return ret;
	run_rules(c);
	note_sticks(run, d);
	d->valid = c->counts && c->typed && !c->prod->failed &&
		   ktdev_report_total(run->rep, KTDEV_ERROR) == errors;
	return take_folds(c);
}

static int check_op(struct run *run, const struct kt_func *func, const struct kt_op *op,
		    uint32_t n_tiles, uint32_t *owner)
{
	struct kt_check c = {
		.mod = run->mod, .src = &run->mod->src, .opts = &run->opts, .rep = run->rep,
		.arena = run->out->arena, .scratch = &run->scratch, .n_tiles = n_tiles,
		.owner = owner, .members = run->members, .spare = run->spare, .op = op,
	};
	int ret;

	if (op->kind == KT_OP_PRODUCE)
		ret = check_produce(run, &c, func);
	else
		ret = check_delivery(run, &c, func);
	run->members = c.members;
	run->spare = c.spare;
	if (run->scratch.used > SCRATCH_BYTES)
		kt_arena_fini(&run->scratch);
	if (ret != -E2BIG)
		return ret;
	kt_diag(run->rep, c.src, op->name_at, KT_K3, KTDEV_ERROR,
		"the sets up to here name more than %u tiles", KT_MAX_MEMBERS);
	return -EINVAL;
}

static int check_func(struct run *run, const struct kt_func *func, const struct ops *ops)
{
	uint32_t i, n_tiles, *owner;
	int ret;

	n_tiles = kt_func_tiles(&run->mod->src, func, &run->opts, run->rep);
	if (!n_tiles)
		return 0;
	if (n_tiles > run->out->n_tiles)
		run->out->n_tiles = n_tiles;
	owner = kt_alloc(run->out->arena, n_tiles * sizeof(*owner));
	if (!owner)
		return -ENOMEM;
	for (i = 0; i < ops->n; i++) {
		ret = check_op(run, func, ops->op[i], n_tiles, owner);
		if (ret)
			return ret;
	}
	return 0;
}

static bool wanted(const struct run *run, const struct kt_func *func)
{
	return !run->opts.func || !strcmp(run->opts.func, func->name);
}

static int allocate(struct run *run, const struct ops *ops)
{
	struct kt_arena *a = run->out->arena;

	run->n_produced = 0;
	run->produced = kt_alloc(a, ops->n_produce * sizeof(*run->produced));
	run->out->deliveries = kt_alloc(a, ops->n_delivery * sizeof(*run->out->deliveries));
	return run->produced && run->out->deliveries ? 0 : -ENOMEM;
}

/* Functions @from to @to - 1 that are wanted. */
static int check_funcs(struct run *run, uint32_t from, uint32_t to)
{
	struct ops all = { 0 }, ops;
	const struct kt_op **list;
	uint32_t i;
	int ret;

	for (i = from; i < to; i++)
		if (wanted(run, run->mod->funcs[i]))
			kt_region_walk(&run->mod->funcs[i]->body, collect_op, &all);
	list = kt_alloc(run->out->arena, all.n * sizeof(*list));
	ret = list ? allocate(run, &all) : -ENOMEM;
	for (i = from; !ret && i < to; i++) {
		const struct kt_func *func = run->mod->funcs[i];

		if (!wanted(run, func))
			continue;
		ops = (struct ops){ .op = list };
		kt_region_walk(&func->body, collect_op, &ops);
		ret = check_func(run, func, &ops);
	}
	return ret;
}

static bool any_wanted(const struct run *run)
{
	uint32_t i;

	for (i = 0; run->opts.func && i < run->mod->n_funcs; i++)
		if (wanted(run, run->mod->funcs[i]))
			return true;
	return !run->opts.func;
}

/* A declared stick that fits no partial was meant for something else. */
static void check_sticks(const struct run *run)
{
	uint32_t i;

	for (i = 0; i < run->opts.n_sticks && run->first; i++) {
		const struct ktdev_stick *s = &run->opts.sticks[i];

		if (!(run->sticks_used >> i & 1))
			kt_diag(run->rep, &run->mod->src, run->first->name_at, KT_K6, KTDEV_ERROR,
				"the declared stick of %u lanes on axis %u fits no partial: a stick is %d bytes",
				s->lanes, s->axis, KTE_STICK_BYTES);
	}
}

static int begin(struct run *run, const struct ktdev_module *mod,
		 const struct ktdev_verify_opts *opts, struct ktdev_report *rep)
{
	int ret;

	memset(run, 0, sizeof(*run));
	run->mod = mod;
	run->rep = rep;
	run->spare = KT_SPARE_MEMBERS;
	ret = read_opts(opts, &run->opts);
	if (ret)
		return ret;
	return any_wanted(run) ? 0 : -ENOENT;
}

int kt_check_module(const struct ktdev_module *mod, const struct ktdev_verify_opts *opts,
		    struct ktdev_report *rep, struct kt_arena *a, struct kt_checked *out)
{
	size_t errors = ktdev_report_total(rep, KTDEV_ERROR);
	struct run run;
	int ret;

	*out = (struct kt_checked){ .arena = a, .mod = mod };
	ret = begin(&run, mod, opts, rep);
	if (ret)
		return ret;
	run.out = out;
	ret = check_funcs(&run, 0, mod->n_funcs);
	kt_arena_fini(&run.scratch);
	if (!ret)
		check_sticks(&run);
	if (ret)
		return ret;
	return ktdev_report_total(rep, KTDEV_ERROR) != errors ? -EINVAL : 0;
}

/* --- entry points ------------------------------------------------------------------- */

/* A function is resolved for its valid deliveries; the others are passed over there. */
static bool resolvable(const struct kt_checked *chk)
{
	unsigned int i;

	for (i = 0; i < chk->n_deliveries; i++)
		if (chk->deliveries[i].valid)
			return true;
	return false;
}

/* Functions one by one, so that memory is that of the largest. */
static int verify_func(struct run *run, uint32_t i)
{
	struct kt_arena a = { 0 };
	struct kt_checked chk = { .arena = &a, .mod = run->mod };
	struct kt_program prog;
	int ret;

	run->out = &chk;
	run->members = 0;
	ret = check_funcs(run, i, i + 1);
	if (!ret && resolvable(&chk)) {
		ret = kt_resolve(&chk, run->mod->funcs[i], run->rep, &a, &prog);
		if (ret != -ENOMEM)	/* its findings are in the report */
			ret = 0;
	}
	kt_arena_fini(&a);
	return ret;
}

int ktdev_verify(const struct ktdev_module *mod, const struct ktdev_verify_opts *opts,
		 struct ktdev_report *rep)
{
	size_t errors = ktdev_report_total(rep, KTDEV_ERROR);
	struct run run;
	uint32_t i;
	int ret;

	ret = begin(&run, mod, opts, rep);
	for (i = 0; !ret && i < mod->n_funcs; i++) {
		if (wanted(&run, mod->funcs[i]))
			ret = verify_func(&run, i);
		if (ret == -EINVAL)	/* it names too many tiles, and says so */
			ret = 0;
	}
	kt_arena_fini(&run.scratch);
	if (ret)
		return ret;
	check_sticks(&run);
	return ktdev_report_total(rep, KTDEV_ERROR) != errors ? -EINVAL : 0;
}

size_t ktdev_module_ops(const struct ktdev_module *mod)
{
	const struct kt_op_index *index = kt_module_index(mod);

	return index ? index->n : 0;
}

/* The sets of one delivery, without judging anything. */
static int op_info(const struct ktdev_module *mod, const struct ktdev_verify_opts *opts,
		   const struct kt_op_entry *e, struct kt_arena *a, struct ktdev_report *rep,
		   struct ktdev_op_info *out)
{
	struct kt_produced p = { .func = e->func };
	struct kt_delivery d = { .func = e->func };
	struct kt_check c = {
		.mod = mod, .src = &mod->src, .opts = opts, .rep = rep, .arena = a, .scratch = a,
		.op = kt_delivery_produce(e->op),
		.n_tiles = kt_func_tiles(&mod->src, e->func, opts, rep),
	};
	int ret;

	if (!c.op || !c.n_tiles)
		return 0;
	ret = kt_facts_produce(&c, &p);
	if (ret)
		return ret;
	c.op = e->op;
	c.prod = &p;
	c.d = &d;
	ret = kt_facts_delivery(&c);
	if (ret || !d.n_groups)
		return ret;
	out->groups = d.n_groups;
	out->C = d.groups[0].consumers.n;
	out->P = d.groups[0].deps && out->C ? d.groups[0].deps[0].n : d.groups[0].producers.n;
	return 0;
}

int ktdev_module_op(const struct ktdev_module *mod, const struct ktdev_verify_opts *opts,
		    size_t i, struct ktdev_op_info *out)
{
	const struct kt_op_index *index = kt_module_index(mod);
	struct ktdev_verify_opts o;
	struct ktdev_report *rep;
	struct kt_arena a = { 0 };
	struct ktdev_range r;
	int ret = read_opts(opts, &o);

	if (ret)
		return ret;
	if (!index)
		return -ENOMEM;
	if (i >= index->n)
		return -ENOENT;
	rep = ktdev_report_new();	/* for what is not told here */
	if (!rep)
		return -ENOMEM;
	r = kt_source_range(&mod->src, index->e[i].op->name_at);
	*out = (struct ktdev_op_info){
		.op = kt_op_short_name(index->e[i].op->kind), .func = index->e[i].func->name,
		.line = r.line, .col = r.col,
	};
	ret = op_info(mod, &o, &index->e[i], &a, rep, out);
	kt_arena_fini(&a);
	ktdev_report_free(rep);
	return ret == -E2BIG ? 0 : ret;
}
