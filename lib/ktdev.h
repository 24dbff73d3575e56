/* SPDX-License-Identifier: MIT */
/*
 * libktdev - inter-tile deliveries and relayouts: read, verify, classify, compile, run.
 *
 * Conventions of every function here:
 *  - 0 or a positive value on success, a negative errno on failure. What is wrong with
 *    an input is said in a report, with its place; -EINVAL then only says "see there".
 *  - *_new, *_parse and *_open hand over ownership; the matching *_free takes it and
 *    accepts NULL. Strings and pointers obtained from an object live as long as it does.
 *  - Parsed modules, relayouts and plans are immutable and may be shared between
 *    threads. A device is locked inside. A report belongs to one thread at a time.
 *  - Option structs start with their size (sizeof); a larger struct with a non-zero
 *    unknown tail is refused with -E2BIG. NULL options mean the defaults.
 *  - The library never prints, never exits, reads no environment, has no globals.
 */
#ifndef KTDEV_H
#define KTDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define KTDEV_API __attribute__((visibility("default")))
#else
#define KTDEV_API
#endif

/* The version of the library, "0.1.0". */
KTDEV_API const char *ktdev_version(void);

/* --- reports ---------------------------------------------------------------------- */

struct ktdev_report;

enum ktdev_severity {
	KTDEV_WARNING,
	KTDEV_ERROR,
	KTDEV_UNSUPPORTED,	/* legal, but this target cannot run it */
	KTDEV_NOTE,		/* old spelling: nothing is wrong, --strict or not */
};

/* Findings kept, and how many of them may be notes and warnings; the rest is counted. */
#define KTDEV_REPORT_MAX	1000
#define KTDEV_REPORT_MAX_NOTES	100
#define KTDEV_REPORT_MAX_WARNINGS 400

/**
 * struct ktdev_range - a range of a text
 * @line, @col:		first byte, both from 1; columns count bytes; 0: no place
 * @end_line, @end_col:	one past the last byte
 */
struct ktdev_range {
	unsigned int line, col, end_line, end_col;
};

struct ktdev_note {
	const char *file;		/* NULL: a remark without a place */
	struct ktdev_range range;
	const char *message;
};

struct ktdev_fixit {
	const char *file;
	struct ktdev_range range;	/* to be replaced */
	const char *replacement;
	const char *message;
};

/**
 * struct ktdev_diag - one finding
 * @rule:	"R1".."R14", "K1".."K13"; NULL for syntax and input errors
 * @severity:	what it means for the user
 * @file:	name given to the parser
 * @range:	where
 * @pointer:	JSON Pointer for JSON inputs, else NULL
 * @message:	one sentence
 * @group, @tile, @consumer: the witness, -1 where it does not apply
 * @line_text:	the source line of @range, NULL if there is none or it is over 4096 bytes.
 *		As in all strings of a report, bytes that are no printable UTF-8 are '?'
 */
struct ktdev_diag {
	const char *rule;
	enum ktdev_severity severity;
	const char *file;
	struct ktdev_range range;
	const char *pointer;
	const char *message;
	int64_t group, tile, consumer;
	unsigned int n_notes;
	const struct ktdev_note *notes;
	unsigned int n_fixits;
	const struct ktdev_fixit *fixits;
	const char *line_text;
};

KTDEV_API struct ktdev_report *ktdev_report_new(void);	/* NULL when out of memory */
KTDEV_API void ktdev_report_free(struct ktdev_report *rep);
/* Warnings become errors in what is added afterwards. */
KTDEV_API void ktdev_report_set_strict(struct ktdev_report *rep, bool strict);
KTDEV_API size_t ktdev_report_count(const struct ktdev_report *rep);	/* findings kept */
KTDEV_API size_t ktdev_report_total(const struct ktdev_report *rep, enum ktdev_severity sev);
KTDEV_API const struct ktdev_diag *ktdev_report_get(const struct ktdev_report *rep, size_t i);
/* Memory ran short while a finding was added: there are more than the report tells. */
KTDEV_API bool ktdev_report_incomplete(const struct ktdev_report *rep);
/* Findings sorted by file, place, rule. */
KTDEV_API void ktdev_report_sort(struct ktdev_report *rep);

/* --- KTIR modules ------------------------------------------------------------------ */

struct ktdev_module;

/**
 * ktdev_module_parse - read KTIR text
 * @name:	name for diagnostics, copied
 * @text:	the text, @len bytes, need not end in 0; copied
 * @rep:	receives syntax errors and notes about old spellings
 * @out:	the module; NULL on failure
 *
 * Return: 0, -EINVAL (syntax errors, see @rep), -ENOMEM, -EFBIG (over the size limit).
 */
KTDEV_API int ktdev_module_parse(const char *name, const char *text, size_t len,
				 struct ktdev_report *rep, struct ktdev_module **out);
KTDEV_API void ktdev_module_free(struct ktdev_module *mod);

/* One "--stick AXIS=LANES" declaration. */
struct ktdev_stick {
	unsigned int axis;
	unsigned int lanes;
};

/**
 * struct ktdev_verify_opts - what to check against
 * @size:	sizeof(struct ktdev_verify_opts)
 * @tiles:	number of tiles; 0: the product of the grid attribute, else 32
 * @func:	only this function; NULL: all
 * @sticks, @n_sticks: declared physical layout; NULL: none
 */
struct ktdev_verify_opts {
	size_t size;
	uint32_t tiles;
	uint32_t n_sticks;
	const char *func;
	const struct ktdev_stick *sticks;
};

/**
 * ktdev_verify - check rules R1-R14 and K1-K13
 *
 * All findings go to @rep. Return: 0 when no error was found (warnings and unsupported
 * do not count), -EINVAL with errors, -ENOMEM, -ENOENT (no function of that name).
 */
KTDEV_API int ktdev_verify(const struct ktdev_module *mod, const struct ktdev_verify_opts *opts,
			   struct ktdev_report *rep);

/* One line of what a module holds, for reports. */
struct ktdev_op_info {
	const char *op;			/* "gather" */
	const char *func;
	unsigned int line, col;
	uint32_t groups, P, C;		/* P, C of the first group */
};

/* Number of delivery ops, and the i-th in source order. */
KTDEV_API size_t ktdev_module_ops(const struct ktdev_module *mod);
KTDEV_API int ktdev_module_op(const struct ktdev_module *mod, const struct ktdev_verify_opts *opts,
			      size_t i, struct ktdev_op_info *out);

/**
 * struct ktdev_rule - a rule as ktctl explain shows it
 * @id:		"R1"
 * @statement:	the rule in one sentence
 * @why:	what goes wrong without it
 * @wrong, @right: complete KTIR examples
 */
struct ktdev_rule {
	const char *id;
	const char *statement;
	const char *why;
	const char *wrong;
	const char *right;
};

KTDEV_API size_t ktdev_rules(const struct ktdev_rule **rules);	/* in the order of the spec */

#ifdef __cplusplus
}
#endif

#endif /* KTDEV_H */
