/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line: one file per verb. Results go to stdout, everything else to stderr.
 *
 * Exit status: 0 fine; 1 a finding or an expectation missed; 2 the command line or the
 * text is wrong; 3 the world is (files, memory), or a limit was reached without a
 * verdict; 130 interrupted. Under --bisect all but 0, 1 and 130 become 125.
 */
#ifndef SIM_CLI_CLI_H
#define SIM_CLI_CLI_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "sim/run/run.h"

enum cli_status { CLI_FINE = 0, CLI_MISSED = 1, CLI_WRONG = 2, CLI_WORLD = 3, CLI_SKIP = 125, CLI_INTERRUPTED = 130 };

struct cli_verb {
	const char *name, *args, *summary;
	const char *more;		  /* text below the options in --help */
	const GOptionEntry *const *groups; /* tables of options, NULL-terminated */
	int (*run)(int argc, char **argv); /* argv: what is left, argv[0] is the first operand */
};

extern const struct cli_verb verb_run, verb_compare, verb_sweep, verb_report, verb_validate, verb_test, verb_check, verb_list, verb_explain, verb_graph, verb_trace, verb_kernel, verb_import, verb_native, verb_twin, verb_help;
/* All, in the order of the help, NULL-terminated. */
extern const struct cli_verb *const cli_verbs[];

/* What was said on the command line; a verb sees those that its tables have. */
struct cli_options {
	gboolean help, list_options;
	char **sets, **limits;
	char *include_root;
	char *seed, *spin, *choice, *max_steps, *first;
	gboolean pieces, no_compare, bisect;
	char *trace, *class;
	gboolean json, quiet, verbose, tap, ktap, digest;
	char **kernels;
	char *color, *junit;
	int jobs;
};
extern struct cli_options opt;

extern const GOptionEntry cli_text_options[];	/* --set, --include-root, --limit */
extern const GOptionEntry cli_run_options[];	/* --seed, --choice, --spin, --max-steps, --first, --pieces */
extern const GOptionEntry cli_bisect_options[];	/* --bisect alone */
extern const GOptionEntry cli_kernel_options[];	/* --kernel */
extern const GOptionEntry cli_output_options[]; /* --color, --quiet, --bisect */

/* Loads what --kernel names; false after a message. */
bool cli_load_kernels(void);

/* "lockstep VERB: …" on stderr. */
void cli_error(const char *fmt, ...) G_GNUC_PRINTF(1, 2);
/* The verb that runs, for messages. */
extern const char *cli_verb_name;

/* Help of one verb, or of all if NULL. */
char *cli_help(const struct cli_verb *verb);
const struct cli_verb *cli_find_verb(const char *name);

/* Is there colour on @f? --color, NO_COLOR, whether it is a terminal. Call after cli_check_options(). */
bool cli_colour(FILE *f);
/* Checks the options that have a small set of values; false after a message. */
bool cli_check_options(void);
/* "250us", "1.5ms": a time with its unit. */
bool cli_parse_time(const char *text, sim_time *t);
/* Decimal or 0x…, the whole text. */
bool cli_parse_count(const char *text, uint64_t *n);
/* "lock,sched": enum sim_rec_class bits; false for an unknown word (*@bad: it; caller frees). */
bool cli_parse_classes(const char *text, unsigned *classes, char **bad);

/* Reads and checks a scenario with the options given. NULL: @messages has the reasons, *@status is 2 or 3. */
struct scenario *cli_load(const char *path, FILE *messages, bool colour, int *status);
/* The same with text put behind the file's. @more may be NULL. */
struct scenario *cli_load_with(const char *path, const char *more, FILE *messages, bool colour, int *status);
/* The options as given that a run depends on, apart from seed and choice: " --set a=5us --spin=poll", fit for a shell. */
const char *cli_again(void);
/* Fills @o from the options; false after a message. */
bool cli_fill_run_options(struct run_options *o);
/* Writes to stdout and flushes: 0, or CLI_WORLD after a message. */
int cli_write(const GString *text);
/* Writes a file, or whatever stands at @path (a device is not replaced): 0, or CLI_WORLD after a message with the path. */
int cli_write_file(const char *path, const char *text, size_t len);

/* Set by SIGINT once cli_catch_interrupt() was called; a second SIGINT kills. */
extern volatile int cli_interrupted;
void cli_catch_interrupt(void);

#endif
