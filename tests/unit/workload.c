/* SPDX-License-Identifier: GPL-2.0-or-later */
/* workload - the language of workloads: what is taken, what is refused and in which words. */
#include "bench-help.h"

#include "base/units.h"
#include "bench/corpus.h"

static void every_word_is_taken(void **state)
{
	static const char text[] =
		"title Everything\n"
		"class nas\n"
		"fileset count=8 size=4G data=ratio:2.5 dedup=30 seed=7 width=3\n"
		"fileset count=90 size=gamma mean=16K shape=1.5 data=zero\n"
		"op write re-read seek:10 mix:70\n"
		"op append\n"
		"io bs=128K direct=1 sequential=40\n"
		"par threads=8 shared\n"
		"sync per-file\n"
		"cache warm\n"
		"rate 10MB\n"
		"stop time=2m bytes=1G\n"
		"repeat n=3 interleave=0\n"
		"metric latency\n"
		"needs fs=btrfs min_free=10% time_cap=2h max_bytes_written=1T\n";
	struct arena *a = arena_new();
	struct workload w;

	(void)state;
	parsed(a, text, &w);
	assert_string_equal(w.title, "Everything");
	assert_string_equal(w.group, "nas");
	assert_int_equal(w.n_sets, 2);
	assert_int_equal(w.sets[0].bytes, 32 * GIB);
	assert_int_equal(w.sets[0].data, DATA_RATIO);
	assert_true(w.sets[0].ratio > 2.49 && w.sets[0].ratio < 2.51);
	assert_int_equal(w.sets[0].seed, 7);
	assert_int_equal(w.sets[0].dedup, 30);
	assert_int_equal(w.sets[1].sizes, SIZES_GAMMA);
	assert_int_equal(w.sets[1].data, DATA_ZERO);
	assert_int_equal(w.bytes, 32 * GIB + 90 * 16 * KIB);
	assert_int_equal(w.width, 3);
	assert_int_equal(w.ops, 1u << BENCH_WRITE | 1u << BENCH_REREAD | 1u << BENCH_SEEK |
			 1u << BENCH_MIX | 1u << BENCH_APPEND);
	assert_int_equal(w.number[BENCH_SEEK], 10);
	assert_int_equal(w.number[BENCH_MIX], 70);
	assert_int_equal(w.bs, 128 * KIB);
	assert_true(w.direct && w.shared_file && w.in_a_row && w.packs && !w.single);
	assert_int_equal(w.sequential, 40);
	assert_int_equal(w.threads, 8);
	assert_int_equal(w.sync, SYNC_FILE);
	assert_int_equal(w.cache, CACHE_WARM);
	assert_int_equal(w.rate_bps, 10000000);
	assert_int_equal(w.stop_ns, 120000000000);
	assert_int_equal(w.stop_bytes, GIB);
	assert_int_equal(w.reps, 3);
	assert_string_equal(w.metric, "latency");
	assert_string_equal(w.needs_fs, "btrfs");
	assert_int_equal(w.min_free_percent, 10);
	assert_int_equal(w.cap_ns, 7200000000000);
	assert_int_equal(w.max_written, TIB);
	arena_free(a);
}

static void what_is_not_said(void **state)
{
	struct arena *a = arena_new();
	struct workload w;

	(void)state;
	parsed(a, "fileset size=1M\nop read\n", &w);
	assert_int_equal(w.threads, 1);
	assert_int_equal(w.bs, MIB);
	assert_int_equal(w.sync, SYNC_END);
	assert_int_equal(w.cache, CACHE_COLD);
	assert_int_equal(w.rate_bps + w.stop_ns + w.stop_bytes + w.cap_ns + w.reps, 0);
	assert_true(w.single && !w.packs && !w.direct && !w.in_a_row && !w.group && !w.metric);
	arena_free(a);
}

/* "2xRAM" is what sysconf says of this machine, in whole MiB. */
static void sizes_of_memory(void **state)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	struct arena *a = arena_new();
	struct workload w;

	(void)state;
	parsed(a, "fileset size=2xRAM\nop write\n", &w);
	assert_int_equal(w.rams, 2);
	assert_true(w.bytes <= 2 * memory && w.bytes > 2 * memory - MIB);
	arena_free(a);
}

/* MATRIX W11 to W13, MEASURE D rows 20 to 29, 31, 32 and 35 to 42. */
static void shipped_rows(void **state)
{
	static const struct {
		const char *name;
		uint64_t bytes, bs;
		unsigned files, threads, ops;
		enum sync_when sync;
		enum cache_state cache;
	} rows[] = {
		{ "play-1", 1300000000, 256 * KIB, 1, 1, 1u << BENCH_READ, SYNC_END, CACHE_COLD },
		{ "play-2", 1400000000, 256 * KIB, 2, 2, 1u << BENCH_READ, SYNC_END, CACHE_COLD },
		{ "play-4", 1240000000, 256 * KIB, 4, 4, 1u << BENCH_READ, SYNC_END, CACHE_COLD },
		{ "record", 1600000000, 256 * KIB, 1, 1, 1u << BENCH_WRITE, SYNC_END, CACHE_COLD },
		{ "play-record", 2000000000, 256 * KIB, 2, 2, 1u << BENCH_PLAY_RECORD, SYNC_END,
		  CACHE_COLD },
		{ "content", 100000000, 16 * KIB, 100, 1, 1u << BENCH_MIX, SYNC_FILE, CACHE_WARM },
		{ "office", 2820000000, 16 * KIB, 0, 1, 1u << BENCH_MIX, SYNC_NONE, CACHE_WARM },
		{ "file-copy", 1400000000, 64 * KIB, 4, 1, 1u << BENCH_WRITE | 1u << BENCH_READ,
		  SYNC_END, CACHE_COLD },
		{ "dir-copy", 249200000, 64 * KIB, 0, 1, 1u << BENCH_WRITE | 1u << BENCH_READ, SYNC_END,
		  CACHE_COLD },
		{ "photos", 1190000000, 64 * KIB, 0, 1, 1u << BENCH_READ, SYNC_END, CACHE_COLD },
		{ "whole-block", 0, 8 * KIB, 1, 1, 1u << BENCH_WRITE | 1u << BENCH_READ |
		  1u << BENCH_MODIFY, SYNC_END, CACHE_AS_IS },
		{ "whole-packs", 0, 8 * KIB, 1, 1, 1u << BENCH_WRITE | 1u << BENCH_READ |
		  1u << BENCH_MODIFY, SYNC_END, CACHE_AS_IS },
		{ "whole-seek", 0, 8 * KIB, 1, 3, 1u << BENCH_SEEK, SYNC_NONE, CACHE_AS_IS },
		{ "streams-8", 32 * GIB, 128 * KIB, 8, 8, 1u << BENCH_WRITE | 1u << BENCH_REWRITE |
		  1u << BENCH_READ | 1u << BENCH_REREAD | 1u << BENCH_READ_BACK |
		  1u << BENCH_READ_STRIDE | 1u << BENCH_RAND_READ | 1u << BENCH_MIX_STREAMS |
		  1u << BENCH_RAND_WRITE, SYNC_WRITE, CACHE_COLD },
	};
	struct arena *a = arena_new();
	struct list all = { 0 };
	struct workload w;
	struct err e = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct corpus *c;

		shipped(a, rows[i].name, &w);
		if (rows[i].bytes)
			assert_int_equal(w.bytes, rows[i].bytes);
		else
			assert_int_equal(w.rams, 2);
		assert_int_equal(w.bs, rows[i].bs);
		assert_int_equal(w.threads, rows[i].threads);
		assert_int_equal(w.ops, rows[i].ops);
		assert_int_equal(w.sync, rows[i].sync);
		assert_int_equal(w.cache, rows[i].cache);
		assert_non_null(w.group);
		c = corpus_new(&w, 1);
		if (rows[i].files)
			assert_int_equal(c->n, rows[i].files);
		else
			assert_true(c->n > 100 && c->n < 4000);
		corpus_free(c);
	}
	shipped(a, "streams-8", &w);
	assert_int_equal(w.number[BENCH_READ_STRIDE], 17);
	assert_int_equal(w.number[BENCH_MIX_STREAMS], 50);
	assert_int_equal(workload_list_all(a, &all, &e), 0);
	for (i = 0; i < all.n; i++)	/* wider names have no room on a chart of 80 columns */
		assert_in_range(strlen(((const struct workload *)all.at[i])->name), 1, 12);
	arena_free(a);
}

static void nonsense(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "par threads=0\n", "line 1: threads" },
		{ "par threads=65\n", "line 1: threads" },
		{ "par thread=2\n", "par has no \"thread\"; did you mean \"threads\"?" },
		{ "par alone\n", "whose the files are is per-thread or shared, not \"alone\"" },
		{ "fileset size=NxRAM\n", "or of memories like 2xRAM, not \"NxRAM\"" },
		{ "sync\n", "line 1: sync says nothing" },
		{ "snyc end\n", "there is no \"snyc\"; did you mean \"sync\"?" },
		{ "cache hot\n", "cache is cold, cold:remount, cold:export, warm or as-is, not \"hot\"" },
		{ "rate fast\n", "line 1: rate: " },
		{ "rate 0\n", "line 1: rate must be from 1 byte" },
		{ "stop time=5\n", "time is a time like 90s, 5m or 2h, not \"5\"" },
		{ "stop time=0s\n", "time is a time like" },
		{ "stop time=-1s\n", "time is a time like" },
		{ "stop time=9999999s\n", "time is a time like" },
		{ "stop soon\n", "stop wants key=value, not \"soon\"" },
		{ "repeat n=0\n", "line 1: n" },
		{ "repeat interleave=maybe\n", "interleave is 0 or 1, not \"maybe\"" },
		{ "metric speed\n", "metric is felt, durable, ops, latency or streams" },
		{ "needs fs=\n", "fs is the name of a file system" },
		{ "needs min_free=100%\n", "line 1: min_free" },
		{ "needs min_free=10%%\n", "line 1: min_free" },
		{ "needs luck=1\n", "needs has no \"luck\"" },
		{ "class a b?\n", "class is one word of letters" },
		{ "io direct=2\n", "direct is 0 or 1" },
		{ "io sequential=101\n", "line 1: sequential" },
		{ "io bs=17M\n", "bs must be from 4K to 16M" },
		{ "io bs=5000 direct=1\nfileset size=1M\nop read\n", "direct=1 wants a bs of whole 4K" },
		{ "fileset size=0xRAM\n", "line 1: size" },
		{ "fileset size=999xRAM\n", "line 1: size" },
		{ "fileset size=1M data=ratio:0.5\n", "the ratio must be from 1 to 100, not \"0.5\"" },
		{ "fileset size=1M dedup=101\n", "line 1: dedup" },
		{ "fileset size=1M data=ratio:N\n", "the ratio must be from 1 to 100" },
		{ "fileset size=gamma mean=4K\n", "a gamma fileset wants mean= and count=" },
		{ "fileset size=gamma mean=4K count=2 shape=0\n", "shape must be from 0.1 to 100" },
		{ "fileset size=0 count=20000000\n", "line 1: count" },
		{ "op mix\n", "mix wants the percent that is read, as in mix:16" },
		{ "op mix:101\n", "line 1: mix" },
		{ "op seek:-1\n", "line 1: seek" },
		{ "op modify:3\n", "modify takes no number" },
		{ "op reread\n", "there is no operation \"reread\"; did you mean \"re-read\"?" },
		{ "fileset size=1M\nop play-record\n", "wants two filesets" },
		{ "fileset size=1M\nfileset size=1M\nop play-record read\n", "is the only operation" },
		{ "fileset size=0 count=5\nop mix:50\n", "empty files have no records" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		not_parsed(cases[i].text, cases[i].says);
}

static void classes_that_contradict(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "fileset count=9 size=4K\nop mail\n", "mail goes on until stop time= ends it" },
		{ "fileset count=9 size=4K\nop create\n", "create makes empty files: it wants size=0" },
		{ "fileset count=9 size=0\nop create write\n", "write and create both make the files" },
		{ "fileset count=9 size=0\nop create\npar threads=nproc\n", "threads" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		not_parsed(cases[i].text, cases[i].says);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_is_taken),
		cmocka_unit_test(what_is_not_said),
		cmocka_unit_test(sizes_of_memory),
		cmocka_unit_test(shipped_rows),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(classes_that_contradict),
	};

	use_shipped_workloads();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
