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
	unsigned streams;	/* at the same time; 0: one */
	bool shared_file;	/* all streams on every file, where it goes by records */
	bool direct;		/* O_DIRECT */
	unsigned sequential;	/* percent of random records that follow the one before */
	enum sync_when sync;
	uint64_t rate_bps;	/* of a stream; 0: as fast as it goes */
	uint64_t stop_ns, stop_bytes;	/* the end is good then; 0: when all is done */
	uint64_t cap_ns;	/* the same, and the result says that it was cut */
	size_t sets;		/* only the files of so many sets are made; 0: of all */
	const struct list *branches;	/* to be synced too (durable.h); NULL: none */
	uint64_t checksum;	/* of all files, when it is known already */
	int enter;		/* cgroup.procs of a group to run in; 0 or -1: none */
	uint64_t salt;		/* makes what is written over files differ from run to run */
};

struct stream_result {
	uint64_t bytes, ns;	/* ns: until it was through */
};

enum { ENGINE_STEPS = 4 };

struct engine_step {		/* of a loop */
	char word[16];
	uint64_t n, p50_ns, p99_ns, max_ns;
};

struct engine_result {
	uint64_t bytes, files;
	uint64_t felt_ns;	/* until the last close */
	uint64_t durable_ns;	/* until syncfs came back; as felt when reading */
	uint64_t cpu_ns;	/* of the child, all threads */
	uint64_t copy_cpu_ns;	/* of the copying thread alone; of streams the busiest */
	uint64_t source_wait_ns;	/* it waited for data to be made */
	uint64_t ops;		/* records, or what else was done; 0: not counted */
	uint64_t p50_ns, p99_ns, max_ns;	/* how long one took; 0: not measured */
	struct engine_step steps[ENGINE_STEPS];
	unsigned n_steps;
	uint64_t checksum;	/* of all files, compared; 0: none was taken */
	unsigned streams;
	struct stream_result stream[WORKLOAD_STREAMS];
	uint64_t least_bytes;	/* of the slowest stream, when the first was through */
	bool capped;		/* cap_ns ended it */
	uint64_t source_bps;	/* what the data's maker can do, by its own processor time */
};

struct engine_shared;

struct engine {
	int64_t pid;
	int fd;			/* readable (end of file) when the child has ended */
	struct engine_shared *shared;
	bool limited;		/* in its memory */
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
struct ring_part {		/* whose content: files first, first + step ... not before from */
	size_t from, first, step;
	size_t align;		/* every file begins at a multiple of it; 0: anywhere */
};
/* NULL with errno set */
struct ring *ring_start(const struct corpus *c, size_t buffer, const struct ring_part *part);
/* The next bytes, at most `most`, all of one buffer; waits until they are there. NULL: what
 * ring_failed_file() is made of cannot be read, with errno. */
const unsigned char *ring_take(struct ring *r, size_t most, size_t *len);
size_t ring_failed_file(const struct ring *r);
void ring_next_file(struct ring *r);	/* all of one was taken */
uint64_t ring_waited_ns(const struct ring *r);	/* how long the taker waited in all */
uint64_t ring_made_ns(const struct ring *r);	/* processor time of the maker, at its end */

#endif
