// SPDX-License-Identifier: MIT
/* GIVEN and EXPECT lines: what they say, what they refuse and where. */
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "tests/tap.h"

#define TILES	4
#define PAD	256

struct fixture {
	struct kt_source src;
	struct kt_arena arena;
	struct ktdev_report *rep;
	struct kt_expect e;
	uint8_t before[TILES][PAD], after[TILES][PAD];
	uint8_t *pb[TILES], *pa[TILES];
};

static int parse(struct fixture *f, const char *text)
{
	memset(f, 0, sizeof(*f));
	f->rep = ktdev_report_new();
	kt_source_init(&f->src, "t.mlir", text, strlen(text));
	for (int t = 0; t < TILES; t++) {
		f->pb[t] = f->before[t];
		f->pa[t] = f->after[t];
		memset(f->before[t], 16 + t, PAD);
	}
	return kt_expect_parse(&f->src, TILES, PAD, f->rep, &f->arena, &f->e);
}

static void done(struct fixture *f)
{
	kt_source_fini(&f->src);
	kt_arena_fini(&f->arena);
	ktdev_report_free(f->rep);
}

static void test_values(void)
{
	struct fixture f;
	const uint8_t want[] = { 0x00, 0x3c, 0x00, 0x3c, 0xfe, 0xff, 0xff, 0xff };

	ok(!parse(&f, "x\n  // GIVEN  tile 1..2 @8: f16 1*2 i32 -2\n"), "GIVEN is read");
	ok(f.e.n_lines == 1 && f.e.lines[0].given && f.e.lines[0].n_tiles == 2, "two tiles");
	ok(!kt_expect_any(&f.e), "GIVEN alone expects nothing");
	kt_expect_fill(&f.e, f.pb);
	ok(!memcmp(f.before[1] + 8, want, sizeof(want)), "values of both types");
	ok(f.before[1][7] == 17 && f.before[1][16] == 17, "nothing beside them");
	ok(f.before[0][8] == 16, "no other tile");
	done(&f);
}

static void test_compare(void)
{
	struct fixture f;
	struct kt_expect_mismatch m;

	ok(!parse(&f, "// EXPECT tile 0,3 @4: t2@0+6 i16 7\n"), "EXPECT is read");
	ok(kt_expect_any(&f.e), "something is expected");
	for (int t = 0; t < TILES; t += 3) {
		memset(f.after[t] + 4, 18, 6);
		f.after[t][10] = 7;
		f.after[t][11] = 0;
	}
	ok(kt_expect_compare(&f.e, f.pb, f.pa, 2, &m) == 0, "all as expected");
	f.after[3][6] = 1;
	f.after[3][7] = 2;
	f.after[3][9] = 3;
	ok(kt_expect_compare(&f.e, f.pb, f.pa, 2, &m) == 2, "two elements of two bytes differ");
	ok(m.tile == 3 && m.offset == 6 && m.want == 18 && m.got == 1, "first: tile 3 byte 6");
	ok(kt_expect_compare(&f.e, f.pb, f.pa, 1, &m) == 3, "three bytes differ");
	done(&f);
}

static void test_refusals(void)
{
	static const struct {
		const char *text, *message;
		unsigned int col;
	} cases[] = {
		{ "// EXPECT tiles 0 @0: f16 1", "expectation: a tile id is expected", 15 },
		{ "// EXPECT 0 @0: f16 1", "expectation: 'tile' is expected", 11 },
		{ "// EXPECT tile 4 @0: f16 1", "expectation: no such tile", 17 },
		{ "// EXPECT tile 2..1 @0: f16 1", "expectation: no such tile", 20 },
		{ "// EXPECT tile 0..3,0 @0: f16 1", "expectation: a tile is named twice", 22 },
		{ "// EXPECT tile 0 0: f16 1", "expectation: '@' and a byte offset are expected", 18 },
		{ "// EXPECT tile 0 @0 f16 1", "expectation: ':' is expected", 20 },
		{ "// EXPECT tile 0 @0:", "expectation: nothing is expected here", 1 },
		{ "// EXPECT tile 0 @0: 7", "expectation: a type or tTILE@OFFSET+LENGTH is expected", 22 },
		{ "// EXPECT tile 0 @0: i8 300", "expectation: a value of the type named is expected", 1 },
		{ "// EXPECT tile 0 @0: i8 1*0", "expectation: repeat count not in 1..1048576", 1 },
		{ "// EXPECT tile 0 @255: i16 1", "expectation: bytes outside the scratchpad", 1 },
		{ "// EXPECT tile 0 @0: t0@255+2", "expectation: bytes outside the scratchpad", 1 },
		{ "// EXPECT tile 0 @0: t9@0+1", "expectation: no such tile", 1 },
		{ "// EXPECT tile 0 @99999999999999999999: i8 1", "expectation: number too large", 38 },
		{ "// GIVEN tile 0 @0: t0@0+1", "expectation: a type or tTILE@OFFSET+LENGTH is expected", 21 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;
		const struct ktdev_diag *d;

		ok(parse(&f, cases[i].text) == -22, "refused: %s", cases[i].text);
		d = ktdev_report_get(f.rep, 0);
		ok(ktdev_report_count(f.rep) == 1 && !strcmp(d->message, cases[i].message) &&
		   d->range.line == 1 && d->range.col == cases[i].col,
		   "at column %u, not %u: %s", cases[i].col, d ? d->range.col : 0,
		   d ? d->message : "");
		done(&f);
	}
}

int main(void)
{
	test_values();
	test_compare();
	test_refusals();
	return done_testing();
}
