// SPDX-License-Identifier: MIT
/*
 * KTIR text: reading ends in a module or in errors, and everything a module holds can be
 * looked at.
 */
#include "fuzz.h"
#include "module.h"

#define MAX_TEXT	65536

struct looker {
	const struct ktdev_module *mod;
	struct kt_arena arena;
	unsigned int sets;
};

static void look_at_set(struct looker *l, const struct kt_set *s)
{
	int64_t lo[KT_SET_MAX_DIMS], hi[KT_SET_MAX_DIMS], syms[3], outside, *ids;
	struct kt_tiles t;
	uint32_t n, i;
	bool flag, in;

	/* every evaluation is bounded, but a file may name one set often */
	if (l->sets++ > 8)
		return;
	for (i = 0; i < 3; i++) {
		enum kt_set_status st;
		uint32_t j;

		syms[0] = (int64_t)i * 3 - 1;
		syms[1] = i;
		syms[2] = INT64_MAX - i;
		st = kt_set_tiles(s, syms, 3, 32, &l->arena, &t, &flag, &outside);
		for (j = 0; (st == KT_SET_OK || st == KT_SET_OUTSIDE) && j < t.n; j++) {
			int64_t x = t.ids[j];

			FUZZ_HOLDS(t.ids[j] < 32 && (!j || t.ids[j] > t.ids[j - 1]));
			FUZZ_HOLDS(kt_tiles_index(&t, t.ids[j]) == j);
			if (!s->enumerated && s->n_dims == 1)
				FUZZ_HOLDS(kt_set_contains(s, &x, syms, &in) != KT_SET_OK || in);
		}
		FUZZ_HOLDS(st != KT_SET_OUTSIDE || outside < 0 || outside >= 32);
	}
	if (kt_set_members(s, 1000, &l->arena, &ids, &n) == KT_SET_OK)
		for (i = 1; i < n; i++)
			FUZZ_HOLDS(ids[i] > ids[i - 1]);
	kt_set_box(s, lo, hi, &flag);
	FUZZ_HOLDS(kt_set_equal(s, s));
	FUZZ_HOLDS(kt_set_text(&l->arena, s));
}

static void look_at_type(struct looker *l, const struct kt_type *t)
{
	if (!t)
		return;
	FUZZ_HOLDS(kt_type_text(&l->arena, t));
	FUZZ_HOLDS(kt_type_equal(t, t));
	if (t->kind == KT_TY_FUTURE && t->groups)
		look_at_set(l, t->groups);
}

static void look_at_attr(struct looker *l, const struct kt_attr *at)
{
	unsigned int i;

	look_at_type(l, at->type);
	if (at->kind == KT_AT_SET)
		look_at_set(l, at->set);
	if (at->kind == KT_AT_STRING || at->kind == KT_AT_SYMBOL || at->kind == KT_AT_OPAQUE)
		FUZZ_HOLDS(at->s);
	for (i = 0; i < at->n; i++)
		look_at_attr(l, &at->elems[i]);
}

static void look_at_value(struct looker *l, const struct kt_value *v)
{
	unsigned int i;

	FUZZ_HOLDS(v->name);
	look_at_type(l, v->type);
	for (i = 0; i < v->n_uses; i++) {
		const struct kt_op *op = v->uses[i].op;
		unsigned int k = v->uses[i].operand;

		if (k < op->n_operands)
			FUZZ_HOLDS(op->operands[k].value == v);
		else
			FUZZ_HOLDS(kt_op_is_inter_tile(op) &&
				   op->identity[k - op->n_operands].value == v);
	}
}

static void look_at_list(const struct kt_index_list *list)
{
	unsigned int i;

	for (i = 0; i < list->n; i++)
		FUZZ_HOLDS(!list->e[i].dynamic || list->e[i].v);
}

static void look_at_fields(struct looker *l, const struct kt_op *op)
{
	unsigned int i;

	if (kt_op_is_inter_tile(op)) {
		FUZZ_HOLDS(!op->n_identity || op->identity_types);
		for (i = 0; i < op->n_identity; i++)
			look_at_type(l, op->identity_types[i]);
		FUZZ_HOLDS(op->kind == KT_OP_PRODUCE || op->n_operands == 1);
		FUZZ_HOLDS(op->n_results >= 1);
	} else if (op->kind == KT_OP_MEMORY_VIEW || op->kind == KT_OP_ACCESS_TILE ||
		   op->kind == KT_OP_EXTRACT_SLICE) {
		FUZZ_HOLDS(op->n_operands && op->n_results == 1 && op->results[0]->type);
		look_at_list(&op->sizes);
		look_at_list(&op->strides);
		look_at_list(&op->offsets);
	} else if (op->kind == KT_OP_FOR) {
		FUZZ_HOLDS(op->n_regions >= 1);
	}
}

static int look_at_op(const struct kt_op *op, void *ctx)
{
	struct looker *l = ctx;
	unsigned int i, j, k;

	FUZZ_HOLDS(op->name && op->parent && op->at.end <= l->mod->src.len);
	FUZZ_HOLDS(op->at.off <= op->name_at.off && op->name_at.end <= op->at.end);
	for (i = 0; i < op->n_operands; i++)
		FUZZ_HOLDS(op->operands[i].value && op->operands[i].value->n_uses);
	for (i = 0; i < op->n_results; i++) {
		FUZZ_HOLDS(op->results[i]->def == op && op->results[i]->index == i);
		look_at_value(l, op->results[i]);
	}
	for (i = 0; i < op->n_attrs; i++)
		look_at_attr(l, &op->attrs[i]);
	for (i = 0; i < op->n_types; i++)
		look_at_type(l, op->types[i]);
	look_at_fields(l, op);
	for (i = 0; i < op->n_regions; i++) {
		for (j = 0; j < op->regions[i].n_blocks; j++) {
			const struct kt_block *b = &op->regions[i].blocks[j];

			FUZZ_HOLDS(b->parent_op == op);
			FUZZ_HOLDS(!b->first || b->first->parent == b);
			for (k = 0; k < b->n_args; k++) {
				FUZZ_HOLDS(b->args[k]->block == b);
				look_at_value(l, b->args[k]);
			}
		}
	}
	return 0;
}

static void look_at_report(const struct ktdev_report *rep)
{
	size_t i;

	for (i = 0; i < ktdev_report_count(rep); i++) {
		const struct ktdev_diag *d = ktdev_report_get(rep, i);

		FUZZ_HOLDS(d->message && d->range.line && d->range.col && d->range.end_line);
		FUZZ_HOLDS(d->severity == KTDEV_ERROR || d->severity == KTDEV_NOTE);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ktdev_report *rep = ktdev_report_new();
	struct looker l = { NULL, { 0 }, 0 };
	struct ktdev_module *mod;
	unsigned int i, j;
	int err;

	if (size > MAX_TEXT) {
		ktdev_report_free(rep);
		return 0;
	}
	err = ktdev_module_parse("fuzz", (const char *)data, size, rep, &mod);
	FUZZ_HOLDS(err == 0 || err == -22);
	FUZZ_HOLDS(!err == !ktdev_report_total(rep, KTDEV_ERROR) && !err == (mod != NULL));
	ktdev_report_sort(rep);
	look_at_report(rep);
	l.mod = mod;
	for (i = 0; mod && i < mod->n_funcs; i++) {
		const struct kt_func *f = mod->funcs[i];

		FUZZ_HOLDS(f->name && f->body.n_blocks);
		for (j = 0; j < f->n_attrs; j++)
			look_at_attr(&l, &f->attrs[j]);
		kt_region_walk(&f->body, look_at_op, &l);
	}
	kt_arena_fini(&l.arena);
	ktdev_module_free(mod);
	ktdev_report_free(rep);
	return 0;
}
