/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every test program of sim/core does in main(). */
#ifndef TESTS_UNIT_CORE_RUN_H
#define TESTS_UNIT_CORE_RUN_H

#include <check.h>
#include <stdlib.h>

static inline int run_suite(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
