/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statistics - one series of runs: how sure its range is, whether it drifts, what lies far
 * off, and whether another run is worth it. Comparing two is in statistics-two.c.
 */
#include "bench/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "bench/bench.h"
#include "bench/ranks.h"

enum { EXACT_ORDERS = 9 };	/* 9! orders are tried in a few ms */

double stats_confidence(size_t n)
{
	return n ? 1 - 2 * pow(0.5, (double)n) : 0;
}

void stats_confidence_words(size_t n, struct sbuf *out)
{
	if (n < 2)
		sbuf_addf(out, "%zu run%s: nothing is known of the spread", n, n == 1 ? "" : "s");
	else
		sbuf_addf(out, "%zu runs: lowest to highest holds the true median with %.1f %%%s", n,
			  /* never round up to certainty */
			  fmin(99.9, 100 * stats_confidence(n)), n < 6 ? ", below 95 %" : "");
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double *sorted_copy(const double *values, size_t n)
{
	double *copy = malloc((n ? n : 1) * sizeof(*copy));

	if (!copy)
		die("no memory");
	if (n) {
		memcpy(copy, values, n * sizeof(*copy));
		qsort(copy, n, sizeof(*copy), ascending);
	}
	return copy;
}

/*
 * The k-th lowest to the k-th highest misses the true median when fewer than k of n runs
 * fall on one side of it: twice the lower tail of n tosses of a coin.
 */
double stats_median_interval(const double *values, size_t n, double level, double *low,
			     double *high)
{
	double *sorted, tail = 0, toss = pow(0.5, (double)n), sure = 0;
	size_t k, found = 0;

	*low = *high = NAN;
	for (k = 1; 2 * k <= n; k++) {
		tail += toss;		/* P(fewer than k on one side) */
		if (1 - 2 * tail < level)
			break;
		sure = 1 - 2 * tail;
		found = k;
		toss *= (double)(n - k + 1) / (double)k;
	}
	if (!found)
		return 0;
	sorted = sorted_copy(values, n);
	*low = sorted[found - 1];
	*high = sorted[n - found];
	free(sorted);
	return sure;
}

unsigned *ranks_twice(const double *values, size_t n)
{
	unsigned *rank = calloc(n ? n : 1, sizeof(*rank));
	size_t i, k;

	if (!rank)
		die("no memory");
	for (i = 0; i < n; i++) {
		for (k = 0; k < n; k++) {
			if (values[k] < values[i])
				rank[i] += 2;
			else if (values[k] <= values[i])	/* equal, itself too */
				rank[i] += 1;
		}
		rank[i] += 1;
	}
	return rank;
}

/* Sum of place times rank; the rest of Spearman's coefficient is the same for all orders. */
static long long order_sum(const unsigned *rank, size_t n)
{
	long long sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += (long long)(i + 1) * rank[i];
	return sum;
}

/* Try every order (Heap's way): how many lie at least as far from no drift as `seen`. */
static double exact_orders(unsigned *rank, size_t n, long long centre, long long seen)
{
	size_t c[EXACT_ORDERS] = { 0 }, i = 0;
	double far = 0, all = 1;

	if (llabs(order_sum(rank, n) * 2 - centre) >= seen)
		far++;
	while (i < n) {
		size_t with = i % 2 ? c[i] : 0;
		unsigned swap;

		if (c[i] >= i) {
			c[i++] = 0;
			continue;
		}
		swap = rank[with];
		rank[with] = rank[i];
		rank[i] = swap;
		all++;
		if (llabs(order_sum(rank, n) * 2 - centre) >= seen)
			far++;
		c[i]++;
		i = 0;
	}
	return far / all;
}

/* Both tails of Student's t beyond t. With t = sqrt(df) tan(x) the density is cos(x)^(df-1). */
static double student_tails(double t, double df)
{
	const int steps = 2000;
	double from = atan(fabs(t) / sqrt(df)), to = acos(0), part = 0, whole = 0;
	int i;

	for (i = 0; i <= steps; i++) {
		double weight = i == 0 || i == steps ? 1 : i % 2 ? 4 : 2;

		part += weight * pow(cos(from + (to - from) * i / steps), df - 1);
		whole += weight * pow(cos(to * i / steps), df - 1);
	}
	return part * (to - from) / (whole * to);
}

double stats_drift(const double *values, size_t n, double *p)
{
	unsigned *rank = ranks_twice(values, n);
	double mean = ((double)n + 1) / 2, xy = 0, xx = 0, yy = 0, rho = 0;
	size_t i;

	*p = 1;
	for (i = 0; i < n; i++) {
		double x = (double)(i + 1) - mean, y = rank[i] / 2.0 - mean;

		xy += x * y;
		xx += x * x;
		yy += y * y;
	}
	if (xx > 0 && yy > 0) {
		/* of all orders, the sums lie around n * mean * (2 * mean), taken twice here */
		long long centre = (long long)n * (long long)(n + 1) * (long long)(n + 1);

		rho = fmax(-1, fmin(1, xy / sqrt(xx * yy)));
		if (n <= EXACT_ORDERS)
			*p = exact_orders(rank, n, centre,
					  llabs(order_sum(rank, n) * 2 - centre));
		else if (fabs(rho) >= 1)
			*p = 0;
		else
			*p = student_tails(rho * sqrt((double)(n - 2) / (1 - rho * rho)),
					   (double)n - 2);
	}
	free(rank);
	return rho;
}

bool stats_drifts(const double *values, size_t n)
{
	struct stats early, late;
	double p;

	if (n < 5)
		return false;
	stats_drift(values, n, &p);
	stats_of(values, n / 2, &early);
	stats_of(values + (n + 1) / 2, n / 2, &late);
	return p < 0.05 && fabs(late.median - early.median) >= 0.03 * fabs(early.median);
}

size_t stats_outliers(const double *values, size_t n, bool *marked)
{
	double *off = calloc(n ? n : 1, sizeof(*off));
	struct stats all, around;
	size_t i, count = 0;

	if (!off)
		die("no memory");
	stats_of(values, n, &all);
	for (i = 0; i < n; i++)
		off[i] = fabs(values[i] - all.median);
	stats_of(off, n, &around);
	for (i = 0; i < n; i++) {
		/* when most runs are equal to the digit, 3 % off is far */
		double far = around.median > 0 ? 3.5 * around.median / 0.6745 :
						 0.03 * fabs(all.median);

		marked[i] = n > 2 && off[i] > far;
		count += marked[i];
	}
	free(off);
	return count;
}

unsigned stats_flags(const double *values, size_t n)
{
	bool *marked = calloc(n ? n : 1, sizeof(*marked));
	unsigned flags = n && n < FEW_RUNS ? FLAG_FEW : 0;

	if (!marked)
		die("no memory");
	if (stats_drifts(values, n))
		flags |= FLAG_DRIFT;
	if (stats_outliers(values, n, marked))
		flags |= FLAG_OUTLIER;
	free(marked);
	return flags;
}

enum repeat stats_repeat(const struct repeat_rule *rule, const double *values, size_t n)
{
	struct stats s;
	double low, high;

	if (n >= rule->most)
		return REPEAT_CAP;
	if (n < rule->least || stats_median_interval(values, n, 0.95, &low, &high) <= 0)
		return REPEAT_MORE;
	stats_of(values, n, &s);
	return high - low <= rule->width * s.median ? REPEAT_SURE : REPEAT_MORE;
}
