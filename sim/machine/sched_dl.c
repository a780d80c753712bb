// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SCHED_DEADLINE: earliest absolute deadline first, each task inside a constant-bandwidth
 * server (runtime per period). A task that used its runtime is throttled until its next
 * period; overrun is carried over. As in 6.1 without high-resolution ticks the overrun is
 * noticed when time is accounted: at ticks and switches.
 *
 * A boosted task runs with its donor's parameters and is never throttled. A task of another
 * class that is boosted gets the deadline now + the donor's relative one.
 */
#include "sim/machine/sched_rq.h"

static void timer_fire(struct sim_event *ev);

void sim_dl_task_init(struct sim_task *task)
{
	task->dl_timer.fire = timer_fire;
}

/* Whose runtime and period it runs with. */
static const struct sim_attr *parameters(const struct sim_task *task)
{
	return task->dl_donor ? &task->dl_donor->attr : &task->attr;
}

static sim_time relative(const struct sim_attr *a)
{
	if (a->dl_deadline)
		return a->dl_deadline;
	return a->dl_period ? a->dl_period : a->dl_runtime;
}

static sim_time period(const struct sim_attr *a)
{
	return a->dl_period ? a->dl_period : relative(a);
}

static void set_deadline(struct sim_task *task, sim_time deadline)
{
	task->shared->dl_deadline = deadline;
}

static void new_server(struct sim_task *task)
{
	const struct sim_attr *a = parameters(task);

	set_deadline(task, sim->now + relative(a));
	task->dl_left = (int64_t)a->dl_runtime;
}

/* Would the rest of the runtime until the deadline exceed the task's bandwidth? */
static bool overflows(const struct sim_task *task)
{
	const struct sim_attr *a = parameters(task);
	uint64_t laxity = task->shared->dl_deadline - sim->now;

	return (__int128)relative(a) * task->dl_left > (__int128)laxity * (__int128)a->dl_runtime;
}

/* A wake-up: keeps deadline and runtime if they still fit the bandwidth. */
static void wake_server(struct sim_task *task)
{
	const struct sim_attr *a = parameters(task);
	uint64_t deadline = task->shared->dl_deadline;

	if (deadline && sim_time_before(sim->now, deadline) && !overflows(task))
		return;
	if (deadline && sim_time_before(sim->now, deadline) && relative(a) != period(a) && !task->dl_donor) {
		/* constrained deadline: keep it, with what the density allows until then */
		task->dl_left = (int64_t)((unsigned __int128)(deadline - sim->now) * a->dl_runtime / relative(a));
		return;
	}
	new_server(task);
}

static void replenish(struct sim_task *task)
{
	const struct sim_attr *a = parameters(task);
	uint64_t deadline = task->shared->dl_deadline;

	if (task->attr.policy != SIM_DEADLINE || !deadline) {
		new_server(task);
		deadline = task->shared->dl_deadline;
	}
	if (task->dl_yielded && task->dl_left > 0)
		task->dl_left = 0;
	if (task->dl_left <= 0 && a->dl_runtime) {
		uint64_t n = (uint64_t)-task->dl_left / a->dl_runtime + 1;

		deadline += n * period(a);
		task->dl_left += (int64_t)(n * a->dl_runtime);
	}
	if (sim_time_before(deadline, sim->now))
		new_server(task);
	else
		set_deadline(task, deadline);
	task->dl_yielded = false;
	task->throttled = false;
}

/* -- queue ----------------------------------------------------------------------------------- */

static void note_overload(struct sim_rq *rq)
{
	sim_cpus_put(&sim_sched.dl_over, rq->cpu->id, rq->dl.tree.nr > 1 && rq->dl.movable);
}

static void insert(struct sim_rq *rq, struct sim_task *task)
{
	sim_tree_add(&rq->dl.tree, task, (int64_t)task->shared->dl_deadline);
	rq->dl.movable += sim_task_movable(task);
	note_overload(rq);
	sim_rq_count(rq, 1);
}

static void take_out(struct sim_rq *rq, struct sim_task *task)
{
	sim_tree_del(&rq->dl.tree, task);
	rq->dl.movable -= sim_task_movable(task);
	note_overload(rq);
	sim_rq_count(rq, -1);
}

/* Constrained deadlines: woken between the deadline and the next period, it waits for that. */
static sim_time next_period(const struct sim_task *task)
{
	const struct sim_attr *a = parameters(task);

	return task->shared->dl_deadline - relative(a) + period(a);
}

static bool throttle(struct sim_task *task)
{
	sim_time at = next_period(task);

	if (!sim_time_before(sim->now, at))
		return false;
	task->throttled = true;
	sim_rq_emit_throttle(sim_rq_of(task), task, true);
	sim_evq_push(&sim->evq, &task->dl_timer, at,
		     sim_rank(SIM_PHASE_WORLD, (unsigned)task->shared->cpu, SIM_KIND_THROTTLE, task->id + 1));
	return true;
}

static void unthrottle(struct sim_task *task)
{
	if (task->throttled)
		sim_rq_emit_throttle(sim_rq_of(task), task, false);
	task->throttled = false;
	sim_evq_cancel(&sim->evq, &task->dl_timer);
}

void sim_dl_enqueue(struct sim_rq *rq, struct sim_task *task, unsigned flags)
{
	uint64_t deadline = task->shared->dl_deadline;

	if (task->dl_donor || (flags & SIM_ENQ_REPLENISH))
		unthrottle(task);
	if (task->throttled)
		return;
	if ((flags & SIM_ENQ_WAKE) && !task->dl_donor && relative(&task->attr) < period(&task->attr) && deadline &&
	    !sim_time_before(sim->now, deadline) && throttle(task)) {
		if (task->dl_left > 0)
			task->dl_left = 0;
		return;
	}
	if (flags & SIM_ENQ_WAKE)
		wake_server(task);
	else if (flags & SIM_ENQ_REPLENISH)
		replenish(task);
	else if (!deadline || sim_time_before(deadline, sim->now))
		new_server(task);
	insert(rq, task);
}

void sim_dl_dequeue(struct sim_rq *rq, struct sim_task *task)
{
	if (!task->throttled)
		take_out(rq, task);
}

void sim_dl_leave(struct sim_task *task)
{
	unthrottle(task);
	task->dl_donor = NULL;
	task->dl_yielded = false;
	if (task->attr.policy != SIM_DEADLINE)
		task->shared->dl_deadline = 0;
}

/* -- bandwidth ------------------------------------------------------------------------------- */

static void exhausted(struct sim_rq *rq, struct sim_task *task)
{
	take_out(rq, task);
	if (task->dl_donor || !throttle(task)) {
		replenish(task);
		insert(rq, task);
	}
	sim_rq_level(rq);
	if (task->throttled || sim_tree_first(&rq->dl.tree) != task)
		sim_resched_cpu(rq->cpu, false);
}

void sim_dl_charge(struct sim_rq *rq, sim_time d)
{
	struct sim_task *t = rq->curr;

	if (t->throttled)
		return;
	t->dl_left -= (int64_t)d;
	if (t->dl_left <= 0 || t->dl_yielded)
		exhausted(rq, t);
}

void sim_dl_yield(struct sim_rq *rq)
{
	struct sim_task *t = rq->curr;

	if (t->throttled)
		return;
	t->dl_yielded = true;
	exhausted(rq, t);
}

static void timer_fire(struct sim_event *ev)
{
	struct sim_task *t = (struct sim_task *)((char *)ev - offsetof(struct sim_task, dl_timer));
	struct sim_rq *rq = sim_rq_of(t);

	sim->cpu = rq->cpu;
	sim->in_world = true;
	sim_rq_emit_throttle(rq, t, false);
	replenish(t);
	if (!t->on_rq)
		return;
	insert(rq, t);
	sim_rq_level(rq);
	sim_rq_check_preempt(rq, t);
	if (t != rq->curr)
		sim_push(rq);
}

struct sim_task *sim_dl_waiting(struct sim_rq *rq, int to, const struct sim_task *but)
{
	if (!rq->dl.movable)
		return NULL;
	for (struct sim_task *t = sim_tree_first(&rq->dl.tree); t; t = sim_tree_next(&rq->dl.tree, t)) {
		if (t == rq->curr || t == but || !sim_task_movable(t) || sim_task_stuck(t))
			continue;
		if (to < 0 || sim_cpuset_has(sim_allowed(t), (unsigned)to))
			return t;
	}
	return NULL;
}
