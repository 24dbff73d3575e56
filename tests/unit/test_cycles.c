// SPDX-License-Identifier: MIT
/*
 * Counters, cycles and stalls: programs small enough to count by hand, random
 * ones against an evaluation pair by pair of the definition in engine/cycles.c,
 * and one too large to be counted that way.
 */
#include <time.h>

#include "engine/cycles.h"
#include "exec_util.h"

#define PADS	16u
#define WINDOW	(64u << 10)
#define MAX	64u

struct plan_count {
	struct kte_space space;
	struct kte_entry sources[MAX];
	struct kte_entry dests[MAX];
	struct kte_table t;
};

static struct plan_count p0;

static void plan_init(struct plan_count *p, uint32_t e0, uint32_t e1)
{
	memset(p, 0, sizeof(*p));
	p->space = (struct kte_space){ .rank = 2, .roles = 1, .elem_bytes = { 2 },
				       .extent = { e0, e1 } };
	p->t.spaces = &p->space;
	p->t.sources = p->sources;
	p->t.dests = p->dests;
	p->t.n_spaces = 1;
}

static struct kte_entry *add(struct kte_entry *list, uint32_t *n, uint32_t tile, uint64_t offset,
			     uint32_t s0, uint32_t n0, uint32_t s1, uint32_t n1)
{
	struct kte_entry *e = &list[(*n)++];

	*e = (struct kte_entry){ .tile = tile, .start = { s0, s1 }, .size = { n0, n1 },
				 .offset = { offset }, .stride = { { n1 * 2, 2 } } };
	return e;
}

#define SOURCE(tile, off, ...) add(p0.sources, &p0.t.n_sources, tile, off, __VA_ARGS__)
#define DEST(tile, off, ...) add(p0.dests, &p0.t.n_dests, tile, off, __VA_ARGS__)

/* One pair of the definition. */
struct pair {
	uint32_t source, dest;
	uint32_t start[2], size[2];
	uint64_t bytes;
	bool dropped;
};

static struct pair pairs[MAX * MAX];

static uint32_t find_pairs(void)
{
	uint32_t s, d, a, n = 0;

	for (s = 0; s < p0.t.n_sources; s++)
		for (d = 0; d < p0.t.n_dests; d++) {
			const struct kte_entry *f = &p0.sources[s], *e = &p0.dests[d];
			struct pair *p = &pairs[n];
			bool meets = true, own = true;
			uint64_t from = f->offset[0], to = e->offset[0];

			p->bytes = 2;
			for (a = 0; a < 2; a++) {
				uint32_t end = f->start[a] + f->size[a];

				p->start[a] = f->start[a] > e->start[a] ? f->start[a] : e->start[a];
				if (e->start[a] + e->size[a] < end)
					end = e->start[a] + e->size[a];
				meets = meets && p->start[a] < end;
				p->size[a] = end - p->start[a];
				p->bytes *= p->size[a];
				from += (p->start[a] - f->start[a]) * f->stride[0][a];
				to += (p->start[a] - e->start[a]) * e->stride[0][a];
				own = own && (p->size[a] == 1 ||
					      f->stride[0][a] == e->stride[0][a]);
			}
			if (!meets)
				continue;
			p->source = s;
			p->dest = d;
			p->dropped = p0.space.op == KTE_OP_COPY && f->tile == e->tile && own &&
				     from == to;
			n++;
		}
	return n;
}

static int by_injection(const void *a, const void *b)
{
	const struct pair *p = a, *q = b;
	uint32_t i;

	if (p->source != q->source)
		return p->source < q->source ? -1 : 1;
	for (i = 0; i < 2; i++)
		if (p->start[i] != q->start[i])
			return p->start[i] < q->start[i] ? -1 : 1;
	for (i = 0; i < 2; i++)
		if (p->size[i] != q->size[i])
			return p->size[i] < q->size[i] ? -1 : 1;
	return p->dest < q->dest ? -1 : p->dest > q->dest;
}

static bool same_injection(const struct pair *p, const struct pair *q)
{
	return p->source == q->source && !memcmp(p->start, q->start, sizeof(p->start)) &&
	       !memcmp(p->size, q->size, sizeof(p->size));
}

static uint64_t up_of(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

struct reference {
	const uint16_t *map;
	uint32_t n;		/* cores */
	struct kte_counters c;
	uint64_t load[2][64], local[64], fold[64], stage[64], sent[64];
	struct {
		uint32_t core, hops[2];
		uint64_t start;
	} inj[MAX * MAX];
	uint32_t n_inj;
};

static struct reference ref;

static uint32_t link_of(uint32_t core, uint32_t k, uint32_t down)
{
	return down ? (core + 2 * ref.n - k) % ref.n : (core + k) % ref.n;
}

/* Pairs @i .. @k are one injection. */
static void reference_injection(uint32_t i, uint32_t k)
{
	const struct kte_timing *t = &kte_timing_default;
	uint32_t core = ref.map[p0.sources[pairs[i].source].tile], hops[2] = { 0 }, j, d, l;
	uint64_t live = 0, remote = 0;

	for (j = i; j < k; j++) {
		uint32_t to = ref.map[p0.dests[pairs[j].dest].tile];

		if (pairs[j].dropped)
			continue;
		live++;
		ref.c.transfers++;
		if (to == core) {
			ref.local[core] += up_of(pairs[j].bytes, t->local_bytes);
			continue;
		}
		remote++;
		ref.c.remote_bytes += pairs[j].bytes;
		d = (to + ref.n - core) % ref.n;
		if (d <= ref.n / 2)
			hops[0] = d > hops[0] ? d : hops[0];
		else
			hops[1] = ref.n - d > hops[1] ? ref.n - d : hops[1];
	}
	ref.c.injections += live > 0;
	if (!remote) {
		ref.local[core] += live ? t->setup_cycles : 0;
		return;
	}
	for (d = 0; d < 2; d++)
		for (l = 0; l < hops[d]; l++)
			ref.load[d][link_of(core, l, d)] += up_of(pairs[i].bytes, t->link_bytes);
	ref.inj[ref.n_inj].core = core;
	memcpy(ref.inj[ref.n_inj].hops, hops, sizeof(hops));
	ref.inj[ref.n_inj++].start = ++ref.sent[core] * t->setup_cycles;
}

static uint64_t most(const uint64_t *v)
{
	uint64_t m = 0;
	uint32_t i;

	for (i = 0; i < 64; i++)
		m = v[i] > m ? v[i] : m;
	return m;
}

static void reference_cycles(void)
{
	uint64_t move = most(ref.local), end, load;
	uint32_t i, d, l;

	for (i = 0; i < ref.n_inj; i++)
		for (d = 0; d < 2; d++) {
			load = 0;
			for (l = 0; l < ref.inj[i].hops[d]; l++) {
				uint64_t here = ref.load[d][link_of(ref.inj[i].core, l, d)];

				load = here > load ? here : load;
			}
			end = ref.inj[i].start + load + ref.inj[i].hops[d];
			move = end > move ? end : move;
		}
	ref.c.cycles = move + most(ref.fold) + most(ref.stage);
}

/* Elements of a source that a destination on another core needs, one by one. */
static uint64_t reference_injected(uint32_t s, uint32_t n)
{
	const struct kte_entry *f = &p0.sources[s];
	uint64_t bytes = 0;
	uint32_t x, y, k;

	for (x = f->start[0]; x < f->start[0] + f->size[0]; x++)
		for (y = f->start[1]; y < f->start[1] + f->size[1]; y++)
			for (k = 0; k < n; k++) {
				const struct pair *p = &pairs[k];

				if (p->source != s || p->dropped ||
				    ref.map[f->tile] == ref.map[p0.dests[p->dest].tile] ||
				    x < p->start[0] || x >= p->start[0] + p->size[0] ||
				    y < p->start[1] || y >= p->start[1] + p->size[1])
					continue;
				bytes += 2;
				break;
			}
	return bytes;
}

static void reference_count(const uint16_t *map, uint32_t n_cores)
{
	uint32_t n = find_pairs(), i, k, fan[2][MAX] = { { 0 } };

	memset(&ref, 0, sizeof(ref));
	ref.map = map;
	ref.n = n_cores;
	qsort(pairs, n, sizeof(pairs[0]), by_injection);
	for (i = 0; i < n; i = k) {
		for (k = i + 1; k < n && same_injection(&pairs[i], &pairs[k]); k++)
			;
		reference_injection(i, k);
	}
	for (i = 0; i < p0.t.n_dests; i++) {
		const struct kte_entry *e = &p0.dests[i];
		uint64_t bytes = elements(e, 2) * 2;

		ref.c.bytes_delivered += bytes;
		if (e->flags)
			ref.stage[map[e->tile]] += 16 + up_of(bytes, 128);
	}
	for (i = 0; i < n; i++) {
		if (pairs[i].dropped) {
			ref.c.bytes_delivered -= pairs[i].bytes;
			continue;
		}
		fan[0][pairs[i].dest]++;
		fan[1][pairs[i].source]++;
		if (p0.space.op != KTE_OP_COPY)
			ref.fold[map[p0.dests[pairs[i].dest].tile]] += up_of(pairs[i].bytes, 128);
	}
	for (i = 0; i < MAX; i++) {
		ref.c.max_fanin = fan[0][i] > ref.c.max_fanin ? fan[0][i] : ref.c.max_fanin;
		ref.c.max_fanout = fan[1][i] > ref.c.max_fanout ? fan[1][i] : ref.c.max_fanout;
	}
	for (i = 0; i < p0.t.n_sources; i++)
		ref.c.injected_bytes += reference_injected(i, n);
	reference_cycles();
}

static void random_boxes(void)
{
	uint32_t e0 = 1 + pick(12), e1 = 1 + pick(40), i, rows = 1 + pick(e0), y, h;
	uint64_t at[PADS] = { 0 };

	plan_init(&p0, e0, e1);
	for (i = 0; i < e0; i += h) {
		h = e0 - i < rows ? e0 - i : rows;
		y = 1 + pick(e1);
		SOURCE(pick(PADS), 0, i, h, 0, y);
		if (y < e1)
			SOURCE(pick(PADS), 0, i, h, y, e1 - y);
	}
	for (i = 0; i < p0.t.n_sources; i++) {
		p0.sources[i].offset[0] = at[p0.sources[i].tile];
		at[p0.sources[i].tile] += 1000;
	}
	for (i = 1 + pick(10); i; i--) {
		uint32_t s0 = pick(e0), s1 = pick(e1), k, copies = pick(2) ? 1 : 1 + pick(6);
		uint32_t n0 = 1 + pick(e0 - s0), n1 = 1 + pick(e1 - s1);

		if (pick(2))
			s0 = s1 = 0, n0 = e0, n1 = e1;
		for (k = 0; k < copies && p0.t.n_dests < MAX - 1; k++)
			DEST(pick(PADS), 30000 + 1000 * p0.t.n_dests, s0, n0, s1, n1);
	}
	/* One that stays where it is, if nothing else reads or writes there. */
	if (pick(2)) {
		p0.dests[p0.t.n_dests] = p0.sources[0];
		p0.t.n_dests++;
	}
	if (p0.t.n_dests && pick(3) == 0) {
		p0.dests[0].flags = KTE_ENTRY_STAGED;
		p0.t.stage_offset = 16384;
		p0.t.stage_bytes = 1024;
	}
}

static void show_counters(const char *who, const struct kte_counters *c)
{
	diag("%s: transfers %llu injections %llu delivered %llu remote %llu", who,
	     (unsigned long long)c->transfers, (unsigned long long)c->injections,
	     (unsigned long long)c->bytes_delivered, (unsigned long long)c->remote_bytes);
	diag("  injected %llu cycles %llu in %u out %u", (unsigned long long)c->injected_bytes,
	     (unsigned long long)c->cycles, c->max_fanin, c->max_fanout);
}

static void shuffle_map(uint16_t *map, uint32_t n_cores)
{
	uint16_t all[64], tmp;
	uint32_t i, k;

	for (i = 0; i < n_cores; i++)
		all[i] = i;
	for (i = n_cores; i > 1; i--) {
		k = pick(i);
		tmp = all[k];
		all[k] = all[i - 1];
		all[i - 1] = tmp;
	}
	memcpy(map, all, PADS * sizeof(*map));
}

static void test_random(void)
{
	uint64_t wrong = 0;
	uint32_t i, n = 0;

	for (i = 0; i < tap_rounds(3000) && wrong < 3; i++) {
		uint32_t n_cores = PADS + pick(49);
		struct kte_counters c;
		uint16_t map[PADS];
		struct rig r;

		rng_state = 77 * i + 1;
		random_boxes();
		shuffle_map(map, n_cores);
		if (!rig_open(&r, &p0.t, PADS, WINDOW)) {
			n++;
			reference_count(map, n_cores);
			if (kte_prog_count(r.prog, map, PADS, n_cores, NULL, &c) ||
			    memcmp(&c, &ref.c, sizeof(c))) {
				wrong++;
				diag("seed %u", i);
				show_counters("engine", &c);
				show_counters("definition", &ref.c);
			}
		}
		rig_close(&r);
	}
	is_u64(wrong, 0, "%u random tables and maps as defined pair by pair", n);
	ok(n > tap_rounds(2500), "most tables were valid");
}

static struct kte_counters count_of(struct rig *r, const uint16_t *map, uint32_t n_map,
				    uint32_t n_cores)
{
	struct kte_counters c;

	ok(!kte_prog_count(r->prog, map, n_map, n_cores, NULL, &c), "counted");
	return c;
}

/* 1000 bytes from tile 0 to tiles 1, 2 and 7 of a ring of 8. */
static void test_by_hand(void)
{
	static const uint64_t ready[8] = { 100, 30, 200 };
	static const uint16_t far[8] = { 9, 1, 2, 3, 4, 5, 6, 7 };
	struct kte_counters c;
	struct rig r;

	plan_init(&p0, 1, 500);
	SOURCE(0, 0, 0, 1, 0, 500);
	DEST(1, 0, 0, 1, 0, 500);
	DEST(2, 0, 0, 1, 0, 500);
	DEST(7, 0, 0, 1, 0, 500);
	ok(!rig_open(&r, &p0.t, 8, WINDOW), "multicast to three");
	c = count_of(&r, NULL, 0, 8);
	is_u64(c.transfers, 3, "three transfers");
	is_u64(c.injections, 1, "one injection");
	is_u64(c.bytes_delivered, 3000, "delivered");
	is_u64(c.remote_bytes, 3000, "all of it remote");
	is_u64(c.injected_bytes, 1000, "injected once");
	is_u64(c.max_fanin, 1, "fan-in");
	is_u64(c.max_fanout, 3, "fan-out");
	is_u64(c.cycles, 16 + 8 + 2, "setup, 8 cycles on a link, 2 hops up");
	c = count_of(&r, NULL, 0, 64);
	is_u64(c.cycles, 16 + 8 + 7, "7 hops up on a ring of 64");
	/* Tile 1 waits 70 for tile 0; tile 2 not at all; tile 7 100. */
	is_u64(kte_prog_stall(r.prog, ready, 8, true), 170, "stall per tile");
	/* All wait for cycle 200: 170 + 0 + 200. */
	is_u64(kte_prog_stall(r.prog, ready, 8, false), 370, "stall at a barrier");
	ok(kte_prog_count(r.prog, NULL, 0, 7, NULL, &c) == -EINVAL, "fewer cores than tiles");
	ok(kte_prog_count(r.prog, far, 8, 8, NULL, &c) == -EINVAL, "map names no core");
	ok(kte_prog_count(r.prog, far, 7, 16, NULL, &c) == -EINVAL, "map too short");
	ok(!kte_prog_count(r.prog, far, 8, 16, NULL, &c), "map that fits");
	r.state.fail_at = r.state.count + 3;
	ok(kte_prog_count(r.prog, NULL, 0, 8, NULL, &c) == -ENOMEM, "no memory");
	r.state.fail_at = 0;
	rig_close(&r);
	is_u64(r.state.live, 0, "all memory given back");
}

static void test_fold_by_hand(void)
{
	struct kte_counters c;
	struct rig r;

	plan_init(&p0, 1, 512);
	p0.space.op = KTE_OP_ADD;
	p0.space.dtype[0] = KTE_DT_F16;
	SOURCE(0, 0, 0, 1, 0, 512);
	SOURCE(1, 0, 0, 1, 0, 512);
	SOURCE(2, 0, 0, 1, 0, 512);
	DEST(1, 4096, 0, 1, 0, 512);
	ok(!rig_open(&r, &p0.t, 8, WINDOW), "sum of three on one");
	c = count_of(&r, NULL, 0, 8);
	is_u64(c.transfers, 3, "three contributions");
	is_u64(c.bytes_delivered, 1024, "one result");
	is_u64(c.remote_bytes, 2048, "two contributions cross cores");
	is_u64(c.max_fanin, 3, "fan-in");
	/* Local copy 16 + 8 is less than 16 + 8 + 1 hop; then three folds of 8. */
	is_u64(c.cycles, 25 + 24, "move, then fold");
	rig_close(&r);
}

static void test_union(void)
{
	static const uint32_t a[] = { 0, 0, 4, 4 }, b[] = { 2, 2, 4, 4 }, c[] = { 1, 1, 2, 2 };
	static const uint32_t *const boxes[] = { a, b, c };
	uint64_t budget = 1000, volume;
	struct env_state state = { 0 };
	const struct kte_env env = ENV(&state);

	ok(!kte_union_volume(&env, boxes, 3, 2, &budget, &volume), "union");
	is_u64(volume, 16 + 16 - 4, "two squares that overlap, one inside");
	budget = 2;
	ok(!kte_union_volume(&env, boxes, 3, 2, &budget, &volume), "union over budget");
	is_u64(volume, 16 + 16 + 4, "falls back to the sum");
	is_u64(state.live, 0, "all memory given back");
}

/* 4096 tiles gather from 4096: 16.7 million transfers, none of them enumerated. */
static void test_large(void)
{
	const uint32_t n = 4096;
	struct kte_space space = { .rank = 1, .roles = 1, .elem_bytes = { 2 },
				   .extent = { n * 4 } };
	struct kte_entry *e = calloc(2 * n, sizeof(*e));
	struct kte_table t = { .spaces = &space, .sources = e, .dests = e + n, .n_spaces = 1,
			       .n_sources = n, .n_dests = n };
	struct env_state state = { 0 };
	const struct kte_env env = ENV(&state);
	struct timespec from, to;
	struct kte_counters c;
	struct kte_limits lim;
	struct kte_reject why;
	struct kte_fault fault;
	struct kte_prog *prog;
	uint64_t bytes;
	void *image;
	uint32_t i;
	double s;

	for (i = 0; i < 2 * n; i++)
		e[i] = (struct kte_entry){ .tile = i % n, .start = { i < n ? 4 * i : 0 },
					   .size = { i < n ? 4 : 4 * n }, .stride = { { 2 } },
					   .offset = { i < n ? 0 : 64 } };
	kte_limits_soft(&lim, n, 1 << 20);
	ok(!kte_table_compile(&t, &lim, &env, &image, &bytes, &why), "4096 x 4096 gather");
	clock_gettime(CLOCK_MONOTONIC, &from);
	ok(!kte_prog_new(image, bytes, &lim, &env, &prog, &fault), "prepared");
	ok(!kte_prog_count(prog, NULL, 0, n, NULL, &c), "counted");
	clock_gettime(CLOCK_MONOTONIC, &to);
	s = to.tv_sec - from.tv_sec + (to.tv_nsec - from.tv_nsec) * 1e-9;
	diag("%.1f ms, %.1f MiB at most", s * 1e3, state.peak / 1048576.0);
	is_u64(c.transfers, 4096ull * 4096, "every pair is a transfer");
	is_u64(c.injections, 4096, "every source is injected once");
	is_u64(c.remote_bytes, 4096ull * 4095 * 8, "all but the own share is remote");
	is_u64(c.injected_bytes, 4096 * 8, "every source byte is injected once");
	/* Each link carries 2048 injections up, 2047 down, of one cycle. */
	is_u64(c.cycles, 16 + 2048 + 2048, "cycles");
	ok(state.peak < 64u << 20, "in less than 64 MiB");
	kte_prog_free(prog);
	env_free(&state, image);
	free(e);
}

int main(void)
{
	test_by_hand();
	test_fold_by_hand();
	test_union();
	test_random();
	test_large();
	return done_testing();
}
