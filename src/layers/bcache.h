/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYERS_BCACHE_H
#define LAYERS_BCACHE_H

#include <stdbool.h>
#include <stdint.h>

/* make-bcache 1.0.8, kernel 6.1. What a backing device gives behind its superblock, bytes. */
uint64_t bcache_backing_bytes(uint64_t device_bytes, uint64_t data_offset_sectors);

/* The buckets of a cache device and the first that holds data; false when make-bcache
 * refuses it for having fewer than 128. */
bool bcache_cache_buckets(uint64_t device_bytes, uint64_t bucket, uint64_t *buckets,
			  uint64_t *first);

#endif
