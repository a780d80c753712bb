/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The access door, as far as it stands open: most accesses find their line here and
 * nothing due before they are over. Such an access moves the clock, does the operation
 * and returns. line.c has all the others; both do the same.
 */
#ifndef SIM_MACHINE_DOOR_H
#define SIM_MACHINE_DOOR_H

#include "sim/machine/internal.h"

#define SIM_STILL_MAX 1000000 /* accesses at one instant */

/* -- the operations ------------------------------------------------------------------------ */

static inline uint64_t sim_read_word(const void *addr, unsigned size)
{
	switch (size) {
	case 1:
		return *(const volatile uint8_t *)addr;
	case 2:
		return *(const volatile uint16_t *)addr;
	case 4:
		return *(const volatile uint32_t *)addr;
	}
	return *(const volatile uint64_t *)addr;
}

static inline void sim_write_word(void *addr, unsigned size, uint64_t v)
{
	switch (size) {
	case 1:
		*(volatile uint8_t *)addr = (uint8_t)v;
		return;
	case 2:
		*(volatile uint16_t *)addr = (uint16_t)v;
		return;
	case 4:
		*(volatile uint32_t *)addr = (uint32_t)v;
		return;
	}
	*(volatile uint64_t *)addr = v;
}

/* In one step; returns the old value. */
static inline __attribute__((always_inline)) uint64_t sim_perform(enum sim_op op, void *addr, unsigned size, uint64_t a,
								  uint64_t b)
{
	uint64_t old = sim_read_word(addr, size);
	uint64_t mask = size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;

	switch (op) {
	case SIM_LOAD:
		return old;
	case SIM_STORE:
	case SIM_XCHG:
		sim_write_word(addr, size, a);
		return old;
	case SIM_ADD:
		sim_write_word(addr, size, old + a);
		return old;
	case SIM_AND:
		sim_write_word(addr, size, old & a);
		return old;
	case SIM_OR:
		sim_write_word(addr, size, old | a);
		return old;
	case SIM_XOR:
		sim_write_word(addr, size, old ^ a);
		return old;
	case SIM_CMPXCHG:
		if (old == (a & mask))
			sim_write_word(addr, size, b);
		return old;
	}
	return old;
}

/* -- the door -------------------------------------------------------------------------------- */

/* Nothing comes before @t on the CPU at the door, and nothing is to be looked at: the clock is moved there. */
static inline bool sim_door_pass(struct sim_machine *m, const struct sim_cpu *cpu, sim_time t)
{
	if (__builtin_expect(cpu->attention || sim_evq_before(&m->evq, t, cpu->yields_to), 0))
		return false;
	sim_clock_move(m, cpu, t);
	return true;
}

/* False: nothing was done, sim_access_slowly() does it. */
static inline __attribute__((always_inline)) bool sim_access_hit(enum sim_op op, void *addr, unsigned size, uint64_t a,
								 uint64_t b, uint64_t *old)
{
	struct sim_cpu *cpu = sim_door;
	struct sim_machine *m = sim;
	struct sim_line *line;

	if (__builtin_expect(!cpu || !sim_arena_has(&m->arena, addr), 0))
		return false;
	line = (struct sim_line *)((char *)m->lines + sim_arena_offset(&m->arena, addr));
	if (line->owner != cpu->id + 1) {
		if (op != SIM_LOAD || !sim_line_has(line, cpu->id))
			return false;
	}
	if (__builtin_expect((op != SIM_LOAD && line->watchers) || m->accesses - m->still >= SIM_STILL_MAX ||
			     m->accesses >= m->max_accesses, 0))
		return false;
	if (!sim_door_pass(m, cpu, m->now + m->hit[op]))
		return false;
	m->accesses++;
	*old = sim_perform(op, addr, size, a, b);
	if (op != SIM_LOAD)
		cpu->recording = false;
	else if (__builtin_expect(cpu->recording, 0))
		sim_spin_read(cpu, line, addr, size, *old);
	return true;
}

#endif
