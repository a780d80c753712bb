// SPDX-License-Identifier: GPL-2.0-or-later
/* Compare blocks of the text report: the same workload under several models, side by side, with ratios. */
#include <string.h>

#include "sim/report/parts.h"
#include "sim/report/table.h"

/* More models than this beside the base do not fit on a page and go to a table of their own. */
#define SIDE_BY_SIDE 4

enum unit { UNIT_COUNT, UNIT_TIME, UNIT_PERMILLE, UNIT_MILLI };

/* One line of the comparison: how to get its value from a result. */
struct line {
	const char *title;
	enum unit unit;
	uint64_t (*of)(const struct run_result *r, const struct pool *pool);
};

/* -- values ---------------------------------------------------------------------------------- */

static uint64_t throughput(const struct run_result *r, const struct pool *pool)
{
	return r->has_throughput ? r->throughput_milli : 0;
}

static uint64_t of_lock(const struct run_result *r, const struct pool *pool,
			uint64_t (*get)(const struct run_lock *l))
{
	struct lock_sum sum;
	uint64_t v;

	lock_sum_init(&sum, r, pool);
	v = get(&sum.lock);
	lock_sum_finish(&sum);
	return v;
}

static struct run_dist both(const struct run_dist *d)
{
	struct run_dist sum = { 0 };

	run_dist_merge(&sum, &d[0]);
	run_dist_merge(&sum, &d[1]);
	return sum;
}

static uint64_t get_acquired(const struct run_lock *l) { return l->acquisitions[0] + l->acquisitions[1]; }
static uint64_t get_spin(const struct run_lock *l) { return l->spin; }
static uint64_t get_sleeps(const struct run_lock *l) { return l->sleeps; }
static uint64_t get_steals(const struct run_lock *l) { return l->steals; }
static uint64_t get_handoffs(const struct run_lock *l) { return l->handoffs; }
static uint64_t get_wait_max(const struct run_lock *l) { return MAX(l->wait[0].max, l->wait[1].max); }
static uint64_t get_hold_max(const struct run_lock *l) { return MAX(l->hold[0].max, l->hold[1].max); }

static uint64_t get_contended(const struct run_lock *l)
{
	uint64_t n = get_acquired(l);

	return n ? (uint64_t)(((unsigned __int128)(l->contended[0] + l->contended[1]) * 1000 + n / 2) / n) : 0;
}

static uint64_t get_wait_mean(const struct run_lock *l)
{
	struct run_dist d = both(l->wait);
	uint64_t v = run_dist_mean(&d);

	run_dist_free(&d);
	return v;
}

static uint64_t get_wait_p99(const struct run_lock *l)
{
	struct run_dist d = both(l->wait);
	uint64_t v = run_dist_at(&d, 990);

	run_dist_free(&d);
	return v;
}

static uint64_t get_hold_mean(const struct run_lock *l)
{
	struct run_dist d = both(l->hold);
	uint64_t v = run_dist_mean(&d);

	run_dist_free(&d);
	return v;
}

static uint64_t get_transfers(const struct run_lock *l)
{
	uint64_t sum = 0;

	for (unsigned d = 0; d < RUN_DISTS; d++)
		sum += l->transfers[d];
	return sum;
}

#define LOCK_VALUE(name)                                                                                     \
	static uint64_t lock_##name(const struct run_result *r, const struct pool *pool)                     \
	{                                                                                                    \
		return of_lock(r, pool, get_##name);                                                         \
	}
LOCK_VALUE(acquired)
LOCK_VALUE(contended)
LOCK_VALUE(wait_mean)
LOCK_VALUE(wait_p99)
LOCK_VALUE(wait_max)
LOCK_VALUE(hold_mean)
LOCK_VALUE(hold_max)
LOCK_VALUE(spin)
LOCK_VALUE(sleeps)
LOCK_VALUE(steals)
LOCK_VALUE(handoffs)
LOCK_VALUE(transfers)

/* Over the instances of a pool: a sum, or the greatest. */
#define TASK_VALUE(name, start, how)                                                                         \
	static uint64_t task_##name(const struct run_result *r, const struct pool *pool)                     \
	{                                                                                                    \
		uint64_t v = start;                                                                          \
                                                                                                             \
		for (unsigned i = 0; i < pool->n; i++) {                                                     \
			const struct run_task *t = &r->task[pool->member[i]];                                \
                                                                                                             \
			how;                                                                                 \
		}                                                                                            \
		return v;                                                                                    \
	}
TASK_VALUE(blocked, 0, v += t->blocked)
TASK_VALUE(wait_max, 0, v = MAX(v, t->wait.max))
TASK_VALUE(preempted, 0, v += t->preempted)
TASK_VALUE(inversion, 0, v += t->piece[RUN_PIECE_inversion])
TASK_VALUE(finish, 0, v = MAX(v, t->finish == SIM_NEVER ? 0 : t->finish))
TASK_VALUE(done, 0, v += t->done)
TASK_VALUE(overruns, 0, v += t->overruns)

static const struct line whole_lines[] = {
	{ "throughput /s", UNIT_MILLI, throughput },
};

static const struct line lock_lines[] = {
	{ "acquired", UNIT_COUNT, lock_acquired },    { "contended %", UNIT_PERMILLE, lock_contended },
	{ "wait mean", UNIT_TIME, lock_wait_mean },   { "wait p99", UNIT_TIME, lock_wait_p99 },
	{ "wait max", UNIT_TIME, lock_wait_max },     { "hold mean", UNIT_TIME, lock_hold_mean },
	{ "hold max", UNIT_TIME, lock_hold_max },     { "spin", UNIT_TIME, lock_spin },
	{ "sleeps", UNIT_COUNT, lock_sleeps },	      { "steals", UNIT_COUNT, lock_steals },
	{ "hand-offs", UNIT_COUNT, lock_handoffs },   { "line transfers", UNIT_COUNT, lock_transfers },
};

static const struct line task_lines[] = {
	{ "blocked", UNIT_TIME, task_blocked },	    { "max wait", UNIT_TIME, task_wait_max },
	{ "inversion", UNIT_TIME, task_inversion }, { "preempted", UNIT_TIME, task_preempted },
	{ "finish", UNIT_TIME, task_finish },	    { "done", UNIT_COUNT, task_done },
	{ "overruns", UNIT_COUNT, task_overruns },
};

/* -- the table --------------------------------------------------------------------------------- */

/* Columns: the base, then results of some compare blocks. */
struct sides {
	const struct run_result *base, *side[SIDE_BY_SIDE];
	unsigned n;
};

static void put_value(struct table *t, enum unit unit, uint64_t v)
{
	switch (unit) {
	case UNIT_COUNT:
		table_count(t, v);
		break;
	case UNIT_TIME:
		table_time(t, v);
		break;
	case UNIT_PERMILLE:
		table_printf(t, "%" G_GUINT64_FORMAT ".%u", v / 10, (unsigned)(v % 10));
		break;
	case UNIT_MILLI:
		table_printf(t, "%" G_GUINT64_FORMAT, (v + 500) / 1000);
		break;
	}
}

/* @always: also when all sides agree. Lines that are 0 everywhere never show. */
static void add_line(struct table *t, const struct sides *s, const char *name, const struct line *line,
		     const struct pool *pool, bool always)
{
	uint64_t base = line->of(s->base, pool), v[SIDE_BY_SIDE];
	bool differs = false, any = base != 0;

	for (unsigned i = 0; i < s->n; i++) {
		v[i] = line->of(s->side[i], pool);
		any = any || v[i];
		differs = differs || v[i] != base;
	}
	if (!any || !(differs || always))
		return;
	table_row(t);
	table_printf(t, "%s%s%s", name, *name ? " " : "", line->title);
	put_value(t, line->unit, base);
	for (unsigned i = 0; i < s->n; i++) {
		put_value(t, line->unit, v[i]);
		table_ratio(t, v[i], base);
	}
}

static bool same_shape(const struct run_result *a, const struct run_result *b)
{
	return a->ntask == b->ntask && a->nlock == b->nlock;
}

static void add_lines(struct table *t, const struct sides *s, const char *lock)
{
	g_autoptr(GPtrArray) locks = pools_of_locks(s->base);
	g_autoptr(GPtrArray) tasks = pools_of_tasks(s->base);

	for (unsigned k = 0; k < G_N_ELEMENTS(whole_lines); k++)
		add_line(t, s, "", &whole_lines[k], NULL, true);
	for (unsigned i = 0; i < locks->len; i++) {
		const struct pool *pool = locks->pdata[i];
		bool compared = g_str_has_prefix(pool->name, lock) && strchr("[", pool->name[strlen(lock)]);

		for (unsigned k = 0; k < G_N_ELEMENTS(lock_lines); k++)
			add_line(t, s, pool->name, &lock_lines[k], pool, compared);
	}
	for (unsigned i = 0; i < tasks->len; i++) {
		const struct pool *pool = tasks->pdata[i];

		for (unsigned k = 0; k < G_N_ELEMENTS(task_lines); k++)
			add_line(t, s, pool->name, &task_lines[k], pool, false);
	}
}

static const char *model_of(const struct run_result *r, const char *lock)
{
	size_t len = strlen(lock);

	for (unsigned i = 0; i < r->nlock; i++) {
		const char *name = r->lock[i].name;

		if (!strncmp(name, lock, len) && (!name[len] || name[len] == '['))
			return r->lock[i].model;
	}
	return "base";
}

static void compare_from(const struct page *p, const struct run_result *r, unsigned from, unsigned n)
{
	const char *lock = r->compare[from].lock;
	struct table *t = table_new();
	struct sides s = { .base = r };

	table_column(t, NULL, "", 0);
	table_column(t, NULL, model_of(r, lock), 0);
	for (unsigned i = from; i < from + n; i++) {
		if (!r->compare[i].result || !same_shape(r, r->compare[i].result))
			continue;
		s.side[s.n++] = r->compare[i].result;
		table_column(t, NULL, r->compare[i].label, 0);
		table_column(t, NULL, "ratio", TABLE_KEEP);
	}
	page_heading(p, "Side by side: %s", lock);
	add_lines(t, &s, lock);
	table_finish(t, p->out, p->width);
}

void part_compare(const struct page *p, const struct run_result *r)
{
	for (unsigned i = 0, n; i < r->ncompare; i += n) {
		for (n = 1; i + n < r->ncompare && n < SIDE_BY_SIDE; n++)
			if (strcmp(r->compare[i].lock, r->compare[i + n].lock) != 0)
				break;
		compare_from(p, r, i, n);
	}
}
