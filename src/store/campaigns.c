/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * campaigns - which cells a campaign has and how far each is. What belongs together is
 * one commit, so that after a power cut a cell is either done with its results or not.
 */
#include "store/store.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "store/db.h"

static const char *const state_words[] = {
	[CELL_WAITING] = "waiting",
	[CELL_RUNNING] = "running",
	[CELL_DONE] = "done",
	[CELL_FAILED] = "failed",
	[CELL_IMPOSSIBLE] = "impossible",
};

const char *cell_state_word(enum cell_state state)
{
	return state_words[state];
}

static enum cell_state state_from_word(const char *word)
{
	size_t i;

	for (i = 0; word && i < sizeof(state_words) / sizeof(*state_words); i++) {
		if (!strcmp(word, state_words[i]))
			return (enum cell_state)i;
	}
	return CELL_WAITING;
}

static int begin(struct store *st, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "BEGIN IMMEDIATE", e);

	return q ? db_finish(st, q, e) : -1;
}

/* Commit when rc is 0, else take everything since begin() back. */
static int finish(struct store *st, int rc, struct err *e)
{
	sqlite3_stmt *q;

	if (rc == 0) {
		q = db_prepare(st, "COMMIT", e);
		if (q && db_finish(st, q, e) == 0)
			return 0;
	}
	sqlite3_exec(st->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

static int add_cell(struct store *st, int64_t campaign, struct campaign_cell *c, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "INSERT INTO cells (campaign_id, n, round, layout, label,"
				     " options, workload, state, reason, ram_bytes)"
				     " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)", e);

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, campaign);
	sqlite3_bind_int64(q, 2, c->n);
	sqlite3_bind_int64(q, 3, c->round);
	db_bind_str(q, 4, c->layout);
	db_bind_str(q, 5, c->label);
	db_bind_str(q, 6, c->options);
	db_bind_str(q, 7, c->workload);
	db_bind_str(q, 8, state_words[c->state]);
	db_bind_str(q, 9, c->reason);
	sqlite3_bind_int64(q, 10, (int64_t)c->ram_bytes);
	if (db_finish(st, q, e))
		return -1;
	c->id = sqlite3_last_insert_rowid(st->db);
	return 0;
}

static int add_campaign(struct store *st, struct stored_campaign *c, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "INSERT INTO campaigns (name, text, disks, created_ns,"
				     " source, pid, boot) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", e);

	if (!q)
		return -1;
	c->created_ns = now_ns();
	db_bind_str(q, 1, c->name);
	db_bind_str(q, 2, c->text);
	db_bind_str(q, 3, c->disks);
	sqlite3_bind_int64(q, 4, c->created_ns);
	db_bind_str(q, 5, c->source);
	sqlite3_bind_int64(q, 6, c->pid);
	db_bind_str(q, 7, c->boot);
	if (db_finish(st, q, e))
		return -1;
	c->id = sqlite3_last_insert_rowid(st->db);
	return 0;
}

int store_campaign_add(struct store *st, struct stored_campaign *c, const struct list *cells,
		       struct err *e)
{
	size_t i;
	int rc;

	if (begin(st, e))
		return -1;
	rc = add_campaign(st, c, e);
	for (i = 0; rc == 0 && i < cells->n; i++)
		rc = add_cell(st, c->id, cells->at[i], e);
	return finish(st, rc, e);
}

static void campaign_from_row(sqlite3_stmt *q, struct arena *a, struct stored_campaign *c)
{
	*c = (struct stored_campaign){
		.id = sqlite3_column_int64(q, 0),
		.name = arena_strdup(a, (const char *)sqlite3_column_text(q, 1)),
		.text = arena_strdup(a, (const char *)sqlite3_column_text(q, 2)),
		.disks = arena_strdup(a, (const char *)sqlite3_column_text(q, 3)),
		.created_ns = sqlite3_column_int64(q, 4),
		.source = arena_strdup(a, (const char *)sqlite3_column_text(q, 5)),
		.pid = sqlite3_column_int64(q, 6),
		.boot = arena_strdup(a, (const char *)sqlite3_column_text(q, 7)),
		.say = arena_strdup(a, (const char *)sqlite3_column_text(q, 8)),
		.pause = (enum campaign_pause)sqlite3_column_int(q, 9),
	};
}

/* The rows, in the columns that the file has; NULL with e->kind 0: it knows no campaigns. */
static sqlite3_stmt *select_campaigns(struct store *st, const char *behind, struct err *e)
{
	static const char *const columns[] = {
		[2] = "NULL, 0, NULL, NULL, 0", [3] = "source, pid, boot, say, 0",
		[4] = "source, pid, boot, say, pause",
	};
	int schema = db_schema(st, e);
	struct sbuf sql = { 0 };
	sqlite3_stmt *q;

	if (schema < 2)
		return NULL;
	sbuf_addf(&sql, "SELECT id, name, text, disks, created_ns, %s FROM campaigns %s",
		  columns[schema], behind);
	q = db_prepare(st, sbuf_str(&sql), e);
	sbuf_done(&sql);
	return q;
}

int store_campaign_find(struct store *st, const char *name, struct arena *a,
			struct stored_campaign *out, struct err *e)
{
	sqlite3_stmt *q = select_campaigns(st, "WHERE name = ?1 ORDER BY id DESC LIMIT 1", e);
	int rc;

	if (!q)
		return e->kind ? -1 : 1;
	db_bind_str(q, 1, name);
	rc = db_step(st, q, e);
	if (rc == 1)
		campaign_from_row(q, a, out);
	sqlite3_finalize(q);
	return rc < 0 ? -1 : !rc;
}

int store_campaigns(struct store *st, struct arena *a, struct list *out, struct err *e)
{
	sqlite3_stmt *q = select_campaigns(st, "ORDER BY id", e);
	int rc;

	if (!q)
		return e->kind ? -1 : 0;
	while ((rc = db_step(st, q, e)) == 1) {
		struct stored_campaign *c = arena_alloc(a, sizeof(*c));

		campaign_from_row(q, a, c);
		list_add(a, out, c);
	}
	sqlite3_finalize(q);
	return rc;
}

int store_campaign_claim(struct store *st, struct stored_campaign *c, int64_t pid,
			 const char *boot, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "UPDATE campaigns SET pid = ?2, boot = ?3, pause = 0"
				     " WHERE id = ?1 AND pid = ?4", e);

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, c->id);
	sqlite3_bind_int64(q, 2, pid);
	db_bind_str(q, 3, boot);
	sqlite3_bind_int64(q, 4, c->pid);
	if (db_finish(st, q, e))
		return -1;
	if (sqlite3_changes(st->db) != 1)
		return 1;
	c->pid = pid;
	c->boot = boot;
	c->pause = PAUSE_NO;
	return 0;
}

int store_campaign_pause(struct store *st, int64_t id, enum campaign_pause pause, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "UPDATE campaigns SET pause = ?2 WHERE id = ?1", e);

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, id);
	sqlite3_bind_int(q, 2, (int)pause);
	return db_finish(st, q, e);
}

int store_campaign_pauses(struct store *st, int64_t id, enum campaign_pause *out, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "SELECT pause FROM campaigns WHERE id = ?1", e);
	int rc;

	*out = PAUSE_NO;
	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, id);
	rc = db_step(st, q, e);
	if (rc == 1)
		*out = (enum campaign_pause)sqlite3_column_int(q, 0);
	sqlite3_finalize(q);
	return rc < 0 ? -1 : 0;
}

int store_campaign_say(struct store *st, int64_t id, const json_t *say, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "UPDATE campaigns SET say = ?2 WHERE id = ?1", e);

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, id);
	db_bind_json(q, 2, say);
	return db_finish(st, q, e);
}

static int exec_id(struct store *st, const char *sql, int64_t id, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, sql, e);

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, id);
	return db_finish(st, q, e);
}

int store_campaign_delete(struct store *st, const struct stored_campaign *c, struct err *e)
{
	sqlite3_stmt *q;
	int rc;

	if (begin(st, e))
		return -1;
	/* a result that waits for its cell belongs to none, also when another cell gets the ID */
	rc = exec_id(st, "UPDATE results SET result = json_remove(result, '$.cell_id') WHERE"
		     " CASE WHEN json_valid(result) THEN json_extract(result, '$.cell_id') END IN"
		     " (SELECT id FROM cells WHERE campaign_id = ?1)", c->id, e) ||
	     exec_id(st, "DELETE FROM cells WHERE campaign_id = ?1", c->id, e) ? -1 : 0;
	q = rc ? NULL : db_prepare(st, "DELETE FROM campaigns WHERE id = ?1 AND pid = ?2", e);
	if (q) {
		sqlite3_bind_int64(q, 1, c->id);
		sqlite3_bind_int64(q, 2, c->pid);
	}
	rc = q ? db_finish(st, q, e) : -1;
	if (rc == 0 && sqlite3_changes(st->db) != 1)
		rc = err_set(e, ERR_REFUSED, "somebody else took the campaign %s meanwhile", c->name);
	return finish(st, rc, e);
}

int store_cells(struct store *st, int64_t campaign, struct arena *a, struct list *out,
		struct err *e)
{
	static const char now[] = "SELECT id, n, round, layout, label, options, workload, state, reason,"
		" results, began_ns, ended_ns, ram_bytes FROM cells WHERE campaign_id = ?1 ORDER BY n";
	static const char then[] = "SELECT id, n, round, layout, label, options, workload, state, reason,"
		" results, began_ns, ended_ns, " RAM_BEFORE_4 " FROM cells WHERE campaign_id = ?1 ORDER BY n";
	int schema = db_schema(st, e), rc;
	sqlite3_stmt *q = schema < 0 ? NULL : db_prepare(st, schema < 4 ? then : now, e);

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, campaign);
	while ((rc = db_step(st, q, e)) == 1) {
		struct campaign_cell *c = arena_alloc(a, sizeof(*c));

		*c = (struct campaign_cell){
			.id = sqlite3_column_int64(q, 0),
			.n = (unsigned)sqlite3_column_int64(q, 1),
			.round = (unsigned)sqlite3_column_int64(q, 2),
			.layout = arena_strdup(a, (const char *)sqlite3_column_text(q, 3)),
			.label = arena_strdup(a, (const char *)sqlite3_column_text(q, 4)),
			.options = arena_strdup(a, (const char *)sqlite3_column_text(q, 5)),
			.workload = arena_strdup(a, (const char *)sqlite3_column_text(q, 6)),
			.state = state_from_word((const char *)sqlite3_column_text(q, 7)),
			.reason = arena_strdup(a, (const char *)sqlite3_column_text(q, 8)),
			.results = arena_strdup(a, (const char *)sqlite3_column_text(q, 9)),
			.began_ns = sqlite3_column_int64(q, 10),
			.ended_ns = sqlite3_column_int64(q, 11),
			.ram_bytes = (uint64_t)sqlite3_column_int64(q, 12),
		};
		list_add(a, out, c);
	}
	sqlite3_finalize(q);
	return rc;
}

/* A cell without results as an object among them. */
static json_t *failed_json(const struct stored_campaign *of, const struct campaign_cell *cell)
{
	json_t *j = json_object(), *options = json_loads(cell->options, 0, NULL);

	json_put_str(j, "event", "cell");
	json_put_str(j, "campaign", of->name);
	json_put_u64(j, "campaign_id", (uint64_t)of->id);
	json_put_u64(j, "cell", cell->n);
	json_put_u64(j, "round", cell->round);
	json_put_str(j, "label", cell->label);
	json_put_str(j, "variant", cell->label);
	json_put_str(j, "layout", cell->layout);
	json_object_set_new(j, "options", options ? options : json_object());
	json_put_str(j, "workload", cell->workload);
	json_put_str(j, "class", cell->workload);
	if (cell->ram_bytes)
		json_put_u64(j, "ram_limit_bytes", cell->ram_bytes);
	json_put_str(j, "state", state_words[cell->state]);
	json_put_str(j, "reason", cell->reason ? cell->reason : state_words[cell->state]);
	return j;
}

int store_cells_failed(struct store *st, json_t *results, struct err *e)
{
	struct arena *a = arena_new();
	struct list all = { 0 };
	size_t i, k;
	int rc = store_campaigns(st, a, &all, e);

	for (i = 0; rc == 0 && i < all.n; i++) {
		const struct stored_campaign *of = all.at[i];
		struct list cells = { 0 };

		rc = store_cells(st, of->id, a, &cells, e);
		for (k = 0; k < cells.n; k++) {
			const struct campaign_cell *cell = cells.at[k];

			if (cell->state == CELL_FAILED || cell->state == CELL_IMPOSSIBLE)
				json_array_append_new(results, failed_json(of, cell));
		}
	}
	arena_free(a);
	return rc;
}

/* The row of one cell as the struct is; results NULL: none. */
static int write_cell(struct store *st, const struct campaign_cell *c, const json_t *results,
		      struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "UPDATE cells SET state = ?2, reason = ?3, results = ?4,"
				     " began_ns = ?5, ended_ns = ?6 WHERE id = ?1", e);

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, c->id);
	db_bind_str(q, 2, state_words[c->state]);
	db_bind_str(q, 3, c->reason);
	if (results)
		db_bind_json(q, 4, results);
	sqlite3_bind_int64(q, 5, c->began_ns);
	sqlite3_bind_int64(q, 6, c->ended_ns);
	return db_finish(st, q, e);
}

/* The struct moves to a state; reason is borrowed. */
static void move(struct campaign_cell *c, enum cell_state state, const char *reason)
{
	c->state = state;
	c->reason = reason;
	if (state == CELL_RUNNING)
		c->began_ns = now_ns();
	c->ended_ns = state == CELL_WAITING || state == CELL_RUNNING ? 0 : now_ns();
	if (state == CELL_WAITING)
		c->began_ns = 0;
}

int store_cells_set(struct store *st, struct campaign_cell *const *cells, size_t n,
		    enum cell_state state, const char *reason, struct err *e)
{
	size_t i;
	int rc = 0;

	if (begin(st, e))
		return -1;
	for (i = 0; rc == 0 && i < n; i++) {
		struct campaign_cell c = *cells[i];

		move(&c, state, reason);
		rc = write_cell(st, &c, NULL, e);
		if (rc == 0 && state == CELL_FAILED)	/* tried again, it begins anew */
			rc = store_results_leave(st, c.id, e);
	}
	if (finish(st, rc, e))
		return -1;
	for (i = 0; i < n; i++)
		move(cells[i], state, reason);
	return 0;
}

/* Put the tags into one result of the table. */
static int tag_result(struct store *st, int64_t id, const json_t *tags, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "SELECT result FROM results WHERE id = ?1", e);
	json_t *result = NULL;
	int rc;

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, id);
	rc = db_step(st, q, e);
	if (rc == 1)
		result = db_column_json(q, 0);
	sqlite3_finalize(q);
	if (rc == 0)
		return err_set(e, ERR_FAIL, "there is no result %" PRId64, id);
	if (rc < 0)
		return -1;
	json_object_update(result, (json_t *)tags);
	json_object_del(result, "cell_id");
	rc = store_result_update(st, id, result, e);
	json_decref(result);
	return rc;
}

int store_cell_done(struct store *st, struct campaign_cell *c, const json_t *results,
		    const json_t *tags, struct err *e)
{
	struct campaign_cell done = *c;
	const json_t *result;
	size_t i;
	int rc = 0;

	move(&done, CELL_DONE, NULL);
	done.earlier = (unsigned)json_u64(json_array_get(results, 0), "earlier_runs", 0);
	if (begin(st, e))
		return -1;
	json_array_foreach(results, i, result) {
		if (rc == 0)
			rc = tag_result(st, (int64_t)json_u64(result, "id", 0), tags, e);
	}
	if (rc == 0)
		rc = write_cell(st, &done, results, e);
	if (finish(st, rc, e))
		return -1;
	*c = done;
	return 0;
}
