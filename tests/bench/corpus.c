/* SPDX-License-Identifier: GPL-2.0-or-later */
/* corpus WORKLOAD SCALE DIR - the files of a workload, made by the timed engine itself. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "bench/bench.h"
#include "bench/corpus.h"
#include "bench/engine.h"

int main(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct engine_result r;
	struct engine_job job = { .op = BENCH_WRITE };
	struct workload w;
	struct engine x;
	struct err e = { 0 };
	int error, rc = 1;

	if (argc != 4)
		return 2;
	job.dir = open(argv[3], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (job.dir >= 0 && workload_find(a, argv[1], &w, &e) == 0) {
		struct corpus *c = corpus_new(&w, strtod(argv[2], NULL));

		job.corpus = c;
		if (engine_start(&job, &x, &e) == 0 && engine_end(&x, &r, &error, &e) == 0)
			rc = 0;
		corpus_free(c);
	}
	if (rc)
		fprintf(stderr, "corpus: %s\n", e.text);
	arena_free(a);
	return rc;
}
