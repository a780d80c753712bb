// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * raw_spinlock_t on top of a lock model. Without one it is a ticket lock whose accesses
 * are plain: uncontended it costs nothing; waiters poll the number being served, and
 * the unlock that they wait for is a store of the machine's.
 *
 * The model behind a raw lock counts no events: the operation in flight is another lock's.
 */
#include "sim/kernel/host.h"

#include "sim/model.h"

#include "sim/kernel/words.h"

struct free_ticket {
	u32 serving, next;
};

static_assert(sizeof(struct free_ticket) == sizeof(u64));

static const struct lock_model *behind;

void kernel_rawspin(const struct lock_model *m)
{
	sim_assert(!m || ((m->caps & LOCK_CAP_RAW) && m->size <= sizeof(u64) && !m->hold_size));
	behind = m;
}

static bool acquire(raw_spinlock_t *lock, unsigned how)
{
	struct lock_req req = { LOCK_EXCLUSIVE, how, SIM_NEVER, NULL, NULL };
	struct free_ticket *t = (struct free_ticket *)&lock->word;
	bool got = true;

	if (behind && !sim->cfg.up) {
		struct sim_task *me = sim_current();
		uint32_t op_lock = me->op_lock;

		me->op_lock = 0;
		got = behind->lock(&lock->word, &req) == 0;
		me->op_lock = op_lock;
		return got;
	}
	preempt_disable();
	if (sim->cfg.up)
		return true;
	if (!(how & LOCK_TRY) || t->serving == t->next) {
		u32 mine = t->next++;

		if (t->serving != mine)
			smp_cond_load_acquire(&t->serving, VAL == mine);
	} else {
		got = false;
		preempt_enable();
	}
	return got;
}

static void release(raw_spinlock_t *lock)
{
	struct lock_req req = { LOCK_EXCLUSIVE, 0, SIM_NEVER, NULL, NULL };
	struct free_ticket *t = (struct free_ticket *)&lock->word;

	if (behind && !sim->cfg.up) {
		behind->unlock(&lock->word, &req);
		return;
	}
	if (!sim->cfg.up && ++t->serving != t->next)
		sim_poke(&t->serving);
	preempt_enable();
}

void raw_spin_lock_init(raw_spinlock_t *lock)
{
	*lock = __RAW_SPIN_LOCK_UNLOCKED(lock);
	if (behind && behind->init) {
		uint64_t params[16] = { 0 };

		for (unsigned i = 0; behind->params && behind->params[i].name; i++) {
			sim_assert(i < ARRAY_SIZE(params));
			params[i] = behind->params[i].fallback;
		}
		behind->init(&lock->word, params);
	}
}

/* -- the words: accesses on the way are booked to the function that said the word, @caller ------------ */

static inline void book_to(const void *caller)
{
	if (__builtin_expect(sim_booking, 0))
		sim_current()->site_outer = caller;
}

static void lock_for(raw_spinlock_t *lock, const void *caller)
{
	kw_lockdep(!kw_raw_spin_held(lock), "a raw spinlock is taken by its holder");
	book_to(caller);
	acquire(lock, 0);
	book_to(NULL);
	lock->owner = current;
}

static int trylock_for(raw_spinlock_t *lock, const void *caller)
{
	bool got;

	book_to(caller);
	got = acquire(lock, LOCK_TRY);
	book_to(NULL);
	if (got)
		lock->owner = current;
	return got;
}

static void unlock_for(raw_spinlock_t *lock, const void *caller)
{
	kw_lockdep(kw_raw_spin_held(lock), "a raw spinlock is released by somebody else");
	lock->owner = NULL;
	book_to(caller);
	release(lock);
	book_to(NULL);
}

noinline void raw_spin_lock(raw_spinlock_t *lock)
{
	lock_for(lock, __builtin_return_address(0));
}

noinline int raw_spin_trylock(raw_spinlock_t *lock)
{
	return trylock_for(lock, __builtin_return_address(0));
}

noinline void raw_spin_unlock(raw_spinlock_t *lock)
{
	unlock_for(lock, __builtin_return_address(0));
}

noinline void raw_spin_lock_irq(raw_spinlock_t *lock)
{
	local_irq_disable();
	lock_for(lock, __builtin_return_address(0));
}

noinline int raw_spin_trylock_irq(raw_spinlock_t *lock)
{
	local_irq_disable();
	if (trylock_for(lock, __builtin_return_address(0)))
		return 1;
	local_irq_enable();
	return 0;
}

noinline void raw_spin_unlock_irq(raw_spinlock_t *lock)
{
	unlock_for(lock, __builtin_return_address(0));
	local_irq_enable();
}

noinline unsigned long kw_raw_spin_lock_irqsave(raw_spinlock_t *lock)
{
	unsigned long flags = kw_irq_save();

	lock_for(lock, __builtin_return_address(0));
	return flags;
}

noinline void raw_spin_unlock_irqrestore(raw_spinlock_t *lock, unsigned long flags)
{
	unlock_for(lock, __builtin_return_address(0));
	local_irq_restore(flags);
}

bool kw_raw_spin_held(const raw_spinlock_t *lock)
{
	return lock->owner && lock->owner == current;
}
