/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/scenario/check.h"

#include <string.h>

/* -- what several checks need ---------------------------------------------------------------------- */

void check_walk_list(struct check_walk *w, const struct scn_stmt *list)
{
	for (const struct scn_stmt *s = list; s; s = s->next) {
		w->visit(w, s);
		w->depth++;
		check_walk_list(w, s->body);
		check_walk_list(w, s->orelse);
		for (unsigned i = 0; i < s->nbranch; i++)
			check_walk_list(w, s->branch[i].body);
		w->depth--;
	}
}

void check_walk_all(struct parser *p, void (*visit)(struct check_walk *w, const struct scn_stmt *s),
		    void *user)
{
	struct check_walk w = {.p = p, .visit = visit, .user = user};

	for (unsigned i = 0; i < p->scn->ntask && !parse_stopped(p); i++) {
		w.task = &p->scn->task[i];
		check_walk_list(&w, w.task->body);
	}
	w.task = NULL;
	for (unsigned i = 0; i < p->scn->nirq && !parse_stopped(p); i++) {
		w.irq = &p->scn->irq[i];
		check_walk_list(&w, w.irq->body);
	}
}

const struct scn_setting *check_field(const struct parser *p, const char *name)
{
	const struct scn_machine *m = &p->scn->machine;

	for (unsigned i = 0; i < m->nset; i++)
		if (!strcmp(m->set[i].name, name))
			return &m->set[i];
	return NULL;
}

bool check_model_caps(const struct parser *p, const char *model, unsigned *caps)
{
	const char *const *params;
	const unsigned char *units;

	return model && p->vocabulary->model_info && p->vocabulary->model_info(model, caps, &params, &units);
}

bool check_at_instances(const struct parser *p, const struct scn_expr *e, uint64_t count,
			bool (*good)(uint64_t value, const void *user), const void *user, uint64_t *bad)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t value;

		if (!scn_instance_value(p->scn, e, i, &value))
			return true;
		if (!good(value, user)) {
			*bad = value;
			return false;
		}
		if (parse_is_constant(e))
			return true;
		if (i == CHECK_INSTANCES && count > 2 * CHECK_INSTANCES)
			i = count - CHECK_INSTANCES; /* the middle of a large array is left to the run */
	}
	return true;
}

/* -- the run --------------------------------------------------------------------------------------- */

static struct sim_pos whole_file(const struct parser *p)
{
	return (struct sim_pos){.source = p->scn->sources[0], .line = 1, .column = 1, .width = 1};
}

static void check_run(struct parser *p)
{
	const struct scenario *scn = p->scn;

	if (!scn->run_for && !scn->until_done)
		parse_fail(
			p, SIM_DIAG_no_run, whole_file(p),
			"the scenario does not say how long it runs: \"run for TIME\" or \"run until done\"");
	if (scn->run_for && !scn_constant(scn, scn->run_for))
		parse_fail(p, SIM_DIAG_out_of_range, scn->run_for->pos,
			   "the length of the run cannot be zero");
	else if (scn->warmup && scn_constant(scn, scn->warmup) >= scn_constant(scn, scn->run_for))
		parse_fail(p, SIM_DIAG_warmup_too_long, scn->warmup->pos,
			   "the warm-up is as long as the run: nothing is left to measure");
	if (scn->limit && !scn_constant(scn, scn->limit))
		parse_fail(p, SIM_DIAG_out_of_range, scn->limit->pos, "the limit cannot be zero");
}

static void check_tasks(struct parser *p)
{
	if (!p->scn->ntask)
		parse_fail(p, SIM_DIAG_no_tasks, whole_file(p), "the scenario has no task");
	for (unsigned i = 0; i < p->scn->ntask; i++)
		if (!p->scn->task[i].body && !p->scn->task[i].directed)
			parse_fail(p, SIM_DIAG_empty_task, p->scn->task[i].pos, "task \"%s\" does nothing",
				   p->scn->task[i].name);
}

/* -- the table --------------------------------------------------------------------------------------- */

/* In this order: what comes later may rely on what came before. */
static const struct check {
	const char *name;
	void (*run)(struct parser *p);
	bool needs_clean; /* not after an error of an earlier check */
} checks[] = {
	{"clock", check_clock, false}, /* turns cycles into time: before all others that compare times */
	{"machine", check_machine, false},
	{"costs", check_costs, false},
	{"cpu-count", check_cpu_count, false},
	{"models", check_models, false},
	{"objects", check_objects, false},
	{"director", check_director, false},
	{"tasks", check_tasks, false},
	{"task-count", check_task_count, false},
	{"run", check_run, false},
	{"placement", check_placement, false},
	{"policies", check_policies, false},
	{"interrupts", check_interrupts, false},
	{"targets", check_targets, false},
	{"failures", check_failures, false},
	{"capabilities", check_capabilities, false},
	{"periods", check_periods, false},
	{"turns", check_turns, false},
	{"idle-loops", check_idle_loops, false},
	{"ends", check_ends, false},
	{"expectations", check_expectations, false},
	{"throughput", check_throughput, false},
	{"flow", check_flow, true},
};

void check_scenario(struct parser *p)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(checks) && !parse_stopped(p); i++)
		if (!checks[i].needs_clean || !parse_failed(p))
			checks[i].run(p);
}
