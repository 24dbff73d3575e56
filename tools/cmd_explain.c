// SPDX-License-Identifier: MIT
/* ktctl explain RULE: the rule, why, a wrong and a right example. */
#include <string.h>
#include <strings.h>

#include "cmd.h"

static void print_example(const struct ctl *c, const char *title, enum ctl_style style,
			  const char *text)
{
	if (!text || !*text)
		return;
	printf("\n%s%s:%s\n", ctl_on(c, stdout, style), title, ctl_off(c, stdout));
	while (*text) {
		size_t n = strcspn(text, "\n");

		printf("%s%.*s\n", n ? "    " : "", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static json_t *rule_json(const struct ktdev_rule *r)
{
	json_t *o = json_object();

	ctl_set_str(o, "id", r->id);
	ctl_set_str(o, "statement", r->statement);
	ctl_set_str(o, "why", r->why);
	ctl_set_str(o, "wrong", r->wrong);
	ctl_set_str(o, "right", r->right);
	return o;
}

static int list_rules(struct ctl *c, const struct ktdev_rule *rules, size_t n)
{
	json_t *doc, *list;

	if (!c->json) {
		for (size_t i = 0; i < n; i++)
			printf("%s%-4s%s %s\n", ctl_on(c, stdout, CTL_BOLD), rules[i].id,
			       ctl_off(c, stdout), rules[i].statement);
		return CTL_OK;
	}
	doc = ctl_doc("ktctl.explain/1", true);
	list = ctl_list(doc, "rules");
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, rule_json(&rules[i]));
	return ctl_emit(c, doc);
}

int cmd_explain(struct ctl *c)
{
	const struct ktdev_rule *rules, *r;
	size_t n = ktdev_rules(&rules), i;

	if (!c->argc)
		return list_rules(c, rules, n);
	for (i = 0; i < n; i++)
		if (!strcasecmp(rules[i].id, c->argv[0]))
			break;
	if (i == n)
		return ctl_fail(c, CTL_USAGE, "no rule %s\nktctl explain lists the rules",
				c->argv[0]);
	r = &rules[i];
	if (c->json)
		return list_rules(c, r, 1);
	printf("%s%s%s: %s\n\n%s\n", ctl_on(c, stdout, CTL_BOLD), r->id, ctl_off(c, stdout),
	       r->statement, r->why);
	print_example(c, "Wrong", CTL_RED, r->wrong);
	print_example(c, "Right", CTL_GREEN, r->right);
	return CTL_OK;
}
