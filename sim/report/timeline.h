/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The schedule as textbooks draw it: a row per task, time to the right, critical sections and
 * lent priorities marked. A fold over the records of a run, drawn as text or as SVG.
 */
#ifndef SIM_REPORT_TIMELINE_H
#define SIM_REPORT_TIMELINE_H

#include "sim/core/trace.h"
#include "sim/report/report.h"
#include "sim/run/story.h"

#define TIMELINE_CLASSES (SIM_CLASS_SCHED | SIM_CLASS_LOCK | SIM_CLASS_TASK)

struct timeline;

struct timeline *timeline_new(void);
/* What the run calls things: before the first record. */
void timeline_names(struct timeline *t, const struct sim_names *names);
void timeline_take(struct timeline *t, const struct sim_rec *rec);
/* The run is over at @end. @story, or NULL: its pieces of inversion are marked. */
void timeline_finish(struct timeline *t, sim_time end, const struct story *story);

/* Draws [@from, @to), cut to what there is; @width columns, 0: REPORT_WIDTH. */
void timeline_text(GString *out, const struct timeline *t, const char *title, sim_time from, sim_time to, unsigned width);
void timeline_svg(GString *out, const struct timeline *t, const char *title, sim_time from, sim_time to);
void timeline_free(struct timeline *t);

#endif
