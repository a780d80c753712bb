/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of one scenario: nodes and strings are carved from chunks and freed together.
 * Nothing is ever given back alone, so a half-parsed text needs no clean-up of its own.
 */
#ifndef SIM_SCENARIO_MEMORY_H
#define SIM_SCENARIO_MEMORY_H

#include <stddef.h>

struct scn_memory;

struct scn_memory *scn_memory_create(void);
void scn_memory_destroy(struct scn_memory *m); /* takes NULL */
/* Zeroed and aligned for any type; never NULL. */
void *scn_alloc(struct scn_memory *m, size_t bytes);
/* A copy of @len bytes at @text, ended by a NUL. */
char *scn_strndup(struct scn_memory *m, const char *text, size_t len);
/* Lets @m free @block (from g_malloc) with the rest. */
void scn_memory_adopt(struct scn_memory *m, void *block);

#define scn_new(m, type) ((type *)scn_alloc((m), sizeof(type)))
#define scn_new_array(m, type, n) ((type *)scn_alloc((m), sizeof(type) * (n)))

#endif
