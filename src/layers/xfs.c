/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs - the file system as a layer, and what it leaves for data.
 *
 * The sizes follow mkfs/xfs_mkfs.c, libxfs/topology.c and the reservations that the
 * kernel makes at mount for the reference count and free inode trees (xfsprogs 6.1);
 * tests/data/capacity/xfs.tsv has what was measured.
 */
#include "layers/xfs.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/units.h"
#include "layers/layers.h"
#include "layout/mount.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"

#define BLOCK 4096u
#define MIN_BYTES (300 * MIB)		/* mkfs.xfs 5.19 and later call it 300 MB and refuse less */
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

	if (!su || !sw || (in->bytes < GIB && !in->said))
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
			       "needs at least 300 MiB, the device has %llu bytes; ext4 takes 64 MiB",
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

/* --- the layer */

static const struct option xfs_options[] = {
	{ .name = "sector", .type = OPTION_WORD, .words = "512 4096",
	  .help = "sector of the file system; without it that of the device. 4096 can be moved to a "
		  "disk with 4096-byte sectors later" },
	{ .name = "inode", .type = OPTION_WORD, .words = "512 1024 2048", .def = "512",
	  .help = "bytes of an inode; larger ones hold more extended attributes" },
	OPTION_SU, OPTION_SW,
	{ .name = "mount", .type = OPTION_MOUNT,
	  .help = "mount options, like noatime,logbsize=256k" },
	OPTION_BOOT,
	{ .name = NULL }
};

static const struct mount_word xfs_words[] = {
	{ .name = "logbufs", .kind = MOUNT_NUMBER, .min = 2, .max = 8 },
	{ .name = "logbsize", .kind = MOUNT_SIZE, .min = 16 * KIB, .max = 256 * KIB },
	{ .name = "allocsize", .kind = MOUNT_SIZE, .min = 4 * KIB, .max = GIB },
	{ .name = "inode64" }, { .name = "inode32" },
	{ .name = "largeio" }, { .name = "nolargeio" }, { .name = "swalloc" },
	{ .name = "filestreams" }, { .name = "wsync" }, { .name = "noquota" },
	{ .name = "discard" }, { .name = "nodiscard" },
	{ .name = NULL }
};

static int xfs_check(const struct stmt *st, struct err *e)
{
	return stripe_check(st, e) ? -1 : mount_check(st, xfs_words, e);
}

/* Is the stripe said, by the recipe or by what hides it, rather than read from the queue? */
static bool stripe_is_said(const struct node *n)
{
	return node_size(n, "su") || n->kids[0]->stripe_set;
}

/*
 * The sector is always said. mkfs would take the physical one, 4096 on most disks; the
 * logical one is what was measured, and what makes the same file system everywhere.
 */
static struct xfs_input input_of(const struct node *n)
{
	const struct node *kid = n->kids[0];
	const char *sector = node_word(n, "sector");
	uint32_t su = (uint32_t)node_size(n, "su");
	uint32_t unit = kid->stripe_set ? kid->stripe_unit : kid->io_min;
	uint32_t width = kid->stripe_set ? kid->stripe_width : kid->io_opt;

	/* a stripe of one sector is none (mkfs.xfs 6.1, libxfs/topology.c) */
	if (unit == kid->psec || width == kid->psec)
		unit = width = 0;
	return (struct xfs_input){
		.bytes = kid->bytes,
		.io_min = su ? su : unit,
		.io_opt = su ? su * (uint32_t)node_count(n, "sw") : width,
		.said = stripe_is_said(n),
		.sector = sector ? (uint32_t)strtoul(sector, NULL, 10) : kid->lsec,
		.inode = (uint32_t)node_count(n, "inode"),
	};
}

static int xfs_node_size(struct stack *s, struct node *n, struct err *e)
{
	struct xfs_input in = input_of(n);

	(void)s;
	if (in.sector < n->kids[0]->lsec)
		return err_set(e, ERR_USAGE, "sector=%u is less than the %u of %s; without sector= it "
			       "is right", in.sector, n->kids[0]->lsec, n->kids[0]->name);
	n->bytes = n->data_bytes = in.bytes;
	return xfs_size(&in, &n->fs, e) ? err_in(e, "%s", n->kids[0]->name) : 0;
}

static int xfs_plan(const struct node *n, struct plan *p, struct err *e)
{
	struct xfs_input in = input_of(n);
	const char *dev = n->kids[0]->dev;
	struct step *s = plan_step(p, "xfs", "make an xfs file system on %s", n->kids[0]->name);

	(void)e;
	step_args(p, s, "mkfs.xfs", "-q", "-f", "-K", "-b", "size=4096", "-s", NULL);
	step_argf(p, s, "size=%u", in.sector);
	step_args(p, s, "-i", NULL);
	step_argf(p, s, "size=%u", in.inode);
	if (stripe_is_said(n) && in.io_opt) {
		step_args(p, s, "-d", NULL);
		step_argf(p, s, "su=%uk,sw=%u", in.io_min / 1024, in.io_opt / in.io_min);
	} else if (stripe_is_said(n)) {
		step_args(p, s, "-d", "noalign", NULL);
	}
	step_args(p, s, "-m", "crc=1,finobt=1,reflink=1,rmapbt=0", dev, NULL);
	step_writes(p, s, n->kids[0]);
	step_undo(p, s, "wipefs", "--all", "--force", "--quiet", dev, NULL);
	plan_mount(p, n, "xfs", dev, node_word(n, "mount"));
	return 0;
}

static int xfs_status(const struct node *n, const char *root, struct arena *a, struct live *out,
		      struct err *e)
{
	(void)e;
	return mount_status(n, "xfs", root, a, out);
}

static const char *const xfs_tools[] = { "mkfs.xfs", NULL };
static const char *const xfs_packages[] = { "xfsprogs", NULL };

const struct layer layer_xfs = {
	.name = "xfs", .title = "XFS file system",
	.about = "Made for large files and many of them at once; lays itself out along the stripes of "
		 "an array. It grows but never shrinks, and needs 300 MiB.",
	.kind = LAYER_MAP, .takes = THING_BLOCK, .gives = THING_DIR,
	.tools = xfs_tools, .packages = xfs_packages, .kernel_fs = "xfs",
	.signature = "xfs",
	.options = xfs_options, .check = xfs_check, .size = xfs_node_size,
	.plan = xfs_plan, .status = xfs_status,
};
