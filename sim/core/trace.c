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

_Static_assert(SIM_REC_TYPE_COUNT <= 64, "a set of types is one word");

static uint64_t types_of(unsigned classes)
{
	uint64_t types = 0;

	for (unsigned i = 0; i < SIM_REC_TYPE_COUNT; i++)
		if (sim_rec_class_of[i] & classes)
			types |= UINT64_C(1) << i;
	return types;
}

static sim_take_fn sub_take(const struct sim_trace_sub *sub, unsigned type)
{
	if (!(sub->types >> type & 1))
		return NULL;
	return sub->take ? sub->take : sub->each[type];
}

/* The ear of a type that several take. */
static void take_all(void *user, const struct sim_rec *rec)
{
	struct sim_trace *t = user;

	for (unsigned i = 0; i < t->nsubs; i++) {
		sim_take_fn take = sub_take(&t->subs[i], rec->type);

		if (take)
			take(t->subs[i].user, rec);
	}
}

static void subscribe(struct sim_trace *t, struct sim_trace_sub sub)
{
	sim_assert(t->nsubs < SIM_TRACE_SUBS);
	t->subs[t->nsubs++] = sub;
	for (unsigned i = 0; i < SIM_REC_TYPE_COUNT; i++) {
		struct sim_trace_ear *ear = &t->ear[i];
		sim_take_fn take = sub_take(&sub, i);

		if (!take)
			continue;
		*ear = ear->take ? (struct sim_trace_ear){take_all, t} : (struct sim_trace_ear){take, sub.user};
		t->types |= UINT64_C(1) << i;
		t->classes |= sim_rec_class_of[i];
	}
}

void sim_trace_subscribe(struct sim_trace *t, unsigned classes, sim_take_fn take, void *user)
{
	sim_assert(take);
	subscribe(t, (struct sim_trace_sub){.types = types_of(classes), .take = take, .user = user});
}

void sim_trace_subscribe_each(struct sim_trace *t, const sim_take_fn each[SIM_REC_TYPE_COUNT], void *user)
{
	struct sim_trace_sub sub = {.each = each, .user = user};

	for (unsigned i = 0; i < SIM_REC_TYPE_COUNT; i++)
		if (each[i])
			sub.types |= UINT64_C(1) << i;
	subscribe(t, sub);
}

void sim_trace_unsubscribe_all(struct sim_trace *t)
{
	*t = (struct sim_trace){0};
}

void sim_trace_count(struct sim_trace *t)
{
	t->counted = types_of(SIM_CLASS_DIGEST);
	t->types |= t->counted;
	t->digest = SIM_DIGEST_SEED;
	t->count = 0;
}

/* Not inlined: many places emit, and the way is short enough for a call. */
__attribute__((__noinline__)) void sim_trace_put(struct sim_trace *t, sim_time time, uint64_t who, uint64_t what, uint64_t val)
{
	const struct sim_trace_ear *ear = &t->ear[(uint16_t)who];

	if (t->counted >> (uint16_t)who & 1) {
		t->digest = sim_digest_mix(t->digest, time, who, what, val);
		t->count++;
	}
	if (ear->take) {
		struct sim_rec rec = {
			.time = time,
			.type = (uint16_t)who,
			.cpu = (uint16_t)(who >> 16),
			.task = (uint32_t)(who >> 32),
			.obj = (uint32_t)what,
			.arg = (uint32_t)(what >> 32),
			.val = val,
		};

		ear->take(ear->user, &rec);
	}
}

void sim_trace_emit(struct sim_trace *t, const struct sim_rec *rec)
{
	if (t->types >> rec->type & 1)
		sim_trace_put(t, rec->time, sim_rec_who(rec), sim_rec_what(rec), rec->val);
}

uint64_t sim_digest_add(uint64_t digest, const struct sim_rec *rec)
{
	if (!(sim_rec_class_of[rec->type] & SIM_CLASS_DIGEST))
		return digest;
	return sim_digest_mix(digest, rec->time, sim_rec_who(rec), sim_rec_what(rec), rec->val);
}
