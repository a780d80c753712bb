/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One mistake, one message; and what follows it is still read. */
#include <string.h>

#include <check.h>
#include <glib.h>

#include "fake.h"
#include "run.h"

/* Each text has one mistake, at a place where a parser likes to lose its way. */
static const char *const single[] = {
	"lock : mutex\nlock n : mutex\ntask t { hold n { run 1us } }\nrun for 1ms",
	"lock bus mutex\ntask t { hold bus { run 1us } }\nrun for 1ms",
	"lock bus : {\n data 4 lines }\ntask t { hold bus { run 1us } }\nrun for 1ms",
	"task t[4 nice 0 { loop { run 1us } }\ntask u { run 1us }\nrun for 1ms\nexpect finish u <= 1ms\nexpect finish t <= 1ms",
	"task t nice { loop { run 1us } }\nrun for 1ms",
	"task t bogus 5 { loop { choose { 1: { run 1us } } } }\nrun for 1ms",
	"task t { loop { run } run 1us }\nrun for 1ms",
	"task t { loop 5 run 1us }\nrun for 1ms",
	"task t { choose { 1 { run 1us } 2: { run 2us } } run 3us }\nrun for 1ms",
	"task t { choose { 1: run 1us 2: { run 2us } } run 3us }\nrun for 1ms",
	"lock m : mutex\ntask t { lock m try esle { exit } run 1us unlock m }\nrun for 1ms",
	"lock m : mutex\ntask t { lock m, run 1us unlock m }\nrun for 1ms",
	"task t { hold { run 1us } run 1us }\nrun for 1ms",
	"task t { run (1us + 2us run 3us }\nrun for 1ms",
	"task t { run exp() run 3us }\nrun for 1ms",
	"task t { mark run 1us }\nrun for 1ms",
	"task t { set t run 1us }\nrun for 1ms",
	"task t { preempt { run 1us } run 2us }\nrun for 1ms",
	"machine { sockets cores 4 }\ntask t { run 1us }\nrun for 1ms",
	"machine { preempt hz 250 }\ntask t { run 1us }\nrun for 1ms",
	"task t { run 1us }\nrun 1ms",
	"task t { run 1us }\nrun for 1ms\nexpect wait t\nexpect no deadlock",
	"task t { run 1us }\nrun for 1ms\nexpect\nexpect no deadlock",
	"lock m : mutex\ntask t { hold m { run 1us } }\nrun for 1ms\ncompare m : rtmutex {\n expect count m >=\n expect no deadlock }",
	"lock m : mutex\ntask t { hold m { run 1us } }\nrun for 1ms\ncompare m rtmutex { expect no deadlock }",
	"lokc bus : mutex\ntask t { hold bus { run 1us } unlock bus }\nrun for 1ms\nexpect count bus = 1",
	"param think 5us\ntask t { run think sleep think }\nrun for 1ms",
	"param think = 5uss\ntask t { run think sleep think * 2 }\nrun for 1ms",
	"semaphore s 4\ntask t { take s run 1us post s }\nrun for 1ms",
	"barrier b\ntask t { meet b run 1us }\nrun for 1ms",
	"task t {\n    loop {\n        run 1us\n}\n\nrun for 1ms\nexpect no deadlock",
	"task t {\n    loop {\n        run 1us\n    }\n\nlock m : mutex\nrun for 1ms",
	"task t { run 1us }\n}\nrun for 1ms",
	"interrupt net every 1ms { run 1us }\ntask t { run 1us }\nrun for 1ms",
	"scenario \"x\ntask t { run 1us }\nrun for 1ms",
	"about 5\ntask t { run 1us }\nrun for 1ms",
	"\"stray\"\ntask t { run 1us }\nrun for 1ms",
	"lock m : mutex\ndirector {\n  tell t lokc m\n  await t holds m\n  tell t unlock m\n}\ntask t { }\nrun for 1ms",
	"task t { run 1us; run 2us; }\nrun for 1ms;",
	"task t { run 1us } % \nrun for 1ms",
};

START_TEST(one_message)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(single); i++)
		fake_one(single[i]);
}
END_TEST

static unsigned count(const char *text)
{
	struct sim_diags diags = { 0 };
	struct scenario *scn = fake_parse(text, NULL, &diags);
	unsigned n = diags.count;

	scenario_free(scn);
	scenario_diags_finish(&diags);
	return n;
}

START_TEST(each_is_told)
{
	ck_assert_uint_eq(count("lock a\nlock b\ntask t { run 5 sleep 6 lock }\nrun for 7\nexpect no"), 7);
	ck_assert_uint_eq(count("task t {\n hold x { run 1 }\n hold y { run 2 }\n}\nrun for 1ms"), 4);
	ck_assert_uint_eq(count("machine {\n hz\n cores x\n sockets 1us\n}\ntask t { run 1us }\nrun for 1ms"), 3);
}
END_TEST

START_TEST(ten_at_most)
{
	g_autoptr(GString) text = g_string_new("");

	for (int i = 0; i < 1000; i++)
		g_string_append_printf(text, "task t%d { run 5 }\n", i);
	ck_assert_uint_eq(count(text->str), SIM_DIAG_MAX);
}
END_TEST

/* Messages come in the order of the text, whatever pass found them. */
START_TEST(order)
{
	struct sim_diags diags = { 0 };

	ck_assert_ptr_null(fake_parse("task t { lock nobody run 5 signal no_one }\nrun for 1ms\nexpect what", NULL, &diags));
	ck_assert_uint_eq(diags.count, 4);
	ck_assert_uint_eq(diags.list[0].code, SIM_DIAG_unknown_lock);
	ck_assert_uint_eq(diags.list[1].code, SIM_DIAG_missing_unit);
	ck_assert_uint_eq(diags.list[2].code, SIM_DIAG_unknown_task);
	ck_assert_uint_eq(diags.list[3].code, SIM_DIAG_unknown_expectation);
	scenario_diags_finish(&diags);
}
END_TEST

START_TEST(positions)
{
	struct sim_diags diags = { 0 };

	ck_assert_ptr_null(fake_parse("# comment\n\n\ttask t { run 5 }\nrun for 1ms", NULL, &diags));
	ck_assert_uint_eq(diags.list[0].pos.line, 3);
	ck_assert_uint_eq(diags.list[0].pos.column, 15);
	ck_assert_uint_eq(diags.list[0].pos.width, 1);
	ck_assert_str_eq(diags.list[0].pos.source->path, "test.lks");
	scenario_diags_finish(&diags);
}
END_TEST

/* A byte-order mark and Windows line ends change nothing. */
START_TEST(foreign_ends)
{
	struct scenario *scn = fake_good("\xef\xbb\xbftask t {\r\n run 1us\r\n}\r\nrun for 1ms\r\n");

	ck_assert_uint_eq(scn->ntask, 1);
	ck_assert_uint_eq(scn->task[0].body->pos.line, 2);
	scenario_free(scn);
}
END_TEST

/* Every text that is cut off somewhere is refused or good, and never asserts. */
START_TEST(cut_anywhere)
{
	static const char text[] = "scenario \"x\" include \"y\" machine uniform { cost ipi 5ns preempt full smt_share 0.5 }\n"
				   "param p = 2us * (3 + 1) lock a[3] : rwsem-3.12 { data 4 lines handoff 4ms batch 7 } semaphore s = 2\n"
				   "task t[3] fifo 5 + $i cpus 0-1, 2 spread { read a[$i] timeout exp(p) try else { exit } "
				   "choose { decay($K, 5): { run choice(1us: 1, 2us: 2) } else: { } } until 5ms { break } }\n"
				   "interrupt i cpu 0 every 1ms from 2ms { run 1us } run for 10ms warmup 1ms seed 4\n"
				   "expect grants a[0] = t[1] t expect prio t[0] at 5ms = nice -5 expect throughput >= 100/s\n"
				   "compare a : rwsem-3.16 { handoff 1ms expect throughput ratio 1.2..1.6 expect result t = -EINTR }\n";
	g_autofree char *cut = NULL;

	for (size_t len = 0; len < sizeof(text); len++) {
		cut = g_strndup(text, len);
		count(cut);
		g_clear_pointer(&cut, g_free);
	}
	for (size_t at = 0; at + 1 < sizeof(text); at++)
		for (unsigned i = 0; i < 6; i++) {
			cut = g_strdup(text);
			cut[at] = "{}(\"5x"[i];
			count(cut);
			g_clear_pointer(&cut, g_free);
		}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { one_message, each_is_told, ten_at_most, order, positions, foreign_ends, cut_anywhere };

	return run_tests("recovery", tests, G_N_ELEMENTS(tests));
}
