/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assertions: our own bugs only, on in every build. The context printer adds time,
 * CPU, task, seed and scenario line when a machine is running.
 */
#ifndef SIM_CORE_CHECK_H
#define SIM_CORE_CHECK_H

#define sim_assert(cond)                                                                           \
	(__builtin_expect(!(cond), 0) ? sim_assert_failed(#cond, __FILE__, __LINE__) : (void)0)

void sim_assert_failed(const char *what, const char *file, int line) __attribute__((noreturn, cold));
/* Called once, before abort, to print where the simulation stood. NULL to unset. */
void sim_assert_context(void (*print)(void));

#endif
