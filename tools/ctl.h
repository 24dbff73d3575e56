/* SPDX-License-Identifier: MIT */
/*
 * ktctl: what all commands share. The floors, from the ground up:
 *   io.c (files in, files out) - term.c (colour, progress, text) - json.c - print_diag.c -
 *   fail.c (errors in both languages) - opts.c - cmd_*.c - commands.c (the table) - main.c
 * The tool knows nothing about deliveries: that is libktdev.
 */
#ifndef KTCTL_H
#define KTCTL_H

#include <jansson.h>
#include <stdio.h>
#include <sys/types.h>

#include "ktdev.h"

#define CTL_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Exit codes; scripts depend on them. */
enum ctl_exit {
	CTL_OK,
	CTL_FINDINGS,		/* findings, a difference, a check that does not match */
	CTL_USAGE,
	CTL_INPUT,		/* unreadable or unparsable input */
	CTL_DEVICE,		/* no device or no permission */
	CTL_FAULT,		/* device fault or timeout */
	CTL_VERSION,		/* kernel and library do not fit together */
	CTL_UNSUPPORTED,	/* legal, but this target cannot do it */
};

enum ctl_when { CTL_AUTO, CTL_ALWAYS, CTL_NEVER };

/**
 * struct ctl_opt - one option; help, parsing, completion and the man page test read it
 * @name:	long name without dashes
 * @letter:	short name, 0: none
 * @arg:	name of its value in the help, NULL: a flag. FILE and DIR complete to files
 * @values:	"a|b|c" when only these are allowed, else NULL
 * @help:	one line
 */
struct ctl_opt {
	const char *name;
	char letter;
	const char *arg;
	const char *values;
	const char *help;
};

struct ctl;

/**
 * struct ctl_command - one command
 * @args:	operands as the usage line shows them
 * @min, @max:	number of operands; @max < 0: any
 * @opts:	its own options, ended by one without a name; NULL: none
 * @words:	space separated words that complete its first operand, or NULL: files
 * @run:	does it; returns enum ctl_exit
 */
struct ctl_command {
	const char *name;
	const char *args;
	const char *summary;
	const char *details;
	int min, max;
	const struct ctl_opt *opts;
	const char *words;
	int (*run)(struct ctl *c);
};

struct ctl_given {
	const struct ctl_opt *opt;
	const char *value;
};

/* An input that was read: kept to the end, diagnostics point into it. */
struct ctl_text {
	struct ctl_text *next;
	const char *name;	/* "<stdin>" for - */
	char *text;		/* ends in 0 behind @len bytes */
	size_t len;
};

struct ctl {
	const struct ctl_command *commands;	/* ended by one without a name */
	const struct ctl_opt *globals;
	const struct ctl_command *cmd;		/* NULL until known */
	bool json, pretty, strict, quiet, verbose;
	enum ctl_when color, progress;
	const char *device;			/* "auto" */
	uint32_t tiles;				/* 0: not given */
	int argc;				/* operands of the command */
	char **argv;
	struct ctl_given *given;
	unsigned int n_given;
	struct ctl_text *texts;
	bool document;				/* the JSON document is out */
};

/* --- io.c ---------------------------------------------------------------------------- */

#define CTL_READ_MAX	((size_t)1 << 30)	/* an input file */

/* Read a whole file ("-": standard input). 0 or -errno; -EFBIG over @max, -EISDIR. */
int ctl_read(const char *path, size_t max, char **data, size_t *len);

/*
 * Output files that appear together, completely, or not at all: each is written beside its
 * destination and renamed by ctl_out_commit(). What exists and is no regular file (a pipe,
 * /dev/null) and "-" are written directly, by the commit.
 */
struct ctl_out;
struct ctl_out *ctl_out_new(void);
int ctl_out_dir(struct ctl_out *out, const char *dir);	/* make it if it is not there */
int ctl_out_add(struct ctl_out *out, const char *path, const void *data, size_t len);
int ctl_out_commit(struct ctl_out *out);
const char *ctl_out_failed(const struct ctl_out *out);	/* path of the last failure */
void ctl_out_free(struct ctl_out *out);			/* without commit: nothing remains */
char *ctl_path(const char *dir, const char *name);

/* --- term.c -------------------------------------------------------------------------- */

bool ctl_color(const struct ctl *c, FILE *f);
unsigned int ctl_width(FILE *f);	/* columns, 0: no limit (not a terminal) */
enum ctl_style { CTL_BOLD, CTL_RED, CTL_YELLOW, CTL_BLUE, CTL_GREEN, CTL_CYAN, CTL_DIM };
const char *ctl_on(const struct ctl *c, FILE *f, enum ctl_style style);
const char *ctl_off(const struct ctl *c, FILE *f);
/* One line on a terminal's standard error that replaces the one before; NULL clears it. */
void ctl_progress(const struct ctl *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *ctl_plural(uint64_t n, const char *one, const char *many);
/* "1.5 MiB", in a buffer of the caller */
const char *ctl_bytes(char *buf, size_t size, uint64_t bytes);

/* --- json.c -------------------------------------------------------------------------- */

/* A document with its first keys; NULL when out of memory, which every helper accepts. */
json_t *ctl_doc(const char *schema, bool ok);
void ctl_set(json_t *obj, const char *key, json_t *value);	/* takes @value */
void ctl_set_str(json_t *obj, const char *key, const char *s);	/* NULL: null */
void ctl_set_int(json_t *obj, const char *key, int64_t v);
void ctl_set_u64(json_t *obj, const char *key, uint64_t v);
void ctl_set_bool(json_t *obj, const char *key, bool v);
void ctl_set_real(json_t *obj, const char *key, double v);
json_t *ctl_list(json_t *obj, const char *key);			/* a new array in @obj */
json_t *ctl_json_diag(const struct ktdev_diag *d);
json_t *ctl_json_diags(const struct ktdev_report *rep);
/* The text of a document, which is freed, with a newline at its end; NULL: out of memory. */
char *ctl_dumps(const struct ctl *c, json_t *doc, size_t *len);
/* Print the command's one document and free it; CTL_OK or the exit of a failed write. */
int ctl_emit(struct ctl *c, json_t *doc);

/* --- print_diag.c -------------------------------------------------------------------- */

void ctl_print_diag(const struct ctl *c, FILE *f, const struct ktdev_diag *d);
/* All findings; with -q the errors only, and what is unsupported if that is why it failed. */
void ctl_print_report(const struct ctl *c, FILE *f, const struct ktdev_report *rep, bool refused);

/* --- fail.c -------------------------------------------------------------------------- */

/*
 * Say what is wrong, in the language asked for, and return @code. The first line of the
 * text is the message, every further line a piece of advice.
 */
int ctl_fail(struct ctl *c, enum ctl_exit code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* As ctl_fail(), for an input with findings: they are part of it. */
int ctl_fail_report(struct ctl *c, enum ctl_exit code, const struct ktdev_report *rep,
		    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
int ctl_no_memory(struct ctl *c);
/*
 * The exit a report asks for: CTL_INPUT (syntax, not @parsed), CTL_FINDINGS, CTL_UNSUPPORTED
 * (if it was to @run), CTL_OK.
 */
enum ctl_exit ctl_report_exit(const struct ktdev_report *rep, bool parsed, bool run);
/* What -errno of a device call means, said with advice. */
int ctl_fail_device(struct ctl *c, const char *what, int err);
/* Read an input operand; 0 or -errno. */
int ctl_load_quietly(struct ctl *c, const char *path, const struct ctl_text **out);
/* Read an input operand; on failure the error is said and its exit returned. */
int ctl_load(struct ctl *c, const char *path, const struct ctl_text **out);
/* Write and commit one file, or "-"; errors are said. */
int ctl_save(struct ctl *c, const char *path, const void *data, size_t len);

/* --- opts.c -------------------------------------------------------------------------- */

/* Parse the command line: finds the command, options and operands. CTL_OK or the exit. */
int ctl_parse(struct ctl *c, int argc, char **argv);
/* The value given to the command's option @name ("" for a flag), NULL if not given. */
const char *ctl_opt(const struct ctl *c, const char *name);
/* The n-th time it was given. */
const char *ctl_opt_nth(const struct ctl *c, const char *name, unsigned int n);
/* A number; *out stays if the option is not given. CTL_OK or CTL_USAGE with the error said. */
int ctl_opt_u64(struct ctl *c, const char *name, uint64_t min, uint64_t max, uint64_t *out);
bool ctl_parse_u64(const char *s, uint64_t *out);
const struct ctl_command *ctl_find(const struct ctl *c, const char *name);
/* The name in a NULL-ended list that looks most like @word, or NULL. */
const char *ctl_similar(const char *word, const char *const *names);

#endif /* KTCTL_H */
