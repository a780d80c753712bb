/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel words: marked accesses. Each is one call of kw_access(), the access door: it
 * waits for the cache line, does the operation in one step at its completion, and lets
 * interrupts and preemption in afterwards. Plain C accesses are free and are no points
 * of decision. The machine is sequentially consistent, so ordering suffixes and
 * barriers cost nothing and change nothing.
 */
#ifndef SIM_KERNEL_ACCESS_H
#define SIM_KERNEL_ACCESS_H

#include "sim/kernel/types.h"

/* The values are those of the machine's enum sim_op. */
enum kw_op { KW_LOAD, KW_STORE, KW_XCHG, KW_ADD, KW_AND, KW_OR, KW_XOR, KW_CMPXCHG };

/* Returns the old value. @size is 1, 2, 4 or 8; @a and @b are zero-extended from it. CMPXCHG: stores @b if the old
 * value is @a. Free of cost outside a fiber (init, view, unit tests). */
uint64_t kw_access(int op, const volatile void *addr, unsigned size, uint64_t a, uint64_t b);
/* Until kw_checked(), loads are free and leave no trace: conditions of checks that a kernel is built without. */
void kw_checking(void);
void kw_checked(void);
/* cpu_relax(), and the beginning of a spin; @kind: enum sim_spin_kind of the machine. */
void kw_relax(int kind);
void kw_spin_begin(int kind);
enum { KW_SPIN_PLAIN, KW_SPIN_LOADS, KW_SPIN_SAME };

/* An unmarked read in a spin loop that may be elided, and unmarked stores of such a word: free, like plain C. */
uint64_t kw_peek(const volatile void *addr, unsigned size);
void kw_stored(const volatile void *addr);

/* The type of @x as a value: without qualifiers. */
#define kw_valtype(x) __typeof__(((void)0, (x)))
/* @v, converted to type @T, as zero-extended bits. */
#define kw_bits(T, v) ((uint64_t)(T)(v) & (UINT64_MAX >> (64 - 8 * sizeof(T))))

#define READ_ONCE(x) ((kw_valtype(x))kw_access(KW_LOAD, &(x), sizeof(x), 0, 0))
#define WRITE_ONCE(x, val) ((void)kw_access(KW_STORE, &(x), sizeof(x), kw_bits(kw_valtype(x), val), 0))

#define PEEK(x) ((kw_valtype(x))kw_peek(&(x), sizeof(x)))
#define POKE(x, val) ((void)((x) = (val)), kw_stored(&(x)))

#define smp_load_acquire(p) READ_ONCE(*(p))
#define smp_store_release(p, v) WRITE_ONCE(*(p), v)
/* A store and a full barrier: priced as the exchange that it is on most machines. */
#define smp_store_mb(x, val) ((void)kw_access(KW_XCHG, &(x), sizeof(x), kw_bits(kw_valtype(x), val), 0))

#define smp_mb() barrier()
#define smp_rmb() barrier()
#define smp_wmb() barrier()
#define mb() barrier()
#define rmb() barrier()
#define wmb() barrier()
#define smp_mb__before_atomic() barrier()
#define smp_mb__after_atomic() barrier()
#define smp_mb__after_spinlock() barrier()
#define smp_mb__after_unlock_lock() barrier()
#define smp_acquire__after_ctrl_dep() barrier()
#define smp_read_barrier_depends() barrier()
#define data_race(expr) (expr)

#define xchg(ptr, v)                                                                               \
	((kw_valtype(*(ptr)))kw_access(KW_XCHG, ptr, sizeof(*(ptr)), kw_bits(kw_valtype(*(ptr)), v), 0))
#define xchg_acquire(ptr, v) xchg(ptr, v)
#define xchg_release(ptr, v) xchg(ptr, v)
#define xchg_relaxed(ptr, v) xchg(ptr, v)

#define cmpxchg(ptr, old, new)                                                                     \
	((kw_valtype(*(ptr)))kw_access(KW_CMPXCHG, ptr, sizeof(*(ptr)), kw_bits(kw_valtype(*(ptr)), old), \
				       kw_bits(kw_valtype(*(ptr)), new)))
#define cmpxchg_acquire(ptr, old, new) cmpxchg(ptr, old, new)
#define cmpxchg_release(ptr, old, new) cmpxchg(ptr, old, new)
#define cmpxchg_relaxed(ptr, old, new) cmpxchg(ptr, old, new)
#define cmpxchg_local(ptr, old, new) cmpxchg(ptr, old, new)

#define kw_try_cmpxchg(ptr, oldp, new, n)                                                          \
	__extension__({                                                                            \
		kw_valtype(*(ptr)) *kw_cat(kw_o, n) = (oldp);                                      \
		kw_valtype(*(ptr)) kw_cat(kw_e, n) = *kw_cat(kw_o, n);                             \
		kw_valtype(*(ptr)) kw_cat(kw_r, n) = cmpxchg(ptr, kw_cat(kw_e, n), new);           \
		if (kw_cat(kw_r, n) != kw_cat(kw_e, n))                                            \
			*kw_cat(kw_o, n) = kw_cat(kw_r, n);                                        \
		kw_cat(kw_r, n) == kw_cat(kw_e, n);                                                \
	})
#define try_cmpxchg(ptr, oldp, new) kw_try_cmpxchg(ptr, oldp, new, __COUNTER__)
#define try_cmpxchg_acquire(ptr, oldp, new) try_cmpxchg(ptr, oldp, new)
#define try_cmpxchg_release(ptr, oldp, new) try_cmpxchg(ptr, oldp, new)
#define try_cmpxchg_relaxed(ptr, oldp, new) try_cmpxchg(ptr, oldp, new)

#define cpu_relax() kw_relax(KW_SPIN_PLAIN)

/*
 * Before a spin in which nothing but marked loads, PEEK() and need_resched() decide, and that has no spin in it; and
 * cpu_relax() in such a spin. It parks at its first pause. In the files of a tree a condition may count its turns: the
 * machine finds out whether they are all the same.
 */
#ifdef TREE_FILE
#define KW_SPIN KW_SPIN_LOADS
#else
#define KW_SPIN KW_SPIN_SAME
#endif
#define spin_begin() kw_spin_begin(KW_SPIN)
#define spin_cpu_relax() kw_relax(KW_SPIN)

/* Polls *@ptr until @cond, an expression in VAL, holds; the value. A declared spin: @cond does not count. */
#define smp_cond_load_relaxed(ptr, cond)                                                           \
	__extension__({                                                                            \
		kw_valtype(*(ptr)) VAL;                                                            \
		spin_begin();                                                                      \
		for (;;) {                                                                         \
			VAL = READ_ONCE(*(ptr));                                                   \
			if (cond)                                                                  \
				break;                                                             \
			spin_cpu_relax();                                                          \
		}                                                                                  \
		VAL;                                                                               \
	})
#define smp_cond_load_acquire(ptr, cond) smp_cond_load_relaxed(ptr, cond)

#endif
