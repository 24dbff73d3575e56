// SPDX-License-Identifier: MIT
/*
 * Integer arithmetic on values that may differ from tile to tile. Sums and products with
 * constants stay in the form c + k * tile; everything else is evaluated for each tile
 * that executes. Overflow is found, never wrapped.
 */
#include "resolve.h"

#include <string.h>

struct kt_ix kt_ix_const(int64_t c)
{
	return (struct kt_ix){ .kind = KT_IX_KNOWN, .c = c };
}

struct kt_ix kt_ix_vec(const int64_t *vec)
{
	return (struct kt_ix){ .kind = KT_IX_KNOWN, .vec = vec };
}

struct kt_ix kt_ix_runtime(struct kt_range at)
{
	return (struct kt_ix){ .kind = KT_IX_RUNTIME, .at = at };
}

static struct kt_ix bad(struct kt_range at, uint32_t tile, const char *why)
{
	return (struct kt_ix){ .kind = KT_IX_BAD, .at = at, .tile = tile, .why = why };
}

/* --- scalar operations: NULL on success, else what is wrong ------------------------------ */

typedef const char *(*ix_fn)(int64_t a, int64_t b, int64_t *out);

static const char overflow[] = "the result does not fit 64 bits";
static const char divisor[] = "the divisor is not positive";

static const char *f_add(int64_t a, int64_t b, int64_t *out)
{
	return __builtin_add_overflow(a, b, out) ? overflow : NULL;
}

static const char *f_sub(int64_t a, int64_t b, int64_t *out)
{
	return __builtin_sub_overflow(a, b, out) ? overflow : NULL;
}

static const char *f_mul(int64_t a, int64_t b, int64_t *out)
{
	return __builtin_mul_overflow(a, b, out) ? overflow : NULL;
}

static const char *f_divs(int64_t a, int64_t b, int64_t *out)
{
	if (b <= 0)
		return divisor;
	*out = a / b;
	return NULL;
}

static const char *f_rems(int64_t a, int64_t b, int64_t *out)
{
	if (b <= 0)
		return divisor;
	*out = a % b;
	return NULL;
}

static const char *f_floordiv(int64_t a, int64_t b, int64_t *out)
{
	if (b <= 0)
		return divisor;
	*out = a / b - (a % b < 0);
	return NULL;
}

static const char *f_ceildiv(int64_t a, int64_t b, int64_t *out)
{
	if (b <= 0)
		return divisor;
	*out = a / b + (a % b > 0);
	return NULL;
}

static const char *not_negative(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? "an unsigned operand is negative" : NULL;
}

static const char *f_divu(int64_t a, int64_t b, int64_t *out)
{
	return not_negative(a, b) ?: f_divs(a, b, out);
}

static const char *f_remu(int64_t a, int64_t b, int64_t *out)
{
	return not_negative(a, b) ?: f_rems(a, b, out);
}

static const char *f_ceildivu(int64_t a, int64_t b, int64_t *out)
{
	return not_negative(a, b) ?: f_ceildiv(a, b, out);
}

static const char *f_and(int64_t a, int64_t b, int64_t *out)
{
	*out = a & b;
	return NULL;
}

static const char *f_or(int64_t a, int64_t b, int64_t *out)
{
	*out = a | b;
	return NULL;
}

static const char *f_xor(int64_t a, int64_t b, int64_t *out)
{
	*out = a ^ b;
	return NULL;
}

static const char *f_shl(int64_t a, int64_t b, int64_t *out)
{
	if (b < 0 || b > 62)
		return "the shift is out of range";
	return f_mul(a, (int64_t)1 << b, out);
}

static const char *f_shrs(int64_t a, int64_t b, int64_t *out)
{
	if (b < 0 || b > 63)
		return "the shift is out of range";
	*out = a >> b;
	return NULL;
}

static const char *f_shru(int64_t a, int64_t b, int64_t *out)
{
	return not_negative(a, b) ?: f_shrs(a, b, out);
}

static const char *f_maxs(int64_t a, int64_t b, int64_t *out)
{
	*out = a > b ? a : b;
	return NULL;
}

static const char *f_mins(int64_t a, int64_t b, int64_t *out)
{
	*out = a < b ? a : b;
	return NULL;
}

static const char *f_maxu(int64_t a, int64_t b, int64_t *out)
{
	*out = (uint64_t)a > (uint64_t)b ? a : b;
	return NULL;
}

static const char *f_minu(int64_t a, int64_t b, int64_t *out)
{
	*out = (uint64_t)a < (uint64_t)b ? a : b;
	return NULL;
}

#define CMP(name, type, rel)							\
static const char *f_##name(int64_t a, int64_t b, int64_t *out)			\
{										\
	*out = (type)a rel (type)b;						\
	return NULL;								\
}
CMP(eq, int64_t, ==)
CMP(ne, int64_t, !=)
CMP(slt, int64_t, <)
CMP(sle, int64_t, <=)
CMP(sgt, int64_t, >)
CMP(sge, int64_t, >=)
CMP(ult, uint64_t, <)
CMP(ule, uint64_t, <=)
CMP(ugt, uint64_t, >)
CMP(uge, uint64_t, >=)

/* --- per tile ----------------------------------------------------------------------------- */

static int64_t *new_vec(struct kt_ix_ctx *cx)
{
	int64_t *v;

	if (cx->budget < cx->n_tiles) {
		cx->over = true;
		return NULL;
	}
	cx->budget -= cx->n_tiles;
	v = kt_alloc(cx->a, cx->n_tiles * sizeof(*v));
	if (!v)
		cx->nomem = true;
	return v;
}

/* The operand that is not known decides: wrong before runtime. */
static const struct kt_ix *not_known(const struct kt_ix *a, const struct kt_ix *b)
{
	if (a->kind == KT_IX_BAD || (a->kind == KT_IX_RUNTIME && b->kind != KT_IX_BAD))
		return a;
	return b->kind == KT_IX_KNOWN ? NULL : b;
}

static struct kt_ix each(struct kt_ix_ctx *cx, ix_fn fn, struct kt_ix a, struct kt_ix b,
			 struct kt_range at)
{
	const struct kt_ix *out = not_known(&a, &b);
	const char *why;
	int64_t *v, c;
	uint32_t i;

	if (out)
		return *out;
	if (kt_ix_uniform(&a) && kt_ix_uniform(&b)) {
		why = fn(a.c, b.c, &c);
		return why ? bad(at, kt_active_tile(&cx->act, 0), why) : kt_ix_const(c);
	}
	v = new_vec(cx);
	if (!v)
		return kt_ix_runtime(at);
	for (i = 0; i < cx->act.n; i++) {
		uint32_t t = kt_active_tile(&cx->act, i);

		why = fn(kt_ix_at(&a, t), kt_ix_at(&b, t), &v[t]);
		if (why)
			return bad(at, t, why);
	}
	return kt_ix_vec(v);
}

/* c + k * tile for every tile of the machine, or fall back to each(). */
static bool linear(const struct kt_ix_ctx *cx, int64_t c, int64_t k, struct kt_ix *out)
{
	int64_t end;

	if (__builtin_mul_overflow(k, (int64_t)cx->n_tiles, &end) ||
	    __builtin_add_overflow(c, end, &end))
		return false;
	*out = kt_ix_const(c);
	out->k = k;
	return true;
}

struct kt_ix kt_ix_add(struct kt_ix_ctx *cx, struct kt_ix a, struct kt_ix b, struct kt_range at)
{
	struct kt_ix out;
	int64_t c, k;

	if (a.kind == KT_IX_KNOWN && b.kind == KT_IX_KNOWN && !a.vec && !b.vec &&
	    !__builtin_add_overflow(a.c, b.c, &c) && !__builtin_add_overflow(a.k, b.k, &k) &&
	    linear(cx, c, k, &out))
		return out;
	return each(cx, f_add, a, b, at);
}

static struct kt_ix ix_sub(struct kt_ix_ctx *cx, struct kt_ix a, struct kt_ix b,
			   struct kt_range at)
{
	struct kt_ix out;
	int64_t c, k;

	if (a.kind == KT_IX_KNOWN && b.kind == KT_IX_KNOWN && !a.vec && !b.vec &&
	    !__builtin_sub_overflow(a.c, b.c, &c) && !__builtin_sub_overflow(a.k, b.k, &k) &&
	    linear(cx, c, k, &out))
		return out;
	return each(cx, f_sub, a, b, at);
}

struct kt_ix kt_ix_mul(struct kt_ix_ctx *cx, struct kt_ix a, struct kt_ix b, struct kt_range at)
{
	struct kt_ix out;
	int64_t c, k;

	if (kt_ix_uniform(&a)) {
		out = a;
		a = b;
		b = out;
	}
	if (a.kind == KT_IX_KNOWN && !a.vec && kt_ix_uniform(&b) &&
	    !__builtin_mul_overflow(a.c, b.c, &c) && !__builtin_mul_overflow(a.k, b.c, &k) &&
	    linear(cx, c, k, &out))
		return out;
	return each(cx, f_mul, a, b, at);
}

static struct kt_ix select_ix(struct kt_ix_ctx *cx, struct kt_ix cond, struct kt_ix a,
			      struct kt_ix b, struct kt_range at)
{
	int64_t *v;
	uint32_t i;

	if (cond.kind != KT_IX_KNOWN)
		return cond;
	if (kt_ix_uniform(&cond))
		return cond.c ? a : b;
	if (a.kind != KT_IX_KNOWN || b.kind != KT_IX_KNOWN)
		return a.kind != KT_IX_KNOWN ? a : b;
	v = new_vec(cx);
	if (!v)
		return kt_ix_runtime(at);
	for (i = 0; i < cx->act.n; i++) {
		uint32_t t = kt_active_tile(&cx->act, i);

		v[t] = kt_ix_at(&cond, t) ? kt_ix_at(&a, t) : kt_ix_at(&b, t);
	}
	return kt_ix_vec(v);
}

/* --- the ops ------------------------------------------------------------------------------- */

static const struct {
	const char *arith;	/* behind "arith." */
	const char *index;	/* behind "index." */
	ix_fn fn;
} binary[] = {
	{ "addi", "add", f_add }, { "subi", "sub", f_sub }, { "muli", "mul", f_mul },
	{ "divsi", "divs", f_divs }, { "divui", "divu", f_divu },
	{ "ceildivsi", "ceildivs", f_ceildiv }, { "ceildivui", "ceildivu", f_ceildivu },
	{ "floordivsi", "floordivs", f_floordiv },
	{ "remsi", "rems", f_rems }, { "remui", "remu", f_remu },
	{ "andi", "and", f_and }, { "ori", "or", f_or }, { "xori", "xor", f_xor },
	{ "shli", "shl", f_shl }, { "shrsi", "shrs", f_shrs }, { "shrui", "shru", f_shru },
	{ "maxsi", "maxs", f_maxs }, { "minsi", "mins", f_mins },
	{ "maxui", "maxu", f_maxu }, { "minui", "minu", f_minu },
};

static const struct {
	const char *name;
	ix_fn fn;
} compare[] = {
	{ "eq", f_eq }, { "ne", f_ne }, { "slt", f_slt }, { "sle", f_sle }, { "sgt", f_sgt },
	{ "sge", f_sge }, { "ult", f_ult }, { "ule", f_ule }, { "ugt", f_ugt }, { "uge", f_uge },
};

static const char *const casts[] = {
	"index_cast", "index_castui", "extsi", "extui", "trunci", "casts", "castu",
};

#define N_OF(x) (sizeof(x) / sizeof((x)[0]))

/* A result of fewer than 64 bits must fit as a signed or an unsigned number. */
static struct kt_ix fit(struct kt_ix_ctx *cx, const struct kt_op *op, struct kt_ix x)
{
	const struct kt_type *ty = op->n_results ? op->results[0]->type : NULL;
	int64_t lo, hi;
	uint32_t i;

	if (x.kind != KT_IX_KNOWN || !ty || ty->kind != KT_TY_SCALAR || !ty->elem_bits ||
	    ty->elem_bits >= 63)
		return x;
	lo = -((int64_t)1 << (ty->elem_bits - 1));
	hi = (int64_t)1 << ty->elem_bits;
	for (i = 0; i < cx->act.n; i++) {
		uint32_t t = kt_active_tile(&cx->act, i);
		int64_t v = kt_ix_at(&x, t);

		if (v < lo || v >= hi)
			return bad(op->at, t, "the result does not fit its type");
	}
	return x;
}

static ix_fn compare_fn(const struct kt_op *op)
{
	const struct kt_attr *p = kt_op_attr(op, "predicate");
	size_t i;

	if (!p || !p->s) {
		/* the generic form numbers them */
		if (p && p->kind == KT_AT_INT && p->i >= 0 && p->i < (int64_t)N_OF(compare))
			return compare[p->i].fn;
		return NULL;
	}
	for (i = 0; i < N_OF(compare); i++)
		if (!strcmp(compare[i].name, p->s))
			return compare[i].fn;
	return NULL;
}

static struct kt_ix binary_op(struct kt_ix_ctx *cx, const struct kt_op *op, const char *name,
			      bool arith, const struct kt_ix *in)
{
	size_t i;

	if (!strcmp(name, arith ? "cmpi" : "cmp")) {
		ix_fn fn = compare_fn(op);

		return fn ? each(cx, fn, in[0], in[1], op->at) : kt_ix_runtime(op->at);
	}
	for (i = 0; i < N_OF(binary); i++)
		if (!strcmp(arith ? binary[i].arith : binary[i].index, name))
			break;
	if (i == N_OF(binary))
		return kt_ix_runtime(op->at);
	if (binary[i].fn == f_add)
		return fit(cx, op, kt_ix_add(cx, in[0], in[1], op->at));
	if (binary[i].fn == f_sub)
		return fit(cx, op, ix_sub(cx, in[0], in[1], op->at));
	if (binary[i].fn == f_mul)
		return fit(cx, op, kt_ix_mul(cx, in[0], in[1], op->at));
	return fit(cx, op, each(cx, binary[i].fn, in[0], in[1], op->at));
}

/* affine.apply: dims, then symbols. */
static struct kt_ix apply(struct kt_ix_ctx *cx, const struct kt_op *op, const struct kt_ix *in,
			  unsigned int n)
{
	const struct kt_attr *at = kt_op_attr(op, "map");
	const struct kt_map *m = at && at->kind == KT_AT_MAP ? at->map : NULL;
	int64_t arg[KT_IX_MAX_ARGS], out, *v = NULL;
	bool uniform = true;
	uint32_t i, t;
	unsigned int a;

	if (!m || m->n_results != 1 || m->n_dims + m->n_syms != n || n > KT_IX_MAX_ARGS)
		return kt_ix_runtime(op->at);
	for (a = 0; a < n; a++) {
		if (in[a].kind != KT_IX_KNOWN)
			return in[a];
		uniform &= kt_ix_uniform(&in[a]);
	}
	v = uniform ? NULL : new_vec(cx);
	if (!uniform && !v)
		return kt_ix_runtime(op->at);
	for (i = 0; i < (uniform ? 1 : cx->act.n); i++) {
		t = kt_active_tile(&cx->act, i);
		for (a = 0; a < n; a++)
			arg[a] = kt_ix_at(&in[a], t);
		if (kt_expr_eval(m->results[0], arg, arg + m->n_dims, &out) != KT_SET_OK)
			return bad(op->at, t, "the map overflows or divides by what is not positive");
		if (uniform)
			return kt_ix_const(out);
		v[t] = out;
	}
	return kt_ix_vec(v);
}

struct kt_ix kt_ix_op(struct kt_ix_ctx *cx, const struct kt_op *op, const struct kt_ix *in,
		      unsigned int n)
{
	const char *dot = strchr(op->name, '.');
	bool arith = !strncmp(op->name, "arith.", 6);
	size_t i;

	if (!strcmp(op->name, "affine.apply"))
		return apply(cx, op, in, n);
	if (!dot || (!arith && strncmp(op->name, "index.", 6)))
		return kt_ix_runtime(op->at);
	dot++;
	if (n == 1) {
		for (i = 0; i < N_OF(casts); i++)
			if (!strcmp(casts[i], dot))
				return fit(cx, op, in[0]);
		return kt_ix_runtime(op->at);
	}
	if (n == 3 && !strcmp(dot, "select"))
		return select_ix(cx, in[0], in[1], in[2], op->at);
	return n == 2 ? binary_op(cx, op, dot, arith, in) : kt_ix_runtime(op->at);
}
