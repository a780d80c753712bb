/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must not be complained about: each check's other side. The mistakes themselves are in tests/bad. */
#include <string.h>

#include <check.h>
#include <glib.h>

#include "fake.h"
#include "run.h"

/* Bodies of a task (see fake_task()) that must pass without a word. */
static const char *const good[] = {
	/* held on every path, on some, in an earlier turn */
	"lock m run 1us unlock m",
	"loop { lock m unlock m }",
	"lock m loop 3 { unlock m run 1us lock m } unlock m",
	"loop { choose { 1: { lock m } 1: { run 1us } } break } unlock m",
	"choose { 1: { lock m } 1: { lock m } } unlock m",
	"lock m try else { exit } unlock m",
	"lock m try else { lock m } unlock m",
	"loop { lock m try else { break } unlock m }",
	"lock arr[$i] unlock arr[$i] lock arr[0] unlock arr[0]",
	"loop 4 { lock arr[$k] } loop 4 { unlock arr[$k] }",
	"lock arr[uniform(0, 3)] unlock arr[2]",
	"loop { read r downgrade r unlock r run 1us }",
	"lock m until 5ms { run 1us } unlock m",
	"hold m { unlock m run 1us lock m }",
	/* sleeping where it is allowed */
	"hold m { sleep 1us hold r { run 1us } }",
	"lock s unlock s sleep 1us",
	"hold s { lock m try else { exit } unlock m }",
	"preempt off { lock m try else { exit } unlock m }",
	"preempt off { hold s { run 1us } }",
	"irq off { run 1us } sleep 1us",
	"choose { 1: { lock s } 1: { run 1us } } sleep 1us",
	"kernel { hold m { sleep 1us } } fault { hold r { run 1us } }",
	/* loops that take time or end */
	"loop { break }",
	"loop { exit }",
	"loop { choose { 1: { run 1us } 9: { } } }",
	"loop 1000000000 { done }",
	"loop { loop 2 { yield } }",
	"loop { sleep exp(1us) }",
	"loop { hold m { } }",
	/* failures */
	"lock m interruptible else { } run 1us",
	"lock pi timeout 1ms else { exit } unlock pi",
	"lock pi else { exit } unlock pi", /* deadlock detection answers without being asked */
	"wait c timeout 1ms interruptible else { } take sem try else { }",
};

START_TEST(bodies)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(good); i++) {
		g_autofree char *text = fake_task(good[i]);

		scenario_free(fake_good(text));
	}
}
END_TEST

START_TEST(interrupts)
{
	scenario_free(fake_good("lock s : ticket semaphore sem = 0 completion c task t { take sem wait c } "
				"interrupt net cpu 3 every exp(1ms) { hold s { run 1us } post sem wake c signal t } run for 1ms"));
}
END_TEST

START_TEST(ends)
{
	scenario_free(fake_good("task t { loop 5 { run 1us } } run until done"));
	scenario_free(fake_good("task t { loop { run 1us choose { 1: { break } 9: { } } } } run until done"));
	scenario_free(fake_good("task t { loop { run 1us } } run until done limit 1ms"));
	scenario_free(fake_good("task t { until 5ms { run 1us } } run until done"));
	scenario_free(fake_good("task t { run 1us } interrupt i cpu 0 every 1ms { run 1us } run until done"));
	ck_assert_uint_eq(fake_one("task t { loop { run 1us loop { run 1us break } } } run until done"), SIM_DIAG_never_ends);
}
END_TEST

START_TEST(compare_models)
{
	scenario_free(fake_good("lock m : rwsem task t { write m run 1us unlock m done } run for 1ms "
				"compare m : mutex { spin on expect throughput ratio 0.5..2 }"));
	scenario_free(fake_good("lock m : rwsem task t { read m run 1us unlock m } run for 1ms "
				"compare m : rwsem-3.12 { expect event rwsem_rlock_steal m >= 0 }"));
	ck_assert_uint_eq(fake_one("lock m : rwsem task t { read m unlock m read m unlock m } run for 1ms "
				   "compare m : ticket { } expect no deadlock"), SIM_DIAG_no_shared_mode);
}
END_TEST

/* Without a vocabulary nothing is known of models and machines, and nothing is said about them. */
START_TEST(no_vocabulary)
{
	static const char text[] = "machine nowhere { cost nothing 5ns } lock m : whatever { colour 5us } "
				   "task t cpu 77 { read m timeout 5us else { } run 1us } run for 1ms expect event x >= 1";
	struct sim_diags diags = { 0 };
	struct scenario *scn = scenario_parse("x.lks", text, strlen(text), NULL, &diags);

	ck_assert_ptr_nonnull(scn);
	ck_assert_uint_eq(diags.count, 0);
	scenario_free(scn);
}
END_TEST

START_TEST(wakeall)
{
	struct scn_vocabulary poor = fake_vocabulary;
	struct scn_options options = { .vocabulary = &poor };
	struct sim_diags diags = { 0 };
	static const char text[] = "completion c task t { wakeall c } run for 1ms";

	scenario_free(scenario_parse("x.lks", text, strlen(text), &options, &diags));
	ck_assert_uint_eq(diags.count, 0);
	poor.model_info = fake_poor_info;
	ck_assert_ptr_null(scenario_parse("x.lks", text, strlen(text), &options, &diags));
	ck_assert_uint_eq(diags.list[0].code, SIM_DIAG_no_wakeall);
	scenario_diags_finish(&diags);
}
END_TEST

/* A text is read the same twice: no order of a hash table reaches the tree or the messages. */
START_TEST(same_twice)
{
	static const char text[] = "lock zeta : mutex lock alpha : mutexx lock mid : rwsm task t { lock zeto lock alpho } run for 1ms";
	char *first = fake_messages(text, NULL), *second = fake_messages(text, NULL);

	ck_assert_str_eq(first, second);
	free(first);
	free(second);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { bodies, interrupts, ends, compare_models, no_vocabulary, wakeall, same_twice };

	return run_tests("checks", tests, G_N_ELEMENTS(tests));
}
