/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ext4, xfs and jfs against every size measured on kernel 6.1 (tests/data/capacity).
 * CAPACITY numbers of whole stacks that have no table of their own are in the arrays.
 */
#include "test.h"

#include "base/err.h"
#include "base/units.h"
#include "layers/ext4.h"
#include "layers/jfs.h"
#include "layers/reiserfs.h"
#include "layers/xfs.h"
#include "layout/stack.h"
#include "tsv.h"

static void same(const char *what, const struct tsv *t, uint64_t got, uint64_t want)
{
	if (got != want)
		fail_msg("%s, row %u (%s %s): %llu, measured %llu", what, t->row, t->cell[0],
			 t->cell[1], (unsigned long long)got, (unsigned long long)want);
}

static void ext4_as_measured(void **state)
{
	struct ext4_geometry g;
	struct err e = { 0 };
	struct fs_size fs;
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/ext4.tsv");
	while (tsv_next(&t)) {
		struct ext4_input in = { .bytes = tsv_u64(&t, 0), .reserved = 5 };

		assert_int_equal(ext4_size(&in, &fs, &e), 0);
		assert_int_equal(ext4_geometry(&in, &g, &e), 0);
		same("block", &t, g.block, tsv_u64(&t, 1));
		same("total", &t, fs.total, tsv_u64(&t, 2));
		same("free", &t, fs.free, tsv_u64(&t, 3));
		same("avail", &t, fs.avail, tsv_u64(&t, 4));
		assert_true(fs.known && !fs.estimate);
	}
	assert_int_equal(t.row, 77);
}

static void xfs_as_measured(void **state)
{
	struct err e = { 0 };
	struct fs_size fs;
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/xfs.tsv");
	while (tsv_next(&t)) {
		struct xfs_input in = { .bytes = tsv_u64(&t, 0),
					.io_min = (uint32_t)tsv_u64(&t, 1),
					.io_opt = (uint32_t)tsv_u64(&t, 2) };

		assert_int_equal(xfs_size(&in, &fs, &e), 0);
		same("total", &t, fs.total, tsv_u64(&t, 3));
		same("free", &t, fs.free, tsv_u64(&t, 4));
		same("avail", &t, fs.avail, tsv_u64(&t, 5));
		assert_true(fs.known && !fs.estimate);
	}
	assert_int_equal(t.row, 114);
}

/* The small mixed table: bare devices of 320 MiB to 15 TiB. btrfs has its own test. */
static void others_as_measured(void **state)
{
	struct err e = { 0 };
	struct tsv t;
	unsigned seen = 0;

	(void)state;
	tsv_open(&t, "capacity/fs.tsv");
	while (tsv_next(&t)) {
		struct xfs_input in = { .bytes = tsv_u64(&t, 1) };
		struct fs_size fs = { 0 };

		if (!strcmp(t.cell[0], "ext4"))
			assert_int_equal(ext4_size(&(struct ext4_input){ .bytes = in.bytes, .reserved = 5 },
					   &fs, &e), 0);
		else if (!strcmp(t.cell[0], "xfs"))
			assert_int_equal(xfs_size(&in, &fs, &e), 0);
		else if (!strcmp(t.cell[0], "jfs"))
			assert_int_equal(jfs_size(in.bytes, &fs, &e), 0);
		else if (!strcmp(t.cell[0], "reiserfs"))
			assert_int_equal(reiserfs_size(in.bytes, &fs, &e), 0);
		else
			continue;
		seen++;
		same("total", &t, fs.total, tsv_u64(&t, 3));
		same("free", &t, fs.free, tsv_u64(&t, 4));
		same("avail", &t, fs.avail, tsv_u64(&t, 5));
		assert_int_equal(fs.estimate, !strcmp(t.cell[0], "jfs"));
	}
	assert_int_equal(seen, 27);
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	return b ? gcd(b, a % b) : a;
}

/* The limits an array of the table reports, CAPACITY 1.1. */
static void array_limits(const char *level, unsigned n, uint64_t chunk, uint64_t *min,
			 uint64_t *opt)
{
	*min = 512;
	*opt = 0;
	if (*level == 'x' || !strcmp(level, "1"))
		return;
	*min = chunk;
	if (!strcmp(level, "0"))
		*opt = chunk * n;
	else if (!strcmp(level, "5"))
		*opt = chunk * (n - 1);
	else if (!strcmp(level, "6"))
		*opt = chunk * (n - 2);
	else
		*opt = n % 2 ? chunk * n : chunk * n / 2;
}

/* What the top of the stack reports: largest minimum, least common multiple; bcache hides. */
static struct xfs_input top_limits(char *arrays, const char *names)
{
	struct xfs_input in = { 0 };
	uint64_t chunk, min, opt;
	char *save = NULL, *one;
	char level[4];
	unsigned n;

	for (one = strtok_r(arrays, ";", &save); one; one = strtok_r(NULL, ";", &save)) {
		unsigned long kib;

		assert_int_equal(sscanf(one, "%3[^:]:%u:%lu", level, &n, &kib), 3);
		chunk = kib * KIB;
		array_limits(level, n, chunk, &min, &opt);
		if (min > in.io_min)
			in.io_min = (uint32_t)min;
		if (opt)
			in.io_opt = (uint32_t)(in.io_opt ? in.io_opt / gcd(in.io_opt, opt) * opt :
					       opt);
	}
	if (strstr(names, "bcache"))
		in.io_min = 512;
	return in;
}

/* File systems on md, LVM, bcache and LUKS, random stacks built and mounted. */
static void stacks_as_measured(void **state)
{
	struct err e = { 0 };
	struct tsv t;
	unsigned i;

	(void)state;
	tsv_open(&t, "capacity/stacks.tsv");
	while (tsv_next(&t)) {
		struct xfs_input in = top_limits(t.cell[2], t.cell[0]);
		struct fs_size fs;

		for (i = 3; i <= 5; i++)		/* the last layer that is there */
			if (tsv_u64(&t, i))
				in.bytes = tsv_u64(&t, i);
		if (!strcmp(t.cell[1], "xfs"))
			assert_int_equal(xfs_size(&in, &fs, &e), 0);
		else
			assert_int_equal(ext4_size(&(struct ext4_input){ .bytes = in.bytes, .reserved = 5 },
					   &fs, &e), 0);
		same("total", &t, fs.total, tsv_u64(&t, 6));
		same("free", &t, fs.free, tsv_u64(&t, 7));
		same("avail", &t, fs.avail, tsv_u64(&t, 8));
	}
	assert_int_equal(t.row, 32);
}

static void named_stacks(void **state)
{
	static const struct {
		const char *fs;
		struct xfs_input in;
		uint64_t total, avail;
	} cases[] = {
		{ "ext4", { .bytes = 314572800 }, 284285952, 264348672 },
		{ "xfs", { .bytes = 314572800 }, 247463936, 229732352 },
		{ "jfs", { .bytes = 314572800 }, 312254464, 312078336 },
		{ "jfs", { .bytes = 629145600 }, 625770496, 625557504 },
		{ "jfs", { .bytes = 943718400 }, 939286528, 939036672 },
		{ "jfs", { .bytes = 1572864000 }, 1566314496, 1565986816 },
		{ "ext4", { .bytes = 3298534883328 }, 3245593239552, 3080649691136 },
		{ "xfs", { .bytes = 3298534883328 }, 3296924270592, 3273903886336 },
		{ "jfs", { .bytes = 3298534883328 }, 3298299797504, 0 },
		/* LV over raid5 of 6 and of 4, and a mirror */
		{ "xfs", { 28586060808192, 524288, 7864320, 0, 0, false }, 28583923810304,
		  28384597692416 },
		{ "xfs", { 2688548864, 524288, 7864320, 0, 0, false }, 2621440000, 2569084928 },
		{ "xfs", { 16492632473600, 65536, 327680, 0, 0, false }, 16490493378560, 0 },
		{ "xfs", { 1556078592, 512, 2621440, 0, 0, false }, 1488969728, 1444749312 },
		/* su=64k,sw=3 on a raid10 below 1 GiB, xfsprogs 6.1, kernel 6.1 */
		{ "xfs", { .bytes = 659030016, .io_min = 65536, .io_opt = 196608, .said = true },
		  591396864, 553857024 },
	};
	struct err e = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fs_size fs = { 0 };

		if (!strcmp(cases[i].fs, "ext4"))
			assert_int_equal(ext4_size(&(struct ext4_input){ .bytes = cases[i].in.bytes, .reserved = 5 },
					   &fs, &e), 0);
		else if (!strcmp(cases[i].fs, "jfs"))
			assert_int_equal(jfs_size(cases[i].in.bytes, &fs, &e), 0);
		else
			assert_int_equal(xfs_size(&cases[i].in, &fs, &e), 0);
		if (fs.total != cases[i].total)
			fail_msg("%zu: %llu", i, (unsigned long long)fs.total);
		if (cases[i].avail)
			assert_int_equal(fs.avail, cases[i].avail);
	}
}

/* Other inode ratios and reserved shares: mkfs.ext4 1.47.0, mounted on kernel 6.18. */
static void ext4_with_options(void **state)
{
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/ext4-options.tsv");
	while (tsv_next(&t)) {
		struct ext4_input in = {
			.bytes = tsv_u64(&t, 0), .ratio = (uint32_t)tsv_u64(&t, 1),
			.reserved = (unsigned)tsv_u64(&t, 2),
		};
		struct err e = { 0 };
		struct fs_size fs;

		assert_int_equal(ext4_size(&in, &fs, &e), 0);
		assert_int_equal(fs.total, tsv_u64(&t, 3));
		assert_int_equal(fs.free, tsv_u64(&t, 4));
		assert_int_equal(fs.avail, tsv_u64(&t, 5));
	}
	assert_int_equal(t.row, 73);
}

static void too_small_is_refused(void **state)
{
	struct xfs_input in = { .bytes = 268435456 };
	struct err e = { 0 };
	struct fs_size fs;

	(void)state;
	assert_int_equal(xfs_size(&in, &fs, &e), -1);
	assert_string_equal(e.text, "needs at least 300 MiB, the device has 268435456 bytes; ext4 "
			    "takes 64 MiB");
	in.bytes = 313524224;		/* mkfs.xfs 6.1 refused this one */
	assert_int_equal(xfs_size(&in, &fs, &e), -1);
	in.bytes = 314572800;
	assert_int_equal(xfs_size(&in, &fs, &e), 0);
	assert_int_equal(ext4_size(&(struct ext4_input){ .bytes = MIB, .reserved = 5 },
					   &fs, &e), -1);
	assert_int_equal(jfs_size(MIB, &fs, &e), -1);
	/* sizes the rules do not know stay finite */
	assert_int_equal(ext4_size(&(struct ext4_input){ .bytes = 900 * TIB, .reserved = 5 },
					   &fs, &e), 0);
	assert_true(fs.total < 900 * TIB && fs.avail < fs.total);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ext4_as_measured),
		cmocka_unit_test(xfs_as_measured),
		cmocka_unit_test(others_as_measured),
		cmocka_unit_test(stacks_as_measured),
		cmocka_unit_test(named_stacks),
		cmocka_unit_test(ext4_with_options),
		cmocka_unit_test(too_small_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
