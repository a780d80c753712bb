/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mutual exclusion by mode, and unlocks by tasks that hold nothing. A hold is told by
 * records alone: from the return of lock() to the call of unlock(), so whatever a model
 * does inside either cannot be mistaken for an overlap.
 */
#include "sim/run/watch_impl.h"

static void report_overlap(struct watch *w, uint32_t task, uint32_t lock)
{
	GString *s = g_string_new(NULL);

	g_string_append_printf(s, "%s was granted %s%s while it was held", w->b->task[task].name,
			       w->b->lock[lock].name,
			       w->task[task].op_mode == LOCK_SHARED ? " (shared)" : "");
	watch_put_owners(w, s, lock);
	watch_report(w, RUN_FINDING_mutual_exclusion, task, lock, g_string_free(s, FALSE));
}

static void look_exclusion(struct watch *w, enum watch_moment moment, uint32_t task, uint32_t lock)
{
	const struct watch_lock *l = &w->lock[lock];

	if (!watch_wants(w, RUN_FINDING_mutual_exclusion))
		return;
	if (!l->counting) {
		report_overlap(w, task, lock);
		return;
	}
	watch_report(w, RUN_FINDING_mutual_exclusion, task, lock,
		     g_strdup_printf("%s was granted %s, which had no unit left: %" PRIu64 " grants, %" PRIu64
				     " releases",
				     w->b->task[task].name, w->b->lock[lock].name, l->grants, l->releases));
}

static bool attach_exclusion(struct watch *w)
{
	return w->nlock > 0;
}

const struct watch_oracle oracle_exclusion = {
	.name = "mutual-exclusion",
	.moments = WATCH_BIT(OVERLAP),
	.attach = attach_exclusion,
	.look = look_exclusion,
};

static void look_owner(struct watch *w, enum watch_moment moment, uint32_t task, uint32_t lock)
{
	GString *s;

	if (!watch_wants(w, RUN_FINDING_unlock_by_non_owner))
		return;
	s = g_string_new(NULL);
	g_string_append_printf(s, "%s unlocks %s, which it does not hold", w->b->task[task].name,
			       w->b->lock[lock].name);
	if (!w->lock[lock].oldest)
		g_string_append(s, "; nobody does");
	watch_put_owners(w, s, lock);
	watch_report(w, RUN_FINDING_unlock_by_non_owner, task, lock, g_string_free(s, FALSE));
}

static bool attach_owner(struct watch *w)
{
	for (uint32_t i = 0; i < w->nlock; i++)
		if (!(w->lock[i].caps & LOCK_CAP_ANYONE))
			return true;
	return false;
}

const struct watch_oracle oracle_owner = {
	.name = "unlock-by-non-owner",
	.moments = WATCH_BIT(NO_HOLD),
	.attach = attach_owner,
	.look = look_owner,
};
