// SPDX-License-Identifier: GPL-2.0-or-later
/* Which rows a report has: single instances, or many of one declaration pooled. */
#include <string.h>

#include "sim/report/parts.h"

static void pool_free(void *p)
{
	struct pool *pool = p;

	g_free(pool->name);
	g_free(pool->member);
	g_free(pool);
}

static struct pool *pool_new(char *name, unsigned n)
{
	struct pool *pool = g_new0(struct pool, 1);

	pool->name = name;
	pool->member = g_new(unsigned, n);
	return pool;
}

/* Members first..last are of one declaration: a pool, or a row for each. */
static void add_rows(GPtrArray *rows, const char *base, unsigned first, unsigned n, const char *const *names)
{
	if (n > REPORT_POOL) {
		struct pool *pool = pool_new(g_strdup_printf("%s[%u]", base, n), n);

		for (unsigned i = 0; i < n; i++)
			pool->member[pool->n++] = first + i;
		g_ptr_array_add(rows, pool);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		struct pool *pool = pool_new(g_strdup(names[first + i]), 1);

		pool->member[pool->n++] = first + i;
		g_ptr_array_add(rows, pool);
	}
}

static char *base_name(const char *name)
{
	const char *bracket = strchr(name, '[');

	return bracket ? g_strndup(name, (size_t)(bracket - name)) : g_strdup(name);
}

GPtrArray *pools_of_tasks(const struct run_result *r)
{
	GPtrArray *rows = g_ptr_array_new_with_free_func(pool_free);
	g_autofree const char **names = g_new0(const char *, r->ntask + 1);

	for (unsigned i = 0; i < r->ntask; i++)
		names[i] = r->task[i].name;
	for (unsigned i = 0, n; i < r->ntask; i += n) {
		g_autofree char *base = base_name(names[i]);

		for (n = 1; i + n < r->ntask && r->task[i + n].group == r->task[i].group;)
			n++;
		add_rows(rows, base, i, n, names);
	}
	return rows;
}

GPtrArray *pools_of_locks(const struct run_result *r)
{
	GPtrArray *rows = g_ptr_array_new_with_free_func(pool_free);
	g_autofree const char **names = g_new0(const char *, r->nlock + 1);

	for (unsigned i = 0; i < r->nlock; i++)
		names[i] = r->lock[i].name;
	for (unsigned i = 0, n; i < r->nlock; i += n) {
		g_autofree char *base = base_name(names[i]);

		for (n = 1; i + n < r->nlock && strchr(names[i], '['); n++) {
			g_autofree char *next = base_name(names[i + n]);

			if (strcmp(base, next) != 0)
				break;
		}
		add_rows(rows, base, i, n, names);
	}
	return rows;
}

/* -- sums ---------------------------------------------------------------------------------- */

static void lock_add(struct run_lock *sum, const struct run_lock *l)
{
	for (unsigned m = 0; m < 2; m++) {
		sum->acquisitions[m] += l->acquisitions[m];
		sum->contended[m] += l->contended[m];
		run_dist_merge(&sum->wait[m], &l->wait[m]);
		run_dist_merge(&sum->hold[m], &l->hold[m]);
	}
	sum->failed += l->failed;
	sum->spin += l->spin;
	sum->asleep += l->asleep;
	sum->sleeps += l->sleeps;
	sum->wakeups += l->wakeups;
	sum->steals += l->steals;
	sum->handoffs += l->handoffs;
	sum->open += l->open;
	for (unsigned d = 0; d < RUN_DISTS; d++) {
		sum->transfers[d] += l->transfers[d];
		sum->handover[d] += l->handover[d];
	}
	for (unsigned i = 0; i < RUN_PIECE_COUNT; i++)
		sum->piece[i] += l->piece[i];
	for (unsigned i = 0; sum->event && sum->event_name[i]; i++)
		sum->event[i] += l->event[i];
}

void lock_sum_init(struct lock_sum *s, const struct run_result *r, const struct pool *pool)
{
	const struct run_lock *first = &r->lock[pool->member[0]];
	unsigned nevents = 0;

	s->owned = pool->n > 1;
	if (!s->owned) {
		s->lock = *first;
		s->lock.name = pool->name;
		return;
	}
	s->lock = (struct run_lock){ .name = pool->name, .model = first->model, .event_name = first->event_name };
	while (first->event_name && first->event_name[nevents])
		nevents++;
	if (nevents && first->event)
		s->lock.event = g_new0(uint64_t, nevents);
	for (unsigned i = 0; i < pool->n; i++)
		lock_add(&s->lock, &r->lock[pool->member[i]]);
}

void lock_sum_finish(struct lock_sum *s)
{
	if (!s->owned)
		return;
	for (unsigned m = 0; m < 2; m++) {
		run_dist_free(&s->lock.wait[m]);
		run_dist_free(&s->lock.hold[m]);
	}
	g_free(s->lock.event);
}

bool lock_is_rw(const struct run_lock *l)
{
	return l->acquisitions[1] > 0;
}
