/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers: units, folding, arithmetic without wrap-around. */
#include <check.h>
#include <glib.h>
#include <stdlib.h>

#include "fake.h"
#include "run.h"

/* The value of "param x = TEXT", which must be good. */
static uint64_t value_of(const char *number, enum scn_unit unit)
{
	g_autofree char *text = g_strdup_printf("param a = 3us\nparam n = 4\nparam x = %s\ntask t { run 1us } run for 1ms", number);
	struct scenario *scn = fake_good(text);
	const struct scn_expr *e = scn->param[2].value;
	uint64_t value = scn_constant(scn, e);

	ck_assert_int_eq(e->kind, SCN_LITERAL);
	ck_assert_int_eq(e->unit, unit);
	scenario_free(scn);
	return value;
}

static unsigned code_of(const char *number)
{
	g_autofree char *text = g_strdup_printf("param a = 3us\nparam n = 4\nparam x = %s\ntask t { run 1us } run for 1ms", number);

	return fake_one(text);
}

START_TEST(units)
{
	ck_assert_uint_eq(value_of("1ps", SCN_TIME), 1);
	ck_assert_uint_eq(value_of("1.5ns", SCN_TIME), 1500);
	ck_assert_uint_eq(value_of("0.001ns", SCN_TIME), 1);
	ck_assert_uint_eq(value_of("23ms", SCN_TIME), 23 * SIM_MS);
	ck_assert_uint_eq(value_of("2s", SCN_TIME), 2 * SIM_S);
	ck_assert_uint_eq(value_of("7", SCN_COUNT), 7);
	ck_assert_uint_eq(value_of("50%", SCN_PERCENT), 500000);
	ck_assert_uint_eq(value_of("0.5%", SCN_PERCENT), 5000);
	ck_assert_uint_eq(value_of("1.25", SCN_RATIO), 1250000);
	ck_assert_uint_eq(value_of("2.4GHz", SCN_FREQUENCY), 2400000);
	ck_assert_uint_eq(value_of("18446744073709551614", SCN_COUNT), UINT64_MAX - 1);
}
END_TEST

START_TEST(arithmetic)
{
	ck_assert_uint_eq(value_of("a + 1us", SCN_TIME), 4 * SIM_US);
	ck_assert_uint_eq(value_of("a * 2 + 1us * n", SCN_TIME), 10 * SIM_US);
	ck_assert_uint_eq(value_of("2 * (a - 1us) / n", SCN_TIME), SIM_US);
	ck_assert_uint_eq(value_of("a * 50%", SCN_TIME), 1500 * SIM_NS);
	ck_assert_uint_eq(value_of("1.5 * a", SCN_TIME), 4500 * SIM_NS);
	ck_assert_uint_eq(value_of("n * 1.5", SCN_COUNT), 6);
	ck_assert_uint_eq(value_of("0.5 * 0.5", SCN_RATIO), 250000);
	ck_assert_uint_eq(value_of("a / 1.5", SCN_TIME), 2 * SIM_US);
	ck_assert_uint_eq(value_of("1 + 2 * 3 - 4 / 2", SCN_COUNT), 5);
	ck_assert_uint_eq(value_of("10 - 3 - 2", SCN_COUNT), 5);
}
END_TEST

START_TEST(refused)
{
	ck_assert_uint_eq(code_of("a + 1"), SIM_DIAG_unit_clash);
	ck_assert_uint_eq(code_of("a * a"), SIM_DIAG_unit_clash);
	ck_assert_uint_eq(code_of("1 / a"), SIM_DIAG_unit_clash);
	ck_assert_uint_eq(code_of("a / 0"), SIM_DIAG_divides_by_zero);
	ck_assert_uint_eq(code_of("1 - n"), SIM_DIAG_out_of_range);
	ck_assert_uint_eq(code_of("-1"), SIM_DIAG_out_of_range);
	ck_assert_uint_eq(code_of("1.5ps"), SIM_DIAG_number_too_fine);
	ck_assert_uint_eq(code_of("0.0000001"), SIM_DIAG_number_too_fine);
	ck_assert_uint_eq(code_of("18446744073709551615"), SIM_DIAG_number_too_big);
	ck_assert_uint_eq(code_of("99999999999999999999999999999999999999999"), SIM_DIAG_number_too_big);
	ck_assert_uint_eq(code_of("214d"), SIM_DIAG_unknown_unit);
	ck_assert_uint_eq(code_of("20000000s"), SIM_DIAG_number_too_big);
	ck_assert_uint_eq(code_of("10000000000 * 10000000000"), SIM_DIAG_number_too_big);
	ck_assert_uint_eq(code_of("exp(5us)"), SIM_DIAG_not_constant);
	ck_assert_uint_eq(code_of("$i"), SIM_DIAG_not_constant);
	ck_assert_uint_eq(code_of("later"), SIM_DIAG_unknown_param);
	ck_assert_uint_eq(code_of("0x10"), SIM_DIAG_unknown_unit);
}
END_TEST

static const struct scn_expr *run_arg(const struct scenario *scn)
{
	ck_assert_int_eq(scn->task[0].body->kind, SCN_RUN);
	return scn->task[0].body->arg;
}

START_TEST(distributions)
{
	struct scenario *scn = fake_good("task t { run uniform(1us, 2us) + exp(3us) * 2 run choice(1us: 3, 5us: 1) "
					 "run lognormal(4us, 50%) run normal(4us, 1us) } run for 1ms");
	const struct scn_expr *e = run_arg(scn);
	const struct scn_stmt *s = scn->task[0].body;

	ck_assert_int_eq(e->kind, SCN_ADD);
	ck_assert_int_eq(e->unit, SCN_TIME);
	ck_assert_int_eq(e->left->kind, SCN_UNIFORM);
	ck_assert_uint_eq(e->left->draw, 1);
	ck_assert_uint_eq(e->left->right->value, 2 * SIM_US);
	ck_assert_int_eq(e->right->kind, SCN_MUL);
	ck_assert_int_eq(e->right->left->kind, SCN_EXP);
	ck_assert_uint_eq(e->right->left->draw, 2);
	e = s->next->arg;
	ck_assert_int_eq(e->kind, SCN_CHOICE_D);
	ck_assert_uint_eq(e->nalt, 2);
	ck_assert_uint_eq(e->weight[0], 3);
	ck_assert_uint_eq(e->alt[1]->value, 5 * SIM_US);
	e = s->next->next->arg;
	ck_assert_int_eq(e->kind, SCN_LOGNORMAL);
	ck_assert_uint_eq(e->right->value, 500000);
	ck_assert_uint_eq(scn->ndraw, 5);
	scenario_free(scn);
}
END_TEST

START_TEST(instances)
{
	struct scenario *scn = fake_good("task t[3] fifo 10 + $i * 2 { run 1us * $i + 1us } run for 1ms");
	uint64_t v;

	ck_assert(scn_instance_value(scn, scn->task[0].sched.priority, 2, &v));
	ck_assert_uint_eq(v, 14);
	ck_assert(scn_instance_value(scn, run_arg(scn), 2, &v));
	ck_assert_uint_eq(v, 3 * SIM_US);
	scenario_free(scn);
	scn = fake_good("task t { loop 3 { run 1us * $k run 1ns * $K } } run for 1ms");
	ck_assert(!scn_instance_value(scn, scn->task[0].body->body->arg, 0, &v));
	scenario_free(scn);
}
END_TEST

START_TEST(cycles)
{
	struct scenario *scn = fake_good("machine westmere-ex-8s task t { run 240cycles } run for 1ms");

	ck_assert_int_eq(run_arg(scn)->unit, SCN_TIME);
	ck_assert_uint_eq(run_arg(scn)->value, 100 * SIM_NS);
	scenario_free(scn);
	scn = fake_good("machine { clock 1GHz } param c = 10cycles task t { run exp(c * 2) } run for 1ms");
	ck_assert_int_eq(run_arg(scn)->unit, SCN_TIME);
	ck_assert_uint_eq(run_arg(scn)->left->value, 20 * SIM_NS);
	scenario_free(scn);
	scn = fake_good_set("machine westmere-ex-8s task t { run 240cycles } run for 1ms", "machine.clock=1.2GHz");
	ck_assert_uint_eq(run_arg(scn)->value, 200 * SIM_NS);
	scenario_free(scn);
	ck_assert_uint_eq(fake_one("task t { run 240cycles } run for 1ms"), SIM_DIAG_no_clock);
}
END_TEST

/* A left-leaning tree of millions of terms must not reach the evaluator's stack. */
START_TEST(long_expression)
{
	g_autoptr(GString) text = g_string_new("task t { run 1us");

	for (int i = 0; i < 100000; i++)
		g_string_append(text, "\n+ exp(1ns)");
	g_string_append(text, " } run for 1ms");
	ck_assert_uint_eq(fake_one(text->str), SIM_DIAG_expression_too_long);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { units, arithmetic, refused, distributions, instances, cycles, long_expression };

	return run_tests("expressions", tests, G_N_ELEMENTS(tests));
}
