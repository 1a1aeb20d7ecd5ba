/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file systems as layers: whole stacks against what was measured, where every byte
 * goes, what may fail, the steps, mount options, and the state read below a root.
 */
#include "test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "base/units.h"
#include "disk/disk.h"
#include "layout/pick.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"

#define TRUE_SIZES "hdd:3TiB hdd:3TiB hdd:5TiB hdd:5TiB hdd:10TiB hdd:10TiB"
#define SMALL "hdd:300MiB hdd:300MiB hdd:500MiB hdd:500MiB hdd:1000MiB hdd:1000MiB"

struct made {
	struct inventory *inv;
	struct recipe *recipe;
	struct stack *stack;
	struct plan *plan;
	struct arena *arena;
};

static int make(struct made *m, const char *layout, const char *disks, struct err *e)
{
	char text[512], *save = NULL, *word;
	const char *words[16];
	struct pick *picks;
	size_t n = 0;

	*m = (struct made){ .inv = inventory_new(), .arena = arena_new() };
	snprintf(text, sizeof(text), "%s", disks);
	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
		words[n++] = word;
	words[n] = NULL;
	if (recipe_parse(layout, NULL, &m->recipe, e) ||
	    picks_from_words(m->inv, words, NULL, m->arena, &picks, &n, e) ||
	    stack_make(m->recipe, "t", picks, n, &m->stack, e) ||
	    plan_make(m->stack, &m->plan, e))
		return -1;
	return 0;
}

static void unmake(struct made *m)
{
	plan_free(m->plan);
	stack_free(m->stack);
	recipe_free(m->recipe);
	inventory_free(m->inv);
	arena_free(m->arena);
}

static void check_sums(const struct stack *s, const char *layout)
{
	uint64_t usable = 0;
	size_t i;

	for (i = 0; i < s->n_disks; i++) {
		const struct node *n = s->nodes.at[i];

		if (split_sum(&n->split) != n->disk->bytes)
			fail_msg("%s: %s sums to %llu", layout, n->name,
				 (unsigned long long)split_sum(&n->split));
		usable += n->split.usable;
	}
	if (usable != s->usable_bytes)
		fail_msg("%s: disks give %llu, usable is %llu", layout, (unsigned long long)usable,
			 (unsigned long long)s->usable_bytes);
}

/* Measured in the sandbox, CAPACITY section 2; 0: not measured there. */
static void stacks_as_measured(void **state)
{
	static const struct {
		const char *layout, *disks;
		uint64_t bytes, total, avail;
		unsigned survives;
	} cases[] = {
		{ "ext4", "hdd:3TiB", 3298534883328, 3245593239552, 3080649691136, 0 },
		{ "xfs", "hdd:3TiB", 3298534883328, 3296924270592, 3273903886336, 0 },
		{ "btrfs", "hdd:3TiB", 3298534883328, 3298534883328, 3296369573888, 0 },
		{ "jfs", "hdd:3TiB", 3298534883328, 3298299797504, 0, 0 },
		{ "slice | md redundancy=1 | lvm | xfs", TRUE_SIZES, 28586060808192,
		  28583923810304, 28384597692416, 1 },
		{ "slice | md redundancy=1 | btrfs data=single", TRUE_SIZES, 28586074439680,
		  28586074439680, 28583907033088, 1 },
		{ "slice | md redundancy=1 | xfs | mergerfs", TRUE_SIZES, 28586074439680,
		  28579648765952, 28380282769408, 1 },
		{ "btrfs data=raid1", TRUE_SIZES, 39582418599936, 0, 19790124023808, 1 },
		{ "btrfs data=raid5 metadata=raid5", TRUE_SIZES, 39582418599936, 39582418599936,
		  28586388750336, 1 },
		{ "slice | md redundancy=1 | lvm | xfs", SMALL, 2688548864, 2621440000,
		  2569084928, 1 },
		{ "slice | md redundancy=1 | btrfs data=single", SMALL, 2697986048, 2697986048,
		  2141192192, 1 },
		{ "slice | md redundancy=1 | xfs | mergerfs", SMALL, 2697986048, 2492465152,
		  2383159296, 1 },
		{ "btrfs data=raid6 metadata=raid6", SMALL, 3774873600, 3774873600, 1483735040,
		  2 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = { 0 };
		const struct node *top;
		struct made m;

		if (make(&m, cases[i].layout, cases[i].disks, &e))
			fail_msg("%s: %s", cases[i].layout, e.text);
		top = m.stack->tops.at[0];
		if (top->bytes != cases[i].bytes ||
		    (cases[i].total && top->fs.total != cases[i].total) ||
		    (cases[i].avail && top->fs.avail != cases[i].avail))
			fail_msg("%zu %s: on %llu, total %llu, avail %llu", i, cases[i].layout,
				 (unsigned long long)top->bytes,
				 (unsigned long long)top->fs.total,
				 (unsigned long long)top->fs.avail);
		assert_int_equal(m.stack->survives, cases[i].survives);
		assert_int_equal(top->fs.estimate, !strcmp(cases[i].layout, "jfs"));
		check_sums(m.stack, cases[i].layout);
		unmake(&m);
	}
}

static void what_may_fail(void **state)
{
	static const struct {
		const char *layout;
		unsigned survives;
	} cases[] = {
		{ "btrfs", 0 }, { "btrfs data=raid0", 0 }, { "btrfs data=dup", 0 },
		{ "btrfs data=raid1", 1 }, { "btrfs data=raid10", 1 },
		{ "btrfs data=raid1c3", 2 }, { "btrfs data=raid1c4", 3 },
		{ "btrfs data=raid5", 1 }, { "btrfs data=raid6", 2 },
		{ "btrfs data=raid6 metadata=raid1", 1 },	/* the weaker one decides */
		{ "btrfs data=raid1c3 metadata=single", 0 },
		{ "btrfs data=raid1 | mergerfs", 1 },
		{ "ext4 | mergerfs", 0 }, { "part | xfs | mergerfs", 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = { 0 };
		struct made m;

		if (make(&m, cases[i].layout, TRUE_SIZES, &e))
			fail_msg("%s: %s", cases[i].layout, e.text);
		if (m.stack->survives != cases[i].survives)
			fail_msg("%s survives %u", cases[i].layout, m.stack->survives);
		check_sums(m.stack, cases[i].layout);
		unmake(&m);
	}
}

static void refused(void **state)
{
	static const struct { const char *layout, *disks, *says; } cases[] = {
		{ "btrfs data=raid6", "hdd:1TiB hdd:1TiB",
		  "layer 1, btrfs: data=raid6 needs 3 devices, has 2; raid1 takes 2" },
		{ "btrfs metadata=raid1c4", "hdd:1TiB hdd:1TiB",
		  "layer 1, btrfs: metadata=raid1c4 needs 4 devices, has 2; raid1 takes 2" },
		{ "btrfs", "hdd:100MiB",
		  "layer 1, btrfs: every device needs at least 109 MiB, the smallest has 100" },
		{ "xfs", "hdd:256MiB",
		  "layer 1, xfs: hdd1: needs at least 300 MiB, the device has 268435456 bytes" },
		{ "xfs sector=512", "hdd:1TiB,sector=4096",
		  "layer 1, xfs: sector=512 is less than the 4096 of hdd1" },
		{ "ext4 su=64K", "hdd:1TiB", "su= and sw= go together" },
		{ "ext4 su=6K sw=2", "hdd:1TiB", "su is a multiple of 4K" },
		{ "ext4 mount=exec", "hdd:1TiB", "did you mean noexec?" },
		{ "ext4 mount=noatime,noatime", "hdd:1TiB", "noatime is given twice" },
		{ "ext4 mount=noatime,", "hdd:1TiB", "mount options are words like" },
		{ "ext4 mount=commit", "hdd:1TiB", "commit needs a value" },
		{ "ext4 mount=commit=9999", "hdd:1TiB", "from 1 to 900" },
		{ "ext4 mount=noatime=1", "hdd:1TiB", "noatime takes no value" },
		{ "ext4 mount=compress=zstd", "hdd:1TiB", "no mount option" },
		{ "ext4 mount=journal_dev=8:1", "hdd:1TiB", "no mount option" },
		{ "xfs mount=logdev=/dev/sda", "hdd:1TiB", "mount options" },
		{ "xfs mount=allocsize=2G", "hdd:1TiB", "allocsize is a power of two from 4K to 1G, "
		  "not \"2G\"" },
		{ "xfs mount=allocsize=3M", "hdd:1TiB", "is a power of two" },
		{ "xfs mount=allocsize=1MiB", "hdd:1TiB", "is a power of two" },
		{ "xfs mount=allocsize=M", "hdd:1TiB", "is a power of two" },
		{ "xfs mount=allocsize", "hdd:1TiB", "as in allocsize=64k" },
		{ "xfs mount=logbsize=8K", "hdd:1TiB", "from 16K to 256K" },
		{ "xfs mount=NOATIME", "hdd:1TiB", "no mount option" },
		{ "btrfs mount=device=sda", "hdd:1TiB", "no mount option" },
		{ "btrfs mount=compress=zstd:16", "hdd:1TiB", "from 1 to 15" },
		{ "btrfs mount=compress=zlib:10", "hdd:1TiB", "from 1 to 9" },
		{ "btrfs mount=compress=lzo:1", "hdd:1TiB", "lzo has no levels" },
		{ "btrfs mount=compress=gzip", "hdd:1TiB", "is one of: zlib lzo zstd no" },
		{ "btrfs nocow=../etc", "hdd:1TiB", "nocow is the name of one folder" },
		{ "btrfs nocow=a/b", "hdd:1TiB", "like images; not \"a/b\"" },
		{ "btrfs nocow=.x", "hdd:1TiB", "one folder" },
		{ "btrfs nocow=-x", "hdd:1TiB", "one folder" },
		{ "mergerfs", "hdd:1TiB", "joins directories" },
		{ "xfs | btrfs", "hdd:1TiB", "needs a block device" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = { 0 };
		struct made m;

		if (!make(&m, cases[i].layout, cases[i].disks, &e))
			fail_msg("%s was taken", cases[i].layout);
		if (e.kind != ERR_USAGE || !strstr(e.text, cases[i].says))
			fail_msg("%s: %s", cases[i].layout, e.text);
		unmake(&m);
	}
}

/* A step by its first words; its undo commands one after the other, ';' between. */
static void step_texts(const struct plan *p, const char *begins, struct sbuf *does,
		       struct sbuf *undoes)
{
	size_t i, k;

	sbuf_clear(does);
	sbuf_clear(undoes);
	for (i = 0; i < p->steps.n; i++) {
		const struct step *s = p->steps.at[i];

		sbuf_clear(does);
		argv_print(&s->argv, does);
		if (strncmp(sbuf_str(does), begins, strlen(begins)))
			continue;
		for (k = 0; k < s->undo.n; k++) {
			if (k)
				sbuf_add(undoes, "; ");
			argv_print(s->undo.at[k], undoes);
		}
		return;
	}
	fail_msg("no step %s", begins);
}

/* CASES C27: only LUKS2 knows --sector-size. C64: a stripe is read from the queue, never half said. */
static void words_that_are_not_said(void **state)
{
	static const struct { const char *layout, *disks, *step, *never; } cases[] = {
		{ "luks type=luks1 | ext4", "hdd:1TiB", "cryptsetup luksFormat", "sector" },
		{ "luks type=luks1 | ext4", "hdd:1TiB", "cryptsetup luksFormat", "pbkdf" },
		{ "md level=raid5 chunk=1M | xfs", "hdd:1TiB hdd:1TiB hdd:1TiB", "mkfs.xfs", "sunit" },
		{ "md level=raid5 chunk=1M | xfs", "hdd:1TiB hdd:1TiB hdd:1TiB", "mkfs.xfs", " -d " },
		{ "md level=raid5 | ext4", "hdd:1TiB hdd:1TiB hdd:1TiB", "mkfs.ext4", "stride" },
	};
	struct sbuf does = { 0 }, undoes = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct plan *p = NULL;
		struct err e = { 0 };
		struct made m;

		assert_int_equal(make(&m, cases[i].layout, cases[i].disks, &e), 0);
		assert_int_equal(plan_make(m.stack, &p, &e), 0);
		step_texts(p, cases[i].step, &does, &undoes);
		if (strstr(sbuf_str(&does), cases[i].never))
			fail_msg("%s: %s", cases[i].layout, sbuf_str(&does));
		plan_free(p);
		unmake(&m);
	}
	sbuf_done(&does);
	sbuf_done(&undoes);
}

static void steps(void **state)
{
	static const struct { const char *layout, *disks, *does, *undoes; } cases[] = {
		{ "ext4 mount=noatime", "hdd:300MiB",
		  "mkfs.ext4 -q -F -b 1024 -i 4096 -I 256 -m 5 -J size=8 -O none,has_journal,ext_attr,"
		  "resize_inode,dir_index,filetype,extent,64bit,flex_bg,sparse_super,large_file,"
		  "huge_file,dir_nlink,extra_isize,metadata_csum "
		  "-E lazy_itable_init=1,lazy_journal_init=0,nodiscard /dev/hdd1",
		  "wipefs --all --force --quiet /dev/hdd1" },
		{ "ext4 mount=noatime", "hdd:300MiB", "mount -t ext4 -o noatime /dev/hdd1 /srv/t",
		  "umount /srv/t" },
		{ "ext4 su=64K sw=4", "hdd:1TiB",
		  "mkfs.ext4 -q -F -b 4096 -i 16384 -I 256 -m 5 -J size=1024 -O none,has_journal,ext_attr,"
		  "resize_inode,dir_index,filetype,extent,64bit,flex_bg,sparse_super,large_file,"
		  "huge_file,dir_nlink,extra_isize,metadata_csum "
		  "-E lazy_itable_init=1,lazy_journal_init=0,nodiscard,stride=16,stripe_width=64 /dev/hdd1",
		  "wipefs --all --force --quiet /dev/hdd1" },
		{ "ext4", "hdd:300MiB", "mount -t ext4 /dev/hdd1 /srv/t", "umount /srv/t" },
		{ "ext4", "hdd:300MiB", "mkdir -p /srv/t",
		  "rmdir --ignore-fail-on-non-empty /srv/t" },
		{ "ext4 | mergerfs", "hdd:300MiB hdd:1GiB", "mkdir -p /srv/t-branches/hdd1",
		  "rmdir --ignore-fail-on-non-empty /srv/t-branches/hdd1; "
		  "rmdir --ignore-fail-on-non-empty /srv/t-branches" },
		{ "xfs inode=2048", "hdd:1TiB,sector=4096",
		  "mkfs.xfs -q -f -K -b size=4096 -s size=4096 -i size=2048 "
		  "-m crc=1,finobt=1,reflink=1,rmapbt=0 /dev/hdd1",
		  "wipefs --all --force --quiet /dev/hdd1" },
		{ "jfs", "hdd:1TiB", "mkfs.jfs -q /dev/hdd1",
		  "wipefs --all --force --quiet /dev/hdd1" },
		{ "btrfs data=raid1", "hdd:1TiB hdd:2TiB",
		  "mkfs.btrfs -q -f -K -n 16384 -s 4096 -d raid1 -m raid1 /dev/hdd1 /dev/hdd2",
		  "btrfs device scan --forget /dev/hdd1; btrfs device scan --forget /dev/hdd2; "
		  "wipefs --all --force --quiet /dev/hdd1 /dev/hdd2" },
		{ "btrfs data=raid1", "hdd:1TiB hdd:2TiB", "btrfs device scan /dev/hdd1 /dev/hdd2",
		  "" },
		/* xfs takes both cases and plain bytes: mounted so on kernel 6.18 */
		{ "xfs mount=allocsize=1M,logbsize=256K", "hdd:1TiB",
		  "mount -t xfs -o allocsize=1M,logbsize=256K /dev/hdd1 /srv/t", "umount /srv/t" },
		{ "xfs mount=allocsize=1048576,logbsize=64k", "hdd:1TiB",
		  "mount -t xfs -o allocsize=1048576,logbsize=64k /dev/hdd1 /srv/t", "umount /srv/t" },
		{ "btrfs nocow=images mount=compress=lzo", "hdd:1TiB", "mkdir -p /srv/t/images", "" },
		{ "btrfs nocow=images mount=compress=lzo", "hdd:1TiB", "chattr +C /srv/t/images", "" },
		{ "btrfs mount=compress=zstd:4,noatime", "hdd:1TiB",
		  "mount -t btrfs -o compress=zstd:4,noatime /dev/hdd1 /srv/t", "umount /srv/t" },
		{ "xfs | mergerfs", "hdd:1TiB hdd:2TiB",
		  "mergerfs -o allow_other,category.create=mfs,minfreespace=4294967296,fsname=t "
		  "/srv/t-branches/hdd1:/srv/t-branches/hdd2 /srv/t", "umount /srv/t" },
		{ "xfs | mergerfs create=lfs minfreespace=10M", "hdd:1TiB hdd:2TiB",
		  "mergerfs -o allow_other,category.create=lfs,minfreespace=10485760,fsname=t "
		  "/srv/t-branches/hdd1:/srv/t-branches/hdd2 /srv/t", "umount /srv/t" },
	};
	struct sbuf does = { 0 }, undoes = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = { 0 };
		struct made m;

		if (make(&m, cases[i].layout, cases[i].disks, &e))
			fail_msg("%s: %s", cases[i].layout, e.text);
		step_texts(m.plan, cases[i].does, &does, &undoes);
		assert_string_equal(sbuf_str(&does), cases[i].does);
		assert_string_equal(sbuf_str(&undoes), cases[i].undoes);
		unmake(&m);
	}
	sbuf_done(&does);
	sbuf_done(&undoes);
}

/* --- a machine in a folder */

static void put(const char *root, const char *path, const char *text)
{
	char full[512], *at;
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (at = full + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(full, 0755);
		*at = '/';
	}
	f = fopen(full, "w");
	if (!f)
		fail_msg("%s", full);
	fputs(text, f);
	fclose(f);
}

static int remove_one(const char *path, const struct stat *sb, int type, struct FTW *ftw)
{
	(void)sb, (void)type, (void)ftw;
	return remove(path);
}

#define MOUNT(type, source, mode) \
	"22 1 0:5 / / rw - rootfs none rw\n" \
	"40 22 0:42 / /srv/t rw,noatime shared:7 - " type " " source " " mode ",space_cache=v2\n" \
	"41 22 0:43 / /srv/t2 rw - xfs /dev/sdz rw\n"

static void state_below_a_root(void **state)
{
	static const struct {
		const char *layout, *mounts;
		bool second_gone;
		const char *says;
		bool present;
		uint64_t bytes;
	} cases[] = {
		{ "btrfs data=raid1", MOUNT("btrfs", "/dev/hdd1", "rw"), false, "ok", true,
		  3 * TIB },
		{ "btrfs data=raid1", MOUNT("btrfs", "/dev/hdd1", "rw"), true, "degraded", true,
		  0 },
		{ "btrfs data=raid1", MOUNT("btrfs", "/dev/hdd1", "ro"), false, "failed", true,
		  3 * TIB },
		{ "btrfs data=raid1", MOUNT("xfs", "/dev/hdd1", "rw"), false, "missing", false,
		  3 * TIB },
		{ "btrfs data=raid1", "", false, "missing", false, 3 * TIB },
		{ "xfs | mergerfs", MOUNT("fuse.mergerfs", "t", "rw"), false, "ok", true,
		  3 * TIB },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char root[] = "/tmp/naslab-fs-XXXXXX";
		struct err e = { 0 };
		struct live live;
		struct made m;

		assert_non_null(mkdtemp(root));
		put(root, "proc/self/mountinfo", cases[i].mounts);
		put(root, "sys/class/block/hdd1/size", "2147483648\n");
		put(root, "sys/fs/btrfs/features/no_holes", "0\n");
		put(root, "sys/fs/btrfs/6a2b-11/devices/hdd1", "");
		if (!cases[i].second_gone) {
			put(root, "sys/class/block/hdd2/size", "4294967296\n");
			put(root, "sys/fs/btrfs/6a2b-11/devices/hdd2", "");
		}
		assert_int_equal(make(&m, cases[i].layout, "hdd:1TiB hdd:2TiB", &e), 0);
		assert_int_equal(stack_status(m.stack->tops.at[0], root, m.arena, &live, &e), 0);
		assert_string_equal(live.state, cases[i].says);
		assert_int_equal(live.present, cases[i].present);
		assert_int_equal(live.bytes, cases[i].bytes);
		unmake(&m);
		nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_as_measured),
		cmocka_unit_test(what_may_fail),
		cmocka_unit_test(refused),
		cmocka_unit_test(words_that_are_not_said),
		cmocka_unit_test(steps),
		cmocka_unit_test(state_below_a_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
