/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_BENCH_HELP_H
#define TESTS_UNIT_BENCH_HELP_H

/* What the tests of measuring share: a folder for one case, workloads, an order. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "bench/bench.h"

static inline void use_shipped_workloads(void)
{
	const char *dir = getenv("srcdir");
	char folder[600];

	snprintf(folder, sizeof(folder), "%s/workloads", dir ? dir : ".");
	setenv("NASLAB_WORKLOADS", folder, 1);
}

static inline char *scratch(void)
{
	static char path[64];

	strcpy(path, "/tmp/naslab-test-XXXXXX");
	assert_non_null(mkdtemp(path));
	return path;
}

static inline void wipe(const char *path)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execlp("rm", "rm", "-rf", path, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static inline void shipped(struct arena *a, const char *name, struct workload *w)
{
	struct err e = { 0 };

	assert_int_equal(workload_find(a, name, w, &e), 0);
}

static inline void parsed(struct arena *a, const char *text, struct workload *w)
{
	struct err e = { 0 };

	if (workload_parse(a, "x", text, "x.workload", w, &e) < 0)
		fail_msg("\"%s\": %s", text, e.text);
}

static inline void not_parsed(const char *text, const char *says)
{
	struct arena *a = arena_new();
	struct workload w;
	struct err e = { 0 };

	if (workload_parse(a, "x", text, "x.workload", &w, &e) == 0)
		fail_msg("\"%s\" was taken", text);
	assert_int_equal(e.kind, ERR_USAGE);
	if (!strstr(e.text, says))
		fail_msg("\"%s\" lacks \"%s\"", e.text, says);
	arena_free(a);
}

static inline void put_file(const char *dir, const char *name, const char *text)
{
	char path[600];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static inline void order_for(struct arena *a, struct bench_order *o, const char *target,
		      const char *name, double scale)
{
	struct workload *w = arena_alloc(a, sizeof(*w));

	*o = (struct bench_order){ .target = target, .write = true, .read = true, .reps = 2,
				   .scale = scale, .cache = CACHE_COLD, .db = "" };
	shipped(a, name, w);
	list_add(a, &o->workloads, w);
}

#endif
