/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/scenario/memory.h"

#include <stdint.h>
#include <string.h>

#include <glib.h>

#define CHUNK_BYTES 65536

struct scn_memory {
	GPtrArray *blocks; /* every chunk, large node and adopted block */
	char *chunk;       /* the chunk that is being carved */
	size_t left;       /* bytes of it */
};

struct scn_memory *scn_memory_create(void)
{
	struct scn_memory *m = g_new0(struct scn_memory, 1);

	m->blocks = g_ptr_array_new_with_free_func(g_free);
	return m;
}

void scn_memory_destroy(struct scn_memory *m)
{
	if (!m)
		return;
	g_ptr_array_free(m->blocks, TRUE);
	g_free(m);
}

void *scn_alloc(struct scn_memory *m, size_t bytes)
{
	void *p;

	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes > CHUNK_BYTES / 4) { /* a large node gets a block of its own */
		p = g_malloc0(bytes);
		g_ptr_array_add(m->blocks, p);
		return p;
	}
	if (bytes > m->left) {
		m->chunk = g_malloc0(CHUNK_BYTES);
		m->left = CHUNK_BYTES;
		g_ptr_array_add(m->blocks, m->chunk);
	}
	p = m->chunk;
	m->chunk += bytes;
	m->left -= bytes;
	return p;
}

char *scn_strndup(struct scn_memory *m, const char *text, size_t len)
{
	char *copy = scn_alloc(m, len + 1);

	memcpy(copy, text, len);
	return copy;
}

void scn_memory_adopt(struct scn_memory *m, void *block)
{
	g_ptr_array_add(m->blocks, block);
}
