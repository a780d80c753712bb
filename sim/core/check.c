/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/core/check.h"

static void (*context)(void);

void sim_assert_context(void (*print)(void))
{
	context = print;
}

void sim_assert_failed(const char *what, const char *file, int line)
{
	static bool failing; /* the context printer may itself run into an assertion */

	fprintf(stderr, "lockstep: %s:%d: assertion failed: %s\n", file, line, what);
	if (context && !failing) {
		failing = true;
		context();
	}
	fflush(stderr);
	abort();
}
