// SPDX-License-Identifier: MIT
/*
 * Every program of tests/rules is verified and must give exactly the findings it lists.
 *
 *	// tiles: 16			options: --tiles, --stick AXIS=LANES, --strict
 *	// stick: 2=32
 *	// strict
 *	// expect: SEVERITY RULE @LINE:COL-COL group=G tile=T consumer=C "part of the message"
 *	// expect-note: @LINE:COL-COL "part"		of the finding above; "@-": no place
 *	// expect-fixit: @LINE:COL-COL "replacement"	of the finding above
 *
 * A witness that is left out is -1, RULE is "-" for syntax. A finding may have more notes
 * than listed, but no other fix-its. With --print the program prints what it finds in this
 * form. The examples of ktctl explain are checked too.
 */
#include <dirent.h>
#include <errno.h>

#include "ktdev.h"
#include "tests/tap.h"

#define MAX_EXPECT	64
#define MAX_PARTS	8

struct part {
	struct ktdev_range at;
	char text[256];
};

struct expect {
	char severity[16], rule[8];
	struct part main;
	int64_t group, tile, consumer;
	unsigned int n_notes, n_fixits;
	struct part notes[MAX_PARTS], fixits[MAX_PARTS];
	bool met;
};

struct program {
	char *text;
	size_t len;
	uint32_t tiles;
	bool strict;
	struct ktdev_stick stick;
	bool has_stick;
	unsigned int n;
	struct expect e[MAX_EXPECT];
};

static const char *severity_name(enum ktdev_severity s)
{
	static const char *const names[] = { "warning", "error", "unsupported", "note" };

	return names[s];
}

/* --- reading what is expected ------------------------------------------------------- */

/* "@12:3-9", "@12:3-14:2", "@-" */
static const char *read_place(const char *s, struct ktdev_range *r)
{
	unsigned int a, b;
	int n = 0;

	memset(r, 0, sizeof(*r));
	if (!strncmp(s, "@-", 2))
		return s + 2;
	if (sscanf(s, "@%u:%u-%u%n", &r->line, &r->col, &a, &n) != 3)
		bail_out("no place in '%s'", s);
	s += n;
	r->end_line = r->line;
	r->end_col = a;
	if (*s == ':' && sscanf(s, ":%u%n", &b, &n) == 1) {
		r->end_line = a;
		r->end_col = b;
		s += n;
	}
	return s;
}

static void read_quoted(const char *s, char *out, size_t len)
{
	const char *q = strchr(s, '"'), *end = q ? strrchr(q + 1, '"') : NULL;

	if (!end || (size_t)(end - q) > len)
		bail_out("no quoted text in '%s'", s);
	memcpy(out, q + 1, (size_t)(end - q - 1));
	out[end - q - 1] = 0;
}

static int64_t read_key(const char *s, const char *key)
{
	const char *p = strstr(s, key), *q = strchr(s, '"');

	return p && (!q || p < q) ? strtoll(p + strlen(key), NULL, 10) : -1;
}

static void read_expect(struct program *p, const char *s)
{
	struct expect *e = &p->e[p->n++];
	int n = 0;

	if (p->n == MAX_EXPECT || sscanf(s, " %15s %7s %n", e->severity, e->rule, &n) != 2)
		bail_out("cannot read '%s'", s);
	s = read_place(s + n, &e->main.at);
	e->group = read_key(s, "group=");
	e->tile = read_key(s, "tile=");
	e->consumer = read_key(s, "consumer=");
	read_quoted(s, e->main.text, sizeof(e->main.text));
}

static void read_part(struct program *p, const char *s, bool fixit)
{
	struct expect *e = p->n ? &p->e[p->n - 1] : NULL;
	struct part *part;

	if (!e || (fixit ? e->n_fixits : e->n_notes) == MAX_PARTS)
		bail_out("misplaced '%s'", s);
	part = fixit ? &e->fixits[e->n_fixits++] : &e->notes[e->n_notes++];
	s = read_place(s + strspn(s, " "), &part->at);
	read_quoted(s, part->text, sizeof(part->text));
}

static void read_directive(struct program *p, const char *line)
{
	if (!strncmp(line, "// tiles: ", 10))
		p->tiles = (uint32_t)strtoul(line + 10, NULL, 10);
	else if (sscanf(line, "// stick: %u=%u", &p->stick.axis, &p->stick.lanes) == 2)
		p->has_stick = true;
	else if (!strcmp(line, "// strict"))
		p->strict = true;
	else if (!strncmp(line, "// expect: ", 11))
		read_expect(p, line + 11);
	else if (!strncmp(line, "// expect-note: ", 16))
		read_part(p, line + 16, false);
	else if (!strncmp(line, "// expect-fixit: ", 17))
		read_part(p, line + 17, true);
}

static struct program *read_program(const char *path)
{
	struct program *p = calloc(1, sizeof(*p));
	FILE *f = fopen(path, "rb");
	char line[1024];
	long len = -1;

	if (p && f && !fseek(f, 0, SEEK_END))
		len = ftell(f);
	if (len < 0)
		bail_out("cannot read %s", path);
	rewind(f);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\r\n")] = 0;
		read_directive(p, line);
	}
	rewind(f);
	p->len = (size_t)len;
	p->text = malloc(p->len + 1);
	if (!p->text || fread(p->text, 1, p->len, f) != p->len)
		bail_out("cannot read %s", path);
	fclose(f);
	return p;
}

/* --- comparing ---------------------------------------------------------------------- */

static bool same_place(const struct ktdev_range *a, const struct ktdev_range *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static bool notes_match(const struct expect *e, const struct ktdev_diag *d)
{
	unsigned int i, k;

	for (i = 0; i < e->n_notes; i++) {
		for (k = 0; k < d->n_notes; k++)
			if (same_place(&d->notes[k].range, &e->notes[i].at) &&
			    strstr(d->notes[k].message, e->notes[i].text))
				break;
		if (k == d->n_notes)
			return false;
	}
	if (e->n_fixits != d->n_fixits)
		return false;
	for (i = 0; i < e->n_fixits; i++)
		if (!same_place(&d->fixits[i].range, &e->fixits[i].at) ||
		    strcmp(d->fixits[i].replacement, e->fixits[i].text))
			return false;
	return true;
}

static bool matches(const struct expect *e, const struct ktdev_diag *d)
{
	return !strcmp(e->severity, severity_name(d->severity)) &&
	       !strcmp(e->rule, d->rule ? d->rule : "-") && same_place(&e->main.at, &d->range) &&
	       e->group == d->group && e->tile == d->tile && e->consumer == d->consumer &&
	       strstr(d->message, e->main.text) && notes_match(e, d);
}

static void place_text(const struct ktdev_range *r, char *buf, size_t len)
{
	if (!r->line)
		snprintf(buf, len, "@-");
	else if (r->line == r->end_line)
		snprintf(buf, len, "@%u:%u-%u", r->line, r->col, r->end_col);
	else
		snprintf(buf, len, "@%u:%u-%u:%u", r->line, r->col, r->end_line, r->end_col);
}

static void print_diag(const struct ktdev_diag *d, const char *prefix)
{
	char at[64];
	unsigned int i;

	place_text(&d->range, at, sizeof(at));
	printf("%s// expect: %s %s %s", prefix, severity_name(d->severity),
	       d->rule ? d->rule : "-", at);
	if (d->group >= 0)
		printf(" group=%" PRId64, d->group);
	if (d->tile >= 0)
		printf(" tile=%" PRId64, d->tile);
	if (d->consumer >= 0)
		printf(" consumer=%" PRId64, d->consumer);
	printf(" \"%s\"\n", d->message);
	for (i = 0; i < d->n_notes; i++) {
		place_text(&d->notes[i].range, at, sizeof(at));
		printf("%s// expect-note: %s \"%s\"\n", prefix, at, d->notes[i].message);
	}
	for (i = 0; i < d->n_fixits; i++) {
		place_text(&d->fixits[i].range, at, sizeof(at));
		printf("%s// expect-fixit: %s \"%s\"\n", prefix, at, d->fixits[i].replacement);
	}
}

static struct ktdev_report *verify(const char *name, const struct program *p)
{
	struct ktdev_verify_opts opts = {
		.size = sizeof(opts), .tiles = p->tiles,
		.sticks = &p->stick, .n_sticks = p->has_stick,
	};
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_module *mod = NULL;
	size_t errors;
	int ret;

	ktdev_report_set_strict(rep, p->strict);
	ret = ktdev_module_parse(name, p->text, p->len, rep, &mod);
	if (!ret)
		ret = ktdev_verify(mod, &opts, rep);
	errors = ktdev_report_total(rep, KTDEV_ERROR);
	if (ret != (errors ? -EINVAL : 0))
		bail_out("%s: verify returned %d with %zu errors", name, ret, errors);
	ktdev_module_free(mod);
	ktdev_report_sort(rep);
	return rep;
}

static void test_program(const char *name, struct program *p)
{
	struct ktdev_report *rep = verify(name, p);
	unsigned int k, surprises = 0, missing = 0;
	size_t i;

	for (i = 0; i < ktdev_report_count(rep); i++) {
		const struct ktdev_diag *d = ktdev_report_get(rep, i);

		for (k = 0; k < p->n; k++)
			if (!p->e[k].met && matches(&p->e[k], d))
				break;
		if (k < p->n) {
			p->e[k].met = true;
			continue;
		}
		surprises++;
		print_diag(d, "# found ");
	}
	for (k = 0; k < p->n; k++) {
		if (p->e[k].met)
			continue;
		missing++;
		diag("missing %s %s at %u:%u \"%s\"", p->e[k].severity, p->e[k].rule,
		     p->e[k].main.at.line, p->e[k].main.at.col, p->e[k].main.text);
	}
	ok(!surprises && !missing, "%s: %u findings, as listed", name, p->n);
	ktdev_report_free(rep);
}

static void print_program(const char *name, struct program *p)
{
	struct ktdev_report *rep = verify(name, p);
	size_t i;

	printf("%s\n", name);
	for (i = 0; i < ktdev_report_count(rep); i++)
		print_diag(ktdev_report_get(rep, i), "");
	ktdev_report_free(rep);
}

/* --- files -------------------------------------------------------------------------- */

static int is_mlir(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 5 && !strcmp(d->d_name + n - 5, ".mlir");
}

static void test_files(const char *dir, void (*fn)(const char *, struct program *))
{
	struct dirent **names;
	int i, n = scandir(dir, &names, is_mlir, alphasort);
	char path[512];

	if (n <= 0)
		bail_out("no programs in %s", dir);
	for (i = 0; i < n; i++) {
		struct program *p;

		snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
		p = read_program(path);
		fn(names[i]->d_name, p);
		free(p->text);
		free(p);
		free(names[i]);
	}
	free(names);
}

/* --- the examples of ktctl explain -------------------------------------------------- */

/* The wrong one breaks its rule and no other, the right one none. */
static void test_example(const struct ktdev_rule *r, const char *text, bool wrong)
{
	struct program p = { .text = (char *)text, .len = strlen(text) };
	struct ktdev_report *rep = verify(r->id, &p);
	unsigned int other = 0, own = 0;
	size_t i;

	for (i = 0; i < ktdev_report_count(rep); i++) {
		const struct ktdev_diag *d = ktdev_report_get(rep, i);

		if (d->rule && !strcmp(d->rule, r->id) && wrong) {
			own++;
			continue;
		}
		other++;
		print_diag(d, "# found ");
	}
	ok(!other && (own > 0) == wrong, "explain %s: the %s example", r->id,
	   wrong ? "wrong" : "right");
	ktdev_report_free(rep);
}

static void test_examples(void)
{
	static const char *const order[] = {
		"R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9", "R10", "R11", "R12", "R13",
		"R14", "K1", "K2", "K3", "K4", "K5", "K6", "K7", "K8", "K9", "K10", "K11", "K12",
		"K13",
	};
	const struct ktdev_rule *rules;
	size_t i, n = ktdev_rules(&rules);

	is_u64(n, 27, "number of rules");
	for (i = 0; i < n; i++) {
		is_str(rules[i].id, order[i], "rule %zu in the order of the spec", i);
		ok(strlen(rules[i].statement) > 20 && strlen(rules[i].why) > 40,
		   "%s has a statement and a reason", rules[i].id);
		test_example(&rules[i], rules[i].wrong, true);
		test_example(&rules[i], rules[i].right, false);
	}
}

/* --- options and op infos ----------------------------------------------------------- */

static const char two_funcs[] =
	"#p = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>\n"
	"#c = affine_set<(i)[g] : (i - 4 * g == 0)>\n"
	"#d = affine_set<(p)[c] : (p - c >= 0, -p + c + 3 >= 0)>\n"
	"#e = affine_set<(p)[c] : (p - c >= 0, -p + c + 1 >= 0)>\n"
	"#g = affine_set<(g) : (g >= 0, -g + 1 >= 0)>\n"
	"func.func @one(%x: tensor<4x2xf16>) {\n"
	"  %f = ktdp.inter_tile_produce producer_tiles_per_group = #p\n"
	"    -> !ktdp.tile_future<(tensor<4x2xf16>), groups = #g> {\n"
	"    ^bb0(%gid: index):\n"
	"      ktdp.yield_partial %x : tensor<4x2xf16>\n"
	"  }\n"
	"  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #c,\n"
	"      gather_dimensions = [0], producer_dependency_per_consumer = #d\n"
	"    : !ktdp.tile_future<(tensor<4x2xf16>), groups = #g> -> tensor<16x2xf16>\n"
	"  return\n"
	"}\n"
	"func.func @two(%x: tensor<4x2xf16>) {\n"
	"  %f = ktdp.inter_tile_produce producer_tiles_per_group = #p\n"
	"    -> !ktdp.tile_future<(tensor<4x2xf16>), groups = #g> {\n"
	"    ^bb0(%gid: index):\n"
	"      ktdp.yield_partial %x : tensor<4x2xf16>\n"
	"  }\n"
	"  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #c,\n"
	"      gather_dimensions = [0], producer_dependency_per_consumer = #e\n"
	"    : !ktdp.tile_future<(tensor<4x2xf16>), groups = #g> -> tensor<8x2xf16>\n"
	"  return\n"
	"}\n";

static void test_op_infos(const struct ktdev_module *mod)
{
	struct ktdev_op_info info;

	is_u64(ktdev_module_ops(mod), 2, "two deliveries");
	is_u64(ktdev_module_op(mod, NULL, 1, &info), 0, "the second");
	is_str(info.op, "gather", "op");
	is_str(info.func, "two", "func");
	is_u64(info.line, 23, "line");
	is_u64(info.col, 8, "col");
	is_u64(info.groups, 2, "groups");
	is_u64(info.P, 2, "P counts the producers a consumer takes from");
	is_u64(info.C, 1, "C");
	ok(ktdev_module_op(mod, NULL, 2, &info) == -ENOENT, "there is no third");
}

static size_t errors_with(const struct ktdev_module *mod, struct ktdev_verify_opts opts, int *ret)
{
	struct ktdev_report *rep = ktdev_report_new();
	size_t n;

	opts.size = sizeof(opts);
	*ret = ktdev_verify(mod, &opts, rep);
	n = ktdev_report_total(rep, KTDEV_ERROR);
	ktdev_report_free(rep);
	return n;
}

static void test_options(void)
{
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_verify_opts opts = { .size = sizeof(opts) };
	struct {
		struct ktdev_verify_opts o;
		uint64_t tail;
	} big = { .o = { .size = sizeof(big) } };
	struct ktdev_stick zero = { 0, 0 };
	struct ktdev_module *mod;
	int ret;

	if (ktdev_module_parse("two", two_funcs, strlen(two_funcs), rep, &mod))
		bail_out("cannot parse");
	test_op_infos(mod);
	is_u64(errors_with(mod, (struct ktdev_verify_opts){ .func = "one" }, &ret), 0, "@one");
	is_u64((uint64_t)ret, 0, "@one returns 0");
	is_u64(errors_with(mod, (struct ktdev_verify_opts){ .func = "two" }, &ret), 1, "@two: R4");
	ok(ret == -EINVAL, "@two returns -EINVAL");
	errors_with(mod, (struct ktdev_verify_opts){ .func = "three" }, &ret);
	ok(ret == -ENOENT, "@three is no function");
	is_u64(errors_with(mod, (struct ktdev_verify_opts){ .func = "one", .tiles = 7 }, &ret), 1,
	       "7 tiles: K2");
	errors_with(mod, (struct ktdev_verify_opts){ .tiles = 1u << 20 }, &ret);
	ok(ret == -EINVAL, "too many tiles");
	errors_with(mod, (struct ktdev_verify_opts){ .n_sticks = 1, .sticks = &zero }, &ret);
	ok(ret == -EINVAL, "a stick of no lanes");
	opts.func = "one";
	ok(!ktdev_verify(mod, &opts, rep), "with options");
	big.o.func = "one";
	ok(!ktdev_verify(mod, &big.o, rep), "a larger struct, zero tail");
	big.tail = 1;
	ok(ktdev_verify(mod, &big.o, rep) == -E2BIG, "a larger struct with a tail");
	is_u64(ktdev_report_count(rep), 0, "and no findings from any of it");
	ktdev_module_free(mod);
	ktdev_report_free(rep);
}

int main(int argc, char **argv)
{
	const char *dir = argc > 2 ? argv[2] : "tests/rules";

	if (argc > 1 && !strcmp(argv[1], "--print")) {
		test_files(dir, print_program);
		return 0;
	}
	test_files(argc > 1 ? argv[1] : dir, test_program);
	test_examples();
	test_options();
	return done_testing();
}
