/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expectations.
 *
 *   expectation = "no" ( "deadlock" | "finding" )
 *               | "deadlock" { who } | "finding" KIND
 *               | "wait" who lock ( "max" | "p99" | "p50" | "mean" | "min" ) rel constant
 *               | "grants" lock "=" who { who }
 *               | "prio" who "at" constant "=" sched
 *               | "blocked" who "from" constant "to" constant
 *               | "never" who "runs" "from" constant "to" constant
 *               | ( "finish" | "inversion" ) who rel constant
 *               | "done" [ who ] [ NAME ] rel constant
 *               | "fair" who "." "done" "cv" rel constant
 *               | "throughput" rel constant [ "/" "s" ]
 *               | "throughput" "ratio" constant ".." constant          in compare only
 *               | "count" lock [ "read" | "write" ] rel constant
 *               | "event" NAME [ lock ] rel constant
 *               | "sleeps" ( who | lock ) rel constant
 *               | "busy" "cpus" rel constant
 *               | "result" who "=" ( "-" ERRNO | "0" )
 *               | "steps" "missed" rel constant ;                      of a director
 *   who, lock   = NAME [ "[" constant "]" ] ;        without an index: all instances pooled
 *   rel         = "<=" | "<" | "=" | "!=" | ">=" | ">" ;
 */
#include <errno.h>
#include <string.h>

#include "sim/scenario/parse.h"

static const char *const expect_words[] = {
	"no",    "deadlock", "finding",   "wait",   "grants", "prio",       "blocked",
	"never", "finish",   "inversion", "done",   "fair",   "throughput", "count",
	"event", "sleeps",   "busy",      "result", "steps", NULL,
};

/* -- parts -------------------------------------------------------------------------------------- */

bool parse_relation(struct parser *p, enum scn_rel *rel)
{
	int punct = p->tok.kind == TOK_PUNCT ? p->tok.punct : 0;

	switch (punct) {
	case PUNCT_LE:
		*rel = SCN_LE;
		break;
	case '<':
		*rel = SCN_LT;
		break;
	case '=':
		*rel = SCN_EQ;
		break;
	case PUNCT_NE:
		*rel = SCN_NE;
		break;
	case PUNCT_GE:
		*rel = SCN_GE;
		break;
	case '>':
		*rel = SCN_GT;
		break;
	case PUNCT_EQEQ:
		parse_fail(p, SIM_DIAG_bad_relation, p->tok.pos, "equality is written \"=\"");
		*rel = SCN_EQ;
		break;
	case PUNCT_EQLT:
	case PUNCT_EQGT:
		*rel = punct == PUNCT_EQLT ? SCN_LE : SCN_GE;
		parse_fail(p, SIM_DIAG_bad_relation, p->tok.pos, "this is written \"%s\"",
			   punct == PUNCT_EQLT ? "<=" : ">=");
		break;
	default:
		return parse_expected(p, "one of <= < = != >= >");
	}
	parse_advance(p);
	return true;
}

static bool parse_value(struct parser *p, struct scn_expect *x, enum want want, const char *what)
{
	return parse_relation(p, &x->rel) && parse_quantity(p, want, EXPR_CONST, what, &x->value);
}

/* Index of one instance, or -1. */
static bool parse_instance(struct parser *p, int32_t *instance)
{
	uint64_t n;

	*instance = -1;
	if (!parse_take(p, '['))
		return true;
	if (!parse_count(p, "an instance number", 0, INT32_MAX, &n) || !parse_need(p, ']', "\"]\""))
		return false;
	*instance = (int32_t)n;
	return true;
}

static bool parse_who(struct parser *p, struct scn_who *who)
{
	struct ref ref = {.kind = REF_TASK, .verb = "expect", .index = &who->task};

	if (!parse_name(p, "a task", &ref.name, &ref.pos))
		return false;
	who->pos = ref.pos;
	g_array_append_val(p->refs, ref);
	return parse_instance(p, &who->instance);
}

static bool parse_task_of(struct parser *p, struct scn_expect *x)
{
	x->has_task = true;
	return parse_who(p, &x->task);
}

static bool parse_lock_of(struct parser *p, struct scn_expect *x, unsigned kinds)
{
	struct ref ref = {.kind = REF_OBJECT, .kinds = kinds, .verb = "expect", .index = &x->lock.object};

	x->has_lock = true;
	if (!parse_name(p, "a lock", &ref.name, &ref.pos))
		return false;
	x->lock.pos = ref.pos;
	g_array_append_val(p->refs, ref);
	return parse_instance(p, &x->lock_instance);
}

#define WAITABLE (1u << SCN_LOCK | 1u << SCN_SEMAPHORE | 1u << SCN_COMPLETION | 1u << SCN_CONDITION)

static bool parse_whos(struct parser *p, struct scn_expect *x, enum ref_kind kind)
{
	g_autoptr(GArray) list = g_array_new(FALSE, TRUE, sizeof(struct scn_who));
	g_autoptr(GArray) refs = g_array_new(FALSE, TRUE, sizeof(struct ref));

	while (p->tok.kind == TOK_NAME && (!p->tok.kw || (p->misnamed[p->tok.kw] && !p->tok.first))) {
		struct scn_who who = {.instance = -1};
		struct ref ref = {.kind = kind, .verb = "expect"};

		if (list->len == PARSE_MAX_LIST)
			return parse_too_many(p, SIM_DIAG_list_too_long, p->tok.pos, "tasks", PARSE_MAX_LIST);
		if (!parse_name(p, "a task", &ref.name, &ref.pos) || !parse_instance(p, &who.instance))
			return false;
		who.pos = ref.pos;
		g_array_append_val(list, who);
		g_array_append_val(refs, ref);
	}
	x->nwho = list->len;
	x->who = scn_new_array(p->mem, struct scn_who, list->len + 1);
	if (list->len)
		memcpy(x->who, list->data, sizeof(*x->who) * list->len);
	for (unsigned i = 0; i < refs->len; i++) {
		struct ref *ref = &g_array_index(refs, struct ref, i);

		ref->who = &x->who[i]; /* now that the list has its place */
		ref->index = &ref->who->task;
		g_array_append_val(p->refs, *ref);
	}
	return true;
}

static bool parse_window(struct parser *p, struct scn_expect *x)
{
	if (!parse_take_name(p, "from"))
		return parse_expected(p, "\"from\" and a time");
	if (!parse_quantity(p, WANT_TIME, EXPR_CONST, "the begin of the window", &x->from))
		return false;
	if (!parse_take_name(p, "to"))
		return parse_expected(p, "\"to\" and a time");
	return parse_quantity(p, WANT_TIME, EXPR_CONST, "the end of the window", &x->to);
}

/* -- kinds ---------------------------------------------------------------------------------------- */

/* None of @words; NULL-terminated. */
static bool misspelled(struct parser *p, const char *const *words, const char *what)
{
	g_autofree char *word = g_strndup(p->tok.at, MIN(p->tok.len, 40));
	char meant[80];

	parse_meant(word, words, meant, sizeof(meant));
	if (p->tok.kind != TOK_NAME || !*meant)
		return parse_expected(p, what);
	return parse_fail(p, SIM_DIAG_syntax, p->tok.pos, "expected %s, found \"%s\"%s", what, word, meant);
}

static bool parse_no(struct parser *p, struct scn_expect *x)
{
	static const char *const kinds[] = {"deadlock", "finding", NULL};

	if (parse_take_name(p, "deadlock"))
		x->kind = SCN_EXPECT_NO_DEADLOCK;
	else if (parse_take_name(p, "finding"))
		x->kind = SCN_EXPECT_NO_FINDING;
	else
		return misspelled(p, kinds, "\"deadlock\" or \"finding\"");
	return true;
}

static bool parse_stat(struct parser *p, enum scn_stat *stat)
{
	static const char *const names[] = {"max", "p99", "p50", "mean", "min", NULL};
	static const enum scn_stat stats[] = {SCN_STAT_MAX, SCN_STAT_P99, SCN_STAT_P50, SCN_STAT_MEAN,
					      SCN_STAT_MIN};

	for (unsigned i = 0; i < G_N_ELEMENTS(stats); i++)
		if (parse_take_name(p, names[i])) {
			*stat = stats[i];
			return true;
		}
	return misspelled(p, names, "\"max\", \"p99\", \"p50\", \"mean\" or \"min\"");
}

static bool parse_expect_wait(struct parser *p, struct scn_expect *x)
{
	x->kind = SCN_EXPECT_WAIT;
	return parse_task_of(p, x) && parse_lock_of(p, x, WAITABLE) && parse_stat(p, &x->stat) &&
	       parse_value(p, x, WANT_TIME, "a wait");
}

static bool parse_grants(struct parser *p, struct scn_expect *x)
{
	x->kind = SCN_EXPECT_GRANTS;
	if (!parse_lock_of(p, x, WAITABLE) || !parse_need(p, '=', "\"=\" and the tasks in order of grants") ||
	    !parse_whos(p, x, REF_TASK))
		return false;
	return x->nwho || parse_expected(p, "a task");
}

static bool parse_prio(struct parser *p, struct scn_expect *x)
{
	x->kind = SCN_EXPECT_PRIO;
	if (!parse_task_of(p, x))
		return false;
	if (!parse_take_name(p, "at"))
		return parse_expected(p, "\"at\" and a time");
	if (!parse_quantity(p, WANT_TIME, EXPR_CONST, "the time to look", &x->at) ||
	    !parse_need(p, '=', "\"=\" and a policy"))
		return false;
	if (!parse_at_sched(p))
		return parse_expected(p, "\"fifo\", \"rr\", \"nice\" or \"deadline\"");
	return parse_sched(p, &x->sched, EXPR_CONST);
}

static bool parse_timed_task(struct parser *p, struct scn_expect *x, enum scn_expect_kind kind,
			     const char *what)
{
	x->kind = kind;
	return parse_task_of(p, x) && parse_value(p, x, WANT_TIME, what);
}

static bool parse_never(struct parser *p, struct scn_expect *x)
{
	x->kind = SCN_EXPECT_NEVER_RUNS;
	if (!parse_task_of(p, x))
		return false;
	if (!parse_take_name(p, "runs"))
		return parse_expected(p, "\"runs\"");
	return parse_window(p, x);
}

/* "done >= 5", "done worker >= 5", "done reads >= 5", "done worker reads >= 5": told apart when names are
 * known. */
static bool parse_expect_done(struct parser *p, struct scn_expect *x)
{
	struct ref ref = {.kind = REF_DONE, .expect = x};

	x->kind = SCN_EXPECT_DONE;
	x->task.instance = -1;
	if (p->tok.kind == TOK_NAME && !p->tok.kw) {
		if (!parse_name(p, "a task", &ref.name, &ref.pos) || !parse_instance(p, &x->task.instance))
			return false;
		x->task.pos = ref.pos;
		if (p->tok.kind == TOK_NAME && !p->tok.kw &&
		    !parse_name(p, "the name of a done", &x->text, &x->lock.pos))
			return false;
		g_array_append_val(p->refs, ref);
	}
	return parse_value(p, x, WANT_COUNT, "a number of dones");
}

static bool parse_fair(struct parser *p, struct scn_expect *x)
{
	x->kind = SCN_EXPECT_FAIR;
	if (!parse_task_of(p, x) || !parse_need(p, '.', "\".done\""))
		return false;
	if (!parse_take_name(p, "done"))
		return parse_expected(p, "\"done\"");
	if (!parse_take_name(p, "cv"))
		return parse_expected(p, "\"cv\", the coefficient of variation");
	return parse_value(p, x, WANT_PART, "the coefficient of variation");
}

static bool parse_throughput(struct parser *p, struct scn_expect *x)
{
	struct sim_pos pos = p->tok.pos;

	if (!parse_take_name(p, "ratio")) {
		x->kind = SCN_EXPECT_THROUGHPUT;
		if (!parse_relation(p, &x->rel) ||
		    !parse_atom(p, WANT_COUNT, EXPR_CONST, "a throughput", &x->value))
			return false;
		if (parse_take(p, '/') && !parse_take_name(p, "s"))
			return parse_expected(p, "\"s\": throughput is counted per second");
		return true;
	}
	x->kind = SCN_EXPECT_RATIO;
	if (!p->compare)
		parse_fail(
			p, SIM_DIAG_ratio_outside_compare, pos,
			"a ratio needs a second model: compare LOCK : MODEL { expect throughput ratio ... }");
	return parse_quantity(p, WANT_PART, EXPR_CONST, "the lower ratio", &x->from) &&
	       parse_need(p, PUNCT_DOTS, "\"..\" and the upper ratio") &&
	       parse_quantity(p, WANT_PART, EXPR_CONST, "the upper ratio", &x->to);
}

static bool parse_expect_count(struct parser *p, struct scn_expect *x)
{
	x->kind = SCN_EXPECT_COUNT;
	if (!parse_lock_of(p, x, WAITABLE))
		return false;
	if (parse_take_name(p, "read"))
		x->mode = SCN_MODE_READ;
	else if (parse_take_name(p, "write"))
		x->mode = SCN_MODE_WRITE;
	return parse_value(p, x, WANT_COUNT, "a number of acquisitions");
}

static bool parse_event(struct parser *p, struct scn_expect *x)
{
	x->kind = SCN_EXPECT_EVENT;
	if (!parse_word(p, "the name of an event", &x->text, &x->task.pos))
		return false;
	if (p->tok.kind == TOK_NAME && !parse_lock_of(p, x, WAITABLE))
		return false;
	return parse_value(p, x, WANT_COUNT, "a number of events");
}

static bool parse_sleeps(struct parser *p, struct scn_expect *x)
{
	struct ref ref = {.kind = REF_SLEEPS, .expect = x, .kinds = WAITABLE};

	x->kind = SCN_EXPECT_SLEEPS;
	if (!parse_name(p, "a task or a lock", &ref.name, &ref.pos) || !parse_instance(p, &x->task.instance))
		return false;
	x->task.pos = x->lock.pos = ref.pos;
	x->lock_instance = x->task.instance;
	g_array_append_val(p->refs, ref);
	return parse_value(p, x, WANT_COUNT, "a number of sleeps");
}

static bool parse_busy(struct parser *p, struct scn_expect *x)
{
	x->kind = SCN_EXPECT_BUSY;
	if (!parse_take_name(p, "cpus"))
		return parse_expected(p, "\"cpus\"");
	return parse_value(p, x, WANT_PART, "a number of busy CPUs");
}

int parse_error_name(struct parser *p)
{
	static const char *const names[] = {"EINTR", "ETIMEDOUT", "EDEADLK", "EALREADY", "EBUSY", "EINVAL", "ESRCH", NULL};
	static const int values[] = {EINTR, ETIMEDOUT, EDEADLK, EALREADY, EBUSY, EINVAL, ESRCH};
	struct token t = p->tok;
	g_autofree char *word = g_strndup(t.at, MIN(t.len, 40));
	char meant[80];

	parse_advance(p);
	for (unsigned i = 0; names[i]; i++)
		if (!strcmp(names[i], word))
			return values[i];
	parse_fail(p, SIM_DIAG_unknown_error, t.pos, "no lock answers \"-%s\"%s", word,
		   parse_meant(word, names, meant, sizeof(meant)));
	sim_diag_note(p->diags, "results are 0, -EINTR, -ETIMEDOUT, -EDEADLK, -EALREADY, -EBUSY, -EINVAL and -ESRCH");
	return 0;
}

static bool parse_result(struct parser *p, struct scn_expect *x)
{
	x->kind = SCN_EXPECT_RESULT;
	if (!parse_task_of(p, x) || !parse_need(p, '=', "\"=\" and a result"))
		return false;
	if (p->tok.kind == TOK_NUMBER && !p->tok.value && p->tok.unit == SCN_COUNT) {
		parse_advance(p);
		return true;
	}
	if (!parse_need(p, '-', "\"0\" or an error such as \"-EINTR\""))
		return false;
	if (p->tok.kind != TOK_NAME)
		return parse_expected(p, "an error such as \"EINTR\"");
	x->error = parse_error_name(p);
	return true;
}

static bool parse_steps(struct parser *p, struct scn_expect *x)
{
	x->kind = SCN_EXPECT_STEPS;
	if (!parse_take_name(p, "missed"))
		return parse_expected(p, "\"missed\"");
	return parse_value(p, x, WANT_COUNT, "a number of steps");
}

static bool parse_expect_kind(struct parser *p, struct scn_expect *x, const struct token *t)
{
	unsigned i = 0;

	while (expect_words[i] && (strncmp(expect_words[i], t->at, t->len) || expect_words[i][t->len]))
		i++;
	switch (i) {
	case 0:
		return parse_no(p, x);
	case 1:
		x->kind = SCN_EXPECT_DEADLOCK;
		return parse_whos(p, x, REF_CYCLE);
	case 2:
		x->kind = SCN_EXPECT_FINDING;
		return parse_word(p, "the kind of the finding", &x->text, &x->task.pos);
	case 3:
		return parse_expect_wait(p, x);
	case 4:
		return parse_grants(p, x);
	case 5:
		return parse_prio(p, x);
	case 6:
		x->kind = SCN_EXPECT_BLOCKED;
		return parse_task_of(p, x) && parse_window(p, x);
	case 7:
		return parse_never(p, x);
	case 8:
		return parse_timed_task(p, x, SCN_EXPECT_FINISH, "the time of the end");
	case 9:
		return parse_timed_task(p, x, SCN_EXPECT_INVERSION, "the time of inversion");
	case 10:
		return parse_expect_done(p, x);
	case 11:
		return parse_fair(p, x);
	case 12:
		return parse_throughput(p, x);
	case 13:
		return parse_expect_count(p, x);
	case 14:
		return parse_event(p, x);
	case 15:
		return parse_sleeps(p, x);
	case 16:
		return parse_busy(p, x);
	case 17:
		return parse_result(p, x);
	case 18:
		return parse_steps(p, x);
	}
	return false;
}

const char *parse_source_text(struct parser *p, const char *from, const char *to)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (const char *c = from; c < to; c++) {
		if (*c == '#')
			while (c < to && *c != '\n')
				c++;
		if (c == to)
			break;
		if (!g_ascii_isspace(*c))
			g_string_append_c(text, *c);
		else if (text->len && text->str[text->len - 1] != ' ')
			g_string_append_c(text, ' ');
	}
	return scn_strndup(p->mem, text->str, text->len);
}

static bool too_many_expects(struct parser *p, struct sim_pos pos)
{
	if (++p->nexpect <= PARSE_MAX_DECLS)
		return false;
	p->fatal = true;
	parse_fail(p, SIM_DIAG_too_many_declarations, pos, "more than %u expectations", PARSE_MAX_DECLS);
	return true;
}

bool parse_is_expectation(struct parser *p)
{
	g_autofree char *word = g_strndup(p->tok.at, p->tok.len), *value = NULL;
	const struct symbol *sym;
	struct token next;

	parse_peek(p, &next, 1);
	if (next.kind != TOK_NAME || !g_strv_contains(expect_words, word))
		return false;
	value = g_strndup(next.at, next.len);
	sym = parse_symbol(p, value);
	return strcmp(value, "on") && strcmp(value, "off") && !(sym && sym->kind == SYM_PARAM);
}

bool parse_expectation(struct parser *p, GPtrArray *list)
{
	struct scn_expect *x = scn_new(p->mem, struct scn_expect);
	struct token t = p->tok;
	char meant[80];
	g_autofree char *word = g_strndup(t.at, MIN(t.len, 40));

	x->pos = t.pos;
	x->task.instance = x->lock_instance = -1;
	if (too_many_expects(p, t.pos))
		return false;
	if (t.kind != TOK_NAME)
		return parse_expected(p, "an expectation");
	parse_advance(p);
	if (!g_strv_contains(expect_words, word))
		return parse_fail(p, SIM_DIAG_unknown_expectation, t.pos, "no expectation \"%s\"%s", word,
				  parse_meant(word, expect_words, meant, sizeof(meant)));
	if (!parse_expect_kind(p, x, &t))
		return false;
	x->source = parse_source_text(p, t.at, p->last.at + p->last.len);
	g_ptr_array_add(list, x);
	return true;
}

bool parse_expect(struct parser *p)
{
	return parse_expectation(p, p->expects);
}
