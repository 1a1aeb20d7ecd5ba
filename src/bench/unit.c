/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unit - what the rates of an event or a stored result count, and how they are written. */
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "bench/ops.h"

static const struct bench_unit units[] = {
	{ "bytes", "MB/s", "bps", 1e6, false }, { "files", "files/s", "rate", 1, true },
	{ "ops", "ops/s", "rate", 1, true }, { "seeks", "seeks/s", "rate", 1, true },
	{ "seconds", "s", "rate", 1, true },	/* of a build: the less the better */
};

const struct bench_unit *bench_unit_find(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(units[i].word, word))
			return &units[i];
	}
	return NULL;
}

const struct bench_unit *bench_unit(const json_t *event)
{
	const char *word = json_str(event, "unit");
	const struct bench_unit *u = bench_unit_find(word ? word : "bytes");

	return u ? u : bench_unit_find("ops");	/* of a newer naslab: counted anyhow */
}

const struct bench_unit *bench_op_unit(const char *op)
{
	const char *word = "bytes";
	int i;

	for (i = 0; i < BENCH_OPS; i++) {
		if (!strcmp(op_of((enum bench_op)i)->word, op) && op_of((enum bench_op)i)->counts)
			word = op_of((enum bench_op)i)->counts;
	}
	return bench_unit_find(word);
}

double bench_rate(const json_t *event, const char *which, bool durable)
{
	char key[48];
	const json_t *v;

	snprintf(key, sizeof(key), "%s%s%s%s", durable ? "durable_" : "", which,
		 *which ? "_" : "", bench_unit(event)->key);
	v = json_object_get(event, key);
	return json_is_number(v) ? json_number_value(v) : NAN;
}

const char *bench_scaled_text(char buf[SIZE_TEXT], const struct bench_unit *u, double rate)
{
	return u->counts ? number_text(buf, rate) : plain_number_text(buf, rate);
}

const char *bench_rate_text(char buf[SIZE_TEXT], const struct bench_unit *u, double rate)
{
	if (isnan(rate))
		return strcpy(buf, "-");	/* a published range has no median */
	return bench_scaled_text(buf, u, rate / u->one);
}

const char *bench_range_text(char buf[2 * SIZE_TEXT], const struct bench_unit *u, double min,
			     double max)
{
	char low[SIZE_TEXT], high[SIZE_TEXT];
	size_t end;

	bench_rate_text(low, u, min);
	bench_rate_text(high, u, max);
	end = strlen(low) - 1;
	/* "12.3-14.1k": the letter once when both have it */
	if (strchr("kMG", low[end]) && low[end] == high[strlen(high) - 1])
		low[end] = '\0';
	snprintf(buf, 2 * SIZE_TEXT, "%s-%s", low, high);
	return buf;
}
