// SPDX-License-Identifier: MIT
/*
 * Reading the region of a fold op as element expressions (see combiner_expr.h).
 *
 * Tensors of one shape are read element by element: arith and math-like ops act so, linalg
 * named ops too, linalg.map and linalg.generic with identity maps hand their operands to
 * the arguments of their region. What is not understood becomes a BAD expression that
 * carries the op and the reason; it only matters if a yielded value depends on it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "combiner_expr.h"

#define MAX_VALUES	512
#define MAX_DEPTH	4	/* regions within regions */

struct reason {
	struct kt_range at;
	const char *text;
};

struct reader {
	const struct ktdev_module *mod;
	const struct kt_delivery *d;
	struct kt_arena *a;
	struct kt_comb cb;
	unsigned int n_values, n_reasons, depth;
	struct {
		const struct kt_value *v;
		int expr;
	} values[MAX_VALUES];
	struct reason reasons[KT_COMB_MAX_EXPRS];
	bool full;		/* more than fits */
};

static int add_expr(struct reader *rd, uint8_t kind, uint8_t code, int a, int b, int c)
{
	struct kt_comb_expr *x;

	if (rd->cb.n_exprs == KT_COMB_MAX_EXPRS) {
		rd->full = true;
		return 0;
	}
	x = &rd->cb.e[rd->cb.n_exprs];
	*x = (struct kt_comb_expr){ kind, code, (int16_t)a, (int16_t)b, (int16_t)c };
	return (int)rd->cb.n_exprs++;
}

/* There are never more reasons than expressions. */
static int bad(struct reader *rd, struct kt_range at, const char *text)
{
	int e = add_expr(rd, KT_COMB_BAD, 0, (int)rd->n_reasons, 0, 0);

	if (!rd->full)
		rd->reasons[rd->n_reasons++] = (struct reason){ at, text };
	return e;
}

static int bad_op(struct reader *rd, const struct kt_op *op)
{
	char buf[160];
	const char *text;
	int n = snprintf(buf, sizeof(buf), "the fold unit has no %s", op->name);

	text = kt_strndup(rd->a, buf, n < (int)sizeof(buf) ? (size_t)n : sizeof(buf) - 1);
	return bad(rd, op->name_at, text ? text : "the fold unit has no such operation");
}

static void bind(struct reader *rd, const struct kt_value *v, int expr)
{
	if (rd->n_values == MAX_VALUES) {
		rd->full = true;
		return;
	}
	rd->values[rd->n_values].v = v;
	rd->values[rd->n_values++].expr = expr;
}

static int lookup(struct reader *rd, const struct kt_operand *o)
{
	unsigned int i;

	for (i = rd->n_values; i-- > 0;)
		if (rd->values[i].v == o->value)
			return rd->values[i].expr;
	return bad(rd, o->at, "a value from outside the combiner takes part");
}

static int operand(struct reader *rd, const struct kt_op *op, unsigned int i)
{
	if (i >= op->n_operands)
		return bad_op(rd, op);
	return lookup(rd, &op->operands[i]);
}

/* --- single operations -------------------------------------------------------------- */

static const struct {
	const char *name;
	uint8_t code;
} arith_ops[] = {
	{ "arith.addf", KT_BIN_ADD }, { "arith.addi", KT_BIN_ADD },
	{ "arith.mulf", KT_BIN_MUL }, { "arith.muli", KT_BIN_MUL },
	{ "arith.maximumf", KT_BIN_MAXIMUM }, { "arith.minimumf", KT_BIN_MINIMUM },
	{ "arith.maxf", KT_BIN_MAXIMUM }, { "arith.minf", KT_BIN_MINIMUM },
	{ "arith.maxnumf", KT_BIN_MAXNUM }, { "arith.minnumf", KT_BIN_MINNUM },
	{ "arith.maxsi", KT_BIN_MAXS }, { "arith.minsi", KT_BIN_MINS },
	{ "arith.maxui", KT_BIN_MAXU }, { "arith.minui", KT_BIN_MINU },
	{ "arith.andi", KT_BIN_AND }, { "arith.ori", KT_BIN_OR }, { "arith.xori", KT_BIN_XOR },
};

/* Functions of linalg, under the names its ops and its binary_fn attribute use. */
static const struct {
	const char *name;
	uint8_t of_float, of_int;	/* KT_BIN_COUNT: none */
} linalg_fns[] = {
	{ "add", KT_BIN_ADD, KT_BIN_ADD },
	{ "mul", KT_BIN_MUL, KT_BIN_MUL },
	{ "max", KT_BIN_MAXIMUM, KT_BIN_MAXS },
	{ "min", KT_BIN_MINIMUM, KT_BIN_MINS },
	{ "max_signed", KT_BIN_MAXIMUM, KT_BIN_MAXS },
	{ "min_signed", KT_BIN_MINIMUM, KT_BIN_MINS },
	{ "max_unsigned", KT_BIN_COUNT, KT_BIN_MAXU },
	{ "min_unsigned", KT_BIN_COUNT, KT_BIN_MINU },
};

static int arith_code(const char *name)
{
	unsigned int i;

	for (i = 0; i < KT_ARRAY_SIZE(arith_ops); i++)
		if (!strcmp(name, arith_ops[i].name))
			return arith_ops[i].code;
	return -1;
}

static bool float_element(const struct kt_value *v)
{
	return v && v->type && v->type->dtype >= KTE_DT_F16 && v->type->dtype <= KTE_DT_F64;
}

static int linalg_code(const char *fn, size_t len, bool is_float)
{
	unsigned int i;
	uint8_t code;

	for (i = 0; i < KT_ARRAY_SIZE(linalg_fns); i++) {
		if (strlen(linalg_fns[i].name) != len || strncmp(fn, linalg_fns[i].name, len))
			continue;
		code = is_float ? linalg_fns[i].of_float : linalg_fns[i].of_int;
		return code == KT_BIN_COUNT ? -1 : code;
	}
	return -1;
}

/* Predicates; -1 for those that order nothing (true, false). */
static int cmpf_code(const char *s)
{
	static const struct {
		const char *name;
		uint8_t code;
	} names[] = {
		{ "oeq", KT_PRED_EQ }, { "ogt", KT_PRED_GT }, { "oge", KT_PRED_GT | KT_PRED_EQ },
		{ "olt", KT_PRED_LT }, { "ole", KT_PRED_LT | KT_PRED_EQ },
		{ "one", KT_PRED_LT | KT_PRED_GT },
		{ "ord", KT_PRED_LT | KT_PRED_EQ | KT_PRED_GT },
		{ "ueq", KT_PRED_UNORDERED | KT_PRED_EQ },
		{ "ugt", KT_PRED_UNORDERED | KT_PRED_GT },
		{ "uge", KT_PRED_UNORDERED | KT_PRED_GT | KT_PRED_EQ },
		{ "ult", KT_PRED_UNORDERED | KT_PRED_LT },
		{ "ule", KT_PRED_UNORDERED | KT_PRED_LT | KT_PRED_EQ },
		{ "une", KT_PRED_UNORDERED | KT_PRED_LT | KT_PRED_GT },
		{ "uno", KT_PRED_UNORDERED },
		{ "false", 0 },
		{ "true", KT_PRED_UNORDERED | KT_PRED_LT | KT_PRED_EQ | KT_PRED_GT },
	};
	unsigned int i;

	for (i = 0; i < KT_ARRAY_SIZE(names); i++)
		if (!strcmp(s, names[i].name))
			return names[i].code;
	return -1;
}

static int cmpi_code(const char *s)
{
	bool u = s[0] == 'u';

	if (!strcmp(s, "eq"))
		return KT_PRED_EQ;
	if (!strcmp(s, "ne"))
		return KT_PRED_LT | KT_PRED_GT;
	if (s[0] != 's' && !u)
		return -1;
	if (!strcmp(s + 1, "lt"))
		return KT_PRED_LT | (u ? KT_PRED_UNSIGNED : 0);
	if (!strcmp(s + 1, "le"))
		return KT_PRED_LT | KT_PRED_EQ | (u ? KT_PRED_UNSIGNED : 0);
	if (!strcmp(s + 1, "gt"))
		return KT_PRED_GT | (u ? KT_PRED_UNSIGNED : 0);
	if (!strcmp(s + 1, "ge"))
		return KT_PRED_GT | KT_PRED_EQ | (u ? KT_PRED_UNSIGNED : 0);
	return -1;
}

/* The generic form numbers predicates in the order of the dialect. */
static const char *predicate(const struct kt_op *op, bool is_float)
{
	static const char *const cmpf[] = {
		"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge",
		"ult", "ule", "une", "uno", "true",
	};
	static const char *const cmpi[] = {
		"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge",
	};
	const struct kt_attr *attr = kt_op_attr(op, "predicate");

	if (!attr)
		return "";
	if (attr->kind == KT_AT_INT && is_float && attr->i >= 0 && attr->i < 16)
		return cmpf[attr->i];
	if (attr->kind == KT_AT_INT && !is_float && attr->i >= 0 && attr->i < 10)
		return cmpi[attr->i];
	return attr->kind == KT_AT_STRING && attr->s ? attr->s : "";
}

static int read_compare(struct reader *rd, const struct kt_op *op)
{
	bool is_float = !strcmp(op->name, "arith.cmpf");
	const char *s = predicate(op, is_float);
	int code = is_float ? cmpf_code(s) : cmpi_code(s);

	if (code < 0)
		return bad_op(rd, op);
	return add_expr(rd, is_float ? KT_COMB_CMPF : KT_COMB_CMPI, (uint8_t)code,
			operand(rd, op, 0), operand(rd, op, 1), 0);
}

static int read_binary(struct reader *rd, const struct kt_op *op, int code)
{
	int a = operand(rd, op, 0), b = operand(rd, op, 1);

	return add_expr(rd, KT_COMB_BIN, (uint8_t)code, a, b, 0);
}

static int read_select(struct reader *rd, const struct kt_op *op)
{
	int c = operand(rd, op, 0), a = operand(rd, op, 1), b = operand(rd, op, 2);

	return add_expr(rd, KT_COMB_SELECT, 0, c, a, b);
}

/* Constants of type i1 steer selections; no other constant can be part of a fold. */
static int read_constant(struct reader *rd, const struct kt_op *op)
{
	const struct kt_attr *attr = kt_op_attr(op, "value");
	const struct kt_type *t = op->n_results ? op->results[0]->type : NULL;

	if (attr && (attr->kind == KT_AT_BOOL ||
		     (attr->kind == KT_AT_INT && t && t->elem_name && !strcmp(t->elem_name, "i1"))))
		return add_expr(rd, KT_COMB_BOOL, 0, attr->i != 0, 0, 0);
	return bad(rd, op->name_at, "a constant takes part");
}

/* --- linalg ------------------------------------------------------------------------- */

static bool read_block(struct reader *rd, const struct kt_block *b);

static bool identity_map(const struct kt_attr *at)
{
	const struct kt_map *m = at->kind == KT_AT_MAP ? at->map : NULL;
	unsigned int i;

	if (!m || m->n_syms || m->n_results != m->n_dims)
		return false;
	for (i = 0; i < m->n_dims; i++)
		if (m->results[i]->kind != KT_EXPR_DIM || m->results[i]->value != (int64_t)i)
			return false;
	return true;
}

/* All maps identities, all iterators parallel. */
static bool elementwise_generic(const struct kt_op *op)
{
	const struct kt_attr *maps = kt_op_attr(op, "indexing_maps");
	const struct kt_attr *iters = kt_op_attr(op, "iterator_types");
	unsigned int i;

	if (!maps || maps->kind != KT_AT_ARRAY || !iters || iters->kind != KT_AT_ARRAY ||
	    maps->n != op->n_operands)
		return false;
	for (i = 0; i < maps->n; i++)
		if (!identity_map(&maps->elems[i]))
			return false;
	for (i = 0; i < iters->n; i++)
		if (!iters->elems[i].s || !strstr(iters->elems[i].s, "parallel"))
			return false;
	return true;
}

/* What a region of linalg yields becomes the results of its op. */
static bool bind_yielded(struct reader *rd, const struct kt_op *op, const struct kt_block *b)
{
	const struct kt_op *y = b->last;
	unsigned int i;

	if (!y || strcmp(y->name, "linalg.yield") || y->n_operands != op->n_results)
		return false;
	for (i = 0; i < op->n_results; i++)
		bind(rd, op->results[i], lookup(rd, &y->operands[i]));
	return true;
}

/* linalg.map and linalg.generic with a region: true if the results were bound. */
static bool read_region_op(struct reader *rd, const struct kt_op *op)
{
	bool generic = !strcmp(op->name, "linalg.generic");
	const struct kt_block *b;
	unsigned int i;

	if (op->n_regions != 1 || op->regions[0].n_blocks != 1 || rd->depth == MAX_DEPTH ||
	    (generic && !elementwise_generic(op)))
		return false;
	b = &op->regions[0].blocks[0];
	/* linalg.map: older forms do not hand the init to the region */
	if (b->n_args != op->n_operands && (generic || b->n_args + 1 != op->n_operands))
		return false;
	for (i = 0; i < b->n_args; i++)
		bind(rd, b->args[i], lookup(rd, &op->operands[i]));
	rd->depth++;
	if (!read_block(rd, b))
		return false;
	rd->depth--;
	return bind_yielded(rd, op, b);
}

/* The function named in "binary_fn<add>" or "elementwise_kind<add>" of the op's text. */
static int fn_in_text(struct reader *rd, const struct kt_op *op, const char *key, bool is_float)
{
	const char *text = rd->mod->src.text, *end = text + op->at.end, *p, *q;
	size_t n = strlen(key);

	for (p = text + op->name_at.end; p + n < end; p++) {
		if (strncmp(p, key, n))
			continue;
		for (q = p + n; q < end && *q != '>'; q++)
			;
		return linalg_code(p + n, (size_t)(q - p) - n, is_float);
	}
	return -1;
}

/* Code of a named linalg op on two inputs, -1 if it has none. */
static int named_linalg(struct reader *rd, const struct kt_op *op)
{
	const char *fn = op->name + strlen("linalg.");
	bool is_float = op->n_operands && float_element(op->operands[0].value);
	const struct kt_attr *inner = kt_op_attr(op, "combiner");

	if (op->n_operands != 3)
		return -1;
	if (!strcmp(fn, "map") && inner && inner->kind == KT_AT_STRING && inner->s)
		return arith_code(inner->s);
	if (!strcmp(fn, "elemwise_binary"))
		return fn_in_text(rd, op, "binary_fn<", is_float);
	if (!strcmp(fn, "elementwise"))
		return kt_op_attr(op, "indexing_maps") ?
		       -1 : fn_in_text(rd, op, "elementwise_kind<", is_float);
	return linalg_code(fn, strlen(fn), is_float);
}

/* True if the results were bound. */
static bool read_linalg(struct reader *rd, const struct kt_op *op)
{
	const char *fn = op->name + strlen("linalg.");
	int code, e;

	if (op->n_regions && (!strcmp(fn, "map") || !strcmp(fn, "generic")))
		return read_region_op(rd, op);
	if (op->n_results != 1)
		return false;
	code = named_linalg(rd, op);
	if (code >= 0)
		e = read_binary(rd, op, code);
	else if (!strcmp(fn, "select") && op->n_operands == 4)
		e = read_select(rd, op);
	else if ((!strcmp(fn, "fill") || !strcmp(fn, "copy")) && op->n_operands == 2)
		e = operand(rd, op, 0);
	else
		return false;
	bind(rd, op->results[0], e);
	return true;
}

/* --- regions ------------------------------------------------------------------------ */

static int read_single(struct reader *rd, const struct kt_op *op)
{
	int code = arith_code(op->name);

	if (code >= 0)
		return read_binary(rd, op, code);
	if (!strcmp(op->name, "arith.cmpf") || !strcmp(op->name, "arith.cmpi"))
		return read_compare(rd, op);
	if (!strcmp(op->name, "arith.select"))
		return read_select(rd, op);
	if (op->kind == KT_OP_CONSTANT)
		return read_constant(rd, op);
	if (!strcmp(op->name, "tensor.splat"))
		return operand(rd, op, 0);
	if (!strcmp(op->name, "tensor.empty"))
		return bad(rd, op->name_at, "an uninitialised tensor takes part");
	return bad_op(rd, op);
}

static void read_op(struct reader *rd, const struct kt_op *op)
{
	unsigned int i;
	int e;

	if (!op->n_results)
		return;
	if (!strncmp(op->name, "linalg.", 7) && read_linalg(rd, op))
		return;
	e = op->n_results == 1 && strncmp(op->name, "linalg.", 7) ? read_single(rd, op) :
								   bad_op(rd, op);
	for (i = 0; i < op->n_results; i++)
		bind(rd, op->results[i], e);
}

static bool read_block(struct reader *rd, const struct kt_block *b)
{
	const struct kt_op *op;

	for (op = b->first; op && !rd->full; op = op->next)
		read_op(rd, op);
	return !rd->full;
}

/* --- verdict ------------------------------------------------------------------------ */

static const char *const no_meaning =
	"what it yields is none of add, mul, min, max, and, or, xor, argmin and argmax";

static void refuse(struct kt_combiner *out, struct kt_range at, const char *why)
{
	if (out->why)
		return;
	out->why = why;
	out->at = at;
}

/* Which other role makes an arg pair with @r, and which of the two is the value. */
static bool find_pair(const struct kt_comb *cb, const uint32_t *deps, unsigned int r,
		      const bool *taken, struct kt_fold *out)
{
	unsigned int o;

	for (o = 0; o < cb->n_roles; o++) {
		if (o == r || taken[o] || (deps[r] | deps[o]) != (1u << r | 1u << o))
			continue;
		if (kt_comb_match_pair(cb, r, o, out) || kt_comb_match_pair(cb, o, r, out))
			return true;
	}
	return false;
}

static void match_roles(struct reader *rd, const struct kt_op *y, const uint32_t *deps,
			struct kt_combiner *out)
{
	bool taken[KT_COMB_MAX_ROLES] = { false };
	struct kt_comb *cb = &rd->cb;
	unsigned int r;

	/* pairs first: a value role may look like a fold of its own */
	for (r = 0; r < cb->n_roles; r++) {
		struct kt_fold *f = &out->folds[out->n_folds];

		if (taken[r] || deps[r] == 1u << r || !find_pair(cb, deps, r, taken, f))
			continue;
		taken[f->role] = true;
		taken[f->index_role] = true;
		out->n_folds++;
	}
	for (r = 0; r < cb->n_roles; r++) {
		if (taken[r])
			continue;
		if (cb->dtype[r] == KTE_DT_OPAQUE)
			refuse(out, y->operands[r].at,
			       "the fold unit does not take this element type");
		else if (deps[r] != 1u << r || !kt_comb_match(cb, r, &out->folds[out->n_folds]))
			refuse(out, y->operands[r].at, no_meaning);
		else
			out->n_folds++;
	}
}

/* Fold of every role by its number, for those who walk roles. */
static void sort_folds(struct kt_combiner *out)
{
	unsigned int i, k;

	for (i = 1; i < out->n_folds; i++) {
		struct kt_fold f = out->folds[i];

		for (k = i; k && out->folds[k - 1].role > f.role; k--)
			out->folds[k] = out->folds[k - 1];
		out->folds[k] = f;
	}
}

static void judge(struct reader *rd, const struct kt_op *y, struct kt_combiner *out)
{
	struct kt_comb *cb = &rd->cb;
	uint32_t deps[KT_COMB_MAX_ROLES];
	unsigned int r;
	int why;

	for (r = 0; r < cb->n_roles; r++) {
		cb->root[r] = lookup(rd, &y->operands[r]);
		if (rd->full)
			break;
		deps[r] = kt_comb_depends(cb, cb->root[r], &why);
		if (why >= 0)
			refuse(out, rd->reasons[why].at, rd->reasons[why].text);
	}
	if (rd->full) {
		refuse(out, rd->d->op->regions[0].at, "it is too long to be looked at");
		return;
	}
	if (!out->why)
		match_roles(rd, y, deps, out);
	sort_folds(out);
	out->mapped = !out->why;
}

int kt_combiner_recognise(const struct ktdev_module *mod, const struct kt_delivery *d,
			  struct kt_arena *a, struct kt_combiner *out)
{
	const struct kt_op *op = d->op;
	const struct kt_block *b = &op->regions[0].blocks[0];
	struct reader rd;
	unsigned int i;

	memset(out, 0, sizeof(*out));
	if (d->n_roles > KT_COMB_MAX_ROLES) {
		refuse(out, op->name_at, "it has too many roles");
		return 0;
	}
	out->folds = kt_alloc(a, d->n_roles * sizeof(*out->folds));
	if (!out->folds)
		return -ENOMEM;
	rd.mod = mod;
	rd.d = d;
	rd.a = a;
	rd.full = false;
	rd.n_values = 0;
	rd.n_reasons = 0;
	rd.depth = 0;
	rd.cb.n_exprs = 0;
	rd.cb.n_roles = d->n_roles;
	for (i = 0; i < b->n_args; i++) {
		unsigned int r = i % d->n_roles;

		rd.cb.dtype[r] = d->roles[r].dtype;
		bind(&rd, b->args[i],
		     add_expr(&rd, KT_COMB_ARG, 0, (int)r, i >= d->n_roles, 0));
	}
	read_block(&rd, b);
	judge(&rd, b->last, out);
	return 0;
}
