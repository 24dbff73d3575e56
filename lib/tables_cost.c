// SPDX-License-Identifier: MIT
/*
 * What a movement costs, from the relation alone: destinations with one box are counted
 * together, so a gather of every core to every core stays as small as its tables.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "relayout.h"

#define MATRIX_CORES	8192u	/* up to here who-sends-to-whom is exact */

struct cost {
	const struct kt_relation *r;
	struct ktdev_cost *out;
	enum ktdev_elect elect;
	uint32_t words;		/* per row of the matrices */
	uint64_t *in, *send;	/* who a core takes from, sends to */
	uint64_t *used;		/* scratch: cores used as producers of one edge */
	bool disjoint;		/* destination boxes share no element */
	struct sent *sent;	/* overlapping destinations only */
	uint32_t n_sent;
};

/* A box one core sends out of one source piece. */
struct sent {
	uint32_t piece, core;
	struct kte_box cut;
	bool remote;
};

static void set_bit(uint64_t *row, uint32_t i)
{
	row[i / 64] |= 1ull << (i % 64);
}

static uint32_t count_bits(const uint64_t *row, uint32_t words)
{
	uint32_t i, n = 0;

	for (i = 0; i < words; i++)
		n += (uint32_t)__builtin_popcountll(row[i]);
	return n;
}

static void note_pair(struct cost *c, uint32_t from, uint32_t to)
{
	if (!c->words || from == to)
		return;
	set_bit(c->in + (size_t)to * c->words, from);
	set_bit(c->send + (size_t)from * c->words, to);
}

static void note_sent(struct cost *c, uint32_t piece, uint32_t core, const struct kte_box *cut,
		      uint64_t bytes, bool remote)
{
	if (c->disjoint) {
		c->out->injections++;
		c->out->injected_bytes += remote ? bytes : 0;
		return;
	}
	c->sent[c->n_sent++] = (struct sent){ piece, core, *cut, remote };
}

/* An edge whose source has one owner. */
static void edge_single(struct cost *c, const struct kt_part *d, uint32_t s,
			const struct kte_box *cut, uint64_t bytes)
{
	uint32_t p = c->r->src[s].owners[0], k;
	bool own = kt_part_owned(d, p);

	c->out->remote_bytes += bytes * (d->n_owners - own);
	for (k = 0; k < d->n_owners; k++)
		note_pair(c, p, d->owners[k]);
	note_sent(c, s, p, cut, bytes, d->n_owners > own);
}

/* An edge whose source is held by several cores: each consumer has its own sender. */
static void edge_replicas(struct cost *c, const struct kt_part *d, uint32_t s,
			  const struct kte_box *cut, uint64_t bytes)
{
	const struct kt_part *src = &c->r->src[s];
	uint32_t k, p, i;
	bool *used = (bool *)c->used, *far = used + src->n_owners;

	memset(used, 0, 2 * src->n_owners);
	for (k = 0; k < d->n_owners; k++) {
		p = kt_elect(src, d->owners[k], c->r->rel->cores, c->elect);
		for (i = 0; src->owners[i] != p; i++)
			;
		used[i] = true;
		if (p != d->owners[k]) {
			far[i] = true;
			c->out->remote_bytes += bytes;
			note_pair(c, p, d->owners[k]);
		}
	}
	for (i = 0; i < src->n_owners; i++)
		if (used[i])
			note_sent(c, s, src->owners[i], cut, bytes, far[i]);
}

/* A fold: every owner of the source contributes to every holder. */
static void edge_fold(struct cost *c, const struct kt_part *d, uint32_t s,
		      const struct kte_box *cut, uint64_t bytes)
{
	const struct kt_part *src = &c->r->src[s];
	uint32_t i, k;

	for (i = 0; i < src->n_owners; i++) {
		bool own = kt_part_owned(d, src->owners[i]);

		c->out->remote_bytes += bytes * (d->n_owners - own);
		for (k = 0; k < d->n_owners; k++)
			note_pair(c, src->owners[i], d->owners[k]);
		note_sent(c, s, src->owners[i], cut, bytes, d->n_owners > own);
	}
	c->out->transfers += (uint64_t)d->n_owners * (src->n_owners - 1);
}

/* --- unions of boxes that may overlap ----------------------------------------------------- */

/* Boxes that share no element. */
struct pile {
	struct kt_boxes have, todo;
	bool nomem;
};

static void pile_fini(struct pile *p)
{
	free(p->have.v);
	free(p->todo.v);
}

/* Add what of box the pile does not hold yet. */
static void pile_add(struct pile *p, const struct kte_box *box, uint32_t rank)
{
	uint32_t i, n = p->have.n;
	struct kte_box one, cut;

	p->todo.n = 0;
	if (!kt_boxes_push(&p->todo, box))
		p->nomem = true;
	while (p->todo.n && !p->nomem) {
		one = p->todo.v[--p->todo.n];
		for (i = 0; i < n; i++)
			if (kt_box_cut(&p->have.v[i], &one, rank, &cut))
				break;
		if (i == n)
			p->nomem = !kt_boxes_push(&p->have, &one);
		else
			p->nomem = !kt_boxes_push_outside(&p->todo, one, &cut, rank);
	}
}

static int sent_order(const void *pa, const void *pb)
{
	const struct sent *a = pa, *b = pb;

	if (a->piece != b->piece)
		return a->piece < b->piece ? -1 : 1;
	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	return kt_box_order(&a->cut, &b->cut);
}

/* Injections and injected bytes where destination boxes overlap. */
static int count_sent(struct cost *c)
{
	uint32_t i, k, j, rank = c->r->rank;
	struct pile p = {0};

	qsort(c->sent, c->n_sent, sizeof(*c->sent), sent_order);
	for (i = 0; i < c->n_sent && !p.nomem; i = k) {
		p.have.n = 0;
		for (k = i; k < c->n_sent && c->sent[k].piece == c->sent[i].piece &&
			    c->sent[k].core == c->sent[i].core; k++) {
			if (k == i || !kt_boxes_equal(&c->sent[k].cut, &c->sent[k - 1].cut))
				c->out->injections++;
			if (c->sent[k].remote)
				pile_add(&p, &c->sent[k].cut, rank);
		}
		for (j = 0; j < p.have.n; j++)
			c->out->injected_bytes += kt_box_volume(&p.have.v[j], rank) *
						  c->r->rel->elem_bytes;
	}
	pile_fini(&p);
	return p.nomem ? -ENOMEM : 0;
}

struct held {
	const struct kt_relation *r;
	const struct kte_box *box;
	uint32_t core;
	uint64_t volume;
};

static int add_held(void *ctx, uint32_t piece)
{
	struct held *h = ctx;
	struct kte_box cut;

	if (kt_part_owned(&h->r->src[piece], h->core) &&
	    kt_box_cut(&h->r->src[piece].box, h->box, h->r->rank, &cut))
		h->volume += kt_box_volume(&cut, h->r->rank);
	return 0;
}

/* Distinct bytes each core lacks, where one core's destination boxes may overlap. */
static int bound_overlapping(const struct kt_relation *r, struct ktdev_cost *out)
{
	struct pile p = {0};
	uint32_t core, i, j;
	uint64_t volume = 0;

	for (core = 0; core < r->rel->cores && !p.nomem; core++) {
		p.have.n = 0;
		for (i = 0; i < r->n_dst; i++)
			if (kt_part_owned(&r->dst[i], core))
				pile_add(&p, &r->dst[i].box, r->rank);
		for (j = 0; j < p.have.n; j++) {
			struct held h = { r, &p.have.v[j], core, 0 };

			kt_index_meet(&r->six, &p.have.v[j], add_held, &h);
			volume += kt_box_volume(&p.have.v[j], r->rank) - h.volume;
		}
	}
	pile_fini(&p);
	out->lower_bound_bytes = volume * r->rel->elem_bytes;
	return p.nomem ? -ENOMEM : 0;
}

static void count_fans(struct cost *c)
{
	uint32_t i, n;

	for (i = 0; i < c->r->rel->cores && c->words; i++) {
		n = count_bits(c->in + (size_t)i * c->words, c->words);
		if (n > c->out->max_fanin)
			c->out->max_fanin = n;
		n = count_bits(c->send + (size_t)i * c->words, c->words);
		if (n > c->out->max_fanout)
			c->out->max_fanout = n;
	}
}

static int walk_edges(struct cost *c, bool fold)
{
	const struct kt_relation *r = c->r;
	uint32_t i, e;

	for (i = 0; i < r->n_dst; i++) {
		const struct kt_part *d = &r->dst[i];

		c->out->delivered_bytes += kt_box_volume(&d->box, r->rank) * d->n_owners *
					   r->rel->elem_bytes;
		c->out->transfers += (uint64_t)d->n_owners * (r->first[i + 1] - r->first[i]);
		for (e = r->first[i]; e < r->first[i + 1]; e++) {
			struct kte_box cut;
			uint64_t bytes;

			kt_box_cut(&r->src[r->edge[e]].box, &d->box, r->rank, &cut);
			bytes = kt_box_volume(&cut, r->rank) * r->rel->elem_bytes;
			if (fold)
				edge_fold(c, d, r->edge[e], &cut, bytes);
			else if (r->src[r->edge[e]].n_owners == 1)
				edge_single(c, d, r->edge[e], &cut, bytes);
			else
				edge_replicas(c, d, r->edge[e], &cut, bytes);
		}
	}
	return 0;
}

int kt_cost(const struct kt_relation *r, enum ktdev_elect elect, struct ktdev_cost *out)
{
	struct cost c = { .r = r, .out = out };
	bool fold = r->rel->side[0].value == KTDEV_VALUE_CONTRIBUTIONS;
	uint64_t small[4 * 64] = {0}, most = 1, scratch[64];
	uint32_t i, e, cores = r->rel->cores;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	c.elect = elect == KTDEV_ELECT_NONE ? KTDEV_ELECT_LOWEST : elect;
	c.disjoint = r->dgrid.product || r->n_dst < 2;
	c.words = cores <= MATRIX_CORES ? (cores + 63) / 64 : 0;
	c.in = small;
	c.used = scratch;
	for (e = 0; e < r->n_edges; e++)
		if (r->src[r->edge[e]].n_owners > most)
			most = r->src[r->edge[e]].n_owners;
	if (c.words > 1)
		c.in = calloc((size_t)cores * c.words * 2, sizeof(*c.in));
	if (2 * most > sizeof(scratch))
		c.used = malloc(2 * most);
	if (!c.disjoint) {
		size_t n = 0;

		for (i = 0; i < r->n_dst; i++)
			for (e = r->first[i]; e < r->first[i + 1]; e++)
				n += r->src[r->edge[e]].n_owners;
		c.sent = malloc((n ? n : 1) * sizeof(*c.sent));
	}
	if (!c.in || !c.used || (!c.disjoint && !c.sent)) {
		ret = -ENOMEM;
	} else {
		c.send = c.in + (size_t)cores * c.words;
		walk_edges(&c, fold);
		count_fans(&c);
		out->lower_bound_bytes = out->remote_bytes;
		if (!c.disjoint)
			ret = count_sent(&c);
		if (!ret && !c.disjoint && !fold)
			ret = bound_overlapping(r, out);
	}
	if (c.in != small)
		free(c.in);
	if (c.used != scratch)
		free(c.used);
	free(c.sent);
	return ret;
}
