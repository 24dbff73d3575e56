// SPDX-License-Identifier: MIT
/* Data files of a run: raw little-endian values, row-major, and whole scratchpads. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"

/* An output file in the making: values of one name follow one another. */
struct out_value {
	char *name;
	char *data;
	size_t len, cap;
};

struct ctl_data {
	struct ctl *c;
	bool whole;		/* --input is one file: the tensor of a relayout */
	const char *input, *output, *pads_in, *pads_out;
	struct out_value *outs;
	size_t n_outs, cap_outs;
	struct ctl_out *pads;
	int exit;
};

static int said(struct ctl_data *d, int code)
{
	d->exit = code;
	return -ECANCELED;
}

/* Read a data file of @want bytes; @shorter: fewer will do. */
static int load(struct ctl_data *d, const char *path, void *data, uint64_t want, bool shorter)
{
	char *text;
	size_t len;
	int err = ctl_read(path, want < CTL_READ_MAX ? CTL_READ_MAX : (size_t)want, &text, &len);

	if (err)
		return said(d,
			    ctl_fail(d->c, CTL_INPUT, "cannot read %s: %s", path, strerror(-err)));
	if (len != want && !(shorter && len < want)) {
		free(text);
		return said(d, ctl_fail(d->c, CTL_INPUT, "%s: %zu bytes, %s%llu expected", path,
					len, shorter ? "at most " : "", (unsigned long long)want));
	}
	memcpy(data, text, len);
	free(text);
	return 0;
}

static int load_from(struct ctl_data *d, const char *dir, const char *name, void *data,
		     uint64_t want, bool shorter)
{
	char *path = ctl_path(dir, name);
	int ret;

	if (!path)
		return -ENOMEM;
	ret = load(d, path, data, want, shorter);
	free(path);
	return ret;
}

static int on_input(void *ctx, const struct ktdev_value *v, void *data)
{
	struct ctl_data *d = ctx;

	if (d->whole)
		return load(d, d->input, data, v->bytes, false);
	return load_from(d, d->input, v->name, data, v->bytes, false);
}

static struct out_value *out_value(struct ctl_data *d, const char *name)
{
	struct out_value *o = d->n_outs ? &d->outs[d->n_outs - 1] : NULL;

	if (o && !strcmp(o->name, name))
		return o;
	if (d->n_outs == d->cap_outs) {
		size_t cap = d->cap_outs ? 2 * d->cap_outs : 64;

		o = realloc(d->outs, cap * sizeof(*o));
		if (!o)
			return NULL;
		d->outs = o;
		d->cap_outs = cap;
	}
	o = &d->outs[d->n_outs];
	memset(o, 0, sizeof(*o));
	o->name = strdup(name);
	if (!o->name)
		return NULL;
	d->n_outs++;
	return o;
}

static int on_output(void *ctx, const struct ktdev_value *v, const void *data)
{
	struct out_value *o = out_value(ctx, v->name);

	if (!o)
		return -ENOMEM;
	if (o->cap - o->len < v->bytes) {
		size_t cap = o->len + v->bytes + o->cap;
		char *more = realloc(o->data, cap);

		if (!more)
			return -ENOMEM;
		o->data = more;
		o->cap = cap;
	}
	memcpy(o->data + o->len, data, v->bytes);
	o->len += v->bytes;
	return 0;
}

static int on_pads_in(void *ctx, uint32_t tile, void *data, uint64_t bytes)
{
	struct ctl_data *d = ctx;
	char name[32];

	snprintf(name, sizeof(name), "s%u.bin", tile);
	return load_from(d, d->pads_in, name, data, bytes, true);
}

static int write_failed(struct ctl_data *d, struct ctl_out *out, int err)
{
	return ctl_fail(d->c, CTL_INPUT, "cannot write %s: %s", ctl_out_failed(out),
			strerror(-err));
}

static int add_file(struct ctl_data *d, struct ctl_out *out, const char *dir, const char *name,
		    const void *data, size_t len)
{
	char *path = ctl_path(dir, name);
	int err = path ? ctl_out_add(out, path, data, len) : -ENOMEM;

	free(path);
	return err ? write_failed(d, out, err) : CTL_OK;
}

static int on_pads_out(void *ctx, uint32_t tile, const void *data, uint64_t bytes)
{
	struct ctl_data *d = ctx;
	char name[32];
	int err, ret;

	if (!d->pads) {
		d->pads = ctl_out_new();
		if (!d->pads)
			return -ENOMEM;
		err = ctl_out_dir(d->pads, d->pads_out);
		if (err)
			return said(d, write_failed(d, d->pads, err));
	}
	snprintf(name, sizeof(name), "s%u.bin", tile);
	ret = add_file(d, d->pads, d->pads_out, name, data, bytes);
	return ret ? said(d, ret) : 0;
}

int ctl_data_new(struct ctl *c, const struct ctl_input *in, struct ktdev_submit_opts *opts,
		 struct ctl_data **out)
{
	struct ktdev_plan_info info;
	struct ctl_data *d = calloc(1, sizeof(*d));

	*out = d;
	if (!d)
		return ctl_no_memory(c);
	d->c = c;
	d->input = ctl_opt(c, "input");
	d->output = ctl_opt(c, "output");
	d->pads_in = ctl_opt(c, "pads-in");
	d->pads_out = ctl_opt(c, "pads-out");
	ktdev_plan_info(in->plan, &info);
	d->whole = !strcmp(info.kind, "relayout");
	if (info.funcs > 1 && (d->input || d->output || d->pads_in || d->pads_out))
		return ctl_fail(c, CTL_USAGE, "%s: data files with %u functions\n"
				"pick one with --func", in->name, info.funcs);
	opts->ctx = d;
	opts->input = d->input ? on_input : NULL;
	opts->output = d->output ? on_output : NULL;
	opts->pads_in = d->pads_in ? on_pads_in : NULL;
	opts->pads_out = d->pads_out ? on_pads_out : NULL;
	return CTL_OK;
}

void ctl_data_reset(struct ctl_data *d)
{
	for (size_t i = 0; i < d->n_outs; i++) {
		free(d->outs[i].name);
		free(d->outs[i].data);
	}
	d->n_outs = 0;
	ctl_out_free(d->pads);
	d->pads = NULL;
}

int ctl_data_commit(struct ctl_data *d)
{
	struct ctl_out *out = d->pads ? d->pads : ctl_out_new();
	int err = 0, ret = CTL_OK;

	d->pads = NULL;
	if (!out)
		return ctl_no_memory(d->c);
	if (d->output)
		err = ctl_out_dir(out, d->output);
	if (err)
		ret = write_failed(d, out, err);
	for (size_t i = 0; !ret && i < d->n_outs; i++)
		ret = add_file(d, out, d->output, d->outs[i].name, d->outs[i].data, d->outs[i].len);
	if (!ret) {
		err = ctl_out_commit(out);
		if (err)
			ret = write_failed(d, out, err);
	}
	ctl_out_free(out);
	return ret;
}

int ctl_data_exit(const struct ctl_data *d)
{
	return d->exit;
}

void ctl_data_free(struct ctl_data *d)
{
	if (!d)
		return;
	ctl_data_reset(d);
	free(d->outs);
	free(d);
}
