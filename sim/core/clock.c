/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "sim/core/check.h"
#include "sim/core/clock.h"

static const struct {
	sim_time ps;
	const char *name;
} units[] = {{SIM_S, "s"}, {SIM_MS, "ms"}, {SIM_US, "us"}, {SIM_NS, "ns"}, {SIM_PS, "ps"}};

#define UNITS (sizeof(units) / sizeof(units[0]))

/* The largest unit that keeps @t (which is not 0) at or above one. */
static unsigned unit_of(sim_time t)
{
	unsigned u = 0;

	while (units[u].ps > t)
		u++;
	return u;
}

/* @whole and @rest of 10^@digits, trailing zeros dropped. */
static const char *put(char buf[SIM_TIME_CHARS], uint64_t whole, uint64_t rest, unsigned digits,
		       const char *unit)
{
	if (!rest) {
		snprintf(buf, SIM_TIME_CHARS, "%llu%s", (unsigned long long)whole, unit);
		return buf;
	}
	while (rest % 10 == 0) {
		rest /= 10;
		digits--;
	}
	snprintf(buf, SIM_TIME_CHARS, "%llu.%0*llu%s", (unsigned long long)whole, (int)digits,
		 (unsigned long long)rest, unit);
	return buf;
}

static const char *put_special(char buf[SIM_TIME_CHARS], sim_time t)
{
	snprintf(buf, SIM_TIME_CHARS, "%s", t ? "never" : "0");
	return buf;
}

const char *sim_time_format(char buf[SIM_TIME_CHARS], sim_time t)
{
	unsigned u;

	if (t == 0 || t == SIM_NEVER)
		return put_special(buf, t);
	u = unit_of(t);
	return put(buf, t / units[u].ps, t % units[u].ps, 3 * (UNITS - 1 - u), units[u].name);
}

const char *sim_time_format_short(char buf[SIM_TIME_CHARS], sim_time t, unsigned digits)
{
	static const uint64_t power[] = {1, 10, 100, 1000};
	uint64_t step, scaled;
	unsigned u;

	sim_assert(digits <= 3);
	if (t == 0 || t == SIM_NEVER)
		return put_special(buf, t);
	u = unit_of(t);
	if (u == UNITS - 1)
		return sim_time_format(buf, t);
	step = units[u].ps / power[digits];
	scaled = t / step + (t % step >= step - step / 2);
	if (u > 0 && scaled >= 1000 * power[digits]) { /* 999.9996us is 1ms */
		u--;
		scaled /= 1000;
	}
	return put(buf, scaled / power[digits], scaled % power[digits], digits, units[u].name);
}
