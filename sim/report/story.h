/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stories of the worst waits, for people and for programs. */
#ifndef SIM_REPORT_STORY_H
#define SIM_REPORT_STORY_H

#include "sim/report/report.h"
#include "sim/run/story.h"

/* @title: what run this was, "pathfinder". */
void report_story(GString *out, const struct story *s, const char *title, const struct report_style *style);
/* One JSON object, kind "explain"; docs/json.md lists the keys. */
void report_story_json(GString *out, const struct story *s, const char *title);

/* "fifo 6", "nice -5", "deadline": a kernel number as the language has it. */
void report_prio(GString *out, int prio);
/* A time with at most two places, "12.35ms". */
void report_time(GString *out, sim_time t);
/* "inversion", "hand-over": a piece as reports call it. */
const char *report_piece(enum run_piece piece);

#endif
