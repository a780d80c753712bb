// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/core/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define IMAGES_MAX 64

struct function {
	uintptr_t start, end; /* as in the file */
	const char *name;
};

static struct image { /* a loaded file */
	uintptr_t base;
	struct function *function; /* by start */
	size_t n;
} images[IMAGES_MAX];
static unsigned nimages;

static int by_start(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* "rwsem_wake.part.0" -> "rwsem_wake" */
static const char *plain_name(const char *name, size_t room)
{
	size_t len = strnlen(name, room);
	const char *dot = memchr(name, '.', len);

	return strndup(name, dot && dot > name ? (size_t)(dot - name) : len);
}

static void take_symbols(struct image *image, const ElfW(Sym) *sym, size_t n, const char *strings, size_t bytes)
{
	image->function = calloc(n + 1, sizeof(*image->function));
	for (size_t i = 0; image->function && i < n; i++) {
		struct function *f = &image->function[image->n];

		if (ELF64_ST_TYPE(sym[i].st_info) != STT_FUNC || !sym[i].st_size || sym[i].st_name >= bytes)
			continue;
		*f = (struct function){ sym[i].st_value, sym[i].st_value + sym[i].st_size,
					plain_name(strings + sym[i].st_name, bytes - sym[i].st_name) };
		image->n += f->name != NULL;
	}
	if (image->n)
		qsort(image->function, image->n, sizeof(*image->function), by_start);
}

static bool inside(size_t bytes, size_t from, size_t len)
{
	return from <= bytes && len <= bytes - from;
}

/* The full table, or where it was stripped the one for dynamic linking. */
static void read_sections(struct image *image, const char *file, size_t bytes)
{
	const ElfW(Ehdr) *head = (const void *)file;
	const ElfW(Shdr) *section, *best = NULL, *text;

	if (bytes < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_shentsize != sizeof(*section) ||
	    !inside(bytes, head->e_shoff, (size_t)head->e_shnum * sizeof(*section)))
		return;
	section = (const void *)(file + head->e_shoff);
	for (unsigned i = 0; i < head->e_shnum; i++)
		if (section[i].sh_type == SHT_SYMTAB || (section[i].sh_type == SHT_DYNSYM && !best))
			best = &section[i];
	if (!best || best->sh_link >= head->e_shnum || best->sh_entsize != sizeof(ElfW(Sym)))
		return;
	text = &section[best->sh_link];
	if (inside(bytes, best->sh_offset, best->sh_size) && inside(bytes, text->sh_offset, text->sh_size))
		take_symbols(image, (const void *)(file + best->sh_offset), best->sh_size / sizeof(ElfW(Sym)),
			     file + text->sh_offset, text->sh_size);
}

static void read_file(struct image *image, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *file;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && st.st_size > 0) {
		file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (file != MAP_FAILED) {
			read_sections(image, file, (size_t)st.st_size);
			munmap(file, (size_t)st.st_size);
		}
	}
	close(fd);
}

struct wanted {
	uintptr_t addr, base;
	const char *path;
	bool found;
};

static int find_image(struct dl_phdr_info *info, size_t size, void *user)
{
	struct wanted *w = user;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && w->addr - info->dlpi_addr - p->p_vaddr < p->p_memsz) {
			w->base = info->dlpi_addr;
			w->path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
			return w->found = true;
		}
	}
	return 0;
}

/* Read at the first question about it. */
static const struct image *image_of(uintptr_t addr)
{
	struct wanted w = { .addr = addr };

	dl_iterate_phdr(find_image, &w);
	if (!w.found)
		return NULL;
	for (unsigned i = 0; i < nimages; i++)
		if (images[i].base == w.base)
			return &images[i];
	if (nimages == IMAGES_MAX)
		return NULL;
	images[nimages].base = w.base;
	read_file(&images[nimages], w.path);
	return &images[nimages++];
}

const char *sim_symbol(const void *addr)
{
	uintptr_t at = (uintptr_t)addr - 1; /* in the call, which may be the function's last instruction */
	const struct image *image = image_of(at);
	size_t lo = 0, hi = image ? image->n : 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (image->function[mid].start <= at - image->base)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && at - image->base < image->function[lo - 1].end ? image->function[lo - 1].name : NULL;
}
