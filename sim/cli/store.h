/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results of sweeps, in an SQLite file. A row is named by what determines it: hash of
 * the scenario's text, parameters, seed, version of the program. So a row that is there need not be
 * run again, and files made by the same runs have the same content, in whatever order the rows came.
 */
#ifndef SIM_CLI_STORE_H
#define SIM_CLI_STORE_H

#include "sim/report/measure.h"

struct store;

struct store_key {
	const char *scenario; /* hash */
	const char *params;
	uint64_t seed; /* below 2^63 */
	const char *version;
};

struct store_row {
	int status; /* as of run: 0, 1 or 3 */
	uint64_t met, missed, findings, digest;
	struct measure all; /* of all locks together */
	unsigned nlock;
	struct store_lock {
		char *name;
		struct measure m;
	} *lock;
};

/* Opens or makes the file; NULL after a message. @create: may be new. */
struct store *store_open(const char *path, bool create);
void store_close(struct store *s);
/* What this hash is the hash of. */
bool store_scenario(struct store *s, const char *hash, const char *name);
bool store_has(struct store *s, const struct store_key *key);
/* In a transaction of its own; false after a message. */
bool store_put(struct store *s, const struct store_key *key, const struct store_row *row);
void store_row_clear(struct store_row *row);

/* -- reading ------------------------------------------------------------------------------------- */

struct store_found {
	struct store_key key;
	const char *name; /* of the scenario */
	int status;
	struct measure m;
};
/* All rows by scenario, version, params, seed. @lock: of that lock, NULL: of all. False after a message. */
bool store_each(struct store *s, const char *lock, void (*take)(void *user, const struct store_found *row), void *user);
/* How many rows of this scenario and version had which status. */
uint64_t store_count(struct store *s, const char *hash, const char *version, int status);
/* How many rows of this scenario other versions made. */
uint64_t store_count_others(struct store *s, const char *hash, const char *version);

#endif
