/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Suites: the shipped ones, what is wrong with a file, and what goes before what. */
#include "bench-help.h"

#include <sys/stat.h>

#include "bench/suite.h"

/* MATRIX W01-W15: what each suite measures. */
static void shipped_suites(void **state)
{
	static const struct {
		const char *name, *first;
		size_t n;
	} want[] = {
		{ "W01", "small-text", 1 }, { "W02", "small-photo", 1 }, { "W03", "500M", 1 },
		{ "W04", "1G", 1 }, { "W05", "2G", 1 }, { "W06", "8G", 1 }, { "W07", "12G", 1 },
		{ "W08", "snapshots", 1 }, { "W09", "block-4k", 3 }, { "W10", "mail", 1 },
		{ "W11", "play-1", 10 }, { "W12", "whole-block", 4 }, { "W13", "streams-8", 1 },
		{ "W14", "trees-copy", 2 },
	};
	struct arena *a = arena_new();
	struct err e = { 0 };
	struct suite s;
	struct list all;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(suite_find(a, want[i].name, &s, &e), 0);
		assert_int_equal(s.workloads.n, want[i].n);
		assert_string_equal(((struct workload *)s.workloads.at[0])->name, want[i].first);
		assert_int_equal(s.reps, 7);	/* at least: MATRIX */
	}
	assert_int_equal(suite_list(a, &all, &e), 0);
	assert_true(all.n >= sizeof(want) / sizeof(want[0]));
	for (i = 0; i < all.n; i++) {
		struct workload w;

		/* no word stands for two things */
		assert_int_equal(workload_find(a, ((struct suite *)all.at[i])->name, &w, &e), -1);
		assert_true(((struct suite *)all.at[i])->reps >= 1);
		assert_true(((struct suite *)all.at[i])->workloads.n || ((struct suite *)all.at[i])->times);
	}
	arena_free(a);
}

static void bad_files(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "workload 500M\nworkload 500N\n",
		  "x.suite line 2: there is no workload or suite \"500N\"; did you mean \"500M\"?" },
		{ "workload x\n", "x.suite line 1: x names itself" },
		{ "\n\nworklod 500M\n",
		  "x.suite line 3: there is no \"worklod\"; did you mean \"workload\"?" },
		{ "workload 500M\nzzzzzzzz 1\n", "x.suite line 2: there is no \"zzzzzzzz\"" },
		{ "workload\n", "x.suite line 1: workload says nothing" },
		{ "title nothing\n", "x.suite line 2: there is no workload" },
		{ "", "x.suite line 1: there is no workload" },
		{ "workload 500M\nreps 0\n", "x.suite line 2: reps" },
		{ "workload 500M\nreps 7 8\n",
		  "x.suite line 2: reps takes one word; \"8\" is one too many" },
		{ "workload 500M\nscale -1\n", "x.suite line 2: scale is a number above 0" },
		{ "workload 500M\nscale nan\n", "x.suite line 2: scale is a number above 0" },
		{ "workload 500M\ncache hot\n",
		  "x.suite line 2: the cache is cold, cold:remount, cold:export, warm or as-is, not \"hot\"" },
		{ "workload 500M\ntime-cap 2\n", "x.suite line 2: time-cap is a number of" },
		{ "workload 500M\ntime-cap -2h\n", "x.suite line 2: time-cap is a number of" },
		{ "workload 500M\ntime-cap 99999999999999999999h\n", "time-cap is a number of" },
		{ "workload ../../etc/passwd\n", "x.suite line 1: there is no workload or suite" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new();
		struct err e = { 0 };
		struct suite s;

		assert_int_equal(suite_parse(a, "x", cases[i].text, "x.suite", &s, &e), -1);
		assert_non_null(strstr(e.text, cases[i].says));
		assert_int_equal(e.kind, ERR_USAGE);
		arena_free(a);
	}
}

/* Suites in suites: each workload once, in order; a ring of them is said, not followed. */
static void nested(void **state)
{
	const char *dir = scratch();
	struct arena *a = arena_new();
	struct bench_order o = { .reps = 7, .scale = 1, .cache = CACHE_COLD };
	const struct suite *named;
	struct err e = { 0 };
	struct suite s;

	(void)state;
	put_file(dir, "a.workload", "fileset size=1M\nop write\n");
	put_file(dir, "b.workload", "fileset size=1M\nop read\n");
	put_file(dir, "one.suite", "workload b a\nreps 5\n");
	put_file(dir, "two.suite", "workload a one b\nscale 0.5 # half\ncache warm\ntime-cap 90s\n");
	put_file(dir, "ring.suite", "workload knot\n");
	put_file(dir, "knot.suite", "workload a\nworkload ring\n");
	setenv("NASLAB_WORKLOADS", dir, 1);
	assert_int_equal(suite_find(a, "two", &s, &e), 0);
	assert_int_equal(s.workloads.n, 2);
	assert_string_equal(((struct workload *)s.workloads.at[0])->name, "a");
	assert_string_equal(((struct workload *)s.workloads.at[1])->name, "b");
	assert_int_equal(s.reps, 0);	/* the rule of the inner one is its own */
	assert_int_equal(suite_find(a, "ring", &s, &e), -1);
	assert_non_null(strstr(e.text, "knot.suite line 2: knot is named by ring, which it names itself"));
	assert_int_equal(suite_find(a, "three", &s, &e), 1);

	e = (struct err){ 0 };
	assert_int_equal(bench_add_named(a, &o, "b", &named, &e), 0);
	assert_null(named);
	assert_int_equal(bench_add_named(a, &o, "two", &named, &e), 0);
	assert_int_equal(o.workloads.n, 2);
	suite_rule(named, &o);
	assert_int_equal(o.reps, 7);
	assert_true(o.scale > 0.49 && o.scale < 0.51);
	assert_int_equal(o.cache, CACHE_WARM);
	assert_true(o.cap_ns == 90000000000ull);
	assert_int_equal(bench_add_named(a, &o, "tvo", &named, &e), -1);
	assert_non_null(strstr(e.text, "there is no workload or suite \"tvo\"; did you mean \"two\"?"));
	use_shipped_workloads();
	wipe(dir);
	arena_free(a);
}

static unsigned runs, capped;

static void count(void *arg, const json_t *event)
{
	const char *kind = json_string_value(json_object_get(event, "event"));

	(void)arg;
	runs += !strcmp(kind, "run");
	if (strcmp(kind, "capped") != 0)
		return;
	capped++;
	assert_string_equal(json_string_value(json_object_get(event, "text")),
			    "the time of 0:00 is up after 2 of 20 runs");
}

/* When the time is up from the start, what has begun comes to its end and nothing follows. */
static void time_cap(void **state)
{
	const char *dir = scratch();
	struct arena *a = arena_new();
	struct workload photo;
	struct bench_order o;
	struct err e = { 0 };

	(void)state;
	order_for(a, &o, dir, "500M", 0.002);
	shipped(a, "small-photo", &photo);
	list_add(a, &o.workloads, &photo);
	o.scale = 0.002;
	o.reps = 5;
	o.cap_ns = 1;
	assert_int_equal(bench_run(&o, count, NULL, &e), 0);
	assert_int_equal(runs, 2);	/* of one class: written and read */
	assert_int_equal(capped, 1);
	wipe(dir);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_suites), cmocka_unit_test(bad_files),
		cmocka_unit_test(nested), cmocka_unit_test(time_cap),
	};

	use_shipped_workloads();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
