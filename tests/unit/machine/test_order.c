// SPDX-License-Identifier: GPL-2.0-or-later
/* The door for open orders: what may come in any order is chosen, and nothing else. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/machine/rig.h"

static uint32_t *word;
static char seen[16];

/* Two marked accesses; notes whose each of them was when it took effect. */
static void twice(struct sim_task *task, void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < 2; i++) {
		sim_access(SIM_ADD, word, 4, 1, 0);
		strcat(seen, task->name);
	}
}

/* Two CPUs at the same instant. True: @order has what came first, second … */
static void race(void)
{
	rig_config(2);
	rig_start();
	word = sim_object_create("word", 4, 0);
	*seen = 0;
	TASK("a", FIFO(1), 0, 0, CALL(twice));
	TASK("b", FIFO(1), 1, 0, CALL(twice));
	ck_assert_uint_eq(rig_run(SIM_S), SIM_STOP_DONE);
	ck_assert_uint_eq(*word, 4);
	rig_stop();
}

START_TEST(fixed_takes_the_order_of_keys)
{
	sim_choice_init(&rig_choice, SIM_CHOICE_FIXED, 1);
	race();
	ck_assert_str_eq(seen, "aabb");
	ck_assert_uint_eq(rig_choice.len, 0); /* the door is not even asked */
}
END_TEST

/*
 * Each CPU has five steps at this instant, one event each: it leaves idle and begins to switch; the switch is
 * complete and the first access is issued; the first takes effect and the second is issued; the second takes effect,
 * the task exits and the switch to idle begins; the switch is complete. Two sequences of five interleave in
 * 10!/(5! 5!) = 252 ways, for each of the 2 orders in which the tasks arrive.
 */
START_TEST(odometer_visits_every_interleaving_once)
{
	static const char *const orders[] = {"aabb", "abab", "abba", "baab", "baba", "bbaa"};
	unsigned runs = 0, times[6] = {0};
	char *last = NULL, *text;

	sim_choice_init(&rig_choice, SIM_CHOICE_ODOMETER, 1);
	do {
		unsigned k = 0;

		race();
		while (k < 6 && strcmp(seen, orders[k]))
			k++;
		ck_assert_uint_lt(k, 6);
		times[k]++;
		runs++;
		text = sim_choice_print(&rig_choice);
		ck_assert(!last || strcmp(text, last));
		free(last);
		last = text;
	} while (sim_choice_next(&rig_choice));
	free(last);
	ck_assert_uint_eq(runs, 2 * 252);
	for (unsigned k = 0; k < 6; k++) /* and every order of the four accesses is among them */
		ck_assert_msg(times[k], "never %s", orders[k]);
	ck_assert_uint_eq(times[0], times[5]); /* the two CPUs are alike */
	ck_assert_uint_eq(times[1], times[4]);
	ck_assert_uint_eq(times[2], times[3]);
	sim_choice_finish(&rig_choice);
}
END_TEST

/* What costs time is not open: the first CPU is done before the second begins. */
START_TEST(different_times_are_no_choice)
{
	sim_choice_init(&rig_choice, SIM_CHOICE_SEEDED, 1);
	rig_config(2);
	rig_start();
	word = sim_object_create("word", 4, 0);
	*seen = 0;
	TASK("a", FIFO(1), 0, 0, CALL(twice));
	TASK("b", FIFO(1), 1, 5, CALL(twice));
	rig_run(SIM_S);
	rig_stop();
	ck_assert_str_eq(seen, "aabb");
	ck_assert_uint_eq(rig_choice.len, 0);
	sim_choice_finish(&rig_choice);
}
END_TEST

/* -- who wins a line ------------------------------------------------------------------------- */

#define CPUS 4
static sim_time got[CPUS];

static void once(struct sim_task *task, void *arg)
{
	(void)arg;
	sim_access(SIM_ADD, word, 4, 1, 0);
	got[task->id] = sim->now;
}

/* Four CPUs miss the same line at one instant; its home serves one per 10 ns: 4! orders, each by some schedule. */
START_TEST(any_order_of_winning_a_line)
{
	bool order[256] = {false};
	unsigned orders = 0;

	for (unsigned seed = 0; seed < 400; seed++) {
		unsigned code = 0;

		sim_choice_init(&rig_choice, SIM_CHOICE_SEEDED, seed);
		rig_config(CPUS);
		for (unsigned opc = 0; opc < SIM_OPC_COUNT; opc++)
			for (unsigned d = 0; d < SIM_DIST_COUNT; d++)
				rig_cfg.costs.occ[opc][d] = 10 * SIM_NS;
		rig_start();
		word = sim_object_create("word", 4, 0);
		for (unsigned i = 0; i < CPUS; i++)
			TASK("t", FIFO(1), (int)i, 0, CALL(once));
		rig_run(SIM_S);
		for (unsigned i = 0; i < CPUS; i++) {
			ck_assert_uint_eq(got[i] % (10 * SIM_NS), 0);
			ck_assert_uint_lt(got[i], 40 * SIM_NS);
			code |= (unsigned)(got[i] / (10 * SIM_NS)) << 2 * i;
		}
		rig_stop();
		sim_choice_finish(&rig_choice);
		orders += !order[code];
		order[code] = true;
	}
	ck_assert_uint_eq(orders, 24);
}
END_TEST

/* -- what stays in order ------------------------------------------------------------------------ */

static void note(struct sim_cpu *cpu, void *arg)
{
	(void)cpu;
	strcat(seen, arg);
}

static void calls(struct sim_task *task, void *arg)
{
	static char one[] = "1", two[] = "2", three[] = "3";

	(void)task;
	(void)arg;
	sim_call_cpu(1, note, one);
	sim_call_cpu(1, note, two);
	sim_call_cpu(1, note, three);
}

START_TEST(calls_to_one_cpu_stay_in_order)
{
	for (unsigned seed = 0; seed < 50; seed++) {
		sim_choice_init(&rig_choice, SIM_CHOICE_SEEDED, seed);
		rig_config(3);
		rig_start();
		*seen = 0;
		TASK("a", FIFO(1), 0, 0, CALL(calls));
		TASK("b", FIFO(1), 2, 0, RUN(SIM_MS));
		rig_run(SIM_S);
		rig_stop();
		ck_assert_str_eq(seen, "123");
		sim_choice_finish(&rig_choice);
	}
}
END_TEST

/* Nothing at the end of the window happens, however the order is chosen. */
START_TEST(the_end_comes_first)
{
	for (unsigned seed = 0; seed < 20; seed++) {
		sim_choice_init(&rig_choice, SIM_CHOICE_SEEDED, seed);
		rig_config(2);
		rig_start();
		word = sim_object_create("word", 4, 0);
		TASK("a", FIFO(1), 0, SIM_MS, CALL(twice));
		TASK("b", FIFO(1), 1, SIM_MS, CALL(twice));
		ck_assert_uint_eq(rig_run(SIM_MS), SIM_STOP_END);
		ck_assert_uint_eq(*word, 0);
		rig_stop();
		sim_choice_finish(&rig_choice);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("order");
	TCase *t = tcase_create("order");
	SRunner *r;
	int failed;

	tcase_add_test(t, fixed_takes_the_order_of_keys);
	tcase_add_test(t, odometer_visits_every_interleaving_once);
	tcase_add_test(t, different_times_are_no_choice);
	tcase_add_test(t, any_order_of_winning_a_line);
	tcase_add_test(t, calls_to_one_cpu_stay_in_order);
	tcase_add_test(t, the_end_comes_first);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
