/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations that are counted, not weighed: names, hashes, mail. What the engine says it did
 * is held against what inotify saw and what lies in the folder afterwards.
 */
#include "bench-hear.h"
#include "bench-job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include "bench/corpus.h"
#include "bench/engine.h"

/* n files, all of one size, so many in a directory. */
static struct corpus *files(size_t n, uint64_t size, size_t width)
{
	struct corpus *c = calloc(1, sizeof(*c));
	size_t i;

	assert_non_null(c);
	*c = (struct corpus){ .n = n, .bytes = n * size, .width = width, .n_sets = 1,
			      .sets[0] = { .seed = 11, .n = n, .bytes = n * size },
			      .n_dirs = width ? (n + width - 1) / width : 0,
			      .sizes = calloc(n, sizeof(*c->sizes)) };
	assert_non_null(c->sizes);
	for (i = 0; i < n; i++)
		c->sizes[i] = size;
	return c;
}

/* Files below a directory and their bytes. */
static size_t count_files(int dir, uint64_t *bytes)
{
	DIR *list = fdopendir(openat(dir, ".", O_RDONLY | O_DIRECTORY));
	struct dirent *d;
	struct stat st;
	size_t n = 0;
	int sub;

	assert_non_null(list);
	while ((d = readdir(list))) {
		if (*d->d_name == '.')
			continue;
		assert_int_equal(fstatat(dir, d->d_name, &st, 0), 0);
		if (S_ISDIR(st.st_mode)) {
			sub = openat(dir, d->d_name, O_RDONLY | O_DIRECTORY);
			n += count_files(sub, bytes);
			close(sub);
		} else {
			*bytes += (uint64_t)st.st_size;
			n++;
		}
	}
	closedir(list);
	return n;
}

struct seen {
	unsigned created, opened, read, closed, deleted;
	bool sorted;		/* the names came in their order */
};

/* What happened in a folder since the watch was set. */
static void look(int watch, struct seen *out)
{
	char buf[65536] __attribute__((aligned(__alignof__(struct inotify_event)))), last[64] = "";
	ssize_t len, at;

	*out = (struct seen){ .sorted = true };
	while ((len = read(watch, buf, sizeof(buf))) > 0) {
		const struct inotify_event *ev;

		for (at = 0; at < len; at += (ssize_t)(sizeof(*ev) + ev->len)) {
			ev = (const struct inotify_event *)(const void *)(buf + at);
			assert_false(ev->mask & IN_Q_OVERFLOW);
			out->created += !!(ev->mask & IN_CREATE);
			out->opened += !!(ev->mask & IN_OPEN);
			out->read += !!(ev->mask & IN_ACCESS);
			out->closed += !!(ev->mask & IN_CLOSE);
			out->deleted += !!(ev->mask & IN_DELETE);
			if (!(ev->mask & (IN_CREATE | IN_DELETE)))
				continue;
			out->sorted &= strcmp(last, ev->name) < 0;
			snprintf(last, sizeof(last), "%s", ev->name);
		}
	}
}

/* Each file is made, looked at and removed once, in the order that is said. */
static void names_are_touched_once(void **state)
{
	enum { N = 300 };
	static const struct {
		enum bench_op make, look, take;
		bool sorted;
	} cases[] = {
		{ BENCH_CREATE, BENCH_STAT, BENCH_DELETE, true },
		{ BENCH_RAND_CREATE, BENCH_RAND_STAT, BENCH_RAND_DELETE, false },
	};
	const char *path = scratch();
	int dir = open(path, O_RDONLY | O_DIRECTORY), watch;
	struct corpus *c = files(N, 0, 0);
	struct engine_job job = { .dir = dir, .corpus = c };
	struct engine_result r;
	struct seen seen;
	uint64_t bytes = 0;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		watch = inotify_init1(IN_NONBLOCK);
		assert_true(watch >= 0);
		assert_true(inotify_add_watch(watch, path, IN_CREATE | IN_OPEN | IN_ACCESS | IN_CLOSE |
					      IN_DELETE | IN_ONLYDIR) >= 0);
		look(watch, &seen);
		job.op = cases[i].make;
		job_ok(&job, &r);
		assert_int_equal(r.ops, N);
		assert_int_equal(r.files, N);
		assert_int_equal(r.bytes, 0);
		assert_true(r.p50_ns && r.p50_ns <= r.p99_ns && r.p99_ns <= r.max_ns);
		assert_true(r.max_ns <= r.felt_ns && r.felt_ns <= r.durable_ns);
		look(watch, &seen);
		assert_int_equal(seen.created, N);
		assert_int_equal(seen.opened, N);	/* by its own creation alone */
		assert_int_equal(seen.closed, N);
		assert_int_equal(seen.sorted, cases[i].sorted);
		assert_int_equal(count_files(dir, &bytes), N);
		assert_int_equal(bytes, 0);
		look(watch, &seen);

		job.op = cases[i].look;
		job_ok(&job, &r);
		assert_int_equal(r.ops, N);
		assert_int_equal(r.durable_ns, r.felt_ns);	/* nothing to be made durable */
		look(watch, &seen);
		assert_int_equal(seen.opened, 0);	/* their status, not their content */

		job.op = cases[i].take;
		job_ok(&job, &r);
		assert_int_equal(r.ops, N);
		look(watch, &seen);
		assert_int_equal(seen.deleted, N);
		assert_int_equal(seen.sorted, cases[i].sorted);
		assert_int_equal(count_files(dir, &bytes), 0);
		close(watch);
	}
	close(dir);
	corpus_free(c);
	wipe(path);
}

/* Several directories; and what is wrong with the files is said. */
static void names_in_directories(void **state)
{
	const char *path = scratch();
	int dir = open(path, O_RDONLY | O_DIRECTORY), fd;
	struct corpus *c = files(2500, 0, 1000);
	struct engine_job job = { .op = BENCH_CREATE, .dir = dir, .corpus = c };
	struct engine_result r;
	uint64_t bytes = 0;

	(void)state;
	job_ok(&job, &r);
	assert_int_equal(r.ops, 2500);
	assert_int_equal(count_files(dir, &bytes), 2500);
	fd = openat(dir, "d00002", O_RDONLY | O_DIRECTORY);
	assert_int_equal(count_files(fd, &bytes), 500);
	close(fd);
	job_fails(&job, EEXIST, "cannot make d00000/f0000000.bin: File exists");
	job.op = BENCH_RAND_STAT;
	job_ok(&job, &r);
	assert_int_equal(r.ops, 2500);
	fd = openat(dir, "d00001/f0001234.bin", O_WRONLY);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	job_fails(&job, EILSEQ, "d00001/f0001234.bin is not as long as it was written");
	assert_int_equal(unlinkat(dir, "d00001/f0001234.bin", 0), 0);
	job_fails(&job, ENOENT, "cannot look at d00001/f0001234.bin: No such file");
	job.op = BENCH_DELETE;
	job_fails(&job, ENOENT, "cannot remove d00001/f0001234.bin: No such file");
	close(dir);
	corpus_free(c);
	wipe(path);
}

static void hashes_are_compared(void **state)
{
	const char *path = scratch();
	int dir = open(path, O_RDONLY | O_DIRECTORY), watch = inotify_init1(IN_NONBLOCK), fd;
	struct corpus *c = files(100, 70000, 40);
	struct engine_job job = { .op = BENCH_WRITE, .dir = dir, .corpus = c, .bs = 65536 };
	struct engine_result r, three;
	struct seen seen;
	char byte;

	(void)state;
	job_ok(&job, &r);
	assert_int_equal(r.checksum, 0);
	job.op = BENCH_HASH;
	job.streams = 1;
	assert_true(inotify_add_watch(watch, arena_printf(*state, "%s/d00001", path),
				      IN_OPEN | IN_ACCESS | IN_CLOSE) >= 0);
	job_ok(&job, &r);
	look(watch, &seen);
	assert_int_equal(seen.opened, 40);
	assert_int_equal(seen.closed, 40);
	assert_true(seen.read >= 40 && seen.read <= 80);	/* two reads, one after another may merge */
	assert_int_equal(r.ops, 100);
	assert_int_equal(r.files, 100);
	assert_int_equal(r.bytes, 7000000);
	assert_true(r.checksum && r.p50_ns && r.p99_ns <= r.max_ns);
	job.streams = 3;
	job_ok(&job, &three);
	assert_true(three.checksum == r.checksum);
	assert_int_equal(three.ops, 100);
	job.checksum = r.checksum;	/* as in the second repetition */
	job_ok(&job, &three);
	job.checksum = r.checksum + 1;
	job_fails(&job, EILSEQ, "the checksum of all files is not that of what was written");
	job.checksum = 0;
	/* two files that changed places, and one byte */
	assert_int_equal(renameat(dir, "d00000/f0000003.bin", dir, "x"), 0);
	assert_int_equal(renameat(dir, "d00000/f0000004.bin", dir, "d00000/f0000003.bin"), 0);
	assert_int_equal(renameat(dir, "x", dir, "d00000/f0000004.bin"), 0);
	job_fails(&job, EILSEQ, "the checksum");
	assert_int_equal(renameat(dir, "d00000/f0000003.bin", dir, "x"), 0);
	assert_int_equal(renameat(dir, "d00000/f0000004.bin", dir, "d00000/f0000003.bin"), 0);
	assert_int_equal(renameat(dir, "x", dir, "d00000/f0000004.bin"), 0);
	job_ok(&job, &r);
	fd = openat(dir, "d00002/f0000099.bin", O_RDWR);
	assert_int_equal(pread(fd, &byte, 1, 69999), 1);
	byte ^= 1;
	assert_int_equal(pwrite(fd, &byte, 1, 69999), 1);
	job_fails(&job, EILSEQ, "the checksum");
	assert_int_equal(ftruncate(fd, 69999), 0);
	job_fails(&job, EILSEQ, "d00002/f0000099.bin is not as long as it was written");
	close(fd);
	close(watch);
	close(dir);
	corpus_free(c);
	wipe(path);
}

/* Four of five files at first; each deleted one comes again; 1 + 4 + 5 + 3 operations. */
static void mail_adds_up(void **state)
{
	enum { N = 100, THREADS = 6, MS = 400, BS = 4096 };
	static const struct {
		const char *word;
		uint64_t ops;
	} steps[] = { { "delete", 1 }, { "create", 4 }, { "append", 5 }, { "read", 3 } };
	const char *path = scratch();
	int dir = open(path, O_RDONLY | O_DIRECTORY);
	struct corpus *c = files(N, 16384, 0);
	struct engine_job job = { .op = BENCH_MAIL, .dir = dir, .corpus = c, .bs = BS,
				  .streams = THREADS, .stop_ns = MS * 1000000ull };
	struct engine_result r;
	uint64_t sum = 0, bytes = 0, i;

	(void)state;
	job_ok(&job, &r);
	assert_int_equal(r.n_steps, 4);
	for (i = 0; i < 4; i++) {
		const struct engine_step *s = &r.steps[i];

		assert_string_equal(s->word, steps[i].word);
		assert_true(s->n && s->p50_ns <= s->p99_ns && s->p99_ns <= s->max_ns);
		assert_true(s->max_ns <= r.max_ns);
		sum += s->n * steps[i].ops;
		/* no thread is more than one step ahead */
		assert_true(!i || (s->n <= s[-1].n && s[-1].n <= s->n + THREADS));
	}
	assert_int_equal(r.ops, sum);
	assert_true(r.felt_ns >= MS * 1000000ull);
	assert_int_equal(count_files(dir, &bytes), N * 80 / 100 + r.steps[1].n - r.steps[0].n);
	/* all that was read and appended; what it began with is not in it */
	assert_true(r.bytes > r.steps[3].n * 1000 && r.bytes < r.ops * 1000000);
	close(dir);
	corpus_free(c);
	wipe(path);
}

/* It is stopped at once, although it would go on for a minute. */
static void mail_stops(void **state)
{
	const char *path = scratch();
	int dir = open(path, O_RDONLY | O_DIRECTORY), error;
	struct corpus *c = files(20, 1000, 0);
	struct engine_job job = { .op = BENCH_MAIL, .dir = dir, .corpus = c, .bs = 4096,
				  .streams = 16, .stop_ns = 60 * 1000000000ull };
	struct engine_result r;
	struct engine x;
	struct err e = { 0 };
	uint64_t since = clock_ns();

	(void)state;
	assert_int_equal(engine_start(&job, &x, &e), 0);
	while (!engine_ops(&x) && !engine_ended(&x, 1))
		;
	engine_stop(&x);
	assert_int_equal(engine_end(&x, &r, &error, &e), -1);
	assert_int_equal(error, 0);
	assert_string_equal(e.text, "stopped");
	assert_true(clock_ns() - since < 30 * 1000000000ull);
	close(dir);
	corpus_free(c);
	wipe(path);
}

/* The shipped classes end to end: what a run counted over its time is its rate. */
static void shipped_ones_are_counted(void **state)
{
	static const struct {
		const char *name, *unit;
		unsigned ops;		/* operations of the class */
		uint64_t files;		/* of 16384, 1000 and 730 000 at this scale; 0: not told */
	} cases[] = {
		{ "names", "files", 6, 164 }, { "mail", "ops", 1, 0 }, { "trees-scan", "files", 1, 0 },
	};
	struct arena *a = arena_new();
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct heard h;
		struct workload *w = arena_alloc(a, sizeof(*w));
		const char *dir = scratch();
		struct bench_order o;
		struct err e = { 0 };
		const json_t *r;

		hear_start(&h);
		order_for(a, &o, dir, cases[i].name, strcmp(cases[i].name, "trees-scan") ? 0.01 : 1e-4);
		*w = *(const struct workload *)o.workloads.at[0];
		w->min_free = w->min_free_percent = 0;
		if (w->stop_ns)
			w->stop_ns = 300000000;
		o.workloads.at[0] = w;
		o.no_wait = true;
		if (bench_run(&o, hear, &h, &e) < 0)
			fail_msg("%s", e.text);
		assert_int_equal(json_array_size(h.runs), 2 * cases[i].ops);
		assert_int_equal(json_array_size(h.results), cases[i].ops);
		json_array_foreach(h.runs, k, r) {
			double n = (double)json_u64(r, "ops", 0), ns = (double)json_u64(r, "felt_ns", 0);

			assert_string_equal(json_str(r, "unit"), cases[i].unit);
			assert_null(json_object_get(r, "bps"));
			assert_true(n > 0 && fabs(bench_rate(r, "", false) / (n * 1e9 / ns) - 1) < 1e-9);
			assert_true(bench_rate(r, "", true) <= bench_rate(r, "", false));
			assert_true(!cases[i].files || json_u64(r, "ops", 0) == cases[i].files);
			if (!strcmp(json_str(r, "op"), "hash"))
				assert_true(json_is_true(json_object_get(r, "verified")));
		}
		json_array_foreach(h.results, k, r) {
			assert_true(bench_rate(r, "min", false) <= bench_rate(r, "median", false));
			assert_true(bench_rate(r, "median", false) <= bench_rate(r, "max", false));
			assert_int_equal(json_array_size(json_object_get(r, "steps")),
					 strcmp(cases[i].unit, "ops") ? 0 : 4);
		}
		assert_int_equal(rmdir(dir), 0);	/* nothing was left */
		hear_done(&h);
	}
	arena_free(a);
}

static int with_arena(void **state)
{
	*state = arena_new();
	return 0;
}

static int without_arena(void **state)
{
	arena_free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_touched_once),
		cmocka_unit_test(names_in_directories),
		cmocka_unit_test_setup_teardown(hashes_are_compared, with_arena, without_arena),
		cmocka_unit_test(mail_adds_up),
		cmocka_unit_test(mail_stops),
		cmocka_unit_test(shipped_ones_are_counted),
	};

	use_shipped_workloads();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
