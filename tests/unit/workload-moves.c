/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What follows from a workload before anything runs: the bytes that will be moved, the time
 * that may take, and where it is refused. */
#include "bench-help.h"

#include "base/units.h"

static void what_runs_move(void **state)
{
	static const struct {
		const char *text;
		uint64_t written, read;	/* two repetitions, what is made before counted in */
	} cases[] = {
		{ "op write\n", 2000, 0 },
		{ "op write read re-read\n", 2000, 4000 },
		{ "op read\n", 1000, 2000 },		/* made once and kept */
		{ "op modify\n", 3000, 2000 },
		{ "op seek:10\n", 1200, 2000 },
		{ "op mix:75\n", 1500, 1500 },
		{ "op mix-streams:75\n", 1500, 1500 },
		{ "op append\n", 4000, 0 },		/* made anew for each */
		{ "op write read-back append\n", 4000, 2000 },
		{ "op write append read-back\n", 6000, 2000 },	/* made anew in between */
		{ "op rand-read\nstop bytes=100\n", 1000, 200 },
		{ "op write\nstop bytes=100\n", 2000, 0 },	/* what makes the files makes all */
	};
	struct arena *a = arena_new();
	struct workload w;
	uint64_t written, read;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		parsed(a, arena_printf(a, "fileset size=10000\n%s", cases[i].text), &w);
		if (w.stop_bytes)
			w.stop_bytes *= 10;
		written = read = 0;
		workload_moves(&w, workload_ops(&w, true, true), 0.1, 2, &written, &read);
		assert_int_equal(written, cases[i].written);
		assert_int_equal(read, cases[i].read);
	}
	parsed(a, "fileset size=3000\nfileset size=1000\nop play-record\n", &w);
	written = read = 0;
	workload_moves(&w, w.ops, 1, 2, &written, &read);
	assert_int_equal(written, 2 * 3000 + 2 * 1000);
	assert_int_equal(read, 2 * 3000);
	arena_free(a);
}

/* A byte takes 1 us, a jump 1 ms, a file 10 ms more to make, to read and to remove. */
static void what_a_disk_may_take(void **state)
{
	static const struct disk_guess disk = { .bps = 1000000, .seek_ns = 1000000, .file_ns = 10000000 };
	static const struct {
		const char *text;
		unsigned ms;		/* two repetitions, with what is not timed */
	} cases[] = {
		{ "fileset size=1000000\nop write\n", 2 * (1000 + 10) + 2 * 10 },
		{ "fileset size=1000 count=100\nop write read\n", 2 * 2 * (100 + 1000) + 2 * 1000 },
		/* a thousand records; the file is made and removed once */
		{ "fileset size=4096000\nop rand-read\nio bs=4096\n", 2 * (4096 + 1000) + 4096 + 2 * 10 },
		{ "fileset size=4096000\nop read-back\nio bs=4096\n", 2 * (4096 + 10) + 4096 + 2 * 10 },
		{ "fileset size=4096000\nop rand-read\nio bs=4096\nstop time=3s\n", 2 * 3000 + 4096 + 2 * 10 },
	};
	struct arena *a = arena_new();
	struct workload w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t ns;

		parsed(a, cases[i].text, &w);
		ns = workload_guess_ns(&w, w.ops, 1, 2, &disk);
		if (ns / 1000000 != cases[i].ms)
			fail_msg("%s%llu ms, not %u", cases[i].text, (unsigned long long)ns / 1000000,
				 cases[i].ms);
		assert_int_equal(workload_guess_ns(&w, w.ops, 1, 0, &disk), 0);
	}
	arena_free(a);
}

static void forecast_of(struct arena *a, const char *text, const char *dir, int rc, const char *says,
			struct bench_forecast *f)
{
	struct bench_order o = { .target = dir, .write = true, .read = true, .reps = 3, .scale = 1,
				 .cache = CACHE_OWN, .own_reps = true };
	struct workload *w = arena_alloc(a, sizeof(*w));
	struct err e = { 0 };

	parsed(a, text, w);
	list_add(a, &o.workloads, w);
	if (bench_forecast(&o, f, &e) != rc)
		fail_msg("%s: %s", text, e.text);
	if (rc < 0 && !strstr(e.text, says))
		fail_msg("\"%s\" lacks \"%s\"", e.text, says);
	if (rc < 0)
		assert_int_equal(e.kind, ERR_REFUSED);
}

static void forecasts(void **state)
{
	struct arena *a = arena_new();
	const char *dir = scratch();
	struct bench_forecast f;

	(void)state;
	forecast_of(a, "fileset size=1M\nop write read\nrate 1M\npar threads=2\n", dir, 0, NULL, &f);
	assert_int_equal(f.runs, 6);
	/* one file: two streams at 1 MiB/s cannot be faster than half a second a run */
	assert_int_equal(f.least_ns, 6 * 500000000ull);
	forecast_of(a, "fileset size=1M\nop read\nstop time=90s\nrepeat n=1\n", dir, 0, NULL, &f);
	assert_int_equal(f.runs, 1);
	assert_int_equal(f.least_ns, 90000000000);
	forecast_of(a, "fileset size=1M\nop write\nneeds fs=nosuchfs\n", dir, -1,
		    "needs nosuchfs, this is ", &f);
	forecast_of(a, "fileset size=10M\nop write\nneeds max_bytes_written=20M\n", dir, -1,
		    "would write 31.5 MB in all, and says it must not be more than 21.0 MB", &f);
	forecast_of(a, "fileset size=10M\nop write\nneeds min_free=99%\n", dir, -1, "measuring needs ",
		    &f);
	forecast_of(a, "fileset size=1000T\nop read\n", dir, -1, "measuring needs ", &f);
	forecast_of(a, "fileset size=100M\nop append\n", dir, 0, NULL, &f);
	assert_true(f.need_bytes > 200 * MIB && f.need_bytes < 300 * MIB);
	wipe(dir);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_runs_move),
		cmocka_unit_test(what_a_disk_may_take),
		cmocka_unit_test(forecasts),
	};

	use_shipped_workloads();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
