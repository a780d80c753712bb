/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assertions: our own bugs only, on in every build. The context printer adds time,
 * CPU, task, seed and scenario line when a machine is running. And the one fault of the
 * host that the engine meets.
 */
#ifndef SIM_CORE_CHECK_H
#define SIM_CORE_CHECK_H

#include <stdint.h>

#define sim_assert(cond)                                                                           \
	(__builtin_expect(!(cond), 0) ? sim_assert_failed(#cond, __FILE__, __LINE__) : (void)0)

void sim_assert_failed(const char *what, const char *file, int line) __attribute__((noreturn, cold));
/* The host has no room for @what, @bytes of it: says so and exits with 3, as for every limit of the world. */
void sim_no_memory(const char *what, uint64_t bytes) __attribute__((noreturn, cold));
/* Called once, before abort, to print where the simulation stood. NULL to unset. */
void sim_assert_context(void (*print)(void));

#endif
