// SPDX-License-Identifier: MIT
/* ktctl verify FILE...: parse, check every rule, say every finding. */
#include <errno.h>
#include <string.h>

#include "cmd.h"
#include "input.h"
#include "sticks.h"

struct verify {
	struct ctl *c;
	struct ktdev_verify_opts opts;
	struct ctl_sticks sticks;
	json_t *diags, *ops;	/* JSON only */
	int exit;
};

static void worst(struct verify *v, int code)
{
	if (code > v->exit)
		v->exit = code;
}

static void add_diags_json(struct verify *v, const struct ktdev_report *rep)
{
	json_t *list = ctl_json_diags(rep);

	json_array_extend(v->diags, list);
	json_decref(list);
}

static void add_ops_json(struct verify *v, const char *name, const struct ktdev_module *mod)
{
	struct ktdev_op_info info;

	for (size_t i = 0; i < ktdev_module_ops(mod); i++) {
		json_t *o;

		if (ktdev_module_op(mod, &v->opts, i, &info))
			continue;
		if (v->opts.func && strcmp(info.func, v->opts.func))
			continue;
		o = json_object();
		ctl_set_str(o, "op", info.op);
		ctl_set_str(o, "func", info.func);
		ctl_set_u64(o, "groups", info.groups);
		ctl_set_u64(o, "P", info.P);
		ctl_set_u64(o, "C", info.C);
		ctl_set_str(o, "file", name);
		ctl_set_int(o, "line", info.line);
		ctl_set_int(o, "col", info.col);
		json_array_append_new(v->ops, o);
	}
}

static void print_ops(const struct verify *v, const char *name, const struct ktdev_module *mod)
{
	struct ktdev_op_info info;

	for (size_t i = 0; i < ktdev_module_ops(mod); i++)
		if (!ktdev_module_op(mod, &v->opts, i, &info))
			printf("%s:%u:%u: %s in @%s: %u %s, P = %u, C = %u\n", name, info.line,
			       info.col, info.op, info.func, info.groups,
			       ctl_plural(info.groups, "group", "groups"), info.P, info.C);
}

static void print_summary(const struct ctl *c, const char *name, const struct ktdev_module *mod,
			  const struct ktdev_report *rep)
{
	size_t n = mod ? ktdev_module_ops(mod) : 0;
	size_t e = ktdev_report_total(rep, KTDEV_ERROR), w = ktdev_report_total(rep, KTDEV_WARNING);
	size_t u = ktdev_report_total(rep, KTDEV_UNSUPPORTED);

	if (c->quiet)
		return;
	printf("%s: ", name);
	if (mod)
		printf("%zu %s: ", n, ctl_plural(n, "delivery", "deliveries"));
	if (!e && !w && !u) {
		printf("%sok%s\n", ctl_on(c, stdout, CTL_GREEN), ctl_off(c, stdout));
		return;
	}
	printf("%zu %s, %zu %s", e, ctl_plural(e, "error", "errors"), w,
	       ctl_plural(w, "warning", "warnings"));
	if (u)
		printf(", %zu unsupported", u);
	putchar('\n');
}

/* A file that cannot be used at all: among the findings in JSON, an error as text. */
static int cannot(struct verify *v, const char *name, enum ctl_exit code, const char *what)
{
	char text[256];
	struct ktdev_diag d = {
		.severity = KTDEV_ERROR, .file = name, .message = text, .group = -1, .tile = -1,
		.consumer = -1,
	};

	if (!v->c->json)
		return ctl_fail(v->c, code, "%s: %s", name, what);
	snprintf(text, sizeof(text), "%s", what);
	json_array_append_new(v->diags, ctl_json_diag(&d));
	return code;
}

/* Read the input and check what there is to check; the rules are about programs. */
static int check_text(struct verify *v, const struct ctl_text *text, struct ktdev_report *rep,
		      struct ktdev_module **mod)
{
	struct ktdev_text in = { text->name, text->text, text->len };
	struct ktdev_relayout *rel = NULL;
	struct ktdev_plan *plan = NULL;
	int err = 0;

	switch (ctl_kind_of(text)) {
	case CTL_KTIR:
		err = ktdev_module_parse(text->name, text->text, text->len, rep, mod);
		if (!err)
			err = ktdev_verify(*mod, &v->opts, rep);
		break;
	case CTL_TABLES:
		err = ktdev_relayout_parse(&in, NULL, rep, &rel);
		break;
	case CTL_PLAN:
		err = ktdev_plan_read(text->name, text->text, text->len, rep, &plan);
		break;
	}
	ktdev_relayout_free(rel);
	ktdev_plan_free(plan);
	return err;
}

static void show(struct verify *v, const struct ctl_text *text, struct ktdev_report *rep,
		 const struct ktdev_module *mod)
{
	worst(v, (int)ctl_report_exit(rep, mod, false));
	if (v->c->json) {
		add_diags_json(v, rep);
		if (mod)
			add_ops_json(v, text->name, mod);
		return;
	}
	ctl_print_report(v->c, stdout, rep, false);
	if (v->c->verbose && mod)
		print_ops(v, text->name, mod);
	print_summary(v->c, text->name, mod, rep);
}

static int verify_file(struct verify *v, const char *path)
{
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_module *mod = NULL;
	const struct ctl_text *text;
	int err, ret = CTL_OK;

	if (!rep)
		return ctl_no_memory(v->c);
	err = ctl_load_quietly(v->c, path, &text);
	if (err) {
		ktdev_report_free(rep);
		return cannot(v, path, CTL_INPUT, strerror(-err));
	}
	ktdev_report_set_strict(rep, v->c->strict);
	err = check_text(v, text, rep, &mod);
	ktdev_report_sort(rep);
	switch (-err) {
	case ENOENT:
		ret = cannot(v, text->name, CTL_USAGE, "no function of the name given with --func");
		break;
	case EFBIG:
		ret = cannot(v, text->name, CTL_INPUT, "larger than the reader's limit");
		break;
	case ENOMEM:
		ret = ctl_no_memory(v->c);
		break;
	default:
		show(v, text, rep, mod);
		/* the findings say it too, unless there are none */
		if (err == -EPROTO)
			ret = CTL_VERSION;
	}
	ktdev_module_free(mod);
	ktdev_report_free(rep);
	return ret;
}

int cmd_verify(struct ctl *c)
{
	struct verify v = { .c = c };
	json_t *doc;
	int ret = ctl_sticks(c, &v.sticks);

	if (ret)
		return ret;
	v.opts = (struct ktdev_verify_opts){
		.size = sizeof(v.opts),
		.tiles = c->tiles,
		.func = ctl_opt(c, "func"),
		.sticks = v.sticks.stick,
		.n_sticks = v.sticks.n,
	};
	if (c->json) {
		v.diags = json_array();
		v.ops = json_array();
	}
	for (int i = 0; i < c->argc; i++)
		worst(&v, verify_file(&v, c->argv[i]));
	if (!c->json || c->document) {
		json_decref(v.diags);
		json_decref(v.ops);
		return v.exit;
	}
	doc = ctl_doc("ktctl.report/1", v.exit == CTL_OK);
	ctl_set(doc, "diagnostics", v.diags);
	ctl_set(doc, "ops", v.ops);
	ret = ctl_emit(c, doc);
	return ret ? ret : v.exit;
}
