/* SPDX-License-Identifier: GPL-2.0-or-later */
/* corpus - how many files of which size a workload has, and what is in them. */
#include "bench-help.h"

#include "bench/corpus.h"

static void scaled(const struct workload *w, double scale, size_t n, uint64_t bytes)
{
	struct corpus *c = corpus_new(w, scale);

	assert_int_equal(c->n, n);
	assert_int_equal(c->bytes, bytes);
	corpus_free(c);
}

/* Few files of one size get smaller, so that every stream keeps its file; many get fewer. */
static void scales(void **state)
{
	struct arena *a = arena_new();
	struct workload w;
	struct corpus *c;
	double sum = 0, mean;
	size_t i;

	(void)state;
	parsed(a, "fileset count=8 size=1000\nop write\n", &w);
	scaled(&w, 1, 8, 8000);
	scaled(&w, 0.01, 8, 80);
	scaled(&w, 1.0005, 8, 8004);
	parsed(a, "fileset count=1000 size=1000\nop write\n", &w);
	scaled(&w, 0.01, 10, 10000);
	parsed(a, "fileset count=1000 size=0\nop write\n", &w);
	scaled(&w, 1, 1000, 0);
	scaled(&w, 0.01, 10, 0);
	/* gamma of shape k has a standard deviation of mean / sqrt(k): four of the mean's */
	parsed(a, "fileset count=20000 size=gamma mean=16K shape=1.5\nop write\n", &w);
	c = corpus_new(&w, 1);
	for (i = 0; i < c->n; i++)
		sum += (double)c->sizes[i];
	mean = sum / (double)c->n;
	assert_int_equal(c->n, 20000);
	assert_true(mean > 16384 - 4 * 16384 / 173.2 && mean < 16384 + 4 * 16384 / 173.2);
	corpus_free(c);
	arena_free(a);
}

/* Sets lie one after the other, each with its own content. */
static void sets_differ(void **state)
{
	static unsigned char block[CORPUS_BLOCK + CORPUS_SLACK], zero[CORPUS_BLOCK];
	struct arena *a = arena_new();
	struct workload w;
	struct corpus *c;

	(void)state;
	parsed(a, "fileset count=3 size=64K data=zero\nfileset count=2 size=64K data=text\n"
	       "op write\n", &w);
	c = corpus_new(&w, 1);
	assert_int_equal(c->n_sets, 2);
	assert_int_equal(c->sets[1].first, 3);
	assert_ptr_equal(corpus_set(c, 2), &c->sets[0]);
	assert_ptr_equal(corpus_set(c, 3), &c->sets[1]);
	memset(block, 1, sizeof(block));
	corpus_block(c, 2, 0, CORPUS_BLOCK, block);
	assert_memory_equal(block, zero, CORPUS_BLOCK);
	corpus_block(c, 3, 0, CORPUS_BLOCK, block);
	assert_null(memchr(block, 0, CORPUS_BLOCK));
	corpus_free(c);
	arena_free(a);
}

/* Of 1000 blocks so many are one of sixteen, within four standard deviations; no other two
 * are the same. */
static void dedup_repeats_blocks(void **state)
{
	static unsigned char block[CORPUS_BLOCK + CORPUS_SLACK];
	static const unsigned percents[] = { 0, 30, 100 };
	uint64_t first[1000], same, kinds;
	struct arena *a = arena_new();
	struct workload w;
	struct corpus *c;
	size_t i, k, n;

	(void)state;
	for (i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		parsed(a, arena_printf(a, "fileset size=64000K dedup=%u\nop write\n", percents[i]), &w);
		c = corpus_new(&w, 1);
		for (n = 0, same = 0, kinds = 0; n < 1000; n++) {
			bool again = false, more = false;

			corpus_block(c, 0, n, CORPUS_BLOCK, block);
			memcpy(&first[n], block, sizeof(first[n]));
			for (k = 0; k < n; k++) {
				more |= again && first[k] == first[n];
				again |= first[k] == first[n];
			}
			same += again;
			kinds += again && !more;
		}
		/* the first of each kind is not counted as one that is there again */
		assert_true(same + 16 + 58 >= percents[i] * 10 && same <= percents[i] * 10 + 58);
		assert_int_equal(kinds, percents[i] ? 16 : 0);
		corpus_free(c);
	}
	arena_free(a);
}

/* The stated ratio, as its texture makes it: so much of each 4 KiB is random, the rest
 * repeats 16 bytes. tests/bench/corpus.sh packs it. */
static void ratios(void **state)
{
	static const double wanted[] = { 1, 1.5, 2.5, 10, 100 };
	static unsigned char block[CORPUS_BLOCK + CORPUS_SLACK + 8];
	size_t i, at, k, fresh;

	(void)state;
	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		memset(block, 0xa5, sizeof(block));
		corpus_ratio(wanted[i], 77, CORPUS_BLOCK, block);
		for (k = CORPUS_SLACK; k < CORPUS_SLACK + 8; k++)
			assert_int_equal(block[CORPUS_BLOCK + k], 0xa5);
		for (at = 0, fresh = 0; at < CORPUS_BLOCK; at += 16) {
			size_t unit = at / 4096 * 4096;

			fresh += at == unit || memcmp(block + at, block + unit, 16) != 0;
		}
		assert_in_range(fresh * 16, (double)CORPUS_BLOCK / wanted[i] * 0.3,
				(double)CORPUS_BLOCK / wanted[i] + 256);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scales),
		cmocka_unit_test(sets_differ),
		cmocka_unit_test(dedup_repeats_blocks),
		cmocka_unit_test(ratios),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
