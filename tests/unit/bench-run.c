/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole measurements: what is written and read, and how often. */
#include "bench-hear.h"

#include "bench/statistics.h"

static void a_set_is_measured(void **state)
{
	struct arena *a = arena_new();
	const char *dir = scratch();
	struct bench_order o;
	struct err e = { 0 };
	struct workload *w = arena_alloc(a, sizeof(*w));
	struct heard h;
	const json_t *r;
	size_t i;

	(void)state;
	hear_start(&h);
	order_for(a, &o, dir, "small-text", 0.01);
	shipped(a, "500M", w);
	list_add(a, &o.workloads, w);
	if (bench_run(&o, hear, &h, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(h.begin, 1);
	assert_int_equal(h.run, 8);
	assert_int_equal(h.result, 4);
	json_array_foreach(h.runs, i, r) {
		assert_int_equal(json_u64(r, "bytes", 0), 5000000);
		assert_true(json_u64(r, "felt_ns", 0) > 0);
		assert_true(json_u64(r, "durable_ns", 0) >= json_u64(r, "felt_ns", 0));
		if (!strcmp(json_str(r, "op"), "read") && json_u64(r, "rep", 0) == 1)
			assert_true(json_is_true(json_object_get(r, "verified")));
	}
	json_array_foreach(h.results, i, r) {
		assert_int_equal(json_u64(r, "runs", 0), 2);
		assert_true(has_flag(r, "few"));
		assert_false(has_flag(r, "partial"));
		assert_true(json_u64(r, "min_bps", 0) <= json_u64(r, "median_bps", 0));
		assert_true(json_u64(r, "median_bps", 0) <= json_u64(r, "max_bps", 0));
	}
	assert_int_equal(entries(dir), 0);
	hear_done(&h);
	wipe(dir);
	arena_free(a);
}

/*
 * Rounds go on until the median is known well enough, or no more are allowed: by the rule,
 * computed here again from the runs that were reported.
 */
static void repeats_until_it_is_sure(void **state)
{
	static const struct {
		double within;
		unsigned reps, most, least_runs, most_runs;
		bool cap;
	} cases[] = {
		{ 1e-9, 6, 8, 8, 8, true },	/* no two copies take the same ns */
		{ 0.5, 6, 9, 6, 9, false },
		{ 0, 3, 9, 3, 3, false },
	};
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new();
		const char *dir = scratch(), *repeat;
		struct repeat_rule rule = { cases[i].within, cases[i].reps, cases[i].most };
		double values[16];
		struct bench_order o;
		struct bench_forecast f;
		struct err e = { 0 };
		struct heard h;
		const json_t *r;

		hear_start(&h);
		order_for(a, &o, dir, "500M", 0.01);
		o.read = false;
		o.reps = cases[i].reps;
		o.within = cases[i].within;
		o.most = cases[i].most;
		assert_int_equal(bench_forecast(&o, &f, &e), 0);
		assert_int_equal(f.runs, cases[i].reps);
		assert_int_equal(f.most_runs, cases[i].most_runs);
		assert_int_equal(f.most_write_bytes, 5000000 * (uint64_t)cases[i].most_runs);
		if (bench_run(&o, hear, &h, &e) < 0)
			fail_msg("%s", e.text);
		assert_in_range(h.run, cases[i].least_runs, cases[i].most_runs);
		r = json_array_get(h.results, 0);
		assert_int_equal(json_u64(r, "runs", 0), h.run);
		assert_false(has_flag(r, "partial"));
		repeat = json_str(r, "repeat");
		if (!(cases[i].within > 0)) {
			assert_string_equal(repeat, "fixed");
			assert_null(json_object_get(r, "interval_sure"));	/* 3 runs */
		} else {
			assert_string_equal(repeat, h.run == cases[i].most ? "cap" : "sure");
			assert_true(json_number_value(json_object_get(r, "interval_sure")) >= 0.95);
		}
		for (k = 0; k < h.run; k++) {
			values[k] = (double)json_u64(json_array_get(h.runs, k), "durable_bps", 0);
			if (cases[i].within > 0 && k + 1 < h.run)
				assert_int_equal(stats_repeat(&rule, values, k + 1), REPEAT_MORE);
		}
		assert_int_equal(entries(dir), 0);
		hear_done(&h);
		wipe(dir);
		arena_free(a);
	}
}

static void read_only_keeps_one_set(void **state)
{
	struct arena *a = arena_new();
	const char *dir = scratch();
	struct bench_order o;
	struct err e = { 0 };
	struct heard h;

	(void)state;
	hear_start(&h);
	order_for(a, &o, dir, "small-photo", 0.01);
	o.write = false;
	o.reps = 3;
	o.cache = CACHE_WARM;
	if (bench_run(&o, hear, &h, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(h.run, 3);
	assert_int_equal(h.result, 1);
	assert_string_equal(json_str(json_array_get(h.results, 0), "cache"), "warm");
	assert_true(has_flag(json_array_get(h.results, 0), "cached"));
	assert_int_equal(entries(dir), 0);
	hear_done(&h);
	wipe(dir);
	arena_free(a);
}

/* W09 end to end: eight operations a round; only reading keeps one file and changes nothing. */
static void a_block_class_is_measured(void **state)
{
	struct arena *a = arena_new();
	const char *dir = scratch();
	struct bench_order o;
	struct bench_forecast f;
	struct err e = { 0 };
	struct heard h;
	const json_t *r;
	size_t i;

	(void)state;
	hear_start(&h);
	order_for(a, &o, dir, "block-512k", 0.02);
	assert_int_equal(bench_forecast(&o, &f, &e), 0);
	assert_int_equal(f.runs, 16);
	assert_int_equal(f.write_bytes, 3 * 2 * 6000000 + 2 * 3000000);	/* mix:50 is half of it */
	assert_int_equal(f.read_bytes, 4 * 2 * 6000000 + 2 * 3000000);
	if (bench_run(&o, hear, &h, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(h.run, 16);
	assert_int_equal(h.result, 8);
	json_array_foreach(h.results, i, r) {
		bool whole = !strcmp(json_str(r, "op"), "write") || !strcmp(json_str(r, "op"), "read");

		assert_int_equal(json_u64(r, "ops", 0), whole ? 0 : 12);	/* 6 MB / 512 KiB */
		assert_int_equal(json_u64(r, "runs", 0), 2);
	}
	hear_done(&h);
	hear_start(&h);
	o.write = false;
	if (bench_run(&o, hear, &h, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(h.run, 8);
	assert_int_equal(h.result, 4);
	assert_int_equal(entries(dir), 0);
	hear_done(&h);
	wipe(dir);
	arena_free(a);
}

static void targets_that_are_none(void **state)
{
	struct arena *a = arena_new();
	struct bench_order o;
	struct err e = { 0 };
	struct heard h;

	(void)state;
	hear_start(&h);
	order_for(a, &o, "/proc/version", "500M", 0.01);
	assert_int_equal(bench_run(&o, hear, &h, &e), -1);
	assert_string_equal(e.text, "/proc/version is not a directory");
	o.target = "/nonexistent/dir";
	assert_int_equal(bench_run(&o, hear, &h, &e), -1);
	assert_non_null(strstr(e.text, "cannot open /nonexistent/dir: No such file"));
	hear_done(&h);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_set_is_measured),
		cmocka_unit_test(a_block_class_is_measured),
		cmocka_unit_test(repeats_until_it_is_sure),
		cmocka_unit_test(read_only_keeps_one_set),
		cmocka_unit_test(targets_that_are_none),
	};

	use_shipped_workloads();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
