/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is left when disks die, and what to do next. The numbers are the rules of slices and
 * arrays: a slice ends at a whole MiB and leaves one for the backup GPT, and a member is
 * replaced by one that is at least as large as the smallest.
 */
#include "test.h"

#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/units.h"
#include "disk/disk.h"
#include "layout/losses.h"
#include "layout/pick.h"
#include "layout/recipe.h"
#include "layout/stack.h"

#define NAS "2xhdd:3TB", "2xhdd:5TB", "2xhdd:10TB"

static const struct row {
	const char *layout, *disks[5], *cache, *dead;
	const char *health;
	double lost, all;	/* TB */
	uint64_t replace[3];	/* at least, in the order of the disks */
	const char *rebuild;	/* arrays, one blank between */
	const char *says[4];	/* in the text */
} rows[] = {
	/* 3000592982016 bytes hold 2861588 whole MiB */
	{ .layout = "slice | md redundancy=1 | lvm | xfs", .disks = { NAS }, .dead = "hdd1",
	  .health = "degraded", .all = 26, .replace = { 2861588 * MIB }, .rebuild = "s1",
	  .says = { "Nothing is lost.", "raid5: 5 of 6 members left, no further may go",
		    "sfdisk --quiet --wipe always --wipe-partitions always /dev/hdd1\n",
		    "mdadm --manage /dev/md/t-s1 --add /dev/hdd1p1\n" } },
	/* 5000981078016: 4769307 MiB; its slice lies in two arrays */
	{ .layout = "slice | md redundancy=1 | lvm | xfs", .disks = { NAS }, .dead = "hdd3",
	  .health = "degraded", .all = 26, .replace = { 4769307 * MIB }, .rebuild = "s1 s2" },
	{ .layout = "slice | md redundancy=1 | lvm | xfs", .disks = { NAS }, .dead = "hdd1,hdd2",
	  .health = "lost", .lost = 26, .all = 26,
	  .says = { "restore", "linear: 2 of 3 members left" } },
	{ .layout = "slice | md redundancy=2 | btrfs", .disks = { "6xhdd:4TB" },
	  .dead = "hdd2,hdd5",
	  .health = "degraded", .all = 16, .replace = { 3815447 * MIB, 3815447 * MIB },
	  .rebuild = "data",
	  .says = { "raid6: 4 of 6 members left, no further may go" } },
	{ .layout = "slice | md redundancy=2 | btrfs", .disks = { "6xhdd:4TB" }, .dead = "hdd2",
	  .health = "degraded", .all = 16, .replace = { 3815447 * MIB }, .rebuild = "data",
	  .says = { "any one more may go" } },
	/* whole disks: the smallest member is enough, though the dead one was larger */
	{ .layout = "md level=raid5 | xfs", .disks = { NAS }, .dead = "hdd6", .health = "degraded",
	  .all = 15, .replace = { 3000592982016 }, .rebuild = "data" },
	{ .layout = "md level=raid6 consistency=journal | xfs", .disks = { NAS },
	  .cache = "ssd:500GB",
	  .dead = "ssd1,hdd6", .health = "degraded", .all = 12, .replace = { 3000592982016 },
	  .rebuild = "data", .says = { "read-only until it has another", "--add-journal" } },
	{ .layout = "md level=raid6 consistency=journal | xfs", .disks = { NAS },
	  .cache = "ssd:500GB",
	  .dead = "ssd1,hdd4,hdd5,hdd6", .health = "lost", .lost = 12, .all = 12 },
	/* branches: the others keep their files */
	{ .layout = "xfs | mergerfs", .disks = { NAS }, .dead = "hdd1,hdd6", .health = "lost",
	  .lost = 13, .all = 36, .says = { "The other file systems keep their files",
	  "4 of 6 branches left",
	  "-e '\\|^RequiresMountsFor=/srv/t-branches/hdd1$|d'",
	  "/srv/t-branches/hdd1, /srv/t-branches/hdd6" } },
	{ .layout = "slice | md redundancy=1 | xfs | mergerfs", .disks = { NAS },
	  .dead = "hdd5,hdd6",
	  .health = "lost", .lost = 26, .all = 26, .says = { "0 of 3 branches left" } },
	{ .layout = "slice | md redundancy=1 | xfs | mergerfs", .disks = { NAS },
	  .dead = "hdd1,hdd2",
	  .health = "lost", .lost = 15, .all = 26, .says = { "2 of 3 branches left" } },
	/* btrfs wants as much as was there, and to be told to mount */
	{ .layout = "btrfs data=raid1 metadata=raid1", .disks = { NAS }, .dead = "hdd1",
	  .health = "degraded", .all = 18, .replace = { 3000592982016 },
	  .says = { "mount -o degraded /dev/hdd2 /srv/t\n",
		    "btrfs replace start -B -f 1 /dev/hdd1 /srv/t\n" } },
	{ .layout = "btrfs data=raid1 metadata=raid1", .disks = { NAS }, .dead = "hdd1,hdd2",
	  .health = "lost", .lost = 18, .all = 18 },
	/* caches */
	{ .layout = "slice | md redundancy=1 | bcache mode=writeback | btrfs", .disks = { NAS },
	  .cache = "ssd:500GB", .dead = "ssd1", .health = "lost", .lost = 26, .all = 26,
	  .says = { "what ssd1 had not written back to s1, s2, s3 is lost", "bcache/running\n",
		    "At stake: 26.0 TB of 26.0 TB.", "btrfs check --readonly /dev/naslab/t-s1\n" } },
	/* a new set takes all devices in; the blocks and buckets as they were asked */
	{ .layout = "slice | md redundancy=1 | bcache mode=writeback bucket=1M | btrfs", .disks = { NAS },
	  .cache = "ssd:500GB", .dead = "ssd1", .health = "lost", .lost = 26, .all = 26,
	  .says = { "at least 500107837440 bytes (500 GB), here called ssd1 too, becomes the new cache",
		    "make-bcache --bucket 1024k --block 512 -C /dev/ssd1p1\n",
		    "$(basename $(readlink -f /dev/md/t-s3))/bcache/attach\n",
		    "register_quiet\n" } },
	/* the others of the set have no names after a restart, and the new one joins their set */
	{ .layout = "part | bcache mode=writearound cutoff=0 | btrfs data=raid1 metadata=raid1",
	  .disks = { "2xhdd:4TB" }, .cache = "ssd:500GB", .dead = "hdd2", .health = "degraded", .all = 4,
	  .replace = { 3815447 * MIB },
	  .says = { "echo /dev/hdd1p1 > /sys/fs/bcache/register_quiet\n",
		    "make-bcache --block 512 -B /dev/hdd2p1\n",
		    "echo 0 > /sys/class/block/hdd2p1/bcache/sequential_cutoff\n",
		    "/sys/class/block/ssd1p1/bcache/set) > /sys/class/block/hdd2p1/bcache/attach\n" } },
	{ .layout = "slice | md redundancy=1 | bcache mode=writethrough | btrfs", .disks = { NAS },
	  .cache = "ssd:500GB", .dead = "ssd1,hdd1", .health = "degraded", .all = 26,
	  .replace = { 2861588 * MIB }, .rebuild = "s1", .says = { "ssd1 held copies only" } },
	{ .layout = "slice | md redundancy=1 | lvm | lvmcache mode=writeback | xfs",
	  .disks = { NAS },
	  .cache = "ssd:500GB", .dead = "ssd1", .health = "lost", .lost = 26, .all = 26,
	  .says = { "lvconvert --yes --uncache --force t/data\n", "vgreduce --removemissing t\n",
		    "xfs_repair -n /dev/t/data\n" } },
	/* the same with a pool, and a disk of the volume below it */
	{ .layout = "lvm type=raid5 | lvmcache pool=yes mode=writeback | xfs", .disks = { "3xhdd:4TB" },
	  .cache = "ssd:500GB", .dead = "ssd1", .health = "lost", .lost = 8, .all = 8,
	  .says = { "never vgreduce --force",
		    "vgextend.*/dev/ssd1p1' /etc/lvm/archive/t_*.vg | tail -n 1) t\n" } },
	{ .layout = "lvm type=raid5 | lvmcache pool=yes mode=writeback | xfs", .disks = { "3xhdd:4TB" },
	  .cache = "ssd:500GB", .dead = "hdd1", .health = "degraded", .all = 8,
	  .replace = { 4000787030016 }, .rebuild = "data",
	  .says = { "vgextend --yes t /dev/hdd1\n", "lvconvert --yes --repair t/data_corig" } },
	/* what lies between a partition and its array is made again */
	{ .layout = "part | luks integrity=hmac-sha256 | md level=raid1 | xfs", .disks = { "2xhdd:4TB" },
	  .dead = "hdd1", .health = "degraded", .all = 3.77 /* 32 bytes for 512 */, .replace = { 3815447 * MIB }, .rebuild = "data",
	  .says = { "cryptsetup luksFormat", "--integrity hmac-sha256 --offset 32768 --key-file - /dev/hdd1p1\n",
		    "mdadm --manage /dev/md/t-data --add /dev/mapper/t-hdd1p1-luks\n" } },
	{ .layout = "part | integrity | md level=raid1 | xfs", .disks = { "2xhdd:4TB" },
	  .dead = "hdd2", .health = "degraded", .all = 3.97, .replace = { 3815447 * MIB }, .rebuild = "data",
	  .says = { "integritysetup open --integrity crc32c /dev/hdd2p1 t-hdd2p1-integrity\n" } },
	{ .layout = "lvm type=thin | ext4", .disks = { "2xhdd:4TB" }, .dead = "hdd1", .health = "lost",
	  .lost = 8, .all = 8, .says = { "thin: 1 of 2 members left" } },
	{ .layout = "md level=raid1 | lvm type=thin | ext4", .disks = { "2xhdd:4TB" }, .dead = "hdd1",
	  .health = "degraded", .all = 4, .replace = { 4000787030016 }, .rebuild = "data" },
	{ .layout = "part | zfs type=raidz2", .disks = { "6xhdd:4TB" }, .dead = "hdd1,hdd4",
	  .health = "degraded", .all = 15.87 /* slop 128 GiB */, .replace = { 3815447 * MIB, 3815447 * MIB },
	  .says = { "zpool replace t /dev/hdd1p1\n", "zpool replace t /dev/hdd4p1\n" } },
	/* nothing that only the lost rests on is worth a rebuild; one that comes back may be all */
	{ .layout = "slice | md redundancy=1 | lvm | xfs", .disks = { NAS }, .dead = "hdd1,hdd5",
	  .health = "lost", .lost = 26, .all = 26,
	  .says = { "mdadm --assemble --run --force /dev/md/t-s1 /dev/hdd1p1 /dev/hdd2p1 " } },
	{ .layout = "slice | md redundancy=1 | lvm | lvmcache | xfs", .disks = { NAS },
	  .cache = "ssd:500GB", .dead = "ssd1", .health = "degraded", .all = 26,
	  .says = { "Nothing is lost.", "nothing is missing" } },
	{ .layout = "slice | md redundancy=1 | lvm | writecache | xfs", .disks = { NAS },
	  .cache = "ssd:500GB", .dead = "ssd1", .health = "lost", .lost = 26, .all = 26 },
	/* a disk that only its tail lies idle of */
	{ .layout = "lvm type=raid1 | xfs", .disks = { "hdd:3TB", "hdd:10TB" }, .dead = "hdd2",
	  .health = "degraded", .all = 3, .replace = { 3000592982016 }, .rebuild = "data",
	  .says = { "lvconvert --yes --repair t/data\n" } },
};

static bool near(uint64_t bytes, double tb)
{
	double got = (double)bytes / 1e12;

	return got <= tb * 1.0013 && got >= tb * 0.985;
}

static void check_json(const struct row *c, const json_t *o)
{
	const json_t *replace = json_object_get(o, "replace");
	const json_t *rebuild = json_object_get(o, "rebuild"), *row;
	struct sbuf names = { 0 };
	size_t i, wanted = 0;

	if (strcmp(json_str(o, "health"), c->health))
		fail_msg("%s without %s: %s", c->layout, c->dead, json_str(o, "health"));
	if (!near(json_u64(o, "lost_bytes", 1), c->lost) ||
	    !near(json_u64(o, "all_bytes", 1), c->all))
		fail_msg("%s without %s: %llu of %llu lost", c->layout, c->dead,
			 (unsigned long long)json_u64(o, "lost_bytes", 1),
			 (unsigned long long)json_u64(o, "all_bytes", 1));
	while (wanted < 3 && c->replace[wanted])
		wanted++;
	assert_int_equal(json_array_size(replace), wanted);
	for (i = 0; i < wanted; i++) {
		row = json_array_get(replace, i);
		assert_int_equal(json_u64(row, "at_least_bytes", 0), c->replace[i]);
		assert_non_null(strstr(c->dead, json_str(row, "disk")));
	}
	json_array_foreach(rebuild, i, row)
		sbuf_addf(&names, "%s%s", i ? " " : "", json_string_value(row));
	assert_string_equal(sbuf_str(&names), c->rebuild ? c->rebuild : "");
	sbuf_done(&names);
}

static void a_loss(void **state)
{
	const struct row *c = *state;
	const char *caches[] = { c->cache, NULL };
	struct arena *a = arena_new();
	struct inventory *inv = inventory_new();
	struct recipe *r;
	struct stack *s;
	struct pick *picks;
	struct sbuf text = { 0 };
	json_t *json = NULL;
	struct err e = { 0 };
	size_t n, i;

	if (recipe_parse(c->layout, NULL, &r, &e) ||
	    picks_from_words(inv, c->disks, caches, a, &picks, &n, &e) ||
	    stack_make(r, "t", picks, n, &s, &e) || losses_of_words(s, c->dead, &text, &json, &e))
		fail_msg("%s: %s", c->layout, e.text);
	check_json(c, json);
	for (i = 0; i < 4 && c->says[i]; i++) {
		if (!strstr(sbuf_str(&text), c->says[i]))
			fail_msg("%s without %s does not say \"%s\":\n%s", c->layout, c->dead,
				 c->says[i],
				 sbuf_str(&text));
	}
	json_decref(json);
	sbuf_done(&text);
	stack_free(s);
	recipe_free(r);
	inventory_free(inv);
	arena_free(a);
}

/* A name that is no disk, and none at all. */
static void bad_words_are_said(void **state)
{
	static const char *const words[][2] = {
		{ "hdd9", "hdd9 is no disk of this layout" }, { ",", "name the disks that die" },
		{ "", "name the disks that die" }, { "hdd1,\033[2J", "is no disk of this layout" },
	};
	const char *disks[] = { "2xhdd:3TB", NULL };
	struct arena *a = arena_new();
	struct inventory *inv = inventory_new();
	struct recipe *r;
	struct stack *s;
	struct pick *picks;
	struct err e = { 0 };
	size_t n, i;

	(void)state;
	assert_int_equal(recipe_parse("md level=raid1 | xfs", NULL, &r, &e), 0);
	assert_int_equal(picks_from_words(inv, disks, NULL, a, &picks, &n, &e), 0);
	assert_int_equal(stack_make(r, "t", picks, n, &s, &e), 0);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct sbuf text = { 0 };

		assert_int_equal(losses_of_words(s, words[i][0], &text, NULL, &e), -1);
		assert_int_equal(e.kind, ERR_USAGE);
		if (!strstr(e.text, words[i][1]))
			fail_msg("\"%s\" does not say \"%s\"", e.text, words[i][1]);
		sbuf_done(&text);
	}
	stack_free(s);
	recipe_free(r);
	inventory_free(inv);
	arena_free(a);
}

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

int main(void)
{
	struct CMUnitTest tests[N_ROWS + 1];
	size_t i;

	for (i = 0; i < N_ROWS; i++)
		tests[i] = (struct CMUnitTest){ .name = rows[i].layout, .test_func = a_loss,
						.initial_state = (void *)&rows[i] };
	tests[N_ROWS] = (struct CMUnitTest)cmocka_unit_test(bad_words_are_said);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
