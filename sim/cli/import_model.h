/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of periodic tasks with critical sections, as the tools of real-time theory have them, on its way to a
 * scenario. */
#ifndef SIM_CLI_IMPORT_MODEL_H
#define SIM_CLI_IMPORT_MODEL_H

#include "sim/cli/import_xml.h"
#include "sim/core/clock.h"

enum model_scheduler { MODEL_GIVEN /* the priorities that the tasks have */, MODEL_RM, MODEL_DM, MODEL_EDF };
enum model_protocol { MODEL_NONE, MODEL_PIP, MODEL_PCP, MODEL_IPCP };
enum model_release { MODEL_PERIODIC, MODEL_SPORADIC, MODEL_POISSON, MODEL_ONCE };

struct model_section { /* in the task's own computation */
	sim_time from, to;
	guint resource;
	const char *at;
};

struct model_task {
	char *original, *name;
	struct xml *x;
	enum model_release release;
	sim_time offset, period, capacity, deadline;
	gint64 priority;     /* the model's, larger is stronger */
	bool rr, fair;       /* of its own policy */
	unsigned cpu, ncpus; /* ncpus 0: any */
	unsigned level;      /* 1 the weakest; set by model_print() */
	GArray *section;     /* struct model_section */
};

struct model_resource {
	char *original, *name;
	struct xml *x;
	enum model_protocol protocol;
	gint64 units;   /* 1: a lock; else a semaphore */
	gint64 ceiling; /* the model's priority, -1: computed */
};

struct model {
	struct import_source *src;
	const char *tool;           /* "Cheddar" */
	GPtrArray *task, *resource; /* struct model_task, model_resource */
	enum model_scheduler scheduler;
	unsigned cpus;
	GString *remarks; /* "# ..." lines for the head */
	const char *const
		*read; /* parts of the outermost element that mean something here, NULL-terminated */
};

/* What the command line says about it; -1: as the model has it. */
struct model_ask {
	int scheduler, protocol;
	unsigned cores; /* of models that do not say */
};

void model_init(struct model *m, struct import_source *src, const char *tool);
void model_finish(struct model *m);

struct model_task *model_add_task(struct model *m, struct xml *x, const char *name);
struct model_resource *model_add_resource(struct model *m, struct xml *x, const char *name);
struct model_task *model_find_task(const struct model *m, const char *original);
/* Checks [@from, @to) against the task's capacity; false after a message. */
bool model_add_section(struct model *m, struct model_task *t, guint resource, sim_time from, sim_time to,
		       const char *at);

/* A line of the head: "# not carried: ...". */
void model_remark(struct model *m, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* A time in units of the model, which are shown as ms: digits, with at most nine behind a point. False after
 * a message. */
bool model_time(struct model *m, const struct xml *x, const char *text, const char *what, sim_time *t);
bool model_integer(struct model *m, const struct xml *x, const char *text, const char *what, gint64 min,
		   gint64 max, gint64 *n);

/* Gives every task its level; false after a message. */
bool model_set_levels(struct model *m);

GString *import_cheddar(struct import_source *src, struct xml *root, const struct model_ask *ask);
GString *import_mcrtsim(struct import_source *src, struct xml *root, const struct model_ask *ask);

/* The scenario; NULL after a message. */
GString *model_print(struct model *m, struct xml *root, const struct model_ask *ask);

#endif
