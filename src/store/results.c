/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results - measurements in the database: results, their runs, and the runs' samples;
 * and the CSV of them, one line a run, for a spreadsheet.
 */
#include "store/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "store/db.h"

/* Insert one JSON text of a time, below a parent (0: none); the id goes to *id. */
static int insert_at(struct store *st, const char *sql, int64_t parent, const json_t *value,
		     int64_t at_ns, int64_t *id, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, sql, e);

	if (!q)
		return -1;
	db_bind_json(q, 1, value);
	sqlite3_bind_int64(q, 2, at_ns);
	if (parent)
		sqlite3_bind_int64(q, 3, parent);
	if (db_finish(st, q, e))
		return -1;
	if (id)
		*id = sqlite3_last_insert_rowid(st->db);
	return 0;
}

static int insert(struct store *st, const char *sql, int64_t parent, const json_t *value,
		  int64_t *id, struct err *e)
{
	return insert_at(st, sql, parent, value, now_ns(), id, e);
}

int store_result_add(struct store *st, const json_t *result, int64_t *id, struct err *e)
{
	return insert(st, "INSERT INTO results (result, at_ns) VALUES (?1, ?2)", 0, result, id, e);
}

int store_result_update(struct store *st, int64_t id, const json_t *result, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "UPDATE results SET result = ?1 WHERE id = ?2", e);

	if (!q)
		return -1;
	db_bind_json(q, 1, result);
	sqlite3_bind_int64(q, 2, id);
	if (db_finish(st, q, e))
		return -1;
	if (sqlite3_changes(st->db) != 1)
		return err_set(e, ERR_FAIL, "there is no result %" PRId64, id);
	return 0;
}

int store_run_add(struct store *st, int64_t result_id, const json_t *run, int64_t *id,
		  struct err *e)
{
	return insert(st, "INSERT INTO runs (run, at_ns, result_id) VALUES (?1, ?2, ?3)",
		      result_id, run, id, e);
}

int store_samples_add(struct store *st, int64_t run_id, const json_t *samples, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "INSERT INTO samples (samples, run_id) VALUES (?1, ?2)", e);

	if (!q)
		return -1;
	db_bind_json(q, 1, samples);
	sqlite3_bind_int64(q, 2, run_id);
	return db_finish(st, q, e);
}

/* A row's JSON object with its id and time put in. */
static json_t *row_object(sqlite3_stmt *q)
{
	json_t *object = db_column_json(q, 2);

	json_object_set_new(object, "id", json_integer(sqlite3_column_int64(q, 0)));
	json_object_set_new(object, "at_ns", json_integer(sqlite3_column_int64(q, 1)));
	return object;
}

/* Every row of a query with (id, at_ns, JSON), as an array. */
static int rows(struct store *st, const char *sql, int64_t id, json_t **array, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, sql, e);
	json_t *all;
	int rc;

	if (!q)
		return -1;
	if (id)
		sqlite3_bind_int64(q, 1, id);
	all = json_array();
	while ((rc = db_step(st, q, e)) == 1)
		json_array_append_new(all, row_object(q));
	sqlite3_finalize(q);
	if (rc < 0) {
		json_decref(all);
		return -1;
	}
	*array = all;
	return 0;
}

int store_results(struct store *st, json_t **array, struct err *e)
{
	return rows(st, "SELECT id, at_ns, result FROM results ORDER BY id", 0, array, e);
}

/* Put the samples of a run into it: the pieces they were stored in, joined. */
static int add_samples(struct store *st, json_t *run, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, "SELECT samples FROM samples WHERE run_id = ?1 ORDER BY id",
				     e);
	json_t *all;
	int rc;

	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, (int64_t)json_u64(run, "id", 0));
	all = json_array();
	while ((rc = db_step(st, q, e)) == 1) {
		json_t *piece = db_column_json(q, 0);

		if (json_is_array(piece))
			json_array_extend(all, piece);
		json_decref(piece);
	}
	sqlite3_finalize(q);
	json_object_set_new(run, "samples", all);
	return rc;
}

/* One result, NULL when there is none of that ID; its runs are put in. */
static int one_result(struct store *st, int64_t id, bool samples, json_t **object, struct err *e)
{
	json_t *found, *runs, *run;
	size_t i;

	*object = NULL;
	if (rows(st, "SELECT id, at_ns, result FROM results WHERE id = ?1", id, &found, e))
		return -1;
	if (json_array_size(found) == 0) {
		json_decref(found);
		return err_set(e, ERR_FAIL, "there is no result %" PRId64
			       "; naslab results list shows them", id);
	}
	*object = json_incref(json_array_get(found, 0));
	json_decref(found);
	if (rows(st, "SELECT id, at_ns, run FROM runs WHERE result_id = ?1 ORDER BY id", id, &runs, e))
		goto fail;
	json_object_set_new(*object, "runs", runs);
	json_array_foreach(runs, i, run) {
		if (samples && add_samples(st, run, e))
			goto fail;
	}
	return 0;
fail:
	json_decref(*object);
	*object = NULL;
	return -1;
}

int store_result(struct store *st, int64_t id, json_t **object, struct err *e)
{
	return one_result(st, id, true, object, e);
}

int store_results_with_runs(struct store *st, const int64_t *ids, size_t n, bool samples,
			    json_t **array, struct err *e)
{
	json_t *list = NULL, *all = json_array(), *result;
	size_t i;
	int rc = n ? 0 : store_results(st, &list, e);

	for (i = 0; rc == 0 && i < (n ? n : json_array_size(list)); i++) {
		int64_t id = n ? ids[i] : (int64_t)json_u64(json_array_get(list, i), "id", 0);

		rc = one_result(st, id, samples, &result, e);
		if (rc == 0)
			json_array_append_new(all, result);
	}
	json_decref(list);
	if (rc == 0)
		*array = all;
	else
		json_decref(all);
	return rc;
}

static int run_sql(struct store *st, const char *sql, struct err *e)
{
	sqlite3_stmt *q = db_prepare(st, sql, e);

	return q ? db_finish(st, q, e) : -1;
}

/* A result without its runs, then they. */
static int import_one(struct store *st, const json_t *result, struct err *e)
{
	json_t *record = json_copy((json_t *)(uintptr_t)result), *run;
	json_t *runs = json_object_get(result, "runs"), *samples;
	int64_t id = 0, run_id;
	size_t i;
	int rc;

	if (json_is_array(runs))
		json_object_set_new(record, "runs", json_integer((json_int_t)json_array_size(runs)));
	json_object_del(record, "id");
	rc = insert_at(st, "INSERT INTO results (result, at_ns) VALUES (?1, ?2)", 0, record,
		       (int64_t)json_u64(result, "at_ns", (uint64_t)now_ns()), &id, e);
	json_decref(record);
	json_array_foreach(runs, i, run) {
		if (rc)
			break;
		record = json_copy(run);
		samples = json_incref(json_object_get(run, "samples"));
		json_object_del(record, "samples");
		json_object_del(record, "id");
		rc = insert_at(st, "INSERT INTO runs (run, at_ns, result_id) VALUES (?1, ?2, ?3)", id,
			       record, (int64_t)json_u64(run, "at_ns", (uint64_t)now_ns()), &run_id, e);
		if (rc == 0 && json_array_size(samples))
			rc = store_samples_add(st, run_id, samples, e);
		json_decref(samples);
		json_decref(record);
	}
	return rc;
}

int store_results_import(struct store *st, const json_t *results, struct err *e)
{
	struct err more = { 0 };
	const json_t *result;
	size_t i;
	int rc = run_sql(st, "BEGIN IMMEDIATE", e);

	if (rc)
		return rc;
	json_array_foreach(results, i, result) {
		if (rc == 0)
			rc = import_one(st, result, e);
	}
	if (rc == 0)
		rc = run_sql(st, "COMMIT", e);
	if (rc)
		run_sql(st, "ROLLBACK", &more);
	return rc;
}

/* The columns of the CSV: what the result says, then what the run says. */
static const struct column {
	const char *title, *key;
	bool of_run;
} columns[] = {
	{ "result", "id", false }, { "build", "build", false }, { "label", "label", false },
	{ "workload", "workload", false }, { "class", "class", false }, { "op", "op", false },
	{ "cache", "cache", false }, { "scale", "scale", false },
	{ "run", "id", true }, { "rep", "rep", true }, { "at_ns", "at_ns", true },
	{ "bytes", "bytes", true }, { "files", "files", true }, { "felt_ns", "felt_ns", true },
	{ "durable_ns", "durable_ns", true }, { "disk_bytes", "disk_bytes", true },
	{ "bps", "bps", true }, { "flags", "flags", true },
	{ "durable_bps", "durable_bps", true }, { "cpu_ns", "cpu_ns", true },
	{ "kernel", "kernel", false }, { "memory_bytes", "memory_bytes", false },
	{ "host", "host", false }, { "simulated", "simulated", false },
	{ "published", "published", false }, { "layout", "layout", false },
	{ "mount_options", "mount_options", false }, { "tools", "tools", false },
	{ "seed", "seed", false }, { "bs", "bs", false }, { "version", "version", false },
	{ "repeat", "repeat", false }, { "interval_sure", "interval_sure", false },
	{ "interval_low_bps", "interval_low_bps", false },
	{ "interval_high_bps", "interval_high_bps", false },
	{ "drift", "drift", false }, { "drift_p", "drift_p", false },
	{ "result_flags", "flags", false }, { "outlier", "", true },
	{ "ram_limit_bytes", "ram_limit_bytes", false },
	{ "dirty_limit_bytes", "dirty_limit_bytes", false },
	{ "limit_bps", "limit_bps", false }, { "source_bps", "source_bps", true },
	{ "cpu_stall_us", "cpu_stall_us", true }, { "io_stall_us", "io_stall_us", true },
	{ "memory_stall_us", "memory_stall_us", true }, { "temperature_mc", "temperature_mc", true },
	{ "fill_percent", "fill_percent", true }, { "position", "position", true },
	{ "disturbed_by", "disturbed_by", true },
	{ "ops", "ops", true }, { "p50_ns", "p50_ns", true }, { "p99_ns", "p99_ns", true },
	{ "max_ns", "max_ns", true }, { "streams", "streams", true },
	{ "stream_min_bps", "stream_min_bps", true },
	{ "stream_mean_bps", "stream_mean_bps", true },
	{ "stream_max_bps", "stream_max_bps", true }, { "least_bytes", "least_bytes", true },
	{ "campaign", "campaign", false }, { "cell", "cell", false }, { "round", "round", false },
	{ "variant", "variant", false }, { "options", "options", false },
	{ "reason", "reason", false },
	{ "unit", "unit", false }, { "rate", "rate", true },
	{ "durable_rate", "durable_rate", true },
	{ "interval_low_rate", "interval_low_rate", false },
	{ "interval_high_rate", "interval_high_rate", false },
	{ "engine", "engine", false }, { "suite", "suite", false },
	{ "session", "session", true },
};

/* A field as RFC 4180 wants it; a text that a spreadsheet would run as a formula is
 * made plain text with an apostrophe. */
static void csv_text(struct sbuf *out, const char *text)
{
	bool formula = *text && strchr("=+-@\t\r", *text);

	if (!formula && !text[strcspn(text, ",\"\r\n")]) {
		sbuf_add(out, text);
		return;
	}
	sbuf_addc(out, '"');
	if (formula)
		sbuf_addc(out, '\'');
	for (; *text; text++) {
		if (*text == '"')
			sbuf_addc(out, '"');
		sbuf_addc(out, *text);
	}
	sbuf_addc(out, '"');
}

static void csv_value(struct sbuf *out, const json_t *value)
{
	struct sbuf words = { 0 };
	json_t *item;
	size_t i;

	if (json_is_string(value)) {
		csv_text(out, json_string_value(value));
	} else if (json_is_integer(value)) {
		sbuf_addf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	} else if (json_is_real(value)) {
		char real[40];

		snprintf(real, sizeof(real), "%.15g", json_real_value(value));
		if (strtod(real, NULL) < json_real_value(value) ||
		    strtod(real, NULL) > json_real_value(value))
			snprintf(real, sizeof(real), "%.17g", json_real_value(value));
		sbuf_add(out, real);
	} else if (json_is_boolean(value)) {
		sbuf_add(out, json_is_true(value) ? "yes" : "no");
	} else if (json_is_object(value)) {	/* of a campaign: what the axes put in */
		const char *key;

		json_object_foreach((json_t *)(uintptr_t)value, key, item)
			sbuf_addf(&words, "%s%s=%s", words.len ? " " : "", key,
				  json_string_value(item) ? json_string_value(item) : "");
		csv_text(out, sbuf_str(&words));
		sbuf_done(&words);
	} else if (json_is_array(value)) {
		json_array_foreach(value, i, item)
			sbuf_addf(&words, "%s%s", i ? " " : "", json_string_value(item) ?
				  json_string_value(item) : "");
		csv_text(out, sbuf_str(&words));
		sbuf_done(&words);
	}
}

/* Is this one of the runs that the result names as far off? */
static bool is_outlier(const json_t *result, const json_t *run)
{
	const json_t *rep;
	size_t i;

	json_array_foreach(json_object_get(result, "outliers"), i, rep) {
		if (json_equal(rep, json_object_get(run, "rep")))
			return true;
	}
	return false;
}

static void csv_run(struct sbuf *out, const json_t *result, const json_t *run)
{
	size_t i;

	for (i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		const json_t *value = NULL;

		if (columns[i].of_run)
			value = json_object_get(run, columns[i].key);
		else
			value = json_object_get(result, columns[i].key);
		if (i)
			sbuf_addc(out, ',');
		csv_value(out, value);
		if (!*columns[i].key && is_outlier(result, run))
			sbuf_add(out, "yes");
	}
	sbuf_add(out, "\r\n");
}

void store_csv(const json_t *results, struct sbuf *out)
{
	const json_t *result, *run;
	size_t i, k;

	for (i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		sbuf_addf(out, "%s%s", i ? "," : "", columns[i].title);
	sbuf_add(out, "\r\n");
	json_array_foreach(results, i, result) {
		json_array_foreach(json_object_get(result, "runs"), k, run)
			csv_run(out, result, run);
		if (json_object_get(result, "reason"))	/* a cell that was never measured */
			csv_run(out, result, NULL);
	}
}

int store_export_csv(struct store *st, int64_t id, const char *path, struct err *e)
{
	json_t *results = NULL;
	struct sbuf out = { 0 };
	int rc = store_results_with_runs(st, &id, id ? 1 : 0, false, &results, e);

	if (rc)
		return rc;
	store_csv(results, &out);
	if (path)
		rc = file_write_atomic(path, out.text, out.len, e);
	else if (fwrite(out.text, 1, out.len, stdout) != out.len || fflush(stdout))
		rc = err_sys(e, "cannot write the CSV");
	json_decref(results);
	sbuf_done(&out);
	return rc;
}
