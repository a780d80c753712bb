/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual time: an unsigned 64-bit count of picoseconds (213 days).
 * Nanoseconds are too coarse: an L1 hit costs 1.5 ns.
 */
#ifndef SIM_CORE_CLOCK_H
#define SIM_CORE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t sim_time;

#define SIM_PS ((sim_time)1)
#define SIM_NS (1000 * SIM_PS)
#define SIM_US (1000 * SIM_NS)
#define SIM_MS (1000 * SIM_US)
#define SIM_S (1000 * SIM_MS)
#define SIM_NEVER UINT64_MAX

/* Room for any formatted time, terminator included. */
#define SIM_TIME_CHARS 40

/*
 * Writes @t exactly, in the largest unit that keeps it at or above one, without
 * trailing zeros: "0", "1.5ns", "33ms", "2.000001s". SIM_NEVER gives "never".
 * Returns @buf. No locale, no floating point.
 */
const char *sim_time_format(char buf[SIM_TIME_CHARS], sim_time t);

/* As above, rounded half up to @digits (0..3) places after the point. For tables. */
const char *sim_time_format_short(char buf[SIM_TIME_CHARS], sim_time t, unsigned digits);

#endif
