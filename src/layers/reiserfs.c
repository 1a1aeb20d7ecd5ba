/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reiserfs - ReiserFS 3.6 as a layer, and what it leaves for data (reiserfsprogs 3.6.27).
 * tests/data/capacity/fs.tsv has what was measured.
 */
#include "layers/reiserfs.h"

#include "base/err.h"
#include "base/units.h"
#include "layers/layers.h"
#include "layout/mount.h"
#include "layout/plan.h"
#include "layout/stack.h"

#define BLOCK 4096u

enum { JOURNAL_BLOCKS = 8193 };

int reiserfs_size(uint64_t device_bytes, struct fs_size *out, struct err *e)
{
	uint64_t bytes = round_down(device_bytes, 64 * KIB), blocks = bytes / BLOCK;
	uint64_t maps = div_up(blocks, 32768);

	if (bytes < 64 * MIB)
		return err_set(e, ERR_USAGE, "needs 64 MiB beside its journal, the device has %llu bytes; "
			       "jfs takes 16 MiB",
			       (unsigned long long)device_bytes);
	if (bytes > 16 * TIB - 64 * KIB)
		return err_set(e, ERR_USAGE, "ends at 16 TiB, the device has %llu bytes; xfs and btrfs go on",
			       (unsigned long long)device_bytes);
	/* a bitmap block for every 32768, and the superblock */
	*out = (struct fs_size){ .total = bytes - (maps + 1) * BLOCK, .known = true };
	/* the journal and its header, what lies before the superblock, and the root of the tree */
	out->free = out->avail = out->total - (JOURNAL_BLOCKS + 17) * BLOCK;
	/* their number has 16 bits in the superblock; 0 stands for more, and statfs takes off 0 */
	if (maps > UINT16_MAX)
		out->total += maps * BLOCK;
	return 0;
}

/* --- the layer */

static const struct option reiserfs_options[] = {
	{ .name = "mount", .type = OPTION_MOUNT, .help = "mount options, like noatime,notail" },
	OPTION_BOOT,
	{ .name = NULL }
};

static const struct mount_word reiserfs_words[] = {
	{ .name = "notail" },
	{ .name = "data", .kind = MOUNT_WORD, .words = "ordered journal writeback" },
	{ .name = "barrier", .kind = MOUNT_WORD, .words = "none flush" },
	{ .name = NULL }
};

static int reiserfs_check(const struct stmt *st, struct err *e)
{
	return mount_check(st, reiserfs_words, e);
}

static int reiserfs_node_size(struct stack *s, struct node *n, struct err *e)
{
	(void)s;
	n->bytes = n->data_bytes = n->kids[0]->bytes;
	return reiserfs_size(n->bytes, &n->fs, e);
}

static int reiserfs_plan(const struct node *n, struct plan *p, struct err *e)
{
	const char *dev = n->kids[0]->dev;
	struct step *s = plan_step(p, "reiserfs", "make a reiserfs file system on %s", n->kids[0]->name);

	(void)e;
	step_args(p, s, "mkfs.reiserfs", "-q", "-f", "-f", "--format", "3.6", "--block-size", "4096",
		  "--journal-size", NULL);
	step_argf(p, s, "%d", JOURNAL_BLOCKS);
	step_args(p, s, dev, NULL);
	step_writes(p, s, n->kids[0]);
	step_undo(p, s, "wipefs", "--all", "--force", "--quiet", dev, NULL);
	plan_mount(p, n, "reiserfs", dev, node_word(n, "mount"));
	return 0;
}

static int reiserfs_status(const struct node *n, const char *root, struct arena *a,
			   struct live *out, struct err *e)
{
	(void)e;
	return mount_status(n, "reiserfs", root, a, out);
}

static const char *const reiserfs_tools[] = { "mkfs.reiserfs", NULL };
static const char *const reiserfs_packages[] = { "reiserfsprogs", NULL };

const struct layer layer_reiserfs = {
	.name = "reiserfs", .title = "ReiserFS 3 file system",
	.about = "Packs small files tightly. Kernels are dropping it and nobody develops it further: for "
		 "comparison, not for new data.",
	.kind = LAYER_MAP, .takes = THING_BLOCK, .gives = THING_DIR,
	.tools = reiserfs_tools, .packages = reiserfs_packages, .kernel_fs = "reiserfs",
	.signature = "reiserfs", .options = reiserfs_options, .check = reiserfs_check,
	.size = reiserfs_node_size, .plan = reiserfs_plan, .status = reiserfs_status,
};
