/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where extents begin and how many there are, as measured on bare disks and arrays. */
#include "test.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extents_of_disks),
		cmocka_unit_test(extents_of_arrays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
