/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef STORE_DB_H
#define STORE_DB_H

#include <sqlite3.h>

#include "store/store.h"

/* What the files of this room share; nobody else includes it. */

struct store {
	sqlite3 *db;
	char *path;
};

/* A prepared statement; NULL with the sentence set when it cannot be prepared. */
sqlite3_stmt *db_prepare(struct store *st, const char *sql, struct err *e);

/* One row (1), the end (0), or a failure (-1). */
int db_step(struct store *st, sqlite3_stmt *q, struct err *e);

/* Run a statement that gives no rows, and finalise it. */
int db_finish(struct store *st, sqlite3_stmt *q, struct err *e);

/* The sentence for what SQLite reports. Always -1. */
int db_error(struct store *st, int rc, struct err *e);

void db_bind_str(sqlite3_stmt *q, int at, const char *text);	/* NULL binds NULL */
/* Bind JSON as one line of text. */
void db_bind_json(sqlite3_stmt *q, int at, const json_t *value);
/* A column as JSON; an empty object when the text is no JSON. */
json_t *db_column_json(sqlite3_stmt *q, int at);

int64_t now_ns(void);

#endif
