/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The switch in portable C: ucontext only to enter a new stack, since each swapcontext
 * is a system call; _setjmp/_longjmp from then on.
 */
#undef _FORTIFY_SOURCE /* its longjmp refuses to go to another stack */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include "sim/core/fiber_switch.h"

#define FIRST 1 /* in a pointer to load: a ucontext_t, not a jmp_buf */

void sim_fiber_switch(void **save, void *load)
{
	jmp_buf here;

	*save = &here;
	if (_setjmp(here))
		return;
	if ((uintptr_t)load & FIRST)
		setcontext((ucontext_t *)((uintptr_t)load - FIRST));
	else
		_longjmp(*(jmp_buf *)load, 1);
	abort(); /* neither comes back */
}

/* The context lies at the top of the stack that it starts. */
void *sim_fiber_prepare(char *stack, size_t bytes, void (*entry)(void))
{
	size_t room = (sizeof(ucontext_t) + 63) / 64 * 64;
	ucontext_t *first = (ucontext_t *)(stack + bytes - room);

	if (getcontext(first) != 0) {
		perror("lockstep: getcontext");
		abort();
	}
	first->uc_stack.ss_sp = stack;
	first->uc_stack.ss_size = bytes - room;
	first->uc_link = NULL;
	makecontext(first, entry, 0);
	return (char *)first + FIRST;
}
