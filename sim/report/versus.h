/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `lockstep compare`: one workload under several models, over several seeds. For each lock
 * that was exchanged, the scenario's own model and then the others.
 */
#ifndef SIM_REPORT_VERSUS_H
#define SIM_REPORT_VERSUS_H

#include "sim/report/measure.h"
#include "sim/report/report.h"

struct versus_side {
	char *model;		     /* with parameters that differ: "mutex{osq off}" */
	struct measure *m;	     /* by seed */
	uint64_t acquired;	     /* under the first seed */
	const struct run_bill *bill; /* under the first seed, or NULL */
};

struct versus_lock {
	char *lock;
	struct versus_side *side; /* [0] is the scenario's own */
	unsigned nside;
};

struct versus {
	const char *scenario, *path, *machine;
	uint64_t *seed;
	unsigned nseed, ncpu;
	struct versus_lock *lock;
	unsigned nlock;
	unsigned met, missed; /* expectations, over all seeds */
};

void versus_text(GString *out, const struct versus *v, const struct report_style *style);
/* {"lockstep": 1, "kind": "compare", …}: also what --save writes and --baseline reads. */
void versus_json(GString *out, const struct versus *v);

/* The means by name, "mm/rwsem/wait_p99": what a baseline is. @take is called in a fixed order. */
void versus_values(const struct versus *v, void (*take)(void *user, const char *name, enum measure_unit unit, uint64_t value),
		   void *user);

/* A sentence, indented by two and broken at blanks. */
void versus_fold(GString *out, const char *text, unsigned width);

/* The bill of side @k of @l against that of side 0; nothing where one has none. */
void versus_bill(GString *out, const struct versus_lock *l, unsigned k, const struct report_style *style);

#endif
