// SPDX-License-Identifier: MIT
/*
 * Fuzzes execution with valid tables of any shape: the input is read as boxes,
 * strides, offsets, operations. What compiles is run on pads exactly as large as
 * the image says, in parts, with every instruction set; all must write the same
 * bytes, and copies must write what a walk over the elements says.
 */
#include "engine/exec_prog.h"
#include "fuzz.h"

#define TILES	4u
#define WINDOW	(16u << 10)
#define MAX	12u

static void *fuzz_alloc(void *ctx, size_t bytes)
{
	(void)ctx;
	return calloc(1, bytes);
}

static void fuzz_free(void *ctx, void *ptr)
{
	(void)ctx;
	free(ptr);
}

static const struct kte_env env = { .alloc = fuzz_alloc, .free = fuzz_free };

static const uint8_t *input;
static size_t left;

static uint32_t take(uint32_t below)
{
	uint32_t v = 0;

	if (left) {
		v = *input++;
		left--;
	}
	if (below > 256 && left) {
		v = v << 8 | *input++;
		left--;
	}
	return v % below;
}

struct table {
	struct kte_space space;
	struct kte_entry sources[MAX];
	struct kte_entry dests[MAX];
	struct kte_table t;
};

static void read_entry(struct table *t, struct kte_entry *e, bool source)
{
	uint64_t step[KTE_MAX_ROLES];
	uint32_t a, i, r, turn = take(4), whole = take(4);

	e->tile = take(TILES);
	for (r = 0; r < t->space.roles; r++) {
		step[r] = t->space.elem_bytes[r];
		e->offset[r] = take(WINDOW / 2) * (t->space.op == KTE_OP_COPY ? 1 : step[r]);
		e->offset[r] = e->offset[r] % (WINDOW / 2) / step[r] * step[r];
		if (t->space.op == KTE_OP_COPY)
			e->offset[r] += take(3);
		if (!source)
			e->offset[r] += WINDOW / 2;
	}
	for (i = 0; i < t->space.rank; i++) {
		a = (i + turn) % t->space.rank;
		e->start[a] = whole || (source && t->space.op != KTE_OP_COPY) ? 0 :
			      take(t->space.extent[a]);
		e->size[a] = whole || (source && t->space.op != KTE_OP_COPY) ?
			     t->space.extent[a] : 1 + take(t->space.extent[a] - e->start[a]);
		for (r = 0; r < t->space.roles; r++) {
			e->stride[r][a] = step[r];
			step[r] *= e->size[a] + (take(4) == 3);
		}
	}
}

/* Halves along an axis, so that copies are covered more often than by luck. */
static void read_table(struct table *t)
{
	uint32_t i, a, n;

	memset(t, 0, sizeof(*t));
	t->space.rank = 1 + take(4);
	t->space.op = take(3) ? KTE_OP_COPY : take(KTE_OP_COUNT);
	t->space.roles = t->space.op >= KTE_OP_ARGMIN ? 2 : 1;
	t->space.mode = t->space.op == KTE_OP_COPY ? 0 : take(KTE_MODE_MASK + 1);
	for (i = 0; i < t->space.roles; i++) {
		t->space.dtype[i] = t->space.op == KTE_OP_COPY ? 0 : 1 + take(KTE_DT_COUNT - 1);
		t->space.elem_bytes[i] = t->space.dtype[i] ? kte_dtype_bytes(t->space.dtype[i]) :
					 1 + take(KTE_MAX_ELEM_BYTES);
	}
	for (a = 0; a < t->space.rank; a++)
		t->space.extent[a] = 1 + take(a ? 17 : 300);
	t->t = (struct kte_table){ .spaces = &t->space, .sources = t->sources, .dests = t->dests,
				   .n_spaces = 1, .stage_offset = take(2) ? WINDOW : 0 };
	t->t.stage_bytes = t->t.stage_offset ? WINDOW : 0;
	n = 1 + take(MAX - 1);
	for (i = 0; i < n; i++)
		read_entry(t, &t->sources[t->t.n_sources++], true);
	if (t->space.op == KTE_OP_COPY) {
		a = take(t->space.rank);
		for (i = 0; i < n; i++) {	/* slices of axis a */
			struct kte_entry *e = &t->sources[i];
			uint64_t from = (uint64_t)t->space.extent[a] * i / n;
			uint32_t b;

			for (b = 0; b < t->space.rank; b++) {
				e->start[b] = 0;
				e->size[b] = t->space.extent[b];
			}
			e->start[a] = from;
			e->size[a] = (uint64_t)t->space.extent[a] * (i + 1) / n - from;
		}
	}
	n = 1 + take(MAX - 1);
	for (i = 0; i < n; i++) {
		struct kte_entry *e = &t->dests[t->t.n_dests++];

		if (i && take(2)) {
			*e = t->dests[i - 1];
			e->tile = take(TILES);
		} else {
			read_entry(t, e, false);
			e->flags = t->t.stage_bytes && !take(3) ? KTE_ENTRY_STAGED : 0;
			if (e->flags)
				e->offset[0] -= take(2) ? WINDOW / 2 : 0;
		}
	}
}

static uint64_t byte_of(const struct kte_entry *e, uint32_t rank, const uint32_t *at)
{
	uint64_t v = e->offset[0];
	uint32_t a;

	for (a = 0; a < rank; a++)
		v += e->size[a] > 1 ? (at[a] - e->start[a]) * e->stride[0][a] : 0;
	return v;
}

/* @want: the pads after the copies of @t, from the pads @was. */
static void walk(const struct table *t, uint8_t *const *was, uint8_t *const *want)
{
	uint32_t d, s, a, at[KTE_MAX_RANK];
	uint64_t i, k, n;

	for (d = 0; d < t->t.n_dests; d++) {
		const struct kte_entry *e = &t->dests[d];

		for (a = 0, n = 1; a < t->space.rank; a++)
			n *= e->size[a];
		for (i = 0; i < n; i++) {
			for (a = t->space.rank, k = i; a-- > 0; k /= e->size[a])
				at[a] = e->start[a] + k % e->size[a];
			for (s = 0; s < t->t.n_sources; s++) {
				const struct kte_entry *f = &t->sources[s];
				bool in = true;

				for (a = 0; a < t->space.rank; a++)
					in = in && at[a] >= f->start[a] &&
					     at[a] < f->start[a] + f->size[a];
				if (in)
					memcpy(want[e->tile] + byte_of(e, t->space.rank, at),
					       was[f->tile] + byte_of(f, t->space.rank, at),
					       t->space.elem_bytes[0]);
			}
		}
	}
}

static void fill(uint8_t *const *pads, uint64_t window)
{
	uint64_t i, x = 1;
	uint32_t p;

	for (p = 0; p < TILES; p++)
		for (i = 0; i + 8 <= window; i += 8) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			memcpy(pads[p] + i, &x, 8);
		}
}

static void copy_pads(uint8_t *const *to, uint8_t *const *from, uint64_t window)
{
	uint32_t p;

	for (p = 0; p < TILES; p++)
		memcpy(to[p], from[p], window);
}

static bool equal(const struct kte_image_header *h, uint8_t *const *a, uint8_t *const *b)
{
	uint64_t end = h->stage_bytes ? h->stage_offset : h->window_bytes;
	uint32_t p;

	for (p = 0; p < TILES; p++)
		if (memcmp(a[p], b[p], end))
			return false;
	return true;
}

static void execute(struct table *t, struct kte_prog *prog, const struct kte_image_header *h)
{
	uint8_t *pads[TILES], *want[TILES], *was[TILES];
	struct kte_run run = { .pads = pads, .n_pads = TILES, .window = h->window_bytes };
	unsigned int isa, parts, part, phase;
	bool known = t->space.op == KTE_OP_COPY;
	uint32_t p;

	run.scratch = aligned_alloc(64, kte_prog_scratch_bytes(prog));
	for (p = 0; p < TILES; p++) {
		pads[p] = malloc(h->window_bytes);
		want[p] = malloc(h->window_bytes);
		was[p] = calloc(1, h->window_bytes);
	}
	fill(was, h->window_bytes);
	copy_pads(want, was, h->window_bytes);
	if (known)
		walk(t, was, want);
	for (isa = 0; isa < KTE_ISA_COUNT; isa++) {
		if (!kte_prog_set_isa(prog, isa))
			continue;
		for (parts = 1; parts < 4; parts++) {
			copy_pads(pads, was, h->window_bytes);
			for (phase = 0; phase < kte_prog_phases(prog); phase++) {
				for (part = 0; part < parts; part++) {
					int err = kte_prog_run_part(prog, &run, phase, part, parts);

					FUZZ_HOLDS(!err);
				}
			}
			if (known)
				FUZZ_HOLDS(equal(h, pads, want));
			if (!known)
				copy_pads(want, pads, h->window_bytes);
			known = true;
		}
	}
	for (p = 0; p < TILES; p++) {
		free(pads[p]);
		free(want[p]);
		free(was[p]);
	}
	free(run.scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kte_counters counters;
	struct kte_fault fault;
	struct kte_reject why;
	struct kte_limits lim;
	struct kte_prog *prog;
	struct table t;
	uint64_t bytes;
	void *image;

	input = data;
	left = size;
	read_table(&t);
	kte_limits_hw(&lim, TILES, 2 * WINDOW);
	if (kte_table_compile(&t.t, &lim, &env, &image, &bytes, &why))
		return 0;
	FUZZ_HOLDS(!kte_prog_new(image, bytes, &lim, &env, &prog, &fault));
	FUZZ_HOLDS(!kte_prog_count(prog, NULL, 0, TILES, NULL, &counters));
	FUZZ_HOLDS(counters.injections <= counters.transfers);
	FUZZ_HOLDS(counters.injected_bytes <= counters.remote_bytes);
	execute(&t, prog, image);
	kte_prog_free(prog);
	free(image);
	return 0;
}
