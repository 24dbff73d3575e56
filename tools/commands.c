// SPDX-License-Identifier: MIT
/* The table of commands. */
#include "cmd.h"
#include "commands.h"

#define OPT_END		{ NULL, 0, NULL, NULL, NULL }
#define OPT_ROOT	{ "root", 0, "DIR", NULL, "look at the system mounted at DIR" }
#define OPT_FUNC	{ "func", 'f', "NAME", NULL, "only this function" }
#define OPT_STICK	{ "stick", 0, "AXIS=LANES", NULL, \
			  "declare axis AXIS sticked, LANES elements to a stick; repeatable" }

const struct ctl_opt ctl_globals[] = {
	{ "json", 'j', NULL, NULL, "one JSON document on standard output, also for errors" },
	{ "pretty", 'p', NULL, NULL, "indented JSON" },
	{ "color", 0, "WHEN", "auto|always|never", "colour the text" },
	{ "progress", 0, "WHEN", "auto|always|never", "progress on standard error" },
	{ "device", 'd', "DEVICE", NULL, "auto, soft[:cores=N,spm-size=S] or /dev/accel/accelN" },
	{ "tiles", 0, "N", NULL, "number of tiles (default: the grid of the file, else 32)" },
	{ "strict", 0, NULL, NULL, "warnings are errors" },
	{ "quiet", 'q', NULL, NULL, "errors only" },
	{ "verbose", 'v', NULL, NULL, "more detail" },
	{ "help", 'h', NULL, NULL, "help for the command" },
	{ "version", 0, NULL, NULL, "versions of tool and library" },
	OPT_END
};

#define OPT_RELAYOUT \
	{ "cores", 0, "N", NULL, "number of cores where the tables name none" }, \
	{ "extents", 0, "LIST", NULL, "extents of the axes: mb=512,out=4096" }, \
	{ "dtype", 0, "TYPE", NULL, "element type where the tables name none (default f16)" }, \
	{ "op", 0, "OP", NULL, "data op of a planner file, by number or name" }, \
	{ "map", 0, "A=B", NULL, "source axis A is destination axis B; repeatable" }
#define OPT_ELECT	{ "elect", 0, "POLICY", "lowest|nearest", \
			  "who sends where several cores hold the same source" }
#define OPT_COMPILE \
	{ "per-tile", 0, NULL, NULL, "start a tile as soon as its producers are ready" }, \
	{ "reserve", 0, "START:BYTES", NULL, "place nothing there on any scratchpad; repeatable" }

static const struct ctl_opt verify_opts[] = { OPT_FUNC, OPT_STICK, OPT_END };

static const struct ctl_opt compile_opts[] = {
	{ "output", 'o', "OUT", NULL, "x.json: plan as JSON, - (default) too, any other: binary" },
	OPT_FUNC, OPT_STICK, OPT_COMPILE, OPT_ELECT, OPT_RELAYOUT, OPT_END
};

static const struct ctl_opt submit_opts[] = {
	{ "check", 0, NULL, NULL,
	  "fill, run, compare every element with an independent evaluation" },
	{ "dry-run", 0, NULL, NULL, "compile and report the cost, run nothing" },
	{ "repeat", 0, "N", NULL, "run N times" },
	{ "input", 0, "DIR", NULL, "partials DIR/tT.rR.bin; of tables: FILE, the whole tensor" },
	{ "output", 'o', "DIR", NULL, "write what every consumer receives" },
	{ "pads-in", 0, "DIR", NULL, "load whole scratchpads DIR/sT.bin before the run" },
	{ "pads-out", 0, "DIR", NULL, "save whole scratchpads after the run" },
	OPT_FUNC, OPT_STICK, OPT_COMPILE, OPT_ELECT, OPT_RELAYOUT, OPT_END
};

static const struct ctl_opt classify_opts[] = {
	OPT_ELECT, OPT_RELAYOUT, OPT_STICK,
	{ "batch", 'b', NULL, NULL, "every FILE is a relayout of its own: one table" },
	{ "edges", 0, "FILE", NULL, "index of edges (tab-separated): one row per edge" },
	{ "consumers", 0, "FILE", NULL,
	  "with --check: reference consumers (geometry, consumer, axis)" },
	{ "check", 0, NULL, NULL, "in a table: run every relayout and compare every byte" },
	OPT_END
};

static const struct ctl_opt root_opts[] = { OPT_ROOT, OPT_END };

static const struct ctl_opt top_opts[] = {
	{ "interval", 'i', "MS", NULL, "milliseconds between two looks (default 1000)" },
	{ "count", 'n', "N", NULL, "stop after N tables (default: go on; JSON: always one)" },
	OPT_ROOT, OPT_END
};

static const struct ctl_opt emit_opts[] = {
	{ "output", 'o', "FILE", NULL, "where the program goes (default: standard output)" },
	OPT_ELECT, OPT_RELAYOUT, OPT_STICK, OPT_END
};

static const struct ctl_opt draw_opts[] = {
	{ "format", 0, "FORMAT", "ascii|svg|dot",
	  "default: by the name of the output, else ascii" },
	{ "output", 'o', "FILE", NULL, "where the picture goes (default: standard output)" },
	OPT_FUNC, OPT_STICK, OPT_COMPILE, OPT_ELECT, OPT_RELAYOUT, OPT_END
};

static const struct ctl_opt diff_opts[] = {
	OPT_FUNC, OPT_STICK, OPT_COMPILE, OPT_ELECT, OPT_RELAYOUT, OPT_END
};

static const struct ctl_opt bench_opts[] = {
	{ "relayouts", 0, "DIR", NULL, "also move the data of every relayout in DIR" },
	{ "only", 0, "NAME", NULL, "only figures whose name starts so" },
	OPT_END
};

static const struct ctl_opt trace_opts[] = {
	{ "output", 'o', "FILE", NULL, "where the trace goes (default: standard output)" },
	{ "format", 0, "FORMAT", "text|chrome", "show: as text, or JSON for Chrome and Perfetto" },
	{ "repeat", 0, "N", NULL, "record: run N times" },
	OPT_FUNC, OPT_STICK, OPT_COMPILE, OPT_ELECT, OPT_RELAYOUT, OPT_END
};

const struct ctl_command ctl_commands[] = {
	{ .name = "verify", .args = "FILE...", .min = 1, .max = -1, .opts = verify_opts,
	  .summary = "Parse and check rules R1-R14 and K1-K13, say every finding",
	  .run = cmd_verify },
	{ .name = "explain", .args = "[RULE]", .max = 1, .words = "@rules",
	  .summary = "Show a rule, why it exists, a wrong and a right example",
	  .run = cmd_explain },
	{ .name = "classify", .args = "FILE... | DIR | SRC DST", .min = 1, .max = -1,
	  .opts = classify_opts,
	  .summary = "Say which delivery moves one ownership table into another",
	  .details = "FILE holds both sides; SRC and DST one each: a planner's map or a division\n"
		     "'{mb:8,out:4}', '{mb:16@2}', '{mb:8}*4', '{}*28' (axis:count[@stride], *holders,\n"
		     "+base). A directory, --batch, --edges, --check or more than two files make one\n"
		     "table with a row for each.",
	  .run = cmd_classify },
	{ .name = "emit", .args = "FILE | SRC DST", .min = 1, .max = 2, .opts = emit_opts,
	  .summary = "Write the KTIR that moves what a pair of tables says",
	  .run = cmd_emit },
	{ .name = "compile", .args = "FILE | SRC DST", .min = 1, .max = 2, .opts = compile_opts,
	  .summary = "Place and compile to a plan",
	  .run = cmd_compile },
	{ .name = "dump", .args = "PLAN", .min = 1, .max = 1,
	  .summary = "Show what a compiled plan holds",
	  .run = cmd_dump },
	{ .name = "submit", .args = "FILE | SRC DST", .min = 1, .max = 2, .opts = submit_opts,
	  .summary = "Place, run on the backend and report",
	  .run = cmd_submit },
	{ .name = "draw", .args = "FILE | SRC DST", .min = 1, .max = 2, .opts = draw_opts,
	  .summary = "Draw who sends to whom, and who owns what before and after",
	  .run = cmd_draw },
	{ .name = "diff", .args = "A B", .min = 2, .max = 2, .opts = diff_opts,
	  .summary = "Compare two inputs by what they move, and name a witness",
	  .run = cmd_diff },
	{ .name = "trace", .args = "record FILE | show TRACE | replay TRACE", .min = 1, .max = 3,
	  .opts = trace_opts, .words = "record show replay",
	  .summary = "Record a run's timeline, show it, run it again and compare",
	  .run = cmd_trace },
	{ .name = "top", .args = "", .opts = top_opts,
	  .summary = "Show who uses the device",
	  .run = cmd_top },
	{ .name = "reset", .args = "", .opts = root_opts,
	  .summary = "Reset the device",
	  .run = cmd_reset },
	{ .name = "info", .args = "", .opts = root_opts,
	  .summary = "Show the device and its geometry",
	  .run = cmd_info },
	{ .name = "bench", .args = "", .opts = bench_opts,
	  .summary = "Measure engine and library",
	  .run = cmd_bench },
	{ .name = "doctor", .args = "", .opts = root_opts,
	  .summary = "Find out why it does not work here, and what to type",
	  .run = cmd_doctor },
	{ .name = "completion", .args = "SHELL", .min = 1, .max = 1, .words = "bash zsh fish",
	  .summary = "Print a completion script for bash, zsh or fish",
	  .details = "bash: source <(ktctl completion bash)\n"
		     "zsh:  ktctl completion zsh > \"${fpath[1]}/_ktctl\"\n"
		     "fish: ktctl completion fish > ~/.config/fish/completions/ktctl.fish",
	  .run = cmd_completion },
	{ .name = "help", .args = "[COMMAND]", .max = 1, .words = "@commands",
	  .summary = "Show the commands, or one command's options",
	  .run = cmd_help },
	{ .name = NULL }
};
