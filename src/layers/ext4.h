/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYERS_EXT4_H
#define LAYERS_EXT4_H

#include <stdint.h>

struct err;
struct fs_size;

/* What it is asked for. */
struct ext4_input {
	uint64_t bytes;			/* of the device */
	uint32_t ratio;			/* bytes to one inode; 0: as mke2fs.conf has it for the size */
	unsigned reserved;		/* percent that only root may fill */
};

/* What mkfs.ext4 will lay down on a device: everything it is told, and what follows. */
struct ext4_geometry {
	uint32_t block;			/* bytes */
	uint32_t inode_ratio;		/* bytes of device to one inode */
	uint64_t blocks;		/* after a last group too small was dropped */
	uint64_t dropped;		/* blocks of that group */
	uint64_t groups;
	uint32_t inodes_per_group;
	uint64_t journal;		/* blocks */
	int resize_inode;		/* 0 from 2^32 blocks on */
};

/* CAPACITY rule of ext4 with Debian 12's mke2fs.conf. */
int ext4_geometry(const struct ext4_input *in, struct ext4_geometry *out, struct err *e);
int ext4_size(const struct ext4_input *in, struct fs_size *out, struct err *e);

#endif
