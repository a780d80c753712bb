/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the verbs share that look at a run: explain and graph take a scenario, which they run, or a trace file. */
#ifndef SIM_CLI_LOOK_H
#define SIM_CLI_LOOK_H

#include "sim/cli/cli.h"

struct story;

/*
 * Runs @path or replays it. @o comes with what is wanted (story, scene, listen); the rest is
 * filled from the command line; compare blocks are left out. NULL after a message, *@status says
 * what to exit with. Else *@status is CLI_FINE, CLI_WORLD (a limit) or CLI_INTERRUPTED: whether
 * the run was good is for `run` to say.
 */
struct run_result *cli_look(const char *path, struct run_options *o, int *status);

/* --task and --lock into @story, and after the run: does anything bear the name? False after a message. */
bool cli_story_known(const struct story *story);

/* "pathfinder", or the path of a run without a name. */
const char *cli_run_title(const struct run_result *r, const char *path);

#endif
