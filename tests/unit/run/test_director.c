/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Directors: what is missed is told with its line, and a hang ends. */
#include <check.h>
#include <glib.h>
#include <string.h>

#include "tests/unit/run/text_run.h"

#define HEAD                                                                                                 \
	"machine { sockets 1 cores 1 costs zero preempt full hz 1000 }\nlock L : rtmutex\nlock M : rtmutex\n" \
	"task a fifo 5 { }\ntask b fifo 6 { }\ntask own fifo 3 { sleep 3ms lock M sleep 2ms unlock M }\n"      \
	"run until done limit 1s\n"

/* The n-th verdict is @met, at @line, and tells @seen. */
static void verdict(const struct text_run *t, unsigned n, bool met, unsigned line, const char *seen)
{
	ck_assert_uint_lt(n, t->result->nverdict);
	ck_assert_int_eq(t->result->verdict[n].met, met);
	ck_assert_uint_eq(t->result->verdict[n].line, line);
	ck_assert_msg(strstr(t->result->verdict[n].seen, seen) != NULL, "\"%s\" is not in \"%s\"", seen,
		      t->result->verdict[n].seen);
}

START_TEST(missed)
{
	struct text_run *t = text_run(HEAD "director {\ntell a lock L\ncheck a free L\ncheck prio a = fifo 6\n"
					   "check result a = 0\n}\n", NULL);

	ck_assert_uint_eq(t->result->nverdict, 3);
	verdict(t, 0, false, 10, "a holds L");
	verdict(t, 1, false, 11, "fifo 5");
	verdict(t, 2, true, 12, "0");
	ck_assert_int_eq(run_exit_status(t->result), 1);
	ck_assert_int_eq(t->result->end, RUN_END_DONE);
	text_free(t);
}
END_TEST

START_TEST(hang)
{
	struct text_run *t = text_run(HEAD "director {\ntell a lock L\ntell b lock L\nawait b holds L\n"
					   "check a free L\n}\n", NULL);

	ck_assert_uint_eq(t->result->nverdict, 1);
	verdict(t, 0, false, 11, "a hang: nothing moves any more; b blocked L; 1 step was not reached");
	ck_assert_uint_eq(t->result->nfinding, 0);
	ck_assert_int_eq(t->result->end, RUN_END_DONE);
	text_free(t);
}
END_TEST

/* Somebody else lets go of it: an await waits for that, a check does not. */
START_TEST(others)
{
	struct text_run *t = text_run(HEAD "director {\nawait own holds M\ntell a lock M\ncheck prio own = fifo 5\n"
					   "await a holds M\ncheck own free M\n}\n", NULL);

	ck_assert_uint_eq(t->result->nverdict, 4);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_msg(t->result->verdict[i].met, "%s: %s", t->result->verdict[i].text, t->result->verdict[i].seen);
	text_free(t);
}
END_TEST

START_TEST(refusals)
{
	struct text_run *t = text_run(HEAD "director {\ntell a unlock L\ncheck result a = -EINVAL\ntell a lock L\n"
					   "tell b lock L\ntell b unlock L\ncheck result b = busy\ntell a continue\n"
					   "check result a = -EINVAL\n}\n", NULL);

	ck_assert_uint_eq(t->result->nverdict, 4);
	verdict(t, 0, true, 10, "-EINVAL");
	verdict(t, 1, false, 13, "b is still busy with its last order");
	verdict(t, 2, true, 14, "busy");
	verdict(t, 3, true, 16, "-EINVAL");
	text_free(t);
}
END_TEST

/* Two that wait for each other: broken by a signal it is no deadlock, else it is one once the director is gone. */
START_TEST(cycles)
{
	static const char abba[] = "machine { sockets 1 cores 1 costs zero preempt full hz 1000 }\nlock L : mutex\n"
				   "lock M : mutex\ntask a fifo 5 { }\ntask b fifo 6 { }\nrun until done\ndirector {\ntell a lock L\ntell b lock M\ntell a lock M interruptible\n"
				   "tell b lock L interruptible\ncheck a blocked M\ncheck b blocked L\n%s}\n";
	/* a plain rt_mutex would see the cycle and put its second half to sleep for good */
	g_autofree char *broken = g_strdup_printf(abba, "tell a signal\ncheck result a = -EINTR\ntell a unlock L\nawait b holds L\n");
	g_autofree char *left = g_strdup_printf(abba, "");
	struct text_run *t = text_run(broken, NULL);

	ck_assert_uint_eq(t->result->nfinding, 0);
	ck_assert_int_eq(run_exit_status(t->result), 0);
	text_free(t);
	t = text_run(left, NULL);
	ck_assert_uint_ge(t->result->nfinding, 1);
	ck_assert_int_eq(t->result->finding[0].kind, RUN_FINDING_deadlock);
	text_free(t);
}
END_TEST

/* Changes of state are counted, over all tasks. */
START_TEST(events)
{
	struct text_run *t = text_run(HEAD "director {\ntell a resetevents\ntell a lock L\ncheck event a = 2\n"
					   "tell b lock L\ncheck event b = 4\ntell a unlock L\ncheck event a = 7\n"
					   "check event b = 6\n}\n", NULL);

	for (unsigned i = 0; i < t->result->nverdict; i++)
		ck_assert_msg(t->result->verdict[i].met, "%s: %s", t->result->verdict[i].text, t->result->verdict[i].seen);
	ck_assert_uint_eq(t->result->nverdict, 4);
	text_free(t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("director");
	TCase *tc = tcase_create("director");
	SRunner *r;
	int failed;

	tcase_add_test(tc, missed);
	tcase_add_test(tc, hang);
	tcase_add_test(tc, others);
	tcase_add_test(tc, refusals);
	tcase_add_test(tc, cycles);
	tcase_add_test(tc, events);
	suite_add_tcase(s, tc);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
