// SPDX-License-Identifier: GPL-2.0-or-later
/* Execution: idle exit, IPIs, interrupts, SMT, steps, quiet and endless runs. */
#include "bench.h"

static struct sim_config plain(unsigned cores, unsigned threads)
{
	struct sim_config cfg = { .sockets = 1, .cores = cores, .threads = threads, .hz = 1000, .preempt = SIM_PREEMPT_FULL };

	cfg.costs.scalar[SIM_COST_relax] = NS(1);
	return cfg;
}

START_TEST(idle_depth_is_what_was_reached)
{
	struct sim_config cfg = plain(1, 1);
	static struct script s;

	s = (struct script){ 5, 0, { RUN(US(1)), SLEEP(US(3)), RUN(US(1)), SLEEP(US(50)), RUN(US(1)) }, { 0 } };
	cfg.costs.nidle = 2;
	cfg.costs.idle[0] = (struct sim_idle_state){ US(5), US(2) };
	cfg.costs.idle[1] = (struct sim_idle_state){ US(20), US(10) };
	cfg.costs.scalar[SIM_COST_context_switch] = NS(500);
	bench_start(&cfg);
	bench_task("t", 0, 0, 0, &s);
	sim_machine_run(SIM_NEVER, true);
	ck_assert_uint_eq(s.began[0], NS(500));
	/* slept at 1.5us; idle from 2.0us; 1 us of idleness is no state: no exit latency */
	ck_assert_uint_eq(s.began[2], US(3) + NS(500));
	/* idle from 5.0us to 50us: the deepest state; 10 us to leave it */
	ck_assert_uint_eq(s.began[4], US(60) + NS(500));
	bench_end();
}
END_TEST

static void wake_other(struct sim_task *t, void *arg)
{
	sim_wake(arg, SIM_TASK_NORMAL);
}

START_TEST(remote_preemption_takes_an_ipi)
{
	struct sim_config cfg = plain(2, 1);
	static struct script w, v, h;
	struct sim_task *high, *victim;

	cfg.costs.scalar[SIM_COST_ipi] = US(1);
	cfg.costs.scalar[SIM_COST_ipi_handler] = NS(300);
	h = (struct script){ 3, 0, { RUN(US(1)), { .kind = SIM_ACT_WAIT }, RUN(US(2)) }, { 0 } };
	v = (struct script){ 2, 0, { RUN(US(20)), RUN(1) }, { 0 } };
	bench_start(&cfg);
	high = bench_task("high", 0, 50, 0, &h);
	victim = bench_task("victim", 0, 10, US(2), &v);
	w = (struct script){ 1, 0, { CALL(wake_other, high) }, { 0 } };
	bench_task("waker", 1, 0, US(10), &w);
	sim_machine_run(SIM_NEVER, true);
	ck_assert_uint_eq(h.began[2], US(11) + NS(300));
	/* 20 us of work from 2us, minus nothing lost: 2 us of high and 0.3 us of handler in between */
	ck_assert_uint_eq(v.began[1], US(24) + NS(300));
	ck_assert_ptr_nonnull(bench_find(SIM_REC_RESCHED, victim, US(10)));
	bench_end();
}
END_TEST

START_TEST(interrupt_body_runs_on_top)
{
	struct sim_config cfg = plain(1, 1);
	static struct script t, irq;

	t = (struct script){ 2, 0, { RUN(US(10)), RUN(1) }, { 0 } };
	irq = (struct script){ 1, 0, { RUN(US(1)) }, { 0 } };
	cfg.costs.scalar[SIM_COST_irq_entry] = NS(200);
	bench_start(&cfg);
	bench_task("t", 0, 99, 0, &t);
	sim_irq_create("irq", 0, US(2), US(4), bench_program, &irq);
	sim_machine_run(US(100), true);
	/* at 2, 6 and 10: three times 1.2 us within the work */
	ck_assert_uint_eq(t.began[1], US(13) + NS(600));
	bench_end();
}
END_TEST

START_TEST(siblings_share_a_core)
{
	struct sim_config cfg = plain(1, 2);
	static struct script a, b;

	cfg.smt_share_ppm = 500000;
	a = (struct script){ 2, 0, { RUN(US(10)), RUN(1) }, { 0 } };
	b = (struct script){ 2, 0, { RUN(US(2)), SLEEP(US(100)) }, { 0 } };
	bench_start(&cfg);
	bench_task("a", 0, 0, 0, &a);
	bench_task("b", 1, 0, US(4), &b);
	sim_machine_run(SIM_NEVER, true);
	/* alone to 4us, half speed while b takes 4 us for its 2, then alone again: 4 + 4 + 4 */
	ck_assert_uint_eq(b.began[1], US(8));
	ck_assert_uint_eq(a.began[1], US(12));
	bench_end();
}
END_TEST

static uint64_t *word;

static void spin_for_ever(struct sim_task *t, void *arg)
{
	t->preempt_count++;
	while (!sim_access(SIM_LOAD, word, 8, 0, 0))
		sim_relax(SIM_SPIN_PLAIN);
}

START_TEST(stuck_spinner_is_quiet_even_with_ticks)
{
	struct sim_config cfg = plain(2, 1);
	static struct script s, o;

	cfg.costs.scalar[SIM_COST_tick] = US(1);
	s = (struct script){ 1, 0, { CALL(spin_for_ever, NULL) }, { 0 } };
	o = (struct script){ 1, 0, { RUN(SIM_MS * 5) }, { 0 } };
	bench_start(&cfg);
	word = sim_object_create("word", 8, 0);
	bench_task("s", 0, 0, 0, &s);
	bench_task("o", 1, 0, 0, &o);
	ck_assert_int_eq(sim_machine_run(SIM_S, false), SIM_STOP_QUIET);
	ck_assert_uint_ge(sim->now, SIM_MS * 5);
	ck_assert_uint_lt(sim->now, SIM_MS * 10);
	bench_end();
}
END_TEST

static void loads_for_ever(struct sim_task *t, void *arg)
{
	for (;;)
		sim_access(SIM_LOAD, word, 8, 0, 0);
}

START_TEST(a_spin_that_time_cannot_end)
{
	struct sim_config cfg = plain(1, 1);
	static struct script s;

	s = (struct script){ 1, 0, { CALL(loads_for_ever, NULL) }, { 0 } };
	bench_start(&cfg);
	word = sim_object_create("word", 8, 0);
	bench_task("s", 0, 0, 0, &s);
	ck_assert_int_eq(sim_machine_run(SIM_S, false), SIM_STOP_STILL);
	bench_end();
}
END_TEST

START_TEST(steps_are_bounded)
{
	struct sim_config cfg = plain(1, 1);
	static struct script s;

	cfg.costs.lat[SIM_OPC_LOAD][SIM_LINE_M][SIM_DIST_SELF] = NS(1);
	cfg.max_steps = 1000;
	s = (struct script){ 1, 0, { CALL(loads_for_ever, NULL) }, { 0 } };
	bench_start(&cfg);
	word = sim_object_create("word", 8, 0);
	bench_task("s", 0, 0, 0, &s);
	ck_assert_int_eq(sim_machine_run(SIM_S, false), SIM_STOP_STEPS);
	ck_assert_uint_le(sim->accesses, 1001);
	bench_end();
}
END_TEST

START_TEST(end_excludes_its_instant)
{
	struct sim_config cfg = plain(1, 1);
	static struct script s;

	s = (struct script){ 2, 0, { RUN(US(10)), RUN(1) }, { 0 } };
	bench_start(&cfg);
	bench_task("s", 0, 0, 0, &s);
	ck_assert_int_eq(sim_machine_run(US(10), false), SIM_STOP_END);
	ck_assert_uint_eq(s.next, 1);
	ck_assert_uint_eq(sim->now, US(10));
	bench_end();
}
END_TEST

static void add_tests(TCase *tc)
{
	tcase_add_test(tc, idle_depth_is_what_was_reached);
	tcase_add_test(tc, remote_preemption_takes_an_ipi);
	tcase_add_test(tc, interrupt_body_runs_on_top);
	tcase_add_test(tc, siblings_share_a_core);
	tcase_add_test(tc, stuck_spinner_is_quiet_even_with_ticks);
	tcase_add_test(tc, a_spin_that_time_cannot_end);
	tcase_add_test(tc, steps_are_bounded);
	tcase_add_test(tc, end_excludes_its_instant);
}

int main(void)
{
	return bench_main("exec", add_tests);
}
