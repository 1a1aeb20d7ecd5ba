/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <stddef.h>
#include <stdint.h>

#include "bench/engine.h"
#include "bench/ops.h"

/* What the engine's files share inside the child: engine.c copies, records.c jumps. */
struct copy {
	const struct engine_job *job;
	const struct op *op;
	struct engine_shared *shared;
	struct ring *ring;		/* WRITE, VERIFY */
	unsigned char *buffer;		/* READ, VERIFY, records */
	size_t bs;
	int dir;			/* directory the current file is in */
	uint64_t *latencies;		/* of records, ns */
	size_t n_latencies, latency_room;
};

/* Note what failed with errno and the file; always -1. */
int child_failed(struct copy *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One buffer more is done; is it time to go? */
int child_counted(struct copy *c, size_t len);

/* How long one of what is counted took. Never fails for lack of memory: die() does. */
void child_took(struct copy *c, uint64_t ns);
/* Before the clock: touched room for that many, so that nothing has to grow later. */
void child_took_room(struct copy *c, size_t n);

/* Rows of ops.c: the memory they take, and what is done with one file. */
int write_prepare(struct copy *c);
int read_prepare(struct copy *c);
int verify_prepare(struct copy *c);
int records_prepare(struct copy *c);
int write_file(struct copy *c, const char *name, size_t file);
int read_file(struct copy *c, const char *name, size_t file);
int records_file(struct copy *c, const char *name, size_t file);

#endif
