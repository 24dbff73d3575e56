// SPDX-License-Identifier: MIT
/*
 * From a module to a plan.
 */
#include "compile.h"

#include <errno.h>
#include <string.h>

#include "opts.h"

#define DEFAULT_CORES	32u
#define DEFAULT_WINDOW	(2ull << 20)
#define MAX_CORES	65535u		/* what an entry can name */

static int too_many_tiles(const struct ktdev_module *mod, const struct kt_func *f, uint32_t tiles,
			  uint32_t cores, struct ktdev_report *rep)
{
	struct kt_range none = {0};

	kt_diag(rep, &mod->src, f ? f->name_at : none, KT_RULE_NONE, KTDEV_UNSUPPORTED,
		"the program uses %u tiles, the target has %u cores", tiles, cores);
	return -EOPNOTSUPP;
}

static const struct kt_func *first_func(const struct ktdev_module *mod, const char *name)
{
	unsigned int i;

	for (i = 0; i < mod->n_funcs; i++)
		if (!name || !strcmp(mod->funcs[i]->name, name))
			return mod->funcs[i];
	return NULL;
}

/* Resolve the functions in order; findings of all of them are reported. */
static int resolve_all(struct kt_compiled *c, const char *name, struct ktdev_report *rep)
{
	const struct ktdev_module *mod = c->checked.mod;
	int ret, bad = 0;
	unsigned int i;

	for (i = 0; i < mod->n_funcs; i++) {
		struct kt_program one;

		if (name && strcmp(mod->funcs[i]->name, name))
			continue;
		ret = kt_resolve(&c->checked, mod->funcs[i], rep, &c->arena, &one);
		if (ret == -EINVAL || (ret == -EOPNOTSUPP && !bad)) {
			bad = ret;
			continue;
		}
		if (!ret)
			ret = kt_program_join(&c->prog, &one, &c->arena);
		if (ret && ret != -EOPNOTSUPP)
			return ret;
	}
	return bad;
}

int kt_compile(const struct ktdev_module *mod, const struct ktdev_compile_opts *in,
	       struct ktdev_report *rep, struct kt_compiled *out)
{
	struct ktdev_compile_opts o;
	struct ktdev_verify_opts vo = { .size = sizeof(vo) };
	struct kt_lower_opts lo = {0};
	size_t unsupported = ktdev_report_total(rep, KTDEV_UNSUPPORTED);
	size_t errors = ktdev_report_total(rep, KTDEV_ERROR);
	int ret;

	memset(out, 0, sizeof(*out));
	ret = kt_opts_copy(&o, sizeof(o), in);
	if (ret)
		return ret;
	if (o.cores > MAX_CORES)
		return -EINVAL;
	vo.tiles = o.tiles;
	vo.func = o.func;
	vo.sticks = o.sticks;
	vo.n_sticks = o.n_sticks;
	lo.n_cores = o.cores ? o.cores : DEFAULT_CORES;
	lo.window = o.window ? o.window : DEFAULT_WINDOW;
	lo.uncapped = o.uncapped;
	lo.per_tile = o.per_tile;
	lo.reserved = o.reserved;
	lo.n_reserved = o.n_reserved;
	ret = kt_check_module(mod, &vo, rep, &out->arena, &out->checked);
	if (ret)
		return ret;
	if (out->checked.n_tiles > lo.n_cores)
		return too_many_tiles(mod, first_func(mod, o.func), out->checked.n_tiles,
				      lo.n_cores, rep);
	ret = resolve_all(out, o.func, rep);
	if (ret)
		return ret;
	if (ktdev_report_total(rep, KTDEV_ERROR) > errors)
		return -EINVAL;		/* a warning that strictness made one */
	if (ktdev_report_total(rep, KTDEV_UNSUPPORTED) > unsupported)
		return -EOPNOTSUPP;
	return kt_lower(&out->checked, &out->prog, &lo, rep, &out->arena, &out->plan);
}

void kt_compiled_fini(struct kt_compiled *c)
{
	ktdev_plan_free(c->plan);
	kt_arena_fini(&c->arena);
	memset(c, 0, sizeof(*c));
}

int ktdev_plan_from_module(const struct ktdev_module *mod, const struct ktdev_compile_opts *opts,
			   struct ktdev_report *rep, struct ktdev_plan **out)
{
	struct kt_compiled c;
	int ret = kt_compile(mod, opts, rep, &c);

	*out = c.plan;
	c.plan = NULL;
	kt_compiled_fini(&c);
	return ret;
}
