/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/core/check.h"
#include "tests/unit/core/run.h"

static void context(void)
{
	fputs("  at 12.5us on cpu3\n", stderr);
}

static void broken_context(void)
{
	fputs("  at ", stderr);
	sim_assert(!"the context is broken too");
}

/* What a child that runs into an assertion prints; it has to die of SIGABRT. */
static void output_of_failure(void (*print)(void), char *text, size_t room)
{
	int fds[2], status;
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		dup2(fds[1], 2);
		signal(SIGABRT, SIG_DFL);
		sim_assert_context(print);
		sim_assert(1 + 1 == 2);
		sim_assert(1 + 1 == 3);
		_exit(0);
	}
	close(fds[1]);
	while ((n = read(fds[0], text + len, room - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	close(fds[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

START_TEST(test_failure)
{
	char text[1024];

	output_of_failure(context, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "check.c:"));
	ck_assert_ptr_nonnull(strstr(text, "assertion failed: 1 + 1 == 3\n  at 12.5us on cpu3\n"));
	ck_assert_ptr_null(strstr(text, "1 + 1 == 2"));
	output_of_failure(NULL, text, sizeof(text));
	ck_assert_ptr_null(strstr(text, "cpu3"));
}
END_TEST

START_TEST(test_failure_within_context)
{
	char text[1024];

	output_of_failure(broken_context, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "1 + 1 == 3"));
	ck_assert_ptr_nonnull(strstr(text, "the context is broken too"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("check");
	TCase *tc = tcase_create("assertions");

	tcase_add_test(tc, test_failure);
	tcase_add_test(tc, test_failure_within_context);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
