/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LUKS and dm-integrity: what they leave, as measured on disks and arrays. */
#include "test.h"

#include <string.h>

#include "layers/dm-integrity.h"
#include "layers/luks.h"
#include "tsv.h"

/* The queue of the array below, CAPACITY rules 1.1. */
static void limits_of(const struct tsv *t, uint32_t *io_min, uint32_t *io_opt)
{
	uint32_t chunk = (uint32_t)tsv_u64(t, 3) * 1024, n = (uint32_t)tsv_u64(t, 2);
	const char *level = t->cell[1];

	*io_min = 512;
	*io_opt = 0;
	if (!strcmp(level, "bare") || !strcmp(level, "1"))
		return;
	*io_min = chunk;
	if (!strcmp(level, "10"))
		*io_opt = n % 2 ? chunk * n : chunk * (n / 2);
	else
		*io_opt = chunk * (n - (!strcmp(level, "5") ? 1 : !strcmp(level, "6") ? 2 : 0));
}

static void luks_on_disks_and_arrays(void **state)
{
	uint32_t io_min, io_opt;
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/luks.tsv");
	while (tsv_next(&t)) {
		limits_of(&t, &io_min, &io_opt);
		assert_int_equal(tsv_u64(&t, 4) - luks_offset(t.cell[0][4] == '1' ? 1 : 2, io_min, io_opt),
				 tsv_u64(&t, 5));
	}
	assert_int_equal(t.row, 30);
}

static void checksums_of_every_kind(void **state)
{
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/dm-integrity.tsv");
	while (tsv_next(&t)) {
		struct integrity_shape in = {
			.sectors = tsv_u64(&t, 0), .tag = (uint32_t)tsv_u64(&t, 2),
			.block = (uint32_t)tsv_u64(&t, 3), .journal = tsv_u64(&t, 4),
			.interleave = tsv_u64(&t, 5),
		};

		assert_int_equal(integrity_data_sectors(&in), tsv_u64(&t, 6));
	}
	assert_int_equal(t.row, 48);	/* the last 8 alike in journal and bitmap mode */
	tsv_open(&t, "capacity/integrity.tsv");
	while (tsv_next(&t)) {
		struct integrity_shape in = {
			.sectors = tsv_u64(&t, 2), .block = (uint32_t)tsv_u64(&t, 1),
			.tag = strcmp(t.cell[0], "crc32c") ? 32 : 4,
		};

		assert_int_equal(integrity_data_sectors(&in), tsv_u64(&t, 3));
	}
	assert_int_equal(t.row, 15);
}

/* LUKS2 with checksums of its own: a header of 16 MiB, then the same rule, a tag of 32 bytes. */
static void luks_with_checksums(void **state)
{
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/luks2-integrity.tsv");
	while (tsv_next(&t)) {
		struct integrity_shape in = {
			.sectors = tsv_u64(&t, 0) / 512, .tag = 32, .block = (uint32_t)tsv_u64(&t, 2),
			.start = 32768,
		};

		assert_string_equal(t.cell[1], "hmac-sha256");
		assert_int_equal(integrity_data_sectors(&in) * 512, tsv_u64(&t, 3));
	}
	assert_int_equal(t.row, 28);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(luks_on_disks_and_arrays),
		cmocka_unit_test(luks_with_checksums),
		cmocka_unit_test(checksums_of_every_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
