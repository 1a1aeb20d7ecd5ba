/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees of files, lists of sizes, and files that a person has: names and bytes, exactly. */
#include "bench-bed.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "bench/found.h"
#include "bench/workload.h"

static void made(struct arena *a, const char *text, double scale, struct corpus **c)
{
	struct err e = { 0 };
	struct workload w;

	if (workload_parse(a, "x", text, "x", &w, &e) < 0 || workload_look(&w, &e) < 0)
		fail_msg("%s", e.text);
	*c = corpus_new(&w, scale);
}

/* --- depth --- */

static void trees(void **state)
{
	/* ten files, two in a directory: five of those. At depth 3 two are in each (2^3 >= 5), at
	 * depth 2 three (3^2 >= 5) */
	static const struct {
		unsigned depth;
		size_t dirs;
		const char *first, *last;
	} cases[] = {
		{ 1, 5, "d00000/f0000000.bin", "d00004/f0000009.bin" },
		{ 2, 5 + 2, "d00000/d00000/f0000000.bin", "d00001/d00004/f0000009.bin" },
		{ 3, 5 + 3 + 2, "d00000/d00000/d00000/f0000000.bin",
		  "d00001/d00002/d00004/f0000009.bin" },
	};
	struct arena *a = arena_new();
	char path[CORPUS_PATH];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct corpus *c;

		made(a, arena_printf(a, "fileset size=4K count=10 width=2 depth=%u\nop read\n",
				     cases[i].depth), 1, &c);
		assert_int_equal(corpus_all_dirs(c), cases[i].dirs);
		corpus_path(c, 0, path);
		assert_string_equal(path, cases[i].first);
		corpus_path(c, 9, path);
		assert_string_equal(path, cases[i].last);
		corpus_free(c);
	}
	arena_free(a);
}

/* Every way into a tree: whole files, records, names. */
static void trees_are_used(void **state)
{
	static const enum bench_op on_files[] = {
		BENCH_WRITE, BENCH_READ, BENCH_VERIFY, BENCH_HASH, BENCH_RAND_WRITE, BENCH_RAND_READ,
	}, on_names[] = { BENCH_RAND_CREATE, BENCH_STAT, BENCH_RAND_DELETE };
	struct bed b;
	size_t i;

	(void)state;
	bed_make(&b, "fileset size=10000 count=30 width=3 depth=4\nop read\n");
	for (i = 0; i < sizeof(on_files) / sizeof(on_files[0]); i++) {
		bed_ok(&b, on_files[i]);
		assert_int_equal(b.r.bytes, 300000);
	}
	bed_end(&b);
	bed_make(&b, "fileset size=0 count=30 width=3 depth=4\nop stat\n");
	for (i = 0; i < sizeof(on_names) / sizeof(on_names[0]); i++) {
		bed_ok(&b, on_names[i]);
		assert_int_equal(b.r.files, 30);
	}
	bed_end(&b);
}

/* --- lists of sizes --- */

static void lists(void **state)
{
	static const uint64_t sizes[] = { 4 * KIB, 64 * KIB, MIB };
	static const struct {
		double scale;
		size_t want[3];
	} cases[] = { { 1, { 10, 5, 1 } }, { 2, { 20, 10, 2 } }, { 0.4, { 4, 2, 0 } },
		      { 0.001, { 1, 0, 0 } } };
	struct arena *a = arena_new();
	size_t i, k, s;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const size_t *want = cases[i].want;
		size_t all = want[0] + want[1] + want[2], got[3] = { 0 };
		struct corpus *c;

		made(a, "fileset size=4K:10,64K:5,1M\nop read\n", cases[i].scale, &c);
		assert_int_equal(c->n, all);
		assert_int_equal(c->bytes, want[0] * sizes[0] + want[1] * sizes[1] + want[2] * sizes[2]);
		for (k = 0; k < c->n; k++) {
			for (s = 0; s < 3; s++) {	/* mixed: never far from its share */
				got[s] += c->sizes[k] == sizes[s];
				assert_true(got[s] * all < want[s] * (k + 1) + 2 * all &&
					    got[s] * all + 2 * all > want[s] * (k + 1));
			}
		}
		assert_memory_equal(got, want, sizeof(got));
		corpus_free(c);
	}
	arena_free(a);
}

/* As given, not as the table has them; what a dirty cache adds goes before the reading. */
static void order_of_a_round(void **state)
{
	static const enum bench_op want[] = {
		BENCH_WRITE, BENCH_MODIFY, BENCH_READ_DIRTY, BENCH_READ, BENCH_STAT,
	};
	const unsigned dirty = 1u << BENCH_READ_DIRTY;
	struct arena *a = arena_new();
	enum bench_op order[BENCH_OPS];
	struct err e = { 0 };
	struct workload w;

	(void)state;
	assert_int_equal(workload_parse(a, "x", "fileset size=1M\nop write modify\nop read stat read\n",
					"x", &w, &e), 0);
	assert_int_equal(workload_order(&w, w.ops | dirty, order), 5);
	assert_memory_equal(order, want, sizeof(want));
	assert_int_equal(workload_order(&w, workload_ops(&w, false, true), order), 2);
	assert_int_equal(order[0], BENCH_READ);
	shipped(a, "whole-block", &w);
	assert_int_equal(workload_order(&w, w.ops, order), 3);
	assert_int_equal(order[1], BENCH_MODIFY);	/* as bonnie++ does it */
	arena_free(a);
}

static void wrong_sets(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "fileset size=4K:0,1M\n", "the number of files behind a size" },
		{ "fileset size=4K:3,\n", "line 1: size: " },
		{ "fileset size=4K:3,much:2\n", "line 1: size: " },
		{ "fileset size=4K:3 count=5\n", "a list of sizes says how many files there are" },
		{ "fileset size=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1\n", "at most 16 sizes" },
		{ "fileset size=1K,1P:2\n", "larger than 1 PiB" },
		{ "fileset size=1M depth=0\n", "depth" },
		{ "fileset size=1M depth=9\n", "depth" },
		{ "fileset data=dir:\n", "data=dir:PATH wants a whole path" },
		{ "fileset data=dir:photos\n", "as in dir:/srv/photos, not \"photos\"" },
		{ "fileset data=dir:/srv size=1M\n", "sizes and number are those of the folder's files" },
		{ "fileset data=dir:/srv count=3\n", "sizes and number are those of the folder's files" },
		{ "fileset size=1M\nop rewrite hash\n", "hash compares" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		not_parsed(cases[i].text, cases[i].says);
}

/* --- a person's own files --- */

enum { A = 70000, B = 10, C = 200000 };

static void put(const char *path, size_t len, unsigned char *copy)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	corpus_random(len, len, copy);
	assert_int_equal(fwrite(copy, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* Three files in two folders, and what is none; their bytes one after the other in *all. */
static char *own_folder(struct arena *a, unsigned char *all)
{
	static const char shape[] = "/tmp/naslab-own-XXXXXX";
	char *own = arena_strdup(a, shape);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_non_null(mkdtemp(own));
	assert_int_equal(mkdir(arena_printf(a, "%s/a", own), 0755), 0);
	put(arena_printf(a, "%s/a/z", own), A, all);
	put(arena_printf(a, "%s/b", own), B, all + A);
	put(arena_printf(a, "%s/c", own), C, all + A + B);
	assert_int_equal(symlink(".", arena_printf(a, "%s/loop", own)), 0);
	assert_int_equal(symlink("/proc/version", arena_printf(a, "%s/link", own)), 0);
	assert_int_equal(mkfifo(arena_printf(a, "%s/fifo", own), 0644), 0);
	assert_int_equal(mkdir(arena_printf(a, "%s/.naslab-bench-aaaaaa", own), 0755), 0);
	put(arena_printf(a, "%s/.naslab-bench-aaaaaa/f", own), B, all + A + B + C);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", own);
	assert_true(s >= 0 && bind(s, (const struct sockaddr *)&address, sizeof(address)) == 0);
	close(s);
	return own;
}

/* The bed's files, one after the other. */
static void same_bytes(const struct bed *b, const unsigned char *want, size_t len)
{
	unsigned char *got = calloc(1, len + 1);
	char path[CORPUS_PATH];
	size_t i, at = 0;

	assert_non_null(got);
	for (i = 0; i < b->c->n; i++) {
		int fd;

		corpus_path(b->c, i, path);
		fd = openat(b->job.dir, path, O_RDONLY);
		assert_true(fd >= 0);
		assert_int_equal(read(fd, got + at, b->c->sizes[i]), (ssize_t)b->c->sizes[i]);
		at += b->c->sizes[i];
		close(fd);
	}
	assert_int_equal(at, len);
	assert_memory_equal(got, want, len);
	free(got);
}

static void own_files(void **state)
{
	unsigned char *all = calloc(1, A + B + C + B + CORPUS_SLACK);
	struct arena *a = arena_new();
	struct err e = { 0 };
	struct corpus *c;
	const char *own;
	struct bed b;

	(void)state;
	assert_non_null(all);
	own = own_folder(a, all);
	bed_make(&b, arena_printf(a, "fileset data=dir:%s width=2\nop write\n", own));
	assert_int_equal(workload_look(&b.w, &b.e), 0);
	assert_int_equal(b.w.bytes, A + B + C);
	corpus_free(b.c);
	b.c = corpus_new(&b.w, 1);
	b.job.corpus = b.c;
	bed_ok(&b, BENCH_WRITE);
	same_bytes(&b, all, A + B + C);
	bed_ok(&b, BENCH_VERIFY);
	bed_ok(&b, BENCH_HASH);

	/* one that has changed, or went away, is noticed and named */
	put(arena_printf(a, "%s/b", own), B + 1, all);
	assert_int_equal(bed_run(&b, BENCH_VERIFY), -1);
	assert_string_equal(b.e.text, arena_printf(a, "%s/b, whose content is copied, has changed", own));
	assert_int_equal(unlink(arena_printf(a, "%s/b", own)), 0);
	assert_int_equal(bed_run(&b, BENCH_VERIFY), -1);
	assert_string_equal(b.e.text, arena_printf(a, "cannot read %s/b, whose content is copied: No such "
						   "file or directory", own));
	assert_int_equal(bed_run(&b, BENCH_HASH), -1);
	bed_end(&b);

	/* what is left: half of it, and twice; and what is held no longer needs the files */
	made(a, arena_printf(a, "fileset data=dir:%s\nop write\n", own), 0.5, &c);
	assert_true(c->n == 1 && c->bytes == A);
	corpus_free(c);
	made(a, arena_printf(a, "fileset data=dir:%s\nop write\n", own), 2, &c);
	assert_true(c->n == 4 && c->sizes[1] == C && c->sizes[2] == A && c->bytes == 2 * (A + C));
	found_hold((struct found *)(uintptr_t)c->sets[0].found);
	wipe(own);
	put("/dev/null", A, all);
	assert_int_equal(found_read(&c->sets[0].found->files[0], 1, A - 1, all + A), 0);
	assert_memory_equal(all + A, all + 1, A - 1);
	corpus_free(c);
	assert_null(found_look(a, own, &e));
	assert_non_null(strstr(e.text, "No such file"));
	free(all);
	arena_free(a);
}

/* What lies in memory is written from there, beside files that are made, by one stream or by
 * many, in small calls, and past the cache; the folder may be gone by then. */
static void held_files(void **state)
{
	static const struct {
		unsigned streams;
		bool direct;
	} ways[] = { { 1, false }, { 3, false }, { 1, true }, { 2, true } };
	unsigned char *all = calloc(1, A + B + C + CORPUS_SLACK);
	struct arena *a = arena_new();
	size_t i;

	(void)state;
	assert_non_null(all);
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		char *own = own_folder(a, all);
		struct bed b;

		bed_make(&b, arena_printf(a, "fileset count=4 size=70001 width=2\n"
					     "fileset data=dir:%s\nop write\n", own));
		assert_int_equal(workload_look(&b.w, &b.e), 0);
		found_hold(b.w.sets[1].found);
		wipe(own);
		corpus_free(b.c);
		b.job.corpus = b.c = corpus_new(&b.w, 1);
		assert_int_equal(b.c->n, 7);
		assert_null(corpus_held(b.c, 3));
		assert_memory_equal(corpus_held(b.c, 6), all + A + B, C);
		assert_int_equal((uintptr_t)corpus_held(b.c, 6) % 4096, 0);
		b.job.streams = ways[i].streams;
		b.job.direct = ways[i].direct;
		if (bed_run(&b, BENCH_WRITE) < 0 && (!b.job.direct || !strstr(b.e.text, "O_DIRECT")))
			fail_msg("%s", b.e.text);
		if (!b.e.text[0]) {
			assert_int_equal(b.r.bytes, 4 * 70001 + A + B + C);
			b.job.direct = false;
			bed_ok(&b, BENCH_VERIFY);
		}
		bed_end(&b);
	}
	free(all);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(held_files),
		cmocka_unit_test(trees),
		cmocka_unit_test(trees_are_used),
		cmocka_unit_test(lists),
		cmocka_unit_test(order_of_a_round),
		cmocka_unit_test(wrong_sets),
		cmocka_unit_test(own_files),
	};

	use_shipped_workloads();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
