/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-ends - how the engine ends, and how it opens files: by bytes, by time, by its cap, at
 * a rate, with O_SYNC and O_DIRECT; and whole measurements of it. Time is never waited for;
 * what is bounded is counted.
 */
#include "bench-bed.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "base/json.h"
#include "build/job.h"

/* --- ends and rates --- */

static void stops_by_bytes(void **state)
{
	struct bed b;

	(void)state;
	bed_make(&b, "fileset count=2 size=64K\nop read\n");
	bed_ok(&b, BENCH_WRITE);
	b.job.stop_bytes = 40 * BS;
	bed_ok(&b, BENCH_RAND_READ);		/* more than is there: it begins again */
	assert_int_equal(b.r.bytes, 40 * BS);
	assert_int_equal(b.r.ops, 40);
	b.job.streams = 2;
	bed_ok(&b, BENCH_READ);
	assert_int_equal(b.r.bytes, 40 * BS);
	b.job.stop_bytes = 5 * BS - 1;		/* each stream to the end of its record */
	bed_ok(&b, BENCH_RAND_READ);
	assert_int_equal(b.r.bytes, 6 * BS);
	assert_false(b.r.capped);
	bed_end(&b);
}

/* It goes on until the time is over, and then it is no failure. */
static void stops_by_time(void **state)
{
	struct bed b;

	(void)state;
	bed_make(&b, "fileset size=64K\nop read\n");
	bed_ok(&b, BENCH_WRITE);
	b.job.stop_ns = 100000000;
	b.job.streams = 3;
	b.job.shared_file = true;
	bed_ok(&b, BENCH_RAND_READ);
	assert_true(b.r.felt_ns >= 100000000);
	assert_int_equal(b.r.bytes, b.r.ops * BS);
	assert_false(b.r.capped);
	bed_end(&b);
}

static void a_cap_cuts(void **state)
{
	struct bed b;

	(void)state;
	bed_make(&b, "fileset size=1M\nop write\n");
	b.job.cap_ns = 50000000;
	b.job.rate_bps = 10000;		/* 1 MiB would take 100 s */
	bed_ok(&b, BENCH_WRITE);
	assert_true(b.r.capped);
	assert_true(b.r.felt_ns >= 50000000);
	assert_in_range(b.r.bytes, BS, 256 * KIB);
	bed_end(&b);
}

/* However loaded the machine is, no stream is ahead of its rate by more than one record. */
static void rates_are_kept(void **state)
{
	const uint64_t rate = 2000000;
	struct bed b;
	unsigned i;

	(void)state;
	bed_make(&b, "fileset count=3 size=100K\nop write\n");
	b.job.streams = 3;
	b.job.rate_bps = rate;
	bed_ok(&b, BENCH_WRITE);
	for (i = 0; i < 3; i++)
		assert_true((double)b.r.stream[i].bytes <=
			    (double)rate * (double)b.r.stream[i].ns / 1e9 + BS);
	b.job.stop_ns = 30000000;
	bed_ok(&b, BENCH_RAND_READ);
	for (i = 0; i < 3; i++)
		assert_true((double)b.r.stream[i].bytes <=
			    (double)rate * (double)b.r.stream[i].ns / 1e9 + BS);
	bed_end(&b);
}

/* --- flags --- */

/* The flags of an open file of the child, as the kernel prints them; -1: it has none open. */
static long flags_of_file(int64_t pid, const char *name)
{
	char path[300], target[300];
	unsigned long flags;
	long found = -1;
	struct dirent *d;
	ssize_t len;
	DIR *dir;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%lld/fd", (long long)pid);
	dir = opendir(path);
	while (dir && found < 0 && (d = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%lld/fd/%.20s", (long long)pid, d->d_name);
		len = readlink(path, target, sizeof(target) - 1);
		if (len < 0)
			continue;
		target[len] = '\0';
		if (!strstr(target, name))
			continue;
		snprintf(path, sizeof(path), "/proc/%lld/fdinfo/%.20s", (long long)pid, d->d_name);
		f = fopen(path, "re");
		if (f && fscanf(f, "pos: %*d flags: %lo", &flags) == 1)
			found = (long)flags;
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Looks until the file is seen: the rate keeps it open for 100 s, and the stop ends it. */
static long flags_while(struct bed *b, enum bench_op op)
{
	struct engine x;
	long flags = -1;

	b->e = (struct err){ 0 };
	b->job.op = op;
	b->job.rate_bps = 10000;
	assert_int_equal(engine_start(&b->job, &x, &b->e), 0);
	while (flags < 0 && !engine_ended(&x, 1))
		flags = flags_of_file(x.pid, "f0000000.bin");
	engine_stop(&x);
	assert_int_equal(engine_end(&x, &b->r, &b->error, &b->e), -1);
	b->job.rate_bps = 0;
	return flags;
}

static void sync_and_direct_are_what_they_say(void **state)
{
	struct bed b;
	long flags;

	(void)state;
	bed_make(&b, "fileset size=1M\nop write\n");
	bed_ok(&b, BENCH_WRITE);
	flags = flags_while(&b, BENCH_RAND_WRITE);
	assert_true(flags >= 0 && !(flags & (O_SYNC | O_DIRECT)));
	assert_string_equal(b.e.text, "stopped");
	b.job.sync = SYNC_WRITE;
	assert_int_equal(flags_while(&b, BENCH_RAND_WRITE) & O_SYNC, O_SYNC);
	assert_int_equal(flags_while(&b, BENCH_MODIFY) & O_SYNC, O_SYNC);
	assert_int_equal(flags_while(&b, BENCH_RAND_READ) & O_SYNC, 0);
	assert_int_equal(unlinkat(b.job.dir, "f0000000.bin", 0), 0);
	bed_ok(&b, BENCH_WRITE);	/* how long each took is kept when it waits for the disks */
	assert_int_equal(b.r.ops, MIB / BS);
	assert_true(b.r.p50_ns > 0 && b.r.max_ns <= b.r.felt_ns);
	b.job.sync = SYNC_END;
	b.job.direct = true;
	flags = flags_while(&b, BENCH_RAND_READ);
	if (flags < 0 && strstr(b.e.text, "O_DIRECT"))
		skip();
	assert_int_equal(flags & O_DIRECT, O_DIRECT);
	bed_end(&b);
}

/* Past the cache the same bytes arrive, also where a file or a record is no whole page. */
static void direct_is_the_same(void **state)
{
	static const enum bench_op ops[] = { BENCH_READ, BENCH_REWRITE, BENCH_READ_BACK, BENCH_MODIFY,
					     BENCH_APPEND };
	struct bed b;
	size_t i;

	(void)state;
	bed_make(&b, "fileset count=6 size=70001 width=4\nfileset count=2 size=512\nop write\n");
	b.job.direct = true;
	b.job.bs = 16384;
	b.job.streams = 2;
	if (bed_run(&b, BENCH_WRITE) < 0) {
		if (!strstr(b.e.text, "O_DIRECT"))
			fail_msg("%s", b.e.text);
		bed_end(&b);
		skip();
	}
	b.job.direct = false;
	b.job.streams = 1;
	bed_ok(&b, BENCH_VERIFY);
	b.job.direct = true;
	b.job.streams = 2;
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		bed_ok(&b, ops[i]);
		assert_int_equal(b.r.bytes, b.c->bytes * (ops[i] == BENCH_MODIFY ? 2 : 1));
	}
	bed_end(&b);
}

/* /dev/null is a file that cannot be opened with O_DIRECT. */
static void a_refused_direct_is_one_sentence(void **state)
{
	struct bed b;

	(void)state;
	bed_make(&b, "fileset size=4K\nop read\n");
	assert_int_equal(symlinkat("/dev/null", b.job.dir, "f0000000.bin"), 0);
	b.job.direct = true;
	assert_int_equal(bed_run(&b, BENCH_READ), -1);
	assert_string_equal(b.e.text, "this file system does not take O_DIRECT; the workload asks for "
			    "it with direct=1");
	bed_end(&b);
}

/* What one stream cannot do ends all of them, with its sentence. */
static void one_failure_ends_all(void **state)
{
	struct bed b;

	(void)state;
	bed_make(&b, "fileset count=4 size=1M\nop write\n");
	bed_ok(&b, BENCH_WRITE);
	assert_int_equal(unlinkat(b.job.dir, "d00000/f0000002.bin", 0), 0);
	b.job.streams = 4;
	b.job.rate_bps = 10000;		/* the others would need 100 s */
	assert_int_equal(bed_run(&b, BENCH_READ), -1);
	assert_int_equal(b.error, ENOENT);
	assert_non_null(strstr(b.e.text, "cannot open f0000002.bin"));
	assert_true(b.r.bytes < 4 * MIB);
	bed_end(&b);
}

/* --- a whole measurement --- */

struct heard {
	uint64_t bytes;
	unsigned runs;
	json_t *last;			/* run event */
	json_t *result;
};

static void hear(void *arg, const json_t *event)
{
	struct heard *h = arg;
	const char *kind = json_string_value(json_object_get(event, "event"));

	if (!strcmp(kind, "run")) {
		h->bytes += json_u64(event, "bytes", 0);
		h->runs++;
		json_decref(h->last);
		h->last = json_deep_copy(event);
	} else if (!strcmp(kind, "result")) {
		json_decref(h->result);
		h->result = json_deep_copy(event);
	}
}

/* The runs move what the forecast says, whatever the operations use up, and nothing is left. */
static void forecast_and_runs_agree(void **state)
{
	static const struct {
		const char *text;
		uint64_t made;		/* by two repetitions, untimed */
		unsigned runs;
	} cases[] = {
		{ "fileset count=4 size=40K\nop write modify mix:25 read-back append\npar threads=2\n",
		  0, 10 },
		{ "fileset count=4 size=40K\nop append\n", 2 * 4 * 40960, 2 },
		{ "fileset size=40K\nfileset size=80K\nop play-record\npar threads=2\n", 2 * 40960, 2 },
		{ "fileset size=40K\nop read re-read\nrepeat n=1 interleave=0\ncache as-is\n", 40960,
		  2 },
		{ "fileset count=3 size=0\nop write\n", 0, 2 },
	};
	struct arena *a = arena_new();
	const char *dir = scratch();
	struct bench_forecast f;
	struct err e = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench_order o = { .target = dir, .write = true, .read = true, .reps = 2,
					 .scale = 1, .cache = CACHE_OWN, .own_reps = true, .db = "",
					 .no_wait = true };
		struct workload *w = arena_alloc(a, sizeof(*w));
		struct heard h = { 0 };

		assert_int_equal(workload_parse(a, "x", cases[i].text, "x", w, &e), 0);
		list_add(a, &o.workloads, w);
		assert_int_equal(bench_forecast(&o, &f, &e), 0);
		if (bench_run(&o, hear, &h, &e) < 0)
			fail_msg("%s: %s", cases[i].text, e.text);
		assert_int_equal(h.runs, cases[i].runs);
		assert_int_equal(h.runs, f.runs);
		assert_int_equal(f.write_bytes + f.read_bytes, h.bytes + cases[i].made);
		if (w->threads > 1) {
			assert_int_equal(json_u64(h.last, "streams", 0), 2);
			assert_int_equal(json_array_size(json_object_get(h.result, "stream_bps")), 2);
			assert_true(json_u64(h.result, "stream_min_bps", 0) <=
				    json_u64(h.result, "stream_mean_bps", 0));
			assert_true(json_u64(h.result, "stream_mean_bps", 0) <=
				    json_u64(h.result, "stream_max_bps", 0));
		}
		json_decref(h.last);
		json_decref(h.result);
	}
	assert_int_equal(rmdir(dir), 0);
	arena_free(a);
}

struct meddler {
	const char *target, *away;	/* away NULL: what is ours in the target goes */
	unsigned runs;
	bool partial;
};

static void remove_name(const char *dir, const char *name)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (remove(path) < 0)
		fail_msg("%s: %s", path, strerror(errno));
}

/* Between two runs the work directory is empty but for its manifest. */
static void remove_workdir(const char *target)
{
	char name[300] = "", manifest[320];
	DIR *dir = opendir(target);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		if (!strncmp(d->d_name, ".naslab-bench-", 14))
			snprintf(name, sizeof(name), "%s", d->d_name);
	}
	closedir(dir);
	snprintf(manifest, sizeof(manifest), "%s/manifest", name);
	remove_name(target, manifest);
	snprintf(manifest, sizeof(manifest), "%s/set0/f0000000.bin", name);
	remove_name(target, manifest);
	snprintf(manifest, sizeof(manifest), "%s/set0", name);
	remove_name(target, manifest);
	remove_name(target, name);
}

static void meddle(void *arg, const json_t *event)
{
	const char *kind = json_string_value(json_object_get(event, "event"));
	struct meddler *m = arg;

	if (!strcmp(kind, "result"))
		m->partial = flags_read(json_object_get(event, "flags")) & FLAG_PARTIAL;
	if (strcmp(kind, "run") || m->runs++)
		return;
	if (m->away)
		assert_int_equal(rename(m->target, m->away), 0);
	else
		remove_workdir(m->target);
}

/* Somebody takes the target or what is in it away: that is said, the first run is kept. */
static void who_meddles_is_told(void **state)
{
	const char *dir = scratch();
	char target[300], away[300], says[700];
	unsigned i;

	(void)state;
	snprintf(target, sizeof(target), "%s/target", dir);
	snprintf(away, sizeof(away), "%s/away", dir);
	for (i = 0; i < 2; i++) {
		struct arena *a = arena_new();
		struct workload *w = arena_alloc(a, sizeof(*w));
		struct bench_order o = { .target = target, .write = true, .reps = 3, .scale = 1,
					 .db = "", .no_wait = true };
		struct meddler m = { .target = target, .away = i ? away : NULL };
		struct err e = { 0 };

		assert_int_equal(mkdir(target, 0755), 0);
		assert_int_equal(workload_parse(a, "x", "fileset size=40K\nop write\n", "x", w, &e), 0);
		list_add(a, &o.workloads, w);
		assert_int_equal(bench_run(&o, meddle, &m, &e), -1);
		assert_int_equal(m.runs, 1);
		assert_true(m.partial);
		if (i)
			snprintf(says, sizeof(says), "%s went away while it was measured", target);
		else
			snprintf(says, sizeof(says), "somebody removed %s/.naslab-bench-", target);
		if (strncmp(e.text, says, strlen(says)) != 0)
			fail_msg("%s", e.text);
		assert_int_equal(rmdir(i ? away : target), 0);	/* nothing was left */
		arena_free(a);
	}
	assert_int_equal(rmdir(dir), 0);
}

/* A write that its time cuts is marked, and what follows still finds all files. */
static void a_cut_run_is_marked(void **state)
{
	struct arena *a = arena_new();
	const char *dir = scratch();
	struct workload *w = arena_alloc(a, sizeof(*w));
	struct bench_order o = { .target = dir, .write = true, .read = true, .reps = 1, .scale = 1,
				 .cache = CACHE_AS_IS, .db = "", .no_wait = true };
	struct heard h = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(workload_parse(a, "x", "fileset size=8M\nop write read\nrate 1M\n"
					"needs time_cap=1s\n", "x", w, &e), 0);
	list_add(a, &o.workloads, w);
	if (bench_run(&o, hear, &h, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(h.runs, 2);
	assert_true(h.bytes < 16 * MIB);
	assert_string_equal(json_str(h.last, "op"), "read");
	assert_true(json_u64(h.last, "bytes", 0) < 8 * MIB);
	assert_true(flags_read(json_object_get(h.last, "flags")) & FLAG_PARTIAL);
	json_decref(h.last);
	json_decref(h.result);
	assert_int_equal(rmdir(dir), 0);
	arena_free(a);
}

/* The same of a copy by another program, which is ended: rsync needs longer than a millisecond. */
static void a_cut_rsync_is_marked(void **state)
{
	struct arena *a = arena_new();
	const char *dir = scratch();
	struct workload *w = arena_alloc(a, sizeof(*w));
	struct bench_order o = { .target = dir, .write = true, .read = true, .reps = 1, .scale = 1,
				 .cache = CACHE_AS_IS, .db = "", .no_wait = true,
				 .engine = ENGINE_RSYNC };
	struct heard h = { 0 };
	struct err e = { 0 };

	(void)state;
	if (!job_has("rsync"))
		skip();
	assert_int_equal(workload_parse(a, "x", "fileset count=8 size=4M\nop copy-in copy-out\n", "x", w,
					&e), 0);
	w->cap_ns = 1000000;
	list_add(a, &o.workloads, w);
	if (bench_run(&o, hear, &h, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(h.runs, 2);
	assert_string_equal(json_str(h.last, "op"), "read");
	assert_true(json_u64(h.last, "bytes", 0) <= 32 * MIB);
	assert_false(json_is_true(json_object_get(h.last, "verified")));
	assert_true(flags_read(json_object_get(h.last, "flags")) & FLAG_PARTIAL);
	json_decref(h.last);
	json_decref(h.result);
	assert_int_equal(rmdir(dir), 0);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stops_by_bytes),
		cmocka_unit_test(stops_by_time),
		cmocka_unit_test(a_cap_cuts),
		cmocka_unit_test(rates_are_kept),
		cmocka_unit_test(sync_and_direct_are_what_they_say),
		cmocka_unit_test(direct_is_the_same),
		cmocka_unit_test(a_refused_direct_is_one_sentence),
		cmocka_unit_test(one_failure_ends_all),
		cmocka_unit_test(forecast_and_runs_agree),
		cmocka_unit_test(who_meddles_is_told),
		cmocka_unit_test(a_cut_run_is_marked),
		cmocka_unit_test(a_cut_rsync_is_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
