// SPDX-License-Identifier: GPL-2.0-or-later
/* Presets by name: loading and printing what presets_data.c holds. */
#include <string.h>

#include "sim/machine/presets.h"

#define MAX_PRESETS 32

const struct sim_preset *sim_preset_all(unsigned *n)
{
	static struct sim_preset all[MAX_PRESETS];

	sim_assert(sim_preset_count <= MAX_PRESETS);
	for (unsigned i = 0; i < sim_preset_count; i++)
		all[i] = sim_preset_data[i].about;
	*n = sim_preset_count;
	return all;
}

static const struct sim_preset_data *find(const char *name)
{
	for (unsigned i = 0; i < sim_preset_count; i++)
		if (!strcmp(sim_preset_data[i].about.name, name))
			return &sim_preset_data[i];
	return NULL;
}

static void fill(sim_time *cell, sim_time from, unsigned num, unsigned den)
{
	if (!*cell)
		*cell = from * num / den;
}

/*
 * What no figure gives: siblings share the first-level cache, so that a line which only
 * they have costs as an own one. And distances that the machine does not have, for
 * scenarios that give it more threads or sockets: a cluster is a socket, a line modified
 * by the sibling costs 7.1/37 of a socket (Westmere-EP CAS ping-pong), one hop 324/120 of it and two hops 430/324 of one, memory one hop away
 * 492/355 of the own and two hops away 601/492 of that (libslock, Westmere-EX).
 */
static void extrapolate(struct sim_costs *c)
{
	for (unsigned op = 0; op < SIM_OPC_COUNT; op++) {
		sim_time *occ = c->occ[op];

		for (unsigned s = 0; s < SIM_LINE_MEM; s++) {
			sim_time *lat = c->lat[op][s];

			fill(&lat[SIM_DIST_CLUSTER], lat[SIM_DIST_SOCKET], 1, 1);
			if (s == SIM_LINE_S)
				fill(&lat[SIM_DIST_SMT], lat[SIM_DIST_SELF], 1, 1);
			fill(&lat[SIM_DIST_SMT], lat[SIM_DIST_SOCKET], 71, 370);
			if (lat[SIM_DIST_SMT] < lat[SIM_DIST_SELF])
				lat[SIM_DIST_SMT] = lat[SIM_DIST_SELF];
			fill(&lat[SIM_DIST_HOP1], lat[SIM_DIST_SOCKET], 324, 120);
			fill(&lat[SIM_DIST_HOP2], lat[SIM_DIST_HOP1], 430, 324);
		}
		for (unsigned d = SIM_DIST_SMT; d <= SIM_DIST_SOCKET; d++)
			fill(&c->lat[op][SIM_LINE_MEM][d], c->lat[op][SIM_LINE_MEM][SIM_DIST_SELF], 1, 1);
		fill(&c->lat[op][SIM_LINE_MEM][SIM_DIST_HOP1], c->lat[op][SIM_LINE_MEM][SIM_DIST_SELF], 492, 355);
		fill(&c->lat[op][SIM_LINE_MEM][SIM_DIST_HOP2], c->lat[op][SIM_LINE_MEM][SIM_DIST_HOP1], 601, 492);
		/* ownership is handed on no faster than it travels; reads of a shared line are served one by one */
		for (unsigned d = SIM_DIST_SMT; d < SIM_DIST_COUNT; d++)
			fill(&occ[d], op == SIM_OPC_LOAD ? c->lat[op][SIM_LINE_S][d < SIM_DIST_CLUSTER ? d : SIM_DIST_CLUSTER] :
							   c->lat[op][SIM_LINE_M][d], 1, 1);
		fill(&occ[SIM_DIST_SELF], occ[SIM_DIST_CLUSTER], 1, 1);
	}
}

bool sim_preset_costs(const char *name, struct sim_costs *costs)
{
	const struct sim_preset_data *p = find(name);

	if (!p)
		return false;
	memset(costs, 0, sizeof(*costs));
	for (unsigned l = 0; l < 3 && p->figures[l]; l++)
		for (const struct sim_figure *f = p->figures[l]; f->cost; f++)
			if (!sim_cost_set(costs, f->cost, f->value))
				sim_assert(!"a preset names a cost that does not exist");
	if (p->idle) {
		sim_assert(p->idle->n <= SIM_IDLE_STATES);
		costs->nidle = p->idle->n;
		memcpy(costs->idle, p->idle->state, p->idle->n * sizeof(costs->idle[0]));
	}
	if (!p->bare)
		extrapolate(costs);
	return true;
}

bool sim_preset_load(const char *name, struct sim_config *cfg)
{
	const struct sim_preset_data *p = find(name);

	if (!p)
		return false;
	memset(cfg, 0, sizeof(*cfg));
	cfg->sockets = p->sockets;
	cfg->cores = p->cores;
	cfg->threads = p->threads;
	cfg->cluster = p->cluster;
	cfg->clock_khz = p->clock_khz;
	cfg->hz = p->hz;
	cfg->preempt = p->preempt;
	cfg->up = p->up;
	cfg->fair = SIM_FAIR_CFS;
	cfg->rt_period = SIM_S;
	return sim_preset_costs(name, &cfg->costs);
}

static const char *preempt_word(enum sim_preempt preempt)
{
	switch (preempt) {
	case SIM_PREEMPT_NONE:
		return "none";
	case SIM_PREEMPT_VOLUNTARY:
		return "voluntary";
	case SIM_PREEMPT_FULL:
		return "full";
	case SIM_PREEMPT_LAZY:
		return "lazy";
	case SIM_PREEMPT_RT:
		return "rt";
	}
	return "";
}

/* Is @f, of list @l, overridden by a later figure of the same name? */
static bool overridden(const struct sim_preset_data *p, unsigned l, const struct sim_figure *f)
{
	for (const struct sim_figure *g = f + 1; g->cost; g++)
		if (!strcmp(g->cost, f->cost))
			return true;
	for (l++; l < 3 && p->figures[l]; l++)
		for (const struct sim_figure *g = p->figures[l]; g->cost; g++)
			if (!strcmp(g->cost, f->cost))
				return true;
	return false;
}

bool sim_preset_print(FILE *out, const char *name)
{
	const struct sim_preset_data *p = find(name);
	char a[SIM_TIME_CHARS], b[SIM_TIME_CHARS];

	if (!p)
		return false;
	fprintf(out, "    %u sockets x %u cores x %u threads", p->sockets, p->cores, p->threads);
	if (p->cluster)
		fprintf(out, ", %u cores share a last-level cache", p->cluster);
	fprintf(out, "; clock %u.%03u GHz, hz %u, preempt %s, kernel %s\n", (unsigned)(p->clock_khz / 1000000),
		(unsigned)(p->clock_khz / 1000 % 1000), p->hz, preempt_word(p->preempt), p->up ? "up" : "smp");
	for (unsigned l = 0; l < 3 && p->figures[l]; l++)
		for (const struct sim_figure *f = p->figures[l]; f->cost; f++)
			if (!overridden(p, l, f))
				fprintf(out, "    %-18s %10s  %s\n", f->cost, sim_time_format_short(a, f->value, 2),
					f->source);
	for (unsigned i = 0; p->idle && i < p->idle->n; i++)
		fprintf(out, "    idle state %-7u %10s  after %s; %s\n", i + 1,
			sim_time_format_short(a, p->idle->state[i].exit, 2),
			sim_time_format_short(b, p->idle->state[i].residency, 2), p->idle->source);
	if (!p->bare)
		fprintf(out, "    other cells                    extrapolated, see docs/machine.md\n");
	return true;
}
