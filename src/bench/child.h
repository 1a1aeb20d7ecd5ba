/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/engine.h"
#include "bench/ops.h"

/* How long each of what was done took, ns. */
struct times {
	uint64_t *ns;
	size_t n, room;
};

/* Touched room for that many, so that nothing has to grow later. Never fails: die() does. */
void times_room(struct times *t, size_t n);
void times_add(struct times *t, uint64_t ns);
void times_join(struct times *t, const struct times *from);
/* By nearest rank; sorts. Leaves them alone when there is none. */
void times_ranks(struct times *t, uint64_t *p50, uint64_t *p99, uint64_t *max);

/*
 * What the engine's files share inside the child: child.c has the clock, the streams and
 * the counting, files.c whole files, records.c what jumps.
 */
struct stream_count {
	_Atomic uint64_t bytes, ops;
	char apart[48];			/* no two streams in one cache line */
};

struct engine_shared {
	struct stream_count count[WORKLOAD_STREAMS];
	_Atomic int stop, phase;
	_Atomic int failed, one_ended;	/* the first to say so sets it */
	void *own;			/* what prepare() of the first stream made for all */
	/* written by the child before it ends */
	struct engine_result result;
	int error;
	char text[300];
};

struct copy {				/* one stream; it alone touches what is not shared */
	const struct engine_job *job;
	const struct op *op;
	struct engine_shared *shared;
	struct stream_count *count;
	unsigned stream, streams;	/* which of how many */
	bool common;			/* all of them work on every file */
	struct ring *ring;		/* content of files that are written */
	unsigned char *buffer;		/* what is read */
	unsigned char *source[WORKLOAD_SETS];	/* what records are written from */
	size_t bs;
	int dir;			/* directory the current file is in */
	struct times times;		/* of records, files, steps */
	uint64_t start_ns, until_ns, cap_ns;	/* of the clock; 0: no end */
	uint64_t quota;			/* bytes, 0: none */
	bool limited;			/* any of these, or a rate */
	bool over, capped;		/* its time or quota is used up: no failure */
	uint64_t felt_ns, cpu_ns;	/* at its end */
	uint64_t files;
};

/* Note what failed with errno and the file, unless something has before; always -1. */
int child_failed(struct copy *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The file of a folder that this one is made of could not be read. */
int child_no_data(struct copy *c, size_t file);
/* One buffer more is done; -1: it is time to go. Holds a stream up that is over its rate. */
int child_counted(struct copy *c, size_t len);
/* The same without anything to count, for loops that do no bytes. */
bool child_over(struct copy *c);

/* How long one of what is counted took. */
void child_took(struct copy *c, uint64_t ns);
void child_moved(struct copy *c, size_t len);	/* bytes, without asking for the time */
void child_did(struct copy *c, uint64_t ops);	/* so many more of what is counted */
void child_forget(struct copy *c);	/* what prepare() counted was no work */

int child_make_dir(struct copy *c, size_t dir);		/* with those above it */
/* Go to the directory of a file; it is made when `make`. */
int child_enter(struct copy *c, size_t file, bool make);
/* Open a file with the flags the job adds (O_SYNC, O_DIRECT). */
int child_open(struct copy *c, const char *name, int flags);
/* All done with it: made durable when every file is, and closed. */
int child_close(struct copy *c, int fd, const char *name);
/* With O_DIRECT a piece that is no whole 4 KiB goes through the cache; else does nothing. */
void child_direct(const struct copy *c, int fd, bool on);

int child_main(void *arg, int fd);	/* for job_child(), with a struct copy */

/* Rows of ops.c: the memory they take, and what is done with one file. */
int write_prepare(struct copy *c);
int read_prepare(struct copy *c);
int verify_prepare(struct copy *c);
int verify_file(struct copy *c, const char *name, size_t file);
int records_prepare(struct copy *c);
int write_file(struct copy *c, const char *name, size_t file);
int read_file(struct copy *c, const char *name, size_t file);
int play_record_file(struct copy *c, const char *name, size_t file);
int records_file(struct copy *c, const char *name, size_t file);
int append_file(struct copy *c, const char *name, size_t file);
int names_prepare(struct copy *c);
int create_all(struct copy *c);
int stat_all(struct copy *c);
int delete_all(struct copy *c);
int hash_prepare(struct copy *c);
int hash_all(struct copy *c);
int hash_finish(struct copy *all, unsigned n, struct engine_result *r);
int mail_prepare(struct copy *c);
int mail_all(struct copy *c);
int mail_finish(struct copy *all, unsigned n, struct engine_result *r);

#endif
