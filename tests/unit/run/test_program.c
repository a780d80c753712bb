// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs by their records. What each statement does in time stands in scenarios/lang; here
 * is what only records show: kinds and order of records, draws, limits.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/run/text_run.h"

#define ZERO "machine zero { sockets 1 cores 4 }\n"

/* The records of LOCK and TASK that a lock call makes, in order. */
START_TEST(records_of_a_lock_call)
{
	struct text_run *t = text_run(ZERO "lock l : mutex\n"
					   "task a fifo 1 { lock l  run 1ms  unlock l }\n"
					   "run until done\n",
				      NULL);
	static const enum sim_rec_type want[] = {
		SIM_REC_ARRIVE, SIM_REC_CALL,   SIM_REC_GRANT,    SIM_REC_RUN,
		SIM_REC_RUN,    SIM_REC_UNLOCK, SIM_REC_UNLOCKED, SIM_REC_EXIT,
	};
	unsigned n = 0;

	for (unsigned i = 0; i < t->nrec; i++) {
		if (!(sim_rec_class_of[t->rec[i].type] & (SIM_CLASS_LOCK | SIM_CLASS_TASK | SIM_CLASS_DETAIL)))
			continue;
		ck_assert_uint_lt(n, sizeof(want) / sizeof(want[0]));
		ck_assert_uint_eq(t->rec[i].type, want[n++]);
	}
	ck_assert_uint_eq(n, sizeof(want) / sizeof(want[0]));
	ck_assert_uint_eq(text_find(t, SIM_REC_GRANT, 1, 0)->val, 0); /* it did not wait */
	ck_assert_uint_eq(text_find(t, SIM_REC_EXIT, 1, 0)->arg, 0);
	ck_assert_uint_eq(text_find(t, SIM_REC_UNLOCK, 1, 0)->time, SIM_MS);
	text_free(t);
}
END_TEST

START_TEST(grant_tells_whether_it_waited)
{
	struct text_run *t = text_run(ZERO "lock s : rwsem\nlock q : ticket\n"
					   "task a fifo 1 cpu 0 { hold s { hold q { run 1ms } sleep 1ms } }\n"
					   "task b fifo 1 cpu 1 { at 1us  writing s { } }\n"
					   "task c fifo 1 cpu 2 { at 1us  hold q { } }\n"
					   "run until done\n",
				      NULL);
	const struct sim_rec *slept = text_find(t, SIM_REC_GRANT, 2, 0),
			     *spun = text_find(t, SIM_REC_GRANT, 3, 0);

	ck_assert_ptr_nonnull(slept);
	ck_assert_uint_eq(slept->val, 1);
	ck_assert_ptr_nonnull(spun);
	ck_assert_uint_eq(spun->val, 1);
	ck_assert_uint_eq(text_find(t, SIM_REC_GRANT, 1, 0)->val, 0);
	text_free(t);
}
END_TEST

START_TEST(failures_and_results)
{
	struct text_run *t = text_run(ZERO "lock l : rtmutex\n"
					   "task a fifo 1 cpu 0 { hold l { sleep 9ms } }\n"
					   "task b fifo 1 cpu 1 { at 1ms  hold l try { } else { }  hold l "
					   "timeout 1ms { } else { }  hold l timeout 1s { } else { } }\n"
					   "task c fifo 1 cpu 2 { at 1ms  hold l { } }\n"
					   "run until done\n",
				      NULL);
	static const unsigned want[] = {EBUSY, ETIMEDOUT, 0};

	ck_assert_uint_eq(text_count(t, SIM_REC_FAIL, 2), 2);
	ck_assert_uint_eq(text_count(t, SIM_REC_RESULT, 2), 3);
	ck_assert_uint_eq(text_count(t, SIM_REC_RESULT, 3), 0); /* it cannot fail */
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(text_find(t, SIM_REC_RESULT, 2, i)->val, want[i]);
	text_free(t);
}
END_TEST

START_TEST(exit_counts_locks_held)
{
	struct text_run *t = text_run(ZERO "lock l : mutex\nlock m : mutex\nsemaphore s = 1\n"
					   "task a fifo 1 { take s  lock l  lock m  exit }\n"
					   "run until done\nexpect finding exit-holding\n",
				      NULL);

	ck_assert_uint_eq(text_find(t, SIM_REC_EXIT, 1, 0)->arg, 2); /* a semaphore has no owner */
	ck_assert_uint_eq(t->result->nfinding, 2);                   /* one for each */
	ck_assert_int_eq(t->result->finding[0].kind, RUN_FINDING_exit_holding);
	ck_assert_uint_eq(t->result->finding[0].line, 5);
	ck_assert_int_eq(run_exit_status(t->result), 0);
	text_free(t);
}
END_TEST

START_TEST(jobs)
{
	struct text_run *t = text_run(ZERO "task a fifo 1 { at 3ms  loop 2 { run 15ms  period 10ms } }\n"
					   "run until done\n",
				      NULL);
	const struct sim_rec *first = text_find(t, SIM_REC_JOB, 1, 0),
			     *second = text_find(t, SIM_REC_JOB, 1, 1);

	ck_assert_uint_eq(first->arg, 1);
	ck_assert_uint_eq(first->val, 3 * SIM_MS);
	ck_assert_uint_eq(first->time, 18 * SIM_MS);
	ck_assert_uint_eq(second->arg, 1);
	ck_assert_uint_eq(second->val, 13 * SIM_MS);
	ck_assert_uint_eq(second->time, 33 * SIM_MS);
	ck_assert_uint_eq(t->result->task[0].overruns, 2);
	text_free(t);
}
END_TEST

/* Instance 1 of w draws the same with and without other tasks, and whatever branches it took before. */
START_TEST(draws_do_not_depend_on_others)
{
	static const char *const texts[] = {
		ZERO "task w[2] fifo 1 cpu $i { loop 20 { run exp(10us) } }\nrun until done\n",
		ZERO "task other fifo 1 cpu 3 { loop 7 { run exp(3us) } }\n"
		     "task w[2] fifo 1 cpu $i { loop 20 { run exp(10us) } }\nrun until done\n",
	};
	struct text_run *a = text_run(texts[0], NULL), *b = text_run(texts[1], NULL);

	for (unsigned i = 0; i < 40; i += 2) {
		const struct sim_rec *x = text_find(a, SIM_REC_RUN, 2, i),
				     *y = text_find(b, SIM_REC_RUN, 3, i);

		ck_assert_uint_eq(x->arg, 0);
		ck_assert_uint_eq(x->val, y->val);
		ck_assert_uint_ne(x->val, text_find(a, SIM_REC_RUN, 1, i)->val);
	}
	text_free(a);
	text_free(b);
}
END_TEST

START_TEST(draws_depend_on_the_seed)
{
	static const char text[] = ZERO "task w fifo 1 { loop 20 { run exp(10us) } }\nrun until done\n";
	struct run_options seven = {.seed = 7, .has_seed = true}, one = {.seed = 1, .has_seed = true};
	struct text_run *a = text_run(text, NULL), *b = text_run(text, &seven), *c = text_run(text, &one);

	ck_assert_uint_ne(a->result->digest, b->result->digest);
	ck_assert_uint_eq(a->result->digest, c->result->digest); /* the default, and twice in one process */
	text_free(a);
	text_free(b);
	text_free(c);
}
END_TEST

/* Both runs of a compare block draw the same, whatever the lock made of the order. */
START_TEST(common_random_numbers)
{
	struct text_run *t = text_run(
		ZERO "lock l : fifo\n"
		     "task w[4] fifo 1 cpu $i { loop 50 { run exp(10us)  hold l { run exp(8us) }  done } }\n"
		     "run until done\ncompare l : mutex { expect done w = 200 }\n",
		NULL);

	ck_assert_uint_eq(t->result->ncompare, 1);
	ck_assert_uint_eq(t->result->lock[0].hold[0].sum, t->result->compare[0].result->lock[0].hold[0].sum);
	ck_assert_uint_eq(t->result->lock[0].hold[0].max, t->result->compare[0].result->lock[0].hold[0].max);
	ck_assert_uint_ne(t->result->digest, t->result->compare[0].result->digest);
	ck_assert_int_eq(run_exit_status(t->result), 0);
	text_free(t);
}
END_TEST

/* Each run answers to its own expectations, also where a block names the model that the lock has anyway. */
START_TEST(blocks_expect_for_themselves)
{
#define WRONG                                                                                      \
	ZERO "lock l : busted-exclusion\n"                                                         \
	     "task a fifo 1 cpu 0 { loop 3 { lock l  run 1ms  unlock l } }\n"                      \
	     "task b fifo 1 cpu 1 { loop 3 { lock l  run 1ms  unlock l } }\n"                      \
	     "run until done limit 1s\n"
	struct text_run *t = text_run(WRONG "compare l : busted-exclusion { expect finding mutual-exclusion }\n", NULL);

	ck_assert_uint_eq(t->result->nfinding, 1);
	ck_assert(!t->result->finding[0].expected);
	ck_assert_int_eq(t->result->end, RUN_END_FINDING);
	ck_assert_uint_gt(t->result->compare[0].result->nfinding, 1);
	ck_assert(t->result->compare[0].result->finding[0].expected);
	text_free(t);
	t = text_run(WRONG "expect finding mutual-exclusion\ncompare l : busted-exclusion { expect no finding }\n", NULL);
	ck_assert_uint_gt(t->result->nfinding, 1);
	ck_assert_int_eq(t->result->end, RUN_END_DONE);
	ck_assert_uint_eq(t->result->compare[0].result->nfinding, 1);
	ck_assert_int_eq(t->result->compare[0].result->end, RUN_END_FINDING);
	text_free(t);
#undef WRONG
}
END_TEST

START_TEST(break_closes_what_it_leaves)
{
	struct text_run *t = text_run(ZERO "lock l : ticket\n"
					   "task a fifo 1 { loop 3 { loop { preempt off { kernel { hold l { "
					   "irq off { break } } } } } }  run 1ms }\n"
					   "task b fifo 2 { at 500us  hold l { run 100us } }\n"
					   "run until done\n",
				      NULL);

	ck_assert_uint_eq(text_count(t, SIM_REC_UNLOCK, 1), 3);
	ck_assert_uint_eq(t->result->task[1].finish, 600 * SIM_US); /* a is preemptible again */
	text_free(t);
}
END_TEST

START_TEST(models_that_forget_are_told)
{
	struct text_run *t = text_run(ZERO "lock l : forgetful\n"
					   "task a fifo 1 { preempt off { hold l { run 1ms } }  run 1ms }\n"
					   "task b fifo 2 { at 1500us  run 1ms }\n"
					   "run until done\nexpect finding warning\n",
				      NULL);

	ck_assert_uint_eq(t->result->nfinding, 1);
	ck_assert_str_eq(t->result->finding[0].lock, "l");
	ck_assert_ptr_nonnull(strstr(t->result->finding[0].text, "preemption is not as it was"));
	ck_assert_uint_eq(t->result->task[1].finish, 2500 * SIM_US); /* and the task goes on as it should */
	ck_assert_int_eq(run_exit_status(t->result), 0);
	text_free(t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("program");
	TCase *t = tcase_create("records");
	SRunner *r;
	int failed;

	tcase_add_test(t, records_of_a_lock_call);
	tcase_add_test(t, grant_tells_whether_it_waited);
	tcase_add_test(t, failures_and_results);
	tcase_add_test(t, exit_counts_locks_held);
	tcase_add_test(t, jobs);
	tcase_add_test(t, draws_do_not_depend_on_others);
	tcase_add_test(t, draws_depend_on_the_seed);
	tcase_add_test(t, common_random_numbers);
	tcase_add_test(t, blocks_expect_for_themselves);
	tcase_add_test(t, break_closes_what_it_leaves);
	tcase_add_test(t, models_that_forget_are_told);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
