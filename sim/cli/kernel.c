// SPDX-License-Identifier: GPL-2.0-or-later
/* lockstep kernel build: makes a plug-in of a kernel tree's own lock files. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "sim/cli/cli.h"
#include "sim/cli/kernel_build.h"
#include "sim/core/check.h"

static struct {
	char *tree, *name, *out;
	char **lock;
	gboolean keep_going;
} asked;

static const GOptionEntry own_options[] = {
	{ "tree", 0, 0, G_OPTION_ARG_FILENAME, &asked.tree, "The kernel tree (default: the present directory)", "DIR" },
	{ "name", 0, 0, G_OPTION_ARG_STRING, &asked.name, "Name of the plug-in (default: v and the tree's version)", "NAME" },
	{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &asked.out, "Where to write NAME.so (default: the present directory)", "DIR" },
	{ "lock", 0, 0, G_OPTION_ARG_STRING_ARRAY, &asked.lock, "Only this lock, e.g. rwsem or rt:rwsem (may be repeated)", "NAME" },
	{ "keep-going", 'k', 0, G_OPTION_ARG_NONE, &asked.keep_going, "Leave out what does not compile", NULL },
	G_OPTION_ENTRY_NULL,
};

/* Where the words are: beside the sources when run out of a build directory, else where they were installed. */
static char *find_words(void)
{
	const char *said = g_getenv("LOCKSTEP_KERNEL_WORDS");
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);

	if (said && *said)
		return g_strdup(said);
	if (self && g_str_has_prefix(self, LOCKSTEP_BUILD_ROOT "/"))
		return g_strdup(LOCKSTEP_SOURCE_ROOT);
	return g_build_filename(LOCKSTEP_DATADIR, "kernel", NULL);
}

static char *default_name(const char *version)
{
	g_auto(GStrv) part = g_strsplit(version, ".", 3);

	if (!part[0] || !part[1])
		return g_strdup("tree");
	return g_strdup_printf("v%s.%s", part[0], part[1]);
}

static void remove_tree(const char *path)
{
	GDir *dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *below = g_build_filename(path, name, NULL);

		if (g_file_test(below, G_FILE_TEST_IS_DIR) && !g_file_test(below, G_FILE_TEST_IS_SYMLINK))
			remove_tree(below);
		else
			g_unlink(below);
	}
	if (dir)
		g_dir_close(dir);
	g_rmdir(path);
}

static void build_clear(struct kernel_build *b)
{
	if (b->work)
		remove_tree(b->work);
	g_free(b->work);
	g_free(b->tree);
	g_free(b->version);
	g_free(b->name);
	g_free(b->words);
	g_free(b->compiler);
	g_ptr_array_free(b->features, TRUE);
}

static bool has_tools(const struct kernel_build *b)
{
	const char *const tool[] = { b->compiler, "objcopy" };

	for (unsigned i = 0; i < G_N_ELEMENTS(tool); i++) {
		g_autofree char *path = g_find_program_in_path(tool[i]);

		if (!path) {
			cli_error("%s is not installed; a C compiler (CC, else cc) and objcopy are needed", tool[i]);
			return false;
		}
	}
	return true;
}

static bool prepare(struct kernel_build *b)
{
	g_autoptr(GError) error = NULL;
	const char *compiler = g_getenv("CC");

	b->features = g_ptr_array_new_with_free_func(g_free);
	b->tree = g_canonicalize_filename(asked.tree ? asked.tree : ".", NULL);
	b->words = find_words();
	b->compiler = g_strdup(compiler && *compiler ? compiler : "cc");
	b->keep_going = asked.keep_going;
	if (!has_tools(b) || !kernel_tree_read(b))
		return false;
	b->name = asked.name ? g_strdup(asked.name) : default_name(b->version);
	b->work = g_dir_make_tmp("lockstep-kernel-XXXXXX", &error);
	if (!b->work) {
		cli_error("%s", error->message);
		return false;
	}
	return kernel_headers_write(b);
}

/* "kernel:mutex …" of one configuration. */
static void say_built(const char *name, bool rt, const GString *locks)
{
	if (locks->len)
		printf("  %s%s:%*s%s\n", name, rt ? "-rt" : "", rt ? 1 : 4, "", locks->str);
}

/* Does @name, "rwsem" or "rt:rwsem", mean a lock of @g, whose text names them as in "mutex and ww-mutex"? */
static bool makes(const struct kernel_glue *g, const char *name)
{
	g_auto(GStrv) part = g_strsplit(g->lock, " and ", -1);

	if (g_str_has_prefix(name, "rt:") != g->rt)
		return false;
	return g_strv_contains((const char *const *)part, g->rt ? name + strlen("rt:") : name);
}

/* Is the file that @g is made of needed by @by? */
static bool is_needed(const struct kernel_glue *g, const struct kernel_glue *by)
{
	for (unsigned i = 0; g->rt == by->rt && i < G_N_ELEMENTS(by->need) && by->need[i]; i++)
		if (!strcmp(by->need[i], g->need[0]))
			return true;
	return false;
}

/* A lock that was asked for, or what such a one is made of. */
static bool is_asked(const struct kernel_glue *g)
{
	for (unsigned i = 0; asked.lock && asked.lock[i]; i++)
		for (const struct kernel_glue *by = kernel_glue; by->file; by++)
			if (makes(by, asked.lock[i]) && is_needed(g, by))
				return true;
	return !asked.lock;
}

static bool locks_are_known(void)
{
	for (unsigned i = 0; asked.lock && asked.lock[i]; i++) {
		const struct kernel_glue *g = kernel_glue;

		while (g->file && !makes(g, asked.lock[i]))
			g++;
		if (g->file)
			continue;
		cli_error("--lock %s: there is no such lock; those that are made:", asked.lock[i]);
		for (g = kernel_glue; g->file; g++)
			fprintf(stderr, "  %s%s\n", g->rt ? "PREEMPT_RT (rt:): " : "", g->lock);
		return false;
	}
	return true;
}

#define GLUES 16

/* A lock that is made of one that was left out can only be left out, too: "osq" of "rwsem". */
static void leave_out(char *object[GLUES])
{
	for (unsigned i = 0; kernel_glue[i].file; i++)
		for (unsigned n = 0; kernel_glue[n].file && object[i]; n++) {
			if (object[n] || n == i || !is_needed(&kernel_glue[n], &kernel_glue[i]))
				continue;
			fprintf(stderr, "%s%s: left out, it is made of %s\n", kernel_glue[i].rt ? "PREEMPT_RT " : "",
				kernel_glue[i].lock, kernel_glue[n].lock);
			g_clear_pointer(&object[i], g_free);
		}
}

static bool compile_all(struct kernel_build *b, GPtrArray *const objects[2], GPtrArray *own, GString *const locks[2])
{
	static const char *const parts[] = { "plugin.c", "wait.c" };
	char *object[GLUES] = { NULL };

	for (unsigned i = 0; kernel_glue[i].file; i++) {
		sim_assert(i < GLUES);
		object[i] = is_asked(&kernel_glue[i]) ? kernel_compile(b, &kernel_glue[i]) : NULL;
	}
	if (b->keep_going)
		leave_out(object);
	for (unsigned i = 0; kernel_glue[i].file; i++) {
		const struct kernel_glue *g = &kernel_glue[i];

		if (!object[i])
			continue;
		g_ptr_array_add(objects[g->rt], object[i]);
		g_string_append_printf(locks[g->rt], "%s%s", locks[g->rt]->len ? ", " : "", g->lock);
	}
	if (b->errors && !b->keep_going)
		return false;
	for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++) {
		char *part = kernel_compile_own(b, parts[i]);

		if (!part)
			return false;
		g_ptr_array_add(own, part);
	}
	if (!objects[0]->len && !objects[1]->len) {
		cli_error("%s: nothing in it could be built", b->tree);
		return false;
	}
	return true;
}

/* What was there before is replaced in one step, and only by what was built in full. */
static bool deliver(const char *made, const char *out)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *bytes = NULL;
	size_t len;

	if (g_file_get_contents(made, &bytes, &len, &error) && g_file_set_contents(out, bytes, (gssize)len, &error))
		return true;
	cli_error("%s", error->message);
	return false;
}

static int build(void)
{
	struct kernel_build b = { 0 };
	g_autoptr(GPtrArray) plain = g_ptr_array_new_with_free_func(g_free), rt = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) own = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GString) plain_locks = g_string_new(NULL), rt_locks = g_string_new(NULL);
	GPtrArray *const objects[2] = { plain, rt };
	GString *const locks[2] = { plain_locks, rt_locks };
	g_autofree char *out = NULL, *file = NULL, *made = NULL;
	bool good = prepare(&b);

	if (good) {
		file = g_strconcat(b.name, ".so", NULL);
		out = g_build_filename(asked.out ? asked.out : ".", file, NULL);
		made = g_build_filename(b.work, file, NULL);
		good = compile_all(&b, objects, own, locks) && kernel_link(&b, objects, own, made) && deliver(made, out);
	}
	if (good) {
		printf("%s: Linux %s\n", out, b.version);
		say_built(b.name, false, plain_locks);
		say_built(b.name, true, rt_locks);
	}
	build_clear(&b);
	return good ? CLI_FINE : CLI_WORLD;
}

static int run(int argc, char **argv)
{
	if (argc != 1 || strcmp(argv[0], "build") != 0) {
		cli_error("the one thing to do is `lockstep kernel build --tree DIR`");
		return CLI_WRONG;
	}
	if (asked.name && (!*asked.name || asked.name[strspn(asked.name, "abcdefghijklmnopqrstuvwxyz0123456789._-")])) {
		cli_error("--name %s: a name consists of a-z, 0-9, \".\", \"_\", \"-\"", asked.name);
		return CLI_WRONG;
	}
	if (!locks_are_known())
		return CLI_WRONG;
	return build();
}

static const GOptionEntry *const groups[] = { own_options, cli_bisect_options, NULL };

const struct cli_verb verb_kernel = {
	.name = "kernel",
	.args = "build",
	.summary = "Make a plug-in of a kernel tree's own lock files",
	.more = "Compiles kernel/locking/ of the tree, not one line changed, over Lockstep's kernel words. Use:\n"
		"  lockstep kernel build --tree ~/linux --name mine\n"
		"  lockstep run --kernel mine.so --set mm=mine:rwsem scenario.lks\n"
		"Exit status: 0 fine; 2 the command line is wrong; 3 there is no tree, or it does not compile.\n",
	.groups = groups,
	.run = run,
};
