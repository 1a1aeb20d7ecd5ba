/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_COPY_H
#define BENCH_COPY_H

#include <stdint.h>

struct err;

/*
 * Copy what is there already: a file, or a tree with its directories, links, modes and
 * times. Plain read() and write(); threads share the directories among themselves.
 */
struct copied {
	uint64_t files, bytes;
};

/* `to` must not exist. threads: 1 or more. What failed is the first failure. */
int copy_path(const char *from, const char *to, unsigned threads, struct copied *out,
	      struct err *e);

#endif
