// SPDX-License-Identifier: MIT
/* Many relayouts in one process: read, classify, emit, verify, compile, run. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch.h"

static void gap(struct ctl_geometry *g, int code, const char *text)
{
	if (!*g->gap)
		snprintf(g->gap, sizeof(g->gap), "%s", text);
	if (code > g->exit)
		g->exit = code;
}

/* The gap is the first finding that is no warning, else @text. */
static void gap_of_report(struct ctl_geometry *g, int code, const char *text)
{
	for (size_t i = 0; i < ktdev_report_count(g->rep); i++) {
		const struct ktdev_diag *d = ktdev_report_get(g->rep, i);

		if (d->severity != KTDEV_WARNING) {
			gap(g, code, d->message);
			return;
		}
	}
	gap(g, code, text);
}

static struct ctl_geometry *new_geometry(struct ctl_batch *b, const char *path, const char *op)
{
	const char *name = strrchr(path, '/');
	struct ctl_geometry *g;
	size_t len;

	if (b->n == b->cap) {
		size_t cap = b->cap ? 2 * b->cap : 32;

		g = realloc(b->geo, cap * sizeof(*g));
		if (!g)
			return NULL;
		b->geo = g;
		b->cap = cap;
	}
	g = &b->geo[b->n];
	memset(g, 0, sizeof(*g));
	name = name ? name + 1 : path;
	len = strlen(name);
	if (len > 5 && !strcmp(name + len - 5, ".json"))
		len -= 5;
	g->base = malloc(len + (op ? strlen(op) : 0) + 2);
	g->path = strdup(path);
	g->op = op ? strdup(op) : NULL;
	g->rep = ktdev_report_new();
	b->n++;
	if (!g->base || !g->path || !g->rep || (op && !g->op))
		return NULL;
	sprintf(g->base, "%.*s%s%s", (int)len, name, op ? "#" : "", op ? op : "");
	ktdev_report_set_strict(g->rep, b->c->strict);
	return g;
}

static void parse(struct ctl_batch *b, struct ctl_geometry *g, const struct ktdev_text *text,
		  struct ctl_relayout_opts *opts)
{
	int err;

	if (g->op)
		opts->lib.op = g->op;
	err = ktdev_relayout_parse(text, &opts->lib, g->rep, &g->rel);
	if (err == -EOPNOTSUPP)
		gap_of_report(g, CTL_OK, "not supported");
	else if (err)
		gap_of_report(g, CTL_INPUT, strerror(-err));
	if (!err && ktdev_classify(g->rel, b->elect, &g->cls))
		gap(g, CTL_INPUT, "out of memory");
}

struct ktdev_data_ops *ctl_data_ops(const struct ktdev_text *text)
{
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_data_ops *ops = NULL;

	if (rep && ktdev_relayout_ops_of(text, rep, &ops))
		ops = NULL;
	ktdev_report_free(rep);
	return ops;
}

/* A planner file may hold several data ops: each is a geometry of its own. */
static int add_ops(struct ctl_batch *b, const char *path, const struct ktdev_text *text,
		   struct ctl_relayout_opts *opts)
{
	struct ktdev_data_ops *ops = opts->lib.op ? NULL : ctl_data_ops(text);
	struct ctl_geometry *g;
	char number[16];

	if (!ops || ops->n < 2) {
		ktdev_data_ops_free(ops);
		g = new_geometry(b, path, NULL);
		if (!g)
			return ctl_no_memory(b->c);
		parse(b, g, text, opts);
		return CTL_OK;
	}
	for (uint32_t i = 0; i < ops->n; i++) {
		snprintf(number, sizeof(number), "%u", i);
		g = new_geometry(b, path, number);
		if (!g) {
			ktdev_data_ops_free(ops);
			return ctl_no_memory(b->c);
		}
		if (ops->ops[i].moves)
			parse(b, g, text, opts);
		else
			gap(g, CTL_OK, ops->ops[i].why);
	}
	ktdev_data_ops_free(ops);
	return CTL_OK;
}

static int add_file(struct ctl_batch *b, const char *path)
{
	const struct ctl_text *t;
	struct ctl_relayout_opts opts;
	struct ktdev_text text;
	int ret = ctl_relayout_opts(b->c, &opts);

	if (!ret)
		ret = ctl_load(b->c, path, &t);
	if (ret)
		return ret;
	text = (struct ktdev_text){ t->name, t->text, t->len };
	return add_ops(b, path, &text, &opts);
}

static int is_json(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return e->d_name[0] != '.' && n > 5 && !strcmp(e->d_name + n - 5, ".json");
}

int ctl_batch_add(struct ctl_batch *b, const char *path)
{
	struct dirent **list;
	struct stat st;
	int n, ret = CTL_OK;

	if (!strcmp(path, "-") || stat(path, &st) || !S_ISDIR(st.st_mode))
		return add_file(b, path);
	n = scandir(path, &list, is_json, alphasort);
	if (n < 0)
		return ctl_fail(b->c, CTL_INPUT, "cannot read %s: %s", path, strerror(errno));
	if (!n)
		ret = ctl_fail(b->c, CTL_INPUT, "%s: no .json files", path);
	for (int i = 0; i < n; i++) {
		char *file = ctl_path(path, list[i]->d_name);

		if (!ret)
			ret = file ? add_file(b, file) : ctl_no_memory(b->c);
		free(file);
		free(list[i]);
	}
	free(list);
	return ret;
}

/* Does the KTIR that says the same verify, and what rule stands against it? */
static void verify(struct ctl_batch *b, struct ctl_geometry *g)
{
	struct ktdev_verify_opts opts = { .size = sizeof(opts) };
	struct ktdev_module *mod = NULL;
	struct ktdev_report *rep = ktdev_report_new();
	char *text = NULL;
	int err;

	err = rep ? ktdev_emit(g->rel, b->elect, rep, &text) : -ENOMEM;
	if (!err)
		err = ktdev_module_parse(g->base, text, strlen(text), rep, &mod);
	if (!err)
		err = ktdev_verify(mod, &opts, rep);
	if (err == -EOPNOTSUPP) {
		gap(g, CTL_OK, ktdev_report_count(rep) ? ktdev_report_get(rep, 0)->message :
		    "no KTIR says it");
	} else {
		g->verifies = err ? CTL_NO : CTL_YES;
		if (err)
			gap(g, CTL_FINDINGS, ktdev_report_count(rep) ?
			    ktdev_report_get(rep, 0)->message : strerror(-err));
	}
	ktdev_module_free(mod);
	ktdev_text_free(text);
	ktdev_report_free(rep);
}

static void move(struct ctl_batch *b, struct ctl_geometry *g)
{
	struct ctl_input in = { .kind = CTL_TABLES };
	struct ctl_compile opts;
	struct ktdev_result res = { .size = sizeof(res) };
	int err;

	if (ctl_compile_opts(b->c, &in, b->dev, &opts))
		return;
	err = ktdev_check_relayout(b->dev, g->rel, b->elect, &opts.lib, 1, g->rep, &res);
	if (err == -EOPNOTSUPP) {
		gap_of_report(g, CTL_OK, "this target cannot run it");
		return;
	}
	g->moves = !err && res.ok && !res.stats.host_bytes ? CTL_YES : CTL_NO;
	if (err)
		gap_of_report(g, err == -EIO ? CTL_FAULT : CTL_FINDINGS, strerror(-err));
	else if (g->moves == CTL_NO)
		gap(g, CTL_FINDINGS, "the bytes are not what the tables say");
}

static void consume(struct ctl_batch *b, struct ctl_geometry *g)
{
	const struct ctl_consumer *consumer = ctl_consumer_of(&b->consumers, g->base);
	struct ctl_input in = { .kind = CTL_TABLES };
	struct ktdev_plan *plan = NULL;
	struct ctl_compile opts;
	const char *why = NULL;
	bool agrees = false;
	int err;

	if (!consumer) {
		if (b->consumers.n)
			gap(g, CTL_OK, "no reference consumer");
		return;
	}
	if (ctl_compile_opts(b->c, &in, b->dev, &opts))
		return;
	err = ktdev_plan_from_relayout(g->rel, b->elect, &opts.lib, g->rep, &plan);
	if (!err)
		err = ctl_consume(b->dev, plan, g->rel, consumer, &agrees, &why);
	ktdev_plan_free(plan);
	if (err) {
		gap(g, err == -EOPNOTSUPP ? CTL_OK : CTL_FINDINGS, why ? why : strerror(-err));
		return;
	}
	g->consumer = agrees ? CTL_YES : CTL_NO;
	if (!agrees)
		gap(g, CTL_FINDINGS, "the consumer finds other values than on the whole tensor");
}

void ctl_batch_run(struct ctl_batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		struct ctl_geometry *g = &b->geo[i];

		if (!g->cls)
			continue;
		ctl_progress(b->c, "%zu of %zu: %s", i + 1, b->n, g->base);
		verify(b, g);
		if (b->dev)
			move(b, g);
		if (b->dev && g->moves == CTL_YES)
			consume(b, g);
	}
	ctl_progress(b->c, NULL);
}

void ctl_batch_free(struct ctl_batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		struct ctl_geometry *g = &b->geo[i];

		ktdev_classification_free(g->cls);
		ktdev_relayout_free(g->rel);
		ktdev_report_free(g->rep);
		free(g->base);
		free((char *)g->path);
		free((char *)g->op);
	}
	ctl_consumers_free(&b->consumers);
	free(b->geo);
}
