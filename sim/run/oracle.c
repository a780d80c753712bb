/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The oracles' table. An oracle attaches to a run if there is something for it to watch,
 * and is called at its moments only; what it costs when nothing is wrong must not depend
 * on how many tasks or locks there are.
 */
#include "sim/run/watch_impl.h"

static const struct watch_oracle *const oracles[] = {
	&oracle_exclusion, &oracle_owner,  &oracle_livelock, &oracle_wakeup, &oracle_deadlock,
	&oracle_spinner,   &oracle_broken, &oracle_pi,	     &oracle_fifo,   &oracle_handoff,
	&oracle_starvation, &oracle_writer, &oracle_conservation, &oracle_exit,
};

void oracle_init(struct watch *w)
{
	G_STATIC_ASSERT(G_N_ELEMENTS(oracles) <= WATCH_ORACLES);
	for (unsigned i = 0; i < G_N_ELEMENTS(oracles); i++) {
		const struct watch_oracle *o = oracles[i];

		if (o->attach && !o->attach(w))
			continue;
		w->watched[i] = true;
		for (unsigned m = 0; m < WATCH_MOMENT_COUNT; m++)
			if (o->moments >> m & 1)
				w->on[m].look[w->on[m].n++] = o->look;
	}
}

void oracle_list(const struct watch *w, struct run_result *r)
{
	r->noracle = G_N_ELEMENTS(oracles);
	r->oracle = g_new0(const char *, r->noracle + 1);
	r->oracle_watched = g_new0(bool, r->noracle + 1);
	for (unsigned i = 0; i < r->noracle; i++) {
		r->oracle[i] = oracles[i]->name;
		r->oracle_watched[i] = w->watched[i];
	}
}

bool watch_any_caps(const struct watch *w, unsigned caps)
{
	for (uint32_t i = 0; i < w->nlock; i++)
		if (w->lock[i].caps & caps)
			return true;
	return false;
}

void watch_put_time(GString *s, sim_time t)
{
	char buf[SIM_TIME_CHARS];

	g_string_append(s, sim_time_format(buf, t));
}

void watch_put_owners(const struct watch *w, GString *s, uint32_t lock)
{
	const struct watch_lock *l = &w->lock[lock];
	char place[256];
	unsigned n = 0;

	for (const struct watch_hold *h = l->oldest; h && n < 4; h = h->next_lock, n++) {
		g_string_append_printf(s, "\n  %s holds %s%s since ", w->b->task[h->task].name,
				       w->b->lock[lock].name, h->mode == LOCK_SHARED ? " (shared)" : "");
		watch_put_time(s, h->since);
		g_string_append_printf(s, ", taken at %s",
				       watch_place(w, h->statement, place, sizeof(place)));
	}
	if (l->nexcl + l->nshared > n)
		g_string_append_printf(s, "\n  and %u more", l->nexcl + l->nshared - n);
}
