/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Not for anybody but import_rtapp*.c: a workload on its way to a scenario. */
#ifndef SIM_CLI_IMPORT_RTAPP_H
#define SIM_CLI_IMPORT_RTAPP_H

#include "sim/cli/import_json.h"

enum rtapp_kind {
	RTAPP_MUTEX,
	RTAPP_CONDITION,
	RTAPP_SEMAPHORE,
	RTAPP_BARRIER,
	RTAPP_TASK,
	RTAPP_TIMER,      /* names in the text only: each task has its own */
	RTAPP_SUSPENSION, /* a condition that only suspend and resume use */
	RTAPP_GUARD,      /* such a mutex */
	RTAPP_FORK,       /* what the tasks wait for that are to be forked */
};

struct rtapp_thing {
	enum rtapp_kind kind;
	char *original, *name; /* what it is called there and here */
	gint64 count; /* tasks: instances; barriers: parties; semaphores: units; timers: users; forks: how
			 many */
	const struct rtapp_thing *user; /* timers: the last one that was counted */
};

struct rtapp {
	struct import_source *src;
	GPtrArray *named;
	GString *body;       /* of what is being printed */
	GHashTable *resumed; /* names that some resume mentions: looked up only */
	GHashTable *plain[2]; /* names of mutexes and of conditions that events or lock_order use: looked up only */
	bool finding;        /* the very first pass: who is resumed, who is forked */
	bool counting; /* the first two: finds objects and how often they are used; prints nothing that stays
			*/
	bool endless;  /* some task never ends */
	const struct json *resources; /* of all, or NULL */
	const struct json *default_policy; /* of all, or NULL */
	gint64 spacing_us;                 /* between the starts of threads without a delay; 0: not given */
	gint64 started;               /* threads so far */
	unsigned acts;                /* statements so far that can take time */
	bool pi;
	gint64 cpus; /* highest that is named, and one more */
	struct rtapp_thing *task;
	const char *policy; /* of that task, or NULL */
	bool one_timer; /* that task uses one timer only, and starts by itself */
	unsigned indent;
};

/* In the order in which rt-app tries them. */
#define RTAPP_EVENTS(X)                                                                                      \
	X(lock)                                                                                              \
	X(unlock) X(wait) X(signal) X(broad) X(sync) X(sleep) X(runtime) X(run) X(timer) X(suspend)          \
		X(resume) X(memrun) X(mem) X(iorun) X(yield) X(barrier) X(fork) X(sem_post) X(sem_wait)

enum rtapp_event {
#define X(name) RTAPP_EVENT_##name,
	RTAPP_EVENTS(X)
#undef X
		RTAPP_EVENT_NONE
};

/* -- import_rtapp_words.c -- */

/* A line of the scenario, indented. */
void rtapp_put(struct rtapp *a, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* "# not carried: KEY: VALUE (WHY)" */
void rtapp_not_carried(struct rtapp *a, const struct json *j, const char *why);
/* A number from @min to @max into *@n; false after a message about @what was expected. */
bool rtapp_integer(struct rtapp *a, const struct json *j, const char *what, gint64 min, gint64 max,
		   gint64 *n);
/* Microseconds; false after a message. */
bool rtapp_time(struct rtapp *a, const struct json *j, gint64 *us);
/* A string that is not empty; NULL after a message, or silently if @j is NULL. */
const char *rtapp_text(struct rtapp *a, const struct json *j, const char *what);
/* The condition that a signal, broadcast or sync of that name is for: until 2014 resources of these types
 * declared a target; else it is the name's own. NULL after a message. */
const char *rtapp_target(struct rtapp *a, const char *name);
/* The thing of that kind and name, or NULL. */
struct rtapp_thing *rtapp_find(const struct rtapp *a, enum rtapp_kind kind, const char *original);
/* The thing of that kind and name; new ones get a name that the language allows. */
struct rtapp_thing *rtapp_thing(struct rtapp *a, enum rtapp_kind kind, const char *original);

/* Is it given again further down? Then it is told here that this one counts for nothing. */
bool rtapp_is_overruled(struct rtapp *a, const struct json *object, const struct json *j);

/* -- import_rtapp_events.c -- */

/* By the beginning of @key; RTAPP_EVENT_NONE: it is none. */
enum rtapp_event rtapp_event_of(const char *key);
void rtapp_event(struct rtapp *a, const struct json *j, enum rtapp_event e);
/* Do all timers of a task and its phases have one name? */
bool rtapp_has_one_timer(const struct json *task);
/* "VERB 5us", with @remark behind it. */
void rtapp_timed(struct rtapp *a, const struct json *j, const char *verb, const char *remark);

/* -- import_rtapp_task.c -- */

/* Is this key of a task a setting, though it may begin like an event? @deadline: of a SCHED_DEADLINE task. */
bool rtapp_is_setting(const struct json *j, bool deadline);
/* Is that the policy of @task, or of all? */
bool rtapp_is_deadline(const struct rtapp *a, const struct json *task);
/* Opens "loop N {" unless that is once, for @n turns where @block says nothing; true if it was opened. */
bool rtapp_open_loop(struct rtapp *a, const struct json *block, gint64 n, unsigned *acts);
/* @acts: as rtapp_open_loop() left it. */
void rtapp_close_loop(struct rtapp *a, bool opened, unsigned acts);

/* @policy: the one of tasks that name none, or NULL. */
/* @name: its key, or another if there was one of that name already. */
void rtapp_task(struct rtapp *a, const struct json *task, const char *name, const char *policy);

/* -- import_rtapp_old.c -- */

/* The body of a task with "lock_order" or "exec". */
void rtapp_old_task(struct rtapp *a, const struct json *task);
/* Does a task or phase speak that grammar? */
bool rtapp_is_old(const struct json *j);
/* What it does once. */
void rtapp_old_acts(struct rtapp *a, const struct json *j);
/* Tells what of a task, or of a phase, has no use. */
void rtapp_old_leftovers(struct rtapp *a, const struct json *block, bool phase);

#endif
