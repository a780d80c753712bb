/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables behind the presets. A figure is a cost by name with where it comes from:
 *
 *   measured   somebody published the number (or the cycles) for this machine
 *   derived    follows by arithmetic from published numbers, as said
 *   prior      recalled or inferred: plausible, published nowhere that we know of
 */
#ifndef SIM_MACHINE_PRESETS_H
#define SIM_MACHINE_PRESETS_H

#include "sim/machine/machine.h"

struct sim_figure {
	const char *cost;
	sim_time value;
	const char *source;
};

struct sim_idle_table {
	const struct sim_idle_state *state;
	unsigned n;
	const char *source;
};

struct sim_preset_data {
	struct sim_preset about;
	unsigned sockets, cores, threads, cluster;
	uint64_t clock_khz;
	unsigned hz;
	enum sim_preempt preempt;
	bool up;
	bool bare; /* what no figure gives stays zero */
	const struct sim_figure *figures[3]; /* each ends with an empty cost; later ones override */
	const struct sim_idle_table *idle;
};

extern const struct sim_preset_data sim_preset_data[];
extern const unsigned sim_preset_count;

#endif
