// SPDX-License-Identifier: GPL-2.0-or-later
/* The stories of the worst waits for programs. */
#include "sim/report/json.h"
#include "sim/report/story.h"

static const char *const state_name[] = { "away", "ready", "running", "asleep", "gone" };
static const char *const end_name[] = { "granted", "failed", "open" };

static const char *task_of(const struct story *s, uint32_t task)
{
	return task < s->ntask ? s->task_name[task] : NULL;
}

static const char *lock_of(const struct story *s, uint32_t lock)
{
	return lock < s->nlock ? s->lock_name[lock] : NULL;
}

static void put_sums(struct json *j, const char *key, const sim_time *sum)
{
	json_open(j, key, '{');
	for (unsigned p = 0; p < RUN_PIECE_COUNT; p++)
		json_time(j, run_piece_name[p], sum[p]);
	json_close(j, '}');
}

static void put_link(struct json *j, const struct story *s, const struct story_link *l)
{
	json_open(j, NULL, '{');
	json_string(j, "task", task_of(s, l->task));
	json_string(j, "waits_for", lock_of(s, l->lock));
	json_bool(j, "shared", l->shared);
	json_bool(j, "barred", l->barred);
	json_int(j, "prio", l->prio);
	json_int(j, "normal", l->normal);
	json_string(j, "state", state_name[l->state]);
	json_count(j, "cpu", l->cpu);
	json_close(j, '}');
}

static void put_runner(struct json *j, const struct story *s, const struct story_runner *r)
{
	json_open(j, NULL, '{');
	json_count(j, "cpu", r->cpu);
	json_string(j, "task", task_of(s, r->task));
	json_int(j, "prio", r->prio);
	json_bool(j, "culprit", r->culprit);
	json_string(j, "holds", lock_of(s, r->holds));
	json_close(j, '}');
}

static void put_piece(struct json *j, const struct story *s, const struct story_piece *p)
{
	json_open(j, NULL, '{');
	json_time(j, "from_ps", p->from);
	json_time(j, "to_ps", p->to);
	json_string(j, "piece", run_piece_name[p->piece]);
	json_open(j, "chain", '[');
	for (unsigned i = 0; i < p->nlink; i++)
		put_link(j, s, &p->link[i]);
	json_close(j, ']');
	json_count(j, "left_out", p->left_out);
	json_open(j, "running", '[');
	for (unsigned i = 0; i < p->nrunner; i++)
		put_runner(j, s, &p->runner[i]);
	json_close(j, ']');
	json_close(j, '}');
}

static void put_boost(struct json *j, const struct story *s, const struct story_boost *b)
{
	json_open(j, NULL, '{');
	json_time(j, "at_ps", b->at);
	json_string(j, "task", task_of(s, b->task));
	json_string(j, "donor", task_of(s, b->donor));
	json_int(j, "from", b->from);
	json_int(j, "to", b->to);
	json_close(j, '}');
}

static void put_wait(struct json *j, const struct story *s, const struct story_wait *w)
{
	json_open(j, NULL, '{');
	json_string(j, "task", task_of(s, w->task));
	json_int(j, "prio", w->prio);
	json_string(j, "lock", lock_of(s, w->lock));
	json_string(j, "model", s->model_name[w->lock]);
	json_bool(j, "shared", w->shared);
	json_time(j, "from_ps", w->from);
	json_time(j, "to_ps", w->to);
	json_string(j, "end", end_name[w->end]);
	json_int(j, "error", -w->error);
	json_string(j, "file", w->file);
	json_count(j, "line", w->line);
	put_sums(j, "pieces_ps", w->sum);
	json_time(j, "bounded_ps", w->bounded);
	json_time(j, "strangers_ps", w->strangers);
	json_open(j, "pieces", '[');
	for (unsigned i = 0; i < w->npiece; i++)
		put_piece(j, s, &w->piece[i]);
	json_close(j, ']');
	json_open(j, "boosts", '[');
	for (unsigned i = 0; i < w->nboost; i++)
		put_boost(j, s, &w->boost[i]);
	json_close(j, ']');
	json_close(j, '}');
}

static void put_culprit(struct json *j, const struct story *s, const struct story_culprit *c)
{
	json_open(j, NULL, '{');
	json_string(j, "task", task_of(s, c->task));
	json_time(j, "total_ps", c->total);
	json_count(j, "times", c->times);
	json_time(j, "longest_ps", c->longest);
	json_time(j, "longest_at_ps", c->longest_at);
	json_string(j, "victim", task_of(s, c->victim));
	json_string(j, "lock", lock_of(s, c->lock));
	json_close(j, '}');
}

void report_story_json(GString *out, const struct story *s, const char *title)
{
	struct json j = { .out = out, .first = true };

	json_open(&j, NULL, '{');
	json_count(&j, "lockstep", 1);
	json_string(&j, "kind", "explain");
	json_string(&j, "run", title);
	json_count(&j, "waits", s->waits);
	json_time(&j, "waited_ps", s->waited);
	json_open(&j, "worst", '[');
	for (unsigned i = 0; i < s->nwait; i++)
		put_wait(&j, s, s->wait[i]);
	json_close(&j, ']');
	json_open(&j, "culprits", '[');
	for (unsigned i = 0; i < s->nculprit; i++)
		put_culprit(&j, s, &s->culprit[i]);
	json_close(&j, ']');
	json_close(&j, '}');
	json_end(&j);
}
