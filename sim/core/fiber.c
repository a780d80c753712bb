/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pool of stacks, and what has to be told to whom about a switch.
 *
 *   slot 0           slot 1           ...      one mapping, nothing touched before use
 *   |guard|<- stack |guard|<- stack |
 *
 * A separate mapping per guard page would end at 32,754 stacks (vm.max_map_count), so
 * the guard is MADV_GUARD_INSTALL where the host has it. Elsewhere the lowest words of
 * the slot have to stay zero; reading an untouched page costs no memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "sim/core/check.h"
#include "sim/core/fiber.h"
#include "sim/core/fiber_switch.h"
#include "sim/core/region.h"

#ifdef SIM_HAVE_VALGRIND
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(start, end) 0
#define VALGRIND_STACK_DEREGISTER(id) ((void)(id))
#endif

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#endif
#ifdef FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13 */
#endif

#define CANARY_WORDS 8

static struct {
	struct sim_fiber *fibers; /* one per slot, index = slot */
	char *stacks;
	uint32_t max;
	uint32_t used;    /* slots handed out since the last reset, ever new ones */
	uint32_t set_up;  /* slots that have their guard, ever */
	uint32_t guarded; /* of these, from slot 0 on, the host guards the lowest page */
	bool canaries;    /* some slot has no guard */
	struct sim_fiber *free;
	struct sim_fiber *current;
	void *main_sp;
#ifdef FIBER_ASAN
	const void *main_bottom;
	size_t main_bytes;
#endif
} pool;

static void pool_finish(void)
{
	for (uint32_t i = 0; i < pool.set_up; i++)
		VALGRIND_STACK_DEREGISTER(pool.fibers[i].valgrind_id);
	munmap(pool.stacks, (size_t)pool.max * SIM_FIBER_SLOT_BYTES);
	munmap(pool.fibers, (size_t)pool.max * sizeof(struct sim_fiber));
}

void sim_fiber_pool_init(uint32_t max)
{
	sim_assert(max > 0 && !pool.current);
	if (max <= pool.max) {
		sim_fiber_pool_reset();
		return;
	}
	if (pool.max)
		pool_finish();
	pool.max = max;
	pool.used = pool.set_up = pool.guarded = 0;
	pool.canaries = false;
	pool.free = NULL;
	pool.stacks = sim_region_map(SIM_REGION_STACKS, (size_t)max * SIM_FIBER_SLOT_BYTES, "fiber stacks");
	pool.fibers = sim_region_map(SIM_REGION_FIBERS, (size_t)max * sizeof(struct sim_fiber), "fibers");
	/* One touched page per stack; a refusal (no huge pages in the host) is fine. */
	madvise(pool.stacks, (size_t)max * SIM_FIBER_SLOT_BYTES, MADV_NOHUGEPAGE);
}

void sim_fiber_pool_reset(void)
{
	sim_assert(!pool.current);
	for (uint32_t i = 0; i < pool.used; i++) {
		pool.fibers[i].fn = NULL;
		pool.fibers[i].done = true;
		pool.fibers[i].at_ease = false;
	}
	pool.used = 0;
	pool.free = NULL;
}

/* What a slot needs once. */
static void set_up(struct sim_fiber *f, uint32_t slot)
{
	f->slot = slot;
	f->stack = pool.stacks + (size_t)slot * SIM_FIBER_SLOT_BYTES;
	f->top = f->stack + SIM_FIBER_SLOT_BYTES - (slot + slot / 32) % 8 * 512;
	if (pool.guarded == slot && madvise(f->stack, SIM_REGION_PAGE, MADV_GUARD_INSTALL) == 0)
		pool.guarded++;
	else
		pool.canaries = true;
	f->valgrind_id = VALGRIND_STACK_REGISTER(f->stack, f->top - 1);
	pool.set_up++;
}

static void __attribute__((noinline)) check_canary(const struct sim_fiber *f)
{
	const uint64_t *words = (const uint64_t *)f->stack;
	uint64_t any = 0;

	if (f->slot < pool.guarded)
		return;
	for (unsigned i = 0; i < CANARY_WORDS; i++)
		any |= words[i];
	sim_assert(!any && "a fiber has overrun its stack");
}

/*
 * From fiber @f to whoever resumed it. The switch is the last thing that a resume and a
 * yield do, hence a jump, and it returns straight to their callers.
 */
static inline void go_back(struct sim_fiber *f)
{
	pool.current = NULL;
#ifdef FIBER_ASAN
	__sanitizer_start_switch_fiber(&f->asan_fake, pool.main_bottom, pool.main_bytes);
#endif
	sim_fiber_switch(&f->sp, pool.main_sp);
#ifdef FIBER_ASAN
	__sanitizer_finish_switch_fiber(f->asan_fake, NULL, NULL);
#endif
}

/* The bottom frame of every fiber: does what it was created for, time after time. It is first entered from outside. */
static void fiber_main(void)
{
	struct sim_fiber *f = pool.current;

#ifdef FIBER_ASAN
	__sanitizer_finish_switch_fiber(NULL, &pool.main_bottom, &pool.main_bytes);
#endif
	for (;;) {
		f->fn(f->arg);
		f->done = true;
		check_canary(f);
		go_back(f);
	}
}

/* Nothing of what ran on the stack before is left. */
static void begin(struct sim_fiber *f)
{
#ifdef FIBER_ASAN
	/* Frames that were abandoned have left their red zones. */
	__asan_unpoison_memory_region(f->stack, SIM_FIBER_SLOT_BYTES);
	f->asan_fake = NULL;
#endif
	f->sp = sim_fiber_prepare(f->stack, (size_t)(f->top - f->stack), fiber_main);
}

struct sim_fiber *sim_fiber_create(void (*fn)(void *arg), void *arg, void *owner)
{
	struct sim_fiber *f = pool.free;

	sim_assert(fn);
	if (f) {
		pool.free = f->next_free;
	} else {
		if (pool.used == pool.max)
			return NULL;
		f = &pool.fibers[pool.used];
		if (pool.used == pool.set_up)
			set_up(f, pool.used);
		pool.used++;
	}
	f->fn = fn;
	f->arg = arg;
	f->owner = owner;
	f->done = false;
	if (!f->at_ease)
		begin(f);
	return f;
}

void sim_fiber_resume(struct sim_fiber *f)
{
	sim_assert(!pool.current && !f->done);
	pool.current = f;
#ifdef FIBER_ASAN
	void *fake;

	__sanitizer_start_switch_fiber(&fake, f->stack, (size_t)(f->top - f->stack));
#endif
	sim_fiber_switch(&pool.main_sp, f->sp);
#ifdef FIBER_ASAN
	__sanitizer_finish_switch_fiber(fake, NULL, NULL);
#endif
}

/* Apart, so that a yield that has nothing to check needs no frame of its own. */
static void __attribute__((noinline)) yield_checked(struct sim_fiber *f)
{
	check_canary(f);
	go_back(f);
}

void sim_fiber_yield(void)
{
	struct sim_fiber *f = pool.current;

	sim_assert(f);
	if (__builtin_expect(pool.canaries, 0))
		yield_checked(f);
	else
		go_back(f);
}

void sim_fiber_hand_over(struct sim_fiber *to)
{
	struct sim_fiber *f = pool.current;

	sim_assert(f && f != to && !to->done);
	if (__builtin_expect(pool.canaries, 0))
		check_canary(f);
	pool.current = to;
#ifdef FIBER_ASAN
	__sanitizer_start_switch_fiber(&f->asan_fake, to->stack, (size_t)(to->top - to->stack));
#endif
	sim_fiber_switch(&f->sp, to->sp);
#ifdef FIBER_ASAN
	__sanitizer_finish_switch_fiber(f->asan_fake, NULL, NULL);
#endif
}

void sim_fiber_free(struct sim_fiber *f)
{
	sim_assert(f != pool.current && f->fn);
	f->fn = NULL;
	f->owner = NULL;
	f->at_ease = f->done;
	f->done = true; /* not to be resumed */
	f->next_free = pool.free;
	pool.free = f;
}

struct sim_fiber *sim_fiber_current(void)
{
	return pool.current;
}

struct sim_fiber *sim_fiber_of(const void *p)
{
	size_t slot = (size_t)((const char *)p - pool.stacks) / SIM_FIBER_SLOT_BYTES;

	if (slot >= pool.used || !pool.fibers[slot].fn)
		return NULL;
	return &pool.fibers[slot];
}
