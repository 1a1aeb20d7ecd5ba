/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "bench/bench.h"

struct arena;
struct report_filter;

/* What the files of this room share about one result. */

enum { DATE_TEXT = 40 };

/* "min", "median" or "max" as the result has it; NAN when it is not known. */
double result_rate(const json_t *result, const char *which, bool durable);
double result_scale(const json_t *result);
bool result_has_flag(const json_t *result, const char *word);
const char *result_str(const json_t *result, const char *key);	/* never NULL */
/* Its name in a picture: a campaign's cell has a shorter one than the layout's line. */
const char *result_label(const json_t *result);
bool result_reads(const json_t *result);	/* what was in the cache before matters */
/* The place of an operation in a round; BENCH_OPS: none that is known here. */
enum bench_op op_find(const char *word);
const char *result_engine(const json_t *result);	/* who copied; "" when it is not told */
size_t result_runs(const json_t *result);
const char *result_date(const json_t *result, char buf[DATE_TEXT]);
bool result_passes(const json_t *result, const struct report_filter *f);


#endif
