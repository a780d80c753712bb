/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happened in the runs of a twin: that a generator draws something does not mean that it ever occurs. */
#ifndef SIM_RUN_TWIN_SEEN_H
#define SIM_RUN_TWIN_SEEN_H

#include <stdint.h>

#include "sim/core/trace.h"

#define TWIN_SEEN(X)                                                                               \
	X(write)       /* grants */                                                                \
	X(read)                                                                                    \
	X(waited)      /* grants for which somebody had to wait */                                 \
	X(slept)       /* waits that went to sleep */                                              \
	X(tried)       /* tries that succeeded */                                                  \
	X(busy)	       /* … and that did not */                                                    \
	X(interrupted) /* waits that a signal ended */                                             \
	X(killed)      /* waits that only a fatal one ended */                                     \
	X(timeout)                                                                                 \
	X(deadlk)                                                                                  \
	X(already)                                                                                 \
	X(downgrade)                                                                               \
	X(signal)                                                                                  \
	X(setsched)    /* priorities and policies that a task changed */                           \
	X(boost)       /* effective priorities that a lock changed */                              \
	X(preempt)                                                                                 \
	X(migrate)                                                                                 \
	X(irq)	       /* grants to interrupts */

enum twin_seen_what {
#define X(word) TWIN_SEEN_##word,
	TWIN_SEEN(X)
#undef X
	TWIN_SEEN_COUNT
};

struct twin_seen {
	uint64_t n[TWIN_SEEN_COUNT];
};

extern const char *const twin_seen_name[TWIN_SEEN_COUNT];

/* @tasks: what is beyond them is an interrupt. */
void twin_seen_take(struct twin_seen *seen, const struct sim_rec *rec, uint32_t tasks);

#endif
