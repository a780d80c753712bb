/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace file in place of a run: its records go to the same listeners.
 *
 * What the file does not tell: deadlines of deadline tasks (all are equally urgent), states of
 * lock words, completions given to all. Oracles and expectations stay away; their findings are
 * in the records.
 */
#ifndef SIM_RUN_REPLAY_H
#define SIM_RUN_REPLAY_H

#include "sim/run/run.h"


/* 1: @path is a trace file; 0: something else; -1: it cannot be read, errno set. */
int replay_is_trace(const char *path);

/*
 * Reads @path to its end. Of @options count listen, names, story, scene and interrupted.
 * The result has no scenario, findings or verdicts; its `scenario` and `path` are the trace's
 * facts. NULL: *@error says why (the caller frees).
 */
struct run_result *run_replay(const char *path, const struct run_options *options, char **error);

#endif
