/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measuring: workload text, the corpus, statistics, the disks' counters, whole runs. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "bench/bench.h"
#include "bench/corpus.h"
#include "bench/counters.h"
#include "bench/engine.h"
#include "bench/workdir.h"

static const char *source_dir(void)
{
	const char *dir = getenv("srcdir");

	return dir ? dir : ".";
}

/* --- statistics --- */

static void medians(void **state)
{
	static const struct {
		double v[8];
		size_t n;
		double min, median, max;
	} cases[] = {
		{ { 5 }, 1, 5, 5, 5 },
		{ { 3, 1 }, 2, 1, 2, 3 },
		{ { 9, 1, 5 }, 3, 1, 5, 9 },
		{ { 7, 7, 1, 2, 9, 4, 3 }, 7, 1, 4, 9 },
		{ { 8, 2, 4, 6 }, 4, 2, 5, 8 },
	};
	struct stats s;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		stats_of(cases[i].v, cases[i].n, &s);
		assert_true(s.min == cases[i].min && s.median == cases[i].median &&
			    s.max == cases[i].max && s.n == cases[i].n);
	}
	stats_of(NULL, 0, &s);
	assert_int_equal(s.n, 0);
}

/* --- workloads --- */

/* MATRIX W01-W07: the classes, smallest first, with the bytes their names say. */
static void shipped_workloads(void **state)
{
	static const struct {
		const char *name;
		uint64_t bytes;
		bool single, text;
	} want[] = {
		{ "small-text", 500000000, false, true },
		{ "small-photo", 500000000, false, false },
		{ "500M", 500000000, true, false },
		{ "1G", 1000000000, true, false },
		{ "2G", 2000000000, true, false },
		{ "8G", 8000000000, true, false },
		{ "12G", 12000000000, true, false },
	};
	struct arena *a = arena_new();
	struct list all = { 0 };
	struct workload one;
	struct err e = { 0 };
	size_t i;

	(void)state;
	assert_int_equal(workload_list(a, &all, &e), 0);
	assert_int_equal(all.n, sizeof(want) / sizeof(want[0]));
	for (i = 0; i < all.n; i++) {
		const struct workload *w = all.at[i];

		assert_string_equal(w->name, want[i].name);
		assert_int_equal(w->bytes, want[i].bytes);
		assert_int_equal(w->single, want[i].single);
		assert_int_equal(w->text, want[i].text);
		assert_true(w->write && w->read && w->title);
	}
	assert_int_equal(workload_find(a, "smal-text", &one, &e), -1);
	assert_non_null(strstr(e.text, "did you mean \"small-text\""));
	arena_free(a);
}

static void bad_workloads(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "line 1: there is no fileset" },
		{ "fileset size=1M\n", "line 2: there is no op" },
		{ "op copy-in\nfileset size=1M sise=2\n",
		  "x.workload line 2: fileset has no \"sise\"; did you mean \"size\"?" },
		{ "# c\n\nfilesat size=1M\n", "line 3: there is no \"filesat\"; did you mean" },
		{ "fileset size=0\n", "line 1: size must be from 1 byte" },
		{ "fileset size=1X\n", "line 1: size: " },
		{ "fileset size\n", "line 1: fileset wants key=value" },
		{ "fileset count=0 size=1M\n", "line 1: " },
		{ "fileset size=1M data=zero\n", "line 1: data is text or random" },
		{ "fileset size=big\n", "line 1: size is a size or lognormal" },
		{ "fileset size=1M\nfileset size=1M\n", "line 2: a second fileset" },
		{ "op hash\n", "line 1: op is copy-in or copy-out" },
		{ "io bs=1\n", "line 1: bs must be from 4K to 16M" },
		{ "title\n", "line 1: title says nothing" },
		{ "op copy-in\nfileset size=lognormal bytes=1M median=1K\n", "wants median=, mean=" },
		{ "op copy-in\nfileset size=lognormal bytes=1M median=4K mean=1K max=9K\n",
		  "median <= mean < max" },
		{ "op copy-in\nfileset size=1000T count=10000000\n", "larger than 1 PiB" },
	};
	struct arena *a = arena_new();
	struct workload w;
	struct err e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		e = (struct err){ 0 };
		assert_int_equal(workload_parse(a, "x", cases[i].text, "x.workload", &w, &e), -1);
		assert_int_equal(e.kind, ERR_USAGE);
		if (!strstr(e.text, cases[i].says))
			fail_msg("\"%s\" lacks \"%s\"", e.text, cases[i].says);
	}
	arena_free(a);
}

/* --- the corpus --- */

/* xoshiro256++ of lane 0 and 5 of a block, written from the published algorithm
 * (splitmix64 seeds word by word, lane by lane in each of the two vectors). */
static uint64_t rotl(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

static uint64_t split(uint64_t *x)
{
	uint64_t z = *x += 0x9E3779B97F4A7C15u;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

static uint64_t reference(uint64_t key, unsigned lane, unsigned step)
{
	uint64_t seeds[32], s[4], out = 0;
	unsigned i;

	for (i = 0; i < 32; i++)
		seeds[i] = split(&key);
	for (i = 0; i < 4; i++)
		s[i] = seeds[lane / 4 * 16 + i * 4 + lane % 4];
	for (i = 0; i <= step; i++) {
		uint64_t t = s[1] << 17;

		out = rotl(s[0] + s[3], 23) + s[0];
		s[2] ^= s[0];
		s[3] ^= s[1];
		s[1] ^= s[2];
		s[0] ^= s[3];
		s[2] ^= t;
		s[3] = rotl(s[3], 45);
	}
	return out;
}

static void random_is_xoshiro(void **state)
{
	static unsigned char out[CORPUS_BLOCK + CORPUS_SLACK];
	uint64_t key, word;
	unsigned lane, step;

	(void)state;
	for (key = 0; key < 3; key++) {
		corpus_random(key * 77, CORPUS_BLOCK, out);
		for (step = 0; step < CORPUS_BLOCK / 64; step += 31) {
			for (lane = 0; lane < 8; lane++) {
				memcpy(&word, out + step * 64 + lane * 8, 8);
				assert_true(word == reference(key * 77, lane, step));
			}
		}
	}
}

/* The known start of splitmix64 from seed 1234567 (its author's test values). */
static void splitmix_is_known(void **state)
{
	static const uint64_t want[] = { 6457827717110365317u, 3203168211198807973u,
					 9817491932198370423u };
	uint64_t s = 1234567;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++)
		assert_true(corpus_mix(&s) == want[i]);
}

static void shipped(struct arena *a, const char *name, struct workload *w)
{
	struct err e = { 0 };

	assert_int_equal(workload_find(a, name, w, &e), 0);
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Sums are exact at any scale; the sets look like what MEASURE asks of them. */
static void corpus_has_its_sizes(void **state)
{
	static const double scales[] = { 1, 0.1, 0.02, 0.001, 1e-12 };
	struct arena *a = arena_new();
	struct list all = { 0 };
	struct err e = { 0 };
	size_t i, k;

	(void)state;
	assert_int_equal(workload_list(a, &all, &e), 0);
	for (i = 0; i < all.n; i++) {
		const struct workload *w = all.at[i];

		for (k = 0; k < sizeof(scales) / sizeof(scales[0]); k++) {
			struct corpus *c = corpus_new(w, scales[k]), *same = corpus_new(w, scales[k]);
			uint64_t sum = 0, want = (uint64_t)((double)w->bytes * scales[k] + 0.5);
			size_t f;

			for (f = 0; f < c->n; f++) {
				sum += c->sizes[f];
				assert_in_range(c->sizes[f], 1, w->single ? w->bytes : 1999999);
			}
			assert_int_equal(sum, want ? want : 1);
			assert_int_equal(c->bytes, sum);
			assert_int_equal(c->n, same->n);
			assert_memory_equal(c->sizes, same->sizes, c->n * sizeof(*c->sizes));
			if (scales[k] == 1 && !w->single) {
				qsort(c->sizes, c->n, sizeof(*c->sizes), by_size);
				assert_in_range(c->n, w->text ? 15000 : 600, w->text ? 60000 : 900);
				if (w->text)
					assert_in_range(c->sizes[c->n / 2], 7500, 8500);
			}
			corpus_free(c);
			corpus_free(same);
		}
	}
	arena_free(a);
}

/* A shorter request gives the same bytes; another file, block or seed gives others; and
 * nothing is written behind the slack. */
static void blocks_can_be_made_again(void **state)
{
	static const char *const names[] = { "small-text", "500M" };
	static unsigned char one[CORPUS_BLOCK + CORPUS_SLACK], two[CORPUS_BLOCK + CORPUS_SLACK + 8];
	static const size_t lens[] = { 1, 7, 63, 64, 65, 511, 513, 4096, 65535, CORPUS_BLOCK };
	struct arena *a = arena_new();
	struct workload w;
	size_t i, k;

	(void)state;
	for (k = 0; k < 2; k++) {
		struct corpus *c;

		shipped(a, names[k], &w);
		c = corpus_new(&w, 0.01);
		corpus_block(c, 3, 9, CORPUS_BLOCK, one);
		for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
			memset(two, 0xa5, sizeof(two));
			corpus_block(c, 3, 9, lens[i], two);
			assert_memory_equal(one, two, lens[i]);
			assert_int_equal(two[lens[i] + CORPUS_SLACK], 0xa5);
		}
		corpus_block(c, 3, 10, CORPUS_BLOCK, two);
		assert_memory_not_equal(one, two, 256);
		corpus_block(c, 4, 9, CORPUS_BLOCK, two);
		assert_memory_not_equal(one, two, 256);
		c->seed++;
		corpus_block(c, 3, 9, CORPUS_BLOCK, two);
		assert_memory_not_equal(one, two, 256);
		corpus_free(c);
	}
	arena_free(a);
}

static void text_is_text(void **state)
{
	static unsigned char out[CORPUS_BLOCK + CORPUS_SLACK];
	struct corpus_text *t = corpus_text_new();
	size_t i;

	(void)state;
	corpus_text(t, 1, CORPUS_BLOCK, out);
	for (i = 0; i < CORPUS_BLOCK; i++)
		assert_true(out[i] == '\n' || out[i] == '\t' || (out[i] >= ' ' && out[i] < 127));
	corpus_text_free(t);
}

/* --- counters --- */

static void stat_is_parsed(void **state)
{
	struct disk_bytes b;

	(void)state;
	assert_true(disk_stat_parse("   11  0  1024  5   22  0  4096  9  0  3  14  0 0 0 0 0 0\n", &b));
	assert_int_equal(b.read, 1024 * 512);
	assert_int_equal(b.written, 4096 * 512);
	assert_false(disk_stat_parse("1 2 x", &b));
	assert_false(disk_stat_parse("", &b));
	assert_int_equal(meminfo_dirty("MemTotal: 1 kB\nDirty:    100 kB\nWriteback:  28 kB\n"
				       "WritebackTmp: 9 kB\n"), 128 * 1024);
}

static void make(const char *root, const char *dir, const char *link_to)
{
	char path[600], *at;

	snprintf(path, sizeof(path), "%s/%s", root, dir);
	for (at = path + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
		*at = '/';
	}
	if (link_to)
		assert_int_equal(symlink(link_to, path), 0);
	else
		assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
}

/* A machine as sysfs shows it: lvm over two arrays over partitions of three disks; a
 * bcache whose set lies on an SSD; a btrfs of two partitions. */
static void record_machine(const char *root)
{
	static const struct {
		const char *path, *link;
	} tree[] = {
		{ "sys/devices/d/sda/sda1/partition", NULL },
		{ "sys/devices/d/sda/sda2/partition", NULL },
		{ "sys/devices/d/sdb/sdb1/partition", NULL },
		{ "sys/devices/d/sdb/sdb2/partition", NULL },
		{ "sys/devices/d/sdc/sdc1/partition", NULL },
		{ "sys/devices/d/sdg/bcache", NULL },
		{ "sys/devices/v/md126/md", NULL },
		{ "sys/devices/v/md127/md", NULL },
		{ "sys/devices/v/md126/slaves/sda1", "../../../d/sda/sda1" },
		{ "sys/devices/v/md126/slaves/sdb1", "../../../d/sdb/sdb1" },
		{ "sys/devices/v/md127/slaves/sdb2", "../../../d/sdb/sdb2" },
		{ "sys/devices/v/md127/slaves/sdc1", "../../../d/sdc/sdc1" },
		{ "sys/devices/v/dm-0/slaves/md126", "../../md126" },
		{ "sys/devices/v/dm-0/slaves/md127", "../../md127" },
		{ "sys/devices/v/md125/md", NULL },
		{ "sys/devices/v/md125/slaves/sda2", "../../../d/sda/sda2" },
		{ "sys/devices/v/bcache0/slaves/md125", "../../md125" },
		{ "sys/devices/v/bcache0/bcache", "../md125/bcache" },
		{ "sys/devices/v/md125/bcache/cache", "../../../../fs/bcache/u" },
		{ "sys/fs/bcache/u/cache0", "../../../devices/d/sdg/bcache" },
		{ "sys/dev/block/253:0", "../../devices/v/dm-0" },
		{ "sys/dev/block/252:0", "../../devices/v/bcache0" },
		{ "sys/dev/block/8:2", "../../devices/d/sda/sda2" },
		{ "sys/fs/btrfs/1111/devices/sda2", "../../../../devices/d/sda/sda2" },
		{ "sys/fs/btrfs/1111/devices/sdc1", "../../../../devices/d/sdc/sdc1" },
		{ "sys/fs/btrfs/2222/devices/sdg", "../../../../devices/d/sdg" },
	};
	size_t i;

	for (i = 0; i < sizeof(tree) / sizeof(tree[0]); i++)
		make(root, tree[i].path, tree[i].link);
}

static int in_words(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void assert_words(struct list *l, const char *want)
{
	struct sbuf got = { 0 };
	size_t i;

	if (l->n)
		qsort(l->at, l->n, sizeof(l->at[0]), in_words);
	for (i = 0; i < l->n; i++)
		sbuf_addf(&got, "%s%s", i ? " " : "", (const char *)l->at[i]);
	assert_string_equal(sbuf_str(&got), want);
	sbuf_done(&got);
}

static char *scratch(void)
{
	static char path[64];

	strcpy(path, "/tmp/naslab-test-XXXXXX");
	assert_non_null(mkdtemp(path));
	return path;
}

static void wipe(const char *path)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execlp("rm", "rm", "-rf", path, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void disks_below_are_found(void **state)
{
	struct arena *a = arena_new();
	const char *root = scratch();
	struct list disks = { 0 }, arrays = { 0 };

	(void)state;
	record_machine(root);
	leaf_disks(root, a, 253, 0, &disks, &arrays);
	assert_words(&disks, "sda sdb sdc");
	assert_words(&arrays, "md126 md127");
	disks.n = arrays.n = 0;
	leaf_disks(root, a, 252, 0, &disks, &arrays);
	assert_words(&disks, "sda sdg");
	assert_words(&arrays, "md125");
	disks.n = 0;
	leaf_disks(root, a, 8, 2, &disks, &arrays);
	assert_words(&disks, "sda");
	disks.n = 0;
	assert_true(leaf_disks_btrfs(root, a, "sdc1", &disks, &arrays));
	assert_words(&disks, "sda sdc");
	disks.n = 0;
	assert_false(leaf_disks_btrfs(root, a, "sdb1", &disks, &arrays));
	leaf_disks(root, a, 9, 99, &disks, &arrays);
	assert_words(&disks, "");
	mergerfs_branches(a, "/mnt/a=RW:/mnt/b=NC,1234:/mnt/c", &disks);
	assert_words(&disks, "/mnt/a /mnt/b /mnt/c");
	wipe(root);
	arena_free(a);
}

/* --- whole runs --- */

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

static void order_for(struct arena *a, struct bench_order *o, const char *target,
		      const char *name, double scale)
{
	struct workload *w = arena_alloc(a, sizeof(*w));

	*o = (struct bench_order){ .target = target, .write = true, .read = true, .reps = 2,
				   .scale = scale, .cache = CACHE_COLD, .db = "" };
	shipped(a, name, w);
	list_add(a, &o->workloads, w);
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
	static unsigned char want[CORPUS_BLOCK + CORPUS_SLACK], got[CORPUS_BLOCK];
	struct arena *a = arena_new();
	const char *path = scratch();
	struct engine_result r;
	struct engine x;
	struct workload w;
	struct corpus *c;
	struct err e = { 0 };
	int dir = open(path, O_RDONLY | O_DIRECTORY), fd, error;
	struct engine_job job = { .op = ENGINE_WRITE, .dir = dir };
	ssize_t len;

	(void)state;
	shipped(a, "500M", &w);
	c = corpus_new(&w, 0.003);
	job.corpus = c;
	assert_int_equal(engine_start(&job, &x, &e), 0);
	assert_int_equal(engine_end(&x, &r, &error, &e), 0);
	assert_int_equal(r.bytes, 1500000);
	fd = openat(dir, "f0000000.bin", O_RDWR);
	assert_true(fd >= 0);
	corpus_block(c, 0, 5, CORPUS_BLOCK, want);
	len = pread(fd, got, CORPUS_BLOCK, 5 * CORPUS_BLOCK);
	assert_int_equal(len, CORPUS_BLOCK);
	assert_memory_equal(want, got, CORPUS_BLOCK);

	job.op = ENGINE_VERIFY;
	assert_int_equal(engine_start(&job, &x, &e), 0);
	assert_int_equal(engine_end(&x, &r, &error, &e), 0);
	got[0] ^= 1;
	assert_int_equal(pwrite(fd, got, 1, 5 * CORPUS_BLOCK), 1);
	assert_int_equal(engine_start(&job, &x, &e), 0);
	assert_int_equal(engine_end(&x, &r, &error, &e), -1);
	assert_int_equal(error, EILSEQ);
	assert_non_null(strstr(e.text, "holds other data"));
	job.op = ENGINE_READ;
	assert_int_equal(ftruncate(fd, 1499999), 0);
	assert_int_equal(engine_start(&job, &x, &e), 0);
	assert_int_equal(engine_end(&x, &r, &error, &e), -1);
	assert_non_null(strstr(e.text, "not as long"));
	close(fd);
	close(dir);
	corpus_free(c);
	wipe(path);
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

static void orders_survive_json(void **state)
{
	struct arena *a = arena_new();
	struct bench_order o, back;
	struct err e = { 0 };
	json_t *j;

	(void)state;
	order_for(a, &o, "/srv/nas1", "2G", 0.25);
	o.build = "nas1";
	o.label = "slice | md | xfs";
	o.read = false;
	o.cache = CACHE_AS_IS;
	j = bench_order_json(&o);
	assert_int_equal(bench_order_read(a, j, &back, &e), 0);
	assert_string_equal(back.target, "/srv/nas1");
	assert_string_equal(back.build, "nas1");
	assert_string_equal(back.label, o.label);
	assert_string_equal(((struct workload *)back.workloads.at[0])->name, "2G");
	assert_true(back.write && !back.read && back.reps == 2 && back.scale == 0.25);
	assert_int_equal(back.cache, CACHE_AS_IS);
	assert_string_equal(back.db, "");
	json_object_set_new(j, "scale", json_integer(-1));
	assert_int_equal(bench_order_read(a, j, &back, &e), -1);
	json_object_set_new(j, "scale", json_integer(1));
	json_object_set_new(j, "reps", json_integer(0));
	assert_int_equal(bench_order_read(a, j, &back, &e), -1);
	json_decref(j);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(medians),
		cmocka_unit_test(shipped_workloads),
		cmocka_unit_test(bad_workloads),
		cmocka_unit_test(splitmix_is_known),
		cmocka_unit_test(random_is_xoshiro),
		cmocka_unit_test(corpus_has_its_sizes),
		cmocka_unit_test(blocks_can_be_made_again),
		cmocka_unit_test(text_is_text),
		cmocka_unit_test(stat_is_parsed),
		cmocka_unit_test(disks_below_are_found),
		cmocka_unit_test(orders_survive_json),
		cmocka_unit_test(what_is_written_is_verified),
		cmocka_unit_test(a_set_is_measured),
		cmocka_unit_test(read_only_keeps_one_set),
		cmocka_unit_test(a_signal_leaves_nothing),
		cmocka_unit_test(asked_to_stop_it_leaves_nothing),
		cmocka_unit_test(a_kill_is_cleaned_by_the_next),
		cmocka_unit_test(a_full_target_leaves_nothing),
		cmocka_unit_test(an_unmounted_target_is_noticed),
		cmocka_unit_test(targets_that_are_none),
	};
	char folder[600];

	snprintf(folder, sizeof(folder), "%s/workloads", source_dir());
	setenv("NASLAB_WORKLOADS", folder, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
