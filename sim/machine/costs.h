/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What things cost. Two numbers per kind of access, line state and distance: latency
 * (what the requester waits) and occupancy (how long the line's home is busy; requests
 * queue there). Presets are in presets.c, one per machine, each figure with its source.
 */
#ifndef SIM_MACHINE_COSTS_H
#define SIM_MACHINE_COSTS_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/core/clock.h"

enum sim_dist {
	SIM_DIST_SELF,	  /* this CPU's own cache */
	SIM_DIST_SMT,	  /* sibling thread of the same core */
	SIM_DIST_CLUSTER, /* same last-level cache, where a socket has several */
	SIM_DIST_SOCKET,
	SIM_DIST_HOP1,
	SIM_DIST_HOP2,
	SIM_DIST_COUNT
};

enum sim_opclass { SIM_OPC_LOAD, SIM_OPC_STORE, SIM_OPC_RMW, SIM_OPC_COUNT };

enum sim_lstate {
	SIM_LINE_M,   /* somebody else has the only copy */
	SIM_LINE_S,   /* shared copies exist */
	SIM_LINE_MEM, /* only memory has it; the distance is that of its home socket */
	SIM_LSTATE_COUNT
};

/* Scheduler-side and other scalar costs: X(name, meaning) */
#define SIM_SCALAR_COSTS(X)                                                                        \
	X(relax, "cpu_relax(), one turn of a spin loop; never 0 (1 ns where a preset says 0)")      \
	X(preempt_off, "preempt_disable()")                                                        \
	X(preempt_on, "preempt_enable()")                                                          \
	X(context_switch, "from one task to another, or to and from idle")                         \
	X(wake, "a wake-up, on the waker")                                                         \
	X(ipi, "reschedule IPI, from sending to its arrival")                                      \
	X(ipi_handler, "handling an IPI, on the receiver")                                         \
	X(tick, "a timer tick")                                                                    \
	X(timer_irq, "a timer interrupt that wakes a task")                                        \
	X(irq_entry, "entry and exit of a device interrupt")                                       \
	X(syscall, "entry and exit of a system call, kernel { }")                                  \
	X(fault, "entry and exit of a page fault, fault { }")                                      \
	X(sched_clock, "reading the clock")

enum sim_scalar {
#define X(name, meaning) SIM_COST_##name,
	SIM_SCALAR_COSTS(X)
#undef X
	SIM_SCALAR_COUNT
};

#define SIM_IDLE_STATES 8

struct sim_idle_state {
	sim_time residency; /* the state is reached after this much idle time */
	sim_time exit;	    /* exit latency, paid on wake-up */
};

struct sim_costs {
	sim_time lat[SIM_OPC_COUNT][SIM_LSTATE_COUNT][SIM_DIST_COUNT];
	sim_time occ[SIM_OPC_COUNT][SIM_DIST_COUNT];
	sim_time scalar[SIM_SCALAR_COUNT];
	struct sim_idle_state idle[SIM_IDLE_STATES]; /* rising residency; depth 0 polls when nidle is 0 or before idle[0] */
	unsigned nidle;
};

/*
 * Sets a cost by name: a scalar ("ipi"), a cell ("load_m_hop1", "store_s_socket",
 * "rmw_mem_self", "occ_store_hop2"), a row ("load_m": all distances but self; "load_mem": all; "occ_load": all), "hit"
 * (all classes at distance self, memory excepted), "line" (every latency and occupancy), or
 * "idle_exit" (one idle state, reached at once). False if there is no such cost.
 */
bool sim_cost_set(struct sim_costs *costs, const char *name, sim_time value);
/* All settable names, in a fixed order, NULL-terminated; meanings by the same index. */
const char *const *sim_cost_names(void);
const char *sim_cost_meaning(const char *name);
/* The value behind a scalar or a cell; false for rows and unknown names. */
bool sim_cost_get(const struct sim_costs *costs, const char *name, sim_time *value);

struct sim_config;

struct sim_preset {
	const char *name;
	const char *summary; /* one line: machine, year, what it is used for */
	const char *source;  /* where the figures come from */
};

/* All presets in a fixed order; *@n is their number. */
const struct sim_preset *sim_preset_all(unsigned *n);
/* Fills @cfg with the whole machine of that name; false if unknown. */
bool sim_preset_load(const char *name, struct sim_config *cfg);
/* Only the costs of that name ("costs NAME"); false if unknown. */
bool sim_preset_costs(const char *name, struct sim_costs *costs);
/* Writes every constant with its source, for `list presets --verbose` and docs. False if unknown. */
bool sim_preset_print(FILE *out, const char *name);

#endif
