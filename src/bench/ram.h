/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_RAM_H
#define BENCH_RAM_H

#include <stdint.h>

struct err;

/*
 * Less memory: a control group of our own with a limit, for the engine's process alone. The
 * page cache it fills counts in the limit, so the cliff behind it is seen with small files.
 */
struct ram_limit {
	char dir[256];		/* "" without one */
	int procs;		/* its cgroup.procs, for who enters; -1 without */
};

/* Make it, with the first version of control groups or the second; 0 bytes: none. */
int ram_open(struct ram_limit *r, uint64_t bytes, struct err *e);
void ram_close(struct ram_limit *r);	/* all who were inside have ended */

/* Remove those whose makers were killed. */
void ram_sweep(void);

enum { RAM_LEAST_MIB = 32 };	/* the engine's own buffers must fit */

#endif
