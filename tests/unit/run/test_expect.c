// SPDX-License-Identifier: GPL-2.0-or-later
/* Expectations: each kind met and missed on one stream, and what is said of it. */
#include "sim/run/expect.h"
#include "tests/unit/run/watch_world.h"

#define US(n) ((n) * (uint64_t)SIM_US)

/* -- building expectations ------------------------------------------------------------------------- */

static struct scn_expect list[40];
static struct scn_expr number[100];
static struct scn_who who[16];
static unsigned nlist, nnumber, nwho;

static struct scn_expr *num(uint64_t value)
{
	number[nnumber] = (struct scn_expr){ .kind = SCN_LITERAL, .value = value };
	return &number[nnumber++];
}

static struct scn_expect *add(enum scn_expect_kind kind, const char *source)
{
	list[nlist] = (struct scn_expect){ .kind = kind, .source = source, .lock_instance = -1 };
	return &list[nlist++];
}

static struct scn_expect *about(enum scn_expect_kind kind, unsigned task, enum scn_rel rel, uint64_t value)
{
	struct scn_expect *e = add(kind, "?");

	e->has_task = true;
	e->task = (struct scn_who){ .task = task, .instance = -1 };
	e->rel = rel;
	e->value = num(value);
	return e;
}

static struct scn_expect *on_lock(struct scn_expect *e, unsigned lock)
{
	e->has_lock = true;
	e->lock.object = lock;
	return e;
}

static struct scn_expect *from_to(struct scn_expect *e, uint64_t from, uint64_t to)
{
	e->from = num(from);
	e->to = num(to);
	return e;
}

static void named(struct scn_expect *e, const char *tasks)
{
	e->who = &who[nwho];
	for (; *tasks; tasks++, e->nwho++)
		who[nwho++] = (struct scn_who){ .task = (uint32_t)(*tasks - 'a'), .instance = -1 };
}

static struct scn_expect *wait_is(unsigned task, unsigned lock, enum scn_stat stat, enum scn_rel rel, uint64_t value)
{
	struct scn_expect *e = on_lock(about(SCN_EXPECT_WAIT, task, rel, value), lock);

	e->stat = stat;
	return e;
}

static void reset(unsigned ntask, unsigned nlock)
{
	nlist = nnumber = nwho = 0;
	world_reset(ntask, nlock);
	world_scn.expect = list;
}

static void start(void)
{
	world_scn.nexpect = nlist;
	world_start();
}

/* Verdict @i must be @met, and say @seen. */
static void says(unsigned i, bool met, const char *seen)
{
	ck_assert_msg(result.verdict[i].met == met, "%u: %s", i, result.verdict[i].seen);
	ck_assert_str_eq(result.verdict[i].seen, seen);
}

/* -- waits ------------------------------------------------------------------------------------------- */

/* a holds 0..10, b waits 2..10 and holds until 15, c waits 3..15; c waits again from 16 on, for ever. */
static void queue(void)
{
	runs(0, 0); runs(1, 1); runs(2, 2);
	take(0, 0, EX);
	at(2); call(1, 0, EX);
	at(3); call(2, 0, EX);
	at(10); unlock(0, 0); grant(1, 0);
	at(15); unlock(1, 0); grant(2, 0);
	unlock(2, 0);
	take(0, 0, EX);
	at(16); call(2, 0, EX);
}

START_TEST(waits)
{
	reset(4, 2);
	wait_is(1, 0, SCN_STAT_MAX, SCN_LE, US(8));
	wait_is(1, 0, SCN_STAT_MAX, SCN_LT, US(8));
	wait_is(2, 0, SCN_STAT_MAX, SCN_LE, US(12));
	wait_is(2, 0, SCN_STAT_MEAN, SCN_EQ, US(12));
	wait_is(2, 0, SCN_STAT_P99, SCN_GE, US(12));
	wait_is(1, 1, SCN_STAT_MAX, SCN_LE, US(8));
	wait_is(0, 0, SCN_STAT_MIN, SCN_EQ, 0);
	start();
	queue();
	world_finish(100);
	says(0, true, "8us (of 1 wait; the longest, b's, ended at 10us)");
	says(1, false, "8us (of 1 wait; the longest, b's, ended at 10us)");
	says(2, false, "84us (of 1 wait; the longest, c's, is open since 16us)");
	says(3, true, "12us (of 1 wait; the longest, c's, is open since 16us)");
	says(4, true, "12us (of 1 wait; the longest, c's, is open since 16us)");
	says(5, false, "no such wait");
	says(6, true, "0 (of 2 waits; the longest, a's, ended at 0)");
	world_free();
}
END_TEST

START_TEST(grants)
{
	reset(4, 2);
	named(on_lock(add(SCN_EXPECT_GRANTS, "?"), 0), "abca");
	named(on_lock(add(SCN_EXPECT_GRANTS, "?"), 0), "ab");
	named(on_lock(add(SCN_EXPECT_GRANTS, "?"), 0), "acb");
	named(on_lock(add(SCN_EXPECT_GRANTS, "?"), 0), "abcac");
	named(on_lock(add(SCN_EXPECT_GRANTS, "?"), 1), "a");
	start();
	queue();
	world_finish(100);
	says(0, true, "a b c a (the last at 15us)");
	says(1, true, "a b (the last at 10us)");
	says(2, false, "a b c (the last at 15us)");
	says(3, false, "a b c a and no more (the last at 15us)");
	says(4, false, "no grant");
	world_free();
}
END_TEST

START_TEST(blocked)
{
	reset(4, 2);
	from_to(about(SCN_EXPECT_BLOCKED, 1, SCN_EQ, 0), US(2), US(10));
	from_to(about(SCN_EXPECT_BLOCKED, 1, SCN_EQ, 0), US(3), US(11));
	from_to(about(SCN_EXPECT_BLOCKED, 1, SCN_EQ, 0), US(1), US(5));
	from_to(about(SCN_EXPECT_BLOCKED, 2, SCN_EQ, 0), US(20), US(99));
	from_to(on_lock(about(SCN_EXPECT_BLOCKED, 2, SCN_EQ, 0), 1), US(20), US(99));
	start();
	queue();
	world_finish(100);
	says(0, true, "b was blocked until 10us");
	says(1, false, "b was blocked until 10us");
	says(2, false, "b did not wait at 1us");
	says(3, true, "c was blocked until 100us");
	says(4, false, "c did not wait at 20us");
	world_free();
}
END_TEST

/* -- running ------------------------------------------------------------------------------------------- */

START_TEST(never_runs)
{
	reset(2, 0);
	from_to(about(SCN_EXPECT_NEVER_RUNS, 0, SCN_EQ, 0), US(0), US(5));
	from_to(about(SCN_EXPECT_NEVER_RUNS, 0, SCN_EQ, 0), US(4), US(6));
	from_to(about(SCN_EXPECT_NEVER_RUNS, 0, SCN_EQ, 0), US(9), US(12));
	from_to(about(SCN_EXPECT_NEVER_RUNS, 0, SCN_EQ, 0), US(6), US(7));
	from_to(about(SCN_EXPECT_NEVER_RUNS, 1, SCN_EQ, 0), US(0), US(50));
	from_to(about(SCN_EXPECT_NEVER_RUNS, 1, SCN_EQ, 0), US(0), US(20));
	start();
	at(5); runs(0, 0);
	at(9); runs(0, IDLE);
	at(20); runs(0, 1);
	world_finish(100);
	says(0, true, "it did not run");
	says(1, false, "a ran at 5us");
	says(2, true, "it did not run");
	says(3, false, "a ran at 6us");
	says(4, false, "b ran at 20us");
	says(5, true, "it did not run");
	world_free();
}
END_TEST

START_TEST(finishes)
{
	reset(3, 0);
	about(SCN_EXPECT_FINISH, 0, SCN_LE, US(8));
	about(SCN_EXPECT_FINISH, 0, SCN_LT, US(8));
	about(SCN_EXPECT_FINISH, 1, SCN_LE, US(1000));
	about(SCN_EXPECT_FINISH, 2, SCN_EQ, US(6));
	start();
	runs(0, 0); runs(1, 2);
	at(6); rec(SIM_REC_JOB, 1, 2, -1u, 0, 0);
	at(8); exits(0, IDLE);
	at(9); exits(1, IDLE);
	world_finish(100);
	says(0, true, "a finished at 8us");
	says(1, false, "a finished at 8us");
	says(2, false, "b had not finished at 100us");
	says(3, true, "c finished at 6us");
	world_free();
}
END_TEST

/* -- priorities ------------------------------------------------------------------------------------------ */

static void prio_at(unsigned task, uint64_t when, enum scn_policy policy, uint64_t p)
{
	struct scn_expect *e = about(SCN_EXPECT_PRIO, task, SCN_EQ, 0);

	e->at = num(when);
	e->sched = (struct scn_sched){ .policy = policy, .priority = num(p) };
}

START_TEST(prios)
{
	reset(1, 0);
	world_shared[0].prio = world_shared[0].normal_prio = 125;
	prio_at(0, US(1), SCN_POLICY_NICE, 5);
	prio_at(0, US(5), SCN_POLICY_FIFO, 82);
	prio_at(0, US(9), SCN_POLICY_FIFO, 82);
	prio_at(0, US(10), SCN_POLICY_FIFO, 82);
	prio_at(0, US(500), SCN_POLICY_NICE, 5);
	start();
	at(5); set_prio(0, 17);
	at(10); set_prio(0, 125);
	world_finish(100);
	says(0, true, "a was nice 5 since 0");
	says(1, true, "a was fifo 82 since 5us");
	says(2, true, "a was fifo 82 since 5us");
	says(3, false, "a was nice 5 since 10us");
	says(4, false, "the run ended at 100us");
	world_free();
}
END_TEST

/* -- findings ---------------------------------------------------------------------------------------------- */

static void dead(void)
{
	runs(0, 0); runs(1, 1);
	take(0, 0, EX);
	take(1, 1, EX);
	at(1); call(0, 1, EX); sleeps(0, IDLE);
	at(2); call(1, 0, EX); sleeps(1, IDLE);
}

START_TEST(deadlocks)
{
	reset(3, 2);
	named(add(SCN_EXPECT_DEADLOCK, "?"), "ba");
	named(add(SCN_EXPECT_DEADLOCK, "?"), "abc");
	named(add(SCN_EXPECT_DEADLOCK, "?"), "a");
	add(SCN_EXPECT_NO_DEADLOCK, "?");
	add(SCN_EXPECT_FINDING, "?")->text = "deadlock";
	add(SCN_EXPECT_FINDING, "?")->text = "fifo";
	add(SCN_EXPECT_NO_FINDING, "?");
	start();
	dead();
	ck_assert(!watch_stopped(watch));
	world_finish(100);
	says(0, true, "deadlock of b a at 2us");
	says(1, false, "deadlock of b a at 2us");
	says(2, false, "deadlock of b a at 2us");
	says(3, false, "deadlock at 2us: deadlock of b a");
	says(4, true, "deadlock at 2us: deadlock of b a");
	says(5, false, "no fifo, but deadlock at 2us: deadlock of b a");
	says(6, false, "deadlock at 2us: deadlock of b a");
	ck_assert(result.finding[0].expected);
	world_free();
}
END_TEST

START_TEST(no_findings)
{
	reset(1, 0);
	add(SCN_EXPECT_NO_FINDING, "?");
	add(SCN_EXPECT_NO_DEADLOCK, "?");
	named(add(SCN_EXPECT_DEADLOCK, "?"), "a");
	start();
	world_finish(1);
	says(0, true, "no finding");
	says(1, true, "no finding");
	says(2, false, "no deadlock");
	world_free();
}
END_TEST

/* `expect no deadlock` asks for no finding: the first one ends the run. */
START_TEST(unexpected_findings_stop)
{
	reset(2, 2);
	add(SCN_EXPECT_NO_DEADLOCK, "?");
	start();
	dead();
	ck_assert(watch_stopped(watch));
	world_finish(100);
	ck_assert(!result.finding[0].expected);
	ck_assert(!result.verdict[0].met);
	world_free();
}
END_TEST

/* -- counts ------------------------------------------------------------------------------------------------- */

START_TEST(counts)
{
	static const char *const names[] = { "", "page" }, *const events[] = { "slow", NULL };
	struct scn_expect *e;

	reset(2, 2);
	world_scn.done_name = names;
	world_scn.ndone_name = 2;
	world_model[0].events = events;
	about(SCN_EXPECT_DONE, 0, SCN_EQ, 3);
	about(SCN_EXPECT_DONE, 1, SCN_GE, 1);
	about(SCN_EXPECT_DONE, 1, SCN_EQ, 2)->text = "page";
	about(SCN_EXPECT_DONE, 0, SCN_EQ, 3)->has_task = false;
	e = about(SCN_EXPECT_DONE, 0, SCN_EQ, 2);
	e->has_task = false;
	e->text = "page";
	about(SCN_EXPECT_RESULT, 0, SCN_EQ, 0)->error = 110;
	about(SCN_EXPECT_RESULT, 1, SCN_EQ, 0)->error = 0;
	for (unsigned mode = SCN_MODE_LOCK; mode <= SCN_MODE_WRITE; mode++) {
		e = on_lock(add(SCN_EXPECT_COUNT, "?"), 0);
		e->mode = (enum scn_mode)mode;
		e->value = num(mode == SCN_MODE_LOCK ? 3 : mode == SCN_MODE_READ ? 2 : 1);
		e->rel = SCN_EQ;
	}
	e = add(SCN_EXPECT_EVENT, "?");
	e->text = "slow";
	e->rel = SCN_NE;
	e->value = num(4);
	e = on_lock(add(SCN_EXPECT_SLEEPS, "?"), 0);
	e->rel = SCN_EQ;
	e->value = num(1);
	about(SCN_EXPECT_SLEEPS, 1, SCN_EQ, 1);
	about(SCN_EXPECT_SLEEPS, 0, SCN_EQ, 1);
	start();
	runs(0, 0); runs(1, 1);
	for (unsigned i = 0; i < 3; i++)
		rec(SIM_REC_DONE, 0, 0, -1u, 0, 0);
	rec(SIM_REC_DONE, 0, 1, 0, 0, 0);
	rec(SIM_REC_DONE, 0, 1, 0, 0, 0);
	rec(SIM_REC_RESULT, 0, 0, 0, 0, 110);
	rec(SIM_REC_EVENT, 0, 0, 0, 0, 4);
	take(0, 0, SH); take(1, 0, SH); unlock(0, 0); unlock(1, 0);
	take(0, 0, EX);
	at(1); call(1, 0, SH); sleeps(1, IDLE);
	world_finish(10);
	says(0, true, "3");
	says(1, false, "0");
	says(2, true, "2");
	says(3, true, "3");
	says(4, true, "2");
	says(5, true, "a: -ETIMEDOUT");
	says(6, false, "b: no lock statement that can fail came to an end");
	says(7, true, "3");
	says(8, true, "2");
	says(9, true, "1");
	says(10, false, "4");
	says(11, true, "1");
	says(12, true, "1");
	says(13, false, "0");
	world_free();
}
END_TEST

/* -- rates -------------------------------------------------------------------------------------------------- */

START_TEST(rates)
{
	struct scn_expect *e;

	reset(2, 0);
	world_scn.task[0].count = 2; /* a and b are two of one kind */
	about(SCN_EXPECT_FAIR, 0, SCN_LT, 500000);
	about(SCN_EXPECT_FAIR, 0, SCN_LE, 499999);
	e = about(SCN_EXPECT_THROUGHPUT, 0, SCN_EQ, 400000);
	e->has_task = false;
	e = about(SCN_EXPECT_BUSY, 0, SCN_GE, 1250000);
	e->has_task = false;
	from_to(about(SCN_EXPECT_RATIO, 0, SCN_EQ, 0), 1000000, 2000000);
	start();
	runs(0, 0);
	for (unsigned i = 0; i < 4; i++)
		rec(SIM_REC_DONE, 0, i ? 0 : 1, -1u, 0, 0);
	at(7); runs(1, 1);
	world_finish(10);
	says(0, false, "cv 50.000%, done 1..3");
	says(1, false, "cv 50.000%, done 1..3");
	says(2, true, "400000 per second (4 done)");
	says(3, true, "1.300 CPUs");
	says(4, false, "nothing to compare with: no throughput under the scenario's own model");
	world_free();
}
END_TEST

START_TEST(ratios_in_compare)
{
	struct run_result own = { .throughput_milli = 300000000 };
	struct run_compare cmp = { .result = &result };
	struct scn_compare block = { .model = "other", .expect = list, .nexpect = 1 };

	reset(1, 1);
	from_to(add(SCN_EXPECT_RATIO, "?"), 1333332, 1333334);
	world_scn.expect = NULL;
	world_scn.compare = &block;
	world_scn.ncompare = 1;
	world_start();
	for (unsigned i = 0; i < 4; i++)
		rec(SIM_REC_DONE, 0, 0, -1u, 0, 0);
	world_finish(10);
	watch_judge_compare(watch, 0, &own, &cmp);
	ck_assert_uint_eq(cmp.nverdict, 1);
	ck_assert(cmp.verdict[0].met);
	ck_assert_str_eq(cmp.verdict[0].seen, "1.333 (400000 against 300000 per second)");
	watch_verdicts_free(cmp.verdict, cmp.nverdict);
	world_free();
}
END_TEST

/* What a run that was cut short has not shown is not met. */
START_TEST(cut_runs)
{
	reset(1, 0);
	from_to(about(SCN_EXPECT_NEVER_RUNS, 0, SCN_EQ, 0), 0, US(50));
	start();
	memset(&result, 0, sizeof(result));
	watch_finish(watch, US(10), false, &result);
	says(0, false, "it did not run (the run was cut short at 10us)");
	world_free();
}
END_TEST

/* -- arithmetic ---------------------------------------------------------------------------------------------- */

START_TEST(relations)
{
	static const struct { enum scn_rel rel; bool below, same, above; } cases[] = {
		{ SCN_LE, true, true, false }, { SCN_LT, true, false, false }, { SCN_EQ, false, true, false },
		{ SCN_GE, false, true, true }, { SCN_GT, false, false, true }, { SCN_NE, true, false, true },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		ck_assert(expect_rel(cases[i].rel, 4, 5) == cases[i].below);
		ck_assert(expect_rel(cases[i].rel, 5, 5) == cases[i].same);
		ck_assert(expect_rel(cases[i].rel, 6, 5) == cases[i].above);
	}
}
END_TEST

START_TEST(coefficients)
{
	static const struct { uint64_t x[4]; uint32_t n; uint64_t ppm; } cases[] = {
		{ { 5, 5, 5, 5 }, 4, 0 }, { { 0, 0 }, 2, 0 }, { { 1, 3 }, 2, 500000 }, { { 0, 10 }, 2, 1000000 },
		{ { 1, 2, 3, 4 }, 4, 447213 }, /* sqrt(1.25) / 2.5 */
		{ { 1000000000000, 3000000000000 }, 2, 500000 },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++)
		ck_assert_uint_eq(expect_cv_ppm(cases[i].x, cases[i].n), cases[i].ppm);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("run/expect");
	TCase *t = tcase_create("expect");
	SRunner *r;
	int failed;

	tcase_add_test(t, waits);
	tcase_add_test(t, grants);
	tcase_add_test(t, blocked);
	tcase_add_test(t, never_runs);
	tcase_add_test(t, finishes);
	tcase_add_test(t, prios);
	tcase_add_test(t, deadlocks);
	tcase_add_test(t, no_findings);
	tcase_add_test(t, unexpected_findings_stop);
	tcase_add_test(t, counts);
	tcase_add_test(t, rates);
	tcase_add_test(t, ratios_in_compare);
	tcase_add_test(t, cut_runs);
	tcase_add_test(t, relations);
	tcase_add_test(t, coefficients);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
