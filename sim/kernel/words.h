/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words lock algorithms are written in: the vocabulary of Linux kernel/locking,
 * names and shapes kept. Models include this (and sim/model.h) and nothing else.
 * Include it last: some words are also libc's.
 */
#ifndef SIM_KERNEL_WORDS_H
#define SIM_KERNEL_WORDS_H

#include "sim/kernel/types.h"
#include "sim/kernel/access.h"
#include "sim/kernel/atomic.h"
#include "sim/kernel/bug.h"
#include "sim/kernel/list.h"
#include "sim/kernel/rbtree.h"
#include "sim/kernel/spinlock.h"
#include "sim/kernel/sched.h"
#include "sim/kernel/pi.h"
#include "sim/kernel/wake_q.h"
#include "sim/kernel/percpu.h"
#include "sim/kernel/time.h"
#include "sim/kernel/lockevent.h"

#endif
