/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statistics-two - is one series of runs faster than another? The rank sum of every
 * possible split of the runs is counted, not approximated; and the interval of the ratio is
 * the bootstrap's own distribution, computed instead of drawn: how likely each order
 * statistic is to be the median of a resample is a matter of binomials.
 */
#include "bench/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "bench/bench.h"
#include "bench/ranks.h"

enum { EXACT_RUNS = 100, MOST_RUNS = 100 };

static const double alpha = 0.05, level = 0.95, same = 0.03;

static void *room(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		die("no memory");
	return p;
}

/* For large series: the normal law, with the ties' correction and half a rank of slack. */
static double normal_p(const unsigned *rank, size_t na, size_t nb, double off)
{
	double n = (double)(na + nb), mean = n + 1, squares = 0, sd;
	size_t i;

	for (i = 0; i < na + nb; i++)
		squares += (rank[i] - mean) * (rank[i] - mean);
	sd = sqrt((double)na * (double)nb / (n * (n - 1)) * squares);
	return sd > 0 ? fmin(1, erfc(fmax(0, off - 1) / sd / sqrt(2))) : 1;
}

/* Of all choices of na of the runs: the share whose rank sum lies as far off as this one. */
static double exact_p(const unsigned *rank, size_t na, size_t nb, double off)
{
	size_t n = na + nb, sums = 2 * n * n + 1, i, k, s;
	double *ways = room((na + 1) * sums, sizeof(*ways)), far = 0, all = 0;
	double centre = (double)na * (double)(n + 1);

	ways[0] = 1;
	for (i = 0; i < n; i++) {
		for (k = i < na ? i + 1 : na; k > 0; k--) {
			for (s = rank[i]; s < sums; s++)
				ways[k * sums + s] += ways[(k - 1) * sums + s - rank[i]];
		}
	}
	for (s = 0; s < sums; s++) {
		all += ways[na * sums + s];
		if (fabs((double)s - centre) >= off)
			far += ways[na * sums + s];
	}
	free(ways);
	return fmin(1, far / all);
}

double stats_rank_p(const double *a, size_t na, const double *b, size_t nb)
{
	size_t n = na + nb, i;
	double *both = room(n, sizeof(*both)), sum = 0, off, p;
	unsigned *rank;

	if (na)
		memcpy(both, a, na * sizeof(*a));
	if (nb)
		memcpy(both + na, b, nb * sizeof(*b));
	rank = ranks_twice(both, n);
	for (i = 0; i < na; i++)
		sum += rank[i];
	off = fabs(sum - (double)na * (double)(n + 1));
	if (!na || !nb)
		p = 1;
	else
		p = n <= EXACT_RUNS ? exact_p(rank, na, nb, off) : normal_p(rank, na, nb, off);
	free(rank);
	free(both);
	return p;
}

/* The medians a resample can have, with how likely each is. */
struct medians {
	struct outcome {
		double value, chance;
	} *at;
	size_t n;
};

static double choose(size_t n, size_t k)
{
	return exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1));
}

/* P(at least m of n draws are among the lowest i of n). */
static double at_least(size_t n, size_t m, size_t i)
{
	double share = (double)i / (double)n, sum = 0;
	size_t k;

	for (k = m; k <= n; k++)
		sum += choose(n, k) * pow(share, (double)k) * pow(1 - share, (double)(n - k));
	return fmin(1, sum);
}

static int by_value(const void *a, const void *b)
{
	double x = ((const struct outcome *)a)->value, y = ((const struct outcome *)b)->value;

	return (x > y) - (x < y);
}

static double power_step(size_t n, size_t i, size_t m)
{
	return pow((double)i / (double)n, (double)m) - pow((double)(i - 1) / (double)n, (double)m);
}

/*
 * An odd number of draws has one middle. An even one has two: they are i and k when m draws
 * lie at or below i, one of them there, and m at or above k, one of them there.
 */
static void resampled(const double *values, size_t n, struct medians *out)
{
	double *x = sorted_copy(values, n);
	size_t m = (n + 1) / 2, i, k;

	out->n = 0;
	out->at = room(n % 2 ? n : n * (n + 1) / 2, sizeof(*out->at));
	for (i = 1; i <= n; i++) {
		double here = at_least(n, m, i) - at_least(n, m, i - 1), apart = 0;

		for (k = i + 1; n % 2 == 0 && k <= n; k++) {
			double chance = choose(n, m) * power_step(n, i, m) *
					power_step(n, n - k + 1, m);

			out->at[out->n++] = (struct outcome){ (x[i - 1] + x[k - 1]) / 2, chance };
			apart += chance;
		}
		out->at[out->n++] = (struct outcome){ x[i - 1], fmax(0, here - apart) };
	}
	qsort(out->at, out->n, sizeof(*out->at), by_value);
	free(x);
}

/* P(median of b <= ratio * median of a); both sorted. */
static double ratio_below(const struct medians *a, const struct medians *b, double ratio)
{
	double sum = 0, below = 0;
	size_t i, k = 0;

	for (i = 0; i < a->n; i++) {
		while (k < b->n && b->at[k].value <= ratio * a->at[i].value)
			below += b->at[k++].chance;
		sum += a->at[i].chance * below;
	}
	return sum;
}

/* The least ratio that `share` of the resamples do not exceed. */
static double ratio_at(const struct medians *a, const struct medians *b, double share)
{
	double low = 0, high = b->at[b->n - 1].value / a->at[0].value * (1 + 1e-12);
	int i;

	for (i = 0; i < 100; i++) {
		double mid = (low + high) / 2;

		*(ratio_below(a, b, mid) >= share ? &high : &low) = mid;
	}
	return high;
}

/* Noether: runs of each for a rank test to see this effect four times of five. */
static size_t runs_that_tell(const double *a, size_t na, const double *b, size_t nb)
{
	double above = 0, off, need;
	size_t i, k, least = na < nb ? na : nb;

	for (i = 0; i < na; i++) {
		for (k = 0; k < nb; k++)
			above += b[k] > a[i] ? 1 : b[k] < a[i] ? 0 : 0.5;
	}
	off = above / ((double)na * (double)nb) - 0.5;
	need = ceil((1.95996 + 0.84162) * (1.95996 + 0.84162) / (6 * off * off));
	if (!(need <= MOST_RUNS))
		return 0;
	return need > (double)least ? (size_t)need : least + 1;
}

void stats_compare(const double *a, size_t na, const double *b, size_t nb, struct comparison *out)
{
	struct stats sa, sb;
	struct medians ma, mb;

	*out = (struct comparison){ .ratio = NAN, .low = NAN, .high = NAN, .p = 1 };
	stats_of(a, na, &sa);
	stats_of(b, nb, &sb);
	if (!na || !nb || !(sa.min > 0) || !(sb.min > 0))
		return;
	out->ratio = sb.median / sa.median;
	resampled(a, na, &ma);
	resampled(b, nb, &mb);
	out->low = ratio_at(&ma, &mb, (1 - level) / 2);
	out->high = ratio_at(&ma, &mb, (1 + level) / 2);
	free(ma.at);
	free(mb.at);
	out->p = stats_rank_p(a, na, b, nb);
	out->apart = sa.max < sb.min || sb.max < sa.min;
	if (out->p < alpha && (out->low > 1 || out->high < 1))
		out->verdict = VERDICT_REAL;
	else if (fabs(out->ratio - 1) < same && 2 / choose(na + nb, na) < alpha)
		out->verdict = VERDICT_EQUAL;	/* these many runs could have shown one */
	else
		out->runs_needed = runs_that_tell(a, na, b, nb);
}

const char *verdict_word(enum verdict v)
{
	static const char *const words[] = {
		[VERDICT_UNSURE] = "unsure", [VERDICT_EQUAL] = "equal", [VERDICT_REAL] = "real",
	};

	return words[v];
}

void stats_compare_words(const struct comparison *c, size_t na, size_t nb, struct sbuf *out)
{
	if (isnan(c->ratio)) {
		sbuf_add(out, "no runs to compare");
		return;
	}
	sbuf_addf(out, "%s, p = %.*g", verdict_word(c->verdict), c->p < 0.001 ? 1 : 2, c->p);
	if (c->verdict == VERDICT_EQUAL) {
		sbuf_add(out, ": below 3 % and not shown apart");
	} else if (c->verdict == VERDICT_REAL) {
		if (c->apart)
			sbuf_add(out, ": no run of one reaches a run of the other");
	} else {
		sbuf_addf(out, ": %zu and %zu run%s do not show a difference, ", na, nb,
			  na + nb == 2 ? "" : "s");
		if (c->runs_needed)
			sbuf_addf(out, "about %zu of each could", c->runs_needed);
		else
			sbuf_add(out, "nor would 100 of each");
	}
}
