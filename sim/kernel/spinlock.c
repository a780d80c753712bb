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

void raw_spin_lock(raw_spinlock_t *lock)
{
	kw_lockdep(!kw_raw_spin_held(lock), "a raw spinlock is taken by its holder");
	acquire(lock, 0);
	lock->owner = current;
}

int raw_spin_trylock(raw_spinlock_t *lock)
{
	if (!acquire(lock, LOCK_TRY))
		return 0;
	lock->owner = current;
	return 1;
}

void raw_spin_unlock(raw_spinlock_t *lock)
{
	kw_lockdep(kw_raw_spin_held(lock), "a raw spinlock is released by somebody else");
	lock->owner = NULL;
	release(lock);
}

void raw_spin_lock_irq(raw_spinlock_t *lock)
{
	local_irq_disable();
	raw_spin_lock(lock);
}

int raw_spin_trylock_irq(raw_spinlock_t *lock)
{
	local_irq_disable();
	if (raw_spin_trylock(lock))
		return 1;
	local_irq_enable();
	return 0;
}

void raw_spin_unlock_irq(raw_spinlock_t *lock)
{
	raw_spin_unlock(lock);
	local_irq_enable();
}

unsigned long kw_raw_spin_lock_irqsave(raw_spinlock_t *lock)
{
	unsigned long flags = kw_irq_save();

	raw_spin_lock(lock);
	return flags;
}

void raw_spin_unlock_irqrestore(raw_spinlock_t *lock, unsigned long flags)
{
	raw_spin_unlock(lock);
	local_irq_restore(flags);
}

bool kw_raw_spin_held(const raw_spinlock_t *lock)
{
	return lock->owner && lock->owner == current;
}
