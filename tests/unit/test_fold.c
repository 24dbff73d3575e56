// SPDX-License-Identifier: MIT
/*
 * Folds against a scalar evaluator: every operation, type and mode; edge values;
 * strided, staged and replicated results; every instruction set and several parts.
 * The evaluator widens by ldexp and rounds by its own rules, see test_half.c for the
 * conversions themselves.
 */
#include <math.h>

#include "exec_util.h"

#define WINDOW	(192u << 10)
#define HALF	(96u << 10)	/* sources below, results above */
#define MAX_IN	21u

/* A number of any type: f for floats, i for integers (sign extended), bits always. */
struct num {
	double f;
	int64_t i;
	uint64_t bits;
	bool nan;
	bool negative;
};

static bool floating(uint32_t dtype)
{
	return dtype == KTE_DT_F16 || dtype == KTE_DT_BF16 || dtype == KTE_DT_F32 ||
	       dtype == KTE_DT_F64;
}

static double widen16(uint32_t h, int man_bits)
{
	int exp_bits = 15 - man_bits, exp = h >> man_bits & ((1 << exp_bits) - 1);
	uint32_t man = h & ((1u << man_bits) - 1);
	double sign = h & 0x8000 ? -1 : 1;

	if (exp == (1 << exp_bits) - 1)
		return man ? NAN : sign * INFINITY;
	return sign * ldexp(exp ? (1 << man_bits) + man : man,
			    (exp ? exp : 1) - ((1 << (exp_bits - 1)) - 1) - man_bits);
}

static struct num read_num(const uint8_t *p, uint32_t dtype)
{
	uint32_t bytes = kte_dtype_bytes(dtype);
	struct num n = { 0 };
	float f;

	memcpy(&n.bits, p, bytes);
	n.i = (int64_t)(n.bits << (64 - 8 * bytes)) >> (64 - 8 * bytes);
	n.negative = n.bits >> (8 * bytes - 1);
	if (dtype == KTE_DT_F16 || dtype == KTE_DT_BF16) {
		n.f = widen16(n.bits, dtype == KTE_DT_F16 ? 10 : 7);
	} else if (dtype == KTE_DT_F32) {
		memcpy(&f, &n.bits, 4);
		n.f = f;
	} else if (dtype == KTE_DT_F64) {
		memcpy(&n.f, &n.bits, 8);
	}
	n.nan = floating(dtype) && isnan(n.f);
	return n;
}

/* Whether the next value takes the place of what was kept. */
static bool replaces(const struct kte_space *sp, const struct num *lhs, const struct num *rhs,
		     const struct num *li, const struct num *ri)
{
	bool max = sp->op == KTE_OP_MAX || sp->op == KTE_OP_ARGMAX, lower, higher;
	uint32_t nan = sp->mode & KTE_MODE_NAN_MASK, tie = sp->mode & KTE_MODE_TIE_MASK;

	if (floating(sp->dtype[0])) {
		if (lhs->nan || rhs->nan) {
			if (nan == KTE_MODE_NAN_LHS)
				return false;
			if (nan == KTE_MODE_NAN_RHS)
				return true;
			if (lhs->nan && rhs->nan)
				return false;
			return nan == KTE_MODE_NAN_PROPAGATE ? rhs->nan : lhs->nan;
		}
		lower = rhs->f < lhs->f;
		higher = rhs->f > lhs->f;
		if ((sp->mode & KTE_MODE_ZERO_ORDERED) && rhs->f == 0 && lhs->f == 0) {
			lower = rhs->negative && !lhs->negative;
			higher = lhs->negative && !rhs->negative;
		}
	} else if (sp->mode & KTE_MODE_UNSIGNED) {
		lower = rhs->bits < lhs->bits;
		higher = rhs->bits > lhs->bits;
	} else {
		lower = rhs->i < lhs->i;
		higher = rhs->i > lhs->i;
	}
	if (lower != higher)
		return max ? higher : lower;
	if (tie >= KTE_MODE_TIE_LOWER && ri->bits == li->bits)
		return tie == KTE_MODE_TIE_LOWER_LAST;
	if (tie >= KTE_MODE_TIE_LOWER)
		return sp->mode & KTE_MODE_INDEX_UNSIGNED ? ri->bits < li->bits : ri->i < li->i;
	return tie == KTE_MODE_TIE_LAST;
}

static uint64_t canonical_nan(uint32_t dtype)
{
	return dtype == KTE_DT_F16 ? 0x7e00 : dtype == KTE_DT_BF16 ? 0x7fc0 :
	       dtype == KTE_DT_F32 ? 0x7fc00000 : 0x7ff8000000000000;
}

static uint64_t float_bits(double d, float f, uint32_t dtype)
{
	uint64_t bits = 0;

	if (isnan(dtype == KTE_DT_F64 ? d : f))
		return canonical_nan(dtype);
	switch (dtype) {
	case KTE_DT_F16:
		return kte_f32_to_f16(f);
	case KTE_DT_BF16:
		return kte_f32_to_bf16(f);
	case KTE_DT_F32:
		memcpy(&bits, &f, 4);
		return bits;
	default:
		memcpy(&bits, &d, 8);
		return bits;
	}
}

/* ADD, MUL and the bitwise ones. */
static uint64_t arithmetic(const struct kte_space *sp, const struct num *in, uint32_t n)
{
	volatile double d = in[0].f;
	volatile float f = in[0].f;
	uint64_t u = in[0].bits;
	uint32_t i;

	for (i = 1; i < n; i++) {
		switch (sp->op) {
		case KTE_OP_ADD:
			d = d + in[i].f;
			f = f + (float)in[i].f;
			u += in[i].bits;
			break;
		case KTE_OP_MUL:
			d = d * in[i].f;
			f = f * (float)in[i].f;
			u *= in[i].bits;
			break;
		case KTE_OP_AND:
			u &= in[i].bits;
			break;
		case KTE_OP_OR:
			u |= in[i].bits;
			break;
		default:
			u ^= in[i].bits;
		}
	}
	return floating(sp->dtype[0]) ? float_bits(d, f, sp->dtype[0]) : u;
}

static void fold_element(const struct kte_space *sp, const struct num *value,
			 const struct num *index, uint32_t n, uint64_t *out)
{
	uint32_t i, kept = 0;

	if (sp->op <= KTE_OP_MUL || (sp->op >= KTE_OP_AND && sp->op <= KTE_OP_XOR)) {
		out[0] = arithmetic(sp, value, n);
		return;
	}
	for (i = 1; i < n; i++)
		if (replaces(sp, &value[kept], &value[i], &index[kept], &index[i]))
			kept = i;
	out[0] = value[kept].nan ? canonical_nan(sp->dtype[0]) : value[kept].bits;
	out[1] = index[kept].bits;
}

static void expect_folds(struct rig *r, const struct kte_table *t)
{
	struct num in[KTE_MAX_ROLES][MAX_IN];
	uint32_t d, s, n, role, at[KTE_MAX_RANK];
	uint64_t i, out[KTE_MAX_ROLES];

	for (d = 0; d < t->n_dests; d++) {
		const struct kte_entry *e = &t->dests[d];
		const struct kte_space *sp = &t->spaces[e->space];

		for (i = 0; i < elements(e, sp->rank); i++) {
			nth_element(e, sp->rank, i, at);
			for (s = n = 0; s < t->n_sources; s++) {
				const struct kte_entry *f = &t->sources[s];

				if (f->space != e->space || !holds(f, sp->rank, at))
					continue;
				for (role = 0; role < sp->roles; role++)
					in[role][n] = read_num(r->start[f->tile] +
							       address(f, sp->rank, role, at),
							       sp->dtype[role]);
				n++;
			}
			fold_element(sp, in[0], in[1], n, out);
			for (role = 0; role < sp->roles; role++)
				memcpy(r->want[e->tile] + address(e, sp->rank, role, at),
				       &out[role], sp->elem_bytes[role]);
		}
	}
}

/* Values where folds differ: zeros, NaNs, infinities, subnormals, ties. */
static uint64_t edge_value(uint32_t dtype)
{
	static const uint64_t f16[] = { 0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfe12, 1,
					0x8001, 0x3ff, 0x3c00, 0xbc00, 0x7bff, 0x3c01, 0x0400 };
	static const uint64_t bf16[] = { 0, 0x8000, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0xffe1, 1,
					 0x3f80, 0xbf80, 0x7f7f, 0x3f81, 0x0080, 0x807f, 0x4040 };
	static const uint64_t f32[] = { 0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
					0x7f800001, 0xffc12345, 1, 0x3f800000, 0xbf800000,
					0x7f7fffff, 0x33800000, 0x4b800000, 0x800000, 0x807fffff };
	static const uint64_t f64[] = { 0, 1ull << 63, 0x7ffull << 52, 0xfffull << 52,
					0x7ff8ull << 48, (0x7ffull << 52) + 1,
					0xfff8123ull << 36, 1, 0x3ffull << 52, 0xbffull << 52,
					(0x7ffull << 52) - 1,
					0x3caull << 52, 0x434ull << 52, 1ull << 52,
					0x4008ull << 48 };
	uint32_t k = pick(15);

	if (!pick(4))
		return rng();
	switch (dtype) {
	case KTE_DT_F16:
		return f16[k];
	case KTE_DT_BF16:
		return bf16[k];
	case KTE_DT_F32:
		return f32[k];
	case KTE_DT_F64:
		return f64[k];
	default:
		return k < 8 ? k - 4ull : ~0ull >> (k - 8);
	}
}

struct plan_fold {
	struct kte_space space;
	struct kte_entry sources[MAX_IN];
	struct kte_entry dests[8];
	struct kte_table t;
	uint64_t used[2][8];
};

static void place_fold(struct plan_fold *p, struct kte_entry *e, bool result, bool swap)
{
	uint32_t r, rank = p->space.rank, a, i;
	uint64_t step, *used = &p->used[result][e->tile];

	for (r = 0; r < p->space.roles; r++) {
		*used = (*used + 15) & ~15ull;
		e->offset[r] = *used + (result ? HALF : 0);
		step = p->space.elem_bytes[r];
		for (i = 0; i < rank; i++) {
			a = swap ? i : rank - 1 - i;
			e->stride[r][a] = step;
			step *= e->size[a];
		}
		*used += step;
	}
}

static void fold_plan(struct plan_fold *p, uint32_t op, uint32_t mode, uint32_t dtype,
		      uint32_t index, uint32_t n_in, uint32_t e0, uint32_t e1, uint32_t swap)
{
	uint32_t i;

	memset(p, 0, sizeof(*p));
	p->space = (struct kte_space){ .rank = 2, .op = op, .mode = mode, .extent = { e0, e1 } };
	p->space.roles = op >= KTE_OP_ARGMIN ? 2 : 1;
	p->space.dtype[0] = dtype;
	p->space.elem_bytes[0] = kte_dtype_bytes(dtype);
	if (p->space.roles == 2) {
		p->space.dtype[1] = index;
		p->space.elem_bytes[1] = kte_dtype_bytes(index);
	}
	for (i = 0; i < n_in; i++) {
		p->sources[i] = (struct kte_entry){ .tile = i % 8, .size = { e0, e1 } };
		place_fold(p, &p->sources[i], false, swap & 1 && i % 3);
	}
	p->dests[0] = (struct kte_entry){ .tile = 3, .size = { e0, e1 } };
	place_fold(p, &p->dests[0], true, swap & 2);
	p->t = (struct kte_table){ .spaces = &p->space, .sources = p->sources, .dests = p->dests,
				   .n_spaces = 1, .n_sources = n_in, .n_dests = 1 };
}

static uint64_t check_fold(struct plan_fold *p)
{
	static const unsigned int parts[] = { 1, 3 };
	uint64_t wrong = 0, i, v, at;
	uint32_t s, role, isa, k;
	struct rig r;

	if (rig_open(&r, &p->t, 8, WINDOW)) {
		diag("refused: %s, fault %s", kte_reason_name(r.why.reason),
		     kte_fault_name(r.fault.code));
		rig_close(&r);
		return 1;
	}
	for (s = 0; s < p->t.n_sources; s++)
		for (role = 0; role < p->space.roles; role++)
			for (i = 0; i < elements(&p->sources[s], p->space.rank); i++) {
				v = edge_value(p->space.dtype[role]);
				at = p->sources[s].offset[role] + i * p->space.elem_bytes[role];
				memcpy(r.start[p->sources[s].tile] + at, &v,
				       p->space.elem_bytes[role]);
			}
	for (s = 0; s < 8; s++)
		memcpy(r.want[s], r.start[s], WINDOW);
	expect_folds(&r, &p->t);
	for (isa = 0; isa < KTE_ISA_COUNT; isa++)
		for (k = 0; k < 2 && kte_prog_set_isa(r.prog, isa); k++) {
			wrong += rig_run(&r, parts[k]) != 0;
			wrong += rig_wrong(&r);
		}
	if (wrong)
		diag("%s %s mode 0x%x, %u contributions, %u x %u", kte_op_name(p->space.op),
		     kte_dtype_name(p->space.dtype[0]), p->space.mode, p->t.n_sources,
		     p->space.extent[0], p->space.extent[1]);
	rig_close(&r);
	return wrong;
}

static struct plan_fold p0;

/* Every operation, type and mode the fold unit says it has. */
static void test_all(void)
{
	uint64_t wrong = 0, n = 0;
	uint32_t op, dtype, mode, index, sizes;

	for (op = KTE_OP_ADD; op < KTE_OP_COUNT; op++)
		for (dtype = KTE_DT_F16; dtype < KTE_DT_COUNT; dtype++)
			for (mode = 0; mode <= KTE_MODE_MASK; mode++) {
				index = op < KTE_OP_ARGMIN ? KTE_DT_OPAQUE : KTE_DT_I8 + n % 4;
				if (!kte_fold_valid(op, mode, dtype, index))
					continue;
				sizes = 1 + pick(200);
				fold_plan(&p0, op, mode, dtype, index, 1 + n % MAX_IN, 1 + n % 2,
					  sizes, n % 4);
				wrong += check_fold(&p0) > 0;
				n++;
			}
	is_u64(wrong, 0, "%llu combinations of operation, type and mode",
	       (unsigned long long)n);
	ok(n > 500, "that many are valid");
}

/* Blocks, tails, groups: sizes around the boundaries. */
static void test_sizes(void)
{
	static const uint32_t sizes[] = { 1, 7, 8, 31, 32, 33, 127, 129, 1023, 4097 };
	uint64_t wrong = 0;
	uint32_t i, dtype, n;

	for (dtype = KTE_DT_F16; dtype < KTE_DT_COUNT; dtype++)
		for (i = 0; i < 10; i++)
			for (n = 1; n < 18; n += 4) {
				if (sizes[i] * kte_dtype_bytes(dtype) * (n / 8 + 1) > HALF - 64)
					continue;
				fold_plan(&p0, KTE_OP_ADD, 0, dtype, 0, n, 1, sizes[i], 0);
				wrong += check_fold(&p0) > 0;
			}
	fold_plan(&p0, KTE_OP_MAX, KTE_MODE_ZERO_ORDERED, KTE_DT_F16, 0, 9, 3, 8000, 0);
	wrong += check_fold(&p0) > 0;
	fold_plan(&p0, KTE_OP_ADD, 0, KTE_DT_I8, 0, 5, 2, 20000, 0);
	wrong += check_fold(&p0) > 0;
	fold_plan(&p0, KTE_OP_ARGMAX, 0, KTE_DT_F32, KTE_DT_I64, 9, 3, 700, 3);
	wrong += check_fold(&p0) > 0;
	is_u64(wrong, 0, "sizes and contributions around blocks, vectors and groups");
}

/* Three tiles get the sum, one of them staged onto a contribution. */
static void test_members(void)
{
	uint64_t wrong = 0;
	uint32_t i, k, roles;

	for (roles = 1; roles < 3; roles++)
		for (k = 0; k < 4; k++) {
			fold_plan(&p0, roles == 1 ? KTE_OP_ADD : KTE_OP_ARGMIN, 0, KTE_DT_F32,
				  KTE_DT_I16, 4, 5, 300, k);
			for (i = 1; i < 4; i++) {
				p0.dests[i] = p0.dests[0];
				p0.dests[i].tile = 3 + i;
			}
			p0.t.n_dests = 4;
			p0.dests[3] = p0.sources[2];
			p0.dests[3].flags = KTE_ENTRY_STAGED;
			p0.t.stage_offset = WINDOW - 16384;
			p0.t.stage_bytes = 16384;
			wrong += check_fold(&p0) > 0;
		}
	is_u64(wrong, 0, "several results, one staged over a contribution");
}

static uint64_t one_fold(uint32_t op, uint32_t mode, uint32_t dtype, const uint64_t *in,
			 uint32_t n)
{
	struct rig r;
	uint64_t out = 0;
	uint32_t i;

	fold_plan(&p0, op, mode, dtype, 0, n, 1, 1, 0);
	if (rig_open(&r, &p0.t, 8, WINDOW))
		return ~0ull;
	for (i = 0; i < n; i++)
		memcpy(r.start[p0.sources[i].tile] + p0.sources[i].offset[0], &in[i], 8);
	rig_run(&r, 1);
	memcpy(&out, r.pads[3] + HALF, kte_dtype_bytes(dtype));
	rig_close(&r);
	return out;
}

/* Numbers worked out by hand, so that evaluator and engine cannot be wrong together. */
static void test_by_hand(void)
{
	/* 2048 + 1 + 1 in f32 is 2050; rounded after each step it would stay 2048. */
	static const uint64_t once[] = { 0x6800, 0x3c00, 0x3c00 };
	static const uint64_t snan[] = { 0x7c01 }, wrap[] = { 0x7f, 1 };
	static const uint64_t zeros[] = { 0x0000, 0x8000 }, nans[] = { 0x7fc00000, 0x40000000 };
	static const uint64_t parts[] = { 1, 2, 4, 8 };

	is_u64(one_fold(KTE_OP_ADD, 0, KTE_DT_F16, once, 3), 0x6801, "f16 sums round once");
	is_u64(one_fold(KTE_OP_ADD, 0, KTE_DT_F16, snan, 1), 0x7e00,
	       "a lone NaN contribution becomes canonical");
	is_u64(one_fold(KTE_OP_ADD, 0, KTE_DT_I8, wrap, 2), 0x80, "i8 wraps");
	is_u64(one_fold(KTE_OP_ADD, 0, KTE_DT_I64, parts, 4), 15, "1 + 2 + 4 + 8");
	is_u64(one_fold(KTE_OP_MIN, 0, KTE_DT_F16, zeros, 2), 0, "min(+0, -0): a tie, the first");
	is_u64(one_fold(KTE_OP_MIN, KTE_MODE_TIE_LAST, KTE_DT_F16, zeros, 2), 0x8000,
	       "min(+0, -0): a tie, the last");
	is_u64(one_fold(KTE_OP_MIN, KTE_MODE_ZERO_ORDERED, KTE_DT_F16, zeros, 2), 0x8000,
	       "min(+0, -0) with -0 < +0");
	is_u64(one_fold(KTE_OP_MAX, 0, KTE_DT_F32, nans, 2), 0x7fc00000, "max propagates a NaN");
	is_u64(one_fold(KTE_OP_MAX, KTE_MODE_NAN_NUMBER, KTE_DT_F32, nans, 2), 0x40000000,
	       "max takes the number");
	is_u64(one_fold(KTE_OP_MAX, KTE_MODE_NAN_RHS, KTE_DT_F32, nans, 2), 0x40000000,
	       "max takes rhs when unordered");
	is_u64(one_fold(KTE_OP_MAX, KTE_MODE_NAN_LHS, KTE_DT_F32, nans, 2), 0x7fc00000,
	       "max keeps lhs when unordered");
}

int main(void)
{
	test_by_hand();
	test_all();
	test_sizes();
	test_members();
	return done_testing();
}
