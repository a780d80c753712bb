// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * FIFO and RR: one list per priority and a bitmap. The running task keeps its place:
 * at the head, whether it is preempted or not; to the tail by sched_yield() or the end
 * of an RR slice. Woken and boosted tasks go to the tail, deboosted ones to the head.
 *
 * RT throttling (only with rt_runtime): a CPU whose RT tasks ran for more than
 * rt_runtime in a period runs none of them until a later period starts. Periods are
 * multiples of rt_period; as in 6.1 an overrun is carried over, and is noticed when time
 * is accounted: at ticks and switches.
 */
#include "sim/machine/sched_rq.h"

static void timer_fire(struct sim_event *ev);

void sim_rt_init(struct sim_rq *rq)
{
	rq->rt.timer.fire = timer_fire;
}

/* -- lists -------------------------------------------------------------------------------- */

static void list_add(struct sim_list *list, struct sim_task *task, bool head)
{
	struct sim_task *next = head ? list->head : NULL, *prev = head ? NULL : list->tail;

	task->rq_next = next;
	task->rq_prev = prev;
	*(next ? &next->rq_prev : &list->tail) = task;
	*(prev ? &prev->rq_next : &list->head) = task;
}

static void list_del(struct sim_list *list, struct sim_task *task)
{
	*(task->rq_next ? &task->rq_next->rq_prev : &list->tail) = task->rq_prev;
	*(task->rq_prev ? &task->rq_prev->rq_next : &list->head) = task->rq_next;
	task->rq_next = task->rq_prev = NULL;
}

static struct sim_list *list_of(struct sim_rq *rq, const struct sim_task *task)
{
	int prio = task->shared->prio;

	return prio == SIM_STOP_PRIO ? &rq->stop : &rq->rt.list[prio];
}

static void to_end(struct sim_rq *rq, struct sim_task *task, bool head)
{
	struct sim_list *list = list_of(rq, task);

	list_del(list, task);
	list_add(list, task, head);
}

static void note_overload(struct sim_rq *rq)
{
	sim_cpus_put(&sim_sched.rt_over, rq->cpu->id, rq->rt.nr > 1 && rq->rt.movable);
}

/* Also the stop class, which is one more list. */
void sim_rt_enqueue(struct sim_rq *rq, struct sim_task *task, bool head)
{
	int prio = task->shared->prio;

	list_add(list_of(rq, task), task, head);
	if (prio == SIM_STOP_PRIO)
		return;
	rq->rt.bitmap[prio / 64] |= UINT64_C(1) << (prio % 64);
	rq->rt.nr++;
	rq->rt.movable += sim_task_movable(task);
	if (rq->rt.nr > 1)
		note_overload(rq);
}

void sim_rt_dequeue(struct sim_rq *rq, struct sim_task *task)
{
	int prio = task->shared->prio;

	list_del(list_of(rq, task), task);
	if (prio == SIM_STOP_PRIO)
		return;
	if (!rq->rt.list[prio].head)
		rq->rt.bitmap[prio / 64] &= ~(UINT64_C(1) << (prio % 64));
	rq->rt.movable -= sim_task_movable(task);
	if (rq->rt.nr-- > 1)
		note_overload(rq);
}

int sim_rt_top(const struct sim_rq *rq)
{
	if (rq->rt.bitmap[0])
		return __builtin_ctzll(rq->rt.bitmap[0]);
	return rq->rt.bitmap[1] ? 64 + __builtin_ctzll(rq->rt.bitmap[1]) : SIM_MAX_RT_PRIO;
}

/* The strongest non-empty priority weaker than @prio. */
static int next_prio(const struct sim_rq *rq, int prio)
{
	prio++;
	if (prio < 64) {
		uint64_t bits = rq->rt.bitmap[0] & (~UINT64_C(0) << prio);

		if (bits)
			return __builtin_ctzll(bits);
		prio = 64;
	}
	if (prio >= SIM_MAX_RT_PRIO || !(rq->rt.bitmap[1] >> (prio - 64)))
		return SIM_MAX_RT_PRIO;
	return prio + __builtin_ctzll(rq->rt.bitmap[1] >> (prio - 64));
}

struct sim_task *sim_rt_first_but(struct sim_rq *rq, const struct sim_task *but)
{
	for (int prio = sim_rt_top(rq); prio < SIM_MAX_RT_PRIO; prio = next_prio(rq, prio))
		for (struct sim_task *t = rq->rt.list[prio].head; t; t = t->rq_next)
			if (t != but)
				return t;
	return NULL;
}

struct sim_task *sim_rt_pick(struct sim_rq *rq)
{
	int top = sim_rt_top(rq);

	if (top == SIM_MAX_RT_PRIO)
		return NULL;
	if (rq->rt.skip_curr) {
		struct sim_task *other = sim_rt_first_but(rq, rq->curr);

		rq->rt.skip_curr = false;
		if (other && rq->curr && sim_class_of(rq->curr) == SIM_SC_RT) {
			rq->rt.evict = rq->curr;
			return other;
		}
	}
	return rq->rt.list[top].head;
}

struct sim_task *sim_rt_waiting(struct sim_rq *rq, int to, const struct sim_task *but)
{
	if (!rq->rt.movable)
		return NULL;
	for (int prio = sim_rt_top(rq); prio < SIM_MAX_RT_PRIO; prio = next_prio(rq, prio))
		for (struct sim_task *t = rq->rt.list[prio].head; t; t = t->rq_next) {
			if (t == rq->curr || t == but || !sim_task_movable(t) || sim_task_stuck(t))
				continue;
			if (to < 0 || sim_cpuset_has(sim_allowed(t), (unsigned)to))
				return t;
		}
	return NULL;
}

/* -- decisions ------------------------------------------------------------------------------ */

void sim_rt_tick(struct sim_rq *rq)
{
	struct sim_task *t = rq->curr;

	if (t->attr.policy != SIM_RR)
		return;
	if (t->slice_left > sim->tick_ps) {
		t->slice_left -= sim->tick_ps;
		return;
	}
	t->slice_left = sim_sched.rr_slice;
	if (t->rq_next || t->rq_prev) {
		to_end(rq, t, false);
		sim_resched_cpu(rq->cpu, false);
	}
}

void sim_rt_yield(struct sim_rq *rq)
{
	to_end(rq, rq->curr, false);
}

/* Equal priority: a task that can run nowhere else pushes away one that can. */
static void check_equal(struct sim_rq *rq, struct sim_task *task)
{
	unsigned here = rq->cpu->id;

	if (!sim_task_movable(rq->curr) || sim_curr_stuck(rq->curr) || sim_push_target(rq->curr, here, -1) < 0)
		return;
	if (sim_task_movable(task) && !sim_task_stuck(task) && sim_push_target(task, here, -1) >= 0)
		return;
	to_end(rq, task, true);
	sim_resched_cpu(rq->cpu, false);
}

void sim_rt_check_preempt(struct sim_rq *rq, struct sim_task *task)
{
	int prio = task->shared->prio, curr = rq->curr->shared->prio;

	if (rq->rt.throttled)
		return;
	if (prio < curr)
		sim_resched_cpu(rq->cpu, false);
	else if (prio == curr && !rq->cpu->need_resched)
		check_equal(rq, task);
}

/* -- throttling ------------------------------------------------------------------------------ */

/* Forgives rt_runtime for every period that began since the last look. */
static void roll_period(struct sim_rq *rq)
{
	uint64_t now = sim->now / sim->cfg.rt_period, n = now - rq->rt.period;

	if (!n)
		return;
	rq->rt.period = now;
	if (n > rq->rt.time / sim->cfg.rt_runtime)
		rq->rt.time = 0;
	else
		rq->rt.time -= n * sim->cfg.rt_runtime;
}

static void timer_push(struct sim_rq *rq)
{
	sim_evq_push(&sim->evq, &rq->rt.timer, (rq->rt.period + 1) * sim->cfg.rt_period,
		     sim_rank(SIM_PHASE_WORLD, rq->cpu->id, SIM_KIND_THROTTLE, 0));
}

void sim_rt_charge(struct sim_rq *rq, sim_time d)
{
	if (!sim->cfg.rt_runtime || sim->cfg.rt_runtime >= sim->cfg.rt_period)
		return;
	roll_period(rq);
	rq->rt.time += d;
	if (rq->rt.throttled || rq->rt.time <= sim->cfg.rt_runtime)
		return;
	rq->rt.throttled = true;
	sim_rq_emit_throttle(rq, NULL, true);
	timer_push(rq);
	sim_resched_cpu(rq->cpu, false);
}

static void timer_fire(struct sim_event *ev)
{
	struct sim_rq *rq = (struct sim_rq *)((char *)ev - offsetof(struct sim_rq, rt.timer));

	sim->cpu = rq->cpu;
	sim->in_world = true;
	if (rq->curr)
		sim_rq_account(rq);
	roll_period(rq);
	if (rq->rt.time >= sim->cfg.rt_runtime) {
		timer_push(rq);
		return;
	}
	rq->rt.throttled = false;
	sim_rq_emit_throttle(rq, NULL, false);
	if (rq->rt.nr && (!rq->curr || sim_rt_top(rq) < rq->curr->shared->prio))
		sim_resched_cpu(rq->cpu, false);
}
