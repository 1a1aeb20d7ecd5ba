/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics against what is known: counting everything here, in the plainest way, and
 * figures that textbooks and the R manual print (Hollander and Wolfe's data).
 */
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/sbuf.h"
#include "bench/bench.h"
#include "bench/statistics.h"

static void assert_near(double got, double want, double slack)
{
	if (!(fabs(got - want) <= slack))
		fail_msg("%.10g instead of %.10g", got, want);
}

static double median_of(const double *v, size_t n)
{
	double x[16];
	size_t i, k;

	for (i = 0; i < n; i++) {	/* insertion: not the way of the product */
		for (k = i; k > 0 && x[k - 1] > v[i]; k--)
			x[k] = x[k - 1];
		x[k] = v[i];
	}
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* Toss n coins in every way: the range misses when all fall on one side. */
static void range_confidence(void **state)
{
	size_t n;

	(void)state;
	for (n = 1; n <= 12; n++) {
		unsigned miss = 0, all = 1u << n, ways;

		for (ways = 0; ways < all; ways++)
			miss += ways == 0 || ways == all - 1;
		assert_near(stats_confidence(n), 1 - (double)miss / all, 1e-12);
	}
	assert_near(stats_confidence(7), 0.984375, 0);
	assert_near(stats_confidence(0), 0, 0);
}

/* The interval of order statistics: again by tossing coins in every way. */
static void median_interval(void **state)
{
	double v[14], low, high;
	size_t n, k;

	(void)state;
	for (n = 1; n <= 14; n++) {
		double best = 0;
		size_t best_k = 0;

		for (k = 1; 2 * k <= n; k++) {
			unsigned miss = 0, ways;

			for (ways = 0; ways < 1u << n; ways++) {
				size_t ones = (size_t)__builtin_popcount(ways);

				miss += ones < k || n - ones < k;
			}
			if (1 - (double)miss / (1u << n) >= 0.95) {
				best = 1 - (double)miss / (1u << n);
				best_k = k;
			}
		}
		for (k = 0; k < n; k++)
			v[k] = (double)((k * 5) % n);	/* 0 to n - 1 when 5 does not divide n */
		if (n % 5 == 0)
			for (k = 0; k < n; k++)
				v[k] = (double)(n - 1 - k);
		assert_near(stats_median_interval(v, n, 0.95, &low, &high), best, 1e-12);
		if (best_k) {
			assert_near(low, (double)(best_k - 1), 0);
			assert_near(high, (double)(n - best_k), 0);
		} else {
			assert_true(isnan(low) && isnan(high));
		}
	}
}

/* Every split of the runs, by bit masks; ties share their rank. */
static double plain_rank_p(const double *a, size_t na, const double *b, size_t nb)
{
	double both[16], rank[16], seen = 0, centre = 0;
	size_t n = na + nb, i, k;
	unsigned ways;
	double far = 0, all = 0;

	for (i = 0; i < n; i++)
		both[i] = i < na ? a[i] : b[i - na];
	for (i = 0; i < n; i++) {
		double below = 0, equal = 0;

		for (k = 0; k < n; k++) {
			below += both[k] < both[i];
			equal += both[k] == both[i];
		}
		rank[i] = below + (equal + 1) / 2;
		centre += rank[i] * (double)na / (double)n;
		seen += i < na ? rank[i] : 0;
	}
	for (ways = 0; ways < 1u << n; ways++) {
		double sum = 0;

		if ((size_t)__builtin_popcount(ways) != na)
			continue;
		for (i = 0; i < n; i++)
			sum += ways >> i & 1 ? rank[i] : 0;
		all++;
		far += fabs(sum - centre) >= fabs(seen - centre) - 1e-9;
	}
	return far / all;
}

static const double seven_low[] = { 17.4, 16.1, 18.9, 17.0, 17.6, 17.2, 18.1 };
static const double seven_high[] = { 246, 229, 258, 240, 251, 244, 263 };

static void rank_test(void **state)
{
	/* permeability of membranes, the example of R's wilcox.test */
	static const double term[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 };
	static const double early[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };
	static const double tied_a[] = { 1, 2, 2, 3, 3, 3 }, tied_b[] = { 2, 3, 3, 4, 5 };
	static const double same[] = { 4, 4, 4, 4 };
	double p;

	(void)state;
	p = stats_rank_p(term, 10, early, 5);
	assert_near(p, plain_rank_p(term, 10, early, 5), 1e-12);
	assert_near(p, 2 * 0.1272, 0.0001);	/* as R prints the one-sided p */
	/* 7 and 7 wholly apart: 2 of C(14, 7) = 3432 */
	assert_near(stats_rank_p(seven_low, 7, seven_high, 7), 2.0 / 3432, 1e-15);
	assert_near(stats_rank_p(seven_high, 7, seven_low, 7), 2.0 / 3432, 1e-15);
	assert_near(stats_rank_p(tied_a, 6, tied_b, 5), plain_rank_p(tied_a, 6, tied_b, 5), 1e-12);
	assert_near(stats_rank_p(same, 4, same, 4), 1, 0);
	assert_near(stats_rank_p(seven_low, 1, seven_high, 1), 1, 0);
	assert_near(stats_rank_p(seven_low, 0, seven_high, 7), 1, 0);
}

/* 60 and 60: beyond counting. The normal law must be near what 50 and 50 counted give. */
static void rank_test_large(void **state)
{
	double a[60], b[60], exact, normal;
	size_t i;

	(void)state;
	for (i = 0; i < 60; i++) {
		a[i] = (double)((i * 37) % 101);
		b[i] = (double)((i * 53) % 103) + 12.5;
	}
	exact = stats_rank_p(a, 50, b, 50);
	normal = stats_rank_p(a, 50, b, 51);
	assert_true(exact > 0.001 && exact < 0.9);
	assert_near(normal, exact, 0.02 + exact / 4);
	assert_near(stats_rank_p(a, 60, a, 60), 1, 1e-9);
}

static int up(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* All resamples of both, one after the other: n^n each. */
static void plain_bootstrap(const double *a, size_t na, const double *b, size_t nb, double *low,
			    double *high)
{
	size_t ways_a = (size_t)pow((double)na, (double)na), i, k, d;
	size_t ways_b = (size_t)pow((double)nb, (double)nb);
	double *ratio = malloc(ways_a * ways_b * sizeof(*ratio)), x[16], y[16];

	assert_non_null(ratio);
	for (i = 0; i < ways_a; i++) {
		size_t left = i;

		for (d = 0; d < na; d++, left /= na)
			x[d] = a[left % na];
		for (k = 0; k < ways_b; k++) {
			left = k;
			for (d = 0; d < nb; d++, left /= nb)
				y[d] = b[left % nb];
			ratio[i * ways_b + k] = median_of(y, nb) / median_of(x, na);
		}
	}
	qsort(ratio, ways_a * ways_b, sizeof(*ratio), up);
	*low = ratio[(size_t)ceil(0.025 * (double)(ways_a * ways_b)) - 1];
	*high = ratio[(size_t)ceil(0.975 * (double)(ways_a * ways_b)) - 1];
	free(ratio);
}

static void ratio_interval(void **state)
{
	static const double a[] = { 101, 97, 113, 104 }, b[] = { 190, 229, 212, 205 };
	static const size_t sizes[][2] = { { 1, 1 }, { 2, 3 }, { 3, 3 }, { 4, 3 }, { 3, 4 }, { 4, 4 } };
	struct comparison c;
	double low, high;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t na = sizes[i][0], nb = sizes[i][1];

		stats_compare(a, na, b, nb, &c);
		plain_bootstrap(a, na, b, nb, &low, &high);
		assert_near(c.ratio, median_of(b, nb) / median_of(a, na), 1e-12);
		assert_near(c.low, low, 1e-9);
		assert_near(c.high, high, 1e-9);
	}
}

static void verdicts(void **state)
{
	static const double base[] = { 100, 102, 98, 101, 99, 103, 97 };
	double other[7], many[40];
	struct comparison c;
	struct sbuf words = { 0 };
	size_t i;

	(void)state;
	stats_compare(seven_low, 7, seven_high, 7, &c);
	assert_int_equal(c.verdict, VERDICT_REAL);
	assert_true(c.apart);
	stats_compare_words(&c, 7, 7, &words);
	assert_string_equal(sbuf_str(&words),
			    "real, p = 0.0006: no run of one reaches a run of the other");
	for (i = 0; i < 7; i++)
		other[i] = base[i] * 1.01;
	stats_compare(base, 7, other, 7, &c);
	assert_int_equal(c.verdict, VERDICT_EQUAL);
	for (i = 0; i < 7; i++)		/* wide, 10 % above: could be anything */
		other[i] = 110 + (double)(i % 2 ? 1 : -1) * (double)i * 4;
	stats_compare(base, 7, other, 7, &c);
	assert_int_equal(c.verdict, VERDICT_UNSURE);
	assert_true(c.runs_needed > 7);
	/* 3 and 3 cannot show anything: the least p is 2/20 */
	stats_compare(base, 3, seven_high, 3, &c);
	assert_int_equal(c.verdict, VERDICT_UNSURE);
	assert_near(c.p, 0.1, 1e-12);
	/* Noether: (1.96 + 0.84)^2 / (6 * 0.5^2) = 5.2 */
	assert_int_equal(c.runs_needed, 6);
	stats_compare(base, 1, base, 1, &c);
	assert_int_equal(c.verdict, VERDICT_UNSURE);
	assert_int_equal(c.runs_needed, 0);
	/* 1 % is equal, unless it is proven */
	for (i = 0; i < 40; i++)
		many[i] = 100 + (double)(i % 20) / 100 + (i < 20 ? 0 : 1);
	stats_compare(many, 20, many + 20, 20, &c);
	assert_int_equal(c.verdict, VERDICT_REAL);
	stats_compare(base, 0, base, 7, &c);
	assert_true(isnan(c.ratio));
	other[0] = 0;
	stats_compare(other, 7, base, 7, &c);
	assert_true(isnan(c.ratio));
	sbuf_done(&words);
}

/* Spearman by trying every order in the plainest way: counting in base n. */
static double plain_order_p(const double *v, size_t n)
{
	size_t at[6], i, k, number, all = 1;
	double far = 0, orders = 0, seen = 0, centre = 0, rank[6];

	for (i = 0; i < n; i++) {
		rank[i] = 0.5;
		for (k = 0; k < n; k++)
			rank[i] += v[k] < v[i] ? 1 : v[k] == v[i] ? 0.5 : 0;
		seen += (double)(i + 1) * rank[i];
		all *= n;
	}
	centre = (double)n * pow((double)(n + 1) / 2, 2);
	for (number = 0; number < all; number++) {
		unsigned used = 0;
		double sum = 0;

		for (i = 0, k = number; i < n; i++, k /= n) {
			at[i] = k % n;
			used |= 1u << at[i];
			sum += (double)(i + 1) * rank[at[i]];
		}
		if (used != (1u << n) - 1)
			continue;
		orders++;
		far += fabs(sum - centre) >= fabs(seen - centre) - 1e-9;
	}
	return far / orders;
}

static void drift(void **state)
{
	static const double rising[] = { 1, 2, 3, 4, 5, 6, 7 };
	static const double mixed[] = { 10, 12, 11, 15, 13, 14 }, tied[] = { 5, 5, 6, 6, 4, 7 };
	static const double flat[] = { 3, 3, 3, 3 };
	/* tuna: lightness and panel score, put in the order of lightness; R: rho 0.6, p 0.0968 */
	static const double tuna[] = { 2.5, 4.0, 2.6, 3.6, 2.8, 3.1, 5.2, 5.0, 3.8 };
	double p, longer[30];
	size_t i;

	(void)state;
	assert_near(stats_drift(rising, 7, &p), 1, 1e-12);
	assert_near(p, 2.0 / 5040, 1e-12);
	stats_drift(mixed, 6, &p);
	assert_near(p, plain_order_p(mixed, 6), 1e-12);
	stats_drift(tied, 6, &p);
	assert_near(p, plain_order_p(tied, 6), 1e-12);
	assert_near(stats_drift(flat, 4, &p), 0, 0);
	assert_near(p, 1, 0);
	assert_near(stats_drift(tuna, 9, &p), 0.6, 1e-12);
	assert_near(p, 0.0968, 0.0001);
	/* Student's t with 28 degrees of freedom is 2.048 at 5 %: rho = t / sqrt(28 + t^2) */
	for (i = 0; i < 30; i++)
		longer[i] = (double)((i * 7) % 30);
	assert_true(fabs(stats_drift(longer, 30, &p)) < 0.361);
	assert_true(p > 0.05);
	for (i = 0; i < 30; i++)
		longer[i] = (double)i + (i % 2 ? 12 : -12);
	assert_true(stats_drift(longer, 30, &p) > 0.361);
	assert_true(p < 0.05);
}

static void outliers(void **state)
{
	/* median 118, deviations 0 1 1 2 2 3 60: their median is 2; 3.5 / 0.6745 * 2 = 10.4 */
	static const double one[] = { 118, 117, 119, 120, 116, 115, 58 };
	static const double none[] = { 118, 117, 119, 120, 116, 115, 108 };
	static const double still[] = { 5, 5, 5, 5, 5.1, 5.2 };
	bool marked[7];

	(void)state;
	assert_int_equal(stats_outliers(one, 7, marked), 1);
	assert_true(marked[6] && !marked[0]);
	assert_int_equal(stats_outliers(none, 7, marked), 0);
	assert_int_equal(stats_outliers(still, 6, marked), 1);
	assert_true(marked[5]);
	assert_int_equal(stats_outliers(one, 0, marked), 0);
}

static void repetition(void **state)
{
	static const double v[] = { 100, 104, 98, 101, 99, 103, 97, 100, 101, 100, 99 };
	static const struct repeat_rule wide = { 0.08, 3, 20 }, narrow = { 0.001, 3, 11 };

	(void)state;
	assert_int_equal(stats_repeat(&wide, v, 0), REPEAT_MORE);
	assert_int_equal(stats_repeat(&wide, v, 5), REPEAT_MORE);	/* no 95 % yet */
	assert_int_equal(stats_repeat(&wide, v, 6), REPEAT_SURE);	/* 98 to 104: 6 % */
	assert_int_equal(stats_repeat(&narrow, v, 10), REPEAT_MORE);
	assert_int_equal(stats_repeat(&narrow, v, 11), REPEAT_CAP);
}

/* What matters drifts: the order alone is not enough, the halves must be 3 % apart. */
static void drift_that_matters(void **state)
{
	static const struct {
		double values[7];
		size_t n;
		bool drifts;
	} cases[] = {
		{ { 100, 102, 104, 106, 108, 110, 112 }, 7, true },
		{ { 112, 110, 108, 106, 104, 102, 100 }, 7, true },
		{ { 100, 100.2, 100.4, 100.6, 100.8, 101, 101.2 }, 7, false },	/* in order, 1 % */
		{ { 100, 140, 90, 135, 95, 130, 92 }, 7, false },		/* far, no order */
		{ { 100, 110, 120, 130 }, 4, false },			/* too few */
		{ { 0 }, 0, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(stats_drifts(cases[i].values, cases[i].n), cases[i].drifts);
	assert_int_equal(stats_flags(cases[0].values, 7), FLAG_DRIFT);
	assert_int_equal(stats_flags((const double[]){ 10, 10.1, 9.9, 10, 30, 10.2, 9.8 }, 7),
			 FLAG_OUTLIER);
	assert_int_equal(stats_flags((const double[]){ 10, 10.1 }, 2), FLAG_FEW);
	assert_int_equal(stats_flags(NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drift_that_matters),
		cmocka_unit_test(range_confidence), cmocka_unit_test(median_interval),
		cmocka_unit_test(rank_test), cmocka_unit_test(rank_test_large),
		cmocka_unit_test(ratio_interval), cmocka_unit_test(verdicts),
		cmocka_unit_test(drift), cmocka_unit_test(outliers), cmocka_unit_test(repetition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
