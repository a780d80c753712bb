// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/run/twin.h"

#include <string.h>

#include <glib.h>

#include "sim/kernel/host.h"
#include "sim/run/bind.h"
#include "sim/run/registry.h"
#include "sim/run/twin_impl.h"

/* -- which models ------------------------------------------------------------------------------- */

/*
 * A make is a plug-in's name, or NULL: Lockstep's own. Its model of a lock that the scenario
 * calls @model, or NULL:
 *
 *   "rwsem"             its "v6.1:rwsem"; "rwbase-5.15": the one that says it is its twin, "v6.1-rt:rwsem"
 *   "kernel-rt:rwsem"   its "v6.1-rt:rwsem", whatever the kernel behind the name
 */
static const struct lock_model *of_plugin(const char *make, const char *model)
{
	const char *colon = strrchr(model, ':');
	bool rt = colon && colon - model >= 3 && !strncmp(colon - 3, "-rt", 3);
	g_autofree char *name = g_strdup_printf("%s%s:%s", make, rt ? "-rt" : "", colon ? colon + 1 : model);
	const struct lock_model *found = registry_find(name), *const *all;
	g_autofree char *plain = g_strconcat(make, ":", NULL), *other = g_strconcat(make, "-rt:", NULL);
	unsigned n;

	if (found || colon)
		return found;
	all = registry_all(&n);
	for (unsigned i = 0; i < n; i++)
		if (!g_strcmp0(all[i]->twin, model) &&
		    (g_str_has_prefix(all[i]->name, plain) || g_str_has_prefix(all[i]->name, other)))
			return all[i];
	return NULL;
}

/* @other: the one on the other side, to which Lockstep's own is the twin; NULL: that is its own, too. */
static const struct lock_model *of_make(const char *make, const char *model, const struct lock_model *other)
{
	if (make)
		return of_plugin(make, model);
	if (!strchr(model, ':'))
		return registry_find(model);
	if (!other)
		other = registry_find(model);
	return other && other->twin ? registry_find(other->twin) : NULL;
}

static bool find_both(const char *model, const struct twin_options *o, const struct lock_model *pair[2])
{
	pair[1] = of_make(o->second, model, o->first ? of_plugin(o->first, model) : NULL);
	pair[0] = of_make(o->first, model, pair[1]);
	return pair[0] && pair[1];
}

bool twin_has(const char *model, const struct twin_options *options)
{
	const struct lock_model *pair[2];

	return find_both(model, options, pair);
}

/* The two models of every lock; lock[i].model[0] NULL: it has not two. */
static unsigned choose_models(struct twin *t, const struct twin_options *o)
{
	unsigned n = 0;

	t->lock = g_new0(struct twin_lock, t->scn->nlock + 1);
	for (unsigned i = 0; i < t->scn->nlock; i++) {
		const char *model = t->scn->lock[i].model;
		const struct lock_model *pair[2];

		t->lock[i].own = model;
		if (!model || !find_both(model, o, pair))
			continue;
		t->lock[i].model[0] = pair[0]->name;
		t->lock[i].model[1] = pair[1]->name;
		n++;
	}
	return n;
}

static void use_side(struct twin *t, unsigned side)
{
	for (unsigned i = 0; i < t->scn->nlock; i++)
		if (t->lock[i].model[0])
			t->scn->lock[i].model = t->lock[i].model[side];
}

static bool has_param(const struct lock_model *m, const char *name)
{
	for (const struct lock_param *p = m->params; p && p->name; p++)
		if (!strcmp(p->name, name))
			return true;
	return !strcmp(name, "starve");
}

/* Parameters that only one side has are left out of the comparison, aloud. */
static void note_params(struct twin *t)
{
	for (unsigned i = 0; i < t->scn->nlock; i++) {
		const struct scn_lock *decl = &t->scn->lock[i];

		for (unsigned s = 0; t->lock[i].model[0] && s < decl->nset; s++)
			for (unsigned side = 0; side < 2; side++)
				if (!has_param(registry_find(t->lock[i].model[side]), decl->set[s].name))
					g_string_append_printf(t->notes, "%s has no parameter %s: what %s sets is not used there\n",
							       t->lock[i].model[side], decl->set[s].name, decl->name);
	}
}

/* -- recording ---------------------------------------------------------------------------------------- */

static bool costs_are_equal(const struct sim_costs *c)
{
	for (unsigned opc = 0; opc < SIM_OPC_COUNT; opc++)
		for (unsigned d = 0; d < SIM_DIST_COUNT; d++) {
			if (c->occ[opc][d])
				return false;
			for (unsigned state = 0; state < SIM_LSTATE_COUNT; state++)
				if (c->lat[opc][state][d] != c->lat[0][0][0])
					return false;
		}
	return true;
}

static void on_bound(void *user, const struct run_bound *b)
{
	struct twin *t = user;

	t->bound = b;
	t->exact = t->one_make || costs_are_equal(&sim->cfg.costs);
	if (!t->exact && !t->placing)
		twin_count_lines(t, b);
}

static void look(const struct run_bound *b, const struct sim_rec *rec, struct twin_look *look)
{
	struct lock_view_task owner[TWIN_LOOK], waiter[TWIN_LOOK];
	struct lock_view view = { .owners = owner, .waiters = waiter, .owners_room = TWIN_LOOK, .waiters_room = TWIN_LOOK };
	const struct bound_lock *bl = &b->lock[rec->obj - 1];

	if (!bl->model->view)
		return;
	bl->model->view(bl->lock, &view);
	look->looked = true;
	look->word = view.word;
	look->nowners = view.nowners;
	if (bl->model->caps & LOCK_CAP_SPIN) /* a tree's own queue of spinners tells no names */
		return;
	look->no_queue = view.no_queue;
	look->nwaiters = view.nwaiters;
	for (unsigned i = 0; i < TWIN_LOOK && i < view.nwaiters; i++)
		look->waiter[i] = (uint16_t)(bound_task_index(waiter[i].task) + 1);
}

static bool is_compared(const struct twin *t, const struct sim_rec *rec)
{
	switch ((enum sim_rec_type)rec->type) {
	case SIM_REC_GRANT:
	case SIM_REC_FAIL:
		return true;
	case SIM_REC_EVENT:
	case SIM_REC_CONTENTION:
	case SIM_REC_PI_BLOCK:
	case SIM_REC_PI_REQUEUE:
	case SIM_REC_PI_DEADLOCK:
	case SIM_REC_PI_STOP:
	case SIM_REC_PI_STEAL:
	case SIM_REC_PI_WAKE_TOP:
		return false;
	case SIM_REC_FINDING: /* that nobody will ever stop spinning is clear at once, or at the end of a polled run */
		return t->exact && !t->one_make;
	default:
		return t->exact;
	}
}

/* A queue of which one side cannot tell is not compared. */
static bool same_look(const struct twin_look *a, const struct twin_look *b)
{
	return a->looked == b->looked && a->word == b->word && a->nowners == b->nowners &&
	       (a->no_queue || b->no_queue ||
		(a->nwaiters == b->nwaiters && !memcmp(a->waiter, b->waiter, sizeof(a->waiter))));
}

static bool same(const struct twin_rec *a, const struct twin_rec *b)
{
	/* that those who spin spin for good is clear when the last of them has parked, which is no step of a lock */
	if (a->rec.type == SIM_REC_FINDING && b->rec.type == SIM_REC_FINDING &&
	    (a->rec.arg == RUN_FINDING_stuck_spinner || a->rec.arg == RUN_FINDING_deadlock))
		return a->rec.task == b->rec.task && a->rec.obj == b->rec.obj && a->rec.arg == b->rec.arg;
	return a->rec.time == b->rec.time && a->rec.type == b->rec.type && a->rec.cpu == b->rec.cpu &&
	       a->rec.task == b->rec.task && a->rec.obj == b->rec.obj && a->rec.arg == b->rec.arg &&
	       a->rec.val == b->rec.val && same_look(&a->look, &b->look);
}

/* Who is at work at @rec. The scheduler's records of a task that goes to sleep or comes back are of no fiber. */
static const struct sim_task *worker(const struct twin *t, const struct sim_rec *rec)
{
	if (sim_fiber_current())
		return sim_current();
	return rec->type == SIM_REC_BLOCK && rec->task && rec->task <= t->bound->ntask ? t->bound->task[rec->task - 1].task : NULL;
}

/* The record at which the sides part: who is at work, and what it came through. */
static void take_place(struct twin *t, const struct sim_rec *rec)
{
	struct twin_place *p = &t->place[t->side];
	const struct sim_task *task = worker(t, rec);

	if (t->passed++ < (t->side ? t->at_other : t->at))
		return;
	if (t->passed - 1 == (t->side ? t->at_other : t->at) && task && task->id < t->bound->ntask) {
		p->task = g_strdup(t->bound->task[task->id].name);
		p->n = task->ntrail;
		memcpy(p->site, task->trail, sizeof(p->site));
	}
	sim_machine_stop(SIM_STOP_ASKED);
}

static void take(void *user, const struct sim_rec *rec)
{
	struct twin *t = user;
	struct twin_rec r = { .rec = *rec };

	if (t->placing) {
		if (is_compared(t, rec))
			take_place(t, rec);
		return;
	}
	if (!t->side)
		twin_seen_take(&t->seen, rec, t->bound->ntask);
	if (!is_compared(t, rec) || rec->time > t->until)
		return;
	if (t->exact && rec->type == SIM_REC_GRANT)
		look(t->bound, rec, &r.look);
	if (t->side == 0) {
		g_array_append_val(t->rec[0], r);
		return;
	}
	if (t->parted) {
		/* a little more, for the story */
		g_array_append_val(t->rec[1], r);
		if (++t->extra > TWIN_TELL)
			sim_machine_stop(SIM_STOP_ASKED);
		return;
	}
	if (t->exact && (t->rec[1]->len >= t->rec[0]->len ||
			 !same(&g_array_index(t->rec[0], struct twin_rec, t->rec[1]->len), &r))) {
		t->parted = true;
		t->at = t->rec[1]->len;
	}
	g_array_append_val(t->rec[1], r);
}

static struct run_result *run_side(struct twin *t, const struct twin_options *o, unsigned side, char **error)
{
	struct run_options run = *o->run;

	run.no_compare = true;
	run.poll |= side && o->second_polls;
	run.listen = take;
	run.listen_classes = SIM_CLASS_SCHED | SIM_CLASS_LOCK | SIM_CLASS_TASK;
	run.listen_user = t;
	run.bound = on_bound;
	t->side = side;
	use_side(t, side);
	return run_scenario(t->scn, &run, error);
}

/* A run ends where it deadlocks; one that polls goes on. */
static void until_deadlock(struct twin *t)
{
	const struct run_result *first = t->result[0];

	for (unsigned i = 0; t->one_make && i < first->nfinding; i++)
		if (first->finding[i].kind == RUN_FINDING_deadlock)
			t->until = MIN(t->until, first->finding[i].at);
}

/* -- verdict -------------------------------------------------------------------------------------------- */

/* The next grant of @lock at or behind @from. */
static unsigned next_grant(const GArray *rec, unsigned from, uint32_t lock)
{
	while (from < rec->len) {
		const struct twin_rec *r = &g_array_index(rec, struct twin_rec, from);

		if (r->rec.type == SIM_REC_GRANT && r->rec.obj == lock)
			break;
		from++;
	}
	return from;
}

/* Under priced presets: for each lock, who got it in which order. The first difference, by the first side's time. */
static void judge_decisions(struct twin *t)
{
	unsigned first = UINT_MAX, other = 0;

	for (uint32_t lock = 1; lock <= t->bound_locks; lock++) {
		unsigned i = 0, j = 0;

		for (;; i++, j++) {
			const struct twin_rec *a, *b;

			i = next_grant(t->rec[0], i, lock);
			j = next_grant(t->rec[1], j, lock);
			if (i >= t->rec[0]->len || j >= t->rec[1]->len)
				break; /* one had less time for it */
			a = &g_array_index(t->rec[0], struct twin_rec, i);
			b = &g_array_index(t->rec[1], struct twin_rec, j);
			if (a->rec.task == b->rec.task && (a->rec.arg & 0xff) == (b->rec.arg & 0xff))
				continue;
			if (i < first) {
				first = i;
				other = j;
			}
			break;
		}
	}
	t->parted = first != UINT_MAX;
	t->at = first;
	t->at_other = other;
}

/* Runs the sides that are of plug-ins once more, up to where they part. */
static void find_places(struct twin *t, const struct twin_options *o)
{
	t->placing = true;
	for (unsigned side = 0; side < 2; side++) {
		g_autofree char *error = NULL;

		t->passed = 0;
		if (side ? o->second : o->first)
			run_result_free(run_side(t, o, side, &error));
	}
	t->placing = false;
}

static void judge(struct twin *t, const struct twin_options *o, struct twin_result *res)
{
	if (t->exact) {
		t->at_other = t->at;
		if (!t->parted && t->rec[1]->len < t->rec[0]->len) {
			t->parted = true;
			t->at = t->at_other = t->rec[1]->len;
		}
	} else {
		judge_decisions(t);
	}
	res->compared = t->parted ? t->at : t->rec[0]->len;
	res->exact = t->exact;
	if (t->parted) {
		find_places(t, o);
		res->verdict = TWIN_PARTED;
		res->story = twin_story(t);
	} else {
		res->story = twin_counters(t);
		if (res->story && t->exact) {
			res->verdict = TWIN_COUNTERS;
		} else if (res->story) { /* times differ, and so may they */
			g_string_append(t->notes, res->story);
			g_clear_pointer(&res->story, g_free);
		}
	}
	if (!t->exact)
		twin_note_lines(t);
}

static void twin_clear(struct twin *t)
{
	for (unsigned i = 0; i < t->scn->nlock; i++)
		t->scn->lock[i].model = t->lock[i].own;
	for (unsigned side = 0; side < 2; side++) {
		g_array_free(t->rec[side], TRUE);
		g_free(t->place[side].task);
		g_free(t->lines[side]);
		run_result_free(t->result[side]);
	}
	g_free(t->lock);
}

struct twin_result *twin_compare(struct scenario *scn, const struct twin_options *options, char **error)
{
	struct twin t = { .scn = scn, .notes = g_string_new(NULL), .one_make = options->second_polls,
			.until = SIM_NEVER };
	struct twin_result *res = g_new0(struct twin_result, 1);
	bool good = true;

	for (unsigned side = 0; side < 2; side++)
		t.rec[side] = g_array_new(FALSE, FALSE, sizeof(struct twin_rec));
	res->locks = choose_models(&t, options);
	res->verdict = res->locks ? TWIN_SAME : TWIN_NOTHING;
	if (res->locks)
		note_params(&t);
	for (unsigned side = 0; res->locks && good && side < 2; side++) {
		t.result[side] = run_side(&t, options, side, error);
		good = t.result[side];
		if (good) {
			until_deadlock(&t);
			res->status[side] = run_exit_status(t.result[side]);
			t.bound_locks = t.result[side]->nlock;
		}
	}
	if (res->locks && good)
		judge(&t, options, res);
	res->seen = t.seen;
	twin_clear(&t);
	res->notes = g_string_free(t.notes, t.notes->len == 0);
	if (good)
		return res;
	twin_result_free(res);
	return NULL;
}

void twin_result_free(struct twin_result *t)
{
	if (!t)
		return;
	g_free(t->story);
	g_free(t->notes);
	g_free(t);
}
