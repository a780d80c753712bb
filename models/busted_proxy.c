// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A deliberately wrong lock, beside those of busted.c: it names its first owner to the
 * scheduler for good, so that a sleeper lets that one execute in its turn, whoever is the owner
 * by then. It must be found as a proxy that is not waited for.
 */
#include "sim/kernel/words.h"
#include "sim/model.h"

struct busted_proxy {
	raw_spinlock_t lock;
	struct task_struct *owner;
	atomic_long_t named; /* as the owner, to the scheduler */
	struct list_head wait_list;
};

struct busted_donor {
	struct list_head list;
	struct task_struct *task;
};

static void proxy_init(void *l, const uint64_t *params)
{
	struct busted_proxy *lock = l;

	raw_spin_lock_init(&lock->lock);
	INIT_LIST_HEAD(&lock->wait_list);
}

/* Until it is handed over. The raw lock is held on entry and return. */
static void proxy_wait(struct busted_proxy *lock)
{
	struct busted_donor donor = { .task = current };

	list_add_tail(&donor.list, &lock->wait_list);
	while (lock->owner != current) {
		__set_current_state(TASK_UNINTERRUPTIBLE);
		raw_spin_unlock(&lock->lock);
		if (atomic_long_read(&lock->named) != (long)current)
			kw_blocked_on(&lock->named, 0);
		schedule();
		kw_blocked_on(NULL, 0);
		raw_spin_lock(&lock->lock);
	}
}

static int proxy_lock(void *l, struct lock_req *req)
{
	struct busted_proxy *lock = l;

	raw_spin_lock(&lock->lock);
	if (!atomic_long_read(&lock->named))
		atomic_long_set(&lock->named, (long)current); /* the mistake: for good */
	if (lock->owner)
		proxy_wait(lock);
	else
		lock->owner = current;
	raw_spin_unlock(&lock->lock);
	return 0;
}

static void proxy_unlock(void *l, struct lock_req *req)
{
	struct busted_proxy *lock = l;
	struct busted_donor *next;
	DEFINE_WAKE_Q(wake_q);

	raw_spin_lock(&lock->lock);
	lock->owner = NULL;
	if (!list_empty(&lock->wait_list)) {
		next = list_first_entry(&lock->wait_list, struct busted_donor, list);
		lock->owner = next->task;
		list_del(&next->list);
		wake_q_add(&wake_q, next->task);
	}
	raw_spin_unlock(&lock->lock);
	wake_up_q(&wake_q);
}

static void proxy_view(const void *l, struct lock_view *view)
{
	const struct busted_proxy *lock = l;
	const struct busted_donor *donor;

	if (lock->owner)
		lock_view_owner(view, lock->owner, LOCK_EXCLUSIVE);
	list_for_each_entry(donor, &lock->wait_list, list)
		lock_view_waiter(view, donor->task, LOCK_EXCLUSIVE);
	view->word = lock->owner ? (uint64_t)lock->owner->pid : 0;
}

static const struct lock_param proxy_params[] = {
	{ "proxy", LOCK_PARAM_FLAG, 1, "sleepers let somebody run in their turn" },
	{ NULL },
};

LOCK_MODEL(busted_proxy) = {
	.abi = LOCK_MODEL_ABI,
	.name = "busted-proxy",
	.mirrors = "nothing: deliberately wrong",
	.summary = "wrong: sleepers let the first owner run in their turn, whoever is the owner now",
	.caps = LOCK_CAP_BUSTED,
	.size = sizeof(struct busted_proxy),
	.params = proxy_params,
	.init = proxy_init,
	.lock = proxy_lock,
	.unlock = proxy_unlock,
	.view = proxy_view,
};
