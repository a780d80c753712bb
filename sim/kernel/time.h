/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel words: time. jiffies come from the virtual clock; a sleeper is a one-shot
 * timer that wakes its task and says so by clearing ->task. A task has one at a time.
 */
#ifndef SIM_KERNEL_TIME_H
#define SIM_KERNEL_TIME_H

#include <limits.h>

#include "sim/core/clock.h"
#include "sim/kernel/sched.h"

unsigned long kw_jiffies(void);
unsigned long kw_hz(void);
#define jiffies kw_jiffies()
#define HZ kw_hz()
#define time_after(a, b) ((long)((b) - (a)) < 0)
#define time_before(a, b) time_after(b, a)
#define time_after_eq(a, b) ((long)((a) - (b)) >= 0)
#define time_before_eq(a, b) time_after_eq(b, a)
#define MAX_SCHEDULE_TIMEOUT LONG_MAX

unsigned long msecs_to_jiffies(unsigned int ms);
unsigned int jiffies_to_msecs(unsigned long j);

/* Nanoseconds since the start; costs `sched_clock`. */
u64 sched_clock(void);
#define local_clock() sched_clock()
#define NSEC_PER_USEC 1000L
#define NSEC_PER_MSEC 1000000L
#define NSEC_PER_SEC 1000000000L

/* Sleeps at most @timeout jiffies in the state that was set; what is left of them. */
long schedule_timeout(long timeout);

typedef s64 ktime_t; /* ns */

enum hrtimer_mode { HRTIMER_MODE_ABS = 0, HRTIMER_MODE_REL = 1 };
#ifndef CLOCK_REALTIME
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#endif

struct hrtimer {
	sim_time expires; /* absolute ps */
	bool running;
};

struct hrtimer_sleeper {
	struct hrtimer timer;
	struct task_struct *task; /* NULL once it has fired */
};

void hrtimer_setup_sleeper_on_stack(struct hrtimer_sleeper *t, int clock, enum hrtimer_mode mode);
#define hrtimer_init_sleeper_on_stack(t, clock, mode) hrtimer_setup_sleeper_on_stack(t, clock, mode)
void hrtimer_set_expires(struct hrtimer *timer, ktime_t expires);
#define hrtimer_set_expires_range_ns(timer, expires, delta) hrtimer_set_expires(timer, expires)
/* ABS: at timer.expires; REL: that long from now. */
void hrtimer_sleeper_start_expires(struct hrtimer_sleeper *t, enum hrtimer_mode mode);
int hrtimer_cancel(struct hrtimer *timer);
#define destroy_hrtimer_on_stack(timer) do { } while (0)

/*
 * A model's relative timeout in ps (SIM_NEVER: none), exact where jiffies are coarse. On
 * the stack of the operation; when it fires its task is woken out of a normal sleep.
 */
struct kw_timeout {
	struct hrtimer_sleeper sleeper;
};

void kw_timeout_start(struct kw_timeout *t, sim_time timeout);
void kw_timeout_stop(struct kw_timeout *t);

static inline bool kw_timed_out(const struct kw_timeout *t)
{
	return !t->sleeper.task;
}

#endif
