/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line on stderr that says how far a long run is: on a terminal only, from one second
 * on, once a second. It looks at the run's records as any reader does and changes nothing.
 */
#ifndef SIM_CLI_PROGRESS_H
#define SIM_CLI_PROGRESS_H

#include "sim/run/run.h"

/* Listens to @o's run if stderr is a terminal. */
void progress_start(const struct scenario *scn, struct run_options *o);
/* Takes the line away. */
void progress_stop(void);

#endif
