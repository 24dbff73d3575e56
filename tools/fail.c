// SPDX-License-Identifier: MIT
/* Errors, as text on standard error or as the command's JSON document. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

static void fail_text(struct ctl *c, char *text)
{
	char *line = text, *next;
	bool first = true;

	for (; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		if (first)
			fprintf(stderr, "ktctl: %serror:%s %s\n", ctl_on(c, stderr, CTL_RED),
				ctl_off(c, stderr), line);
		else
			fprintf(stderr, "%shelp:%s %s\n", ctl_on(c, stderr, CTL_GREEN),
				ctl_off(c, stderr), line);
		first = false;
	}
}

static void fail_json(struct ctl *c, enum ctl_exit code, const struct ktdev_report *rep, char *text)
{
	json_t *doc = ctl_doc("ktctl.error/1", false), *help;
	char *line = strchr(text, '\n'), *next;

	if (line)
		*line++ = 0;
	ctl_set_str(doc, "command", c->cmd ? c->cmd->name : NULL);
	ctl_set_int(doc, "exit", code);
	ctl_set_str(doc, "message", text);
	help = ctl_list(doc, "help");
	for (; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		json_array_append_new(help, json_string(line));
	}
	ctl_set(doc, "diagnostics", ctl_json_diags(rep));
	ctl_emit(c, doc);
}

static int fail(struct ctl *c, enum ctl_exit code, const struct ktdev_report *rep,
		const char *fmt, va_list ap)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, ap) < 0) {
		fprintf(stderr, "ktctl: error: out of memory\n");
		return code;
	}
	ctl_progress(c, NULL);
	if (c->json && !c->document) {
		fail_json(c, code, rep, text);
	} else {
		if (rep)
			ctl_print_report(c, stderr, rep, code == CTL_UNSUPPORTED);
		fail_text(c, text);
	}
	free(text);
	return code;
}

int ctl_fail(struct ctl *c, enum ctl_exit code, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = fail(c, code, NULL, fmt, ap);
	va_end(ap);
	return ret;
}

int ctl_fail_report(struct ctl *c, enum ctl_exit code, const struct ktdev_report *rep,
		    const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = fail(c, code, rep, fmt, ap);
	va_end(ap);
	return ret;
}

int ctl_no_memory(struct ctl *c)
{
	return ctl_fail(c, CTL_INPUT, "out of memory");
}

enum ctl_exit ctl_report_exit(const struct ktdev_report *rep, bool parsed, bool run)
{
	enum ctl_exit code = CTL_OK;

	for (size_t i = 0; i < ktdev_report_count(rep); i++) {
		const struct ktdev_diag *d = ktdev_report_get(rep, i);

		if (d->severity == KTDEV_ERROR && !d->rule && !parsed)
			return CTL_INPUT;
		if (d->severity == KTDEV_ERROR)
			code = CTL_FINDINGS;
		else if (d->severity == KTDEV_UNSUPPORTED && run && code == CTL_OK)
			code = CTL_UNSUPPORTED;
	}
	return code;
}

int ctl_fail_device(struct ctl *c, const char *what, int err)
{
	switch (-err) {
	case ENODEV:
	case ENOENT:
	case ENXIO:
		return ctl_fail(c, CTL_DEVICE,
				"%s: no such device\n"
				"run without hardware with -d soft\n"
				"start a machine with a modelled device with scripts/vm/run\n"
				"ask ktctl doctor what is missing here", what);
	case EACCES:
	case EPERM:
		return ctl_fail(c, CTL_DEVICE,
				"%s: permission denied\n"
				"join the group that owns the node, then log in again: "
				"sudo usermod -aG render $USER", what);
	case EIO:
	case ETIMEDOUT:
	case ECANCELED:
	case ESTALE:
		return ctl_fail(c, CTL_FAULT,
				"%s: %s\nktctl reset, then try again; dmesg has the fault", what,
				strerror(-err));
	case EPROTO:
	case ENOTTY:
	case EPROTONOSUPPORT:
		return ctl_fail(c, CTL_VERSION,
				"%s: the kernel module and libktdev %s do not fit together\n"
				"install both from the same release", what, ktdev_version());
	case EINVAL:
		return ctl_fail(c, CTL_USAGE, "%s: not a device\n"
				"auto, soft, soft:cores=N,spm-size=S or /dev/accel/accelN", what);
	case EOPNOTSUPP:
	case E2BIG:
		return ctl_fail(c, CTL_UNSUPPORTED, "%s: %s", what, strerror(-err));
	default:
		return ctl_fail(c, CTL_DEVICE, "%s: %s", what, strerror(-err));
	}
}

int ctl_load_quietly(struct ctl *c, const char *path, const struct ctl_text **out)
{
	struct ctl_text *t = calloc(1, sizeof(*t));
	int err = t ? ctl_read(path, CTL_READ_MAX, &t->text, &t->len) : -ENOMEM;

	if (err) {
		free(t);
		return err;
	}
	t->name = strcmp(path, "-") ? path : "<stdin>";
	t->next = c->texts;
	c->texts = t;
	*out = t;
	return 0;
}

int ctl_load(struct ctl *c, const char *path, const struct ctl_text **out)
{
	int err = ctl_load_quietly(c, path, out);

	return err ? ctl_fail(c, CTL_INPUT, "cannot read %s: %s", path, strerror(-err)) : CTL_OK;
}

int ctl_save(struct ctl *c, const char *path, const void *data, size_t len)
{
	struct ctl_out *out = ctl_out_new();
	int err, ret = CTL_OK;

	if (!out)
		return ctl_no_memory(c);
	err = ctl_out_add(out, path, data, len);
	if (!err)
		err = ctl_out_commit(out);
	if (err)
		ret = ctl_fail(c, CTL_INPUT, "cannot write %s: %s", path, strerror(-err));
	ctl_out_free(out);
	return ret;
}
