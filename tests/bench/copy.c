/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy [-d] [-r] [-s STREAMS] FROM TO - the files of a folder copied by the timed engine, as
 * op copy-in with data=dir:FROM does: they are read into memory before its clock starts, with
 * -r by its second thread meanwhile, as when they have no room there. Prints "WALL-NS CPU-NS"
 * by its own clock; with -d until all of it is durable.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "bench/bench.h"
#include "bench/corpus.h"
#include "bench/engine.h"
#include "bench/found.h"

static int copy(struct arena *a, struct engine_job job, bool hold, char **names,
		struct engine_result *r, struct err *e)
{
	const char *text = arena_printf(a, "fileset data=dir:%s width=100\nop copy-in\n", names[0]);
	struct workload w;
	struct corpus *c;
	struct engine x;
	int error, rc;

	if (workload_parse(a, "copy", text, "copy", &w, e) < 0 || workload_look(&w, e) < 0)
		return -1;
	if (hold)
		found_hold(w.sets[0].found);
	if (mkdir(names[1], 0755) < 0 ||
	    (job.dir = open(names[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return err_sys(e, "cannot make %s", names[1]);
	job.corpus = c = corpus_new(&w, 1);
	rc = engine_start(&job, &x, e);
	if (rc == 0)
		rc = engine_end(&x, r, &error, e);
	corpus_free(c);
	return rc;
}

int main(int argc, char **argv)
{
	struct engine_job job = { .op = BENCH_WRITE, .streams = 1 };
	struct arena *a = arena_new();
	struct engine_result r;
	struct err e = { 0 };
	bool hold = true;
	int opt, rc;

	while ((opt = getopt(argc, argv, "drs:")) >= 0) {
		if (opt == 'd')
			job.sync = SYNC_END;
		else if (opt == 'r')
			hold = false;
		else if (opt == 's')
			job.streams = (unsigned)atoi(optarg);
		else
			return 2;
	}
	if (argc - optind != 2)
		return 2;
	rc = copy(a, job, hold, argv + optind, &r, &e);
	if (rc == 0)
		printf("%" PRIu64 " %" PRIu64 "\n", r.durable_ns, r.cpu_ns);
	else
		fprintf(stderr, "copy: %s\n", e.text);
	arena_free(a);
	return rc ? 1 : 0;
}
