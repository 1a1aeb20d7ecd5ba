/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole measurements: what is written and read, and that nothing is ever left behind. */
#include "bench-help.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <jansson.h>

#include "base/json.h"
#include "base/units.h"
#include "bench/corpus.h"
#include "bench/engine.h"
#include "bench/ram.h"
#include "bench/statistics.h"

struct heard {
	unsigned begin, sample, run, result;
	json_t *results, *runs;
	int signal;
	const char *unmount;
};

static void hear(void *arg, const json_t *event)
{
	struct heard *h = arg;
	const char *kind = json_str(event, "event");

	h->begin += !strcmp(kind, "begin");
	h->sample += !strcmp(kind, "sample");
	if (!strcmp(kind, "run")) {
		h->run++;
		json_array_append(h->runs, (json_t *)(uintptr_t)event);
		if (h->signal)
			raise(h->signal);
		if (h->unmount)
			assert_int_equal(umount2(h->unmount, MNT_DETACH), 0);
		h->unmount = NULL;
	}
	if (!strcmp(kind, "result")) {
		h->result++;
		json_array_append(h->results, (json_t *)(uintptr_t)event);
	}
}

static void hear_start(struct heard *h)
{
	*h = (struct heard){ .results = json_array(), .runs = json_array() };
}

static void hear_done(struct heard *h)
{
	json_decref(h->results);
	json_decref(h->runs);
}

/* What is in the directory besides . and .. */
static unsigned entries(const char *path)
{
	char list[600], line[300];
	unsigned n = 0;
	FILE *p;

	snprintf(list, sizeof(list), "ls -A %s", path);
	p = popen(list, "r");
	assert_non_null(p);
	while (fgets(line, sizeof(line), p))
		n++;
	pclose(p);
	return n;
}

static bool has_flag(const json_t *event, const char *flag)
{
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(event, "flags"), i, f) {
		if (!strcmp(json_string_value(f), flag))
			return true;
	}
	return false;
}

static void a_set_is_measured(void **state)
{
	struct arena *a = arena_new();
	const char *dir = scratch();
	struct bench_order o;
	struct err e = { 0 };
	struct workload *w = arena_alloc(a, sizeof(*w));
	struct heard h;
	const json_t *r;
	size_t i;

	(void)state;
	hear_start(&h);
	order_for(a, &o, dir, "small-text", 0.01);
	shipped(a, "500M", w);
	list_add(a, &o.workloads, w);
	if (bench_run(&o, hear, &h, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(h.begin, 1);
	assert_int_equal(h.run, 8);
	assert_int_equal(h.result, 4);
	json_array_foreach(h.runs, i, r) {
		assert_int_equal(json_u64(r, "bytes", 0), 5000000);
		assert_true(json_u64(r, "felt_ns", 0) > 0);
		assert_true(json_u64(r, "durable_ns", 0) >= json_u64(r, "felt_ns", 0));
		if (!strcmp(json_str(r, "op"), "read") && json_u64(r, "rep", 0) == 1)
			assert_true(json_is_true(json_object_get(r, "verified")));
	}
	json_array_foreach(h.results, i, r) {
		assert_int_equal(json_u64(r, "runs", 0), 2);
		assert_true(has_flag(r, "few"));
		assert_false(has_flag(r, "partial"));
		assert_true(json_u64(r, "min_bps", 0) <= json_u64(r, "median_bps", 0));
		assert_true(json_u64(r, "median_bps", 0) <= json_u64(r, "max_bps", 0));
	}
	assert_int_equal(entries(dir), 0);
	hear_done(&h);
	wipe(dir);
	arena_free(a);
}

/*
 * Rounds go on until the median is known well enough, or no more are allowed: by the rule,
 * computed here again from the runs that were reported.
 */
static void repeats_until_it_is_sure(void **state)
{
	static const struct {
		double within;
		unsigned reps, most, least_runs, most_runs;
		bool cap;
	} cases[] = {
		{ 1e-9, 6, 8, 8, 8, true },	/* no two copies take the same ns */
		{ 0.5, 6, 9, 6, 9, false },
		{ 0, 3, 9, 3, 3, false },
	};
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new();
		const char *dir = scratch(), *repeat;
		struct repeat_rule rule = { cases[i].within, cases[i].reps, cases[i].most };
		double values[16];
		struct bench_order o;
		struct bench_forecast f;
		struct err e = { 0 };
		struct heard h;
		const json_t *r;

		hear_start(&h);
		order_for(a, &o, dir, "500M", 0.01);
		o.read = false;
		o.reps = cases[i].reps;
		o.within = cases[i].within;
		o.most = cases[i].most;
		assert_int_equal(bench_forecast(&o, &f, &e), 0);
		assert_int_equal(f.runs, cases[i].reps);
		assert_int_equal(f.most_runs, cases[i].most_runs);
		assert_int_equal(f.most_write_bytes, 5000000 * (uint64_t)cases[i].most_runs);
		if (bench_run(&o, hear, &h, &e) < 0)
			fail_msg("%s", e.text);
		assert_in_range(h.run, cases[i].least_runs, cases[i].most_runs);
		r = json_array_get(h.results, 0);
		assert_int_equal(json_u64(r, "runs", 0), h.run);
		assert_false(has_flag(r, "partial"));
		repeat = json_str(r, "repeat");
		if (!(cases[i].within > 0)) {
			assert_string_equal(repeat, "fixed");
			assert_null(json_object_get(r, "interval_sure"));	/* 3 runs */
		} else {
			assert_string_equal(repeat, h.run == cases[i].most ? "cap" : "sure");
			assert_true(json_number_value(json_object_get(r, "interval_sure")) >= 0.95);
		}
		for (k = 0; k < h.run; k++) {
			values[k] = (double)json_u64(json_array_get(h.runs, k), "durable_bps", 0);
			if (cases[i].within > 0 && k + 1 < h.run)
				assert_int_equal(stats_repeat(&rule, values, k + 1), REPEAT_MORE);
		}
		assert_int_equal(entries(dir), 0);
		hear_done(&h);
		wipe(dir);
		arena_free(a);
	}
}

static void read_only_keeps_one_set(void **state)
{
	struct arena *a = arena_new();
	const char *dir = scratch();
	struct bench_order o;
	struct err e = { 0 };
	struct heard h;

	(void)state;
	hear_start(&h);
	order_for(a, &o, dir, "small-photo", 0.01);
	o.write = false;
	o.reps = 3;
	o.cache = CACHE_WARM;
	if (bench_run(&o, hear, &h, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(h.run, 3);
	assert_int_equal(h.result, 1);
	assert_string_equal(json_str(json_array_get(h.results, 0), "cache"), "warm");
	assert_true(has_flag(json_array_get(h.results, 0), "cached"));
	assert_int_equal(entries(dir), 0);
	hear_done(&h);
	wipe(dir);
	arena_free(a);
}

/* The engine's files hold what corpus_block() says, and a changed byte is noticed. */
static void what_is_written_is_verified(void **state)
{
	enum { SIZE = 23 * CORPUS_BLOCK };	/* ends where a page does */
	static unsigned char want[CORPUS_BLOCK + CORPUS_SLACK], got[CORPUS_BLOCK];
	struct arena *a = arena_new();
	const char *path = scratch();
	struct engine_result r;
	struct engine x;
	struct workload w;
	struct corpus *c;
	struct err e = { 0 };
	int dir = open(path, O_RDONLY | O_DIRECTORY), fd, error;
	struct engine_job job = { .op = BENCH_WRITE, .dir = dir };
	ssize_t len;
	int i;

	(void)state;
	shipped(a, "500M", &w);
	c = corpus_new(&w, SIZE / 500e6);
	job.corpus = c;
	assert_int_equal(engine_start(&job, &x, &e), 0);
	assert_int_equal(engine_end(&x, &r, &error, &e), 0);
	assert_int_equal(r.bytes, SIZE);
	fd = openat(dir, "f0000000.bin", O_RDWR);
	assert_true(fd >= 0);
	corpus_block(c, 0, 5, CORPUS_BLOCK, want);
	len = pread(fd, got, CORPUS_BLOCK, 5 * CORPUS_BLOCK);
	assert_int_equal(len, CORPUS_BLOCK);
	assert_memory_equal(want, got, CORPUS_BLOCK);

	job.op = BENCH_VERIFY;
	assert_int_equal(engine_start(&job, &x, &e), 0);
	assert_int_equal(engine_end(&x, &r, &error, &e), 0);
	got[0] ^= 1;
	assert_int_equal(pwrite(fd, got, 1, 5 * CORPUS_BLOCK), 1);
	assert_int_equal(engine_start(&job, &x, &e), 0);
	assert_int_equal(engine_end(&x, &r, &error, &e), -1);
	assert_int_equal(error, EILSEQ);
	assert_non_null(strstr(e.text, "holds other data"));
	got[0] ^= 1;
	assert_int_equal(pwrite(fd, got, 1, 5 * CORPUS_BLOCK), 1);
	for (i = 0; i < 2; i++) {	/* a byte too many, too few */
		assert_int_equal(ftruncate(fd, SIZE + 1 - 2 * i), 0);
		assert_int_equal(engine_start(&job, &x, &e), 0);
		assert_int_equal(engine_end(&x, &r, &error, &e), -1);
		assert_non_null(strstr(e.text, "not as long"));
	}
	job.op = BENCH_READ;
	assert_int_equal(ftruncate(fd, SIZE - 1), 0);
	assert_int_equal(engine_start(&job, &x, &e), 0);
	assert_int_equal(engine_end(&x, &r, &error, &e), -1);
	assert_non_null(strstr(e.text, "not as long"));
	close(fd);
	close(dir);
	corpus_free(c);
	wipe(path);
	arena_free(a);
}

/* Every record is touched once: what is read adds up, and what is written is everywhere
 * new, in every 4 KiB, and no byte longer. */
static void records_are_touched_once(void **state)
{
	static const struct {
		enum bench_op op;
		bool writes;
	} cases[] = {
		{ BENCH_REWRITE, true }, { BENCH_RAND_WRITE, true }, { BENCH_RAND_READ, false },
		{ BENCH_READ_STRIDE, false }, { BENCH_READ_BACK, false },
	};
	enum { SIZE = 300000, BS = 8192, RECORDS = 37 };	/* 36 whole ones and a rest */
	static unsigned char before[SIZE + 1], after[SIZE + 1];
	struct arena *a = arena_new();
	const char *path = scratch();
	struct engine_result r;
	struct engine x;
	struct workload w;
	struct err e = { 0 };
	int dir = open(path, O_RDONLY | O_DIRECTORY), fd, error;
	struct engine_job job = { .op = BENCH_WRITE, .dir = dir, .bs = BS, .number = 5 };
	struct corpus *c;
	size_t i, at;

	(void)state;
	shipped(a, "500M", &w);
	c = corpus_new(&w, (double)SIZE / 500e6);
	job.corpus = c;
	assert_int_equal(engine_start(&job, &x, &e), 0);
	assert_int_equal(engine_end(&x, &r, &error, &e), 0);
	assert_int_equal(r.ops, 0);
	fd = openat(dir, "f0000000.bin", O_RDONLY);
	assert_true(fd >= 0);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(pread(fd, before, sizeof(before), 0), SIZE);
		job.op = cases[i].op;
		job.salt = i * 1000;
		job.sync = cases[i].op == BENCH_RAND_WRITE ? SYNC_WRITE : SYNC_END;
		assert_int_equal(engine_start(&job, &x, &e), 0);
		if (engine_end(&x, &r, &error, &e) < 0)
			fail_msg("%s", e.text);
		assert_int_equal(r.bytes, SIZE);
		assert_int_equal(r.ops, RECORDS);
		assert_true(r.p50_ns > 0 && r.p50_ns <= r.p99_ns && r.p99_ns <= r.max_ns);
		assert_true(r.max_ns <= r.felt_ns && r.felt_ns <= r.durable_ns);
		assert_int_equal(pread(fd, after, sizeof(after), 0), SIZE);
		for (at = 0; cases[i].writes && at + 4096 <= SIZE; at += 4096)
			assert_memory_not_equal(before + at, after + at, 4096);
		if (!cases[i].writes)
			assert_memory_equal(before, after, SIZE);
	}
	job.op = BENCH_RAND_READ;
	close(fd);
	fd = openat(dir, "f0000000.bin", O_RDWR);
	assert_int_equal(ftruncate(fd, SIZE - 1), 0);
	assert_int_equal(engine_start(&job, &x, &e), 0);
	assert_int_equal(engine_end(&x, &r, &error, &e), -1);
	assert_non_null(strstr(e.text, "not as long"));
	close(fd);
	close(dir);
	corpus_free(c);
	wipe(path);
	arena_free(a);
}

/* W09 end to end: eight operations a round; only reading keeps one file and changes nothing. */
static void a_block_class_is_measured(void **state)
{
	struct arena *a = arena_new();
	const char *dir = scratch();
	struct bench_order o;
	struct bench_forecast f;
	struct err e = { 0 };
	struct heard h;
	const json_t *r;
	size_t i;

	(void)state;
	hear_start(&h);
	order_for(a, &o, dir, "block-512k", 0.02);
	assert_int_equal(bench_forecast(&o, &f, &e), 0);
	assert_int_equal(f.runs, 16);
	assert_int_equal(f.write_bytes, 3 * 2 * 6000000 + 2 * 3000000);	/* mix:50 is half of it */
	assert_int_equal(f.read_bytes, 4 * 2 * 6000000 + 2 * 3000000);
	if (bench_run(&o, hear, &h, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(h.run, 16);
	assert_int_equal(h.result, 8);
	json_array_foreach(h.results, i, r) {
		bool whole = !strcmp(json_str(r, "op"), "write") || !strcmp(json_str(r, "op"), "read");

		assert_int_equal(json_u64(r, "ops", 0), whole ? 0 : 12);	/* 6 MB / 512 KiB */
		assert_int_equal(json_u64(r, "runs", 0), 2);
	}
	hear_done(&h);
	hear_start(&h);
	o.write = false;
	if (bench_run(&o, hear, &h, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(h.run, 8);
	assert_int_equal(h.result, 4);
	assert_int_equal(entries(dir), 0);
	hear_done(&h);
	wipe(dir);
	arena_free(a);
}

static void a_signal_leaves_nothing(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct arena *a = arena_new();
	struct bench_order o;
	struct err e;
	struct heard h;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		const char *dir = scratch();

		hear_start(&h);
		signal(signals[i], SIG_DFL);	/* not as whoever started the test has it */
		h.signal = signals[i];
		order_for(a, &o, dir, "small-photo", 0.01);
		e = (struct err){ 0 };
		assert_int_equal(bench_run(&o, hear, &h, &e), -1);
		assert_string_equal(e.text, "stopped");
		assert_int_equal(h.run, 1);
		assert_int_equal(h.result, 1);
		assert_true(has_flag(json_array_get(h.results, 0), "partial"));
		assert_int_equal(entries(dir), 0);
		hear_done(&h);
		wipe(dir);
	}
	arena_free(a);
}

static bool hang_up(void *arg)
{
	(void)arg;
	raise(SIGHUP);
	return false;
}

/* Started by nohup, it goes on when the terminal goes. */
static void nohup_is_heeded(void **state)
{
	struct arena *a = arena_new();
	const char *dir = scratch();
	struct bench_order o;
	struct err e = { 0 };
	struct heard h;

	(void)state;
	hear_start(&h);
	order_for(a, &o, dir, "small-photo", 0.01);
	o.stopped = hang_up;
	signal(SIGHUP, SIG_IGN);
	if (bench_run(&o, hear, &h, &e))
		fail_msg("%s", e.text);
	assert_ptr_equal(signal(SIGHUP, SIG_DFL), SIG_IGN);
	assert_int_equal(h.run, 4);
	hear_done(&h);
	wipe(dir);
	arena_free(a);
}

static bool after_one_run(void *arg)
{
	struct heard *h = arg;

	return h->run > 0;
}

/* The executor hears "stop" and is asked for it. */
static void asked_to_stop_it_leaves_nothing(void **state)
{
	struct arena *a = arena_new();
	const char *dir = scratch();
	struct bench_order o;
	struct err e = { 0 };
	struct heard h;

	(void)state;
	hear_start(&h);
	order_for(a, &o, dir, "500M", 0.01);
	o.stopped = after_one_run;
	o.stopped_arg = &h;
	assert_int_equal(bench_run(&o, hear, &h, &e), -1);
	assert_string_equal(e.text, "stopped");
	assert_int_equal(h.run, 1);
	assert_int_equal(entries(dir), 0);
	hear_done(&h);
	wipe(dir);
	arena_free(a);
}

/* A killed process leaves its directory; the next start removes it, and only it. */
static void a_kill_is_cleaned_by_the_next(void **state)
{
	struct arena *a = arena_new();
	const char *dir = scratch();
	struct bench_order o;
	struct err e = { 0 };
	struct heard h;
	char other[100];
	int status;
	pid_t pid;

	(void)state;
	hear_start(&h);
	order_for(a, &o, dir, "small-photo", 0.01);
	pid = fork();
	if (pid == 0) {
		h.signal = SIGKILL;
		bench_run(&o, hear, &h, &e);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_int_equal(entries(dir), 1);
	snprintf(other, sizeof(other), "%s/.naslab-bench-abcdef", dir);
	assert_int_equal(mkdir(other, 0755), 0);
	snprintf(other, sizeof(other), "%s/.naslab-bench-abcdef/mine", dir);
	assert_int_equal(mkdir(other, 0755), 0);
	if (bench_run(&o, hear, &h, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(entries(dir), 1);
	assert_int_equal(access(other, F_OK), 0);
	hear_done(&h);
	wipe(dir);
	arena_free(a);
}

/* A tmpfs of this size, or a skipped test for who may not mount. */
static const char *small_tmpfs(const char *options)
{
	const char *dir = scratch();

	if (mount("naslab-test", dir, "tmpfs", 0, options) < 0) {
		rmdir(dir);
		skip();
	}
	return dir;
}

struct eater {
	struct heard h;
	char path[100];
};

/* Fill what is free once the measurement began: as another program would. */
static void hear_and_eat(void *arg, const json_t *event)
{
	struct eater *eater = arg;
	static char block[65536];
	int fd;

	hear(&eater->h, event);
	if (strcmp(json_str(event, "event"), "begin"))
		return;
	fd = open(eater->path, O_WRONLY | O_CREAT, 0600);
	memset(block, 1, sizeof(block));
	while (write(fd, block, sizeof(block)) > 0)
		;
	assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_CUR) / 2), 0);
	close(fd);
}

static void a_full_target_leaves_nothing(void **state)
{
	struct arena *a = arena_new();
	const char *dir = small_tmpfs("size=40m");
	struct eater eater;
	struct bench_order o;
	struct bench_forecast f;
	struct err e = { 0 };

	(void)state;
	hear_start(&eater.h);
	order_for(a, &o, dir, "500M", 0.1);
	assert_int_equal(bench_forecast(&o, &f, &e), -1);
	assert_int_equal(e.kind, ERR_REFUSED);
	assert_non_null(strstr(e.text, "is free"));
	assert_int_equal(bench_run(&o, hear, &eater.h, &e), -1);
	assert_int_equal(entries(dir), 0);

	order_for(a, &o, dir, "500M", 0.05);
	snprintf(eater.path, sizeof(eater.path), "%s/other", dir);
	e = (struct err){ 0 };
	assert_int_equal(bench_run(&o, hear_and_eat, &eater, &e), -1);
	if (!strstr(e.text, "the file system is full after"))
		fail_msg("%s", e.text);
	assert_int_equal(entries(dir), 1);
	hear_done(&eater.h);
	assert_int_equal(umount(dir), 0);
	rmdir(dir);
	arena_free(a);
}

static void an_unmounted_target_is_noticed(void **state)
{
	struct arena *a = arena_new();
	const char *dir = small_tmpfs("size=40m");
	struct bench_order o;
	struct err e = { 0 };
	struct heard h;

	(void)state;
	hear_start(&h);
	h.unmount = dir;
	order_for(a, &o, dir, "small-photo", 0.01);
	assert_int_equal(bench_run(&o, hear, &h, &e), -1);
	if (!strstr(e.text, "was unmounted while it was measured"))
		fail_msg("%s", e.text);
	assert_int_equal(entries(dir), 0);
	hear_done(&h);
	rmdir(dir);
	arena_free(a);
}

static void targets_that_are_none(void **state)
{
	struct arena *a = arena_new();
	struct bench_order o;
	struct err e = { 0 };
	struct heard h;

	(void)state;
	hear_start(&h);
	order_for(a, &o, "/proc/version", "500M", 0.01);
	assert_int_equal(bench_run(&o, hear, &h, &e), -1);
	assert_string_equal(e.text, "/proc/version is not a directory");
	o.target = "/nonexistent/dir";
	assert_int_equal(bench_run(&o, hear, &h, &e), -1);
	assert_non_null(strstr(e.text, "cannot open /nonexistent/dir: No such file"));
	hear_done(&h);
	arena_free(a);
}

/* A read right after the write comes from memory, and does not when there is less of that. */
static void less_memory_is_a_cliff(void **state)
{
	static const uint64_t limits[] = { 0, 48 * MIB };
	unsigned turn;
	struct arena *a = arena_new();
	char dir[] = "/var/tmp/naslab-test-XXXXXX";
	struct bench_order o;
	struct err e = { 0 };
	const json_t *r;
	struct heard h;
	size_t i;

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (i = turn = 0; i < 2; ) {
		hear_start(&h);
		order_for(a, &o, dir, "500M", 0.3);
		o.reps = 1;
		o.cache = CACHE_AS_IS;
		o.ram = limits[i];
		if (bench_run(&o, hear, &h, &e) < 0) {
			hear_done(&h);
			wipe(dir);
			arena_free(a);
			/* the sentence says what is missing, then there is nothing to test */
			assert_true(o.ram && strstr(e.text, "control group"));
			print_message("skip: %s\n", e.text);
			skip();
		}
		r = json_array_get(h.results, 1);
		assert_string_equal(json_str(r, "op"), "read");
		/* other tests use this disk and empty the cache: one of ten readings is our own */
		if (i == 0 && !has_flag(r, "nodisk") && !has_flag(r, "cached") && ++turn < 10) {
			hear_done(&h);
			continue;
		}
		if (!has_flag(r, "nodisk")) {
			assert_int_equal(has_flag(r, "cached"), i == 0);
			if (i)
				assert_true(json_u64(r, "disk_bytes", 0) > 120000000);
		}
		assert_int_equal(json_u64(r, "ram_limit_bytes", 0), limits[i]);
		if (i)
			assert_int_equal(json_u64(r, "memory_bytes", 0), limits[i]);
		assert_int_equal(entries(dir), 0);
		hear_done(&h);
		i++;
	}
	wipe(dir);
	arena_free(a);
}

/* Whoever is killed leaves a group; the next one removes it, and no other. */
static void a_killed_one_leaves_no_group(void **state)
{
	struct ram_limit mine, other = { "", -1 };
	struct err e = { 0 };
	struct stat st;
	int p[2], status;
	pid_t pid;

	(void)state;
	if (ram_open(&mine, 64 * MIB, &e) < 0) {
		print_message("skip: %s\n", e.text);
		skip();
	}
	assert_int_equal(pipe(p), 0);
	pid = fork();
	if (pid == 0) {
		if (ram_open(&other, 64 * MIB, &e) < 0 ||
		    write(p[1], other.dir, sizeof(other.dir)) != sizeof(other.dir))
			_exit(1);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(read(p[0], other.dir, sizeof(other.dir)), sizeof(other.dir));
	assert_int_equal(stat(other.dir, &st), 0);
	ram_sweep();
	assert_int_equal(stat(other.dir, &st), -1);
	assert_int_equal(stat(mine.dir, &st), 0);
	strcpy(other.dir, mine.dir);
	ram_close(&mine);
	assert_int_equal(stat(other.dir, &st), -1);
	close(p[0]);
	close(p[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_verified),
		cmocka_unit_test(a_set_is_measured),
		cmocka_unit_test(records_are_touched_once),
		cmocka_unit_test(a_block_class_is_measured),
		cmocka_unit_test(less_memory_is_a_cliff),
		cmocka_unit_test(a_killed_one_leaves_no_group),
		cmocka_unit_test(repeats_until_it_is_sure),
		cmocka_unit_test(read_only_keeps_one_set),
		cmocka_unit_test(a_signal_leaves_nothing),
		cmocka_unit_test(nohup_is_heeded),
		cmocka_unit_test(asked_to_stop_it_leaves_nothing),
		cmocka_unit_test(a_kill_is_cleaned_by_the_next),
		cmocka_unit_test(a_full_target_leaves_nothing),
		cmocka_unit_test(an_unmounted_target_is_noticed),
		cmocka_unit_test(targets_that_are_none),
	};

	use_shipped_workloads();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
