/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every rule of advice: a plan that triggers it with the number that has to be in its
 * sentence, and one just beside it, on the other side of its tolerance, where it is silent.
 * Real disks (serials, transports) are given as fields; the rules that need them are also
 * tried by the cases.
 */
#include "test.h"

#include <string.h>

#include "base/err.h"
#include "disk/disk.h"
#include "layout/pick.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"

struct plan_of {
	const char *layout, *disks[4], *cache;
	/* what a real first disk says of itself; the second is the same but for `other` */
	struct disk real;
	const char *other;
};

static const struct row {
	const char *rule;
	struct plan_of says;
	const char *number;		/* in its sentence */
	struct plan_of silent;
} rows[] = {
	{ .rule = "same-device",
	  .says = { .layout = "md level=raid1", .disks = { "2xnvme:1T" },
		    .real = { .kind = DISK_NVME, .serial = "S1", .wwn = "eui.1" },
		    .other = "eui.2" },
	  .number = "S1",
	  .silent = { .layout = "md level=raid1", .disks = { "2xnvme:1T" } } },
	{ .rule = "twin-serial",
	  .says = { .layout = "md level=raid1", .disks = { "2xusb:1T" },
		    .real = { .kind = DISK_USB, .serial = "S1", .wwn = "0x5" }, .other = "0x5" },
	  .number = "S1",
	  .silent = { .layout = "md level=raid1", .disks = { "2xnvme:1T" },
		    .real = { .kind = DISK_NVME, .serial = "S1", .wwn = "eui.1" },
		    .other = "eui.2" } },
	{ .rule = "no-serial",
	  .says = { .layout = "md level=raid1", .disks = { "2xhdd:1T" },
		    .real = { .kind = DISK_HDD, .wwn = "0x5" }, .other = "0x6" },
	  .number = "2 disks",
	  .silent = { .layout = "md level=raid1", .disks = { "2xhdd:1T" } } },
	{ .rule = "smr",
	  .says = { .layout = "md level=raid1",
		    .disks = { "2xhdd:4T,model=WDC WD40EFAX-68JH4N0" } },
	  .number = "WD40EFAX",
	  .silent = { .layout = "md level=raid1",
		    .disks = { "2xhdd:10T,model=WDC WD100EFAX-68LHPN0" } } },
	{ .rule = "network-disk",
	  .says = { .layout = "md level=raid1", .disks = { "2xhdd:1T" },
		    .real = { .kind = DISK_HDD, .serial = "A", .transport = "iscsi" },
		    .other = "0x5" },
	  .number = "iscsi",
	  .silent = { .layout = "md level=raid1", .disks = { "2xhdd:1T" },
		    .real = { .kind = DISK_HDD, .serial = "A", .transport = "sata" },
		    .other = "0x5" } },
	{ .rule = "usb-member",
	  .says = { .layout = "md level=raid1", .disks = { "hdd:4T", "usb:4T" } },
	  .number = "usb1",
	  .silent = { .layout = "xfs", .disks = { "usb:4T" } } },
	{ .rule = "usb-sector",
	  .says = { .layout = "xfs", .disks = { "usb:4T,sector=4096" } },
	  .number = "4096",
	  .silent = { .layout = "xfs", .disks = { "usb:4T,sector=512" } } },
	{ .rule = "writeback-cache",
	  .says = { .layout = "md level=raid1 | bcache mode=writeback | xfs",
		    .disks = { "2xhdd:4T" }, .cache = "ssd:500G" },
	  .number = "ssd1",
	  .silent = { .layout = "md level=raid1 | bcache | xfs", .disks = { "2xhdd:4T" },
		    .cache = "ssd:500G" } },
	{ .rule = "writeback-cache",
	  .says = { .layout = "md level=raid1 | lvm | writecache | xfs",
		    .disks = { "2xhdd:4T" }, .cache = "ssd:500G" },
	  .number = "mode=writethrough",
	  .silent = { .layout = "bcache mode=writeback | xfs", .disks = { "hdd:4T" },
		    .cache = "ssd:500G" } },
	{ .rule = "journal-single",
	  .says = { .layout = "md level=raid5 consistency=journal",
		    .disks = { "3xhdd:4T" }, .cache = "ssd:500G" },
	  .number = "ssd1",
	  .silent = { .layout = "md level=raid5", .disks = { "3xhdd:4T" },
		    .cache = "ssd:500G" } },
	{ .rule = "no-redundancy",
	  .says = { .layout = "lvm | xfs", .disks = { "2xhdd:4T" } },
	  .number = "2 disks",
	  .silent = { .layout = "lvm type=raid1 | xfs", .disks = { "2xhdd:4T" } } },
	{ .rule = "btrfs-parity",
	  .says = { .layout = "btrfs data=raid5", .disks = { "3xhdd:4T" } },
	  .number = "raid5",
	  .silent = { .layout = "btrfs data=raid1", .disks = { "3xhdd:4T" } } },
	{ .rule = "btrfs-metadata",
	  .says = { .layout = "btrfs data=raid6 metadata=raid1", .disks = { "4xhdd:4T" } },
	  .number = "bears 2",
	  .silent = { .layout = "btrfs data=raid6", .disks = { "4xhdd:4T" } } },
	{ .rule = "btrfs-metadata",
	  .says = { .layout = "btrfs data=raid5 metadata=raid5", .disks = { "4xhdd:4T" } },
	  .number = "metadata=raid1",
	  .silent = { .layout = "btrfs data=raid5 metadata=raid1", .disks = { "4xhdd:4T" } } },
	{ .rule = "btrfs-df",
	  .says = { .layout = "btrfs data=raid1",
		    .disks = { "hdd:1000GiB", "hdd:2000GiB", "hdd:4000GiB" } },
	  .number = "2999 GiB",
	  .silent = { .layout = "btrfs data=raid1", .disks = { "2xhdd:4T" } } },
	{ .rule = "btrfs-raid1",
	  .says = { .layout = "btrfs data=raid10", .disks = { "hdd:8T", "hdd:4T", "2xhdd:2T" } },
	  .number = "8.00 TB",
	  .silent = { .layout = "btrfs data=raid10", .disks = { "4xhdd:4T" } } },
	{ .rule = "btrfs-kernel",
	  .says = { .layout = "btrfs data=raid0", .disks = { "hdd:2T", "hdd:6T" } },
	  .number = "4.00 TB",
	  .silent = { .layout = "btrfs data=raid0", .disks = { "2xhdd:6T" } } },
	{ .rule = "btrfs-kernel",
	  .says = { .layout = "btrfs data=raid10", .disks = { "3xhdd:4T" } },
	  .number = "4 devices",
	  .silent = { .layout = "btrfs data=raid10", .disks = { "4xhdd:4T" } } },
	{ .rule = "write-hole",
	  .says = { .layout = "md level=raid5 consistency=resync", .disks = { "3xhdd:4T" } },
	  .number = "resync",
	  .silent = { .layout = "md level=raid5", .disks = { "3xhdd:4T" } } },
	{ .rule = "ppl-chunk",
	  .says = { .layout = "md level=raid5 consistency=ppl chunk=512K",
		    .disks = { "3xhdd:4T" } },
	  .number = "512K",
	  .silent = { .layout = "md level=raid5 consistency=ppl chunk=1M",
		    .disks = { "3xhdd:4T" } } },
	{ .rule = "ppl-level",
	  .says = { .layout = "slice | md redundancy=1 consistency=ppl chunk=1M",
		    .disks = { "2xhdd:4T", "hdd:2T" } },
	  .number = "2 members",
	  .silent = { .layout = "slice | md redundancy=1 consistency=ppl chunk=1M",
		    .disks = { "3xhdd:4T" } } },
	{ .rule = "mixed-sectors",
	  .says = { .layout = "md level=raid1", .disks = { "hdd:4T", "hdd:4T,sector=4096" } },
	  .number = "4096",
	  .silent = { .layout = "md level=raid1", .disks = { "2xhdd:4T,sector=4096" } } },
	{ .rule = "mixed-sectors",
	  .says = { .layout = "slice | md redundancy=1",
		    .disks = { "2xhdd:8T", "2xhdd:4T,sector=4096" } },
	  .number = "vgcreate refuses",
	  .silent = { .layout = "slice | md redundancy=1",
		    .disks = { "2xhdd:8T", "2xhdd:4T" } } },
	{ .rule = "near-equal",
	  .says = { .layout = "md level=raid1",
		    .disks = { "hdd:4000787030016", "hdd:4000786853888" } },
	  .number = "176 kB",
	  .silent = { .layout = "md level=raid1", .disks = { "hdd:4T", "hdd:3T" } } },
	/* a linear volume uses both to the end */
	{ .rule = "near-equal",
	  .says = { .layout = "lvm type=raid1",
		    .disks = { "hdd:4000787030016", "hdd:4000000000000" } },
	  .number = "787 MB",
	  .silent = { .layout = "lvm", .disks = { "hdd:4000787030016", "hdd:4000000000000" } } },
	{ .rule = "btrfs-nocow",
	  .says = { .layout = "btrfs data=raid1 nocow=images", .disks = { "2xhdd:4T" } },
	  .number = "images",
	  .silent = { .layout = "btrfs nocow=images", .disks = { "2xhdd:4T" } } },
	{ .rule = "btrfs-nocow",
	  .says = { .layout = "btrfs data=raid5 metadata=raid1 mount=noatime,nodatacow",
		    .disks = { "3xhdd:4T" } },
	  .number = "raid5",
	  .silent = { .layout = "btrfs data=raid1 mount=noatime", .disks = { "2xhdd:4T" } } },
	{ .rule = "slack",
	  .says = { .layout = "md level=raid1", .disks = { "2xssd:1024G" } },
	  .number = "1000204886016",
	  .silent = { .layout = "part reserve=25G | md level=raid1",
		    .disks = { "2xssd:1024G" } } },
	/* 1000204886016 is 2.326 % less than 1024 GB */
	{ .rule = "slack",
	  .says = { .layout = "part reserve=2% | md level=raid1", .disks = { "2xssd:1024G" } },
	  .number = "1000204886016",
	  .silent = { .layout = "part reserve=2.4% | md level=raid1",
		    .disks = { "2xssd:1024G" } } },
	{ .rule = "slack",
	  .says = { .layout = "slice | md redundancy=1", .disks = { "3xssd:512G" } },
	  .number = "500107862016",
	  .silent = { .layout = "slice | md redundancy=1", .disks = { "3xhdd:4T" } } },
	{ .rule = "tiny-slices",
	  .says = { .layout = "slice | md redundancy=1",
		    .disks = { "3xhdd:4T", "hdd:4000000000000" } },
	  .number = "786 MB",
	  .silent = { .layout = "slice smallest=1G | md redundancy=1",
		    .disks = { "3xhdd:4T", "hdd:4000000000000" } } },
	{ .rule = "unused",
	  .says = { .layout = "md level=raid5", .disks = { "2xhdd:4T", "hdd:8T" } },
	  .number = "4.00 TB",
	  .silent = { .layout = "md level=raid5", .disks = { "3xhdd:4T" } } },
	{ .rule = "tail-not-striped",
	  .says = { .layout = "md level=raid0", .disks = { "hdd:2T", "hdd:6T" } },
	  .number = "4.00 TB",
	  .silent = { .layout = "md level=raid0", .disks = { "2xhdd:6T" } } },
	{ .rule = "three-way",
	  .says = { .layout = "slice | md redundancy=2", .disks = { "3xhdd:8T", "hdd:4T" } },
	  .number = "3 members",
	  .silent = { .layout = "slice | md redundancy=2", .disks = { "4xhdd:8T" } } },
	{ .rule = "many-copies",
	  .says = { .layout = "md level=raid1", .disks = { "4xssd:960G" } },
	  .number = "1.92 TB",
	  .silent = { .layout = "md level=raid1", .disks = { "3xssd:960G" } } },
	{ .rule = "ext4-16t",
	  .says = { .layout = "md level=raid0 | ext4", .disks = { "2xhdd:10T" } },
	  .number = "18.2 TiB",
	  .silent = { .layout = "md level=raid0 | ext4", .disks = { "2xhdd:8T" } } },
	{ .rule = "xfs-log-stripe",
	  .says = { .layout = "md level=raid5 chunk=1M | xfs", .disks = { "3xhdd:4T" } },
	  .number = "1048576",
	  .silent = { .layout = "md level=raid5 chunk=256K | xfs", .disks = { "3xhdd:4T" } } },
	{ .rule = "mergerfs-file",
	  .says = { .layout = "xfs | mergerfs", .disks = { "hdd:4T", "hdd:8T" } },
	  .number = "8.00 TB",
	  .silent = { .layout = "xfs | mergerfs", .disks = { "hdd:4T" } } },
	{ .rule = "mergerfs-minfreespace",
	  .says = { .layout = "xfs | mergerfs minfreespace=5T", .disks = { "hdd:4T", "hdd:8T" } },
	  .number = "4.00 TB",
	  .silent = { .layout = "xfs | mergerfs minfreespace=100G",
		    .disks = { "hdd:4T", "hdd:8T" } } },
	{ .rule = "mergerfs-path",
	  .says = { .layout = "xfs | mergerfs create=epmfs", .disks = { "hdd:4T", "hdd:8T" } },
	  .number = "epmfs",
	  .silent = { .layout = "xfs | mergerfs create=mfs", .disks = { "hdd:4T", "hdd:8T" } } },
	{ .rule = "thin-overcommit",
	  .says = { .layout = "lvm type=thin size=20T | xfs", .disks = { "2xhdd:4T" } },
	  .number = "20.0 TiB",
	  .silent = { .layout = "lvm type=thin size=6T | xfs", .disks = { "2xhdd:4T" } } },
	{ .rule = "cache-rotational",
	  .says = { .layout = "bcache | xfs", .disks = { "hdd:4T" }, .cache = "hdd:1T" },
	  .number = "hdd1",
	  .silent = { .layout = "bcache | xfs", .disks = { "hdd:4T" }, .cache = "ssd:1T" } },
	/* 21 GiB for 1 TiB were asked: 2.1 % */
	{ .rule = "writecache-ram",
	  .says = { .layout = "lvm | writecache | xfs", .disks = { "hdd:4T" },
		    .cache = "ssd:500G" },
	  .number = "9.78 GiB",
	  .silent = { .layout = "lvm | writecache size=16G | xfs", .disks = { "hdd:4T" },
		    .cache = "ssd:500G" } },
	{ .rule = "cache-chunk",
	  .says = { .layout = "lvm | lvmcache | xfs", .disks = { "hdd:4T" }, .cache = "ssd:2T" },
	  .number = "1984K",
	  .silent = { .layout = "lvm | lvmcache | xfs", .disks = { "hdd:4T" },
		    .cache = "ssd:500G" } },
	{ .rule = "luks-key",
	  .says = { .layout = "luks | xfs", .disks = { "hdd:4T" } },
	  .number = "1 LUKS header",
	  .silent = { .layout = "xfs", .disks = { "hdd:4T" } } },
	{ .rule = "writeback-pool",
	  .says = { .layout = "lvm | lvmcache pool=yes mode=writeback | xfs", .disks = { "2xhdd:4T" },
		    .cache = "ssd:500G" },
	  .number = "500 GB",
	  .silent = { .layout = "lvm | lvmcache mode=writeback | xfs", .disks = { "2xhdd:4T" },
		      .cache = "ssd:500G" } },
	{ .rule = "passthrough",
	  .says = { .layout = "lvm | lvmcache mode=passthrough | xfs", .disks = { "2xhdd:4T" },
		    .cache = "ssd:500G" },
	  .number = "--cachemode writethrough t/data",
	  .silent = { .layout = "lvm | lvmcache | xfs", .disks = { "2xhdd:4T" }, .cache = "ssd:500G" } },
	{ .rule = "cache-unused",
	  .says = { .layout = "md level=raid1 | xfs", .disks = { "2xhdd:4T" }, .cache = "ssd:500G" },
	  .number = "ssd1 (500 GB)",
	  .silent = { .layout = "md level=raid1 | bcache | xfs", .disks = { "2xhdd:4T" },
		      .cache = "ssd:500G" } },
	{ .rule = "luks-sector",
	  .says = { .layout = "luks | xfs", .disks = { "hdd:4T" } },
	  .number = "sector=4096",
	  .silent = { .layout = "luks sector=4096 | xfs", .disks = { "hdd:4T" } } },
	{ .rule = "luks-sector",
	  .says = { .layout = "md level=raid1 | luks | xfs", .disks = { "2xhdd:4T" } },
	  .number = "4096 bytes at a time",
	  .silent = { .layout = "md level=raid1 | luks | xfs", .disks = { "2xhdd:4T,sector=4096" } } },
	/* twice 4 TB at 150 MB/s */
	{ .rule = "integrity-journal",
	  .says = { .layout = "part | integrity | md level=raid1 | xfs", .disks = { "2xhdd:4T" } },
	  .number = "14:",
	  .silent = { .layout = "part | md level=raid1 | xfs", .disks = { "2xhdd:4T" } } },
	{ .rule = "integrity-journal",
	  .says = { .layout = "luks integrity=hmac-sha256 | xfs", .disks = { "hdd:4T" } },
	  .number = "100 MB/s",
	  .silent = { .layout = "luks | xfs", .disks = { "hdd:4T" } } },
	{ .rule = "integrity-journal",
	  .says = { .layout = "lvm type=raid1 integrity=yes | xfs", .disks = { "2xhdd:4T" } },
	  .number = "100 MB/s",
	  .silent = { .layout = "lvm type=raid1 integrity=yes integritymode=bitmap | xfs",
		      .disks = { "2xhdd:4T" } } },
	/* a bit of the bitmap stands for 32768 sectors */
	{ .rule = "integrity-bitmap",
	  .says = { .layout = "part | integrity mode=bitmap | md level=raid1 | xfs",
		    .disks = { "2xhdd:4T" } },
	  .number = "16 MiB",
	  .silent = { .layout = "part | integrity | md level=raid1 | xfs", .disks = { "2xhdd:4T" } } },
	{ .rule = "integrity-bitmap",
	  .says = { .layout = "lvm type=raid1 integrity=yes integritymode=bitmap | xfs",
		    .disks = { "2xhdd:4T" } },
	  .number = "14:",
	  .silent = { .layout = "lvm type=raid1 integrity=yes | xfs", .disks = { "2xhdd:4T" } } },
	/* 5 % of 4 TB and of 900 GB */
	{ .rule = "ext4-reserved",
	  .says = { .layout = "ext4", .disks = { "hdd:4T" } },
	  .number = "200 GB",
	  .silent = { .layout = "ext4", .disks = { "hdd:900G" } } },
	{ .rule = "ext4-reserved",
	  .says = { .layout = "ext4 reserved=2", .disks = { "hdd:4T" } },
	  .number = "80.0 GB",
	  .silent = { .layout = "ext4 reserved=1", .disks = { "hdd:20T" } } },
	{ .rule = "xfs-stripe",
	  .says = { .layout = "md level=raid5 chunk=64K | bcache | xfs", .disks = { "5xhdd:4T" },
		    .cache = "ssd:500G" },
	  .number = "su=64K sw=4",
	  .silent = { .layout = "md level=raid5 chunk=64K | bcache | xfs su=64K sw=4",
		      .disks = { "5xhdd:4T" }, .cache = "ssd:500G" } },
	{ .rule = "xfs-stripe",
	  .says = { .layout = "slice | md redundancy=1 | bcache | xfs | mergerfs",
		    .disks = { "4xhdd:4T", "2xhdd:8T" }, .cache = "ssd:500G" },
	  .number = "sw=5",
	  .silent = { .layout = "md level=raid1 | bcache | xfs", .disks = { "2xhdd:4T" },
		      .cache = "ssd:500G" } },
	/* 4 TB at 150 MB/s */
	{ .rule = "first-sync",
	  .says = { .layout = "md level=raid1", .disks = { "2xhdd:4T" } },
	  .number = "7:24 h",
	  .silent = { .layout = "md level=raid1", .disks = { "2xssd:480G" } } },
};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

/* The plan's advice of that name, copied to the arena; NULL when it is silent. */
static const char *ask(const struct plan_of *p, const char *rule, struct arena *a)
{
	const char *caches[] = { p->cache, NULL }, *text = NULL;
	struct inventory *inv = inventory_new();
	struct list found = { 0 };
	struct recipe *r = NULL;
	struct stack *s = NULL;
	struct pick *picks;
	struct err e = { 0 };
	size_t n, i;

	if (recipe_parse(p->layout, NULL, &r, &e) || picks_from_words(inv, p->disks, caches, a,
								      &picks, &n, &e))
		fail_msg("%s: %s", p->layout, e.text);
	for (i = 0; p->other && i < inv->n_disks; i++) {
		struct disk *d = &inv->disks[i];

		d->is_virtual = false;
		d->kind = p->real.kind;
		d->serial = p->real.serial;
		d->transport = p->real.transport;
		d->wwn = i ? p->other : p->real.wwn;
	}
	if (stack_make(r, "t", picks, n, &s, &e))
		fail_msg("%s: %s", p->layout, e.text);
	stack_advice(s, a, &found);
	for (i = 0; i < found.n; i++) {
		const struct advice *said = found.at[i];

		assert_true(said->reason && *said->reason && said->source && *said->source);
		assert_true(!strcmp(said->severity, "info") || !strcmp(said->severity, "warn"));
		if (!strcmp(said->rule, rule))
			text = arena_strdup(a, said->text);
	}
	stack_free(s);
	recipe_free(r);
	inventory_free(inv);
	return text;
}

static void a_rule(void **state)
{
	const struct row *c = *state;
	struct arena *a = arena_new();
	const char *text = ask(&c->says, c->rule, a);

	if (!text)
		fail_msg("%s has nothing to say of %s", c->rule, c->says.layout);
	if (!strstr(text, c->number))
		fail_msg("%s: \"%s\" does not say %s", c->rule, text, c->number);
	text = ask(&c->silent, c->rule, a);
	if (text)
		fail_msg("%s says of %s: %s", c->rule, c->silent.layout, text);
	arena_free(a);
}

/* What people should do must not be warned about. */
static void good_plans_are_not_warned_about(void **state)
{
	static const struct plan_of good[] = {
		{ .layout = "xfs", .disks = { "hdd:4T" } }, { .layout = "part | btrfs",
	  .disks = { "ssd:1T" } },
		{ .layout = "slice | md redundancy=1 | lvm | xfs",
	  .disks = { "2xhdd:3T", "2xhdd:5T", "2xhdd:10T" } },
		{ .layout = "slice | md redundancy=2 | btrfs", .disks = { "6xhdd:8T" } },
		{ .layout = "md level=raid6 | xfs",
	  .disks = { "8xhdd:12T" } }, { .layout = "btrfs data=raid1", .disks = { "2xhdd:4T" } },
		{ .layout = "md level=raid1 | bcache | btrfs", .disks = { "2xhdd:8T" },
		.cache = "ssd:500G" },
		{ .layout = "slice | md redundancy=1 consistency=ppl chunk=1M | btrfs",
	  .disks = { "4xhdd:8T" } },
	};
	struct arena *a = arena_new();
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const char *caches[] = { good[i].cache, NULL };
		struct inventory *inv = inventory_new();
		struct list found = { 0 };
		struct recipe *r;
		struct stack *s;
		struct pick *picks;
		struct err e = { 0 };
		size_t n;

		assert_int_equal(recipe_parse(good[i].layout, NULL, &r, &e), 0);
		assert_int_equal(picks_from_words(inv, good[i].disks, caches, a, &picks, &n, &e),
				 0);
		assert_int_equal(stack_make(r, "t", picks, n, &s, &e), 0);
		stack_advice(s, a, &found);
		for (k = 0; k < found.n; k++) {
			const struct advice *said = found.at[k];

			if (!strcmp(said->severity, "warn"))
				fail_msg("%s: %s", good[i].layout, said->text);
		}
		stack_free(s);
		recipe_free(r);
		inventory_free(inv);
	}
	arena_free(a);
}

int main(void)
{
	struct CMUnitTest tests[N_ROWS + 1];
	size_t i;

	for (i = 0; i < N_ROWS; i++)
		tests[i] = (struct CMUnitTest){ .name = rows[i].rule, .test_func = a_rule,
						.initial_state = (void *)&rows[i] };
	tests[N_ROWS] = (struct CMUnitTest)cmocka_unit_test(good_plans_are_not_warned_about);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
