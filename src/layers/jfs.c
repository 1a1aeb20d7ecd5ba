/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jfs - the file system as a layer, and what it leaves for data (jfsutils 1.1.15).
 * tests/data/capacity/fs.tsv has what was measured.
 */
#include "layers/jfs.h"

#include "base/err.h"
#include "base/units.h"
#include "layers/layers.h"
#include "layout/mount.h"
#include "layout/plan.h"
#include "layout/stack.h"

#define BLOCK 4096u

int jfs_size(uint64_t device_bytes, struct fs_size *out, struct err *e)
{
	uint64_t bytes = round_down(device_bytes, BLOCK), log, fixed, maps, used;

	if (bytes < 16 * MIB)
		return err_set(e, ERR_USAGE,
			       "needs at least 16 MiB, the device has %llu bytes: no file system here takes "
			       "less",
			       (unsigned long long)device_bytes);
	log = round_up(div_up(bytes, 256), MIB);
	if (log > 128 * MIB)
		log = 128 * MIB;
	/* fsck's workspace: a page to 32768 blocks before the log, and 50; one block more */
	fixed = 51 + div_up((bytes - log) / BLOCK, 32768);
	*out = (struct fs_size){ .total = bytes - log - fixed * BLOCK, .known = true,
				 .estimate = true };
	/* One page of map to 8192 blocks, one of summary to 1024 of those, and a few. */
	maps = div_up(out->total / BLOCK, 8192);
	used = maps + div_up(maps, 1024) + 32;
	out->free = out->avail = out->total - used * BLOCK;
	return 0;
}

/* --- the layer */

static const struct option jfs_options[] = {
	{ .name = "mount", .type = OPTION_MOUNT, .help = "mount options, like noatime" },
	OPTION_BOOT,
	{ .name = NULL }
};

static const struct mount_word jfs_words[] = {
	{ .name = "integrity" }, { .name = "nointegrity" },
	{ .name = "errors", .kind = MOUNT_WORD, .words = "continue remount-ro panic" },
	{ .name = "discard" }, { .name = "nodiscard" },
	{ .name = NULL }
};

static int jfs_check(const struct stmt *st, struct err *e)
{
	return mount_check(st, jfs_words, e);
}

static int jfs_node_size(struct stack *s, struct node *n, struct err *e)
{
	const struct node *kid = n->kids[0];

	(void)s;
	if (kid->lsec > 512)
		return err_set(e, ERR_USAGE, "jfs needs 512-byte sectors, %s has %u; ext4, xfs and btrfs take "
			       "both", kid->name, kid->lsec);
	n->bytes = n->data_bytes = kid->bytes;
	return jfs_size(n->bytes, &n->fs, e) ? err_in(e, "%s", kid->name) : 0;
}

static int jfs_plan(const struct node *n, struct plan *p, struct err *e)
{
	const char *dev = n->kids[0]->dev;
	struct step *s = plan_step(p, "jfs", "make a jfs file system on %s", n->kids[0]->name);

	(void)e;
	step_args(p, s, "mkfs.jfs", "-q", dev, NULL);
	step_writes(p, s, n->kids[0]);
	step_undo(p, s, "wipefs", "--all", "--force", "--quiet", dev, NULL);
	plan_mount(p, n, "jfs", dev, node_word(n, "mount"));
	return 0;
}

static int jfs_status(const struct node *n, const char *root, struct arena *a, struct live *out,
		      struct err *e)
{
	(void)e;
	return mount_status(n, "jfs", root, a, out);
}

static const char *const jfs_tools[] = { "mkfs.jfs", NULL };
static const char *const jfs_packages[] = { "jfsutils", NULL };

const struct layer layer_jfs = {
	.name = "jfs", .title = "JFS file system",
	.about = "Light on the processor, which small NAS boards like. Few kernels still have it and "
		 "nobody develops it further.",
	.kind = LAYER_MAP, .takes = THING_BLOCK, .gives = THING_DIR,
	.tools = jfs_tools, .packages = jfs_packages, .kernel_fs = "jfs",
	.signature = "jfs",
	.options = jfs_options, .check = jfs_check, .size = jfs_node_size,
	.plan = jfs_plan, .status = jfs_status,
};
