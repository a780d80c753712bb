// SPDX-License-Identifier: GPL-2.0-or-later
/* The wrong locks do make their mistakes, without luck, whenever they are contended. */
#include <check.h>

#include "tests/unit/models/harness.h"

#include "sim/kernel/sched.h"

static void contend(const char *model, unsigned n)
{
	static const char *const name[] = { "A", "B", "C", "D" };

	bench_open(n);
	bench_lock("L", model);
	for (unsigned i = 0; i < n; i++)
		bench_task(name[i], i, 10 + 10 * (int)i, (int)i, "lock L; run 10; unlock L; run 1");
}

static const char *broken(void)
{
	extern const struct lock_model lock_model_busted_broken;

	return lock_model_busted_broken.broken(bench_lock_at("L"));
}

START_TEST(exclusion_lets_two_in)
{
	contend("busted-exclusion", 3);
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 10, C 10");
	bench_close();
}
END_TEST

/* In the order of keys test and set are not parted. */
START_TEST(race_needs_an_order)
{
	contend("busted-race", 3);
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 10, C 20");
	bench_close();
}
END_TEST

START_TEST(wakeup_forgets_the_last)
{
	contend("busted-wakeup", 3);
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 10");
	ck_assert_str_eq(bench_state("L"), "NULL [C]");
	ck_assert(!bench_done());
	bench_close();
}
END_TEST

START_TEST(spin_skips_a_ticket)
{
	contend("busted-spin", 3);
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, C 10");
	ck_assert(!bench_done());
	bench_close();
}
END_TEST

START_TEST(preempt_keeps_out)
{
	contend("busted-preempt", 3); /* right, as long as nobody is preempted */
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 10, C 20");
	ck_assert(bench_done());
	bench_close();
}
END_TEST

START_TEST(broken_is_broken)
{
	contend("busted-broken", 2);
	bench_run(5);
	ck_assert_ptr_null(broken());
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, B 10");
	ck_assert_ptr_nonnull(broken());
	bench_close();
}
END_TEST

static int prio_seen;

static void see_prio(void *arg)
{
	prio_seen = sim->tasks[0]->shared->prio;
}

START_TEST(pi_keeps_the_boost)
{
	contend("busted-pi", 2);
	bench_at(10 * U + U / 2, see_prio, NULL); /* A runs on after its unlock */
	bench_run(100);
	ck_assert_int_eq(prio_seen, 99 - 20);
	ck_assert_int_eq(sim->tasks[0]->shared->normal_prio, 99 - 10);
	bench_close();
}
END_TEST

START_TEST(fifo_is_lifo)
{
	contend(_i ? "busted-lifo" : "busted-fifo", 4);
	bench_run(100);
	ck_assert_str_eq(bench_grants("L"), "A 0, D 10, C 20, B 30");
	bench_close();
}
END_TEST

/* Two readers that overlap for ever: the writer never gets in. */
START_TEST(starve_starves_the_writer)
{
	bench_open(3);
	bench_lock("L", "busted-starve");
	bench_task("R1", 0, 0, 0,
		   "read L; run 4; unlock L; read L; run 4; unlock L; read L; run 4; unlock L; read L; run 4; unlock L");
	bench_task("R2", 1, 0, 2,
		   "read L; run 4; unlock L; read L; run 4; unlock L; read L; run 4; unlock L; read L; run 4; unlock L");
	bench_task("W", 2, 0, 3, "lock L; run 1; unlock L");
	bench_run(100);
	ck_assert_int_eq(bench_granted("W", 1), 18);
	bench_close();
}
END_TEST

START_TEST(conservation_loses_a_release)
{
	contend("busted-conservation", 1);
	bench_run(100);
	ck_assert_str_eq(bench_state("L"), "A");
	bench_close();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("busted");
	TCase *t = tcase_create("mistakes");
	SRunner *r;
	int failed;

	tcase_add_test(t, exclusion_lets_two_in);
	tcase_add_test(t, race_needs_an_order);
	tcase_add_test(t, wakeup_forgets_the_last);
	tcase_add_test(t, spin_skips_a_ticket);
	tcase_add_test(t, preempt_keeps_out);
	tcase_add_test(t, broken_is_broken);
	tcase_add_test(t, pi_keeps_the_boost);
	tcase_add_loop_test(t, fifo_is_lifo, 0, 2);
	tcase_add_test(t, starve_starves_the_writer);
	tcase_add_test(t, conservation_loses_a_release);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
