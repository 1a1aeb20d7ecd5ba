/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvm - one volume group and one logical volume over a group of devices.
 *
 * Sizes are counted in extents and asked for as 100%FREE, never as a rounded human size.
 * Rules: lvm2 2.03.16, lib/metadata and tools/lvcreate.c; measured on 333 arrays and bare
 * disks (CAPACITY rules 1.2).
 */
#include "layers/lvm.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "base/units.h"
#include "layers/layers.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"

enum { MOST_STRIPES = 128 };

struct lvm_priv {
	const char *vg;
	uint64_t *extents;		/* used of each kid */
};

uint64_t lvm_pe_start(uint32_t io_opt)
{
	return round_up(MIB, io_opt ? io_opt : 1);
}

uint64_t lvm_extents(uint64_t pv_bytes, uint32_t io_opt)
{
	uint64_t start = lvm_pe_start(io_opt);

	return pv_bytes > start ? (pv_bytes - start) / LVM_EXTENT : 0;
}

static const struct option lvm_options[] = {
	{ .name = "type", .type = OPTION_WORD, .words = "linear striped", .def = "linear",
	  .help = "linear: one device after the other, all space used; striped: over all of them, "
		  "as much of each as the smallest has" },
	{ .name = "stripe", .type = OPTION_SIZE, .min = 4096, .max = 64 * MIB, .def = "64K",
	  .help = "striped: how much goes to one device before the next, a power of two" },
	{ .name = NULL }
};

static int lvm_check(const struct stmt *st, struct err *e)
{
	const char *type = stmt_value(st, "type");
	const char *stripe = stmt_value(st, "stripe");
	uint64_t bytes = 0;

	if (stripe && (!type || strcmp(type, "striped")))
		return err_set(e, ERR_USAGE, "stripe= is for type=striped");
	if (stripe && size_parse(stripe, &bytes, e))
		return -1;
	if (stripe && (bytes & (bytes - 1)))
		return err_set(e, ERR_USAGE, "stripe is a power of two, like 64K; not %s", stripe);
	return 0;
}

/* vgcreate refuses them, after the disks were wiped: so it is said here. */
static int lvm_sectors(const struct node *n, struct err *e)
{
	unsigned i;

	for (i = 1; i < n->n_kids; i++) {
		if (n->kids[i]->lsec != n->kids[0]->lsec)
			return err_set(e, ERR_USAGE, "%s has %u-byte sectors and %s has %u: one volume group does "
				       "not take both; btrfs over the slices does", n->kids[0]->name,
				       n->kids[0]->lsec, n->kids[i]->name, n->kids[i]->lsec);
	}
	return 0;
}

static int lvm_size(struct stack *s, struct node *n, struct err *e)
{
	struct lvm_priv *priv = arena_alloc(s->arena, sizeof(*priv));
	uint64_t *extents = arena_array(s->arena, n->n_kids, sizeof(*extents));
	bool striped = !strcmp(node_word(n, "type"), "striped");
	uint64_t sum = 0, least = UINT64_MAX;
	unsigned i;

	if (lvm_sectors(n, e))
		return -1;
	for (i = 0; i < n->n_kids; i++) {
		extents[i] = lvm_extents(n->kids[i]->bytes, n->kids[i]->io_opt);
		if (!extents[i])
			return err_set(e, ERR_USAGE, "%s (%" PRIu64 " bytes) has no room for one 4 MiB extent",
				       n->kids[i]->name, n->kids[i]->bytes);
		sum += extents[i];
		if (extents[i] < least)
			least = extents[i];
	}
	if (striped && n->n_kids > MOST_STRIPES)
		return err_set(e, ERR_USAGE, "LVM stripes over up to %d devices, not %u", MOST_STRIPES,
			       n->n_kids);
	if (striped && n->n_kids < 2)
		return err_set(e, ERR_USAGE, "type=striped needs 2 devices, has 1");
	for (i = 0; striped && i < n->n_kids; i++)
		extents[i] = least;
	n->bytes = (striped ? least * n->n_kids : sum) * LVM_EXTENT;
	if (striped) {
		uint32_t stripe = (uint32_t)node_size(n, "stripe");

		n->chunk = stripe;
		if (n->io_min < stripe)
			n->io_min = stripe;
		n->io_opt = stripe * n->n_kids;
	}
	n->level = node_word(n, "type");
	n->name = stack_label(s, n);
	/* one volume group a build; a group of devices each where a recipe has several */
	priv->vg = s->n_groups > 1 ? arena_printf(s->arena, "%s-%s", s->name, n->name) : s->name;
	priv->extents = extents;
	n->priv = priv;
	n->dev = arena_printf(s->arena, "/dev/%s/%s", priv->vg, n->name);
	node_fact_u64(s, n, "extents", n->bytes / LVM_EXTENT);
	return 0;
}

static void lvm_account(const struct node *n, const struct split *mine, struct split *kids)
{
	const uint64_t *extents = ((const struct lvm_priv *)n->priv)->extents;
	struct split pool = *mine;
	unsigned i;

	for (i = 0; i < n->n_kids; i++) {
		const struct node *kid = n->kids[i];
		uint64_t used = extents[i] * LVM_EXTENT;
		uint64_t all = lvm_extents(kid->bytes, kid->io_opt) * LVM_EXTENT;

		split_take(&pool, used, &kids[i]);
		kids[i].unused += all - used;
		kids[i].overhead += kid->bytes - all;
	}
}

static int lvm_plan(const struct node *n, struct plan *p, struct err *e)
{
	const struct lvm_priv *priv = n->priv;
	const char *vg = priv->vg;
	struct argv *undo;
	struct step *st;
	unsigned i;

	(void)e;
	st = plan_step(p, "lvm", "make %u physical volume%s", n->n_kids, n->n_kids == 1 ? "" : "s");
	step_args(p, st, "pvcreate", "--yes", "--force", "--force", NULL);
	for (i = 0; i < n->n_kids; i++) {
		step_args(p, st, n->kids[i]->dev, NULL);
		step_writes(p, st, n->kids[i]);
	}
	undo = step_undo_argv(p, st);
	argv_addl(p->arena, undo, "pvremove", "--yes", "--force", "--force", NULL);
	for (i = 0; i < n->n_kids; i++)
		argv_add(p->arena, undo, n->kids[i]->dev);

	st = plan_step(p, "lvm", "join them into the volume group %s", vg);
	step_args(p, st, "vgcreate", "--yes", "--physicalextentsize", "4m", vg, NULL);
	for (i = 0; i < n->n_kids; i++) {
		step_args(p, st, n->kids[i]->dev, NULL);
		step_writes(p, st, n->kids[i]);
	}
	step_undo(p, st, "vgremove", "--yes", "--force", vg, NULL);

	st = plan_step(p, "lvm", "make the %s logical volume %s/%s", n->level, vg, n->name);
	step_args(p, st, "lvcreate", "--yes", "--wipesignatures", "n", "--zero", "n",
		  "--extents", "100%FREE", NULL);
	step_argf(p, st, "--type=%s", n->level);
	if (n->chunk) {
		step_argf(p, st, "--stripes=%u", n->n_kids);
		step_argf(p, st, "--stripesize=%" PRIu64 "k", n->chunk / 1024);
	}
	step_args(p, st, "--name", n->name, vg, NULL);
	step_writes(p, st, n);
	step_makes(p, st, n->dev, n->bytes);
	step_undo(p, st, "lvremove", "--yes", "--force", arena_printf(p->arena, "%s/%s", vg, n->name), NULL);
	plan_wipe(p, "lvm", n->dev, n);
	return 0;
}

static const char *const lvm_tools[] = { "pvcreate", "vgcreate", "lvcreate", NULL };
static const char *const lvm_packages[] = { "lvm2", "lvm2", "lvm2", NULL };

const struct layer layer_lvm = {
	.name = "lvm", .title = "Logical volume (LVM)",
	.about = "Joins a group of devices into one volume group with one logical volume over all of "
		 "it. Linear uses every extent; the volume is as safe as the weakest device in it.",
	.kind = LAYER_JOIN, .takes = THING_BLOCK, .gives = THING_BLOCK,
	.signature = "LVM2_member", .tools = lvm_tools, .packages = lvm_packages, .options = lvm_options,
	.check = lvm_check, .size = lvm_size, .account = lvm_account, .plan = lvm_plan,
};
