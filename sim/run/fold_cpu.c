/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records -> struct run_cpu, and what every CPU runs. */
#include "sim/run/watch_impl.h"

static inline void cpu_book(struct watch *w, struct watch_cpu *c, sim_time now)
{
	sim_time d = watch_span(w, c->since, now);

	if (c->curr == WATCH_NONE)
		c->idle += d;
	else
		c->busy += d;
	c->since = now;
}

void fold_cpu_switch(struct watch *w, const struct sim_rec *rec)
{
	struct watch_cpu *c = &w->cpu[rec->cpu];

	sim_assert(rec->cpu < w->ncpu);
	cpu_book(w, c, rec->time);
	c->curr = rec->task - 1; /* WATCH_NONE: idle */
	c->switches += rec->time >= w->from;
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
	for (uint32_t i = 0; i < w->ncpu; i++) {
		struct watch_cpu *c = &w->cpu[i];

		cpu_book(w, c, end);
		w->rcpu[i].idle = c->idle;
		w->rcpu[i].busy = c->busy;
		w->rcpu[i].switches = c->switches;
	}
}
