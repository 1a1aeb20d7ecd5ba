/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where extents begin and how many there are, as measured on bare disks and arrays. */
#include "test.h"

#include <string.h>

#include "base/units.h"
#include "layers/lvm.h"
#include "tsv.h"

static void extents_of_disks(void **state)
{
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/lvm-pv.tsv");
	while (tsv_next(&t)) {
		assert_int_equal(lvm_pe_start(0), tsv_u64(&t, 1));
		assert_int_equal(lvm_extents(tsv_u64(&t, 0), 0), tsv_u64(&t, 2));
	}
	assert_int_equal(t.row, 8);
}

static void extents_of_arrays(void **state)
{
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/lvm-pestart.tsv");
	while (tsv_next(&t)) {
		uint32_t io_opt = (uint32_t)tsv_u64(&t, 1);

		assert_int_equal(lvm_pe_start(io_opt), tsv_u64(&t, 2));
		assert_int_equal(lvm_extents(tsv_u64(&t, 0), io_opt), tsv_u64(&t, 3));
	}
	assert_int_equal(t.row, 296);
}

static void metadata_of_legs(void **state)
{
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/lvm-rmeta.tsv");
	while (tsv_next(&t))
		assert_int_equal(lvm_raid_meta(tsv_u64(&t, 0), tsv_u64(&t, 1), tsv_u64(&t, 2)),
				 tsv_u64(&t, 3));
	assert_int_equal(t.row, 50);
}

static void checksums_of_legs(void **state)
{
	static const char *const tables[] = { "capacity/lvm-imeta.tsv", "capacity/lvm-integrity.tsv" };
	unsigned rows = 0, i;
	struct tsv t;

	(void)state;
	for (i = 0; i < 2; i++) {
		tsv_open(&t, tables[i]);
		while (tsv_next(&t))
			assert_int_equal(lvm_integrity_meta(tsv_u64(&t, 0)), tsv_u64(&t, 1));
		rows += t.row;
	}
	assert_int_equal(rows, 43);
}

/* What lvcreate -i N -l 100%FREE laid where: lvs -o seg_pe_ranges, lvm2 2.03.16, in the sandbox. */
static void stripes_over_fewer(void **state)
{
	static const struct {
		unsigned stripes, n;
		uint64_t have[6], used[6], sum;
	} sets[] = {
		{ 2, 3, { 50, 50, 50 }, { 50, 50, 0 }, 100 },
		{ 2, 3, { 25, 50, 75 }, { 25, 50, 75 }, 150 },
		{ 2, 4, { 25, 50, 75, 100 }, { 25, 50, 75, 100 }, 250 },
		{ 3, 4, { 25, 50, 75, 100 }, { 25, 50, 75, 75 }, 225 },
		{ 2, 3, { 150, 25, 25 }, { 50, 25, 25 }, 100 },
		{ 3, 5, { 150, 125, 50, 25, 25 }, { 100, 100, 50, 25, 25 }, 300 },
		{ 4, 6, { 150, 125, 100, 75, 50, 25 }, { 125, 125, 100, 75, 50, 25 }, 500 },
		{ 2, 6, { 75, 75, 100, 100, 125, 125 }, { 75, 75, 100, 100, 125, 125 }, 600 },
		{ 3, 6, { 75, 75, 100, 100, 125, 125 }, { 75, 75, 100, 100, 125, 125 }, 600 },
		{ 5, 6, { 75, 75, 100, 100, 125, 125 }, { 75, 25, 100, 100, 100, 100 }, 500 },
	};
	uint64_t used[6];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		assert_int_equal(lvm_striped(sets[i].have, used, sets[i].n, sets[i].stripes), sets[i].sum);
		assert_memory_equal(used, sets[i].used, sets[i].n * sizeof(*used));
	}
}

/* The longest leg, as lvcreate took it in the sandbox on 300 MiB disks: 74 extents each. */
static void longest_legs(void **state)
{
	static const struct {
		unsigned extents, data_legs, leg;
		bool integrity;
	} cases[] = {
		{ 74, 5, 73, false },	/* one more: "5 more required" */
		{ 74, 4, 73, false },
		{ 74, 1, 71, true },
		{ 74, 5, 71, true },
		{ 1, 1, 0, false },
		{ 4, 1, 1, true },
		{ 3, 1, 0, true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(lvm_leg_extents(cases[i].extents, cases[i].data_legs,
						 cases[i].integrity), cases[i].leg);
}

/* A cache volume that lvconvert refused has zeros in the table. */
static void cache_volumes(void **state)
{
	uint64_t meta, data, chunk;
	unsigned refused = 0;
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/cachevol.tsv");
	while (tsv_next(&t)) {
		uint64_t bytes = tsv_u64(&t, 0);

		if (!lvm_cachevol(bytes, tsv_u64(&t, 1) * KIB, &meta, &data)) {
			assert_int_equal(tsv_u64(&t, 3), 0);
			refused++;
			continue;
		}
		assert_int_equal(meta, tsv_u64(&t, 2));
		assert_int_equal(data, tsv_u64(&t, 3));
		chunk = lvm_cache_chunk(bytes);
		assert_true(chunk % (32 * KIB) == 0 && lvm_cachevol(bytes, chunk, &meta, &data));
	}
	assert_int_equal(t.row, 36);
	assert_int_equal(refused, 2);
	tsv_open(&t, "capacity/lvm-cachevol.tsv");
	while (tsv_next(&t)) {
		uint64_t sectors = tsv_u64(&t, 1) + tsv_u64(&t, 2);

		assert_true(lvm_cachevol(sectors * 512, tsv_u64(&t, 0) * 512, &meta, &data));
		assert_int_equal(data / 512, tsv_u64(&t, 1));
		assert_int_equal(meta / 512, tsv_u64(&t, 2));
	}
	assert_int_equal(t.row, 8);
	assert_int_equal(lvm_cache_chunk(TIB), 1088 * KIB);
	assert_int_equal(lvm_cache_chunk(GIB), 64 * KIB);
}

static void thin_pools(void **state)
{
	uint64_t chunk, meta, all;
	unsigned rows = 0;
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/pools.tsv");
	while (tsv_next(&t)) {
		uint64_t asked = tsv_u64(&t, 2) * KIB, data = tsv_u64(&t, 1);

		if (strcmp(t.cell[0], "thin"))
			continue;
		rows++;
		if (strcmp(t.cell[3], "-L")) {
			all = lvm_extents(data, 0);
			data = lvm_thin_all(all, asked) * LVM_EXTENT;
			lvm_thin_pool(all * LVM_EXTENT, asked, &chunk, &meta);
		} else {
			lvm_thin_pool(data, asked, &chunk, &meta);
		}
		assert_int_equal(data, tsv_u64(&t, 4));
		assert_int_equal(chunk, tsv_u64(&t, 5) * KIB);
		assert_int_equal(meta, tsv_u64(&t, 6));
	}
	assert_true(rows > 30);
}

static void cache_pools(void **state)
{
	uint64_t chunk, meta, all;
	unsigned rows = 0, whole = 0;
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/pools.tsv");
	while (tsv_next(&t)) {
		uint64_t asked = tsv_u64(&t, 2) * KIB, data = tsv_u64(&t, 1);

		if (strcmp(t.cell[0], "cache"))
			continue;
		rows++;
		if (strcmp(t.cell[3], "-L")) {
			whole++;
			all = lvm_extents(data, 0);
			data = lvm_cache_all(all, asked) * LVM_EXTENT;
			lvm_cache_pool(all * LVM_EXTENT, asked, &chunk, &meta);
		} else {
			lvm_cache_pool(data, asked, &chunk, &meta);
		}
		assert_int_equal(data, tsv_u64(&t, 4));
		assert_int_equal(chunk, tsv_u64(&t, 5) * KIB);
		assert_int_equal(meta, tsv_u64(&t, 6));
		assert_int_equal(meta, tsv_u64(&t, 7));
	}
	assert_int_equal(rows, 52);
	assert_int_equal(whole, 25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metadata_of_legs),
		cmocka_unit_test(checksums_of_legs),
		cmocka_unit_test(stripes_over_fewer),
		cmocka_unit_test(longest_legs),
		cmocka_unit_test(cache_volumes),
		cmocka_unit_test(thin_pools),
		cmocka_unit_test(cache_pools),
		cmocka_unit_test(extents_of_disks),
		cmocka_unit_test(extents_of_arrays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
