/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small world for the parser: a few models, presets and costs, so that no machine is needed. */
#ifndef TESTS_SCENARIO_FAKE_H
#define TESTS_SCENARIO_FAKE_H

#include "sim/scenario/scenario.h"

extern const struct scn_vocabulary fake_vocabulary;
/* A model_info() whose models can do nothing but lock and unlock. */
bool fake_poor_info(const char *model, unsigned *caps, const char *const **params, const unsigned char **units);

/* Parses @text as "test.lks" in that world; @sets as for struct scn_options. Aborts the test on a message if @clean. */
struct scenario *fake_parse(const char *text, const char *const *sets, struct sim_diags *diags);
/* Parses what must be without fault; prints messages and fails the test if it is not. */
struct scenario *fake_good(const char *text);
struct scenario *fake_good_set(const char *text, const char *set);
/* Parses what must give exactly one message: its code. */
unsigned fake_one(const char *text);
/* All messages as printed; caller frees. */
char *fake_messages(const char *text, const char *const *sets);

/* A text around the statements of one task "t" over locks m (mutex), r (rwsem), s (ticket), arr[4] (mutex). */
char *fake_task(const char *body);

#endif
