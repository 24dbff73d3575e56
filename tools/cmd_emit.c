// SPDX-License-Identifier: MIT
/* ktctl emit: the KTIR that moves what a pair of tables says. */
#include <string.h>

#include "cmd.h"
#include "compile.h"

int cmd_emit(struct ctl *c)
{
	const char *path = ctl_opt(c, "output");
	struct ctl_input in;
	char *text = NULL;
	json_t *doc;
	int err, ret = ctl_input_operands(c, &in);

	if (!ret && in.kind != CTL_TABLES)
		ret = ctl_fail(c, CTL_INPUT, "%s: not a pair of tables", in.name);
	if (!ret) {
		err = ktdev_emit(in.rel, ctl_elect(c), in.rep, &text);
		ret = err ? ctl_fail_input(c, &in, err) : CTL_OK;
	}
	if (!ret)
		ctl_warnings(c, in.rep);
	if (!ret && path && strcmp(path, "-"))
		ret = ctl_save(c, path, text, strlen(text));
	if (!ret && c->json) {
		doc = ctl_doc("ktctl.emit/1", true);
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
