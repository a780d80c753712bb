/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arena of simulated memory: every lock, task struct and per-CPU section lives
 * here, so that the line of a pointer is (offset in the arena) / 64. Allocation order
 * alone decides offsets, hence line numbers are the same on every host.
 */
#ifndef SIM_CORE_ARENA_H
#define SIM_CORE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_LINE_BYTES 64

struct sim_arena {
	char *base;
	size_t used, room;	/* bytes */
};

/* Reserves address space (at a fixed address where the host allows); aborts on failure. */
void sim_arena_init(struct sim_arena *a, size_t room);
void sim_arena_finish(struct sim_arena *a);
/* Forgets all objects and zeroes what was used. */
void sim_arena_reset(struct sim_arena *a);
/* Zeroed, aligned to a line, padded to whole lines. NULL when the arena is full. */
void *sim_arena_alloc(struct sim_arena *a, size_t bytes);

static inline bool sim_arena_has(const struct sim_arena *a, const void *p)
{
	return (size_t)((const char *)p - a->base) < a->used;
}

static inline uint32_t sim_arena_line(const struct sim_arena *a, const void *p)
{
	return (uint32_t)((size_t)((const char *)p - a->base) / SIM_LINE_BYTES);
}

/* Where the line of @p begins, in bytes from the arena's start. */
static inline size_t sim_arena_offset(const struct sim_arena *a, const void *p)
{
	return (size_t)((const char *)p - a->base) & ~(size_t)(SIM_LINE_BYTES - 1);
}

#endif
