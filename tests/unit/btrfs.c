/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs against what was measured: statvfs to the byte and devices really filled, on
 * kernel 6.1 (tests/data/capacity) and, in GiB, on 6.18.
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/units.h"
#include "layers/btrfs.h"
#include "tsv.h"

enum { MAX = 24 };

static void sizes_of(const char *data, const char *metadata, const uint64_t *bytes, unsigned n,
		     struct btrfs_sizes *out, struct split *dev)
{
	struct err e = { 0 };

	if (btrfs_sizes(btrfs_profile_find(data), btrfs_profile_find(metadata), bytes, n, out, dev,
			&e) < 0)
		fail_msg("%s/%s: %s", data, metadata, e.text);
}

static void statvfs_as_measured(void **state)
{
	struct btrfs_sizes s;
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/btrfs.tsv");
	while (tsv_next(&t)) {
		uint64_t bytes[MAX];
		unsigned n = tsv_list(&t, 2, bytes, MAX);
		int64_t filled = (int64_t)tsv_u64(&t, 5);

		sizes_of(t.cell[0], t.cell[1], bytes, n, &s, NULL);
		if (s.fs.total != tsv_u64(&t, 3) || s.fs.avail != tsv_u64(&t, 4))
			fail_msg("row %u %s/%s %s: total %llu avail %llu, measured %s %s", t.row,
				 t.cell[0], t.cell[1], t.cell[2], (unsigned long long)s.fs.total,
				 (unsigned long long)s.fs.avail, t.cell[3], t.cell[4]);
		if (filled && llabs((int64_t)s.data_bytes - filled) > 3 * (int64_t)MIB)
			fail_msg("row %u %s/%s %s: fills %llu, measured %s", t.row, t.cell[0],
				 t.cell[1], t.cell[2], (unsigned long long)s.data_bytes, t.cell[5]);
	}
	assert_int_equal(t.row, 84);
}

/*
 * Sets of 4 to 7 devices of 130 MiB to 70 GiB, where some are too small for the chunk that
 * mkfs wants: built on loop devices and mounted, kernel 6.18 with btrfs-progs 6.2.
 */
static void unequal_as_measured(void **state)
{
	struct btrfs_sizes s;
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/btrfs-unequal.tsv");
	while (tsv_next(&t)) {
		uint64_t bytes[MAX];
		unsigned n = tsv_list(&t, 2, bytes, MAX);

		sizes_of(t.cell[0], t.cell[1], bytes, n, &s, NULL);
		if (s.fs.total != tsv_u64(&t, 3) || s.fs.avail != tsv_u64(&t, 4))
			fail_msg("row %u %s/%s %s: total %llu avail %llu, measured %s %s", t.row,
				 t.cell[0], t.cell[1], t.cell[2], (unsigned long long)s.fs.total,
				 (unsigned long long)s.fs.avail, t.cell[3], t.cell[4]);
	}
	assert_int_equal(t.row, 117);
}

static void written_as_measured(void **state)
{
	struct btrfs_sizes s;
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/btrfs-written.tsv");
	while (tsv_next(&t)) {
		uint64_t bytes[MAX];
		unsigned n = tsv_list(&t, 2, bytes, MAX);
		double filled = (double)tsv_u64(&t, 3);

		sizes_of(t.cell[0], t.cell[1], bytes, n, &s, NULL);
		if (fabs((double)s.data_bytes / filled - 1) > 0.0002)
			fail_msg("row %u %s/%s %s: fills %llu, measured %s", t.row, t.cell[0],
				 t.cell[1], t.cell[2], (unsigned long long)s.data_bytes, t.cell[3]);
	}
	assert_int_equal(t.row, 26);
}

static void single_devices(void **state)
{
	struct btrfs_sizes s;
	struct tsv t;
	unsigned seen = 0;

	(void)state;
	tsv_open(&t, "capacity/fs.tsv");
	while (tsv_next(&t)) {
		uint64_t bytes = tsv_u64(&t, 1);

		if (strcmp(t.cell[0], "btrfs"))
			continue;
		seen++;
		sizes_of("single", "dup", &bytes, 1, &s, NULL);
		assert_int_equal(s.fs.total, tsv_u64(&t, 3));
		assert_int_equal(s.fs.free, tsv_u64(&t, 4));
		assert_int_equal(s.fs.avail, tsv_u64(&t, 5));
		assert_false(s.fs.estimate);
	}
	assert_int_equal(seen, 8);
}

/* Whole layouts measured in the sandbox; 0: not measured. */
static void named_stacks(void **state)
{
#define SMALL { 314572800, 314572800, 524288000, 524288000, 1048576000, 1048576000 }
#define TRUE_SIZES { 3298534883328, 3298534883328, 5497558138880, 5497558138880, 10995116277760, \
		     10995116277760 }
	static const struct {
		const char *data, *metadata;
		unsigned n;
		uint64_t bytes[6], total, avail;
	} cases[] = {
		{ "single", "dup", 1, { 314572800 }, 314572800, 229638144 },
		{ "single", "dup", 1, { 3298534883328 }, 3298534883328, 3296369573888 },
		{ "raid0", "raid0", 6, SMALL, 3774873600, 3483893760 },
		{ "raid1", "raid1", 6, SMALL, 1887436800, 1607467008 },
		{ "raid10", "raid10", 6, SMALL, 1887436800, 1741946880 },
		{ "raid5", "raid5", 6, SMALL, 3774873600, 2483814400 },
		{ "raid6", "raid6", 6, SMALL, 3774873600, 1483735040 },
		{ "raid1c3", "raid1c3", 6, SMALL, 1258291200, 769654784 },
		{ "raid1", "raid1", 6, TRUE_SIZES, 0, 19790124023808 },
		{ "raid5", "raid5", 6, TRUE_SIZES, 39582418599936, 28586388750336 },
		/* over the arrays of slices, over bcache, over LVM with integrity */
		{ "single", "raid1", 3, { 1551892480, 622854144, 523239424 }, 2697986048,
		  2141192192 },
		{ "raid0", "raid1", 3, { 1551892480, 622854144, 523239424 }, 2697986048,
		  2141192192 },
		{ "single", "raid1", 3, { 1551884288, 622845952, 523231232 }, 2697961472,
		  2140995584 },
		{ "single", "raid1", 3, { 1405091840, 566231040, 469762048 }, 2441084928,
		  2177105920 },
		{ "single", "raid1", 3, { 16491987599360, 6596663967744, 5497422872576 },
		  28586074439680, 28583907033088 },
	};
	struct btrfs_sizes s;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sizes_of(cases[i].data, cases[i].metadata, cases[i].bytes, cases[i].n, &s, NULL);
		if (cases[i].total && s.fs.total != cases[i].total)
			fail_msg("%zu: total %llu", i, (unsigned long long)s.fs.total);
		if (s.fs.avail != cases[i].avail)
			fail_msg("%zu: avail %llu", i, (unsigned long long)s.fs.avail);
	}
}

/* Filled with fallocate and read from df on kernel 6.18, GiB with two decimals. */
static void filled_in_gib(void **state)
{
#define SIX { 300, 300, 500, 500, 1000, 1000 }
#define NAS { 3, 3, 5, 5, 10, 10 }
	static const struct {
		const char *data, *metadata;
		unsigned n;
		unsigned gib[6];
		double filled, avail;
	} cases[] = {
		{ "single", "raid1", 6, SIX, 3597.97, 3597.98 },
		{ "raid0", "raid1", 6, SIX, 3597.97, 3597.98 },
		{ "raid1", "raid1", 6, SIX, 1798.98, 1798.99 },
		{ "raid10", "raid1", 6, SIX, 1798.98, 1798.99 },
		{ "raid1c3", "raid1c3", 6, SIX, 1198.98, 801.00 },
		{ "raid1c4", "raid1c4", 6, SIX, 798.98, 498.99 },
		{ "raid5", "raid1", 6, SIX, 2598.98, 2598.99 },
		{ "raid6", "raid1c3", 6, SIX, 1598.98, 1598.99 },
		{ "raid1", "raid1", 3, { 1000, 2000, 4000 }, 2998.98, 1998.99 },
		{ "raid5", "raid1", 3, { 1000, 2000, 4000 }, 2998.98, 2998.99 },
		{ "raid0", "raid1", 2, { 200, 600 }, 797.97, 797.98 },
		{ "raid10", "raid1", 4, { 200, 200, 100, 100 }, 298.98, 298.99 },
		{ "raid10", "raid1", 5, { 200, 200, 200, 100, 100 }, 398.97, 349.49 },
		{ "raid1", "raid1", 5, { 100, 100, 100, 100, 400 }, 398.98, 201.00 },
		{ "raid1", "raid1", 3, { 250, 250, 250 }, 373.98, 248.99 },
		{ "raid0", "raid1", 2, { 2, 6 }, 7.44, 7.48 },
		{ "raid1", "raid1", 2, { 8, 4 }, 3.69, 3.74 },
		{ "raid1", "raid1", 3, { 14, 14, 12 }, 19.69, 13.74 },
		{ "raid1", "raid1", 4, { 80, 40, 20, 20 }, 76.94, 58.99 },
		{ "raid10", "raid1", 4, { 80, 40, 20, 20 }, 58.94, 58.99 },
		{ "raid5", "raid1", 6, NAS, 25.69, 25.74 },
		{ "raid6", "raid1c3", 6, NAS, 15.69, 15.74 },
		{ "raid6", "raid1c3", 4, { 80, 80, 80, 40 }, 117.94, 117.98 },
	};
	const size_t coarse = 15;
	struct btrfs_sizes s;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t bytes[6];
		double filled, avail;
		unsigned j;

		for (j = 0; j < cases[i].n; j++)
			bytes[j] = cases[i].gib[j] * GIB;
		sizes_of(cases[i].data, cases[i].metadata, bytes, cases[i].n, &s, NULL);
		filled = (double)s.data_bytes / GIB;
		avail = (double)s.fs.avail / GIB;
		/* CASES was filled with files of up to 64 MiB, the first lines more finely. */
		if (filled < cases[i].filled - 0.006 ||
		    filled > cases[i].filled + (i < coarse ? 0.02 : 0.0625))
			fail_msg("%zu %s: fills %.3f, measured %.2f", i, cases[i].data, filled,
				 cases[i].filled);
		if (fabs(avail - cases[i].avail) > 0.006)
			fail_msg("%zu %s: avail %.3f, measured %.2f", i, cases[i].data, avail,
				 cases[i].avail);
	}
}

/* Random sets: leaps end where single chunks end, and every byte is in one part. */
static void leaps_and_sums(void **state)
{
	static const char *const names[] = { "single", "raid0", "raid1", "raid1c3", "raid1c4",
					     "raid10", "raid5", "raid6" };
	unsigned i, j, n, k;

	(void)state;
	srand(7);
	for (i = 0; i < 2000; i++) {
		struct btrfs_sizes fast, slow;
		struct split dev[MAX], sum = { 0 };
		uint64_t bytes[MAX];
		const char *name = names[i % 8];

		n = 4 + (unsigned)rand() % 6;
		for (j = 0; j < n; j++) {
			k = j ? (unsigned)rand() % j : 0;
			bytes[j] = j && rand() % 3 == 0 ? bytes[k] :	/* twins are common */
				   (2000 + (uint64_t)rand() % 400000) * MIB + (uint64_t)rand() % 9999;
		}
		sizes_of(name, "raid1", bytes, n, &fast, dev);
		btrfs_no_leaps = true;
		sizes_of(name, "raid1", bytes, n, &slow, NULL);
		btrfs_no_leaps = false;
		if (fast.data_bytes != slow.data_bytes)
			fail_msg("%u %s n %u: %llu by leaps, %llu by chunks", i, name, n,
				 (unsigned long long)fast.data_bytes,
				 (unsigned long long)slow.data_bytes);
		for (j = 0; j < n; j++) {
			assert_int_equal(dev[j].usable + dev[j].redundancy + dev[j].overhead +
					 dev[j].unused, bytes[j]);
			assert_true(dev[j].overhead < bytes[j]);
			sum.usable += dev[j].usable;
			sum.redundancy += dev[j].redundancy;
			sum.unused += dev[j].unused;
		}
		assert_int_equal(sum.usable, fast.data_bytes);
		assert_int_equal(sum.usable, fast.all.usable);
		assert_int_equal(sum.redundancy, fast.all.redundancy);
		assert_int_equal(sum.unused, fast.all.unused);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(statvfs_as_measured),
		cmocka_unit_test(unequal_as_measured),
		cmocka_unit_test(written_as_measured),
		cmocka_unit_test(single_devices),
		cmocka_unit_test(named_stacks),
		cmocka_unit_test(filled_in_gib),
		cmocka_unit_test(leaps_and_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
