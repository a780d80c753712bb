// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel words of locking: raw spinlocks over every model, preemption, interrupts, their prices. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/kernel/world.h"

#include "sim/kernel/host.h"
#include "sim/model.h"

#include "sim/kernel/words.h"

#define U SIM_US

static struct fixture {
	raw_spinlock_t lock;
	unsigned inside, order[8], n;
	sim_time at[8];
	long result;
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

/* -- raw spinlocks -- */

static void critical(void *arg)
{
	raw_spin_lock(&g->lock);
	ck_assert_uint_eq(f.inside++, 0);
	lockdep_assert_held(&g->lock);
	note((unsigned)(uintptr_t)arg);
	sim_spend(10 * U);
	ck_assert_uint_eq(--f.inside, 0);
	raw_spin_unlock(&g->lock);
	ck_assert(!kw_preempt_off());
}

extern const struct lock_model lock_model_ticket, lock_model_qspinlock, lock_model_tas;
static const struct lock_model *const behind[] = { NULL, &lock_model_ticket, &lock_model_qspinlock, &lock_model_tas };

START_TEST(raw_spinlocks_exclude)
{
	world_config(4);
	open_world();
	kernel_rawspin(behind[_i]);
	raw_spin_lock_init(&g->lock);
	for (unsigned i = 0; i < 4; i++) /* arrival in the order 3, 2, 1, 0 */
		world_task("t", 3 - i, 0, i * U, critical, (void *)(uintptr_t)i);
	world_run(SIM_MS);
	ck_assert_uint_eq(f.n, 4);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_uint_eq(f.at[i] / U, 10 * i);
		if (behind[_i] != &lock_model_tas)
			ck_assert_uint_eq(f.order[i], i);
	}
	ck_assert_str_eq(world_findings, "");
	world_close();
}
END_TEST

START_TEST(free_raw_spinlock_is_free)
{
	world_config(1);
	sim_cost_set(&world_cfg.costs, "line", 100 * SIM_NS);
	sim_cost_set(&world_cfg.costs, "hit", 10 * SIM_NS);
	open_world();
	raw_spin_lock_init(&g->lock);
	world_task("t", 0, 0, 0, critical, (void *)1);
	world_run(SIM_MS);
	ck_assert_uint_eq(sim->now, 10 * U);
	ck_assert_uint_eq(sim->accesses, 0);
	world_close();
}
END_TEST

START_TEST(uniprocessor_raw_spinlock_has_no_word)
{
	world_config(1);
	world_cfg.up = true;
	open_world();
	kernel_rawspin(&lock_model_ticket);
	raw_spin_lock_init(&g->lock);
	world_task("t", 0, 0, 0, critical, (void *)1);
	world_run(SIM_MS);
	ck_assert_uint_eq(f.n, 1);
	ck_assert_uint_eq(sim->accesses, 0);
	ck_assert_uint_eq(g->lock.word, 0);
	world_close();
}
END_TEST

static void wrong_use(void *arg)
{
	lockdep_assert_held(&g->lock);
	raw_spin_lock(&g->lock);
	lockdep_assert_not_held(&g->lock);
	raw_spin_unlock(&g->lock);
	preempt_disable(); /* for the unlock that is one too many */
	raw_spin_unlock(&g->lock);
}

START_TEST(lockdep_checks_are_real)
{
	world_config(1);
	world_cfg.up = true;
	open_world();
	raw_spin_lock_init(&g->lock);
	world_task("t", 0, 0, 0, wrong_use, NULL);
	world_run(SIM_MS);
	ck_assert_str_eq(world_findings, "not held: &g->lock;held: &g->lock;a raw spinlock is released by somebody else;");
	world_close();
}
END_TEST

static void try_it(void *arg)
{
	f.result = raw_spin_trylock(&g->lock);
	if (f.result)
		raw_spin_unlock(&g->lock);
	ck_assert(!kw_preempt_off());
	ck_assert_int_eq(raw_spin_trylock_irq(&g->lock), (int)f.result);
	if (f.result)
		raw_spin_unlock_irq(&g->lock);
	ck_assert(!kw_irqs_off());
}

START_TEST(raw_trylock)
{
	for (unsigned late = 0; late < 2; late++) {
		world_config(2);
		open_world();
		kernel_rawspin(behind[_i]);
		raw_spin_lock_init(&g->lock);
		world_task("t", 0, 0, 0, critical, (void *)1);
		world_task("u", 1, 0, late ? 11 * U : 5 * U, try_it, NULL);
		world_run(SIM_MS);
		ck_assert_int_eq(f.result, late);
		world_close();
	}
}
END_TEST

/* -- preemption and interrupts -- */

static void preempt_section(void *arg)
{
	preempt_disable();
	preempt_disable();
	sim_spend(10 * U);
	ck_assert(need_resched());
	preempt_enable();
	note(1);
	preempt_enable(); /* here */
	note(3);
}

static void just_note(void *arg)
{
	note((unsigned)(uintptr_t)arg);
}

START_TEST(preemption_waits_for_the_last_enable)
{
	world_config(1);
	open_world();
	world_task("t", 0, 0, 0, preempt_section, NULL);
	world_task("k", 0, 50, 5 * U, just_note, (void *)2);
	world_run(SIM_MS);
	ck_assert(f.n == 3 && f.order[0] == 1 && f.order[1] == 2 && f.order[2] == 3);
	ck_assert_uint_eq(f.at[1], 10 * U);
	world_close();
}
END_TEST

static void irq_section(void *arg)
{
	unsigned long flags;

	local_irq_save(flags);
	sim_spend(10 * U);
	note(1);
	local_irq_restore(flags);
	note(3);
}

static void irq_body(void *arg)
{
	ck_assert(in_interrupt() && !in_task());
	note((unsigned)(uintptr_t)arg);
}

START_TEST(interrupts_wait_for_enable)
{
	world_config(1);
	open_world();
	world_task("t", 0, 0, 0, irq_section, NULL);
	world_irq(0, 5 * U, irq_body, (void *)2);
	world_run(SIM_MS);
	ck_assert(f.n == 3 && f.order[0] == 1 && f.order[1] == 2 && f.order[2] == 3);
	ck_assert_uint_eq(f.at[1], 10 * U);
	world_close();
}
END_TEST

static void pay_pairs(void *arg)
{
	preempt_disable();
	preempt_enable();
	f.result = (long)sched_clock();
}

START_TEST(words_cost_what_the_machine_says)
{
	world_config(1);
	sim_cost_set(&world_cfg.costs, "preempt_off", 3 * SIM_NS);
	sim_cost_set(&world_cfg.costs, "preempt_on", 4 * SIM_NS);
	sim_cost_set(&world_cfg.costs, "sched_clock", 20 * SIM_NS);
	open_world();
	world_task("t", 0, 0, 0, pay_pairs, NULL);
	world_run(SIM_MS);
	ck_assert_int_eq(f.result, 27);
	world_close();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("locking");
	TCase *t = tcase_create("all");
	SRunner *r;
	int failed;

	tcase_add_loop_test(t, raw_spinlocks_exclude, 0, 4);
	tcase_add_test(t, free_raw_spinlock_is_free);
	tcase_add_test(t, uniprocessor_raw_spinlock_has_no_word);
	tcase_add_test(t, lockdep_checks_are_real);
	tcase_add_loop_test(t, raw_trylock, 0, 4);
	tcase_add_test(t, preemption_waits_for_the_last_enable);
	tcase_add_test(t, interrupts_wait_for_enable);
	tcase_add_test(t, words_cost_what_the_machine_says);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
