/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of meaning. Each is a function over the whole scenario, listed in check.c's table
 * with the mistake it finds; none runs unless the text has its shape and all names are known.
 */
#ifndef SIM_SCENARIO_CHECK_H
#define SIM_SCENARIO_CHECK_H

#include "sim/scenario/parse.h"

/* A statement in its surroundings. */
struct check_walk {
	struct parser *p;
	const struct scn_task *task;	 /* NULL in an interrupt */
	const struct scn_interrupt *irq; /* NULL in a task */
	/* Called for every statement before its blocks. */
	void (*visit)(struct check_walk *w, const struct scn_stmt *s);
	void *user;
	unsigned depth; /* of blocks around the statement */
};

/* Visits all statements of all tasks and interrupts in the order of the text. */
void check_walk_all(struct parser *p, void (*visit)(struct check_walk *w, const struct scn_stmt *s), void *user);
/* Visits a list and its blocks. */
void check_walk_list(struct check_walk *w, const struct scn_stmt *list);

/* The shape of the machine as the text gives it. */
struct check_shape {
	uint64_t sockets, cores, threads, cpus;
	bool known; /* false: nobody says how large the preset is */
};

struct check_shape check_shape(const struct parser *p);
/* The machine's field, or NULL. */
const struct scn_setting *check_field(const struct parser *p, const char *name);
/* Capabilities of @model (SCN_CAP_*); false if nothing is known about it. */
bool check_model_caps(const struct parser *p, const char *model, unsigned *caps);
/* Whether priorities, nice values and deadline parameters are in range, for @count instances. Reports. */
void check_sched(struct parser *p, const struct scn_sched *sched, uint64_t count);

#define CHECK_INSTANCES 512 /* at each end of an array, for numbers that depend on $i */

/*
 * Whether @e is @good for every instance of @count (for the first and the last ones of a
 * large array). Numbers that change during the run are. *@bad is the value that is not.
 */
bool check_at_instances(const struct parser *p, const struct scn_expr *e, uint64_t count,
			bool (*good)(uint64_t value, const void *user), const void *user, uint64_t *bad);

/* check_decl.c */
void check_machine(struct parser *p);
void check_costs(struct parser *p);
void check_clock(struct parser *p);
void check_cpu_count(struct parser *p);
void check_models(struct parser *p);
void check_objects(struct parser *p);
void check_task_count(struct parser *p);
void check_placement(struct parser *p);
void check_policies(struct parser *p);
void check_interrupts(struct parser *p);

/* check_body.c */
void check_capabilities(struct parser *p);
void check_failures(struct parser *p);
void check_targets(struct parser *p);
void check_periods(struct parser *p);
void check_turns(struct parser *p);
void check_idle_loops(struct parser *p);
void check_ends(struct parser *p);

/* An endless loop that nothing leaves. */
bool check_is_endless(const struct scn_stmt *s);

/* check_director.c: also marks whom the director directs */
void check_director(struct parser *p);

/* check_flow.c: what is held where */
void check_flow(struct parser *p);

/* check_expect.c */
void check_expectations(struct parser *p);
void check_throughput(struct parser *p);

#endif
