// SPDX-License-Identifier: GPL-2.0-or-later
/* Compiling and linking a plug-in, and saying which word of a tree is missing and who wanted it. */
#include <dlfcn.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/kernel_build.h"

const struct kernel_glue kernel_glue[] = {
	{ "mutex", false, "mutex and ww-mutex", { "mutex.c", "osq_lock.c" } },
	{ "osq", false, "osq", { "osq_lock.c" } },
	{ "percpu-rwsem", false, "percpu-rwsem", { "percpu-rwsem.c" } },
	{ "qrwlock", false, "qrwlock", { "qrwlock.c", "qspinlock.c" } },
	{ "qspinlock", false, "qspinlock", { "qspinlock.c" } },
	{ "rtmutex", false, "rtmutex", { "rtmutex_api.c", "rtmutex.c" } },
	{ "rwsem", false, "rwsem", { "rwsem.c", "osq_lock.c" } },
	{ "semaphore", false, "semaphore", { "semaphore.c" } },
	{ "rtmutex", true, "rtmutex and mutex", { "rtmutex_api.c", "rtmutex.c" } },
	{ "rwsem-rt", true, "rwsem", { "rwsem.c", "rwbase_rt.c", "rtmutex_api.c" } },
	{ "spinlock-rt", true, "spinlock and rwlock", { "spinlock_rt.c", "rwbase_rt.c", "rtmutex_api.c" } },
	{ "ww-rt", true, "ww-mutex", { "ww_rt_mutex.c", "rtmutex.c", "ww_mutex.h", "rtmutex_api.c" } },
	{ NULL }
};

bool kernel_spawn(const char *const *argv, char **said)
{
	g_autoptr(GError) error = NULL;
	int status;

	*said = NULL;
	if (!g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, said,
			  &status, &error)) {
		cli_error("%s: %s", argv[0], error->message);
		return false;
	}
	return g_spawn_check_wait_status(status, NULL);
}

/* -- compiling ------------------------------------------------------------------------------------ */

static GPtrArray *compiler_line(const struct kernel_build *b, bool rt)
{
	static const char *const fixed[] = { "-std=gnu11", "-O2", "-g1", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing",
					     "-fno-omit-frame-pointer", "-fno-common",
					     "-Werror=implicit-function-declaration", "-Werror=implicit-int",
					     "-Werror=int-conversion", "-Werror=incompatible-pointer-types", "-D_GNU_SOURCE",
					     "-DTREE_FILE(file)=<file>", "-DLOCKSTEP_VERSION=\"" LOCKSTEP_VERSION "\"" };
	GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);

	g_ptr_array_add(argv, g_strdup(b->compiler));
	for (unsigned i = 0; i < G_N_ELEMENTS(fixed); i++)
		g_ptr_array_add(argv, g_strdup(fixed[i]));
	for (unsigned i = 0; i < b->features->len; i++)
		g_ptr_array_add(argv, g_strdup(b->features->pdata[i]));
	if (rt)
		g_ptr_array_add(argv, g_strdup("-DLOCKSTEP_RT"));
	g_ptr_array_add(argv, g_strdup_printf("-DTREE_VERSION=\"%s\"", b->version));
	g_ptr_array_add(argv, g_strdup_printf("-DPLUGIN_NAME=\"%s\"", b->name));
	g_ptr_array_add(argv, g_strdup_printf("-I%s/include", b->work));
	g_ptr_array_add(argv, g_strdup_printf("-I%s", b->words));
	g_ptr_array_add(argv, g_strdup_printf("-ffile-prefix-map=%s=.", b->work));
	/* behind the others; not as a system directory, where compilers keep silent */
	g_ptr_array_add(argv, g_strdup_printf("-I%s/kernel/locking", b->tree));
	g_ptr_array_add(argv, g_strdup("-include"));
	g_ptr_array_add(argv, g_strdup("models/kernel/words.h"));
	return argv;
}

/* Of the compiler's many lines, those that say what is wrong: "FILE:LINE:…: error: …". */
static void print_errors(const char *said)
{
	g_auto(GStrv) lines = g_strsplit(said ? said : "", "\n", -1);
	unsigned n = 0;

	for (unsigned i = 0; lines[i]; i++)
		if (strstr(lines[i], "error: ") && n++ < 10)
			fprintf(stderr, "  %s\n", lines[i]);
	if (!n)
		fprintf(stderr, "%s", said ? said : "");
	else if (n > 10)
		fprintf(stderr, "  and %u more\n", n - 10);
}

static char *compile(struct kernel_build *b, const char *source, bool rt, const char *what)
{
	g_autoptr(GPtrArray) argv = compiler_line(b, rt);
	g_autofree char *base = g_path_get_basename(source), *said = NULL;
	char *object = g_strdup_printf("%s/%s%s.o", b->work, rt ? "rt-" : "", base);

	g_ptr_array_add(argv, g_strdup("-c"));
	g_ptr_array_add(argv, g_strdup_printf("%s/models/kernel/%s", b->words, source));
	g_ptr_array_add(argv, g_strdup("-o"));
	g_ptr_array_add(argv, g_strdup(object));
	g_ptr_array_add(argv, NULL);
	if (kernel_spawn((const char *const *)argv->pdata, &said))
		return object;
	cli_error("%s%s: does not compile", rt ? "PREEMPT_RT " : "", what);
	print_errors(said);
	fprintf(stderr, "a word that is missing belongs into models/kernel/; one that is there with other arguments or of another "
			"type:\nthe tree's files are of different versions (a header or a file taken from elsewhere), or the word "
			"has changed\n");
	b->errors++;
	g_free(object);
	return NULL;
}

char *kernel_compile(struct kernel_build *b, const struct kernel_glue *g)
{
	g_autofree char *source = g_strdup_printf("glue/%s.c", g->file);

	for (unsigned i = 0; i < G_N_ELEMENTS(g->need) && g->need[i]; i++) {
		g_autofree char *path = g_build_filename(b->tree, "kernel/locking", g->need[i], NULL);

		if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
			fprintf(stderr, "%s%s: left out, the tree has no kernel/locking/%s\n", g->rt ? "PREEMPT_RT " : "", g->lock,
				g->need[i]);
			return NULL;
		}
	}
	return compile(b, source, g->rt, g->lock);
}

char *kernel_compile_own(struct kernel_build *b, const char *file)
{
	return compile(b, file, false, file);
}

/* -- linking ---------------------------------------------------------------------------------------- */

/* One object of a configuration; what its files share among themselves becomes local to it. */
static char *combine(struct kernel_build *b, GPtrArray *objects, const char *name)
{
	g_autofree char *said = NULL;
	char *out = g_strdup_printf("%s/%s.o", b->work, name);
	g_autoptr(GPtrArray) argv = g_ptr_array_new();
	const char *localize[] = { "objcopy", "--localize-hidden", out, NULL };

	g_ptr_array_add(argv, b->compiler);
	g_ptr_array_add(argv, (char *)"-r");
	g_ptr_array_add(argv, (char *)"-nostdlib");
	for (unsigned i = 0; i < objects->len; i++)
		g_ptr_array_add(argv, objects->pdata[i]);
	g_ptr_array_add(argv, (char *)"-o");
	g_ptr_array_add(argv, out);
	g_ptr_array_add(argv, NULL);
	if (kernel_spawn((const char *const *)argv->pdata, &said)) {
		g_clear_pointer(&said, g_free);
		if (kernel_spawn(localize, &said))
			return out;
	}
	cli_error("cannot combine the objects:\n%s", said ? said : "");
	g_free(out);
	return NULL;
}

/* The linker names every word that is nowhere defined; those that lockstep has itself are fine. True: all are. */
static bool words_are_there(const char *said)
{
	g_autoptr(GRegex) regex = g_regex_new("^(?:[^\n]*ld[^\n:]*: )?([^\n]*?): (?:warning: )?undefined reference to [`']([^']+)'",
					      G_REGEX_MULTILINE, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;
	g_autoptr(GHashTable) told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL); /* asked, never walked */
	bool good = true;

	g_regex_match(regex, said ? said : "", 0, &match);
	for (; g_match_info_matches(match); g_match_info_next(match, NULL)) {
		g_autofree char *where = g_match_info_fetch(match, 1), *word = g_match_info_fetch(match, 2);

		if (dlsym(RTLD_DEFAULT, word))
			continue;
		if (good)
			cli_error("words are missing; they belong into models/kernel/");
		good = false;
		if (g_hash_table_add(told, g_strconcat(where, " ", word, NULL)))
			fprintf(stderr, "  %s: wants %s\n", where, word);
	}
	return good;
}

bool kernel_link(struct kernel_build *b, GPtrArray *const objects[2], GPtrArray *own, const char *out)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new();
	g_autofree char *said = NULL;
	char *part[2] = { NULL, NULL };
	static const char *const how[] = { "-shared", "-Wl,-Bsymbolic", "-Wl,-z,now", "-Wl,-z,relro", "-Wl,--no-undefined",
					   "-Wl,--warn-unresolved-symbols", "-Wl,--build-id=none", "-o" };
	bool good = true;

	g_ptr_array_add(argv, b->compiler);
	for (unsigned i = 0; i < G_N_ELEMENTS(how); i++)
		g_ptr_array_add(argv, (char *)how[i]);
	g_ptr_array_add(argv, (char *)out);
	for (unsigned rt = 0; rt < 2; rt++) {
		if (!objects[rt]->len)
			continue;
		part[rt] = combine(b, objects[rt], rt ? "preempt-rt" : "plain");
		if (!part[rt])
			good = false;
		g_ptr_array_add(argv, part[rt]);
	}
	for (unsigned i = 0; i < own->len; i++)
		g_ptr_array_add(argv, own->pdata[i]);
	g_ptr_array_add(argv, NULL);
	if (good && !kernel_spawn((const char *const *)argv->pdata, &said)) {
		cli_error("cannot link %s:\n%s", out, said ? said : "");
		good = false;
	}
	good = good && words_are_there(said);
	g_free(part[0]);
	g_free(part[1]);
	return good;
}
