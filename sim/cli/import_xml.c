// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/import_xml.h"

#include <string.h>

#define DEEPEST 64
#define ELEMENTS 200000

struct reader {
	struct import_source *src;
	struct xml *root, *open;
	unsigned depth, elements;
	const char *line_start; /* GMarkup tells lines and characters, in ascending order */
	int line;
};

void xml_free(struct xml *x)
{
	if (!x)
		return;
	for (guint i = 0; i < x->attribute->len; i++) {
		g_free(g_array_index(x->attribute, struct xml_attribute, i).name);
		g_free(g_array_index(x->attribute, struct xml_attribute, i).value);
	}
	g_array_unref(x->attribute);
	g_ptr_array_unref(x->child);
	g_free(x->name);
	g_free(x->text);
	g_free(x);
}

/* -- places ---------------------------------------------------------------------------------------- */

static const char *line_of(struct reader *r, int line)
{
	while (r->line < line) {
		const char *end = strchr(r->line_start, '\n');

		if (!end)
			break;
		r->line_start = end + 1;
		r->line++;
	}
	return r->line_start;
}

/* Where the tag begins that ends at GMarkup's place. */
static const char *tag_start(struct reader *r, GMarkupParseContext *context)
{
	int line, column;
	const char *at;

	g_markup_parse_context_get_position(context, &line, &column);
	at = line_of(r, line);
	while (column > 1 && *at && *at != '\n') {
		at = g_utf8_next_char(at);
		column--;
	}
	while (at > r->src->text && *at != '<')
		at--;
	return at;
}

/* -- GMarkup --------------------------------------------------------------------------------------- */

static void start_element(GMarkupParseContext *context, const char *name, const char **names,
			  const char **values, gpointer user, GError **error)
{
	struct reader *r = user;
	struct xml *x;

	if (++r->depth > DEEPEST || ++r->elements > ELEMENTS) {
		g_set_error(error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, "more than %d %s",
			    r->depth > DEEPEST ? DEEPEST : ELEMENTS,
			    r->depth > DEEPEST ? "levels of elements" : "elements");
		return;
	}
	x = g_new0(struct xml, 1);
	x->name = g_strdup(name);
	x->text = g_strdup("");
	x->at = tag_start(r, context);
	x->child = g_ptr_array_new_with_free_func((GDestroyNotify)xml_free);
	x->attribute = g_array_new(FALSE, FALSE, sizeof(struct xml_attribute));
	x->parent = r->open;
	for (unsigned i = 0; names[i]; i++) {
		struct xml_attribute a = {.name = g_strdup(names[i]), .value = g_strdup(values[i])};

		g_array_append_val(x->attribute, a);
	}
	if (r->open)
		g_ptr_array_add(r->open->child, x);
	else
		r->root = x;
	r->open = x;
}

static void end_element(GMarkupParseContext *context, const char *name, gpointer user, GError **error)
{
	struct reader *r = user;

	r->open = r->open->parent;
	r->depth--;
}

static void take_text(GMarkupParseContext *context, const char *text, gsize len, gpointer user,
		      GError **error)
{
	struct reader *r = user;
	g_autofree char *part = g_strstrip(g_strndup(text, len));
	char *both;

	if (!r->open || !*part)
		return;
	both = g_strconcat(r->open->text, *r->open->text ? " " : "", part, NULL);
	g_free(r->open->text);
	r->open->text = both;
}

/* "Error on line 3 char 5: TEXT"; its own quotes are not ASCII. */
static void tell(struct import_source *src, const char *message)
{
	unsigned line = 1, column = 1;
	g_autoptr(GString) text = g_string_new(message);

	if (sscanf(message, "Error on line %u char %u", &line, &column) == 2 && strstr(message, ": "))
		g_string_erase(text, 0, strstr(message, ": ") + 2 - message);
	g_string_replace(text, "\u201c", "\"", 0);
	g_string_replace(text, "\u201d", "\"", 0);
	g_string_replace(text, "\u2018", "\"", 0);
	g_string_replace(text, "\u2019", "\"", 0);
	g_string_replace(text, "\u2014", "-", 0);
	import_error(src, MAX(line, 1), MAX(column, 1), "%s", text->str);
}

/* Cheddar's older files may declare it; GMarkup reads UTF-8 only. */
static char *to_utf8(const struct import_source *src)
{
	const char *end = strstr(src->text, "?>"), *encoding = strstr(src->text, "encoding=");

	if (!end || !encoding || encoding > end ||
	    g_ascii_strncasecmp(encoding + strlen("encoding=?"), "iso-8859-1", 10))
		return NULL;
	return g_convert(src->text, (gssize)src->len, "UTF-8", "ISO-8859-1", NULL, NULL, NULL);
}

struct xml *xml_read(struct import_source *src, char **converted)
{
	static const GMarkupParser parser = {
		.start_element = start_element, .end_element = end_element, .text = take_text};
	struct reader r = {.src = src, .line = 1};
	g_autoptr(GMarkupParseContext) context = NULL;
	g_autoptr(GError) error = NULL;

	*converted = NULL;
	if (strlen(src->text) != src->len) {
		import_error(src, 1, 1, "this is no text: it has a byte 0");
		return NULL;
	}
	*converted = to_utf8(src);
	if (*converted) {
		src->text = *converted;
		src->len = strlen(*converted);
	}
	r.line_start = src->text;
	context = g_markup_parse_context_new(
		&parser, G_MARKUP_TREAT_CDATA_AS_TEXT | G_MARKUP_PREFIX_ERROR_POSITION, &r, NULL);
	if (g_markup_parse_context_parse(context, src->text, (gssize)src->len, &error) &&
	    g_markup_parse_context_end_parse(context, &error))
		return r.root;
	tell(src, error->message);
	xml_free(r.root);
	return NULL;
}

/* -- looking --------------------------------------------------------------------------------------- */

struct xml *xml_child(const struct xml *x, const char *name)
{
	for (guint i = 0; x && i < x->child->len; i++) {
		struct xml *c = x->child->pdata[i];

		if (!strcmp(c->name, name))
			return c;
	}
	return NULL;
}

const char *xml_text(struct xml *x, const char *name)
{
	struct xml *c = xml_child(x, name);

	if (!c)
		return NULL;
	c->used = true;
	return c->text;
}

const char *xml_attribute(struct xml *x, const char *name)
{
	for (guint i = 0; x && i < x->attribute->len; i++) {
		struct xml_attribute *a = &g_array_index(x->attribute, struct xml_attribute, i);

		if (!strcmp(a->name, name)) {
			a->used = true;
			return a->value;
		}
	}
	return NULL;
}

void xml_unused(const struct xml *x,
		void (*take)(void *user, const struct xml *x, const char *name, const char *value),
		void *user)
{
	for (guint i = 0; i < x->attribute->len; i++) {
		const struct xml_attribute *a = &g_array_index(x->attribute, struct xml_attribute, i);
		g_autofree char *name = g_strdup_printf("%s@%s", x->name, a->name);

		if (!a->used)
			take(user, x, name, a->value);
	}
	if (!x->used && *x->text)
		take(user, x, x->name, x->text);
	for (guint i = 0; i < x->child->len; i++)
		xml_unused(x->child->pdata[i], take, user);
}
