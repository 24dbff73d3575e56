// SPDX-License-Identifier: MIT
/*
 * Looking around in a parsed module.
 */
#include <stdlib.h>
#include <string.h>

#include "module.h"

const struct kt_attr *kt_op_attr(const struct kt_op *op, const char *name)
{
	unsigned int i;

	for (i = 0; i < op->n_attrs; i++)
		if (!strcmp(op->attrs[i].name, name))
			return &op->attrs[i];
	return NULL;
}

/* Behind a member of struct kt_op. */
#define UP_TO(member)	(offsetof(struct kt_op, member) + sizeof(((struct kt_op *)0)->member))

size_t kt_op_size(enum kt_op_kind kind)
{
	switch (kind) {
	case KT_OP_PRODUCE:
	case KT_OP_CONSUME:
	case KT_OP_REDUCE:
	case KT_OP_REDUCE_SCATTER:
	case KT_OP_GATHER:
	case KT_OP_ALL_TO_ALL:
	case KT_OP_SCATTER:
		return UP_TO(identity_at);
	case KT_OP_MEMORY_VIEW:
		return UP_TO(ct_id_present);
	case KT_OP_ACCESS_TILE:
	case KT_OP_EXTRACT_SLICE:
		return UP_TO(offsets);
	case KT_OP_FOR:
		return UP_TO(step);
	default:
		return offsetof(struct kt_op, n_identity);
	}
}

bool kt_op_is_delivery(const struct kt_op *op)
{
	return op->kind >= KT_OP_CONSUME && op->kind <= KT_OP_SCATTER;
}

const struct kt_op *kt_delivery_produce(const struct kt_op *delivery)
{
	const struct kt_op *def;

	if (!delivery->n_operands || !delivery->operands[0].value)
		return NULL;
	def = delivery->operands[0].value->def;
	return def && def->kind == KT_OP_PRODUCE ? def : NULL;
}

/* Regions nest at most as deep as the parser allows. */
int kt_region_walk(const struct kt_region *r, kt_walk_fn fn, void *ctx)
{
	const struct kt_op *op;
	unsigned int i, j;
	int err;

	for (i = 0; i < r->n_blocks; i++) {
		for (op = r->blocks[i].first; op; op = op->next) {
			err = fn(op, ctx);
			for (j = 0; !err && j < op->n_regions; j++)
				err = kt_region_walk(&op->regions[j], fn, ctx);
			if (err)
				return err;
		}
	}
	return 0;
}

static int count_delivery(const struct kt_op *op, void *ctx)
{
	size_t *n = ctx;

	*n += kt_op_is_delivery(op);
	return 0;
}

struct indexing {
	struct kt_op_index *index;
	const struct kt_func *func;
};

static int index_delivery(const struct kt_op *op, void *ctx)
{
	struct indexing *i = ctx;

	if (kt_op_is_delivery(op))
		i->index->e[i->index->n++] = (struct kt_op_entry){ op, i->func };
	return 0;
}

static struct kt_op_index *build_index(const struct ktdev_module *mod)
{
	struct indexing i = { NULL, NULL };
	unsigned int f;
	size_t n = 0;

	for (f = 0; f < mod->n_funcs; f++)
		kt_region_walk(&mod->funcs[f]->body, count_delivery, &n);
	i.index = malloc(sizeof(*i.index) + n * sizeof(i.index->e[0]));
	if (!i.index)
		return NULL;
	i.index->n = 0;
	for (f = 0; f < mod->n_funcs; f++) {
		i.func = mod->funcs[f];
		kt_region_walk(&i.func->body, index_delivery, &i);
	}
	return i.index;
}

const struct kt_op_index *kt_module_index(const struct ktdev_module *mod)
{
	/* a cache: threads that race build it twice and keep one */
	struct kt_op_index **slot = (struct kt_op_index **)&mod->index;
	struct kt_op_index *index = __atomic_load_n(slot, __ATOMIC_ACQUIRE), *none = NULL;

	if (index)
		return index;
	index = build_index(mod);
	if (!index)
		return NULL;
	if (__atomic_compare_exchange_n(slot, &none, index, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return index;
	free(index);
	return none;
}
