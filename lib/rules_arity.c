// SPDX-License-Identifier: MIT
/*
 * K6: the parts of an op agree with one another - sets with their attributes, region
 * arguments, yields, identities and results with the future.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rules.h"

static void k6_error(struct kt_check *c, struct kt_range at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void k6_error(struct kt_check *c, struct kt_range at, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	kt_diag(c->rep, c->src, at, KT_K6, KTDEV_ERROR, "%s", text);
}

static const char *text_of(struct kt_check *c, const struct kt_type *t)
{
	const char *s = t ? kt_type_text(c->scratch, t) : NULL;

	return s ? s : "no type";
}

static const char *plural(unsigned int n)
{
	return n == 1 ? "" : "s";
}

/* --- sets --------------------------------------------------------------------------- */

static void tile_set_form(struct kt_check *c, const char *name, const struct kt_set_fact *f,
			  bool required, const char *wants)
{
	const struct kt_attr *attr = kt_op_attr(c->op, name);

	if (!attr && required)
		k6_error(c, c->op->name_at, "%s needs %s", kt_op_short_name(c->op->kind), name);
	else if (attr && !f->set)
		k6_error(c, attr->at, "%s is a set", name);
	else if (attr && !f->well_formed)
		k6_error(c, attr->at, "%s takes %s, this set has %u and %u", name, wants,
			 f->set->n_dims, f->set->n_syms);
}

/* --- produce ------------------------------------------------------------------------ */

static void partial_type(struct kt_check *c, const struct kt_type *t)
{
	struct kt_range at = kt_type_at(t, c->op);
	unsigned int k;

	if (t->kind != KT_TY_TENSOR) {
		k6_error(c, at, "a partial is a ranked tensor");
		return;
	}
	for (k = 0; k < t->rank; k++) {
		if (t->shape[k] >= 1)
			continue;
		k6_error(c, at,
			 "axis %u of a partial has %s extent, it must be static and at least 1",
			 k, t->shape[k] < 0 ? "a dynamic" : "a zero");
		return;
	}
	if (t->elem_name && !strcmp(t->elem_name, "index"))
		return;
	if (!t->elem_bits || t->elem_bits % 8 || t->elem_bits > 8 * KTE_MAX_ELEM_BYTES)
		kt_diag(c->rep, c->src, at, KT_K6, KTDEV_UNSUPPORTED,
			"elements of %s are moved only in 1 to %d whole bytes",
			text_of(c, t), KTE_MAX_ELEM_BYTES);
}

static void future_type(struct kt_check *c)
{
	const struct kt_produced *p = c->prod;
	unsigned int i;

	if (c->op->n_results != 1) {
		k6_error(c, c->op->name_at, "produce has %u results, it returns one future",
			 c->op->n_results);
		return;
	}
	if (!p->future) {
		k6_error(c, c->op->name_at, "produce must return a !ktdp.tile_future");
		return;
	}
	if (!p->n_partials)
		k6_error(c, kt_type_at(p->future, c->op), "the future carries no partial type");
	for (i = 0; i < p->n_partials; i++)
		partial_type(c, p->partials[i]);
	if (!p->groups.set)
		k6_error(c, kt_type_at(p->future, c->op), "the future carries no groups set");
	else if (!p->groups.well_formed)
		k6_error(c, p->groups.at,
			 "groups takes one dimension and no symbol, this set has %u and %u",
			 p->groups.set->n_dims, p->groups.set->n_syms);
}

/* Operands of a yield against the types they must have. */
static void yield_types(struct kt_check *c, const struct kt_op *y, unsigned int n,
			const struct kt_type *const *want)
{
	unsigned int i;

	if (y->n_operands != n) {
		k6_error(c, y->name_at, "%u value%s yielded, the future has %u partial type%s",
			 y->n_operands, plural(y->n_operands), n, plural(n));
		return;
	}
	for (i = 0; i < n; i++) {
		const struct kt_type *said = i < y->n_types ? y->types[i] : NULL;
		const struct kt_type *is = y->operands[i].value ? y->operands[i].value->type : NULL;

		if (said && !kt_type_equal(said, want[i]))
			k6_error(c, kt_type_at(said, y),
				 "value %u is yielded as %s, the partial type is %s",
				 i, text_of(c, said), text_of(c, want[i]));
		else if (is && !kt_type_equal(is, want[i]))
			k6_error(c, y->operands[i].at,
				 "value %u has type %s, the partial type is %s",
				 i, text_of(c, is), text_of(c, want[i]));
	}
	if (y->n_types && y->n_types != n)
		k6_error(c, y->name_at, "%u value%s yielded with %u type%s", n, plural(n),
			 y->n_types, plural(y->n_types));
}

static void producer_region(struct kt_check *c)
{
	const struct kt_produced *p = c->prod;
	const struct kt_op *op = c->op, *y = kt_region_yield(op, KT_OP_YIELD_PARTIAL);
	const struct kt_block *b;

	if (op->n_regions != 1 || op->regions[0].n_blocks != 1) {
		k6_error(c, op->name_at, "produce has one region of one block");
		return;
	}
	b = &op->regions[0].blocks[0];
	if (b->n_args != 1)
		k6_error(c, b->n_args > 1 ? b->args[1]->at : op->name_at,
			 "the producer region takes the group as its only argument, it has %u",
			 b->n_args);
	else if (b->args[0]->type && b->args[0]->type->kind != KT_TY_INDEX)
		k6_error(c, kt_type_at(b->args[0]->type, op),
			 "the argument of the producer region is an index");
	if (!y)
		k6_error(c, b->last ? b->last->name_at : op->name_at,
			 "the producer region must end in ktdp.yield_partial");
	else if (p->future)
		yield_types(c, y, p->n_partials, p->partials);
}

static void trailing_types(struct kt_check *c)
{
	const struct kt_produced *p = c->prod;
	const struct kt_op *op = c->op;
	unsigned int i;

	if (!op->n_types || !p->future)
		return;
	if (op->n_types != p->n_partials) {
		k6_error(c, kt_type_at(op->types[0], op), "%u type%s listed, the future has %u",
			 op->n_types, plural(op->n_types), p->n_partials);
		return;
	}
	for (i = 0; i < op->n_types; i++)
		if (!kt_type_equal(op->types[i], p->partials[i]))
			k6_error(c, kt_type_at(op->types[i], op),
				 "type %u is listed as %s, in the future it is %s", i,
				 text_of(c, op->types[i]), text_of(c, p->partials[i]));
}

/* A name that can only be a slip of one of the op's own. */
static bool like_own(const char *name)
{
	static const char *const words[] = { "producer", "consumer", "dependency", "_dim" };
	unsigned int i;

	for (i = 0; i < KT_ARRAY_SIZE(words); i++)
		if (strstr(name, words[i]))
			return !strchr(name, '.');
	return false;
}

/* A set or list under a misspelt name would be passed over: everything else in braces may be. */
static void unknown_parts(struct kt_check *c)
{
	static const char *const own[] = {
		"gather_dimensions", "scatter_dimensions", "split_dimensions",
		"concat_dimensions", "producer_dependency_per_consumer",
		"producer_tiles_per_group", "consumer_tiles_per_group",
	};
	unsigned int i, k;

	for (i = 0; i < c->op->n_attrs; i++) {
		const struct kt_attr *at = &c->op->attrs[i];

		for (k = 0; k < KT_ARRAY_SIZE(own) && strcmp(at->name, own[k]); k++)
			;
		if (k == KT_ARRAY_SIZE(own) && (at->bare || like_own(at->name)))
			k6_error(c, at->name_at, "%s takes no %.60s",
				 kt_op_short_name(c->op->kind), at->name);
	}
}

static void k6_produce(struct kt_check *c)
{
	unknown_parts(c);
	tile_set_form(c, "producer_tiles_per_group", &c->prod->tiles, true,
		      "one dimension and one symbol");
	future_type(c);
	trailing_types(c);
	producer_region(c);
}

/* --- deliveries --------------------------------------------------------------------- */

/* The type in front of -> repeats the future's. */
static void declared_future(struct kt_check *c)
{
	const struct kt_type *said = c->op->fn_in, *is = c->prod->future;
	struct kt_diag *d;
	unsigned int i;

	if (!said || !is || said == is)
		return;
	if (said->kind != KT_TY_FUTURE) {
		k6_error(c, kt_type_at(said, c->op), "the operand type must be a tile future");
		return;
	}
	if (said->n_partials != is->n_partials) {
		k6_error(c, kt_type_at(said, c->op), "%u partial type%s here, the future has %u",
			 said->n_partials, plural(said->n_partials), is->n_partials);
		return;
	}
	for (i = 0; i < is->n_partials; i++) {
		const struct kt_type *a = said->partials[i], *b = is->partials[i];

		if (kt_type_equal(a, b))
			continue;
		d = kt_diag(c->rep, c->src, kt_type_at(a, c->op), KT_K6, KTDEV_ERROR,
			    "partial type %u is %s here, %s in the future", i, text_of(c, a),
			    text_of(c, b));
		kt_diag_note(d, c->src, kt_type_at(b, c->prod->op), "the future is produced here");
		kt_diag_fixit(d, c->src, kt_type_at(a, c->op), text_of(c, b), "repeat it");
	}
	if (said->groups && is->groups && said->groups != is->groups &&
	    !kt_set_equal(said->groups, is->groups)) {
		d = kt_diag(c->rep, c->src, said->groups->at, KT_K6, KTDEV_ERROR,
			    "the groups set differs from that of the future");
		kt_diag_note(d, c->src, is->groups->at, "the future has this one");
	}
}

static void result_type(struct kt_check *c, const struct kt_role *r)
{
	const struct kt_type *tp = r->partial, *tr = r->result;
	struct kt_range at = kt_type_at(tr, c->op);
	bool replicate = !kt_kind_splits(c->op->kind) && !kt_kind_concats(c->op->kind);
	struct kt_diag *d;
	unsigned int k;

	if (!tr || tr->kind != KT_TY_TENSOR) {
		k6_error(c, at, "a result is a ranked tensor");
		return;
	}
	if (tp->kind != KT_TY_TENSOR)
		return;
	if (tr->rank != tp->rank) {
		k6_error(c, at,
			 "the result has rank %u, the partial type %s has rank %u: a delivery keeps it",
			 tr->rank, text_of(c, tp), tp->rank);
		return;
	}
	for (k = 0; k < tr->rank; k++)
		if (tr->shape[k] < 1 && tp->shape[k] >= 1)
			break;
	if (k < tr->rank) {
		k6_error(c, at, "axis %u of the result has no static extent", k);
		return;
	}
	if (tp->elem_bits != tr->elem_bits ||
	    (tp->elem_name && tr->elem_name && strcmp(tp->elem_name, tr->elem_name)))
		k6_error(c, at, "the result has elements of %s, the partial type of %s",
			 tr->elem_name, tp->elem_name);
	else if (replicate && memcmp(tp->shape, tr->shape, tp->rank * sizeof(tp->shape[0]))) {
		d = kt_diag(c->rep, c->src, at, KT_K6, KTDEV_ERROR,
			    "the result of %s has the partial type %s",
			    kt_op_short_name(c->op->kind), text_of(c, tp));
		kt_diag_fixit(d, c->src, at, text_of(c, tp), "use the partial type");
	}
}

static void combiner_region(struct kt_check *c)
{
	const struct kt_produced *p = c->prod;
	const struct kt_op *op = c->op, *y = kt_region_yield(op, KT_OP_YIELD_REDUCED);
	const struct kt_block *b;
	unsigned int i;

	if (op->n_regions != 1 || op->regions[0].n_blocks != 1) {
		k6_error(c, op->name_at, "%s has one combiner region of one block",
			 kt_op_short_name(op->kind));
		return;
	}
	b = &op->regions[0].blocks[0];
	if (b->n_args != 2 * p->n_partials)
		k6_error(c, b->n_args ? b->args[0]->at : op->name_at,
			 "the combiner has %u argument%s, %u partial type%s take %u", b->n_args,
			 plural(b->n_args), p->n_partials, plural(p->n_partials),
			 2 * p->n_partials);
	for (i = 0; b->n_args == 2 * p->n_partials && i < b->n_args; i++) {
		const struct kt_type *want = p->partials[i % p->n_partials];
		const struct kt_type *is = b->args[i]->type;

		if (is && !kt_type_equal(is, want))
			k6_error(c, kt_type_at(is, op),
				 "argument %u of the combiner has type %s, the partial type is %s",
				 i, text_of(c, is), text_of(c, want));
	}
	if (!y)
		k6_error(c, b->last ? b->last->name_at : op->name_at,
			 "the combiner must end in ktdp.yield_reduced");
	else
		yield_types(c, y, p->n_partials, p->partials);
}

static void fold_parts(struct kt_check *c)
{
	const struct kt_op *op = c->op;
	unsigned int n = c->prod->n_partials;

	if (op->n_identity != n)
		k6_error(c, op->n_identity ? op->identity_at : op->name_at,
			 "%s has %u identit%s for %u partial type%s", kt_op_short_name(op->kind),
			 op->n_identity, op->n_identity == 1 ? "y" : "ies", n, plural(n));
	combiner_region(c);
}

/* Parts only other ops take. */
static void stray_parts(struct kt_check *c)
{
	static const char *const lists[] = {
		"gather_dimensions", "scatter_dimensions", "split_dimensions",
		"concat_dimensions", "producer_dependency_per_consumer",
		"producer_tiles_per_group",
	};
	const struct kt_op *op = c->op;
	const char *name = kt_op_short_name(op->kind);
	unsigned int i;

	for (i = 0; i < KT_ARRAY_SIZE(lists); i++) {
		const struct kt_attr *attr = kt_op_attr(op, lists[i]);
		bool takes = (c->concat.wanted && !strcmp(lists[i], c->concat.name)) ||
			     (c->split.wanted && !strcmp(lists[i], c->split.name)) ||
			     (i == 4 && op->kind != KT_OP_SCATTER);

		if (attr && !takes)
			k6_error(c, attr->name_at, "%s takes no %s", name, lists[i]);
	}
	if (!kt_kind_folds(op->kind) && op->n_identity)
		k6_error(c, op->identity_at, "%s takes no identity", name);
	if (!kt_kind_folds(op->kind) && op->n_regions)
		k6_error(c, op->regions[0].at, "%s takes no region", name);
}

static void k6_delivery(struct kt_check *c)
{
	const struct kt_op *op = c->op;
	unsigned int i;

	unknown_parts(c);
	tile_set_form(c, "consumer_tiles_per_group", &c->consumers, true,
		      "one dimension and one symbol");
	if (op->kind != KT_OP_SCATTER)
		tile_set_form(c, "producer_dependency_per_consumer", &c->deps, false,
			      "one dimension and one symbol (the consumer) or two (consumer, group)");
	stray_parts(c);
	if (!c->prod) {
		k6_error(c, op->n_operands ? op->operands[0].at : op->name_at,
			 "%s delivers the future of an inter_tile_produce of this function",
			 kt_op_short_name(op->kind));
		return;
	}
	declared_future(c);
	if (!c->prod->future)
		return;
	if (op->n_results != c->d->n_roles)
		k6_error(c, op->name_at, "%u result%s for %u partial type%s", op->n_results,
			 plural(op->n_results), c->d->n_roles, plural(c->d->n_roles));
	for (i = 0; i < c->d->n_roles && i < op->n_results; i++)
		result_type(c, &c->d->roles[i]);
	if (c->d->fold)
		fold_parts(c);
}

void kt_rule_k6(struct kt_check *c)
{
	if (c->d)
		k6_delivery(c);
	else
		k6_produce(c);
}
