/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records -> struct run_cpu, and what every CPU runs. */
#include "sim/run/watch_impl.h"

static void cpu_charge(struct watch *w, uint32_t cpu, sim_time now)
{
	struct watch_cpu *c = &w->cpu[cpu];
	sim_time d = watch_span(w, c->since, now);

	if (c->curr == WATCH_NONE)
		w->rcpu[cpu].idle += d;
	else
		w->rcpu[cpu].busy += d;
	c->since = now;
}

void fold_cpu_switch(struct watch *w, const struct sim_rec *rec)
{
	sim_assert(rec->cpu < w->ncpu);
	cpu_charge(w, rec->cpu, rec->time);
	w->cpu[rec->cpu].curr = rec->task ? rec->task - 1 : WATCH_NONE;
	if (rec->time >= w->from)
		w->rcpu[rec->cpu].switches++;
}

/* The record comes when the interrupt does; its time is paid from then on, after what is still being paid. */
void fold_cpu_irq(struct watch *w, const struct sim_rec *rec)
{
	struct watch_cpu *c = &w->cpu[rec->cpu];
	sim_time begin = rec->time > c->irq_until ? rec->time : c->irq_until;

	sim_assert(rec->cpu < w->ncpu);
	c->irq_until = begin + rec->val;
	w->rcpu[rec->cpu].irq += watch_span(w, begin, c->irq_until);
}

void fold_cpu_init(struct watch *w)
{
	w->cpu = g_new0(struct watch_cpu, w->ncpu + 1);
	w->rcpu = g_new0(struct run_cpu, w->ncpu + 1);
	for (uint32_t i = 0; i < w->ncpu; i++)
		w->cpu[i].curr = WATCH_NONE;
}

void fold_cpu_finish(struct watch *w, sim_time end)
{
	for (uint32_t i = 0; i < w->ncpu; i++)
		cpu_charge(w, i, end);
}
