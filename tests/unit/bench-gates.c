/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What goes on below a target, from recorded machines: md, LVM, btrfs, ext4, caches, pages. */
#include "bench-help.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/sbuf.h"
#include "bench/counters.h"
#include "bench/gates.h"
#include "build/health.h"

static void make_dirs(const char *path)
{
	char copy[600], *at;

	snprintf(copy, sizeof(copy), "%s", path);
	for (at = copy + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		assert_true(mkdir(copy, 0755) == 0 || errno == EEXIST);
		*at = '/';
	}
}

static void put(const char *root, const char *file, const char *text)
{
	char path[600];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, file);
	make_dirs(path);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void link_to(const char *root, const char *file, const char *to)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/%s", root, file);
	make_dirs(path);
	assert_int_equal(symlink(to, path), 0);
}

/* A quiet machine: md127 over sda1 and sdb1, vg-lv over sdc, bcache0 over sdd, sde apart. */
static void quiet_machine(const char *root)
{
	static const char *const plain[] = { "sdc", "sdd", "sde" };
	char a[100], b[100];
	size_t i;

	for (i = 0; i < 3; i++) {
		snprintf(a, sizeof(a), "sys/devices/%s/size", plain[i]);
		put(root, a, "1\n");
		snprintf(a, sizeof(a), "sys/class/block/%s", plain[i]);
		snprintf(b, sizeof(b), "../../devices/%s", plain[i]);
		link_to(root, a, b);
	}
	put(root, "sys/devices/sda/sda1/partition", "1\n");
	put(root, "sys/devices/sdb/sdb1/partition", "1\n");
	put(root, "sys/devices/md127/md/sync_action", "idle\n");
	link_to(root, "sys/devices/md127/slaves/sda1", "../../sda/sda1");
	link_to(root, "sys/devices/md127/slaves/sdb1", "../../sdb/sdb1");
	put(root, "sys/devices/dm-0/dm/name", "vg-lv\n");
	link_to(root, "sys/devices/dm-0/slaves/sdc", "../../sdc");
	put(root, "sys/devices/bcache0/bcache/state", "clean\n");
	link_to(root, "sys/devices/bcache0/slaves/sdd", "../../sdd");
	link_to(root, "sys/class/block/md127", "../../devices/md127");
	link_to(root, "dev/md/t-s1", "../md127");
	link_to(root, "dev/md/other", "../md12");
	link_to(root, "sys/class/block/dm-0", "../../devices/dm-0");
	link_to(root, "sys/class/block/bcache0", "../../devices/bcache0");
	put(root, "sys/fs/btrfs/12-34/exclusive_operation", "none\n");
	link_to(root, "sys/fs/btrfs/12-34/devices/sde", "../../../../devices/sde");
	put(root, "sys/fs/ext4/sde/lifetime_write_kbytes", "1\n");
	put(root, "proc/17/comm", "kworker/0:1\n");
	put(root, "proc/vmstat", "nr_free_pages 9\nnr_dirty 4000\nnr_writeback 96\n");
}

#define IDLE "vg-lv: 0 409600 raid raid1 2 AA 409600/409600 idle 0 0 -\n"

static void each_is_seen(void **state)
{
	static const struct {
		const char *disk;	/* the target's */
		const char *file, *text, *file2, *text2;	/* what differs from the quiet one */
		const char *dm;
		enum gate_kind last;
		const char *says;	/* NULL: nothing goes on */
	} cases[] = {
		{ "sda", NULL, NULL, NULL, NULL, IDLE, GATE_DIRTY, NULL },
		/* (1000-380) sectors of 512 bytes at 18 KiB/s: 17.2 s */
		{ "sda", "sys/devices/md127/md/sync_action", "resync\n",
		  "sys/devices/md127/md/sync_completed", "380 / 1000\n", NULL, GATE_SYNC,
		  "waiting for the sync of t-s1: 38 %, 0:17 left" },
		{ "sdb", "sys/devices/md127/md/sync_action", "recover\n",
		  "sys/devices/md127/md/sync_completed", "delayed\n", NULL, GATE_SYNC,
		  "waiting for the rebuild of t-s1" },
		{ "sda", "sys/devices/md127/md/sync_action", "frozen\n", NULL, NULL, NULL,
		  GATE_DIRTY, NULL },
		{ "sdc", "sys/devices/md127/md/sync_action", "resync\n", NULL, NULL, NULL,
		  GATE_DIRTY, NULL },		/* other disks */
		{ "sdc", NULL, NULL, NULL, NULL,
		  "vg-lv: 0 409600 raid raid5_ls 3 aaa 102400/204800 resync 0 0 -\n", GATE_SYNC,
		  "waiting for the resync of vg-lv: 50 %" },
		{ "sda", NULL, NULL, NULL, NULL,
		  "vg-lv: 0 409600 raid raid5_ls 3 aaa 102400/204800 resync 0 0 -\n", GATE_DIRTY,
		  NULL },
		{ "sdc", NULL, NULL, NULL, NULL,
		  "other: 0 9 raid raid1 2 aa 1/9 resync 0 0 -\n" IDLE, GATE_DIRTY, NULL },
		{ "sdc", NULL, NULL, NULL, NULL,
		  "vg-lv: 0 409600 cache 8 27/2048 128 9/512 1 2 3 4 5 6 77 1 writeback 2 "
		  "migration_threshold 2048 smq 0 rw - \n", GATE_CACHE,
		  "waiting for the write-back cache of vg-lv, 77 blocks behind" },
		{ "sdc", NULL, NULL, NULL, NULL,
		  "vg-lv: 0 409600 cache 8 27/2048 128 9/512 1 2 3 4 5 6 77 1 writeback 2 "
		  "migration_threshold 2048 smq 0 rw - \n", GATE_SYNC, NULL },
		{ "sdc", NULL, NULL, NULL, NULL,
		  "vg-lv: 0 409600 cache 8 27/2048 128 9/512 1 2 3 4 5 6 0 1 writeback 2 "
		  "migration_threshold 2048 smq 0 rw - \n", GATE_DIRTY, NULL },
		{ "sdc", NULL, NULL, NULL, NULL, "vg-lv: 0 409600 writecache 0 900 100 12\n",
		  GATE_CACHE, "waiting for the write-back cache of vg-lv, 12 blocks behind" },
		{ "sdd", "sys/devices/bcache0/bcache/state", "dirty\n",
		  "sys/devices/bcache0/bcache/dirty_data", "12.5M\n", NULL, GATE_CACHE,
		  "waiting for the write-back cache of bcache0, 12.5M behind" },
		{ "sdd", "sys/devices/bcache0/bcache/state", "dirty\n",
		  "sys/devices/bcache0/bcache/dirty_data", "0.0k\n", NULL, GATE_DIRTY, NULL },
		{ "sde", "sys/fs/btrfs/12-34/exclusive_operation", "balance\n", NULL, NULL, NULL,
		  GATE_SYNC, "waiting for the balance of the btrfs on sde" },
		{ "sde", "sys/fs/btrfs/12-34/exclusive_operation", "balance paused\n", NULL, NULL,
		  NULL, GATE_DIRTY, NULL },
		{ "sde", "proc/18/comm", "ext4lazyinit\n", NULL, NULL, NULL, GATE_SYNC,
		  "waiting for the inode tables of the ext4 on sde" },
		{ "sda", "proc/18/comm", "ext4lazyinit\n", NULL, NULL, NULL, GATE_DIRTY, NULL },
		{ "sda", "proc/vmstat", "nr_free_pages 9\nnr_dirty 9000\nnr_writeback 1000\n", NULL,
		  NULL, NULL, GATE_DIRTY, "waiting for 41.0 MB in memory that go to the disks" },
		{ "sda", "proc/vmstat", "nr_free_pages 9\nnr_dirty 9000\nnr_writeback 1000\n", NULL,
		  NULL, NULL, GATE_CACHE, NULL },
		{ "sda", "proc/vmstat", "", NULL, NULL, "no colon\n: \n\n", GATE_DIRTY, NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new();
		const char *root = scratch();
		struct list disks = { 0 };
		struct sbuf text = { 0 };
		struct gate g;
		bool busy;

		quiet_machine(root);
		list_add(a, &disks, arena_strdup(a, cases[i].disk));
		if (cases[i].file)
			put(root, cases[i].file, cases[i].text);
		if (cases[i].file2)
			put(root, cases[i].file2, cases[i].text2);
		if (cases[i].says && strstr(cases[i].says, "0:17"))
			put(root, "sys/devices/md127/md/sync_speed", "18\n");
		busy = gate_look(root, a, &disks, cases[i].dm, cases[i].last, &g);
		if (busy)
			gate_text(&g, &text);
		if (busy != !!cases[i].says || strcmp(sbuf_str(&text), cases[i].says ?
						      cases[i].says : ""))
			fail_msg("case %zu: \"%s\"", i, sbuf_str(&text));
		sbuf_done(&text);
		wipe(root);
		arena_free(a);
	}
}

static void nothing_below_is_quiet(void **state)
{
	struct arena *a = arena_new();
	const char *root = scratch();
	struct list none = { 0 }, disks = { 0 };
	struct gate g;

	(void)state;
	quiet_machine(root);
	put(root, "proc/vmstat", "nr_free_pages 9\nnr_dirty 9000\nnr_writeback 1000\n");
	assert_false(gate_look(root, a, &none, NULL, GATE_DIRTY, &g));
	assert_false(gate_wants_dm(root, a, &none));
	list_add(a, &disks, arena_strdup(a, "sda"));
	assert_false(gate_wants_dm(root, a, &disks));
	disks.at[0] = arena_strdup(a, "sdc");
	assert_true(gate_wants_dm(root, a, &disks));
	wipe(root);
	arena_free(a);
}

/* As /proc/self/mountinfo says it: OpenZFS, two versions of zfs-fuse, and what is none. */
static void a_pool_is_known_by_its_mount(void **state)
{
	static const struct {
		struct mount_of m;
		bool zfs;
	} cases[] = {
		{ { .type = "zfs", .source = "tank/photos" }, true },
		{ { .type = "fuse.zfs", .source = "t" }, true },
		{ { .type = "fuse", .source = "t" }, true },
		{ { .type = "fuse", .source = "/dev/fuse" }, false },
		{ { .type = "fuse.mergerfs", .source = "a:b" }, false },
		{ { .type = "ext4", .source = "/dev/sda1" }, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(mount_is_zfs(&cases[i].m), cases[i].zfs);
}

/* What zpool status prints, of zfs-fuse and of OpenZFS. */
static void pools(void **state)
{
	static const struct {
		const char *status, *what;
		unsigned percent;
		uint64_t left_s;
	} cases[] = {
		{ "  pool: tank\n state: ONLINE\n  scan: none requested\nconfig:\n", NULL, 0, 0 },
		{ "  pool: tank\n  scan: scrub repaired 0B in 00:10:11 with 0 errors on Sun Nov  8\n",
		  NULL, 0, 0 },
		{ "  pool: tank\n state: ONLINE\n  scan: scrub in progress since Mon Nov 30 12:00:00 2026\n"
		  "\t1.20T scanned at 500M/s, 600G issued at 250M/s, 2.00T total\n"
		  "\t0B repaired, 30.21% done, 01:39:00 to go\nconfig:\n",
		  "the scrub of the pool tank", 30, 5940 },
		{ "  pool: big\n  scan: resilver in progress since Mon Nov 30 12:00:00 2026\n"
		  "\t1.20T scanned at 5M/s, 600G issued at 2M/s, 20.0T total\n"
		  "\t600G resilvered, 3.00% done, 2 days 03:04:05 to go\n",
		  "the resilver of the pool big", 3, 2 * 86400 + 3 * 3600 + 4 * 60 + 5 },
		{ "  pool: new\n  scan: resilver in progress since Mon Nov 30 12:00:00 2026\n"
		  "\t10M scanned out of 20T, no estimated completion time\n", "the resilver of the pool new",
		  0, 0 },
		{ "  pool: old\n scan: resilver in progress since Fri Nov 27 10:01:02 2026\n"
		  "    33.9M scanned out of 110M at 5.65M/s, 1h2m to go\n"
		  "    33.9M resilvered, 30.87% done\n", "the resilver of the pool old", 30, 3720 },
		/* printed by zfs-fuse 0.7.0 */
		{ "  pool: t\n state: ONLINE\n scrub: none requested\nconfig:\n", NULL, 0, 0 },
		{ "  pool: t\n state: ONLINE\n scrub: scrub completed after 0h0m with 0 errors on Mon\n",
		  NULL, 0, 0 },
		{ "  pool: t\n state: ONLINE\n scrub: scrub in progress for 0h0m, 37.05% done, 0h0m to go\n",
		  "the scrub of the pool t", 37, 0 },
		{ "  pool: t\n state: DEGRADED\n scrub: resilver in progress for 1h2m, 50.00% done, 1h4m to go\n",
		  "the resilver of the pool t", 50, 3840 },
	};
	struct arena *a = arena_new();
	struct gate g;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(gate_zpool(a, cases[i].status, &g), cases[i].what != NULL);
		if (!cases[i].what)
			continue;
		assert_string_equal(g.what, cases[i].what);
		assert_int_equal(gate_percent(&g), cases[i].percent);
		assert_int_equal(g.left_ns / 1000000000, cases[i].left_s);
	}
	arena_free(a);
}

/* What zpool and dmsetup print of those that are well, at work, and without a disk. */
static void tools_tell(void **state)
{
	static const struct {
		bool (*of)(struct arena *a, const char *status, struct live *l);
		const char *status, *state, *detail;
		unsigned percent;
	} cases[] = {
		{ health_of_pool, "  pool: t\n state: ONLINE\n scrub: none requested\n", "ok", NULL, 0 },
		{ health_of_pool, "  pool: t\n state: DEGRADED\nstatus: One or more devices\n", "degraded", NULL,
		  0 },
		{ health_of_pool, "  pool: t\n state: UNAVAIL\n", "failed", NULL, 0 },
		{ health_of_pool, "  pool: t\n state: ONLINE\n scrub: scrub in progress for 0h0m, 37.05% done, "
		  "0h0m to go\n", "checking", "scrub", 37 },
		{ health_of_pool, "  pool: t\n state: DEGRADED\n scan: resilver in progress since Mon\n"
		  "\t1M resilvered, 3.00% done, 01:00:00 to go\n", "degraded", "resilver", 3 },
		{ health_of_raid, "0 311296 raid raid5_ls 3 AAA 155648/155648 idle 0 0 -\n", "ok", NULL, 0 },
		{ health_of_raid, "0 311296 raid raid5_ls 3 ADA 155648/155648 idle 0 0 -\n", "degraded", NULL, 0 },
		{ health_of_raid, "0 311296 raid raid1 2 aa 77824/155648 resync 0 0 -\n", "syncing", "resync", 50 },
		{ health_of_raid, "0 311296 raid raid5_ls 3 AaA 15564/155648 recover 0 0 -\n", "rebuilding",
		  "recover", 9 },
	};
	struct arena *a = arena_new();
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct live l = { .present = true, .state = "ok" };

		assert_true(cases[i].of(a, cases[i].status, &l));
		assert_string_equal(l.state, cases[i].state);
		assert_int_equal(l.sync_running, cases[i].detail != NULL);
		if (cases[i].detail)
			assert_string_equal(l.detail, cases[i].detail);
		assert_int_equal((unsigned)l.sync_percent, cases[i].percent);
	}
	assert_false(health_of_raid(a, "0 311296 cache 8 27/2048 128 9/512\n", &(struct live){ .state = "ok" }));
	arena_free(a);
}

/* What is written through or not at all has nothing to be read before. */
static void write_back_is_known(void **state)
{
#define DM_CACHE "vg-lv: 0 409600 cache 8 27/2048 128 9/512 1 2 3 4 5 6 0 1 "
	static const struct {
		const char *disk, *state, *mode, *dm;
		bool writes_back;
	} cases[] = {
		{ "sdc", NULL, NULL, DM_CACHE "writeback 2 migration_threshold 2048 smq 0 rw - \n", true },
		{ "sdc", NULL, NULL, DM_CACHE "writethrough 2 migration_threshold 2048 smq 0 rw - \n",
		  false },
		{ "sdc", NULL, NULL, "vg-lv: 0 409600 writecache 0 900 900 0\n", true },
		{ "sda", NULL, NULL, "vg-lv: 0 409600 writecache 0 900 900 0\n", false },
		{ "sdc", NULL, NULL, IDLE, false },
		{ "sdc", NULL, NULL, NULL, false },
		{ "sdd", "clean\n", "writethrough [writeback] writearound none\n", NULL, true },
		{ "sdd", "clean\n", "[writethrough] writeback writearound none\n", NULL, false },
		{ "sdd", "no cache\n", "writethrough [writeback] writearound none\n", NULL, false },
		{ "sda", "clean\n", "writethrough [writeback] writearound none\n", NULL, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *root = scratch();
		struct arena *a = arena_new();
		struct list disks = { 0 };

		quiet_machine(root);
		if (cases[i].state) {
			put(root, "sys/devices/bcache0/bcache/state", cases[i].state);
			put(root, "sys/devices/bcache0/bcache/cache_mode", cases[i].mode);
		}
		list_add(a, &disks, arena_strdup(a, cases[i].disk));
		if (gate_writes_back(root, a, &disks, cases[i].dm) != cases[i].writes_back)
			fail_msg("case %zu", i);
		arena_free(a);
		wipe(root);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_seen),
		cmocka_unit_test(nothing_below_is_quiet),
		cmocka_unit_test(pools),
		cmocka_unit_test(a_pool_is_known_by_its_mount),
		cmocka_unit_test(tools_tell),
		cmocka_unit_test(write_back_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
