// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random programs: whatever tasks do with locks, signals, priorities and interrupts, a run
 * ends without a finding, and polling every spin changes no record. Locks are taken in
 * alphabetical order, so that no program can deadlock by its own fault.
 */
#include <check.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/prng.h"
#include "tests/unit/run/text_run.h"

#define PROGRAMS 120

static const char *const locks[][2] = {
	/* in the order in which they may be nested; spinlocks are innermost */
	{"f", "fifo"}, {"m", "mutex"}, {"p", "mutex { proxy on }"}, {"r", "rwsem"}, {"t", "rtmutex"}, {"u", "ticket"}, {"v", "qspinlock"},
};
#define NLOCKS G_N_ELEMENTS(locks)
#define FIRST_SPIN 5

static uint64_t key, drawn;
static GString *out;

static unsigned below(unsigned n)
{
	return (unsigned)(sim_draw(key, drawn++, 0) % n);
}

static const char *one_of(const char *const *list)
{
	unsigned n = 0;

	while (list[n])
		n++;
	return list[below(n)];
}

static const char *time_(void)
{
	static const char *const list[] = {"1us",   "exp(2us)",       "uniform(1us, 5us)",
					   "700ns", "3us * ($i + 1)", "lognormal(2us, 0.5)",
					   NULL};

	return one_of(list);
}

static void block(unsigned depth, unsigned next_lock, bool atomic);

static void in_braces(const char *head, unsigned depth, unsigned next_lock, bool atomic)
{
	g_string_append_printf(out, "%s { ", head);
	block(depth, next_lock, atomic);
	g_string_append(out, "}\n");
}

/* hold L … for some lock that may still be taken. */
static void hold(unsigned depth, unsigned next_lock, bool atomic)
{
	unsigned from = atomic && next_lock < FIRST_SPIN ? FIRST_SPIN : next_lock, which;
	const char *name, *how = "";
	g_autofree char *head = NULL;

	if (from >= NLOCKS)
		return;
	which = from + below(NLOCKS - from);
	name = locks[which][0];
	if (!below(3))
		how = " try";
	else if (*name == 't' && !below(3))
		how = " timeout 3us";
	else if (strchr("mprt", *name) && !below(4))
		how = below(2) ? " interruptible" : " killable";
	head = g_strdup_printf("%s %s%s",
			       *name != 'r' ? "hold"
			       : below(2)   ? "reading"
					    : "writing",
			       name, how);
	in_braces(head, depth - 1, which + 1, atomic || which >= FIRST_SPIN);
	if (*how)
		g_string_append(out, "else { run 1us  done failed }\n");
}

static void region(unsigned depth, unsigned next_lock, bool atomic)
{
	static const char *const atomics[] = {"preempt off", "irq off", NULL}, *const modes[] = {"kernel",
												 "fault",
												 NULL};
	bool more = below(2);

	in_braces(one_of(more ? atomics : modes), depth - 1, next_lock, atomic || more);
}

static void branches(unsigned depth, unsigned next_lock, bool atomic)
{
	g_string_append(out, "choose {\n");
	in_braces("2:", depth - 1, next_lock, atomic);
	in_braces("1:", depth - 1, next_lock, atomic);
	g_string_append(out, "}\n");
}

static void other_task(void)
{
	static const char *const what[] = {"signal", "signal", "kill", "set", NULL};
	static const char *const sched[] = {"fifo 5", "fifo 20", "nice 3", "rr 7", NULL};
	const char *verb = one_of(what);

	g_string_append_printf(out, "%s w%u[%u]", verb, below(2), below(4));
	if (!strcmp(verb, "set"))
		g_string_append_printf(out, " %s", one_of(sched));
	g_string_append_c(out, '\n');
}

static void point(bool atomic, bool free)
{
	static const char *const anywhere[] = {"touch m", "touch f", "done", "wake c", NULL};
	static const char *const sleepy[] = {"yield",          "resched",
					     "shootdown",      "wait c timeout 4us else { done failed }",
					     "sleep exp(2us)", NULL};

	if (free && !below(4))
		g_string_append(out, "take sem  run 1us  post sem\n");
	else
		g_string_append_printf(out, "%s\n", one_of(atomic || below(2) ? anywhere : sleepy));
}

static void statement(unsigned depth, unsigned next_lock, bool atomic)
{
	unsigned k = below(20);

	if (k < 6)
		g_string_append_printf(out, "run %s\n", time_());
	else if (k < 11 && depth)
		hold(depth, next_lock, atomic);
	else if (k < 12 && depth)
		in_braces(below(2) ? "loop 2" : "loop 3", depth - 1, next_lock, atomic);
	else if (k < 14 && depth)
		branches(depth, next_lock, atomic);
	else if (k < 16 && depth)
		region(depth, next_lock, atomic);
	else if (k < 18)
		other_task();
	else
		point(atomic, !next_lock && !atomic);
}

static void block(unsigned depth, unsigned next_lock, bool atomic)
{
	for (unsigned n = 1 + below(4); n; n--)
		statement(depth, next_lock, atomic);
}

static char *random_program(unsigned number)
{
	static const char *const machines[] = {"zero", "uniform", "westmere-ex-8s", NULL};
	static const char *const preempt[] = {"none", "voluntary", "full", "lazy", "rt", NULL};
	static const char *const extra[] = {"", "fair eevdf", "hz 250", "threads 2 smt_share 0.6", NULL};
	static const char *const sched[] = {
		"nice 0", "fifo 10", "fifo 10 + $i", "rr 5", "nice $i", "deadline 20us 100us", NULL};

	key = sim_stream(number, "random program", 0);
	drawn = 0;
	out = g_string_new(NULL);
	g_string_append_printf(out, "machine %s { sockets %u cores %u preempt %s %s }\n", one_of(machines),
			       1 + below(2), 1 + below(3), one_of(preempt), one_of(extra));
	for (unsigned i = 0; i < NLOCKS; i++)
		g_string_append_printf(out, "lock %s : %s%s\n", locks[i][0], locks[i][1],
				       i < 2 ? " { data 2 lines }" : "");
	g_string_append(out, "semaphore sem = 2\ncompletion c\nbarrier bar 8\n");
	for (unsigned g = 0; g < 2; g++) {
		g_string_append_printf(out, "task w%u[4] %s { loop %u {\n", g, one_of(sched), 2 + below(5));
		block(4, 0, false);
		g_string_append(out, "run 1us }  meet bar  run 1us }\n");
	}
	if (!below(3))
		g_string_append(out, "interrupt dev cpu 0 every 50us { run 500ns }\n");
	g_string_append(out, "run until done limit 2s\n");
	return g_string_free(out, FALSE);
}

/* The PI oracle disagrees with the rules about owners that are lowered: scenarios/pi/lowered-owner.lks. */
static bool is_known(const struct run_finding *f)
{
	return f->kind == RUN_FINDING_pi;
}

static void check_program(int number)
{
	struct run_options poll = {.poll = true};
	g_autofree char *text = random_program((unsigned)number);
	struct text_run *a = text_run(text, NULL), *b;

	if (a->result->nfinding && !is_known(&a->result->finding[0]))
		ck_abort_msg("program %d: %s\n%s", number, a->result->finding[0].text, text);
	if (!a->result->nfinding)
		ck_assert_msg(a->result->end == RUN_END_DONE, "program %d does not end:\n%s", number, text);
	b = text_run(text, &poll);
	ck_assert_msg(a->result->digest == b->result->digest, "program %d differs when polled:\n%s", number,
		      text);
	ck_assert_uint_eq(a->result->records, b->result->records);
	text_free(a);
	text_free(b);
}

START_TEST(polled_and_elided_runs_are_the_same)
{
	check_program(_i);
}
END_TEST

/* What wider runs found wrong once. */
static const int found[] = {
	1256, /* a fair task starved on a CPU that a real-time spinner kept busy */
	2021, /* a parked spinner did not hear that it had become real-time */
	2401, /* a completion's timeout fired while its waiter was awake, and was lost */
};

START_TEST(what_was_found)
{
	check_program(found[_i]);
}
END_TEST

/* [FROM TO]: other programs than those of every day; text N: prints one. */
int main(int argc, char **argv)
{
	int from = argc > 2 ? atoi(argv[1]) : 0, to = argc > 2 ? atoi(argv[2]) : PROGRAMS;
	Suite *s = suite_create("random programs");
	TCase *t = tcase_create("poll");
	SRunner *r;
	int failed;

	if (argc > 2 && !strcmp(argv[1], "text")) {
		g_autofree char *text = random_program((unsigned)to);

		fputs(text, stdout);
		return EXIT_SUCCESS;
	}
	tcase_add_loop_test(t, polled_and_elided_runs_are_the_same, from, to);
	if (argc == 1)
		tcase_add_loop_test(t, what_was_found, 0, G_N_ELEMENTS(found));
	tcase_set_timeout(t, 30);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
