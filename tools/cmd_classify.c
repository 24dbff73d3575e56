// SPDX-License-Identifier: MIT
/* ktctl classify: what movement a pair of ownership tables is; one, or many in one table. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch.h"
#include "classify_out.h"
#include "cmd.h"

static int classify_one(struct ctl *c)
{
	struct ktdev_classification *cls = NULL;
	struct ctl_input in;
	json_t *doc;
	int ret = ctl_input_operands(c, &in);

	if (!ret && in.kind != CTL_TABLES)
		ret = ctl_fail(c, CTL_INPUT, "%s: not a pair of tables\n"
			       "ktctl verify -v shows the deliveries of a program", in.name);
	if (!ret && ktdev_classify(in.rel, ctl_elect(c), &cls))
		ret = ctl_no_memory(c);
	if (!ret) {
		ctl_warnings(c, in.rep);
		if (c->json) {
			doc = ctl_classification_json(in.rel, cls);
			ctl_set(doc, "diagnostics", ctl_json_diags(in.rep));
			ret = ctl_emit(c, doc);
		} else {
			ctl_print_classification(c, in.rel, cls);
		}
	}
	ktdev_classification_free(cls);
	ctl_input_free(&in);
	return ret;
}

static int classify_many(struct ctl *c)
{
	struct ctl_batch b = { .c = c, .elect = ctl_elect(c) };
	struct ctl_edges edges = { .n = 0 };
	const char *index = ctl_opt(c, "edges"), *consumers = ctl_opt(c, "consumers");
	int ret = CTL_OK;

	if (index)
		ret = ctl_edges(c, index, &edges);
	if (!ret && consumers && !ctl_opt(c, "check"))
		ret = ctl_fail(c, CTL_USAGE,
			       "--consumers look at what was moved: give --check too");
	if (!ret && consumers)
		ret = ctl_consumers(c, consumers, &b.consumers);
	if (!ret && ctl_opt(c, "check"))
		ret = ctl_open(c, &b.dev);
	for (int i = 0; !ret && i < c->argc; i++)
		ret = ctl_batch_add(&b, c->argv[i]);
	if (!ret) {
		ctl_batch_run(&b);
		ret = ctl_batch_print(&b, index ? &edges : NULL);
	}
	ctl_batch_free(&b);
	ctl_edges_free(&edges);
	ktdev_device_close(b.dev);
	return ret;
}

/* A planner file with several data ops is answered as many relayouts. */
static bool several_ops(struct ctl *c)
{
	struct ctl_text text = { .name = c->argv[0] };
	struct ktdev_data_ops *ops = NULL;
	bool several;

	if (c->argc != 1 || ctl_opt(c, "op") || !strcmp(c->argv[0], "-") || c->argv[0][0] == '{' ||
	    ctl_read(c->argv[0], CTL_READ_MAX, &text.text, &text.len))
		return false;
	if (ctl_kind_of(&text) == CTL_TABLES)
		ops = ctl_data_ops(&(struct ktdev_text){ text.name, text.text, text.len });
	several = ops && ops->n > 1;
	ktdev_data_ops_free(ops);
	free(text.text);
	return several;
}

int cmd_classify(struct ctl *c)
{
	struct stat st;
	bool many = c->argc > 2 || ctl_opt(c, "batch") || ctl_opt(c, "edges") ||
		    ctl_opt(c, "check") || ctl_opt(c, "consumers");

	for (int i = 0; !many && i < c->argc; i++)
		many = c->argv[i][0] != '{' && !stat(c->argv[i], &st) && S_ISDIR(st.st_mode);
	return many || several_ops(c) ? classify_many(c) : classify_one(c);
}
