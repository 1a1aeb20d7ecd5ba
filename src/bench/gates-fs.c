/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gates-fs - what a file system does by itself at its disks and shows nowhere in sysfs: scrub
 * and balance of btrfs are asked of the kernel, resilver and scrub of ZFS of its own tool.
 */
#include "bench/gates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>

#include "base/err.h"
#include "base/text.h"
#include "base/units.h"
#include "bench/subvol.h"

enum { MOST_SPACES = 32 };

/* How often a block of a group lies on the disks. */
static uint64_t copies_of(uint64_t profile)
{
	if (profile & BTRFS_BLOCK_GROUP_RAID1C4)
		return 4;
	if (profile & BTRFS_BLOCK_GROUP_RAID1C3)
		return 3;
	return profile & (BTRFS_BLOCK_GROUP_DUP | BTRFS_BLOCK_GROUP_RAID1 |
			  BTRFS_BLOCK_GROUP_RAID10) ? 2 : 1;
}

/* All bytes a scrub reads; 0 when the file system does not tell. */
static uint64_t used_bytes(int dir)
{
	struct btrfs_ioctl_space_args *args = calloc(1, sizeof(*args) +
						     MOST_SPACES * sizeof(args->spaces[0]));
	uint64_t sum = 0;
	size_t i;

	if (!args)
		die("no memory");
	args->space_slots = MOST_SPACES;
	if (ioctl(dir, BTRFS_IOC_SPACE_INFO, args) < 0)
		args->total_spaces = 0;
	for (i = 0; i < args->total_spaces && i < MOST_SPACES; i++) {
		const struct btrfs_ioctl_space_info *space = &args->spaces[i];

		/* the reserve lies inside the metadata */
		if (!(space->flags & BTRFS_SPACE_INFO_GLOBAL_RSV))
			sum += space->used_bytes * copies_of(space->flags);
	}
	free(args);
	return sum;
}

bool gate_btrfs_scrub(struct arena *a, int dir, struct gate *out)
{
	struct btrfs_ioctl_fs_info_args fs = { .num_devices = 0 };
	uint64_t done = 0, id;
	bool runs = false;

	if (!subvol_possible(dir) || ioctl(dir, BTRFS_IOC_FS_INFO, &fs) < 0)
		return false;
	for (id = 1; id <= fs.max_id; id++) {
		struct btrfs_ioctl_scrub_args s = { .devid = id };

		/* it fails where none runs, and for all but root */
		if (ioctl(dir, BTRFS_IOC_SCRUB_PROGRESS, &s) < 0)
			continue;
		runs = true;
		done += s.progress.data_bytes_scrubbed + s.progress.tree_bytes_scrubbed;
	}
	if (!runs)
		return false;
	*out = (struct gate){ .kind = GATE_SYNC, .done = done, .total = used_bytes(dir),
			      .what = arena_strdup(a, "the scrub of the btrfs") };
	if (out->total < done)
		out->total = 0;
	return true;
}

void gate_btrfs_balance(int dir, struct gate *g)
{
	struct btrfs_ioctl_balance_args b = { .flags = 0 };

	if (!subvol_possible(dir) || ioctl(dir, BTRFS_IOC_BALANCE_PROGRESS, &b) < 0)
		return;
	g->done = b.stat.completed;
	g->total = b.stat.expected > b.stat.completed ? b.stat.expected : 0;
}

/* "1 days 02:03:04", "02:03:04" or "2h3m" before " to go"; 0: it does not tell. */
static uint64_t left_of(const char *text)
{
	const char *end = strstr(text, " to go"), *from = end;
	unsigned days = 0, h = 0, m = 0, s = 0;

	while (from && from > text && (strchr("0123456789:hm", from[-1]) ||
				       (from - 6 > text && !strncmp(from - 6, " days ", 6)))) {
		from -= strchr("0123456789:hm", from[-1]) ? 1 : 6;
	}
	if (!end || from == end)
		return 0;
	if (strstr(from, " days ") && strstr(from, " days ") < end) {
		days = (unsigned)strtoul(from, NULL, 10);
		from = strstr(from, " days ") + 6;
	}
	if (sscanf(from, "%u:%u:%u", &h, &m, &s) != 3 && sscanf(from, "%uh%um", &h, &m) != 2)
		return 0;
	return (((uint64_t)days * 24 + h) * 3600 + m * 60 + s) * 1000000000;
}

/*
 *   pool: tank
 *   scan: resilver in progress since Mon Nov 30 12:00:00 2026
 *         1.20T scanned at 500M/s, 600G issued at 250M/s, 2.00T total
 *         600G resilvered, 30.21% done, 01:39:00 to go
 *
 * and of zfs-fuse:
 *
 *  scrub: resilver in progress for 0h12m, 37.05% done, 0h20m to go
 */
bool gate_zpool(struct arena *a, const char *status, struct gate *out)
{
	const char *scan = strstr(status, "scan: "), *pool = strstr(status, "pool: "), *done, *from;
	size_t len;

	if (!scan)
		scan = strstr(status, "scrub: ");
	if (!scan || !pool)
		return false;
	scan += strcspn(scan, " ") + 1;
	pool += strlen("pool: ");
	len = strcspn(scan, " \n");
	if (strncmp(scan + len, " in progress", strlen(" in progress")))
		return false;
	*out = (struct gate){ .kind = GATE_SYNC,
		.what = arena_printf(a, "the %.*s of the pool %.*s", (int)len, scan,
				     (int)strcspn(pool, " \n"), pool) };
	out->left_ns = left_of(scan);
	done = strstr(scan, "% done");
	for (from = done; from && from > scan && strchr("0123456789.", from[-1]); from--)
		;
	if (done && from < done) {
		out->done = (uint64_t)(strtod(from, NULL) * 100 + 0.5);
		out->total = 10000;
	}
	return true;
}
