/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What director.c, director_fact.c and director_compile.c share. */
#ifndef SIM_RUN_DIRECTOR_IMPL_H
#define SIM_RUN_DIRECTOR_IMPL_H

#include <glib.h>

#include "sim/run/director.h"

struct prog_asked { /* a check or an await, compiled */
	const struct scn_stmt *stmt;
	uint32_t task, lock; /* indices in task[] and lock[] */
	int prio;	     /* SCN_FACT_PRIO, NORMAL: kernel number; smaller is stronger */
};

struct said { /* a verdict */
	const struct scn_stmt *stmt;
	bool met;
	char *seen;
};

struct director {
	GArray *said;	 /* struct said */
	uint64_t events; /* changes of state so far */
	sim_time grain;	 /* next wait for others to settle */
	bool over;	 /* no more orders */
	const struct scn_stmt *hung; /* an await that cannot come true, or NULL */
};

/* Whether nothing is left to happen without another order. */
bool director_nothing_moves(const struct run_bound *b);
void director_say(struct run_bound *b, const struct scn_stmt *stmt, bool met, char *seen);
/* Whether it is so now; what is seen is put into @seen. */
bool director_is_so(const struct run_bound *b, const struct prog_asked *asked, GString *seen);

#endif
