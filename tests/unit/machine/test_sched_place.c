// SPDX-License-Identifier: GPL-2.0-or-later
/* Where woken fair tasks go, and how fair work is spread. */
#include <stdlib.h>
#include <string.h>

#include "sim/machine/sched_rq.h"
#include "tests/unit/core/run.h"
#include "tests/unit/machine/rig.h"

#define MS(n) ((n) * SIM_MS)

/* @sockets x @cores x @threads, @cluster cores per cache; CPUs in @busy run a pinned FIFO task. */
static void machine(unsigned sockets, unsigned cores, unsigned threads, unsigned cluster, const int *busy)
{
	rig_config(cores);
	rig_cfg.sockets = sockets;
	rig_cfg.threads = threads;
	rig_cfg.cluster = cluster;
	rig_start();
	for (; busy && *busy >= 0; busy++)
		TASK("busy", FIFO(50), *busy, 0, RUN(MS(50)));
}

/* Where a free fair task that was last on @prev runs when it wakes at 1 ms. */
static unsigned placed(unsigned prev)
{
	struct sim_task *t = TASK_NEAR("W", FAIR, prev, MS(1), RUN(MS(1)));
	unsigned cpu;

	rig_run(MS(1) + 1);
	cpu = (unsigned)t->shared->cpu;
	rig_stop();
	return cpu;
}

#define BUSY(...) ((const int[]){ __VA_ARGS__, -1 })

START_TEST(previous_cpu_if_idle)
{
	machine(2, 4, 2, 0, NULL);
	ck_assert_uint_eq(placed(13), 13);
}
END_TEST

START_TEST(idle_core_before_sibling)
{
	machine(2, 4, 2, 0, BUSY(5)); /* CPU 13 is the sibling, cores 4, 6, 7 of the socket are idle */
	ck_assert_uint_eq(placed(5), 4);
}
END_TEST

START_TEST(sibling_before_other_half_idle_core)
{
	machine(2, 4, 2, 0, BUSY(4, 5, 6, 7)); /* every core of socket 1 has one busy thread */
	ck_assert_uint_eq(placed(6), 14);
}
END_TEST

START_TEST(any_idle_thread_of_the_cache)
{
	machine(2, 4, 2, 0, BUSY(4, 12, 5, 13, 6, 14, 15));
	ck_assert_uint_eq(placed(6), 7);
}
END_TEST

START_TEST(other_socket_when_the_cache_is_full)
{
	machine(2, 4, 2, 0, BUSY(4, 12, 5, 13, 6, 14, 7, 15));
	ck_assert_uint_eq(placed(6), 0);
}
END_TEST

START_TEST(cluster_before_the_rest_of_the_socket)
{
	machine(1, 8, 1, 4, BUSY(4, 5, 6));
	ck_assert_uint_eq(placed(5), 7);
	machine(1, 8, 1, 4, BUSY(4, 5, 6, 7));
	ck_assert_uint_eq(placed(5), 0);
}
END_TEST

START_TEST(nearer_socket_first)
{
	machine(4, 2, 1, 0, BUSY(6, 7)); /* socket 3: sockets 1 and 2 are one hop away, 0 two */
	ck_assert_uint_eq(placed(7), 2);
	machine(4, 2, 1, 0, BUSY(6, 7, 2, 3, 4, 5));
	ck_assert_uint_eq(placed(7), 0);
}
END_TEST

START_TEST(nowhere_idle_stays)
{
	machine(1, 4, 1, 0, BUSY(0, 1, 2, 3));
	ck_assert_uint_eq(placed(2), 2);
}
END_TEST

START_TEST(pinned_stays)
{
	struct sim_task *t;

	machine(1, 4, 1, 0, BUSY(2));
	t = TASK("W", FAIR, 2, MS(1), RUN(MS(1)));
	rig_run(MS(2));
	ck_assert_int_eq(t->shared->cpu, 2);
	rig_stop();
}
END_TEST

START_TEST(simultaneous_wakees_spread)
{
	struct sim_task *t[4];

	machine(1, 4, 1, 0, NULL);
	for (unsigned i = 0; i < 4; i++) {
		char name[8];

		snprintf(name, sizeof(name), "t%u", i);
		t[i] = TASK(name, FAIR, ANY, 0, RUN(MS(1)));
	}
	rig_run(MS(1) / 2);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_int_eq(t[i]->shared->cpu, (int)i);
	rig_stop();
}
END_TEST

/* -- balance ----------------------------------------------------------------------------------- */

START_TEST(idle_cpu_pulls)
{
	machine(1, 2, 1, 0, NULL);
	TASK("P", FAIR, 1, 0, RUN(MS(2)));
	TASK("A", FAIR, 0, 0, RUN(MS(10)));
	TASK("B", FAIR, ANY, 1, RUN(MS(10))); /* no idle CPU: stays on 0 and waits */
	rig_run(MS(30));
	expect_log(1, "0 P, 2ms B, 12ms -");
	rig_stop();
}
END_TEST

START_TEST(tick_gives_to_an_idle_cpu)
{
	machine(1, 2, 1, 0, NULL);
	/* when P ends, A is pinned and B is cache-hot: it ran until 14 ms; the next tick moves it */
	TASK("A", FAIR, 0, 0, RUN(MS(20)));
	TASK("P", FAIR, 1, 0, RUN(14200 * SIM_US));
	TASK("B", FAIR, ANY, 1, RUN(MS(20)));
	rig_run(MS(60));
	expect_log(0, "0 A, 7ms B, 14ms A, 27ms -");
	expect_log(1, "0 P, 14.2ms -, 15ms B, 28ms -");
	rig_stop();
}
END_TEST

START_TEST(periodic_balance_evens_out)
{
	unsigned most = 0, least = 100;

	machine(1, 4, 1, 0, NULL);
	for (unsigned i = 0; i < 4; i++) /* nobody is idle when the others arrive on CPU 0 */
		TASK("one", FAIR, (int)i, 0, RUN(SIM_S));
	for (unsigned i = 0; i < 12; i++)
		TASK_NEAR("more", FAIR, 0, 1 + i, RUN(SIM_S));
	rig_run(1);
	ck_assert_uint_eq(sim->cpus[0].rq->nr, 1);
	rig_run(100);
	ck_assert_uint_eq(sim->cpus[0].rq->nr, 13);
	rig_run(MS(200));
	for (unsigned i = 0; i < 4; i++) {
		most = sim->cpus[i].rq->nr > most ? sim->cpus[i].rq->nr : most;
		least = sim->cpus[i].rq->nr < least ? sim->cpus[i].rq->nr : least;
	}
	ck_assert_uint_le(most - least, 1);
	rig_stop();
}
END_TEST

START_TEST(pinned_tasks_are_not_balanced)
{
	machine(1, 2, 1, 0, NULL);
	TASK("A", FAIR, 0, 0, RUN(MS(50)));
	TASK("B", FAIR, 0, 0, RUN(MS(50)));
	TASK("C", FAIR, 0, 0, RUN(MS(50)));
	rig_run(MS(200));
	expect_log(1, "");
	rig_stop();
}
END_TEST

/* A real-time task leaves nothing to B: after 64 ms B goes to the CPU where it can share. */
START_TEST(crowded_out_by_real_time)
{
	struct sim_task *b;

	machine(1, 3, 1, 0, NULL);
	TASK("A", FAIR, 0, 0, RUN(SIM_S));
	TASK("Q", FIFO(9), 2, 0, RUN(SIM_S));
	TASK("P", FIFO(9), 1, 0, RUN(SIM_S));
	b = TASK_NEAR("B", FAIR, 1, 1, RUN(MS(200)));
	rig_run(MS(60));
	ck_assert_int_eq(b->shared->cpu, 1);
	ck_assert_uint_eq(rig_ran(b), 0);
	rig_run(MS(140));
	ck_assert_int_eq(b->shared->cpu, 0);
	rig_run(MS(900));
	ck_assert_uint_eq(rig_ran(b), MS(200));
	rig_stop();
}
END_TEST

/* Where it is not for long, it stays: nobody moves for a real-time task that comes and goes. */
START_TEST(not_crowded_by_short_ones)
{
	struct sim_task *b;

	machine(1, 2, 1, 0, NULL);
	TASK("A", FAIR, 0, 0, RUN(SIM_S));
	TASK("P", FIFO(9), 1, 0, RUN(MS(40)), SLEEP(MS(10)), AGAIN);
	b = TASK_NEAR("B", FAIR, 1, 1, RUN(SIM_S));
	rig_run(MS(800));
	ck_assert_int_eq(b->shared->cpu, 1);
	rig_stop();
}
END_TEST

/* -- 4096 CPUs ------------------------------------------------------------------------------------ */

START_TEST(four_thousand_cpus)
{
	struct sim_task *t;

	machine(16, 128, 2, 16, NULL);
	ck_assert_uint_eq(sim->ncpus, 4096);
	for (int i = 0; i < 4096; i++)
		if (i != 2050 && i != 4000)
			TASK("busy", FIFO(50), i, 0, RUN(MS(5)));
	t = TASK_NEAR("W", FAIR, 0, MS(1), RUN(MS(1)));
	TASK_NEAR("V", FAIR, 1000, MS(1), RUN(MS(1)));
	rig_run(MS(1) + 1);
	/* 2050 is the second thread of core 2, on W's own socket and cache; 4000 is far away */
	ck_assert_int_eq(t->shared->cpu, 2050);
	ck_assert_uint_eq(sim_sched.idle.nr, 0);
	rig_run(MS(20));
	ck_assert_uint_eq(sim_sched.idle.nr, 4096);
	rig_stop();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sched_place");
	TCase *t = tcase_create("place");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, previous_cpu_if_idle);
	tcase_add_test(t, idle_core_before_sibling);
	tcase_add_test(t, sibling_before_other_half_idle_core);
	tcase_add_test(t, any_idle_thread_of_the_cache);
	tcase_add_test(t, other_socket_when_the_cache_is_full);
	tcase_add_test(t, cluster_before_the_rest_of_the_socket);
	tcase_add_test(t, nearer_socket_first);
	tcase_add_test(t, nowhere_idle_stays);
	tcase_add_test(t, pinned_stays);
	tcase_add_test(t, simultaneous_wakees_spread);
	tcase_add_test(t, idle_cpu_pulls);
	tcase_add_test(t, tick_gives_to_an_idle_cpu);
	tcase_add_test(t, periodic_balance_evens_out);
	tcase_add_test(t, pinned_tasks_are_not_balanced);
	tcase_add_test(t, crowded_out_by_real_time);
	tcase_add_test(t, not_crowded_by_short_ones);
	tcase_add_test(t, four_thousand_cpus);
	suite_add_tcase(s, t);
	return run_suite(s);
}
