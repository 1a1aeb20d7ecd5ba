/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Caches: sizes as measured, who may lie on whom, what is lost with the cache disk. */
#include "test.h"

#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "disk/disk.h"
#include "layers/bcache.h"
#include "layout/pick.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"
#include "tsv.h"

static void backing_devices(void **state)
{
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/bcache-backing.tsv");
	while (tsv_next(&t))
		assert_int_equal(bcache_backing_bytes(tsv_u64(&t, 0), tsv_u64(&t, 1)), tsv_u64(&t, 2));
	assert_int_equal(t.row, 26);
}

static void cache_devices(void **state)
{
	uint64_t buckets, first;
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/bcache-cache.tsv");
	while (tsv_next(&t)) {
		bool taken = bcache_cache_buckets(tsv_u64(&t, 0), tsv_u64(&t, 1), &buckets, &first);

		assert_int_equal(taken, tsv_u64(&t, 2) > 0);
		if (!taken)
			continue;
		assert_int_equal(buckets, tsv_u64(&t, 2));
		assert_int_equal(first, tsv_u64(&t, 3));
	}
	assert_int_equal(t.row, 32);
}

struct made {
	struct inventory *inv;
	struct recipe *recipe;
	struct stack *stack;
	struct arena *arena;
};

static int make(struct made *m, const char *layout, const char *const *disks, const char *cache,
		struct err *e)
{
	const char *caches[] = { cache, NULL };
	struct pick *picks;
	size_t n;

	*m = (struct made){ .inv = inventory_new(), .arena = arena_new() };
	return recipe_open(layout, &m->recipe, e) ||
	       picks_from_words(m->inv, disks, cache ? caches : NULL, m->arena, &picks, &n, e) ||
	       stack_make(m->recipe, "t", picks, n, &m->stack, e) ? -1 : 0;
}

static void unmake(struct made *m)
{
	stack_free(m->stack);
	recipe_free(m->recipe);
	inventory_free(m->inv);
	arena_free(m->arena);
}

/* The name of the first advice, "" when there is none. */
static const char *first_advice(const struct made *m)
{
	struct list found = { 0 };

	stack_advice(m->stack, m->arena, &found);
	return found.n ? ((const struct advice *)found.at[0])->rule : "";
}

static const char *const six[] = { "2xhdd:3TB", "2xhdd:5TB", "2xhdd:10TB", NULL };

/* Without the cache disk, is the data still there? */
static void lost_with_the_cache(void **state)
{
	static const struct {
		const char *layout;
		enum health health;
		unsigned survives;
	} cases[] = {
		{ "slice | md redundancy=1 | bcache mode=writeback | btrfs", HEALTH_LOST, 0 },
		{ "slice | md redundancy=1 | bcache mode=writethrough | btrfs", HEALTH_DEGRADED, 1 },
		{ "slice | md redundancy=1 | bcache mode=writearound | btrfs", HEALTH_DEGRADED, 1 },
		{ "slice | md redundancy=1 | lvm | lvmcache mode=writeback | btrfs", HEALTH_LOST, 0 },
		{ "slice | md redundancy=1 | lvm | lvmcache mode=writethrough", HEALTH_DEGRADED, 1 },
		{ "md level=raid6 consistency=journal | xfs", HEALTH_DEGRADED, 2 },
		{ "slice | md redundancy=2 | lvm | writecache | xfs", HEALTH_LOST, 0 },
	};
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool dead[7] = { false };
		struct err e = { 0 };
		enum health *health;
		struct made m;

		assert_int_equal(make(&m, cases[i].layout, six, "ssd:500GB", &e), 0);
		for (k = 0; k < m.stack->n_disks; k++)
			dead[k] = ((const struct node *)m.stack->nodes.at[k])->role == ROLE_CACHE;
		health = arena_array(m.arena, m.stack->nodes.n, sizeof(*health));
		assert_int_equal(stack_lose(m.stack, dead, health), cases[i].health);
		assert_int_equal(m.stack->survives, cases[i].survives);
		if (cases[i].health == HEALTH_LOST)
			assert_string_equal(first_advice(&m), "writeback-cache");
		else
			assert_string_not_equal(first_advice(&m), "writeback-cache");
		for (k = 0; k < m.stack->n_disks; k++) {
			const struct node *n = m.stack->nodes.at[k];

			assert_int_equal(split_sum(&n->split), n->disk->bytes);
		}
		unmake(&m);
	}
}

static void what_cannot_be_is_said(void **state)
{
	static const struct {
		const char *layout, *cache, *says;
	} cases[] = {
		{ "md level=raid5 | bcache", NULL, "layer 2, bcache: needs a cache disk: name one with --cache, "
		  "like --cache ssd:500G" },
		/* CASES C75 */
		{ "md level=raid5 | bcache | bcache", "ssd:500GB", "layer 3, bcache: data is cached by bcache "
		  "already, and the kernel does not stack one on another; one bcache, above or below" },
		{ "md level=raid5 | lvmcache", "ssd:500GB", "layer 2, lvmcache: caches a volume of LVM, and data is "
		  "none; lvm below it makes one, or bcache caches any device" },
		{ "lvm type=raid5 integrity=yes | lvmcache", "ssd:500GB", "layer 2, lvmcache: LVM caches no volume "
		  "that has integrity=yes; bcache over it does" },
		{ "lvm type=thin | writecache", "ssd:500GB", "layer 2, writecache: LVM caches no thin volume; "
		  "bcache below lvm does" },
		/* CASES C25 */
		{ "lvm type=raid5 | lvmcache", "ssd:500GB,sector=4096", "layer 2, lvmcache: ssd1p1 has 4096-byte "
		  "sectors and the volume group of data has 512: LVM does not take both; bcache does" },
		/* CASES C69 */
		{ "lvm type=raid5 | lvmcache chunk=64K", "ssd:2TB", "layer 2, lvmcache: chunk=64K makes more than "
		  "1,000,000 chunks of 2000393601024 bytes; the smallest is 1984K" },
		/* CASES C61, C62 */
		{ "md level=raid1 consistency=journal", "ssd:500GB", "layer 1, md: consistency=journal is for raid5 "
		  "and raid6, not raid1; consistency=bitmap works there" },
		{ "md level=raid6 consistency=journal", NULL, "layer 1, md: needs a cache disk: name one with "
		  "--cache, like --cache ssd:500G" },
		{ "md level=raid5 | bcache bucket=3M", "ssd:500GB", "layer 2, bcache: bucket is a power of two, "
		  "like 512K; not 3M" },
		{ "md level=raid5 | bcache size=64M bucket=1M", "ssd:500GB", "layer 2, bcache: ssd1p1 has room "
		  "for 64 buckets, bcache needs 513: a smaller bucket= or a larger cache" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = { 0 };
		struct made m;

		assert_int_equal(make(&m, cases[i].layout, six, cases[i].cache, &e), -1);
		assert_string_equal(e.text, cases[i].says);
		unmake(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(backing_devices),
		cmocka_unit_test(cache_devices),
		cmocka_unit_test(lost_with_the_cache),
		cmocka_unit_test(what_cannot_be_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
