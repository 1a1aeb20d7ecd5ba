/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_OUTSIDE_H
#define BENCH_OUTSIDE_H

#include <stdint.h>

#include "bench/session.h"

/* What the runs share that other programs make: sends.c, rsync.c. */

/* Processor time of ours and of every child that has ended. */
uint64_t outside_cpu_ns(void);
uint64_t outside_memory(void);		/* bytes that are available, as the kernel guesses */
/* Has a timed run (m) taken as long as its workload allows? Notes that it was cut. */
bool outside_over(const struct class *c, struct measured *m, const struct watch *watch);
/* Wait until what is in dir is on the disks, and go on looking meanwhile. */
int outside_durable(struct session *s, const struct class *c, int dir, struct measured *m,
		    struct watch *watch, uint64_t bytes, struct err *e);
/* The last line of what a program said, fit for a sentence. */
struct sbuf;
void outside_last_line(const struct sbuf *said, struct sbuf *out);

#endif
