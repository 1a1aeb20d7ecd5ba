/* SPDX-License-Identifier: GPL-2.0-or-later */
/* workload - the language of workloads: what is taken, what is refused and in which words, and
 * what follows for the bytes that will be moved. */
#include "bench-help.h"

#include "base/units.h"
#include "bench/corpus.h"

static void parsed(struct arena *a, const char *text, struct workload *w)
{
	struct err e = { 0 };

	if (workload_parse(a, "x", text, "x.workload", w, &e) < 0)
		fail_msg("\"%s\": %s", text, e.text);
}

/* --- what is taken --- */

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

/* --- what is refused --- */

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
	struct arena *a = arena_new();
	struct workload w;
	struct err e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		e = (struct err){ 0 };
		if (workload_parse(a, "x", cases[i].text, "x.workload", &w, &e) == 0)
			fail_msg("\"%s\" was taken", cases[i].text);
		assert_int_equal(e.kind, ERR_USAGE);
		if (!strstr(e.text, cases[i].says))
			fail_msg("\"%s\" lacks \"%s\"", e.text, cases[i].says);
	}
	arena_free(a);
}

/* --- what will be moved --- */

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

/* --- the files --- */

static void scaled(const struct workload *w, double scale, size_t n, uint64_t bytes)
{
	struct corpus *c = corpus_new(w, scale);

	assert_int_equal(c->n, n);
	assert_int_equal(c->bytes, bytes);
	corpus_free(c);
}

/* Few files of one size get smaller, so that every stream keeps its file; many get fewer. */
static void scales(void **state)
{
	struct arena *a = arena_new();
	struct workload w;
	struct corpus *c;
	double sum = 0, mean;
	size_t i;

	(void)state;
	parsed(a, "fileset count=8 size=1000\nop write\n", &w);
	scaled(&w, 1, 8, 8000);
	scaled(&w, 0.01, 8, 80);
	scaled(&w, 1.0005, 8, 8004);
	parsed(a, "fileset count=1000 size=1000\nop write\n", &w);
	scaled(&w, 0.01, 10, 10000);
	parsed(a, "fileset count=1000 size=0\nop write\n", &w);
	scaled(&w, 1, 1000, 0);
	scaled(&w, 0.01, 10, 0);
	/* gamma of shape k has a standard deviation of mean / sqrt(k): four of the mean's */
	parsed(a, "fileset count=20000 size=gamma mean=16K shape=1.5\nop write\n", &w);
	c = corpus_new(&w, 1);
	for (i = 0; i < c->n; i++)
		sum += (double)c->sizes[i];
	mean = sum / (double)c->n;
	assert_int_equal(c->n, 20000);
	assert_true(mean > 16384 - 4 * 16384 / 173.2 && mean < 16384 + 4 * 16384 / 173.2);
	corpus_free(c);
	arena_free(a);
}

/* Sets lie one after the other, each with its own content. */
static void sets_differ(void **state)
{
	static unsigned char block[CORPUS_BLOCK + CORPUS_SLACK], zero[CORPUS_BLOCK];
	struct arena *a = arena_new();
	struct workload w;
	struct corpus *c;

	(void)state;
	parsed(a, "fileset count=3 size=64K data=zero\nfileset count=2 size=64K data=text\n"
	       "op write\n", &w);
	c = corpus_new(&w, 1);
	assert_int_equal(c->n_sets, 2);
	assert_int_equal(c->sets[1].first, 3);
	assert_ptr_equal(corpus_set(c, 2), &c->sets[0]);
	assert_ptr_equal(corpus_set(c, 3), &c->sets[1]);
	memset(block, 1, sizeof(block));
	corpus_block(c, 2, 0, CORPUS_BLOCK, block);
	assert_memory_equal(block, zero, CORPUS_BLOCK);
	corpus_block(c, 3, 0, CORPUS_BLOCK, block);
	assert_null(memchr(block, 0, CORPUS_BLOCK));
	corpus_free(c);
	arena_free(a);
}

/* Of 1000 blocks so many are one of sixteen, within four standard deviations; no other two
 * are the same. */
static void dedup_repeats_blocks(void **state)
{
	static unsigned char block[CORPUS_BLOCK + CORPUS_SLACK];
	static const unsigned percents[] = { 0, 30, 100 };
	uint64_t first[1000], same, kinds;
	struct arena *a = arena_new();
	struct workload w;
	struct corpus *c;
	size_t i, k, n;

	(void)state;
	for (i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		parsed(a, arena_printf(a, "fileset size=64000K dedup=%u\nop write\n", percents[i]), &w);
		c = corpus_new(&w, 1);
		for (n = 0, same = 0, kinds = 0; n < 1000; n++) {
			bool again = false, more = false;

			corpus_block(c, 0, n, CORPUS_BLOCK, block);
			memcpy(&first[n], block, sizeof(first[n]));
			for (k = 0; k < n; k++) {
				more |= again && first[k] == first[n];
				again |= first[k] == first[n];
			}
			same += again;
			kinds += again && !more;
		}
		/* the first of each kind is not counted as one that is there again */
		assert_true(same + 16 + 58 >= percents[i] * 10 && same <= percents[i] * 10 + 58);
		assert_int_equal(kinds, percents[i] ? 16 : 0);
		corpus_free(c);
	}
	arena_free(a);
}

/* The stated ratio, as its texture makes it: so much of each 4 KiB is random, the rest
 * repeats 16 bytes. tests/bench/corpus.sh packs it. */
static void ratios(void **state)
{
	static const double wanted[] = { 1, 1.5, 2.5, 10, 100 };
	static unsigned char block[CORPUS_BLOCK + CORPUS_SLACK + 8];
	size_t i, at, k, fresh;

	(void)state;
	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		memset(block, 0xa5, sizeof(block));
		corpus_ratio(wanted[i], 77, CORPUS_BLOCK, block);
		for (k = CORPUS_SLACK; k < CORPUS_SLACK + 8; k++)
			assert_int_equal(block[CORPUS_BLOCK + k], 0xa5);
		for (at = 0, fresh = 0; at < CORPUS_BLOCK; at += 16) {
			size_t unit = at / 4096 * 4096;

			fresh += at == unit || memcmp(block + at, block + unit, 16) != 0;
		}
		assert_in_range(fresh * 16, (double)CORPUS_BLOCK / wanted[i] * 0.3,
				(double)CORPUS_BLOCK / wanted[i] + 256);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_is_taken),
		cmocka_unit_test(what_is_not_said),
		cmocka_unit_test(sizes_of_memory),
		cmocka_unit_test(shipped_rows),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(what_runs_move),
		cmocka_unit_test(what_a_disk_may_take),
		cmocka_unit_test(forecasts),
		cmocka_unit_test(scales),
		cmocka_unit_test(sets_differ),
		cmocka_unit_test(dedup_repeats_blocks),
		cmocka_unit_test(ratios),
	};

	use_shipped_workloads();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
