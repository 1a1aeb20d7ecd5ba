/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_RESULT_H
#define BENCH_RESULT_H

/* What the store keeps of a measurement: the runs of one operation, a series, and their result. */
#include "bench/session.h"

/* series.c: one more run. */
void series_add(struct series *r, const struct measured *m);
void series_add_streams(struct series *r, const struct engine_result *copy);
double series_rate(uint64_t n, uint64_t ns);	/* of n in so many ns, a second */

/* What a result says about how it came about, enough to repeat it; and with the numbers of its
 * series as far as it is. */
json_t *result_new(const struct session *s, const struct class *c, enum bench_op op);
json_t *result_json(const struct session *s, const struct class *c, enum bench_op op, bool partial);
/* Write a series as far as it is, or one that no cell will count. */
int result_keep(struct session *s, struct class *c, enum bench_op op, struct err *e);
int result_aside(struct session *s, struct class *c, enum bench_op op, struct err *e);

/* Numbers that a result and a single run's event say in the same words. */
void say_rate(json_t *j, const char *which, enum bench_op op, double rate);
void say_unit(json_t *j, enum bench_op op);
void say_latency(json_t *j, uint64_t p50, uint64_t p99, uint64_t max);
/* The steps of a loop; their sums over n runs become one run's, their longest stays. */
void say_steps(json_t *j, const struct engine_step *steps, unsigned n_steps, unsigned n);
void say_cpu(json_t *j, uint64_t cpu_ns, uint64_t ns);	/* of one processor */
void say_streams(json_t *j, const struct series *r);
const char *say_cache(const struct session *s, const struct class *c, enum bench_op op);

#endif
