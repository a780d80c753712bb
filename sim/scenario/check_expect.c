/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of expectations. */
#include <string.h>

#include "sim/scenario/check.h"

static void check_instance(struct parser *p, const struct scn_who *who)
{
	const struct scn_task *task;

	if (who->irq) {
		if (who->instance >= 0)
			parse_fail(p, SIM_DIAG_not_indexed, who->pos, "\"%.60s\" is an interrupt and takes no index",
				   p->scn->irq[who->task].name);
		return;
	}
	task = &p->scn->task[who->task];
	if (who->instance >= 0 && !task->indexed)
		parse_fail(p, SIM_DIAG_not_indexed, who->pos, "\"%.60s\" is a single task and takes no index",
			   task->name);
	else if (who->instance >= 0 && (uint32_t)who->instance >= task->count)
		parse_fail(p, SIM_DIAG_no_such_instance, who->pos, "no %.60s[%d]; there are 0 to %u",
			   task->name, who->instance, task->count - 1);
}

static void check_lock_instance(struct parser *p, const struct scn_expect *x)
{
	const struct scn_lock *lock = &p->scn->lock[x->lock.object];

	if (x->lock_instance >= 0 && !lock->indexed)
		parse_fail(p, SIM_DIAG_not_indexed, x->lock.pos,
			   "\"%.60s\" is a single one and takes no index", lock->name);
	else if (x->lock_instance >= 0 && (uint32_t)x->lock_instance >= lock->count)
		parse_fail(p, SIM_DIAG_no_such_instance, x->lock.pos, "no %.60s[%d]; there are 0 to %u",
			   lock->name, x->lock_instance, lock->count - 1);
}

static void check_window(struct parser *p, const struct scn_expect *x)
{
	bool ratio = x->kind == SCN_EXPECT_RATIO;

	if (!x->from || !x->to)
		return;
	if (ratio ? x->from->value > x->to->value : x->from->value >= x->to->value)
		parse_fail(p, SIM_DIAG_empty_window, x->from->pos,
			   ratio ? "the lower ratio is above the upper one"
				 : "the window ends before it begins");
}

static void check_after_end(struct parser *p, const struct scn_expr *e)
{
	if (e && p->scn->run_for && e->unit == SCN_TIME && e->value >= p->scn->run_for->value)
		parse_fail(p, SIM_DIAG_after_the_end, e->pos, "the run has ended by then");
}

/* -- names that models and oracles give ----------------------------------------------------------------- */

static void add_events(struct parser *p, GPtrArray *names, const char *model)
{
	const char *const *events =
		model && p->vocabulary->model_events ? p->vocabulary->model_events(model) : NULL;

	for (; events && *events; events++)
		g_ptr_array_add(names, (void *)*events);
}

/* The models of the scenario, each once. */
static GPtrArray *models_used(const struct parser *p)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	GPtrArray *models = g_ptr_array_new();

	for (unsigned i = 0; i < p->scn->nlock; i++)
		if (p->scn->lock[i].model && g_hash_table_add(seen, (void *)p->scn->lock[i].model))
			g_ptr_array_add(models, (void *)p->scn->lock[i].model);
	for (unsigned i = 0; i < p->scn->ncompare; i++)
		if (g_hash_table_add(seen, (void *)p->scn->compare[i].model))
			g_ptr_array_add(models, (void *)p->scn->compare[i].model);
	return models;
}

/* The event must be one of the lock's model, or of the model that takes its place, or of any if no lock is
 * named. */
static void check_event(struct parser *p, const struct scn_expect *x, const struct scn_compare *c,
			const GPtrArray *models)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	const char *const *list;
	char meant[80];

	if (!p->vocabulary->model_events)
		return;
	if (x->has_lock)
		add_events(p, names,
			   c && c->lock == x->lock.object ? c->model : p->scn->lock[x->lock.object].model);
	for (unsigned i = 0; i < models->len && !x->has_lock; i++)
		add_events(p, names, models->pdata[i]);
	g_ptr_array_add(names, NULL);
	list = (const char *const *)names->pdata;
	if (g_strv_contains(list, x->text))
		return;
	parse_fail(p, SIM_DIAG_unknown_event, x->task.pos, "%s \"%.60s\"%s",
		   x->has_lock ? "the model of this lock counts no event"
			       : "no model of this scenario counts an event",
		   x->text, parse_meant(x->text, list, meant, sizeof(meant)));
}

static void check_finding(struct parser *p, const struct scn_expect *x)
{
	const char *const *kinds = p->vocabulary->findings;
	g_autofree char *all = NULL;
	char meant[80];

	if (!kinds || g_strv_contains(kinds, x->text))
		return;
	parse_fail(p, SIM_DIAG_unknown_finding, x->task.pos, "no finding \"%.60s\"%s", x->text,
		   parse_meant(x->text, kinds, meant, sizeof(meant)));
	all = g_strjoinv(", ", (char **)kinds);
	sim_diag_note(p->diags, "kinds: %s", all);
}

/* -- all --------------------------------------------------------------------------------------------------
 */

static void check_one(struct parser *p, const struct scn_expect *x, const struct scn_compare *c,
		      const void *models)
{
	if (x->has_task)
		check_instance(p, &x->task);
	if (x->has_lock)
		check_lock_instance(p, x);
	for (unsigned i = 0; i < x->nwho; i++)
		check_instance(p, &x->who[i]);
	check_window(p, x);
	if (x->kind == SCN_EXPECT_PRIO) {
		check_sched(p, &x->sched, 1);
		check_after_end(p, x->at);
	}
	if (x->kind == SCN_EXPECT_BLOCKED || x->kind == SCN_EXPECT_NEVER_RUNS)
		check_after_end(p, x->from);
	if (x->kind == SCN_EXPECT_STEPS && !p->scn->directed)
		parse_fail(p, SIM_DIAG_no_director, x->pos, "steps are a director's, and the scenario has none");
	if (x->kind == SCN_EXPECT_EVENT)
		check_event(p, x, c, models);
	if (x->kind == SCN_EXPECT_FINDING)
		check_finding(p, x);
}

typedef void each_expect(struct parser *p, const struct scn_expect *x, const struct scn_compare *c,
			 const void *user);

static void for_each_expect(struct parser *p, each_expect *check, const void *user)
{
	for (unsigned i = 0; i < p->scn->nexpect && !parse_stopped(p); i++)
		check(p, &p->scn->expect[i], NULL, user);
	for (unsigned i = 0; i < p->scn->ncompare; i++)
		for (unsigned j = 0; j < p->scn->compare[i].nexpect && !parse_stopped(p); j++)
			check(p, &p->scn->compare[i].expect[j], &p->scn->compare[i], user);
}

void check_expectations(struct parser *p)
{
	g_autoptr(GPtrArray) models = models_used(p);

	for_each_expect(p, check_one, models);
}

/* -- throughput needs dones ---------------------------------------------------------------------------------
 */

struct dones {
	bool any;  /* an unnamed one somewhere */
	bool *own; /* of each task: any done of its own */
};

static void visit_done(struct check_walk *w, const struct scn_stmt *s)
{
	struct dones *d = w->user;

	if (s->kind != SCN_DONE)
		return;
	d->any |= !s->text;
	if (w->task)
		d->own[w->task - w->p->scn->task] = true;
}

static void check_done(struct parser *p, const struct scn_expect *x, const struct scn_compare *c,
		       const void *user)
{
	const struct dones *d = user;

	if (x->kind == SCN_EXPECT_FAIR && !d->own[x->task.task])
		parse_fail(p, SIM_DIAG_no_throughput, x->pos, "task \"%.60s\" never says \"done\"",
			   p->scn->task[x->task.task].name);
	else if ((x->kind == SCN_EXPECT_THROUGHPUT || x->kind == SCN_EXPECT_RATIO) && !d->any)
		parse_fail(p, SIM_DIAG_no_throughput, x->pos,
			   "throughput counts \"done\"s, and no task says \"done\"");
}

void check_throughput(struct parser *p)
{
	g_autofree bool *own = g_new0(bool, p->scn->ntask + 1);
	struct dones d = {.own = own};

	check_walk_all(p, visit_done, &d);
	for_each_expect(p, check_done, &d);
}
