// SPDX-License-Identifier: GPL-2.0-or-later
/* How a run ended, and what its result says of it. */
#include <stdlib.h>

#include <glib.h>

#include "sim/run/run_impl.h"
#include "sim/run/watch_impl.h"

bool run_to_end(const struct run *r)
{
	switch (r->why) {
	case SIM_STOP_END:
	case SIM_STOP_DONE:
	case SIM_STOP_QUIET:
		return true;
	case SIM_STOP_ASKED:
	case SIM_STOP_STEPS:
	case SIM_STOP_STILL:
	case SIM_STOP_SIGNAL:
		return false;
	}
	return false;
}

static enum run_end end_of(const struct run *r)
{
	switch (r->why) {
	case SIM_STOP_END:
		return RUN_END_TIME;
	case SIM_STOP_DONE:
		return r->bound.until_done ? RUN_END_DONE : RUN_END_TIME;
	case SIM_STOP_QUIET:
		return r->bound.until_done ? RUN_END_QUIET : RUN_END_TIME;
	case SIM_STOP_ASKED:
	case SIM_STOP_STILL:
		return RUN_END_FINDING;
	case SIM_STOP_STEPS:
		return RUN_END_STEPS;
	case SIM_STOP_SIGNAL:
		return RUN_END_INTERRUPTED;
	}
	return RUN_END_TIME;
}

bool run_complete(const struct run *r)
{
	const struct scenario *scn = r->bound.scn;

	if (!run_to_end(r))
		return false;
	if (r->why != SIM_STOP_END)
		return true;
	if (scn->until_done)
		return false; /* the limit */
	return !r->options->max_time || r->bound.until == bound_value(&r->bound, scn->run_for);
}

/* What was decided where the order was open, unless it is the fixed one. */
static void fill_choice(const struct sim_choice *c, struct run_result *res)
{
	if (c->policy == SIM_CHOICE_FIXED)
		return;
	res->choice = g_new0(struct run_choice, 1);
	res->choice->open = c->len;
	for (size_t i = 0; i < MIN(c->len, SIM_CHOICES_KEPT); i++)
		res->choice->turned += c->taken[i] != 0;
	res->choice->left = sim_choice_left(c);
	res->choice->diverged = c->diverged;
	if (c->diverged) {
		res->choice->diverged_at = c->diverged_at + 1;
		res->choice->diverged_time = c->diverged_time;
		res->choice->found = c->found;
		res->choice->among = c->among ? c->among[c->diverged_at] : 0;
	}
	res->choice->schedule = sim_choice_print(c);
	res->choice->replay = sim_choice_spec(c, RUN_REPLAY_MAX);
}

void run_fill_result(struct run *r, struct run_result *res)
{
	const struct scenario *scn = r->bound.scn;
	const char **about = g_new0(const char *, 2);

	about[0] = g_strdup(scn->about);
	res->about = about;
	res->scenario = g_strdup(scn->name ? scn->name : "");
	res->path = g_strdup(scn->nsources ? scn->sources[0]->path : "");
	res->machine = g_strdup(r->bound.machine_text);
	res->seed = r->bound.seed;
	res->end = r->watch && watch_stopped(r->watch) ? RUN_END_FINDING : end_of(r);
	res->accesses = sim->accesses;
	res->events = sim->events;
	fill_choice(r->bound.choice, res);
}

void run_result_free(struct run_result *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < r->ncompare; i++) {
		run_result_free(r->compare[i].result);
		watch_verdicts_free(r->compare[i].verdict, r->compare[i].nverdict);
		g_free((char *)r->compare[i].lock);
		g_free((char *)r->compare[i].model);
		g_free((char *)r->compare[i].label);
	}
	g_free(r->compare);
	watch_result_clear(r);
	if (r->about)
		g_free((char *)r->about[0]);
	g_free((gpointer)r->about);
	g_free((char *)r->scenario);
	g_free((char *)r->path);
	g_free((char *)r->machine);
	if (r->choice) {
		free(r->choice->schedule);
		free(r->choice->replay);
	}
	g_free(r->choice);
	if (r->memory)
		bind_pool_clear(r->memory);
	g_free(r->memory);
	g_free(r);
}
