/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvm-plan - the commands that make a volume group and its volume. */
#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "layers/lvm.h"
#include "layout/plan.h"

static void add_kids(struct plan *p, struct step *st, const struct node *n)
{
	unsigned i;

	for (i = 0; i < n->n_kids; i++) {
		step_args(p, st, n->kids[i]->dev, NULL);
		step_writes(p, st, n->kids[i]);
	}
}

static void make_group(const struct node *n, struct plan *p)
{
	const struct lvm_priv *priv = n->priv;
	struct argv *undo;
	struct step *st;
	unsigned i;

	st = plan_step(p, "lvm", "make %u physical volume%s", n->n_kids, n->n_kids == 1 ? "" : "s");
	step_args(p, st, "pvcreate", "--yes", "--force", "--force", NULL);
	add_kids(p, st, n);
	undo = step_undo_argv(p, st);
	argv_addl(p->arena, undo, "pvremove", "--yes", "--force", "--force", NULL);
	for (i = 0; i < n->n_kids; i++)
		argv_add(p->arena, undo, n->kids[i]->dev);

	st = plan_step(p, "lvm", "join them into the volume group %s", priv->vg);
	step_args(p, st, "vgcreate", "--yes", "--physicalextentsize", "4m", priv->vg, NULL);
	add_kids(p, st, n);
	step_undo(p, st, "vgremove", "--yes", "--force", priv->vg, NULL);
}

static struct step *lvcreate(const struct node *n, struct plan *p)
{
	const struct lvm_priv *priv = n->priv;
	struct step *st = plan_step(p, "lvm", "make the %s logical volume %s/%s",
				    priv->pool_extents ? "thin" : n->level, priv->vg, n->name);

	step_args(p, st, "lvcreate", "--yes", "--wipesignatures", "n", NULL);
	step_writes(p, st, n);
	step_makes(p, st, n->dev, n->bytes);
	step_undo(p, st, "lvremove", "--yes", "--force",
		  arena_printf(p->arena, "%s/%s", priv->vg, n->name), NULL);
	return st;
}

static void raid_words(const struct node *n, struct plan *p, struct step *st)
{
	const struct lvm_priv *priv = n->priv;
	const struct lvm_level *l = priv->level;

	step_argf(p, st, "--extents=%" PRIu64, (uint64_t)(n->bytes / LVM_EXTENT));
	if (l->mirror)
		step_argf(p, st, "--mirrors=%u", n->n_kids - 1);
	if (l->pairs)
		step_args(p, st, "--mirrors=1", NULL);
}

/*
 * In a step of its own, after one that has used the volume. lvcreate --raidintegrity=y
 * loads the array a second time at once, and kernels before 6.8 then wait for ever when
 * that meets the start of the first sync (raid_dtr for mdX_resync, that for the end of the
 * suspension; seen in 6.1). A sync that has begun is stopped first, as it should be.
 */
static void add_integrity(const struct node *n, struct plan *p)
{
	const struct lvm_priv *priv = n->priv;
	struct step *st = plan_step(p, "lvm", "add checksums to the members of %s/%s", priv->vg, n->name);

	/* of device sectors: what lies on top keeps the sector it was planned with */
	step_args(p, st, "lvconvert", "--yes", "--raidintegrity=y", NULL);
	step_argf(p, st, "--raidintegrityblocksize=%u", n->lsec);
	step_argf(p, st, "--raidintegritymode=%s", node_word(n, "integritymode"));
	step_argf(p, st, "%s/%s", priv->vg, n->name);
	step_writes(p, st, n);
	step_makes(p, st, n->dev, n->bytes);
}

static void make_thin(const struct node *n, struct plan *p)
{
	const struct lvm_priv *priv = n->priv;
	const char *pool = arena_printf(p->arena, "%s/%s-pool", priv->vg, n->name);
	struct step *st;

	st = plan_step(p, "lvm", "make the thin pool %s", pool);
	/* A chunk is zeroed whole before its first byte is written: with 32 MiB mkfs.ext4 over
	 * 40 TB would write 600 GB of zeroes. lvm too advises against it from 512 KiB on; the one
	 * file system here shows nobody what it has not written. */
	step_args(p, st, "lvcreate", "--yes", "--type=thin-pool", NULL);
	step_argf(p, st, "--zero=%c", priv->pool_chunk < 512 * KIB ? 'y' : 'n');
	step_argf(p, st, "--extents=%" PRIu64, priv->pool_extents);
	step_argf(p, st, "--chunksize=%" PRIu64 "k", priv->pool_chunk / 1024);
	step_argf(p, st, "--poolmetadatasize=%" PRIu64 "m", priv->pool_meta >> 20);
	step_argf(p, st, "--name=%s-pool", n->name);
	step_args(p, st, priv->vg, NULL);
	step_writes(p, st, n);
	step_undo(p, st, "lvremove", "--yes", "--force", pool, NULL);

	st = lvcreate(n, p);
	step_argf(p, st, "--virtualsize=%" PRIu64 "b", n->bytes);
	step_argf(p, st, "--thinpool=%s", pool);
	step_args(p, st, "--name", n->name, NULL);
}

int lvm_plan(const struct node *n, struct plan *p, struct err *e)
{
	const struct lvm_priv *priv = n->priv;
	const struct lvm_level *l = priv->level;
	struct step *st;

	(void)e;
	make_group(n, p);
	if (priv->pool_extents) {
		make_thin(n, p);
	} else {
		st = lvcreate(n, p);
		if (!l->raid)
			step_args(p, st, "--zero", "n", "--extents", "100%FREE", NULL);
		step_argf(p, st, "--type=%s", n->level);
		if (l->raid)
			raid_words(n, p, st);
		if (l->striped) {
			step_argf(p, st, "--stripes=%u", priv->stripes ? priv->stripes :
				  l->pairs ? n->n_kids / 2 : n->n_kids - l->parity);
			step_argf(p, st, "--stripesize=%" PRIu64 "k", n->chunk / 1024);
		}
		step_args(p, st, "--name", n->name, priv->vg, NULL);
	}
	plan_wipe(p, "lvm", n->dev, n);
	if (priv->integrity)
		add_integrity(n, p);
	return 0;
}
