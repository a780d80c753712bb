/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_SCENARIO_RUN_H
#define TESTS_SCENARIO_RUN_H

#include <check.h>
#include <stdlib.h>

static inline int run_tests(const char *name, const TTest *const *tests, unsigned n)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	for (unsigned i = 0; i < n; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
