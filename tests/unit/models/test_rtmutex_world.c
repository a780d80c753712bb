// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/models/test_rtmutex_world.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/host.h"
#include "sim/kernel/pi.h"

#include "sim/kernel/words.h"

struct actor { /* sim_task.user */
	struct world *w;
	unsigned index;
	const char *script; /* what is left of it */
	char word[24];
	unsigned accesses; /* within this word */
	unsigned held; /* bit per lock */
	struct lock_req req;
};

/* -- the door: the kernel words of sim/kernel/access.c, with somebody standing in it ------------ */

static void hold_up(const char *step)
{
	struct sim_task *t = sim && sim_fiber_current() ? sim_current() : NULL;
	struct actor *a = t ? t->user : NULL;

	if (!a || !a->w->parks)
		return;
	if (!step)
		a->accesses++;
	for (const struct world_park *p = a->w->parks; p->task; p++) {
		bool here = step ? p->step && !strcmp(p->step, step) : !p->step && p->access == a->accesses;

		if (here && !strcmp(p->task, t->name) && !strcmp(p->word, a->word) && p->until > sim->now)
			sim_spend(p->until - sim->now);
	}
}

/* linked with --wrap: the models' calls come here first */
uint64_t __real_kw_access(int op, const volatile void *addr, unsigned size, uint64_t a, uint64_t b);
uint64_t __wrap_kw_access(int op, const volatile void *addr, unsigned size, uint64_t a, uint64_t b);
void __wrap_kw_step(const char *name);

uint64_t __wrap_kw_access(int op, const volatile void *addr, unsigned size, uint64_t a, uint64_t b)
{
	hold_up(NULL);
	return __real_kw_access(op, addr, size, a, b);
}

void __wrap_kw_step(const char *name)
{
	hold_up(name);
}

/* -- names ----------------------------------------------------------------------------------- */

static unsigned task_index(const struct world *w, const char *name)
{
	for (unsigned i = 0; i < w->ntasks; i++)
		if (!strcmp(w->cast[i]->name, name))
			return i;
	ck_abort_msg("no task %s", name);
	return 0;
}

static unsigned lock_index(struct world *w, const char *name)
{
	size_t len = strcspn(name, "/!");

	for (unsigned i = 0; i < w->nlocks; i++)
		if (strlen(w->lock_names[i]) == len && !strncmp(w->lock_names[i], name, len))
			return i;
	ck_assert_uint_lt(w->nlocks, WORLD_LOCKS);
	ck_assert_uint_lt(len, sizeof(w->lock_names[0]));
	memcpy(w->lock_names[w->nlocks], name, len);
	return w->nlocks++;
}

/* -- the players --------------------------------------------------------------------------------- */

static void check_locks(struct world *w)
{
	for (unsigned i = 0; w->model->broken && i < w->nlocks && !w->broken; i++)
		w->broken = w->model->broken(w->locks[i]);
}

static void do_lock(struct actor *a, unsigned lock, const char *rest, unsigned how)
{
	struct world *w = a->w;
	struct sim_task *t = w->tasks[a->index];
	int ret;

	a->req = (struct lock_req){ .how = how, .timeout = SIM_NEVER };
	if (*rest == '/')
		a->req.timeout = strtoul(rest + 1, NULL, 10) * WORLD_UNIT;
	if (*rest == '!')
		a->req.how |= LOCK_INTERRUPTIBLE;
	sim_emit(SIM_REC_CALL, t->id + 1, lock + 1, 0, 0);
	kernel_op_enter(lock + 1);
	ret = w->model->lock(w->locks[lock], &a->req);
	kernel_op_leave();
	w->result[a->index] = ret;
	if (ret) {
		sim_emit(SIM_REC_FAIL, t->id + 1, lock + 1, 0, (uint64_t)-ret);
	} else {
		a->held |= 1u << lock;
		sim_emit(SIM_REC_GRANT, t->id + 1, lock + 1, 0, t->op_waited);
	}
	check_locks(w);
}

static void do_unlock(struct actor *a, unsigned lock)
{
	struct sim_task *t = a->w->tasks[a->index];

	if (!(a->held & 1u << lock))
		return;
	a->held &= ~(1u << lock);
	sim_emit(SIM_REC_UNLOCK, t->id + 1, lock + 1, 0, 0);
	kernel_op_enter(lock + 1);
	a->w->model->unlock(a->w->locks[lock], &a->req);
	kernel_op_leave();
	check_locks(a->w);
}

static struct sim_attr attr_of(int prio)
{
	if (prio == FAIR)
		return (struct sim_attr){ .policy = SIM_NORMAL };
	if (prio > NICE(-100))
		return (struct sim_attr){ .policy = SIM_NORMAL, .nice = prio - NICE(0) };
	if (prio >= DEADLINE(0))
		return (struct sim_attr){ .policy = SIM_DEADLINE,
					  .dl_runtime = (sim_time)(prio - DEADLINE(0)) * WORLD_UNIT / 2,
					  .dl_deadline = (sim_time)(prio - DEADLINE(0)) * WORLD_UNIT,
					  .dl_period = (sim_time)(prio - DEADLINE(0)) * WORLD_UNIT };
	return (struct sim_attr){ .policy = SIM_FIFO, .rt_priority = prio };
}

static void do_setscheduler(struct world *w, const char *what)
{
	char name[16];
	int prio;
	struct sim_attr attr;
	struct sim_task *t;

	ck_assert_int_eq(sscanf(what, "%15[^:]:%d", name, &prio), 2);
	attr = attr_of(prio);
	t = w->tasks[task_index(w, name)];
	sim_setscheduler(t, &attr);
	if (w->model->prio_changed)
		w->model->prio_changed(w->locks[0], kernel_task(t));
	check_locks(w);
}

/* What a wait loop does that takes a spinlock_t between setting its state and sleeping. */
static void do_prepared(struct actor *a, unsigned lock)
{
	set_current_state(TASK_INTERRUPTIBLE);
	do_lock(a, lock, "", 0);
	do_unlock(a, lock);
	schedule();
	__set_current_state(TASK_RUNNING);
}

static void do_word(struct sim_task *t, void *arg)
{
	struct actor *a = arg;
	struct world *w = a->w;
	const char *name = a->word + 1;

	a->accesses = 0;
	switch (a->word[0]) {
	case '+':
		do_lock(a, lock_index(w, name), name + strcspn(name, "/!"), 0);
		break;
	case '?':
		do_lock(a, lock_index(w, name), "", LOCK_TRY);
		break;
	case '-':
		do_unlock(a, lock_index(w, name));
		break;
	case '=':
		do_setscheduler(w, name);
		break;
	case '!':
		sim_signal(w->tasks[task_index(w, name)], false);
		break;
	case '%':
		wake_up_process(kernel_task(w->tasks[task_index(w, name)]));
		break;
	case '&':
		do_prepared(a, lock_index(w, name));
		break;
	default:
		ck_abort_msg("%s: what is %s", t->name, a->word);
	}
}

static bool next_word(struct actor *a)
{
	size_t len;

	a->script += strspn(a->script, " ");
	len = strcspn(a->script, " ");
	ck_assert_uint_lt(len, sizeof(a->word));
	memcpy(a->word, a->script, len);
	a->word[len] = '\0';
	a->script += len;
	return len;
}

static void play(struct sim_task *t, struct sim_act *act)
{
	struct actor *a = t->user;

	if (!next_word(a))
		*act = (struct sim_act){ .kind = SIM_ACT_EXIT };
	else if (a->word[0] >= '0' && a->word[0] <= '9')
		*act = (struct sim_act){ .kind = SIM_ACT_RUN, .t = strtoul(a->word, NULL, 10) * WORLD_UNIT };
	else if (a->word[0] == '@')
		*act = (struct sim_act){ .kind = SIM_ACT_SLEEP,
					 .t = strtoul(a->word + 1, NULL, 10) * WORLD_UNIT };
	else
		*act = (struct sim_act){ .kind = SIM_ACT_CALL, .fn = do_word, .arg = a };
}

/* -- the stage ------------------------------------------------------------------------------------ */

static void create_locks(struct world *w)
{
	const struct lock_param *p = w->model->params;
	uint64_t values[4];

	for (unsigned i = 0; p && p[i].name; i++)
		values[i] = w->params[i] ? w->params[i] : p[i].fallback;
	for (unsigned i = 0; i < WORLD_LOCKS; i++) {
		w->locks[i] = sim_object_create("lock", w->model->size, 0);
		w->model->init(w->locks[i], values);
		kernel_lock_bind(w->locks[i], w->model->size, i + 1);
	}
}

static void create_task(struct world *w, const struct world_task *cast, struct actor *a)
{
	uint64_t allowed = UINT64_C(1) << cast->cpu;
	struct sim_attr attr = attr_of(cast->prio);
	unsigned i = w->ntasks++;

	ck_assert_uint_lt(i, WORLD_TASKS);
	*a = (struct actor){ .w = w, .index = i, .script = cast->script };
	w->cast[i] = cast;
	w->tasks[i] = sim_task_create(cast->name, &attr, cast->cpu, &allowed, play, a);
	kernel_task_init(w->tasks[i]);
	w->prio[i] = w->tasks[i]->shared->prio;
	sim_task_start(w->tasks[i], cast->at * WORLD_UNIT);
}

void world_run(struct world *w, const struct lock_model *model, const struct world_task *cast, sim_time until)
{
	static struct actor actors[WORLD_TASKS];
	struct sim_config cfg = { .sockets = 1, .cores = 1, .threads = 1, .hz = 1000 };

	cfg.preempt = SIM_PREEMPT_FULL;
	cfg.poll = w->poll;
	cfg.costs.scalar[SIM_COST_relax] = SIM_NS;
	cfg.costs.scalar[SIM_COST_ipi] = w->ipi;
	for (unsigned i = 0; cast[i].name; i++)
		if (cast[i].cpu >= cfg.cores)
			cfg.cores = cast[i].cpu + 1;
	w->model = model;
	w->told = SIM_NEVER;
	sim_choice_init(&w->choice, SIM_CHOICE_FIXED, 0);
	sim_machine_create(&cfg, kernel_task_bytes(), &w->trace, &w->choice);
	sim_trace_subscribe(&w->trace, SIM_CLASS_SCHED | SIM_CLASS_LOCK, world_tell, w);
	kernel_setup();
	create_locks(w);
	for (unsigned i = 0; cast[i].name; i++)
		create_task(w, &cast[i], &actors[i]);
	sim_machine_run(until * WORLD_UNIT, false);
	if (w->broken)
		ck_abort_msg("broken: %s\n%s", w->broken, w->story);
}

void world_finish(struct world *w)
{
	sim_machine_destroy(sim);
	sim_choice_finish(&w->choice);
	free(w->story);
}

/* -- the critic ------------------------------------------------------------------------------------- */

/* The CPU that a sentence happens on: its own, its subject's, or else that of the sentence before. */
static int cpu_of(const struct world *w, const char *sentence, int before)
{
	char first[16], second[16], fourth[16];
	int cpu;

	if (sscanf(sentence, "cpu%d runs", &cpu) == 1)
		return cpu;
	if (sscanf(sentence, "%15s %15s for %15s", first, second, fourth) == 3 && !strcmp(second, "fires"))
		return (int)w->cast[task_index(w, fourth)]->cpu;
	sscanf(sentence, "%15s", first);
	if (!strcmp(first, "setscheduler"))
		return -1;
	for (unsigned i = 0; i < w->ntasks; i++)
		if (!strcmp(w->cast[i]->name, first))
			return (int)w->cast[i]->cpu;
	return before;
}

/* Sorts the sentences within each line of @story by CPU, keeping their order on each. */
static char *by_cpu(const struct world *w, const char *story)
{
	char *copy = strdup(story), *out = calloc(1, strlen(story) + 64), *line, *lines = copy;

	while ((line = strsep(&lines, "\n"))) {
		char *sentence, *sentences = strchr(line, ' ') + 1, *list[128];
		int cpus[128], n = 0, before = -1;

		sentences[-1] = '\0';
		while ((sentence = strsep(&sentences, ";"))) {
			ck_assert_int_lt(n, 128);
			list[n] = sentence + strspn(sentence, " ");
			before = cpus[n] = cpu_of(w, list[n], before);
			n++;
		}
		sprintf(out + strlen(out), "%s%s", *out ? "\n" : "", line);
		for (int cpu = -1; cpu < (int)sim->ncpus; cpu++)
			for (int i = 0; i < n; i++)
				if (cpus[i] == cpu)
					sprintf(out + strlen(out), " %s;", list[i]);
	}
	free(copy);
	return out;
}

void world_expect(struct world *w, const char *golden)
{
	char *seen = w->loose ? by_cpu(w, w->story) : strdup(w->story);
	char *wanted = w->loose ? by_cpu(w, golden) : strdup(golden);

	if (strcmp(seen, wanted))
		ck_abort_msg("\n--- golden\n%s\n--- seen\n%s\n", golden, w->story);
	free(seen);
	free(wanted);
}

void world_golden(struct world w, const struct lock_model *model, const struct world_task *cast,
		  const char *golden)
{
	for (int poll = 0; poll < 2; poll++) {
		struct world copy = w;

		copy.poll = poll;
		world_run(&copy, model, cast, 40);
		world_expect(&copy, golden);
		world_finish(&copy);
	}
}

int world_result(const struct world *w, const char *task)
{
	return w->result[task_index(w, task)];
}

int world_prio(const struct world *w, const char *task)
{
	return w->tasks[task_index(w, task)]->shared->prio;
}

unsigned long world_events(const struct world *w, const char *event)
{
	for (unsigned i = 0; w->model->events[i]; i++)
		if (!strcmp(w->model->events[i], event))
			return w->events[i];
	ck_abort_msg("no event %s", event);
	return 0;
}

void world_told(struct world *w, const char *sentence)
{
	if (!strstr(w->story, sentence))
		ck_abort_msg("never told: %s\n%s", sentence, w->story);
}

void world_not_told(struct world *w, const char *sentence)
{
	if (strstr(w->story, sentence))
		ck_abort_msg("should not happen: %s\n%s", sentence, w->story);
}
