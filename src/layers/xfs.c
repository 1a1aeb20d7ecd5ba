/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs - the file system as a layer, and what it leaves for data.
 *
 * The sizes follow mkfs/xfs_mkfs.c, libxfs/topology.c and the reservations that the
 * kernel makes at mount for the reference count and free inode trees (xfsprogs 6.1);
 * tests/data/capacity/xfs.tsv has what was measured.
 */
#include "layers/xfs.h"

#include "base/err.h"
#include "base/units.h"
#include "layout/stack.h"

#define BLOCK 4096u
#define MIN_BYTES 300000000ull		/* what mkfs.xfs 5.19 and later refuse below */
#define AG_MAX ((1ull << 28) - 1)
#define AG_MIN 4096u

/* Blocks of a tree over `records`, `leaf` of them in a leaf, `node` children to a node. */
static uint64_t tree_blocks(uint64_t leaf, uint64_t node, uint64_t records)
{
	uint64_t level = div_up(records, leaf), all = level;

	while (level > 1) {
		level = div_up(level, node);
		all += level;
	}
	return all;
}

struct geometry {
	uint64_t blocks, agsize, groups, log;
};

static uint64_t agsize_of(uint64_t blocks, uint64_t su, uint64_t sw)
{
	uint64_t bytes = blocks * BLOCK, size;
	unsigned shift = 2;

	if (bytes >= 32 * TIB || (!su && bytes >= 4 * TIB))
		size = AG_MAX;
	else {
		if (su)
			shift = bytes <= 8 * GIB ? 3 : bytes <= 512 * GIB ? 4 : 5;
		size = div_up(blocks, 1ull << shift);
	}
	if (!su)
		return size;
	/* Groups begin on a stripe unit, but not all of them on the same member. */
	size = size == AG_MAX ? round_down(size, su) : round_up(size, su);
	if (su != sw && size % sw == 0)
		size -= su;
	return size;
}

static struct geometry geometry_of(const struct xfs_input *in)
{
	struct geometry g = { .blocks = in->bytes / BLOCK };
	uint64_t su = in->io_min / BLOCK, sw = in->io_opt / BLOCK, last;

	if (!su || !sw || in->bytes < GIB)
		su = sw = 0;
	g.agsize = agsize_of(g.blocks, su, sw);
	g.groups = div_up(g.blocks, g.agsize);
	last = g.blocks % g.agsize;
	if (last && last < AG_MIN) {
		g.blocks -= last;
		g.groups--;
	}
	g.log = g.blocks / 2048;
	if (g.log < 16384)
		g.log = 16384;
	if (g.log > 521728)
		g.log = 521728;
	if (su)
		g.log = round_up(g.log, su * BLOCK > 256 * KIB ? 8 : su);
	return g;
}

int xfs_size(const struct xfs_input *in, struct fs_size *out, struct err *e)
{
	uint32_t inode = in->inode ? in->inode : 512, chunk = 64 * inode / BLOCK;
	uint32_t sector = in->sector ? in->sector : 512;
	uint64_t hidden = 0, total, avail, b, i, set_aside;
	struct geometry g;

	if (in->bytes < MIN_BYTES)
		return err_set(e, ERR_USAGE,
			       "xfs: needs at least 300 MB, the device has %llu bytes",
			       (unsigned long long)in->bytes);
	g = geometry_of(in);
	for (i = 0; i < g.groups; i++) {
		b = i + 1 < g.groups ? g.agsize : g.blocks - i * g.agsize;
		if (i == g.groups / 2)
			b -= g.log;
		hidden += tree_blocks(168, 252, b) + tree_blocks(126, 252, b / chunk) - 2;
	}
	total = g.blocks - g.log;
	set_aside = g.blocks / 20 < 8192 ? g.blocks / 20 : 8192;
	/* Four header sectors a group: within its first block, or one block each. */
	avail = total - (6 + (sector == 4096 ? 3 : 0)) * g.groups - chunk - hidden - set_aside -
		8 * g.groups;
	*out = (struct fs_size){ .total = total * BLOCK, .free = avail * BLOCK,
				 .avail = avail * BLOCK, .known = true,
				 .estimate = sector != 512 || inode != 512 };
	return 0;
}
