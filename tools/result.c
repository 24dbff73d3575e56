// SPDX-License-Identifier: MIT
/* The result of a run, for people and as ktctl.submit/1. */
#include <string.h>

#include "result.h"

static json_t *mismatch_json(const struct ktdev_mismatch *m)
{
	json_t *o = json_object();

	ctl_set_u64(o, "step", m->step);
	ctl_set_u64(o, "tile", m->tile);
	ctl_set_u64(o, "role", m->role);
	ctl_set(o, "element", m->element < 0 ? json_null() : json_integer(m->element));
	ctl_set_u64(o, "address", m->address);
	ctl_set_str(o, "expected", m->expected);
	ctl_set_str(o, "found", m->found);
	ctl_set_str(o, "pass", m->pass);
	return o;
}

static json_t *fault_json(const struct ktdev_result *r)
{
	json_t *o = json_object();

	ctl_set_str(o, "code", r->fault);
	ctl_set_u64(o, "step", r->fault_step);
	ctl_set_u64(o, "entry", r->fault_entry);
	ctl_set_u64(o, "tile", r->fault_tile);
	ctl_set_u64(o, "address", r->fault_address);
	return o;
}

json_t *ctl_result_json(const struct ktdev_result *r)
{
	json_t *doc = ctl_doc("ktctl.submit/1", r->ok);

	ctl_set_str(doc, "backend", r->backend);
	ctl_set_bool(doc, "checked", r->checked);
	ctl_set_u64(doc, "checked_elements", r->checked_elements);
	ctl_set_u64(doc, "mismatches", r->mismatches);
	ctl_set(doc, "first_mismatch", r->mismatches ? mismatch_json(&r->first) : json_null());
	ctl_set(doc, "fault", r->fault ? fault_json(r) : json_null());
	ctl_set_str(doc, "sync", r->per_tile ? "per-tile" : "barrier");
	ctl_set_stats(doc, &r->stats);
	return doc;
}

static void print_mismatch(const struct ctl *c, const struct ktdev_result *r)
{
	const struct ktdev_mismatch *m = &r->first;

	printf("  %sfirst%s      step %u, tile %u, ", ctl_on(c, stdout, CTL_BOLD),
	       ctl_off(c, stdout), m->step, m->tile);
	if (m->element < 0)
		printf("byte %llu", (unsigned long long)m->address);
	else
		printf("role %u, element %lld at byte %llu", m->role, (long long)m->element,
		       (unsigned long long)m->address);
	if (m->pass && !strcmp(m->pass, "expect"))
		printf(", by the EXPECT lines of the file");
	else if (m->element < 0)
		printf(", which no result owns");
	printf(":\n             expected %s, found %s%s%s%s\n", m->expected, m->found,
	       m->pass ? " (" : "", m->pass ? m->pass : "", m->pass ? ")" : "");
}

void ctl_print_result(const struct ctl *c, const char *name, const struct ktdev_result *r)
{
	if (c->quiet && r->ok)
		return;
	printf("%s: %s%s%s on %s, %s", name, ctl_on(c, stdout, r->ok ? CTL_GREEN : CTL_RED),
	       r->ok ? "ok" : r->fault ? "fault" : "MISMATCH", ctl_off(c, stdout), r->backend,
	       r->per_tile ? "per-tile" : "barrier");
	if (r->checked)
		printf(", %llu elements compared, %llu wrong",
		       (unsigned long long)r->checked_elements, (unsigned long long)r->mismatches);
	putchar('\n');
	if (r->mismatches)
		print_mismatch(c, r);
	if (r->fault)
		printf("  fault      %s: step %u, entry %u, tile %u, byte %llu\n", r->fault,
		       r->fault_step, r->fault_entry, r->fault_tile,
		       (unsigned long long)r->fault_address);
	ctl_print_stats(&r->stats);
}

int ctl_result_exit(const struct ktdev_result *r)
{
	return r->fault ? CTL_FAULT : r->ok ? CTL_OK : CTL_FINDINGS;
}
