/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_COUNTERS_H
#define BENCH_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/*
 * What the disks below a directory really moved. A read that moves nothing at the disks
 * came from memory; nobody should have to guess that.
 */
struct counters {
	struct arena *arena;
	struct list disks;	/* const char *: whole disks, "sda" */
	struct list arrays;	/* const char *: md arrays on the way down, "md127" */
	struct list branches;	/* const char *: folders of the file systems below a mergerfs */
	int *fds;		/* their stat files, kept open */
	int memory;		/* /proc/meminfo */
	const char *pool;	/* of ZFS that it lies on; NULL: none */
	const char *options;	/* of the mount, NULL when unknown */
};

struct disk_bytes {
	uint64_t read, written;
};

/* The fields of the mount a file lies on, from mountinfo. */
struct mount_of {
	const char *point, *type, *source, *options;
};

bool mount_find(struct arena *a, int fd, struct mount_of *out);
bool mount_is_zfs(const struct mount_of *m);

/* Never fails: a file system without disks (tmpfs, NFS) has none. */
void counters_open(struct counters *c, int target);
void counters_close(struct counters *c);
void counters_read(const struct counters *c, struct disk_bytes *out);
uint64_t counters_dirty(const struct counters *c);	/* dirty and under write-back */

/* The parts, below a root prefix ("" for this machine) so that a recorded one can be used. */
void leaf_disks(const char *root, struct arena *a, unsigned major, unsigned minor,
		struct list *disks, struct list *arrays);
/* The same from a name in /sys/class/block ("md127"). */
void leaf_disks_named(const char *root, struct arena *a, const char *name, struct list *disks,
		      struct list *arrays);
/* The disks of every device of the btrfs that the device name ("sda1") is part of. */
bool leaf_disks_btrfs(const char *root, struct arena *a, const char *device,
		      struct list *disks, struct list *arrays);
/* One line of /sys/block/X/stat; false when it is none. */
bool disk_stat_parse(const char *text, struct disk_bytes *out);
uint64_t meminfo_dirty(const char *text);
/* "/mnt/a=RW:/mnt/b" as a list of folders. */
void mergerfs_branches(struct arena *a, const char *text, struct list *out);

#endif
