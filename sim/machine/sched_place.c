// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Searching for a CPU in a set. CPUs are numbered thread * ncores + core with the cores
 * of a socket side by side, so that a core's siblings, a cluster and a socket are ranges
 * of numbers; a search is a few words of bitmap, never a walk over all CPUs.
 */
#include "sim/machine/sched_rq.h"

/* The lowest CPU of @a & @b in [@from, @to); -1: none. */
static int first_in(const uint64_t *a, const uint64_t *b, unsigned from, unsigned to)
{
	for (unsigned w = from / 64; w * 64 < to; w++) {
		uint64_t bits = a[w] & b[w];

		if (w == from / 64)
			bits &= ~UINT64_C(0) << (from % 64);
		if (bits) {
			unsigned cpu = w * 64 + (unsigned)__builtin_ctzll(bits);

			return cpu < to ? (int)cpu : -1;
		}
	}
	return -1;
}

/* The same in cores [@from, @to), over all threads. */
static int first_in_cores(const uint64_t *a, const uint64_t *b, unsigned from, unsigned to)
{
	for (unsigned base = 0; base < sim->ncpus; base += sim_sched.ncores) {
		int cpu = first_in(a, b, base + from, base + to);

		if (cpu >= 0)
			return cpu;
	}
	return -1;
}

static int on_sibling(const uint64_t *set, const uint64_t *allowed, unsigned core)
{
	for (unsigned cpu = core; cpu < sim->ncpus; cpu += sim_sched.ncores)
		if (sim_cpuset_has(set, cpu) && sim_cpuset_has(allowed, cpu))
			return (int)cpu;
	return -1;
}

/* Cores [*@from, *@to) share the last-level cache with @core. */
static void cluster_of(unsigned core, unsigned *from, unsigned *to)
{
	unsigned socket = core / sim_sched.per_socket * sim_sched.per_socket;
	unsigned end = socket + sim_sched.per_socket;

	*from = socket + (core - socket) / sim_sched.per_cluster * sim_sched.per_cluster;
	*to = *from + sim_sched.per_cluster < end ? *from + sim_sched.per_cluster : end;
}

/* On another socket, one hop away first. */
static int on_other_socket(const uint64_t *set, const uint64_t *allowed, unsigned home)
{
	for (int hops = 1; hops <= 2; hops++)
		for (unsigned s = 0; s < sim->cfg.sockets; s++) {
			int bits = __builtin_popcount(s ^ home), cpu;

			if ((bits > 2 ? 2 : bits) != hops)
				continue;
			cpu = first_in_cores(set, allowed, s * sim_sched.per_socket, (s + 1) * sim_sched.per_socket);
			if (cpu >= 0)
				return cpu;
		}
	return -1;
}

int sim_place_near(const uint64_t *set, const struct sim_task *task, unsigned cpu)
{
	const uint64_t *allowed = sim_allowed(task);
	unsigned core = cpu % sim_sched.ncores, from, to;
	int found = on_sibling(set, allowed, core);

	if (found >= 0)
		return found;
	cluster_of(core, &from, &to);
	found = first_in_cores(set, allowed, from, to);
	if (found >= 0)
		return found;
	from = core / sim_sched.per_socket * sim_sched.per_socket;
	found = first_in_cores(set, allowed, from, from + sim_sched.per_socket);
	if (found >= 0)
		return found;
	return on_other_socket(set, allowed, core / sim_sched.per_socket);
}

static bool core_idle(unsigned core)
{
	for (unsigned cpu = core; cpu < sim->ncpus; cpu += sim_sched.ncores)
		if (!sim_cpuset_has(sim_sched.idle.bits, cpu))
			return false;
	return true;
}

/* In the cluster of @cpu: a CPU of a wholly idle core, else any idle one; -1: none. */
static int idle_in_cluster(const struct sim_task *task, unsigned cpu)
{
	const uint64_t *allowed = sim_allowed(task), *idle = sim_sched.idle.bits;
	unsigned from, to;

	cluster_of(cpu % sim_sched.ncores, &from, &to);
	if (sim->cfg.threads > 1) {
		for (int c = first_in(idle, allowed, from, to); c >= 0; c = first_in(idle, allowed, (unsigned)c + 1, to))
			if (core_idle((unsigned)c))
				return c;
		int sibling = on_sibling(idle, allowed, cpu % sim_sched.ncores);

		if (sibling >= 0)
			return sibling;
	}
	return first_in_cores(idle, allowed, from, to);
}

unsigned sim_place_fair(const struct sim_task *task, const struct sim_cpu *waker)
{
	unsigned prev = (unsigned)task->shared->cpu;
	bool prev_ok = sim_cpuset_has(sim_allowed(task), prev);
	int cpu;

	if (prev_ok && sim_cpuset_has(sim_sched.idle.bits, prev))
		return prev;
	if (sim_sched.idle.nr) {
		cpu = idle_in_cluster(task, prev);
		if (cpu < 0 && waker)
			cpu = idle_in_cluster(task, waker->id);
		if (cpu < 0)
			cpu = sim_place_near(sim_sched.idle.bits, task, prev);
		if (cpu >= 0)
			return (unsigned)cpu;
	}
	if (prev_ok)
		return prev;
	cpu = sim_place_near(sim_sched.all, task, prev);
	sim_assert(cpu >= 0 && "task allowed nowhere");
	return (unsigned)cpu;
}
