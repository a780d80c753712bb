// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/plan.h"

#include <errno.h>
#include <string.h>

/* A range that makes more values than this is a slip of the pen. */
#define RANGE_MAX 100000u

void plan_init(struct plan *plan)
{
	*plan = (struct plan){ .nseeds = 1, .combinations = 1 };
	plan->axes = g_ptr_array_new();
}

void plan_finish(struct plan *plan)
{
	for (unsigned i = 0; i < plan->axes->len; i++) {
		struct plan_axis *a = plan->axes->pdata[i];

		g_ptr_array_free(a->values, TRUE);
		g_free(a->name);
		g_free(a);
	}
	g_ptr_array_free(plan->axes, TRUE);
}

/* -- ranges ------------------------------------------------------------------------------------- */

/* A whole number and the unit behind it. */
static bool take_number(const char **at, uint64_t *n, char unit[8])
{
	unsigned len = 0;
	char *end;

	if (!g_ascii_isdigit(**at))
		return false;
	errno = 0;
	*n = g_ascii_strtoull(*at, &end, 10);
	while ((g_ascii_isalpha(end[len]) || end[len] == '%') && len < 7)
		len++;
	memcpy(unit, end, len);
	unit[len] = '\0';
	*at = end + len;
	return !errno;
}

static bool add_range(GPtrArray *values, const char *text)
{
	char unit[8], last_unit[8], none[8];
	uint64_t lo, hi, step;
	char how;
	unsigned n = 0;

	if (!take_number(&text, &lo, unit) || strncmp(text, "..", 2) != 0)
		return false;
	text += 2;
	if (!take_number(&text, &hi, last_unit) || strcmp(unit, last_unit) != 0)
		return false;
	how = *text++;
	if ((how != '*' && how != '+') || !take_number(&text, &step, none) || *text)
		return false;
	if (*none && (how == '*' || strcmp(none, unit) != 0))
		return false;
	if (lo > hi || (how == '*' ? step < 2 || !lo : !step))
		return false;
	for (uint64_t v = lo;; v = how == '*' ? v * step : v + step) {
		g_ptr_array_add(values, g_strdup_printf("%" G_GUINT64_FORMAT "%s", v, unit));
		if (++n > RANGE_MAX)
			return false;
		if (how == '*' ? v > hi / step : hi - v < step)
			return true;
	}
}

char *plan_vary(struct plan *plan, const char *text)
{
	const char *equals = strchr(text, '=');
	g_auto(GStrv) words = equals ? g_strsplit(equals + 1, ",", -1) : NULL;
	g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func(g_free);
	struct plan_axis *axis;

	if (!equals || equals == text || !equals[1] || strpbrk(text, " \t\n"))
		return g_strdup("not NAME=VALUE,VALUE or NAME=LOW..HIGH*FACTOR or NAME=LOW..HIGH+STEP");
	for (unsigned i = 0; words[i]; i++) {
		if (!*words[i])
			return g_strdup("a value is missing");
		if (!strstr(words[i], ".."))
			g_ptr_array_add(values, g_strdup(words[i]));
		else if (!add_range(values, words[i]))
			return g_strdup_printf("%s is not LOW..HIGH*FACTOR or LOW..HIGH+STEP in whole numbers", words[i]);
	}
	for (unsigned i = 0; i < values->len; i++)
		for (unsigned k = 0; k < i; k++)
			if (!strcmp(values->pdata[i], values->pdata[k]))
				return g_strdup_printf("%s stands there twice", (char *)values->pdata[i]);
	axis = g_new0(struct plan_axis, 1);
	axis->name = g_strndup(text, (size_t)(equals - text));
	for (unsigned i = 0; i < plan->axes->len; i++) {
		if (strcmp(((struct plan_axis *)plan->axes->pdata[i])->name, axis->name) != 0)
			continue;
		g_free(axis->name);
		g_free(axis);
		return g_strdup("this is varied already");
	}
	plan->combinations *= values->len;
	axis->values = g_steal_pointer(&values);
	g_ptr_array_add(plan->axes, axis);
	return plan->combinations > PLAN_RUNS_MAX ? g_strdup("more runs than fit into a lifetime") : NULL;
}

/* -- combinations ----------------------------------------------------------------------------------- */

char **plan_sets(const struct plan *plan, uint64_t i)
{
	char **sets = g_new0(char *, plan->axes->len + 1);

	for (unsigned k = plan->axes->len; k--;) {
		const struct plan_axis *a = plan->axes->pdata[k];

		sets[k] = g_strdup_printf("%s=%s", a->name, (char *)a->values->pdata[i % a->values->len]);
		i /= a->values->len;
	}
	return sets;
}

static int by_text(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char *plan_params(const struct plan *plan, uint64_t i, const char *const *fixed)
{
	g_auto(GStrv) sets = plan_sets(plan, i);
	g_autoptr(GPtrArray) all = g_ptr_array_new();

	for (unsigned k = 0; sets[k]; k++)
		g_ptr_array_add(all, sets[k]);
	for (unsigned k = 0; fixed && fixed[k]; k++)
		g_ptr_array_add(all, (char *)fixed[k]);
	g_ptr_array_sort(all, by_text);
	g_ptr_array_add(all, NULL);
	return g_strjoinv(" ", (char **)all->pdata);
}
