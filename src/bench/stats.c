/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats - the few numbers a bar needs. For n independent runs the range from lowest to
 * highest holds the true median with probability 1 - 2 * (1/2)^n, whatever the
 * distribution: 98 % for 7 runs. So the bar is its own confidence interval.
 */
#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void stats_of(const double *values, size_t n, struct stats *out)
{
	double *sorted;

	*out = (struct stats){ .n = n };
	if (!n)
		return;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		die("no memory");
	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), ascending);
	out->min = sorted[0];
	out->max = sorted[n - 1];
	out->median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
	free(sorted);
}
