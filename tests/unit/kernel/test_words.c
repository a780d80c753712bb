// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel words that need a machine: sleeping, waking, timers, per-CPU data, checks, records. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/kernel/world.h"

#include "sim/kernel/host.h"

#include "sim/kernel/words.h"

#define U SIM_US

static struct fixture {
	unsigned order[8], n;
	sim_time at[8];
	struct task_struct *task[8];
	long result;
	bool flag;
} f;

static struct fixture *g; /* @f's twin in simulated memory */

static void open_world(void)
{
	world_open();
	g = sim_object_create("g", sizeof(*g), 0);
	memset(&f, 0, sizeof(f));
}

static void note(unsigned what)
{
	ck_assert_uint_lt(f.n, 8);
	f.at[f.n] = sim->now;
	f.order[f.n++] = what;
}

static void just_note(void *arg)
{
	note((unsigned)(uintptr_t)arg);
}

/* -- sleeping and waking -- */

static void sleeper(void *arg)
{
	f.task[(uintptr_t)arg] = current;
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule();
	note((unsigned)(uintptr_t)arg);
}

static void waker(void *arg)
{
	DEFINE_WAKE_Q(q);
	DEFINE_WAKE_Q(other);

	ck_assert(wake_q_empty(&q));
	wake_q_add(&q, f.task[2]);
	wake_q_add(&q, f.task[1]);
	wake_q_add(&other, f.task[2]); /* in q already: q's owner will wake it */
	ck_assert(wake_q_empty(&other) && !wake_q_empty(&q));
	get_task_struct(f.task[3]);
	wake_q_add_safe(&q, f.task[3]);
	get_task_struct(f.task[3]);
	wake_q_add_safe(&other, f.task[3]); /* drops the reference */
	ck_assert_int_eq(f.task[3]->usage, 2);
	sim_spend(3 * U);
	wake_up_q(&q);
	f.flag = true;
	note(9);
}

START_TEST(wake_queues)
{
	world_config(4);
	sim_cost_set(&world_cfg.costs, "wake", 2 * U);
	open_world();
	world_task("w", 0, 0, 10 * U, waker, NULL);
	for (unsigned i = 1; i < 4; i++)
		world_task("s", i, 0, 0, sleeper, (void *)(uintptr_t)i);
	world_run(SIM_MS);
	ck_assert_uint_eq(f.n, 4);
	/* order of insertion, each wake-up paid; at 19 CPU 0 goes before CPU 3 */
	ck_assert(f.order[0] == 2 && f.order[1] == 1 && f.order[2] == 9 && f.order[3] == 3);
	ck_assert_uint_eq(f.at[0], 15 * U);
	ck_assert_uint_eq(f.at[1], 17 * U);
	ck_assert_uint_eq(f.at[3], 19 * U);
	for (unsigned i = 1; i < 4; i++) {
		ck_assert_int_eq(f.task[i]->usage, 1);
		ck_assert_ptr_null(f.task[i]->wake_q.next);
	}
	ck_assert_str_eq(world_findings, "");
	world_close();
}
END_TEST

static void wake_runner(void *arg)
{
	ck_assert_int_eq(wake_up_process(current), 0); /* it is running */
	set_current_state(TASK_INTERRUPTIBLE);
	ck_assert_int_eq(wake_up_state(current, TASK_UNINTERRUPTIBLE), 0);
	ck_assert_int_eq(wake_up_process(current), 1);
	ck_assert_int_eq(get_current_state(), TASK_RUNNING);
	schedule(); /* does not sleep */
	note(1);
}

START_TEST(waking_oneself_is_free)
{
	world_config(1);
	sim_cost_set(&world_cfg.costs, "wake", 2 * U);
	open_world();
	world_task("w", 0, 0, 0, wake_runner, NULL);
	world_run(SIM_MS);
	ck_assert_uint_eq(f.n, 1);
	ck_assert_uint_eq(f.at[0], 0);
	world_close();
}
END_TEST

static void rt_sleeper(void *arg)
{
	set_current_state(TASK_INTERRUPTIBLE);
	current_save_and_set_rtlock_wait_state();
	f.task[1] = current;
	schedule_rtlock(); /* only a wake-up of the lock ends this */
	note(1);
	current_restore_rtlock_saved_state();
	f.result = (long)current->__state;
	__set_current_state(TASK_RUNNING);
}

static void rt_waker(void *arg)
{
	ck_assert_int_eq(wake_up_process(f.task[1]), 0);
	ck_assert_uint_eq(f.task[1]->saved_state, TASK_RUNNING); /* kept for later */
	sim_spend(10 * U);
	ck_assert_int_eq(wake_up_state(f.task[1], TASK_RTLOCK_WAIT), 1);
}

START_TEST(rtlock_wait_keeps_the_outer_wakeup)
{
	world_config(2);
	open_world();
	world_task("s", 0, 0, 0, rt_sleeper, NULL);
	world_task("w", 1, 0, 5 * U, rt_waker, NULL);
	world_run(SIM_MS);
	ck_assert_uint_eq(f.n, 1);
	ck_assert_uint_eq(f.at[0], 15 * U);
	ck_assert_int_eq(f.result, TASK_RUNNING);
	world_close();
}
END_TEST

static void signals(void *arg)
{
	struct task_struct *p = current;

	ck_assert(!signal_pending(p) && !signal_pending_state(TASK_INTERRUPTIBLE, p));
	p->sim->sigpending = true;
	ck_assert(signal_pending_state(TASK_INTERRUPTIBLE, p) && !signal_pending_state(TASK_KILLABLE, p));
	ck_assert(!signal_pending_state(TASK_UNINTERRUPTIBLE, p));
	p->sim->sigfatal = true;
	ck_assert(signal_pending_state(TASK_KILLABLE, p) && !signal_pending_state(TASK_UNINTERRUPTIBLE, p));
	ck_assert(fatal_signal_pending(p));
	p->sim->sigpending = p->sim->sigfatal = false;
	note(1);
}

START_TEST(signal_states)
{
	world_config(1);
	open_world();
	world_task("t", 0, 0, 0, signals, NULL);
	world_run(SIM_MS);
	ck_assert_uint_eq(f.n, 1);
	world_close();
}
END_TEST

/* -- time -- */

static void timeouts(void *arg)
{
	struct kw_timeout t;
	struct hrtimer_sleeper s;

	kw_timeout_start(&t, 7 * U);
	set_current_state(TASK_UNINTERRUPTIBLE);
	ck_assert(!kw_timed_out(&t));
	schedule();
	ck_assert(kw_timed_out(&t));
	note(1); /* 7 */
	kw_timeout_stop(&t);
	kw_timeout_start(&t, 5 * U);
	kw_timeout_stop(&t);
	kw_timeout_start(&t, SIM_NEVER);
	hrtimer_setup_sleeper_on_stack(&s, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	hrtimer_set_expires(&s.timer, 20 * NSEC_PER_USEC);
	hrtimer_sleeper_start_expires(&s, HRTIMER_MODE_ABS);
	set_current_state(TASK_INTERRUPTIBLE);
	schedule();
	note(2); /* 20 */
	ck_assert(!s.task && !kw_timed_out(&t));
	ck_assert_int_eq(hrtimer_cancel(&s.timer), 0);
	hrtimer_setup_sleeper_on_stack(&s, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	hrtimer_set_expires(&s.timer, -5); /* in the past: at once */
	set_current_state(TASK_INTERRUPTIBLE);
	hrtimer_sleeper_start_expires(&s, HRTIMER_MODE_ABS);
	schedule();
	note(3);
	ck_assert_uint_eq(jiffies, 0);
	set_current_state(TASK_INTERRUPTIBLE);
	f.result = schedule_timeout(2); /* 100 Hz: at 20 ms */
	note(4);
	ck_assert_uint_eq(jiffies, 2);
	ck_assert_uint_eq(msecs_to_jiffies(25), 3);
	ck_assert_uint_eq(HZ, 100);
}

START_TEST(timers)
{
	world_config(1);
	open_world();
	world_task("t", 0, 0, 0, timeouts, NULL);
	world_run(SIM_S);
	ck_assert_uint_eq(f.n, 4);
	ck_assert_uint_eq(f.at[0], 7 * U);
	ck_assert_uint_eq(f.at[1], 20 * U);
	ck_assert_uint_eq(f.at[2], 20 * U);
	ck_assert_uint_eq(f.at[3], 20 * SIM_MS);
	ck_assert_int_eq(f.result, 0);
	world_close();
}
END_TEST

static void wake_the_timed(void *arg)
{
	wake_up_process(f.task[1]);
}

static void timed_sleeper(void *arg)
{
	f.task[1] = current;
	set_current_state(TASK_UNINTERRUPTIBLE);
	f.result = schedule_timeout(10);
	note(1);
}

START_TEST(schedule_timeout_tells_what_is_left)
{
	world_config(2);
	open_world();
	world_task("t", 0, 0, 0, timed_sleeper, NULL);
	world_task("w", 1, 0, 35 * SIM_MS, wake_the_timed, NULL);
	world_run(SIM_S);
	ck_assert_int_eq(f.result, 7);
	ck_assert_uint_eq(f.at[0], 35 * SIM_MS);
	world_close();
}
END_TEST

/* -- per-CPU data -- */

struct counter {
	long value, other;
};

static DEFINE_PER_CPU_ALIGNED(struct counter, counter) = { 40, 1 };

static void count(void *arg)
{
	this_cpu_inc(counter.value);
	this_cpu_add(counter.value, 1);
	ck_assert_int_eq(this_cpu_ptr(&counter)->other, 1);
	ck_assert_int_eq(smp_processor_id(), (int)(uintptr_t)arg);
	note((unsigned)this_cpu_read(counter.value));
}

START_TEST(per_cpu_copies)
{
	unsigned cpu, sum = 0;

	for (unsigned run = 0; run < 2; run++) { /* each run starts from the template */
		world_config(3);
		open_world();
		world_task("t", 0, 0, 0, count, (void *)0);
		world_task("t", 2, 0, 0, count, (void *)2);
		world_task("t", 2, 0, U, count, (void *)2);
		world_run(SIM_MS);
		ck_assert(f.n == 3 && f.order[0] == 42 && f.order[1] == 42 && f.order[2] == 44);
		sum = 0;
		for_each_possible_cpu(cpu)
			sum += (unsigned)per_cpu(counter.value, cpu);
		ck_assert_uint_eq(sum, 42 + 40 + 44);
		ck_assert_uint_eq((uintptr_t)per_cpu_ptr(&counter, 1) % 64, 0);
		world_close();
	}
	ck_assert_int_eq(counter.value, 40);
}
END_TEST

/* -- findings and records -- */

static void complain(void *arg)
{
	for (int i = 0; i < 3; i++) {
		ck_assert(WARN_ON_ONCE(i >= 0));
		ck_assert(WARN_ON(i == 1) == (i == 1));
	}
	BUG_ON(f.n == 0);
	note(1);
}

START_TEST(findings)
{
	world_config(2);
	open_world();
	world_task("t", 0, 0, 0, complain, NULL);
	world_task("u", 1, 0, 5 * U, just_note, (void *)2); /* the others go on */
	world_run(SIM_MS);
	ck_assert_str_eq(world_findings, "WARN_ON_ONCE(i >= 0);WARN_ON(i == 1);BUG_ON(f.n == 0);");
	ck_assert(f.n == 1 && f.order[0] == 2);
	world_close();
}
END_TEST

#define TEST_EVENTS(X) X(zero) X(one)
LOCKEVENTS(TEST_EVENTS)

static void tell(void *arg)
{
	kernel_op_enter(3);
	lockevent_inc(one);
	lockevent_add(zero, 5);
	lockevent_cond_inc(one, false);
	trace_contention_begin(&f, 1);
	trace_contention_begin(g, 2); /* bound as lock 7 */
	trace_contention_end(&g->flag, -EINTR);
	kernel_op_leave();
	lockevent_inc(one); /* in no operation: nobody's */
}

START_TEST(records)
{
	world_config(1);
	open_world();
	kernel_lock_bind(g, sizeof(*g), 7);
	world_task("t", 0, 0, 0, tell, NULL);
	world_run(SIM_MS);
	ck_assert_str_eq(lockevent_names[1], "one");
	ck_assert_ptr_null(lockevent_names[2]);
	ck_assert_uint_eq(world_nrec, 5);
	ck_assert(world_rec[0].type == SIM_REC_EVENT && world_rec[0].obj == 3 && world_rec[0].arg == 1 &&
		  world_rec[0].val == 1);
	ck_assert(world_rec[1].arg == 0 && world_rec[1].val == 5);
	ck_assert(world_rec[2].type == SIM_REC_CONTENTION && world_rec[2].obj == 3 && world_rec[2].arg == 0);
	ck_assert(world_rec[3].obj == 7 && world_rec[3].val == 2);
	ck_assert(world_rec[4].obj == 7 && world_rec[4].arg == 1 && world_rec[4].val == EINTR);
	world_close();
}
END_TEST

START_TEST(task_structs)
{
	struct sim_task *t;

	world_config(1);
	open_world();
	t = world_task("a-rather-long-task-name[12]", 0, 30, 0, just_note, NULL);
	ck_assert_str_eq(kernel_task(t)->comm, "a-rather-long-t");
	ck_assert_int_eq(kernel_task(t)->pid, 1);
	ck_assert_ptr_eq(kernel_sim_task(kernel_task(t)), t);
	ck_assert(rt_task(kernel_task(t)) && !dl_task(kernel_task(t)) && kernel_task(t)->prio == 69);
	ck_assert_uint_eq((uintptr_t)kernel_task(t) % 64, 0);
	world_close();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("words");
	TCase *t = tcase_create("all");
	SRunner *r;
	int failed;

	tcase_add_test(t, wake_queues);
	tcase_add_test(t, waking_oneself_is_free);
	tcase_add_test(t, rtlock_wait_keeps_the_outer_wakeup);
	tcase_add_test(t, signal_states);
	tcase_add_test(t, timers);
	tcase_add_test(t, schedule_timeout_tells_what_is_left);
	tcase_add_test(t, per_cpu_copies);
	tcase_add_test(t, findings);
	tcase_add_test(t, records);
	tcase_add_test(t, task_structs);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
