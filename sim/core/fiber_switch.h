/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The switch itself. Two makers of it: assembly (fiber_x86_64.S, fiber_aarch64.S) and
 * portable C (fiber_portable.c); the build takes one. Private to sim/core.
 */
#ifndef SIM_CORE_FIBER_SWITCH_H
#define SIM_CORE_FIBER_SWITCH_H

#include <stddef.h>

/* Saves where the caller stands in *@save and goes on at @load. */
void sim_fiber_switch(void **save, void *load);
/* What to load so that @entry() starts on an empty stack, 64 bytes or more below its top. */
void *sim_fiber_prepare(char *stack, size_t bytes, void (*entry)(void));

#endif
