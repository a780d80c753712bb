// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Response times of periodic task sets on one CPU against the bounds of response-time analysis,
 * which are worked out here, apart from anything that simulates:
 *
 *	R = C + B + sum over stronger tasks j of ceil(R / T_j) C_j
 *	B, inheritance: the smaller of the sum over weaker tasks of their longest section, and the sum
 *	   over locks of the longest section of a weaker task, of locks that somebody as strong uses
 *	B, ceilings: the longest single such section
 *
 * (Sha, Rajkumar, Lehoczky 1990; Joseph and Pandya 1986.) Under inheritance sections do not nest: the
 * bound does not hold for them then. argv: number of random task sets.
 */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "sim/core/prng.h"
#include "sim/run/run.h"

#define TASKS 6
#define LOCKS 4
#define SECTIONS 6
/*
 * Of all work and releases. Periods are some picoseconds longer, no two alike: when a task has computed all
 * at the very instant at which a stronger one is released, timers go first here, and its job counts as over
 * behind that one.
 */
#define STEP (10 * SIM_US)
#define STRONGEST 50

enum protocol { PIP, PCP, IPCP, NONE };
static const char *const model[] = {"rtmutex", "pcp", "futex-pp", "mutex"};

struct section {
	unsigned lock;
	sim_time from, to; /* in the task's own computation */
};

struct task { /* the first is the strongest */
	sim_time period, work, offset;
	struct section section[SECTIONS]; /* by time; an inner one behind its outer one */
	unsigned n;
};

struct set {
	struct task task[TASKS];
	unsigned n;
};

static unsigned sets = 300;
static uint64_t key, drawn;

static uint64_t below(uint64_t n)
{
	return sim_draw(key, drawn++, 0) % n;
}

static sim_time between(sim_time lo, sim_time hi)
{
	return lo + below((hi - lo) / STEP + 1) * STEP;
}

/* -- the analysis ------------------------------------------------------------------------------------ */

/* The strongest task that uses the lock. */
static unsigned ceiling(const struct set *s, unsigned lock)
{
	for (unsigned i = 0; i < s->n; i++)
		for (unsigned k = 0; k < s->task[i].n; k++)
			if (s->task[i].section[k].lock == lock)
				return i;
	return s->n;
}

/* The longest section of task @j on @lock, or on any if that is LOCKS, that can keep task @i waiting. */
static sim_time longest(const struct set *s, unsigned i, unsigned j, unsigned lock)
{
	sim_time most = 0;

	for (unsigned k = 0; k < s->task[j].n; k++) {
		const struct section *c = &s->task[j].section[k];

		if ((lock == LOCKS || c->lock == lock) && ceiling(s, c->lock) <= i)
			most = MAX(most, c->to - c->from);
	}
	return most;
}

static sim_time blocking(const struct set *s, unsigned i, enum protocol p)
{
	sim_time by_task = 0, by_lock = 0, most = 0;

	for (unsigned j = i + 1; j < s->n; j++) {
		by_task += longest(s, i, j, LOCKS);
		most = MAX(most, longest(s, i, j, LOCKS));
	}
	for (unsigned l = 0; l < LOCKS; l++) {
		sim_time of_lock = 0;

		for (unsigned j = i + 1; j < s->n; j++)
			of_lock = MAX(of_lock, longest(s, i, j, l));
		by_lock += of_lock;
	}
	return p == PIP || p == NONE ? MIN(by_task, by_lock) : most;
}

/* 0: beyond the period, where this analysis ends. */
static sim_time bound(const struct set *s, unsigned i, enum protocol p)
{
	sim_time r = 0, next = s->task[i].work + blocking(s, i, p);

	while (next != r) {
		r = next;
		if (r > s->task[i].period)
			return 0;
		next = s->task[i].work + blocking(s, i, p);
		for (unsigned j = 0; j < i; j++)
			next += (r + s->task[j].period - 1) / s->task[j].period * s->task[j].work;
	}
	return r;
}

/* -- the simulation ---------------------------------------------------------------------------------- */

static void put_run(GString *out, sim_time *done, sim_time to)
{
	if (to > *done)
		g_string_append_printf(out, " run %" PRIu64 "ps", to - *done);
	*done = to;
}

static void put_job(GString *out, const struct task *t)
{
	unsigned open[SECTIONS], nopen = 0;
	sim_time done = 0;

	for (unsigned k = 0; k <= t->n; k++) {
		while (nopen && (k == t->n || t->section[open[nopen - 1]].to <= t->section[k].from)) {
			const struct section *c = &t->section[open[--nopen]];

			put_run(out, &done, c->to);
			g_string_append_printf(out, " unlock l%u", c->lock);
		}
		if (k == t->n)
			break;
		put_run(out, &done, t->section[k].from);
		g_string_append_printf(out, " lock l%u", t->section[k].lock);
		open[nopen++] = k;
	}
	put_run(out, &done, t->work);
}

static char *text_of(const struct set *s, enum protocol p, sim_time length)
{
	GString *out = g_string_new("machine { sockets 1 cores 1 costs zero preempt full hz 1000 }\n");

	for (unsigned l = 0; l < LOCKS; l++)
		if (ceiling(s, l) < s->n)
			g_string_append_printf(out, "lock l%u : %s\n", l, model[p]);
	for (unsigned i = 0; i < s->n; i++) {
		g_string_append_printf(out, "task t%u fifo %u { at %" PRIu64 "ps loop {", i, STRONGEST - i,
				       s->task[i].offset);
		put_job(out, &s->task[i]);
		g_string_append_printf(out, " period %" PRIu64 "ps } }\n", s->task[i].period);
	}
	g_string_append_printf(out, "run for %" PRIu64 "ps\n", length);
	return g_string_free(out, FALSE);
}

struct seen {
	sim_time response[TASKS]; /* the longest */
	uint64_t jobs;
};

static void take(void *user, const struct sim_rec *rec)
{
	struct seen *seen = user;

	if (rec->type != SIM_REC_JOB)
		return;
	seen->jobs++;
	seen->response[rec->task - 1] = MAX(seen->response[rec->task - 1], rec->time - rec->val);
}

static struct seen simulate(const struct set *s, enum protocol p, sim_time length)
{
	struct seen seen = {.jobs = 0};
	struct run_options o = {.listen = take, .listen_classes = SIM_CLASS_TASK, .listen_user = &seen};
	struct scn_options read = {.vocabulary = run_vocabulary()};
	g_autofree char *text = text_of(s, p, length), *error = NULL;
	struct sim_diags diags = {0};
	struct scenario *scn = scenario_parse("set.lks", text, strlen(text), &read, &diags);
	struct run_result *r;

	if (!scn)
		sim_diag_print(stderr, &diags, false);
	ck_assert_msg(scn != NULL, "%s", text);
	r = run_scenario(scn, &o, &error);
	ck_assert_msg(r && !r->nfinding, "a finding in\n%s", text);
	run_result_free(r);
	scenario_free(scn);
	return seen;
}

/* -- random sets ------------------------------------------------------------------------------------- */

static int by_period(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return x->period < y->period ? -1 : x->period > y->period;
}

/* Up to three sections, apart; with @nest, one in another, of a lock of higher number (so that nothing
 * deadlocks). */
static void draw_sections(struct task *t, unsigned locks, bool nest)
{
	sim_time at = 0;

	for (unsigned k = below(4); k && at + 4 * STEP < t->work; k--) {
		struct section c = {.lock = (unsigned)below(locks), .from = between(at, t->work - 3 * STEP)};

		c.to = between(c.from + STEP, t->work);
		t->section[t->n++] = c;
		if (nest && c.lock + 1 < locks && c.to - c.from > 3 * STEP && below(2)) {
			struct section inner = {.lock = c.lock + 1 + (unsigned)below(locks - c.lock - 1),
						.from = between(c.from, c.to - 2 * STEP)};

			inner.to = between(inner.from + STEP, c.to - STEP);
			t->section[t->n++] = inner;
		}
		at = c.to + STEP;
	}
}

/* Released so that it hurts: the weaker ones shortly before the stronger ones; or anyhow. */
static void draw_offsets(struct set *s)
{
	unsigned victim = (unsigned)below(s->n), together = (unsigned)below(4);
	sim_time at = 60 * SIM_MS; /* no task computes for longer */

	for (unsigned i = 0; i < s->n; i++) {
		struct task *t = &s->task[i];

		if (!together)
			t->offset = between(0, at);
		else if (i <= victim || !t->n)
			t->offset = at;
		else /* so that it has just entered a section, if nobody keeps it from that */
			t->offset = at - t->section[below(t->n)].from - (s->n - i) * SIM_PS;
	}
}

static struct set draw_set(bool nest)
{
	struct set s = {.n = 2 + (unsigned)below(TASKS - 1)};
	unsigned locks = 1 + (unsigned)below(LOCKS);
	uint64_t share = 100 + below(250); /* per mille of the CPU for one task, on average */

	for (unsigned i = 0; i < s.n; i++)
		s.task[i].period = between(4 * SIM_MS, 60 * SIM_MS) + (3 + below(STEP / 10)) * SIM_PS;
	qsort(s.task, s.n, sizeof(*s.task), by_period);
	for (unsigned i = 0; i < s.n; i++) {
		struct task *t = &s.task[i];

		t->work =
			between(STEP, STEP + t->period / 1000 * MIN(2 * share / s.n * 2, 800) / STEP * STEP);
		draw_sections(t, locks, nest);
	}
	draw_offsets(&s);
	return s;
}

struct tally {
	uint64_t jobs, checked, reached, exceeded;
	uint64_t closest; /* per mille of a bound */
};

static void check_set(const struct set *s, enum protocol p, struct tally *tally)
{
	sim_time length = 60 * SIM_MS + 6 * s->task[s->n - 1].period;
	struct seen seen = simulate(s, p, length);

	tally->jobs += seen.jobs;
	for (unsigned i = 0; i < s->n; i++) {
		sim_time r = bound(s, i, p);

		if (!r) /* it may be late, and what it leaves behind hits all that are weaker */
			return;
		tally->checked++;
		tally->closest = MAX(tally->closest, seen.response[i] * 1000 / r);
		tally->reached += seen.response[i] + SIM_NS >= r && blocking(s, i, p);
		tally->exceeded += seen.response[i] > r;
		if (seen.response[i] > r && p != NONE) {
			g_autofree char *text = text_of(s, p, length);

			ck_abort_msg("t%u: %" PRIu64 " ps, bound %" PRIu64 " ps, in\n%s", i, seen.response[i],
				     r, text);
		}
	}
}

static struct tally check_sets(enum protocol p, unsigned n)
{
	struct tally tally = {.jobs = 0};

	for (unsigned i = 0; i < n; i++) {
		struct set s;

		key = sim_stream(i, "response", p == NONE ? PIP : p);
		drawn = 0;
		s = draw_set(p == PCP || p == IPCP);
		check_set(&s, p, &tally);
	}
	printf("%s: %u sets, %" PRIu64 " jobs, %" PRIu64 " bounds, %" PRIu64
	       " of them reached with blocking\n",
	       model[p], n, tally.jobs, tally.checked, tally.reached);
	return tally;
}

START_TEST(never_exceeded)
{
	struct tally t = check_sets((enum protocol)_i, sets);

	ck_assert_uint_gt(t.checked, sets);
	ck_assert_uint_eq(t.exceeded, 0);
	ck_assert_uint_ge(t.closest, 999); /* the releases are such that the bounds mean something */
	ck_assert_uint_gt(t.reached, 0);
}
END_TEST

/* Without a protocol the same sets break the bounds: the check can fail. */
START_TEST(without_protocol)
{
	ck_assert_uint_gt(check_sets(NONE, 300).exceeded, 0);
}
END_TEST

/* -- the worked example ------------------------------------------------------------------------------ */

#define MS10 (SIM_MS / 10)

/* (5, 1) (12, 3) (30, 6) (60, 8); t1 A .4; t2 B .6; t3 B 1.5, A 1.0; t4 A 2.0, B .8. A is lock 0. */
static const struct set example = {
	.n = 4,
	.task =
		{
			{.period = 5 * SIM_MS,
			 .work = 1 * SIM_MS,
			 .n = 1,
			 .section = {{0, 3 * MS10, 7 * MS10}}},
			{.period = 12 * SIM_MS,
			 .work = 3 * SIM_MS,
			 .n = 1,
			 .section = {{1, 10 * MS10, 16 * MS10}}},
			{.period = 30 * SIM_MS,
			 .work = 6 * SIM_MS,
			 .n = 2,
			 .section = {{1, 0, 15 * MS10}, {0, 20 * MS10, 30 * MS10}}},
			{.period = 60 * SIM_MS,
			 .work = 8 * SIM_MS,
			 .n = 2,
			 .section = {{0, 0, 20 * MS10}, {1, 30 * MS10, 38 * MS10}}},
		},
};

static const struct worst { /* releases that hurt task @task most, in ps */
	unsigned task;
	sim_time offset[4];
	sim_time bound[3]; /* PIP, PCP, IPCP, in tenths of ms; 0: other releases hurt more */
} worst[] = {
	{0, {1, 1, 1, 0}, {30, 30, 30}},
	{1, {2, 2, 1, 0}, {85, 0, 0}},            /* t4 has just entered A, then t3 B */
	{1, {1, 1, 60 * SIM_MS, 0}, {0, 70, 70}}, /* ceilings let one of them in only */
	{2, {1, 1, 1, 0}, {180, 180, 180}},
	{3, {0, 0, 0, 0}, {290, 290, 290}},
};

START_TEST(worked_bounds)
{
	static const sim_time blocked[3][4] = {{20, 35, 20, 0}, {20, 20, 20, 0}, {20, 20, 20, 0}};
	static const sim_time response[3][4] = {{30, 85, 180, 290}, {30, 70, 180, 290}, {30, 70, 180, 290}};

	for (enum protocol p = PIP; p <= IPCP; p++)
		for (unsigned i = 0; i < 4; i++) {
			ck_assert_uint_eq(blocking(&example, i, p), blocked[p][i] * MS10);
			ck_assert_uint_eq(bound(&example, i, p), response[p][i] * MS10);
		}
}
END_TEST

START_TEST(worked_example)
{
	const struct worst *w = &worst[_i];

	for (enum protocol p = PIP; p <= IPCP; p++) {
		struct set s = example;
		struct seen seen;

		for (unsigned i = 0; i < s.n; i++)
			s.task[i].offset = w->offset[i];
		seen = simulate(&s, p, 55 * SIM_MS);
		for (unsigned i = 0; i < s.n; i++)
			ck_assert_uint_le(seen.response[i], bound(&s, i, p));
		if (w->bound[p]) {
			ck_assert_uint_eq(bound(&s, w->task, p), w->bound[p] * MS10);
			ck_assert_msg(seen.response[w->task] + SIM_NS >= w->bound[p] * MS10,
				      "%s, t%u: %" PRIu64 " ps", model[p], w->task + 1,
				      seen.response[w->task]);
		}
	}
}
END_TEST

int main(int argc, char **argv)
{
	Suite *s = suite_create("response times");
	TCase *tc = tcase_create("bounds");
	SRunner *sr;
	int failed;

	if (argc > 1)
		sets = (unsigned)strtoul(argv[1], NULL, 10);
	tcase_set_timeout(tc, 0); /* Meson has one */
	tcase_add_loop_test(tc, never_exceeded, PIP, NONE);
	tcase_add_test(tc, without_protocol);
	tcase_add_test(tc, worked_bounds);
	tcase_add_loop_test(tc, worked_example, 0, (int)G_N_ELEMENTS(worst));
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
