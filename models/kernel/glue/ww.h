/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tree's ww_mutex as a lock; below glue/mutex.c, since it is made of the same file, and
 * below glue/ww-rt.c. They define WW_TWIN, WW_MIRRORS, WW_CAPS, WW_PRIO_CHANGED, ww_lock_killable(),
 * ww_base_view() and ww_base_broken().
 *
 * The task is the acquire context: a transaction begins with its first lock of this kind and
 * ends when it has given back the last one, unless it was told -EDEADLK: then the next
 * lock goes on with the stamp that it has.
 */
#ifndef MODELS_KERNEL_GLUE_WW_H
#define MODELS_KERNEL_GLUE_WW_H

#define WW_TASKS 1024

static DEFINE_WW_CLASS(ww_wound_wait);
static DEFINE_WD_CLASS(ww_wait_die);

static struct ww_transaction {
	struct ww_acquire_ctx ctx;
	bool begun, backoff;
} __attribute__((aligned(64))) ww_transactions[WW_TASKS];

struct ww_lock {
	struct ww_mutex ww; /* first */
	struct ww_class *class;
};

static void ww_lock_init(void *l, const uint64_t *params)
{
	struct ww_lock *lock = l;

	lock->class = params[0] ? &ww_wait_die : &ww_wound_wait;
	ww_mutex_init(&lock->ww, lock->class);
}

static void ww_end(struct ww_transaction *t)
{
	if (t->ctx.acquired || t->backoff)
		return;
	ww_acquire_fini(&t->ctx);
	t->begun = false;
}

static int ww_lock_lock(void *l, struct lock_req *req)
{
	struct ww_lock *lock = l;
	struct ww_transaction *t = &ww_transactions[current->pid % WW_TASKS];
	int ret;

	if (!t->begun) {
		ww_acquire_init(&t->ctx, lock->class);
		t->begun = true;
	}
	if (req->how & LOCK_TRY)
		ret = ww_mutex_trylock(&lock->ww, &t->ctx) ? 0 : -EBUSY;
	else if (req->how & LOCK_KILLABLE)
		ret = ww_lock_killable(&lock->ww, &t->ctx);
	else if (req->how & LOCK_INTERRUPTIBLE)
		ret = ww_mutex_lock_interruptible(&lock->ww, &t->ctx);
	else
		ret = ww_mutex_lock(&lock->ww, &t->ctx);
	if (ret == -EDEADLK)
		t->backoff = true;
	else if (!ret && t->ctx.acquired == 1)
		t->backoff = false; /* begins anew */
	if (ret)
		ww_end(t);
	return ret;
}

static void ww_lock_unlock(void *l, struct lock_req *req)
{
	ww_mutex_unlock(&((struct ww_lock *)l)->ww);
	ww_end(&ww_transactions[current->pid % WW_TASKS]);
}

static void ww_lock_view(const void *l, struct lock_view *view)
{
	ww_base_view(&((const struct ww_lock *)l)->ww.base, view);
}

static const char *ww_lock_broken(const void *l)
{
	return ww_base_broken(&((const struct ww_lock *)l)->ww.base);
}

static const struct lock_param ww_lock_params[] = {
	{ "wait_die", LOCK_PARAM_FLAG, 0, "on: the younger one dies when it would wait; off: the older one wounds it" },
	{ NULL }
};

KERNEL_MODEL(ww) = {
	.abi = LOCK_MODEL_ABI,
	.name = NAME("ww-mutex"),
	.mirrors = MIRRORS(WW_MIRRORS),
	.summary = "the tree's own ww_mutex; the task is the acquire context",
	.twin = WW_TWIN,
	.caps = WW_CAPS,
	.size = sizeof(struct ww_lock),
	.params = ww_lock_params,
	.events = kw_plugin_events,
	.init = ww_lock_init,
	.lock = ww_lock_lock,
	.unlock = ww_lock_unlock,
	WW_PRIO_CHANGED
	.view = ww_lock_view,
	.broken = ww_lock_broken,
};

#endif
