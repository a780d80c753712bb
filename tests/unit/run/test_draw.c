// SPDX-License-Identifier: GPL-2.0-or-later
/* Values of programs: folding, units, keys of draws. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/prng.h"
#include "sim/run/draw.h"

#define US ((uint64_t)SIM_US)

static struct scn_param params[] = {{.name = "think"}};
static struct scenario scn = {.param = params, .nparam = 1};
static struct bind_pool pool;
static struct value_scope scope;
static uint64_t turn[2], visit[16], done;
static struct value_env env;

static void setup(void)
{
	scope = (struct value_scope){
		.scn = &scn, .clock_khz = 2000000, .slot = VALUE_NO_SLOT, .memory = &pool};
	env = (struct value_env){.instance = 3,
				 .stream = sim_stream(7, "worker", 3),
				 .turn = turn,
				 .visit = visit,
				 .done = &done};
	done = turn[0] = turn[1] = 0;
	for (unsigned i = 0; i < 16; i++)
		visit[i] = 0;
}

static void teardown(void)
{
	bind_pool_clear(&pool);
}

static struct scn_expr lit(enum scn_unit unit, uint64_t v)
{
	return (struct scn_expr){.kind = SCN_LITERAL, .unit = unit, .value = v};
}

static struct scn_expr op(enum scn_expr_kind kind, enum scn_unit unit, struct scn_expr *l, struct scn_expr *r)
{
	return (struct scn_expr){.kind = kind, .unit = unit, .left = l, .right = r};
}

START_TEST(constants_fold)
{
	struct scn_expr five = lit(SCN_TIME, 5 * US), two = lit(SCN_COUNT, 2),
			half = lit(SCN_PERCENT, 500000);
	struct scn_expr sum = op(SCN_ADD, SCN_TIME, &five, &five),
			product = op(SCN_MUL, SCN_TIME, &two, &sum);
	struct scn_expr part = op(SCN_MUL, SCN_TIME, &product, &half),
			quotient = op(SCN_DIV, SCN_TIME, &part, &two);
	struct scn_expr less = op(SCN_SUB, SCN_TIME, &five, &sum), back = op(SCN_DIV, SCN_TIME, &five, &half);
	struct {
		struct scn_expr *e;
		uint64_t want;
	} cases[] = {
		{&sum, 10 * US},     {&product, 20 * US}, {&part, 10 * US},
		{&quotient, 5 * US}, {&less, 0},          {&back, 10 * US},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct value *v = value_compile(&scope, cases[i].e);

		ck_assert_int_eq(v->kind, VALUE_CONST);
		ck_assert_uint_eq(v->n, cases[i].want);
		ck_assert_uint_eq(value_once(&scn, 0, cases[i].e, 0), cases[i].want);
	}
}
END_TEST

START_TEST(params_and_cycles)
{
	struct scn_expr value = lit(SCN_TIME, 3 * US),
			use = {.kind = SCN_PARAM, .unit = SCN_TIME, .value = 0};
	struct scn_expr cycles = lit(SCN_CYCLES, 3);

	params[0].value = &value;
	ck_assert_uint_eq(value_compile(&scope, &use)->n, 3 * US);
	ck_assert_uint_eq(value_compile(&scope, &cycles)->n, 1500); /* at 2 GHz */
	scope.clock_khz = 0;
	ck_assert_uint_eq(value_compile(&scope, &cycles)->n, 0);
}
END_TEST

START_TEST(dollars)
{
	struct scn_expr i = {.kind = SCN_INSTANCE}, k = {.kind = SCN_TURN}, dones = {.kind = SCN_DONES};
	struct scn_expr us = lit(SCN_TIME, US), scaled = op(SCN_MUL, SCN_TIME, &i, &us);

	ck_assert_uint_eq(value_of(value_compile(&scope, &scaled), &env), 3 * US);
	ck_assert_uint_eq(value_of(value_compile(&scope, &k), &env), 0); /* outside loops */
	scope.slot = 1;
	turn[1] = 8;
	ck_assert_uint_eq(value_of(value_compile(&scope, &k), &env), 8);
	done = 12;
	ck_assert_uint_eq(value_of(value_compile(&scope, &dones), &env), 12);
	ck_assert_uint_eq(value_once(&scn, 0, &scaled, 5), 5 * US);
}
END_TEST

START_TEST(saturates)
{
	struct scn_expr big = lit(SCN_TIME, UINT64_MAX), sum = op(SCN_ADD, SCN_TIME, &big, &big),
			zero = lit(SCN_COUNT, 0);
	struct scn_expr square = op(SCN_MUL, SCN_TIME, &big, &big),
			by_zero = op(SCN_DIV, SCN_TIME, &big, &zero);

	ck_assert_uint_eq(value_compile(&scope, &sum)->n, SIM_NEVER / 2);
	ck_assert_uint_eq(value_compile(&scope, &square)->n, SIM_NEVER / 2);
	ck_assert_uint_eq(value_compile(&scope, &by_zero)->n, SIM_NEVER / 2);
}
END_TEST

/* The n-th visit of a draw is the same number whatever other draws were visited between. */
START_TEST(draws_are_keyed_by_visit)
{
	struct scn_expr mean = lit(SCN_TIME, 10 * US), e = op(SCN_EXP, SCN_TIME, &mean, NULL);
	const struct value *a = value_compile(&scope, &e), *b = value_compile(&scope, &e);
	uint64_t first[4];

	ck_assert_uint_eq(a->draw, 0);
	ck_assert_uint_eq(b->draw, 1);
	for (unsigned i = 0; i < 4; i++)
		first[i] = value_of(a, &env);
	setup();
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_uint_eq(value_of(a, &env), first[i]);
		ck_assert_uint_ne(value_of(b, &env), first[i]);
	}
	env.stream = sim_stream(7, "worker", 4);
	visit[0] = 0;
	ck_assert_uint_ne(value_of(a, &env), first[0]);
}
END_TEST

START_TEST(means)
{
	struct scn_expr lo = lit(SCN_TIME, 10 * US), hi = lit(SCN_TIME, 30 * US), cv = lit(SCN_RATIO, 500000);
	struct scn_expr e[] = {op(SCN_UNIFORM, SCN_TIME, &lo, &hi), op(SCN_EXP, SCN_TIME, &lo, NULL),
			       op(SCN_NORMAL, SCN_TIME, &hi, &lo), op(SCN_LOGNORMAL, SCN_TIME, &lo, &cv)};
	struct scn_expr *alt[] = {&lo, &hi};
	uint64_t weight[] = {3, 1};
	struct scn_expr choice = {
		.kind = SCN_CHOICE_D, .unit = SCN_TIME, .alt = alt, .weight = weight, .nalt = 2};
	struct {
		struct scn_expr *e;
		double mean;
	} cases[] = {
		{&e[0], 20e6}, {&e[1], 10e6}, {&e[2], 30e6}, {&e[3], 10e6}, {&choice, 15e6},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct value *v = value_compile(&scope, cases[i].e);
		double sum = 0;

		for (unsigned n = 0; n < 20000; n++)
			sum += (double)value_of(v, &env);
		ck_assert_double_eq_tol(sum / 20000, cases[i].mean, 0.02 * cases[i].mean);
	}
}
END_TEST

START_TEST(pool_zeroes_and_grows)
{
	for (unsigned i = 1; i < 1000; i += 97) {
		unsigned char *p = bind_alloc(&pool, i * 100);

		ck_assert_uint_eq((uintptr_t)p % 16, 0);
		for (unsigned j = 0; j < i * 100; j++)
			ck_assert_uint_eq(p[j], 0);
		memset(p, 0xa5, i * 100);
	}
	ck_assert_str_eq(bind_printf(&pool, "%s[%d]", "worker", 3), "worker[3]");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("draw");
	TCase *t = tcase_create("values");
	SRunner *r;
	int failed;

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, constants_fold);
	tcase_add_test(t, params_and_cycles);
	tcase_add_test(t, dollars);
	tcase_add_test(t, saturates);
	tcase_add_test(t, draws_are_keyed_by_visit);
	tcase_add_test(t, means);
	tcase_add_test(t, pool_zeroes_and_grows);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
