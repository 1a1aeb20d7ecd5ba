/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subvol - btrfs subvolumes and snapshots through libbtrfsutil, and the kernel's own sender,
 * which writes the stream that `btrfs send` would, into a pipe of ours.
 */
#include "bench/subvol.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

#include <btrfsutil.h>
#include <linux/btrfs.h>
#include <linux/magic.h>

enum { TOP_INODE = 256 };	/* of every subvolume */

/* The library leaves errno as the kernel set it, but not for a lack of memory. */
static int said(enum btrfs_util_error rc)
{
	if (rc == BTRFS_UTIL_ERROR_NO_MEMORY)
		errno = ENOMEM;
	return rc == BTRFS_UTIL_OK ? 0 : -1;
}

bool subvol_possible(int dir)
{
	struct statfs s;

	return fstatfs(dir, &s) == 0 && (s.f_type & 0xffffffff) == BTRFS_SUPER_MAGIC;
}

bool subvol_maybe(const struct stat *st, dev_t dev)
{
	return S_ISDIR(st->st_mode) && st->st_ino == TOP_INODE && st->st_dev != dev;
}

int subvol_make(int dir, const char *name)
{
	return said(btrfs_util_create_subvolume_fd(dir, name, 0, NULL, NULL));
}

int subvol_freeze(int from, int dir, const char *name)
{
	return said(btrfs_util_create_snapshot_fd2(from, dir, name,
						   BTRFS_UTIL_CREATE_SNAPSHOT_READ_ONLY, NULL, NULL));
}

int subvol_remove(int dir, const char *name)
{
	return said(btrfs_util_delete_subvolume_fd(dir, name, 0));
}

int subvol_id(int fd, uint64_t *id)
{
	return said(btrfs_util_subvolume_id_fd(fd, id));
}

int subvol_sync(int fd)
{
	return said(btrfs_util_sync_fd(fd));
}

unsigned subvol_leftovers(int fd)
{
	uint64_t *ids = NULL;
	size_t n = 0;

	if (btrfs_util_deleted_subvolumes_fd(fd, &ids, &n) != BTRFS_UTIL_OK)
		return 0;
	free(ids);
	return (unsigned)n;
}

int subvol_send(const int *snapshots, unsigned n, int fd, unsigned *at)
{
	uint64_t parent = 0;

	for (*at = 0; *at < n; ++*at) {
		struct btrfs_ioctl_send_args args = { .send_fd = fd };
		__u64 from = parent;

		if (parent) {
			args.parent_root = parent;
			args.clone_sources = &from;
			args.clone_sources_count = 1;
		}
		if (ioctl(snapshots[*at], BTRFS_IOC_SEND, &args) < 0 ||
		    subvol_id(snapshots[*at], &parent) < 0)
			return errno ? errno : EIO;
	}
	return 0;
}
