/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYOUT_ADVICE_H
#define LAYOUT_ADVICE_H

#include <stdbool.h>

#include "layout/stack.h"

/*
 * Between advice.c, which has the table, and advice-*.c, which have its rules. A rule is one
 * function: the sentence with the numbers that triggered it, or NULL when it has nothing to
 * say. Rules look at a stack that is made; they never change it.
 */


/* The first node of a layer that is built; NULL when there is none. */
const struct node *advice_first(const struct stack *s, const char *layer);

/* Is this node built, and of that layer? */
bool advice_is(const struct node *n, const char *layer);

/* Is it an array of md or LVM that keeps data twice or with parity? */
bool advice_redundant(const struct node *n);

/* The cache disk that takes everything with it where no data disk does; NULL: there is none. */
const struct node *advice_hangs_on_cache(const struct stack *s, struct arena *a);

/* The longest and second longest of the kids, and the sum, bytes. */
void advice_sizes(const struct node *n, uint64_t *sum, uint64_t *largest, uint64_t *second);

/* advice-raid.c: how long it takes to write one member anew, by rule of thumb. */
uint64_t advice_sync_ns(const struct node *n);

/* advice-disk.c: what the disks themselves are. */
const char *advice_usb_member(const struct stack *s, struct arena *a);
const char *advice_usb_sector(const struct stack *s, struct arena *a);
const char *advice_network(const struct stack *s, struct arena *a);
const char *advice_same_device(const struct stack *s, struct arena *a);
const char *advice_twin_serial(const struct stack *s, struct arena *a);
const char *advice_no_serial(const struct stack *s, struct arena *a);
const char *advice_smr(const struct stack *s, struct arena *a);
const char *advice_near_equal(const struct stack *s, struct arena *a);
const char *advice_tiny_slices(const struct stack *s, struct arena *a);
const char *advice_slack(const struct stack *s, struct arena *a);
const char *advice_mixed_sectors(const struct stack *s, struct arena *a);
const char *advice_unused(const struct stack *s, struct arena *a);
const char *advice_no_redundancy(const struct stack *s, struct arena *a);

/* advice-raid.c: arrays. */
const char *advice_ppl_chunk(const struct stack *s, struct arena *a);
const char *advice_ppl_level(const struct stack *s, struct arena *a);
const char *advice_write_hole(const struct stack *s, struct arena *a);
const char *advice_journal(const struct stack *s, struct arena *a);
const char *advice_first_sync(const struct stack *s, struct arena *a);
const char *advice_many_copies(const struct stack *s, struct arena *a);
const char *advice_three_way(const struct stack *s, struct arena *a);
const char *advice_tail(const struct stack *s, struct arena *a);

/* advice-cache.c: caches, encryption, thin volumes. */
const char *advice_writeback(const struct stack *s, struct arena *a);
const char *advice_writecache_ram(const struct stack *s, struct arena *a);
const char *advice_cache_chunk(const struct stack *s, struct arena *a);
const char *advice_cache_rotational(const struct stack *s, struct arena *a);
const char *advice_luks_key(const struct stack *s, struct arena *a);
const char *advice_thin_overcommit(const struct stack *s, struct arena *a);

/* advice-fs.c: file systems. */
const char *advice_btrfs_parity(const struct stack *s, struct arena *a);
const char *advice_btrfs_metadata(const struct stack *s, struct arena *a);
const char *advice_btrfs_nocow(const struct stack *s, struct arena *a);
const char *advice_btrfs_df(const struct stack *s, struct arena *a);
const char *advice_btrfs_raid10(const struct stack *s, struct arena *a);
const char *advice_btrfs_kernel(const struct stack *s, struct arena *a);
const char *advice_ext4_size(const struct stack *s, struct arena *a);
const char *advice_xfs_log(const struct stack *s, struct arena *a);
const char *advice_mergerfs_file(const struct stack *s, struct arena *a);
const char *advice_mergerfs_min_free(const struct stack *s, struct arena *a);
const char *advice_ext4_reserved(const struct stack *s, struct arena *a);
const char *advice_xfs_stripe(const struct stack *s, struct arena *a);
const char *advice_writeback_pool(const struct stack *s, struct arena *a);
const char *advice_passthrough(const struct stack *s, struct arena *a);
const char *advice_cache_unused(const struct stack *s, struct arena *a);
const char *advice_luks_sector(const struct stack *s, struct arena *a);
const char *advice_integrity(const struct stack *s, struct arena *a);
const char *advice_bitmap(const struct stack *s, struct arena *a);
const char *advice_mergerfs_path(const struct stack *s, struct arena *a);

#endif
