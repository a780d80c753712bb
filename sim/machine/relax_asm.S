/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stub in front of cpu_relax(): it sees the caller's live stack (from its return
 * address up) and its callee-saved registers, which no C function can.
 */
#if defined(__x86_64__)

.text
.globl sim_relax
.type sim_relax, @function
sim_relax:
	.cfi_startproc
	pushq %rbx
	.cfi_adjust_cfa_offset 8
	pushq %rbp
	.cfi_adjust_cfa_offset 8
	pushq %r12
	.cfi_adjust_cfa_offset 8
	pushq %r13
	.cfi_adjust_cfa_offset 8
	pushq %r14
	.cfi_adjust_cfa_offset 8
	pushq %r15
	.cfi_adjust_cfa_offset 8
	movq %rsp, %rdx
	leaq 48(%rsp), %rsi
	movl $6, %ecx
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	call sim_relax_at
	addq $56, %rsp
	.cfi_adjust_cfa_offset -56
	ret
	.cfi_endproc
.size sim_relax, .-sim_relax

#endif

#if defined(__aarch64__)

.text
.globl sim_relax
.type sim_relax, %function
sim_relax:
	stp x29, x30, [sp, #-96]!
	mov x29, sp
	stp x19, x20, [sp, #16]
	stp x21, x22, [sp, #32]
	stp x23, x24, [sp, #48]
	stp x25, x26, [sp, #64]
	stp x27, x28, [sp, #80]
	mov x2, sp
	add x1, sp, #96
	mov w3, #12
	bl sim_relax_at
	ldp x29, x30, [sp], #96
	ret
.size sim_relax, .-sim_relax

#endif

#if defined(__linux__) && defined(__ELF__)
.section .note.GNU-stack, "", %progbits
#endif
