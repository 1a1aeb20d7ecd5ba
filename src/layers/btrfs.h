/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYERS_BTRFS_H
#define LAYERS_BTRFS_H

#include <stdint.h>

#include "layout/layer.h"
#include "layout/stack.h"

struct err;

/* Every fact of a profile; capacity only multiplies and divides by these. */
struct btrfs_profile {
	const char *name;
	unsigned devs_min, devs_increment;
	unsigned devs_max;		/* 0: as many as there are */
	unsigned dev_stripes;		/* stripes of one chunk on one device */
	unsigned copies, parity;
	unsigned tolerates;		/* any so many devices may go */
	unsigned statvfs_width;		/* stripes that statvfs assumes at first; 0: all */
	const char *needs;		/* "3 devices" */
};

/* NULL when there is no such profile. */
const struct btrfs_profile *btrfs_profile_find(const char *name);

/* What becomes of a set of devices. */
struct btrfs_sizes {
	struct fs_size fs;		/* statvfs of it, empty and mounted */
	uint64_t data_bytes;		/* what the allocator can fill with data */
	struct split all;		/* of the sum of the devices */
};

/*
 * The chunks mkfs.btrfs 6.2 makes, then what kernel 6.1 says and does: statvfs, and its
 * chunk allocator until nothing fits. `bytes` are the devices in command-line order;
 * `dev`, n of them or NULL, tells what becomes of each and sums to its bytes.
 */
int btrfs_sizes(const struct btrfs_profile *data, const struct btrfs_profile *metadata,
		const uint64_t *bytes, unsigned n, struct btrfs_sizes *out, struct split *dev,
		struct err *e);

/* Smallest device mkfs.btrfs takes with these profiles. */
uint64_t btrfs_min_bytes(const struct btrfs_profile *data, const struct btrfs_profile *metadata);

/* For the tests: the allocator one chunk at a time, which is the same and slow. */
extern bool btrfs_no_leaps;

#endif
