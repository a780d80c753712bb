/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files, includes, and the way from a text to a checked scenario. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/scenario/parse.h"

#define DEFAULT_MAX_TASKS 200000
#define MOST_CPUS 4096               /* no machine is built for more, so no option raises it */
#define DEFAULT_MAX_LOOP 10000000000 /* turns, nested loops multiplied: as many as a run may have steps */
#define DEFAULT_MAX_NESTING 64
#define DEFAULT_MAX_BYTES (16 << 20)

static const struct scn_vocabulary no_vocabulary;

/* -- reading ------------------------------------------------------------------------------------ */

/* Reads at most @max + 1 bytes. -1 with errno set on failure; else the fd is closed and *@text is from
 * g_malloc. */
static ssize_t read_some(int fd, uint64_t max, char **text)
{
	GString *s = g_string_sized_new(8192);
	char buf[65536];
	ssize_t got = 0;

	while (s->len <= max) {
		got = read(fd, buf, sizeof(buf));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		g_string_append_len(s, buf, got);
	}
	if (got < 0) {
		int err = errno;

		g_string_free(s, TRUE);
		close(fd);
		errno = err;
		return -1;
	}
	close(fd);
	got = (ssize_t)s->len;
	*text = g_string_free(s, FALSE);
	return got;
}

/* @regular: refuse anything but a regular file. -1 with errno set. */
static ssize_t read_file(const char *path, bool regular, uint64_t max, char **text)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | (regular ? O_NONBLOCK : 0));

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && (S_ISDIR(st.st_mode) || (regular && !S_ISREG(st.st_mode)))) {
		close(fd);
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		return -1;
	}
	return read_some(fd, max, text);
}

/* -- sources -------------------------------------------------------------------------------------- */

static struct sim_source *add_source(struct parser *p, const char *path, const char *text, size_t len)
{
	struct sim_source *source = scn_new(p->mem, struct sim_source);

	*source = (struct sim_source){
		.path = scn_strndup(p->mem, path, strlen(path)), .text = text, .len = len};
	g_ptr_array_add(p->sources, source);
	return source;
}

/* Counts @len bytes; reports at @pos, or at the file's begin, where there are too many. */
static bool fits(struct parser *p, const char *path, const char *text, size_t len, const struct sim_pos *pos)
{
	struct sim_pos begin = {.line = 1, .column = 1, .width = 1};

	p->bytes += len;
	if (p->bytes <= p->limits.max_bytes)
		return true;
	if (!pos)
		begin.source = add_source(p, path, scn_strndup(p->mem, text, MIN(len, 72)), MIN(len, 72));
	return parse_fail(p, SIM_DIAG_file_too_big, pos ? *pos : begin,
			  "more than %" G_GUINT64_FORMAT " bytes of text", p->limits.max_bytes);
}

static void parse_source(struct parser *p, struct sim_source *source)
{
	static const char bom[] = "\xef\xbb\xbf";

	p->depth = 0;
	lex_begin(&p->lex, source, p->diags);
	if (source->len >= 3 && !memcmp(source->text, bom, 3)) {
		p->lex.next += 3;
		p->lex.line_start += 3;
	}
	memset(&p->tok, 0, sizeof(p->tok));
	if (source->len >= 2 && (!memcmp(source->text, "\xff\xfe", 2) || !memcmp(source->text, "\xfe\xff", 2))) {
		p->fatal = true;
		parse_fail(p, SIM_DIAG_bad_utf8, (struct sim_pos){.source = source, .line = 1, .column = 1, .width = 1},
			   "this file is UTF-16; save it as UTF-8");
		return;
	}
	parse_advance(p);
	while (p->tok.kind != TOK_END && !parse_stopped(p))
		parse_top(p);
}

/* -- include ---------------------------------------------------------------------------------------- */

static bool is_below(const char *path, const char *root)
{
	size_t len = strlen(root);

	return !strcmp(root, "/") || (!strncmp(path, root, len) && (path[len] == '/' || !path[len]));
}

static const char *find_root(struct parser *p)
{
	g_autofree char *root = NULL;

	if (p->root)
		return p->root;
	if (p->options->include_root)
		root = realpath(p->options->include_root, NULL);
	else
		root = g_path_get_dirname(p->including->pdata[0]);
	p->root = scn_strndup(p->mem, root ? root : "//", root ? strlen(root) : 2);
	return p->root;
}

static bool unreadable(struct parser *p, const char *path, struct sim_pos pos)
{
	return parse_fail(p, SIM_DIAG_include_unreadable, pos, "cannot read \"%.100s\": %s", path,
			  strerror(errno));
}

static void parse_included(struct parser *p, const char *path, const char *real, char *text, size_t len)
{
	const struct sim_source *outer = p->lex.source;
	g_autofree char *dir = g_path_get_dirname(outer->path);
	g_autofree char *shown = strcmp(dir, ".") ? g_build_filename(dir, path, NULL) : g_strdup(path);
	struct lexer lex = p->lex;
	struct token tok = p->tok, last = p->last;
	unsigned depth = p->depth;

	g_ptr_array_add(p->including, (void *)real);
	parse_source(p, add_source(p, shown, text, len));
	g_ptr_array_set_size(p->including, (gint)p->including->len - 1);
	p->lex = lex;
	p->tok = tok;
	p->last = last;
	p->depth = depth;
}

/* The file that @path names, or NULL and a message. In @p's memory. */
static const char *locate(struct parser *p, const char *path, struct sim_pos pos)
{
	g_autofree char *dir = g_path_get_dirname(p->including->pdata[p->including->len - 1]);
	g_autofree char *full = g_canonicalize_filename(path, dir);
	g_autofree char *real = NULL;

	if (!*path || g_path_is_absolute(path)) {
		parse_fail(p, SIM_DIAG_include_outside, pos,
			   "a file is included by a path relative to this one");
		return NULL;
	}
	if (!is_below(full, find_root(p))) {
		parse_fail(p, SIM_DIAG_include_outside, pos,
			   "\"%.100s\" lies above the folder of the scenario", path);
		return NULL;
	}
	real = realpath(full, NULL);
	if (!real) {
		unreadable(p, path, pos);
		return NULL;
	}
	if (!is_below(real, p->root)) {
		parse_fail(p, SIM_DIAG_include_outside, pos,
			   "\"%.100s\" leads above the folder of the scenario", path);
		return NULL;
	}
	return scn_strndup(p->mem, real, strlen(real));
}

bool load_include(struct parser *p, const char *path, struct sim_pos pos)
{
	const char *real = locate(p, path, pos);
	char *text;
	ssize_t len;

	if (!real)
		return false;
	for (unsigned i = 0; i < p->including->len; i++)
		if (!strcmp(p->including->pdata[i], real))
			return parse_fail(p, SIM_DIAG_include_cycle, pos,
					  "\"%.100s\" is being read already: it includes itself", path);
	for (unsigned i = 0; i < p->included->len; i++)
		if (!strcmp(p->included->pdata[i], real))
			return true; /* what it declares is there */
	if (p->included->len == PARSE_MAX_INCLUDES)
		return parse_fail(p, SIM_DIAG_too_many_includes, pos, "more than %u included files",
				  PARSE_MAX_INCLUDES);
	g_ptr_array_add(p->included, (void *)real);
	len = read_file(real, true, p->limits.max_bytes, &text);
	if (len < 0)
		return unreadable(p, path, pos);
	scn_memory_adopt(p->mem, text);
	if (!fits(p, path, text, (size_t)len, &pos))
		return false;
	parse_included(p, path, real, text, (size_t)len);
	return true;
}

/* -- from the parser's lists to the scenario's arrays -------------------------------------------------- */

#define FLATTEN(p, type, list, array, n)                                                                     \
	do {                                                                                                 \
		(array) = scn_new_array((p)->mem, type, (list)->len + 1);                                    \
		(n) = (list)->len;                                                                           \
		for (unsigned i_ = 0; i_ < (list)->len; i_++)                                                \
			(array)[i_] = *(type *)(list)->pdata[i_];                                            \
	} while (0)

static bool is_about_findings(const struct scn_expect *x, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (x[i].kind == SCN_EXPECT_DEADLOCK || x[i].kind == SCN_EXPECT_FINDING)
			return true;
	return false;
}

static const char *const *flatten_strings(struct parser *p, GPtrArray *list, unsigned *n)
{
	const char **all = scn_new_array(p->mem, const char *, list->len + 1);

	for (unsigned i = 0; i < list->len; i++)
		all[i] = list->pdata[i];
	*n = list->len;
	return all;
}

static void flatten(struct parser *p)
{
	struct scenario *scn = p->scn;

	FLATTEN(p, struct scn_param, p->params, scn->param, scn->nparam);
	FLATTEN(p, struct scn_lock, p->locks, scn->lock, scn->nlock);
	FLATTEN(p, struct scn_task, p->tasks, scn->task, scn->ntask);
	FLATTEN(p, struct scn_interrupt, p->irqs, scn->irq, scn->nirq);
	FLATTEN(p, struct scn_expect, p->expects, scn->expect, scn->nexpect);
	FLATTEN(p, struct scn_compare, p->compares, scn->compare, scn->ncompare);
	for (unsigned i = 0; i < scn->ncompare; i++) {
		struct scn_compare *c = &scn->compare[i];

		FLATTEN(p, struct scn_expect, (GPtrArray *)p->compare_expects->pdata[i], c->expect,
			c->nexpect);
		c->expects_findings = is_about_findings(c->expect, c->nexpect);
	}
	scn->expects_findings = is_about_findings(scn->expect, scn->nexpect);
	scn->done_name = flatten_strings(p, p->dones, &scn->ndone_name);
	scn->string = flatten_strings(p, p->strings, &scn->nstring);
	scn->sources = scn_new_array(p->mem, struct sim_source *, p->sources->len + 1);
	for (unsigned i = 0; i < p->sources->len; i++)
		scn->sources[i] = p->sources->pdata[i];
	scn->nsources = p->sources->len;
}

/* -- the parser's own memory ------------------------------------------------------------------------- */

static uint64_t or_default(uint64_t value, uint64_t fallback)
{
	return value ? value : fallback;
}

static void parser_init(struct parser *p, const struct scn_options *options, struct sim_diags *diags)
{
	static const struct scn_options no_options;

	memset(p, 0, sizeof(*p));
	p->options = options ? options : &no_options;
	p->vocabulary = p->options->vocabulary ? p->options->vocabulary : &no_vocabulary;
	p->limits.max_tasks = or_default(p->options->limits.max_tasks, DEFAULT_MAX_TASKS);
	p->limits.max_cpus = MIN(or_default(p->options->limits.max_cpus, MOST_CPUS), MOST_CPUS);
	p->limits.max_loop = or_default(p->options->limits.max_loop, DEFAULT_MAX_LOOP);
	p->limits.max_nesting = or_default(p->options->limits.max_nesting, DEFAULT_MAX_NESTING);
	p->limits.max_bytes = or_default(p->options->limits.max_bytes, DEFAULT_MAX_BYTES);
	p->diags = diags;
	p->errors_before = diags->errors;
	p->mem = scn_memory_create();
	p->scn = scn_new(p->mem, struct scenario);
	p->scn->seed = 1;
	p->params = g_ptr_array_new();
	p->locks = g_ptr_array_new();
	p->tasks = g_ptr_array_new();
	p->irqs = g_ptr_array_new();
	p->expects = g_ptr_array_new();
	p->compares = g_ptr_array_new();
	p->compare_expects = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
	p->sources = g_ptr_array_new();
	p->dones = g_ptr_array_new();
	p->strings = g_ptr_array_new();
	p->cycles = g_ptr_array_new();
	p->including = g_ptr_array_new();
	p->included = g_ptr_array_new();
	g_ptr_array_add(p->dones, (void *)"");
	g_ptr_array_add(p->strings, (void *)"");
	p->symbols = g_hash_table_new(g_str_hash, g_str_equal);
	p->missing = g_hash_table_new(g_str_hash, g_str_equal);
	p->done_index = g_hash_table_new(g_str_hash, g_str_equal);
	p->string_index = g_hash_table_new(g_str_hash, g_str_equal);
	p->refs = g_array_new(FALSE, TRUE, sizeof(struct ref));
}

static void parser_finish(struct parser *p)
{
	GPtrArray *lists[] = {p->params,   p->locks,           p->tasks,   p->irqs,  p->expects,
			      p->compares, p->compare_expects, p->sources, p->dones, p->strings,
			      p->cycles,   p->including,       p->included};

	for (unsigned i = 0; i < G_N_ELEMENTS(lists); i++)
		g_ptr_array_free(lists[i], TRUE);
	g_hash_table_destroy(p->symbols);
	g_hash_table_destroy(p->missing);
	g_hash_table_destroy(p->done_index);
	g_hash_table_destroy(p->string_index);
	g_array_free(p->refs, TRUE);
}

/* -- order of messages ---------------------------------------------------------------------------------- */

static unsigned source_rank(const struct parser *p, const struct sim_source *source)
{
	for (unsigned i = 0; i < p->sources->len; i++)
		if (p->sources->pdata[i] == source)
			return i;
	return p->sources->len;
}

static bool comes_before(const struct parser *p, const struct sim_diag *a, const struct sim_diag *b)
{
	unsigned ra = source_rank(p, a->pos.source), rb = source_rank(p, b->pos.source);

	if (ra != rb)
		return ra < rb;
	if (a->pos.line != b->pos.line)
		return a->pos.line < b->pos.line;
	return a->pos.column < b->pos.column;
}

/* Messages were found in several passes; readers want them in the order of the text. */
static void sort_diags(const struct parser *p, unsigned from)
{
	for (unsigned i = from + 1; i < p->diags->count; i++)
		for (unsigned j = i; j > from && comes_before(p, &p->diags->list[j], &p->diags->list[j - 1]);
		     j--) {
			struct sim_diag swap = p->diags->list[j];

			p->diags->list[j] = p->diags->list[j - 1];
			p->diags->list[j - 1] = swap;
		}
}

/* -- entry points -----------------------------------------------------------------------------------------
 */

/* Parses and checks @source; ends @p. */
static struct scenario *digest(struct parser *p, struct sim_source *source, const char *canonical,
			       unsigned count_before)
{
	struct scenario *scn = p->scn;

	if (source && sets_read(p)) {
		g_ptr_array_add(p->including, (void *)canonical);
		parse_source(p, source);
		resolve_names(p);
		sets_apply(p);
	}
	flatten(p);
	if (!parse_failed(p))
		check_scenario(p);
	sort_diags(p, count_before);
	scn->memory = p->mem;
	if (parse_failed(p)) {
		p->diags->keep = g_slist_prepend(p->diags->keep, p->mem);
		scn = NULL;
	}
	parser_finish(p);
	return scn;
}

struct scenario *scenario_load(const char *path, const struct scn_options *options, struct sim_diags *diags,
			       const char **path_error)
{
	g_autofree char *canonical = realpath(path, NULL);
	unsigned before = diags->count;
	struct parser p;
	char *text;
	ssize_t len;

	*path_error = NULL;
	parser_init(&p, options, diags);
	len = read_file(path, false, p.limits.max_bytes, &text);
	if (len < 0) {
		int err = errno;

		parser_finish(&p);
		scn_memory_destroy(p.mem);
		*path_error = path;
		errno = err;
		return NULL;
	}
	scn_memory_adopt(p.mem, text);
	if (!fits(&p, path, text, (size_t)len, NULL))
		return digest(&p, NULL, NULL, before);
	return digest(&p, add_source(&p, path, text, (size_t)len), canonical ? canonical : path, before);
}

struct scenario *scenario_parse(const char *path, const char *text, size_t len,
				const struct scn_options *options, struct sim_diags *diags)
{
	g_autofree char *canonical = g_canonicalize_filename(path, NULL);
	g_autofree char *real = realpath(canonical, NULL);
	unsigned before = diags->count;
	struct parser p;

	parser_init(&p, options, diags);
	if (!fits(&p, path, text, len, NULL))
		return digest(&p, NULL, NULL, before);
	return digest(&p, add_source(&p, path, scn_strndup(p.mem, text, len), len), real ? real : canonical,
		      before);
}

void scenario_free(struct scenario *scn)
{
	if (scn)
		scn_memory_destroy(scn->memory);
}

void scenario_diags_finish(struct sim_diags *diags)
{
	g_slist_free_full(diags->keep, (GDestroyNotify)scn_memory_destroy);
	diags->keep = NULL;
}
