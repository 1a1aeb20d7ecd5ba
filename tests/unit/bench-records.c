/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engine's child does with one file: what it wrote is checked, each record is touched. */
#include "bench-job.h"

#include <errno.h>
#include <fcntl.h>

#include "bench/corpus.h"

/* The engine's files hold what corpus_block() says, and a changed byte is noticed. */
static void what_is_written_is_verified(void **state)
{
	enum { SIZE = 23 * CORPUS_BLOCK };	/* ends where a page does */
	static unsigned char want[CORPUS_BLOCK + CORPUS_SLACK], got[CORPUS_BLOCK];
	struct arena *a = arena_new();
	const char *path = scratch();
	struct engine_result r;
	struct workload w;
	struct corpus *c;
	int dir = open(path, O_RDONLY | O_DIRECTORY), fd;
	struct engine_job job = { .op = BENCH_WRITE, .dir = dir };
	ssize_t len;
	int i;

	(void)state;
	shipped(a, "500M", &w);
	c = corpus_new(&w, SIZE / 500e6);
	job.corpus = c;
	job_ok(&job, &r);
	assert_int_equal(r.bytes, SIZE);
	fd = openat(dir, "f0000000.bin", O_RDWR);
	assert_true(fd >= 0);
	corpus_block(c, 0, 5, CORPUS_BLOCK, want);
	len = pread(fd, got, CORPUS_BLOCK, 5 * CORPUS_BLOCK);
	assert_int_equal(len, CORPUS_BLOCK);
	assert_memory_equal(want, got, CORPUS_BLOCK);

	job.op = BENCH_VERIFY;
	job_ok(&job, &r);
	got[0] ^= 1;
	assert_int_equal(pwrite(fd, got, 1, 5 * CORPUS_BLOCK), 1);
	job_fails(&job, EILSEQ, "holds other data");
	got[0] ^= 1;
	assert_int_equal(pwrite(fd, got, 1, 5 * CORPUS_BLOCK), 1);
	for (i = 0; i < 2; i++) {	/* a byte too many, too few */
		assert_int_equal(ftruncate(fd, SIZE + 1 - 2 * i), 0);
		job_fails(&job, EILSEQ, "not as long");
	}
	job.op = BENCH_READ;
	assert_int_equal(ftruncate(fd, SIZE - 1), 0);
	job_fails(&job, EILSEQ, "not as long");
	close(fd);
	close(dir);
	corpus_free(c);
	wipe(path);
	arena_free(a);
}

/* Every record is touched once: what is read adds up, and what is written is everywhere
 * new, in every 4 KiB, and no byte longer. */
static void records_are_touched_once(void **state)
{
	static const struct {
		enum bench_op op;
		bool writes;
	} cases[] = {
		{ BENCH_REWRITE, true }, { BENCH_RAND_WRITE, true }, { BENCH_RAND_READ, false },
		{ BENCH_READ_STRIDE, false }, { BENCH_READ_BACK, false },
	};
	enum { SIZE = 300000, BS = 8192, RECORDS = 37 };	/* 36 whole ones and a rest */
	static unsigned char before[SIZE + 1], after[SIZE + 1];
	struct arena *a = arena_new();
	const char *path = scratch();
	struct engine_result r;
	struct workload w;
	int dir = open(path, O_RDONLY | O_DIRECTORY), fd;
	struct engine_job job = { .op = BENCH_WRITE, .dir = dir, .bs = BS, .number = 5 };
	struct corpus *c;
	size_t i, at;

	(void)state;
	shipped(a, "500M", &w);
	c = corpus_new(&w, (double)SIZE / 500e6);
	job.corpus = c;
	job_ok(&job, &r);
	assert_int_equal(r.ops, 0);
	fd = openat(dir, "f0000000.bin", O_RDONLY);
	assert_true(fd >= 0);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(pread(fd, before, sizeof(before), 0), SIZE);
		job.op = cases[i].op;
		job.salt = i * 1000;
		job.sync = cases[i].op == BENCH_RAND_WRITE ? SYNC_WRITE : SYNC_END;
		job_ok(&job, &r);
		assert_int_equal(r.bytes, SIZE);
		assert_int_equal(r.ops, RECORDS);
		assert_true(r.p50_ns > 0 && r.p50_ns <= r.p99_ns && r.p99_ns <= r.max_ns);
		assert_true(r.max_ns <= r.felt_ns && r.felt_ns <= r.durable_ns);
		assert_int_equal(pread(fd, after, sizeof(after), 0), SIZE);
		for (at = 0; cases[i].writes && at + 4096 <= SIZE; at += 4096)
			assert_memory_not_equal(before + at, after + at, 4096);
		if (!cases[i].writes)
			assert_memory_equal(before, after, SIZE);
	}
	job.op = BENCH_RAND_READ;
	close(fd);
	fd = openat(dir, "f0000000.bin", O_RDWR);
	assert_int_equal(ftruncate(fd, SIZE - 1), 0);
	job_fails(&job, EILSEQ, "not as long");
	close(fd);
	close(dir);
	corpus_free(c);
	wipe(path);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_verified),
		cmocka_unit_test(records_are_touched_once),
	};

	use_shipped_workloads();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
