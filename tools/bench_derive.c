// SPDX-License-Identifier: MIT
/* Deriving the transfers of a pair of tables: this looks into the library. */
#include <errno.h>
#include <string.h>

#include "bench.h"
#include "lib/relayout.h"

struct derive {
	struct ktdev_relayout *rel;
	uint32_t transfers;
	int err;
};

static void do_derive(void *ctx)
{
	struct derive *d = ctx;
	struct kt_arena arena = { 0 };
	struct kt_relation r;
	const struct kt_side *s = d->rel->side;
	int err = kt_relation_init(&r, d->rel, s[0].pieces, s[0].n, s[1].pieces, s[1].n, &arena);

	d->transfers = err ? 0 : r.n_edges;
	kt_arena_fini(&arena);
	d->err = err ? err : d->err;
}

static int bench_derive(struct ctl_bench *b, unsigned int cores, unsigned int cut,
			uint32_t transfers, double want)
{
	char name[40], src[40], dst[64];
	struct ktdev_relayout_opts opts = { .size = sizeof(opts), .cores = cores };
	struct ktdev_report *rep = ktdev_report_new();
	struct derive d = { .rel = NULL };
	struct ktdev_text s, t;
	int err, ret = CTL_OK;

	snprintf(name, sizeof(name), "derive.us.%u", cores);
	if (!ctl_bench_wanted(b, name) || !rep) {
		ktdev_report_free(rep);
		return CTL_OK;
	}
	ctl_progress(b->c, "%s", name);
	snprintf(src, sizeof(src), "{a:%u}", cores);
	snprintf(dst, sizeof(dst), "{a:%u,b:%u}", cores / cut, cut);
	s = (struct ktdev_text){ "source", src, strlen(src) };
	t = (struct ktdev_text){ "destination", dst, strlen(dst) };
	err = ktdev_relayout_parse_pair(&s, &t, &opts, rep, &d.rel);
	if (!err) {
		ktdev_bench_compare(ctl_bench_line(b, name, KTDEV_BENCH_US, "",
						   "transfers of an exchange", want),
				    do_derive, NULL, &d);
		err = d.err ? d.err : d.transfers != transfers ? -ERANGE : 0;
	}
	if (err)
		ret = ctl_fail_report(b->c, CTL_INPUT, rep, "bench: %s: %s", name, strerror(-err));
	ktdev_relayout_free(d.rel);
	ktdev_report_free(rep);
	return ret;
}

int ctl_bench_derive(struct ctl_bench *b)
{
	/* every source meets as many destinations as the new axis has slices */
	int ret = bench_derive(b, 32, 32, 32 * 32, 10);

	if (!ret)
		ret = bench_derive(b, 1024, 32, 1024 * 32, 500);
	if (!ret)
		ret = bench_derive(b, 4096, 64, 4096 * 64, 5000);
	return ret;
}
