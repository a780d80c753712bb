/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Graphs in Graphviz's DOT: who waits for whom at an instant, and in which order locks were
 * taken. The text is made here and nowhere else; Graphviz only lays it out.
 */
#ifndef SIM_REPORT_GRAPH_H
#define SIM_REPORT_GRAPH_H

#include "sim/core/trace.h"
#include "sim/report/report.h"
#include "sim/run/scene.h"

/*
 * One digraph with @n scenes, one below the other. Left to right: a task waits for a lock (blue), a
 * lock is held by a task (black). Orange: the lock's top waiter lends its priority to the owner.
 * Red: a circle. Red and dashed: runs on a CPU that the end of the chain could use, less urgent
 * than the waiter.
 */
void graph_scenes(GString *out, struct scene *const *scene, unsigned n, const char *title);

/* The order in which locks were taken: a fold over the records of a run. */
struct order;

struct order *order_new(void);
/* What the run calls things: before the first record. */
void order_names(struct order *o, const struct sim_names *names);
/* Wants SIM_CLASS_LOCK. */
void order_take(struct order *o, const struct sim_rec *rec);
/* An arrow A -> B: B was asked for while A was held. Red: arrows that lie on a circle. */
void order_dot(GString *out, struct order *o, const char *title);
void order_free(struct order *o);

/* Quotes @text for DOT: "a\"b". */
void graph_quote(GString *out, const char *text);

#endif
