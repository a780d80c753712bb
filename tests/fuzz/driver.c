/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a fuzz target over files, and over simple damage to each: cut short, a byte
 * changed, a piece doubled. No fuzzer needed, the same on every run.
 *
 *   driver [--damage=N] FILE-OR-FOLDER...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "tests/fuzz/fuzz.h"

static unsigned damage = 20, inputs;

static uint32_t below(uint64_t *state, uint32_t n)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return n ? (uint32_t)(*state >> 33) % n : 0;
}

static void feed(const uint8_t *data, size_t len)
{
	/* Exactly as long as it says, so that a sanitizer sees one byte too far. */
	uint8_t *copy = malloc(len ? len : 1);

	memcpy(copy, data, len);
	LLVMFuzzerTestOneInput(copy, len);
	free(copy);
	inputs++;
}

static void feed_damaged(const uint8_t *data, size_t len, uint64_t *state)
{
	g_autofree uint8_t *copy = g_malloc(2 * len + 1);
	uint32_t at = below(state, (uint32_t)len), piece = below(state, 16);
	size_t n = len;

	memcpy(copy, data, len);
	switch (below(state, 4)) {
	case 0:
		n = at;
		break;
	case 1:
		copy[at] = (uint8_t)below(state, 256);
		break;
	case 2:
		copy[at] = (uint8_t)"{}()[]:=.-$\"#\n0"[below(state, 15)];
		break;
	case 3:
		piece = piece > len - at ? (uint32_t)(len - at) : piece;
		memmove(copy + at + piece, data + at, len - at);
		n = len + piece;
		break;
	}
	feed(copy, n);
}

static void feed_file(const char *path)
{
	g_autofree char *text = NULL;
	gsize len;
	uint64_t state = 1;

	if (!g_file_get_contents(path, &text, &len, NULL)) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(3);
	}
	feed((const uint8_t *)text, len);
	for (unsigned i = 0; i < damage && len; i++)
		feed_damaged((const uint8_t *)text, len, &state);
}

static int by_name(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void feed_folder(const char *path)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	GDir *dir = g_dir_open(path, 0, NULL);
	const char *name;

	if (!dir) {
		feed_file(path);
		return;
	}
	while ((name = g_dir_read_name(dir)))
		if (!g_str_has_suffix(name, ".err") && !g_str_has_suffix(name, ".c") && !g_str_has_suffix(name, ".build") &&
		    !g_str_has_suffix(name, ".txt"))
			g_ptr_array_add(names, g_build_filename(path, name, NULL));
	g_dir_close(dir);
	g_ptr_array_sort(names, by_name);
	for (unsigned i = 0; i < names->len; i++)
		feed_folder(names->pdata[i]);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (g_str_has_prefix(argv[i], "--damage="))
			damage = (unsigned)strtoul(argv[i] + 9, NULL, 10);
		else
			feed_folder(argv[i]);
	printf("%u inputs\n", inputs);
	return inputs ? 0 : 2;
}
