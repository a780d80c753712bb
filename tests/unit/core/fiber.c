/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/core/fiber.h"
#include "tests/unit/core/run.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#define MANY 10000

struct counter {
	unsigned steps, limit;
};

static void count(void *arg)
{
	struct counter *c = arg;

	while (c->steps < c->limit) {
		c->steps++;
		sim_fiber_yield();
	}
}

static void nothing(void *arg)
{
}

START_TEST(test_ten_thousand)
{
	static struct sim_fiber *f[MANY];
	static struct counter c[MANY];

	sim_fiber_pool_init(MANY);
	for (unsigned i = 0; i < MANY; i++) {
		c[i] = (struct counter){0, 1 + i % 7};
		f[i] = sim_fiber_create(count, &c[i], &c[i]);
		ck_assert_ptr_nonnull(f[i]);
		ck_assert_uint_eq(f[i]->slot, i);
	}
	for (unsigned round = 0; round < 8; round++)
		for (unsigned i = 0; i < MANY; i++)
			if (!f[i]->done)
				sim_fiber_resume(f[i]);
	for (unsigned i = 0; i < MANY; i++) {
		ck_assert(f[i]->done);
		ck_assert_uint_eq(c[i].steps, c[i].limit);
		sim_fiber_free(f[i]);
	}
}
END_TEST

/* More live values than there are callee-saved registers, on both sides. */
static uint64_t churn(uint64_t seed, bool inside)
{
	uint64_t a = seed, b = seed * 3, c = seed * 5, d = seed * 7, e = seed * 11, f = seed * 13,
		 g = seed * 17;

	for (unsigned i = 0; i < 1000; i++) {
		a += b ^ i, b += c ^ a, c += d ^ b, d += e ^ c, e += f ^ d, f += g ^ e, g += a ^ f;
		if (inside)
			sim_fiber_yield();
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g;
}

static void churn_fiber(void *arg)
{
	uint64_t *value = arg;

	*value = churn(*value, true);
}

START_TEST(test_registers)
{
	uint64_t value[3] = {1, 2, 3};
	struct sim_fiber *f[3];
	uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, g = 6, h = 7;

	sim_fiber_pool_init(4);
	for (unsigned i = 0; i < 3; i++)
		f[i] = sim_fiber_create(churn_fiber, &value[i], NULL);
	for (unsigned turn = 0; turn < 1001; turn++)
		for (unsigned i = 0; i < 3; i++) {
			sim_fiber_resume(f[i]);
			a++, b++, c++, d++, e++, g++, h++;
		}
	ck_assert_uint_eq(a + b + c + d + e + g + h, 28 + 7 * 3003);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert(f[i]->done);
		ck_assert_uint_eq(value[i], churn(i + 1, false));
	}
}
END_TEST

static void look_around(void *arg)
{
	struct sim_fiber **self = arg;
	char local __attribute__((aligned(16))) = 0;
	double sum = 0;

	ck_assert_ptr_eq(sim_fiber_current(), *self);
#ifndef SANITIZED /* locals may lie in a fake stack */
	ck_assert_ptr_eq(sim_fiber_of(&local), *self);
	ck_assert(&local < (*self)->top && &local >= (*self)->stack);
#endif
	ck_assert_uint_eq((uintptr_t)&local % 16, 0);
	for (int i = 0; i < 10; i++)
		sum += i * 0.5;
	ck_assert_int_eq((int)snprintf((char[32]){0}, 32, "%.1f", sum), 4); /* needs an aligned stack */
	sim_fiber_yield();
	ck_assert_ptr_eq(sim_fiber_current(), *self);
}

START_TEST(test_who_am_i)
{
	struct sim_fiber *f;
	char outside = 0;
	int owner;

	sim_fiber_pool_init(3);
	f = sim_fiber_create(look_around, &f, &owner);
	ck_assert_ptr_eq(f->owner, &owner);
	ck_assert_ptr_null(sim_fiber_current());
	sim_fiber_resume(f);
	ck_assert_ptr_null(sim_fiber_current());
	ck_assert(!f->done);
	sim_fiber_resume(f);
	ck_assert(f->done);
	ck_assert_ptr_eq(sim_fiber_of(f->stack), f);
	ck_assert_ptr_eq(sim_fiber_of(f->top - 1), f);
	ck_assert_ptr_null(sim_fiber_of(f->stack + SIM_FIBER_SLOT_BYTES));
	ck_assert_ptr_null(sim_fiber_of(f->stack - 1));
	ck_assert_ptr_null(sim_fiber_of(&outside));
	sim_fiber_free(f);
	ck_assert_ptr_null(sim_fiber_of(f->stack));
}
END_TEST

START_TEST(test_slots_are_reused_last_in_first_out)
{
	struct sim_fiber *f[4];

	sim_fiber_pool_init(4);
	for (unsigned i = 0; i < 4; i++)
		f[i] = sim_fiber_create(nothing, NULL, NULL);
	ck_assert_ptr_null(sim_fiber_create(nothing, NULL, NULL));
	sim_fiber_free(f[1]);
	sim_fiber_free(f[3]);
	sim_fiber_free(f[0]);
	ck_assert_uint_eq(sim_fiber_create(nothing, NULL, NULL)->slot, 0);
	ck_assert_uint_eq(sim_fiber_create(nothing, NULL, NULL)->slot, 3);
	ck_assert_uint_eq(sim_fiber_create(nothing, NULL, NULL)->slot, 1);
	ck_assert_ptr_null(sim_fiber_create(nothing, NULL, NULL));
}
END_TEST

/* A reset abandons fibers in the middle; slots start over, and so does a larger pool. */
START_TEST(test_reset)
{
	struct counter c = {0, 100};
	struct sim_fiber *f;

	sim_fiber_pool_init(3);
	for (unsigned run = 0; run < 5; run++) {
		for (unsigned i = 0; i < 3; i++) {
			f = sim_fiber_create(count, &c, NULL);
			ck_assert_uint_eq(f->slot, i);
			c.steps = 0;
			sim_fiber_resume(f);
			sim_fiber_resume(f);
			ck_assert_uint_eq(c.steps, 2);
		}
		sim_fiber_pool_reset();
		ck_assert_ptr_null(sim_fiber_of(f->stack));
	}
	sim_fiber_pool_init(100);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_eq(sim_fiber_create(count, &c, NULL)->slot, i);
}
END_TEST

static void resume_another(void *arg)
{
	sim_fiber_resume(arg);
}

START_TEST(test_nested_resume_aborts)
{
	struct sim_fiber *f;

	sim_fiber_pool_init(2);
	f = sim_fiber_create(nothing, NULL, NULL);
	sim_fiber_resume(sim_fiber_create(resume_another, f, NULL));
}
END_TEST

START_TEST(test_resume_done_aborts)
{
	struct sim_fiber *f;

	sim_fiber_pool_init(2);
	f = sim_fiber_create(nothing, NULL, NULL);
	sim_fiber_resume(f);
	sim_fiber_resume(f);
}
END_TEST

START_TEST(test_yield_outside_aborts)
{
	sim_fiber_pool_init(1);
	sim_fiber_yield();
}
END_TEST

START_TEST(test_double_free_aborts)
{
	struct sim_fiber *f;

	sim_fiber_pool_init(2);
	f = sim_fiber_create(nothing, NULL, NULL);
	sim_fiber_free(f);
	sim_fiber_free(f);
}
END_TEST

static void __attribute__((noinline)) dig(unsigned depth)
{
	char frame[512];

	memset(frame, 0x5a, sizeof(frame));
	__asm__ volatile("" : : "r"(frame) : "memory"); /* all of it is needed */
	if (depth)
		dig(depth - 1);
	__asm__ volatile("" : : "r"(frame) : "memory");
}

static void overrun(void *arg)
{
	dig(*(unsigned *)arg);
	sim_fiber_yield();
}

/* How a child fares that nests @depth frames of some 600 bytes on a fiber: 0 or its signal. */
static int nest(unsigned depth)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		sim_fiber_pool_init(4);
		signal(SIGSEGV, SIG_DFL);
		sim_fiber_create(overrun, &depth, NULL);
		sim_fiber_resume(sim_fiber_create(overrun, &depth, NULL));
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/* A guard page gives SIGSEGV, the canary of older hosts an assertion. */
START_TEST(test_overrun)
{
	int signal_of_deep = nest(140);

	ck_assert_int_eq(nest(60), 0);
	ck_assert_msg(signal_of_deep == SIGSEGV || signal_of_deep == SIGABRT || signal_of_deep == 1,
		      "an overrun of a stack went unnoticed");
}
END_TEST

#ifndef SANITIZED /* whose shadow counts as well */
static void yield_once(void *arg)
{
	sim_fiber_yield();
}

static size_t resident_bytes(void)
{
	unsigned long size, resident;
	FILE *f = fopen("/proc/self/statm", "r");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%lu %lu", &size, &resident), 2);
	fclose(f);
	return resident * (size_t)sysconf(_SC_PAGESIZE);
}

/* 100,000 blocked fibers in less than 1 GiB are 10.7 KB each. */
START_TEST(test_memory_of_blocked_fibers)
{
	const char *preloaded = getenv("LD_PRELOAD");
	size_t at_start, grown;

	if (preloaded && strstr(preloaded, "vgpreload"))
		return; /* valgrind keeps its stacks in a list, and memory of its own */
	sim_fiber_pool_init(100000);
	at_start = resident_bytes();
	for (unsigned i = 0; i < 20000; i++)
		sim_fiber_resume(sim_fiber_create(yield_once, NULL, NULL));
	grown = resident_bytes() - at_start;
	ck_assert_uint_lt(grown, 20000 * (size_t)6000);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("fiber");
	TCase *tc = tcase_create("fiber");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_ten_thousand);
	tcase_add_test(tc, test_registers);
	tcase_add_test(tc, test_who_am_i);
	tcase_add_test(tc, test_slots_are_reused_last_in_first_out);
	tcase_add_test(tc, test_reset);
	tcase_add_test_raise_signal(tc, test_nested_resume_aborts, SIGABRT);
	tcase_add_test_raise_signal(tc, test_resume_done_aborts, SIGABRT);
	tcase_add_test_raise_signal(tc, test_yield_outside_aborts, SIGABRT);
	tcase_add_test_raise_signal(tc, test_double_free_aborts, SIGABRT);
	tcase_add_test(tc, test_overrun);
#ifndef SANITIZED
	tcase_add_test(tc, test_memory_of_blocked_fibers);
#endif
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
