/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel words: per-CPU data. DEFINE_PER_CPU() places a template in one linker section;
 * it is never written. At set-up every simulated CPU gets a copy of the section in
 * simulated memory, homed on its socket, and a pointer into the template stands for
 * "this place in somebody's copy", as in the kernel:
 *
 *	DEFINE_PER_CPU_ALIGNED(struct optimistic_spin_node, osq_node);
 *	node = this_cpu_ptr(&osq_node);  prev = per_cpu_ptr(&osq_node, cpu);
 */
#ifndef SIM_KERNEL_PERCPU_H
#define SIM_KERNEL_PERCPU_H

#include "sim/kernel/sched.h"

#define DEFINE_PER_CPU(type, name) __attribute__((section("kw_percpu"), used)) __typeof__(type) name
#define DEFINE_PER_CPU_ALIGNED(type, name) DEFINE_PER_CPU(type, name) __attribute__((aligned(64)))
#define DEFINE_PER_CPU_SHARED_ALIGNED(type, name) DEFINE_PER_CPU_ALIGNED(type, name)
#define DECLARE_PER_CPU(type, name) extern __typeof__(type) name
#define DECLARE_PER_CPU_ALIGNED(type, name) extern __typeof__(type) name

extern char __start_kw_percpu[], __stop_kw_percpu[];
extern char *kw_percpu_base; /* CPU 0's copy */
extern size_t kw_percpu_stride;

static inline void *kw_percpu_at(const volatile void *place, unsigned cpu)
{
	return kw_percpu_base + cpu * kw_percpu_stride + ((const volatile char *)place - __start_kw_percpu);
}

#define per_cpu_ptr(ptr, cpu) ((__typeof__(ptr))kw_percpu_at(ptr, (unsigned)(cpu)))
#define this_cpu_ptr(ptr) per_cpu_ptr(ptr, smp_processor_id())
#define raw_cpu_ptr(ptr) this_cpu_ptr(ptr)
#define per_cpu(var, cpu) (*per_cpu_ptr(&(var), cpu))

/* One CPU's own counters: plain, since nobody else looks. */
#define this_cpu_read(var) (*this_cpu_ptr(&(var)))
#define this_cpu_write(var, v) ((void)(*this_cpu_ptr(&(var)) = (v)))
#define this_cpu_inc(var) ((void)((*this_cpu_ptr(&(var)))++))
#define this_cpu_dec(var) ((void)((*this_cpu_ptr(&(var)))--))
#define this_cpu_add(var, v) ((void)(*this_cpu_ptr(&(var)) += (v)))
#define this_cpu_sub(var, v) ((void)(*this_cpu_ptr(&(var)) -= (v)))
#define __this_cpu_read(var) this_cpu_read(var)
#define __this_cpu_write(var, v) this_cpu_write(var, v)
#define __this_cpu_inc(var) this_cpu_inc(var)
#define __this_cpu_dec(var) this_cpu_dec(var)

#define for_each_possible_cpu(cpu) for ((cpu) = 0; (unsigned)(cpu) < kw_nr_cpus(); (cpu)++)
#define for_each_online_cpu(cpu) for_each_possible_cpu(cpu)

#endif
