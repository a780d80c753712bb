/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model's own broken(), asked when no task is inside an operation on the lock: at the
 * first 4096 quiet moments, then at every 256th, and at the end. Likewise conservation: what the
 * lock's view() counts as owners must be what grants minus releases leave.
 */
#include "sim/run/watch_impl.h"

static void ask_broken(struct watch *w, uint32_t lock)
{
	const struct watch_lock *l = &w->lock[lock];
	const char *what;

	if (!l->model->broken || !watch_wants(w, RUN_FINDING_broken))
		return;
	what = l->model->broken(l->bound->lock);
	if (!what)
		return;
	watch_report(w, RUN_FINDING_broken, WATCH_NONE, lock,
		     g_strdup_printf("%s (%s) breaks its own rule: %s", w->b->lock[lock].name, l->model->name,
				     what));
}

static void look_broken(struct watch *w, enum watch_moment moment, uint32_t task, uint32_t lock)
{
	if (moment == WATCH_ON_LULL) {
		ask_broken(w, lock);
		return;
	}
	for (uint32_t i = 0; i < w->nlock; i++)
		if (!w->lock[i].inside)
			ask_broken(w, i);
}

static bool attach_broken(struct watch *w)
{
	bool any = false;

	for (uint32_t i = 0; i < w->nlock; i++) {
		if (!w->lock[i].model->broken)
			continue;
		w->lock[i].wants_quiet = any = true;
	}
	return any;
}

const struct watch_oracle oracle_broken = {
	.name = "broken",
	.moments = WATCH_BIT(LULL) | WATCH_BIT(END),
	.attach = attach_broken,
	.look = look_broken,
};

/* -- conservation -------------------------------------------------------------------------------------- */

static void count_owners(struct watch *w, uint32_t lock)
{
	const struct watch_lock *l = &w->lock[lock];
	struct lock_view v = {0};
	uint64_t held = (uint64_t)l->nexcl + l->nshared;

	if (l->counting || !l->model->view || !watch_wants(w, RUN_FINDING_conservation))
		return;
	l->model->view(l->bound->lock, &v);
	if (v.nowners <= held)
		return; /* a view may know fewer: readers are often only counted, or not told at all */
	watch_report(w, RUN_FINDING_conservation, WATCH_NONE, lock,
		     g_strdup_printf("%s has %u owner%s by its own state, but %" PRIu64 " grants - %" PRIu64
				     " releases leave %" PRIu64,
				     w->b->lock[lock].name, v.nowners, v.nowners == 1 ? "" : "s", l->grants,
				     l->releases, held));
}

/* Sleeps and wake-ups of the whole run against who sleeps now. */
static void count_sleeps(struct watch *w, uint32_t lock)
{
	const struct watch_lock *l = &w->lock[lock];

	if (l->sleeps - l->wakeups == l->sleepers || !watch_wants(w, RUN_FINDING_conservation))
		return;
	watch_report(w, RUN_FINDING_conservation, WATCH_NONE, lock,
		     g_strdup_printf("%s: %" PRIu64 " sleeps - %" PRIu64 " wake-ups, but %u tasks sleep",
				     w->b->lock[lock].name, l->sleeps, l->wakeups, l->sleepers));
}

static void look_conservation(struct watch *w, enum watch_moment moment, uint32_t task, uint32_t lock)
{
	if (moment == WATCH_ON_LULL) {
		count_owners(w, lock);
		return;
	}
	for (uint32_t i = 0; i < w->nlock; i++) {
		if (!w->lock[i].inside)
			count_owners(w, i);
		count_sleeps(w, i);
	}
}

static bool attach_conservation(struct watch *w)
{
	for (uint32_t i = 0; i < w->nlock; i++)
		if (w->lock[i].model->view && !w->lock[i].counting)
			w->lock[i].wants_quiet = true;
	return w->nlock > 0;
}

const struct watch_oracle oracle_conservation = {
	.name = "conservation",
	.moments = WATCH_BIT(LULL) | WATCH_BIT(END),
	.attach = attach_conservation,
	.look = look_conservation,
};

/* -- exits ----------------------------------------------------------------------------------------- */

static void look_exit(struct watch *w, enum watch_moment moment, uint32_t task, uint32_t lock)
{
	const struct watch_hold *h;
	GString *s;
	char place[256];

	for (h = w->task[task].holds; h; h = h->next_task) {
		if (w->lock[h->lock].caps & LOCK_CAP_ANYONE || !watch_wants(w, RUN_FINDING_exit_holding))
			continue;
		s = g_string_new(NULL);
		g_string_append_printf(s, "%s exits and holds %s since ", w->b->task[task].name,
				       w->b->lock[h->lock].name);
		watch_put_time(s, h->since);
		g_string_append_printf(s, ", taken at %s",
				       watch_place(w, h->statement, place, sizeof(place)));
		watch_report(w, RUN_FINDING_exit_holding, task, h->lock, g_string_free(s, FALSE));
	}
}

static bool attach_exit(struct watch *w)
{
	return w->nlock > 0;
}

const struct watch_oracle oracle_exit = {
	.name = "exit-holding",
	.moments = WATCH_BIT(EXIT),
	.attach = attach_exit,
	.look = look_exit,
};
