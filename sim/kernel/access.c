// SPDX-License-Identifier: GPL-2.0-or-later
/* The access door as models see it: a name of its own, so that tests can stand in it. */
#include <string.h>

#include "sim/machine/door.h"

#include "sim/kernel/access.h"
#include "sim/kernel/sched.h"

static_assert((int)KW_LOAD == (int)SIM_LOAD && (int)KW_STORE == (int)SIM_STORE && (int)KW_XCHG == (int)SIM_XCHG);
static_assert((int)KW_ADD == (int)SIM_ADD && (int)KW_AND == (int)SIM_AND && (int)KW_OR == (int)SIM_OR);
static_assert((int)KW_XOR == (int)SIM_XOR && (int)KW_CMPXCHG == (int)SIM_CMPXCHG);

static_assert((int)KW_SPIN_PLAIN == (int)SIM_SPIN_PLAIN && (int)KW_SPIN_LOADS == (int)SIM_SPIN_LOADS &&
	      (int)KW_SPIN_SAME == (int)SIM_SPIN_SAME);

static bool checking;

void kw_checking(void)
{
	checking = true;
	sim_door_close();
}

void kw_checked(void)
{
	checking = false;
	if (sim && sim_fiber_current())
		sim_door_open();
}

static uint64_t plain_load(const volatile void *addr, unsigned size)
{
	uint64_t value = 0;

	memcpy(&value, (const void *)addr, size);
	return value;
}

/* Books the access that comes to the function that issued it. */
static void book(const void *caller)
{
	if (!checking && sim && sim_fiber_current()) {
		struct sim_task *me = sim_current();

		me->site = me->site_outer ? me->site_outer : caller;
		if (me->trailing)
			sim_trail_add(me, me->site);
	}
}

/* The door is closed, or the access has to wait. */
static __attribute__((__noinline__)) uint64_t access_slowly(int op, void *addr, unsigned size, uint64_t a, uint64_t b)
{
	if (checking) {
		sim_assert(op == KW_LOAD && "a check changes something");
		return plain_load(addr, size);
	}
	return sim_access_slowly((enum sim_op)op, addr, size, a, b);
}

/* Not inlined, so that there is a call to book the access to. */
__attribute__((__noinline__)) uint64_t kw_access(int op, const volatile void *addr, unsigned size, uint64_t a, uint64_t b)
{
	uint64_t old;

	if (__builtin_expect(sim_booking, 0))
		book(__builtin_return_address(0));
	if (sim_access_hit((enum sim_op)op, (void *)addr, size, a, b, &old))
		return old;
	return access_slowly(op, (void *)addr, size, a, b);
}

uint64_t kw_peek(const volatile void *addr, unsigned size)
{
	return sim_peek((const void *)addr, size);
}

void kw_stored(const volatile void *addr)
{
	sim_plain_stored((const void *)addr);
}

void kw_spin_begin(int kind)
{
	sim_spin_begin((enum sim_spin_kind)kind);
}

void kw_relax(int kind)
{
	struct sim_task *me = sim_current();

	if (me->op_lock) /* not in a raw lock of the operation */
		me->op_waited = true;
	sim_relax((enum sim_spin_kind)kind);
}

void kw_step(const char *name)
{
	(void)name;
}
