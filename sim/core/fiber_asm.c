/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first frame of a fiber, as the assembly switch expects to find it. */
#include <stdint.h>
#include <string.h>

#include "sim/core/fiber_switch.h"

#if defined(__x86_64__)
#define FRAME_WORDS 8 /* r15 r14 r13 r12 rbx rbp, return address, end of the chain of frames */
#define FRAME_RETURN 6
#elif defined(__aarch64__)
#define FRAME_WORDS 20 /* x19-x30, d8-d15 */
#define FRAME_RETURN 11
#else
#error "no assembly switch for this machine: use -Dfibers=portable"
#endif

/*
 * x86-64: after the switch's ret the stack pointer is 8 below a multiple of 16, as after
 * a call. A zero frame pointer and return address end backtraces.
 */
void *sim_fiber_prepare(char *stack, size_t bytes, void (*entry)(void))
{
	uint64_t *frame = (uint64_t *)(stack + bytes) - FRAME_WORDS;

	memset(frame, 0, FRAME_WORDS * sizeof(*frame));
	frame[FRAME_RETURN] = (uint64_t)(uintptr_t)entry;
	return frame;
}
