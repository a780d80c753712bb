/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "sim/core/check.h"
#include "sim/core/trace.h"

const uint8_t sim_rec_class_of[SIM_REC_TYPE_COUNT] = {
#define X(name, cls, doc) [SIM_REC_##name] = SIM_CLASS_##cls,
	SIM_REC_TYPES(X)
#undef X
};

/* The names of the list in lower case, filled before main(). */
static char lower[SIM_REC_TYPE_COUNT][16] = {
#define X(name, cls, doc) [SIM_REC_##name] = #name,
	SIM_REC_TYPES(X)
#undef X
};

const char *const sim_rec_name[SIM_REC_TYPE_COUNT] = {
#define X(name, cls, doc) [SIM_REC_##name] = lower[SIM_REC_##name],
	SIM_REC_TYPES(X)
#undef X
};

static void __attribute__((constructor)) lower_names(void)
{
	for (unsigned i = 0; i < SIM_REC_TYPE_COUNT; i++)
		for (char *c = lower[i]; *c; c++)
			if (*c >= 'A' && *c <= 'Z')
				*c = (char)(*c - 'A' + 'a');
}

void sim_trace_subscribe(struct sim_trace *t, unsigned classes,
			 void (*take)(void *user, const struct sim_rec *rec), void *user)
{
	sim_assert(t->nsubs < SIM_TRACE_SUBS && take);
	t->subs[t->nsubs++] = (struct sim_trace_sub){classes, take, user};
	t->classes |= classes;
}

void sim_trace_unsubscribe_all(struct sim_trace *t)
{
	*t = (struct sim_trace){0};
}

void sim_trace_emit(struct sim_trace *t, const struct sim_rec *rec)
{
	unsigned class = sim_rec_class_of[rec->type];

	if (!(t->classes & class))
		return;
	if (__builtin_expect(t->nsubs == 1, 1)) { /* a run that writes no trace */
		t->subs[0].take(t->subs[0].user, rec);
		return;
	}
	for (unsigned i = 0; i < t->nsubs; i++)
		if (t->subs[i].classes & class)
			t->subs[i].take(t->subs[i].user, rec);
}

uint64_t sim_digest_add(uint64_t digest, const struct sim_rec *rec)
{
	if (!(sim_rec_class_of[rec->type] & (SIM_CLASS_SCHED | SIM_CLASS_LOCK | SIM_CLASS_TASK)))
		return digest;
	return sim_digest_mix(digest, rec);
}
