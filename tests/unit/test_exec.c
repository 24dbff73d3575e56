// SPDX-License-Identifier: MIT
/*
 * Programs of copies against a walk over every element: random boxes with
 * permuted and padded strides, staging, in-place moves, interleaving and dealing
 * out of every width, multicast; every instruction set, any number of parts.
 */
#include "exec_util.h"

#define PADS	8u
#define WINDOW	(4 * AREA)
#define AREA	(24u << 10)	/* sources | destinations | staged destinations | staging */
#define MAX	256u

struct plan {
	struct kte_space space;
	struct kte_entry sources[MAX];
	struct kte_entry dests[MAX];
	struct kte_table t;
	uint64_t used[PADS];	/* of the source area */
	uint64_t results[PADS];
	uint64_t staged[PADS];
};

static uint64_t kinds[KTE_K_LOCAL + 1];

static void plan_init(struct plan *p, uint32_t rank, uint32_t elem)
{
	memset(p, 0, sizeof(*p));
	p->space.rank = rank;
	p->space.roles = 1;
	p->space.elem_bytes[0] = elem;
	p->t.spaces = &p->space;
	p->t.sources = p->sources;
	p->t.dests = p->dests;
	p->t.n_spaces = 1;
}

/* Strides for the axes in @order (slowest first), @gap bytes wasted per row; bytes used. */
static uint64_t lay_out(struct kte_entry *e, uint32_t rank, uint32_t elem, const uint32_t *order,
			uint32_t gap)
{
	uint64_t step = elem, last = elem;
	uint32_t i, a;

	for (i = rank; i-- > 0;) {
		a = order[i];
		e->stride[0][a] = step;
		last += (e->size[a] - 1) * step;
		step = step * e->size[a] + (e->size[a] > 1 ? gap : 0);
	}
	return last;
}

static void random_order(uint32_t *order, uint32_t rank, bool shuffle)
{
	uint32_t i, k, tmp;

	for (i = 0; i < rank; i++)
		order[i] = i;
	for (i = rank; shuffle && i > 1; i--) {
		k = pick(i);
		tmp = order[k];
		order[k] = order[i - 1];
		order[i - 1] = tmp;
	}
}

/* Place an entry in an area of its tile; false if it is full. */
static bool place(struct plan *p, struct kte_entry *e, uint64_t *used, uint64_t area,
		  bool shuffle)
{
	uint32_t order[KTE_MAX_RANK], elem = p->space.elem_bytes[0];
	uint64_t bytes;

	random_order(order, p->space.rank, shuffle);
	bytes = lay_out(e, p->space.rank, elem, order, shuffle && pick(2) ? pick(70) : 0);
	*used += pick(3) ? 0 : pick(40);
	if (*used + bytes > AREA)
		return false;
	e->offset[0] = area + *used;
	*used += bytes;
	return true;
}

static bool add_source_box(struct plan *p, const struct kte_entry *box, bool shuffle)
{
	struct kte_entry *e = &p->sources[p->t.n_sources];

	if (p->t.n_sources == MAX)
		return false;
	*e = *box;
	e->tile = pick(PADS);
	if (!place(p, e, &p->used[e->tile], 0, shuffle))
		return false;
	p->t.n_sources++;
	return true;
}

/* Cut a box into pieces, each a source. */
static bool cut_sources(struct plan *p, struct kte_entry *box, uint32_t cuts, bool shuffle)
{
	struct kte_entry rest;
	uint32_t a = pick(p->space.rank), at;

	if (!cuts || box->size[a] < 2)
		return add_source_box(p, box, shuffle);
	at = 1 + pick(box->size[a] - 1);
	rest = *box;
	rest.start[a] += at;
	rest.size[a] -= at;
	box->size[a] = at;
	return cut_sources(p, box, cuts - 1, shuffle) &&
	       cut_sources(p, &rest, cuts - 1, shuffle);
}

static bool add_dest_box(struct plan *p, const struct kte_entry *box, uint32_t tile, bool shuffle,
			 bool staged)
{
	struct kte_entry *e = &p->dests[p->t.n_dests];
	uint64_t *used = staged ? &p->staged[tile] : &p->results[tile];

	if (p->t.n_dests == MAX)
		return false;
	*e = *box;
	e->tile = tile;
	/* Staged results may fall on source bytes. */
	if (!place(p, e, used, staged ? 0 : AREA, shuffle))
		return false;
	e->flags = staged ? KTE_ENTRY_STAGED : 0;
	p->t.n_dests++;
	return true;
}

static void random_plan(struct plan *p)
{
	static const uint8_t elems[] = { 1, 2, 4, 8, 16, 3, 2, 4, 6, 12 };
	uint32_t rank = 1 + pick(4), i, a, n, tile;
	struct kte_entry box = { 0 };
	bool shuffle = pick(3);

	plan_init(p, rank, elems[pick(sizeof(elems))]);
	for (a = 0; a < rank; a++) {
		p->space.extent[a] = 1 + pick(rank == 1 ? 2000 : rank == 2 ? 70 : 14);
		box.size[a] = p->space.extent[a];
	}
	cut_sources(p, &box, pick(5), shuffle);
	n = 1 + pick(6);
	for (i = 0; i < n; i++) {
		uint32_t copies = pick(3) ? 1 : 1 + pick(PADS);
		bool staged = !pick(4), mixed = !pick(4);

		for (a = 0; a < rank; a++) {
			uint32_t whole = pick(3);

			box.start[a] = whole ? 0 : pick(p->space.extent[a]);
			box.size[a] = whole ? p->space.extent[a] :
				      1 + pick(p->space.extent[a] - box.start[a]);
		}
		for (tile = 0; tile < copies; tile++)
			if (!add_dest_box(p, &box, tile, shuffle && mixed, staged))
				break;
	}
	/* An entry that stays where it is. */
	if (p->t.n_sources && p->t.n_dests && p->t.n_dests < MAX && pick(2)) {
		p->dests[p->t.n_dests] = p->sources[pick(p->t.n_sources)];
		for (i = 0; i < p->t.n_dests; i++)
			if (p->dests[i].flags)
				return;	/* would be overwritten */
		p->t.n_dests++;
	}
}

static void set_staging(struct plan *p)
{
	uint64_t need[PADS] = { 0 }, most = 0;
	uint32_t d;

	for (d = 0; d < p->t.n_dests; d++) {
		uint32_t tile = p->dests[d].tile;

		if (!p->dests[d].flags)
			continue;
		need[tile] += kte_stage_bytes(&p->dests[d], &p->space);
		most = need[tile] > most ? need[tile] : most;
	}
	p->t.stage_offset = most ? 2 * AREA : 0;
	p->t.stage_bytes = most;
}

/* Interleaving: axis 1 is dealt over @g entries on one side and whole on the other. */
static void comb_plan(struct plan *p, bool zip, uint32_t elem, uint32_t g, uint32_t n,
		      uint32_t copies, uint32_t run)
{
	struct kte_entry whole = { .size = { 2, n, g, run } }, part;
	uint32_t i, k;

	plan_init(p, 4, elem);
	for (i = 0; i < 4; i++)
		p->space.extent[i] = whole.size[i];
	if (!zip)
		add_source_box(p, &whole, false);
	for (k = 0; k < g; k++) {
		part = whole;
		part.start[2] = k;
		part.size[2] = 1;
		if (zip)
			add_source_box(p, &part, false);
		for (i = 0; !zip && i < copies; i++)
			add_dest_box(p, &part, i, false, false);
	}
	for (i = 0; zip && i < copies; i++)
		add_dest_box(p, &whole, i, false, false);
}

static void xpose_plan(struct plan *p, uint32_t elem, uint32_t rows, uint32_t cols,
		       uint32_t copies)
{
	struct kte_entry box = { .size = { 2, rows, cols } };
	static const uint32_t order[] = { 0, 2, 1 };
	uint64_t bytes;
	uint32_t i;

	plan_init(p, 3, elem);
	for (i = 0; i < 3; i++)
		p->space.extent[i] = box.size[i];
	add_source_box(p, &box, false);
	for (i = 0; i < copies; i++) {
		struct kte_entry *e = &p->dests[p->t.n_dests++];

		*e = box;
		e->tile = i;
		bytes = lay_out(e, 3, elem, order, 0);
		e->offset[0] = AREA + p->results[i];
		p->results[i] += bytes;
	}
}

/* Runs a plan every way; counts what went wrong. */
static uint64_t check_plan(struct plan *p, const char *what)
{
	static const unsigned int parts[] = { 1, 2, 3, 7 };
	uint64_t wrong = 0;
	unsigned int isa, k;
	struct rig r;
	uint32_t i;
	int err;

	set_staging(p);
	if (!p->t.n_sources || !p->t.n_dests)
		return 0;
	err = rig_open(&r, &p->t, PADS, WINDOW);
	if (err) {
		/* Boxes a source did not find room for. */
		wrong = r.why.reason != KTE_R_COVERAGE;
		if (wrong)
			diag("%s: %s %u, fault %s", what, kte_reason_name(r.why.reason),
			     r.why.index, kte_fault_name(r.fault.code));
		rig_close(&r);
		return wrong;
	}
	for (i = 0; i < r.prog->ops.n; i++)
		kinds[((struct kte_insn *)r.prog->ops.p)[i].kind]++;
	expect_copies(&r, &p->t);
	for (isa = 0; isa < KTE_ISA_COUNT; isa++) {
		if (!kte_prog_set_isa(r.prog, isa))
			continue;
		for (k = 0; k < 4; k++) {
			r.prog->stream_stores = pick(2);
			wrong += rig_run(&r, parts[k]) != 0;
			wrong += rig_wrong(&r);
		}
	}
	if (wrong)
		diag("%s: rank %u elem %u, %u sources, %u destinations", what, p->space.rank,
		     p->space.elem_bytes[0], p->t.n_sources, p->t.n_dests);
	rig_close(&r);
	wrong += r.state.live;
	return wrong;
}

static struct plan p0;

static void test_random(void)
{
	uint64_t wrong = 0;
	unsigned int i;

	for (i = 0; i < tap_rounds(800) && wrong < 3; i++) {
		rng_state = i + 1;
		random_plan(&p0);
		if (check_plan(&p0, "random")) {
			wrong++;
			diag("seed %u", i + 1);
		}
	}
	is_u64(wrong, 0, "800 random programs of boxes, strides, staging, multicast");
}

static void test_combs(void)
{
	static const uint8_t elems[] = { 1, 2, 4, 8, 3, 16 };
	uint64_t wrong = 0;
	uint32_t e, g, zip, run, n, copies;

	for (e = 0; e < sizeof(elems); e++)
		for (g = 2; g <= 17; g++)
			for (zip = 0; zip < 2; zip++)
				for (run = 1; run < 4; run += 2)
					for (copies = 1; copies < 4; copies++) {
						n = 1 + pick(90) * 8 / elems[e] / g;
						comb_plan(&p0, zip, elems[e], g, n, copies, run);
						wrong += check_plan(&p0, zip ? "zip" : "deal") > 0;
					}
	is_u64(wrong, 0, "interleaving and dealing out, 2 to 17 ways");
}

static void test_xpose(void)
{
	static const uint8_t elems[] = { 1, 2, 4, 8, 5 };
	uint64_t wrong = 0;
	uint32_t e, i;

	for (e = 0; e < sizeof(elems); e++)
		for (i = 0; i < 40; i++) {
			uint32_t rows = 1 + pick(i < 5 ? 5 : 40);
			uint32_t cols = 1 + pick(AREA / 4 / elems[e] / rows > 900 ? 900 :
						  AREA / 4 / elems[e] / rows);

			xpose_plan(&p0, elems[e], rows, cols, 1 + i % 2);
			wrong += check_plan(&p0, "transpose") > 0;
		}
	is_u64(wrong, 0, "exchange of two axes");
}

/* Tiles of a ring of four exchange owners at one address, twice over. */
static void test_in_place(void)
{
	uint32_t i, k;

	plan_init(&p0, 2, 2);
	p0.space.extent[0] = 16;
	p0.space.extent[1] = 100;
	for (i = 0; i < 4; i++) {
		struct kte_entry e = { .tile = i, .start = { 4 * i }, .size = { 4, 100 },
				       .stride = { { 200, 2 } } };

		p0.sources[p0.t.n_sources++] = e;
	}
	for (i = 0; i < 4; i++) {
		struct kte_entry e = p0.sources[(i + 1) % 4];

		e.tile = i;
		e.flags = KTE_ENTRY_STAGED;
		p0.dests[p0.t.n_dests++] = e;
	}
	is_u64(check_plan(&p0, "in place"), 0, "owners exchanged at one address");
	/* All-gather where every tile's own share already lies in place. */
	plan_init(&p0, 1, 2);
	p0.space.extent[0] = 800;
	for (i = 0; i < 4; i++)
		p0.sources[p0.t.n_sources++] = (struct kte_entry){
			.tile = i, .start = { 200 * i }, .size = { 200 }, .offset = { 400 * i },
			.stride = { { 2 } } };
	for (k = 0; k < 4; k++)
		p0.dests[p0.t.n_dests++] = (struct kte_entry){
			.tile = k, .size = { 800 }, .stride = { { 2 } } };
	is_u64(check_plan(&p0, "own share in place"), 0, "own share of an all-gather in place");
}

static void test_big_runs(void)
{
	uint32_t i;

	plan_init(&p0, 2, 1);
	p0.space.extent[0] = 2;
	p0.space.extent[1] = 17000;
	p0.sources[0] = (struct kte_entry){ .size = { 2, 17000 }, .stride = { { 17100, 1 } } };
	p0.t.n_sources = 1;
	for (i = 0; i < 2; i++)
		p0.dests[i] = (struct kte_entry){ .size = { 2, 17000 }, .tile = 1 + i,
						    .offset = { 36000 },
						    .stride = { { 17007, 1 } } };
	p0.t.n_dests = 2;
	is_u64(check_plan(&p0, "long runs"), 0, "runs longer than a step");
	p0.t.n_dests = 1;
	p0.dests[0].flags = KTE_ENTRY_STAGED;
	p0.dests[0].offset[0] = 0;
	is_u64(check_plan(&p0, "long staged runs"), 0, "staged runs longer than a step");
	p0.dests[0].stride[0][0] = 17000;
	is_u64(check_plan(&p0, "long staged run"), 0, "one staged run");
}

static bool stop_at_once(void *ctx)
{
	++*(unsigned int *)ctx;
	return true;
}

static bool never(void *ctx)
{
	++*(unsigned int *)ctx;
	return false;
}

/* 16 tiles get 512 KiB each: the callback is asked at least every 256 KiB. */
static void test_stop(void)
{
	struct kte_space space = { .rank = 1, .roles = 1, .elem_bytes = { 1 },
				   .extent = { 512 << 10 } };
	struct kte_entry s = { .size = { 512 << 10 }, .stride = { { 1 } } }, d[16];
	struct kte_table t = { .spaces = &space, .sources = &s, .dests = d, .n_spaces = 1,
			       .n_sources = 1, .n_dests = 16 };
	unsigned int asked = 0;
	struct kte_run run;
	struct rig r;
	uint32_t i;

	for (i = 0; i < 16; i++) {
		d[i] = s;
		d[i].tile = i;
		d[i].offset[0] = 512 << 10;
	}
	ok(!rig_open(&r, &t, 16, 1 << 20), "multicast to 16 tiles");
	run = (struct kte_run){ .pads = r.pads, .n_pads = 16, .window = 1 << 20,
				.scratch = aligned_alloc(64, kte_prog_scratch_bytes(r.prog)),
				.stop = stop_at_once, .stop_ctx = &asked };
	ok(kte_prog_run(r.prog, &run) == -EINTR && asked == 1, "stopped when first asked");
	asked = 0;
	run.stop = never;
	ok(!kte_prog_run(r.prog, &run), "runs to the end when not stopped");
	ok(asked >= 32, "asked %u times in 8 MiB", asked);
	run.window--;
	ok(kte_prog_run(r.prog, &run) == -EINVAL, "window smaller than the image's");
	run.window++;
	run.n_pads = 15;
	ok(kte_prog_run(r.prog, &run) == -EINVAL, "fewer pads than the image's tiles");
	run.n_pads = 16;
	ok(kte_prog_run_part(r.prog, &run, 0, 2, 2) == -EINVAL, "part out of range");
	ok(kte_prog_run_part(r.prog, &run, 2, 0, 1) == -EINVAL, "phase out of range");
	free(run.scratch);
	rig_close(&r);
}

/* An image changed after compilation: what preparation alone checks. */
static void test_faults(void)
{
	struct kte_image_header *h;
	struct kte_entry *dest;
	struct kte_prog *prog;
	struct rig r;
	uint32_t i;

	plan_init(&p0, 1, 4);
	p0.space.extent[0] = 100;
	p0.sources[0] = (struct kte_entry){ .size = { 50 }, .stride = { { 4 } } };
	p0.sources[1] = (struct kte_entry){ .start = { 50 }, .size = { 50 }, .tile = 1,
					      .stride = { { 4 } } };
	p0.dests[0] = (struct kte_entry){ .size = { 100 }, .tile = 2, .stride = { { 4 } } };
	p0.t.n_sources = 2;
	p0.t.n_dests = 1;
	ok(!rig_open(&r, &p0.t, PADS, WINDOW), "two halves");
	h = r.image;
	dest = (struct kte_entry *)((uint8_t *)(h + 1) + sizeof(struct kte_space)) + 2;
	dest->count = 1;
	h->n_pairs = 1;
	ok(kte_prog_new(h, r.bytes, &r.lim, &r.env, &prog, &r.fault) == -EINVAL, "half missing");
	is_u64(r.fault.code, KTE_FAULT_COVERAGE, "is a coverage fault");
	is_u64(r.fault.entry, 2, "of the destination");
	is_u64(r.fault.tile, 2, "on its tile");
	is_u64(r.fault.address, 50, "with the elements found");
	ok(!prog, "and no program");
	dest->count = 2;
	h->n_pairs = 2;
	dest->stride[0][0] = 1;		/* 400 bytes of elements in 103 bytes of window */
	h->window_bytes = 200;
	ok(kte_prog_new(h, r.bytes, &r.lim, &r.env, &prog, &r.fault) == -EINVAL,
	   "a result that overlaps itself is refused");
	is_u64(r.fault.code, KTE_FAULT_ENTRY, "as a bad entry");
	ok(kte_prog_new(h, 64, &r.lim, &r.env, &prog, &r.fault) == -EINVAL &&
	   r.fault.code == KTE_FAULT_IMAGE, "shorter than a header");
	dest->stride[0][0] = 4;
	h->window_bytes = 400;
	for (i = 1; i < 60; i++) {
		r.state.fail_at = r.state.count + i;
		if (!kte_prog_new(h, r.bytes, &r.lim, &r.env, &prog, &r.fault))
			break;
		if (r.fault.code != KTE_FAULT_NOMEM)
			break;
	}
	ok(prog && i > 5, "every failed allocation is reported, %u of them", i - 1);
	kte_prog_free(prog);
	r.state.fail_at = 0;
	rig_close(&r);
	is_u64(r.state.live, 0, "all memory given back");
}

int main(void)
{
	static const char *const names[] = { "move", "nest", "list", "gather", "pack", "zip",
					     "unzip", "xpose", "fold", "local" };
	uint32_t i;

	test_random();
	test_combs();
	test_xpose();
	test_in_place();
	test_big_runs();
	test_stop();
	test_faults();
	for (i = 0; i <= KTE_K_LOCAL; i++)
		if (i != KTE_K_FOLD)
			ok(kinds[i] > 0, "%llu operations were of kind %s",
			   (unsigned long long)kinds[i], names[i]);
	return done_testing();
}
