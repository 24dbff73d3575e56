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

/* --- plans ------------------------------------------------------------------------- */

struct ktdev_plan;

/* A byte range of every tile's scratchpad window. */
struct ktdev_bytes {
	uint64_t start;
	uint64_t bytes;
};

/**
 * struct ktdev_compile_opts - what to compile for
 * @size:	sizeof(struct ktdev_compile_opts)
 * @cores:	cores of the target; 0: 32
 * @tiles:	number of tiles; 0: the product of the grid attribute, else 32
 * @window:	bytes of each scratchpad that may be used; 0: 2 MiB
 * @func:	only this function; NULL: all, in order
 * @reserved, @n_reserved: ranges the library must place nothing in. Addresses the program
 *		states itself may lie there
 * @sticks, @n_sticks: declared physical layout, see struct ktdev_verify_opts
 * @per_tile:	tiles start as soon as their producers are ready, instead of a barrier
 * @uncapped:	lift the hardware's caps on entries, spaces and pairs (soft backend)
 */
struct ktdev_compile_opts {
	size_t size;
	uint32_t cores;
	uint32_t tiles;
	uint64_t window;
	const char *func;
	uint32_t n_reserved;
	uint32_t n_sticks;
	const struct ktdev_bytes *reserved;
	const struct ktdev_stick *sticks;
	bool per_tile;
	bool uncapped;
};

/**
 * ktdev_plan_from_module - verify, place and compile every delivery of a module
 * @rep:	receives all findings
 * @out:	the plan; NULL on failure. It does not refer to @mod afterwards
 *
 * Return: 0, -EINVAL (errors in @rep, placement included), -EOPNOTSUPP (legal, but this
 * target cannot run it: see @rep), -ENOENT (no function of that name), -ENOMEM, -E2BIG.
 */
KTDEV_API int ktdev_plan_from_module(const struct ktdev_module *mod,
				     const struct ktdev_compile_opts *opts,
				     struct ktdev_report *rep, struct ktdev_plan **out);
KTDEV_API void ktdev_plan_free(struct ktdev_plan *plan);

/* What a plan is for. Bytes; strings live as long as the plan. */
struct ktdev_plan_info {
	const char *kind;		/* "ktir" or "relayout" */
	const char *source;		/* name of the input it was compiled from */
	uint32_t tiles;
	uint32_t cores;
	uint64_t window;
	uint32_t steps;			/* one image each */
	uint32_t values;		/* inputs and outputs, see ktdev_plan_value() */
	uint32_t funcs;			/* functions with deliveries */
	bool per_tile;
};
KTDEV_API void ktdev_plan_info(const struct ktdev_plan *plan, struct ktdev_plan_info *out);

/* One step. @image is a table image (engine/kte_image.h) owned by the plan. */
struct ktdev_step_info {
	const char *op;			/* "gather"; "relayout" */
	const char *func;		/* "" if none */
	const void *image;
	uint64_t image_bytes;
	uint32_t spaces, sources, dests, edges;
	uint64_t stage_bytes;		/* per tile */
};
/* Return: 0 or -ERANGE. */
KTDEV_API int ktdev_plan_step(const struct ktdev_plan *plan, uint32_t i,
			      struct ktdev_step_info *out);

/**
 * struct ktdev_value - a value that goes in or comes out: packed, row-major, little-endian
 * @name:	name of its data file; several outputs may share one and then follow one
 *		another in it, in the order of the plan
 * @dtype:	"f16"; "opaque" for types that are only copied
 * @step:	the step that takes or gives it
 * @tile:	producer or consumer; UINT32_MAX for a tensor spread over tiles
 * @bytes:	size of the value
 * @output:	comes out
 * @derived:	an input with bytes that earlier steps of the plan provide: the host gives none
 * @placed:	the program gave no address, the library chose the place
 */
struct ktdev_value {
	const char *name;
	const char *dtype;
	uint32_t step, tile, role;
	uint32_t elem_bytes;
	uint32_t rank;
	const uint32_t *shape;
	uint64_t bytes;
	bool output, derived, placed;
};
/* Return: 0 or -ERANGE. */
KTDEV_API int ktdev_plan_value(const struct ktdev_plan *plan, uint32_t i,
			       struct ktdev_value *out);

/**
 * struct ktdev_stats - cost of a plan, summed over its steps; bytes and device cycles
 * @transfers:	pairs of a source and a destination entry with bytes between them
 * @injections:	transfers of one source entry with equal boxes count once
 * @bytes_delivered: destination bytes written (folds: result bytes)
 * @remote_bytes: destination bytes that came from another core (folds: contributions)
 * @injected_bytes: source bytes at least one other core needs, each byte counted once
 * @cycles:	of the movement, as if alone
 * @stall_cycles: spent waiting for producers; known after a run only
 * @host_bytes:	moved between host and scratchpads during the movement: 0
 */
struct ktdev_stats {
	uint64_t transfers, injections, bytes_delivered, remote_bytes, injected_bytes;
	uint64_t cycles, stall_cycles, host_bytes;
	uint32_t max_fanin, max_fanout;
};
/**
 * ktdev_plan_stats - what the plan costs
 * @map:	core of each tile, as many as the plan has tiles; NULL: tile i is core i
 *
 * Return: 0, -EINVAL (bad map), -ENOMEM.
 */
KTDEV_API int ktdev_plan_stats(const struct ktdev_plan *plan, const uint16_t *map,
			       struct ktdev_stats *out);

/**
 * ktdev_plan_to_json, ktdev_plan_to_binary - a plan as a file
 * @text, @data: from malloc(), free() it. JSON: schema ktctl.plan/1, text ends in a newline
 *
 * Return: 0 or -ENOMEM.
 */
KTDEV_API int ktdev_plan_to_json(const struct ktdev_plan *plan, char **text, size_t *len);
KTDEV_API int ktdev_plan_to_binary(const struct ktdev_plan *plan, void **data, size_t *len);

/**
 * ktdev_plan_read - a plan from either form, checked as untrusted input
 *
 * Return: 0, -EINVAL (see @rep), -EPROTO (a version this library does not know), -ENOMEM.
 */
KTDEV_API int ktdev_plan_read(const char *name, const void *data, size_t len,
			      struct ktdev_report *rep, struct ktdev_plan **out);

/* --- devices ----------------------------------------------------------------------- */

struct ktdev_device;

/**
 * ktdev_device_open - open a backend
 * @spec:	"soft", "soft:cores=N,spm-size=BYTES" (K, M suffixes), "/dev/accel/accelN", or
 *		"auto": the first device node, soft if there is none
 * @rep:	says what is wrong and what to do; may be NULL
 *
 * A device may be used by several threads. Jobs and plans keep no reference to each
 * other: close it after its last job was freed.
 *
 * Return: 0, -EINVAL (bad specification), -ENODEV (no such device), -EACCES (may not be
 * opened: "auto" fails too instead of falling back), -EOPNOTSUPP (this library was built
 * without support for it), -EPROTO (kernel and library versions do not match), -ENOMEM.
 */
KTDEV_API int ktdev_device_open(const char *spec, struct ktdev_report *rep,
				struct ktdev_device **out);
KTDEV_API void ktdev_device_close(struct ktdev_device *dev);

/**
 * struct ktdev_device_info - geometry and identity
 * @backend:	"soft" or "drm"
 * @name:	what was opened
 * @cores:	cores of the device
 * @spm_bytes:	bytes of each scratchpad
 * @uncapped:	no caps on entries, spaces and pairs
 */
struct ktdev_device_info {
	const char *backend;
	const char *name;
	uint32_t cores;
	uint64_t spm_bytes;
	bool uncapped;
};
KTDEV_API void ktdev_device_info(const struct ktdev_device *dev, struct ktdev_device_info *out);

/* --- running plans ----------------------------------------------------------------- */

struct ktdev_job;

enum ktdev_sync {
	KTDEV_SYNC_PLAN,	/* as the plan was compiled */
	KTDEV_SYNC_BARRIER,
	KTDEV_SYNC_PER_TILE,
};

/**
 * struct ktdev_submit_opts - data of one run
 * @size:	sizeof(struct ktdev_submit_opts)
 * @sync:	synchronisation
 * @input:	called by ktdev_submit() once per input that is not derived: fill @data
 *		(v->bytes). NULL: identifying values; after @pads_in only for inputs without
 *		an address. Negative: stop with that value
 * @output:	called by ktdev_job_wait() once per output, in the order of the plan
 * @pads_in:	called by ktdev_submit() per tile: fill the whole scratchpad (@bytes, zeroed)
 * @pads_out:	called by ktdev_job_wait() per tile
 * @ctx:	first argument of the callbacks
 * @map:	core of each tile; NULL: whatever the device gives (soft: tile i is core i)
 */
struct ktdev_submit_opts {
	size_t size;
	enum ktdev_sync sync;
	int (*input)(void *ctx, const struct ktdev_value *v, void *data);
	int (*output)(void *ctx, const struct ktdev_value *v, const void *data);
	int (*pads_in)(void *ctx, uint32_t tile, void *data, uint64_t bytes);
	int (*pads_out)(void *ctx, uint32_t tile, const void *data, uint64_t bytes);
	void *ctx;
	const uint16_t *map;
};

/* A destination element that is not what the program says. */
struct ktdev_mismatch {
	uint32_t step, tile, role;
	int64_t element;		/* row-major in the result; -1: a byte outside all results */
	uint64_t address;		/* window offset of the first wrong byte */
	char expected[36], found[36];	/* hexadecimal, little-endian bytes as in memory */
	const char *pass;		/* which fill found it */
};

/**
 * struct ktdev_result - what a run did
 * @size:	set by the caller to sizeof(struct ktdev_result)
 * @backend:	"soft" or "drm"
 * @ok:		ran without a fault and, if checked, without a mismatch
 * @per_tile:	synchronisation used
 * @checked:	ktdev_check() made it
 * @checked_elements: destination elements compared (in every pass)
 * @mismatches:	those that differ, and stray bytes
 * @first:	the first of them, if @mismatches is not 0
 * @fault:	name of the device fault, NULL if none
 */
struct ktdev_result {
	size_t size;
	const char *backend;
	bool ok, per_tile, checked;
	uint64_t checked_elements, mismatches;
	struct ktdev_mismatch first;
	struct ktdev_stats stats;
	const char *fault;
	uint32_t fault_step, fault_entry, fault_tile;
	uint64_t fault_address;
};

/**
 * ktdev_submit - start a plan on a device
 * @opts:	copied; NULL: identifying values in, nothing out
 * @job:	owned by the caller, ktdev_job_free()
 *
 * Return: 0, -EINVAL (the plan does not fit the device, a bad map), -EOPNOTSUPP (more
 * tiles than the device has cores, a larger window), -ENOMEM, -ENOSPC (no free cores),
 * or what a callback returned. -E2BIG: unknown options.
 */
KTDEV_API int ktdev_submit(struct ktdev_device *dev, const struct ktdev_plan *plan,
			   const struct ktdev_submit_opts *opts, struct ktdev_job **job);
/* Readable when the job has ended; owned by the job. */
KTDEV_API int ktdev_job_fd(const struct ktdev_job *job);
/**
 * ktdev_job_wait - wait for the end, hand out outputs, fill @res
 * @timeout_ms:	negative: no limit
 * @res:	may be NULL
 *
 * By one thread, once with success. Return: 0, -ETIME (not yet), -EIO (device fault, see
 * @res), or what a callback returned.
 */
KTDEV_API int ktdev_job_wait(struct ktdev_job *job, int timeout_ms, struct ktdev_result *res);
/* Waits for a job that still runs. */
KTDEV_API void ktdev_job_free(struct ktdev_job *job);

/**
 * ktdev_check - run a module and compare every destination element, and every other byte
 * of the scratchpads, with an independent evaluation of the program
 * @opts:	as for ktdev_plan_from_module(); cores and window 0: the device's
 * @repeat:	runs per pass, refilled before each; 0: 1
 *
 * Copies are filled with identifying values, one digit of (step, tile, role, element) per
 * pass; folds with small exact integers, then random bits with NaN and both zeros. A text
 * with EXPECT lines is then run with its GIVEN values and must do what they say.
 * Return: 0 (see @res->ok), the errors of ktdev_plan_from_module() and ktdev_submit().
 */
KTDEV_API int ktdev_check(struct ktdev_device *dev, const struct ktdev_module *mod,
			  const struct ktdev_compile_opts *opts, unsigned int repeat,
			  struct ktdev_report *rep, struct ktdev_result *res);

/* --- relayouts: two ownership tables over one logical tensor ------------------------ */

/*
 * A relayout says who owns which box before and after a movement. It is read from
 * ktdev.relayout/1 JSON, from the planner's per-core maps or data ops, or from the
 * shorthand "{mb:8,out:4}"; all give the same canonical pieces. See ktdev-relayout(7).
 */
struct ktdev_relayout;

#define KTDEV_MAX_RANK	8

enum ktdev_side {
	KTDEV_SOURCE,
	KTDEV_DESTINATION,
};

/* What the pieces of a side are. */
enum ktdev_value_kind {
	KTDEV_VALUE_PIECES,
	KTDEV_VALUE_COMPLETED,		/* finished sums: copied, never folded again */
	KTDEV_VALUE_CONTRIBUTIONS,	/* addends: folded, never merely copied */
};

/**
 * struct ktdev_relayout_opts - what the input does not say itself
 * @size:	sizeof(struct ktdev_relayout_opts)
 * @op:		data op of a planner file, by number or name; NULL: the first that moves
 *		data (ktdev_relayout_ops_of() lists them)
 * @map:	"a=b": source axis a is destination axis b; @n_map of them
 * @stick_axis, @stick_lanes: declares a stick (as "stick" in the file); NULL and 0: none
 * @extents:	"mb=512,out=4096", for the shorthand and for maps without extents
 * @dtype:	element type where the input names none; NULL: f16
 * @cores:	number of cores where the input names none; 0: 32
 */
struct ktdev_relayout_opts {
	size_t size;
	const char *op;
	const char *const *map;
	const char *stick_axis;
	const char *extents;
	const char *dtype;
	uint32_t n_map;
	uint32_t stick_lanes;
	uint32_t cores;
};

/* A text and the name diagnostics give it. */
struct ktdev_text {
	const char *name;
	const char *text;
	size_t len;
};

/**
 * ktdev_relayout_parse - read both sides of a relayout from one JSON text
 * @in:		ktdev.relayout/1, a planner file with two tensor views, or data ops
 * @opts:	NULL: defaults
 * @rep:	receives what is wrong, each with its JSON Pointer
 * @out:	the relayout; NULL on failure
 *
 * Return: 0, -EINVAL (see @rep), -EOPNOTSUPP (legal but unsupported, see @rep), -ENOMEM.
 */
KTDEV_API int ktdev_relayout_parse(const struct ktdev_text *in,
				   const struct ktdev_relayout_opts *opts,
				   struct ktdev_report *rep, struct ktdev_relayout **out);

/**
 * ktdev_relayout_parse_pair - read the two sides from two inputs
 * @src, @dst:	each a JSON text (per-core map, planner file, one side) or a shorthand
 *		division such as "{mb:8,out:4}"
 *
 * Of a planner file the source is what its op leaves behind and the destination what
 * its op takes in. Return: as ktdev_relayout_parse().
 */
KTDEV_API int ktdev_relayout_parse_pair(const struct ktdev_text *src,
					const struct ktdev_text *dst,
					const struct ktdev_relayout_opts *opts,
					struct ktdev_report *rep, struct ktdev_relayout **out);
KTDEV_API void ktdev_relayout_free(struct ktdev_relayout *rel);

/* One data op of a planner file. */
struct ktdev_data_op {
	const char *name;
	bool moves;		/* false: skipped, see @why */
	const char *why;
};

struct ktdev_data_ops {
	uint32_t n;
	const struct ktdev_data_op *ops;
};

/**
 * ktdev_relayout_ops_of - the data ops of a planner file, in file order
 *
 * A text that is no planner file has one op, itself. Return: 0, -EINVAL, -ENOMEM.
 */
KTDEV_API int ktdev_relayout_ops_of(const struct ktdev_text *in, struct ktdev_report *rep,
				    struct ktdev_data_ops **out);
KTDEV_API void ktdev_data_ops_free(struct ktdev_data_ops *ops);

struct ktdev_axis {
	const char *name;
	uint32_t extent;
};

/* A relayout at a glance. */
struct ktdev_relayout_info {
	const char *name;
	const char *dtype;
	uint32_t cores, elem_bytes, rank;
	struct ktdev_axis axes[KTDEV_MAX_RANK];
	int32_t stick_axis;		/* -1: none declared */
	uint32_t stick_lanes;
	uint32_t n_pieces[2];		/* distinct boxes per side */
	uint32_t layout[2][KTDEV_MAX_RANK];	/* axes of a piece in memory, outermost first */
	enum ktdev_value_kind value[2];
	const char *combine;		/* NULL: none */
	const char *view[2];		/* what was read: "/source", "/dscs_/0/...": JSON Pointer */
	bool placed[2];			/* the input gives scratchpad addresses */
	uint32_t n_notes;
	const char *const *notes;	/* view and axis mapping used, ops skipped */
};

KTDEV_API void ktdev_relayout_info(const struct ktdev_relayout *rel,
				   struct ktdev_relayout_info *info);

struct ktdev_piece {
	uint32_t start[KTDEV_MAX_RANK];
	uint32_t size[KTDEV_MAX_RANK];
	uint32_t n_owners;
	const uint32_t *owners;		/* ascending */
	const uint64_t *addr;		/* scratchpad byte per owner; NULL: the library's choice */
};

/* The i-th piece of a side, in ascending order of boxes. Return: 0, -ERANGE. */
KTDEV_API int ktdev_relayout_piece(const struct ktdev_relayout *rel, enum ktdev_side side,
				   uint32_t i, struct ktdev_piece *out);

/* Equality by owned values: same axes, type, cores, boxes and owners on both sides,
 * whatever the order or spelling of the input. Names and addresses do not count. */
KTDEV_API bool ktdev_relayout_equal(const struct ktdev_relayout *a,
				    const struct ktdev_relayout *b);

/* The relayout as ktdev.relayout/1 JSON; free *text with ktdev_text_free(). */
KTDEV_API int ktdev_relayout_write(const struct ktdev_relayout *rel, char **text);
KTDEV_API void ktdev_text_free(char *text);

/* --- classification ---------------------------------------------------------------- */

/* Who sends where several cores hold the same source box. */
enum ktdev_elect {
	KTDEV_ELECT_NONE,	/* refuse: "producer not determined" */
	KTDEV_ELECT_LOWEST,	/* the lowest core number */
	KTDEV_ELECT_NEAREST,	/* the fewest hops on the ring; of two the lower number */
};

/* One row of the axis table. */
struct ktdev_axis_row {
	const char *name;
	const char *relation;	/* "coarsened", "refined", "unchanged" */
	uint32_t extent;
	uint32_t ns, nd;	/* distinct slices */
	uint32_t fanin, fanout;
	uint32_t gcd;
	bool uniform;		/* fan-in and fan-out the same for every slice */
	bool uniform_in, uniform_out;
};

/* What a movement costs, whoever performs it. Bytes of all cores together. */
struct ktdev_cost {
	uint64_t transfers;		/* source and destination entries with bytes between them */
	uint64_t injections;		/* of one source entry, equal boxes once */
	uint64_t delivered_bytes;	/* destination bytes; folds: result bytes */
	uint64_t remote_bytes;		/* of them not on their core before; folds: contributions */
	uint64_t injected_bytes;	/* source bytes another core needs, once per producer */
	uint64_t lower_bound_bytes;	/* distinct bytes cores must receive */
	uint64_t host_bytes;		/* 0: nothing leaves the chip */
	uint32_t max_fanin, max_fanout;	/* per core: cores it takes from, cores it sends to */
};

/* Tiles of one group of the op, ascending. */
struct ktdev_group {
	uint32_t n_producers, n_consumers;
	const uint32_t *producers, *consumers;
	const uint32_t *dep;		/* needs_dependency: the producer of each consumer */
};

/**
 * struct ktdev_classification - what a relayout is
 * @row:	"G1", "G2", "G3", "1", "2", "3", "4"
 * @verdict:	"ok", "no-op", "selection", "irregular", "ragged", "not-determined",
 *		"unsupported"
 * @op:		"consume", "scatter", "gather", "all_to_all", "reduce", "reduce_scatter",
 *		"no-op" when nothing moves, NULL when no single op says it
 * @ops_needed:	deliveries the emitted KTIR holds
 * @groups:	groups of each op
 * @producers_per_group, @consumers_per_group: tiles an op names in its first group
 * @k, @m:	source and destination regions per component
 * @reason:	one sentence with the numbers used
 * @elected:	the policy that was needed, NULL if none was
 * @selected:	a selection: @select_start, @select_size is the box and @then what is moved
 */
struct ktdev_classification {
	const char *row;
	const char *verdict;
	const char *op;
	const char *reason;
	const char *elected;
	uint32_t ops_needed;
	uint32_t groups;
	uint32_t producers_per_group, consumers_per_group;
	uint32_t replicas;		/* holders of a destination region, at most */
	bool needs_dependency;
	bool selected;
	uint64_t k, m;
	uint64_t components;
	uint64_t max_fanin, max_fanout;
	uint32_t n_split, n_concat;
	const char *split_axes[KTDEV_MAX_RANK];
	const char *concat_axes[KTDEV_MAX_RANK];
	uint32_t n_axes;
	struct ktdev_axis_row axes[KTDEV_MAX_RANK];
	uint32_t n_groups;		/* entries of @group; 0 when no single op says it */
	const struct ktdev_group *group;
	struct ktdev_cost cost;
	uint32_t select_start[KTDEV_MAX_RANK], select_size[KTDEV_MAX_RANK];
	const struct ktdev_classification *then;
};

/* Return: 0 for every row, guards included; -ENOMEM. */
KTDEV_API int ktdev_classify(const struct ktdev_relayout *rel, enum ktdev_elect elect,
			     struct ktdev_classification **out);
KTDEV_API void ktdev_classification_free(struct ktdev_classification *cls);

/**
 * ktdev_emit - the KTIR that says what the tables say
 * @elect:	who sends where several cores hold a box
 * @rep:	says why not, on failure
 * @text:	from malloc(), ktdev_text_free()
 *
 * The text was checked against the tables before it is handed out.
 * Return: 0, -EOPNOTSUPP (an election is missing, or KTIR cannot say it: see @rep), -ENOMEM.
 */
KTDEV_API int ktdev_emit(const struct ktdev_relayout *rel, enum ktdev_elect elect,
			 struct ktdev_report *rep, char **text);

/* The affine sets of one delivery of a classification, as text. */
struct ktdev_op_sets {
	const char *op;			/* "gather" */
	const char *groups;
	const char *producers, *consumers;	/* per group */
	const char *dep;		/* NULL: every consumer takes from the whole group */
	char *memory;			/* the library's; ktdev_op_sets_free() */
};

/* Sets of delivery @i < ops_needed. Return: 0, -ERANGE, -ENOMEM. */
KTDEV_API int ktdev_classification_sets(const struct ktdev_classification *cls, uint32_t i,
					struct ktdev_op_sets *out);
KTDEV_API void ktdev_op_sets_free(struct ktdev_op_sets *sets);

/**
 * ktdev_plan_from_relayout - compile a relayout of any kind to one step
 * @opts:	as for ktdev_plan_from_module(); func, tiles and sticks are not used
 *
 * Inputs and outputs of the plan: the whole tensor in axis order ("tensor.bin"), and per
 * core its destination pieces in file order ("t3.bin").
 * Return: 0, -EINVAL (does not fit, places overlap: see @rep), -EOPNOTSUPP (election
 * missing, more cores than the target has: see @rep), -ENOMEM, -E2BIG.
 */
KTDEV_API int ktdev_plan_from_relayout(const struct ktdev_relayout *rel, enum ktdev_elect elect,
				       const struct ktdev_compile_opts *opts,
				       struct ktdev_report *rep, struct ktdev_plan **out);

/**
 * ktdev_check_relayout - run a relayout and compare every destination element, and every
 * other byte of the scratchpads, with what the tables say
 *
 * As ktdev_check(), for tables.
 */
KTDEV_API int ktdev_check_relayout(struct ktdev_device *dev, const struct ktdev_relayout *rel,
				   enum ktdev_elect elect, const struct ktdev_compile_opts *opts,
				   unsigned int repeat, struct ktdev_report *rep,
				   struct ktdev_result *res);

/* --- differences and pictures -------------------------------------------------------- */

/* One side of a comparison: exactly one of @mod, @rel and @plan. */
struct ktdev_diff_input {
	const struct ktdev_module *mod;
	const struct ktdev_relayout *rel;
	const struct ktdev_plan *plan;
	enum ktdev_elect elect;		/* of @rel */
};

/**
 * struct ktdev_diff - what two inputs have and have not in common
 * @same:	same source owners, destination owners and values
 * @by_order:	addresses differ; bytes were matched by their order on each core
 * @lines, @n_lines: up to 16 witnesses, "core 7 holds mb 3, needs mb 5 (...)"
 * @differing_bytes: destination bytes that differ; 0 where two tables are compared
 */
struct ktdev_diff {
	bool same;
	bool by_order;
	uint32_t n_lines;
	const char *const *lines;
	uint64_t differing_bytes;
};

/**
 * ktdev_diff - compare KTIR, tables or plans by what they move
 * @opts:	for compiling, as for ktdev_plan_from_module()
 *
 * Return: 0 (see *@out), the errors of compiling, -E2BIG (more than 16 million runs of
 * bytes), -EOPNOTSUPP (a fold of folded values).
 */
KTDEV_API int ktdev_diff(const struct ktdev_diff_input *a, const struct ktdev_diff_input *b,
			 const struct ktdev_compile_opts *opts, struct ktdev_report *rep,
			 struct ktdev_diff **out);
KTDEV_API void ktdev_diff_free(struct ktdev_diff *diff);

enum ktdev_draw_format {
	KTDEV_DRAW_ASCII,
	KTDEV_DRAW_SVG,
	KTDEV_DRAW_DOT,
};

/**
 * ktdev_draw - picture of who sends to whom, and for tables of who owns what
 * @in:		KTIR, tables or a plan
 * @opts:	for compiling KTIR
 * @text:	from malloc(), ktdev_text_free()
 *
 * Of tables without an elected producer the lowest is drawn and said so. Return: 0, the
 * errors of compiling, -ENOMEM, -E2BIG.
 */
KTDEV_API int ktdev_draw(const struct ktdev_diff_input *in, enum ktdev_draw_format format,
			 const struct ktdev_compile_opts *opts, struct ktdev_report *rep,
			 char **text);

#ifdef __cplusplus
}
#endif

#endif /* KTDEV_H */
