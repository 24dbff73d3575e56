// SPDX-License-Identifier: MIT
/* ktctl draw: pictures of who sends to whom and who owns what. */
#include <string.h>

#include "cmd.h"
#include "compile.h"

static const char *const names[] = {
	[KTDEV_DRAW_ASCII] = "ascii", [KTDEV_DRAW_SVG] = "svg", [KTDEV_DRAW_DOT] = "dot",
};

/* --format, else what the output file's name ends in, else ascii. */
static enum ktdev_draw_format format(const struct ctl *c, const char *path)
{
	const char *word = ctl_opt(c, "format");

	if (!word && path) {
		word = strrchr(path, '.');
		word = word ? word + 1 : NULL;
	}
	for (size_t i = 0; word && i < CTL_ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], word))
			return (enum ktdev_draw_format)i;
	return KTDEV_DRAW_ASCII;
}

int cmd_draw(struct ctl *c)
{
	const char *path = ctl_opt(c, "output");
	enum ktdev_draw_format fmt = format(c, path);
	struct ctl_compile opts;
	struct ctl_input in;
	char *text = NULL;
	json_t *doc;
	int err, ret = ctl_input_operands(c, &in);

	if (!ret)
		ret = ctl_compile_opts(c, &in, NULL, &opts);
	if (!ret) {
		struct ktdev_diff_input what = {
			.mod = in.mod, .rel = in.rel, .plan = in.plan, .elect = opts.elect,
		};

		err = ktdev_draw(&what, fmt, &opts.lib, in.rep, &text);
		ret = err ? ctl_fail_input(c, &in, err) : CTL_OK;
	}
	if (!ret)
		ctl_warnings(c, in.rep);
	if (!ret && path && strcmp(path, "-"))
		ret = ctl_save(c, path, text, strlen(text));
	if (!ret && c->json) {
		doc = ctl_doc("ktctl.draw/1", true);
		ctl_set_str(doc, "format", names[fmt]);
		ctl_set_str(doc, "output", path);
		ctl_set_str(doc, "text", text);
		ctl_set(doc, "diagnostics", ctl_json_diags(in.rep));
		ret = ctl_emit(c, doc);
	} else if (!ret && (!path || !strcmp(path, "-"))) {
		fputs(text, stdout);
	}
	ktdev_text_free(text);
	ctl_input_free(&in);
	return ret;
}
