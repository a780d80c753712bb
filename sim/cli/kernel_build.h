/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a kernel tree to a plug-in:
 *
 *   tree ── kernel_headers_write() ──> headers that forward to the tree's, or are empty
 *        ── kernel_compile() ────────> one object per glue file and configuration
 *        ── kernel_link() ───────────> NAME.so
 *
 * All work files are in a directory of its own below the system's temporary one.
 */
#ifndef SIM_CLI_KERNEL_BUILD_H
#define SIM_CLI_KERNEL_BUILD_H

#include <glib.h>
#include <stdbool.h>

struct kernel_build {
	char *tree;	/* absolute path */
	char *version;	/* "6.1.192", or "unknown" */
	char *name;	/* of the plug-in */
	char *words;	/* where sim/ and models/kernel/ are: the root of their includes */
	char *work;	/* temporary directory */
	char *compiler;
	bool keep_going;
	GPtrArray *features; /* "-DTREE_HAS_…" */
	unsigned errors;
};

/* Everything below prints its messages to stderr and returns false when it failed. */

/* Fills version and features; false if @b->tree is no kernel tree. */
bool kernel_tree_read(struct kernel_build *b);
bool kernel_headers_write(struct kernel_build *b);

/* What the plug-in is made of: one glue file. */
struct kernel_glue {
	const char *file;    /* in models/kernel/glue/, without .c */
	bool rt;	     /* the PREEMPT_RT configuration */
	const char *lock;    /* what it is called in messages */
	const char *need[4]; /* files of kernel/locking/ without which it is left out */
};
extern const struct kernel_glue kernel_glue[];

/* Runs @argv; its stderr in *@said (caller frees). False if it could not be started or failed. */
bool kernel_spawn(const char *const *argv, char **said);
/* The object that was made, or NULL: left out or failed. */
char *kernel_compile(struct kernel_build *b, const struct kernel_glue *g);
/* The file of models/kernel/ that is part of every plug-in. */
char *kernel_compile_own(struct kernel_build *b, const char *file);
/* @objects: by configuration, [0] plain, [1] PREEMPT_RT; @own: shared. */
bool kernel_link(struct kernel_build *b, GPtrArray *const objects[2], GPtrArray *own, const char *out);

#endif
