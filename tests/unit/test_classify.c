// SPDX-License-Identifier: MIT
/*
 * The decision table: the axis table against an enumeration of regions over all pairs of
 * two-axis divisions, the known patterns one by one, every guard, and the traps.
 */
#include "relayout_util.h"

/* --- all pairs of two-axis divisions ------------------------------------------------------------ */

#define MAX_REGIONS	32

struct division {
	uint32_t n[2];
};

/* What an enumeration of the regions of a pair says. */
struct enumerated {
	uint32_t fanin, fanout, components;
	bool uniform_in, uniform_out;
};

/* Do slice i of n and slice k of m share an element? Lengths 1/n and 1/m. */
static bool slices_meet(uint32_t i, uint32_t n, uint32_t k, uint32_t m)
{
	return i * m < (k + 1) * n && k * n < (i + 1) * m;
}

static bool regions_meet(const struct division *s, uint32_t i, const struct division *d, uint32_t k)
{
	return slices_meet(i / s->n[1], s->n[0], k / d->n[1], d->n[0]) &&
	       slices_meet(i % s->n[1], s->n[1], k % d->n[1], d->n[1]);
}

static uint32_t root_of(uint32_t *up, uint32_t i)
{
	while (up[i] != i)
		i = up[i];
	return i;
}

static void enumerate(const struct division *s, const struct division *d, struct enumerated *out)
{
	uint32_t ns = s->n[0] * s->n[1], nd = d->n[0] * d->n[1], up[2 * MAX_REGIONS], i, k;
	uint32_t in[MAX_REGIONS] = {0}, fan[MAX_REGIONS] = {0};

	memset(out, 0, sizeof(*out));
	for (i = 0; i < ns + nd; i++)
		up[i] = i;
	for (i = 0; i < ns; i++)
		for (k = 0; k < nd; k++)
			if (regions_meet(s, i, d, k)) {
				fan[i]++;
				in[k]++;
				up[root_of(up, i)] = root_of(up, ns + k);
			}
	out->uniform_in = out->uniform_out = true;
	for (k = 0; k < nd; k++) {
		out->fanin = in[k] > out->fanin ? in[k] : out->fanin;
		out->uniform_in = out->uniform_in && in[k] == in[0];
	}
	for (i = 0; i < ns; i++) {
		out->fanout = fan[i] > out->fanout ? fan[i] : out->fanout;
		out->uniform_out = out->uniform_out && fan[i] == fan[0];
	}
	for (i = 0; i < ns + nd; i++)
		out->components += up[i] == i;
}

static uint32_t shortcut(const struct division *s, const struct division *d)
{
	uint32_t v = 1, a;

	for (a = 0; a < 2; a++)
		v *= s->n[a] / d->n[a] ? s->n[a] / d->n[a] : 1;
	return v;
}

static void all_pairs(void)
{
	struct division v[200];
	uint32_t n = 0, i, k, a, pairs = 0, bad = 0, shorter = 0, rows_bad = 0;

	for (i = 1; i <= 32; i++)
		for (k = 1; i * k <= 32; k++)
			v[n++] = (struct division){ { i, k } };
	is_u64(n, 119, "two-axis divisions with at most 32 regions");
	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++) {
			const struct division *s = &v[i], *d = &v[k];
			struct ktdev_classification *c;
			char src[64], dst[64], ext[64];
			struct ktdev_relayout *rel;
			struct enumerated e;
			bool uin = true, uout = true, ragged;

			snprintf(src, sizeof(src), "{a:%u,b:%u}", s->n[0], s->n[1]);
			snprintf(dst, sizeof(dst), "{a:%u,b:%u}", d->n[0], d->n[1]);
			snprintf(ext, sizeof(ext), "a=%u,b=%u", s->n[0] * d->n[0],
				 s->n[1] * d->n[1]);
			rel = from_short(src, dst, ext, 32);
			ktdev_classify(rel, KTDEV_ELECT_NONE, &c);
			enumerate(s, d, &e);
			for (a = 0; a < 2; a++) {
				uin = uin && c->axes[a].uniform_in;
				uout = uout && c->axes[a].uniform_out;
			}
			if (c->max_fanin != e.fanin || c->max_fanout != e.fanout ||
			    c->components != e.components || uin != e.uniform_in ||
			    uout != e.uniform_out) {
				if (!bad++)
					diag("%s -> %s: fan-in %" PRIu64 "/%u fan-out %" PRIu64 "/%u components %" PRIu64 "/%u",
					     src, dst, c->max_fanin, e.fanin, c->max_fanout,
					     e.fanout, c->components, e.components);
			}
			/* G2: uniform both ways is the same as divisible counts */
			ragged = !strcmp(c->row, "G2");
			if (ragged == (uin && uout))
				rows_bad++;
			shorter += shortcut(s, d) != c->max_fanin;
			pairs++;
			ktdev_classification_free(c);
			ktdev_relayout_free(rel);
		}
	is_u64(pairs, 14161, "pairs of two-axis divisions");
	is_u64(bad, 0, "per-axis products differ from the enumeration of regions");
	is_u64(rows_bad, 0, "ragged without, or uniform with, a count that divides");
	is_u64(shorter, 9158, "pairs on which Ns floordiv Nd is not the fan-in");
}

/* --- known patterns --------------------------------------------------------------------------------- */

struct pattern {
	const char *src, *dst, *row, *op;
	uint32_t ops, groups, p, c;
	uint64_t components, k, m;
	const char *split, *concat;	/* axes, joined by ',' */
	bool dep;
};

static const struct pattern patterns[] = {
	{ "{in:2,out:8,x:2}", "{}*32", "4", "gather", 1, 1, 32, 32, 1, 32, 1, "", "in,out,x", false },
	{ "{in:32}", "{}*28", "4", "gather", 1, 1, 32, 28, 1, 32, 1, "", "in", false },
	{ "{mb:8,in:4}", "{mb:8}*4", "4", "gather", 1, 8, 4, 4, 8, 4, 1, "", "in", false },
	{ "{mb:32}", "{mb:8}*4", "4", "gather", 1, 8, 4, 4, 8, 4, 1, "", "mb", false },
	{ "{mb:16@2}", "{mb:8}*4", "4", "gather", 1, 8, 2, 4, 8, 2, 1, "", "mb", false },
	{ "{mb:8,out:4}", "{mb:32}", "3", "all_to_all", 1, 8, 4, 4, 8, 4, 4, "mb", "out", false },
	{ "{x:8,mb:4}", "{x:32}", "3", "all_to_all", 1, 8, 4, 4, 8, 4, 4, "x", "mb", false },
	{ "{mb:16}", "{mb:8,out:4}", "3", "all_to_all", 1, 8, 2, 4, 8, 2, 4, "out", "mb", false },
	{ "{y:16}", "{y:32}", "2", "scatter", 1, 16, 1, 2, 16, 1, 2, "y", "", false },
	{ "{h:8}", "{h:8}*4", "1", "consume", 1, 8, 1, 4, 8, 1, 1, "", "", false },
	{ "{A:4,B:8}", "{A:8,B:4}", "3", "all_to_all", 1, 16, 2, 2, 16, 2, 2, "A", "B", false },
	{ "{J:4@8,M:8@1}", "{J:4@1,M:8@4}", "1", "consume", 1, 8, 4, 4, 32, 1, 1, "", "", true },
	{ "{J:4@1,M:8@4}", "{J:4@8,M:8@1}", "1", "consume", 1, 4, 8, 8, 32, 1, 1, "", "", true },
	{ "{Lk:32}", "{H:8}*4", "3", "all_to_all", 4, 1, 32, 8, 1, 32, 8, "H", "Lk", false },
	{ "{mb:8,out:4}", "{mb:8}", "4", "gather", 1, 8, 4, 1, 8, 4, 1, "", "out", false },
	{ "{y:8}", "{y:16}*2", "2", "scatter", 2, 8, 1, 2, 8, 1, 2, "y", "", false },
	{ "{p:4}", "{}*4@8", "4", "gather", 1, 1, 4, 4, 1, 4, 1, "", "p", false },
	{ "{mb:8}", "{mb:8}", "1", "no-op", 0, 0, 0, 0, 8, 1, 1, "", "", false },
	{ "{mb:8}*4", "{mb:32}", "2", "no-op", 0, 0, 0, 0, 8, 1, 4, "mb", "", false },
	{ "{mb:8}*2", "{mb:32}", "G3", NULL, 0, 0, 0, 0, 8, 1, 4, "", "", false },
	{ "{a:6}", "{a:4}", "G2", NULL, 4, 0, 0, 0, 2, 3, 2, "", "", false },
	{ "{a:2}", "{a:3}", "G2", NULL, 4, 0, 0, 0, 1, 2, 3, "", "", false },
};

static void joined(char *buf, size_t size, const char *const *v, uint32_t n)
{
	buf[0] = 0;
	for (uint32_t i = 0; i < n; i++)
		snprintf(buf + strlen(buf), size - strlen(buf), "%s%s", i ? "," : "", v[i]);
}

static void known_patterns(void)
{
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		const struct pattern *w = &patterns[i];
		struct ktdev_relayout *rel = from_short(w->src, w->dst, NULL, 32);
		struct ktdev_classification *c;
		char split[64], concat[64];

		ktdev_classify(rel, KTDEV_ELECT_NONE, &c);
		joined(split, sizeof(split), c->split_axes, c->n_split);
		joined(concat, sizeof(concat), c->concat_axes, c->n_concat);
		ok(!strcmp(c->row, w->row) && !strcmp(c->op ? c->op : "-", w->op ? w->op : "-"),
		   "%s -> %s: row %s, %s", w->src, w->dst, c->row, c->op ? c->op : "no op");
		ok(c->ops_needed == w->ops && c->groups == w->groups &&
		   c->producers_per_group == w->p && c->consumers_per_group == w->c &&
		   c->needs_dependency == w->dep,
		   "... %u ops, %u groups, P %u, C %u, dependency %d", c->ops_needed, c->groups,
		   c->producers_per_group, c->consumers_per_group, c->needs_dependency);
		ok(c->components == w->components && c->k == w->k && c->m == w->m,
		   "... %" PRIu64 " components, K %" PRIu64 ", M %" PRIu64, c->components, c->k, c->m);
		ok(!strcmp(split, w->split) && !strcmp(concat, w->concat), "... split [%s], concat [%s]",
		   split, concat);
		ktdev_classification_free(c);
		ktdev_relayout_free(rel);
	}
}

static bool tiles_are(const uint32_t *v, uint32_t n, uint32_t first, uint32_t step)
{
	for (uint32_t i = 0; i < n; i++)
		if (v[i] != first + i * step)
			return false;
	return n > 0;
}

/* The sets of patterns that name them. */
static void groups_named(void)
{
	struct ktdev_relayout *rel = from_short("{mb:16@2}", "{mb:8}*4", NULL, 32);
	struct ktdev_classification *c;
	struct ktdev_op_sets sets;
	bool good = true;
	uint32_t g, k;

	ktdev_classify(rel, KTDEV_ELECT_NONE, &c);
	for (g = 0; g < c->n_groups; g++)
		good = good && c->group[g].n_producers == 2 && c->group[g].n_consumers == 4 &&
		       tiles_are(c->group[g].producers, 2, 4 * g, 2) &&
		       tiles_are(c->group[g].consumers, 4, 4 * g, 1);
	ok(good && c->n_groups == 8, "P(g) = {4g, 4g+2}, C(g) = {4g..4g+3}");
	ktdev_classification_sets(c, 0, &sets);
	is_str(sets.producers,
	       "affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0, (i - 4 * g) mod 2 == 0)>",
	       "a coset as a person would write it");
	is_str(sets.consumers, "affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>",
	       "a range as a person would write it");
	ok(!sets.dep, "no dependency set where the group's graph is complete");
	ktdev_op_sets_free(&sets);
	is_u64((uint64_t)-ktdev_classification_sets(c, 1, &sets), 34, "there is one delivery only");
	ktdev_classification_free(c);
	ktdev_relayout_free(rel);

	rel = from_short("{J:4@8,M:8@1}", "{J:4@1,M:8@4}", NULL, 32);
	ktdev_classify(rel, KTDEV_ELECT_NONE, &c);
	good = c->n_groups == 8;
	for (g = 0; g < c->n_groups; g++)
		for (k = 0; k < 4; k++)
			good = good && c->group[g].dep[k] == g + 8 * (c->group[g].consumers[k] % 4);
	ok(good, "transpose: p = g + 8 (c mod 4)");
	ktdev_classification_sets(c, 0, &sets);
	is_str(sets.dep, "affine_set<(p)[c, g] : (p >= 0, -p + 31 >= 0, p - g - 8 * (c mod 4) == 0)>",
	       "its dependency set");
	ktdev_op_sets_free(&sets);
	ktdev_classification_free(c);
	ktdev_relayout_free(rel);

	rel = from_short("{J:4@1,M:8@4}", "{J:4@8,M:8@1}", NULL, 32);
	ktdev_classify(rel, KTDEV_ELECT_NONE, &c);
	good = c->n_groups == 4;
	for (g = 0; g < c->n_groups; g++)
		for (k = 0; k < 8; k++)
			good = good && c->group[g].dep[k] == g + 4 * (c->group[g].consumers[k] % 8);
	ok(good, "its inverse: p = g + 4 (c mod 8)");
	ktdev_classification_free(c);
	ktdev_relayout_free(rel);
}

/* --- guards and traps ---------------------------------------------------------------------------------- */

#define HEAD(cores, extent) "{\"schema\":\"ktdev.relayout/1\",\"cores\":" #cores \
	",\"dtype\":\"f16\",\"axes\":[{\"name\":\"a\",\"extent\":" #extent "}],"
#define P1(s, n, o) "{\"start\":{\"a\":" #s "},\"size\":{\"a\":" #n "},\"owners\":[" o "]}"
#define SRC "\"source\":{\"pieces\":["
#define DST "]},\"destination\":{\"pieces\":["
#define END "]}}"
#define HEAD2(x, y) "{\"schema\":\"ktdev.relayout/1\",\"cores\":8,\"dtype\":\"f16\",\"axes\":[" \
	"{\"name\":\"x\",\"extent\":" #x "},{\"name\":\"y\",\"extent\":" #y "}],"
#define P2(x, nx, y, ny, o) "{\"start\":{\"x\":" #x ",\"y\":" #y "},\"size\":{\"x\":" #nx \
	",\"y\":" #ny "},\"owners\":[" o "]}"

static const struct {
	const char *what, *text, *row, *verdict, *reason;
} traps[] = {
	{ "64+192 to 128+128", HEAD(4, 256) SRC P1(0, 64, "0") "," P1(64, 192, "1") DST
	  P1(0, 128, "0") "," P1(128, 128, "1") END, "G2", "ragged",
	  "ragged: source slices of axis 'a' have 64 and 192 elements" },
	{ "overlapping halos", HEAD(4, 256) SRC P1(0, 128, "0") "," P1(128, 128, "1") DST
	  P1(0, 130, "0") "," P1(126, 130, "1") END, "G1", "irregular",
	  "destination slices [0, 130) and [126, 256) of axis 'a' overlap" },
	{ "10/20/34 to the whole", HEAD(4, 64) SRC P1(0, 10, "0") "," P1(10, 20, "1") ","
	  P1(30, 34, "2") DST P1(0, 64, "3") END, "G2", "ragged",
	  "source slices of axis 'a' have 10 and 20 elements" },
	{ "a gap", HEAD(4, 64) SRC P1(0, 64, "0") DST P1(0, 16, "1") "," P1(48, 16, "2") END, "G1",
	  "irregular", "destination slices [0, 16) and [48, 64) of axis 'a' leave a gap" },
	{ "the diagonal only", HEAD2(4, 4) SRC P2(0, 4, 0, 4, "0") DST P2(0, 2, 0, 2, "1") ","
	  P2(2, 2, 2, 2, "2") END, "G1", "irregular",
	  "the 2 destination boxes are not all 4 combinations of their slices" },
	{ "bricks", HEAD2(4, 4) SRC P2(0, 2, 0, 2, "0") "," P2(0, 2, 2, 2, "1") ","
	  P2(2, 2, 0, 4, "2") DST P2(0, 4, 0, 4, "3") END, "G1", "irregular",
	  "source slices [0, 2) and [0, 4) of axis 'y' overlap" },
	{ "a part", HEAD(4, 64) SRC P1(0, 32, "0") "," P1(32, 32, "1") DST P1(40, 8, "2") END, "G1",
	  "selection", "selection: the destination is within a [40, 48), 8 of 64 elements" },
	{ "a part of what is not everything", HEAD(4, 64) SRC P1(32, 16, "0") "," P1(48, 16, "1") DST
	  P1(32, 32, "2") END, "4", "ok", "axes are only coarsened (a 2 -> 1)" },
	{ "each keeps a part of its own", HEAD(4, 64) SRC P1(0, 32, "0") "," P1(32, 32, "1") DST
	  P1(32, 8, "1") END, "G1", "selection", "no op: every core already holds its region (1 of 1)" },
	{ "swapped owners", HEAD(4, 64) SRC P1(0, 32, "0") "," P1(32, 32, "1") DST P1(0, 32, "1") ","
	  P1(32, 32, "0") END, "1", "ok", "only 0 of 2 holders have theirs already: relocation" },
};

static void guards(void)
{
	for (size_t i = 0; i < sizeof(traps) / sizeof(traps[0]); i++) {
		struct ktdev_relayout *rel = from_json(traps[i].what, traps[i].text);
		struct ktdev_classification *c;

		ktdev_classify(rel, KTDEV_ELECT_NONE, &c);
		ok(!strcmp(c->row, traps[i].row) && !strcmp(c->verdict, traps[i].verdict),
		   "%s: row %s, %s", traps[i].what, c->row, c->verdict);
		if (!ok(strstr(c->reason, traps[i].reason) != NULL, "... says why"))
			diag("%s", c->reason);
		if (c->row[0] == 'G')
			ok(!c->op, "... is no delivery");
		ktdev_classification_free(c);
		ktdev_relayout_free(rel);
	}
}

/* Equal divisions with other owners are a movement, whatever the owners. */
static void never_a_noop(void)
{
	uint32_t bad = 0, i;

	for (i = 0; i < 200; i++) {
		uint32_t v[8] = { 0, 1, 2, 3, 4, 5, 6, 7 }, k, moved = 0;
		struct ktdev_classification *c;
		struct ktdev_relayout *rel;
		char text[2048] = HEAD(8, 64) SRC;

		shuffle(v, 8);
		for (k = 0; k < 8; k++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text),
				 "%s{\"start\":{\"a\":%u},\"size\":{\"a\":8},\"owners\":[%u]}",
				 k ? "," : "", k * 8, k);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), DST);
		for (k = 0; k < 8; k++) {
			snprintf(text + strlen(text), sizeof(text) - strlen(text),
				 "%s{\"start\":{\"a\":%u},\"size\":{\"a\":8},\"owners\":[%u]}",
				 k ? "," : "", k * 8, v[k]);
			moved += v[k] != k;
		}
		snprintf(text + strlen(text), sizeof(text) - strlen(text), END);
		rel = from_json("permuted", text);
		ktdev_classify(rel, KTDEV_ELECT_NONE, &c);
		if (strcmp(c->row, "1") || strcmp(c->op, moved ? "consume" : "no-op") ||
		    c->cost.remote_bytes != moved * 16)
			bad++;
		ktdev_classification_free(c);
		ktdev_relayout_free(rel);
	}
	is_u64(bad, 0, "of 200 permutations of equal divisions: wrong op or bytes");
}

/* Elections: who sends, and that holders serve themselves. */
static void elections(void)
{
	static const struct {
		enum ktdev_elect elect;
		const char *name;
		uint32_t from5;		/* who sends core 5 its region */
	} cases[] = { { KTDEV_ELECT_LOWEST, "lowest", 0 }, { KTDEV_ELECT_NEAREST, "nearest", 6 } };
	struct ktdev_relayout *rel = from_short("{}*3@3", "{}*8", "x=64", 8);

	for (size_t i = 0; i < 2; i++) {
		struct ktdev_classification *c;
		bool good = true;
		uint32_t k;

		ktdev_classify(rel, cases[i].elect, &c);
		is_str(c->elected, cases[i].name, "elected: %s", cases[i].name);
		for (k = 0; k < 8; k++) {
			uint32_t p = c->group[0].dep[k];

			if (k == 0 || k == 3 || k == 6)
				good = good && p == k;
			if (k == 5)
				good = good && p == cases[i].from5;
		}
		ok(good, "holders serve themselves, core 5 is served by %u", cases[i].from5);
		is_u64(c->cost.remote_bytes, 5 * 128, "five cores receive it");
		ktdev_classification_free(c);
	}
	ktdev_relayout_free(rel);
}

int main(void)
{
	all_pairs();
	known_patterns();
	groups_named();
	guards();
	never_a_noop();
	elections();
	return done_testing();
}
