/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYERS_ZFS_H
#define LAYERS_ZFS_H

#include <stdint.h>

/*
 * About how many bytes a raidz of n equal members leaves for records of 128 KiB: parity
 * and padding sectors of every record taken off. parity 0: a stripe.
 */
uint64_t zfs_vdev_data(uint64_t member_bytes, unsigned members, unsigned parity,
		       unsigned ashift);

/* What the pool keeps back so that something can still be deleted when it is full. */
uint64_t zfs_slop(uint64_t pool_bytes);

#endif
