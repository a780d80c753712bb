// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/run/registry.h"

#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "sim/core/check.h"
#include "sim/core/diag.h"

/* Weak: a build without any model has no such section. */
extern const struct lock_model *const __start_lock_models[] __attribute__((weak));
extern const struct lock_model *const __stop_lock_models[] __attribute__((weak));

static const struct lock_model **models;
static const char **names;
static unsigned nmodels;
static GPtrArray *added; /* of plug-ins */

static bool name_is_good(const char *name)
{
	if (!name || !*name)
		return false;
	for (const char *p = name; *p; p++)
		if (!g_ascii_islower(*p) && !g_ascii_isdigit(*p) && !strchr(".:_-", *p))
			return false;
	return true;
}

static const char *params_complaint(const struct lock_param *params)
{
	for (const struct lock_param *p = params; p && p->name; p++) {
		if (!name_is_good(p->name))
			return "a parameter's name has characters outside [a-z0-9.:_-]";
		if (p->unit > LOCK_PARAM_FLAG)
			return "a parameter has an unknown unit";
		if (p->unit == LOCK_PARAM_FLAG && p->fallback > 1)
			return "a flag's default is neither 0 nor 1";
		if (!p->help)
			return "a parameter has no help";
		for (const struct lock_param *q = params; q != p; q++)
			if (!strcmp(p->name, q->name))
				return "two parameters have the same name";
	}
	return NULL;
}

static const char *caps_complaint(const struct lock_model *m)
{
	if (!(m->caps & LOCK_CAP_DOWNGRADE) != !m->downgrade)
		return "downgrade() and LOCK_CAP_DOWNGRADE do not agree";
	if ((m->caps & LOCK_CAP_DOWNGRADE) && !(m->caps & LOCK_CAP_SHARED))
		return "a downgrade needs a shared mode";
	if (!(m->caps & LOCK_CAP_WAKEALL) != !m->wakeall)
		return "wakeall() and LOCK_CAP_WAKEALL do not agree";
	if (!(m->caps & LOCK_CAP_CONDITION) != !m->ticket)
		return "ticket() and LOCK_CAP_CONDITION do not agree";
	if ((m->caps & LOCK_CAP_PI) && !(m->caps & LOCK_CAP_BUSTED) && !m->prio_changed)
		return "a PI lock needs prio_changed()";
	if ((m->caps & LOCK_CAP_SPIN) && (m->caps & (LOCK_CAP_SIGNAL | LOCK_CAP_TIMEOUT)))
		return "a spinning waiter hears no signal and has no timeout";
	if ((m->caps & LOCK_CAP_FIFO) && (m->caps & LOCK_CAP_PI))
		return "a PI lock serves by priority, not in order of arrival";
	return NULL;
}

const char *registry_complaint(const struct lock_model *m)
{
	if (m->abi != LOCK_MODEL_ABI)
		return "built against another version of sim/model.h";
	if (!name_is_good(m->name))
		return "the name is empty or has characters outside [a-z0-9.:_-]";
	if (!m->mirrors || !m->summary)
		return "`mirrors` or `summary` is missing";
	if (!m->size || m->size > 1 << 20 || m->hold_size > 1 << 20)
		return "the size of the lock or of its hold memory is out of range";
	if (!m->init || !m->lock || !m->unlock)
		return "init(), lock() or unlock() is missing";

	const char *complaint = params_complaint(m->params);

	return complaint ? complaint : caps_complaint(m);
}

static int by_name(const void *a, const void *b)
{
	const struct lock_model *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

const char *registry_add(const struct lock_model *m)
{
	const char *complaint = registry_complaint(m);

	sim_assert(!models && "plug-ins are loaded before anything is run");
	if (complaint)
		return complaint;
	if (!added)
		added = g_ptr_array_new();
	for (unsigned i = 0; i < added->len; i++)
		if (!strcmp(((const struct lock_model *)added->pdata[i])->name, m->name))
			return "a model of this name is loaded already";
	g_ptr_array_add(added, (void *)m);
	return NULL;
}

static void collect(void)
{
	size_t built_in = (size_t)(__stop_lock_models - __start_lock_models), n = built_in + (added ? added->len : 0);

	models = g_new0(const struct lock_model *, n + 1);
	names = g_new0(const char *, n + 1);
	for (size_t i = 0; i < built_in; i++) {
		const char *complaint = registry_complaint(__start_lock_models[i]);

		if (complaint)
			g_printerr("lock model %s: %s\n", __start_lock_models[i]->name, complaint);
		sim_assert(!complaint);
		models[i] = __start_lock_models[i];
	}
	for (size_t i = built_in; i < n; i++)
		models[i] = added->pdata[i - built_in];
	qsort(models, n, sizeof(models[0]), by_name);
	for (size_t i = 0; i < n; i++) {
		sim_assert(i == 0 || strcmp(models[i - 1]->name, models[i]->name) != 0);
		names[i] = models[i]->name;
	}
	nmodels = (unsigned)n;
}

const struct lock_model *const *registry_all(unsigned *n)
{
	if (!models)
		collect();
	*n = nmodels;
	return models;
}

const struct lock_model *registry_find(const char *name)
{
	unsigned n;
	const struct lock_model *const *all = registry_all(&n);
	unsigned lo = 0, hi = n;

	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;
		int order = strcmp(name, all[mid]->name);

		if (order == 0)
			return all[mid];
		if (order < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

const char *const *registry_names(void)
{
	unsigned n;

	registry_all(&n);
	return names;
}

const char *registry_nearest(const char *word)
{
	return sim_nearest(word, registry_names());
}
