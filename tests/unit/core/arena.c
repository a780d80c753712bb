/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "sim/core/arena.h"
#include "tests/unit/core/run.h"

static struct sim_arena a;

static void set_up(void)
{
	sim_arena_init(&a, 8 << 20);
}

static void tear_down(void)
{
	sim_arena_finish(&a);
}

START_TEST(test_lines)
{
	char *p = sim_arena_alloc(&a, 1), *r = sim_arena_alloc(&a, 65), *s = sim_arena_alloc(&a, 64);
	char *t = sim_arena_alloc(&a, 0), *u = sim_arena_alloc(&a, 640), *v = sim_arena_alloc(&a, 8);

	ck_assert_uint_eq(sim_arena_line(&a, p), 0);
	ck_assert_uint_eq(sim_arena_line(&a, p + 63), 0);
	ck_assert_uint_eq(sim_arena_line(&a, r), 1);
	ck_assert_uint_eq(sim_arena_line(&a, r + 64), 2);
	ck_assert_uint_eq(sim_arena_line(&a, s), 3);
	ck_assert_uint_eq(sim_arena_line(&a, t), 4);
	ck_assert_uint_eq(sim_arena_line(&a, u), 5);
	ck_assert_uint_eq(sim_arena_line(&a, u + 639), 14);
	ck_assert_uint_eq(sim_arena_line(&a, v), 15);
	ck_assert_uint_eq((uintptr_t)s % SIM_LINE_BYTES, 0);
}
END_TEST

START_TEST(test_has)
{
	char outside, *p = sim_arena_alloc(&a, 100);

	ck_assert(sim_arena_has(&a, p));
	ck_assert(sim_arena_has(&a, p + 127));
	ck_assert(!sim_arena_has(&a, p + 128));
	ck_assert(!sim_arena_has(&a, p - 1));
	ck_assert(!sim_arena_has(&a, &outside));
}
END_TEST

START_TEST(test_full)
{
	ck_assert_ptr_null(sim_arena_alloc(&a, (8 << 20) + 1));
	ck_assert_ptr_null(sim_arena_alloc(&a, SIZE_MAX));
	ck_assert_ptr_nonnull(sim_arena_alloc(&a, (8 << 20) - 64));
	ck_assert_ptr_nonnull(sim_arena_alloc(&a, 64));
	ck_assert_ptr_null(sim_arena_alloc(&a, 1));
}
END_TEST

/* @_i: bytes; small ones are cleared, large ones go back to the host */
static const size_t sizes[] = {64, 4096, 1 << 20, 6 << 20};

START_TEST(test_reset)
{
	char *p = sim_arena_alloc(&a, sizes[_i]), *again;

	memset(p, 0xa5, sizes[_i]);
	sim_arena_reset(&a);
	ck_assert_uint_eq(a.used, 0);
	again = sim_arena_alloc(&a, sizes[_i]);
	ck_assert_ptr_eq(again, p);
	for (size_t i = 0; i < sizes[_i]; i++)
		if (again[i])
			ck_abort_msg("byte %zu is not zero after a reset", i);
}
END_TEST

START_TEST(test_two_arenas)
{
	struct sim_arena b;
	char *p, *r;

	sim_arena_init(&b, 4096);
	p = sim_arena_alloc(&a, 64);
	r = sim_arena_alloc(&b, 64);
	ck_assert(!sim_arena_has(&a, r) && !sim_arena_has(&b, p));
	ck_assert_uint_eq(sim_arena_line(&b, r), 0);
	sim_arena_finish(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("arena");
	TCase *tc = tcase_create("arena");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_lines);
	tcase_add_test(tc, test_has);
	tcase_add_test(tc, test_full);
	tcase_add_loop_test(tc, test_reset, 0, sizeof(sizes) / sizeof(sizes[0]));
	tcase_add_test(tc, test_two_arenas);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
