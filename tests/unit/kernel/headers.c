// SPDX-License-Identifier: GPL-2.0-or-later
/* What a model includes pulls in no header of the engine, and compiles on its own. */
#include "sim/kernel/words.h"

#include "sim/model.h"

#if defined(SIM_MACHINE_MACHINE_H) || defined(SIM_MACHINE_SCHED_H) || defined(SIM_MACHINE_COSTS_H) || \
	defined(SIM_CORE_EVQ_H) || defined(SIM_CORE_FIBER_H) || defined(SIM_CORE_TRACE_H) || defined(SIM_CORE_ARENA_H)
#error "kernel words pull in the engine"
#endif

int main(void)
{
	return 0;
}
