/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A measurement for a campaign's cells that was stopped goes on: whole repetitions count. */
#include "bench-help.h"

#include <jansson.h>

#include "base/json.h"
#include "store/store.h"

enum { CELL = 5, REPS = 3 };

struct heard {
	unsigned runs, stop_after;	/* 0: never */
	json_t *results;
};

static void hear(void *arg, const json_t *event)
{
	struct heard *h = arg;
	const char *kind = json_str(event, "event");

	h->runs += !strcmp(kind, "run");
	if (!strcmp(kind, "result"))
		json_array_append(h->results, (json_t *)(uintptr_t)event);
}

static bool enough(void *arg)
{
	const struct heard *h = arg;

	return h->stop_after && h->runs >= h->stop_after;
}

struct bed {
	struct arena *a;
	char dir[64], db[96];
	struct bench_order o;
};

static void measure(struct bed *b, unsigned stop_after, struct heard *h)
{
	struct err e = { 0 };
	int rc;

	*h = (struct heard){ .stop_after = stop_after, .results = json_array() };
	b->o.stopped = enough;
	b->o.stopped_arg = h;
	rc = bench_run(&b->o, hear, h, &e);
	if (rc != (stop_after ? -1 : 0))
		fail_msg("%d after %u of %u: %s", rc, h->runs, stop_after, e.text);
}

static json_t *of_cell(const struct bed *b, int64_t cell)
{
	struct store *st = NULL;
	struct err e = { 0 };
	json_t *all = NULL;

	assert_int_equal(store_open(b->db, &st, &e), 0);
	assert_int_equal(store_results_of_cell(st, cell, &all, &e), 0);
	store_close(st);
	return all;
}

static const json_t *with_op(const json_t *results, const char *op)
{
	const json_t *r;
	size_t i;

	json_array_foreach(results, i, r) {
		if (!strcmp(json_str(r, "op"), op))
			return r;
	}
	fail_msg("no result of %s", op);
	return NULL;
}

static int start(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	b->a = arena_new();
	strcpy(b->dir, "/dev/shm/naslab-test-XXXXXX");	/* what is counted needs no disk */
	if (!mkdtemp(b->dir))
		strcpy(b->dir, scratch());
	snprintf(b->db, sizeof(b->db), "%s.db", b->dir);
	order_for(b->a, &b->o, b->dir, "small-photo", 0.01);
	b->o.reps = REPS;
	b->o.db = b->db;
	b->o.no_wait = true;
	b->o.cache = CACHE_AS_IS;
	b->o.cells = json_pack("{s:i}", "small-photo", CELL);
	*state = b;
	return 0;
}

static int end(void **state)
{
	struct bed *b = *state;

	json_decref(b->o.cells);
	wipe(b->dir);
	wipe(b->db);
	arena_free(b->a);
	free(b);
	return 0;
}

/* Stopped after write, read, write: the first repetition counts, half of the second does not. */
static void whole_repetitions_count(void **state)
{
	static const char *const ops[] = { "write", "read" };
	struct bed *b = *state;
	struct heard first, second, third;
	json_t *before, *after, *run, *kept;
	size_t i, k;

	measure(b, 3, &first);
	assert_int_equal(first.runs, 3);
	before = of_cell(b, CELL);
	assert_int_equal(json_array_size(json_object_get(with_op(before, "write"), "runs")), 2);
	measure(b, 0, &second);
	assert_int_equal(second.runs, 2 * REPS - 2);
	after = of_cell(b, CELL);
	assert_int_equal(json_array_size(after), 2);
	for (i = 0; i < 2; i++) {
		const json_t *r = with_op(after, ops[i]), *said = with_op(second.results, ops[i]);

		assert_int_equal(json_u64(said, "runs", 0), REPS);
		assert_int_equal(json_u64(said, "earlier_runs", 0), 1);
		assert_int_equal(json_u64(said, "id", 0), json_u64(r, "id", 0));
		assert_int_equal(json_array_size(json_object_get(r, "runs")), REPS);
		json_array_foreach(json_object_get(r, "runs"), k, run) {
			assert_int_equal(json_u64(run, "rep", 0), k + 1);
			assert_int_equal(json_u64(run, "session", 0), k ? 2 : 1);
			/* the median is of all of them, so it lies between the slowest and the fastest */
			assert_true(json_u64(run, "bps", 0) >= json_u64(said, "min_bps", 0));
			assert_true(json_u64(run, "bps", 0) <= json_u64(said, "max_bps", 0));
		}
		kept = json_array_get(json_object_get(with_op(before, ops[i]), "runs"), 0);
		assert_true(json_equal(kept, json_array_get(json_object_get(r, "runs"), 0)));
	}
	/* everything is there, so nothing is measured, and the result is said again */
	measure(b, 0, &third);
	assert_int_equal(third.runs, 0);
	assert_int_equal(json_array_size(third.results), 2);
	assert_int_equal(json_u64(with_op(third.results, "read"), "median_bps", 0),
			 json_u64(with_op(second.results, "read"), "median_bps", 0));
	json_decref(before);
	json_decref(after);
	json_decref(first.results);
	json_decref(second.results);
	json_decref(third.results);
}

/* The run that was half of a repetition is not lost, and counts nowhere. */
static void half_a_repetition_is_put_aside(void **state)
{
	struct bed *b = *state;
	struct store *st = NULL;
	struct err e = { 0 };
	struct heard h;
	json_t *all, *r, *run;
	unsigned n = 0, aside = 0;
	size_t i, k;

	measure(b, 3, &h);
	json_decref(h.results);
	measure(b, 0, &h);
	json_decref(h.results);
	assert_int_equal(store_open(b->db, &st, &e), 0);
	assert_int_equal(store_results_with_runs(st, NULL, 0, false, &all, &e), 0);
	store_close(st);
	json_array_foreach(all, i, r) {
		json_array_foreach(json_object_get(r, "runs"), k, run)
			n++;
		if (json_object_get(r, "cell_id"))
			continue;
		aside++;
		assert_string_equal(json_str(r, "op"), "write");
		assert_true(flags_read(json_object_get(r, "flags")) & FLAG_PARTIAL);
		run = json_array_get(json_object_get(r, "runs"), 0);
		assert_int_equal(json_u64(run, "rep", 0), 2);
		assert_int_equal(json_u64(run, "bps", 0), json_u64(r, "median_bps", 0));
	}
	assert_int_equal(n, 2 * REPS + 1);
	assert_int_equal(aside, 1);
	json_decref(all);
}

/* Runs of another size, or for another cell, are no repetitions of these. */
static void other_circumstances_begin_anew(void **state)
{
	struct bed *b = *state;
	struct heard h;
	json_t *all;

	measure(b, 4, &h);
	json_decref(h.results);
	b->o.scale = 0.02;
	measure(b, 0, &h);
	json_decref(h.results);
	assert_int_equal(h.runs, 2 * REPS);
	all = of_cell(b, CELL);
	assert_int_equal(json_array_size(all), 2);
	json_decref(all);
	json_object_set_new(b->o.cells, "small-photo", json_integer(CELL + 1));
	measure(b, 0, &h);
	json_decref(h.results);
	assert_int_equal(h.runs, 2 * REPS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(whole_repetitions_count, start, end),
		cmocka_unit_test_setup_teardown(half_a_repetition_is_put_aside, start, end),
		cmocka_unit_test_setup_teardown(other_circumstances_begin_anew, start, end),
	};

	use_shipped_workloads();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
