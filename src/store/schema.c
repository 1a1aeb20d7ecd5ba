/* SPDX-License-Identifier: GPL-2.0-or-later */
/* schema - the tables, each with the naslab that brought it, and an older file made new. */
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "store/db.h"

enum {
	SCHEMA = 4,
	APPLICATION = 0x6e61736c,	/* "nasl" in the file's header, for file(1) too */
};

static const char schema[] =
	"CREATE TABLE builds ("
	" id INTEGER PRIMARY KEY,"
	" name TEXT NOT NULL,"
	" layout TEXT NOT NULL,"
	" order_json TEXT NOT NULL,"
	" plan TEXT NOT NULL,"
	" state TEXT NOT NULL,"
	" created_ns INTEGER NOT NULL,"
	" changed_ns INTEGER NOT NULL,"
	" executor_pid INTEGER NOT NULL DEFAULT 0,"
	" executor_boot TEXT);"
	"CREATE UNIQUE INDEX builds_live ON builds(name)"
	" WHERE state IN ('running', 'built', 'destroying');"
	"CREATE TABLE events ("
	" seq INTEGER PRIMARY KEY AUTOINCREMENT,"
	" build_id INTEGER NOT NULL REFERENCES builds(id),"
	" at_ns INTEGER NOT NULL,"
	" event TEXT NOT NULL);"
	"CREATE INDEX events_of ON events(build_id, seq);"
	"CREATE TABLE results ("
	" id INTEGER PRIMARY KEY,"
	" at_ns INTEGER NOT NULL,"
	" result TEXT NOT NULL);"
	"CREATE TABLE runs ("
	" id INTEGER PRIMARY KEY,"
	" result_id INTEGER NOT NULL REFERENCES results(id),"
	" at_ns INTEGER NOT NULL,"
	" run TEXT NOT NULL);"
	"CREATE INDEX runs_of ON runs(result_id, id);"
	"CREATE TABLE samples ("
	" id INTEGER PRIMARY KEY,"
	" run_id INTEGER NOT NULL REFERENCES runs(id),"
	" samples TEXT NOT NULL);"
	"CREATE INDEX samples_of ON samples(run_id, id);";

/* How far each cell of a campaign is; schema 4 put the memory into the columns and the key. */
#define CELLS(table, memory, key) \
	"CREATE TABLE " table " (" \
	" id INTEGER PRIMARY KEY," \
	" campaign_id INTEGER NOT NULL REFERENCES campaigns(id)," \
	" n INTEGER NOT NULL," \
	" round INTEGER NOT NULL," \
	" layout TEXT NOT NULL," \
	" label TEXT NOT NULL," \
	" options TEXT NOT NULL," \
	" workload TEXT NOT NULL," \
	memory \
	" state TEXT NOT NULL," \
	" reason TEXT," \
	" results TEXT," \
	" began_ns INTEGER NOT NULL DEFAULT 0," \
	" ended_ns INTEGER NOT NULL DEFAULT 0," \
	" UNIQUE (campaign_id, n)," \
	" UNIQUE (campaign_id, round, layout, workload" key "));"

/* What schema 2 added: campaigns, and how far each of their cells is. */
static const char schema_2[] =
	"CREATE TABLE campaigns ("
	" id INTEGER PRIMARY KEY,"
	" name TEXT NOT NULL,"
	" text TEXT NOT NULL,"
	" disks TEXT NOT NULL,"
	" created_ns INTEGER NOT NULL);"
	CELLS("cells", "", "");

/* Schema 3: who works on a campaign, how far it says it is, and the file it is made of. */
static const char schema_3[] =
	"ALTER TABLE campaigns ADD COLUMN source TEXT;"
	"ALTER TABLE campaigns ADD COLUMN pid INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE campaigns ADD COLUMN boot TEXT;"
	"ALTER TABLE campaigns ADD COLUMN say TEXT;";

/* Schema 4: the memory a cell is measured in is a part of which cell it is. */
static const char schema_4[] =
	"ALTER TABLE campaigns ADD COLUMN pause INTEGER NOT NULL DEFAULT 0;"
	CELLS("cells_4", " ram_bytes INTEGER NOT NULL,", ", ram_bytes")
	"INSERT INTO cells_4 SELECT id, campaign_id, n, round, layout, label, options, workload, "
	RAM_BEFORE_4 ", state, reason, results, began_ns, ended_ns FROM cells;"
	"DROP TABLE cells;"
	"ALTER TABLE cells_4 RENAME TO cells;";

int db_exec(struct store *st, const char *sql, struct err *e)
{
	int rc = sqlite3_exec(st->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : db_error(st, rc, e);
}

/* One number that a PRAGMA gives; -1 with the sentence set when it cannot be had. */
static int64_t pragma_number(struct store *st, const char *sql, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, sql, e);
	int64_t value = -1;

	if (!q)
		return -1;
	if (db_step(st, q, e) == 1)
		value = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return value;
}

int db_schema(struct store *st, struct err *e)
{
	return (int)pragma_number(st, "PRAGMA user_version", e);
}

int db_schema_check(struct store *st, struct err *e)
{
	int64_t version = pragma_number(st, "PRAGMA user_version", e);
	int64_t application, tables;

	if (version < 0)
		return -1;
	application = pragma_number(st, "PRAGMA application_id", e);
	tables = pragma_number(st, "SELECT count(*) FROM sqlite_schema", e);
	if (application < 0 || tables < 0)
		return -1;
	if (!version && !application && !tables)
		return 1;
	if (application != APPLICATION)
		return err_set(e, ERR_FAIL, "%s is another program's database; it was left as it is",
			       st->path);
	if (version > SCHEMA)
		return err_set(e, ERR_FAIL, "the database %s was written by a newer naslab (its "
			       "schema is %" PRId64 ", this one knows %d); it was left as it is",
			       st->path, version, SCHEMA);
	return 0;
}

/* Create the tables, or add those an older naslab did not know; another naslab may be
 * doing the same, so look again inside the lock. */
int db_schema_make(struct store *st, struct err *e)
{
	char sql[96];
	int64_t version;
	int rc;

	if (db_schema(st, e) == SCHEMA)
		return 0;
	if (db_exec(st, "BEGIN EXCLUSIVE", e))
		return -1;
	rc = db_schema_check(st, e);
	version = rc < 0 ? SCHEMA : rc == 1 ? 0 : pragma_number(st, "PRAGMA user_version", e);
	if (version < SCHEMA) {
		snprintf(sql, sizeof(sql), "PRAGMA application_id=%d; PRAGMA user_version=%d",
			 APPLICATION, SCHEMA);
		rc = (version < 1 && db_exec(st, schema, e)) || (version < 2 && db_exec(st, schema_2, e)) ||
		     (version < 3 && db_exec(st, schema_3, e)) || db_exec(st, schema_4, e) ||
		     db_exec(st, sql, e) ? -1 : 0;
	}
	if (rc == 0 && db_exec(st, "COMMIT", e) == 0)
		return 0;
	sqlite3_exec(st->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}
