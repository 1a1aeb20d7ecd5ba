/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvm-sizes - how many bytes LVM gives of what it is given, as pure functions.
 *
 * Rules: lvm2 2.03.16, lib/metadata and tools/lvcreate.c; the tables in
 * tests/data/capacity/ have what was measured.
 */
#include "layers/lvm.h"

#include <string.h>

#include "base/units.h"

uint64_t lvm_pe_start(uint32_t io_opt)
{
	return round_up(MIB, io_opt ? io_opt : 1);
}

uint64_t lvm_extents(uint64_t pv_bytes, uint32_t io_opt)
{
	uint64_t start = lvm_pe_start(io_opt);

	return pv_bytes > start ? (pv_bytes - start) / LVM_EXTENT : 0;
}

uint64_t lvm_raid_meta(uint64_t leg_bytes, uint64_t lv_bytes, uint64_t extent)
{
	uint64_t region = 2 * MIB;

	while (div_up(lv_bytes, region) > 1 << 21)
		region *= 2;
	return round_up(8192 + div_up(div_up(leg_bytes, region), 8), extent);
}

uint64_t lvm_integrity_meta(uint64_t leg_bytes)
{
	uint64_t meta = (leg_bytes / (500 * MIB) + 1) * 4 * MIB;

	if (leg_bytes <= 512 * MIB)
		return meta + 4 * MIB;
	if (leg_bytes <= GIB)
		return meta + 8 * MIB;
	return meta + (leg_bytes <= 4 * GIB ? 32 : 64) * MIB;
}

uint64_t lvm_leg_cost(uint64_t leg, unsigned data_legs, bool integrity)
{
	uint64_t bytes = leg * LVM_EXTENT;
	uint64_t meta = lvm_raid_meta(bytes, bytes * data_legs, LVM_EXTENT);

	if (integrity)
		meta += lvm_integrity_meta(bytes);
	return leg + meta / LVM_EXTENT;
}

/* The cost only grows with the leg, so the longest that fits is found by halving. */
uint64_t lvm_leg_extents(uint64_t extents, unsigned data_legs, bool integrity)
{
	uint64_t low = 0, high = extents;

	while (low < high) {
		uint64_t middle = low + (high - low + 1) / 2;

		if (lvm_leg_cost(middle, data_legs, integrity) <= extents)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

uint64_t lvm_cache_chunk(uint64_t cachevol_bytes)
{
	uint64_t chunk = round_up(div_up(cachevol_bytes, 1000000), 32 * KIB);

	return chunk < 64 * KIB ? 64 * KIB : chunk;
}

bool lvm_cachevol(uint64_t bytes, uint64_t chunk, uint64_t *meta, uint64_t *data)
{
	uint64_t size = round_up(4 * MIB + 44 * (bytes / chunk), 512);

	if (size > bytes / 2)
		size = bytes / 2;
	*meta = round_up(size, LVM_EXTENT);
	*data = bytes - *meta;
	return *data / chunk <= 1000000;
}

/* lvcreate takes the next power of two, where a cache volume takes a multiple of 32 KiB. */
void lvm_cache_pool(uint64_t data, uint64_t asked, uint64_t *chunk, uint64_t *meta)
{
	uint64_t least = lvm_cache_chunk(data);

	*chunk = asked ? asked : 64 * KIB;
	while (!asked && *chunk < least)
		*chunk *= 2;
	*meta = round_up(4 * MIB + 44 * (data / *chunk), LVM_EXTENT);
	if (*meta > 16 * GIB)
		*meta = 16 * GIB;
}

uint64_t lvm_cache_all(uint64_t extents, uint64_t asked)
{
	uint64_t chunk, meta;

	lvm_cache_pool(extents * LVM_EXTENT, asked, &chunk, &meta);
	meta = 2 * meta / LVM_EXTENT;		/* and the spare to repair it with */
	return extents > meta ? extents - meta : 0;
}

void lvm_thin_pool(uint64_t data, uint64_t asked, uint64_t *chunk, uint64_t *meta)
{
	uint64_t size;

	*chunk = asked ? asked : 64 * KIB;
	while (!asked && 64 * (data / *chunk) > 128 * MIB)
		*chunk *= 2;
	size = round_up(64 * (data / *chunk), LVM_EXTENT);
	if (size < LVM_EXTENT)
		size = LVM_EXTENT;
	*meta = size < 15 * GIB + 831 * MIB ? size : round_down(16978542592, LVM_EXTENT);
}

uint64_t lvm_thin_all(uint64_t extents, uint64_t asked)
{
	uint64_t chunk, meta;

	lvm_thin_pool(extents * LVM_EXTENT, asked, &chunk, &meta);
	meta = 2 * meta / LVM_EXTENT;		/* and the spare to repair it with */
	return extents > meta ? extents - meta : 0;
}

/*
 * LVM takes the devices with most free, as far as the smallest of them goes, and begins again:
 * so ten sets lay with lvm2 2.03.16 (tests/unit/lvm.c). Of equal ones it takes the first.
 */
uint64_t lvm_striped(const uint64_t *have, uint64_t *used, unsigned n, unsigned stripes)
{
	bool taken[LVM_STRIPES];
	uint64_t least, sum = 0;
	unsigned i, k, best;

	memset(used, 0, n * sizeof(*used));
	do {
		memset(taken, 0, sizeof(taken));
		for (least = 0, k = 0; k < stripes; k++) {
			for (best = n, i = 0; i < n; i++) {
				if (!taken[i] && (best == n || have[i] - used[i] > have[best] - used[best]))
					best = i;
			}
			taken[best] = true;
			least = have[best] - used[best];
		}
		for (i = 0; i < n; i++)
			used[i] += taken[i] ? least : 0;
		sum += least * stripes;
	} while (least);
	return sum;
}
