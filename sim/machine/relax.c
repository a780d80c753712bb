// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The stub in front of cpu_relax(): it sees the caller's live stack (from its return
 * address up) and its callee-saved registers, which no C function can.
 */
#include <setjmp.h>
#include <string.h>

#include "sim/machine/machine.h"

void sim_relax_at(bool declared, const char *frame, const uint64_t *regs, unsigned nregs);

#if defined(__x86_64__)

__asm__(".text\n"
	".globl sim_relax\n"
	".type sim_relax, @function\n"
	"sim_relax:\n"
	"	.cfi_startproc\n"
	"	pushq %rbx\n	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rbp\n	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r12\n	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r13\n	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r14\n	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r15\n	.cfi_adjust_cfa_offset 8\n"
	"	movq %rsp, %rdx\n"
	"	leaq 48(%rsp), %rsi\n"
	"	movl $6, %ecx\n"
	"	subq $8, %rsp\n	.cfi_adjust_cfa_offset 8\n"
	"	call sim_relax_at\n"
	"	addq $56, %rsp\n	.cfi_adjust_cfa_offset -56\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size sim_relax, .-sim_relax\n");

#elif defined(__aarch64__)

__asm__(".text\n"
	".globl sim_relax\n"
	".type sim_relax, %function\n"
	"sim_relax:\n"
	"	stp x29, x30, [sp, #-96]!\n"
	"	mov x29, sp\n"
	"	stp x19, x20, [sp, #16]\n"
	"	stp x21, x22, [sp, #32]\n"
	"	stp x23, x24, [sp, #48]\n"
	"	stp x25, x26, [sp, #64]\n"
	"	stp x27, x28, [sp, #80]\n"
	"	mov x2, sp\n"
	"	add x1, sp, #96\n"
	"	mov w3, #12\n"
	"	bl sim_relax_at\n"
	"	ldp x29, x30, [sp], #96\n"
	"	ret\n"
	".size sim_relax, .-sim_relax\n");

#else

/* Registers by way of setjmp(); mangling is constant within a process. */
__attribute__((noinline)) void sim_relax(bool declared)
{
	jmp_buf regs;

	memset(&regs, 0, sizeof(regs));
	_setjmp(regs);
	sim_relax_at(declared, (const char *)__builtin_frame_address(0), (const uint64_t *)(const void *)&regs, 8);
}

#endif
