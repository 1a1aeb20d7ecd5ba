/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef STORE_DB_H
#define STORE_DB_H

#include <sqlite3.h>

#include "store/store.h"

/* What the files of this room share; nobody else includes it. */

/* The memory was the campaign's then, the same for all of its cells. */
#define RAM_BEFORE_4 "coalesce((SELECT CASE WHEN json_valid(text) THEN json_extract(text, '$.ram_bytes')" \
	" END FROM campaigns WHERE campaigns.id = campaign_id), 0)"

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

int db_exec(struct store *st, const char *sql, struct err *e);

/* schema.c. Is this file ours and of a schema we know? 0 yes, 1 it is empty and new, -1 no. */
int db_schema_check(struct store *st, struct err *e);
/* Bring it up to ours. */
int db_schema_make(struct store *st, struct err *e);
/* Of the file: one that is only read keeps that of the naslab that wrote it; -1 error. */
int db_schema(struct store *st, struct err *e);

void db_bind_str(sqlite3_stmt *q, int at, const char *text);	/* NULL binds NULL */
/* Bind JSON as one line of text. */
void db_bind_json(sqlite3_stmt *q, int at, const json_t *value);
/* A column as JSON; an empty object when the text is no JSON. */
json_t *db_column_json(sqlite3_stmt *q, int at);

int64_t now_ns(void);

#endif
