/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Per-CPU data of a plug-in: as sim/kernel/percpu.h, with a section and copies of its own.
 * alloc_percpu() hands out pieces of a pool in that section, since only initialisers of
 * locks call it, before the run begins.
 */
#ifndef MODELS_KERNEL_PERCPU_H
#define MODELS_KERNEL_PERCPU_H

#include "sim/kernel/access.h"
#include "sim/kernel/sched.h"

#define kw_section_percpu __attribute__((section("kw_plugin_percpu"), used))

#define DEFINE_PER_CPU(type, var) kw_section_percpu __typeof__(type) var
#define DEFINE_PER_CPU_ALIGNED(type, var) DEFINE_PER_CPU(type, var) __attribute__((aligned(64)))
#define DEFINE_PER_CPU_SHARED_ALIGNED(type, var) DEFINE_PER_CPU_ALIGNED(type, var)
#define DEFINE_PER_CPU_CACHE_ALIGNED(type, var) DEFINE_PER_CPU_ALIGNED(type, var)
#define DECLARE_PER_CPU(type, var) extern __typeof__(type) var
#define DECLARE_PER_CPU_ALIGNED(type, var) extern __typeof__(type) var
#define DECLARE_PER_CPU_SHARED_ALIGNED(type, var) extern __typeof__(type) var

extern char kw_plugin_percpu_start[] __asm__("__start_kw_plugin_percpu");
/* CPU 0's copy, and the distance to the next CPU's; set before every run. */
extern char *kw_plugin_percpu_base;
extern size_t kw_plugin_percpu_stride;

static inline void *kw_percpu_at(const volatile void *place, unsigned cpu)
{
	return kw_plugin_percpu_base + cpu * kw_plugin_percpu_stride +
	       ((const volatile char *)place - kw_plugin_percpu_start);
}

#define per_cpu_ptr(ptr, cpuno) ((__typeof__(ptr))kw_percpu_at(ptr, (unsigned)(cpuno)))
#define this_cpu_ptr(ptr) per_cpu_ptr(ptr, smp_processor_id())
#define raw_cpu_ptr(ptr) this_cpu_ptr(ptr)

/*
 * Any CPU's copy as a value: pays for a load of it, wherever it is, and is what that load saw, whatever comes between
 * it and the use. A tree that wants to write there is told so by the compiler.
 */
#define per_cpu(var, cpuno)                                                                        \
	(*(const __typeof__(var) *)kw_percpu_look(per_cpu_ptr(&(var), cpuno), sizeof(var), &(__typeof__(var)){ 0 }))

static inline const volatile void *kw_percpu_look(const volatile void *place, size_t bytes, void *seen)
{
	uint64_t value;

	if (bytes != 4 && bytes != 8)
		return place;
	value = kw_access(KW_LOAD, place, (unsigned)bytes, 0, 0);
	memcpy(seen, &value, bytes); /* little-endian, as the tree is told */
	return seen;
}

/*
 * this_cpu_add() and its like are one instruction on a line of one's own: a store, priced, since
 * others may look (percpu-rwsem). Those with two underscores are for whoever is undisturbed
 * anyway: plain.
 */
#define this_cpu_read(var) READ_ONCE(*this_cpu_ptr(&(var)))
#define this_cpu_write(var, val) WRITE_ONCE(*this_cpu_ptr(&(var)), val)
#define this_cpu_add(var, val) WRITE_ONCE(*this_cpu_ptr(&(var)), *this_cpu_ptr(&(var)) + (val))
#define this_cpu_sub(var, val) this_cpu_add(var, -(val))
#define this_cpu_inc(var) this_cpu_add(var, 1)
#define this_cpu_dec(var) this_cpu_add(var, -1)
#define __this_cpu_read(var) (*this_cpu_ptr(&(var)))
#define __this_cpu_write(var, val) ((void)(*this_cpu_ptr(&(var)) = (val)))
#define __this_cpu_add(var, val) ((void)(*this_cpu_ptr(&(var)) += (val)))
#define __this_cpu_inc(var) __this_cpu_add(var, 1)
#define __this_cpu_dec(var) __this_cpu_add(var, -1)
#define __this_cpu_inc_return(var) (++*this_cpu_ptr(&(var)))
#define __this_cpu_dec_return(var) (--*this_cpu_ptr(&(var)))
#define raw_cpu_read(var) __this_cpu_read(var)
#define raw_cpu_write(var, val) __this_cpu_write(var, val)
#define raw_cpu_add(var, val) __this_cpu_add(var, val)
#define raw_cpu_inc(var) __this_cpu_inc(var)

#define for_each_possible_cpu(cpuno) for ((cpuno) = 0; (unsigned)(cpuno) < kw_nr_cpus(); (cpuno)++)
#define for_each_online_cpu(cpuno) for_each_possible_cpu(cpuno)

/* Never NULL: when the pool is used up, the program ends. */
void *kw_alloc_percpu(size_t bytes, size_t align);
#define alloc_percpu(type) ((__typeof__(type) *)kw_alloc_percpu(sizeof(type), __alignof__(type)))
#define free_percpu(ptr) ((void)(ptr))

#endif
