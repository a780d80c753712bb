// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cache lines: who has a copy, what an access costs, and the queue at a line's home.
 *
 * An access that misses waits for the home (FIFO), is priced by the state it finds at
 * the start of its service, and takes effect at its completion, in one step. A store
 * invalidates the other copies at the start of its service.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/machine/door.h"

static size_t lines_bytes;
static uint64_t *free_sets; /* unused bitmaps, linked through their first word */
static unsigned set_words;

/* -- memory that stands in for some of the arena's ----------------------------------------- */

#define ALIAS_MAX 64

static struct alias {
	const char *start;
	size_t bytes;
	char *shadow;
} alias[ALIAS_MAX];
static unsigned naliases;

void sim_alias(const void *start, size_t bytes, void *shadow)
{
	sim_assert(naliases < ALIAS_MAX);
	alias[naliases++] = (struct alias){ start, bytes, shadow };
}

static struct sim_line *alias_line(const void *addr)
{
	for (unsigned i = 0; i < naliases; i++) {
		size_t at = (size_t)((const char *)addr - alias[i].start);

		if ((const char *)addr >= alias[i].start && at < alias[i].bytes)
			return &sim->lines[sim_arena_line(&sim->arena, alias[i].shadow + at)];
	}
	return NULL;
}

void sim_lines_init(void)
{
	lines_bytes = sim->arena.room / SIM_LINE_BYTES * sizeof(struct sim_line);
	sim->lines = mmap(NULL, lines_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	sim_assert(sim->lines != MAP_FAILED);
	set_words = SIM_CPUSET_WORDS(sim->ncpus);
	naliases = 0;
}

static uint64_t *set_get(void)
{
	uint64_t *set = free_sets;

	if (set)
		free_sets = (uint64_t *)(uintptr_t)set[0];
	else
		set = malloc(set_words * sizeof(*set));
	sim_assert(set);
	memset(set, 0, set_words * sizeof(*set));
	return set;
}

static void set_put(uint64_t *set)
{
	set[0] = (uint64_t)(uintptr_t)free_sets;
	free_sets = set;
}

void sim_lines_finish(void)
{
	for (size_t i = 0; i < sim->arena.used / SIM_LINE_BYTES; i++)
		free(sim->lines[i].set);
	for (uint32_t i = 0; i < sim->ntasks; i++)
		free(sim->tasks[i]->stack_line->set);
	while (free_sets) {
		uint64_t *next = (uint64_t *)(uintptr_t)free_sets[0];

		free(free_sets);
		free_sets = next;
	}
	munmap(sim->lines, lines_bytes);
}

/* Not in the arena: on a stack, or in memory that stands in for some of the arena's. */
static struct sim_line *line_elsewhere(const void *addr)
{
	struct sim_fiber *f = sim_fiber_of(addr);
	struct sim_line *line = f ? NULL : alias_line(addr);

	if (line)
		return line;
	sim_assert(f && "a marked access outside simulated memory");
	return ((struct sim_task *)f->owner)->stack_line;
}

static inline struct sim_line *line_of(const void *addr)
{
	if (sim_arena_has(&sim->arena, addr))
		return &sim->lines[sim_arena_line(&sim->arena, addr)];
	return line_elsewhere(addr);
}

struct sim_line *sim_line_of(const void *addr)
{
	return line_of(addr);
}

static enum sim_dist socket_distance(uint64_t differ)
{
	return differ & (differ - 1) ? SIM_DIST_HOP2 : SIM_DIST_HOP1;
}

enum sim_dist sim_distance(unsigned a, unsigned b)
{
	uint64_t differ = sim->cpus[a].place ^ sim->cpus[b].place;

	if (!differ)
		return a == b ? SIM_DIST_SELF : SIM_DIST_SMT;
	if (differ < UINT64_C(1) << 16)
		return SIM_DIST_CLUSTER;
	if (differ < UINT64_C(1) << 32)
		return SIM_DIST_SOCKET;
	return socket_distance(differ >> 32);
}

static enum sim_dist home_distance(unsigned socket, unsigned home)
{
	return socket == home ? SIM_DIST_SELF : socket_distance(socket ^ home);
}

/* -- copies ---------------------------------------------------------------------------- */

bool sim_line_has(const struct sim_line *line, unsigned cpu)
{
	if (line->owner)
		return line->owner == cpu + 1;
	if (line->set)
		return sim_cpuset_has(line->set, cpu);
	for (unsigned i = 0; i < line->nsharers; i++)
		if (line->sharer[i] == cpu)
			return true;
	return false;
}

static void line_share(struct sim_line *line, unsigned cpu)
{
	if (sim_line_has(line, cpu))
		return;
	if (!line->set && line->nsharers == SIM_SHARERS_INLINE) {
		line->set = set_get();
		for (unsigned i = 0; i < line->nsharers; i++)
			line->set[line->sharer[i] / 64] |= UINT64_C(1) << line->sharer[i] % 64;
	}
	if (line->set)
		line->set[cpu / 64] |= UINT64_C(1) << cpu % 64;
	else
		line->sharer[line->nsharers] = (uint16_t)cpu;
	line->nsharers++;
}

static void line_own(struct sim_line *line, unsigned cpu)
{
	if (line->set) {
		set_put(line->set);
		line->set = NULL;
	}
	line->nsharers = 0;
	line->owner = (uint16_t)(cpu + 1);
}

static inline enum sim_dist better_distance(enum sim_dist best, enum sim_dist d, bool nearest)
{
	if (d == SIM_DIST_SELF)
		return best;
	return best == SIM_DIST_SELF || (nearest ? d < best : d > best) ? d : best;
}

/* Distance to the farthest copy that is not @cpu's. All of them are gone then: every one is looked at once. */
static enum sim_dist farthest_copy(const uint64_t *set, unsigned cpu)
{
	enum sim_dist best = SIM_DIST_SELF;

	for (unsigned i = 0; i < set_words; i++)
		for (uint64_t left = set[i]; left; left &= left - 1)
			best = better_distance(best, sim_distance(cpu, i * 64 + (unsigned)__builtin_ctzll(left)), false);
	return best;
}

/* Distance to the nearest copy among the @n CPUs from @from on: the first that is no farther than @enough will do. */
static enum sim_dist nearest_among(const uint64_t *set, unsigned cpu, unsigned from, unsigned n, enum sim_dist enough)
{
	enum sim_dist best = SIM_DIST_SELF;

	for (unsigned i = from / 64; i <= (from + n - 1) / 64; i++) {
		uint64_t left = set[i];

		if (i == from / 64)
			left &= ~UINT64_C(0) << from % 64;
		if (i == (from + n - 1) / 64)
			left &= ~UINT64_C(0) >> (63 - (from + n - 1) % 64);
		for (; left; left &= left - 1) {
			best = better_distance(best, sim_distance(cpu, i * 64 + (unsigned)__builtin_ctzll(left)), true);
			if (best != SIM_DIST_SELF && best <= enough)
				return best;
		}
	}
	return best;
}

/*
 * Distance to the nearest copy that is not @cpu's. A line that thousands share is read by one
 * after the other, so not all of them may be looked at each time: siblings, the own socket, the rest.
 */
static enum sim_dist nearest_copy(const uint64_t *set, unsigned cpu)
{
	const struct sim_config *c = &sim->cfg;
	unsigned cores = c->sockets * c->cores, own = sim->cpus[cpu].socket * c->cores;
	enum sim_dist best = SIM_DIST_SELF;

	for (unsigned i = cpu % cores; i < sim->ncpus; i += cores)
		if (i != cpu && sim_cpuset_has(set, i))
			return SIM_DIST_SMT;
	for (unsigned t = 0; t < c->threads; t++) {
		enum sim_dist d = nearest_among(set, cpu, t * cores + own, c->cores, c->cluster ? SIM_DIST_CLUSTER : SIM_DIST_SOCKET);

		if (d != SIM_DIST_SELF)
			best = better_distance(best, d, true);
	}
	return best != SIM_DIST_SELF ? best : nearest_among(set, cpu, 0, sim->ncpus, SIM_DIST_HOP1);
}

/* Distance to the nearest (loads) or farthest (stores) copy that is not @cpu's; SELF: there is none. */
static enum sim_dist sharers_distance(const struct sim_line *line, unsigned cpu, bool nearest)
{
	enum sim_dist best = SIM_DIST_SELF;

	if (line->set)
		return nearest ? nearest_copy(line->set, cpu) : farthest_copy(line->set, cpu);
	for (unsigned i = 0; i < line->nsharers; i++)
		best = better_distance(best, sim_distance(cpu, line->sharer[i]), nearest);
	return best;
}

/* -- service --------------------------------------------------------------------------- */

/* Prices the request of @cpu by what it finds, and changes the state. Returns latency; *@occ: occupancy, *@from: distance. */
static sim_time line_serve(struct sim_line *line, struct sim_cpu *cpu, enum sim_opclass opc, sim_time *occ,
			   enum sim_dist *from)
{
	const struct sim_costs *c = &sim->cfg.costs;
	enum sim_lstate state = SIM_LINE_MEM;
	enum sim_dist d;

	if (line->owner) {
		state = SIM_LINE_M;
		d = sim_distance(cpu->id, line->owner - 1u);
	} else {
		d = line->nsharers ? sharers_distance(line, cpu->id, opc == SIM_OPC_LOAD) : SIM_DIST_SELF;
		if (d != SIM_DIST_SELF)
			state = SIM_LINE_S;
		else if (line->nsharers) /* the only copy is mine: an upgrade that nobody has to hear of */
			state = SIM_LINE_M;
		else
			d = home_distance(cpu->socket, line->home);
	}
	if (state != SIM_LINE_MEM)
		sim->objects[line->object].transfers[d]++;
	if (opc != SIM_OPC_LOAD) {
		line_own(line, cpu->id);
		sim_unpark_watchers(line);
	} else if (state == SIM_LINE_MEM) {
		line_own(line, cpu->id);
	} else {
		if (line->owner) {
			unsigned owner = line->owner - 1u;

			line->owner = 0;
			line_share(line, owner);
		}
		line_share(line, cpu->id);
	}
	*occ = c->occ[opc][d];
	*from = d;
	return c->lat[opc][state][d];
}

/* A stack is one line, and not one of the machine's array. */
static uint32_t line_in_object(const struct sim_line *line)
{
	return line->object ? (uint32_t)(line - sim->lines) - sim->objects[line->object].first_line : 0;
}

/* Waits for the home and is served; returns the latency that is still to be spent. */
static sim_time line_miss(struct sim_line *line, struct sim_cpu *cpu, enum sim_opclass opc)
{
	sim_time lat, occ, asked = sim->now;
	enum sim_dist from;

	sim->misses++;
	if (line->q_head || line->busy_until > sim->now) {
		cpu->line_next = 0;
		if (line->q_tail) {
			sim->cpus[line->q_tail - 1].line_next = (uint16_t)(cpu->id + 1);
		} else {
			line->q_head = (uint16_t)(cpu->id + 1);
			sim_cpu_push(cpu, line->busy_until);
		}
		line->q_tail = (uint16_t)(cpu->id + 1);
		sim_yield(SIM_YIELD_TIME);
		line->q_head = cpu->line_next;
		if (!line->q_head)
			line->q_tail = 0;
	}
	lat = line_serve(line, cpu, opc, &occ, &from);
	line->busy_until = sim->now + occ;
	if (line->q_head)
		sim_cpu_push(&sim->cpus[line->q_head - 1], line->busy_until);
	if (sim->trace->classes & SIM_CLASS_LINES)
		sim_emit(SIM_REC_LINE, sim_current()->id + 1, line->object + 1,
			 from | (uint32_t)opc << 8 | line_in_object(line) << 16, sim->now - asked + lat);
	return lat;
}

/* -- the access door ------------------------------------------------------------------- */

/* Ends a run that time cannot end, or that had its steps. */
static void count_access(void)
{
	sim->accesses++;
	if (sim->accesses - sim->still > SIM_STILL_MAX)
		sim_machine_stop(SIM_STOP_STILL);
	if (sim->accesses > sim->max_accesses)
		sim_machine_stop(SIM_STOP_STEPS);
}

/*
 * An access is issued. A store wakes those who read the line plainly, and keeps them from
 * parking until its value is there: true, it counts as under way.
 */
static bool touch(struct sim_line *line, enum sim_opclass opc, const void *addr)
{
	if (sim->comparing)
		sim_touch_settle();
	sim_touch(line, addr);
	if (opc == SIM_OPC_LOAD)
		return false;
	line->storing++;
	sim_unpark_watchers(line);
	return true;
}

void sim_door_open(void)
{
	bool open = !sim->stop && !sim->cpu->replaying && !sim->touching &&
		    !(sim->trace->classes & SIM_CLASS_ACCESS);

	sim_door = open ? sim->cpu : NULL;
}

uint64_t sim_access(enum sim_op op, void *addr, unsigned size, uint64_t a, uint64_t b)
{
	uint64_t old;

	return sim_access_hit(op, addr, size, a, b, &old) ? old : sim_access_slowly(op, addr, size, a, b);
}

uint64_t sim_access_slowly(enum sim_op op, void *addr, unsigned size, uint64_t a, uint64_t b)
{
	if (!sim || !sim_fiber_current())
		return sim_perform(op, addr, size, a, b);

	struct sim_cpu *cpu = sim->cpu;
	struct sim_line *line;
	uint64_t old;
	bool hit, storing = false;

	if (cpu->replaying && sim_replay_read(cpu, &old))
		return old;
	line = line_of(addr);
	if (cpu->replaying) {
		/* the first access that is not of the past: it was issued as a hit and completes now */
		sim_replay_ends(cpu);
		hit = true;
	} else {
		enum sim_opclass opc = sim_opclass_of(op);

		count_access();
		if (sim->touching)
			storing = touch(line, opc, addr);
		hit = line->owner == cpu->id + 1 || (opc == SIM_OPC_LOAD && sim_line_has(line, cpu->id));
		sim_elapse(hit ? sim->hit[op] : line_miss(line, cpu, opc));
	}
	if (op != SIM_LOAD && !hit && line->owner != cpu->id + 1) { /* read while our store was under way */
		line_own(line, cpu->id);
		sim_unpark_watchers(line);
	}
	old = sim_perform(op, addr, size, a, b);
	if (storing) {
		line->storing--;
		line->stored++;
	}
	if (op != SIM_LOAD && line->watchers) /* who peeks holds no copy */
		sim_unpark_watchers(line);
	if (op != SIM_LOAD)
		sim_spin_impure(cpu);
	else if (cpu->recording)
		sim_spin_read(cpu, line, addr, size, old);
	if (sim->trace->classes & SIM_CLASS_ACCESS)
		sim_emit(SIM_REC_ACCESS, sim_current()->id + 1, line->object + 1,
			 (uint32_t)op | (uint32_t)hit << 8 | line_in_object(line) << 16, old);
	if (cpu->attention)
		sim_attend();
	return old;
}

uint64_t sim_peek(const void *addr, unsigned size)
{
	if (!sim || !sim_fiber_current())
		return sim_read_word(addr, size);
	return sim_spin_peek(sim->cpu, addr, size);
}

void sim_plain_stored(const void *addr)
{
	if (sim && sim_fiber_current())
		sim_unpark_watchers(sim_line_of(addr));
}

void sim_poke(void *addr)
{
	struct sim_line *line = sim_line_of(addr);

	line_own(line, sim->cpu->id);
	sim_unpark_watchers(line);
}
