// SPDX-License-Identifier: GPL-2.0-or-later
/* Loads plug-ins and takes them back to the state after loading. */
#include "sim/run/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "sim/machine/machine.h"
#include "sim/plugin.h"
#include "sim/run/registry.h"

#define PARTS_MAX 4

struct plugin {
	char *name; /* under which its models are known */
	const struct kernel_plugin *entry;
	struct part { /* of its writable memory */
		char *start;
		size_t bytes;
		char *saved;
	} part[PARTS_MAX];
	unsigned nparts;
	uintptr_t base; /* load address */
	uintptr_t code, code_end;
	char *path; /* as it was named: where its symbols are */
};

static GPtrArray *plugins;

/* -- the writable image ----------------------------------------------------------------------- */

static void add_part(struct plugin *p, uintptr_t from, uintptr_t to)
{
	if (from >= to)
		return;
	sim_assert(p->nparts < PARTS_MAX);
	p->part[p->nparts++] = (struct part){ (char *)from, to - from, NULL };
}

/* Writable segments, less what the loader made read-only after relocation. */
static int find_parts(struct dl_phdr_info *info, size_t size, void *data)
{
	struct plugin *p = data;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), ro_from = 0, ro_to = 0;

	if (info->dlpi_addr != p->base)
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
			ro_from = p->base + info->dlpi_phdr[i].p_vaddr;
			ro_to = (ro_from + info->dlpi_phdr[i].p_memsz) / page * page;
		}
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t from = p->base + ph->p_vaddr, to = from + ph->p_memsz;

		if (ph->p_type == PT_LOAD && (ph->p_flags & PF_X)) {
			p->code = from;
			p->code_end = to;
		}
		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_W))
			continue;
		if (ro_from >= from && ro_from < to) {
			add_part(p, from, ro_from);
			from = MAX(ro_to, from);
		}
		add_part(p, from, to);
	}
	return 1;
}

static void save_image(struct plugin *p, void *handle)
{
	struct link_map *map = NULL;

	dlinfo(handle, RTLD_DI_LINKMAP, &map);
	sim_assert(map);
	p->base = map->l_addr;
	dl_iterate_phdr(find_parts, p);
	for (unsigned i = 0; i < p->nparts; i++)
		p->part[i].saved = g_memdup2(p->part[i].start, p->part[i].bytes);
}

static void restore_image(const struct plugin *p)
{
	g_autofree char *name = g_strdup_printf("%s statics", p->name);

	for (unsigned i = 0; i < p->nparts; i++) {
		const struct part *part = &p->part[i];
		uintptr_t from = (uintptr_t)part->start / SIM_LINE_BYTES * SIM_LINE_BYTES;
		size_t bytes = (uintptr_t)part->start + part->bytes - from;
		void *shadow = sim_object_create(name, bytes, 0);

		sim_assert(shadow && "simulated memory for the statics of plug-ins");
		memcpy(part->start, part->saved, part->bytes);
		sim_alias((const void *)from, bytes, shadow);
	}
}

static void restore_percpu(const struct plugin *p)
{
	g_autofree char *name = g_strdup_printf("%s percpu", p->name);
	const struct kernel_plugin *e = p->entry;
	size_t stride;
	char *base;

	if (!e->percpu_bytes)
		return;
	base = sim_percpu_create(name, e->percpu_bytes, &stride);
	sim_assert(base && "simulated memory for the per-CPU data of plug-ins");
	for (unsigned i = 0; i < sim->ncpus; i++)
		memcpy(base + i * stride, e->percpu, e->percpu_bytes);
	e->set_percpu(base, stride);
}

void plugin_restore(void)
{
	for (unsigned i = 0; plugins && i < plugins->len; i++) {
		restore_image(plugins->pdata[i]);
		restore_percpu(plugins->pdata[i]);
	}
}

/* -- loading ---------------------------------------------------------------------------------------- */

/* One path twice would be one image: every name loads a copy, which is gone once it is mapped. */
static void *open_copy(const char *path, char **error)
{
	g_autofree char *copy = NULL, *bytes = NULL;
	g_autoptr(GError) err = NULL;
	void *handle = NULL;
	size_t len;
	int fd;

	if (!g_file_get_contents(path, &bytes, &len, &err)) {
		*error = g_strdup(err->message);
		return NULL;
	}
	fd = g_file_open_tmp("lockstep-XXXXXX.so", &copy, &err);
	if (fd < 0) {
		*error = g_strdup(err->message);
		return NULL;
	}
	close(fd);
	if (!g_file_set_contents(copy, bytes, (gssize)len, &err)) {
		*error = g_strdup(err->message);
	} else {
		handle = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
		if (!handle) {
			const char *why = dlerror();

			/* it names the copy, which means nothing to anybody */
			*error = g_strdup_printf("%s%s", path, g_str_has_prefix(why, copy) ? why + strlen(copy) : why);
		}
	}
	g_unlink(copy);
	return handle;
}

static bool entry_is_good(const struct kernel_plugin *e, const char *path, char **error)
{
	if (!e)
		*error = g_strdup_printf("%s: not made by `lockstep kernel build`", path);
	else if (e->abi != KERNEL_PLUGIN_ABI)
		*error = g_strdup_printf("%s: made by another version of lockstep; build it anew", path);
	return !*error;
}

/* "kernel:rwsem" and "kernel-rt:rwsem" under @name. */
static bool add_model(const struct lock_model *m, const char *name, const char *path, char **error)
{
	struct lock_model *mine = g_memdup2(m, sizeof(*m));
	const char *complaint;

	mine->name = g_strconcat(name, m->name + strlen("kernel"), NULL);
	mine->caps |= LOCK_CAP_PLAIN;
	complaint = registry_add(mine);
	if (complaint)
		*error = g_strdup_printf("%s: %s: %s", path, mine->name, complaint);
	return !complaint;
}

static bool name_is_good(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!g_ascii_islower(*c) && !g_ascii_isdigit(*c) && !strchr("._-", *c))
			return false;
	return *name;
}

bool plugin_load(const char *spec, char **error)
{
	const char *equals = strchr(spec, '='), *path = equals ? equals + 1 : spec;
	struct plugin *p;
	void *handle = open_copy(path, error);
	bool first = !plugins;

	if (!handle)
		return false;
	p = g_new0(struct plugin, 1);
	p->entry = dlsym(handle, "lockstep_kernel_plugin");
	if (!entry_is_good(p->entry, path, error))
		return false;
	p->name = equals ? g_strndup(spec, (size_t)(equals - spec)) : g_strdup(p->entry->name);
	if (!name_is_good(p->name)) {
		*error = g_strdup_printf("\"%s\": the name of a plug-in consists of a-z, 0-9, \".\", \"_\", \"-\"", p->name);
		return false;
	}
	p->path = g_strdup(path);
	save_image(p, handle);
	for (size_t i = 0; i < p->entry->nmodels; i++) {
		if (strcmp(p->name, "kernel") && !add_model(p->entry->models[i], p->name, path, error))
			return false;
		if ((first || !strcmp(p->name, "kernel")) && !add_model(p->entry->models[i], "kernel", path, error))
			return false;
	}
	if (first)
		plugins = g_ptr_array_new();
	g_ptr_array_add(plugins, p);
	return true;
}

uintptr_t plugin_code(const void *site, const char **path)
{
	for (unsigned i = 0; plugins && i < plugins->len; i++) {
		const struct plugin *p = plugins->pdata[i];

		if ((uintptr_t)site < p->code || (uintptr_t)site >= p->code_end)
			continue;
		*path = p->path;
		return (uintptr_t)site - p->base;
	}
	return 0;
}
