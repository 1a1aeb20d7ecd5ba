/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/bench.h"

struct corpus;
struct list;
struct err;

/*
 * One timed copy in a child process. The parent looks at the shared counters as often as
 * it likes and never holds the copy up.
 */
enum engine_phase { PHASE_READY, PHASE_COPY, PHASE_SYNC, PHASE_DONE };

struct engine_job {
	enum bench_op op;	/* one that is done in the child (ops.h) */
	const struct corpus *corpus;
	int dir;		/* the files' directory */
	size_t bs;		/* most bytes in one call; 0: the buffer's size */
	uint64_t number;	/* of an operation that takes one */
	bool each_write;	/* O_SYNC */
	const struct list *branches;	/* to be synced too (durable.h); NULL: none */
	uint64_t salt;		/* makes what is written over files differ from run to run */
};

struct engine_result {
	uint64_t bytes, files;
	uint64_t felt_ns;	/* until the last close */
	uint64_t durable_ns;	/* until syncfs came back; as felt when reading */
	uint64_t cpu_ns;	/* of the child, both threads */
	uint64_t copy_cpu_ns;	/* of the copying thread alone */
	uint64_t source_wait_ns;	/* it waited for data to be made */
	uint64_t ops;		/* records, or what else was done; 0: not counted */
	uint64_t p50_ns, p99_ns, max_ns;	/* how long one took; 0: not measured */
	uint64_t source_bps;	/* what the data's maker can do, by its own processor time */
};

struct engine_shared;

struct engine {
	int64_t pid;
	int fd;			/* readable (end of file) when the child has ended */
	struct engine_shared *shared;
};

int engine_start(const struct engine_job *job, struct engine *x, struct err *e);
uint64_t engine_bytes(const struct engine *x);
uint64_t engine_ops(const struct engine *x);	/* records, or what else is counted */
enum engine_phase engine_phase(const struct engine *x);
/* Has it ended? Waits at most timeout_ms; a signal ends the wait. */
bool engine_ended(const struct engine *x, int timeout_ms);
void engine_stop(struct engine *x);	/* ask it to; it ends at the next buffer */

/*
 * Wait for the end and take the result. On -1 *error is the errno of what failed (0: none,
 * it was stopped or killed) and the sentence says at which file.
 */
int engine_end(struct engine *x, struct engine_result *out, int *error, struct err *e);

/* Buffers: 1 MiB, on a machine with less than 2 GB of memory 256 KiB. */
size_t engine_buffer_bytes(void);
/* Page aligned, every page touched; NULL with errno set when there is no memory. */
void *engine_buffer(size_t size);
uint64_t clock_ns(void);

/*
 * The second thread's door: buffers filled ahead with the content of the files one after
 * the other, so that making data does not hold up the copy.
 */
struct ring;
struct ring *ring_start(const struct corpus *c, size_t buffer);	/* NULL with errno set */
/* The next bytes, at most `most`, all of one buffer; waits until they are there. */
const unsigned char *ring_take(struct ring *r, size_t most, size_t *len);
uint64_t ring_waited_ns(const struct ring *r);	/* how long the taker waited in all */
uint64_t ring_made_ns(const struct ring *r);	/* processor time of the maker, at its end */

#endif
