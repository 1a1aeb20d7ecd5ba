/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measuring without measuring: workload text, the corpus, statistics, counters, orders. */
#include "bench-help.h"

#include <errno.h>
#include <sys/stat.h>

#include <jansson.h>

#include "base/sbuf.h"
#include "bench/corpus.h"
#include "bench/counters.h"

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
		assert_int_equal(w->packs, want[i].text);
		assert_true(workload_is_copy(w) && w->title);
	}
	assert_int_equal(workload_find(a, "block-4k", &one, &e), 0);
	assert_int_equal(one.bs, 4096);		/* MATRIX W09 */
	assert_int_equal(one.bytes, 300000000);
	assert_int_equal(one.number[BENCH_READ_STRIDE], 16);
	assert_int_equal(workload_ops(&one, true, false),
			 1u << BENCH_WRITE | 1u << BENCH_REWRITE | 1u << BENCH_RAND_WRITE |
			 1u << BENCH_MIX);
	assert_int_equal(workload_ops(&one, true, true),
			 1u << BENCH_WRITE | 1u << BENCH_REWRITE | 1u << BENCH_RAND_WRITE |
			 1u << BENCH_READ | 1u << BENCH_RAND_READ | 1u << BENCH_READ_STRIDE |
			 1u << BENCH_READ_BACK | 1u << BENCH_MIX);
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
		{ "fileset size=0\nop rewrite\n", "empty files have no records" },
		{ "fileset size=1X\n", "line 1: size: " },
		{ "fileset size\n", "line 1: fileset wants key=value" },
		{ "fileset count=0 size=1M\n", "line 1: " },
		{ "fileset size=1M data=noise\n", "line 1: data is random, text, ratio:N, zero or dir:PATH" },
		{ "fileset size=big\n", "line 1: size is a size, NxRAM, lognormal or gamma" },
		{ "fileset size=1M\nfileset size=1M\nfileset size=1M\nfileset size=1M\nfileset size=1M\n", "line 5: one fileset too many" },
		{ "op bogus\n", "line 1: op is write, read-dirty, read, re-read" },
		{ "op rand-read:4\n", "line 1: rand-read takes no number" },
		{ "op read-stride:0\n", "line 1: " },
		{ "fileset size=1M\nop write read-stride\n", "line 2: read-stride wants the records to the next" },
		{ "op rand-raed\n", "line 1: there is no operation \"rand-raed\"; did you mean \"rand-read\"?" },
		{ "op copy-im\n", "did you mean \"copy-in\"?" },
		{ "sync often\n", "line 1: sync is end, none, per-file or per-write" },
		{ "io bs=1\n", "line 1: bs must be from 4K to 16M" },
		{ "title\n", "line 1: title says nothing" },
		{ "op copy-in\nfileset size=lognormal bytes=1M median=1K\n", "wants median=, mean=" },
		{ "op copy-in\nfileset size=lognormal bytes=1M median=4K mean=1K max=9K\n",
		  "median <= mean < max" },
		{ "op copy-in\nfileset size=1000T count=10000000\n", "larger than 1 PiB" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		not_parsed(cases[i].text, cases[i].says);
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
				assert_in_range(c->n, w->packs ? 15000 : 600, w->packs ? 60000 : 900);
				if (w->packs)
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
/* corpus_same() tells a block from one that differs in a single bit, wherever it is. */
static void all_is_compared(const struct corpus *c, unsigned char *block, size_t len)
{
	static unsigned char scratch[CORPUS_BLOCK + CORPUS_SLACK];
	size_t at;

	assert_true(corpus_same(c, 3, 9, len, block, scratch));
	assert_false(corpus_same(c, 3, 8, len, block, scratch) && len > 1);
	for (at = 0; at < len; at += 1 + at / 37) {
		block[at] ^= 0x10;
		assert_false(corpus_same(c, 3, 9, len, block, scratch));
		block[at] ^= 0x10;
	}
	block[len - 1] ^= 1;
	assert_false(corpus_same(c, 3, 9, len, block, scratch));
	block[len - 1] ^= 1;
}

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
			all_is_compared(c, one, lens[i]);
		}
		corpus_block(c, 3, 10, CORPUS_BLOCK, two);
		assert_memory_not_equal(one, two, 256);
		corpus_block(c, 4, 9, CORPUS_BLOCK, two);
		assert_memory_not_equal(one, two, 256);
		c->sets[0].seed++;
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

/* --- orders --- */

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
	};

	use_shipped_workloads();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
