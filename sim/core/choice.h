/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The choice: the second door through which two runs can differ. Every order that the
 * semantics leave open (equal times, who wins a line) asks here and takes 0 unless a
 * policy is set. A schedule prints as a short string ("2x0,1/2,0,3/5": two first ones, the
 * second of two, the first, the fourth of five) that replays it. Zeros at its end are left
 * out: that is what a replay takes there anyway. Where a replay finds another number to
 * choose among than was recorded, it is about something else: it says so, and takes the
 * policy's own way from there.
 */
#ifndef SIM_CORE_CHOICE_H
#define SIM_CORE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_choice_policy {
	SIM_CHOICE_FIXED,    /* always 0 */
	SIM_CHOICE_SEEDED,   /* a draw of the stream "choice" */
	SIM_CHOICE_ODOMETER, /* exhaustive: sim_choice_next() steps to the next sequence */
	SIM_CHOICE_REPLAY,   /* the recorded sequence, then 0 */
};

/* Decisions that are kept. A schedule of more is told by its seed only. */
#define SIM_CHOICES_KEPT ((size_t)1 << 24)

struct sim_choice {
	enum sim_choice_policy policy;
	uint64_t seed, stream;
	uint32_t *taken, *limit; /* what was taken, out of how many */
	size_t len, room;	 /* decisions of this run so far */
	size_t prefix;		 /* decisions that are prescribed */
	uint32_t *want, *among;	 /* those of a schedule: what to take, out of how many (0: not told) */
	size_t want_room;
	bool diverged;		 /* a prescribed decision did not fit: */
	size_t diverged_at;	 /* which, from 0 */
	uint32_t found;		 /* out of how many it was in this run */
	uint64_t diverged_time;	 /* in ps, for who chooses to fill in */
};

void sim_choice_init(struct sim_choice *c, enum sim_choice_policy policy, uint64_t seed);
void sim_choice_finish(struct sim_choice *c);
/* Takes a value below @n (n >= 1) and records it. */
uint32_t sim_choose(struct sim_choice *c, uint32_t n);
/* Before each run: rewinds; the policy keeps its prescription. */
void sim_choice_rewind(struct sim_choice *c);
/* Odometer: prescribes the next sequence; false when all were visited. */
bool sim_choice_next(struct sim_choice *c);
/* Prints the decisions of this run; the caller frees. [COUNTx]VALUE[/LIMIT], the limit where it is not the first that
 * was taken. NULL: more than are kept. */
char *sim_choice_print(const struct sim_choice *c);
/* Prescribes what was printed; false if the text is malformed. */
bool sim_choice_parse(struct sim_choice *c, const char *text);

/* Prescribed decisions that this run did not come to. */
size_t sim_choice_left(const struct sim_choice *c);

/* A policy as text: "fixed", "seed:N", "replay:2x0,1". Initialises @c; false if the text is malformed. */
bool sim_choice_read(struct sim_choice *c, const char *spec);
/* What makes the run happen again, of at most @max characters where that can be had: the decisions, or else the
 * seed. NULL: neither. The caller frees. */
char *sim_choice_spec(const struct sim_choice *c, size_t max);

#endif
