// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks, CPUs and the pieces of waits in the text report. */
#include "sim/report/parts.h"
#include "sim/report/table.h"

/* A column of the task table. */
struct measure {
	const char *top, *title;
	bool time;
	uint64_t (*of)(const struct run_task *t);
};

static uint64_t of_run(const struct run_task *t) { return t->run; }
static uint64_t of_spin(const struct run_task *t) { return t->spin; }
static uint64_t of_blocked(const struct run_task *t) { return t->blocked; }
static uint64_t of_preempted(const struct run_task *t) { return t->preempted; }
static uint64_t of_slept(const struct run_task *t) { return t->slept; }
static uint64_t of_wait_max(const struct run_task *t) { return t->wait.max; }
static uint64_t of_finish(const struct run_task *t) { return t->finish == SIM_NEVER ? 0 : t->finish; }
static uint64_t of_switches(const struct run_task *t) { return t->switches; }
static uint64_t of_preemptions(const struct run_task *t) { return t->preemptions; }
static uint64_t of_migrations(const struct run_task *t) { return t->migrations; }
static uint64_t of_done(const struct run_task *t) { return t->done; }
static uint64_t of_jobs(const struct run_task *t) { return t->jobs; }
static uint64_t of_overruns(const struct run_task *t) { return t->overruns; }

static const struct measure measures[] = {
	{ NULL, "run", true, of_run },
	{ NULL, "spin", true, of_spin },
	{ NULL, "blocked", true, of_blocked },
	{ NULL, "preempted", true, of_preempted },
	{ NULL, "slept", true, of_slept },
	{ NULL, "max wait", true, of_wait_max },
	{ NULL, "finish", true, of_finish },
	{ NULL, "switches", false, of_switches },
	{ NULL, "preempt.", false, of_preemptions },
	{ NULL, "migr.", false, of_migrations },
	{ NULL, "done", false, of_done },
	{ NULL, "jobs", false, of_jobs },
	{ NULL, "overruns", false, of_overruns },
};

enum spread { SPREAD_MEAN, SPREAD_MIN, SPREAD_MAX };

static uint64_t pool_value(const struct run_result *r, const struct pool *pool, const struct measure *m, enum spread how)
{
	unsigned __int128 sum = 0;
	uint64_t least = UINT64_MAX, most = 0;

	for (unsigned i = 0; i < pool->n; i++) {
		uint64_t v = m->of(&r->task[pool->member[i]]);

		sum += v;
		least = MIN(least, v);
		most = MAX(most, v);
	}
	switch (how) {
	case SPREAD_MEAN:
		return (uint64_t)((sum + pool->n / 2) / pool->n);
	case SPREAD_MIN:
		return least;
	case SPREAD_MAX:
		return most;
	}
	g_assert_not_reached();
}

static void task_row(struct table *t, const struct run_result *r, const struct pool *pool, enum spread how)
{
	static const char *const word[] = { "mean", "min", "max" };

	table_row(t);
	table_text(t, how == SPREAD_MEAN ? pool->name : "");
	table_text(t, pool->n > 1 ? word[how] : "");
	for (unsigned i = 0; i < G_N_ELEMENTS(measures); i++) {
		uint64_t v = pool_value(r, pool, &measures[i], how);

		if (measures[i].time)
			table_time(t, v);
		else
			table_count(t, v);
	}
}

void part_tasks(const struct page *p, const struct run_result *r)
{
	g_autoptr(GPtrArray) rows = pools_of_tasks(r);
	struct table *t = table_new();

	table_column(t, NULL, "task", 0);
	table_column(t, NULL, "", TABLE_LEFT | TABLE_HIDE);
	for (unsigned i = 0; i < G_N_ELEMENTS(measures); i++)
		table_column(t, measures[i].top, measures[i].title, TABLE_HIDE);
	for (unsigned i = 0; i < rows->len; i++) {
		const struct pool *pool = rows->pdata[i];

		task_row(t, r, pool, SPREAD_MEAN);
		if (pool->n > 1) {
			task_row(t, r, pool, SPREAD_MIN);
			task_row(t, r, pool, SPREAD_MAX);
		}
	}
	if (rows->len)
		page_heading(p, "Tasks");
	table_finish(t, p->out, p->width);
}

/* -- CPUs ---------------------------------------------------------------------------------- */

static void cpu_row(struct table *t, const char *name, sim_time window, const struct run_cpu *c)
{
	table_row(t);
	table_text(t, name);
	table_percent(t, c->busy, window);
	table_time(t, c->busy);
	table_time(t, c->idle);
	table_time(t, c->irq);
	table_count(t, c->switches);
}

static void cpu_pool(struct table *t, const struct run_result *r, sim_time window)
{
	struct run_cpu least = r->cpu[0], most = r->cpu[0], mean;
	unsigned __int128 busy = 0, idle = 0, irq = 0, switches = 0;

	for (unsigned i = 0; i < r->ncpu; i++) {
		const struct run_cpu *c = &r->cpu[i];

		busy += c->busy, idle += c->idle, irq += c->irq, switches += c->switches;
		if (c->busy < least.busy)
			least = *c;
		if (c->busy > most.busy)
			most = *c;
	}
	mean.busy = (sim_time)(busy / r->ncpu);
	mean.idle = (sim_time)(idle / r->ncpu);
	mean.irq = (sim_time)(irq / r->ncpu);
	mean.switches = (uint64_t)(switches / r->ncpu);
	cpu_row(t, "mean", window, &mean);
	cpu_row(t, "least busy", window, &least);
	cpu_row(t, "busiest", window, &most);
}

void part_cpus(const struct page *p, const struct run_result *r)
{
	struct table *t = table_new();
	sim_time window = r->until - r->from;

	table_column(t, NULL, "cpu", 0);
	table_column(t, NULL, "busy %", 0);
	table_column(t, NULL, "busy", 0);
	table_column(t, NULL, "idle", 0);
	table_column(t, NULL, "irq", TABLE_HIDE);
	table_column(t, NULL, "switches", 0);
	if (r->ncpu > REPORT_POOL)
		cpu_pool(t, r, window);
	for (unsigned i = 0; i < r->ncpu && r->ncpu <= REPORT_POOL; i++) {
		g_autofree char *name = g_strdup_printf("%u", i);

		cpu_row(t, name, window, &r->cpu[i]);
	}
	if (r->ncpu > REPORT_POOL)
		page_heading(p, "CPUs (%u)", r->ncpu);
	else if (r->ncpu)
		page_heading(p, "CPUs");
	table_finish(t, p->out, p->width);
}

/* -- where waits went ------------------------------------------------------------------------ */

static void piece_columns(struct table *t, const char *what)
{
	table_column(t, NULL, what, 0);
	table_column(t, NULL, "waited", 0);
	for (unsigned i = 0; i < RUN_PIECE_COUNT; i++)
		table_column(t, "of it, by what the end of the chain did", run_piece_name[i], TABLE_HIDE);
}

static void piece_row(struct table *t, const char *name, const sim_time *piece)
{
	sim_time sum = 0;

	for (unsigned i = 0; i < RUN_PIECE_COUNT; i++)
		sum += piece[i];
	if (!sum)
		return;
	table_row(t);
	table_text(t, name);
	table_time(t, sum);
	for (unsigned i = 0; i < RUN_PIECE_COUNT; i++)
		table_time(t, piece[i]);
}

static void task_pieces(struct table *t, const struct run_result *r)
{
	g_autoptr(GPtrArray) rows = pools_of_tasks(r);

	for (unsigned i = 0; i < rows->len; i++) {
		const struct pool *pool = rows->pdata[i];
		sim_time piece[RUN_PIECE_COUNT] = { 0 };

		for (unsigned m = 0; m < pool->n; m++)
			for (unsigned k = 0; k < RUN_PIECE_COUNT; k++)
				piece[k] += r->task[pool->member[m]].piece[k];
		piece_row(t, pool->name, piece);
	}
}

static void lock_pieces(struct table *t, const struct run_result *r)
{
	g_autoptr(GPtrArray) rows = pools_of_locks(r);

	for (unsigned i = 0; i < rows->len; i++) {
		struct lock_sum sum;

		lock_sum_init(&sum, r, rows->pdata[i]);
		piece_row(t, sum.lock.name, sum.lock.piece);
		lock_sum_finish(&sum);
	}
}

void part_pieces(const struct page *p, const struct run_result *r)
{
	struct table *tasks, *locks;
	gsize before;

	if (!r->accounted)
		return;
	tasks = table_new();
	locks = table_new();
	piece_columns(tasks, "task");
	piece_columns(locks, "lock");
	task_pieces(tasks, r);
	lock_pieces(locks, r);
	page_heading(p, "Where waits went");
	before = p->out->len;
	table_finish(tasks, p->out, p->width);
	g_string_append(p->out, p->out->len == before ? "  nobody waited\n" : "\n");
	table_finish(locks, p->out, p->width);
}
