// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Sources against destinations, space by space: which sources meet which
 * destination box, and whether they give each element what its op needs.
 *
 * Sources are sorted along one axis, with the running maximum of their ends
 * beside them; two binary searches bound the candidates of a destination. The
 * axis is the one that leaves the fewest candidates on average. Axes on which
 * every source holds every destination are not compared at all.
 */
#include "table_priv.h"

#define CHUNK	1024u	/* candidates between ticks */

/**
 * struct cover - the space at hand
 * @w:		the run
 * @sp:		the space
 * @src, @n_src: its sources
 * @dst, @n_dst: its destinations
 * @axis, @n_axes: axes to compare; the sorted one first
 * @rows:	per source in sorted order: ordinal, then start and end per axis
 * @row_len:	numbers in a row
 * @ends:	running maximum of the ends along the sorted axis
 * @marks:	a bit per source, to bring a run into order
 * @table:	open hash over destination boxes: 1 + class, 0 where free
 * @mask:	its size - 1
 */
struct cover {
	struct kte_work *w;
	const struct kte_space *sp;
	const uint32_t *src;
	const uint32_t *dst;
	uint32_t n_src;
	uint32_t n_dst;
	uint32_t axis[KTE_MAX_RANK];
	uint32_t n_axes;
	uint32_t row_len;
	uint32_t *rows;
	uint32_t *ends;
	uint64_t *marks;
	uint32_t *table;
	uint64_t mask;
};

/* @more: comparisons that were to come next */
static int out_of_axis_budget(struct kte_work *w, uint32_t where, uint32_t index, uint64_t more)
{
	uint64_t budget = w->lim->axis_budget;

	kte_refuse_at(w->why, KTE_R_BUDGET_AXIS, where, index, budget - w->axis_left + more,
		      budget);
	return -E2BIG;
}

static bool charge(uint64_t *budget, uint64_t n)
{
	if (*budget < n)
		return false;
	*budget -= n;
	return true;
}

/* Sorts the segment along an axis and cuts it where no box spans the gap.
 * Returns the cuts made, or the tick's error. */
static int split_segment(struct kte_work *w, const struct kte_entry *entries,
			 const uint32_t *list, uint32_t lo, uint32_t hi, uint32_t axis)
{
	uint32_t i, end = 0;
	int made = 0, err;

	for (i = lo; i < hi; i++) {
		uint32_t pos = (uint32_t)w->keys[i];

		w->keys[i] = (uint64_t)entries[list[pos]].start[axis] << 32 | pos;
	}
	err = kte_sort_u64(w->keys + lo, hi - lo, w->env);
	for (i = lo; i < hi && !err; i++) {
		const struct kte_entry *e = &entries[list[(uint32_t)w->keys[i]]];

		if (i > lo && e->start[axis] >= end) {
			w->cuts[i] = 1;
			made++;
		}
		if (e->start[axis] + e->size[axis] > end)
			end = e->start[axis] + e->size[axis];
		err = kte_step(w, 1);
	}
	return err ? err : made;
}

static uint32_t segment_end(const struct kte_work *w, uint32_t lo, uint32_t n)
{
	uint32_t hi = lo + 1;

	while (hi < n && !w->cuts[hi])
		hi++;
	return hi;
}

/* Boxes of one segment, pair by pair along the axis it was last sorted by. */
static int compare_segment(struct kte_work *w, const struct kte_entry *entries,
			   const uint32_t *list, uint32_t lo, uint32_t hi, uint32_t axis,
			   uint32_t rank, uint64_t *budget, uint32_t pair[2])
{
	uint32_t i, k, a, b;
	int err;

	for (i = lo; i < hi; i++) {
		const struct kte_entry *e;

		a = (uint32_t)w->keys[i];
		e = &entries[list[a]];
		for (k = i + 1; k < hi; k++) {
			b = (uint32_t)w->keys[k];
			if (entries[list[b]].start[axis] >= e->start[axis] + e->size[axis])
				break;
			if (!charge(budget, rank))
				return -E2BIG;
			err = kte_step(w, rank);
			if (err)
				return err;
			if (!kte_box_meets(e, &entries[list[b]], rank))
				continue;
			pair[0] = a < b ? a : b;
			pair[1] = a < b ? b : a;
			return 1;
		}
	}
	return 0;
}

int kte_boxes_disjoint(struct kte_work *w, const struct kte_entry *entries,
		       const uint32_t *list, uint32_t n, uint32_t rank, uint64_t *budget,
		       uint32_t pair[2])
{
	uint32_t i, hi, axis = 0, idle = 0, pass = 0, segments = 1;
	int got;

	for (i = 0; i < n; i++)
		w->keys[i] = i;
	memset(w->cuts, 0, n);
	/* Two boxes that meet stay in one segment whatever axis it is cut along.
	 * Work divisions fall apart in one pass per axis. */
	while (segments < n && idle < rank && pass++ < 4 * rank) {
		uint32_t before = segments;

		axis = (axis + 1) % rank;
		for (i = 0; i < n; i = hi) {
			hi = segment_end(w, i, n);
			got = hi - i < 2 ? kte_step(w, 1) :
			      split_segment(w, entries, list, i, hi, axis);
			if (got < 0)
				return got;
			segments += (uint32_t)got;
		}
		idle = segments > before ? 0 : idle + 1;
	}
	for (i = 0; i < n && segments < n; i = hi) {
		hi = segment_end(w, i, n);
		got = compare_segment(w, entries, list, i, hi, axis, rank, budget, pair);
		if (got)
			return got;
	}
	return 0;
}

/* Row-major number of an element of the space. */
static uint64_t element_number(const struct kte_space *sp, const uint32_t *at)
{
	uint64_t v = 0;
	uint32_t a;

	for (a = 0; a < sp->rank; a++)
		v = v * sp->extent[a] + at[a];
	return v;
}

static int check_sources_disjoint(struct cover *c)
{
	struct kte_work *w = c->w;
	const struct kte_entry *s = w->t->sources;
	uint32_t pair[2];
	struct kte_box cut;
	int got;

	got = kte_boxes_disjoint(w, s, c->src, c->n_src, c->sp->rank, &w->axis_left, pair);
	if (got == -E2BIG)
		return out_of_axis_budget(w, KTE_WHERE_SPACE, (uint32_t)(c->sp - w->t->spaces),
					  c->sp->rank);
	if (got <= 0)
		return got;
	kte_box_cut(&s[c->src[pair[0]]], &s[c->src[pair[1]]], c->sp->rank, &cut);
	kte_refuse_at(w->why, KTE_R_SRC_OVERLAP, KTE_WHERE_SOURCE, c->src[pair[1]],
		      element_number(c->sp, cut.start), 0);
	w->why->other_where = KTE_WHERE_SOURCE;
	w->why->other = c->src[pair[0]];
	return -EINVAL;
}

/* What the boxes of one side do along an axis. */
struct spread {
	uint32_t min_start;
	uint32_t max_start;
	uint32_t min_end;
	uint32_t max_end;
	uint64_t mean_size;
};

static int measure(struct kte_work *w, struct spread *s, const struct kte_entry *entries,
		   const uint32_t *list, uint32_t n, uint32_t axis)
{
	uint64_t sum = 0;
	uint32_t i;
	int err = 0;

	s->min_start = s->min_end = UINT32_MAX;
	s->max_start = s->max_end = 0;
	for (i = 0; i < n && !err; i++) {
		const struct kte_entry *e = &entries[list[i]];
		uint32_t start = e->start[axis], end = start + e->size[axis];

		s->min_start = start < s->min_start ? start : s->min_start;
		s->max_start = start > s->max_start ? start : s->max_start;
		s->min_end = end < s->min_end ? end : s->min_end;
		s->max_end = end > s->max_end ? end : s->max_end;
		sum += e->size[axis];
		err = kte_step(w, 1);
	}
	s->mean_size = sum / n;
	return err;
}

/* Chooses the axes to compare, and of these the one to sort by. */
static int choose_axes(struct cover *c)
{
	uint64_t share, best = UINT64_MAX;
	struct spread src, dst;
	uint32_t a;
	int err;

	c->n_axes = 0;
	for (a = 0; a < c->sp->rank; a++) {
		err = measure(c->w, &src, c->w->t->sources, c->src, c->n_src, a);
		if (!err)
			err = measure(c->w, &dst, c->w->t->dests, c->dst, c->n_dst, a);
		if (err)
			return err;
		if (src.max_start <= dst.min_start && src.min_end >= dst.max_end)
			continue;
		/* of the sources, the share one destination has as candidates */
		share = ((src.mean_size + dst.mean_size) << 20) / (src.max_end - src.min_start);
		c->axis[c->n_axes++] = a;
		if (share < best) {
			best = share;
			c->axis[c->n_axes - 1] = c->axis[0];
			c->axis[0] = a;
		}
	}
	c->row_len = 1 + 2 * c->n_axes;
	return 0;
}

static int sort_sources(struct cover *c)
{
	const struct kte_entry *s = c->w->t->sources;
	uint64_t *keys = c->w->keys;
	uint32_t i, a, end = 0;
	int err;

	for (i = 0; i < c->n_src; i++)
		keys[i] = (c->n_axes ? (uint64_t)s[c->src[i]].start[c->axis[0]] << 32 : 0) | i;
	err = kte_sort_u64(keys, c->n_src, c->w->env);
	for (i = 0; i < c->n_src && !err; i++) {
		uint32_t *row = c->rows + (size_t)i * c->row_len;
		const struct kte_entry *e;

		row[0] = (uint32_t)keys[i];
		e = &s[c->src[row[0]]];
		for (a = 0; a < c->n_axes; a++) {
			row[1 + 2 * a] = e->start[c->axis[a]];
			row[2 + 2 * a] = e->start[c->axis[a]] + e->size[c->axis[a]];
		}
		if (c->n_axes && row[2] > end)
			end = row[2];
		c->ends[i] = end;
		err = kte_step(c->w, 1);
	}
	return err;
}

/* First position whose running end passes @start. */
static uint32_t first_reaching(const struct cover *c, uint32_t start)
{
	uint32_t lo = 0, n = c->n_src;

	while (n) {
		uint32_t half = n / 2;

		if (c->ends[lo + half] > start) {
			n = half;
		} else {
			lo += half + 1;
			n -= half + 1;
		}
	}
	return lo;
}

/* First position that starts at or behind @end. */
static uint32_t first_behind(const struct cover *c, uint32_t end)
{
	uint32_t lo = 0, n = c->n_src;

	while (n) {
		uint32_t half = n / 2;

		if (c->rows[(size_t)(lo + half) * c->row_len + 1] >= end) {
			n = half;
		} else {
			lo += half + 1;
			n -= half + 1;
		}
	}
	return lo;
}

static int reserve_edges(struct kte_work *w, uint64_t n)
{
	uint64_t cap = w->cap_edges * 2;
	uint32_t *edges;

	if (w->n_edges + n <= w->cap_edges)
		return 0;
	if (cap < w->n_edges + n)
		cap = w->n_edges + n;
	edges = kte_work_alloc(w, cap, sizeof(*edges));
	if (!edges)
		return -ENOMEM;
	memcpy(edges, w->edges, w->n_edges * sizeof(*edges));
	kte_work_release(w, w->edges);
	w->edges = edges;
	w->cap_edges = cap;
	return 0;
}

/* The box a search is for, on the axes compared. */
struct probe {
	uint32_t lo[KTE_MAX_RANK];
	uint32_t hi[KTE_MAX_RANK];
};

/**
 * struct hits - what the search of one destination box found
 * @out:	where ordinals go
 * @n:		how many
 * @covered:	elements on the axes compared
 * @compared:	axis comparisons
 * @sorted:	whether the ordinals ascend
 * @next:	least ordinal that would continue them so
 * @partial:	a source that holds the box in part, as 1 + ordinal
 */
struct hits {
	uint32_t *out;
	uint32_t n;
	uint64_t covered;
	uint64_t compared;
	bool sorted;
	uint64_t next;
	uint64_t partial;
};

/* @n_axes and @fold are constants where it is called, for the compiler to unroll. */
static inline __attribute__((always_inline))
void scan(const struct cover *c, const struct probe *p, uint32_t from, uint32_t to,
	  uint32_t n_axes, bool fold, struct hits *h)
{
	const uint32_t *row = c->rows + (size_t)from * c->row_len;
	const uint32_t *end = c->rows + (size_t)to * c->row_len;
	uint32_t *out = h->out + h->n;
	uint64_t volume, covered = 0, compared = 0, next = h->next;
	uint32_t a, lo, hi;
	bool sorted = h->sorted;

	for (; row < end; row += 1 + 2 * n_axes) {
		bool partial = false;

		volume = 1;
		for (a = 0; a < n_axes; a++) {
			lo = row[1 + 2 * a] > p->lo[a] ? row[1 + 2 * a] : p->lo[a];
			hi = row[2 + 2 * a] < p->hi[a] ? row[2 + 2 * a] : p->hi[a];
			compared++;
			if (lo >= hi)
				break;
			volume *= hi - lo;
			partial |= fold && (lo != p->lo[a] || hi != p->hi[a]);
		}
		if (a < n_axes)
			continue;
		sorted &= row[0] >= next;
		next = row[0] + 1ull;
		*out++ = row[0];
		covered += volume;
		if (partial && (!h->partial || h->partial > next))
			h->partial = next;
	}
	h->n = (uint32_t)(out - h->out);
	h->covered += covered;
	h->compared += compared;
	h->sorted = sorted;
	h->next = next;
}

static void scan_any(const struct cover *c, const struct probe *p, uint32_t from, uint32_t to,
		     struct hits *h)
{
	if (c->sp->op != KTE_OP_COPY)
		scan(c, p, from, to, c->n_axes, true, h);
	else if (c->n_axes == 1)
		scan(c, p, from, to, 1, false, h);
	else if (c->n_axes == 2)
		scan(c, p, from, to, 2, false, h);
	else
		scan(c, p, from, to, c->n_axes, false, h);
}

static int search(struct cover *c, const struct probe *p, struct hits *h)
{
	uint32_t from = 0, to = c->n_src, chunk;
	int err = 0;

	if (c->n_axes) {
		from = first_reaching(c, p->lo[0]);
		to = first_behind(c, p->hi[0]);
	}
	if (from >= to)
		return 0;
	err = reserve_edges(c->w, to - from);
	if (err)
		return err;
	h->out = c->w->edges + c->w->n_edges;
	for (; from < to && !err; from += chunk) {
		chunk = to - from < CHUNK ? to - from : CHUNK;
		scan_any(c, p, from, from + chunk, h);
		err = kte_step(c->w, chunk);
	}
	return err;
}

/* Brings ordinals into ascending order: a bit each, then read off. */
static void order_hits(struct cover *c, struct hits *h)
{
	uint32_t i, k, lo = UINT32_MAX, hi = 0, word, last;

	for (i = 0; i < h->n; i++) {
		c->marks[h->out[i] / 64] |= 1ull << h->out[i] % 64;
		lo = h->out[i] < lo ? h->out[i] : lo;
		hi = h->out[i] > hi ? h->out[i] : hi;
	}
	last = hi / 64;
	for (i = 0, word = lo / 64; word <= last; word++) {
		while (c->marks[word]) {
			k = (uint32_t)__builtin_ctzll(c->marks[word]);
			c->marks[word] &= c->marks[word] - 1;
			h->out[i++] = word * 64 + k;
		}
	}
}

/* What the op asks of the hits. */
static int judge(struct cover *c, const struct kte_class *cl, const struct kte_entry *d,
		 uint64_t wanted, const struct hits *h)
{
	struct kte_reject *why = c->w->why;
	uint64_t volume = kte_entry_volume(d, c->sp->rank);

	if (c->sp->op == KTE_OP_COPY) {
		if (h->covered == wanted)
			return 0;
		return kte_refuse_at(why, KTE_R_COVERAGE, KTE_WHERE_DEST, cl->dest,
				     h->covered * (volume / wanted), volume);
	}
	if (!h->n)
		return kte_refuse_at(why, KTE_R_FOLD_EMPTY, KTE_WHERE_DEST, cl->dest, 0, 1);
	if (!h->partial)
		return 0;
	kte_refuse_at(why, KTE_R_FOLD_PARTIAL, KTE_WHERE_DEST, cl->dest, 0, 0);
	why->other_where = KTE_WHERE_SOURCE;
	why->other = c->src[h->partial - 1];
	return -EINVAL;
}

static int count_pairs(struct kte_work *w, const struct kte_class *cl, uint64_t n)
{
	uint64_t limit = w->lim->max_pairs;

	w->n_edges += n;
	if (__builtin_mul_overflow(n, cl->members, &n) ||
	    __builtin_add_overflow(w->n_pairs, n, &w->n_pairs))
		w->n_pairs = UINT64_MAX;
	if (w->n_pairs <= limit && w->n_edges <= UINT32_MAX)
		return 0;
	kte_refuse_at(w->why, KTE_R_PAIRS, KTE_WHERE_DEST, cl->dest, w->n_pairs,
		      w->n_pairs > limit ? limit : UINT32_MAX);
	return -ERANGE;
}

static int cover_class(struct cover *c, struct kte_class *cl)
{
	struct kte_work *w = c->w;
	const struct kte_entry *d = &w->t->dests[cl->dest];
	struct hits h = { .sorted = true };
	uint64_t wanted = 1;
	struct probe p;
	uint32_t a;
	int err;

	for (a = 0; a < c->n_axes; a++) {
		p.lo[a] = d->start[c->axis[a]];
		p.hi[a] = p.lo[a] + d->size[c->axis[a]];
		wanted *= d->size[c->axis[a]];
	}
	err = c->n_src ? search(c, &p, &h) : 0;
	if (err)
		return err;
	if (!charge(&w->axis_left, h.compared))
		return out_of_axis_budget(w, KTE_WHERE_DEST, cl->dest, h.compared);
	err = judge(c, cl, d, wanted, &h);
	if (err)
		return err;
	if (!h.sorted)
		order_hits(c, &h);
	for (a = 0; a < h.n; a++)
		h.out[a] = c->src[h.out[a]];
	cl->first = (uint32_t)w->n_edges;
	cl->count = h.n;
	err = kte_step(w, 64);
	return err ? err : count_pairs(w, cl, h.n);
}

static uint64_t hash_box(const struct kte_entry *e, uint32_t rank)
{
	uint64_t v = 0;
	uint32_t a;

	for (a = 0; a < rank; a++) {
		v ^= (uint64_t)e->start[a] << 32 | e->size[a];
		v *= 0x9e3779b97f4a7c15ull;
		v ^= v >> 32;	/* a product's low bits know only its factors' low bits */
		v *= 0xd6e8feb86659fd93ull;
		v ^= v >> 32;
	}
	return v;
}

/* The class of a destination; a new one if no other has its box. */
static int classify(struct cover *c, uint32_t dest, uint32_t first_class)
{
	struct kte_work *w = c->w;
	const struct kte_entry *d = &w->t->dests[dest];
	struct kte_class *cl = &w->classes[w->n_classes];
	uint32_t rank = c->sp->rank, probes = 0;
	uint64_t slot;

	/* replicas mostly follow one another */
	if (w->n_classes > first_class &&
	    kte_box_equal(d, &w->t->dests[cl[-1].dest], rank)) {
		cl[-1].members++;
		w->class_of[dest] = w->n_classes - 1;
		return 0;
	}
	for (slot = hash_box(d, rank) & c->mask; c->table[slot]; slot = (slot + 1) & c->mask) {
		struct kte_class *other = &w->classes[c->table[slot] - 1];

		if (kte_box_equal(d, &w->t->dests[other->dest], rank)) {
			other->members++;
			w->class_of[dest] = c->table[slot] - 1;
			return 0;
		}
		/* boxes chosen to collide pay for it */
		if (++probes > 8 && !charge(&w->axis_left, rank))
			return out_of_axis_budget(w, KTE_WHERE_DEST, dest, rank);
	}
	cl->dest = dest;
	cl->members = 1;
	w->class_of[dest] = w->n_classes++;
	c->table[slot] = w->n_classes;
	return kte_step(w, probes);
}

static int cover_space(struct cover *c)
{
	struct kte_work *w = c->w;
	uint32_t i, first_class = w->n_classes;
	int err = 0;

	if (c->n_src > 1 && c->sp->op == KTE_OP_COPY)
		err = check_sources_disjoint(c);
	if (err || !c->n_dst)
		return err;
	c->n_axes = 0;
	c->row_len = 1;
	if (c->n_src) {
		err = choose_axes(c);
		if (!err)
			err = sort_sources(c);
	}
	for (c->mask = 1; c->mask < 2ull * c->n_dst; c->mask *= 2)
		;
	memset(c->table, 0, c->mask * sizeof(*c->table));
	c->mask--;
	for (i = 0; i < c->n_dst && !err; i++) {
		err = classify(c, c->dst[i], first_class);
		if (!err)
			err = kte_step(w, 1);
	}
	for (i = first_class; i < w->n_classes && !err; i++)
		err = cover_class(c, &w->classes[i]);
	return err;
}

/* Lists entries by space, in order: first[s] .. first[s + 1] of list. */
static int group_by_space(struct kte_work *w, const struct kte_entry *e, uint32_t n,
			  uint32_t **first, uint32_t **list)
{
	uint32_t s, i, at = 0, count, *f, *l;
	int err = 0;

	f = *first = kte_work_alloc(w, w->t->n_spaces + 1ull, sizeof(*f));
	l = *list = kte_work_alloc(w, n, sizeof(*l));
	if (!f || !l)
		return -ENOMEM;
	for (i = 0; i < n && !err; i++) {
		f[e[i].space]++;
		err = kte_step(w, 1);
	}
	for (s = 0; s <= w->t->n_spaces; s++) {
		count = f[s];
		f[s] = at;
		at += count;
	}
	for (i = 0; i < n && !err; i++) {
		l[f[e[i].space]++] = i;
		err = kte_step(w, 2);
	}
	/* each f[s] is now where s + 1 starts */
	for (s = w->t->n_spaces; s > 0; s--)
		f[s] = f[s - 1];
	f[0] = 0;
	return err;
}

static int alloc_cover(struct cover *c)
{
	struct kte_work *w = c->w;
	uint64_t src = 0, dst = 0, rank = 0, slots = 1;
	uint32_t s;

	for (s = 0; s < w->t->n_spaces; s++) {
		uint32_t n_src = w->src_first[s + 1] - w->src_first[s];
		uint32_t n_dst = w->dst_first[s + 1] - w->dst_first[s];

		src = n_src > src ? n_src : src;
		dst = n_dst > dst ? n_dst : dst;
		rank = w->t->spaces[s].rank > rank ? w->t->spaces[s].rank : rank;
	}
	while (slots < 2 * dst)
		slots *= 2;
	c->rows = kte_work_alloc(w, src * (1 + 2 * rank), sizeof(*c->rows));
	c->ends = kte_work_alloc(w, src, sizeof(*c->ends));
	c->marks = kte_work_alloc(w, src / 64 + 1, sizeof(*c->marks));
	c->table = kte_work_alloc(w, slots, sizeof(*c->table));
	w->cap_edges = (uint64_t)w->t->n_sources + w->t->n_dests;
	w->edges = kte_work_alloc(w, w->cap_edges, sizeof(*w->edges));
	w->classes = kte_work_alloc(w, w->t->n_dests + 1ull, sizeof(*w->classes));
	w->class_of = kte_work_alloc(w, w->t->n_dests, sizeof(*w->class_of));
	return c->rows && c->ends && c->marks && c->table && w->edges && w->classes &&
	       w->class_of ? 0 : -ENOMEM;
}

int kte_cover(struct kte_work *w)
{
	struct cover c = { .w = w };
	uint32_t s;
	int err;

	err = group_by_space(w, w->t->sources, w->t->n_sources, &w->src_first, &w->src_list);
	if (!err)
		err = group_by_space(w, w->t->dests, w->t->n_dests, &w->dst_first, &w->dst_list);
	if (!err)
		err = alloc_cover(&c);
	for (s = 0; s < w->t->n_spaces && !err; s++) {
		c.sp = &w->t->spaces[s];
		c.src = w->src_list + w->src_first[s];
		c.n_src = w->src_first[s + 1] - w->src_first[s];
		c.dst = w->dst_list + w->dst_first[s];
		c.n_dst = w->dst_first[s + 1] - w->dst_first[s];
		err = cover_space(&c);
		if (!err)
			err = kte_step(w, 16);
	}
	kte_work_release(w, c.rows);
	kte_work_release(w, c.ends);
	kte_work_release(w, c.marks);
	kte_work_release(w, c.table);
	return err;
}
