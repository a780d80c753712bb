/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lockstep run --timeline: the schedule drawn, as text or as SVG. */
#ifndef SIM_CLI_TIMELINE_H
#define SIM_CLI_TIMELINE_H

#include "sim/cli/cli.h"

extern const GOptionEntry cli_timeline_options[]; /* --timeline, --span */

/* Reads the options; false after a message. Without --timeline nothing is asked of the run. */
bool timeline_prepare(struct run_options *o);
/* Draws what was seen; CLI_FINE, or CLI_WORLD after a message. Does nothing without --timeline. */
int timeline_draw(const struct run_result *r, const char *path);

#endif
