// SPDX-License-Identifier: GPL-2.0-or-later
/* From rows of the store to tables: which parameters differ, which rows belong together. */
#include <string.h>

#include "sim/cli/report.h"

struct row {
	char *scenario, *name, *version, *params;
	int status;
	struct measure m;
};

static void take_row(void *user, const struct store_found *f)
{
	struct row *r = g_new0(struct row, 1);

	r->scenario = g_strdup(f->key.scenario);
	r->name = g_strdup(f->name);
	r->version = g_strdup(f->key.version);
	r->params = g_strdup(f->key.params);
	r->status = f->status;
	r->m = f->m;
	g_ptr_array_add(user, r);
}

static void row_free(void *p)
{
	struct row *r = p;

	g_free(r->scenario);
	g_free(r->name);
	g_free(r->version);
	g_free(r->params);
	g_free(r);
}

/* -- parameters --------------------------------------------------------------------------------- */

/* The value of @name in "a=1 b=2"; NULL if it is not there. */
static char *value_of(const char *params, const char *name)
{
	g_auto(GStrv) words = g_strsplit(params, " ", -1);
	size_t len = strlen(name);

	for (unsigned i = 0; words[i]; i++)
		if (!strncmp(words[i], name, len) && words[i][len] == '=')
			return g_strdup(words[i] + len + 1);
	return NULL;
}

static bool has_name(const GPtrArray *names, const char *name)
{
	for (unsigned i = 0; i < names->len; i++)
		if (!strcmp(names->pdata[i], name))
			return true;
	return false;
}

static void add_names(GPtrArray *names, const char *params)
{
	g_auto(GStrv) words = g_strsplit(params, " ", -1);

	for (unsigned i = 0; words[i]; i++) {
		g_autofree char *name = g_strndup(words[i], strcspn(words[i], "="));

		if (*name && !has_name(names, name))
			g_ptr_array_add(names, g_steal_pointer(&name));
	}
}

/* Does @name have another value than @first in some row of [@from, @to)? */
static bool differs(const GPtrArray *rows, unsigned from, unsigned to, const char *name, const char *first)
{
	for (unsigned i = from; i < to; i++) {
		g_autofree char *other = value_of(((struct row *)rows->pdata[i])->params, name);

		if (g_strcmp0(first, other) != 0)
			return true;
	}
	return false;
}

/* Splits the parameters of rows [@from, @to) into those that differ and those that do not. */
static void find_params(struct sweep_table *t, const GPtrArray *rows, unsigned from, unsigned to)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	GString *fixed = g_string_new(NULL);

	for (unsigned i = from; i < to; i++)
		add_names(names, ((struct row *)rows->pdata[i])->params);
	for (unsigned k = 0; k < names->len; k++) {
		g_autofree char *first = value_of(((struct row *)rows->pdata[from])->params, names->pdata[k]);

		if (differs(rows, from, to, names->pdata[k], first))
			g_ptr_array_add(t->param, g_strdup(names->pdata[k]));
		else
			g_string_append_printf(fixed, "%s%s=%s", fixed->len ? " " : "", (char *)names->pdata[k], first);
	}
	t->fixed = g_string_free(fixed, FALSE);
}

/* -- points ----------------------------------------------------------------------------------------- */

/* @before: parameters of the row before, which came in order, or NULL. */
static void add_row(struct sweep_table *t, const struct row *r, const char *before)
{
	struct sweep_point *p;

	if (!before || strcmp(before, r->params) != 0) {
		p = g_new0(struct sweep_point, 1);
		p->m = g_array_new(FALSE, FALSE, sizeof(struct measure));
		p->value = g_new0(char *, t->param->len + 1);
		for (unsigned k = 0; k < t->param->len; k++) {
			p->value[k] = value_of(r->params, t->param->pdata[k]);
			if (!p->value[k])
				p->value[k] = g_strdup("");
		}
		g_ptr_array_add(t->point, p);
	}
	p = t->point->pdata[t->point->len - 1];
	g_array_append_val(p->m, r->m);
	p->missed += r->status != 0;
}

bool sweep_number(const char *value, uint64_t *number)
{
	static const struct {
		const char *unit;
		uint64_t scale;
	} unit[] = { { "", 1000 },	{ "%", 1000 },	 { "ps", 1 },	  { "ns", SIM_NS },
		     { "us", SIM_US }, { "ms", SIM_MS }, { "s", SIM_S } };
	uint64_t scale, whole;
	const char *point = NULL;
	char *end;

	if (!g_ascii_isdigit(*value))
		return false;
	whole = g_ascii_strtoull(value, &end, 10);
	if (*end == '.')
		for (point = ++end; g_ascii_isdigit(*end);)
			end++;
	for (unsigned i = 0; i < G_N_ELEMENTS(unit); i++) {
		if (strcmp(end, unit[i].unit) != 0)
			continue;
		scale = unit[i].scale;
		*number = whole * scale;
		for (; point && g_ascii_isdigit(*point); point++) {
			scale /= 10;
			*number += (uint64_t)(*point - '0') * scale;
		}
		return true;
	}
	return false;
}

static int by_values(gconstpointer a, gconstpointer b)
{
	const struct sweep_point *x = *(const struct sweep_point *const *)a, *y = *(const struct sweep_point *const *)b;

	for (unsigned k = 0; x->value[k]; k++) {
		uint64_t n, m;
		int c;

		if (sweep_number(x->value[k], &n) && sweep_number(y->value[k], &m) && n != m)
			return n < m ? -1 : 1;
		c = strcmp(x->value[k], y->value[k]);
		if (c)
			return c;
	}
	return 0;
}

/* -- tables ------------------------------------------------------------------------------------------ */

static struct sweep_table *make_table(const GPtrArray *rows, unsigned from, unsigned to)
{
	const struct row *first = rows->pdata[from];
	struct sweep_table *t = g_new0(struct sweep_table, 1);

	t->name = g_strdup(first->name);
	t->hash = g_strdup(first->scenario);
	t->version = g_strdup(first->version);
	t->param = g_ptr_array_new_with_free_func(g_free);
	t->point = g_ptr_array_new();
	find_params(t, rows, from, to);
	for (unsigned i = from; i < to; i++)
		add_row(t, rows->pdata[i], i > from ? ((struct row *)rows->pdata[i - 1])->params : NULL);
	g_ptr_array_sort(t->point, by_values);
	return t;
}

static bool same_table(const struct row *a, const struct row *b)
{
	return !strcmp(a->scenario, b->scenario) && !strcmp(a->version, b->version);
}

GPtrArray *sweep_tables(struct store *s, const char *lock)
{
	g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(row_free);
	GPtrArray *tables;

	if (!store_each(s, lock, take_row, rows))
		return NULL;
	tables = g_ptr_array_new();
	for (unsigned from = 0, to; from < rows->len; from = to) {
		for (to = from + 1; to < rows->len && same_table(rows->pdata[from], rows->pdata[to]);)
			to++;
		g_ptr_array_add(tables, make_table(rows, from, to));
	}
	return tables;
}

static void table_free(struct sweep_table *t)
{
	for (unsigned k = 0; k < t->point->len; k++) {
		struct sweep_point *p = t->point->pdata[k];

		g_strfreev(p->value);
		g_array_free(p->m, TRUE);
		g_free(p);
	}
	g_ptr_array_free(t->point, TRUE);
	g_ptr_array_free(t->param, TRUE);
	g_free(t->name);
	g_free(t->hash);
	g_free(t->version);
	g_free(t->fixed);
	g_free(t);
}

void sweep_tables_free(GPtrArray *tables)
{
	for (unsigned i = 0; i < tables->len; i++)
		table_free(tables->pdata[i]);
	g_ptr_array_free(tables, TRUE);
}

uint64_t *sweep_values(const struct sweep_point *p, enum measure_id id)
{
	uint64_t *x = g_new(uint64_t, p->m->len);

	for (unsigned i = 0; i < p->m->len; i++)
		x[i] = g_array_index(p->m, struct measure, i).v[id];
	return x;
}
