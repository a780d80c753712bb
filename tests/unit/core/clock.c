/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/core/clock.h"
#include "tests/unit/core/run.h"

static const struct {
	sim_time t;
	const char *text;
} exact[] = {
	{0, "0"},
	{1, "1ps"},
	{999, "999ps"},
	{SIM_NS, "1ns"},
	{1500, "1.5ns"},
	{1001, "1.001ns"},
	{12500 * SIM_NS, "12.5us"},
	{33 * SIM_MS, "33ms"},
	{2 * SIM_S + SIM_US, "2.000001s"},
	{SIM_S - 1, "999.999999999ms"},
	{SIM_S + 1, "1.000000000001s"},
	{UINT64_MAX - 1, "18446744.073709551614s"},
	{SIM_NEVER, "never"},
};

START_TEST(test_exact)
{
	char buf[SIM_TIME_CHARS];

	ck_assert_str_eq(sim_time_format(buf, exact[_i].t), exact[_i].text);
}
END_TEST

static const struct {
	sim_time t;
	unsigned digits;
	const char *text;
} rounded[] = {
	{0, 3, "0"},
	{SIM_NEVER, 2, "never"},
	{999, 0, "999ps"},
	{1499, 0, "1ns"},
	{1500, 0, "2ns"},
	{1549, 1, "1.5ns"},
	{1550, 1, "1.6ns"},
	{1234567, 3, "1.235us"},
	{1234499, 3, "1.234us"},
	{999999600, 3, "1ms"},
	{999999499, 3, "999.999us"},
	{999 * SIM_MS + 500 * SIM_US, 0, "1s"},
	{2 * SIM_S + SIM_US, 3, "2s"},
	{1200 * SIM_S, 3, "1200s"},
	{UINT64_MAX - 1, 3, "18446744.074s"},
};

START_TEST(test_rounded)
{
	char buf[SIM_TIME_CHARS];

	ck_assert_str_eq(sim_time_format_short(buf, rounded[_i].t, rounded[_i].digits), rounded[_i].text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("clock");
	TCase *tc = tcase_create("format");

	tcase_add_loop_test(tc, test_exact, 0, sizeof(exact) / sizeof(exact[0]));
	tcase_add_loop_test(tc, test_rounded, 0, sizeof(rounded) / sizeof(rounded[0]));
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
