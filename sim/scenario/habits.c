/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What people who know other languages write, and what this one calls it. For messages only. */
#include <string.h>

#include "sim/scenario/parse.h"

struct habit {
	const char *words; /* with a blank before and behind each */
	const char *instead;
};

static const struct habit in_bodies[] = {
	{" while for repeat forever do ", "loop N { ... }"},
	{" if switch case when ", "choose { ... }"},
	{" acquire mutex_lock spin_lock pthread_mutex_lock raw_spin_lock rt_mutex_lock ", "lock L"},
	{" release mutex_unlock spin_unlock pthread_mutex_unlock raw_spin_unlock rt_mutex_unlock up_read up_write "
	 "unlock_read unlock_write read_unlock write_unlock free ", "unlock L"},
	{" down_read read_lock rdlock lock_read lock_shared ", "read L"},
	{" down_write write_lock wrlock lock_write ", "write L"},
	{" trylock try_lock mutex_trylock ", "lock L try else { ... }"},
	{" downgrade_write ", "downgrade L"},
	{" delay usleep msleep nanosleep pause ", "sleep TIME"},
	{" work compute busy execute exec burn udelay spin cpu_work ", "run TIME"},
	{" down ", "take S"},
	{" up ", "post S"},
	{" complete ", "wake C"},
	{" wait_for_completion ", "wait C"},
	{" schedule sched_yield ", "yield"},
	{" cond_resched might_sleep ", "resched"},
	{" print printf printk log trace note ", "mark \"text\""},
	{" return quit ", "exit"},
	{" setprio set_prio setpriority renice ", "set TASK fifo P"},
	{" preempt_disable ", "preempt off { ... }"},
	{" local_irq_disable cli ", "irq off { ... }"},
	{" start begin offset arrive arrival ", "at TIME"},
	{" periodic every ", "period TIME"},
};

static const struct habit at_top[] = {
	{" thread process proc actor job worker kthread ", "task NAME { ... }"},
	{" mutex rwsem rtmutex ticket mcs qspinlock futex ", "lock NAME : MODEL"},
	{" spinlock spin_lock rwlock ", "lock NAME : MODEL"},
	{" irq isr irqhandler ", "interrupt NAME ... { ... }"},
	{" assert check ensure verify require ", "expect ..."},
	{" const let var define parameter ", "param NAME = VALUE"},
	{" name title test ", "scenario \"...\""},
	{" duration time stop simulate ", "run for TIME"},
	{" cond condvar ", "condition NAME"},
	{" sem ", "semaphore NAME = N"},
	{" import use source ", "include \"FILE\""},
	{" description comment ", "about \"...\""},
};

static const struct habit in_headers[] = {
	{" prio priority rt realtime sched_fifo ", "fifo P"},
	{" sched_rr ", "rr P"},
	{" other normal fair cfs sched_other ", "nice N"},
	{" edf dl sched_deadline ", "deadline RUNTIME PERIOD"},
	{" core affinity on ", "cpu N"},
	{" start offset delay at ", "{ at TIME ... }"},
	{" period every ", "{ loop { ... period TIME } }"},
};

static const char *find(const struct habit *list, unsigned n, const char *word)
{
	g_autofree char *lower = g_ascii_strdown(word, -1), *whole = g_strdup_printf(" %s ", lower);

	for (unsigned i = 0; i < n; i++)
		if (strstr(list[i].words, whole))
			return list[i].instead;
	return NULL;
}

const char *parse_instead(const char *word, enum parse_place place, const char *const *names, char *buf, size_t room)
{
	const char *instead = NULL;

	switch (place) {
	case PARSE_IN_BODY:
		instead = find(in_bodies, G_N_ELEMENTS(in_bodies), word);
		break;
	case PARSE_AT_TOP:
		instead = find(at_top, G_N_ELEMENTS(at_top), word);
		break;
	case PARSE_IN_HEADER:
		instead = find(in_headers, G_N_ELEMENTS(in_headers), word);
		break;
	}
	if (!instead)
		return parse_meant(word, names, buf, room);
	g_snprintf(buf, room, "; write \"%.60s\"", instead);
	return buf;
}
