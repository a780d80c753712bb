// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/run/twin_seen.h"

#include <errno.h>

#include "sim/model.h"

const char *const twin_seen_name[TWIN_SEEN_COUNT] = {
#define X(word) #word,
	TWIN_SEEN(X)
#undef X
};

static void take_failure(struct twin_seen *seen, const struct sim_rec *rec)
{
	unsigned how = rec->arg >> 8;

	switch (rec->val) {
	case EBUSY:
		seen->n[TWIN_SEEN_busy]++;
		break;
	case EINTR:
		seen->n[how & LOCK_KILLABLE ? TWIN_SEEN_killed : TWIN_SEEN_interrupted]++;
		break;
	case ETIMEDOUT:
		seen->n[TWIN_SEEN_timeout]++;
		break;
	case EDEADLK:
		seen->n[TWIN_SEEN_deadlk]++;
		break;
	case EALREADY:
		seen->n[TWIN_SEEN_already]++;
		break;
	}
}

static void take_grant(struct twin_seen *seen, const struct sim_rec *rec, uint32_t tasks)
{
	seen->n[TWIN_SEEN_irq] += rec->task > tasks;
	seen->n[(rec->arg & 0xff) == LOCK_SHARED ? TWIN_SEEN_read : TWIN_SEEN_write]++;
	seen->n[TWIN_SEEN_waited] += rec->val != 0;
	seen->n[TWIN_SEEN_tried] += (rec->arg >> 8 & LOCK_TRY) != 0;
}

void twin_seen_take(struct twin_seen *seen, const struct sim_rec *rec, uint32_t tasks)
{
	static const uint8_t plain[SIM_REC_TYPE_COUNT] = { /* 1 + what a record of that type counts as */
		[SIM_REC_DOWNGRADE] = 1 + TWIN_SEEN_downgrade, [SIM_REC_SIGNAL] = 1 + TWIN_SEEN_signal,
		[SIM_REC_SETSCHED] = 1 + TWIN_SEEN_setsched,   [SIM_REC_PRIO] = 1 + TWIN_SEEN_boost,
		[SIM_REC_MIGRATE] = 1 + TWIN_SEEN_migrate,
	};

	if (plain[rec->type])
		seen->n[plain[rec->type] - 1]++;
	else if (rec->type == SIM_REC_GRANT)
		take_grant(seen, rec, tasks);
	else if (rec->type == SIM_REC_FAIL)
		take_failure(seen, rec);
	else if (rec->type == SIM_REC_BLOCK)
		seen->n[TWIN_SEEN_slept] += !rec->arg;
	else if (rec->type == SIM_REC_SWITCH)
		seen->n[TWIN_SEEN_preempt] += rec->obj && rec->arg == SIM_STATE_PREEMPTED;
}
