/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYERS_XFS_H
#define LAYERS_XFS_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct fs_size;

/* What mkfs.xfs is told and sees. */
struct xfs_input {
	uint64_t bytes;			/* of the device */
	uint32_t io_min, io_opt;	/* of its queue */
	uint32_t sector;		/* 512 or 4096; 0: 512 */
	uint32_t inode;			/* 256 to 2048; 0: 512 */
	bool said;			/* the stripe is told to mkfs, which then keeps it below 1 GiB too */
};

/* The rule was measured for 512-byte sectors and inodes; the rest is marked an estimate. */
int xfs_size(const struct xfs_input *in, struct fs_size *out, struct err *e);

#endif
