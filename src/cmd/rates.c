/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rates - what bench says of a run and results of what is stored, in the same words. */
#include "cmd/rates.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *rate_text(char buf[SIZE_TEXT], const json_t *j, const char *which, bool durable)
{
	return bench_rate_text(buf, bench_unit(j), bench_rate(j, which, durable));
}

const char *mbps_text(char buf[SIZE_TEXT], const json_t *j, const char *key)
{
	return plain_number_text(buf, (double)json_u64(j, key, 0) / 1e6);
}

const char *ratio_text(char buf[SIZE_TEXT], const json_t *j)
{
	uint64_t bytes = json_u64(j, "run_bytes", json_u64(j, "bytes", 0));

	if (flags_read(json_object_get(j, "flags")) & FLAG_NODISK || !bytes)
		return strcpy(buf, "-");
	snprintf(buf, SIZE_TEXT, "%.2f", (double)json_u64(j, "disk_bytes", 0) / (double)bytes);
	return buf;
}

void put_latency(const json_t *j)
{
	char p50[SIZE_TEXT], p99[SIZE_TEXT], max[SIZE_TEXT];

	printf("p50 %s, p99 %s, max %s", latency_text(p50, json_u64(j, "p50_ns", 0)),
	       latency_text(p99, json_u64(j, "p99_ns", 0)),
	       latency_text(max, json_u64(j, "max_ns", 0)));
}

void put_streams(const json_t *j, const char *before)
{
	char min[SIZE_TEXT], mean[SIZE_TEXT], max[SIZE_TEXT], least[SIZE_TEXT];

	if (json_u64(j, "streams", 0) < 2)
		return;
	printf("%s%" PRIu64 ": %s to %s MB/s, mean %s", before, json_u64(j, "streams", 0),
	       mbps_text(min, j, "stream_min_bps"), mbps_text(max, j, "stream_max_bps"),
	       mbps_text(mean, j, "stream_mean_bps"));
	if (json_u64(j, "least_bytes", 0))
		printf("; the slowest had %s when the first was through",
		       size_text(least, json_u64(j, "least_bytes", 0), SIZE_SI));
	putchar('\n');
}
