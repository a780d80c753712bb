// SPDX-License-Identifier: GPL-2.0-or-later
/* rtmutex-2.6.31 under the three policies that PREEMPT_RT had in 2008, on one workload. */
#include <check.h>
#include <stdlib.h>

#include "tests/unit/models/harness.h"

static void policy(const char *params, sim_time wake, const char *grants)
{
	bench_open(3);
	bench_cost("idle_exit", 2 * U);
	bench_cost("wake", wake);
	bench_lock_params("L", "rtmutex-2.6.31", params);
	bench_task("A", 0, 0, 0, "lock L; run 4; unlock L; run 1; lock L; run 4; unlock L");
	bench_task("B", 1, 0, 1, "lock L; run 4; unlock L");
	bench_task("C", 2, 0, 2, "lock L; run 4; unlock L");
	bench_run(100);
	ck_assert(bench_done());
	ck_assert_str_eq(bench_grants("L"), grants);
	ck_assert_str_eq(bench_findings(), "");
	bench_close();
}

START_TEST(policies)
{
	policy("lateral=0 adaptive=0", 0, "A 0, B 6, C 12, A 18"); /* two units of nothing before each */
	policy("lateral=1 adaptive=0", 0, "A 0, A 5, C 11, B 17");	/* A passes B on its way */
	policy("lateral=1 adaptive=1", 0, "A 0, B 4, C 8, A 12");	/* nobody sleeps */
	policy("lateral=1 adaptive=1", 3 * U, "A 0, B 4, C 8, A 12"); /* nor is woken */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rtmutex policies");
	TCase *tc = tcase_create("golden");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, policies);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
