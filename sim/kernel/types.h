/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel words: the basic types and the small macros that lock code takes for granted.
 * These are the kernel's names; engine files must never see them.
 */
#ifndef SIM_KERNEL_TYPES_H
#define SIM_KERNEL_TYPES_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;
typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	s64 counter __attribute__((aligned(8)));
} atomic64_t;

typedef struct {
	long counter __attribute__((aligned(8)));
} atomic_long_t;

#define ATOMIC_INIT(i) { (i) }
#define ATOMIC64_INIT(i) { (i) }
#define ATOMIC_LONG_INIT(i) { (i) }

#ifndef __always_inline
#define __always_inline inline __attribute__((__always_inline__))
#endif
#ifndef noinline
#define noinline __attribute__((__noinline__))
#endif
#ifndef __maybe_unused
#define __maybe_unused __attribute__((__unused__))
#endif
#define __must_check __attribute__((__warn_unused_result__))
#define __sched
#define __lockfunc
#define __user
#define __percpu
#define __init
#define __read_mostly
#define __acquires(x)
#define __releases(x)
#define __must_hold(x)
#define __cacheline_aligned __attribute__((aligned(64)))
#define ____cacheline_aligned __attribute__((aligned(64)))
#define ____cacheline_aligned_in_smp __attribute__((aligned(64)))
#define SMP_CACHE_BYTES 64
#define L1_CACHE_BYTES 64

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define barrier() __asm__ __volatile__("" : : : "memory")
#define fallthrough __attribute__((__fallthrough__))

#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define BITS_PER_LONG 64
#define BIT(n) (1UL << (n))
#define BIT_ULL(n) (1ULL << (n))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define IS_ENABLED(option) 0

#define kw_cat2(a, b) a##b
#define kw_cat(a, b) kw_cat2(a, b)

#define kw_pick(a, b, op, n)                                                                       \
	__extension__({                                                                            \
		__typeof__(a) kw_cat(kw_a, n) = (a);                                               \
		__typeof__(b) kw_cat(kw_b, n) = (b);                                               \
		kw_cat(kw_a, n) op kw_cat(kw_b, n) ? kw_cat(kw_a, n) : kw_cat(kw_b, n);            \
	})
#define min(a, b) kw_pick(a, b, <, __COUNTER__)
#define max(a, b) kw_pick(a, b, >, __COUNTER__)
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))
#define clamp(v, lo, hi) min(max(v, lo), hi)

#define kw_swap(a, b, n)                                                                           \
	do {                                                                                       \
		__typeof__(a) kw_cat(kw_s, n) = (a);                                               \
		(a) = (b);                                                                         \
		(b) = kw_cat(kw_s, n);                                                             \
	} while (0)
#define swap(a, b) kw_swap(a, b, __COUNTER__)

#undef static_assert
#define kw_static_assert(expr, msg, ...) _Static_assert(expr, msg)
#define static_assert(expr, ...) kw_static_assert(expr, ##__VA_ARGS__, #expr)
#define BUILD_BUG_ON(cond) _Static_assert(!(cond), "BUILD_BUG_ON: " #cond)

/* Errors in pointers. */
#define MAX_ERRNO 4095
#define ERESTARTSYS 512

static inline void *ERR_PTR(long error)
{
	return (void *)error;
}

static inline long PTR_ERR(const void *ptr)
{
	return (long)ptr;
}

static inline bool IS_ERR(const void *ptr)
{
	return (unsigned long)ptr >= (unsigned long)-MAX_ERRNO;
}

static inline bool IS_ERR_OR_NULL(const void *ptr)
{
	return !ptr || IS_ERR(ptr);
}

#define EXPORT_SYMBOL(sym)
#define EXPORT_SYMBOL_GPL(sym)
#define prefetchw(x) ((void)(x))
#define prefetch(x) ((void)(x))

#endif
