// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Running prepared programs: which kernels, which part. */
#include "exec_prog.h"

#if defined(__x86_64__)
#include <cpuid.h>

static bool has_avx2(void)
{
	uint32_t a, b, c, d;

	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

/* The largest cache of the leaf that describes them: 4 (Intel), 0x8000001d (AMD). */
static uint64_t cache_of_leaf(uint32_t leaf)
{
	uint32_t a, b, c, d, i;
	uint64_t best = 0, size;

	for (i = 0; i < 16 && __get_cpuid_count(leaf, i, &a, &b, &c, &d) && (a & 31); i++) {
		size = ((uint64_t)(b >> 22 & 0x3ff) + 1) * ((b >> 12 & 0x3ff) + 1) *
		       ((b & 0xfff) + 1) * ((uint64_t)c + 1);
		if ((a & 31) != 2 && size > best)
			best = size;
	}
	return best;
}

static uint64_t read_cache_bytes(void)
{
	uint64_t bytes = cache_of_leaf(4);

	return bytes ? bytes : cache_of_leaf(0x8000001d);
}
#else
static bool has_avx2(void)
{
	return false;
}

static uint64_t read_cache_bytes(void)
{
	return 0;
}
#endif

uint64_t kte_cache_bytes(void)
{
	static uint64_t known;	/* the same for every thread that finds it */
	uint64_t bytes = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (!bytes) {
		bytes = read_cache_bytes();
		if (!bytes)
			bytes = 32u << 20;
		__atomic_store_n(&known, bytes, __ATOMIC_RELAXED);
	}
	return bytes;
}

/* CPUID is slow where a hypervisor answers it: asked once. */
enum kte_isa kte_isa_best(void)
{
	static uint32_t known;	/* 1 + the answer */
	uint32_t isa = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (!isa) {
		isa = 1 + (has_avx2() ? KTE_ISA_AVX2 : KTE_ISA_GENERIC);
		__atomic_store_n(&known, isa, __ATOMIC_RELAXED);
	}
	return isa - 1;
}

bool kte_isa_has(enum kte_isa isa)
{
	return isa <= kte_isa_best();
}

bool kte_prog_set_isa(struct kte_prog *prog, enum kte_isa isa)
{
	if (!kte_isa_has(isa))
		return false;
	prog->isa = isa;
	return true;
}

size_t kte_prog_scratch_bytes(const struct kte_prog *prog)
{
	(void)prog;
	return KTE_SCRATCH_BYTES;
}

unsigned int kte_prog_phases(const struct kte_prog *prog)
{
	return prog->phase_step[2] > prog->phase_step[1] ? 2 : 1;
}

/* @part / @parts of @total without overflow. */
static uint64_t share(uint64_t total, uint64_t part, uint64_t parts)
{
	return total / parts * part + total % parts * part / parts;
}

/* First step of the phase that ends after byte @at. */
static uint32_t step_at(const struct kte_prog *prog, unsigned int phase, uint64_t at)
{
	const struct kte_step *st = prog->steps.p;
	uint32_t lo = prog->phase_step[phase], hi = prog->phase_step[phase + 1], mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (st[mid + 1].cum > at)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static void find_range(const struct kte_prog *prog, unsigned int phase, unsigned int part,
		       unsigned int parts, struct kte_range *r)
{
	const struct kte_step *st = prog->steps.p;
	uint64_t base, total = prog->phase_bytes[phase];

	r->step = prog->phase_step[phase];
	r->end = prog->phase_step[phase + 1];
	r->split = parts > 1;
	if (!r->split)
		return;
	base = st[r->step].cum;
	r->from = base + share(total, part, parts);
	r->to = base + share(total, part + 1, parts);
	r->step = step_at(prog, phase, r->from);
	if (part + 1 < parts) {
		r->end = step_at(prog, phase, r->to);
		if (r->end < prog->phase_step[phase + 1])
			r->end++;
	}
}

int kte_prog_run_part(const struct kte_prog *prog, const struct kte_run *run,
		      unsigned int phase, unsigned int part, unsigned int parts)
{
	struct kte_range range;

	if (run->n_pads < prog->head->n_tiles || run->window < prog->head->window_bytes ||
	    !run->pads || !run->scratch || phase > 1 || !parts || part >= parts)
		return -EINVAL;
	find_range(prog, phase, part, parts, &range);
	if (prog->isa == KTE_ISA_AVX2)
		return kte_exec_avx2(prog, run, &range);
	return kte_exec_generic(prog, run, &range);
}

int kte_prog_run(const struct kte_prog *prog, const struct kte_run *run)
{
	int err = kte_prog_run_part(prog, run, 0, 0, 1);

	return err || kte_prog_phases(prog) == 1 ? err : kte_prog_run_part(prog, run, 1, 0, 1);
}
