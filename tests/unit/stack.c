/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recipes over disks: groups, sizes, where every byte goes, what may fail. */
#include "test.h"

#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "disk/disk.h"
#include "layout/pick.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"

struct made {
	struct inventory *inv;
	struct recipe *recipe;
	struct stack *stack;
	struct arena *arena;
};

static int make(struct made *m, const char *layout, const char *const *disks, struct err *e)
{
	struct pick *picks;
	size_t n;

	*m = (struct made){ .inv = inventory_new(), .arena = arena_new() };
	return recipe_open(layout, &m->recipe, e) ||
	       picks_from_words(m->inv, disks, NULL, m->arena, &picks, &n, e) ||
	       stack_make(m->recipe, "t", picks, n, &m->stack, e) ? -1 : 0;
}

static void unmake(struct made *m)
{
	stack_free(m->stack);
	recipe_free(m->recipe);
	inventory_free(m->inv);
	arena_free(m->arena);
}

static const struct node *find(const struct stack *s, const char *layer, const char *name)
{
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (!strcmp(n->layer->name, layer) && !strcmp(n->name, name))
			return n;
	}
	return NULL;
}

/* For each disk the four numbers sum to its size, and over all disks usable is usable. */
static void check_sums(const struct stack *s)
{
	uint64_t usable = 0;
	size_t i;

	for (i = 0; i < s->n_disks; i++) {
		const struct node *n = s->nodes.at[i];

		assert_int_equal(split_sum(&n->split), n->disk->bytes);
		usable += n->split.usable;
	}
	assert_int_equal(usable, s->usable_bytes);
}

/* Measured on the kernel at true sizes: CAPACITY section 2. */
static void shr_at_true_size(void **state)
{
	const char *disks[] = { "hdd:3TiB", "hdd:3TiB", "hdd:5TiB", "hdd:5TiB", "hdd:10TiB", "hdd:10TiB", NULL };
	struct err e = { 0 };
	struct made m;

	(void)state;
	assert_int_equal(make(&m, "slice | md redundancy=1 | lvm", disks, &e), 0);
	assert_int_equal(find(m.stack, "md", "s1")->bytes, 16491987599360);
	assert_int_equal(find(m.stack, "md", "s2")->bytes, 6596663967744);
	assert_int_equal(find(m.stack, "md", "s3")->bytes, 5497422872576);
	assert_int_equal(find(m.stack, "lvm", "data")->bytes, 28586060808192);
	assert_int_equal(m.stack->usable_bytes, 28586060808192);
	assert_int_equal(m.stack->survives, 1);
	check_sums(m.stack);
	unmake(&m);
}

/* The small set of CAPACITY section 2: 2x300M, 2x500M, 2x1000M. */
static void measured_small_arrays(void **state)
{
	static const struct {
		const char *layout;
		uint64_t bytes;
		unsigned survives;
	} cases[] = {
		{ "md level=raid0", 3762290688, 0 },
		{ "md level=raid5", 1562378240, 1 },
		{ "md level=raid6", 1249902592, 2 },
		{ "md level=raid10", 937426944, 1 },
		{ "md level=raid5 consistency=ppl", 1557135360, 1 },
		{ "md level=raid5 consistency=resync", 1562378240, 1 },
		{ "lvm type=raid0", 1862270976, 0 },
		{ "lvm type=raid5", 1530920960, 1 },
		{ "lvm type=raid6", 1224736768, 2 },
		{ "lvm type=raid10", 918552576, 1 },
		{ "lvm type=auto redundancy=3", 306184192, 5 },
		{ "lvm type=raid5 integrity=yes", 1488977920, 1 },
		{ "lvm type=thin", 3741319168, 0 },
	};
	const char *disks[] = { "2xhdd:300MiB", "2xhdd:500MiB", "2xhdd:1000MiB", NULL };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = { 0 };
		struct made m;

		assert_int_equal(make(&m, cases[i].layout, disks, &e), 0);
		assert_int_equal(m.stack->usable_bytes, cases[i].bytes);
		assert_int_equal(m.stack->survives, cases[i].survives);
		check_sums(m.stack);
		unmake(&m);
	}
}

/* Gross values of public calculators and threads; ours is at most a slice's overhead less. */
static void public_vectors(void **state)
{
	static const struct {
		const char *layout;
		const char *disks[6];
		unsigned tb, survives;
	} cases[] = {
		{ "slice | md redundancy=1", { "hdd:2TB", "hdd:3TB", "hdd:4TB" }, 5, 1 },
		{ "slice | md redundancy=1", { "hdd:1TB", "hdd:2TB", "hdd:3TB", "hdd:4TB" }, 6, 1 },
		{ "slice | md redundancy=1", { "2xhdd:4TB" }, 4, 1 },
		{ "slice | md redundancy=2", { "4xhdd:4TB" }, 8, 2 },
		{ "slice | md redundancy=1", { "2xhdd:2TB", "hdd:6TB" }, 4, 1 },
		{ "slice | md redundancy=1", { "4xhdd:8TB", "2xhdd:4TB" }, 32, 1 },
		{ "slice | md redundancy=2", { "4xhdd:8TB", "2xhdd:4TB" }, 24, 2 },
		{ "md level=raid5", { "4xhdd:8TB", "2xhdd:4TB" }, 20, 1 },
		{ "md level=raid6", { "4xhdd:8TB", "2xhdd:4TB" }, 16, 2 },
		{ "slice | md redundancy=1", { "2xhdd:3TB", "2xhdd:5TB", "2xhdd:10TB" }, 26, 1 },
		{ "slice | md redundancy=2", { "2xhdd:1TB", "2xhdd:2TB", "hdd:3TB", "hdd:4TB" }, 6, 2 },
		{ "md level=raid1", { "4xhdd:8TB" }, 8, 3 },
		{ "md level=raid10", { "3xhdd:4TB" }, 6, 1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = { 0 };
		struct made m;
		double tb;

		assert_int_equal(make(&m, cases[i].layout, cases[i].disks, &e), 0);
		tb = (double)m.stack->usable_bytes / 1e12;
		assert_true(tb > cases[i].tb - 0.01 && tb < cases[i].tb + 0.02);
		assert_int_equal(m.stack->survives, cases[i].survives);
		check_sums(m.stack);
		unmake(&m);
	}
}

/* CASES C01: a disk 344 sectors shorter makes no slice of its own. */
static void nearly_equal_disks_are_one_slice(void **state)
{
	const char *disks[] = { "3xhdd:4000787030016", "hdd:4000786853888", NULL };
	struct err e = { 0 };
	struct made m;

	(void)state;
	assert_int_equal(make(&m, "slice | md redundancy=1", disks, &e), 0);
	assert_int_equal(m.stack->tops.n, 1);
	assert_true(m.stack->usable_bytes <= 12002360561664);
	assert_true(m.stack->usable_bytes + 3221225472 >= 12002360561664);
	check_sums(m.stack);
	unmake(&m);
}

/*
 * A percentage is of the disk and rounded up to a whole MiB; the partition begins at 1 MiB and
 * ends at the last whole MiB that leaves it and one more free.
 */
static void a_percentage_stays_free(void **state)
{
	static const struct {
		const char *layout, *disk;
		uint64_t part;
	} cases[] = {
		{ "part reserve=1.5%", "hdd:600MiB", 589 * MIB },	/* 9 MiB to the byte */
		{ "part reserve=9M", "hdd:600MiB", 589 * MIB },
		{ "part reserve=1.501%", "hdd:600MiB", 588 * MIB },	/* 9.006 MiB are 10 */
		{ "part reserve=0%", "hdd:600MiB", 598 * MIB },
		/* 953674.32 MiB, 1 % of them 9536.74 */
		{ "part reserve=1%", "hdd:1000000000000", 944135 * MIB },
		{ "slice reserve=1%", "hdd:1000000000000", 944135 * MIB },
		{ "slice reserve=50%", "hdd:1000MiB", 498 * MIB },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *disks[] = { cases[i].disk, NULL };
		struct err e = { 0 };
		struct made m;

		assert_int_equal(make(&m, cases[i].layout, disks, &e), 0);
		assert_int_equal(((struct node *)m.stack->tops.at[0])->bytes, cases[i].part);
		check_sums(m.stack);
		unmake(&m);
	}
}

/* With count= it is what the first disks alone would be; the others are neither used nor
 * written to, and no advice is given on them. */
static void a_count_takes_the_first_disks(void **state)
{
	static const struct {
		const char *layout, *disks[4], *like, *first[4];
		size_t used;
	} cases[] = {
		{ "part count=1 | xfs", { "hdd:1TB", "usb:2TB", "hdd:3TB" }, "part | xfs", { "hdd:1TB" }, 1 },
		{ "part count=2 | md level=raid1 | lvm | ext4", { "hdd:3TB", "hdd:2TB", "hdd:1TB" },
		  "part | md level=raid1 | lvm | ext4", { "hdd:3TB", "hdd:2TB" }, 2 },
		{ "slice count=3 | md redundancy=1 | btrfs data=single", { "hdd:1TB", "2xhdd:2TB", "hdd:3TB" },
		  "slice | md redundancy=1 | btrfs data=single", { "hdd:1TB", "2xhdd:2TB" }, 3 },
		{ "part count=3 | btrfs data=raid1", { "3xhdd:1TB" }, "part | btrfs data=raid1",
		  { "3xhdd:1TB" }, 3 },
	};
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = { 0 };
		struct made m, like;

		if (make(&m, cases[i].layout, cases[i].disks, &e) ||
		    make(&like, cases[i].like, cases[i].first, &e))
			fail_msg("%s", e.text);
		assert_int_equal(m.stack->tops.n, 1);
		assert_int_equal(m.stack->usable_bytes, like.stack->usable_bytes);
		assert_int_equal(m.stack->survives, like.stack->survives);
		for (k = 0; k < m.stack->n_disks; k++) {
			const struct node *disk = m.stack->nodes.at[k];

			assert_int_equal(node_is_used(disk), k < cases[i].used);
			assert_int_equal(disk->split.unused == disk->disk->bytes, k >= cases[i].used);
		}
		check_sums(m.stack);
		unmake(&m);
		unmake(&like);
	}
}

static void what_cannot_be_is_said(void **state)
{
	static const struct {
		const char *layout;
		const char *disks[4];
		const char *says;
	} cases[] = {
		{ "md level=raid5", { "2xhdd:4TB" },
		  "layer 1, md: raid5 needs 3 disks, has 2; level=raid1 holds as much on 2" },
		{ "md level=raid6", { "3xhdd:4TB" },
		  "layer 1, md: raid6 needs 4 disks, has 3; redundancy=2 makes a mirror of 3" },
		{ "slice | md redundancy=2", { "2xhdd:4TB" },
		  "layer 2, md: 2 members cannot lose 2: at least 3 are needed, or missing= says how "
		  "many come later" },
		/* CASES C23: md takes the largest sector, so the slices differ */
		{ "slice | md redundancy=1 | lvm", { "2xhdd:4TB", "2xhdd:8TB", "hdd:4TB,sector=4096" },
		  "layer 3, lvm: s1 has 4096-byte sectors and s2 has 512: one volume group does not take both; "
		  "btrfs over the slices does" },
		{ "lvm type=raid10", { "3xhdd:4TB" }, "layer 1, lvm: LVM's raid10 needs an even number from 4 "
		  "devices, has 3; md level=raid10 takes any number from 2; type=raid5 and type=raid1 are "
		  "others" },
		{ "lvm type=raid5", { "2xhdd:4TB" }, "layer 1, lvm: LVM's raid5 needs 3 devices, has 2; "
		  "type=raid1 takes 2" },
		{ "lvm type=raid6", { "4xhdd:4TB" }, "layer 1, lvm: LVM's raid6 needs 5 devices, has 4; md "
		  "level=raid6 takes 4, and type=raid1 lets all but one fail" },
		{ "part | lvm", { "hdd:4TB", "hdd:4TB,sector=4096" },
		  "layer 2, lvm: hdd1p1 has 512-byte sectors and hdd2p1 has 4096: one volume group does not take "
		  "both; btrfs over the slices does" },
		{ "part count=3 | xfs", { "2xhdd:4TB" }, "layer 1, part: count=3, and there are 2 disks" },
		{ "slice count=2 | xfs", { "hdd:4TB" }, "layer 1, slice: count=2, and there is 1 disk" },
		{ "md redundancy=1 | slice", { "2xhdd:4TB" },
		  "layer 2, slice: cuts disks, so it is the first layer; data is none" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = { 0 };
		struct made m;

		assert_int_equal(make(&m, cases[i].layout, cases[i].disks, &e), -1);
		assert_string_equal(e.text, cases[i].says);
		unmake(&m);
	}
}

/* Every way of losing two of six disks of a sliced layout loses something; none of one does. */
static void losses_follow_the_slices(void **state)
{
	const char *disks[] = { "2xhdd:3TB", "2xhdd:5TB", "2xhdd:10TB", NULL };
	enum health out[64];
	struct err e = { 0 };
	struct made m;
	unsigned i, k;

	(void)state;
	assert_int_equal(make(&m, "slice | md redundancy=1 | lvm", disks, &e), 0);
	assert_true(m.stack->nodes.n <= 64);
	for (i = 0; i < 6; i++) {
		for (k = i; k < 6; k++) {
			bool dead[6] = { false };

			dead[i] = dead[k] = true;
			assert_int_equal(stack_lose(m.stack, dead, out), i == k ? HEALTH_DEGRADED : HEALTH_LOST);
		}
	}
	/* the two small disks are in the first slice only */
	{
		bool dead[6] = { true, true };

		stack_lose(m.stack, dead, out);
		assert_int_equal(out[find(m.stack, "md", "s1")->id], HEALTH_LOST);
		assert_int_equal(out[find(m.stack, "md", "s2")->id], HEALTH_OK);
		assert_int_equal(out[find(m.stack, "md", "s3")->id], HEALTH_OK);
	}
	unmake(&m);
}

/* Steps never depend on what a disk calls itself, and the digest on every word. */
static void the_digest_sees_every_word(void **state)
{
	const char *disks[] = { "3xhdd:4TB", NULL };
	struct err e = { 0 };
	struct made a, b;
	struct plan *p, *q;

	(void)state;
	assert_int_equal(make(&a, "md level=raid5", disks, &e), 0);
	assert_int_equal(make(&b, "md level=raid5 chunk=512K", disks, &e), 0);
	assert_int_equal(plan_make(a.stack, &p, &e), 0);
	assert_int_equal(plan_make(b.stack, &q, &e), 0);
	assert_string_equal(plan_digest(p, a.arena), plan_digest(p, a.arena));
	assert_string_not_equal(plan_digest(p, a.arena), plan_digest(q, a.arena));
	plan_free(p);
	plan_free(q);
	unmake(&a);
	unmake(&b);
}

/* From raw to usable, layer by layer, nothing is lost on the way; the cache is in no sum. */
static void layers_add_up(void **state)
{
	static const char *const layouts[] = {
		"slice | md redundancy=1 | bcache | lvm | xfs", "md level=raid6 consistency=journal | ext4",
		"slice | md redundancy=2 | btrfs data=single", "lvm type=raid5 | lvmcache | xfs",
		"btrfs data=raid5 metadata=raid1", "part | xfs | mergerfs",
	};
	const char *disks[] = { "2xhdd:3T", "2xhdd:5T", "2xhdd:10T", NULL };
	const char *cache[] = { "ssd:500G", NULL };
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		struct made m = { .inv = inventory_new(), .arena = arena_new() };
		uint64_t carried, redundancy = 0, want = 0;
		struct err e = { 0 };
		struct pick *picks;
		size_t n;

		assert_int_equal(recipe_open(layouts[i], &m.recipe, &e), 0);
		assert_int_equal(picks_from_words(m.inv, disks, cache, m.arena, &picks, &n, &e), 0);
		assert_int_equal(stack_make(m.recipe, "t", picks, n, &m.stack, &e), 0);
		carried = m.stack->raw_bytes;
		for (k = 0; k < m.recipe->n_stmts; k++) {
			struct layer_sum sum;

			stack_layer_sum(m.stack, &m.recipe->stmts[k], &sum);
			assert_true(sum.takes <= carried);
			assert_true(sum.gives + sum.redundancy + sum.unused <= sum.takes);
			carried = sum.gives;
			redundancy += sum.redundancy;
		}
		assert_int_equal(carried, m.stack->usable_bytes);
		for (k = 0; k < m.stack->n_disks; k++)
			want += ((const struct node *)m.stack->nodes.at[k])->split.redundancy;
		assert_int_equal(redundancy, want);
		unmake(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shr_at_true_size),
		cmocka_unit_test(measured_small_arrays),
		cmocka_unit_test(public_vectors),
		cmocka_unit_test(nearly_equal_disks_are_one_slice),
		cmocka_unit_test(a_percentage_stays_free),
		cmocka_unit_test(a_count_takes_the_first_disks),
		cmocka_unit_test(what_cannot_be_is_said),
		cmocka_unit_test(losses_follow_the_slices),
		cmocka_unit_test(the_digest_sees_every_word),
		cmocka_unit_test(layers_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
