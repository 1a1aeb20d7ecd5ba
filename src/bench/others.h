/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_OTHERS_H
#define BENCH_OTHERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/*
 * Who else uses the disks that are measured: processes with a file open there, or one of
 * the devices, and how many bytes each moved while a run was timed. Looked at before and
 * after a run, never during it; only what the kernel lets us see.
 */
struct other {
	int pid;
	uint64_t moved;		/* bytes from and to storage, since it began */
	bool opens;		/* something on these disks */
	bool writes;		/* and may write there */
	char name[17];
};

struct others {
	struct other *at;
	size_t n;
};

/* All processes but us and our parent; dev: the st_dev of the target. Empties *out first. */
void others_look(const char *root, const struct list *disks, uint64_t dev, struct others *out);
void others_done(struct others *o);

/*
 * Those that had something open at either look and moved more than `least` in between:
 * "rsync(812)" each, as const char *.
 */
void others_that_moved(struct arena *a, const struct others *before, const struct others *after,
		       uint64_t least, struct list *out);
/* Those that may write there, whether they do or not; at most so many. */
void others_that_write(struct arena *a, const struct others *o, size_t most, struct list *out);

#endif
