/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For golden tests of reader-writer locks: what the lock "L" looks like at a given moment,
 * in the words of its view(): "0xffff0001 A [B C]" is the word, who holds it (in order of
 * grants; "-": nobody), "|" and flags if there are any, and who waits ("?": the
 * lock does not know).
 */
#ifndef TESTS_MODELS_SEE_H
#define TESTS_MODELS_SEE_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "sim/kernel/host.h"
#include "tests/unit/models/harness_impl.h"

#define SEEN 48

static struct seen {
	char text[256];
	const char *wanted;
	unsigned at; /* ns */
} seen[SEEN];
static unsigned nseen;

static void see_describe(char *text, size_t room)
{
	struct lock_view_task owners[8], waiters[16];
	struct lock_view view = { .owners = owners, .waiters = waiters, .owners_room = 8, .waiters_room = 16 };
	const struct bench_lock *l = &bench.lock[bench_lock_by_name("L")];
	size_t n;

	l->model->view(l->lock, &view);
	ck_assert(view.nowners <= 8 && view.nwaiters <= 16);
	n = (size_t)snprintf(text, room, "0x%llx ", (unsigned long long)view.word);
	for (unsigned i = 0; i < view.nowners; i++)
		n += (size_t)snprintf(text + n, room - n, "%s%s", i ? "," : "", kernel_sim_task(owners[i].task)->name);
	n += (size_t)snprintf(text + n, room - n, "%s%s%s [", view.nowners ? "" : "-", view.flags[0] ? "|" : "", view.flags);
	for (unsigned i = 0; i < view.nwaiters; i++)
		n += (size_t)snprintf(text + n, room - n, "%s%s", i ? " " : "",
				      waiters[i].task ? kernel_sim_task(waiters[i].task)->name : "?");
	snprintf(text + n, room - n, "]");
}

static void see_look(void *arg)
{
	struct seen *s = arg;

	see_describe(s->text, sizeof(s->text));
}

/* At @ns the lock must look like @wanted. */
static inline void see(unsigned ns, const char *wanted)
{
	struct seen *s = &seen[nseen++];

	ck_assert_uint_le(nseen, SEEN);
	*s = (struct seen){ .wanted = wanted, .at = ns };
	bench_at(ns * SIM_NS, see_look, s);
}

/* A bench whose idle CPUs take two units to wake up, so that there is time between a wake-up and what comes of it. */
static inline void see_open(unsigned ncpus, int poll)
{
	nseen = 0;
	bench_open(ncpus);
	if (poll)
		bench_poll();
	bench_hz(1000);
	bench_preempt(SIM_PREEMPT_NONE);
	bench_cost("idle_exit", 2 * U);
}

static inline void see_bench(unsigned ncpus, int poll, const char *model, const char *params)
{
	see_open(ncpus, poll);
	bench_lock_params("L", model, params);
}

/*
 * A writer that queues without spinning: it stands still before its first access from @at
 * to @at + 1, and a real-time task makes its CPU want to reschedule meanwhile.
 */
static inline void see_no_spin(const char *writer, const char *intruder, unsigned cpu, int at)
{
	bench_task(intruder, cpu, 99, at, "run 1");
	bench_stop_access(writer, 1, 1, at + 1);
}

/* Everything was as wanted, nothing was found, and in the end the lock looks like @last. */
static inline void see_run(int until, const char *last)
{
	char text[256];
	const struct bench_lock *l = &bench.lock[bench_lock_by_name("L")];

	bench_run(until);
	for (unsigned i = 0; i < nseen; i++)
		if (strcmp(seen[i].text, seen[i].wanted))
			ck_abort_msg("at %u ns: wanted %s, seen %s\n%s", seen[i].at, seen[i].wanted, seen[i].text,
				     bench_log());
	ck_assert_str_eq(bench_findings(), "");
	ck_assert_msg(bench_done(), "%s", bench_log());
	see_describe(text, sizeof(text));
	ck_assert_str_eq(text, last);
	ck_assert(!l->model->broken || !l->model->broken(l->lock));
}

#endif
