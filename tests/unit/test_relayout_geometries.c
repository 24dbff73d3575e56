// SPDX-License-Identifier: MIT
/*
 * The geometries of tests/data/relayouts: each is classified as its structure demands,
 * its KTIR verifies without a finding and runs bit-exact on its own, the tables do too,
 * and both move exactly the lower bound.
 */
#include "relayout_util.h"

static const struct {
	const char *name, *row, *op;
	uint32_t ops, groups, p, c;
} want[] = {
	{ "C002", "4", "gather", 1, 1, 32, 16 },
	{ "C003", "4", "gather", 1, 1, 32, 25 },
	{ "C004", "4", "gather", 1, 1, 32, 28 },
	{ "C005", "4", "gather", 1, 1, 32, 32 },
	{ "C006", "4", "gather", 1, 8, 4, 4 },
	{ "C008", "3", "all_to_all", 1, 16, 2, 2 },
	{ "C009", "3", "all_to_all", 2, 1, 32, 16 },
	{ "C010", "4", "gather", 1, 1, 32, 1 },
	{ "C011", "1", "consume", 1, 1, 1, 32 },
	{ "C012", "1", "consume", 1, 1, 1, 32 },
	{ "C013", "4", "gather", 1, 8, 4, 1 },
	{ "C015", "4", "gather", 1, 1, 2, 32 },
	{ "C016", "1", "consume", 1, 8, 1, 4 },
	{ "C018", "1", "consume", 1, 4, 8, 8 },
	{ "C019", "4", "gather", 1, 1, 16, 1 },
	{ "C022", "4", "gather", 1, 8, 4, 1 },
	{ "C023", "3", "all_to_all", 1, 8, 2, 4 },
	{ "C025", "4", "gather", 1, 8, 2, 4 },
	{ "C026", "4", "gather", 1, 1, 32, 28 },
	{ "C027", "4", "gather", 1, 8, 4, 4 },
	{ "C029", "4", "gather", 1, 1, 32, 32 },
	{ "C030", "4", "gather", 1, 8, 4, 1 },
	{ "C032", "1", "consume", 1, 8, 1, 4 },
	{ "C035", "2", "scatter", 1, 4, 1, 8 },
	{ "P03", "4", "gather", 1, 8, 4, 4 },
};

static void one(struct ktdev_device *dev, size_t i)
{
	const struct ktdev_classification *c;
	struct ktdev_relayout *rel;
	struct outcome o;
	char path[128];

	snprintf(path, sizeof(path), GEOMETRIES "/%s.json", want[i].name);
	rel = from_file(path);
	run_all(dev, rel, KTDEV_ELECT_NONE, &o);
	c = o.cls;
	if (!strcmp(want[i].name, "C035")) {
		ok(c->selected && !c->op && !strcmp(c->row, "G1"), "C035 is a selection, no delivery");
		is_u64(c->select_start[0], 511, "C035 selects row 511");
		c = c->then;
	} else {
		ok(!c->selected, "%s is no selection", want[i].name);
		is_u64(c->select_size[0], 0, "%s selects nothing", want[i].name);
	}
	is_str(c->row, want[i].row, "%s row", want[i].name);
	is_str(c->op, want[i].op, "%s op", want[i].name);
	ok(c->ops_needed == want[i].ops && c->groups == want[i].groups &&
	   c->producers_per_group == want[i].p && c->consumers_per_group == want[i].c,
	   "%s: %u ops, %u groups, P %u, C %u", want[i].name, c->ops_needed, c->groups,
	   c->producers_per_group, c->consumers_per_group);
	ok(all_good(&o, want[i].name), "%s verifies, runs, moves the lower bound of %" PRIu64 " bytes",
	   want[i].name, o.lower_bound);
	outcome_free(&o);
	ktdev_relayout_free(rel);
}

int main(void)
{
	struct ktdev_device *dev = open_soft();

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		one(dev, i);
	ktdev_device_close(dev);
	return done_testing();
}
