// SPDX-License-Identifier: GPL-2.0-or-later
/* The storyteller: records become the sentences of golden traces. */
#include "tests/unit/models/test_rtmutex_world.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/host.h"
#include "sim/kernel/pi.h"

static const char *task_name(uint32_t no)
{
	return no ? sim->tasks[no - 1]->name : "None";
}

static void say(struct world *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct world *w, const char *format, ...)
{
	sim_time t = sim->now / WORLD_UNIT;
	char text[256];
	va_list ap;
	int n;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (w->room - w->len < sizeof(text) + 32) {
		w->room = 2 * w->room + 1024;
		w->story = realloc(w->story, w->room);
	}
	if (w->told != t)
		n = sprintf(w->story + w->len, "%st=%u: ", w->len ? "\n" : "", (unsigned)t);
	else
		n = sprintf(w->story + w->len, "; ");
	w->told = t;
	w->len += (size_t)n;
	w->len += (size_t)sprintf(w->story + w->len, "%s", text);
}

/* Replaces the last occurrence of @old. */
static void amend(struct world *w, const char *old, const char *new)
{
	size_t olen = strlen(old), nlen = strlen(new);

	for (char *p = w->story + w->len - olen; p >= w->story; p--) {
		if (strncmp(p, old, olen))
			continue;
		memmove(p + nlen, p + olen, (size_t)(w->story + w->len - (p + olen)) + 1);
		memcpy(p, new, nlen);
		w->len += nlen - olen;
		return;
	}
	ck_abort_msg("nothing to amend: %s", old);
}

static void look(const struct world *w, uint32_t obj, struct lock_view *view, struct lock_view_task *room)
{
	memset(view, 0, sizeof(*view));
	view->owners = room;
	view->owners_room = 1;
	view->waiters = room + 1;
	view->waiters_room = WORLD_TASKS;
	if (w->model->view)
		w->model->view(w->locks[obj - 1], view);
}

static const char *order(const struct world *w, uint32_t obj)
{
	static char text[128];
	struct lock_view_task room[WORLD_TASKS + 1];
	struct lock_view view;
	size_t n = 0;

	look(w, obj, &view, room);
	for (unsigned i = 0; i < view.nwaiters; i++)
		n += (size_t)sprintf(text + n, "%s%s", i ? " " : "",
				     kernel_sim_task(view.waiters[i].task)->name);
	text[n] = '\0';
	return text;
}

static const char *owner(const struct world *w, uint32_t obj)
{
	struct lock_view_task room[WORLD_TASKS + 1];
	struct lock_view view;

	look(w, obj, &view, room);
	return view.nowners ? kernel_sim_task(view.owners[0].task)->name : "None";
}

static void tell_event(struct world *w, const struct sim_rec *rec, unsigned i)
{
	const char *event = w->model->events[rec->arg], *task = task_name(rec->task);
	const char *lock = w->lock_names[rec->obj - 1];

	w->events[rec->arg] += rec->val;
	if (!strncmp(event, "rtmutex_lock_", 13))
		w->told_grant[i] = true;
	if (!strcmp(event, "rtmutex_lock_fast"))
		say(w, "%s GETS %s fast", task, lock);
	else if (!strcmp(event, "rtmutex_lock_slow"))
		say(w, "%s GETS %s slow-trylock", task, lock);
	else if (!strcmp(event, "rtmutex_spin"))
		say(w, "%s spins on running owner %s", task, owner(w, rec->obj));
	else if (!strcmp(event, "rtmutex_timeout"))
		say(w, "%s FAILS on %s ETIMEDOUT", task, lock);
	else if (!strcmp(event, "rtmutex_signal"))
		say(w, "%s FAILS on %s EINTR", task, lock);
	else if (!strcmp(event, "rtmutex_deadlock"))
		say(w, "%s FAILS on %s EDEADLK", task, lock);
}

static void tell_stop(struct world *w, const struct sim_rec *rec)
{
	static const char *const why[] = {
		[KW_PI_STOP_NOT_BLOCKED] = "not blocked",
		[KW_PI_STOP_FREE] = "first lock is free",
		[KW_PI_STOP_MOVED_ON] = "blocked on another lock",
		[KW_PI_STOP_NO_PI_WAITERS] = "no pi waiters",
		[KW_PI_STOP_NOT_TOP] = "not the top pi waiter",
		[KW_PI_STOP_EQUAL] = "waiter prio equals task prio",
		[KW_PI_STOP_DEPTH] = "depth limit",
	};

	if (rec->arg != KW_PI_STOP_OWNER_UNTOUCHED) /* the specification's traces do not mention this end */
		say(w, "chain stop at %s: %s", task_name(rec->task), why[rec->arg]);
}

static int prio_of(uint64_t val)
{
	return (int)(int64_t)val - 1;
}

static void tell_pi(struct world *w, const struct sim_rec *rec)
{
	const char *task = task_name(rec->task);
	const char *lock = rec->obj ? w->lock_names[rec->obj - 1] : "?";
	char old[64], new[64];

	switch (rec->type) {
	case SIM_REC_PI_BLOCK:
		say(w, "%s blocks on %s owner %s order [%s]", task, lock, task_name(rec->arg),
		    order(w, rec->obj));
		break;
	case SIM_REC_PI_REQUEUE:
		say(w, "requeue %s on %s as %d order [%s]", task, lock, prio_of(rec->val), order(w, rec->obj));
		break;
	case SIM_REC_PI_DEADLOCK:
		say(w, "chain: deadlock found at lock %s", lock);
		break;
	case SIM_REC_PI_STOP:
		tell_stop(w, rec);
		break;
	case SIM_REC_PI_STEAL:
		say(w, "%s STEALS %s from woken top %s", task, lock, task_name(rec->arg));
		break;
	case SIM_REC_PI_WAKE_TOP:
		if (!rec->arg) {
			say(w, "wake new top %s", task);
			break;
		}
		snprintf(old, sizeof(old), "%s RELEASES %s fast", task_name(rec->arg), lock);
		snprintf(new, sizeof(new), "%s RELEASES %s -> wakes %s", task_name(rec->arg), lock, task);
		amend(w, old, new);
		break;
	}
}

static void tell_task(struct world *w, const struct sim_rec *rec, unsigned i)
{
	const char *task = task_name(rec->task);
	const char *lock = rec->obj ? w->lock_names[rec->obj - 1] : "?";
	int prio = prio_of(rec->val);

	switch (rec->type) {
	case SIM_REC_SWITCH:
		say(w, "cpu%u runs %s prio=%d", rec->cpu, task, prio);
		break;
	case SIM_REC_PRIO:
		say(w, "effprio %s %d->%d (%s%s)", task, w->prio[i], prio, rec->obj ? "donor " : "none",
		    rec->obj ? task_name(rec->obj) : "");
		w->prio[i] = prio;
		break;
	case SIM_REC_SETSCHED:
		say(w, "setscheduler %s normal_prio=%d eff %d -> %d", task,
		    prio_of((uint64_t)(int32_t)rec->arg), w->prio[i], prio);
		w->prio[i] = prio;
		break;
	case SIM_REC_TIMER:
		if (rec->arg == 1)
			say(w, "timer fires for %s", task);
		break;
	case SIM_REC_CALL:
		w->told_grant[i] = false;
		break;
	case SIM_REC_GRANT:
		if (!w->told_grant[i])
			say(w, "%s GETS %s prio=%d", task, lock, w->prio[i]);
		break;
	case SIM_REC_UNLOCK:
		say(w, "%s RELEASES %s fast", task, lock);
		break;
	case SIM_REC_EVENT:
		tell_event(w, rec, i);
		break;
	default:
		tell_pi(w, rec);
	}
}

void world_tell(void *user, const struct sim_rec *rec)
{
	if (rec->task && task_name(rec->task)[0] != '#')
		tell_task(user, rec, rec->task - 1);
}
