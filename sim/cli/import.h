/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading what others wrote and printing it as a scenario. */
#ifndef SIM_CLI_IMPORT_H
#define SIM_CLI_IMPORT_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

struct import_source { /* a text with mistakes to be told */
	const char *path;
	const char *text;
	gsize len;
	FILE *messages;
	unsigned errors;
};

/* "path:line:column: error: …", the line and a mark; ten at most. */
void import_error(struct import_source *src, unsigned line, unsigned column, const char *fmt, ...)
	G_GNUC_PRINTF(4, 5);
/* The same for a place in the text. */
void import_error_at(struct import_source *src, const char *at, const char *fmt, ...) G_GNUC_PRINTF(3, 4);
/* @text as the inside of a string or comment of the scenario language: no quotes, no line breaks. */
char *import_quote(const char *text);

/* @original as a name that the language allows and @taken does not know; with @suffix if it is a reserved word or taken. */
char *import_name(const char *original, const char *suffix, bool (*taken)(const void *user, const char *name), const void *user);

/*
 * A kernel rt-tester script. @model of the mutexes. @compact: every step stands on the line that it
 * had in the script, so that verdicts name that line. NULL after messages.
 */
GString *import_tst(struct import_source *src, const char *model, bool compact);
/* An rt-app workload. NULL after messages. */
GString *import_rtapp(struct import_source *src);

struct model_ask;
/* A model of Cheddar or MCRTsim. NULL after messages. */
GString *import_xml(struct import_source *src, const struct model_ask *ask);

/* Is @path of a kind that can be imported? By its ending. */
bool import_is_tst(const char *path);
bool import_is_rtapp(const char *path);
bool import_is_xml(const char *path);

#endif
