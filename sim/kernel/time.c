// SPDX-License-Identifier: GPL-2.0-or-later
/* Clocks and one-shot timers. */
#include "sim/kernel/host.h"

#include "sim/kernel/words.h"

unsigned long kw_jiffies(void)
{
	return sim_clock() / sim->tick_ps;
}

unsigned long kw_hz(void)
{
	return sim->cfg.hz;
}

unsigned long msecs_to_jiffies(unsigned int ms)
{
	return DIV_ROUND_UP((unsigned long)ms * HZ, 1000);
}

unsigned int jiffies_to_msecs(unsigned long j)
{
	return (unsigned int)(j * 1000 / HZ);
}

u64 sched_clock(void)
{
	sim_spend(sim->cfg.costs.scalar[SIM_COST_sched_clock]);
	return sim_clock() / SIM_NS;
}

static sim_time after(sim_time delay)
{
	return delay > SIM_NEVER - 1 - sim->now ? SIM_NEVER - 1 : sim->now + delay;
}

static void sleeper_fires(struct sim_task *task)
{
	struct hrtimer_sleeper *t = task->timeout_arg;

	t->task = NULL;
	t->timer.running = false;
	sim_wake(task, SIM_TASK_NORMAL);
}

void hrtimer_setup_sleeper_on_stack(struct hrtimer_sleeper *t, int clock, enum hrtimer_mode mode)
{
	(void)clock;
	(void)mode;
	*t = (struct hrtimer_sleeper){ .task = current };
}

void hrtimer_set_expires(struct hrtimer *timer, ktime_t expires)
{
	timer->expires = expires <= 0 ? 0 : (u64)expires >= SIM_NEVER / SIM_NS ? SIM_NEVER - 1 : (u64)expires * SIM_NS;
}

void hrtimer_sleeper_start_expires(struct hrtimer_sleeper *t, enum hrtimer_mode mode)
{
	if (mode == HRTIMER_MODE_REL)
		t->timer.expires = after(t->timer.expires);
	else
		t->timer.expires = max(t->timer.expires, sim->now);
	t->timer.running = true;
	sim_timeout_start(sim_current(), t->timer.expires, sleeper_fires, t);
}

int hrtimer_cancel(struct hrtimer *timer)
{
	if (!timer->running)
		return 0;
	timer->running = false;
	sim_timeout_cancel(sim_current());
	return 1;
}

void kw_timeout_start(struct kw_timeout *t, sim_time timeout)
{
	hrtimer_setup_sleeper_on_stack(&t->sleeper, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	if (timeout == SIM_NEVER)
		return;
	t->sleeper.timer.expires = timeout;
	hrtimer_sleeper_start_expires(&t->sleeper, HRTIMER_MODE_REL);
}

void kw_timeout_stop(struct kw_timeout *t)
{
	hrtimer_cancel(&t->sleeper.timer);
}

long schedule_timeout(long timeout)
{
	struct kw_timeout t;
	unsigned long end;

	if (timeout == MAX_SCHEDULE_TIMEOUT) {
		schedule();
		return timeout;
	}
	end = jiffies + (unsigned long)timeout;
	/* the timer wheel: it fires at a tick */
	kw_timeout_start(&t, end * sim->tick_ps - sim->now);
	schedule();
	kw_timeout_stop(&t);
	timeout = (long)(end - jiffies);
	return max(timeout, 0L);
}
