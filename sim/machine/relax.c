// SPDX-License-Identifier: GPL-2.0-or-later
/* cpu_relax() where there is no stub in assembly. */
#include <setjmp.h>
#include <string.h>

#include "sim/machine/machine.h"

void sim_relax_at(enum sim_spin_kind kind, const char *frame, const uint64_t *regs, unsigned nregs);

#if !defined(__x86_64__) && !defined(__aarch64__) /* those have relax_asm.S */

/* Registers by way of setjmp(); mangling is constant within a process. */
__attribute__((noinline)) void sim_relax(enum sim_spin_kind kind)
{
	jmp_buf regs;

	memset(&regs, 0, sizeof(regs));
	_setjmp(regs);
	sim_relax_at(kind, (const char *)__builtin_frame_address(0), (const uint64_t *)(const void *)&regs, 8);
}

#endif
