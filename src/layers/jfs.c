/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jfs - the file system as a layer, and what it leaves for data (jfsutils 1.1.15).
 * tests/data/capacity/fs.tsv has what was measured.
 */
#include "layers/jfs.h"

#include "base/err.h"
#include "base/units.h"
#include "layout/stack.h"

#define BLOCK 4096u

int jfs_size(uint64_t device_bytes, struct fs_size *out, struct err *e)
{
	uint64_t bytes = round_down(device_bytes, BLOCK), log, fixed, maps, used;

	if (bytes < 16 * MIB)
		return err_set(e, ERR_USAGE,
			       "jfs: needs at least 16 MiB, the device has %llu bytes",
			       (unsigned long long)device_bytes);
	log = round_up(div_up(bytes, 256), MIB);
	log = log < 128 * MIB ? log + BLOCK : 128 * MIB;
	fixed = 50 + div_up(bytes / BLOCK, 32768);
	*out = (struct fs_size){ .total = bytes - log - fixed * BLOCK, .known = true,
				 .estimate = true };
	/* One page of map to 8192 blocks, one of summary to 1024 of those, and a few. */
	maps = div_up(out->total / BLOCK, 8192);
	used = maps + div_up(maps, 1024) + 32;
	out->free = out->avail = out->total - used * BLOCK;
	return 0;
}
