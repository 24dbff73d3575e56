// SPDX-License-Identifier: MIT
/*
 * The table compiler against a painter that looks at every element and every
 * byte. Thousands of small tables, valid by construction and then spoilt in some
 * places: both must agree on accept or refuse, on the reason, on the edges, and
 * each witness must be real.
 */
#include "table_util.h"

#define TILES	3
#define WINDOW	1024
#define ROUNDS	20000

static uint64_t seed = 0x1234567887654321ull;

/* What the painter found. */
struct truth {
	uint32_t reason;
	struct kte_reject why;
	uint32_t first[MAX_ENTRIES];	/* runs, per destination */
	uint32_t count[MAX_ENTRIES];
	uint32_t edges[MAX_ENTRIES][MAX_ENTRIES];
	uint8_t staged[MAX_ENTRIES];
};

static uint8_t writes[TILES][WINDOW];
static uint8_t reads[TILES][WINDOW];

static bool inside(const struct kte_entry *e, uint32_t rank, const uint32_t *at)
{
	uint32_t a;

	for (a = 0; a < rank; a++)
		if (at[a] < e->start[a] || at[a] >= e->start[a] + e->size[a])
			return false;
	return true;
}

static uint64_t byte_of(const struct kte_entry *e, uint32_t rank, uint32_t role,
			const uint32_t *at)
{
	uint64_t v = e->offset[role];
	uint32_t a;

	for (a = 0; a < rank; a++)
		if (e->size[a] > 1)
			v += (at[a] - e->start[a]) * e->stride[role][a];
	return v;
}

/* Next element of the box of @e; starts with at = start. */
static bool next_element(const struct kte_entry *e, uint32_t rank, uint32_t *at)
{
	uint32_t a;

	for (a = rank; a-- > 0;) {
		if (++at[a] < e->start[a] + e->size[a])
			return true;
		at[a] = e->start[a];
	}
	return false;
}

#define FOR_ELEMENTS(e, rank, at) \
	for (bool more_ = (memcpy(at, (e)->start, sizeof(at)), true); more_; \
	     more_ = next_element(e, rank, at))

static uint32_t shared(const struct kte_entry *a, const struct kte_entry *b, uint32_t rank)
{
	uint32_t at[KTE_MAX_RANK], n = 0;

	FOR_ELEMENTS(a, rank, at)
		n += inside(b, rank, at);
	return n;
}

static uint32_t volume(const struct kte_entry *e, uint32_t rank)
{
	return shared(e, e, rank);
}

static bool lands_on_itself(const struct small *s, const struct kte_entry *d,
			    const struct kte_entry *src)
{
	uint32_t at[KTE_MAX_RANK], rank = s->spaces[d->space].rank;

	if (d->space != src->space || d->tile != src->tile ||
	    s->spaces[d->space].op != KTE_OP_COPY)
		return false;
	FOR_ELEMENTS(d, rank, at)
		if (inside(src, rank, at) && byte_of(d, rank, 0, at) != byte_of(src, rank, 0, at))
			return false;
	return shared(d, src, rank) > 0;
}

static void cover_one(struct small *s, uint32_t d, struct truth *tr)
{
	const struct kte_entry *e = &s->dests[d];
	const struct kte_space *sp = &s->spaces[e->space];
	uint32_t i, n, covered = 0, whole = volume(e, sp->rank);

	tr->count[d] = 0;
	for (i = 0; i < s->t.n_sources; i++) {
		if (s->sources[i].space != e->space)
			continue;
		n = shared(e, &s->sources[i], sp->rank);
		if (!n)
			continue;
		tr->edges[d][tr->count[d]++] = i;
		covered += n;
		if (sp->op != KTE_OP_COPY && n != whole && !tr->reason)
			tr->reason = KTE_R_FOLD_PARTIAL;
	}
	if (sp->op == KTE_OP_COPY && covered != whole && !tr->reason)
		tr->reason = KTE_R_COVERAGE;
	if (sp->op != KTE_OP_COPY && !covered && !tr->reason)
		tr->reason = KTE_R_FOLD_EMPTY;
}

static void cover_all(struct small *s, struct truth *tr)
{
	uint32_t sp, i, k;

	for (sp = 0; sp < s->t.n_spaces; sp++) {
		for (i = 0; i < s->t.n_sources && s->spaces[sp].op == KTE_OP_COPY; i++)
			for (k = 0; k < i; k++)
				if (s->sources[i].space == sp && s->sources[k].space == sp &&
				    shared(&s->sources[i], &s->sources[k], s->spaces[sp].rank) &&
				    !tr->reason)
					tr->reason = KTE_R_SRC_OVERLAP;
		for (i = 0; i < s->t.n_dests; i++)
			if (s->dests[i].space == sp)
				cover_one(s, i, tr);
	}
}

/* Counts how often each byte of its tile an entry touches. */
static void touch(const struct small *s, const struct kte_entry *e, uint8_t map[TILES][WINDOW])
{
	const struct kte_space *sp = &s->spaces[e->space];
	uint32_t at[KTE_MAX_RANK], r, b;

	for (r = 0; r < sp->roles; r++)
		FOR_ELEMENTS(e, sp->rank, at)
			for (b = 0; b < sp->elem_bytes[r]; b++)
				map[e->tile][byte_of(e, sp->rank, r, at) + b]++;
}

static void write_all(struct small *s, struct truth *tr)
{
	uint32_t d, i;

	memset(writes, 0, sizeof(writes));
	for (d = 0; d < s->t.n_dests; d++)
		touch(s, &s->dests[d], writes);
	for (d = 0; d < TILES && !tr->reason; d++)
		for (i = 0; i < WINDOW; i++)
			if (writes[d][i] > 1)
				tr->reason = KTE_R_DST_OVERLAP;	/* or with itself */
}

static void read_all(struct small *s, struct truth *tr)
{
	uint32_t d, k, r, b, at[KTE_MAX_RANK];

	memset(reads, 0, sizeof(reads));
	for (d = 0; d < s->t.n_dests; d++) {
		const struct kte_entry *e = &s->dests[d];
		const struct kte_space *sp = &s->spaces[e->space];

		for (k = 0; k < tr->count[d]; k++) {
			const struct kte_entry *src = &s->sources[tr->edges[d][k]];

			if (lands_on_itself(s, e, src))
				continue;
			for (r = 0; r < sp->roles; r++)
				FOR_ELEMENTS(src, sp->rank, at)
					for (b = 0; b < sp->elem_bytes[r] &&
					     inside(e, sp->rank, at); b++)
						reads[src->tile][byte_of(src, sp->rank, r, at) +
								 b] = 1;
		}
	}
}

/* Whether a destination writes, dropped elements aside, a byte that is read. */
static bool conflicts(const struct small *s, const struct truth *tr, uint32_t d)
{
	const struct kte_entry *e = &s->dests[d];
	const struct kte_space *sp = &s->spaces[e->space];
	uint32_t at[KTE_MAX_RANK], r, b, k;

	for (r = 0; r < sp->roles; r++) {
		FOR_ELEMENTS(e, sp->rank, at) {
			bool dropped = false;

			for (k = 0; k < tr->count[d]; k++) {
				const struct kte_entry *src = &s->sources[tr->edges[d][k]];

				dropped |= inside(src, sp->rank, at) && lands_on_itself(s, e, src);
			}
			for (b = 0; b < sp->elem_bytes[r] && !dropped; b++)
				if (reads[e->tile][byte_of(e, sp->rank, r, at) + b])
					return true;
		}
	}
	return false;
}

static void stage_all(struct small *s, struct truth *tr)
{
	uint64_t need[TILES] = { 0 };
	uint32_t d, t, r, i;

	for (d = 0; d < s->t.n_dests; d++) {
		const struct kte_space *sp = &s->spaces[s->dests[d].space];

		if (!(s->dests[d].flags & KTE_ENTRY_STAGED))
			continue;
		for (r = 0; r < sp->roles; r++)
			need[s->dests[d].tile] += (volume(&s->dests[d], sp->rank) *
						   sp->elem_bytes[r] + 127) / 128 * 128;
	}
	for (t = 0; t < TILES; t++)
		if (need[t] > s->t.stage_bytes && !tr->reason)
			tr->reason = KTE_R_STAGE_SIZE;
	memset(writes, 0, sizeof(writes));
	for (d = 0; d < s->t.n_dests; d++)
		touch(s, &s->dests[d], writes);
	for (d = 0; d < s->t.n_sources; d++)
		touch(s, &s->sources[d], writes);
	for (t = 0; t < TILES; t++)
		for (i = 0; i < s->t.stage_bytes; i++)
			if (writes[t][s->t.stage_offset + i] && !tr->reason)
				tr->reason = KTE_R_STAGE_OVERLAP;
	for (d = 0; d < s->t.n_dests; d++) {
		tr->staged[d] = conflicts(s, tr, d);
		if (tr->staged[d] && !(s->dests[d].flags & KTE_ENTRY_STAGED) && !tr->reason)
			tr->reason = KTE_R_ALIAS;
	}
}

static void find_truth(struct small *s, struct truth *tr)
{
	memset(tr, 0, sizeof(*tr));
	cover_all(s, tr);
	write_all(s, tr);
	if (!tr->reason || tr->reason == KTE_R_DST_OVERLAP) {
		read_all(s, tr);
		stage_all(s, tr);
	}
}

/* A layout of a space: strides of some axis order, perhaps with gaps. */
static void make_layout(const struct kte_space *sp, uint64_t *stride, uint32_t role)
{
	uint32_t order[3] = { 0, 1, 2 }, a, k, tmp;
	uint64_t step = sp->elem_bytes[role];

	for (a = 0; a < sp->rank; a++) {
		k = a + below(&seed, sp->rank - a);
		tmp = order[a];
		order[a] = order[k];
		order[k] = tmp;
	}
	for (a = 0; a < sp->rank; a++) {
		if (!below(&seed, 4))
			step += sp->elem_bytes[role] * below(&seed, 3);
		stride[order[a]] = step;
		step *= sp->extent[order[a]];
	}
}

/* Cuts a box at random; the pieces tile it. */
static uint32_t cut_up(struct kte_entry *out, uint32_t n, uint32_t rank, uint32_t want)
{
	uint32_t i, a, at;

	while (n < want) {
		i = below(&seed, n);
		a = below(&seed, rank);
		if (out[i].size[a] < 2) {
			if (!below(&seed, 8))
				break;
			continue;
		}
		at = 1 + below(&seed, out[i].size[a] - 1);
		out[n] = out[i];
		out[n].start[a] += at;
		out[n].size[a] -= at;
		out[i].size[a] = at;
		n++;
	}
	return n;
}

static void whole_space(struct kte_entry *e, const struct kte_space *sp, uint32_t space)
{
	memset(e, 0, sizeof(*e));
	e->space = space;
	memcpy(e->size, sp->extent, sizeof(e->size));
}

/* Places pieces of one side: a tile each, one layout or one of their own. */
static void place(const struct kte_space *sp, struct kte_entry *e, uint32_t n, uint64_t base)
{
	uint64_t stride[KTE_MAX_ROLES][3] = { { 0 } };
	bool packed = !below(&seed, 3);
	uint32_t i, r, a;

	for (r = 0; r < sp->roles; r++)
		make_layout(sp, stride[r], r);
	for (i = 0; i < n; i++) {
		e[i].tile = (uint16_t)below(&seed, TILES);
		if (packed)
			for (r = 0; r < sp->roles; r++)
				make_layout(sp, stride[r], r);
		for (r = 0; r < sp->roles; r++) {
			e[i].offset[r] = base + 128 * r;
			for (a = 0; a < sp->rank; a++) {
				e[i].stride[r][a] = stride[r][a];
				if (e[i].size[a] == 1 && !below(&seed, 6))
					e[i].stride[r][a] = below(&seed, 3);
				if (!packed)
					e[i].offset[r] += e[i].start[a] * stride[r][a];
			}
			if (packed)
				e[i].offset[r] += sp->elem_bytes[r] * below(&seed, 40);
		}
	}
}

static void random_space(struct kte_space *sp)
{
	static const uint8_t types[] = { KTE_DT_I8, KTE_DT_F16, KTE_DT_F32 };
	uint32_t a, kind = below(&seed, 5);

	memset(sp, 0, sizeof(*sp));
	sp->rank = (uint8_t)(1 + below(&seed, 3));
	sp->roles = 1;
	sp->elem_bytes[0] = (uint8_t)(1 + below(&seed, 3));
	for (a = 0; a < sp->rank; a++)
		sp->extent[a] = 1 + below(&seed, 5);
	if (kind > 1)
		return;
	sp->op = kind ? KTE_OP_ADD : KTE_OP_ARGMAX;
	sp->dtype[0] = types[below(&seed, 3)];
	sp->elem_bytes[0] = (uint8_t)kte_dtype_bytes(sp->dtype[0]);
	if (!kind) {
		sp->roles = 2;
		sp->dtype[1] = KTE_DT_I16;
		sp->elem_bytes[1] = 2;
	}
}

/* Sources: pieces of the space; of a fold, several stacks of pieces. */
static uint32_t make_sources(const struct kte_space *sp, uint32_t space, struct kte_entry *out)
{
	uint32_t n = 0, stacks = sp->op == KTE_OP_COPY ? 1 : 1 + below(&seed, 3);

	while (stacks--) {
		whole_space(&out[n], sp, space);
		if (sp->op == KTE_OP_COPY || !below(&seed, 12))
			n += cut_up(&out[n], 1, sp->rank, 1 + below(&seed, 6));
		else
			n++;
	}
	return n;
}

static void spoil(struct small *s)
{
	bool src = below(&seed, 2);
	uint32_t i = below(&seed, src ? s->t.n_sources : s->t.n_dests);
	struct kte_entry *e = src ? &s->sources[i] : &s->dests[i];
	const struct kte_space *sp = &s->spaces[e->space];
	uint32_t a = below(&seed, sp->rank), r = below(&seed, sp->roles);

	switch (below(&seed, 6)) {
	case 0:
		if (e->size[a] > 1)
			e->size[a]--;
		break;
	case 1:
		if (e->start[a]) {
			e->start[a]--;
			e->size[a]++;
		}
		break;
	case 2:
		e->offset[r] += sp->elem_bytes[r];
		break;
	case 3:
		e->stride[r][a] = sp->elem_bytes[r] * (1 + below(&seed, 7));
		break;
	case 4:
		e->offset[r] = below(&seed, 64) * sp->elem_bytes[r];
		break;
	default:
		e->tile = (uint16_t)below(&seed, TILES);
		break;
	}
}

static void random_table(struct small *s)
{
	uint32_t sp, n, i, spoils;

	small_init(s, TILES, WINDOW);
	s->t.n_spaces = 1 + below(&seed, 2);
	for (sp = 0; sp < s->t.n_spaces; sp++) {
		uint64_t base = 256 * sp;

		random_space(&s->spaces[sp]);
		n = make_sources(&s->spaces[sp], sp, s->sources + s->t.n_sources);
		place(&s->spaces[sp], s->sources + s->t.n_sources, n, base);
		s->t.n_sources += n;
		for (i = 1 + below(&seed, 2); i > 0; i--) {
			struct kte_entry *d = s->dests + s->t.n_dests;

			whole_space(d, &s->spaces[sp], sp);
			n = cut_up(d, 1, s->spaces[sp].rank, 1 + below(&seed, 6));
			place(&s->spaces[sp], d, n, below(&seed, 4) ? base + 512 * (i & 1) : base);
			s->t.n_dests += n;
		}
	}
	if (below(&seed, 2)) {
		s->t.stage_offset = below(&seed, 8) ? 768 : 512;
		s->t.stage_bytes = 128 * (uint64_t)(1 + below(&seed, 2));
	}
	for (i = 0; i < s->t.n_dests; i++)
		if (!below(&seed, s->t.stage_bytes ? 6 : 200))
			s->dests[i].flags = KTE_ENTRY_STAGED;
	for (spoils = below(&seed, 4); spoils > 1; spoils--)
		spoil(s);
}

static bool fields_fit(const struct small *s)
{
	struct small one = *s;
	struct env_state st = { 0 };
	const struct kte_env env = ENV(&st);
	struct kte_reject why;
	uint64_t bytes;
	void *image;

	one.t.spaces = one.spaces;
	one.t.sources = one.sources;
	one.t.dests = one.dests;
	kte_table_compile(&one.t, &one.lim, &env, &image, &bytes, &why);
	env_free(&st, image);
	return why.reason != KTE_R_BOX && why.reason != KTE_R_WINDOW &&
	       why.reason != KTE_R_ALIGN && why.reason != KTE_R_STRIDE;
}

static uint32_t times_touched(const struct small *s, const struct kte_entry *e, uint64_t byte)
{
	static uint8_t map[TILES][WINDOW];

	memset(map, 0, sizeof(map));
	touch(s, e, map);
	return map[e->tile][byte];
}

/* Whether a refusal's witness is true. */
static bool witness_holds(const struct small *s, const struct truth *tr,
			  const struct kte_reject *w)
{
	const struct kte_entry *e = w->where == KTE_WHERE_DEST ? &s->dests[w->index] :
				    &s->sources[w->index];
	const struct kte_space *sp = &s->spaces[e->space];
	uint32_t k, covered = 0;

	switch (w->reason) {
	case KTE_R_SRC_OVERLAP:
		return w->where == KTE_WHERE_SOURCE && w->other < w->index &&
		       shared(e, &s->sources[w->other], sp->rank);
	case KTE_R_COVERAGE:
		for (k = 0; k < tr->count[w->index]; k++)
			covered += shared(e, &s->sources[tr->edges[w->index][k]], sp->rank);
		return w->value == covered && w->limit == volume(e, sp->rank) &&
		       covered < w->limit;
	case KTE_R_FOLD_EMPTY:
		return !tr->count[w->index];
	case KTE_R_FOLD_PARTIAL:
		covered = shared(e, &s->sources[w->other], sp->rank);
		return covered && covered < volume(e, sp->rank);
	case KTE_R_SELF_OVERLAP:
		return w->tile == e->tile && times_touched(s, e, w->value) > 1;
	case KTE_R_DST_OVERLAP:
		return w->tile == e->tile && w->other < w->index &&
		       s->dests[w->other].tile == e->tile && times_touched(s, e, w->value) &&
		       times_touched(s, &s->dests[w->other], w->value);
	case KTE_R_ALIAS:
		return w->tile == e->tile && s->sources[w->other].tile == e->tile &&
		       !(e->flags & KTE_ENTRY_STAGED) && conflicts(s, tr, w->index) &&
		       times_touched(s, e, w->value) && reads[e->tile][w->value] &&
		       times_touched(s, &s->sources[w->other], w->value);
	case KTE_R_STAGE_OVERLAP:
		return w->tile == e->tile && w->value >= s->t.stage_offset &&
		       w->value < s->t.stage_offset + s->t.stage_bytes &&
		       times_touched(s, e, w->value);
	default:
		return w->reason == KTE_R_STAGE_SIZE && w->value > w->limit;
	}
}

static bool edges_equal(const struct small *s, const struct truth *tr, void *image)
{
	struct sections v;
	uint32_t d;

	open_image(image, &v);
	for (d = 0; d < s->t.n_dests; d++)
		if (v.dests[d].count != tr->count[d] ||
		    memcmp(v.edges + v.dests[d].first, tr->edges[d],
			   tr->count[d] * sizeof(uint32_t)))
			return false;
	return true;
}

/* Aliases as the painter sees them, where the table is valid up to there. */
static bool aliases_equal(const struct small *s, const struct truth *tr)
{
	struct env_state st = { 0 };
	const struct kte_env env = ENV(&st);
	uint8_t staged[MAX_ENTRIES];
	struct kte_reject why;
	uint64_t need, want[TILES] = { 0 }, most = 0;
	uint32_t d, t, r;

	if (kte_table_aliases(&s->t, &s->lim, &env, staged, &need, &why) || st.live)
		return false;
	for (d = 0; d < s->t.n_dests; d++) {
		const struct kte_space *sp = &s->spaces[s->dests[d].space];

		for (r = 0; r < sp->roles && staged[d]; r++)
			want[s->dests[d].tile] += (volume(&s->dests[d], sp->rank) *
						   sp->elem_bytes[r] + 127) / 128 * 128;
	}
	for (t = 0; t < TILES; t++)
		most = want[t] > most ? want[t] : most;
	return !memcmp(staged, tr->staged, s->t.n_dests) && need == most;
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? (unsigned int)atoi(argv[1]) : tap_rounds(ROUNDS);
	unsigned int i, judged = 0, accepted = 0, wrong = 0, lies = 0, edges = 0, aliases = 0;
	unsigned int leaks = 0, unsound = 0, seen[KTE_R_COUNT_OF] = { 0 };
	static struct small s;
	static struct truth tr;

	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0);
	for (i = 0; i < rounds; i++) {
		struct env_state st = { 0 };
		const struct kte_env env = ENV(&st);
		struct kte_reject why;
		struct kte_fault fault;
		uint64_t bytes;
		void *image;
		bool agree;
		int err;

		random_table(&s);
		if (!fields_fit(&s))
			continue;
		judged++;
		find_truth(&s, &tr);
		err = kte_table_compile(&s.t, &s.lim, &env, &image, &bytes, &why);
		agree = why.reason == tr.reason ||
			(tr.reason == KTE_R_DST_OVERLAP && why.reason == KTE_R_SELF_OVERLAP);
		if (why.reason < KTE_R_COUNT_OF)
			seen[why.reason]++;
		if (!agree && wrong++ < 5)
			diag("table %u: compiler %s (dest %u, value %llu), painter %s", i,
			     kte_reason_name(why.reason), why.index,
			     (unsigned long long)why.value, kte_reason_name(tr.reason));
		if (err && agree && !witness_holds(&s, &tr, &why) && lies++ < 5)
			diag("table %u: %s: witness does not hold", i, kte_reason_name(why.reason));
		if (!err) {
			accepted++;
			edges += !edges_equal(&s, &tr, image);
			unsound += kte_image_check(image, bytes, &s.lim, &fault) != 0;
		}
		if (tr.reason == KTE_OK || tr.reason == KTE_R_ALIAS)
			aliases += !aliases_equal(&s, &tr);
		env_free(&st, image);
		leaks += st.live != 0;
	}
	diag("%u tables, %u accepted", judged, accepted);
	for (i = 0; i < KTE_R_COUNT_OF; i++)
		if (seen[i])
			diag("%6u %s", seen[i], kte_reason_name(i));
	ok(judged > rounds / 2, "most random tables have valid fields");
	ok(accepted > rounds / 20, "a good share is accepted");
	is_u64(wrong, 0, "compiler and painter agree on every table");
	is_u64(lies, 0, "every witness holds");
	is_u64(edges, 0, "every run of edges is the painter's");
	is_u64(aliases, 0, "destinations to stage are the painter's");
	is_u64(unsound, 0, "every image passes the structural check");
	is_u64(leaks, 0, "nothing leaks");
	return done_testing();
}
