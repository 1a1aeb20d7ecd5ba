/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <stddef.h>
#include <stdint.h>

#include "bench/engine.h"

/* What the engine's files share inside the child: engine.c copies, records.c jumps. */
struct copy {
	const struct engine_job *job;
	struct engine_shared *shared;
	struct ring *ring;		/* WRITE, VERIFY */
	unsigned char *buffer;		/* READ, VERIFY, records */
	size_t bs;
	int dir;			/* directory the current file is in */
	uint64_t *latencies;		/* of records, ns */
	size_t n_latencies;
};

/* Note what failed with errno and the file; always -1. */
int child_failed(struct copy *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One buffer more is done; is it time to go? */
int child_counted(struct copy *c, size_t len);

/* Does this operation go through a file record by record? */
bool engine_by_records(enum engine_op op);
bool engine_writes(enum engine_op op);

/* Before the clock: buffer and room for the latencies. */
int records_prepare(struct copy *c);
/* All records of one file, in the operation's order. */
int records_file(struct copy *c, const char *name, uint64_t size, size_t file);
/* After the clock: the percentiles. */
void records_result(struct copy *c, struct engine_result *r);

#endif
