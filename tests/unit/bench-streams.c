/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-streams - the engine with several streams: exact bytes and counts on a temporary
 * directory, and what changed in the files.
 */
#include "bench-bed.h"

#include <sys/stat.h>

/* All files' content in their order, in *len bytes. */
static unsigned char *content(const struct bed *b, size_t *len)
{
	unsigned char *all = calloc(1, b->c->bytes * 2 + 1);
	char path[CORPUS_PATH];
	size_t i;

	assert_non_null(all);
	for (i = 0, *len = 0; i < b->c->n; i++) {
		ssize_t got;
		int fd;

		corpus_path(b->c, i, path);
		fd = openat(b->job.dir, path, O_RDONLY);
		assert_true(fd >= 0);
		got = read(fd, all + *len, b->c->bytes * 2 - *len);
		assert_true(got >= 0);
		*len += (size_t)got;
		close(fd);
	}
	return all;
}

/* How many records of BS bytes differ; where, when at is not NULL. */
static size_t changed(const unsigned char *x, const unsigned char *y, size_t len, bool *at)
{
	size_t n = 0, i;

	for (i = 0; i * BS < len; i++) {
		bool differs = memcmp(x + i * BS, y + i * BS, len - i * BS < BS ? len - i * BS : BS) != 0;

		n += differs;
		if (at)
			at[i] = differs;
	}
	return n;
}

static void streams_add_up(const struct engine_result *r)
{
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < r->streams; i++) {
		sum += r->stream[i].bytes;
		assert_true(r->stream[i].ns > 0 && r->stream[i].ns <= r->felt_ns);
		assert_true(r->least_bytes <= r->stream[i].bytes);
	}
	assert_int_equal(sum, r->bytes);
}

/* --- what streams make and read --- */

static void streams_make_the_same_files(void **state)
{
	static const unsigned streams[] = { 1, 2, 3, 8, 64 };
	struct bed b;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		bed_make(&b, "fileset count=7 size=100001 width=2\n"
			 "fileset count=4 size=lognormal median=9K mean=20K max=200K data=text\n"
			 "fileset count=1 size=0\nop write read\n");
		b.job.streams = streams[i];
		b.job.bs = 3 * BS;
		b.job.sync = i % 2 ? SYNC_FILE : SYNC_END;
		bed_ok(&b, BENCH_WRITE);
		assert_int_equal(b.r.bytes, b.c->bytes);
		assert_int_equal(b.r.files, b.c->n);
		assert_int_equal(b.r.streams, streams[i] < b.c->n ? streams[i] : b.c->n);
		streams_add_up(&b.r);
		bed_ok(&b, BENCH_READ);
		assert_int_equal(b.r.bytes, b.c->bytes);
		assert_int_equal(b.r.files, b.c->n);
		bed_ok(&b, BENCH_REREAD);
		assert_int_equal(b.r.bytes, b.c->bytes);
		b.job.streams = 1;
		bed_ok(&b, BENCH_VERIFY);	/* against what corpus_block() says, byte by byte */
		assert_int_equal(b.r.bytes, b.c->bytes);
		bed_end(&b);
	}
}

/* Every record once, whoever does it: of files of their own, and of files they share. */
static void records_are_shared_out(void **state)
{
	static const struct {
		enum bench_op op;
		unsigned streams, times;	/* times: the bytes of a record count */
		bool shared, writes;
		uint64_t number;
	} cases[] = {
		{ BENCH_REWRITE, 4, 1, false, true, 0 }, { BENCH_REWRITE, 3, 1, true, true, 0 },
		{ BENCH_MODIFY, 4, 2, false, true, 0 }, { BENCH_MODIFY, 5, 2, true, true, 0 },
		{ BENCH_RAND_WRITE, 7, 1, true, true, 0 }, { BENCH_RAND_READ, 3, 1, true, false, 0 },
		{ BENCH_READ_BACK, 2, 1, true, false, 0 }, { BENCH_READ_STRIDE, 3, 1, true, false, 5 },
		{ BENCH_SEEK, 3, 2, true, true, 100 }, { BENCH_SEEK, 3, 1, true, false, 0 },
		{ BENCH_MIX, 2, 1, true, true, 0 }, { BENCH_MIX, 2, 1, true, false, 100 },
	};
	enum { FILE_BYTES = 37 * BS + 100, RECORDS = 38 };
	unsigned char *before, *after;
	size_t i, len, k;
	struct bed b;

	(void)state;
	bed_make(&b, "fileset count=4 size=151652\nop write\n");
	assert_int_equal(b.c->sizes[0], FILE_BYTES);
	bed_ok(&b, BENCH_WRITE);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		before = content(&b, &len);
		assert_int_equal(len, 4 * FILE_BYTES);
		b.job.streams = cases[i].streams;
		b.job.shared_file = cases[i].shared;
		b.job.number = cases[i].number;
		bed_ok(&b, cases[i].op);
		assert_int_equal(b.r.bytes, 4ull * FILE_BYTES * cases[i].times);
		assert_int_equal(b.r.ops, 4 * RECORDS);
		assert_int_equal(b.r.files, 4);
		assert_int_equal(b.r.streams, cases[i].streams);
		streams_add_up(&b.r);
		assert_true(b.r.p50_ns > 0 && b.r.p50_ns <= b.r.p99_ns && b.r.p99_ns <= b.r.max_ns);
		after = content(&b, &len);
		for (k = 0; k < 4; k++)
			assert_int_equal(changed(before + k * FILE_BYTES, after + k * FILE_BYTES,
						 FILE_BYTES, NULL), cases[i].writes ? RECORDS : 0);
		free(before);
		free(after);
	}
	bed_end(&b);
}

/* Of 1000 records so many are written: within four standard deviations, and the bytes that
 * are counted say exactly how many. */
static void mixes_keep_their_share(void **state)
{
	static const struct {
		enum bench_op op;
		uint64_t number;
		unsigned writes;	/* percent of the records */
		bool counts;		/* what is written comes on top of what is read */
	} cases[] = {
		{ BENCH_MIX, 20, 80, false }, { BENCH_MIX, 50, 50, false }, { BENCH_MIX, 97, 3, false },
		{ BENCH_SEEK, 10, 10, true }, { BENCH_SEEK, 60, 60, true },
	};
	unsigned char *before, *after;
	struct bed b;
	size_t i, len, n;

	(void)state;
	bed_make(&b, "fileset size=4096000\nop write\n");
	bed_ok(&b, BENCH_WRITE);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		before = content(&b, &len);
		b.job.number = cases[i].number;
		bed_ok(&b, cases[i].op);
		after = content(&b, &len);
		n = changed(before, after, len, NULL);
		assert_true(n + 64 >= cases[i].writes * 10 && n <= cases[i].writes * 10 + 64);
		assert_int_equal(b.r.bytes, len + (cases[i].counts ? n * BS : 0));
		assert_int_equal(b.r.ops, 1000);
		free(before);
		free(after);
	}
	bed_end(&b);
}

/* Half of the streams read and half write, each its own files. */
static void streams_are_readers_or_writers(void **state)
{
	enum { FILE_BYTES = 20 * BS };
	unsigned char *before, *after;
	struct bed b;
	size_t len, k;

	(void)state;
	bed_make(&b, "fileset count=4 size=80K\nop write\n");
	bed_ok(&b, BENCH_WRITE);
	before = content(&b, &len);
	b.job.streams = 4;
	b.job.number = 50;
	bed_ok(&b, BENCH_MIX_STREAMS);
	assert_int_equal(b.r.bytes, 4 * FILE_BYTES);
	after = content(&b, &len);
	for (k = 0; k < 4; k++)
		assert_int_equal(changed(before + k * FILE_BYTES, after + k * FILE_BYTES, FILE_BYTES,
					 NULL), k < 2 ? 0 : 20);
	free(before);
	free(after);
	bed_end(&b);
}

static void append_doubles(void **state)
{
	unsigned char *before, *after;
	struct bed b;
	size_t len, i, at;

	(void)state;
	bed_make(&b, "fileset count=3 size=10001\nop append\n");
	bed_ok(&b, BENCH_WRITE);
	before = content(&b, &len);
	b.job.streams = 2;
	bed_ok(&b, BENCH_APPEND);
	assert_int_equal(b.r.bytes, b.c->bytes);
	assert_int_equal(b.r.ops, 9);
	after = content(&b, &at);
	assert_int_equal(at, 2 * len);
	for (i = 0; i < 3; i++)
		assert_memory_equal(before + i * 10001, after + i * 2 * 10001, 10001);
	free(before);
	free(after);
	bed_end(&b);
}

/* One file is there and is read, one is made meanwhile; each by a stream of its own. */
static void play_and_record(void **state)
{
	struct stat st;
	struct bed b;

	(void)state;
	bed_make(&b, "fileset size=300K\nfileset size=500K\nop play-record\n");
	b.job.sets = 1;
	bed_ok(&b, BENCH_WRITE);
	assert_int_equal(b.r.bytes, 300 * KIB);
	assert_int_equal(fstatat(b.job.dir, "d00000/f0000001.bin", &st, 0), -1);
	b.job.sets = 0;
	b.job.streams = 2;
	bed_ok(&b, BENCH_PLAY_RECORD);
	assert_int_equal(b.r.bytes, 800 * KIB);
	assert_int_equal(b.r.stream[0].bytes, 300 * KIB);
	assert_int_equal(b.r.stream[1].bytes, 500 * KIB);
	b.job.streams = 1;
	bed_ok(&b, BENCH_VERIFY);
	bed_end(&b);
}

/* --- order --- */

/* Pairs of neighbours among the records that are written before it is stopped. */
static size_t neighbours(unsigned sequential)
{
	unsigned char *before, *after;
	bool at[1000] = { false };
	size_t len, n = 0, i;
	struct bed b;

	bed_make(&b, "fileset size=4096000\nop write\n");
	bed_ok(&b, BENCH_WRITE);
	before = content(&b, &len);
	b.job.sequential = sequential;
	b.job.stop_bytes = 200 * BS;
	bed_ok(&b, BENCH_RAND_WRITE);
	assert_int_equal(b.r.ops, 200);
	after = content(&b, &len);
	assert_int_equal(changed(before, after, len, at), 200);
	for (i = 0; i + 1 < 1000; i++)
		n += at[i] && at[i + 1];
	free(before);
	free(after);
	bed_end(&b);
	return n;
}

/* By chance 200 of 1000 have 40 such pairs; with a share s in sequence 200 * (s + (1 - s) / 5).
 * All in sequence: one piece. */
static void random_records_may_follow(void **state)
{
	(void)state;
	assert_in_range(neighbours(0), 20, 60);
	assert_in_range(neighbours(80), 148, 188);
	assert_int_equal(neighbours(100), 199);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_make_the_same_files),
		cmocka_unit_test(records_are_shared_out),
		cmocka_unit_test(mixes_keep_their_share),
		cmocka_unit_test(streams_are_readers_or_writers),
		cmocka_unit_test(append_doubles),
		cmocka_unit_test(play_and_record),
		cmocka_unit_test(random_records_may_follow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
