/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of declarations: machine, locks, tasks, interrupts. */
#include <string.h>

#include "sim/scenario/check.h"

static bool below(uint64_t value, const void *user)
{
	return value < *(const uint64_t *)user;
}

/* " known: a, b, c" as a note to the last message. */
static void note_known(struct parser *p, const char *const *names)
{
	g_autofree char *all = names ? g_strjoinv(", ", (char **)names) : NULL;

	if (!all || !*all)
		return;
	if (strlen(all) > 200) {
		char *cut = all + 200;

		while (cut > all && *cut != ',')
			cut--;
		*cut = '\0';
		sim_diag_note(p->diags, "known: %s, ...", all);
	} else {
		sim_diag_note(p->diags, "known: %s", all);
	}
}

/* -- the machine ---------------------------------------------------------------------------------- */

static void check_preset(struct parser *p, const char *name, struct sim_pos pos)
{
	char meant[80];

	if (!p->vocabulary->presets || g_strv_contains(p->vocabulary->presets, name))
		return;
	parse_fail(p, SIM_DIAG_unknown_preset, pos, "no machine preset \"%.60s\"%s", name,
		   parse_meant(name, p->vocabulary->presets, meant, sizeof(meant)));
	note_known(p, p->vocabulary->presets);
}

static void unknown_model(struct parser *p, const char *name, struct sim_pos pos)
{
	char meant[80] = "";

	parse_fail(p, SIM_DIAG_unknown_model, pos, "no lock model \"%.60s\"%s", name,
		   p->vocabulary->models ? parse_meant(name, p->vocabulary->models, meant, sizeof(meant))
					 : "");
	note_known(p, p->vocabulary->models);
}

static void check_rawspin(struct parser *p, const struct scn_setting *s)
{
	unsigned caps;

	if (!p->vocabulary->model_info)
		return;
	if (!check_model_caps(p, s->word, &caps))
		unknown_model(p, s->word, s->pos);
	else if (!(caps & SCN_CAP_RAW))
		parse_fail(p, SIM_DIAG_not_raw, s->pos, "model \"%.60s\" does not fit into a raw spinlock",
			   s->word);
}

void check_machine(struct parser *p)
{
	const struct scn_machine *m = &p->scn->machine;
	const struct scn_setting *costs = check_field(p, "costs"), *raw = check_field(p, "rawspin");
	const struct scn_setting *cluster = check_field(p, "cluster");
	struct check_shape shape = check_shape(p);
	uint64_t cores;

	if (m->preset)
		check_preset(p, m->preset, m->pos);
	if (costs)
		check_preset(p, costs->word, costs->pos);
	if (raw)
		check_rawspin(p, raw);
	if (!cluster)
		return;
	cores = scn_constant(p->scn, cluster->value);
	if (cores && shape.known && shape.cores % cores)
		parse_fail(p, SIM_DIAG_two_shapes, cluster->pos,
			   "%" G_GUINT64_FORMAT
			   " cores of a socket cannot be split into clusters of %" G_GUINT64_FORMAT,
			   shape.cores, cores);
}

void check_costs(struct parser *p)
{
	const struct scn_machine *m = &p->scn->machine;
	char meant[80];

	for (unsigned i = 0; i < m->nset; i++) {
		const struct scn_setting *s = &m->set[i];

		if (s->cost && p->vocabulary->costs && !g_strv_contains(p->vocabulary->costs, s->cost))
			parse_fail(p, SIM_DIAG_unknown_cost, s->pos, "no cost \"%.60s\"%s", s->cost,
				   parse_meant(s->cost, p->vocabulary->costs, meant, sizeof(meant)));
	}
}

void check_clock(struct parser *p)
{
	const struct scn_setting *clock = check_field(p, "clock");
	const char *preset = p->scn->machine.preset ? p->scn->machine.preset : "uniform";
	uint64_t khz = 0;

	if (!p->cycles->len)
		return;
	if (clock)
		khz = scn_constant(p->scn, clock->value);
	else if (p->vocabulary->preset_clock)
		khz = p->vocabulary->preset_clock(preset);
	if (!khz)
		parse_fail(p, SIM_DIAG_no_clock, ((struct scn_expr *)p->cycles->pdata[0])->pos,
			   "this machine has no clock rate; give it one: machine { clock 2.4GHz }");
	for (unsigned i = 0; i < p->cycles->len; i++) {
		struct scn_expr *e = p->cycles->pdata[i];
		unsigned __int128 ps = khz ? (unsigned __int128)e->value * 1000000000 / khz : 0;

		e->unit = SCN_TIME;
		if (e->kind != SCN_LITERAL)
			continue;
		if (ps >= UINT64_MAX)
			parse_fail(p, SIM_DIAG_number_too_big, e->pos,
				   "too many cycles: simulated time ends after 213 days");
		e->value = ps >= UINT64_MAX ? 0 : (uint64_t)ps;
	}
}

static uint64_t shape_field(const struct parser *p, const char *name, uint64_t fallback)
{
	const struct scn_setting *s = check_field(p, name);

	return s ? scn_constant(p->scn, s->value) : fallback;
}

struct check_shape check_shape(const struct parser *p)
{
	const char *preset = p->scn->machine.preset ? p->scn->machine.preset : "uniform";
	unsigned sockets = 1, cores = 1, threads = 1;
	struct check_shape shape;

	shape.known = p->vocabulary->preset_shape &&
		      p->vocabulary->preset_shape(preset, &sockets, &cores, &threads);
	shape.known |= check_field(p, "sockets") && check_field(p, "cores") && check_field(p, "threads");
	shape.sockets = shape_field(p, "sockets", sockets);
	shape.cores = shape_field(p, "cores", cores);
	shape.threads = shape_field(p, "threads", threads);
	shape.cpus = UINT64_MAX;
	if (shape.sockets <= UINT16_MAX && shape.cores <= UINT16_MAX && shape.threads <= UINT16_MAX)
		shape.cpus = shape.sockets * shape.cores * shape.threads;
	return shape;
}

void check_cpu_count(struct parser *p)
{
	struct check_shape shape = check_shape(p);
	const struct scn_setting *s = check_field(p, "cores");

	if (!s || scn_constant(p->scn, s->value) == 1)
		s = check_field(p, "sockets") ? check_field(p, "sockets") : check_field(p, "threads");
	if (shape.cpus > p->limits.max_cpus)
		parse_fail(p, SIM_DIAG_too_many_cpus, s ? s->value->pos : p->scn->machine.pos,
			   "%" G_GUINT64_FORMAT " sockets, %" G_GUINT64_FORMAT " cores and %" G_GUINT64_FORMAT
			   " threads are more than %" G_GUINT64_FORMAT " CPUs",
			   shape.sockets, shape.cores, shape.threads, p->limits.max_cpus);
}

/* -- locks ------------------------------------------------------------------------------------------ */

static void check_param_unit(struct parser *p, const struct scn_setting *s, const char *model, unsigned unit)
{
	static const char *const wants[] = {"a count", "a time", "\"on\" or \"off\""};
	bool good = unit == 0   ? s->value->unit == SCN_COUNT
		    : unit == 1 ? s->value->unit == SCN_TIME
				: s->value->unit == SCN_WORD;

	if (good || unit > 2)
		return;
	if (unit == 1 && s->value->unit == SCN_COUNT)
		parse_fail(p, SIM_DIAG_missing_unit, s->value->pos,
			   "\"%.40s\" needs a unit: \"%" G_GUINT64_FORMAT "us\", or with ps, ns, ms, s",
			   s->name, s->value->value);
	else
		parse_fail(p, SIM_DIAG_wrong_param_value, s->value->pos, "\"%.40s\" of %.40s takes %s",
			   s->name, model, wants[unit]);
}

static void check_ceiling(struct parser *p, const struct scn_setting *s)
{
	uint64_t ceiling;

	if (strcmp(s->name, "ceiling") || s->value->unit != SCN_COUNT)
		return;
	ceiling = scn_constant(p->scn, s->value);
	if (!ceiling || ceiling > 99)
		parse_fail(p, SIM_DIAG_out_of_range, s->value->pos,
			   "a ceiling is a real-time priority, 1 to 99 (the strongest), not %" G_GUINT64_FORMAT, ceiling);
}

static void check_model(struct parser *p, const char *model, struct sim_pos pos,
			const struct scn_setting *set, unsigned nset)
{
	const char *const *params = NULL;
	const unsigned char *units = NULL;
	static const char *const none[] = {NULL};
	unsigned caps, at;
	char meant[80];

	if (!p->vocabulary->model_info)
		return;
	if (!p->vocabulary->model_info(model, &caps, &params, &units)) {
		unknown_model(p, model, pos);
		return;
	}
	params = params ? params : none;
	for (unsigned i = 0; i < nset; i++) {
		for (at = 0; params[at] && strcmp(params[at], set[i].name); at++)
			;
		if (params[at]) {
			check_param_unit(p, &set[i], model, units[at]);
			check_ceiling(p, &set[i]);
			continue;
		}
		parse_fail(p, SIM_DIAG_unknown_lock_param, set[i].pos,
			   "model \"%.40s\" has no parameter \"%.40s\"%s", model, set[i].name,
			   parse_meant(set[i].name, params, meant, sizeof(meant)));
		note_known(p, params);
	}
}

void check_models(struct parser *p)
{
	const struct scenario *scn = p->scn;

	for (unsigned i = 0; i < scn->nlock && !parse_stopped(p); i++)
		if (scn->lock[i].kind == SCN_LOCK)
			check_model(p, scn->lock[i].model, scn->lock[i].model_pos, scn->lock[i].set,
				    scn->lock[i].nset);
	for (unsigned i = 0; i < scn->ncompare && !parse_stopped(p); i++)
		check_model(p, scn->compare[i].model, scn->compare[i].model_pos, scn->compare[i].set,
			    scn->compare[i].nset);
}

void check_objects(struct parser *p)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < p->scn->nlock; i++) {
		const struct scn_lock *lock = &p->scn->lock[i];
		uint64_t parties = lock->value ? scn_constant(p->scn, lock->value) : 1;

		sum += (uint64_t)lock->count * (1 + lock->data_lines);
		if (sum > PARSE_MAX_OBJECTS) {
			parse_fail(p, SIM_DIAG_too_many_locks, lock->pos, "more than %u locks and data lines",
				   PARSE_MAX_OBJECTS);
			return;
		}
		if (lock->kind == SCN_BARRIER && (!parties || parties > p->limits.max_tasks))
			parse_fail(p, SIM_DIAG_out_of_range, lock->value->pos,
				   "a barrier waits for 1 to %" G_GUINT64_FORMAT " tasks",
				   p->limits.max_tasks);
		if (lock->kind == SCN_SEMAPHORE && parties > INT32_MAX)
			parse_fail(p, SIM_DIAG_out_of_range, lock->value->pos,
				   "a semaphore counts to at most %d", INT32_MAX);
	}
}

/* -- tasks ------------------------------------------------------------------------------------------ */

void check_task_count(struct parser *p)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < p->scn->ntask; i++) {
		sum += p->scn->task[i].count;
		if (sum > p->limits.max_tasks) {
			parse_fail(p, SIM_DIAG_too_many_tasks, p->scn->task[i].pos,
				   "more than %" G_GUINT64_FORMAT " tasks", p->limits.max_tasks);
			return;
		}
	}
}

static void check_cpu(struct parser *p, const struct scn_expr *e, uint64_t count, uint64_t ncpus)
{
	uint64_t bad;

	if (!check_at_instances(p, e, count, below, &ncpus, &bad))
		parse_fail(p, SIM_DIAG_no_such_cpu, e->pos,
			   "no CPU %" G_GUINT64_FORMAT "; this machine has 0 to %" G_GUINT64_FORMAT, bad,
			   ncpus - 1);
}

static void check_range(struct parser *p, const struct scn_range *r, uint64_t count, uint64_t ncpus)
{
	uint64_t lo, hi;

	check_cpu(p, r->lo, count, ncpus);
	if (!r->hi)
		return;
	check_cpu(p, r->hi, count, ncpus);
	for (uint64_t i = 0; i < count && i < CHECK_INSTANCES; i++)
		if (scn_instance_value(p->scn, r->lo, i, &lo) && scn_instance_value(p->scn, r->hi, i, &hi) &&
		    lo > hi) {
			parse_fail(p, SIM_DIAG_empty_window, r->lo->pos,
				   "the range %" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT " is empty", lo, hi);
			return;
		}
}

void check_placement(struct parser *p)
{
	struct check_shape shape = check_shape(p);
	uint64_t bad;

	if (!shape.known)
		return;
	for (unsigned i = 0; i < p->scn->ntask; i++) {
		const struct scn_task *task = &p->scn->task[i];

		for (unsigned r = 0; r < task->ncpus; r++)
			check_range(p, &task->cpus[r], task->count, shape.cpus);
		if (task->socket &&
		    !check_at_instances(p, task->socket, task->count, below, &shape.sockets, &bad))
			parse_fail(p, SIM_DIAG_no_such_cpu, task->socket->pos,
				   "no socket %" G_GUINT64_FORMAT
				   "; this machine has 0 to %" G_GUINT64_FORMAT,
				   bad, shape.sockets - 1);
	}
}

struct span {
	uint64_t min, max;
};

static bool within(uint64_t value, const void *user)
{
	const struct span *span = user;

	return value >= span->min && value <= span->max;
}

static void check_deadline(struct parser *p, const struct scn_sched *sched)
{
	uint64_t runtime, period, deadline;

	if (!scn_instance_value(p->scn, sched->runtime, 0, &runtime) ||
	    !scn_instance_value(p->scn, sched->period, 0, &period))
		return;
	deadline = period;
	if (sched->deadline && !scn_instance_value(p->scn, sched->deadline, 0, &deadline))
		return;
	if (!runtime || runtime > deadline || deadline > period)
		parse_fail(p, SIM_DIAG_deadline_shape, sched->runtime->pos,
			   "0 < runtime <= deadline <= period must hold");
}

void check_sched(struct parser *p, const struct scn_sched *sched, uint64_t count)
{
	static const struct span rt = {1, 99}, nice = {0, 19}, negative = {0, 20};
	const struct span *span = &rt;
	uint64_t bad;

	if (sched->policy == SCN_POLICY_DEADLINE) {
		check_deadline(p, sched);
		return;
	}
	if (sched->policy == SCN_POLICY_NICE)
		span = sched->neg ? &negative : &nice;
	if (check_at_instances(p, sched->priority, count, within, span, &bad))
		return;
	if (sched->policy == SCN_POLICY_NICE)
		parse_fail(p, SIM_DIAG_out_of_range, sched->priority->pos,
			   "nice values go from -20 to 19, not %s%" G_GUINT64_FORMAT, sched->neg ? "-" : "",
			   bad);
	else
		parse_fail(p, SIM_DIAG_out_of_range, sched->priority->pos,
			   "real-time priorities go from 1 to 99 (the strongest), not %" G_GUINT64_FORMAT,
			   bad);
}

static void visit_set(struct check_walk *w, const struct scn_stmt *s)
{
	if (s->kind == SCN_SET)
		check_sched(w->p, &s->sched, w->task ? w->task->count : 1);
}

void check_policies(struct parser *p)
{
	for (unsigned i = 0; i < p->scn->ntask; i++)
		check_sched(p, &p->scn->task[i].sched, p->scn->task[i].count);
	check_walk_all(p, visit_set, NULL);
}

void check_interrupts(struct parser *p)
{
	struct check_shape shape = check_shape(p);
	uint64_t every;

	for (unsigned i = 0; i < p->scn->nirq; i++) {
		const struct scn_interrupt *irq = &p->scn->irq[i];

		if (shape.known)
			check_cpu(p, irq->cpu, 1, shape.cpus);
		if (scn_instance_value(p->scn, irq->every, 0, &every) && !every)
			parse_fail(p, SIM_DIAG_out_of_range, irq->every->pos,
				   "the time between interrupts cannot be zero");
	}
}
