/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_BENCH_BED_H
#define TESTS_UNIT_BENCH_BED_H

/* An engine job on a directory of its own, for the tests of the engine. */
#include "bench-help.h"

#include <fcntl.h>

#include "base/units.h"
#include "bench/corpus.h"
#include "bench/engine.h"

enum { BS = 4096 };

/* A corpus below a directory of its own, and a job on it. */
struct bed {
	struct arena *a;
	char *path;
	struct workload w;
	struct corpus *c;
	struct engine_job job;
	struct engine_result r;
	int error;
	struct err e;
};

static inline void bed_make(struct bed *b, const char *text)
{
	struct err e = { 0 };

	*b = (struct bed){ .a = arena_new(), .path = scratch() };
	if (workload_parse(b->a, "x", text, "x", &b->w, &e) < 0)
		fail_msg("%s", e.text);
	b->c = corpus_new(&b->w, 1);
	b->job = (struct engine_job){ .corpus = b->c, .bs = BS,
				      .dir = open(b->path, O_RDONLY | O_DIRECTORY) };
	assert_true(b->job.dir >= 0);
}

static inline int bed_run(struct bed *b, enum bench_op op)
{
	struct engine x;

	b->e = (struct err){ 0 };
	b->job.op = op;
	b->job.salt++;
	assert_int_equal(engine_start(&b->job, &x, &b->e), 0);
	return engine_end(&x, &b->r, &b->error, &b->e);
}

static inline void bed_ok(struct bed *b, enum bench_op op)
{
	if (bed_run(b, op) < 0)
		fail_msg("%s: %s", bench_op_word(op), b->e.text);
}

static inline void bed_end(struct bed *b)
{
	close(b->job.dir);
	corpus_free(b->c);
	wipe(b->path);
	arena_free(b->a);
}

#endif
