/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_RANKS_H
#define BENCH_RANKS_H

#include <stddef.h>

/* What the two files of statistics share. The caller frees. */

double *sorted_copy(const double *values, size_t n);

/* Twice the rank of each value, from 2; equal ones share the mean of theirs. */
unsigned *ranks_twice(const double *values, size_t n);

#endif
