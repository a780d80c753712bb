// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions by return address: static ones too. */
#include <check.h>
#include <stdlib.h>

#include "sim/core/symbols.h"

static const void *site;
static volatile int after;

static __attribute__((noinline)) void callee(void)
{
	site = __builtin_return_address(0);
	after++;
}

static __attribute__((noinline)) void static_caller(void)
{
	callee();
	after++;
}

__attribute__((noinline)) void other_caller(void);
__attribute__((noinline)) void other_caller(void)
{
	callee();
	after += 2; /* equal bodies may become one function */
}

START_TEST(names)
{
	static_caller();
	ck_assert_str_eq(sim_symbol(site), "static_caller");
	other_caller();
	ck_assert_str_eq(sim_symbol(site), "other_caller");
}
END_TEST

START_TEST(no_names)
{
	char here = 0;

	ck_assert_ptr_null(sim_symbol(&here + here));
	ck_assert_ptr_null(sim_symbol(NULL));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("symbols");
	TCase *c = tcase_create("all");
	SRunner *r;
	int failed;

	tcase_add_test(c, names);
	tcase_add_test(c, no_names);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
