/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Findings: what an oracle tells. The first one ends the run, unless the scenario expects
 * findings; a lock that is broken for good would then tell the same at every step, so only
 * the first few of each kind are kept.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "sim/machine/machine.h"
#include "sim/run/places.h"
#include "sim/run/watch_impl.h"

#define KEPT_PER_KIND 8

const char *const run_finding_name[RUN_FINDING_COUNT] = {
#define X(id, name, meaning) [RUN_FINDING_##id] = name,
	RUN_FINDINGS(X)
#undef X
};

const char *const run_finding_meaning[RUN_FINDING_COUNT] = {
#define X(id, name, meaning) [RUN_FINDING_##id] = meaning,
	RUN_FINDINGS(X)
#undef X
};

const char *const run_piece_name[RUN_PIECE_COUNT] = {
#define X(name, meaning) [RUN_PIECE_##name] = #name,
	RUN_PIECES(X)
#undef X
};

const char *watch_place(const struct watch *w, uint32_t statement, char *buf, size_t room)
{
	const struct sim_pos *pos;

	if (statement >= w->b->nstatement || !w->b->statement)
		return "?";
	pos = &w->b->statement[statement];
	g_snprintf(buf, (gulong)room, "%s:%u", pos->source ? pos->source->path : "?", pos->line);
	return buf;
}

bool watch_wants(const struct watch *w, enum run_finding_kind kind)
{
	return !w->stopped && w->per_kind[kind] < KEPT_PER_KIND;
}

static void finding_place(const struct watch *w, struct run_finding *f, uint32_t statement)
{
	const struct sim_pos *pos;

	if (statement >= w->b->nstatement || !w->b->statement)
		return;
	pos = &w->b->statement[statement];
	f->file = pos->source ? g_strdup(pos->source->path) : NULL;
	f->line = pos->line;
}

/* Where in a kernel tree's own files it happened. */
static char *with_places(const struct watch *w, char *text, uint32_t task, uint32_t lock)
{
	GString *s = g_string_new(text);

	g_free(text);
	places_append_finding(s, w->b, task == WATCH_NONE ? 0 : task + 1, w->actor,
			      lock == WATCH_NONE ? 0 : lock + 1);
	return g_string_free(s, FALSE);
}

/* The last line of every finding: the command that shows it again. */
static char *with_replay(const struct watch *w, char *text)
{
	const struct sim_choice *c = w->b->choice;
	const char *again = w->again ? w->again : "";
	char *all, *spec;

	if (!w->scn || !w->scn->nsources)
		return text;
	spec = c && c->policy != SIM_CHOICE_FIXED ? sim_choice_spec(c, RUN_REPLAY_MAX) : NULL;
	all = g_strdup_printf("%s\nreplay: lockstep run %s --seed %" PRIu64 "%s%s%s", text, w->scn->sources[0]->path,
			      w->b->seed, again, spec ? " --choice " : "", spec ? spec : "");
	free(spec);
	g_free(text);
	return all;
}

void watch_report(struct watch *w, enum run_finding_kind kind, uint32_t task, uint32_t lock, char *text)
{
	uint32_t statement = task == WATCH_NONE ? WATCH_NONE : w->task[task].statement;
	struct run_finding f = {.kind = kind, .at = w->now};
	struct sim_rec rec;

	if (!watch_wants(w, kind)) {
		g_free(text);
		return;
	}
	w->per_kind[kind]++;
	f.task = watch_task_name(w, task);
	f.lock = watch_lock_name(w, lock);
	f.text = with_replay(w, with_places(w, text, task, lock));
	f.expected = w->expects_findings;
	finding_place(w, &f, statement);
	g_array_append_val(w->finding, f);
	if (!f.expected) {
		w->stopped = true;
		if (sim && !w->ended)
			sim_machine_stop(SIM_STOP_ASKED);
	}
	if (!w->trace || w->ended)
		return;
	rec = (struct sim_rec){w->now,
			       SIM_REC_FINDING,
			       0,
			       task == WATCH_NONE ? 0 : task + 1,
			       lock == WATCH_NONE ? 0 : lock + 1,
			       kind,
			       statement == WATCH_NONE ? 0 : statement};
	sim_trace_emit(w->trace, &rec);
}

void watch_report_cycle(struct watch *w, uint32_t lock, const uint32_t *task, uint32_t n, char *text)
{
	struct watch_cycle c = {.at = w->now, .n = n};

	if (watch_wants(w, RUN_FINDING_deadlock)) {
		c.task = g_memdup2(task, n * sizeof(*task));
		g_array_append_val(w->cycle, c);
	}
	watch_report(w, RUN_FINDING_deadlock, task[0], lock, text);
}

void watch_finding(struct watch *w, enum run_finding_kind kind, uint32_t task, uint32_t lock,
		   const char *text)
{
	if (sim && sim->now > w->now)
		w->now = sim->now;
	watch_report(w, kind, task ? task - 1 : WATCH_NONE, lock ? lock - 1 : WATCH_NONE, g_strdup(text));
}

void finding_init(struct watch *w)
{
	w->finding = g_array_new(FALSE, FALSE, sizeof(struct run_finding));
	w->cycle = g_array_new(FALSE, FALSE, sizeof(struct watch_cycle));
}

void finding_fill(struct watch *w, struct run_result *r)
{
	r->nfinding = w->finding->len;
	r->finding = g_new0(struct run_finding, r->nfinding + 1);
	for (unsigned i = 0; i < r->nfinding; i++)
		r->finding[i] = g_array_index(w->finding, struct run_finding, i);
	g_array_set_size(w->finding, 0);
}

void finding_free(struct watch *w)
{
	for (guint i = 0; w->finding && i < w->finding->len; i++) {
		g_free((char *)(uintptr_t)g_array_index(w->finding, struct run_finding, i).file);
		g_free(g_array_index(w->finding, struct run_finding, i).text);
	}
	for (guint i = 0; w->cycle && i < w->cycle->len; i++)
		g_free(g_array_index(w->cycle, struct watch_cycle, i).task);
	if (w->finding)
		g_array_free(w->finding, TRUE);
	if (w->cycle)
		g_array_free(w->cycle, TRUE);
}
