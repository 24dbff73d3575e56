// SPDX-License-Identifier: MIT
/*
 * Functions: their heads and bodies, grids, and who uses which value.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/* --- uses -------------------------------------------------------------------------- */

static void count_use(const struct kt_operand *o)
{
	if (o->value)
		((struct kt_value *)o->value)->n_uses++;
}

static int count_uses(const struct kt_op *op, void *ctx)
{
	unsigned int *total = ctx, n = kt_op_is_inter_tile(op) ? op->n_identity : 0, i;

	for (i = 0; i < op->n_operands; i++)
		count_use(&op->operands[i]);
	for (i = 0; i < n; i++)
		count_use(&op->identity[i]);
	*total += op->n_operands + n;
	return 0;
}

/* The first time a value is met, its n_uses is their number; then it counts again. */
static void add_use(struct kt_use **pool, const struct kt_op *op, const struct kt_operand *o,
		    unsigned int operand)
{
	struct kt_value *v = (struct kt_value *)o->value;

	if (!v)
		return;
	if (!v->uses) {
		v->uses = *pool;
		*pool += v->n_uses;
		v->n_uses = 0;
	}
	v->uses[v->n_uses++] = (struct kt_use){ op, operand };
}

static int add_uses(const struct kt_op *op, void *ctx)
{
	unsigned int n = kt_op_is_inter_tile(op) ? op->n_identity : 0, i;

	for (i = 0; i < op->n_operands; i++)
		add_use(ctx, op, &op->operands[i], i);
	for (i = 0; i < n; i++)
		add_use(ctx, op, &op->identity[i], op->n_operands + i);
	return 0;
}

/* Right behind its function, while that is in the cache. */
static bool find_uses(struct kt_parser *p, const struct kt_region *body)
{
	unsigned int total = 0;
	struct kt_use *pool;

	/* a file with errors becomes no module */
	if (p->n_errors)
		return true;
	kt_region_walk(body, count_uses, &total);
	pool = kt_parse_alloc(p, total * sizeof(*pool));
	if (pool)
		kt_region_walk(body, add_uses, &pool);
	return pool;
}

/* --- reading ----------------------------------------------------------------------- */

/* A function does not see the values around it. */
static size_t hide_values(struct kt_parser *p)
{
	size_t i, base = p->undo_base;

	for (i = base; i < p->n_undo; i++) {
		p->undo[i].hidden = p->undo[i].sym->values;
		p->undo[i].sym->values = NULL;
	}
	p->undo_base = p->n_undo;
	p->in_func++;
	return base;
}

static void show_values(struct kt_parser *p, size_t base)
{
	size_t i;

	kt_parse_forget(p, p->undo_base);
	for (i = base; i < p->n_undo; i++)
		p->undo[i].sym->values = p->undo[i].hidden;
	p->undo_base = base;
	p->in_func--;
}

bool kt_parse_grid(struct kt_parser *p, const struct kt_attr *attrs, unsigned int n,
		   struct kt_grid *out)
{
	unsigned int i, j;

	for (i = 0; i < n; i++) {
		const struct kt_attr *at = &attrs[i];

		if (strcmp(at->name, "grid") && strcmp(at->name, "ktdp.grid"))
			continue;
		if (at->kind != KT_AT_ARRAY || !at->n || at->n > KT_MAX_RANK)
			return kt_parse_error(p, at->at, "a grid is a list of 1 to %u extents",
					      KT_MAX_RANK);
		for (j = 0; j < at->n; j++) {
			const struct kt_attr *e = &at->elems[j];

			if (e->kind != KT_AT_INT || e->i < 1 || e->i > UINT32_MAX)
				return kt_parse_error(p, e->at, "a grid extent is a positive number");
			out->dims[j] = e->i;
		}
		out->n = at->n;
	}
	return true;
}

void kt_parse_set_grid(struct kt_func *f, const struct kt_grid *g)
{
	f->n_grid = g->n;
	memcpy(f->grid, g->dims, sizeof(f->grid));
}

static bool add_func(struct kt_parser *p, struct kt_func *f)
{
	if (p->n_funcs == p->cap_funcs) {
		size_t cap = p->cap_funcs ? p->cap_funcs * 2 : 16;
		struct kt_func **more = realloc(p->funcs, cap * sizeof(*more));

		if (!more) {
			p->err = -ENOMEM;
			p->stop = true;
			return false;
		}
		p->funcs = more;
		p->cap_funcs = cap;
	}
	p->funcs[p->n_funcs++] = f;
	return true;
}

/* @name, once per module */
static bool func_name(struct kt_parser *p, struct kt_func *f)
{
	struct kt_tok t = p->tok;
	struct kt_sym *sym;

	if (!kt_is(p, KT_T_AT))
		return kt_parse_expect(p, KT_T_AT);
	sym = kt_parse_sym(p);
	if (!sym)
		return false;
	f->name = sym->text[1] == '"' ? kt_parse_string(p, t) : sym->text + 1;
	f->name_at = kt_tok_range(t);
	kt_parse_advance(p);
	if (sym->scope == p->scope + 1)
		return kt_parse_error(p, f->name_at, "function '%.100s' is defined twice", f->name);
	sym->scope = p->scope + 1;
	return f->name;
}

/* -> T or -> (T {...}, ...) */
static bool func_results(struct kt_parser *p, struct kt_func *f)
{
	size_t mark = p->scratch_used;
	bool parens, ok = true;

	if (!kt_parse_accept(p, KT_T_ARROW))
		return true;
	parens = kt_parse_accept(p, '(');
	while (ok && !(parens && kt_is(p, ')'))) {
		const struct kt_type *t = kt_parse_type(p, KT_TY_OPAQUE);

		ok = t && kt_parse_push(p, &t, sizeof(t));
		if (ok && parens && kt_is(p, '{'))
			ok = kt_parse_skip_group(p);
		if (!ok || !parens || !kt_parse_accept(p, ','))
			break;
	}
	ok = ok && (!parens || kt_parse_expect(p, ')'));
	f->results = kt_parse_take(p, mark, sizeof(*f->results), &f->n_results);
	return ok && !p->stop;
}

static bool func_attributes(struct kt_parser *p, struct kt_func *f, const struct kt_grid *outer)
{
	struct kt_grid grid = *outer;
	size_t mark = p->scratch_used;
	bool ok;

	if (kt_parse_accept_word(p, "attributes")) {
		ok = kt_parse_dict(p);
		f->attrs = kt_parse_take(p, mark, sizeof(*f->attrs), &f->n_attrs);
		if (!ok || !kt_parse_grid(p, f->attrs, f->n_attrs, &grid))
			return false;
	}
	kt_parse_set_grid(f, &grid);
	return true;
}

/* A declaration's arguments may lack names: (tensor<4xf16>, ...) */
static bool func_args(struct kt_parser *p, struct kt_block *b)
{
	uint8_t next = kt_is(p, '(') ? kt_parse_peek(p).kind : 0;

	if (next && next != KT_T_VALUE && next != ')')
		return kt_parse_skip_group(p);
	return kt_parse_block_args(p, b);
}

static bool func_body(struct kt_parser *p, struct kt_func *f, struct kt_block *b)
{
	size_t base;
	bool ok;

	if (!kt_is(p, '{'))
		return true;
	base = hide_values(p);
	ok = kt_parse_region(p, NULL, &f->body, b->args, b->n_args);
	show_values(p, base);
	return ok && find_uses(p, &f->body) && add_func(p, f);
}

/* func.func [private] @name(...) -> ... attributes {...} { ... } */
bool kt_parse_func(struct kt_parser *p, uint32_t off)
{
	struct kt_func *f = kt_parse_alloc(p, sizeof(*f));
	struct kt_block head = { NULL, 0, NULL, NULL, NULL };

	if (!f)
		return false;
	if (!kt_parse_accept_word(p, "private") && !kt_parse_accept_word(p, "public"))
		kt_parse_accept_word(p, "nested");
	if (!func_name(p, f) || !func_args(p, &head) || !func_results(p, f) ||
	    !func_attributes(p, f, &p->grid) || !func_body(p, f, &head))
		return false;
	f->at = kt_since(p, off);
	return kt_parse_loc(p);
}

/* "func.func"() ({ ^bb0(%a: T): ... }) {sym_name = "f"} : () -> () */
bool kt_parse_generic_func(struct kt_parser *p, struct kt_op *op, uint32_t off)
{
	struct kt_func *f = kt_parse_alloc(p, sizeof(*f));
	const struct kt_attr *name;
	size_t base = hide_values(p);
	struct kt_grid grid = p->grid;
	unsigned int i;
	bool ok;

	ok = f && kt_parse_generic(p, op, KT_SYN_FUNC);
	show_values(p, base);
	if (!ok || !kt_parse_grid(p, op->attrs, op->n_attrs, &grid))
		return false;
	name = kt_op_attr(op, "sym_name");
	if (!name || name->kind != KT_AT_STRING || op->n_regions != 1)
		return kt_parse_error(p, op->name_at, "a function needs 'sym_name' and a region");
	f->name = name->s;
	f->name_at = name->at;
	f->body = op->regions[0];
	f->attrs = op->attrs;
	f->n_attrs = op->n_attrs;
	for (i = 0; i < f->body.n_blocks; i++)
		f->body.blocks[i].parent_op = NULL;
	kt_parse_set_grid(f, &grid);
	f->at = kt_since(p, off);
	/* a declaration has an empty region */
	if (f->body.n_blocks == 1 && !f->body.blocks[0].first)
		return true;
	return find_uses(p, &f->body) && add_func(p, f);
}
