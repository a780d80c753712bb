// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/store.h"

#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/cli.h"

#define FORMAT 1 /* user_version of the file */
#define BUSY_MS 20000

struct store {
	sqlite3 *db;
	char *path;
	sqlite3_stmt *has, *put, *put_lock;
};

static bool wrong(struct store *s)
{
	cli_error("%s: %s", s->path, sqlite3_errmsg(s->db));
	return false;
}

static bool exec(struct store *s, const char *sql)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK || wrong(s);
}

/* -- tables -------------------------------------------------------------------------------------- */

#define KEY "scenario TEXT NOT NULL, params TEXT NOT NULL, seed INTEGER NOT NULL, version TEXT NOT NULL, "

static void add_columns(GString *sql, const char *type)
{
	for (unsigned i = 0; i < MEASURE_IDS; i++)
		g_string_append_printf(sql, ", %s%s", measure_info[i].id, type);
}

static bool make_tables(struct store *s)
{
	g_autoptr(GString) sql = g_string_new("BEGIN IMMEDIATE;"
					      "CREATE TABLE scenario (hash TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;"
					      "CREATE TABLE run (" KEY
					      "status INTEGER NOT NULL, met INTEGER, missed INTEGER, findings INTEGER, digest TEXT");

	add_columns(sql, " INTEGER NOT NULL");
	g_string_append(sql, ", PRIMARY KEY (scenario, params, seed, version)) WITHOUT ROWID;"
			     "CREATE TABLE lock (" KEY "lock TEXT NOT NULL");
	add_columns(sql, " INTEGER NOT NULL");
	g_string_append(sql, ", PRIMARY KEY (scenario, params, seed, version, lock)) WITHOUT ROWID;");
	g_string_append_printf(sql, "PRAGMA user_version = %d; COMMIT;", FORMAT);
	return exec(s, sql->str);
}

static int format_of(struct store *s)
{
	sqlite3_stmt *st;
	int format = -1;

	if (sqlite3_prepare_v2(s->db, "PRAGMA user_version", -1, &st, NULL) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
		format = sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	return format;
}

static bool is_empty(struct store *s)
{
	sqlite3_stmt *st;
	bool empty = false;

	if (sqlite3_prepare_v2(s->db, "SELECT count(*) FROM sqlite_master", -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW)
		empty = sqlite3_column_int(st, 0) == 0;
	sqlite3_finalize(st);
	return empty;
}

static bool check_format(struct store *s, bool create)
{
	int format = format_of(s);

	if (format < 0)
		return wrong(s);
	if (format == FORMAT)
		return true;
	if (format == 0 && create && is_empty(s))
		return make_tables(s);
	cli_error("%s: not a file of `lockstep sweep`, or of another version of it", s->path);
	return false;
}

static bool prepare(struct store *s)
{
	g_autoptr(GString) run = g_string_new("INSERT OR IGNORE INTO run (scenario, params, seed, version, status, met, missed, "
					      "findings, digest");
	g_autoptr(GString) lock = g_string_new("INSERT OR IGNORE INTO lock (scenario, params, seed, version, lock");

	add_columns(run, "");
	add_columns(lock, "");
	g_string_append(run, ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?");
	g_string_append(lock, ") VALUES (?, ?, ?, ?, ?");
	for (unsigned i = 0; i < MEASURE_IDS; i++) {
		g_string_append(run, ", ?");
		g_string_append(lock, ", ?");
	}
	g_string_append_c(run, ')');
	g_string_append_c(lock, ')');
	return (sqlite3_prepare_v2(s->db, run->str, -1, &s->put, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(s->db, lock->str, -1, &s->put_lock, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(s->db, "SELECT 1 FROM run WHERE scenario = ? AND params = ? AND seed = ? AND version = ?", -1,
				   &s->has, NULL) == SQLITE_OK) ||
	       wrong(s);
}

struct store *store_open(const char *path, bool create)
{
	struct store *s = g_new0(struct store, 1);

	s->path = g_strdup(path);
	if (sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0), NULL) != SQLITE_OK) {
		wrong(s);
		store_close(s);
		return NULL;
	}
	sqlite3_busy_timeout(s->db, BUSY_MS);
	/* a killed process leaves its journal, and the next one to open the file undoes half a row with it */
	if (check_format(s, create) && exec(s, "PRAGMA synchronous = NORMAL") && prepare(s))
		return s;
	store_close(s);
	return NULL;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	sqlite3_finalize(s->has);
	sqlite3_finalize(s->put);
	sqlite3_finalize(s->put_lock);
	sqlite3_close(s->db);
	g_free(s->path);
	g_free(s);
}

/* -- writing ---------------------------------------------------------------------------------------- */

static void bind_key(sqlite3_stmt *st, const struct store_key *key)
{
	sqlite3_reset(st);
	sqlite3_bind_text(st, 1, key->scenario, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(st, 2, key->params, -1, SQLITE_TRANSIENT);
	sqlite3_bind_int64(st, 3, (sqlite3_int64)key->seed);
	sqlite3_bind_text(st, 4, key->version, -1, SQLITE_TRANSIENT);
}

static void bind_measure(sqlite3_stmt *st, int from, const struct measure *m)
{
	for (int i = 0; i < (int)MEASURE_IDS; i++)
		sqlite3_bind_int64(st, from + i, (sqlite3_int64)MIN(m->v[i], (uint64_t)INT64_MAX));
}

static bool step(struct store *s, sqlite3_stmt *st)
{
	bool good = sqlite3_step(st) == SQLITE_DONE || wrong(s);

	sqlite3_reset(st);
	return good;
}

bool store_scenario(struct store *s, const char *hash, const char *name)
{
	sqlite3_stmt *st;
	bool good;

	if (sqlite3_prepare_v2(s->db, "INSERT OR IGNORE INTO scenario VALUES (?, ?)", -1, &st, NULL) != SQLITE_OK)
		return wrong(s);
	sqlite3_bind_text(st, 1, hash, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(st, 2, name, -1, SQLITE_TRANSIENT);
	good = step(s, st);
	sqlite3_finalize(st);
	return good;
}

bool store_has(struct store *s, const struct store_key *key)
{
	bool has;

	bind_key(s->has, key);
	has = sqlite3_step(s->has) == SQLITE_ROW;
	sqlite3_reset(s->has);
	return has;
}

static bool put_rows(struct store *s, const struct store_key *key, const struct store_row *row)
{
	char digest[20];

	g_snprintf(digest, sizeof(digest), "%016" G_GINT64_MODIFIER "x", row->digest);
	bind_key(s->put, key);
	sqlite3_bind_int(s->put, 5, row->status);
	sqlite3_bind_int64(s->put, 6, (sqlite3_int64)row->met);
	sqlite3_bind_int64(s->put, 7, (sqlite3_int64)row->missed);
	sqlite3_bind_int64(s->put, 8, (sqlite3_int64)row->findings);
	sqlite3_bind_text(s->put, 9, digest, -1, SQLITE_TRANSIENT);
	bind_measure(s->put, 10, &row->all);
	if (!step(s, s->put))
		return false;
	for (unsigned i = 0; i < row->nlock; i++) {
		bind_key(s->put_lock, key);
		sqlite3_bind_text(s->put_lock, 5, row->lock[i].name, -1, SQLITE_TRANSIENT);
		bind_measure(s->put_lock, 6, &row->lock[i].m);
		if (!step(s, s->put_lock))
			return false;
	}
	return true;
}

bool store_put(struct store *s, const struct store_key *key, const struct store_row *row)
{
	if (!exec(s, "BEGIN IMMEDIATE"))
		return false;
	if (put_rows(s, key, row))
		return exec(s, "COMMIT");
	sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return false;
}

void store_row_clear(struct store_row *row)
{
	for (unsigned i = 0; i < row->nlock; i++)
		g_free(row->lock[i].name);
	g_free(row->lock);
	*row = (struct store_row){ 0 };
}

/* -- reading ------------------------------------------------------------------------------------------- */

static const char *text(sqlite3_stmt *st, int column)
{
	const unsigned char *t = sqlite3_column_text(st, column);

	return t ? (const char *)t : "";
}

static void hand_over(sqlite3_stmt *st, void (*take)(void *user, const struct store_found *row), void *user)
{
	struct store_found f = {
		.key = { text(st, 0), text(st, 1), (uint64_t)sqlite3_column_int64(st, 2), text(st, 3) },
		.name = text(st, 4),
		.status = sqlite3_column_int(st, 5),
	};

	for (int i = 0; i < (int)MEASURE_IDS; i++)
		f.m.v[i] = (uint64_t)sqlite3_column_int64(st, 6 + i);
	take(user, &f);
}

bool store_each(struct store *s, const char *lock, void (*take)(void *user, const struct store_found *row), void *user)
{
	g_autoptr(GString) sql = g_string_new("SELECT r.scenario, r.params, r.seed, r.version, c.name, r.status");
	sqlite3_stmt *st;
	int got;

	for (unsigned i = 0; i < MEASURE_IDS; i++)
		g_string_append_printf(sql, ", %s.%s", lock ? "l" : "r", measure_info[i].id);
	g_string_append(sql, " FROM run r LEFT JOIN scenario c ON c.hash = r.scenario");
	if (lock)
		g_string_append(sql, " JOIN lock l ON l.scenario = r.scenario AND l.params = r.params AND l.seed = r.seed "
				     "AND l.version = r.version AND l.lock = ?");
	g_string_append(sql, " ORDER BY r.scenario, r.version, r.params, r.seed");
	if (sqlite3_prepare_v2(s->db, sql->str, -1, &st, NULL) != SQLITE_OK)
		return wrong(s);
	if (lock)
		sqlite3_bind_text(st, 1, lock, -1, SQLITE_TRANSIENT);
	while ((got = sqlite3_step(st)) == SQLITE_ROW)
		hand_over(st, take, user);
	sqlite3_finalize(st);
	return got == SQLITE_DONE || wrong(s);
}

/* The number that @sql asks for; ? is the scenario, the version and @status. */
static uint64_t count(struct store *s, const char *sql, const char *hash, const char *version, int status)
{
	sqlite3_stmt *st;
	uint64_t n = 0;

	if (sqlite3_prepare_v2(s->db, sql, -1, &st, NULL) != SQLITE_OK)
		return 0;
	sqlite3_bind_text(st, 1, hash, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(st, 2, version, -1, SQLITE_TRANSIENT);
	sqlite3_bind_int(st, 3, status);
	if (sqlite3_step(st) == SQLITE_ROW)
		n = (uint64_t)sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return n;
}

uint64_t store_count(struct store *s, const char *hash, const char *version, int status)
{
	return count(s, "SELECT count(*) FROM run WHERE scenario = ? AND version = ? AND status = ?", hash, version, status);
}

uint64_t store_count_others(struct store *s, const char *hash, const char *version)
{
	return count(s, "SELECT count(*) FROM run WHERE scenario = ? AND version != ?", hash, version, 0);
}
