// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lock calls of programs. Each runs on a fiber, as the task, and is all that a model sees
 * of a scenario. Between the grant and the end of unlock() a task is in kernel mode, unless the
 * lock lives in user mode or belongs to nobody (semaphores, completions).
 */
#include <string.h>

#include <glib.h>

#include "sim/kernel/bug.h"
#include "sim/kernel/host.h"
#include "sim/run/director.h"
#include "sim/run/program.h"

static bool has_owner(const struct lock_model *m)
{
	return !(m->caps & LOCK_CAP_ANYONE);
}

static bool in_kernel(const struct lock_model *m)
{
	return !(m->caps & LOCK_CAP_USER);
}

/* A record with @size bytes of simulated memory: the task's last used one of that size, as on its stack. */
static struct prog_hold *hold_take(struct prog_task *t, struct bound_lock *bl, size_t size)
{
	struct prog_hold **p = &t->spare, *h;

	while ((h = *p) && h->size != size)
		p = &h->next;
	if (h) {
		*p = h->next;
	} else {
		h = bind_alloc(t->bound->memory, sizeof(*h));
		h->size = (uint32_t)size;
		if (size)
			h->memory = sim_object_create(t->sim->name, size, sim->cpu->socket);
		sim_assert(!size || h->memory);
	}
	if (size)
		memset(h->memory, 0, size);
	h->lock = bl;
	return h;
}

static void hold_give(struct prog_task *t, struct prog_hold *h)
{
	h->next = t->spare;
	t->spare = h;
}

/*
 * Which acquisition an unlock, downgrade or touch means: the newest one of the lock named;
 * without an index, the newest of any instance. The place that links it, or NULL.
 */
static struct prog_hold **held_find(struct prog_task *t, const struct prog_insn *in)
{
	uint32_t first = in->first, count = in->count;

	if (in->index) {
		first = prog_target(t, in);
		count = 1;
	}
	for (struct prog_hold **p = &t->held; *p; p = &(*p)->next)
		if ((size_t)((*p)->lock - &t->bound->lock[first]) < count)
			return p;
	return NULL;
}

/* What is left to a task that got nothing, or gave one of several acquisitions back. */
static enum scn_lock_state left_of(const struct prog_task *t, uint32_t lock)
{
	for (const struct prog_hold *h = t->held; h; h = h->next)
		if (h->lock->number == lock)
			return SCN_LOCK_HELD;
	return SCN_LOCK_FREE;
}

/*
 * Around what a model does. The kernel's own files read some words plainly: whoever spins
 * in them watches all lines that the operation accessed. Some words are stored plainly, too:
 * the leftmost waiter of an rt_mutex, which the top waiter compares while it spins.
 */
static void op_enter(struct sim_task *task, const struct lock_model *m, uint32_t lock)
{
	task->op_lock = lock;
	task->op_waited = false;
	task->ntrail = 0;
	task->trailing = m->caps & LOCK_CAP_PLAIN;
	if (m->caps & LOCK_CAP_PLAIN)
		sim_op_touch(task, m->caps & LOCK_CAP_STORES ? SIM_TOUCH_COMPARE : SIM_TOUCH_WATCH);
}

static void op_leave(struct sim_task *task)
{
	task->op_lock = 0;
	task->trailing = false;
	if (task->touched)
		sim_op_touch(task, SIM_TOUCH_MARKED);
}

/* For stories: how the last release went. */
static void keep_trail(struct bound_lock *bl, const struct sim_task *task)
{
	if (!task->ntrail)
		return;
	bl->released.task = task->id + 1;
	bl->released.n = task->ntrail;
	memcpy(bl->released.site, task->trail, sizeof(task->trail));
}

/* -- what lockdep would know -------------------------------------------------------------------- */

static int held_as(unsigned mode)
{
	return mode == LOCK_SHARED ? 1 : 2;
}

static void op_begin(struct prog_task *t, struct prog_hold *h, bool held)
{
	t->at = h;
	t->noted = held ? held_as(h->mode) : 0;
}

static void note(struct sim_task *task, int note)
{
	struct prog_task *t = task->user;

	if (!t || !t->at)
		return;
	switch ((enum kw_note)note) {
	case KW_NOTE_RELEASE:
		t->noted = 0;
		break;
	case KW_NOTE_ACQUIRE:
		t->noted = held_as(t->at->mode);
		break;
	case KW_NOTE_DOWNGRADE:
		t->noted = held_as(LOCK_SHARED);
		break;
	}
}

static int held(const struct sim_task *task, uint32_t lock)
{
	const struct prog_task *t = task->user;
	int how = 0;

	if (!t || (lock && !has_owner(t->bound->lock[lock - 1].model)))
		return -1;
	if (t->at && (!lock || t->at->lock->number == lock))
		how = t->noted;
	for (const struct prog_hold *h = t->held; h; h = h->next)
		if (h != t->at && (!lock || h->lock->number == lock))
			how = MAX(how, held_as(h->mode));
	return how;
}

const struct kernel_lockdep lockop_lockdep = { note, held };

static struct lock_req make_req(const struct prog_hold *h)
{
	return (struct lock_req){
		.mode = (enum lock_mode)h->mode,
		.how = h->how,
		.timeout = SIM_NEVER,
		.hold = h->memory,
	};
}

static void locked(struct prog_task *t, struct prog_hold *h, uint32_t task, uint32_t lock)
{
	const struct lock_model *m = h->lock->model;

	sim_emit(SIM_REC_GRANT, task, lock, h->mode | (uint32_t)h->how << 8, t->sim->op_waited);
	if (has_owner(m)) {
		h->next = t->held;
		t->held = h;
		t->holds++;
		return;
	}
	hold_give(t, h);
	t->sim->kernel_mode -= in_kernel(m);
}

/* The lock that goes with the condition: what @again, the instruction behind, takes. */
static struct lock_wait *wait_with(struct prog_task *t, const struct prog_insn *again)
{
	const struct bound_lock *bl = &t->bound->lock[prog_target(t, again)];

	t->wait.mutex = bl->lock;
	t->wait.model = bl->model;
	return &t->wait;
}

/* Asleep, it was moved from the condition to the lock: one wait is over, the next one open. */
void lockop_requeued(struct sim_task *task, uint32_t lock)
{
	struct prog_task *t = task->user;

	sim_emit(SIM_REC_GRANT, task->id + 1, t->waiting, LOCK_EXCLUSIVE, 1);
	sim_emit(SIM_REC_CALL, task->id + 1, lock, LOCK_EXCLUSIVE, bound_statement(t->bound, task->id));
	t->waiting = lock;
	t->moved = true;
}

/* What came of the lock call is about the lock that it was moved to. */
static struct prog_hold *hold_moved(struct prog_task *t, struct prog_hold *h)
{
	struct bound_lock *bl = &t->bound->lock[t->waiting - 1];

	hold_give(t, h);
	h = hold_take(t, bl, bl->model->hold_size);
	h->mode = LOCK_EXCLUSIVE;
	h->how = 0;
	return h;
}

void lockop_lock(struct sim_task *task, void *arg)
{
	const struct prog_insn *in = arg;
	struct prog_task *t = task->user;
	struct bound_lock *bl = &t->bound->lock[prog_target(t, in)];
	const struct lock_model *m = bl->model;
	struct prog_hold *h = hold_take(t, bl, m->hold_size);
	uint32_t how = in->mode | (uint32_t)in->how << 8, lock = bl->number;
	int waited = t->result;

	if (in->again && t->moved && !waited) { /* it came with the wait */
		t->moved = false;
		hold_give(t, h);
		return;
	}
	t->moved = false;
	h->mode = in->mode;
	h->how = in->how;

	struct lock_req req = make_req(h);

	if (in->value)
		req.timeout = value_of(in->value, &t->env);
	if (in->ticketed)
		req.ctx = wait_with(t, in + 1);
	task->kernel_mode += in_kernel(m);
	op_enter(task, m, lock);
	t->waiting = lock;
	if (in->value)
		sim_emit(SIM_REC_STEP, task->id + 1, lock, SIM_STEP_TIMEOUT, req.timeout);
	sim_emit(SIM_REC_CALL, task->id + 1, lock, how, in->stmt);
	director_mark(t, lock, SCN_LOCK_TRYING);
	op_begin(t, h, false);
	t->result = m->lock(bl->lock, &req);
	t->at = NULL;
	if (t->moved) {
		h = hold_moved(t, h);
		task->kernel_mode -= in_kernel(m);
		m = h->lock->model;
		task->kernel_mode += in_kernel(m);
		lock = t->waiting;
		how = 0;
	}
	t->waiting = 0;
	director_mark(t, lock, t->result ? left_of(t, lock) : SCN_LOCK_HELD);
	op_leave(task);
	if (!t->result) {
		locked(t, h, task->id + 1, lock);
	} else {
		sim_emit(SIM_REC_FAIL, task->id + 1, lock, how, (uint64_t)-t->result);
		hold_give(t, h);
		task->kernel_mode -= in_kernel(m);
	}
	if (in->tells || t->result)
		sim_emit(SIM_REC_RESULT, task->id + 1, lock, 0, (uint64_t)-t->result);
	if (in->again && !t->result)
		t->result = waited;
}

/* Without a lock, a task is as interruptible as its program says. If not, a model forgot something. */
static void check_balance(struct prog_task *t, uint32_t lock)
{
	struct sim_task *task = t->sim;

	if (task->preempt_count == t->atomic && task->irq_off == t->irqs && !task->migrate_off)
		return;
	if (t->program->warn) {
		if (task->preempt_count != t->atomic)
			t->program->warn(lock, "unlock() returned, no lock is held, and preemption is not as "
					       "it was before lock()");
		else if (task->irq_off != t->irqs)
			t->program->warn(lock, "unlock() returned, no lock is held, and interrupts are not "
					       "as they were before lock()");
		else
			t->program->warn(
				lock, "unlock() returned, no lock is held, and migration is still disabled");
	}
	task->preempt_count = t->atomic;
	task->irq_off = t->irqs;
	task->migrate_off = 0;
}

/* post, wake: nobody needs to hold it. */
static void unlock_by_anyone(struct prog_task *t, const struct prog_insn *in, struct bound_lock *bl)
{
	struct lock_req req = {.mode = LOCK_EXCLUSIVE, .timeout = SIM_NEVER};
	bool kernel = in_kernel(bl->model);
	uint32_t lock = bl->number;

	t->sim->kernel_mode += kernel;
	sim_emit(SIM_REC_UNLOCK, t->sim->id + 1, lock, LOCK_EXCLUSIVE, in->stmt);
	op_enter(t->sim, bl->model, lock);
	bl->model->unlock(bl->lock, &req);
	op_leave(t->sim);
	keep_trail(bl, t->sim);
	sim_emit(SIM_REC_UNLOCKED, t->sim->id + 1, lock, LOCK_EXCLUSIVE, 0);
	t->sim->kernel_mode -= kernel;
}

/* Ends the acquisition that *@p links. */
static void release(struct prog_task *t, struct prog_hold **p, uint32_t stmt, bool died)
{
	struct prog_hold *h = *p;
	const struct lock_model *m = h->lock->model;
	struct lock_req req = make_req(h);
	uint32_t lock = h->lock->number, task = t->sim->id + 1;

	sim_emit(SIM_REC_UNLOCK, task, lock, h->mode, stmt);
	*p = h->next;
	t->holds--;
	op_enter(t->sim, m, lock);
	op_begin(t, h, true);
	if (died)
		m->owner_died(h->lock->lock, &req);
	else
		m->unlock(h->lock->lock, &req);
	t->at = NULL;
	op_leave(t->sim);
	keep_trail(h->lock, t->sim);
	director_mark(t, lock, left_of(t, lock));
	sim_emit(SIM_REC_UNLOCKED, task, lock, h->mode, 0);
	t->sim->kernel_mode -= in_kernel(m);
	hold_give(t, h);
}

bool lockop_survives(const struct bound_lock *bl)
{
	return bl->model->owner_died && bl->model->owner_died(bl->lock, NULL);
}

void lockop_unlock(struct sim_task *task, void *arg)
{
	const struct prog_insn *in = arg;
	struct prog_task *t = task->user;
	struct bound_lock *named = &t->bound->lock[in->first];

	if (!has_owner(named->model)) {
		unlock_by_anyone(t, in, &t->bound->lock[prog_target(t, in)]);
		return;
	}

	struct prog_hold **p = held_find(t, in);
	uint32_t lock;

	if (!p) { /* the record is a finding; the model is not asked what it would do to a lock of somebody
		     else */
		named = &t->bound->lock[prog_target(t, in)];
		sim_emit(SIM_REC_UNLOCK, task->id + 1, named->number, LOCK_EXCLUSIVE, in->stmt);
		return;
	}
	lock = (*p)->lock->number;
	release(t, p, in->stmt, false);
	if (!t->holds)
		check_balance(t, lock);
}

/* The task exits: what it holds and can be left behind goes to the next in line. */
void lockop_died(struct sim_task *task, void *arg)
{
	const struct prog_insn *in = arg;
	struct prog_task *t = task->user;
	struct prog_hold **p = &t->held;

	while (*p) {
		if (lockop_survives((*p)->lock))
			release(t, p, in->stmt, true);
		else
			p = &(*p)->next;
	}
}

void lockop_downgrade(struct sim_task *task, void *arg)
{
	const struct prog_insn *in = arg;
	struct prog_task *t = task->user;
	struct prog_hold **p = held_find(t, in);

	/* A model without a shared mode (of a compare block) serves readers one by one: nothing to do. */
	if (!p || (*p)->mode == LOCK_SHARED || !(*p)->lock->model->downgrade)
		return;

	struct prog_hold *h = *p;
	struct lock_req req = make_req(h);

	sim_emit(SIM_REC_DOWNGRADE, task->id + 1, h->lock->number, 0, 0);
	op_enter(task, h->lock->model, h->lock->number);
	op_begin(t, h, true);
	h->lock->model->downgrade(h->lock->lock, &req);
	t->at = NULL;
	op_leave(task);
	sim_emit(SIM_REC_DOWNGRADE, task->id + 1, h->lock->number, 1, 0);
	h->mode = LOCK_SHARED;
}

void lockop_wakeall(struct sim_task *task, void *arg)
{
	const struct prog_insn *in = arg;
	struct prog_task *t = task->user;
	struct bound_lock *bl = &t->bound->lock[prog_target(t, in)];
	bool kernel = in_kernel(bl->model);

	task->kernel_mode += kernel;
	sim_emit(SIM_REC_UNLOCK, task->id + 1, bl->number, LOCK_EXCLUSIVE, in->stmt);
	op_enter(task, bl->model, bl->number);
	bl->model->wakeall(bl->lock);
	op_leave(task);
	sim_emit(SIM_REC_UNLOCKED, task->id + 1, bl->number, LOCK_EXCLUSIVE, 0);
	task->kernel_mode -= kernel;
}

void lockop_ticket(struct sim_task *task, void *arg)
{
	struct prog_task *t = task->user;
	struct bound_lock *bl = &t->bound->lock[prog_target(t, arg)];

	op_enter(task, bl->model, bl->number);
	t->wait.ticket = bl->model->ticket(bl->lock);
	op_leave(task);
}

void lockop_touch(struct sim_task *task, void *arg)
{
	const struct prog_insn *in = arg;
	struct prog_task *t = task->user;
	struct prog_hold **p = held_find(t, in);
	struct bound_lock *bl = p ? (*p)->lock : &t->bound->lock[prog_target(t, in)];

	for (unsigned i = 0; i < bl->data_lines; i++)
		sim_access(SIM_STORE, bl->data + (size_t)i * SIM_LINE_BYTES, 8, 1, 0);
}
