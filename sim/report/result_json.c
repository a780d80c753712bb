// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A result as JSON. Keys are a promise: new ones may come, none changes its meaning
 * while "lockstep" is 1. Times are integers in ps, digests are strings of 16 hex digits.
 */
#include "sim/report/json.h"
#include "sim/report/report.h"

static void dist(struct json *j, const char *key, const struct run_dist *d)
{
	json_open(j, key, '{');
	json_count(j, "count", d->count);
	json_time(j, "sum_ps", d->sum);
	json_time(j, "min_ps", d->count ? d->min : 0);
	json_time(j, "mean_ps", run_dist_mean(d));
	json_time(j, "p50_ps", run_dist_at(d, 500));
	json_time(j, "p90_ps", run_dist_at(d, 900));
	json_time(j, "p99_ps", run_dist_at(d, 990));
	json_time(j, "max_ps", d->max);
	json_close(j, '}');
}

static void by_distance(struct json *j, const char *key, const uint64_t *n)
{
	json_open(j, key, '{');
	for (unsigned d = 0; d < RUN_DISTS; d++)
		json_count(j, report_dist[d], n[d]);
	json_close(j, '}');
}

static void pieces(struct json *j, const sim_time *piece)
{
	json_open(j, "pieces_ps", '{');
	for (unsigned i = 0; i < RUN_PIECE_COUNT; i++)
		json_time(j, run_piece_name[i], piece[i]);
	json_close(j, '}');
}

static void lock_mode(struct json *j, const struct run_lock *l, unsigned mode)
{
	json_open(j, mode ? "shared" : "exclusive", '{');
	json_count(j, "acquisitions", l->acquisitions[mode]);
	json_count(j, "contended", l->contended[mode]);
	dist(j, "wait", &l->wait[mode]);
	dist(j, "hold", &l->hold[mode]);
	json_close(j, '}');
}

static void lock(struct json *j, const struct run_lock *l, bool accounted)
{
	json_open(j, NULL, '{');
	json_string(j, "name", l->name);
	json_string(j, "model", l->model);
	lock_mode(j, l, 0);
	lock_mode(j, l, 1);
	json_count(j, "failed", l->failed);
	json_count(j, "open", l->open);
	json_time(j, "spin_ps", l->spin);
	json_count(j, "sleeps", l->sleeps);
	json_count(j, "wakeups", l->wakeups);
	json_count(j, "steals", l->steals);
	json_count(j, "handoffs", l->handoffs);
	by_distance(j, "line_transfers", l->transfers);
	by_distance(j, "handovers", l->handover);
	json_open(j, "events", '{');
	for (unsigned i = 0; l->event && l->event_name && l->event_name[i]; i++)
		json_count(j, l->event_name[i], l->event[i]);
	json_close(j, '}');
	if (accounted)
		pieces(j, l->piece);
	json_close(j, '}');
}

static void task(struct json *j, const struct run_task *t, bool accounted)
{
	json_open(j, NULL, '{');
	json_string(j, "name", t->name);
	json_count(j, "declaration", t->group);
	json_count(j, "instance", t->instance);
	json_time(j, "run_ps", t->run);
	json_time(j, "spin_ps", t->spin);
	json_time(j, "blocked_ps", t->blocked);
	json_time(j, "preempted_ps", t->preempted);
	json_time(j, "slept_ps", t->slept);
	json_count(j, "switches", t->switches);
	json_count(j, "preemptions", t->preemptions);
	json_count(j, "migrations", t->migrations);
	json_count(j, "done", t->done);
	json_count(j, "jobs", t->jobs);
	json_count(j, "overruns", t->overruns);
	json_time(j, "finish_ps", t->finish);
	json_bool(j, "exited", t->exited);
	if (t->result < 0)
		json_null(j, "result");
	else
		json_int(j, "result", -(int64_t)t->result);
	dist(j, "wait", &t->wait);
	if (accounted)
		pieces(j, t->piece);
	json_close(j, '}');
}

static void cpus(struct json *j, const struct run_result *r)
{
	json_open(j, "cpus", '[');
	for (unsigned i = 0; i < r->ncpu; i++) {
		json_open(j, NULL, '{');
		json_count(j, "cpu", i);
		json_time(j, "busy_ps", r->cpu[i].busy);
		json_time(j, "idle_ps", r->cpu[i].idle);
		json_time(j, "irq_ps", r->cpu[i].irq);
		json_count(j, "switches", r->cpu[i].switches);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void findings(struct json *j, const struct run_result *r)
{
	json_open(j, "findings", '[');
	for (unsigned i = 0; i < r->nfinding; i++) {
		const struct run_finding *f = &r->finding[i];

		json_open(j, NULL, '{');
		json_string(j, "kind", run_finding_name[f->kind]);
		json_bool(j, "expected", f->expected);
		json_time(j, "at_ps", f->at);
		json_string(j, "task", f->task);
		json_string(j, "lock", f->lock);
		json_string(j, "file", f->file);
		json_count(j, "line", f->line);
		json_string(j, "text", f->text);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void verdicts(struct json *j, const struct run_verdict *v, unsigned n)
{
	json_open(j, "expectations", '[');
	for (unsigned i = 0; i < n; i++) {
		json_open(j, NULL, '{');
		json_string(j, "text", v[i].text);
		json_string(j, "file", v[i].file);
		json_count(j, "line", v[i].line);
		json_bool(j, "met", v[i].met);
		json_string(j, "seen", v[i].seen);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void oracles(struct json *j, const struct run_result *r)
{
	json_open(j, "oracles", '{');
	for (unsigned i = 0; i < r->noracle; i++)
		json_bool(j, r->oracle[i], r->oracle_watched[i]);
	json_close(j, '}');
}

static const char *end_word(enum run_end end)
{
	switch (end) {
	case RUN_END_TIME:
		return "time";
	case RUN_END_DONE:
		return "done";
	case RUN_END_QUIET:
		return "quiet";
	case RUN_END_FINDING:
		return "finding";
	case RUN_END_STEPS:
		return "steps";
	case RUN_END_INTERRUPTED:
		return "interrupted";
	}
	g_assert_not_reached();
}

static void choices(struct json *j, const struct run_choice *c)
{
	if (!c) {
		json_null(j, "choice");
		return;
	}
	json_open(j, "choice", '{');
	json_count(j, "open", c->open);
	json_count(j, "not_default", c->turned);
	json_bool(j, "diverged", c->diverged);
	if (c->diverged) {
		json_count(j, "diverged_at", c->diverged_at);
		json_count(j, "diverged_ps", c->diverged_time);
	}
	json_count(j, "left", c->left);
	if (c->schedule)
		json_string(j, "schedule", c->schedule);
	else
		json_null(j, "schedule");
	json_close(j, '}');
}

static void facts(struct json *j, const struct run_result *r)
{
	char digest[17];

	g_snprintf(digest, sizeof(digest), "%016" G_GINT64_MODIFIER "x", r->digest);
	json_string(j, "scenario", r->scenario);
	json_string(j, "path", r->path);
	json_string(j, "machine", r->machine);
	json_count(j, "seed", r->seed);
	choices(j, r->choice);
	json_string(j, "end", end_word(r->end));
	json_time(j, "from_ps", r->from);
	json_time(j, "until_ps", r->until);
	json_string(j, "digest", digest);
	json_count(j, "records", r->records);
	json_count(j, "done", r->done);
	if (r->has_throughput)
		json_count(j, "throughput_per_1000s", r->throughput_milli);
	else
		json_null(j, "throughput_per_1000s");
	json_open(j, "done_by_name", '{');
	for (unsigned i = 0; i < r->ndone; i++)
		json_count(j, r->done_name[i], r->done_count[i]);
	json_close(j, '}');
}

static void body(struct json *j, const struct run_result *r)
{
	facts(j, r);
	json_open(j, "locks", '[');
	for (unsigned i = 0; i < r->nlock; i++)
		lock(j, &r->lock[i], r->accounted);
	json_close(j, ']');
	json_open(j, "tasks", '[');
	for (unsigned i = 0; i < r->ntask; i++)
		task(j, &r->task[i], r->accounted);
	json_close(j, ']');
	cpus(j, r);
	oracles(j, r);
	findings(j, r);
}

void report_json(GString *out, const struct run_result *r)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	json_count(&j, "lockstep", 1);
	json_string(&j, "kind", "run");
	body(&j, r);
	verdicts(&j, r->verdict, r->nverdict);
	json_open(&j, "compare", '[');
	for (unsigned i = 0; i < r->ncompare; i++) {
		json_open(&j, NULL, '{');
		json_string(&j, "lock", r->compare[i].lock);
		json_string(&j, "model", r->compare[i].model);
		verdicts(&j, r->compare[i].verdict, r->compare[i].nverdict);
		json_open(&j, "result", '{');
		if (r->compare[i].result)
			body(&j, r->compare[i].result);
		json_close(&j, '}');
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_count(&j, "status", (uint64_t)run_exit_status(r));
	json_close(&j, '}');
	json_end(&j);
}
