// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a kernel tree is and has, and the headers through which its files see the kernel
 * words. The tree's own headers are used where they define locks; every other header that
 * a file asks for exists and is empty, since the words are read before the file.
 */
#include <errno.h>
#include <string.h>

#include <glib/gstdio.h>

#include "sim/cli/cli.h"
#include "sim/cli/kernel_build.h"

/* -- the tree ---------------------------------------------------------------------------------- */

static char *makefile_value(const char *text, const char *word)
{
	g_autofree char *pattern = g_strdup_printf("^%s[ \t]*=[ \t]*(\\S*)[ \t]*$", word);
	g_autoptr(GRegex) regex = g_regex_new(pattern, G_REGEX_MULTILINE, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;

	return g_regex_match(regex, text, 0, &match) ? g_match_info_fetch(match, 1) : g_strdup("");
}

/* From the Makefile of the tree; a bare kernel/locking has none. */
static char *read_version(const char *tree)
{
	g_autofree char *path = g_build_filename(tree, "Makefile", NULL), *text = NULL;
	g_autofree char *major = NULL, *minor = NULL, *sub = NULL, *extra = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return g_strdup("unknown");
	major = makefile_value(text, "VERSION");
	minor = makefile_value(text, "PATCHLEVEL");
	sub = makefile_value(text, "SUBLEVEL");
	extra = makefile_value(text, "EXTRAVERSION");
	if (!*major || !*minor)
		return g_strdup("unknown");
	return g_strdup_printf("%s.%s%s%s%s", major, minor, *sub ? "." : "", sub, extra);
}

/* What a glue file has to know about the tree: a macro where a file of the tree has a text. */
static const struct feature {
	const char *macro, *file, *text;
} features[] = {
	{ "TREE_HAS_RT_WAITER_NODE", "kernel/locking/rtmutex_common.h", "struct rt_waiter_node" },
	{ "TREE_RTMUTEX_PASSES_WAKE_Q", "kernel/locking/rtmutex.c", "struct wake_q_head *wake_q" },
	{ "TREE_RTMUTEX_FIXUP_SAYS_HOW", "kernel/locking/rtmutex.c", "bool acquire_lock" },
	{ "TREE_RWBASE_READERS_PASS", "kernel/locking/rwbase_rt.c", "if (atomic_read(&rwb->readers) != WRITER_BIAS)" },
	{ "TREE_HAS_WW_TRYLOCK_CTX", "include/linux/ww_mutex.h", "ww_mutex_trylock(struct ww_mutex *lock, struct ww_acquire_ctx *ctx)" },
	{ "TREE_MUTEX_PROMISES", "kernel/locking/mutex.c", "__mutex_trylock_or_handoff(" },
	{ "TREE_RWSEM_PROMISES", "kernel/locking/rwsem.c", "bool handoff_set;" },
	{ "TREE_RWSEM_OWNER_ON_CPU", "kernel/locking/rwsem.c", "bool owner_on_cpu(struct task_struct *" },
	{ "TREE_RWSEM_WRITES_BY_STATE", "kernel/locking/rwsem.c", "__down_write_common(" },
	{ "TREE_SEMAPHORE_FIRST_WAITER", "include/linux/semaphore.h", "first_waiter" },
	{ "TREE_MUTEX_FIRST_WAITER", "include/linux/mutex_types.h", "first_waiter" },
	{ "TREE_RWSEM_FIRST_WAITER", "include/linux/rwsem.h", "first_waiter" },
	{ "TREE_LOCK_EVENTS_LIST=<lock_events_list.h>", "kernel/locking/lock_events_list.h", "LOCK_EVENT(" },
};

/* However lines are broken: white space is one blank. */
static bool has_text(const char *tree, const char *file, const char *text)
{
	g_autofree char *path = g_build_filename(tree, file, NULL), *body = NULL;
	char *to;

	if (!g_file_get_contents(path, &body, NULL, NULL))
		return false;
	to = body;
	for (const char *from = body; *from; from++)
		if (!g_ascii_isspace(*from))
			*to++ = *from;
		else if (to > body && to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
	return strstr(body, text);
}

bool kernel_tree_read(struct kernel_build *b)
{
	g_autofree char *locking = g_build_filename(b->tree, "kernel", "locking", NULL);

	if (!g_file_test(locking, G_FILE_TEST_IS_DIR)) {
		cli_error("%s: no kernel tree: it has no kernel/locking", b->tree);
		return false;
	}
	b->version = read_version(b->tree);
	for (unsigned i = 0; i < G_N_ELEMENTS(features); i++)
		if (has_text(b->tree, features[i].file, features[i].text))
			g_ptr_array_add(b->features, g_strconcat("-D", features[i].macro, NULL));
	return true;
}

/* -- headers -------------------------------------------------------------------------------------- */

/* The tree's own: those that define locks. @rt: only under PREEMPT_RT, where locks are made of locks. */
static const struct own_header {
	const char *name;
	bool rt;
} own_headers[] = {
	{ "linux/mutex.h", false },	    { "linux/mutex_types.h", false },
	{ "linux/rwsem.h", false },	    { "linux/rtmutex.h", false },
	{ "linux/rwbase_rt.h", false },	    { "linux/percpu-rwsem.h", false },
	{ "linux/ww_mutex.h", false },	    { "linux/semaphore.h", false },
	{ "linux/osq_lock.h", false },	    { "asm-generic/qspinlock.h", false },
	{ "asm-generic/qspinlock_types.h", false }, { "asm-generic/qrwlock.h", false },
	{ "asm-generic/qrwlock_types.h", false },   { "linux/spinlock_types.h", true },
	{ "linux/compiler-context-analysis.h", false }, { "asm-generic/mcs_spinlock.h", false },
	{ "linux/rwlock_types.h", true },   { "linux/spinlock_rt.h", true },
	{ "linux/rwlock_rt.h", true },
};

static bool write_header(const struct kernel_build *b, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(b->work, "include", name, NULL), *dir = g_path_get_dirname(path);
	g_autoptr(GError) error = NULL;

	if (g_mkdir_with_parents(dir, 0700)) {
		cli_error("%s: %s", dir, g_strerror(errno));
		return false;
	}
	if (!g_file_set_contents(path, text, -1, &error)) {
		cli_error("%s", error->message);
		return false;
	}
	return true;
}

/* What an include that is not the tree's own stands for. libc's own headers reach two of the names. */
static const char *stand_in(const char *name)
{
	if (!strcmp(name, "linux/errno.h"))
		return "#include_next <linux/errno.h>\n";
	if (!strcmp(name, "linux/limits.h"))
		return "#include_next <linux/limits.h>\n";
	if (!strcmp(name, "asm/qspinlock.h"))
		return "#include <asm-generic/qspinlock.h>\n";
	if (!strcmp(name, "linux/spinlock.h"))
		return "#ifdef CONFIG_PREEMPT_RT\n#define __LINUX_INSIDE_SPINLOCK_H\n"
		       "#include <linux/spinlock_types.h>\n#include <linux/spinlock_rt.h>\n#endif\n";
	return "";
}

static bool is_written(const struct kernel_build *b, const char *name)
{
	g_autofree char *path = g_build_filename(b->work, "include", name, NULL);

	return g_file_test(path, G_FILE_TEST_EXISTS);
}

/* Every <header> that @path asks for exists from here on. */
static bool satisfy(struct kernel_build *b, const char *path)
{
	g_autoptr(GRegex) regex = g_regex_new("^[ \t]*#[ \t]*include[ \t]*<([^>]+)>", G_REGEX_MULTILINE, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;
	g_autofree char *text = NULL;
	bool good = true;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return true; /* what is not there asks for nothing */
	g_regex_match(regex, text, 0, &match);
	for (; good && g_match_info_matches(match); g_match_info_next(match, NULL)) {
		g_autofree char *name = g_match_info_fetch(match, 1);

		if (!strstr(name, "..") && !is_written(b, name))
			good = write_header(b, name, stand_in(name));
	}
	return good;
}

static bool write_own(struct kernel_build *b)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(own_headers); i++) {
		const struct own_header *h = &own_headers[i];
		g_autofree char *path = g_build_filename(b->tree, "include", h->name, NULL);
		g_autofree char *text = g_strdup_printf("%s#include \"%s\"\n%s", h->rt ? "#ifdef CONFIG_PREEMPT_RT\n" : "", path,
							h->rt ? "#endif\n" : "");

		if (g_file_test(path, G_FILE_TEST_EXISTS) && !write_header(b, h->name, text))
			return false;
	}
	return true;
}

bool kernel_headers_write(struct kernel_build *b)
{
	g_autofree char *locking = g_build_filename(b->tree, "kernel", "locking", NULL);
	g_autoptr(GDir) dir = g_dir_open(locking, 0, NULL);
	const char *name;
	bool good = write_own(b);

	while (good && dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(locking, name, NULL);

		good = satisfy(b, path);
	}
	for (unsigned i = 0; good && i < G_N_ELEMENTS(own_headers); i++) {
		g_autofree char *path = g_build_filename(b->tree, "include", own_headers[i].name, NULL);

		good = satisfy(b, path);
	}
	return good;
}
