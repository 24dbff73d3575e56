// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What a program costs: counters, the cycle model, stalls.
 *
 * The cycle model. Cores 0 .. n-1 form a ring; every core has a link to the next
 * core (up) and to the one before (down), each moving link_bytes per cycle.
 *
 * A transfer is a pair of a source and a destination entry with bytes between
 * them; a copy that lands on its own bytes is none. Transfers of one source entry
 * with equal boxes form one injection of b bytes. Of the cores of its destinations,
 * those other than its source core s are served over the ring: distance
 * d = (core - s) mod n; up if d <= n / 2 (rounded down), else down by n - d hops.
 * The bytes travel once per direction, to the farthest core: u hops up, v hops down.
 *
 *	w       = ceil(b / link_bytes)			cycles on each link passed
 *	load(l) = sum of w over the injections that pass link l
 *	start   = k * setup_cycles			k-th ring injection of its source
 *							core, k from 1, in the order of
 *							source entries, then of boxes
 *	end     = start + max(load of its links up) + u * hop_cycles
 *		  or the same down, whichever is later
 *
 * Destinations on the source's own core are served by its copy engine:
 *
 *	local(c) = sum over those transfers of ceil(b / local_bytes)
 *		   + setup_cycles for each injection that needs no ring
 *	fold(c)  = sum over the fold destinations on c, over their contributions,
 *		   of ceil(b / fold_bytes)
 *	stage(c) = sum over the staged destinations on c of
 *		   setup_cycles + ceil(bytes of the destination / local_bytes)
 *
 *	cycles  = max(max of end, max of local(c)) + max of fold(c) + max of stage(c)
 *
 * All of it depends on the image and the tile-to-core map only.
 */
#include "cycles.h"

const struct kte_timing kte_timing_default = {
	.link_bytes = 128, .hop_cycles = 1, .setup_cycles = 16,
	.dma_bytes = 64, .local_bytes = 128, .fold_bytes = 128,
};

/* A source's share of a class: one transfer per member. */
struct share {
	const uint32_t *box;	/* start[rank], size[rank] */
	uint64_t bytes;
	uint32_t klass;
	uint32_t dropped;	/* members that hold these bytes already, 0 or 1 */
};

struct injection {
	uint64_t cycles;	/* w */
	uint64_t start;
	uint32_t core;
	uint32_t up;		/* hops */
	uint32_t down;
};

/* A member by where its result lies in the end. */
struct landing {
	uint64_t off;
	uint32_t tile;
	uint32_t index;
};

struct count {
	const struct kte_prog *prog;
	const struct kte_env *env;
	const struct kte_timing *timing;
	const uint16_t *map;
	uint32_t n_cores;
	struct kte_counters *out;
	uint64_t *cores;	/* per class, sorted: cores of its members */
	struct landing *landings;	/* per class, sorted */
	uint32_t *fewer;	/* per member: transfers dropped */
	struct share *shares;	/* by source */
	uint32_t *first;	/* per source, one more */
	uint32_t *words;	/* boxes */
	uint64_t *local;	/* per core */
	uint64_t *fold;
	uint64_t *stage;
	uint64_t *sent;		/* ring injections */
	struct injection *injections;
	uint32_t n_injections;
	struct kte_ring up;
	struct kte_ring down;
	uint64_t budget;
	uint32_t ticks;
};

static int count_tick(struct count *c)
{
	return ++c->ticks % 1024 || !c->env->tick ? 0 : c->env->tick(c->env->ctx);
}

static uint32_t core_of(const struct count *c, uint32_t tile)
{
	return c->map ? c->map[tile] : tile;
}

static uint64_t ceil_div(uint64_t bytes, uint32_t per_cycle)
{
	return per_cycle ? bytes / per_cycle + !!(bytes % per_cycle) : 0;
}

static bool landing_before(const void *a, const void *b)
{
	const struct landing *p = a, *q = b;

	if (p->tile != q->tile)
		return p->tile < q->tile;
	return p->off != q->off ? p->off < q->off : p->index < q->index;
}

/* Cores and landings of the members of each class, sorted. */
static int sort_members(struct count *c)
{
	const struct kte_prog *prog = c->prog;
	uint32_t k, i;
	int err = 0;

	for (i = 0; i < prog->head->n_dests; i++) {
		const struct kte_member *m = &prog->members[i];

		c->cores[i] = core_of(c, m->tile);
		c->landings[i] = (struct landing){ prog->dests[m->dest].offset[0], m->tile, i };
	}
	for (k = 0; k < prog->n_classes && !err; k++) {
		const struct kte_class *cl = &prog->classes[k];

		err = kte_sort_u64(&c->cores[cl->first], cl->count, c->env);
		if (!err)
			err = kte_sort(&c->landings[cl->first], cl->count, sizeof(*c->landings),
				       landing_before, c->env);
	}
	return err;
}

/* Index of the first of @n sorted numbers that is at least @value. */
static uint32_t lower_bound(const uint64_t *p, uint32_t n, uint64_t value)
{
	uint32_t lo = 0, mid;

	while (lo < n) {
		mid = lo + (n - lo) / 2;
		if (p[mid] < value)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo;
}

static uint32_t members_on(const struct count *c, const struct kte_class *cl, uint32_t core)
{
	const uint64_t *p = &c->cores[cl->first];

	return lower_bound(p, cl->count, (uint64_t)core + 1) - lower_bound(p, cl->count, core);
}

/* Hops to the farthest member served upwards (@up) or downwards. */
static uint32_t reach(const struct count *c, const struct kte_class *cl, uint32_t core, bool up)
{
	const uint64_t *p = &c->cores[cl->first];
	uint32_t n = c->n_cores, most = up ? n / 2 : (n - 1) / 2, far, i, d;

	/* The member at or next before the farthest core, seen from the source. */
	far = up ? (core + most) % n : (core + n - most) % n;
	i = up ? lower_bound(p, cl->count, (uint64_t)far + 1) : lower_bound(p, cl->count, far);
	if (up)
		i = i ? i - 1 : cl->count - 1;
	else
		i = i < cl->count ? i : 0;
	d = up ? (p[i] + n - core) % n : (core + n - p[i]) % n;
	return d <= most ? d : 0;
}

/* The member of a class whose bytes of @cut are the source's own; KTE_NONE if none. */
static uint32_t own_bytes(const struct count *c, const struct kte_class *cl,
			  const struct kte_entry *s, const struct kte_box *cut)
{
	const struct kte_entry *e = &c->prog->dests[cl->rep];
	const struct kte_space *sp = kte_prog_space(c->prog, e);
	uint32_t lo = 0, hi = cl->count, mid, a;
	struct landing want = { .tile = s->tile };
	const struct landing *l = &c->landings[cl->first];
	uint64_t from = kte_byte_of(s, sp->rank, 0, cut->start);
	uint64_t rel = kte_byte_of(e, sp->rank, 0, cut->start) - e->offset[0];

	if (sp->op != KTE_OP_COPY || from < rel)
		return KTE_NONE;
	for (a = 0; a < sp->rank; a++)
		if (cut->size[a] > 1 && s->stride[0][a] != e->stride[0][a])
			return KTE_NONE;
	want.off = from - rel;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (landing_before(&l[mid], &want))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < cl->count && l[lo].tile == want.tile && l[lo].off == want.off ? l[lo].index :
	       KTE_NONE;
}

/* Shares per source, as an index. */
static int index_sources(struct count *c, uint64_t *words)
{
	const struct kte_prog *prog = c->prog;
	uint32_t k, i, at = 0, n;
	int err = 0;

	*words = 0;
	for (k = 0; k < prog->n_classes && !err; k++) {
		const struct kte_entry *e = &prog->dests[prog->classes[k].rep];

		for (i = 0; i < e->count && !err; i++) {
			c->first[prog->edges[e->first + i]]++;
			err = count_tick(c);
		}
		*words += 2ull * kte_prog_space(prog, e)->rank * e->count;
	}
	for (i = 0; i < prog->head->n_sources; i++) {
		n = c->first[i];
		c->first[i] = at;
		at += n;
	}
	c->first[i] = at;
	return err;
}

/* Fills c->shares; @fill: per source, the next free one. Counts what needs no grouping. */
static int add_shares(struct count *c, uint32_t klass, uint32_t *fill, uint32_t **words)
{
	const struct kte_prog *prog = c->prog;
	const struct kte_class *cl = &prog->classes[klass];
	const struct kte_entry *e = &prog->dests[cl->rep];
	const struct kte_space *sp = kte_prog_space(prog, e);
	uint32_t i, a, own;
	struct kte_box cut;

	for (i = 0; i < e->count; i++) {
		uint32_t source = prog->edges[e->first + i];
		struct share *sh = &c->shares[fill[source]++];
		int err = count_tick(c);

		if (err)
			return err;
		sh->klass = klass;
		sh->box = *words;
		if (!kte_box_cut(&prog->sources[source], e, sp->rank, &cut))
			continue;	/* no bytes */
		sh->bytes = sp->elem_bytes[0] + sp->elem_bytes[1];
		for (a = 0; a < sp->rank; a++) {
			(*words)[a] = cut.start[a];
			(*words)[sp->rank + a] = cut.size[a];
			sh->bytes *= cut.size[a];
		}
		*words += 2 * sp->rank;
		own = own_bytes(c, cl, &prog->sources[source], &cut);
		if (own == KTE_NONE)
			continue;
		sh->dropped = 1;
		c->fewer[own]++;
		c->out->bytes_delivered -= sh->bytes;
	}
	return 0;
}

static int make_shares(struct count *c)
{
	const struct kte_prog *prog = c->prog;
	uint64_t n_words;
	uint32_t k, *fill, *words, n = prog->head->n_sources;
	int err = index_sources(c, &n_words);

	if (err)
		return err;
	c->shares = c->env->alloc(c->env->ctx, (c->first[n] + 1ull) * sizeof(*c->shares));
	c->injections = c->env->alloc(c->env->ctx, (c->first[n] + 1ull) * sizeof(*c->injections));
	c->words = c->env->alloc(c->env->ctx, (n_words + 1) * sizeof(*c->words));
	fill = c->env->alloc(c->env->ctx, (n + 1ull) * sizeof(*fill));
	words = c->words;
	if (!c->shares || !c->injections || !words || !fill)
		err = -ENOMEM;
	if (!err)
		memcpy(fill, c->first, n * sizeof(*fill));
	for (k = 0; k < prog->n_classes && !err; k++)
		err = add_shares(c, k, fill, &words);
	c->env->free(c->env->ctx, fill);
	return err;
}

/* Destinations: bytes, fan-in, fold and staging time. */
static int count_classes(struct count *c)
{
	const struct kte_prog *prog = c->prog;
	uint32_t k, i;
	int err = 0;

	for (k = 0; k < prog->n_classes; k++) {
		const struct kte_class *cl = &prog->classes[k];
		const struct kte_entry *e = &prog->dests[cl->rep];
		const struct kte_space *sp = kte_prog_space(prog, e);
		uint64_t bytes = kte_entry_volume(e, sp->rank) *
				 (sp->elem_bytes[0] + sp->elem_bytes[1]);

		for (i = cl->first; i < cl->first + cl->count && !err; i++) {
			uint32_t core = core_of(c, prog->members[i].tile);

			err = count_tick(c);
			c->out->bytes_delivered += bytes;
			if (e->count - c->fewer[i] > c->out->max_fanin)
				c->out->max_fanin = e->count - c->fewer[i];
			if (sp->op != KTE_OP_COPY)
				c->fold[core] += e->count * ceil_div(bytes, c->timing->fold_bytes);
			if (e->flags & KTE_ENTRY_STAGED)
				c->stage[core] += c->timing->setup_cycles +
						  ceil_div(bytes, c->timing->local_bytes);
		}
	}
	return err;
}

/* The shares @from .. @to of a source have one box: one injection. */
static bool count_injection(struct count *c, uint32_t core, const struct share *from,
			    const struct share *to)
{
	struct injection inj = { .core = core };
	uint64_t members = 0, remote = 0, own = 0, bytes = from->bytes;
	const struct share *sh;
	uint32_t d, on;

	for (sh = from; sh < to; sh++) {
		const struct kte_class *cl = &c->prog->classes[sh->klass];

		on = members_on(c, cl, core);
		members += cl->count - sh->dropped;
		own += on - sh->dropped;
		remote += cl->count - on;
		if (cl->count == on)
			continue;
		d = reach(c, cl, core, true);
		inj.up = d > inj.up ? d : inj.up;
		d = reach(c, cl, core, false);
		inj.down = d > inj.down ? d : inj.down;
	}
	c->out->transfers += members;
	c->out->remote_bytes += remote * bytes;
	c->out->injections += members > 0;
	c->local[core] += own * ceil_div(bytes, c->timing->local_bytes);
	if (!remote) {
		c->local[core] += members ? c->timing->setup_cycles : 0;
		return false;
	}
	inj.cycles = ceil_div(bytes, c->timing->link_bytes);
	inj.start = ++c->sent[core] * c->timing->setup_cycles;
	kte_ring_add(&c->up, core, inj.up, inj.cycles);
	/* Down: link i leaves core i; the links passed end at the source's. */
	kte_ring_add(&c->down, (core + c->n_cores - inj.down + 1) % c->n_cores, inj.down,
		     inj.cycles);
	c->injections[c->n_injections++] = inj;
	return true;
}

/* A share to sort, with the rank its comparison needs. */
struct sorted {
	struct share *share;
	uint32_t rank;
};

static int compare_boxes(const struct sorted *a, const struct sorted *b)
{
	uint32_t i;

	for (i = 0; i < 2 * a->rank; i++)
		if (a->share->box[i] != b->share->box[i])
			return a->share->box[i] < b->share->box[i] ? -1 : 1;
	return 0;
}

static bool box_before(const void *a, const void *b)
{
	const struct sorted *p = a, *q = b;
	int cmp = compare_boxes(p, q);

	return cmp ? cmp < 0 : p->share < q->share;
}

/* Sorts the shares of a source by box; shares without bytes are left out. */
static int sort_shares(struct count *c, struct share *sh, uint32_t *n, uint32_t rank,
		       struct share *copy, struct sorted *order)
{
	uint32_t i, kept = 0;
	int err;

	for (i = 0; i < *n; i++)
		if (sh[i].bytes)
			order[kept++] = (struct sorted){ &sh[i], rank };
	err = kte_sort(order, kept, sizeof(*order), box_before, c->env);
	for (i = 0; i < kept; i++)
		copy[i] = *order[i].share;
	*n = kept;
	return err;
}

static int count_source(struct count *c, uint32_t source, struct share *copy,
			struct sorted *order, const uint32_t **boxes)
{
	const struct kte_entry *s = &c->prog->sources[source];
	const struct kte_space *sp = &c->prog->spaces[s->space];
	uint32_t n = c->first[source + 1] - c->first[source], i, k, n_boxes = 0, core;
	uint64_t volume, fanout = 0;
	int err = sort_shares(c, &c->shares[c->first[source]], &n, sp->rank, copy, order);

	core = core_of(c, s->tile);
	for (i = 0; i < n && !err; i = k) {
		struct sorted a = { &copy[i], sp->rank }, b = a;

		for (k = i + 1; k < n; k++) {
			b.share = &copy[k];
			if (compare_boxes(&a, &b))
				break;
		}
		if (count_injection(c, core, &copy[i], &copy[k]))
			boxes[n_boxes++] = copy[i].box;
		err = count_tick(c);
	}
	for (i = 0; i < n; i++)
		fanout += c->prog->classes[copy[i].klass].count - copy[i].dropped;
	if (fanout > c->out->max_fanout)
		c->out->max_fanout = fanout < UINT32_MAX ? fanout : UINT32_MAX;
	if (!err)
		err = kte_union_volume(c->env, boxes, n_boxes, sp->rank, &c->budget, &volume);
	if (!err)
		c->out->injected_bytes += volume * (sp->elem_bytes[0] + sp->elem_bytes[1]);
	return err;
}

static int count_sources(struct count *c)
{
	const struct kte_env *env = c->env;
	uint32_t i, n, most = 1;
	struct share *copy;
	struct sorted *order;
	const uint32_t **boxes;
	int err = 0;

	for (i = 0; i < c->prog->head->n_sources; i++) {
		n = c->first[i + 1] - c->first[i];
		most = n > most ? n : most;
	}
	copy = env->alloc(env->ctx, most * sizeof(*copy));
	order = env->alloc(env->ctx, most * sizeof(*order));
	boxes = env->alloc(env->ctx, most * sizeof(*boxes));
	if (!copy || !order || !boxes)
		err = -ENOMEM;
	for (i = 0; i < c->prog->head->n_sources && !err; i++)
		err = count_source(c, i, copy, order, boxes);
	env->free(env->ctx, copy);
	env->free(env->ctx, order);
	env->free(env->ctx, boxes);
	return err;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t total_cycles(struct count *c)
{
	uint64_t move = 0, fold = 0, stage = 0, path;
	uint32_t i, n = c->n_cores;

	kte_ring_close(&c->up);
	kte_ring_close(&c->down);
	for (i = 0; i < c->n_injections; i++) {
		const struct injection *j = &c->injections[i];

		path = kte_ring_max(&c->up, j->core, j->up) +
		       (uint64_t)j->up * c->timing->hop_cycles;
		path = later(path, kte_ring_max(&c->down, (j->core + n - j->down + 1) % n,
						j->down) +
			     (uint64_t)j->down * c->timing->hop_cycles);
		move = later(move, j->start + path);
	}
	for (i = 0; i < n; i++) {
		move = later(move, c->local[i]);
		fold = later(fold, c->fold[i]);
		stage = later(stage, c->stage[i]);
	}
	return move + fold + stage;
}

static bool open_count(struct count *c)
{
	const struct kte_env *env = c->env;
	uint64_t n = c->prog->head->n_dests + 1ull, cores = c->n_cores;

	c->cores = env->alloc(env->ctx, n * sizeof(*c->cores));
	c->landings = env->alloc(env->ctx, n * sizeof(*c->landings));
	c->fewer = env->alloc(env->ctx, n * sizeof(*c->fewer));
	c->first = env->alloc(env->ctx, (c->prog->head->n_sources + 1ull) * sizeof(*c->first));
	c->local = env->alloc(env->ctx, 4 * cores * sizeof(*c->local));
	if (!c->cores || !c->landings || !c->fewer || !c->first || !c->local)
		return false;
	c->fold = c->local + cores;
	c->stage = c->fold + cores;
	c->sent = c->stage + cores;
	return kte_ring_init(&c->up, env, cores) && kte_ring_init(&c->down, env, cores);
}

static void close_count(struct count *c)
{
	const struct kte_env *env = c->env;

	kte_ring_free(&c->up, env);
	kte_ring_free(&c->down, env);
	env->free(env->ctx, c->cores);
	env->free(env->ctx, c->landings);
	env->free(env->ctx, c->fewer);
	env->free(env->ctx, c->first);
	env->free(env->ctx, c->local);
	env->free(env->ctx, c->shares);
	env->free(env->ctx, c->injections);
	env->free(env->ctx, c->words);
}

static bool map_fits(const struct kte_prog *prog, const uint16_t *map, uint32_t n_map,
		     uint32_t n_cores)
{
	uint32_t i, n = prog->head->n_tiles;

	if (!map)
		return n <= n_cores;
	if (n_map < n)
		return false;
	for (i = 0; i < n; i++)
		if (map[i] >= n_cores)
			return false;
	return true;
}

int kte_prog_count(const struct kte_prog *prog, const uint16_t *map, uint32_t n_map,
		   uint32_t n_cores, const struct kte_timing *timing, struct kte_counters *out)
{
	struct count c = {
		.prog = prog, .env = &prog->env, .map = map, .n_cores = n_cores, .out = out,
		.timing = timing ? timing : &kte_timing_default, .budget = KTE_UNION_BUDGET,
	};
	int err = -ENOMEM;

	memset(out, 0, sizeof(*out));
	if (!n_cores || n_cores > UINT16_MAX + 1u || !map_fits(prog, map, n_map, n_cores))
		return -EINVAL;
	if (open_count(&c)) {
		err = sort_members(&c);
		if (!err)
			err = make_shares(&c);
		if (!err)
			err = count_classes(&c);
		if (!err)
			err = count_sources(&c);
		if (!err)
			out->cycles = total_cycles(&c);
	}
	close_count(&c);
	return err;
}

uint64_t kte_prog_stall(const struct kte_prog *prog, const uint64_t *ready, uint32_t n_ready,
			bool per_tile)
{
	uint64_t sum = 0, all = 0, from, own;
	uint32_t k, i, tile;

	for (i = 0; i < n_ready; i++)
		all = later(all, ready[i]);
	for (k = 0; k < prog->n_classes; k++) {
		const struct kte_class *cl = &prog->classes[k];
		const struct kte_entry *e = &prog->dests[cl->rep];

		from = per_tile ? 0 : all;
		for (i = 0; per_tile && i < e->count; i++) {
			tile = prog->sources[prog->edges[e->first + i]].tile;
			from = later(from, tile < n_ready ? ready[tile] : 0);
		}
		for (i = cl->first; i < cl->first + cl->count; i++) {
			tile = prog->members[i].tile;
			own = tile < n_ready ? ready[tile] : 0;
			sum += from > own ? from - own : 0;
		}
	}
	return sum;
}
