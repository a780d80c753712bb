/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Absurd sizes get a message at once, and never the host's memory. */
#include <string.h>
#include <sys/resource.h>

#include <check.h>
#include <glib.h>

#include "fake.h"
#include "run.h"

#define END "\ntask last { run 1us }\nrun for 1ms\n"

/* Megabytes that this process has used at most. */
static long peak_mb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss / 1024;
}

static char *repeat(const char *before, const char *what, unsigned n, const char *after)
{
	GString *s = g_string_new(before);

	for (unsigned i = 0; i < n; i++)
		g_string_append(s, what);
	g_string_append(s, after);
	return g_string_free(s, FALSE);
}

static unsigned repeated(const char *before, const char *what, unsigned n, const char *after)
{
	g_autofree char *text = repeat(before, what, n, after);

	return fake_one(text);
}

START_TEST(numbers)
{
	ck_assert_uint_eq(fake_one("task t[1000000000] { run 1us } run for 1ms"), SIM_DIAG_too_many_tasks);
	ck_assert_uint_eq(fake_one("task t[18446744073709551614] { run 1us } run for 1ms"), SIM_DIAG_too_many_tasks);
	ck_assert_uint_eq(fake_one("task t[150000] { run 1us } task u[150000] { run 1us } run for 1ms"), SIM_DIAG_too_many_tasks);
	ck_assert_uint_eq(fake_one("machine { sockets 1000000000 }" END), SIM_DIAG_too_many_cpus);
	ck_assert_uint_eq(fake_one("machine { sockets 4294967295 cores 4294967295 threads 4294967295 }" END), SIM_DIAG_too_many_cpus);
	ck_assert_uint_eq(fake_one("machine { sockets 8 cores 513 threads 1 }" END), SIM_DIAG_too_many_cpus);
	ck_assert_uint_eq(fake_one("lock m[1000000000] : mutex" END), SIM_DIAG_too_many_locks);
	ck_assert_uint_eq(fake_one("lock m[100000] : mutex { data 1000 lines }" END), SIM_DIAG_too_many_locks);
	ck_assert_uint_eq(fake_one("task t { loop 1000000000000000000 { run 1us } } run for 1ms"), SIM_DIAG_too_many_turns);
	ck_assert_uint_eq(fake_one("task t { loop 1000000000 { loop 1000000000 { run 1us } } } run for 1ms"), SIM_DIAG_too_many_turns);
	ck_assert_uint_eq(fake_one("barrier b 1000000000" END), SIM_DIAG_out_of_range);
	ck_assert_uint_eq(fake_one("semaphore s = 10000000000" END), SIM_DIAG_out_of_range);
}
END_TEST

START_TEST(raised)
{
	struct scn_options options = { .vocabulary = &fake_vocabulary, .limits = { .max_tasks = 10, .max_loop = 5 } };
	struct sim_diags diags = { 0 };
	static const char text[] = "task t[11] { loop 6 { run 1us } } run for 1ms";

	ck_assert_ptr_null(scenario_parse("x.lks", text, strlen(text), &options, &diags));
	ck_assert_uint_eq(diags.count, 2);
	scenario_diags_finish(&diags);
	memset(&diags, 0, sizeof(diags));
	options.limits.max_tasks = 11;
	options.limits.max_loop = 6;
	scenario_free(scenario_parse("x.lks", text, strlen(text), &options, &diags));
	ck_assert_uint_eq(diags.count, 0);
}
END_TEST

START_TEST(nesting)
{
	g_autofree char *deep = repeat("task t { ", "loop 1 { ", 63, "run 1us"), *closed = repeat(deep, " }", 64, " run for 1ms");

	scenario_free(fake_good(closed));
	ck_assert_uint_eq(repeated("task t { ", "loop 1 { ", 64, "run 1us"), SIM_DIAG_nested_too_deep);
	ck_assert_uint_eq(repeated("task t { ", "loop 1 {\n", 1000000, ""), SIM_DIAG_nested_too_deep);
	ck_assert_uint_eq(repeated("task t { run ", "(\n", 1000000, ""), SIM_DIAG_nested_too_deep);
	ck_assert_uint_eq(repeated("task t { run ", "exp(\n", 1000000, ""), SIM_DIAG_nested_too_deep);
	ck_assert_uint_eq(repeated("task t { ", "choose { 1:\n{", 1000000, ""), SIM_DIAG_nested_too_deep);
	ck_assert_uint_eq(repeated("task t { ", "hold t try { } else {\n", 500000, ""), SIM_DIAG_nested_too_deep);
}
END_TEST

START_TEST(long_line)
{
	g_autofree char *fits = repeat("task t { run 1us } ", " ", 4096 - 19, "\nrun for 1ms");
	g_autofree char *over = repeat("task t { run 1us } ", " ", 4097 - 19, "\nrun for 1ms");

	scenario_free(fake_good(fits));
	ck_assert_uint_eq(fake_one(over), SIM_DIAG_line_too_long);
}
END_TEST

START_TEST(long_lines)
{
	ck_assert_uint_eq(repeated("task t { ", "run 1us ", 1000, "}\ntask u { run 1us }\nrun for 1ms"), SIM_DIAG_line_too_long);
	ck_assert_uint_eq(repeated("task t { ", "run 1us ", 1000000, "}"), SIM_DIAG_line_too_long);
}
END_TEST

START_TEST(big_text)
{
	size_t len = 100 << 20;
	char *text = malloc(len);
	struct sim_diags diags = { 0 };
	long before = peak_mb();

	memset(text, 'x', len);
	before = peak_mb();
	ck_assert_ptr_null(scenario_parse("big.lks", text, len, NULL, &diags));
	ck_assert_uint_eq(diags.count, 1);
	ck_assert_uint_eq(diags.list[0].code, SIM_DIAG_file_too_big);
	ck_assert_int_lt(peak_mb() - before, 20);
	sim_diag_print(stderr, &diags, false);
	scenario_diags_finish(&diags);
	free(text);
}
END_TEST

START_TEST(much_of_it)
{
	ck_assert_uint_eq(repeated("task t {\n", "exit\n", 3000000, "}" END), SIM_DIAG_too_many_statements);
	ck_assert_uint_eq(repeated("lock m : mutex\ntask t {\n", "lock m\n", 2000000, "}" END), SIM_DIAG_too_many_statements);
	ck_assert_uint_eq(repeated("run for 1ms\ntask t { run 1us }\n", "expect no deadlock\n", 800000, ""), SIM_DIAG_too_many_declarations);
	ck_assert_uint_eq(repeated("task t { run 1us }\nrun for 1ms\nexpect deadlock", "\nt", 4000000, ""), SIM_DIAG_list_too_long);
	ck_assert_uint_eq(repeated("task t { run choice(1us: 1", ",\n1us: 1", 1000000, ") }\nrun for 1ms"), SIM_DIAG_list_too_long);
	ck_assert_uint_eq(repeated("task t { choose {", "\n1: { }", 1000000, "} }\nrun for 1ms"), SIM_DIAG_list_too_long);
	ck_assert_uint_eq(repeated("task t cpus 0", ",\n0", 1000000, " { run 1us }\nrun for 1ms"), SIM_DIAG_list_too_long);
	ck_assert_int_lt(peak_mb(), 700);
}
END_TEST

START_TEST(many_names)
{
	g_autoptr(GString) text = g_string_new("");

	for (unsigned i = 0; i < 250000; i++)
		g_string_append_printf(text, "lock m%u : mutex\n", i);
	ck_assert_uint_eq(fake_one(text->str), SIM_DIAG_too_many_declarations);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { numbers, raised, nesting, long_line, long_lines, big_text, much_of_it, many_names };

	return run_tests("limits", tests, G_N_ELEMENTS(tests));
}
