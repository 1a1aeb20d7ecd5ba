/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What cannot be is refused when a layout is put together, before any disk is touched, with
 * the reason and what would be right. Each sentence is what a person reads; the facts behind
 * it are those of CASES.md, mdadm(8), lvmraid(7), lvmcache(7), mkfs.xfs(8) and btrfs(5).
 */
#include "test.h"

#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/units.h"
#include "disk/disk.h"
#include "layout/pick.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"

#define SSD "ssd:500G"

static const struct {
	const char *layout, *disks[4], *cache, *says;
} rows[] = {
	/* caches */
	{ "lvm type=raid5 integrity=yes | lvmcache | xfs", { "3xhdd:4T" }, SSD,
	  "layer 2, lvmcache: LVM caches no volume that has integrity=yes; bcache over it does" },
	{ "lvm type=raid5 integrity=yes | writecache | xfs", { "3xhdd:4T" }, SSD,
	  "layer 2, writecache: LVM caches no volume that has integrity=yes; bcache over it does" },
	{ "lvm type=thin | lvmcache | xfs", { "2xhdd:4T" }, SSD,
	  "layer 2, lvmcache: LVM caches no thin volume; bcache below lvm does" },
	{ "lvm | lvmcache | lvm type=thin | xfs", { "2xhdd:4T" }, SSD,
	  "layer 3, lvm: data is a volume of LVM already, and LVM takes none of its own as a "
	  "device; one lvm, and a thin volume is cached by bcache below it" },
	{ "lvm | writecache | lvm | xfs", { "2xhdd:4T" }, SSD,
	  "layer 3, lvm: data is a volume of LVM already, and LVM takes none of its own as a "
	  "device; one lvm, and a thin volume is cached by bcache below it" },
	{ "lvm | lvm", { "2xhdd:4T" }, NULL,
	  "layer 2, lvm: data is a volume of LVM already, and LVM takes none of its own as a "
	  "device; one lvm, and a thin volume is cached by bcache below it" },
	{ "lvm | lvmcache | lvmcache", { "2xhdd:4T" }, SSD,
	  "layer 3, lvmcache: caches a volume of LVM, and data is none; lvm below it makes one, or "
	  "bcache caches any device" },
	{ "md level=raid1 | lvmcache", { "2xhdd:4T" }, SSD,
	  "layer 2, lvmcache: caches a volume of LVM, and data is none; lvm below it makes one, or "
	  "bcache caches any device" },
	{ "lvm | lvmcache chunk=64K", { "hdd:4T" }, "ssd:2T",
	  "layer 2, lvmcache: chunk=64K makes more than 1,000,000 chunks of 2000393601024 bytes; "
	  "the smallest is 1984K" },
	{ "lvm | lvmcache", { "hdd:4T,sector=4096" }, SSD,
	  "layer 2, lvmcache: ssd1p1 has 512-byte sectors and the volume group of data has 4096: "
	  "LVM does not take both; bcache does" },
	{ "bcache | bcache | xfs", { "hdd:4T" }, SSD,
	  "layer 2, bcache: hdd1 is cached by bcache already, and the kernel does not stack one on "
	  "another; one bcache, above or below" },
	{ "md level=raid1 | bcache | lvm | bcache | xfs", { "2xhdd:4T" }, SSD,
	  "layer 4, bcache: data is cached by bcache already, and the kernel does not stack one on "
	  "another; one bcache, above or below" },
	{ "bcache | xfs", { "hdd:4T" }, "ssd:20MiB",
	  "layer 1, bcache: ssd1p1 has room for 36 buckets, bcache needs 513: a smaller bucket= "
	  "or a larger cache" },
	/* as kernel 6.1 refused it: 316 buckets */
	{ "bcache | xfs", { "hdd:4T" }, "ssd:160MiB",
	  "layer 1, bcache: ssd1p1 has room for 316 buckets, bcache needs 513: a smaller bucket= "
	  "or a larger cache" },
	{ "bcache | xfs", { "hdd:4T" }, NULL,
	  "layer 1, bcache: needs a cache disk: name one with --cache, like --cache ssd:500G" },
	/* arrays */
	{ "md level=raid5", { "2xhdd:4T" }, NULL,
	  "layer 1, md: raid5 needs 3 disks, has 2; level=raid1 holds as much on 2" },
	{ "md level=raid6", { "3xhdd:4T" }, NULL,
	  "layer 1, md: raid6 needs 4 disks, has 3; redundancy=2 makes a mirror of 3" },
	{ "md level=raid1", { "hdd:4T" }, NULL,
	  "layer 1, md: raid1 needs 2 disks, has 1; missing=1 starts with one, and the other "
	  "comes later" },
	{ "md level=raid0", { "hdd:4T" }, NULL,
	  "layer 1, md: raid0 needs 2 disks, has 1; one disk needs no array" },
	{ "md redundancy=1", { "hdd:4T" }, NULL,
	  "layer 1, md: 1 member cannot lose 1: at least 2 are needed, or missing= says how many "
	  "come later" },
	{ "md redundancy=0", { "hdd:4T" }, NULL,
	  "layer 1, md: an array joins 2 members or more, has 1; one disk needs no array" },
	{ "md level=raid1 chunk=64K", { "2xhdd:4T" }, NULL,
	  "layer 1, md: chunk= is for levels that stripe, and every member of a raid1 has "
	  "everything; leave it out" },
	{ "md level=raid5 chunk=96K", { "3xhdd:4T" }, NULL,
	  "layer 1, md: chunk is a power of two, like 64K, 512K or 1M; not 96K" },
	{ "md level=raid10 layout=n3", { "2xhdd:4T" }, NULL,
	  "layer 1, md: raid10 with 3 copies needs 3 disks, has 2; layout=n2 keeps 2" },
	{ "md level=raid0 consistency=bitmap", { "2xhdd:4T" }, NULL,
	  "layer 1, md: raid0 has nothing to keep consistent; leave consistency= out" },
	{ "md level=raid5 missing=2", { "4xhdd:4T" }, NULL,
	  "layer 1, md: raid5 does not start without 2 of its 6 members; missing=1 is the most" },
	{ "md level=raid10 missing=2", { "4xhdd:4T" }, NULL,
	  "layer 1, md: raid10 does not start without 2 of its 6 members; missing=1 is the most" },
	{ "md level=raid0 missing=1", { "4xhdd:4T" }, NULL,
	  "layer 1, md: a raid0 cannot start with a missing member" },
	{ "md level=raid6 consistency=ppl", { "4xhdd:4T" }, NULL,
	  "layer 1, md: consistency=ppl works with raid5 only, not with raid6; consistency=bitmap "
	  "does" },
	{ "md level=raid5 consistency=ppl consistency=bitmap", { "3xhdd:4T" }, NULL,
	  "layer 1, md: consistency is given twice, ppl and bitmap: leave one out" },
	{ "md level=raid5 consistency=ppl,bitmap", { "3xhdd:4T" }, NULL,
	  "layer 1, md: consistency is one of: bitmap resync ppl journal; they exclude each other, "
	  "so not \"ppl,bitmap\"" },
	{ "md level=raid5 consistency=ppl bitmap=internal", { "3xhdd:4T" }, NULL,
	  "layer 1, md: there is no option \"bitmap\"; did you mean consistency=bitmap?" },
	{ "md level=raid5 consistency=ppl", { "65xhdd:4T" }, NULL,
	  "layer 1, md: PPL holds up to 64 members, not 65; consistency=bitmap has no such limit" },
	{ "md level=raid10 consistency=journal", { "4xhdd:4T" }, SSD,
	  "layer 1, md: consistency=journal is for raid5 and raid6, not raid10; consistency=bitmap "
	  "works there" },
	{ "md level=raid5 consistency=journal", { "4xhdd:4T" }, NULL,
	  "layer 1, md: needs a cache disk: name one with --cache, like --cache ssd:500G" },
	{ "md level=raid5 consistency=journal", { "3xhdd:4T" }, "ssd:500MiB",
	  "layer 1, md: ssd1 has 498 MiB left and 1024 are wanted; a larger cache disk, or less of "
	  "it" },
	/* CASES C62: a journal that is a cache too */
	{ "md level=raid5 consistency=journal | bcache | xfs", { "3xhdd:4T" }, SSD,
	  "layer 2, bcache: needs a cache disk of its own: ssd1 serves md already, and a disk that "
	  "does both takes both with it when it dies; name another with --cache" },
	{ "md level=raid5 consistency=journal | lvm | lvmcache | xfs", { "3xhdd:4T" }, SSD,
	  "layer 3, lvmcache: needs a cache disk of its own: ssd1 serves md already, and a disk that "
	  "does both takes both with it when it dies; name another with --cache" },
	{ "lvm type=striped stripes=4", { "3xhdd:4T" }, NULL,
	  "layer 1, lvm: stripes=4 needs as many devices, has 3" },
	{ "lvm type=auto redundancy=1 stripes=2", { "4xhdd:4T" }, NULL,
	  "layer 1, lvm: stripes= is for type=striped: the others lie over all devices" },
	{ "lvm type=raid5 stripes=3", { "4xhdd:4T" }, NULL,
	  "layer 1, lvm: stripes= is for type=striped: the others lie over all devices" },
	{ "lvm type=raid10", { "3xhdd:4T" }, NULL,
	  "layer 1, lvm: LVM's raid10 needs an even number from 4 devices, has 3; md level=raid10 "
	  "takes any number from 2; type=raid5 and type=raid1 are others" },
	{ "lvm type=raid6", { "4xhdd:4T" }, NULL,
	  "layer 1, lvm: LVM's raid6 needs 5 devices, has 4; md level=raid6 takes 4, and "
	  "type=raid1 lets all but one fail" },
	{ "lvm type=raid5", { "2xhdd:4T" }, NULL,
	  "layer 1, lvm: LVM's raid5 needs 3 devices, has 2; type=raid1 takes 2" },
	{ "lvm type=raid1", { "hdd:4T" }, NULL,
	  "layer 1, lvm: LVM's raid1 needs 2 devices, has 1; a mirror needs a second device" },
	{ "lvm type=raid1 integritymode=bitmap | xfs", { "2xhdd:4T" }, NULL,
	  "layer 1, lvm: integritymode= is for integrity=yes" },
	{ "lvm type=linear integrity=yes", { "2xhdd:4T" }, NULL,
	  "layer 1, lvm: integrity=yes repairs from another copy: type=raid1, raid5, raid6 or "
	  "raid10, not linear" },
	{ "slice | md redundancy=1 | lvm", { "2xhdd:4T", "2xhdd:8T", "hdd:4T,sector=4096" }, NULL,
	  "layer 3, lvm: s1 has 4096-byte sectors and s2 has 512: one volume group does not take "
	  "both; btrfs over the slices does" },
	/* file systems */
	{ "xfs", { "hdd:256MiB" }, NULL,
	  "layer 1, xfs: hdd1: needs at least 300 MiB, the device has 268435456 bytes; ext4 "
	  "takes 64 MiB" },
	{ "xfs sector=512", { "hdd:4T,sector=4096" }, NULL,
	  "layer 1, xfs: sector=512 is less than the 4096 of hdd1; without sector= it is right" },
	{ "ext4", { "hdd:50MiB" }, NULL,
	  "layer 1, ext4: hdd1: needs at least 64 MiB, the device has 52428800 bytes; jfs takes "
	  "16 MiB" },
	{ "ext4", { "hdd:300MiB,sector=4096" }, NULL,
	  "layer 1, ext4: below 512 MiB ext4 has blocks of 1024 bytes, and hdd1 has sectors of 4096; "
	  "xfs and btrfs take them" },
	{ "reiserfs", { "hdd:32MiB" }, NULL,
	  "layer 1, reiserfs: needs 64 MiB beside its journal, the device has 33554432 bytes; jfs "
	  "takes 16 MiB" },
	{ "jfs", { "hdd:4T,sector=4096" }, NULL,
	  "layer 1, jfs: jfs needs 512-byte sectors, hdd1 has 4096; ext4, xfs and btrfs take "
	  "both" },
	{ "reiserfs", { "hdd:20T" }, NULL,
	  "layer 1, reiserfs: ends at 16 TiB, the device has 20000588955648 bytes; xfs and btrfs "
	  "go on" },
	{ "btrfs data=raid1c3", { "2xhdd:4T" }, NULL,
	  "layer 1, btrfs: data=raid1c3 needs 3 devices, has 2; raid1 takes 2" },
	{ "btrfs data=raid1", { "hdd:4T" }, NULL,
	  "layer 1, btrfs: data=raid1 needs 2 devices, has 1; single and dup take 1" },
	{ "btrfs data=raid1 metadata=raid1c4", { "3xhdd:4T" }, NULL,
	  "layer 1, btrfs: metadata=raid1c4 needs 4 devices, has 3; raid1c3 takes 3" },
	{ "btrfs mount=compress=zstd:4,nodatacow", { "hdd:4T" }, NULL,
	  "layer 1, btrfs: what is compressed has a checksum and is never written in place: leave "
	  "out compress= or nodatacow" },
	{ "btrfs mount=compress=lzo:4", { "hdd:4T" }, NULL,
	  "layer 1, btrfs: mount option compress: lzo has no levels" },
	{ "xfs mount=nobarier", { "hdd:4T" }, NULL,
	  "layer 1, xfs: no mount option \"nobarier\" is known here" },
	{ "zfs", { "2xhdd:4T" }, NULL,
	  "layer 1, zfs: would cut whole disks like hdd1 its own way: part | zfs" },
	{ "part | zfs type=mirror", { "hdd:4T" }, NULL,
	  "layer 2, zfs: mirror needs 2 devices, has 1; type=stripe takes 1, and zpool attach makes "
	  "it a mirror later" },
	{ "part | zfs type=raidz1", { "hdd:4T" }, NULL,
	  "layer 2, zfs: raidz1 needs 2 devices, has 1; type=stripe takes 1, and zpool attach makes "
	  "it a mirror later" },
	{ "part | zfs type=raidz2", { "2xhdd:4T" }, NULL,
	  "layer 2, zfs: raidz2 needs 3 devices, has 2; type=mirror takes 2" },
	{ "part | zfs type=raidz3", { "3xhdd:4T" }, NULL,
	  "layer 2, zfs: raidz3 needs 4 devices, has 3; type=mirror takes 3 and lets two of them "
	  "fail" },
	{ "part | zfs type=mirror width=2", { "3xhdd:4T" }, NULL,
	  "layer 2, zfs: 3 devices do not make vdevs of 2; 1 more would, and without width= all are "
	  "one vdev" },
	{ "part | zfs ashift=9", { "3xhdd:4T,sector=4096" }, NULL,
	  "layer 2, zfs: ashift=9 is sectors of 512 bytes, and hdd1p1 has 4096; ashift=12" },
	{ "luks type=luks1 integrity=hmac-sha256", { "hdd:4T" }, NULL,
	  "layer 1, luks: integrity= is for type=luks2; below luks1 the layer integrity keeps "
	  "checksums" },
	{ "luks type=luks1", { "hdd:4T,sector=4096" }, NULL,
	  "layer 1, luks: luks1 encrypts 512-byte sectors, hdd1 has 4096: type=luks2" },
	{ "luks sector=512", { "hdd:4T,sector=4096" }, NULL,
	  "layer 1, luks: sector=512 is less than the 4096 of hdd1; without sector= it is right" },
	{ "luks sector=4096", { "hdd:1000000000512" }, NULL,
	  "layer 1, luks: hdd1 (1000000000512 bytes) does not end on a sector of 4096: sector=512, or "
	  "part below it" },
	{ "xfs | ext4", { "hdd:4T" }, NULL,
	  "layer 2, ext4: needs a block device, and xfs gives a directory: nothing but a join of "
	  "directories can follow" },
	{ "mergerfs", { "2xhdd:4T" }, NULL,
	  "layer 1, mergerfs: joins directories, so a file system comes before it; a disk gives a "
	  "block device" },
	{ "luks | part | xfs", { "hdd:4T" }, NULL,
	  "layer 2, part: partitions disks, so it is the first layer; hdd1 is none" },
};

static int compose(const char *layout, const char *const *disks, const char *cache,
		   struct recipe **r, struct inventory **inv, struct stack **s, struct arena *a,
		   struct err *e)
{
	const char *caches[2] = { cache, NULL };
	struct pick *picks;
	size_t n;

	*r = NULL;
	*s = NULL;
	*inv = inventory_new();
	return recipe_parse(layout, NULL, r, e) ||
	       picks_from_words(*inv, disks, caches, a, &picks, &n, e) ||
	       stack_make(*r, "t", picks, n, s, e) ? -1 : 0;
}

static void what_cannot_be_is_refused(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *a = arena_new();
		struct inventory *inv;
		struct recipe *r;
		struct stack *s;
		struct err e = { 0 };

		if (!compose(rows[i].layout, rows[i].disks, rows[i].cache, &r, &inv, &s, a, &e))
			fail_msg("%s was not refused", rows[i].layout);
		if (strcmp(e.text, rows[i].says))
			fail_msg("%s\n  says   %s\n  wanted %s", rows[i].layout, e.text,
				 rows[i].says);
		assert_int_not_equal(e.kind, ERR_FAIL);
		stack_free(s);
		recipe_free(r);
		inventory_free(inv);
		arena_free(a);
	}
}

/* What a refusal says would be right has to be: the same disks, with that. */
static void what_is_advised_instead_works(void **state)
{
	static const struct {
		const char *layout, *disks[4], *cache;
	} good[] = {
		{ "lvm type=raid5 integrity=yes | bcache | xfs", { "3xhdd:4T" }, SSD },
		{ "bcache | lvm type=thin | xfs", { "2xhdd:4T" }, SSD },
		{ "lvm | bcache", { "hdd:4T,sector=4096" }, SSD },
		{ "lvm | lvmcache chunk=1984K", { "hdd:4T" }, "ssd:2T" },
		{ "md level=raid1", { "2xhdd:4T" }, NULL },
		{ "md redundancy=1 missing=1", { "hdd:4T" }, NULL },
		{ "md level=raid10 layout=n2", { "2xhdd:4T" }, NULL },
		{ "md level=raid5 consistency=bitmap", { "65xhdd:4T" }, NULL },
		{ "lvm type=raid1", { "2xhdd:4T" }, NULL },
		{ "bcache bucket=256K | xfs", { "hdd:4T" }, "ssd:160MiB" },
		{ "ext4", { "hdd:64MiB" }, NULL },
		{ "jfs", { "hdd:16MiB" }, NULL },
		{ "xfs", { "hdd:300MiB,sector=4096" }, NULL },
		{ "btrfs", { "hdd:300MiB,sector=4096" }, NULL },
		{ "part | zfs type=stripe", { "hdd:4T" }, NULL },
		{ "part | zfs type=mirror", { "2xhdd:4T" }, NULL },
		{ "part | zfs type=mirror width=2", { "4xhdd:4T" }, NULL },
		{ "part | zfs type=mirror", { "3xhdd:4T" }, NULL },
		{ "part | zfs ashift=12", { "3xhdd:4T,sector=4096" }, NULL },
		{ "integrity | luks type=luks1", { "hdd:4T" }, NULL },
		{ "part | luks sector=4096", { "hdd:1000000000512" }, NULL },
		{ "btrfs mount=compress=zstd:4", { "hdd:4T" }, NULL },
		{ "md redundancy=2", { "3xhdd:4T" }, NULL },
		{ "md level=raid1 missing=1", { "hdd:4T" }, NULL },
		{ "md level=raid5 missing=1", { "4xhdd:4T" }, NULL },
		{ "md level=raid10 missing=1", { "4xhdd:4T" }, NULL },
		{ "md level=raid10 consistency=bitmap", { "4xhdd:4T" }, NULL },
		{ "md level=raid10", { "3xhdd:4T" }, NULL },
		{ "lvm type=raid5", { "3xhdd:4T" }, NULL },
		{ "md level=raid6", { "4xhdd:4T" }, NULL },
		{ "btrfs data=raid1", { "2xhdd:4T" }, NULL },
		{ "btrfs data=dup", { "hdd:4T" }, NULL },
		{ "btrfs data=raid1 metadata=raid1c3", { "3xhdd:4T" }, NULL },
		{ "xfs", { "hdd:300MiB" }, NULL },
		{ "xfs", { "hdd:20T" }, NULL },
		{ "slice | md redundancy=1 | btrfs", { "2xhdd:8T,sector=4096", "2xhdd:10T" },
		NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct arena *a = arena_new();
		struct inventory *inv;
		struct recipe *r;
		struct stack *s;
		struct err e = { 0 };

		if (compose(good[i].layout, good[i].disks, good[i].cache, &r, &inv, &s, a, &e))
			fail_msg("%s: %s", good[i].layout, e.text);
		stack_free(s);
		recipe_free(r);
		inventory_free(inv);
		arena_free(a);
	}
}

/* With a second cache disk the journal and the cache are apart: each statement has its own. */
static void two_cache_disks(void **state)
{
	static const char *const disks[] = { "3xhdd:4T", NULL };
	static const char *const caches[] = { "ssd:100G", "ssd:500G", NULL };
	struct arena *a = arena_new();
	struct inventory *inv = inventory_new();
	struct recipe *r;
	struct stack *s;
	struct pick *picks;
	struct err e = { 0 };
	bool *dead;
	enum health *health;
	size_t n, i;

	(void)state;
	assert_int_equal(recipe_parse("md level=raid5 consistency=journal | bcache mode=writeback | xfs",
				      NULL, &r, &e), 0);
	assert_int_equal(picks_from_words(inv, disks, caches, a, &picks, &n, &e), 0);
	assert_int_equal(stack_make(r, "t", picks, n, &s, &e), 0);
	for (i = 0; i < s->cache.n; i++)
		assert_int_equal(((const struct node *)s->cache.at[i])->n_parents, 1);
	dead = arena_array(a, s->n_disks, sizeof(*dead));
	health = arena_array(a, s->nodes.n, sizeof(*health));
	dead[0] = true;			/* the journal */
	assert_int_equal(stack_lose(s, dead, health), HEALTH_DEGRADED);
	dead[0] = false;
	dead[1] = true;			/* the cache */
	assert_int_equal(stack_lose(s, dead, health), HEALTH_LOST);
	stack_free(s);
	recipe_free(r);
	inventory_free(inv);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(what_is_advised_instead_works),
		cmocka_unit_test(two_cache_disks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
