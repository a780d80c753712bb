// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree's ww_rt_mutex.c as a lock: the ww_mutex of PREEMPT_RT, an rt_mutex that looks at priorities before ages. */
#include TREE_FILE(ww_rt_mutex.c)

#include "models/kernel/glue.h"
#include "models/kernel/glue/rtmutex_view.h"

#define WW_TWIN NULL
#define WW_MIRRORS "ww_rt_mutex.c"
#define WW_CAPS (LOCK_CAP_TRY | LOCK_CAP_SIGNAL | LOCK_CAP_PI | LOCK_CAP_STORES)
#define WW_PRIO_CHANGED .prio_changed = ww_lock_prio_changed,
#define ww_base_view(base, view) rtmutex_view_base(&(base)->rtmutex, view)
#define ww_base_broken(base) rtmutex_broken_base(&(base)->rtmutex)

/* The kernel has no such door; this is the interruptible one in another state. */
static int ww_lock_killable(struct ww_mutex *ww, struct ww_acquire_ctx *ctx)
{
	return __ww_rt_mutex_lock(ww, ctx, TASK_KILLABLE, _RET_IP_);
}

static void ww_lock_prio_changed(void *l, struct task_struct *p)
{
	rt_mutex_adjust_pi(p);
}

#include "models/kernel/glue/ww.h"
