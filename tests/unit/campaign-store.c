/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A campaign and its cells in the database, and going on from every state. */
#include "campaign-db.h"

#include <sys/mount.h>

#include "base/json.h"

static void put_runs(struct store *st, const struct campaign_cell *cell, const char *op, unsigned n)
{
	json_t *r = json_pack("{s:s,s:s,s:I}", "workload", cell->workload, "op", op, "cell_id",
			      (json_int_t)cell->id), *run = json_object();
	struct err e = { 0 };
	int64_t id, run_id;

	assert_int_equal(store_result_add(st, r, &id, &e), 0);
	while (n--)
		assert_int_equal(store_run_add(st, id, run, &run_id, &e), 0);
	json_decref(r);
	json_decref(run);
}

/* What a stopped measurement left is not forecast again: whole repetitions of all operations. */
static void test_kept_is_not_to_be_done(void **state)
{
	struct campaign *c = parse("layout xfs\nworkload small-text 500M\nreps 7\n");
	const struct workload *text = c->workloads.at[0], *large = c->workloads.at[1];
	struct store *st = open_store();
	struct stored_campaign row = { .name = "trial", .text = "{}", .disks = "[]" };
	struct list cells = { 0 };
	struct campaign_forecast f;
	struct err e = { 0 };

	(void)state;
	campaign_cells(c, c->arena, &cells);
	assert_int_equal(store_campaign_add(st, &row, &cells, &e), 0);
	put_runs(st, cells.at[0], "write", 3);
	put_runs(st, cells.at[0], "read", 2);
	put_runs(st, cells.at[1], "write", 1);	/* and it never came to reading */
	assert_int_equal(store_cells_kept(st, row.id, &cells, &e), 0);
	campaign_forecast(c, &cells, &f);
	assert_int_equal(f.write_bytes, 5 * text->bytes + 7 * large->bytes);
	assert_int_equal(f.read_bytes, f.write_bytes);
	store_close(st);
	campaign_free(c);
}

/* Of a measurement in two sessions: told when it is done, and read again. */
static void test_earlier_runs_are_known(void **state)
{
	struct campaign *c = parse(TWO);
	struct store *st = open_store();
	struct stored_campaign row = { .name = "t", .text = "{}", .disks = "[]" };
	struct list cells = { 0 }, after = { 0 };
	json_t *r = json_pack("{s:s,s:i}", "op", "write", "earlier_runs", 2), *tags = json_object();
	json_t *results = json_array();
	struct err e = { 0 };
	int64_t id;

	(void)state;
	campaign_cells(c, c->arena, &cells);
	assert_int_equal(store_campaign_add(st, &row, &cells, &e), 0);
	assert_int_equal(store_result_add(st, r, &id, &e), 0);
	json_object_set_new(r, "id", json_integer(id));
	json_array_append_new(results, r);
	assert_int_equal(store_cell_done(st, cells.at[0], results, tags, &e), 0);
	assert_int_equal(((struct campaign_cell *)cells.at[0])->earlier, 2);
	assert_int_equal(store_cells(st, row.id, c->arena, &after, &e), 0);
	assert_int_equal(store_cells_kept(st, row.id, &after, &e), 0);
	assert_int_equal(((struct campaign_cell *)after.at[0])->earlier, 2);
	json_decref(results);
	json_decref(tags);
	store_close(st);
	campaign_free(c);
}

/* What it measured stays; a result that waited for its cell waits for nobody. */
static void test_delete(void **state)
{
	struct campaign *c = parse(TWO);
	struct store *st = open_store();
	struct stored_campaign row = { .name = "t", .text = "{}", .disks = "[]", .pid = 42 }, found;
	struct list cells = { 0 };
	struct arena *a = arena_new();
	json_t *r, *all;
	struct err e = { 0 };
	int64_t id;

	(void)state;
	campaign_cells(c, a, &cells);
	assert_int_equal(store_campaign_add(st, &row, &cells, &e), 0);
	r = json_pack("{s:s,s:I}", "event", "result", "cell_id",
		      (json_int_t)((struct campaign_cell *)cells.at[0])->id);
	assert_int_equal(store_result_add(st, r, &id, &e), 0);
	json_decref(r);
	found = row;
	found.pid = 0;		/* as it was before somebody took it */
	assert_int_equal(store_campaign_delete(st, &found, &e), -1);
	assert_int_equal(e.kind, ERR_REFUSED);
	assert_int_equal(store_campaign_find(st, "t", a, &found, &e), 0);
	assert_int_equal(store_campaign_delete(st, &row, &e), 0);
	assert_int_equal(store_campaign_find(st, "t", a, &found, &e), 1);
	assert_int_equal(store_result(st, id, &r, &e), 0);
	assert_null(json_object_get(r, "cell_id"));
	json_decref(r);
	/* a cell that gets the same ID finds nothing of it */
	assert_int_equal(store_campaign_add(st, &row, &cells, &e), 0);
	assert_int_equal(store_results_of_cell(st, ((struct campaign_cell *)cells.at[0])->id, &all, &e), 0);
	assert_int_equal(json_array_size(all), 0);
	json_decref(all);
	store_close(st);
	campaign_free(c);
	arena_free(a);
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

static void count(void *arg, const json_t *event)
{
	(void)event;
	++*(unsigned *)arg;
}

/* Five cells, one in each state, as a crash would leave them. */
static void leave(struct store *st, struct campaign *c, struct stored_campaign *row, int64_t ids[2])
{
	struct list cells = { 0 };
	struct campaign_cell **at;
	json_t *results = json_array(), *tags = json_object(), *r;
	struct err e = { 0 };
	int i;

	campaign_cells(c, c->arena, &cells);
	assert_int_equal(cells.n, 5);
	at = (struct campaign_cell **)cells.at;
	*row = (struct stored_campaign){ .name = c->name, .text = campaign_text(c, c->arena),
					 .disks = "[]" };
	assert_int_equal(store_campaign_add(st, row, &cells, &e), 0);
	assert_int_equal(store_cells_set(st, at, 4, CELL_RUNNING, NULL, &e), 0);
	for (i = 0; i < 2; i++) {
		r = json_pack("{s:s,s:s,s:[]}", "event", "result", "build", c->name, "flags");
		assert_int_equal(store_result_add(st, r, &ids[i], &e), 0);
		json_object_set_new(r, "id", json_integer(ids[i]));
		if (i == 0)
			json_array_append(results, r);
		json_decref(r);
	}
	json_put_str(tags, "campaign", c->name);
	assert_int_equal(store_cell_done(st, at[0], results, tags, &e), 0);
	assert_int_equal(store_cells_set(st, &at[1], 1, CELL_FAILED, "no luck", &e), 0);
	assert_int_equal(store_cells_set(st, &at[2], 1, CELL_IMPOSSIBLE, "no room", &e), 0);
	json_decref(results);
	json_decref(tags);
}

static bool is_partial(struct store *st, int64_t id)
{
	struct err e = { 0 };
	json_t *r, *flags;
	bool yes;

	assert_int_equal(store_result(st, id, &r, &e), 0);
	flags = json_object_get(r, "flags");
	yes = json_array_size(flags) == 1 &&
	      !strcmp(json_string_value(json_array_get(flags, 0)), "partial");
	json_decref(r);
	return yes;
}

static void test_resume(void **state)
{
	static const enum cell_state want[] = {
		CELL_DONE, CELL_FAILED, CELL_IMPOSSIBLE, CELL_WAITING, CELL_WAITING,
	};
	struct campaign *c = parse("layout md level=raid5 | xfs\nworkload small-text\n"
				   "axis md.chunk 64K 128K 256K 512K 1M\n");
	struct store *st = open_store();
	struct stored_campaign row, found;
	struct list cells = { 0 }, after = { 0 };
	unsigned events = 0;
	struct campaign_run run = { .campaign = c, .cells = &cells, .row = &row, .arena = c->arena,
				    .emit = count, .stopped = always, .arg = &events };
	struct err e = { 0 };
	int64_t ids[2];
	size_t i;

	(void)state;
	leave(st, c, &row, ids);
	store_close(st);

	st = open_store();
	run.store = st;
	assert_int_equal(store_campaign_find(st, c->name, c->arena, &found, &e), 0);
	assert_int_equal(found.id, row.id);
	assert_string_equal(found.text, campaign_text(c, c->arena));
	assert_int_equal(store_cells(st, found.id, c->arena, &cells, &e), 0);
	assert_int_equal(((struct campaign_cell *)cells.at[3])->state, CELL_RUNNING);
	assert_int_equal(campaign_run(&run, &e), -1);	/* stopped before the first cell */
	assert_non_null(strstr(e.text, "stopped"));
	assert_int_equal(events, 1);	/* the one that waits again */
	store_close(st);

	st = open_store();
	assert_int_equal(store_cells(st, found.id, c->arena, &after, &e), 0);
	assert_int_equal(after.n, 5);
	for (i = 0; i < 5; i++) {
		const struct campaign_cell *cell = after.at[i];

		assert_int_equal(cell->state, want[i]);
		assert_int_equal(cell->state, ((struct campaign_cell *)cells.at[i])->state);
		assert_int_equal(cell->n, i + 1);
	}
	assert_string_equal(((struct campaign_cell *)after.at[1])->reason, "no luck");
	assert_non_null(((struct campaign_cell *)after.at[0])->results);
	assert_false(is_partial(st, ids[0]));	/* its cell is done */
	assert_true(is_partial(st, ids[1]));	/* measured, and its cell will be measured again */
	store_close(st);
	campaign_free(c);
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

/* A database that is full is no failure of a cell; with room again the work begins. */
static void test_full_database(void **state)
{
	char folder[] = "/tmp/naslab-campaign-XXXXXX", file[64], filler[64], room[4096] = { 0 };
	struct campaign *c = parse(TWO);
	struct stored_campaign row = { .name = "trial", .text = "{}", .disks = "[]" };
	struct list cells = { 0 };
	unsigned events = 0;
	struct campaign_run run = { .campaign = c, .cells = &cells, .row = &row, .arena = c->arena,
				    .emit = count, .stopped = never, .arg = &events };
	const struct campaign_cell *cell;
	struct err e = { 0 }, later = { 0 };
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(folder));
	if (mount("naslab-test", folder, "tmpfs", 0, "size=16m")) {
		rmdir(folder);
		campaign_free(c);
		skip();
	}
	snprintf(file, sizeof(file), "%s/naslab.db", folder);
	snprintf(filler, sizeof(filler), "%s/filler", folder);
	assert_int_equal(store_open(file, &run.store, &e), 0);
	campaign_cells(c, c->arena, &cells);
	cell = cells.at[0];
	assert_int_equal(store_campaign_add(run.store, &row, &cells, &e), 0);
	f = fopen(filler, "w");
	assert_non_null(f);
	while (fwrite(room, sizeof(room), 1, f) == 1)
		;
	fclose(f);
	assert_int_equal(campaign_run(&run, &e), -1);
	assert_non_null(strstr(e.text, "is full"));
	assert_non_null(strstr(e.text, "make room, and the same command goes on"));
	assert_int_equal(cell->state, CELL_WAITING);
	unlink(filler);
	/* no disks are named, so the layout cannot be built: that is the cell's own failure */
	if (campaign_run(&run, &later))
		fail_msg("%s", later.text);
	assert_int_equal(cell->state, CELL_FAILED);
	store_close(run.store);
	umount2(folder, MNT_DETACH);
	rmdir(folder);
	campaign_free(c);
}

/* All or nothing: an unknown result leaves the cell as it was. */
static void test_done_is_one_commit(void **state)
{
	struct campaign *c = parse(TWO);
	struct store *st = open_store();
	struct stored_campaign row = { .name = "t", .text = "{}", .disks = "[]" };
	struct list cells = { 0 }, after = { 0 };
	json_t *results = json_pack("[{s:i}]", "id", 77), *tags = json_object();
	struct campaign_cell *cell;
	struct err e = { 0 };

	(void)state;
	campaign_cells(c, c->arena, &cells);
	cell = cells.at[0];
	assert_int_equal(store_campaign_add(st, &row, &cells, &e), 0);
	assert_int_equal(store_cells_set(st, &cell, 1, CELL_RUNNING, NULL, &e), 0);
	assert_int_equal(store_cell_done(st, cell, results, tags, &e), -1);
	assert_string_equal(e.text, "there is no result 77");
	assert_int_equal(cell->state, CELL_RUNNING);
	assert_int_equal(store_cells(st, row.id, c->arena, &after, &e), 0);
	assert_int_equal(((struct campaign_cell *)after.at[0])->state, CELL_RUNNING);
	json_decref(results);
	json_decref(tags);
	store_close(st);
	campaign_free(c);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_kept_is_not_to_be_done, setup, teardown),
		cmocka_unit_test_setup_teardown(test_earlier_runs_are_known, setup, teardown),
		cmocka_unit_test_setup_teardown(test_delete, setup, teardown),
		cmocka_unit_test_setup_teardown(test_resume, setup, teardown),
		cmocka_unit_test_setup_teardown(test_done_is_one_commit, setup, teardown),
		cmocka_unit_test(test_full_database),
	};

	use_shipped();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
