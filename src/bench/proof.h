/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_PROOF_H
#define BENCH_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/*
 * The circumstances of a run: what the disks' links can carry at most, how hot they are,
 * whether processors were short or throttled, how much may be dirty, how full it is. Read
 * below a root prefix ("" for this machine), before and after a run, never during it.
 */
struct proof {
	/* time in which somebody waited for a processor, for disks, for memory, since boot */
	uint64_t cpu_stall_us, io_stall_us, memory_stall_us;
	uint64_t throttles;	/* how often a processor was slowed for its heat, since boot */
	int hottest_mc;		/* of the disks, 1/1000 degree; PROOF_NO_HEAT: none tells */
	bool hot;		/* a disk is at the limit it names itself */
};

enum { PROOF_NO_HEAT = -1000000 };

void proof_read(const char *root, struct arena *a, const struct list *disks, struct proof *out);

/* Bytes a second the disk's link can carry, or its emulated rate; 0 when nobody tells. */
uint64_t proof_link_bps(const char *root, struct arena *a, const char *disk);
/* The sum over all disks; 0 when one of them does not tell. */
uint64_t proof_limit_bps(const char *root, struct arena *a, const struct list *disks);

/* The share of the last ten seconds in which somebody waited for it: "io" 0.35; 0: unknown. */
double proof_pressure(const char *root, struct arena *a, const char *what);

/* Where the file begins, in bytes of the device its file system lies on; false when the file
 * system does not tell. */
bool proof_position(int fd, uint64_t *out);

/* Dirty pages at which writers are held up, in bytes; 0 when unknown. */
uint64_t proof_dirty_limit(const char *root, struct arena *a);

#endif
