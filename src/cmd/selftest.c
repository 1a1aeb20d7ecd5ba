/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verb selftest: how far this machine's numbers can be trusted. The clock, the spread
 * of the engine where no disk takes part, whether the disks' counters show what was
 * written, and what is here to measure with.
 */
#include "cmd/cmd.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "naslab.h"
#include "ui/observe.h"

enum { REPEATS = 15, CLOCK_CALLS = 100000, MOST_RUNS = 64 };

struct seen {		/* of a measurement */
	double bps[MOST_RUNS];
	size_t n;
	uint64_t bytes, disk_bytes;	/* sums */
	bool no_disk;
};

static void hear(void *arg, const json_t *event)
{
	struct seen *s = arg;
	const char *kind = json_str(event, "event");
	const json_t *flag;
	size_t i;

	if (!kind || strcmp(kind, "run") || s->n == MOST_RUNS)
		return;
	s->bps[s->n++] = (double)json_u64(event, "bps", 0);
	s->bytes += json_u64(event, "bytes", 0);
	s->disk_bytes += json_u64(event, "disk_bytes", 0);
	json_array_foreach(json_object_get(event, "flags"), i, flag) {
		const char *word = json_string_value(flag);

		s->no_disk |= word && !strcmp(word, "nodisk");
	}
}

static int measure(const char *target, unsigned reps, struct seen *out, struct err *e)
{
	struct arena *a = arena_new();
	struct workload *w = arena_alloc(a, sizeof(*w));
	struct bench_order o = {
		.target = target, .label = target, .write = true, .reps = reps, .scale = 0.1,
		.cache = CACHE_AS_IS, .no_wait = true, .db = "",
	};
	int rc = workload_find(a, "500M", w, e);

	*out = (struct seen){ .n = 0 };
	list_add(a, &o.workloads, w);
	if (rc == 0)
		rc = bench_run(&o, hear, out, e);
	arena_free(a);
	return rc;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Every test puts its numbers here; without --json they are said as they come. */
static json_t *report;

static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *fmt, ...)
{
	va_list ap;

	if (option("json"))
		return;
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	fflush(stdout);
}

static void test_clock(void)
{
	json_t *j = json_object();
	char step[SIZE_TEXT], cost[SIZE_TEXT];
	uint64_t begin = now_ns(), last = begin, least = UINT64_MAX;
	unsigned i;

	for (i = 0; i < CLOCK_CALLS; i++) {
		uint64_t now = now_ns();

		if (now > last && now - last < least)
			least = now - last;
		last = now;
	}
	json_put_u64(j, "step_ns", least);
	json_put_u64(j, "look_ns", (last - begin) / CLOCK_CALLS);
	json_object_set_new(report, "clock", j);
	say("clock     smallest step %s, one look %s\n", latency_text(step, least),
	       latency_text(cost, (last - begin) / CLOCK_CALLS));
}

/* The spread of the same copy into memory, where only the machine can differ. */
static int test_engine(struct err *e)
{
	double mean = 0, square = 0;
	json_t *j;
	char rate[SIZE_TEXT], cv[SIZE_TEXT];
	struct stats of;
	struct seen s;
	size_t i;

	if (access("/dev/shm", W_OK) < 0) {
		say("engine    no /dev/shm here, so its own spread is not known\n");
		return 0;
	}
	if (measure("/dev/shm", REPEATS, &s, e) < 0)
		return -1;
	j = json_object();
	stats_of(s.bps, s.n, &of);
	for (i = 0; i < s.n; i++)
		mean += s.bps[i] / (double)s.n;
	for (i = 0; i < s.n; i++)
		square += (s.bps[i] - mean) * (s.bps[i] - mean);
	square = s.n > 1 ? sqrt(square / (double)(s.n - 1)) / mean * 100 : 0;
	json_put_u64(j, "repeats", s.n);
	json_put_u64(j, "median_bps", (uint64_t)of.median);
	json_object_set_new(j, "cv", json_real(square / 100));
	json_object_set_new(report, "engine", j);
	say("engine    %zu repeats of 50 MB into memory: median %s MB/s, spread (CV) %s %%%s\n",
	       s.n, plain_number_text(rate, of.median / 1e6), number_text(cv, square),
	       square > 2 ? "; more than 2 %: the machine is busy" : "");
	return 0;
}

static int test_counters(const char *dir, struct err *e)
{
	char files[SIZE_TEXT], disks[SIZE_TEXT];
	struct seen s;
	json_t *j;

	if (measure(dir, 1, &s, e) < 0)
		return -1;
	j = json_object();
	json_put_u64(j, "file_bytes", s.bytes);
	json_put_u64(j, "disk_bytes", s.disk_bytes);
	json_object_set_new(j, "asked", json_boolean(!s.no_disk));
	json_object_set_new(report, "counters", j);
	if (s.no_disk) {
		say("counters  %s lies on no disk that could be asked\n", dir);
		return 0;
	}
	say("counters  %s of files in %s: %s at the disks\n",
	       size_text(files, s.bytes, SIZE_SI), dir, size_text(disks, s.disk_bytes, SIZE_SI));
	if (s.disk_bytes < s.bytes / 10 * 9)
		return err_set(e, ERR_FAIL, "the disks' counters below %s do not show what was "
			       "written; with compression that is right, else no ratio of bytes "
			       "at the disks can be trusted", dir);
	return 0;
}

static void test_machine(void)
{
	static const struct {
		const char *path, *what;
		int mode;
		const char *key;
	} things[] = {
		{ "/proc/pressure/io", "pressure of processor and disks", R_OK, "pressure" },
		{ "/proc/sys/vm/drop_caches", "dropping the page cache", W_OK, "drop_caches" },
		{ "/sys/fs/cgroup/cgroup.controllers", "control groups v2", R_OK, "cgroup2" },
		{ "/dev/mapper/control", "device-mapper", R_OK, "device_mapper" },
		{ "/proc/mdstat", "md arrays", R_OK, "md" },
		{ "/sys/fs/btrfs/features", "btrfs", R_OK, "btrfs" },
		{ "/sys/fs/ext4/features", "ext4", R_OK, "ext4" },
	};
	json_t *j = json_object();
	size_t i;

	for (i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		bool there = access(things[i].path, things[i].mode) == 0;

		json_object_set_new(j, things[i].key, json_boolean(there));
		say("machine   %-3s %s\n", there ? "yes" : "no", things[i].what);
	}
	json_object_set_new(report, "machine", j);
}

/* What the live plot costs a copy into memory, against the goal of half a per cent. */
static int test_observer(struct err *e)
{
	const char *dir = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/var/tmp";
	uint64_t pairs = 21, memory = (uint64_t)sysconf(_SC_AVPHYS_PAGES) *
				      (uint64_t)sysconf(_SC_PAGESIZE);
	double scale = fmin(1, (double)memory / 8e9);
	struct bench_observed seen;
	char low[SIZE_TEXT], high[SIZE_TEXT];
	json_t *j;

	if (option("pairs") && count_parse("--pairs", option("pairs"), 1, 1000, &pairs, e) < 0)
		return -1;
	if (bench_observe(dir, scale, (unsigned)pairs, ui_observe, NULL, &seen, e) < 0)
		return -1;
	j = json_object();
	json_put_u64(j, "pairs", seen.pairs);
	json_object_set_new(j, "ratio", json_real(seen.ratio));
	if (seen.sure > 0) {
		json_object_set_new(j, "sure", json_real(seen.sure));
		json_object_set_new(j, "low", json_real(seen.low));
		json_object_set_new(j, "high", json_real(seen.high));
	}
	json_object_set_new(j, "cpu_ratio", json_real(seen.cpu_ratio));
	if (seen.sure > 0) {
		json_object_set_new(j, "cpu_low", json_real(seen.cpu_low));
		json_object_set_new(j, "cpu_high", json_real(seen.cpu_high));
	}
	json_object_set_new(j, "cpu_share", json_real(seen.cpu_share));
	json_put_u64(j, "dropped", seen.dropped);
	json_object_set_new(report, "observer", j);
	snprintf(low, sizeof(low), "%.3f", seen.low);
	snprintf(high, sizeof(high), "%.3f", seen.high);
	say("observer  %u pairs: with the live plot a copy takes %.3f of its time without it", seen.pairs,
	    seen.ratio);
	if (seen.sure > 0)
		say(" (%s to %s with %.1f %%)", low, high, 100 * seen.sure);
	say(",\n          and %.3f of its processor time", seen.cpu_ratio);
	if (seen.sure > 0)
		say(" (%.3f to %.3f)", seen.cpu_low, seen.cpu_high);
	say("; the plot takes %.2f %% of a core, %llu samples dropped\n", 100 * seen.cpu_share,
	    (unsigned long long)seen.dropped);
	return 0;
}

/* The tests one after the other; what was found so far stays when one fails. */
static int run_tests(const char *dir, struct err *e)
{
	test_clock();
	if (option("observer"))
		return test_observer(e);
	if (test_engine(e) < 0 || test_counters(dir, e) < 0)
		return -1;
	test_machine();
	return 0;
}

static int run(int argc, char **argv)
{
	const char *dir = argc ? argv[0] : "/var/tmp";
	struct err e = { 0 };
	char *line;
	int rc;

	if (argc > 1)
		return usage_error("\"%s\" is one word too many; one DIR is written to", argv[1]);
	if (option("pairs") && !option("observer"))
		return usage_error("--pairs belongs to --observer");
	report = json_object();
	rc = run_tests(dir, &e);
	if (option("json")) {
		json_object_set_new(report, "ok", json_boolean(rc == 0));
		line = json_line(report);
		puts(line);
		free(line);
	}
	json_decref(report);
	return rc < 0 ? fail(&e) : 0;
}

static const struct verb_option options[] = {
	{ .name = "observer", .help = "instead: what the live plot costs the copy it shows" },
	{ .name = "pairs", .value = "N", .help = "with and without it so often (21); 100 tell half a per cent" },
	{ .name = "json", .help = "the numbers, as JSON" },
	{ .name = NULL }
};

const struct verb verb_selftest = {
	.name = "selftest",
	.usage = "[DIR | --observer [--pairs N]] [--json]",
	.help = "how far this machine's numbers can be trusted",
	.about = "The clock's smallest step; how much fifteen equal copies into memory differ, which is\n"
		 "the least any measurement here differs; whether the disks below DIR (/var/tmp) count\n"
		 "what is written there (50 MB, removed again); and what the kernel lets us see.",
	.options = options, .run = run,
};
