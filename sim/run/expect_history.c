/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expectations about what happened when: judged from what expect_track.c remembered. */
#include <inttypes.h>

#include "sim/machine/sched.h"
#include "sim/run/expect.h"

/* -- waits ---------------------------------------------------------------------------------------- */

/* A wait of the asked kind that is still open counts toward the maximum. */
static sim_time wait_open(const struct watch *w, const struct watch_ask *a, const struct run_result *r,
			  uint32_t *whose)
{
	sim_time longest = 0;

	for (uint32_t i = a->task; i < a->task + a->ntask; i++) {
		const struct watch_task *t = &w->task[i];

		if (t->op != WATCH_OP_LOCK || !t->op_waits || t->op_lock - a->lock >= a->nlock)
			continue;
		if (r->until > t->op_since && r->until - t->op_since > longest) {
			longest = r->until - t->op_since;
			*whose = i;
		}
	}
	return longest;
}

static sim_time wait_stat(const struct watch_ask *a, sim_time open)
{
	switch (a->e->stat) {
	case SCN_STAT_MAX:
		return MAX(a->dist.max, open);
	case SCN_STAT_P99:
		return run_dist_at(&a->dist, 990);
	case SCN_STAT_P50:
		return run_dist_at(&a->dist, 500);
	case SCN_STAT_MEAN:
		return run_dist_mean(&a->dist);
	case SCN_STAT_MIN:
		return a->dist.min;
	}
	return 0;
}

bool expect_wait(const struct watch *w, const struct watch_ask *a, const struct run_result *r, GString *seen)
{
	uint32_t whose = WATCH_NONE;
	sim_time open = wait_open(w, a, r, &whose), t = wait_stat(a, open);

	if (!a->dist.count && !open) {
		g_string_append(seen, "no such wait");
		return false;
	}
	expect_time(seen, t);
	g_string_append_printf(seen, " (of %" PRIu64 " wait%s", a->dist.count, a->dist.count == 1 ? "" : "s");
	if (open && open >= a->dist.max) {
		g_string_append_printf(seen, "; the longest, %s's, is open since ",
				       watch_task_name(w, whose));
		expect_time(seen, r->until - open);
	} else if (a->worst_task != WATCH_NONE) {
		g_string_append_printf(seen, "; the longest, %s's, ended at ",
				       watch_task_name(w, a->worst_task));
		expect_time(seen, a->worst_at);
	}
	g_string_append_c(seen, ')');
	return expect_rel(a->e->rel, t, a->value);
}

/* -- grants ---------------------------------------------------------------------------------------- */

bool expect_grants(const struct watch *w, const struct watch_ask *a, GString *seen)
{
	bool met = a->ngrant == a->e->nwho;

	for (uint32_t i = 0; i < a->ngrant; i++) {
		const struct bound_task *b = &w->b->task[a->grant[i]];
		const struct scn_who *who = &a->e->who[i];
		bool same = a->grant[i] < w->ntask && b->decl == who->task &&
			    (who->instance < 0 || b->instance == (uint32_t)who->instance);

		g_string_append_printf(seen, "%s%s", i ? " " : "", b->name);
		met &= same;
	}
	if (!a->ngrant)
		g_string_append(seen, "no grant");
	else if (a->ngrant < a->e->nwho)
		g_string_append_printf(seen, " and no more");
	if (a->ngrant) {
		g_string_append(seen, " (the last at ");
		expect_time(seen, a->grant_at);
		g_string_append_c(seen, ')');
	}
	return met;
}

/* -- priorities ------------------------------------------------------------------------------------- */

/* As users write it. */
static void put_prio(GString *s, int prio)
{
	if (prio <= SIM_STOP_PRIO)
		g_string_append(s, "stop");
	else if (prio == SIM_DL_PRIO)
		g_string_append(s, "deadline");
	else if (prio < SIM_MAX_RT_PRIO)
		g_string_append_printf(s, "fifo %d", SIM_MAX_RT_PRIO - 1 - prio);
	else
		g_string_append_printf(s, "nice %d", prio - SIM_DEFAULT_PRIO);
}

bool expect_prio(const struct watch *w, const struct watch_ask *a, const struct run_result *r, GString *seen)
{
	bool met = true;

	if (a->at >= r->until) {
		g_string_append(seen, "the run ended at ");
		expect_time(seen, r->until);
		return false;
	}
	for (uint32_t i = 0; i < a->ntask; i++) {
		bool same = a->inst[i].prio == a->prio, ok = same == (a->e->rel != SCN_NE);

		if ((!ok && met) || !i) {
			g_string_truncate(seen, 0);
			g_string_append_printf(seen, "%s was ", watch_task_name(w, a->task + i));
			put_prio(seen, a->inst[i].prio);
			g_string_append(seen, " since ");
			expect_time(seen, a->inst[i].prio_since);
		}
		met &= ok;
	}
	return met;
}

/* -- intervals ------------------------------------------------------------------------------------- */

bool expect_blocked(const struct watch *w, const struct watch_ask *a, const struct run_result *r,
		    GString *seen)
{
	bool met = true;

	for (uint32_t i = 0; i < a->ntask; i++) {
		const struct watch_task *t = &w->task[a->task + i];
		sim_time covered = a->inst[i].covered;
		bool ok;

		if (t->op == WATCH_OP_LOCK && t->op_since <= covered && r->until > covered &&
		    (!a->e->has_lock || t->op_lock - a->lock < a->nlock))
			covered = r->until;
		ok = covered >= a->to;
		if ((!ok && met) || !i) {
			g_string_truncate(seen, 0);
			if (covered == a->from)
				g_string_append_printf(seen, "%s did not wait at ",
						       watch_task_name(w, a->task + i));
			else
				g_string_append_printf(seen, "%s was blocked until ",
						       watch_task_name(w, a->task + i));
			expect_time(seen, covered);
		}
		met &= ok;
	}
	return met;
}

bool expect_never_runs(const struct watch *w, const struct watch_ask *a, const struct run_result *r,
		       GString *seen)
{
	bool met = true;

	for (uint32_t i = 0; i < a->ntask; i++) {
		const struct watch_ask_task *x = &a->inst[i];
		bool hit = x->hit;
		sim_time at = x->hit_at;

		if (!hit && w->task[a->task + i].state == WATCH_RUNNING && at < a->to && r->until > a->from) {
			hit = true;
			at = MAX(at, a->from);
		}
		if (!hit)
			continue;
		if (met) {
			g_string_append_printf(seen, "%s ran at ", watch_task_name(w, a->task + i));
			expect_time(seen, at);
		}
		met = false;
	}
	if (met)
		g_string_append(seen, "it did not run");
	return met;
}
