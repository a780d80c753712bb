/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The node of the MCS lock; qspinlock queues with it, too. */
#ifndef MODELS_MCS_H
#define MODELS_MCS_H

#include "sim/kernel/words.h"

struct mcs_spinlock {
	struct mcs_spinlock *next;
	int locked; /* 1: handed over */
	int count;  /* qspinlock: nesting, in the CPU's first node */
};

#endif
