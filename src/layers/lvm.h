/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYERS_LVM_H
#define LAYERS_LVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct node;
struct plan;

/*
 * What LVM makes of devices (lvm2 2.03.16; CAPACITY rules 1.2). Sizes in bytes. A volume is
 * asked for in extents, never as a rounded human size.
 */
#define LVM_EXTENT (4ull << 20)

/* Where the first extent of a physical volume begins; io_opt of its queue. */
uint64_t lvm_pe_start(uint32_t io_opt);

/* How many 4 MiB extents a physical volume has. */
uint64_t lvm_extents(uint64_t pv_bytes, uint32_t io_opt);

/* The metadata beside every leg of a RAID volume: superblock and a bit for every region. */
uint64_t lvm_raid_meta(uint64_t leg_bytes, uint64_t lv_bytes, uint64_t extent);

/* The checksums and journal that --raidintegrity keeps beside a leg. */
uint64_t lvm_integrity_meta(uint64_t leg_bytes);

/* Extents that a leg takes with its metadata. */
uint64_t lvm_leg_cost(uint64_t leg, unsigned data_legs, bool integrity);

/* The longest leg (extents) that fits in so many with its metadata; 0 when none does. */
uint64_t lvm_leg_extents(uint64_t extents, unsigned data_legs, bool integrity);

/* The smallest chunk dm-cache takes for a cache of this size: at most 1,000,000 of them. */
uint64_t lvm_cache_chunk(uint64_t cachevol_bytes);

/* A cache volume cut in metadata and data; false when the chunk is too small for it. */
bool lvm_cachevol(uint64_t bytes, uint64_t chunk, uint64_t *meta, uint64_t *data);

/* A cache pool of that much data: its chunk (asked, or as LVM chooses) and metadata. */
void lvm_cache_pool(uint64_t data, uint64_t asked, uint64_t *chunk, uint64_t *meta);

/* How many of the free extents are data when a cache pool takes all of them. */
uint64_t lvm_cache_all(uint64_t extents, uint64_t asked);

/* A thin pool of that much data: its chunk (asked, or as LVM chooses) and metadata. */
void lvm_thin_pool(uint64_t data, uint64_t asked, uint64_t *chunk, uint64_t *meta);

/* How many of the free extents are data when a thin pool takes all of them. */
uint64_t lvm_thin_all(uint64_t extents, uint64_t asked);

enum { LVM_STRIPES = 128 };		/* the most LVM takes */

/*
 * A striped volume over fewer devices at a time than there are, of all that is free: how much
 * of each is used (extents), and the sum.
 */
uint64_t lvm_striped(const uint64_t *have, uint64_t *used, unsigned n, unsigned stripes);

/* --- between the files of the layer */

struct lvm_level {
	const char *name;
	unsigned min, parity;		/* devices; of them parity */
	bool raid, mirror, pairs, striped;
	const char *instead;		/* what to do when there are too few */
};

struct lvm_priv {
	const struct lvm_level *level;
	const char *vg;
	unsigned stripes;		/* at a time, where the recipe says it; else 0 */
	uint64_t *extents;		/* used of each kid, with metadata */
	uint64_t leg;			/* data of each, extents; 0 where they differ */
	bool integrity;
	uint64_t pool_extents, pool_meta, pool_chunk;	/* thin */
};

/* The volume group and volume of a node of this layer: for what is put on top. */
const char *lvm_vg(const struct node *n);
bool lvm_is_thin(const struct node *n);
bool lvm_has_integrity(const struct node *n);

int lvm_plan(const struct node *n, struct plan *p, struct err *e);

#endif
