/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_STATISTICS_H
#define BENCH_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

struct sbuf;

/*
 * What a few runs are worth. Nothing here assumes a distribution, nothing is random: where
 * it can be counted exactly it is, and no run is ever dropped. Pure.
 */

/* How sure it is that the true median lies between lowest and highest of n runs: 1-2*(1/2)^n. */
double stats_confidence(size_t n);

/* In words: "7 runs: lowest to highest holds the true median with 98.4 %". */
void stats_confidence_words(size_t n, struct sbuf *out);

/*
 * The narrowest interval of order statistics that holds the true median with at least
 * `level` (0.95). Returns how sure it is; 0 when there are too few values for that level.
 */
double stats_median_interval(const double *values, size_t n, double level, double *low,
			     double *high);

enum verdict { VERDICT_UNSURE, VERDICT_EQUAL, VERDICT_REAL };

struct comparison {	/* of b with a */
	double ratio;		/* median of b to median of a */
	double low, high;	/* 95 % of the bootstrap of that ratio */
	double p;		/* Mann-Whitney, two-sided; exact up to 100 runs in all */
	bool apart;		/* no run of one reaches a run of the other */
	enum verdict verdict;
	size_t runs_needed;	/* unsure: runs of each that could tell; 0: more than 100 */
};

void stats_compare(const double *a, size_t na, const double *b, size_t nb, struct comparison *out);
const char *verdict_word(enum verdict v);	/* "unsure", "equal", "real" */

/* "real, p = 0.0006: no run of A reaches a run of B" */
void stats_compare_words(const struct comparison *c, size_t na, size_t nb, struct sbuf *out);

/* The two-sided p of the rank sum of a in both; exact, ties share their rank. */
double stats_rank_p(const double *a, size_t na, const double *b, size_t nb);

/*
 * Drift: Spearman's rank correlation of the order the runs came in with their values.
 * p is exact up to 9 runs (every order is tried), by Student's t beyond.
 */
double stats_drift(const double *values, size_t n, double *p);

/*
 * Does it drift so that it matters? At least 5 runs, p below 0.05, and the medians of the
 * earlier and the later half 3 % or more apart: less is called equal everywhere else too.
 */
bool stats_drifts(const double *values, size_t n);

/* Mark what lies far off: more than 3.5 times the median deviation (Iglewicz, Hoaglin). */
size_t stats_outliers(const double *values, size_t n, bool *marked);

/* What a series is marked with for its own sake: FLAG_FEW, FLAG_DRIFT, FLAG_OUTLIER. */
unsigned stats_flags(const double *values, size_t n);

/*
 * Adaptive repetition: is another run worth it? Ends when the 95 % interval of the median
 * is at most `width` of the median wide, or at the cap.
 */
struct repeat_rule {
	double width;		/* 0.05: five per cent */
	size_t least, most;	/* runs */
};
enum repeat { REPEAT_MORE, REPEAT_SURE, REPEAT_CAP };
enum repeat stats_repeat(const struct repeat_rule *rule, const double *values, size_t n);

#endif
