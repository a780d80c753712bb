/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/scenario/check.h"

static void check_run(struct parser *p)
{
	const struct scenario *scn = p->scn;
	struct sim_pos pos = { .source = scn->sources[0], .line = 1, .column = 1, .width = 1 };

	if (!scn->run_for && !scn->until_done)
		parse_fail(p, SIM_DIAG_no_run, pos, "the scenario does not say how long it runs: \"run for TIME\" or \"run until done\"");
	if (scn->run_for && !scn_constant(scn, scn->run_for))
		parse_fail(p, SIM_DIAG_out_of_range, scn->run_for->pos, "a run takes time");
	if (scn->warmup && scn_constant(scn, scn->warmup) >= scn_constant(scn, scn->run_for))
		parse_fail(p, SIM_DIAG_warmup_too_long, scn->warmup->pos, "the warm-up is as long as the run: nothing is left to measure");
}

static void check_tasks(struct parser *p)
{
	struct sim_pos pos = { .source = p->scn->sources[0], .line = 1, .column = 1, .width = 1 };

	if (!p->scn->ntask)
		parse_fail(p, SIM_DIAG_no_tasks, pos, "the scenario has no task");
	for (unsigned i = 0; i < p->scn->ntask; i++)
		if (!p->scn->task[i].body)
			parse_fail(p, SIM_DIAG_empty_task, p->scn->task[i].pos, "task \"%s\" does nothing", p->scn->task[i].name);
}

/* In this order: what comes later may rely on what came before. */
static const struct check {
	const char *name;
	void (*run)(struct parser *p);
	bool needs_clean; /* not after an error of an earlier check */
} checks[] = {
	{ "run", check_run, false },
	{ "tasks", check_tasks, false },
};

void check_scenario(struct parser *p)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(checks) && !p->diags->stopped; i++)
		if (!checks[i].needs_clean || !parse_failed(p))
			checks[i].run(p);
}
