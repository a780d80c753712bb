/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The word and the nodes of the qspinlock: see qspinlock.c. */
#ifndef MODELS_QSPINLOCK_H
#define MODELS_QSPINLOCK_H

#include "models/mcs.h"

struct qspinlock {
	union {
		atomic_t val;
		struct {
			u8 locked, pending;
		};
		struct {
			u16 locked_pending, tail;
		};
	};
};

#define QSPINLOCK_MAX_NODES 4

struct qnodes { /* for task, softirq, hardirq, NMI */
	struct mcs_spinlock mcs[QSPINLOCK_MAX_NODES];
};

DECLARE_PER_CPU_ALIGNED(struct qnodes, qspinlock_nodes);

#endif
