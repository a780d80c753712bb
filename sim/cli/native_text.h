/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of a scenario threads and POSIX mutexes can do. */
#ifndef SIM_CLI_NATIVE_TEXT_H
#define SIM_CLI_NATIVE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/scenario/scenario.h"

/* False after a message for each thing that a native run cannot carry, with its place; ten at most. */
bool native_can_carry(const struct scenario *scn, FILE *messages);

#endif
