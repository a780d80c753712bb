// SPDX-License-Identifier: GPL-2.0-or-later
/* Ends of runs, limits, files, and the registry of models. */
#include <check.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/registry.h"
#include "tests/unit/run/text_run.h"

#define ZERO "machine zero { sockets 1 cores 2 }\n"

START_TEST(endless_instant)
{
	static const char *const texts[] = {
		ZERO "task a fifo 1 { loop { choose { 1: { done } 0: { run 1ms } } } }\nrun for 1s\nexpect "
		     "finding endless-instant\n",
		ZERO "lock l : ticket\ntask a fifo 1 { loop { hold l { choose { 1: { } 0: { run 1ms } } } } "
		     "}\nrun for 1s\nexpect finding endless-instant\n",
		ZERO "task a fifo 1 { until 1s { yield  choose { 1: { } 0: { run 1ms } } } }\nrun for "
		     "1s\nexpect finding endless-instant\n",
	};

	for (unsigned i = 0; i < 3; i++) {
		struct text_run *t = text_run(texts[i], NULL);

		ck_assert_uint_ge(t->result->nfinding, 1);
		ck_assert_int_eq(t->result->finding[0].kind, RUN_FINDING_endless_instant);
		ck_assert_str_eq(t->result->finding[0].task, "a");
		ck_assert_int_eq(t->result->end, RUN_END_FINDING);
		text_free(t);
	}
}
END_TEST

START_TEST(windows)
{
	static const char text[] = ZERO "task a fifo 1 { loop 10 { run 1ms  done } }\n";
	static const struct {
		const char *run;
		struct run_options o;
		enum run_end end;
		sim_time until;
		uint64_t done;
	} cases[] = {
		{"run for 5ms", {0}, RUN_END_TIME, 5 * SIM_MS, 4},
		{"run for 20ms", {0}, RUN_END_TIME, 20 * SIM_MS, 10}, /* all have exited: the window stays */
		{"run until done", {0}, RUN_END_DONE, 10 * SIM_MS, 10},
		{"run until done limit 3ms", {0}, RUN_END_TIME, 3 * SIM_MS, 2},
		{"run for 5ms", {.max_time = 2500 * SIM_US}, RUN_END_TIME, 2500 * SIM_US, 2},
		{"run for 5ms warmup 2ms", {0}, RUN_END_TIME, 5 * SIM_MS, 3},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *all = g_strdup_printf("%s%s\n", text, cases[i].run);
		struct text_run *t = text_run(all, &cases[i].o);

		ck_assert_int_eq(t->result->end, cases[i].end);
		ck_assert_uint_eq(t->result->until, cases[i].until);
		ck_assert_uint_eq(t->result->done, cases[i].done);
		text_free(t);
	}
}
END_TEST

START_TEST(limits_and_signals)
{
	static const char text[] = ZERO "task a fifo 1 { loop { run 1us } }\nrun for 10s\n";
	static const volatile int on = 1;
	struct run_options steps = {.max_steps = 1000}, stop = {.interrupted = &on};
	struct text_run *t = text_run(text, &steps);

	ck_assert_int_eq(t->result->end, RUN_END_STEPS);
	ck_assert_int_eq(run_exit_status(t->result), 3);
	text_free(t);
	t = text_run(text, &stop);
	ck_assert_int_eq(t->result->end, RUN_END_INTERRUPTED);
	ck_assert_uint_lt(t->result->until, SIM_S);
	ck_assert_int_eq(run_exit_status(t->result), 130);
	text_free(t);
}
END_TEST

/* 100 days and again 100 days are more than the clock has. */
START_TEST(the_end_of_time)
{
	static const char *const texts[] = {
		ZERO "task a fifo 1 { loop { sleep 8640000s  done } }\nrun until done limit 18000000s\n",
		ZERO "task a fifo 1 { loop 5 { run 8640000s  done } }\nrun until done\n",
		ZERO "task a fifo 1 { loop 5 { run 8640000s * ($k + 1000000000)  done } }\nrun until done\n",
	};

	for (unsigned i = 0; i < 3; i++) {
		struct text_run *t = text_run(texts[i], NULL);

		ck_assert_int_eq(t->result->end, RUN_END_TIME);
		ck_assert_uint_le(t->result->until, SIM_NEVER / 2);
		ck_assert_uint_eq(t->result->done, i < 2);
		text_free(t);
	}
}
END_TEST

START_TEST(trace_files)
{
	static const char text[] =
		ZERO "lock l : mutex\ntask a fifo 1 { hold l { run 1ms  mark \"in\" } }\nrun until done\n";
	struct run_options none = {.trace_path = "/nonexistent/trace.lst"},
			   full = {.trace_path = "/dev/full"};
	struct text_run *t = text_run(text, &none);

	ck_assert_ptr_null(t->result);
	ck_assert_ptr_nonnull(strstr(t->error, "/nonexistent/trace.lst: "));
	text_free(t);
	t = text_run(text, &full);
	ck_assert_ptr_null(t->result);
	ck_assert_ptr_nonnull(strstr(t->error, "/dev/full: No space left"));
	text_free(t);
	t = text_run(text, NULL); /* nothing of the failed runs is left */
	ck_assert_int_eq(t->result->end, RUN_END_DONE);
	text_free(t);
}
END_TEST

static struct sim_names seen;
static char *seen_lock;

static void take_names(void *user, const struct sim_names *names)
{
	seen = *names;
	seen_lock = strdup(names->lock[1]);
	ck_assert_str_eq(names->task[1], "w[1]");
	ck_assert_str_eq(names->string[0], "half way");
	ck_assert_str_eq(names->lock_model[0], "mutex");
}

START_TEST(names)
{
	struct run_options o = {.names = take_names};
	struct text_run *t = text_run(ZERO "lock l[2] : mutex\n"
					   "task w[2] fifo 1 { hold l[$i] { mark \"half way\" } }\n"
					   "interrupt dev cpu 0 every 1ms { run 1us }\nrun for 1ms\n",
				      &o);

	ck_assert_uint_eq(seen.ncpus, 2);
	ck_assert_uint_eq(seen.ntasks, 3);
	ck_assert_uint_eq(seen.nlocks, 2);
	ck_assert_str_eq(seen_lock, "l[1]");
	ck_assert_uint_eq(text_find(t, SIM_REC_MARK, 2, 0)->obj, 1);
	ck_assert_str_eq(t->result->lock[1].name, "l[1]"); /* outlives the machine */
	free(seen_lock);
	text_free(t);
}
END_TEST

START_TEST(bare_runs_have_no_records)
{
	struct run_options bare = {.bare = true};
	struct text_run *t = text_run(
				ZERO
				"lock l : fifo\ntask w[2] fifo 1 cpu $i { loop 100 { hold l { run 1us } } }\n"
				"run until done\n",
				&bare),
			*full;

	ck_assert_int_eq(t->result->end, RUN_END_DONE);
	ck_assert_uint_eq(t->result->records, 0);
	ck_assert_uint_gt(t->result->accesses, 0);
	full = text_run("machine zero { sockets 1 cores 2 }\nlock l : fifo\n"
			"task w[2] fifo 1 cpu $i { loop 100 { hold l { run 1us } } }\nrun until done\n",
			NULL);
	ck_assert_uint_eq(full->result->accesses, t->result->accesses);
	text_free(full);
	text_free(t);
}
END_TEST

/* -- the registry ---------------------------------------------------------------------------- */

static void init(void *lock, const uint64_t *params)
{
}

static int lock(void *l, struct lock_req *req)
{
	return 0;
}

static void unlock(void *l, struct lock_req *req)
{
}

static const struct lock_model good = {
	.abi = LOCK_MODEL_ABI,
	.name = "good-1.0",
	.mirrors = "nothing",
	.summary = "a test",
	.size = 8,
	.init = init,
	.lock = lock,
	.unlock = unlock,
};

START_TEST(complaints)
{
	static const struct lock_param twice[] = {
		{.name = "a", .help = "x"}, {.name = "a", .help = "y"}, {0}};
	static const struct lock_param flag[] = {
		{.name = "a", .unit = LOCK_PARAM_FLAG, .fallback = 2, .help = "x"}, {0}};
	struct lock_model bad[10];

	ck_assert_ptr_null(registry_complaint(&good));
	for (unsigned i = 0; i < 10; i++)
		bad[i] = good;
	bad[0].abi++;
	bad[1].name = "Bad name";
	bad[2].name = "";
	bad[3].size = 0;
	bad[4].unlock = NULL;
	bad[5].caps = LOCK_CAP_DOWNGRADE | LOCK_CAP_SHARED;
	bad[6].caps = LOCK_CAP_PI;
	bad[7].params = twice;
	bad[8].params = flag;
	bad[9].summary = NULL;
	for (unsigned i = 0; i < 10; i++)
		ck_assert_msg(registry_complaint(&bad[i]) != NULL, "number %u was let through", i);
}
END_TEST

START_TEST(known_models)
{
	unsigned n;
	const struct lock_model *const *all = registry_all(&n);

	ck_assert_uint_gt(n, 5);
	for (unsigned i = 0; i < n; i++) {
		ck_assert_ptr_eq(registry_find(all[i]->name), all[i]);
		ck_assert(i == 0 || strcmp(all[i - 1]->name, all[i]->name) < 0);
	}
	ck_assert_ptr_null(registry_find("no-such-model"));
	ck_assert_str_eq(registry_nearest("mutx"), "mutex");
	ck_assert_ptr_null(registry_nearest("zzzzzzzzzzzz"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("program limits");
	TCase *t = tcase_create("runs"), *reg = tcase_create("registry");
	SRunner *r;
	int failed;

	tcase_add_test(t, endless_instant);
	tcase_add_test(t, windows);
	tcase_add_test(t, limits_and_signals);
	tcase_add_test(t, the_end_of_time);
	tcase_add_test(t, trace_files);
	tcase_add_test(t, names);
	tcase_add_test(t, bare_runs_have_no_records);
	suite_add_tcase(s, t);
	tcase_add_test(reg, complaints);
	tcase_add_test(reg, known_models);
	suite_add_tcase(s, reg);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
