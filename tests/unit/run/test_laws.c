// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Laws that hold for whole runs of any lock: Little's law, utilisation, conservation, and
 * hand-overs that sum to acquisitions - 1. Exact, in picoseconds.
 */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "sim/run/run.h"

#define N 12
#define K 400
#define HOLD (2 * SIM_US)

static const char *const models[] = { "fifo",	"mutex", "mutex { proxy on }", "rtmutex", "rwsem", "ticket", "mcs",
				       "qspinlock", "tas", "rtspinlock" };

static struct run_result *run(const char *text, const struct run_options *options)
{
	struct scn_options so = { .vocabulary = run_vocabulary() };
	struct sim_diags diags = { 0 };
	struct scenario *scn = scenario_parse("laws.lks", text, strlen(text), &so, &diags);
	struct run_result *r;
	char *error = NULL;

	if (!scn)
		sim_diag_print(stderr, &diags, false);
	ck_assert_ptr_nonnull(scn);
	r = run_scenario(scn, options, &error);
	ck_assert_msg(r != NULL, "%s", error);
	/* names in the result are its own: the scenario may go */
	scenario_free(scn);
	return r;
}

/* Tasks on two sockets; each thinks, holds and comes back K times. Costs are those of a machine. */
static struct run_result *closed_loop(const char *model, const char *machine, const char *think)
{
	g_autofree char *text = g_strdup_printf("machine %s { sockets 2 cores 8 }\n"
						"lock l : %s\n"
						"task t[%d] nice 0 spread pin {\n"
						"    loop %d { run %s  lock l  run 2us  unlock l  done }\n"
						"}\n"
						"run until done limit 10s\n",
						machine, model, N, K, think);
	struct run_options options = { .pieces = true };

	return run(text, &options);
}

/*
 * N = X (R + Z), counted out: a task's whole life is thinking, waiting and holding, apart
 * from the inside of unlock(), which takes no time without costs, unless it has to spin.
 */
START_TEST(little)
{
	struct run_result *r = closed_loop(models[_i], "zero", "10us");
	const struct run_lock *l = &r->lock[0];
	uint64_t alive = 0, law = l->wait[0].sum + l->hold[0].sum + (uint64_t)N * K * 10 * SIM_US;
	bool never_spins = !strcmp(models[_i], "ticket") || !strcmp(models[_i], "tas");

	for (unsigned i = 0; i < r->ntask; i++) {
		const struct run_task *t = &r->task[i];

		ck_assert_uint_ne(t->finish, SIM_NEVER);
		ck_assert_uint_eq(t->finish, t->run + t->blocked + t->preempted);
		alive += t->finish;
	}
	ck_assert_uint_eq(r->nfinding, 0);
	ck_assert_uint_eq(r->done, (uint64_t)N * K);
	ck_assert_uint_ge(alive, law);
	ck_assert_uint_le(alive - law, never_spins ? 0 : alive / 1000);
	run_result_free(r);
}
END_TEST

/* The lock is busy for exactly what its holders held it, never twice at once. */
START_TEST(utilisation)
{
	struct run_result *r = closed_loop(models[_i], "zero", "exp(10us)");
	const struct run_lock *l = &r->lock[0];

	ck_assert_uint_eq(l->hold[0].count, (uint64_t)N * K);
	ck_assert_uint_ge(l->hold[0].min, HOLD);
	ck_assert_uint_ge(l->hold[0].sum, (uint64_t)N * K * HOLD);
	ck_assert_uint_le(l->hold[0].sum, r->until - r->from);
	run_result_free(r);
}
END_TEST

/* On a machine with costs. */
START_TEST(conservation)
{
	struct run_result *r = closed_loop(models[_i], "sandybridge-ep-2s", "exp(10us)");
	const struct run_lock *l = &r->lock[0];
	uint64_t handover = 0, acquired = 0;

	for (unsigned d = 0; d < RUN_DISTS; d++)
		handover += l->handover[d];
	ck_assert_uint_eq(l->acquisitions[0], (uint64_t)N * K);
	ck_assert_uint_eq(handover, l->acquisitions[0] - 1);
	ck_assert_uint_eq(l->sleeps, l->wakeups);
	ck_assert_uint_eq(l->open, 0);
	for (unsigned i = 0; i < r->ntask; i++)
		acquired += r->task[i].wait.count;
	ck_assert_uint_eq(acquired, l->acquisitions[0]);
	ck_assert_uint_eq(r->nfinding, 0);
	run_result_free(r);
}
END_TEST

/* Pieces of all waits are all of the waits, and CPUs are busy as long as tasks run on them. */
START_TEST(pieces)
{
	struct run_result *r = closed_loop(models[_i], "sandybridge-ep-2s", "exp(10us)");
	uint64_t sum = 0, wait = 0, busy = 0, ran = 0;

	ck_assert(r->accounted);
	for (unsigned i = 0; i < r->ntask; i++) {
		wait += r->task[i].wait.sum;
		ran += r->task[i].run;
		for (unsigned p = 0; p < RUN_PIECE_COUNT; p++)
			sum += r->task[i].piece[p];
	}
	ck_assert_uint_eq(sum, wait);
	ck_assert_uint_eq(wait, r->lock[0].wait[0].sum);
	for (unsigned i = 0; i < r->ncpu; i++) {
		busy += r->cpu[i].busy;
		ck_assert_uint_eq(r->cpu[i].busy + r->cpu[i].idle, r->until - r->from);
	}
	ck_assert_uint_eq(busy, ran);
	run_result_free(r);
}
END_TEST

/* The same seed gives the same run; another one does not. */
START_TEST(same_seed_same_trace)
{
	struct run_options other = { .seed = 99, .has_seed = true };
	const char *text = "machine sandybridge-ep-2s { }\nlock l : mutex\n"
			   "task t[8] nice 0 spread { loop 200 { run exp(5us)  lock l  run exp(1us)  unlock l } }\n"
			   "run until done limit 1s\n";
	struct run_result *a = run(text, NULL), *b = run(text, NULL), *c = run(text, &other);

	ck_assert_uint_eq(a->digest, b->digest);
	ck_assert_uint_eq(a->lock[0].wait[0].sum, b->lock[0].wait[0].sum);
	ck_assert_uint_ne(a->digest, c->digest);
	run_result_free(a);
	run_result_free(b);
	run_result_free(c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("run/laws");
	TCase *t = tcase_create("laws");
	SRunner *r;
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, little, 0, G_N_ELEMENTS(models));
	tcase_add_loop_test(t, utilisation, 0, G_N_ELEMENTS(models));
	tcase_add_loop_test(t, conservation, 0, G_N_ELEMENTS(models));
	tcase_add_loop_test(t, pieces, 0, G_N_ELEMENTS(models));
	tcase_add_test(t, same_seed_same_trace);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
