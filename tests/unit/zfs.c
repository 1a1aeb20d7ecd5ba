/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ZFS: vdevs, what they lose to parity and padding, what they survive, what is refused. */
#include "test.h"

#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "disk/disk.h"
#include "layers/zfs.h"
#include "layout/pick.h"
#include "layout/recipe.h"
#include "layout/stack.h"

/*
 * Sectors that a record of 128 KiB takes, by hand: 32 of data with 4 KiB sectors, parity for
 * each row of n - p, and padding to a multiple of p + 1.
 */
static void parity_and_padding(void **state)
{
	static const struct {
		unsigned members, parity, sectors;
	} cases[] = {
		{ 3, 1, 48 },	/* 32 + 16 */
		{ 4, 1, 44 },	/* 32 + 11 = 43, padded to 44 */
		{ 5, 1, 40 },
		{ 6, 2, 48 },	/* 32 + 2 * 8 */
		{ 8, 2, 45 },	/* 32 + 2 * 6 = 44, padded to 45 */
		{ 7, 3, 56 },	/* 32 + 3 * 8 */
	};
	uint64_t member = 4 * TIB + 4 * MIB + 512 * KIB;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t got = zfs_vdev_data(member, cases[i].members, cases[i].parity, 12);
		uint64_t want = (uint64_t)((unsigned __int128)(4 * TIB) * cases[i].members * 32 /
					   cases[i].sectors);

		assert_int_equal(got, want);
	}
	assert_int_equal(zfs_slop(TIB), TIB / 32);
	assert_int_equal(zfs_slop(GIB), 128 * MIB);
	assert_int_equal(zfs_slop(64 * TIB), 128 * GIB);
}

static const struct row {
	const char *layout;
	const char *disks[3];
	unsigned survives;
	const char *says;	/* NULL: it can be */
} rows[] = {
	{ "part | zfs", { "4xhdd:4TB" }, 1, NULL },
	{ "part | zfs type=raidz2", { "6xhdd:4TB" }, 2, NULL },
	{ "part | zfs type=raidz3", { "8xhdd:4TB" }, 3, NULL },
	{ "part | zfs type=mirror", { "2xhdd:4TB", "hdd:8TB" }, 2, NULL },
	{ "part | zfs type=mirror width=2", { "2xhdd:4TB", "2xhdd:8TB" }, 1, NULL },
	{ "part | zfs type=raidz1 width=3", { "3xhdd:4TB", "3xhdd:8TB" }, 1, NULL },
	{ "part | zfs type=stripe", { "2xhdd:4TB", "hdd:8TB" }, 0, NULL },
	{ "part | luks | zfs type=mirror compression=lz4", { "2xhdd:4TB" }, 1, NULL },
	{ "zfs", { "4xhdd:4TB" }, 0, "layer 1, zfs: would cut whole disks like hdd1 its own way: part | zfs" },
	{ "part | zfs type=raidz3", { "3xhdd:4TB" }, 0, "layer 2, zfs: raidz3 needs 4 devices, has 3; "
	  "type=mirror takes 3 and lets two of them fail" },
	{ "part | zfs type=mirror width=2", { "3xhdd:4TB" }, 0, "layer 2, zfs: 3 devices do not make vdevs of 2; "
	  "1 more would, and without width= all are one vdev" },
	{ "part | zfs ashift=9", { "3xhdd:4TB,sector=4096" }, 0, "layer 2, zfs: ashift=9 is sectors of 512 "
	  "bytes, and hdd1p1 has 4096; ashift=12" },
};

static void pools(void **state)
{
	size_t i, k, n;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct inventory *inv = inventory_new();
		struct arena *a = arena_new();
		struct recipe *r = NULL;
		struct stack *s = NULL;
		struct pick *picks;
		struct err e = { 0 };
		uint64_t usable = 0;

		assert_int_equal(recipe_open(rows[i].layout, &r, &e), 0);
		assert_int_equal(picks_from_words(inv, rows[i].disks, NULL, a, &picks, &n, &e), 0);
		if (stack_make(r, "t", picks, n, &s, &e)) {
			assert_non_null(rows[i].says);
			assert_string_equal(e.text, rows[i].says);
		} else {
			assert_null(rows[i].says);
			assert_int_equal(s->survives, rows[i].survives);
			for (k = 0; k < s->n_disks; k++) {
				const struct node *d = s->nodes.at[k];

				assert_int_equal(split_sum(&d->split), d->disk->bytes);
				usable += d->split.usable;
			}
			assert_int_equal(usable, s->usable_bytes);
			assert_true(((const struct node *)s->tops.at[0])->fs.estimate);
		}
		stack_free(s);
		recipe_free(r);
		inventory_free(inv);
		arena_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parity_and_padding),
		cmocka_unit_test(pools),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
