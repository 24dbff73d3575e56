// SPDX-License-Identifier: MIT
/* Reading what commands work on, and opening what they work with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "sticks.h"

enum ctl_kind ctl_kind_of(const struct ctl_text *text)
{
	const char *p = text->text, *end = p + text->len;
	char head[160];
	size_t n;

	if (text->len >= 4 && !memcmp(p, "KTPL", 4))
		return CTL_PLAN;
	while (p < end && strchr(" \t\r\n", *p))
		p++;
	if (p == end || (*p != '{' && *p != '['))
		return CTL_KTIR;
	n = (size_t)(end - p) < sizeof(head) - 1 ? (size_t)(end - p) : sizeof(head) - 1;
	memcpy(head, p, n);
	head[n] = 0;
	return strstr(head, "\"ktctl.plan/") ? CTL_PLAN : CTL_TABLES;
}

/* AXIS=LANES with an axis by name. */
static int relayout_stick(struct ctl *c, struct ctl_relayout_opts *o)
{
	const char *v = ctl_opt(c, "stick"), *eq;
	uint64_t lanes;

	if (!v)
		return CTL_OK;
	eq = strchr(v, '=');
	if (!eq || eq == v || (size_t)(eq - v) >= sizeof(o->axis) ||
	    !ctl_parse_u64(eq + 1, &lanes) || !lanes || lanes > UINT32_MAX)
		return ctl_fail(c, CTL_USAGE, "--stick %s: not AXIS=LANES", v);
	memcpy(o->axis, v, (size_t)(eq - v));
	o->axis[eq - v] = 0;
	o->lib.stick_axis = o->axis;
	o->lib.stick_lanes = (uint32_t)lanes;
	return CTL_OK;
}

int ctl_relayout_opts(struct ctl *c, struct ctl_relayout_opts *o)
{
	uint64_t cores = 0;
	const char *v;
	int ret;

	memset(o, 0, sizeof(*o));
	o->lib.size = sizeof(o->lib);
	o->lib.op = ctl_opt(c, "op");
	o->lib.extents = ctl_opt(c, "extents");
	o->lib.dtype = ctl_opt(c, "dtype");
	o->lib.map = o->map;
	while ((v = ctl_opt_nth(c, "map", o->lib.n_map))) {
		if (o->lib.n_map == KTDEV_MAX_RANK)
			return ctl_fail(c, CTL_USAGE, "more than %d --map", KTDEV_MAX_RANK);
		if (!strchr(v, '='))
			return ctl_fail(c, CTL_USAGE, "--map %s: not SOURCE=DESTINATION", v);
		o->map[o->lib.n_map++] = v;
	}
	ret = ctl_opt_u64(c, "cores", 1, UINT32_MAX, &cores);
	if (ret)
		return ret;
	o->lib.cores = cores ? (uint32_t)cores : c->tiles;
	return relayout_stick(c, o);
}

int ctl_fail_input(struct ctl *c, const struct ctl_input *in, int err)
{
	size_t errors = ktdev_report_total(in->rep, KTDEV_ERROR);
	enum ctl_exit code = ctl_report_exit(in->rep, in->mod, true);

	ktdev_report_sort(in->rep);
	switch (-err) {
	case ENOMEM:
		return ctl_no_memory(c);
	case ENOENT:
		return ctl_fail(c, CTL_USAGE, "%s: no function @%s", in->name, ctl_opt(c, "func"));
	case EFBIG:
		return ctl_fail_report(c, CTL_INPUT, in->rep, "%s: larger than the reader's limit",
				       in->name);
	case EPROTO:
		return ctl_fail_report(c, CTL_VERSION, in->rep,
				       "%s: written by another version of libktdev\n"
				       "compile it again with this one", in->name);
	case EOPNOTSUPP:
	case E2BIG:
		return ctl_fail_report(c, CTL_UNSUPPORTED, in->rep, "%s: unsupported",
				       in->name);
	case EINVAL:
		/* what tables refuse is input, whatever rule it names */
		if (in->kind != CTL_KTIR || code == CTL_OK)
			code = CTL_INPUT;
		return ctl_fail_report(c, code, in->rep, "%s: %zu %s", in->name, errors,
				       ctl_plural(errors, "error", "errors"));
	default:
		return ctl_fail_report(c, CTL_INPUT, in->rep, "%s: %s", in->name, strerror(-err));
	}
}

/* A side of a pair: a shorthand stands for itself, else it names a file. */
static int side_text(struct ctl *c, const char *word, struct ktdev_text *out)
{
	const struct ctl_text *text;
	int ret;

	if (*word == '{') {
		*out = (struct ktdev_text){ word, word, strlen(word) };
		return CTL_OK;
	}
	ret = ctl_load(c, word, &text);
	if (!ret)
		*out = (struct ktdev_text){ text->name, text->text, text->len };
	return ret;
}

static int read_pair(struct ctl *c, const char *src, const char *dst, struct ctl_input *in)
{
	struct ctl_relayout_opts opts;
	struct ktdev_text s, d;
	int ret;

	in->kind = CTL_TABLES;
	in->name = src;
	if (!strcmp(src, "-") && !strcmp(dst, "-"))
		return ctl_fail(c, CTL_USAGE, "standard input can be read once only");
	ret = ctl_relayout_opts(c, &opts);
	if (!ret)
		ret = side_text(c, src, &s);
	if (!ret)
		ret = side_text(c, dst, &d);
	if (ret)
		return ret;
	ret = ktdev_relayout_parse_pair(&s, &d, &opts.lib, in->rep, &in->rel);
	return ret ? ctl_fail_input(c, in, ret) : CTL_OK;
}

static int read_one(struct ctl *c, const char *path, struct ctl_input *in)
{
	const struct ctl_text *t;
	struct ctl_relayout_opts opts;
	struct ktdev_text text;
	int ret = ctl_load(c, path, &t);

	if (ret)
		return ret;
	in->text = t;
	in->name = t->name;
	in->kind = ctl_kind_of(t);
	switch (in->kind) {
	case CTL_KTIR:
		ret = ktdev_module_parse(t->name, t->text, t->len, in->rep, &in->mod);
		break;
	case CTL_PLAN:
		ret = ktdev_plan_read(t->name, t->text, t->len, in->rep, &in->plan);
		break;
	case CTL_TABLES:
		ret = ctl_relayout_opts(c, &opts);
		if (ret)
			return ret;
		text = (struct ktdev_text){ t->name, t->text, t->len };
		ret = ktdev_relayout_parse(&text, &opts.lib, in->rep, &in->rel);
		break;
	}
	return ret ? ctl_fail_input(c, in, ret) : CTL_OK;
}

int ctl_input(struct ctl *c, const char *src, const char *dst, struct ctl_input *in)
{
	memset(in, 0, sizeof(*in));
	in->name = src;
	in->rep = ktdev_report_new();
	if (!in->rep)
		return ctl_no_memory(c);
	ktdev_report_set_strict(in->rep, c->strict);
	if (dst)
		return read_pair(c, src, dst, in);
	if (*src == '{')
		return ctl_fail(c, CTL_USAGE,
				"a division is one side only: give source and destination");
	return read_one(c, src, in);
}

/* Options that say nothing about an input of this kind are not passed over. */
static int options_fit(struct ctl *c, const struct ctl_input *in)
{
	static const struct {
		const char *name;
		bool of[3];	/* by enum ctl_kind */
	} opts[] = {
		{ "func", { [CTL_KTIR] = true } },
		{ "stick", { [CTL_KTIR] = true, [CTL_TABLES] = true } },
		{ "reserve", { [CTL_KTIR] = true, [CTL_TABLES] = true } },
		{ "elect", { [CTL_TABLES] = true } },
		{ "cores", { [CTL_TABLES] = true } },
		{ "extents", { [CTL_TABLES] = true } },
		{ "dtype", { [CTL_TABLES] = true } },
		{ "op", { [CTL_TABLES] = true } },
		{ "map", { [CTL_TABLES] = true } },
	};
	static const char *const kinds[] = {
		[CTL_KTIR] = "a program", [CTL_TABLES] = "tables", [CTL_PLAN] = "a compiled plan",
	};

	for (unsigned int i = 0; i < CTL_ARRAY_SIZE(opts); i++)
		if (!opts[i].of[in->kind] && ctl_opt(c, opts[i].name))
			return ctl_fail(c, CTL_USAGE, "--%s says nothing about %s, which %s holds",
					opts[i].name, kinds[in->kind], in->name);
	return CTL_OK;
}

int ctl_input_operands(struct ctl *c, struct ctl_input *in)
{
	int ret = ctl_input(c, c->argv[0], c->argc > 1 ? c->argv[1] : NULL, in);

	return ret ? ret : options_fit(c, in);
}

void ctl_input_free(struct ctl_input *in)
{
	ktdev_plan_free(in->plan);
	ktdev_module_free(in->mod);
	ktdev_relayout_free(in->rel);
	ktdev_report_free(in->rep);
	memset(in, 0, sizeof(*in));
}

static int open_failed(struct ctl *c, int err, const struct ktdev_report *rep)
{
	const struct ktdev_diag *d = ktdev_report_count(rep) ? ktdev_report_get(rep, 0) : NULL;
	enum ctl_exit code = err == -EINVAL ? CTL_USAGE : err == -EPROTO ? CTL_VERSION :
			     err == -EOPNOTSUPP ? CTL_UNSUPPORTED : CTL_DEVICE;
	char help[1024] = "";
	size_t n = 0;

	if (!d || err == -ENOMEM)
		return err == -ENOMEM ? ctl_no_memory(c) : ctl_fail_device(c, c->device, err);
	if (!d->n_notes && code == CTL_DEVICE)
		return ctl_fail_device(c, c->device, err);
	for (unsigned int i = 0; i < d->n_notes && n < sizeof(help); i++)
		n += (size_t)snprintf(help + n, sizeof(help) - n, "\n%s", d->notes[i].message);
	return ctl_fail(c, code, "%s%s", d->message, help);
}

int ctl_open(struct ctl *c, struct ktdev_device **dev)
{
	struct ktdev_report *rep = ktdev_report_new();
	int err, ret = CTL_OK;

	if (!rep)
		return ctl_no_memory(c);
	err = ktdev_device_open(c->device, rep, dev);
	if (err)
		ret = open_failed(c, err, rep);
	ktdev_report_free(rep);
	return ret;
}
