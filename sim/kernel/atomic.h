/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel words: atomic_*, atomic_long_*, atomic64_* with all their ordering suffixes,
 * generated from one table per width. Every one is a single marked access.
 */
#ifndef SIM_KERNEL_ATOMIC_H
#define SIM_KERNEL_ATOMIC_H

#include "sim/kernel/access.h"

/* One marked access to @v->counter, signed result. Wrap-around is defined: the arithmetic is unsigned. */
#define kw_atomic(op, v, T, a, b) ((T)kw_access(op, &(v)->counter, sizeof((v)->counter), kw_bits(T, a), kw_bits(T, b)))
#define kw_plus(T, x, y) ((T)((uint64_t)(x) + (uint64_t)(y)))

/* -- read-modify-writes that come with an ordering suffix @o -- */
#define KW_ATOMIC_ORDERED(p, A, T, o)                                                              \
	static __always_inline T p##_fetch_add##o(T i, A *v)                                       \
	{                                                                                          \
		return kw_atomic(KW_ADD, v, T, i, 0);                                              \
	}                                                                                          \
	static __always_inline T p##_fetch_sub##o(T i, A *v)                                       \
	{                                                                                          \
		return kw_atomic(KW_ADD, v, T, -(uint64_t)i, 0);                                   \
	}                                                                                          \
	static __always_inline T p##_fetch_inc##o(A *v)                                            \
	{                                                                                          \
		return kw_atomic(KW_ADD, v, T, 1, 0);                                              \
	}                                                                                          \
	static __always_inline T p##_fetch_dec##o(A *v)                                            \
	{                                                                                          \
		return kw_atomic(KW_ADD, v, T, -1, 0);                                             \
	}                                                                                          \
	static __always_inline T p##_fetch_and##o(T i, A *v)                                       \
	{                                                                                          \
		return kw_atomic(KW_AND, v, T, i, 0);                                              \
	}                                                                                          \
	static __always_inline T p##_fetch_andnot##o(T i, A *v)                                    \
	{                                                                                          \
		return kw_atomic(KW_AND, v, T, ~i, 0);                                             \
	}                                                                                          \
	static __always_inline T p##_fetch_or##o(T i, A *v)                                        \
	{                                                                                          \
		return kw_atomic(KW_OR, v, T, i, 0);                                               \
	}                                                                                          \
	static __always_inline T p##_fetch_xor##o(T i, A *v)                                       \
	{                                                                                          \
		return kw_atomic(KW_XOR, v, T, i, 0);                                              \
	}                                                                                          \
	static __always_inline T p##_add_return##o(T i, A *v)                                      \
	{                                                                                          \
		return kw_plus(T, p##_fetch_add##o(i, v), i);                                      \
	}                                                                                          \
	static __always_inline T p##_sub_return##o(T i, A *v)                                      \
	{                                                                                          \
		return kw_plus(T, p##_fetch_sub##o(i, v), -(uint64_t)i);                           \
	}                                                                                          \
	static __always_inline T p##_inc_return##o(A *v)                                           \
	{                                                                                          \
		return kw_plus(T, p##_fetch_inc##o(v), 1);                                         \
	}                                                                                          \
	static __always_inline T p##_dec_return##o(A *v)                                           \
	{                                                                                          \
		return kw_plus(T, p##_fetch_dec##o(v), -UINT64_C(1));                              \
	}                                                                                          \
	static __always_inline T p##_xchg##o(A *v, T n)                                            \
	{                                                                                          \
		return kw_atomic(KW_XCHG, v, T, n, 0);                                             \
	}                                                                                          \
	static __always_inline T p##_cmpxchg##o(A *v, T e, T n)                                    \
	{                                                                                          \
		return kw_atomic(KW_CMPXCHG, v, T, e, n);                                          \
	}                                                                                          \
	static __always_inline bool p##_try_cmpxchg##o(A *v, T *e, T n)                            \
	{                                                                                          \
		T seen = kw_atomic(KW_CMPXCHG, v, T, *e, n);                                       \
                                                                                                   \
		if (seen == *e)                                                                    \
			return true;                                                               \
		*e = seen;                                                                         \
		return false;                                                                      \
	}                                                                                          \
	static __always_inline bool p##_add_negative##o(T i, A *v)                                 \
	{                                                                                          \
		return p##_add_return##o(i, v) < 0;                                                \
	}

/* -- the others -- */
#define KW_ATOMIC_PLAIN(p, A, T)                                                                   \
	static __always_inline T p##_read(const A *v)                                              \
	{                                                                                          \
		return kw_atomic(KW_LOAD, v, T, 0, 0);                                             \
	}                                                                                          \
	static __always_inline T p##_read_acquire(const A *v)                                      \
	{                                                                                          \
		return p##_read(v);                                                                \
	}                                                                                          \
	static __always_inline void p##_set(A *v, T i)                                             \
	{                                                                                          \
		(void)kw_atomic(KW_STORE, v, T, i, 0);                                             \
	}                                                                                          \
	static __always_inline void p##_set_release(A *v, T i)                                     \
	{                                                                                          \
		p##_set(v, i);                                                                     \
	}                                                                                          \
	static __always_inline void p##_add(T i, A *v)                                             \
	{                                                                                          \
		(void)p##_fetch_add(i, v);                                                         \
	}                                                                                          \
	static __always_inline void p##_sub(T i, A *v)                                             \
	{                                                                                          \
		(void)p##_fetch_sub(i, v);                                                         \
	}                                                                                          \
	static __always_inline void p##_inc(A *v)                                                  \
	{                                                                                          \
		(void)p##_fetch_inc(v);                                                            \
	}                                                                                          \
	static __always_inline void p##_dec(A *v)                                                  \
	{                                                                                          \
		(void)p##_fetch_dec(v);                                                            \
	}                                                                                          \
	static __always_inline void p##_and(T i, A *v)                                             \
	{                                                                                          \
		(void)p##_fetch_and(i, v);                                                         \
	}                                                                                          \
	static __always_inline void p##_andnot(T i, A *v)                                          \
	{                                                                                          \
		(void)p##_fetch_andnot(i, v);                                                      \
	}                                                                                          \
	static __always_inline void p##_or(T i, A *v)                                              \
	{                                                                                          \
		(void)p##_fetch_or(i, v);                                                          \
	}                                                                                          \
	static __always_inline void p##_xor(T i, A *v)                                             \
	{                                                                                          \
		(void)p##_fetch_xor(i, v);                                                         \
	}                                                                                          \
	static __always_inline bool p##_sub_and_test(T i, A *v)                                    \
	{                                                                                          \
		return p##_sub_return(i, v) == 0;                                                  \
	}                                                                                          \
	static __always_inline bool p##_dec_and_test(A *v)                                         \
	{                                                                                          \
		return p##_dec_return(v) == 0;                                                     \
	}                                                                                          \
	static __always_inline bool p##_inc_and_test(A *v)                                         \
	{                                                                                          \
		return p##_inc_return(v) == 0;                                                     \
	}                                                                                          \
	/* Adds @i unless the value is @u; the old value. */                                       \
	static __always_inline T p##_fetch_add_unless(A *v, T i, T u)                              \
	{                                                                                          \
		T c = p##_read(v);                                                                 \
                                                                                                   \
		while (c != u && !p##_try_cmpxchg(v, &c, kw_plus(T, c, i)))                        \
			;                                                                          \
		return c;                                                                          \
	}                                                                                          \
	static __always_inline bool p##_add_unless(A *v, T i, T u)                                 \
	{                                                                                          \
		return p##_fetch_add_unless(v, i, u) != u;                                         \
	}                                                                                          \
	static __always_inline bool p##_inc_not_zero(A *v)                                         \
	{                                                                                          \
		return p##_add_unless(v, 1, 0);                                                    \
	}                                                                                          \
	/* Decrements if the result is not negative; the old value minus one. */                   \
	static __always_inline T p##_dec_if_positive(A *v)                                         \
	{                                                                                          \
		T c = p##_read(v);                                                                 \
                                                                                                   \
		while (c > 0 && !p##_try_cmpxchg(v, &c, c - 1))                                    \
			;                                                                          \
		return kw_plus(T, c, -UINT64_C(1));                                                \
	}

#define KW_ATOMIC(p, A, T)                                                                         \
	KW_ATOMIC_ORDERED(p, A, T, )                                                               \
	KW_ATOMIC_ORDERED(p, A, T, _acquire)                                                       \
	KW_ATOMIC_ORDERED(p, A, T, _release)                                                       \
	KW_ATOMIC_ORDERED(p, A, T, _relaxed)                                                       \
	KW_ATOMIC_PLAIN(p, A, T)

KW_ATOMIC(atomic, atomic_t, int)
KW_ATOMIC(atomic64, atomic64_t, s64)
KW_ATOMIC(atomic_long, atomic_long_t, long)

#define atomic_cond_read_relaxed(v, c) smp_cond_load_relaxed(&(v)->counter, (c))
#define atomic_cond_read_acquire(v, c) smp_cond_load_acquire(&(v)->counter, (c))
#define atomic_long_cond_read_relaxed(v, c) smp_cond_load_relaxed(&(v)->counter, (c))
#define atomic_long_cond_read_acquire(v, c) smp_cond_load_acquire(&(v)->counter, (c))
#define atomic64_cond_read_relaxed(v, c) smp_cond_load_relaxed(&(v)->counter, (c))
#define atomic64_cond_read_acquire(v, c) smp_cond_load_acquire(&(v)->counter, (c))

#endif
