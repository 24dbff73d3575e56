// SPDX-License-Identifier: MIT
/*
 * Ownership tables of any form: reading ends in a relayout or in findings with a JSON
 * Pointer; what is read can be written and read again, classified, emitted, compiled, and
 * what is emitted verifies.
 */
#include "fuzz.h"
#include "ktdev.h"

#define MAX_TEXT	16384

static void use(struct ktdev_relayout *rel, struct ktdev_report *rep)
{
	struct ktdev_compile_opts co = { .size = sizeof(co), .cores = 64, .uncapped = true };
	struct ktdev_classification *c = NULL;
	struct ktdev_relayout *again = NULL;
	struct ktdev_plan *plan = NULL;
	struct ktdev_module *mod = NULL;
	struct ktdev_relayout_info info;
	struct ktdev_text in = { "again", NULL, 0 };
	char *text = NULL;

	ktdev_relayout_info(rel, &info);
	FUZZ_HOLDS(!ktdev_relayout_write(rel, &text));
	in.text = text;
	in.len = strlen(text);
	FUZZ_HOLDS(!ktdev_relayout_parse(&in, NULL, rep, &again) && ktdev_relayout_equal(rel, again));
	ktdev_relayout_free(again);
	ktdev_text_free(text);
	text = NULL;
	if (info.cores > 64)
		return;
	FUZZ_HOLDS(!ktdev_classify(rel, KTDEV_ELECT_NEAREST, &c) && c->reason && c->row);
	ktdev_classification_free(c);
	if (!ktdev_emit(rel, KTDEV_ELECT_NEAREST, rep, &text)) {
		FUZZ_HOLDS(!ktdev_module_parse("emitted", text, strlen(text), rep, &mod));
		FUZZ_HOLDS(!ktdev_verify(mod, NULL, rep));
		ktdev_module_free(mod);
	}
	ktdev_text_free(text);
	ktdev_plan_from_relayout(rel, KTDEV_ELECT_NEAREST, &co, rep, &plan);
	ktdev_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ktdev_text in = { "fuzz", (const char *)data, size }, half;
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_data_ops *ops = NULL;
	struct ktdev_relayout *rel = NULL;
	const uint8_t *cut;
	size_t i;
	int ret;

	if (size > MAX_TEXT || !rep) {
		ktdev_report_free(rep);
		return 0;
	}
	/* two texts with a 0 between them are a pair */
	cut = size ? memchr(data, 0, size) : NULL;
	if (cut) {
		in.len = (size_t)(cut - data);
		half = (struct ktdev_text){ "other", (const char *)cut + 1, size - in.len - 1 };
		ret = ktdev_relayout_parse_pair(&in, &half, NULL, rep, &rel);
	} else {
		ret = ktdev_relayout_parse(&in, NULL, rep, &rel);
		ktdev_relayout_ops_of(&in, NULL, &ops);
		ktdev_data_ops_free(ops);
	}
	FUZZ_HOLDS(!ret == !!rel);
	FUZZ_HOLDS(!ret || ktdev_report_count(rep) || ret == -12);
	for (i = 0; i < ktdev_report_count(rep); i++)
		FUZZ_HOLDS(ktdev_report_get(rep, i)->pointer != NULL);
	if (rel)
		use(rel, rep);
	ktdev_relayout_free(rel);
	ktdev_report_free(rep);
	return 0;
}
