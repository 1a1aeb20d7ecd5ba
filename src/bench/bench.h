/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct arena;
struct err;
struct list;

/*
 * Measuring. The engine copies in a child process of the executor, counts with one
 * relaxed add a buffer, and never waits for whoever looks. Bytes and ns as integers;
 * MB/s (10^6) is computed where it is shown.
 */

enum bench_op { BENCH_WRITE, BENCH_READ };

struct workload {		/* one class: "small-text", "500M" ... (workloads/) */
	const char *name, *title;
	bool single;		/* one file of `bytes`; else a set of files */
	uint64_t bytes;		/* at scale 1 */
	uint64_t mean_file, max_file;	/* of a set */
	bool text;		/* compressible like source code; else incompressible */
	uint64_t seed;
};

/* Every workload known, smallest first: const struct workload *. */
int workload_list(struct arena *a, struct list *out, struct err *e);
int workload_find(struct arena *a, const char *name, struct workload *out, struct err *e);

enum cache_state { CACHE_AS_IS, CACHE_COLD, CACHE_WARM };

struct bench_order {
	const char *target;		/* a directory */
	const char *build;		/* name of the build it belongs to, NULL for a plain one */
	const char *label;		/* layout line or directory: what is measured */
	struct list workloads;		/* const struct workload * */
	bool write, read;
	unsigned reps;			/* at least 1; 7 by default */
	double scale;			/* > 0 */
	enum cache_state cache;		/* before reading; COLD by default */
	const char *db;			/* NULL: default; "" : keep nothing */
};

json_t *bench_order_json(const struct bench_order *o);
int bench_order_read(struct arena *a, const json_t *json, struct bench_order *out, struct err *e);

/* Space, bytes and whether it fits, before anything is written; one sentence. */
struct bench_forecast {
	uint64_t need_bytes, free_bytes, write_bytes;
};
int bench_forecast(const struct bench_order *o, struct bench_forecast *out, struct err *e);

/*
 * Run it; called by the executor. emit() gets every event (DESIGN.md section 3:
 * sample, run, result; and "begin", "wait", "end") and must not block for long.
 * Whatever happens, no file is left in the target.
 */
int bench_run(const struct bench_order *o, void (*emit)(void *, const json_t *), void *arg,
	      struct err *e);

/* Median, minimum and maximum of n rates; sorts a copy. */
struct stats {
	double median, min, max;
	size_t n;
};
void stats_of(const double *values, size_t n, struct stats *out);

#endif
