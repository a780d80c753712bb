/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the machine and the kernel words both see of a task. The members lie first in
 * the simulated memory of every task (struct sim_shared of the machine, struct
 * task_struct of the models); neither side includes the other's headers for them.
 */
#ifndef SIM_CORE_TASKWORDS_H
#define SIM_CORE_TASKWORDS_H

#include <stdint.h>

/* Kernel task states (include/linux/sched.h of 6.1). */
#define SIM_TASK_RUNNING 0x0000u
#define SIM_TASK_INTERRUPTIBLE 0x0001u
#define SIM_TASK_UNINTERRUPTIBLE 0x0002u
#define SIM_TASK_DEAD 0x0080u
#define SIM_TASK_WAKEKILL 0x0100u
#define SIM_TASK_NOLOAD 0x0400u
#define SIM_TASK_RTLOCK_WAIT 0x1000u
#define SIM_TASK_NORMAL (SIM_TASK_INTERRUPTIBLE | SIM_TASK_UNINTERRUPTIBLE)

struct sim_task;

#define SIM_TASK_WORDS                                                                             \
	int on_cpu;		  /* 1 while its CPU executes it or switches to or from it */      \
	unsigned int __state;	  /* SIM_TASK_* */                                                 \
	unsigned int saved_state; /* RT spinlocks: the state to go back to */                      \
	int prio;		  /* effective, kernel number: smaller is stronger, -1 deadline */ \
	int normal_prio;	  /* without inheritance */                                        \
	int static_prio;	  /* 120 + nice */                                                 \
	unsigned int policy;	  /* enum sim_policy */                                            \
	int cpu;		  /* where it runs or ran last */                                  \
	union {			  /* absolute, ps; deadline tasks */                               \
		uint64_t dl_deadline;                                                              \
		struct {                                                                           \
			uint64_t deadline;                                                         \
		} dl; /* its name in the kernel's own files */                                     \
	};                                                                                         \
	struct sim_task *sim;	  /* the machine's side of this task */

#endif
