/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void sim_no_memory(const char *what, uint64_t bytes)
{
	fprintf(stderr, "lockstep: no %llu MiB for %s: %s%s\n", (unsigned long long)((bytes + (1 << 20) - 1) >> 20), what,
		strerror(errno), bytes >> 30 ? "; address space is all it takes (ulimit -v)" : "");
	exit(3);
}
