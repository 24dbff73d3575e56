// SPDX-License-Identifier: MIT
/* ktctl diff A B: do two inputs move the same, and if not, which core tells? */
#include <string.h>

#include "cmd.h"
#include "compile.h"

static int report(struct ctl *c, const char *a, const char *b, const struct ktdev_diff *d,
		  const struct ktdev_report *rep)
{
	json_t *doc, *list;
	int ret;

	if (c->json) {
		doc = ctl_doc("ktctl.diff/1", d->same);
		ctl_set_str(doc, "a", a);
		ctl_set_str(doc, "b", b);
		ctl_set_bool(doc, "same", d->same);
		ctl_set_bool(doc, "matched_by_order", d->by_order);
		ctl_set_u64(doc, "differing_bytes", d->differing_bytes);
		list = ctl_list(doc, "witnesses");
		for (uint32_t i = 0; i < d->n_lines; i++)
			json_array_append_new(list, json_string(d->lines[i]));
		ctl_set(doc, "diagnostics", ctl_json_diags(rep));
		ret = ctl_emit(c, doc);
		return ret ? ret : d->same ? CTL_OK : CTL_FINDINGS;
	}
	if (d->same && !c->quiet)
		printf("%s and %s move the same%s\n", a, b,
		       d->by_order ? " (to other addresses)" : "");
	if (d->same)
		return CTL_OK;
	printf("%s and %s %sdiffer%s%s\n", a, b, ctl_on(c, stdout, CTL_RED), ctl_off(c, stdout),
	       d->by_order ? " (bytes matched by their order on each core)" : "");
	for (uint32_t i = 0; i < d->n_lines; i++)
		printf("  %s\n", d->lines[i]);
	if (d->differing_bytes)
		printf("  %llu bytes in all\n", (unsigned long long)d->differing_bytes);
	return CTL_FINDINGS;
}

int cmd_diff(struct ctl *c)
{
	struct ctl_input a = { .name = NULL }, b = { .name = NULL };
	struct ktdev_diff *diff = NULL;
	struct ctl_compile opts = { .elect = KTDEV_ELECT_NONE };
	int err, ret = CTL_OK;

	if (!strcmp(c->argv[0], "-") && !strcmp(c->argv[1], "-"))
		ret = ctl_fail(c, CTL_USAGE, "standard input can be read once only");
	if (!ret)
		ret = ctl_input(c, c->argv[0], NULL, &a);
	if (!ret)
		ret = ctl_input(c, c->argv[1], NULL, &b);
	if (!ret)
		ret = ctl_compile_opts(c, &a, NULL, &opts);
	if (!ret) {
		struct ktdev_diff_input x = { a.mod, a.rel, a.plan, opts.elect };
		struct ktdev_diff_input y = { b.mod, b.rel, b.plan, opts.elect };

		err = ktdev_diff(&x, &y, &opts.lib, a.rep, &diff);
		ret = err ? ctl_fail_input(c, &a, err) : CTL_OK;
	}
	if (!ret) {
		ctl_warnings(c, a.rep);
		ret = report(c, a.name, b.name, diff, a.rep);
	}
	ktdev_diff_free(diff);
	ctl_input_free(&a);
	ctl_input_free(&b);
	return ret;
}
