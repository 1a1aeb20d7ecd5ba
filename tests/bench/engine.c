/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine DIRECTORY ROUNDS - what the engine itself costs: the data it makes, in GB/s of one
 * core ("random VALUE", "text VALUE"), and its verification beside a copy, as lines of
 * rounds for ratios: "verified wall cpu" is write, read and compare, "copy" write and read.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/units.h"
#include "bench/bench.h"
#include "bench/corpus.h"
#include "bench/engine.h"

enum { BLOCKS = 4096 };		/* 256 MiB, the same buffer again and again */

static double cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* GB/s of one core, the best of what each round gave is not asked for: every one is printed. */
static void generate(const char *name, const struct corpus *c, unsigned char *buffer)
{
	double start = cpu_now();
	uint64_t i;

	for (i = 0; i < BLOCKS; i++)
		corpus_block(c, 0, i, CORPUS_BLOCK, buffer + (i % 4) * CORPUS_BLOCK);
	fprintf(stderr, "%s %.2f\n", name, (double)BLOCKS * CORPUS_BLOCK / (cpu_now() - start));
}

static int one(int dir, const struct corpus *c, enum bench_op op, struct engine_result *r)
{
	struct engine_job job = { .op = op, .corpus = c, .dir = dir };
	struct err e = { 0 };
	struct engine x;
	int error;

	if (engine_start(&job, &x, &e) == 0 && engine_end(&x, r, &error, &e) == 0)
		return 0;
	fprintf(stderr, "engine: %s\n", e.text);
	return -1;
}

static void line(const char *name, const struct engine_result *a, const struct engine_result *b)
{
	printf("%s %" PRIu64 " %" PRIu64 "\n", name, a->felt_ns + b->felt_ns, a->cpu_ns + b->cpu_ns);
}

static int round_of(int dir, const struct corpus *c)
{
	struct engine_result wrote, got, same;
	char name[CORPUS_NAME];
	int rc = -1;

	if (one(dir, c, BENCH_WRITE, &wrote) == 0 && one(dir, c, BENCH_READ, &got) == 0 &&
	    one(dir, c, BENCH_VERIFY, &same) == 0) {
		line("verified", &wrote, &same);
		line("copy", &wrote, &got);
		rc = 0;
	}
	corpus_file_name(c, 0, name);
	unlinkat(dir, name, 0);
	return rc;
}

int main(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct workload file;
	struct workload text;
	struct corpus *c, *t;
	unsigned char *buffer = engine_buffer(4 * CORPUS_BLOCK + CORPUS_SLACK);
	struct err e = { 0 };
	int dir, i, rounds, rc = 0;

	if (argc != 3 || !buffer || workload_find(a, "small-text", &text, &e) < 0 ||
	    workload_parse(a, "file", "fileset size=256M\nop write\n", "file", &file, &e) < 0)
		return 2;
	c = corpus_new(&file, 1);
	t = corpus_new(&text, 0.01);
	dir = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rounds = atoi(argv[2]);
	for (i = 0; rc == 0 && i < rounds; i++) {
		generate("random", c, buffer);
		generate("text", t, buffer);
		rc = round_of(dir, c);
	}
	corpus_free(t);
	corpus_free(c);
	arena_free(a);
	return rc ? 1 : 0;
}
