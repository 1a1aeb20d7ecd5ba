/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zfs - a pool of one or several vdevs with one file system on it.
 *
 * Planned everywhere, built where zpool is installed. How much fits depends on the size of
 * records and on the version, so every size here is a good guess and marked as one.
 */
#include "layers/zfs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "disk/disk.h"
#include "layers/layers.h"
#include "layout/mount.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"

enum { RECORD = 128 * 1024 };

static const struct zfs_type {
	const char *name;
	unsigned min, parity;
	bool mirror;
	const char *instead;		/* what takes fewer */
} types[] = {
	{ "stripe", 1, 0, false, NULL },
	{ "mirror", 2, 0, true, "type=stripe takes 1, and zpool attach makes it a mirror later" },
	{ "raidz1", 2, 1, false, "type=stripe takes 1, and zpool attach makes it a mirror later" },
	{ "raidz2", 3, 2, false, "type=mirror takes 2" },
	{ "raidz3", 4, 3, false, "type=mirror takes 3 and lets two of them fail" },
};

struct zfs_priv {
	const struct zfs_type *type;
	unsigned width;			/* members of a vdev */
	uint64_t *used;			/* of each kid: what the smallest of its vdev has */
};

uint64_t zfs_vdev_data(uint64_t member_bytes, unsigned members, unsigned parity,
		       unsigned ashift)
{
	uint64_t sector = 1ull << ashift, data = RECORD / sector, stored;
	uint64_t labels = 4 * MIB + 512 * KIB, all;

	if (member_bytes <= labels)
		return 0;
	all = round_down(member_bytes - labels, 256 * KIB) * members;
	if (!parity)
		return all;
	/* whole sectors of parity for every row, padded so that no gap is too small to use */
	stored = round_up(data + div_up(data, members - parity) * parity, parity + 1);
	return (uint64_t)((unsigned __int128)all * data / stored);
}

uint64_t zfs_slop(uint64_t pool_bytes)
{
	uint64_t slop = pool_bytes / 32;

	if (slop < 128 * MIB)
		slop = 128 * MIB;
	if (slop > 128 * GIB)
		slop = 128 * GIB;
	return slop < pool_bytes / 2 ? slop : pool_bytes / 2;
}

static const struct option zfs_options[] = {
	{ .name = "type", .type = OPTION_WORD, .words = "stripe mirror raidz1 raidz2 raidz3",
	  .def = "raidz1", .help = "what a vdev is: raidz2 lets two of its members fail" },
	{ .name = "width", .type = OPTION_COUNT, .min = 1, .max = 255,
	  .help = "members of a vdev, several are striped; without it all are in one" },
	{ .name = "compression", .type = OPTION_WORD, .words = "off lz4 zstd gzip", .def = "lz4",
	  .help = "how records are packed" },
	{ .name = "ashift", .type = OPTION_COUNT, .min = 9, .max = 16, .def = "12",
	  .help = "sectors of 2^N bytes: 12 for 4096, which cannot be changed later" },
	{ .name = NULL }
};

static int by_bytes(const void *x, const void *y)
{
	const struct node *a = *(struct node *const *)x, *b = *(struct node *const *)y;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static int check_members(struct node *n, const struct zfs_priv *p, struct err *e)
{
	uint64_t ashift = node_count(n, "ashift");
	unsigned i;

	if (p->width < p->type->min)
		return err_set(e, ERR_USAGE, "%s needs %u devices, has %u; %s", p->type->name, p->type->min,
			       p->width, p->type->instead);
	if (n->n_kids % p->width)
		return err_set(e, ERR_USAGE, "%u devices do not make vdevs of %u; %u more would, and without "
			       "width= all are one vdev", n->n_kids, p->width,
			       p->width - n->n_kids % p->width);
	for (i = 0; i < n->n_kids; i++) {
		const struct node *kid = n->kids[i];

		if (!kid->layer)
			return err_set(e, ERR_USAGE, "would cut whole disks like %s its own way: part | zfs",
				       kid->name);
		if (kid->bytes < 64 * MIB)
			return err_set(e, ERR_USAGE, "%s (%" PRIu64 " bytes) is smaller than the 64 MiB a vdev "
				       "needs; ext4 and jfs take less", kid->name, kid->bytes);
		if (kid->lsec > 1ull << ashift)
			return err_set(e, ERR_USAGE, "ashift=%" PRIu64 " is sectors of %u bytes, and %s has %u; "
				       "ashift=12", ashift, 1u << ashift, kid->name, kid->lsec);
	}
	return 0;
}

static int zfs_size(struct stack *s, struct node *n, struct err *e)
{
	struct zfs_priv *p = arena_alloc(s->arena, sizeof(*p));
	unsigned ashift = (unsigned)node_count(n, "ashift"), i, k;
	uint64_t data = 0, unused = 0, used = 0;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!strcmp(types[i].name, node_word(n, "type")))
			p->type = &types[i];
	}
	n->priv = p;
	p->width = (unsigned)node_count(n, "width");
	if (!p->width)
		p->width = n->n_kids;
	qsort(n->kids, n->n_kids, sizeof(*n->kids), by_bytes);
	if (check_members(n, p, e))
		return -1;
	p->used = arena_array(s->arena, n->n_kids, sizeof(*p->used));
	for (i = 0; i < n->n_kids; i += p->width) {
		for (k = i; k < i + p->width; k++) {
			p->used[k] = n->kids[p->type->min > 1 ? i : k]->bytes;
			if (p->type->min == 1)
				data += zfs_vdev_data(p->used[k], 1, 0, ashift);
			unused += n->kids[k]->bytes - p->used[k];
			used += p->used[k];
		}
		if (p->type->min > 1)
			data += zfs_vdev_data(p->used[i], p->type->mirror ? 1 : p->width, p->type->parity, ashift);
	}
	n->bytes = used + unused;
	n->level = p->type->name;
	n->fs = (struct fs_size){ .total = data - zfs_slop(data), .known = true, .estimate = true };
	n->fs.free = n->fs.avail = n->data_bytes = n->fs.total;
	n->split = (struct split){ .usable = n->data_bytes, .overhead = data - n->data_bytes,
				   .redundancy = used - data, .unused = unused };
	node_fact_u64(s, n, "vdevs", n->n_kids / p->width);
	return 0;
}

static void zfs_account(const struct node *n, const struct split *mine, struct split *kids)
{
	const struct zfs_priv *p = n->priv;
	struct split pool = *mine;
	unsigned i;

	pool.unused = 0;
	for (i = 0; i < n->n_kids; i++) {
		split_take(&pool, p->used[i], &kids[i]);
		kids[i].unused += n->kids[i]->bytes - p->used[i];
	}
}

/* One vdev that is lost takes the pool with it. */
static enum health zfs_health(const struct node *n, const enum health *kids)
{
	const struct zfs_priv *p = n->priv;
	unsigned bears = p->type->mirror ? p->width - 1 : p->type->parity, i, k;
	bool degraded = false;

	for (i = 0; i < n->n_kids; i += p->width) {
		unsigned lost = 0;

		for (k = i; k < i + p->width; k++) {
			lost += kids[k] == HEALTH_LOST;
			degraded |= kids[k] != HEALTH_OK;
		}
		if (lost > bears)
			return HEALTH_LOST;
	}
	return degraded ? HEALTH_DEGRADED : HEALTH_OK;
}

static int zfs_plan(const struct node *n, struct plan *p, struct err *e)
{
	const struct zfs_priv *priv = n->priv;
	struct step *st;
	unsigned i;

	(void)e;
	plan_mount_point(p, n);
	st = plan_step(p, "zfs", "make the pool %s of %u %s vdev%s", p->stack->name,
		       n->n_kids / priv->width, n->level, n->n_kids == priv->width ? "" : "s");
	step_args(p, st, "zpool", "create", "-f", "-o", NULL);
	step_argf(p, st, "ashift=%" PRIu64, node_count(n, "ashift"));
	step_args(p, st, "-O", NULL);
	step_argf(p, st, "compression=%s", node_word(n, "compression"));
	step_args(p, st, "-m", "none", p->stack->name, NULL);
	for (i = 0; i < n->n_kids; i++) {
		if (i % priv->width == 0 && priv->type->min > 1)
			step_args(p, st, n->level, NULL);
		step_args(p, st, n->kids[i]->dev, NULL);
		step_writes(p, st, n->kids[i]);
	}
	step_undo(p, st, "zpool", "destroy", "-f", p->stack->name, NULL);
	for (i = 0; i < n->n_kids; i++)
		step_undo(p, st, "wipefs", "--all", "--force", "--quiet", n->kids[i]->dev, NULL);

	/* apart from the pool, so that taking it back waits for the file system alone */
	st = plan_step(p, "zfs", "mount it at %s", n->dir);
	step_args(p, st, "zfs", "set", NULL);
	step_argf(p, st, "mountpoint=%s", n->dir);
	step_args(p, st, p->stack->name, NULL);
	for (i = 0; i < n->n_kids; i++)
		step_writes(p, st, n->kids[i]);
	step_makes(p, st, n->dir, 0);
	step_undo(p, st, "zfs", "set", "mountpoint=none", p->stack->name, NULL);
	return 0;
}

static const char *const zfs_tools[] = { "zpool", "zfs", NULL };
static const char *const zfs_packages[] = { "zfsutils-linux", "zfsutils-linux", NULL };

const struct layer layer_zfs = {
	.name = "zfs", .title = "ZFS pool",
	.about = "Redundancy, checksums and file system in one, from vdevs that each lose no member too "
		 "many. It wants partitions below, and its sizes here are estimates.",
	.kind = LAYER_JOIN, .takes = THING_BLOCK, .gives = THING_DIR,
	.tools = zfs_tools, .packages = zfs_packages, .signature = "zfs_member",
	.options = zfs_options, .size = zfs_size, .account = zfs_account, .health = zfs_health,
	.plan = zfs_plan,
};
