// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/baseline.h"

#include <string.h>

#include "sim/cli/cli.h"
#include "sim/report/student.h"

struct entry {
	char *name;
	uint64_t value;
	bool seen;
};

struct baseline {
	GArray *entry; /* struct entry, in the file's order */
	GHashTable *by_name; /* 1 + index */
};

/* -- reading: the "values" object of a JSON text -------------------------------------------------------- */

/* A string at *@at (behind its first quote); escapes are kept as they are: names of locks have none. */
static char *take_string(const char **at)
{
	const char *from = *at;
	char *text;

	while (**at && **at != '"')
		*at += **at == '\\' && (*at)[1] ? 2 : 1;
	text = g_strndup(from, (size_t)(*at - from));
	*at += **at == '"';
	return text;
}

static const char *skip(const char *at)
{
	return at + strspn(at, " \t\r\n,");
}

static bool take_entry(struct baseline *b, const char **at)
{
	struct entry e = { 0 };
	const char *p = skip(*at);
	char *end;

	if (*p != '"')
		return false;
	p++;
	e.name = take_string(&p);
	p = skip(p);
	if (*p != ':' || !g_ascii_isdigit(*skip(p + 1))) {
		g_free(e.name);
		return false;
	}
	e.value = g_ascii_strtoull(skip(p + 1), &end, 10);
	g_array_append_val(b->entry, e);
	g_hash_table_insert(b->by_name, e.name, GUINT_TO_POINTER(b->entry->len));
	*at = end;
	return true;
}

static void entry_clear(void *p)
{
	g_free(((struct entry *)p)->name);
}

struct baseline *baseline_read(const char *path)
{
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	struct baseline *b;
	const char *at;

	if (!g_file_get_contents(path, &text, NULL, &error)) {
		cli_error("%s", error->message);
		return NULL;
	}
	at = strstr(text, "\"values\": {");
	if (!strstr(text, "\"kind\": \"compare\"") || !at) {
		cli_error("%s: not what `lockstep compare --save` writes", path);
		return NULL;
	}
	b = g_new0(struct baseline, 1);
	b->entry = g_array_new(FALSE, FALSE, sizeof(struct entry));
	g_array_set_clear_func(b->entry, entry_clear);
	b->by_name = g_hash_table_new(g_str_hash, g_str_equal);
	at += strlen("\"values\": {");
	while (take_entry(b, &at))
		;
	if (*skip(at) == '}')
		return b;
	cli_error("%s: its \"values\" end in the middle", path);
	baseline_free(b);
	return NULL;
}

void baseline_free(struct baseline *b)
{
	if (!b)
		return;
	g_hash_table_destroy(b->by_name);
	g_array_free(b->entry, TRUE);
	g_free(b);
}

/* -- the difference ---------------------------------------------------------------------------------------- */

struct diff {
	GString *out;
	const struct baseline *b;
	uint64_t tolerance;
	unsigned moved;
};

static void put_moved(struct diff *d, const char *name, enum measure_unit unit, uint64_t was, uint64_t is)
{
	uint64_t ppm = ppm_of(is > was ? is - was : was - is, was), tenths = (ppm + 500) / 1000;

	g_string_append_printf(d->out, "  %-44s ", name);
	measure_put(d->out, unit, was);
	g_string_append(d->out, " -> ");
	measure_put(d->out, unit, is);
	if (was)
		g_string_append_printf(d->out, "  (%c%" G_GUINT64_FORMAT ".%u %%)", is > was ? '+' : '-', tenths / 10,
				       (unsigned)(tenths % 10));
	g_string_append_c(d->out, '\n');
}

static void compare_value(void *user, const char *name, enum measure_unit unit, uint64_t value)
{
	struct diff *d = user;
	unsigned index = GPOINTER_TO_UINT(g_hash_table_lookup(d->b->by_name, name));
	struct entry *e;
	uint64_t change;

	if (!index) {
		g_string_append_printf(d->out, "  %-44s is new\n", name);
		d->moved++;
		return;
	}
	e = &g_array_index(d->b->entry, struct entry, index - 1);
	e->seen = true;
	change = value > e->value ? value - e->value : e->value - value;
	if (!change || (e->value && ppm_of(change, e->value) <= d->tolerance && d->tolerance))
		return;
	put_moved(d, name, unit, e->value, value);
	d->moved++;
}

bool baseline_diff(GString *out, const struct baseline *b, const struct versus *v, uint64_t tolerance)
{
	g_autoptr(GString) lines = g_string_new(NULL);
	struct diff d = { lines, b, tolerance, 0 };
	char percent[32];

	versus_values(v, compare_value, &d);
	for (unsigned i = 0; i < b->entry->len; i++) {
		const struct entry *e = &g_array_index(b->entry, struct entry, i);

		if (e->seen)
			continue;
		g_string_append_printf(lines, "  %-44s is gone\n", e->name);
		d.moved++;
	}
	g_snprintf(percent, sizeof(percent), "%u.%04u", (unsigned)(tolerance / 10000), (unsigned)(tolerance % 10000));
	if (d.moved)
		g_string_append_printf(out, "\nMoved from the baseline by more than %s %%: %u of %u values\n%s", percent, d.moved,
				       b->entry->len, lines->str);
	else
		g_string_append_printf(out, "\nNothing moved from the baseline by more than %s %%: %u values\n", percent,
				       b->entry->len);
	return d.moved;
}

bool baseline_parse_percent(const char *text, uint64_t *ppm)
{
	uint64_t scale = 10000, whole;
	char *end;

	if (!g_ascii_isdigit(*text))
		return false;
	whole = g_ascii_strtoull(text, &end, 10);
	if (whole > 1000000)
		return false;
	*ppm = whole * scale;
	if (*end == '.')
		for (end++; g_ascii_isdigit(*end); end++) {
			scale /= 10;
			*ppm += (uint64_t)(*end - '0') * scale;
		}
	return !*end || !strcmp(end, "%");
}
