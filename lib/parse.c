// SPDX-License-Identifier: MIT
/*
 * KTIR text to a module: the file, its modules and functions, and which reader an
 * operation has.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/* --- operations by name ------------------------------------------------------------ */

static const struct kt_op_info infos[] = {
	{ "ktdp.inter_tile_produce", KT_OP_PRODUCE, KT_SYN_INTER_TILE },
	{ "ktdp.inter_tile_consume", KT_OP_CONSUME, KT_SYN_INTER_TILE },
	{ "ktdp.inter_tile_reduce", KT_OP_REDUCE, KT_SYN_INTER_TILE },
	{ "ktdp.inter_tile_reduce_scatter", KT_OP_REDUCE_SCATTER, KT_SYN_INTER_TILE },
	{ "ktdp.inter_tile_gather", KT_OP_GATHER, KT_SYN_INTER_TILE },
	{ "ktdp.inter_tile_all_to_all", KT_OP_ALL_TO_ALL, KT_SYN_INTER_TILE },
	{ "ktdp.inter_tile_scatter", KT_OP_SCATTER, KT_SYN_INTER_TILE },
	{ "ktdp.yield_partial", KT_OP_YIELD_PARTIAL, KT_SYN_TERMINATOR },
	{ "ktdp.yield_reduced", KT_OP_YIELD_REDUCED, KT_SYN_TERMINATOR },
	{ "ktdp.get_compute_tile_id", KT_OP_TILE_ID, KT_SYN_TILE_ID },
	{ "ktdp.construct_memory_view", KT_OP_MEMORY_VIEW, KT_SYN_VIEW },
	{ "ktdp.construct_access_tile", KT_OP_ACCESS_TILE, KT_SYN_ACCESS },
	{ "ktdp.load", KT_OP_LOAD, KT_SYN_LOAD },
	{ "ktdp.store", KT_OP_STORE, KT_SYN_STORE },
	{ "tensor.extract_slice", KT_OP_EXTRACT_SLICE, KT_SYN_SLICE },
	{ "arith.constant", KT_OP_CONSTANT, KT_SYN_CONSTANT },
	{ "index.constant", KT_OP_CONSTANT, KT_SYN_CONSTANT },
	{ "index.bool.constant", KT_OP_CONSTANT, KT_SYN_CONSTANT },
	{ "affine.apply", KT_OP_ARITH, KT_SYN_APPLY },
	{ "scf.for", KT_OP_FOR, KT_SYN_FOR },
	{ "affine.for", KT_OP_FOR, KT_SYN_AFFINE_FOR },
	{ "scf.if", KT_OP_IF, KT_SYN_IF },
	{ "scf.yield", KT_OP_SCF_YIELD, KT_SYN_TERMINATOR },
	{ "affine.yield", KT_OP_SCF_YIELD, KT_SYN_TERMINATOR },
	{ "linalg.yield", KT_OP_OTHER, KT_SYN_TERMINATOR },
	{ "tensor.yield", KT_OP_OTHER, KT_SYN_TERMINATOR },
	{ "return", KT_OP_RETURN, KT_SYN_TERMINATOR },
	{ "func.return", KT_OP_RETURN, KT_SYN_TERMINATOR },
	{ "call", KT_OP_CALL, KT_SYN_CALL },
	{ "func.call", KT_OP_CALL, KT_SYN_CALL },
	{ "func", KT_OP_OTHER, KT_SYN_FUNC },
	{ "func.func", KT_OP_OTHER, KT_SYN_FUNC },
	{ "module", KT_OP_OTHER, KT_SYN_MODULE },
	{ "builtin.module", KT_OP_OTHER, KT_SYN_MODULE },
};

static const struct kt_op_info info_arith = { "arith", KT_OP_ARITH, KT_SYN_ARITH };
static const struct kt_op_info info_other = { "other", KT_OP_OTHER, KT_SYN_OTHER };

static const struct kt_op_info *find_info(const struct kt_sym *sym)
{
	unsigned int i;

	for (i = 0; i < sizeof(infos) / sizeof(infos[0]); i++)
		if (!strcmp(infos[i].name, sym->text))
			return &infos[i];
	if (!strncmp(sym->text, "arith.", 6) || !strncmp(sym->text, "index.", 6))
		return &info_arith;
	return &info_other;
}

static bool custom_form(struct kt_parser *p, struct kt_op *op, enum kt_syntax syntax)
{
	switch (syntax) {
	case KT_SYN_INTER_TILE:
		return kt_parse_inter_tile(p, op);
	case KT_SYN_TERMINATOR:
		return kt_parse_terminator(p, op);
	case KT_SYN_TILE_ID:
		return kt_parse_tile_id(p, op);
	case KT_SYN_VIEW:
		return kt_parse_view(p, op);
	case KT_SYN_ACCESS:
		return kt_parse_access(p, op);
	case KT_SYN_LOAD:
		return kt_parse_load(p, op);
	case KT_SYN_STORE:
		return kt_parse_store(p, op);
	case KT_SYN_SLICE:
		return kt_parse_slice(p, op);
	case KT_SYN_CONSTANT:
		return kt_parse_constant(p, op);
	case KT_SYN_ARITH:
		return kt_parse_arith(p, op);
	case KT_SYN_APPLY:
		return kt_parse_apply(p, op);
	case KT_SYN_FOR:
	case KT_SYN_AFFINE_FOR:
		return kt_parse_for(p, op);
	case KT_SYN_IF:
		return kt_parse_if(p, op);
	case KT_SYN_CALL:
		return kt_parse_call(p, op);
	default:
		return kt_parse_other(p, op);
	}
}

/* --- results ----------------------------------------------------------------------- */

/* %a, %b:2 = */
struct names {
	struct {
		struct kt_sym *sym;
		struct kt_range at;
		uint32_t n;
	} e[16];
	unsigned int n;
	uint32_t total;
};

#define MAX_RESULTS	256

static bool result_names(struct kt_parser *p, struct names *out)
{
	out->n = 0;
	out->total = 0;
	if (!kt_is(p, KT_T_VALUE))
		return true;
	do {
		struct kt_range at = kt_tok_range(p->tok);
		int64_t n = 1;

		if (!kt_is(p, KT_T_VALUE))
			return kt_parse_expect(p, KT_T_VALUE);
		if (out->n == sizeof(out->e) / sizeof(out->e[0]))
			return kt_parse_error(p, at, "too many results");
		out->e[out->n].sym = kt_parse_sym(p);
		if (!out->e[out->n].sym)
			return false;
		kt_parse_advance(p);
		if (kt_parse_accept(p, ':') && !kt_parse_int(p, &n))
			return false;
		if (n < 1 || n + out->total > MAX_RESULTS)
			return kt_parse_error(p, kt_since(p, at.off), "between 1 and %u results",
					      MAX_RESULTS);
		out->e[out->n].at = at;
		out->e[out->n++].n = (uint32_t)n;
		out->total += (uint32_t)n;
	} while (kt_parse_accept(p, ','));
	return kt_parse_expect(p, '=');
}

static const char *result_name(struct kt_parser *p, struct kt_sym *sym, uint32_t i, uint32_t n)
{
	char *s;

	if (n == 1)
		return sym->text;
	s = kt_parse_alloc(p, sym->len + 5);
	if (s)
		snprintf(s, sym->len + 5, "%s#%u", sym->text, i);
	return s;
}

static bool new_results(struct kt_parser *p, struct kt_op *op, const struct names *names)
{
	struct kt_value *v;
	uint32_t i, j, k = 0;

	if (!names->total)
		return true;
	/* pointers and values in one piece */
	op->results = kt_parse_alloc(p, names->total * (sizeof(*op->results) + sizeof(*v)));
	if (!op->results)
		return false;
	v = (struct kt_value *)(void *)(op->results + names->total);
	for (i = 0; i < names->n; i++) {
		for (j = 0; j < names->e[i].n; j++, k++) {
			op->results[k] = &v[k];
			v[k].name = result_name(p, names->e[i].sym, j, names->e[i].n);
			v[k].def = op;
			v[k].index = k;
			v[k].at = names->e[i].at;
			if (!v[k].name)
				return false;
		}
	}
	op->n_results = names->total;
	return true;
}

static bool define_results(struct kt_parser *p, struct kt_op *op, const struct names *names)
{
	uint32_t i, k = 0;
	bool ok = true;

	for (i = 0; i < names->n; i++) {
		ok &= kt_parse_define(p, names->e[i].sym, op->results + k, names->e[i].n,
				      names->e[i].at);
		k += names->e[i].n;
	}
	return ok;
}

/* --- modules ----------------------------------------------------------------------- */

/* Leave an operation that could not be read: to the next one at its depth. */
static void recover(struct kt_parser *p, uint32_t start, unsigned int depth)
{
	if (p->tok.off == start && !kt_is(p, '}'))
		kt_parse_advance(p);
	while (!kt_is(p, KT_T_EOF)) {
		if (p->depth <= depth) {
			if (kt_is(p, '}'))
				return;
			if (p->tok.first && (kt_is(p, KT_T_CARET) || kt_parse_at_op(p) ||
					     ((kt_is(p, KT_T_HASH) || kt_is(p, KT_T_BANG)) &&
					      kt_parse_peek(p).kind == '=')))
				return;
		}
		kt_parse_advance(p);
	}
}

/* Aliases, modules, functions and other operations up to '}' or the end of the text. */
static bool read_items(struct kt_parser *p, struct kt_block *b)
{
	while (!kt_is(p, '}') && !kt_is(p, KT_T_EOF)) {
		uint32_t start = p->tok.off;
		unsigned int depth = p->depth;

		if (p->stop)
			return false;
		/* a split line before this token, and outside all braces */
		if (p->lex.split > p->prev_end && !depth) {
			p->part++;
			p->scope = ++p->n_scopes;
		}
		p->lex.split = 0;
		if ((kt_is(p, KT_T_HASH) || kt_is(p, KT_T_BANG)) &&
		    kt_parse_peek(p).kind == '=') {
			size_t mark = p->scratch_used;

			if (!kt_parse_alias_def(p)) {
				p->scratch_used = mark;
				if (!p->stop)
					recover(p, start, depth);
			}
		} else if (!p->one_op(p, b)) {
			return false;
		}
	}
	return !p->stop;
}

/* module [@name] [attributes {...}] { ... } */
static bool read_module(struct kt_parser *p, struct kt_block *b)
{
	struct kt_grid outer = p->grid;
	uint32_t scope = p->scope;
	struct kt_range open;
	bool ok = kt_parse_enter(p);

	if (!ok)
		return false;
	kt_parse_accept(p, KT_T_AT);
	if (kt_parse_accept_word(p, "attributes")) {
		size_t mark = p->scratch_used;
		struct kt_attr *attrs;
		unsigned int n;

		ok = kt_parse_dict(p);
		attrs = kt_parse_take(p, mark, sizeof(*attrs), &n);
		ok = ok && kt_parse_grid(p, attrs, n, &p->grid);
	}
	open = kt_tok_range(p->tok);
	p->scope = ++p->n_scopes;
	if (ok && kt_parse_expect(p, '{')) {
		ok = read_items(p, b);
		if (ok && !kt_parse_accept(p, '}'))
			ok = kt_parse_error(p, open, "this '{' is not closed");
		ok = ok && kt_parse_loc(p);
	} else {
		ok = false;
	}
	p->scope = scope;
	p->grid = outer;
	kt_parse_leave(p);
	return ok;
}

/* "builtin.module"() ({ ... }) {grid = [4]} : () -> () */
static bool generic_module(struct kt_parser *p, struct kt_op *op)
{
	size_t i, first = p->n_funcs;
	uint32_t scope = p->scope;
	struct kt_grid grid = { 0, { 0 } };
	bool ok;

	p->scope = ++p->n_scopes;
	ok = kt_parse_generic(p, op, KT_SYN_MODULE) &&
	     kt_parse_grid(p, op->attrs, op->n_attrs, &grid);
	p->scope = scope;
	for (i = first; ok && grid.n && i < p->n_funcs; i++)
		if (!p->funcs[i]->n_grid)
			kt_parse_set_grid(p->funcs[i], &grid);
	return ok;
}

/* --- one operation ----------------------------------------------------------------- */

static void append(struct kt_block *b, struct kt_op *op)
{
	op->parent = b;
	if (b->last)
		b->last->next = op;
	else
		b->first = op;
	b->last = op;
}

/* The name, quoted or not; NULL after an error. */
static struct kt_sym *op_name(struct kt_parser *p, bool *generic)
{
	struct kt_sym *sym;
	const char *s = kt_tok_text(p, p->tok);

	*generic = kt_is(p, KT_T_STRING);
	if (!*generic && !kt_is(p, KT_T_IDENT)) {
		kt_parse_expected(p, "an operation");
		return NULL;
	}
	sym = *generic ? kt_parse_intern(p, s + 1, p->tok.end - p->tok.off - 2) : kt_parse_sym(p);
	if (sym && !sym->info)
		sym->info = find_info(sym);
	/* only few names go without their dialect */
	if (sym && sym->info == &info_other && !strchr(sym->text, '.')) {
		kt_parse_expected(p, "an operation");
		return NULL;
	}
	return sym;
}

static bool check_place(struct kt_parser *p, const struct kt_op *op)
{
	if (op->kind >= KT_OP_PRODUCE && op->kind <= KT_OP_SCATTER && !p->in_func)
		return kt_parse_error(p, op->name_at, "'%.60s' stands outside of a function",
				      op->name);
	if (op->kind == KT_OP_OTHER && !strncmp(op->name, "ktdp.inter_tile_", 16))
		return kt_parse_error(p, op->name_at, "'%.60s' is no delivery that is known here",
				      op->name);
	return true;
}

static bool read_op(struct kt_parser *p, struct kt_block *b)
{
	uint32_t off = p->tok.off;
	struct kt_range name_at;
	struct names names;
	struct kt_sym *sym;
	struct kt_op *op;
	bool generic, ok;

	if (!result_names(p, &names))
		return false;
	name_at = kt_tok_range(p->tok);
	sym = op_name(p, &generic);
	if (!sym)
		return false;
	if (!generic && !names.n && sym->info->syntax >= KT_SYN_FUNC) {
		kt_parse_advance(p);
		return sym->info->syntax == KT_SYN_FUNC ? kt_parse_func(p, off) : read_module(p, b);
	}
	op = kt_parse_alloc(p, kt_op_size(sym->info->kind));
	if (!op)
		return false;
	op->kind = sym->info->kind;
	op->name = sym->text;
	op->name_at = name_at;
	if (!new_results(p, op, &names))
		return false;
	kt_parse_advance(p);
	append(b, op);
	if (generic && sym->info->syntax == KT_SYN_FUNC)
		ok = kt_parse_generic_func(p, op, off);
	else if (generic && sym->info->syntax == KT_SYN_MODULE)
		ok = generic_module(p, op);
	else if (generic)
		ok = kt_parse_generic(p, op, sym->info->syntax);
	else
		ok = custom_form(p, op, sym->info->syntax);
	op->at = kt_since(p, off);
	ok = ok && check_place(p, op);
	/* defined in any case, so that one error is not followed by many */
	return define_results(p, op, &names) && ok;
}

static bool one_op(struct kt_parser *p, struct kt_block *b)
{
	size_t mark = p->scratch_used;
	unsigned int depth = p->depth, nesting = p->nesting;
	uint32_t start = p->tok.off;

	if (read_op(p, b))
		return !p->stop;
	p->scratch_used = mark;
	p->nesting = nesting;
	if (p->stop)
		return false;
	recover(p, start, depth);
	return true;
}

static bool alias_body(struct kt_parser *p, struct kt_alias *al)
{
	if (al->sym->text[0] == '#')
		return kt_parse_attr(p, &al->attr, true);
	al->type = kt_parse_type(p, KT_TY_OPAQUE);
	return al->type;
}

/* --- the file ---------------------------------------------------------------------- */

static bool read_file(struct kt_parser *p)
{
	struct kt_block top = { NULL, 0, NULL, NULL, NULL };

	/* a table and a stack to look into, from the start */
	if (!kt_parse_grow_table(p) || !kt_parse_grow(p, 1))
		return false;
	p->unknown = kt_parse_new_value(p, "%?", NULL, (struct kt_range){ 0, 0 });
	p->index_type = kt_parse_scalar(p, "index\0\0", 5);
	p->i1_type = kt_parse_scalar(p, "i1\0\0\0\0\0", 2);
	if (p->stop)
		return false;
	kt_parse_seek(p, 0);
	while (read_items(p, &top) && !kt_is(p, KT_T_EOF)) {
		kt_parse_error(p, kt_tok_range(p->tok), "this '}' closes nothing");
		kt_parse_advance(p);
	}
	return !p->stop && !p->n_errors;
}

static int parse_source(struct ktdev_module *mod, struct ktdev_report *rep)
{
	struct kt_parser p = {
		.mod = mod, .a = &mod->arena, .src = &mod->src, .rep = rep, .one_op = one_op,
		.alias_body = alias_body, .budget = KT_PARSE_MEMORY(mod->src.len),
	};
	bool ok;

	kt_lex_init(&p.lex, mod->src.text, (uint32_t)mod->src.len);
	ok = read_file(&p);
	if (ok && p.n_funcs) {
		mod->funcs = kt_alloc(&mod->arena, p.n_funcs * sizeof(*mod->funcs));
		if (mod->funcs)
			memcpy(mod->funcs, p.funcs, p.n_funcs * sizeof(*mod->funcs));
		else
			p.err = -ENOMEM;
		mod->n_funcs = (unsigned int)p.n_funcs;
	}
	mod->incomplete = !ok;
	free(p.table);
	free(p.undo);
	free(p.scratch);
	free(p.funcs);
	return p.err ? p.err : ok && !p.n_errors ? 0 : -EINVAL;
}

int ktdev_module_parse(const char *name, const char *text, size_t len,
		       struct ktdev_report *rep, struct ktdev_module **out)
{
	struct ktdev_module *mod = calloc(1, sizeof(*mod));
	struct ktdev_report *own = rep ? NULL : ktdev_report_new();
	int err = -ENOMEM;

	*out = NULL;
	if (mod && (rep || own))
		err = kt_source_init(&mod->src, name, text, len);
	if (err == -EFBIG)
		kt_diag(rep ? rep : own, NULL, (struct kt_range){ 0, 0 }, KT_RULE_NONE, KTDEV_ERROR,
			"%s: %zu bytes, more than the %u that are read", name ? name : "input",
			len, KT_SOURCE_MAX);
	if (!err)
		err = parse_source(mod, rep ? rep : own);
	ktdev_report_free(own);
	if (err) {
		ktdev_module_free(mod);
		return err;
	}
	*out = mod;
	return 0;
}

void ktdev_module_free(struct ktdev_module *mod)
{
	if (!mod)
		return;
	kt_arena_fini(&mod->arena);
	kt_source_fini(&mod->src);
	free(mod->index);
	free(mod);
}
