/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/scenario/lex.h"

#include <string.h>

#include <glib.h>

static const char *const keyword_text[KW_COUNT] = {[KW_NONE] = "",
#define X(word) [KW_##word] = #word,
						   SCN_TOP_WORDS(X) SCN_BODY_WORDS(X) SCN_BOTH_WORDS(X)
							   SCN_OTHER_WORDS(X)
#undef X
};

static const unsigned keyword_where[KW_COUNT] = {
#define X(word) [KW_##word] = KW_TOP,
	SCN_TOP_WORDS(X)
#undef X
#define X(word) [KW_##word] = KW_BODY,
		SCN_BODY_WORDS(X)
#undef X
#define X(word) [KW_##word] = KW_TOP | KW_BODY,
			SCN_BOTH_WORDS(X)
#undef X
};

#define X(word) #word,
static const char *const top_keywords[] = {SCN_TOP_WORDS(X) SCN_BOTH_WORDS(X) NULL};
static const char *const body_keywords[] = {SCN_BODY_WORDS(X) SCN_BOTH_WORDS(X) SCN_OTHER_WORDS(X) NULL};
#undef X

/*
 * What a unit is worth: @scale base units, where the base is 10^-12 for times (ps) and
 * 10^-6 for parts (ppm).
 */
static const struct {
	const char *text;
	enum scn_unit unit;
	uint64_t scale;
} units[] = {
	{"ps", SCN_TIME, SIM_PS},        {"ns", SCN_TIME, SIM_NS},  {"us", SCN_TIME, SIM_US},
	{"ms", SCN_TIME, SIM_MS},        {"s", SCN_TIME, SIM_S},    {"cycles", SCN_CYCLES, 1},
	{"%", SCN_PERCENT, 10000},       {"kHz", SCN_FREQUENCY, 1}, {"MHz", SCN_FREQUENCY, 1000},
	{"GHz", SCN_FREQUENCY, 1000000},
};

/* Spellings that people try, and what they should write. */
static const struct {
	const char *text, *instead;
} unit_habits[] = {
	{"sec", "s"},   {"secs", "s"},    {"second", "s"},     {"seconds", "s"},  {"S", "s"},
	{"msec", "ms"}, {"millis", "ms"}, {"MS", "ms"},        {"Ms", "ms"},      {"usec", "us"},
	{"u", "us"},    {"US", "us"},     {"Us", "us"},        {"nsec", "ns"},    {"n", "ns"},
	{"NS", "ns"},   {"psec", "ps"},   {"cycle", "cycles"}, {"cyc", "cycles"}, {"clk", "cycles"},
	{"ghz", "GHz"}, {"GHZ", "GHz"},   {"Ghz", "GHz"},      {"mhz", "MHz"},    {"MHZ", "MHz"},
	{"Mhz", "MHz"}, {"khz", "kHz"},   {"KHz", "kHz"},      {"m", "ms"},
};

unsigned lex_keyword_where(enum keyword kw)
{
	return keyword_where[kw];
}

const char *const *lex_keywords(unsigned where)
{
	return where == KW_TOP ? top_keywords : body_keywords;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || is_digit(c) || c == '.' || c == ':' || c == '_' || c == '-';
}

static enum keyword find_keyword(const char *at, size_t len)
{
	for (int kw = KW_NONE + 1; kw < KW_COUNT; kw++)
		if (!strncmp(keyword_text[kw], at, len) && !keyword_text[kw][len])
			return kw;
	return KW_NONE;
}

static bool lex_bad(struct lexer *lx, struct token *t, enum sim_diag_code code, const char *text)
{
	t->kind = TOK_BAD;
	if (!lx->quiet)
		sim_diag_add(lx->diags, code, t->pos, "%s", text);
	return false;
}

void lex_begin(struct lexer *lx, const struct sim_source *source, struct sim_diags *diags)
{
	*lx = (struct lexer){.source = source,
			     .diags = diags,
			     .next = source->text,
			     .end = source->text + source->len,
			     .line_start = source->text,
			     .line = 1,
			     .first = true};
}

static void new_line(struct lexer *lx)
{
	lx->line++;
	lx->line_start = lx->next;
	lx->first = true;
}

/* Skips blanks and comments. */
static void skip_space(struct lexer *lx)
{
	while (lx->next < lx->end) {
		char c = *lx->next;

		if (c == '#') {
			const char *eol = memchr(lx->next, '\n', (size_t)(lx->end - lx->next));

			lx->next = eol ? eol : lx->end;
		} else if (c == '\n') {
			lx->next++;
			new_line(lx);
		} else if (c == ' ' || c == '\t' || c == '\r') {
			lx->next++;
		} else {
			return;
		}
	}
}

static void start_token(struct lexer *lx, struct token *t)
{
	skip_space(lx);
	memset(t, 0, sizeof(*t));
	t->at = lx->next;
	t->first = lx->first;
	lx->first = false;
	t->pos = (struct sim_pos){.source = lx->source,
				  .line = lx->line,
				  .column = (uint32_t)(lx->next - lx->line_start) + 1,
				  .width = 1};
}

static void end_token(struct lexer *lx, struct token *t)
{
	t->len = (uint32_t)(lx->next - t->at);
	t->pos.width = t->len ? t->len : 1;
}

static void lex_string(struct lexer *lx, struct token *t)
{
	const char *from = ++lx->next;

	while (lx->next < lx->end && *lx->next != '"' && *lx->next != '\n')
		lx->next++;
	end_token(lx, t);
	if (lx->next == lx->end || *lx->next == '\n') {
		lex_bad(lx, t, SIM_DIAG_unterminated_string, "this string does not end on its line");
		return;
	}
	t->kind = TOK_STRING;
	t->at = from;
	t->len = (uint32_t)(lx->next - from);
	lx->next++;
	t->pos.width = t->len + 2;
	if (!g_utf8_validate(t->at, (gssize)t->len, NULL))
		lex_bad(lx, t, SIM_DIAG_bad_utf8, "this string is not UTF-8");
	for (uint32_t i = 0; i < t->len && t->kind == TOK_STRING; i++)
		if ((unsigned char)t->at[i] < ' ' && t->at[i] != '\t')
			lex_bad(lx, t, SIM_DIAG_bad_character, "a control character in a string");
}

/* Reports a unit that does not exist, with the one that was meant if that is clear. */
static void bad_unit(struct lexer *lx, struct token *t, const char *unit, uint32_t len, uint32_t digits)
{
	const char *instead = NULL;

	t->kind = TOK_BAD;
	if (lx->quiet)
		return;
	for (unsigned i = 0; i < G_N_ELEMENTS(unit_habits); i++)
		if (!strncmp(unit_habits[i].text, unit, len) && !unit_habits[i].text[len])
			instead = unit_habits[i].instead;
	t->pos.column += digits;
	t->pos.width = len;
	if (instead)
		sim_diag_add(lx->diags, SIM_DIAG_unknown_unit, t->pos, "no unit \"%.*s\"; write \"%.*s%s\"",
			     (int)MIN(len, 40), unit, (int)MIN(digits, 30), t->at, instead);
	else
		sim_diag_add(lx->diags, SIM_DIAG_unknown_unit, t->pos,
			     "no unit \"%.*s\"; there are ps, ns, us, ms, s, cycles and %%",
			     (int)MIN(len, 40), unit);
}

/* Sets value from "digits[.digits]" and the unit's scale, exactly or not at all. */
static void scale_number(struct lexer *lx, struct token *t, uint32_t digits, uint64_t scale, bool point)
{
	unsigned __int128 v = 0, div = 1;
	bool fraction = false;

	if (point && t->unit == SCN_COUNT) {
		t->unit = SCN_RATIO;
		scale = 1000000;
	}
	for (uint32_t i = 0; i < digits; i++) {
		if (t->at[i] == '.') {
			fraction = true;
			continue;
		}
		if (v > UINT64_MAX || div > UINT64_MAX / 10) {
			lex_bad(lx, t, SIM_DIAG_number_too_big, "too many digits");
			return;
		}
		v = v * 10 + (unsigned)(t->at[i] - '0');
		if (fraction)
			div *= 10;
	}
	if (v > UINT64_MAX || v * scale / div >= UINT64_MAX) { /* UINT64_MAX itself is SIM_NEVER */
		lex_bad(lx, t, SIM_DIAG_number_too_big,
			t->unit == SCN_TIME ? "too long: simulated time ends after 213 days"
					    : "this number is too big");
		return;
	}
	if (v * scale % div) {
		lex_bad(lx, t, SIM_DIAG_number_too_fine,
			t->unit == SCN_TIME     ? "finer than a picosecond, the grain of simulated time"
			: t->unit == SCN_CYCLES ? "there are no fractions of a cycle"
						: "finer than one part in a million");
		return;
	}
	t->value = (uint64_t)(v * scale / div);
}

static void lex_number(struct lexer *lx, struct token *t)
{
	uint32_t digits, len;
	uint64_t scale = 1;
	const char *unit;
	bool point = false, found = false, twice = false;

	while (lx->next < lx->end && is_digit(*lx->next))
		lx->next++;
	if (lx->next + 1 < lx->end && *lx->next == '.' && is_digit(lx->next[1])) { /* "1..2" is a range */
		point = true;
		for (lx->next++; lx->next < lx->end && is_digit(*lx->next);)
			lx->next++;
		twice = lx->next + 1 < lx->end && *lx->next == '.' && is_digit(lx->next[1]);
		while (twice && lx->next < lx->end && (is_digit(*lx->next) || *lx->next == '.' || is_letter(*lx->next)))
			lx->next++;
	}
	digits = (uint32_t)(lx->next - t->at);
	unit = lx->next;
	if (lx->next < lx->end && *lx->next == '%')
		lx->next++;
	else
		while (lx->next < lx->end &&
		       (is_letter(*lx->next) || is_digit(*lx->next) || *lx->next & 0x80))
			lx->next++;
	len = (uint32_t)(lx->next - unit);
	end_token(lx, t);
	if (twice) {
		lex_bad(lx, t, SIM_DIAG_syntax, "a number has one point");
		return;
	}
	t->kind = TOK_NUMBER;
	t->unit = SCN_COUNT;
	for (unsigned i = 0; len && i < G_N_ELEMENTS(units); i++)
		if (!strncmp(units[i].text, unit, len) && !units[i].text[len]) {
			t->unit = units[i].unit;
			scale = units[i].scale;
			found = true;
		}
	if (len && !found) {
		if (*unit & 0x80)
			lex_bad(lx, t, SIM_DIAG_unknown_unit,
				"units are plain letters; for microseconds write \"us\"");
		else
			bad_unit(lx, t, unit, len, digits);
		return;
	}
	scale_number(lx, t, digits, scale, point);
}

static const char *not_ascii(const struct token *t)
{
	if (t->len == 3 && !memcmp(t->at, "\xe2\x89\xa4", 3))
		return "this is written \"<=\"";
	if (t->len == 3 && !memcmp(t->at, "\xe2\x89\xa5", 3))
		return "this is written \">=\"";
	if (t->len == 3 && !memcmp(t->at, "\xe2\x80", 2) && (t->at[2] & 0xfc) == 0x9c)
		return "strings are written in plain double quotes";
	if (t->len == 3 && !memcmp(t->at, "\xe2\x80", 2) && (t->at[2] & 0xfc) == 0x98)
		return "strings are written in plain double quotes";
	if (t->len == 2 && !memcmp(t->at, "\xc2\xa0", 2))
		return "a blank that only looks like one (U+00A0)";
	return "only ASCII can stand outside strings and comments";
}

static void lex_stray(struct lexer *lx, struct token *t, char c)
{
	char text[80];

	end_token(lx, t);
	if ((unsigned char)c >=
	    0x80) { /* the whole character, so that the caret and the message stay readable */
		while (lx->next < lx->end && ((unsigned char)*lx->next & 0xc0) == 0x80 &&
		       lx->next - t->at < 4)
			lx->next++;
		end_token(lx, t);
		lex_bad(lx, t, SIM_DIAG_bad_character, not_ascii(t));
	} else if (c == '\'') {
		lex_bad(lx, t, SIM_DIAG_bad_character, "strings are written in double quotes");
	} else if (c == '&') {
		lex_bad(lx, t, SIM_DIAG_bad_character, "locks and tasks are named without \"&\"");
	} else if (c == '$') {
		lex_bad(lx, t, SIM_DIAG_bad_character,
			"\"$\" begins $i, $k or $K; params are named without it");
	} else if ((unsigned char)c < ' ' || c == 0x7f) {
		lex_bad(lx, t, SIM_DIAG_bad_character, "a control character");
	} else {
		g_snprintf(text, sizeof(text), "\"%c\" has no meaning here", c);
		lex_bad(lx, t, SIM_DIAG_bad_character, text);
	}
}

static void lex_punct(struct lexer *lx, struct token *t)
{
	static const struct {
		char text[3];
		enum punct punct;
	} pairs[] = {
		{"<=", PUNCT_LE}, {">=", PUNCT_GE}, {"!=", PUNCT_NE}, {"==", PUNCT_EQEQ},
		{"=<", PUNCT_EQLT}, {"=>", PUNCT_EQGT}, {"..", PUNCT_DOTS}};
	char c = *lx->next++;

	t->kind = TOK_PUNCT;
	t->punct = c;
	for (unsigned i = 0; lx->next < lx->end && i < G_N_ELEMENTS(pairs); i++)
		if (pairs[i].text[0] == c && pairs[i].text[1] == *lx->next) {
			t->punct = pairs[i].punct;
			lx->next++;
			end_token(lx, t);
			return;
		}
	if (c && strchr("{}[]():=,+-*/.<>", c))
		end_token(lx, t);
	else
		lex_stray(lx, t, c);
}

/* A line that nobody wrote by hand; it is reported once and skipped. */
static bool line_too_long(struct lexer *lx, struct token *t)
{
	const char *eol;
	size_t room = (size_t)(lx->end - lx->line_start);

	if (!t->first || room <= LEX_LINE_MAX)
		return false;
	eol = memchr(lx->line_start, '\n', LEX_LINE_MAX + 1);
	if (eol)
		return false;
	eol = memchr(lx->next, '\n', (size_t)(lx->end - lx->next));
	lx->next = eol ? eol : lx->end;
	lex_bad(lx, t, SIM_DIAG_line_too_long, "this line is longer than 4096 bytes");
	return true;
}

/* Comments as in C: one message for all of them, and the text reads as if they were not there. */
static bool skip_c_comment(struct lexer *lx, struct token *t)
{
	const char *from = lx->next;
	bool line;

	if (lx->end - from < 2 || *from != '/' || (from[1] != '/' && from[1] != '*'))
		return false;
	line = from[1] == '/';
	for (lx->next += 2; lx->next < lx->end; lx->next++) {
		if (line ? *lx->next == '\n' : lx->next[-1] == '*' && *lx->next == '/' && lx->next - from > 2)
			break;
		if (*lx->next == '\n') {
			lx->line++;
			lx->line_start = lx->next + 1;
			lx->first = true;
		}
	}
	lx->next += !line && lx->next < lx->end;
	t->pos.width = 2;
	if (!lx->comments && !lx->quiet)
		sim_diag_add(lx->diags, SIM_DIAG_bad_character, t->pos, "comments begin with \"#\" and end with the line");
	lx->comments |= !lx->quiet;
	lx->first |= t->first;
	start_token(lx, t);
	return true;
}

/* C's habit. One message for all of them, and the text reads as if they were not there. */
static void skip_semicolons(struct lexer *lx, struct token *t)
{
	while (lx->next < lx->end && *lx->next == ';') {
		lx->next++;
		end_token(lx, t);
		if (!lx->semicolons && !lx->quiet)
			sim_diag_add(lx->diags, SIM_DIAG_bad_character, t->pos, "statements need no \";\"");
		lx->semicolons |= !lx->quiet;
		lx->first |= t->first;
		start_token(lx, t);
	}
}

void lex_next(struct lexer *lx, struct token *t)
{
	start_token(lx, t);
	do
		skip_semicolons(lx, t);
	while (skip_c_comment(lx, t));
	if (lx->next == lx->end) {
		t->kind = TOK_END;
		return;
	}
	if (line_too_long(lx, t))
		return;
	if (is_letter(*lx->next)) {
		while (lx->next < lx->end && (is_letter(*lx->next) || is_digit(*lx->next)))
			lx->next++;
		end_token(lx, t);
		t->kind = TOK_NAME;
		t->kw = find_keyword(t->at, t->len);
	} else if (is_digit(*lx->next)) {
		lex_number(lx, t);
	} else if (*lx->next == '"') {
		lex_string(lx, t);
	} else if (*lx->next == '$' && lx->next + 1 < lx->end && is_letter(lx->next[1])) {
		for (lx->next++; lx->next < lx->end && (is_letter(*lx->next) || is_digit(*lx->next));)
			lx->next++;
		end_token(lx, t);
		t->kind = TOK_VAR;
		t->at++;
		t->len--;
	} else {
		lex_punct(lx, t);
	}
}

void lex_word(struct lexer *lx, struct token *t)
{
	struct lexer before = *lx;

	start_token(lx, t);
	if (lx->next == lx->end || !(is_word(*lx->next) || is_letter(*lx->next)) || line_too_long(lx, t)) {
		*lx = before;
		lex_next(lx, t);
		return;
	}
	while (lx->next < lx->end && (is_word(*lx->next) || is_letter(*lx->next)))
		lx->next++;
	end_token(lx, t);
	t->kind = TOK_WORD;
}
