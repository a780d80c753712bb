/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places in a kernel tree's own files, for stories: "rwsem_mark_wake() kernel/locking/rwsem.c:434".
 * A task in an operation of a plug-in keeps a trail, the last places where it made a step
 * (sim_trail_add()). They become text only when a story is told, by addr2line of binutils,
 * which building a plug-in needs anyway; without it stories have no places.
 */
#ifndef SIM_RUN_PLACES_H
#define SIM_RUN_PLACES_H

#include <glib.h>

#include "sim/run/bind.h"

/*
 * Appends a line "HEAD rwsem_wake() rwsem.c:1236,1240, rwsem_mark_wake() rwsem.c:434" for the trail: oldest
 * first, as much of it as is kept. Nothing if none of it is in a tree's file.
 */
void places_append(GString *out, const char *head, const void *const trail[SIM_TRAIL], unsigned ntrail);

/* For a finding that names @task (1 + index, or 0) and @lock: where it is, where @actor is, whose step showed it, and how
 * the last release went. */
void places_append_finding(GString *out, const struct run_bound *b, uint32_t task, uint32_t actor, uint32_t lock);

#endif
