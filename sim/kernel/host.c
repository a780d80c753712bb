// SPDX-License-Identifier: GPL-2.0-or-later
/* Set-up, findings and records: what the kernel words keep beside the simulated memory. */
#include "sim/kernel/host.h"

#include <stdlib.h>
#include <string.h>

#include "sim/machine/sched.h"

#include "sim/kernel/words.h"

/* At the section's front: fixes its alignment, and makes sure that it exists. */
static DEFINE_PER_CPU_ALIGNED(char, kw_percpu_first);

char *kw_percpu_base;
size_t kw_percpu_stride;

struct bound_lock {
	const char *start;
	size_t bytes;
	uint32_t obj;
};

static struct bound_lock *bound; /* rising addresses */
static size_t nbound, bound_room;

static void (*on_finding)(int kind, const char *text);
static const char *told[32]; /* findings of this run that are told once */
static unsigned ntold;

void kernel_setup(void)
{
	size_t bytes = (size_t)(__stop_kw_percpu - __start_kw_percpu);

	sim_assert((uintptr_t)__start_kw_percpu % SIM_LINE_BYTES == 0);
	kw_percpu_base = sim_percpu_create("percpu", bytes, &kw_percpu_stride);
	sim_assert(kw_percpu_base);
	for (unsigned i = 0; i < sim->ncpus; i++)
		memcpy(kw_percpu_base + i * kw_percpu_stride, __start_kw_percpu, bytes);
	nbound = 0;
	ntold = 0;
	on_finding = NULL;
	kernel_on_schedule(NULL);
	kernel_on_requeue(NULL);
	kernel_on_lockdep(NULL);
	kernel_rawspin(NULL);
	(void)kw_percpu_first;
}

/* -- records --------------------------------------------------------------------------------- */

void kernel_lock_bind(const void *lock, size_t bytes, uint32_t obj)
{
	sim_assert(!nbound || bound[nbound - 1].start + bound[nbound - 1].bytes <= (const char *)lock);
	if (nbound == bound_room) {
		bound_room = bound_room ? 2 * bound_room : 64;
		bound = realloc(bound, bound_room * sizeof(*bound));
		sim_assert(bound);
	}
	bound[nbound++] = (struct bound_lock){ lock, bytes, obj };
}

/* The lock that @p points to or into, or NULL. */
static const struct bound_lock *lock_at(const void *p)
{
	size_t lo = 0, hi = nbound;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (bound[mid].start + bound[mid].bytes <= (const char *)p)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < nbound && bound[lo].start <= (const char *)p ? &bound[lo] : NULL;
}

/* The number of the lock at @p; of the operation in flight when it is unknown. */
static uint32_t lock_obj(const void *p)
{
	size_t own = (size_t)sim_current()->op_lock - 1;
	const struct bound_lock *b;

	if (own < nbound && bound[own].start == (const char *)p) /* mostly */
		return bound[own].obj;
	b = p ? lock_at(p) : NULL;
	return b ? b->obj : sim_current()->op_lock;
}

/* Inside a raw spinlock its model's events are nobody's; nor are those of a sleeping one. */
static bool silent(void)
{
	return !sim_current()->op_lock || sim_current()->op_hidden;
}

void kw_lockevents_hide(bool hide)
{
	sim_current()->op_hidden = hide;
}

static uint32_t task_no(const struct task_struct *p)
{
	return p ? p->sim->id + 1 : 0;
}

void kernel_op_enter(uint32_t obj)
{
	sim_current()->op_lock = obj;
	sim_current()->op_hidden = false;
	sim_current()->op_waited = false;
}

void kernel_op_leave(void)
{
	sim_current()->op_lock = 0;
}

void kw_lockevent(unsigned event, unsigned long n)
{
	if (silent())
		return;
	sim_emit(SIM_REC_EVENT, sim_current()->id + 1, sim_current()->op_lock, event, n);
}

void trace_contention_begin(const void *lock, unsigned flags)
{
	if (silent())
		return;
	sim_emit(SIM_REC_CONTENTION, sim_current()->id + 1, lock_obj(lock), 0, flags);
}

void trace_contention_end(const void *lock, int ret)
{
	if (silent())
		return;
	sim_emit(SIM_REC_CONTENTION, sim_current()->id + 1, lock_obj(lock), 1, (uint64_t)-(int64_t)ret);
}

void kw_flags(char *buf, size_t size, unsigned long word, const char *const *names)
{
	size_t len = 0;

	buf[0] = '\0';
	for (unsigned bit = 0; names[bit]; bit++) {
		size_t more = strlen(names[bit]);

		if (!(word >> bit & 1) || len + more + 2 > size)
			continue;
		if (len)
			buf[len++] = '|';
		memcpy(buf + len, names[bit], more + 1);
		len += more;
	}
}

/* -- priority inheritance ---------------------------------------------------------------------- */

void rt_mutex_setprio(struct task_struct *p, struct task_struct *donor)
{
	kernel_step(__builtin_return_address(0));
	p->pi_top_task = donor;
	sim_setprio(p->sim, donor ? donor->sim : NULL);
}

static void refresh_ceiling(struct task_struct *p)
{
	int best = SIM_NO_CEILING;

	for (const struct kw_ceiling *c = p->ceilings; c; c = c->next)
		best = min(best, c->prio);
	sim_set_ceiling(p->sim, best);
}

void kw_ceiling_raise(struct kw_ceiling *c, int prio)
{
	c->prio = prio;
	c->next = current->ceilings;
	current->ceilings = c;
	refresh_ceiling(current);
}

void kw_ceiling_drop(struct kw_ceiling *c)
{
	struct kw_ceiling **p = &current->ceilings;

	while (*p != c)
		p = &(*p)->next;
	*p = c->next;
	refresh_ceiling(current);
}

static void (*on_requeue)(struct sim_task *task, uint32_t lock);

void kernel_on_requeue(void (*fn)(struct sim_task *task, uint32_t lock))
{
	on_requeue = fn;
}

void kw_requeued(struct task_struct *p, const void *lock)
{
	uint32_t obj = lock_obj(lock);

	p->sim->op_lock = obj;
	if (on_requeue)
		on_requeue(p->sim, obj);
}

unsigned kw_op_on(const void *lock)
{
	uint32_t old = sim_current()->op_lock;

	sim_current()->op_lock = lock_obj(lock);
	return old;
}

void kw_op_back(unsigned op)
{
	sim_current()->op_lock = op;
}

void kw_pi_event(enum kw_pi_rec rec, const struct task_struct *task, const void *lock, const struct task_struct *other,
		 int prio)
{
	static const enum sim_rec_type type_of[] = {
		[KW_PI_BLOCK] = SIM_REC_PI_BLOCK,	[KW_PI_REQUEUE] = SIM_REC_PI_REQUEUE,
		[KW_PI_DEADLOCK] = SIM_REC_PI_DEADLOCK, [KW_PI_STOP] = SIM_REC_PI_STOP,
		[KW_PI_STEAL] = SIM_REC_PI_STEAL,	[KW_PI_WAKE_TOP] = SIM_REC_PI_WAKE_TOP,
	};
	uint32_t arg = task_no(other);
	uint64_t val = 0;

	switch (rec) {
	case KW_PI_BLOCK:
	case KW_PI_REQUEUE:
		val = (uint64_t)(int64_t)(prio + 1);
		break;
	case KW_PI_STOP:
		arg = (uint32_t)prio;
		break;
	case KW_PI_DEADLOCK:
	case KW_PI_STEAL:
	case KW_PI_WAKE_TOP:
		break;
	}
	sim_emit(type_of[rec], task_no(task), lock_obj(lock), arg, val);
}

/* -- lockdep ------------------------------------------------------------------------------------- */

static const struct kernel_lockdep *on_lockdep;

void kernel_on_lockdep(const struct kernel_lockdep *fn)
{
	on_lockdep = fn;
}

void kw_lock_note(enum kw_note note)
{
	if (on_lockdep)
		on_lockdep->note(sim_current(), (int)note);
}

int kw_lock_held(const void *lock)
{
	const struct bound_lock *b = lock ? lock_at(lock) : NULL;

	if (!on_lockdep || (lock && (!b || b->start != (const char *)lock)))
		return -1;
	return on_lockdep->held(sim_current(), lock ? b->obj : 0);
}

/* -- findings ----------------------------------------------------------------------------------- */

void kernel_on_finding(void (*fn)(int kind, const char *text))
{
	on_finding = fn;
}

void kw_finding(enum kw_finding kind, const char *text)
{
	if (!on_finding)
		sim_assert_failed(text, "kernel words", 0);
	on_finding((int)kind, text);
}

void kw_finding_once(enum kw_finding kind, const char *text)
{
	for (unsigned i = 0; i < ntold; i++)
		if (!strcmp(told[i], text))
			return;
	if (ntold < ARRAY_SIZE(told))
		told[ntold++] = text;
	kw_finding(kind, text);
}

void kw_bug(const char *text)
{
	struct sim_task *t = sim_current();

	kw_finding(KW_FINDING_BUG, text);
	sim_assert(sim_fiber_current());
	for (;;) { /* the run is over; should it not stop here, this task does */
		t->preempt_count = t->irq_off = 0;
		t->shared->__state = SIM_TASK_UNINTERRUPTIBLE;
		sim_schedule();
	}
}
