/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs - a file system over a group of devices, equal or not, as a layer. What fits is
 * worked out in btrfs-alloc.c.
 */
#include "layers/btrfs.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"
#include "layers/layers.h"
#include "layout/mount.h"
#include "layout/plan.h"
#include "layout/recipe.h"

#define PROFILES "single dup raid0 raid1 raid1c3 raid1c4 raid10 raid5 raid6"

struct btrfs_priv {
	const struct btrfs_profile *data, *metadata;
	struct split *shares;		/* of each device */
};

static const struct option btrfs_options[] = {
	{ .name = "data", .type = OPTION_WORD, .words = PROFILES, .def = "single",
	  .help = "how data is spread: single on one device or another, raid1 two copies, raid1c3 "
		  "three, raid5 and raid6 with parity" },
	{ .name = "metadata", .type = OPTION_WORD, .words = PROFILES,
	  .help = "the same for metadata; without it dup on one device, else raid1, or as many copies "
		  "as the data survive" },
	{ .name = "nocow", .type = OPTION_FOLDER,
	  .help = "a folder whose files are written in place, for images of virtual machines: no "
		  "checksums in it" },
	{ .name = "mount", .type = OPTION_MOUNT,
	  .help = "mount options, like noatime,compress=zstd:4" },
	OPTION_BOOT,
	{ .name = NULL }
};

static const struct mount_word btrfs_words[] = {
	{ .name = "compress", .kind = MOUNT_LEVEL, .words = "zlib lzo zstd no", .min = 1, .max = 15 },
	{ .name = "compress-force", .kind = MOUNT_LEVEL, .words = "zlib lzo zstd no", .min = 1,
	  .max = 15 },
	{ .name = "datacow" }, { .name = "nodatacow" }, { .name = "datasum" },
	{ .name = "nodatasum" }, { .name = "acl" }, { .name = "noacl" },
	{ .name = "autodefrag" }, { .name = "noautodefrag" },
	{ .name = "barrier" }, { .name = "nobarrier" },
	{ .name = "space_cache", .kind = MOUNT_WORD, .words = "v2" },
	{ .name = "discard", .kind = MOUNT_WORD, .words = "async sync" }, { .name = "nodiscard" },
	{ .name = "commit", .kind = MOUNT_NUMBER, .min = 1, .max = 900 },
	{ .name = "ssd" }, { .name = "nossd" }, { .name = "ssd_spread" },
	{ .name = "flushoncommit" }, { .name = "treelog" }, { .name = "notreelog" },
	{ .name = "thread_pool", .kind = MOUNT_NUMBER, .min = 1, .max = 256 },
	{ .name = "user_subvol_rm_allowed" },
	{ .name = NULL }
};

/* The kernel switches one of them off, whichever comes first (btrfs(5), COMPRESSION). */
static int btrfs_check(const struct stmt *st, struct err *e)
{
	const char *mount = stmt_value(st, "mount");

	if (mount_check(st, btrfs_words, e))
		return -1;
	if (mount && (strstr(mount, "nodatacow") || strstr(mount, "nodatasum")) &&
	    (strstr(mount, "compress=") || strstr(mount, "compress-force=")))
		return err_set(e, ERR_USAGE, "what is compressed has a checksum and is never written in place: "
			       "leave out compress= or %s", strstr(mount, "nodatacow") ? "nodatacow" : "nodatasum");
	return 0;
}

/* Metadata that is lost takes all data with it: by default it survives as much. */
static const char *metadata_for(const struct node *n, const struct btrfs_profile *data)
{
	const char *written = node_word(n, "metadata");

	if (written)
		return written;
	if (n->n_kids == 1)
		return "dup";
	return data->tolerates >= 3 ? "raid1c4" : data->tolerates == 2 ? "raid1c3" : "raid1";
}

static int check_width(const struct node *n, const char *option, const struct btrfs_profile *p,
		       struct err *e)
{
	if (n->n_kids >= p->devs_min)
		return 0;
	return err_set(e, ERR_USAGE, "%s=%s needs %s, has %u; %s", option, p->name, p->needs, n->n_kids,
		       n->n_kids > 2 ? "raid1c3 takes 3" : n->n_kids > 1 ? "raid1 takes 2" :
		       "single and dup take 1");
}

static int btrfs_size(struct stack *s, struct node *n, struct err *e)
{
	struct btrfs_priv *p = arena_alloc(s->arena, sizeof(*p));
	uint64_t *bytes = arena_array(s->arena, n->n_kids, sizeof(*bytes));
	struct btrfs_sizes sizes;
	unsigned i;

	p->data = btrfs_profile_find(node_word(n, "data"));
	p->metadata = btrfs_profile_find(metadata_for(n, p->data));
	p->shares = arena_array(s->arena, n->n_kids, sizeof(*p->shares));
	if (check_width(n, "data", p->data, e) || check_width(n, "metadata", p->metadata, e))
		return -1;
	for (i = 0; i < n->n_kids; i++) {
		bytes[i] = n->kids[i]->bytes;
		n->bytes += bytes[i];
	}
	if (btrfs_sizes(p->data, p->metadata, bytes, n->n_kids, &sizes, p->shares, e) < 0)
		return -1;
	n->fs = sizes.fs;
	n->data_bytes = sizes.data_bytes;
	n->split = sizes.all;
	n->level = p->data->name;
	n->priv = p;
	node_fact_str(s, n, "data", p->data->name);
	node_fact_str(s, n, "metadata", p->metadata->name);
	return 0;
}

static void btrfs_account(const struct node *n, const struct split *mine, struct split *kids)
{
	const struct btrfs_priv *p = n->priv;
	unsigned i;

	(void)mine;
	for (i = 0; i < n->n_kids; i++)
		kids[i] = p->shares[i];
}

/* The weaker of data and metadata decides. */
static enum health btrfs_health(const struct node *n, const enum health *kids)
{
	const struct btrfs_priv *p = n->priv;
	unsigned bears = p->data->tolerates, lost = 0, i;
	enum health worst = HEALTH_OK;

	if (bears > p->metadata->tolerates)
		bears = p->metadata->tolerates;
	for (i = 0; i < n->n_kids; i++) {
		lost += kids[i] == HEALTH_LOST;
		if (kids[i] > worst)
			worst = kids[i];
	}
	if (lost > bears)
		return HEALTH_LOST;
	return worst == HEALTH_OK ? HEALTH_OK : HEALTH_DEGRADED;
}

static void add_devices(struct plan *p, struct argv *v, const struct node *n)
{
	unsigned i;

	for (i = 0; i < n->n_kids; i++)
		argv_add(p->arena, v, n->kids[i]->dev);
}

/* Files get the attribute from their folder, and only while they are empty: so it comes first. */
static void plan_nocow(const struct node *n, struct plan *p, const char *folder)
{
	const char *dir = arena_printf(p->arena, "%s/%s", n->dir, folder);
	struct step *s = plan_step(p, "btrfs", "make the folder %s", folder);

	step_args(p, s, "mkdir", "-p", dir, NULL);
	s = plan_step(p, "btrfs", "what is in %s is written in place", folder);
	step_args(p, s, "chattr", "+C", dir, NULL);
}

static int btrfs_plan(const struct node *n, struct plan *p, struct err *e)
{
	const struct btrfs_priv *priv = n->priv;
	struct argv *undo;
	struct step *s;
	unsigned i;

	(void)e;
	s = plan_step(p, "btrfs", "make a btrfs file system over %u device%s, data %s, metadata %s",
		      n->n_kids, n->n_kids == 1 ? "" : "s", priv->data->name, priv->metadata->name);
	step_args(p, s, "mkfs.btrfs", "-q", "-f", "-K", "-n", "16384", "-s", "4096", "-d",
		  priv->data->name, "-m", priv->metadata->name, NULL);
	add_devices(p, &s->argv, n);
	for (i = 0; i < n->n_kids; i++) {
		step_writes(p, s, n->kids[i]);
		/* the kernel keeps the names it was told; ours one by one, never all */
		step_undo(p, s, "btrfs", "device", "scan", "--forget", n->kids[i]->dev, NULL);
	}
	undo = step_undo_argv(p, s);
	argv_addl(p->arena, undo, "wipefs", "--all", "--force", "--quiet", NULL);
	add_devices(p, undo, n);
	if (n->n_kids > 1) {
		s = plan_step(p, "btrfs", "tell the kernel which devices belong together");
		step_args(p, s, "btrfs", "device", "scan", NULL);
		add_devices(p, &s->argv, n);
	}
	plan_mount(p, n, "btrfs", n->kids[0]->dev, node_word(n, "mount"));
	if (node_word(n, "nocow"))
		plan_nocow(n, p, node_word(n, "nocow"));
	return 0;
}

/* The folder of the kernel's file system that has this device; NULL when none has. */
static const char *sysfs_folder(const char *root, const char *name, struct arena *a)
{
	DIR *dir = opendir(arena_printf(a, "%s/sys/fs/btrfs", root));
	const char *found = NULL;
	struct dirent *d;

	while (dir && !found && (d = readdir(dir))) {
		const char *folder;

		if (!strchr(d->d_name, '-'))		/* a UUID, not "features" */
			continue;
		folder = arena_printf(a, "%s/sys/fs/btrfs/%s", root, d->d_name);
		if (!access(arena_printf(a, "%s/devices/%s", folder, name), F_OK))
			found = folder;
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Devices of the mounted file system that the kernel does not have. */
static int btrfs_status(const struct node *n, const char *root, struct arena *a, struct live *out,
			struct err *e)
{
	unsigned here = 0, i;
	const char *folder = NULL, *name;

	(void)e;
	mount_status(n, "btrfs", root, a, out);
	if (!out->present)
		return 0;
	for (i = 0; i < n->n_kids && !folder; i++) {
		name = node_kernel_name(n->kids[i], root, a);
		folder = name ? sysfs_folder(root, name, a) : NULL;
	}
	for (i = 0; i < n->n_kids && folder; i++) {
		name = node_kernel_name(n->kids[i], root, a);
		here += name && !access(arena_printf(a, "%s/devices/%s", folder, name), F_OK);
	}
	if (folder && here < n->n_kids) {
		out->state = "degraded";
		out->detail = arena_printf(a, "%u of %u devices are there", here, n->n_kids);
	}
	return 0;
}

static const char *const btrfs_tools[] = { "mkfs.btrfs", "btrfs", NULL };
static const char *const btrfs_packages[] = { "btrfs-progs", "btrfs-progs", NULL };

const struct layer layer_btrfs = {
	.name = "btrfs", .title = "btrfs file system",
	.about = "Checksums everything, takes snapshots, and joins devices of any size by itself. Over "
		 "arrays of slices data=single is enough: the arrays below carry the redundancy.",
	.kind = LAYER_JOIN, .takes = THING_BLOCK, .gives = THING_DIR,
	.tools = btrfs_tools, .packages = btrfs_packages, .kernel_fs = "btrfs",
	.signature = "btrfs",
	.options = btrfs_options, .check = btrfs_check, .size = btrfs_size,
	.account = btrfs_account, .health = btrfs_health, .plan = btrfs_plan,
	.status = btrfs_status,
};
