/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Printing diagnostics. The user's text is echoed, so it is made harmless: control
 * characters and broken UTF-8 print as '?', and of a long line only a window is shown.
 */
#include <string.h>

#include "sim/core/check.h"
#include "sim/core/diag.h"

#define WINDOW_BYTES 160 /* longer lines are cut to about this */
#define WINDOW_BEFORE 60 /* bytes shown before the column then */

struct slice {
	const char *text;
	size_t len;
};

/* Length of the well-formed UTF-8 sequence at @s, or 0. C1 control characters do not count. */
static size_t utf8_len(const char *s, size_t left)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t len = u[0] < 0x80   ? 1
		     : u[0] < 0xc2 ? 0
		     : u[0] < 0xe0 ? 2
		     : u[0] < 0xf0 ? 3
		     : u[0] < 0xf5 ? 4
				   : 0;

	if (!len || len > left)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((u[i] & 0xc0) != 0x80)
			return 0;
	if ((u[0] == 0xc2 && u[1] < 0xa0) || (u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xf0 && u[1] < 0x90))
		return 0;
	if ((u[0] == 0xed && u[1] > 0x9f) || (u[0] == 0xf4 && u[1] > 0x8f))
		return 0;
	return len;
}

/* Prints one character of @s and returns its length in bytes. */
static size_t put_char(FILE *out, const char *s, size_t left)
{
	size_t len = utf8_len(s, left);

	if (!len || (len == 1 && ((unsigned char)*s < ' ' || *s == 0x7f) && *s != '\t')) {
		fputc('?', out);
		return 1;
	}
	fwrite(s, 1, len, out);
	return len;
}

static void put_text(FILE *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len;)
		i += put_char(out, s + i, len - i);
}

static struct slice line_of(const struct sim_source *source, uint32_t number)
{
	const char *s = source->text, *end = s + source->len, *stop;

	for (uint32_t i = 1; i < number && s; i++) {
		s = memchr(s, '\n', (size_t)(end - s));
		s = s ? s + 1 : NULL;
	}
	if (!s)
		return (struct slice){"", 0};
	stop = memchr(s, '\n', (size_t)(end - s));
	stop = stop ? stop : end;
	if (stop > s && stop[-1] == '\r')
		stop--;
	return (struct slice){s, (size_t)(stop - s)};
}

static bool inside_char(struct slice line, size_t i)
{
	return i < line.len && ((unsigned char)line.text[i] & 0xc0) == 0x80;
}

/* Moves @i, a place to cut, to the next start of a character. */
static size_t char_start(struct slice line, size_t i)
{
	for (unsigned n = 0; n < 3 && inside_char(line, i); n++)
		i++;
	return i < line.len ? i : line.len;
}

/* What stands below @s[from..to): tabs are kept, so that columns agree whatever a tab is. */
static void put_below(FILE *out, struct slice line, size_t from, size_t to, char fill)
{
	while (from < to && from < line.len) {
		size_t len = utf8_len(line.text + from, line.len - from);

		fputc(fill == ' ' && line.text[from] == '\t' ? '\t' : fill, out);
		from += len ? len : 1;
	}
}

static const char *paint(bool colour, const char *code)
{
	return colour ? code : "";
}

static void put_source(FILE *out, const struct sim_pos *pos, bool colour)
{
	struct slice line = line_of(pos->source, pos->line);
	size_t at = pos->column ? pos->column - 1 : 0, from = 0, to = line.len;
	const char *before = "", *after = "";

	at = at < line.len ? at : line.len;
	if (line.len > WINDOW_BYTES) {
		from = at > WINDOW_BEFORE ? char_start(line, at - WINDOW_BEFORE) : 0;
		to = from + WINDOW_BYTES < line.len ? char_start(line, from + WINDOW_BYTES) : line.len;
		before = from ? "..." : "";
		after = to < line.len ? "..." : "";
	}
	fprintf(out, "%5u | %s", pos->line, before);
	put_text(out, line.text + from, to - from);
	fprintf(out, "%s\n      | %*s", after, (int)strlen(before), "");
	put_below(out, line, from, at, ' ');
	fprintf(out, "%s^", paint(colour, "\033[1;32m"));
	if (pos->width > 1 && at < to) {
		size_t first = utf8_len(line.text + at, line.len - at), end = at + pos->width;

		put_below(out, line, at + (first ? first : 1), end < to ? end : to, '~');
	}
	fprintf(out, "%s\n", paint(colour, "\033[0m"));
}

static void put_place(FILE *out, const struct sim_pos *pos, bool colour)
{
	fputs(paint(colour, "\033[1m"), out);
	if (pos->source)
		put_text(out, pos->source->path, strlen(pos->source->path));
	else
		fputs("command line", out);
	if (pos->source && pos->line)
		fprintf(out, ":%u:%u", pos->line, pos->column ? pos->column : 1);
	fprintf(out, ":%s ", paint(colour, "\033[0m"));
}

static void put_diag(FILE *out, const struct sim_diag *diag, bool colour)
{
	const struct sim_diag_info *info = sim_diag_info(diag->code);
	bool error = info->severity == SIM_ERROR;

	put_place(out, &diag->pos, colour);
	fprintf(out, "%s%s[LS-%u %s]:%s ", paint(colour, error ? "\033[1;31m" : "\033[1;35m"),
		error ? "error" : "warning", info->code, info->id, paint(colour, "\033[0m"));
	put_text(out, diag->text, strlen(diag->text));
	fputc('\n', out);
	if (diag->pos.source && diag->pos.line)
		put_source(out, &diag->pos, colour);
	if (!diag->note[0])
		return;
	put_place(out, &diag->pos, colour);
	fprintf(out, "%snote:%s ", paint(colour, "\033[1;36m"), paint(colour, "\033[0m"));
	put_text(out, diag->note, strlen(diag->note));
	fputc('\n', out);
}

void sim_diag_print(FILE *out, const struct sim_diags *d, bool colour)
{
	for (unsigned i = 0; i < d->count; i++)
		put_diag(out, &d->list[i], colour);
	if (d->stopped)
		fprintf(out, "stopped after %u messages\n", d->count);
}
