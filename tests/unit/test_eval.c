// SPDX-License-Identifier: MIT
/*
 * The evaluator and the check: fold arithmetic by hand, and that a wrong image is found
 * whatever is wrong with it.
 */
#include "ktir_case.h"

#include <errno.h>
#include <stdlib.h>

#include "check_run.h"
#include "fill.h"

/* --- arithmetic --------------------------------------------------------------------------- */

static uint64_t fold(uint8_t op, uint8_t mode, uint8_t dtype, unsigned int n, const uint64_t *in)
{
	struct kt_fold_value v;
	uint64_t out = 0;
	unsigned int i;

	kt_fold_begin(&v, dtype, (const uint8_t *)&in[0], dtype, NULL);
	for (i = 1; i < n; i++)
		kt_fold_add(&v, op, mode, dtype, (const uint8_t *)&in[i], dtype, NULL);
	kt_fold_end(&v, dtype, (uint8_t *)&out, dtype, NULL);
	return out;
}

#define FOLD(op, mode, dtype, ...)						\
	fold(op, mode, dtype, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, (uint64_t[]){ __VA_ARGS__ })

static void test_floats(void)
{
	const uint8_t ordered = KTE_MODE_ZERO_ORDERED, number = KTE_MODE_NAN_NUMBER;

	is_u64(FOLD(KTE_OP_ADD, 0, KTE_DT_F16, 0x3c00, 0x4000), 0x4200, "f16: 1 + 2 = 3");
	is_u64(FOLD(KTE_OP_ADD, 0, KTE_DT_F16, 0x6800, 0x3c00, 0x3c00), 0x6801,
	       "f16: 2048 + 1 + 1 = 2050, summed in single precision");
	is_u64(FOLD(KTE_OP_ADD, 0, KTE_DT_F16, 0x6800, 0x3c00), 0x6800, "f16: 2049 rounds to even");
	is_u64(FOLD(KTE_OP_ADD, 0, KTE_DT_F16, 0x7bff, 0x4c00), 0x7c00, "f16: 65504 + 16 is infinite");
	is_u64(FOLD(KTE_OP_ADD, 0, KTE_DT_F16, 0x7bff, 0x4bff), 0x7bff, "f16: just below stays finite");
	is_u64(FOLD(KTE_OP_ADD, 0, KTE_DT_F16, 0x0001, 0x0001), 0x0002, "f16: denormals");
	is_u64(FOLD(KTE_OP_MUL, 0, KTE_DT_F16, 0x0001, 0x3800), 0x0000, "f16: half a denormal is 0");
	is_u64(FOLD(KTE_OP_MUL, 0, KTE_DT_F16, 0x0003, 0x3800), 0x0002, "f16: one and a half is 2");
	is_u64(FOLD(KTE_OP_ADD, 0, KTE_DT_F16, 0x8000, 0x8000), 0x8000, "f16: -0 + -0 = -0");
	is_u64(FOLD(KTE_OP_ADD, 0, KTE_DT_F16, 0x7c00, 0xfc00), 0x7e00, "f16: inf - inf is the quiet NaN");
	is_u64(FOLD(KTE_OP_ADD, 0, KTE_DT_F16, 0xfd55), 0x7e00, "f16: one NaN alone is made quiet");
	is_u64(FOLD(KTE_OP_ADD, 0, KTE_DT_BF16, 0x3f80, 0x3b80), 0x3f80, "bf16: 1 + 1/256 rounds to even");
	is_u64(FOLD(KTE_OP_ADD, 0, KTE_DT_BF16, 0x3f81, 0x3b80), 0x3f82, "bf16: and up from an odd one");
	is_u64(FOLD(KTE_OP_ADD, 0, KTE_DT_F32, 0x4b800000, 0x3f800000), 0x4b800000,
	       "f32: 2^24 + 1 rounds to even");
	is_u64(FOLD(KTE_OP_MUL, 0, KTE_DT_F32, 0x7f7fffff, 0x40000000), 0x7f800000, "f32: overflow");
	is_u64(FOLD(KTE_OP_ADD, 0, KTE_DT_F32, 0x7f800001), 0x7fc00000, "f32: NaN made quiet");
	is_u64(FOLD(KTE_OP_ADD, 0, KTE_DT_F64, 0x3ff0000000000000ull, 0x3ff0000000000000ull),
	       0x4000000000000000ull, "f64: 1 + 1 = 2");
	is_u64(FOLD(KTE_OP_MAX, ordered, KTE_DT_F32, 0x80000000, 0), 0, "max(-0, +0) = +0");
	is_u64(FOLD(KTE_OP_MIN, ordered, KTE_DT_F32, 0, 0x80000000), 0x80000000, "min(+0, -0) = -0");
	is_u64(FOLD(KTE_OP_MAX, 0, KTE_DT_F32, 0x80000000, 0), 0x80000000, "unordered: the first stays");
	is_u64(FOLD(KTE_OP_MAX, KTE_MODE_TIE_LAST, KTE_DT_F32, 0x80000000, 0), 0, "or the last");
	is_u64(FOLD(KTE_OP_MAX, ordered, KTE_DT_F32, 0x7fc00000, 0x3f800000), 0x7fc00000,
	       "a NaN propagates from the left");
	is_u64(FOLD(KTE_OP_MAX, ordered, KTE_DT_F32, 0x3f800000, 0x7fc00000, 0x40000000), 0x7fc00000,
	       "and from the middle");
	is_u64(FOLD(KTE_OP_MAX, number, KTE_DT_F32, 0x7fc00000, 0x3f800000), 0x3f800000,
	       "or the number is taken");
	is_u64(FOLD(KTE_OP_MIN, KTE_MODE_NAN_RHS, KTE_DT_F32, 0x3f800000, 0x7fc00000, 0x40000000),
	       0x40000000, "ordered compare and select keeps the right side");
	is_u64(FOLD(KTE_OP_MIN, KTE_MODE_NAN_LHS, KTE_DT_F32, 0x3f800000, 0x7fc00000, 0x40000000),
	       0x3f800000, "an unordered one the left");
}

static void test_ints(void)
{
	is_u64(FOLD(KTE_OP_ADD, 0, KTE_DT_I8, 0x7f, 1), 0x80, "i8 wraps");
	is_u64(FOLD(KTE_OP_MUL, 0, KTE_DT_I16, 0x100, 0x101), 0x100, "i16 wraps");
	is_u64(FOLD(KTE_OP_MAX, 0, KTE_DT_I8, 0x80, 0x01), 0x01, "signed max");
	is_u64(FOLD(KTE_OP_MAX, KTE_MODE_UNSIGNED, KTE_DT_I8, 0x80, 0x01), 0x80, "unsigned max");
	is_u64(FOLD(KTE_OP_MIN, 0, KTE_DT_I64, 1, ~0ull), ~0ull, "i64 signed min");
	is_u64(FOLD(KTE_OP_AND, 0, KTE_DT_I32, 0xff00ff, 0xf0f0f0), 0xf000f0, "and");
	is_u64(FOLD(KTE_OP_OR, 0, KTE_DT_I32, 0xf0, 0x0f), 0xff, "or");
	is_u64(FOLD(KTE_OP_XOR, 0, KTE_DT_I32, 0xff, 0x0f), 0xf0, "xor");
}

static uint64_t arg(uint8_t op, uint8_t mode, const uint32_t *v, const uint64_t *idx, unsigned int n)
{
	struct kt_fold_value f;
	uint64_t out = 0;
	uint32_t val;
	unsigned int i;

	kt_fold_begin(&f, KTE_DT_F32, (const uint8_t *)&v[0], KTE_DT_I64, (const uint8_t *)&idx[0]);
	for (i = 1; i < n; i++)
		kt_fold_add(&f, op, mode, KTE_DT_F32, (const uint8_t *)&v[i], KTE_DT_I64,
			    (const uint8_t *)&idx[i]);
	kt_fold_end(&f, KTE_DT_F32, (uint8_t *)&val, KTE_DT_I64, (uint8_t *)&out);
	return out;
}

static void test_args(void)
{
	static const uint32_t v[] = { 0x3f800000, 0x40000000, 0x40000000 };	/* 1 2 2 */
	static const uint64_t idx[] = { 9, 7, 5 }, neg[] = { 9, 7, ~0ull };

	is_u64(arg(KTE_OP_ARGMAX, KTE_MODE_TIE_FIRST, v, idx, 3), 7, "argmax, first of equals");
	is_u64(arg(KTE_OP_ARGMAX, KTE_MODE_TIE_LAST, v, idx, 3), 5, "last of equals");
	is_u64(arg(KTE_OP_ARGMAX, KTE_MODE_TIE_LOWER, v, idx, 3), 5, "lower index");
	is_u64(arg(KTE_OP_ARGMAX, KTE_MODE_TIE_LOWER, v, neg, 3), ~0ull, "signed: -1 is lower");
	is_u64(arg(KTE_OP_ARGMAX, KTE_MODE_TIE_LOWER | KTE_MODE_INDEX_UNSIGNED, v, neg, 3), 7,
	       "unsigned: it is not");
	is_u64(arg(KTE_OP_ARGMIN, 0, v, idx, 3), 9, "argmin");
}

/* --- fills ---------------------------------------------------------------------------------- */

static void test_fills(void)
{
	struct kt_io io = { .elem_bytes = 1, .rank = 1, .shape = { 300 }, .bytes = 300,
			    .dtype = KTE_DT_I8 };
	uint8_t lo[300], hi[300];
	unsigned int i, bad = 0;

	kt_fill_value(&io, KT_FILL_DIGIT, 0, 1, 0, lo);
	kt_fill_value(&io, KT_FILL_DIGIT, 1, 1, 0, hi);
	for (i = 0; i < 300; i++)
		bad += lo[i] + 256u * hi[i] != i + 1;
	is_u64(bad, 0, "two digits of one byte number 300 elements");
	kt_fill_value(&io, KT_FILL_INTEGERS, 0, 1, 7, lo);
	for (i = 0; i < 300; i++)
		bad += (int8_t)lo[i] < -3 || (int8_t)lo[i] > 3;
	is_u64(bad, 0, "small integers are small");
}

/* --- the check finds what is wrong ------------------------------------------------------------- */

static const char gather[] = SETS FUNC(
	VIEW("a", "%c0", "16") LOAD("x", "a", "16") PRODUCE("p", "x", "#four", "#one")
	GATHER("r", "p", "#four", "#one", "64") VIEW("d", "%c64", "64") STORE("r", "d", "64"));

static struct ktdev_device *soft;
static const struct ktdev_compile_opts target = { .size = sizeof(target), .cores = 8,
						  .window = 65536 };

/* Run the check on a plan whose image @damage has changed. */
static void expect_found(const char *name, void (*damage)(struct ktdev_plan *plan), bool found)
{
	struct ktdev_result res = { .size = sizeof(res) };
	struct kt_oracle oracle = { .eval = kt_eval_program };
	struct ktir_case k;
	int ret;

	case_init(&k, gather, &target);
	oracle.ctx = &k.c.prog;
	if (damage)
		damage(k.c.plan);
	ret = kt_check_plan(soft, k.c.plan, &oracle, 1, &res);
	ok(!ret && res.checked && res.ok == !found && !res.mismatches == !found, "%s", name);
	if (found && res.mismatches)
		diag("step %u tile %u element %lld @%llu expected %s found %s, pass %s",
		     res.first.step, res.first.tile, (long long)res.first.element,
		     (unsigned long long)res.first.address, res.first.expected, res.first.found,
		     res.first.pass);
	else if (!found)
		is_u64(res.checked_elements, 256, "every element was compared");
	case_fini(&k);
}

static struct kte_entry *entries(struct ktdev_plan *plan, uint32_t *sources)
{
	struct kte_image_header *h = plan->steps[0].image;

	*sources = h->n_sources;
	return (struct kte_entry *)((struct kte_space *)(h + 1) + h->n_spaces);
}

static void swap_fragments(struct ktdev_plan *plan)
{
	uint32_t n;
	struct kte_entry *e = entries(plan, &n);
	uint32_t start = e[0].start[0];

	e[0].start[0] = e[1].start[0];
	e[1].start[0] = start;
}

static void wrong_owner(struct ktdev_plan *plan)
{
	uint32_t n;

	entries(plan, &n)[2].tile = 3;
}

static void doubled(struct ktdev_plan *plan)
{
	uint32_t n;
	struct kte_entry *e = entries(plan, &n);

	e[1].offset[0] += 4;	/* one element on */
}

static void elsewhere(struct ktdev_plan *plan)
{
	uint32_t n;
	struct kte_entry *e = entries(plan, &n);

	e[n].offset[0] += 256;
	((struct kte_image_header *)plan->steps[0].image)->window_bytes = 768;
}

static void other_tile(struct ktdev_plan *plan)
{
	uint32_t n;
	struct kte_entry *e = entries(plan, &n);

	e[n + 3].tile = 5;
	((struct kte_image_header *)plan->steps[0].image)->n_tiles = 6;
}

static void test_check(void)
{
	expect_found("a right plan passes", NULL, false);
	expect_found("two fragments reversed", swap_fragments, true);
	expect_found("a wrong owner with equal counts", wrong_owner, true);
	expect_found("a piece that begins one element on", doubled, true);
	expect_found("a result at another base", elsewhere, true);
	expect_found("a result on another tile", other_tile, true);
}

/* EXPECT lines are what the writer meant. */
static void test_expect(void)
{
	static const char good[] = "// GIVEN tile 0..3 @0: i32 1*16\n"
				   "// EXPECT tile 0..3 @256: i32 1*64\n";
	static const char bad[] = "// EXPECT tile 0 @256: t1@0+64 t0@0+64 t2@0+64 t3@0+64\n";
	struct ktdev_result res = { .size = sizeof(res) };
	struct ktir_case k;
	char text[8192];

	snprintf(text, sizeof(text), "%s%s", good, gather);
	case_init(&k, text, &target);
	ok(!ktdev_check(soft, k.mod, NULL, 2, k.rep, &res) && res.ok, "what is expected and done");
	case_fini(&k);
	snprintf(text, sizeof(text), "%s%s", bad, gather);
	case_init(&k, text, &target);
	ok(!ktdev_check(soft, k.mod, NULL, 0, k.rep, &res) && !res.ok && res.mismatches &&
	   res.first.tile == 0 && res.first.address >= 256 && res.first.address < 384 &&
	   !strcmp(res.first.pass, "expect"), "two pieces in the other order than meant");
	case_fini(&k);
}

int main(void)
{
	if (ktdev_device_open("soft:cores=8,spm-size=64K", NULL, &soft))
		bail_out("no soft device");
	test_floats();
	test_ints();
	test_args();
	test_fills();
	test_check();
	test_expect();
	ktdev_device_close(soft);
	return done_testing();
}
