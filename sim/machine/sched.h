/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler: run queues and classes. Pure decisions and data structures; exec.c
 * executes them and pays for them. Rules: the specification's §6 (Linux 6.1; EEVDF 6.12).
 *
 * A running task stays queued (on_rq) and in its list position while it runs.
 */
#ifndef SIM_MACHINE_SCHED_H
#define SIM_MACHINE_SCHED_H

#include "sim/machine/machine.h"

/* Kernel priority numbers. */
#define SIM_MAX_RT_PRIO 100
#define SIM_DEFAULT_PRIO 120
#define SIM_NO_CEILING 140 /* weaker than any task */
#define SIM_DL_PRIO (-1)
#define SIM_STOP_PRIO (-2)
#define SIM_IDLE_PRIO 140

static inline bool sim_prio_is_rt(int prio) /* includes deadline and stop, as rt_prio() in 6.1 */
{
	return prio < SIM_MAX_RT_PRIO;
}

/* Allocates the CPUs' run queues for sim->cfg; frees them. */
void sim_sched_init(void);
void sim_sched_finish(void);
/* Sets prio, normal_prio, static_prio, weight … of a new task from task->attr. */
void sim_sched_task_init(struct sim_task *task);

/* Makes @task runnable: chooses a CPU (select_task_rq by class, allowed set, migrate_off), sets shared->cpu,
 * enqueues, and checks preemption there (sim_resched_cpu). @waker: the CPU that wakes. @fresh: an arrival.
 * Emits WAKEUP (unless the caller is an arrival: then too) and MIGRATE when the CPU changed. */
void sim_sched_wake(struct sim_task *task, struct sim_cpu *waker, bool fresh);
/* @task, on its run queue, lost the reason to sleep before it was dequeued: only checks preemption. */
void sim_sched_check_preempt(struct sim_task *task);
/* @task donates (sched_proxy.c) and is woken: emits WAKEUP, checks preemption. */
void sim_proxy_wake(struct sim_task *task);
/* Takes the current task of @cpu off the queue: it blocks or exits. Accounts its time. */
void sim_sched_block(struct sim_cpu *cpu);
/* The task that @cpu should run now (its current one included if still queued), after pulling from other CPUs
 * where the classes do that; NULL: idle. Accounts and re-positions the previous one; marks the new one as running. */
struct sim_task *sim_sched_pick(struct sim_cpu *cpu);
/* sched_yield() of the current task of @cpu (before the pick). */
void sim_sched_yield(struct sim_cpu *cpu);
/* A tick on a non-idle CPU: class rules, RR slices, CFS/EEVDF, lazy -> full promotion, periodic balance. */
void sim_sched_tick(struct sim_cpu *cpu);
/* Can a tick decide anything on @cpu now? If not and ticks cost nothing, loop.c skips them. */
bool sim_sched_tick_needed(const struct sim_cpu *cpu);
/* After the switch to @cpu's current task is complete: RT push of what it left behind. */
void sim_sched_switched(struct sim_cpu *cpu);

/* rt_mutex_setprio(): the effective priority of @task given its strongest waiter's task (NULL: none). Re-queues
 * (head on deboost, tail on boost), changes class, checks preemption; emits PRIO when the number changes. */
void sim_setprio(struct sim_task *task, struct sim_task *donor);
/* The strongest of the ceilings that @task keeps from now on (SIM_NO_CEILING: none). As sim_setprio(). */
void sim_set_ceiling(struct sim_task *task, int ceiling);
/* sched_setscheduler(): new normal parameters; keeps inheritance; re-queues; emits SETSCHED.
 * The caller runs the lock side (prio_changed) afterwards. */
void sim_setscheduler(struct sim_task *task, const struct sim_attr *attr);

/* Is @a more urgent than @b: class, then deadline or effective priority; all fair tasks are equal. */
bool sim_more_urgent(const struct sim_task *a, const struct sim_task *b);

/* May @task run on @cpu: its allowed set, and its own CPU only while migrate_off or (on a fiber with preempt_count). */
bool sim_task_allowed(const struct sim_task *task, unsigned cpu);

/* Periodic fair balance and EEVDF/CFS tunables are internal to sched_fair.c; RT push/pull to sched_rt.c. */

#endif
