/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sessions - what a measurement that ended early leaves in the database. A result that was
 * made for a cell of a campaign carries that cell's ID until the cell has an end, so that the
 * next session finds its runs and goes on with them.
 */
#include "store/store.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "store/db.h"

/* A text that is no JSON belongs to nobody. */
#define OF_CELL "CASE WHEN json_valid(result) THEN json_extract(result, '$.cell_id') END = ?1"

int store_results_of_cell(struct store *st, int64_t cell, json_t **array, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "SELECT id FROM results WHERE " OF_CELL " ORDER BY id", e);
	struct arena *a;
	struct list ids = { 0 };
	int64_t *all;
	size_t i;
	int rc;

	if (!q)
		return -1;
	a = arena_new();
	sqlite3_bind_int64(q, 1, cell);
	while ((rc = db_step(st, q, e)) == 1) {
		int64_t *id = arena_alloc(a, sizeof(*id));

		*id = sqlite3_column_int64(q, 0);
		list_add(a, &ids, id);
	}
	sqlite3_finalize(q);
	all = arena_array(a, ids.n + 1, sizeof(*all));
	for (i = 0; i < ids.n; i++)
		all[i] = *(const int64_t *)ids.at[i];
	if (rc == 0 && ids.n)
		rc = store_results_with_runs(st, all, ids.n, false, array, e);
	else if (rc == 0)
		*array = json_array();
	arena_free(a);
	return rc;
}

static struct campaign_cell *cell_with(const struct list *cells, int64_t id)
{
	size_t i;

	for (i = 0; i < cells->n; i++) {
		struct campaign_cell *c = cells->at[i];

		if (c->id == id)
			return c;
	}
	return NULL;
}

/* Of the done ones: once here, so that no forecast has to parse their results. */
static int read_earlier(struct store *st, int64_t campaign, const struct list *cells, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "SELECT id, json_extract(results, '$[0].earlier_runs') FROM cells"
				     " WHERE campaign_id = ?1 AND json_valid(results)", e);
	struct campaign_cell *c;
	int rc;

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, campaign);
	while ((rc = db_step(st, q, e)) == 1) {
		c = cell_with(cells, sqlite3_column_int64(q, 0));
		if (c)
			c->earlier = (unsigned)sqlite3_column_int(q, 1);
	}
	sqlite3_finalize(q);
	return rc;
}

int store_cells_kept(struct store *st, int64_t campaign, struct list *cells, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "SELECT cell, max(n) FROM (SELECT"
				     " CASE WHEN json_valid(result) THEN json_extract(result, '$.cell_id') END AS cell,"
				     " CASE WHEN json_valid(result) THEN json_extract(result, '$.op') END AS op,"
				     " (SELECT count(*) FROM runs WHERE result_id = results.id) AS n FROM results)"
				     " WHERE cell IN (SELECT id FROM cells WHERE campaign_id = ?1)"
				     " GROUP BY cell, op", e);
	struct campaign_cell *c;
	size_t i;
	int rc;

	if (!q)
		return -1;
	for (i = 0; i < cells->n; i++) {
		c = cells->at[i];
		c->kept = c->kept_ops = 0;
	}
	sqlite3_bind_int64(q, 1, campaign);
	while ((rc = db_step(st, q, e)) == 1) {
		unsigned n = (unsigned)sqlite3_column_int(q, 1);

		c = cell_with(cells, sqlite3_column_int64(q, 0));
		if (!c)
			continue;
		c->kept = c->kept_ops && c->kept < n ? c->kept : n;
		c->kept_ops++;
	}
	sqlite3_finalize(q);
	return rc ? rc : read_earlier(st, campaign, cells, e);
}

static int leave(struct store *st, const char *sql, int64_t id, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, sql, e);

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, id);
	return db_finish(st, q, e);
}

int store_results_leave(struct store *st, int64_t cell, struct err *e)
{
	return leave(st, "UPDATE results SET result = json_remove(result, '$.cell_id') WHERE " OF_CELL,
		     cell, e);
}

int store_result_leave(struct store *st, int64_t id, struct err *e)
{
	return leave(st, "UPDATE results SET result = json_remove(result, '$.cell_id') WHERE id = ?1",
		     id, e);
}

int store_runs_move(struct store *st, int64_t from, int64_t first_run, int64_t to, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "UPDATE runs SET result_id = ?3"
				     " WHERE result_id = ?1 AND id >= ?2", e);

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, from);
	sqlite3_bind_int64(q, 2, first_run);
	sqlite3_bind_int64(q, 3, to);
	return db_finish(st, q, e);
}

/* Flag one result as partial, unless a finished cell owns it or it is flagged already. */
static int cut_result(struct store *st, json_t *result, const char *build, int64_t since_ns,
		      struct err *e)
{
	const char *of = json_str(result, "build");
	int64_t id = (int64_t)json_u64(result, "id", 0);
	json_t *flags = json_object_get(result, "flags"), *flag;
	size_t i;

	if (!of || strcmp(of, build) || json_str(result, "campaign") ||
	    (int64_t)json_u64(result, "at_ns", 0) < since_ns)
		return 0;
	json_array_foreach(flags, i, flag) {
		if (json_is_string(flag) && !strcmp(json_string_value(flag), "partial"))
			return 0;
	}
	if (!flags) {
		flags = json_array();
		json_object_set_new(result, "flags", flags);
	}
	json_add_str(flags, "partial");
	json_object_del(result, "id");
	json_object_del(result, "at_ns");
	return store_result_update(st, id, result, e);
}

int store_results_cut(struct store *st, const char *build, int64_t since_ns, struct err *e)
{
	json_t *all, *result;
	size_t i;
	int rc = 0;

	if (store_results(st, &all, e))
		return -1;
	json_array_foreach(all, i, result) {
		if (rc == 0)
			rc = cut_result(st, result, build, since_ns, e);
	}
	json_decref(all);
	return rc;
}
