/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store - one SQLite file: opening it, and the builds with their journal.
 *
 * The rollback journal is used and not WAL, because WAL needs shared memory, which the
 * sandbox's host file system does not have; a write is on the disk when the call returns.
 * A file that is not ours, is damaged, or was written by a newer naslab is never touched.
 */
#include "store/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "store/db.h"

enum { BUSY_MS = 10000 };

static const char *const state_words[] = {
	[BUILD_RUNNING] = "running",
	[BUILD_BUILT] = "built",
	[BUILD_FAILED] = "failed",
	[BUILD_DESTROYING] = "destroying",
	[BUILD_DESTROYED] = "destroyed",
	[BUILD_WAITING] = "waiting",
};

int64_t store_fixed_ns;

int64_t now_ns(void)
{
	struct timespec t;

	if (store_fixed_ns)
		return store_fixed_ns;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* SQLite opens once more for reading alone, and what that says hides why it could not write. */
static int why_not_opened(const struct store *st)
{
	char *folder = strdup(st->path), *slash = folder ? strrchr(folder, '/') : NULL;
	bool there = access(st->path, F_OK) == 0;
	int error = 0;

	if (slash)
		slash[slash == folder] = '\0';
	if (access(there ? st->path : slash ? folder : ".", there ? R_OK | W_OK : W_OK | X_OK) < 0)
		error = errno;
	free(folder);
	if (!error || error == ENOENT)
		error = st->db ? sqlite3_system_errno(st->db) : 0;
	return error ? error : EACCES;
}

int db_error(struct store *st, int rc, struct err *e)
{
	switch (rc & 0xff) {
	case SQLITE_NOTADB:
		return err_set(e, ERR_FAIL, "%s is not a naslab database; it was left as it is",
			       st->path);
	case SQLITE_CORRUPT:
		return err_set(e, ERR_FAIL, "the database %s is damaged; it was left as it is: "
			       "move it away or name another with --db", st->path);
	case SQLITE_FULL:
		return err_set(e, ERR_FAIL, "the disk that holds the database %s is full", st->path);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(e, ERR_FAIL, "the database %s is held by another program", st->path);
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return err_set(e, ERR_FAIL, "the database %s may not be written by this user",
			       st->path);
	case SQLITE_CANTOPEN:
		return err_set(e, ERR_FAIL, "the database %s cannot be opened: %s", st->path,
			       strerror(why_not_opened(st)));
	case SQLITE_IOERR:
		if (st->db && sqlite3_system_errno(st->db) == ENOSPC)
			return err_set(e, ERR_FAIL, "the disk that holds the database %s is full",
				       st->path);
		return err_set(e, ERR_FAIL, "the database %s cannot be read or written: %s",
			       st->path, st->db && sqlite3_system_errno(st->db) ?
			       strerror(sqlite3_system_errno(st->db)) : "input/output error");
	case SQLITE_NOMEM:
		die("no memory for the database");
	}
	return err_set(e, ERR_FAIL, "the database %s: %s", st->path,
		       st->db ? sqlite3_errmsg(st->db) : sqlite3_errstr(rc));
}

sqlite3_stmt *db_prepare(struct store *st, const char *sql, struct err *e)
{
	sqlite3_stmt *q = NULL;
	int rc = sqlite3_prepare_v2(st->db, sql, -1, &q, NULL);

	if (rc != SQLITE_OK) {
		db_error(st, rc, e);
		return NULL;
	}
	return q;
}

int db_step(struct store *st, sqlite3_stmt *q, struct err *e)
{
	int rc = sqlite3_step(q);

	if (rc == SQLITE_ROW)
		return 1;
	return rc == SQLITE_DONE ? 0 : db_error(st, rc, e);
}

int db_finish(struct store *st, sqlite3_stmt *q, struct err *e)
{
	int rc = sqlite3_step(q);

	if (rc != SQLITE_DONE && rc != SQLITE_ROW)
		db_error(st, rc, e);
	sqlite3_finalize(q);
	return rc == SQLITE_DONE || rc == SQLITE_ROW ? 0 : -1;
}

void db_bind_str(sqlite3_stmt *q, int at, const char *text)
{
	if (text)
		sqlite3_bind_text(q, at, text, -1, SQLITE_TRANSIENT);
	else
		sqlite3_bind_null(q, at);
}

void db_bind_json(sqlite3_stmt *q, int at, const json_t *value)
{
	sqlite3_bind_text(q, at, json_line(value), -1, free);
}

json_t *db_column_json(sqlite3_stmt *q, int at)
{
	const char *text = (const char *)sqlite3_column_text(q, at);
	json_t *value = text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;

	return value ? value : json_object();
}

static char *default_path(void)
{
	const char *db = getenv("NASLAB_DB");
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");
	struct sbuf path = { 0 };

	if (db && *db)
		sbuf_add(&path, db);
	else if (geteuid() == 0)
		sbuf_add(&path, "/var/lib/naslab/naslab.db");
	else if (data && *data == '/')
		sbuf_addf(&path, "%s/naslab/naslab.db", data);
	else
		sbuf_addf(&path, "%s/.local/share/naslab/naslab.db", home && *home ? home : "/");
	return path.text;
}

/* Make the folders above the file: readable by all for root, private for a user. */
static int make_folders(const char *path, struct err *e)
{
	mode_t mode = geteuid() == 0 ? 0755 : 0700;
	struct sbuf folder = { 0 };
	const char *slash = path;
	int rc = 0, error;

	while (rc == 0 && (slash = strchr(slash + 1, '/'))) {
		sbuf_clear(&folder);
		sbuf_addn(&folder, path, (size_t)(slash - path));
		if (mkdir(folder.text, mode) == 0 || errno == EEXIST)
			continue;
		error = errno;
		if (access(folder.text, F_OK) == 0)
			continue;
		errno = error;
		rc = err_sys(e, "cannot make the folder %s for the database", folder.text);
	}
	sbuf_done(&folder);
	return rc;
}

static int open_file(struct store *st, int flags, struct err *e)
{
	struct stat sb;
	int rc;

	if (stat(st->path, &sb) == 0 && !S_ISREG(sb.st_mode))
		return err_set(e, ERR_FAIL, "the database %s is not a file", st->path);
	rc = sqlite3_open_v2(st->path, &st->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc != SQLITE_OK)
		return db_error(st, rc, e);
	sqlite3_extended_result_codes(st->db, 1);
	sqlite3_busy_timeout(st->db, BUSY_MS);
	return db_exec(st, "PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF", e);
}

static struct store *store_new(const char *path)
{
	struct store *st = calloc(1, sizeof(*st));

	if (!st)
		die("no memory");
	st->path = path ? strdup(path) : default_path();
	if (!st->path)
		die("no memory");
	return st;
}

int store_open(const char *path, struct store **out, struct err *e)
{
	struct store *st = store_new(path);
	int rc;

	if (make_folders(st->path, e) ||
	    open_file(st, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, e))
		goto fail;
	rc = db_schema_check(st, e);
	if (rc < 0)
		goto fail;
	if (sqlite3_db_readonly(st->db, "main") == 1) {
		db_error(st, SQLITE_READONLY, e);
		goto fail;
	}
	if (db_exec(st, "PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL", e))
		goto fail;
	if (db_schema_make(st, e))
		goto fail;
	*out = st;
	return 0;
fail:
	store_close(st);
	return -1;
}

int store_open_read(const char *path, struct store **out, struct err *e)
{
	struct store *st = store_new(path);

	if (access(st->path, F_OK)) {
		err_set(e, ERR_FAIL, "there is no database %s yet", st->path);
		goto fail;
	}
	if (open_file(st, SQLITE_OPEN_READONLY, e))
		goto fail;
	switch (db_schema_check(st, e)) {
	case 0:
		*out = st;
		return 0;
	case 1:
		err_set(e, ERR_FAIL, "the database %s is empty", st->path);
	}
fail:
	store_close(st);
	return -1;
}

bool store_exists(const char *path)
{
	struct store *st = store_new(path);
	bool there = !access(st->path, F_OK);

	store_close(st);
	return there;
}

void store_close(struct store *st)
{
	if (!st)
		return;
	sqlite3_close_v2(st->db);
	free(st->path);
	free(st);
}

const char *store_path(const struct store *st)
{
	return st->path;
}

const char *build_state_word(enum build_state state)
{
	return state_words[state];
}

static enum build_state state_from_word(const char *word)
{
	size_t i;

	for (i = 0; word && i < sizeof(state_words) / sizeof(*state_words); i++) {
		if (!strcmp(word, state_words[i]))
			return (enum build_state)i;
	}
	return BUILD_FAILED;
}

int store_build_add(struct store *st, struct build *b, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "INSERT INTO builds (name, layout, order_json, plan, state,"
				     " created_ns, changed_ns, executor_pid, executor_boot)"
				     " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?8 WHERE NOT EXISTS"
				     " (SELECT 1 FROM builds WHERE name = ?1 AND state = 'waiting')", e);
	int rc;

	if (!q)
		return -1;
	b->created_ns = b->changed_ns = now_ns();
	db_bind_str(q, 1, b->name);
	db_bind_str(q, 2, b->layout);
	db_bind_str(q, 3, b->order);
	db_bind_str(q, 4, b->plan);
	db_bind_str(q, 5, state_words[b->state]);
	sqlite3_bind_int64(q, 6, b->created_ns);
	sqlite3_bind_int64(q, 7, b->executor_pid);
	db_bind_str(q, 8, b->executor_boot);
	rc = sqlite3_step(q);
	sqlite3_finalize(q);
	if (rc == SQLITE_CONSTRAINT_UNIQUE)
		return err_set(e, ERR_REFUSED, "there is a build named %s already; destroy it first "
			       "or take another name", b->name);
	if (rc != SQLITE_DONE)
		return db_error(st, rc, e);
	if (!sqlite3_changes(st->db))
		return err_set(e, ERR_REFUSED, "the destroyed build %s still waits for a disk that was not "
			       "there; end it with naslab destroy %s --forget, or take another name",
			       b->name, b->name);
	b->id = sqlite3_last_insert_rowid(st->db);
	return 0;
}

int store_build_set(struct store *st, int64_t id, enum build_state state, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "UPDATE builds SET state = ?2, changed_ns = ?3"
				     " WHERE id = ?1", e);

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, id);
	db_bind_str(q, 2, state_words[state]);
	sqlite3_bind_int64(q, 3, now_ns());
	return db_finish(st, q, e);
}

int store_build_executor(struct store *st, int64_t id, int64_t pid, const char *boot,
			 struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "UPDATE builds SET executor_pid = ?2, executor_boot = ?3"
				     " WHERE id = ?1", e);

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, id);
	sqlite3_bind_int64(q, 2, pid);
	db_bind_str(q, 3, boot);
	return db_finish(st, q, e);
}

#define BUILD_COLUMNS "id, name, layout, order_json, plan, state, created_ns, changed_ns," \
	" executor_pid, executor_boot"

static void build_from_row(sqlite3_stmt *q, struct arena *a, struct build *b)
{
	*b = (struct build){
		.id = sqlite3_column_int64(q, 0),
		.name = arena_strdup(a, (const char *)sqlite3_column_text(q, 1)),
		.layout = arena_strdup(a, (const char *)sqlite3_column_text(q, 2)),
		.order = arena_strdup(a, (const char *)sqlite3_column_text(q, 3)),
		.plan = arena_strdup(a, (const char *)sqlite3_column_text(q, 4)),
		.state = state_from_word((const char *)sqlite3_column_text(q, 5)),
		.created_ns = sqlite3_column_int64(q, 6),
		.changed_ns = sqlite3_column_int64(q, 7),
		.executor_pid = sqlite3_column_int64(q, 8),
		.executor_boot = arena_strdup(a, (const char *)sqlite3_column_text(q, 9)),
	};
}

int store_build_find(struct store *st, const char *name, struct arena *a, struct build *out,
		     struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "SELECT " BUILD_COLUMNS " FROM builds WHERE name = ?1"
				     " AND state <> 'destroyed' ORDER BY id DESC LIMIT 1", e);
	int rc;

	if (!q)
		return -1;
	db_bind_str(q, 1, name);
	rc = db_step(st, q, e);
	if (rc == 1)
		build_from_row(q, a, out);
	sqlite3_finalize(q);
	return rc < 0 ? -1 : !rc;
}

int store_builds(struct store *st, struct arena *a, struct list *out, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "SELECT " BUILD_COLUMNS " FROM builds ORDER BY id", e);
	int rc;

	if (!q)
		return -1;
	while ((rc = db_step(st, q, e)) == 1) {
		struct build *b = arena_alloc(a, sizeof(*b));

		build_from_row(q, a, b);
		list_add(a, out, b);
	}
	sqlite3_finalize(q);
	return rc;
}

int store_event_add(struct store *st, int64_t build_id, const json_t *event, int64_t *seq,
		    struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "INSERT INTO events (build_id, at_ns, event)"
				     " VALUES (?1, ?2, ?3)", e);

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, build_id);
	sqlite3_bind_int64(q, 2, now_ns());
	db_bind_json(q, 3, event);
	if (db_finish(st, q, e))
		return -1;
	if (seq)
		*seq = sqlite3_last_insert_rowid(st->db);
	return 0;
}

int store_events(struct store *st, int64_t build_id, int64_t after_seq, json_t **array,
		 struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "SELECT seq, at_ns, event FROM events WHERE build_id = ?1"
				     " AND seq > ?2 ORDER BY seq", e);
	json_t *all;
	int rc;

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, build_id);
	sqlite3_bind_int64(q, 2, after_seq);
	all = json_array();
	while ((rc = db_step(st, q, e)) == 1) {
		json_t *event = db_column_json(q, 2);

		json_object_set_new(event, "seq", json_integer(sqlite3_column_int64(q, 0)));
		json_object_set_new(event, "at_ns", json_integer(sqlite3_column_int64(q, 1)));
		json_array_append_new(all, event);
	}
	sqlite3_finalize(q);
	if (rc < 0) {
		json_decref(all);
		return -1;
	}
	*array = all;
	return 0;
}
