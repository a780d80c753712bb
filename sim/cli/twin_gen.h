/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random programs for twins: a machine, one to three locks of one model, two to ten tasks
 * that take them in one order (so that nothing deadlocks) or, where the lock settles deadlocks
 * itself, in any; nested, tried, timed, signalled, with priorities that change. A program is a
 * tree, so that it can be shrunk.
 */
#ifndef SIM_CLI_TWIN_GEN_H
#define SIM_CLI_TWIN_GEN_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct twin_node { /* a statement */
	char *head;	 /* "run 3us", "hold a try" */
	char *tail;	 /* "else { yield }", or NULL */
	GPtrArray *body; /* of nodes: what is in its braces; NULL: no braces */
	int target;	 /* index of the task that it names, or -1 */
	bool gone;	 /* shrunk away */
	bool open;	 /* only its body is left */
};

struct twin_task {
	char *name, *header;
	struct twin_node *body;
	bool gone;
};

struct twin_program {
	char *title, *machine, *locks, *end;
	GPtrArray *tasks;
	uint64_t key, draws; /* of the generator */
	const struct twin_kind *kind;
	unsigned nlocks, ncpus, ntasks, statements;
	unsigned preempt, shape; /* of twin_gen_preempt, twin_gen_shape */
	bool interrupts, cycles; /* cycles: locks that report deadlocks, in any order */
};

/* The locks that the generator knows, NULL behind the last: "mutex"; "rt:mutex" as PREEMPT_RT has it. */
const char *twin_gen_lock(unsigned i);
/* How a scenario calls it: "mutex", "kernel-rt:mutex". The caller frees. */
char *twin_gen_model(const char *lock);
/* Preemption models and shapes of machines (sockets x cores) that it draws from, NULL-terminated. */
extern const char *const twin_gen_preempt[], *const twin_gen_shape[];

/* Program number @index of (@seed, @lock). */
struct twin_program *twin_program_make(const char *lock, uint64_t seed, uint64_t index);
void twin_program_free(struct twin_program *p);
/* As a scenario; the caller frees. */
char *twin_program_text(const struct twin_program *p);

/* Takes away what is not needed for @fails to be true of the text. */
void twin_program_shrink(struct twin_program *p, bool (*fails)(const char *text, void *user), void *user);

#endif
