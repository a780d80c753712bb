/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --set name=value. */
#include <string.h>

#include <check.h>
#include <glib.h>

#include "fake.h"
#include "run.h"

static const char text[] = "machine { sockets 1 cores 4 hz 1000 cost ipi 1us }\n"
			   "param think = 5us\nparam twice = think * 2\nparam share = 10%\nparam n = 2\n"
			   "lock bus : rwsem { handoff 1ms batch 3 }\n"
			   "task worker[n] { loop { hold bus { run think } run twice } }\n"
			   "task solo { run 1us }\nrun for 10ms\n";

START_TEST(params)
{
	struct scenario *scn = fake_good_set(text, "think=7us");

	ck_assert_uint_eq(scn->param[0].value->value, 7 * SIM_US);
	ck_assert_uint_eq(scn->param[1].value->value, 14 * SIM_US);
	scenario_free(scn);
	scn = fake_good_set(text, "share=0.5");
	ck_assert_uint_eq(scn->param[2].value->value, 500000);
	scenario_free(scn);
	scn = fake_good_set(text, "n=3");
	ck_assert_uint_eq(scn->task[0].count, 3);
	scenario_free(scn);
	scn = fake_good_set(text, "think=2us * 3");
	ck_assert_uint_eq(scn->param[0].value->value, 6 * SIM_US);
	scenario_free(scn);
}
END_TEST

START_TEST(last_one_counts)
{
	const char *sets[] = { "think=7us", "think=8us", NULL };
	struct sim_diags diags = { 0 };
	struct scenario *scn = fake_parse(text, sets, &diags);

	ck_assert_ptr_nonnull(scn);
	ck_assert_uint_eq(scn->param[0].value->value, 8 * SIM_US);
	scenario_free(scn);
}
END_TEST

START_TEST(others)
{
	struct scenario *scn = fake_good_set(text, "machine.hz=250");

	ck_assert_uint_eq(scn->machine.nset, 4);
	ck_assert_uint_eq(scn->machine.set[2].value->value, 250);
	scenario_free(scn);
	scn = fake_good_set(text, "machine.preempt=full");
	ck_assert_uint_eq(scn->machine.nset, 5);
	ck_assert_str_eq(scn->machine.set[4].word, "full");
	scenario_free(scn);
	scn = fake_good_set(text, "machine=westmere-ex-8s");
	ck_assert_str_eq(scn->machine.preset, "westmere-ex-8s");
	scenario_free(scn);
	scn = fake_good_set(text, "cost.ipi=900ns");
	ck_assert_uint_eq(scn->machine.set[3].value->value, 900 * SIM_NS);
	scenario_free(scn);
	scn = fake_good_set(text, "cost.wake=900ns");
	ck_assert_str_eq(scn->machine.set[4].cost, "wake");
	scenario_free(scn);
	scn = fake_good_set(text, "bus.handoff=4ms");
	ck_assert_uint_eq(scn->lock[0].set[0].value->value, 4 * SIM_MS);
	scenario_free(scn);
	scn = fake_good_set(text, "worker.count=8");
	ck_assert_uint_eq(scn->task[0].count, 8);
	scenario_free(scn);
	scn = fake_good_set(text, "seed=99");
	ck_assert(scn->has_seed && scn->seed == 99);
	scenario_free(scn);
}
END_TEST

/* A parameter that the new model does not have leaves with the old model. */
START_TEST(model)
{
	struct scenario *scn = fake_good_set(text, "bus=mutex");

	ck_assert_str_eq(scn->lock[0].model, "mutex");
	ck_assert_uint_eq(scn->lock[0].nset, 1);
	ck_assert_str_eq(scn->lock[0].set[0].name, "handoff");
	scenario_free(scn);
}
END_TEST

/* The model is exchanged before its parameters are set, whatever the order on the command line. */
START_TEST(model_and_param)
{
	const char *sets[] = { "bus.spin=off", "bus=mutex", NULL };
	struct sim_diags diags = { 0 };
	struct scenario *scn = fake_parse(text, sets, &diags);

	ck_assert_ptr_nonnull(scn);
	ck_assert_uint_eq(scn->lock[0].nset, 2);
	ck_assert_str_eq(scn->lock[0].set[1].word, "off");
	scenario_free(scn);
}
END_TEST

static unsigned code_of(const char *set)
{
	const char *sets[] = { set, NULL };
	struct sim_diags diags = { 0 };
	struct scenario *scn = fake_parse(text, sets, &diags);
	unsigned code = diags.list[0].code;

	ck_assert_ptr_null(scn);
	ck_assert_msg(diags.count == 1, "%s: %u messages", set, diags.count);
	if (code != SIM_DIAG_too_many_tasks) /* told where the task is */
		ck_assert_str_eq(diags.list[0].pos.source->path, "--set");
	scenario_diags_finish(&diags);
	return code;
}

START_TEST(refused)
{
	ck_assert_uint_eq(code_of("think"), SIM_DIAG_set_syntax);
	ck_assert_uint_eq(code_of("=5"), SIM_DIAG_set_syntax);
	ck_assert_uint_eq(code_of("think="), SIM_DIAG_set_syntax);
	ck_assert_uint_eq(code_of("think=5"), SIM_DIAG_missing_unit);
	ck_assert_uint_eq(code_of("n=5us"), SIM_DIAG_wrong_unit);
	ck_assert_uint_eq(code_of("thnk=5us"), SIM_DIAG_unknown_set);
	ck_assert_uint_eq(code_of("think=5us 6us"), SIM_DIAG_syntax);
	ck_assert_uint_eq(code_of("machine.hertz=5"), SIM_DIAG_unknown_set);
	ck_assert_uint_eq(code_of("machine.preempt=sometimes"), SIM_DIAG_unknown_word);
	ck_assert_uint_eq(code_of("machine=wetsmere-ex-8s"), SIM_DIAG_unknown_preset);
	ck_assert_uint_eq(code_of("cost.ippi=5ns"), SIM_DIAG_unknown_cost);
	ck_assert_uint_eq(code_of("bus=rwsm"), SIM_DIAG_unknown_model);
	ck_assert_uint_eq(code_of("bus.handof=4ms"), SIM_DIAG_unknown_lock_param);
	ck_assert_uint_eq(code_of("bus.batch=4ms"), SIM_DIAG_wrong_param_value);
	ck_assert_uint_eq(code_of("solo.count=4"), SIM_DIAG_not_indexed);
	ck_assert_uint_eq(code_of("worker.cuont=4"), SIM_DIAG_unknown_set);
	ck_assert_uint_eq(code_of("worker.count=1000000000"), SIM_DIAG_too_many_tasks);
	ck_assert_uint_eq(code_of("worker.count=0"), SIM_DIAG_out_of_range);
	ck_assert_uint_eq(code_of("seed=1us"), SIM_DIAG_wrong_unit);
	ck_assert_uint_eq(code_of("nobody.count=4"), SIM_DIAG_unknown_set);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { params, last_one_counts, others, model, model_and_param, refused };

	return run_tests("sets", tests, G_N_ELEMENTS(tests));
}
