// SPDX-License-Identifier: MIT
/*
 * Cost: what the tables alone say against the counters of the compiled plan, checks that
 * catch a plan that moves too much, and the figures at scale.
 */
#include <sys/resource.h>
#include <time.h>

#include "relayout.h"
#include "relayout_util.h"

static bool stats_of(struct ktdev_plan *plan, struct ktdev_stats *st)
{
	return plan && !ktdev_plan_stats(plan, NULL, st);
}

static bool agree(const struct ktdev_cost *c, const struct ktdev_stats *s, const char *what)
{
	bool same = c->transfers == s->transfers && c->injections == s->injections &&
		    c->delivered_bytes == s->bytes_delivered && c->remote_bytes == s->remote_bytes &&
		    c->injected_bytes == s->injected_bytes && c->host_bytes == s->host_bytes;

	if (!same)
		diag("%s: transfers %" PRIu64 "/%" PRIu64 " injections %" PRIu64 "/%" PRIu64 " delivered %" PRIu64 "/%" PRIu64 " remote %" PRIu64 "/%" PRIu64 " injected %" PRIu64 "/%" PRIu64,
		     what, c->transfers, s->transfers, c->injections, s->injections,
		     c->delivered_bytes, s->bytes_delivered, c->remote_bytes, s->remote_bytes,
		     c->injected_bytes, s->injected_bytes);
	return same;
}

/* Classified cost against the counters of the tables' plan. */
static void counters(void)
{
	static const struct {
		const char *src, *dst, *extents;
		enum ktdev_elect elect;
	} cases[] = {
		{ "{in:2,out:8,x:2}", "{}*32", "in=4,out=16,x=8", 0 },
		{ "{mb:8,in:4}", "{mb:8}*4", "mb=64,in=64", 0 },
		{ "{mb:16@2}", "{mb:8}*4", "mb=64", 0 },
		{ "{mb:8,out:4}", "{mb:32}", "mb=64,out=64", 0 },
		{ "{mb:16}", "{mb:8,out:4}", "mb=64,out=64", 0 },
		{ "{y:16}", "{y:32}", "y=64", 0 },
		{ "{h:8}", "{h:8}*4", "h=64", 0 },
		{ "{Lk:32}", "{H:8}*4", "Lk=64,H=64", 0 },
		{ "{J:4@8,M:8@1}", "{J:4@1,M:8@4}", "J=4,M=8", 0 },
		{ "{a:6}", "{a:4}", "a=24", 0 },
		{ "{a:4}*2", "{a:8}*4", "a=64", KTDEV_ELECT_LOWEST },
		{ "{a:4}*2", "{a:8}*4", "a=64", KTDEV_ELECT_NEAREST },
		{ "{a:8}*4", "{}*32", "a=64", KTDEV_ELECT_LOWEST },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ktdev_relayout *rel = from_short(cases[i].src, cases[i].dst, cases[i].extents, 32);
		struct ktdev_report *rep = ktdev_report_new();
		struct ktdev_classification *c;
		struct ktdev_plan *plan = NULL;
		struct ktdev_stats st;

		ktdev_classify(rel, cases[i].elect, &c);
		ktdev_plan_from_relayout(rel, cases[i].elect, NULL, rep, &plan);
		ok(stats_of(plan, &st) && agree(&c->cost, &st, cases[i].src) &&
		   c->cost.remote_bytes == c->cost.lower_bound_bytes && !st.host_bytes,
		   "%s -> %s: %" PRIu64 " transfers, %" PRIu64 " injections, %" PRIu64 " bytes to move",
		   cases[i].src, cases[i].dst, c->cost.transfers, c->cost.injections,
		   c->cost.lower_bound_bytes);
		ktdev_plan_free(plan);
		ktdev_classification_free(c);
		ktdev_report_free(rep);
		ktdev_relayout_free(rel);
	}
}

/* Three readers of one value are one delivery of its bytes into the ring. */
static void shared_source(void)
{
	struct ktdev_relayout *rel = from_short("{mb:8}", "{mb:8}*4", "mb=64", 32);
	struct ktdev_classification *c;

	ktdev_classify(rel, KTDEV_ELECT_NONE, &c);
	is_u64(c->cost.injections, 8, "one injection per source, however many read it");
	is_u64(c->cost.injected_bytes, 8 * 8 * 2, "its bytes enter the ring once");
	is_u64(c->cost.remote_bytes, 31 * 8 * 2, "and reach every core that lacks them");
	is_u64(c->cost.max_fanout, 4, "cores one core sends to");
	is_u64(c->cost.max_fanin, 1, "cores one core takes from");
	ktdev_classification_free(c);
	ktdev_relayout_free(rel);
}

/* Overlapping destinations of one core: bytes count once in the bound, and boxes once. */
static void overlapping(void)
{
#define P(s, n, o) "{\"start\":{\"a\":" #s "},\"size\":{\"a\":" #n "},\"owners\":[" #o "]}"
	struct ktdev_relayout *rel = from_json("halo", "{\"schema\":\"ktdev.relayout/1\",\"cores\":4,\"dtype\":\"f16\",\"axes\":[{\"name\":\"a\",\"extent\":16}],\"source\":{\"pieces\":["
		P(0, 8, 0) "," P(8, 8, 1) "]},\"destination\":{\"pieces\":[" P(0, 10, 2) "," P(6, 10, 2) "]}}");
	struct ktdev_classification *c;

	ktdev_classify(rel, KTDEV_ELECT_NONE, &c);
	is_u64(c->cost.remote_bytes, 40, "two boxes of 10 elements");
	is_u64(c->cost.lower_bound_bytes, 32, "... are 16 distinct ones");
	is_u64(c->cost.injected_bytes, 32, "... and leave their sources once");
	is_u64(c->cost.injections, 4, "... in four boxes");
	ktdev_classification_free(c);
	ktdev_relayout_free(rel);
}

/* --- plans that cost too much are caught ------------------------------------------------------------ */

static void costs_of(const char *text, struct ktdev_stats *st)
{
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_module *mod = NULL;
	struct ktdev_plan *plan = NULL;

	if (ktdev_module_parse("ktir", text, strlen(text), rep, &mod) ||
	    ktdev_plan_from_module(mod, NULL, rep, &plan) || !stats_of(plan, st)) {
		show_report(rep);
		bail_out("the test's own KTIR is wrong");
	}
	ktdev_plan_free(plan);
	ktdev_module_free(mod);
	ktdev_report_free(rep);
}

static char *emit(const char *src, const char *dst, const char *extents)
{
	struct ktdev_relayout *rel = from_short(src, dst, extents, 32);
	struct ktdev_report *rep = ktdev_report_new();
	char *text = NULL;

	ktdev_emit(rel, KTDEV_ELECT_NONE, rep, &text);
	ktdev_report_free(rep);
	ktdev_relayout_free(rel);
	return text;
}

static void too_much(void)
{
	struct ktdev_relayout *rel = from_short("{mb:8,in:4}", "{mb:8}", "mb=64,in=64", 32);
	char *text = emit("{mb:8,in:4}", "{mb:8}*4", "mb=64,in=64");
	struct ktdev_classification *c;
	struct ktdev_stats st;

	ktdev_classify(rel, KTDEV_ELECT_NONE, &c);
	costs_of(text, &st);
	ok(st.remote_bytes > c->cost.lower_bound_bytes, "a gather to more cores than need it: %" PRIu64 " over the bound of %" PRIu64,
	   st.remote_bytes, c->cost.lower_bound_bytes);
	ktdev_classification_free(c);
	ktdev_relayout_free(rel);
	ktdev_text_free(text);

	/* one op per reader injects again what one op sends once */
	rel = from_short("{}", "{}*4", "a=64", 32);
	ktdev_classify(rel, KTDEV_ELECT_NONE, &c);
	text = emit("{}", "{}*4", "a=64");
	costs_of(text, &st);
	is_u64(st.injections, c->cost.injections, "a broadcast injects once");
	ktdev_text_free(text);
	text = emit("{}", "{a:4}", "a=64");
	costs_of(text, &st);
	ok(st.injections > c->cost.injections, "four parts sent one by one: %" PRIu64 " injections, not %" PRIu64,
	   st.injections, c->cost.injections);
	ktdev_text_free(text);
	ktdev_classification_free(c);
	ktdev_relayout_free(rel);
}

/* --- scale ---------------------------------------------------------------------------------------------- */

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

/* Time limits mean nothing in an instrumented build. */
#ifdef __SANITIZE_ADDRESS__
#define TIMED 0
#else
#define TIMED 1
#endif

static void one_pair(void)
{
	struct ktdev_relayout *rel = from_short("{Lk:32}", "{H:8}*4", "Lk=64,H=64", 32);
	struct ktdev_report *rep = ktdev_report_new();
	double best = 1e9;

	for (int i = 0; i < 300; i++) {
		struct ktdev_classification *c = NULL;
		struct ktdev_plan *plan = NULL;
		double t = now_us();

		ktdev_classify(rel, KTDEV_ELECT_NONE, &c);
		ktdev_plan_from_relayout(rel, KTDEV_ELECT_NONE, NULL, rep, &plan);
		t = now_us() - t;
		best = t < best ? t : best;
		ktdev_plan_free(plan);
		ktdev_classification_free(c);
	}
	diag("classify and compile at 32 cores: %.1f us", best);
	ok(!TIMED || best <= 100, "at most 100 us");
	ktdev_report_free(rep);
	ktdev_relayout_free(rel);
}

static void derivation(const char *src, const char *dst, uint32_t cores, uint32_t edges, double limit)
{
	struct ktdev_relayout *rel = from_short(src, dst, NULL, cores);
	const struct kt_side *s = rel->side;
	double best = 1e9;
	uint32_t n = 0;

	for (int i = 0; i < 50; i++) {
		struct kt_arena a = { 0 };
		struct kt_relation r;
		double t = now_us();

		kt_relation_init(&r, rel, s[0].pieces, s[0].n, s[1].pieces, s[1].n, &a);
		t = now_us() - t;
		best = t < best ? t : best;
		n = r.n_edges;
		kt_arena_fini(&a);
	}
	is_u64(n, edges, "transfers derived at %u cores", cores);
	diag("%.1f us", best);
	ok(!TIMED || best <= limit, "... in at most %.0f us", limit);
	ktdev_relayout_free(rel);
}

static void full_gather(void)
{
	struct ktdev_compile_opts co = { .size = sizeof(co), .cores = 4096, .uncapped = true };
	struct ktdev_relayout *rel = from_short("{in:4096}", "{}*4096", "in=4096", 4096);
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_classification *c;
	struct ktdev_plan *plan = NULL;
	struct rusage before, after;
	double t = now_us();

	getrusage(RUSAGE_SELF, &before);
	ktdev_classify(rel, KTDEV_ELECT_NONE, &c);
	ktdev_plan_from_relayout(rel, KTDEV_ELECT_NONE, &co, rep, &plan);
	t = now_us() - t;
	getrusage(RUSAGE_SELF, &after);
	is_str(c->op, "gather", "4096 cores to 4096 cores");
	is_u64(c->cost.transfers, 4096ull * 4096, "16.8 million transfers, none of them listed");
	is_u64(c->cost.remote_bytes, 4096ull * 4095 * 2, "bytes to move");
	ok(plan != NULL, "compiled");
	diag("%.0f ms, %ld KiB more", t / 1e3, after.ru_maxrss - before.ru_maxrss);
	ok(!TIMED || (t <= 1e6 && after.ru_maxrss - before.ru_maxrss <= 64 << 10),
	   "classified and compiled within a second and 64 MiB");
	ktdev_plan_free(plan);
	ktdev_classification_free(c);
	ktdev_report_free(rep);
	ktdev_relayout_free(rel);
}

int main(void)
{
	counters();
	shared_source();
	overlapping();
	too_much();
	one_pair();
	derivation("{a:32}", "{b:32}", 32, 1024, 10);
	derivation("{a:1024}", "{a:32,b:32}", 1024, 32768, 500);
	derivation("{a:4096}", "{a:64,b:64}", 4096, 262144, 5000);
	full_gather();
	return done_testing();
}
