// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The step machine. Each instruction has one function: it answers true when it gives the
 * machine something to do, false when the program goes on at this instant.
 */
#include "sim/run/director.h"
#include "sim/run/program.h"

typedef bool prog_step_fn(struct prog_task *t, const struct prog_insn *in, struct sim_act *act);

static uint32_t number(const struct prog_task *t)
{
	return t->sim->id + 1;
}

static void jump(struct prog_task *t, const struct prog_insn *in)
{
	t->pc = &t->body->code[in->jump];
}

static bool call(struct sim_act *act, const struct prog_insn *in, void (*fn)(struct sim_task *, void *))
{
	act->kind = SIM_ACT_CALL;
	act->fn = fn;
	act->arg = (void *)(uintptr_t)in;
	return true;
}

static bool until(const struct prog_task *task, struct sim_act *act, sim_time t)
{
	sim_emit(SIM_REC_STEP, number(task), 0, SIM_STEP_SLEEP, t);
	if (t <= sim->now)
		return false;
	act->kind = SIM_ACT_SLEEP;
	act->t = t;
	return true;
}

static bool spend(struct sim_act *act, sim_time cost)
{
	act->kind = SIM_ACT_SPEND;
	act->t = cost;
	return cost != 0;
}

/* Back where a pending reschedule is acted on: the machine must get to look before the program goes on. */
static bool preempt_point(struct sim_act *act)
{
	act->kind = SIM_ACT_RUN;
	act->t = 0;
	return sim_may_preempt(sim->cpu);
}

/* -- time ------------------------------------------------------------------------------------ */

static bool step_run(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	sim_time d = value_of(in->value, &t->env);

	if (sim_listened(SIM_REC_RUN))
		sim_emit(SIM_REC_RUN, number(t), 0, 0, d);
	else
		t->pc++; /* over RAN, which does nothing else */
	act->kind = SIM_ACT_RUN;
	act->t = d;
	return d != 0;
}

static bool step_ran(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	sim_emit(SIM_REC_RUN, number(t), 0, 1, in->stmt);
	return false;
}

static bool step_sleep(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	return until(t, act, sim->now + value_of(in->value, &t->env));
}

static bool step_at(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	t->release = value_of(in->value, &t->env);
	return until(t, act, t->release);
}

/* The next release on the grid; one that is past already starts at once, and may begin the grid anew. */
static bool step_period(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	sim_time *next = in->slot ? &t->grid[in->slot - 1] : &t->release, old;

	if (*next == SIM_NEVER)
		*next = sim->now;
	old = *next;
	*next += value_of(in->value, &t->env);
	sim_emit(SIM_REC_JOB, number(t), 0, *next < sim->now, old);
	if (*next < sim->now && in->how)
		*next = sim->now;
	return until(t, act, *next);
}

/* -- control --------------------------------------------------------------------------------- */

/* Counts turns that took no time; true: the loop cannot end, so the run does. */
static bool stands_still(struct prog_task *t, struct sim_act *act)
{
	if (t->still_at != sim->now) {
		t->still_at = sim->now;
		t->still = 0;
	}
	if (++t->still < PROG_STILL_MAX)
		return false;
	sim_machine_stop(SIM_STOP_STILL);
	act->kind = SIM_ACT_YIELD;
	return true;
}

static bool step_loop(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	t->env.turn[in->slot] = 0;
	t->limit[in->slot] = in->value ? value_of(in->value, &t->env) : UINT64_MAX;
	if (!t->limit[in->slot])
		jump(t, in);
	return false;
}

static bool step_next(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	if (++t->env.turn[in->slot] == t->limit[in->slot])
		return false;
	jump(t, in);
	return stands_still(t, act);
}

static bool step_until(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	if (sim->now >= value_of(in->value, &t->env))
		jump(t, in);
	return false;
}

static bool step_turn(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	t->env.turn[in->slot]++;
	jump(t, in);
	return stands_still(t, act);
}

static bool step_jump(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	jump(t, in);
	return false;
}

static bool step_choose(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	t->pc = &t->body->code[in->choose->jump[prog_choose_branch(in->choose, &t->env)]];
	return false;
}

static bool step_failed(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	if (t->result)
		jump(t, in);
	return false;
}

/* -- locks and other tasks: on a fiber ------------------------------------------------------- */

static bool step_lock(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	return call(act, in, lockop_lock);
}

static bool step_unlock(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	return call(act, in, lockop_unlock);
}

static bool step_downgrade(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	return call(act, in, lockop_downgrade);
}

static bool step_wakeall(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	return call(act, in, lockop_wakeall);
}

static bool step_touch(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	return call(act, in, lockop_touch);
}

static bool step_ticket(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	return call(act, in, lockop_ticket);
}

static bool step_signal(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	return call(act, in, progop_signal);
}

static bool step_set(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	return call(act, in, progop_set);
}

static bool step_shootdown(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	return call(act, in, progop_shootdown);
}

static bool step_meet(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	struct bound_barrier *bar = &t->bound->barrier[prog_target(t, in)];
	struct sim_task **list = bar->waiter + bar->round * bar->parties;

	if (bar->waiting + 1 < bar->parties) {
		list[bar->waiting++] = t->sim;
		act->kind = SIM_ACT_WAIT;
		return true;
	}
	t->meet = list;
	t->nmeet = bar->waiting;
	bar->waiting = 0;
	bar->round ^= 1;
	return t->nmeet ? call(act, in, progop_meet) : false;
}

/* -- regions ----------------------------------------------------------------------------------- */

static bool step_preempt_off(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	t->sim->preempt_count++;
	t->atomic++;
	return spend(act, in->cost);
}

static bool step_preempt_on(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	t->sim->preempt_count--;
	t->atomic--;
	return preempt_point(act);
}

static bool step_irq_off(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	t->sim->irq_off++;
	t->irqs++;
	return false;
}

static bool step_irq_on(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	return call(act, in, progop_irq_on);
}

static bool step_enter(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	t->sim->kernel_mode++;
	return spend(act, in->cost);
}

static bool step_leave(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	t->sim->kernel_mode--;
	return preempt_point(act);
}

static bool step_spend(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	return spend(act, in->cost);
}

/* -- points ------------------------------------------------------------------------------------ */

static bool step_yield(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	sim_emit(SIM_REC_STEP, number(t), 0, SIM_STEP_YIELD, 0);
	act->kind = SIM_ACT_YIELD;
	return true;
}

static bool step_resched(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	act->kind = SIM_ACT_RESCHED;
	return true;
}

static bool step_mark(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	sim_emit(SIM_REC_MARK, number(t), in->slot, 0, 0);
	return false;
}

static bool step_done(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	t->bound->done += !in->slot;
	sim_emit(SIM_REC_DONE, number(t), in->slot, 0, 0);
	return false;
}

/* Robust locks that it holds come first; then it exits, by the same instruction. */
static bool leaves_behind(const struct prog_task *t)
{
	for (const struct prog_hold *h = t->held; h; h = h->next)
		if (lockop_survives(h->lock))
			return true;
	return false;
}

static bool step_exit(struct prog_task *t, const struct prog_insn *in, struct sim_act *act)
{
	if (t->held && leaves_behind(t)) {
		t->pc = in;
		return call(act, in, lockop_died);
	}
	act->kind = SIM_ACT_EXIT;
	if (t->body->is_irq)
		t->pc = t->body->code; /* for the next time */
	else
		sim_emit(SIM_REC_EXIT, number(t), 0, t->holds, 0);
	return true;
}

static prog_step_fn *const step_of[PROG_OP_COUNT] = {
	[PROG_RUN] = step_run,
	[PROG_RAN] = step_ran,
	[PROG_SLEEP] = step_sleep,
	[PROG_AT] = step_at,
	[PROG_PERIOD] = step_period,
	[PROG_LOOP] = step_loop,
	[PROG_NEXT] = step_next,
	[PROG_UNTIL] = step_until,
	[PROG_TURN] = step_turn,
	[PROG_JUMP] = step_jump,
	[PROG_CHOOSE] = step_choose,
	[PROG_FAILED] = step_failed,
	[PROG_LOCK] = step_lock,
	[PROG_UNLOCK] = step_unlock,
	[PROG_DOWNGRADE] = step_downgrade,
	[PROG_WAKEALL] = step_wakeall,
	[PROG_TOUCH] = step_touch,
	[PROG_TICKET] = step_ticket,
	[PROG_SIGNAL] = step_signal,
	[PROG_SET] = step_set,
	[PROG_MEET] = step_meet,
	[PROG_SHOOTDOWN] = step_shootdown,
	[PROG_PREEMPT_OFF] = step_preempt_off,
	[PROG_PREEMPT_ON] = step_preempt_on,
	[PROG_IRQ_OFF] = step_irq_off,
	[PROG_IRQ_ON] = step_irq_on,
	[PROG_ENTER] = step_enter,
	[PROG_LEAVE] = step_leave,
	[PROG_SPEND] = step_spend,
	[PROG_YIELD] = step_yield,
	[PROG_RESCHED] = step_resched,
	[PROG_MARK] = step_mark,
	[PROG_DONE] = step_done,
	[PROG_EXIT] = step_exit,
	[PROG_DIRECTED] = director_step_directed,
	[PROG_TELL] = director_step_tell,
	[PROG_SETTLE] = director_step_settle,
	[PROG_AWAIT] = director_step_fact,
	[PROG_CHECK] = director_step_fact,
	[PROG_OVER] = director_step_over,
	[PROG_END] = step_exit,
};

/* Signals that nobody waited for are taken on the way back to user mode. */
static void take_signals(struct sim_task *task)
{
	if (task->kernel_mode || task->is_irq)
		return;
	task->sigpending = task->sigfatal = false;
}

/* Now and then: was SIGINT heard, is the limit of steps reached? */
static void look_around(const struct program *p)
{
	if (p->interrupted && *p->interrupted)
		sim_machine_stop(SIM_STOP_SIGNAL);
	if (sim->cfg.max_steps && p->steps + sim->accesses + sim->events > sim->cfg.max_steps)
		sim_machine_stop(SIM_STOP_STEPS);
}

void program_step(struct sim_task *task, struct sim_act *act)
{
	struct prog_task *t = task->user;
	const struct prog_insn *in;

	if (!(++t->program->steps & 0xff))
		look_around(t->program);
	if (task->sigpending || task->sigfatal)
		take_signals(task);
	do {
		in = t->pc++;
	} while (!step_of[in->op](t, in, act));
}
