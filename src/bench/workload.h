/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include "bench/bench.h"

/* A workload while it is read: what the reader and its checks share. */
struct reading {
	struct arena *a;
	const char *from;
	unsigned line;
	struct workload w;
	struct fileset *set;		/* the one of this line */
	uint64_t size;			/* of its files */
	bool sized, op;			/* a size was given; an operation was */
	struct err *e;
};

/* "small.workload line 3: ..."; always -1. */
int workload_bad(struct reading *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * workload-words.c: the language. A row with neither key nor set names a statement; one with
 * a set and no key takes words. The last one's stmt is NULL.
 */
struct workload_row {
	struct workload_word word;
	int (*set)(struct reading *r, const char *value);
};
extern const struct workload_row workload_rows[];

/* workload-check.c: is a fileset whole, and everything together? Fills what follows. */
int workload_settle_set(struct reading *r);
int workload_settle(struct reading *r);
void workload_sum(struct workload *w);		/* of its sets: bytes, and what a file has */

#endif
