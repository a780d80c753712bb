/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/core/arena.h"
#include "sim/core/check.h"
#include "sim/core/region.h"

/* Beyond this, handing pages back is cheaper than clearing them. */
#define ARENA_CLEAR_MAX ((size_t)4 << 20)

void sim_arena_init(struct sim_arena *a, size_t room)
{
	room = (room + SIM_REGION_PAGE - 1) / SIM_REGION_PAGE * SIM_REGION_PAGE;
	a->base = sim_region_map(SIM_REGION_ARENA, room, "the arena");
	a->used = 0;
	a->room = room;
}

void sim_arena_finish(struct sim_arena *a)
{
	if (a->base)
		munmap(a->base, a->room);
	*a = (struct sim_arena){0};
}

void sim_arena_reset(struct sim_arena *a)
{
	if (a->used > ARENA_CLEAR_MAX)
		sim_assert(madvise(a->base, a->room, MADV_DONTNEED) == 0);
	else if (a->used)
		memset(a->base, 0, a->used);
	a->used = 0;
}

void *sim_arena_alloc(struct sim_arena *a, size_t bytes)
{
	size_t lines = bytes / SIM_LINE_BYTES + (bytes % SIM_LINE_BYTES != 0);
	char *p = a->base + a->used;

	if (!lines)
		lines = 1; /* two objects never share an address */
	if (lines > (a->room - a->used) / SIM_LINE_BYTES)
		return NULL;
	a->used += lines * SIM_LINE_BYTES;
	return p;
}
