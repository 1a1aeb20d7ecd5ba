/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Campaigns of older schemas are read as they are, and brought up without a loss. */
#include "campaign-db.h"

#include <sqlite3.h>

static void run_sql(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

/* As the naslab of schema 3 had it. */
static void back_to_3(void)
{
	run_sql("CREATE TABLE old (id INTEGER PRIMARY KEY,"
		" campaign_id INTEGER NOT NULL REFERENCES campaigns(id), n INTEGER NOT NULL,"
		" round INTEGER NOT NULL, layout TEXT NOT NULL, label TEXT NOT NULL,"
		" options TEXT NOT NULL, workload TEXT NOT NULL, state TEXT NOT NULL, reason TEXT,"
		" results TEXT, began_ns INTEGER NOT NULL DEFAULT 0, ended_ns INTEGER NOT NULL DEFAULT 0,"
		" UNIQUE (campaign_id, n), UNIQUE (campaign_id, round, layout, workload));"
		"INSERT INTO old SELECT id, campaign_id, n, round, layout, label, options, workload,"
		" state, reason, results, began_ns, ended_ns FROM cells;"
		"DROP TABLE cells; ALTER TABLE old RENAME TO cells;"
		"ALTER TABLE campaigns DROP COLUMN pause; PRAGMA user_version=3");
}

/* A database of the naslab before campaigns is read as it is, and then taken along. */
static void test_migration(void **state)
{
	struct build b = { .name = "nas1", .layout = "xfs", .order = "{}", .plan = "{}",
			   .state = BUILD_BUILT };
	struct stored_campaign c = { .name = "t", .text = "{}", .disks = "[]" }, found;
	struct arena *a = arena_new();
	struct store *st = open_store();
	struct list none = { 0 };
	struct build kept;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(store_build_add(st, &b, &e), 0);
	store_close(st);
	run_sql("DROP TABLE cells; DROP TABLE campaigns; PRAGMA user_version=1");
	assert_int_equal(store_open_read(path, &st, &e), 0);
	assert_int_equal(store_campaign_find(st, "t", a, &found, &e), 1);
	store_close(st);
	st = open_store();
	assert_int_equal(store_build_find(st, "nas1", a, &kept, &e), 0);
	assert_int_equal(store_campaign_add(st, &c, &none, &e), 0);
	store_close(st);
	st = open_store();
	assert_int_equal(store_campaign_find(st, "t", a, &found, &e), 0);
	assert_int_equal(found.id, c.id);
	store_close(st);
	/* one of schema 2 is read as it is, and brought up when it is written to */
	back_to_3();
	run_sql("ALTER TABLE campaigns DROP COLUMN source; ALTER TABLE campaigns DROP COLUMN pid;"
		"ALTER TABLE campaigns DROP COLUMN boot; ALTER TABLE campaigns DROP COLUMN say;"
		"PRAGMA user_version=2");
	assert_int_equal(store_open_read(path, &st, &e), 0);
	assert_int_equal(store_campaign_find(st, "t", a, &found, &e), 0);
	assert_true(found.pid == 0 && !found.say && !found.source);
	store_close(st);
	st = open_store();
	assert_int_equal(store_campaign_claim(st, &found, 42, "boot", &e), 0);
	found.pid = 0;	/* as somebody saw it who came too late */
	assert_int_equal(store_campaign_claim(st, &found, 43, "boot", &e), 1);
	assert_int_equal(store_campaign_find(st, "t", a, &found, &e), 0);
	assert_true(found.pid == 42 && !campaign_alive(&found));
	store_close(st);
	arena_free(a);
}

static void same_cells(const struct list *cells, const struct list *then)
{
	size_t i;

	assert_int_equal(cells->n, then->n);
	for (i = 0; i < cells->n; i++) {
		const struct campaign_cell *a = cells->at[i], *b = then->at[i];

		assert_int_equal(a->id, b->id);
		assert_int_equal(a->n, b->n);
		assert_int_equal(a->state, b->state);
		assert_int_equal(a->ram_bytes, b->ram_bytes);
		assert_int_equal(a->began_ns, b->began_ns);
		assert_int_equal(a->ended_ns, b->ended_ns);
		assert_string_equal(a->layout, b->layout);
		assert_string_equal(a->workload, b->workload);
		assert_string_equal(a->reason ? a->reason : "", b->reason ? b->reason : "");
	}
}

/* One of schema 3 loses nothing, and its campaign goes on in the memory it said. */
static void test_memory_of_older_cells(void **state)
{
	static const char file[] = "layout md level=raid5 | xfs\nworkload small-text\nram 2G\n"
		"axis md.chunk 64K 128K 256K\n";
	struct campaign *c = parse(file), *other = parse("name all\n" TWO), *more;
	struct stored_campaign row = { .name = "trial", .disks = "[]", .source = file },
			       all = { .name = "all", .disks = "[]" }, found;
	struct list cells = { 0 }, others = { 0 }, now = { 0 }, again = { 0 }, third = { 0 };
	struct arena *a = arena_new();
	struct store *st = open_store();
	struct campaign_cell **at;
	struct err e = { 0 };

	(void)state;
	campaign_cells(c, a, &cells);
	campaign_cells(other, a, &others);
	row.text = campaign_text(c, a);
	all.text = campaign_text(other, a);
	assert_int_equal(store_campaign_add(st, &row, &cells, &e), 0);
	assert_int_equal(store_campaign_add(st, &all, &others, &e), 0);
	at = (struct campaign_cell **)cells.at;
	assert_int_equal(store_cells_set(st, at, 1, CELL_RUNNING, NULL, &e), 0);
	assert_int_equal(store_cells_set(st, &at[1], 1, CELL_FAILED, "no luck", &e), 0);
	cells = (struct list){ 0 };
	assert_int_equal(store_cells(st, row.id, a, &cells, &e), 0);
	store_close(st);
	back_to_3();
	assert_int_equal(store_open_read(path, &st, &e), 0);	/* as it is */
	assert_int_equal(store_cells(st, row.id, a, &now, &e), 0);
	same_cells(&now, &cells);
	assert_int_equal(((struct campaign_cell *)now.at[2])->ram_bytes, 2ull << 30);
	store_close(st);
	st = open_store();	/* brought up */
	assert_int_equal(store_cells(st, row.id, a, &again, &e), 0);
	same_cells(&again, &cells);
	assert_int_equal(store_campaign_find(st, "trial", a, &found, &e), 0);
	assert_string_equal(found.text, row.text);
	assert_string_equal(found.source, file);
	assert_int_equal(found.pause, PAUSE_NO);
	assert_int_equal(store_cells(st, all.id, a, &third, &e), 0);
	assert_int_equal(((struct campaign_cell *)third.at[0])->ram_bytes, 0);
	/* and one layout in two memories is two cells */
	more = parse(TWO "axis ram 1G 2G\n");
	cells = (struct list){ 0 };
	campaign_cells(more, a, &cells);
	row = (struct stored_campaign){ .name = "more", .text = "{}", .disks = "[]" };
	assert_int_equal(cells.n, 2);
	assert_int_equal(store_campaign_add(st, &row, &cells, &e), 0);
	store_close(st);
	campaign_free(c);
	campaign_free(other);
	campaign_free(more);
	arena_free(a);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_migration, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory_of_older_cells, setup, teardown),
	};

	use_shipped();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
