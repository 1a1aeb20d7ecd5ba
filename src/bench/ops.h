/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_OPS_H
#define BENCH_OPS_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/bench.h"

struct class;
struct copy;
struct engine_result;
struct err;
struct measured;
struct session;

/*
 * The table of operations. A new one is a file with its functions, a row in ops.c and its
 * name in enum bench_op. The language, the manual,
 * the forecast, the engine and the events go by the row.
 */
enum op_by {
	OP_BY_FILES,	/* whole files, one after the other */
	OP_BY_RECORDS,	/* records of files that are there; each one's time is kept */
	OP_BY_NAMES,	/* what a file system knows about files, not what is in them */
	OP_IN_LOOP,	/* a transaction again and again until it is told to stop */
};

enum op_number {	/* of which the N is how many percent; or something else */
	NUMBER_OTHER, NUMBER_READS, NUMBER_READERS, NUMBER_REWRITES,
};

enum op_order { ORDER_FORWARD, ORDER_BACK, ORDER_STRIDE, ORDER_RANDOM };	/* of records */

struct op {
	const char *word, *also;	/* in a workload; another word for it, or NULL */
	const char *help;		/* a sentence for the manual */
	const char *counts;		/* "files", "ops", "seeks" (unit.c); NULL: bytes */
	const char *number;		/* what the N of word:N is; NULL: it takes none */
	uint64_t number_min, number_max;
	enum op_number number_of;
	enum op_by by;
	enum op_order order;
	bool writes, reads;		/* changes the target, and ends durable; reads from it */
	bool makes;			/* the files; else they have to be there before */
	bool adds;			/* those of the second fileset, while the first is there */
	bool grows;			/* as much again is there afterwards */
	bool removes;			/* what is left is nothing for the next operation */
	bool as_left;			/* the cache stays as the operation before left it */
	bool dirty;			/* a write-back cache below is not waited for */

	/* In the engine's child: everything that takes memory, before the clock ... */
	int (*prepare)(struct copy *c);
	/* ... then one file after the other, or all that is to be done. */
	int (*file)(struct copy *c, const char *name, size_t file);
	int (*all)(struct copy *c);

	/* ... and after it, with all streams: what more there is to say, or what is wrong. */
	int (*finish)(struct copy *all, unsigned n, struct engine_result *r);

	/* Instead of writing the files, when they have to be there before: make the set in dir. */
	int (*make)(struct session *s, const struct class *c, const char *set, int dir,
		    struct err *e);

	/* Instead of the child: the whole run on a set, which fills *m (see run.c). */
	int (*run)(struct session *s, const struct class *c, const char *set, struct measured *m,
		   struct err *e);
};

const struct op *op_of(enum bench_op op);
bool op_shares(const struct op *op);	/* can several streams work on one file? */

/* Rows that need other programs: sends.c */
int send_make(struct session *s, const struct class *c, const char *set, int dir, struct err *e);
int send_run(struct session *s, const struct class *c, const char *set, struct measured *m,
	     struct err *e);

#endif
