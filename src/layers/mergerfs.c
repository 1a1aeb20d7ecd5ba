/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mergerfs - file systems of any kind shown as one folder.
 *
 * Each file lies whole on one branch, so a branch that dies takes its files and no
 * others. Sizes are plain sums (mergerfs 2.33, statfs counts every branch once).
 */
#include <inttypes.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "base/units.h"
#include "layers/layers.h"
#include "layout/mount.h"
#include "layout/plan.h"
#include "layout/stack.h"

static const struct option mergerfs_options[] = {
	{ .name = "create", .type = OPTION_WORD, .def = "mfs",
	  .words = "mfs lfs lus ff rand pfrd newest epmfs eplfs eplus epff eppfrd eprand mspmfs msplfs msplus "
		   "msppfrd",
	  .help = "which branch takes a new file: mfs the one with most free space, lfs with least, "
		  "ff the first; ep... only branches that have the folder" },
	{ .name = "minfreespace", .type = OPTION_SIZE, .min = 0, .max = 16 * TIB,
	  .help = "a branch with less free takes no new files; without it 4G, or a twentieth of the "
		  "smallest branch when that is less" },
	OPTION_BOOT,
	{ .name = NULL }
};

static uint64_t min_free(const struct node *n)
{
	uint64_t least = 4 * GIB;
	unsigned i;

	if (node_word(n, "minfreespace"))
		return node_size(n, "minfreespace");
	for (i = 0; i < n->n_kids; i++) {
		if (n->kids[i]->fs.total / 20 < least)
			least = n->kids[i]->fs.total / 20;
	}
	return round_down(least, MIB);
}

static int mergerfs_size(struct stack *s, struct node *n, struct err *e)
{
	struct split *shares = arena_array(s->arena, n->n_kids, sizeof(*shares));
	unsigned i;

	(void)e;
	n->fs = (struct fs_size){ .known = true };
	for (i = 0; i < n->n_kids; i++) {
		struct node *kid = n->kids[i];

		n->bytes += kid->bytes;
		n->data_bytes += kid->data_bytes;
		n->fs.total += kid->fs.total;
		n->fs.free += kid->fs.free;
		n->fs.avail += kid->fs.avail;
		n->fs.known &= kid->fs.known;
		n->fs.estimate |= kid->fs.estimate;
		/* a branch is no top any more: what it made of its bytes is carried from here */
		shares[i] = kid->split;
		if (split_sum(&shares[i]) != kid->bytes)
			shares[i] = (struct split){ .usable = kid->bytes };
		kid->split = (struct split){ 0 };
		n->split.usable += shares[i].usable;
		n->split.redundancy += shares[i].redundancy;
		n->split.overhead += shares[i].overhead;
		n->split.unused += shares[i].unused;
	}
	n->priv = shares;
	if (n->n_kids > 1)
		n->note = "a branch that is lost takes the files on it, and no others";
	node_fact_u64(s, n, "minfreespace", min_free(n));
	return 0;
}

static void mergerfs_account(const struct node *n, const struct split *mine, struct split *kids)
{
	const struct split *shares = n->priv;
	unsigned i;

	(void)mine;
	for (i = 0; i < n->n_kids; i++)
		kids[i] = shares[i];
}

static int mergerfs_plan(const struct node *n, struct plan *p, struct err *e)
{
	struct sbuf branches = { 0 };
	const char *options;
	struct step *s;
	unsigned i;

	(void)e;
	plan_mount_point(p, n);
	for (i = 0; i < n->n_kids; i++) {
		if (i)
			sbuf_addc(&branches, ':');
		sbuf_add(&branches, n->kids[i]->dir);
	}
	s = plan_step(p, "mergerfs", "show %u branch%s as one folder, %s", n->n_kids,
		      n->n_kids == 1 ? "" : "es", n->dir);
	options = arena_printf(p->arena, "allow_other,category.create=%s,minfreespace=%" PRIu64
			       ",fsname=%s", node_word(n, "create"), min_free(n), p->stack->name);
	step_args(p, s, "mergerfs", "-o", options, sbuf_str(&branches), n->dir, NULL);
	step_makes(p, s, n->dir, 0);
	s->again = true;
	step_undo(p, s, "umount", n->dir, NULL);
	plan_mount_unit(p, n, sbuf_str(&branches), "fuse.mergerfs", options);
	sbuf_done(&branches);
	return 0;
}

static int mergerfs_status(const struct node *n, const char *root, struct arena *a,
			   struct live *out, struct err *e)
{
	(void)e;
	return mount_status(n, "fuse.mergerfs", root, a, out);
}

static const char *const mergerfs_tools[] = { "mergerfs", NULL };
static const char *const mergerfs_packages[] = { "mergerfs", NULL };

const struct layer layer_mergerfs = {
	.name = "mergerfs", .title = "Branches as one folder (mergerfs)",
	.about = "Shows several file systems as one; each file lies whole on one of them. A file is "
		 "never larger than the free space of one branch, and a lost branch takes only its files.",
	.kind = LAYER_JOIN, .takes = THING_DIR, .gives = THING_DIR,
	.tools = mergerfs_tools, .packages = mergerfs_packages, .kernel_fs = "fuse",
	.options = mergerfs_options, .size = mergerfs_size, .account = mergerfs_account,
	.plan = mergerfs_plan, .status = mergerfs_status,
};
