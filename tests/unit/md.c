/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every md array that was measured on a kernel, to the byte: 72 + 274 of them. */
#include "test.h"

#include "layers/md.h"
#include "tsv.h"

static const char *level_word(const char *number)
{
	static const char *const words[][2] = {
		{ "0", "raid0" }, { "1", "raid1" }, { "5", "raid5" }, { "6", "raid6" },
		{ "10", "raid10" }, { "linear", "linear" },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(words[i][0], number))
			return words[i][1];
	}
	fail_msg("level %s", number);
	return NULL;
}

static struct md_shape shape(char **f, const char *chunk_kib, const char *policy, const char *layout)
{
	return (struct md_shape){
		.level = level_word(f[0]),
		.devices = (unsigned)atoi(f[1]),
		.chunk = strtoull(chunk_kib, NULL, 10) * 1024,
		.ppl = !strcmp(policy, "ppl"),
		.layout = *layout == '-' ? 'n' : *layout,
		.copies = *layout == '-' ? 2 : (unsigned)(layout[1] - '0'),
	};
}

static void arrays_of_equal_members(void **state)
{
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/md.tsv");
	while (tsv_next(&t)) {
		struct md_shape m = shape(t.cell, t.cell[3], t.cell[4], t.cell[5]);
		uint64_t members[64];
		unsigned i;

		assert_int_equal(t.n, 8);
		m.first = tsv_u64(&t, 2);
		for (i = 0; i < m.devices; i++)
			members[i] = m.first;
		assert_int_equal(md_data_offset(&m) / 512, tsv_u64(&t, 6));
		assert_int_equal(md_array_bytes(&m, members, m.devices), tsv_u64(&t, 7));
	}
	assert_int_equal(t.row, 72);
}

/* The present members of "missing,417382400": returns how many. */
static unsigned present(char *list, uint64_t *members)
{
	char *word, *save = NULL;
	unsigned n = 0;

	for (word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (strcmp(word, "missing"))
			members[n++] = strtoull(word, NULL, 10);
	}
	return n;
}

static void arrays_of_any_members(void **state)
{
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/md-more.tsv");
	while (tsv_next(&t)) {
		struct md_shape m = shape(t.cell, t.cell[2], t.cell[3], t.cell[4]);
		uint64_t members[64];
		unsigned n = present(t.cell[7], members);

		assert_int_equal(t.n, 10);
		m.first = tsv_u64(&t, 5) && tsv_u64(&t, 6) ? tsv_u64(&t, 5) : members[0];
		assert_int_equal(md_data_offset(&m) / 512, tsv_u64(&t, 8));
		assert_int_equal(md_array_bytes(&m, members, n), tsv_u64(&t, 9));
	}
	assert_int_equal(t.row, 274);
}

/* Two arrays of public logs: CASES C18 and C19. */
static void arrays_of_public_logs(void **state)
{
	struct md_shape mirror = { .level = "raid1", .devices = 2, .layout = 'n', .copies = 2,
				   .first = 110000000000 };
	struct md_shape six = { .level = "raid6", .devices = 8, .chunk = 524288, .layout = 'n',
				.copies = 2, .first = 12000138625024 - 2 * 1048576 };
	uint64_t members[8];
	unsigned i;

	(void)state;
	members[0] = members[1] = 110000000000;
	assert_int_equal(md_array_bytes(&mirror, members, 2) / 1024, 107355264);
	for (i = 0; i < 8; i++)
		members[i] = six.first;
	assert_int_equal(md_data_offset(&six) / 512, 264192);
	assert_int_equal(md_array_bytes(&six, members, 8) / 1024, 70312507392);
}

static void a_member_too_small_makes_no_array(void **state)
{
	struct md_shape m = { .level = "raid5", .devices = 3, .chunk = 524288, .first = 1048576 };
	uint64_t members[] = { 1048576, 1048576, 1048576 };

	(void)state;
	assert_int_equal(md_array_bytes(&m, members, 3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_of_equal_members),
		cmocka_unit_test(arrays_of_any_members),
		cmocka_unit_test(arrays_of_public_logs),
		cmocka_unit_test(a_member_too_small_makes_no_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
