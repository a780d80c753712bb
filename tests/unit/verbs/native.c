// SPDX-License-Identifier: GPL-2.0-or-later
/* From a run to scripts for threads: sim/cli/native_plan.c. What threads make of them is for tests/native. */
#include "sim/cli/native.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/run.h"

#define MACHINE "machine { sockets 1 cores 1 costs zero preempt full hz 1000 }\n"

static struct native_plan *plan_of(const char *text)
{
	struct scn_options read = {.vocabulary = run_vocabulary()};
	struct native_plan *p = native_plan_new();
	struct run_options o = {.bound = native_plan_bound,
				.listen = native_plan_take,
				.listen_user = p,
				.listen_classes = NATIVE_CLASSES};
	struct sim_diags diags = {0};
	struct scenario *scn = scenario_parse("t.lks", text, strlen(text), &read, &diags);
	struct run_result *r;
	char *error = NULL;

	sim_diag_print(stderr, &diags, false);
	ck_assert_ptr_nonnull(scn);
	r = run_scenario(scn, &o, &error);
	ck_assert_ptr_nonnull(r);
	native_plan_finish(p, r->until);
	run_result_free(r);
	scenario_free(scn);
	return p;
}

static const struct native_act *act(const struct native_plan *p, uint32_t task, guint i)
{
	ck_assert_uint_lt(i, p->task[task].act->len);
	return &g_array_index(p->task[task].act, struct native_act, i);
}

static int prio_at(const struct native_plan *p, uint32_t task, sim_time t)
{
	guint i = 0;

	while (i + 1 < p->at->len && g_array_index(p->at, sim_time, i + 1) <= t)
		i++;
	return g_array_index(p->prio, int, i * p->ntask + task);
}

START_TEST(scripts)
{
	struct native_plan *p =
		plan_of(MACHINE "lock m : rtmutex\n"
				"task low  fifo 10 { loop 2 { hold m { run 4ms } sleep 3ms } }\n"
				"task high fifo 30 { at 1ms lock m timeout 20ms else { exit } run 2ms unlock "
				"m set low fifo 12 yield }\n"
				"run until done\n");
	static const enum native_kind low[] = {NATIVE_SLEEP,  NATIVE_LOCK,   NATIVE_RUN,
					       NATIVE_UNLOCK, NATIVE_SLEEP,  NATIVE_LOCK,
					       NATIVE_RUN,    NATIVE_UNLOCK, NATIVE_SLEEP};
	static const enum native_kind high[] = {NATIVE_SLEEP,  NATIVE_LOCK, NATIVE_RUN,
						NATIVE_UNLOCK, NATIVE_SET,  NATIVE_YIELD};

	ck_assert_uint_eq(p->task[0].act->len, G_N_ELEMENTS(low));
	for (guint i = 0; i < G_N_ELEMENTS(low); i++)
		ck_assert_int_eq(act(p, 0, i)->kind, low[i]);
	ck_assert_uint_eq(p->task[1].act->len, G_N_ELEMENTS(high));
	for (guint i = 0; i < G_N_ELEMENTS(high); i++)
		ck_assert_int_eq(act(p, 1, i)->kind, high[i]);
	ck_assert_uint_eq(act(p, 1, 0)->time, 1 * SIM_MS);
	ck_assert_uint_eq(act(p, 1, 1)->time, 20 * SIM_MS);
	ck_assert_uint_eq(act(p, 1, 1)->end, 4 * SIM_MS);
	ck_assert_uint_eq(act(p, 0, 4)->time, 9 * SIM_MS); /* the sleep begins when low runs again, at 6 ms */
	ck_assert_int_eq(act(p, 1, 4)->prio, 99 - 12);
	ck_assert_int_eq(p->lock[0].kind, NATIVE_INHERIT);
	ck_assert_int_eq(prio_at(p, 0, 500 * SIM_US), 99 - 10);
	ck_assert_int_eq(prio_at(p, 0, 2 * SIM_MS), 99 - 30);
	ck_assert_int_eq(prio_at(p, 0, 5 * SIM_MS), 99 - 10);
	ck_assert_int_eq(prio_at(p, 0, 7 * SIM_MS), 99 - 12);
	ck_assert_int_eq(prio_at(p, 1, 7 * SIM_MS), NATIVE_ABSENT);
	ck_assert_uint_eq(p->gap, 1 * SIM_MS);
	ck_assert_ptr_null(p->unclear);
	native_plan_free(p);
}
END_TEST

/* Equal instants get places in the order of the simulation, also an end of work that is put off by a timer.
 */
START_TEST(staggers)
{
	struct native_plan *p = plan_of(MACHINE "lock m : rtmutex\n"
						"task a fifo 10 { run 5ms hold m { run 1ms } }\n"
						"task b fifo 20 { at 5ms hold m { run 1ms } }\n"
						"task c fifo 30 { at 5ms hold m { run 1ms } }\n"
						"run until done\n");

	ck_assert_uint_eq(act(p, 2, 0)->stagger, 0); /* the strongest goes on first */
	ck_assert_uint_eq(act(p, 1, 0)->stagger, 1);
	ck_assert_uint_eq(act(p, 0, 1)->stagger, 2); /* it has run 5 ms, and asks for m behind the others */
	ck_assert_uint_eq(p->staggers, 3);
	ck_assert_uint_eq(act(p, 1, 0)->end, 6 * SIM_MS);
	native_plan_free(p);
}
END_TEST

START_TEST(what_never_comes)
{
	struct native_plan *p = plan_of(MACHINE "lock a : rtmutex\nlock b : rtmutex\n"
						"task x fifo 10 { hold a { sleep 2ms hold b { } } }\n"
						"task y fifo 20 { at 1ms hold b { hold a { } } }\n"
						"run for 10ms\nexpect deadlock x y\n");

	ck_assert_uint_eq(act(p, 0, 3)->end, SIM_NEVER);
	ck_assert_uint_eq(act(p, 1, 2)->end, SIM_NEVER);
	ck_assert_int_eq(prio_at(p, 0, 1500 * SIM_US), 99 - 20);
	ck_assert_int_eq(prio_at(p, 0, 3 * SIM_MS), NATIVE_ABSENT); /* the C library has its own idea of it */
	native_plan_free(p);
}
END_TEST

START_TEST(fair_tasks_that_share)
{
	struct native_plan *p = plan_of(MACHINE "task x { run 50ms }\ntask y { run 50ms }\nrun until done\n");

	ck_assert_ptr_nonnull(p->unclear);
	native_plan_free(p);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("native");
	TCase *tc = tcase_create("plan");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, scripts);
	tcase_add_test(tc, staggers);
	tcase_add_test(tc, what_never_comes);
	tcase_add_test(tc, fair_tasks_that_share);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
