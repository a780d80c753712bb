// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of costs, and setting and reading them by name. */
#include <string.h>

#include "sim/machine/costs.h"

static const char *const op_word[SIM_OPC_COUNT] = { "load", "store", "rmw" };
static const char *const op_text[SIM_OPC_COUNT] = { "a load", "a store", "an atomic operation" };
static const char *const state_word[SIM_LSTATE_COUNT] = { "m", "s", "mem" };
static const char *const state_text[SIM_LSTATE_COUNT] = { "the only copy is", "the nearest other copy is",
							   "only memory has the line," };
static const char *const dist_word[SIM_DIST_COUNT] = { "self", "smt", "cluster", "socket", "hop1", "hop2" };
static const char *const dist_text[SIM_DIST_COUNT] = {
	"in the own cache", "at the sibling thread", "in the same cluster", "on the same socket", "one hop away",
	"two or more hops away",
};

#define X(name, meaning) #name,
static const char *const scalar_word[SIM_SCALAR_COUNT] = { SIM_SCALAR_COSTS(X) };
#undef X
#define X(name, meaning) meaning,
static const char *const scalar_text[SIM_SCALAR_COUNT] = { SIM_SCALAR_COSTS(X) };
#undef X

/* What a name stands for. */
struct place {
	enum { SCALAR, IDLE_EXIT, HIT, LINE, LATENCY, OCCUPANCY } kind;
	unsigned op, state, dist; /* SIM_DIST_COUNT: a row */
	unsigned scalar;
};

#define ROW SIM_DIST_COUNT
#define NAMES (SIM_SCALAR_COUNT + 3 + SIM_OPC_COUNT * (SIM_LSTATE_COUNT + 1) * (SIM_DIST_COUNT + 1))

static struct place places[NAMES];
static char names[NAMES][24];
static char meanings[NAMES][112];
static const char *list[NAMES + 1];

static unsigned add(unsigned n, struct place place)
{
	places[n] = place;
	list[n] = names[n];
	return n + 1;
}

static unsigned add_text(unsigned n, struct place place, const char *name, const char *meaning)
{
	snprintf(names[n], sizeof(names[n]), "%s", name);
	snprintf(meanings[n], sizeof(meanings[n]), "%s", meaning);
	return add(n, place);
}

static unsigned add_latency(unsigned n, unsigned op, unsigned state, unsigned dist)
{
	if (dist == ROW) {
		snprintf(names[n], sizeof(names[n]), "%s_%s", op_word[op], state_word[state]);
		snprintf(meanings[n], sizeof(meanings[n]), "row: latency of %s, %s anywhere%s", op_text[op],
			 state_text[state], state == SIM_LINE_MEM ? "" : " but in the own cache");
	} else {
		bool mem = state == SIM_LINE_MEM;

		snprintf(names[n], sizeof(names[n]), "%s_%s_%s", op_word[op], state_word[state], dist_word[dist]);
		snprintf(meanings[n], sizeof(meanings[n]), "latency of %s, %s %s%s", op_text[op], state_text[state],
			 mem ? "its home " : "", mem && dist == SIM_DIST_SELF ? "on the own socket" : dist_text[dist]);
	}
	return add(n, (struct place){ .kind = LATENCY, .op = op, .state = state, .dist = dist });
}

static unsigned add_occupancy(unsigned n, unsigned op, unsigned dist)
{
	if (dist == ROW) {
		snprintf(names[n], sizeof(names[n]), "occ_%s", op_word[op]);
		snprintf(meanings[n], sizeof(meanings[n]), "row: how long %s that misses keeps the line's home busy",
			 op_text[op]);
	} else {
		snprintf(names[n], sizeof(names[n]), "occ_%s_%s", op_word[op], dist_word[dist]);
		snprintf(meanings[n], sizeof(meanings[n]), "how long %s served %s keeps the line's home busy",
			 op_text[op], dist == SIM_DIST_SELF ? "by the own memory" : dist_text[dist]);
	}
	return add(n, (struct place){ .kind = OCCUPANCY, .op = op, .dist = dist });
}

static void make_names(void)
{
	unsigned n = 0;

	if (list[0])
		return;
	for (unsigned i = 0; i < SIM_SCALAR_COUNT; i++)
		n = add_text(n, (struct place){ .kind = SCALAR, .scalar = i }, scalar_word[i], scalar_text[i]);
	n = add_text(n, (struct place){ .kind = IDLE_EXIT }, "idle_exit",
		     "one idle state, reached at once, with this exit latency");
	n = add_text(n, (struct place){ .kind = HIT }, "hit", "row: every access that the own cache serves");
	n = add_text(n, (struct place){ .kind = LINE }, "line", "every latency and occupancy of every access");
	for (unsigned op = 0; op < SIM_OPC_COUNT; op++)
		for (unsigned state = 0; state < SIM_LSTATE_COUNT; state++) {
			n = add_latency(n, op, state, ROW);
			for (unsigned dist = 0; dist < SIM_DIST_COUNT; dist++)
				n = add_latency(n, op, state, dist);
		}
	for (unsigned op = 0; op < SIM_OPC_COUNT; op++) {
		n = add_occupancy(n, op, ROW);
		for (unsigned dist = 0; dist < SIM_DIST_COUNT; dist++)
			n = add_occupancy(n, op, dist);
	}
	list[n] = NULL;
}

const char *const *sim_cost_names(void)
{
	make_names();
	return list;
}

/* Index of @name, or -1. */
static int find(const char *name)
{
	make_names();
	for (unsigned i = 0; list[i]; i++)
		if (!strcmp(list[i], name))
			return (int)i;
	return -1;
}

const char *sim_cost_meaning(const char *name)
{
	int i = find(name);

	return i < 0 ? NULL : meanings[i];
}

static void set_hits(struct sim_costs *c, sim_time v)
{
	for (unsigned op = 0; op < SIM_OPC_COUNT; op++)
		c->lat[op][SIM_LINE_M][SIM_DIST_SELF] = c->lat[op][SIM_LINE_S][SIM_DIST_SELF] = v;
}

static void set_lines(struct sim_costs *c, sim_time v)
{
	for (unsigned op = 0; op < SIM_OPC_COUNT; op++)
		for (unsigned d = 0; d < SIM_DIST_COUNT; d++) {
			for (unsigned s = 0; s < SIM_LSTATE_COUNT; s++)
				c->lat[op][s][d] = v;
			c->occ[op][d] = v;
		}
}

static void set_latencies(struct sim_costs *c, const struct place *p, sim_time v)
{
	if (p->dist != ROW) {
		c->lat[p->op][p->state][p->dist] = v;
		return;
	}
	for (unsigned d = p->state == SIM_LINE_MEM ? SIM_DIST_SELF : SIM_DIST_SMT; d < SIM_DIST_COUNT; d++)
		c->lat[p->op][p->state][d] = v;
}

static void set_occupancies(struct sim_costs *c, const struct place *p, sim_time v)
{
	for (unsigned d = 0; d < SIM_DIST_COUNT; d++)
		if (p->dist == ROW || p->dist == d)
			c->occ[p->op][d] = v;
}

bool sim_cost_set(struct sim_costs *costs, const char *name, sim_time value)
{
	int i = find(name);
	const struct place *p = &places[i < 0 ? 0 : i];

	if (i < 0)
		return false;
	switch (p->kind) {
	case SCALAR:
		costs->scalar[p->scalar] = value;
		break;
	case IDLE_EXIT:
		costs->nidle = 1;
		costs->idle[0] = (struct sim_idle_state){ .residency = 0, .exit = value };
		break;
	case HIT:
		set_hits(costs, value);
		break;
	case LINE:
		set_lines(costs, value);
		break;
	case LATENCY:
		set_latencies(costs, p, value);
		break;
	case OCCUPANCY:
		set_occupancies(costs, p, value);
		break;
	}
	return true;
}

bool sim_cost_get(const struct sim_costs *costs, const char *name, sim_time *value)
{
	int i = find(name);
	const struct place *p = &places[i < 0 ? 0 : i];

	if (i < 0)
		return false;
	switch (p->kind) {
	case SCALAR:
		*value = costs->scalar[p->scalar];
		return true;
	case LATENCY:
		if (p->dist == ROW)
			return false;
		*value = costs->lat[p->op][p->state][p->dist];
		return true;
	case OCCUPANCY:
		if (p->dist == ROW)
			return false;
		*value = costs->occ[p->op][p->dist];
		return true;
	case IDLE_EXIT:
	case HIT:
	case LINE:
		return false;
	}
	return false;
}
