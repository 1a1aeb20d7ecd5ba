/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verb selftest: how far this machine's numbers can be trusted. The clock, the spread
 * of the engine where no disk takes part, whether the disks' counters show what was
 * written, and what is here to measure with.
 */
#include "cmd/cmd.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "naslab.h"

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

static void test_clock(void)
{
	char step[SIZE_TEXT], cost[SIZE_TEXT];
	uint64_t begin = now_ns(), last = begin, least = UINT64_MAX;
	unsigned i;

	for (i = 0; i < CLOCK_CALLS; i++) {
		uint64_t now = now_ns();

		if (now > last && now - last < least)
			least = now - last;
		last = now;
	}
	printf("clock     smallest step %s, one look %s\n", latency_text(step, least),
	       latency_text(cost, (last - begin) / CLOCK_CALLS));
}

/* The spread of the same copy into memory, where only the machine can differ. */
static int test_engine(struct err *e)
{
	double mean = 0, square = 0;
	char rate[SIZE_TEXT], cv[SIZE_TEXT];
	struct stats of;
	struct seen s;
	size_t i;

	if (access("/dev/shm", W_OK) < 0) {
		puts("engine    no /dev/shm here, so its own spread is not known");
		return 0;
	}
	if (measure("/dev/shm", REPEATS, &s, e) < 0)
		return -1;
	stats_of(s.bps, s.n, &of);
	for (i = 0; i < s.n; i++)
		mean += s.bps[i] / (double)s.n;
	for (i = 0; i < s.n; i++)
		square += (s.bps[i] - mean) * (s.bps[i] - mean);
	square = s.n > 1 ? sqrt(square / (double)(s.n - 1)) / mean * 100 : 0;
	printf("engine    %zu repeats of 50 MB into memory: median %s MB/s, spread (CV) %s %%%s\n",
	       s.n, number_text(rate, of.median / 1e6), number_text(cv, square),
	       square > 2 ? "; more than 2 %: the machine is busy" : "");
	return 0;
}

static int test_counters(const char *dir, struct err *e)
{
	char files[SIZE_TEXT], disks[SIZE_TEXT];
	struct seen s;

	if (measure(dir, 1, &s, e) < 0)
		return -1;
	if (s.no_disk) {
		printf("counters  %s lies on no disk that could be asked\n", dir);
		return 0;
	}
	printf("counters  %s of files in %s: %s at the disks\n",
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
	} things[] = {
		{ "/proc/pressure/io", "pressure of processor and disks", R_OK },
		{ "/proc/sys/vm/drop_caches", "dropping the page cache", W_OK },
		{ "/sys/fs/cgroup/cgroup.controllers", "control groups v2", R_OK },
		{ "/dev/mapper/control", "device-mapper", R_OK },
		{ "/proc/mdstat", "md arrays", R_OK },
		{ "/sys/fs/btrfs/features", "btrfs", R_OK },
		{ "/sys/fs/ext4/features", "ext4", R_OK },
	};
	size_t i;

	for (i = 0; i < sizeof(things) / sizeof(things[0]); i++)
		printf("machine   %-3s %s\n", access(things[i].path, things[i].mode) == 0 ? "yes" : "no",
		       things[i].what);
}

static int run(int argc, char **argv)
{
	const char *dir = argc ? argv[0] : "/var/tmp";
	struct err e = { 0 };

	if (argc > 1)
		return usage_error("\"%s\" is one word too many; one DIR is written to", argv[1]);
	test_clock();
	fflush(stdout);
	if (test_engine(&e) < 0 || test_counters(dir, &e) < 0)
		return fail(&e);
	test_machine();
	return 0;
}

const struct verb verb_selftest = {
	.name = "selftest",
	.usage = "[DIR]",
	.help = "how far this machine's numbers can be trusted",
	.about = "The clock's smallest step; how much fifteen equal copies into memory differ, which is\n"
		 "the least any measurement here differs; whether the disks below DIR (/var/tmp) count\n"
		 "what is written there (50 MB, removed again); and what the kernel lets us see.",
	.run = run,
};
