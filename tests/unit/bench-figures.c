/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of times and rates: their ranks, and how they are shown. */
#include "bench-help.h"

#include <math.h>

#include <jansson.h>

#include "base/units.h"
#include "bench/child.h"

static void ranks_are_the_nearest(void **state)
{
	/* of the numbers 1 to n, shuffled: the nearest rank of p is the number ceil(p n / 100) */
	static const size_t sizes[] = { 1, 2, 3, 7, 99, 100, 101, 1000, 12345 };
	size_t k, i;

	(void)state;
	for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		uint64_t p50 = 0, p99 = 0, max = 0, n = sizes[k];
		struct times t = { 0 }, one = { 0 };

		times_add(&one, n);
		for (i = n - 1; i > 0; i--)
			times_add(&t, i);
		times_join(&t, &one);
		assert_int_equal(t.n, n);
		times_ranks(&t, &p50, &p99, &max);
		assert_int_equal(p50, (uint64_t)ceil((double)n * 0.50 - 1e-9));
		assert_int_equal(p99, (uint64_t)ceil((double)n * 0.99 - 1e-9));
		assert_int_equal(max, n);
		free(t.ns);
		free(one.ns);
	}
}

static void units_are_told_apart(void **state)
{
	static const struct {
		const char *json, *text, *median, *durable, *range;
	} cases[] = {
		{ "{\"median_bps\":118400000,\"min_bps\":1230,\"max_bps\":120000000}",
		  "MB/s", "118", "-", "0.00123-120" },
		{ "{\"unit\":\"bytes\",\"median_bps\":1500000,\"durable_median_bps\":900000,"
		  "\"min_bps\":1,\"max_bps\":2e6}", "MB/s", "1.50", "0.900", "0.00000100-2.00" },
		{ "{\"unit\":\"files\",\"median_rate\":12345.6,\"min_rate\":12100,\"max_rate\":13e3}",
		  "files/s", "12.3k", "-", "12.1-13.0k" },
		{ "{\"unit\":\"ops\",\"median_rate\":0.0512,\"min_rate\":0.04,\"max_rate\":1e6}",
		  "ops/s", "0.0512", "-", "0.0400-1.00M" },
		{ "{\"unit\":\"seeks\",\"median_rate\":612.6,\"min_rate\":999,\"max_rate\":10000}",
		  "seeks/s", "613", "-", "999-10.0k" },
		{ "{\"unit\":\"moons\",\"median_rate\":3,\"min_rate\":3,\"max_rate\":3}",
		  "ops/s", "3.00", "-", "3.00-3.00" },
	};
	char buf[2 * SIZE_TEXT];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *j = json_loads(cases[i].json, 0, NULL);
		const struct bench_unit *u = bench_unit(j);

		assert_non_null(j);
		assert_string_equal(u->text, cases[i].text);
		assert_string_equal(bench_rate_text(buf, u, bench_rate(j, "median", false)),
				    cases[i].median);
		assert_string_equal(bench_rate_text(buf, u, bench_rate(j, "median", true)),
				    cases[i].durable);
		assert_string_equal(bench_range_text(buf, u, bench_rate(j, "min", false),
						     bench_rate(j, "max", false)), cases[i].range);
		json_decref(j);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_are_the_nearest),
		cmocka_unit_test(units_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
