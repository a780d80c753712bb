/* SPDX-License-Identifier: GPL-2.0-or-later */
/* XML as a tree in which every element knows its place, and whether anybody looked at it. */
#ifndef SIM_CLI_IMPORT_XML_H
#define SIM_CLI_IMPORT_XML_H

#include "sim/cli/import.h"

struct xml_attribute {
	char *name, *value;
	bool used;
};

struct xml {
	char *name;
	char *text;        /* its own, without blanks at the ends; "" */
	const char *at;    /* of its "<" in the source */
	bool used;         /* its text was asked for */
	GPtrArray *child;  /* struct xml */
	GArray *attribute; /* struct xml_attribute */
	struct xml *parent;
};

/* The outermost element, or NULL after a message. Texts declared as ISO-8859-1 are converted: src->text is
 * replaced then. */
struct xml *xml_read(struct import_source *src, char **converted);
void xml_free(struct xml *x);

/* The first child of that name, or NULL; @x may be NULL. */
struct xml *xml_child(const struct xml *x, const char *name);
/* The text of that child, or NULL; marks it as used. */
const char *xml_text(struct xml *x, const char *name);
/* The value of an attribute, or NULL; marks it as used. */
const char *xml_attribute(struct xml *x, const char *name);

/* @take is told of everything below @x that has a value and was not used: "name" of an element or
 * "name@attribute". */
void xml_unused(const struct xml *x,
		void (*take)(void *user, const struct xml *x, const char *name, const char *value),
		void *user);

#endif
